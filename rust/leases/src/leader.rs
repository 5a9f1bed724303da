//! The process that looks at the remote and pushes for all processes of a clone.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use super::LeaseError;
use super::answer::{LeaseAnswer, LeaseRefusal, LeaseWish};
use super::batch::PushBatch;
use super::client::{LeaseClient, VIEW};
use super::landing_right::LandingRight;
use super::machine::MachineTime;
use super::own_name::OwnName;
use super::push_pace::PushPace;
use super::queue::TakenWish;
use super::record::{MAX_BYTES, RefValue, UnreadableValue};
use super::ref_names::{LEASES, NEWEST_CLAIMS, NUMBERS, ORCHESTRATORS, REQUESTS, RefNames};
use super::view::{RemoteView, SeenValue};
use super::wishes::WishStep;
use chant_git::remote_refs::{PushHooks, PushOutcome};
use chant_store::state::escape_name;

/// The longest that a push may take.
const PUSH_LIMIT: Duration = Duration::from_secs(60);
/// The least time that a call of git gets, however late it is.
const LEAST_LIMIT: Duration = Duration::from_secs(1);
/// The number of pushes at one tick before one is repeated: behind the second, each wish goes alone.
const MAX_TRIES: u32 = 3;
/// So many commits are remembered that the target had and has not any more.
const MAX_LOST: usize = 8;

/// A leader, while this process is the only one.
pub(super) struct LeaseLeader<'a> {
    pub(super) client: &'a LeaseClient<'a>,
    pub(super) names: RefNames,
    pace: PushPace,
    pub(super) own: OwnName,
    /// Refs that were to go along with a landing and that the remote does not take.
    pub(super) left_out: BTreeSet<String>,
    /// The commit at which a push has to end: what stands on it has not passed its checks.
    pub(super) last_passed: Option<String>,
    /// When the last look began, as a number of [`MachineTime`].
    look_began: u64,
    /// True if a look was asked for after that.
    has_late_look: bool,
}

/// A push of one wish alone that the remote refused.
struct RefusedPush {
    /// The refs with the objects that were expected there.
    expected: BTreeMap<String, Option<String>>,
    /// How often it was refused with these.
    times: u32,
    /// The remote's reason.
    why: String,
}

impl RefusedPush {
    /// Returns how often a push with these expectations was refused.
    fn times(&self, expected: &BTreeMap<String, Option<String>>) -> u32 {
        if self.expected == *expected {
            self.times
        } else {
            0
        }
    }
}

/// How long a tick may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct TickLimits {
    /// The longest that one look takes.
    pub(super) look: Duration,
    /// When somebody stops waiting for all of it; looks and pushes end by then.
    pub(super) until: Option<Instant>,
}

impl TickLimits {
    /// Returns how much of a time is left.
    fn left_of(self, limit: Duration) -> Duration {
        let left = self
            .until
            .map(|until| until.saturating_duration_since(Instant::now()));
        left.map_or(limit, |left| limit.min(left.max(LEAST_LIMIT)))
    }
}

