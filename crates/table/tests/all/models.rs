//! The common part of the models: the check of accepted entries, deliberately broken slots, and the table of results.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::env;
use std::io::{self, Write};
use std::marker::PhantomData;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Mutex, Once};

use sesame_table::raw::{Bucket, Slot, StoreContext, VerifiedSlot, Word};
use sesame_table::{Generation, Payload, RawEntry, Scheme, Update, Work};

use crate::entry::{Entry, Pattern, check, entry_of, is_right, key_of_number, nodes_of};

thread_local! {
    /// A model runs over a broken slot: its panic is not reported. (All threads of a model run on one thread of the system.)
    static MUST_FAIL: Cell<bool> = const { Cell::new(false) };
}

/// The results of a model or, if the flag is true, of a deliberate bug, which begins the name of its runs.
static RESULTS: Mutex<BTreeMap<(bool, String), Results>> = Mutex::new(BTreeMap::new());

#[derive(Default)]
struct Results {
    runs: u32,
    failures: u32,
    executions: u64,
    max_executions: u64,
}

/// Prints a line now, and with `--nocapture` a table when the program ends.
pub(crate) fn report(name: &str, holds: bool, executions: u64, explored: &str) {
    println!("{name:45} {}: {executions:8} executions, {explored}", if holds { "holds" } else { "FAILS" });
    let is_bug = MUST_FAIL.get();
    let bug = name.split(':').next().unwrap_or_default();
    let mut results = RESULTS.lock().unwrap();
    if results.is_empty() && env::args().any(|argument| argument == "--nocapture") {
        extern "C" fn print() {
            let _ = writeln!(io::stdout(), "{}", table());
        }
        // SAFETY: a function of the program, which does not unwind.
        unsafe { libc::atexit(print) };
    }
    let results = results.entry((is_bug, if is_bug { bug } else { name }.to_owned())).or_default();
    results.runs += 1;
    results.failures += u32::from(!holds);
    results.executions += executions;
    results.max_executions = results.max_executions.max(executions);
}

/// Returns a table of all results in Markdown.
fn table() -> String {
    let results = RESULTS.lock().unwrap_or_else(|error| error.into_inner());
    let rows: Vec<String> = results.iter().map(row).collect();
    format!("\n| model | executions | verdict |\n| --- | ---: | --- |\n{}", rows.join("\n"))
}

fn row(((is_bug, name), results): (&(bool, String), &Results)) -> String {
    let Results { runs, failures, executions, max_executions } = results;
    match is_bug {
        true => {
            format!("| deliberate bug: {name} | at most {max_executions} | caught in {failures} of {runs} models |")
        }
        false => format!("| {name} | {executions} | {} |", if *failures == 0 { "holds" } else { "FAILS" }),
    }
}

/// Installs the panic hooks of shuttle and loom in this order, before the first model runs, and that of [`must_fail`].
///
/// Loom ends its coroutines by panics, which its own hook keeps quiet. Shuttle's hook reports every panic of the process: in the
/// other order a run prints hundreds of thousands of lines.
pub(crate) fn install_panic_hooks() {
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

/// Runs models over a broken slot, and expects a wrong acceptance.
pub(crate) fn must_fail(flaw: &str, run: impl FnOnce()) {
    install_panic_hooks();
    MUST_FAIL.set(true);
    let caught = panic::catch_unwind(AssertUnwindSafe(run));
    MUST_FAIL.set(false);
    let message = caught.err().unwrap_or_else(|| panic!("the models must catch: {flaw}"));
    let message = message.downcast_ref::<String>().map_or("", String::as_str);
    assert!(message.contains("accepted"), "{flaw}: caught for the wrong reason: {message}");
}

/// Returns the raw entry that a store of [`entry_of`] writes.
pub(crate) fn raw_entry_of(key: u64, salt: u8, generation: Generation) -> RawEntry {
    RawEntry::new(entry_of(key, salt).pack(generation), key, Work::from_nodes(nodes_of(key, salt)))
}

/// Checks the entry that was accepted for `key`: it must be data and work of one store for that key. An entry stored without a move
/// may have the key's move, by merging.
pub(crate) fn check_accepted(key: u64, raw: &RawEntry) -> Result<(), String> {
    check(key, raw, Entry::unpack(raw.data).is_some_and(|entry| is_right(key, &entry, raw.work())))
}

/// Returns the raw entry of the number `n`, 1 to 4,095.
pub(crate) fn patterned(pattern: Pattern, n: u64) -> RawEntry {
    RawEntry::new(pattern(n), key_of_number(n), Work::from_nodes(n))
}

/// Returns the context of the models' stores: overwriting, as in 1994.
pub(crate) fn context(scheme: &Scheme, generation: Generation, buckets: usize) -> StoreContext<'_, Entry, Scheme> {
    StoreContext::new(scheme, Update::Overwrite, generation, buckets)
}

