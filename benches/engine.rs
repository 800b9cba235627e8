//! The engine: move generation, evaluation, and the nodes a second of the search, over the 50 positions of `sesame bench`.
//!
//! ```text
//! cargo bench --bench engine                  # all
//! cargo bench --bench engine -- search        # some, by a regular expression
//! ```

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use sesame::engine::{Engine, Limits, Options, bench};
use sesame::eval::{Accumulators, Network};
use sesame::position::{Game, Position};

/// Nodes of one search, enough for the table to matter.
const NODES: u64 = 100_000;

fn move_generation(criterion: &mut Criterion) {
    let positions: Vec<Position> = bench::positions().collect();
    let moves: usize = positions.iter().map(|position| position.legal_moves().len()).sum();
    let mut group = criterion.benchmark_group("move generation");
    group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2)).sample_size(20);
    group.throughput(Throughput::Elements(moves as u64));
    group.bench_function("legal moves", |bencher| {
        bencher.iter(|| black_box(&positions).iter().map(|position| position.legal_moves().len()).sum::<usize>());
    });
    let start = Position::startpos();
    group.throughput(Throughput::Elements(start.perft(4)));
    group.bench_function("perft 4", |bencher| bencher.iter(|| black_box(&start).perft(4)));
    group.finish();
}

fn evaluation(criterion: &mut Criterion) {
    let network = Network::embedded();
    let positions: Vec<Position> = bench::positions().collect();
    let children: Vec<(Position, Vec<Position>)> =
        positions.iter().map(|parent| (parent.clone(), children(parent))).collect();
    let mut group = criterion.benchmark_group("evaluation");
    group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2)).sample_size(20);
    group.throughput(Throughput::Elements(positions.len() as u64));
    group.bench_function("from scratch", |bencher| {
        bencher.iter(|| black_box(&positions).iter().map(|position| network.evaluate(position)).sum::<i32>());
    });
    let evaluations: usize = children.iter().map(|(_, children)| 1 + children.len()).sum();
    group.throughput(Throughput::Elements(evaluations as u64));
    group.bench_function("after a move", |bencher| {
        let mut accumulators = Accumulators::new(network.clone(), 2);
        bencher.iter(|| {
            let mut sum = 0;
            for (parent, children) in black_box(&children) {
                sum += accumulators.evaluate(parent, 0);
                sum += children.iter().map(|child| accumulators.evaluate(child, 1)).sum::<i32>();
            }
            sum
        });
    });
    group.finish();
}

fn children(parent: &Position) -> Vec<Position> {
    let play = |&mv: &_| {
        let mut child = parent.clone();
        child.play(mv);
        child
    };
    parent.legal_moves().iter().map(play).collect()
}

fn search(criterion: &mut Criterion) {
    let games: Vec<Game> = bench::positions().step_by(10).map(Game::new).collect();
    let mut group = criterion.benchmark_group("search");
    group.warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(8)).sample_size(10);
    group.throughput(Throughput::Elements(NODES * games.len() as u64));
    let mut counts = vec![1, 2, num_cpus::get()];
    counts.dedup();
    for threads in counts {
        let mut engine = Engine::new(Options { threads, ..Options::default() }).expect("memory for the engine");
        let name = format!("{threads} thread{}", if threads == 1 { "" } else { "s" });
        group.bench_function(BenchmarkId::new("nodes", name), |bencher| {
            // The time for the nodes wanted, at the rate of those searched: searches exceed their limit a little.
            bencher.iter_custom(|passes| {
                let (mut elapsed, mut nodes) = (Duration::ZERO, 0);
                for _ in 0..passes {
                    for game in &games {
                        engine.new_game();
                        let limits = Limits { nodes: Some(NODES), ..Limits::default() };
                        let report = engine.search(game, limits).expect("a search without a fault");
                        elapsed += report.elapsed;
                        nodes += report.nodes;
                    }
                }
                elapsed.mul_f64((passes * NODES * games.len() as u64) as f64 / nodes as f64)
            });
        });
    }
    group.finish();
}

criterion_group!(benches, move_generation, evaluation, search);
criterion_main!(benches);
