//! What the bits of the check are worth: type-1 errors (Breuker et al. 1994, section 3) on real search traffic.
//!
//! A type-1 error is an entry accepted for a position that it does not belong to. The bench is searched on tables that verify fewer
//! bits of the key than the engine's 48, and a recorder that sees the 48 bits of every accepted entry tells which were wrong, which of
//! those the search noticed because the entry's move was illegal, and which ended a node.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use parking_lot::Mutex;

use crate::engine::EngineError;
use crate::engine::bench::{self, BenchOptions};
use crate::table::{CHECK_BITS, Entry, Image, Payload, Recorder, Table, TableOptions, Tag, Usage, Work};

/// The numbers of bits that are tried.
pub const BITS: [u32; 6] = [8, 12, 16, 24, 32, CHECK_BITS];

/// Bits are counted in groups of so many.
const GROUP: u32 = 4;

/// What happened on one table, and what was wrong with it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Entries of other positions that probes looked at.
    pub comparisons: u64,
    /// Entries accepted, right and wrong.
    pub accepted: u64,
    /// Type-1 errors: entries accepted that belong to another position.
    pub wrong: u64,
    /// Of these, how many had no move that could be tested.
    pub moveless: u64,
    /// Of these, how many had an illegal move, and so were noticed and ignored.
    pub caught: u64,
    /// Of these, how many ended a node.
    pub cut_offs: u64,
    /// Entries of the right position with an illegal move. They were stored without one, over an entry of another position that was
    /// taken for their own, and kept its move.
    pub inherited: u64,
    /// How many comparisons found the keys to agree in their low 0 to 3 bits and no more, in 4 to 7, and so on; the last is all 48.
    agreeing: [u64; (CHECK_BITS / GROUP) as usize + 1],
}

impl Counts {
    /// How many of the comparisons a check of `bits` bits, a multiple of four, lets pass.
    pub fn passing(&self, bits: u32) -> u64 {
        self.agreeing.iter().skip((bits / GROUP) as usize).sum()
    }

    /// The errors of a check of `bits` bits to be expected if keys are random: one in two to the power of the bits.
    pub fn predicted(&self, bits: u32) -> f64 {
        self.comparisons as f64 / f64::from(bits).exp2()
    }

    /// Notes a look at another position's entry.
    fn compare(&mut self, key: u64, image: &Image) {
        self.comparisons += 1;
        let agreeing = (image.tag.key() ^ key).trailing_zeros().min(CHECK_BITS);
        self.agreeing[(agreeing / GROUP) as usize] += 1;
    }
}

/// Sees the whole 48 bits of what a table of fewer accepts. For one thread: it connects what the search says of an entry with the probe
/// before.
#[derive(Debug, Default)]
pub struct Audit {
    counts: Mutex<Counts>,
    last_was_wrong: AtomicBool,
}

impl Recorder for Audit {
    fn probed(&self, key: u64, image: Option<&Image>) {
        let Some(image) = image else { return };
        let mut counts = self.counts.lock();
        counts.accepted += 1;
        let is_wrong = image.tag.key() != Tag::new(key, Work::default()).key();
        self.last_was_wrong.store(is_wrong, Relaxed);
        if is_wrong {
            counts.compare(key, image);
            counts.wrong += 1;
            let has_move = Entry::unpack(image.data).is_some_and(|entry| entry.mv != 0);
            counts.moveless += u64::from(!has_move);
        }
    }

    fn passed_over(&self, key: u64, image: &Image, _: usize, _: usize) {
        self.counts.lock().compare(key, image);
    }

    fn used(&self, usage: Usage) {
        let mut counts = self.counts.lock();
        match (usage, self.last_was_wrong.load(Relaxed)) {
            (Usage::Illegal, true) => counts.caught += 1,
            (Usage::Illegal, false) => counts.inherited += 1,
            (Usage::CutOff, true) => counts.cut_offs += 1,
            _ => {}
        }
    }
}

/// What became of the bench with so many bits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The bits verified.
    pub bits: u32,
    /// Nodes searched.
    pub nodes: u64,
    /// What happened at the table.
    pub counts: Counts,
    /// The best move of each position of the bench.
    pub moves: Vec<String>,
}

/// Searches the bench to `depth` plies on tables of `positions` positions with each number of bits in [`BITS`], and tells each finding
/// to `each`.
///
/// # Errors
/// When a table or thread is refused.
pub fn measure(depth: u32, positions: usize, mut each: impl FnMut(&Finding)) -> Result<Vec<Finding>, EngineError> {
    let runs = [run::<8>, run::<12>, run::<16>, run::<24>, run::<32>, run::<CHECK_BITS>];
    runs.iter()
        .map(|run| {
            let finding = run(depth, positions)?;
            each(&finding);
            Ok(finding)
        })
        .collect()
}

fn run<const N: u32>(depth: u32, positions: usize) -> Result<Finding, EngineError> {
    let table = Table::<Entry, Audit, N>::with_options(&TableOptions { positions, ..TableOptions::default() })?;
    let options = BenchOptions { depth, ..BenchOptions::default() };
    let mut moves = Vec::new();
    let stop = AtomicBool::new(false);
    let ended = bench::run_on(table, &options, &stop, |step, _| moves.push(step.best.clone()))?;
    // Nobody stops it.
    let Some((report, engine)) = ended else { unreachable!("a bench that nobody stops ends by itself") };
    let counts = engine.table().recorder().counts.lock().clone();
    Ok(Finding { bits: N, nodes: report.nodes, counts, moves })
}

/// The findings as a Markdown table; the last is the measure of the others.
pub fn table(findings: &[Finding]) -> String {
    let mut text = String::from(
        "| bits | comparisons | wrong entries accepted | predicted | of 48 bits' comparisons it would pass | had no move | illegal move, caught | \
         ended a node | moves inherited, caught | nodes | other best moves |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let Some(whole) = findings.last() else { return text };
    for Finding { bits, nodes, counts, moves } in findings {
        let others = moves.iter().zip(&whole.moves).filter(|(one, other)| one != other).count();
        text += &format!(
            "| {bits} | {} | {} | {:.4} | {} | {} | {} | {} | {} | {nodes} | {others} of {} |\n",
            counts.comparisons,
            counts.wrong,
            counts.predicted(*bits),
            whole.counts.passing(*bits),
            counts.moveless,
            counts.caught,
            counts.cut_offs,
            counts.inherited,
            moves.len(),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_bits_err_as_often_as_they_should_and_48_do_not() {
        let findings = measure(8, 4096, |_| ()).unwrap();
        assert_eq!(findings.iter().map(|finding| finding.bits).collect::<Vec<_>>(), BITS);
        for Finding { bits, counts, .. } in &findings {
            let (wrong, predicted) = (counts.wrong as f64, counts.predicted(*bits));
            assert!(
                (wrong - predicted).abs() < 0.2 * predicted + 3.0,
                "{bits} bits: {wrong} wrong, {predicted} predicted"
            );
            assert_eq!(counts.wrong, counts.passing(*bits), "{bits}");
            assert!(
                counts.moveless + counts.caught + counts.cut_offs <= 2 * counts.wrong
                    && counts.wrong <= counts.accepted
            );
            assert!(*bits < 24 || counts.inherited == 0, "{bits}");
        }
        let [eight, .., whole] = findings.as_slice() else { panic!("{findings:?}") };
        assert!(eight.counts.wrong > 500 && eight.counts.caught > 100 && eight.counts.cut_offs > 0, "{eight:?}");
        assert_eq!(whole.counts.wrong, 0);
        assert_eq!(table(&findings).lines().count(), 2 + BITS.len());
    }
}
