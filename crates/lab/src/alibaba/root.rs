//! Iterative deepening, aspiration windows and refutation tables at the root (sections 4.1 and 4.2).

use super::choices::{OpenChoices, RootOrder};
use super::evaluation::PieceSquares;
use super::moves::{History, Picker};
use super::{INFINITE, MAX_DEPTH, Variation};
use sesame::position::{Game, Move, Position};
use sesame::search::{SearchTable, TranspositionTable};

/// The result of an iteration.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Iteration {
    pub depth: u32,
    /// Nodes visited in this and all earlier iterations: interior nodes, leaves and quiescence.
    pub nodes: u64,
    /// The score in centipawns for the side to move.
    pub score: i32,
    pub mv: Move,
}

/// A root move with its refutation table: the line expected after it when it was searched last.
#[derive(Debug, Clone)]
struct RootMove {
    mv: Move,
    line: Variation,
    score: i32,
}

/// ALIBABA with or without a transposition table.
#[derive(Debug)]
pub struct Searcher<T = TranspositionTable> {
    pub(super) choices: OpenChoices,
    pub(super) table: Option<T>,
    pub(super) counts_in_full: bool,
    pub(super) weights: PieceSquares,
    pub(super) history: History,
    /// The keys of the positions before the current one.
    pub(super) path: Vec<u64>,
    /// The refutation table of the root move that is being searched.
    pub(super) refutation: Variation,
    pub(super) nodes: u64,
    /// Nodes behind hits, which BIGALL counts in addition to `nodes`.
    pub(super) behind_hits: u64,
}

impl<T: SearchTable> Searcher<T> {
    pub fn new(choices: OpenChoices, table: Option<T>) -> Self {
        Self {
            choices,
            counts_in_full: table.as_ref().is_some_and(SearchTable::counts_hits_in_full),
            table,
            weights: PieceSquares::fill(&Position::startpos(), &choices),
            history: History::new(choices.history_by_color),
            path: Vec::new(),
            refutation: Variation::EMPTY,
            nodes: 0,
            behind_hits: 0,
        }
    }

    pub fn table(&self) -> Option<&T> {
        self.table.as_ref()
    }

    /// Returns the table, to be cleared or to begin a new generation between searches.
    pub fn table_mut(&mut self) -> Option<&mut T> {
        self.table.as_mut()
    }

    /// Searches the position of `game` to `depth` plies, at most [`MAX_DEPTH`], and returns one iteration for
    /// each depth from 1. Without a legal move there is none.
    ///
    /// Only the table is kept from search to search: piece-square tables, history and refutation tables are
    /// reset. So iterations 1 to n do not depend on the depth of the search.
    pub fn search(&mut self, game: &Game, depth: u32) -> Vec<Iteration> {
        let position = game.position();
        self.weights = PieceSquares::fill(position, &self.choices);
        self.history.clear();
        self.path.clear();
        self.path.extend_from_slice(game.previous_keys());
        self.nodes = 0;
        self.behind_hits = 0;

        let mut moves = self.root_moves(position);
        let mut iterations: Vec<Iteration> = Vec::new();
        for depth in 1..=depth.min(MAX_DEPTH) {
            let expected = iterations.last().map(|iteration| iteration.score);
            let Some(score) = self.iterate(position, &mut moves, depth, expected) else { break };
            iterations.push(Iteration { depth, nodes: self.nodes, score, mv: moves[0].mv });
        }
        iterations
    }

    fn root_moves(&self, position: &Position) -> Vec<RootMove> {
        let mut picker = Picker::new(None, None);
        std::iter::from_fn(|| picker.next(position, &self.history))
            .map(|mv| RootMove { mv, line: Variation::EMPTY, score: 0 })
            .collect()
    }

    /// Runs one iteration and returns its score. The best move becomes the first. `None` without a legal move.
    fn iterate(
        &mut self,
        position: &Position,
        moves: &mut [RootMove],
        depth: u32,
        expected: Option<i32>,
    ) -> Option<i32> {
        if moves.is_empty() {
            return None;
        }
        let (mut alpha, mut beta) = match (expected, self.choices.aspiration) {
            (Some(score), Some(pawn)) => ((score - pawn).max(-INFINITE), (score + pawn).min(INFINITE)),
            _ => (-INFINITE, INFINITE),
        };
        let mut score = self.search_root(position, moves, depth, alpha, beta);
        if score <= alpha && alpha > -INFINITE {
            (alpha, beta) = (-INFINITE, score);
            let again = self.search_root(position, moves, depth, alpha, beta);
            // The score is within the new window unless the table makes the search unstable; then the window
            // is opened.
            score = if again > beta { self.search_root(position, moves, depth, -INFINITE, INFINITE) } else { again };
        } else if score >= beta && beta < INFINITE {
            (alpha, beta) = (score, INFINITE);
            let again = self.search_root(position, moves, depth, alpha, beta);
            score = if again < alpha { self.search_root(position, moves, depth, -INFINITE, INFINITE) } else { again };
        }
        if self.choices.root_order == RootOrder::ByScore {
            moves[1..].sort_by_key(|root_move| -root_move.score);
        }
        Some(score)
    }

    /// Searches all moves with one window. Each new best move moves to the front.
    fn search_root(&mut self, position: &Position, moves: &mut [RootMove], depth: u32, alpha: i32, beta: i32) -> i32 {
        self.nodes += 1;
        let evaluation = self.weights.evaluate(position);
        let (mut best, mut raised) = (-INFINITE, alpha);
        self.path.push(position.key());
        for index in 0..moves.len() {
            let root_move = &moves[index];
            let mv = root_move.mv;
            self.refutation = root_move.line;
            let mut line = Variation::EMPTY;
            let score =
                self.search_move(position, evaluation, mv, (raised, beta), depth, 0, index == 0, true, &mut line);
            if score > raised || self.choices.refutations_of_all {
                moves[index].line.extend(mv, &line);
            }
            moves[index].score = score;
            if score > best {
                best = score;
                moves[..=index].rotate_right(1);
            }
            raised = raised.max(score);
            if raised >= beta {
                break;
            }
        }
        self.path.pop();
        self.update_history(position.side_to_move(), moves[0].mv, depth, best > alpha);
        best
    }
}
