//! Reasons why a move is illegal, in the player's words.

use crate::position::attacks::{attacks_of, get_between_rays};
use crate::position::{BitBoard, File, Move, Piece, Position, Rank, Square};

use super::game_match::name;

/// Length limit of quoted text, in characters.
const QUOTED: usize = 24;

/// A move as it was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TypedMove {
    /// Castling; true towards the h-file.
    Castling(bool),
    /// Two squares, and the piece after a promotion.
    Squares(Square, Square, Option<Piece>),
    /// A piece, its file and rank if they were given, the target, and the piece after a promotion.
    Piece(Piece, Option<File>, Option<Rank>, Square, Option<Piece>),
}

/// The result of a check of one piece's move. Later ones are closer to a legal move.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Verdict {
    /// The piece never moves like that.
    NoSuchMove(String),
    /// A piece is in the way, or one is missing.
    Blocked(String),
    /// The own king would be or stay in check.
    Check(String),
    Legal(Move),
}

impl Verdict {
    fn order(&self) -> u8 {
        match self {
            Verdict::NoSuchMove(_) => 0,
            Verdict::Blocked(_) => 1,
            Verdict::Check(_) => 2,
            Verdict::Legal(_) => 3,
        }
    }

    fn text(self, position: &Position) -> String {
        match self {
            Verdict::NoSuchMove(text) | Verdict::Blocked(text) | Verdict::Check(text) => text,
            Verdict::Legal(mv) => format!("That move is written {}.", position.to_san(mv)),
        }
    }
}

/// Returns the reason why `text` is not a legal move of the side to move, as a sentence. An ambiguous move gets the
/// list of legal ones.
pub(super) fn explain(position: &Position, text: &str) -> String {
    match parse(text) {
        None => format!("{:?} is no move. Type help for what can be typed.", excerpt(text)),
        Some(TypedMove::Castling(is_short)) => explain_castling(position, is_short),
        Some(TypedMove::Squares(from, to, promotion)) => explain_squares(position, from, to, promotion),
        Some(TypedMove::Piece(piece, file, rank, to, promotion)) => {
            let origins = position.colored(position.side_to_move(), piece);
            let fits = |from: &Square| {
                file.is_none_or(|file| from.file() == file) && rank.is_none_or(|rank| from.rank() == rank)
            };
            // Without a file, a pawn moves straight on.
            let straight = |from: &Square| piece != Piece::Pawn || file.is_some() || from.file() == to.file();
            let origins: Vec<Square> = origins.into_iter().filter(fits).filter(straight).collect();
            if origins.is_empty() {
                return missing_piece(piece, file, rank, to);
            }
            explain_piece(position, piece, &origins, to, promotion)
        }
    }
}

// Parsing.

fn parse(text: &str) -> Option<TypedMove> {
    const SIGNS: &str = "+#!?-=:xX ()";
    let plain: Vec<char> = text.chars().filter(|&letter| !SIGNS.contains(letter)).take(8).collect();
    let castling: String =
        plain.iter().map(|&letter| if letter == '0' { 'O' } else { letter.to_ascii_uppercase() }).collect();
    match castling.as_str() {
        "OO" => return Some(TypedMove::Castling(true)),
        "OOO" => return Some(TypedMove::Castling(false)),
        _ => {}
    }
    let (rest, promotion) = match plain.as_slice() {
        [rest @ .., letter] if !letter.is_ascii_digit() => (rest, Some(piece(*letter).filter(is_promotion)?)),
        rest => (rest, None),
    };
    let [head @ .., to_file, to_rank] = rest else { return None };
    let to = square(*to_file, *to_rank)?;
    let typed = |piece, file, rank| Some(TypedMove::Piece(piece, file, rank, to, promotion));
    match *head {
        [] => typed(Piece::Pawn, None, None),
        // A small b is the file or the bishop.
        ['b'] if to.file() != File::A && to.file() != File::C => typed(Piece::Bishop, None, None),
        [letter] => match file(letter).filter(|_| letter.is_ascii_lowercase()) {
            Some(file) => typed(Piece::Pawn, Some(file), None),
            None => typed(piece(letter)?, None, None),
        },
        [first, second] => match square(first, second) {
            Some(from) => Some(TypedMove::Squares(from, to, promotion)),
            None => match file(second) {
                Some(file) => typed(piece(first)?, Some(file), None),
                None => typed(piece(first)?, None, Some(rank(second)?)),
            },
        },
        [letter, from_file, from_rank] => {
            let from = square(from_file, from_rank)?;
            typed(piece(letter)?, Some(from.file()), Some(from.rank()))
        }
        _ => None,
    }
}

