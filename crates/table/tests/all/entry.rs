//! The payload of the tests: an entry of an alpha-beta search, which uses every method of [`Payload`]. Entries that are functions
//! of their keys show a wrong acceptance.

use sesame_table::{Generation, Payload, RawEntry, Work, mix64};

/// The meaning of a score. The discriminants are its two packed bits, so that no entry packs to 0.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Bound {
    Upper = 1,
    Lower = 2,
    Exact = 3,
}

impl Bound {
    pub(crate) const ALL: [Bound; 3] = [Bound::Upper, Bound::Lower, Bound::Exact];

    fn from_bits(bits: u64) -> Option<Bound> {
        Bound::ALL.into_iter().find(|&bound| bound as u64 == bits & 3)
    }
}

/// An entry. Packed, from the lowest bit: evaluation 16, generation 5, unused 1, bound 2, depth 8, score 16, move 16.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    /// The best move; 0 means none.
    pub(crate) mv: u16,
    pub(crate) score: i16,
    pub(crate) depth: u8,
    pub(crate) bound: Bound,
    pub(crate) eval: i16,
}

impl Payload for Entry {
    fn pack(&self, generation: Generation) -> u64 {
        u64::from(self.eval as u16)
            | u64::from(generation.bits()) << 16
            | (self.bound as u64) << 22
            | u64::from(self.depth) << 24
            | u64::from(self.score as u16) << 32
            | u64::from(self.mv) << 48
    }

    fn unpack(bits: u64) -> Option<Entry> {
        Some(Entry {
            mv: (bits >> 48) as u16,
            score: (bits >> 32) as i16,
            depth: Entry::depth(bits),
            bound: Bound::from_bits(bits >> 22)?,
            eval: bits as i16,
        })
    }

    fn depth(bits: u64) -> u8 {
        (bits >> 24) as u8
    }

    fn generation(bits: u64) -> Option<Generation> {
        Some(Generation::from_bits((bits >> 16) as u8))
    }

    /// Keeps the old entry against a bound of the same generation that is more than 4 plies shallower, and the old move against none.
    fn merge(old: u64, new: u64) -> Option<u64> {
        let is_exact = Bound::from_bits(new >> 22) == Some(Bound::Exact);
        let is_much_shallower = u32::from(Entry::depth(new)) + 4 < u32::from(Entry::depth(old));
        if is_much_shallower && !is_exact && Entry::generation(old) == Entry::generation(new) {
            None
        } else if new >> 48 == 0 {
            Some(new | old >> 48 << 48)
        } else {
            Some(new)
        }
    }
}

/// Entries of this salt and above have no move: merging gives them the move of the entry before.
pub(crate) const WITHOUT_MOVE: u8 = 0x80;

/// Returns the move of all entries of `key` that have one.
fn move_of(key: u64) -> u16 {
    mix64(!key) as u16 | 1
}

/// Returns the entry of `key` and `salt`, which is its score.
///
/// Evaluation and move depend on the key alone, so that a merged entry can be checked. Merging never leaves an entry of a
/// salt below 64 alone.
pub(crate) fn entry_of(key: u64, salt: u8) -> Entry {
    let bits = mix64(key ^ mix64(u64::from(salt)));
    Entry {
        mv: if salt < WITHOUT_MOVE { move_of(key) } else { 0 },
        score: i16::from(salt),
        depth: if salt & 0x40 == 0 { 16 } else { 30 },
        bound: Bound::ALL[(bits >> 24) as usize % 3],
        eval: mix64(key) as i16,
    }
}

/// Returns the nodes behind [`entry_of`]: under TWOBIG1 the higher salt wins.
pub(crate) fn nodes_of(key: u64, salt: u8) -> u64 {
    u64::from(salt) << 8 | mix64(key) & 0xff
}

/// Returns whether a store for `key` had this entry and work. An entry stored without a move may have the key's move, by merging.
pub(crate) fn is_right(key: u64, entry: &Entry, work: Work) -> bool {
    u8::try_from(entry.score).is_ok_and(|salt| {
        let stored = entry_of(key, salt);
        work == Work::from_nodes(nodes_of(key, salt))
            && (*entry == stored || *entry == Entry { mv: move_of(key), ..stored })
    })
}

/// A packed payload, never 0, as a function of a number from 1 up.
pub(crate) type Pattern = fn(u64) -> u64;

/// Packed payloads as programs store them. The number is also their work, so every mixture of two of them shows.
pub(crate) const PATTERNS: [(&str, Pattern); 5] = [
    ("counters", |n| n),
    ("repeated parts", |n| n * 0x0001_0001_0001_0001),
    ("equal halves", |n| n * 0x0000_0001_0000_0001),
    ("one bit", |n| 1 << (n % 64)),
    ("inverted counters", |n| !n),
];

/// Each key has this many numbers.
pub(crate) const NUMBERS: u64 = 4;

/// Returns the key of the number `n`.
pub(crate) fn key_of_number(n: u64) -> u64 {
    mix64(n / NUMBERS)
}

/// Checks the patterned entry that was accepted for `key`.
pub(crate) fn check_patterned(pattern: Pattern, key: u64, raw: &RawEntry) -> Result<(), String> {
    let n = raw.work().nodes();
    check(key, raw, key == key_of_number(n) && raw.data == pattern(n))
}

/// Returns an error with the word that `must_fail` of the models expects.
pub(crate) fn check(key: u64, raw: &RawEntry, is_right: bool) -> Result<(), String> {
    is_right.then_some(()).ok_or_else(|| format!("accepted for {key:x} an entry that nobody stored for it: {raw:x?}"))
}
