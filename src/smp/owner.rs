//! One search from its start to its best move: the request, the thread that owns it, and the handle to it.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TryRecvError, bounded, unbounded};

use super::depths::DepthClaims;
use super::link::{Ballot, SearchLink};
use super::numa::request_short_slices;
use super::pool::{Event, Pool, Team};
use super::sink::{BestMove, CurrentMove, Info, Line, Score, Sink};
use super::time::{self, Budget, Limits, SearchClock};
use super::vote::{RootResult, deepest, elect};
use crate::eval::Network;
use crate::position::{Game, Move};
use crate::search::score::{DRAW, MAX_DEPTH, TB_WIN, is_mate, mate_in, moves_to_mate};
use crate::search::{Bound, Control, Iteration, RootLine, RoundRobin, SearchContext, SyzygyProbe, TranspositionTable};
use crate::syzygy::Wdl;

/// A search with a lower hard limit has one worker: with more threads than cores, most of the time would go to starting and
/// stopping the others.
const MIN_TIME_FOR_HELPERS: Duration = Duration::from_millis(20);

/// For the ballots of other machines, once the search has ended here.
const MAX_WAIT_FOR_MACHINES: Duration = Duration::from_millis(500);

/// Earlier bounds would flood the GUI.
const BOUNDS_AFTER: Duration = Duration::from_secs(1);

/// The current root move is reported only this long after the start...
const CURRENT_MOVE_AFTER: Duration = Duration::from_secs(3);
/// ...and no more often than this.
const CURRENT_MOVE_INTERVAL: Duration = Duration::from_millis(100);

/// Plies beyond the length of a mate after which no shorter mate is expected.
const MATE_MARGIN: u32 = 12;

pub struct Search {
    pub game: Game,
    pub limits: Limits,
    /// At least 1.
    pub multi_pv: usize,
    /// The time that a move costs outside the search.
    pub overhead: Duration,
    /// The workers take turns, so a search by depth or nodes is reproducible: see [`RoundRobin`].
    pub lockstep: bool,
    /// The best move is held for a [believable](Budget::believable) time, or until `stop`.
    pub takes_its_time: bool,
    pub network: Arc<Network>,
    pub table: Arc<TranspositionTable>,
    pub syzygy: Option<SyzygyProbe>,
    pub pool: Arc<Pool>,
    pub sink: Arc<dyn Sink>,
    pub link: Option<Arc<dyn SearchLink>>,
    /// Of network, keys and entries; for `link`.
    pub fingerprint: u64,
    /// The search's time counts from here.
    pub started: Instant,
}

impl Search {
    /// Those of `searchmoves`, or all legal moves if there are none.
    fn root_moves(&self) -> Vec<Move> {
        let legal = self.game.position().legal_moves();
        let wanted: Vec<Move> = legal.iter().copied().filter(|mv| self.limits.search_moves.contains(mv)).collect();
        if wanted.is_empty() { legal.to_vec() } else { wanted }
    }

    /// Ranks the root moves by the tablebases, and returns the number of hits. `root_moves` keeps only the best rank, if it has
    /// at least `multi_pv` moves. With DTZ tables, playing the kept moves reaches the result without a search; the search
    /// then does not probe, so that it can find a mate among them.
    fn rank_root(&mut self, root_moves: &mut Vec<Move>) -> u64 {
        let pieces = self.game.position().occupied().len() as usize;
        let Some(syzygy) = self.syzygy.as_mut().filter(|syzygy| pieces <= syzygy.max_pieces) else { return 0 };
        let Some(ranking) = syzygy.tables.rank_moves(&self.game, root_moves, syzygy.fifty_move_rule) else { return 0 };
        let hits = ranking.moves.len() as u64;
        let best = ranking.best();
        if self.multi_pv <= best.len() {
            *root_moves = best;
        }
        if ranking.by_dtz {
            syzygy.max_pieces = 0;
        }
        syzygy.ranking = Some(Arc::new(ranking));
        hits
    }

