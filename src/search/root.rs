//! The search at the root: iterative deepening step, aspiration windows, root moves.
//!
//! Sources: Iterative Deepening and Aspiration Windows at <https://www.chessprogramming.org>.

use super::control::Aborted;
use super::history::Histories;
use super::node::Root;
use super::ordering::{Class, Hints, MovePicker, Quiets};
use super::params::*;
use super::score::{INFINITE, is_decisive};
use super::threats::{CheckSquares, Threats};
use super::tt::{Bound, SearchTable};
use super::worker::{RootLine, RootMove, SearchContext, Worker};
use crate::position::{Move, Position};

#[derive(Debug, Clone)]
pub struct Iteration {
    pub depth: u32,
    /// A stopped iteration has the depth of the iteration before it; 0 if there is none.
    pub finished_depth: u32,
    /// Best first: `multi_pv` lines, or all root moves if fewer. A stopped iteration has the best only, perhaps a lower bound.
    pub lines: Vec<RootLine>,
    pub nodes: u64,
    /// The best move's part of this worker's nodes in this search, 0 to 1.
    pub best_move_share: f64,
}

#[derive(Debug, Clone)]
pub enum IterationResult {
    Complete(Iteration),
    /// Has a result if the iteration had raised alpha at the root.
    Stopped(Option<Iteration>),
}

impl RootMove {
    fn new(mv: Move, rank: i32) -> Self {
        Self { mv, score: -INFINITE, previous_score: -INFINITE, seldepth: 0, pv: vec![mv], nodes: 0, rank }
    }

    fn order(&self) -> impl Ord + use<> {
        std::cmp::Reverse((self.rank, self.score))
    }

    fn line(&self) -> RootLine {
        RootLine { score: self.score, bound: Bound::Exact, seldepth: self.seldepth, pv: self.pv.clone() }
    }
}

impl<T: SearchTable> Worker<T> {
    /// Returns the root moves in the order of the move picker, those with a higher Syzygy rank first.
    pub(super) fn ordered_root_moves(histories: &Histories, context: &SearchContext<T>) -> Vec<RootMove> {
        let position = context.game.position();
        let tt_move = context.table.probe_tt(position, 0).and_then(|tt_hit| tt_hit.mv);
        let (threats, checks) = (Threats::of(position), CheckSquares::of(position));
        let mut picker = MovePicker::all(Hints { tt_move, threats, checks, ..Hints::default() });
        let ranking = context.syzygy.as_ref().and_then(|syzygy| syzygy.ranking.as_ref());
        let mut moves: Vec<RootMove> = std::iter::from_fn(|| picker.next(position, histories, Quiets::All))
            .filter(|(mv, _)| context.root_moves.contains(mv))
            .map(|(mv, _)| RootMove::new(mv, ranking.map_or(0, |ranking| ranking.rank(mv))))
            .collect();
        moves.sort_by_key(RootMove::order);
        moves
    }

    /// `on_bound` receives a bound after each failed aspiration window, with the nodes of all workers so far.
    pub fn iterate(&mut self, depth: u32, mut on_bound: impl FnMut(RootLine, u64)) -> IterationResult {
        for root in &mut self.root_moves {
            root.previous_score = root.score;
        }
        self.count.begin_iteration();
        let finished = self.root_depth.unsigned_abs();
        self.root_depth = depth as i32;
        let lines = self.context.multi_pv.min(self.root_moves.len());
        for pv_index in 0..lines {
            self.pv_index = pv_index;
            if self.aspiration_search(depth as i32, &mut on_bound).is_err() {
                let partial = (pv_index == 0).then(|| self.partial.take()).flatten();
                return IterationResult::Stopped(partial.map(|line| self.iteration(depth, finished, vec![line])));
            }
            // A later line can be better than an earlier one.
            self.root_moves[..=pv_index].sort_by_key(RootMove::order);
        }
        let lines = self.root_moves[..lines].iter().map(RootMove::line).collect();
        IterationResult::Complete(self.iteration(depth, depth, lines))
    }

