//! Random choice among the lines of a MultiPV search: with fewer nodes for limited strength (`UCI_LimitStrength`), or
//! among moves of almost the same value for variety in the opening.
//!
//! The probability of a line falls exponentially with its loss against the best line, divided by a temperature
//! (a Boltzmann distribution). Stockfish's skill levels also choose among MultiPV lines. Nodes and temperature
//! depend on the Elo; matches have calibrated them (`docs/results/strength.md`).

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::search_report::SearchReport;
use crate::locks::Mutex;
use crate::position::Game;
use crate::smp::{BestMove, CurrentMove, Info, Limits, Line, Score, Search, Sink};

/// A random choice of the move to play.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoveChoice {
    /// Limits the strength.
    Limited(StrengthLimit),
    /// Chooses among moves of almost the same value, at full strength.
    Varied {
        /// As in [`StrengthLimit::new`].
        seed: Option<u64>,
    },
}

/// A limit of playing strength.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StrengthLimit {
    elo: u32,
    seed: Option<u64>,
}

/// Elo, nodes, and temperature: the loss in centipawns that divides a line's probability by e. The Elo are the strength of
/// Stockfish's skill levels 0 to 9; docs/results/strength.md has the measurements. Between two levels, nodes are
/// interpolated geometrically and temperatures linearly.
const LEVELS: [(u32, u64, f64); 10] = [
    (1320, 1_130, 245.0),
    (1470, 1_430, 202.0),
    (1610, 1_990, 151.0),
    (1740, 2_510, 121.0),
    (1920, 4_170, 79.0),
    (2200, 8_540, 51.0),
    (2360, 16_700, 33.0),
    (2500, 25_300, 26.0),
    (2600, 46_000, 19.0),
    (2700, 76_900, 14.0),
];

/// Lines of a search with limited strength. In most positions the lowest node limit suffices for them at depth 1.
const LIMITED_LINES: usize = 4;
/// Each line costs time at full strength.
const VARIED: LineChoice = LineChoice { lines: 2, temperature: 10.0, max_mate: i32::MAX };
/// Maximum loss of a line that can be played, in temperatures.
const MAX_LOSS: f64 = 6.0;
/// Elo for each move more of the recognised mates. The lowest Elo recognises mates in one move.
const ELO_PER_MATE_MOVE: u32 = 345;
/// Value of an unrecognised mate, in centipawns.
const LONG_MATE_VALUE: f64 = 2_000.0;

impl StrengthLimit {
    /// The lowest Elo.
    pub const MIN_ELO: u32 = LEVELS[0].0;
    /// The highest Elo.
    pub const MAX_ELO: u32 = LEVELS[LEVELS.len() - 1].0;

    /// Creates a limit of about this Elo, clamped to [`StrengthLimit::MIN_ELO`]..=[`StrengthLimit::MAX_ELO`].
    /// The choice is reproducible with a `seed`, for the same search of the same game.
    pub fn new(elo: u32, seed: Option<u64>) -> StrengthLimit {
        StrengthLimit { elo: elo.clamp(Self::MIN_ELO, Self::MAX_ELO), seed }
    }

    /// Returns nodes and temperature.
    fn level(&self) -> (u64, f64) {
        let above = LEVELS.partition_point(|&(elo, ..)| elo < self.elo).clamp(1, LEVELS.len() - 1);
        let [(low_elo, low_nodes, low), (high_elo, high_nodes, high)] = [LEVELS[above - 1], LEVELS[above]];
        let share = f64::from(self.elo - low_elo) / f64::from(high_elo - low_elo);
        let nodes = low_nodes as f64 * (high_nodes as f64 / low_nodes as f64).powf(share);
        (nodes.round() as u64, low + share * (high - low))
    }

    fn choice(&self) -> LineChoice {
        let max_mate = (1 + (self.elo - Self::MIN_ELO) / ELO_PER_MATE_MOVE) as i32;
        LineChoice { lines: LIMITED_LINES, temperature: self.level().1, max_mate }
    }

    /// Turns off tablebase probes, which are too strong for a limited player. Time alone cuts the reported thinking short:
    /// with another limit, the answer comes when the search is over.
    fn apply(&self, search: &mut Search) {
        let Limits { depth, nodes, mate, .. } = search.limits;
        search.takes_its_time = depth.is_none() && mate.is_none() && nodes.is_none();
        let (nodes, _) = self.level();
        search.limits.nodes = Some(search.limits.nodes.map_or(nodes, |limit| limit.min(nodes)));
        search.syzygy = None;
    }
}

impl MoveChoice {
    pub(super) fn apply(&self, search: &mut Search) {
        let (choice, seed) = match self {
            MoveChoice::Limited(limit) => {
                limit.apply(search);
                (limit.choice(), limit.seed)
            }
            MoveChoice::Varied { seed } => (VARIED, *seed),
        };
        let multi_pv = search.multi_pv;
        search.multi_pv = multi_pv.max(choice.lines);
        let random = random(seed, &search.game);
        let sink = Arc::clone(&search.sink);
        search.sink = Arc::new(MoveChoiceSink { choice, random, multi_pv, sink, report: Mutex::default() });
    }
}

