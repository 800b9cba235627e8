//! The file format of a network: a header and the quantised weights. All numbers are little-endian.
//!
//! | bytes | content |
//! |---|---|
//! | 0 to 7 | `SESAMENN` |
//! | 8 to 11 | version of the format |
//! | 12 to 23 | inputs, neurons of an accumulator, output buckets, [`QA`], [`QB`], scale: 16 bits each |
//! | 24, 25 | 2: squared clipped ReLU; 1: mirrored by the own king's file |
//! | 26 to 31 | 0 |
//! | 32 to 39 | XXH3 (64 bits) of the weights |
//! | 40 to 47 | XXH3 (64 bits) of bytes 0 to 39; 0 means none |
//! | 48 to 63 | 0; ignored when read |
//! | 64 on | 16 bits each: feature weights, feature biases, output weights by bucket, output biases |

use std::ops::RangeInclusive;

use twox_hash::XxHash3_64;

use super::{HIDDEN, INPUTS, OUTPUT_BUCKETS, QA, QB};

const VERSION: u32 = 1;
/// The first bytes of a network.
pub const NETWORK_MAGIC: &[u8; 8] = b"SESAMENN";
pub const SCALE_RANGE: RangeInclusive<u16> = 10..=4_000;
const HEADER: usize = 64;
const HEADER_SUM: usize = 40;
pub(super) const MAX_LENGTH: usize = length(HIDDEN);
/// Rows of one number per neuron: feature weights, feature biases, output weights.
const ROWS: usize = INPUTS + 1 + 2 * OUTPUT_BUCKETS;
const KINDS: [u8; 2] = [2, 1];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weights {
    /// Feature weights times [`QA`]: [`INPUTS`] rows of [`HIDDEN`] numbers.
    pub features: Vec<i16>,
    /// Feature biases times [`QA`]: [`HIDDEN`] numbers.
    pub biases: Vec<i16>,
    /// Output weights times [`QB`]: for each bucket, [`HIDDEN`] numbers for the side to move, then for the opponent.
    pub output: Vec<i16>,
    /// Output biases times [`QA`] times [`QB`], by bucket.
    pub output_biases: Vec<i16>,
    /// Centipawns of an output of 1.0, in [`SCALE_RANGE`].
    pub scale: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NetworkFormatError {
    #[error("it is not a network of Sesame")]
    Magic,
    #[error("version {0} of the format; this program reads version {VERSION}")]
    Version(u32),
    #[error("it is a network {0}; this program computes {supported}", supported = architecture())]
    Architecture(String),
    #[error("it is {found} bytes long instead of {expected}")]
    Length { found: usize, expected: usize },
    #[error("it is damaged: the hash of its weights is {found:016x} instead of {expected:016x}")]
    Checksum { found: u64, expected: u64 },
    #[error("it is damaged: the checksum of its header is wrong")]
    HeaderChecksum,
    #[error("its scale is {0} instead of {low} to {high}", low = SCALE_RANGE.start(), high = SCALE_RANGE.end())]
    Scale(u16),
    #[error("its weights are so large that a sum could overflow")]
    Overflow,
}

const fn length(hidden: usize) -> usize {
    HEADER + 2 * (ROWS * hidden + OUTPUT_BUCKETS)
}

fn architecture() -> String {
    describe([INPUTS, HIDDEN, OUTPUT_BUCKETS, QA as usize, QB as usize].map(|number| number as u16), KINDS)
}

fn describe([inputs, hidden, buckets, qa, qb]: [u16; 5], [activation, mirroring]: [u8; 2]) -> String {
    let layers = format!("({inputs} -> {hidden})x2 -> {buckets}");
    format!("{layers}, quantised by {qa} and {qb}, activation {activation}, mirroring {mirroring}")
}

pub(super) fn hash(bytes: &[u8]) -> u64 {
    bytes.get(32..40).and_then(|hash| hash.try_into().ok()).map_or(0, u64::from_le_bytes)
}

pub(super) fn architecture_of(bytes: &[u8]) -> String {
    let Some(header) = bytes.first_chunk::<HEADER>() else { return architecture() };
    let numbers = [12, 14, 16, 18, 20].map(|at| u16::from_le_bytes([header[at], header[at + 1]]));
    describe(numbers, [header[24], header[25]])
}

impl Weights {
    pub fn hash(&self) -> u64 {
        XxHash3_64::oneshot(&self.body())
    }

    fn body(&self) -> Vec<u8> {
        let Weights { features, biases, output, output_biases, scale: _ } = self;
        [features, biases, output, output_biases]
            .into_iter()
            .flatten()
            .flat_map(|number| number.to_le_bytes())
            .collect()
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let body = self.body();
        let mut bytes = NETWORK_MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        let shape = [INPUTS as u16, HIDDEN as u16, OUTPUT_BUCKETS as u16, QA as u16, QB as u16, self.scale];
        bytes.extend(shape.iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend(KINDS);
        bytes.resize(32, 0);
        bytes.extend(XxHash3_64::oneshot(&body).to_le_bytes());
        bytes.extend(XxHash3_64::oneshot(&bytes).to_le_bytes());
        bytes.resize(HEADER, 0);
        bytes.extend(body);
        bytes
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Weights, NetworkFormatError> {
        let parts = bytes.split_first_chunk::<HEADER>().filter(|(header, _)| header.starts_with(NETWORK_MAGIC));
        let Some((header, body)) = parts else { return Err(NetworkFormatError::Magic) };
        let half = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
        let version = u32::from_le_bytes([8, 9, 10, 11].map(|at| header[at]));
        if version != VERSION {
            return Err(NetworkFormatError::Version(version));
        }
        // The checksum of the weights does not cover the scale.
        let sum = &header[HEADER_SUM..HEADER_SUM + 8];
        if sum != [0; 8] && sum != XxHash3_64::oneshot(&header[..HEADER_SUM]).to_le_bytes() {
            return Err(NetworkFormatError::HeaderChecksum);
        }
        let shape = [12, 14, 16, 18, 20].map(half);
        let hidden = usize::from(shape[1]);
        if describe([shape[0], HIDDEN as u16, shape[2], shape[3], shape[4]], [header[24], header[25]]) != architecture()
            || !(1..=HIDDEN).contains(&hidden)
        {
            return Err(NetworkFormatError::Architecture(architecture_of(bytes)));
        }
        if bytes.len() != length(hidden) {
            return Err(NetworkFormatError::Length { found: bytes.len(), expected: length(hidden) });
        }
        let found = XxHash3_64::oneshot(body);
        let expected = hash(bytes);
        if found != expected {
            return Err(NetworkFormatError::Checksum { found, expected });
        }
        if !SCALE_RANGE.contains(&half(22)) {
            return Err(NetworkFormatError::Scale(half(22)));
        }
        let (numbers, _) = body.as_chunks();
        let mut numbers = numbers.iter().map(|&number| i16::from_le_bytes(number));
        let mut rows = |count| {
            let mut rows = vec![0; count * HIDDEN];
            for row in rows.chunks_exact_mut(HIDDEN) {
                row.iter_mut().zip(numbers.by_ref().take(hidden)).for_each(|(to, number)| *to = number);
            }
            rows
        };
        Ok(Weights {
            features: rows(INPUTS),
            biases: rows(1),
            output: rows(2 * OUTPUT_BUCKETS),
            output_biases: numbers.collect(),
            scale: half(22),
        })
    }
}
