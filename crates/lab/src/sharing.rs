//! The cost of shared histories on machines with many cores: coherence misses a node in simulated caches
//! ([`coherence`](sesame::search::coherence)), the speed that they leave at a price a miss, and the games that were played
//! with such a price.

use std::path::Path;
use std::sync::Arc;

use sesame::engine::{Engine, EngineError, Limits, NullSink, Options, Sharing, SharingStudy, bench};
use sesame::position::Game;
use sesame::search::coherence::{Coherence, Counts, Layout, MAX_WORKERS, Misses, Structure};
use sesame_report::chart::{Axis, Bar, BarChart, Chart, ChartError, Curve, CurveStyle};
use sesame_report::command::{CommandError, print_status};
use sesame_report::files::Results;
use sesame_report::markdown::{Table, fill, or_dash};
use sesame_report::parallel;

const HASH_MIB: usize = 16;

/// As in a socket of 64 cores that share last-level caches by eight.
const LAYOUT: Layout = Layout { cache: 8, socket: 64 };

pub const WORKERS: [usize; 7] = [2, 4, 8, 16, 32, 64, MAX_WORKERS];

/// Of a miss, in nanoseconds: inside a last-level cache, across caches, across sockets.
const PRICES: [f64; 3] = [30.0, 100.0, 300.0];

/// The expert's misses a node by workers, with all histories shared.
const EXPERT: [(usize, f64); 3] = [(2, 0.55), (8, 1.77), (32, 2.46)];

const MISSES_FILE: &str = "misses.csv";
const MISSES_COLUMNS: &str =
    "workers,sharing,structure,nodes,cold,read near,read far,read socket,write near,write far,write socket";

/// A match of one sharing against another.
const GAMES_FILE: &str = "games.csv";
const GAMES_COLUMNS: &str = "workers,sharing,against,price,games,elo,error";

/// All workers share some of the histories, or a few workers share all.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Scheme {
    Part(Sharing),
    GroupsOf(usize),
}

impl Scheme {
    const ALL: [Scheme; 6] = [
        Scheme::Part(Sharing::All),
        Scheme::Part(Sharing::CorrectionsAndContinuation),
        Scheme::Part(Sharing::Corrections),
        Scheme::GroupsOf(8),
        Scheme::GroupsOf(4),
        Scheme::GroupsOf(2),
    ];

    fn name(self) -> String {
        match self {
            Scheme::Part(sharing) => sharing.name().to_owned(),
            Scheme::GroupsOf(workers) => format!("groups of {workers}"),
        }
    }

    fn study(self, workers: usize) -> SharingStudy {
        match self {
            Scheme::Part(sharing) => SharingStudy { sharing, group: workers },
            Scheme::GroupsOf(group) => SharingStudy { sharing: Sharing::All, group },
        }
    }

    /// A group of all workers is no other sharing.
    fn applies_to(self, workers: usize) -> bool {
        !matches!(self, Scheme::GroupsOf(group) if group >= workers)
    }
}

/// A measurement: one search of each position by each number of workers under each sharing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Measure {
    /// At most 128 each.
    pub workers: Vec<usize>,
    /// Positions of the bench, evenly spread; at least 1.
    pub positions: usize,
    /// Nodes of each worker that count. As many are searched before.
    pub nodes: u64,
    /// Searches at a time. The results do not depend on it.
    pub jobs: usize,
}

impl Measure {
    fn head(&self) -> String {
        format!(
            "# {} positions, {} nodes of each worker after as many that warm the caches up",
            self.positions, self.nodes
        )
    }
}

#[derive(Clone, PartialEq, Debug)]
struct Row {
    workers: usize,
    /// Name of a [`Scheme`].
    sharing: String,
    structure: Structure,
    nodes: u64,
    misses: Misses,
}

impl Row {
    fn text(&self) -> String {
        let Row { workers, sharing, structure, nodes, misses: Misses { cold, reads, writes } } = self;
        let misses: String = reads.iter().chain(writes).map(|misses| format!(",{misses}")).collect();
        format!("{workers},{sharing},{},{nodes},{cold}{misses}", structure.name())
    }

