//! Supervisor of one search: the best line, the reports, and the decision to stop.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};

use super::clock::{BestMoveStability, Budget};
use super::depth_board::DepthBoard;
use super::link::SearchLink;
use super::pool::{Event, Part};
use super::request::SearchRequest;
use super::sink::{BestMove, CurrentMove, Info, Line, Score};
use super::tb_root;
use super::vote::{RootResult, deepest, elect};
use crate::position::Move;
use crate::search::score::{DRAW, is_mate, mate_in, moves_to_mate};
use crate::search::{Bound, Control, Iteration, RootLine, SearchContext, SearchTable};

/// Extra time to finish the first ply, for a search that is stopped without a result.
const FIRST_PLY_GRACE: Duration = Duration::from_millis(20);

/// The longest wait for the lines of other machines, once the search has ended here.
const MAX_PATIENCE: Duration = Duration::from_millis(500);

/// Bounds are reported only this long after the start; earlier they would flood the GUI.
const BOUNDS_AFTER: Duration = Duration::from_secs(1);

/// The current root move is reported only this long after the start...
const CURRENT_MOVE_AFTER: Duration = Duration::from_secs(3);
/// ...and no more often than this.
const CURRENT_MOVE_INTERVAL: Duration = Duration::from_millis(100);

/// Plies beyond the length of a mate after which no shorter mate is expected.
const MATE_MARGIN: u32 = 12;

/// Returns true if `score` is a mate by the side to move in `wanted` moves or fewer.
fn is_mate_within(score: i32, wanted: u32) -> bool {
    moves_to_mate(score).is_some_and(|moves| moves > 0 && moves.unsigned_abs() <= wanted)
}

/// The state of one running search.
pub(super) struct Supervisor<T> {
    request: SearchRequest<T>,
    control: Arc<Control>,
    /// Empty at checkmate and stalemate.
    root_moves: Vec<Move>,
    budget: Option<Budget>,
    /// The moment from which the hard limit counts; `None` while pondering.
    clock_from: Option<Instant>,
    /// The end of the extra time for the first ply, if it is running.
    grace_until: Option<Instant>,
    /// The best move may be reported: the search is not held by `infinite` or `ponder`.
    released: bool,
    /// The move to play if no worker has a result.
    fallback: Option<Move>,
    /// Each worker's deepest result.
    results: Vec<Option<RootResult>>,
    /// Each worker's lines of that result.
    lines: Vec<Option<Vec<Line>>>,
    /// The result reported last.
    reported: Option<RootResult>,
    /// The nodes reported last.
    reported_nodes: u64,
    stability: BestMoveStability,
    /// The worker that found the mate of `go mate`.
    mate_found_by: Option<usize>,
    /// The root move reported last: depth, number, move.
    current_move: Option<(u32, u32, Move)>,
    /// The time to report the current root move next; `None` after the workers are stopped.
    next_current_move: Option<Instant>,
    /// The search runs on other machines too: [`SearchLink::end`](super::SearchLink::end) is due.
    is_linked: bool,
    /// The best lines of other machines.
    elsewhere: Vec<Line>,
    /// The workers have been started, and [`Event::Ended`] has not come.
    are_searching: bool,
    /// The best move has been reported.
    has_answered: bool,
}

impl<T: SearchTable> Supervisor<T> {
    /// Ranks the root moves by the tablebases, and plans the time.
    pub(super) fn new(mut request: SearchRequest<T>) -> Self {
        let mut root_moves = request.root_moves();
        let tb_hits = tb_root::rank_root(&mut request, &mut root_moves);
        let budget = request.budget(&root_moves);
        let control = Arc::new(request.control(budget));
        control.add_tb_hits(tb_hits);
        let limits = &request.limits;
        Self {
            clock_from: (!limits.ponder).then_some(request.started),
            grace_until: None,
            released: !limits.infinite && !limits.ponder,
            fallback: None,
            results: vec![None; control.workers()],
            lines: vec![None; control.workers()],
            reported: None,
            reported_nodes: 0,
            stability: BestMoveStability::default(),
            mate_found_by: None,
            current_move: None,
            next_current_move: request.started.checked_add(CURRENT_MOVE_AFTER),
            is_linked: false,
            elsewhere: Vec::new(),
            are_searching: false,
            has_answered: false,
            budget,
            root_moves,
            control,
            request,
        }
    }

