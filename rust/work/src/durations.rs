//! What work on specs took, cost and used, all attempts together.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::learned_amounts::{LearnedAmount, MeasuredAmount, WorkTrait};
use super::run_record::RunRecord;
use super::state::RunState;
use chant_agent_events::AgentUsage;
use chant_base::completed_run::CompletedRun;
use chant_base::money::UsdAmount;
use chant_store::StoreError;
use chant_store::disk::Disk;
use chant_store::index::FileSource;
use chant_store::record_index::RecordIndex;

/// The smallest seconds or tokens of a run where logarithms are compared.
const SHORTEST: f64 = 1.0;
/// The smallest cost of a run there, in US dollars.
const CHEAPEST: f64 = 1e-6;

/// Gives the labels of a spec by its ID.
pub type SpecLabels<'a> = &'a dyn Fn(&str) -> Vec<&'a str>;

/// The time after which receipts are read again, which other clones may have brought.
const RECEIPT_AGE: Duration = Duration::from_secs(600);

/// The durations of a project's runs, read again only where records changed; of runs whose records are gone, as their
/// receipts say.
pub struct RunDurations {
    took: RecordIndex<WorkAttempt>,
    receipted: Vec<WorkAttempt>,
    /// When receipts were read; `None` when they have to be read again.
    read_at: Option<Instant>,
}

impl Default for RunDurations {
    fn default() -> Self {
        Self {
            took: RecordIndex::new(took),
            receipted: Vec::new(),
            read_at: None,
        }
    }
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
    /// Computes the statistics of some records, and of runs that left receipts and have no record any more.
    pub fn from_runs(
        records: &[RunRecord],
        receipted: &[CompletedRun],
        labels: SpecLabels<'_>,
    ) -> Self {
        let attempts: Vec<WorkAttempt> = records.iter().filter_map(WorkAttempt::of).collect();
        let receipted: Vec<WorkAttempt> = receipted
            .iter()
            .filter_map(WorkAttempt::of_receipt)
            .collect();
        Self::from_attempts(with_receipted(attempts.iter(), &receipted), labels)
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
    /// Returns the statistics of the records that are in a folder now, and of the runs that `receipted` gives and that have no record
    /// any more; that is asked for first, after a record went, and now and then. Unreadable records are left out, and
    /// runs that ended after `until`.
    ///
    /// # Errors
    /// A `StoreError` when the folder exists and cannot be listed.
    pub fn learned(
        &mut self,
        disk: &Disk,
        folder: Option<&Path>,
        labels: SpecLabels<'_>,
        until: Timestamp,
        receipted: impl FnOnce() -> Vec<CompletedRun>,
    ) -> Result<RunStatistics, StoreError> {
        if self.took.refresh(disk, folder)? {
            // The receipt of a removed record counts now.
            self.read_at = None;
        }
        if self.read_at.is_none_or(|at| at.elapsed() > RECEIPT_AGE) {
            let receipted = receipted();
            let receipted = receipted.iter().filter_map(WorkAttempt::of_receipt);
            self.receipted = receipted.collect();
            self.read_at = Some(Instant::now());
        }
        let attempts = with_receipted(self.took.records(), &self.receipted);
        let known = attempts.filter(|attempt| attempt.ended <= until);
        Ok(RunStatistics::from_attempts(known, labels))
    }
}

/// Attempts, and those of receipts that are not among them.
fn with_receipted<'a>(
    attempts: impl Iterator<Item = &'a WorkAttempt> + Clone,
    receipted: &'a [WorkAttempt],
) -> impl Iterator<Item = &'a WorkAttempt> {
    let key = |attempt: &'a WorkAttempt| (attempt.spec_id.as_str(), attempt.started);
    let known: BTreeSet<_> = attempts.clone().map(key).collect();
    let others = receipted.iter();
    attempts.chain(others.filter(move |one| !known.contains(&key(one))))
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

    /// Returns what a run took and used by its receipt.
    fn of_receipt(run: &CompletedRun) -> Option<Self> {
        let started: Timestamp = run.started_at.parse().ok()?;
        let ended: Timestamp = run.ended_at.parse().ok()?;
        let seconds = ended.duration_since(started).as_secs_f64();
        // It says the second in which the work ended, and when exactly it began.
        (seconds > -1.0).then(|| Self {
            spec_id: run.spec_id.clone(),
            started,
            ended,
            state: RunState::Completed,
            agent: run.agent.clone(),
            criteria: run.criteria,
            used: WorkAmounts {
                seconds: seconds.max(0.0),
                tokens: run.tokens.map(whole),
                dollars: run.cost.map(UsdAmount::dollars),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_less_than_a_second_counts_by_its_receipt() {
        let run = CompletedRun {
            spec_id: "2026-01-22-001-abc".into(),
            started_at: "2026-01-22T10:00:00.700Z".into(),
            ended_at: "2026-01-22T10:00:00Z".into(),
            agent: None,
            criteria: 1,
            tokens: Some(450),
            cost: None,
        };
        let labels = |_: &str| Vec::new();
        let learned = RunStatistics::from_runs(&[], std::slice::from_ref(&run), &labels);
        assert_eq!((learned.duration.runs, learned.tokens.runs), (1, 1));
        let before = CompletedRun {
            started_at: "2026-01-22T10:00:01.500Z".into(),
            ..run
        };
        assert_eq!(
            RunStatistics::from_runs(&[], &[before], &labels)
                .duration
                .runs,
            0
        );
    }
}
