//! Games of the engine against itself with two threads at very short clocks.
//!
//! shakmaty checks every move and every line of play. Time forfeits are ignored, as they depend on the machine.

use std::time::{Duration, Instant};

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::support::referee::{End, Referee};
use crate::support::{Session, best_move, infos};

/// Each player's milliseconds at the start, and the increment for each move.
type TimeControl = (u64, u64);

/// A game in progress.
struct Match {
    referee: Referee,
    /// The start as in `position`.
    start: String,
    moves: Vec<String>,
    clocks: [Duration; 2],
    increment: u64,
}

impl Match {
    fn new(referee: Referee, start: &str, (time, increment): TimeControl) -> Match {
        let clocks = [Duration::from_millis(time); 2];
        Match { referee, start: start.to_owned(), moves: Vec::new(), clocks, increment }
    }

    fn play(&mut self, mv: &str) {
        if let Err(error) = self.referee.play(mv) {
            panic!("{error}\n{}", self.position());
        }
        self.moves.push(mv.to_owned());
    }

    fn position(&self) -> String {
        format!("position {} moves {}", self.start, self.moves.join(" "))
    }

    /// Lets the engine move, checks its output, and returns its ponder move.
    fn turn(&mut self, engine: &mut Session) -> Option<String> {
        let [white, black] = self.clocks.map(|clock| clock.as_millis());
        let increment = self.increment;
        engine.send(&self.position());
        let start = Instant::now();
        let lines = engine.search(&format!("go wtime {white} btime {black} winc {increment} binc {increment}"));
        let taken = start.elapsed();
        self.check(engine, &lines);
        let side = usize::from(!self.referee.white_to_move());
        // A player without time plays on.
        self.clocks[side] = self.clocks[side].saturating_sub(taken) + Duration::from_millis(increment);
        self.play(best_move(&lines));
        let ponder = lines.last().and_then(|line| line.split_once(" ponder ")).map(|(_, mv)| mv.to_owned());
        if let Some(ponder) = &ponder
            && self.referee.end().is_none()
            && let Err(error) = self.referee.clone().play(ponder)
        {
            engine.fail(&format!("ponder move: {error}"));
        }
        ponder
    }

    /// Checks all lines of play of a search. The last begins with the best move.
    fn check(&self, engine: &Session, lines: &[String]) {
        let infos = infos(lines);
        for info in &infos {
            if let Err(error) = self.referee.check_line(&info.pv) {
                engine.fail(&format!("line of play: {error}\n{info:?}\n{}", self.position()));
            }
        }
        match infos.last() {
            Some(last) if last.pv[0] == best_move(lines) => {}
            Some(_) => engine.fail("the best move is not the first of the last line of play"),
            None => engine.fail("a move without any line of play"),
        }
        if let Some(line) = lines.iter().find(|line| line.starts_with("info string")) {
            engine.fail(&format!("unexpected: {line}"));
        }
    }

    /// Plays until the game is over.
    fn finish(&mut self, engines: &mut [Session; 2]) -> End {
        loop {
            if let Some(end) = self.referee.end() {
                return end;
            }
            let side = usize::from(!self.referee.white_to_move());
            self.turn(&mut engines[side]);
        }
    }
}

fn engines(options: &str) -> [Session; 2] {
    [(); 2].map(|()| {
        let mut session = Session::start();
        session.set(&format!("setoption name Threads value 2\nsetoption name Hash value 4\n{options}"));
        session
    })
}

/// Plays games with openings of eight random moves.
fn play_games(seed: u64, games: usize, control: TimeControl) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut engines = engines("");
    for _ in 0..games {
        let mut game = Match::new(Referee::new(), "startpos", control);
        for _ in 0..8 {
            let legal = game.referee.legal_moves();
            // Mate in the opening: a short game.
            let Some(mv) = legal.get(random.next_u64() as usize % legal.len().max(1)) else { break };
            game.play(mv);
        }
        for engine in &mut engines {
            engine.send("ucinewgame");
            engine.sync();
        }
        println!("{:?}, {} plies", game.finish(&mut engines), game.moves.len());
    }
    engines.into_iter().for_each(Session::quit);
}

#[test]
fn tenth_of_a_second_games_are_legal() {
    play_games(2, 12, (100, 5));
}

#[test]
fn games_almost_without_time_are_legal() {
    play_games(3, 6, (20, 0));
}

#[test]
fn chess960_games_are_legal() {
    let mut engines = engines("setoption name UCI_Chess960 value true");
    for fen in [
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
        "rkrbbnqn/pppppppp/8/8/8/8/PPPPPPPP/RKRBBNQN w CAca - 0 1",
        "nrkbbqrn/pppppppp/8/8/8/8/PPPPPPPP/RKRNNQBB w CAgb - 0 1",
    ] {
        let mut game = Match::new(Referee::from_chess960_fen(fen), &format!("fen {fen}"), (200, 5));
        for engine in &mut engines {
            engine.send("ucinewgame");
        }
        game.finish(&mut engines);
    }
    engines.into_iter().for_each(Session::quit);
}

/// Each side ponders on the other's time. Guesses are right and wrong.
#[test]
fn pondering_games_are_legal() {
    let mut engines = engines("setoption name Ponder value true");
    let mut game = Match::new(Referee::new(), "startpos", (300, 5));
    let (mut hits, mut misses) = (0, 0);
    // The move that the waiting side ponders on.
    let mut guess: Option<String> = None;
    while game.referee.end().is_none() && game.moves.len() < 200 {
        let side = usize::from(!game.referee.white_to_move());
        let [mover, waiting] = if side == 0 { [0, 1] } else { [1, 0] };
        if let Some(mv) = &guess {
            engines[waiting].send(&format!("{} {mv}", game.position()));
            let [white, black] = game.clocks.map(|clock| clock.as_millis());
            engines[waiting].send(&format!("go ponder wtime {white} btime {black} winc 5 binc 5"));
        }
        let expected = game.turn(&mut engines[mover]);
        let played = game.moves.last().cloned();
        if let Some(mv) = guess.take() {
            if Some(&mv) == played.as_ref() {
                hits += 1;
                engines[waiting].send("ponderhit");
                let lines = engines[waiting].until("bestmove");
                if game.referee.end().is_none() {
                    game.check(&engines[waiting], &lines);
                    game.play(best_move(&lines));
                }
                // The other side moves next, without pondering.
                continue;
            }
            misses += 1;
            engines[waiting].send("stop");
            engines[waiting].until("bestmove");
        }
        // A GUI may ponder on any move. One is taken where the engine names none, so that pondering never depends on the depth reached.
        let any = || game.referee.legal_moves().into_iter().next();
        let is_playable = |mv: &String| game.referee.clone().play(mv).is_ok();
        guess = expected.filter(is_playable).or_else(any).filter(|_| game.referee.end().is_none());
    }
    println!("{hits} hits, {misses} misses, {} plies", game.moves.len());
    assert!(hits + misses > 0, "{hits} {misses}");
    engines.into_iter().for_each(Session::quit);
}
