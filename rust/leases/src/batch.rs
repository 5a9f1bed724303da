//! The changes of refs that go to the remote in one push, and what each of them answers.

use std::collections::BTreeMap;

use super::LeaseError;
use super::answer::{LeaseAnswer, LeaseRefusal, LeaseWish};
use super::queue::TakenWish;
use super::record::{LeaseRecord, NumberRecord};
use super::ref_names::RefNames;
use super::view::{RemoteView, SeenValue};
use chant_git::GitError;
use chant_git::remote_refs::{PushHooks, RefUpdate};

/// A wish's part of a push.
pub(super) struct WishPush {
    pub(super) updates: Vec<RefUpdate>,
    /// The lease that it writes: its escaped name, what it says, and the object.
    pub(super) lease: Option<(String, LeaseRecord, String)>,
    /// The numbers that it writes: the escaped name of their series, what they say, and the object.
    pub(super) numbers: Option<(String, NumberRecord, String)>,
    /// The target's commits before and after it.
    pub(super) target: Option<(String, String)>,
    pub(super) answer: LeaseAnswer,
}

/// The cause that a wish comes to no push.
#[derive(Debug)]
pub(super) enum PushFailure {
    /// The remote, or the rules, refuse it.
    Refused(LeaseRefusal),
    /// A failure of this machine.
    Failed(LeaseError),
}

