//! Playing weaker than possible: fewer nodes, and now and then a move that is not the best.
//!
//! The search gets a number of nodes per move and finds several lines. Which of them is played is left to chance: a line that is
//! worse by so many centipawns is less likely by that power of e, with a temperature (the idea of skill levels that pick among the
//! lines of MultiPV is Stockfish's; a chance by the Boltzmann distribution is the usual way to do it). Both numbers follow from the
//! Elo, by a ladder that matches have calibrated: `scripts/calibrate-elo`, `docs/users/uci.md`.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use parking_lot::Mutex;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::position::Game;
use crate::smp::{BestMove, CurrentMove, Info, Line, Score, SearchRequest, Sink};

/// A limit of playing strength.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StrengthLimit {
    elo: u32,
    seed: Option<u64>,
}

/// A rung of the ladder.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rung {
    elo: u32,
    /// Nodes per move.
    nodes: u64,
    /// Centipawns that make a line less likely by a factor of e.
    temperature: f64,
}

const fn rung(elo: u32, nodes: u64, temperature: f64) -> Rung {
    Rung { elo, nodes, temperature }
}

/// Meant to be as strong as Stockfish's skill levels from 0 to 9, the Elo of which are known: docs/users/uci.md says what was measured. Between two
/// rungs nodes grow geometrically and temperatures fall evenly.
const LADDER: [Rung; 10] = [
    rung(1320, 2_000, 157.0),
    rung(1470, 2_600, 123.0),
    rung(1610, 3_400, 94.0),
    rung(1740, 4_500, 77.0),
    rung(1920, 7_000, 55.0),
    rung(2200, 17_000, 33.0),
    rung(2360, 30_000, 25.0),
    rung(2500, 50_000, 18.0),
    rung(2600, 76_000, 15.0),
    rung(2700, 115_000, 12.5),
];

/// The number of lines to choose from. In most positions the lowest node limit suffices for them at depth 1.
const LINES: usize = 4;
/// A line that is worse by more temperatures than this is never played.
const MOST_LOSS: f64 = 6.0;
/// A player of the lowest Elo sees mates in one move. So many Elo more, and he sees them in one more.
const ELO_PER_MATE_MOVE: u32 = 345;
/// The value of a mate beyond sight, in centipawns.
const UNSEEN_MATE: f64 = 2_000.0;

impl StrengthLimit {
    /// The lowest Elo that can be asked for.
    pub const MIN_ELO: u32 = LADDER[0].elo;
    /// The highest.
    pub const MAX_ELO: u32 = LADDER[LADDER.len() - 1].elo;

    /// Play of about this Elo, from [`StrengthLimit::MIN_ELO`] to [`StrengthLimit::MAX_ELO`]; the nearest of them if it is outside. With a `seed` the same
    /// search of the same game makes the same choice, otherwise chance is new each time.
    pub fn new(elo: u32, seed: Option<u64>) -> StrengthLimit {
        StrengthLimit { elo: elo.clamp(Self::MIN_ELO, Self::MAX_ELO), seed }
    }

    fn rung(&self) -> Rung {
        let above = LADDER.partition_point(|rung| rung.elo < self.elo).clamp(1, LADDER.len() - 1);
        let (low, high) = (LADDER[above - 1], LADDER[above]);
        let share = f64::from(self.elo - low.elo) / f64::from(high.elo - low.elo);
        let nodes = low.nodes as f64 * (high.nodes as f64 / low.nodes as f64).powf(share);
        let temperature = low.temperature + share * (high.temperature - low.temperature);
        Rung { elo: self.elo, nodes: nodes.round() as u64, temperature }
    }

    /// The longest mate, in moves, that is seen for certain.
    fn sight(&self) -> i32 {
        (1 + (self.elo - Self::MIN_ELO) / ELO_PER_MATE_MOVE) as i32
    }

