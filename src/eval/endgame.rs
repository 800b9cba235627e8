//! End games that the sum of terms misjudges: scaling toward a draw, and driving a bare king to mate.

use super::masks::{DARK, distance, from_edge};
use crate::position::{BitBoard, Color, Piece, Position, Square};

/// A scale of one: the end-game score as it is.
pub(super) const FULL: i32 = 128;

/// What a side's pieces weigh when the question is whether it can win at all.
const WEIGHT: [i32; 6] = [0, 3, 3, 5, 9, 0];

fn count(position: &Position, color: Color, piece: Piece) -> i32 {
    position.colored(color, piece).len() as i32
}

fn pieces_weight(position: &Position, color: Color) -> i32 {
    [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen]
        .into_iter()
        .map(|piece| WEIGHT[piece as usize] * count(position, color, piece))
        .sum()
}

/// How much of its end-game advantage `strong` can hope to realise, in 1/128.
#[inline]
pub(super) fn scale(position: &Position, strong: Color) -> i32 {
    let weak = !strong;
    let pawns = position.colored(strong, Piece::Pawn);
    let pawn_count = pawns.len() as i32;
    if pawn_count > 4 {
        return opposite_bishops(position, strong).unwrap_or(FULL);
    }
    let (ours, theirs) = (pieces_weight(position, strong), pieces_weight(position, weak));
    if pawn_count == 0 {
        // Without pawns a minor piece more does not win, nor do two knights.
        if ours <= 3 || (ours == 6 && count(position, strong, Piece::Knight) == 2 && theirs == 0) {
            return 0;
        }
        if ours - theirs <= 3 {
            return 16;
        }
        return FULL;
    }
    if wrong_rook_pawn(position, strong, pawns) {
        return 0;
    }
    if let Some(scale) = opposite_bishops(position, strong) {
        return scale;
    }
    // One pawn left, and the defender can give a piece for it.
    if pawn_count == 1 && theirs >= 3 && ours - theirs <= 3 && ours - 3 <= 3 {
        return 48;
    }
    // Few pawns on one wing in rook endings.
    if ours == 5 && theirs == 5 && pawn_count - count(position, weak, Piece::Pawn) <= 1 {
        const LEFT: BitBoard = BitBoard(0x0f0f_0f0f_0f0f_0f0f);
        let all = position.pieces(Piece::Pawn);
        if all.is_disjoint(LEFT) || all.is_subset(LEFT) {
            return 72;
        }
    }
    88 + 10 * pawn_count
}

/// The scale with one bishop each on opposite colours, if so.
fn opposite_bishops(position: &Position, strong: Color) -> Option<i32> {
    let bishops = position.pieces(Piece::Bishop);
    let one_each = (bishops & position.colors(strong)).len() == 1 && (bishops & position.colors(!strong)).len() == 1;
    if !one_each || (bishops & DARK).len() != 1 {
        return None;
    }
    let others = position.pieces(Piece::Knight) | position.pieces(Piece::Rook) | position.pieces(Piece::Queen);
    let ahead = count(position, strong, Piece::Pawn) - count(position, !strong, Piece::Pawn);
    Some(if others.is_empty() { (40 + 12 * ahead.max(0)).min(96) } else { 104 })
}

/// Only rook pawns on one file, at most bishops that do not command the queening square, and the enemy king there in time.
fn wrong_rook_pawn(position: &Position, strong: Color, pawns: BitBoard) -> bool {
    const FILE_A: BitBoard = BitBoard(0x0101_0101_0101_0101);
    const FILE_H: BitBoard = BitBoard(0x8080_8080_8080_8080);
    let bishops = position.colored(strong, Piece::Bishop);
    if position.colors(strong) != pawns | bishops | position.king(strong).bitboard() {
        return false;
    }
    let corner = match (pawns.is_subset(FILE_A), pawns.is_subset(FILE_H), strong) {
        (true, _, Color::White) => Square::A8,
        (true, _, Color::Black) => Square::A1,
        (_, true, Color::White) => Square::H8,
        (_, true, Color::Black) => Square::H1,
        _ => return false,
    };
    let commanded = if DARK.has(corner) { !bishops.is_disjoint(DARK) } else { !bishops.is_subset(DARK) };
    !commanded && distance(position.king(!strong), corner) <= 1
}

/// A bare king against mating material: the score for driving it to the edge and the kings together, from White's side.
/// With bishop and knight only the bishop's corners will do.
#[inline]
pub(super) fn bare_king(position: &Position) -> i32 {
    for weak in [Color::White, Color::Black] {
        let strong = !weak;
        let king = position.king(weak);
        if position.colors(weak) != king.bitboard() || !position.colored(strong, Piece::Pawn).is_empty() {
            continue;
        }
        let bishops = position.colored(strong, Piece::Bishop);
        let (bishop_count, knights) = (bishops.len(), count(position, strong, Piece::Knight));
        let heavy = !(position.colored(strong, Piece::Rook) | position.colored(strong, Piece::Queen)).is_empty();
        let both_colours = !bishops.is_disjoint(DARK) && !bishops.is_subset(DARK);
        let wins = heavy || both_colours || (bishop_count >= 1 && knights >= 1) || knights >= 3;
        if !wins {
            continue;
        }
        let square = king as usize;
        let near = 7 - distance(king, position.king(strong)) as i32;
        let drive = if heavy || both_colours || knights >= 3 {
            let edge = (from_edge(square & 7) + from_edge(square >> 3)) as i32;
            20 * (6 - edge)
        } else {
            let corners = if bishops.is_subset(DARK) { [Square::A1, Square::H8] } else { [Square::A8, Square::H1] };
            let steps = |corner: Square| {
                let corner = corner as usize;
                ((square & 7).abs_diff(corner & 7) + (square >> 3).abs_diff(corner >> 3)) as i32
            };
            20 * (14 - steps(corners[0]).min(steps(corners[1])))
        };
        let value = 600 + drive + 10 * near;
        return if strong == Color::White { value } else { -value };
    }
    0
}
