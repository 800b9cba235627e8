//! Replacement schemes: the seven of Breuker et al. (1994), section 6.1, and the stores that follow them.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use crate::payload::{Generation, Payload};
use crate::slot::{Bucket, CHECK_BITS, RawEntry, Slot, index};

/// A replacement scheme: decides which of two keys stays when they collide.
///
/// The seven are those of Breuker, Uiterwijk and van den Herik, "Replacement Schemes for Transposition Tables" (ICCA
/// Journal 17(4), 1994), section 6.1. Under the five schemes of one level a key has one slot. Under the two schemes of two
/// levels it has a bucket of two: a new entry that is at least as deep or big as the first level's replaces that, any other
/// takes the second level. An entry that is updated stays on its level (the paper says nothing of updates). An entry of an earlier
/// search is always replaced, whatever the scheme (section 6.2).
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
    /// As [`Scheme::Big1`], but a hit counts as many nodes as were searched to obtain it. The search counts them: see
    /// [`Scheme::counts_hits_in_full`].
    BigAll = 5,
    /// Two levels: a new entry at least as deep as the first level's shifts that to the second; any other goes there.
    TwoDeep = 6,
    /// Two levels as [`Scheme::TwoDeep`], by subtree size as in [`Scheme::Big1`]: the best of the seven in the paper.
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

    /// Returns whether a table hit counts as all the nodes behind it in the work of a subtree (BIGALL), instead of one.
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
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownScheme(String);

impl fmt::Display for UnknownScheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnknownScheme(name) = self;
        write!(f, "unknown replacement scheme \"{name}\"; there are DEEP, NEW, OLD, BIG1, BIGALL, TWODEEP and TWOBIG1")
    }
}

impl std::error::Error for UnknownScheme {}

impl FromStr for Scheme {
    type Err = UnknownScheme;

    /// Parses the paper's name in upper or lower case.
    fn from_str(name: &str) -> Result<Scheme, UnknownScheme> {
        let is_named = |scheme: &Scheme| scheme.name().eq_ignore_ascii_case(name.trim());
        Scheme::ALL.iter().copied().find(is_named).ok_or_else(|| UnknownScheme(name.to_owned()))
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
    /// It was dropped: [`Rule::update`] or [`Payload::merge`] kept the entry of the same key.
    Kept,
    /// It replaced an entry of an earlier generation, or what two writers left that passed each other.
    Stale,
    /// It replaced a fresh entry: that of the only level, or, under a rule of your own, of the first.
    Replaced,
    /// It was dropped: under a scheme of one level, or a rule of your own.
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

/// The place of a new entry in a bucket of two levels that holds other keys.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Placement {
    /// It replaces the entry of the first level.
    First,
    /// It replaces the entry of the second level.
    Second,
    /// It takes the first level, whose entry moves to the second.
    Shift,
    /// It is dropped, and both entries of the bucket stay.
    Nowhere,
}

/// A replacement rule for a [`Table`](crate::Table) of payloads of type `P`: one of the [`Scheme`]s, or your own.
///
/// The table is compiled for its rule, which must not panic, whatever the entries: a file can have any bits. A rule sees only
/// packed entries, so pack every field that it needs; `P::unpack(entry.data)` unpacks one. If it concerns only a second store of
/// the same key, implement [`Payload::merge`] instead.
///
/// ```
/// use sesame_table::{Generation, RawEntry, Rule, Table, mix64};
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
/// let table: Table<u32, Cheapest> = Table::with_mib(1, Cheapest)?;
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
    /// The default is true: the newer entry stays, as under [`Scheme::New`].
    #[inline(always)]
    fn prefers(&self, new: &RawEntry, old: &RawEntry, now: Generation) -> bool {
        let _ = (new, old, now);
        true
    }

