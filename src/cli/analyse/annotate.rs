//! Annotation of a game: evaluations, judgements, variations.

use std::ops::Range;

use super::judge::{Judgement, MoveLoss, PlayerStats, Thresholds, negated};
use super::variation::join_variation;
use crate::cli::assessment::{Assessment, san_line, white_score};
use crate::engine::Score;
use crate::games::pgn::{Annotation, PgnGame, Ply, Replay};
use crate::position::{Color, Move, Position};

/// Length limit of the variation for a better move, in plies.
const LINE: usize = 10;

/// An annotated game.
pub(super) struct Annotated {
    pub(super) record: PgnGame,
    /// The statistics of both players, White's first.
    pub(super) stats: [PlayerStats; 2],
    /// The start position.
    pub(super) start: Position,
    /// The score of the start position, from the view of its side to move.
    pub(super) first_score: Option<Score>,
    /// The moves.
    pub(super) moves: Vec<AnnotatedMove>,
}

/// A move of a game with its assessment.
pub(super) struct AnnotatedMove {
    pub(super) mv: Move,
    /// The position after the move.
    pub(super) position: Position,
    /// The score after the move, from the view of the side that is then to move; `None` if it was not searched.
    pub(super) score: Option<Score>,
    /// The judgement; `None` also if the move was not judged.
    pub(super) judged: Option<Judged>,
}

/// A bad move, with the better one.
pub(super) struct Judged {
    pub(super) judgement: Judgement,
    /// The score before the move, from the player's view.
    pub(super) score_before: Score,
    /// The best move in standard algebraic notation.
    pub(super) best: String,
    /// The best line with move numbers.
    pub(super) line: String,
}

impl Annotated {
    /// Returns one line for each judged move, for the summary.
    pub(super) fn remarks(&self) -> Vec<String> {
        let mut before = &self.start;
        let mut remarks = Vec::new();
        for step in &self.moves {
            if let Some(Judged { judgement, score_before, line, .. }) = &step.judged {
                let (number, side) = (san_line(before, &[step.mv]), before.side_to_move());
                let (sign, name) = (judgement.sign(), judgement.name().to_lowercase());
                let was = white_score(*score_before, side);
                let is = step.score.map_or_else(String::new, |score| white_score(score, !side));
                remarks.push(format!("{number}{sign} {name} ({was} to {is}). Best: {line}"));
            }
            before = &step.position;
        }
        remarks
    }
}

/// Annotates a game. `assessments` has the positions before and after each move, `None` where one was not
/// searched: a move is judged if both are there. Earlier annotations of judged moves by Sesame or Lichess are
/// replaced; others stay.
pub(super) fn annotate(
    record: &PgnGame,
    replay: &Replay,
    assessments: &[Option<Assessment>],
    thresholds: Thresholds,
) -> Annotated {
    let mut record = record.clone();
    let mut position = replay.start.clone();
    let mut stats = [PlayerStats::default(); 2];
    let mut moves = Vec::with_capacity(replay.moves.len());
    let first_score = assessments.first().and_then(Option::as_ref).map(|assessment| assessment.score);
    let pairs = assessments.iter().zip(assessments.iter().skip(1));
    for ((ply, &mv), (before, after)) in record.plies.iter_mut().zip(&replay.moves).zip(pairs) {
        let side = position.side_to_move();
        let score = after.as_ref().map(|after| after.score);
        let mut judged = None;
        if let (Some(before), Some(after)) = (before, after) {
            let is_best = before.line.first() == Some(&mv);
            let loss = MoveLoss::new(before.score, negated(after.score), is_best, thresholds);
            if let Some(stats) = stats.get_mut(side as usize) {
                stats.add(&loss);
            }
            let line = before.line.get(..LINE).unwrap_or(&before.line);
            let best = line.first().filter(|&&best| position.is_legal(best)).map(|&best| position.to_san(best));
            judged = loss.judgement.zip(best).map(|(judgement, best)| Judged {
                judgement,
                score_before: before.score,
                best,
                line: san_line(&position, line),
            });
            let shown = Some(after.score).filter(|&score| score != Score::Mate(0));
            write(ply, &position, mv, judged.as_ref().map(|judged| (judged, line)), shown);
        }
        position.play(mv);
        moves.push(AnnotatedMove { mv, position: position.clone(), score, judged });
    }
    Annotated { record, stats, start: replay.start.clone(), first_score, moves }
}

