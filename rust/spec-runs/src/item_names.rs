//! The items that runs work on, by the IDs of these runs.

use chant_base::error::Error;
use chant_base::next_step::{NextStep, hint};
use chant_specs::error::ChantError;
use chant_specs::model::SpecStatus;
use chant_specs::project::Project;
use chant_specs::work_items::is_run_id;

use super::item_order::{key_of_order, write_order};
use super::project::ProjectRuns;

/// Returns the key of the item of another format whose runs have an ID.
pub fn key_of_run(project: &Project, id: &str) -> Option<String> {
    if !is_run_id(id) || !project.has_orders() {
        // Only reading: what has no orders gets no folder for them.
        return None;
    }
    let orders = project.of_run(id).ok()?;
    let snapshot = orders.snapshot().ok()?;
    key_of_order(snapshot.specs.find(id)?).ok().flatten()
}

/// Refuses what only makes sense once a run has worked on an item; specs pass. An order alone is no work: a forecast
/// writes one, too.
///
/// # Errors
/// `Refused`, with the way to start a run; a `StoreError`.
pub fn refuse_unworked(project: &Project, id: &str, name: &str) -> Result<(), Error> {
    if !is_run_id(id) {
        return Ok(());
    }
    let snapshot = project.snapshot()?;
    let order = snapshot.specs.find(id);
    let has_state = order.is_some_and(|order| order.status != SpecStatus::Pending);
    if has_state || (order.is_some() && project.runs()?.newest_of(id)?.is_some()) {
        return Ok(());
    }
    let held = project.held_elsewhere();
    if held.doubtful.contains(id) {
        // Nobody can read which item it is about; its lease can be given back all the same.
        return Ok(());
    }
    if held.of(id).is_some() {
        // A run of another clone: what is done about it needs its order here, too.
        return write_order(project, name, true).map(drop);
    }
    let hint = hint!["\n", NextStep::Work(name.to_owned()), " starts one."];
    let message = format!("No run has worked on {name} yet.");
    Err(ChantError::Refused(message).advise(hint).into())
}
