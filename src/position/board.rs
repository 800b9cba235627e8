//! The position: board, incremental keys and mailbox; legal moves and null moves made.

use std::fmt;
use std::hint::cold_path;

use cozy_chess::{BitBoard, Board, CastleRights, Color, File, Piece, Rank, Square};

use super::attacks;
use super::moves::Move;
use super::zobrist;

/// Zobrist keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PositionKeys {
    /// Pieces, side to move, castling rights, en passant where it is legal.
    pub key: u64,
    /// The pawns of both colours.
    pub pawn: u64,
    /// The other pieces of a [`Color`], king included.
    pub non_pawn: [u64; Color::NUM],
}

impl PositionKeys {
    #[inline(always)]
    fn toggle(&mut self, color: Color, piece: Piece, square: Square) {
        let key = zobrist::piece(color, piece, square);
        self.key ^= key;
        if piece == Piece::Pawn {
            self.pawn ^= key;
        } else {
            self.non_pawn[color as usize] ^= key;
        }
    }
}

/// Points of each [`Piece`] in [`Position::non_pawn_points`].
const POINTS: [u16; Piece::NUM] = [0, 3, 3, 5, 9, 0];

/// A position of standard chess or Chess960, without heap memory for a copy-make search.
///
/// It is always valid: each side has one king, and the side not to move is not in check.
#[derive(Clone)]
pub struct Position {
    pub(super) board: Board,
    pub(super) keys: PositionKeys,
    /// Move ordering reads this mailbox so often that copying 64 bytes more pays.
    squares: [Option<Piece>; Square::NUM],
    /// Only for a legal capture. (`board` has the file after every double step.)
    en_passant: Option<File>,
    reversible: u8,
    /// Both change with each move: a build for every x86-64 processor takes a dozen instructions to count bits.
    piece_count: u8,
    non_pawn_points: u16,
}

#[allow(missing_docs, reason = "of some functions name and type say all")]
impl Position {
    #[inline]
    pub fn pawn_key(&self) -> u64 {
        self.keys.pawn
    }

    #[inline]
    pub fn non_pawn_key(&self, color: Color) -> u64 {
        self.keys.non_pawn[color as usize]
    }

    #[inline]
    pub fn side_to_move(&self) -> Color {
        self.board.side_to_move()
    }

    #[inline]
    pub fn pieces(&self, piece: Piece) -> BitBoard {
        self.board.pieces(piece)
    }

    #[inline]
    pub fn colors(&self, color: Color) -> BitBoard {
        self.board.colors(color)
    }

    #[inline]
    pub fn colored(&self, color: Color, piece: Piece) -> BitBoard {
        self.board.colored_pieces(color, piece)
    }

    #[inline]
    pub fn occupied(&self) -> BitBoard {
        self.board.occupied()
    }

    /// Returns the number of pieces of both sides, kings and pawns included.
    #[inline]
    pub fn piece_count(&self) -> u32 {
        self.piece_count.into()
    }

    /// Returns the sum over both sides: 3 for a minor piece, 5 for a rook, 9 for a queen.
    #[inline]
    pub fn non_pawn_points(&self) -> u32 {
        self.non_pawn_points.into()
    }

    #[inline]
    pub fn piece_on(&self, square: Square) -> Option<Piece> {
        self.squares[square as usize]
    }

    #[inline]
    pub fn squares(&self) -> &[Option<Piece>; Square::NUM] {
        &self.squares
    }

    #[inline]
    pub fn color_on(&self, square: Square) -> Option<Color> {
        self.board.color_on(square)
    }

    #[inline]
    pub fn king(&self, color: Color) -> Square {
        self.board.king(color)
    }

    #[inline]
    pub fn checkers(&self) -> BitBoard {
        self.board.checkers()
    }

    #[inline]
    pub fn in_check(&self) -> bool {
        !self.checkers().is_empty()
    }

    /// Returns the single pieces of both colours between the king of the side to move and an enemy slider.
    #[inline]
    pub fn pinned(&self) -> BitBoard {
        self.board.pinned()
    }

    /// Returns the plies since the last capture or pawn move, capped at 100.
    #[inline]
    pub fn halfmove_clock(&self) -> u8 {
        self.board.halfmove_clock()
    }

    /// Returns the plies since the last capture, pawn move, null move or FEN, capped at 255. No repetition lies further back.
    #[inline]
    pub fn reversible_plies(&self) -> u8 {
        self.reversible
    }

    #[inline]
    pub fn fullmove_number(&self) -> u16 {
        self.board.fullmove_number()
    }

    /// Returns the files of the rooks.
    #[inline]
    pub fn castles(&self, color: Color) -> &CastleRights {
        self.board.castle_rights(color)
    }

