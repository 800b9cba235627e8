//! An engine that answers one question after the other, for subcommands that talk to people.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use crossbeam::channel::{self, Receiver, Sender};

use super::Failure;
use crate::engine::{BestMove, Bound, Engine, Info, Limits, Options, Score, Sink};
use crate::eval::Network;
use crate::position::{Game, Move, Outcome};

/// What a search tells.
pub(super) enum Event {
    Line(Info),
    Message(String),
    End(BestMove),
}

/// Hands everything to the thread that prints.
struct Channel(Sender<Event>);

impl Sink for Channel {
    fn info(&self, info: &Info) {
        let _ = self.0.send(Event::Line(info.clone()));
    }

    fn best_move(&self, best: &BestMove) {
        let _ = self.0.send(Event::End(best.clone()));
    }

    fn message(&self, text: &str) {
        let _ = self.0.send(Event::Message(text.to_owned()));
    }
}

/// An engine and what it tells.
pub(super) struct Thinker {
    engine: Engine,
    events: Receiver<Event>,
}

/// A search from its beginning to its end.
pub(super) struct Thought {
    /// What the best line was, each time it was exactly known.
    pub(super) steps: Vec<Info>,
    pub(super) end: BestMove,
}

/// What the engine thinks of a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Assessment {
    /// From the side to move.
    pub(super) score: Score,
    /// The best line; empty if the game is over.
    pub(super) line: Vec<Move>,
    pub(super) depth: u32,
}

impl Thinker {
    pub(super) fn new(
        threads: u16,
        hash: u32,
        multi_pv: u16,
        move_overhead: Duration,
        network: Arc<Network>,
    ) -> Result<Thinker, Failure> {
        let (sender, events) = channel::unbounded();
        let options = Options {
            hash_mib: hash.try_into().map_err(Failure::failed)?,
            threads: usize::from(threads),
            multi_pv: usize::from(multi_pv),
            move_overhead,
            network,
            ..Options::default()
        };
        let engine = Engine::with_sink(options, Arc::new(Channel(sender))).map_err(Failure::failed)?;
        Ok(Thinker { engine, events })
    }

    /// Forgets what was learnt.
    pub(super) fn forget(&mut self) {
        self.engine.new_game();
    }

    /// Begins a search; [`Thinker::events`] tells the rest.
    pub(super) fn start(&mut self, game: &Game, limits: Limits) {
        self.engine.go(game, limits);
    }

    /// Asks the search to end soon.
    pub(super) fn stop(&self) {
        self.engine.stop();
    }

    pub(super) fn events(&self) -> &Receiver<Event> {
        &self.events
    }

    /// Searches to the end. What the engine has to say beyond lines and moves goes to the standard error.
    pub(super) fn think(&mut self, game: &Game, limits: Limits) -> Thought {
        self.start(game, limits);
        let mut steps = Vec::new();
        loop {
            match self.events.recv() {
                Ok(Event::Line(info)) => {
                    if info.line.rank == 1 && info.line.bound == Bound::Exact {
                        steps.push(info);
                    }
                }
                Ok(Event::Message(text)) => drop(writeln!(io::stderr(), "{text}")),
                Ok(Event::End(end)) => return Thought { steps, end },
                // The engine holds the other end.
                Err(_) => {
                    let end = BestMove { best: None, ponder: None, nodes: 0, elapsed: Duration::ZERO };
                    return Thought { steps, end };
                }
            }
        }
    }

    /// Searches, and says what the position is worth.
    pub(super) fn assess(&mut self, game: &Game, limits: &Limits) -> Assessment {
        let over = |score| Assessment { score, line: Vec::new(), depth: 0 };
        match game.legal_result() {
            Some(Outcome::Checkmate) => return over(Score::Mate(0)),
            Some(Outcome::Stalemate | Outcome::Material) => return over(Score::Centipawns(0)),
            _ => {}
        }
        // Limits so narrow that not one depth was completed are widened to that.
        let depth_1 = Limits { depth: Some(1), ..Limits::default() };
        let thought = Some(self.think(game, limits.clone())).filter(|thought| !thought.steps.is_empty());
        let assessment = thought.unwrap_or_else(|| self.think(game, depth_1)).assessment();
        // Not even one ply: nothing is known.
        assessment.unwrap_or_else(|| over(Score::Centipawns(0)))
    }
}

impl Thought {
    /// The last line that was exactly known, unless the move that was chosen in the end has one of its own.
    pub(super) fn assessment(&self) -> Option<Assessment> {
        let is_chosen = |info: &&Info| info.line.pv.first().copied() == self.end.best;
        let info = self.steps.iter().rfind(is_chosen).or(self.steps.last())?;
        Some(Assessment { score: info.line.score, line: info.line.pv.clone(), depth: info.line.depth })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;

    #[test]
    fn positions_are_assessed_whatever_the_limits() {
        let mut thinker = Thinker::new(1, 1, 1, Duration::ZERO, Network::embedded()).unwrap();
        let mut assess =
            |fen: &str, limits: &Limits| thinker.assess(&Game::new(Position::from_fen(fen).unwrap()), limits);
        let one_node = Limits { nodes: Some(1), ..Limits::default() };
        let mate = assess("7k/8/6K1/8/8/8/8/R7 w - - 0 1", &Limits { depth: Some(4), ..Limits::default() });
        assert_eq!((mate.score, mate.line.len()), (Score::Mate(1), 1));
        assert!(!assess("7k/8/6K1/8/8/8/8/R7 w - - 0 1", &one_node).line.is_empty());
        assert_eq!(assess("R6k/8/6K1/8/8/8/8/8 b - - 0 1", &one_node).score, Score::Mate(0));
        assert_eq!(assess("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", &one_node).score, Score::Centipawns(0));
    }
}
