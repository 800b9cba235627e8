//! Annotation of a game: evaluations, judgements, variations.

use super::accuracy::{Judgement, MoveLoss, PlayerStats, Thresholds, negated};
use crate::cli::assessment::{Assessment, WhiteScore, san_line};
use crate::engine::Score;
use crate::games::pgn::{Annotation, GameResult, PgnGame, Ply, Reader, Replay};
use crate::games::read_move;
use crate::position::{Color, Move, Position};

/// In plies, of the variation for a better move.
const LINE: usize = 10;

pub(super) struct Annotated {
    pub(super) record: PgnGame,
    /// White's first.
    pub(super) stats: [PlayerStats; 2],
    pub(super) start: Position,
    /// For the side to move.
    pub(super) first_score: Option<Score>,
    pub(super) moves: Vec<AnnotatedMove>,
}

pub(super) struct AnnotatedMove {
    pub(super) mv: Move,
    pub(super) before: Position,
    pub(super) after: Position,
    /// For the side that is then to move; `None` if it was not searched.
    pub(super) score: Option<Score>,
    pub(super) judged: Option<Judged>,
}

/// With the better move.
pub(super) struct Judged {
    pub(super) judgement: Judgement,
    /// From the player's view.
    score_before: Score,
    /// In standard algebraic notation.
    pub(super) best: String,
    /// With move numbers.
    pub(super) line: String,
    pub(super) sentence: String,
}

impl Annotated {
    /// One line for each judged move.
    pub(super) fn remarks(&self) -> String {
        let mut remarks = String::new();
        for step in &self.moves {
            if let Some(Judged { judgement, score_before, line, .. }) = &step.judged {
                let side = step.before.side_to_move();
                let (mv, sign) = (san_line(&step.before, &[step.mv]), judgement.sign());
                let was = WhiteScore::new(*score_before, side);
                let is = step.score.map_or_else(String::new, |score| WhiteScore::new(score, !side).to_string());
                let name = judgement.name().to_lowercase();
                remarks += &format!("{mv}{sign} {name} ({was} to {is}). Best: {line}\n");
            }
        }
        remarks
    }
}

/// `assessments` has the positions before and after each move, `None` if not searched: a move is judged if both are there.
/// Replaces earlier annotations of judged moves by Sesame or Lichess; others stay.
pub(super) fn annotate(
    record: &PgnGame,
    replay: &Replay,
    assessments: &[Option<Assessment>],
    thresholds: Thresholds,
) -> Annotated {
    let mut annotated = Annotated {
        record: record.clone(),
        stats: [PlayerStats::default(); 2],
        start: replay.start.clone(),
        first_score: assessments.first().and_then(|first| Some(first.as_ref()?.score)),
        moves: Vec::with_capacity(replay.moves.len()),
    };
    let mut position = replay.start.clone();
    let pairs = assessments.iter().zip(assessments.iter().skip(1));
    for ((ply, &mv), (before, after)) in annotated.record.plies.iter_mut().zip(&replay.moves).zip(pairs) {
        // Also a move that is not judged: the letters of a game are those of one language.
        ply.san = position.to_san(mv);
        for annotation in &mut ply.annotations {
            if let (Annotation::Variation(text), Some(language)) = (annotation, replay.language) {
                *text = language.variation_to_english(text);
            }
        }
        let mut judged = None;
        if let (Some(before), Some(after)) = (before, after) {
            let is_best = before.line.first() == Some(&mv);
            let loss = MoveLoss::new(before.score, negated(after.score), is_best, thresholds);
            if let Some(stats) = annotated.stats.get_mut(position.side_to_move() as usize) {
                stats.add(&loss);
            }
            judged = write(ply, &position, &loss, before, after.score);
        }
        let before = position.clone();
        position.play(mv);
        let score = after.as_ref().map(|after| after.score);
        annotated.moves.push(AnnotatedMove { mv, before, after: position.clone(), score, judged });
    }
    annotated
}

