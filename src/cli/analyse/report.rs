//! Pictures of annotated games: an evaluation chart, and an HTML page with board, moves and a chart that can be clicked.
//!
//! The page needs no other file and no network. The games are in it as JSON.

use serde_json::{Value, json};

use super::accuracy::{Judgement, PlayerStats, chances, negated};
use super::annotate::{Annotated, Judged, without_commands};
use super::results::player_names;
use crate::cli::assessment::WhiteScore;
use crate::engine::Score;
use crate::games::pgn::{Annotation, PgnGame, Ply};
use crate::position::{Color, Position};
use sesame_report::ChartError;
use sesame_report::chart::{Axis, Chart, Curve, CurveStyle, PlotMode, Reference};

/// In pawns. The axis has winning chances, so the labels are not evenly spaced.
const LABELLED: [i32; 7] = [-5, -3, -1, 0, 1, 3, 5];

/// In characters.
const TITLE: usize = 84;

/// White's winning chances by move, with marks at the judged moves. Leaves out positions that were not searched.
pub(super) fn chart(annotated: &Annotated) -> Result<String, ChartError> {
    // White's first move is at 1, Black's at 1.5.
    let side = annotated.start.side_to_move();
    let number = f64::from(annotated.start.fullmove_number());
    let begin = if side == Color::White { number - 0.5 } else { number };
    let mut line: Vec<(f64, f64)> =
        annotated.first_score.map(|score| (begin, white_chances(score, side))).into_iter().collect();
    let mut judged = Vec::new();
    for (ply, step) in (1u32..).zip(&annotated.moves) {
        if let Some(score) = step.score {
            let point = (begin + 0.5 * f64::from(ply), white_chances(score, step.after.side_to_move()));
            line.push(point);
            judged.extend(step.judged.as_ref().map(|judged| (judged.judgement, point)));
        }
    }
    let last = line.last().map_or(begin, |point| point.0);
    let [blue, sky, vermilion, orange, ..] = CurveStyle::ALL;
    let mut curves = vec![Curve { mode: PlotMode::Line, ..Curve::new("evaluation", blue, line) }];
    for (judgement, style) in Judgement::ALL.into_iter().zip([sky, orange, vermilion]) {
        let marked: Vec<(f64, f64)> =
            judged.iter().filter(|(other, _)| *other == judgement).map(|&(_, point)| point).collect();
        if !marked.is_empty() {
            let name = format!("{} {}", judgement.name().to_lowercase(), judgement.sign());
            curves.push(Curve { mode: PlotMode::Markers, ..Curve::new(name, style, marked) });
        }
    }
    let chart = Chart {
        title: title(&annotated.record),
        x: moves_axis(begin, last.max(begin + 0.5)),
        y: evaluation_axis(),
        curves,
        reference: Some(Reference::Level(0.5, "equal".to_owned())),
    };
    chart.draw()
}

/// The score is for the side to move.
fn white_chances(score: Score, side_to_move: Color) -> f64 {
    chances(if side_to_move == Color::White { score } else { negated(score) })
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

/// Players, event, date and result.
fn title(record: &PgnGame) -> String {
    let tag = |name| record.tag(name).filter(|value| !value.starts_with('?') && !value.is_empty());
    let mut title = format!("{} – {}", tag("White").unwrap_or("White"), tag("Black").unwrap_or("Black"));
    for part in [tag("Event"), tag("Date")].into_iter().flatten() {
        title += &format!(", {}", part.replace(".??", ""));
    }
    title += &format!(", {}", record.result);
    if title.chars().count() > TITLE {
        title = title.chars().take(TITLE - 1).chain(['…']).collect();
    }
    title
}

const PAGE: &str = include_str!("report.html");

/// Replaced by the games in [`PAGE`].
const GAMES: &str = "[/* games */]";

/// For [`page`], after a comma.
pub(super) fn game(number: u64, annotated: &Annotated, annotator: &str) -> String {
    let introduction = without_commands(&annotated.record.comments.join(" "), "[%");
    // The start position, then the position after each move.
    let mut steps = vec![step(&annotated.start, annotated.first_score, introduction, None)];
    for (ply, made) in annotated.record.plies.iter().zip(&annotated.moves) {
        let squares = |mv| {
            let text = made.before.to_uci(mv, false);
            [0..2, 2..4].map(|range| text.get(range).unwrap_or_default().to_owned())
        };
        let is_white = made.before.side_to_move() == Color::White;
        let judged = made.judged.as_ref();
        let played = json!({
            "number": format!("{}{}", made.before.fullmove_number(), if is_white { "." } else { "..." }),
            "is_white": is_white,
            "san": made.before.to_san(made.mv),
            "squares": squares(made.mv),
            // For an arrow.
            "best": judged.and_then(|judged| made.before.from_san(&judged.best).ok()).map(squares),
            "sign": judged.map_or_else(|| glyph(ply), |judged| judged.judgement.sign()),
            "judgement": judged
                .map_or_else(String::new, |judged| format!("{}. Best: {}", judged.judgement.name(), judged.line)),
        });
        steps.push(step(&made.after, made.score, comment(ply, judged), Some(played)));
    }
    let rows = player_names(&annotated.record).into_iter().zip(&annotated.stats);
    let players: Vec<Vec<String>> =
        rows.map(|(name, stats)| std::iter::once(name).chain(stats.row()).collect()).collect();
    let page = json!({
        "number": number,
        "title": title(&annotated.record),
        "annotator": annotator,
        "headings": PlayerStats::HEADINGS,
        "players": players,
        "steps": steps,
    });
    // A script ends at `</script`, in a string, too.
    format!(",\n{}", page.to_string().replace('<', "\\u003c"))
}

/// The chances are White's, 0 to 1.
fn step(position: &Position, score: Option<Score>, comment: String, played: Option<Value>) -> Value {
    let side = position.side_to_move();
    let text = |score| if score == Score::Mate(0) { "#".to_owned() } else { WhiteScore::new(score, side).to_string() };
    json!({
        "fen": position.fen(false),
        "score": score.map(text),
        "chances": score.map(|score| white_chances(score, side)),
        "comment": comment,
        "played": played,
    })
}

/// Such as `!`; empty without a glyph.
fn glyph(ply: &Ply) -> &'static str {
    let signs = ["!", "?", "!!", "??", "!?", "?!"];
    let sign = |nag: &u8| usize::from(*nag).checked_sub(1).and_then(|place| signs.get(place));
    ply.nags.iter().find_map(sign).copied().unwrap_or_default()
}

