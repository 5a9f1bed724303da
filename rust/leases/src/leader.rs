//! The process that looks at the remote and pushes for all processes of a clone.

use std::collections::BTreeSet;
use std::time::Duration;

use super::LeaseError;
use super::answer::{LeaseAnswer, LeaseRefusal, LeaseWish};
use super::batch::{PushBatch, WishPush};
use super::claim::ClaimInputs;
use super::client::{LeaseClient, RunStanding, VIEW};
use super::machine::host_name;
use super::numbers::NumbersWanted;
use super::own_name::OwnName;
use super::proposals::ProposalOf;
use super::push_pace::PushPace;
use super::queue::TakenWish;
use super::record::{
    Heartbeat, HolderRequest, LeaseRecord, LeaseState, MOST_BYTES, MOST_RUNS, NumberRecord,
    RefValue, RunLine, SCHEMA, new_nonce,
};
use super::ref_names::{LEASES, NUMBERS, ORCHESTRATORS, REQUESTS, RefNames};
use super::view::{RemoteView, SeenValue};
use chant_git::remote_refs::{PushOutcome, RefUpdate};
use chant_store::state::{escape_name, unescape_name};

/// The longest that a push may take.
const PUSH_LIMIT: Duration = Duration::from_secs(60);
/// The number of pushes at one tick: behind the second, each wish goes alone.
const TRIES: u32 = 3;
/// A claim whose run has no record yet is left alone for so long.
const STARTING: Duration = Duration::from_secs(120);

/// A leader, while this process is the only one.
pub(super) struct LeaseLeader<'a> {
    pub(super) client: &'a LeaseClient<'a>,
    pub(super) names: RefNames,
    pace: PushPace,
    pub(super) own: OwnName,
    /// Refs that were to go along with a landing and that the remote does not take.
    left_out: BTreeSet<String>,
}

/// What becomes of a wish at a tick.
enum WishStep {
    Answer(LeaseAnswer),
    Push(Box<WishPush>),
    /// Another wish of this push is about the same spec.
    Later,
}

/// What follows a push.
enum PushStep {
    /// Nothing is to be tried again now.
    Through,
    /// The refs have to be looked at again; the remote's reason, where it gave one.
    Again(Option<String>),
}

impl<'a> LeaseLeader<'a> {
    /// Prepares to lead; the caller holds the leader's lock.
    pub(super) fn of(client: &'a LeaseClient<'a>) -> Result<Self, LeaseError> {
        Ok(Self {
            client,
            names: RefNames::of_client(client)?,
            pace: PushPace::of(&client.queue)?,
            own: OwnName::of(&client.queue)?,
            left_out: BTreeSet::new(),
        })
    }

    /// Returns how long the next tick has to wait.
    pub(super) fn wait(&self) -> Duration {
        self.pace.wait(self.client.settings.push_interval, false)
    }

    /// Returns true if there is a reason for a tick: a wish, or the last look is a push interval old.
    pub(super) fn is_due(&self) -> Result<bool, LeaseError> {
        if self.client.queue.has_wishes()? {
            return Ok(true);
        }
        Ok(self.pace.is_look_due(self.client.settings.push_interval))
    }

    /// Looks at the remote, grants and refuses wishes, and pushes what is due.
    /// A look may take as long as `limit`.
    pub(super) fn tick(&mut self, limit: Duration) -> Result<(), LeaseError> {
        let queue = &self.client.queue;
        queue.sweep()?;
        let mut stuck = None;
        for attempt in 0..=TRIES {
            let mut view = match self.look(limit)? {
                Ok(view) => view,
                Err(why) => return self.give_up(&why),
            };
            let found = view.orchestrators.get(&escape_name(&self.own.name));
            let found = found.map(|seen| seen.object.clone());
            self.own.settle(queue, found.as_deref())?;
            let is_alone = attempt + 1 >= TRIES;
            let batch = self.collect(&view, is_alone)?;
            if batch.is_empty() {
                return self.answer_all(&batch);
            }
            if let Some(why) = stuck {
                // Nothing moved, and it is not there: a lock, or a name that clashes.
                let refusal = LeaseRefusal::Stuck { why };
                return self.refuse(batch.answers().iter().map(|(taken, _)| taken), &refusal);
            }
            let interval = self.client.settings.push_interval;
            if !self.pace.wait(interval, attempt > 0).is_zero() {
                // What was taken stays taken, and goes with the next push.
                return Ok(());
            }
            match self.push(&batch, &mut view, attempt > 0)? {
                PushStep::Through => return Ok(()),
                PushStep::Again(why) => stuck = why.filter(|_| is_alone),
            }
            if attempt + 2 == TRIES {
                // One of them may be what is in the way.
                self.left_out.extend(batch.along().map(str::to_owned));
            }
        }
        Ok(())
    }

