//! Long work that is no search, on a thread of its own, so that the engine loop keeps answering.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use crossbeam::channel::Sender;

/// A bench or perft that is running, or has just ended.
pub(crate) struct Job {
    stop: Arc<AtomicBool>,
    done: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

/// Tells that the job is done, also when it panicked.
struct Announcement {
    done: Arc<AtomicBool>,
    wake: Sender<()>,
}

impl Drop for Announcement {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Release);
        let _ = self.wake.try_send(());
    }
}

impl Job {
    /// Starts `work`, which is to end soon after the flag it is given becomes true. At its end `wake` gets a token.
    ///
    /// # Errors
    /// When no thread can be started.
    pub(crate) fn start(wake: Sender<()>, work: impl FnOnce(&AtomicBool) + Send + 'static) -> io::Result<Job> {
        let stop = Arc::new(AtomicBool::new(false));
        let done = Arc::new(AtomicBool::new(false));
        let announcement = Announcement { done: Arc::clone(&done), wake };
        let flag = Arc::clone(&stop);
        let thread = thread::Builder::new().name("uci-job".into()).spawn(move || {
            let _announcement = announcement;
            work(&flag);
        })?;
        Ok(Job { stop, done, thread })
    }

    /// Asks the work to end.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether the work has ended.
    pub(crate) fn is_done(&self) -> bool {
        self.done.load(Ordering::Acquire)
    }

    /// Waits for the end.
    pub(crate) fn join(self) {
        // A panic has already been printed; the session goes on.
        let _ = self.thread.join();
    }
}