    /// Which of these lines, best first, is played if chance says `chance`, from 0 to 1 (excluded).
    ///
    /// A mate in sight is given, and none in sight is walked into while another line is there.
    fn choose(&self, lines: &[Line], chance: f64) -> usize {
        let sight = self.sight();
        if matches!(lines.first().map(|line| line.score), Some(Score::Mate(moves)) if (1..=sight).contains(&moves)) {
            return 0;
        }
        let is_blunder = |line: &Line| matches!(line.score, Score::Mate(moves) if (-sight..=0).contains(&moves));
        let value = |line: &Line| match line.score {
            Score::Centipawns(score) => f64::from(score).clamp(-UNSEEN_MATE, UNSEEN_MATE),
            Score::Mate(moves) if moves > 0 => UNSEEN_MATE,
            Score::Mate(_) => -UNSEEN_MATE,
        };
        let best = lines.iter().map(value).fold(f64::NEG_INFINITY, f64::max);
        let temperature = self.rung().temperature;
        let weight = |line: &Line| {
            let loss = (best - value(line)) / temperature;
            if is_blunder(line) || loss > MOST_LOSS { 0.0 } else { (-loss).exp() }
        };
        let mut left = chance * lines.iter().map(weight).sum::<f64>();
        for (index, line) in lines.iter().enumerate() {
            let weight = weight(line);
            if weight > 0.0 && left < weight {
                return index;
            }
            left -= weight;
        }
        // All lines are blunders, or the last digit was lost.
        0
    }

    /// Makes `search` one with this strength_limit. Endgame tables are left out: no weaker player knows them.
    pub(super) fn apply<T>(&self, request: &mut SearchRequest<T>) {
        let nodes = self.rung().nodes;
        request.limits.nodes = Some(request.limits.nodes.map_or(nodes, |limit| limit.min(nodes)));
        request.syzygy = None;
        let shown = request.multi_pv;
        request.multi_pv = shown.max(LINES);
        let chance = chance(self.seed, &request.game);
        let sink = Arc::clone(&request.sink);
        request.sink = Arc::new(Chooser { strength_limit: *self, chance, shown, sink, lines: Mutex::default() });
    }
}

/// A number from 0 to 1 (excluded): the seed's for this game, or anyone.
fn chance(seed: Option<u64>, game: &Game) -> f64 {
    let plies = game.previous_keys().len() as u64;
    let seed = match seed {
        Some(seed) => seed ^ game.position().key() ^ plies.rotate_left(32),
        // The standard library seeds it from the system's randomness.
        None => RandomState::new().hash_one(plies),
    };
    let bits = Xoshiro256PlusPlus::seed_from_u64(seed).next_u64() >> 11;
    bits as f64 / (1_u64 << 53) as f64
}

/// Passes on what a search tells, but for the lines that nobody asked for, and chooses the move.
struct Chooser {
    strength_limit: StrengthLimit,
    chance: f64,
    /// The number of lines to show.
    shown: usize,
    sink: Arc<dyn Sink>,
    lines: Mutex<Lines>,
}

/// The lines of the last iterations.
#[derive(Default)]
struct Lines {
    /// Of the last, best first; if it was stopped, not all of them.
    last: Vec<Line>,
    before: Vec<Line>,
    /// The last report.
    info: Option<Info>,
}

impl Lines {
    fn note(&mut self, info: &Info) {
        if info.line.rank == 1 {
            let last = std::mem::take(&mut self.last);
            // One that was stopped does not take the place of a whole one.
            if last.len() >= self.before.len() {
                self.before = last;
            }
        }
        self.last.push(info.line.clone());
        self.info = Some(info.clone());
    }

    /// All lines there are: those of the last iteration, then what only the one before knew.
    fn all(&self) -> Vec<Line> {
        let mut all = self.last.clone();
        let first = |line: &Line| line.pv.first().copied();
        for line in &self.before {
            if !all.iter().any(|known| first(known) == first(line)) {
                all.push(line.clone());
            }
        }
        all
    }
}

impl Sink for Chooser {
    fn info(&self, info: &Info) {
        self.lines.lock().note(info);
        if info.line.rank <= self.shown {
            self.sink.info(info);
        }
    }

