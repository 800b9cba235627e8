//! The rules of chess: positions, moves, keys, draws, static exchange.
//!
//! [`Position`] wraps the board of cozy-chess, which generates legal moves, and adds what a search needs: Zobrist keys that count
//! en passant only where it is legal, moves in 16 bits, noisy and quiet moves apart, static exchange evaluation, draws. [`Game`]
//! is a position with its past. FEN and the notations of moves are in here as well; nothing that a user types can panic.

mod fen;
mod game;
mod movegen;
mod moves;
mod notation;
mod see;
mod zobrist;

use std::fmt;

use cozy_chess::Board;
pub use cozy_chess::{BitBoard, CastleRights, Color, File, Piece, Rank, Square};

pub use fen::FenError;
pub use game::{Game, Outcome, is_repetition};
pub use moves::{Move, MoveList};
pub use notation::MoveError;
pub use see::SEE_VALUES;

/// Attacks and rays by square, from cozy-chess.
pub mod attacks {
    use cozy_chess::{BitBoard, Color, Piece, Square};
    pub use cozy_chess::{
        get_between_rays, get_bishop_moves, get_bishop_rays, get_king_moves, get_knight_moves, get_line_rays,
        get_pawn_attacks, get_pawn_quiets, get_rook_moves, get_rook_rays,
    };

    /// Returns the squares that the pawns in the set `pawns`, of `color`, attack.
    #[inline(always)]
    pub fn pawn_attack_set(color: Color, pawns: BitBoard) -> BitBoard {
        const FILE_A: u64 = 0x0101_0101_0101_0101;
        let (east, west) = ((pawns.0 & !(FILE_A << 7)) << 1, (pawns.0 & !FILE_A) >> 1);
        let beside = east | west;
        BitBoard(if color == Color::White { beside << 8 } else { beside >> 8 })
    }

    /// The squares that a `piece` of `color` on `square` attacks when `occupied` are the occupied squares; along its lines up to the first of
    /// these, with it. The colour matters for pawns alone.
    #[inline]
    pub fn attacks_of(piece: Piece, color: Color, square: Square, occupied: BitBoard) -> BitBoard {
        match piece {
            Piece::Pawn => get_pawn_attacks(square, color),
            Piece::Knight => get_knight_moves(square),
            Piece::Bishop => get_bishop_moves(square, occupied),
            Piece::Rook => get_rook_moves(square, occupied),
            Piece::Queen => get_bishop_moves(square, occupied) | get_rook_moves(square, occupied),
            Piece::King => get_king_moves(square),
        }
    }
}

/// The keys of a position; see [`Position::keys_from_scratch`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Keys {
    /// The whole position: pieces, side to move, castling rights, en passant where it is legal.
    pub key: u64,
    /// The pawns of both colours.
    pub pawn: u64,
    /// The other pieces, kings included, by [`Color`].
    pub non_pawn: [u64; Color::NUM],
}

/// A position of standard chess or Chess960: the board, the side to move, castling rights, en passant, clocks, and the keys of all
/// that. Small and without heap, for a search that copies and plays.
///
/// A `Position` is always valid: one king each, the side that is not to move not in check. It comes from [`Position::startpos`],
/// [`Position::chess960`] or [`Position::from_fen`] and changes only by legal moves and null moves.
#[derive(Clone)]
pub struct Position {
    board: Board,
    keys: Keys,
    /// The piece on each square, again: move ordering asks for it so often that the 64 bytes to copy pay.
    squares: [Option<Piece>; Square::NUM],
    /// The file of a pawn that can legally be taken en passant. (The board has the file after every double step.)
    en_passant: Option<File>,
    /// See [`Position::reversible_plies`].
    reversible: u8,
}

impl Position {
    /// The start position of standard chess.
    pub fn startpos() -> Self {
        Self::from_board(Board::startpos())
    }

    /// The start position of Chess960 with the number `n` in Scharnagl's numbering; 518 is that of standard chess.
    ///
    /// # Panics
    /// When `n` is 960 or more.
    pub fn chess960(n: u32) -> Self {
        Self::from_board(Board::chess960_startpos(n))
    }

