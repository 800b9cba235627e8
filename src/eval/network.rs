//! A quantised network: loading, checks against overflow, inference.

use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use super::features::{FeatureChanges, Perspective, PieceChanges, PiecePlacement};
use super::file::{self, NetworkFormatError, Weights};
use super::kernels::{Kernels, Row, Simd};
use super::{
    HIDDEN, INPUTS, OUTPUT_BUCKETS, OUTPUT_SUM_LIMIT, OUTPUT_WEIGHT_LIMIT, QA, QB, VALUE_LIMIT, output_bucket,
};
use crate::position::{Color, Position};

#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("{}: {source}", path.display())]
    Format { path: PathBuf, source: NetworkFormatError },
}

#[derive(Clone)]
pub struct Network {
    pub(super) feature_weights: Box<[Row; INPUTS]>,
    pub(super) feature_biases: Row,
    /// Bucket; the side to move, the opponent.
    output_weights: [[Row; 2]; OUTPUT_BUCKETS],
    output_biases: [i64; OUTPUT_BUCKETS],
    scale: i64,
    hash: u64,
    pub(super) kernels: Kernels,
}

impl Network {
    pub fn embedded() -> Arc<Network> {
        // Loading copies the weights, so the bytes need no alignment.
        static NETWORK: LazyLock<Arc<Network>> = LazyLock::new(|| {
            let network = Network::from_bytes(include_bytes!("../../networks/sesame.nnue"));
            Arc::new(network.unwrap_or_else(|error| unreachable!("a test loads the embedded network: {error}")))
        });
        Arc::clone(&NETWORK)
    }

    /// Pads a network of fewer neurons than [`HIDDEN`] with zeros. Fails for a file that is no complete network of this kind.
    pub fn read(path: &Path) -> Result<Network, NetworkError> {
        read_as(path, Self::from_bytes)
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Network, NetworkFormatError> {
        let network = Network::new(&Weights::from_bytes(bytes)?)?;
        // A padded network keeps the hash of its file.
        Ok(Network { hash: file::hash(bytes), ..network })
    }

    /// Fails with [`NetworkFormatError::Architecture`] or [`NetworkFormatError::Overflow`].
    pub fn new(weights: &Weights) -> Result<Network, NetworkFormatError> {
        let (rows, []) = weights.features.as_chunks() else { return Err(NetworkFormatError::Overflow) };
        let rows: Vec<Row> = rows.iter().copied().map(Row).collect();
        let (output, _) = weights.output.as_chunks();
        let lengths = (rows.len(), weights.biases.len(), weights.output.len(), weights.output_biases.len());
        if lengths != (INPUTS, HIDDEN, OUTPUT_BUCKETS * 2 * HIDDEN, OUTPUT_BUCKETS) {
            return Err(NetworkFormatError::Architecture(format!("of {lengths:?} numbers")));
        }
        // The bound: 32 pieces, each with the largest weight of any feature.
        let overflows = (0..HIDDEN).any(|i| {
            let largest = rows.iter().map(|row| i32::from(row.0[i]).abs()).max().unwrap_or(0);
            32 * largest + i32::from(weights.biases[i]).abs() > i32::from(i16::MAX)
        });
        let too_large = output.iter().any(|weights: &[i16; HIDDEN]| {
            let sizes = weights.iter().map(|&weight| i32::from(weight).abs());
            sizes.clone().any(|size| size > OUTPUT_WEIGHT_LIMIT) || sizes.sum::<i32>() > OUTPUT_SUM_LIMIT
        });
        if overflows || too_large {
            return Err(NetworkFormatError::Overflow);
        }
        let boxed: Result<Box<[Row; INPUTS]>, _> = rows.into_boxed_slice().try_into();
        let mut feature_biases = Row::ZERO;
        feature_biases.0.copy_from_slice(&weights.biases);
        Ok(Network {
            feature_weights: boxed.unwrap_or_else(|_| unreachable!("the length was checked")),
            feature_biases,
            output_weights: std::array::from_fn(|i| [Row(output[2 * i]), Row(output[2 * i + 1])]),
            output_biases: std::array::from_fn(|i| weights.output_biases[i].into()),
            scale: weights.scale.into(),
            hash: weights.hash(),
            kernels: Kernels::best(),
        })
    }

    /// Returns the bytes of a file. A network that was padded has other bytes than its file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let weights = Weights {
            features: self.feature_weights.iter().flat_map(|row| row.0).collect(),
            biases: self.feature_biases.0.to_vec(),
            output: self.output_weights.iter().flatten().flat_map(|row| row.0).collect(),
            // They were read as 16 bits.
            output_biases: self.output_biases.iter().map(|&bias| bias as i16).collect(),
            scale: self.scale as u16,
        };
        weights.to_bytes()
    }

    /// Returns `None` if this machine does not have the registers.
    pub fn with_simd(&self, simd: Simd) -> Option<Network> {
        Some(Network { kernels: Kernels::of(simd)?, ..self.clone() })
    }

    /// Names the network in reports. The scale is not part of it.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    pub fn simd(&self) -> Simd {
        self.kernels.simd()
    }

    /// Evaluates from scratch. The side to move must not be in check. The absolute value is below [`VALUE_LIMIT`].
    pub fn evaluate(&self, position: &Position) -> i32 {
        let (mut pieces, mut features) = (PieceChanges::default(), FeatureChanges::default());
        PiecePlacement::EMPTY.write_changes_to(position, position.occupied(), &mut pieces);
        let accumulators = Color::ALL.map(|color| {
            let mut accumulator = Row::ZERO;
            pieces.write_features(Perspective::of(position, color), &mut features);
            self.kernels.update(&self.feature_weights, &self.feature_biases, &mut accumulator, &features);
            accumulator
        });
        self.output(position, &accumulators)
    }

    #[inline]
    pub(super) fn output(&self, position: &Position, accumulators: &[Row; 2]) -> i32 {
        let bucket = output_bucket(position.piece_count());
        let us = position.side_to_move();
        let (ours, theirs) = (&accumulators[us as usize], &accumulators[!us as usize]);
        let sum = self.kernels.output(ours, theirs, &self.output_weights[bucket]);
        let (qa, qb) = (i64::from(QA), i64::from(QB));
        let value = (sum / qa + self.output_biases[bucket]) * self.scale / (qa * qb);
        let limit = i64::from(VALUE_LIMIT) - 1;
        value.clamp(-limit, limit) as i32
    }
}

fn read_as<T>(path: &Path, parse: impl FnOnce(&[u8]) -> Result<T, NetworkFormatError>) -> Result<T, NetworkError> {
    let mut bytes = Vec::new();
    sesame_files::open(path)
        .and_then(|file| file.take(2 * file::MAX_LENGTH as u64).read_to_end(&mut bytes))
        .map_err(|source| NetworkError::File { path: path.to_owned(), source })?;
    parse(&bytes).map_err(|source| NetworkError::Format { path: path.to_owned(), source })
}

impl Weights {
    pub fn read(path: &Path) -> Result<Weights, NetworkError> {
        read_as(path, |bytes| {
            let weights = Self::from_bytes(bytes)?;
            Network::new(&weights)?;
            Ok(weights)
        })
    }
}

impl PartialEq for Network {
    fn eq(&self, other: &Self) -> bool {
        (self.hash, self.scale) == (other.hash, other.scale)
    }
}

impl Eq for Network {}

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
