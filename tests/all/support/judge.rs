//! A session whose lines are checked for what holds in every session.

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use super::referee::Root;
use super::{Session, infos, is_search_line, parse_info};

/// Checks that each `go` gets one `bestmove`, that all moves are legal and allowed by `searchmoves`, that each line of play is complete, that the
/// last one begins with the best move, that the lines of MultiPV begin with different moves, and that the engine ends well.
pub(crate) struct Judge {
    pub(crate) session: Session,
    /// `None` after a position that the referee does not understand.
    root: Option<Root>,
    /// The roots of the searches without a best move yet.
    searches: VecDeque<Option<Root>>,
    /// The lines of the last search so far.
    pub(crate) search_lines: Vec<String>,
    is_over: bool,
}

impl Judge {
    pub(crate) fn new() -> Judge {
        let (root, searches) = (Root::of_position("startpos"), VecDeque::new());
        Judge { session: Session::start(), root, searches, search_lines: Vec::new(), is_over: false }
    }

    pub(crate) fn send(&mut self, line: &str) {
        if let Some(position) = line.strip_prefix("position") {
            self.root = Root::of_position(position.trim_start());
        } else if line.split(' ').next() == Some("go") && !line.contains("perft") {
            self.searches.push_back(self.root.as_ref().map(|root| root.of_search(line)));
        }
        self.session.send(line);
    }

    /// Returns the next line; `None` if none comes in time.
    pub(crate) fn hear(&mut self, time: Duration) -> Option<String> {
        let line = self.session.line_within(time)?;
        self.check(&line);
        Some(line)
    }

    /// Checks the next line.
    pub(crate) fn check(&mut self, line: &str) {
        let is_best_move = line.starts_with("bestmove ");
        if (is_best_move || is_search_line(line)) && std::mem::replace(&mut self.is_over, is_best_move) {
            self.search_lines.clear();
        }
        if let Some(moves) = line.strip_prefix("bestmove ") {
            let moves: Vec<&str> = moves.split(' ').filter(|word| *word != "ponder").collect();
            let Some(root) = self.searches.pop_front() else { self.fail("a move without a search", line) };
            if root.is_some_and(|root| !root.allows(&moves)) {
                self.fail("an illegal move", line);
            }
            let infos = infos(&self.search_lines);
            let ranked = infos.iter().rev().zip(1..).take_while(|(info, rank)| info.multipv == *rank);
            let firsts: Vec<&String> = ranked.map(|(info, _)| &info.pv[0]).collect();
            let are_different = firsts.iter().collect::<HashSet<_>>().len() == firsts.len();
            let is_shown = infos.last().is_none_or(|last| last.pv[0] == moves[0]);
            if !are_different || !is_shown {
                self.fail("the lines before have the same first moves or another last move", line);
            }
        } else if is_search_line(line) && !line.contains(" currmove ") {
            let Some(root) = self.searches.front() else { self.fail("a line without a search", line) };
            if let (Some(info), Some(root)) = (parse_info(line), root)
                && !root.allows(&info.pv.iter().map(String::as_str).collect::<Vec<_>>())
            {
                self.fail("an illegal move", line);
            }
            self.search_lines.push(line.to_owned());
        }
    }

    /// Waits for a good end after `quit` or the end of the input. Returns the last lines. A second `quit` may cost moves.
    pub(crate) fn end(&mut self, has_all_moves: bool) -> Vec<String> {
        let lines = self.session.end_well();
        lines.iter().for_each(|line| self.check(line));
        if has_all_moves && !self.searches.is_empty() {
            self.session.fail(&format!("{} searches without a move", self.searches.len()));
        }
        lines
    }

    fn fail(&self, fault: &str, line: &str) -> ! {
        self.session.fail(&format!("{fault}: {line}"))
    }
}
