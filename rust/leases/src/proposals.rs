//! Work that lands by requests: a branch that moves together with its lease, and a target whose tree alone says
//! that the work has landed.

use super::LeaseError;
use super::answer::LeaseRefusal;
use super::batch::{PushFailure, WishPush};
use super::leader::LeaseLeader;
use super::machine::now;
use super::queue::TakenWish;
use super::record::{LeaseRecord, LeaseState, new_nonce};
use super::ref_names::full_name;
use super::view::RemoteView;
use super::wishes::readable;
use chant_git::remote_refs::RefUpdate;
use chant_store::state::escape_name;

/// A proposal that is asked for.
#[derive(Clone, Copy)]
pub(super) struct ProposalOf<'a> {
    pub(super) spec: &'a str,
    pub(super) run: &'a str,
    pub(super) token: u64,
    pub(super) commit: &'a str,
}

impl LeaseLeader<'_> {
    /// Moves the branch of another clone's request away, so that a host cannot merge it any more, and keeps
    /// its commits under a ref of their own.
    pub(super) fn withdrawn_proposal(
        &self,
        lease: &LeaseRecord,
        view: &RemoteView,
    ) -> Result<Vec<RefUpdate>, LeaseError> {
        let Some((branch, Some(old))) = self.branch_on_remote(&lease.spec, view)? else {
            return Ok(Vec::new());
        };
        if old == view.target {
            return Ok(Vec::new());
        }
        let kept = RefUpdate {
            name: self.names.of_run(&lease.spec, lease.token),
            old: None,
            new: Some(old.clone()),
        };
        let moved = RefUpdate {
            name: branch,
            old: Some(old),
            new: Some(view.target.clone()),
        };
        Ok(vec![moved, kept])
    }

    /// Returns the full name of a spec's branch and its commit on the remote; `None` without requests. The name
    /// never comes from a lease, which others write.
    fn branch_on_remote(
        &self,
        spec: &str,
        view: &RemoteView,
    ) -> Result<Option<(String, Option<String>)>, LeaseError> {
        let branch = self.client.ledger.branch_of(spec);
        let Some(branch) = branch.map_err(LeaseError::Ledger)? else {
            return Ok(None);
        };
        let name = full_name(&branch);
        let rest = self.names.proposed(&name);
        let commit = rest.map(|rest| view.branches.get(rest).cloned());
        Ok(commit.map(|commit| (name, commit)))
    }

    /// A proposal; nothing if the remote has it already.
    pub(super) fn propose(
        &self,
        taken: &TakenWish,
        proposal: &ProposalOf<'_>,
        view: &RemoteView,
    ) -> Result<Option<WishPush>, PushFailure> {
        let ProposalOf {
            spec,
            run,
            token,
            commit,
        } = *proposal;
        let escaped = escape_name(spec);
        let lease = readable(view, &escaped);
        if !self.may_land(spec, token, view) {
            let lease = lease.cloned().map(Box::new);
            return Err(LeaseRefusal::Overtaken { lease }.into());
        }
        let completed = self.client.ledger.completed_in(&view.target, spec);
        let Some((branch, there)) = self.branch_on_remote(spec, view)? else {
            let spec = spec.to_owned();
            return Err(LeaseRefusal::NotHeld { spec }.into());
        };
        if completed.map_err(LeaseError::Ledger)?.is_some() {
            let spec = spec.to_owned();
            return Err(LeaseRefusal::Completed { spec }.into());
        }
        let is_written = lease.is_some_and(|lease| lease.nonce == taken.nonce);
        let is_there = there.as_deref() == Some(commit);
        if is_written && is_there {
            return Ok(None);
        }
        let known = lease.and_then(|lease| lease.commit.as_ref());
        if let Some(object) = there
            .clone()
            .filter(|there| !is_there && Some(there) != known)
        {
            let repo = self.client.repo;
            if !(repo.has_object(&object)? && repo.reaches(commit, &object)?) {
                return Err(LeaseRefusal::BranchMoved { branch, object }.into());
            }
        }
        let nonce = if is_written {
            new_nonce()
        } else {
            taken.nonce.clone()
        };
        let mut record = self.record(spec, run, token, LeaseState::Proposed, &nonce);
        record.commit = Some(commit.to_owned());
        record.request = lease.and_then(|lease| lease.request.clone());
        let mut push = self.written(record, view)?;
        if !is_there {
            push.updates.push(RefUpdate {
                name: branch,
                old: there,
                new: Some(commit.to_owned()),
            });
        }
        push.updates.extend(self.removed_request(&escaped, view));
        Ok(Some(push))
    }

    /// Says in an own lease where its request is.
    pub(super) fn note_request(
        &self,
        taken: &TakenWish,
        spec: &str,
        token: u64,
        request: &str,
        view: &RemoteView,
    ) -> Result<Option<WishPush>, PushFailure> {
        let lease = readable(view, &escape_name(spec));
        let own = lease.filter(|lease| {
            let is_own = self.own.is_own(&lease.orchestrator) && lease.token == token;
            is_own && lease.state == LeaseState::Proposed
        });
        let Some(lease) = own else {
            let lease = lease.cloned().map(Box::new);
            return Err(LeaseRefusal::Overtaken { lease }.into());
        };
        if lease.request.as_deref() == Some(request) {
            return Ok(None);
        }
        let record = LeaseRecord {
            request: Some(request.to_owned()),
            at: now(),
            nonce: taken.nonce.clone(),
            ..lease.clone()
        };
        Ok(Some(self.written(record, view)?))
    }

    /// Returns true if the work of a request, of any clone, is on the target: its tree alone says so.
    pub(super) fn is_merged_request(
        &self,
        lease: &LeaseRecord,
        escaped: &str,
        view: &RemoteView,
    ) -> Result<bool, LeaseError> {
        let is_newest = view
            .highest
            .get(escaped)
            .is_none_or(|seen| lease.token >= *seen);
        if lease.state != LeaseState::Proposed || !is_newest {
            return Ok(false);
        }
        let completed = self.client.ledger.completed_in(&view.target, &lease.spec);
        Ok(completed.map_err(LeaseError::Ledger)?.is_some())
    }
}