    fn budget(&self, has_single_reply: bool) -> Option<Budget> {
        let position = self.game.position();
        let number = u32::from(position.fullmove_number());
        let of_link = self.link.as_ref().map_or(Duration::ZERO, |link| link.overhead());
        // The time for a move has no overhead of its own.
        let move_time = self.limits.move_time.map(|time| time.saturating_sub(of_link).max(time.min(of_link)));
        let limits = Limits { move_time, ..self.limits.clone() };
        time::plan(&limits, position.side_to_move(), number, self.overhead + of_link, has_single_reply)
    }

    fn clock(&self, budget: Option<Budget>) -> SearchClock {
        let color = self.game.position().side_to_move();
        SearchClock::new(&self.limits, budget, color, self.overhead, self.started)
    }

    /// One worker of this machine searches alone.
    fn is_short(&self, budget: Option<Budget>) -> bool {
        let is_held = self.limits.infinite || self.limits.ponder;
        !is_held && budget.is_some_and(|budget| budget.hard < MIN_TIME_FOR_HELPERS)
    }

    fn control(&self, budget: Option<Budget>) -> Control {
        let limits = &self.limits;
        let (places, quantum) = match self.lockstep {
            true => (1, RoundRobin::QUANTUM),
            false => (self.pool.cores(), RoundRobin::CROWDED_QUANTUM),
        };
        // The workers check the hard limit too: the owner's timer can fire late.
        let end = budget.filter(|_| !limits.ponder).and_then(|budget| self.started.checked_add(budget.hard));
        Control::new(if self.is_short(budget) { 1 } else { self.pool.len() }, limits.nodes)
            .with_turns(places, quantum)
            .with_deadline(end)
    }
}

/// A thread that owns the searches of an engine, one at a time, and is parked between them. Dropping it ends the thread; end the running search
/// first.
pub struct SearchThread {
    inbox: Option<Sender<Box<dyn FnOnce() + Send>>>,
    thread: Option<JoinHandle<()>>,
}

impl SearchThread {
    pub fn new() -> std::io::Result<Self> {
        let (inbox, searches) = unbounded::<Box<dyn FnOnce() + Send>>();
        let thread = thread::Builder::new().name("search".into()).spawn(move || {
            request_short_slices();
            for search in searches {
                // The owner contains the panics of its search. Another one, as of a sink that is dropped, has been
                // reported by the panic hook, and the next search is not concerned.
                let _ = panic::catch_unwind(AssertUnwindSafe(search));
            }
        })?;
        Ok(Self { inbox: Some(inbox), thread: Some(thread) })
    }

    pub fn start(&self, search: Search) -> SearchHandle {
        let (sender, events) = unbounded();
        let (done, is_done) = bounded::<()>(0);
        let has_answered = Arc::new(AtomicBool::new(false));
        let handle = SearchHandle { events: sender.clone(), has_answered: Arc::clone(&has_answered), done: is_done };
        if let Some(inbox) = &self.inbox {
            // `done` is dropped at the end of the search, or with the message if the thread has ended.
            let _ = inbox.send(Box::new(move || {
                let _done = done;
                Owner::new(search, events, has_answered).run(sender);
            }));
        }
        handle
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
    /// Sends nothing: the sender is dropped when the search is over.
    done: Receiver<()>,
}

impl SearchHandle {
    pub fn stop(&self) {
        let _ = self.events.send(Event::Stop);
    }

    pub fn ponder_hit(&self) {
        let _ = self.events.send(Event::PonderHit);
    }

    /// The search has released the table by then.
    pub fn wait(&self) {
        let _ = self.done.recv();
    }

