//! Annotation of a game: evaluations, judgements, variations.

use super::judge::{Judgement, MoveLoss, PlayerStats, negated};
use crate::cli::assessment::Assessment;
use crate::cli::san;
use crate::engine::Score;
use crate::games::pgn::{Annotation, PgnGame, Ply, Replay};
use crate::position::{Color, Position};

/// Length limit of the variation for a better move, in plies.
const LINE: usize = 10;

/// An annotated game.
pub(super) struct Annotated {
    pub(super) record: PgnGame,
    /// The statistics of both players, White's first.
    pub(super) stats: [PlayerStats; 2],
    /// One line for each judged move, for the summary.
    pub(super) remarks: Vec<String>,
    /// The positions before and after each move, for the chart.
    pub(super) points: Vec<GamePoint>,
}

/// A position of a game with its score.
pub(super) struct GamePoint {
    pub(super) score: Score,
    pub(super) side_to_move: Color,
    /// The judgement of the move before.
    pub(super) judgement: Option<Judgement>,
}

/// Annotates a game. `assessments` has the positions before and after each move. Earlier annotations by Sesame
/// or Lichess are replaced; others stay.
pub(super) fn annotate(record: &PgnGame, replay: &Replay, assessments: &[Assessment]) -> Annotated {
    let mut record = record.clone();
    let mut position = replay.start.clone();
    let mut stats = [PlayerStats::default(); 2];
    let mut remarks = Vec::new();
    let first = assessments.first().map(|assessment| assessment.score).unwrap_or(Score::Centipawns(0));
    let mut points = vec![GamePoint { score: first, side_to_move: position.side_to_move(), judgement: None }];
    let pairs = assessments.iter().zip(assessments.iter().skip(1));
    for ((ply, &mv), (before, after)) in record.plies.iter_mut().zip(&replay.moves).zip(pairs) {
        let is_best = before.line.first() == Some(&mv);
        let cost = MoveLoss::new(before.score, negated(after.score), is_best);
        let side = position.side_to_move();
        if let Some(stats) = stats.get_mut(side as usize) {
            stats.add(&cost);
        }
        let san = position.to_san(mv);
        let best = before.line.first().filter(|&&best| position.is_legal(best)).map(|&best| position.to_san(best));
        let line = san::line(&position, before.line.get(..LINE).unwrap_or(&before.line));
        let is_mate = after.score == Score::Mate(0);
        let value = san::score(after.score, !side);
        if let (Some(judgement), true) = (cost.judgement, best.is_some()) {
            let number = san::line(&position, &[mv]);
            let was = san::score(before.score, side);
            let (sign, name) = (judgement.sign(), judgement.name().to_lowercase());
            remarks.push(format!("{number}{sign} {name} ({was} to {value}). Best: {line}"));
        }
        write(ply, san, cost.judgement.zip(best), line, (!is_mate).then_some(after.score), !side);
        position.play(mv);
        points.push(GamePoint { score: after.score, side_to_move: !side, judgement: cost.judgement });
    }
    Annotated { record, stats, remarks, points }
}

/// Writes the annotations of a move.
fn write(
    ply: &mut Ply,
    san: String,
    judged: Option<(Judgement, String)>,
    line: String,
    score: Option<Score>,
    side_to_move: Color,
) {
    ply.san = san;
    let earlier = erase(ply);
    rate(&mut ply.nags, &earlier, judged.as_ref().map(|(judgement, _)| *judgement));
    // One comment, the earlier one first: Lichess shows no comment after the variation, and moves no clock there.
    let mut comments = Vec::new();
    while let Some(Annotation::Comment(_)) = ply.annotations.first()
        && let Annotation::Comment(comment) = ply.annotations.remove(0)
    {
        comments.push(comment);
    }
    comments.extend(score.map(|score| eval_command(score, side_to_move)));
    let mut annotations = Vec::new();
    if let Some((judgement, best)) = judged {
        comments.push(format!("{}. {best} was best.", judgement.name()));
        annotations.push(Annotation::Variation(line));
    }
    if !comments.is_empty() {
        annotations.insert(0, Annotation::Comment(comments.join(" ")));
    }
    ply.annotations.splice(0..0, annotations);
}

/// Removes earlier annotations: evaluations, judgements and their variations. Returns the judgements.
fn erase(ply: &mut Ply) -> Vec<Judgement> {
    let mut kept: Vec<Annotation> = Vec::new();
    let mut judgements = Vec::new();
    let mut after_judgement = false;
    for note in ply.annotations.drain(..) {
        match note {
            Annotation::Comment(comment) => {
                // The text before an evaluation is a person's, or a clock.
                let (before, comment) = comment.split_at(comment.find("[%eval ").unwrap_or(0));
                let mut comment = without_eval(comment);
                while let Some((judgement, rest)) = split_judgement(&comment) {
                    judgements.push(judgement);
                    after_judgement = true;
                    comment = rest;
                }
                let comment = format!("{} {comment}", before.trim()).trim().to_owned();
                if !comment.is_empty() {
                    kept.push(Annotation::Comment(comment));
                }
            }
            Annotation::Variation(_) if after_judgement => after_judgement = false,
            variation => kept.push(variation),
        }
    }
    ply.annotations = kept;
    judgements
}

