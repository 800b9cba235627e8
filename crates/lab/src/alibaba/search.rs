//! Iterative deepening with aspiration windows and refutation tables at the root (sections 4.1 and 4.2);
//! principal-variation search with minimal windows, quiescence search, and their use of the table (section 4.4).

use arrayvec::ArrayVec;

use super::evaluation::PieceSquares;
use super::moves::{History, Picker, captures_and_promotions, evasions};
use sesame::position::{Game, Move, Position, is_repetition};
use sesame::search::{Bound, SearchTable, TranspositionTable, TtEntry};
use sesame_table::Work;

pub(super) const INFINITE: i32 = 32_500;

/// A mate n plies away scores n less.
pub(super) const MATE: i32 = 32_000;

const MATE_IN_MAX: i32 = MATE - 1_000;

const MAX_DEPTH: u32 = 30;

/// Half of the aspiration window: a pawn, in centipawns.
const ASPIRATION: i32 = 100;

type Variation = ArrayVec<Move, { MAX_DEPTH as usize + 1 }>;

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Iteration {
    pub depth: u32,
    /// Interior nodes, leaves and quiescence, of this and all earlier iterations.
    pub nodes: u64,
    /// Centipawns for the side to move.
    pub score: i32,
    pub mv: Move,
}

/// A move with its principal variation from the last time it exceeded alpha.
struct RootMove {
    mv: Move,
    line: Variation,
}

pub(super) struct Node {
    pub(super) position: Position,
    pub(super) ply: u32,
    /// Plies left to search; 0 at leaves and in quiescence.
    pub(super) depth: u32,
}

impl Node {
    fn child(&self, mv: Move) -> Node {
        let mut position = self.position.clone();
        position.play(mv);
        Node { position, ply: self.ply + 1, depth: self.depth.saturating_sub(1) }
    }

    fn score_without_moves(&self) -> i32 {
        if self.position.in_check() { -MATE + self.ply as i32 } else { 0 }
    }
}

type Window = (i32, i32);

#[derive(Debug)]
pub struct Searcher {
    table: Option<TranspositionTable>,
    weights: PieceSquares,
    history: History,
    pub(super) path: Vec<u64>,
    nodes: u64,
    /// Counted by BIGALL in addition to `nodes`.
    pub(super) behind_hits: u64,
}

impl Searcher {
    pub fn new(table: Option<TranspositionTable>) -> Self {
        let weights = PieceSquares::fill(&Position::startpos());
        Self { table, weights, history: History::default(), path: Vec::new(), nodes: 0, behind_hits: 0 }
    }

    pub fn table_mut(&mut self) -> Option<&mut TranspositionTable> {
        self.table.as_mut()
    }

    /// Searches to `depth` plies, at most `MAX_DEPTH`, and returns one iteration for each depth; none without a legal move. Keeps
    /// only the table from search to search, so iterations 1 to n do not depend on the depth of the search.
    pub fn search(&mut self, game: &Game, depth: u32) -> Vec<Iteration> {
        let position = game.position().clone();
        self.weights = PieceSquares::fill(&position);
        self.history = History::default();
        self.path = game.previous_keys().to_vec();
        (self.nodes, self.behind_hits) = (0, 0);

        let mut picker = Picker::new(None, None);
        let legal = std::iter::from_fn(|| picker.next(&position, &self.history));
        let mut moves: Vec<RootMove> = legal.map(|mv| RootMove { mv, line: Variation::new() }).collect();
        let mut root = Node { position, ply: 0, depth: 0 };
        let mut iterations: Vec<Iteration> = Vec::new();
        let last_depth = if moves.is_empty() { 0 } else { depth.min(MAX_DEPTH) };
        for depth in 1..=last_depth {
            root.depth = depth;
            let score = self.iterate(&root, &mut moves, iterations.last().map(|before| before.score));
            iterations.push(Iteration { depth, nodes: self.nodes, score, mv: moves[0].mv });
        }
        iterations
    }