/// A slot that a model can create: the one that ships, or a broken one.
pub(crate) trait ModelSlot: Slot + Send + Sync + 'static {
    /// Creates an empty slot.
    fn empty() -> Self;

    /// Creates a slot that holds `entry`.
    fn with(entry: RawEntry) -> Self
    where
        Self: Sized,
    {
        let slot = Self::empty();
        slot.write(entry);
        slot
    }
}

/// Returns a bucket that holds these two.
pub(crate) fn bucket_of<S: ModelSlot>(first: RawEntry, second: RawEntry) -> Bucket<S> {
    Bucket::new(S::with(first), S::with(second))
}

impl<W: Word + Send + Sync + 'static> ModelSlot for VerifiedSlot<W> {
    fn empty() -> Self {
        VerifiedSlot::new()
    }
}

/// A flaw of a slot. The provided methods are the correct protocol, written again; each flaw overrides as little as it needs.
pub(crate) trait Flaw: Send + Sync + 'static {
    fn mix(data: u64) -> u64 {
        data.wrapping_mul(0xcffd_b503_c847_2e21)
    }

    fn read<W: Word>(data: &W, check: &W) -> RawEntry {
        let data = data.load();
        raw(data, check.load() ^ Self::mix(data))
    }

    fn write<W: Word>(data: &W, check: &W, entry: RawEntry) {
        data.store(entry.data);
        check.store(entry.signature ^ Self::mix(entry.data));
    }

    fn holds(entry: &RawEntry, key: u64) -> bool {
        entry.data != 0 && has_key(entry, key)
    }
}

fn has_key(entry: &RawEntry, key: u64) -> bool {
    (entry.key() ^ key) << 16 == 0
}

fn raw(data: u64, signature: u64) -> RawEntry {
    let mut entry = RawEntry::EMPTY;
    (entry.data, entry.signature) = (data, signature);
    entry
}

/// A slot with the flaw `F`, over the words `W`.
pub(crate) struct Broken<W, F> {
    data: W,
    check: W,
    flaw: PhantomData<F>,
}

impl<W: Word, F: Flaw> Slot for Broken<W, F> {
    fn read(&self) -> RawEntry {
        F::read(&self.data, &self.check)
    }

    fn write(&self, entry: RawEntry) {
        F::write(&self.data, &self.check, entry);
    }

    fn holds(entry: &RawEntry, key: u64) -> bool {
        F::holds(entry, key)
    }
}

impl<W: Word + Send + Sync + 'static, F: Flaw> ModelSlot for Broken<W, F> {
    fn empty() -> Self {
        Broken { data: W::new(0), check: W::new(0), flaw: PhantomData }
    }
}

/// No flaw: shows that a broken slot fails because of its flaw alone.
pub(crate) struct NoFlaw;

impl Flaw for NoFlaw {}

/// No XOR: the signature is stored as it is.
pub(crate) struct NoXor;

impl Flaw for NoXor {
    fn mix(_: u64) -> u64 {
        0
    }
}

/// No XOR, with the two words written in the other order.
pub(crate) struct CheckFirst;

impl Flaw for CheckFirst {
    fn mix(_: u64) -> u64 {
        0
    }

    fn write<W: Word>(data: &W, check: &W, entry: RawEntry) {
        check.store(entry.signature);
        data.store(entry.data);
    }
}

/// The data is not mixed: its lowest 16 bits are opposite the work and not verified.
pub(crate) struct PlainXor;

impl Flaw for PlainXor {
    fn mix(data: u64) -> u64 {
        data
    }
}

/// The data is mixed by a linear map: data that differ by the same bits in all four 16-bit parts collide.
pub(crate) struct LinearMix;

impl Flaw for LinearMix {
    fn mix(data: u64) -> u64 {
        data ^ data << 16
    }
}

/// The check is made from the data found in the slot, which another writer may have replaced.
pub(crate) struct CheckOfAnother;

impl Flaw for CheckOfAnother {
    fn write<W: Word>(data: &W, check: &W, entry: RawEntry) {
        data.store(entry.data);
        check.store(entry.signature ^ Self::mix(data.load()));
    }
}

/// The data is read twice: the first value is verified, the second returned.
pub(crate) struct LooksTwice;

impl Flaw for LooksTwice {
    fn read<W: Word>(data: &W, check: &W) -> RawEntry {
        let signature = check.load() ^ Self::mix(data.load());
        raw(data.load(), signature)
    }
}

/// An empty slot matches key 0. Loom alone catches it: [`Bucket::probe`] returns no data of 0.
pub(crate) struct NoEmptyTest;

impl Flaw for NoEmptyTest {
    fn holds(entry: &RawEntry, key: u64) -> bool {
        has_key(entry, key)
    }
}
