//! Moves in UCI and SAN. An integration test compares both with shakmaty along random games.

use super::*;

#[test]
fn uci_round_trip() {
    random_games(12, 200, |position, _| {
        for &mv in &position.legal_moves() {
            assert_eq!(position.from_uci(&position.to_uci(mv, true)), Ok(mv), "{position}");
            assert_eq!(mv.to_string(), position.to_uci(mv, true));
        }
    });
    // The short form of castling is unambiguous in standard chess.
    let mut castlings = 0;
    for start in suite().filter(|position| position.fen(false).contains(" KQkq ")) {
        if start.king(Color::White) == Square::E1 && start.king(Color::Black) == Square::E8 {
            for &mv in &start.legal_moves() {
                assert_eq!(start.from_uci(&start.to_uci(mv, false)), Ok(mv), "{start}");
                castlings += u32::from(start.is_castling(mv));
            }
        }
    }
    assert!(castlings >= 4);
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
    // f1g1 is a king's step, castling is f1h1; f1c1 is no step and means castling.
    let chess960 = position("4k3/8/8/8/8/8/8/R4K1R w KQ - 0 1");
    let step = chess960.from_uci("f1g1").unwrap();
    assert!(!chess960.is_castling(step));
    let castling = chess960.from_uci("f1h1").unwrap();
    assert!(chess960.is_castling(castling));
    assert_eq!(chess960.to_uci(castling, true), "f1h1");
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
        let mv = super::super::notation::parse(text).unwrap();
        assert_eq!(start.from_uci(text), Err(MoveError::Illegal(mv)), "{text}");
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
        ("4k3/8/8/8/8/8/4P3/4K3 w - -", "e2e4", "e4"),
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - -", "e4d5", "exd5"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6", "e5d6", "exd6"),
        ("r3k3/1P6/8/8/8/8/8/4K3 w q -", "b7a8q", "bxa8=Q+"),
        ("k7/2P5/1K6/8/8/8/8/8 w - -", "c7c8q", "c8=Q#"),
        ("k7/2P5/1K6/8/8/8/8/8 w - -", "c7c8n", "c8=N"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq -", "e1g1", "O-O"),
        ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq -", "e8c8", "O-O-O"),
        ("5k2/8/8/8/8/8/8/4K2R w K -", "e1g1", "O-O+"),
        // Disambiguation by file, rank and both; a pinned piece needs none.
        ("4k3/8/8/8/8/8/4K3/R6R w - -", "a1d1", "Rad1"),
        ("4k3/8/8/R7/8/8/8/R3K3 w - -", "a1a3", "R1a3"),
        ("8/8/k7/8/4Q2Q/8/8/K6Q w - -", "h4e1", "Qh4e1"),
        ("4k3/8/8/8/4r3/8/4N3/1N2K3 w - -", "b1c3", "Nc3"),
        ("4k3/8/8/8/8/2p5/8/1N2KN2 w - -", "b1c3", "Nxc3"),
        ("4k3/8/8/8/8/8/8/1N2KN2 w - -", "b1d2", "Nbd2"),
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
    assert!(two.from_san("Nd2").is_err(), "one of two knights");
    assert!(two.from_san(&"N".repeat(1 << 18)).unwrap_err().to_string().len() < 100);
}