#[derive(Debug, Clone, Copy)]
struct LineChoice {
    lines: usize,
    temperature: f64,
    /// Maximum length of recognised mates, in moves.
    max_mate: i32,
}

impl LineChoice {
    /// Returns the index of one of the lines, which are best first. `random` is in 0..1. A recognised mate is always played;
    /// being mated in a recognised mate is avoided if possible.
    fn choose(&self, lines: &[Line], random: f64) -> usize {
        let max_mate = self.max_mate;
        if matches!(lines.first().map(|line| line.score), Some(Score::Mate(moves)) if (1..=max_mate).contains(&moves)) {
            return 0;
        }
        let is_blunder = |line: &Line| matches!(line.score, Score::Mate(moves) if (-max_mate..=0).contains(&moves));
        let value = |line: &Line| match line.score {
            Score::Centipawns(score) => f64::from(score).clamp(-LONG_MATE_VALUE, LONG_MATE_VALUE),
            Score::Mate(moves) if moves > 0 => LONG_MATE_VALUE,
            Score::Mate(_) => -LONG_MATE_VALUE,
        };
        let best = lines.iter().map(value).fold(f64::NEG_INFINITY, f64::max);
        let weight = |line: &Line| {
            let loss = (best - value(line)) / self.temperature;
            if is_blunder(line) || loss > MAX_LOSS { 0.0 } else { (-loss).exp() }
        };
        let mut left = random * lines.iter().map(weight).sum::<f64>();
        for (index, line) in lines.iter().enumerate() {
            let weight = weight(line);
            if weight > 0.0 && left < weight {
                return index;
            }
            left -= weight;
        }
        // All lines are blunders, or a rounding error.
        0
    }
}

/// Returns a number in 0..1, which with a seed depends only on the seed and the game.
fn random(seed: Option<u64>, game: &Game) -> f64 {
    let plies = game.previous_keys().len() as u64;
    let seed = match seed {
        Some(seed) => seed ^ game.position().key() ^ plies.rotate_left(32),
        // The standard library seeds the state from the system's random numbers.
        None => RandomState::new().hash_one(plies),
    };
    let bits = Xoshiro256PlusPlus::seed_from_u64(seed).next_u64() >> 11;
    bits as f64 / (1_u64 << 53) as f64
}

/// Chooses the move to play, and forwards the reports without the additional lines.
struct MoveChoiceSink {
    choice: LineChoice,
    random: f64,
    multi_pv: usize,
    sink: Arc<dyn Sink>,
    report: Mutex<SearchReport>,
}

impl Sink for MoveChoiceSink {
    fn info(&self, info: &Info) {
        self.report.lock().record(info);
        if info.line.rank <= self.multi_pv {
            self.sink.info(info);
        }
    }

    fn best_move(&self, best: &BestMove) {
        let report = self.report.lock();
        let mut lines: Vec<Line> = Vec::new();
        for line in &report.lines {
            // The lines behind those of the last iteration can be another worker's.
            if !lines.iter().any(|listed| listed.pv.first() == line.pv.first()) {
                lines.push(line.clone());
            }
        }
        match (lines.get(self.choice.choose(&lines, self.random)), report.iterations.last()) {
            (Some(line), Some(info)) if line.pv.first() != best.best.as_ref() => {
                let (mv, ponder) = (line.pv.first().copied(), line.pv.get(1).copied());
                let others = lines.iter().filter(|other| other.pv.first() != line.pv.first());
                let shown: Vec<&Line> = std::iter::once(line).chain(others).take(self.multi_pv).collect();
                // Each move once, the chosen one with rank 1; the last reported line is the one that is played.
                for (index, line) in shown.into_iter().enumerate().rev() {
                    let line = Line { rank: index + 1, ..line.clone() };
                    self.sink.info(&Info { line, nodes: best.nodes, elapsed: best.elapsed, ..info.clone() });
                }
                self.sink.best_move(&BestMove { best: mv, ponder, ..best.clone() });
            }
            _ => self.sink.best_move(best),
        }
    }

    fn current_move(&self, at: &CurrentMove) {
        self.sink.current_move(at);
    }

