//! Games of the engine against itself with two threads at very short clocks.
//!
//! shakmaty checks every move and every line of play. Time forfeits are ignored, as they depend on the machine.

use std::time::{Duration, Instant};

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::support::judge::Judge;
use crate::support::referee::Referee;
use crate::support::{PATIENCE, best_move, infos};

/// A game in progress.
struct Match {
    engines: [Judge; 2],
    referee: Referee,
    /// The start as in `position`.
    start: String,
    moves: Vec<String>,
    clocks: [Duration; 2],
    increment: u64,
}

impl Match {
    /// Begins a game with each player's milliseconds at the start and for each move.
    fn new(referee: Referee, start: &str, (time, increment): (u64, u64), options: &str) -> Match {
        let engines = [(); 2].map(|()| {
            let mut engine = Judge::new();
            engine.session.set(&format!("setoption name Threads value 2\nsetoption name Hash value 4\n{options}"));
            engine
        });
        let clocks = [Duration::from_millis(time); 2];
        Match { engines, referee, start: start.to_owned(), moves: Vec::new(), clocks, increment }
    }

    fn side(&self) -> usize {
        usize::from(!self.referee.white_to_move())
    }

    fn play(&mut self, mv: &str) {
        self.referee.play(mv).unwrap_or_else(|error| panic!("{error}: {:?}", self.moves));
        self.moves.push(mv.to_owned());
    }

    /// Sends the position after these moves and one more, and a `go`.
    fn send(&mut self, side: usize, ponder: Option<&str>) {
        let [white, black] = self.clocks.map(|clock| clock.as_millis());
        let (start, moves, increment) = (&self.start, self.moves.join(" "), self.increment);
        self.engines[side].send(&format!("position {start} moves {moves} {}", ponder.unwrap_or_default()));
        let word = if ponder.is_some() { "ponder " } else { "" };
        self.engines[side].send(&format!("go {word}wtime {white} btime {black} winc {increment} binc {increment}"));
    }

    /// Waits for the best move. Returns the lines of the search.
    fn lines(&mut self, side: usize) -> Vec<String> {
        let mut lines = Vec::new();
        while !lines.last().is_some_and(|line: &String| line.starts_with("bestmove")) {
            let engine = &mut self.engines[side];
            let line = engine.hear(PATIENCE).unwrap_or_else(|| engine.session.fail("no line came"));
            if line.starts_with("info string") {
                engine.session.fail("an unexpected message");
            }
            lines.push(line);
        }
        lines
    }

    /// Takes the move of the side to move, after a check that no line of play goes on after the end of the game. Returns its ponder move.
    fn take_move(&mut self) -> Option<String> {
        let (side, start) = (self.side(), Instant::now());
        let lines = self.lines(side);
        // A player without time plays on.
        let left = self.clocks[side].saturating_sub(start.elapsed());
        self.clocks[side] = left + Duration::from_millis(self.increment);
        let infos = infos(&lines);
        let checked = infos.iter().try_for_each(|info| self.referee.check_line(&info.pv));
        if let Err(error) = checked.and(infos.last().map(|_| ()).ok_or("no line of play".to_owned())) {
            self.engines[side].session.fail(&error);
        }
        self.play(best_move(&lines));
        lines.last().and_then(|line| line.split_once(" ponder ")).map(|(_, mv)| mv.to_owned())
    }

    fn finish(mut self) {
        while self.referee.end().is_none() {
            self.send(self.side(), None);
            self.take_move();
        }
        println!("{:?} after {} plies", self.referee.end(), self.moves.len());
        self.end();
    }

    fn end(self) {
        for mut engine in self.engines {
            engine.send("quit");
            engine.end(true);
        }
    }
}

/// The openings have eight random moves.
#[test]
fn fast_games_are_legal() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
    for control in [[(100, 5); 12].as_slice(), &[(20, 0); 6]].concat() {
        let mut game = Match::new(Referee::new(), "startpos", control, "");
        for _ in 0..8 {
            let legal = game.referee.legal_moves();
            // Mate in the opening: a short game.
            let Some(mv) = legal.get(random.next_u64() as usize % legal.len().max(1)) else { break };
            game.play(mv);
        }
        game.finish();
    }
}

#[test]
fn chess960_games_are_legal() {
    for fen in [
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
        "rkrbbnqn/pppppppp/8/8/8/8/PPPPPPPP/RKRBBNQN w CAca - 0 1",
        "nrkbbqrn/pppppppp/8/8/8/8/PPPPPPPP/RKRNNQBB w CAgb - 0 1",
    ] {
        let option = "setoption name UCI_Chess960 value true";
        Match::new(Referee::from_chess960_fen(fen), &format!("fen {fen}"), (200, 5), option).finish();
    }
}

/// Each side ponders on the other's time. Guesses are right and wrong.
#[test]
fn pondering_games_are_legal() {
    let mut game = Match::new(Referee::new(), "startpos", (300, 5), "setoption name Ponder value true");
    let (mut hits, mut misses) = (0, 0);
    // The move that the waiting side ponders on.
    let mut guess: Option<String> = None;
    while game.referee.end().is_none() && game.moves.len() < 200 {
        let (mover, waiting) = (game.side(), 1 - game.side());
        if let Some(mv) = &guess {
            game.send(waiting, Some(mv));
        }
        game.send(mover, None);
        let expected = game.take_move();
        match guess.take() {
            Some(mv) if game.moves.last() == Some(&mv) => {
                hits += 1;
                game.engines[waiting].send("ponderhit");
                if game.referee.end().is_none() {
                    // The other side moves next, without pondering.
                    game.take_move();
                } else {
                    game.lines(waiting);
                }
                continue;
            }
            Some(_) => {
                misses += 1;
                game.engines[waiting].send("stop");
                game.lines(waiting);
            }
            None => {}
        }
        // A GUI may ponder on any move. One is taken where the engine names none, so that pondering never depends on the depth reached.
        let any = || game.referee.legal_moves().into_iter().next();
        guess = expected.or_else(any).filter(|_| game.referee.end().is_none());
    }
    println!("{hits} hits, {misses} misses, {} plies", game.moves.len());
    assert!(hits + misses > 0, "{hits} {misses}");
    game.end();
}
