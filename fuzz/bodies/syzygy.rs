//! Syzygy tables.

use sesame::position::{Game, Position};
use sesame::syzygy::Tablebases;

use super::{scratch, write};

/// Tables, each with positions to probe.
const TABLES: [(&str, &[&str]); 4] = [
    ("KPvK", &["8/8/8/3k4/8/8/4P3/4K3 w - - 0 1", "8/8/8/3k4/8/8/p7/7K b - - 0 1", "8/4P3/8/8/8/8/k7/7K w - - 0 1"]),
    ("KRvK", &["8/8/8/3k4/8/8/8/R3K3 w - - 0 1", "8/8/8/3K4/8/8/8/r3k3 w - - 20 1", "8/8/8/8/8/1k6/8/KR6 b - - 0 1"]),
    ("KRvKR", &["7r/8/8/3k4/8/8/8/R3K3 w - - 0 1", "r7/8/8/3k4/8/8/8/R3K3 b - - 0 1"]),
    ("KPPvKP", &["8/5p2/8/3k4/8/8/4PP2/4K3 w - - 0 1", "8/5p2/8/3k4/8/2P5/1P6/4K3 b - - 0 1"]),
];

/// The WDL tables of the test data. DTZ tables need them.
const WDL_TABLES: [(&str, &[u8]); 6] = [
    ("KPvK.rtbw", include_bytes!("../../tests/data/syzygy/KPvK.rtbw")),
    ("KQvK.rtbw", include_bytes!("../../tests/data/syzygy/KQvK.rtbw")),
    ("KRvK.rtbw", include_bytes!("../../tests/data/syzygy/KRvK.rtbw")),
    ("KBvK.rtbw", include_bytes!("../../tests/data/syzygy/KBvK.rtbw")),
    ("KNvK.rtbw", include_bytes!("../../tests/data/syzygy/KNvK.rtbw")),
    ("KRvKR.rtbw", include_bytes!("../../tests/data/syzygy/KRvKR.rtbw")),
];

/// The first byte selects the table: its number in the low 2 bits, 4 for DTZ, 8 for a valid file size.
pub fn syzygy_file(bytes: &[u8]) {
    let Some((&kind, bytes)) = bytes.split_first() else { return };
    let (name, positions) = TABLES[usize::from(kind % 4)];
    let mut table = bytes.to_vec();
    if kind & 8 != 0 {
        table.resize(bytes.len().saturating_sub(16).next_multiple_of(64).max(64) + 16, 0);
    }
    let folder = scratch();
    for (name, bytes) in WDL_TABLES {
        write(&folder, name, bytes);
    }
    let extension = if kind & 4 == 0 { "rtbw" } else { "rtbz" };
    write(&folder, &format!("{name}.{extension}"), &table);
    let (tables, report) = Tablebases::load(&folder.path().display().to_string());
    let _ = report.to_string();
    for fen in positions {
        let game = Game::new(Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}")));
        tables.probe_wdl(game.position());
        tables.probe_dtz(game.position());
        if let Some(ranking) = tables.rank_moves(&game, &game.position().legal_moves(), true) {
            assert!(!ranking.best().is_empty());
        }
    }
}
