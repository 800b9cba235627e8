//! Journals that are complete, cut off, foreign or damaged.

use std::fs;

use tempfile::TempDir;

use super::*;

const KIND: JournalKind = JournalKind {
    magic: "# test journal 1\n",
    name: "test journal",
    conditions: "test conditions",
    advice: "take another file",
};
/// A kind with a condition on the first line.
const HASHED: JournalKind = JournalKind { magic: "# hashed journal 1 ", ..KIND };

#[derive(Clone, PartialEq, Eq, Debug)]
struct TestRow {
    name: String,
    depth: u32,
    micros: Option<u64>,
}

impl JournalRow for TestRow {
    const COLUMNS: &'static str = "name,depth,micros";
    type Key = (String, u32);

    fn key(&self) -> Self::Key {
        (self.name.clone(), self.depth)
    }

    fn line(&self) -> String {
        let micros = self.micros.map_or_else(String::new, |micros| micros.to_string());
        format!("{},{},{micros}", self.name, self.depth)
    }

    fn parse(fields: &mut Fields<'_>) -> Result<Self, String> {
        Ok(Self { name: fields.value()?, depth: fields.value()?, micros: fields.optional()? })
    }
}

fn row(name: &str, depth: u32) -> TestRow {
    TestRow { name: name.into(), depth, micros: depth.is_multiple_of(2).then_some(1000) }
}

fn conditions(hash: &str) -> Vec<String> {
    vec![format!("# hash: {hash}"), "# cores: 2".into()]
}

/// A folder with the path of a journal.
fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.csv");
    (folder, path)
}

fn open(path: &Path, existing: Existing) -> Result<Journal<TestRow>, JournalError> {
    Journal::open(&KIND, path, conditions("16 MiB"), existing)
}

/// Writes a journal with two rows and returns its text.
fn written(path: &Path) -> String {
    let mut journal = open(path, Existing::Refuse).unwrap();
    journal.extend([row("a", 1), row("b", 2)]).unwrap();
    journal.finish(TestRow::key).unwrap();
    fs::read_to_string(path).unwrap()
}

#[test]
fn rows_are_on_disk_at_once_and_sorted_at_the_end() {
    let (folder, path) = folder();
    let mut journal = open(&path, Existing::Refuse).unwrap();
    for row in [row("b", 2), row("b", 1), row("a", 3)] {
        journal.add(row).unwrap();
    }
    let read = || KIND.read::<TestRow>(&path).unwrap();
    assert_eq!(read(), Contents { conditions: conditions("16 MiB"), rows: journal.rows().to_vec() });
    assert!(journal.contains(&("b".into(), 2)) && !journal.contains(&("c".into(), 2)));
    journal.add(row("b", 1)).unwrap();
    let rows = journal.finish(TestRow::key).unwrap();
    assert_eq!(rows, [row("a", 3), row("b", 1), row("b", 2)]);
    assert_eq!(read().rows, rows);
    let text = "# test journal 1\n# hash: 16 MiB\n# cores: 2\nname,depth,micros\na,3,\nb,1,\nb,2,1000\n";
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing is left behind");
}

#[test]
fn existing_journals_are_refused_resumed_or_replaced() {
    let (_folder, path) = folder();
    let text = written(&path);
    let error = open(&path, Existing::Refuse).unwrap_err();
    assert!(error.to_string().ends_with("results.csv exists already: take another file"), "{error}");
    assert_eq!(open(&path, Existing::Resume).unwrap().rows(), [row("a", 1), row("b", 2)]);
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    let mut journal = open(&path, Existing::Replace).unwrap();
    assert_eq!(journal.rows(), []);
    journal.add(row("c", 1)).unwrap();
    assert_eq!(KIND.read::<TestRow>(&path).unwrap().rows, journal.into_rows());
}