    /// True while the best move is being reported, and after.
    pub fn is_done(&self) -> bool {
        self.has_answered.load(Ordering::Acquire) || matches!(self.done.try_recv(), Err(TryRecvError::Disconnected))
    }
}

/// The owner of a running search. It alone decides when to stop and what is played.
struct Owner {
    search: Search,
    control: Arc<Control>,
    events: Receiver<Event>,
    /// Empty at checkmate and stalemate.
    root_moves: Vec<Move>,
    clock: SearchClock,
    /// The workers have been started, and [`Event::Ended`] has not come.
    are_searching: bool,
    /// The best move may be reported: neither `infinite` nor `ponder` holds it.
    is_released: bool,
    /// The best move is held until then.
    answers_at: Option<Instant>,
    has_answered: Arc<AtomicBool>,
    /// The owner or the sink has panicked: results are still taken, but not reported.
    has_panicked: bool,
    /// By worker: deepest result.
    results: Vec<Option<RootResult>>,
    lines: Vec<Vec<Line>>,
    /// Reported last.
    reported: Option<RootResult>,
    reported_nodes: u64,
    /// For `go mate`.
    mate_found_by: Option<usize>,
    /// Reported last: depth, number, move.
    current_move: Option<(u32, u32, Move)>,
    next_current_move: Option<Instant>,
    /// Other machines take part, and their search has not been ended.
    is_linked: bool,
    ballots: Vec<Ballot>,
}

impl Owner {
    /// [`prepare`](Self::prepare) completes the owner, where a panic is contained.
    fn new(search: Search, events: Receiver<Event>, has_answered: Arc<AtomicBool>) -> Self {
        let Limits { infinite, ponder, .. } = search.limits;
        Self {
            control: Arc::new(Control::new(0, None)),
            events,
            root_moves: Vec::new(),
            clock: search.clock(None),
            are_searching: false,
            is_released: !infinite && !ponder,
            answers_at: None,
            has_answered,
            has_panicked: false,
            results: Vec::new(),
            lines: Vec::new(),
            reported: None,
            reported_nodes: 0,
            mate_found_by: None,
            current_move: None,
            next_current_move: search.started.checked_add(CURRENT_MOVE_AFTER),
            is_linked: false,
            ballots: Vec::new(),
            search,
        }
    }

    /// Ranks the root moves by the tablebases, plans the time, and creates the controls.
    fn prepare(&mut self) {
        self.root_moves = self.search.root_moves();
        let tb_hits = self.search.rank_root(&mut self.root_moves);
        let budget = self.search.budget(self.root_moves.len() == 1);
        self.clock = self.search.clock(budget);
        let takes_its_time = self.search.takes_its_time && !self.root_moves.is_empty();
        self.answers_at =
            budget.filter(|_| takes_its_time).and_then(|budget| self.search.started.checked_add(budget.believable()));
        self.control = Arc::new(self.search.control(budget).with_root_tb_hits(tb_hits));
        self.search.link = self.search.link.take().filter(|_| !self.search.is_short(budget));
        self.results = vec![None; self.control.workers()];
        self.lines = vec![Vec::new(); self.control.workers()];
    }

    /// `sender` is for the workers. A panic of the owner or the sink ends the search: the workers stop, and the best move so
    /// far is reported.
    fn run(mut self, sender: Sender<Event>) {
        let searched = panic::catch_unwind(AssertUnwindSafe(|| {
            self.prepare();
            if self.root_moves.is_empty() {
                self.report_finished_game();
            } else {
                self.start_workers(sender);
            }
            self.watch();
            self.conclude();
        }));
        if searched.is_err() && !self.has_answered.load(Ordering::Relaxed) {
            self.has_panicked = true;
            self.control.stop();
            self.watch();
            self.end_link();
            let message = "bug: the search has panicked; the best move is the best one so far";
            self.search.sink.message(message);
            let best = deepest(&self.results).and_then(|winner| self.results[winner]).map(|result| result.mv);
            self.report_best_move(best.or_else(|| self.unsearched_move()), None);
        }
    }

