//! Tunable parameters of the search. Those of the clock and the vote are in `smp`.
//!
//! Margins are in centipawns, depths in plies, histories in their own units. Each parameter is a function
//! returning a constant. With the feature `tune` it is a variable with a UCI option of the same name, for
//! SPSA: see `scripts/spsa` and `docs/contributors/search.md`.

/// A parameter that can be changed.
#[cfg(feature = "tune")]
#[derive(Debug)]
pub struct Tunable {
    pub name: &'static str,
    pub default: i32,
    pub min: i32,
    pub max: i32,
    value: std::sync::atomic::AtomicI32,
}

#[cfg(feature = "tune")]
impl Tunable {
    pub(crate) const fn new(name: &'static str, default: i32, min: i32, max: i32) -> Self {
        Self { name, default, min, max, value: std::sync::atomic::AtomicI32::new(default) }
    }

    #[inline]
    pub fn get(&self) -> i32 {
        self.value.load(std::sync::atomic::Ordering::Relaxed)
    }

    /// Clamps the value to the range. It holds for all searches of this process.
    pub fn set(&self, value: i32) {
        self.value.store(value.clamp(self.min, self.max), std::sync::atomic::Ordering::Relaxed);
    }
}

/// Declares the parameters of a file: name, value, minimum, maximum.
macro_rules! params {
    ($($(#[$doc:meta])+ $name:ident = $value:literal, $min:literal, $max:literal;)*) => {
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
                tunable::ALL[tunable::Index::$name as usize].get()
            }

            const _: () = assert!($min < $value && $value < $max, "the value is not within its range");
        )*

        /// The parameters as variables.
        #[cfg(feature = "tune")]
        pub mod tunable {
            use crate::search::params::Tunable;

            #[allow(non_camel_case_types)]
            #[derive(Clone, Copy)]
            pub(super) enum Index {
                $($name,)*
            }

            pub static ALL: [Tunable; [$(stringify!($name)),*].len()] =
                [$(Tunable::new(stringify!($name), $value, $min, $max),)*];
        }
    };
}
pub(crate) use params;

/// Histories saturate at plus and minus this.
pub const HISTORY_MAX: i32 = 16_384;
/// Correction histories saturate at plus and minus this, in 1/16 centipawn.
pub const CORRECTION_MAX: i32 = 1024;

/// Units of a reduction in one ply.
pub const PLY: i32 = 1024;

/// Base reductions by depth and move number.
pub struct Reductions {
    table: Box<[[[i32; 64]; 64]; 2]>,
}

impl Reductions {
    /// Computes base + ln(depth) x ln(move number) / divisor, in 1/1024 ply.
    pub fn new() -> Self {
        let of_kind = |base: i32, divisor: i32| {
            let (base, divisor) = (f64::from(base) / 100.0, f64::from(divisor) / 100.0);
            let ln = |value: usize| (value.max(1) as f64).ln();
            std::array::from_fn(|depth| {
                std::array::from_fn(|number| ((base + ln(depth) * ln(number) / divisor) * f64::from(PLY)) as i32)
            })
        };
        let noisy = of_kind(lmr_noisy_base(), lmr_noisy_divisor());
        Self { table: Box::new([noisy, of_kind(lmr_quiet_base(), lmr_quiet_divisor())]) }
    }

    #[inline]
    pub fn get(&self, is_quiet: bool, depth: i32, move_count: usize) -> i32 {
        self.table[usize::from(is_quiet)][depth.clamp(0, 63) as usize][move_count.min(63)]
    }
}

