//! The block of bytes that one machine sends to another, with little-endian numbers: no longer than its content.

use crate::position::Move;
use crate::search::score::{mate_in, mated_in};
use crate::search::{RemoteEntry, TtEntry};
use crate::smp::{Ballot, Bound, Line, RootResult, Score};
use sesame_table::{Generation, Payload};

/// So short that every MPI sends a message with its envelope: its receipt never waits for the sender.
pub(super) const MAX_BLOCK_BYTES: usize = 4000;

/// The first bytes. Programs with other blocks have other ones, and do not meet: see the greeting in `transport.rs`.
pub(super) const BLOCK_FORMAT: u32 = 0x5e5a_0006;

const ENTRY_BYTES: usize = 20;

/// Longer lines are cut.
const MAX_PV: usize = 64;

/// The first results of a ballot remain.
const MAX_RESULTS: usize = 255;

/// Format, flags, kind of load, search, fingerprint, nodes, tablebase hits, ready, length of the load.
const HEADER_BYTES: usize = 4 + 1 + 1 + 4 + 8 + 8 + 8 + 4 + 2;

pub(super) const MAX_TEXT: usize = MAX_BLOCK_BYTES - HEADER_BYTES;

pub(super) const MAX_ENTRIES: usize = MAX_TEXT / ENTRY_BYTES;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Load {
    /// The running search's, at most [`MAX_ENTRIES`].
    Entries(Vec<RemoteEntry>),
    /// Lines for a follower, at most [`MAX_TEXT`] bytes: from the leader only.
    Text(Vec<u8>),
    /// A follower's, of the search that has ended.
    Ballot(Ballot),
}

impl Default for Load {
    fn default() -> Self {
        Self::Entries(Vec::new())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Default)]
pub(super) enum Stage {
    #[default]
    Runs,
    /// The sender's session is over.
    Quits,
    /// All sessions have ended: all machines leave together. From the leader only, as the next one.
    Leaves,
    /// A machine does not answer: each leaves alone.
    Scatters,
}

/// One machine's message to another. A later block replaces an earlier one, but for entries and text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Block {
    /// The leader's: the search in which the receiver takes part, or 0; with text, the last in which it takes part once it has
    /// carried out all lines. A follower's: its last search.
    pub(super) search: u32,
    /// The leader's: the search stops. A follower's: it has ended.
    pub(super) ends: bool,
    /// A follower's search has reached a limit of its own and waits for the leader.
    pub(super) is_finished: bool,
    pub(super) stage: Stage,
    /// See [`RemoteStart`](crate::smp::RemoteStart); 0 for none.
    pub(super) fingerprint: u64,
    /// A follower's counts in its last search.
    pub(super) nodes: u64,
    pub(super) tb_hits: u64,
    /// `readyok` answers of a follower so far.
    pub(super) ready: u32,
    pub(super) load: Load,
}

impl Block {
    /// `bytes` becomes at most [`MAX_BLOCK_BYTES`] long.
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        bytes.clear();
        bytes.extend(BLOCK_FORMAT.to_le_bytes());
        let flags = u8::from(self.ends) | u8::from(self.is_finished) << 1 | (self.stage as u8) << 2;
        let (kind, length) = match &self.load {
            Load::Entries(entries) => (0, entries.len().min(MAX_ENTRIES)),
            Load::Text(text) => (1, text.len().min(MAX_TEXT)),
            Load::Ballot(ballot) => (2, ballot.results.len().min(MAX_RESULTS)),
        };
        bytes.extend([flags, kind]);
        bytes.extend(self.search.to_le_bytes());
        bytes.extend(self.fingerprint.to_le_bytes());
        bytes.extend(self.nodes.to_le_bytes());
        bytes.extend(self.tb_hits.to_le_bytes());
        bytes.extend(self.ready.to_le_bytes());
        bytes.extend((length as u16).to_le_bytes());
        match &self.load {
            Load::Entries(entries) => {
                for RemoteEntry { key, entry, work } in entries.iter().take(length) {
                    bytes.extend(key.to_le_bytes());
                    bytes.extend(entry.pack(Generation::default()).to_le_bytes());
                    bytes.extend(u32::try_from(*work).unwrap_or(u32::MAX).to_le_bytes());
                }
            }
            Load::Text(text) => bytes.extend(text.iter().take(length)),
            Load::Ballot(Ballot { line, results }) => {
                for result in results.iter().take(length) {
                    bytes.extend(result.mv.bits().to_le_bytes());
                    bytes.extend(result.score.to_le_bytes());
                    bytes.extend((result.depth.min(u16::MAX.into()) as u16).to_le_bytes());
                }
                write_line(line, bytes);
            }
        }
    }

    pub(super) fn read(bytes: &[u8]) -> Option<Block> {
        let mut reader = Reader { bytes };
        if reader.u32()? != BLOCK_FORMAT {
            return None;
        }
        let [flags, kind] = reader.take::<2>()?;
        let (search, fingerprint) = (reader.u32()?, reader.u64()?);
        let (nodes, tb_hits, ready) = (reader.u64()?, reader.u64()?, reader.u32()?);
        let length = usize::from(reader.u16()?);
        let load = match kind {
            0 => {
                let mut entries = Vec::with_capacity(length.min(MAX_ENTRIES));
                for _ in 0..length {
                    let (key, data, work) = (reader.u64()?, reader.u64()?, reader.u32()?);
                    // An entry that cannot be is skipped.
                    if let Some(entry) = TtEntry::unpack(data) {
                        entries.push(RemoteEntry { key, entry, work: u64::from(work).max(1) });
                    }
                }
                Load::Entries(entries)
            }
            1 => Load::Text(reader.bytes.get(..length)?.to_vec()),
            2 => {
                let mut result = || {
                    let (mv, score, depth) = (Move::from_bits(reader.u16()?)?, reader.i32()?, reader.u16()?.into());
                    Some(RootResult { mv, score: score.clamp(mated_in(0), mate_in(0)), depth })
                };
                let results = (0..length).map(|_| result()).collect::<Option<_>>()?;
                Load::Ballot(Ballot { line: read_line(&mut reader)?, results })
            }
            _ => return None,
        };
        let [ends, is_finished] = [1, 2].map(|flag| flags & flag != 0);
        let stage = [Stage::Runs, Stage::Quits, Stage::Leaves, Stage::Scatters];
        let stage = stage.into_iter().find(|known| *known as u8 == flags >> 2)?;
        Some(Block { search, ends, is_finished, stage, fingerprint, nodes, tb_hits, ready, load })
    }
}

