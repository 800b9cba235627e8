//! Saving and loading.

use std::fs::{self, File};
use std::io::Write;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use sesame_table::raw::{Slot, index};
use sesame_table::{
    Payload, RawEntry, Rule, Scheme, TableError, TableFileError, TableFileOptions, TableFileReport, TableOptions,
    Update, Work, mix64,
};
use tempfile::TempDir;
use twox_hash::XxHash3_64;

use crate::entry::{Bound, Entry};

type Table = sesame_table::Table<Entry>;

const HEADER: usize = 128;
/// Buckets in a chunk of 4 MiB.
const CHUNK: usize = 131_072;

/// A folder that is removed when the test ends. WASI has no folder for temporary files.
struct Scratch(TempDir);

impl Scratch {
    fn new() -> Scratch {
        Scratch(tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap())
    }

    fn join(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self) -> PathBuf {
        self.join("table.hash")
    }

    /// Returns the names of the files in the folder.
    fn names(&self) -> Vec<String> {
        fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

fn key(n: u64) -> u64 {
    mix64(n + 1)
}

fn entry_of(n: u64) -> Entry {
    Entry { mv: n as u16, score: (n >> 3) as i16, depth: n as u8, bound: Bound::Lower, eval: !(n as i16) }
}

fn table(mib: usize, scheme: Scheme) -> Table {
    Table::with_mib(mib, scheme).unwrap()
}

fn filled(mib: usize, scheme: Scheme, count: u64) -> Table {
    fill(Table::with_mib(mib, scheme), count)
}

fn fill(table: Result<Table, TableError>, count: u64) -> Table {
    let table = table.unwrap();
    (0..3).for_each(|_| table.next_generation());
    (0..count).for_each(|n| table.store(key(n), &entry_of(n), n % 5000 + 1));
    table
}

fn options<'a>() -> TableFileOptions<'a> {
    TableFileOptions::default().fingerprint(7).threads(3)
}

fn save(table: &Table, path: &Path) -> Result<TableFileReport, TableFileError> {
    table.save(path, options())
}

fn load(table: &Table, path: &Path) -> Result<TableFileReport, TableFileError> {
    table.load(path, options())
}

/// Saves a table of `mib` MiB, about a third full.
fn saved(mib: usize) -> (Scratch, Table) {
    let (scratch, table) = (Scratch::new(), filled(mib, Scheme::TwoBig1, 20_000 * mib as u64));
    save(&table, &scratch.file()).unwrap();
    (scratch, table)
}

/// Sets the checksum of a header, by the documented format.
fn seal(header: &mut [u8]) {
    let sum = XxHash3_64::oneshot(&header[..HEADER - 8]).to_le_bytes();
    header[HEADER - 8..HEADER].copy_from_slice(&sum);
}

#[test]
fn saved_slots_are_loaded_unchanged() {
    let scratch = Scratch::new();
    let sizes = [1, 2, 2 * CHUNK, 2 * CHUNK + 1, 200_001].map(|positions| (positions, Scheme::TwoBig1));
    for (positions, scheme) in Scheme::ALL.iter().map(|&scheme| (9 << 16, scheme)).chain(sizes) {
        let [saved, loaded] = [200_000, 1000]
            .map(|count| fill(Table::with_options(TableOptions::default().positions(positions).rule(scheme)), count));
        let report = save(&saved, &scratch.file()).unwrap();
        assert_eq!(report.positions as usize, saved.occupied());
        assert_eq!(report.bytes, fs::metadata(scratch.file()).unwrap().len());
        assert_eq!(load(&loaded, &scratch.file()).unwrap(), report);
        assert_eq!(loaded.generation().next(), saved.generation());
        for n in 0..200_000 {
            assert_eq!(loaded.probe_with_work(key(n)), saved.probe_with_work(key(n)), "{scheme} {n}");
        }
        assert_eq!(scratch.names(), ["table.hash"]);
    }
}

#[test]
fn another_size_or_scheme_keeps_entries() {
    let scratch = Scratch::new();
    let saved = filled(4, Scheme::TwoBig1, 60_000);
    save(&saved, &scratch.file()).unwrap();
    let known: Vec<u64> = (0..60_000).filter(|&n| saved.probe(key(n)).is_some()).collect();
    let most = known.len() * 97 / 100;
    let many = known.len() * 4 / 5;
    for (mib, scheme, minimum) in [
        (64, Scheme::TwoBig1, most),
        (64, Scheme::Deep, most),
        (3, Scheme::TwoBig1, many),
        (1, Scheme::TwoDeep, 30_000),
        (4, Scheme::New, many),
    ] {
        let loaded = table(mib, scheme);
        (100_000..100_500).for_each(|n| loaded.store(key(n), &entry_of(n), u64::MAX));
        let report = load(&loaded, &scratch.file()).unwrap();
        assert!((100_000..100_500).all(|n| loaded.probe(key(n)).is_none()), "the old entries are cleared");
        assert!(report.reinserted && report.positions as usize == loaded.occupied());
        assert_eq!(loaded.generation().next(), saved.generation());
        let kept = known.iter().filter(|&&n| loaded.probe(key(n)).is_some()).count();
        for &n in &known {
            let found = loaded.probe_with_work(key(n));
            assert!(found.is_none() || found == saved.probe_with_work(key(n)), "{mib} {scheme} {n}");
        }
        assert_eq!(loaded.occupied(), kept);
        assert!(kept >= minimum, "{mib} {scheme}: {kept} of {}", known.len());
    }
}

#[test]
fn tables_under_two_mebibytes_fit_only_their_own_size() {
    let (scratch, saved) = saved(1);
    let like = table(1, Scheme::TwoDeep);
    load(&like, &scratch.file()).unwrap();
    assert_eq!(like.occupied(), saved.occupied());
    let larger = filled(2, Scheme::TwoBig1, 100);
    assert!(matches!(load(&larger, &scratch.file()), Err(TableFileError::Unplaceable)));
    assert_eq!(larger.occupied(), 100);
    // One bucket less than 2 MiB, and 2 MiB.
    for (positions, fits) in [((1 << 17) - 2, false), (1 << 17, true)] {
        let options = TableOptions::default().positions(positions);
        save(&Table::with_options(options).unwrap(), &scratch.file()).unwrap();
        assert_eq!(load(&table(4, Scheme::TwoBig1), &scratch.file()).is_ok(), fits);
    }
}

#[test]
fn damaged_files_leave_the_table_unchanged() {
    let (scratch, saved) = saved(5);
    let bytes = fs::read(scratch.file()).unwrap();
    let mine = filled(5, Scheme::TwoBig1, 321);
    let refused = |bytes: &[u8]| {
        fs::write(scratch.file(), bytes).unwrap();
        let error = load(&mine, &scratch.file()).unwrap_err();
        assert_eq!((mine.occupied(), mine.probe(key(5))), (321, Some(entry_of(5))), "{error}");
        error
    };
    for place in [0, 8, 12, 16, 24, 32, 33, 40, 120, 127, 128, 4_000_000, bytes.len() - 9, bytes.len() - 1] {
        let mut damaged = bytes.clone();
        damaged[place] ^= 4;
        let error = refused(&damaged);
        match place {
            0 => assert!(matches!(error, TableFileError::NotATable), "{error}"),
            8 => assert_eq!(error.to_string(), "its format has version 5, this program reads version 1"),
            12 => assert_eq!(error.to_string(), "its entries have layout 5, this program reads layout 1"),
            _ => assert!(matches!(error, TableFileError::Damaged), "{place}: {error}"),
        }
    }
    for length in [0, 1, HEADER - 1, HEADER, HEADER + 1, 1 << 20, bytes.len() - 1] {
        let error = refused(&bytes[..length]);
        assert!(matches!(error, TableFileError::NotATable | TableFileError::Length { .. }), "{length}: {error}");
    }
    assert!(matches!(refused(&[&bytes[..], &[0]].concat()), TableFileError::Length { .. }));
    // A whole header, but that of another file of this size.
    let mut swapped = bytes.clone();
    swapped[33] += 1;
    seal(&mut swapped);
    assert!(matches!(refused(&swapped), TableFileError::Damaged));
    for buckets in [1_u64 << 57, 1 << 50, 1 << 41, u64::MAX] {
        let mut huge = bytes[..HEADER].to_vec();
        huge[16..24].copy_from_slice(&buckets.to_le_bytes());
        seal(&mut huge);
        assert!(matches!(refused(&huge), TableFileError::Damaged), "{buckets:x}");
    }

    fs::write(scratch.file(), &bytes).unwrap();
    let foreign = options().fingerprint(8);
    assert!(matches!(mine.load(&scratch.file(), foreign), Err(TableFileError::Fingerprint)));
    assert_eq!(load(&mine, scratch.0.path()).unwrap_err().to_string(), "it is not a regular file");
    assert!(matches!(load(&mine, &scratch.join("none")), Err(TableFileError::Io(_))));
    assert_eq!(mine.occupied(), 321);
    load(&mine, &scratch.file()).unwrap();
    assert_eq!(mine.occupied(), saved.occupied());
}

/// The first pass only checks the file. The second reads it again and changes the table.
#[cfg_attr(not(panic = "unwind"), ignore = "needs panics that unwind")]
#[test]
fn failures_of_the_second_pass_empty_the_table() {
    let (scratch, _) = saved(9);
    let bytes = fs::read(scratch.file()).unwrap();
    let truncate = || File::options().write(true).open(scratch.file()).unwrap().set_len(5_000_000).unwrap();
    for (scheme, threads) in [(Scheme::TwoBig1, 1), (Scheme::TwoBig1, 3), (Scheme::Deep, 1)] {
        let load_until = |limit, fail: &(dyn Fn() + Sync)| {
            fs::write(scratch.file(), &bytes).unwrap();
            let table = filled(9, scheme, 321);
            let progress = |percent| {
                if percent >= limit {
                    fail()
                }
            };
            let load = || table.load(&scratch.file(), options().threads(threads).progress(&progress));
            (panic::catch_unwind(AssertUnwindSafe(load)).ok(), table.occupied())
        };
        assert!(matches!(load_until(50, &truncate), (Some(Err(TableFileError::Changed)), 0)), "{scheme}");
        assert!(matches!(load_until(0, &|| panic!("in progress")), (None, 321)), "{scheme}");
        assert!(matches!(load_until(60, &|| panic!("in progress")), (None, 0)), "{scheme}");
    }
}

/// Half a loaded table is worth less than either, so the second half goes on to its end.
#[test]
fn stop_flag_counts_until_the_file_is_checked() {
    let (scratch, saved) = saved(9);
    let load_and_stop_at = |limit| {
        let table = filled(9, Scheme::TwoBig1, 321);
        let stop = AtomicBool::new(false);
        let progress = |percent| stop.store(percent >= limit, Ordering::Relaxed);
        let options = options().threads(1).stop(&stop).progress(&progress);
        (table.load(&scratch.file(), options), table)
    };
    let (result, table) = load_and_stop_at(0);
    assert!(matches!(result, Err(TableFileError::Stopped)));
    assert_eq!((table.occupied(), table.probe(key(5))), (321, Some(entry_of(5))));
    let (result, table) = load_and_stop_at(50);
    assert_eq!((result.unwrap().positions as usize, table.occupied()), (saved.occupied(), saved.occupied()));
}

#[test]
fn failed_saves_leave_the_old_file() {
    let scratch = Scratch::new();
    fs::write(scratch.file(), b"precious").unwrap();
    let stop = AtomicBool::new(true);
    let table = filled(9, Scheme::TwoBig1, 100);
    let stopped = table.save(&scratch.file(), options().stop(&stop));
    assert!(matches!(stopped, Err(TableFileError::Stopped)));
    assert_eq!(fs::read(scratch.file()).unwrap(), b"precious");
    assert_eq!(save(&table, scratch.0.path()).unwrap_err().to_string(), "it is not a regular file");
    assert!(matches!(save(&table, &scratch.join("no/folder")), Err(TableFileError::Io(_))));
    assert_eq!(scratch.names(), ["table.hash"]);
}

#[cfg(unix)]
#[test]
fn symbolic_links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let scratch = Scratch::new();
    let (link, elsewhere) = (scratch.join("link"), scratch.join("elsewhere"));
    fs::create_dir(&elsewhere).unwrap();
    let file = elsewhere.join("table.hash");
    fs::write(&file, b"old").unwrap();
    symlink("elsewhere/table.hash", &link).unwrap();
    let table = filled(2, Scheme::TwoBig1, 100);
    for mode in [0o444, 0o640] {
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        let report = save(&table, &link).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        let there = fs::metadata(&file).unwrap();
        assert_eq!((there.len(), there.permissions().mode() & 0o777), (report.bytes, mode));
    }
    assert_eq!(load(&filled(2, Scheme::TwoBig1, 0), &link).unwrap().positions, 100);
    assert_eq!((scratch.names().len(), fs::read_dir(&elsewhere).unwrap().count()), (2, 1));
}

#[cfg(unix)]
#[test]
fn a_link_to_a_missing_file_stays() {
    let scratch = Scratch::new();
    std::os::unix::fs::symlink("missing", scratch.join("link")).unwrap();
    let error = save(&table(1, Scheme::New), &scratch.join("link")).unwrap_err();
    assert_eq!(error.to_string(), "it is a link to a missing file");
    assert!(scratch.join("link").is_symlink() && scratch.names() == ["link"]);
}

#[test]
fn long_names_are_saved() {
    for name in ["x".repeat(250), "é".repeat(125)] {
        let scratch = Scratch::new();
        for _ in 0..2 {
            save(&table(1, Scheme::New), &scratch.join(&name)).unwrap();
        }
        assert_eq!(scratch.names(), [name]);
    }
}

/// A draft is created, locked, written and renamed. Another save may come between any two of these steps.
#[cfg_attr(target_os = "wasi", ignore = "WASI has no locks for files")]
#[test]
fn only_abandoned_drafts_are_removed() {
    let scratch = Scratch::new();
    let table = table(1, Scheme::New);
    let draft = |number: u32| scratch.join(format!(".table.hash.{number}.sesame-draft"));
    let others =
        ["table.hash.2024.tmp", "table.hash.7.sesame-draft", ".table.hash.x7.sesame-draft", ".table.hash.7.tmp"];
    others.iter().for_each(|name| fs::write(scratch.join(name), b"precious").unwrap());
    fs::write(draft(1), b"half a table").unwrap();
    let mut other = File::options().write(true).create_new(true).open(draft(2)).unwrap();
    save(&table, &scratch.file()).unwrap();
    assert!(!draft(1).exists() && draft(2).exists(), "{:?}", scratch.names());
    other.try_lock().unwrap();
    other.write_all(b"another table").unwrap();
    save(&table, &scratch.file()).unwrap();
    assert_eq!(fs::read(draft(2)).unwrap(), b"another table");
    // As if its process had been killed.
    drop(other);
    save(&table, &scratch.file()).unwrap();
    assert!(!draft(2).exists() && others.iter().all(|name| scratch.join(name).exists()), "{:?}", scratch.names());
    assert_eq!(scratch.names().len(), 1 + others.len());
}

/// A second save to the file begins and ends while the first is half done.
#[test]
fn two_saves_to_one_file_both_end_well() {
    let scratch = Scratch::new();
    let [first, second] = [100, 200].map(|count| filled(9, Scheme::TwoBig1, count));
    let saved = Mutex::new(None);
    let interrupt = |percent| {
        if percent == 33 {
            *saved.lock().unwrap() = Some((save(&second, &scratch.file()), fs::read(scratch.file())));
        }
    };
    let options = options().threads(1).progress(&interrupt);
    let first_report = first.save(&scratch.file(), options).unwrap();
    let (second_report, between) = saved.into_inner().unwrap().unwrap();
    assert_eq!([first_report, second_report.unwrap()].map(|report| report.positions), [100, 200]);
    let loaded = || load(&table(9, Scheme::TwoBig1), &scratch.file()).unwrap().positions;
    assert_eq!((loaded(), scratch.names()), (100, vec!["table.hash".to_owned()]), "the last to end counts");
    fs::write(scratch.file(), between.unwrap()).unwrap();
    assert_eq!(loaded(), 200);
}

/// A failed sync shows that there is one, and that it comes before the old file is replaced.
#[cfg(target_os = "linux")]
#[test]
fn failed_syncs_leave_the_old_file() {
    /// Makes every fsync of this thread, and of the threads it starts, fail with EIO.
    fn break_fsync() {
        let failure = libc::SECCOMP_RET_ERRNO | libc::EIO as u32;
        // The number of the system call is the first word; only fsync does not jump over its return.
        let code = |code: u32, jump: u8, k: u32| libc::sock_filter { code: code as u16, jt: 0, jf: jump, k };
        let mut filter = [
            code(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0),
            code(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 1, libc::SYS_fsync as u32),
            code(libc::BPF_RET | libc::BPF_K, 0, failure),
            code(libc::BPF_RET | libc::BPF_K, 0, libc::SECCOMP_RET_ALLOW),
        ];
        let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
        // SAFETY: the program and its filter live until the calls return; the kernel copies them.
        let results = unsafe {
            [
                libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
                libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program),
            ]
        };
        assert_eq!(results, [0, 0], "{}", std::io::Error::last_os_error());
    }
    let scratch = Scratch::new();
    fs::write(scratch.file(), b"precious").unwrap();
    let saved = std::thread::scope(|scope| {
        let save = || {
            break_fsync();
            save(&table(1, Scheme::New), &scratch.file())
        };
        scope.spawn(save).join().unwrap()
    });
    assert!(matches!(saved, Err(TableFileError::Io(error)) if error.raw_os_error() == Some(libc::EIO)));
    assert_eq!(fs::read(scratch.file()).unwrap(), b"precious");
    assert_eq!(scratch.names(), ["table.hash"]);
}

