//! Principal-variation search of one node: the steps, numbered, from top to bottom.
//!
//! One generic function serves the root, the principal variation and all other nodes; the kind of node is a type, so that each
//! gets code of its own. An aborted search is `None`, passed up with `?`.

use arrayvec::ArrayVec;

use super::checks::CheckSquares;
use super::history::{PieceTo, Quiet, bonus};
use super::history_update::Tried;
use super::line::RootLine;
use super::mate_threat::mate_threat;
use super::ordering::{Class, Hints, MovePicker, Quiets};
use super::params::*;
use super::reductions::PLY;
use super::score::{DECISIVE_BOUND, DRAW, INFINITE, MAX_PLY, is_decisive, mate_in, mated_in};
use super::search_table::SearchTable;
use super::searching::SearchingMove;
use super::selectivity::{Passing, Singular};
use super::tb::Verdict;
use super::threats::Threats;
use super::tt_entry::Bound;
use super::worker::{NO_EVAL, Worker};
use crate::position::{Move, Position};
use sesame_table::EntryUse;

/// A kind of node.
pub(super) trait Node {
    /// On the principal variation: searched with an open window.
    const PV: bool;
    /// The root itself.
    const ROOT: bool;
}

/// The root.
pub(super) struct Root;
/// A node of the principal variation below the root.
pub(super) struct Pv;
/// A node searched with a null window.
pub(super) struct NonPv;

impl Node for Root {
    const PV: bool = true;
    const ROOT: bool = true;
}
impl Node for Pv {
    const PV: bool = true;
    const ROOT: bool = false;
}
impl Node for NonPv {
    const PV: bool = false;
    const ROOT: bool = false;
}

impl<T: SearchTable> Worker<T> {
    /// Draws by rule, and the mate that outranks the fifty-move rule.
    #[inline]
    pub(super) fn ruled(&self, position: &Position, ply: usize) -> Option<i32> {
        if position.halfmove_clock() >= 100 {
            let mated = position.in_check() && position.legal_moves().is_empty();
            return Some(if mated { mated_in(ply) } else { DRAW });
        }
        (position.insufficient_material() || self.repeats(position)).then_some(DRAW)
    }

    /// Fetches what is known of the position after `mv`, so that it is here when it is asked for: memory is slow.
    #[inline]
    pub(super) fn prefetch_after(&self, position: &Position, mv: Move) {
        self.prefetch(position.key_after(mv));
    }

    #[inline]
    fn prefetch(&self, key: u64) {
        self.context.table.prefetch(key);
        self.thread.eval_cache.prefetch(key);
    }

    /// Plays `mv` into a copy, telling the path.
    #[inline]
    pub(super) fn make(&mut self, position: &Position, ply: usize, mv: Move) -> Position {
        self.stack(ply).played = Some(PieceTo::new(position.side_to_move(), position.moved(mv), mv));
        self.stack(ply).quiet = None;
        self.stack(ply + 1).mate_threat = None;
        self.keys.push(position.key());
        let mut child = position.clone();
        child.play(mv);
        child
    }

    /// Returns whether the side to move is threatened with mate in `position`, the node at `ply`. Computed once, by the node or its parent.
    #[inline]
    fn has_mate_threat(&mut self, position: &Position, ply: usize) -> bool {
        let is_threatened = *self.stack(ply).mate_threat.get_or_insert_with(|| mate_threat(position));
        debug_assert_eq!(is_threatened, mate_threat(position), "the answer of another position");
        is_threatened
    }

