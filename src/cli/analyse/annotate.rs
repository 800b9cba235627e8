//! Annotation of a game: evaluations, judgements, variations.

use super::accuracy::{Judgement, PlayerStats, Thresholds, chances, negated};
use crate::cli::assessment::{Assessment, WhiteScore, san_line};
use crate::engine::Score;
use crate::games::pgn::{Annotation, GameResult, Language, PgnGame, Ply, Reader, Replay};
use crate::games::read_move;
use crate::position::{Color, Game, Move, Position};

/// The length of a better variation, in plies.
const LINE: usize = 10;

/// A game, first with its positions, then with their assessments, then annotated.
pub(super) struct AnalysedGame {
    pub(super) number: u64,
    pub(super) record: PgnGame,
    /// The start position, then the position after each legal move.
    pub(super) positions: Vec<AnalysedPosition>,
    pub(super) history: Game,
    /// White's first.
    pub(super) stats: [PlayerStats; 2],
    language: Option<Language>,
}

pub(super) struct AnalysedPosition {
    pub(super) position: Position,
    pub(super) assessment: Option<Assessment>,
    pub(super) played: Option<PlayedMove>,
}

pub(super) struct PlayedMove {
    pub(super) mv: Move,
    pub(super) number: String,
    pub(super) san: String,
    pub(super) uci: String,
    pub(super) judged: Option<Judged>,
}

pub(super) struct Judged {
    pub(super) judgement: Judgement,
    pub(super) best: Move,
    pub(super) best_san: String,
    pub(super) line: String,
    pub(super) sentence: String,
}

impl AnalysedPosition {
    pub(super) fn score(&self) -> Option<Score> {
        self.assessment.as_ref().map(|assessment| assessment.score)
    }

    pub(super) fn white_score(&self) -> Option<WhiteScore> {
        self.score().map(|score| WhiteScore::new(score, self.position.side_to_move()))
    }

    pub(super) fn white_chances(&self) -> Option<f64> {
        let is_white = self.position.side_to_move() == Color::White;
        self.score().map(|score| chances(if is_white { score } else { negated(score) }))
    }
}

impl AnalysedGame {
    pub(super) fn new(number: u64, record: PgnGame, replay: Replay) -> AnalysedGame {
        let analysed = |position, played| AnalysedPosition { position, assessment: None, played };
        let mut positions = vec![analysed(replay.start.clone(), None)];
        let mut history = Game::new(replay.start);
        for mv in replay.moves {
            let before = history.position();
            let (san, uci, number) = (before.to_san(mv), before.to_uci(mv, false), move_number(before));
            history.play(mv);
            let played = PlayedMove { mv, number, san, uci, judged: None };
            positions.push(analysed(history.position().clone(), Some(played)));
        }
        AnalysedGame { number, record, positions, history, stats: Default::default(), language: replay.language }
    }

    pub(super) fn player_names(&self) -> [String; 2] {
        ["White", "Black"].map(|side| match self.record.tag(side) {
            Some(name) if !name.starts_with('?') && !name.is_empty() => name.to_owned(),
            _ => side.to_owned(),
        })
    }

    /// Returns each move with the positions before and after it.
    pub(super) fn moves(&self) -> impl Iterator<Item = (&AnalysedPosition, &PlayedMove, &AnalysedPosition)> {
        let after = self.positions.iter().skip(1);
        self.positions.iter().zip(after).filter_map(|(before, after)| Some((before, after.played.as_ref()?, after)))
    }

    pub(super) fn remarks(&self) -> String {
        let remark = |(before, played, after): (&AnalysedPosition, &PlayedMove, &AnalysedPosition)| {
            let (PlayedMove { number, san, .. }, Judged { judgement, line, .. }) = (played, played.judged.as_ref()?);
            let (sign, name) = (judgement.sign, judgement.name.to_lowercase());
            let (was, is) = (before.white_score()?, after.white_score()?);
            Some(format!("{number} {san}{sign} {name} ({was} to {is}). Best: {line}\n"))
        };
        self.moves().filter_map(remark).collect()
    }

