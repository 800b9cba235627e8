//! Type-1 errors on real search traffic by the number of key bits that a table verifies.
//!
//! A type-1 error (Breuker et al. 1994, section 3) is an entry accepted for a position that it does not
//! belong to. The bench is searched on tables that verify fewer bits of the key than the shipped 48. A
//! recorder that sees all 48 bits of every accepted entry counts the wrong ones, those that the search
//! ignored because their move was illegal, and those that ended a node.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use parking_lot::Mutex;

use sesame::search::TtEntry;
use sesame_command::parallel;
use sesame_command::{CommandError, print_status};
use sesame_report::chart::{Axis, Chart, ChartError, Curve, CurveStyle};
use sesame_report::markdown::fill;
use sesame_table::{CHECK_BITS, EntryUse, Payload, RawEntry, Recorder, Scheme, Table, TableError, TableOptions};

use crate::engine_search::EngineSearch;

/// Measured numbers of bits.
pub const BITS: [u32; 6] = [8, 12, 16, 24, 32, CHECK_BITS];

/// Agreeing low bits are counted in groups of this size.
const GROUP: u32 = 4;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ErrorCounts {
    /// Entries of other positions that probes compared with their key.
    pub comparisons: u64,
    /// Right and wrong entries.
    pub accepted: u64,
    /// Accepted entries of other positions.
    pub wrong: u64,
    /// Without a move to test for legality.
    pub moveless: u64,
    /// With an illegal move: the search ignored them.
    pub caught: u64,
    /// Ended a node.
    pub cut_offs: u64,
    /// Right entries with an illegal move: stored without a move over a wrong entry, whose move was kept.
    pub inherited: u64,
    /// By agreeing low bits: 0 to 3, 4 to 7, and so on; the last is all 48.
    agreeing: [u64; (CHECK_BITS / GROUP) as usize + 1],
}

impl ErrorCounts {
    /// Comparisons that a check of `bits` bits, a multiple of four, would accept.
    pub fn passing(&self, bits: u32) -> u64 {
        self.agreeing.iter().skip((bits / GROUP) as usize).sum()
    }

    /// With random keys: one error in 2^bits comparisons.
    pub fn predicted(&self, bits: u32) -> f64 {
        self.comparisons as f64 / f64::from(bits).exp2()
    }

    fn count_comparison(&mut self, key: u64, entry: &RawEntry) {
        self.comparisons += 1;
        let agreeing = (entry.key() ^ key).trailing_zeros().min(CHECK_BITS);
        self.agreeing[(agreeing / GROUP) as usize] += 1;
    }
}

/// Compares all 48 bits of accepted entries. Assigns the use of an entry to the last probe, so it serves one thread only.
#[derive(Debug, Default)]
pub struct KeyAudit {
    counts: Mutex<ErrorCounts>,
    last_was_wrong: AtomicBool,
}

impl Recorder for KeyAudit {
    fn probed(&self, key: u64, entry: Option<&RawEntry>) {
        let Some(entry) = entry else { return };
        let mut counts = self.counts.lock();
        counts.accepted += 1;
        let is_wrong = entry.key() != key & ((1 << CHECK_BITS) - 1);
        self.last_was_wrong.store(is_wrong, Relaxed);
        if is_wrong {
            counts.count_comparison(key, entry);
            counts.wrong += 1;
            let has_move = TtEntry::unpack(entry.data).is_some_and(|entry| entry.mv != 0);
            counts.moveless += u64::from(!has_move);
        }
    }

    fn mismatched(&self, key: u64, entry: &RawEntry, _: bool) {
        self.counts.lock().count_comparison(key, entry);
    }

    fn used(&self, usage: EntryUse) {
        let mut counts = self.counts.lock();
        match (usage, self.last_was_wrong.load(Relaxed)) {
            (EntryUse::Rejected, true) => counts.caught += 1,
            (EntryUse::Rejected, false) => counts.inherited += 1,
            (EntryUse::Cutoff, true) => counts.cut_offs += 1,
            _ => {}
        }
    }
}

/// The bench on one table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckBitsResult {
    pub bits: u32,
    pub nodes: u64,
    pub counts: ErrorCounts,
    /// By position of the bench.
    pub moves: Vec<String>,
}

/// On tables of `positions` positions, with each number of [`BITS`].
fn measure(depth: u32, positions: usize) -> Result<Vec<CheckBitsResult>, TableError> {
    let runs = [run::<8>, run::<12>, run::<16>, run::<24>, run::<32>, run::<CHECK_BITS>];
    parallel::try_map(runs, 1, |run| {
        let result = run(depth, positions)?;
        print_status(&format!("{} bits: done", result.bits));
        Ok(result)
    })
}

fn run<const BITS: u32>(depth: u32, positions: usize) -> Result<CheckBitsResult, TableError> {
    let options = TableOptions::default().positions(positions);
    let table = Arc::new(Table::<TtEntry, KeyAudit, Scheme, BITS>::with_options(options)?);
    let (mut nodes, mut moves) = (0, Vec::new());
    EngineSearch::new(&table).bench(depth, |_, searched, best| {
        nodes += searched;
        moves.push(best);
    });
    let counts = table.recorder().counts.lock().clone();
    Ok(CheckBitsResult { bits: BITS, nodes, counts, moves })
}