    /// Reads the remote; the inner error is what it or the way to it says.
    fn look(&mut self, limit: Duration) -> Result<Result<RemoteView, String>, LeaseError> {
        let (client, queue) = (self.client, &self.client.queue);
        let copied =
            client
                .repo
                .copy_remote_refs(&client.settings.remote, &self.names.copies(), limit);
        self.pace.note_look(queue, copied.is_ok())?;
        if let Err(error) = copied {
            return Ok(Err(error.to_string()));
        }
        let targets = client.repo.refs_below(&self.names.looked(""))?;
        let copy = self.names.looked_target();
        let target = targets
            .into_iter()
            .find(|(name, _)| copy.ends_with(&format!("/{name}")));
        let Some((_, target)) = target else {
            return Ok(Err(format!("it has no branch `{}`", client.target)));
        };
        let earlier = client.last_look()?;
        let mut view = RemoteView::now(target, earlier.clone());
        let known = earlier.as_ref();
        view.leases = self.values(LEASES, known.map(|view| &view.leases))?;
        view.orchestrators = self.values(ORCHESTRATORS, known.map(|view| &view.orchestrators))?;
        view.requests = self.values(REQUESTS, known.map(|view| &view.requests))?;
        view.numbers = self.values(NUMBERS, known.map(|view| &view.numbers))?;
        let branches = client.repo.refs_below(&self.names.looked_branches())?;
        view.branches = branches.into_iter().collect();
        view.note_sights();
        self.save(&view)?;
        Ok(Ok(view))
    }

    fn save(&self, view: &RemoteView) -> Result<(), LeaseError> {
        self.client.queue.write_own(VIEW, view)
    }

    /// Reads the values below a folder of refs; those that did not change are known.
    fn values<T: RefValue + Clone>(
        &self,
        folder: &str,
        known: Option<&std::collections::BTreeMap<String, SeenValue<T>>>,
    ) -> Result<std::collections::BTreeMap<String, SeenValue<T>>, LeaseError> {
        let mut values = std::collections::BTreeMap::new();
        for (name, object) in self.client.repo.refs_below(&self.names.looked(folder))? {
            let same = known.and_then(|known| known.get(&name));
            let seen = if let Some(seen) = same.filter(|seen| seen.object == object) {
                seen.clone()
            } else {
                let text = self.client.repo.ref_value(&object, MOST_BYTES)?;
                let value = match text {
                    Some((text, _)) => T::read(&text),
                    None => Err("it is no value of ours".into()),
                };
                SeenValue { object, value }
            };
            values.insert(name, seen);
        }
        Ok(values)
    }

    /// Answers all wishes that the remote does not answer. A landing that was taken before may have reached it:
    /// it is taken up again by the next tick.
    fn give_up(&mut self, why: &str) -> Result<(), LeaseError> {
        let why = format!("{} does not answer: {why}", self.client.settings.remote);
        for taken in self.client.queue.take()? {
            let why = why.clone();
            self.client
                .queue
                .answer(&taken, &LeaseAnswer::Unreachable { why })?;
        }
        Ok(())
    }

