//! One table: a file in memory, and where in it everything is.

use std::io;
use std::path::Path;

use memmap2::Mmap;

use super::Wdl;
use super::encoding::Encoding;
use super::material::Material;
use super::pairs::Pairs;
use crate::position::{Color, Position};
use crate::regular_file;

/// Every file is a multiple of 64 bytes and 16 bytes of checksum.
const CHECKSUM: usize = 16;

/// The bits of a table's first byte: both sides to move are in it; there are pawns.
const BOTH_SIDES: u8 = 1;
const PAWNS: u8 = 2;

/// The bits of a DTZ part's flags: Black is to move; the values are numbers of a list, whose entries have 16 bits; the list for
/// wins, and that for losses, count plies and not moves.
const BLACK_TO_MOVE: u8 = 1;
const LISTED: u8 = 2;
const WIN_PLIES: u8 = 4;
const LOSS_PLIES: u8 = 8;
const WIDE: u8 = 16;

/// Why a file is not used.
#[derive(Debug, thiserror::Error)]
pub enum TableFault {
    /// It cannot be read.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// Its size is none that a table has: it was cut off, or is something else.
    #[error("is truncated, or no table: {0} bytes")]
    Size(u64),
    /// It does not begin as a table of its kind does.
    #[error("is no such table: it begins differently")]
    Magic,
    /// Its parts do not fit together.
    #[error("is damaged: something is wrong with {0}")]
    Layout(&'static str),
}

/// The kind of a table.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Wdl,
    Dtz,
}

impl Kind {
    /// The extension of its files.
    pub(super) const fn extension(self) -> &'static str {
        match self {
            Kind::Wdl => "rtbw",
            Kind::Dtz => "rtbz",
        }
    }

    const fn magic(self) -> [u8; 4] {
        match self {
            Kind::Wdl => [0x71, 0xe8, 0x23, 0x5d],
            Kind::Dtz => [0xd7, 0x66, 0x0c, 0xa5],
        }
    }
}

/// The positions of one leading pawn's file (of all, without pawns) with one side to move.
#[derive(Debug)]
struct Part {
    encoding: Encoding,
    pairs: Pairs,
}

/// A table.
#[derive(Debug)]
pub(super) struct TableFile {
    map: Mmap,
    material: Material,
    /// By the leading pawn's file and, of WDL tables that are not symmetric, the side to move.
    parts: Vec<Vec<Part>>,
    /// Of DTZ tables, by the leading pawn's file: where the lists of values begin, by what the position is.
    lists: Vec<[usize; 4]>,
}

/// The layout of a file.
struct Layout {
    parts: Vec<Vec<Part>>,
    lists: Vec<[usize; 4]>,
}

/// The DTZ result of a position.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Dtz {
    /// Plies to the next capture or pawn move, without its sign, less one.
    Plies(i32),
    /// It has only the positions with the other side to move.
    OtherSide,
}

impl TableFile {
    /// Opens the table for `material` at `path` and checks that its parts fit together and end where it does.
    pub(super) fn open(path: &Path, material: Material, kind: Kind) -> Result<TableFile, TableFault> {
        let file = regular_file::open(path)?;
        let length = file.metadata()?.len();
        if length < 64 || length % 64 != CHECKSUM as u64 {
            return Err(TableFault::Size(length));
        }
        // SAFETY: the mapping is read-only and only read as bytes. Another process that writes to the file could change them under us:
        // what is read is checked as it is read, and none of it is relied on for safety. Who truncates a table in use ends the program.
        let map = unsafe { Mmap::map(&file)? };
        // A hint: probes go anywhere. Whether it is taken does not matter.
        #[cfg(unix)]
        let _ = map.advise(memmap2::Advice::Random);
        let Layout { parts, lists } = layout(&map, &material, kind)?;
        Ok(TableFile { map, material, parts, lists })
    }

