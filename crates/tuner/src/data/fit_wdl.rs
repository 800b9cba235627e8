//! `sesame-tuner data wdl`: maximum-likelihood fit of the win/draw/loss model.
//!
//! Every position past the opening counts, with its search score and the result of its game, both from the side to move. The fit
//! minimises the log loss of the [`WdlModel`] by gradient descent (Adam).

use std::collections::BTreeMap;
use std::path::PathBuf;

use sesame::eval::wdl::{FULL_MATERIAL, MIN_MIDDLE, MIN_WIDTH, WdlModel, material};
use sesame::position::Color;
use sesame::search::score::is_mate;
use sesame_command::{CommandError, parallel, print_status};

use crate::datagen::UNSCALED_SCORES;
use crate::game_record::{FIRST_PLY, GameRecord, ply_of};
use crate::store::{Block, NumberedGames, read_blocks};
use crate::train::warm_cosine;
use crate::validation::{check_counts, is_validation_game};

const MAX_SCORE: i32 = 1_500;
/// Width of a bin, in centipawns.
const BIN: i32 = 5;
const MIN_POSITIONS: usize = 1_000;

const STEPS: u32 = 4_000;
/// Centipawns.
const LEARNING_RATE: f64 = 4.0;
const LAST_RATE: f32 = 0.01;
const BETAS: [f64; 2] = [0.9, 0.999];

const START: [f64; 6] = [150.0, 0.0, 0.0, 80.0, 0.0, 0.0];

/// Wins, draws and losses of the side to move, by material and score.
type Bins = BTreeMap<(u32, i32), [f64; 3]>;

#[derive(Debug, Clone, Default)]
struct Histogram {
    games: u64,
    positions: usize,
    bins: Bins,
}

impl Histogram {
    fn add(&mut self, game: &GameRecord) {
        self.games += 1;
        let mut position = game.start.clone();
        for &(mv, score) in &game.moves {
            if ply_of(&position) >= FIRST_PLY && !is_mate(score.into()) {
                let white = position.side_to_move() == Color::White;
                let score = if white { i32::from(score) } else { -i32::from(score) };
                let points = if white { game.result } else { 2 - game.result };
                let bin = (score.clamp(-MAX_SCORE, MAX_SCORE) + MAX_SCORE + BIN / 2) / BIN * BIN - MAX_SCORE;
                let results = self.bins.entry((material(&position).min(FULL_MATERIAL), bin)).or_default();
                results[2 - usize::from(points)] += 1.0;
                self.positions += 1;
            }
            position.play(mv);
        }
    }
}

pub(super) fn run(stores: &[PathBuf], mut print: impl FnMut(&str) -> bool) -> Result<(), CommandError> {
    let (training, validation) = load(stores)?;
    check_counts(training.positions, MIN_POSITIONS, validation.positions)?;
    let model = fit(&training.bins);
    print(&format!(
        "fitted to {} positions of {} games; validation set: {} positions of {} games",
        training.positions, training.games, validation.positions, validation.games
    ));
    let list = |values: [f64; 3]| values.map(|value| format!("{value:.1}")).join(", ");
    print(&format!("middle: [{}], width: [{}]", list(model.middle), list(model.width)));
    print("");
    for (name, model) in [("this model", model), ("the model of the engine", WdlModel::FITTED)] {
        print(&format!("validation log loss, {name}: {:.4}", mean_loss(&validation.bins, &model)));
    }
    Ok(())
}

fn load(stores: &[PathBuf]) -> Result<(Histogram, Histogram), CommandError> {
    let (mut training, mut validation) = (Histogram::default(), Histogram::default());
    for path in stores {
        let mut has_unscaled_scores = false;
        let read = |block: &Block, games: NumberedGames| (block.recipe.contains(UNSCALED_SCORES), games);
        for block in read_blocks(path, parallel::cores(), read)? {
            let (is_unscaled, games) = block?;
            has_unscaled_scores |= is_unscaled;
            for (number, game) in games {
                let set = if is_validation_game(number) { &mut validation } else { &mut training };
                set.add(&game);
            }
        }
        if has_unscaled_scores {
            let path = path.display();
            print_status(&format!(
                "warning: {path}: {UNSCALED_SCORES}; the model is not that of the scores that UCI shows"
            ));
        }
    }
    Ok((training, validation))
}

