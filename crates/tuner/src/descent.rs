//! What every fit here does alike: a step size that falls along a cosine, and the search for the best of one number.

/// The step size when the share `done` (0 to 1) of the steps is over, as a share of the first: it falls along half a cosine to `last`
/// (Loshchilov and Hutter 2017, "SGDR", without the restarts).
pub(super) fn cosine(done: f32, last: f32) -> f32 {
    last + (1.0 - last) * 0.5 * (1.0 + (std::f32::consts::PI * done).cos())
}

/// Where between `low` and `high` the `error` is least, if it falls to there and rises from there: golden-section search (Kiefer 1953). Each step
/// leaves 62 % of the interval.
pub(super) fn golden_section(mut low: f64, mut high: f64, steps: u32, error: impl Fn(f64) -> f64) -> f64 {
    const GOLDEN: f64 = 0.618_034;
    for _ in 0..steps {
        let (left, right) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
        if error(left) < error(right) { high = right } else { low = left }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_step_size_falls_from_one_to_the_last() {
        let rates = [0.0, 0.25, 0.5, 0.75, 1.0].map(|done| cosine(done, 0.01));
        assert!(rates.is_sorted_by(|a, b| a > b), "{rates:?}");
        assert!((rates[0] - 1.0).abs() < 1e-6 && (rates[2] - 0.505).abs() < 1e-6 && (rates[4] - 0.01).abs() < 1e-6);
    }

    #[test]
    fn the_least_error_is_found_wherever_it_is() {
        for least in [20.0, 21.5, 300.0, 999.0, 1_000.0] {
            let found = golden_section(20.0, 1_000.0, 30, |x| (x - least).abs());
            assert!((found - least).abs() < 0.01, "{found} instead of {least}");
        }
    }
}