    /// Returns whether `old`, the entry of another key, gives way whatever its worth: by default if its stamp is not `now`. On
    /// two levels, [`Rule::place`] asks.
    #[inline(always)]
    fn is_stale(&self, old: &RawEntry, now: Generation) -> bool {
        P::generation(old.data).is_some_and(|generation| generation != now)
    }

    /// Returns the place of `new` among two entries of other keys; `second` is `None` where that level is empty. It decides on
    /// two levels only, and only if the first is not empty; what two writers left that passed each other counts as empty.
    ///
    /// The default is that of the paper: a stale first entry gives way, one that `new` is [preferred](Rule::prefers) to moves to
    /// the second level, and beside any other `new` takes the second level. A rule that compares both entries, such as "the
    /// lowest depth less eight times its age gives way", takes its place:
    ///
    /// ```
    /// # use sesame_table::{Generation, Payload};
    /// use sesame_table::{Placement, RawEntry, Rule, Table, mix64};
    ///
    /// struct LowestGivesWay;
    ///
    /// fn worth<P: Payload>(entry: &RawEntry, now: Generation) -> i32 {
    ///     let age = P::generation(entry.data).map_or(0, |stamp| stamp.age(now));
    ///     i32::from(P::depth(entry.data)) - 8 * i32::from(age)
    /// }
    ///
    /// impl<P: Payload> Rule<P> for LowestGivesWay {
    ///     fn place(&self, _: &RawEntry, first: &RawEntry, second: Option<&RawEntry>, now: Generation) -> Placement {
    ///         match second {
    ///             Some(second) if worth::<P>(first, now) < worth::<P>(second, now) => Placement::First,
    ///             _ => Placement::Second,
    ///         }
    ///     }
    /// }
    ///
    /// let table = Table::with_mib(1, LowestGivesWay)?;
    /// table.store(mix64(1), &7_u32, 1);
    /// # Ok::<(), sesame_table::TableError>(())
    /// ```
    #[inline(always)]
    fn place(&self, new: &RawEntry, first: &RawEntry, second: Option<&RawEntry>, now: Generation) -> Placement {
        let _ = second;
        if self.is_stale(first, now) {
            // Not shifted: the second level's entry may be fresh.
            Placement::First
        } else if self.prefers(new, first, now) {
            Placement::Shift
        } else {
            Placement::Second
        }
    }

    /// Returns the data to store over `old`, an entry of the same key, under [`Update::Merge`]; `None` leaves it alone. `new` is
    /// of the generation `now`, except as in [`Rule::prefers`]. The default is [`Payload::merge`].
    #[inline(always)]
    fn update(&self, old: &RawEntry, new: &RawEntry, now: Generation) -> Option<u64> {
        let _ = now;
        P::merge(old.data, new.data)
    }

    /// Returns the number in a saved file: that of a scheme with as many levels. No other crate can name the type of the
    /// argument, so none can write another number:
    ///
    /// ```compile_fail,E0050
    /// use sesame_table::Rule;
    ///
    /// struct Mine;
    ///
    /// impl Rule<u32> for Mine {
    ///     fn number(&self) -> u8 {
    ///         77
    ///     }
    /// }
    /// ```
    #[doc(hidden)]
    fn number(&self, _: Closed) -> u8 {
        if self.has_two_levels() { Scheme::TwoBig1 as u8 } else { Scheme::Big1 as u8 }
    }
}

/// Seals [`Rule::number`].
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

/// A store: the rule that decides it, and what else it depends on.
#[derive(Copy, Clone, Debug)]
pub struct StoreContext<'a, P, R> {
    rule: &'a R,
    update: Update,
    now: Generation,
    bucket_count: usize,
    payload: PhantomData<fn() -> P>,
}

impl<'a, P: Payload, R: Rule<P>> StoreContext<'a, P, R> {
    /// Creates the context of stores during the generation `now`, in a table of so many buckets.
    #[inline(always)]
    pub const fn new(rule: &'a R, update: Update, now: Generation, bucket_count: usize) -> Self {
        StoreContext { rule, update, now, bucket_count, payload: PhantomData }
    }

