//! Adaptive models of decisions, and the range coder below them.

use std::borrow::Borrow;
use std::num::NonZeroU16;

use constriction::stream::model::{DecoderModel, EncoderModel, EntropyModel};
use constriction::stream::queue::{DefaultRangeDecoder, DefaultRangeEncoder};
use constriction::stream::{Decode as _, Encode as _};

const PROBABILITY_BITS: usize = 16;

/// No game under the rules is as long.
pub(crate) const MAX_PLIES: usize = 1 << 16;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CodeError {
    #[error("the code is invalid")]
    Code,
    #[error("a start position is invalid: {0}")]
    Start(String),
    #[error("a game is longer than {MAX_PLIES} plies")]
    Length,
    #[error("a move is illegal")]
    Move,
    #[error("a score is {0}")]
    Score(i32),
}

/// Codes decisions, or decodes them and ignores the values to code.
pub(super) enum Coder {
    Encoder(DefaultRangeEncoder),
    Decoder(DefaultRangeDecoder),
}

impl Coder {
    pub(super) fn encoder() -> Self {
        Self::Encoder(DefaultRangeEncoder::new())
    }

    pub(super) fn decoder(bytes: &[u8]) -> Self {
        let words: Vec<u32> = bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
        Self::Decoder(DefaultRangeDecoder::from_compressed(words).unwrap_or_else(|never| match never {}))
    }

    pub(super) fn finish(self) -> Vec<u8> {
        let Self::Encoder(encoder) = self else { return Vec::new() };
        let words = encoder.into_compressed().unwrap_or_else(|never| match never {});
        words.into_iter().flat_map(u32::to_le_bytes).collect()
    }

    #[inline]
    pub(super) fn bit(&mut self, bit: bool, probability: NonZeroU16) -> Result<bool, CodeError> {
        match self {
            Self::Encoder(encoder) => encoder.encode_symbol(bit, Chance(probability)).map(|()| bit).ok(),
            Self::Decoder(decoder) => decoder.decode_symbol(Chance(probability)).ok(),
        }
        .ok_or(CodeError::Code)
    }
}

/// The probability of `true`, in 1/65536: fixed for one decision.
struct Chance(NonZeroU16);

impl EntropyModel<PROBABILITY_BITS> for Chance {
    type Symbol = bool;
    type Probability = u16;
}

impl EncoderModel<PROBABILITY_BITS> for Chance {
    #[inline]
    fn left_cumulative_and_probability(&self, symbol: impl Borrow<bool>) -> Option<(u16, NonZeroU16)> {
        let p = self.0.get();
        if *symbol.borrow() { Some((0, self.0)) } else { NonZeroU16::new(p.wrapping_neg()).map(|rest| (p, rest)) }
    }
}

impl DecoderModel<PROBABILITY_BITS> for Chance {
    #[inline]
    fn quantile_function(&self, quantile: u16) -> (bool, u16, NonZeroU16) {
        let p = self.0.get();
        if quantile < p { (true, 0, self.0) } else { (false, p, NonZeroU16::new(p.wrapping_neg()).unwrap_or(self.0)) }
    }
}

/// Learns the probability of a decision: the mean of the first decisions, then a moving average.
#[derive(Clone, Copy)]
pub(super) struct Bit {
    pub(super) probability: u16,
    pub(super) decisions: u16,
}

impl Default for Bit {
    fn default() -> Self {
        Self { probability: 1 << 15, decisions: 0 }
    }
}

impl Bit {
    const WINDOW: u16 = 400;
    /// The maximum is 65536 less this.
    const MIN_PROBABILITY: u16 = 24;

    #[inline]
    fn update(&mut self, bit: bool) {
        let target = if bit { 1 << 16 } else { 0 };
        let probability = i32::from(self.probability);
        let probability = probability + (target - probability) / (i32::from(self.decisions) + 2);
        let min = Self::MIN_PROBABILITY;
        self.probability = probability.clamp(min.into(), min.wrapping_neg().into()) as u16;
        self.decisions = (self.decisions + 1).min(Self::WINDOW);
    }

    #[inline]
    pub(super) fn code(&mut self, coder: &mut Coder, bit: bool) -> Result<bool, CodeError> {
        let bit = coder.bit(bit, NonZeroU16::new(self.probability).unwrap_or(NonZeroU16::MIN))?;
        self.update(bit);
        Ok(bit)
    }
}

/// Codes numbers below 2^`LEVELS`, the highest bit first. A decision depends on those before.
pub(super) struct Tree<const LEVELS: usize>(Box<[Bit]>);

impl<const LEVELS: usize> Default for Tree<LEVELS> {
    fn default() -> Self {
        Self(vec![Bit::default(); 1 << LEVELS].into())
    }
}

impl<const LEVELS: usize> Tree<LEVELS> {
    pub(super) fn code(&mut self, coder: &mut Coder, value: usize) -> Result<usize, CodeError> {
        Self::decide(value, |node, bit| self.0[node].code(coder, bit))
    }

    /// Codes with the mean probability of two models, which both learn.
    pub(super) fn code_with(&mut self, other: &mut Self, coder: &mut Coder, value: usize) -> Result<usize, CodeError> {
        Self::decide(value, |node, bit| {
            let (one, two) = (&mut self.0[node], &mut other.0[node]);
            let mean = NonZeroU16::new(one.probability.midpoint(two.probability)).unwrap_or(NonZeroU16::MIN);
            let bit = coder.bit(bit, mean)?;
            one.update(bit);
            two.update(bit);
            Ok(bit)
        })
    }

    #[inline]
    fn decide(value: usize, mut code: impl FnMut(usize, bool) -> Result<bool, CodeError>) -> Result<usize, CodeError> {
        let mut node = 1;
        for level in (0..LEVELS).rev() {
            node = 2 * node + usize::from(code(node, value >> level & 1 == 1)?);
        }
        Ok(node - (1 << LEVELS))
    }
}

/// Returns the number of a size class, whose members [`code_in_class`] tells apart. Classes grow by half octaves.
pub(super) fn size_class(size: u32) -> usize {
    match size {
        0..4 => size as usize,
        _ => {
            let octave = size.ilog2();
            (2 * octave + (size >> (octave - 1) & 1)) as usize
        }
    }
}

pub(super) fn code_in_class(coder: &mut Coder, high: &mut Bit, class: usize, value: u32) -> Result<u32, CodeError> {
    const EVEN: NonZeroU16 = NonZeroU16::new(1 << 15).unwrap();
    if class < 4 {
        return Ok(class as u32);
    }
    let bits = class / 2 - 1;
    let mut found = 2 + class as u32 % 2;
    for level in (0..bits).rev() {
        let bit = value >> level & 1 == 1;
        let bit = if level + 1 == bits { high.code(coder, bit)? } else { coder.bit(bit, EVEN)? };
        found = 2 * found + u32::from(bit);
    }
    Ok(found)
}

#[derive(Default)]
pub(super) struct Number {
    class: Tree<5>,
    high: [Bit; 32],
}

impl Number {
    pub(super) fn code(&mut self, coder: &mut Coder, value: u32) -> Result<u32, CodeError> {
        let class = self.class.code(coder, size_class(value))?;
        code_in_class(coder, &mut self.high[class], class, value)
    }
}
