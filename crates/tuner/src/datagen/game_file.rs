//! The file of games that a run writes: lock, recipe, games in the order of their places.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use sesame::engine::bench::{self, BenchOptions};
use sesame::eval::Network;
use sesame::regular_file;
use sesame_report::command::print_status;
use sesame_report::files;

use super::DatagenArgs;
use super::adjudication;
use super::player::TABLE_MIB;
use super::starts::GameStarts;
use crate::TunerError;
use crate::data::{DataSummary, summarize};
use crate::game_record::GameRecord;
use crate::outputs::{check_recipe, recipe_head, recipe_of_games};

/// Depth of the bench in the recipe, which takes some tenths of a second.
pub(super) const RECIPE_BENCH_DEPTH: u32 = 8;
/// The kind of the recipe.
const RECIPE_KIND: &str = "datagen";

/// An open file of games. Games are added in any order and written in the order of their places, counted from 0.
pub(super) struct GameFile {
    file: File,
    /// The number of games in the file, which is the place of the next one.
    games: u64,
    waiting: BTreeMap<u64, GameRecord>,
}

impl GameFile {
    /// Returns the number of games in the file.
    pub(super) fn games(&self) -> u64 {
        self.games
    }

    /// Adds a game, which waits until all before it are written.
    pub(super) fn add(&mut self, place: u64, game: GameRecord) {
        self.waiting.insert(place, game);
    }

    /// Writes the next game if it has been added. Returns its training positions.
    pub(super) fn write_next(&mut self) -> io::Result<Option<u64>> {
        let Some(game) = self.waiting.remove(&self.games) else { return Ok(None) };
        // One unbuffered write per game: a killed run loses only the games being played.
        self.file.write_all(&game.to_bytes())?;
        self.games += 1;
        Ok(Some(game.training_positions()))
    }
}

/// Opens the file, locks it, checks its games and its recipe, and removes a truncated last game.
pub(super) fn open(
    args: &DatagenArgs,
    network: &Arc<Network>,
    starts: &GameStarts,
) -> Result<(GameFile, DataSummary), TunerError> {
    let path = &args.file;
    if std::fs::metadata(path).map_or(0, |metadata| metadata.len()) == 0 {
        // A network of the same name may have its recipe there.
        check_recipe(&recipe_of_games(path), RECIPE_KIND)?;
    }
    let file = OpenOptions::new().create(true).append(true).read(true).open(path).map_err(TunerError::file(path))?;
    file.try_lock().map_err(TunerError::lock(path))?;
    let summary = summarize(path)?;
    // A file without a recipe belongs to another program, even if it has no game.
    let length = file.metadata().map_err(TunerError::file(path))?.len();
    check_own_recipe(path, &recipe(args, network, starts)?, length > 0)?;
    if summary.trailing_zeros > 0 {
        print_status(&format!(
            "{}: {} zero bytes at the end, as after a power failure, are removed; the game before them is played again",
            path.display(),
            summary.trailing_zeros
        ));
    }
    file.set_len(summary.length).map_err(TunerError::file(path))?;
    Ok((GameFile { file, games: summary.games, waiting: BTreeMap::new() }, summary))
}

/// Returns everything that the games depend on, as text. The nodes of a small bench are a fingerprint of the search.
fn recipe(args: &DatagenArgs, network: &Arc<Network>, starts: &GameStarts) -> Result<String, TunerError> {
    let options = BenchOptions {
        depth: RECIPE_BENCH_DEPTH,
        hash_mib: TABLE_MIB,
        network: Arc::clone(network),
        ..BenchOptions::default()
    };
    let report = bench::run(&options, &AtomicBool::new(false), |_| {})?;
    // Never stopped, the bench runs to its end.
    let nodes = report.map_or(0, |report| report.nodes);
    let DatagenArgs { seed, nodes: soft_nodes, opening_score, shard, .. } = args;
    let part = if shard.is_whole() { String::new() } else { format!("shard {shard}\n") };
    Ok(format!(
        "{}\nsearch with bench {RECIPE_BENCH_DEPTH} of {nodes} nodes\nseed {seed}\n{part}nodes {soft_nodes}, complete iterations\n\
         table {TABLE_MIB} MiB\n{starts}\nopenings within {opening_score} centipawns\n{}\n{network}\n",
        recipe_head(RECIPE_KIND),
        adjudication::rules(),
    ))
}

/// Writes the recipe beside a new file. A file that is not empty is continued only with its own recipe.
fn check_own_recipe(path: &Path, recipe: &str, has_data: bool) -> Result<(), TunerError> {
    let recipe_path = recipe_of_games(path);
    match regular_file::open(&recipe_path).and_then(io::read_to_string) {
        Ok(found) if found == recipe => Ok(()),
        Ok(found) if has_data && found.trim_matches(['\0', '\n', ' ']).is_empty() => {
            Err(TunerError::EmptyRecipe { path: path.to_owned(), wanted: recipe.to_owned() })
        }
        Ok(found) if has_data => {
            Err(TunerError::OtherRecipe { path: path.to_owned(), found, wanted: recipe.to_owned() })
        }
        Err(error) if has_data && error.kind() == io::ErrorKind::NotFound => Err(TunerError::NoRecipe(path.to_owned())),
        Err(error) if has_data => Err(TunerError::file(&recipe_path)(error)),
        _ => files::replace(&recipe_path, recipe.as_bytes()).map_err(TunerError::file(&recipe_path)),
    }
}