/// Leaves out sentence and line of the judgement, which the page shows elsewhere.
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

/// `games` has the texts of [`game`] one after the other.
pub(super) fn page(games: &str) -> String {
    PAGE.replacen(GAMES, &format!("[{}\n]", games.trim_start_matches(',')), 1)
}

#[cfg(test)]
mod tests {
    use super::super::accuracy::Thresholds;
    use super::super::annotate::annotate;
    use super::*;
    use crate::cli::assessment::Assessment;
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
        let page = page(&game(7, &annotated, "Sesame 9, depth 1 per position"));
        assert!(page.starts_with("<!DOCTYPE html>") && !page.contains("</script><b>") && !page.contains(GAMES));
        let data = page.split_once("id=\"games\">").unwrap().1.split_once("</script>").unwrap().0;
        let games: Value = serde_json::from_str(data).unwrap();
        let steps = games[0]["steps"].as_array().unwrap();
        assert_eq!(steps.len(), 4);
        assert!(games[0]["title"].as_str().unwrap().starts_with("</script><b> – Black"));
        assert_eq!((&steps[0]["comment"], &games[0]["number"]), (&"Intro".into(), &7.into()));
        assert_eq!(
            (&steps[1]["comment"], &steps[1]["played"]["sign"]),
            (&"My <i>move</i> (1. d4)".into(), &"!".into())
        );
        assert_eq!(steps[3]["played"]["squares"][1], "e2");
        let best = replay.start.to_uci(*replay.start.legal_moves().last().unwrap(), false);
        assert_eq!(steps[3]["played"]["best"], json!([best[0..2], best[2..4]]));
        assert!(steps[1]["played"]["best"].is_null());
        assert_eq!(games[0]["annotator"], "Sesame 9, depth 1 per position");
        assert_eq!((&steps[3]["score"], &steps[0]["fen"]), (&"-3.00".into(), &Position::startpos().fen(false).into()));
    }

    #[test]
    fn castling_with_the_king_on_its_square_has_an_arrow_to_the_rook() {
        let text = "[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/8/6KR w K - 0 1\"]\n[Variant \"Chess960\"]\n\n1. Kf2 *";
        let record = Reader::new(text.as_bytes()).next().unwrap().unwrap();
        let replay = record.replay().unwrap();
        let castling = replay.start.from_san("O-O").unwrap();
        let assess = |score| Some(Assessment { score: Score::Centipawns(score), line: vec![castling], depth: 1 });
        let annotated = annotate(&record, &replay, &[assess(300), assess(300)], Thresholds::default());
        assert_eq!(annotated.moves[0].judged.as_ref().unwrap().best, "O-O");
        let game = game(1, &annotated, "Sesame");
        assert!(game.contains("\"best\":[\"g1\",\"h1\"]"), "{game}");
    }

    #[test]
    fn chart_escapes_names() {
        let text = "[White \"A & B <x>\"]\n[Event \"\\\"Open\\\"\"]\n\n1. e4 e5 2. Nf3 *";
        let record = Reader::new(text.as_bytes()).next().unwrap().unwrap();
        let replay = record.replay().unwrap();
        let scores = [Score::Centipawns(20), Score::Centipawns(300), Score::Centipawns(-300), Score::Mate(0)];
        let assess =
            |score| Some(Assessment { score, line: vec![*replay.start.legal_moves().first().unwrap()], depth: 1 });
        let svg = chart(&annotate(&record, &replay, &scores.map(assess), Thresholds::default())).unwrap();
        let tree = roxmltree::Document::parse(&svg).unwrap();
        let title = tree.descendants().find(|node| node.has_tag_name("title")).unwrap();
        assert_eq!(title.text(), Some("A & B <x> – Black, \"Open\", *"));
        assert!(svg.contains("blunder ??") && !svg.contains("mistake"), "{svg}");
        // Positions that were not searched leave gaps.
        let few = [None, assess(scores[0]), None, None];
        chart(&annotate(&record, &replay, &few, Thresholds::default())).unwrap();
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
