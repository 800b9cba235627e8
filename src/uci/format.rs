//! Search reports as UCI text.

use std::borrow::Cow;
use std::fmt::Write;

use crate::engine::bench::nodes_per_second;
use crate::engine::{BestMove, Bound, CurrentMove, Info, Score};
use crate::eval::wdl::WdlChances;
use crate::position::{Move, Position};

/// Formats an `info` line with all fields, as tools that read games expect.
///
/// With `show_wdl`, the probabilities of win, draw and loss follow the score. The PV starts at `root` and ends
/// before an illegal move, which would be a bug in the search.
pub(crate) fn info(info: &Info, root: &Position, chess960: bool, show_wdl: bool) -> String {
    let line = &info.line;
    let mut text = format!("info depth {} seldepth {} multipv {} score ", line.depth, line.seldepth, line.rank);
    // Writing to a string cannot fail.
    let _ = match line.score {
        Score::Centipawns(score) => write!(text, "cp {score}"),
        Score::Mate(moves) => write!(text, "mate {moves}"),
    };
    text.push_str(match line.bound {
        Bound::Exact => "",
        Bound::Lower => " lowerbound",
        Bound::Upper => " upperbound",
    });
    if show_wdl {
        // A finished game has one result.
        let is_draw = line.pv.is_empty() && line.score == Score::Centipawns(0);
        let WdlChances { win, draw, loss } = if is_draw { WdlChances::DRAW } else { wdl(line.score, root) };
        let _ = write!(text, " wdl {win} {draw} {loss}");
    }
    let _ = write!(
        text,
        " nodes {} nps {} hashfull {} tbhits {} time {}",
        info.nodes,
        nodes_per_second(info.nodes, info.elapsed),
        info.hashfull,
        info.tb_hits,
        info.elapsed.as_millis()
    );
    let (moves, _) = moves(&line.pv, root, chess960);
    if !moves.is_empty() {
        text.push_str(" pv");
    }
    for text_of_move in moves {
        text.push(' ');
        text.push_str(&text_of_move);
    }
    text
}

/// Returns the probabilities of win, draw and loss for a score.
fn wdl(score: Score, root: &Position) -> WdlChances {
    match score {
        Score::Centipawns(score) => WdlChances::of(score, root),
        Score::Mate(moves) if moves > 0 => WdlChances::WIN,
        Score::Mate(_) => WdlChances::LOSS,
    }
}

/// Formats an `info` line with the root move being searched.
pub(crate) fn current_move(at: &CurrentMove, root: &Position, chess960: bool) -> String {
    let CurrentMove { depth, mv, number } = *at;
    format!("info depth {depth} currmove {} currmovenumber {number}", root.to_uci(mv, chess960))
}

/// Formats the `bestmove` line.
pub(crate) fn best_move(best: &BestMove, root: &Position, chess960: bool) -> String {
    let line: Vec<Move> = best.best.into_iter().chain(best.ponder).collect();
    let (moves, _) = moves(&line, root, chess960);
    match &moves[..] {
        [] => "bestmove (none)".to_owned(),
        [best] => format!("bestmove {best}"),
        [best, ponder, ..] => format!("bestmove {best} ponder {ponder}"),
    }
}

/// Formats the moves of a line up to the first illegal one. Returns true if all are legal.
pub(crate) fn moves(line: &[Move], root: &Position, chess960: bool) -> (Vec<String>, bool) {
    let mut position = root.clone();
    let mut texts = Vec::with_capacity(line.len());
    for &mv in line {
        if !position.is_legal(mv) {
            return (texts, false);
        }
        texts.push(position.to_uci(mv, chess960));
        position.play(mv);
    }
    (texts, true)
}

