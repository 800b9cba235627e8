//! Integration tests of the engine: the program over its pipes, and the library beside independent oracles.
//!
//! All tests are modules of one program, so that the engine is linked once. They run in parallel in one process. A test therefore changes nothing
//! that belongs to the process (environment, current folder, resource limits, signal handlers): it sets these for the programs that it starts.
//! No test depends on the machine's speed: time limits are watchdogs only ([`support::PATIENCE`]).

#[cfg(target_os = "linux")]
mod allocations;
mod build_info;
mod cli;
mod cli_analyse;
mod cli_manual;
mod cli_play;
#[cfg(unix)]
mod cli_play_terminal;
mod cli_scaling;
mod network;
mod pages;
mod perft;
mod python;
mod regressions;
// Tests that need Linux or Unix are the only users of some helpers.
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
mod support;
mod syzygy;
mod test_data;
mod uci_exit;
mod uci_hash_file;
#[cfg(all(feature = "mpi", target_os = "linux"))]
mod uci_machines;
mod uci_multithreading;
mod uci_options;
mod uci_selfplay;
mod uci_sessions;
mod uci_syzygy;
mod uci_transcripts;