    /// Runs the search to its best move. `sender` is for the workers, `events` receives from them and from the handle.
    ///
    /// A panic of the supervisor or of the sink ends the search: the workers stop, and the best move so far is reported.
    pub(super) fn run(mut self, sender: Sender<Event>, events: &Receiver<Event>) {
        let result = panic::catch_unwind(AssertUnwindSafe(|| self.supervise(sender, events)));
        let result = result.or_else(|_| panic::catch_unwind(AssertUnwindSafe(|| self.recover(events))));
        if result.is_err() && !self.has_answered {
            let best = self.root_moves.first().copied();
            let _ = panic::catch_unwind(AssertUnwindSafe(|| self.report_best_move(best, None)));
        }
    }

    fn supervise(&mut self, sender: Sender<Event>, events: &Receiver<Event>) {
        if self.root_moves.is_empty() {
            self.report_finished_game();
            self.wait_for_release(events);
            self.report_best_move(None, None);
            return;
        }
        self.start_workers(sender);
        self.watch(events);
        self.end_link();
        self.wait_for_release(events);
        self.conclude();
    }

    /// Handles the events of the search until the last worker has ended.
    fn watch(&mut self, events: &Receiver<Event>) {
        let max_depth = self.request.max_depth();
        loop {
            match self.next_event(events) {
                Some(Event::Started(first)) => self.fallback = self.fallback.or(first),
                Some(Event::Iterated(worker, iteration)) => self.record(worker, iteration, max_depth),
                Some(Event::Bound(depth, line, nodes)) => self.report_bound(depth, &line, nodes),
                Some(Event::Ended(all)) => {
                    self.are_searching = false;
                    for (worker, last) in all.into_iter().enumerate() {
                        if let Some(iteration) = last {
                            self.record(worker, iteration, max_depth);
                        }
                    }
                    break;
                }
                Some(Event::Panicked(worker)) => {
                    self.control.stop();
                    let text = format!("bug: thread {worker} panicked; the search ends, and the thread starts afresh");
                    self.request.sink.message(&text);
                }
                Some(Event::Stop) => {
                    self.released = true;
                    self.stop();
                }
                Some(Event::PonderHit) => self.ponder_hit(),
                None => self.stop(),
            }
        }
    }

    /// Starts the workers, which send their events to `sender`.
    fn start_workers(&mut self, sender: Sender<Event>) {
        let request = &self.request;
        let mut context = request.context(self.root_moves.clone(), &self.control);
        let link = request.link.as_ref().filter(|_| self.control.has_machines());
        if let Some(link) = link {
            context.exchange = link.begin(&self.control, Arc::clone(&request.table) as Arc<dyn SearchTable>);
            self.is_linked = context.exchange.is_some();
        }
        let workers = self.control.workers();
        let part = |machine: usize, workers: usize, context: SearchContext<T>| Part {
            board: Arc::new(DepthBoard::new(workers, request.max_depth(), request.pool.strategy()).of_machine(machine)),
            context,
        };
        let parts = match &request.machines {
            None => vec![part(link.map_or(0, |link| link.machine()), workers, context)],
            Some(machines) => {
                let each = workers.div_ceil(machines.tables().len());
                context.exchange = Some(machines.exchange(each));
                let tables = machines.tables().iter().map(Arc::clone).enumerate();
                let context = |table| SearchContext { table, ..context.clone() };
                tables.map(|(machine, table)| part(machine, each, context(table))).collect()
            }
        };
        self.are_searching = true;
        request.pool.search(&parts, workers, &sender);
    }

