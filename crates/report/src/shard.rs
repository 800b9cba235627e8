//! Shards: the parts of an experiment that different processes or machines compute.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

/// Part `index` of `count` equal parts of an experiment, both from 1.
///
/// Parsed from and formatted as `I/N`, such as `2/8`. The parts of the same experiment share no item and miss
/// none.
///
/// ```
/// use sesame_report::Shard;
/// let parts = ["1/2", "2/2"].map(|text| text.parse::<Shard>().unwrap());
/// let [first, second] = parts.map(|part| part.of(0..10).collect::<Vec<u32>>());
/// assert_eq!((first.len(), second.len()), (5, 5));
/// assert_eq!(Shard::in_order(vec![first, second]), Ok((0..10).collect()));
/// ```
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Shard {
    index: NonZeroU32,
    count: NonZeroU32,
}

/// The error of a text that is not a shard.
#[derive(Copy, Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ShardError {
    /// The text is not two numbers with a slash between them.
    #[error("not a part I/N, such as 2/8")]
    Form,
    /// The index is 0 or greater than the count.
    #[error("the part {index}/{count} does not exist: the first number is from 1 to the second")]
    Range {
        /// The first number.
        index: u32,
        /// The second number.
        count: u32,
    },
}

impl Shard {
    /// The whole experiment: the only part of one.
    pub const WHOLE: Shard = Shard { index: NonZeroU32::MIN, count: NonZeroU32::MIN };

    /// Returns part `index` of `count`.
    ///
    /// # Errors
    /// [`ShardError::Range`] unless 1 <= `index` <= `count`.
    pub fn new(index: u32, count: u32) -> Result<Self, ShardError> {
        match (NonZeroU32::new(index), NonZeroU32::new(count)) {
            (Some(index), Some(count)) if index <= count => Ok(Self { index, count }),
            _ => Err(ShardError::Range { index, count }),
        }
    }

    /// Returns the number of this part, from 1.
    pub fn index(self) -> u32 {
        self.index.get()
    }

    /// Returns the number of parts.
    pub fn count(self) -> u32 {
        self.count.get()
    }

    /// Returns true if this is the only part.
    pub fn is_whole(self) -> bool {
        self == Self::WHOLE
    }

    /// Returns true if the item with this number, from 0, belongs to this part.
    ///
    /// The items are dealt out in rounds: one item of each round goes to each part. A round begins at a part
    /// that a fixed hash chooses, so that no part gets, for example, every second item.
    pub fn contains(self, item: u64) -> bool {
        let (round, place) = (item / u64::from(self.count()), item % u64::from(self.count()));
        seat(round, place, u64::from(self.count())) == u64::from(self.index() - 1)
    }

    /// Returns the items that belong to this part, in their order.
    pub fn of<I>(self, items: impl IntoIterator<Item = I>) -> impl Iterator<Item = I> {
        (0u64..).zip(items).filter(move |(number, _)| self.contains(*number)).map(|(_, item)| item)
    }

    /// Returns the line of a journal that names this part and its number of rows; `None` for the whole. With
    /// it, [`JournalKind::merge`](crate::journal::JournalKind::merge) finds missing and unfinished parts.
    pub fn condition(self, rows: usize) -> Option<String> {
        (!self.is_whole()).then(|| format!("{CONDITION}{self}, {rows} rows"))
    }

    /// Parses a line that [`Shard::condition`] has written: the part and its number of rows.
    pub(crate) fn parse_condition(line: &str) -> Option<(Self, usize)> {
        let (shard, rows) = line.strip_prefix(CONDITION)?.strip_suffix(" rows")?.split_once(", ")?;
        Some((shard.parse().ok()?, rows.parse().ok()?))
    }

    /// Returns all items in the order before they were dealt out: the inverse of [`Shard::of`]. `parts` are
    /// all parts, in the order of their numbers.
    ///
    /// # Errors
    /// The number, from 1, of the first part with an item too few or too many.
    pub fn in_order<I>(parts: Vec<Vec<I>>) -> Result<Vec<I>, u32> {
        let (count, total) = (parts.len() as u64, parts.iter().map(|part| part.len() as u64).sum::<u64>());
        let mut parts: Vec<_> = parts.into_iter().map(Vec::into_iter).collect();
        let mut items = Vec::new();
        for item in 0..total {
            let seat = seat(item / count, item % count, count) as usize;
            items.push(parts[seat].next().ok_or(seat as u32 + 1)?);
        }
        Ok(items)
    }
}

