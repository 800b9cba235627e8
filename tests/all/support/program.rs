//! Runs of the program to its end, for tests of the command line.

use std::ffi::OsStr;
use std::fmt::Debug;
use std::io::Write;
use std::process::{Command, Output, Stdio};

use super::end_in_time;

/// Returns a command that runs the program of this build.
pub(crate) fn sesame() -> Command {
    Command::new(env!("CARGO_BIN_EXE_sesame"))
}

/// Runs the program without input. Returns the exit code, the standard output and the standard error.
pub(crate) fn run<S: AsRef<OsStr> + Debug>(arguments: &[S]) -> (i32, String, String) {
    run_with_input(arguments, "")
}

/// Runs the program with this input.
pub(crate) fn run_with_input<S: AsRef<OsStr> + Debug>(arguments: &[S], input: &str) -> (i32, String, String) {
    run_into(Stdio::piped(), arguments, input)
}

/// Runs the program with this input and another standard output.
pub(crate) fn run_into<S: AsRef<OsStr> + Debug>(output: Stdio, arguments: &[S], input: &str) -> (i32, String, String) {
    let mut command = sesame();
    command.args(arguments).stdin(Stdio::piped()).stdout(output).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // A program that ends early does not read all of its input.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let (out, errors) = (text(output.stdout), text(output.stderr));
    assert!(!errors.contains("panicked"), "{arguments:?}: {errors}");
    (output.status.code().expect("an exit code"), out, errors)
}

/// Runs the program without input and expects success without a word on the standard error. Returns the standard output.
pub(crate) fn succeed(arguments: &[&str]) -> String {
    succeed_with_input(arguments, "")
}

/// Runs the program with this input and expects success. Returns the standard output.
pub(crate) fn succeed_with_input(arguments: &[&str], input: &str) -> String {
    let (code, output, errors) = run_with_input(arguments, input);
    assert_eq!((code, errors.as_str()), (0, ""), "{arguments:?}: {output}");
    output
}

/// Runs a command without input to its end. The watchdog fails the test. The output must fit into a pipe.
pub(crate) fn output_in_time(mut command: Command) -> Output {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let status = end_in_time(&mut child);
    let output = child.wait_with_output().unwrap();
    assert!(status.is_some(), "{command:?} does not end: {output:?}");
    output
}

/// Expects all parts in this order.
pub(crate) fn assert_in_order(output: &str, parts: &[&str]) {
    let mut rest = output;
    for part in parts {
        let place = rest.find(part).unwrap_or_else(|| panic!("{part:?} is missing or out of order in:\n{output}"));
        rest = &rest[place + part.len()..];
    }
}
