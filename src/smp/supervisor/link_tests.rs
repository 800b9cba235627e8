//! The supervisor and other machines: whose line is played.

use crossbeam_channel::unbounded;
use parking_lot::Mutex;

use super::super::limits::Limits;
use super::super::link::Ending;
use super::super::sink::{BestMove, Info, Sink};
use super::tests::{START, request};
use super::*;
use crate::position::{Game, Position};
use crate::search::Exchange;

/// Other machines that have these lines, and what they were told.
#[derive(Default)]
struct FakeLink {
    lines: Vec<Line>,
    refuses: bool,
    told: Mutex<Vec<Option<Line>>>,
}

impl SearchLink for FakeLink {
    fn relay(&self, _: &str) {}

    fn announce(&self, _: String, _: bool) {}

    fn wait_until_ready(&self) -> Option<String> {
        None
    }

    fn begin(&self, control: &Arc<Control>, _: Arc<dyn SearchTable>) -> Option<Arc<Exchange>> {
        struct Nobody;
        impl crate::search::EntryTaker for Nobody {
            fn take(&self, _: usize, _: u64, _: crate::search::ExchangedEntry) {}
        }
        control.set_remote_counts(1_000_000, 77);
        (!self.refuses).then(|| Arc::new(Exchange::new(0, Box::new(Nobody))))
    }

    fn end(&self, line: Option<Line>, _: Duration) -> Ending {
        self.told.lock().push(line);
        Ending { lines: self.lines.clone(), message: Some("machine 2 has left".to_owned()) }
    }

    fn machine(&self) -> usize {
        0
    }

    fn overhead(&self) -> Duration {
        Duration::ZERO
    }
}

/// Everything that a search reports, as text.
#[derive(Default)]
struct Log(Mutex<Vec<String>>);

impl Sink for Log {
    fn info(&self, Info { line, nodes, tb_hits, .. }: &Info) {
        self.0.lock().push(format!("{:?} {nodes} {tb_hits}", line.pv));
    }

    fn best_move(&self, best: &BestMove) {
        self.0.lock().push(format!("best {}", best.best.unwrap()));
    }

    fn message(&self, text: &str) {
        self.0.lock().push(format!("message {text}"));
    }
}

fn line(depth: u32, mv: &str) -> Line {
    let mv = Position::startpos().from_uci(mv).unwrap();
    Line { rank: 1, depth, seldepth: depth, score: Score::Centipawns(20), bound: Bound::Exact, pv: vec![mv] }
}

/// Searches the start position to depth 3 with these lines elsewhere. Returns the reports and the link.
fn search(link: FakeLink, multi_pv: usize) -> (Vec<String>, Arc<FakeLink>) {
    let (link, log) = (Arc::new(link), Arc::new(Log::default()));
    let limits = Limits { depth: Some(3), ..Limits::default() };
    let mut request = request(START, limits);
    (request.multi_pv, request.sink) = (multi_pv, Arc::clone(&log) as _);
    request.link = Some(Arc::clone(&link) as _);
    let (sender, events) = unbounded();
    Supervisor::new(request).run(sender, &events);
    let reports = log.0.lock().clone();
    (reports, link)
}

#[test]
fn deeper_line_of_another_machine_is_played() {
    let (reports, link) = search(FakeLink { lines: vec![line(30, "a2a3")], ..FakeLink::default() }, 1);
    assert_eq!(reports.last().unwrap(), "best a2a3");
    let last = &reports[reports.len() - 2];
    assert!(last.contains("a2a3"), "{last}");
    assert!(last.ends_with(" 77"), "tablebase hits of the others count: {last}");
    assert!(reports.contains(&"message machine 2 has left".to_owned()));
    let told = link.told.lock();
    assert!(matches!(told.as_slice(), [Some(line)] if line.depth == 3), "the link ends once: {told:?}");
}

#[test]
fn shallower_and_illegal_lines_lose() {
    let mut illegal = line(30, "a2a3");
    let mut game = Game::new(Position::startpos());
    game.play(illegal.pv[0]);
    illegal.pv = vec![game.position().legal_moves()[0]];
    for lines in [vec![line(1, "a2a3")], vec![illegal], Vec::new()] {
        let (reports, _) = search(FakeLink { lines, ..FakeLink::default() }, 1);
        assert!(!reports.iter().any(|report| report.contains("bug")), "{reports:?}");
        let best = reports.last().unwrap().strip_prefix("best ").unwrap();
        assert!(best != "a2a3" && Position::startpos().from_uci(best).is_ok(), "{best}");
    }
}

#[test]
fn lines_are_this_machines_with_multipv_and_alone() {
    let (reports, _) = search(FakeLink { lines: vec![line(30, "a2a3")], ..FakeLink::default() }, 2);
    assert_ne!(reports.last().unwrap(), "best a2a3");
    let alone = FakeLink { lines: vec![line(30, "a2a3")], refuses: true, ..FakeLink::default() };
    let (reports, link) = search(alone, 1);
    assert_ne!(reports.last().unwrap(), "best a2a3");
    assert!(link.told.lock().is_empty(), "a search that did not begin is not ended");
}