    fn best_move(&self, best: &BestMove) {
        let lines = self.lines.lock();
        let all = lines.all();
        let choice = all.get(self.strength_limit.choose(&all, self.chance));
        match (choice, &lines.info) {
            (Some(line), Some(info)) if line.pv.first() != best.best.as_ref() => {
                // The last line that is shown is the one that is played.
                let line = Line { rank: 1, ..line.clone() };
                let (mv, ponder) = (line.pv.first().copied(), line.pv.get(1).copied());
                self.sink.info(&Info { line, nodes: best.nodes, elapsed: best.elapsed, ..info.clone() });
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
    use crate::position::Position;
    use crate::smp::Bound;

    /// Lines with these scores, each with a move of its own.
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
            counts[StrengthLimit::new(elo, None).choose(&lines, f64::from(step) / 1000.0)] += 1;
        }
        counts
    }

    const fn cp(score: i32) -> Score {
        Score::Centipawns(score)
    }

    #[test]
    fn the_stronger_the_more_nodes_and_the_less_chance() {
        let mut before = Rung { elo: 0, nodes: 0, temperature: f64::INFINITY };
        for elo in StrengthLimit::MIN_ELO..=StrengthLimit::MAX_ELO {
            let rung = StrengthLimit::new(elo, None).rung();
            assert!(rung.nodes >= before.nodes && rung.temperature < before.temperature, "{rung:?} after {before:?}");
            before = rung;
        }
        for rung in LADDER {
            assert_eq!(StrengthLimit::new(rung.elo, None).rung(), rung);
        }
        assert_eq!(
            (StrengthLimit::new(0, None), StrengthLimit::new(9999, None)),
            (StrengthLimit::new(StrengthLimit::MIN_ELO, None), StrengthLimit::new(StrengthLimit::MAX_ELO, None))
        );
    }

    #[test]
    fn worse_lines_are_rarer_and_bad_ones_never_played() {
        let scores = [cp(30), cp(20), cp(-100), cp(-5000)];
        let (weak, strong) = (choices(1320, &scores), choices(2700, &scores));
        assert!(weak[0] > weak[1] && weak[1] > weak[2] && weak[2] > 100 && weak[3] == 0, "{weak:?}");
        assert!(strong[0] > 650 && strong[1] > 0 && strong[2] == 0, "{strong:?}");
        assert_eq!(choices(1320, &[cp(5)]), [1000]);
    }

    #[test]
    fn mates_in_sight_are_given_and_not_walked_into() {
        assert_eq!(choices(1320, &[Score::Mate(1), cp(2000), cp(1990)]), [1000, 0, 0]);
        assert_eq!(choices(2700, &[Score::Mate(5), cp(2000)]), [1000, 0]);
        assert!(choices(1320, &[Score::Mate(5), cp(1990)])[1] > 300, "beyond sight it is one good move of several");
        assert_eq!(choices(1320, &[cp(-2000), cp(-2000), Score::Mate(-1)])[2], 0);
        assert!(choices(1320, &[cp(-2000), Score::Mate(-4)])[1] > 300);
        assert_eq!(choices(2700, &[cp(-2000), Score::Mate(-4)])[1], 0);
        assert_eq!(choices(2000, &[Score::Mate(-1), Score::Mate(-1)])[0], 1000, "nothing else is left");
    }

    #[test]
    fn a_seed_makes_chance_repeatable_and_each_game_has_its_own() {
        let start = Game::new(Position::startpos());
        let mut later = start.clone();
        later.play(later.position().from_uci("e2e4").unwrap());
        assert_eq!(chance(Some(7), &start), chance(Some(7), &start));
        assert_ne!(chance(Some(7), &start), chance(Some(8), &start));
        assert_ne!(chance(Some(7), &start), chance(Some(7), &later));
        assert_ne!(chance(None, &start), chance(None, &start));
        assert!((0..1000).all(|seed| (0.0..1.0).contains(&chance(Some(seed), &start))));
    }

    #[test]
    fn a_stopped_iteration_does_not_hide_the_lines_of_the_one_before() {
        let of = lines(&[cp(30), cp(20), cp(10)]);
        let mut noted = Lines::default();
        let mut note = |place: usize, rank: usize, depth: u32| {
            let line = Line { rank, depth, ..of[place].clone() };
            let elapsed = std::time::Duration::ZERO;
            noted.note(&Info { line, nodes: 1, elapsed, tb_hits: 0, hashfull: 0 });
        };
        for (place, rank) in [(0, 1), (1, 2), (2, 3)] {
            note(place, rank, 4);
        }
        note(1, 1, 5);
        let all = noted.all();
        let found: Vec<_> = all.iter().map(|line| (line.pv[0], line.depth)).collect();
        assert_eq!(found, [(of[1].pv[0], 5), (of[0].pv[0], 4), (of[2].pv[0], 4)]);
    }
}
