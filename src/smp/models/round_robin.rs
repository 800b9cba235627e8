//! Models of turns, [`RoundRobin`]: lockstep (one place) and more workers than cores (several places).

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use shuttle::thread;

use super::explore::{DEADLOCK, all_schedules, many_schedules, must_fail, require};
use super::primitives::{NoFlaw, ShuttleLocks, ShuttleWord, SpuriousLocks};
use crate::search::RoundRobin;
use crate::search::sync::{AtomicWord, Locks};

/// Turns: those that ship, or a broken twin.
trait Turns: Send + Sync + 'static {
    fn new(workers: usize, places: usize) -> Self;
    fn wait(&self, worker: usize);
    fn pass(&self, worker: usize);
    fn leave(&self, worker: usize);
}

impl<L: Locks + 'static> Turns for RoundRobin<L>
where
    RoundRobin<L>: Send + Sync,
{
    fn new(workers: usize, places: usize) -> Self {
        RoundRobin::new(workers, places, 1)
    }

    fn wait(&self, worker: usize) {
        self.wait(worker);
    }

    fn pass(&self, worker: usize) {
        self.pass(worker);
    }

    fn leave(&self, worker: usize) {
        self.leave(worker);
    }
}

/// The protocol written again, with the flaw `F`.
struct Broken<L: Locks, F> {
    state: L::Mutex<State>,
    called: Vec<L::Condvar>,
    flaw: std::marker::PhantomData<F>,
}

struct State {
    has_turn: Vec<bool>,
    waiting: VecDeque<usize>,
}

/// A flaw of turns. The provided methods are the correct protocol; each flaw overrides as little as it needs.
trait TurnFlaw: Send + Sync + Sized + 'static {
    fn wait<L: Locks>(turns: &Broken<L, Self>, worker: usize) {
        let mut state = L::lock(&turns.state);
        while !state.has_turn[worker] {
            state = L::wait(Self::called(turns, worker), state);
        }
    }

    fn leave<L: Locks>(turns: &Broken<L, Self>, state: &mut State, worker: usize) {
        if std::mem::take(&mut state.has_turn[worker]) {
            Self::call_next(turns, state);
        } else {
            state.waiting.retain(|&other| other != worker);
        }
    }

    fn call_next<L: Locks>(turns: &Broken<L, Self>, state: &mut State) {
        if let Some(next) = state.waiting.pop_front() {
            state.has_turn[next] = true;
            L::notify_one(Self::called(turns, next));
        }
    }

    fn queue(state: &mut State, worker: usize) {
        state.waiting.push_back(worker);
    }

    fn called<L: Locks>(turns: &Broken<L, Self>, worker: usize) -> &L::Condvar {
        &turns.called[worker]
    }
}

impl<L: Locks + 'static, F: TurnFlaw> Turns for Broken<L, F>
where
    Broken<L, F>: Send + Sync,
{
    fn new(workers: usize, places: usize) -> Self {
        let has_turn = (0..workers).map(|worker| worker < places).collect();
        Self {
            state: L::mutex(State { has_turn, waiting: (places..workers).collect() }),
            called: (0..workers).map(|_| L::condvar()).collect(),
            flaw: std::marker::PhantomData,
        }
    }

    fn wait(&self, worker: usize) {
        F::wait(self, worker);
    }

    fn pass(&self, worker: usize) {
        let mut state = L::lock(&self.state);
        if state.waiting.is_empty() {
            return;
        }
        state.has_turn[worker] = false;
        F::queue(&mut state, worker);
        F::call_next(self, &mut state);
        drop(state);
        F::wait(self, worker);
    }

    fn leave(&self, worker: usize) {
        F::leave(self, &mut L::lock(&self.state), worker);
    }
}

impl TurnFlaw for NoFlaw {}

/// `if` in place of `while`: a wake-up is taken for a turn.
struct WaitsOnce;

impl TurnFlaw for WaitsOnce {
    fn wait<L: Locks>(turns: &Broken<L, Self>, worker: usize) {
        let state = L::lock(&turns.state);
        if !state.has_turn[worker] {
            drop(L::wait(&turns.called[worker], state));
        }
    }
}

