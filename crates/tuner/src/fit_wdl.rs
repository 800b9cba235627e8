//! `sesame data wdl`: fitting what a score means for the result.
//!
//! Every position of every game counts, with the score that the search gave there and the result of the game, both from the side to
//! move. The numbers of the [`WdlModel`] are those under which the results are likeliest (maximum likelihood).

use std::path::{Path, PathBuf};

use clap::Args;

use super::descent::cosine;
use super::games::{FIRST_PLY, Record};
use super::{TuningError, data, is_held_out};
use sesame::eval::wdl::{FULL_MATERIAL, LEAST_MIDDLE, LEAST_WIDTH, WdlModel, material};
use sesame::position::Color;
use sesame::search::score::is_mate;

/// What `sesame data wdl` is told.
#[derive(Debug, Clone, Args)]
pub struct WdlArgs {
    /// The files
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
}

/// Scores beyond this count as this: games are over there.
const LIMIT: i32 = 1_500;
/// Scores are counted in steps of so many centipawns.
const GRAIN: i32 = 5;
/// Fewer positions than this do not make a model.
const NEEDED: u64 = 1_000;

/// Steps of the descent, and the length of the first in centipawns.
const STEPS: u32 = 4_000;
const RATE: f64 = 4.0;
/// What is left of it in the end.
const LAST_RATE: f32 = 0.01;
/// Adam's memory of gradients and of their squares.
const MOMENTUM: [f64; 2] = [0.9, 0.999];

/// Where a fit starts.
const START: WdlModel = WdlModel { middle: [150.0, 0.0, 0.0], width: [80.0, 0.0, 0.0] };

/// Positions with about this score and this material, and how their games ended for the side to move.
#[derive(Debug, Clone, Copy)]
struct Cell {
    score: i32,
    material: u32,
    /// Games won, drawn and lost.
    results: [f64; 3],
}

/// What was counted.
#[derive(Debug, Clone, Default)]
struct Count {
    games: u64,
    positions: u64,
    results: Vec<[u32; 3]>,
}

const SCORES: usize = (2 * LIMIT / GRAIN) as usize + 1;

impl Count {
    fn add(&mut self, record: &Record) {
        self.results.resize(SCORES * (FULL_MATERIAL as usize + 1), [0; 3]);
        self.games += 1;
        let mut position = record.start.clone();
        for &(mv, score) in &record.moves {
            let ply = 2 * usize::from(position.fullmove_number().max(1) - 1) + position.side_to_move() as usize;
            if ply >= FIRST_PLY && !is_mate(score.into()) {
                let white = position.side_to_move() == Color::White;
                let score = if white { i32::from(score) } else { -i32::from(score) };
                let points = if white { record.result } else { 2 - record.result };
                let step = (score.clamp(-LIMIT, LIMIT) + LIMIT + GRAIN / 2) / GRAIN;
                let row = material(&position).min(FULL_MATERIAL) as usize;
                self.results[row * SCORES + step as usize][2 - usize::from(points)] += 1;
                self.positions += 1;
            }
            position.play(mv);
        }
    }

    fn cells(&self) -> Vec<Cell> {
        let cell = |(place, results): (usize, &[u32; 3])| Cell {
            score: (place % SCORES) as i32 * GRAIN - LIMIT,
            material: (place / SCORES) as u32,
            results: results.map(f64::from),
        };
        self.results
            .iter()
            .enumerate()
            .filter(|(_, results)| results.iter().any(|&count| count > 0))
            .map(cell)
            .collect()
    }
}

/// Runs `sesame data wdl`; `line` is given the output line by line.
pub(super) fn run(args: &WdlArgs, mut line: impl FnMut(&str) -> bool) -> Result<(), TuningError> {
    let (training, held_out) = load(&args.files)?;
    if training.positions < NEEDED {
        return Err(TuningError::TooFewPositions { found: training.positions as usize, needed: NEEDED as usize });
    }
    if held_out.positions == 0 {
        return Err(TuningError::NothingHeldOut);
    }
    let cells = training.cells();
    let model = fit(&cells, true);
    let blind = fit(&cells, false);
    line(&format!(
        "fitted to {} positions of {} games; held out: {} positions of {} games",
        training.positions, training.games, held_out.positions, held_out.games
    ));
    let numbers = |values: [f64; 3]| values.map(|value| format!("{value:.1}")).join(", ");
    line(&format!("middle: [{}], width: [{}]", numbers(model.middle), numbers(model.width)));
    line("");
    let cells = held_out.cells();
    for (name, loss) in [
        ("this model", mean_loss(&cells, |cell| model.chances(cell.score, cell.material))),
        ("the same without material", mean_loss(&cells, |cell| blind.chances(cell.score, cell.material))),
        ("the shares of all results", {
            let shares = shares(&training.cells());
            mean_loss(&cells, |_| shares)
        }),
        ("the model in play", mean_loss(&cells, |cell| WdlModel::FITTED.chances(cell.score, cell.material))),
    ] {
        line(&format!("log loss held out, {name}: {loss:.4}"));
    }
    line("");
    for text in calibration(&cells, &model) {
        line(&text);
    }
    Ok(())
}

