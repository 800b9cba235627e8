//! The thread that reads the GUI's lines.
//!
//! It does nothing but read and parse, so that the engine loop sees every command at once, whatever the search does. The
//! end of the input (or an error there, which is as final) closes the channel.

use std::io::{self, BufRead, BufReader, Read};
use std::thread;

use crossbeam_channel::{self as channel, Receiver};

use super::output::Output;
use super::parse::{Command, Parsed, parse};
use crate::smp::low_latency::request_short_slices;

/// The longest line that is read, in bytes. The longest possible game, 11,796 plies, takes less than 70,000.
const MAX_LINE: usize = 1 << 18;

/// The capacity of the queue between reader and engine loop.
const QUEUE: usize = 64;

/// Starts the reader, which notes each line in the debug log of `output` and switches that: exactly from one line to the next, whatever
/// waits in the channel. The thread ends with its input, or when the receiver is dropped and another line comes. `output` hears of `quit` here,
/// as the engine loop may be waiting for somebody to read what it says.
pub(crate) fn spawn(input: impl Read + Send + 'static, output: Output) -> io::Result<Receiver<Parsed>> {
    let (sender, receiver) = channel::bounded(QUEUE);
    thread::Builder::new().name("uci-reader".into()).spawn(move || {
        request_short_slices();
        let mut input = BufReader::new(input);
        let mut line = Vec::new();
        while let Some(length) = read_line(&mut input, &mut line) {
            let noted = output.note_input(&line);
            let mut parsed = if length > MAX_LINE {
                Parsed::complaint(format!("line ignored: {length} bytes, the limit is {MAX_LINE}"))
            } else {
                parse(&line)
            };
            let mut switched = Ok(());
            match &parsed.command {
                Some(Command::Set(setting)) => {
                    if let Some(path) = setting.debug_log_file() {
                        switched = output.log_to(path);
                        parsed.command = None;
                    }
                }
                Some(Command::Quit) => output.leave(),
                _ => {}
            }
            // Said by the engine loop: to say it here would be to wait for who reads, and miss a `quit`.
            for message in [noted, switched].into_iter().filter_map(Result::err) {
                parsed.complaint = Some(match parsed.complaint.take() {
                    Some(before) => format!("{before}; {message}"),
                    None => message,
                });
            }
            if parsed != Parsed::default() && sender.send(parsed).is_err() {
                return;
            }
        }
    })?;
    Ok(receiver)
}

/// Reads one line into `line`, without its line feed and no more of it than `MAX_LINE` bytes. Returns its full length, or
/// `None` at the end of the input. A last line without a line feed counts.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> Option<usize> {
    line.clear();
    let mut length = 0;
    loop {
        let chunk = match input.fill_buf() {
            Ok(chunk) => chunk,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => &[],
        };
        if chunk.is_empty() {
            return (length > 0).then_some(length);
        }
        let end = chunk.iter().position(|&byte| byte == b'\n');
        let part = end.unwrap_or(chunk.len());
        let room = MAX_LINE.saturating_sub(line.len());
        line.extend(chunk.iter().take(part.min(room)));
        length += part;
        input.consume(part + usize::from(end.is_some()));
        if end.is_some() {
            return Some(length);
        }
    }
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::*;

    fn read(input: &[u8]) -> Vec<Parsed> {
        spawn(io::Cursor::new(input.to_vec()), Output::new(io::sink())).unwrap().iter().collect()
    }

    #[test]
    fn lines_with_and_without_an_end() {
        let wanted = vec![Parsed::from(Command::Uci), Command::IsReady.into(), Command::Quit.into()];
        assert_eq!(read(b"uci\r\n\n  \nisready\nquit"), wanted);
        assert_eq!(read(b"uci\nisready\nquit\n"), wanted);
        assert_eq!(read(b""), vec![]);
        assert_eq!(read(b"\n\n"), vec![]);
    }

    #[test]
    fn a_line_that_is_too_long_is_one_complaint() {
        let mut input = vec![b'x'; 1_000_000];
        input.extend(b"\nuci\n");
        let lines = read(&input);
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0], Parsed::complaint("line ignored: 1000000 bytes, the limit is 262144"));
        assert_eq!(lines[1], Command::Uci.into());
        // The limit itself is allowed.
        let mut input = vec![b' '; MAX_LINE - 3];
        input.extend(b"uci");
        assert_eq!(read(&input), vec![Command::Uci.into()]);
        input.push(b' ');
        assert!(read(&input)[0].complaint.is_some());
    }

    #[test]
    fn the_longest_game_fits() {
        let mut line = "position startpos moves".to_owned();
        for _ in 0..2949 {
            line.push_str(" g1f3 g8f6 f3g1 f6g8");
        }
        match &read(line.as_bytes())[..] {
            [Parsed { command: Some(Command::Position(placement)), complaint: None }] => {
                assert_eq!(placement.moves.len(), 11_796);
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_error_is_the_end() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
        }
        assert_eq!(spawn(Broken, Output::new(io::sink())).unwrap().iter().count(), 0);
    }
}