    fn from_board(board: Board) -> Self {
        let squares = Square::ALL.map(|square| board.piece_on(square));
        let keys = Keys { key: 0, pawn: 0, non_pawn: [0; Color::NUM] };
        let mut position = Self { board, keys, squares, en_passant: None, reversible: 0 };
        position.en_passant = position.legal_en_passant();
        position.keys = position.keys_from_scratch();
        position
    }

    /// The Zobrist key: equal for equal positions of the rules of repetition, and only by accident for others. The clocks have no
    /// part in it.
    #[inline]
    pub fn key(&self) -> u64 {
        self.keys.key
    }

    /// The key of the pawns of both colours alone; 0 when there are none.
    #[inline]
    pub fn pawn_key(&self) -> u64 {
        self.keys.pawn
    }

    /// The key of knights, bishops, rooks, queens and king of `color` alone.
    #[inline]
    pub fn non_pawn_key(&self, color: Color) -> u64 {
        self.keys.non_pawn[color as usize]
    }

    /// All keys, computed anew from the board: what the incremental ones must equal.
    pub fn keys_from_scratch(&self) -> Keys {
        let (mut pawn, mut non_pawn) = (0, [0; 2]);
        for color in Color::ALL {
            for piece in Piece::ALL {
                for square in self.colored(color, piece) {
                    let key = zobrist::piece(color, piece, square);
                    if piece == Piece::Pawn {
                        pawn ^= key;
                    } else {
                        non_pawn[color as usize] ^= key;
                    }
                }
            }
        }
        let mut key = pawn ^ non_pawn[0] ^ non_pawn[1];
        key ^= zobrist::castles(self.castles(Color::White), self.castles(Color::Black));
        key ^= zobrist::en_passant(self.legal_en_passant());
        if self.side_to_move() == Color::Black {
            key ^= zobrist::black_to_move();
        }
        Keys { key, pawn, non_pawn }
    }

    /// The key after `mv`, but for castling moves, changes of castling rights, captures en passant and double steps that allow
    /// them: good for prefetching, not for looking up. `mv` must be legal.
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

    /// The key after a null move, exactly.
    #[inline]
    pub fn key_after_null(&self) -> u64 {
        self.keys.key ^ zobrist::black_to_move() ^ zobrist::en_passant(self.en_passant)
    }

    /// Who is to move.
    #[inline]
    pub fn side_to_move(&self) -> Color {
        self.board.side_to_move()
    }

    /// The squares of one kind of piece, both colours.
    #[inline]
    pub fn pieces(&self, piece: Piece) -> BitBoard {
        self.board.pieces(piece)
    }

    /// The squares of one player's pieces.
    #[inline]
    pub fn colors(&self, color: Color) -> BitBoard {
        self.board.colors(color)
    }

    /// The squares of one player's pieces of one kind.
    #[inline]
    pub fn colored(&self, color: Color, piece: Piece) -> BitBoard {
        self.board.colored_pieces(color, piece)
    }

    /// The squares of all pieces.
    #[inline]
    pub fn occupied(&self) -> BitBoard {
        self.board.occupied()
    }

    /// The piece on a square, of either colour.
    #[inline]
    pub fn piece_on(&self, square: Square) -> Option<Piece> {
        self.squares[square as usize]
    }

    /// Whose piece is on a square.
    #[inline]
    pub fn color_on(&self, square: Square) -> Option<Color> {
        self.board.color_on(square)
    }

    /// The square of a king.
    #[inline]
    pub fn king(&self, color: Color) -> Square {
        self.board.king(color)
    }

    /// The pieces that give check to the side to move.
    #[inline]
    pub fn checkers(&self) -> BitBoard {
        self.board.checkers()
    }

    /// Whether the side to move is in check.
    #[inline]
    pub fn in_check(&self) -> bool {
        !self.checkers().is_empty()
    }

    /// The pieces that stand alone between the king of the side to move and an attacker: its own ones are pinned, the enemy's
    /// ones can discover a check.
    #[inline]
    pub fn pinned(&self) -> BitBoard {
        self.board.pinned()
    }

    /// Plies since the last capture or pawn move; 100 stands for 100 or more.
    #[inline]
    pub fn halfmove_clock(&self) -> u8 {
        self.board.halfmove_clock()
    }

