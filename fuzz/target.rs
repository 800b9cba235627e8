//! Every fuzz target: a program of its own, whose name chooses the body.

#![no_main]

mod bodies;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bodies::run(env!("CARGO_BIN_NAME"), bytes));
