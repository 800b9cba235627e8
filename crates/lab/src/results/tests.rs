//! Files that are whole, cut off, foreign, damaged.

use std::fs;

use super::*;

fn observation(test: u32, depth: u32) -> Observation {
    let series = Series { scheme: Some(Scheme::TwoBig1), stamped: true, positions: 8192 };
    Observation { series, test, depth, nodes: 1000 * u64::from(depth), score: -12, mv: "e7e8q".to_owned() }
}

/// A path of its own for each test, removed at the end.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("sesame-results-{}-{name}.csv", std::process::id()));
        let _ = fs::remove_file(&path);
        Self(path)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

#[test]
fn what_is_written_is_read_and_sorted_at_the_end() {
    let file = Temporary::new("round-trip");
    let mut journal = Journal::create(&file.0, 7).unwrap();
    let without = Observation { series: Series::WITHOUT_TABLE, ..observation(2, 3) };
    for observation in [observation(2, 4), observation(1, 4), observation(1, 3), without.clone()] {
        journal.add(observation).unwrap();
    }
    assert_eq!(read(&file.0).unwrap().len(), 4, "it is on disk before the end");
    journal.add(observation(1, 3)).unwrap();
    assert_eq!(journal.len(), 4);
    journal.finish().unwrap();
    assert_eq!(read(&file.0).unwrap(), [without, observation(1, 3), observation(1, 4), observation(2, 4)]);
    let text = fs::read_to_string(&file.0).unwrap();
    assert_eq!(text.lines().nth(2), Some("none,no,0,2,3,3000,-12,e7e8q"));
    assert_eq!(text.lines().nth(3), Some("TWOBIG1,yes,8192,1,3,3000,-12,e7e8q"));
}

#[test]
fn an_existing_file_is_not_overwritten() {
    let file = Temporary::new("exists");
    Journal::create(&file.0, 7).unwrap().add(observation(1, 3)).unwrap();
    let before = fs::read(&file.0).unwrap();
    assert!(matches!(Journal::create(&file.0, 7), Err(ResultsError::Exists { .. })));
    assert_eq!(fs::read(&file.0).unwrap(), before);
}

#[test]
fn wherever_it_is_cut_off_it_can_be_resumed() {
    let file = Temporary::new("cut");
    let mut journal = Journal::create(&file.0, 7).unwrap();
    journal.add(observation(1, 3)).unwrap();
    journal.add(observation(1, 4)).unwrap();
    drop(journal);
    let whole = fs::read(&file.0).unwrap();
    for length in 0..=whole.len() {
        fs::write(&file.0, &whole[..length]).unwrap();
        let mut journal = Journal::resume(&file.0, 7).unwrap_or_else(|error| panic!("{length} bytes: {error}"));
        let lines = whole[..length].iter().filter(|&&byte| byte == b'\n').count();
        assert_eq!(journal.len(), lines.saturating_sub(2), "{length} bytes");
        journal.add(observation(1, 3)).unwrap();
        journal.add(observation(1, 4)).unwrap();
        drop(journal);
        assert_eq!(fs::read(&file.0).unwrap(), whole, "{length} bytes");
    }
}

#[test]
fn foreign_and_damaged_files_are_refused_and_left_alone() {
    let file = Temporary::new("damaged");
    let whole = format!("{}{}\n{}\n", header(7), observation(1, 3), observation(1, 4));
    let line = observation(1, 5).to_string();
    let damaged = [
        "hello".to_owned(),
        "a,b\n1,2\n".to_owned(),
        whole.replace("results 1", "results 2"),
        whole.replace("alibaba 1", "alibaba 2"),
        whole.replace("nodes,score", "score,nodes"),
        format!("{whole}{}\n", line.replace("TWOBIG1", "TWOBIG3")),
        format!("{whole}{}\n", line.replace("yes", "maybe")),
        format!("{whole}{}\n", line.replace("5000", "-1")),
        format!("{whole}{}\n", line.replace("5000", "05000")),
        format!("{whole}{}\n", line.replace("e7e8q", "E7E8Q")),
        format!("{whole}{}\n", line.replace("8192", "0")),
        format!("{whole}{line},1\n"),
        format!("{whole}{}\n", observation(1, 4)),
        format!("{whole}\n"),
    ];
    for text in damaged {
        fs::write(&file.0, &text).unwrap();
        assert!(read(&file.0).is_err(), "{text}");
        assert!(Journal::resume(&file.0, 7).is_err(), "{text}");
        assert_eq!(fs::read_to_string(&file.0).unwrap(), text);
    }
    fs::write(&file.0, b"\xff\xfe").unwrap();
    assert!(matches!(read(&file.0), Err(ResultsError::NotResults { .. })));
    fs::write(&file.0, &whole).unwrap();
    assert!(matches!(Journal::resume(&file.0, 8), Err(ResultsError::OtherPositions { found: 7, expected: 8, .. })));
    assert!(matches!(read(Path::new("/nonexistent/x.csv")), Err(ResultsError::File { .. })));
    fs::write(&file.0, &whole[..whole.len() - 1]).unwrap();
    assert!(matches!(read(&file.0), Err(ResultsError::Damaged { line: 4, .. })));
}

#[test]
fn another_outcome_of_the_same_search_is_an_error() {
    let file = Temporary::new("differs");
    let mut journal = Journal::create(&file.0, 7).unwrap();
    journal.add(observation(1, 3)).unwrap();
    let other = Observation { nodes: 1, ..observation(1, 3) };
    assert!(matches!(journal.add(other), Err(ResultsError::Differs { .. })));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error() {
    let file = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut journal = Journal { path: "/dev/full".into(), hash: 7, file, known: HashMap::new() };
    let error = journal.add(observation(1, 3)).unwrap_err();
    assert!(matches!(&error, ResultsError::File { source, .. } if source.kind() == ErrorKind::StorageFull), "{error}");
}

#[test]
fn two_runs_cannot_write_to_one_file() {
    let file = Temporary::new("busy");
    let journal = Journal::create(&file.0, 7).unwrap();
    assert!(matches!(Journal::resume(&file.0, 7), Err(ResultsError::SearchingTable { .. })));
    drop(journal);
    assert!(Journal::resume(&file.0, 7).is_ok());
}
