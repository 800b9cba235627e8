//! Progress of a long run: a line on standard error, if that is a terminal that can erase a line.

use std::fmt::Write;
use std::time::Duration;

use indicatif::{FormattedDuration, ProgressBar, ProgressState, ProgressStyle};

/// Hidden when dropped.
pub struct Progress(ProgressBar);

impl Progress {
    /// Shows the share of `total`, the time left and a message. An earlier run has done `before` of `total`.
    pub fn new(total: u64, before: u64) -> Self {
        let left = move |state: &ProgressState, text: &mut dyn Write| {
            let _ = match time_left(total, before, state.pos(), state.elapsed()) {
                Some(left) => write!(text, "{}", FormattedDuration(left)),
                None => text.write_char('?'),
            };
        };
        let progress = Self::styled(total, "{percent:>3} %  {elapsed_precise} gone, {left} left  {wide_msg}");
        let style = progress.0.style().with_key("left", left);
        Self(progress.0.with_style(style).with_position(before))
    }

    /// Shows the message alone.
    pub fn message_line() -> Self {
        Self::styled(0, "{wide_msg}")
    }

    fn styled(total: u64, template: &str) -> Self {
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        Self(ProgressBar::new(total).with_style(style))
    }

    pub fn advance(&self, weight: u64, message: String) {
        self.0.inc(weight);
        self.0.set_message(message);
    }

    pub fn set_message(&self, message: String) {
        self.0.set_message(message);
    }

    /// Hides the line during `write`.
    pub fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        self.0.suspend(write)
    }

    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}

/// `None` before this run has done anything.
fn time_left(total: u64, before: u64, done: u64, elapsed: Duration) -> Option<Duration> {
    let own = done.checked_sub(before).filter(|&own| own > 0)?;
    Some(elapsed.mul_f64(total.saturating_sub(done) as f64 / own as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_follows_from_the_own_share_of_the_work() {
        let minutes = |done| time_left(100, 50, done, Duration::from_secs(600)).map(|left| left.as_secs() / 60);
        assert_eq!([50, 60, 100, 101].map(minutes), [None, Some(40), Some(0), Some(0)]);
    }
}
