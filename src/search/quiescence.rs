//! Quiescence: captures, promotions, at its first ply quiet checks, and every evasion of a check, until the position is quiet
//! enough to evaluate.

use super::checks::CheckSquares;
use super::ordering::{Class, Hints, MovePicker, Quiets};
use super::params::{quiescence_margin, tt_clock};
use super::pvs::Node;
use super::score::{DECISIVE_BOUND, DRAW, INFINITE, MAX_PLY, is_decisive, mated_in};
use super::search_table::SearchTable;
use super::threats::Threats;
use super::tt_entry::Bound;
use super::worker::Worker;
use crate::position::{Position, SEE_VALUES};
use sesame_table::EntryUse;

impl<T: SearchTable> Worker<T> {
    /// The score of `position` within `alpha..beta` once the captures are over (fail-soft), or `None` when told to stop. `quiets` says
    /// which quiet moves are looked at here, when not in check; none are further on.
    pub(super) fn quiescence<N: Node>(
        &mut self,
        position: &Position,
        mut alpha: i32,
        beta: i32,
        ply: usize,
        quiets: Quiets,
    ) -> Option<i32> {
        let work_before = self.work();
        self.count_node()?;
        self.thread.pv.clear(ply);
        self.seldepth = self.seldepth.max(ply);
        let in_check = position.in_check();

        // 1. Draws, and the end of the path's memory.
        if let Some(score) = self.ruled(position, ply) {
            return Some(score);
        }
        if ply >= MAX_PLY - 1 {
            return Some(if in_check { DRAW } else { self.evaluate(position, ply) });
        }

        // 2. The table: any entry is deep enough here, also one that looked at no quiet checks.
        let known = self.probe(position, ply);
        if !N::PV
            && let Some(known) = known
            && known.cuts(beta)
            && i32::from(position.halfmove_clock()) < tt_clock()
        {
            self.note_cut_off(known);
            return Some(known.score);
        }

        // 3. RootResult pat: not obliged to capture, unless in check.
        let mut raw_eval = None;
        let mut best_score = -INFINITE;
        let mut futility = -INFINITE;
        if !in_check {
            let raw = known.and_then(|known| known.eval).unwrap_or_else(|| self.evaluate(position, ply));
            raw_eval = Some(raw);
            let eval = self.corrected(position, raw);
            best_score = match known {
                Some(known) if known.improves(eval) && !is_decisive(known.score) => known.score,
                _ => eval,
            };
            if best_score >= beta {
                return Some(best_score);
            }
            alpha = alpha.max(best_score);
            futility = eval + quiescence_margin();
        }

        // 4. The moves.
        let tt_move = known.and_then(|known| known.mv).filter(|&mv| in_check || position.is_noisy(mv));
        if tt_move.is_some() {
            self.context.table.record_use(EntryUse::Hint);
        }
        let mut quiets = if in_check { Quiets::All } else { quiets };
        // Where only checks are wanted the threats are not asked for: a shorter way to their order.
        let before = self.played_before(ply);
        let hints = || Hints { tt_move, before, checks: CheckSquares::of(position), ..Hints::default() };
        let mut picker = match quiets {
            Quiets::All => MovePicker::all(Hints { threats: Threats::of(position), ..hints() }),
            // Beside the checks the history of captures moves what they must win, as in the main search.
            Quiets::Checks => MovePicker::all(hints()),
            Quiets::None => MovePicker::noisy(tt_move, 0),
        };
        let mut best_move = None;
        let mut number = 0;
        while let Some((mv, class)) = picker.next(position, &self.thread.histories, quiets) {
            number += 1;
            self.prefetch_after(position, mv);
            if best_score > -DECISIVE_BOUND {
                match class {
                    // 4a. Bad captures come last: nothing after them helps.
                    Class::BadNoisy => break,
                    // 4b. One quiet evasion that does not lose to mate is enough to see that there is one.
                    Class::Quiet if in_check => quiets = Quiets::None,
                    // 4c. Checks that lose the piece.
                    Class::Quiet if !position.see_ge(mv, 0) => continue,
                    Class::GoodNoisy | Class::Table if !in_check && mv.promotion().is_none() => {
                        let victim = position.captured(mv).map_or(0, |piece| SEE_VALUES[piece as usize]);
                        // 4d. Captures that cannot bring the score near alpha.
                        if futility + victim <= alpha {
                            best_score = best_score.max(futility + victim);
                            continue;
                        }
                        // 4e. Exchanges that win nothing when something is needed.
                        if futility <= alpha && !position.see_ge(mv, 1) {
                            best_score = best_score.max(futility);
                            continue;
                        }
                    }
                    _ => {}
                }
            }
            let child = self.make(position, ply, mv);
            let score = -self.quiescence::<N>(&child, -beta, -alpha, ply + 1, Quiets::None)?;
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

        // 5. In check every move was generated: none means mate.
        if in_check && number == 0 {
            return Some(mated_in(ply));
        }
        debug_assert!(best_score > -INFINITE, "a position not in check stands pat, one in check has a move");

        // 6. Remember it; depth 0 is quiescence. Inside the window it is kept as an upper bound: an exact score would replace an entry of any depth.
        // Nor does a line of captures make a principal variation.
        let bound = if best_score >= beta { Bound::Lower } else { Bound::Upper };
        let pv = known.is_some_and(|known| known.pv);
        self.remember(position, ply, best_move, best_score, 0, bound, pv, raw_eval, work_before);
        Some(best_score)
    }
}