/// The answer of a remote to a reading of its refs.
enum RemoteAnswer {
    /// Its refs.
    View(Box<RemoteView>),
    /// The reason that it or the way to it gives.
    Failed(String),
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
            last_passed: None,
            look_began: 0,
            has_late_look: false,
        })
    }

    /// Returns how long the next tick has to wait.
    pub(super) fn wait(&self) -> Duration {
        self.pace.wait(self.client.settings.push_interval, false)
    }

    /// Returns true if there is a reason for a tick: a wish, or the last look is a push interval old.
    pub(super) fn is_due(&self) -> Result<bool, LeaseError> {
        if self.client.queue.has_due_wishes()? {
            return Ok(true);
        }
        Ok(self.pace.is_look_due(self.client.settings.push_interval))
    }

    /// Looks at the remote, grants and refuses wishes, and pushes what is due.
    pub(super) fn tick(&mut self, limits: TickLimits) -> Result<(), LeaseError> {
        let queue = &self.client.queue;
        queue.sweep()?;
        let mut refused: Option<RefusedPush> = None;
        for attempt in 0..=MAX_TRIES + 1 {
            let mut view = match self.look(limits.left_of(limits.look))? {
                RemoteAnswer::View(view) => view,
                RemoteAnswer::Failed(why) => return self.give_up(&why),
            };
            let found = view.orchestrators.get(&escape_name(&self.own.name));
            let found = found.map(|seen| seen.object.clone());
            self.own.settle(queue, found.as_deref())?;
            let is_alone = attempt + 1 >= MAX_TRIES;
            let batch = self.collect(&view, is_alone)?;
            if batch.is_empty() {
                self.answer_all(&batch)?;
                if self.has_late_look {
                    continue;
                }
                return Ok(());
            }
            let expected = batch.expected(self.names.target());
            let times = refused.as_ref().map_or(0, |last| last.times(&expected));
            if let Some(RefusedPush { why, .. }) = refused.take().filter(|_| times > 1) {
                // Nothing moved, and it is not there: a lock, or a name that clashes.
                let refusal = LeaseRefusal::Stuck { why };
                return self.refuse(batch.answers().iter().map(|(taken, _)| taken), &refusal);
            }
            let interval = self.client.settings.push_interval;
            if !self.pace.wait(interval, attempt > 0).is_zero() {
                // What was taken stays taken, and goes with the next push.
                return Ok(());
            }
            match self.push(&batch, &mut view, attempt > 0, limits)? {
                PushStep::Through if self.has_late_look => {}
                PushStep::Through => return Ok(()),
                PushStep::Again(why) => {
                    let times = times + 1;
                    refused = why.filter(|_| is_alone).map(|why| RefusedPush {
                        expected,
                        times,
                        why,
                    });
                }
            }
            if attempt + 2 == MAX_TRIES {
                // One of them may be what is in the way.
                self.left_out.extend(batch.along().map(str::to_owned));
            }
        }
        Ok(())
    }

    /// Reads the remote.
    fn look(&mut self, limit: Duration) -> Result<RemoteAnswer, LeaseError> {
        let (client, queue) = (self.client, &self.client.queue);
        self.look_began = MachineTime::now().number();
        let copies = self.names.copies();
        let fetch = || {
            client
                .repo
                .copy_remote_refs(&client.settings.remote, &copies, limit)
        };
        let mut copied = fetch();
        if copied.is_err() && client.repo.forget_damaged_copies(&self.names.looked(""))? {
            copied = fetch();
        }
        self.pace.note_look(queue, copied.is_ok())?;
        if let Err(error) = copied {
            return Ok(RemoteAnswer::Failed(error.to_string()));
        }
        let targets = client.repo.refs_below(&self.names.looked(""))?;
        let copy = self.names.looked_target();
        let target = targets
            .into_iter()
            .find(|(name, _)| copy.ends_with(&format!("/{name}")));
        let Some((_, target)) = target else {
            let why = format!("it has no branch `{}`", client.target);
            return Ok(RemoteAnswer::Failed(why));
        };
        let earlier = client.last_look()?;
        let mut view = RemoteView::now(target, earlier.clone());
        view.lost_targets = self.lost_targets(&view.target, earlier.as_ref())?;
        let known = earlier.as_ref();
        view.leases = self.values(LEASES, known.map(|view| &view.leases))?;
        view.orchestrators = self.values(ORCHESTRATORS, known.map(|view| &view.orchestrators))?;
        view.requests = self.values(REQUESTS, known.map(|view| &view.requests))?;
        view.numbers = self.values(NUMBERS, known.map(|view| &view.numbers))?;
        let branches = client.repo.refs_below(&self.names.looked_branches())?;
        view.branches = branches.into_iter().collect();
        let claims = client.repo.refs_below(&self.names.looked(NEWEST_CLAIMS))?;
        view.newest_claims = claims.into_iter().collect();
        view.note_sights();
        self.save(&view)?;
        Ok(RemoteAnswer::View(Box::new(view)))
    }

    /// Returns the commits that the target had at earlier looks and has not any more, the newest last.
    fn lost_targets(
        &self,
        target: &str,
        earlier: Option<&RemoteView>,
    ) -> Result<Vec<String>, LeaseError> {
        let Some(earlier) = earlier else {
            return Ok(Vec::new());
        };
        if earlier.target == target && earlier.lost_targets.is_empty() {
            return Ok(Vec::new());
        }
        let known = earlier.lost_targets.iter().chain([&earlier.target]);
        let mut lost: Vec<String> = Vec::new();
        for commit in known {
            let is_here = self.client.repo.has_object(commit)?;
            if is_here && !lost.contains(commit) && !self.client.repo.reaches(target, commit)? {
                lost.push(commit.clone());
            }
        }
        let above = lost.len().saturating_sub(MAX_LOST);
        lost.drain(..above);
        Ok(lost)
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
                let text = self.client.repo.ref_value(&object, MAX_BYTES)?;
                let value = match text {
                    Some((text, _)) => T::read(&text),
                    None => Err(UnreadableValue::Content("it is no value of ours")),
                };
                let value = value.map_err(|why| why.to_string());
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

    /// Puts the next push together; what can be answered without one is answered. Where the merged work is checked,
    /// landings go as far as the last commit that passed.
    fn collect(&mut self, view: &RemoteView, is_alone: bool) -> Result<PushBatch, LeaseError> {
        self.last_passed = None;
        let batch = self.collect_wishes(view, is_alone)?;
        if self.ends_well(&batch)? {
            return Ok(batch);
        }
        let mut passed = view.target.as_str();
        for landing in batch.checked_landings() {
            if self.has_passed(landing)? {
                passed = landing;
                break;
            }
        }
        self.last_passed = Some(passed.to_owned());
        self.collect_wishes(view, is_alone)
    }

    /// Returns true if a push may end where it does: the last landing that needs checks has passed them.
    fn ends_well(&self, batch: &PushBatch) -> Result<bool, LeaseError> {
        let end = batch.checked_landings().next();
        end.map_or(Ok(true), |end| self.has_passed(end))
    }

    fn has_passed(&self, commit: &str) -> Result<bool, LeaseError> {
        let verdict = self.client.queue.verdict(commit)?;
        Ok(verdict.is_some_and(|verdict| verdict.is_end()))
    }

    fn collect_wishes(
        &mut self,
        view: &RemoteView,
        is_alone: bool,
    ) -> Result<PushBatch, LeaseError> {
        let mut batch = PushBatch::default();
        self.has_late_look = false;
        for taken in self.client.queue.take()? {
            // A look that was asked for after this one began wants what the remote says now.
            if taken.wish == LeaseWish::Look && !taken.was_put_before(self.look_began) {
                self.has_late_look = true;
                continue;
            }
            // What stands before a commit that passed goes along with it, or waits.
            if is_alone && batch.wishes() > 0 && self.ends_well(&batch)? {
                break;
            }
            match self.step(&taken, view, &batch)? {
                WishStep::Answer(answer) => self.client.queue.answer(&taken, &answer)?,
                WishStep::Push(push) => batch.add(Some(&taken), *push),
                WishStep::Held(commit) => batch.hold(&commit),
                WishStep::Later => {}
            }
        }
        if !is_alone {
            self.add_settled(view, &mut batch)?;
        }
        self.add_beat(view, &mut batch)?;
        if !is_alone && !batch.is_empty() {
            self.add_archived(view, &mut batch)?;
        }
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
        limits: TickLimits,
    ) -> Result<PushStep, LeaseError> {
        let (client, queue) = (self.client, &self.client.queue);
        self.pace.note_push(queue, repeats)?;
        let target = self.names.target().to_owned();
        let hooks = batch.hooks(&self.names);
        // Landings may be large, and the user's hooks take their time.
        let limit = match hooks {
            PushHooks::Run => PUSH_LIMIT,
            PushHooks::Skip => limits.left_of(PUSH_LIMIT),
        };
        let outcome = client.repo.push_updates(
            &client.settings.remote,
            &batch.all_updates(&target),
            hooks,
            limit,
        )?;
        tracing::debug!(?outcome, "leases were pushed");
        let is_well = !matches!(outcome, PushOutcome::Unknown(_));
        self.pace.note_answer(queue, is_well)?;
        match outcome {
            PushOutcome::Applied => {
                if batch.target(view) != view.target {
                    LandingRight::Granted.remember(queue, &target)?;
                }
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
                let refusal = if first.name == target {
                    LandingRight::Refused(first.why.clone()).remember(queue, &target)?;
                    LeaseRefusal::LandingForbidden {
                        remote: client.settings.remote.clone(),
                        target: client.target.to_owned(),
                        why: first.why.clone(),
                    }
                } else {
                    LeaseRefusal::Forbidden {
                        name: first.name.clone(),
                        why: first.why.clone(),
                    }
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
}
