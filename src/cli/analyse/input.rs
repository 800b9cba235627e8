//! Input files of an analysis: names and folders; plain or compressed text in UTF-8, Windows-1252 or UTF-16.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::mem;
use std::path::{Path, PathBuf};

use flate2::bufread::GzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use crate::games::{Content, decode, read_whole};
use sesame_command::{CommandError, print_status};

const SAMPLE: u64 = 4096;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    Epd,
    Pgn,
}

impl FileKind {
    pub(super) fn of(path: &Path) -> Option<FileKind> {
        let extension = |path: &Path| Some(path.extension()?.to_str()?.to_ascii_lowercase());
        let last = extension(path)?;
        let kind = if ["gz", "zst"].contains(&last.as_str()) { extension(&path.with_extension(""))? } else { last };
        match kind.as_str() {
            "epd" => Some(FileKind::Epd),
            "pgn" => Some(FileKind::Pgn),
            _ => None,
        }
    }
}

/// Replaces folders by their files of this kind, or of any, in order by name. Fails if a folder has no such file.
pub(super) fn all_files(paths: &[PathBuf], kind: Option<FileKind>) -> Result<Vec<PathBuf>, CommandError> {
    let mut all = Vec::new();
    for path in paths {
        if !path.is_dir() {
            all.push(path.clone());
            continue;
        }
        let entries = fs::read_dir(path).and_then(Iterator::collect::<io::Result<Vec<_>>>).map_err(at(path))?;
        let is_wanted = |file: &PathBuf| {
            FileKind::of(file).is_some_and(|found| kind.is_none_or(|kind| kind == found)) && file.is_file()
        };
        let mut files: Vec<PathBuf> = entries.iter().map(fs::DirEntry::path).filter(is_wanted).collect();
        if files.is_empty() {
            let wanted = match kind {
                None => ".pgn or .epd",
                Some(FileKind::Epd) => ".epd",
                Some(FileKind::Pgn) => ".pgn",
            };
            return Err(CommandError::Failed(format!("{} has no file that ends in {wanted}", path.display())));
        }
        files.sort();
        all.append(&mut files);
    }
    Ok(all)
}

pub(super) fn at(path: &Path) -> impl Fn(io::Error) -> CommandError + '_ {
    |error| CommandError::Failed(format!("{}: {error}", path.display()))
}

/// Reports files that cannot be used, and returns their number. Fails if no file can be used.
pub(super) fn open_all<T>(
    paths: &[PathBuf],
    mut open: impl FnMut(&Path) -> Result<T, CommandError>,
) -> Result<(Vec<T>, u64), CommandError> {
    let (mut files, mut bad) = (Vec::new(), 0);
    for path in paths {
        match open(path) {
            Ok(file) => files.push(file),
            Err(error) if paths.len() == 1 => return Err(error),
            Err(error) => {
                bad += 1;
                print_status(&error.to_string());
            }
        }
    }
    if files.is_empty() {
        return Err(CommandError::failed("none of the files can be used"));
    }
    Ok((files, bad))
}

pub(super) struct Text {
    pub(super) reader: Box<dyn BufRead>,
    /// `None` if the text is compressed, converted or from a pipe.
    pub(super) size: Option<u64>,
}

impl Text {
    /// `-` is the standard input. Fails for content that is no text.
    pub(super) fn open(path: &Path) -> Result<Text, CommandError> {
        let (content, reader, size) = open(path).map_err(at(path))?;
        match content {
            Content::Text => Ok(Text { reader, size }),
            Content::Utf16 => {
                let bytes = read_whole(reader).map_err(at(path))?;
                Ok(Text { reader: Box::new(Cursor::new(from_utf16(&bytes))), size: None })
            }
            other => {
                let (path, name) = (path.display(), other.name());
                Err(CommandError::Failed(format!("{path} is {name}, not a text of games or positions")))
            }
        }
    }

    /// Returns the size of a usable text. A pipe is not opened: that works once only. Descriptors count as pipes: on some
    /// systems, opening `/dev/stdin` or `/dev/fd/0` goes on where another reader stopped, also in a regular file.
    pub(super) fn check(path: &Path) -> Result<Option<u64>, CommandError> {
        let is_descriptor =
            ["-", "/dev/stdin"].iter().any(|name| path == Path::new(name)) || path.starts_with("/dev/fd");
        let is_pipe = is_descriptor || path.metadata().is_ok_and(|metadata| !metadata.is_file());
        if is_pipe { Ok(None) } else { Text::open(path).map(|text| text.size) }
    }

    /// At most 256 MiB.
    pub(super) fn whole(self) -> io::Result<String> {
        read_whole(self.reader).map(decode)
    }
}

