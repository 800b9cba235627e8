//! The verified slot: two words that many threads read and write without a lock, and that verify each other.

use std::hint::select_unpredictable;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::scheme::{Rule, Stored, Work};

/// The number of key bits that a slot verifies by default.
pub const CHECK_BITS: u32 = 48;

/// A 64-bit word that threads share without a lock.
///
/// The table runs on [`AtomicU64`]; its tests run the same slot, bucket and scheme code on the words of the model
/// checkers loom and shuttle. An implementation must be *single-copy atomic*: every load returns one value that some store
/// wrote, or the initial one, whole. No order between different words is needed, and no read-modify-write.
pub trait Word: Sized {
    /// Creates a word that holds `value`.
    fn new(value: u64) -> Self;
    /// Returns the value of one of the stores to this word. Relaxed: it says nothing about any other word.
    fn load(&self) -> u64;
    /// Replaces the value. Relaxed, as [`Word::load`].
    fn store(&self, value: u64);

    /// Loads two words, as two calls of [`Word::load`] in any order.
    #[inline(always)]
    fn load_pair(pair: &WordPair<Self>) -> [u64; 2] {
        pair.0.each_ref().map(Word::load)
    }
}

/// Two words in 16 bytes, aligned to 16: the argument of [`Word::load_pair`].
#[repr(C, align(16))]
#[derive(Debug, Default)]
pub struct WordPair<W>(pub [W; 2]);

impl Word for AtomicU64 {
    fn new(value: u64) -> Self {
        AtomicU64::new(value)
    }

    #[inline(always)]
    fn load(&self) -> u64 {
        self.load(Ordering::Relaxed)
    }

    #[inline(always)]
    fn store(&self, value: u64) {
        self.store(value, Ordering::Relaxed);
    }

    #[cfg(all(target_arch = "x86_64", not(miri)))]
    #[inline(always)]
    fn load_pair(pair: &WordPair<AtomicU64>) -> [u64; 2] {
        // Known to the compiler in builds for processors with AVX; else a load and a test of a flag.
        if std::arch::is_x86_feature_detected!("avx") {
            // SAFETY: the processor has AVX.
            unsafe { vector::load_pair(pair) }
        } else {
            pair.0.each_ref().map(Word::load)
        }
    }
}

/// The key and the cost of an entry: the low 48 bits of the key, shifted up by 16, and the 16 bits of [`Work`].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Signature(u64);

impl Signature {
    /// Creates the signature of an entry for `key` that cost `work`.
    #[inline]
    pub const fn new(key: u64, work: Work) -> Signature {
        Signature(key << 16 | work.bits() as u64)
    }

    /// Returns the signature with these bits. Every value is valid.
    #[inline]
    pub const fn from_bits(bits: u64) -> Signature {
        Signature(bits)
    }

    /// Returns the 64 bits.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Returns the low 48 bits of the key.
    #[inline]
    pub const fn key(self) -> u64 {
        self.0 >> 16
    }

    /// Returns the work.
    #[inline]
    pub const fn work(self) -> Work {
        Work::from_bits(self.0 as u16)
    }
}

/// The content of a slot: packed payload and signature.
///
/// A torn read, that is, a read between the two stores of a writer, has a signature that belongs to no key: see
/// [`VerifiedSlot`].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct RawEntry {
    /// The packed payload; 0 means that the slot is empty.
    pub data: u64,
    /// The key and the work.
    pub signature: Signature,
}

impl RawEntry {
    /// An empty slot.
    pub const EMPTY: RawEntry = RawEntry { data: 0, signature: Signature(0) };

    /// Returns whether nothing is stored here.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.data == 0
    }
}

/// The result of a probe of one or two slots.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// The entry of the key, or [`RawEntry::EMPTY`].
    pub entry: RawEntry,
    /// The entries of other keys and the torn reads in the slots before the match, or in both slots after a miss. The rest
    /// are [`RawEntry::EMPTY`].
    pub others: [RawEntry; 2],
}

impl Found {
    /// Selects the entry of the key from two slots, the first of which has precedence. `matching[n]` is the data of slot `n`
    /// if its entry belongs to the key, else 0.
    ///
    /// No branch depends on the entries: a hit is hard to predict, and a misprediction costs more than the rest of a
    /// probe.
    #[inline(always)]
    fn select(entries: [RawEntry; 2], matching: [u64; 2]) -> Found {
        let in_first = matching[0] != 0;
        let data = select_unpredictable(in_first, matching[0], matching[1]);
        let signature = select_unpredictable(in_first, entries[0].signature.0, entries[1].signature.0);
        let signature = Signature(select_unpredictable(data != 0, signature, 0));
        let other = |entry, passed: bool| if passed { entry } else { RawEntry::EMPTY };
        let others = [other(entries[0], !in_first), other(entries[1], data == 0)];
        Found { entry: RawEntry { data, signature }, others }
    }
}

