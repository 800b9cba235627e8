//! Moves as people type them, and the reasons why one is illegal.

use crate::games;
use crate::position::attacks::{attacks_of, get_between_rays, get_pawn_quiets};
use crate::position::{BitBoard, File, Move, Piece, Position, Rank, Square, excerpt};

/// Reads standard algebraic, UCI or long algebraic notation in any case, also with a move number. The error is a sentence.
pub(super) fn read_move(position: &Position, text: &str) -> Result<Move, String> {
    let after_number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let text = if after_number.starts_with('.') { after_number.trim_start_matches('.').trim() } else { text };
    let with_capital = |place: usize| -> String {
        let letters = text.chars().enumerate();
        letters.map(|(index, letter)| if index == place { letter.to_ascii_uppercase() } else { letter }).collect()
    };
    let last = text.chars().count().saturating_sub(1);
    let texts = [text.to_owned(), with_capital(0), with_capital(last), text.to_ascii_uppercase()];
    let mv = texts.iter().find_map(|text| games::read_move(position, text).ok());
    mv.or_else(|| position.from_uci(&text.to_ascii_lowercase()).ok()).ok_or_else(|| explain(position, text))
}

struct TypedMove {
    piece: Option<Piece>,
    /// The file, the rank, or both.
    origin: String,
    to: Square,
    promotion: Option<Piece>,
}

fn parse(text: &str) -> Option<TypedMove> {
    let letters: Vec<char> = text.chars().filter(|&letter| !"+#!?-=:xX ()".contains(letter)).take(8).collect();
    let piece = |letter: char| Piece::try_from(letter.to_ascii_lowercase()).ok();
    let (squares, promotion) = match letters.as_slice() {
        [squares @ .., letter] if !letter.is_ascii_digit() => {
            (squares, Some(piece(*letter).filter(|piece| !matches!(piece, Piece::Pawn | Piece::King))?))
        }
        squares => (squares, None),
    };
    let [head @ .., file, rank] = squares else { return None };
    let to: Square = format!("{file}{rank}").to_ascii_lowercase().parse().ok()?;
    let (piece, origin) = match head {
        [file, rank] if rank.is_ascii_digit() && File::try_from(file.to_ascii_lowercase()).is_ok() => (None, head),
        // A pawn without an origin moves straight on.
        [] => (Some(Piece::Pawn), std::slice::from_ref(file)),
        // A small b is the file or the bishop.
        ['b'] if !matches!(to.file(), File::A | File::C) => (Some(Piece::Bishop), &[][..]),
        ['a'..='h'] => (Some(Piece::Pawn), head),
        [letter, origin @ ..] => (Some(piece(*letter)?), origin),
    };
    let origin = origin.iter().collect::<String>().to_ascii_lowercase();
    let is_place = origin.len() <= 2 && origin.chars().all(|letter| matches!(letter, 'a'..='h' | '1'..='8'));
    is_place.then_some(TypedMove { piece, origin, to, promotion })
}

fn explain(position: &Position, text: &str) -> String {
    match text.replace('0', "O").replace('-', "").to_ascii_uppercase().trim_end_matches(['+', '#', '!', '?']) {
        "OO" => return explain_castling(position, true),
        "OOO" => return explain_castling(position, false),
        _ => {}
    }
    let Some(TypedMove { piece, origin, to, promotion }) = parse(text) else {
        return format!("{:?} is not a move. Type help for what can be typed.", excerpt(text));
    };
    let fits = |from: &Square| {
        let name = from.to_string();
        origin.chars().all(|letter| name.contains(letter)) && (piece.is_none() || position.piece_on(*from) == piece)
    };
    let origins = position.colors(position.side_to_move()).into_iter().filter(fits);
    let found: Vec<_> = origins.map(|from| check_move(position, from, to, promotion)).collect();
    let legal: Vec<String> = found.iter().filter_map(|found| Some(position.to_san(*found.as_ref().ok()?))).collect();
    let several = found.len() > 1;
    match (legal.as_slice(), found.into_iter().filter_map(Result::err).max()) {
        ([san], _) => format!("That move is written {san}."),
        ([], Some((0, _))) if several => format!("No {} can move to {to}.", piece_name(piece)),
        ([], Some((_, reason))) => reason,
        ([], None) if piece.is_none() => match origin.parse().ok().filter(|&from| position.occupied().has(from)) {
            Some(from) => format!("The {} is not yours.", piece_on(position, from)),
            None => format!("There is no piece on {origin}."),
        },
        ([], None) => {
            let place = match origin.as_bytes() {
                [] => String::new(),
                [b'a'..=b'h'] => format!(" on the {origin}-file"),
                _ => format!(" on {origin}"),
            };
            format!("You have no {}{place}.", piece_name(piece))
        }
        (several, _) => format!("Which one: {}?", several.join(" or ")),
    }
}

fn piece_name(piece: Option<Piece>) -> &'static str {
    match piece {
        Some(Piece::Pawn) => "pawn",
        Some(Piece::Knight) => "knight",
        Some(Piece::Bishop) => "bishop",
        Some(Piece::Rook) => "rook",
        Some(Piece::Queen) => "queen",
        Some(Piece::King) => "king",
        None => "piece",
    }
}

