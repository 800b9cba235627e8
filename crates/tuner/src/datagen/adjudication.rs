//! Adjudication: ends games that both sides consider decided or drawn, and won endings against a bare king.

use sesame::position::{BitBoard, Color, Piece, Position};

/// Score of a decided game, in centipawns...
pub(super) const WIN_SCORE: i32 = 1_000;
/// ...for this many plies in a row.
pub(super) const WIN_PLIES: u32 = 6;
/// Largest score of a drawn game, in centipawns...
pub(super) const DRAW_SCORE: i32 = 8;
/// ...for this many plies in a row...
pub(super) const DRAW_PLIES: u32 = 12;
/// ...from this ply on.
pub(super) const DRAW_FROM_PLY: usize = 80;
/// Longer games are drawn.
pub(super) const MAX_PLIES: usize = 400;

/// Describes the rules, for the recipe of a file.
pub(super) fn rules() -> String {
    format!(
        "won from {WIN_SCORE} on for {WIN_PLIES} plies or against a bare king, drawn within {DRAW_SCORE} for {DRAW_PLIES} plies \
         from ply {DRAW_FROM_PLY} or at ply {MAX_PLIES}"
    )
}

/// Returns the result for White in half points where one side has a bare king that can capture nothing, and the other side can
/// mate: with a queen, a rook, bishops on both colours, or bishop and knight. With few nodes such endings are often not won, and their results
/// would be false.
pub(super) fn bare_king_result(position: &Position) -> Option<u8> {
    let winner = Color::ALL.into_iter().find(|&color| position.colors(!color).len() == 1)?;
    let [knights, bishops, rooks, queens] =
        [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen].map(|piece| position.colored(winner, piece));
    let has_bishop_pair =
        !(bishops & BitBoard::LIGHT_SQUARES).is_empty() && !(bishops & BitBoard::DARK_SQUARES).is_empty();
    let can_mate = !(rooks | queens).is_empty() || has_bishop_pair || !bishops.is_empty() && !knights.is_empty();
    let may_capture =
        position.side_to_move() != winner && position.legal_moves().iter().any(|&mv| position.is_noisy(mv));
    (can_mate && !may_capture).then_some(if winner == Color::White { 2 } else { 0 })
}

/// The state of the adjudication of one game.
#[derive(Default)]
pub(super) struct Adjudicator {
    /// The side that is winning: 1 for White, -1 for Black, 0 for neither.
    winner: i32,
    win_plies: u32,
    draw_plies: u32,
}

impl Adjudicator {
    /// Takes the score at a ply, from White's point of view, and returns the result for White in half points once it is clear.
    pub(super) fn update(&mut self, score: i32, ply: usize) -> Option<u8> {
        let winner = if score.abs() >= WIN_SCORE { score.signum() } else { 0 };
        let before = if winner == self.winner { self.win_plies } else { 0 };
        self.win_plies = if winner == 0 { 0 } else { before + 1 };
        self.winner = winner;
        self.draw_plies = if score.abs() <= DRAW_SCORE && ply >= DRAW_FROM_PLY { self.draw_plies + 1 } else { 0 };
        if self.win_plies >= WIN_PLIES {
            Some((winner + 1) as u8)
        } else if self.draw_plies >= DRAW_PLIES || ply >= MAX_PLIES {
            Some(1)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_win_needs_consecutive_scores_of_one_side() {
        let mut adjudicator = Adjudicator::default();
        assert!((1..WIN_PLIES).all(|_| adjudicator.update(WIN_SCORE, 30).is_none()));
        assert_eq!(adjudicator.update(WIN_SCORE, 30), Some(2));
        assert!((1..WIN_PLIES).all(|_| adjudicator.update(-WIN_SCORE, 30).is_none()), "White's plies do not count");
        assert_eq!(adjudicator.update(1 - WIN_SCORE, 30), None);
        assert_eq!(adjudicator.update(-WIN_SCORE, 30), None, "they are not in a row");
        assert_eq!(adjudicator.update(0, MAX_PLIES), Some(1));
    }

    #[test]
    fn bare_kings_lose_where_mate_can_be_forced() {
        let result = |fen| bare_king_result(&Position::from_fen(fen).unwrap());
        for (fen, expected) in [
            ("8/8/8/4k3/8/8/8/4K2R w - - 0 1", Some(2)),
            ("8/8/8/4k3/8/8/4P3/Q3K3 b - - 0 1", Some(2)),
            ("2b1kb2/8/8/8/8/8/8/4K3 w - - 0 1", Some(0)),
            ("1nb1k3/8/8/8/8/8/8/4K3 w - - 0 1", Some(0)),
            ("4k3/8/8/8/8/8/8/1N2K2R w - - 0 1", Some(2)),
            // Only the side with the bare king is asked for captures.
            ("6k1/1P6/8/8/8/8/8/4K2R w - - 0 1", Some(2)),
            // Two knights, and bishops on one colour, cannot force mate.
            ("1nn1k3/8/8/8/8/8/8/4K3 w - - 0 1", None),
            ("2b1k3/3b4/8/8/8/8/8/4K3 w - - 0 1", None),
            // A pawn must first be promoted; another piece defends; a rook can be taken.
            ("4k3/4p3/8/8/8/8/8/4K3 w - - 0 1", None),
            ("4k2n/8/8/8/8/8/8/4K2R w - - 0 1", None),
            ("8/8/8/8/8/3k4/3R4/K7 b - - 0 1", None),
        ] {
            assert_eq!(result(fen), expected, "{fen}");
        }
    }

    #[test]
    fn black_wins_and_draws_are_adjudicated() {
        let mut adjudicator = Adjudicator::default();
        assert!((1..WIN_PLIES).all(|_| adjudicator.update(-WIN_SCORE, 30).is_none()));
        assert_eq!(adjudicator.update(-WIN_SCORE, 30), Some(0));

        let mut adjudicator = Adjudicator::default();
        assert!((0..DRAW_FROM_PLY).all(|ply| adjudicator.update(0, ply).is_none()), "too early");
        let late = |ply: u32| DRAW_FROM_PLY + ply as usize;
        assert!((1..DRAW_PLIES).all(|ply| adjudicator.update(DRAW_SCORE, late(ply)).is_none()));
        assert_eq!(adjudicator.update(DRAW_SCORE + 1, late(12)), None);
        assert!((1..DRAW_PLIES).all(|ply| adjudicator.update(-DRAW_SCORE, late(ply)).is_none()), "not in a row");
        assert_eq!(adjudicator.update(0, late(13)), Some(1));
    }
}