fn open(path: &Path) -> io::Result<(Content, Box<dyn BufRead>, Option<u64>)> {
    let (bytes, size): (Box<dyn Read>, _) = if path == Path::new("-") {
        (Box::new(io::stdin().lock()), None)
    } else {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        (Box::new(file), metadata.is_file().then_some(metadata.len()))
    };
    let (content, reader) = sample(bytes)?;
    let decoder: Box<dyn Read> = match content {
        Content::Gzip => Box::new(GzipReader(GzDecoder::new(reader))),
        Content::Zstd => Box::new(ZstdReader::new(reader)),
        _ => return Ok((content, reader, size)),
    };
    let (content, reader) = sample(decoder)?;
    Ok((content, reader, None))
}

/// Recognises a stream by its beginning, and returns it whole.
fn sample(mut bytes: Box<dyn Read>) -> io::Result<(Content, Box<dyn BufRead>)> {
    let mut start = Vec::new();
    match bytes.by_ref().take(SAMPLE).read_to_end(&mut start) {
        Err(error) if start.is_empty() => return Err(error),
        // A damaged end is reported when the games before it have been read.
        Err(error) => bytes = Box::new(Failure(Some(error))),
        Ok(_) => {}
    }
    let content = Content::of(&start);
    Ok((content, Box::new(BufReader::with_capacity(1 << 16, Cursor::new(start).chain(bytes)))))
}

struct Failure(Option<io::Error>);

impl Read for Failure {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// Needs the byte order mark.
fn from_utf16(bytes: &[u8]) -> String {
    let decode = if bytes.starts_with(&[0xFE, 0xFF]) { u16::from_be_bytes } else { u16::from_le_bytes };
    let (pairs, _) = bytes.as_chunks::<2>();
    let units = pairs.iter().skip(1).map(|&pair| decode(pair));
    char::decode_utf16(units).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// Skips zeros, with which tapes and devices fill their blocks. Returns false at the end.
fn skip_padding(input: &mut impl BufRead) -> io::Result<bool> {
    loop {
        let buffer = input.fill_buf()?;
        let (zeros, length) = (buffer.iter().take_while(|&&byte| byte == 0).count(), buffer.len());
        input.consume(zeros);
        if zeros < length || length == 0 {
            return Ok(length > 0);
        }
    }
}

/// Reads all members of the file as one text, and skips zeros behind the last.
struct GzipReader(GzDecoder<Box<dyn BufRead>>);

impl Read for GzipReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.0.read(buffer)?;
            if count > 0 || buffer.is_empty() || !skip_padding(self.0.get_mut())? {
                return Ok(count);
            }
            let input = mem::replace(self.0.get_mut(), Box::new(io::empty()));
            self.0 = GzDecoder::new(input);
        }
    }
}

/// Reads all frames and verifies their checksums.
struct ZstdReader<R> {
    input: R,
    frame: FrameDecoder,
}

impl<R: BufRead> ZstdReader<R> {
    fn new(input: R) -> Self {
        let mut frame = FrameDecoder::new();
        // ruzstd 0.8.3 limits the window from the second frame on: this is an empty first one.
        let mut empty = &b"\x28\xB5\x2F\xFD\x20\x00\x01\x00\x00"[..];
        let _ = frame.reset(&mut empty);
        let _ = frame.decode_blocks(&mut empty, BlockDecodingStrategy::All);
        Self { input, frame }
    }

    fn begin_frame(&mut self) -> io::Result<bool> {
        while skip_padding(&mut self.input)? {
            match self.frame.reset(&mut self.input) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    io::copy(&mut (&mut self.input).take(length.into()), &mut io::sink())?;
                }
                Err(error) => return Err(invalid(&error)),
            }
        }
        Ok(false)
    }
}

impl<R: BufRead> Read for ZstdReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.frame.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            if !self.frame.is_finished() {
                let block = BlockDecodingStrategy::UptoBlocks(1);
                self.frame.decode_blocks(&mut self.input, block).map_err(|error| invalid(&error))?;
                continue;
            }
            let expected = self.frame.get_checksum_from_data();
            if expected.is_some() && expected != self.frame.get_calculated_checksum() {
                return Err(io::Error::other("the checksum of the compressed data is wrong"));
            }
            if !self.begin_frame()? {
                return Ok(0);
            }
        }
    }
}