    /// Ends the search on other machines, and takes their lines.
    fn end_link(&mut self) {
        let Some(link) = self.request.link.as_ref().filter(|_| std::mem::take(&mut self.is_linked)) else { return };
        let line = self.winner().and_then(|winner| self.lines[winner].as_ref()?.first().cloned());
        let ending = link.end(line, self.patience(&**link));
        if let Some(message) = &ending.message {
            self.request.sink.message(message);
        }
        // A line that cannot be played here is worth nothing.
        let is_playable = |line: &Line| line.pv.first().is_some_and(|mv| self.root_moves.contains(mv));
        self.elsewhere = ending.lines.into_iter().filter(is_playable).collect();
    }

    /// Ends the search after a panic on this thread: stops the workers, waits for their end and for the release, and reports
    /// the best move unless that is what has panicked.
    fn recover(&mut self, events: &Receiver<Event>) {
        self.control.stop();
        while self.are_searching || !self.released {
            match events.recv() {
                Ok(Event::Ended(all)) => {
                    self.are_searching = false;
                    for (result, last) in self.results.iter_mut().zip(all) {
                        *result = last.and_then(|iteration| RootResult::of(&iteration)).or(*result);
                    }
                }
                Ok(Event::Stop) | Err(_) => self.released = true,
                Ok(Event::PonderHit) => self.released |= !self.request.limits.infinite,
                Ok(_) => {}
            }
        }
        if let Some(link) = self.request.link.as_ref().filter(|_| std::mem::take(&mut self.is_linked)) {
            let _ = panic::catch_unwind(AssertUnwindSafe(|| link.end(None, self.patience(&**link))));
        }
        let elected = deepest(&self.results).and_then(|winner| self.results[winner]);
        let best = elected.map(|result| result.mv).or(self.fallback).or_else(|| self.root_moves.first().copied());
        // The sink may panic again.
        let message = "bug: the search has panicked; the best move is the best one so far";
        let _ = panic::catch_unwind(AssertUnwindSafe(|| self.request.sink.message(message)));
        if !self.has_answered {
            let _ = panic::catch_unwind(AssertUnwindSafe(|| self.report_best_move(best, None)));
        }
    }

    /// Returns the next event; `None` at the deadline. Reports the current root move while waiting.
    fn next_event(&mut self, events: &Receiver<Event>) -> Option<Event> {
        loop {
            let deadline = self.deadline();
            let Some(until) = deadline.into_iter().chain(self.next_current_move).min() else {
                return events.recv().ok();
            };
            match events.recv_deadline(until) {
                Ok(event) => return Some(event),
                Err(RecvTimeoutError::Timeout) if deadline.is_none_or(|deadline| until < deadline) => {
                    self.report_current_move();
                }
                Err(_) => return None,
            }
        }
    }

    /// Returns the end of the hard limit or of the extra time for the first ply.
    fn deadline(&self) -> Option<Instant> {
        let hard = match (self.budget, self.clock_from) {
            (Some(budget), Some(from)) if !self.control.stopped() => from.checked_add(budget.hard),
            _ => None,
        };
        // The extra time replaces the hard limit, which has passed.
        self.grace_until.filter(|_| !self.control.stopped()).or(hard)
    }

    /// Reports the root move being searched, if it is a new one.
    fn report_current_move(&mut self) {
        self.next_current_move = (!self.control.stopped()).then(|| Instant::now() + CURRENT_MOVE_INTERVAL);
        let current = self.control.current_root_move();
        let is_new = current != self.current_move
            && current.is_some_and(|(depth, ..)| self.reported.is_none_or(|reported| depth > reported.depth));
        if let Some((depth, number, mv)) = current.filter(|_| is_new && self.next_current_move.is_some()) {
            self.current_move = current;
            self.request.sink.current_move(&CurrentMove { depth, mv, number });
        }
    }

