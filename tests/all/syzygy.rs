//! Syzygy probing beside shakmaty-syzygy, and with missing and damaged files. The fuzz target `syzygy_file` damages more.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use sesame::position::{Game, Outcome, Position};
use sesame::syzygy::{PATH_SEPARATOR, RankedMove, Tablebases, Wdl};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess};
use shakmaty_syzygy::{AmbiguousWdl, SyzygyError, Tablebase};

use crate::support::folder::Folder;
use crate::support::tables;

/// Returns the names of all WDL tables of the test data.
fn names() -> BTreeSet<String> {
    let files = tables::all().into_iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    files.filter_map(|entry| Some(entry.unwrap().file_name().to_str()?.strip_suffix(".rtbw")?.to_owned())).collect()
}

/// Returns a random position with the material of the table `name`, in FEN; `None` for an illegal position.
fn random_fen(name: &str, random: &mut Xoshiro256PlusPlus) -> Option<String> {
    let mut below = |n: u32| ((u64::from(random.next_u32()) * u64::from(n)) >> 32) as usize;
    let mut board = [None; 64];
    let exchange = below(2) == 1;
    for (side, white) in name.split('v').zip([!exchange, exchange]) {
        for letter in side.chars() {
            let square = if letter == 'P' { 8 + below(48) } else { below(64) };
            if board[square].is_some() {
                return None;
            }
            board[square] = Some(if white { letter } else { letter.to_ascii_lowercase() });
        }
    }
    let white_to_move = below(2) == 0;
    // The square behind a pawn after a possible double step.
    let (row, pawn) = if white_to_move { (4, 'p') } else { (3, 'P') };
    let forward = |square: usize| if white_to_move { square + 8 } else { square - 8 };
    let en_passant = (8 * row..8 * row + 8)
        .find(|&square| {
            board[square] == Some(pawn) && board[forward(square)].is_none() && board[forward(forward(square))].is_none()
        })
        .map(|square| {
            let behind = forward(square);
            format!("{}{}", char::from(b'a' + (behind & 7) as u8), behind / 8 + 1)
        });
    let rows: Vec<String> = board
        .chunks(8)
        .rev()
        .map(|row| row.iter().map(|piece| piece.map_or("1".to_owned(), String::from)).collect())
        .collect();
    let side = if white_to_move { 'w' } else { 'b' };
    let fen = format!("{} {side} - {} 0 1", rows.join("/"), en_passant.as_deref().unwrap_or("-"));
    Position::from_fen(&fen).is_ok().then_some(fen)
}

/// Tests for a pawn on its seventh rank, which may promote within the next two plies.
fn can_promote(fen: &str) -> bool {
    let ranks: Vec<&str> = fen.split(['/', ' ']).collect();
    ranks[1].contains('P') || ranks[6].contains('p')
}

/// Returns all tables of the test data, loaded by Sesame and by shakmaty-syzygy.
fn load_all() -> (Tablebases, Tablebase<Chess>) {
    let folders = tables::all();
    let path: Vec<&str> = folders.iter().map(|folder| folder.to_str().unwrap()).collect();
    let (ours, report) = Tablebases::load(&path.join(&PATH_SEPARATOR.to_string()));
    assert_eq!(report.problems, Vec::<String>::new());
    let tables = names().len();
    assert_eq!((report.wdl, report.dtz), (tables, tables));
    let mut theirs = Tablebase::new();
    for folder in &folders {
        theirs.add_directory(folder).unwrap();
    }
    (ours, theirs)
}

fn shakmaty(fen: &str) -> Option<Chess> {
    fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).ok()
}

