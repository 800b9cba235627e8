//! How a result that the endgame tables know is told.

use crate::search::score::{DRAW, TABLE_WIN, is_table_score};
use crate::tablebase::Wdl;

/// What a win by the tables right at the root is told as, in centipawns: more than any evaluation, and no mate.
const TABLE_CENTIPAWNS: i32 = 20_000;

/// The score of a root of which the tables say this.
pub(super) fn root_score(wdl: Wdl) -> i32 {
    match wdl {
        Wdl::Win => TABLE_WIN,
        Wdl::Loss => -TABLE_WIN,
        // A draw, but the winner of the fifty-move rule is none.
        Wdl::CursedWin | Wdl::Draw | Wdl::BlessedLoss => DRAW + wdl.value(),
    }
}

/// A score that is no mate, in centipawns.
pub(super) fn centipawns(score: i32) -> i32 {
    if is_table_score(score) { score - (TABLE_WIN - TABLE_CENTIPAWNS) * score.signum() } else { score }
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