impl From<LeaseRefusal> for PushFailure {
    fn from(refusal: LeaseRefusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<LeaseError> for PushFailure {
    fn from(error: LeaseError) -> Self {
        Self::Failed(error)
    }
}

impl From<GitError> for PushFailure {
    fn from(error: GitError) -> Self {
        Self::Failed(error.into())
    }
}

/// A push that is being put together.
#[derive(Default)]
pub(super) struct PushBatch {
    updates: Vec<RefUpdate>,
    target: Option<(String, String)>,
    /// The commits that land, each on the one before it, and whether they need checks.
    landings: Vec<(String, bool)>,
    /// The last of the landings that are held back until their checks are through.
    held: Option<String>,
    leases: Vec<(String, LeaseRecord, String)>,
    numbers: BTreeMap<String, (NumberRecord, String)>,
    answers: Vec<(TakenWish, LeaseAnswer)>,
    /// The refs that only go along with what is due.
    spare: Vec<String>,
    /// The refs that each wish changes, by its nonce.
    named: Vec<(String, String)>,
}

impl PushBatch {
    /// Returns true if there is nothing to push.
    pub(super) fn is_empty(&self) -> bool {
        self.updates.is_empty() && self.target.is_none()
    }

    /// Returns the target's newest commit after this push.
    pub(super) fn target<'a>(&'a self, view: &'a RemoteView) -> &'a str {
        self.target.as_ref().map_or(&view.target, |(_, new)| new)
    }

    /// Returns the commits that land and need checks, the last one first.
    pub(super) fn checked_landings(&self) -> impl Iterator<Item = &str> {
        let landings = self.landings.iter().rev();
        landings.filter_map(|(commit, needs_checks)| needs_checks.then_some(&**commit))
    }

    /// Holds a landing back; those that stand on it wait with it.
    pub(super) fn hold(&mut self, commit: &str) {
        self.held = Some(commit.to_owned());
    }

    /// Returns true if this commit is that of the last landing that is held back.
    pub(super) fn is_held(&self, commit: &str) -> bool {
        self.held.as_deref() == Some(commit)
    }

    /// Returns true if a ref of this name, or the lease of this name, is changed by the push already.
    pub(super) fn changes_lease(&self, escaped: &str) -> bool {
        self.leases.iter().any(|(name, ..)| name == escaped)
    }

    /// Returns the numbers of a series as this push leaves them.
    pub(super) fn numbers(&self, escaped: &str) -> Option<&NumberRecord> {
        self.numbers.get(escaped).map(|(record, _)| record)
    }

    /// Returns the number of wishes in it.
    pub(super) fn wishes(&self) -> usize {
        self.answers.len()
    }

    /// Adds the part of a wish, or of what is due without one.
    pub(super) fn add(&mut self, taken: Option<&TakenWish>, push: WishPush) {
        // Wishes for numbers of one series follow each other in one push.
        let is_again = |known: &RefUpdate| push.updates.iter().any(|new| new.name == known.name);
        self.updates.retain(|known| !is_again(known));
        if let Some(taken) = taken {
            let names = push.updates.iter().map(|update| &update.name);
            self.named
                .extend(names.map(|name| (taken.nonce.clone(), name.clone())));
        }
        self.updates.extend(push.updates);
        self.leases.extend(push.lease);
        let numbers = push.numbers.into_iter();
        self.numbers
            .extend(numbers.map(|(series, record, object)| (series, (record, object))));
        if let Some((old, new)) = push.target {
            let first = self.target.take().map_or(old, |(first, _)| first);
            let wish = taken.map(|taken| &taken.wish);
            let needs_checks = matches!(
                wish,
                Some(LeaseWish::Land {
                    needs_checks: true,
                    ..
                })
            );
            self.landings.push((new.clone(), needs_checks));
            self.target = Some((first, new));
        }
        self.answers
            .extend(taken.cloned().map(|taken| (taken, push.answer)));
    }

    /// Adds a change of a ref that answers nothing.
    pub(super) fn add_update(&mut self, update: RefUpdate) {
        self.updates.push(update);
    }

    /// Adds a change of a ref that is left out if the remote does not take it.
    pub(super) fn add_along(&mut self, update: RefUpdate) {
        self.spare.push(update.name.clone());
        self.updates.push(update);
    }

    /// Returns all changes of refs, the target's among them.
    pub(super) fn all_updates(&self, target: &str) -> Vec<RefUpdate> {
        let of_target = self.target.iter().filter(|(old, new)| old != new);
        let of_target = of_target.map(|(old, new)| RefUpdate {
            name: target.to_owned(),
            old: Some(old.clone()),
            new: Some(new.clone()),
        });
        self.updates.iter().cloned().chain(of_target).collect()
    }

    /// Returns the refs that change, each with the object that the remote must have there.
    pub(super) fn expected(&self, target: &str) -> BTreeMap<String, Option<String>> {
        let updates = self.all_updates(target).into_iter();
        updates.map(|update| (update.name, update.old)).collect()
    }

    /// Returns whether hooks of the user's run: for what reaches a branch only.
    pub(super) fn hooks(&self, names: &RefNames) -> PushHooks {
        let is_branch = |update: &RefUpdate| names.proposed(&update.name).is_some();
        if self.target.is_some() || self.updates.iter().any(is_branch) {
            PushHooks::Run
        } else {
            PushHooks::Skip
        }
    }

    /// Takes what the remote has by now into a view.
    pub(super) fn apply(&self, view: &mut RemoteView, names: &RefNames) {
        for update in &self.updates {
            if let (Some(rest), Some(new)) = (names.proposed(&update.name), &update.new) {
                view.branches.insert(rest.to_owned(), new.clone());
            }
        }
        for (name, lease, object) in &self.leases {
            let seen = SeenValue {
                object: object.clone(),
                value: Ok(lease.clone()),
            };
            view.leases.insert(name.clone(), seen);
        }
        for (series, (record, object)) in &self.numbers {
            let seen = SeenValue {
                object: object.clone(),
                value: Ok(record.clone()),
            };
            view.numbers.insert(series.clone(), seen);
        }
        if let Some((_, new)) = &self.target {
            view.target.clone_from(new);
        }
        view.note_sights();
    }

    /// Returns the names of refs that only go along.
    pub(super) fn along(&self) -> impl Iterator<Item = &str> {
        let wishes = self.answers.iter().map(|(taken, _)| &taken.wish);
        let along = wishes.filter_map(|wish| match wish {
            LeaseWish::Land { along, .. } => Some(along),
            _ => None,
        });
        let along = along.flatten().map(|(name, _)| &**name);
        along.chain(self.spare.iter().map(|name| &**name))
    }

    /// Returns the wishes with their answers.
    pub(super) fn answers(&self) -> &[(TakenWish, LeaseAnswer)] {
        &self.answers
    }

    /// Returns the wishes that change one of these refs.
    pub(super) fn wishes_on(&self, names: &[&str], target: &str) -> Vec<TakenWish> {
        let is_named = |name: &str| names.contains(&name);
        let lands =
            |taken: &TakenWish| is_named(target) && matches!(taken.wish, LeaseWish::Land { .. });
        let is_on = |taken: &TakenWish| {
            let escaped = taken.wish.subject().map(chant_store::state::escape_name);
            let ends = |name: &&str| {
                escaped
                    .as_ref()
                    .is_some_and(|spec| name.split('/').any(|part| part == spec))
            };
            let changes =
                |(nonce, name): &(String, String)| *nonce == taken.nonce && is_named(name);
            names.iter().any(ends) || lands(taken) || self.named.iter().any(changes)
        };
        let wishes = self.answers.iter().map(|(taken, _)| taken);
        wishes.filter(|taken| is_on(taken)).cloned().collect()
    }
}
