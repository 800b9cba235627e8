//! Leaves and the quiescence search (sections 4.1 and 4.4).

use super::EarlyEnd;
use super::evaluation::VALUES;
use super::moves::{Picker, captures, promoting, promotions};
use super::search::{Searcher, from_tt};
use super::{INFINITE, MATE};
use sesame::position::attacks::{
    get_between_rays, get_bishop_moves, get_bishop_rays, get_knight_moves, get_line_rays, get_pawn_attacks,
    get_rook_moves, get_rook_rays,
};
use sesame::position::{BitBoard, Color, Move, MoveList, Piece, Position, Square};
use sesame::search::{Bound, SearchTable};
use sesame_table::Work;

/// Facts about a node at depth 1 that hold for all its leaves. Most leaves are scored with them, without
/// making the move.
#[derive(Debug)]
pub(super) struct Frontier {
    /// The squares from which a piece gives check, by [`Piece`].
    checks: [BitBoard; Piece::NUM],
    /// Pieces of the side to move that discover a check by leaving the line to the enemy king.
    discoverers: BitBoard,
    enemy_king: Square,
    /// Neither side has castling rights.
    castling_is_over: bool,
    /// No single move can stalemate the enemy: see [`cannot_be_stalemated`].
    enemy_can_move: bool,
    fifty_moves_are_far: bool,
}

impl Frontier {
    pub(super) fn new(position: &Position) -> Self {
        let us = position.side_to_move();
        let enemy_king = position.king(!us);
        let occupied = position.occupied();
        let diagonal = get_bishop_moves(enemy_king, occupied);
        let straight = get_rook_moves(enemy_king, occupied);
        let mut checks = [BitBoard::EMPTY; Piece::NUM];
        checks[Piece::Pawn as usize] = get_pawn_attacks(enemy_king, !us);
        checks[Piece::Knight as usize] = get_knight_moves(enemy_king);
        checks[Piece::Bishop as usize] = diagonal;
        checks[Piece::Rook as usize] = straight;
        checks[Piece::Queen as usize] = diagonal | straight;

        let ours = position.colors(us);
        let queens = position.pieces(Piece::Queen);
        let snipers = get_bishop_rays(enemy_king) & (position.pieces(Piece::Bishop) | queens)
            | get_rook_rays(enemy_king) & (position.pieces(Piece::Rook) | queens);
        let mut discoverers = BitBoard::EMPTY;
        let mut pinned = BitBoard::EMPTY;
        for sniper in snipers & ours {
            let between = get_between_rays(sniper, enemy_king) & occupied;
            if between.len() == 1 {
                discoverers |= between & ours;
                pinned |= between;
            }
        }
        let castles = [Color::White, Color::Black].map(|color| position.castles(color));
        Self {
            checks,
            discoverers,
            enemy_king,
            castling_is_over: castles.iter().all(|castles| castles.short.is_none() && castles.long.is_none()),
            enemy_can_move: cannot_be_stalemated(position, !us, pinned),
            fifty_moves_are_far: position.halfmove_clock() < 99,
        }
    }

    /// Returns true for a move whose [`Position::key_after`] is exact and that neither gives check nor ends
    /// the game by stalemate or the 50-move rule.
    #[inline]
    fn is_plain(&self, position: &Position, mv: Move) -> bool {
        let (from, to) = (mv.from(), mv.to());
        let moved = position.moved(mv);
        let is_ordinary = match moved {
            Piece::Pawn => {
                let is_double_step = (from as usize).abs_diff(to as usize) == 16;
                let is_en_passant = from.file() != to.file() && position.piece_on(to).is_none();
                !is_double_step && !is_en_passant && mv.promotion().is_none()
            }
            _ => true,
        };
        let discovers = self.discoverers.has(from) && !get_line_rays(self.enemy_king, from).has(to);
        is_ordinary
            && self.castling_is_over
            && self.enemy_can_move
            && self.fifty_moves_are_far
            && !self.checks[moved as usize].has(to)
            && !discovers
    }
}

