//! The searches by the clock: Sesame and other engines side by side.

use super::super::analysis::{Curve, CurvePoint, Panel, others};
use super::super::pictures::{Against, ChartLine};
use super::super::record::{Purpose, Recording, ResultsFile, SESAME};
use super::super::{ScalingError, warnings};
use super::{ReportWriter, line, rows_of, times};
use sesame_report::markdown::{Table, Unit, grouped, or_dash, percent};
use sesame_report::statistics::Estimate;

/// The searches by the clock.
pub(super) struct Real<'a> {
    recording: &'a Recording,
    /// The engines that have results.
    pub(super) engines: Vec<EngineResults<'a>>,
}

/// The results of one engine.
pub(super) struct EngineResults<'a> {
    pub(super) name: &'a str,
    pub(super) depth: Panel<'a>,
    solution: Panel<'a>,
    pub(super) curves: Vec<Curve>,
}

impl<'a> Real<'a> {
    pub(super) fn new(recording: &'a Recording) -> Self {
        let cores = recording.conditions.get("cores").and_then(|cores| cores.parse().ok()).unwrap_or(1);
        let engine = |name| {
            let panel = |run| Panel::new(&recording.rows, name, run, cores);
            let depth = panel(Purpose::Depth);
            let curves = depth.curves();
            EngineResults { name, depth, solution: panel(Purpose::Solution), curves }
        };
        let has_results = |engine: &EngineResults<'_>| engine.name == SESAME || !engine.depth.is_empty();
        let engines = recording.engines().into_iter().map(engine).filter(has_results).collect();
        Self { recording, engines }
    }

    /// Returns the results of Sesame.
    pub(super) fn sesame(&self) -> Option<&EngineResults<'a>> {
        self.engines.iter().find(|engine| engine.name == SESAME)
    }

    fn has_others(&self) -> bool {
        self.engines.len() > 1
    }

    /// Returns the name of a variant of an engine, as far as it is needed to tell them apart.
    fn label(&self, engine: &EngineResults<'_>, variant: &str) -> String {
        match (self.has_others(), engine.depth.variants().len() > 1) {
            (false, _) => variant.to_owned(),
            (true, false) => engine.name.to_owned(),
            (true, true) => format!("{}: {variant}", engine.name),
        }
    }
}

/// Share of the processor time from which on a single search counts as disturbed.
const DISTURBED: i64 = 100;

impl ReportWriter {
    pub(super) fn real(&mut self, real: &Real<'_>) -> Result<(), ScalingError> {
        self.heading("Real threads");
        self.conditions(ResultsFile::Real, real.recording);
        self.noise(real.recording);
        let threads = real.engines.iter().flat_map(|engine| engine.depth.threads());
        self.warnings(warnings::after(real.recording, threads));
        for engine in &real.engines {
            let name = real.has_others().then_some(engine.name);
            self.warnings(warnings::of_engine(name, &engine.depth, &engine.curves));
        }
        self.measures(real);
        if real.has_others() {
            self.engines(real)?;
        }
        self.sesame(real)?;
        self.solutions(real);
        Ok(())
    }

    /// Writes how much other programs disturbed the run.
    fn noise(&mut self, recording: &Recording) {
        let Some(share) = others(recording.rows.iter()) else { return };
        let known: Vec<i64> = recording.rows.iter().filter_map(|row| row.others).collect();
        let disturbed = known.iter().filter(|&&share| share >= DISTURBED).count();
        let line = format!(
            "During the searches other programs used {} of the processor time; in {} of {} searches {} % or more",
            percent(share),
            grouped(disturbed as u64),
            grouped(known.len() as u64),
            DISTURBED / 10
        );
        self.text += &format!("{line}.\n\n");
        self.terminal += &format!("{line}.\n");
    }

    /// Writes the table of all engines.
    fn measures(&mut self, real: &Real<'_>) {
        let mut table = Table::new([
            if real.has_others() { "engine" } else { "variant" },
            "threads",
            "positions",
            "million nodes per second",
            "nodes per second",
            "time to depth",
            "nodes in all",
            "nodes per thread",
            "same move",
            "cores had",
            "others",
        ]);
        for engine in &real.engines {
            for (curve, point) in rows_of(&engine.curves) {
                table.row([
                    real.label(engine, &curve.variant),
                    point.threads.to_string(),
                    point.positions.to_string(),
                    or_dash(point.speed, |speed| Unit::Number.write_estimate(millions(speed))),
                    times(point.rate),
                    times(point.speed_up),
                    times(point.nodes),
                    times(point.per_worker),
                    or_dash(point.agreement, share),
                    or_dash(point.cores_had, percent),
                    or_dash(point.others, percent),
                ]);
            }
        }
        self.table(&table);
        self.text += REAL_COLUMNS;
    }

