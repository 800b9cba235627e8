//! Syzygy tables: whole endgames, the order of root moves, and unusable files. The rest is a transcript.

use std::fs;
use std::path::{MAIN_SEPARATOR, Path};

use sesame::position::{Game, Move, Outcome, Position};
use sesame::syzygy::{PATH_SEPARATOR, Tablebases, Wdl};

use crate::support::folder::Folder;
use crate::support::{Session, infos, tables};

/// Starts an engine with the tables of some folders. Returns its messages about them as well.
fn start(folders: &[&Path]) -> (Session, Vec<String>) {
    let mut session = Session::start();
    let path: Vec<&str> = folders.iter().map(|folder| folder.to_str().unwrap()).collect();
    session.send(&format!("setoption name SyzygyPath value {}", path.join(&PATH_SEPARATOR.to_string())));
    let said = session.sync();
    (session, said)
}

/// Returns the `tbhits` of the last line of play.
fn tb_hits(lines: &[String]) -> u64 {
    infos(lines).pop().unwrap().tb_hits
}

fn table(name: &str) -> Vec<u8> {
    fs::read(tables::small().join(name)).unwrap()
}

/// Returns the move that delays the loss longest, by DTZ.
fn best_defence(tablebases: &Tablebases, game: &Game) -> Move {
    let moves = game.position().legal_moves();
    let ranking = tablebases.rank_moves(game, &moves, true).unwrap();
    ranking.moves.iter().min_by_key(|ranked| (std::cmp::Reverse(ranked.wdl), ranked.dtz)).unwrap().mv
}

#[test]
fn won_endgames_are_won_within_fifty_moves() {
    let folder = tables::small();
    let (tablebases, _) = Tablebases::load(folder.to_str().unwrap());
    let (mut session, said) = start(&[&folder]);
    assert_eq!(said, ["info string Syzygy tables: 6 WDL and 6 DTZ, up to 4 pieces"]);
    for fen in [
        "8/8/8/3k4/8/8/8/KQ6 w - - 0 1",
        "8/8/8/3k4/8/8/8/KR6 w - - 0 1",
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
        "8/8/8/8/3K4/8/8/kr6 b - - 60 80",
    ] {
        let mut game = Game::new(Position::from_fen(fen).unwrap());
        let winner = game.position().side_to_move();
        let mut moves = Vec::new();
        session.send("ucinewgame");
        while game.outcome().is_none() {
            let mv = if game.position().side_to_move() == winner {
                session.send(&format!("position fen {fen} moves {}", moves.join(" ")));
                let best = session.best_move("go nodes 400");
                game.position().from_uci(&best).unwrap()
            } else {
                best_defence(&tablebases, &game)
            };
            moves.push(game.position().to_uci(mv, false));
            game.play(mv);
        }
        assert_eq!(game.outcome(), Some(Outcome::Checkmate), "{fen}: {moves:?}");
        assert_ne!(game.position().side_to_move(), winner);
        println!("{fen}: mate after {} plies", moves.len());
    }
    session.quit();
}

/// Winning moves come first if all moves are shown.
#[test]
fn root_moves_keep_the_order_of_the_tables() {
    let (mut session, _) = start(&[&tables::small()]);
    session.send("setoption name MultiPV value 256");
    let (tablebases, _) = Tablebases::load(tables::small().to_str().unwrap());
    let mut mixed = 0;
    for king in ["3K4", "4K3", "5K2"] {
        let fen = format!("8/8/3k4/8/{king}/4P3/8/8 w - - 0 1");
        let game = Game::new(Position::from_fen(&fen).unwrap());
        let moves = game.position().legal_moves();
        let ranking = tablebases.rank_moves(&game, &moves, true).unwrap();
        let wins = ranking.moves.iter().filter(|ranked| ranked.wdl == Wdl::Win).count();
        mixed += usize::from(0 < wins && wins < moves.len());
        session.send(&format!("position fen {fen}"));
        let lines = session.search("go depth 3");
        let infos = infos(&lines);
        let last: Vec<i64> = infos[infos.len() - moves.len()..].iter().rev().map(|info| info.score).collect();
        let expected: Vec<i64> = (0..moves.len()).map(|place| if place < wins { 20_000 } else { 0 }).collect();
        assert_eq!(last, expected, "{fen}: {lines:#?}");
    }
    assert!(mixed > 0);
    session.quit();
}

/// Lines of worse moves are searched as well, and their scores may look better.
#[test]
fn the_result_is_kept_wherever_a_search_of_all_moves_stops() {
    let (mut session, _) = start(&[&tables::small()]);
    session.send("setoption name MultiPV value 256");
    let (tablebases, _) = Tablebases::load(tables::small().to_str().unwrap());
    for board in ["8/8/3k4/8/4K3/4P3/8/8", "8/8/3k4/8/5K2/4P3/8/8", "8/8/8/2k5/8/2K5/2R5/3r4"] {
        let fen = format!("{board} w - - 0 1");
        let game = Game::new(Position::from_fen(&fen).unwrap());
        let moves = game.position().legal_moves();
        let ranking = tablebases.rank_moves(&game, &moves, true).unwrap();
        let best = ranking.moves.iter().map(|ranked| ranked.wdl).max();
        assert!(ranking.moves.iter().any(|ranked| Some(ranked.wdl) < best), "{fen}");
        session.send(&format!("position fen {fen}"));
        for nodes in (50..3000).step_by(150) {
            session.send("ucinewgame");
            let mv = session.best_move(&format!("go nodes {nodes}"));
            let mv = game.position().from_uci(&mv).unwrap();
            assert_eq!(ranking.wdl(mv), best, "{fen}, {nodes} nodes: {mv:?}");
        }
    }
    session.quit();
}