    /// Plies played since the last capture, pawn move or null move, or since this position came out of a FEN; 255 stands for
    /// more. As far back a repetition can lie.
    #[inline]
    pub fn reversible_plies(&self) -> u8 {
        self.reversible
    }

    /// The number of the move, counted up after Black's.
    #[inline]
    pub fn fullmove_number(&self) -> u16 {
        self.board.fullmove_number()
    }

    /// The castling rights of a player, as files of the rooks.
    #[inline]
    pub fn castles(&self, color: Color) -> &CastleRights {
        self.board.castle_rights(color)
    }

    /// The square on which a pawn can legally be taken en passant.
    #[inline]
    pub fn en_passant(&self) -> Option<Square> {
        self.en_passant.map(|file| Square::new(file, Rank::Sixth.relative_to(self.side_to_move())))
    }

    /// Whether a move is legal. Total: any [`Move`] may be asked for, such as one from a table entry of another position.
    #[inline]
    pub fn is_legal(&self, mv: Move) -> bool {
        self.board.is_legal(mv.to_cozy())
    }

    /// Plays a move, which must be legal (anything else leaves a position without meaning, or panics).
    pub fn play(&mut self, mv: Move) {
        debug_assert!(self.is_legal(mv), "{mv} is not legal in {self}");
        let (from, to) = (mv.from(), mv.to());
        let us = self.side_to_move();
        let them = !us;
        let moved = self.moved(mv);
        let Keys { key, mut pawn, mut non_pawn } = self.keys;
        let mut rest = key ^ pawn ^ non_pawn[0] ^ non_pawn[1];
        rest ^= zobrist::black_to_move() ^ zobrist::en_passant(self.en_passant);

        let victim = self.piece_on(to);
        self.squares[from as usize] = None;
        if self.colors(us).has(to) {
            let (king_to, rook_to) = castling_targets(mv);
            self.squares[to as usize] = None;
            self.squares[king_to as usize] = Some(Piece::King);
            self.squares[rook_to as usize] = Some(Piece::Rook);
            non_pawn[us as usize] ^= zobrist::piece(us, Piece::King, from)
                ^ zobrist::piece(us, Piece::King, king_to)
                ^ zobrist::piece(us, Piece::Rook, to)
                ^ zobrist::piece(us, Piece::Rook, rook_to);
        } else {
            self.squares[to as usize] = Some(mv.promotion().unwrap_or(moved));
            match victim {
                Some(Piece::Pawn) => pawn ^= zobrist::piece(them, Piece::Pawn, to),
                Some(victim) => non_pawn[them as usize] ^= zobrist::piece(them, victim, to),
                None => {}
            }
            if moved == Piece::Pawn {
                pawn ^= zobrist::piece(us, Piece::Pawn, from);
                match mv.promotion() {
                    None => pawn ^= zobrist::piece(us, Piece::Pawn, to),
                    Some(promotion) => non_pawn[us as usize] ^= zobrist::piece(us, promotion, to),
                }
                if self.is_en_passant(mv) {
                    let victim = self.en_passant_victim(to);
                    pawn ^= zobrist::piece(them, Piece::Pawn, victim);
                    self.squares[victim as usize] = None;
                }
            } else {
                non_pawn[us as usize] ^= zobrist::piece(us, moved, from) ^ zobrist::piece(us, moved, to);
            }
        }

        let castles = [*self.castles(Color::White), *self.castles(Color::Black)];
        self.board.play_unchecked(mv.to_cozy());
        let (white, black) = (self.castles(Color::White), self.castles(Color::Black));
        if castles != [*white, *black] {
            rest ^= zobrist::castles(&castles[0], &castles[1]) ^ zobrist::castles(white, black);
        }
        self.en_passant = self.legal_en_passant();
        rest ^= zobrist::en_passant(self.en_passant);
        self.keys = Keys { key: rest ^ pawn ^ non_pawn[0] ^ non_pawn[1], pawn, non_pawn };
        self.reversible = if self.halfmove_clock() == 0 { 0 } else { self.reversible.saturating_add(1) };
    }

