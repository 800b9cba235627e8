//! The `sesame` binary: everything happens in the library.

fn main() -> std::process::ExitCode {
    sesame::cli::main()
}