    fn parse(text: &str) -> Result<Self, String> {
        let fields: Vec<&str> = text.split(',').collect();
        let [workers, sharing, structure, nodes, cold, misses @ ..] = &fields[..] else {
            return Err("too few fields".to_owned());
        };
        let parsed = || {
            let structure = Structure::ALL.into_iter().find(|named| named.name() == *structure)?;
            let misses: Vec<u64> = misses.iter().map(|misses| misses.parse()).collect::<Result<_, _>>().ok()?;
            let (reads, writes) = misses.split_at_checked(3)?;
            let (reads, writes) = (reads.try_into().ok()?, writes.try_into().ok()?);
            let misses = Misses { cold: cold.parse().ok()?, reads, writes };
            let (workers, nodes) = (workers.parse().ok()?, nodes.parse().ok()?);
            Some(Row { workers, sharing: (*sharing).to_owned(), structure, nodes, misses })
        };
        parsed().filter(|row| row.nodes > 0).ok_or_else(|| "a field is not valid".to_owned())
    }

    /// Coherence misses a node by distance.
    fn by_distance(&self) -> [f64; 3] {
        let Misses { reads, writes, .. } = self.misses;
        [0, 1, 2].map(|distance| (reads[distance] + writes[distance]) as f64 / self.nodes as f64)
    }

    fn misses_a_node(&self) -> f64 {
        self.by_distance().iter().sum()
    }
}

/// The result of a match, as its line says.
#[derive(Clone, PartialEq, Debug)]
struct Match {
    workers: usize,
    sharing: String,
    against: String,
    /// Charged for a miss, in nanoseconds.
    price: f64,
    games: u32,
    elo: f64,
    /// Half of the 95 % interval.
    error: f64,
}

impl Match {
    fn parse(text: &str) -> Result<Self, String> {
        let fields: Vec<&str> = text.split(',').collect();
        let [workers, sharing, against, price, games, elo, error] = fields[..] else {
            return Err(format!("{} fields instead of 7", fields.len()));
        };
        fn number<T: std::str::FromStr>(name: &str, text: &str, is_valid: impl Fn(&T) -> bool) -> Result<T, String> {
            text.parse().ok().filter(is_valid).ok_or_else(|| format!("the {name} is {text:?}"))
        }
        let names: Vec<String> = Scheme::ALL.iter().map(|scheme| scheme.name()).collect();
        if !names.iter().any(|name| name == sharing) {
            return Err(format!("the sharing is {sharing:?}, none of: {}", names.join(", ")));
        }
        if against.is_empty() {
            return Err("the opponent is missing".to_owned());
        }
        Ok(Match {
            workers: number("number of workers", workers, |&workers| workers > 0)?,
            sharing: sharing.to_owned(),
            against: against.to_owned(),
            price: number("price", price, |&price: &f64| price.is_finite() && price >= 0.0)?,
            games: number("number of games", games, |&games| games > 0)?,
            elo: number("Elo", elo, |elo: &f64| elo.is_finite())?,
            error: number("error", error, |&error: &f64| error.is_finite() && error >= 0.0)?,
        })
    }
}

fn measure(measure: &Measure) -> Result<Vec<Row>, EngineError> {
    let mut plan: Vec<(usize, Scheme)> = measure
        .workers
        .iter()
        .flat_map(|&workers| Scheme::ALL.map(|scheme| (workers, scheme)))
        .filter(|&(workers, scheme)| scheme.applies_to(workers))
        .collect();
    // The longest first, so that no job is left alone at the end.
    plan.reverse();
    let mut rows = parallel::try_map(plan, measure.jobs, |(workers, scheme)| -> Result<_, EngineError> {
        let counts = run(workers, scheme.study(workers), measure)?;
        print_status(&format!("{workers} workers, {}: done", scheme.name()));
        let row = |(structure, misses)| Row { workers, sharing: scheme.name(), structure, nodes: counts.nodes, misses };
        Ok(Structure::ALL.into_iter().zip(counts.misses).map(row).collect::<Vec<_>>())
    })?;
    rows.reverse();
    Ok(rows.into_iter().flatten().collect())
}

