//! The coordinator: one thread that runs a search from `go` to `bestmove`. It alone keeps the best line, reports, and decides
//! when to stop; the workers only look at a flag, and at the clock in case it wakes up late.

use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};

use super::board::DepthBoard;
use super::clock::{self, Budget, Confidence};
use super::endgames;
use super::limits::Limits;
use super::pool::{Event, Pool};
use super::report::{AtMove, BestMove, Bound, Info, Line, Score, Sink};
use super::vote::elect;
use crate::eval::Network;
use crate::position::{Game, Move};
use crate::smp::low_latency::wake_promptly;
use crate::search::score::{DRAW, MAX_DEPTH, is_mate, moves_to_mate};
use crate::search::{Control, SyzygyProbe, Iteration, SearchContext, RootLine, RoundRobin, Vote};
use crate::search::SearchTable;
use sesame_table::Table;

/// How long a search that is told to stop before it has anything may go on to finish its first ply.
const FIRST_PLY_GRACE: Duration = Duration::from_millis(20);
/// Bounds are reported only this long after the start: earlier they would flood the GUI.
const BOUNDS_AFTER: Duration = Duration::from_secs(1);

/// What the search is at is told only this long after the start...
const AT_MOVE_AFTER: Duration = Duration::from_secs(3);
/// ...and no more often than this.
const AT_MOVE_INTERVAL: Duration = Duration::from_millis(100);

/// A search whose hard limit is less than this is for one worker: waking and ending the others would take the longest part of it, above all where
/// there are more threads than cores.
const WORTH_HELP: Duration = Duration::from_millis(20);

/// A mate is settled when the search has gone this many plies beyond it.
const MATE_MARGIN: u32 = 12;

/// What a worker would play.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RootResult {
    pub(super) mv: Move,
    pub(super) score: i32,
    pub(super) depth: u32,
}

/// A search to be run.
pub struct Search<T = Table> {
    /// The root and its history.
    pub game: Game,
    /// What ends it.
    pub limits: Limits,
    /// Lines to report.
    pub multi_pv: usize,
    /// Time a move costs outside the search.
    pub overhead: Duration,
    /// Whether the workers take turns, so that a search by depth or nodes is repeatable: see [`RoundRobin`].
    pub lockstep: bool,
    /// The network that evaluates positions.
    pub network: Arc<Network>,
    /// The table.
    pub table: Arc<T>,
    /// The endgame tables, if there are any.
    pub endgames: Option<SyzygyProbe>,
    /// The workers.
    pub pool: Arc<Pool<T>>,
    /// Where it reports.
    pub sink: Arc<dyn Sink>,
    /// From when its time counts.
    pub started: Instant,
}

impl<T: SearchTable> Search<T> {
    /// The root moves to search: those asked for, or all when none of those is legal.
    fn root_moves(&self) -> Vec<Move> {
        let legal = self.game.position().legal_moves();
        let asked: Vec<Move> = legal.iter().copied().filter(|mv| self.limits.search_moves.contains(mv)).collect();
        if asked.is_empty() { legal.to_vec() } else { asked }
    }

    fn deepest(&self) -> u32 {
        self.limits.depth.unwrap_or(MAX_DEPTH)
    }

    /// What the clocks allow.
    fn budget(&self, root_moves: &[Move]) -> Option<Budget> {
        let position = self.game.position();
        let number = u32::from(position.fullmove_number());
        clock::plan(&self.limits, position.side_to_move(), number, self.overhead, root_moves.len() == 1)
    }

    /// How many workers the search is for.
    fn workers(&self, root_moves: &[Move]) -> usize {
        let is_held = self.limits.infinite || self.limits.ponder;
        let is_short = !is_held && self.budget(root_moves).is_some_and(|budget| budget.hard < WORTH_HELP);
        if is_short { 1 } else { self.pool.len() }
    }

