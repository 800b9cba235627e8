//! A memory-mapped table file and its layout.

use std::io;
use std::path::Path;

use memmap2::Mmap;

use super::Wdl;
use super::encoding::Encoding;
use super::material::Material;
use super::pairs::PairsData;
use crate::position::{Color, Position};

/// Follows a multiple of 64 bytes.
const CHECKSUM: usize = 16;

/// Table flag: separate values for White and Black to move.
const SPLIT: u8 = 1;
/// Table flag: the material includes pawns.
const PAWNS: u8 = 2;

/// DTZ flag: the values are those with Black to move.
const BLACK_TO_MOVE: u8 = 1;
/// DTZ flag: the values are indices into maps.
const MAPPED: u8 = 2;
/// DTZ flag: wins count plies, not moves.
const WIN_PLIES: u8 = 4;
/// DTZ flag: losses count plies, not moves.
const LOSS_PLIES: u8 = 8;
/// DTZ flag: the entries of the maps have 16 bits, not 8.
const WIDE_MAP: u8 = 16;

#[derive(Debug, thiserror::Error)]
pub enum SyzygyFileError {
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    #[error("is truncated or not a Syzygy table: {0} bytes")]
    Size(u64),
    #[error("is not a Syzygy table of this kind: wrong magic number")]
    Magic,
    #[error("is damaged: invalid {0}")]
    Layout(&'static str),
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum TableKind {
    Wdl,
    Dtz,
}

impl TableKind {
    pub(super) const fn extension(self) -> &'static str {
        match self {
            TableKind::Wdl => "rtbw",
            TableKind::Dtz => "rtbz",
        }
    }

    const fn magic(self) -> [u8; 4] {
        match self {
            TableKind::Wdl => [0x71, 0xe8, 0x23, 0x5d],
            TableKind::Dtz => [0xd7, 0x66, 0x0c, 0xa5],
        }
    }
}

/// Positions with one file of the leading pawn (all files, without pawns) and one side to move.
#[derive(Debug)]
struct Part {
    encoding: Encoding,
    pairs: PairsData,
}

#[derive(Debug)]
pub(super) struct TableFile {
    mmap: Mmap,
    material: Material,
    /// By the leading pawn's file and, in a WDL table of asymmetric material, the side to move.
    parts: Vec<Vec<Part>>,
    /// Offsets of the maps from stored values to distances, by the leading pawn's file and the WDL class.
    dtz_maps: Vec<[usize; 4]>,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum DtzProbe {
    /// To the next capture or pawn move, minus one, unsigned.
    Plies(i32),
    /// The table stores only positions with the other side to move.
    OtherSide,
}

impl TableFile {
    /// Checks that the layout fits the length.
    pub(super) fn open(path: &Path, material: Material, kind: TableKind) -> Result<TableFile, SyzygyFileError> {
        let file = sesame_files::open(path)?;
        let length = file.metadata()?.len();
        if length < 64 || length % 64 != CHECKSUM as u64 {
            return Err(SyzygyFileError::Size(length));
        }
        // SAFETY: the mapping is read-only and only read as bytes. Another process that writes to the file
        // could change the bytes: every value is checked when it is read, and safety relies on none. Truncation
        // of a table in use ends the program with a signal.
        let mmap = unsafe { Mmap::map(&file)? };
        // A hint that may fail: probes are random accesses.
        #[cfg(unix)]
        let _ = mmap.advise(memmap2::Advice::Random);
        let (parts, dtz_maps) = layout(&mmap, &material, kind)?;
        Ok(TableFile { mmap, material, parts, dtz_maps })
    }

    /// Valid if no capture is better; `None` for inconsistent data.
    pub(super) fn wdl(&self, position: &Position, mirrored: bool) -> Option<Wdl> {
        let (part, squares, _) = self.find(position, mirrored)?;
        let value = part.pairs.value(&self.mmap, part.encoding.index(squares))?;
        Wdl::from_table(value & 0xff)
    }

    /// `None` for inconsistent data.
    pub(super) fn dtz(&self, position: &Position, mirrored: bool, wdl: Wdl) -> Option<DtzProbe> {
        let (part, squares, column) = self.find(position, mirrored)?;
        let flags = part.pairs.flags;
        if !self.material.is_symmetric() && flags & BLACK_TO_MOVE != u8::from(self.black_to_move(position, mirrored)) {
            return Some(DtzProbe::OtherSide);
        }
        let mut value = part.pairs.value(&self.mmap, part.encoding.index(squares))?;
        if flags & MAPPED != 0 {
            let class = match wdl {
                Wdl::Win | Wdl::Draw => 0,
                Wdl::Loss => 1,
                Wdl::CursedWin => 2,
                Wdl::BlessedLoss => 3,
            };
            let start = *self.dtz_maps.get(column)?.get(class)?;
            value = if flags & WIDE_MAP != 0 {
                let at = start + 2 * usize::from(value);
                u16::from_le_bytes(self.mmap.get(at..at + 2)?.try_into().ok()?)
            } else {
                u16::from(*self.mmap.get(start + usize::from(value))?)
            };
        }
        let in_plies = match wdl {
            Wdl::Win => flags & WIN_PLIES != 0,
            Wdl::Loss => flags & LOSS_PLIES != 0,
            Wdl::Draw | Wdl::CursedWin | Wdl::BlessedLoss => false,
        };
        Some(DtzProbe::Plies(i32::from(value) * if in_plies { 1 } else { 2 }))
    }

    /// True if the side to move is the table's Black. Tables of symmetric material have White to move only.
    fn black_to_move(&self, position: &Position, mirrored: bool) -> bool {
        !self.material.is_symmetric() && (position.side_to_move() == Color::Black) != mirrored
    }