    fn message(&self, text: &str) {
        self.sink.message(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::search_report::{ChannelSink, SearchEvent};
    use crate::position::Position;
    use crate::smp::Bound;

    /// Returns lines with these scores and different moves.
    fn lines(scores: &[Score]) -> Vec<Line> {
        let moves = Position::startpos().legal_moves();
        let line = |(&score, &mv)| Line { rank: 1, depth: 3, seldepth: 3, score, bound: Bound::Exact, pv: vec![mv] };
        scores.iter().zip(moves.iter()).map(line).collect()
    }

    /// Returns the number of choices of each line, in a thousand.
    fn choices(elo: u32, scores: &[Score]) -> Vec<u32> {
        let lines = lines(scores);
        let mut counts = vec![0; lines.len()];
        for step in 0..1000 {
            counts[StrengthLimit::new(elo, None).choice().choose(&lines, f64::from(step) / 1000.0)] += 1;
        }
        counts
    }

    const fn cp(score: i32) -> Score {
        Score::Centipawns(score)
    }

    #[test]
    fn nodes_grow_and_temperature_falls_with_elo() {
        let levels = (StrengthLimit::MIN_ELO..=StrengthLimit::MAX_ELO).map(|elo| StrengthLimit::new(elo, None).level());
        assert!(levels.is_sorted_by(|one, other| one.0 <= other.0 && one.1 > other.1));
        for (elo, level) in [(0, (1_130, 245.0)), (1675, (2_235, 136.0)), (2200, (8_540, 51.0)), (9999, (76_900, 14.0))]
        {
            assert_eq!(StrengthLimit::new(elo, None).level(), level);
        }
    }

    #[test]
    fn worse_lines_are_less_likely() {
        let scores = [cp(30), cp(20), cp(-100), cp(-5000)];
        let (weak, strong) = (choices(1320, &scores), choices(2700, &scores));
        assert!(weak[0] > weak[1] && weak[1] > weak[2] && weak[2] > 100 && weak[3] == 0, "{weak:?}");
        assert!(strong[0] > 650 && strong[1] > 0 && strong[2] == 0, "{strong:?}");
        assert_eq!(choices(1320, &[cp(5)]), [1000]);
    }

    #[test]
    fn recognised_mates_are_played_and_avoided() {
        assert_eq!(choices(1320, &[Score::Mate(1), cp(2000), cp(1990)]), [1000, 0, 0]);
        assert_eq!(choices(2700, &[Score::Mate(5), cp(2000)]), [1000, 0]);
        let good = choices(1320, &[Score::Mate(5), cp(1990)]);
        assert!(good[0] > 300 && good[1] > 300, "a longer mate is one of several good moves");
        assert_eq!(choices(1320, &[cp(0), Score::Mate(-4)]), [1000, 0], "a longer mate is a bad move");
        assert_eq!(choices(1320, &[cp(-2000), cp(-2000), Score::Mate(-1)])[2], 0);
        assert!(choices(1320, &[cp(-2000), Score::Mate(-4)])[1] > 300);
        assert_eq!(choices(2700, &[cp(-2000), Score::Mate(-4)])[1], 0);
        assert_eq!(choices(2000, &[Score::Mate(-1), Score::Mate(-1)])[0], 1000, "all lines are blunders");
    }

    #[test]
    fn seeded_random_number_depends_on_the_game() {
        let start = Game::new(Position::startpos());
        let mut later = start.clone();
        later.play(later.position().from_uci("e2e4").unwrap());
        assert_eq!(random(Some(7), &start), random(Some(7), &start));
        for game in [&start, &later] {
            assert!((0..64).all(|bit| random(Some(7), game) != random(Some(7 ^ 1 << bit), game)), "every bit counts");
        }
        assert_ne!(random(Some(7), &start), random(Some(7), &later));
        assert_ne!(random(None, &start), random(None, &start));
        assert!((0..1000).all(|seed| (0.0..1.0).contains(&random(Some(seed), &start))));
    }

    #[test]
    fn repeated_moves_are_shown_once() {
        let lines = lines(&[cp(30), cp(20), cp(10)]);
        let [second, third] = [1, 2].map(|index| lines[index].pv[0]);
        let (sink, events) = ChannelSink::new();
        let choice = StrengthLimit::new(1320, None).choice();
        let chooser = MoveChoiceSink { choice, random: 0.999, multi_pv: 3, sink, report: Mutex::default() };
        let elapsed = std::time::Duration::ZERO;
        // The second line is the best of another worker, which has no other line.
        for (index, rank) in [(0, 1), (1, 2), (2, 3), (1, 1)] {
            let line = Line { rank, ..lines[index].clone() };
            chooser.info(&Info { line, nodes: 1, elapsed, tb_hits: 0, hashfull: 0 });
        }
        chooser.best_move(&BestMove { best: Some(second), ponder: None, nodes: 1, elapsed });
        drop(chooser);
        let shown = events.iter().skip(4).map(|event| match event {
            SearchEvent::Info(info) => (info.line.rank, Some(info.line.pv[0])),
            SearchEvent::End(best) => (0, best.best),
            SearchEvent::Message(text) => panic!("{text}"),
        });
        assert_eq!(shown.collect::<Vec<_>>(), [(2, Some(second)), (1, Some(third)), (0, Some(third))]);
    }
}
