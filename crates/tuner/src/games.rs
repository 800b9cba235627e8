//! Games of the engine against itself, as the data files hold them: 4 bytes a ply.
//!
//! The format is that of Viridithas (the crate `viriformat`, <https://github.com/cosmobobak/viriformat>), so that other trainers
//! read our files; the test below has the crate read what is written here. A file is a row of games without a head. A game is
//! its first position in 32 bytes, then for each move 2 bytes of move and 2 bytes of score, then 4 zero bytes. Numbers are
//! little-endian. `docs/nnue.md` has the table of bytes.

use std::fmt::Write as _;
use std::io::{self, Read};

use sesame::position::{Color, File, Move, Piece, Position, Square};
use sesame::search::score::{MATE, is_mate};

/// Bytes of a game's head: its first position and its result.
pub const HEAD_BYTES: usize = 32;
/// Bytes of a move with its score.
pub const PLY_BYTES: usize = 4;
/// The most moves that a game in a file may have: more than the rules allow any, and few enough that a file of something else is not taken for one
/// game and read into memory as a whole.
pub const MOST_PLIES: usize = 1 << 16;
/// What ends a game; no move is 0.
const END: [u8; PLY_BYTES] = [0; PLY_BYTES];

/// A rook that may still castle.
const CASTLING_ROOK: u8 = 6;
/// No en passant square.
const NO_SQUARE: u8 = 64;
const BLACK_PIECE: u8 = 8;
const BLACK_TO_MOVE: u8 = 0x80;

const EN_PASSANT: u16 = 1 << 14;
const CASTLING: u16 = 2 << 14;
const PROMOTION: u16 = 3 << 14;
const PROMOTIONS: [Piece; 4] = [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];

/// Plies from the start of the game to the first position that is learnt from: before it they are all alike.
pub const FIRST_PLY: usize = 16;

/// A game: where it began, what was played, and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The first position that the engine had to think about.
    pub start: Position,
    /// The moves with the search's score before each, in centipawns from White's side; mates are as in
    /// [`score`](sesame::search::score).
    pub moves: Vec<(Move, i16)>,
    /// The result for White in half points: 0, 1 or 2.
    pub result: u8,
}

/// Why bytes are no game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadGame {
    /// The first position makes no sense.
    #[error("its first position is wrong: {0}")]
    Start(String),
    /// The result is none.
    #[error("its result is {0} instead of 0, 1 or 2 half points")]
    Result(u8),
    /// A move that cannot be played, or is not written as it should be.
    #[error("move {number}: the word {word:#06x} is no legal move in {fen}")]
    Move {
        /// 1 for the first.
        number: usize,
        /// The move as it stands in the file.
        word: u16,
        /// The position before it.
        fen: String,
    },
    /// A score that no search gives.
    #[error("move {number}: a score of {score}")]
    Score {
        /// 1 for the first.
        number: usize,
        /// The score.
        score: i16,
    },
}

/// The most that a blended score can be, in centipawns: a game that is won need not be won by more.
const LARGEST_BLENDED: f32 = 1_500.0;

impl Record {
    /// Whether a position teaches the evaluation anything: not at the very start of a game, not in check, the best move quiet and no
    /// mate in sight. The evaluation is only asked in such positions, and only there a score is about the position alone.
    pub fn is_useful(position: &Position, best: Move, score: i32) -> bool {
        let ply = 2 * usize::from(position.fullmove_number().max(1) - 1) + position.side_to_move() as usize;
        ply >= FIRST_PLY && !is_mate(score) && !position.in_check() && !position.is_noisy(best)
    }

    /// Calls `visit` with each useful position and its score from White's side, in order.
    pub fn visit(&self, mut visit: impl FnMut(&Position, i32)) {
        let mut position = self.start.clone();
        for &(mv, score) in &self.moves {
            if Self::is_useful(&position, mv, score.into()) {
                visit(&position, score.into());
            }
            position.play(mv);
        }
    }