    /// Returns the target of a legal capture.
    #[inline]
    pub fn en_passant(&self) -> Option<Square> {
        self.en_passant.map(|file| Square::new(file, Rank::Sixth.relative_to(self.side_to_move())))
    }
}

impl Position {
    /// Returns the start position.
    pub fn startpos() -> Self {
        Self::from_board(Board::startpos())
    }

    /// Returns Chess960 start position `n` in Scharnagl's numbering; 518 is that of standard chess. Panics from 960 on.
    pub fn chess960(n: u32) -> Self {
        Self::from_board(Board::chess960_startpos(n))
    }

    pub(super) fn from_board(board: Board) -> Self {
        let squares = Square::ALL.map(|square| board.piece_on(square));
        let keys = PositionKeys { key: 0, pawn: 0, non_pawn: [0; Color::NUM] };
        let piece_count = board.occupied().len() as u8;
        let non_pawn_points = squares.into_iter().flatten().map(|piece| POINTS[piece as usize]).sum();
        let mut position = Self { board, keys, squares, en_passant: None, reversible: 0, piece_count, non_pawn_points };
        position.en_passant = position.legal_en_passant();
        position.keys = position.keys_from_scratch();
        position
    }

    /// Returns the Zobrist key, the same for positions that are equal under the repetition rule.
    #[inline]
    pub fn key(&self) -> u64 {
        self.keys.key
    }

    /// Computes all keys from the board.
    pub fn keys_from_scratch(&self) -> PositionKeys {
        let mut keys = PositionKeys { key: 0, pawn: 0, non_pawn: [0; Color::NUM] };
        for color in Color::ALL {
            for piece in Piece::ALL {
                self.colored(color, piece).into_iter().for_each(|square| keys.toggle(color, piece, square));
            }
        }
        keys.key ^= zobrist::castles(self.castles(Color::White), self.castles(Color::Black));
        keys.key ^= zobrist::en_passant(self.legal_en_passant());
        if self.side_to_move() == Color::Black {
            keys.key ^= zobrist::black_to_move();
        }
        keys
    }

    /// Returns a key for prefetching only: it ignores castling, lost castling rights and en passant.
    #[inline]
    pub fn key_after(&self, mv: Move) -> u64 {
        let us = self.side_to_move();
        let moved = self.moved(mv);
        let mut key = self.key_after_null() ^ zobrist::piece(us, moved, mv.from());
        key ^= zobrist::piece(us, mv.promotion().unwrap_or(moved), mv.to());
        if let Some(victim) = self.piece_on(mv.to()) {
            key ^= zobrist::piece(!us, victim, mv.to());
        }
        key
    }

    /// Returns the exact key after a null move.
    #[inline]
    pub fn key_after_null(&self) -> u64 {
        self.keys.key ^ zobrist::black_to_move() ^ zobrist::en_passant(self.en_passant)
    }

    /// Accepts any [`Move`], such as one from another position's TT entry.
    #[inline]
    pub fn is_legal(&self, mv: Move) -> bool {
        self.board.is_legal(mv.to_cozy())
    }

    /// Plays a legal move. An illegal one may panic, or leave an invalid position.
    #[inline(always)]
    pub fn play(&mut self, mv: Move) {
        debug_assert!(self.is_legal(mv), "{mv} is not legal in {self}");
        let (from, to) = (mv.from(), mv.to());
        let us = self.side_to_move();
        let moved = self.moved(mv);
        let mut keys = self.keys;
        keys.key = self.key_after_null();

        self.squares[from as usize] = None;
        keys.toggle(us, moved, from);
        if self.is_castling(mv) {
            cold_path();
            let (king_to, rook_to) = castling_targets(mv);
            self.squares[to as usize] = None;
            self.squares[king_to as usize] = Some(Piece::King);
            self.squares[rook_to as usize] = Some(Piece::Rook);
            keys.toggle(us, Piece::King, king_to);
            keys.toggle(us, Piece::Rook, to);
            keys.toggle(us, Piece::Rook, rook_to);
        } else {
            if let Some(victim) = self.piece_on(to) {
                keys.toggle(!us, victim, to);
                self.piece_count -= 1;
                self.non_pawn_points -= POINTS[victim as usize];
            }
            let placed = mv.promotion().unwrap_or(moved);
            self.non_pawn_points += POINTS[placed as usize] - POINTS[moved as usize];
            self.squares[to as usize] = Some(placed);
            keys.toggle(us, placed, to);
            if self.is_en_passant(mv) {
                cold_path();
                let victim = self.en_passant_victim(to);
                self.squares[victim as usize] = None;
                keys.toggle(!us, Piece::Pawn, victim);
                self.piece_count -= 1;
            }
        }

        let castles = [*self.castles(Color::White), *self.castles(Color::Black)];
        self.board.play_unchecked(mv.to_cozy());
        let (white, black) = (self.castles(Color::White), self.castles(Color::Black));
        if castles != [*white, *black] {
            cold_path();
            keys.key ^= zobrist::castles(&castles[0], &castles[1]) ^ zobrist::castles(white, black);
        }
        self.en_passant = self.legal_en_passant();
        keys.key ^= zobrist::en_passant(self.en_passant);
        self.keys = keys;
        self.reversible = if self.halfmove_clock() == 0 { 0 } else { self.reversible.saturating_add(1) };
    }

