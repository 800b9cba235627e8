//! Zeroed memory of the allocator, for platforms without mappings (all but Unix and Windows, such as WebAssembly).

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::io;
use std::ptr::NonNull;

use crate::slot::Bucket;

/// Has the calls of `memmap2::MmapRaw` that the table needs.
#[derive(Debug)]
pub(crate) struct Block {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: the block owns its memory, and gives out no reference to it.
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

    pub(crate) fn as_mut_ptr(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    pub(crate) fn len(&self) -> usize {
        self.layout.size()
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: allocated in `map_anon` with this layout.
        unsafe { dealloc(self.start.as_ptr(), self.layout) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_zeroed_aligned_and_limited() {
        for length in [1, 32, 100_000] {
            let block = Block::map_anon(length).unwrap();
            assert!(block.as_mut_ptr().addr().is_multiple_of(32));
            // SAFETY: the block has these bytes, and no other user.
            let bytes = unsafe { std::slice::from_raw_parts_mut(block.as_mut_ptr(), block.len()) };
            assert!(bytes.len() == length && bytes.iter().all(|&byte| byte == 0));
            bytes.fill(7);
        }
        assert!(Block::map_anon(usize::MAX).is_err() && Block::map_anon(0).is_err());
    }
}
