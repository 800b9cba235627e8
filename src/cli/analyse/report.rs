//! The report of annotated games: one HTML page with a board, the moves and a chart that can be clicked.
//!
//! The page needs no other file and no network. The games are in it as JSON.

use serde::Serialize;

use super::annotate::{Annotated, judgement_in, without_commands};
use super::judge::PlayerStats;
use super::results::player_names;
use super::{graph, json};
use crate::cli::{CommandError, san};
use crate::engine::Score;
use crate::games::pgn::{Annotation, Ply};
use crate::position::{Color, Position};

/// The page, with a place for the games.
const PAGE: &str = include_str!("report.html");

/// The place of the games in [`PAGE`].
const GAMES: &str = "[/* games */]";

/// A game for the page.
#[derive(Serialize)]
struct Game {
    title: String,
    /// The headings of the players' rows.
    headings: Vec<&'static str>,
    players: Vec<Vec<String>>,
    /// The start position, then the position after each move.
    steps: Vec<Step>,
}

/// A position of a game.
#[derive(Serialize)]
struct Step {
    fen: String,
    /// The score, as shown.
    score: Option<String>,
    /// White's winning chances, 0 to 1.
    chances: Option<f64>,
    /// The move that led here.
    #[serde(skip_serializing_if = "Option::is_none")]
    played: Option<Played>,
}

/// A move for the page.
#[derive(Serialize)]
struct Played {
    /// `12.` or `12...`.
    number: String,
    is_white: bool,
    san: String,
    /// The squares of the move.
    squares: [String; 2],
    /// `?!`, `?`, `??` or nothing.
    sign: &'static str,
    /// The judgement with the better line; empty without one.
    judgement: String,
    /// The comments of the game, without commands such as `[%clk 0:05:00]`.
    comment: String,
}

/// Returns a game for [`page`], after a comma.
///
/// # Errors
/// If it cannot be formatted.
pub(super) fn game(annotated: &Annotated) -> Result<String, CommandError> {
    let mut steps = vec![step(&annotated.start, annotated.first_score, None)];
    let mut before = &annotated.start;
    for (ply, made) in annotated.record.plies.iter().zip(&annotated.moves) {
        let text = before.to_uci(made.mv, false);
        let square = |range: std::ops::Range<usize>| text.get(range).unwrap_or_default().to_owned();
        let is_white = before.side_to_move() == Color::White;
        let judged = made.judged.as_ref();
        let played = Played {
            number: format!("{}{}", before.fullmove_number(), if is_white { "." } else { "..." }),
            is_white,
            san: before.to_san(made.mv),
            squares: [square(0..2), square(2..4)],
            sign: judged.map_or("", |judged| judged.judgement.sign()),
            judgement: judged
                .map_or_else(String::new, |judged| format!("{}. Best: {}", judged.judgement.name(), judged.line)),
            comment: comment(ply, judged.is_some()),
        };
        steps.push(step(&made.position, made.score, Some(played)));
        before = &made.position;
    }
    let rows = player_names(&annotated.record).into_iter().zip(&annotated.stats);
    let players = rows.map(|(name, stats)| std::iter::once(name).chain(stats.row()).collect()).collect();
    let title = graph::title(&annotated.record);
    let text = json::text(&Game { title, headings: PlayerStats::HEADINGS.to_vec(), players, steps })?;
    // A script ends at `</script`, in a string, too.
    Ok(format!(",\n{}", text.replace('<', "\\u003c")))
}

fn step(position: &Position, score: Option<Score>, played: Option<Played>) -> Step {
    let side = position.side_to_move();
    Step {
        fen: position.fen(false),
        score: score.map(|score| if score == Score::Mate(0) { "#".to_owned() } else { san::score(score, side) }),
        chances: score.map(|score| graph::whites_chances(score, side)),
        played,
    }
}

/// Returns the comments of a move. The sentence of its judgement is left out: the page shows it elsewhere.
fn comment(ply: &Ply, is_judged: bool) -> String {
    let mut words = String::new();
    for annotation in &ply.annotations {
        if let Annotation::Comment(text) = annotation {
            words.push_str(text);
            words.push(' ');
        }
    }
    let mut words = without_commands(&words, "[%");
    if is_judged && let Some(sentence) = judgement_in(&words) {
        words.replace_range(sentence, "");
    }
    words.trim().to_owned()
}

/// Returns the page of these games, the texts of [`game`] one after the other.
pub(super) fn page(games: &str) -> String {
    PAGE.replacen(GAMES, &format!("[{}\n]", games.trim_start_matches(',')), 1)
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::super::annotate::annotate;
    use super::super::judge::Thresholds;
    use super::*;
    use crate::cli::assessment::Assessment;
    use crate::games::pgn::Reader;

    #[test]
    fn page_has_the_game() {
        let text = "[White \"</script><b>\"]\n\n1. e4 {[%clk 0:01:00] My <i>move</i>} e5 2. Ke2 {Oh.} *";
        let record = Reader::new(text.as_bytes()).next().unwrap().unwrap();
        let replay = record.replay().unwrap();
        let scores = [20, -20, 30, 300];
        let assessments = scores.map(|score| {
            let line = vec![*replay.start.legal_moves().last().unwrap()];
            Some(Assessment { score: Score::Centipawns(score), line, depth: 1 })
        });
        let annotated = annotate(&record, &replay, &assessments, Thresholds::default());
        let page = page(&game(&annotated).unwrap());
        assert!(page.starts_with("<!DOCTYPE html>") && !page.contains("</script><b>") && !page.contains(GAMES));
        let data = page.split_once("id=\"games\">").unwrap().1.split_once("</script>").unwrap().0;
        let games: serde_json::Value = serde_json::from_str(data).unwrap();
        let steps = games[0]["steps"].as_array().unwrap();
        assert_eq!(steps.len(), 4);
        assert!(games[0]["title"].as_str().unwrap().starts_with("</script><b> – Black"));
        assert_eq!(steps[1]["played"]["comment"], "My <i>move</i>");
        assert_eq!(steps[3]["played"]["squares"][1], "e2");
        assert_eq!((&steps[3]["score"], &steps[0]["fen"]), (&"-3.00".into(), &Position::startpos().fen(false).into()));
    }
}
