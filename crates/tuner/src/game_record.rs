//! Games with scores and results, in the format of Viridithas (viriformat).
//!
//! The format is that of the crate `viriformat` (<https://github.com/cosmobobak/viriformat>), so other trainers, bullet among them, read
//! the files. A file is a sequence of games without a header. A game is its first position in 32 bytes (a Marlinformat board), then
//! for each move 2 bytes of move and 2 bytes of score, then 4 zero bytes. Numbers are little-endian. `docs/contributors/training.md` has the table
//! of bytes.

use std::fmt::Write as _;
use std::io::{self, Read};

use sesame::position::{BitBoard, Color, File, Move, Piece, Position, Square};
use sesame::search::score::{MATE, is_mate};

/// Of the first position of a game, the result included.
pub const START_BYTES: usize = 32;
/// Of a move with its score.
pub const PLY_BYTES: usize = 4;
/// Of a game in a file. No game under the rules is as long; a file of another kind is not read into memory as one endless game.
pub const MAX_PLIES: usize = 1 << 16;
/// No move is 0.
const TERMINATOR: [u8; PLY_BYTES] = [0; PLY_BYTES];

/// Piece code of a rook that may still castle.
const UNMOVED_ROOK: u8 = 6;
const NO_EN_PASSANT: u8 = 64;
const BLACK_PIECE: u8 = 8;
const BLACK_TO_MOVE: u8 = 0x80;

const EN_PASSANT: u16 = 1 << 14;
const CASTLING: u16 = 2 << 14;
const PROMOTION: u16 = 3 << 14;
const PROMOTIONS: [Piece; 4] = [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];

/// Earlier positions are all alike, and not training positions.
pub const FIRST_PLY: usize = 16;

/// In centipawns.
const MAX_BLENDED: f32 = 1_500.0;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameRecord {
    pub start: Position,
    /// With the search's score before each, in centipawns from White's point of view; mate scores are those of
    /// [`score`](sesame::search::score).
    pub moves: Vec<(Move, i16)>,
    /// For White in half points: 0, 1 or 2.
    pub result: u8,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GameFormatError {
    #[error("its first position is invalid: {0}")]
    Start(String),
    #[error("its result is {0} instead of 0, 1 or 2 half points")]
    Result(u8),
    /// Illegal, or not encoded as it should be.
    #[error("move {number}: {word:#06x} is not a legal move in {fen}")]
    Move {
        /// From 1.
        number: usize,
        word: u16,
        fen: String,
    },
    /// Out of range.
    #[error("move {number}: a score of {score}")]
    Score {
        /// From 1.
        number: usize,
        score: i16,
    },
}

/// From the start of the game, by the move number.
pub(crate) fn ply_of(position: &Position) -> usize {
    2 * usize::from(position.fullmove_number().max(1) - 1) + position.side_to_move() as usize
}

impl GameRecord {
    /// Past the opening, not in check, the best move quiet, no mate score. The engine evaluates only such positions, and only there
    /// the score is about the position alone.
    pub fn is_training_position(position: &Position, best: Move, score: i32) -> bool {
        ply_of(position) >= FIRST_PLY && !is_mate(score) && !position.in_check() && !position.is_noisy(best)
    }

    /// In order. The score is from White's point of view.
    pub fn for_each_training_position(&self, mut visit: impl FnMut(&Position, i32)) {
        let mut position = self.start.clone();
        for &(mv, score) in &self.moves {
            if Self::is_training_position(&position, mv, score.into()) {
                visit(&position, score.into());
            }
            position.play(mv);
        }
    }

    pub fn training_positions(&self) -> u64 {
        let mut count = 0;
        self.for_each_training_position(|_, _| count += 1);
        count
    }

    /// Blends scores with later ones, TD(lambda) (Sutton 1988; in chess Baxter, Tridgell and Weaver 2000): a share of `1 - lambda`
    /// is the score itself, the rest the blended score of the next ply. Blended scores are at most 1,500 centipawns; mate scores
    /// stay.
    #[must_use]
    pub fn blended(mut self, lambda: f32) -> GameRecord {
        if lambda == 0.0 {
            return self;
        }
        let mut later = None;
        for (_, score) in self.moves.iter_mut().rev() {
            let own = f32::from(*score).clamp(-MAX_BLENDED, MAX_BLENDED);
            let blend = later.map_or(own, |later| own + lambda * (later - own));
            later = Some(blend);
            if !is_mate(i32::from(*score)) {
                *score = blend.round() as i16;
            }
        }
        self
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(START_BYTES + PLY_BYTES * (self.moves.len() + 1));
        bytes.extend_from_slice(&encode_start(&self.start, self.result));
        let mut position = self.start.clone();
        for &(mv, score) in &self.moves {
            bytes.extend_from_slice(&encode_move(&position, mv).to_le_bytes());
            bytes.extend_from_slice(&score.to_le_bytes());
            position.play(mv);
        }
        bytes.extend_from_slice(&TERMINATOR);
        bytes
    }

    /// One complete game. Every move must be legal.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, GameFormatError> {
        let (start, plies) =
            bytes.split_first_chunk().ok_or_else(|| GameFormatError::Start("it is truncated".to_owned()))?;
        let (start, result) = decode_start(start)?;
        let (plies, _) = plies.as_chunks::<PLY_BYTES>();
        let mut position = start.clone();
        let mut moves = Vec::with_capacity(plies.len());
        for (&[a, b, c, d], number) in plies.iter().take_while(|&ply| *ply != TERMINATOR).zip(1..) {
            let (word, score) = (u16::from_le_bytes([a, b]), i16::from_le_bytes([c, d]));
            let mv = decode_move(word).filter(|&mv| position.is_legal(mv) && encode_move(&position, mv) == word);
            let mv = mv.ok_or_else(|| GameFormatError::Move { number, word, fen: position.fen(true) })?;
            if i32::from(score).abs() > MATE {
                return Err(GameFormatError::Score { number, score });
            }
            moves.push((mv, score));
            position.play(mv);
        }
        Ok(Self { start, moves, result })
    }
}

