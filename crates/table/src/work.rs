//! The size of a searched subtree as a 16-bit floating-point number.

/// The work behind an entry: the nodes searched to obtain it, as a floating-point number with 5 bits of exponent and 11 of
/// fraction.
///
/// Up to 4,095 nodes it is exact; above, it is rounded down by less than one part in 2,048; it saturates at
/// [`Work::MAX`] (about 4.4 x 10^12 nodes). Its order is the order of the bits. The schemes BIG1, BIGALL and TWOBIG1 compare
/// it (Breuker et al., 1994, section 6.1).
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Work(u16);

/// Bits of fraction.
const FRACTION: u32 = 11;

impl Work {
    /// The largest work that can be told apart: 4,095 x 2^30 nodes.
    pub const MAX: Work = Work(u16::MAX);

    /// Returns the work of `nodes` nodes, rounded down.
    #[inline]
    pub const fn from_nodes(nodes: u64) -> Work {
        // The leading 12 bits. Their top bit is not masked off but added to the exponent, so exponent 0 is for numbers
        // without a top bit, and exponent 1 for those with one and no shift.
        let shift = (u64::BITS - nodes.leading_zeros()).saturating_sub(FRACTION + 1);
        let bits = ((shift as u64) << FRACTION) + (nodes >> shift);
        Work(if bits > u16::MAX as u64 { u16::MAX } else { bits as u16 })
    }

    /// Returns the least number of nodes that has this work.
    pub const fn nodes(self) -> u64 {
        let shift = (self.0 >> FRACTION).saturating_sub(1);
        (self.0 as u64 - ((shift as u64) << FRACTION)) << shift
    }

    /// Returns the work of these bits. Every value is one.
    #[inline]
    pub const fn from_bits(bits: u16) -> Work {
        Work(bits)
    }

    /// Returns the 16 bits.
    #[inline]
    pub const fn bits(self) -> u16 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::Work;

    #[test]
    fn small_numbers_are_exact() {
        for nodes in 0..4096 {
            assert_eq!(Work::from_nodes(nodes).nodes(), nodes);
        }
    }

    #[test]
    fn every_pattern_round_trips_in_order() {
        for bits in 0..=u16::MAX {
            let work = Work::from_bits(bits);
            assert_eq!(Work::from_nodes(work.nodes()), work);
            if bits > 0 {
                assert!(Work::from_bits(bits - 1).nodes() < work.nodes());
                assert_eq!(Work::from_nodes(work.nodes() - 1).bits(), bits - 1);
            }
        }
    }

    #[test]
    fn large_numbers_saturate() {
        assert_eq!(Work::from_nodes(u64::MAX), Work::MAX);
        assert_eq!(Work::MAX.nodes(), 4095 << 30);
    }
}
