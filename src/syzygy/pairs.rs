//! The values of one part of a table: recursive pairing (Larsson & Moffat 1999) under a canonical Huffman code, in blocks that are
//! found through a sparse index.

use super::file::{Reader, TableFault};

/// A part whose positions all have one value needs no data: it is marked so.
const ONE_VALUE: u8 = 0x80;
/// The second half of a symbol that stands for itself.
const LEAF: usize = 0xfff;
/// The longest code.
const MAX_CODE: u8 = 32;

/// The values of one part. The bytes themselves stay in the file.
#[derive(Debug)]
pub(super) struct Pairs {
    /// The header of the part.
    pub(super) flags: u8,
    values: Values,
}

#[derive(Debug)]
enum Values {
    One(u16),
    Many(Compressed),
}

#[derive(Debug)]
struct Compressed {
    /// The base-2 logarithms of the size of a block, and of how many values an entry of the sparse index stands for.
    block_bits: u8,
    span_bits: u8,
    blocks: usize,
    /// Blocks and padding after them.
    block_lengths: usize,
    sparse_entries: usize,
    min_code: u8,
    /// By length, from the shortest on: the first symbol with such a code, and the least code, aligned to the left.
    first_symbol: Vec<u16>,
    first_code: Vec<u64>,
    /// By symbol: how many values it stands for, less one.
    lengths: Vec<u8>,
    /// Where in the file the symbols begin, the sparse index, the lengths of the blocks, the blocks.
    symbols_at: usize,
    sparse_at: usize,
    lengths_at: usize,
    blocks_at: usize,
}

impl Pairs {
    /// Reads the head of a part with `size` values.
    pub(super) fn read(reader: &mut Reader<'_>, size: u64) -> Result<Pairs, TableFault> {
        let flags = reader.u8()?;
        if flags & ONE_VALUE != 0 {
            return Ok(Pairs { flags, values: Values::One(u16::from(reader.u8()?)) });
        }
        let (block_bits, span_bits) = (reader.u8()?, reader.u8()?);
        let padding = usize::from(reader.u8()?);
        let blocks = reader.u32()? as usize;
        let (max_code, min_code) = (reader.u8()?, reader.u8()?);
        if !(2..=20).contains(&block_bits)
            || !(1..=32).contains(&span_bits)
            || min_code < 1
            || !(min_code..=MAX_CODE).contains(&max_code)
        {
            return Err(TableFault::Layout("a part's head"));
        }
        let codes = usize::from(max_code - min_code) + 1;
        let first_symbol: Vec<u16> = (0..codes).map(|_| reader.u16()).collect::<Result<_, _>>()?;
        let first_code = first_codes(&first_symbol, min_code);
        let symbols = usize::from(reader.u16()?);
        if symbols == 0 || symbols > LEAF {
            return Err(TableFault::Layout("the number of symbols"));
        }
        let symbols_at = reader.position();
        let lengths = symbol_lengths(reader.take(3 * symbols)?)?;
        reader.take(symbols & 1)?;
        let sparse_entries =
            usize::try_from(size.div_ceil(1 << span_bits)).map_err(|_| TableFault::Layout("its size"))?;
        let compressed = Compressed {
            block_bits,
            span_bits,
            blocks,
            block_lengths: blocks + padding,
            sparse_entries,
            min_code,
            first_symbol,
            first_code,
            lengths,
            symbols_at,
            sparse_at: 0,
            lengths_at: 0,
            blocks_at: 0,
        };
        Ok(Pairs { flags, values: Values::Many(compressed) })
    }

    /// Finds the sparse index in the file.
    pub(super) fn place_sparse_index(&mut self, reader: &mut Reader<'_>) -> Result<(), TableFault> {
        if let Values::Many(compressed) = &mut self.values {
            compressed.sparse_at = reader.position();
            reader.skip(6, compressed.sparse_entries)?;
        }
        Ok(())
    }

    /// Finds the lengths of the blocks in the file.
    pub(super) fn place_lengths(&mut self, reader: &mut Reader<'_>) -> Result<(), TableFault> {
        if let Values::Many(compressed) = &mut self.values {
            compressed.lengths_at = reader.position();
            reader.skip(2, compressed.block_lengths)?;
        }
        Ok(())
    }

    /// Finds the blocks in the file.
    pub(super) fn place_blocks(&mut self, reader: &mut Reader<'_>) -> Result<(), TableFault> {
        reader.align(64)?;
        if let Values::Many(compressed) = &mut self.values {
            compressed.blocks_at = reader.position();
            reader.skip(1 << compressed.block_bits, compressed.blocks)?;
        }
        Ok(())
    }

    /// The value at `index`; `None` where the file makes no sense.
    pub(super) fn value(&self, bytes: &[u8], index: u64) -> Option<u16> {
        match &self.values {
            Values::One(value) => Some(*value),
            Values::Many(compressed) => compressed.value(bytes, index),
        }
    }
}

