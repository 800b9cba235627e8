//! Replacement schemes: the seven of Breuker et al. (1994), section 6.1, and the work that they compare.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use crate::payload::{Generation, Payload};
use crate::slot::{CHECK_BITS, RawEntry};
use crate::table::Place;

/// A replacement scheme: decides which of two keys stays when they collide.
///
/// The seven are those of Breuker, Uiterwijk and van den Herik, "Replacement Schemes for Transposition Tables" (ICCA
/// Journal 17(4), 1994), section 6.1. Under the five schemes of one level a key has one slot. Under the two schemes of two
/// levels it has a bucket of two: a new entry that is at least as deep or big as the first level's takes its place, any other the
/// second level. So the first level holds the deepest or biggest of the entries as they were first stored; an entry of the
/// second level that is updated to more stays there, for the next new entry to replace (the paper says nothing of updates). The
/// number of slots is the same. An entry of an earlier search is
/// always replaced, whatever the scheme (section 6.2).
///
/// A [`Rule`] of your own can take the place of a scheme.
// The discriminants are the numbers in a saved file.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Scheme {
    /// The entry searched deeper stays; of two equals the newer.
    Deep = 1,
    /// The new entry always replaces the old.
    New = 2,
    /// The new entry never replaces the old.
    Old = 3,
    /// The entry with the bigger subtree stays, where a hit inside the subtree counts as one node; of two equals the newer.
    Big1 = 4,
    /// As [`Scheme::Big1`], but a hit counts as many nodes as were searched to obtain it. The table compares the work it
    /// is given, so the two differ only in what the search counts: see [`Scheme::counts_hits_in_full`].
    BigAll = 5,
    /// Two levels: a new entry at least as deep as the first level's takes its place and shifts it to the second level; any other
    /// goes to the second level.
    TwoDeep = 6,
    /// Two levels, as [`Scheme::TwoDeep`], by the size of the subtree as in [`Scheme::Big1`]. The best of the seven in the
    /// paper.
    #[default]
    TwoBig1 = 7,
}

impl Scheme {
    /// All schemes, in the order of the paper.
    pub const ALL: &'static [Scheme] =
        &[Scheme::Deep, Scheme::New, Scheme::Old, Scheme::Big1, Scheme::BigAll, Scheme::TwoDeep, Scheme::TwoBig1];

    /// Returns the paper's name, in capitals.
    pub const fn name(self) -> &'static str {
        match self {
            Scheme::Deep => "DEEP",
            Scheme::New => "NEW",
            Scheme::Old => "OLD",
            Scheme::Big1 => "BIG1",
            Scheme::BigAll => "BIGALL",
            Scheme::TwoDeep => "TWODEEP",
            Scheme::TwoBig1 => "TWOBIG1",
        }
    }

    /// Returns whether a key can be in two slots.
    #[inline]
    pub const fn has_two_levels(self) -> bool {
        matches!(self, Scheme::TwoDeep | Scheme::TwoBig1)
    }

    /// Returns whether the work of a subtree counts a table hit within it as all the nodes behind the hit (BIGALL), and not
    /// as one.
    pub const fn counts_hits_in_full(self) -> bool {
        matches!(self, Scheme::BigAll)
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The error for a name that no scheme has.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown replacement scheme \"{0}\"; there are DEEP, NEW, OLD, BIG1, BIGALL, TWODEEP and TWOBIG1")]
pub struct UnknownScheme(String);

impl FromStr for Scheme {
    type Err = UnknownScheme;

    /// Parses the paper's name in upper or lower case.
    fn from_str(name: &str) -> Result<Scheme, UnknownScheme> {
        let is_named = |scheme: &Scheme| scheme.name().eq_ignore_ascii_case(name.trim());
        Scheme::ALL.iter().copied().find(is_named).ok_or_else(|| UnknownScheme(name.to_owned()))
    }
}

/// The work behind an entry: the nodes searched to obtain it, as a floating-point number with 5 bits of exponent and 11 of
/// fraction.
///
/// Up to 4,095 nodes it is exact; above, it is rounded down by less than one part in 2,048; it saturates at
/// [`Work::MAX`] (about 4.4 x 10^12 nodes). Its order is the order of the bits. The schemes BIG1, BIGALL and TWOBIG1 compare
/// it (Breuker et al., 1994, section 6.1).
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Work(u16);

/// Bits of fraction.
const FRACTION: u32 = 11;

impl Work {
    /// The largest work: 4,095 x 2^30 nodes or more.
    pub const MAX: Work = Work(u16::MAX);