    /// Draws each measure with a curve for each engine.
    fn engines(&mut self, real: &Real<'_>) -> Result<(), ScalingError> {
        let lines = |value: fn(&CurvePoint) -> Option<Estimate>| -> Vec<ChartLine> {
            let first = real
                .engines
                .iter()
                .zip(0..)
                .filter_map(|(engine, number)| Some((engine, number, engine.curves.first()?)));
            first.map(|(engine, number, curve)| line(engine.name, number, curve, value)).collect()
        };
        let one = "times one thread";
        self.picture("engines-rate.svg", "Nodes per second", one, &lines(|point| point.rate), Against::Ideal)?;
        self.picture("engines-time.svg", "Time to depth", one, &lines(|point| point.speed_up), Against::Ideal)?;
        let same = "share of the searches";
        self.picture("engines-move.svg", "Same move", same, &lines(|point| point.agreement), Against::All("always"))?;
        let solved = |(engine, number): (&super::real::EngineResults<'_>, usize)| {
            let variant = engine.solution.variants().first().copied()?;
            let point = |threads| Some((threads, engine.solution.solving(variant, threads)?.speed_up?));
            let points = engine.solution.threads().into_iter().filter_map(point).collect();
            Some(ChartLine { name: engine.name.to_owned(), number, style: number, points })
        };
        let lines: Vec<ChartLine> = real.engines.iter().zip(0..).filter_map(solved).collect();
        self.picture("engines-solution.svg", "Time to solution", one, &lines, Against::Ideal)
    }

    /// Draws the measures of Sesame, or its variants.
    fn sesame(&mut self, real: &Real<'_>) -> Result<(), ScalingError> {
        let Some(engine) = real.sesame() else { return Ok(()) };
        let of_sesame = |title: &str| if real.has_others() { format!("{SESAME}: {title}") } else { title.to_owned() };
        if let [curve] = engine.curves.as_slice() {
            let lines = [
                line("time to depth", 0, curve, |point| point.speed_up),
                line("nodes per second", 1, curve, |point| point.rate),
                line("nodes per thread", 2, curve, |point| point.per_worker),
            ];
            let title = of_sesame("real threads against one");
            return self.picture("real.svg", &title, "times one thread", &lines, Against::Ideal);
        }
        let curves = engine.curves.iter().zip(0..);
        let lines: Vec<ChartLine> =
            curves.map(|(curve, number)| line(&curve.variant, number, curve, |point| point.speed_up)).collect();
        let title = of_sesame("time to depth against one thread");
        let titles = [title.as_str(), "times one thread"];
        self.variants(&lines, engine.depth.variants(), "real", titles, Against::Ideal)?;
        self.against(&engine.depth, "real-against")
    }

    fn solutions(&mut self, real: &Real<'_>) {
        if real.engines.iter().all(|engine| engine.solution.is_empty()) {
            return;
        }
        self.text += "### Solutions\n\n";
        self.terminal += "\nSolutions\n";
        let first = if real.has_others() { "engine" } else { "variant" };
        let mut table = Table::new([first, "threads", "positions", "solved", "compared", "time to solution"]);
        for engine in &real.engines {
            for variant in engine.solution.variants() {
                for threads in engine.solution.threads() {
                    let Some(solving) = engine.solution.solving(variant, threads) else { continue };
                    table.row([
                        real.label(engine, variant),
                        threads.to_string(),
                        solving.positions.to_string(),
                        percent(solving.solved),
                        solving.compared.to_string(),
                        times(solving.speed_up),
                    ]);
                }
            }
        }
        self.table(&table);
        self.text += SOLUTION_COLUMNS;
    }
}

fn millions(speed: Estimate) -> Estimate {
    let mut speed = speed;
    speed.value /= 1e6;
    speed.interval.low /= 1e6;
    speed.interval.high /= 1e6;
    speed
}

/// Formats a share with its interval; exactly 1 without.
fn share(estimate: Estimate) -> String {
    let ends = estimate.interval;
    match ends.low == ends.high {
        true => percent(estimate.value),
        false => format!("{} ({:.0} to {:.0})", percent(estimate.value), 100.0 * ends.low, 100.0 * ends.high),
    }
}

const REAL_COLUMNS: &str = "Each engine searches to depths of its own, and is compared with its own single thread. *Million nodes per \
    second*: geometric mean over the positions; engines count nodes differently. *Time to depth*: one thread's time over that of N, to the \
    same depth. *Nodes per second*, *nodes in all*: those of \
    N threads over one thread's. *Nodes per thread*: one thread's nodes over those of each of N; time to depth is about this times the \
    speed of each thread. *Same move*: share of the searches with one thread's best move. *Cores had*: the processor time of the threads over \
    the time of their cores; the rest went to other programs or to waiting. *Others*: share of all processors' time that other programs had \
    meanwhile.\n\n";

const SOLUTION_COLUMNS: &str = "All searches had the same time. *Time to solution*: one thread's time until a solution that it then held, over that of \
    N; a search without one counts with its whole time. *Compared* are positions that were solved, but not at once (in 10 ms) by one thread.\n\n";