    /// Puts the next push together; what can be answered without one is answered.
    fn collect(&mut self, view: &RemoteView, is_alone: bool) -> Result<PushBatch, LeaseError> {
        let mut batch = PushBatch::default();
        for taken in self.client.queue.take()? {
            if is_alone && batch.wishes() > 0 {
                break;
            }
            match self.step(&taken, view, &batch)? {
                WishStep::Answer(answer) => self.client.queue.answer(&taken, &answer)?,
                WishStep::Push(push) => batch.add(Some(&taken), *push),
                WishStep::Later => {}
            }
        }
        if !is_alone {
            self.add_settled(view, &mut batch)?;
        }
        self.add_beat(view, &mut batch)?;
        Ok(batch)
    }

    fn answer_all(&self, batch: &PushBatch) -> Result<(), LeaseError> {
        for (taken, answer) in batch.answers() {
            self.client.queue.answer(taken, answer)?;
        }
        Ok(())
    }

    /// Pushes. What the remote says of a refusal proves nothing: an answer may be cut, and a push be sent twice.
    /// Only its refs say what became of it.
    fn push(
        &mut self,
        batch: &PushBatch,
        view: &mut RemoteView,
        repeats: bool,
    ) -> Result<PushStep, LeaseError> {
        let (client, queue) = (self.client, &self.client.queue);
        self.pace.note_push(queue, repeats)?;
        let target = self.names.target().to_owned();
        let outcome = client.repo.push_updates(
            &client.settings.remote,
            &batch.all_updates(&target),
            batch.hooks(&self.names),
            PUSH_LIMIT,
        )?;
        tracing::debug!(?outcome, "leases were pushed");
        let is_well = !matches!(outcome, PushOutcome::Unknown(_));
        self.pace.note_answer(queue, is_well)?;
        match outcome {
            PushOutcome::Applied => {
                batch.apply(view, &self.names);
                self.save(view)?;
                self.answer_all(batch)?;
                return Ok(PushStep::Through);
            }
            PushOutcome::Moved(why) => return Ok(PushStep::Again(Some(why))),
            PushOutcome::Unknown(_) => {}
            PushOutcome::NotAtomic => {
                let remote = client.settings.remote.clone();
                let refusal = LeaseRefusal::NotAtomic { remote };
                self.refuse(batch.answers().iter().map(|(taken, _)| taken), &refusal)?;
                return Ok(PushStep::Through);
            }
            PushOutcome::Forbidden(refused) => {
                let (along, own): (Vec<_>, Vec<_>) = refused
                    .into_iter()
                    .partition(|one| batch.along().any(|name| name == one.name));
                self.left_out.extend(along.into_iter().map(|one| one.name));
                let names: Vec<&str> = own.iter().map(|one| &*one.name).collect();
                let Some(first) = own.first() else {
                    return Ok(PushStep::Again(None));
                };
                let refusal = LeaseRefusal::Forbidden {
                    name: first.name.clone(),
                    why: first.why.clone(),
                };
                let wishes = batch.wishes_on(&names, &target);
                self.refuse(wishes.iter(), &refusal)?;
                if wishes.is_empty() {
                    return Ok(PushStep::Through);
                }
            }
        }
        Ok(PushStep::Again(None))
    }