    /// The game with scores that also know what came after: a share of `1 - lambda` of each is its own, the rest that of the next ply, which has
    /// such a score too (TD(lambda), Sutton 1988; in chess Baxter, Tridgell and Weaver 2000). None is beyond 1,500 centipawns then, but
    /// for mates, which stay as they are. With a `lambda` of 0 nothing changes.
    #[must_use]
    pub fn blended(mut self, lambda: f32) -> Record {
        if lambda == 0.0 {
            return self;
        }
        let mut later = None;
        for (_, score) in self.moves.iter_mut().rev() {
            let own = f32::from(*score).clamp(-LARGEST_BLENDED, LARGEST_BLENDED);
            let blend = later.map_or(own, |later| own + lambda * (later - own));
            later = Some(blend);
            if !is_mate(i32::from(*score)) {
                *score = blend.round() as i16;
            }
        }
        self
    }

    /// How many useful positions there are.
    pub fn useful(&self) -> u64 {
        let mut count = 0;
        self.visit(|_, _| count += 1);
        count
    }

    /// The game as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEAD_BYTES + PLY_BYTES * (self.moves.len() + 1));
        bytes.extend_from_slice(&head(&self.start, self.result));
        let mut position = self.start.clone();
        for &(mv, score) in &self.moves {
            bytes.extend_from_slice(&word(&position, mv).to_le_bytes());
            bytes.extend_from_slice(&score.to_le_bytes());
            position.play(mv);
        }
        bytes.extend_from_slice(&END);
        bytes
    }

    /// The game that `bytes` hold, which must be those of one game, whole. Every move is checked to be legal.
    ///
    /// # Errors
    /// Says what is wrong first.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BadGame> {
        let (head, plies) = bytes.split_first_chunk().ok_or_else(|| BadGame::Start("it is cut off".to_owned()))?;
        let (start, result) = read_head(head)?;
        let (plies, _) = plies.as_chunks::<PLY_BYTES>();
        let mut position = start.clone();
        let mut moves = Vec::with_capacity(plies.len());
        for (&[a, b, c, d], number) in plies.iter().take_while(|&ply| *ply != END).zip(1..) {
            let (code, score) = (u16::from_le_bytes([a, b]), i16::from_le_bytes([c, d]));
            let mv = read_word(code).filter(|&mv| position.is_legal(mv) && word(&position, mv) == code);
            let mv = mv.ok_or_else(|| BadGame::Move { number, word: code, fen: position.fen(true) })?;
            if i32::from(score).abs() > MATE {
                return Err(BadGame::Score { number, score });
            }
            moves.push((mv, score));
            position.play(mv);
        }
        Ok(Self { start, moves, result })
    }
}

fn head(position: &Position, result: u8) -> [u8; HEAD_BYTES] {
    let mut bytes = [0; HEAD_BYTES];
    bytes[..8].copy_from_slice(&position.occupied().0.to_le_bytes());
    for (i, square) in position.occupied().into_iter().enumerate() {
        // The set is that of the occupied squares: there is a piece.
        let (piece, color) = (position.piece_on(square).unwrap_or(Piece::Pawn), position.color_on(square));
        let color = color.unwrap_or(Color::White);
        let rights = position.castles(color);
        let castles = piece == Piece::Rook
            && square.rank() == position.king(color).rank()
            && [rights.short, rights.long].contains(&Some(square.file()));
        let code = if castles { CASTLING_ROOK } else { piece as u8 };
        let color = if color == Color::Black { BLACK_PIECE } else { 0 };
        bytes[8 + i / 2] |= (code | color) << (4 * (i % 2));
    }
    let side = if position.side_to_move() == Color::Black { BLACK_TO_MOVE } else { 0 };
    bytes[24] = side | position.en_passant().map_or(NO_SQUARE, |square| square as u8);
    bytes[25] = position.halfmove_clock();
    bytes[26..28].copy_from_slice(&position.fullmove_number().to_le_bytes());
    // Two bytes of score belong to formats of single positions and stay 0 here.
    bytes[30] = result;
    bytes
}