/// Writes the annotations of the move `mv` in `position`. `score` is that of the position after it.
fn write(ply: &mut Ply, position: &Position, mv: Move, judged: Option<(&Judged, &[Move])>, score: Option<Score>) {
    ply.san = position.to_san(mv);
    let earlier = erase(ply);
    rate(&mut ply.nags, &earlier, judged.map(|(judged, _)| judged.judgement));
    // One comment, the earlier one first: Lichess shows no comment after the variation, and moves no clock there.
    let mut comments = Vec::new();
    while let Some(Annotation::Comment(_)) = ply.annotations.first()
        && let Annotation::Comment(comment) = ply.annotations.remove(0)
    {
        comments.push(comment);
    }
    comments.extend(score.map(|score| eval_command(score, !position.side_to_move())));
    if let Some((Judged { judgement, best, line: text, .. }, line)) = judged {
        let is_there = join_variation(&mut ply.annotations, position, line);
        let end = if is_there { JOINED } else { ADDED };
        comments.push(format!("{}. {best}{end}", judgement.name()));
        if !is_there {
            ply.annotations.insert(0, Annotation::Variation(text.clone()));
        }
    }
    if !comments.is_empty() {
        ply.annotations.insert(0, Annotation::Comment(comments.join(" ")));
    }
}

/// The beginning of an evaluation in a comment.
const EVAL: &str = "[%eval ";

/// The end of a judgement after the best move. A variation of Sesame follows.
const ADDED: &str = " was best.";

/// The end of a judgement whose line is in a variation that was there before.
const JOINED: &str = " was best: see the variation.";

