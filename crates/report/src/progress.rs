//! A progress bar on standard error.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The share of a long piece of work that is done, with the time left, on standard error; silent where that is no terminal.
pub struct Progress(ProgressBar);

impl Progress {
    /// Returns a bar for work of weight `total`, of which an earlier run has done `done`.
    pub fn new(total: u64, done: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{wide_bar} {percent:>3} %  {elapsed} gone, {eta} left  {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_position(done);
        bar.reset_eta();
        bar.enable_steady_tick(Duration::from_millis(500));
        Self(bar)
    }

    /// Adds a piece of this weight to the work done, and shows `message`.
    pub fn advance(&self, weight: u64, message: String) {
        self.0.inc(weight);
        self.0.set_message(message);
    }

    /// Shows the work in hand.
    pub fn set_message(&self, message: String) {
        self.0.set_message(message);
    }

    /// Hides the bar while `write` writes to the terminal.
    pub fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        self.0.suspend(write)
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}
