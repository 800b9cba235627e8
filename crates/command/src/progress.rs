//! A line on standard error that shows the progress of a long run.

use std::env;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use terminal_size::{Width, terminal_size_of};
use unicode_width::UnicodeWidthChar;

/// Emacs and Acme have terminals that cannot move the cursor.
pub fn is_dumb_terminal() -> bool {
    env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// A line on standard error that replaces itself; silent if that is no terminal, or one that cannot erase a line.
pub struct StatusLine {
    is_possible: bool,
    is_shown: bool,
}

impl Default for StatusLine {
    fn default() -> Self {
        Self { is_possible: io::stderr().is_terminal() && !is_dumb_terminal(), is_shown: false }
    }
}

impl StatusLine {
    /// Cuts `text` to the width of the terminal.
    pub fn show(&mut self, text: &str) {
        if self.is_possible {
            let width = terminal_size_of(io::stderr()).map_or(80, |(Width(width), _)| usize::from(width));
            let _ = write!(io::stderr(), "\r\x1b[K{}", cut(text, width));
            self.is_shown = true;
        }
    }

    pub fn clear(&mut self) {
        if std::mem::take(&mut self.is_shown) {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

/// Leaves the last column free: a character there may break the line.
fn cut(text: &str, width: usize) -> String {
    let columns = text.chars().scan(0, |columns, letter| {
        *columns += letter.width()?;
        Some((letter, *columns))
    });
    columns.take_while(|&(_, columns)| columns < width).map(|(letter, _)| letter).collect()
}

const REDRAW: Duration = Duration::from_millis(100);

/// A [`StatusLine`] with the time left.
pub struct Progress {
    total: u64,
    /// Done by an earlier run.
    before: u64,
    started: Instant,
    state: Mutex<Status>,
}

struct Status {
    done: u64,
    message: String,
    drawn: Option<Instant>,
    line: StatusLine,
}

impl Progress {
    /// An earlier run has done `done` of `total`, which is 0 if it is unknown.
    pub fn new(total: u64, done: u64) -> Self {
        let state = Mutex::new(Status { done, message: String::new(), drawn: None, line: StatusLine::default() });
        Self { total, before: done, started: Instant::now(), state }
    }

    pub fn advance(&self, weight: u64, message: String) {
        self.update(|state| {
            state.done += weight;
            state.message = message;
        });
    }

    pub fn set_message(&self, message: String) {
        self.update(|state| state.message = message);
    }

    /// Hides the line during `write`.
    pub fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        let mut state = self.state.lock();
        state.erase();
        write()
    }

    pub fn finish(&self) {
        self.state.lock().erase();
    }

    fn update(&self, change: impl FnOnce(&mut Status)) {
        let mut state = self.state.lock();
        change(&mut state);
        if state.drawn.is_none_or(|drawn| drawn.elapsed() >= REDRAW) {
            state.drawn = Some(Instant::now());
            let text = self.text(&state, self.started.elapsed());
            state.line.show(&text);
        }
    }

    fn text(&self, state: &Status, elapsed: Duration) -> String {
        if self.total == 0 {
            return format!("{} gone  {}", clock(elapsed), state.message);
        }
        let percent = state.done.min(self.total) * 100 / self.total.max(1);
        let own = state.done.saturating_sub(self.before);
        let left = match own {
            0 => "?".to_owned(),
            own => clock(elapsed.mul_f64(self.total.saturating_sub(state.done) as f64 / own as f64)),
        };
        format!("{percent:3} %  {} gone, {left} left  {}", clock(elapsed), state.message)
    }
}

impl Status {
    fn erase(&mut self) {
        self.drawn = None;
        self.line.clear();
    }
}

/// `h:mm:ss`.
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
            let state = Status { done, message: "game 7".to_owned(), drawn: None, line: StatusLine::default() };
            progress.text(&state, Duration::from_secs(600))
        };
        assert_eq!(line(50), " 50 %  0:10:00 gone, ? left  game 7");
        assert_eq!(line(60), " 60 %  0:10:00 gone, 0:40:00 left  game 7");
        assert_eq!(line(100), "100 %  0:10:00 gone, 0:00:00 left  game 7");
    }

    #[test]
    fn lines_are_cut_to_the_width_of_the_terminal() {
        for (text, width, expected) in [
            ("abcdef", 80, "abcdef"),
            ("abcdef", 7, "abcdef"),
            ("abcdef", 6, "abcde"),
            ("abcdef", 0, ""),
            // Characters of two columns, and of none.
            ("漢字e\u{301}x", 7, "漢字e\u{301}x"),
            ("漢字e\u{301}x", 6, "漢字e\u{301}"),
            ("漢字", 4, "漢"),
            ("ab\tc", 80, "ab"),
        ] {
            assert_eq!(cut(text, width), expected, "{text} {width}");
        }
    }

    #[test]
    fn suspended_work_returns_its_value() {
        let progress = Progress::new(0, 0);
        progress.advance(1, String::new());
        assert_eq!(progress.suspend(|| 7), 7);
        progress.finish();
    }
}
