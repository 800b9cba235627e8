//! Reports of made-up results.

use super::super::record::{Conditions, ScalingRow};
use super::*;

fn row(run: Purpose, variant: &str, threads: u32, position: &str, nodes: u64, micros: u64) -> ScalingRow {
    ScalingRow {
        run,
        engine: SESAME.into(),
        variant: variant.into(),
        threads,
        round: 1,
        position: position.into(),
        depth: 9,
        nodes,
        micros: (run != Purpose::Lockstep).then_some(micros),
        cpu_micros: (run != Purpose::Lockstep).then_some(micros * 8 / 10),
        best: "e2e4".into(),
        solved_micros: (run == Purpose::Solution).then_some(micros / 2),
        others: (run != Purpose::Lockstep).then_some(if threads == 1 { 20 } else { 200 }),
        note: String::new(),
    }
}

/// Returns results of two threads with 1.6 times the nodes in half the time, on a busy machine of one core.
fn real() -> Recording {
    let mut rows = Vec::new();
    for (position, scale) in [("a", 1), ("b", 10)] {
        for run in [Purpose::Depth, Purpose::Solution] {
            rows.push(row(run, "default", 1, position, 1_000_000 * scale, 1_000_000 * scale));
            rows.push(row(run, "default", 2, position, 1_600_000 * scale, 500_000 * scale));
        }
    }
    let conditions = Conditions::default().with("cores", 1).with("load before", "1.50");
    Recording { conditions, rows }
}

fn simulated() -> Recording {
    let mut rows = Vec::new();
    for (position, nodes) in [("a", 100_000), ("b", 200_000)] {
        rows.push(row(Purpose::Lockstep, "default", 1, position, nodes, 0));
        rows.push(row(Purpose::Lockstep, "default", 2, position, nodes * 5 / 4, 0));
        rows.push(row(Purpose::Lockstep, "default", 4, position, nodes * 2, 0));
        rows.push(row(Purpose::Lockstep, "same+stop", 2, position, nodes * 5 / 2, 0));
        rows.push(row(Purpose::Lockstep, "same+stop", 4, position, nodes * 4, 0));
    }
    Recording { conditions: Conditions::default().with("hash", "16 MiB"), rows }
}

fn page(report: &ScalingReport, name: &str) -> String {
    report.files.iter().find(|(file, _)| file == name).unwrap_or_else(|| panic!("no {name}")).1.clone()
}

#[test]
fn both_kinds_on_one_page() {
    let report = report(Some(&real()), Some(&simulated())).unwrap();
    let text = page(&report, "README.md");
    for wanted in [
        "| default | 2 | 2 | 3.20 (3.20 to 3.20) | 3.20 (3.20 to 3.20) | 2.00 (2.00 to 2.00) | 1.60 (1.60 to 1.60) | 1.25 (1.25 to 1.25) | 100.0 % | 80.0 % | 20.0 % |",
        "4 of 8 searches 10 % or more",
        "**Warning**: the machine was busy during the measurement: other programs used 8.0 %",
        "**Warning**: 2 threads on 1 core:",
        "**Warning**: the machine was busy before the measurement: 1.50",
        "**Warning**: 1 thread had only 80 %",
        "**Warning**: the interval of 2 threads is not reliable: it has only 2 positions",
        "| default | 2 | 2 | 100.0 % | 2 | 2.00 (2.00 to 2.00) |",
        "| default | 2 | 2 | 1.60 (1.60 to 1.60) | 1.60 (1.60 to 1.60) | 1.25 (1.25 to 1.25) | 100.0 % |",
        "| same+stop | 0.80 (0.80 to 0.80) | 1 |",
        "| same+stop | **−50.0 % (−50.0 to −50.0)** | **−50.0 % (−50.0 to −50.0)** |",
        "- `stop`: ",
        "| default | 2 | 1.25 (1.25 to 1.25) | 1.60 (1.60 to 1.60) | 2.00 (2.00 to 2.00) |",
        "| b | 9 | 10,000,000 | 10.00 | 9 | 200,000 |",
    ] {
        assert!(text.contains(wanted), "{wanted} not in\n{text}");
    }
    for wrong in ["NaN", "inf"] {
        assert!(!text.contains(wrong), "{wrong} in\n{text}");
    }
    assert!(report.terminal.contains("same+stop") && !report.terminal.contains("**"), "{}", report.terminal);
}

