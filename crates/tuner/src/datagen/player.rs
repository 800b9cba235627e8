//! The player of self-play games: random openings, node-limited searches, adjudication.

use std::collections::BTreeSet;
use std::sync::Arc;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;
use sesame::engine::{EngineError, Scheme};
use sesame::eval::Network;
use sesame::position::{BitBoard, Color, Game, Move, Outcome, Piece, Position, Square};
use sesame::search::{Control, IterationResult, SearchContext, SearchTable, ThreadData, TranspositionTable, Worker};
use sesame_report::statistics::below;

use crate::game_record::GameRecord;

/// Multiple of the nodes after which no iteration begins, at which a search is cut off.
const HARD_LIMIT: u64 = 8;
const MAX_DEPTH: u32 = 63;
/// Positions with at least this many pieces get [`MIDDLEGAME_FACTOR`] times the nodes: their labels err most.
const MIDDLEGAME_PIECES: u32 = 20;
const MIDDLEGAME_FACTOR: u64 = 2;
pub(super) const TABLE_MIB: usize = 1;

/// A game is won with this score, in centipawns, for [`WIN_PLIES`] plies in a row.
const WIN_SCORE: i32 = 2_000;
const WIN_PLIES: u32 = 6;
/// A game is drawn within this score, in centipawns, for [`DRAW_PLIES`] plies in a row from ply [`DRAW_FROM_PLY`] on.
const DRAW_SCORE: i32 = 8;
const DRAW_PLIES: u32 = 12;
const DRAW_FROM_PLY: usize = 80;
const MAX_PLIES: usize = 400;

/// Plays both sides in the caller's thread, with a stack of [`WORKER_STACK_BYTES`](sesame::search::WORKER_STACK_BYTES):
/// messages to an engine's search thread would take as long as a search of two hundred nodes.
pub(super) struct Player {
    table: Arc<TranspositionTable>,
    network: Arc<Network>,
    thread: Option<ThreadData>,
    settings: PlayerSettings,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct PlayerSettings {
    pub(super) nodes: u64,
    pub(super) chess960: u32,
    pub(super) opening_score: i32,
}

impl Player {
    pub(super) fn new(settings: PlayerSettings, network: Arc<Network>) -> Result<Self, EngineError> {
        let table = Arc::new(TranspositionTable::with_mib(TABLE_MIB, Scheme::TwoBig1)?);
        Ok(Self { table, network, thread: None, settings })
    }

    fn begin_game(&mut self) {
        self.table.clear(1);
        if let Some(thread) = &mut self.thread {
            thread.clear();
        }
    }

    /// Returns `None` if the start position is over or not balanced, or if a search completed no iteration.
    pub(super) fn play_game(&mut self, random: &mut Xoshiro256PlusPlus) -> Option<GameRecord> {
        let mut game = random_opening(self.settings.chess960, random)?;
        self.begin_game();
        let (start, mut moves) = (game.position().clone(), Vec::new());
        let (mut mv, mut score) = self.search(&game)?;
        if score.abs() > self.settings.opening_score {
            return None;
        }
        let mut adjudicator = Adjudicator::default();
        let result = loop {
            let white = game.position().side_to_move() == Color::White;
            let white_score = if white { score } else { -score };
            moves.push((mv, white_score as i16));
            if let Some(result) = adjudicator.update(white_score, game.previous_keys().len()) {
                break result;
            }
            game.play(mv);
            if let Some(result) = result_by_rule(&game).or_else(|| bare_king_result(game.position())) {
                break result;
            }
            (mv, score) = self.search(&game)?;
        };
        Some(GameRecord { start, moves, result })
    }