/// A place for one entry, shared by all threads.
///
/// [`VerifiedSlot`] is the one that ships. The trait lets the tests put deliberately broken slots under the same bucket
/// and scheme code, to show that the models catch them.
pub trait Slot: Sized {
    /// The number of the key's low bits that are compared, 1 to 48. Fewer than 48 are for measuring the rate of collisions.
    const BITS: u32;

    /// Reads the slot. During a concurrent write the entry can be a mixture of old and new words.
    fn read(&self) -> RawEntry;

    /// Writes `entry` into the slot.
    fn write(&self, entry: RawEntry);

    /// Returns the entry of `key`, if it is here.
    #[inline(always)]
    fn probe(&self, key: u64) -> Option<RawEntry> {
        Some(self.find(key).entry).filter(|entry| !entry.is_empty())
    }

    /// Probes for `key`. The result also has the entry of another key.
    #[inline(always)]
    fn find(&self, key: u64) -> Found {
        let entry = self.read();
        Found::select([entry, RawEntry::EMPTY], [matching(self, &entry, key), 0])
    }

    /// Probes for `key` in two slots, the first of which has precedence. Both are read before either is compared.
    #[inline(always)]
    fn find_in_pair(pair: [&Self; 2], key: u64) -> Found {
        let entries = pair.map(Slot::read);
        Found::select(entries, std::array::from_fn(|n| matching(pair[n], &entries[n], key)))
    }

    /// Returns whether `entry`, read from this slot, is an entry of `key`.
    #[inline(always)]
    fn holds(&self, entry: &RawEntry, key: u64) -> bool {
        // The differing bits, with the compared ones on top: one comparison tests them and ignores the rest.
        let difference = (entry.signature.0 ^ key << 16) << (CHECK_BITS - Self::BITS);
        (entry.data != 0) & (difference < 1 << (u64::BITS - Self::BITS))
    }

    /// Stores `new`, the entry of `key`, under a scheme of one level, where this slot is the only place for it.
    #[inline(always)]
    fn store(&self, key: u64, new: RawEntry, rule: &impl Rule) -> Stored {
        let old = self.read();
        if old.is_empty() {
            self.write(new);
            Stored::Empty
        } else if self.holds(&old, key) {
            update(self, &old, new, rule)
        } else if rule.is_stale(&old) {
            self.write(new);
            Stored::Stale
        } else if rule.prefers(&new, &old) {
            self.write(new);
            Stored::Replaced
        } else {
            Stored::Refused
        }
    }
}

/// Returns the data of `entry`, read from `slot`, if it is an entry of `key`, else 0.
#[inline(always)]
fn matching<S: Slot>(slot: &S, entry: &RawEntry, key: u64) -> u64 {
    select_unpredictable(slot.holds(entry, key), entry.data, 0)
}

/// Updates `old`, the entry of the same key in `slot`, with `new`.
#[inline(always)]
pub(crate) fn update<S: Slot>(slot: &S, old: &RawEntry, new: RawEntry, rule: &impl Rule) -> Stored {
    match rule.update(old, &new) {
        Some(data) => {
            slot.write(RawEntry { data, ..new });
            Stored::Updated
        }
        None => Stored::Kept,
    }
}

/// The slot of [`Table`](crate::Table): two words, `data` and `check = signature ^ spread(data)`, read and written relaxed.
///
/// A reader loads both words, undoes the XOR and compares the key in the result. Words of two different writes,
/// `(signature1, data1)` and `(signature2, data2)`, give the signature `signature2 ^ spread(data2 ^ data1)`, which carries
/// the reader's key only by a coincidence of [`Slot::BITS`] bits. So accepted data was stored whole by some thread, for that
/// key (Hyatt and Mann, "A lock-less transposition table implementation for parallel search chess engines", ICGA
/// Journal 25(1), 2002).
///
/// The spread xors each 16-bit part of the data to the part above it. Only the upper 48 bits of a signature are compared, so
/// without the spread a mixture of two data that agree in their upper 48 bits would be accepted. With it, that needs data
/// that differ by the same bits in all four 16-bit parts. If both are of the reader's key, the mixture is stored data with
/// the wrong work.
#[repr(transparent)]
#[derive(Debug, Default)]
pub struct VerifiedSlot<W, const BITS: u32 = CHECK_BITS> {
    words: WordPair<W>,
}

