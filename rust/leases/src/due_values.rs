//! What a clone's own leases have to say by now, and its sign of life.

use super::LeaseError;
use super::answer::LeaseWish;
use super::batch::PushBatch;
use super::client::{RunStanding, STARTING};
use super::machine::{host_name, now};
use super::record::{
    Heartbeat, LeaseRecord, LeaseState, MAX_RUNS, RefValue, RunLine, SCHEMA, new_nonce,
};
use super::ref_names::{LEASES, ORCHESTRATORS};
use super::view::RemoteView;
use chant_git::remote_refs::RefUpdate;
use chant_store::state::{escape_name, unescape_name};

use super::leader::LeaseLeader;

/// The number of leases of archived specs that one push removes.
const MAX_REMOVALS: usize = 64;

impl LeaseLeader<'_> {
    /// Adds what own leases have to say by now: the records of runs decide.
    pub(super) fn add_settled(
        &self,
        view: &RemoteView,
        batch: &mut PushBatch,
    ) -> Result<(), LeaseError> {
        for (escaped, seen) in &view.leases {
            let Ok(lease) = &seen.value else { continue };
            if batch.changes_lease(escaped)
                || unescape_name(escaped).is_none_or(|name| name != lease.spec)
            {
                continue;
            }
            if self.is_merged_request(lease, escaped, view)? {
                let record = LeaseRecord {
                    state: LeaseState::Landed,
                    commit: Some(view.target.clone()),
                    at: now(),
                    nonce: new_nonce(),
                    ..lease.clone()
                };
                batch.add(None, self.written(record, view)?);
                continue;
            }
            if !self.is_own_lease(lease)? {
                continue;
            }
            let Some(state) = self.settled_state(lease, escaped, view)? else {
                continue;
            };
            let (state, commit) = state;
            let mut record = self.record(&lease.spec, &lease.run, lease.token, state, &new_nonce());
            record.commit = commit.or_else(|| lease.commit.clone());
            record.request.clone_from(&lease.request);
            batch.add(None, self.written(record, view)?);
        }
        Ok(())
    }

    /// Returns the state that an own lease is to have, if it is another one.
    pub(super) fn settled_state(
        &self,
        lease: &LeaseRecord,
        escaped: &str,
        view: &RemoteView,
    ) -> Result<Option<(LeaseState, Option<String>)>, LeaseError> {
        if !matches!(lease.state, LeaseState::Held | LeaseState::Waiting) {
            return Ok(None);
        }
        let standing = self
            .client
            .ledger
            .standing(&lease.spec, lease.token)
            .map_err(LeaseError::Ledger)?;
        let state = match standing {
            RunStanding::UnderWay => LeaseState::Held,
            RunStanding::Waits => LeaseState::Waiting,
            RunStanding::Landed(commit) => {
                let has = self.has_landed_commit(&commit, view)?;
                return Ok(has.then_some((LeaseState::Landed, Some(commit))));
            }
            // Its run may be about to get a record.
            RunStanding::Unknown if view.sights.age(&format!("{LEASES}{escaped}")) < STARTING => {
                return Ok(None);
            }
            RunStanding::Ended | RunStanding::Unknown => LeaseState::Free,
        };
        Ok((state != lease.state).then_some((state, None)))
    }

    /// Adds the removal of leases that landed and whose specs are archived, as far as the target's own tree says so:
    /// it goes along with a push, and none is made for it.
    pub(super) fn add_archived(
        &self,
        view: &RemoteView,
        batch: &mut PushBatch,
    ) -> Result<(), LeaseError> {
        let mut landed = view.leases.iter().filter_map(|(escaped, seen)| {
            let lease = seen.value.as_ref().ok()?;
            let is_landed = lease.state == LeaseState::Landed && !batch.changes_lease(escaped);
            is_landed.then_some((lease, &seen.object))
        });
        let Some(first) = landed.next() else {
            return Ok(());
        };
        let archived = self.client.ledger.archived_in(&view.target);
        let archived = archived.map_err(LeaseError::Ledger)?;
        let mut removals = Vec::new();
        for (lease, object) in std::iter::once(first).chain(landed) {
            let name = self.names.of_value(LEASES, &lease.spec);
            if archived.contains(&lease.spec)
                && !self.left_out.contains(&name)
                && self.has_landed(lease, view)
                && removals.len() < MAX_REMOVALS
            {
                removals.push(RefUpdate {
                    name,
                    old: Some(object.clone()),
                    new: None,
                });
            }
        }
        for removal in removals {
            batch.add_along(removal);
        }
        Ok(())
    }

    /// Adds a sign of life: when one is due, and to every push while runs are under way. Without runs the own
    /// ref goes.
    pub(super) fn add_beat(
        &mut self,
        view: &RemoteView,
        batch: &mut PushBatch,
    ) -> Result<(), LeaseError> {
        let mut runs = self.client.ledger.under_way().map_err(LeaseError::Ledger)?;
        runs.truncate(MAX_RUNS);
        let escaped = escape_name(&self.own.name);
        let old = view
            .orchestrators
            .get(&escaped)
            .map(|seen| seen.object.clone());
        let name = self.names.of_value(ORCHESTRATORS, &self.own.name);
        let claims = batch
            .answers()
            .iter()
            .any(|(taken, _)| matches!(taken.wish, LeaseWish::Claim { .. }));
        if runs.is_empty() && !claims {
            if let Some(old) = old {
                batch.add_update(RefUpdate {
                    name,
                    old: Some(old),
                    new: None,
                });
            }
            return Ok(());
        }
        let age = view.sights.age(&format!("{ORCHESTRATORS}{escaped}"));
        // The next look may come a push interval later.
        let is_due = old.is_none()
            || age + self.client.settings.push_interval / 2 >= self.client.settings.beat;
        if batch.is_empty() && !is_due {
            return Ok(());
        }
        let object = self
            .client
            .repo
            .write_ref_value(&self.heartbeat(runs).line(), &[])?;
        self.own.note_beat(&self.client.queue, &object)?;
        batch.add_update(RefUpdate {
            name,
            old,
            new: Some(object),
        });
        Ok(())
    }

    pub(super) fn heartbeat(&self, runs: Vec<RunLine>) -> Heartbeat {
        Heartbeat {
            schema: SCHEMA,
            kind: Heartbeat::KIND.into(),
            name: self.own.name.clone(),
            host: host_name(),
            version: env!("CARGO_PKG_VERSION").into(),
            counter: self.own.counter,
            runs,
            nonce: new_nonce(),
        }
    }
}