fn load(files: &[PathBuf]) -> Result<(Count, Count), TuningError> {
    let (mut training, mut held_out) = (Count::default(), Count::default());
    for path in files {
        let path: &Path = path;
        for (number, record) in data::records(path)?.enumerate() {
            let record = record?;
            if is_held_out(number) { held_out.add(&record) } else { training.add(&record) }
        }
    }
    Ok((training, held_out))
}

/// The likeliest model; if it is not to see the material, one of two numbers.
fn fit(cells: &[Cell], sees_material: bool) -> WdlModel {
    let mut numbers = [START.middle, START.width].concat();
    let mut memory = vec![[0.0; 2]; numbers.len()];
    for step in 1..=STEPS {
        let gradient = gradient(cells, &model(&numbers));
        let rate = RATE * f64::from(cosine(step as f32 / STEPS as f32, LAST_RATE));
        for (i, number) in numbers.iter_mut().enumerate() {
            if !sees_material && i % 3 > 0 {
                continue;
            }
            // Adam (Kingma and Ba 2015).
            let [mean, square] = &mut memory[i];
            *mean += (1.0 - MOMENTUM[0]) * (gradient[i] - *mean);
            *square += (1.0 - MOMENTUM[1]) * (gradient[i] * gradient[i] - *square);
            let unbiased = |value: f64, momentum: f64| value / (1.0 - momentum.powi(step as i32));
            *number -= rate * unbiased(*mean, MOMENTUM[0]) / (unbiased(*square, MOMENTUM[1]).sqrt() + 1e-12);
        }
    }
    model(&numbers)
}

fn model(numbers: &[f64]) -> WdlModel {
    let three = |from: usize| [numbers[from], numbers[from + 1], numbers[from + 2]];
    WdlModel { middle: three(0), width: three(3) }
}

/// The gradient of the log loss by the model's six numbers.
fn gradient(cells: &[Cell], model: &WdlModel) -> [f64; 6] {
    let mut sum = [0.0; 6];
    let mut weight = 0.0;
    for cell in cells {
        let (middle, width) = model.shape(cell.material);
        let [win, draw, loss] = model.chances(cell.score, cell.material);
        let draw = draw.max(1e-9);
        let (up, down) = (f64::from(cell.score) - middle, f64::from(-cell.score) - middle);
        let (win_slope, loss_slope) = (win * (1.0 - win) / width, loss * (1.0 - loss) / width);
        let [won, drawn, lost] = cell.results;
        // Minus the derivatives of the logarithms of the three chances, each as often as it came true.
        let by_middle = (won * (1.0 - win) + lost * (1.0 - loss)) / width - drawn * (win_slope + loss_slope) / draw;
        let by_width = (won * (1.0 - win) * up + lost * (1.0 - loss) * down) / (width * width)
            - drawn * (win_slope * up + loss_slope * down) / (width * draw);
        let share = f64::from(cell.material) / f64::from(FULL_MATERIAL);
        // At the least values the shape does not follow its numbers any more.
        let by_middle = if middle > LEAST_MIDDLE { by_middle } else { by_middle.min(0.0) };
        let by_width = if width > LEAST_WIDTH { by_width } else { by_width.min(0.0) };
        for (power, factor) in [1.0, share, share * share].into_iter().enumerate() {
            sum[power] += by_middle * factor;
            sum[3 + power] += by_width * factor;
        }
        weight += won + drawn + lost;
    }
    sum.map(|value| value / weight)
}

/// The mean of minus the logarithm of the chance that `chances` gave to what happened.
fn mean_loss(cells: &[Cell], chances: impl Fn(&Cell) -> [f64; 3]) -> f64 {
    let (mut sum, mut weight) = (0.0, 0.0);
    for cell in cells {
        for (count, chance) in cell.results.iter().zip(chances(cell)) {
            sum -= count * chance.max(1e-9).ln();
            weight += count;
        }
    }
    sum / weight
}

/// The shares of the three results.
fn shares(cells: &[Cell]) -> [f64; 3] {
    let mut sums = [0.0; 3];
    for cell in cells {
        for (sum, count) in sums.iter_mut().zip(cell.results) {
            *sum += count;
        }
    }
    let all: f64 = sums.iter().sum();
    sums.map(|sum| sum / all)
}