    /// Returns move and score, from the side to move, of the last complete iteration, if any: a cut-off one may have a bound.
    fn search(&mut self, game: &Game) -> Option<(Move, i32)> {
        self.table.new_search();
        let is_middlegame = game.position().piece_count() >= MIDDLEGAME_PIECES;
        let nodes = if is_middlegame { MIDDLEGAME_FACTOR } else { 1 } * self.settings.nodes;
        let control = Control::new(1, Some(HARD_LIMIT * nodes));
        let context = SearchContext::alone(game, &self.table, &self.network, control);
        let control = Arc::clone(&context.control);
        let mut worker = Worker::new(0, self.thread.take().unwrap_or_default(), context).without_material_scaling();
        let mut complete = None;
        for depth in 1..=MAX_DEPTH {
            match worker.iterate(depth, |_, _| {}) {
                IterationResult::Complete(iteration) => complete = iteration.lines.into_iter().next(),
                IterationResult::Stopped(_) => break,
            }
            if control.nodes() >= nodes {
                break;
            }
        }
        self.thread = Some(worker.finish());
        complete.and_then(|line| Some((*line.pv.first()?, line.score)))
    }
}

/// Returns the result for White, in half points.
fn result_by_rule(game: &Game) -> Option<u8> {
    Some(match (game.outcome()?, game.position().side_to_move()) {
        (Outcome::Checkmate, Color::White) => 0,
        (Outcome::Checkmate, Color::Black) => 2,
        _ => 1,
    })
}

pub(crate) const UNSCALED_SCORES: &str = "scores without material scaling";

impl PlayerSettings {
    pub(super) fn recipe(&self) -> String {
        let Self { nodes, chess960, opening_score } = self;
        format!(
            "nodes {nodes}, complete iterations, {MIDDLEGAME_FACTOR} times the nodes with {MIDDLEGAME_PIECES} pieces or more, \
             {UNSCALED_SCORES}\ntable {TABLE_MIB} MiB\n\
             chess960 {chess960} %, openings of {OPENING_MOVES} or {} random moves by piece, \
             within {opening_score} centipawns\n\
             won from {WIN_SCORE} on for {WIN_PLIES} plies or against a bare king, \
             drawn within {DRAW_SCORE} for {DRAW_PLIES} plies from ply {DRAW_FROM_PLY} or at ply {MAX_PLIES}\n",
            OPENING_MOVES + 1
        )
    }
}

/// Returns the result for White, in half points, of a bare king that can capture nothing against a side that can mate: by queen,
/// rook, bishops on both colours, or bishop and knight. Searches of few nodes often fail to win these.
fn bare_king_result(position: &Position) -> Option<u8> {
    let winner = Color::ALL.into_iter().find(|&color| position.colors(!color).len() == 1)?;
    let [knights, bishops, rooks, queens] =
        [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen].map(|piece| position.colored(winner, piece));
    let has_bishop_pair =
        !(bishops & BitBoard::LIGHT_SQUARES).is_empty() && !(bishops & BitBoard::DARK_SQUARES).is_empty();
    let can_mate = !(rooks | queens).is_empty() || has_bishop_pair || !bishops.is_empty() && !knights.is_empty();
    let may_capture =
        position.side_to_move() != winner && position.legal_moves().iter().any(|&mv| position.is_noisy(mv));
    (can_mate && !may_capture).then_some(if winner == Color::White { 2 } else { 0 })
}

#[derive(Default)]
struct Adjudicator {
    /// 1 for White, -1 for Black, 0 for neither.
    winner: i32,
    win_plies: u32,
    draw_plies: u32,
}

impl Adjudicator {
    /// `score` is from White's point of view. Returns the result for White in half points once it is clear.
    fn update(&mut self, score: i32, ply: usize) -> Option<u8> {
        let winner = if score.abs() >= WIN_SCORE { score.signum() } else { 0 };
        let before = if winner == self.winner { self.win_plies } else { 0 };
        self.win_plies = if winner == 0 { 0 } else { before + 1 };
        self.winner = winner;
        self.draw_plies = if score.abs() <= DRAW_SCORE && ply >= DRAW_FROM_PLY { self.draw_plies + 1 } else { 0 };
        if self.win_plies >= WIN_PLIES {
            Some((winner + 1) as u8)
        } else if self.draw_plies >= DRAW_PLIES || ply >= MAX_PLIES {
            Some(1)
        } else {
            None
        }
    }
}

const OPENING_MOVES: u32 = 8;

fn random_opening(chess960: u32, random: &mut Xoshiro256PlusPlus) -> Option<Game> {
    let is_chess960 = random.next_u32() % 100 < chess960;
    let mut game =
        Game::new(if is_chess960 { Position::chess960(random.next_u32() % 960) } else { Position::startpos() });
    for _ in 0..OPENING_MOVES + random.next_u32() % 2 {
        game.play(random_sound_move(game.position(), random)?);
    }
    game.outcome().is_none().then_some(game)
}

/// Draws a piece that can move, then one of its moves, so that openings are not mostly queen moves. Prefers moves that do not
/// lose material at once. `None` without a legal move.
fn random_sound_move(position: &Position, random: &mut Xoshiro256PlusPlus) -> Option<Move> {
    let mut moves = position.legal_moves().to_vec();
    if moves.iter().any(|&mv| position.see_ge(mv, 0)) {
        moves.retain(|&mv| position.see_ge(mv, 0));
    }
    let pieces: BTreeSet<Square> = moves.iter().map(|mv| mv.from()).collect();
    let piece = *pieces.iter().nth(below(random, pieces.len()))?;
    moves.retain(|mv| mv.from() == piece);
    Some(moves[below(random, moves.len())])
}

#[cfg(test)]
mod tests {
    use rand_xoshiro::rand_core::SeedableRng;
    use sesame::search::score::{mate_in, mated_in};