/// The lock is released between the test and the wait: a call between them is lost.
struct UnlocksBeforeWaiting;

impl TurnFlaw for UnlocksBeforeWaiting {
    fn wait<L: Locks>(turns: &Broken<L, Self>, worker: usize) {
        let has_turn = || L::lock(&turns.state).has_turn[worker];
        while !has_turn() {
            let state = L::lock(&turns.state);
            drop(L::wait(&turns.called[worker], state));
        }
    }
}

/// The next worker gets its turn without a call.
struct NoCall;

impl TurnFlaw for NoCall {
    fn call_next<L: Locks>(_: &Broken<L, Self>, state: &mut State) {
        if let Some(next) = state.waiting.pop_front() {
            state.has_turn[next] = true;
        }
    }
}

/// All workers wait on one condition variable: the call of one may wake another.
struct OneCondvar;

impl TurnFlaw for OneCondvar {
    fn called<L: Locks>(turns: &Broken<L, Self>, _: usize) -> &L::Condvar {
        &turns.called[0]
    }
}

/// A worker that leaves takes its turn along.
struct LeavesWithItsTurn;

impl TurnFlaw for LeavesWithItsTurn {
    fn leave<L: Locks>(_: &Broken<L, Self>, state: &mut State, worker: usize) {
        if !state.has_turn[worker] {
            state.waiting.retain(|&other| other != worker);
        }
    }
}

/// A worker that leaves without a turn stays in the queue.
struct StaysInTheQueue;

impl TurnFlaw for StaysInTheQueue {
    fn leave<L: Locks>(turns: &Broken<L, Self>, state: &mut State, worker: usize) {
        if std::mem::take(&mut state.has_turn[worker]) {
            Self::call_next(turns, state);
        }
    }
}

/// A worker that leaves without a turn gives a turn away all the same.
struct GivesATurnItHasNot;

impl TurnFlaw for GivesATurnItHasNot {
    fn leave<L: Locks>(turns: &Broken<L, Self>, state: &mut State, worker: usize) {
        state.has_turn[worker] = false;
        state.waiting.retain(|&other| other != worker);
        Self::call_next(turns, state);
    }
}

/// A worker that passes its turn is the next.
struct QueuesInFront;

impl TurnFlaw for QueuesInFront {
    fn queue(state: &mut State, worker: usize) {
        state.waiting.push_front(worker);
    }
}

/// Returns the order of turns with one place, if worker number i takes `turns[i]`.
fn expected_order(turns: &[usize]) -> Vec<usize> {
    let rounds = 0..turns.iter().copied().max().unwrap_or(0);
    rounds.flat_map(|round| (0..turns.len()).filter(move |&worker| turns[worker] > round)).collect()
}