/// A Markdown table: by score and by material, what the model says and what happened.
fn calibration(cells: &[Cell], model: &WdlModel) -> Vec<String> {
    const EDGES: [i32; 11] = [-LIMIT - 1, -400, -200, -100, -50, -15, 15, 50, 100, 200, 400];
    let mut lines = vec![
        "| score | material | positions | won: model, games | drawn | lost |".to_owned(),
        "|---|---|---|---|---|---|".to_owned(),
    ];
    let mut row = |scores: String, men: String, fits: &dyn Fn(&Cell) -> bool| {
        let (mut expected, mut happened) = ([0.0; 3], [0.0; 3]);
        for cell in cells.iter().filter(|cell| fits(cell)) {
            let count: f64 = cell.results.iter().sum();
            for (i, chance) in model.chances(cell.score, cell.material).into_iter().enumerate() {
                expected[i] += count * chance;
                happened[i] += cell.results[i];
            }
        }
        let all: f64 = happened.iter().sum();
        if all > 0.0 {
            let pair = |i: usize| format!("{:.0} %, {:.0} %", 100.0 * expected[i] / all, 100.0 * happened[i] / all);
            lines.push(format!("| {scores} | {men} | {all} | {} | {} | {} |", pair(0), pair(1), pair(2)));
        }
    };
    for (i, &from) in EDGES.iter().enumerate() {
        let to = EDGES.get(i + 1).copied().unwrap_or(LIMIT + 1);
        let name = match (i, EDGES.get(i + 1)) {
            (0, _) => format!("below {to}"),
            (_, None) => format!("{from} and more"),
            _ => format!("{from} to {}", to - 1),
        };
        row(name, "all".to_owned(), &|cell: &Cell| (from..to).contains(&cell.score));
    }
    for (from, to) in [(0, 19), (20, 39), (40, 59), (60, 78)] {
        let in_range = move |cell: &Cell| (from..=to).contains(&cell.material);
        row("50 to 149".to_owned(), format!("{from} to {to}"), &move |cell| {
            in_range(cell) && (50..150).contains(&cell.score)
        });
        row("150 to 299".to_owned(), format!("{from} to {to}"), &move |cell| {
            in_range(cell) && (150..300).contains(&cell.score)
        });
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Results as a known model would have them.
    fn cells_of(model: &WdlModel) -> Vec<Cell> {
        let mut cells = Vec::new();
        for material in (2..=78).step_by(4) {
            for score in (-900..=900).step_by(30) {
                let results = model.chances(score, material).map(|chance| 1_000.0 * chance);
                cells.push(Cell { score, material, results });
            }
        }
        cells
    }

    #[test]
    fn a_known_model_is_found_again() {
        let truth = WdlModel { middle: [220.0, -150.0, 80.0], width: [40.0, 70.0, -20.0] };
        let cells = cells_of(&truth);
        let found = fit(&cells, true);
        for material in [5, 20, 40, 60, 78] {
            let ((wanted_middle, wanted_width), (middle, width)) = (truth.shape(material), found.shape(material));
            assert!((wanted_middle - middle).abs() < 3.0 && (wanted_width - width).abs() < 2.0, "{found:?}");
        }
        let loss = |model: &WdlModel| mean_loss(&cells, |cell| model.chances(cell.score, cell.material));
        assert!(loss(&found) < loss(&fit(&cells, false)), "seeing the material helps");
    }

    #[test]
    fn the_gradient_is_that_of_the_loss() {
        let cells = cells_of(&WdlModel { middle: [200.0, -90.0, 0.0], width: [60.0, 30.0, 0.0] });
        let at = [180.0, -40.0, 10.0, 70.0, 5.0, 3.0];
        let loss = |numbers: &[f64]| {
            let model = model(numbers);
            mean_loss(&cells, |cell| model.chances(cell.score, cell.material))
        };
        let exact = gradient(&cells, &model(&at));
        for i in 0..6 {
            let (mut less, mut more) = (at, at);
            less[i] -= 0.01;
            more[i] += 0.01;
            let difference = (loss(&more) - loss(&less)) / 0.02;
            assert!((exact[i] - difference).abs() < 1e-6 + 1e-3 * difference.abs(), "{i}: {} {difference}", exact[i]);
        }
    }

    #[test]
    fn positions_count_for_the_side_to_move() {
        use sesame::position::Position;
        let start = Position::from_fen("4k3/3p4/8/8/8/8/3P4/4K3 w - - 0 30").unwrap();
        let mut position = start.clone();
        let mut moves = Vec::new();
        for text in ["e1e2", "e8e7"] {
            let mv = position.from_uci(text).unwrap();
            moves.push((mv, 100));
            position.play(mv);
        }
        let mut count = Count::default();
        count.add(&Record { start, moves, result: 2 });
        let cells = count.cells();
        let found: Vec<_> = cells.iter().map(|cell| (cell.score, cell.material, cell.results)).collect();
        assert_eq!(found, [(-100, 2, [0.0, 0.0, 1.0]), (100, 2, [1.0, 0.0, 0.0])]);
        assert!(calibration(&cells, &START).len() > 3);
    }
}
