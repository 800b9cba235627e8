//! The `sesame` binary: process-wide settings, then `cli::main`.

fn main() -> std::process::ExitCode {
    #[cfg(unix)]
    ignore_file_size_signal();
    sesame::cli::main()
}

/// Ignores SIGXFSZ, which would end the program in the middle of a file at the file size limit. The write then
/// fails with an error.
#[cfg(unix)]
fn ignore_file_size_signal() {
    // SAFETY: SIGXFSZ may be ignored, and no handler is installed.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}
