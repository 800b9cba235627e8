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
/// let shard: Shard = "2/3".parse().unwrap();
/// assert_eq!(shard.of(0..8).collect::<Vec<_>>(), [1, 4, 7]);
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

    /// Returns true if the item with this number, from 0, belongs to this part. The items are dealt out in
    /// turn, so that neighbours go to different parts.
    pub fn contains(self, item: u64) -> bool {
        item % u64::from(self.count()) == u64::from(self.index() - 1)
    }

    /// Returns the items that belong to this part, in their order.
    pub fn of<I>(self, items: impl IntoIterator<Item = I>) -> impl Iterator<Item = I> {
        (0u64..).zip(items).filter(move |(number, _)| self.contains(*number)).map(|(_, item)| item)
    }
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
        for text in ["", "/", "1", "1/", "/2", "a/b", "1/2/3", "-1/2", "+1/2", " 1/2", "1 / 2", "1/4294967296", "1.0/2"] {
            assert_eq!(text.parse::<Shard>(), Err(ShardError::Form), "{text}");
        }
        for (text, index, count) in [("0/2", 0, 2), ("3/2", 3, 2), ("0/0", 0, 0), ("1/0", 1, 0)] {
            assert_eq!(text.parse::<Shard>(), Err(ShardError::Range { index, count }), "{text}");
        }
    }

    #[test]
    fn parts_share_no_item_and_miss_none() {
        for count in 1..=7 {
            for items in 0..20u32 {
                let parts = (1..=count).map(|index| Shard::new(index, count).unwrap().of(0..items).collect::<Vec<_>>());
                let parts: Vec<Vec<u32>> = parts.collect();
                let sizes = || parts.iter().map(Vec::len);
                assert!(sizes().max().unwrap() - sizes().min().unwrap() <= 1, "{parts:?}");
                let mut all = parts.concat();
                all.sort_unstable();
                assert!(all.into_iter().eq(0..items), "{count} parts of {items}");
            }
        }
        assert!(Shard::WHOLE.of(0..5).eq(0..5));
    }
}
