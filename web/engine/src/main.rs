//! Sesame for WebAssembly: a UCI session that the worker of a page connects to its messages.
//!
//! With threads, it reads standard input. Without, it returns from `main`, and the page calls [`execute`] with each line.

use std::process::ExitCode;

use sesame::output::Output;
#[cfg(not(feature = "threads"))]
pub use single_threaded::execute;

#[cfg(feature = "threads")]
fn main() -> ExitCode {
    end(sesame::uci::run(std::io::stdin(), Output::stdout()))
}

#[cfg(not(feature = "threads"))]
fn main() -> ExitCode {
    end(single_threaded::start(Output::stdout()))
}

fn end(result: Result<(), sesame::uci::StartError>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(not(feature = "threads"))]
mod single_threaded {
    use std::cell::RefCell;
    use std::slice;

    use sesame::output::Output;
    use sesame::uci::{SingleThreadedSession, StartError};

    thread_local! {
        static SESSION: RefCell<Option<SingleThreadedSession>> = const { RefCell::new(None) };
    }

    pub fn start(output: Output) -> Result<(), StartError> {
        let session = SingleThreadedSession::new(output)?;
        SESSION.set(Some(session));
        Ok(())
    }

    /// Carries out a line of `length` bytes. Returns 0 at the end of the session.
    ///
    /// # Safety
    ///
    /// `line` must be a block of `malloc`, filled with `length` bytes.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn execute(line: *const u8, length: usize) -> u32 {
        // SAFETY: as the caller promises.
        let line = unsafe { slice::from_raw_parts(line, length) };
        SESSION.with_borrow_mut(|session| {
            session.take_if(|session| session.execute(line).is_break());
            session.is_some().into()
        })
    }
}