    /// Passes the move to the other side. The side to move must not be in check; if it is, nothing happens.
    pub fn play_null(&mut self) {
        debug_assert!(!self.in_check());
        if let Some(board) = self.board.null_move() {
            self.board = board;
            self.keys.key = self.key_after_null();
            self.en_passant = None;
            self.reversible = 0;
        }
    }

    /// What a legal move captures: a pawn for en passant, nothing for castling.
    #[inline]
    pub fn captured(&self, mv: Move) -> Option<Piece> {
        if self.colors(!self.side_to_move()).has(mv.to()) {
            self.piece_on(mv.to())
        } else if self.is_en_passant(mv) {
            Some(Piece::Pawn)
        } else {
            None
        }
    }

    /// Whether a legal move is noisy, in the sense of [`Position::noisy_moves`].
    #[inline]
    pub fn is_noisy(&self, mv: Move) -> bool {
        self.colors(!self.side_to_move()).has(mv.to()) || mv.promotion() == Some(Piece::Queen) || self.is_en_passant(mv)
    }

    /// The piece that a legal move moves; the king in castling, the pawn in a promotion.
    #[inline]
    pub fn moved(&self, mv: Move) -> Piece {
        let piece = self.piece_on(mv.from());
        debug_assert!(piece.is_some(), "{mv} moves nothing in {self}");
        piece.unwrap_or(Piece::Pawn)
    }

    /// Whether a legal move is castling.
    #[inline]
    pub fn is_castling(&self, mv: Move) -> bool {
        self.colors(self.side_to_move()).has(mv.to())
    }

    /// Whether a legal move captures en passant.
    #[inline]
    pub fn is_en_passant(&self, mv: Move) -> bool {
        self.en_passant() == Some(mv.to()) && self.pieces(Piece::Pawn).has(mv.from())
    }

    /// The square of the pawn that falls when the side to move takes en passant on `target`.
    #[inline]
    fn en_passant_victim(&self, target: Square) -> Square {
        Square::new(target.file(), Rank::Fifth.relative_to(self.side_to_move()))
    }

    /// The board's en passant file, if somebody can legally take there.
    #[inline]
    fn legal_en_passant(&self) -> Option<File> {
        let file = self.board.en_passant()?;
        let us = self.side_to_move();
        let target = Square::new(file, Rank::Sixth.relative_to(us));
        let takers = attacks::get_pawn_attacks(target, !us) & self.colored(us, Piece::Pawn);
        takers.into_iter().any(|from| self.is_legal(Move::new(from, target, None))).then_some(file)
    }

    /// Whether a player has more than king and pawns.
    #[inline]
    pub fn has_non_pawn_material(&self, color: Color) -> bool {
        !(self.colors(color) - self.pieces(Piece::Pawn) - self.pieces(Piece::King)).is_empty()
    }

    /// Whether neither side can ever mate, as far as the engine takes it: king against king, king and knight or bishop against king,
    /// king and bishop against king and bishop on squares of one colour.
    #[inline]
    pub fn insufficient_material(&self) -> bool {
        let occupied = self.occupied();
        match occupied.len() {
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

/// Where king and rook end up when `mv` castles.
#[inline]
fn castling_targets(mv: Move) -> (Square, Square) {
    let rank = mv.from().rank();
    if mv.from().file() < mv.to().file() {
        (Square::new(File::G, rank), Square::new(File::F, rank))
    } else {
        (Square::new(File::C, rank), Square::new(File::D, rank))
    }
}

/// Positions are equal when pieces, side to move, castling rights, legal en passant and both clocks are.
impl PartialEq for Position {
    fn eq(&self, other: &Self) -> bool {
        Piece::ALL.into_iter().all(|piece| self.pieces(piece) == other.pieces(piece))
            && Color::ALL
                .into_iter()
                .all(|color| self.colors(color) == other.colors(color) && self.castles(color) == other.castles(color))
            && self.side_to_move() == other.side_to_move()
            && self.en_passant == other.en_passant
            && self.halfmove_clock() == other.halfmove_clock()
            && self.fullmove_number() == other.fullmove_number()
    }
}

impl Eq for Position {}

/// As [`Position::fen`] without Chess960.
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

#[cfg(test)]
mod tests;