/// Reads a head by way of a FEN, whose reader finds everything that can be wrong with a position.
fn read_head(bytes: &[u8; HEAD_BYTES]) -> Result<(Position, u8), BadGame> {
    let occupied = u64::from_le_bytes([0, 1, 2, 3, 4, 5, 6, 7].map(|i| bytes[i]));
    if occupied.count_ones() > 32 {
        return Err(BadGame::Start(format!("{} pieces", occupied.count_ones())));
    }
    let mut board = [None; Square::NUM];
    let mut castling = String::new();
    for (i, square) in sesame::position::BitBoard(occupied).into_iter().enumerate() {
        let code = bytes[8 + i / 2] >> (4 * (i % 2)) & 15;
        let color = if code & BLACK_PIECE == 0 { Color::White } else { Color::Black };
        let in_case = |letter: char| if color == Color::White { letter.to_ascii_uppercase() } else { letter };
        let piece = match code & 7 {
            CASTLING_ROOK => {
                castling.push(in_case((b'a' + square.file() as u8) as char));
                Piece::Rook
            }
            code => {
                Piece::try_index(code.into()).ok_or_else(|| BadGame::Start(format!("the piece {code} on {square}")))?
            }
        };
        board[square as usize] = Some(in_case(char::from(piece)));
    }
    let mut fen = String::new();
    for rank in (0..8).rev() {
        for file in File::ALL {
            match board[8 * rank + file as usize] {
                Some(letter) => fen.push(letter),
                None => fen.push('1'),
            }
        }
        fen.push(if rank > 0 { '/' } else { ' ' });
    }
    let side = if bytes[24] & BLACK_TO_MOVE == 0 { 'w' } else { 'b' };
    let castling = if castling.is_empty() { "-" } else { &castling };
    let en_passant = match bytes[24] & !BLACK_TO_MOVE {
        NO_SQUARE => "-".to_owned(),
        square => Square::try_index(square.into())
            .ok_or_else(|| BadGame::Start(format!("en passant on square {square}")))?
            .to_string(),
    };
    let number = u16::from_le_bytes([bytes[26], bytes[27]]);
    let _ = write!(fen, "{side} {castling} {en_passant} {} {number}", bytes[25]);
    let position = Position::from_fen(&fen).map_err(|error| BadGame::Start(format!("{error} ({fen})")))?;
    if bytes[30] > 2 {
        return Err(BadGame::Result(bytes[30]));
    }
    Ok((position, bytes[30]))
}

/// A legal move as the files have it.
fn word(position: &Position, mv: Move) -> u16 {
    let squares = mv.from() as u16 | (mv.to() as u16) << 6;
    squares
        | match mv.promotion() {
            Some(piece) => (piece as u16 - Piece::Knight as u16) << 12 | PROMOTION,
            None if position.is_castling(mv) => CASTLING,
            None if position.is_en_passant(mv) => EN_PASSANT,
            None => 0,
        }
}

/// The squares and promotion of a word; the kind of move is for the position to confirm.
fn read_word(word: u16) -> Option<Move> {
    let promotion = (word & PROMOTION == PROMOTION).then(|| PROMOTIONS[usize::from(word >> 12 & 3)]);
    let (from, to) = (Square::index(usize::from(word & 63)), Square::index(usize::from(word >> 6 & 63)));
    (from != to).then(|| Move::new(from, to, promotion))
}

/// The games of a file one after the other, as bytes; what a killed run left unfinished at the end is left out.
pub struct Games<R> {
    reader: R,
    /// Bytes of the whole games read so far.
    length: u64,
    torn: bool,
}

impl<R: Read> Games<R> {
    /// The games that `reader`, which should be buffered, holds.
    pub fn new(reader: R) -> Self {
        Self { reader, length: 0, torn: false }
    }