/// Returns the data with each 16-bit part xored to the part above it: linear, and 0 only for 0. [`vector::find`] repeats it.
#[inline(always)]
const fn spread(data: u64) -> u64 {
    data ^ data << 16
}

impl<W: Word, const BITS: u32> VerifiedSlot<W, BITS> {
    /// Creates an empty slot.
    pub fn new() -> Self {
        VerifiedSlot { words: WordPair([W::new(0), W::new(0)]) }
    }
}

impl<W: Word, const BITS: u32> Slot for VerifiedSlot<W, BITS> {
    const BITS: u32 = {
        assert!(0 < BITS && BITS <= CHECK_BITS);
        BITS
    };

    #[inline(always)]
    fn read(&self) -> RawEntry {
        let [data, check] = W::load_pair(&self.words);
        RawEntry { data, signature: Signature(check ^ spread(data)) }
    }

    #[inline(always)]
    fn write(&self, entry: RawEntry) {
        let [data, check] = &self.words.0;
        data.store(entry.data);
        check.store(entry.signature.0 ^ spread(entry.data));
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn find_in_pair(pair: [&Self; 2], key: u64) -> Found {
        vector::find(pair.map(|slot| W::load_pair(&slot.words)), key, ((1 << Self::BITS) - 1) << 16)
    }
}

/// The fast probe: both slots of a bucket at once, in vector registers.
#[cfg(target_arch = "x86_64")]
mod vector {
    use std::arch::x86_64::*;

    use super::{AtomicU64, Found, RawEntry, Signature, WordPair};

    /// Two relaxed loads in one instruction.
    ///
    /// Rust has no atomic vector load. `_mm_load_si128` is a plain access, so a race with another thread's store is undefined
    /// behaviour (unsafe-code-guidelines issue 209). Two atomic loads that are then moved into a vector register are sound, but
    /// slower than scalar code. An `asm!` block is sound if some Rust code could do the same in its place (R. Jung, "How to use
    /// storytelling to fit inline assembly into Rust", 2026-03-13). Here that code is two calls of `AtomicU64::load(Relaxed)`:
    /// with AVX, an aligned 16-byte load is one atomic access (Intel SDM, "Guaranteed Atomic Operations"; AMD APM 2, 7.3.2; LLVM
    /// pull request 74275 quotes both, and portable-atomic's `AtomicU128` relies on it). Without AVX, Intel guarantees nothing
    /// for 16 bytes.
    ///
    /// The block is `readonly` but not `pure`: the compiler could merge `pure` blocks or move them out of loops, as it does with
    /// plain loads.
    ///
    /// # Safety
    /// The processor has AVX.
    #[cfg(not(miri))]
    #[inline(always)]
    pub(super) unsafe fn load_pair(pair: &WordPair<AtomicU64>) -> [u64; 2] {
        let words: __m128i;
        // SAFETY: the reference is valid and aligned to 16. The block does what two relaxed loads of its words do (see
        // above), writes no memory and leaves flags and stack alone. The processor has AVX.
        unsafe {
            std::arch::asm!("vmovdqa {}, xmmword ptr [{}]", lateout(xmm_reg) words, in(reg) pair, options(readonly, nostack, preserves_flags));
        }
        halves(words)
    }

    #[inline(always)]
    fn halves(pair: __m128i) -> [u64; 2] {
        // SAFETY: SSE2 is part of every x86-64 target.
        unsafe { [pair, _mm_unpackhi_epi64(pair, pair)].map(|half| _mm_cvtsi128_si64(half) as u64) }
    }