    /// Makes a null move. It does nothing if the side to move is in check.
    pub fn play_null(&mut self) {
        debug_assert!(!self.in_check());
        if let Some(board) = self.board.null_move() {
            self.board = board;
            self.keys.key = self.key_after_null();
            self.en_passant = None;
            self.reversible = 0;
        }
    }

    /// Returns the piece that a legal move captures: a pawn for en passant, `None` for castling.
    #[inline]
    pub fn captured(&self, mv: Move) -> Option<Piece> {
        if self.colors(!self.side_to_move()).has(mv.to()) {
            self.piece_on(mv.to())
        } else {
            self.is_en_passant(mv).then_some(Piece::Pawn)
        }
    }

    /// Returns true for the moves of [`Position::noisy_moves`].
    #[inline]
    pub fn is_noisy(&self, mv: Move) -> bool {
        self.colors(!self.side_to_move()).has(mv.to()) || mv.promotion() == Some(Piece::Queen) || self.is_en_passant(mv)
    }

    /// Returns the piece that a legal move moves: the king in castling, the pawn in a promotion.
    #[inline]
    pub fn moved(&self, mv: Move) -> Piece {
        let piece = self.piece_on(mv.from());
        debug_assert!(piece.is_some(), "{mv} moves nothing in {self}");
        piece.unwrap_or(Piece::Pawn)
    }

    /// The move must be legal.
    #[inline]
    pub fn is_castling(&self, mv: Move) -> bool {
        self.colors(self.side_to_move()).has(mv.to())
    }

    /// The move must be legal.
    #[inline]
    pub fn is_en_passant(&self, mv: Move) -> bool {
        self.en_passant() == Some(mv.to()) && self.pieces(Piece::Pawn).has(mv.from())
    }

    #[inline]
    pub(super) fn en_passant_victim(&self, target: Square) -> Square {
        Square::new(target.file(), Rank::Fifth.relative_to(self.side_to_move()))
    }

    #[inline]
    fn legal_en_passant(&self) -> Option<File> {
        let file = self.board.en_passant()?;
        cold_path();
        let us = self.side_to_move();
        let target = Square::new(file, Rank::Sixth.relative_to(us));
        let capturers = attacks::get_pawn_attacks(target, !us) & self.colored(us, Piece::Pawn);
        capturers.into_iter().any(|from| self.is_legal(Move::new(from, target, None))).then_some(file)
    }

    /// Returns true for more than king and pawns.
    #[inline]
    pub fn has_non_pawn_material(&self, color: Color) -> bool {
        !(self.colors(color) - self.pieces(Piece::Pawn) - self.pieces(Piece::King)).is_empty()
    }

    /// Returns true for K, KN or KB against K, and KB against KB with bishops of one square colour.
    #[inline]
    pub fn insufficient_material(&self) -> bool {
        match self.piece_count() {
            2 => true,
            3 => !(self.pieces(Piece::Knight) | self.pieces(Piece::Bishop)).is_empty(),
            4 => {
                let bishops = self.pieces(Piece::Bishop);
                bishops.len() == 2
                    && (bishops & self.colors(Color::White)).len() == 1
                    && (bishops.is_subset(BitBoard::LIGHT_SQUARES) || bishops.is_subset(BitBoard::DARK_SQUARES))
            }
            _ => false,
        }
    }
}

#[inline]
pub(super) fn castling_targets(mv: Move) -> (Square, Square) {
    let rank = mv.from().rank();
    if mv.from().file() < mv.to().file() {
        (Square::new(File::G, rank), Square::new(File::F, rank))
    } else {
        (Square::new(File::C, rank), Square::new(File::D, rank))
    }
}

/// Compares pieces, side to move, castling rights, legal en passant and both clocks.
impl PartialEq for Position {
    fn eq(&self, other: &Self) -> bool {
        let same_side =
            |color| self.colors(color) == other.colors(color) && self.castles(color) == other.castles(color);
        self.squares == other.squares
            && Color::ALL.into_iter().all(same_side)
            && self.side_to_move() == other.side_to_move()
            && self.en_passant == other.en_passant
            && self.halfmove_clock() == other.halfmove_clock()
            && self.fullmove_number() == other.fullmove_number()
    }
}

impl Eq for Position {}

/// Formats as [`Position::fen`] without `chess960`.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fen(false))
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Position({self})")
    }
}
