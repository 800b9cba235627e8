//! The network: an efficiently updated neural network (NNUE), trained by this crate on games that Sesame played against itself.
//!
//! Two accumulators, one for each player's view of the board, are sums of one row per man. The row is chosen by the man's
//! colour, kind and square as the player sees them: own men first, the board turned for Black, and mirrored when the own
//! king stands on the right half. Squared clipped ReLU of both, that of the side to move first, goes into one of eight output
//! neurons, chosen by the number of men. All is done in integers, so that every way to compute it gives the same value.
//!
//! - `features.rs`: boards, how two of them differ, and which row belongs to a man.
//! - `file.rs`: the file of a network.
//! - `kernels.rs`: the two inner loops, for each kind of vector registers.
//! - `accumulators.rs`: what a worker keeps so that it need not sum from scratch.
//!
//! The idea of efficient updates is Yu Nasu's (2018); perspective networks, squared clipped ReLU, the quantisation and output
//! buckets are as in bullet (<https://github.com/jw1912/bullet>). `docs/nnue.md` tells how a network is made.

mod accumulators;
mod features;
mod file;
mod kernels;
#[cfg(test)]
pub(crate) mod tests;
pub mod wdl;

use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

pub use accumulators::Accumulators;
pub use features::row;
#[cfg(test)]
pub use features::rows_from_scratch;
use features::{Board, Changes, RowChanges, View};
pub use file::MAGIC;

pub use kernels::Simd;
use kernels::{Kernels, Row};

use crate::position::{Color, Position};

/// No evaluation reaches this absolute value, in centipawns.
pub const VALUE_LIMIT: i32 = 20_000;

/// Rows of the first layer: 2 colours, 6 kinds of men, 64 squares.
pub const INPUTS: usize = 768;
/// Neurons of an accumulator.
pub const HIDDEN: usize = 512;
/// Output neurons.
pub const BUCKETS: usize = 8;
/// What 1.0 is in the first layer, and the most that an activation can be.
pub const QA: i32 = 255;
/// What 1.0 is in the output weights.
pub const QB: i32 = 64;

/// The greatest output weight. Times an activation it must fit 16 bits.
pub const OUTPUT_LIMIT: i32 = 128;

/// The greatest sum of one accumulator's output weights, without their signs: times squared activations it must fit 32 bits.
pub const OUTPUT_SUM_LIMIT: i32 = i32::MAX / (QA * QA);

// Whole vectors of every kind.
const _: () = assert!(HIDDEN.is_multiple_of(64));

/// The output neuron for a board with so many men, 2 to 32.
#[inline]
pub fn bucket(men: u32) -> usize {
    (men.saturating_sub(2) as usize / 4).min(BUCKETS - 1)
}

/// A network as plain numbers, as the file has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weights {
    /// The first layer, times [`QA`]: [`INPUTS`] rows of [`HIDDEN`].
    pub features: Vec<i16>,
    /// What an accumulator of no men holds, times [`QA`].
    pub biases: Vec<i16>,
    /// The output weights, times [`QB`]: for each bucket [`HIDDEN`] for the side to move and [`HIDDEN`] for the other.
    pub output: Vec<i16>,
    /// The output biases, times [`QA`] times [`QB`].
    pub output_biases: Vec<i16>,
    /// How many centipawns an output of 1.0 is.
    pub scale: u16,
}

/// The scales that a network may have: how many centipawns an output of 1.0 is.
pub const SCALES: std::ops::RangeInclusive<u16> = 10..=4_000;

