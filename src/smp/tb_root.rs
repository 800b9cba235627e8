//! What the endgame tables know of a root: before a search, and how it is told.

use std::sync::Arc;

use super::coordinator::Search;
use crate::position::Move;
use crate::search::score::{DRAW, TB_WIN, is_table_score};
use crate::syzygy::Wdl;

/// What a win by the tables right at the root is told as, in centipawns: more than any evaluation, and no mate.
const TABLE_CENTIPAWNS: i32 = 20_000;

/// Leaves of `root_moves` only those that the endgame tables find best, if that is as many as lines are wanted, and says how the tables are to
/// be used below the root. With distances at the root the moves that are left lead to the result by themselves, and the search is free to look
/// for a mate among them. Returns how many positions the tables knew.
pub(super) fn rank_root<T>(search: &mut Search<T>, root_moves: &mut Vec<Move>) -> u64 {
    if root_moves.is_empty() || !may_know_root(search) {
        return 0;
    }
    let Some(endgames) = &mut search.endgames else { return 0 };
    let Some(ranking) = endgames.tables.rank_moves(&search.game, root_moves, endgames.fifty_move_rule) else {
        return 0;
    };
    let known = ranking.moves.len() as u64;
    let best = ranking.best();
    if search.multi_pv <= best.len() {
        *root_moves = best;
    }
    if ranking.by_distance {
        endgames.most_men = 0;
    }
    endgames.ranking = Some(Arc::new(ranking));
    known
}

/// Whether there are tables with so few men as the root has, which is known without asking them.
pub(super) fn may_know_root<T>(search: &Search<T>) -> bool {
    let men = search.game.position().occupied().len() as usize;
    search.endgames.as_ref().is_some_and(|endgames| men <= endgames.most_men)
}

/// The score of a root of which the tables say this.
pub(super) fn root_score(wdl: Wdl) -> i32 {
    match wdl {
        Wdl::Win => TB_WIN,
        Wdl::Loss => -TB_WIN,
        // A draw, but the winner of the fifty-move rule is none.
        Wdl::CursedWin | Wdl::Draw | Wdl::BlessedLoss => DRAW + wdl.value(),
    }
}

/// A score that is no mate, in centipawns.
pub(super) fn centipawns(score: i32) -> i32 {
    if is_table_score(score) { score - (TB_WIN - TABLE_CENTIPAWNS) * score.signum() } else { score }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::score::{table_loss, table_win};

    #[test]
    fn results_of_the_tables_in_centipawns() {
        assert_eq!(centipawns(root_score(Wdl::Win)), 20_000);
        assert_eq!(centipawns(root_score(Wdl::Loss)), -20_000);
        assert_eq!(centipawns(root_score(Wdl::CursedWin)), 1);
        assert_eq!((centipawns(table_win(7)), centipawns(table_loss(7))), (19_993, -19_993));
        assert_eq!(centipawns(123), 123);
    }
}
