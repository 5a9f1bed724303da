//! What is asked for, and the answers.

use serde::{Deserialize, Serialize};

use super::record::{GivenNumber, LeaseRecord, LeaseState, LeasedItem, RequestedStop};

/// What a process of this clone wants done on the remote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "wish", rename_all = "snake_case")]
pub enum LeaseWish {
    /// Hold a spec.
    Claim {
        /// The spec.
        spec: String,
        /// The item of another format whose runs are called so.
        #[serde(default)]
        item: Option<LeasedItem>,
        /// What it is held for.
        run: String,
        /// The token is above this.
        above: u64,
        /// True if a living holder is overtaken, by a person.
        is_forced: bool,
    },
    /// Move the target to a commit, and the lease to `landed`, together.
    Land {
        /// The spec.
        spec: String,
        /// The run.
        run: String,
        /// The token of the run.
        token: u64,
        /// The commit of the target that the new one stands on.
        old: String,
        /// The commit that lands.
        new: String,
        /// Further refs that go along, each with its object; they are new. The landing does not wait for them: what
        /// the remote does not take of them is left out.
        along: Vec<(String, String)>,
        /// True if it waits until checks passed on it, or on one that stands on it.
        #[serde(default)]
        needs_checks: bool,
        /// The run whose conflict it settles.
        #[serde(default)]
        settled: Option<String>,
    },
    /// Propose a commit for merging: move the spec's branch to it, and the lease to `proposed`, together.
    Propose {
        /// The spec.
        spec: String,
        /// The run.
        run: String,
        /// The token of the run.
        token: u64,
        /// The commit that has the spec completed.
        commit: String,
    },
    /// Note the address of the request that proposes the work of a lease.
    NoteRequest {
        /// The spec.
        spec: String,
        /// The token of the run.
        token: u64,
        /// The address.
        request: String,
    },
    /// Note that the target has the work of a lease.
    NoteLanded {
        /// The spec.
        spec: String,
        /// The token of the run.
        token: u64,
        /// The commit with which it landed.
        commit: String,
    },
    /// Ask the holder of a lease to stop.
    Request {
        /// The spec.
        spec: String,
        /// How.
        stop: RequestedStop,
    },
    /// Give back a lease whose holder a person knows to be dead, or that stands for work that is not wanted.
    Free {
        /// The spec.
        spec: String,
        /// The highest token that runs of this clone had.
        #[serde(default)]
        above: u64,
    },
    /// Keep the commits of a run that was overtaken.
    Keep {
        /// The spec.
        spec: String,
        /// The token of the run.
        token: u64,
        /// Its newest commit.
        commit: String,
    },
    /// Have numbers of documents that no other clone gets.
    Numbers {
        /// The series, such as the code of a project.
        series: String,
        /// Numbers that were given without asking.
        offline: Vec<GivenNumber>,
        /// How many new ones are wanted, beside one for each offline number that is taken.
        fresh: usize,
        /// New ones are above this.
        above: u64,
    },
    /// Look at the remote.
    Look,
    /// Push what is due by now.
    Settle,
}

impl LeaseWish {
    /// Returns the spec that it is about.
    pub fn spec(&self) -> Option<&str> {
        match self {
            Self::Claim { spec, .. }
            | Self::Land { spec, .. }
            | Self::Propose { spec, .. }
            | Self::NoteRequest { spec, .. }
            | Self::NoteLanded { spec, .. }
            | Self::Request { spec, .. }
            | Self::Free { spec, .. }
            | Self::Keep { spec, .. } => Some(spec),
            Self::Numbers { .. } | Self::Look | Self::Settle => None,
        }
    }

    /// Returns the spec or the series that it is about.
    pub(super) fn subject(&self) -> Option<&str> {
        match self {
            Self::Numbers { series, .. } => Some(series),
            other => other.spec(),
        }
    }
}

/// The answer to a wish.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum LeaseAnswer {
    /// The spec is held.
    Claimed {
        /// The token.
        token: u64,
        /// The newest commit of the target.
        target: String,
    },
    /// The numbers are this clone's.
    Numbered {
        /// Offline numbers that another clone has.
        taken: Vec<u64>,
        /// The new ones, the lowest first.
        fresh: Vec<u64>,
    },
    /// It is done, and the remote has confirmed it.
    Done,
    /// It was refused; nothing of it happened, and nothing will.
    Refused {
        /// Why.
        refusal: LeaseRefusal,
    },
    /// The remote did not answer; nothing of it happened as far as is known.
    Unreachable {
        /// Why.
        why: String,
    },
}

