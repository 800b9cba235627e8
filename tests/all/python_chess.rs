//! python-chess as a client: `tests/python/uci_client.py`, where python3 has the module `chess`.

use std::io::{Write, stderr};
use std::process::Command;

/// Writes to the terminal past the capture of the test harness.
fn tell(text: &str) {
    let _ = writeln!(stderr(), "python_chess: {text}");
}

#[test]
fn python_chess_drives_the_engine() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/python/uci_client.py");
    match Command::new("python3").args(["-c", "import chess.engine"]).output() {
        Ok(output) if output.status.success() => {}
        Ok(_) => return tell("skipped: python3 has no module `chess` (pip install chess)"),
        Err(error) => return tell(&format!("skipped: python3: {error}")),
    }
    let output = Command::new("python3").args([script, env!("CARGO_BIN_EXE_sesame")]).output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && out.contains("all is well"), "{out}\n{err}");
    tell(out.lines().last().unwrap_or_default());
}