#[test]
fn journals_cut_off_anywhere_are_resumed() {
    let (_folder, path) = folder();
    for (kind, header_lines) in [(&KIND, 4), (&HASHED, 2)] {
        let conditions = if *kind == KIND { conditions("16 MiB") } else { vec!["0123456789abcdef".into()] };
        let open = |existing| Journal::<TestRow>::open(kind, &path, conditions.clone(), existing);
        let mut journal = open(Existing::Resume).unwrap();
        journal.extend([row("ä", 1), row("b", 2)]).unwrap();
        drop(journal);
        let whole = fs::read(&path).unwrap();
        for length in 0..=whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            let lines = whole[..length].iter().filter(|&&byte| byte == b'\n').count();
            let is_cut_off = lines < header_lines || whole[length - 1] != b'\n';
            let read = kind.read::<TestRow>(&path);
            match read {
                Err(JournalError::Damaged { line, .. }) if is_cut_off => assert_eq!(line, lines + 1),
                read => assert!(read.is_ok() && !is_cut_off, "{length} bytes: {read:?}"),
            }
            let rows = kind.read_unfinished::<TestRow>(&path).unwrap().unwrap().rows;
            assert_eq!(rows.len(), lines.saturating_sub(header_lines), "{length} bytes");
            let mut journal = open(Existing::Resume).unwrap_or_else(|error| panic!("{length} bytes: {error}"));
            assert_eq!(journal.rows(), rows);
            journal.extend([row("ä", 1), row("b", 2)]).unwrap();
            drop(journal);
            assert_eq!(fs::read(&path).unwrap(), whole, "{length} bytes");
        }
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn foreign_and_damaged_files_are_refused_and_stay() {
    let (_folder, path) = folder();
    let text = written(&path);
    let cases = [
        ("hello\n".to_owned(), 0, "# test journal 1"),
        (text.replace("journal 1", "journal 2"), 0, "is not a test journal"),
        (text.replace("name,depth", "depth,name"), 4, "name,depth,micros"),
        (text.replace("# cores", "cores"), 3, "this line should be"),
        (text.replace("b,2,1000", "b,two,1000"), 6, "depth \"two\""),
        (text.replace("b,2,1000", "b,2,-1"), 6, "micros \"-1\""),
        (text.replace("b,2,1000", "b,02,1000"), 6, "not as this program writes it"),
        (text.replace("b,2,1000", "b,2,1000\r"), 6, "micros"),
        (text.replace("b,2,1000", "b,2"), 6, "2 fields instead of 3"),
        (text.replace("b,2,1000", "a,1,"), 6, "line 5"),
        (format!("{text}\n"), 7, "1 fields"),
    ];
    for (text, number, part) in cases {
        fs::write(&path, &text).unwrap();
        let mut errors: Vec<JournalError> = [Existing::Refuse, Existing::Resume, Existing::Replace]
            .into_iter()
            .flat_map(|existing| [open(&path, existing).err(), Journal::<TestRow>::check(&KIND, &path, existing).err()])
            .map(Option::unwrap)
            .collect();
        errors.push(KIND.read::<TestRow>(&path).unwrap_err());
        errors.push(KIND.read_unfinished::<TestRow>(&path).unwrap_err());
        for error in errors {
            let found = if let JournalError::Damaged { line, .. } = error { line } else { 0 };
            assert_eq!(found, number, "{text}: {error}");
            assert!(error.to_string().contains(part), "{text}: {error}");
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    fs::write(&path, [text.as_bytes(), b"\xff,1,\n"].concat()).unwrap();
    assert!(matches!(KIND.read::<TestRow>(&path), Err(JournalError::Damaged { line: 7, .. })));
}

#[test]
fn other_conditions_are_not_resumed() {
    let (_folder, path) = folder();
    let text = written(&path);
    let fewer = vec!["# hash: 16 MiB".to_owned()];
    for (conditions, number, parts) in
        [(conditions("32 MiB"), 2, ["hash: 16 MiB", "hash: 32 MiB"]), (fewer, 3, ["cores: 2", "this run \"\""])]
    {
        let error = Journal::<TestRow>::open(&KIND, &path, conditions, Existing::Resume).unwrap_err();
        assert!(matches!(&error, JournalError::OtherConditions { line, .. } if *line == number), "{error}");
        assert!(parts.iter().all(|part| error.to_string().contains(part)), "{error}");
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    let hashed = Journal::<TestRow>::open(&HASHED, &path, vec!["7".into()], Existing::Replace).unwrap_err();
    assert!(matches!(hashed, JournalError::Foreign { .. }));
    assert!(Journal::<TestRow>::open(&KIND, &path, conditions("32 MiB"), Existing::Replace).is_ok());
}

#[test]
fn the_same_key_must_give_the_same_row() {
    let (_folder, path) = folder();
    let mut journal = open(&path, Existing::Refuse).unwrap();
    journal.add(row("a", 1)).unwrap();
    let error = journal.add(TestRow { micros: Some(7), ..row("a", 1) }).unwrap_err();
    assert!(
        matches!(&error, JournalError::Differs { found, made, .. } if found == "a,1," && made == "a,1,7"),
        "{error}"
    );
}

#[test]
fn fields_cannot_break_the_format() {
    let (_folder, path) = folder();
    let mut journal = open(&path, Existing::Refuse).unwrap();
    for name in ["a,b", "a\nb"] {
        assert!(matches!(journal.add(row(name, 1)), Err(JournalError::Unfit { .. })), "{name:?}");
    }
    assert_eq!(journal.rows(), []);
}

#[test]
fn retained_rows_are_all_that_stays() {
    let (_folder, path) = folder();
    written(&path);
    let mut journal = open(&path, Existing::Resume).unwrap();
    journal.retain(|row| row.name != "a").unwrap();
    assert!(!journal.contains(&("a".into(), 1)));
    journal.add(row("a", 1)).unwrap();
    assert_eq!(KIND.read::<TestRow>(&path).unwrap().rows, [row("b", 2), row("a", 1)]);
}

#[test]
fn one_run_at_a_time_writes_to_a_journal() {
    let (_folder, path) = folder();
    written(&path);
    for existing in [Existing::Resume, Existing::Replace] {
        let journal = open(&path, existing).unwrap();
        assert!(matches!(open(&path, Existing::Resume), Err(JournalError::Busy { .. })));
        drop(journal);
    }
    assert!(open(&path, Existing::Resume).is_ok());
}

#[test]
fn missing_files_and_folders() {
    let (folder, path) = folder();
    assert_eq!(KIND.read_unfinished::<TestRow>(&path).unwrap(), None);
    let error = KIND.read::<TestRow>(&path).unwrap_err();
    assert!(matches!(&error, JournalError::File(error) if error.source.kind() == ErrorKind::NotFound), "{error}");
    Journal::<TestRow>::check(&KIND, &path, Existing::Refuse).unwrap();
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "a check leaves nothing behind");
    for path in [folder.path(), &folder.path().join("nowhere/results.csv")] {
        assert!(matches!(open(path, Existing::Resume), Err(JournalError::File(_))));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn devices_and_full_disks_are_errors() {
    assert!(matches!(open(Path::new("/dev/full"), Existing::Resume), Err(JournalError::File(_))));
    assert!(matches!(KIND.read::<TestRow>(Path::new("/dev/zero")), Err(JournalError::File(_))));
    let (_folder, path) = folder();
    let mut journal = open(&path, Existing::Refuse).unwrap();
    journal.file = Some(File::options().write(true).open("/dev/full").unwrap());
    let error = journal.add(row("a", 1)).unwrap_err();
    assert!(matches!(&error, JournalError::File(error) if error.source.kind() == ErrorKind::StorageFull), "{error}");
}

/// Writes the journals of `count` parts of rows 0..`items`, and returns their paths.
fn parts(folder: &TempDir, count: u32, items: u32) -> Vec<PathBuf> {
    let part = |index| {
        let shard = crate::Shard::new(index, count).unwrap();
        let rows: Vec<TestRow> = shard.of(0..items).map(|depth| row("a", depth)).collect();
        let path = folder.path().join(format!("{index}.csv"));
        let lines = [conditions("16 MiB"), shard.condition(rows.len()).into_iter().collect()].concat();
        let mut journal = Journal::open(&KIND, &path, lines, Existing::Replace).unwrap();
        journal.extend(rows).unwrap();
        path
    };
    (1..=count).map(part).collect()
}

#[test]
fn merged_parts_are_the_whole() {
    let (folder, _) = folder();
    for (count, items) in [(2, 9), (3, 20), (5, 3)] {
        let mut paths = parts(&folder, count, items);
        paths.reverse();
        let merged = KIND.merge::<TestRow>(&paths).unwrap();
        let rows = (0..items).map(|depth| row("a", depth)).collect();
        assert_eq!(merged, Contents { conditions: conditions("16 MiB"), rows });
    }
}

#[test]
fn parts_of_any_size_are_merged_in_order() {
    let (folder, _) = folder();
    let part = |index: u32, depths: &[u32]| {
        let shard = crate::Shard::new(index, 2).unwrap();
        let path = folder.path().join(format!("{index}.csv"));
        let lines = [conditions("16 MiB"), shard.condition(depths.len()).into_iter().collect()].concat();
        let mut journal = Journal::open(&KIND, &path, lines, Existing::Replace).unwrap();
        journal.extend(depths.iter().map(|&depth| row("a", depth))).unwrap();
        path
    };
    let paths = [part(2, &[4, 1]), part(1, &[3, 5, 2, 6])];
    let merged = KIND.merge_sorted(&paths, TestRow::key).unwrap();
    let rows = (1..=6).map(|depth| row("a", depth)).collect();
    assert_eq!(merged, Contents { conditions: conditions("16 MiB"), rows });
    let twice = [part(2, &[4, 1]), part(1, &[3, 4])];
    let error = KIND.merge_sorted(&twice, TestRow::key).unwrap_err();
    assert!(matches!(&error, MergeError::Repeated { line } if line == "a,4,1000"), "{error}");
    assert!(matches!(KIND.merge_sorted(&paths[..1], TestRow::key), Err(MergeError::Missing { count: 2, .. })));
}

#[test]
fn parts_of_another_run_are_not_merged() {
    let (folder, whole) = folder();
    let paths = parts(&folder, 3, 10);
    let message = |paths: &[PathBuf]| KIND.merge::<TestRow>(paths).unwrap_err().to_string();
    assert!(message(&[]).contains("no test journal to merge"));
    assert_eq!(message(&paths[1..2]), "missing of 3 parts: 1, 3");
    let twice = message(&[paths[0].clone(), paths[1].clone(), paths[0].clone()]);
    assert!(twice.contains("same part 1/3"), "{twice}");
    open(&whole, Existing::Refuse).unwrap().add(row("a", 1)).unwrap();
    assert!(message(&[whole]).contains("not made with --shard"));

    let text = fs::read_to_string(&paths[2]).unwrap();
    let edited = |from: &str, to: &str| {
        assert!(text.contains(from), "{text}");
        fs::write(&paths[2], text.replacen(from, to, 1)).unwrap();
        message(&paths)
    };
    let error = edited("# hash: 16 MiB", "# hash: 8 MiB");
    assert!(error.contains("different test conditions: \"# hash: 16 MiB\" and \"# hash: 8 MiB\""), "{error}");
    assert!(edited("# cores: 2\n", "").contains("\"# cores: 2\" and \"\""));
    assert!(edited("3/3", "3/4").contains("\"3 parts\" and \"4 parts\""));
    let last = text.lines().last().unwrap();
    assert!(edited(&format!("{last}\n"), "").contains("not finished: it has"));
    assert!(edited(&format!("{last}\n"), &last[..1]).contains("cut off"));
    fs::write(&paths[2], &text).unwrap();
    assert_eq!(KIND.merge::<TestRow>(&paths).unwrap().rows.len(), 10);
}
