//! What amounts of done work teach about work to come: what is usual, what agents, sizes and labels change, and how
//! far from that amounts lie.

use std::collections::HashMap;

/// So many amounts a trait needs before anything is learned about it.
const ENOUGH: usize = 3;
/// With so many amounts a trait is believed by half; with fewer the whole counts for more.
const HALF: f64 = 5.0;

/// Something by which work differs, and its amounts may.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum WorkTrait {
    /// The agent that does it.
    Agent(Box<str>),
    /// The number of its criteria, by its power of two.
    Size(u32),
    /// One of its labels.
    Label(Box<str>),
}

/// The order in which traits are looked at: what one explains is not left for those behind it.
const KINDS: [fn(&WorkTrait) -> bool; 3] = [
    |one| matches!(one, WorkTrait::Agent(_)),
    |one| matches!(one, WorkTrait::Size(_)),
    |one| matches!(one, WorkTrait::Label(_)),
];

impl WorkTrait {
    /// Returns the traits of work with an agent, so many criteria and labels.
    pub fn all_of<'a>(
        agent: Option<&str>,
        criteria: usize,
        labels: impl IntoIterator<Item = &'a str>,
    ) -> Vec<Self> {
        let size = u32::try_from(criteria)
            .unwrap_or(u32::MAX)
            .saturating_add(1);
        let agent = agent.map(|agent| Self::Agent(agent.into()));
        let labels = labels.into_iter().map(|label| Self::Label(label.into()));
        agent
            .into_iter()
            .chain([Self::Size(size.ilog2())])
            .chain(labels)
            .collect()
    }
}

/// An amount of work that is done.
pub(super) struct MeasuredAmount<'a> {
    pub spec_id: &'a str,
    pub traits: &'a [WorkTrait],
    pub amount: f64,
}

/// The statistics of one amount.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LearnedAmount {
    /// The number of completed runs that have this amount.
    pub runs: usize,
    /// The median; `None` without any run.
    pub median: Option<f64>,
    /// The standard deviation of its natural logarithms; `None` for fewer than two.
    pub spread: Option<f64>,
    /// Each amount, divided by that expected without it.
    pub ratios: Vec<f64>,
    by_spec: HashMap<String, f64>,
    effects: HashMap<WorkTrait, f64>,
}