/// Why a remote, or the rules, refused a wish.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "refusal", rename_all = "snake_case")]
pub enum LeaseRefusal {
    /// Another orchestrator has the spec.
    #[error("{}", of_holder(lease))]
    Held {
        /// Its lease.
        lease: Box<LeaseRecord>,
    },
    /// Another orchestrator has an item that holds this one, or that this one holds.
    #[error(
        "{key} cannot be worked on now, since {} belongs to it or holds it. {}",
        of_lease(lease),
        of_holder(lease)
    )]
    Overlaps {
        /// The item that is wanted.
        key: String,
        /// The lease of the other one.
        lease: Box<LeaseRecord>,
    },
    /// The spec is completed on the remote.
    #[error("Spec '{spec}' is completed on the remote already: bring your copy up to date.")]
    Completed {
        /// The spec.
        spec: String,
    },
    /// A landing of it is under way.
    #[error("The work on spec '{spec}' is about to land from another clone; wait for it.")]
    Landing {
        /// The spec.
        spec: String,
    },
    /// A newer run of the spec was claimed.
    #[error("{}", of_overtaken(lease.as_deref()))]
    Overtaken {
        /// The lease that is there now.
        lease: Option<Box<LeaseRecord>>,
    },
    /// Somebody else pushed to the branch of a request.
    #[error(
        "Branch `{branch}` on the remote has {object}, which this clone did not push there; nothing was pushed over it. Take that commit into your own branch, or remove the branch there."
    )]
    BranchMoved {
        /// The branch.
        branch: String,
        /// Its newest commit there.
        object: String,
    },
    /// The target is another commit by now.
    #[error("The target moved meanwhile.")]
    Moved,
    /// A token on the remote is lower than one that was seen there.
    #[error(
        "The lease of spec '{spec}' went back from token {seen} to {found}: somebody rewrote it. A person has to look at it."
    )]
    Fallen {
        /// The spec.
        spec: String,
        /// The highest token that was seen.
        seen: u64,
        /// The token that is there.
        found: u64,
    },
    /// The numbers on the remote cannot be read.
    #[error("The numbers of {series} on the remote cannot be read: {why}.")]
    UnreadableNumbers {
        /// The series.
        series: String,
        /// Why.
        why: String,
    },
    /// A value on the remote cannot be read.
    #[error("The lease of spec '{spec}' on the remote cannot be read: {why}.")]
    Unreadable {
        /// The spec.
        spec: String,
        /// Why.
        why: String,
    },
    /// The remote forbids it.
    #[error("The remote refused `{name}`: {why}.")]
    Forbidden {
        /// The ref.
        name: String,
        /// The remote's reason.
        why: String,
    },
    /// The remote does not let this clone push to the target.
    #[error(
        "{remote} does not let this clone push to {target}: {why}. Set `landing: pr` below `leases`, so that work is proposed there instead."
    )]
    LandingForbidden {
        /// The remote.
        remote: String,
        /// The target.
        target: String,
        /// The remote's words.
        why: String,
    },
    /// The remote cannot change several refs at once.
    #[error("{remote} does not speak atomic pushes, so `landing: push` cannot be fenced there.")]
    NotAtomic {
        /// The remote.
        remote: String,
    },
    /// There is no lease to act on.
    #[error("No clone holds spec '{spec}'.")]
    NotHeld {
        /// The spec.
        spec: String,
    },
    /// The checks fail on what it comes to, and pass without it.
    #[error("{why}")]
    ChecksFailed {
        /// The check, how it ended, and on what.
        why: String,
    },
    /// The checks say nothing of it: they fail without it too, or could not be run.
    #[error("{why}")]
    Unchecked {
        /// Why.
        why: String,
    },
    /// Its run has ended in another way.
    #[error("The run has ended; nothing of it lands.")]
    RunEnded,
    /// The remote kept refusing although nothing there changed.
    #[error("The remote refused the change several times although nothing there moved: {why}.")]
    Stuck {
        /// The remote's words.
        why: String,
    },
}

fn of_lease(lease: &LeaseRecord) -> &str {
    lease.item.as_ref().map_or(&lease.spec, |item| &item.key)
}

fn of_holder(lease: &LeaseRecord) -> String {
    let LeaseRecord {
        token,
        orchestrator,
        host,
        at,
        ..
    } = lease;
    let what = match lease.state {
        LeaseState::Waiting => "was worked on, and its landing waits, at",
        LeaseState::Proposed => "is proposed for merging by",
        _ => "is worked on by",
    };
    let request = lease.request.as_deref().map(|link| format!(": {link}"));
    let spec = of_lease(lease);
    format!(
        "Spec '{spec}' {what} {orchestrator} on {host} (token {token}, since {at}){}.",
        request.unwrap_or_default()
    )
}

fn of_overtaken(lease: Option<&LeaseRecord>) -> String {
    match lease {
        Some(lease) => format!(
            "Overtaken: token {} of spec '{}' was claimed by {} on {} at {}.",
            lease.token,
            of_lease(lease),
            lease.orchestrator,
            lease.host,
            lease.at
        ),
        None => "Overtaken: the lease of this run is gone from the remote.".into(),
    }
}
