//! `sesame-tuner data export`: games in the format of Viridithas (viriformat), which the trainer bullet reads.

use std::io;
use std::path::PathBuf;

use clap::Args;
use sesame::position::Position;
use sesame_command::{CommandError, files, parallel};
use viriformat::chess::board::{Board, DrawType, GameOutcome, WinType};
use viriformat::dataformat::Game;

use crate::at;
use crate::game_record::GameRecord;
use crate::store::games;

#[derive(Debug, Clone, Args)]
pub struct ExportArgs {
    /// Stores of games
    #[arg(required = true)]
    pub stores: Vec<PathBuf>,
    /// File to write; it must not exist
    #[arg(long = "out", short)]
    pub output: PathBuf,
}

pub(super) fn run(args: &ExportArgs, mut print: impl FnMut(&str) -> bool) -> Result<(), CommandError> {
    let stores = args.stores.iter().map(|path| games(path, parallel::cores())).collect::<Result<Vec<_>, _>>()?;
    let mut count = 0;
    let parts = stores.into_iter().flatten().map(|game| {
        count += 1;
        game.and_then(|(_, game)| to_bytes(&game)).map_err(io::Error::other)
    });
    let written = files::create(&args.output, parts);
    written.map_err(|error| error.downcast().unwrap_or_else(at(&args.output)))?;
    print(&format!("{}: {count} games", args.output.display()));
    Ok(())
}

fn to_bytes(game: &GameRecord) -> Result<Vec<u8>, CommandError> {
    let mut position: Position = game.start.clone();
    let mut board = Board::new();
    board.set_from_fen(&position.fen(true), true).map_err(CommandError::failed)?;
    let mut written = Game::new(&board);
    written.set_outcome(match game.result {
        0 => GameOutcome::BlackWin(WinType::Adjudication),
        1 => GameOutcome::Draw(DrawType::Adjudication),
        _ => GameOutcome::WhiteWin(WinType::Adjudication),
    });
    for &(mv, score) in &game.moves {
        let theirs = board.parse_uci(&position.to_uci(mv, true)).map_err(CommandError::failed)?;
        written.add_move(theirs, score);
        board.make_move_simple(theirs);
        position.play(mv);
    }
    let mut bytes = Vec::new();
    // A vector takes all.
    let _ = written.serialise_into(&mut bytes);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use viriformat::dataformat::WDL;

    use super::*;
    use crate::fails_with;
    use crate::game_record::tests::games;
    use crate::store::tests::{spoil_counts, write};

    #[test]
    fn viriformat_reads_the_same_games() {
        let folder = tempfile::tempdir().unwrap();
        let (store, output) = (folder.path().join("store"), folder.path().join("games.vf"));
        let all = games(60);
        write(&store, "recipe", &all);
        let args = ExportArgs { stores: vec![store], output };
        run(&args, |_| true).unwrap();
        let bytes = std::fs::read(&args.output).unwrap();
        let mut rest = &bytes[..];
        for game in &all {
            let theirs = Game::deserialise_from(&mut rest, Vec::new()).unwrap();
            let result = match theirs.outcome() {
                WDL::Loss => 0,
                WDL::Draw => 1,
                WDL::Win => 2,
            };
            assert_eq!((result, theirs.len()), (game.result, game.moves.len()));
            let mut position = game.start.clone();
            let mut plies = game.moves.iter().zip(theirs.moves());
            theirs.visit_positions(|board, score| {
                let (&(mv, own_score), their_move) = plies.next().unwrap();
                assert_eq!(score, i32::from(own_score));
                let placement = |fen: &str| fen.split(' ').take(2).collect::<Vec<_>>().join(" ");
                assert_eq!(placement(&board.to_string()), placement(&position.fen(true)));
                assert_eq!(their_move.display(true).to_string(), position.to_uci(mv, true));
                position.play(mv);
            });
            assert!(plies.next().is_none());
        }
        assert!(rest.is_empty());
        assert!(run(&args, |_| true).is_err() && std::fs::read(&args.output).unwrap() == bytes, "the file stays");

        std::fs::remove_file(&args.output).unwrap();
        spoil_counts(&args.stores[0]);
        assert!(fails_with(run(&args, |_| true), "store: games 0 to 59: the header has"));
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "nothing is left behind");
    }
}