/// Each position begins with empty tables and caches.
fn run(workers: usize, study: SharingStudy, measure: &Measure) -> Result<Counts, EngineError> {
    let options = Options {
        threads: workers,
        lockstep: true,
        hash_mib: HASH_MIB,
        sharing_study: Some(study),
        ..Options::default()
    };
    let mut engine = Engine::with_sink(options, Arc::new(NullSink))?;
    let limits = Limits { nodes: Some(2 * measure.nodes * workers as u64), ..Limits::default() };
    let positions: Vec<_> = bench::positions().collect();
    let mut counts = Counts::default();
    for position in positions.iter().step_by(positions.len().div_ceil(measure.positions)) {
        engine.new_game();
        if engine.options().threads < workers {
            return Err(EngineError::Thread(std::io::ErrorKind::OutOfMemory.into()));
        }
        let coherence = Arc::new(Coherence::new(HASH_MIB, LAYOUT, measure.nodes));
        engine.count_misses(Arc::clone(&coherence));
        engine.search(&Game::new(position.clone()), limits.clone())?;
        counts += coherence.counts();
    }
    Ok(counts)
}

/// Measures, or reads an earlier measurement in `folder` instead, and returns the page with its pictures. `speed` is that of
/// a thread that shares nothing, in nodes a second.
pub fn study(settings: Option<Measure>, folder: &Path, speed: f64) -> Result<Vec<(String, String)>, CommandError> {
    let games_path = folder.join(GAMES_FILE);
    let games = match games_path.exists() {
        true => Results::read(&games_path, GAMES_COLUMNS)?.parse(&games_path, Match::parse)?,
        false => Vec::new(),
    };
    let path = folder.join(MISSES_FILE);
    let Some(settings) = settings else {
        let results = Results::read(&path, MISSES_COLUMNS)?;
        let head = results.head.first().cloned().unwrap_or_default();
        return Ok(page(&head, &results.parse(&path, Row::parse)?, &games, speed)?);
    };
    let head = settings.head();
    let rows = measure(&settings).map_err(CommandError::failed)?;
    let lines: String = rows.iter().map(|row| row.text() + "\n").collect();
    let mut files = page(&head, &rows, &games, speed)?;
    files.push((MISSES_FILE.into(), format!("{head}\n{MISSES_COLUMNS}\n{lines}")));
    Ok(files)
}

/// Files by name: Markdown and pictures.
fn page(head: &str, rows: &[Row], games: &[Match], speed: f64) -> Result<Vec<(String, String)>, ChartError> {
    let text = fill(
        include_str!("pages/sharing.md"),
        &[
            ("engine", &crate::ENGINE),
            ("mib", &HASH_MIB),
            ("conditions", &head.trim_start_matches("# ")),
            ("speed", &sesame_report::markdown::grouped(speed as u64)),
            ("cache", &LAYOUT.cache),
            ("socket", &LAYOUT.socket),
            ("by structure", &by_structure(rows)),
            ("by sharing", &by_sharing(rows, |row| row.misses_a_node())),
            ("by distance", &by_distance(rows)),
            ("speeds", &speeds(rows, speed)),
            ("expert", &expert(rows)),
            ("games", &games_section(games)),
        ],
    );
    let mut files = vec![("sharing.md".into(), text), ("misses.svg".into(), misses_picture(rows).draw()?)];
    if !games.is_empty() {
        files.push(("games.svg".into(), games_picture(games).draw()?));
    }
    Ok(files)
}

const HISTORIES: std::ops::Range<usize> = 0..Structure::ALL.len() - 1;

fn find<'a>(rows: &'a [Row], workers: usize, sharing: &str, structure: Structure) -> Option<&'a Row> {
    rows.iter().find(|row| row.workers == workers && row.sharing == sharing && row.structure == structure)
}

/// Over all histories; `None` if the sharing was not measured.
fn sum(rows: &[Row], workers: usize, sharing: &str, value: impl Fn(&Row) -> f64) -> Option<f64> {
    let found = Structure::ALL[HISTORIES].iter().map(|&structure| find(rows, workers, sharing, structure));
    found.map(|row| row.map(&value)).sum()
}

fn decimals(value: f64) -> String {
    format!("{value:.3}")
}