fn piece(letter: char) -> Option<Piece> {
    Piece::try_from(letter.to_ascii_lowercase()).ok()
}

fn is_promotion(piece: &Piece) -> bool {
    !matches!(piece, Piece::Pawn | Piece::King)
}

fn file(letter: char) -> Option<File> {
    File::try_from(letter.to_ascii_lowercase()).ok()
}

fn rank(digit: char) -> Option<Rank> {
    Rank::try_from(digit).ok()
}

fn square(file_letter: char, rank_digit: char) -> Option<Square> {
    Some(Square::new(file(file_letter)?, rank(rank_digit)?))
}

fn excerpt(text: &str) -> String {
    let mut letters = text.chars();
    let start: String = letters.by_ref().take(QUOTED).collect();
    if letters.next().is_some() { start + "…" } else { start }
}

// Reasons.

fn piece_name(piece: Piece) -> &'static str {
    match piece {
        Piece::Pawn => "pawn",
        Piece::Knight => "knight",
        Piece::Bishop => "bishop",
        Piece::Rook => "rook",
        Piece::Queen => "queen",
        Piece::King => "king",
    }
}

/// Formats the piece on a square, as in `knight on f3`.
fn piece_on(position: &Position, square: Square) -> String {
    format!("{} on {square}", position.piece_on(square).map_or("piece", piece_name))
}

fn missing_piece(piece: Piece, file: Option<File>, rank: Option<Rank>, to: Square) -> String {
    let piece_name = piece_name(piece);
    match (file, rank) {
        (Some(file), Some(rank)) => format!("You have no {piece_name} on {file}{rank}."),
        (Some(file), None) => format!("You have no {piece_name} on the {file}-file."),
        (None, Some(rank)) => format!("You have no {piece_name} on rank {rank}."),
        (None, None) if piece == Piece::Pawn => format!("You have no pawn on the {}-file.", to.file()),
        (None, None) => format!("You have no {piece_name}."),
    }
}

fn explain_squares(position: &Position, from: Square, to: Square, promotion: Option<Piece>) -> String {
    let us = position.side_to_move();
    match (position.piece_on(from), position.color_on(from)) {
        (Some(Piece::King), Some(color)) if color == us && is_castling_attempt(position, from, to) => {
            explain_castling(position, to.file() > from.file())
        }
        (Some(piece), Some(color)) if color == us => judge(position, piece, from, to, promotion).text(position),
        (Some(_), Some(color)) => format!("The {} is {}'s.", piece_on(position, from), name(color)),
        _ => format!("There is no piece on {from}."),
    }
}

/// Returns true if the king goes two squares or more along its first rank, or to its own castling rook.
fn is_castling_attempt(position: &Position, from: Square, to: Square) -> bool {
    let us = position.side_to_move();
    let home = Rank::First.relative_to(us);
    let rights = position.castles(us);
    let to_rook = [rights.short, rights.long].contains(&Some(to.file()));
    let steps = (from.file() as usize).abs_diff(to.file() as usize);
    from.rank() == home && to.rank() == home && (steps >= 2 || to_rook)
}

/// Explains the move of one of several like pieces.
fn explain_piece(
    position: &Position,
    piece: Piece,
    origins: &[Square],
    to: Square,
    promotion: Option<Piece>,
) -> String {
    let verdicts = origins.iter().map(|&from| judge(position, piece, from, to, promotion));
    let verdicts: Vec<Verdict> = verdicts.collect();
    let legal = |verdict: &Verdict| match verdict {
        Verdict::Legal(mv) => Some(position.to_san(*mv)),
        _ => None,
    };
    let legal: Vec<String> = verdicts.iter().filter_map(legal).collect();
    if legal.len() > 1 {
        return format!("Which one: {}?", legal.join(" or "));
    }
    match verdicts.into_iter().max_by_key(Verdict::order) {
        Some(Verdict::NoSuchMove(text)) if piece == Piece::Pawn && origins.len() == 1 => text,
        Some(Verdict::NoSuchMove(_)) if piece == Piece::King => format!("The king cannot move to {to}."),
        Some(Verdict::NoSuchMove(_)) => format!("No {} can move to {to}.", piece_name(piece)),
        verdict => verdict.map_or_else(String::new, |verdict| verdict.text(position)),
    }
}