    /// Also returns the file of the leading pawn. With `mirrored`, White has the pieces of the table's Black.
    fn find(&self, position: &Position, mirrored: bool) -> Option<(&Part, super::encoding::Squares, usize)> {
        let flip = if self.material.is_symmetric() { position.side_to_move() == Color::Black } else { mirrored };
        let any = &self.parts.first()?.first()?.encoding;
        let column = any.leading_file(&any.squares(position, flip));
        let sides = self.parts.get(column)?;
        // A DTZ table has one side to move only.
        let side = if sides.len() > 1 { usize::from(self.black_to_move(position, mirrored)) } else { 0 };
        let part = sides.get(side)?;
        Some((part, part.encoding.squares(position, flip), column))
    }
}

/// See [`TableFile`].
type Layout = (Vec<Vec<Part>>, Vec<[usize; 4]>);

fn layout(bytes: &[u8], material: &Material, kind: TableKind) -> Result<Layout, SyzygyFileError> {
    let mut reader = ByteReader { bytes, at: 0 };
    if reader.take(4)? != kind.magic() {
        return Err(SyzygyFileError::Magic);
    }
    let flags = reader.u8()?;
    let split = kind == TableKind::Wdl && flags & SPLIT != 0;
    if (flags & PAWNS != 0) != material.has_pawns() || kind == TableKind::Wdl && split == material.is_symmetric() {
        return Err(SyzygyFileError::Layout("first byte"));
    }
    let columns = if material.has_pawns() { 4 } else { 1 };
    let sides = if split { 2 } else { 1 };

    let mut encodings = Vec::new();
    for column in 0..columns {
        encodings.push(read_encodings(&mut reader, material, column, sides)?);
    }
    reader.align(2)?;
    let mut parts: Vec<Vec<Part>> = Vec::new();
    for encodings in encodings {
        let with_pairs = |encoding: Encoding| {
            let pairs = PairsData::read(&mut reader, encoding.size())?;
            Ok(Part { encoding, pairs })
        };
        parts.push(encodings.into_iter().map(with_pairs).collect::<Result<_, SyzygyFileError>>()?);
    }
    let mut dtz_maps = Vec::new();
    if kind == TableKind::Dtz {
        for sides in &parts {
            dtz_maps.push(read_dtz_maps(&mut reader, sides.first().map_or(0, |part| part.pairs.flags))?);
        }
        reader.align(2)?;
    }
    let mut each = |place: fn(&mut PairsData, &mut ByteReader<'_>) -> Result<(), SyzygyFileError>| {
        parts.iter_mut().flatten().try_for_each(|part| place(&mut part.pairs, &mut reader))
    };
    each(PairsData::place_sparse_index)?;
    each(PairsData::place_block_lengths)?;
    each(PairsData::place_blocks)?;
    reader.align(64).ok();
    if reader.position() + CHECKSUM != bytes.len() {
        return Err(SyzygyFileError::Layout("length"));
    }
    Ok((parts, dtz_maps))
}

fn read_encodings(
    reader: &mut ByteReader<'_>,
    material: &Material,
    column: usize,
    sides: usize,
) -> Result<Vec<Encoding>, SyzygyFileError> {
    let pawns_on_both =
        [material, &material.mirrored()].iter().all(|m| m.count(Color::White, crate::position::Piece::Pawn) > 0);
    let order = [reader.u8()?, if pawns_on_both { reader.u8()? } else { 0xff }];
    let pieces = reader.take(material.piece_count())?;
    (0..sides)
        .map(|side| {
            let nibble = |byte: u8| byte >> (4 * side) & 15;
            let pieces: Vec<u8> = pieces.iter().copied().map(nibble).collect();
            Encoding::new(material, &pieces, order.map(nibble), column).ok_or(SyzygyFileError::Layout("pieces"))
        })
        .collect()
}

/// Wins, losses, cursed wins and blessed losses.
fn read_dtz_maps(reader: &mut ByteReader<'_>, flags: u8) -> Result<[usize; 4], SyzygyFileError> {
    let mut starts = [0; 4];
    if flags & MAPPED == 0 {
        return Ok(starts);
    }
    if flags & WIDE_MAP != 0 {
        reader.align(2)?;
    }
    for start in &mut starts {
        let (width, length) =
            if flags & WIDE_MAP != 0 { (2, usize::from(reader.u16()?)) } else { (1, usize::from(reader.u8()?)) };
        *start = reader.position();
        reader.skip(width, length)?;
    }
    Ok(starts)
}

/// The end of the bytes is an error.
pub(super) struct ByteReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> ByteReader<'a> {
    pub(super) fn position(&self) -> usize {
        self.at
    }

    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], SyzygyFileError> {
        let end = self.at.checked_add(count).ok_or(SyzygyFileError::Layout("length"))?;
        let taken = self.bytes.get(self.at..end).ok_or(SyzygyFileError::Layout("length"))?;
        self.at = end;
        Ok(taken)
    }

    pub(super) fn skip(&mut self, width: usize, count: usize) -> Result<(), SyzygyFileError> {
        let bytes = width.checked_mul(count).ok_or(SyzygyFileError::Layout("length"))?;
        self.take(bytes).map(drop)
    }

    pub(super) fn align(&mut self, unit: usize) -> Result<(), SyzygyFileError> {
        self.skip(1, self.at.next_multiple_of(unit) - self.at)
    }

    pub(super) fn u8(&mut self) -> Result<u8, SyzygyFileError> {
        Ok(self.take(1)?[0])
    }

    pub(super) fn u16(&mut self) -> Result<u16, SyzygyFileError> {
        let bytes = self.take(2)?;
        Ok(u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    pub(super) fn u32(&mut self) -> Result<u32, SyzygyFileError> {
        let bytes = self.take(4)?;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }
}
