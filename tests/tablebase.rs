//! The endgame tables beside shakmaty-syzygy, and with files that are missing, cut off or full of noise.

#[path = "support/tables.rs"]
mod tables;

use std::fs;
use std::path::Path;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use sesame::position::Position;
use sesame::syzygy::Tablebases;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess};

/// The names of the WDL tables in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| Some(entry.unwrap().file_name().to_str()?.strip_suffix(".rtbw")?.to_owned()))
        .collect();
    names.sort();
    names
}

/// A random position with the material of the table `name`, in FEN; `None` if what came out is no legal position.
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
    // The square behind a pawn that can just have made a double step.
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

/// A random position in which a pawn can perhaps be taken en passant.
fn random_en_passant(random: &mut Xoshiro256PlusPlus) -> Option<String> {
    let mut below = |n: u32| ((u64::from(random.next_u32()) * u64::from(n)) >> 32) as usize;
    let (file, left) = (below(8), below(2) == 0);
    let beside = if left { file.checked_sub(1)? } else { Some(file + 1).filter(|&file| file < 8)? };
    let white_to_move = below(2) == 0;
    let (row, mover, target, behind) = if white_to_move { (4, 'P', 'p', 6) } else { (3, 'p', 'P', 3) };
    let mut board = ['1'; 64];
    (board[8 * row + file], board[8 * row + beside]) = (target, mover);
    for king in ['K', 'k'] {
        let square = below(64);
        if board[square] != '1' {
            return None;
        }
        board[square] = king;
    }
    let rows: Vec<String> = board.chunks(8).rev().map(|row| row.iter().collect()).collect();
    let side = if white_to_move { 'w' } else { 'b' };
    let fen = format!("{} {side} - {}{behind} 0 1", rows.join("/"), char::from(b'a' + file as u8));
    Position::from_fen(&fen).is_ok_and(|position| position.en_passant().is_some()).then_some(fen)
}

#[test]
fn the_tables_say_what_shakmaty_reads_in_them() {
    let folder = tables::all();
    let (ours, report) = Tablebases::load(folder.to_str().unwrap());
    assert_eq!(report.problems, Vec::<String>::new());
    let names = names(&folder);
    assert_eq!((report.wdl, report.dtz), (names.len(), names.len()));
    let mut theirs = shakmaty_syzygy::Tablebase::<Chess>::new();
    theirs.add_directory(&folder).unwrap();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let (mut compared, mut en_passant) = (0, 0);
    let mut seen = std::collections::BTreeMap::new();
    for name in &names {
        let mut wanted = 400;
        while wanted > 0 {
            let random = match name.as_str() {
                "KPvKP" if wanted > 200 => random_en_passant(&mut random),
                _ => random_fen(name, &mut random),
            };
            let Some(fen) = random else { continue };
            let Ok(position) = fen.parse::<Fen>().unwrap().into_position::<Chess>(CastlingMode::Standard) else {
                continue;
            };
            let expected = theirs.probe_wdl_after_zeroing(&position).unwrap();
            let expected_dtz = theirs.probe_dtz(&position).unwrap().ignore_rounding();
            let position = Position::from_fen(&fen).unwrap();
            let wdl = ours.probe_wdl(&position).unwrap();
            assert_eq!(wdl.value(), i32::from(expected), "{name}: {fen}");
            assert_eq!(ours.probe_dtz(&position), Some(expected_dtz.0), "{name}: {fen}");
            *seen.entry(wdl).or_insert(0) += 1;
            en_passant += usize::from(position.en_passant().is_some());
            compared += 1;
            wanted -= 1;
        }
    }
    println!("{compared} positions of {} tables, {en_passant} with en passant: {seen:?}", names.len());
    assert!(seen.len() >= 3 && (en_passant >= 200 || !tables::have("KPvKP")), "{en_passant}, {seen:?}");
}