/// With everything shared.
fn by_structure(rows: &[Row]) -> Table {
    let all = Scheme::ALL[0].name();
    let names = Structure::ALL[HISTORIES].iter().map(|structure| structure.name());
    let mut table = Table::new(["workers"].into_iter().chain(names).chain(["all histories", "writes", "cold", "TT"]));
    for workers in WORKERS {
        let one = |structure| or_dash(find(rows, workers, &all, structure), |row| decimals(row.misses_a_node()));
        let total = |value: &dyn Fn(&Row) -> f64| or_dash(sum(rows, workers, &all, value), decimals);
        let writes = |row: &Row| row.misses.writes.iter().sum::<u64>() as f64 / row.nodes as f64;
        let cold = |row: &Row| row.misses.cold as f64 / row.nodes as f64;
        let structures = Structure::ALL[HISTORIES].iter().map(|&structure| one(structure));
        let totals = [total(&Row::misses_a_node), total(&writes), total(&cold), one(Structure::Table)];
        table.row([workers.to_string()].into_iter().chain(structures).chain(totals));
    }
    table
}

/// A column for each number of workers.
fn by_workers(first: &[&str]) -> Table {
    let workers = WORKERS.iter().map(ToString::to_string);
    Table::new(first.iter().map(ToString::to_string).chain(workers)).with_text_columns(first.len())
}

fn by_sharing(rows: &[Row], value: impl Fn(&Row) -> f64) -> Table {
    let mut table = by_workers(&["sharing"]);
    for name in Scheme::ALL.map(Scheme::name) {
        let cells = WORKERS.map(|workers| or_dash(sum(rows, workers, &name, &value), decimals));
        table.row([name].into_iter().chain(cells));
    }
    table
}

fn by_distance(rows: &[Row]) -> Table {
    let mut table = by_workers(&["sharing", "misses"]);
    for sharing in Sharing::ALL.into_iter().filter(|&sharing| sharing != Sharing::Nothing) {
        let name = Scheme::Part(sharing).name();
        for (distance, place) in ["in a cache", "across caches", "across sockets"].into_iter().enumerate() {
            let value = |workers| sum(rows, workers, &name, |row| row.by_distance()[distance]);
            let cells = WORKERS.map(|workers| or_dash(value(workers), decimals));
            table.row([name.clone(), place.to_owned()].into_iter().chain(cells));
        }
    }
    table
}

/// Relative to no sharing.
fn speeds(rows: &[Row], speed: f64) -> Table {
    let node = 1e9 / speed;
    let flat = PRICES.map(|price| (format!("{price} ns"), [price; 3]));
    let mut table = by_workers(&["price", "sharing"]);
    for (price, prices) in flat.into_iter().chain([("by distance".to_owned(), PRICES)]) {
        for name in Scheme::ALL.map(Scheme::name) {
            let cost = |row: &Row| row.by_distance().iter().zip(prices).map(|(misses, price)| misses * price).sum();
            let cell =
                |workers| or_dash(sum(rows, workers, &name, cost), |cost| format!("{:.2}", node / (node + cost)));
            table.row([price.clone(), name.clone()].into_iter().chain(WORKERS.map(cell)));
        }
    }
    table
}

fn expert(rows: &[Row]) -> Table {
    let mut table = Table::new(["workers", "expert", "here"]);
    for (workers, misses) in EXPERT {
        let here = sum(rows, workers, &Scheme::ALL[0].name(), Row::misses_a_node);
        table.row([workers.to_string(), format!("{misses}"), or_dash(here, |here| format!("{here:.2}"))]);
    }
    table
}

fn games_section(games: &[Match]) -> String {
    if games.is_empty() {
        return "No games yet.\n".to_owned();
    }
    let mut table = Table::new(["sharing", "against", "workers", "price", "games", "Elo"]).with_text_columns(2);
    for Match { workers, sharing, against, price, games, elo, error } in games {
        let (workers, price, games) = (workers.to_string(), format!("{price} ns"), games.to_string());
        table.row([sharing.clone(), against.clone(), workers, price, games, format!("{elo:+.1} +- {error:.1}")]);
    }
    format!("{table}\n![Elo by sharing](games.svg)\n")
}