#[test]
fn wdl_tables_suffice() {
    let names = ["KRvK", "KQvK", "KBvK", "KNvK", "KPvK"].map(|name| format!("{name}.rtbw"));
    let folder = names.iter().fold(Folder::new(), |folder, name| folder.with(name, &table(name)));
    let (mut session, said) = start(&[folder.path()]);
    assert_eq!(said, ["info string Syzygy tables: 5 WDL and 0 DTZ, up to 3 pieces"]);
    session.send("position fen 3k4/8/4K3/8/8/8/4P3/8 w - - 0 1");
    let last = infos(&session.search("go depth 8")).pop().unwrap();
    assert!(last.tb_hits > 10 && (last.kind == "mate" && last.score > 0 || last.score == 20_000), "{last:?}");
    session.quit();
}

/// Tables assume a fifty-move counter of zero. With DTZ tables the root moves are ranked already.
#[test]
fn only_root_moves_are_probed_without_captures_and_after_dtz() {
    let rook = Folder::new().with("KRvK.rtbw", &table("KRvK.rtbw"));
    // After a capture only the kings are left.
    for (folder, fen) in
        [(rook.path(), "8/8/8/3k4/8/8/8/KR6 w - - 0 1"), (&tables::small(), "8/8/8/2k5/4P3/4K3/8/8 w - - 0 1")]
    {
        let (mut session, _) = start(&[folder]);
        session.send(&format!("position fen {fen}"));
        let moves = Position::from_fen(fen).unwrap().legal_moves().len() as u64;
        assert_eq!(tb_hits(&session.search("go depth 6")), moves, "{fen}");
        session.quit();
    }
}

#[test]
fn several_folders_are_searched() {
    let rook = Folder::new().with("KRvK.rtbw", &table("KRvK.rtbw")).with("KRvK.rtbz", &table("KRvK.rtbz"));
    let queen = Folder::new().with("KQvK.rtbw", &table("KQvK.rtbw")).with("readme.txt", b"hello");
    let (session, said) = start(&[rook.path(), Path::new("/no/such/folder"), queen.path(), rook.path()]);
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].starts_with("info string folder /no/such/folder: "), "{said:?}");
    assert_eq!(said[1], "info string Syzygy tables: 2 WDL and 1 DTZ, up to 3 pieces");
    session.quit();
}

#[test]
fn bad_files_are_reported_and_skipped() {
    let whole = table("KPvK.rtbw");
    let mut foreign = whole.clone();
    foreign[0] ^= 1;
    let noise: Vec<u8> = (0..208_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let folder = Folder::new()
        .with("KQvK.rtbw", &table("KQvK.rtbw"))
        .with("KPvK.rtbw", &whole[..whole.len() - 64])
        .with("KPvKP.rtbw", &whole)
        .with("KRvK.rtbw", &whole[..100])
        .with("KNvK.rtbw", &foreign)
        .with("KBvK.rtbw", b"")
        .with("KQvKR.rtbw", &noise)
        .with("KQvK.rtbz", &table("KQvK.rtbw"))
        .with("notes.rtbw", &whole)
        .with("KKvK.rtbz", &whole);
    let (mut session, said) = start(&[folder.path()]);
    assert_eq!(said.last().unwrap(), "info string Syzygy tables: 1 WDL and 0 DTZ, up to 3 pieces");
    assert_eq!(said.len(), 10, "{said:#?}");
    for (file, fault) in [
        ("KPvK.rtbw", "is damaged: invalid length"),
        ("KPvKP.rtbw", "is damaged: invalid first byte"),
        ("KRvK.rtbw", "truncated"),
        ("KNvK.rtbw", "magic"),
        ("KBvK.rtbw", "truncated"),
        ("KQvKR.rtbw", "magic"),
        ("KQvK.rtbz", "magic"),
        ("notes.rtbw", "not the name of a Syzygy table"),
        ("KKvK.rtbz", "not the name of a Syzygy table"),
    ] {
        let place = format!("{MAIN_SEPARATOR}{file}");
        assert!(said.iter().any(|line| line.contains(&place) && line.contains(fault)), "{file}: {said:#?}");
    }
    session.send("position fen 8/8/8/3k4/8/8/8/KQ6 w - - 0 1");
    assert!(tb_hits(&session.search("go depth 4")) > 0);
    session.send("position fen 8/8/8/3k4/8/8/8/KR6 w - - 0 1");
    assert_eq!(tb_hits(&session.search("go depth 4")), 0);
    session.quit();
}

/// Opening a pipe or a device could block forever.
#[cfg(unix)]
#[test]
fn pipes_and_devices_are_no_tables() {
    let folder = Folder::new().with_pipe("KQvK.rtbw").with("KRvK.rtbw", &table("KRvK.rtbw"));
    std::os::unix::fs::symlink("/dev/zero", folder.join("KBvK.rtbw")).unwrap();
    let folder = folder.with_pipe("KRvK.rtbz");
    let (session, said) = start(&[folder.path()]);
    assert_eq!(said.len(), 4, "{said:#?}");
    for (line, file) in said.iter().zip(["KBvK.rtbw", "KQvK.rtbw", "KRvK.rtbz"]) {
        assert!(line.ends_with(&format!("/{file} cannot be read: it is not a regular file")), "{line}");
    }
    assert_eq!(said[3], "info string Syzygy tables: 1 WDL and 0 DTZ, up to 3 pieces");
    session.quit();
}
