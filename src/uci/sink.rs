//! UCI sink: writes a search's reports as lines.

use crossbeam_channel::Sender;

use crate::engine::bench::nodes_per_second;
use crate::engine::{BestMove, Bound, CurrentMove, Info, Score, Sink};
use crate::eval::wdl::WdlChances;
use crate::locks::Mutex;
use crate::output::Output;
use crate::position::{Move, Position};

/// Wakes the engine loop at the end of a search.
pub(super) struct UciSink {
    output: Output,
    notation: Mutex<Notation>,
    /// Has a capacity of one: the loop then checks everything.
    wake: Sender<()>,
}

impl UciSink {
    pub(super) fn new(output: Output, wake: Sender<()>) -> UciSink {
        let notation = Notation { root: Position::startpos(), chess960: false, show_wdl: false };
        UciSink { output, notation: Mutex::new(notation), wake }
    }

    /// Sets the root of the next search. No search may be running.
    pub(super) fn set_root(&self, root: Position) {
        self.notation.lock().root = root;
    }

    pub(super) fn chess960(&self) -> bool {
        self.notation.lock().chess960
    }

    pub(super) fn set_chess960(&self, chess960: bool) {
        self.notation.lock().chess960 = chess960;
    }

    pub(super) fn set_show_wdl(&self, show: bool) {
        self.notation.lock().show_wdl = show;
    }

    /// If the output is closed, the loop ends the session.
    fn line(&self, text: &str) {
        self.output.line(text);
        if self.output.is_closed() {
            self.wake();
        }
    }

    fn wake(&self) {
        // A full channel wakes the loop as well. A closed one means that the loop has ended.
        let _ = self.wake.try_send(());
    }
}

impl Sink for UciSink {
    fn info(&self, info: &Info) {
        let (text, is_legal) = self.notation.lock().info(info);
        self.line(&text);
        if !is_legal {
            self.output.info("bug: the line above was cut before an illegal move");
        }
    }

    fn best_move(&self, best: &BestMove) {
        let text = self.notation.lock().best_move(best);
        self.output.line(&text);
        self.wake();
    }

    fn current_move(&self, at: &CurrentMove) {
        let text = self.notation.lock().current_move(at);
        self.line(&text);
    }

    fn message(&self, text: &str) {
        self.output.info(text);
    }
}

/// Depends on the root of the search and on options.
struct Notation {
    root: Position,
    /// Writes castling as king takes rook.
    chess960: bool,
    /// Adds the chances of win, draw and loss to each score.
    show_wdl: bool,
}

impl Notation {
    /// Writes all fields, as tools that read games expect. The moves end before an illegal one, which would be a bug in the
    /// search: the second value is then false.
    fn info(&self, info: &Info) -> (String, bool) {
        let line = &info.line;
        let mut text = format!("info depth {} seldepth {} multipv {} score ", line.depth, line.seldepth, line.rank);
        text += &match line.score {
            Score::Centipawns(score) => format!("cp {score}"),
            Score::Mate(moves) => format!("mate {moves}"),
        };
        text += match line.bound {
            Bound::Exact => "",
            Bound::Lower => " lowerbound",
            Bound::Upper => " upperbound",
        };
        if self.show_wdl {
            let WdlChances { win, draw, loss } = match line.score {
                // The game is over.
                Score::Centipawns(0) if line.pv.is_empty() => WdlChances::DRAW,
                Score::Centipawns(score) => WdlChances::of(score, &self.root),
                Score::Mate(1..) => WdlChances::WIN,
                Score::Mate(_) => WdlChances::LOSS,
            };
            text += &format!(" wdl {win} {draw} {loss}");
        }
        let Info { nodes, hashfull, tb_hits, elapsed, .. } = info;
        let (nps, time) = (nodes_per_second(*nodes, *elapsed), elapsed.as_millis());
        text += &format!(" nodes {nodes} nps {nps} hashfull {hashfull} tbhits {tb_hits} time {time}");
        let (moves, is_legal) = self.moves(&line.pv);
        if !moves.is_empty() {
            text += &format!(" pv {}", moves.join(" "));
        }
        (text, is_legal)
    }

    fn current_move(&self, at: &CurrentMove) -> String {
        let CurrentMove { depth, mv, number } = *at;
        format!("info depth {depth} currmove {} currmovenumber {number}", self.root.to_uci(mv, self.chess960))
    }

    fn best_move(&self, best: &BestMove) -> String {
        let line: Vec<Move> = best.best.into_iter().chain(best.ponder).collect();
        match &self.moves(&line).0[..] {
            [] => "bestmove (none)".to_owned(),
            [best] => format!("bestmove {best}"),
            [best, ponder, ..] => format!("bestmove {best} ponder {ponder}"),
        }
    }