/// Workers take so many turns each and leave; one that takes none leaves without having waited.
///
/// No more than `places` may run at a time. With one place the order is that of their numbers. A worker that is never called is a
/// deadlock.
fn take_turns<T: Turns>(places: usize, turns: &'static [usize]) -> impl Fn() + Send + Sync + Clone + 'static {
    move || {
        let schedule = Arc::new(T::new(turns.len(), places));
        let running = Arc::new(ShuttleWord::new(0));
        let order = Arc::new(Mutex::new(Vec::new()));
        let workers: Vec<_> = (0..turns.len())
            .map(|worker| {
                let (schedule, running, order) = (Arc::clone(&schedule), Arc::clone(&running), Arc::clone(&order));
                thread::spawn(move || {
                    for turn in 0..turns[worker] {
                        if turn == 0 {
                            schedule.wait(worker)
                        } else {
                            schedule.pass(worker)
                        }
                        let beside = running.fetch_add(1) as usize;
                        require(beside < places, || format!("{} workers had turns on {places} places", beside + 1));
                        order.lock().unwrap().push(worker);
                        running.fetch_add(u64::MAX);
                    }
                    schedule.leave(worker);
                })
            })
            .collect();
        workers.into_iter().for_each(|worker| worker.join().unwrap());
        let order = order.lock().unwrap();
        require(order.len() == turns.iter().sum::<usize>(), || format!("the turns were {order:?}"));
        require(places > 1 || *order == expected_order(turns), || format!("the order of turns was {order:?}"));
    }
}

type Shipped = RoundRobin<ShuttleLocks>;
type Twin<F> = Broken<ShuttleLocks, F>;

#[test]
fn lockstep_has_one_order() {
    all_schedules("lockstep: 2 workers", take_turns::<Shipped>(1, &[2, 1]));
    all_schedules("lockstep: a worker that never began", take_turns::<Shipped>(1, &[1, 0]));
    all_schedules("lockstep: spurious wake-ups", take_turns::<RoundRobin<SpuriousLocks>>(1, &[1, 1]));
    many_schedules("lockstep: 4 workers", take_turns::<Shipped>(1, &[3, 1, 0, 2]));
    many_schedules("lockstep: 4 workers, spurious wake-ups", take_turns::<RoundRobin<SpuriousLocks>>(1, &[3, 1, 0, 2]));
}

#[test]
fn crowded_workers_all_get_their_turns() {
    many_schedules("crowding: 3 workers, 2 places", take_turns::<Shipped>(2, &[2, 2, 2]));
    many_schedules("crowding: 5 workers, 2 places", take_turns::<Shipped>(2, &[3, 2, 0, 3, 1]));
    many_schedules("crowding: spurious wake-ups", take_turns::<RoundRobin<SpuriousLocks>>(2, &[3, 2, 0, 3, 1]));
}

#[test]
fn turns_without_a_flaw_hold() {
    many_schedules("lockstep: no flaw", take_turns::<Twin<NoFlaw>>(1, &[3, 1, 0, 2]));
    many_schedules("crowding: no flaw", take_turns::<Broken<SpuriousLocks, NoFlaw>>(2, &[3, 2, 0, 3, 1]));
}

/// Expects the fault in lockstep and with several places.
fn catch<L: Locks + 'static, F: TurnFlaw>(flaw: &str, in_lockstep: &str, in_a_crowd: &str)
where
    Broken<L, F>: Send + Sync,
{
    let lockstep = take_turns::<Broken<L, F>>(1, &[3, 1, 0, 2]);
    must_fail(in_lockstep, || many_schedules(&format!("lockstep: {flaw}"), lockstep));
    let crowded = take_turns::<Broken<L, F>>(2, &[3, 2, 0, 3, 1]);
    must_fail(in_a_crowd, || many_schedules(&format!("crowding: {flaw}"), crowded));
}

#[test]
fn broken_turns_are_caught() {
    catch::<SpuriousLocks, WaitsOnce>("waits once", "turns", "turns");
    catch::<ShuttleLocks, UnlocksBeforeWaiting>("unlocks before waiting", DEADLOCK, DEADLOCK);
    catch::<ShuttleLocks, NoCall>("no call", DEADLOCK, DEADLOCK);
    catch::<ShuttleLocks, OneCondvar>("one condition variable", DEADLOCK, DEADLOCK);
    catch::<ShuttleLocks, LeavesWithItsTurn>("leaves with its turn", DEADLOCK, DEADLOCK);
    catch::<ShuttleLocks, GivesATurnItHasNot>("gives a turn it has not", "turns", "turns");
}

/// Each worker that stays in the queue takes one place along.
#[test]
fn leavers_in_the_queue_are_caught() {
    for (name, places, turns) in [("lockstep", 1, &[3, 1, 0, 2, 0]), ("crowding", 2, &[2, 1, 0, 0, 1])] {
        let twin = take_turns::<Twin<StaysInTheQueue>>(places, turns);
        must_fail(DEADLOCK, || many_schedules(&format!("{name}: stays in the queue"), twin));
    }
}

/// A worker that is the next itself, with one place, never lets another run, and takes all its turns at once.
#[test]
fn unfair_turns_are_caught() {
    let unfair = take_turns::<Twin<QueuesInFront>>(1, &[3, 1, 0, 2]);
    must_fail("the order of turns", || many_schedules("lockstep: queues in front", unfair));
}
