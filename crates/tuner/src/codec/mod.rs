//! Compact coding of games: adaptive binary models and a range coder.
//!
//! Every value is a sequence of yes-or-no decisions. A model learns the probability of each decision from the decisions before, and the
//! range coder of the crate `constriction` spends -log2(probability) bits. One function codes and decodes, so both make the same
//! decisions. Nothing here may change without a new version of the format.

mod coder;
mod move_order;

use std::fmt::Write as _;

use sesame::position::{Color, File, Piece, Position, Square};
use sesame::search::score::MATE;

pub use self::coder::CodeError;
pub(crate) use self::coder::MAX_PLIES;
use self::coder::{Bit, Coder, Number, Tree, code_in_class, size_class};
use self::move_order::{MoveHistory, MoveOrder};
use crate::game_record::GameRecord;

pub fn encode(games: &[GameRecord]) -> Result<Vec<u8>, CodeError> {
    let (mut coder, mut models) = (Coder::encoder(), GameModels::default());
    for game in games {
        models.game(&mut coder, Some(game))?;
    }
    Ok(coder.finish())
}

pub fn decode(bytes: &[u8], games: usize) -> Result<Vec<GameRecord>, CodeError> {
    let (mut coder, mut models) = (Coder::decoder(bytes), GameModels::default());
    (0..games).map(|_| models.game(&mut coder, None)).collect()
}

#[derive(Default)]
struct GameModels {
    start: StartModels,
    end: [Bit; 16],
    scores: ScoreModels,
    order: MoveOrder,
    result: [Tree<2>; 5],
}

impl GameModels {
    fn game(&mut self, coder: &mut Coder, game: Option<&GameRecord>) -> Result<GameRecord, CodeError> {
        let start = self.start.code(coder, game.map(|game| &game.start))?;
        let mut position = start.clone();
        let mut moves = Vec::new();
        let mut scores = ScoreHistory::NEW;
        let mut history = MoveHistory::default();
        loop {
            let legal = position.legal_moves();
            let ply = game.and_then(|game| game.moves.get(moves.len())).copied();
            if legal.is_empty() || self.end[scores.end_context()].code(coder, ply.is_none())? {
                break;
            }
            if moves.len() >= MAX_PLIES {
                return Err(CodeError::Length);
            }
            let ply = ply.unwrap_or((legal[0], 0));
            let score = self.scores.code(coder, &scores, position.side_to_move(), ply.1)?;
            let mv = self.order.code(coder, &position, &legal, &mut history, ply.0)?;
            if game.is_some() && mv != ply.0 {
                return Err(CodeError::Move);
            }
            scores.push(score);
            moves.push((mv, score));
            position.play(mv);
        }
        let result = game.map_or(0, |game| usize::from(game.result));
        let result = self.result[scores.result_context()].code(coder, result)?;
        Ok(GameRecord { start, moves, result: result.min(2) as u8 })
    }
}

/// The scores before, from White's point of view, and how the game may end.
struct ScoreHistory {
    last: [i16; 3],
    /// Moving average of the differences between neighbours, in 1/16 centipawn.
    volatility: u32,
    /// Scores in a row that are beyond any doubt, or even.
    decided: usize,
    even: usize,
}

impl ScoreHistory {
    const NEW: Self = Self { last: [0; 3], volatility: 480, decided: 0, even: 0 };

    fn push(&mut self, score: i16) {
        let difference = u32::from(score.abs_diff(self.last[0])).min(3_000);
        self.volatility = (7 * self.volatility + 16 * difference) / 8;
        self.last = [score, self.last[0], self.last[1]];
        self.decided = if score.unsigned_abs() >= 2_000 { self.decided + 1 } else { 0 };
        self.even = if score.unsigned_abs() <= 8 { self.even + 1 } else { 0 };
    }

    fn end_context(&self) -> usize {
        if self.decided > 0 { self.decided.min(7) } else { 8 + (self.even / 2).min(7) }
    }

    fn result_context(&self) -> usize {
        match self.last[0] {
            ..-500 => 0,
            -500..-50 => 1,
            -50..=50 => 2,
            51..=500 => 3,
            _ => 4,
        }
    }
}