fn misses_picture(rows: &[Row]) -> Chart {
    let all = Scheme::ALL[0].name();
    let curve = |name: &str, look, value: &dyn Fn(usize) -> Option<f64>| {
        let points = WORKERS.into_iter().filter_map(|workers| Some(((workers as f64).log2(), value(workers)?)));
        Curve::new(name, look, points.collect())
    };
    let [first, rest @ ..] = CurveStyle::ALL;
    let mut curves = vec![curve("all histories", first, &|workers| sum(rows, workers, &all, Row::misses_a_node))];
    curves.extend(Structure::ALL[HISTORIES].iter().zip(rest).map(|(&structure, look)| {
        curve(structure.name(), look, &|workers| Some(find(rows, workers, &all, structure)?.misses_a_node()))
    }));
    let values = curves.iter().flat_map(|curve| curve.points.iter().map(|&(_, value)| value)).chain([0.0]);
    Chart {
        title: "Cache misses a node that sharing causes, by what is shared".into(),
        x: Axis {
            title: "threads that share".into(),
            ticks: WORKERS.iter().map(|&workers| ((workers as f64).log2(), workers.to_string())).collect(),
            range: 0.8..7.2,
        },
        y: Axis::round("misses a node", values, |value, step| format!("{value:.*}", usize::from(step < 1.0))),
        curves,
        reference: None,
    }
}

