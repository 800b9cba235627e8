//! Reader thread: reads and parses the input lines.
//!
//! The engine loop receives every command at once, whatever the search does. The end of the input or a read
//! error closes the channel.

use std::io::{self, BufRead, BufReader, Read};
use std::thread;

use crossbeam_channel::{self as channel, Receiver};

use super::parse::{UciCommand, ignored, parse};
use crate::output::Output;
use crate::smp::request_short_slices;

/// Bytes of the longest line. The longest possible game, 11,796 plies, takes less than 70,000.
pub(super) const MAX_LINE: usize = 1 << 18;

const QUEUE: usize = 64;

/// Ends with the input, or at the first line after the receiver is dropped. The thread opens and closes
/// the debug log of `output` exactly between two lines. It also tells `output` of `quit`: the engine loop may be blocked in a
/// write.
pub(super) fn spawn(input: impl Read + Send + 'static, output: Output) -> io::Result<Receiver<UciCommand>> {
    let (sender, receiver) = channel::bounded(QUEUE);
    thread::Builder::new().name("uci-reader".into()).spawn(move || {
        request_short_slices();
        let mut input = BufReader::new(input);
        let mut line = Vec::new();
        while let Some(length) = read_line(&mut input, &mut line, MAX_LINE) {
            if !commands_of(&line, length, &output).all(|command| sender.send(command).is_ok()) {
                return;
            }
        }
    })?;
    Ok(receiver)
}

/// Parses a line, of which `length` bytes were read, and writes it to the debug log of `output`.
pub(super) fn commands_of(line: &[u8], length: usize, output: &Output) -> impl Iterator<Item = UciCommand> + use<> {
    let logged = output.log_input(line);
    let mut commands = if length > MAX_LINE {
        ignored(line, format!("line ignored: {length} bytes, the limit is {MAX_LINE}"))
    } else {
        parse(line)
    };
    let mut switched = Ok(());
    commands.retain(|command| match command {
        UciCommand::Set(setting) => {
            let path = setting.debug_log_file();
            path.into_iter().for_each(|path| switched = output.open_debug_log(path));
            path.is_none()
        }
        UciCommand::Quit => {
            output.begin_shutdown();
            true
        }
        _ => true,
    });
    // The engine loop writes the messages: a write here could block and miss a `quit`.
    [logged, switched].into_iter().filter_map(Result::err).map(UciCommand::Warning).chain(commands)
}

/// Drops the line feed, and bytes beyond `max`. Returns the full length; `None` at the end of the input or after an error. The last
/// line needs no line feed: if it is too long, its length may lack a byte.
pub(crate) fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>, max: usize) -> Option<usize> {
    line.clear();
    let _ = input.by_ref().take(max as u64 + 1).read_until(b'\n', line);
    if line.pop_if(|last| *last == b'\n').is_some() {
        return Some(line.len());
    }
    let mut length = line.len();
    if length > max {
        line.truncate(max);
        length += input.skip_until(b'\n').unwrap_or(0).saturating_sub(1);
    }
    (length > 0).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(input: &[u8]) -> Vec<UciCommand> {
        spawn(io::Cursor::new(input.to_vec()), Output::new(io::sink())).unwrap().iter().collect()
    }

    #[test]
    fn last_line_needs_no_line_feed() {
        let wanted = [UciCommand::Uci, UciCommand::IsReady, UciCommand::Quit];
        assert_eq!(read(b"uci\r\n\n  \nisready\nquit"), wanted);
        assert_eq!(read(b"uci\nisready\nquit\n"), wanted);
        assert_eq!(read(b""), []);
        assert_eq!(read(b"\n\n"), []);
    }

    #[test]
    fn only_the_beginning_of_a_long_line_is_kept() {
        let mut line = Vec::new();
        for length in [7, 8, 9, 10, 24] {
            let text = format!("{}\nnext", "x".repeat(length));
            let mut input = text.as_bytes();
            assert_eq!(read_line(&mut input, &mut line, 8), Some(length));
            assert_eq!(line.len(), length.min(8));
            assert_eq!(read_line(&mut input, &mut line, 8), Some(4));
            assert_eq!(read_line(&mut input, &mut line, 8), None);
        }
    }

    #[test]
    fn too_long_lines_are_ignored_with_a_warning() {
        let mut input = vec![b' '; MAX_LINE - 3];
        input.extend(b"uci");
        assert_eq!(read(&input), [UciCommand::Uci]);
        input.extend(b" \nisready");
        let ignored = UciCommand::Warning("line ignored: 262145 bytes, the limit is 262144".to_owned());
        assert_eq!(read(&input), [ignored, UciCommand::IsReady]);
    }

    #[test]
    fn read_error_ends_the_input() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
        }
        assert_eq!(spawn(Broken, Output::new(io::sink())).unwrap().iter().count(), 0);
    }
}