/// Codes the difference from the score before, from the point of view of the side to move.
#[derive(Default)]
struct ScoreModels {
    by_swing: [[Tree<5>; SIZES.len() + 1]; SWINGS],
    by_volatility: [Tree<5>; VOLATILITIES],
    high: [Bit; 32],
    sign: [[[Bit; 4]; 3]; 3],
}

const SWINGS: usize = 16;
const SIZES: [u16; 5] = [30, 100, 250, 600, 1_500];
const VOLATILITIES: usize = 24;

impl ScoreModels {
    fn code(
        &mut self,
        coder: &mut Coder,
        history: &ScoreHistory,
        side_to_move: Color,
        score: i16,
    ) -> Result<i16, CodeError> {
        let view = |score: i16| if side_to_move == Color::White { score } else { score.wrapping_neg() };
        let [last, before, third] = history.last.map(view);
        let difference = view(score).wrapping_sub(last);
        let swing = 2 * u32::from(last.abs_diff(before)) + u32::from(before.abs_diff(third));
        let swing = size_class(swing.min(2_000)).saturating_sub(5).min(SWINGS - 1);
        let size = SIZES.iter().filter(|&&limit| last.unsigned_abs() > limit).count();
        let volatility = size_class(history.volatility / 4).saturating_sub(5).min(VOLATILITIES - 1);
        let wanted = u32::from(difference.unsigned_abs());
        let by_volatility = &mut self.by_volatility[volatility];
        let class = self.by_swing[swing][size].code_with(by_volatility, coder, size_class(wanted))?;
        let found = code_in_class(coder, &mut self.high[class], class, wanted)? as u16 as i16;
        let trend = (i32::from(last) - i32::from(before)).signum() + 1;
        let side = i32::from(last).signum() + 1;
        let sign = &mut self.sign[trend as usize][side as usize][(class / 4).min(3)];
        let is_negative = found != 0 && sign.code(coder, difference < 0)?;
        let found = last.wrapping_add(if is_negative { found.wrapping_neg() } else { found });
        if i32::from(found).abs() > MATE {
            return Err(CodeError::Score(found.into()));
        }
        Ok(view(found))
    }
}

#[derive(Default)]
struct StartModels {
    squares: [Tree<4>; 16],
    side: Bit,
    en_passant: Tree<4>,
    halfmove_clock: Number,
    fullmove_number: Number,
}

const EMPTY: usize = 7;
const CASTLING_ROOK: usize = 6;
const BLACK: usize = 8;
const NO_FILE: usize = 8;

fn square_code(position: &Position, square: Square) -> usize {
    let Some((piece, color)) = position.piece_on(square).zip(position.color_on(square)) else { return EMPTY };
    let rights = position.castles(color);
    let castles = piece == Piece::Rook
        && square.rank() == position.king(color).rank()
        && [rights.short, rights.long].contains(&Some(square.file()));
    let kind = if castles { CASTLING_ROOK } else { piece as usize };
    kind + if color == Color::Black { BLACK } else { 0 }
}

