//! The file of a network: a head that says what it is, and the numbers.
//!
//! All numbers are little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 0 to 7 | `SESAMENN` |
//! | 8 to 11 | version of the format |
//! | 12 to 23 | inputs, neurons of an accumulator, output buckets, [`QA`], [`QB`], scale: 16 bits each |
//! | 24, 25 | 2: squared clipped ReLU; 1: mirrored by the own king's file |
//! | 26 to 31 | 0 |
//! | 32 to 39 | XXH3 (64 bits) of the numbers |
//! | 40 to 47 | XXH3 (64 bits) of bytes 0 to 39; 0 in files written before there was one |
//! | 48 to 63 | 0; nobody reads them |
//! | 64 on | the numbers, 16 bits each: rows, biases, output weights by bucket, output biases |

use twox_hash::XxHash3_64;

use super::{BUCKETS, BadNetwork, HIDDEN, INPUTS, QA, QB, SCALES, Weights};

pub(super) const VERSION: u32 = 1;
/// What a file of a network begins with.
pub const MAGIC: &[u8; 8] = b"SESAMENN";
const HEAD: usize = 64;
/// Where the checksum of the head begins, which is of all before it.
const SUM: usize = 40;
/// The longest that a file can be, in bytes.
pub(super) const LENGTH: usize = length(HIDDEN);
/// Rows of as many numbers as there are neurons: the first layer's, its biases, the output's.
const ROWS: usize = INPUTS + 1 + 2 * BUCKETS;

/// How long the file of a network with so many neurons is, in bytes.
const fn length(hidden: usize) -> usize {
    HEAD + 2 * (ROWS * hidden + BUCKETS)
}
/// Squared clipped ReLU, mirrored by the own king's file.
const KINDS: [u8; 2] = [2, 1];

/// What this program computes, for messages.
pub(super) fn architecture() -> String {
    describe([INPUTS, HIDDEN, BUCKETS, QA as usize, QB as usize].map(|number| number as u16), KINDS)
}

fn describe([inputs, hidden, buckets, qa, qb]: [u16; 5], [activation, view]: [u8; 2]) -> String {
    format!("({inputs} -> {hidden})x2 -> {buckets}, quantised by {qa} and {qb}, kinds {activation} and {view}")
}

/// The hash that the head of a file tells; 0 for what is too short to be one.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    bytes.get(32..40).and_then(|hash| hash.try_into().ok()).map_or(0, u64::from_le_bytes)
}

/// The checksum that the head of a file should tell.
fn sum_of(head: &[u8; HEAD]) -> [u8; 8] {
    XxHash3_64::oneshot(&head[..SUM]).to_le_bytes()
}

/// Writes its checksum into the head of a file.
#[cfg(test)]
pub(super) fn seal(bytes: &mut [u8]) {
    let head = bytes.first_chunk_mut().unwrap();
    let sum = sum_of(head);
    head[SUM..SUM + 8].copy_from_slice(&sum);
}

/// The shape that the head of a file tells, for messages; what is too short to tell has that of this program.
pub(super) fn shape_of(bytes: &[u8]) -> String {
    let Some(head) = bytes.first_chunk::<HEAD>() else { return architecture() };
    describe([12, 14, 16, 18, 20].map(|at| u16::from_le_bytes([head[at], head[at + 1]])), [head[24], head[25]])
}

impl Weights {
    /// The hash of the numbers.
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

    /// The bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let body = self.body();
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        let shape = [INPUTS as u16, HIDDEN as u16, BUCKETS as u16, QA as u16, QB as u16, self.scale];
        bytes.extend(shape.iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend(KINDS);
        bytes.resize(32, 0);
        bytes.extend(XxHash3_64::oneshot(&body).to_le_bytes());
        bytes.extend(XxHash3_64::oneshot(&bytes).to_le_bytes());
        bytes.resize(HEAD, 0);
        bytes.extend(body);
        bytes
    }

    /// The weights that the bytes of a file hold. A network of fewer neurons gets some that weigh nothing.
    ///
    /// # Errors
    /// When they hold anything but a whole network of the shape that this program computes, or of fewer neurons.
    pub fn from_bytes(bytes: &[u8]) -> Result<Weights, BadNetwork> {
        let Some((head, body)) = bytes.split_first_chunk::<HEAD>().filter(|(head, _)| head.starts_with(MAGIC)) else {
            return Err(BadNetwork::Foreign);
        };
        let half = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]);
        let version = u32::from_le_bytes([8, 9, 10, 11].map(|at| head[at]));
        if version != VERSION {
            return Err(BadNetwork::Version(version));
        }
        // Not of the numbers alone: another scale is another network.
        let sum = &head[SUM..SUM + 8];
        if sum != [0; 8] && sum != sum_of(head) {
            return Err(BadNetwork::DamagedHead);
        }
        let shape = [12, 14, 16, 18, 20].map(half);
        let hidden = usize::from(shape[1]);
        if describe([shape[0], HIDDEN as u16, shape[2], shape[3], shape[4]], [head[24], head[25]]) != architecture()
            || !(1..=HIDDEN).contains(&hidden)
        {
            return Err(BadNetwork::Architecture(shape_of(bytes)));
        }
        if bytes.len() != length(hidden) {
            return Err(BadNetwork::Length { found: bytes.len(), wanted: length(hidden) });
        }
        let found = XxHash3_64::oneshot(body);
        let wanted = hash(bytes);
        if found != wanted {
            return Err(BadNetwork::Damaged { found, wanted });
        }
        if !SCALES.contains(&half(22)) {
            return Err(BadNetwork::Scale(half(22)));
        }
        let (numbers, _) = body.as_chunks();
        let mut numbers = numbers.iter().map(|&number| i16::from_le_bytes(number));
        let mut rows = |count| -> Vec<i16> {
            let row =
                |_| numbers.by_ref().take(hidden).chain(std::iter::repeat_n(0, HIDDEN - hidden)).collect::<Vec<_>>();
            (0..count).flat_map(row).collect()
        };
        Ok(Weights {
            features: rows(INPUTS),
            biases: rows(1),
            output: rows(2 * BUCKETS),
            output_biases: numbers.collect(),
            scale: half(22),
        })
    }
}
