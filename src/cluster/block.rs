//! The block of bytes that each machine contributes to a round, and all receive.
//!
//! All numbers are little-endian. A block has a fixed size, so that a round is one collective call.

use crate::position::Move;
use crate::search::{RemoteEntry, TtEntry};
use crate::smp::{Bound, Line, Score};
use sesame_table::{Generation, Payload};

pub(super) const BLOCK_BYTES: usize = 8192;

/// The first bytes. Programs with other blocks have other ones, and do not meet: see the greeting in `transport.rs`.
pub(super) const BLOCK_FORMAT: u32 = 0x5e5a_0003;

/// Key, packed entry, work.
const ENTRY_BYTES: usize = 20;

/// In moves. Longer lines are cut.
const MAX_PV: usize = 64;

/// Bytes before the entries or the text.
const HEADER_BYTES: usize = 4 + 2 + 4 + 8 + 8 + 8 + 4 + 2 + LINE_BYTES;

/// Presence, depth, seldepth, kind of score, bound, score, number of moves, moves.
const LINE_BYTES: usize = 1 + 2 + 2 + 1 + 1 + 4 + 1 + 2 * MAX_PV;

pub(super) const MAX_TEXT: usize = BLOCK_BYTES - HEADER_BYTES;

pub(super) const MAX_ENTRIES: usize = MAX_TEXT / ENTRY_BYTES;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Load {
    /// Of the running search, at most [`MAX_ENTRIES`].
    Entries(Vec<RemoteEntry>),
    /// Lines for the followers, at most [`MAX_TEXT`] bytes: from the leader only.
    Text(Vec<u8>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    /// Of the leader: the running search. Of a follower: the last search that has ended there.
    pub(super) search: u32,
    /// Of the leader: the running search stops.
    pub(super) stops: bool,
    /// Of the leader: the session is over. Of a follower: its session has ended.
    pub(super) quits: bool,
    /// A follower's search has reached a limit of its own and waits for the leader.
    pub(super) is_finished: bool,
    /// Of network, keys and entries: see [`SearchLink::begin`](crate::smp::SearchLink::begin). 0 for none.
    pub(super) fingerprint: u64,
    /// Of this machine in the running search.
    pub(super) nodes: u64,
    /// Successful Syzygy probes of this machine in the running search.
    pub(super) tb_hits: u64,
    /// `readyok` answers of a follower so far.
    pub(super) ready: u32,
    /// A follower's best, of the search that has ended.
    pub(super) line: Option<Line>,
    pub(super) load: Load,
}

impl Default for Block {
    fn default() -> Self {
        let load = Load::Entries(Vec::new());
        Self {
            search: 0,
            stops: false,
            quits: false,
            is_finished: false,
            fingerprint: 0,
            nodes: 0,
            tb_hits: 0,
            ready: 0,
            line: None,
            load,
        }
    }
}

impl Block {
    /// `bytes` becomes [`BLOCK_BYTES`] long.
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        bytes.clear();
        bytes.extend(BLOCK_FORMAT.to_le_bytes());
        let is_text = matches!(self.load, Load::Text(_));
        let flags = u8::from(self.quits) | u8::from(self.is_finished) << 1 | u8::from(self.stops) << 2;
        bytes.extend([flags, u8::from(is_text)]);
        bytes.extend(self.search.to_le_bytes());
        bytes.extend(self.fingerprint.to_le_bytes());
        bytes.extend(self.nodes.to_le_bytes());
        bytes.extend(self.tb_hits.to_le_bytes());
        bytes.extend(self.ready.to_le_bytes());
        let length = match &self.load {
            Load::Entries(entries) => entries.len().min(MAX_ENTRIES),
            Load::Text(text) => text.len().min(MAX_TEXT),
        };
        bytes.extend((length as u16).to_le_bytes());
        write_line(self.line.as_ref(), bytes);
        bytes.resize(HEADER_BYTES, 0);
        match &self.load {
            Load::Entries(entries) => {
                for RemoteEntry { key, entry, work } in entries.iter().take(length) {
                    bytes.extend(key.to_le_bytes());
                    bytes.extend(entry.pack(Generation::default()).to_le_bytes());
                    bytes.extend(u32::try_from(*work).unwrap_or(u32::MAX).to_le_bytes());
                }
            }
            Load::Text(text) => bytes.extend(text.iter().take(length)),
        }
        bytes.resize(BLOCK_BYTES, 0);
    }

    /// `None` if these are not the bytes of a block.
    pub(super) fn read(bytes: &[u8]) -> Option<Block> {
        let mut reader = Reader { bytes: bytes.get(..BLOCK_BYTES)? };
        if reader.u32()? != BLOCK_FORMAT {
            return None;
        }
        let [flags, is_text] = reader.take::<2>()?;
        let (search, fingerprint) = (reader.u32()?, reader.u64()?);
        let (nodes, tb_hits, ready) = (reader.u64()?, reader.u64()?, reader.u32()?);
        let length = usize::from(reader.u16()?);
        let mut of_line = Reader { bytes: reader.bytes.get(..LINE_BYTES)? };
        let line = if of_line.take::<1>()? == [1] { Some(read_line(&mut of_line)?) } else { None };
        reader.bytes = reader.bytes.get(LINE_BYTES..)?;
        let load = if is_text == 1 {
            Load::Text(reader.bytes.get(..length)?.to_vec())
        } else {
            let mut entries = Vec::with_capacity(length.min(MAX_ENTRIES));
            for _ in 0..length {
                let (key, data, work) = (reader.u64()?, reader.u64()?, reader.u32()?);
                // An entry that cannot be is skipped.
                if let Some(entry) = TtEntry::unpack(data) {
                    entries.push(RemoteEntry { key, entry, work: u64::from(work).max(1) });
                }
            }
            Load::Entries(entries)
        };
        let [quits, is_finished, stops] = [1, 2, 4].map(|flag| flags & flag != 0);
        Some(Block { search, stops, quits, is_finished, fingerprint, nodes, tb_hits, ready, line, load })
    }
}

