//! Pictures of annotated games: an evaluation chart, and an HTML page with board, moves and a chart that can be clicked.
//!
//! The page needs no other file and no network. The games are in it as JSON.

use serde_json::{Value, json};

use super::accuracy::{Judgement, PlayerStats, chances};
use super::annotate::{AnalysedGame, AnalysedPosition, Judged, without_commands};
use crate::engine::Score;
use crate::games::pgn::{Annotation, PgnGame, Ply};
use crate::position::{Color, Move};
use sesame_report::ChartError;
use sesame_report::chart::{Axis, Chart, Curve, CurveStyle, PlotMode, Reference};

/// Pawns. The axis has winning chances, so the labels are not evenly spaced.
const LABELLED: [i32; 7] = [-5, -3, -1, 0, 1, 3, 5];

const MAX_TITLE: usize = 84;

/// Draws White's winning chances by move, with marks at the judged moves. Leaves out positions that were not searched.
pub(super) fn chart(game: &AnalysedGame) -> Result<String, ChartError> {
    // White's first move is at 1, Black's at 1.5.
    let first = game.positions.first().map(|first| &first.position);
    let number = first.map_or(1.0, |first| f64::from(first.fullmove_number()));
    let is_white = first.is_none_or(|first| first.side_to_move() == Color::White);
    let begin = if is_white { number - 0.5 } else { number };
    let points = (0_u32..).zip(&game.positions).filter_map(|(plies, analysed)| {
        Some((
            (begin + 0.5 * f64::from(plies), analysed.white_chances()?),
            analysed.played.as_ref().and_then(|played| played.judged.as_ref()),
        ))
    });
    let line: Vec<(f64, f64)> = points.clone().map(|(point, _)| point).collect();
    let last = line.last().map_or(begin, |point| point.0);
    let [blue, sky, vermilion, orange, ..] = CurveStyle::ALL;
    let mut curves = vec![Curve { mode: PlotMode::Line, ..Curve::new("evaluation", blue, line) }];
    for (judgement, style) in Judgement::ALL.into_iter().zip([sky, orange, vermilion]) {
        let is_marked = |judged: Option<&Judged>| judged.is_some_and(|judged| judged.judgement == judgement);
        let marked: Vec<(f64, f64)> =
            points.clone().filter(|(_, judged)| is_marked(*judged)).map(|(point, _)| point).collect();
        if !marked.is_empty() {
            let name = format!("{} {}", judgement.name.to_lowercase(), judgement.sign);
            curves.push(Curve { mode: PlotMode::Markers, ..Curve::new(name, style, marked) });
        }
    }
    let chart = Chart {
        title: title(&game.record),
        x: moves_axis(begin, last.max(begin + 0.5)),
        y: evaluation_axis(),
        curves,
        reference: Some(Reference::Level(0.5, "equal".to_owned())),
    };
    chart.draw()
}

fn evaluation_axis() -> Axis {
    let label = |pawns: i32| {
        let sign = if pawns > 0 { "+" } else { "" };
        (chances(Score::Centipawns(100 * pawns)), format!("{sign}{pawns}").replace('-', "−"))
    };
    let mut ticks: Vec<(f64, String)> = LABELLED.into_iter().map(label).collect();
    ticks.insert(0, (0.0, "#".to_owned()));
    ticks.push((1.0, "#".to_owned()));
    Axis { title: "White's evaluation in pawns".to_owned(), ticks, range: -0.02..1.02 }
}

fn moves_axis(begin: f64, last: f64) -> Axis {
    let steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
    let step = steps.into_iter().find(|&step| (last - begin) / f64::from(step) <= 12.0).unwrap_or(2000);
    let first = (begin.ceil() as i32).max(1);
    let numbers = (first..=last.floor() as i32).filter(|number| number % step == 0 || step == 1);
    let ticks = numbers.map(|number| (f64::from(number), number.to_string())).collect();
    Axis { title: "move".to_owned(), ticks, range: begin..last }
}

