//! Compact coding of games: adaptive binary models and a range coder.
//!
//! Every value is a sequence of yes-or-no decisions. A model learns the probability of each decision from the decisions before, and the
//! range coder of the crate `constriction` spends -log2(probability) bits. One function codes and decodes, so both make the same
//! decisions. Nothing here may change without a new version of the format.

mod move_order;

use std::borrow::Borrow;
use std::fmt::Write as _;
use std::num::NonZeroU16;

use constriction::stream::model::{DecoderModel, EncoderModel, EntropyModel};
use constriction::stream::queue::{DefaultRangeDecoder, DefaultRangeEncoder};
use constriction::stream::{Decode as _, Encode as _};
use sesame::position::{Color, File, Piece, Position, Square};
use sesame::search::score::MATE;

use self::move_order::{MoveHistory, MoveOrder};
use crate::game_record::GameRecord;

/// No game under the rules is as long.
pub(crate) const MAX_PLIES: usize = 1 << 16;
const PROBABILITY_BITS: usize = 16;

/// Codes the games one after the other.
pub fn encode(games: &[GameRecord]) -> Result<Vec<u8>, CodeError> {
    let mut coder = Encoder(DefaultRangeEncoder::new());
    let mut models = GameModels::new();
    for game in games {
        models.game(&mut coder, Some(game))?;
    }
    let words = coder.0.into_compressed().unwrap_or_else(|never| match never {});
    Ok(words.into_iter().flat_map(u32::to_le_bytes).collect())
}