/// Returns `knight on f3`, for example.
fn piece_on(position: &Position, square: Square) -> String {
    format!("{} on {square}", piece_name(position.piece_on(square)))
}

/// The number of a reason grows the closer the move is to a legal one.
fn check_move(position: &Position, from: Square, to: Square, promotion: Option<Piece>) -> Result<Move, (u8, String)> {
    let (us, them) = (position.side_to_move(), position.colors(!position.side_to_move()));
    let piece = position.piece_on(from).unwrap_or(Piece::Pawn);
    let is_pawn = piece == Piece::Pawn;
    let steps = (from.file() as usize).abs_diff(to.file() as usize);
    if piece == Piece::King && steps > 1 && [from.rank(), to.rank()] == [Rank::First.relative_to(us); 2] {
        return Err((1, explain_castling(position, to.file() > from.file())));
    }
    if position.colors(us).has(to) {
        return Err((1, format!("Your own {} is on {to}.", piece_name(position.piece_on(to)))));
    }
    let reach = |occupied| match is_pawn {
        true => get_pawn_quiets(from, us, occupied) | attacks_of(piece, us, from, occupied),
        false => attacks_of(piece, us, from, occupied),
    };
    let name = piece_on(position, from);
    if !reach(BitBoard::EMPTY).has(to) {
        return Err((0, format!("The {name} cannot move to {to}.")));
    }
    let passed = if is_pawn && position.en_passant() == Some(to) { Square::new(to.file(), from.rank()) } else { to };
    if is_pawn && steps == 1 && !them.has(passed) {
        return Err((1, format!("There is nothing to capture on {to}.")));
    }
    let target = if is_pawn && steps == 0 { to.bitboard() } else { BitBoard::EMPTY };
    let blockers = (get_between_rays(from, to) | target) & position.occupied();
    if let Some(blocker) = blockers.into_iter().next() {
        return Err((1, format!("The {name} cannot move to {to}: the {} is in the way.", piece_on(position, blocker))));
    }
    let promotes = is_pawn && to.rank() == Rank::Eighth.relative_to(us);
    match promotion {
        Some(_) if !promotes => return Err((1, "Only a pawn on the last rank becomes another piece.".to_owned())),
        None if promotes => return Err((1, format!("Name the new piece, as in {to}=Q."))),
        _ => {}
    }
    let king = if piece == Piece::King { to } else { position.king(us) };
    let occupied = (position.occupied() - from.bitboard() - passed.bitboard()) | to.bitboard();
    let attackers = (position.attackers_to(king, occupied) & them) - passed.bitboard();
    match attackers.into_iter().next() {
        Some(attacker) => Err((2, format!("The king would be in check from the {}.", piece_on(position, attacker)))),
        None => Ok(Move::new(from, to, promotion)),
    }
}