    /// Stops the workers. Without a result, the first ply gets extra time: a searched move is better than any
    /// other.
    fn stop(&mut self) {
        let now = Instant::now();
        let has_nothing = self.results.iter().all(Option::is_none);
        if has_nothing && self.grace_until.is_none_or(|until| now < until) {
            self.grace_until.get_or_insert(now + self.grace());
        } else {
            self.control.stop();
        }
    }

    /// Returns the extra time for the first ply, which never exceeds the clock.
    fn grace(&self) -> Duration {
        self.time_left().map_or(FIRST_PLY_GRACE, |left| FIRST_PLY_GRACE.min(left))
    }

    /// Returns the time to wait for the lines of other machines: they are not worth much of the clock.
    fn patience(&self, link: &dyn SearchLink) -> Duration {
        let worth = |left: Duration| (left / 16).max(link.overhead()).min(left);
        self.time_left().map_or(MAX_PATIENCE, |left| MAX_PATIENCE.min(worth(left)))
    }

    /// Returns what is left of the clock or of the time for the move; `None` without either.
    fn time_left(&self) -> Option<Duration> {
        let limits = &self.request.limits;
        let color = self.request.game.position().side_to_move();
        let clock = limits.clock.map(|clock| clock.time(color).saturating_sub(self.request.overhead));
        let left = [clock, limits.move_time].into_iter().flatten().min()?;
        Some(left.saturating_sub(self.clock_from.map_or(Duration::ZERO, |from| from.elapsed())))
    }

    /// Starts the clock of a pondering search. A second `ponderhit` does not restart it.
    fn ponder_hit(&mut self) {
        if self.clock_from.is_some() {
            return;
        }
        self.clock_from = Some(Instant::now());
        if let Some(end) = self.deadline() {
            self.control.end_at(end);
        }
        // A stop before is not taken back.
        self.released |= !self.request.limits.infinite;
        if self.released && self.soft_limit_reached() {
            self.stop();
        }
    }

    /// Waits for the `stop` or `ponderhit` that a search with `infinite` or `ponder` needs before its best
    /// move.
    fn wait_for_release(&mut self, events: &Receiver<Event>) {
        while !self.released {
            match events.recv() {
                Ok(Event::Stop) | Err(_) => self.released = true,
                Ok(Event::PonderHit) => self.ponder_hit(),
                Ok(_) => {}
            }
        }
    }

    /// Records a worker's iteration. Reports it if it is the deepest so far, and stops the search if it is the
    /// last.
    fn record(&mut self, worker: usize, iteration: Iteration, max_depth: u32) {
        if self.mate_found_by.is_some() {
            // The worker finished before it saw the stop flag.
            return;
        }
        let Some(result) = RootResult::of(&iteration) else { return };
        let RootResult { mv, score, depth } = result;
        self.results[worker] = Some(result);
        let mut lines: Vec<Line> =
            iteration.lines.iter().zip(1..).map(|(line, rank)| self.line_at(rank, depth, line)).collect();
        // A stopped iteration has only its best line: those of the iteration before follow.
        for line in self.lines[worker].take().into_iter().flatten() {
            let is_listed = lines.iter().any(|listed| listed.pv.first() == line.pv.first());
            if lines.len() < self.request.multi_pv && !is_listed {
                lines.push(Line { rank: lines.len() + 1, ..line });
            }
        }
        self.lines[worker] = Some(lines);

        let is_deeper = self.reported.is_none_or(|reported| depth > reported.depth);
        if is_deeper {
            self.report(worker, iteration.nodes);
            self.stability.update(mv, score, iteration.best_move_share);
        }
        let wanted_mate = self.request.limits.mate.filter(|&wanted| is_mate_within(score, wanted));
        self.mate_found_by = wanted_mate.map(|_| worker);
        let is_last = depth >= max_depth && self.results.len() > 1 || self.mate_is_settled(score, depth);
        if self.grace_until.is_some()
            || is_last
            || self.mate_found_by.is_some()
            || (is_deeper && self.soft_limit_reached())
        {
            self.stop();
        }
    }