/// The least code of each length, aligned to the left of 64 bits. Longer codes are smaller numbers.
fn first_codes(first_symbol: &[u16], min_code: u8) -> Vec<u64> {
    let mut codes = vec![0_u64; first_symbol.len()];
    for length in (0..codes.len().saturating_sub(1)).rev() {
        let step = u64::from(first_symbol[length]).wrapping_sub(u64::from(first_symbol[length + 1]));
        codes[length] = codes[length + 1].wrapping_add(step) / 2;
    }
    for (code, length) in codes.iter_mut().zip(u32::from(min_code)..) {
        *code = code.checked_shl(64 - length).unwrap_or(0);
    }
    codes
}

/// The two halves of a symbol: those of a pair, or a value and [`LEAF`].
fn halves(symbol: &[u8]) -> Option<(usize, usize)> {
    let &[a, b, c] = symbol.get(..3)? else { return None };
    let (a, b, c) = (usize::from(a), usize::from(b), usize::from(c));
    Some(((b & 15) << 8 | a, c << 4 | b >> 4))
}

/// How many values each symbol stands for, less one. An error if symbols contain themselves, or one stands for more than 256.
fn symbol_lengths(symbols: &[u8]) -> Result<Vec<u8>, TableFault> {
    let fault = TableFault::Layout("its symbols");
    let mut lengths: Vec<Option<u8>> = vec![None; symbols.len() / 3];
    let mut pending = Vec::new();
    for start in 0..lengths.len() {
        pending.push(start);
        while let Some(&symbol) = pending.last() {
            if lengths[symbol].is_some() {
                pending.pop();
                continue;
            }
            // A chain of pairs is at most as deep as one symbol's length.
            if pending.len() > 2 * 256 {
                return Err(fault);
            }
            let Some((left, right)) = halves(&symbols[3 * symbol..]) else { return Err(fault) };
            if right == LEAF {
                lengths[symbol] = Some(0);
                continue;
            }
            let (Some(&of_left), Some(&of_right)) = (lengths.get(left), lengths.get(right)) else { return Err(fault) };
            match (of_left, of_right) {
                (Some(a), Some(b)) => {
                    let Some(length) = a.checked_add(b).and_then(|sum| sum.checked_add(1)) else { return Err(fault) };
                    lengths[symbol] = Some(length);
                }
                (None, _) => pending.push(left),
                (_, None) => pending.push(right),
            }
        }
    }
    Ok(lengths.into_iter().flatten().collect())
}

impl Compressed {
    fn value(&self, bytes: &[u8], index: u64) -> Option<u16> {
        let (block, offset) = self.locate(bytes, index)?;
        let symbol = self.symbol(bytes, block, offset)?;
        self.expand(bytes, symbol)
    }

    /// The block that a value is in, and how many values are before it there.
    fn locate(&self, bytes: &[u8], index: u64) -> Option<(usize, usize)> {
        let entry = usize::try_from(index >> self.span_bits).ok().filter(|&entry| entry < self.sparse_entries)?;
        let at = self.sparse_at + 6 * entry;
        let mut block = u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize;
        let middle = u16::from_le_bytes(bytes.get(at + 4..at + 6)?.try_into().ok()?);
        // The entry points at the middle of its span.
        let into = (index & ((1 << self.span_bits) - 1)) as i64 - (1_i64 << (self.span_bits - 1));
        let mut offset = i64::from(middle) + into;
        let length = |block: usize| -> Option<i64> {
            let at = self.lengths_at + 2 * block;
            let stored = bytes.get(at..at + 2).filter(|_| block < self.block_lengths)?;
            Some(i64::from(u16::from_le_bytes(stored.try_into().ok()?)) + 1)
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

    /// The symbol of a block that the value is in, and how many of the symbol's values are before it.
    fn symbol(&self, bytes: &[u8], block: usize, mut offset: usize) -> Option<(usize, usize)> {
        let mut words = bytes.get(self.blocks_at + (block << self.block_bits)..)?;
        let (head, tail) = words.split_first_chunk::<8>()?;
        let mut code = u64::from_be_bytes(*head);
        words = tail;
        let mut used = 0_u32;
        loop {
            let nth = self.first_code.iter().position(|&first| code >= first)?;
            let length = u32::from(self.min_code) + nth as u32;
            let step = (code - self.first_code[nth]) >> (64 - length);
            let symbol = usize::from(*self.first_symbol.get(nth)?).checked_add(usize::try_from(step).ok()?)?;
            let values = usize::from(*self.lengths.get(symbol)?) + 1;
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

    /// Takes pairs apart until the value is reached. Each half is shorter than the whole, so that this ends.
    fn expand(&self, bytes: &[u8], (mut symbol, mut offset): (usize, usize)) -> Option<u16> {
        loop {
            let (left, right) = halves(bytes.get(self.symbols_at + 3 * symbol..)?)?;
            if *self.lengths.get(symbol)? == 0 {
                return u16::try_from(left).ok();
            }
            let first = usize::from(*self.lengths.get(left)?) + 1;
            if offset < first {
                symbol = left;
            } else {
                offset -= first;
                symbol = right;
            }
        }
    }
}