fn write(
    ply: &mut Ply,
    position: &Position,
    loss: &MoveLoss,
    before: &Assessment,
    score_after: Score,
) -> Option<Judged> {
    let line = before.line.get(..LINE).unwrap_or(&before.line);
    let best = line.first().filter(|&&best| position.is_legal(best)).map(|&best| position.to_san(best));
    let judged = loss.judgement.zip(best);
    let earlier = erase(ply);
    rate(&mut ply.nags, &earlier, judged.as_ref().map(|(judgement, _)| *judgement));
    // One comment, the earlier one first: Lichess shows no comment after the variation, and moves no clock there.
    let is_variation = |annotation: &Annotation| matches!(annotation, Annotation::Variation(_));
    let first = ply.annotations.iter().position(is_variation).unwrap_or(ply.annotations.len());
    let text = |annotation| match annotation {
        Annotation::Comment(text) | Annotation::Variation(text) => text,
    };
    let mut comments: Vec<String> = ply.annotations.drain(..first).map(text).collect();
    if score_after != Score::Mate(0) {
        let score = WhiteScore::new(score_after, !position.side_to_move()).to_string();
        comments.push(format!("{EVAL}{}]", score.trim_start_matches('+')));
    }
    let judged = judged.map(|(judgement, best)| {
        let text = san_line(position, line);
        let joined = ply.annotations.iter_mut().any(|annotation| match annotation {
            Annotation::Variation(variation) => {
                join(variation, position, line).map(|joined| *variation = joined).is_some()
            }
            Annotation::Comment(_) => false,
        });
        let sentence = format!("{}. {best}{}", judgement.name(), if joined { JOINED } else { ADDED });
        comments.push(sentence.clone());
        if !joined {
            ply.annotations.insert(0, Annotation::Variation(text.clone()));
        }
        Judged { judgement, score_before: before.score, best, line: text, sentence }
    });
    if !comments.is_empty() {
        ply.annotations.insert(0, Annotation::Comment(comments.join(" ")));
    }
    judged
}

/// Beginning of an evaluation in a comment.
const EVAL: &str = "[%eval ";

/// End of a judgement after the best move. A variation of Sesame follows.
const ADDED: &str = " was best.";

/// End of a judgement with a line in an older variation.
const JOINED: &str = " was best: see the variation.";