fn title(record: &PgnGame) -> String {
    let tag = |name| record.tag(name).filter(|value| !value.starts_with('?') && !value.is_empty());
    let mut title = format!("{} – {}", tag("White").unwrap_or("White"), tag("Black").unwrap_or("Black"));
    for part in [tag("Event"), tag("Date")].into_iter().flatten() {
        title += &format!(", {}", part.replace(".??", ""));
    }
    title += &format!(", {}", record.result);
    if title.chars().count() > MAX_TITLE {
        title = title.chars().take(MAX_TITLE - 1).chain(['…']).collect();
    }
    title
}

const PAGE: &str = include_str!("report.html");

const GAMES: &str = "[/* games */]";

/// Returns the page before and behind the texts of [`game`], which commas separate.
pub(super) fn frame() -> (String, String) {
    let (head, tail) = PAGE.split_once(GAMES).unwrap_or_default();
    (format!("{head}["), format!("\n]{tail}"))
}

pub(super) fn game(game: &AnalysedGame, annotator: &str) -> String {
    let introduction = without_commands(&game.record.comments.join(" "), "[%");
    let start = game.positions.first().map(|start| step(start, introduction, Value::Null));
    let moves = game.record.plies.iter().zip(game.moves()).map(|(ply, (before, played, after))| {
        let squares = |mv: Move| {
            let text = before.position.to_uci(mv, false);
            [0..2, 2..4].map(|range| text.get(range).unwrap_or_default().to_owned())
        };
        let judged = played.judged.as_ref();
        let json = json!({
            "number": played.number,
            "is_white": before.position.side_to_move() == Color::White,
            "san": played.san,
            "squares": squares(played.mv),
            // Drawn as an arrow.
            "best": judged.map(|judged| squares(judged.best)),
            "sign": judged.map_or_else(|| glyph(ply), |judged| judged.judgement.sign),
            "judgement": judged
                .map_or_else(String::new, |judged| format!("{}. Best: {}", judged.judgement.name, judged.line)),
        });
        step(after, comment(ply, judged), json)
    });
    let rows = game.player_names().into_iter().zip(&game.stats);
    let players: Vec<Vec<String>> =
        rows.map(|(name, stats)| std::iter::once(name).chain(stats.row()).collect()).collect();
    let page = json!({
        "number": game.number,
        "title": title(&game.record),
        "annotator": annotator,
        "headings": PlayerStats::HEADINGS,
        "players": players,
        "steps": start.into_iter().chain(moves).collect::<Vec<Value>>(),
    });
    // A script ends at `</script`, in a string, too.
    page.to_string().replace('<', "\\u003c")
}

fn step(analysed: &AnalysedPosition, comment: String, played: Value) -> Value {
    let is_mate = analysed.score() == Some(Score::Mate(0));
    json!({
        "fen": analysed.position.fen(false),
        "score": analysed.white_score().map(|score| if is_mate { "#".to_owned() } else { score.to_string() }),
        "chances": analysed.white_chances(),
        "comment": comment,
        "played": played,
    })
}

fn glyph(ply: &Ply) -> &'static str {
    let signs = ["!", "?", "!!", "??", "!?", "?!"];
    let sign = |nag: &u8| usize::from(*nag).checked_sub(1).and_then(|place| signs.get(place));
    ply.nags.iter().find_map(sign).copied().unwrap_or_default()
}