#[test]
fn charts_are_files_and_in_the_html() {
    let report = report(Some(&real()), Some(&simulated())).unwrap();
    let html = page(&report, "report.html");
    for name in ["real.svg", "simulated.svg", "variants.svg", "both.svg"] {
        let svg = page(&report, name);
        let parsed = roxmltree::Document::parse(&svg).unwrap();
        assert_eq!(parsed.root_element().tag_name().name(), "svg");
        assert!(html.contains(svg.trim()), "{name}");
    }
    assert!(!html.contains("<img") && !html.contains("src=") && !html.contains("href=\"http"), "it needs nothing else");
}

#[test]
fn report_needs_only_one_kind_of_results() {
    let only = |recording: &Recording, threads: u32| {
        let rows = recording.rows.iter().filter(|row| row.threads <= threads).cloned().collect();
        Recording { rows, ..recording.clone() }
    };
    for threads in [1, 2] {
        let real = report(Some(&only(&real(), threads)), None).unwrap();
        assert!(!page(&real, "README.md").contains("## Simulated"));
        assert_eq!(real.files.iter().any(|(name, _)| name == "real.svg"), threads > 1);
        let simulated = report(None, Some(&only(&simulated(), threads))).unwrap();
        assert!(!page(&simulated, "README.md").contains("## Real"));
    }
}

/// Returns the results of `real` with two other engines, one of them dropped after its first search.
fn three_engines() -> Recording {
    let mut recording = real();
    let timed: Vec<ScalingRow> = recording.rows.clone();
    for row in timed {
        let scaled = |micros: Option<u64>| micros.map(|micros| micros / u64::from(row.threads));
        let (micros, solved_micros) = (scaled(row.micros), scaled(row.solved_micros));
        recording.rows.push(ScalingRow {
            engine: "Rival 1.0".into(),
            micros,
            solved_micros,
            best: format!("a{}a3", row.threads),
            ..row
        });
    }
    let first = ScalingRow { engine: "Broken".into(), ..recording.rows[0].clone() };
    let dropped =
        ScalingRow { note: "no bestmove within 9 s".into(), ..ScalingRow::without_search(Purpose::Dropped, "Broken") };
    recording.rows.extend([first, dropped]);
    recording.rows.push(ScalingRow {
        note: "cannot be started".into(),
        ..ScalingRow::without_search(Purpose::Dropped, "Missing")
    });
    recording.conditions = recording.conditions.with("engine", "Rival 1.0 (rival --uci; Hash=64; A|B=c)");
    recording
}

#[test]
fn engines_are_side_by_side() {
    let report = report(Some(&three_engines()), None).unwrap();
    let text = page(&report, "README.md");
    for wanted in [
        "| engine | Rival 1.0 (rival --uci; Hash=64; A/B=c) |",
        "| Sesame | 2 | 2 | 3.20 (3.20 to 3.20) | 3.20 (3.20 to 3.20) | 2.00 (2.00 to 2.00) |",
        "| Rival 1.0 | 2 | 2 | 6.40 (6.40 to 6.40) | 6.40 (6.40 to 6.40) | 4.00 (4.00 to 4.00) | 1.60 (1.60 to 1.60) | 1.25 (1.25 to 1.25) | 0.0 % |",
        "| Broken | 1 | 1 |",
        "| Rival 1.0 | 2 | 2 | 100.0 % | 2 | 4.00 (4.00 to 4.00) |",
        "**Warning**: Broken was dropped: no bestmove within 9 s",
        "**Warning**: Missing was dropped: cannot be started",
        "**Warning**: the interval of 2 threads of Rival 1.0 is not reliable",
        "| position | Sesame: depth | nodes | seconds | Rival 1.0: depth | nodes | seconds | Broken: depth |",
    ] {
        assert!(text.contains(wanted), "{wanted} not in\n{text}");
    }
    assert!(!text.contains("| Missing |"), "it has no results");
    for name in ["engines-rate.svg", "engines-time.svg", "engines-move.svg", "engines-solution.svg", "real.svg"] {
        let svg = page(&report, name);
        assert!(text.contains(name) && (name == "real.svg" || svg.contains("Rival 1.0")), "{name}");
    }
}
