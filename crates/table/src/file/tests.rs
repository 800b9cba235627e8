//! Tests of saving and loading.

#[path = "../../tests/all/entry.rs"]
mod entry;

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};

use self::entry::{Bound, Entry};
use super::*;
use crate::{Payload, Place, RawEntry, Signature, Slot, TableOptions, Update, Work, mix64};

type Table = crate::Table<Entry>;

/// A folder that is removed when the test ends.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let folder = std::env::temp_dir().join(format!("sesame-hash-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Scratch(folder)
    }

    fn file(&self) -> PathBuf {
        self.0.join("table.hash")
    }

    /// Returns the names of the files in the folder.
    fn names(&self) -> Vec<String> {
        fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn key(n: u64) -> u64 {
    mix64(n + 1)
}

fn entry_of(n: u64) -> Entry {
    Entry {
        mv: n as u16,
        score: (n >> 3) as i16,
        depth: n as u8,
        bound: Bound::Lower,
        pv: n.is_multiple_of(2),
        eval: !(n as i16),
    }
}

fn table(mib: usize, scheme: Scheme) -> Table {
    Table::with_mib(mib, scheme).unwrap()
}

fn filled(mib: usize, scheme: Scheme, count: u64) -> Table {
    let table = table(mib, scheme);
    (0..3).for_each(|_| table.next_generation());
    (0..count).for_each(|n| table.store(key(n), &entry_of(n), n % 5000 + 1));
    table
}

fn save(table: &Table, path: &Path) -> Result<TableFileReport, TableFileError> {
    table.save(path, TableFileOptions { fingerprint: 7, threads: 3, ..TableFileOptions::default() })
}

fn load(table: &Table, path: &Path) -> Result<TableFileReport, TableFileError> {
    table.load(path, TableFileOptions { fingerprint: 7, threads: 3, ..TableFileOptions::default() })
}

#[test]
fn saved_slots_are_loaded_unchanged() {
    let scratch = Scratch::new("same");
    for scheme in Scheme::ALL {
        let saved = filled(9, scheme, 400_000);
        let report = save(&saved, &scratch.file()).unwrap();
        assert_eq!(report.positions as usize, saved.occupied());
        assert_eq!(report.bytes, fs::metadata(scratch.file()).unwrap().len());
        let loaded = filled(9, scheme, 1000);
        assert_eq!(load(&loaded, &scratch.file()).unwrap(), report);
        assert_eq!(loaded.generation().next(), saved.generation());
        for n in 0..400_000 {
            assert_eq!(loaded.probe_with_work(key(n)), saved.probe_with_work(key(n)), "{scheme} {n}");
        }
        assert_eq!(scratch.names(), ["table.hash"]);
    }
}

#[test]
fn another_size_or_scheme_keeps_entries() {
    let scratch = Scratch::new("size");
    let saved = filled(4, Scheme::TwoBig1, 60_000);
    save(&saved, &scratch.file()).unwrap();
    let known: Vec<u64> = (0..60_000).filter(|&n| saved.probe(key(n)).is_some()).collect();
    for (mib, scheme) in
        [(64, Scheme::TwoBig1), (64, Scheme::Deep), (3, Scheme::TwoBig1), (1, Scheme::TwoDeep), (4, Scheme::New)]
    {
        let loaded = table(mib, scheme);
        (100_000..100_500).for_each(|n| loaded.store(key(n), &entry_of(n), u64::MAX));
        let report = load(&loaded, &scratch.file()).unwrap();
        assert!((100_000..100_500).all(|n| loaded.probe(key(n)).is_none()), "the old entries are cleared");
        assert!(report.replaced && report.positions as usize == loaded.occupied());
        assert_eq!(loaded.generation().next(), saved.generation());
        let kept = known.iter().filter(|&&n| loaded.probe(key(n)).is_some()).count();
        for &n in &known {
            let found = loaded.probe_with_work(key(n));
            assert!(found.is_none() || found == saved.probe_with_work(key(n)), "{mib} {scheme} {n}");
        }
        assert_eq!(loaded.occupied(), kept);
        let least = if mib == 64 {
            known.len() * 97 / 100
        } else if mib == 1 {
            30_000
        } else {
            known.len() * 4 / 5
        };
        assert!(kept >= least, "{mib} {scheme}: {kept} of {}", known.len());
    }
}

#[test]
fn small_tables_fit_only_their_own_size() {
    let scratch = Scratch::new("small");
    let saved = filled(1, Scheme::TwoBig1, 10_000);
    save(&saved, &scratch.file()).unwrap();
    let like = table(1, Scheme::TwoDeep);
    load(&like, &scratch.file()).unwrap();
    assert_eq!(like.occupied(), saved.occupied());
    let larger = filled(2, Scheme::TwoBig1, 100);
    assert!(matches!(load(&larger, &scratch.file()), Err(TableFileError::Unplaceable)));
    assert_eq!(larger.occupied(), 100);
}

#[test]
fn damaged_files_leave_the_table_unchanged() {
    let scratch = Scratch::new("damage");
    let saved = filled(5, Scheme::TwoBig1, 50_000);
    save(&saved, &scratch.file()).unwrap();
    let bytes = fs::read(scratch.file()).unwrap();
    let mine = filled(5, Scheme::TwoBig1, 321);
    let refused = |bytes: &[u8]| {
        fs::write(scratch.file(), bytes).unwrap();
        let error = load(&mine, &scratch.file()).unwrap_err();
        assert_eq!(mine.occupied(), 321, "{error}");
        assert_eq!(mine.probe(key(5)), Some(entry_of(5)));
        error
    };
    for place in [0, 8, 12, 16, 24, 32, 33, 40, 120, 127, 128, 4_000_000, bytes.len() - 9, bytes.len() - 1] {
        let mut damaged = bytes.clone();
        damaged[place] ^= 4;
        let error = refused(&damaged);
        match place {
            0 => assert!(matches!(error, TableFileError::NotOurs), "{error}"),
            8 => assert_eq!(error.to_string(), "its format has version 5, this program reads version 1"),
            12 => assert_eq!(error.to_string(), "its entries have layout 5, this program reads layout 1"),
            _ => assert!(matches!(error, TableFileError::Damaged), "{place}: {error}"),
        }
    }
    for length in [0, 1, HEADER - 1, HEADER, HEADER + 1, 1 << 20, bytes.len() - 1] {
        let error = refused(&bytes[..length]);
        assert!(matches!(error, TableFileError::NotOurs | TableFileError::Length { .. }), "{length}: {error}");
    }
    assert!(matches!(refused(&[&bytes[..], &[0]].concat()), TableFileError::Length { .. }));
    fs::write(scratch.file(), &bytes).unwrap();
    let options = TableFileOptions { fingerprint: 8, ..TableFileOptions::default() };
    assert!(matches!(mine.load(&scratch.file(), options), Err(TableFileError::Foreign)));
    assert_eq!(load(&mine, &scratch.0).unwrap_err().to_string(), "it is not a regular file");
    assert!(matches!(load(&mine, &scratch.0.join("none")), Err(TableFileError::Io(_))));
    assert_eq!(mine.occupied(), 321);
    load(&mine, &scratch.file()).unwrap();
    assert_eq!(mine.occupied(), saved.occupied());
}

/// The second pass reads the file again: the table is then no longer as it was, so it is emptied.
#[test]
fn changed_files_empty_the_table() {
    let scratch = Scratch::new("changed");
    save(&filled(9, Scheme::TwoBig1, 100_000), &scratch.file()).unwrap();
    for scheme in [Scheme::TwoBig1, Scheme::Deep] {
        let bytes = fs::read(scratch.file()).unwrap();
        let table = filled(9, scheme, 321);
        let damage = |percent| {
            if percent == 50 {
                File::options().write(true).open(scratch.file()).unwrap().set_len(5_000_000).unwrap();
            }
        };
        let options = TableFileOptions { fingerprint: 7, threads: 1, progress: &damage, ..TableFileOptions::default() };
        let error = table.load(&scratch.file(), options).unwrap_err();
        assert!(matches!(error, TableFileError::Changed), "{error}");
        assert_eq!(table.occupied(), 0, "{scheme}");
        fs::write(scratch.file(), bytes).unwrap();
    }
}

#[test]
fn stopped_loads_leave_the_table_unchanged() {
    let scratch = Scratch::new("stopped");
    save(&filled(9, Scheme::TwoBig1, 100_000), &scratch.file()).unwrap();
    let table = filled(9, Scheme::TwoBig1, 321);
    let stop = AtomicBool::new(false);
    let stop_soon = |_| stop.store(true, Ordering::Relaxed);
    let options = TableFileOptions { fingerprint: 7, threads: 1, stop: &stop, progress: &stop_soon };
    assert!(matches!(table.load(&scratch.file(), options), Err(TableFileError::Stopped)));
    assert_eq!((table.occupied(), table.probe(key(5))), (321, Some(entry_of(5))));
}

/// Half a loaded table is worth less than either, so the second pass goes on to its end.
#[test]
fn stop_flag_is_ignored_once_the_file_is_checked() {
    let scratch = Scratch::new("late");
    let saved = filled(9, Scheme::TwoBig1, 100_000);
    let report = save(&saved, &scratch.file()).unwrap();
    let table = filled(9, Scheme::TwoBig1, 321);
    let stop = AtomicBool::new(false);
    let stop_late = |percent| stop.store(percent >= 50, Ordering::Relaxed);
    let options = TableFileOptions { fingerprint: 7, threads: 1, stop: &stop, progress: &stop_late };
    assert_eq!(table.load(&scratch.file(), options).unwrap(), report);
    assert_eq!(table.occupied(), saved.occupied());
}

#[test]
fn failed_saves_leave_the_old_file() {
    let scratch = Scratch::new("fails");
    fs::write(scratch.file(), b"precious").unwrap();
    let stop = AtomicBool::new(true);
    let options = TableFileOptions { stop: &stop, ..TableFileOptions::default() };
    let table = filled(9, Scheme::TwoBig1, 100);
    assert!(matches!(table.save(&scratch.file(), options), Err(TableFileError::Stopped)));
    assert_eq!(fs::read(scratch.file()).unwrap(), b"precious");
    assert_eq!(scratch.names(), ["table.hash"]);
    assert_eq!(save(&table, &scratch.0).unwrap_err().to_string(), "it is not a regular file");
    assert!(matches!(save(&table, &scratch.0.join("no/folder")), Err(TableFileError::Io(_))));
    assert_eq!(scratch.names(), ["table.hash"]);
}

#[cfg(unix)]
#[test]
fn symbolic_links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let scratch = Scratch::new("links");
    let link = scratch.0.join("link");
    let elsewhere = scratch.0.join("elsewhere");
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

#[test]
fn only_abandoned_drafts_are_removed() {
    let scratch = Scratch::new("orphans");
    let draft = |number: u32| scratch.0.join(format!(".table.hash.{number}.sesame-draft"));
    for number in [1, 2] {
        fs::write(draft(number), b"half a table").unwrap();
    }
    let living = OpenOptions::new().write(true).open(draft(2)).unwrap();
    living.try_lock().unwrap();
    save(&table(1, Scheme::New), &scratch.file()).unwrap();
    assert!(!draft(1).exists() && draft(2).exists(), "{:?}", scratch.names());
    // A draft with the number of this process that is being written stays as well.
    fs::write(draft(std::process::id()), b"half a table").unwrap();
    let twin = OpenOptions::new().write(true).open(draft(std::process::id())).unwrap();
    twin.try_lock().unwrap();
    assert!(matches!(save(&table(1, Scheme::New), &scratch.file()), Err(TableFileError::InUse)));
    assert_eq!(fs::read(draft(std::process::id())).unwrap(), b"half a table");
    drop((living, twin));
    save(&table(1, Scheme::New), &scratch.file()).unwrap();
    assert_eq!(scratch.names(), ["table.hash"]);
}

#[test]
fn files_of_others_stay_beside_a_save() {
    let scratch = Scratch::new("others");
    let names =
        ["table.hash.2024.tmp", "table.hash.7.sesame-draft", ".table.hash.x7.sesame-draft", ".table.hash.7.tmp"];
    names.iter().for_each(|name| fs::write(scratch.0.join(name), b"precious").unwrap());
    save(&table(1, Scheme::New), &scratch.file()).unwrap();
    assert!(names.iter().all(|name| scratch.0.join(name).exists()), "{:?}", scratch.names());
}

#[cfg(unix)]
#[test]
fn drafts_do_not_follow_links() {
    let scratch = Scratch::new("trap");
    let precious = scratch.0.join("precious");
    fs::write(&precious, b"precious").unwrap();
    // The second link has the name of the draft.
    for name in ["table.hash.PID.tmp", ".table.hash.PID.sesame-draft"] {
        let draft = scratch.0.join(name.replace("PID", &std::process::id().to_string()));
        std::os::unix::fs::symlink(&precious, &draft).unwrap();
        let result = save(&table(1, Scheme::New), &scratch.file());
        assert_eq!(fs::read(&precious).unwrap(), b"precious");
        assert!(fs::symlink_metadata(&draft).unwrap().is_symlink());
        if name.starts_with('.') {
            let error = result.unwrap_err().to_string();
            assert!(error.starts_with("its draft") && error.ends_with("is not a regular file"), "{error}");
        }
    }
}

#[test]
fn progress_rises_to_a_hundred() {
    let scratch = Scratch::new("progress");
    let table = filled(33, Scheme::TwoBig1, 1000);
    let heard = Mutex::new(Vec::new());
    let hear = |percent| heard.lock().unwrap().push(percent);
    let options = TableFileOptions { threads: 1, progress: &hear, ..TableFileOptions::default() };
    table.save(&scratch.file(), options).unwrap();
    assert!(heard.lock().unwrap().is_sorted() && heard.lock().unwrap().last() == Some(&100));
    heard.lock().unwrap().clear();
    table.load(&scratch.file(), options).unwrap();
    assert!(
        heard.lock().unwrap().is_sorted()
            && heard.lock().unwrap().last() == Some(&100)
            && heard.lock().unwrap().len() > 8
    );
}

#[test]
fn any_number_of_buckets_is_saved() {
    let scratch = Scratch::new("odd");
    for positions in [1, 2, 2 * CHUNK, 2 * CHUNK + 1, 200_001] {
        let options = TableOptions { positions, ..TableOptions::default() };
        let table = Table::with_options(&options).unwrap();
        (0..5000).for_each(|n| table.store(key(n), &entry_of(n), 1));
        save(&table, &scratch.file()).unwrap();
        let other = Table::with_options(&options).unwrap();
        load(&other, &scratch.file()).unwrap();
        assert!((0..5000).all(|n| other.probe(key(n)) == table.probe(key(n))));
    }
}

#[test]
fn loaded_entries_are_fresh_without_stamps() {
    let scratch = Scratch::new("stampless");
    let options = TableOptions { positions: 1 << 17, scheme: Scheme::Old, stamps: false, ..TableOptions::default() };
    for stamps in [false, true] {
        let saved = Table::with_options(&TableOptions { stamps, ..options }).unwrap();
        (0..3).for_each(|_| saved.next_generation());
        (0..100).for_each(|n| saved.store(key(n), &entry_of(n), 1));
        save(&saved, &scratch.file()).unwrap();
        for positions in [1 << 17, 1 << 16] {
            let loaded = Table::with_options(&TableOptions { positions, ..options }).unwrap();
            load(&loaded, &scratch.file()).unwrap();
            loaded.next_generation();
            // Under OLD only a stale entry gives way.
            let known: Vec<u64> = (0..100).filter(|&n| loaded.probe(key(n)).is_some()).collect();
            (1000..500_000).for_each(|n| loaded.store(key(n), &entry_of(n), 1));
            assert!(known.iter().all(|&n| loaded.probe(key(n)) == Some(entry_of(n))), "{stamps} {positions}");
        }
    }
}

/// Sparse files claim any length.
#[test]
fn huge_files_are_refused() {
    let scratch = Scratch::new("huge");
    for buckets in [1 << 57, 1 << 50, 1 << 41, u64::MAX] {
        let header = Header { scheme: Scheme::New, generation: 0, buckets, fingerprint: 7 };
        fs::write(scratch.file(), header.to_bytes()).unwrap();
        let length = (128 + 8 * (header.chunks() + 1)).saturating_add(buckets.saturating_mul(32));
        let file = File::options().write(true).open(scratch.file()).unwrap();
        // A file system may refuse that length.
        let _ = file.set_len(length);
        let mine = filled(5, Scheme::New, 321);
        let error = load(&mine, &scratch.file()).unwrap_err();
        assert!(matches!(error, TableFileError::Damaged), "{error}");
        assert_eq!(mine.probe(key(5)), Some(entry_of(5)));
    }
}

#[test]
fn panics_in_progress_empty_the_table() {
    let scratch = Scratch::new("panic");
    save(&filled(9, Scheme::TwoBig1, 100_000), &scratch.file()).unwrap();
    for (scheme, threads) in [(Scheme::TwoBig1, 1), (Scheme::TwoBig1, 3), (Scheme::Deep, 1)] {
        for limit in [0, 60] {
            let table = filled(9, scheme, 321);
            let progress = |percent| assert!(percent < limit, "a panic in progress");
            let options =
                TableFileOptions { fingerprint: 7, threads, progress: &progress, ..TableFileOptions::default() };
            let load = std::panic::AssertUnwindSafe(|| table.load(&scratch.file(), options));
            std::panic::catch_unwind(load).unwrap_err();
            // The first half only checks the file.
            assert_eq!(table.occupied(), if limit == 0 { 321 } else { 0 }, "{scheme}");
        }
    }
}

#[test]
fn two_mebibytes_fit_another_size() {
    let scratch = Scratch::new("least");
    let saved = filled(2, Scheme::TwoBig1, 100);
    save(&saved, &scratch.file()).unwrap();
    let loaded = table(4, Scheme::TwoBig1);
    assert_eq!(load(&loaded, &scratch.file()).unwrap().positions, 100);
    assert!((0..100).all(|n| loaded.probe(key(n)) == Some(entry_of(n))));
    // With one bucket less, the place is not known.
    let options = TableOptions { positions: (1 << 17) - 2, ..TableOptions::default() };
    save(&Table::with_options(&options).unwrap(), &scratch.file()).unwrap();
    assert!(matches!(load(&loaded, &scratch.file()), Err(TableFileError::Unplaceable)));
}

/// A race can leave a key in both levels. Stored anew, the second entry meets the first.
#[test]
fn key_in_both_levels_is_updated_as_the_table_says() {
    let scratch = Scratch::new("twice");
    let saved = table(2, Scheme::TwoBig1);
    let (deep, shallow) = (Entry { depth: 30, ..entry_of(1) }, Entry { depth: 2, ..entry_of(3) });
    let place = Place::of(key(1), saved.memory().buckets().len());
    for (is_second, entry) in [(false, deep), (true, shallow)] {
        let signature = Signature::new(key(1), Work::from_nodes(9));
        let entry = RawEntry { data: entry.pack(saved.generation()), signature };
        saved.memory().buckets()[place.bucket].slot(is_second).write(entry);
    }
    save(&saved, &scratch.file()).unwrap();
    for (update, expected) in [(Update::Merge, deep), (Update::Overwrite, shallow)] {
        let options = TableOptions { positions: 1 << 18, update, ..TableOptions::default() };
        let loaded = Table::with_options(&options).unwrap();
        assert_eq!(load(&loaded, &scratch.file()).unwrap().positions, 1);
        assert_eq!(loaded.probe(key(1)), Some(expected), "{update:?}");
    }
}

/// A file of this version is the same for ever. Another format has another version.
#[test]
fn format_stays_the_same() {
    let scratch = Scratch::new("format");
    let options = TableOptions { positions: 2, scheme: Scheme::TwoDeep, ..TableOptions::default() };
    let table = Table::with_options(&options).unwrap();
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

/// The header of another table of the same size is whole, but belongs to another file.
#[test]
fn header_of_another_file_is_damage() {
    let scratch = Scratch::new("header");
    let [ours, theirs] = [1, 2].map(|generations| {
        let table = filled(2, Scheme::TwoBig1, 100);
        (0..generations).for_each(|_| table.next_generation());
        save(&table, &scratch.file()).unwrap();
        fs::read(scratch.file()).unwrap()
    });
    assert_ne!(ours[..HEADER], theirs[..HEADER]);
    fs::write(scratch.file(), [&ours[..HEADER], &theirs[HEADER..]].concat()).unwrap();
    assert!(matches!(load(&filled(2, Scheme::TwoBig1, 0), &scratch.file()), Err(TableFileError::Damaged)));
}

#[test]
fn each_percent_is_reported_once() {
    let heard = Mutex::new(Vec::new());
    let hear = |percent| heard.lock().unwrap().push(percent);
    let options = TableFileOptions { threads: 1, progress: &hear, ..TableFileOptions::default() };
    Pass::new(options, 1000, 50, 50).run(|_, _| Ok(())).unwrap();
    assert_eq!(heard.into_inner().unwrap(), (51..=100).collect::<Vec<_>>());
}