#[test]
fn loaded_entries_are_fresh_in_the_next_generation() {
    let scratch = Scratch::new();
    let options = TableOptions::default().positions(1 << 17).rule(Scheme::Old);
    for generations in [0, 3] {
        let saved = Table::with_options(options).unwrap();
        (0..generations).for_each(|_| saved.next_generation());
        (0..100).for_each(|n| saved.store(key(n), &entry_of(n), 1));
        save(&saved, &scratch.file()).unwrap();
        for positions in [1 << 17, 1 << 16] {
            let loaded = Table::with_options(options.positions(positions)).unwrap();
            load(&loaded, &scratch.file()).unwrap();
            loaded.next_generation();
            // Under OLD only a stale entry gives way.
            let known: Vec<u64> = (0..100).filter(|&n| loaded.probe(key(n)).is_some()).collect();
            (1000..500_000).for_each(|n| loaded.store(key(n), &entry_of(n), 1));
            assert!(known.iter().all(|&n| loaded.probe(key(n)) == Some(entry_of(n))), "{generations} {positions}");
        }
    }
}

/// A race can leave a key in both levels. Stored again, the second entry meets the first.
#[test]
fn key_in_both_levels_is_updated_as_the_table_says() {
    let scratch = Scratch::new();
    let saved = table(2, Scheme::TwoBig1);
    let (deep, shallow) = (Entry { depth: 30, ..entry_of(1) }, Entry { depth: 2, ..entry_of(3) });
    for (slot, entry) in saved.buckets()[index(key(1), 1 << 16)].slots().iter().zip([deep, shallow]) {
        slot.write(RawEntry::new(entry.pack(saved.generation()), key(1), Work::from_nodes(9)));
    }
    save(&saved, &scratch.file()).unwrap();
    for (update, expected) in [(Update::Merge, deep), (Update::Overwrite, shallow)] {
        let options = TableOptions::default().positions(1 << 18).update(update);
        let loaded = Table::with_options(options).unwrap();
        assert_eq!(load(&loaded, &scratch.file()).unwrap().positions, 1);
        assert_eq!(loaded.probe(key(1)), Some(expected), "{update:?}");
    }
}

