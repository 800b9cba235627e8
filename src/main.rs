//! The `sesame` binary: everything happens in the library, but for what only a program may decide for its whole process.

fn main() -> std::process::ExitCode {
    #[cfg(unix)]
    survive_limits_on_files();
    sesame::cli::main()
}

/// Ignores the signal that comes when a file grows beyond what the system allows: it would end the program in the middle of the file, and without it
/// the write fails as on a full disk.
#[cfg(unix)]
fn survive_limits_on_files() {
    // SAFETY: the number is that of a signal that may be ignored, and no function is installed that could run at a wrong time.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}
