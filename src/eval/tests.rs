//! What must hold for any weights: symmetry, agreement with the trace, bounds.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::*;

/// Calls `visit` with positions (no checks) along random games from the start.
pub(super) fn random_positions(games: usize, mut visit: impl FnMut(&Position)) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1994);
    for game in 0..games {
        let mut position =
            if game % 4 == 0 { Position::chess960(random.next_u32() % 960) } else { Position::startpos() };
        for _ in 0..160 {
            let moves = position.legal_moves();
            if moves.is_empty() || position.insufficient_material() {
                break;
            }
            position.play(moves[random.next_u32() as usize % moves.len()]);
            if !position.in_check() {
                visit(&position);
            }
        }
    }
}

/// The same position with colours changed and the board turned.
pub(super) fn mirrored(position: &Position) -> Position {
    let fen = position.fen(true);
    let fields: Vec<&str> = fen.split(' ').collect();
    let swap = |text: &str| -> String {
        let swap_case = |c: char| if c.is_ascii_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() };
        text.chars().map(swap_case).collect()
    };
    let board: Vec<String> = fields[0].split('/').rev().map(swap).collect();
    let side = if fields[1] == "w" { "b" } else { "w" };
    let en_passant = fields[3].replace('3', "x").replace('6', "3").replace('x', "6");
    let castling = if fields[2] == "-" { String::from("-") } else { swap(fields[2]) };
    Position::from_fen(&format!("{} {side} {castling} {en_passant} 0 1", board.join("/"))).unwrap()
}

#[test]
fn a_position_and_its_mirror_image_have_the_same_value() {
    let (mut cache, mut seen) = (EvalCache::new(), 0);
    random_positions(150, |position| {
        let mirror = mirrored(position);
        assert_eq!(evaluate(position, &mut cache), evaluate(&mirror, &mut cache), "{}", position.fen(true));
        seen += 1;
    });
    assert!(seen > 10_000);
}

#[test]
fn the_trace_put_together_is_the_evaluation() {
    let mut cache = EvalCache::new();
    random_positions(40, |position| {
        let mut record = Record::new();
        let traced = evaluate_white(position, &mut cache, &mut record);
        let silent = evaluate_white(position, &mut cache, &mut Silent);
        assert_eq!((traced, record.recombine()), (silent, silent), "{}", position.fen(true));
    });
}

#[test]
fn the_value_does_not_depend_on_the_cache() {
    let mut cache = EvalCache::new();
    random_positions(40, |position| {
        assert_eq!(evaluate(position, &mut cache), evaluate(position, &mut EvalCache::new()), "{}", position.fen(true));
    });
}

#[test]
fn values_stay_in_bounds_even_on_absurd_boards() {
    for fen in [
        // All that eight promotions give, against next to nothing.
        "7k/QQQQQQ2/QQQ5/RR6/BB6/2NN4/8/K7 w - - 0 1",
        "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
        "7k/RRRRRR2/RRRR4/8/8/BBNN4/6Q1/K7 w - - 0 1",
        // The same on both sides.
        "qqqqqqqk/qqrrbbnn/8/8/8/8/QQRRBBNN/QQQQQQQK w - - 0 1",
        // Eight pawns about to queen, and on both sides.
        "8/PPPPPPPP/8/8/4k3/8/8/4K3 w - - 0 1",
        "8/PPPPPPPP/8/8/8/8/8/k3K3 w - - 0 1",
        "8/PPPPPPPP/6k1/8/8/4K3/pppppppp/8 w - - 0 1",
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
    ] {
        for fen in [fen.to_owned(), fen.replace(" w ", " b ")] {
            let position = Position::from_fen(&fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
            assert!(!position.in_check(), "{fen}");
            let value = evaluate(&position, &mut EvalCache::new());
            assert!(value.abs() < VALUE_LIMIT, "{fen}: {value}");
        }
    }
}

#[test]
fn clear_cases_are_seen_clearly() {
    let value = |fen| evaluate(&Position::from_fen(fen).unwrap(), &mut EvalCache::new());
    assert!(value("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1") > 500, "a queen more");
    assert_eq!(value("4k3/8/8/8/8/8/8/NN2K3 w - - 0 1"), 0, "two knights do not win");
    assert_eq!(value("k7/8/P7/8/8/8/8/2B1K3 w - - 0 1"), 0, "the wrong bishop");
    assert!(value("k7/8/P7/8/8/8/8/3BK3 w - - 0 1") > 100, "the right bishop");
    let (good, bad) = (value("7k/5K2/8/8/8/8/8/2B1N3 w - - 0 1"), value("k7/2K5/8/8/8/8/8/2B1N3 w - - 0 1"));
    assert!(good > bad, "a dark bishop mates in a dark corner: {good} {bad}");
}

/// Prints the speed; run it with `cargo test --release -- --ignored --nocapture evaluation_speed`.
#[test]
#[ignore = "a measurement"]
fn evaluation_speed() {
    let mut positions = Vec::new();
    random_positions(60, |position| positions.push(position.clone()));
    let mut cache = EvalCache::new();
    for round in 0..3 {
        let start = std::time::Instant::now();
        let mut sum = 0_i64;
        for _ in 0..100 {
            for position in &positions {
                sum += i64::from(evaluate(position, &mut cache));
            }
        }
        let rate = 100.0 * positions.len() as f64 / start.elapsed().as_secs_f64();
        eprintln!("round {round}: {rate:.0} evaluations per second (checksum {sum})");
    }
}