    /// Win, draw or loss, where no capture is better. `None` where the file makes no sense.
    pub(super) fn wdl(&self, position: &Position, mirrored: bool) -> Option<Wdl> {
        let (part, squares, _) = self.find(position, mirrored)?;
        let value = part.pairs.value(&self.map, part.encoding.index(squares))?;
        Wdl::from_tt(value & 0xff)
    }

    /// The distance to a capture or pawn move in a position that is `wdl` for the side to move. `None` where the file makes no sense.
    pub(super) fn dtz(&self, position: &Position, mirrored: bool, wdl: Wdl) -> Option<Dtz> {
        let (part, squares, column) = self.find(position, mirrored)?;
        let flags = part.pairs.flags;
        if !self.material.is_symmetric() && flags & BLACK_TO_MOVE != u8::from(self.side(position, mirrored)) {
            return Some(Dtz::OtherSide);
        }
        let mut value = part.pairs.value(&self.map, part.encoding.index(squares))?;
        if flags & LISTED != 0 {
            let list = match wdl {
                Wdl::Win | Wdl::Draw => 0,
                Wdl::Loss => 1,
                Wdl::CursedWin => 2,
                Wdl::BlessedLoss => 3,
            };
            let start = *self.lists.get(column)?.get(list)?;
            value = if flags & WIDE != 0 {
                let at = start + 2 * usize::from(value);
                u16::from_le_bytes(self.map.get(at..at + 2)?.try_into().ok()?)
            } else {
                u16::from(*self.map.get(start + usize::from(value))?)
            };
        }
        let in_plies = match wdl {
            Wdl::Win => flags & WIN_PLIES != 0,
            Wdl::Loss => flags & LOSS_PLIES != 0,
            Wdl::Draw | Wdl::CursedWin | Wdl::BlessedLoss => false,
        };
        Some(Dtz::Plies(i32::from(value) * if in_plies { 1 } else { 2 }))
    }

    /// True if the side to move is the table's Black. A symmetric table knows only White to move.
    fn side(&self, position: &Position, mirrored: bool) -> bool {
        !self.material.is_symmetric() && (position.side_to_move() == Color::Black) != mirrored
    }

    /// The part that a position is in, its squares there, and the file of the leading pawn. `mirrored`: White has what the table's Black has.
    fn find(&self, position: &Position, mirrored: bool) -> Option<(&Part, super::encoding::Squares, usize)> {
        let flip = if self.material.is_symmetric() { position.side_to_move() == Color::Black } else { mirrored };
        let any = &self.parts.first()?.first()?.encoding;
        let column = any.leading_file(&any.squares(position, flip));
        let sides = self.parts.get(column)?;
        // A DTZ table has one side only.
        let side = if sides.len() > 1 { usize::from(self.side(position, mirrored)) } else { 0 };
        let part = sides.get(side)?;
        Some((part, part.encoding.squares(position, flip), column))
    }
}