/// Removes evaluations, judgements and their variations. Returns the judgements.
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
                    while let Some((found, end, rest)) = split_judgement(part) {
                        judgements.extend(found);
                        after_judgement = end == ADDED;
                        *part = rest.trim().to_owned();
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

/// Replaces the glyph of an earlier judgement. An annotator's glyph stays alone.
fn rate(nags: &mut Vec<u8>, earlier: &[Judgement], now: Option<Judgement>) {
    // An unchanged judgement keeps its glyph in place: annotating twice equals annotating once.
    nags.retain(|nag| !earlier.iter().any(|&judgement| Some(judgement) != now && judgement.nag() == *nag));
    if let Some(judgement) = now
        && !nags.iter().any(|nag| (1..=6).contains(nag))
    {
        nags.insert(0, judgement.nag());
    }
}

/// Commands such as `[%eval ` begin with `start`.
pub(super) fn without_commands(comment: &str, start: &str) -> String {
    let mut text = comment.to_owned();
    while let Some(place) = text.find(start) {
        let end = text.get(place..).and_then(|rest| rest.find(']')).map_or(text.len(), |end| place + end + 1);
        text.replace_range(place..end, "");
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Beginnings of Sesame's and Lichess's judgements, with the classes whose glyph may stand beside them.
const OPENINGS: [(&str, &[Judgement]); 6] = [
    ("Inaccuracy. ", &[Judgement::Inaccuracy]),
    ("Mistake. ", &[Judgement::Mistake]),
    ("Blunder. ", &[Judgement::Blunder]),
    ("Checkmate is now unavoidable. ", &Judgement::ALL),
    ("Lost forced checkmate sequence. ", &Judgement::ALL),
    ("Not the best checkmate sequence. ", &Judgement::ALL),
];

/// Splits a sentence such as `Blunder. Nf3 was best.` from the beginning of a comment, with a preceding change of the
/// evaluation. Returns its judgements, [`ADDED`] or [`JOINED`], and the rest.
fn split_judgement(comment: &str) -> Option<(&'static [Judgement], &'static str, &str)> {
    OPENINGS.into_iter().find_map(|(opening, judgements)| {
        let (before, sentence) = comment.split_once(opening)?;
        let before = before.trim();
        let is_first = before.is_empty() || before.starts_with('(') && before.ends_with(')');
        if !is_first {
            return None;
        }
        [ADDED, JOINED].into_iter().find_map(|end| {
            let (best, rest) = sentence.split_once(end)?;
            (!best.contains(' ')).then_some((judgements, end, rest))
        })
    })
}

/// Adds a line to the text of a variation from `root`; `None` if the first moves differ. A shorter variation goes on with
/// the line. A different one gets the rest of the line as a variation of its own.
fn join(text: &str, root: &Position, line: &[Move]) -> Option<String> {
    let mut variation = parse_variation(text)?;
    variation.set_tag("FEN", root.fen(false));
    let begins_with = |variation: &PgnGame, position: &Position, mv: Move| {
        variation.plies.first().is_some_and(|ply| read_move(position, &ply.san) == Ok(mv))
    };
    if !begins_with(&variation, root, *line.first()?) {
        return None;
    }
    let mut position = root.clone();
    for (ply, &mv) in line.iter().enumerate() {
        if !position.is_legal(mv) {
            break;
        }
        match variation.plies.get_mut(ply) {
            None => variation.plies.push(Ply { san: position.to_san(mv), ..Ply::default() }),
            Some(theirs) if read_move(&position, &theirs.san) == Ok(mv) => {}
            Some(theirs) => {
                let is_variation = |annotation: &Annotation| matches!(annotation, Annotation::Variation(_));
                let is_there = theirs.annotations.iter().any(|annotation| match annotation {
                    Annotation::Variation(text) => {
                        parse_variation(text).is_some_and(|inner| begins_with(&inner, &position, mv))
                    }
                    Annotation::Comment(_) => false,
                });
                if !is_there {
                    let place = theirs.annotations.iter().position(is_variation).unwrap_or(theirs.annotations.len());
                    let rest = san_line(&position, line.get(ply..)?);
                    theirs.annotations.insert(place, Annotation::Variation(rest));
                }
                break;
            }
        }
        position.play(mv);
    }
    Some(variation.movetext())
}

/// `None` if the text is not moves alone.
fn parse_variation(text: &str) -> Option<PgnGame> {
    let mut games = Reader::new(text.as_bytes());
    let variation = games.next()?.ok()?;
    let is_whole = variation.result == GameResult::Unknown && variation.warnings.is_empty() && games.next().is_none();
    is_whole.then_some(variation)
}

/// For messages, by the next move.
pub(super) fn place(position: &Position) -> String {
    let dots = if position.side_to_move() == Color::White { "" } else { "..." };
    format!("move {}{dots}", position.fullmove_number())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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

    fn annotated(record: &PgnGame, replay: &Replay, assessments: &[Option<Assessment>]) -> Annotated {
        annotate(record, replay, assessments, Thresholds::default())
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
        let annotated = annotated(&record, &replay, &assessments_of(&replay));
        assert_eq!(
            moves(&annotated.record),
            "1. f3 $1 {[%clk 0:01:00] [%eval -0.40] Inaccuracy. e4 was best.} (1. e4) 1... e5 {[%eval -0.50]} \
             2. g4 $3 $14 {A human word. [%eval #-1] Blunder. Nh3 was best.} (2. Nh3) (2. e4) 2... Qh4# 0-1"
        );
        let remarks = annotated.remarks();
        assert_eq!(remarks.lines().count(), 2);
        assert_eq!(remarks.lines().last(), Some("2. g4?? blunder (-0.50 to #-1). Best: 2. Nh3"));
        assert_eq!(annotated.stats.map(|stats| stats.judged), [[1, 0, 1], [0; 3]]);
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
                let once = annotated(&record, &replay, &assess(&replay)).record;
                let (again, replay) = game(&once.to_string());
                let twice = annotated(&again, &replay, &assess(&replay)).record;
                assert_eq!(twice.to_string(), once.to_string(), "{text}");
            }
        }
    }

    #[test]
    fn best_line_joins_a_variation_that_is_there() {
        let (record, replay) = game("1. f3 {So.} (1. d4 d5) (1. e4 {best by test} c5) e5 2. g4 Qh4# 0-1");
        let mut assessments = assessments_of(&replay);
        assessments[0].as_mut().unwrap().line = line(&["e4", "e6"]);
        let once = annotated(&record, &replay, &assessments).record;
        assert!(
            moves(&once).starts_with(
                "1. f3 $6 {So. [%eval -0.40] Inaccuracy. e4 was best: see the variation.} (1. d4 d5) \
                 (1. e4 {best by test} 1... c5 (1... e6)) 1... e5"
            ),
            "{once}"
        );
        let (again, _) = game(&once.to_string());
        assert_eq!(annotated(&again, &replay, &assessments).record.plies, again.plies);
    }

    #[test]
    fn moves_outside_of_the_range_stay() {
        let (record, replay) = game(FOOL);
        let mut assessments = assessments_of(&replay);
        assessments[..2].fill(None);
        let annotated = annotated(&record, &replay, &assessments);
        let text = moves(&annotated.record);
        assert!(
            text.starts_with("1. f3 $1 {[%eval 0.5] [%clk 0:01:00]} 1... e5 2. g4 $3 $14 {A human word. ["),
            "{text}"
        );
        assert_eq!(annotated.stats[1].moves, 1);
        assert_eq!((annotated.first_score, annotated.moves[0].score), (None, None));
        assert_eq!(annotated.remarks().lines().count(), 1);
    }

    /// Annotates the move g4 of the fool's mate, which has these annotations.
    fn annotated_move(annotations: &str, assess: fn(&Replay) -> Vec<Option<Assessment>>) -> String {
        let (record, replay) = game(&format!("1. f3 e5 2. g4 {annotations} Qh4# 0-1"));
        let text = moves(&annotated(&record, &replay, &assess(&replay)).record);
        text.split_once("2. g4 ").unwrap().1.split_once(" 2... Qh4#").unwrap().0.to_owned()
    }

    #[test]
    fn human_glyphs_stay() {
        for nags in ["$1", "$2", "$3", "$4", "$5", "$6", "$14 $4", "$2 $4"] {
            let found = annotated_move(nags, assessments_of);
            assert_eq!(found, format!("{nags} {{[%eval #-1] Blunder. Nh3 was best.}} (2. Nh3)"));
            assert_eq!(annotated_move(nags, equal_assessments), format!("{nags} {{[%eval 0.00]}}"));
        }
        // A glyph that does not classify the move.
        assert_eq!(annotated_move("$14", assessments_of), "$4 $14 {[%eval #-1] Blunder. Nh3 was best.} (2. Nh3)");
    }

    #[test]
    fn earlier_judgements_go_with_their_glyph() {
        for (earlier, left) in [
            ("$4 $14 {Blunder. Nh3 was best.} (2. Nh3)", "$14 {[%eval 0.00]}"),
            ("$2 {Blunder. Nh3 was best.} (2. Nh3)", "$2 {[%eval 0.00]}"),
            (
                "$6 {(-1.6 → -3.0) Inaccuracy. e4 was best. [%eval -3.0] [%clk 0:04:50]} (2. e4)",
                "{[%clk 0:04:50] [%eval 0.00]}",
            ),
            ("{Mistake. Qxd4 was best. So I think.}", "{So I think. [%eval 0.00]}"),
            ("{Mistake. Qxd4 was best: see the variation. So.} (2. e4)", "{So. [%eval 0.00]} (2. e4)"),
            ("{(-0.20 → Mate in 1) Checkmate is now unavoidable. g6 was best.}", "{[%eval 0.00]}"),
            ("{[%eval #-3}", "{[%eval 0.00]}"),
        ] {
            assert_eq!(annotated_move(earlier, equal_assessments), left, "{earlier}");
        }
        for human in ["Blunder. I think Nf3 was best.", "A Blunder. Nf3 was best.", "Blunder."] {
            let annotation = format!("{{{human}}}");
            assert_eq!(annotated_move(&annotation, equal_assessments), format!("{{{human} [%eval 0.00]}}"));
        }
        let was_mistake = "$2 {(0.34 → -1.20) Mistake. e4 was best.} (2. e4)";
        assert_eq!(annotated_move(was_mistake, assessments_of), "$4 {[%eval #-1] Blunder. Nh3 was best.} (2. Nh3)");
    }

    fn line(words: &[&str]) -> Vec<Move> {
        let mut position = Position::startpos();
        let play = |word: &&str| {
            let mv = position.from_san(word).unwrap();
            position.play(mv);
            mv
        };
        words.iter().map(play).collect()
    }

    #[test]
    fn lines_join_variations() {
        let ours = line(&["e4", "e5", "Nf3"]);
        let join = |text: &str| join(text, &Position::startpos(), &ours);
        for (text, expected) in [
            ("1. d4", None),
            ("", None),
            ("{only words}", None),
            ("1. e4 e5 1-0 2. d4", None),
            ("1. e4 e5 2. Nf3 Nc6", Some("1. e4 e5 2. Nf3 Nc6")),
            ("1.e4 $1 {the best} e5", Some("1. e4 $1 {the best} 1... e5 2. Nf3")),
            ("e2e4 e7-e5", Some("1. e2e4 e7-e5 2. Nf3")),
            ("1. e4 c5 2. Nf3", Some("1. e4 c5 (1... e5 2. Nf3) 2. Nf3")),
            ("1. e4 c5 $2 {so} (1... e6) 2. Nf3", Some("1. e4 c5 $2 {so} (1... e5 2. Nf3) (1... e6) 2. Nf3")),
            ("1. e4 c5 (1... e6) (1... e5 2. f4) 2. Nf3", Some("1. e4 c5 (1... e6) (1... e5 2. f4) 2. Nf3")),
            ("1. e4 (1. d4 {a (b} d5) e5", Some("1. e4 (1. d4 {a (b} d5) 1... e5 2. Nf3")),
            ("1. e4 -- 2. d4", Some("1. e4 -- (1... e5 2. Nf3) 2. d4")),
            ("1. e4 e5 *", Some("1. e4 e5 2. Nf3")),
        ] {
            assert_eq!(join(text).as_deref(), expected, "{text}");
            // A second time, nothing is new.
            if let Some(once) = expected {
                assert_eq!(join(once).as_deref(), Some(once), "{text}");
            }
        }
    }

    proptest! {
        /// No text panics or loses a move or a comment.
        #[test]
        fn no_variation_loses_a_word(text in r"(1\. |2\. |e4 |e5 |c5 |\(|\)|\{|\}|\$1 |é| ){0,12}") {
            if let Some(joined) = join(&text, &Position::startpos(), &line(&["e4", "e5", "Nf3"])) {
                let words = |text: &str| text.matches(|c: char| "45(){}é".contains(c)).count();
                prop_assert!(words(&joined) >= words(&text), "{joined}");
            }
        }
    }
}