    /// Returns true if a search by the clock has found a mate and searched [`MATE_MARGIN`] plies beyond it.
    fn mate_is_settled(&self, score: i32, depth: u32) -> bool {
        self.budget.is_some_and(|budget| budget.soft.is_some())
            && self.released
            && moves_to_mate(score).is_some_and(|moves| depth >= 2 * moves.unsigned_abs() + MATE_MARGIN)
    }

    /// Returns true after the scaled soft limit. It is false while pondering; the time of pondering counts.
    fn soft_limit_reached(&self) -> bool {
        let Some(soft) = self.budget.and_then(|budget| budget.soft) else { return false };
        let limit = self.stability.limit(soft).filter(|_| self.clock_from.is_some());
        limit.is_some_and(|limit| self.request.started.elapsed() >= limit)
    }

    /// Reports the lines of `worker`.
    fn report(&mut self, worker: usize, nodes: u64) {
        let Some(lines) = &self.lines[worker] else { return };
        for line in lines {
            self.request.sink.info(&self.info(line.clone(), nodes));
        }
        (self.reported, self.reported_nodes) = (self.results[worker], nodes);
    }

    /// Reports the lines of `worker` with the nodes and the time of the whole search, the line that is played last.
    fn report_final(&self, worker: usize, nodes: u64) {
        for line in self.lines[worker].iter().flatten().rev() {
            self.request.sink.info(&self.info(line.clone(), nodes));
        }
    }

    /// Reports the result of a root without a legal move.
    fn report_finished_game(&self) {
        let score = if self.request.game.position().in_check() { Score::Mate(0) } else { Score::Centipawns(DRAW) };
        let line = Line { rank: 1, depth: 0, seldepth: 0, score, bound: Bound::Exact, pv: Vec::new() };
        self.request.sink.info(&self.info(line, 0));
    }

    /// Reports a failed aspiration window of a search longer than [`BOUNDS_AFTER`].
    fn report_bound(&mut self, depth: u32, line: &RootLine, nodes: u64) {
        let is_deeper = self.reported.is_none_or(|reported| depth > reported.depth);
        let is_early = self.request.started.elapsed() < BOUNDS_AFTER;
        if is_deeper && !is_early && self.request.multi_pv == 1 && !self.control.stopped() {
            self.request.sink.info(&self.info(self.line_at(1, depth, line), nodes));
            // The line that is played has to be reported again.
            self.reported_nodes = 0;
        }
    }

    /// Selects the line to play and reports the best move.
    fn conclude(&mut self) {
        let winner = self.winner();
        let elsewhere = self.elect_elsewhere(winner);
        self.report_missing_mate(winner, elsewhere.as_ref());
        if let Some(line) = elsewhere {
            self.request.sink.info(&self.info(line.clone(), self.control.nodes()));
            return self.report_best_line(&line.pv);
        }
        let Some(winner) = winner else {
            let best = self.fallback.or_else(|| self.root_moves.first().copied());
            self.report_unsearched(best);
            self.report_best_move(best, None);
            return;
        };
        let nodes = self.control.nodes();
        let is_last_reported = self.reported == self.results[winner] && self.reported_nodes == nodes;
        if !is_last_reported || self.request.multi_pv > 1 {
            self.report_final(winner, nodes);
        }
        let pv = self.lines[winner].as_ref().and_then(|lines| lines.first()).map(|line| line.pv.clone());
        self.report_best_line(&pv.unwrap_or_default());
    }

    /// Reports the best move of a line, and the reply to ponder on.
    fn report_best_line(&mut self, pv: &[Move]) {
        let best = pv.first().copied();
        let ponder = pv.get(1).copied().or_else(|| self.expected_reply(best?));
        self.report_best_move(best, ponder);
    }

    /// Returns the worker of this machine whose line is played; `None` without a result.
    fn winner(&self) -> Option<usize> {
        // With MultiPV, the reported lines are the deepest worker's.
        let vote = if self.request.multi_pv > 1 { deepest } else { elect };
        self.mate_found_by.or_else(|| vote(&self.results))
    }