    /// Returns the work of `nodes` nodes, rounded down.
    #[inline]
    pub const fn from_nodes(nodes: u64) -> Work {
        // The leading 12 bits. Their top bit is not masked off but added to the exponent, so exponent 0 is for numbers
        // without a top bit, and exponent 1 for those with one and no shift.
        let shift = (u64::BITS - nodes.leading_zeros()).saturating_sub(FRACTION + 1);
        let bits = ((shift as u64) << FRACTION) + (nodes >> shift);
        Work(if bits > u16::MAX as u64 { u16::MAX } else { bits as u16 })
    }

    /// Returns the least number of nodes that has this work.
    pub const fn nodes(self) -> u64 {
        let shift = (self.0 >> FRACTION).saturating_sub(1);
        (self.0 as u64 - ((shift as u64) << FRACTION)) << shift
    }

    /// Returns the work with these bits. Every value is valid.
    #[inline]
    pub const fn from_bits(bits: u16) -> Work {
        Work(bits)
    }

    /// Returns the 16 bits.
    #[inline]
    pub const fn bits(self) -> u16 {
        self.0
    }
}

/// The treatment of an entry whose own key is stored again. That is not a collision, so the scheme does not matter.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Update {
    /// The new entry overwrites the old one, as in Breuker et al. (1994).
    Overwrite,
    /// [`Payload::merge`] decides, or the [`Rule::update`] of your own rule.
    #[default]
    Merge,
}

/// The outcome of a store.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Stored {
    /// It took an empty slot.
    Empty,
    /// It updated the entry of the same key.
    Updated,
    /// It was dropped: [`Payload::merge`] kept the entry of the same key.
    Kept,
    /// It replaced an entry of an earlier generation, or what two writers left that passed each other.
    Stale,
    /// One level: it replaced a fresh entry.
    Replaced,
    /// One level: it was dropped.
    Refused,
    /// Two levels: it took the first slot, whose entry moved to the second.
    Shifted,
    /// Two levels: it took the second slot.
    Second,
}

impl Stored {
    /// All outcomes, in the order of their discriminants.
    pub const ALL: &'static [Stored] = &[
        Stored::Empty,
        Stored::Updated,
        Stored::Kept,
        Stored::Stale,
        Stored::Replaced,
        Stored::Refused,
        Stored::Shifted,
        Stored::Second,
    ];
}

impl fmt::Display for Stored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Stored::Empty => "empty",
            Stored::Updated => "same key",
            Stored::Kept => "kept",
            Stored::Stale => "stale",
            Stored::Replaced => "replaced",
            Stored::Refused => "refused",
            Stored::Shifted => "shifted",
            Stored::Second => "second",
        })
    }
}

/// A replacement rule for a [`Table`](crate::Table) of payloads of type `P`: one of the [`Scheme`]s, or your own.
///
/// The table is compiled for its rule, which must not panic, whatever the entries: a file can have any bits.
///
/// ```
/// use sesame_table::{Generation, NoStats, RawEntry, Rule, Table, mix64};
///
/// /// The cheaper entry stays.
/// struct Cheapest;
///
/// impl Rule<u32> for Cheapest {
///     fn has_two_levels(&self) -> bool {
///         false
///     }
///
///     fn prefers(&self, new: &RawEntry, old: &RawEntry, _: Generation) -> bool {
///         new.work() <= old.work()
///     }
/// }
///
/// let table: Table<u32, NoStats, Cheapest> = Table::with_mib(1, Cheapest)?;
/// table.store(mix64(1), &7, 100);
/// # Ok::<(), sesame_table::TableError>(())
/// ```
pub trait Rule<P: Payload>: Send + Sync {
    /// Returns whether a key has two slots, as under [`Scheme::TwoBig1`], or one, as under [`Scheme::Big1`]. A rule must always
    /// give the same answer. The default is two.
    #[inline(always)]
    fn has_two_levels(&self) -> bool {
        true
    }

    /// Returns whether `new` is worth at least as much as `old`, the entry of another key. On two levels `old` is the entry of
    /// the first. `new` is of the generation `now`, except while `Table::load` stores the entries of a
    /// file of another size or number of levels: then `now` is the saved generation, and `new` has the stamp of any.
    fn prefers(&self, new: &RawEntry, old: &RawEntry, now: Generation) -> bool;

    /// Returns whether `old`, the entry of another key, gives way whatever it is worth. By default it does if its stamp is
    /// not `now`.
    #[inline(always)]
    fn is_stale(&self, old: &RawEntry, now: Generation) -> bool {
        P::generation(old.data).is_some_and(|generation| generation != now)
    }

