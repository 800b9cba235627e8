//! A chess clock.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, Instant};

use crate::engine::Clock;
use crate::position::Color;

/// A time control: time for the game, and an increment for each move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TimeControl {
    pub(super) base: Duration,
    pub(super) increment: Duration,
}

/// Parses minutes, optionally with a plus sign and seconds.
impl FromStr for TimeControl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const WRONG: &str = "not minutes and seconds to add, as in 5+3";
        let (minutes, seconds) = text.split_once('+').unwrap_or((text, "0"));
        let part = |text: &str, factor: f64| {
            let number: f64 = text.trim().parse().map_err(|_| WRONG)?;
            let time = Duration::try_from_secs_f64(number * factor).map_err(|_| WRONG)?;
            if time <= Duration::from_secs(86_400) { Ok(time) } else { Err("more than a day") }
        };
        let control = TimeControl { base: part(minutes, 60.0)?, increment: part(seconds, 1.0)? };
        if control.base.is_zero() { Err("no time at all".to_owned()) } else { Ok(control) }
    }
}

/// Formats in seconds, as in PGN.
impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.base.as_secs_f64();
        match self.increment.is_zero() {
            true => write!(f, "{seconds}"),
            false => write!(f, "{seconds}+{}", self.increment.as_secs_f64()),
        }
    }
}

/// Both players' clocks.
#[derive(Debug, Clone)]
pub(super) struct ChessClock {
    control: TimeControl,
    /// The time of White and Black, without the current move.
    left: [Duration; 2],
    /// The player whose clock runs, and the start of the move.
    running: Option<(Color, Instant)>,
}

impl ChessClock {
    pub(super) fn new(control: TimeControl) -> ChessClock {
        ChessClock { control, left: [control.base; 2], running: None }
    }

    pub(super) fn control(&self) -> TimeControl {
        self.control
    }

    /// Starts a player's clock. A running clock continues.
    pub(super) fn start(&mut self, color: Color, now: Instant) {
        if self.running.is_none_or(|(running, _)| running != color) {
            self.running = Some((color, now));
        }
    }

    /// Stops both clocks.
    pub(super) fn stop(&mut self, now: Instant) {
        if let Some((color, _)) = self.running {
            let left = self.left(color, now);
            self.set(color, left);
        }
        self.running = None;
    }

    /// Ends a player's move: stops the clock and adds the increment.
    pub(super) fn press(&mut self, color: Color, now: Instant) {
        self.stop(now);
        let left = self.left(color, now).saturating_add(self.control.increment);
        self.set(color, left);
    }

    fn set(&mut self, color: Color, time: Duration) {
        if let Some(left) = self.left.get_mut(color as usize) {
            *left = time;
        }
    }

    /// Returns a player's remaining time.
    pub(super) fn left(&self, color: Color, now: Instant) -> Duration {
        let left = self.left.get(color as usize).copied().unwrap_or_default();
        match self.running {
            Some((running, since)) if running == color => left.saturating_sub(now.saturating_duration_since(since)),
            _ => left,
        }
    }

    /// Returns both players' remaining time, White's first.
    pub(super) fn both(&self, now: Instant) -> [Duration; 2] {
        Color::ALL.map(|color| self.left(color, now))
    }

    /// Sets the clocks to earlier times, stopped.
    pub(super) fn restore(&mut self, left: [Duration; 2]) {
        self.left = left;
        self.running = None;
    }

    /// Returns the clock for the engine.
    pub(super) fn for_engine(&self, now: Instant) -> Clock {
        Clock { time: self.both(now), increment: [self.control.increment; 2], moves_to_go: None }
    }
}

/// Formats a time for display: `4:59`, `1:02:03`, and below ten seconds `0:09.9`.
pub(super) fn show(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..10 => format!("0:{:04.1}", (time.as_millis() / 100) as f64 / 10.0),
        10..3600 => format!("{}:{:02}", seconds / 60, seconds % 60),
        _ => format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60),
    }
}

/// Formats a time as a PGN command `[%clk ...]`.
pub(super) fn command(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("[%clk {}:{:02}:{:02}]", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_controls() {
        let written = |text: &str| text.parse::<TimeControl>().map(|control| control.to_string());
        assert_eq!(written("5+3"), Ok("300+3".into()));
        assert_eq!(written("0.5"), Ok("30".into()));
        assert_eq!(written("90+0.5"), Ok("5400+0.5".into()));
        for text in ["", "+", "5+", "0+5", "-1", "5+-1", "x+3", "nan", "inf", "1e300", "5+3+2"] {
            assert!(written(text).is_err(), "{text}");
        }
    }

    #[test]
    fn one_clock_runs_at_a_time() {
        let begin = Instant::now();
        let at = |seconds| begin + Duration::from_secs(seconds);
        let mut clock = ChessClock::new("1+2".parse().unwrap());
        let left = |clock: &ChessClock, now| clock.both(now).map(|time| time.as_secs());
        clock.start(Color::White, at(0));
        clock.start(Color::White, at(5));
        assert_eq!(left(&clock, at(10)), [50, 60]);
        clock.press(Color::White, at(10));
        assert_eq!(left(&clock, at(20)), [52, 60]);
        clock.start(Color::Black, at(20));
        let earlier = clock.both(at(20));
        assert_eq!(left(&clock, at(90)), [52, 0]);
        clock.stop(at(30));
        assert_eq!(left(&clock, at(90)), [52, 50]);
        clock.restore(earlier);
        assert_eq!(left(&clock, at(99)), [52, 60]);
        assert_eq!(clock.for_engine(at(99)).increment, [Duration::from_secs(2); 2]);
    }

    #[test]
    fn times_to_read() {
        let shown = |millis| show(Duration::from_millis(millis));
        assert_eq!(
            [shown(0), shown(9_960), shown(10_000), shown(299_000), shown(3_723_000)],
            ["0:00.0", "0:09.9", "0:10", "4:59", "1:02:03"]
        );
        assert_eq!(command(Duration::from_secs(3723)), "[%clk 1:02:03]");
    }
}