impl LearnedAmount {
    /// Computes the statistics of amounts; one less than `least` counts as `least` in logarithms. `unfinished` is what
    /// was used so far for work that is not done.
    pub(super) fn from_amounts(
        done: &[MeasuredAmount<'_>],
        unfinished: &[f64],
        least: f64,
    ) -> Self {
        let mut by_spec: HashMap<String, Vec<f64>> = HashMap::new();
        for one in done {
            let amounts = by_spec.entry(one.spec_id.to_owned()).or_default();
            amounts.push(one.amount);
        }
        let medians = by_spec.into_iter();
        let mut all: Vec<f64> = done.iter().map(|one| one.amount).collect();
        let longer = continued(&all, unfinished);
        all.extend(&longer);
        let log = |amount: f64| amount.max(least).ln();
        let traits = done.iter().map(|one| one.traits);
        let traits = traits.chain(longer.iter().map(|_| &[][..]));
        let logs = all.iter().map(|amount| log(*amount));
        let rows: Vec<(f64, &[WorkTrait])> = logs.zip(traits).collect();
        let mut fit = TraitFit::of(&rows);
        for is_kind in KINDS {
            fit.explain(&rows, is_kind);
        }
        let median_of_all = median(all);
        let middle = median_of_all.map_or(0.0, log);
        Self {
            runs: done.len(),
            median: median_of_all,
            spread: deviation(&rows),
            ratios: fit
                .left
                .iter()
                .map(|left| (left + fit.mean - middle).exp())
                .collect(),
            by_spec: medians
                .filter_map(|(spec, amounts)| Some((spec, median(amounts)?)))
                .collect(),
            effects: fit.effects,
        }
    }

    /// Returns the amount for a spec, the median of several runs.
    pub fn of(&self, spec_id: &str) -> Option<f64> {
        self.by_spec.get(spec_id).copied()
    }

    /// Returns the amount that is expected of the next work on a spec: what its runs took, else the median with what its
    /// traits change; `None` without any run.
    pub fn expected(&self, spec_id: &str, traits: &[WorkTrait]) -> Option<f64> {
        let changes = KINDS.map(|is_kind| mean_effect(&self.effects, traits, is_kind));
        let usual = self.median?;
        let own = self.of(spec_id);
        Some(own.unwrap_or_else(|| usual * changes.iter().sum::<f64>().exp()))
    }
}

/// Returns what unfinished work may come to. What took no longer than usual so far says nothing; what did will come to
/// as much as work that took longer still (Efron 1967: redistributed to the right), or is the longest.
fn continued(done: &[f64], unfinished: &[f64]) -> Vec<f64> {
    let Some(usual) = median(done.to_vec()) else {
        return Vec::new();
    };
    let long = unfinished.iter().filter(|amount| **amount > usual);
    let end = |so_far: &f64| {
        let longer = done.iter().filter(|amount| *amount > so_far);
        median(longer.copied().collect()).unwrap_or(*so_far)
    };
    long.map(end).collect()
}

/// What traits explain of the differences of logarithms.
struct TraitFit {
    mean: f64,
    effects: HashMap<WorkTrait, f64>,
    /// What is not explained of each, with effects that do not know it: an effect explains what it was learned from
    /// too well.
    left: Vec<f64>,
}

impl TraitFit {
    fn of(rows: &[(f64, &[WorkTrait])]) -> Self {
        let mean = rows.iter().map(|(log, _)| log).sum::<f64>() / count(rows.len()).max(1.0);
        Self {
            mean,
            effects: HashMap::new(),
            left: rows.iter().map(|(log, _)| log - mean).collect(),
        }
    }

    /// Explains what is left by the traits of one kind.
    fn explain(&mut self, rows: &[(f64, &[WorkTrait])], is_kind: fn(&WorkTrait) -> bool) {
        let mut sums: HashMap<&WorkTrait, (f64, usize)> = HashMap::new();
        for ((_, traits), left) in rows.iter().zip(&self.left) {
            for one in traits.iter().filter(|one| is_kind(one)) {
                let sum = sums.entry(one).or_default();
                *sum = (sum.0 + left, sum.1 + 1);
            }
        }
        for ((_, traits), left) in rows.iter().zip(&mut self.left) {
            let own = *left;
            let without = traits.iter().filter(|one| is_kind(one)).map(|one| {
                let (sum, of) = sums[one];
                shrunk(sum - own, of - 1)
            });
            *left -= mean(without);
        }
        let learned = sums.into_iter();
        self.effects
            .extend(learned.map(|(one, (sum, of))| (one.clone(), shrunk(sum, of))));
    }
}

/// Returns the effect of a trait: the mean of what it should explain, drawn towards none where few runs have it.
fn shrunk(sum: f64, of: usize) -> f64 {
    if of < ENOUGH {
        0.0
    } else {
        sum / (count(of) + HALF)
    }
}

/// Returns what traits of one kind change; several labels count with their mean.
fn mean_effect(
    effects: &HashMap<WorkTrait, f64>,
    traits: &[WorkTrait],
    is_kind: fn(&WorkTrait) -> bool,
) -> f64 {
    let traits = traits.iter().filter(|one| is_kind(one));
    mean(traits.map(|one| effects.get(one).copied().unwrap_or_default()))
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, of) = values.fold((0.0, 0), |(sum, of), value| (sum + value, of + 1));
    sum / count(of).max(1.0)
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    let lower = values[(values.len() - 1) / 2];
    Some(f64::midpoint(lower, upper))
}

