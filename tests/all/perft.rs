//! The rules beside shakmaty, an independent oracle.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use sesame::position::{Move, Piece, Position, Square};
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, FromSetup, Position as _, PositionErrorKinds};

const POSITIONS: &str = include_str!("../data/positions.fen");

/// Returns the positions of the suite with their depths.
fn suite() -> impl Iterator<Item = (&'static str, u32)> {
    POSITIONS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(|line| {
        let (fen, depth) = line.split_once(" ; ").expect("FEN ; depth");
        (fen, depth.parse().expect("a depth"))
    })
}

fn oracle(fen: &str) -> Chess {
    Fen::from_ascii(fen.as_bytes()).expect(fen).into_position(CastlingMode::Chess960).expect(fen)
}

/// Converts a move of the oracle.
fn ours(mv: shakmaty::Move) -> Move {
    let UciMove::Normal { from, to, promotion } = UciMove::from_chess960(mv) else {
        panic!("{mv:?} is not a move of chess");
    };
    let square = |square: shakmaty::Square| Square::index(usize::from(square));
    let promotion = promotion.map(|role| Piece::try_from(role.char()).expect("a piece"));
    Move::new(square(from), square(to), promotion)
}

/// Returns both lists of legal moves, sorted alike; the second with the oracle's own moves.
fn moves(position: &Position, oracle: &Chess) -> (Vec<Move>, Vec<(Move, shakmaty::Move)>) {
    let mut listed = position.legal_moves().to_vec();
    let mut expected: Vec<_> = oracle.legal_moves().into_iter().map(|mv| (ours(mv), mv)).collect();
    listed.sort();
    expected.sort_by_key(|&(mv, _)| mv);
    (listed, expected)
}

fn assert_same_moves(position: &Position, oracle: &Chess) -> Vec<(Move, shakmaty::Move)> {
    let (listed, expected) = moves(position, oracle);
    assert!(listed.iter().eq(expected.iter().map(|(mv, _)| mv)), "{position}: {listed:?} instead of {expected:?}");
    expected
}

/// Descends to the first position whose move lists differ, and fails there.
fn find_difference(position: &Position, oracle: &Chess, depth: u32) {
    let same = assert_same_moves(position, oracle);
    if depth > 1 {
        for (mv, theirs) in same {
            let (mut position, mut oracle) = (position.clone(), oracle.clone());
            position.play(mv);
            oracle.play_unchecked(theirs);
            find_difference(&position, &oracle, depth - 1);
        }
    }
}

fn assert_same_perft(position: &Position, oracle: &Chess, depth: u32) {
    if position.perft(depth) != shakmaty::perft(oracle, depth) {
        find_difference(position, oracle, depth);
        panic!("perft {depth} of {position} differs, the moves do not");
    }
}

#[test]
fn perft_of_the_suite() {
    for (fen, depth) in suite() {
        let position = Position::from_fen(fen).expect(fen);
        for depth in 1..=depth {
            assert_same_perft(&position, &oracle(fen), depth);
        }
    }
}

/// Kings and rooks on every three files, other ones for each side: all castling moves out and in.
#[test]
fn perft_of_every_way_to_castle() {
    let from = |file: u8| file + 1..8;
    let places: Vec<[u8; 3]> = (0..8)
        .flat_map(|left| from(left).flat_map(move |king| from(king).map(move |right| [left, king, right])))
        .collect();
    assert_eq!(places.len(), 56);
    let rank = |[left, king, right]: [u8; 3]| -> String {
        let piece = |file| if file == king { 'K' } else { ['1', 'R'][usize::from([left, right].contains(&file))] };
        (0..8).map(piece).collect()
    };
    let rights =
        |[left, _, right]: [u8; 3]| [right, left].map(|file| char::from(b'A' + file)).iter().collect::<String>();
    for (number, &white) in places.iter().enumerate() {
        let black = places[(17 * number + 5) % 56];
        let fen = format!(
            "{}/pppppppp/8/8/8/8/PPPPPPPP/{} w {}{} - 0 1",
            rank(black).to_lowercase(),
            rank(white),
            rights(white),
            rights(black).to_lowercase()
        );
        assert_same_perft(&Position::from_fen(&fen).expect(&fen), &oracle(&fen), 3);
    }
}

#[test]
fn chess960_start_positions_can_be_read_back() {
    let fens: std::collections::BTreeSet<String> = (0..960).map(|n| Position::chess960(n).fen(true)).collect();
    assert_eq!(fens.len(), 960);
    for fen in fens {
        let position = Position::from_fen(&fen).expect(&fen);
        assert_same_moves(&position, &oracle(&fen));
        assert_eq!(position.fen(true), fen);
    }
}

