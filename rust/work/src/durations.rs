//! What work on specs took, cost and used, all attempts together.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::learned_amounts::{LearnedAmount, MeasuredAmount, WorkTrait};
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

/// Gives the labels of a spec by its ID.
pub type SpecLabels<'a> = &'a dyn Fn(&str) -> Vec<&'a str>;

/// The durations of a project's runs, read again only where records changed.
pub struct RunDurations {
    folder: PathBuf,
    index: DocumentIndex<Option<WorkAttempt>>,
    took: BTreeMap<Box<str>, WorkAttempt>,
}

/// A run that ended: an attempt at its spec.
struct WorkAttempt {
    spec_id: String,
    started: Timestamp,
    ended: Timestamp,
    state: RunState,
    agent: Option<String>,
    criteria: usize,
    used: WorkAmounts,
}

/// The time and the means that attempts took.
#[derive(Debug, Clone, Copy, Default)]
struct WorkAmounts {
    seconds: f64,
    tokens: Option<f64>,
    dollars: Option<f64>,
}

/// The work on a spec until it was done, or so far.
struct SpecWork {
    spec_id: String,
    traits: Vec<WorkTrait>,
    used: WorkAmounts,
}

/// Statistics of a project's work: of each spec that was completed, what all attempts at it came to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunStatistics {
    /// The durations, in seconds.
    pub duration: LearnedAmount,
    /// The tokens, as far as agents report them.
    pub tokens: LearnedAmount,
    /// The cost in US dollars, as far as agents report it.
    pub cost: LearnedAmount,
}

impl RunStatistics {
    /// Computes the statistics of some records.
    pub fn from_records(records: &[RunRecord], labels: SpecLabels<'_>) -> Self {
        let attempts: Vec<WorkAttempt> = records.iter().filter_map(WorkAttempt::of).collect();
        Self::from_attempts(attempts.iter(), labels)
    }

    /// What failed, was paused or was lost counts as what it cost, with the run that completed the spec. Attempts at a
    /// spec that was cancelled count for nothing.
    fn from_attempts<'a>(
        attempts: impl Iterator<Item = &'a WorkAttempt>,
        labels: SpecLabels<'_>,
    ) -> Self {
        let mut by_spec: BTreeMap<&str, Vec<&WorkAttempt>> = BTreeMap::new();
        for attempt in attempts {
            by_spec.entry(&attempt.spec_id).or_default().push(attempt);
        }
        let (mut done, mut unfinished) = (Vec::new(), Vec::new());
        for (spec_id, mut attempts) in by_spec {
            attempts.sort_by_key(|attempt| attempt.started);
            let mut used = None::<WorkAmounts>;
            for attempt in attempts {
                let so_far = used.unwrap_or_default().with(attempt.used);
                used = (!attempt.state.is_closed()).then_some(so_far);
                if attempt.state == RunState::Completed {
                    done.push(attempt.completed(so_far, labels(spec_id)));
                }
            }
            unfinished.extend(used);
        }
        Self {
            duration: learned(&done, &unfinished, |used| Some(used.seconds), SHORTEST),
            tokens: learned(&done, &unfinished, |used| used.tokens, SHORTEST),
            cost: learned(&done, &unfinished, |used| used.dollars, CHEAPEST),
        }
    }
}

/// Learns about one amount of work.
fn learned(
    done: &[SpecWork],
    unfinished: &[WorkAmounts],
    amount: fn(&WorkAmounts) -> Option<f64>,
    least: f64,
) -> LearnedAmount {
    let known = done.iter().filter_map(|work| {
        Some(MeasuredAmount {
            spec_id: &work.spec_id,
            traits: &work.traits,
            amount: amount(&work.used)?,
        })
    });
    let known: Vec<MeasuredAmount<'_>> = known.collect();
    let unfinished: Vec<f64> = unfinished.iter().filter_map(amount).collect();
    LearnedAmount::from_amounts(&known, &unfinished, least)
}

impl WorkAmounts {
    /// Adds those of the next attempt. An attempt that does not report an amount leaves the sum as it is.
    fn with(self, next: Self) -> Self {
        let sum = |so_far: Option<f64>, next: Option<f64>| match (so_far, next) {
            (Some(so_far), Some(next)) => Some(so_far + next),
            (so_far, next) => next.or(so_far),
        };
        Self {
            seconds: self.seconds + next.seconds,
            tokens: sum(self.tokens, next.tokens),
            dollars: sum(self.dollars, next.dollars),
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

    /// Returns the statistics of the present records; unreadable ones are left out, and runs that ended after
    /// `until`.
    ///
    /// # Errors
    /// A `StoreError` when the folder exists and cannot be listed.
    pub fn learned(
        &mut self,
        labels: SpecLabels<'_>,
        until: Timestamp,
    ) -> Result<RunStatistics, StoreError> {
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
        let attempts = self.took.values();
        let known = attempts.filter(|attempt| attempt.ended <= until);
        Ok(RunStatistics::from_attempts(known, labels))
    }
}

fn took(path: &str, source: FileSource) -> Option<WorkAttempt> {
    let FileSource::Text(text) = source else {
        return None;
    };
    let name = path.rsplit('/').next().unwrap_or_default();
    WorkAttempt::of(&RunRecord::believed(name, &text).ok()?)
}

impl WorkAttempt {
    /// Returns what a run took and used if it worked on a spec and ended.
    fn of(record: &RunRecord) -> Option<Self> {
        let has_ended = record.works_on_spec() && record.state() != RunState::Running;
        let started: Timestamp = record.started_at.parse().ok()?;
        let ended: Timestamp = record.completed_at.as_deref()?.parse().ok()?;
        let seconds = ended.duration_since(started).as_secs_f64();
        let usage: AgentUsage = record.usage.as_ref().map(Into::into).unwrap_or_default();
        (has_ended && seconds >= 0.0).then(|| Self {
            spec_id: record.spec_id.clone(),
            started,
            ended,
            state: record.state(),
            agent: record.agent.as_ref().map(|agent| agent.name.clone()),
            criteria: record.criteria_at_start.len(),
            used: WorkAmounts {
                seconds,
                tokens: usage.tokens.map(|tokens| whole(tokens.total())),
                dollars: usage.cost.map(UsdAmount::dollars),
            },
        })
    }

    /// Returns the work on its spec, which it completed. An amount is known if this attempt reports it.
    fn completed(&self, used: WorkAmounts, labels: Vec<&str>) -> SpecWork {
        SpecWork {
            spec_id: self.spec_id.clone(),
            traits: WorkTrait::all_of(self.agent.as_deref(), self.criteria, labels),
            used: WorkAmounts {
                tokens: self.used.tokens.and(used.tokens),
                dollars: self.used.dollars.and(used.dollars),
                ..used
            },
        }
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
