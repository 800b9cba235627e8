//! The request of one search: everything from the root to the sink.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::clock::{self, Budget};
use super::limits::Limits;
use super::link::SearchLink;
use super::pool::Pool;
use super::simulated_machines::SimulatedMachines;
use super::sink::Sink;
use crate::eval::Network;
use crate::position::{Game, Move};
use crate::search::score::MAX_DEPTH;
use crate::search::{Control, RoundRobin, SearchContext, SyzygyProbe, TranspositionTable};

/// A search with a hard limit below this has one worker: with more threads than cores, most of the time would
/// go to starting and stopping the others.
const MIN_TIME_FOR_HELPERS: Duration = Duration::from_millis(20);

/// A request for one search.
pub struct SearchRequest<T = TranspositionTable> {
    /// The root and its history.
    pub game: Game,
    /// The limits that end the search.
    pub limits: Limits,
    /// The number of lines to report, at least 1.
    pub multi_pv: usize,
    /// The time that a move costs outside the search.
    pub overhead: Duration,
    /// True if the workers take turns, which makes a search by depth or nodes reproducible: see [`RoundRobin`].
    pub lockstep: bool,
    /// The network that evaluates positions.
    pub network: Arc<Network>,
    /// The transposition table.
    pub table: Arc<T>,
    /// The Syzygy tablebases, if any are loaded.
    pub syzygy: Option<SyzygyProbe>,
    /// The workers.
    pub pool: Arc<Pool<T>>,
    /// The receiver of lines and of the best move.
    pub sink: Arc<dyn Sink>,
    /// The other machines that search with this one, if any.
    pub link: Option<Arc<dyn SearchLink>>,
    /// Simulated machines, whose tables take the place of `table`, if any.
    pub machines: Option<Arc<SimulatedMachines<T>>>,
    /// The moment from which the search's time counts.
    pub started: Instant,
}

impl<T> SearchRequest<T> {
    /// Returns the root moves to search: the legal moves of `searchmoves`, or all legal moves if there are
    /// none.
    pub(super) fn root_moves(&self) -> Vec<Move> {
        let legal = self.game.position().legal_moves();
        let wanted: Vec<Move> = legal.iter().copied().filter(|mv| self.limits.search_moves.contains(mv)).collect();
        if wanted.is_empty() { legal.to_vec() } else { wanted }
    }

    /// Returns the deepest iteration to search.
    pub(super) fn max_depth(&self) -> u32 {
        self.limits.depth.unwrap_or(MAX_DEPTH)
    }

    /// Returns the time budget; `None` if time does not limit the search.
    pub(super) fn budget(&self, root_moves: &[Move]) -> Option<Budget> {
        let position = self.game.position();
        let number = u32::from(position.fullmove_number());
        let of_link = self.link.as_ref().map_or(Duration::ZERO, |link| link.overhead());
        let overhead = self.overhead + of_link;
        // The time for a move has no overhead of its own.
        let move_time = self.limits.move_time.map(|time| time.saturating_sub(of_link).max(time.min(of_link)));
        let limits = Limits { move_time, ..self.limits.clone() };
        clock::plan(&limits, position.side_to_move(), number, overhead, root_moves.len() == 1)
    }

    /// Creates the control block of this search, with the hard limit if the clock is running.
    pub(super) fn control(&self, budget: Option<Budget>) -> Control
    where
        T: crate::search::SearchTable,
    {
        let (places, quantum) = match self.lockstep {
            true => (1, RoundRobin::QUANTUM),
            false => (self.pool.cores(), RoundRobin::CROWDED_QUANTUM),
        };
        // The workers check the hard limit too: the coordinator's timer can fire late.
        let end = budget.filter(|_| !self.limits.ponder).and_then(|budget| self.started.checked_add(budget.hard));
        Control::new(self.workers(budget), self.limits.nodes)
            .with_soft_nodes(self.limits.soft_nodes)
            .with_machines(self.link.is_some() && !self.is_short(budget))
            .with_turns(places, quantum)
            .with_deadline(end)
    }

    /// Returns the number of workers to start.
    fn workers(&self, budget: Option<Budget>) -> usize
    where
        T: crate::search::SearchTable,
    {
        if self.is_short(budget) { 1 } else { self.pool.len() }
    }

    /// Returns true if the time is too short for more than one worker.
    fn is_short(&self, budget: Option<Budget>) -> bool {
        let is_held = self.limits.infinite || self.limits.ponder;
        !is_held && budget.is_some_and(|budget| budget.hard < MIN_TIME_FOR_HELPERS)
    }

    /// Returns the workers' share of the request.
    pub(super) fn context(&self, root_moves: Vec<Move>, control: &Arc<Control>) -> SearchContext<T> {
        SearchContext {
            game: self.game.clone(),
            root_moves,
            multi_pv: self.multi_pv.max(1),
            table: Arc::clone(&self.table),
            control: Arc::clone(control),
            syzygy: self.syzygy.clone(),
            network: Arc::clone(&self.network),
            exchange: None,
        }
    }
}