    fn start_workers(&mut self, sender: Sender<Event>) {
        let search = &self.search;
        let link = search.link.as_ref();
        let begun = link.map(|link| link.begin(&self.control, &search.table, search.fingerprint));
        if let Some(Err(Some(message))) = &begun {
            search.sink.message(message);
        }
        let exchange = begun.and_then(Result::ok);
        self.is_linked = exchange.is_some();
        let machine = link.map_or(0, |link| link.machine());
        let depths = DepthClaims::new(self.control.workers(), self.max_depth(), search.pool.strategy(), machine);
        let context = SearchContext {
            game: search.game.clone(),
            root_moves: self.root_moves.clone(),
            multi_pv: search.multi_pv.max(1),
            table: Arc::clone(&search.table),
            control: Arc::clone(&self.control),
            syzygy: search.syzygy.clone(),
            network: Arc::clone(&search.network),
            exchange,
        };
        self.are_searching = true;
        search.pool.search(Team::new(context, depths, sender));
    }

    /// Returns when all workers have ended and the best move may be reported.
    fn watch(&mut self) {
        while self.are_searching || !self.is_released || self.answers_at.is_some_and(|at| Instant::now() < at) {
            match self.next_event() {
                Some(Event::Iterated(worker, iteration)) => self.record(worker, iteration),
                Some(Event::Bound(depth, line, nodes)) => self.report_bound(depth, &line, nodes),
                Some(Event::Panicked(worker)) => {
                    let text = format!("bug: thread {worker} panicked; the search ends, and the thread starts afresh");
                    self.search.sink.message(&text);
                }
                Some(Event::Ended(all)) => {
                    self.are_searching = false;
                    for (worker, last) in all.into_iter().enumerate() {
                        if let Some(iteration) = last {
                            self.record(worker, iteration);
                        }
                    }
                    self.control.stop();
                    self.end_link();
                }
                Some(Event::Stop) => {
                    (self.is_released, self.answers_at) = (true, None);
                    self.stop();
                }
                Some(Event::PonderHit) => self.ponder_hit(),
                None => self.stop(),
            }
        }
    }