    /// The score of `position` within `alpha..beta` at `depth` plies (fail-soft), or `None` when told to stop.
    pub(super) fn search<N: Node>(
        &mut self,
        position: &Position,
        mut alpha: i32,
        mut beta: i32,
        mut depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> Option<i32> {
        // 1. Leaves are quiescence's.
        if depth <= 0 {
            return self.quiescence::<N>(position, alpha, beta, ply, Quiets::Checks);
        }
        let work_before = self.work();
        self.count_node()?;
        self.thread.pv.clear(ply);
        self.seldepth = self.seldepth.max(ply);
        let us = position.side_to_move();
        let in_check = position.in_check();
        let excluded = self.stack(ply).excluded;

        if !N::ROOT {
            // 2. Draws, and the end of the path's memory.
            if let Some(score) = self.ruled(position, ply) {
                return Some(score);
            }
            if ply >= MAX_PLY - 1 {
                return Some(if in_check { DRAW } else { self.evaluate(position, ply) });
            }
            // 3. Mate-distance pruning: no line from here can beat a mate already found nearer the root.
            alpha = alpha.max(mated_in(ply));
            beta = beta.min(mate_in(ply + 1));
            if alpha >= beta {
                return Some(alpha);
            }
        }

        // 4. The table. A deep enough bound ends a null-window node, unless the fifty-move rule is near: it is not in the key.
        let known = if excluded.is_some() { None } else { self.probe(position, ply) };
        let tt_move = if N::ROOT { Some(self.root_moves[self.pv_index].mv) } else { known.and_then(|known| known.mv) };
        if !N::PV
            && let Some(known) = known
            && known.depth >= depth
            && known.cuts(beta)
            && i32::from(position.halfmove_clock()) < tt_clock()
        {
            if known.score >= beta
                && let Some(mv) = known.mv
                && !position.is_noisy(mv)
            {
                let piece_to = PieceTo::new(us, position.moved(mv), mv);
                let (before, threats) = (self.played_before(ply), Threats::of(position).all);
                let quiet = Quiet { color: us, mv, piece_to, before, threats };
                self.thread.histories.learn_quiet(quiet, bonus(depth) * table_cut_bonus() / 100);
            }
            self.note_cut_off(known);
            return Some(known.score);
        }
        if known.is_some_and(|known| known.mv.is_some()) {
            self.context.table.record_use(EntryUse::Hint);
        }
        let tt_pv = N::PV || known.is_some_and(|known| known.pv);
        let tt_capture = tt_move.is_some_and(|mv| position.is_noisy(mv));

        // 4a. The endgame tables, where there are any.
        let mut best_score = -INFINITE;
        let mut most = INFINITE;
        if !N::ROOT && self.tb_men != 0 && position.occupied().len() <= self.tb_men && excluded.is_none() {
            match self.ask_tables(position, alpha, beta, depth, ply, N::PV) {
                Some(Verdict::Settled(score)) => return Some(score),
                Some(Verdict::AtLeast(score)) => {
                    best_score = score;
                    alpha = alpha.max(score);
                }
                Some(Verdict::AtMost(score)) => most = score,
                None => {}
            }
        }

        // What is searched first can be fetched while this node is evaluated.
        if let Some(mv) = tt_move {
            self.prefetch_after(position, mv);
        }
        if !N::PV && !in_check && excluded.is_none() && depth >= null_depth() {
            self.prefetch(position.key_after_null());
        }

        // 5. Static evaluation, corrected by history and, where it helps, by the table's score.
        let raw_eval = match known.and_then(|known| known.eval) {
            _ if in_check => None,
            Some(eval) => Some(eval),
            None => Some(self.evaluate(position, ply)),
        };
        let eval = raw_eval.map_or(NO_EVAL, |raw| self.corrected(position, raw));
        self.stack(ply).eval = eval;
        let estimate = match known {
            Some(known) if !in_check && known.improves(eval) => known.score,
            _ => eval,
        };
        let improving = !in_check
            && [2, 4]
                .into_iter()
                .map(|back| self.stack_before(ply, back).eval)
                .find(|&earlier| earlier != NO_EVAL)
                .is_none_or(|earlier| eval > earlier);
        self.stack(ply + 1).killers = [None; 2];
        self.stack(ply + 1).cutoffs = 0;
        self.stack(ply + 1).excluded = None;
        self.stack(ply).double_extensions = if N::ROOT { 0 } else { self.stack_before(ply, 1).double_extensions };

        if !N::PV && !in_check && excluded.is_none() {
            // 6. Razoring: so far below alpha that only captures or checks could help, so ask only them.
            if depth <= razor_depth() && estimate + razor_base() + razor_margin() * depth * depth < alpha {
                let score = self.quiescence::<NonPv>(position, alpha, alpha + 1, ply, Quiets::Checks)?;
                if score <= alpha && !is_decisive(score) {
                    return Some(score);
                }
            }
            // 7. Reverse futility: so far above beta that a shallow search will hardly bring it below; unless the table knows a quiet
            // move, which is a reason to look, or mate mate_threat, which no margin covers.
            if depth <= reverse_futility_depth()
                && (tt_move.is_none() || tt_capture)
                && estimate - reverse_futility_margin() * (depth - i32::from(improving)) >= beta
                && beta > -DECISIVE_BOUND
                && estimate < DECISIVE_BOUND
                && !self.has_mate_threat(position, ply)
            {
                return Some((estimate + beta) / 2);
            }
            // 8. Null move: if passing still beats beta, some move will too, save in zugzwang. If passing is mated, look deeper.
            match self.null_move(position, beta, depth, ply, eval, estimate, cut_node)? {
                Passing::FailsHigh(score) => return Some(score),
                Passing::IsMated if ply < (extension_limit() * self.root_depth) as usize => depth += 1,
                Passing::IsMated | Passing::Nothing => {}
            }
            // 9. ProbCut: a capture that beats beta by a margin at less depth beats beta at this one.
            if let Some(score) = self.probcut(position, beta, depth, ply, known, eval, raw_eval, cut_node)? {
                return Some(score);
            }
        }

        // Who stands above beta without a move improves, whatever was before.
        let improving = improving || !in_check && eval >= beta;

        // 10. Internal iterative reduction: without a table move this node is unlikely to matter yet.
        if depth >= iir_depth() && tt_move.is_none() && excluded.is_none() && (N::PV || cut_node) {
            depth -= 1;
        }

        // 11. The moves.
        let before = self.played_before(ply);
        let killers = self.stack(ply).killers;
        let counter = before[0].and_then(|previous| self.thread.histories.counter(previous));
        let threats = Threats::of(position);
        self.stack(ply).threats = threats.all;
        let refutations = [killers[0], killers[1], counter];
        let checks = CheckSquares::of(position);
        let mut picker = MovePicker::all(Hints { tt_move, refutations, before, threats, checks });
        let mut tried = Tried::default();
        let mut best_move = None;
        let original_alpha = alpha;
        let mut quiets = Quiets::All;
        let mut moves = 0;
        let heeds_others = depth >= defer_depth() && self.context.control.searching().is_some();
        let mut deferred = DeferredMoves::new();

        // Pruning waits until some move has shown that we are not being mated.
        let has_pieces = position.has_non_pawn_material(us);
        let may_prune = |best_score: i32| !N::ROOT && best_score > -DECISIVE_BOUND && has_pieces;

        loop {
            // 12a. Late moves, and those whose evaluation is hopelessly below alpha, are not looked at any more, and not even generated if none has
            // been so far; but for checks: they are what sacrifices are made for. What holds for a move holds for those after it.
            if quiets == Quiets::All && moves > 0 && may_prune(best_score) {
                let late = (late_move_base() + depth * depth) / (2 - i32::from(improving));
                let number = moves + 1;
                let reduced = (depth - self.thread.reductions.get(true, depth, number) / PLY).max(0);
                let hoped = eval + futility_base() + futility_margin() * reduced;
                let hopeless = !in_check && reduced <= futility_depth() && hoped <= alpha && !is_decisive(alpha);
                if hopeless {
                    // What quiet moves there still are might have scored this much: a bound without them would be too low.
                    best_score = best_score.max((best_score + 3 * hoped) / 4);
                }
                if depth <= late_move_depth() && number as i32 > late || hopeless {
                    quiets = Quiets::Checks;
                }
            }
            let next = if N::ROOT {
                // The root keeps its own order: the last iteration's best first.
                // Moves of a lower rank have their turn when those above have theirs.
                let rank = self.root_moves[self.pv_index].rank;
                self.root_moves.get(self.pv_index + moves).filter(|root| root.rank == rank).map(|root| {
                    let class = if position.is_noisy(root.mv) { Class::GoodNoisy } else { Class::Quiet };
                    (root.mv, class)
                })
            } else {
                match picker.next(position, &self.thread.histories, quiets) {
                    Some((mv, Class::Table)) if tt_capture => Some((mv, Class::GoodNoisy)),
                    Some((mv, Class::Table)) => Some((mv, Class::Quiet)),
                    next => next,
                }
            };
            let (mv, class, number, waited) = match next {
                Some((mv, _)) if Some(mv) == excluded => continue,
                Some((mv, class)) => {
                    moves += 1;
                    (mv, class, moves, false)
                }
                // A picker that has nothing left stays so.
                None => match deferred.pop_at(0) {
                    Some((mv, class, number)) => (mv, class, number, true),
                    None => break,
                },
            };
            self.prefetch_after(position, mv);
            let quiet = class == Class::Quiet;
            let piece_to = PieceTo::new(us, position.moved(mv), mv);
            let standing = if quiet {
                self.thread.histories.quiet(Quiet { color: us, mv, piece_to, before, threats: threats.all })
            } else {
                self.thread.histories.capture(piece_to, position.captured(mv))
            };
            let mut reduction = self.thread.reductions.get(quiet, depth, number);

            // 12. Pruning at shallow depth.
            if may_prune(best_score) {
                if quiet {
                    let reduced = (depth - reduction / PLY).max(0);
                    let is_check = checks.has(position, mv);
                    // 12b. Moves that history speaks against; against checks only what they lose does.
                    if !is_check
                        && reduced <= history_pruning_depth()
                        && standing < history_pruning_margin() * (reduced + 1)
                    {
                        continue;
                    }
                    // 12c. Moves that lose material.
                    let margin =
                        if is_check { see_noisy_margin() * depth } else { see_quiet_margin() * reduced * reduced };
                    if reduced <= see_pruning_depth() && !position.see_ge(mv, margin) {
                        continue;
                    }
                } else if class == Class::BadNoisy
                    && depth <= see_pruning_depth()
                    && !position.see_ge(mv, see_noisy_margin() * depth)
                {
                    continue;
                }
            }

            // A move that another worker is at waits for its turn behind the others, when the score may be in the table.
            let task = (heeds_others && number > 1).then(|| SearchingMove::new(position.key(), mv, depth));
            if let Some(task) = task
                && !waited
                && !deferred.is_full()
                && self.context.control.searching().is_some_and(|searching| searching.has(task))
            {
                deferred.push((mv, class, number));
                continue;
            }

            // 13. Extensions.
            let mut extension = 0;
            if !N::ROOT
                && Some(mv) == tt_move
                && let Some(known) = known
                && depth >= singular_depth()
                && known.bound != Bound::Upper
                && known.depth >= depth - singular_table_depth()
                && !is_decisive(known.score)
                && ply < (extension_limit() * self.root_depth) as usize
            {
                match self.singular::<N>(position, mv, known, beta, depth, ply, cut_node)? {
                    Singular::Extend(plies) => extension = plies,
                    Singular::MultiCut(score) => return Some(score),
                }
            }

            // 14. Play it.
            if let Some(task) = task {
                self.begin_task(task);
            }
            if N::ROOT {
                let number = self.pv_index + number;
                self.context.control.begin_root_move(self.root_depth.unsigned_abs(), number, mv);
            }
            let nodes_before_move = self.nodes();
            let child = self.make(position, ply, mv);
            self.stack(ply).quiet = quiet.then_some(mv);
            self.stack(ply).is_first = number == 1 && excluded.is_none();
            let gives_check = child.in_check();
            let new_depth = depth - 1 + extension;
            let mut full_depth = new_depth;
            if extension >= 2 {
                self.stack(ply).double_extensions += 1;
            }
            let next = ply + 1;

            // 15. Late moves at less depth with a null window, and again where that fails high.
            let mut score = -INFINITE;
            let full_null_window = if depth >= lmr_depth() && number > 1 + usize::from(N::ROOT) {
                if tt_pv {
                    reduction -= lmr_table_pv();
                }
                if N::PV {
                    reduction -= lmr_pv();
                }
                // A sacrifice that is to be found comes late in the order, and is nowhere as dear to miss as here.
                if N::ROOT {
                    reduction -= lmr_root();
                }
                if cut_node {
                    reduction += lmr_cut_node();
                }
                if !improving {
                    reduction += lmr_not_improving();
                }
                if gives_check {
                    reduction -= lmr_check();
                }
                if tt_capture && quiet {
                    reduction += lmr_table_noisy();
                }
                if self.stack(next).cutoffs as i32 > lmr_cutoffs_many() {
                    reduction += lmr_cutoffs();
                }
                if killers.contains(&Some(mv)) || counter == Some(mv) {
                    reduction -= lmr_refutation();
                }
                reduction -= standing * PLY / lmr_history_divisor();
                reduction += self.jitter();
                // Last, for it costs something, and only where it can matter.
                if quiet && reduction >= PLY && self.has_mate_threat(&child, next) {
                    reduction -= lmr_mate_threat();
                }
                let reduced = (new_depth - reduction / PLY).clamp(1, new_depth.max(1));
                score = -self.search::<NonPv>(&child, -alpha - 1, -alpha, reduced, next, true)?;
                let again = score > alpha && reduced < new_depth;
                if again {
                    // How surprising it was decides how deep to look again.
                    full_depth += i32::from(score > best_score + lmr_deeper());
                    full_depth -= i32::from(score < best_score + lmr_shallower());
                    full_depth = full_depth.max(reduced + 1);
                }
                again
            } else {
                !N::PV || number > 1
            };
            if full_null_window {
                score = -self.search::<NonPv>(&child, -alpha - 1, -alpha, full_depth, next, !cut_node)?;
            }
            if N::PV && (number == 1 || score > alpha) {
                score = -self.search::<Pv>(&child, -beta, -alpha, new_depth, next, false)?;
            }
            self.keys.pop();
            if task.is_some() {
                self.end_task();
            }
            if extension >= 2 {
                self.stack(ply).double_extensions -= 1;
            }

            // 16. The root keeps account of its moves.
            if N::ROOT {
                let bound = match () {
                    () if score >= beta => Some(Bound::Lower),
                    () if score > alpha => Some(Bound::Exact),
                    () if number == 1 => Some(Bound::Upper),
                    () => None,
                };
                self.account_root_move(self.pv_index + number - 1, score, bound, nodes_before_move);
            }

            // 17. Better than before?
            if score > best_score {
                best_score = score;
                if score > alpha {
                    best_move = Some(mv);
                    if N::PV {
                        self.thread.pv.extend(ply, mv);
                    }
                    if score >= beta {
                        self.stack(ply).cutoffs += 1;
                        break;
                    }
                    alpha = score;
                }
            }
            tried.push(mv, piece_to, quiet);
        }

        // 18. No legal move: mate or stalemate; or the excluded one was the only one.
        if moves == 0 {
            return Some(match () {
                () if excluded.is_some() => alpha,
                () if in_check => mated_in(ply),
                () => DRAW,
            });
        }

        best_score = best_score.min(most);

        // 19. Learn from a cut-off; and where no move raised alpha, that the one which led here was good.
        if best_score >= beta
            && let Some(mv) = best_move
        {
            self.learn_cutoff(position, ply, mv, &tried, depth + i32::from(best_score > beta + history_surprise()));
            if !N::ROOT {
                self.learn_refuted(ply, depth);
            }
        } else if !N::ROOT && best_score <= original_alpha {
            self.learn_fail_low(us, ply, depth);
        }

        // 20. Remember it, and how far off the evaluation was.
        if excluded.is_none() {
            let bound = match () {
                () if best_score >= beta => Bound::Lower,
                () if best_score > original_alpha && N::PV => Bound::Exact,
                () => Bound::Upper,
            };
            // A root without some of its moves has a score, but it is not the position's.
            let whole = !N::ROOT || self.pv_index == 0 && !self.restricted;
            if whole {
                self.remember(position, ply, best_move, best_score, depth, bound, tt_pv, raw_eval, work_before);
            }
            let misjudged = match bound {
                Bound::Lower => best_score > eval,
                Bound::Upper => best_score < eval,
                Bound::Exact => true,
            };
            if whole
                && !in_check
                && misjudged
                && !is_decisive(best_score)
                && best_move.is_none_or(|mv| !position.is_noisy(mv))
            {
                self.thread.corrections.learn(position, best_score - eval, depth);
            }
        }
        Some(best_score)
    }

    /// Step 16. `bound` says what is known of the score; `None` when the move is only known to be no better than another.
    fn account_root_move(&mut self, index: usize, score: i32, bound: Option<Bound>, nodes_before: u64) {
        let spent = self.nodes() - nodes_before;
        let seldepth = self.seldepth;
        let root = &mut self.root_moves[index];
        root.nodes += spent;
        let Some(bound) = bound else {
            root.score = -INFINITE;
            return;
        };
        root.score = score;
        root.seldepth = seldepth;
        root.pv.truncate(1);
        root.pv.extend(self.thread.pv.line(1));
        if bound != Bound::Upper && self.pv_index == 0 {
            self.partial = Some(RootLine { score, bound, seldepth, pv: root.pv.clone() });
        }
    }
}

/// Moves that wait because another worker is at them, each with its class and its number in the order.
type DeferredMoves = ArrayVec<(Move, Class, usize), 16>;