/// Returns true if a piece of `color` can move after any single move of the other side. A move captures one
/// piece, pins at most two (on its new line and on a line that it opens), and blocks one pawn if it captures
/// nothing.
fn cannot_be_stalemated(position: &Position, color: Color, pinned: BitBoard) -> bool {
    const ENOUGH: u32 = 4;
    let own = position.colors(color);
    let free = own - pinned;
    let pawns = position.pieces(Piece::Pawn) & free;
    let empty = !position.occupied();
    let steps = match color {
        Color::White => BitBoard(pawns.0 << 8),
        Color::Black => BitBoard(pawns.0 >> 8),
    };
    let mut count = (steps & empty).len();
    if count >= ENOUGH {
        return true;
    }
    for from in position.pieces(Piece::Knight) & free {
        count += u32::from(!(get_knight_moves(from) - own).is_empty());
    }
    let queens = position.pieces(Piece::Queen);
    for from in (position.pieces(Piece::Bishop) | queens) & free {
        count += u32::from(!(get_bishop_moves(from, own) - own).is_empty());
    }
    for from in position.pieces(Piece::Rook) & free {
        count += u32::from(!(get_rook_moves(from, own) - own).is_empty());
    }
    count >= ENOUGH
}

/// The stand-pat score of a leaf.
enum StandPat {
    /// The score of a table entry that ends the node.
    TtHit(i32),
    /// The evaluation, adjusted by the bound of a table entry, and the work behind that entry.
    Evaluated(i32, Option<Work>),
}

impl<T: SearchTable> Searcher<T> {
    /// Counts the leaf after a move and returns its score for the leaf's side to move.
    #[allow(clippy::too_many_arguments)]
    #[inline]
    pub(super) fn leaf_after(
        &mut self,
        position: &Position,
        frontier: &Frontier,
        evaluation: i32,
        mv: Move,
        alpha: i32,
        beta: i32,
        ply: u32,
    ) -> i32 {
        self.nodes += 1;
        let evaluation = -(evaluation + self.weights.gain(position, mv));
        if !self.choices.store_leaves && frontier.is_plain(position, mv) {
            let key = position.key_after(mv);
            let reversible = position.reversible_plies().saturating_add(1);
            if reversible >= 4 && position.piece_on(mv.to()).is_none() && self.is_repetition(key, reversible) {
                return 0;
            }
            let stand_pat = match self.stand_pat(key, evaluation, alpha, ply) {
                StandPat::TtHit(score) => return score,
                StandPat::Evaluated(stand_pat, work) => {
                    if stand_pat >= beta {
                        if let Some(work) = work {
                            self.credit(work);
                        }
                        return stand_pat;
                    }
                    stand_pat
                }
            };
            let mut child = position.clone();
            child.play(mv);
            return self.captures(&child, evaluation, stand_pat, alpha, beta, ply);
        }
        let mut child = position.clone();
        child.play(mv);
        self.leaf(&child, evaluation, alpha, beta, ply)
    }

    pub(super) fn leaf(&mut self, position: &Position, evaluation: i32, alpha: i32, beta: i32, ply: u32) -> i32 {
        if self.is_draw(position) {
            return 0;
        }
        let before = self.work();
        let score = self.quiescence(position, evaluation, alpha, beta, ply);
        if self.choices.store_leaves {
            let bound = if score >= beta {
                Bound::Lower
            } else if score > alpha {
                Bound::Exact
            } else {
                Bound::Upper
            };
            self.store(position.key(), None, score, 0, bound, ply, before);
        }
        score
    }

    /// Returns the stand-pat score of a position that is not in check.
    #[inline]
    fn stand_pat(&mut self, key: u64, evaluation: i32, alpha: i32, ply: u32) -> StandPat {
        if !self.choices.probe_quiescence {
            return StandPat::Evaluated(evaluation, None);
        }
        let Some((entry, work)) = self.table.as_ref().and_then(|table| table.probe(key)) else {
            return StandPat::Evaluated(evaluation, None);
        };
        if !self.is_deep_enough(entry.depth, 0) {
            return StandPat::Evaluated(evaluation, None);
        }
        let score = from_tt(entry.score, ply);
        match entry.bound {
            Bound::Exact => {
                self.credit(work);
                StandPat::TtHit(score)
            }
            Bound::Lower if score > evaluation => StandPat::Evaluated(score, Some(work)),
            Bound::Upper if score <= alpha && self.choices.quiescence_cut_offs => {
                self.credit(work);
                StandPat::TtHit(score)
            }
            Bound::Upper if score < evaluation => StandPat::Evaluated(score, None),
            _ => StandPat::Evaluated(evaluation, None),
        }
    }