fn fit(bins: &Bins) -> WdlModel {
    let mut parameters = START;
    let mut moments = [[0.0; 2]; 6];
    for step in 1..=STEPS {
        let gradient = gradient(bins, &model(parameters));
        let rate = LEARNING_RATE * f64::from(warm_cosine(step as f32 / STEPS as f32, 0.0, LAST_RATE));
        for ((parameter, gradient), [mean, square]) in parameters.iter_mut().zip(gradient).zip(&mut moments) {
            // Adam (Kingma and Ba 2015).
            *mean += (1.0 - BETAS[0]) * (gradient - *mean);
            *square += (1.0 - BETAS[1]) * (gradient * gradient - *square);
            let unbiased = |value: f64, beta: f64| value / (1.0 - beta.powi(step as i32));
            *parameter -= rate * unbiased(*mean, BETAS[0]) / (unbiased(*square, BETAS[1]).sqrt() + 1e-12);
        }
    }
    model(parameters)
}

fn model([a, b, c, d, e, f]: [f64; 6]) -> WdlModel {
    WdlModel { middle: [a, b, c], width: [d, e, f] }
}

fn gradient(bins: &Bins, model: &WdlModel) -> [f64; 6] {
    let mut sum = [0.0; 6];
    let mut weight = 0.0;
    for (&(material, score), &[won, drawn, lost]) in bins {
        let (middle, width) = model.shape(material);
        let [win, draw, loss] = model.chances(score, material);
        let draw = draw.max(1e-9);
        let (up, down) = (f64::from(score) - middle, f64::from(-score) - middle);
        let (win_slope, loss_slope) = (win * (1.0 - win) / width, loss * (1.0 - loss) / width);
        // Minus the derivatives of the logarithms of the three chances, weighted with the results.
        let by_middle = (won * (1.0 - win) + lost * (1.0 - loss)) / width - drawn * (win_slope + loss_slope) / draw;
        let by_width = (won * (1.0 - win) * up + lost * (1.0 - loss) * down) / (width * width)
            - drawn * (win_slope * up + loss_slope * down) / (width * draw);
        let share = f64::from(material) / f64::from(FULL_MATERIAL);
        // Below the minimum the shape is constant.
        let by_middle = if middle > MIN_MIDDLE { by_middle } else { by_middle.min(0.0) };
        let by_width = if width > MIN_WIDTH { by_width } else { by_width.min(0.0) };
        for (power, factor) in [1.0, share, share * share].into_iter().enumerate() {
            sum[power] += by_middle * factor;
            sum[3 + power] += by_width * factor;
        }
        weight += won + drawn + lost;
    }
    sum.map(|value| value / weight)
}

fn mean_loss(bins: &Bins, model: &WdlModel) -> f64 {
    let (mut sum, mut weight) = (0.0, 0.0);
    for (&(material, score), results) in bins {
        for (count, chance) in results.iter().zip(model.chances(score, material)) {
            sum -= count * chance.max(1e-9).ln();
            weight += count;
        }
    }
    sum / weight
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game_record::tests::record;

    /// Results in the proportions of a known model.
    fn bins_of(model: &WdlModel) -> Bins {
        let scores = |material| (-900..=900).step_by(30).map(move |score| (material, score));
        let chances = |(material, score)| model.chances(score, material).map(|chance| 1_000.0 * chance);
        (2..=78).step_by(4).flat_map(scores).map(|bin| (bin, chances(bin))).collect()
    }

    #[test]
    fn the_fit_recovers_a_known_model() {
        let truth = WdlModel { middle: [220.0, -150.0, 80.0], width: [40.0, 70.0, -20.0] };
        let bins = bins_of(&truth);
        let found = fit(&bins);
        for material in [5, 20, 40, 60, 78] {
            let ((wanted_middle, wanted_width), (middle, width)) = (truth.shape(material), found.shape(material));
            assert!((wanted_middle - middle).abs() < 3.0 && (wanted_width - width).abs() < 2.0, "{found:?}");
        }
    }

    #[test]
    fn the_gradient_matches_finite_differences() {
        let bins = bins_of(&WdlModel { middle: [200.0, -90.0, 0.0], width: [60.0, 30.0, 0.0] });
        let at = [180.0, -40.0, 10.0, 70.0, 5.0, 3.0];
        let exact = gradient(&bins, &model(at));
        for i in 0..6 {
            let loss_at = |shift: f64| {
                let mut shifted = at;
                shifted[i] += shift;
                mean_loss(&bins, &model(shifted))
            };
            let difference = (loss_at(0.01) - loss_at(-0.01)) / 0.02;
            assert!((exact[i] - difference).abs() < 1e-6 + 1e-3 * difference.abs(), "{i}: {} {difference}", exact[i]);
        }
    }

    #[test]
    fn results_count_for_the_side_to_move() {
        let mut histogram = Histogram::default();
        histogram.add(&record("4k3/3p4/8/8/8/8/3P4/4K3 w - - 0 30", [("e1e2", 100), ("e8e7", 100)], 2));
        let wanted = Bins::from([((2, -100), [0.0, 0.0, 1.0]), ((2, 100), [1.0, 0.0, 0.0])]);
        assert_eq!(histogram.bins, wanted);
    }
}