    /// Up to the first illegal move. The second value is true if all are legal.
    fn moves(&self, line: &[Move]) -> (Vec<String>, bool) {
        let mut position = self.root.clone();
        let mut texts = Vec::with_capacity(line.len());
        for &mv in line {
            if !position.is_legal(mv) {
                return (texts, false);
            }
            texts.push(position.to_uci(mv, self.chess960));
            position.play(mv);
        }
        (texts, true)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::engine::Line;

    const CASTLING: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";

    fn notation(fen: &str) -> Notation {
        Notation { root: Position::from_fen(fen).unwrap(), chess960: false, show_wdl: false }
    }

    fn sample(root: &Position, score: Score, moves: &[&str]) -> Info {
        let mut position = root.clone();
        let mut play = |text: &&str| {
            let mv = position.from_uci(text).unwrap();
            position.play(mv);
            mv
        };
        let pv = moves.iter().map(&mut play).collect();
        let line = Line { rank: 2, depth: 9, seldepth: 14, score, bound: Bound::Exact, pv };
        Info { line, nodes: 12_345, elapsed: Duration::from_micros(10_500), tb_hits: 3, hashfull: 7 }
    }

    #[test]
    fn all_fields_together() {
        let notation = Notation { root: Position::startpos(), chess960: false, show_wdl: false };
        let mut info = sample(&notation.root, Score::Centipawns(-13), &["e2e4", "e7e5"]);
        assert_eq!(
            notation.info(&info).0,
            "info depth 9 seldepth 14 multipv 2 score cp -13 nodes 12345 nps 1175714 hashfull 7 tbhits 3 time 10 pv e2e4 e7e5"
        );
        info.line.bound = Bound::Lower;
        assert!(notation.info(&info).0.contains(" score cp -13 lowerbound nodes "));
        info.line.bound = Bound::Upper;
        assert!(notation.info(&info).0.contains(" score cp -13 upperbound nodes "));
        info.line.score = Score::Mate(-2);
        assert!(notation.info(&info).0.contains(" score mate -2 upperbound nodes "));
    }

    #[test]
    fn chances_follow_the_score() {
        let notation = Notation { show_wdl: true, ..notation(CASTLING) };
        let chances = |score, moves: &[&str]| {
            let (text, _) = notation.info(&sample(&notation.root, score, moves));
            text.split_once(" wdl ").unwrap().1.split_once(" nodes ").unwrap().0.to_owned()
        };
        let of = |score| {
            let WdlChances { win, draw, loss } = WdlChances::of(score, &notation.root);
            format!("{win} {draw} {loss}")
        };
        assert_eq!(chances(Score::Mate(3), &["e1g1"]), "1000 0 0");
        assert_eq!(chances(Score::Mate(-3), &["e1g1"]), "0 0 1000");
        assert_eq!(chances(Score::Centipawns(80), &["e1g1"]), of(80));
        assert_eq!(chances(Score::Centipawns(0), &["e1g1"]), of(0));
        // Without a move the game is over.
        assert_eq!(chances(Score::Centipawns(0), &[]), "0 1000 0");
        assert_eq!(chances(Score::Mate(0), &[]), "0 0 1000");
    }

    #[test]
    fn castling_in_both_notations() {
        let mut notation = notation(CASTLING);
        let info = sample(&notation.root, Score::Centipawns(0), &["e1g1", "e8c8"]);
        let best = BestMove { best: Some(info.line.pv[0]), ponder: None, nodes: 1, elapsed: Duration::ZERO };
        let with_reply = BestMove { ponder: Some(info.line.pv[1]), ..best.clone() };
        let at = CurrentMove { depth: 20, mv: info.line.pv[0], number: 3 };
        assert!(notation.info(&info).0.ends_with(" pv e1g1 e8c8"));
        assert_eq!(notation.best_move(&with_reply), "bestmove e1g1 ponder e8c8");
        assert_eq!(notation.best_move(&best), "bestmove e1g1");
        assert_eq!(notation.best_move(&BestMove { best: None, ..best }), "bestmove (none)");
        assert_eq!(notation.current_move(&at), "info depth 20 currmove e1g1 currmovenumber 3");
        notation.chess960 = true;
        assert!(notation.info(&info).0.ends_with(" pv e1h1 e8a8"));
        assert_eq!(notation.best_move(&with_reply), "bestmove e1h1 ponder e8a8");
        assert_eq!(notation.current_move(&at), "info depth 20 currmove e1h1 currmovenumber 3");
    }

    #[test]
    fn illegal_move_ends_the_line() {
        let notation = notation(CASTLING);
        let mut info = sample(&notation.root, Score::Centipawns(0), &["e1g1", "e8c8"]);
        info.line.pv.insert(1, info.line.pv[0]);
        let (text, is_legal) = notation.info(&info);
        assert!(text.ends_with(" pv e1g1") && !is_legal, "{text}");
    }
}
