//! Quiescence search (<https://www.chessprogramming.org/Quiescence_Search>): captures, promotions, quiet
//! checks at the first ply, and all evasions of a check.

use super::control::Aborted;
use super::node::NodeType;
use super::ordering::{Class, Hints, MovePicker, Quiets};
use super::params::quiescence_margin;
use super::score::{DECISIVE_BOUND, INFINITE, is_decisive, mated_in};
use super::threats::{CheckSquares, Threats};
use super::tt::{Bound, QS_NO_CHECKS, SearchTable, TtStore};
use super::worker::Worker;
use crate::position::{Move, Position, SEE_VALUES};
use sesame_table::EntryUse;

/// Delta pruning (<https://www.chessprogramming.org/Delta_Pruning>): the capture cannot raise the score to alpha, or
/// wins nothing below alpha. Returns the score assumed for it.
#[inline(always)]
fn prune_capture(position: &Position, mv: Move, futility_base: i32, alpha: i32) -> Option<i32> {
    let victim = position.captured(mv).map_or(0, |piece| SEE_VALUES[piece as usize]);
    let futility_value = futility_base + victim;
    if futility_value <= alpha {
        Some(futility_value)
    } else if futility_base <= alpha && !position.see_ge(mv, 1) {
        Some(futility_base)
    } else {
        None
    }
}

impl<T: SearchTable> Worker<T> {
    /// Fail-soft. `quiets` selects the quiet moves searched here when not in check. Deeper plies search none.
    pub(super) fn quiescence<N: NodeType>(
        &mut self,
        position: &Position,
        ply: usize,
        mut alpha: i32,
        beta: i32,
        mut quiets: Quiets,
    ) -> Result<i32, Aborted> {
        // 1. Draw or mate by rule; maximum ply; an upcoming repetition is at least a draw.
        let work_before = self.work();
        if let Some(score) = self.enter_node::<N>(position, ply, &mut alpha, beta) {
            return Ok(score);
        }

        // 2. Transposition table: an entry without quiet checks does not suffice where they are searched.
        let in_check = position.in_check();
        let depth = if in_check || quiets == Quiets::Checks { 0 } else { QS_NO_CHECKS };
        let tt_hit = self.context.table.probe_tt(position, ply);
        if !N::PV
            && let Some(score) = self.tt_cutoff(position, beta, depth, tt_hit)
        {
            return Ok(score);
        }

        // 3. Stand pat, unless in check.
        let evals = self.node_evals(position, ply, in_check, tt_hit);
        let mut best_score = -INFINITE;
        let mut futility_base = -INFINITE;
        if !in_check {
            best_score = if is_decisive(evals.best) { evals.corrected } else { evals.best };
            if best_score >= beta {
                return Ok(best_score);
            }
            alpha = alpha.max(best_score);
            futility_base = evals.corrected + quiescence_margin();
        }

        // 4. Move picker.
        let tt_move = tt_hit.and_then(|tt_hit| tt_hit.mv).filter(|&mv| in_check || position.is_noisy(mv));
        if tt_move.is_some() {
            self.context.table.record_use(EntryUse::Hint);
        }
        if in_check {
            quiets = Quiets::All;
        }
        let continuation = self.continuation_keys(ply);
        let hints = || Hints { tt_move, continuation, checks: CheckSquares::of(position), ..Hints::default() };
        let mut picker = match quiets {
            Quiets::All => MovePicker::all(Hints { threats: Threats::of(position), ..hints() }),
            // Threats are left out: they matter little for the order of checks.
            Quiets::Checks => MovePicker::all(hints()),
            Quiets::None => MovePicker::noisy(tt_move, 0),
        };
        let mut best_move = None;
        let mut has_move = false;
        while let Some((mv, class)) = picker.next(position, &self.thread.histories, quiets) {
            has_move = true;
            self.prefetch_after(position, mv);
            if best_score > -DECISIVE_BOUND {
                match class {
                    // 5. Bad captures are pruned; they come last.
                    Class::BadNoisy => break,
                    // 6. One quiet evasion that avoids mate is enough.
                    Class::Quiet if in_check => quiets = Quiets::None,
                    // 7. Static-exchange pruning of quiet checks.
                    Class::Quiet if !position.see_ge(mv, 0) => continue,
                    Class::GoodNoisy if !in_check && mv.promotion().is_none() => {
                        // 8. Delta pruning and static-exchange pruning of captures.
                        if let Some(score) = prune_capture(position, mv, futility_base, alpha) {
                            best_score = best_score.max(score);
                            continue;
                        }
                    }
                    _ => {}
                }
            }
            self.count_node()?;
            let child = self.make(position, ply, mv);
            let score = -self.quiescence::<N>(&child, ply + 1, -beta, -alpha, Quiets::None)?;
            self.keys.pop();
            if score > best_score {
                best_score = score;
                if score > alpha {
                    best_move = Some(mv);
                    if N::PV {
                        self.thread.pv.extend(ply, mv);
                    }
                    if score >= beta {
                        break;
                    }
                    alpha = score;
                }
            }
        }

        // 9. Mate: in check all moves are generated.
        if in_check && !has_move {
            return Ok(mated_in(ply));
        }
        debug_assert!(best_score > -INFINITE, "a position not in check stands pat, one in check has a move");

        // 10. Transposition table. A score inside the window is stored as an upper bound: an exact
        // one would replace deeper entries.
        let bound = if best_score >= beta { Bound::Lower } else { Bound::Upper };
        let pv = tt_hit.is_some_and(|tt_hit| tt_hit.pv);
        let result = TtStore { mv: best_move, score: best_score, depth, bound, pv, raw_eval: evals.raw };
        self.store_tt(position, ply, work_before, result);
        Ok(best_score)
    }
}