#[test]
fn probes_agree_with_shakmaty_syzygy() {
    let ((ours, theirs), names) = (load_all(), names());
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let mut en_passant = 0;
    let mut results = BTreeMap::new();
    for name in &names {
        let (mut compared, mut compared_dtz) = (0, 0);
        while compared < 400 {
            let Some(fen) = random_fen(name, &mut random) else { continue };
            // Half of the positions with two pawns have a capture en passant.
            if name == "KPvKP" && compared < 200 && Position::from_fen(&fen).unwrap().en_passant().is_none() {
                continue;
            }
            let Some(position) = shakmaty(&fen) else { continue };
            let expected = theirs.probe_wdl_after_zeroing(&position).unwrap();
            let expected_dtz = theirs.probe_dtz(&position);
            let position = Position::from_fen(&fen).unwrap();
            let wdl = ours.probe_wdl(&position).unwrap();
            assert_eq!(wdl.value(), i32::from(expected), "{name}: {fen}");
            match (ours.probe_dtz(&position), expected_dtz) {
                (Some(dtz), Ok(expected)) => {
                    assert_eq!(dtz, expected.ignore_rounding().0, "{name}: {fen}");
                    compared_dtz += 1;
                }
                // The table after a promotion may be missing.
                (None, Ok(_) | Err(SyzygyError::MissingTable { .. })) if can_promote(&fen) => {}
                (dtz, expected) => panic!("{name}: {fen}: {dtz:?} and {expected:?}"),
            }
            *results.entry(wdl).or_insert(0) += 1;
            en_passant += usize::from(position.en_passant().is_some());
            compared += 1;
        }
        assert!(compared_dtz >= 200, "{name}: {compared_dtz}");
    }
    println!("{} tables, {en_passant} positions with en passant: {results:?}", names.len());
    assert!(results.len() >= 3 && (en_passant >= 200 || !names.contains("KPvKP")), "{en_passant}, {results:?}");
}

/// The result of each root move counts the plies since the last capture or pawn move.
#[test]
fn root_moves_agree_with_shakmaty_syzygy() {
    let (ours, theirs) = load_all();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(63);
    let mut results = BTreeMap::new();
    for name in names() {
        for _ in 0..120 {
            let Some(fen) = random_fen(&name, &mut random) else { continue };
            let mut position = Position::from_fen(&fen).unwrap();
            let clock = if position.en_passant().is_some() { 0 } else { random.next_u32() % 100 };
            position = Position::from_fen(&fen.replace(" 0 1", &format!(" {clock} 120"))).unwrap();
            let (game, moves) = (Game::new(position.clone()), position.legal_moves());
            // The table after a promotion may be missing.
            let Some(ranking) = ours.rank_moves(&game, &moves, true).filter(|ranking| ranking.by_dtz) else { continue };
            for &RankedMove { mv, wdl, dtz } in &ranking.moves {
                let mut after = game.clone();
                after.play(mv);
                let Some(child) = shakmaty(&after.position().to_string()) else { continue };
                // Sesame needs no further table where a move wins.
                let of_opponent = match after.outcome() {
                    Some(Outcome::Checkmate) => AmbiguousWdl::Loss,
                    Some(_) => AmbiguousWdl::Draw,
                    None => match theirs.probe_wdl(&child) {
                        Ok(wdl) => wdl,
                        Err(SyzygyError::MissingTable { .. }) => continue,
                        Err(error) => panic!("{position}: {error}"),
                    },
                };
                // On the last ply Sesame claims no win: the table can be one off.
                let is_last = dtz.unwrap().unsigned_abs() + clock == 100;
                let is_alike = match of_opponent {
                    AmbiguousWdl::Loss => wdl == Wdl::Win || is_last && wdl == Wdl::CursedWin,
                    AmbiguousWdl::MaybeLoss | AmbiguousWdl::BlessedLoss => wdl == Wdl::CursedWin,
                    AmbiguousWdl::Draw => wdl == Wdl::Draw,
                    AmbiguousWdl::MaybeWin | AmbiguousWdl::CursedWin => wdl == Wdl::BlessedLoss,
                    AmbiguousWdl::Win => wdl == Wdl::Loss || is_last && wdl == Wdl::BlessedLoss,
                };
                let uci = position.to_uci(mv, false);
                assert!(is_alike, "{position} {uci}: {wdl:?} {dtz:?}, {of_opponent:?} for the opponent");
                *results.entry(wdl).or_insert(0) += 1;
            }
            // A better result has a higher rank, and so have the preferred moves of the best one.
            let best = ranking.best();
            for one in &ranking.moves {
                for other in &ranking.moves {
                    let is_better = (one.wdl, best.contains(&one.mv)) > (other.wdl, best.contains(&other.mv));
                    assert_eq!(ranking.rank(one.mv) > ranking.rank(other.mv), is_better, "{position}");
                }
            }
        }
    }
    println!("{results:?}");
    assert!(results.len() == 5 && results.values().all(|&count| count >= 50), "{results:?}");
}