/// The published numbers guard against a mistake that shakmaty shares.
#[test]
fn perft_matches_published_numbers() {
    for (fen, depth, nodes) in [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 5, 4_865_609),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 4, 4_085_603),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 6, 11_030_083),
        ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 4, 422_333),
        ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 4, 2_103_487),
        ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 4, 3_894_594),
        ("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1", 1, 218),
        ("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", 4, 326_672),
        ("2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9", 4, 667_366),
    ] {
        assert_eq!(Position::from_fen(fen).expect(fen).perft(depth), nodes, "{fen}");
    }
}

#[test]
fn random_games_agree_with_shakmaty() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
    let mut starts: Vec<String> = suite().map(|(fen, _)| fen.to_owned()).collect();
    starts.extend((0..100).map(|_| Position::startpos().fen(false)));
    starts.extend((0..100).map(|_| Position::chess960(random.next_u32() % 960).fen(true)));
    for start in starts {
        let mut position = Position::from_fen(&start).expect(&start);
        let mut oracle = oracle(&start);
        for _ in 0..200 {
            let same = assert_same_moves(&position, &oracle);
            let fen = Fen::from_position(&oracle, EnPassantMode::Legal).to_string();
            assert_eq!(position.fen(false), fen);
            assert_eq!(Position::from_fen(&fen), Ok(position.clone()));
            assert_eq!(position.in_check(), oracle.is_check(), "{fen}");
            assert_eq!(position.has_legal_move(), !same.is_empty(), "{fen}");
            assert!(oracle.is_insufficient_material() || !position.insufficient_material(), "{fen}");
            if same.is_empty() || position.halfmove_clock() == 100 {
                break;
            }
            for &(mv, theirs) in &same {
                let as_960 = UciMove::from_chess960(theirs).to_string();
                assert_eq!(position.to_uci(mv, true), as_960, "{fen}");
                // The standard notation of other castling moves would be ambiguous.
                let is_standard = !theirs.is_castle() || ["e1h1", "e1a1", "e8h8", "e8a8"].contains(&&*as_960);
                let wanted = if is_standard { UciMove::from_standard(theirs).to_string() } else { as_960 };
                assert_eq!(position.to_uci(mv, false), wanted, "{fen}");
                assert_eq!(position.to_san(mv), SanPlus::from_move(oracle.clone(), theirs).to_string(), "{fen}");
                assert_eq!(position.captured(mv).is_some(), theirs.is_capture(), "{mv} in {fen}");
                assert_eq!(position.is_castling(mv), theirs.is_castle(), "{mv} in {fen}");
                assert_eq!(position.is_en_passant(mv), theirs.is_en_passant(), "{mv} in {fen}");
            }
            let (mv, theirs) = same[random.next_u32() as usize % same.len()];
            position.play(mv);
            oracle.play_unchecked(theirs);
        }
    }
}

/// Random pieces on random squares: both accept the same positions. Only shakmaty rejects checks that no move can give.
#[test]
fn random_boards_agree_with_shakmaty() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(4);
    let (mut read, mut refused) = (0, 0);
    for _ in 0..100_000 {
        let fen = random_board(&mut random);
        let theirs =
            Chess::from_setup(Fen::from_ascii(fen.as_bytes()).expect(&fen).into_setup(), CastlingMode::Chess960);
        match (Position::from_fen(&fen), theirs) {
            (Ok(position), Ok(oracle)) => {
                assert_same_moves(&position, &oracle);
                read += 1;
            }
            (Ok(_), Err(error)) => assert_eq!(error.kinds(), PositionErrorKinds::IMPOSSIBLE_CHECK, "{fen}"),
            (Err(error), Ok(_)) => panic!("{fen}: {error}"),
            (Err(_), Err(_)) => refused += 1,
        }
    }
    assert!(read > 10_000 && refused > 10_000, "{read} read, {refused} refused");
}

fn random_board(random: &mut Xoshiro256PlusPlus) -> String {
    let mut squares = [None; 64];
    let mut place = |letter: char, random: &mut Xoshiro256PlusPlus| {
        squares[random.next_u32() as usize % 64] = Some(letter);
    };
    let pieces = random.next_u32() % 14;
    for _ in 0..pieces {
        let letters = "PPNBRQpppnbrq";
        let letter = letters.as_bytes()[random.next_u32() as usize % letters.len()];
        place(char::from(letter), random);
    }
    place('K', random);
    place('k', random);
    let ranks: Vec<String> =
        squares.chunks(8).map(|rank| rank.iter().map(|square| square.unwrap_or('1')).collect::<String>()).collect();
    let side = ['w', 'b'][random.next_u32() as usize % 2];
    format!("{} {side} - - 0 1", ranks.join("/"))
}