/// Probes many positions; whatever the answers are, there must be no panic. How many answers there were.
fn probe_all(tablebases: &Tablebases, fens: &[String]) -> usize {
    let answers = |fen: &String| {
        let position = Position::from_fen(fen).unwrap();
        usize::from(tablebases.probe_wdl(&position).is_some()) + usize::from(tablebases.probe_dtz(&position).is_some())
    };
    fens.iter().map(answers).sum()
}

#[test]
fn damaged_files_are_refused_or_answer_without_a_panic() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(11);
    let names = ["KPvK", "KQvK", "KRvK", "KRvKR"];
    let fens: Vec<String> = (0..60).flat_map(|_| names).filter_map(|name| random_fen(name, &mut random)).collect();
    assert!(fens.len() > 100);
    let folder = std::env::temp_dir().join(format!("sesame-damaged-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let copy = |name: &str, bytes: &[u8]| fs::write(folder.join(name), bytes).unwrap();
    let committed: Vec<(String, Vec<u8>)> = fs::read_dir(tables::committed())
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
        .collect();
    for (name, bytes) in &committed {
        copy(name, bytes);
    }
    let (whole, _) = Tablebases::load(folder.to_str().unwrap());
    let all = probe_all(&whole, &fens);
    assert_eq!(all, 2 * fens.len());
    let (mut refused, mut silent, mut answered) = (0, 0, 0);
    for round in 0..400 {
        let (name, bytes) = &committed[random.next_u32() as usize % committed.len()];
        let mut damaged = bytes.clone();
        // Mostly in the head, where the layout is; there every byte matters.
        let reach = if round % 2 == 0 { damaged.len().min(160) } else { damaged.len() };
        for _ in 0..1 + random.next_u32() % 8 {
            let place = 4 + random.next_u32() as usize % (reach - 4);
            damaged[place] = random.next_u32() as u8;
        }
        // Another file by the same name: the old one is mapped.
        fs::remove_file(folder.join(name)).unwrap();
        copy(name, &damaged);
        let (tablebases, report) = Tablebases::load(folder.to_str().unwrap());
        match (probe_all(&tablebases, &fens), report.problems.len()) {
            (_, 1..) => refused += 1,
            (answers, 0) if answers < all => silent += 1,
            _ => answered += 1,
        }
        fs::remove_file(folder.join(name)).unwrap();
        copy(name, bytes);
    }
    fs::remove_dir_all(&folder).unwrap();
    println!("{refused} refused, {silent} with missing answers, {answered} with all");
    assert!(refused > 50 && answered > 50, "{refused} {silent} {answered}");
}

#[test]
fn many_threads_probe_at_once() {
    let (tablebases, _) = Tablebases::load(tables::committed().to_str().unwrap());
    let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
    let fens: Vec<String> = (0..400).filter_map(|_| random_fen("KRvKR", &mut random)).collect();
    let answers = |fens: &[String]| -> Vec<_> {
        let position = |fen: &String| Position::from_fen(fen).unwrap();
        fens.iter().map(|fen| (tablebases.probe_wdl(&position(fen)), tablebases.probe_dtz(&position(fen)))).collect()
    };
    let alone = answers(&fens);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| answers(&fens))).collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), alone);
        }
    });
}

#[test]
fn no_tables_no_answers() {
    let (none, report) = Tablebases::load("");
    assert!(none.is_empty() && report.problems.is_empty());
    assert_eq!(report.to_string(), "no endgame tables found");
    let position = Position::from_fen("8/8/8/3k4/8/8/8/KR6 w - - 0 1").unwrap();
    assert_eq!((none.probe_wdl(&position), none.probe_dtz(&position)), (None, None));
    let (some, _) = Tablebases::load(tables::committed().to_str().unwrap());
    let castling = Position::from_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1").unwrap();
    assert_eq!(some.probe_wdl(&castling), None);
    assert!(!tables::have("KXvK"));
}