/// The parts of a file and, of a DTZ table, where the lists of its values begin.
fn layout(bytes: &[u8], material: &Material, kind: Kind) -> Result<Layout, TableFault> {
    let mut reader = Reader { bytes, at: 0 };
    if reader.take(4)? != kind.magic() {
        return Err(TableFault::Magic);
    }
    let flags = reader.u8()?;
    let both_sides = kind == Kind::Wdl && flags & BOTH_SIDES != 0;
    if (flags & PAWNS != 0) != material.has_pawns() || kind == Kind::Wdl && both_sides == material.is_symmetric() {
        return Err(TableFault::Layout("its first byte"));
    }
    let columns = if material.has_pawns() { 4 } else { 1 };
    let sides = if both_sides { 2 } else { 1 };

    let mut encodings = Vec::new();
    for column in 0..columns {
        encodings.push(read_encodings(&mut reader, material, column, sides)?);
    }
    reader.align(2)?;
    let mut parts: Vec<Vec<Part>> = Vec::new();
    for encodings in encodings {
        let with_pairs = |encoding: Encoding| {
            let pairs = Pairs::read(&mut reader, encoding.size())?;
            Ok(Part { encoding, pairs })
        };
        parts.push(encodings.into_iter().map(with_pairs).collect::<Result<_, TableFault>>()?);
    }
    let mut lists = Vec::new();
    if kind == Kind::Dtz {
        for sides in &parts {
            lists.push(read_lists(&mut reader, sides.first().map_or(0, |part| part.pairs.flags))?);
        }
        reader.align(2)?;
    }
    let mut each = |place: fn(&mut Pairs, &mut Reader<'_>) -> Result<(), TableFault>| {
        parts.iter_mut().flatten().try_for_each(|part| place(&mut part.pairs, &mut reader))
    };
    each(Pairs::place_sparse_index)?;
    each(Pairs::place_lengths)?;
    each(Pairs::place_blocks)?;
    reader.align(64).ok();
    if reader.position() + CHECKSUM != bytes.len() {
        return Err(TableFault::Layout("its length"));
    }
    Ok(Layout { parts, lists })
}

/// The pieces in their order, for each side to move.
fn read_encodings(
    reader: &mut Reader<'_>,
    material: &Material,
    column: usize,
    sides: usize,
) -> Result<Vec<Encoding>, TableFault> {
    let pawns_on_both =
        [material, &material.mirrored()].iter().all(|m| m.count(Color::White, crate::position::Piece::Pawn) > 0);
    let order = [reader.u8()?, if pawns_on_both { reader.u8()? } else { 0xff }];
    let pieces = reader.take(material.men())?;
    (0..sides)
        .map(|side| {
            let nibble = |byte: u8| byte >> (4 * side) & 15;
            let pieces: Vec<u8> = pieces.iter().copied().map(nibble).collect();
            Encoding::new(material, &pieces, order.map(nibble), column).ok_or(TableFault::Layout("its pieces"))
        })
        .collect()
}

/// Where the four lists of a DTZ part begin: those for wins, losses, cursed wins and blessed losses.
fn read_lists(reader: &mut Reader<'_>, flags: u8) -> Result<[usize; 4], TableFault> {
    let mut starts = [0; 4];
    if flags & LISTED == 0 {
        return Ok(starts);
    }
    if flags & WIDE != 0 {
        reader.align(2)?;
    }
    for start in &mut starts {
        let (width, length) =
            if flags & WIDE != 0 { (2, usize::from(reader.u16()?)) } else { (1, usize::from(reader.u8()?)) };
        *start = reader.position();
        reader.skip(width, length)?;
    }
    Ok(starts)
}

/// Reads a file from the front; the end of it is an error.
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// Where it is.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// The next bytes.
    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], TableFault> {
        let end = self.at.checked_add(count).ok_or(TableFault::Layout("its length"))?;
        let taken = self.bytes.get(self.at..end).ok_or(TableFault::Layout("its length"))?;
        self.at = end;
        Ok(taken)
    }

    /// Passes over `count` things of `width` bytes.
    pub(super) fn skip(&mut self, width: usize, count: usize) -> Result<(), TableFault> {
        let bytes = width.checked_mul(count).ok_or(TableFault::Layout("its length"))?;
        self.take(bytes).map(drop)
    }

    /// Goes on to a multiple of `unit`.
    pub(super) fn align(&mut self, unit: usize) -> Result<(), TableFault> {
        self.skip(1, self.at.next_multiple_of(unit) - self.at)
    }

    pub(super) fn u8(&mut self) -> Result<u8, TableFault> {
        Ok(self.take(1)?[0])
    }

    pub(super) fn u16(&mut self) -> Result<u16, TableFault> {
        let bytes = self.take(2)?;
        Ok(u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    pub(super) fn u32(&mut self) -> Result<u32, TableFault> {
        let bytes = self.take(4)?;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }
}
