//! Plans of a few texts, and their edits, for the tests of each format whose units hold lists: their roots give `FORMAT`
//! and `TASKS`, the path of a list.

use chant_base::external_items::{ExternalItems, ExternalStatus};
use chant_plan_format::PlanFormat;
use chant_plan_format::checked_edit::{CheckedEdit, apply_checked};
use chant_plan_format::document::PlanDocument;
use chant_plan_format::finding::PlanFinding;
use chant_plan_format::intent::{EditIntent, EditRequest, PlanFileStep, TickTarget};
use chant_plan_format::join::JoinInput;
use chant_plan_format::snapshot::PlanSnapshot;
use chant_plan_format::unit::read_all;

use super::FORMAT;
pub(super) use super::TASKS;

pub(super) const NOW: &str = "2026-01-31T14:05:09Z";

pub(super) fn documents(texts: &[(&str, &str)]) -> Vec<PlanDocument> {
    texts
        .iter()
        .map(|(path, text)| PlanDocument::new(*path, *text))
        .collect()
}

/// The snapshot of texts by their paths.
pub(super) fn plan(texts: &[(&str, &str)]) -> PlanSnapshot {
    plan_with(texts, &[])
}

pub(super) fn plan_with(texts: &[(&str, &str)], archived: &[&str]) -> PlanSnapshot {
    let (settings, units) = read_all(&FORMAT, documents(texts));
    let archived: Vec<Box<str>> = archived.iter().map(|name| (*name).into()).collect();
    let others = ExternalItems::new(|keys| {
        let answer = |key: &String| ExternalStatus::Found {
            status: "completed".into(),
            is_done: key == "chant:done",
            place: "elsewhere".into(),
        };
        keys.iter().map(answer).collect()
    });
    FORMAT.join(&JoinInput {
        units: &units,
        settings: &settings,
        archived: &archived,
        others: &|keys| others.standings(keys),
    })
}

/// A plan of one unit with this list.
pub(super) fn list(tasks: &str) -> PlanSnapshot {
    plan(&[(TASKS, tasks)])
}

/// The tasks of a list as `id status title`.
pub(super) fn rows(snapshot: &PlanSnapshot) -> Vec<String> {
    let rows = snapshot.nodes.iter().filter(|node| node.key.contains('#'));
    rows.map(|node| {
        let item = snapshot.item(node);
        format!("{} {} {}", item.id, node.status, item.title)
            .trim()
            .to_owned()
    })
    .collect()
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
    let (settings, units) = read_all(&FORMAT, documents(texts));
    let taken: Vec<Box<str>> = units.iter().map(|unit| unit.source.name.clone()).collect();
    let request = EditRequest {
        item,
        intent,
        settings: &settings,
        taken: &taken,
        now: NOW,
    };
    let unit = units.first().map(|unit| &**unit).filter(|_| item.is_some());
    apply_checked(&FORMAT, unit, &request).map_err(|error| error.to_string())
}

/// The list after an edit.
#[track_caller]
pub(super) fn after(tasks: &str, item: &str, intent: &EditIntent) -> String {
    let edit = ask(&[(TASKS, tasks)], Some(item), intent).unwrap();
    edit.texts
        .first()
        .map_or_else(|| tasks.to_owned(), |(_, text)| text.clone())
}

#[track_caller]
pub(super) fn refused(tasks: &str, item: &str, intent: &EditIntent) -> String {
    ask(&[(TASKS, tasks)], Some(item), intent).unwrap_err()
}

pub(super) fn tick(on: bool) -> EditIntent {
    EditIntent::Tick {
        which: TickTarget::Own,
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