/// Checks the move of the own `piece` on `from`, other than castling.
fn judge(position: &Position, piece: Piece, from: Square, to: Square, promotion: Option<Piece>) -> Verdict {
    let us = position.side_to_move();
    if from == to {
        return Verdict::Blocked(format!("The {} is there already.", piece_on(position, from)));
    }
    if position.colors(us).has(to) {
        let own = position.piece_on(to).map_or("piece", piece_name);
        return Verdict::Blocked(format!("Your own {own} is on {to}."));
    }
    let obstacle = match piece {
        Piece::Pawn => pawn_obstacle(position, from, to),
        _ => obstacle(position, piece, from, to),
    };
    if let Some(verdict) = obstacle {
        return verdict;
    }
    let promotes = piece == Piece::Pawn && to.rank() == Rank::Eighth.relative_to(us);
    if promotion.is_some() && !promotes {
        return Verdict::Blocked("Only a pawn on the last rank becomes another piece.".to_owned());
    }
    if let Some(text) = check(position, piece, from, to) {
        return Verdict::Check(text);
    }
    if promotes && promotion.is_none() {
        let san = position.to_san(Move::new(from, to, Some(Piece::Queen)));
        return Verdict::Blocked(format!("{to} needs a piece: {}", san.trim_end_matches(['+', '#'])));
    }
    let mv = Move::new(from, to, promotion);
    match position.is_legal(mv) {
        true => Verdict::Legal(mv),
        false => Verdict::Blocked(format!("{mv} is not legal in this position.")),
    }
}

fn no_such_move(position: &Position, from: Square, to: Square) -> Verdict {
    Verdict::NoSuchMove(format!("The {} cannot move to {to}.", piece_on(position, from)))
}

/// Returns why a piece other than a pawn does not reach a square.
fn obstacle(position: &Position, piece: Piece, from: Square, to: Square) -> Option<Verdict> {
    let us = position.side_to_move();
    if !attacks_of(piece, us, from, BitBoard::EMPTY).has(to) {
        return Some(no_such_move(position, from, to));
    }
    let reach = attacks_of(piece, us, from, position.occupied());
    let blocker = (get_between_rays(from, to) & reach & position.occupied()).into_iter().next()?;
    let (piece, blocker) = (piece_on(position, from), piece_on(position, blocker));
    Some(Verdict::Blocked(format!("The {piece} cannot move to {to}: the {blocker} is in the way.")))
}

/// Returns why a pawn does not reach a square.
fn pawn_obstacle(position: &Position, from: Square, to: Square) -> Option<Verdict> {
    let us = position.side_to_move();
    let (low, high) = (from.rank().relative_to(us) as usize, to.rank().relative_to(us) as usize);
    let steps = high.checked_sub(low);
    let is_free = |square: &Square| !position.occupied().has(*square);
    match ((from.file() as usize).abs_diff(to.file() as usize), steps) {
        (_, None) => Some(Verdict::NoSuchMove("A pawn does not move backwards.".to_owned())),
        (0, Some(2)) if from.rank() != Rank::Second.relative_to(us) => {
            Some(Verdict::NoSuchMove("A pawn moves two squares from its first square only.".to_owned()))
        }
        (0, Some(1 | 2)) => {
            let path = get_between_rays(from, to) | to.bitboard();
            let nearest = |square: &Square| (square.rank() as usize).abs_diff(from.rank() as usize);
            let blocker = path.into_iter().filter(|square| !is_free(square)).min_by_key(nearest)?;
            let (pawn, blocker) = (piece_on(position, from), piece_on(position, blocker));
            Some(Verdict::Blocked(format!("The {pawn} is blocked by the {blocker}.")))
        }
        (1, Some(1)) if !is_free(&to) || position.en_passant() == Some(to) => None,
        (1, Some(1)) => {
            let passed = Square::new(to.file(), from.rank());
            let passed_pawn =
                position.colored(!us, Piece::Pawn).has(passed) && from.rank() == Rank::Fifth.relative_to(us);
            Some(Verdict::Blocked(match passed_pawn {
                true => format!("The pawn on {passed} cannot be captured en passant now."),
                false => format!("There is nothing to capture on {to}."),
            }))
        }
        _ => Some(no_such_move(position, from, to)),
    }
}