#[test]
fn tables_with_a_rule_of_their_own_are_saved_by_their_levels() {
    struct Newest(bool);
    impl Rule<Entry> for Newest {
        fn has_two_levels(&self) -> bool {
            self.0
        }
    }
    let scratch = Scratch::new();
    for two_levels in [false, true] {
        let table = || sesame_table::Table::<Entry, _>::with_mib(2, Newest(two_levels)).unwrap();
        let saved = table();
        saved.store(key(1), &entry_of(1), 1);
        saved.save(&scratch.file(), options()).unwrap();
        let like = table();
        assert!(!like.load(&scratch.file(), options()).unwrap().reinserted);
        assert_eq!(like.probe(key(1)), Some(entry_of(1)));
        for &scheme in Scheme::ALL {
            let loaded = self::table(2, scheme);
            let report = load(&loaded, &scratch.file()).unwrap();
            assert_eq!((report.positions, loaded.probe(key(1))), (1, Some(entry_of(1))));
            assert_eq!(report.reinserted, two_levels != scheme.has_two_levels(), "{scheme}");
        }
    }
}

/// A file of this version is the same for ever. Another format has another version.
#[test]
fn format_stays_the_same() {
    let scratch = Scratch::new();
    let options = TableOptions::default().positions(2).rule(Scheme::TwoDeep);
    let table = Table::with_options(options).unwrap();
    table.next_generation();
    table.store(0x0123_4567_89ab_cdef, &entry_of(77), 5);
    save(&table, &scratch.file()).unwrap();
    let bytes = fs::read(scratch.file()).unwrap();
    let hex = |range: std::ops::Range<usize>| {
        bytes[range].iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
    };
    // Magic, version, layout; buckets, fingerprint; scheme, generation, zeros; checksum.
    assert_eq!(hex(0..16), "534553414d4548540100000001000000");
    assert_eq!(hex(16..32), "01000000000000000700000000000000");
    assert_eq!(hex(32..120), format!("0601{}", "00".repeat(86)));
    assert_eq!(hex(120..HEADER), "6e7ccba990dc8d67");
    // Two slots of data and signature, then the checksum of the chunk and that of the file.
    assert_eq!(hex(128..160), format!("b2ff814d09004d000500efcdab896745{}", "00".repeat(16)));
    assert_eq!(hex(160..bytes.len()), "8f55a1548dcb87461fe54bd592453f95");
}
