//! The items of other formats that no work can begin on now, because a run has them or the remote has them done: their
//! documents here say nothing of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Workspace;
use super::key;
use chant_base::external_items::holders_of;
use chant_store::StoreError;
use chant_work::run_index::{RunBrief, RunIndex};
use chant_work::state::RunState;

/// The newest run of an item.
pub struct ItemRun {
    /// Its state, since when, and the cost that its agent reported.
    pub description: String,
    /// True while its agent works.
    pub is_live: bool,
}

impl ItemRun {
    fn of(run: &RunBrief) -> Self {
        let moment = run.ended.or(run.started);
        let since = moment.map(|at| at.strftime(" since %Y-%m-%d %H:%M UTC").to_string());
        let cost = run.cost_usd.map(|cost| format!(" · {cost}"));
        let (since, cost) = (since.unwrap_or_default(), cost.unwrap_or_default());
        Self {
            description: format!("run {}{since}{cost}", run.state),
            is_live: run.is_live(),
        }
    }
}

/// The items that runs have, read again only where records changed.
#[derive(Default)]
pub(super) struct ItemsAtWork {
    runs: RunIndex,
    keys: Arc<BTreeSet<Box<str>>>,
}

impl ItemsAtWork {
    /// The newest run of each item, by the item's key; none where the records cannot be read.
    pub(super) fn newest_runs(&mut self, workspace: &Workspace) -> BTreeMap<String, ItemRun> {
        let project = &workspace.parts.chant;
        let folder = project.records_folder();
        if self.runs.refresh(&project.disk, folder.as_deref()).is_err() {
            return BTreeMap::new();
        }
        let keyed = self.runs.newest().into_values().map(|run| {
            let key = match &run.item {
                Some(item) => item.key.clone(),
                None => key::of_spec(&run.spec_id),
            };
            (key, ItemRun::of(run))
        });
        keyed.collect()
    }

    /// The keys of items that runs have, here and in other clones, with all parts and holders of these, as of now. Where
    /// no item of another format was ever worked on this costs a look.
    pub(super) fn refresh(
        &mut self,
        workspace: &Workspace,
    ) -> Result<Arc<BTreeSet<Box<str>>>, StoreError> {
        let project = &workspace.parts.chant;
        let held = project.held_elsewhere();
        let by_others = held.all().iter().filter(|held| !held.is_silent);
        let mut now: BTreeSet<Box<str>> = by_others
            .flat_map(|held| with_holders(&held.item_keys))
            .collect();
        now.extend(held.done_items.iter().map(|key| key.as_str().into()));
        if project.has_orders() {
            let folder = project.records_folder();
            self.runs.refresh(&project.disk, folder.as_deref())?;
            now.extend(self.runs.newest().into_values().flat_map(taken_by));
        }
        if now != *self.keys {
            self.keys = Arc::new(now);
        }
        Ok(Arc::clone(&self.keys))
    }
}

/// The keys that nobody else can begin to work on while a run is as it is.
fn taken_by(run: &RunBrief) -> Vec<Box<str>> {
    let Some(item) = &run.item else {
        return Vec::new();
    };
    let is_taken = match run.state {
        RunState::Running => run.is_live(),
        RunState::AwaitingMerge | RunState::AwaitingApproval => true,
        // Its parts are free until it goes on.
        RunState::Paused => return vec![item.key.as_str().into()],
        _ => false,
    };
    if !is_taken {
        return Vec::new();
    }
    let mut keys = vec![item.key.clone()];
    keys.extend(item.locked_keys.iter().cloned());
    with_holders(&keys)
}

/// Returns the keys of an item, which comes first, and of its parts, with those of all that holds it.
fn with_holders(keys: &[String]) -> Vec<Box<str>> {
    let item = keys.first().map_or("", String::as_str);
    let parts = keys.iter().map(String::as_str);
    parts.chain(holders_of(item)).map(Into::into).collect()
}
