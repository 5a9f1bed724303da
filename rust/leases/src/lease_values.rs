//! Writes the values of leases, and reads what became of them.

use super::LeaseError;
use super::answer::LeaseAnswer;
use super::batch::WishPush;
use super::client::RunStanding;
use super::machine::{host_name, now};
use super::record::{LeaseRecord, LeaseState, RefValue, SCHEMA};
use super::ref_names::{LEASES, REQUESTS};
use super::view::RemoteView;
use chant_git::remote_refs::RefUpdate;
use chant_store::state::{escape_name, unescape_name};

use super::leader::LeaseLeader;

impl LeaseLeader<'_> {
    pub(super) fn record(
        &self,
        spec: &str,
        run: &str,
        token: u64,
        state: LeaseState,
        nonce: &str,
    ) -> LeaseRecord {
        LeaseRecord {
            schema: SCHEMA,
            kind: LeaseRecord::KIND.into(),
            spec: spec.to_owned(),
            item: None,
            token,
            orchestrator: self.own.name.clone(),
            host: host_name(),
            run: run.to_owned(),
            state,
            at: now(),
            commit: None,
            request: None,
            nonce: nonce.to_owned(),
        }
    }

    /// Returns true for a lease of this clone. Under a name that it had to give up a copy of its disk may hold
    /// specs, too: of these only those are its own that a record here knows.
    pub(super) fn is_own_lease(&self, lease: &LeaseRecord) -> Result<bool, LeaseError> {
        if !self.own.is_own(&lease.orchestrator) || lease.orchestrator == self.own.name {
            return Ok(lease.orchestrator == self.own.name);
        }
        let standing = self.client.ledger.standing(&lease.spec, lease.token);
        Ok(standing.map_err(LeaseError::Ledger)? != RunStanding::Unknown)
    }

    /// Writes the object of a lease, with the one before as its parent, and returns the change of its ref. What it is
    /// for stays.
    pub(super) fn written(
        &self,
        mut record: LeaseRecord,
        view: &RemoteView,
    ) -> Result<WishPush, LeaseError> {
        let repo = self.client.repo;
        let escaped = escape_name(&record.spec);
        let seen = view.lease(&escaped);
        let known = seen.and_then(|seen| seen.value.as_ref().ok());
        record.item = record
            .item
            .or_else(|| known.and_then(|lease| lease.item.clone()));
        let old = seen.map(|seen| seen.object.clone());
        let mut parents: Vec<&str> = Vec::new();
        for parent in old.iter().chain(&record.commit) {
            if repo.ref_value(parent, usize::MAX)?.is_some() {
                parents.push(parent);
            }
        }
        let object = repo.write_ref_value(&record.line(), &parents)?;
        let update = RefUpdate {
            name: self.names.of_value(LEASES, &record.spec),
            old,
            new: Some(object.clone()),
        };
        Ok(WishPush {
            updates: vec![update],
            lease: Some((escaped, record, object)),
            numbers: None,
            target: None,
            answer: LeaseAnswer::Done,
        })
    }

    pub(super) fn removed_request(&self, escaped: &str, view: &RemoteView) -> Option<RefUpdate> {
        let seen = view.requests.get(escaped)?;
        let spec = unescape_name(escaped)?;
        Some(RefUpdate {
            name: self.names.of_value(REQUESTS, &spec),
            old: Some(seen.object.clone()),
            new: None,
        })
    }

    /// Returns true if the target has the commit of a lease.
    pub(super) fn has_landed(&self, lease: &LeaseRecord, view: &RemoteView) -> bool {
        let commit = lease.commit.as_deref();
        commit.is_some_and(|commit| self.has_landed_commit(commit, view).unwrap_or(false))
    }

    pub(super) fn has_landed_commit(
        &self,
        commit: &str,
        view: &RemoteView,
    ) -> Result<bool, LeaseError> {
        let repo = self.client.repo;
        Ok(repo.has_object(commit)? && repo.reaches(&view.target, commit)?)
    }
}
