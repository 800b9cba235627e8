//! One search from its start to its best move: the request, the thread that owns it, and the handle to it.
//!
//! `Job::contain` in `pool.rs` contains a panic of a worker: its search ends with what is found so far, and its thread makes new data for
//! the next one. [`Owner::run`] contains, one by one, panics of an owner's search (with its tablebase ranking, sink
//! and link), of the recovery that then ends the workers and the other machines and reports a message and a legal best move, and
//! of the drop of the owner; [`SearchThread`] takes the next search after each. It does not contain a panic of `Owner::new`, which calls
//! [`SearchLink::overhead`]: that one reaches the caller of `Engine::go`, and no search begins.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TryRecvError, bounded, unbounded};

use super::depths::DepthClaims;
use super::link::{Ballot, RemoteStart, SearchLink};
use super::numa::request_short_slices;
use super::pool::{Event, Pool, Team};
use super::sink::{BestMove, CurrentMove, Info, Line, Score, Sink};
use super::time::{Limits, Overhead, TimeManager};
use super::vote::{RootResult, deepest, elect};
use crate::eval::Network;
use crate::position::{Game, Move};
use crate::search::score::{DRAW, MAX_DEPTH, TB_WIN, is_mate, mate_in, moves_to_mate};
use crate::search::{Bound, Control, Iteration, RootLine, RoundRobin, SearchContext, SyzygyProbe, TranspositionTable};
use crate::syzygy::Wdl;

/// A shorter hard limit means one worker: with more threads than cores, most time would go to starting and stopping others.
const MIN_TIME_FOR_HELPERS: Duration = Duration::from_millis(20);

/// The wait for the ballots of other machines.
const MAX_WAIT_FOR_MACHINES: Duration = Duration::from_millis(500);

/// Earlier bounds would flood the GUI.
const BOUNDS_AFTER: Duration = Duration::from_secs(1);

/// The current root move is reported after this time, and no more often than the interval.
const CURRENT_MOVE_AFTER: Duration = Duration::from_secs(3);
const CURRENT_MOVE_INTERVAL: Duration = Duration::from_millis(100);

/// Plies beyond the length of a mate after which no shorter mate is expected.
const MATE_MARGIN: u32 = 12;

/// A request. What the workers read of it becomes a [`SearchContext`].
pub struct Search {
    pub game: Game,
    /// Without any, the search answers no move.
    pub root_moves: Vec<Move>,
    pub limits: Limits,
    /// At least 1.
    pub multi_pv: usize,
    pub move_overhead: Duration,
    /// The workers take turns, so a search by depth or nodes is reproducible: see [`RoundRobin`].
    pub lockstep: bool,
    /// The best move is held for a believable time, or until `stop`.
    pub takes_its_time: bool,
    pub network: Arc<Network>,
    pub table: Arc<TranspositionTable>,
    pub syzygy: Option<SyzygyProbe>,
    pub pool: Arc<Pool>,
    pub sink: Arc<dyn Sink>,
    pub link: Option<(Arc<dyn SearchLink>, RemoteStart)>,
    pub started: Instant,
}

/// The thread that runs the owners of an engine's searches, one at a time. End the running search before it is dropped.
/// The default one is the calling thread, for a [single-threaded](Pool::single_threaded) pool.
#[derive(Default)]
pub struct SearchThread {
    inbox: Option<Sender<Owner>>,
    thread: Option<JoinHandle<()>>,
}

impl SearchThread {
    pub fn new() -> std::io::Result<Self> {
        let (inbox, searches) = unbounded::<Owner>();
        let thread = thread::Builder::new().name("search".into()).spawn(move || {
            request_short_slices();
            searches.into_iter().for_each(Owner::run);
        })?;
        Ok(Self { inbox: Some(inbox), thread: Some(thread) })
    }

    pub fn start(&self, search: Search) -> SearchHandle {
        let (owner, handle) = Owner::new(search);
        match &self.inbox {
            // If the thread has ended, the search is over at once.
            Some(inbox) => drop(inbox.send(owner)),
            None => owner.run(),
        }
        handle
    }

    pub fn is_caller(&self) -> bool {
        self.inbox.is_none()
    }
}