/// Returns the standard deviation of logarithms.
fn deviation(rows: &[(f64, &[WorkTrait])]) -> Option<f64> {
    if rows.len() < 2 {
        return None;
    }
    let mean = mean(rows.iter().map(|(log, _)| *log));
    let squares = rows.iter().map(|(log, _)| (log - mean).powi(2));
    Some((squares.sum::<f64>() / (count(rows.len()) - 1.0)).sqrt())
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a count of runs, which is small"
)]
fn count(runs: usize) -> f64 {
    runs as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learned(done: &[(&str, f64)], unfinished: &[f64]) -> LearnedAmount {
        let traits: Vec<Vec<WorkTrait>> = done
            .iter()
            .map(|(label, _)| WorkTrait::all_of(None, 0, [*label]))
            .collect();
        let rows = done.iter().zip(&traits);
        let rows: Vec<_> = rows
            .map(|((_, amount), traits)| MeasuredAmount {
                spec_id: "",
                traits,
                amount: *amount,
            })
            .collect();
        LearnedAmount::from_amounts(&rows, unfinished, 1.0)
    }

    fn expected(learned: &LearnedAmount, label: &str) -> f64 {
        let traits = WorkTrait::all_of(None, 0, [label]);
        learned.expected("another", &traits).unwrap()
    }

    #[test]
    fn the_median_lies_in_the_middle() {
        assert_eq!(median(Vec::new()), None);
        assert_eq!(median(vec![5.0]), Some(5.0));
        assert_eq!(median(vec![9.0, 1.0, 5.0]), Some(5.0));
        assert_eq!(median(vec![9.0, 1.0]), Some(5.0));
    }

    #[test]
    fn the_spread_is_that_of_logarithms() {
        let spread = |amounts: &[f64]| {
            let done: Vec<_> = amounts.iter().map(|amount| ("", *amount)).collect();
            learned(&done, &[]).spread
        };
        assert_eq!(spread(&[60.0]), None);
        assert_eq!(spread(&[60.0, 60.0, 60.0]), Some(0.0));
        let found = spread(&[1.0, std::f64::consts::E.powi(2)]).unwrap();
        assert!((found - std::f64::consts::SQRT_2).abs() < 1e-12);
    }

    #[test]
    fn without_runs_nothing_is_known() {
        let nothing = learned(&[], &[600.0]);
        assert_eq!((nothing.runs, nothing.median), (0, None));
        assert!(nothing.ratios.is_empty());
        assert_eq!(nothing.expected("any", &[]), None);
    }

    #[test]
    fn a_label_counts_where_enough_runs_say_so() {
        let rows = |of_each: usize| -> Vec<(&str, f64)> {
            let pairs = (0..of_each).flat_map(|_| [("short", 100.0), ("long", 900.0)]);
            pairs.collect()
        };
        let two = learned(&rows(2), &[]);
        assert!((expected(&two, "long") - 500.0).abs() < 1e-9, "{two:?}");
        let (few, many) = (learned(&rows(4), &[]), learned(&rows(40), &[]));
        assert!(expected(&few, "long") > 700.0 && expected(&few, "short") < 400.0);
        assert!(expected(&many, "long") > expected(&few, "long"));
        assert!((expected(&many, "neither") - 500.0).abs() < 1e-9);
        let apart = |learned: &LearnedAmount| {
            let ratios = learned.ratios.iter().copied();
            ratios.clone().fold(0.0, f64::max) / ratios.fold(f64::INFINITY, f64::min)
        };
        assert!(apart(&two) > 8.0 && apart(&many) < apart(&few));
    }

    #[test]
    fn work_that_is_not_done_comes_to_more_than_it_took_so_far() {
        let done = [("", 100.0), ("", 200.0), ("", 800.0), ("", 900.0)];
        assert_eq!(learned(&done, &[]).median, Some(500.0));
        assert_eq!(learned(&done, &[50.0, 500.0]).median, Some(500.0));
        let waiting = learned(&done, &[600.0]);
        assert_eq!((waiting.runs, waiting.median), (4, Some(800.0)));
        assert_eq!(
            continued(&[100.0, 800.0, 900.0], &[850.0, 1000.0]),
            [900.0, 1000.0]
        );
    }
}