    /// Stores `new`, the entry of `key`, in the bucket of `key`, and returns the outcome.
    ///
    /// Two threads can interleave. A probe still accepts only entries that were stored for its key, but an entry can be lost, or
    /// be in both levels until one of them is replaced.
    #[inline(always)]
    pub fn store(&self, bucket: &Bucket<impl Slot>, key: u64, new: RawEntry) -> Stored {
        if self.rule.has_two_levels() {
            self.store_in_two_levels(bucket, key, new)
        } else {
            self.store_in_one_level(&bucket.slots()[index(key, 2 * self.bucket_count) % 2], key, new)
        }
    }

    /// Stores in the only slot for the key: sections 6.1 and 6.2 of the paper.
    #[inline(always)]
    pub fn store_in_one_level<S: Slot>(&self, slot: &S, key: u64, new: RawEntry) -> Stored {
        let old = slot.read();
        if S::holds(&old, key) {
            return self.update(slot, &old, new);
        }
        let stored = if old.is_empty() {
            Stored::Empty
        } else if self.rule.is_stale(&old, self.now) || is_mixture(&old, key, 2 * self.bucket_count) {
            Stored::Stale
        } else if self.rule.prefers(&new, &old, self.now) {
            Stored::Replaced
        } else {
            return Stored::Refused;
        };
        slot.write(new);
        stored
    }

    /// Stores under TWODEEP and TWOBIG1. An entry of the second level is updated there, also to more than the first level's
    /// entry is worth.
    #[inline(always)]
    fn store_in_two_levels<S: Slot>(&self, bucket: &Bucket<S>, key: u64, new: RawEntry) -> Stored {
        let [first, second] = bucket.slots();
        let old = first.read();
        if S::holds(&old, key) {
            return self.update(first, &old, new);
        }
        let below = second.read();
        if S::holds(&below, key) {
            return self.update(second, &below, new);
        }
        if old.is_empty() {
            first.write(new);
            return Stored::Empty;
        }
        let [is_mixture, is_free] = [&old, &below].map(|entry| is_mixture(entry, key, self.bucket_count));
        let below = Some(&below).filter(|below| !below.is_empty() && !is_free);
        let placement = if is_mixture { Placement::First } else { self.rule.place(&new, &old, below, self.now) };
        match placement {
            Placement::First => {
                first.write(new);
                if is_mixture || self.rule.is_stale(&old, self.now) { Stored::Stale } else { Stored::Replaced }
            }
            Placement::Second => {
                second.write(new);
                Stored::Second
            }
            Placement::Shift => {
                second.write(old);
                first.write(new);
                Stored::Shifted
            }
            Placement::Nowhere => Stored::Refused,
        }
    }

    #[inline(always)]
    fn update(&self, slot: &impl Slot, old: &RawEntry, new: RawEntry) -> Stored {
        let data = match self.update {
            Update::Overwrite => Some(new.data),
            Update::Merge => self.rule.update(old, &new, self.now),
        };
        let Some(data) = data else { return Stored::Kept };
        slot.write(RawEntry { data, ..new });
        Stored::Updated
    }
}

/// Returns whether `entry` is a mixture of two writes, which belongs to no key with the index of `key` among `count`.
#[inline(always)]
fn is_mixture(entry: &RawEntry, key: u64, count: usize) -> bool {
    // Up to this count every mixture has a key with the index.
    count > 1 << (u64::BITS - CHECK_BITS) && entry.key_beside(key, count).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for &scheme in Scheme::ALL {
            assert_eq!(scheme.to_string().parse(), Ok(scheme));
            assert_eq!(scheme.name().to_lowercase().parse(), Ok(scheme));
            assert_eq!(scheme.counts_hits_in_full(), scheme == Scheme::BigAll);
        }
        assert!("TWOBIG2".parse::<Scheme>().unwrap_err().to_string().contains("TWOBIG2"));
    }
}
