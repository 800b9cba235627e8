//! Evaluation chart of a game.

use super::annotate::Annotated;
use super::judge::{Judgement, chances, negated};
use crate::engine::Score;
use crate::games::pgn::PgnGame;
use crate::position::Color;
use sesame_report::ChartError;
use sesame_report::chart::{Axis, Chart, Curve, CurveStyle, PlotMode, Reference};

/// Labelled evaluations, in pawns. The axis has winning chances, so the labels are not evenly spaced.
const LABELLED: [i32; 7] = [-5, -3, -1, 0, 1, 3, 5];

/// Length limit of the title, in characters.
const TITLE: usize = 84;

/// Draws White's winning chances by move, labelled in pawns, with marks at the judged moves. Positions that were
/// not searched are left out.
///
/// # Errors
/// If the chart cannot be drawn.
pub(super) fn draw(annotated: &Annotated) -> Result<String, ChartError> {
    // White's first move is at 1, Black's at 1.5.
    let number = f64::from(annotated.start.fullmove_number());
    let begin = if annotated.start.side_to_move() == Color::White { number - 0.5 } else { number };
    let first = (annotated.first_score, annotated.start.side_to_move(), None);
    let moves = annotated
        .moves
        .iter()
        .map(|step| (step.score, step.position.side_to_move(), step.judged.as_ref().map(|judged| judged.judgement)));
    let steps = std::iter::once(first).chain(moves);
    let points: Vec<((f64, f64), Option<Judgement>)> = (0u32..)
        .zip(steps)
        .filter_map(|(ply, (score, side, judgement))| {
            Some(((begin + 0.5 * f64::from(ply), whites_chances(score?, side)), judgement))
        })
        .collect();
    let marked = |judgement| -> Vec<(f64, f64)> {
        points.iter().filter(|point| point.1 == Some(judgement)).map(|point| point.0).collect()
    };
    let line: Vec<(f64, f64)> = points.iter().map(|point| point.0).collect();
    let [blue, sky, vermilion, orange, ..] = CurveStyle::ALL;
    let looks = [sky, orange, vermilion];
    let mut curves = vec![Curve { mode: PlotMode::Line, ..Curve::new("evaluation", blue, line) }];
    for (judgement, look) in Judgement::ALL.into_iter().zip(looks) {
        let marked = marked(judgement);
        if !marked.is_empty() {
            let name = format!("{} {}", judgement.name().to_lowercase(), judgement.sign());
            curves.push(Curve { mode: PlotMode::Markers, ..Curve::new(name, look, marked) });
        }
    }
    let last = points.last().map_or(begin, |point| point.0.0);
    let chart = Chart {
        title: title(&annotated.record),
        x: moves_axis(begin, last.max(begin + 0.5)),
        y: evaluation_axis(),
        curves,
        reference: Some(Reference::Level(0.5, "equal".to_owned())),
    };
    chart.draw()
}

/// Returns White's winning chances by a score from the view of the side to move.
pub(super) fn whites_chances(score: Score, side_to_move: Color) -> f64 {
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

/// Returns players, event, date and result of a game.
pub(super) fn title(record: &PgnGame) -> String {
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

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::super::annotate::annotate;
    use super::super::judge::Thresholds;
    use super::*;
    use crate::cli::assessment::Assessment;
    use crate::games::pgn::Reader;

    #[test]
    fn chart_escapes_names() {
        let text = "[White \"A & B <x>\"]\n[Event \"\\\"Open\\\"\"]\n\n1. e4 e5 2. Nf3 *";
        let record = Reader::new(text.as_bytes()).next().unwrap().unwrap();
        let replay = record.replay().unwrap();
        let scores = [Score::Centipawns(20), Score::Centipawns(300), Score::Centipawns(-300), Score::Mate(0)];
        let assess =
            |score| Some(Assessment { score, line: vec![*replay.start.legal_moves().first().unwrap()], depth: 1 });
        let svg = draw(&annotate(&record, &replay, &scores.map(assess), Thresholds::default())).unwrap();
        let tree = roxmltree::Document::parse(&svg).unwrap();
        let title = tree.descendants().find(|node| node.has_tag_name("title")).unwrap();
        assert_eq!(title.text(), Some("A & B <x> – Black, \"Open\", *"));
        assert!(svg.contains("blunder ??") && !svg.contains("mistake"), "{svg}");
        // Positions that were not searched leave gaps.
        let few = [None, assess(scores[0]), None, None];
        draw(&annotate(&record, &replay, &few, Thresholds::default())).unwrap();
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