/// Any win will do, far from the fifty-move limit: the search chooses. Otherwise the fastest are preferred.
#[test]
fn fastest_wins_are_preferred_near_the_limit_and_after_a_repetition() {
    let (tablebases, _) = Tablebases::load(tables::small().to_str().unwrap());
    let round = ["a1a2", "d5d6", "a2a1", "d6d5"];
    for (clock, moves, is_any) in [(0, &[][..], true), (0, &round[..2], true), (60, &[], false), (0, &round, false)] {
        let fen = format!("8/8/8/3k4/8/8/8/KR6 w - - {clock} 100");
        let mut game = Game::new(Position::from_fen(&fen).unwrap());
        for mv in moves {
            let mv = game.position().from_uci(mv).unwrap();
            game.play(mv);
        }
        let ranking = tablebases.rank_moves(&game, &game.position().legal_moves(), true).unwrap();
        let wins = || ranking.moves.iter().filter(|ranked| ranked.wdl == Wdl::Win);
        let fastest = wins().filter_map(|ranked| ranked.dtz).min();
        let expected: Vec<_> =
            wins().filter(|ranked| is_any || ranked.dtz == fastest).map(|ranked| ranked.mv).collect();
        assert!(
            wins().any(|ranked| ranked.dtz != fastest) && ranking.best() == expected,
            "{clock} {moves:?}: {ranking:?}"
        );
    }
}

/// A damaged file may be refused, or give wrong answers or none.
#[test]
fn damaged_files_never_cause_a_panic() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(11);
    let positions: Vec<Position> = ["KPvK", "KQvK", "KRvK", "KRvKR"]
        .into_iter()
        .flat_map(|name| {
            let fens = std::iter::repeat_with(|| random_fen(name, &mut random)).flatten();
            fens.take(20).map(|fen| Position::from_fen(&fen).unwrap()).collect::<Vec<_>>()
        })
        .collect();
    let folder = Folder::new();
    // Loads the folder; returns whether each file is accepted, and the number of answers.
    let probe = || {
        let (tablebases, report) = Tablebases::load(folder.path().to_str().unwrap());
        let answers = |position| {
            usize::from(tablebases.probe_wdl(position).is_some())
                + usize::from(tablebases.probe_dtz(position).is_some())
        };
        (report.problems.is_empty(), positions.iter().map(answers).sum::<usize>())
    };
    let files: Vec<_> = fs::read_dir(tables::small()).unwrap().map(|entry| entry.unwrap()).collect();
    let read = |file: &fs::DirEntry| (file.file_name().into_string().unwrap(), fs::read(file.path()).unwrap());
    let files: BTreeMap<String, Vec<u8>> = files.iter().map(read).collect();
    for (name, bytes) in &files {
        fs::write(folder.join(name), bytes).unwrap();
    }
    let all = 2 * positions.len();
    assert_eq!(probe(), (true, all));
    let (mut refused, mut unanswered, mut answered) = (0, 0, 0);
    for (name, bytes) in &files {
        for round in 0..32 {
            let mut damaged = bytes.clone();
            // Half of the damages are in the header.
            let reach = if round % 2 == 0 { bytes.len().min(160) } else { bytes.len() };
            for _ in 0..=round % 4 {
                damaged[4 + random.next_u32() as usize % (reach - 4)] = random.next_u32() as u8;
            }
            fs::write(folder.join(name), damaged).unwrap();
            match probe() {
                (false, _) => refused += 1,
                (true, answers) if answers < all => unanswered += 1,
                (true, _) => answered += 1,
            }
        }
        fs::write(folder.join(name), bytes).unwrap();
    }
    println!("{refused} refused, {unanswered} with missing answers, {answered} with all");
    assert!(
        refused >= 50 && answered >= 50,
        "{refused} refused, {unanswered} with missing answers, {answered} with all"
    );
}

#[test]
fn missing_tables_give_no_answer() {
    let (none, report) = Tablebases::load("");
    assert!(none.is_empty() && report.problems.is_empty());
    assert_eq!(report.to_string(), "no Syzygy tables found");
    let position = Position::from_fen("8/8/8/3k4/8/8/8/KR6 w - - 0 1").unwrap();
    assert_eq!((none.probe_wdl(&position), none.probe_dtz(&position)), (None, None));
    let (some, _) = Tablebases::load(tables::small().to_str().unwrap());
    let castling = Position::from_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1").unwrap();
    assert_eq!(some.probe_wdl(&castling), None);
}
