//! A memory-mapped table file and its layout.

use std::path::Path;

use memmap2::Mmap;

use super::Wdl;
use super::encoding::{Encoding, Squares};
use super::material::Material;
use super::pairs::{PairsData, Section};
use super::reader::{ByteReader, SyzygyFileError, bytes_at};
use crate::position::{Color, Piece, Position};

const CHECKSUM: usize = 16;

// Flags of a table.
/// Separate values for White and Black to move.
const SPLIT: u8 = 1;
const PAWNS: u8 = 2;

// Flags of a part of a DTZ table.
const BLACK_TO_MOVE: u8 = 1;
/// The values are indices into maps.
const MAPPED: u8 = 2;
/// Wins count plies, not moves.
const WIN_PLIES: u8 = 4;
const LOSS_PLIES: u8 = 8;
/// The entries of the maps have 16 bits, not 8.
const WIDE_MAP: u8 = 16;

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
    /// The leading pawn's file; in a WDL table of asymmetric material, the side to move.
    parts: Vec<Vec<Part>>,
    /// The leading pawn's file, the WDL class: offset of the map from stored values to distances.
    dtz_maps: Vec<[usize; 4]>,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum DtzProbe {
    /// Plies to the next capture or pawn move, minus one, unsigned.
    Plies(i32),
    /// The table stores only positions with the other side to move.
    OtherSide,
}

impl TableFile {
    pub(super) fn open(path: &Path, material: Material, kind: TableKind) -> Result<TableFile, SyzygyFileError> {
        let file = sesame_files::open(path)?;
        let length = file.metadata()?.len();
        if length < 64 || length % 64 != CHECKSUM as u64 {
            return Err(SyzygyFileError::Size(length));
        }
        // SAFETY: nobody may change the file while it is mapped. Sesame never does, and docs/users/syzygy.md asks the same of the user: no
        // system enforces it. Every access is bounds-checked, so wrong bytes alone are harmless. A write by another process is a data race
        // all the same, and truncation ends the program with a signal.
        let mmap = unsafe { Mmap::map(&file)? };
        // A hint that may fail: probes are random accesses.
        #[cfg(unix)]
        let _ = mmap.advise(memmap2::Advice::Random);
        let (parts, dtz_maps) = layout(&mmap, &material, kind)?;
        Ok(TableFile { mmap, material, parts, dtz_maps })
    }

    /// The value is valid if no capture is better. Inconsistent data give `None`.
    pub(super) fn wdl(&self, position: &Position, mirrored: bool) -> Option<Wdl> {
        let (part, squares, _) = self.find(position, mirrored)?;
        let value = part.pairs.value(&self.mmap, part.encoding.index(squares))?;
        Wdl::from_table(value & 0xff)
    }

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
                u16::from_le_bytes(bytes_at(&self.mmap, start + 2 * usize::from(value))?)
            } else {
                u16::from(*self.mmap.get(start + usize::from(value))?)
            };
        }
        let in_plies = wdl == Wdl::Win && flags & WIN_PLIES != 0 || wdl == Wdl::Loss && flags & LOSS_PLIES != 0;
        Some(DtzProbe::Plies(i32::from(value) * if in_plies { 1 } else { 2 }))
    }

    /// Tables of symmetric material have White to move only.
    fn black_to_move(&self, position: &Position, mirrored: bool) -> bool {
        !self.material.is_symmetric() && (position.side_to_move() == Color::Black) != mirrored
    }

    /// Also returns the file of the leading pawn. With `mirrored`, White has the pieces of the table's Black.
    fn find(&self, position: &Position, mirrored: bool) -> Option<(&Part, Squares, usize)> {
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

type Layout = (Vec<Vec<Part>>, Vec<[usize; 4]>);

fn layout(bytes: &[u8], material: &Material, kind: TableKind) -> Result<Layout, SyzygyFileError> {
    let mut reader = ByteReader::new(bytes);
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

    let encodings = (0..columns).map(|column| read_encodings(&mut reader, material, column, sides));
    let encodings = encodings.collect::<Result<Vec<_>, _>>()?;
    reader.align(2)?;
    let mut with_pairs = |encoding: Encoding| {
        let pairs = PairsData::read(&mut reader, encoding.size())?;
        Ok(Part { encoding, pairs })
    };
    let parts = encodings.into_iter().map(|sides| sides.into_iter().map(&mut with_pairs).collect());
    let mut parts = parts.collect::<Result<Vec<Vec<Part>>, SyzygyFileError>>()?;
    let mut dtz_maps = Vec::new();
    if kind == TableKind::Dtz {
        for sides in &parts {
            dtz_maps.push(read_dtz_maps(&mut reader, sides.first().map_or(0, |part| part.pairs.flags))?);
        }
        reader.align(2)?;
    }
    for section in [Section::SparseIndex, Section::BlockLengths, Section::Blocks] {
        parts.iter_mut().flatten().try_for_each(|part| part.pairs.place(section, &mut reader))?;
    }
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
    let pawns_on_both = Color::ALL.into_iter().all(|color| material.count(color, Piece::Pawn) > 0);
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
