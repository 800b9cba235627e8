//! Decompression of the values of one part of a table.
//!
//! The values are compressed by recursive pairing (Larsson & Moffat 1999) and canonical Huffman codes, in indexed blocks.

use super::reader::{ByteReader, SyzygyFileError, bytes_at};

/// All positions of the part have one value.
const SINGLE_VALUE: u8 = 0x80;
/// Right half of a symbol that stands for a single value.
const LEAF: usize = 0xfff;
const MAX_CODE_LENGTH: u8 = 32;

#[derive(Debug)]
pub(super) struct PairsData {
    pub(super) flags: u8,
    values: Values,
}

#[derive(Debug)]
enum Values {
    Constant(u16),
    Compressed(Compressed),
}

#[derive(Debug)]
struct Compressed {
    /// Base-2 logarithms of the size of a block and of the values per entry of the sparse index.
    block_bits: u8,
    span_bits: u8,
    blocks: usize,
    /// Blocks and padding.
    block_lengths: usize,
    sparse_entries: usize,
    min_code_length: u8,
    /// Code length, shortest first: the first symbol with such a code, and the minimum code, left-aligned.
    first_symbol: Vec<u16>,
    first_code: Vec<u64>,
    /// Symbol: the number of its values, minus one.
    counts: Vec<u8>,
    /// Offsets in the file of the symbols, the sparse index, the block lengths and the blocks.
    symbols_at: usize,
    sparse_at: usize,
    block_lengths_at: usize,
    blocks_at: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    SparseIndex,
    BlockLengths,
    Blocks,
}

impl PairsData {
    pub(super) fn read(reader: &mut ByteReader<'_>, size: u64) -> Result<PairsData, SyzygyFileError> {
        let flags = reader.u8()?;
        if flags & SINGLE_VALUE != 0 {
            return Ok(PairsData { flags, values: Values::Constant(u16::from(reader.u8()?)) });
        }
        let (block_bits, span_bits) = (reader.u8()?, reader.u8()?);
        let padding = usize::from(reader.u8()?);
        let blocks = reader.u32()? as usize;
        let (max_code_length, min_code_length) = (reader.u8()?, reader.u8()?);
        if !(2..=20).contains(&block_bits)
            || !(1..=32).contains(&span_bits)
            || min_code_length < 1
            || !(min_code_length..=MAX_CODE_LENGTH).contains(&max_code_length)
        {
            return Err(SyzygyFileError::Layout("part header"));
        }
        let codes = usize::from(max_code_length - min_code_length) + 1;
        let first_symbol: Vec<u16> = (0..codes).map(|_| reader.u16()).collect::<Result<_, _>>()?;
        let first_code = first_codes(&first_symbol, min_code_length);
        let symbols = usize::from(reader.u16()?);
        if symbols == 0 || symbols > LEAF {
            return Err(SyzygyFileError::Layout("number of symbols"));
        }
        let symbols_at = reader.position();
        let counts = symbol_counts(reader.take(3 * symbols)?)?;
        reader.take(symbols & 1)?;
        let sparse_entries =
            usize::try_from(size.div_ceil(1 << span_bits)).map_err(|_| SyzygyFileError::Layout("size"))?;
        let compressed = Compressed {
            block_bits,
            span_bits,
            blocks,
            block_lengths: blocks + padding,
            sparse_entries,
            min_code_length,
            first_symbol,
            first_code,
            counts,
            symbols_at,
            sparse_at: 0,
            block_lengths_at: 0,
            blocks_at: 0,
        };
        Ok(PairsData { flags, values: Values::Compressed(compressed) })
    }

    /// Places the sparse index, the block lengths or the blocks, which follow each other for all parts of a file.
    pub(super) fn place(&mut self, section: Section, reader: &mut ByteReader<'_>) -> Result<(), SyzygyFileError> {
        if section == Section::Blocks {
            reader.align(64)?;
        }
        let Values::Compressed(data) = &mut self.values else { return Ok(()) };
        let (at, width, count) = match section {
            Section::SparseIndex => (&mut data.sparse_at, 6, data.sparse_entries),
            Section::BlockLengths => (&mut data.block_lengths_at, 2, data.block_lengths),
            Section::Blocks => (&mut data.blocks_at, 1 << data.block_bits, data.blocks),
        };
        *at = reader.position();
        reader.skip(width, count)
    }

    pub(super) fn value(&self, bytes: &[u8], index: u64) -> Option<u16> {
        match &self.values {
            Values::Constant(value) => Some(*value),
            Values::Compressed(compressed) => compressed.value(bytes, index),
        }
    }
}

fn first_codes(first_symbol: &[u16], min_code_length: u8) -> Vec<u64> {
    let mut codes = vec![0_u64; first_symbol.len()];
    for length in (0..codes.len().saturating_sub(1)).rev() {
        let step = u64::from(first_symbol[length]).wrapping_sub(u64::from(first_symbol[length + 1]));
        codes[length] = codes[length + 1].wrapping_add(step) / 2;
    }
    for (code, length) in codes.iter_mut().zip(u32::from(min_code_length)..) {
        *code = code.checked_shl(64 - length).unwrap_or(0);
    }
    codes
}

