//! What the bits of the check are worth: type-1 errors (Breuker et al. 1994, section 3) on real search traffic.
//!
//! A type-1 error is an entry accepted for a position that it does not belong to. The bench is searched on tables that verify fewer
//! bits of the key than the engine's 48, and a recorder that sees the 48 bits of every accepted entry tells which were wrong, which of
//! those the search noticed because the entry's move was illegal, and which ended a node.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use parking_lot::Mutex;

use sesame::engine::EngineError;
use sesame::engine::bench::{self, BenchOptions};
use sesame::eval::Evaluator;
use sesame::search::TtEntry;
use sesame_report::chart::{Axis, Chart, ChartError, Curve, Look};
use sesame_table::{CHECK_BITS, Image, Payload, Recorder, Table, TableOptions, Tag, Usage, Work};

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
            let has_move = TtEntry::unpack(image.data).is_some_and(|entry| entry.mv != 0);
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
    let table = Table::<TtEntry, Audit, N>::with_options(&TableOptions { positions, ..TableOptions::default() })?;
    let options = BenchOptions { depth, evaluator: Evaluator::Classical, ..BenchOptions::default() };
    let mut moves = Vec::new();
    let stop = AtomicBool::new(false);
    let ended = bench::run_on(table, &options, &stop, |step, _| moves.push(step.best.clone()))?;
    // Nobody stops it.
    let Some((report, engine)) = ended else { unreachable!("a bench that nobody stops ends by itself") };
    let counts = engine.table().recorder().counts.lock().clone();
    Ok(Finding { bits: N, nodes: report.nodes, counts, moves })
}

/// The page of a measurement: its files by name, Markdown and picture.
///
/// # Errors
/// When the picture cannot be drawn.
pub fn page(depth: u32, positions: usize, findings: &[Finding]) -> Result<Vec<(String, String)>, ChartError> {
    let text = format!(
        "# What the bits of the check are worth\n\n\
         Written by `sesame lab check-bits --depth {depth} --positions {positions}`: the 50 positions of the bench, each searched to depth {depth} on a table of \
         {positions} positions, which verifies fewer bits of the key than the engine's {CHECK_BITS}. An entry is wrong (a type-1 error; \
         Breuker et al. 1994, section 3) when the {CHECK_BITS} bits that it was stored with are not those of the position it is accepted for.\n\n\
         {}\n![Errors by bits](check-bits.svg)\n\n{EXPLANATION}",
        table(findings)
    );
    Ok(vec![("check-bits.md".into(), text), ("check-bits.svg".into(), picture(findings)?)])
}

const EXPLANATION: &str = "\
- *comparisons*: how often a probe looked at another position's entry. *predicted*: each of them errs with a probability of 2 to the power of minus the \
bits. *would pass*: the comparisons of the 48-bit search whose keys agree in so many low bits, that is, the errors if errors did not change the search.\n\
- *no move*: the wrong entry had no move that could be tested. *caught*: its move was illegal, and it was ignored whole. *ended a node*: it was believed, \
and its score returned.\n\
- *inherited*: an entry of the right position was ignored because its move was illegal: it had been stored without one over a wrong entry taken for its own, and kept \
the move. A short check so damages right entries as well.\n\
- *other best moves*: positions of the bench where the search ended with another move than with 48 bits.\n\
- These are the bits compared within a bucket. The index of the bucket verifies as many more as it has, if they are others: with 48 bits, from 65,536 \
buckets up, all 64 are.\n";

/// The findings as a Markdown table; the last is the measure of the others.
fn table(findings: &[Finding]) -> String {
    let mut text = String::from(
        "| bits | comparisons | wrong | predicted | would pass | no move | caught | ended a node | inherited | nodes | other best moves |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let Some(whole) = findings.last() else { return text };
    for Finding { bits, nodes, counts, moves } in findings {
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

/// Errors for each comparison by the bits, on a logarithmic axis; what never happened has no point.
fn picture(findings: &[Finding]) -> Result<String, ChartError> {
    let curve = |number: usize, name: &str, errors: &dyn Fn(&Finding) -> f64| {
        let point = |finding: &Finding| {
            let share = errors(finding) / finding.counts.comparisons as f64;
            (share > 0.0).then(|| (f64::from(finding.bits), share.log10()))
        };
        Curve::new(name, Look::ALL[number], findings.iter().filter_map(point).collect())
    };
    let left = |counts: &Counts| counts.wrong - counts.caught;
    let curves = vec![
        curve(0, "accepted", &|finding| finding.counts.wrong as f64),
        curve(2, "not caught", &|finding| left(&finding.counts) as f64),
        curve(5, "ended a node", &|finding| finding.counts.cut_offs as f64),
        curve(4, "predicted", &|finding| finding.counts.predicted(finding.bits)),
    ];
    let lowest = -(f64::from(CHECK_BITS) * 2f64.log10()).ceil();
    let ticks = (0..=5).map(|step| (lowest * f64::from(step) / 5.0).round());
    Chart {
        title: "Type-1 errors (wrong entries accepted) by the bits of the check".into(),
        x: Axis {
            title: "bits of the key that are compared".into(),
            ticks: BITS.iter().map(|&bits| (f64::from(bits), bits.to_string())).collect(),
            range: 5.0..51.0,
        },
        y: Axis {
            title: "errors for each comparison, powers of ten".into(),
            ticks: ticks.map(|power| (power, (power as i32).to_string())).collect(),
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
    fn fewer_bits_err_as_often_as_they_should_and_48_do_not() {
        let findings = measure(10, 4096, |_| ()).unwrap();
        assert_eq!(findings.iter().map(|finding| finding.bits).collect::<Vec<_>>(), BITS);
        for Finding { bits, counts, .. } in &findings {
            let (wrong, predicted) = (counts.wrong as f64, counts.predicted(*bits));
            // They come in groups: a wrong entry is met as often as its position is.
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
        let [eight, .., whole] = findings.as_slice() else { panic!("{findings:?}") };
        assert!(eight.counts.wrong > 500 && eight.counts.caught > 100 && eight.counts.cut_offs > 0, "{eight:?}");
        assert_eq!(whole.counts.wrong, 0);
        assert_eq!(table(&findings).lines().count(), 2 + BITS.len());
        let files = page(10, 4096, &findings).unwrap();
        assert!(files.iter().any(|(name, svg)| name == "check-bits.svg" && svg.starts_with("<svg")), "{files:?}");
    }
}
