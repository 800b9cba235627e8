//! A progress line on standard error.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};

const REDRAW: Duration = Duration::from_millis(100);

/// The share of a long piece of work that is done, with the time left, on standard error; silent where that
/// is no terminal.
pub struct Progress {
    total: u64,
    /// The work that an earlier run has done.
    before: u64,
    started: Instant,
    is_terminal: bool,
    state: Mutex<Status>,
}

struct Status {
    done: u64,
    message: String,
    drawn: Option<Instant>,
}

impl Progress {
    /// Returns a line for work of weight `total`, of which an earlier run has done `done`.
    pub fn new(total: u64, done: u64) -> Self {
        let state = Mutex::new(Status { done, message: String::new(), drawn: None });
        Self { total, before: done, started: Instant::now(), is_terminal: io::stderr().is_terminal(), state }
    }

    /// Adds a piece of this weight to the work done, and shows `message`.
    pub fn advance(&self, weight: u64, message: String) {
        self.update(|state| {
            state.done += weight;
            state.message = message;
        });
    }

    /// Shows the work in hand.
    pub fn set_message(&self, message: String) {
        self.update(|state| state.message = message);
    }

    /// Hides the line while `write` writes to the terminal.
    pub fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        let mut state = self.state();
        self.erase(&mut state);
        write()
    }

    pub fn finish(&self) {
        let mut state = self.state();
        self.erase(&mut state);
    }

    fn state(&self) -> MutexGuard<'_, Status> {
        self.state.lock()
    }

    fn update(&self, change: impl FnOnce(&mut Status)) {
        let mut state = self.state();
        change(&mut state);
        if self.is_terminal && state.drawn.is_none_or(|drawn| drawn.elapsed() >= REDRAW) {
            state.drawn = Some(Instant::now());
            let line = self.line(&state, self.started.elapsed());
            let _ = write!(io::stderr(), "\r\x1b[K{line}");
        }
    }

    fn erase(&self, state: &mut Status) {
        if state.drawn.take().is_some() {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }

    fn line(&self, state: &Status, elapsed: Duration) -> String {
        let percent = state.done.min(self.total) * 100 / self.total.max(1);
        let own = state.done.saturating_sub(self.before);
        let left = match own {
            0 => "?".to_owned(),
            own => clock(elapsed.mul_f64(self.total.saturating_sub(state.done) as f64 / own as f64)),
        };
        let message: String = state.message.chars().take(60).collect();
        format!("{percent:3} %  {} gone, {left} left  {message}", clock(elapsed))
    }
}

/// Returns a duration as `h:mm:ss`.
fn clock(duration: Duration) -> String {
    let seconds = duration.as_secs();
    format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_follows_from_the_own_share_of_the_work() {
        let progress = Progress::new(100, 50);
        let line = |done| {
            let state = Status { done, message: "game 7".to_owned(), drawn: None };
            progress.line(&state, Duration::from_secs(600))
        };
        assert_eq!(line(50), " 50 %  0:10:00 gone, ? left  game 7");
        assert_eq!(line(60), " 60 %  0:10:00 gone, 0:40:00 left  game 7");
        assert_eq!(line(100), "100 %  0:10:00 gone, 0:00:00 left  game 7");
    }

    #[test]
    fn suspended_work_returns_its_value() {
        let progress = Progress::new(0, 0);
        progress.advance(1, String::new());
        assert_eq!(progress.suspend(|| 7), 7);
        progress.finish();
    }
}