    fn refuse<'t>(
        &self,
        wishes: impl Iterator<Item = &'t TakenWish>,
        refusal: &LeaseRefusal,
    ) -> Result<(), LeaseError> {
        for taken in wishes {
            let refusal = refusal.clone();
            self.client
                .queue
                .answer(taken, &LeaseAnswer::Refused { refusal })?;
        }
        Ok(())
    }

    /// Decides about one wish.
    fn step(
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
            LeaseWish::Claim {
                run,
                above,
                is_forced,
                ..
            } => self.claim(taken, (spec, run), (*above, *is_forced), view)?,
            LeaseWish::Land {
                run,
                token,
                old,
                new,
                along,
                ..
            } => {
                let landing = LandingOf {
                    spec,
                    run,
                    token: *token,
                    old,
                    new,
                    along,
                };
                self.land(taken, &landing, view, batch)?
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
                self.propose(taken, &proposal, view)?
            }
            LeaseWish::NoteRequest { token, request, .. } => {
                self.note_request(taken, spec, (*token, request), view)?
            }
            LeaseWish::NoteLanded { token, commit, .. } => {
                self.note_landed(taken, spec, *token, commit, view)?
            }
            LeaseWish::Request { stop, .. } => self.request(taken, spec, *stop, view)?,
            LeaseWish::Free { .. } => self.free(taken, spec, view)?,
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
        Ok(match pushed {
            Ok(Some(push)) => WishStep::Push(Box::new(push)),
            Ok(None) => WishStep::Answer(Self::granted(taken, view)),
            Err(refusal) => WishStep::Answer(LeaseAnswer::Refused { refusal }),
        })
    }

    /// Returns the answer to a wish whose value is on the remote already.
    fn granted(taken: &TakenWish, view: &RemoteView) -> LeaseAnswer {
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
    fn give_numbers(
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
    fn claim(
        &self,
        taken: &TakenWish,
        (spec, run): (&str, &str),
        (above, is_forced): (u64, bool),
        view: &RemoteView,
    ) -> Result<Result<Option<WishPush>, LeaseRefusal>, LeaseError> {
        let escaped = escape_name(spec);
        let lease = readable(view, &escaped);
        if lease.is_some_and(|lease| lease.nonce == taken.nonce) {
            return Ok(Ok(None));
        }
        let completed = self.client.ledger.completed_in(&view.target, spec);
        let inputs = ClaimInputs {
            spec,
            escaped: &escaped,
            view,
            own: &self.own,
            ttl: self.client.settings.ttl,
            above,
            is_forced,
            completed: completed.map_err(LeaseError::Ledger)?,
            has_landed: &|lease| self.has_landed(lease, view),
        };
        let token = match inputs.decide() {
            Ok(token) => token,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let mut record = self.record(spec, run, token, LeaseState::Held, &taken.nonce);
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
        push.answer = LeaseAnswer::Claimed { token, target };
        // A request to an earlier holder is settled by that.
        push.updates.extend(self.removed_request(&escaped, view));
        Ok(Ok(Some(push)))
    }

    /// A landing; nothing if the remote has it already.
    fn land(
        &self,
        taken: &TakenWish,
        landing: &LandingOf<'_>,
        view: &RemoteView,
        batch: &PushBatch,
    ) -> Result<Result<Option<WishPush>, LeaseRefusal>, LeaseError> {
        let escaped = escape_name(landing.spec);
        let lease = readable(view, &escaped);
        let is_written = lease.is_some_and(|lease| lease.nonce == taken.nonce);
        if is_written && self.has_landed_commit(landing.new, view)? {
            return Ok(Ok(None));
        }
        if !self.may_land(landing.spec, landing.token, view) {
            let lease = lease.cloned().map(Box::new);
            return Ok(Err(LeaseRefusal::Overtaken { lease }));
        }
        let target = batch.target(view);
        if target != landing.old || !self.client.repo.reaches(landing.new, landing.old)? {
            return Ok(Err(LeaseRefusal::Moved));
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
        let along = landing.along.iter();
        for (name, object) in along.filter(|(name, _)| !self.left_out.contains(name)) {
            push.updates.push(RefUpdate {
                name: name.clone(),
                old: None,
                new: Some(object.clone()),
            });
        }
        Ok(Ok(Some(push)))
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
    fn note_landed(
        &self,
        taken: &TakenWish,
        spec: &str,
        token: u64,
        commit: &str,
        view: &RemoteView,
    ) -> Result<Result<Option<WishPush>, LeaseRefusal>, LeaseError> {
        let lease = readable(view, &escape_name(spec));
        if lease
            .is_some_and(|lease| lease.nonce == taken.nonce || lease.state == LeaseState::Landed)
        {
            return Ok(Ok(None));
        }
        let run = lease.map(|lease| lease.run.clone()).unwrap_or_default();
        let mut record = self.record(spec, &run, token, LeaseState::Landed, &taken.nonce);
        record.commit = Some(commit.to_owned());
        Ok(Ok(Some(self.written(record, view)?)))
    }

    /// A request to the holder.
    fn request(
        &self,
        taken: &TakenWish,
        spec: &str,
        stop: super::record::RequestedStop,
        view: &RemoteView,
    ) -> Result<Result<Option<WishPush>, LeaseRefusal>, LeaseError> {
        let escaped = escape_name(spec);
        let known = view.requests.get(&escaped);
        let nonce = known
            .and_then(|seen| seen.value.as_ref().ok())
            .map(|request| &request.nonce);
        if nonce == Some(&taken.nonce) {
            return Ok(Ok(None));
        }
        let lease = readable(view, &escaped).filter(|lease| lease.state == LeaseState::Held);
        let Some(lease) = lease else {
            let spec = spec.to_owned();
            return Ok(Err(LeaseRefusal::NotHeld { spec }));
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
        Ok(Ok(Some(only_push(vec![RefUpdate {
            name: self.names.of_value(REQUESTS, spec),
            old: known.map(|seen| seen.object.clone()),
            new: Some(object),
        }]))))
    }

    /// Gives back a lease for a person.
    fn free(
        &self,
        taken: &TakenWish,
        spec: &str,
        view: &RemoteView,
    ) -> Result<Result<Option<WishPush>, LeaseRefusal>, LeaseError> {
        let escaped = escape_name(spec);
        let Some(seen) = view.lease(&escaped) else {
            let spec = spec.to_owned();
            return Ok(Err(LeaseRefusal::NotHeld { spec }));
        };
        let highest = view.highest.get(&escaped).copied().unwrap_or(0);
        let (token, run) = match &seen.value {
            Ok(lease) if lease.nonce == taken.nonce => return Ok(Ok(None)),
            Ok(lease) if lease.state == LeaseState::Landed && self.has_landed(lease, view) => {
                let spec = spec.to_owned();
                return Ok(Err(LeaseRefusal::Completed { spec }));
            }
            Ok(lease) => (lease.token.max(highest), lease.run.clone()),
            Err(_) => (highest, String::new()),
        };
        let record = self.record(spec, &run, token, LeaseState::Free, &taken.nonce);
        Ok(Ok(Some(self.written(record, view)?)))
    }

    /// Adds what own leases have to say by now: the records of runs decide.
    fn add_settled(&self, view: &RemoteView, batch: &mut PushBatch) -> Result<(), LeaseError> {
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
            if !self.own.is_own(&lease.orchestrator) {
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
    fn settled_state(
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

    /// Adds a sign of life: when one is due, and to every push while runs are under way. Without runs the own
    /// ref goes.
    fn add_beat(&mut self, view: &RemoteView, batch: &mut PushBatch) -> Result<(), LeaseError> {
        let mut runs = self.client.ledger.under_way().map_err(LeaseError::Ledger)?;
        runs.truncate(MOST_RUNS);
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

    fn heartbeat(&self, runs: Vec<RunLine>) -> Heartbeat {
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

    /// Writes the object of a lease, with the one before as its parent, and returns the change of its ref.
    pub(super) fn written(
        &self,
        record: LeaseRecord,
        view: &RemoteView,
    ) -> Result<WishPush, LeaseError> {
        let repo = self.client.repo;
        let escaped = escape_name(&record.spec);
        let old = view.lease(&escaped).map(|seen| seen.object.clone());
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
    fn has_landed(&self, lease: &LeaseRecord, view: &RemoteView) -> bool {
        let commit = lease.commit.as_deref();
        commit.is_some_and(|commit| self.has_landed_commit(commit, view).unwrap_or(false))
    }

    fn has_landed_commit(&self, commit: &str, view: &RemoteView) -> Result<bool, LeaseError> {
        let repo = self.client.repo;
        Ok(repo.has_object(commit)? && repo.reaches(&view.target, commit)?)
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
}

/// Returns the time, for people.
pub(super) fn now() -> String {
    jiff::Timestamp::now().strftime("%FT%TZ").to_string()
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