    /// Sets the workers to `root_moves`.
    fn begin(&self, root_moves: Vec<Move>, running: &Running) {
        let job = SearchContext {
            game: self.game.clone(),
            root_moves,
            multi_pv: self.multi_pv.max(1),
            table: Arc::clone(&self.table),
            control: Arc::clone(&running.control),
            endgames: self.endgames.clone(),
            network: Arc::clone(&self.network),
        };
        let board = DepthBoard::new(running.control.workers(), self.deepest(), self.pool.strategy());
        self.pool.search(&job, &Arc::new(board), &running.events);
    }
}

/// What the coordinator's thread gets for one search; it drops `done` when the search is over.
struct Assignment<T> {
    search: Search<T>,
    root_moves: Vec<Move>,
    /// The workers are at it already.
    begun: bool,
    running: Running,
    events: Receiver<Event>,
    done: Sender<()>,
}

/// The coordinator's thread, parked between searches. Dropping it ends the thread; end the running search first.
pub struct Coordinator<T = Table> {
    assignments: Option<Sender<Assignment<T>>>,
    thread: Option<JoinHandle<()>>,
}

/// A handle on a running search. Every search has its own flag and channel, so a late `stop` cannot reach the next one.
#[derive(Clone)]
pub struct Running {
    control: Arc<Control>,
    events: Sender<Event>,
    done: Receiver<()>,
    started: Instant,
}

impl Running {
    /// Asks the search to end; it reports its best move soon.
    pub fn stop(&self) {
        let _ = self.events.send(Event::Stop);
    }

    /// The pondered move was played: from now on the clock counts.
    pub fn ponder_hit(&self) {
        let _ = self.events.send(Event::PonderHit);
    }

    /// Waits until the best move has been reported.
    pub fn wait(&self) {
        // Nothing is ever sent: the other end is dropped when the search is over.
        let _ = self.done.recv();
    }

    /// Whether the best move has been reported.
    pub fn is_done(&self) -> bool {
        !matches!(self.done.try_recv(), Err(crossbeam::channel::TryRecvError::Empty))
    }
}

impl<T: SearchTable> Coordinator<T> {
    /// Starts the thread.
    ///
    /// # Errors
    /// When the system refuses it.
    pub fn new() -> std::io::Result<Self> {
        let (assignments, inbox) = unbounded::<Assignment<T>>();
        let thread = thread::Builder::new().name("coordinator".into()).spawn(move || {
            wake_promptly();
            for Assignment { mut search, mut root_moves, begun, running, events, done } in inbox {
                if !begun {
                    running.control.add_tb_hits(endgames::rank_root(&mut search, &mut root_moves));
                    search.begin(root_moves.clone(), &running);
                }
                Conduct::new(search, root_moves, running).run(&events);
                drop(done);
            }
        })?;
        Ok(Self { assignments: Some(assignments), thread: Some(thread) })
    }

    /// Starts a search.
    pub fn start(&self, search: Search<T>) -> Running {
        let pool = &search.pool;
        let root_moves = search.root_moves();
        let control = Control::new(search.workers(&root_moves), search.limits.nodes).with_strategy(*pool.strategy());
        let control = if search.limits.by_time() { control.with_deadline(search.started) } else { control };
        let control = Arc::new(if search.lockstep {
            control.in_lockstep(RoundRobin::QUANTUM)
        } else {
            control.on_cores(pool.cores())
        });
        // Also this first: until the coordinator's thread has woken the workers look at the clock alone.
        if let Some(budget) = search.budget(&root_moves).filter(|_| !search.limits.ponder)
            && let Some(end) = search.started.checked_add(budget.hard)
        {
            control.end_at(end);
        }
        let (sender, events) = unbounded();
        let (done_sender, done) = bounded(0);
        let running = Running { control, events: sender, done, started: search.started };
        // From here, and first: the workers need not wait until the coordinator's thread has woken. But endgame tables are asked about the
        // root there: they may be on a slow disk, and whoever calls has other things to answer meanwhile.
        let begun = root_moves.is_empty() || !endgames::may_know_root(&search);
        if begun && !root_moves.is_empty() {
            search.begin(root_moves.clone(), &running);
        }
        let assignment = Assignment { search, root_moves, begun, running: running.clone(), events, done: done_sender };
        let is_conducted = self.assignments.as_ref().is_some_and(|assignments| assignments.send(assignment).is_ok());
        if !is_conducted {
            // The thread is gone: `done` was dropped with the message, so nobody waits, and nobody else would stop the workers.
            running.control.stop();
        }
        running
    }
}