/// A bar for each match, the best result first.
fn games_picture(games: &[Match]) -> BarChart {
    let mut games: Vec<&Match> = games.iter().collect();
    games.sort_by(|a, b| b.elo.total_cmp(&a.elo));
    let signed = |value: f64, digits: usize| format!("{value:+.digits$}").replace('-', "−");
    let bar = |&&Match { workers, ref sharing, ref against, price, elo, error, .. }: &&Match| {
        let cost = if price > 0.0 { format!(", {price} ns a miss") } else { String::new() };
        let (name, interval) = (format!("{sharing} v {against}, {workers} threads{cost}"), (elo - error, elo + error));
        Bar { name, value: elo, interval, text: signed(elo, 1), is_highlighted: true }
    };
    let bars: Vec<Bar> = games.iter().map(bar).collect();
    let ends = bars.iter().flat_map(|bar| [bar.interval.0, bar.interval.1]).chain([0.0]);
    BarChart {
        title: "Which histories should threads share? Elo of the first named against the second".into(),
        axis: Axis::round("Elo, with 95 % intervals", ends, |value, _| signed(value, 0).replace("+0", "0")),
        bars,
        mark: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn misses(workers: usize, study: SharingStudy) -> [u64; Structure::ALL.len()] {
        let measure = Measure { workers: Vec::new(), positions: 1, nodes: 2000, jobs: 1 };
        let counts = run(workers, study, &measure).unwrap();
        assert!(counts.nodes >= 2000 * workers as u64 * 9 / 10, "{counts:?}");
        assert_eq!(run(workers, study, &measure).unwrap(), counts, "repeatable");
        counts.misses.map(|Misses { reads, writes, .. }| reads.iter().chain(&writes).sum())
    }

    #[test]
    fn only_shared_structures_have_coherence_misses() {
        use Structure::{Continuation, Corrections, Table};
        let alone = SharingStudy { sharing: Sharing::All, group: 1 };
        for (scheme, shared) in [
            (None, vec![Table]),
            (Some(Scheme::Part(Sharing::Corrections)), vec![Corrections, Table]),
            (Some(Scheme::Part(Sharing::CorrectionsAndContinuation)), vec![Continuation, Corrections, Table]),
            (Some(Scheme::Part(Sharing::All)), Structure::ALL.to_vec()),
        ] {
            let misses = misses(2, scheme.map_or(alone, |scheme| scheme.study(2)));
            for (structure, misses) in Structure::ALL.into_iter().zip(misses) {
                assert_eq!(misses > 0, shared.contains(&structure), "{structure:?} under {scheme:?}: {misses}");
            }
        }
    }

    /// For each scheme and number of workers, each structure has a read miss in a thousand nodes and a write miss across
    /// sockets in ten thousand.
    fn rows() -> Vec<Row> {
        let plan = WORKERS.iter().flat_map(|&workers| Scheme::ALL.map(|scheme| (workers, scheme)));
        let rows = plan.filter(|&(workers, scheme)| scheme.applies_to(workers)).flat_map(|(workers, scheme)| {
            Structure::ALL.map(|structure| {
                let misses = Misses { cold: 5, reads: [100, 0, 0], writes: [0, 0, 10] };
                Row { workers, sharing: scheme.name(), structure, nodes: 1000, misses }
            })
        });
        rows.collect()
    }

    #[test]
    fn pages_have_misses_and_speeds() {
        let files = page("# 3 positions", &rows(), &[], 1e6).unwrap();
        let (name, text) = &files[0];
        assert_eq!((name.as_str(), files.len()), ("sharing.md", 2));
        for line in [
            "| 128 | 0.110 | 0.110 | 0.110 | 0.110 | 0.110 | 0.550 | 0.050 | 0.025 | 0.110 |",
            "| groups of 4 | – | – | 0.550 | 0.550 | 0.550 | 0.550 | 0.550 |",
            "| all | across sockets | 0.050 | 0.050 | 0.050 | 0.050 | 0.050 | 0.050 | 0.050 |",
            // A node takes 1000 ns: 0.55 misses of 300 ns, and 0.5 of 30 ns with 0.05 of 300 ns, are added.
            "| 300 ns | corrections | 0.86 | 0.86 | 0.86 | 0.86 | 0.86 | 0.86 | 0.86 |",
            "| by distance | all | 0.97 | 0.97 | 0.97 | 0.97 | 0.97 | 0.97 | 0.97 |",
            "| 8 | 1.77 | 0.55 |",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        assert!(text.contains("3 positions") && !text.contains('{'), "{text}");
    }

    #[test]
    fn games_are_drawn_and_listed() {
        let game = |text| Match::parse(text).unwrap();
        let games = [game("8,all,groups of 4,100,400,12.5,9"), game("8,groups of 2,groups of 4,100,400,-3,9.1")];
        let files = page("", &[], &games, 1e6).unwrap();
        assert!(
            files[0].1.contains("| groups of 2 | groups of 4 | 8 | 100 ns | 400 | -3.0 +- 9.1 |"),
            "{}",
            files[0].1
        );
        let picture = &files[2].1;
        for text in [
            "groups of 2 v groups of 4, 8 threads, 100 ns a miss",
            "all v groups of 4, 8 threads, 100 ns a miss",
            "+12.5",
            "−3.0",
        ] {
            assert!(picture.contains(&format!("\n{text}\n")), "{text}: {picture}");
        }
        assert!(files[0].1.contains("](games.svg)"));
    }

    #[test]
    fn lines_are_checked() {
        for row in rows().iter().take(12) {
            assert_eq!(Row::parse(&row.text()).as_ref(), Ok(row));
        }
        for row in
            ["", "2,all,corrections,5,0,1,1,1,1,1", "2,all,corrections,0,0,1,1,1,1,1,1", "2,all,x,5,0,1,1,1,1,1,1"]
        {
            assert!(Row::parse(row).is_err(), "{row}");
        }
        for (game, wrong) in [
            ("8,all,none,100,400,12.5", "6 fields instead of 7"),
            ("0,all,none,100,400,12.5,9", "the number of workers is \"0\""),
            ("8,most,none,100,400,12.5,9", "the sharing is \"most\", none of: all, corrections+continuation"),
            ("8,all,,100,400,12.5,9", "the opponent is missing"),
            ("8,all,none,-1,400,12.5,9", "the price is \"-1\""),
            ("8,all,none,100,0,12.5,9", "the number of games is \"0\""),
            ("8,all,none,100,400,NaN,9", "the Elo is \"NaN\""),
            ("8,all,none,100,400,12.5,-9", "the error is \"-9\""),
        ] {
            let error = Match::parse(game).unwrap_err();
            assert!(error.starts_with(wrong), "{game}: {error}");
        }
    }

    #[test]
    fn committed_page_is_made_from_the_committed_files() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(crate::SHARING_FOLDER);
        for (name, text) in study(None, &folder, 1e6).unwrap() {
            assert!(std::fs::read_to_string(folder.join(&name)).is_ok_and(|found| found == text), "{name}");
        }
    }
}