fn explain_castling(position: &Position, is_short: bool) -> String {
    let us = position.side_to_move();
    let (king, rights) = (position.king(us), position.castles(us));
    let (right, king_to, rook_to, san) = match is_short {
        true => (rights.short, File::G, File::F, "O-O"),
        false => (rights.long, File::C, File::D, "O-O-O"),
    };
    let Some(rook) = right.map(|file| Square::new(file, king.rank())) else {
        return "You cannot castle: the king or the rook has moved.".to_owned();
    };
    if position.is_legal(Move::new(king, rook, None)) {
        return format!("That move is written {san}.");
    }
    if position.in_check() {
        return "You cannot castle: the king is in check.".to_owned();
    }
    let path = |from: Square, file| {
        let to = Square::new(file, from.rank());
        get_between_rays(from, to) | to.bitboard()
    };
    let others = position.occupied() - king.bitboard() - rook.bitboard();
    match ((path(king, king_to) | path(rook, rook_to)) & others).into_iter().next() {
        Some(blocker) => format!("You cannot castle: the {} is in the way.", piece_on(position, blocker)),
        None => "You cannot castle: a square on the king's way is attacked.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check_reasons(fen: &str, reasons: &[(&str, &str)]) {
        let position = Position::from_fen(fen).unwrap();
        for (text, reason) in reasons {
            assert_eq!(read_move(&position, text).unwrap_err(), *reason, "{text} in {fen}");
        }
    }

    #[test]
    fn moves_are_read_in_several_notations() {
        let promotion = "8/P6k/8/8/8/8/8/K7 w - - 0 1";
        let middle = "r3k2r/8/8/2n5/8/1N3N2/1P5P/R3K2R w KQkq - 0 1";
        for (fen, uci, texts) in [
            (promotion, "a7a8q", "a8=Q a8q a8=q a7a8q A7A8Q"),
            (middle, "b3c5", "Nxc5 nc5 b3c5 B3C5 ♞×c5 Nxc5+-"),
            (middle, "b3d4", "Nb3d4 nb3-d4"),
            (middle, "f3d4", "12.Nfd4"),
            (middle, "e1g1", "O-O 0-0 o-o e1h1"),
            (middle, "e1c1", "0-0-0 O–O–O"),
            (middle, "h2h4", "h4 h2-h4 h2–h4!?"),
        ] {
            let position = Position::from_fen(fen).unwrap();
            for text in texts.split(' ').chain(Some("12. h4").filter(|_| uci == "h2h4")) {
                let read = read_move(&position, text).map(|mv| position.to_uci(mv, false));
                assert_eq!(read.as_deref(), Ok(uci), "{text}");
            }
        }
    }

    #[test]
    fn pieces_are_missing_blocked_or_move_otherwise() {
        check_reasons(
            "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3",
            &[
                ("c6d4", "The knight on c6 is not yours."),
                ("e3e4", "There is no piece on e3."),
                ("nd5", "No knight can move to d5."),
                ("f3f5", "The knight on f3 cannot move to f5."),
                ("Nh1f3", "You have no knight on h1."),
                ("bg5", "The bishop on c1 cannot move to g5: the pawn on d2 is in the way."),
                ("C1G5", "The bishop on c1 cannot move to g5: the pawn on d2 is in the way."),
                ("Ke4", "Your own pawn is on e4."),
                ("Kd4", "The king on e1 cannot move to d4."),
                ("hello", "\"hello\" is not a move. Type help for what can be typed."),
                ("h9", "\"h9\" is not a move. Type help for what can be typed."),
                ("\u{265A}", "\"\u{265A}\" is not a move. Type help for what can be typed."),
            ],
        );
        check_reasons("4k3/8/8/8/8/8/3N4/4KN2 w - - 0 1", &[("Qd4", "You have no queen.")]);
        check_reasons("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1", &[("Nd2", "Which one: Nbd2 or Nfd2?")]);
        assert!(read_move(&Position::startpos(), &"x".repeat(100)).unwrap_err().chars().count() < 80);
    }

    #[test]
    fn pawns_capture_sideways_and_promote() {
        check_reasons(
            "7k/P3p2p/8/1pP5/3p4/4P3/8/K7 w - - 0 1",
            &[
                ("a8", "Name the new piece, as in a8=Q."),
                ("cxb6", "There is nothing to capture on b6."),
                ("c7", "The pawn on c5 cannot move to c7."),
                ("e2", "The pawn on e3 cannot move to e2."),
                ("c6q", "Only a pawn on the last rank becomes another piece."),
                ("g4", "You have no pawn on the g-file."),
                ("Pc6", "That move is written c6."),
            ],
        );
        check_reasons(
            "4k3/4p3/4N3/8/8/8/8/4K3 b - - 0 1",
            &[("e5", "The pawn on e7 cannot move to e5: the knight on e6 is in the way.")],
        );
        // The pawns of an en passant capture leave the rank together.
        check_reasons("7k/8/8/8/K2pP2r/8/8/8 b - e3 0 1", &[("exd6", "You have no pawn on the e-file.")]);
    }

    #[test]
    fn the_king_must_not_be_in_check() {
        check_reasons(
            "4k3/8/8/8/1b6/8/3N4/4K2R w - - 0 1",
            &[("Nf3", "The king would be in check from the bishop on b4.")],
        );
        check_reasons(
            "4k3/8/8/8/4r3/8/3P4/4K2N w - - 0 1",
            &[
                ("Ng3", "The king would be in check from the rook on e4."),
                ("Ke2", "The king would be in check from the rook on e4."),
            ],
        );
    }

    #[test]
    fn castling_has_its_rules() {
        for (fen, text, why) in [
            ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "O-O", "the king or the rook has moved."),
            ("4k3/8/8/8/8/8/8/4K1NR w K - 0 1", "0-0", "the knight on g1 is in the way."),
            ("4k3/8/8/8/8/7b/8/4K2R w K - 0 1", "e1g1", "a square on the king's way is attacked."),
            ("4k3/8/8/8/8/6r1/8/4K2R w K - 0 1", "o-o", "a square on the king's way is attacked."),
            ("4k3/8/8/8/8/4r3/8/4K2R w K - 0 1", "O-O", "the king is in check."),
            ("r3k3/8/8/8/8/8/8/RN2K3 w Qq - 0 1", "O-O-O", "the knight on b1 is in the way."),
            // Chess960: the rook on b1 shields the king on its way to c1.
            ("4k3/8/8/8/8/8/8/rR1K4 w B - 0 1", "O-O-O", "a square on the king's way is attacked."),
        ] {
            check_reasons(fen, &[(text, &format!("You cannot castle: {why}"))]);
        }
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
                let san = position.to_san(mv);
                for text in [format!("{san} !?"), format!("{san} e.p."), san, position.to_uci(mv, false), position.to_uci(mv, true)] {
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
                        // The king's path in Chess960 may be longer than castling.
                        let is_castling = reason.starts_with("That move is written O-O");
                        prop_assert!(is_castling || !reason.contains("is written"), "{text} in {position}: {reason}");
                    }
                }
            }
        }

        #[test]
        fn no_text_panics(text in ".{0,12}|[a-hxNBRQKOPnrqkp0-9=+# -]{1,7}", picks in prop::collection::vec(0usize..1000, 0..80)) {
            let _ = read_move(&random_position(518, &picks), &text);
        }
    }
}
