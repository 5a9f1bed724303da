//! What the last look at the remote found.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::machine::{MachineTime, boot_id};
use super::record::{Heartbeat, HolderRequest, LeaseRecord, LeaseState, NumberRecord};
use super::ref_names::{LEASES, NUMBERS, ORCHESTRATORS};
use super::sights::ValueSights;

/// A value of a ref: read, or the reason why it cannot be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenValue<T> {
    /// The object that the ref names.
    pub object: String,
    /// What it says.
    pub value: Result<T, String>,
}

/// The refs of the remote at one moment, by the escaped names behind their folders.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoteView {
    /// When it was looked at.
    at: MachineTime,
    boot: String,
    /// The newest commit of the target branch.
    pub target: String,
    /// Commits that the target had at earlier looks and has not any more: the remote was restored from an older state,
    /// or somebody rewrote the branch.
    #[serde(default)]
    pub lost_targets: Vec<String>,
    /// The leases.
    pub leases: BTreeMap<String, SeenValue<LeaseRecord>>,
    /// The signs of life.
    pub orchestrators: BTreeMap<String, SeenValue<Heartbeat>>,
    /// The requests to holders.
    pub requests: BTreeMap<String, SeenValue<HolderRequest>>,
    /// The branches that requests propose, by the rest of their names.
    #[serde(default)]
    pub(super) branches: BTreeMap<String, String>,
    /// The numbers of documents, by series.
    #[serde(default)]
    pub numbers: BTreeMap<String, SeenValue<NumberRecord>>,
    /// The object of the newest claim of an item, by the word of its format.
    #[serde(default)]
    pub(super) newest_claims: BTreeMap<String, String>,
    /// The highest token that was ever seen of each lease, and the highest number of each series, by its folder.
    pub(super) highest: BTreeMap<String, u64>,
    /// Since when each of them has been as it is.
    pub(super) sights: ValueSights,
}

impl RemoteView {
    /// Returns a view of this moment.
    pub(super) fn now(target: String, earlier: Option<Self>) -> Self {
        let (sights, highest, lost_targets) = earlier.map_or_else(Default::default, |view| {
            (view.sights, view.highest, view.lost_targets)
        });
        Self {
            at: MachineTime::now(),
            boot: boot_id(),
            target,
            lost_targets,
            leases: BTreeMap::new(),
            orchestrators: BTreeMap::new(),
            requests: BTreeMap::new(),
            numbers: BTreeMap::new(),
            branches: BTreeMap::new(),
            newest_claims: BTreeMap::new(),
            highest,
            sights,
        }
    }

    /// Notes tokens and times of what was found.
    pub(super) fn note_sights(&mut self) {
        for (name, seen) in &self.leases {
            if let Ok(lease) = &seen.value {
                let highest = self.highest.entry(name.clone()).or_default();
                *highest = lease.token.max(*highest);
            }
        }
        for (name, seen) in &self.numbers {
            if let Ok(numbers) = &seen.value {
                let highest = self.highest.entry(format!("{NUMBERS}{name}")).or_default();
                *highest = numbers.highest().max(*highest);
            }
        }
        let leases = self
            .leases
            .iter()
            .map(|(name, seen)| (format!("{LEASES}{name}"), &*seen.object));
        let beats = self.orchestrators.iter();
        let beats = beats.map(|(name, seen)| (format!("{ORCHESTRATORS}{name}"), &*seen.object));
        self.sights.take_in(leases.chain(beats));
    }

    /// Returns the time since the look; `None` if the machine was started since.
    pub fn age(&self) -> Option<Duration> {
        (self.boot == boot_id()).then(|| MachineTime::now().since(self.at))
    }

    /// Returns the lease of a spec, by its escaped name.
    pub(super) fn lease(&self, escaped: &str) -> Option<&SeenValue<LeaseRecord>> {
        self.leases.get(escaped)
    }

    /// Returns true if the holder of a lease has given no sign of life for the given time: neither the lease
    /// nor the holder's own ref changed.
    pub fn is_silent(&self, escaped: &str, lease: &LeaseRecord, ttl: Duration) -> bool {
        let holder = chant_store::state::escape_name(&lease.orchestrator);
        let lease_age = self.sights.age(&format!("{LEASES}{escaped}"));
        let has_ref = self.orchestrators.contains_key(&holder);
        let beat_age = self.sights.age(&format!("{ORCHESTRATORS}{holder}"));
        lease_age >= ttl && (!has_ref || beat_age >= ttl)
    }

    /// Returns the leases that other orchestrators hold, have waiting or have proposed.
    pub fn held_elsewhere<'a>(
        &'a self,
        own: &'a str,
    ) -> impl Iterator<Item = &'a LeaseRecord> + 'a {
        let read = self
            .leases
            .values()
            .filter_map(|seen| seen.value.as_ref().ok());
        read.filter(move |lease| {
            let is_taken = !matches!(lease.state, LeaseState::Free | LeaseState::Landed);
            is_taken && lease.orchestrator != own
        })
    }
}