/// Why bytes are no network for this engine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadNetwork {
    /// It does not begin as a network of Sesame does.
    #[error("it is not a network of Sesame")]
    Foreign,
    /// A version of the file that this program does not know.
    #[error("version {0} of the format; this program reads version {version}", version = file::VERSION)]
    Version(u32),
    /// A network of another shape.
    #[error("it is a network {0}; this program computes {wanted}", wanted = file::architecture())]
    Architecture(String),
    /// Cut off, or with something at the end.
    #[error("it is {found} bytes long instead of {wanted}")]
    Length {
        /// The bytes there are.
        found: usize,
        /// The bytes there should be.
        wanted: usize,
    },
    /// The numbers are not those that were written.
    #[error("it is damaged: the hash of its numbers is {found:016x} instead of {wanted:016x}")]
    Damaged {
        /// The hash of what is there.
        found: u64,
        /// The hash of what was written.
        wanted: u64,
    },
    /// The head is not the one that was written.
    #[error("it is damaged: its head, with shape, scale and hash, has another checksum")]
    DamagedHead,
    /// A scale that no network of Sesame has.
    #[error("its scale is {0} instead of {low} to {high}", low = SCALES.start(), high = SCALES.end())]
    Scale(u16),
    /// Numbers with which a sum could overflow.
    #[error("its weights are too large to compute with")]
    Overflow,
}

/// Why a network could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// The file could not be read.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: std::io::Error,
    },
    /// The file could be read, and is no use.
    #[error("{}: {problem}", path.display())]
    Bad {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: BadNetwork,
    },
}

/// A network to compute with.
#[derive(Clone)]
pub struct Network {
    rows: Box<[Row; INPUTS]>,
    biases: Row,
    output: [[Row; 2]; BUCKETS],
    output_biases: [i64; BUCKETS],
    scale: i64,
    hash: u64,
    kernels: Kernels,
}

impl Network {
    /// The network of this build, `sesame.nnue`; `docs/nnue.md` tells how it was made.
    pub fn embedded() -> Arc<Network> {
        // The numbers are copied when it is loaded, so that the bytes need no alignment.
        static NETWORK: LazyLock<Arc<Network>> = LazyLock::new(|| {
            let network = Network::from_bytes(include_bytes!("sesame.nnue"));
            Arc::new(network.unwrap_or_else(|problem| unreachable!("the network of this build is tested: {problem}")))
        });
        Arc::clone(&NETWORK)
    }

    /// Reads the file of a network.
    ///
    /// # Errors
    /// When the file cannot be read, or holds anything but a whole network of the shape that this program computes, or of fewer neurons.
    pub fn read(path: &Path) -> Result<Network, NetworkError> {
        read_as(path, Self::from_bytes)
    }

    /// The network that the bytes of a file hold.
    ///
    /// # Errors
    /// When they hold anything but a whole network of the shape that this program computes, or of fewer neurons.
    pub fn from_bytes(bytes: &[u8]) -> Result<Network, BadNetwork> {
        let network = Network::new(&Weights::from_bytes(bytes)?)?;
        // By that of its file it is known, also when it has been given more neurons.
        Ok(Network { hash: file::hash(bytes), ..network })
    }

    /// A network with these weights.
    ///
    /// # Errors
    /// When there are too many or too few of them, or some so large that a sum could overflow.
    pub fn new(weights: &Weights) -> Result<Network, BadNetwork> {
        let (rows, []) = weights.features.as_chunks() else { return Err(BadNetwork::Overflow) };
        let rows: Vec<Row> = rows.iter().copied().map(Row).collect();
        let (output, _) = weights.output.as_chunks();
        let lengths = (rows.len(), weights.biases.len(), weights.output.len(), weights.output_biases.len());
        if lengths != (INPUTS, HIDDEN, BUCKETS * 2 * HIDDEN, BUCKETS) {
            return Err(BadNetwork::Architecture(format!("of {lengths:?} numbers")));
        }
        // With 32 men at most and every row at its greatest.
        let overflows = (0..HIDDEN).any(|i| {
            let largest = rows.iter().map(|row| i32::from(row.0[i]).abs()).max().unwrap_or(0);
            32 * largest + i32::from(weights.biases[i]).abs() > i32::from(i16::MAX)
        });
        let too_large = output.iter().any(|weights: &[i16; HIDDEN]| {
            let sizes = weights.iter().map(|&weight| i32::from(weight).abs());
            sizes.clone().any(|size| size > OUTPUT_LIMIT) || sizes.sum::<i32>() > OUTPUT_SUM_LIMIT
        });
        if overflows || too_large {
            return Err(BadNetwork::Overflow);
        }
        let boxed: Result<Box<[Row; INPUTS]>, _> = rows.into_boxed_slice().try_into();
        let mut biases = Row::ZERO;
        biases.0.copy_from_slice(&weights.biases);
        Ok(Network {
            rows: boxed.unwrap_or_else(|_| unreachable!("the length was checked")),
            biases,
            output: std::array::from_fn(|i| [Row(output[2 * i]), Row(output[2 * i + 1])]),
            output_biases: std::array::from_fn(|i| weights.output_biases[i].into()),
            scale: weights.scale.into(),
            hash: weights.hash(),
            kernels: Kernels::best(),
        })
    }