pub fn decode(bytes: &[u8], games: usize) -> Result<Vec<GameRecord>, CodeError> {
    let (words, _) = bytes.as_chunks();
    let words: Vec<u32> = words.iter().map(|&word| u32::from_le_bytes(word)).collect();
    let mut coder = Decoder(DefaultRangeDecoder::from_compressed(words).unwrap_or_else(|never| match never {}));
    let mut models = GameModels::new();
    (0..games).map(|_| models.game(&mut coder, None)).collect()
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CodeError {
    #[error("the code is invalid")]
    Code,
    #[error("a start position is invalid: {0}")]
    Start(String),
    #[error("a game is longer than {MAX_PLIES} plies")]
    Length,
    #[error("a move is illegal")]
    Move,
    #[error("a score is {0}")]
    Score(i32),
}

trait Coder {
    /// A decoder ignores `bit`. `probability` of `true`, in 1/65536.
    fn bit(&mut self, bit: bool, probability: NonZeroU16) -> Result<bool, CodeError>;
}

struct Encoder(DefaultRangeEncoder);

impl Coder for Encoder {
    #[inline]
    fn bit(&mut self, bit: bool, probability: NonZeroU16) -> Result<bool, CodeError> {
        self.0.encode_symbol(bit, Chance(probability)).map_err(|_| CodeError::Code)?;
        Ok(bit)
    }
}

struct Decoder(DefaultRangeDecoder);

impl Coder for Decoder {
    #[inline]
    fn bit(&mut self, _: bool, probability: NonZeroU16) -> Result<bool, CodeError> {
        self.0.decode_symbol(Chance(probability)).map_err(|_| CodeError::Code)
    }
}

/// The probability of `true`, in 1/65536: fixed for one decision.
struct Chance(NonZeroU16);

impl EntropyModel<PROBABILITY_BITS> for Chance {
    type Symbol = bool;
    type Probability = u16;
}

impl EncoderModel<PROBABILITY_BITS> for Chance {
    #[inline]
    fn left_cumulative_and_probability(&self, symbol: impl Borrow<bool>) -> Option<(u16, NonZeroU16)> {
        let p = self.0.get();
        if *symbol.borrow() { Some((0, self.0)) } else { NonZeroU16::new(p.wrapping_neg()).map(|rest| (p, rest)) }
    }
}

impl DecoderModel<PROBABILITY_BITS> for Chance {
    #[inline]
    fn quantile_function(&self, quantile: u16) -> (bool, u16, NonZeroU16) {
        let p = self.0.get();
        if quantile < p { (true, 0, self.0) } else { (false, p, NonZeroU16::new(p.wrapping_neg()).unwrap_or(self.0)) }
    }
}

/// Learns the probability of a decision: the mean of the first decisions, then a moving average.
#[derive(Clone, Copy)]
struct Bit {
    /// As in [`Chance`].
    probability: u16,
    decisions: u16,
}

impl Bit {
    const NEW: Self = Self { probability: 1 << 15, decisions: 0 };
    const WINDOW: u16 = 400;
    /// The probability is at least this, and at most 65536 less this.
    const LEAST: u16 = 24;

    #[inline]
    fn chance(self) -> NonZeroU16 {
        NonZeroU16::new(self.probability).unwrap_or(NonZeroU16::MIN)
    }

    #[inline]
    fn update(&mut self, bit: bool) {
        let target = if bit { 1 << 16 } else { 0 };
        let probability = i32::from(self.probability);
        let probability = probability + (target - probability) / (i32::from(self.decisions) + 2);
        self.probability = probability.clamp(Self::LEAST.into(), i32::from(Self::LEAST.wrapping_neg())) as u16;
        self.decisions = (self.decisions + 1).min(Self::WINDOW);
    }

    #[inline]
    fn code(&mut self, coder: &mut impl Coder, bit: bool) -> Result<bool, CodeError> {
        let bit = coder.bit(bit, self.chance())?;
        self.update(bit);
        Ok(bit)
    }
}

/// Codes numbers below 2^`LEVELS`, the highest bit first. A decision depends on those before.
#[derive(Clone)]
struct Tree<const LEVELS: usize>(Box<[Bit]>);

impl<const LEVELS: usize> Tree<LEVELS> {
    fn new() -> Self {
        Self(vec![Bit::NEW; 1 << LEVELS].into())
    }

    fn code(&mut self, coder: &mut impl Coder, value: usize) -> Result<usize, CodeError> {
        let mut node = 1;
        for level in (0..LEVELS).rev() {
            let bit = self.0[node].code(coder, value >> level & 1 == 1)?;
            node = 2 * node + usize::from(bit);
        }
        Ok(node - (1 << LEVELS))
    }
}

/// The number of a size class, and the number of bits that tell its members apart. Classes grow by half octaves.
fn size_class(size: u32) -> usize {
    match size {
        0..4 => size as usize,
        _ => {
            let octave = size.ilog2();
            (2 * octave + (size >> (octave - 1) & 1)) as usize
        }
    }
}

/// Codes numbers below 2^16: the size class, then the place in it.
#[derive(Clone)]
struct Number {
    class: Tree<5>,
    high: [Bit; 32],
}

impl Number {
    fn new() -> Self {
        Self { class: Tree::new(), high: [Bit::NEW; 32] }
    }

    fn code(&mut self, coder: &mut impl Coder, value: u32) -> Result<u32, CodeError> {
        let class = self.class.code(coder, size_class(value))?;
        place_in_class(coder, &mut self.high[class], class, value)
    }
}

/// The first bit is learnt; the rest is even.
fn place_in_class(coder: &mut impl Coder, high: &mut Bit, class: usize, value: u32) -> Result<u32, CodeError> {
    const EVEN: NonZeroU16 = NonZeroU16::new(1 << 15).unwrap();
    if class < 4 {
        return Ok(class as u32);
    }
    let bits = class / 2 - 1;
    let mut found = 2 + class as u32 % 2;
    for level in (0..bits).rev() {
        let bit = value >> level & 1 == 1;
        let bit = if level + 1 == bits { high.code(coder, bit)? } else { coder.bit(bit, EVEN)? };
        found = 2 * found + u32::from(bit);
    }
    Ok(found)
}

/// The adaptive models of a block.
struct GameModels {
    start: StartModels,
    end: [Bit; 16],
    scores: ScoreModels,
    order: MoveOrder,
    result: [Tree<2>; 5],
}

impl GameModels {
    fn new() -> Self {
        Self {
            start: StartModels::new(),
            end: [Bit::NEW; 16],
            scores: ScoreModels::new(),
            order: MoveOrder::new(),
            result: std::array::from_fn(|_| Tree::new()),
        }
    }

    /// Codes `game`, or decodes one.
    fn game(&mut self, coder: &mut impl Coder, game: Option<&GameRecord>) -> Result<GameRecord, CodeError> {
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
            let ply = ply.map_or((legal[0], 0), |(mv, score)| (mv, score));
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

/// Codes the difference from the score before, from the point of view of the side to move. Its size has the mean probability of two
/// models.
struct ScoreModels {
    by_swing: Vec<Tree<5>>,
    by_volatility: Vec<Tree<5>>,
    high: [Bit; 32],
    sign: [Bit; 36],
}

const SWINGS: usize = 16;
const SIZES: usize = 6;
const VOLATILITIES: usize = 24;

impl ScoreModels {
    fn new() -> Self {
        Self {
            by_swing: vec![Tree::new(); SWINGS * SIZES],
            by_volatility: vec![Tree::new(); VOLATILITIES],
            high: [Bit::NEW; 32],
            sign: [Bit::NEW; 36],
        }
    }

    fn code(
        &mut self,
        coder: &mut impl Coder,
        history: &ScoreHistory,
        side_to_move: Color,
        score: i16,
    ) -> Result<i16, CodeError> {
        let view = |score: i16| if side_to_move == Color::White { score } else { score.wrapping_neg() };
        let [last, before, third] = history.last.map(view);
        let difference = view(score).wrapping_sub(last);
        let swing = 2 * u32::from(last.abs_diff(before)) + u32::from(before.abs_diff(third));
        let swing = size_class(swing.min(2_000)).saturating_sub(5).min(SWINGS - 1);
        let size = [30, 100, 250, 600, 1_500].iter().filter(|&&limit| last.unsigned_abs() > limit).count();
        let volatility = size_class(history.volatility / 4).saturating_sub(5).min(VOLATILITIES - 1);
        let (one, two) = (&mut self.by_swing[swing * SIZES + size], &mut self.by_volatility[volatility]);
        let wanted = size_class(u32::from(difference.unsigned_abs()));
        let mut node = 1;
        for level in (0..5).rev() {
            let (one, two) = (&mut one.0[node], &mut two.0[node]);
            let mean = NonZeroU16::new(one.probability.midpoint(two.probability)).unwrap_or(NonZeroU16::MIN);
            let bit = coder.bit(wanted >> level & 1 == 1, mean)?;
            one.update(bit);
            two.update(bit);
            node = 2 * node + usize::from(bit);
        }
        let class = node - 32;
        let found =
            place_in_class(coder, &mut self.high[class], class, difference.unsigned_abs().into())? as u16 as i16;
        let trend = (i32::from(last) - i32::from(before)).signum() + 1;
        let side = i32::from(last).signum() + 1;
        let context = ((trend * 3 + side) * 4) as usize + (class / 4).min(3);
        let is_negative = found != 0 && self.sign[context].code(coder, difference < 0)?;
        let found = last.wrapping_add(if is_negative { found.wrapping_neg() } else { found });
        if i32::from(found).abs() > MATE {
            return Err(CodeError::Score(found.into()));
        }
        Ok(view(found))
    }
}

/// Codes a position square by square, with what stands there at the start of a game as context.
struct StartModels {
    squares: Vec<Tree<4>>,
    side: Bit,
    en_passant: Tree<4>,
    halfmove_clock: Number,
    fullmove_number: Number,
}

/// Kinds of pieces, with [`CASTLING_ROOK`] and [`BLACK`].
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
    fn new() -> Self {
        Self {
            squares: vec![Tree::new(); 16],
            side: Bit::NEW,
            en_passant: Tree::new(),
            halfmove_clock: Number::new(),
            fullmove_number: Number::new(),
        }
    }

    /// Makes a FEN of what it decodes, whose parser checks the position.
    fn code(&mut self, coder: &mut impl Coder, start: Option<&Position>) -> Result<Position, CodeError> {
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
        let mut coder = Encoder(DefaultRangeEncoder::new());
        assert_eq!(GameModels::new().game(&mut coder, Some(&game)).err(), Some(CodeError::Length));
        // So far the encoder has written that the game goes on after the last ply it may have.
        let code: Vec<u8> = coder.0.into_compressed().unwrap().into_iter().flat_map(u32::to_le_bytes).collect();
        assert_eq!(decode(&code, 1).err(), Some(CodeError::Length));
        game.moves.pop();
        assert!(decode(&encode(std::slice::from_ref(&game)).unwrap(), 1).unwrap()[0] == game);
    }
}