fn invalid(error: &FrameDecoderError) -> io::Error {
    io::Error::other(match error {
        FrameDecoderError::WindowSizeTooBig { requested } => format!(
            "it was compressed with a window of {} MiB, as by zstd --long; the limit is 100 MiB",
            requested >> 20
        ),
        FrameDecoderError::DictNotProvided { .. } => "it was compressed with a dictionary".to_owned(),
        _ => "the compressed data is damaged or cut off".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression as Level;
    use flate2::write::GzEncoder;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    const GAME: &str = "[White \"Ødegård\"]\n\n1. e4 e5 *\n";

    fn open(name: &str, bytes: &[u8]) -> Result<String, CommandError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        Text::open(&path)?.whole().map_err(CommandError::failed)
    }

    fn text(bytes: &[u8]) -> String {
        open("games.pgn", bytes).unwrap()
    }

    fn gzip(bytes: impl AsRef<[u8]>) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Level::fast());
        encoder.write_all(bytes.as_ref()).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(text: &str) -> Vec<u8> {
        compress_to_vec(text.as_bytes(), CompressionLevel::Fastest)
    }

    #[test]
    fn compressed_texts_are_read() {
        let long = GAME.repeat(10_000);
        for text_of in [GAME, &long] {
            assert_eq!(text(text_of.as_bytes()), text_of);
            assert_eq!(text(&gzip(text_of)), text_of);
            assert_eq!(text(&zstd(text_of)), text_of);
        }
        // Several members or frames, as parallel compressors write them.
        assert_eq!(text(&[gzip(GAME), gzip(GAME)].concat()), GAME.repeat(2));
        // Padded, as on a tape.
        for whole in [gzip(GAME), zstd(GAME)] {
            for zeros in [1, 100_000] {
                assert_eq!(text(&[&whole[..], &vec![0; zeros], &whole, &vec![0; zeros]].concat()), GAME.repeat(2));
            }
        }
        let skipped = [0x50, 0x2A, 0x4D, 0x18, 4, 0, 0, 0, 1, 2, 3, 4];
        assert_eq!(text(&[&skipped[..], &zstd(GAME), &skipped, &zstd(&long)].concat()), format!("{GAME}{long}"));
    }

    #[test]
    fn utf16_is_read() {
        for encode in [u16::to_le_bytes, u16::to_be_bytes] {
            let bytes: Vec<u8> = "\u{feff}".encode_utf16().chain(GAME.encode_utf16()).flat_map(encode).collect();
            assert_eq!(text(&bytes), GAME);
            assert_eq!(text(&gzip(&bytes)), GAME);
        }
    }

    #[test]
    fn damaged_and_binary_files_are_refused() {
        let error = |bytes: &[u8]| match open("games.pgn", bytes) {
            Err(CommandError::Failed(text)) => text,
            _ => panic!("{bytes:?} is read"),
        };
        let long = GAME.repeat(10_000);
        for whole in [gzip(&long), zstd(&long)] {
            let mut damaged = whole.clone();
            let middle = damaged.len() / 2;
            damaged.truncate(middle);
            error(&damaged);
            // The last bytes are a checksum.
            let mut wrong = whole;
            let last = wrong.pop().unwrap();
            wrong.push(last ^ 1);
            error(&wrong);
        }
        assert!(error(b"PK\x03\x04 and more").contains("is a zip archive, not a text of games"));
        let wide: Vec<u8> = GAME.encode_utf16().filter(|unit| *unit < 128).flat_map(u16::to_le_bytes).collect();
        assert!(error(&wide).contains("is UTF-16 without a byte order mark"));
        // A frame with a window of 128 MiB.
        assert!(error(&[0x28, 0xB5, 0x2F, 0xFD, 0, 17 << 3]).contains("a window of 128 MiB"));
        assert!(error(&(0..=255).collect::<Vec<u8>>()).contains("is binary"));
        // One control character, as in files of old programs, and none at all.
        assert_eq!(text(b"8/8/8/8/8/8/8/8 w - - bm Qb3\0\n"), "8/8/8/8/8/8/8/8 w - - bm Qb3\n");
        assert_eq!(text(b"id \"Gr\xFCnfeld\"\n"), "id \"Grünfeld\"\n");
        assert_eq!(text(b""), "");
    }

    #[cfg(unix)]
    #[test]
    fn descriptors_are_not_read_before_their_use() {
        use std::os::fd::AsRawFd;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        fs::write(&path, GAME).unwrap();
        assert_eq!(Text::check(&path).unwrap(), Some(GAME.len() as u64));
        let file = File::open(&path).unwrap();
        let descriptor = PathBuf::from(format!("/dev/fd/{}", file.as_raw_fd()));
        assert_eq!(Text::check(&descriptor).unwrap(), None);
        assert_eq!(Text::open(&descriptor).unwrap().whole().unwrap(), GAME);
    }

    #[test]
    fn folders_have_their_files() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.pgn", "a.PGN.gz", "c.epd.zst", "notes.txt", "x.gz"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let names = |kind| -> Vec<String> {
            let files = all_files(&[folder.path().to_owned()], kind).unwrap();
            files.iter().map(|file| file.file_name().unwrap().to_str().unwrap().to_owned()).collect()
        };
        assert_eq!(names(None), ["a.PGN.gz", "b.pgn", "c.epd.zst"]);
        assert_eq!(names(Some(FileKind::Epd)), ["c.epd.zst"]);
        let file = [folder.path().join("notes.txt")];
        assert_eq!(all_files(&file, None).unwrap(), file);
        let empty = folder.path().join("empty");
        fs::create_dir(&empty).unwrap();
        let error = all_files(&[empty], Some(FileKind::Pgn)).unwrap_err().to_string();
        assert!(error.ends_with("empty has no file that ends in .pgn"), "{error}");
    }
}