    fn iteration(&self, depth: u32, finished_depth: u32, lines: Vec<RootLine>) -> Iteration {
        let best = lines.first().and_then(|line| line.pv.first().copied());
        let best_nodes = self.root_moves.iter().find(|root| Some(root.mv) == best).map_or(0, |root| root.nodes);
        let best_move_share = best_nodes as f64 / self.nodes().max(1) as f64;
        Iteration { depth, finished_depth, lines, nodes: self.context.control.nodes(), best_move_share }
    }

    fn aspiration_search(&mut self, depth: i32, on_bound: &mut impl FnMut(RootLine, u64)) -> Result<(), Aborted> {
        let position = self.context.game.position().clone();
        let expected = self.root_moves[self.pv_index].previous_score;
        let mut delta =
            aspiration_delta() + if is_decisive(expected) { 0 } else { expected.abs() / aspiration_score_divisor() };
        let (mut alpha, mut beta) = if depth < aspiration_depth() || expected == -INFINITE {
            (-INFINITE, INFINITE)
        } else {
            ((expected - delta).max(-INFINITE), (expected + delta).min(INFINITE))
        };
        let mut fail_highs = 0;
        self.partial = None;
        loop {
            self.seldepth = 0;
            self.thread.pv.clear(0);
            for root in &mut self.root_moves[self.pv_index..] {
                root.score = -INFINITE;
            }
            let score = self.search::<Root>(&position, 0, alpha, beta, (depth - fail_highs).max(1), false)?;
            // The sort is stable: moves that did not raise alpha keep their order.
            self.root_moves[self.pv_index..].sort_by_key(RootMove::order);
            let bound = if score <= alpha {
                beta = (alpha + beta) / 2;
                alpha = (score - delta).max(-INFINITE);
                fail_highs = 0;
                self.partial = None;
                Bound::Upper
            } else if score >= beta {
                beta = (score + delta).min(INFINITE);
                // After a fail-high the depth is reduced, unless the score is decisive.
                fail_highs = if is_decisive(score) { 0 } else { (fail_highs + 1).min(3) };
                Bound::Lower
            } else {
                return Ok(());
            };
            on_bound(RootLine { score, bound, ..self.root_moves[self.pv_index].line() }, self.context.control.nodes());
            delta += delta * aspiration_growth() / 100;
            if delta > aspiration_delta_max() || is_decisive(score) {
                (alpha, beta) = match bound {
                    Bound::Upper => (-INFINITE, beta),
                    _ => (alpha, INFINITE),
                };
            }
        }
    }

    /// `index` counts from 0. Returns `None` if the move's Syzygy rank is not the line's.
    #[inline]
    pub(super) fn next_root_move(&self, position: &Position, index: usize) -> Option<(Move, Class)> {
        let rank = self.root_moves[self.pv_index].rank;
        let root = self.root_moves.get(self.pv_index + index).filter(|root| root.rank == rank)?;
        Some((root.mv, if position.is_noisy(root.mv) { Class::GoodNoisy } else { Class::Quiet }))
    }

    pub(super) fn begin_root_move(&self, number: usize, mv: Move) {
        self.context.control.begin_root_move(self.root_depth.unsigned_abs(), self.pv_index + number, mv);
    }

    pub(super) fn update_root_move(&mut self, number: usize, score: i32, alpha: i32, beta: i32, nodes_before: u64) {
        let nodes = self.nodes() - nodes_before;
        let root = &mut self.root_moves[self.pv_index + number - 1];
        root.nodes += nodes;
        if score <= alpha && number > 1 {
            // The move is no better than the best one.
            root.score = -INFINITE;
            return;
        }
        root.score = score;
        root.seldepth = self.seldepth;
        root.pv.truncate(1);
        root.pv.extend(self.thread.pv.line(1));
        if score > alpha && self.pv_index == 0 {
            let bound = if score >= beta { Bound::Lower } else { Bound::Exact };
            self.partial = Some(RootLine { bound, ..root.line() });
        }
    }
}
