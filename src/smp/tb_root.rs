//! Syzygy tablebases at the root: the ranking before a search, and its scores.

use std::sync::Arc;

use super::request::SearchRequest;
use crate::position::Move;
use crate::search::score::{DRAW, TB_WIN, is_tb_score};
use crate::syzygy::Wdl;

/// The reported score of a tablebase win at the root, in centipawns: above any evaluation, below any mate.
const TB_CENTIPAWNS: i32 = 20_000;

/// The largest reported evaluation, in centipawns. The search has larger inner bounds, such as that of a mate beyond the
/// fifty-move limit.
const MAX_CENTIPAWNS: i32 = 15_000;

/// Ranks the root moves by the tablebases, and returns the number of hits.
///
/// `root_moves` keeps only the best rank, if it has at least `multi_pv` moves. With DTZ tables, playing the
/// kept moves reaches the result without a search; the search then does not probe, so that it can find a mate
/// among them.
pub(super) fn rank_root<T>(request: &mut SearchRequest<T>, root_moves: &mut Vec<Move>) -> u64 {
    if root_moves.is_empty() || !has_few_pieces(request) {
        return 0;
    }
    let Some(syzygy) = &mut request.syzygy else { return 0 };
    let Some(ranking) = syzygy.tables.rank_moves(&request.game, root_moves, syzygy.fifty_move_rule) else {
        return 0;
    };
    let hits = ranking.moves.len() as u64;
    let best = ranking.best();
    if request.multi_pv <= best.len() {
        *root_moves = best;
    }
    if ranking.by_dtz {
        syzygy.max_pieces = 0;
    }
    syzygy.ranking = Some(Arc::new(ranking));
    hits
}

/// Returns true if the root has few enough pieces for a tablebase probe.
fn has_few_pieces<T>(request: &SearchRequest<T>) -> bool {
    let pieces = request.game.position().occupied().len() as usize;
    request.syzygy.as_ref().is_some_and(|syzygy| pieces <= syzygy.max_pieces)
}

/// Returns the score of a root with the value `wdl`.
pub(super) fn root_score(wdl: Wdl) -> i32 {
    match wdl {
        Wdl::Win => TB_WIN,
        Wdl::Loss => -TB_WIN,
        // A cursed win is slightly better than a draw.
        Wdl::CursedWin | Wdl::Draw | Wdl::BlessedLoss => DRAW + wdl.value(),
    }
}

/// Converts a score other than a mate score to centipawns: a tablebase result to 20,000 less the plies to it, an evaluation
/// to at most [`MAX_CENTIPAWNS`].
pub(super) fn centipawns(score: i32) -> i32 {
    if is_tb_score(score) {
        score - (TB_WIN - TB_CENTIPAWNS) * score.signum()
    } else {
        score.clamp(-MAX_CENTIPAWNS, MAX_CENTIPAWNS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::score::{DECISIVE_BOUND, tb_loss, tb_win};

    #[test]
    fn tablebase_results_in_centipawns() {
        assert_eq!(centipawns(root_score(Wdl::Win)), 20_000);
        assert_eq!(centipawns(root_score(Wdl::Loss)), -20_000);
        assert_eq!(centipawns(root_score(Wdl::CursedWin)), 1);
        assert_eq!((centipawns(tb_win(7)), centipawns(tb_loss(7))), (19_993, -19_993));
        assert_eq!(centipawns(123), 123);
        let beyond_fifty_moves = DECISIVE_BOUND - 1;
        assert_eq!((centipawns(beyond_fifty_moves), centipawns(-beyond_fifty_moves)), (15_000, -15_000));
    }
}
