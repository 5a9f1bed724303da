//! How far durations may lie from those expected: by a known deviation, or by what runs taught.

use super::NetworkError;

/// The distance of durations from those expected of their items.
#[derive(Debug, Clone, Copy)]
pub enum DurationSpread<'a> {
    /// By a known law: the deviation of the logarithm of a duration; 0 where all is certain.
    Known(f64),
    /// As runs did: measured durations, each divided by that expected of its item. How little they teach is
    /// part of the answer.
    Learned(&'a [f64]),
}

/// So much runs of agents are taken to differ before any is known: the deviation of logarithms.
const USUAL_SPREAD: f64 = 0.71;
/// So many runs this counts as.
const USUAL_FREEDOM: f64 = 9.0;
/// So many runs the fitted curve counts as beside the known ones.
const CURVE_RUNS: f64 = 4.0;
/// So many runs longer than any known one are taken to be among them.
const LONGER_RUNS: f64 = 0.57;
/// By so much they are longer, in logarithms.
const LONGER_BY: f64 = 0.4;
/// So many runs one world holds at most; more would not change it.
const MAX_RUNS: f64 = 512.0;

/// Draws the ratios of durations to those expected.
pub(super) enum RatioSource {
    Known(f64),
    Learned(LearnedRatios),
}

/// Ratios, and what is known of their logarithms.
pub(super) struct LearnedRatios {
    ratios: Vec<f64>,
    /// The mean of their logarithms.
    mean: f64,
    /// The sum of the squares of their distances from the mean.
    squares: f64,
    /// The logarithm of the longest.
    longest: f64,
}

/// The ratios of one round: durations of all its items come out of the same world.
pub(super) enum RoundRatios {
    Known(f64),
    Pool(Vec<f64>),
}

impl RatioSource {
    /// Checks and takes what is known.
    pub(super) fn of(spread: DurationSpread<'_>) -> Result<Self, NetworkError> {
        match spread {
            DurationSpread::Known(spread) if spread.is_finite() && spread >= 0.0 => {
                Ok(Self::Known(spread))
            }
            DurationSpread::Known(spread) => Err(NetworkError::Argument {
                name: "spread",
                given: spread.to_string(),
                expected: "a finite number that is not negative",
            }),
            DurationSpread::Learned(ratios) => LearnedRatios::of(ratios).map(Self::Learned),
        }
    }

    /// Draws the world of a round.
    pub(super) fn round(&self, random: &mut fastrand::Rng) -> RoundRatios {
        match self {
            Self::Known(spread) => RoundRatios::Known(*spread),
            Self::Learned(learned) => RoundRatios::Pool(learned.pool(random)),
        }
    }
}

impl RoundRatios {
    /// Draws the ratio of one item.
    pub(super) fn draw(&self, random: &mut fastrand::Rng) -> f64 {
        match self {
            Self::Known(spread) => (spread * normal(random)).exp(),
            Self::Pool(pool) => pool[random.usize(..pool.len())],
        }
    }
}

impl LearnedRatios {
    fn of(ratios: &[f64]) -> Result<Self, NetworkError> {
        let is_ratio = |ratio: &f64| ratio.is_finite() && *ratio > 0.0;
        let wrong = ratios.iter().find(|ratio| !is_ratio(ratio));
        if ratios.is_empty() || wrong.is_some() {
            return Err(NetworkError::Argument {
                name: "spread",
                given: wrong.map_or("no ratio".to_owned(), f64::to_string),
                expected: "at least one ratio, each a finite number above 0",
            });
        }
        let logs: Vec<f64> = ratios.iter().map(|ratio| ratio.ln()).collect();
        let mean = logs.iter().sum::<f64>() / count(logs.len());
        Ok(Self {
            mean,
            squares: logs.iter().map(|log| (log - mean).powi(2)).sum(),
            longest: logs.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            ratios: ratios.to_vec(),
        })
    }

    /// Draws runs as they might have been: a bootstrap of the known ones, of a curve fitted to them, and of some that
    /// are longer than any of them. All items of a round draw from the same pool, since an error about runs in
    /// general is an error about all items. With few known runs the curve counts for more, with many they do.
    ///
    /// The curve is log-normal. Its place and width are drawn as Student and chi-squared have it, with a width that
    /// is usual for runs counted in (Gelman et al., Bayesian Data Analysis, 3.3). Its share of the pool is that of
    /// a Dirichlet process (Ferguson 1973), and runs beyond the longest are those of Hill's rule (1968).
    fn pool(&self, random: &mut fastrand::Rng) -> Vec<f64> {
        let known = count(self.ratios.len());
        let freedom = USUAL_FREEDOM + known - 1.0;
        let squares = USUAL_FREEDOM * USUAL_SPREAD.powi(2) + self.squares;
        let width = (squares / chi_squared(freedom, random)).sqrt();
        let place = self.mean + width / known.sqrt() * normal(random);
        let longer = self.longest.max(self.mean + width) + LONGER_BY;
        let all = known + CURVE_RUNS + LONGER_RUNS;
        let draw = |_| {
            let at = random.f64() * all;
            if let Some(ratio) = self.ratios.get(floor(at)) {
                *ratio
            } else if at < known + CURVE_RUNS {
                (place + width * normal(random)).exp()
            } else {
                longer.exp()
            }
        };
        (0..floor(all.min(MAX_RUNS) + 0.5)).map(draw).collect()
    }
}