    /// Searches the captures of a position that has been counted already, or all moves in check.
    fn quiescence(&mut self, position: &Position, evaluation: i32, alpha: i32, beta: i32, ply: u32) -> i32 {
        if position.in_check() {
            return self.evasions(position, evaluation, alpha, beta, ply);
        }
        if !position.has_legal_move() {
            return 0;
        }
        match self.stand_pat(position.key(), evaluation, alpha, ply) {
            StandPat::TtHit(score) => score,
            StandPat::Evaluated(stand_pat, work) => {
                if stand_pat >= beta {
                    if let Some(work) = work {
                        self.credit(work);
                    }
                    return stand_pat;
                }
                self.captures(position, evaluation, stand_pat, alpha, beta, ply)
            }
        }
    }

    /// Searches all moves of a position in check.
    fn evasions(&mut self, position: &Position, evaluation: i32, mut alpha: i32, beta: i32, ply: u32) -> i32 {
        if self.choices.probe_quiescence
            && let Some((entry, work)) = self.probe(position)
        {
            let score = from_tt(entry.score, ply);
            let decides = match entry.bound {
                Bound::Exact => true,
                Bound::Lower => score >= beta,
                Bound::Upper => score <= alpha,
            };
            if decides && self.is_deep_enough(entry.depth, 0) {
                self.credit(work);
                return score;
            }
        }
        let frontier = Frontier::new(position);
        let mut best = -INFINITE;
        let mut picker = Picker::new(None, None);
        self.path.push(position.key());
        while let Some(mv) = picker.next(position, &self.history) {
            let score = -self.leaf_after(position, &frontier, evaluation, mv, -beta, -alpha, ply + 1);
            best = best.max(score);
            alpha = alpha.max(score);
            if alpha >= beta {
                break;
            }
        }
        self.path.pop();
        if best == -INFINITE { -MATE + ply as i32 } else { best }
    }

    /// Searches captures and promotions. `stand_pat`, less than beta, is the score without any of them.
    fn captures(
        &mut self,
        position: &Position,
        evaluation: i32,
        stand_pat: i32,
        mut alpha: i32,
        beta: i32,
        ply: u32,
    ) -> i32 {
        let us = position.side_to_move();
        let mut best = stand_pat;
        alpha = alpha.max(stand_pat);
        let promotion = if promoting(position).is_empty() { 0 } else { VALUES[Piece::Queen as usize] - VALUES[0] };
        // The highest score that a capture of this value can lead to.
        let early_end = self.choices.early_end;
        let limit = |value: i32| match early_end {
            EarlyEnd::Never => INFINITE,
            EarlyEnd::Margin(margin) => evaluation + value + promotion + margin,
        };
        let mut victims = BitBoard::EMPTY;
        for piece in [Piece::Pawn, Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen] {
            let limit = limit(VALUES[piece as usize]);
            if limit > alpha {
                victims |= position.colored(!us, piece);
            } else if !position.colored(!us, piece).is_empty() {
                best = best.max(limit);
            }
        }
        let mut list = MoveList::new();
        if !victims.is_empty() {
            captures(position, victims, &mut list);
        }
        if promotion > 0 {
            promotions(position, &mut list);
        }
        if list.is_empty() {
            return best;
        }
        let frontier = Frontier::new(position);
        self.path.push(position.key());
        for (index, &mv) in list.iter().enumerate() {
            self.prefetch_after(position, list.get(index + 1).copied());
            let value = position.captured(mv).map_or(0, |victim| VALUES[victim as usize]);
            let limit = limit(value);
            if limit <= alpha {
                best = best.max(limit);
                break;
            }
            let score = -self.leaf_after(position, &frontier, evaluation, mv, -beta, -alpha, ply + 1);
            best = best.max(score);
            alpha = alpha.max(score);
            if alpha >= beta {
                break;
            }
        }
        self.path.pop();
        best
    }
}