    /// Returns the line of another machine that wins the vote of machines, in which `winner` stands for this one.
    ///
    /// With MultiPV the lines of this machine are played: only these have been reported.
    fn elect_elsewhere(&self, winner: Option<usize>) -> Option<Line> {
        if self.elsewhere.is_empty() || self.request.multi_pv > 1 || self.mate_found_by.is_some() {
            return None;
        }
        // As it is reported, like the others'.
        let here = winner.and_then(|winner| RootResult::of_line(self.lines[winner].as_ref()?.first()?));
        let results: Vec<Option<RootResult>> =
            std::iter::once(here).chain(self.elsewhere.iter().map(RootResult::of_line)).collect();
        let elected = elect(&results)?;
        // This machine is number 0.
        self.elsewhere.get(elected.checked_sub(1)?).cloned()
    }

    /// Reports that `go mate` found no mate. The search prunes, so it can miss one.
    fn report_missing_mate(&self, winner: Option<usize>, elsewhere: Option<&Line>) {
        let Some(wanted) = self.request.limits.mate else { return };
        let result = elsewhere.and_then(RootResult::of_line).or_else(|| self.results[winner?]);
        if !result.is_some_and(|result| is_mate_within(result.score, wanted)) {
            let depth = result.map_or(0, |result| result.depth);
            self.request.sink.message(&format!("no mate in {wanted} or fewer moves found in {depth} plies of search"));
        }
    }

    /// Reports `best` with the static evaluation, for a search without a finished ply.
    fn report_unsearched(&self, best: Option<Move>) {
        let position = self.request.game.position();
        if let Some(mv) = best {
            let mut child = position.clone();
            child.play(mv);
            let score = match (child.has_legal_move(), child.in_check()) {
                (false, true) => mate_in(1),
                (false, false) => DRAW,
                (true, _) if position.in_check() => DRAW,
                (true, _) => self.request.network.evaluate(position),
            };
            let line = RootLine { score, bound: Bound::Exact, seldepth: 1, pv: vec![mv] };
            self.request.sink.info(&self.info(self.line_at(1, 1, &line), self.control.nodes()));
        }
    }

    fn info(&self, line: Line, nodes: u64) -> Info {
        let elapsed = self.request.started.elapsed();
        Info { line, nodes, elapsed, tb_hits: self.control.tb_hits(), hashfull: self.request.table.hashfull() }
    }

    /// Returns the line to report. A tablebase score of the root replaces any score other than a mate.
    fn line_at(&self, rank: usize, depth: u32, line: &RootLine) -> Line {
        let ranking = self.request.syzygy.as_ref().and_then(|syzygy| syzygy.ranking.as_ref());
        let wdl = line.pv.first().and_then(|&mv| ranking?.wdl(mv));
        let (score, bound) = match wdl {
            Some(wdl) if !is_mate(line.score) => (tb_root::root_score(wdl), Bound::Exact),
            _ => (line.score, line.bound),
        };
        let score = moves_to_mate(score).map_or_else(|| Score::Centipawns(tb_root::centipawns(score)), Score::Mate);
        Line { rank, depth, seldepth: line.seldepth.max(1) as u32, score, bound, pv: line.pv.clone() }
    }

    /// Returns the transposition table's move after `best`, for a line of one move.
    fn expected_reply(&self, best: Move) -> Option<Move> {
        let mut game = self.request.game.clone();
        game.play(best);
        let (entry, _) = self.request.table.probe(game.position().key())?;
        Move::from_bits(entry.mv).filter(|&mv| game.position().is_legal(mv))
    }

    fn report_best_move(&mut self, best: Option<Move>, ponder: Option<Move>) {
        self.has_answered = true;
        let (nodes, elapsed) = (self.control.nodes(), self.request.started.elapsed());
        self.request.sink.best_move(&BestMove { best, ponder, nodes, elapsed });
    }
}

#[cfg(test)]
mod link_tests;
#[cfg(test)]
pub(super) mod tests;