    /// Judges each move between two assessed positions. Replaces its earlier annotations by Sesame or Lichess; others stay.
    pub(super) fn annotate(&mut self, thresholds: Thresholds) {
        // Other programs may refuse what the reader has repaired.
        let is_repaired = |fen: &str| Position::from_lenient_fen(fen).is_ok_and(|(_, repairs)| !repairs.is_empty());
        if let Some(start) = self.positions.first().filter(|_| self.record.tag("FEN").is_some_and(is_repaired)) {
            self.record.set_tag("FEN", start.position.fen(false));
        }
        for (index, ply) in self.record.plies.iter_mut().enumerate() {
            let Some([before, after]) = self.positions.get_mut(index..index + 2) else { break };
            let Some(played) = &mut after.played else { break };
            // Also a move that is not judged: the letters of a game are those of one language.
            ply.san.clone_from(&played.san);
            for annotation in &mut ply.annotations {
                if let (Annotation::Variation(text), Some(language)) = (annotation, self.language) {
                    *text = language.variation_to_english(text);
                }
            }
            if let (Some(was), Some(is)) = (&before.assessment, &after.assessment) {
                // The best move loses nothing.
                let is_best = was.line.first() == Some(&played.mv);
                let after = if is_best { was.score } else { negated(is.score) };
                let stats = self.stats.get_mut(before.position.side_to_move() as usize);
                let judgement = stats.and_then(|stats| stats.add(was.score, after, thresholds));
                played.judged = write(ply, &before.position, judgement, &was.line, is.score);
            }
        }
    }
}

/// Returns `12.` or `12...`.
pub(super) fn move_number(position: &Position) -> String {
    let dots = if position.side_to_move() == Color::White { "." } else { "..." };
    format!("{}{dots}", position.fullmove_number())
}

/// `line` is the best line from `position`.
fn write(
    ply: &mut Ply,
    position: &Position,
    judgement: Option<Judgement>,
    line: &[Move],
    score_after: Score,
) -> Option<Judged> {
    let line = line.get(..LINE).unwrap_or(line);
    let judged = judgement.zip(line.first().copied().filter(|&best| position.is_legal(best)));
    let earlier = erase(ply);
    rate(&mut ply.nags, &earlier, judged.map(|(judgement, _)| judgement));
    // One comment, the earlier one first: Lichess shows no comment after the variation, and moves no clock there.
    let first = first_variation(ply);
    let mut comments: Vec<String> = ply.annotations.drain(..first).map(Annotation::into_text).collect();
    if score_after != Score::Mate(0) {
        let score = WhiteScore::new(score_after, !position.side_to_move()).to_string();
        comments.push(format!("{EVAL}{}]", score.trim_start_matches('+')));
    }
    let judged = judged.map(|(judgement, best)| {
        let joined = ply.annotations.iter_mut().any(|annotation| {
            let joined = annotation.variation().and_then(|text| join(text, position, line));
            joined.map(|joined| *annotation = Annotation::Variation(joined)).is_some()
        });
        let (best_san, line) = (position.to_san(best), san_line(position, line));
        let sentence = format!("{}. {best_san}{}", judgement.name, if joined { JOINED } else { ADDED });
        comments.push(sentence.clone());
        if !joined {
            ply.annotations.insert(0, Annotation::Variation(line.clone()));
        }
        Judged { judgement, best, best_san, line, sentence }
    });
    if !comments.is_empty() {
        ply.annotations.insert(0, Annotation::Comment(comments.join(" ")));
    }
    judged
}

fn first_variation(ply: &Ply) -> usize {
    ply.annotations.iter().position(|annotation| annotation.variation().is_some()).unwrap_or(ply.annotations.len())
}

const EVAL: &str = "[%eval ";

/// The end of a judgement. A variation of Sesame follows.
const ADDED: &str = " was best.";

/// The end of a judgement whose line is in an older variation.
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
    nags.retain(|nag| !earlier.iter().any(|&judgement| Some(judgement) != now && judgement.nag == *nag));
    if let Some(judgement) = now
        && !nags.iter().any(|nag| (1..=6).contains(nag))
    {
        nags.insert(0, judgement.nag);
    }
}