    /// The bytes of the whole games read so far.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Whether the file ended in the middle of a game.
    pub fn is_torn(&self) -> bool {
        self.torn
    }

    fn game(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut bytes = vec![0; HEAD_BYTES];
        let mut got = 0;
        while got < HEAD_BYTES {
            match self.reader.read(&mut bytes[got..]) {
                Ok(0) => {
                    self.torn = got > 0;
                    return Ok(None);
                }
                Ok(more) => got += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        loop {
            let mut ply = END;
            match self.reader.read_exact(&mut ply) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    self.torn = true;
                    return Ok(None);
                }
                Err(error) => return Err(error),
            }
            let is_over = ply == END;
            if !is_over && bytes.len() >= HEAD_BYTES + PLY_BYTES * MOST_PLIES {
                let problem = format!("a game of more than {MOST_PLIES} plies; is it a file of games?");
                return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
            }
            bytes.extend_from_slice(&ply);
            if is_over {
                self.length += bytes.len() as u64;
                return Ok(Some(bytes));
            }
        }
    }
}

impl<R: Read> Iterator for Games<R> {
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.game().transpose()
    }
}

#[cfg(test)]
mod tests {
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    use super::*;

    /// Games of random moves, some from Chess960 starts, some from positions with a legal en passant, with random scores.
    fn games(count: usize) -> Vec<Record> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(32);
        let mut game = |number: usize| {
            let mut position = match number % 3 {
                0 => Position::startpos(),
                1 => Position::chess960(random.next_u32() % 960),
                _ => Position::from_fen("4k3/P6p/8/2Pp4/8/8/p6P/R3K2R w KQ d6 0 40").unwrap(),
            };
            let mut record = Record { start: position.clone(), moves: Vec::new(), result: (number % 3) as u8 };
            for _ in 0..random.next_u32() % 200 {
                let moves = position.legal_moves();
                let Some(&mv) = moves.get(random.next_u32() as usize % moves.len().max(1)) else { break };
                record.moves.push((mv, ((random.next_u32() % 64_001) as i32 - 32_000) as i16));
                position.play(mv);
            }
            record
        };
        (0..count).map(&mut game).collect()
    }

    #[test]
    fn scores_are_blended_with_those_that_came_after() {
        let mut record = games(1).swap_remove(0);
        record.moves.truncate(4);
        let with = |scores: [i16; 4]| {
            let mut record = record.clone();
            record.moves.iter_mut().zip(scores).for_each(|((_, score), new)| *score = new);
            record
        };
        let scores = |record: Record| -> Vec<i16> { record.moves.iter().map(|&(_, score)| score).collect() };
        assert_eq!(scores(with([0, 0, 0, 80]).blended(0.5)), [10, 20, 40, 80]);
        assert_eq!(scores(with([0, 0, 0, 80]).blended(0.0)), [0, 0, 0, 80]);
        assert_eq!(scores(with([7, -9, 3, 80]).blended(1.0)), [80; 4]);
        assert_eq!(scores(with([0, 100, -31_900, 5_000]).blended(0.5)), [25, 50, -31_900, 1_500], "a mate stays one");
    }

    #[test]
    fn games_survive_their_bytes() {
        for record in games(60) {
            let bytes = record.to_bytes();
            assert_eq!(bytes.len(), 32 + 4 * record.moves.len() + 4);
            assert_eq!(Record::from_bytes(&bytes).unwrap(), record);
        }
    }

    #[test]
    fn the_crate_that_defines_the_format_reads_the_same_games() {
        for record in games(60) {
            let bytes = record.to_bytes();
            let theirs = viriformat::dataformat::Game::deserialise_from(&mut bytes.as_slice(), Vec::new()).unwrap();
            let mut again = Vec::new();
            theirs.serialise_into(&mut again).unwrap();
            assert_eq!(again, bytes);
            let mut position = record.start.clone();
            let mut plies = record.moves.iter();
            theirs.visit_positions(|board, score| {
                let &(mv, own) = plies.next().unwrap();
                assert_eq!(score, i32::from(own));
                let placement = |fen: &str| fen.split(' ').take(2).collect::<Vec<_>>().join(" ");
                assert_eq!(placement(&board.to_string()), placement(&position.fen(true)));
                position.play(mv);
            });
            assert_eq!(theirs.len(), record.moves.len());
        }
    }

    #[test]
    fn a_file_is_read_up_to_the_game_that_is_cut_off() {
        let records = games(5);
        let bytes: Vec<u8> = records.iter().flat_map(Record::to_bytes).collect();
        let last = records[4].to_bytes().len();
        for cut in 0..last {
            let mut games = Games::new(&bytes[..bytes.len() - cut]);
            let whole: Vec<_> = games.by_ref().map(|game| Record::from_bytes(&game.unwrap()).unwrap()).collect();
            let kept = if cut == 0 { 5 } else { 4 };
            assert_eq!(whole, records[..kept]);
            assert_eq!(games.length() as usize, bytes.len() - if cut == 0 { 0 } else { last });
            assert_eq!(games.is_torn(), cut > 0);
        }
    }

    #[test]
    fn what_has_no_end_is_not_read_to_the_end() {
        let whole = [vec![1; HEAD_BYTES + PLY_BYTES * MOST_PLIES], END.to_vec()].concat();
        let lengths: Vec<usize> = Games::new(&whole[..]).map(|game| game.unwrap().len()).collect();
        assert_eq!(lengths, [whole.len()]);
        let mut games = Games::new(io::repeat(1));
        let error = games.next().unwrap().unwrap_err();
        assert!(error.kind() == io::ErrorKind::InvalidData && games.length() == 0, "{error}");
    }

    #[test]
    fn damage_is_found() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(4);
        let records = games(30);
        let mut found = 0;
        for record in &records {
            let bytes = record.to_bytes();
            for _ in 0..20 {
                let mut damaged = bytes.clone();
                let bit = random.next_u32() as usize % (8 * bytes.len());
                damaged[bit / 8] ^= 1 << (bit % 8);
                // Never a panic; a changed score or clock is a game all the same.
                found += usize::from(Record::from_bytes(&damaged).is_err());
            }
        }
        assert!(found > 150, "{found}");
        let start = Position::startpos();
        let mv = start.from_uci("d2d4").unwrap();
        let mut bytes = Record { start, moves: vec![(mv, 0)], result: 0 }.to_bytes();
        bytes[30] = 3;
        assert_eq!(Record::from_bytes(&bytes), Err(BadGame::Result(3)));
        bytes[30] = 1;
        bytes[32..36].copy_from_slice(&[12, 0x07, 1, 0]);
        assert_eq!(Record::from_bytes(&bytes).unwrap().moves[0].1, 1, "e2e4 is fine");
        bytes[34..36].copy_from_slice(&32_001_i16.to_le_bytes());
        assert_eq!(Record::from_bytes(&bytes), Err(BadGame::Score { number: 1, score: 32_001 }));
        assert!(matches!(Record::from_bytes(&bytes[..31]), Err(BadGame::Start(_))));
    }

    #[test]
    fn what_is_learnt_from_is_quiet() {
        let position = Position::from_fen("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 30").unwrap();
        let useful = |text: &str, score| Record::is_useful(&position, position.from_uci(text).unwrap(), score);
        assert!(useful("e1e2", 100) && !useful("e4d5", 100) && !useful("e1e2", 31_990));
        let early = Position::from_fen("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 8").unwrap();
        assert!(!Record::is_useful(&early, early.from_uci("e1e2").unwrap(), 0));
        let check = Position::from_fen("4k3/8/8/8/8/8/4r3/4K3 w - - 0 30").unwrap();
        assert!(!Record::is_useful(&check, check.from_uci("e1d1").unwrap(), 0));
    }
}