    /// `None` at the deadline, or when the best move need not be held longer. Reports the current root move while waiting.
    fn next_event(&mut self) -> Option<Event> {
        loop {
            let is_stopped = self.control.stopped();
            let deadline = match is_stopped {
                false => self.clock.deadline(),
                true => self.answers_at.filter(|_| !self.are_searching && self.is_released),
            };
            self.next_current_move = self.next_current_move.filter(|_| !is_stopped && !self.has_panicked);
            let Some(until) = deadline.into_iter().chain(self.next_current_move).min() else {
                return Some(self.events.recv().unwrap_or(Event::Stop));
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
        if has_result || !self.clock.grant_first_ply() {
            self.control.stop();
        }
    }

    fn ponder_hit(&mut self) {
        if !self.clock.ponder_hit() {
            return;
        }
        if let Some(end) = self.clock.deadline() {
            self.control.end_at(end);
        }
        // A stop before is not taken back.
        self.is_released |= !self.search.limits.infinite;
        if self.is_released && self.clock.is_past_soft_limit() {
            self.stop();
        }
    }

    /// Reports the iteration if it is the deepest so far, and stops the search if it is the last.
    fn record(&mut self, worker: usize, iteration: Iteration) {
        if self.mate_found_by.is_some() {
            // The worker finished before it saw the stop flag.
            return;
        }
        let Some(result) = RootResult::of(&iteration) else { return };
        self.results[worker] = Some(result);
        if self.has_panicked {
            return;
        }
        let RootResult { mv, score, depth } = result;
        let mut lines: Vec<Line> =
            iteration.lines.iter().zip(1..).map(|(line, rank)| self.line_at(rank, depth, line)).collect();
        // A stopped iteration has only its best line: those of the iteration before follow.
        for line in std::mem::take(&mut self.lines[worker]) {
            let is_listed = lines.iter().any(|listed| listed.pv.first() == line.pv.first());
            if lines.len() < self.search.multi_pv && !is_listed {
                lines.push(Line { rank: lines.len() + 1, ..line });
            }
        }
        self.lines[worker] = lines;

        let is_deeper = self.is_deeper(depth);
        if is_deeper {
            self.lines[worker].iter().for_each(|line| self.report(line, iteration.nodes));
            (self.reported, self.reported_nodes) = (Some(result), iteration.nodes);
            self.clock.stability.update(mv, score, iteration.best_move_share);
        }
        if self.search.limits.mate.is_some_and(|wanted| is_mate_within(score, wanted)) {
            self.mate_found_by = Some(worker);
        }
        let is_last = depth >= self.max_depth() && self.results.len() > 1 || self.is_settled(score, depth);
        if is_last
            || self.clock.has_granted_first_ply()
            || self.mate_found_by.is_some()
            || is_deeper && self.clock.is_past_soft_limit()
        {
            self.stop();
        }
    }

    /// True if a search by the clock has searched [`MATE_MARGIN`] plies beyond a mate.
    fn is_settled(&self, score: i32, depth: u32) -> bool {
        self.clock.is_by_clock()
            && self.is_released
            && moves_to_mate(score).is_some_and(|moves| depth >= 2 * moves.unsigned_abs() + MATE_MARGIN)
    }

    fn is_deeper(&self, depth: u32) -> bool {
        self.reported.is_none_or(|reported| depth > reported.depth)
    }

    fn max_depth(&self) -> u32 {
        self.search.limits.depth.unwrap_or(MAX_DEPTH)
    }

    /// Takes the ballots of the other machines.
    fn end_link(&mut self) {
        let Some(link) = self.search.link.as_ref().filter(|_| std::mem::take(&mut self.is_linked)) else { return };
        // The ballots are not worth much of the clock.
        let worth = |left: Duration| (left / 16).max(link.overhead()).min(left);
        let limit = self.clock.left().map_or(MAX_WAIT_FOR_MACHINES, |left| MAX_WAIT_FOR_MACHINES.min(worth(left)));
        let line = self.winner().and_then(|winner| self.lines[winner].first().cloned());
        let results = self.results.iter().flatten().copied().collect();
        let (mut ballots, message) = link.end(line.map(|line| Ballot { line, results }), limit);
        if let Some(message) = &message {
            self.search.sink.message(message);
        }
        // A move that cannot be played here has no vote.
        ballots.iter_mut().for_each(|ballot| ballot.results.retain(|result| self.root_moves.contains(&result.mv)));
        self.ballots = ballots;
    }

    fn conclude(&mut self) {
        if self.root_moves.is_empty() {
            return self.report_best_move(None, None);
        }
        let (winner, other) = self.elect();
        let other_line = other.map(|result| self.other_line(result));
        self.report_missing_mate(winner, other);
        let nodes = self.control.nodes();
        let pv = match (other_line, winner) {
            (Some(line), _) => {
                self.report(&line, nodes);
                line.pv
            }
            (None, Some(winner)) => {
                let lines = &self.lines[winner];
                let is_last_reported = self.reported == self.results[winner] && self.reported_nodes == nodes;
                if !is_last_reported || self.search.multi_pv > 1 {
                    // The line that is played is the last.
                    lines.iter().rev().for_each(|line| self.report(line, nodes));
                }
                lines.first().map_or_else(Vec::new, |line| line.pv.clone())
            }
            (None, None) => {
                let best = self.unsearched_move();
                best.into_iter().for_each(|mv| self.report_unsearched(mv));
                return self.report_best_move(best, None);
            }
        };
        let best = pv.first().copied();
        let ponder = pv.get(1).copied().or_else(|| {
            let mut game = self.search.game.clone();
            game.play(best?);
            self.tt_move(&game)
        });
        self.report_best_move(best, ponder);
    }

    /// On this machine; `None` without a result.
    fn winner(&self) -> Option<usize> {
        // With MultiPV, the reported lines are the deepest worker's.
        let vote = if self.search.multi_pv > 1 { deepest } else { elect };
        self.mate_found_by.or_else(|| vote(&self.results))
    }

    /// Returns this machine's worker whose line is played, or else the result of another machine's. With MultiPV this
    /// machine's lines are played: only these have been reported.
    fn elect(&self) -> (Option<usize>, Option<RootResult>) {
        let winner = self.winner();
        if self.search.multi_pv > 1 || self.mate_found_by.is_some() {
            return (winner, None);
        }
        // The workers of all machines vote as those of one do.
        let others: Vec<RootResult> = self.ballots.iter().flat_map(|ballot| &ballot.results).copied().collect();
        let all: Vec<_> = self.results.iter().copied().chain(others.iter().copied().map(Some)).collect();
        match elect(&all) {
            Some(elected) if elected >= self.results.len() => (winner, all[elected]),
            elected => (elected, None),
        }
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

    /// Without a finished ply.
    fn unsearched_move(&self) -> Option<Move> {
        let tt_move = self.tt_move(&self.search.game).filter(|mv| self.root_moves.contains(mv));
        tt_move.or_else(|| self.root_moves.first().copied())
    }

    fn tt_move(&self, game: &Game) -> Option<Move> {
        let entry = self.search.table.probe(game.position().key())?;
        Move::from_bits(entry.mv).filter(|&mv| game.position().is_legal(mv))
    }

    /// For `go mate`. The search prunes, so it can miss a mate.
    fn report_missing_mate(&self, winner: Option<usize>, other: Option<RootResult>) {
        let Some(wanted) = self.search.limits.mate else { return };
        let result = other.or_else(|| self.results[winner?]);
        if !result.is_some_and(|result| is_mate_within(result.score, wanted)) {
            let depth = result.map_or(0, |result| result.depth);
            self.search.sink.message(&format!("no mate in {wanted} or fewer moves found to depth {depth}"));
        }
    }

    fn report_current_move(&mut self) {
        self.next_current_move = Some(Instant::now() + CURRENT_MOVE_INTERVAL);
        let current = self.control.current_root_move();
        if let Some((depth, number, mv)) = current
            && current != self.current_move
            && self.is_deeper(depth)
        {
            self.current_move = current;
            self.search.sink.current_move(&CurrentMove { depth, mv, number });
        }
    }

    /// Only after [`BOUNDS_AFTER`].
    fn report_bound(&mut self, depth: u32, line: &RootLine, nodes: u64) {
        let is_early = self.search.started.elapsed() < BOUNDS_AFTER;
        if self.is_deeper(depth) && !is_early && self.search.multi_pv == 1 && !self.control.stopped() {
            self.report(&self.line_at(1, depth, line), nodes);
            // The line that is played has to be reported again.
            self.reported_nodes = 0;
        }
    }

    fn report_finished_game(&self) {
        let score = if self.search.game.position().in_check() { Score::Mate(0) } else { Score::Centipawns(DRAW) };
        self.report(&Line { rank: 1, depth: 0, seldepth: 0, score, bound: Bound::Exact, pv: Vec::new() }, 0);
    }

    fn report_unsearched(&self, mv: Move) {
        let position = self.search.game.position();
        let mut child = position.clone();
        child.play(mv);
        let score = match (child.has_legal_move(), child.in_check()) {
            (false, true) => mate_in(1),
            (false, false) => DRAW,
            (true, _) if position.in_check() => DRAW,
            (true, _) => self.search.network.evaluate(position),
        };
        let line = RootLine { score, bound: Bound::Exact, seldepth: 1, pv: vec![mv] };
        self.report(&self.line_at(1, 1, &line), self.control.nodes());
    }

    fn report(&self, line: &Line, nodes: u64) {
        self.search.sink.info(&Info {
            line: line.clone(),
            nodes,
            elapsed: self.search.started.elapsed(),
            tb_hits: self.control.tb_hits(),
            hashfull: self.search.table.hashfull(),
        });
    }

    /// A tablebase score of the root replaces any score other than a mate.
    fn line_at(&self, rank: usize, depth: u32, line: &RootLine) -> Line {
        let ranking = self.search.syzygy.as_ref().and_then(|syzygy| syzygy.ranking.as_ref());
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
        let (nodes, elapsed) = (self.control.nodes(), self.search.started.elapsed());
        self.search.sink.best_move(&BestMove { best, ponder, nodes, elapsed });
    }
}

/// True for a mate in `wanted` moves or fewer, by either side.
fn is_mate_within(score: i32, wanted: u32) -> bool {
    moves_to_mate(score).is_some_and(|moves| moves.unsigned_abs() <= wanted)
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

    use super::*;
    use crate::position::Square;

    #[derive(Default)]
    struct Lines(Mutex<Vec<Line>>);

    impl Sink for Lines {
        fn info(&self, info: &Info) {
            self.0.lock().push(info.line.clone());
        }

        fn best_move(&self, _: &BestMove) {}

        fn message(&self, _: &str) {}
    }

    /// Returns the owner of a search that began then and has no time.
    fn owner(started: Instant) -> (Owner, Sender<Event>, Arc<Lines>) {
        let sink = Arc::new(Lines::default());
        let search = Search {
            game: Game::default(),
            limits: Limits { move_time: Some(Duration::ZERO), ..Limits::default() },
            multi_pv: 1,
            overhead: Duration::ZERO,
            lockstep: false,
            takes_its_time: false,
            network: Network::embedded(),
            table: Arc::new(TranspositionTable::with_mib(1, Scheme::default()).unwrap()),
            syzygy: None,
            pool: Arc::default(),
            sink: Arc::clone(&sink) as _,
            link: None,
            fingerprint: 0,
            started,
        };
        let (sender, events) = unbounded();
        let mut owner = Owner::new(search, events, Arc::default());
        owner.prepare();
        (owner, sender, sink)
    }

    #[test]
    fn a_stopped_search_waits_for_its_workers() {
        for is_stopped in [false, true] {
            let (mut owner, sender, _) = owner(Instant::now());
            if is_stopped {
                owner.control.stop();
            }
            owner.are_searching = true;
            owner.next_current_move = Some(Instant::now());
            let late = thread::spawn(move || {
                thread::sleep(Duration::from_millis(100));
                if is_stopped {
                    sender.send(Event::PonderHit).unwrap();
                }
                sender
            });
            assert_eq!(owner.next_event().is_some(), is_stopped, "otherwise the deadline is past");
            assert_eq!(owner.next_current_move.is_none(), is_stopped, "no more moves are reported");
            late.join().unwrap();
        }
    }

    #[test]
    fn current_moves_come_at_intervals() {
        let (mut owner, ..) = owner(Instant::now());
        let before = Instant::now();
        owner.report_current_move();
        assert!(owner.next_current_move.unwrap() >= before + CURRENT_MOVE_INTERVAL);
    }

    /// Each machine has one line, of its own winner.
    #[test]
    fn line_of_another_machine_is_of_the_elected_result() {
        let (mut owner, _, sink) = owner(Instant::now());
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
            let last = sink.0.lock().pop().unwrap();
            assert_eq!((last.score, last.pv), (reported.score, reported.pv), "{name}");
        }
    }

    #[test]
    fn bounds_are_reported_after_a_second() {
        let now = Instant::now();
        // The first search has yet to begin, so that a slow machine cannot be late.
        for (started, is_reported) in [(now + 3600 * BOUNDS_AFTER, false), (now - BOUNDS_AFTER, true)] {
            let (mut owner, _, sink) = owner(started);
            let pv = vec![owner.root_moves[0]];
            owner.report_bound(5, &RootLine { score: 30, bound: Bound::Lower, seldepth: 6, pv }, 100);
            let bounds: Vec<Bound> = sink.0.lock().iter().map(|line| line.bound).collect();
            assert_eq!(bounds == [Bound::Lower], is_reported, "{bounds:?}");
        }
    }
}