fn write_line(line: &Line, bytes: &mut Vec<u8>) {
    let (kind, score) = match line.score {
        Score::Centipawns(score) => (0, score),
        Score::Mate(moves) => (1, moves),
    };
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
    let score = reader.i32()?;
    let score = if kind == 1 { Score::Mate(score) } else { Score::Centipawns(score) };
    let [moves] = reader.take()?;
    let pv = (0..moves).map(|_| Move::from_bits(reader.u16()?)).collect::<Option<_>>()?;
    Some(Line { rank: 1, depth, seldepth, score, bound, pv })
}

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

    fn i32(&mut self) -> Option<i32> {
        self.take().map(i32::from_le_bytes)
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

    fn ballot() -> impl Strategy<Value = Ballot> {
        let result = (-9999..9999, any::<u16>()).prop_map(|(score, depth)| RootResult {
            mv: Move::new(Square::E2, Square::E4, None),
            score,
            depth: depth.into(),
        });
        let line = (any::<u16>(), any::<i32>(), 0..=MAX_PV).prop_map(|(depth, score, moves)| line(depth, score, moves));
        (line, proptest::collection::vec(result, 0..=MAX_RESULTS)).prop_map(|(line, results)| Ballot { line, results })
    }

    fn load() -> impl Strategy<Value = Load> {
        prop_oneof![
            entries().prop_map(Load::Entries),
            proptest::collection::vec(any::<u8>(), 0..=MAX_TEXT).prop_map(Load::Text),
            ballot().prop_map(Load::Ballot),
        ]
    }

    fn bytes_of(block: &Block) -> Vec<u8> {
        let mut bytes = Vec::new();
        block.write(&mut bytes);
        bytes
    }

    proptest! {
        #[test]
        fn blocks_round_trip(
            numbers: (u32, u64, u64, u64, u32), flags: (bool, bool), stage in 0..4_usize, load in load(),
        ) {
            let (search, fingerprint, nodes, tb_hits, ready) = numbers;
            let (ends, is_finished) = flags;
            let stage = [Stage::Runs, Stage::Quits, Stage::Leaves, Stage::Scatters][stage];
            let block = Block { search, ends, is_finished, stage, fingerprint, nodes, tb_hits, ready, load };
            let bytes = bytes_of(&block);
            prop_assert!(bytes.len() <= MAX_BLOCK_BYTES);
            prop_assert_eq!(Block::read(&bytes), Some(block));
        }

        #[test]
        fn any_bytes_are_a_block_or_none(
            mut bytes in proptest::collection::vec(any::<u8>(), 0..MAX_BLOCK_BYTES + 9), is_format: bool, kind in 0..4_u8,
        ) {
            if is_format && bytes.len() > 6 {
                bytes[..4].copy_from_slice(&BLOCK_FORMAT.to_le_bytes());
                bytes[5] = kind;
            }
            let _ = Block::read(&bytes);
        }
    }

    /// No byte is sent for entries that are not there.
    #[test]
    fn blocks_are_as_long_as_their_content() {
        let entry = TtEntry { mv: 1, score: 2, depth: 3, bound: Bound::Upper, pv: false, eval: 4 };
        for count in [0, 1, 7, MAX_ENTRIES] {
            let entries = vec![RemoteEntry { key: 5, entry, work: 6 }; count];
            let bytes = bytes_of(&Block { load: Load::Entries(entries), ..Block::default() });
            assert_eq!(bytes.len(), HEADER_BYTES + count * ENTRY_BYTES);
        }
        assert_eq!(HEADER_BYTES, 40);
    }

    #[test]
    fn long_lines_are_cut() {
        let long = Ballot { line: line(3, 4, MAX_PV + 1), results: Vec::new() };
        let cut = Ballot { line: line(3, 4, MAX_PV), results: Vec::new() };
        let bytes = bytes_of(&Block { load: Load::Ballot(long), ..Block::default() });
        assert_eq!(Block::read(&bytes).unwrap().load, Load::Ballot(cut));
    }
}
