//! A game with what the engine thinks of it written into it.

use super::judge::{Cost, Judgement, Tally, turned};
use crate::cli::assessment::Assessment;
use crate::cli::san;
use crate::engine::Score;
use crate::games::pgn::{Annotation, PgnGame, Ply, Replay};
use crate::position::{Color, Position};

/// The longest line that is given for a move that should have been played, in plies.
const LINE: usize = 10;

/// A game, annotated.
pub(super) struct Annotated {
    pub(super) record: PgnGame,
    /// What each player's moves cost, White's first.
    pub(super) tallies: [Tally; 2],
    /// The judged moves in a line each, for the summary.
    pub(super) remarks: Vec<String>,
    /// The positions before and after each move, for the graph.
    pub(super) course: Vec<Point>,
}

/// A position of a game and what it is worth.
pub(super) struct Point {
    pub(super) score: Score,
    pub(super) side_to_move: Color,
    /// What is to be said of the move that led here.
    pub(super) judgement: Option<Judgement>,
}

/// Annotates a game. `assessments` are those of the positions before and after each move; what was annotated by this or by Lichess
/// before is replaced, what people wrote stays.
pub(super) fn annotate(record: &PgnGame, replay: &Replay, assessments: &[Assessment]) -> Annotated {
    let mut record = record.clone();
    let mut position = replay.start.clone();
    let mut tallies = [Tally::default(); 2];
    let mut remarks = Vec::new();
    let first = assessments.first().map(|assessment| assessment.score).unwrap_or(Score::Centipawns(0));
    let mut course = vec![Point { score: first, side_to_move: position.side_to_move(), judgement: None }];
    let pairs = assessments.iter().zip(assessments.iter().skip(1));
    for ((ply, &mv), (before, after)) in record.plies.iter_mut().zip(&replay.moves).zip(pairs) {
        let is_best = before.line.first() == Some(&mv);
        let cost = Cost::new(before.score, turned(after.score), is_best);
        let side = position.side_to_move();
        if let Some(tally) = tallies.get_mut(side as usize) {
            tally.add(&cost);
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
        course.push(Point { score: after.score, side_to_move: !side, judgement: cost.judgement });
    }
    Annotated { record, tallies, remarks, course }
}

/// Writes into a move what there is to say.
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
    let mut comment = score.map_or_else(String::new, |score| eval_command(score, side_to_move));
    let mut annotations = Vec::new();
    if let Some((judgement, best)) = judged {
        comment += &format!(" {}. {best} was best.", judgement.name());
        annotations.push(Annotation::Variation(line));
    }
    if !comment.is_empty() {
        annotations.insert(0, Annotation::Comment(comment.trim().to_owned()));
    }
    ply.annotations.splice(0..0, annotations);
}