/// Returns the check after a move that leaves the own king attacked.
fn check(position: &Position, piece: Piece, from: Square, to: Square) -> Option<String> {
    let us = position.side_to_move();
    let mut captured = to.bitboard();
    if piece == Piece::Pawn && position.en_passant() == Some(to) {
        captured |= Square::new(to.file(), from.rank()).bitboard();
    }
    let occupied = (position.occupied() - from.bitboard() - captured) | to.bitboard();
    let king = if piece == Piece::King { to } else { position.king(us) };
    let attackers = (position.attackers_to(king, occupied) & position.colors(!us)) - captured;
    let attacker = attackers.into_iter().next()?;
    let checker = (attackers & position.checkers()).into_iter().next();
    Some(match checker {
        _ if piece == Piece::King => {
            format!("The king would be in check on {to}, from the {}.", piece_on(position, attacker))
        }
        Some(_) if position.checkers().len() > 1 => "The king is in check from two pieces: it has to move.".to_owned(),
        Some(checker) => {
            format!("The king is in check from the {}: this move does not end it.", piece_on(position, checker))
        }
        None => format!("The king would be in check from the {}.", piece_on(position, attacker)),
    })
}

fn explain_castling(position: &Position, is_short: bool) -> String {
    let us = position.side_to_move();
    let them = position.colors(!us);
    let (king, home) = (position.king(us), Rank::First.relative_to(us));
    let rights = position.castles(us);
    let (right, side, king_file, rook_file) = match is_short {
        true => (rights.short, "short", File::G, File::F),
        false => (rights.long, "long", File::C, File::D),
    };
    let Some(rook_from) = right else {
        return format!("Castling {side} is not possible: the king or the rook has moved.");
    };
    let rook = Square::new(rook_from, home);
    let (king_to, rook_to) = (Square::new(king_file, home), Square::new(rook_file, home));
    if position.in_check() {
        return "The king is in check: it cannot castle.".to_owned();
    }
    let path = |from: Square, to: Square| get_between_rays(from, to) | to.bitboard();
    let others = position.occupied() - king.bitboard() - rook.bitboard();
    let between = (path(king, king_to) | path(rook, rook_to) | get_between_rays(king, rook)) & others;
    if let Some(blocker) = between.into_iter().next() {
        return format!("Castling {side} is not possible: the {} is in the way.", piece_on(position, blocker));
    }
    let crossed = path(king, king_to).into_iter().map(|square| (square, position.occupied() - king.bitboard()));
    let after = (king_to, others | king_to.bitboard() | rook_to.bitboard());
    for (square, occupied) in crossed.chain([after]) {
        if let Some(attacker) = (position.attackers_to(square, occupied) & them).into_iter().next() {
            let attacker = piece_on(position, attacker);
            return format!("Castling {side} is not possible: the {attacker} attacks {square}.");
        }
    }
    let san = if is_short { "O-O" } else { "O-O-O" };
    format!("That move is written {san}.")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::command::read_move;
    use super::*;

    /// Checks the reasons of several texts in one position.
    fn check_reasons(fen: &str, reasons: &[(&str, &str)]) {
        let position = Position::from_fen(fen).unwrap();
        for (text, reason) in reasons {
            assert_eq!(read_move(&position, text).unwrap_err(), *reason, "{text} in {fen}");
        }
    }

    #[test]
    fn pieces_and_their_ways() {
        check_reasons(
            "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3",
            &[
                ("e5e6", "The pawn on e5 is Black's."),
                ("c6d4", "The knight on c6 is Black's."),
                ("e3e4", "There is no piece on e3."),
                ("Nd5", "No knight can move to d5."),
                ("nd5", "No knight can move to d5."),
                ("f3f5", "The knight on f3 cannot move to f5."),
                ("Nf3f5", "No knight can move to f5."),
                ("Nhf3", "You have no knight on the h-file."),
                ("N5f3", "You have no knight on rank 5."),
                ("Nh1f3", "You have no knight on h1."),
                ("Bg5", "The bishop on c1 cannot move to g5: the pawn on d2 is in the way."),
                ("bg5", "The bishop on c1 cannot move to g5: the pawn on d2 is in the way."),
                ("C1G5", "The bishop on c1 cannot move to g5: the pawn on d2 is in the way."),
                ("Ra5", "The rook on a1 cannot move to a5: the pawn on a2 is in the way."),
                ("Qd2", "Your own pawn is on d2."),
                ("Ke4", "Your own pawn is on e4."),
                ("Kd4", "The king cannot move to d4."),
                ("e5", "The pawn on e4 is blocked by the pawn on e5."),
                ("e2e4", "There is no piece on e2."),
                ("e4d5", "There is nothing to capture on d5."),
                ("exd5", "There is nothing to capture on d5."),
                ("f4", "The pawn on f2 is blocked by the knight on f3."),
                ("e3", "A pawn does not move backwards."),
                ("d5", "The pawn on d2 cannot move to d5."),
                ("d2d5", "The pawn on d2 cannot move to d5."),
                ("exg5", "The pawn on e4 cannot move to g5."),
                ("a8=Q", "The pawn on a2 cannot move to a8."),
                ("a4q", "Only a pawn on the last rank becomes another piece."),
                ("Nd4=Q", "Only a pawn on the last rank becomes another piece."),
                ("e2e2", "There is no piece on e2."),
                ("Nf3f3", "The knight on f3 is there already."),
                ("Pe4e5", "The pawn on e4 is blocked by the pawn on e5."),
                ("Pd4", "That move is written d4."),
                ("hello", "\"hello\" is no move. Type help for what can be typed."),
                ("h9", "\"h9\" is no move. Type help for what can be typed."),
                ("undo it", "\"undo it\" is no move. Type help for what can be typed."),
                ("\u{265A}", "\"\u{265A}\" is no move. Type help for what can be typed."),
                ("e8=K", "\"e8=K\" is no move. Type help for what can be typed."),
            ],
        );
        check_reasons(
            "4k3/8/8/8/8/8/3N4/4KN2 w - - 0 1",
            &[
                ("Qd4", "You have no queen."),
                ("e4", "You have no pawn on the e-file."),
                ("exd5", "You have no pawn on the e-file."),
            ],
        );
        check_reasons("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1", &[("Nd2", "Which one: Nbd2 or Nfd2?")]);
        let long = "x".repeat(100);
        let position = Position::startpos();
        assert!(explain(&position, &long).chars().count() < 80);
    }

    #[test]
    fn pawns() {
        check_reasons(
            "7k/P6p/8/1pP5/3p4/4P3/8/K7 w - - 0 1",
            &[
                ("a8", "a8 needs a piece: a8=Q"),
                ("a7a8", "a8 needs a piece: a8=Q"),
                ("cxb6", "The pawn on b5 cannot be captured en passant now."),
                ("c5d6", "There is nothing to capture on d6."),
                ("c7", "A pawn moves two squares from its first square only."),
                ("e5", "A pawn moves two squares from its first square only."),
            ],
        );
        check_reasons("1n5k/P7/8/8/8/8/8/K7 w - - 0 1", &[("axb8", "b8 needs a piece: axb8=Q")]);
        check_reasons(
            "4k3/4p3/4N3/8/8/8/8/4K3 b - - 0 1",
            &[
                ("e5", "The pawn on e7 is blocked by the knight on e6."),
                ("e7e8", "Your own king is on e8."),
                ("Nd4", "You have no knight."),
                ("e6d4", "The knight on e6 is White's."),
            ],
        );
    }

    #[test]
    fn kings_in_check() {
        check_reasons(
            "4k3/8/8/8/1b6/8/3N4/4K2R w - - 0 1",
            &[
                ("Nf3", "The king would be in check from the bishop on b4."),
                ("d2f3", "The king would be in check from the bishop on b4."),
            ],
        );
        check_reasons(
            "4k3/8/8/8/4r3/8/3P4/4K2N w - - 0 1",
            &[
                ("Ng3", "The king is in check from the rook on e4: this move does not end it."),
                ("d4", "The king is in check from the rook on e4: this move does not end it."),
                ("Ke2", "The king would be in check on e2, from the rook on e4."),
            ],
        );
        check_reasons(
            "4k3/8/8/8/4r3/5n2/8/4K2R w - - 0 1",
            &[("Rf1", "The king is in check from two pieces: it has to move.")],
        );
        // The pawns of an en passant capture leave the rank together.
        check_reasons(
            "7k/8/8/K2pP2r/8/8/8/8 w - d6 0 1",
            &[("exd6", "The pawn on d5 cannot be captured en passant now.")],
        );
    }

    #[test]
    fn castling() {
        let reason = |why: &str| format!("Castling short is not possible: {why}");
        for (fen, why) in [
            ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", reason("the king or the rook has moved.")),
            ("4k3/8/8/8/8/8/8/4K1NR w K - 0 1", reason("the knight on g1 is in the way.")),
            ("4k3/8/8/8/8/7b/8/4K2R w K - 0 1", reason("the bishop on h3 attacks f1.")),
            ("4k3/8/8/8/8/6r1/8/4K2R w K - 0 1", reason("the rook on g3 attacks g1.")),
            ("4k3/8/8/8/8/4r3/8/4K2R w K - 0 1", "The king is in check: it cannot castle.".to_owned()),
        ] {
            let position = Position::from_fen(fen).unwrap();
            for text in ["O-O", "0-0", "o-o", "e1g1"] {
                assert_eq!(read_move(&position, text).unwrap_err(), why, "{text} in {fen}");
            }
        }
        check_reasons(
            "r3k3/8/8/8/8/8/8/RN2K3 w Qq - 0 1",
            &[("O-O-O", "Castling long is not possible: the knight on b1 is in the way.")],
        );
        // Chess960: the rook on b1 shields the king on its way to c1.
        check_reasons(
            "4k3/8/8/8/8/8/8/rR1K4 w B - 0 1",
            &[("O-O-O", "Castling long is not possible: the rook on a1 attacks c1.")],
        );
    }

    /// Returns a position after random moves from a random start position.
    fn random_position(number: u32, picks: &[usize]) -> Position {
        let mut position = Position::chess960(number);
        for pick in picks {
            let moves = position.legal_moves();
            let Some(&mv) = moves.get(pick % moves.len().max(1)) else { break };
            position.play(mv);
        }
        position
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn legal_moves_are_read(number in 0u32..960, picks in prop::collection::vec(0usize..1000, 0..80)) {
            let position = random_position(number, &picks);
            for &mv in position.legal_moves().iter() {
                for text in [position.to_san(mv), position.to_uci(mv, false), position.to_uci(mv, true)] {
                    prop_assert_eq!(read_move(&position, &text), Ok(mv), "{} in {}", text, position);
                }
            }
        }

        /// Each pair of squares is a legal move or has a reason.
        #[test]
        fn illegal_moves_have_a_reason(number in 0u32..960, picks in prop::collection::vec(0usize..1000, 0..120)) {
            let position = random_position(number, &picks);
            for from in Square::ALL {
                for to in Square::ALL {
                    let text = format!("{from}{to}");
                    if position.from_uci(&text).is_err() {
                        let reason = explain(&position, &text);
                        // In Chess960, the king's path may be longer than castling.
                        let is_castling = reason.starts_with("That move is written O-O");
                        let is_legal = reason.contains("not legal") || reason.contains("is written");
                        prop_assert!(is_castling || !is_legal, "{text} in {position}: {reason}");
                    }
                }
            }
        }

        #[test]
        fn no_text_panics(text in ".{0,12}|[a-hxNBRQKOPnrqkp0-9=+# -]{1,7}", picks in prop::collection::vec(0usize..1000, 0..80)) {
            let position = random_position(518, &picks);
            prop_assert!(!explain(&position, &text).is_empty());
        }
    }
}
