//! FEN and moves as text: errors and messages, accepted variants, damaged text. An integration test compares both with
//! shakmaty along random games.

use proptest::prelude::*;

use super::*;

#[test]
fn each_error_is_detected_and_repaired_if_the_position_is_clear() {
    let king_count = |color, count| FenError::KingCount { color, count };
    let length = |rank, squares| FenError::RankLength { rank, squares };
    let letter = |letter, rank| FenError::PieceLetter { letter, rank };
    let text = |text: &str| text.to_owned();
    for (fen, error) in [
        ("", FenError::FieldCount(0)),
        ("startpos", FenError::Board("startpos".to_owned())),
        ("1. e4 c5 2. Nf3 *", FenError::Board("1.".to_owned())),
        ("4k3/8/8/8/8/8/8/4K3 w -", FenError::FieldCount(3)),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1 moves e1e2", FenError::FieldCount(8)),
        ("4k3/8/8/8/8/8/4K3 w - - 0 1", FenError::RankCount(7)),
        ("4k3/8/8/8/8/8/8/8/4K3 w - - 0 1", FenError::RankCount(9)),
        ("4k3/8/8/8/8/8/8/4K2 w - - 0 1", length(1, 7)),
        ("4k4/8/8/8/8/8/8/4K3 w - - 0 1", length(8, 9)),
        ("4k3/8/8/8//8/8/4K3 w - - 0 1", length(4, 0)),
        ("4k3/8/8/8/8/88888888888888/8/4K3 w - - 0 1", length(3, 112)),
        ("4k3/8/8/8/8/8/8/4X3 w - - 0 1", letter('X', 1)),
        ("4k3/9/8/8/8/8/8/4K3 w - - 0 1", letter('9', 7)),
        ("4k3/8/8/8/80/8/8/4K3 w - - 0 1", letter('0', 4)),
        ("4k3/8/8/♔7/8/8/8/8 w - - 0 1", letter('♔', 5)),
        ("4k3/8/8/8/8/8/8/8 w - - 0 1", king_count(Color::White, 0)),
        ("8/8/8/8/8/8/8/4K3 w - - 0 1", king_count(Color::Black, 0)),
        ("4k3/8/8/8/8/8/8/K3K3 w - - 0 1", king_count(Color::White, 2)),
        ("4k2P/8/8/8/8/8/8/4K3 w - - 0 1", FenError::PawnRank(Square::H8)),
        ("4k3/8/8/8/8/8/8/p3K3 w - - 0 1", FenError::PawnRank(Square::A1)),
        ("4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1", FenError::TooManyPieces(Color::White)),
        ("4k3/qqqqqqqq/qqqqqqqq/8/8/8/8/K7 b - - 0 1", FenError::TooManyPieces(Color::Black)),
        ("4k3/8/8/8/8/8/PPPPPPPP/NNN1K3 w - - 0 1", FenError::TooManyPieces(Color::White)),
        ("8/8/8/3kK3/8/8/8/8 w - - 0 1", FenError::KingsTouch),
        ("4k3/8/8/8/8/8/8/4K3 x - - 0 1", FenError::Side(text("x"))),
        ("4k3/8/8/8/8/8/8/4K3 W - - 0 1", FenError::Side(text("W"))),
        ("4k3/8/8/8/4R3/8/8/4K3 w - - 0 1", FenError::OpponentInCheck(Color::Black)),
        ("4k3/8/3N4/1B6/4R3/8/8/4K3 b - - 0 1", FenError::TooManyCheckers(3)),
        ("4k3/8/8/8/8/8/8/R3K3 w X - 0 1", FenError::Castling(text("X"))),
        ("4k3/8/8/8/8/8/8/R3K3 w Q- - 0 1", FenError::Castling(text("Q-"))),
        ("4k3/8/8/8/8/8/8/R3K3 w QQ - 0 1", FenError::Castling(text("QQ"))),
        ("4k3/8/8/8/8/8/8/R3K3 w QA - 0 1", FenError::Castling(text("QA"))),
        ("4k3/8/8/8/8/8/8/R3K3 w K - 0 1", FenError::CastlingPieces('K')),
        ("4k3/8/8/8/8/8/8/R3K3 w q - 0 1", FenError::CastlingPieces('q')),
        ("4k3/8/8/8/8/8/8/R3K3 w C - 0 1", FenError::CastlingPieces('C')),
        ("4k3/8/8/8/8/8/8/R3K3 w E - 0 1", FenError::CastlingPieces('E')),
        ("4k3/8/8/8/8/8/4K3/R7 w Q - 0 1", FenError::CastlingPieces('Q')),
        ("4k3/8/8/8/8/8/8/4K3 w - e9 0 1", FenError::EnPassant(text("e9"))),
        ("4k3/8/8/8/8/8/8/4K3 w - E6 0 1", FenError::EnPassant(text("E6"))),
        ("4k3/8/8/8/8/8/8/4K3 w - e6 0 1", FenError::EnPassantPawn(Square::E6)),
        ("4k3/8/8/4p3/8/8/8/4K3 w - e5 0 1", FenError::EnPassantPawn(Square::E5)),
        ("4k3/8/8/4p3/8/8/8/4K3 b - e6 0 1", FenError::EnPassantPawn(Square::E6)),
        ("4k3/4p3/8/4p3/8/8/8/4K3 w - e6 0 1", FenError::EnPassantPawn(Square::E6)),
        ("4k3/8/5N2/8/2pP4/8/8/4K3 b - d3 0 1", FenError::EnPassantPawn(Square::D3)),
        ("4k3/8/8/8/8/8/8/4K3 w - - -1 1", FenError::HalfmoveClock(text("-1"))),
        ("4k3/8/8/8/8/8/8/4K3 w - - x 1", FenError::HalfmoveClock(text("x"))),
        ("4k3/8/8/8/8/8/8/4K3 w - - - 1", FenError::HalfmoveClock(text("-"))),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1.5", FenError::MoveNumber(text("1.5"))),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 +1", FenError::MoveNumber(text("+1"))),
    ] {
        let is_clear = match error {
            FenError::FieldCount(fields) => fields > 0,
            // The third knight may be a promoted pawn.
            FenError::TooManyPieces(_) => fen.contains("NNN"),
            FenError::Castling(_) | FenError::CastlingPieces(_) | FenError::EnPassant(_) => true,
            FenError::EnPassantPawn(_) | FenError::HalfmoveClock(_) | FenError::MoveNumber(_) => true,
            _ => false,
        };
        assert_eq!(Position::from_lenient_fen(fen).is_ok(), is_clear, "{fen}");
        assert_eq!(Position::from_fen(fen), Err(error), "{fen}");
    }
}