fn encode_start(position: &Position, result: u8) -> [u8; START_BYTES] {
    let mut bytes = [0; START_BYTES];
    bytes[..8].copy_from_slice(&position.occupied().0.to_le_bytes());
    for (i, square) in position.occupied().into_iter().enumerate() {
        // Every occupied square has a piece.
        let (piece, color) = (position.piece_on(square).unwrap_or(Piece::Pawn), position.color_on(square));
        let color = color.unwrap_or(Color::White);
        let rights = position.castles(color);
        let castles = piece == Piece::Rook
            && square.rank() == position.king(color).rank()
            && [rights.short, rights.long].contains(&Some(square.file()));
        let code = if castles { UNMOVED_ROOK } else { piece as u8 };
        let color = if color == Color::Black { BLACK_PIECE } else { 0 };
        bytes[8 + i / 2] |= (code | color) << (4 * (i % 2));
    }
    let side = if position.side_to_move() == Color::Black { BLACK_TO_MOVE } else { 0 };
    bytes[24] = side | position.en_passant().map_or(NO_EN_PASSANT, |square| square as u8);
    bytes[25] = position.halfmove_clock();
    bytes[26..28].copy_from_slice(&position.fullmove_number().to_le_bytes());
    // Bytes 28 and 29 are the score in formats of single positions, and 0 here.
    bytes[30] = result;
    bytes
}

/// Uses a FEN, whose parser checks the position.
fn decode_start(bytes: &[u8; START_BYTES]) -> Result<(Position, u8), GameFormatError> {
    let occupied = u64::from_le_bytes([0, 1, 2, 3, 4, 5, 6, 7].map(|i| bytes[i]));
    if occupied.count_ones() > 32 {
        return Err(GameFormatError::Start(format!("{} pieces", occupied.count_ones())));
    }
    let mut board = [None; Square::NUM];
    let mut castling = String::new();
    for (i, square) in BitBoard(occupied).into_iter().enumerate() {
        let code = bytes[8 + i / 2] >> (4 * (i % 2)) & 15;
        let color = if code & BLACK_PIECE == 0 { Color::White } else { Color::Black };
        let in_case = |letter: char| if color == Color::White { letter.to_ascii_uppercase() } else { letter };
        let piece = match code & 7 {
            UNMOVED_ROOK => {
                castling.push(in_case((b'a' + square.file() as u8) as char));
                Piece::Rook
            }
            code => Piece::try_index(code.into())
                .ok_or_else(|| GameFormatError::Start(format!("piece code {code} on {square}")))?,
        };
        board[square as usize] = Some(in_case(char::from(piece)));
    }
    let mut fen = String::new();
    for rank in (0..8).rev() {
        for file in File::ALL {
            fen.push(board[8 * rank + file as usize].unwrap_or('1'));
        }
        fen.push(if rank > 0 { '/' } else { ' ' });
    }
    let side = if bytes[24] & BLACK_TO_MOVE == 0 { 'w' } else { 'b' };
    let castling = if castling.is_empty() { "-" } else { &castling };
    let en_passant = match bytes[24] & !BLACK_TO_MOVE {
        NO_EN_PASSANT => "-".to_owned(),
        square => Square::try_index(square.into())
            .ok_or_else(|| GameFormatError::Start(format!("en passant square {square}")))?
            .to_string(),
    };
    let number = u16::from_le_bytes([bytes[26], bytes[27]]);
    let _ = write!(fen, "{side} {castling} {en_passant} {} {number}", bytes[25]);
    let position = Position::from_fen(&fen).map_err(|error| GameFormatError::Start(format!("{error} ({fen})")))?;
    if bytes[30] > 2 {
        return Err(GameFormatError::Result(bytes[30]));
    }
    Ok((position, bytes[30]))
}

