//! The items of other formats that no work can begin on now, because a run has them: their documents say nothing of it.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Workspace;
use chant_store::StoreError;
use chant_work::run_index::{RunBrief, RunIndex};
use chant_work::state::RunState;

/// The signs in a key behind which the name of a part begins.
const PART_SIGNS: [char; 3] = ['#', '.', '/'];

/// The items that runs have, read again only where records changed.
#[derive(Default)]
pub(super) struct ItemsAtWork {
    runs: RunIndex,
    keys: Arc<BTreeSet<Box<str>>>,
}

impl ItemsAtWork {
    /// The keys of items that runs have, with all parts and holders of these, as of now. Where no item of another
    /// format was ever worked on this costs a look.
    pub(super) fn refresh(
        &mut self,
        workspace: &Workspace,
    ) -> Result<Arc<BTreeSet<Box<str>>>, StoreError> {
        let parts = &workspace.parts;
        if !parts.chant.has_orders() {
            return Ok(Arc::default());
        }
        let folder = parts.chant.records_folder();
        self.runs.refresh(&parts.vine.disk, folder.as_deref())?;
        let now: BTreeSet<Box<str>> = self
            .runs
            .newest()
            .into_values()
            .flat_map(taken_by)
            .collect();
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
    let parts = item.locked_keys.iter().map(|key| key.as_str().into());
    let holders = item.key.match_indices(PART_SIGNS);
    let holders = holders.map(|(at, _)| item.key[..at].into());
    parts.chain(holders).collect()
}
