//! An entry of a chess engine and a replacement rule, as in the guide `docs/users/replace-your-table.md` of Sesame's repository.
//!
//! ```text
//! cargo run --release -p sesame-table --example custom_scheme -- [entries]
//! ```
//!
//! The schemes of [`Scheme`] treat every entry of an earlier search alike: at a collision it is overwritten. Many engines
//! instead count an entry as some plies shallower with every search. Here a [`Rule`] does that. The program simulates searches whose
//! positions change slowly, and prints how often each table has a result that is deep enough.

use sesame_table::{Generation, Payload, RawEntry, Rule, Scheme, Table, TableError, TableOptions, mix64};

#[derive(Clone, Copy)]
pub struct PackedMove(u16);

#[derive(Clone, Copy)]
pub enum TTFlag {
    Exact = 1,
    LowerBound,
    UpperBound,
}

#[derive(Clone, Copy)]
pub struct TTEntry {
    mv: PackedMove,
    score: i16,
    depth: u8,
    flag: TTFlag,
}

/// From the lowest bit: move 16, score 16, depth 8, flag 2 (1 to 3), generation 5.
impl Payload for TTEntry {
    fn pack(&self, generation: Generation) -> u64 {
        u64::from(self.mv.0)
            | u64::from(self.score as u16) << 16
            | u64::from(self.depth) << 32
            | (self.flag as u64) << 40
            | u64::from(generation.bits()) << 42
    }

    fn unpack(bits: u64) -> Option<Self> {
        let flag = match bits >> 40 & 3 {
            1 => TTFlag::Exact,
            2 => TTFlag::LowerBound,
            3 => TTFlag::UpperBound,
            _ => return None,
        };
        Some(Self { mv: PackedMove(bits as u16), score: (bits >> 16) as i16, depth: Self::depth(bits), flag })
    }

    fn depth(bits: u64) -> u8 {
        (bits >> 32) as u8
    }

    fn generation(bits: u64) -> Option<Generation> {
        Some(Generation::from_bits((bits >> 42) as u8))
    }
}

/// A new entry replaces another if its depth, plus twice the age of the old entry, is at least the old depth.
struct QualityRule;

impl Rule<TTEntry> for QualityRule {
    fn has_two_levels(&self) -> bool {
        false
    }

    fn is_stale(&self, _: &RawEntry, _: Generation) -> bool {
        false
    }

    fn prefers(&self, new: &RawEntry, old: &RawEntry, now: Generation) -> bool {
        let age = TTEntry::generation(old.data).map_or(0, |stamp| stamp.age(now));
        u16::from(TTEntry::depth(new.data)) + 2 * u16::from(age) >= u16::from(TTEntry::depth(old.data))
    }

    fn update(&self, old: &RawEntry, new: &RawEntry, now: Generation) -> Option<u64> {
        let kept_move = if new.data & 0xffff == 0 { old.data & 0xffff } else { 0 };
        self.prefers(new, old, now).then_some(new.data | kept_move)
    }
}

fn entry(depth: u8) -> TTEntry {
    TTEntry { mv: PackedMove(0), score: 0, depth, flag: TTFlag::LowerBound }
}

fn table<S: Rule<TTEntry>>(entries: usize, rule: S) -> Result<Table<TTEntry, S>, TableError> {
    Table::with_options(TableOptions::default().positions(entries).rule(rule))
}

/// Runs 20 searches and returns how many of 1,000 probes find an entry that is deep enough. Other entries are stored.
fn permille_found<S: Rule<TTEntry>>(table: &Table<TTEntry, S>) -> u64 {
    let mut found = 0;
    for number in 0..20 {
        table.next_generation();
        for n in 0..50_000 {
            let random = mix64(number << 32 | n);
            // Each search has most of the positions of the one before. Few of them are deep.
            let key = mix64(500 * number + random % 10_000);
            let depth = (random >> 32).trailing_zeros() as u8;
            if table.probe(key).is_some_and(|entry| entry.depth >= depth) {
                found += 1;
            } else {
                table.store(key, &entry(depth), 1);
            }
        }
    }
    found / 1000
}

fn main() -> Result<(), TableError> {
    let entries = std::env::args().nth(1).map_or(4000, |entries| entries.parse().expect("a number of entries"));
    println!("{:10} {} of 1000 found", "quality", permille_found(&table(entries, QualityRule)?));
    for &scheme in Scheme::ALL {
        println!("{scheme:10} {} of 1000 found", permille_found(&table(entries, scheme)?));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn age_outweighs_depth() {
        let table = table(2, QualityRule).unwrap();
        let depths = || [1, 2, 3].map(|key| table.probe(key).map(|entry| entry.depth));
        table.store(1, &entry(5), 1);
        table.store(2, &entry(4), 1);
        assert_eq!(depths(), [Some(5), None, None]);
        table.next_generation();
        table.store(2, &entry(3), 1);
        assert_eq!(depths(), [None, Some(3), None]);
        table.store(3, &entry(2), 1);
        assert_eq!(depths(), [None, Some(3), None]);
    }

    #[test]
    fn an_update_keeps_the_move_and_the_deeper_entry() {
        let table = table(2, QualityRule).unwrap();
        table.store(1, &TTEntry { mv: PackedMove(7), ..entry(5) }, 1);
        for (depth, kept) in [(4, 5), (6, 6)] {
            table.store(1, &TTEntry { score: 9, ..entry(depth) }, 1);
            let TTEntry { mv, score, depth, flag } = table.probe(1).unwrap();
            assert_eq!((mv.0, score, depth, flag as u8), (7, if kept == 6 { 9 } else { 0 }, kept, 2));
        }
    }
}