    /// The same network, computed in another way; `None` if this machine cannot.
    pub fn with_simd(&self, simd: Simd) -> Option<Network> {
        Some(Network { kernels: Kernels::of(simd)?, ..self.clone() })
    }

    /// The hash of its numbers as its file has them, by which networks are named. The scale is none of them.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// The vector registers that it is computed with.
    pub fn simd(&self) -> Simd {
        self.kernels.simd()
    }

    /// The value of a position in which the side to move is not in check, from its side, computed from scratch. Units and
    /// bounds are those of this module: centipawns, less than [`VALUE_LIMIT`].
    pub fn evaluate(&self, position: &Position) -> i32 {
        let (mut changes, mut rows) = (Changes::default(), RowChanges::default());
        Board::EMPTY.write_changes_to(&Board::of(position), &mut changes);
        let accumulators = Color::ALL.map(|color| {
            let mut accumulator = Row::ZERO;
            changes.write_rows(View::of(position, color), &mut rows);
            self.kernels.update(&self.rows, &self.biases, &mut accumulator, &rows.added, &rows.removed);
            accumulator
        });
        self.output(position, &accumulators)
    }

    /// The value of a position with these accumulators, White's first.
    #[inline]
    fn output(&self, position: &Position, rows: &[Row; 2]) -> i32 {
        let bucket = bucket(position.occupied().len());
        let us = position.side_to_move();
        let sum = self.kernels.output(&rows[us as usize], &rows[!us as usize], &self.output[bucket]);
        let (qa, qb) = (i64::from(QA), i64::from(QB));
        let value = (sum / qa + self.output_biases[bucket]) * self.scale / (qa * qb);
        let limit = i64::from(VALUE_LIMIT) - 1;
        value.clamp(-limit, limit) as i32
    }
}

/// Reads a file as `read` understands it.
fn read_as<T>(path: &Path, read: impl FnOnce(&[u8]) -> Result<T, BadNetwork>) -> Result<T, NetworkError> {
    let bytes = read_plain_file(path).map_err(|source| NetworkError::File { path: path.to_owned(), source })?;
    read(&bytes).map_err(|problem| NetworkError::Bad { path: path.to_owned(), problem })
}

impl Weights {
    /// Reads the file of a network of as many neurons as this program computes, to learn on from it: neurons that weigh nothing could not.
    ///
    /// # Errors
    /// As [`Network::read`]; also when it has fewer neurons.
    pub fn read(path: &Path) -> Result<Weights, NetworkError> {
        read_as(path, |bytes| {
            let weights = Self::from_bytes(bytes)?;
            Network::new(&weights)?;
            if weights.hash() == file::hash(bytes) {
                Ok(weights)
            } else {
                Err(BadNetwork::Architecture(file::shape_of(bytes)))
            }
        })
    }
}

/// The bytes of a plain file, as far as a network could be long.
fn read_plain_file(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    crate::regular_file::open(path)?.take(2 * file::LENGTH as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Networks are equal when their hashes and scales are.
impl PartialEq for Network {
    fn eq(&self, other: &Self) -> bool {
        (self.hash, self.scale) == (other.hash, other.scale)
    }
}

impl Eq for Network {}

/// `network`, with the hash of its file in hexadecimal.
impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "network {:016x}", self.hash)
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Network({:016x}, {})", self.hash, self.simd())
    }
}