impl<T> Drop for Coordinator<T> {
    fn drop(&mut self) {
        self.assignments = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Whether `score` is a mate that the side to move gives in so many moves or fewer.
fn is_mate_within(score: i32, wanted: u32) -> bool {
    moves_to_mate(score).is_some_and(|moves| moves > 0 && moves.unsigned_abs() <= wanted)
}

/// The state of one search, as its coordinator sees it.
struct Conduct<T> {
    search: Search<T>,
    /// Empty at a mate or stalemate.
    root_moves: Vec<Move>,
    running: Running,
    budget: Option<Budget>,
    /// From when the hard limit counts; `None` while pondering.
    clock_from: Option<Instant>,
    /// When to stop although the first ply is not finished.
    grace_until: Option<Instant>,
    /// `stop` or `ponderhit` has come, so the best move may go out.
    released: bool,
    fallback: Option<Move>,
    standings: Vec<Option<RootResult>>,
    lines: Vec<Option<Vec<Line>>>,
    /// The depth, score and first move last printed as the best line.
    printed: Option<RootResult>,
    confidence: Confidence,
    /// Who has found the mate that was asked for.
    mate_found: Option<usize>,
    /// What was told last of the root move being searched, and when to look again; `None` when the workers have been stopped.
    at_move: Option<(u32, u32, Move)>,
    next_look: Option<Instant>,
}

impl<T: SearchTable> Conduct<T> {
    fn new(search: Search<T>, root_moves: Vec<Move>, running: Running) -> Self {
        let workers = running.control.workers();
        let limits = &search.limits;
        let held = limits.infinite || limits.ponder;
        let clock_from = (!limits.ponder).then_some(running.started);
        Self {
            budget: None,
            clock_from,
            grace_until: None,
            released: !held,
            fallback: None,
            standings: vec![None; workers],
            lines: vec![None; workers],
            printed: None,
            confidence: Confidence::default(),
            mate_found: None,
            at_move: None,
            next_look: running.started.checked_add(AT_MOVE_AFTER),
            search,
            root_moves,
            running,
        }
    }

    fn run(mut self, events: &Receiver<Event>) {
        if self.root_moves.is_empty() {
            self.wait_for_release(events);
            self.report_end(None, None);
            return;
        }
        self.budget = self.search.budget(&self.root_moves);
        let deepest = self.search.deepest();
        loop {
            match self.next_event(events) {
                Some(Event::Started(first)) => self.fallback = self.fallback.or(first),
                Some(Event::Iterated(worker, iteration)) => self.hear(worker, iteration, deepest),
                Some(Event::Bound(depth, line, nodes)) => self.report_bound(depth, &line, nodes),
                Some(Event::Ended(all)) => {
                    for (worker, last) in all.into_iter().enumerate() {
                        if let Some(iteration) = last {
                            self.hear(worker, iteration, deepest);
                        }
                    }
                    break;
                }
                Some(Event::Stop) => {
                    self.released = true;
                    self.stop();
                }
                Some(Event::PonderHit) => self.ponder_hit(),
                None => self.stop(),
            }
        }
        self.wait_for_release(events);
        self.conclude();
    }

    /// The next event; `None` when the time is up. While waiting, tells what the search is at.
    fn next_event(&mut self, events: &Receiver<Event>) -> Option<Event> {
        loop {
            let deadline = self.deadline();
            let Some(until) = deadline.into_iter().chain(self.next_look).min() else { return events.recv().ok() };
            match events.recv_deadline(until) {
                Ok(event) => return Some(event),
                Err(RecvTimeoutError::Timeout) if deadline.is_none_or(|deadline| until < deadline) => {
                    self.tell_at_move()
                }
                Err(_) => return None,
            }
        }
    }

    /// When the time is up.
    fn deadline(&self) -> Option<Instant> {
        let hard = match (self.budget, self.clock_from) {
            (Some(budget), Some(from)) if !self.running.control.stopped() => from.checked_add(budget.hard),
            _ => None,
        };
        // Once the first-ply grace runs, only it counts: the hard limit has passed or no longer matters.
        self.grace_until.filter(|_| !self.running.control.stopped()).or(hard)
    }

    /// Tells which root move is being searched, if that is news, and says when to look again.
    fn tell_at_move(&mut self) {
        self.next_look = (!self.running.control.stopped()).then(|| Instant::now() + AT_MOVE_INTERVAL);
        let at = self.running.control.at_root();
        let is_news = at != self.at_move && at.is_some_and(|(depth, ..)| self.printed.is_none_or(|p| depth > p.depth));
        if let Some((depth, number, mv)) = at.filter(|_| is_news && self.next_look.is_some()) {
            self.at_move = at;
            self.search.sink.at_move(&AtMove { depth, mv, number });
        }
    }

    /// Stops the workers, but lets the first ply be finished: a move that was looked at is better than one that was not.
    fn stop(&mut self) {
        let now = Instant::now();
        let patient = match self.grace_until {
            None => self.standings.iter().all(Option::is_none),
            Some(until) => now < until && self.standings.iter().all(Option::is_none),
        };
        if patient {
            self.grace_until.get_or_insert(now + self.grace());
        } else {
            self.running.control.stop();
        }
    }

    /// How long the first ply may still take: never beyond what the clock has.
    fn grace(&self) -> Duration {
        let limits = &self.search.limits;
        let color = self.search.game.position().side_to_move();
        let clock = limits.clock.map(|clock| clock.time(color).saturating_sub(self.search.overhead));
        let Some(left) = [clock, limits.move_time].into_iter().flatten().min() else { return FIRST_PLY_GRACE };
        let used = self.clock_from.map_or(Duration::ZERO, |from| from.elapsed());
        FIRST_PLY_GRACE.min(left.saturating_sub(used))
    }

    /// Only a search that ponders hears it: a stray one must not give a clocked search its time again.
    fn ponder_hit(&mut self) {
        if self.clock_from.is_some() {
            return;
        }
        self.clock_from = Some(Instant::now());
        if let Some(end) = self.deadline() {
            self.running.control.end_at(end);
        }
        self.released = !self.search.limits.infinite;
        if self.released && self.soft_limit_reached() {
            self.stop();
        }
    }

    /// In `infinite` and `ponder` the best move is held until `stop` or `ponderhit`, however early the search is over.
    fn wait_for_release(&mut self, events: &Receiver<Event>) {
        while !self.released {
            match events.recv() {
                Ok(Event::Stop) | Err(_) => self.released = true,
                Ok(Event::PonderHit) => self.ponder_hit(),
                Ok(_) => {}
            }
        }
    }

    fn hear(&mut self, worker: usize, iteration: Iteration, deepest: u32) {
        if self.mate_found.is_some() {
            // What came before the workers heard of it.
            return;
        }
        let Some(best) = iteration.lines.first() else { return };
        let Some(&mv) = best.pv.first() else { return };
        let (score, depth) = (best.score, iteration.depth);
        self.standings[worker] = Some(RootResult { mv, score, depth });
        let lines: Vec<Line> =
            iteration.lines.iter().zip(1..).map(|(line, rank)| self.line_at(rank, depth, line)).collect();
        self.lines[worker] = Some(lines);

        let news = self.printed.is_none_or(|printed| depth > printed.depth);
        if news {
            self.print(worker, iteration.nodes);
            self.confidence.hear(mv, score, iteration.best_move_share);
        }
        let limits = &self.search.limits;
        self.mate_found = limits.mate.filter(|&wanted| is_mate_within(score, wanted)).map(|_| worker);
        let decided = depth >= deepest && self.standings.len() > 1 || self.mate_is_settled(score, depth);
        if self.grace_until.is_some() || decided || self.mate_found.is_some() || (news && self.soft_limit_reached()) {
            self.stop();
        }
    }

    /// Whether a clocked game need not be thought about any longer: a mate was found, and the search has gone far enough beyond
    /// it that no shorter one can turn up.
    fn mate_is_settled(&self, score: i32, depth: u32) -> bool {
        self.budget.is_some_and(|budget| budget.soft.is_some())
            && self.released
            && moves_to_mate(score).is_some_and(|moves| depth >= 2 * moves.unsigned_abs() + MATE_MARGIN)
    }

    /// Whether starting another iteration would be too late. Never while pondering; time spent pondering counts.
    fn soft_limit_reached(&self) -> bool {
        let Some(soft) = self.budget.and_then(|budget| budget.soft) else { return false };
        let limit = self.confidence.limit(soft).filter(|_| self.clock_from.is_some());
        limit.is_some_and(|limit| self.running.started.elapsed() >= limit)
    }

    fn print(&mut self, worker: usize, nodes: u64) {
        let Some(lines) = &self.lines[worker] else { return };
        for line in lines {
            self.search.sink.info(&self.info(line.clone(), nodes));
        }
        self.printed = self.standings[worker];
    }

    fn report_bound(&self, depth: u32, line: &RootLine, nodes: u64) {
        let deeper = self.printed.is_none_or(|printed| depth > printed.depth);
        let early = self.running.started.elapsed() < BOUNDS_AFTER;
        if deeper && !early && self.search.multi_pv == 1 && !self.running.control.stopped() {
            self.search.sink.info(&self.info(self.line_at(1, depth, line), nodes));
        }
    }

    fn conclude(&mut self) {
        // Of several lines the deepest were told last, all of one worker.
        let vote = if self.search.multi_pv > 1 { Vote::Deepest } else { self.search.pool.strategy().vote };
        let winner = self.mate_found.or_else(|| elect(&self.standings, vote));
        self.tell_missing_mate(winner);
        let Some(winner) = winner else {
            let best = self.fallback.or_else(|| self.root_moves.first().copied());
            self.report_unsearched(best);
            self.report_end(best, None);
            return;
        };
        // The last line that the GUI sees is the one that is played.
        if self.printed != self.standings[winner] {
            self.print(winner, self.running.control.nodes());
        }
        let pv = self.lines[winner].as_ref().and_then(|lines| lines.first()).map(|line| line.pv.clone());
        let pv = pv.unwrap_or_default();
        let best = pv.first().copied();
        let ponder = pv.get(1).copied().or_else(|| self.expected_reply(best?));
        self.report_end(best, ponder);
    }

    /// Who asked for a mate hears that there is none to show. It may exist all the same: the search leaves moves out.
    fn tell_missing_mate(&self, winner: Option<usize>) {
        let Some(wanted) = self.search.limits.mate else { return };
        let standing = winner.and_then(|winner| self.standings[winner]);
        if !standing.is_some_and(|standing| is_mate_within(standing.score, wanted)) {
            let depth = standing.map_or(0, |standing| standing.depth);
            self.search.sink.message(&format!("no mate in {wanted} or fewer moves found in {depth} plies of search"));
        }
    }

    /// Not even one ply could be searched: the line that is played has the static evaluation for a score.
    fn report_unsearched(&self, best: Option<Move>) {
        let position = self.search.game.position();
        let score = if position.in_check() { DRAW } else { self.search.evaluator.evaluate(position) };
        if let Some(mv) = best {
            let line = RootLine { score, bound: Bound::Exact, seldepth: 1, pv: vec![mv] };
            self.search.sink.info(&self.info(self.line_at(1, 1, &line), self.running.control.nodes()));
        }
    }

    fn info(&self, line: Line, nodes: u64) -> Info {
        let elapsed = self.running.started.elapsed();
        let tb_hits = self.running.control.tb_hits();
        Info { line, nodes, elapsed, tb_hits, hashfull: self.search.table.hashfull() }
    }

    /// The line as it is told: where the endgame tables know the root they have the last word, but for a mate.
    fn line_at(&self, rank: usize, depth: u32, line: &RootLine) -> Line {
        let known = line.pv.first().and_then(|&mv| self.search.endgames.as_ref()?.ranking.as_ref()?.wdl(mv));
        let (score, bound) = match known {
            Some(wdl) if !is_mate(line.score) => (endgames::root_score(wdl), Bound::Exact),
            _ => (line.score, line.bound),
        };
        let score = moves_to_mate(score).map_or_else(|| Score::Centipawns(endgames::centipawns(score)), Score::Mate);
        Line { rank, depth, seldepth: line.seldepth.max(1) as u32, score, bound, pv: line.pv.clone() }
    }

    /// The table's move after `best`, where the line itself ends too early to name the reply.
    fn expected_reply(&self, best: Move) -> Option<Move> {
        let mut game = self.search.game.clone();
        game.play(best);
        let (entry, _) = self.search.table.look_up(game.position().key())?;
        Move::from_bits(entry.mv).filter(|&mv| game.position().is_legal(mv))
    }

    fn report_end(&self, best: Option<Move>, ponder: Option<Move>) {
        let (nodes, elapsed) = (self.running.control.nodes(), self.running.started.elapsed());
        self.search.sink.best_move(&BestMove { best, ponder, nodes, elapsed });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;
    use crate::search::SmpStrategy;
    use crate::smp::NullSink;
    use crate::smp::limits::Clock;
    use sesame_table::Scheme;

    fn search(limits: Limits) -> Search {
        Search {
            game: Game::new(Position::startpos()),
            limits,
            multi_pv: 1,
            overhead: Duration::from_millis(10),
            lockstep: false,
            network: Network::embedded(),
            table: Arc::new(Table::new(1, Scheme::default()).unwrap()),
            endgames: None,
            pool: Arc::new(Pool::new(2, SmpStrategy::default(), false).unwrap()),
            sink: Arc::new(NullSink),
            started: Instant::now(),
        }
    }

    #[test]
    fn a_late_move_has_more_of_the_clock() {
        let clock = Clock { time: [Duration::from_secs(60); 2], ..Clock::default() };
        let soft = |fen: &str| {
            let limits = Limits { clock: Some(clock), ..Limits::default() };
            let search = Search { game: Game::new(Position::from_fen(fen).unwrap()), ..search(limits) };
            search.budget(&search.root_moves()).unwrap().soft
        };
        assert!(soft("4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 25") > soft("4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1"));
    }

    #[test]
    fn the_workers_know_how_many_they_are_and_when_the_time_is_up_before_they_begin() {
        let coordinator = Coordinator::new().unwrap();
        let millis = |millis| Limits { move_time: Some(Duration::from_millis(millis)), ..Limits::default() };
        for (limits, workers, is_timed) in [
            (millis(5), 1, true),
            (millis(25), 1, true),
            (millis(200), 2, true),
            (Limits { ponder: true, ..millis(5) }, 2, false),
            (Limits { infinite: true, ..millis(5) }, 2, true),
            (Limits { depth: Some(1), ..Limits::default() }, 2, false),
        ] {
            let running = coordinator.start(search(limits.clone()));
            assert_eq!((running.control.workers(), running.control.is_timed()), (workers, is_timed), "{limits:?}");
            if limits.ponder {
                running.ponder_hit();
            }
            running.stop();
            running.wait();
            assert_eq!(running.control.is_timed(), limits.by_time(), "{limits:?}");
        }
    }
}
