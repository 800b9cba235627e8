//! The report of annotated games: one HTML page with a board, the moves and a chart that can be clicked.
//!
//! The page needs no other file and no network. The games are in it as JSON.

use serde::Serialize;

use super::annotate::{Annotated, Judged, judgement_in, without_commands};
use super::judge::PlayerStats;
use super::results::player_names;
use super::{graph, json};
use crate::cli::assessment::{san_line, white_score};
use crate::cli::CommandError;
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
    /// The number of the game in the summary.
    number: u64,
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
    /// The comments and variations of the game, without commands such as `[%clk 0:05:00]`.
    comment: String,
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
}

/// Returns game `number` for [`page`], after a comma.
///
/// # Errors
/// If it cannot be formatted.
pub(super) fn game(number: u64, annotated: &Annotated) -> Result<String, CommandError> {
    let introduction = without_commands(&annotated.record.comments.join(" "), "[%");
    let mut steps = vec![step(&annotated.start, annotated.first_score, introduction, None)];
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
            sign: judged.map_or_else(|| glyph(ply), |judged| judged.judgement.sign()),
            judgement: judged
                .map_or_else(String::new, |judged| format!("{}. Best: {}", judged.judgement.name(), judged.line)),
        };
        steps.push(step(&made.position, made.score, comment(ply, judged), Some(played)));
        before = &made.position;
    }
    let rows = player_names(&annotated.record).into_iter().zip(&annotated.stats);
    let players = rows.map(|(name, stats)| std::iter::once(name).chain(stats.row()).collect()).collect();
    let title = graph::title(&annotated.record);
    let text = json::text(&Game { number, title, headings: PlayerStats::HEADINGS.to_vec(), players, steps })?;
    // A script ends at `</script`, in a string, too.
    Ok(format!(",\n{}", text.replace('<', "\\u003c")))
}

fn step(position: &Position, score: Option<Score>, comment: String, played: Option<Played>) -> Step {
    let side = position.side_to_move();
    Step {
        fen: position.fen(false),
        score: score.map(|score| if score == Score::Mate(0) { "#".to_owned() } else { white_score(score, side) }),
        chances: score.map(|score| graph::whites_chances(score, side)),
        comment,
        played,
    }
}

/// Returns the sign of a glyph of the game, such as `!`; nothing without one.
fn glyph(ply: &Ply) -> &'static str {
    let signs = ["!", "?", "!!", "??", "!?", "?!"];
    let sign = |nag: &u8| usize::from(*nag).checked_sub(1).and_then(|place| signs.get(place));
    ply.nags.iter().find_map(sign).copied().unwrap_or_default()
}

/// Returns the comments and variations of a move. Sentence and line of its judgement are left out: the page shows them elsewhere.
fn comment(ply: &Ply, judged: Option<&Judged>) -> String {
    let mut parts = Vec::new();
    for annotation in &ply.annotations {
        match annotation {
            Annotation::Comment(text) => {
                let mut text = without_commands(text, "[%");
                if judged.is_some()
                    && let Some(sentence) = judgement_in(&text)
                {
                    text.replace_range(sentence, "");
                }
                parts.push(text.trim().to_owned());
            }
            Annotation::Variation(text) if judged.is_some_and(|judged| judged.line == *text) => {}
            Annotation::Variation(text) => parts.push(format!("({text})")),
        }
    }
    parts.retain(|part| !part.is_empty());
    parts.join(" ")
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
    use crate::cli::assessment::{Assessment, white_score};
    use crate::games::pgn::Reader;

    #[test]
    fn page_has_the_game() {
        let text =
            "[White \"</script><b>\"]\n\n{Intro} 1. e4 $1 {[%clk 0:01:00] My <i>move</i>} (1. d4) e5 2. Ke2 {Oh.} *";
        let record = Reader::new(text.as_bytes()).next().unwrap().unwrap();
        let replay = record.replay().unwrap();
        let scores = [20, -20, 30, 300];
        let assessments = scores.map(|score| {
            let line = vec![*replay.start.legal_moves().last().unwrap()];
            Some(Assessment { score: Score::Centipawns(score), line, depth: 1 })
        });
        let annotated = annotate(&record, &replay, &assessments, Thresholds::default());
        let page = page(&game(7, &annotated).unwrap());
        assert!(page.starts_with("<!DOCTYPE html>") && !page.contains("</script><b>") && !page.contains(GAMES));
        let data = page.split_once("id=\"games\">").unwrap().1.split_once("</script>").unwrap().0;
        let games: serde_json::Value = serde_json::from_str(data).unwrap();
        let steps = games[0]["steps"].as_array().unwrap();
        assert_eq!(steps.len(), 4);
        assert!(games[0]["title"].as_str().unwrap().starts_with("</script><b> – Black"));
        assert_eq!((&steps[0]["comment"], &games[0]["number"]), (&"Intro".into(), &7.into()));
        assert_eq!(
            (&steps[1]["comment"], &steps[1]["played"]["sign"]),
            (&"My <i>move</i> (1. d4)".into(), &"!".into())
        );
        assert_eq!(steps[3]["played"]["squares"][1], "e2");
        assert_eq!((&steps[3]["score"], &steps[0]["fen"]), (&"-3.00".into(), &Position::startpos().fen(false).into()));
    }
}