/// The beginning of a journal's line that names the part.
const CONDITION: &str = "# shard: ";

/// Returns the part, from 0, that gets the item at `place` of `round`.
fn seat(round: u64, place: u64, count: u64) -> u64 {
    // The multiplier of Fibonacci hashing (Knuth, volume 3, section 6.4).
    let first = (round.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) % count;
    (first + place) % count
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        // `u32::from_str` takes a sign.
        let number = |text: &str| match text.parse() {
            Ok(number) if text.bytes().all(|byte| byte.is_ascii_digit()) => Ok(number),
            _ => Err(ShardError::Form),
        };
        let (index, count) = text.split_once('/').ok_or(ShardError::Form)?;
        Self::new(number(index)?, number(count)?)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_parsed_as_written() {
        for text in ["1/1", "1/2", "2/2", "128/4096", "4294967295/4294967295"] {
            let shard: Shard = text.parse().unwrap();
            assert_eq!(shard.to_string(), text);
            assert_eq!(Shard::new(shard.index(), shard.count()), Ok(shard));
        }
        assert!(Shard::WHOLE.is_whole() && !"1/2".parse::<Shard>().unwrap().is_whole());
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "/", "1", "1/", "/2", "a/b", "1/2/3", "-1/2", "+1/2", " 1/2", "1 / 2", "1/4294967296", "1.0/2"]
        {
            assert_eq!(text.parse::<Shard>(), Err(ShardError::Form), "{text}");
        }
        for (text, index, count) in [("0/2", 0, 2), ("3/2", 3, 2), ("0/0", 0, 0), ("1/0", 1, 0)] {
            assert_eq!(text.parse::<Shard>(), Err(ShardError::Range { index, count }), "{text}");
        }
    }

    #[test]
    fn parts_share_no_item_and_miss_none() {
        for count in 1..=7 {
            for items in 0..40u32 {
                let parts = (1..=count).map(|index| Shard::new(index, count).unwrap().of(0..items).collect::<Vec<_>>());
                let parts: Vec<Vec<u32>> = parts.collect();
                let sizes = || parts.iter().map(Vec::len);
                assert!(sizes().max().unwrap() - sizes().min().unwrap() <= 1, "{parts:?}");
                assert_eq!(Shard::in_order(parts), Ok((0..items).collect()), "{count} parts of {items}");
            }
        }
        assert!(Shard::WHOLE.of(0..5).eq(0..5));
        assert!(Shard::in_order(vec![vec![1, 2, 3], vec![]]).is_err());
    }

    #[test]
    fn parts_get_items_of_every_kind() {
        // Kinds in turn, as many as there are parts or more.
        for (count, kinds) in [(2, 2u32), (2, 4), (4, 4), (4, 8), (8, 8), (3, 6)] {
            for index in 1..=count {
                let mut seen = vec![0; kinds as usize];
                Shard::new(index, count).unwrap().of(0..40 * kinds).for_each(|item| seen[(item % kinds) as usize] += 1);
                let fair = 40 / count as usize;
                assert!(seen.iter().all(|&seen| seen > fair / 4 && seen < 3 * fair), "{index}/{count}: {seen:?}");
            }
        }
    }

    #[test]
    fn conditions_are_parsed_as_written() {
        let shard: Shard = "2/3".parse().unwrap();
        let line = shard.condition(17).unwrap();
        assert_eq!(Shard::parse_condition(&line), Some((shard, 17)));
        assert_eq!(Shard::WHOLE.condition(17), None);
        for other in ["# hash: 1", "# shard: 2/3", "# shard: 4/3, 17 rows", "# shard: 2/3, many rows"] {
            assert_eq!(Shard::parse_condition(other), None, "{other}");
        }
    }
}
