//! The durations of runs that completed their specs, and the usage of their agents.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::run_record::RunRecord;
use super::state::RunState;
use chant_agent_events::AgentUsage;
use chant_base::money::UsdAmount;
use chant_store::StoreError;
use chant_store::disk::Disk;
use chant_store::files::RootFolder;
use chant_store::index::{DocumentIndex, FileSource};

/// The smallest seconds or tokens of a run where logarithms are compared.
const SHORTEST: f64 = 1.0;
/// The smallest cost of a run there, in US dollars.
const CHEAPEST: f64 = 1e-6;

/// The durations of a project's runs, read again only where records changed.
pub struct RunDurations {
    folder: PathBuf,
    index: DocumentIndex<Option<RunMeasurement>>,
    took: BTreeMap<Box<str>, RunMeasurement>,
}

/// A run that completed its spec.
struct RunMeasurement {
    spec_id: String,
    seconds: f64,
    tokens: Option<f64>,
    dollars: Option<f64>,
}

/// Statistics of a project's completed runs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunStatistics {
    /// Their durations, in seconds.
    pub duration: LearnedAmount,
    /// Their tokens, as far as their agents report them.
    pub tokens: LearnedAmount,
    /// Their cost in US dollars, as far as their agents report it.
    pub cost: LearnedAmount,
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
    by_spec: HashMap<String, f64>,
}

impl LearnedAmount {
    /// Computes the statistics of amounts, each with its spec; an amount less than `least` counts
    /// as `least` in logarithms.
    fn from_runs<'a>(amounts: impl Iterator<Item = (&'a str, f64)>, least: f64) -> Self {
        let mut by_spec: HashMap<String, Vec<f64>> = HashMap::new();
        let mut all = Vec::new();
        for (spec_id, amount) in amounts {
            by_spec.entry(spec_id.to_owned()).or_default().push(amount);
            all.push(amount);
        }
        let medians = by_spec.into_iter();
        Self {
            runs: all.len(),
            spread: spread(&all, least),
            median: median(all),
            by_spec: medians
                .filter_map(|(spec, amounts)| Some((spec, median(amounts)?)))
                .collect(),
        }
    }

    /// Returns the amount for a spec, the median of several runs.
    pub fn of(&self, spec_id: &str) -> Option<f64> {
        self.by_spec.get(spec_id).copied()
    }
}

impl RunStatistics {
    /// Computes the statistics of some records.
    pub fn from_records(records: &[RunRecord]) -> Self {
        let took: Vec<RunMeasurement> = records.iter().filter_map(RunMeasurement::of).collect();
        Self::from_runs(&took.iter().collect::<Vec<_>>())
    }

    fn from_runs(all: &[&RunMeasurement]) -> Self {
        let of = |amount: fn(&RunMeasurement) -> Option<f64>, least| {
            let known = all.iter();
            let known = known.filter_map(|took| Some((took.spec_id.as_str(), amount(took)?)));
            LearnedAmount::from_runs(known, least)
        };
        Self {
            duration: of(|took| Some(took.seconds), SHORTEST),
            tokens: of(|took| took.tokens, SHORTEST),
            cost: of(|took| took.dollars, CHEAPEST),
        }
    }
}

impl RunDurations {
    /// Returns the durations of the runs whose records lie in a folder; it reads nothing yet.
    ///
    /// # Errors
    /// A `StoreError` when the folder above does not exist.
    pub fn new(disk: Disk, folder: &Path) -> Result<Self, StoreError> {
        let root = RootFolder::open(folder.parent().unwrap_or(folder))?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        Ok(Self {
            folder: folder.to_owned(),
            index: DocumentIndex::new(disk, root, &name, ".json", took).flat(),
            took: BTreeMap::new(),
        })
    }

    /// Returns the folder of the records.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the statistics of the present records; unreadable ones are left out.
    ///
    /// # Errors
    /// A `StoreError` when the folder exists and cannot be listed.
    pub fn learned(&mut self) -> Result<RunStatistics, StoreError> {
        let changes = match self.index.refresh() {
            Err(StoreError::Missing { .. }) => self.index.clear(),
            changes => changes?,
        };
        for change in changes {
            match change.document.flatten() {
                Some(took) => self.took.insert(change.path, took),
                None => self.took.remove(&change.path),
            };
        }
        Ok(RunStatistics::from_runs(
            &self.took.values().collect::<Vec<_>>(),
        ))
    }
}

fn took(path: &str, source: FileSource) -> Option<RunMeasurement> {
    let FileSource::Text(text) = source else {
        return None;
    };
    let name = path.rsplit('/').next().unwrap_or_default();
    RunMeasurement::of(&RunRecord::believed(name, &text).ok()?)
}

impl RunMeasurement {
    /// Returns the amounts of a run if it completed its spec.
    fn of(record: &RunRecord) -> Option<Self> {
        let is_it = record.works_on_spec() && record.state() == RunState::Completed;
        let start: Timestamp = record.started_at.parse().ok()?;
        let end: Timestamp = record.completed_at.as_deref()?.parse().ok()?;
        let seconds = end.duration_since(start).as_secs_f64();
        let usage: AgentUsage = record.usage.as_ref().map(Into::into).unwrap_or_default();
        (is_it && seconds >= 0.0).then(|| Self {
            spec_id: record.spec_id.clone(),
            seconds,
            tokens: usage.tokens.map(|tokens| whole(tokens.total())),
            dollars: usage.cost.map(UsdAmount::dollars),
        })
    }
}

/// Returns a count as a floating-point number.
#[expect(
    clippy::cast_precision_loss,
    reason = "what counts of so many tokens are the first digits"
)]
fn whole(count: u64) -> f64 {
    count as f64
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    let lower = values[(values.len() - 1) / 2];
    Some(f64::midpoint(lower, upper))
}

fn spread(amounts: &[f64], least: f64) -> Option<f64> {
    let logarithms: Vec<f64> = amounts.iter().map(|one| one.max(least).ln()).collect();
    let count = f64::from(u32::try_from(logarithms.len()).ok()?);
    if count < 2.0 {
        return None;
    }
    let mean = logarithms.iter().sum::<f64>() / count;
    let squares = logarithms.iter().map(|one| (one - mean).powi(2));
    Some((squares.sum::<f64>() / (count - 1.0)).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_lies_in_the_middle() {
        assert_eq!(median(Vec::new()), None);
        assert_eq!(median(vec![5.0]), Some(5.0));
        assert_eq!(median(vec![9.0, 1.0, 5.0]), Some(5.0));
        assert_eq!(median(vec![9.0, 1.0]), Some(5.0));
    }

    #[test]
    fn the_spread_is_that_of_logarithms() {
        assert_eq!(spread(&[60.0], 1.0), None);
        assert_eq!(spread(&[60.0, 60.0, 60.0], 1.0), Some(0.0));
        let spread = spread(&[1.0, std::f64::consts::E.powi(2)], 1.0).unwrap();
        assert!((spread - std::f64::consts::SQRT_2).abs() < 1e-12);
    }
}
