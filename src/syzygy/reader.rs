//! Reading the header of a table file; its errors.

use std::io;

#[derive(Debug, thiserror::Error)]
pub enum SyzygyFileError {
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    #[error("is truncated or not a Syzygy table: {0} bytes")]
    Size(u64),
    #[error("is not a Syzygy table of this kind: wrong magic number")]
    Magic,
    #[error("is damaged: invalid {0}")]
    Layout(&'static str),
}

/// Reads bytes in sequence. The end of the bytes is an error.
pub(super) struct ByteReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> ByteReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub(super) fn position(&self) -> usize {
        self.at
    }

    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], SyzygyFileError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let taken = rest.get(..count).ok_or(SyzygyFileError::Layout("length"))?;
        self.at += count;
        Ok(taken)
    }

    pub(super) fn skip(&mut self, width: usize, count: usize) -> Result<(), SyzygyFileError> {
        let bytes = width.checked_mul(count).ok_or(SyzygyFileError::Layout("length"))?;
        self.take(bytes).map(drop)
    }

    pub(super) fn align(&mut self, unit: usize) -> Result<(), SyzygyFileError> {
        self.skip(1, self.at.next_multiple_of(unit) - self.at)
    }

    pub(super) fn u8(&mut self) -> Result<u8, SyzygyFileError> {
        Ok(self.array::<1>()?[0])
    }

    pub(super) fn u16(&mut self) -> Result<u16, SyzygyFileError> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, SyzygyFileError> {
        self.array().map(u32::from_le_bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], SyzygyFileError> {
        self.take(N)?.first_chunk().copied().ok_or(SyzygyFileError::Layout("length"))
    }
}

#[inline]
pub(super) fn bytes_at<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk().copied()
}