/// Removes commands that begin with `start`, such as `[%eval `.
pub(super) fn without_commands(comment: &str, start: &str) -> String {
    let mut text = comment.to_owned();
    while let Some(place) = text.find(start) {
        let end = text.get(place..).and_then(|rest| rest.find(']')).map_or(text.len(), |end| place + end + 1);
        text.replace_range(place..end, "");
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The beginnings of Sesame's and Lichess's judgements, with the classes whose glyph may stand beside them.
const OPENINGS: [(&str, &[Judgement]); 6] = [
    ("Inaccuracy. ", &[Judgement::INACCURACY]),
    ("Mistake. ", &[Judgement::MISTAKE]),
    ("Blunder. ", &[Judgement::BLUNDER]),
    ("Checkmate is now unavoidable. ", &Judgement::ALL),
    ("Lost forced checkmate sequence. ", &Judgement::ALL),
    ("Not the best checkmate sequence. ", &Judgement::ALL),
];

/// Splits `(0.1 → 5.0) Blunder. Nf3 was best.` from a comment. Returns its judgements, [`ADDED`] or [`JOINED`], and the rest.
fn split_judgement(comment: &str) -> Option<(&'static [Judgement], &'static str, &str)> {
    OPENINGS.into_iter().find_map(|(opening, judgements)| {
        let (before, sentence) = comment.split_once(opening)?;
        if !matches!((before.trim().chars().next(), before.trim().chars().last()), (None, _) | (Some('('), Some(')'))) {
            return None;
        }
        [ADDED, JOINED].into_iter().find_map(|end| {
            let (best, rest) = sentence.split_once(end)?;
            (!best.contains(' ')).then_some((judgements, end, rest))
        })
    })
}

/// Adds a line to a variation from `root`: at its end, or as one of its own. Returns `None` if the first moves differ.
fn join(text: &str, root: &Position, line: &[Move]) -> Option<String> {
    let mut variation = parse_variation(text)?;
    variation.set_tag("FEN", root.fen(false));
    let is_move = |ply: &Ply, position: &Position, mv: Move| read_move(position, &ply.san) == Ok(mv);
    if !is_move(variation.plies.first()?, root, *line.first()?) {
        return None;
    }
    let mut position = root.clone();
    for (ply, &mv) in line.iter().enumerate() {
        if !position.is_legal(mv) {
            break;
        }
        match variation.plies.get_mut(ply) {
            None => variation.plies.push(Ply { san: position.to_san(mv), ..Ply::default() }),
            Some(theirs) if is_move(theirs, &position, mv) => {}
            Some(theirs) => {
                let variations =
                    theirs.annotations.iter().filter_map(Annotation::variation).filter_map(parse_variation);
                let mut first_moves = variations.filter_map(|variation| variation.plies.into_iter().next());
                if !first_moves.any(|first| is_move(&first, &position, mv)) {
                    let rest = san_line(&position, line.get(ply..)?);
                    theirs.annotations.insert(first_variation(theirs), Annotation::Variation(rest));
                }
                break;
            }
        }
        position.play(mv);
    }
    Some(variation.movetext())
}

/// Returns `None` if the text is not moves alone.
fn parse_variation(text: &str) -> Option<PgnGame> {
    let mut games = Reader::new(text.as_bytes());
    let variation = games.next()?.ok()?;
    let is_whole = variation.result == GameResult::Unknown && variation.warnings.is_empty() && games.next().is_none();
    is_whole.then_some(variation)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn game(text: &str) -> AnalysedGame {
        let record = Reader::new(text.as_bytes()).next().unwrap().unwrap();
        let replay = record.replay().unwrap();
        AnalysedGame::new(1, record, replay)
    }

    /// Assesses the fool's mate: White's g4 allows it.
    fn assess_mate(game: &mut AnalysedGame) {
        let best = ["e2e4", "e7e5", "g1h3", "d8h4"].map(Some).into_iter().chain([None]);
        let scores = [30, 40, -50].map(Score::Centipawns).into_iter().chain([1, 0].map(Score::Mate));
        for ((best, score), analysed) in best.zip(scores).zip(&mut game.positions) {
            let line = best.map(|best| analysed.position.from_uci(best).unwrap()).into_iter().collect();
            analysed.assessment = Some(Assessment { score, line, depth: 9 });
        }
    }

    /// Assesses the moves of the game as the best ones.
    fn assess_equal(game: &mut AnalysedGame) {
        let best: Vec<Move> = game.moves().map(|(_, played, _)| played.mv).collect();
        let lines = best.into_iter().map(|mv| vec![mv]).chain([Vec::new()]);
        for (line, analysed) in lines.zip(&mut game.positions) {
            analysed.assessment = Some(Assessment { score: Score::Centipawns(0), line, depth: 9 });
        }
    }

    fn annotated(text: &str, assess: fn(&mut AnalysedGame)) -> AnalysedGame {
        let mut game = game(text);
        assess(&mut game);
        game.annotate(Thresholds::default());
        game
    }

    fn moves(record: &PgnGame) -> String {
        record.to_string().rsplit("\n\n").next().unwrap().replace('\n', " ").trim().to_owned()
    }

    const FOOL: &str = "1. f3 $1 {[%eval 0.5] [%clk 0:01:00]} e5 2. g4 $3 $14 {A human word.} (2. e4) Qh4# 0-1";

    #[test]
    fn blunders_are_annotated() {
        let annotated = annotated(FOOL, assess_mate);
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
            for assess in [assess_mate, assess_equal] {
                let once = annotated(&text, assess).record.to_string();
                assert_eq!(annotated(&once, assess).record.to_string(), once, "{text}");
            }
        }
    }

    #[test]
    fn best_line_joins_a_variation_that_is_there() {
        let assess = |game: &mut AnalysedGame| {
            assess_mate(game);
            game.positions[0].assessment.as_mut().unwrap().line = line(&["e4", "e6"]);
        };
        let once = annotated("1. f3 {So.} (1. d4 d5) (1. e4 {best by test} c5) e5 2. g4 Qh4# 0-1", assess).record;
        assert!(
            moves(&once).starts_with(
                "1. f3 $6 {So. [%eval -0.40] Inaccuracy. e4 was best: see the variation.} (1. d4 d5) \
                 (1. e4 {best by test} 1... c5 (1... e6)) 1... e5"
            ),
            "{once}"
        );
        assert_eq!(annotated(&once.to_string(), assess).record.to_string(), once.to_string());
    }

    #[test]
    fn moves_outside_of_the_range_stay() {
        let annotated = annotated(FOOL, |game| {
            assess_mate(game);
            game.positions[..2].iter_mut().for_each(|analysed| analysed.assessment = None);
        });
        let text = moves(&annotated.record);
        assert!(
            text.starts_with("1. f3 $1 {[%eval 0.5] [%clk 0:01:00]} 1... e5 2. g4 $3 $14 {A human word. ["),
            "{text}"
        );
        assert_eq!((annotated.stats[1].moves, annotated.remarks().lines().count()), (1, 1));
    }

    #[test]
    fn best_moves_lose_nothing() {
        let annotated = annotated(FOOL, |game| {
            assess_equal(game);
            game.positions[1].assessment.as_mut().unwrap().score = Score::Centipawns(900);
        });
        assert_eq!(annotated.stats.map(|stats| (stats.moves, stats.judged)), [(2, [0; 3]); 2]);
    }

    /// Annotates the move g4 of the fool's mate, which has these annotations.
    fn annotated_move(annotations: &str, assess: fn(&mut AnalysedGame)) -> String {
        let text = moves(&annotated(&format!("1. f3 e5 2. g4 {annotations} Qh4# 0-1"), assess).record);
        text.split_once("2. g4 ").unwrap().1.split_once(" 2... Qh4#").unwrap().0.to_owned()
    }

    #[test]
    fn human_glyphs_stay() {
        for nags in ["$1", "$2", "$3", "$4", "$5", "$6", "$14 $4", "$2 $4"] {
            let found = annotated_move(nags, assess_mate);
            assert_eq!(found, format!("{nags} {{[%eval #-1] Blunder. Nh3 was best.}} (2. Nh3)"));
        }
        // A glyph that does not classify the move.
        assert_eq!(annotated_move("$14", assess_mate), "$4 $14 {[%eval #-1] Blunder. Nh3 was best.} (2. Nh3)");
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
            assert_eq!(annotated_move(earlier, assess_equal), left, "{earlier}");
        }
        for human in ["Blunder. I think Nf3 was best.", "A Blunder. Nf3 was best.", "Blunder."] {
            let annotation = format!("{{{human}}}");
            assert_eq!(annotated_move(&annotation, assess_equal), format!("{{{human} [%eval 0.00]}}"));
        }
        let was_mistake = "$2 {(0.34 → -1.20) Mistake. e4 was best.} (2. e4)";
        assert_eq!(annotated_move(was_mistake, assess_mate), "$4 {[%eval #-1] Blunder. Nh3 was best.} (2. Nh3)");
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