/// Returns two symbols, or a value and [`LEAF`].
fn halves(symbol: &[u8]) -> Option<(usize, usize)> {
    let &[a, b, c] = symbol.get(..3)? else { return None };
    let (a, b, c) = (usize::from(a), usize::from(b), usize::from(c));
    Some(((b & 15) << 8 | a, c << 4 | b >> 4))
}

/// Returns the counts of all symbols. Rejects symbols that contain themselves or have more than 256 values.
fn symbol_counts(symbols: &[u8]) -> Result<Vec<u8>, SyzygyFileError> {
    let error = SyzygyFileError::Layout("symbols");
    let mut counts: Vec<Option<u8>> = vec![None; symbols.len() / 3];
    let mut pending = Vec::new();
    for start in 0..counts.len() {
        pending.push(start);
        while let Some(&symbol) = pending.last() {
            if counts[symbol].is_some() {
                pending.pop();
                continue;
            }
            // The depth of a valid symbol is at most its number of values.
            if pending.len() > 2 * 256 {
                return Err(error);
            }
            let Some((left, right)) = halves(&symbols[3 * symbol..]) else { return Err(error) };
            if right == LEAF {
                counts[symbol] = Some(0);
                continue;
            }
            let (Some(&left_count), Some(&right_count)) = (counts.get(left), counts.get(right)) else {
                return Err(error);
            };
            match (left_count, right_count) {
                (Some(a), Some(b)) => {
                    let Some(count) = a.checked_add(b).and_then(|sum| sum.checked_add(1)) else { return Err(error) };
                    counts[symbol] = Some(count);
                }
                (None, _) => pending.push(left),
                (_, None) => pending.push(right),
            }
        }
    }
    Ok(counts.into_iter().flatten().collect())
}

impl Compressed {
    fn value(&self, bytes: &[u8], index: u64) -> Option<u16> {
        let (block, offset) = self.locate(bytes, index)?;
        let symbol = self.symbol(bytes, block, offset)?;
        self.expand(bytes, symbol)
    }

    /// Returns the value's block, and the number of values before it in the block.
    fn locate(&self, bytes: &[u8], index: u64) -> Option<(usize, usize)> {
        let entry = usize::try_from(index >> self.span_bits).ok().filter(|&entry| entry < self.sparse_entries)?;
        let at = self.sparse_at + 6 * entry;
        let mut block = u32::from_le_bytes(bytes_at(bytes, at)?) as usize;
        let middle = u16::from_le_bytes(bytes_at(bytes, at + 4)?);
        // The entry refers to the middle of its span.
        let into = (index & ((1 << self.span_bits) - 1)) as i64 - (1_i64 << (self.span_bits - 1));
        let mut offset = i64::from(middle) + into;
        let length = |block: usize| -> Option<i64> {
            let stored = bytes_at(bytes, self.block_lengths_at + 2 * block).filter(|_| block < self.block_lengths)?;
            Some(i64::from(u16::from_le_bytes(stored)) + 1)
        };
        while offset < 0 {
            block = block.checked_sub(1)?;
            offset += length(block)?;
        }
        while offset >= length(block)? {
            offset -= length(block)?;
            block += 1;
        }
        (block < self.blocks).then_some((block, offset as usize))
    }

    /// Returns the value's symbol, and the number of values before it in the symbol.
    fn symbol(&self, bytes: &[u8], block: usize, mut offset: usize) -> Option<(usize, usize)> {
        let mut words = bytes.get(self.blocks_at + (block << self.block_bits)..)?;
        let (head, tail) = words.split_first_chunk::<8>()?;
        let mut code = u64::from_be_bytes(*head);
        words = tail;
        let mut used = 0_u32;
        loop {
            let nth = self.first_code.iter().position(|&first| code >= first)?;
            let length = u32::from(self.min_code_length) + nth as u32;
            let step = (code - self.first_code[nth]) >> (64 - length);
            let symbol = usize::from(*self.first_symbol.get(nth)?).checked_add(usize::try_from(step).ok()?)?;
            let values = usize::from(*self.counts.get(symbol)?) + 1;
            if offset < values {
                return Some((symbol, offset));
            }
            offset -= values;
            code <<= length;
            used += length;
            if used >= 32 {
                used -= 32;
                let (word, rest) = words.split_first_chunk::<4>()?;
                code |= u64::from(u32::from_be_bytes(*word)) << used;
                words = rest;
            }
        }
    }

    /// Each half of a pair has fewer values than the whole, so this ends.
    fn expand(&self, bytes: &[u8], (mut symbol, mut offset): (usize, usize)) -> Option<u16> {
        loop {
            let (left, right) = halves(bytes.get(self.symbols_at + 3 * symbol..)?)?;
            if *self.counts.get(symbol)? == 0 {
                return u16::try_from(left).ok();
            }
            let first = usize::from(*self.counts.get(left)?) + 1;
            if offset < first {
                symbol = left;
            } else {
                offset -= first;
                symbol = right;
            }
        }
    }
}