/// Returns the comments without the judgement and its line, which the page shows elsewhere.
fn comment(ply: &Ply, judged: Option<&Judged>) -> String {
    let mut parts = Vec::new();
    for annotation in &ply.annotations {
        match annotation {
            Annotation::Comment(text) => {
                let sentence = judged.map_or("", |judged| &judged.sentence);
                parts.push(without_commands(text, "[%").replacen(sentence, "", 1).trim().to_owned());
            }
            Annotation::Variation(text) if judged.is_some_and(|judged| judged.line == *text) => {}
            Annotation::Variation(text) => parts.push(format!("({text})")),
        }
    }
    parts.retain(|part| !part.is_empty());
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::accuracy::Thresholds;
    use super::*;
    use crate::cli::assessment::Assessment;
    use crate::games::pgn::Reader;

    /// Annotates a game whose positions have these scores and the same best move.
    fn annotated(text: &str, best: &str, scores: &[Option<Score>]) -> AnalysedGame {
        let record = Reader::new(text.as_bytes()).next().unwrap().unwrap();
        let replay = record.replay().unwrap();
        let line = vec![replay.start.from_san(best).unwrap()];
        let mut game = AnalysedGame::new(7, record, replay);
        for (analysed, score) in game.positions.iter_mut().zip(scores) {
            analysed.assessment = score.map(|score| Assessment { score, line: line.clone(), depth: 1 });
        }
        game.annotate(Thresholds::default());
        game
    }

    #[test]
    fn page_has_the_game() {
        let text =
            "[White \"</script><b>\"]\n\n{Intro} 1. e4 $1 {[%clk 0:01:00] My <i>move</i>} (1. d4) e5 2. Ke2 {Oh.} *";
        let annotated = annotated(text, "Nc3", &[20, -20, 30, 300].map(|score| Some(Score::Centipawns(score))));
        let (head, tail) = frame();
        let page = [head, game(&annotated, "Sesame 9, depth 1 per position"), tail].concat();
        assert!(page.starts_with("<!DOCTYPE html>") && !page.contains("</script><b>") && !page.contains(GAMES));
        let data = page.split_once("id=\"games\">").unwrap().1.split_once("</script>").unwrap().0;
        let games: Value = serde_json::from_str(data).unwrap();
        assert_eq!(
            (&games[0]["number"], &games[0]["annotator"]),
            (&7.into(), &"Sesame 9, depth 1 per position".into())
        );
        assert!(games[0]["title"].as_str().unwrap().starts_with("</script><b> – Black"));
        let steps = games[0]["steps"].as_array().unwrap();
        assert_eq!((steps.len(), &steps[0]["comment"]), (4, &"Intro".into()));
        assert_eq!(steps[0]["fen"], "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        assert_eq!(steps[1]["comment"], "My <i>move</i> (1. d4)");
        let played = |step: usize| &steps[step]["played"];
        assert_eq!((&played(1)["sign"], &played(1)["best"]), (&"!".into(), &Value::Null));
        assert_eq!((&played(3)["squares"], &played(3)["best"]), (&json!(["e1", "e2"]), &json!(["b1", "c3"])));
        assert_eq!((&steps[3]["score"], &steps[3]["comment"]), (&"-3.00".into(), &"Oh.".into()));
    }

    #[test]
    fn castling_with_the_king_on_its_square_has_an_arrow_to_the_rook() {
        let text = "[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/8/6KR w K - 0 1\"]\n[Variant \"Chess960\"]\n\n1. Kf2 *";
        let game = game(&annotated(text, "O-O", &[Some(Score::Centipawns(300)); 2]), "Sesame");
        assert!(game.contains("\"best\":[\"g1\",\"h1\"]") && game.contains("Best: 1. O-O"), "{game}");
    }

    #[test]
    fn chart_escapes_names() {
        let text = "[White \"A & B <x>\"]\n[Event \"\\\"Open\\\"\"]\n\n1. e4 e5 2. Nf3 *";
        let scores = [Score::Centipawns(20), Score::Centipawns(300), Score::Centipawns(-300), Score::Mate(0)];
        let svg = chart(&annotated(text, "a3", &scores.map(Some))).unwrap();
        let tree = roxmltree::Document::parse(&svg).unwrap();
        let title = tree.descendants().find(|node| node.has_tag_name("title")).unwrap();
        assert_eq!(title.text(), Some("A & B <x> – Black, \"Open\", *"));
        assert!(svg.contains("blunder ??") && !svg.contains("mistake"), "{svg}");
        // Positions that were not searched leave gaps.
        chart(&annotated(text, "a3", &[None, Some(scores[0]), None, None])).unwrap();
    }

    #[test]
    fn axes() {
        let labels = |begin, last| moves_axis(begin, last).ticks.into_iter().map(|tick| tick.1).collect::<Vec<_>>();
        assert_eq!(labels(0.5, 3.5), ["1", "2", "3"]);
        assert_eq!(labels(0.5, 61.0), ["10", "20", "30", "40", "50", "60"]);
        let axis = evaluation_axis();
        assert!(axis.ticks.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert_eq!(axis.ticks[4], (0.5, "0".to_owned()));
    }
}