/// Sets the glyph of the judgement. It replaces the glyph of an earlier judgement; an annotator's glyph stays
/// alone.
fn rate(nags: &mut Vec<u8>, earlier: &[Judgement], now: Option<Judgement>) {
    // An unchanged judgement keeps its glyph in place: annotating twice equals annotating once.
    nags.retain(|nag| !earlier.iter().any(|&judgement| Some(judgement) != now && judgement.nag() == *nag));
    if let Some(judgement) = now
        && !nags.iter().any(|nag| (1..=6).contains(nag))
    {
        nags.insert(0, judgement.nag());
    }
}

/// Removes `[%eval ...]` from a comment.
fn without_eval(comment: &str) -> String {
    let mut text = comment.to_owned();
    while let Some(start) = text.find("[%eval ") {
        let end = text.get(start..).and_then(|rest| rest.find(']')).map_or(text.len(), |end| start + end + 1);
        text.replace_range(start..end, "");
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Splits a sentence such as `Blunder. Nf3 was best.` from a comment, with the change of the evaluation that
/// may precede it. Returns the judgement and the rest.
fn split_judgement(comment: &str) -> Option<(Judgement, String)> {
    const END: &str = " was best.";
    for judgement in Judgement::ALL {
        let opening = format!("{}. ", judgement.name());
        let Some(start) = comment.find(&opening) else { continue };
        let (before, rest) = comment.split_at(start);
        let Some(end) = rest.find(END) else { continue };
        let is_one_move = rest.get(opening.len()..end).is_some_and(|best| !best.contains(' '));
        let before = before.trim();
        if is_one_move && (before.is_empty() || before.starts_with('(') && before.ends_with(')')) {
            return Some((judgement, rest.get(end + END.len()..).unwrap_or_default().trim().to_owned()));
        }
    }
    None
}

/// Formats an evaluation as Lichess does: White's, in pawns or moves to mate.
fn eval_command(score: Score, side_to_move: Color) -> String {
    let text = san::score(score, side_to_move);
    format!("[%eval {}]", text.strip_prefix('+').unwrap_or(&text))
}

/// Names a position of a game for messages, by its next move.
pub(super) fn place(position: &Position) -> String {
    match position.side_to_move() {
        Color::White => format!("move {}", position.fullmove_number()),
        Color::Black => format!("move {}...", position.fullmove_number()),
    }
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::games::pgn::Reader;

    fn game(text: &str) -> (PgnGame, Replay) {
        let record = Reader::new(text.as_bytes()).next().unwrap().unwrap();
        let replay = record.replay().unwrap();
        (record, replay)
    }

    /// Returns assessments of the fool's mate: White's g4 allows it.
    fn assessments_of(replay: &Replay) -> Vec<Assessment> {
        let mut position = replay.start.clone();
        let best = ["e2e4", "e7e5", "g1h3", "d8h4"];
        let scores = [Score::Centipawns(30), Score::Centipawns(40), Score::Centipawns(-50), Score::Mate(1)];
        let mut assessments = Vec::new();
        for ((best, score), &mv) in best.iter().zip(scores).zip(&replay.moves) {
            assessments.push(Assessment { score, line: vec![position.from_uci(best).unwrap()], depth: 9 });
            position.play(mv);
        }
        assessments.push(Assessment { score: Score::Mate(0), line: Vec::new(), depth: 0 });
        assessments
    }

    /// Returns assessments in which each move is the best.
    fn equal_assessments(replay: &Replay) -> Vec<Assessment> {
        let moves = replay.moves.iter().map(|&mv| vec![mv]).chain([Vec::new()]);
        moves.map(|line| Assessment { score: Score::Centipawns(0), line, depth: 9 }).collect()
    }

    fn moves(record: &PgnGame) -> String {
        record.to_string().rsplit("\n\n").next().unwrap().replace('\n', " ").trim().to_owned()
    }

    const FOOL: &str = "1. f3 $1 {[%eval 0.5] [%clk 0:01:00]} e5 2. g4 $3 $14 {A human word.} (2. e4) Qh4# 0-1";

    #[test]
    fn blunders_are_annotated() {
        let (record, replay) = game(FOOL);
        let annotated = annotate(&record, &replay, &assessments_of(&replay));
        assert_eq!(
            moves(&annotated.record),
            "1. f3 $1 {[%clk 0:01:00] [%eval -0.40] Inaccuracy. e4 was best.} (1. e4) 1... e5 {[%eval -0.50]} \
             2. g4 $3 $14 {A human word. [%eval #-1] Blunder. Nh3 was best.} (2. Nh3) (2. e4) 2... Qh4# 0-1"
        );
        assert_eq!(annotated.remarks.len(), 2);
        assert_eq!(annotated.remarks[1], "2. g4?? blunder (-0.50 to #-1). Best: 2. Nh3");
        let [white, black] = annotated.stats.map(|stats| stats.row());
        assert_eq!(
            (white[3..].to_vec(), black[3..].to_vec()),
            (vec!["1".into(), "0".into(), "1".into()], vec!["0".to_string(); 3])
        );
        let judged: Vec<bool> = annotated.points.iter().map(|point| point.judgement.is_some()).collect();
        assert_eq!(judged, [false, true, false, true, false]);
    }

    /// Annotations of a move by humans and earlier analyses.
    const ANNOTATIONS: [&str; 13] = [
        "",
        "$1",
        "$2",
        "$4 {A human word.}",
        "$6 $13",
        "$14 $4",
        "$3 $4 (2. e4)",
        "$4 {Blunder. Nh3 was best.} (2. Nh3)",
        "$14 $2 {[%eval 0.3] Blunder. e4 was best.} {A human word.} (2. e4)",
        "$2 $4 {(0.34 → -3.20) Mistake. e4 was best.} (2. e4)",
        "$4 {Mistake. e4 was best. Blunder. Nh3 was best. So I think.} (2. e4)",
        "$6 {Inaccuracy. e4 was best.}",
        "$6 {Inaccuracy. I think e4 was best.}",
    ];

    #[test]
    fn annotating_twice_equals_annotating_once() {
        let texts = ANNOTATIONS
            .iter()
            .flat_map(|first| ANNOTATIONS.map(|second| format!("1. f3 {first} e5 2. g4 {second} Qh4# 0-1")));
        for text in texts.chain([FOOL.to_owned()]) {
            for assess in [assessments_of, equal_assessments] {
                let (record, replay) = game(&text);
                let once = annotate(&record, &replay, &assess(&replay)).record;
                let (again, replay) = game(&once.to_string());
                let twice = annotate(&again, &replay, &assess(&replay)).record;
                assert_eq!(twice.to_string(), once.to_string(), "{text}");
            }
        }
    }

    #[test]
    fn human_glyphs_stay() {
        let annotated = |annotations: &str, assess: fn(&Replay) -> Vec<Assessment>| {
            let (record, replay) = game(&format!("1. f3 e5 2. g4 {annotations} Qh4# 0-1"));
            let annotated = moves(&annotate(&record, &replay, &assess(&replay)).record);
            annotated.split_once("2. g4 ").unwrap().1.split_once(" 2... Qh4#").unwrap().0.to_owned()
        };
        for nags in ["$1", "$2", "$3", "$4", "$5", "$6", "$14 $4", "$2 $4"] {
            let found = annotated(nags, assessments_of);
            assert_eq!(found, format!("{nags} {{[%eval #-1] Blunder. Nh3 was best.}} (2. Nh3)"));
            assert_eq!(annotated(nags, equal_assessments), format!("{nags} {{[%eval 0.00]}}"));
        }
        // A glyph that does not classify the move.
        assert_eq!(annotated("$14", assessments_of), "$4 $14 {[%eval #-1] Blunder. Nh3 was best.} (2. Nh3)");
        // Earlier annotations go, with the glyph of their own class only.
        assert_eq!(annotated("$4 $14 {Blunder. Nh3 was best.} (2. Nh3)", equal_assessments), "$14 {[%eval 0.00]}");
        assert_eq!(annotated("$2 {Blunder. Nh3 was best.} (2. Nh3)", equal_assessments), "$2 {[%eval 0.00]}");
        let was_mistake = "$2 {(0.34 → -1.20) Mistake. e4 was best.} (2. e4)";
        assert_eq!(annotated(was_mistake, assessments_of), "$4 {[%eval #-1] Blunder. Nh3 was best.} (2. Nh3)");
    }

    #[test]
    fn lichess_annotations_are_recognised() {
        assert_eq!(without_eval("[%eval 0.3,18] [%clk 0:03:00]"), "[%clk 0:03:00]");
        assert_eq!(without_eval("[%eval #-3"), "");
        assert_eq!(split_judgement("(0.34 → -3.20) Blunder. Nf3 was best."), Some((Judgement::Blunder, String::new())));
        let (judgement, rest) = split_judgement("Mistake. Qxd4 was best. So I think.").unwrap();
        assert_eq!((judgement, rest.as_str()), (Judgement::Mistake, "So I think."));
        for human in ["Blunder. I think Nf3 was best.", "A Blunder. Nf3 was best.", "Blunder."] {
            assert_eq!(split_judgement(human), None, "{human}");
        }
    }
}
