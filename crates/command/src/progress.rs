//! Progress of a long run: a line on standard error, if that is a terminal that can erase a line.

use std::time::Duration;

use indicatif::{FormattedDuration, ProgressBar, ProgressStyle};

use sesame_files::printable;

use crate::error::print_status;

/// Shows its message alone, cut to the width of the terminal. Hidden when dropped.
pub fn status_line() -> ProgressBar {
    let style = ProgressStyle::with_template("{wide_msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::no_length().with_style(style)
}

/// A [`status_line`] with the share of the work and the time left.
pub struct Progress {
    line: ProgressBar,
    total: u64,
    /// Done by an earlier run.
    before: u64,
}

impl Progress {
    /// An earlier run has done `before` of `total`, which is 0 if it is unknown.
    pub fn new(total: u64, before: u64) -> Self {
        Self { line: status_line().with_position(before), total, before }
    }

    pub fn advance(&self, weight: u64, message: String) {
        self.line.inc(weight);
        self.set_message(message);
    }

    pub fn set_message(&self, message: String) {
        self.line.set_message(self.text(self.line.position(), self.line.elapsed(), &printable(&message)));
    }

    fn text(&self, done: u64, elapsed: Duration, message: &str) -> String {
        if self.total == 0 {
            return format!("{} gone  {message}", FormattedDuration(elapsed));
        }
        let percent = done.min(self.total) * 100 / self.total.max(1);
        let left = match done.saturating_sub(self.before) {
            0 => "?".to_owned(),
            own => {
                let rest = self.total.saturating_sub(done) as f64 / own as f64;
                FormattedDuration(elapsed.mul_f64(rest)).to_string()
            }
        };
        format!("{percent:3} %  {} gone, {left} left  {message}", FormattedDuration(elapsed))
    }

    /// Hides the line during `write`.
    pub fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        self.line.suspend(write)
    }

    pub fn print(&self, line: &str) {
        self.suspend(|| print_status(line));
    }

    pub fn finish(&self) {
        self.line.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_follows_from_the_own_share_of_the_work() {
        let progress = Progress::new(100, 50);
        let line = |done| progress.text(done, Duration::from_secs(600), "game 7");
        assert_eq!(line(50), " 50 %  00:10:00 gone, ? left  game 7");
        assert_eq!(line(60), " 60 %  00:10:00 gone, 00:40:00 left  game 7");
        assert_eq!(line(101), "100 %  00:10:00 gone, 00:00:00 left  game 7");
    }
}
