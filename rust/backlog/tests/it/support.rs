//! Plans of a few texts, and their edits.

use std::sync::Arc;

use chant_backlog::BacklogTasks;
use chant_base::external_items::{ExternalItems, ExternalStatus};
use chant_plan_format::PlanFormat;
use chant_plan_format::checked_edit::{CheckedEdit, apply_checked};
use chant_plan_format::document::PlanDocument;
use chant_plan_format::finding::PlanFinding;
use chant_plan_format::intent::{EditIntent, EditRequest, PlanFileStep, TickTarget};
use chant_plan_format::join::JoinInput;
use chant_plan_format::snapshot::PlanSnapshot;
use chant_plan_format::unit::{PlanUnit, read_all};

pub(super) const TASK: &str = "backlog/tasks/task-1 - First.md";

pub(super) const CONFIG: (&str, &str) = ("backlog/config.yml", "project_name: x\n");

pub(super) const NOW: &str = "2026-01-31T14:05:09Z";

pub(super) fn documents(texts: &[(&str, &str)]) -> Vec<PlanDocument> {
    texts
        .iter()
        .map(|(path, text)| PlanDocument::new(*path, *text))
        .collect()
}

/// The snapshot of texts by their paths.
pub(super) fn plan(texts: &[(&str, &str)]) -> PlanSnapshot {
    plan_of(texts)
}

fn plan_of(texts: &[(&str, &str)]) -> PlanSnapshot {
    let (settings, units) = read_all(&BacklogTasks, documents(texts));
    let others = ExternalItems::new(|keys| {
        let answer = |key: &String| ExternalStatus::Found {
            status: "completed".into(),
            is_done: key == "chant:done",
            place: "elsewhere".into(),
        };
        keys.iter().map(answer).collect()
    });
    BacklogTasks.join(&JoinInput {
        units: &units,
        settings: &settings,
        archived: &[],
        others: &|keys| others.standings(keys),
    })
}

/// A plan of one task, with the usual configuration.
pub(super) fn one(text: &str) -> PlanSnapshot {
    plan(&[CONFIG, (TASK, text)])
}

pub(super) fn all_problems(snapshot: &PlanSnapshot) -> Vec<&PlanFinding> {
    let of_units = snapshot.units.iter().flat_map(|unit| &unit.problems);
    of_units.chain(&snapshot.problems).collect()
}

/// The edit of the only unit, or of none.
pub(super) fn ask(
    texts: &[(&str, &str)],
    item: Option<&str>,
    intent: &EditIntent,
) -> Result<CheckedEdit, String> {
    let (settings, units) = read_all(&BacklogTasks, documents(texts));
    let names = units
        .iter()
        .flat_map(|unit| &unit.items)
        .map(|item| item.name.clone());
    let taken: Vec<Box<str>> = names.collect();
    let request = EditRequest {
        item,
        intent,
        settings: &settings,
        taken: &taken,
        now: NOW,
    };
    let holds = |unit: &&Arc<PlanUnit>| item.is_some_and(|name| !unit.indexes_of(name).is_empty());
    let unit = units.iter().find(holds).map(|unit| &**unit);
    apply_checked(&BacklogTasks, unit, &request).map_err(|error| error.to_string())
}

/// The only task after an edit.
#[track_caller]
pub(super) fn after(text: &str, intent: &EditIntent) -> String {
    let edit = ask(&[CONFIG, (TASK, text)], Some("TASK-1"), intent).unwrap();
    edit.texts
        .first()
        .map_or_else(|| text.to_owned(), |(_, text)| text.clone())
}

#[track_caller]
pub(super) fn refused(text: &str, intent: &EditIntent) -> String {
    ask(&[CONFIG, (TASK, text)], Some("TASK-1"), intent).unwrap_err()
}

pub(super) fn tick(number: usize, on: bool) -> EditIntent {
    EditIntent::Tick {
        which: TickTarget::Criterion { list: None, number },
        on,
    }
}

pub(super) fn created(edit: &CheckedEdit) -> Vec<(&str, &str)> {
    let made = edit.files.iter().filter_map(|step| match step {
        PlanFileStep::Create { path, text } => Some((&**path, &**text)),
        PlanFileStep::Move { .. } => None,
    });
    made.collect()
}