    use super::*;

    fn player(nodes: u64, opening_score: i32) -> Player {
        Player::new(PlayerSettings { nodes, chess960: 0, opening_score }, Network::embedded()).unwrap()
    }

    #[test]
    fn openings_are_balanced() {
        let mut player = player(100, 40);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
        let games: Vec<_> = (0..30).map(|_| player.play_game(&mut random)).collect();
        let scores: Vec<i16> = games.iter().flatten().map(|game| game.moves[0].1).collect();
        assert!(!scores.is_empty() && scores.len() < games.len(), "{}", scores.len());
        assert!(scores.iter().all(|score| score.abs() <= 40), "{scores:?}");
    }

    #[test]
    fn random_moves_draw_the_piece_first() {
        // The queen has 23 of 29 moves, 22 of 28 that lose nothing.
        let start = Position::from_fen("4k3/8/8/8/8/7p/P7/K2Q4 w - - 0 1").unwrap();
        let mut moved = [0; Piece::NUM];
        for seed in 0..600 {
            let mv = random_sound_move(&start, &mut Xoshiro256PlusPlus::seed_from_u64(seed)).unwrap();
            moved[start.piece_on(mv.from()).unwrap() as usize] += 1;
        }
        let [pawn, queen, king] = [Piece::Pawn, Piece::Queen, Piece::King].map(|piece| moved[piece as usize]);
        assert!([pawn, queen, king].iter().all(|count| (150..250).contains(count)), "{moved:?}");
    }

    #[test]
    fn many_pieces_have_twice_the_nodes() {
        // The first iteration takes more than 16 nodes, where two nodes would stop the search, and no more than 32.
        let mut player = player(100, 300);
        player.settings.nodes = 2;
        let mut search = |fen| player.search(&Game::new(Position::from_fen(fen).unwrap()));
        assert_eq!(search("rnbqk3/pppp4/8/8/8/8/PPPPP3/RNBQK3 w - - 0 1"), None);
        assert!(search("rnbqk3/ppppp3/8/8/8/8/PPPPP3/RNBQK3 w - - 0 1").is_some());
    }