fn encode_move(position: &Position, mv: Move) -> u16 {
    let squares = mv.from() as u16 | (mv.to() as u16) << 6;
    squares
        | match mv.promotion() {
            Some(piece) => (piece as u16 - Piece::Knight as u16) << 12 | PROMOTION,
            None if position.is_castling(mv) => CASTLING,
            None if position.is_en_passant(mv) => EN_PASSANT,
            None => 0,
        }
}

/// The position must confirm the kind of move.
fn decode_move(word: u16) -> Option<Move> {
    let promotion = (word & PROMOTION == PROMOTION).then(|| PROMOTIONS[usize::from(word >> 12 & 3)]);
    let (from, to) = (Square::index(usize::from(word & 63)), Square::index(usize::from(word >> 6 & 63)));
    (from != to).then(|| Move::new(from, to, promotion))
}

/// Iterates over encoded games. Leaves out a truncated game at the end of the file. After a power failure a file may end in
/// zero bytes; the game before them is left out too, because its own end may be among the zeros.
pub struct GameReader<R> {
    reader: R,
    /// Read ahead; `None` before the first game and after the last.
    next_start: Option<[u8; START_BYTES]>,
    has_begun: bool,
    /// Of the complete games so far.
    length: u64,
    truncated: bool,
    trailing_zeros: u64,
}

impl<R: Read> GameReader<R> {
    /// `reader` should be buffered.
    pub fn new(reader: R) -> Self {
        Self { reader, next_start: None, has_begun: false, length: 0, truncated: false, trailing_zeros: 0 }
    }

    pub fn length(&self) -> u64 {
        self.length
    }

    /// The file ended in the middle of a game, or in zero bytes.
    pub fn is_truncated(&self) -> bool {
        self.truncated
    }

    /// After the end of the last game.
    pub fn trailing_zeros(&self) -> u64 {
        self.trailing_zeros
    }

    fn read_game(&mut self) -> io::Result<Option<Vec<u8>>> {
        if !self.has_begun {
            self.has_begun = true;
            self.next_start = self.read_start()?;
        }
        let Some(start) = self.next_start.take() else { return Ok(None) };
        let mut bytes = start.to_vec();
        loop {
            let mut ply = TERMINATOR;
            match self.reader.read_exact(&mut ply) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    self.truncated = true;
                    return Ok(None);
                }
                Err(error) => return Err(error),
            }
            let is_over = ply == TERMINATOR;
            if !is_over && bytes.len() >= START_BYTES + PLY_BYTES * MAX_PLIES {
                let message = format!("a game of more than {MAX_PLIES} plies; is it a file of games?");
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
            bytes.extend_from_slice(&ply);
            if is_over {
                break;
            }
        }
        self.next_start = self.read_start()?;
        if self.trailing_zeros > 0 {
            return Ok(None);
        }
        self.length += bytes.len() as u64;
        Ok(Some(bytes))
    }

    /// `None` at the end of the file.
    fn read_start(&mut self) -> io::Result<Option<[u8; START_BYTES]>> {
        let mut bytes = [0; START_BYTES];
        let filled = self.fill(&mut bytes)?;
        if bytes[..filled].iter().any(|&byte| byte != 0) {
            self.truncated = filled < START_BYTES;
            return Ok((!self.truncated).then_some(bytes));
        }
        // No position has no pieces, so only zeros may follow.
        let mut zeros = filled as u64;
        let mut chunk = [0; 4_096];
        while zeros > 0 {
            match self.fill(&mut chunk)? {
                0 => break,
                more if chunk[..more].iter().all(|&byte| byte == 0) => zeros += more as u64,
                _ => {
                    let message = format!("{zeros} zero bytes or more in place of a game after byte {}", self.length);
                    return Err(io::Error::new(io::ErrorKind::InvalidData, message));
                }
            }
        }
        self.trailing_zeros = zeros;
        self.truncated = zeros > 0;
        Ok(None)
    }

    /// Stops when `bytes` is full or the file ends. Returns the number of bytes read.
    fn fill(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < bytes.len() {
            match self.reader.read(&mut bytes[filled..]) {
                Ok(0) => break,
                Ok(more) => filled += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }
}

impl<R: Read> Iterator for GameReader<R> {
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read_game().transpose()
    }
}