fn write_line(line: Option<&Line>, bytes: &mut Vec<u8>) {
    let Some(line) = line else { return bytes.push(0) };
    let (kind, score) = match line.score {
        Score::Centipawns(score) => (0, score),
        Score::Mate(moves) => (1, moves),
    };
    bytes.push(1);
    bytes.extend((line.depth.min(u16::MAX.into()) as u16).to_le_bytes());
    bytes.extend((line.seldepth.min(u16::MAX.into()) as u16).to_le_bytes());
    bytes.extend([kind, line.bound as u8]);
    bytes.extend(score.to_le_bytes());
    let pv = line.pv.iter().take(MAX_PV);
    bytes.push(pv.len() as u8);
    pv.for_each(|mv| bytes.extend(mv.bits().to_le_bytes()));
}

fn read_line(reader: &mut Reader<'_>) -> Option<Line> {
    let (depth, seldepth) = (reader.u16()?.into(), reader.u16()?.into());
    let [kind, bound] = reader.take()?;
    let bound = [Bound::Upper, Bound::Lower, Bound::Exact].into_iter().find(|known| *known as u8 == bound)?;
    let score = i32::from_le_bytes(reader.take()?);
    let score = if kind == 1 { Score::Mate(score) } else { Score::Centipawns(score) };
    let [moves] = reader.take()?;
    let pv = (0..moves).map(|_| Move::from_bits(reader.u16()?)).collect::<Option<_>>()?;
    Some(Line { rank: 1, depth, seldepth, score, bound, pv })
}

/// Unread bytes.
struct Reader<'a> {
    bytes: &'a [u8],
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.bytes.split_first_chunk()?;
        self.bytes = rest;
        Some(*first)
    }

    fn u16(&mut self) -> Option<u16> {
        self.take().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Square;
    use proptest::prelude::*;

    fn entries() -> impl Strategy<Value = Vec<RemoteEntry>> {
        let entry = (any::<u64>(), any::<u16>(), any::<i16>(), any::<u8>(), 1..=u32::MAX);
        let entry = entry.prop_map(|(key, mv, score, depth, work)| RemoteEntry {
            key,
            entry: TtEntry { mv, score, depth, bound: Bound::Lower, pv: depth % 2 == 0, eval: -score.max(-999) },
            work: work.into(),
        });
        proptest::collection::vec(entry, 0..=MAX_ENTRIES)
    }

    fn line(depth: u16, score: i32, moves: usize) -> Line {
        let pv = vec![Move::new(Square::E2, Square::E4, None); moves];
        let bound = [Bound::Upper, Bound::Lower, Bound::Exact][usize::from(depth) % 3];
        Line { rank: 1, depth: depth.into(), seldepth: 9, score: Score::Mate(score), bound, pv }
    }

    proptest! {
        #[test]
        fn blocks_round_trip(
            numbers: (u32, u64, u64, u64, u32), flags: (bool, bool, bool), entries in entries(),
            of_line in proptest::option::of((any::<u16>(), any::<i32>(), 0..=MAX_PV)),
        ) {
            let (search, fingerprint, nodes, tb_hits, ready) = numbers;
            let (stops, quits, is_finished) = flags;
            let line = of_line.map(|(depth, score, moves)| line(depth, score, moves));
            let load = Load::Entries(entries);
            let block = Block { search, stops, quits, is_finished, fingerprint, nodes, tb_hits, ready, line, load };
            let mut bytes = Vec::new();
            block.write(&mut bytes);
            prop_assert_eq!(bytes.len(), BLOCK_BYTES);
            prop_assert_eq!(Block::read(&bytes), Some(block));
        }

        #[test]
        fn any_bytes_are_a_block_or_none(
            mut bytes in proptest::collection::vec(any::<u8>(), 0..BLOCK_BYTES + 9), is_format: bool,
        ) {
            if is_format && bytes.len() > 4 {
                bytes[..4].copy_from_slice(&BLOCK_FORMAT.to_le_bytes());
            }
            let _ = Block::read(&bytes);
        }

        #[test]
        fn text_round_trips(text in proptest::collection::vec(any::<u8>(), 0..=MAX_TEXT)) {
            let block = Block { load: Load::Text(text), ..Block::default() };
            let mut bytes = Vec::new();
            block.write(&mut bytes);
            prop_assert_eq!(Block::read(&bytes), Some(block));
        }
    }

    #[test]
    fn long_lines_are_cut() {
        let mut bytes = Vec::new();
        Block { line: Some(line(3, 4, MAX_PV + 1)), ..Block::default() }.write(&mut bytes);
        assert_eq!(Block::read(&bytes).unwrap().line, Some(line(3, 4, MAX_PV)));
    }
}
