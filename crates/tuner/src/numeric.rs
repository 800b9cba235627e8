//! Numerical helpers of the fits: logistic function, cosine decay, golden-section search, ranges of arguments.

pub(crate) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// Returns the learning rate as a share of the highest, when `progress` (0 to 1) of the steps is done. It rises evenly from 0 during
/// the first `warm_up` of the steps, since Adam's first steps are large whatever the gradient (Ma and Yarats 2021), and then decays
/// along half a cosine to `last` (Loshchilov and Hutter 2017, "SGDR", without restarts).
pub(crate) fn warm_cosine(progress: f32, warm_up: f32, last: f32) -> f32 {
    if progress < warm_up {
        return progress / warm_up;
    }
    let decayed = (progress - warm_up) / (1.0 - warm_up).max(f32::EPSILON);
    last + (1.0 - last) * 0.5 * (1.0 + (std::f32::consts::PI * decayed).cos())
}

/// Returns the minimum of `error`, which must be unimodal between `low` and `high`, by golden-section search (Kiefer 1953). Each step
/// leaves 62 % of the interval.
pub(crate) fn golden_section(mut low: f64, mut high: f64, steps: u32, error: impl Fn(f64) -> f64) -> f64 {
    const GOLDEN: f64 = 0.618_034;
    for _ in 0..steps {
        let (left, right) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
        if error(left) < error(right) { high = right } else { low = left }
    }
    f64::midpoint(low, high)
}

/// Parses a number that `fits`; NaN never does.
pub(crate) fn parse_number(text: &str, fits: impl Fn(f32) -> bool, wanted: &str) -> Result<f32, String> {
    text.parse().ok().filter(|&value| fits(value)).ok_or_else(|| format!("expected {wanted}"))
}

pub(crate) fn parse_share(text: &str) -> Result<f32, String> {
    parse_number(text, |share| (0.0..=1.0).contains(&share), "a number from 0 to 1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_learning_rate_rises_then_decays() {
        let rates = [0.0, 0.1, 0.2, 0.4, 0.6, 1.0].map(|progress| warm_cosine(progress, 0.2, 0.01));
        assert_eq!(rates[..3], [0.0, 0.5, 1.0]);
        assert!(rates[2..].is_sorted_by(|a, b| a > b) && (rates[5] - 0.01).abs() < 1e-6, "{rates:?}");
        assert!(warm_cosine(1.0, 1.0, 0.01).is_finite());
    }

    #[test]
    fn golden_section_finds_the_minimum_anywhere() {
        for minimum in [20.0, 21.5, 300.0, 999.0, 1_000.0] {
            let found = golden_section(20.0, 1_000.0, 30, |x| (x - minimum).abs());
            assert!((found - minimum).abs() < 0.01, "{found} instead of {minimum}");
        }
    }

    #[test]
    fn shares_outside_zero_to_one_are_refused() {
        assert_eq!(parse_share("0.25"), Ok(0.25));
        for text in ["-0.1", "1.1", "nan", "x", ""] {
            assert!(parse_share(text).is_err(), "{text}");
        }
    }
}
