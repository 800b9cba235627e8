//! Runs of a model through its executions, and of a broken twin until it fails.

use std::cell::{Cell, RefCell};
use std::mem::ManuallyDrop;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Once};
use std::time::Instant;

use shuttle::scheduler::{DfsScheduler, PctScheduler, RandomScheduler, Schedule, Scheduler, Task, TaskId};
use shuttle::{Config, FailurePersistence, Runner};

/// Installs the panic hooks of shuttle and loom in this order, before the first model runs, and that of [`must_fail`]. In the other
/// order shuttle reports the panics by which loom ends its threads.
fn install_panic_hooks() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        shuttle::check_random(|| (), 1);
        loom::model(|| ());
        let report = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !MUST_FAIL.get() {
                report(panic)
            }
        }));
    });
}

thread_local! {
    /// A broken twin runs: its panic is not reported.
    static MUST_FAIL: Cell<bool> = const { Cell::new(false) };
    /// The fault of the running execution, reported at its end: loom cannot clean up after a panic beside threads that are not
    /// done. (The threads of loom and shuttle all run on one thread of the system.)
    static FAULT: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Records a fault of the running execution unless `holds`.
pub fn require(holds: bool, fault: impl FnOnce() -> String) {
    if !holds {
        FAULT.with_borrow_mut(|first| _ = first.get_or_insert_with(fault));
    }
}

/// Runs `executions`, which counts them, and prints their number.
fn report(name: &str, explored: &str, executions: impl FnOnce(Arc<AtomicUsize>)) {
    install_panic_hooks();
    FAULT.take();
    let count = Arc::new(AtomicUsize::new(0));
    let start = Instant::now();
    let result = panic::catch_unwind(AssertUnwindSafe(|| {
        executions(Arc::clone(&count));
        report_fault();
    }));
    let end = if result.is_ok() { "holds" } else { "FAILS" };
    println!(
        "{name:50} {end}: {:7} executions, {:4.1} s, {explored}",
        count.load(Relaxed),
        start.elapsed().as_secs_f64()
    );
    if let Err(panic) = result {
        panic::resume_unwind(panic);
    }
}

/// Runs one execution of `model`.
fn execute(count: &AtomicUsize, model: &impl Fn()) {
    count.fetch_add(1, Relaxed);
    model();
}

fn report_fault() {
    if let Some(fault) = FAULT.take() {
        panic!("{fault}");
    }
}

/// Ends a run behind an execution with a fault. (Shuttle reports a panic of a model also where one must come.)
/// It keeps its scheduler, which would print its seed when dropped behind a run that has ended early.
struct UntilFault<S>(ManuallyDrop<S>);

impl<S: Scheduler> Scheduler for UntilFault<S> {
    fn new_execution(&mut self) -> Option<Schedule> {
        if FAULT.with_borrow(Option::is_some) { None } else { self.0.new_execution() }
    }

    fn next_task(&mut self, runnable: &[&Task], current: Option<TaskId>, is_yielding: bool) -> Option<TaskId> {
        self.0.next_task(runnable, current, is_yielding)
    }

    fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }
}

/// Runs `model` through all executions of loom with at most `preemptions` preemptions; `None`: through all.
pub fn under_loom(name: &str, preemptions: Option<usize>, model: impl Fn() + Send + Sync + 'static) {
    let explored = preemptions.map_or("loom, all".to_owned(), |bound| format!("loom, {bound} preemptions"));
    report(name, &explored, |count| {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = preemptions;
        builder.check(move || {
            execute(&count, &model);
            report_fault();
        });
    });
}

fn under_shuttle(
    name: &str,
    explored: &str,
    scheduler: impl Scheduler + 'static,
    model: impl Fn() + Send + Sync + 'static,
) {
    report(name, explored, |count| {
        let mut config = Config::new();
        config.silence_warnings = true;
        if MUST_FAIL.get() {
            config.failure_persistence = FailurePersistence::None;
        }
        Runner::new(UntilFault(ManuallyDrop::new(scheduler)), config).run(move || execute(&count, &model));
    });
}

/// Runs `model` through all schedules of shuttle.
pub fn all_schedules(name: &str, model: impl Fn() + Send + Sync + 'static) {
    under_shuttle(name, "shuttle, all", DfsScheduler::new(None, false), model);
}

/// Schedules of each kind in [`many_schedules`].
const SCHEDULES: usize = 5_000;

/// Runs `model` through random and PCT schedules of shuttle, always the same ones. SESAME_SCHEDULES overrides their number.
pub fn many_schedules(name: &str, model: impl Fn() + Send + Sync + Clone + 'static) {
    let schedules =
        std::env::var("SESAME_SCHEDULES").map_or(SCHEDULES, |text| text.parse().expect("a number of schedules"));
    under_shuttle(name, "shuttle, random", RandomScheduler::new_from_seed(1994, schedules), model.clone());
    under_shuttle(name, "shuttle, PCT", PctScheduler::new_from_seed(1994, 3, schedules), model);
}

/// Expects that `explore`, over a broken twin, fails with a text that contains `fault`.
pub fn must_fail(fault: &str, explore: impl FnOnce()) {
    install_panic_hooks();
    MUST_FAIL.set(true);
    let caught = panic::catch_unwind(AssertUnwindSafe(explore));
    MUST_FAIL.set(false);
    let panic = caught.expect_err("the model must catch this twin");
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or_default();
    assert!(text.contains(fault), "caught for the wrong reason: {text}");
}

/// The beginning of shuttle's message when no thread can go on.
pub const DEADLOCK: &str = "deadlock";