impl StartModels {
    /// Makes a FEN of what it decodes, whose parser checks the position.
    fn code(&mut self, coder: &mut Coder, start: Option<&Position>) -> Result<Position, CodeError> {
        let usual = Position::startpos();
        let (mut fen, mut castling) = (String::new(), String::new());
        for rank in (0..8).rev() {
            for file in File::ALL {
                let square = Square::index(8 * rank + file as usize);
                let wanted = start.map_or(EMPTY, |start| square_code(start, square));
                let code = self.squares[square_code(&usual, square)].code(coder, wanted)?;
                let case = |letter: char| if code < BLACK { letter.to_ascii_uppercase() } else { letter };
                fen.push(match (code, code % BLACK) {
                    (EMPTY, _) => '1',
                    (_, CASTLING_ROOK) => {
                        castling.push(case((b'a' + file as u8) as char));
                        case('r')
                    }
                    (_, kind) => Piece::try_index(kind).map_or('?', |piece| case(piece.into())),
                });
            }
            fen.push(if rank > 0 { '/' } else { ' ' });
        }
        let is_black = self.side.code(coder, start.is_some_and(|start| start.side_to_move() == Color::Black))?;
        let file = start.and_then(Position::en_passant).map_or(NO_FILE, |square| square.file() as usize);
        let en_passant = match File::try_index(self.en_passant.code(coder, file)?) {
            None => "-".to_owned(),
            Some(file) => format!("{file}{}", if is_black { 3 } else { 6 }),
        };
        let castling = if castling.is_empty() { "-" } else { &castling };
        let halfmove_clock = self.halfmove_clock.code(coder, start.map_or(0, |start| start.halfmove_clock().into()))?;
        let number = self.fullmove_number.code(coder, start.map_or(0, |start| start.fullmove_number().into()))?;
        let _ = write!(fen, "{} {castling} {en_passant} {halfmove_clock} {number}", if is_black { 'b' } else { 'w' });
        match start {
            Some(start) => Ok(start.clone()),
            None => Position::from_fen(&fen).map_err(|error| CodeError::Start(format!("{error} ({fen})"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};
    use sesame::search::score::mate_in;

    use super::*;
    use crate::game_record::tests::{games, record};

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    /// Both knights go out and return, so the position repeats.
    const KNIGHTS: [&str; 4] = ["g1f3", "g8f6", "f3g1", "f6g8"];

    #[test]
    fn games_survive_encoding() {
        let mut games = games(60);
        let knights = KNIGHTS.into_iter().cycle();
        games.push(record(START, knights.zip([0, 8, -8, 1_999, -2_000, MATE as i16]), 2));
        games.push(record(START, [], 2));
        let code = encode(&games).unwrap();
        assert!(decode(&code, games.len()).unwrap() == games);
        assert!(decode(&encode(&[]).unwrap(), 0).unwrap().is_empty());
    }

    /// Files must stay readable: another code for these games needs another [`MAGIC`](crate::store).
    #[test]
    fn the_format_is_fixed() {
        let code = encode(&games(40)).unwrap();
        assert_eq!((code.len(), twox_hash::XxHash3_64::oneshot(&code)), (10_280, 9_724_895_085_109_238_467));
    }

    #[test]
    fn what_cannot_be_read_back_is_refused() {
        let start = Position::startpos();
        let with = |mv, score| encode(&[GameRecord { start: start.clone(), moves: vec![(mv, score)], result: 1 }]);
        let e4 = start.from_uci("e2e4").unwrap();
        assert!(with(e4, mate_in(1) as i16).is_ok());
        assert_eq!(with(e4, MATE as i16 + 1), Err(CodeError::Score(MATE + 1)));
        assert_eq!(with(sesame::position::Move::new(Square::E2, Square::E5, None), 0), Err(CodeError::Move));
    }

    #[test]
    fn damage_ends_in_an_error_or_other_games() {
        let code = encode(&games(30)).unwrap();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(4);
        for _ in 0..300 {
            let mut damaged = code.clone();
            let bit = random.next_u32() as usize % (8 * code.len());
            damaged[bit / 8] ^= 1 << (bit % 8);
            for bytes in [&damaged[..], &damaged[..bit / 8]] {
                if let Ok(games) = decode(bytes, 30) {
                    assert!(decode(&encode(&games).unwrap(), 30).unwrap() == games);
                }
            }
        }
    }

    #[test]
    fn games_without_an_end_are_refused() {
        let mut game = record(START, KNIGHTS.into_iter().cycle().map(|text| (text, 0)).take(MAX_PLIES + 1), 1);
        let mut coder = Coder::encoder();
        assert_eq!(GameModels::default().game(&mut coder, Some(&game)).err(), Some(CodeError::Length));
        // So far the encoder has written that the game goes on after the last ply it may have.
        assert_eq!(decode(&coder.finish(), 1).err(), Some(CodeError::Length));
        game.moves.pop();
        assert!(decode(&encode(std::slice::from_ref(&game)).unwrap(), 1).unwrap()[0] == game);
    }
}
