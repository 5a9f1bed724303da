//! How long runs took that completed their specs.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::record::Record;
use super::state::State;
use crate::store::StoreError;
use crate::store::disk::Disk;
use crate::store::files::Root;
use crate::store::index::{Index, Source};

/// Shorter runs count as so many seconds where logarithms are compared.
const SHORTEST: f64 = 1.0;

/// The durations of a project's runs, read again only where records changed.
pub struct Durations {
    folder: PathBuf,
    index: Index<Option<Took>>,
    took: BTreeMap<Box<str>, Took>,
}

/// A run that completed its spec.
struct Took {
    spec_id: String,
    seconds: f64,
}

/// What the runs of a project teach.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Learned {
    /// How many runs completed their specs.
    pub runs: usize,
    /// Half of them took no longer, in seconds; `None` without any.
    pub median: Option<f64>,
    /// The standard deviation of the natural logarithms of their seconds; `None` for fewer than two.
    pub spread: Option<f64>,
    by_spec: HashMap<String, f64>,
}

impl Learned {
    /// How many seconds a spec took; of several runs the median.
    pub fn of(&self, spec_id: &str) -> Option<f64> {
        self.by_spec.get(spec_id).copied()
    }
}

impl Durations {
    /// The durations of the runs whose records lie in a folder; nothing is read yet.
    ///
    /// # Errors
    /// A `StoreError` when the folder above is not there.
    pub fn new(disk: Disk, folder: &Path) -> Result<Self, StoreError> {
        let root = Root::open(folder.parent().unwrap_or(folder))?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        Ok(Self {
            folder: folder.to_owned(),
            index: Index::new(disk, root, &name, ".json", took).flat(),
            took: BTreeMap::new(),
        })
    }

    /// The folder of the records.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What the records teach as of now; those that cannot be read teach nothing.
    ///
    /// # Errors
    /// A `StoreError` when the folder is there and cannot be listed.
    pub fn learned(&mut self) -> Result<Learned, StoreError> {
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
        let mut by_spec: HashMap<String, Vec<f64>> = HashMap::new();
        for took in self.took.values() {
            let of_spec = by_spec.entry(took.spec_id.clone()).or_default();
            of_spec.push(took.seconds);
        }
        let all: Vec<f64> = self.took.values().map(|took| took.seconds).collect();
        let medians = by_spec.into_iter();
        Ok(Learned {
            runs: all.len(),
            spread: spread(&all),
            median: median(all),
            by_spec: medians
                .filter_map(|(spec, seconds)| Some((spec, median(seconds)?)))
                .collect(),
        })
    }
}

fn took(path: &str, source: Source) -> Option<Took> {
    let Source::Text(text) = source else {
        return None;
    };
    let name = path.rsplit('/').next().unwrap_or_default();
    let record = Record::believed(name, &text).ok()?;
    let is_it = record.works_on_spec() && record.state() == State::Completed;
    let start: Timestamp = record.started_at.parse().ok()?;
    let end: Timestamp = record.completed_at.as_deref()?.parse().ok()?;
    let seconds = end.duration_since(start).as_secs_f64();
    (is_it && seconds >= 0.0).then_some(Took {
        spec_id: record.spec_id,
        seconds,
    })
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    let lower = values[(values.len() - 1) / 2];
    Some(f64::midpoint(lower, upper))
}

fn spread(seconds: &[f64]) -> Option<f64> {
    let logarithms: Vec<f64> = seconds.iter().map(|one| one.max(SHORTEST).ln()).collect();
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
        assert_eq!(spread(&[60.0]), None);
        assert_eq!(spread(&[60.0, 60.0, 60.0]), Some(0.0));
        let spread = spread(&[1.0, std::f64::consts::E.powi(2)]).unwrap();
        assert!((spread - std::f64::consts::SQRT_2).abs() < 1e-12);
    }
}
