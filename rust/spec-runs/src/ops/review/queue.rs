//! The queue: which finished work to read first.

use std::collections::{BTreeMap, BTreeSet};

use super::show::{ReviewedWork, risk_row};
use crate::project::ProjectRuns;
use crate::review::{ProjectReviews, is_delivered};
use crate::view::review::{QueueEntry, ReviewQueue};
use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_review::event::AgentAnswer;
use chant_review::thread::ReviewThread;
use chant_specs::model::Spec;
use chant_specs::project::{Project, ProjectSnapshot};
use chant_work::run_record::RunRecord;
use chant_work::state::RunState;

/// Returns the specs whose work waits to be read, or to be gone on with, in the order in which to do that: agents that
/// wait for an answer first, then the riskier band, what holds up more, more points, what waits longer, the ID.
///
/// # Errors
/// A failure to read records, reviews or the repository.
pub fn review_queue(project: &Project) -> Result<Answer, Error> {
    let snapshot = project.snapshot()?;
    let reviews = ProjectReviews::of(project)?;
    let runs = project.runs()?;
    let mut ids: BTreeSet<String> = reviews.store().specs()?.into_iter().collect();
    let mut newest: BTreeMap<String, RunRecord> = BTreeMap::new();
    for record in runs.all()?.0 {
        if !record.works_on_spec() {
            continue;
        }
        let known = newest.get(&record.spec_id);
        if known.is_none_or(|known| known.token < record.token) {
            newest.insert(record.spec_id.clone(), record);
        }
    }
    ids.extend(
        newest
            .iter()
            .filter(|(_, record)| waits(record))
            .map(|(id, _)| id.clone()),
    );
    let dependents = dependents(&snapshot);
    let (mut entries, mut problems) = (Vec::new(), Vec::new());
    for id in ids {
        let Some(spec) = snapshot.specs.find(&id) else {
            continue;
        };
        let entry = entry(project, &reviews, spec, newest.get(&id));
        match entry {
            Ok(Some(mut entry)) => {
                entry.holds_up = holds_up(&snapshot, &dependents, &id);
                entries.push(entry);
            }
            Ok(None) => {}
            Err(error) => problems.push(format!("{id}: {error}")),
        }
    }
    let band = |entry: &QueueEntry| {
        ["high", "mid", "low"]
            .iter()
            .position(|band| *band == entry.risk.band)
    };
    entries.sort_by(|a, b| {
        let key = |entry: &QueueEntry| (entry.asked == 0, band(entry));
        let weight = |entry: &QueueEntry| (entry.holds_up, entry.risk.points);
        key(a)
            .cmp(&key(b))
            .then_with(|| weight(b).cmp(&weight(a)))
            .then_with(|| (&a.since, &a.spec_id).cmp(&(&b.since, &b.spec_id)))
    });
    Ok(Answer::compact(&ReviewQueue {
        new_hunks: entries.iter().map(|entry| entry.new).sum(),
        entries,
        problems,
    }))
}

/// Returns true for a run whose work waits for a person.
fn waits(record: &RunRecord) -> bool {
    matches!(
        record.state(),
        RunState::AwaitingApproval | RunState::AwaitingMerge | RunState::NeedsAttention
    )
}

fn entry(
    project: &Project,
    reviews: &ProjectReviews,
    spec: &std::sync::Arc<Spec>,
    record: Option<&RunRecord>,
) -> Result<Option<QueueEntry>, Error> {
    let known = reviews.read(spec.id.as_str())?;
    let is_waiting = record.is_some_and(waits);
    let open = known
        .threads
        .threads
        .iter()
        .filter(|thread| thread.is_open())
        .count();
    if !is_waiting && (open == 0 || spec.status.is_done()) {
        return Ok(None);
    }
    let runs = project.runs()?;
    let mut not_delivered = 0;
    for batch in &known.threads.batches {
        not_delivered += usize::from(!is_delivered(&runs, batch)?);
    }
    let asks = |thread: &&ReviewThread| {
        let last = thread.replies.last();
        thread.is_open() && last.is_some_and(|reply| reply.answer == Some(AgentAnswer::Asked))
    };
    let work = ReviewedWork::of(project, reviews, spec.clone())?;
    Ok(Some(QueueEntry {
        spec_id: spec.id.to_string(),
        title: spec.title.as_deref().map(str::to_owned),
        state: record.map(|record| record.state().as_str()),
        why: record
            .filter(|_| is_waiting)
            .and_then(|record| record.reason.clone()),
        risk: risk_row(work.risk(project)?),
        hunks: work.hunks.hunks.len(),
        new: work.unseen().len(),
        open,
        stops: known.threads.stoppers().count(),
        asked: known.threads.threads.iter().filter(asks).count(),
        not_delivered,
        holds_up: 0,
        since: record.map(|record| record.updated_at.clone()),
    }))
}

/// The specs that wait for each one directly.
fn dependents(snapshot: &ProjectSnapshot) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for spec in snapshot.specs.all() {
        for on in spec.depends_on.as_deref().unwrap_or_default() {
            found
                .entry(on.to_string())
                .or_default()
                .push(spec.id.to_string());
        }
    }
    found
}

/// The number of open specs that wait for one, at whatever distance.
fn holds_up(
    snapshot: &ProjectSnapshot,
    dependents: &BTreeMap<String, Vec<String>>,
    id: &str,
) -> usize {
    let mut seen = BTreeSet::new();
    let mut left = vec![id.to_owned()];
    while let Some(id) = left.pop() {
        for other in dependents.get(&id).into_iter().flatten() {
            let is_open = snapshot
                .specs
                .find(other)
                .is_some_and(|spec| !spec.status.is_done());
            if is_open && other != &id && seen.insert(other.clone()) {
                left.push(other.clone());
            }
        }
    }
    seen.remove(id);
    seen.len()
}