#[test]
fn error_messages() {
    let message = |fen: &str| Position::from_fen(fen).unwrap_err().to_string();
    assert_eq!(message("4k3/8/8/8/8/8/8/8 w - - 0 1"), "White has 0 kings instead of one");
    let escape = message("4k3/8/8/8/8/8/8/4K3 \u{1b}[2J - - 0 1");
    assert_eq!(escape, r#"the side to move is "\u{1b}[2J" instead of "w" or "b""#);
    let long = message(&format!("4k3/8/8/8/8/8/8/4K3 {} - - 0 1", "w".repeat(1 << 20)));
    assert!(long.len() < 100, "{long}");
}

#[test]
fn variants_of_guis_are_accepted() {
    let start = Position::startpos().fen(false);
    for fen in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0",
        "  rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR\tw  qkQK - 0 1\r\n",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 0",
        "rnbqkbnr/pppppppp/44/1111112/8/8/PPPPPPPP/RNBQKBNR w KQkq - 00 01",
    ] {
        assert_eq!(position(fen).fen(false), start, "{fen}");
    }
    // The square is valid input, but no capture is legal.
    let stepped = position("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1");
    assert_eq!(stepped.fen(false), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    let old = position("4k3/8/8/8/8/8/8/4K3 w - - 150 99999");
    assert_eq!((old.halfmove_clock(), old.fullmove_number()), (100, 65_535));
}

#[test]
fn slightly_wrong_fens_are_repaired() {
    let rights = "r3k2r/8/8/8/8/8/8/4K2R";
    for (fen, repaired, faults) in [
        (
            "5rk1/pp1n1pbp/1q2rnp1/2p3B1/P3P3/2N1QB1P/1PP3P1/R4R1K b - a6 0 16",
            "5rk1/pp1n1pbp/1q2rnp1/2p3B1/P3P3/2N1QB1P/1PP3P1/R4R1K b - - 0 16",
            vec!["no pawn can have made a double step over a6 in the last move: dropped"],
        ),
        // The knight's check cannot have been left standing by the double step.
        (
            "k7/8/8/3pP3/8/7n/5K2/8 w - d6 0 1",
            "k7/8/8/3pP3/8/7n/5K2/8 w - - 0 1",
            vec!["no pawn can have made a double step over d6 in the last move: dropped"],
        ),
        (
            &format!("{rights} w KQkq - 0 1"),
            &format!("{rights} w Kkq - 0 1"),
            vec!["castling right 'Q' has no king and rook to castle with: dropped"],
        ),
        (
            &format!("{rights} w Kkqx z9 0 1"),
            &format!("{rights} w Kkq - 0 1"),
            vec![
                r#""Kkqx" is not a set of castling rights (such as "KQkq", "HAha" or "-"): dropped"#,
                r#""z9" is not an en passant square (such as "e3" or "-"): dropped"#,
            ],
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 b",
            "4k3/8/8/8/8/8/8/4K3 b - - 0 1",
            vec![
                "a FEN has 6 fields (the 2 clocks may be missing), this one has 2: missing fields count as `w - - 0 1` (White to move, no castling)",
            ],
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 b - - - -7",
            "4k3/8/8/8/8/8/8/4K3 b - - 0 1",
            vec![
                r#"the halfmove clock "-" is not a number from 0 up: counts as 0"#,
                r#"the move number "-7" is not a number from 0 up: counts as 1"#,
            ],
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 b - - bm Kd7; id \"x\";",
            "4k3/8/8/8/8/8/8/4K3 b - - 0 1",
            vec![r#"the halfmove clock "bm" is not a number from 0 up: dropped with all that follows"#],
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 b - - 3 9 bm Kd7;",
            "4k3/8/8/8/8/8/8/4K3 b - - 3 9",
            vec!["a FEN has 6 fields (the 2 clocks may be missing), this one has 8: the rest is dropped"],
        ),
        (
            "4k3/8/8/8/8/QQQ5/QQQQQQQQ/4K3 b - - 0 1",
            "4k3/8/8/8/8/QQQ5/QQQQQQQQ/4K3 b - - 0 1",
            vec!["White has more pieces than the first 16 and their promotions can give: accepted"],
        ),
    ] {
        let (position, repairs) = Position::from_lenient_fen(fen).unwrap();
        assert_eq!(position.fen(false), repaired);
        assert_eq!(repairs.iter().map(ToString::to_string).collect::<Vec<_>>(), faults, "{fen}");
        assert_eq!(Position::from_fen(fen), Err(repairs[0].fault.clone()));
    }
}

#[test]
fn castling_letters_of_chess960() {
    for (fen, x_fen, shredder) in [
        ("4k3/8/8/8/8/8/8/4KR1R w K -", "K", "H"),
        ("4k3/8/8/8/8/8/8/4KR1R w F -", "F", "F"),
        ("4k3/8/8/8/8/8/8/R1R1K3 w Q -", "Q", "A"),
        ("4k3/8/8/8/8/8/8/R1R1K3 w C -", "C", "C"),
        ("1rk3r1/8/8/8/8/8/8/1RK3R1 w bgBG -", "KQkq", "GBgb"),
    ] {
        let position = position(fen);
        assert_eq!(position.fen(false).split(' ').nth(2), Some(x_fen), "{fen}");
        assert_eq!(position.fen(true).split(' ').nth(2), Some(shredder), "{fen}");
    }
}

/// A position after random moves from a start position.
fn any_position() -> impl Strategy<Value = Position> {
    (0..960_u32, any::<bool>(), proptest::collection::vec(any::<u16>(), 0..120)).prop_map(|(n, standard, choices)| {
        let mut position = if standard { Position::startpos() } else { Position::chess960(n) };
        for choice in choices {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position.play(moves[usize::from(choice) % moves.len()]);
        }
        position
    })
}

proptest! {
    #[test]
    fn any_text_is_parsed_or_refused(text in ".*") {
        let _ = Position::from_fen(&text);
        let _ = Position::startpos().from_uci(&text);
    }

    /// A FEN with a few characters changed, removed or inserted is refused or gives a valid position.
    #[test]
    fn damaged_fens_are_refused_or_valid(
        position in any_position(),
        damage in proptest::collection::vec((any::<u16>(), 0..3_u8, "[ -/0-9KQRBNPkqrbnpwbAaHhe]"), 1..4),
    ) {
        let mut letters: Vec<char> = position.fen(false).chars().collect();
        for (place, kind, letter) in damage {
            let place = usize::from(place) % letters.len();
            let letter = letter.chars().next().unwrap();
            match kind {
                0 => letters[place] = letter,
                1 => letters.insert(place, letter),
                _ => drop(letters.remove(place)),
            }
        }
        let fen: String = letters.into_iter().collect();
        if let Ok((position, repairs)) = Position::from_lenient_fen(&fen) {
            prop_assert_eq!(position.keys, position.keys_from_scratch());
            for &mv in &position.legal_moves() {
                let mut after = position.clone();
                after.play(mv);
                prop_assert_eq!(after.keys, after.keys_from_scratch());
                prop_assert!(after.legal_moves().len() <= 218 || !repairs.is_empty());
            }
            let (again, _) = Position::from_lenient_fen(&position.fen(true)).unwrap();
            prop_assert_eq!(again, position);
        }
    }
}

#[test]
fn uci_round_trip() {
    random_games(12, 200, |position, _| {
        for &mv in &position.legal_moves() {
            assert_eq!(position.from_uci(&position.to_uci(mv, true)), Ok(mv), "{position}");
            assert_eq!(mv.to_string(), position.to_uci(mv, true));
        }
    });
}

#[test]
fn chess960_castling_is_written_as_king_takes_rook() {
    for (fen, castling, step) in [
        // The king stays, moves one square, moves two from another square.
        ("4k3/8/8/8/8/8/8/6KR w H - 0 1", "g1h1", "g1f1"),
        ("4k3/8/8/8/8/8/8/5K1R w H - 0 1", "f1h1", "f1g1"),
        ("4k3/8/8/8/8/8/8/1R1K4 w B - 0 1", "d1b1", "d1c1"),
        ("4k3/8/8/8/8/8/8/1R2K3 w B - 0 1", "e1b1", "e1d1"),
    ] {
        let position = Position::from_fen(fen).unwrap();
        for text in [castling, step] {
            let mv = position.from_uci(text).unwrap();
            assert_eq!(position.is_castling(mv), text == castling, "{fen}");
            assert_eq!((position.to_uci(mv, false), position.to_uci(mv, true)), (text.into(), text.into()), "{fen}");
        }
    }
}

#[test]
fn castling_in_both_styles() {
    let standard = position("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    for (short, long) in [("e1g1", "e1h1"), ("e1c1", "e1a1")] {
        let mv = standard.from_uci(short).unwrap();
        assert_eq!(standard.from_uci(long), Ok(mv));
        assert_eq!(standard.to_uci(mv, false), short);
        assert_eq!(standard.to_uci(mv, true), long);
    }
    // f1c1 is no step and means castling.
    let chess960 = position("4k3/8/8/8/8/8/8/R4K1R w KQ - 0 1");
    assert!(chess960.is_castling(chess960.from_uci("f1c1").unwrap()));
    // King and rook are adjacent: capturing the rook is castling.
    let beside = position("4k3/8/8/8/8/8/8/5KR1 w K - 0 1");
    assert!(beside.is_castling(beside.from_uci("f1g1").unwrap()));
}

#[test]
fn invalid_moves_have_messages() {
    let start = Position::startpos();
    for text in
        ["", "e2", "e2e", "e2e9", "i2i4", "e2e4e5", "e7e8k", "e7e8p", "0000", "e2e2", "E2E4", "♔♔", "e2 e4", "O-O"]
    {
        assert_eq!(start.from_uci(text), Err(MoveError::Syntax(text.to_owned())), "{text}");
    }
    for text in ["e2e5", "e7e5", "e1g1", "e1h1", "e2e4q", "a1b1"] {
        assert!(matches!(start.from_uci(text), Err(MoveError::Illegal(mv)) if mv.to_string() == text), "{text}");
    }
    assert_eq!(start.from_uci("e2e5").unwrap_err().to_string(), "e2e5 is not legal in this position");
    assert_eq!(
        start.from_uci("hello").unwrap_err().to_string(),
        "\"hello\" is not a move (such as \"e2e4\" or \"e7e8q\")"
    );
    assert!(start.from_uci(&"e2e4".repeat(1 << 18)).unwrap_err().to_string().len() < 100);
    let promotion = position("4k3/1P6/8/8/8/8/8/4K3 w - - 0 1");
    assert_eq!(promotion.from_uci("b7b8q"), promotion.from_uci("b7b8Q"));
    assert!(promotion.from_uci("b7b8").is_err());
}

#[test]
fn standard_algebraic_notation() {
    for (fen, mv, san) in [
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6", "e5d6", "exd6"),
        ("r3k3/1P6/8/8/8/8/8/4K3 w q -", "b7a8q", "bxa8=Q+"),
        ("k7/2P5/1K6/8/8/8/8/8 w - -", "c7c8q", "c8=Q#"),
        ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq -", "e8c8", "O-O-O"),
        ("5k2/8/8/8/8/8/8/4K2R w K -", "e1g1", "O-O+"),
        // Disambiguation by file, rank and both; a pinned piece needs none.
        ("4k3/8/8/8/8/8/4K3/R6R w - -", "a1d1", "Rad1"),
        ("4k3/8/8/R7/8/8/8/R3K3 w - -", "a1a3", "R1a3"),
        ("8/8/k7/8/4Q2Q/8/8/K6Q w - -", "h4e1", "Qh4e1"),
        ("4k3/8/8/8/4r3/8/4N3/1N2K3 w - -", "b1c3", "Nc3"),
        ("4k3/8/8/8/8/2p5/8/1N2KN2 w - -", "b1c3", "Nxc3"),
    ] {
        let position = position(fen);
        let mv = position.from_uci(mv).unwrap();
        assert_eq!(position.to_san(mv), san, "{fen}");
        assert_eq!(position.from_san(san), Ok(mv), "{fen}");
    }
}

#[test]
fn lenient_algebraic_notation() {
    let castling = position("r3k2r/1P6/8/3p4/4P3/8/8/RN2K2R w KQkq -");
    for (text, mv) in [
        ("0-0", "e1g1"),
        ("O-O!?", "e1g1"),
        ("ed5", "e4d5"),
        ("e4xd5", ""),
        ("ba8Q+", "b7a8q"),
        ("b8N", "b7b8n"),
        ("b8", ""),
        ("Nb1c3", "b1c3"),
        ("Nbc3", "b1c3"),
        ("N1c3", "b1c3"),
        ("Nc4", ""),
        ("nc3", ""),
        ("", ""),
        ("e2e4", ""),
    ] {
        let expected = castling.from_uci(mv).ok();
        assert_eq!(castling.from_san(text).ok(), expected, "{text}");
    }
    let two = position("4k3/8/8/8/8/8/8/1N2KN2 w - -");
    assert_eq!(two.from_san("Nd2"), Err(MoveError::Ambiguous("Nd2".to_owned())), "one of two knights");
    assert_eq!(two.from_san("Nd4"), Err(MoveError::San("Nd4".to_owned())));
    assert!(two.from_san(&"N".repeat(1 << 18)).unwrap_err().to_string().len() < 100);
}