    /// As [`Slot::find_in_pair`](super::Slot::find_in_pair), from the words of two verified slots. `compared` are the bits of a
    /// signature that must agree with the key's.
    #[inline(always)]
    pub(super) fn find(slots: [[u64; 2]; 2], key: u64, compared: u64) -> Found {
        // SAFETY: these intrinsics touch no memory, and SSE2 is part of every x86-64 target.
        let (matching, signatures) = unsafe {
            // No instruction, where the words come from a vector register.
            let [first, second] = slots.map(|[data, check]| _mm_set_epi64x(check as i64, data as i64));
            let data = _mm_unpacklo_epi64(first, second);
            let check = _mm_unpackhi_epi64(first, second);
            let signatures = _mm_xor_si128(_mm_xor_si128(check, data), _mm_slli_epi64::<16>(data));
            let difference = _mm_xor_si128(signatures, _mm_set1_epi64x((key << 16) as i64));
            let difference = _mm_and_si128(difference, _mm_set1_epi64x(compared as i64));
            // SSE2 compares halves of words: both must be equal.
            let equal = _mm_cmpeq_epi32(difference, _mm_setzero_si128());
            let equal = _mm_and_si128(equal, _mm_shuffle_epi32::<0b10_11_00_01>(equal));
            (halves(_mm_and_si128(data, equal)), halves(signatures))
        };
        // An empty slot has data 0, and so never counts as matching.
        let entries = std::array::from_fn(|n| RawEntry { data: slots[n][0], signature: Signature(signatures[n]) });
        Found::select(entries, matching)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn slot<const BITS: u32>(words: [u64; 2]) -> VerifiedSlot<AtomicU64, BITS> {
        VerifiedSlot { words: WordPair(words.map(AtomicU64::new)) }
    }

    /// Tests one slot after the other, by the definition of a slot.
    fn reference(slots: [[u64; 2]; 2], key: u64, bits: u32) -> Found {
        let mut found = Found { entry: RawEntry::EMPTY, others: [RawEntry::EMPTY; 2] };
        for (n, [data, check]) in slots.into_iter().enumerate() {
            let signature = check ^ data ^ data << 16;
            let entry = RawEntry { data, signature: Signature(signature) };
            if data != 0 && (signature >> 16 ^ key) << (64 - bits) == 0 {
                return Found { entry, ..found };
            }
            found.others[n] = entry;
        }
        found
    }

    /// The words of a slot that holds `data` for `key`, or for a key that differs from it in one bit; any words; an empty
    /// slot; an empty slot whose check is not 0, as during a write.
    fn words(key: u64) -> impl Strategy<Value = [u64; 2]> {
        let stored = |key: u64, data: u64, work: u16| [data, key << 16 ^ u64::from(work) ^ data ^ data << 16];
        let data = prop_oneof![any::<u64>(), (0..64u32).prop_map(|bit| 1 << bit)];
        prop_oneof![
            4 => (data, any::<u16>()).prop_map(move |(data, work)| stored(key, data, work)),
            4 => (1u64.., any::<u16>(), 0..64u32).prop_map(move |(data, work, bit)| stored(key ^ 1 << bit, data, work)),
            1 => any::<[u64; 2]>(),
            1 => Just([0, 0]),
            2 => any::<u16>().prop_map(move |work| stored(key, 0, work)),
        ]
    }

    fn compare<const BITS: u32>(slots: [[u64; 2]; 2], key: u64) -> Result<(), TestCaseError> {
        let [first, second] = slots.map(slot::<BITS>);
        prop_assert_eq!(VerifiedSlot::find_in_pair([&first, &second], key), reference(slots, key, BITS));
        prop_assert_eq!(first.find(key), reference([slots[0], [0, 0]], key, BITS));
        // The scalar version, which other processors run.
        let entries = slots.map(slot::<BITS>).map(|slot| slot.read());
        let matching = [matching(&first, &entries[0], key), matching(&second, &entries[1], key)];
        prop_assert_eq!(Found::select(entries, matching), reference(slots, key, BITS));
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 64 } else { 20_000 }, ..Default::default() })]
        #[test]
        fn probes_find_by_the_definition((slots, key) in any::<u64>().prop_flat_map(|key| ([words(key), words(key)], Just(key)))) {
            compare::<1>(slots, key)?;
            compare::<16>(slots, key)?;
            compare::<47>(slots, key)?;
            compare::<48>(slots, key)?;
        }
    }

    #[test]
    fn pair_load_is_repeated_after_each_store() {
        let pair = WordPair([AtomicU64::new(0), AtomicU64::new(0)]);
        for n in 1..100 {
            Word::store(&pair.0[usize::from(n % 3 == 0)], n);
            assert_eq!(AtomicU64::load_pair(&pair), pair.0.each_ref().map(Word::load));
        }
    }

    /// The words of two writes for one key whose data differ in one bit, whichever it is.
    #[test]
    fn words_of_two_writes_match_no_key() {
        for key in [0, u64::MAX, 0x0123_4567_89ab_cdef] {
            for data in [1, u64::MAX, 0xfedc_ba98_7654_3210] {
                let entry = RawEntry { data, signature: Signature::new(key, Work::from_nodes(7)) };
                for bit in 0..64 {
                    let slot = slot::<48>([0, 0]);
                    slot.write(entry);
                    assert_eq!(slot.probe(key), Some(entry));
                    Word::store(&slot.words.0[0], data ^ 1 << bit);
                    assert_eq!(slot.probe(key), None, "data {data:x}, bit {bit}");
                }
            }
        }
    }
}
