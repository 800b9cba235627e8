//! The one operation that machines need: all give a block of bytes, and all get those of all.

/// A group of processes with a collective operation.
pub trait Transport {
    /// Returns the number of this process, from 0.
    fn rank(&self) -> usize;

    /// Returns the number of processes, at least 1.
    fn ranks(&self) -> usize;

    /// Gives `own` and fills `all` with the bytes of all processes, in the order of their ranks. All give the same number of
    /// bytes.
    ///
    /// It calls `pause` again and again while it waits, however long: a process that does not answer makes all wait.
    fn all_gather(&mut self, own: &[u8], all: &mut Vec<u8>, pause: &mut dyn FnMut());
}

#[cfg(test)]
pub(crate) mod local {
    //! A transport between threads, for tests.

    use crossbeam_channel::{Receiver, Sender, unbounded};

    use super::Transport;

    /// One of several ranks in this process.
    pub(crate) struct Local {
        rank: usize,
        to: Vec<Sender<Vec<u8>>>,
        from: Vec<Receiver<Vec<u8>>>,
    }

    /// Creates all ranks of a group.
    pub(crate) fn group(ranks: usize) -> Vec<Local> {
        let mut group: Vec<Local> = (0..ranks).map(|rank| Local { rank, to: Vec::new(), from: Vec::new() }).collect();
        for from in 0..ranks {
            for to in 0..ranks {
                let (sender, receiver) = unbounded();
                group[from].to.push(sender);
                group[to].from.push(receiver);
            }
        }
        group
    }

    impl Transport for Local {
        fn rank(&self) -> usize {
            self.rank
        }

        fn ranks(&self) -> usize {
            self.to.len()
        }

        fn all_gather(&mut self, own: &[u8], all: &mut Vec<u8>, pause: &mut dyn FnMut()) {
            for sender in &self.to {
                let _ = sender.send(own.to_vec());
            }
            all.clear();
            for receiver in &self.from {
                loop {
                    match receiver.try_recv() {
                        Ok(bytes) => break all.extend(bytes),
                        // As with MPI: one that has died is waited for.
                        Err(_) => pause(),
                    }
                }
            }
        }
    }
}