/// Removes earlier annotations: evaluations, judgements and their variations. Returns the judgements.
fn erase(ply: &mut Ply) -> Vec<Judgement> {
    let mut kept: Vec<Annotation> = Vec::new();
    let mut judgements = Vec::new();
    let mut after_judgement = false;
    for note in ply.annotations.drain(..) {
        match note {
            Annotation::Comment(comment) => {
                // The text before an evaluation is a person's or a clock, unless it is a judgement itself.
                let (before, after) = comment.split_at(comment.find(EVAL).unwrap_or(0));
                let mut rest = [before.to_owned(), without_commands(after, EVAL)];
                for part in &mut rest {
                    while let Some((sentence, rest)) = split_judgement(part) {
                        judgements.extend(sentence.judgements);
                        after_judgement = sentence.end == ADDED;
                        *part = rest;
                    }
                }
                let comment = rest.map(|part| part.trim().to_owned()).join(" ").trim().to_owned();
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

/// Removes commands that begin with `start`, such as `[%eval `, from a comment.
pub(super) fn without_commands(comment: &str, start: &str) -> String {
    let mut text = comment.to_owned();
    while let Some(place) = text.find(start) {
        let end = text.get(place..).and_then(|rest| rest.find(']')).map_or(text.len(), |end| place + end + 1);
        text.replace_range(place..end, "");
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The beginnings of judgements, with the classes whose glyph may stand beside them: Sesame's and Lichess's.
const OPENINGS: [(&str, &[Judgement]); 6] = [
    ("Inaccuracy. ", &[Judgement::Inaccuracy]),
    ("Mistake. ", &[Judgement::Mistake]),
    ("Blunder. ", &[Judgement::Blunder]),
    ("Checkmate is now unavoidable. ", &Judgement::ALL),
    ("Lost forced checkmate sequence. ", &Judgement::ALL),
    ("Not the best checkmate sequence. ", &Judgement::ALL),
];

/// A judgement in a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Sentence {
    judgements: &'static [Judgement],
    /// [`ADDED`] or [`JOINED`].
    end: &'static str,
    place: Range<usize>,
}

/// Splits a sentence such as `Blunder. Nf3 was best.` from a comment, with the change of the evaluation that
/// may precede it. Returns the sentence and the rest.
fn split_judgement(comment: &str) -> Option<(Sentence, String)> {
    let is_first = |sentence: &Sentence| {
        let before = comment.get(..sentence.place.start).unwrap_or_default().trim();
        before.is_empty() || before.starts_with('(') && before.ends_with(')')
    };
    let sentence = sentences(comment).find(is_first)?;
    let rest = comment.get(sentence.place.end..).unwrap_or_default().trim().to_owned();
    Some((sentence, rest))
}

/// Returns the place of the first judgement in a comment.
pub(super) fn judgement_in(comment: &str) -> Option<Range<usize>> {
    sentences(comment).map(|sentence| sentence.place).min_by_key(|place| place.start)
}

/// Returns the first sentence with each opening in a comment.
fn sentences(comment: &str) -> impl Iterator<Item = Sentence> {
    OPENINGS.into_iter().filter_map(move |(opening, judgements)| {
        let start = comment.find(opening)?;
        let sentence = comment.get(start..)?;
        [ADDED, JOINED].into_iter().find_map(|end| {
            let length = sentence.find(end)?;
            let is_one_move = !sentence.get(opening.len()..length)?.contains(' ');
            is_one_move.then(|| Sentence { judgements, end, place: start..start + length + end.len() })
        })
    })
}

/// Formats an evaluation as Lichess does: White's, in pawns or moves to mate.
fn eval_command(score: Score, side_to_move: Color) -> String {
    let text = white_score(score, side_to_move);
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
    fn assessments_of(replay: &Replay) -> Vec<Option<Assessment>> {
        let mut position = replay.start.clone();
        let best = ["e2e4", "e7e5", "g1h3", "d8h4"];
        let scores = [Score::Centipawns(30), Score::Centipawns(40), Score::Centipawns(-50), Score::Mate(1)];
        let mut assessments = Vec::new();
        for ((best, score), &mv) in best.iter().zip(scores).zip(&replay.moves) {
            assessments.push(Some(Assessment { score, line: vec![position.from_uci(best).unwrap()], depth: 9 }));
            position.play(mv);
        }
        assessments.push(Some(Assessment { score: Score::Mate(0), line: Vec::new(), depth: 0 }));
        assessments
    }

    /// Returns assessments in which each move is the best.
    fn equal_assessments(replay: &Replay) -> Vec<Option<Assessment>> {
        let moves = replay.moves.iter().map(|&mv| vec![mv]).chain([Vec::new()]);
        moves.map(|line| Some(Assessment { score: Score::Centipawns(0), line, depth: 9 })).collect()
    }

    fn moves(record: &PgnGame) -> String {
        record.to_string().rsplit("\n\n").next().unwrap().replace('\n', " ").trim().to_owned()
    }

    const FOOL: &str = "1. f3 $1 {[%eval 0.5] [%clk 0:01:00]} e5 2. g4 $3 $14 {A human word.} (2. e4) Qh4# 0-1";

    #[test]
    fn blunders_are_annotated() {
        let (record, replay) = game(FOOL);
        let annotated = annotate(&record, &replay, &assessments_of(&replay), Thresholds::default());
        assert_eq!(
            moves(&annotated.record),
            "1. f3 $1 {[%clk 0:01:00] [%eval -0.40] Inaccuracy. e4 was best.} (1. e4) 1... e5 {[%eval -0.50]} \
             2. g4 $3 $14 {A human word. [%eval #-1] Blunder. Nh3 was best.} (2. Nh3) (2. e4) 2... Qh4# 0-1"
        );
        let remarks = annotated.remarks();
        assert_eq!(remarks.len(), 2);
        assert_eq!(remarks[1], "2. g4?? blunder (-0.50 to #-1). Best: 2. Nh3");
        let [white, black] = annotated.stats.map(|stats| stats.row());
        assert_eq!(
            (white[3..].to_vec(), black[3..].to_vec()),
            (vec!["1".into(), "0".into(), "1".into()], vec!["0".to_string(); 3])
        );
        let judged: Vec<bool> = annotated.moves.iter().map(|step| step.judged.is_some()).collect();
        assert_eq!(judged, [true, false, true, false]);
    }

    /// Annotations of a move by humans and earlier analyses.
    const ANNOTATIONS: [&str; 15] = [
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
        "$4 {(Mate in 1 → -5.00) Lost forced checkmate sequence. e4 was best. [%eval -9.99]} (2. e4)",
        "$6 {(-1.6 → -3.0) Inaccuracy. e4 was best. [%eval -3.0] [%clk 0:04:50]} (2. e4)",
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
                let once = annotate(&record, &replay, &assess(&replay), Thresholds::default()).record;
                let (again, replay) = game(&once.to_string());
                let twice = annotate(&again, &replay, &assess(&replay), Thresholds::default()).record;
                assert_eq!(twice.to_string(), once.to_string(), "{text}");
            }
        }
    }

    #[test]
    fn best_line_joins_a_variation_that_is_there() {
        let (record, replay) = game("1. f3 {So.} (1. d4 d5) (1. e4 {best by test} c5) e5 2. g4 Qh4# 0-1");
        let mut assessments = assessments_of(&replay);
        let first = assessments[0].as_mut().unwrap();
        let mut after = replay.start.clone();
        after.play(first.line[0]);
        first.line.push(after.from_san("e6").unwrap());
        let once = annotate(&record, &replay, &assessments, Thresholds::default()).record;
        assert!(
            moves(&once).starts_with(
                "1. f3 $6 {So. [%eval -0.40] Inaccuracy. e4 was best: see the variation.} (1. d4 d5) \
                 (1. e4 {best by test} c5 (1... e6)) 1... e5"
            ),
            "{once}"
        );
        let (again, _) = game(&once.to_string());
        assert_eq!(annotate(&again, &replay, &assessments, Thresholds::default()).record.plies, {
            let (expected, _) = game(&once.to_string());
            expected.plies
        });
    }

    #[test]
    fn moves_outside_of_the_range_stay() {
        let (record, replay) = game(FOOL);
        let mut assessments = assessments_of(&replay);
        assessments[0] = None;
        assessments[1] = None;
        let annotated = annotate(&record, &replay, &assessments, Thresholds::default());
        assert!(
            moves(&annotated.record)
                .starts_with("1. f3 $1 {[%eval 0.5] [%clk 0:01:00]} 1... e5 2. g4 $3 $14 {A human word. ["),
            "{}",
            annotated.record
        );
        assert_eq!(annotated.stats[1].row()[0], "1");
        assert_eq!((annotated.first_score, annotated.moves[0].score), (None, None));
        assert_eq!(annotated.remarks().len(), 1);
    }

    #[test]
    fn human_glyphs_stay() {
        let annotated = |annotations: &str, assess: fn(&Replay) -> Vec<Option<Assessment>>| {
            let (record, replay) = game(&format!("1. f3 e5 2. g4 {annotations} Qh4# 0-1"));
            let annotated = moves(&annotate(&record, &replay, &assess(&replay), Thresholds::default()).record);
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
        let lichess = "$6 {(-1.6 → -3.0) Inaccuracy. e4 was best. [%eval -3.0] [%clk 0:04:50]} (2. e4)";
        assert_eq!(annotated(lichess, equal_assessments), "{[%clk 0:04:50] [%eval 0.00]}");
        let was_mistake = "$2 {(0.34 → -1.20) Mistake. e4 was best.} (2. e4)";
        assert_eq!(annotated(was_mistake, assessments_of), "$4 {[%eval #-1] Blunder. Nh3 was best.} (2. Nh3)");
    }

    #[test]
    fn lichess_annotations_are_recognised() {
        assert_eq!(without_commands("[%eval 0.3,18] [%clk 0:03:00]", EVAL), "[%clk 0:03:00]");
        assert_eq!(without_commands("[%eval #-3", EVAL), "");
        let split = |text| {
            split_judgement(text).map(|(sentence, rest)| (sentence.judgements.len(), sentence.end, rest)).unwrap()
        };
        assert_eq!(split("(0.34 → -3.20) Blunder. Nf3 was best."), (1, ADDED, String::new()));
        assert_eq!(split("Mistake. Qxd4 was best. So I think."), (1, ADDED, "So I think.".into()));
        assert_eq!(split("Mistake. Qxd4 was best: see the variation. So."), (1, JOINED, "So.".into()));
        assert_eq!(split("(-0.20 → Mate in 1) Checkmate is now unavoidable. g6 was best."), (3, ADDED, String::new()));
        for human in ["Blunder. I think Nf3 was best.", "A Blunder. Nf3 was best.", "Blunder."] {
            assert_eq!(split_judgement(human), None, "{human}");
        }
    }
}