/// Takes away what an earlier annotation has said: evaluations, and judgements with the lines that went with them. Returns the judgements.
fn erase(ply: &mut Ply) -> Vec<Judgement> {
    let mut kept: Vec<Annotation> = Vec::new();
    let mut judgements = Vec::new();
    let mut after_judgement = false;
    for note in ply.annotations.drain(..) {
        match note {
            Annotation::Comment(comment) => {
                let mut comment = without_eval(&comment);
                while let Some((judgement, rest)) = without_verdict(&comment) {
                    judgements.push(judgement);
                    after_judgement = true;
                    comment = rest;
                }
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

/// Gives a move the glyph of its judgement. The glyph of an earlier judgement gives way to it; any other is a person's, and one opinion is enough.
fn rate(nags: &mut Vec<u8>, earlier: &[Judgement], now: Option<Judgement>) {
    // What is judged again as it was keeps its glyph where it stands, whosoever it is: to annotate twice is to annotate once.
    nags.retain(|nag| !earlier.iter().any(|&judgement| Some(judgement) != now && judgement.nag() == *nag));
    if let Some(judgement) = now
        && !nags.iter().any(|nag| (1..=6).contains(nag))
    {
        nags.insert(0, judgement.nag());
    }
}

/// A comment without `[%eval ...]`.
fn without_eval(comment: &str) -> String {
    let mut text = comment.to_owned();
    while let Some(start) = text.find("[%eval ") {
        let end = text.get(start..).and_then(|rest| rest.find(']')).map_or(text.len(), |end| start + end + 1);
        text.replace_range(start..end, "");
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The judgement in a sentence such as `Blunder. Nf3 was best.`, if there is one, and the comment without it and without the change of the evaluation that
/// may stand before it.
fn without_verdict(comment: &str) -> Option<(Judgement, String)> {
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

/// The evaluation as Lichess writes it into comments: White's, in pawns or in moves to mate.
fn eval_command(score: Score, side_to_move: Color) -> String {
    let text = san::score(score, side_to_move);
    format!("[%eval {}]", text.strip_prefix('+').unwrap_or(&text))
}

/// How a position of a game is called in messages: by the move that leads there.
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

    /// The engine's opinion on the fool's mate: White's g4 allows it.
    fn opinions(replay: &Replay) -> Vec<Assessment> {
        let mut position = replay.start.clone();
        let best = ["e2e4", "e7e5", "g1h3", "d8h4"];
        let scores = [Score::Centipawns(30), Score::Centipawns(40), Score::Centipawns(-50), Score::Mate(1)];
        let mut opinions = Vec::new();
        for ((best, score), &mv) in best.iter().zip(scores).zip(&replay.moves) {
            opinions.push(Assessment { score, line: vec![position.from_uci(best).unwrap()], depth: 9 });
            position.play(mv);
        }
        opinions.push(Assessment { score: Score::Mate(0), line: Vec::new(), depth: 0 });
        opinions
    }

    /// The opinion that each move is as good as any.
    fn calm(replay: &Replay) -> Vec<Assessment> {
        let moves = replay.moves.iter().map(|&mv| vec![mv]).chain([Vec::new()]);
        moves.map(|line| Assessment { score: Score::Centipawns(0), line, depth: 9 }).collect()
    }

    fn moves(record: &PgnGame) -> String {
        record.to_string().rsplit("\n\n").next().unwrap().replace('\n', " ").trim().to_owned()
    }

    const FOOL: &str = "1. f3 $1 {[%eval 0.5] [%clk 0:01:00]} e5 2. g4 $3 $14 {A human word.} (2. e4) Qh4# 0-1";

    #[test]
    fn a_blunder_is_named() {
        let (record, replay) = game(FOOL);
        let annotated = annotate(&record, &replay, &opinions(&replay));
        assert_eq!(
            moves(&annotated.record),
            "1. f3 $1 {[%eval -0.40] Inaccuracy. e4 was best.} (1. e4) {[%clk 0:01:00]} 1... e5 {[%eval -0.50]} \
             2. g4 $3 $14 {[%eval #-1] Blunder. Nh3 was best.} (2. Nh3) {A human word.} (2. e4) 2... Qh4# 0-1"
        );
        assert_eq!(annotated.remarks.len(), 2);
        assert_eq!(annotated.remarks[1], "2. g4?? blunder (-0.50 to #-1). Best: 2. Nh3");
        let [white, black] = annotated.tallies.map(|tally| tally.row());
        assert_eq!(
            (white[3..].to_vec(), black[3..].to_vec()),
            (vec!["1".into(), "0".into(), "1".into()], vec!["0".to_string(); 3])
        );
        let judged: Vec<bool> = annotated.course.iter().map(|point| point.judgement.is_some()).collect();
        assert_eq!(judged, [false, true, false, true, false]);
    }

    /// What may be said of a move: by people, by an earlier annotation, or by both.
    const SAID: [&str; 13] = [
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
    fn to_annotate_twice_is_to_annotate_once() {
        let texts =
            SAID.iter().flat_map(|first| SAID.map(|second| format!("1. f3 {first} e5 2. g4 {second} Qh4# 0-1")));
        for text in texts.chain([FOOL.to_owned()]) {
            for opinions in [opinions, calm] {
                let (record, replay) = game(&text);
                let once = annotate(&record, &replay, &opinions(&replay)).record;
                let (again, replay) = game(&once.to_string());
                let twice = annotate(&again, &replay, &opinions(&replay)).record;
                assert_eq!(twice.to_string(), once.to_string(), "{text}");
            }
        }
    }

    #[test]
    fn glyphs_of_people_stay() {
        let annotated = |said: &str, opinions: fn(&Replay) -> Vec<Assessment>| {
            let (record, replay) = game(&format!("1. f3 e5 2. g4 {said} Qh4# 0-1"));
            let annotated = moves(&annotate(&record, &replay, &opinions(&replay)).record);
            annotated.split_once("2. g4 ").unwrap().1.split_once(" 2... Qh4#").unwrap().0.to_owned()
        };
        for nags in ["$1", "$2", "$3", "$4", "$5", "$6", "$14 $4", "$2 $4"] {
            let told = annotated(nags, opinions);
            assert_eq!(told, format!("{nags} {{[%eval #-1] Blunder. Nh3 was best.}} (2. Nh3)"));
            assert_eq!(annotated(nags, calm), format!("{nags} {{[%eval 0.00]}}"));
        }
        // No opinion on the move.
        assert_eq!(annotated("$14", opinions), "$4 $14 {[%eval #-1] Blunder. Nh3 was best.} (2. Nh3)");
        // What an earlier annotation said goes, with the glyph of its own class only.
        assert_eq!(annotated("$4 $14 {Blunder. Nh3 was best.} (2. Nh3)", calm), "$14 {[%eval 0.00]}");
        assert_eq!(annotated("$2 {Blunder. Nh3 was best.} (2. Nh3)", calm), "$2 {[%eval 0.00]}");
        let was_mistake = "$2 {(0.34 → -1.20) Mistake. e4 was best.} (2. e4)";
        assert_eq!(annotated(was_mistake, opinions), "$4 {[%eval #-1] Blunder. Nh3 was best.} (2. Nh3)");
    }

    #[test]
    fn what_lichess_wrote_is_known() {
        assert_eq!(without_eval("[%eval 0.3,18] [%clk 0:03:00]"), "[%clk 0:03:00]");
        assert_eq!(without_eval("[%eval #-3"), "");
        assert_eq!(without_verdict("(0.34 → -3.20) Blunder. Nf3 was best."), Some((Judgement::Blunder, String::new())));
        let (judgement, rest) = without_verdict("Mistake. Qxd4 was best. So I think.").unwrap();
        assert_eq!((judgement, rest.as_str()), (Judgement::Mistake, "So I think."));
        for human in ["Blunder. I think Nf3 was best.", "A Blunder. Nf3 was best.", "Blunder."] {
            assert_eq!(without_verdict(human), None, "{human}");
        }
    }
}