/// Measures, and returns the page.
pub fn study(depth: u32, positions: usize) -> Result<Vec<(String, String)>, CommandError> {
    page(depth, positions, &measure(depth, positions).map_err(CommandError::failed)?).map_err(CommandError::failed)
}

/// Files by name: Markdown and picture.
fn page(depth: u32, positions: usize, results: &[CheckBitsResult]) -> Result<Vec<(String, String)>, ChartError> {
    let text = fill(
        include_str!("pages/check-bits.md"),
        &[("depth", &depth), ("positions", &positions), ("engine", &crate::ENGINE), ("table", &table(results))],
    );
    Ok(vec![("check-bits.md".into(), text), ("check-bits.svg".into(), picture(results)?)])
}

/// The last result is the reference for the others.
fn table(results: &[CheckBitsResult]) -> String {
    let mut text = String::from(
        "| bits | comparisons | wrong | predicted | would pass | no move | caught | ended a node | inherited \
         | nodes | other best moves |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let Some(whole) = results.last() else { return text };
    for CheckBitsResult { bits, nodes, counts, moves } in results {
        let others = moves.iter().zip(&whole.moves).filter(|(one, other)| one != other).count();
        let predicted = counts.predicted(*bits);
        let predicted = if predicted < 0.001 { format!("{predicted:.0e}") } else { format!("{predicted:.3}") };
        text += &format!(
            "| {bits} | {} | {} | {predicted} | {} | {} | {} | {} | {} | {nodes} | {others} of {} |\n",
            counts.comparisons,
            counts.wrong,
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

/// Errors per comparison by the bits, on a logarithmic axis. A count of zero has no point.
fn picture(results: &[CheckBitsResult]) -> Result<String, ChartError> {
    let curve = |number: usize, name: &str, errors: &dyn Fn(&CheckBitsResult) -> f64| {
        let point = |result: &CheckBitsResult| {
            let share = errors(result) / result.counts.comparisons as f64;
            (share > 0.0).then(|| (f64::from(result.bits), share.log10()))
        };
        Curve::new(name, CurveStyle::ALL[number], results.iter().filter_map(point).collect())
    };
    let not_caught = |counts: &ErrorCounts| counts.wrong - counts.caught;
    let curves = vec![
        curve(0, "accepted", &|result| result.counts.wrong as f64),
        curve(2, "not caught", &|result| not_caught(&result.counts) as f64),
        curve(5, "ended a node", &|result| result.counts.cut_offs as f64),
        curve(4, "predicted", &|result| result.counts.predicted(result.bits)),
    ];
    let lowest = -(f64::from(CHECK_BITS) * 2f64.log10()).ceil();
    let ticks = (0..=5).map(|step| (lowest * f64::from(step) / 5.0).round());
    Chart {
        title: "Wrong entries accepted, by the bits of the key that are compared".into(),
        x: Axis {
            title: "bits of the key that are compared".into(),
            ticks: BITS.iter().map(|&bits| (f64::from(bits), bits.to_string())).collect(),
            range: 5.0..51.0,
        },
        y: Axis {
            title: "wrong entries in each comparison".into(),
            ticks: ticks.map(|power| (power, format!("1e{power:.0}"))).collect(),
            range: lowest..0.0,
        },
        curves,
        reference: None,
    }
    .draw()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_counts_match_the_prediction() {
        let results = measure(10, 4096).unwrap();
        assert_eq!(results.iter().map(|result| result.bits).collect::<Vec<_>>(), BITS);
        for CheckBitsResult { bits, counts, .. } in &results {
            let (wrong, predicted) = (counts.wrong as f64, counts.predicted(*bits));
            // Errors come in groups: a wrong entry is met as often as its position is.
            assert!(
                (wrong - predicted).abs() < 4.0 * predicted.sqrt() + 0.1 * predicted + 3.0,
                "{bits} bits: {wrong} wrong, {predicted} predicted"
            );
            assert_eq!(counts.wrong, counts.passing(*bits), "{bits}");
            assert!(
                counts.moveless + counts.caught + counts.cut_offs <= 2 * counts.wrong
                    && counts.wrong <= counts.accepted
            );
            assert!(*bits < 24 || counts.inherited == 0, "{bits}");
        }
        let [eight, .., whole] = results.as_slice() else { panic!("{results:?}") };
        assert!(eight.counts.wrong > 500 && eight.counts.caught > 100 && eight.counts.cut_offs > 0, "{eight:?}");
        assert_eq!(whole.counts.wrong, 0);
        assert_eq!(table(&results).lines().count(), 2 + BITS.len());
        let files = page(10, 4096, &results).unwrap();
        assert!(files.iter().any(|(name, svg)| name == "check-bits.svg" && svg.starts_with("<svg")), "{files:?}");
    }
}