#[cfg(test)]
mod tests {
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    use super::*;

    /// Games of random moves with random scores, some from Chess960 starts, some from positions with a legal en passant.
    fn games(count: usize) -> Vec<GameRecord> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(32);
        let mut game = |number: usize| {
            let mut position = match number % 3 {
                0 => Position::startpos(),
                1 => Position::chess960(random.next_u32() % 960),
                _ => Position::from_fen("4k3/P6p/8/2Pp4/8/8/p6P/R3K2R w KQ d6 0 40").unwrap(),
            };
            let mut game = GameRecord { start: position.clone(), moves: Vec::new(), result: (number % 3) as u8 };
            for _ in 0..random.next_u32() % 200 {
                let moves = position.legal_moves();
                let Some(&mv) = moves.get(random.next_u32() as usize % moves.len().max(1)) else { break };
                game.moves.push((mv, ((random.next_u32() % 64_001) as i32 - 32_000) as i16));
                position.play(mv);
            }
            game
        };
        (0..count).map(&mut game).collect()
    }

    #[test]
    fn scores_are_blended_with_later_ones() {
        let mut game = games(1).swap_remove(0);
        game.moves.truncate(4);
        let with = |scores: [i16; 4]| {
            let mut game = game.clone();
            game.moves.iter_mut().zip(scores).for_each(|((_, score), new)| *score = new);
            game
        };
        let scores = |game: GameRecord| -> Vec<i16> { game.moves.iter().map(|&(_, score)| score).collect() };
        assert_eq!(scores(with([0, 0, 0, 80]).blended(0.5)), [10, 20, 40, 80]);
        assert_eq!(scores(with([0, 0, 0, 80]).blended(0.0)), [0, 0, 0, 80]);
        assert_eq!(scores(with([7, -9, 3, 80]).blended(1.0)), [80; 4]);
        assert_eq!(scores(with([0, 100, -31_900, 5_000]).blended(0.5)), [25, 50, -31_900, 1_500], "mate scores stay");
    }

    #[test]
    fn games_survive_encoding() {
        for game in games(60) {
            let bytes = game.to_bytes();
            assert_eq!(bytes.len(), 32 + 4 * game.moves.len() + 4);
            assert_eq!(GameRecord::from_bytes(&bytes).unwrap(), game);
        }
    }

    #[test]
    fn viriformat_reads_the_same_games() {
        use viriformat::dataformat::{Game, WDL};
        for game in games(60) {
            let bytes = game.to_bytes();
            let theirs = Game::deserialise_from(&mut bytes.as_slice(), Vec::new()).unwrap();
            let mut again = Vec::new();
            theirs.serialise_into(&mut again).unwrap();
            assert_eq!(again, bytes);
            let result = match theirs.outcome() {
                WDL::Loss => 0,
                WDL::Draw => 1,
                WDL::Win => 2,
            };
            assert_eq!((result, theirs.len()), (game.result, game.moves.len()));
            let mut position = game.start.clone();
            let mut plies = game.moves.iter().zip(theirs.moves());
            theirs.visit_positions(|board, score| {
                let (&(mv, own_score), their_move) = plies.next().unwrap();
                assert_eq!(score, i32::from(own_score));
                let placement = |fen: &str| fen.split(' ').take(2).collect::<Vec<_>>().join(" ");
                assert_eq!(placement(&board.to_string()), placement(&position.fen(true)));
                assert_eq!(their_move.display(true).to_string(), position.to_uci(mv, true));
                position.play(mv);
            });
            assert!(plies.next().is_none());
        }
    }

    #[test]
    fn a_truncated_last_game_is_left_out() {
        let all = games(5);
        let bytes: Vec<u8> = all.iter().flat_map(GameRecord::to_bytes).collect();
        let last = all[4].to_bytes().len();
        for cut in 0..last {
            let mut reader = GameReader::new(&bytes[..bytes.len() - cut]);
            let complete: Vec<_> =
                reader.by_ref().map(|game| GameRecord::from_bytes(&game.unwrap()).unwrap()).collect();
            let kept = if cut == 0 { 5 } else { 4 };
            assert_eq!(complete, all[..kept]);
            assert_eq!(reader.length() as usize, bytes.len() - if cut == 0 { 0 } else { last });
            assert_eq!(reader.is_truncated(), cut > 0);
        }
    }

    #[test]
    fn zeros_at_the_end_are_left_out_with_the_game_before() {
        let all: Vec<GameRecord> = games(12).into_iter().filter(|game| game.moves.len() > 2).take(3).collect();
        let bytes: Vec<u8> = all.iter().flat_map(GameRecord::to_bytes).collect();
        let last = all[2].to_bytes().len();
        // The zeros replace the end of the last game, whose own end has four bytes.
        for lost in [0, 4, 6, 8, 10] {
            for zeros in [lost + 1, lost + 31, lost + 36, lost + 500, lost + 10_000] {
                let file = [&bytes[..bytes.len() - lost], &vec![0; zeros]].concat();
                let mut reader = GameReader::new(&file[..]);
                let complete: Vec<_> =
                    reader.by_ref().map(|game| GameRecord::from_bytes(&game.unwrap()).unwrap()).collect();
                assert_eq!(complete, all[..2], "{lost} {zeros}");
                assert_eq!(reader.length() as usize, bytes.len() - last);
                assert!(reader.is_truncated() && reader.trailing_zeros() > 0, "{lost} {zeros}");
            }
        }
        let hole = [&bytes[..], &[0; 500], &bytes[..]].concat();
        let results: Vec<_> = GameReader::new(&hole[..]).take(4).collect();
        assert!(results[..2].iter().all(Result::is_ok) && results[2].is_err(), "a hole is damage");
    }

    #[test]
    fn an_endless_file_is_not_read_to_the_end() {
        let longest = [vec![1; START_BYTES + PLY_BYTES * MAX_PLIES], TERMINATOR.to_vec()].concat();
        let lengths: Vec<usize> = GameReader::new(&longest[..]).map(|game| game.unwrap().len()).collect();
        assert_eq!(lengths, [longest.len()]);
        let mut reader = GameReader::new(io::repeat(1));
        let error = reader.next().unwrap().unwrap_err();
        assert!(error.kind() == io::ErrorKind::InvalidData && reader.length() == 0, "{error}");
    }

    #[test]
    fn damage_is_found() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(4);
        let mut found = 0;
        for game in &games(30) {
            let bytes = game.to_bytes();
            for _ in 0..20 {
                let mut damaged = bytes.clone();
                let bit = random.next_u32() as usize % (8 * bytes.len());
                damaged[bit / 8] ^= 1 << (bit % 8);
                // Never a panic; another score or clock is a valid game.
                found += usize::from(GameRecord::from_bytes(&damaged).is_err());
            }
        }
        assert!(found > 150, "{found}");
        let start = Position::startpos();
        let mv = start.from_uci("d2d4").unwrap();
        let mut bytes = GameRecord { start, moves: vec![(mv, 0)], result: 0 }.to_bytes();
        bytes[30] = 3;
        assert_eq!(GameRecord::from_bytes(&bytes), Err(GameFormatError::Result(3)));
        bytes[30] = 1;
        bytes[32..36].copy_from_slice(&[12, 0x07, 1, 0]);
        assert_eq!(GameRecord::from_bytes(&bytes).unwrap().moves[0].1, 1, "e2e4 is legal");
        bytes[34..36].copy_from_slice(&32_001_i16.to_le_bytes());
        assert_eq!(GameRecord::from_bytes(&bytes), Err(GameFormatError::Score { number: 1, score: 32_001 }));
        assert!(matches!(GameRecord::from_bytes(&bytes[..31]), Err(GameFormatError::Start(_))));
    }

    #[test]
    fn training_positions_are_quiet() {
        let position = Position::from_fen("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 30").unwrap();
        let is_used =
            |text: &str, score| GameRecord::is_training_position(&position, position.from_uci(text).unwrap(), score);
        assert!(is_used("e1e2", 100) && !is_used("e4d5", 100) && !is_used("e1e2", 31_990));
        let early = Position::from_fen("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 8").unwrap();
        assert!(!GameRecord::is_training_position(&early, early.from_uci("e1e2").unwrap(), 0));
        let check = Position::from_fen("4k3/8/8/8/8/8/4r3/4K3 w - - 0 30").unwrap();
        assert!(!GameRecord::is_training_position(&check, check.from_uci("e1d1").unwrap(), 0));
    }
}