/// A number of the normal distribution (Box and Muller 1958).
fn normal(random: &mut fastrand::Rng) -> f64 {
    let (radius, angle) = (1.0 - random.f64(), random.f64());
    (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

/// A number of the chi-squared distribution, by the cube of a normal one (Wilson and Hilferty 1931).
fn chi_squared(freedom: f64, random: &mut fastrand::Rng) -> f64 {
    let part = 2.0 / (9.0 * freedom);
    let root = 1.0 - part + part.sqrt() * normal(random);
    // Nothing that is drawn comes near 0: with nine degrees of freedom it is six deviations away.
    freedom * root.max(0.1).powi(3)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a count of runs, which is small"
)]
fn count(items: usize) -> f64 {
    items as f64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a place among runs, of which memory holds fewer than numbers have digits"
)]
fn floor(place: f64) -> usize {
    place as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    type Family = (&'static str, fn(&mut fastrand::Rng) -> f64);

    /// Durations that the curve is not made for; `bench/durations.py` asks more of them.
    const FAMILIES: [Family; 4] = [
        ("log-normal", |random| (0.6 * normal(random)).exp()),
        ("gamma", |random| {
            -(1.0 - random.f64()).ln() - (1.0 - random.f64()).ln()
        }),
        ("two humps", |random| {
            let hump = if random.bool() { 1.0 } else { 3.0 };
            hump * (0.25 * normal(random)).exp()
        }),
        ("outliers", |random| {
            let times = if random.f64() < 0.1 { 4.0 } else { 1.0 };
            times * (0.4 * normal(random)).exp()
        }),
    ];

    /// The share of plans of one agent that end by their P90, when so many runs are known.
    fn kept(draw: fn(&mut fastrand::Rng) -> f64, runs: usize, plans: u64) -> f64 {
        let keeps = |plan: &u64| {
            let mut random = fastrand::Rng::with_seed(*plan);
            let known: Vec<f64> = (0..runs).map(|_| draw(&mut random)).collect();
            let source = RatioSource::of(DurationSpread::Learned(&known)).unwrap();
            let round = |random: &mut fastrand::Rng| {
                let ratios = source.round(random);
                (0..24).map(|_| ratios.draw(random)).sum::<f64>()
            };
            let mut ends: Vec<f64> = (0..100).map(|_| round(&mut random)).collect();
            ends.sort_by(f64::total_cmp);
            (0..24).map(|_| draw(&mut random)).sum::<f64>() <= ends[89]
        };
        let kept = (0..plans).filter(keeps).count();
        count(kept) / f64::from(u32::try_from(plans).unwrap())
    }

    #[test]
    fn nine_in_ten_plans_end_by_their_p90_however_few_runs_are_known() {
        for (name, draw) in FAMILIES {
            for runs in [2, 5, 20] {
                let kept = kept(draw, runs, 200);
                assert!((0.82..0.98).contains(&kept), "{name}, {runs} runs: {kept}");
            }
        }
    }

    #[test]
    fn one_run_is_enough_and_more_say_more() {
        let width = |runs: usize| {
            let ratios = vec![1.0; runs];
            let source = RatioSource::of(DurationSpread::Learned(&ratios)).unwrap();
            let mut random = fastrand::Rng::with_seed(1);
            let drawn = (0..4000).map(|_| source.round(&mut random).draw(&mut random));
            drawn.filter(|ratio| *ratio > 1.5).count()
        };
        assert!(width(1) > 800 && width(10) < width(1) && width(1000) < 40);
    }

    #[test]
    fn what_is_no_ratio_is_refused() {
        for wrong in [&[][..], &[1.0, 0.0], &[-1.0], &[f64::NAN], &[f64::INFINITY]] {
            let refused = RatioSource::of(DurationSpread::Learned(wrong));
            assert!(matches!(
                refused,
                Err(NetworkError::Argument { name: "spread", .. })
            ));
        }
        assert!(RatioSource::of(DurationSpread::Known(f64::NAN)).is_err());
    }
}
