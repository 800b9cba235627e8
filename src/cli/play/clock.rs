//! Time controls and chess clocks.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, Instant};

use crate::engine::Clock;
use crate::position::Color;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TimeControl {
    base: Duration,
    increment: Duration,
}

/// Reads minutes, optionally with a plus sign and seconds.
impl FromStr for TimeControl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (minutes, seconds) = text.split_once('+').unwrap_or((text, "0"));
        let number = |text: &str| text.trim().parse().ok().filter(|number: &f64| number.is_finite());
        let (Some(minutes), Some(seconds)) = (number(minutes), number(seconds)) else {
            return Err("not minutes, or minutes and seconds to add, as in 5+3".to_owned());
        };
        let time = |seconds: f64| {
            Duration::try_from_secs_f64(seconds).ok().filter(|time| *time <= Duration::from_secs(86_400))
        };
        match (time(minutes * 60.0), time(seconds)) {
            (Some(base), Some(increment)) if !base.is_zero() => Ok(TimeControl { base, increment }),
            _ => Err("a clock has more than 0 minutes, and at most a day; a move adds at most a day".to_owned()),
        }
    }
}

/// Writes seconds, as in PGN.
impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.base.as_secs_f64())?;
        if self.increment.is_zero() { Ok(()) } else { write!(f, "+{}", self.increment.as_secs_f64()) }
    }
}

#[derive(Debug, Clone)]
pub(super) struct ChessClock {
    control: TimeControl,
    /// White's and Black's, without the current move.
    left: [Duration; 2],
    running: Option<(Color, Instant)>,
}

impl ChessClock {
    pub(super) fn new(control: TimeControl) -> ChessClock {
        ChessClock { control, left: [control.base; 2], running: None }
    }

    pub(super) fn reset(&self, left: [Duration; 2]) -> ChessClock {
        ChessClock { left, ..ChessClock::new(self.control) }
    }

    pub(super) fn control(&self) -> TimeControl {
        self.control
    }

    pub(super) fn start(&mut self, color: Color, now: Instant) {
        if self.running.is_none_or(|(running, _)| running != color) {
            self.running = Some((color, now));
        }
    }

    pub(super) fn stop(&mut self, now: Instant) {
        self.left = self.both(now);
        self.running = None;
    }

    /// Stops the clock and adds the increment. Returns both times before.
    pub(super) fn press(&mut self, color: Color, now: Instant) -> [Duration; 2] {
        let before = self.left;
        self.stop(now);
        let [white, black] = &mut self.left;
        let left = if color == Color::White { white } else { black };
        *left = left.saturating_add(self.control.increment);
        before
    }

    pub(super) fn left(&self, color: Color, now: Instant) -> Duration {
        let [white, black] = self.left;
        let left = if color == Color::White { white } else { black };
        let since = self.running.filter(|(running, _)| *running == color).map_or(now, |(_, since)| since);
        left.saturating_sub(now.saturating_duration_since(since))
    }

    pub(super) fn both(&self, now: Instant) -> [Duration; 2] {
        [Color::White, Color::Black].map(|color| self.left(color, now))
    }

    pub(super) fn for_engine(&self, now: Instant) -> Clock {
        Clock { time: self.both(now), increment: [self.control.increment; 2], moves_to_go: None }
    }
}

/// Writes `4:59`, `1:02:03`, and below ten seconds `0:09.9`.
impl fmt::Display for ChessClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [white, black] = self.both(Instant::now()).map(|time| match time.as_secs() {
            0..10 => format!("0:{:04.1}", (time.as_millis() / 100) as f64 / 10.0),
            seconds @ 10..3600 => format!("{}:{:02}", seconds / 60, seconds % 60),
            _ => hours(time),
        });
        write!(f, "White {white}, Black {black}")
    }
}

pub(super) fn hours(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_controls_and_times() {
        let written = |text: &str| text.parse::<TimeControl>().map(|control| control.to_string()).ok();
        for (text, seconds) in [("5+3", "300+3"), ("0.5", "30"), ("90+0.5", "5400+0.5")] {
            assert_eq!(written(text).as_deref(), Some(seconds));
        }
        for (error, texts) in [
            ("as in 5+3", &["", "+", "5+", "x+3", "nan", "inf", "5+3+2"][..]),
            ("more than 0 minutes", &["0+5", "-1", "5+-1", "1e300", "9999", "5+90000"]),
        ] {
            for text in texts {
                let found = text.parse::<TimeControl>().unwrap_err();
                assert!(found.contains(error), "{text}: {found}");
            }
        }
        let shown = |left: [u64; 2]| {
            let left = left.map(Duration::from_millis);
            ChessClock::new("1".parse().unwrap()).reset(left).to_string()
        };
        assert_eq!(shown([0, 9_960]), "White 0:00.0, Black 0:09.9");
        assert_eq!(shown([10_000, 299_000]), "White 0:10, Black 4:59");
        assert_eq!(shown([3_723_000, 3_600_000]), "White 1:02:03, Black 1:00:00");
    }
}