/// Shortens a long message, for example with a long path, to its beginning and its end.
pub(crate) fn shorten(text: &str) -> Cow<'_, str> {
    const KEPT: usize = 200;
    let length = text.chars().count();
    if length <= 2 * KEPT {
        return Cow::Borrowed(text);
    }
    let (start, end): (String, String) =
        (text.chars().take(KEPT).collect(), text.chars().skip(length - KEPT).collect());
    Cow::Owned(format!("{start}...{end}"))
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::engine::Line;

    fn line(root: &Position, moves: &[&str]) -> Vec<Move> {
        let mut position = root.clone();
        let mut line = Vec::new();
        for text in moves {
            let mv = position.from_uci(text).unwrap();
            position.play(mv);
            line.push(mv);
        }
        line
    }

    fn sample(root: &Position, score: Score, bound: Bound, moves: &[&str]) -> Info {
        let line = Line { rank: 2, depth: 9, seldepth: 14, score, bound, pv: line(root, moves) };
        Info { line, nodes: 12_345, elapsed: Duration::from_micros(10_500), tb_hits: 3, hashfull: 7 }
    }

    #[test]
    fn all_fields_together() {
        let root = Position::startpos();
        let text = |score, bound| info(&sample(&root, score, bound, &["e2e4", "e7e5"]), &root, false, false);
        assert_eq!(
            text(Score::Centipawns(-13), Bound::Exact),
            "info depth 9 seldepth 14 multipv 2 score cp -13 nodes 12345 nps 1175714 hashfull 7 tbhits 3 time 10 pv e2e4 e7e5"
        );
        assert!(text(Score::Centipawns(5), Bound::Lower).contains(" score cp 5 lowerbound nodes "));
        assert!(text(Score::Centipawns(5), Bound::Upper).contains(" score cp 5 upperbound nodes "));
        assert!(text(Score::Mate(3), Bound::Exact).contains(" score mate 3 nodes "));
        assert!(text(Score::Mate(-2), Bound::Exact).contains(" score mate -2 nodes "));
    }

    #[test]
    fn chances_follow_the_score() {
        let root = Position::startpos();
        let chances = |score, bound| {
            let text = info(&sample(&root, score, bound, &["e2e4"]), &root, false, true);
            let (_, rest) = text.split_once(" wdl ").unwrap();
            rest.split_once(" nodes ").unwrap().0.split(' ').map(|word| word.parse().unwrap()).collect::<Vec<u16>>()
        };
        assert_eq!(chances(Score::Mate(3), Bound::Exact), [1000, 0, 0]);
        assert_eq!(chances(Score::Mate(-3), Bound::Exact), [0, 0, 1000]);
        assert_eq!(chances(Score::Mate(0), Bound::Exact), [0, 0, 1000]);
        let WdlChances { win, draw, loss } = WdlChances::of(80, &root);
        assert_eq!(chances(Score::Centipawns(80), Bound::Lower), [win, draw, loss]);
    }

    #[test]
    fn finished_games_have_one_result() {
        let root = Position::startpos();
        let chances = |score, moves: &[&str]| {
            let text = info(&sample(&root, score, Bound::Exact, moves), &root, false, true);
            text.split_once(" wdl ").unwrap().1.split_once(" nodes ").unwrap().0.to_owned()
        };
        let WdlChances { win, draw, loss } = WdlChances::of(0, &root);
        assert_ne!(draw, 1000);
        assert_eq!(chances(Score::Centipawns(0), &["e2e4"]), format!("{win} {draw} {loss}"));
        assert_eq!(chances(Score::Centipawns(0), &[]), "0 1000 0");
        let WdlChances { win, draw, loss } = WdlChances::of(90, &root);
        assert_eq!(chances(Score::Centipawns(90), &[]), format!("{win} {draw} {loss}"));
        assert_eq!(chances(Score::Mate(0), &[]), "0 0 1000");
        assert!(info(&sample(&root, Score::Mate(0), Bound::Exact, &[]), &root, false, false).ends_with(" time 10"));
    }

    #[test]
    fn current_root_move() {
        let root = Position::from_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").unwrap();
        let at = CurrentMove { depth: 20, mv: root.from_uci("e1g1").unwrap(), number: 3 };
        assert_eq!(current_move(&at, &root, false), "info depth 20 currmove e1g1 currmovenumber 3");
        assert_eq!(current_move(&at, &root, true), "info depth 20 currmove e1h1 currmovenumber 3");
    }

    #[test]
    fn castling_in_both_notations() {
        let root = Position::from_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").unwrap();
        let castling = sample(&root, Score::Centipawns(0), Bound::Exact, &["e1g1", "e8c8"]);
        assert!(info(&castling, &root, false, false).ends_with(" pv e1g1 e8c8"));
        assert!(info(&castling, &root, true, false).ends_with(" pv e1h1 e8a8"));
        let best = BestMove {
            best: castling.line.pv.first().copied(),
            ponder: castling.line.pv.get(1).copied(),
            nodes: 1,
            elapsed: Duration::ZERO,
        };
        assert_eq!(best_move(&best, &root, false), "bestmove e1g1 ponder e8c8");
        assert_eq!(best_move(&best, &root, true), "bestmove e1h1 ponder e8a8");
        assert_eq!(best_move(&BestMove { ponder: None, ..best.clone() }, &root, false), "bestmove e1g1");
        assert_eq!(best_move(&BestMove { best: None, ponder: None, ..best }, &root, false), "bestmove (none)");
    }

    #[test]
    fn long_messages_keep_both_ends() {
        let (start, end) = ("é".repeat(200), "ü".repeat(200));
        assert_eq!(shorten(&format!("{start}{end}")), format!("{start}{end}"));
        assert_eq!(shorten(&format!("{start}/{end}")), format!("{start}...{end}"));
    }

    #[test]
    fn illegal_move_ends_the_line() {
        let root = Position::startpos();
        let mut pv = line(&root, &["e2e4", "e7e5"]);
        pv.insert(1, pv[0]);
        assert_eq!(moves(&pv, &root, false), (vec!["e2e4".to_owned()], false));
    }
}
