//! Decides about one wish: what it changes on the remote, or why it is refused.

use super::LeaseError;
use super::answer::{LeaseAnswer, LeaseRefusal, LeaseWish};
use super::batch::{PushBatch, PushFailure, WishPush};
use super::claim::ClaimInputs;
use super::machine::host_name;
use super::numbers::NumbersWanted;
use super::proposals::ProposalOf;
use super::queue::TakenWish;
use super::record::{
    HolderRequest, LeaseRecord, LeaseState, LeasedItem, NumberRecord, RefValue, SCHEMA, new_nonce,
};
use super::ref_names::{NEWEST_CLAIMS, NUMBERS, REQUESTS};
use super::train::LandingVerdict;
use super::view::RemoteView;
use chant_config::leases::ChecksOf;
use chant_git::remote_refs::RefUpdate;
use chant_store::state::{escape_name, unescape_name};

use super::leader::LeaseLeader;

/// What becomes of a wish at a tick.
pub(super) enum WishStep {
    Answer(LeaseAnswer),
    Push(Box<WishPush>),
    /// Another wish of this push is about the same spec.
    Later,
    /// The landing with this commit waits for its checks.
    Held(String),
}

impl LeaseLeader<'_> {
    /// Decides about one wish.
    pub(super) fn step(
        &self,
        taken: &TakenWish,
        view: &RemoteView,
        batch: &PushBatch,
    ) -> Result<WishStep, LeaseError> {
        let Some(spec) = taken.wish.spec() else {
            return Ok(match &taken.wish {
                LeaseWish::Numbers {
                    series,
                    offline,
                    fresh,
                    above,
                } => {
                    let wanted = NumbersWanted {
                        offline,
                        fresh: *fresh,
                        above: *above,
                        nonce: &taken.nonce,
                    };
                    self.give_numbers(series, &wanted, view, batch)?
                }
                // It is answered when what is due is on the remote.
                LeaseWish::Settle => WishStep::Push(Box::new(only_push(Vec::new()))),
                _ => WishStep::Answer(LeaseAnswer::Done),
            });
        };
        let escaped = escape_name(spec);
        if batch.changes_lease(&escaped) {
            return Ok(WishStep::Later);
        }
        let pushed = match &taken.wish {
            LeaseWish::Claim { .. } => self.claim(taken, view),
            LeaseWish::Land {
                run,
                token,
                old,
                new,
                along,
                needs_checks,
                ..
            } => {
                let landing = LandingOf {
                    spec,
                    run,
                    token: *token,
                    old,
                    new,
                    along,
                    needs_checks: *needs_checks,
                };
                if self.is_held_back(&landing, view, batch)? {
                    return Ok(WishStep::Held(new.clone()));
                }
                self.land(taken, &landing, view, batch)
            }
            LeaseWish::Propose {
                run, token, commit, ..
            } => {
                let proposal = ProposalOf {
                    spec,
                    run,
                    token: *token,
                    commit,
                };
                self.propose(taken, &proposal, view)
            }
            LeaseWish::NoteRequest { token, request, .. } => {
                self.note_request(taken, spec, *token, request, view)
            }
            LeaseWish::NoteLanded { token, commit, .. } => {
                self.note_landed(taken, spec, *token, commit, view)
            }
            LeaseWish::Request { stop, .. } => self.request(taken, spec, *stop, view),
            LeaseWish::Free { above, .. } => self.free(taken, spec, *above, view),
            LeaseWish::Keep { token, commit, .. } => {
                let update = RefUpdate {
                    name: self.names.of_run(spec, *token),
                    old: None,
                    new: Some(commit.clone()),
                };
                Ok(Some(only_push(vec![update])))
            }
            LeaseWish::Numbers { .. } | LeaseWish::Look | LeaseWish::Settle => Ok(None),
        };
        match pushed {
            Ok(Some(push)) => Ok(WishStep::Push(Box::new(push))),
            Ok(None) => Ok(WishStep::Answer(Self::granted(taken, view))),
            Err(PushFailure::Refused(refusal)) => {
                Ok(WishStep::Answer(LeaseAnswer::Refused { refusal }))
            }
            Err(PushFailure::Failed(error)) => Err(error),
        }
    }

    /// Returns true if a landing that could be pushed waits for the checks of what it comes to, or stands on one that
    /// does.
    fn is_held_back(
        &self,
        landing: &LandingOf<'_>,
        view: &RemoteView,
        batch: &PushBatch,
    ) -> Result<bool, LeaseError> {
        if batch.is_held(landing.old) {
            return Ok(true);
        }
        if self.client.settings.checks == ChecksOf::Branch {
            return Ok(false);
        }
        let is_next = landing.old == batch.target(view);
        if !landing.needs_checks || !is_next || !self.may_land(landing.spec, landing.token, view) {
            return Ok(false);
        }
        let is_behind_passed = self.last_passed.as_deref() == Some(landing.old);
        Ok(is_behind_passed || self.client.queue.verdict(landing.new)?.is_none())
    }

    /// Returns the answer to a wish whose value is on the remote already.
    pub(super) fn granted(taken: &TakenWish, view: &RemoteView) -> LeaseAnswer {
        let escaped = taken.wish.spec().map(escape_name).unwrap_or_default();
        let token = readable(view, &escaped).map(|lease| lease.token);
        match (&taken.wish, token) {
            (LeaseWish::Claim { .. }, Some(token)) => LeaseAnswer::Claimed {
                token,
                target: view.target.clone(),
            },
            _ => LeaseAnswer::Done,
        }
    }

    /// Numbers of a series, behind those that this push gives already.
    pub(super) fn give_numbers(
        &self,
        series: &str,
        wanted: &NumbersWanted<'_>,
        view: &RemoteView,
        batch: &PushBatch,
    ) -> Result<WishStep, LeaseError> {
        let escaped = escape_name(series);
        let seen = view.numbers.get(&escaped);
        let known = match (batch.numbers(&escaped), seen.map(|seen| &seen.value)) {
            (Some(pending), _) => Some(pending),
            (None, Some(Ok(known))) => Some(known),
            (None, Some(Err(why))) => {
                let refusal = LeaseRefusal::UnreadableNumbers {
                    series: series.to_owned(),
                    why: why.clone(),
                };
                return Ok(WishStep::Answer(LeaseAnswer::Refused { refusal }));
            }
            (None, None) => None,
        };
        let mut record = known.cloned().unwrap_or_default();
        // Numbers only grow, also where somebody rewrote the ref.
        let highest = view.highest.get(&format!("{NUMBERS}{escaped}"));
        if let Some(highest) = highest.filter(|highest| **highest > record.highest()) {
            record.note(*highest);
        }
        let granted = record.grant(wanted);
        let answer = LeaseAnswer::Numbered {
            taken: granted.taken,
            fresh: granted.fresh,
        };
        if !granted.is_change && batch.numbers(&escaped).is_none() {
            return Ok(WishStep::Answer(answer));
        }
        record.schema = SCHEMA;
        record.kind = NumberRecord::KIND.into();
        series.clone_into(&mut record.series);
        record.orchestrator.clone_from(&self.own.name);
        record.host = host_name();
        record.nonce = new_nonce();
        let object = self.client.repo.write_ref_value(&record.line(), &[])?;
        let update = RefUpdate {
            name: self.names.of_value(NUMBERS, series),
            old: seen.map(|seen| seen.object.clone()),
            new: Some(object.clone()),
        };
        Ok(WishStep::Push(Box::new(WishPush {
            numbers: Some((escaped, record, object)),
            answer,
            ..only_push(vec![update])
        })))
    }

    /// A claim; nothing if the remote has it already.
    fn claim(&self, taken: &TakenWish, view: &RemoteView) -> Result<Option<WishPush>, PushFailure> {
        let LeaseWish::Claim {
            spec,
            item,
            run,
            above,
            is_forced,
        } = &taken.wish
        else {
            return Ok(None);
        };
        let escaped = escape_name(spec);
        let lease = readable(view, &escaped);
        if lease.is_some_and(|lease| lease.nonce == taken.nonce) {
            return Ok(None);
        }
        let completed = self.client.ledger.completed_in(&view.target, spec);
        let inputs = ClaimInputs {
            spec,
            escaped: &escaped,
            view,
            is_own: lease.map_or(Ok(false), |lease| self.is_own_lease(lease))?,
            ttl: self.client.settings.ttl,
            above: *above,
            is_forced: *is_forced,
            completed: completed.map_err(LeaseError::Ledger)?,
            has_landed: &|lease| self.has_landed(lease, view),
        };
        let token = inputs.decide()?;
        let overlapping = self.overlapping(item.as_ref(), spec, view)?;
        let mut record = self.record(spec, run, token, LeaseState::Held, &taken.nonce);
        record.item.clone_from(item);
        let mut withdrawn = Vec::new();
        if let Some(lease) = lease.filter(|lease| lease.state != LeaseState::Landed) {
            // Work goes on in the branch of the request that is open.
            record.commit.clone_from(&lease.commit);
            record.request.clone_from(&lease.request);
            if lease.state == LeaseState::Proposed && !self.own.is_own(&lease.orchestrator) {
                withdrawn = self.withdrawn_proposal(lease, view)?;
                record.commit = Some(view.target.clone());
            }
        }
        let target = view.target.clone();
        let mut push = self.written(record, view)?;
        push.updates.extend(withdrawn);
        push.updates.extend(overlapping);
        if let (Some(item), Some((_, _, object))) = (item, &push.lease) {
            push.updates
                .push(self.newest_claim(item.format(), object, view));
        }
        push.answer = LeaseAnswer::Claimed { token, target };
        // A request to an earlier holder is settled by that.
        push.updates.extend(self.removed_request(&escaped, view));
        Ok(Some(push))
    }

    /// Gives back the leases of silent holders of items that are a part of this one, or that it is a part of: what their
    /// runs did cannot land any more.
    fn overlapping(
        &self,
        item: Option<&LeasedItem>,
        spec: &str,
        view: &RemoteView,
    ) -> Result<Vec<RefUpdate>, PushFailure> {
        let mut updates = Vec::new();
        let Some(item) = item else {
            return Ok(updates);
        };
        let escaped = escape_name(spec);
        let word = format!(".{}", item.format());
        let of_format = spec.find(&word).map(|at| &spec[..at + word.len()]);
        let of_format = escape_name(of_format.unwrap_or(spec)) + ".";
        for (name, seen) in view.leases.iter().filter(|(name, _)| **name != escaped) {
            let lease = match &seen.value {
                Ok(lease) => lease,
                // Nobody can say which item of this format it is about.
                Err(why) if name.starts_with(&of_format) => {
                    let spec = unescape_name(name).unwrap_or_else(|| name.clone());
                    let why = why.clone();
                    return Err(LeaseRefusal::Unreadable { spec, why }.into());
                }
                Err(_) => continue,
            };
            let is_over = lease.state == LeaseState::Free
                || lease.state == LeaseState::Landed && self.has_landed(lease, view);
            let overlaps = lease.item.as_ref().is_some_and(|own| own.overlaps(item));
            // This clone's own runs exclude each other by their records.
            if is_over || !overlaps || self.is_own_lease(lease)? {
                continue;
            }
            let waits = matches!(lease.state, LeaseState::Waiting | LeaseState::Proposed);
            if waits || !view.is_silent(name, lease, self.client.settings.ttl) {
                let key = item.key.clone();
                let lease = Box::new(lease.clone());
                return Err(LeaseRefusal::Overlaps { key, lease }.into());
            }
            let highest = view.highest.get(name).copied().unwrap_or(0);
            let token = lease.token.max(highest) + 1;
            let free = self.record(
                &lease.spec,
                &lease.run,
                token,
                LeaseState::Free,
                &new_nonce(),
            );
            updates.extend(self.written(free, view)?.updates);
        }
        Ok(updates)
    }

    fn newest_claim(&self, format: &str, object: &str, view: &RemoteView) -> RefUpdate {
        RefUpdate {
            name: self.names.of_value(NEWEST_CLAIMS, format),
            old: view.newest_claims.get(&escape_name(format)).cloned(),
            new: Some(object.to_owned()),
        }
    }

    /// A landing; nothing if the remote has it already.
    fn land(
        &self,
        taken: &TakenWish,
        landing: &LandingOf<'_>,
        view: &RemoteView,
        batch: &PushBatch,
    ) -> Result<Option<WishPush>, PushFailure> {
        let escaped = escape_name(landing.spec);
        let lease = readable(view, &escaped);
        let is_written = lease.is_some_and(|lease| lease.nonce == taken.nonce);
        if is_written && self.has_landed_commit(landing.new, view)? {
            return Ok(None);
        }
        if !self.may_land(landing.spec, landing.token, view) {
            let lease = lease.cloned().map(Box::new);
            return Err(LeaseRefusal::Overtaken { lease }.into());
        }
        if landing.needs_checks && self.client.settings.checks == ChecksOf::Branch {
            let why = "the configuration asks for no checks of merged work any more; `chant-mcp merge` lands this work".into();
            return Err(LeaseRefusal::Unchecked { why }.into());
        }
        let verdict = self.client.queue.verdict(landing.new)?;
        if let Some(LandingVerdict::Refused { refusal }) = verdict {
            return Err(refusal.into());
        }
        let target = batch.target(view);
        if target != landing.old || !self.client.repo.reaches(landing.new, landing.old)? {
            return Err(LeaseRefusal::Moved.into());
        }
        // A half landing of our own is written again: a ref that stays the same is not compared.
        let nonce = if is_written {
            new_nonce()
        } else {
            taken.nonce.clone()
        };
        let mut record = self.record(
            landing.spec,
            landing.run,
            landing.token,
            LeaseState::Landed,
            &nonce,
        );
        record.commit = Some(landing.new.to_owned());
        let mut push = self.written(record, view)?;
        push.target = Some((landing.old.to_owned(), landing.new.to_owned()));
        push.updates.extend(self.removed_request(&escaped, view));
        let along = match &verdict {
            Some(LandingVerdict::Passed { along, .. }) => along,
            _ => landing.along,
        };
        for (name, object) in along
            .iter()
            .filter(|(name, _)| !self.left_out.contains(name))
        {
            push.updates.push(RefUpdate {
                name: name.clone(),
                old: None,
                new: Some(object.clone()),
            });
        }
        Ok(Some(push))
    }

    /// Returns true if the run with a token holds the spec, or may take it for its landing.
    pub(super) fn may_land(&self, spec: &str, token: u64, view: &RemoteView) -> bool {
        let escaped = escape_name(spec);
        let highest = view.highest.get(&escaped).copied().unwrap_or(0);
        match view.lease(&escaped).map(|seen| &seen.value) {
            // A ref that somebody removed is not made again by another while this push is on its way.
            None => token >= highest,
            Some(Err(_)) => false,
            Some(Ok(lease)) if lease.token < highest => false,
            Some(Ok(lease)) => {
                let is_own = self.own.is_own(&lease.orchestrator);
                match lease.state {
                    LeaseState::Held | LeaseState::Waiting | LeaseState::Proposed => {
                        is_own && token >= lease.token
                    }
                    LeaseState::Free => token > lease.token || (is_own && token == lease.token),
                    LeaseState::Landed => {
                        is_own && token >= lease.token && !self.has_landed(lease, view)
                    }
                }
            }
        }
    }

    /// Says in the lease that the target has the work; nothing if it says so.
    pub(super) fn note_landed(
        &self,
        taken: &TakenWish,
        spec: &str,
        token: u64,
        commit: &str,
        view: &RemoteView,
    ) -> Result<Option<WishPush>, PushFailure> {
        let lease = readable(view, &escape_name(spec));
        if lease
            .is_some_and(|lease| lease.nonce == taken.nonce || lease.state == LeaseState::Landed)
        {
            return Ok(None);
        }
        let run = lease.map(|lease| lease.run.clone()).unwrap_or_default();
        let mut record = self.record(spec, &run, token, LeaseState::Landed, &taken.nonce);
        record.commit = Some(commit.to_owned());
        Ok(Some(self.written(record, view)?))
    }

    /// A request to the holder.
    pub(super) fn request(
        &self,
        taken: &TakenWish,
        spec: &str,
        stop: super::record::RequestedStop,
        view: &RemoteView,
    ) -> Result<Option<WishPush>, PushFailure> {
        let escaped = escape_name(spec);
        let known = view.requests.get(&escaped);
        let nonce = known
            .and_then(|seen| seen.value.as_ref().ok())
            .map(|request| &request.nonce);
        if nonce == Some(&taken.nonce) {
            return Ok(None);
        }
        let lease = readable(view, &escaped).filter(|lease| lease.state == LeaseState::Held);
        let Some(lease) = lease else {
            let spec = spec.to_owned();
            return Err(LeaseRefusal::NotHeld { spec }.into());
        };
        let request = HolderRequest {
            schema: SCHEMA,
            kind: HolderRequest::KIND.into(),
            spec: spec.to_owned(),
            token: lease.token,
            stop,
            by: host_name(),
            nonce: taken.nonce.clone(),
        };
        let object = self.client.repo.write_ref_value(&request.line(), &[])?;
        Ok(Some(only_push(vec![RefUpdate {
            name: self.names.of_value(REQUESTS, spec),
            old: known.map(|seen| seen.object.clone()),
            new: Some(object),
        }])))
    }
}

/// A landing that is asked for.
struct LandingOf<'a> {
    spec: &'a str,
    run: &'a str,
    token: u64,
    old: &'a str,
    new: &'a str,
    along: &'a [(String, String)],
    needs_checks: bool,
}

pub(super) fn readable<'v>(view: &'v RemoteView, escaped: &str) -> Option<&'v LeaseRecord> {
    view.lease(escaped)?.value.as_ref().ok()
}

fn only_push(updates: Vec<RefUpdate>) -> WishPush {
    WishPush {
        updates,
        lease: None,
        numbers: None,
        target: None,
        answer: LeaseAnswer::Done,
    }
}