    fn iterate(&mut self, root: &Node, moves: &mut [RootMove], expected: Option<i32>) -> i32 {
        let (alpha, beta) = expected.map_or((-INFINITE, INFINITE), |score| {
            ((score - ASPIRATION).max(-INFINITE), (score + ASPIRATION).min(INFINITE))
        });
        let score = self.search_root(root, moves, (alpha, beta));
        let (alpha, beta) = if score <= alpha && alpha > -INFINITE {
            (-INFINITE, score)
        } else if score >= beta && beta < INFINITE {
            (score, INFINITE)
        } else {
            return score;
        };
        let score = self.search_root(root, moves, (alpha, beta));
        // The score is within the new window unless the table makes the search unstable.
        if (alpha..=beta).contains(&score) { score } else { self.search_root(root, moves, (-INFINITE, INFINITE)) }
    }

    /// Each new best move moves to the front.
    fn search_root(&mut self, root: &Node, moves: &mut [RootMove], (mut alpha, beta): Window) -> i32 {
        self.nodes += 1;
        let mut best = -INFINITE;
        self.path.push(root.position.key());
        for index in 0..moves.len() {
            let RootMove { mv, line: refutation } = &moves[index];
            let (mv, rest) = (*mv, refutation.get(1..).unwrap_or_default());
            let mut line = Variation::new();
            let score = self.search_move(root, mv, (alpha, beta), index == 0, rest, &mut line);
            if score > alpha {
                extend(&mut moves[index].line, mv, &line);
            }
            if score > best {
                best = score;
                moves[..=index].rotate_right(1);
            }
            alpha = alpha.max(score);
            if alpha >= beta {
                break;
            }
        }
        self.path.pop();
        self.history.add(root.position.side_to_move(), moves[0].mv, root.depth);
        best
    }

    /// Returns the score of a move for the side that makes it. Searches the first move with the whole window, the others
    /// with a minimal window, and again if they exceed it. `refutation` has the moves to try first after this one.
    fn search_move(
        &mut self,
        node: &Node,
        mv: Move,
        (alpha, beta): Window,
        is_first: bool,
        refutation: &[Move],
        line: &mut Variation,
    ) -> i32 {
        let child = node.child(mv);
        let mut search = |alpha: i32, beta: i32| {
            self.nodes += 1;
            line.clear();
            if child.depth == 0 {
                -self.leaf(&child, (-beta, -alpha))
            } else {
                -self.search_position(&child, (-beta, -alpha), refutation, line)
            }
        };
        if is_first || beta - alpha <= 1 {
            return search(alpha, beta);
        }
        let score = search(alpha, alpha + 1);
        if score <= alpha || score >= beta { score } else { search(alpha, beta) }
    }

    /// Fail-soft. `line` is empty, and receives the principal variation.
    fn search_position(&mut self, node: &Node, window: Window, refutation: &[Move], line: &mut Variation) -> i32 {
        let position = &node.position;
        if self.is_draw(position) {
            return 0;
        }
        let before = self.work();
        // A table entry may narrow the window.
        let ((alpha, beta), (mut low, mut high)) = (window, window);
        let mut tt_move = None;
        if let Some((entry, work)) = self.probe(position) {
            tt_move = Move::from_bits(entry.mv);
            if u32::from(entry.depth) >= node.depth {
                let score = from_tt(entry.score, node.ply);
                match entry.bound {
                    Bound::Exact => {}
                    Bound::Lower => low = low.max(score),
                    Bound::Upper => high = high.min(score),
                }
                if entry.bound == Bound::Exact || low >= high {
                    self.credit(work);
                    line.extend(tt_move);
                    return score;
                }
            }
        }
        let refutation_move = refutation.first().copied().filter(|&mv| position.is_legal(mv));

        let (mut best, mut best_move, mut raised) = (-INFINITE, None, low);
        let mut picker = Picker::new(refutation_move, tt_move);
        let mut child_line = Variation::new();
        self.path.push(position.key());
        while let Some(mv) = picker.next(position, &self.history) {
            let rest = if refutation_move == Some(mv) { &refutation[1..] } else { &[] };
            let score = self.search_move(node, mv, (raised, high), best_move.is_none(), rest, &mut child_line);
            if score > best {
                (best, best_move) = (score, Some(mv));
                if score > low {
                    extend(line, mv, &child_line);
                }
                raised = raised.max(score);
                if raised >= high {
                    break;
                }
            }
        }
        self.path.pop();
        let Some(mut best_move) = best_move else { return node.score_without_moves() };
        if best <= low && low > alpha {
            // The lower bound of the table entry stands: no searched move exceeds it.
            best = low;
            best_move = tt_move.unwrap_or(best_move);
        }
        self.history.add(position.side_to_move(), best_move, node.depth);
        let bound = if best >= beta {
            Bound::Lower
        } else if best > alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        self.store(node, best_move, best, bound, before);
        best
    }

