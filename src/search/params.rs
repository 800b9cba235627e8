//! The numbers of the search and of its clock: margins in centipawns, depths in plies, histories in their own units.
//!
//! Each is a function that returns a constant. Built with the feature `tune` they are variables, and UCI options
//! of the same names, for SPSA: see `scripts/spsa` and `docs/search.md`.

macro_rules! params {
    ($($(#[$doc:meta])+ $name:ident = $value:literal, $least:literal, $most:literal;)*) => {
        $(
            $(#[$doc])+
            #[cfg(not(feature = "tune"))]
            #[inline(always)]
            pub const fn $name() -> i32 {
                $value
            }

            $(#[$doc])+
            #[cfg(feature = "tune")]
            #[inline]
            pub fn $name() -> i32 {
                tunable::ALL[tunable::Place::$name as usize].get()
            }
        )*

        /// The same numbers as variables.
        #[cfg(feature = "tune")]
        pub mod tunable {
            use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

            #[allow(non_camel_case_types)]
            #[derive(Clone, Copy)]
            pub(super) enum Place {
                $($name,)*
            }

            /// A number that a tuner may change.
            #[derive(Debug)]
            pub struct Tunable {
                /// Its name.
                pub name: &'static str,
                /// What it is when nobody changes it.
                pub default: i32,
                /// Its least value.
                pub least: i32,
                /// Its greatest value.
                pub most: i32,
                value: AtomicI32,
            }

            impl Tunable {
                /// What it is now.
                #[inline]
                pub fn get(&self) -> i32 {
                    self.value.load(Relaxed)
                }

                /// Changes it for all searches of this process, at once.
                pub fn set(&self, value: i32) {
                    self.value.store(value.clamp(self.least, self.most), Relaxed);
                }
            }

            /// All of them.
            pub static ALL: [Tunable; [$(stringify!($name)),*].len()] = [$(Tunable {
                name: stringify!($name),
                default: $value,
                least: $least,
                most: $most,
                value: AtomicI32::new($value),
            },)*];
        }

        #[cfg(test)]
        const RANGES: &[(&str, i32, i32, i32)] = &[$((stringify!($name), $value, $least, $most),)*];
    };
}

/// Histories saturate at plus and minus this.
pub const HISTORY_MAX: i32 = 16_384;
/// Correction histories saturate at plus and minus this, in 1/16 centipawn.
pub const CORRECTION_MAX: i32 = 1024;

params! {
    /// From this halfmove clock on the table ends no node: the fifty-move rule is near, and the clock is not in the key.
    tt_clock = 90, 40, 101;

    /// Half-width of the first aspiration window.
    aspiration_delta = 18, 5, 40;
    /// It is wider by the score divided by this.
    aspiration_score_divisor = 64, 16, 1024;
    /// By how many percent a window grows in which the score was not.
    aspiration_growth = 50, 25, 200;
    /// Beyond this half-width a window is open on the side of the failure.
    aspiration_most = 600, 100, 2000;
    /// Depth from which iterations open with an aspiration window.
    aspiration_depth = 4, 2, 8;

    /// Reverse futility: greatest depth, and margin per ply of depth.
    reverse_futility_depth = 9, 4, 14;
    /// See [`reverse_futility_depth`].
    reverse_futility_margin = 66, 30, 150;

    /// Razoring: greatest depth, base margin and margin per ply.
    razor_depth = 4, 1, 8;
    /// See [`razor_depth`].
    razor_base = 190, 50, 500;
    /// See [`razor_depth`].
    razor_margin = 180, 50, 400;

    /// Null move: least depth, base reduction, depth divisor, evaluation divisor and the cap of its part.
    null_depth = 3, 1, 6;
    /// See [`null_depth`].
    null_base = 5, 2, 7;
    /// See [`null_depth`].
    null_depth_divisor = 4, 2, 8;
    /// See [`null_depth`].
    null_eval_divisor = 194, 80, 500;
    /// See [`null_depth`].
    null_eval_cap = 3, 1, 7;
    /// Null move: the evaluation may be this far below beta per ply of depth, ...
    null_slope = 20, 0, 60;
    /// ... less this.
    null_slack = 120, 0, 300;
    /// From this depth a null-move cut-off is verified by a search of the real moves, zugzwang or not.
    null_verify_depth = 13, 6, 20;
    /// Sixteenths of that search's depth below which no null move is tried in it.
    null_verify_share = 12, 4, 17;

    /// ProbCut: least depth, and margin above beta.
    probcut_depth = 5, 3, 9;
    /// See [`probcut_depth`].
    probcut_margin = 177, 80, 350;
    /// Plies taken off for the ProbCut verification.
    probcut_reduction = 4, 2, 6;

    /// Internal iterative reduction: least depth.
    iir_depth = 4, 2, 8;

    /// Singular extensions: least depth.
    singular_depth = 5, 4, 10;
    /// Sixteenths of the depth, less one ply, at which the other moves are searched.
    singular_share = 8, 4, 13;
    /// By so many plies the table's entry may be less deep than the node.
    singular_table_depth = 3, 1, 6;
    /// Margin below the table score, in 1/16 centipawn per ply.
    singular_margin = 24, 8, 64;
    /// Extra margin for extending by two plies.
    singular_double_margin = 18, 2, 60;
    /// Most double extensions in one line.
    singular_double_limit = 8, 2, 20;
    /// A line is extended no more from this many times the iteration's depth on (singular and mate threat extensions).
    extension_limit = 2, 1, 4;
    /// Plies less for a move that is not singular but beats beta by the table, ...
    singular_negative = 2, 0, 4;
    /// ... or stands at an expected cut node.
    singular_negative_cut = 1, 0, 4;

    /// Futility pruning of quiets: greatest reduced depth, base and margin per ply.
    futility_depth = 8, 4, 14;
    /// See [`futility_depth`].
    futility_base = 90, 20, 250;
    /// See [`futility_depth`].
    futility_margin = 79, 30, 200;

    /// Late-move pruning: greatest depth and base count of quiets.
    late_move_depth = 8, 4, 14;
    /// See [`late_move_depth`].
    late_move_base = 3, 1, 10;

    /// History pruning: greatest reduced depth and threshold per ply.
    history_pruning_depth = 4, 2, 8;
    /// See [`history_pruning_depth`].
    history_pruning_margin = -7150, -10000, -1000;

    /// Static-exchange pruning: greatest depth, loss allowed to quiets (per squared ply), to captures and quiet checks (per ply).
    see_pruning_depth = 9, 4, 14;
    /// See [`see_pruning_depth`].
    see_quiet_margin = -16, -60, -8;
    /// See [`see_pruning_depth`].
    see_noisy_margin = -79, -200, -40;

    /// Late-move reductions in 1/100 ply: base and divisor for quiets.
    lmr_quiet_base = 79, 20, 160;
    /// See [`lmr_quiet_base`].
    lmr_quiet_divisor = 254, 140, 400;
    /// Late-move reductions: base and divisor for captures, as [`lmr_quiet_base`].
    lmr_noisy_base = 30, -60, 100;
    /// See [`lmr_noisy_base`].
    lmr_noisy_divisor = 330, 180, 600;
    /// Least depth for late-move reductions: below 3 plies there is nothing to take off.
    lmr_depth = 3, 2, 6;
    /// History worth one ply of reduction.
    lmr_history_divisor = 8950, 3000, 20000;
    /// Less reduction, in 1/1024 ply, at nodes that were on a principal variation once.
    lmr_table_pv = 600, 0, 3072;
    /// Less at nodes that are on one.
    lmr_pv = 350, 0, 3072;
    /// Less at the root.
    lmr_root = 1024, 0, 4096;
    /// More at expected cut nodes.
    lmr_cut_node = 1536, 0, 4096;
    /// More where the evaluation does not improve.
    lmr_not_improving = 1010, 0, 3072;
    /// Less for checks.
    lmr_check = 900, 0, 3072;
    /// Less for quiets after which the enemy has to fear a mate.
    lmr_mate_threat = 2048, 0, 4096;
    /// More for quiets where the table's move is a capture.
    lmr_table_noisy = 1024, 0, 3072;
    /// More where the next ply has failed high more often than so many times.
    lmr_cutoffs_many = 2, 1, 8;
    /// See [`lmr_cutoffs_many`].
    lmr_cutoffs = 1600, 0, 3072;
    /// A search at reduced depth that beats the best score by so much is repeated a ply deeper than usual, ...
    lmr_deeper = 45, 0, 200;
    /// ... one that beats it by less than so much a ply shallower.
    lmr_shallower = 8, 0, 60;
    /// Less for killers and counter moves.
    lmr_refutation = 1100, 0, 3072;

    /// Quiescence: a capture must bring the stand-pat score within this of alpha.
    quiescence_margin = 340, 50, 500;

    /// History bonus per ply of depth.
    history_bonus = 155, 60, 400;
    /// See [`history_bonus`]: taken off.
    history_bonus_base = 60, 0, 300;
    /// Greatest bonus.
    history_bonus_cap = 1700, 600, 4000;
    /// What the quiet moves before a quiet one that cuts off lose, in percent of the bonus, ...
    history_malus = 125, 20, 300;
    /// ... and what the captures before any that does.
    capture_malus = 100, 20, 300;
    /// What the table's quiet move earns where the table cuts off, in percent of the bonus.
    table_cut_bonus = 50, 0, 200;
    /// Greatest depth at which a first move that cuts off teaches nothing that ordering did not know.
    history_first_depth = 3, 0, 10;

    /// A score this far above beta makes the bonus that of a ply more.
    history_surprise = 80, 20, 300;
    /// What the history after the move one ply before weighs, in 1/64 of that of the squares, ...
    continuation_one = 64, 0, 192;
    /// ... two plies before, ...
    continuation_two = 64, 0, 192;
    /// ... four plies before.
    continuation_four = 32, 0, 192;

    /// What a quiet move earns to which no move is an answer, in percent of the bonus for a cut-off.
    fail_low_bonus = 55, 0, 200;

    /// What a quiet check is worth in the order.
    check_bonus = 9000, 0, 30000;
    /// How much of a capture's history weighs as much as a centipawn.
    capture_history_divisor = 128, 32, 1024;
    /// What it is worth in the order of quiet moves that a minor leaves a square attacked by a pawn, and costs to go to one, ...
    threat_minor = 7000, 0, 30000;
    /// ... a rook one attacked by a pawn or minor, ...
    threat_rook = 10500, 0, 30000;
    /// ... a queen one attacked by anything less.
    threat_queen = 17500, 0, 30000;

    /// By how many 1,024ths the evaluation grows with each point of pieces (minors 3, rooks 5, queens 9; at first 62) ...
    material_slope = 4, 0, 16;
    /// ... from so many on: who is ahead keeps pieces.
    material_even = 40, 20, 62;

    /// Correction histories: most that they move the evaluation, in centipawns.
    correction_cap = 157, 30, 300;
    /// What is learnt of an error at a depth, in 1/16 centipawn: their product, divided by this.
    correction_divisor = 8, 2, 32;

    /// Least depth of a node at which a move waits for another worker that is at it.
    defer_depth = 3, 1, 8;

    /// Where workers vote by score, what each has besides its lead on the worst, in centipawns.
    vote_base = 12, 0, 100;

    /// Moves that a clock without a next time control is spread over at the first move of a game, ...
    clock_moves = 42, 10, 60;
    /// ... less so many hundredths of a move for each that was played, ...
    clock_moves_fall = 70, 0, 200;
    /// ... but at least so many, ...
    clock_moves_least = 12, 8, 60;
    /// ... and so many where less is added to the clock than a move costs outside the search.
    clock_moves_sudden = 22, 8, 60;
    /// The hard limit in soft limits.
    clock_hard = 5, 2, 10;
    /// The soft limit in thousandths where the iteration has changed its mind, ...
    clock_changed = 1700, 1000, 3000;
    /// ... where the last but one did, ...
    clock_stable_one = 1250, 800, 2000;
    /// ... the one before, ...
    clock_stable_two = 1050, 700, 1500;
    /// ... the one before that, ...
    clock_stable_three = 950, 500, 1300;
    /// ... and where none of these did.
    clock_stable = 850, 400, 1200;
    /// The same factor by the share of the nodes that went into the best move: this less the share, ...
    clock_effort_base = 1550, 1050, 2500;
    /// ... times this.
    clock_effort_scale = 1350, 500, 2500;
    /// What the limit grows by, in thousandths, for each centipawn that the score has fallen.
    clock_score_drop = 12, 0, 40;
    /// The least that this factor, by the score, is, in thousandths, ...
    clock_score_least = 850, 500, 1000;
    /// ... and the most; ...
    clock_score_most = 1500, 1000, 3000;
    /// ... and the least that all factors together are, ...
    clock_scale_least = 300, 50, 1000;
    /// ... and the most.
    clock_scale_most = 4000, 1000, 8000;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lie_within_their_ranges() {
        for (name, value, least, most) in RANGES {
            assert!(least < value && value < most, "{name}");
        }
    }
}