impl Drop for SearchThread {
    fn drop(&mut self) {
        self.inbox = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Each search has its own stop flag and channel: a late `stop` cannot reach the next search.
pub struct SearchHandle {
    events: Sender<Event>,
    has_answered: Arc<AtomicBool>,
    done: Receiver<()>,
}

impl SearchHandle {
    pub fn stop(&self) {
        let _ = self.events.send(Event::Stop);
    }

    pub fn stop_if_unlimited(&self) {
        let _ = self.events.send(Event::StopIfUnlimited);
    }

    pub fn ponder_hit(&self) {
        let _ = self.events.send(Event::PonderHit);
    }

    /// The search has released the table by then.
    pub fn wait(&self) {
        let _ = self.done.recv();
    }

    pub fn is_done(&self) -> bool {
        self.has_answered.load(Ordering::Acquire) || matches!(self.done.try_recv(), Err(TryRecvError::Disconnected))
    }
}

/// The owner of a running search. It alone decides when to stop and what is played.
struct Owner {
    context: Arc<SearchContext>,
    /// `infinite` and `ponder` hold the best move: `stop` clears both, `ponderhit` the latter.
    limits: Limits,
    clock: TimeManager,
    started: Instant,
    pool: Arc<Pool>,
    sink: Arc<dyn Sink>,
    /// `None` for a short search.
    link: Option<(Arc<dyn SearchLink>, RemoteStart)>,
    sender: Sender<Event>,
    events: Receiver<Event>,
    are_searching: bool,
    answers_at: Option<Instant>,
    has_answered: Arc<AtomicBool>,
    /// The owner or the sink has panicked: results are still taken, but not reported.
    has_panicked: bool,
    /// The deepest result of each worker.
    results: Vec<Option<RootResult>>,
    lines: Vec<Vec<Line>>,
    /// Reported last, with the depth of its line, and the nodes; 0 nodes if the line of a bound has followed.
    reported: Option<(RootResult, u32, u64)>,
    /// Reported last: depth, number, move.
    current_move: Option<(u32, u32, Move)>,
    next_current_move: Option<Instant>,
    /// Other machines take part, and their search has not been ended.
    is_linked: bool,
    ballots: Vec<Ballot>,
    /// Dropped last: see [`SearchHandle`].
    _done: Sender<()>,
}

impl Owner {
    fn new(search: Search) -> (Self, SearchHandle) {
        let Search {
            game, root_moves, mut limits, multi_pv, network, table, syzygy, pool, sink, link, started, ..
        } = search;
        let can_wait = !pool.is_single_threaded();
        // Nobody could release the best move.
        limits.infinite &= can_wait;
        limits.ponder &= can_wait;
        let of_link = link.as_ref().map_or(Duration::ZERO, |(link, _)| link.overhead());
        let overhead = Overhead { of_move: search.move_overhead, of_link };
        let mut clock = TimeManager::new(&limits, game.position(), overhead, started);
        if root_moves.len() == 1 {
            clock.expect_single_reply();
        }
        // One worker of this machine searches alone.
        let is_short = !limits.is_held() && clock.hard_limit().is_some_and(|hard| hard < MIN_TIME_FOR_HELPERS);
        let workers = if is_short { 1 } else { pool.len() };
        let (places, quantum) = match search.lockstep {
            true => (1, RoundRobin::QUANTUM),
            false => (pool.cores(), RoundRobin::CROWDED_QUANTUM),
        };
        let control = Control::new(workers, limits.nodes).with_turns(places, quantum);
        // The workers check the hard limit too: the owner's timer can fire late.
        clock.deadline().into_iter().for_each(|deadline| control.end_at(deadline));
        let (sender, events) = unbounded();
        let (done, is_done) = bounded(0);
        let handle = SearchHandle { events: sender.clone(), has_answered: Arc::default(), done: is_done };
        let owner = Self {
            answers_at: clock.believable_end().filter(|_| search.takes_its_time && can_wait && !root_moves.is_empty()),
            next_current_move: started.checked_add(CURRENT_MOVE_AFTER),
            context: Arc::new(SearchContext {
                game,
                root_moves,
                multi_pv: multi_pv.max(1),
                table,
                control: Arc::new(control),
                syzygy,
                network,
                exchange: None,
            }),
            limits,
            clock,
            started,
            pool,
            sink,
            link: link.filter(|_| !is_short),
            sender,
            events,
            are_searching: false,
            has_answered: Arc::clone(&handle.has_answered),
            has_panicked: false,
            results: vec![None; workers],
            lines: vec![Vec::new(); workers],
            reported: None,
            current_move: None,
            is_linked: false,
            ballots: Vec::new(),
            _done: done,
        };
        (owner, handle)
    }

    fn run(mut self) {
        let contain = |work: &mut dyn FnMut()| panic::catch_unwind(AssertUnwindSafe(work)).is_ok();
        if !contain(&mut || self.search()) {
            contain(&mut || self.recover());
        }
        let mut owner = Some(self);
        contain(&mut || drop(owner.take()));
    }

    fn search(&mut self) {
        if !self.context.root_moves.is_empty() {
            self.start_workers();
        } else if !self.context.game.position().has_legal_move() {
            self.report_finished_game();
        }
        self.watch();
        self.conclude();
    }

    fn recover(&mut self) {
        if self.has_answered.load(Ordering::Relaxed) {
            return;
        }
        self.has_panicked = true;
        self.context.control.stop();
        self.watch();
        self.end_link();
        self.sink.message("bug: the search has panicked; the best move is the best one so far");
        let best = deepest(&self.results).and_then(|winner| self.results[winner]).map(|result| result.mv);
        self.report_best_move(best.or_else(|| self.unsearched_move()), None);
    }

    fn start_workers(&mut self) {
        let context =
            Arc::get_mut(&mut self.context).expect("the owner alone has the context before its workers start");
        let legal = context.root_moves.len();
        rank_root(context);
        if context.root_moves.len() == 1 && legal > 1 {
            self.clock.expect_single_reply();
        }
        if let Some((link, start)) = &self.link {
            match link.begin(start, &context.control, &context.table) {
                Ok(exchange) => context.exchange = Some(exchange),
                Err(message) => message.iter().for_each(|message| self.sink.message(message)),
            }
        }
        self.is_linked = self.context.exchange.is_some();
        let machine = self.link.as_ref().map_or(0, |(link, _)| link.machine());
        let depths = DepthClaims::new(self.results.len(), self.max_depth(), self.pool.strategy(), machine);
        self.are_searching = true;
        self.pool.search(Team::new(Arc::clone(&self.context), depths, self.limits.mate, self.sender.clone()));
    }

    /// Returns when all workers have ended and the best move may be reported.
    fn watch(&mut self) {
        while self.are_searching || self.limits.is_held() || self.answers_at.is_some_and(|at| Instant::now() < at) {
            match self.next_event() {
                Some(Event::Iterated(worker, iteration)) => self.record(worker, iteration),
                Some(Event::Bound(depth, line, nodes)) => self.report_bound(depth, &line, nodes),
                Some(Event::Panicked(worker)) => {
                    let text = format!("bug: thread {worker} panicked; the search ends, and the thread starts afresh");
                    self.sink.message(&text);
                }
                Some(Event::Ended(all)) => {
                    self.are_searching = false;
                    for (worker, last) in all.into_iter().enumerate() {
                        if let Some(iteration) = last {
                            self.record(worker, iteration);
                        }
                    }
                    self.context.control.stop();
                    self.end_link();
                }
                Some(Event::StopIfUnlimited) if !self.limits.is_unlimited() => {}
                Some(Event::Stop | Event::StopIfUnlimited) => {
                    (self.limits.infinite, self.limits.ponder, self.answers_at) = (false, false, None);
                    self.stop();
                }
                Some(Event::PonderHit) => self.ponder_hit(),
                None => self.stop(),
            }
        }
    }

    /// `None` at the deadline, or when the best move need not be held longer. Reports the current root move while waiting.
    fn next_event(&mut self) -> Option<Event> {
        while self.events.is_empty() && self.pool.iterate() {}
        loop {
            let is_stopped = self.context.control.stopped();
            let deadline = match is_stopped {
                false => self.clock.deadline(),
                true => self.answers_at.filter(|_| !self.are_searching && !self.limits.is_held()),
            };
            self.next_current_move = self.next_current_move.filter(|_| !is_stopped && !self.has_panicked);
            let Some(until) = deadline.into_iter().chain(self.next_current_move).min() else {
                return self.events.recv().ok();
            };
            match self.events.recv_deadline(until) {
                Ok(event) => return Some(event),
                Err(RecvTimeoutError::Timeout) if deadline.is_none_or(|deadline| until < deadline) => {
                    self.report_current_move();
                }
                Err(_) => return None,
            }
        }
    }

    /// Without a result, the first ply gets extra time: a searched move is better than any other.
    fn stop(&mut self) {
        let has_result = self.results.iter().any(Option::is_some);
        if has_result || !self.clock.grant_first_ply(Instant::now()) {
            self.context.control.stop();
        }
    }

    /// A stop before, or an earlier ponderhit, has ended the pondering.
    fn ponder_hit(&mut self) {
        if !std::mem::take(&mut self.limits.ponder) {
            return;
        }
        let now = Instant::now();
        self.clock.ponder_hit(now);
        if let Some(end) = self.clock.deadline() {
            self.context.control.end_at(end);
        }
        if !self.limits.is_held() && self.clock.is_past_soft_limit(now) {
            self.stop();
        }
    }

    /// Reports the iteration if it is the deepest so far, and stops the search if it is the last.
    fn record(&mut self, worker: usize, iteration: Iteration) {
        let Some(result) = RootResult::of(&iteration) else { return };
        self.results[worker] = Some(result);
        if self.has_panicked {
            return;
        }
        let (RootResult { mv, score, .. }, depth) = (result, iteration.depth);
        let mut lines: Vec<Line> =
            iteration.lines.iter().zip(1..).map(|(line, rank)| self.line_at(rank, depth, line)).collect();
        // A stopped iteration has only its best line: those of the iteration before follow.
        for line in std::mem::take(&mut self.lines[worker]) {
            let is_listed = lines.iter().any(|listed| listed.pv.first() == line.pv.first());
            if lines.len() < self.context.multi_pv && !is_listed {
                lines.push(Line { rank: lines.len() + 1, ..line });
            }
        }
        self.lines[worker] = lines;

        let is_deeper = self.is_deeper(depth);
        if is_deeper {
            self.lines[worker].iter().for_each(|line| self.report(line, iteration.nodes));
            self.reported = Some((result, depth, iteration.nodes));
            self.clock.update(mv, score, iteration.best_move_share);
        }
        let is_last = depth >= self.max_depth() && self.results.len() > 1 || self.is_settled(score, depth);
        if is_last || self.clock.has_granted_first_ply() || is_deeper && self.clock.is_past_soft_limit(Instant::now()) {
            self.stop();
        }
    }

    fn is_settled(&self, score: i32, depth: u32) -> bool {
        self.clock.is_by_clock()
            && !self.limits.is_held()
            && moves_to_mate(score).is_some_and(|moves| depth >= 2 * moves.unsigned_abs() + MATE_MARGIN)
    }

    fn is_deeper(&self, depth: u32) -> bool {
        self.reported.is_none_or(|(_, reported, _)| depth > reported)
    }

    fn max_depth(&self) -> u32 {
        self.limits.depth.unwrap_or(MAX_DEPTH)
    }

    fn end_link(&mut self) {
        let Some((link, _)) = self.link.as_ref().filter(|_| std::mem::take(&mut self.is_linked)) else { return };
        // The ballots are not worth much of the clock.
        let worth = |left: Duration| (left / 16).max(link.overhead()).min(left);
        let left = self.clock.left(Instant::now());
        let limit = left.map_or(MAX_WAIT_FOR_MACHINES, |left| MAX_WAIT_FOR_MACHINES.min(worth(left)));
        let line = self.vote(&self.results).and_then(|winner| self.lines[winner].first().cloned());
        let results = self.results.iter().flatten().copied().collect();
        let (mut ballots, message) = link.end(line.map(|line| Ballot { line, results }), limit);
        message.iter().for_each(|message| self.sink.message(message));
        // A move that cannot be played here has no vote.
        let is_playable = |result: &RootResult| self.context.root_moves.contains(&result.mv);
        ballots.iter_mut().for_each(|ballot| ballot.results.retain(is_playable));
        self.ballots = ballots;
    }

    fn conclude(&mut self) {
        let elected = self.elect();
        self.report_missing_mate(elected.as_ref().map(|(result, _)| *result));
        let Some((result, lines)) = elected else {
            let best = self.unsearched_move();
            best.into_iter().for_each(|mv| self.report_unsearched(mv));
            return self.report_best_move(best, None);
        };
        let nodes = self.context.control.nodes();
        if self.reported.is_none_or(|(reported, _, at)| (reported, at) != (result, nodes)) || self.context.multi_pv > 1
        {
            // The line that is played is the last.
            lines.iter().rev().for_each(|line| self.report(line, nodes));
        }
        let pv = lines.first().map_or(&[][..], |line| &line.pv);
        let best = pv.first().copied();
        let ponder = pv.get(1).copied().or_else(|| {
            let mut game = self.context.game.clone();
            game.play(best?);
            self.tt_move(&game)
        });
        self.report_best_move(best, ponder);
    }

    /// The workers that have found the wanted mate vote alone.
    fn vote(&self, results: &[Option<RootResult>]) -> Option<usize> {
        let is_wanted = |result: &RootResult| self.limits.mate.is_some_and(|wanted| result.is_mate_within(wanted));
        let mates: Vec<_> = results.iter().map(|result| result.filter(is_wanted)).collect();
        // The reported lines of MultiPV are the deepest worker's.
        let vote = if self.context.multi_pv > 1 { deepest } else { elect };
        elect(&mates).or_else(|| vote(results))
    }

    /// Returns the result to play and its lines, best first: with MultiPV this machine's, the only ones reported.
    fn elect(&self) -> Option<(RootResult, Vec<Line>)> {
        let mut all = self.results.clone();
        if self.context.multi_pv == 1 {
            // The workers of all machines vote as those of one do.
            all.extend(self.ballots.iter().flat_map(|ballot| &ballot.results).copied().map(Some));
        }
        let winner = self.vote(&all)?;
        let result = all[winner]?;
        let own = self.lines.get(winner).cloned();
        Some((result, own.unwrap_or_else(|| vec![self.other_line(result)])))
    }

    /// The line of another machine with the elected result. A machine sends one line only, perhaps with another move: then one
    /// of this machine, or the move alone.
    fn other_line(&self, elected: RootResult) -> Line {
        let RootResult { mv, score, depth } = elected;
        let of_elected = self.ballots.iter().filter(|ballot| ballot.results.contains(&elected));
        let mut lines = of_elected.map(|ballot| &ballot.line).chain(self.lines.iter().flatten());
        // A mate is shown as one.
        let line =
            lines.find(|line| line.pv.first() == Some(&mv) && matches!(line.score, Score::Mate(_)) == is_mate(score));
        let alone = RootLine { score, bound: Bound::Exact, seldepth: depth as usize, pv: vec![mv] };
        line.cloned().unwrap_or_else(|| self.line_at(1, depth, &alone))
    }

    fn unsearched_move(&self) -> Option<Move> {
        let root_moves = &self.context.root_moves;
        let tt_move = self.tt_move(&self.context.game).filter(|mv| root_moves.contains(mv));
        tt_move.or_else(|| root_moves.first().copied())
    }

    fn tt_move(&self, game: &Game) -> Option<Move> {
        let entry = self.context.table.probe(game.position().key())?;
        Move::from_bits(entry.mv).filter(|&mv| game.position().is_legal(mv))
    }

    /// The search prunes, so it can miss a mate.
    fn report_missing_mate(&self, elected: Option<RootResult>) {
        let Some(wanted) = self.limits.mate.filter(|_| !self.context.root_moves.is_empty()) else { return };
        if !elected.is_some_and(|result| result.is_mate_within(wanted)) {
            let depth = elected.map_or(0, |result| result.depth);
            self.sink.message(&format!("no mate in {wanted} or fewer moves found to depth {depth}"));
        }
    }

    fn report_current_move(&mut self) {
        self.next_current_move = Some(Instant::now() + CURRENT_MOVE_INTERVAL);
        let current = self.context.control.current_root_move();
        if let Some((depth, number, mv)) = current
            && current != self.current_move
            && self.is_deeper(depth)
        {
            self.current_move = current;
            self.sink.current_move(&CurrentMove { depth, mv, number });
        }
    }

    fn report_bound(&mut self, depth: u32, line: &RootLine, nodes: u64) {
        let is_early = self.started.elapsed() < BOUNDS_AFTER;
        if self.is_deeper(depth) && !is_early && !self.context.control.stopped() {
            self.report(&self.line_at(1, depth, line), nodes);
            // The line that is played has to be reported again.
            self.reported = self.reported.map(|(result, depth, _)| (result, depth, 0));
        }
    }

    fn report_finished_game(&self) {
        let is_mate = self.context.game.position().in_check();
        let score = if is_mate { Score::Mate(0) } else { Score::Centipawns(DRAW) };
        self.report(&Line { rank: 1, depth: 0, seldepth: 0, score, bound: Bound::Exact, pv: Vec::new() }, 0);
    }

    fn report_unsearched(&self, mv: Move) {
        let position = self.context.game.position();
        let mut child = position.clone();
        child.play(mv);
        let score = match (child.has_legal_move(), child.in_check()) {
            (false, true) => mate_in(1),
            (false, false) => DRAW,
            (true, _) if position.in_check() => DRAW,
            (true, _) => self.context.network.evaluate(position),
        };
        let line = RootLine { score, bound: Bound::Exact, seldepth: 1, pv: vec![mv] };
        self.report(&self.line_at(1, 1, &line), self.context.control.nodes());
    }

    fn report(&self, line: &Line, nodes: u64) {
        self.sink.info(&Info {
            line: line.clone(),
            nodes,
            elapsed: self.started.elapsed(),
            tb_hits: self.context.control.tb_hits(),
            hashfull: self.context.table.hashfull(),
        });
    }

    /// A tablebase score of the root replaces any score other than a mate.
    fn line_at(&self, rank: usize, depth: u32, line: &RootLine) -> Line {
        let ranking = self.context.syzygy.as_ref().and_then(|syzygy| syzygy.ranking.as_ref());
        let wdl = line.pv.first().and_then(|&mv| ranking?.wdl(mv));
        let (score, bound) = match wdl {
            Some(wdl) if !is_mate(line.score) => (root_score(wdl), Bound::Exact),
            _ => (line.score, line.bound),
        };
        Line { rank, depth, seldepth: line.seldepth.max(1) as u32, score: score.into(), bound, pv: line.pv.clone() }
    }

    fn report_best_move(&mut self, best: Option<Move>, ponder: Option<Move>) {
        // Before the report: a GUI that has read it relies on the end of the search.
        self.has_answered.store(true, Ordering::Release);
        let (nodes, elapsed) = (self.context.control.nodes(), self.started.elapsed());
        self.sink.best_move(&BestMove { best, ponder, nodes, elapsed });
    }
}

/// Ranks the root moves by the tablebases, and keeps the best rank alone if it has at least `multi_pv` moves. With DTZ
/// tables, the kept moves reach the result without a search, which then does not probe, so that it can find a mate.
fn rank_root(context: &mut SearchContext) {
    let SearchContext { game, root_moves, multi_pv, control, syzygy, .. } = context;
    let pieces = game.position().piece_count() as usize;
    let Some(syzygy) = syzygy.as_mut().filter(|syzygy| pieces <= syzygy.max_pieces) else { return };
    let Some(ranking) = syzygy.tables.rank_moves(game, root_moves, syzygy.fifty_move_rule) else { return };
    control.set_root_tb_hits(ranking.moves.len() as u64);
    let best = ranking.best();
    if *multi_pv <= best.len() {
        *root_moves = best;
    }
    if ranking.by_dtz {
        syzygy.max_pieces = 0;
    }
    syzygy.ranking = Some(Arc::new(ranking));
}

fn root_score(wdl: Wdl) -> i32 {
    match wdl {
        Wdl::Win => TB_WIN,
        Wdl::Loss => -TB_WIN,
        // A cursed win is slightly better than a draw.
        Wdl::CursedWin | Wdl::Draw | Wdl::BlessedLoss => DRAW + wdl.value(),
    }
}

#[cfg(test)]
mod tests {
    use parking_lot::Mutex;
    use sesame_table::Scheme;

    use super::super::depths::SmpStrategy;
    use super::super::numa::Affinity;
    use super::super::time::Clock;
    use super::*;
    use crate::position::{Position, Square};

    #[derive(Default)]
    struct Recorder {
        lines: Mutex<Vec<Line>>,
        current_moves: Mutex<Vec<CurrentMove>>,
    }

    impl Sink for Recorder {
        fn info(&self, info: &Info) {
            self.lines.lock().push(info.line.clone());
        }

        fn best_move(&self, _: &BestMove) {}

        fn current_move(&self, at: &CurrentMove) {
            self.current_moves.lock().push(at.clone());
        }

        fn message(&self, _: &str) {}
    }

    fn request(limits: Limits, started: Instant) -> (Search, Arc<Recorder>) {
        let (game, sink) = (Game::default(), Arc::new(Recorder::default()));
        let search = Search {
            root_moves: game.position().legal_moves().to_vec(),
            game,
            limits,
            multi_pv: 1,
            move_overhead: Duration::ZERO,
            lockstep: false,
            takes_its_time: false,
            network: Network::embedded(),
            table: Arc::new(TranspositionTable::with_mib(1, Scheme::default()).unwrap()),
            syzygy: None,
            pool: Arc::new(Pool::new(1, SmpStrategy::default(), &Affinity::default()).unwrap()),
            sink: Arc::clone(&sink) as _,
            link: None,
            started,
        };
        (search, sink)
    }

    fn owner(limits: Limits) -> (Owner, SearchHandle) {
        Owner::new(request(limits, Instant::now()).0)
    }

    /// Returns an iteration that begins with the move of this number.
    fn iteration(depth: u32, score: i32, number: usize) -> Iteration {
        let pv = vec![Position::startpos().legal_moves()[number]];
        let lines = vec![RootLine { score, bound: Bound::Exact, seldepth: 1, pv }];
        Iteration { depth, finished_depth: depth, lines, nodes: 1, best_move_share: 0.5 }
    }

    fn is_stopped(owner: &Owner) -> bool {
        owner.context.control.stopped()
    }

    /// A clock of 0: past its soft limit at once.
    fn empty_clock() -> Limits {
        Limits { clock: Some(Clock::default()), ..Limits::default() }
    }

    #[test]
    fn short_search_has_one_worker_unless_it_is_held() {
        let pool = Arc::new(Pool::new(3, SmpStrategy::default(), &Affinity::default()).unwrap());
        for (millis, infinite, ponder, workers) in
            [(19, false, false, 1), (19, true, false, 3), (19, false, true, 3), (1000, false, false, 3)]
        {
            let move_time = Some(Duration::from_millis(millis));
            let (search, _) = request(Limits { move_time, infinite, ponder, ..Limits::default() }, Instant::now());
            let (owner, _handle) = Owner::new(Search { pool: Arc::clone(&pool), ..search });
            assert_eq!(owner.results.len(), workers, "{millis} ms, infinite {infinite}, ponder {ponder}");
        }
    }

    /// The owner does not look at the clock.
    #[test]
    fn workers_get_the_clock_at_ponderhit() {
        let (move_time, nodes) = (Some(Duration::ZERO), Some(100_000));
        let (mut owner, _handle) = owner(Limits { ponder: true, move_time, nodes, ..Limits::default() });
        owner.ponder_hit();
        owner.start_workers();
        assert!(owner.events.iter().any(|event| matches!(event, Event::Ended(_))));
        assert!(owner.context.control.nodes() < 100_000);
    }

    #[test]
    fn only_the_first_ponderhit_of_a_pondering_search_counts() {
        for ponder in [true, false] {
            let (mut owner, _handle) =
                owner(Limits { ponder, move_time: Some(Duration::from_secs(3600)), ..Limits::default() });
            let before = owner.clock.deadline();
            owner.ponder_hit();
            let hit = owner.clock.deadline();
            assert!(hit.is_some() && (before == hit) != ponder);
            owner.ponder_hit();
            assert_eq!(owner.clock.deadline(), hit);
        }
    }

    #[test]
    fn ponderhit_past_the_soft_limit_ends_the_search() {
        for infinite in [false, true] {
            let (mut owner, _handle) = owner(Limits { ponder: true, infinite, ..empty_clock() });
            owner.record(0, iteration(1, 20, 0));
            assert!(!is_stopped(&owner));
            owner.ponder_hit();
            assert_eq!(is_stopped(&owner), !infinite);
        }
    }

    #[test]
    fn stop_releases_a_pondering_search_for_good() {
        for has_ponderhit in [false, true] {
            let (mut owner, handle) = owner(Limits { ponder: true, ..empty_clock() });
            owner.are_searching = true;
            handle.stop();
            if has_ponderhit {
                handle.ponder_hit();
            }
            let _ = owner.sender.send(Event::Ended(vec![None]));
            // Neither is needed.
            handle.stop();
            handle.ponder_hit();
            owner.watch();
            assert_eq!(owner.events.len(), 2, "ponderhit: {has_ponderhit}");
        }
    }

    #[test]
    fn deep_enough_mate_ends_a_search_by_the_clock_unless_it_is_held() {
        let clock = Limits {
            clock: Some(Clock { time: [Duration::from_secs(3600); 2], ..Clock::default() }),
            ..Limits::default()
        };
        for (limits, depth, ends) in [
            (clock.clone(), MATE_MARGIN + 4, true),
            (clock.clone(), MATE_MARGIN + 3, false),
            (Limits { ponder: true, ..clock.clone() }, MATE_MARGIN + 4, false),
            (Limits { infinite: true, ..clock }, MATE_MARGIN + 4, false),
            (Limits { depth: Some(99), ..Limits::default() }, MATE_MARGIN + 4, false),
        ] {
            for score in [mate_in(3), -mate_in(4)] {
                let (mut owner, _handle) = owner(limits.clone());
                owner.record(0, iteration(depth, score, 0));
                assert_eq!(is_stopped(&owner), ends, "{limits:?}, depth {depth}, score {score}");
            }
        }
    }

    #[test]
    fn stop_waits_for_the_first_ply_only() {
        let limits = || Limits { infinite: true, ..Limits::default() };
        let (mut early, _handle) = owner(limits());
        early.stop();
        assert!(!is_stopped(&early) && early.clock.deadline().is_some());
        early.record(0, iteration(1, 20, 0));
        assert!(is_stopped(&early));
        let (mut late, _handle) = owner(limits());
        late.record(0, iteration(1, 20, 0));
        assert!(!is_stopped(&late));
        late.stop();
        assert!(is_stopped(&late));
    }

    #[test]
    fn last_results_of_all_workers_vote() {
        let (search, _) = request(Limits::default(), Instant::now());
        let pool = Arc::new(Pool::new(3, SmpStrategy::default(), &Affinity::default()).unwrap());
        let (mut owner, _handle) = Owner::new(Search { pool, ..search });
        owner.are_searching = true;
        owner.limits.infinite = false;
        let last = [iteration(7, 20, 0), iteration(6, 20, 1), iteration(6, 20, 1)];
        let _ = owner.sender.send(Event::Iterated(0, last[0].clone()));
        let _ = owner.sender.send(Event::Ended(last.iter().cloned().map(Some).collect()));
        owner.watch();
        assert_eq!(owner.results, last.each_ref().map(RootResult::of));
        // Two against one.
        assert_eq!(owner.elect().unwrap().0, RootResult::of(&last[1]).unwrap());
    }

    /// Two lines are reported, those of the deepest worker: the best of them is played, whatever the others found.
    #[test]
    fn multi_pv_plays_a_line_that_it_reports() {
        for (multi_pv, elected) in [(1, 0), (2, 1)] {
            let (search, _) = request(Limits::default(), Instant::now());
            let pool = Arc::new(Pool::new(3, SmpStrategy::default(), &Affinity::default()).unwrap());
            let (mut owner, _handle) = Owner::new(Search { pool, multi_pv, ..search });
            let results = [iteration(8, 300, 0), iteration(9, 0, 1), iteration(5, 0, 2)];
            for (worker, result) in results.iter().enumerate() {
                owner.record(worker, result.clone());
            }
            assert_eq!(owner.elect().unwrap().0, RootResult::of(&results[elected]).unwrap(), "MultiPV {multi_pv}");
        }
    }

    #[test]
    fn current_moves_come_at_intervals() {
        let now = Instant::now();
        let (search, sink) =
            request(Limits { infinite: true, ..Limits::default() }, now.checked_sub(CURRENT_MOVE_AFTER).unwrap_or(now));
        let thread = SearchThread::new().unwrap();
        let handle = thread.start(search);
        while sink.current_moves.lock().len() < 3 {
            thread::sleep(Duration::from_millis(10));
        }
        handle.stop();
        handle.wait();
        let moves = sink.current_moves.lock().len() as u32;
        assert!((moves - 1) * CURRENT_MOVE_INTERVAL <= now.elapsed(), "{moves} moves in {:?}", now.elapsed());
    }

    #[test]
    fn current_root_move_is_reported_once() {
        let (search, sink) = request(Limits { depth: Some(3), ..Limits::default() }, Instant::now());
        let (mut owner, _handle) = Owner::new(search);
        let mv = Move::new(Square::E2, Square::E4, None);
        owner.context.control.begin_root_move(7, 3, mv);
        owner.report_current_move();
        owner.report_current_move();
        assert_eq!(*sink.current_moves.lock(), [CurrentMove { depth: 7, mv, number: 3 }]);
    }

    #[test]
    fn search_keeps_its_current_root_move() {
        let (search, _) = request(Limits { depth: Some(3), ..Limits::default() }, Instant::now());
        let (mut owner, _handle) = Owner::new(search);
        owner.search();
        let (depth, _, mv) = owner.context.control.current_root_move().unwrap();
        assert!(depth == 3 && owner.context.root_moves.contains(&mv));
    }

    /// Neither the deadline, nor the end of the time for which a move is held, nor a current root move to report wakes the owner.
    #[test]
    fn stopped_search_sleeps_until_an_event() {
        let now = Instant::now();
        let past = now.checked_sub(2 * CURRENT_MOVE_AFTER).unwrap_or(now);
        let move_time = Some(Duration::from_millis(50));
        for (infinite, are_searching) in [(false, true), (true, true), (true, false)] {
            let (search, sink) = request(Limits { infinite, move_time, ..Limits::default() }, past);
            let (mut owner, handle) = Owner::new(search);
            owner.context.control.begin_root_move(7, 3, Move::new(Square::E2, Square::E4, None));
            owner.context.control.stop();
            (owner.are_searching, owner.answers_at) = (are_searching, Some(past));
            let waiting = thread::spawn(move || owner.next_event());
            thread::sleep(Duration::from_millis(50));
            assert!(!waiting.is_finished(), "infinite: {infinite}, searching: {are_searching}");
            handle.stop();
            assert!(matches!(waiting.join().unwrap(), Some(Event::Stop)));
            assert_eq!(*sink.current_moves.lock(), []);
        }
    }

    #[test]
    fn bounds_are_reported_after_a_second() {
        let now = Instant::now();
        let began = now.checked_sub(BOUNDS_AFTER).unwrap_or(now);
        // The first search has yet to begin, so that a slow machine cannot be late.
        let later = now + 3600 * BOUNDS_AFTER;
        for (started, multi_pv, is_reported) in [(later, 1, false), (began, 1, true), (began, 2, false)] {
            let (mut search, sink) = request(Limits { depth: Some(9), ..Limits::default() }, started);
            search.multi_pv = multi_pv;
            let thread = SearchThread::new().unwrap();
            thread.start(search).wait();
            let has_bounds = sink.lines.lock().iter().any(|line| line.bound != Bound::Exact);
            assert_eq!(has_bounds, is_reported, "{multi_pv} lines");
        }
    }

    /// Each machine has one line, of its own winner.
    #[test]
    fn line_of_another_machine_is_of_the_elected_result() {
        let (search, sink) = request(Limits::default(), Instant::now());
        let (mut owner, _) = Owner::new(search);
        let [e4, e5, d4] = [(Square::E2, Square::E4), (Square::E7, Square::E5), (Square::D2, Square::D4)]
            .map(|(from, to)| Move::new(from, to, None));
        let line = |depth, score: i32, pv: &[Move]| Line {
            rank: 1,
            depth,
            seldepth: 1,
            score: score.into(),
            bound: Bound::Exact,
            pv: pv.to_vec(),
        };
        let result = |mv, score, depth| RootResult { mv, score, depth };
        let ballot = |results: &[RootResult], line| Ballot { line, results: results.to_vec() };
        let mate = mate_in(9);
        let rows = [
            (
                "the elected move is on a line of this machine",
                line(8, 20, &[e4, e5]),
                vec![ballot(&[result(e4, 20, 12), result(d4, 30, 10)], line(10, 30, &[d4, e5]))],
            ),
            (
                "a mate wins over a deeper line",
                line(10, mate, &[e4, e5]),
                vec![
                    ballot(&[result(e4, 40, 20)], line(20, 40, &[e4, d4])),
                    ballot(&[result(e4, mate, 10)], line(10, mate, &[e4, e5])),
                ],
            ),
            (
                "no line has the mate",
                line(10, mate, &[e4]),
                vec![ballot(&[result(e4, mate, 10), result(d4, 30, 10)], line(10, 30, &[d4, e5]))],
            ),
        ];
        for (name, reported, ballots) in rows {
            owner.results = vec![Some(result(e4, 20, 8))];
            owner.lines = vec![vec![line(8, 20, &[e4, e5])]];
            owner.ballots = ballots;
            owner.conclude();
            let last = sink.lines.lock().pop().unwrap();
            assert_eq!((last.score, last.pv), (reported.score, reported.pv), "{name}");
        }
    }
}