    pub(super) fn leaf(&mut self, node: &Node, window: Window) -> i32 {
        if self.is_draw(&node.position) { 0 } else { self.quiescence(node, window) }
    }

    /// Searches all moves in check. Otherwise the bound of a table entry adjusts the stand-pat score.
    fn quiescence(&mut self, node: &Node, (mut alpha, beta): Window) -> i32 {
        let position = &node.position;
        let in_check = position.in_check();
        if !in_check && !position.has_legal_move() {
            return node.score_without_moves();
        }
        let mut best = if in_check { -INFINITE } else { self.weights.evaluate(position) };
        if let Some((entry, work)) = if in_check { self.probe(position) } else { self.lookup(position) } {
            let score = from_tt(entry.score, node.ply);
            let decides = match entry.bound {
                Bound::Exact => true,
                Bound::Lower => score > best && score >= beta,
                Bound::Upper => in_check && score <= alpha,
            };
            if decides {
                self.credit(work);
                return score;
            }
            if !in_check {
                best = if entry.bound == Bound::Lower { best.max(score) } else { best.min(score) };
            }
        }
        if best >= beta {
            return best;
        }
        let moves = if in_check { evasions(position, &self.history) } else { captures_and_promotions(position) };
        alpha = alpha.max(best);
        self.path.push(position.key());
        for &mv in &moves {
            self.nodes += 1;
            let score = -self.leaf(&node.child(mv), (-beta, -alpha));
            best = best.max(score);
            alpha = alpha.max(score);
            if alpha >= beta {
                break;
            }
        }
        self.path.pop();
        if best == -INFINITE { node.score_without_moves() } else { best }
    }

    /// Repetition, or the 50-move rule without mate.
    pub(super) fn is_draw(&self, position: &Position) -> bool {
        let reversible = position.reversible_plies();
        if position.halfmove_clock() >= 100 && (!position.in_check() || position.has_legal_move()) {
            return true;
        }
        reversible >= 4 && is_repetition(&self.path, position.key(), reversible, self.path.len())
    }

    fn lookup(&self, position: &Position) -> Option<(TtEntry, Work)> {
        SearchTable::probe(self.table.as_ref()?, position.key())
    }

    /// An entry with an illegal move belongs to another position and is ignored.
    fn probe(&self, position: &Position) -> Option<(TtEntry, Work)> {
        self.lookup(position).filter(|(entry, _)| Move::from_bits(entry.mv).is_some_and(|mv| position.is_legal(mv)))
    }

    /// Counts a hit as one node, or, for BIGALL, as all nodes behind the entry.
    fn credit(&mut self, work: Work) {
        if self.table.as_ref().is_some_and(SearchTable::counts_hits_in_full) {
            self.behind_hits = self.behind_hits.saturating_add(work.nodes().saturating_sub(1));
        }
    }

    fn work(&self) -> u64 {
        self.nodes.saturating_add(self.behind_hits)
    }

    /// `before` is the work at the start of the position's search, after the position itself was counted.
    fn store(&self, node: &Node, mv: Move, score: i32, bound: Bound, before: u64) {
        if let Some(table) = &self.table {
            let (mv, score, depth) = (mv.bits(), to_tt(score, node.ply), node.depth as u8);
            let entry = TtEntry { mv, score, depth, bound, pv: false, eval: 0 };
            table.store(node.position.key(), &entry, self.work().saturating_sub(before).saturating_add(1));
        }
    }
}

fn extend(line: &mut Variation, mv: Move, rest: &Variation) {
    line.clear();
    line.push(mv);
    line.extend(rest.iter().copied().take(MAX_DEPTH as usize));
}

/// Converts a score for storing: mate distances count from the position, not from the root.
fn to_tt(score: i32, ply: u32) -> i16 {
    away_from_zero(score, ply as i32) as i16
}

fn from_tt(score: i16, ply: u32) -> i32 {
    away_from_zero(i32::from(score), -(ply as i32))
}

fn away_from_zero(score: i32, plies: i32) -> i32 {
    if score.abs() >= MATE_IN_MAX { score + score.signum() * plies } else { score }
}
