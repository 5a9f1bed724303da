//! The refusals of runs on specs.

use serde_json::{Value, json};

use super::agents::AgentError;
use super::prompt::PromptError;
use super::start::StartRefusal;
use chant_base::error::{CoreError, ErrorKind};
use chant_base::next_step::{HintText, NextStep, hint};
use chant_base::plural::counted;
use chant_leases::answer::LeaseRefusal;

/// A refusal about a run; its `Display` is the sentence a client sees, its hint what may help.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecRunError {
    /// Work cannot begin.
    #[error(transparent)]
    Start(#[from] StartRefusal),
    /// A prompt cannot be put together.
    #[error(transparent)]
    Prompt(#[from] PromptError),
    /// An agent cannot be started.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// Work would change what runs on this machine.
    #[error(
        "The work on spec '{id}' changes what runs by itself: {}. It was not merged.",
        counted(change.len(), "line")
    )]
    ActsAnew {
        /// The spec.
        id: String,
        /// The changes, a line each.
        change: Vec<String>,
        /// The hash that stands for that change.
        agreement: String,
    },
    /// The remote, or another clone, has the spec.
    #[error("{refusal}")]
    Lease {
        /// The spec.
        id: String,
        /// What the remote says.
        refusal: LeaseRefusal,
    },
    /// The remote that grants specs does not answer.
    #[error("Spec '{id}' cannot be claimed: {why}. Nothing was started.")]
    NoRemote {
        /// The spec.
        id: String,
        /// Why.
        why: String,
    },
    /// The remote that knows who works on a spec does not answer.
    #[error("Who works on spec '{id}' is not known: {why}. Nothing was changed.")]
    NoLook {
        /// The spec.
        id: String,
        /// Why.
        why: String,
    },
    /// As many agents are at work as may be.
    #[error("{0}")]
    Full(String),
    /// The cluster on which agents are to work cannot be used now.
    #[error("Cluster '{target}' cannot be used: {why}. Nothing was started.")]
    NoCluster {
        /// The cluster.
        target: String,
        /// Why.
        why: String,
    },
}

impl CoreError for SpecRunError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Prompt(PromptError::NotFound { .. })
            | Self::Agent(AgentError::Unknown { .. }) => ErrorKind::NotFound,
            Self::Prompt(_) | Self::Agent(AgentError::Model { .. }) => ErrorKind::InvalidDocument,
            Self::Agent(_) => ErrorKind::Config,
            Self::Start(refusal) => refusal.kind(),
            Self::ActsAnew { .. } => ErrorKind::NotTrusted,
            Self::Lease { .. }
            | Self::NoRemote { .. }
            | Self::NoLook { .. }
            | Self::NoCluster { .. }
            | Self::Full(_) => ErrorKind::Refused,
        }
    }

    fn hint(&self) -> HintText {
        match self {
            Self::Start(refusal) => refusal.hint(),
            Self::ActsAnew { id, .. } => hint![
                " A person merges it with ",
                NextStep::Merge(id.clone()),
                " at a terminal, which shows what it changes and asks.",
            ],
            Self::Lease { id, refusal } => hint_of(id, refusal),
            Self::NoRemote { id, .. } => hint![
                " Try again when it answers, or start without a claim with ",
                NextStep::WorkOffline(id.clone()),
                ".",
            ],
            _ => HintText::default(),
        }
    }

    fn details(&self) -> Value {
        match self {
            Self::Start(refusal) => refusal.details(),
            Self::Prompt(error) => error.details(),
            Self::Agent(error) => error.details(),
            Self::ActsAnew {
                id,
                change,
                agreement,
            } => {
                json!({"needs": "trust", "shown": change, "id": id, "agreement": agreement})
            }
            Self::Lease { id, refusal } => json!({"id": id, "lease": refusal}),
            Self::NoRemote { id, .. } | Self::NoLook { id, .. } => json!({"id": id}),
            Self::NoCluster { target, .. } => json!({"target": target}),
            Self::Full(_) => Value::Null,
        }
    }
}

/// Returns the hint where a remote refused.
fn hint_of(id: &str, refusal: &LeaseRefusal) -> HintText {
    match refusal {
        LeaseRefusal::Held { .. } | LeaseRefusal::Landing { .. } => hint![
            " Wait, or take it over with ",
            NextStep::TakeFromClone(id.to_owned()),
            ".",
        ],
        LeaseRefusal::Overlaps { lease, .. } => {
            let other = lease.item.as_ref().map(|item| item.key.clone());
            let take = NextStep::TakeFromClone(other.unwrap_or_default());
            hint![" Wait, or take that over with ", take, "."]
        }
        LeaseRefusal::Completed { .. } => hint![" ", NextStep::FollowRemote, " does that."],
        LeaseRefusal::NotAtomic { .. } => hint![" Set `landing: pr` below `leases`."],
        LeaseRefusal::Unreadable { .. } | LeaseRefusal::Fallen { .. } => hint![
            " ",
            NextStep::ListLeases,
            " shows it, and gives it back with `--free`.",
        ],
        _ => HintText::default(),
    }
}
