//! The numbers of the search that a tuner would try first: margins in centipawns, depths in plies, histories in their own
//! units.

/// Half-width of the first aspiration window.
pub const ASPIRATION_DELTA: i32 = 14;
/// Depth from which iterations open with an aspiration window.
pub const ASPIRATION_DEPTH: i32 = 4;

/// Reverse futility: greatest depth, and margin per ply of depth.
pub const REVERSE_FUTILITY_DEPTH: i32 = 9;
/// See [`REVERSE_FUTILITY_DEPTH`].
pub const REVERSE_FUTILITY_MARGIN: i32 = 75;

/// Razoring: greatest depth, base margin and margin per ply.
pub const RAZOR_DEPTH: i32 = 4;
/// See [`RAZOR_DEPTH`].
pub const RAZOR_BASE: i32 = 200;
/// See [`RAZOR_DEPTH`].
pub const RAZOR_MARGIN: i32 = 180;

/// Null move: least depth, base reduction, depth divisor, evaluation divisor and the cap of its part.
pub const NULL_DEPTH: i32 = 3;
/// See [`NULL_DEPTH`].
pub const NULL_BASE: i32 = 4;
/// See [`NULL_DEPTH`].
pub const NULL_DEPTH_DIVISOR: i32 = 4;
/// See [`NULL_DEPTH`].
pub const NULL_EVAL_DIVISOR: i32 = 200;
/// See [`NULL_DEPTH`].
pub const NULL_EVAL_CAP: i32 = 3;
/// From this depth a null-move cut-off is verified by a search of the real moves, zugzwang or not.
pub const NULL_VERIFY_DEPTH: i32 = 13;

/// ProbCut: least depth, and margin above beta.
pub const PROBCUT_DEPTH: i32 = 5;
/// See [`PROBCUT_DEPTH`].
pub const PROBCUT_MARGIN: i32 = 180;
/// Plies taken off for the ProbCut verification.
pub const PROBCUT_REDUCTION: i32 = 4;

/// Internal iterative reduction: least depth.
pub const IIR_DEPTH: i32 = 4;

/// Singular extensions: least depth.
pub const SINGULAR_DEPTH: i32 = 7;
/// Margin below the table score, in 1/16 centipawn per ply.
pub const SINGULAR_MARGIN: i32 = 24;
/// Extra margin for extending by two plies.
pub const SINGULAR_DOUBLE_MARGIN: i32 = 18;
/// Most double extensions in one line.
pub const SINGULAR_DOUBLE_LIMIT: i32 = 8;

/// Futility pruning of quiets: greatest reduced depth, base and margin per ply.
pub const FUTILITY_DEPTH: i32 = 8;
/// See [`FUTILITY_DEPTH`].
pub const FUTILITY_BASE: i32 = 90;
/// See [`FUTILITY_DEPTH`].
pub const FUTILITY_MARGIN: i32 = 85;

/// Late-move pruning: greatest depth and base count of quiets.
pub const LATE_MOVE_DEPTH: i32 = 8;
/// See [`LATE_MOVE_DEPTH`].
pub const LATE_MOVE_BASE: i32 = 4;

/// History pruning: greatest reduced depth and threshold per ply.
pub const HISTORY_PRUNING_DEPTH: i32 = 4;
/// See [`HISTORY_PRUNING_DEPTH`].
pub const HISTORY_PRUNING_MARGIN: i32 = -3500;

/// Static-exchange pruning: greatest depth, loss allowed to quiets (per squared ply) and to captures (per ply).
pub const SEE_PRUNING_DEPTH: i32 = 9;
/// See [`SEE_PRUNING_DEPTH`].
pub const SEE_QUIET_MARGIN: i32 = -22;
/// See [`SEE_PRUNING_DEPTH`].
pub const SEE_NOISY_MARGIN: i32 = -95;

/// Late-move reductions in plies: base and divisor for quiets.
pub const LMR_QUIET_BASE: f64 = 0.85;
/// See [`LMR_QUIET_BASE`].
pub const LMR_QUIET_DIVISOR: f64 = 2.25;
/// Late-move reductions: base and divisor for captures.
pub const LMR_NOISY_BASE: f64 = 0.10;
/// See [`LMR_NOISY_BASE`].
pub const LMR_NOISY_DIVISOR: f64 = 3.3;
/// Least depth for late-move reductions.
pub const LMR_DEPTH: i32 = 2;
/// History worth one ply of reduction.
pub const LMR_HISTORY_DIVISOR: i32 = 9000;

/// Quiescence: a capture must bring the stand-pat score within this of alpha.
pub const QUIESCENCE_MARGIN: i32 = 140;

/// Histories saturate at plus and minus this.
pub const HISTORY_MAX: i32 = 16_384;
/// History bonus per ply of depth.
pub const HISTORY_BONUS: i32 = 170;
/// See [`HISTORY_BONUS`]: taken off.
pub const HISTORY_BONUS_BASE: i32 = 60;
/// Greatest bonus.
pub const HISTORY_BONUS_CAP: i32 = 1700;

/// Correction histories: most that they move the evaluation, in centipawns.
pub const CORRECTION_CAP: i32 = 120;

/// Least depth of a node at which a move waits for another worker that is at it.
pub const DEFER_DEPTH: i32 = 3;
