//! The bar for the person who waits.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How far a long piece of work has come, with the time left, on standard error; silent where that is no terminal.
pub struct Progress(ProgressBar);

impl Progress {
    /// A bar for work of weight `total`, of which `done` has been done before.
    pub fn new(total: u64, done: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{wide_bar} {percent:>3} %  {elapsed} gone, {eta} left  {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_position(done);
        bar.reset_eta();
        bar.enable_steady_tick(Duration::from_millis(500));
        Self(bar)
    }

    /// A piece of this weight is done.
    pub fn advance(&self, weight: u64, message: String) {
        self.0.inc(weight);
        self.0.set_message(message);
    }

    /// Says what is being done now.
    pub fn tell(&self, message: String) {
        self.0.set_message(message);
    }

    /// Writes something to the terminal, without the bar in its way.
    pub fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        self.0.suspend(write)
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}