    /// Returns the data to store over `old`, an entry of the same key, under [`Update::Merge`]; `None` leaves it alone. The
    /// default is [`Payload::merge`].
    #[inline(always)]
    fn update(&self, old: &RawEntry, new: &RawEntry) -> Option<u64> {
        P::merge(old.data, new.data)
    }

    /// The number of the rule in a saved file: a scheme with as many levels. No other crate can name the type of the argument,
    /// so none can give a rule another number.
    #[doc(hidden)]
    fn number(&self, _: Closed) -> u8 {
        if self.has_two_levels() { Scheme::TwoBig1 as u8 } else { Scheme::Big1 as u8 }
    }
}

/// See [`Rule::number`].
#[derive(Copy, Clone, Debug)]
pub struct Closed;

impl<P: Payload> Rule<P> for Scheme {
    #[inline(always)]
    fn has_two_levels(&self) -> bool {
        Scheme::has_two_levels(*self)
    }

    /// A match on a value that never changes while a table lives: one well-predicted branch.
    #[inline(always)]
    fn prefers(&self, new: &RawEntry, old: &RawEntry, _: Generation) -> bool {
        match self {
            Scheme::Deep | Scheme::TwoDeep => P::depth(new.data) >= P::depth(old.data),
            Scheme::Big1 | Scheme::BigAll | Scheme::TwoBig1 => new.work() >= old.work(),
            Scheme::New => true,
            Scheme::Old => false,
        }
    }

    fn number(&self, _: Closed) -> u8 {
        *self as u8
    }
}

/// The decisions of a store: the rule, and what it depends on.
#[derive(Copy, Clone, Debug)]
pub struct StoreContext<'a, P, S> {
    rule: &'a S,
    update: Update,
    now: Generation,
    places: usize,
    payload: PhantomData<fn() -> P>,
}

impl<'a, P: Payload, S: Rule<P>> StoreContext<'a, P, S> {
    /// Creates the context of stores during the generation `now`, in a table of so many places: buckets or, under a rule of
    /// one level, slots.
    #[inline(always)]
    pub const fn new(rule: &'a S, update: Update, now: Generation, places: usize) -> Self {
        StoreContext { rule, update, now, places, payload: PhantomData }
    }

    /// Returns whether `old` gives way to an entry of `key` unconditionally: the rule says so, or it is a mixture of two
    /// writes, whose signature belongs to no key of this place.
    #[inline(always)]
    pub(crate) fn is_stale(&self, old: &RawEntry, key: u64) -> bool {
        self.rule.is_stale(old, self.now)
            // Otherwise every signature has a key here.
            || self.places > 1 << (u64::BITS - CHECK_BITS)
                && Place::key_beside(old.signature, key, self.places).is_none()
    }

    #[inline(always)]
    pub(crate) fn prefers(&self, new: &RawEntry, old: &RawEntry) -> bool {
        self.rule.prefers(new, old, self.now)
    }

    #[inline(always)]
    pub(crate) fn update(&self, old: &RawEntry, new: &RawEntry) -> Option<u64> {
        match self.update {
            Update::Overwrite => Some(new.data),
            Update::Merge => self.rule.update(old, new),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for &scheme in Scheme::ALL {
            assert_eq!(scheme.to_string().parse(), Ok(scheme));
            assert_eq!(scheme.name().to_lowercase().parse(), Ok(scheme));
        }
        assert!("TWOBIG2".parse::<Scheme>().unwrap_err().to_string().contains("TWOBIG2"));
    }

    #[test]
    fn bigall_alone_counts_hits_in_full() {
        let schemes: Vec<Scheme> = Scheme::ALL.iter().copied().filter(|scheme| scheme.counts_hits_in_full()).collect();
        assert_eq!(schemes, [Scheme::BigAll]);
    }

    #[test]
    fn small_numbers_are_exact() {
        for nodes in 0..4096 {
            assert_eq!(Work::from_nodes(nodes).nodes(), nodes);
        }
    }

    #[test]
    fn every_pattern_round_trips_in_order() {
        for bits in 0..=u16::MAX {
            let work = Work::from_bits(bits);
            assert_eq!(Work::from_nodes(work.nodes()), work);
            if bits > 0 {
                assert!(Work::from_bits(bits - 1).nodes() < work.nodes());
                assert_eq!(Work::from_nodes(work.nodes() - 1).bits(), bits - 1);
            }
        }
    }

    #[test]
    fn large_numbers_saturate() {
        assert_eq!(Work::from_nodes(u64::MAX), Work::MAX);
        assert_eq!(Work::MAX.nodes(), 4095 << 30);
    }
}
