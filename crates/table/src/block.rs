//! Zeroed memory of the allocator, for platforms without mappings (all but Unix and Windows, such as WebAssembly).

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::io;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::slice;

use crate::slot::Bucket;

/// Has the calls of `memmap2::MmapMut` that the table needs.
#[derive(Debug)]
pub(crate) struct Block {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: the block owns its memory, and `&` gives it out only as bytes to read.
unsafe impl Send for Block {}
// SAFETY: as above.
unsafe impl Sync for Block {}

impl Block {
    /// Fails without memory, and for a length of 0.
    pub(crate) fn map_anon(length: usize) -> io::Result<Self> {
        let refused = || io::Error::from(io::ErrorKind::OutOfMemory);
        let layout = Layout::from_size_align(length, align_of::<Bucket<u64>>()).ok().filter(|layout| layout.size() > 0);
        let layout = layout.ok_or_else(refused)?;
        // SAFETY: the size is not 0.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or_else(refused)?;
        Ok(Self { start, layout })
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: allocated in `map_anon` with this layout.
        unsafe { dealloc(self.start.as_ptr(), self.layout) }
    }
}

impl Deref for Block {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: as many bytes were allocated, all initialised to zero.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.layout.size()) }
    }
}

impl DerefMut for Block {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `deref`; `&mut` excludes other users.
        unsafe { slice::from_raw_parts_mut(self.start.as_ptr(), self.layout.size()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_zeroed_aligned_and_limited() {
        for length in [1, 32, 100_000] {
            let mut block = Block::map_anon(length).unwrap();
            assert!(block.as_ptr().addr().is_multiple_of(32));
            assert!(block.len() == length && block.iter().all(|&byte| byte == 0));
            block.fill(7);
        }
        assert!(Block::map_anon(usize::MAX).is_err() && Block::map_anon(0).is_err());
    }
}
