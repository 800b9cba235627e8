//! A UCI session over the machines of an MPI job.

use std::io;
use std::process;
use std::sync::Arc;

use crossbeam_channel as channel;
use sesame_command::signals::at_first_signal;
use sesame_command::{CommandError, print_status};

use crate::cluster::mpi::MpiTransport;
use crate::cluster::{self, Joined, Patience, Role};
use crate::output::Output;
use crate::uci;

pub(super) fn run(output: &Output) -> Result<(), CommandError> {
    let Joined { role, message } =
        cluster::join(MpiTransport::connect, Patience::default()).map_err(CommandError::failed)?;
    message.iter().for_each(|message| print_status(&format!("sesame: {message}")));
    match role {
        Role::Alone => uci::run(io::stdin(), output.clone()).map_err(CommandError::failed),
        Role::Leader(link) => {
            // The launcher sends SIGTERM a second after a machine is lost, and SIGKILL a second later.
            let (quit, signals) = channel::bounded(1);
            let closing = output.clone();
            at_first_signal(move || {
                // Ends waits for other machines and for a reader.
                closing.begin_shutdown();
                let _ = quit.try_send(());
            })?;
            let result = uci::run_linked(io::stdin(), output.clone(), Some(Arc::clone(&link) as _), signals);
            if !link.quit() {
                // MPI waits for all processes at its end, and one does not answer.
                print_status("another machine does not answer; the program ends without it");
                process::exit(1);
            }
            result.map_err(CommandError::failed)
        }
        Role::Follower(link, session) => {
            let result = uci::run_linked(
                session.input,
                Output::new(session.output),
                Some(Arc::clone(&link) as _),
                channel::never(),
            );
            drop(session.end);
            if !link.leave() {
                print_status("sesame: another machine does not answer; this one ends");
                process::exit(1);
            }
            result.map_err(CommandError::failed)
        }
        Role::Stranger => Ok(()),
    }
}