    #[test]
    fn scores_are_not_scaled_by_material() {
        let game = Game::new(Position::from_fen("4k3/pppp4/8/8/8/8/PPPPP3/4K3 w - - 0 1").unwrap());
        let mut player = player(2_000, 300);
        let (_, score) = player.search(&game).unwrap();
        player.begin_game();
        let context = SearchContext::alone(&game, &player.table, &player.network, Control::new(1, None));
        let mut worker = Worker::new(0, ThreadData::default(), context);
        let scaled = (1..=8).map(|depth| match worker.iterate(depth, |_, _| {}) {
            IterationResult::Complete(iteration) => iteration.lines[0].score,
            IterationResult::Stopped(_) => unreachable!(),
        });
        let scaled = scaled.last().unwrap();
        assert!(100 * score > 110 * scaled && scaled > 50, "{score} {scaled}");
    }

    #[test]
    fn mates_keep_their_distance() {
        let mut player = player(20_000, 300);
        let mut score = |fen| player.search(&Game::new(Position::from_fen(fen).unwrap())).unwrap().1;
        assert_eq!(score("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1"), mate_in(1));
        assert_eq!(score("7k/5K2/8/8/8/8/8/6R1 b - - 0 1"), mated_in(2));
        assert_eq!(score("6r1/8/8/8/8/8/5k2/7K w - - 0 1"), mated_in(2));
        assert_eq!(score("7k/8/8/8/8/8/R7/1R5K w - - 0 1"), mate_in(3));
    }

    #[test]
    fn decided_games_are_adjudicated() {
        const WON: i32 = WIN_SCORE;
        const DRAWN: i32 = DRAW_SCORE;
        // Scores, each for some plies, from a ply on: the number of plies to the result, and the result.
        for (first, scores, expected) in [
            (30, &[(WON, 9)][..], Some((6, 2))),
            (30, &[(-WON, 9)], Some((6, 0))),
            (30, &[(WON, 5), (-WON, 5), (1 - WON, 1), (-WON, 5)], None),
            (0, &[(0, 80)], None),
            (69, &[(0, 30)], Some((23, 1))),
            (80, &[(DRAWN, 20)], Some((12, 1))),
            (80, &[(DRAWN, 11), (DRAWN + 1, 1), (-DRAWN, 11)], None),
            (399, &[(500, 9)], Some((2, 1))),
        ] {
            let mut adjudicator = Adjudicator::default();
            let plies = scores.iter().flat_map(|&(score, count)| std::iter::repeat_n(score, count)).zip(first..);
            let mut results = plies.map(|(score, ply)| adjudicator.update(score, ply));
            let found = results.by_ref().zip(1..).find_map(|(result, count)| Some((count, result?)));
            assert_eq!(found, expected, "{scores:?}");
        }
    }

    #[test]
    fn bare_kings_lose_where_mate_can_be_forced() {
        let result = |fen| bare_king_result(&Position::from_fen(fen).unwrap());
        for (fen, expected) in [
            ("8/8/8/4k3/8/8/8/4K2R w - - 0 1", Some(2)),
            ("8/8/8/4k3/8/8/4P3/Q3K3 b - - 0 1", Some(2)),
            ("2b1kb2/8/8/8/8/8/8/4K3 w - - 0 1", Some(0)),
            ("1nb1k3/8/8/8/8/8/8/4K3 w - - 0 1", Some(0)),
            ("4k3/8/8/8/8/8/8/1N2K2R w - - 0 1", Some(2)),
            // Only the side with the bare king is asked for captures.
            ("6k1/1P6/8/8/8/8/8/4K2R w - - 0 1", Some(2)),
            // Two knights, and bishops on one colour, cannot force mate.
            ("1nn1k3/8/8/8/8/8/8/4K3 w - - 0 1", None),
            ("2b1k3/3b4/8/8/8/8/8/4K3 w - - 0 1", None),
            // A pawn must first be promoted; another piece defends; a rook can be taken.
            ("4k3/4p3/8/8/8/8/8/4K3 w - - 0 1", None),
            ("4k2n/8/8/8/8/8/8/4K2R w - - 0 1", None),
            ("8/8/8/8/8/3k4/3R4/K7 b - - 0 1", None),
        ] {
            assert_eq!(result(fen), expected, "{fen}");
        }
    }
}