params! {
    /// Aspiration windows: half-width of the first window.
    aspiration_delta = 18, 5, 40;
    /// Aspiration windows: the score divided by this widens the first window.
    aspiration_score_divisor = 64, 16, 1024;
    /// Aspiration window growth after a fail, in percent.
    aspiration_growth = 50, 25, 200;
    /// Aspiration windows: beyond this half-width a failed side is opened fully.
    aspiration_delta_max = 600, 100, 2000;
    /// Aspiration windows: minimum depth.
    aspiration_depth = 4, 2, 8;

    /// Halfmove clock from which the TT causes no cutoff: the clock is not part of the key.
    tt_cutoff_clock = 90, 40, 101;

    /// Material scaling in 1/1024 per point of pieces (minor 3, rook 5, queen 9; 62 at the start).
    material_slope = 4, 0, 16;
    /// Material scaling: points at which the evaluation is unchanged.
    material_even = 40, 20, 62;

    /// Razoring: maximum depth.
    razor_depth = 4, 1, 8;
    /// Razoring: base margin.
    razor_base = 190, 50, 500;
    /// Razoring: margin per squared ply.
    razor_margin = 180, 50, 400;

    /// Reverse futility pruning: maximum depth.
    reverse_futility_depth = 9, 4, 14;
    /// Reverse futility pruning: margin per ply.
    reverse_futility_margin = 66, 30, 150;

    /// Null move: minimum depth.
    null_depth = 3, 1, 6;
    /// Null move: base reduction.
    null_base = 5, 2, 7;
    /// Null move: the depth divided by this is added to the reduction.
    null_depth_divisor = 4, 2, 8;
    /// Null move: the evaluation above beta divided by this is added to the reduction.
    null_eval_divisor = 194, 80, 500;
    /// Null move: cap of the addition by [`null_eval_divisor`].
    null_eval_cap = 3, 1, 7;
    /// Null move: per ply of depth, the static evaluation may be this far below beta.
    null_margin = 20, 0, 60;
    /// Null move: taken off the margin by [`null_margin`].
    null_margin_base = 120, 0, 300;
    /// Null move: minimum depth at which every cutoff is verified.
    null_verify_depth = 13, 6, 20;
    /// Null move: no null move in this share of the verification search's depth, in sixteenths.
    null_verify_share = 12, 4, 17;

    /// ProbCut: minimum depth.
    probcut_depth = 5, 3, 9;
    /// ProbCut: margin above beta.
    probcut_margin = 177, 80, 350;
    /// ProbCut: reduction of the verification search, in plies.
    probcut_reduction = 4, 2, 6;

    /// Internal iterative reduction: minimum depth.
    iir_depth = 4, 2, 8;

    /// Move ordering: bonus of a quiet check.
    check_bonus = 9000, 0, 30000;
    /// Move ordering: capture history worth one centipawn of the good-capture threshold.
    capture_history_divisor = 128, 32, 1024;
    /// Move ordering: bonus of a minor piece that leaves a square attacked by a pawn, malus if it goes to one.
    threat_minor = 7000, 0, 30000;
    /// Move ordering: the same for a rook and squares attacked by pawns or minor pieces.
    threat_rook = 10500, 0, 30000;
    /// Move ordering: the same for a queen and squares attacked by less valuable pieces.
    threat_queen = 17500, 0, 30000;

    /// Late-move pruning: maximum depth.
    lmp_depth = 8, 4, 14;
    /// Late-move pruning: base count of moves.
    lmp_base = 3, 1, 10;

    /// Futility pruning: maximum reduced depth.
    futility_depth = 8, 4, 14;
    /// Futility pruning: base margin.
    futility_base = 90, 20, 250;
    /// Futility pruning: margin per ply.
    futility_margin = 79, 30, 200;

    /// History pruning: maximum reduced depth.
    history_pruning_depth = 4, 2, 8;
    /// History pruning: minimum history per ply.
    history_pruning_margin = -7150, -10000, -1000;

    /// Static-exchange pruning: maximum depth of captures, maximum reduced depth of quiet moves.
    see_pruning_depth = 9, 4, 14;
    /// Static-exchange pruning: minimum gain of quiet moves per squared ply.
    see_quiet_margin = -16, -60, -8;
    /// Static-exchange pruning: minimum gain of captures and quiet checks per ply.
    see_noisy_margin = -79, -200, -40;

    /// Singular extensions: minimum depth.
    singular_depth = 5, 4, 10;
    /// Singular extensions: depth of the singular search, in sixteenths of the depth less one ply.
    singular_share = 8, 4, 13;
    /// Singular extensions: the TT entry's depth may be this many plies below the node's.
    singular_tt_depth = 3, 1, 6;
    /// Singular extensions: margin below the TT score per ply, in 1/16 centipawn.
    singular_margin = 24, 8, 64;
    /// Singular extensions: additional margin of double extensions.
    singular_double_margin = 18, 2, 60;
    /// Singular extensions: maximum of double extensions in one line.
    singular_double_limit = 8, 2, 20;
    /// Singular extensions: none at this multiple of the iteration's depth, or deeper.
    extension_limit = 2, 1, 4;
    /// Negative extension, in plies, of a TT move that is not singular but beats beta by the TT.
    singular_negative = 2, 0, 4;
    /// Negative extension, in plies, of any other non-singular TT move at an expected cut node.
    singular_negative_cut = 1, 0, 4;

    /// Late-move reductions: base for quiet moves, in 1/100 ply.
    lmr_quiet_base = 79, 20, 160;
    /// Late-move reductions: divisor for quiet moves, in hundredths.
    lmr_quiet_divisor = 254, 140, 400;
    /// Late-move reductions: base for captures, in 1/100 ply.
    lmr_noisy_base = 30, -60, 100;
    /// Late-move reductions: divisor for captures, in hundredths.
    lmr_noisy_divisor = 330, 180, 600;
    /// Late-move reductions: minimum depth.
    lmr_depth = 3, 2, 6;
    /// Late-move reductions: history worth one ply less.
    lmr_history_divisor = 8950, 3000, 20000;
    /// Less reduction, in 1/1024 ply, at nodes that are or were on a principal variation.
    lmr_tt_pv = 600, 0, 3072;
    /// Less reduction at nodes on the principal variation.
    lmr_pv = 350, 0, 3072;
    /// Less reduction at the root.
    lmr_root = 1024, 0, 4096;
    /// More reduction at expected cut nodes.
    lmr_cut_node = 1536, 0, 4096;
    /// More reduction at nodes with a static evaluation that does not improve.
    lmr_not_improving = 1010, 0, 3072;
    /// Less reduction of checks.
    lmr_check = 900, 0, 3072;
    /// Less reduction of quiet moves that create a mate threat.
    lmr_mate_threat = 2048, 0, 4096;
    /// More reduction of quiet moves if the TT move is a capture.
    lmr_tt_capture = 1024, 0, 3072;
    /// Cutoffs at the next ply above which [`lmr_cutoffs`] applies.
    lmr_cutoff_count = 2, 1, 8;
    /// More reduction after many cutoffs at the next ply.
    lmr_cutoffs = 1600, 0, 3072;
    /// Less reduction of killers and counter moves.
    lmr_refutation = 1100, 0, 3072;
    /// Margin above the best score from which a re-search is a ply deeper.
    lmr_deeper_margin = 45, 0, 200;
    /// Margin above the best score below which a re-search is a ply shallower.
    lmr_shallower_margin = 8, 0, 60;

    /// Quiescence: delta pruning margin.
    quiescence_margin = 340, 50, 500;

    /// History bonus per ply.
    history_bonus = 155, 60, 400;
    /// History bonus: taken off.
    history_bonus_base = 60, 0, 300;
    /// History bonus: cap.
    history_bonus_cap = 1700, 600, 4000;
    /// Malus of quiet moves searched before a quiet cutoff move, in percent of the bonus.
    history_malus = 125, 20, 300;
    /// Malus of captures searched before a cutoff move, in percent of the bonus.
    capture_malus = 100, 20, 300;
    /// Bonus of a quiet TT move after a TT cutoff, in percent of the bonus.
    tt_cutoff_bonus = 50, 0, 200;
    /// Greatest depth without a bonus for a quiet move that cuts off before any other quiet.
    history_first_depth = 3, 0, 10;
    /// Margin above beta from which the bonus is that of a ply more.
    history_beta_margin = 80, 20, 300;
    /// Weight of the continuation history one ply before, in 1/64 of butterfly history.
    continuation_one = 64, 0, 192;
    /// Weight of the continuation history two plies before.
    continuation_two = 64, 0, 192;
    /// Weight of the continuation history four plies before.
    continuation_four = 32, 0, 192;
    /// Bonus of a quiet move before a node that fails low, in percent of the bonus.
    fail_low_bonus = 55, 0, 200;

    /// Correction history: cap of the correction.
    correction_cap = 157, 30, 300;
    /// Correction history: divisor of error times depth.
    correction_divisor = 8, 2, 32;
}
