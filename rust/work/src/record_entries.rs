//! The parts of a run's record: agent, checks, merge, lease and what else it names.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A layer that a folder got from a recipe.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnvironmentEntry {
    /// The recipe.
    pub recipe: String,
    /// The key of the layer.
    pub key: String,
    /// The hash of its content.
    pub hash: String,
    /// True if it was built for one judgement from what a branch asks for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_candidate: bool,
}

/// The greatest number of hosts in a sentence.
const MAX_SHOWN: usize = 5;

/// The hosts and routes that the processes of a run asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NetworkEntry {
    /// The bytes that went through, by host or route.
    #[serde(default)]
    pub reached: BTreeMap<String, u64>,
    /// The reasons of refusals, by host or route.
    #[serde(default)]
    pub refused: BTreeMap<String, String>,
    /// The number of requests for others.
    #[serde(default)]
    pub others: u64,
}

impl NetworkEntry {
    /// Adds those that other processes of the run asked for.
    pub fn add(&mut self, other: Self) {
        for (name, bytes) in other.reached {
            *self.reached.entry(name).or_default() += bytes;
        }
        self.refused.extend(other.refused);
        self.others += other.others;
    }

    /// Returns what was reached and what was refused, in a sentence.
    pub fn sentence(&self) -> String {
        let shown = |names: Vec<String>| match names.len() {
            0 => "nothing".to_owned(),
            count if count > MAX_SHOWN => {
                let first = names[..MAX_SHOWN].join(", ");
                format!("{first} and {} more", count - MAX_SHOWN)
            }
            _ => names.join(", "),
        };
        let reached = shown(self.reached.keys().cloned().collect());
        let refused = self.refused.iter();
        let refused = shown(
            refused
                .map(|(name, why)| format!("{name} ({why})"))
                .collect(),
        );
        format!("reached {reached}; refused {refused}")
    }

    /// Returns the sentence about what was refused; `None` if nothing was.
    pub fn refusal(&self) -> Option<String> {
        let only = Self {
            refused: self.refused.clone(),
            ..Self::default()
        };
        let sentence = only.sentence();
        let (_, refused) = sentence.split_once("; refused ")?;
        (!self.refused.is_empty()).then(|| {
            format!("The network refused {refused}; `confine.hosts` of your own configuration names the hosts that runs reach")
        })
    }
}

/// The item of another format that a run works on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ItemEntry {
    /// Its key.
    pub key: String,
    /// Its title at the start.
    pub title: String,
    /// Its boxes at the start, in the order of its documents.
    #[serde(default)]
    pub boxes: Vec<CriterionEntry>,
    /// Keys that no other run may have at the same time: the item and all of its parts.
    #[serde(default)]
    pub locked_keys: Vec<String>,
}

/// A time for which an agent waits before it asks its provider again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitEntry {
    /// The end of that time, RFC 3339, UTC.
    pub until: String,
    /// The reason in a word, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
}

/// The lease of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseEntry {
    /// The remote that granted it.
    pub remote: String,
    /// The newest commit of the target there, on which the work begins.
    pub base: String,
    /// What is proposed for merging, once it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<ProposalEntry>,
}

/// The work of a run that a request proposes for merging.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposalEntry {
    /// The newest commit of the branch on the remote.
    pub commit: String,
    /// When the host was last asked about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_at: Option<Timestamp>,
    /// The address of the request, as far as it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
}

/// The place of an agent that works on another machine, as the cluster reports it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlacedEntry {
    /// The cluster: a name, or the address of its scheduler.
    pub target: String,
    /// The worker; `None` while it waits for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
    /// The time at which it was placed there, RFC 3339, UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// The commit that the worker pushed to the ref of this run, until that is removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pushed: Option<String>,
}

/// The options of a start besides the spec.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own, and all of them may be combined"
)]
pub struct RunOptions {
    /// True if missing criteria and a red quality gate are no obstacle.
    pub skip_criteria: bool,
    /// True if only the members of the spec are worked on, and nothing else that becomes ready.
    pub only_members: bool,
    /// True if no spec was asked for itself: any that is ready is worked on, and those of other clones are left to them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub takes_any: bool,
    /// True if earlier work is set aside and not continued.
    pub fresh: bool,
    /// The branch to start from and to land on, if the caller named one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// True if the spec is worked on without a lease, although the configuration asks for one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub offline: bool,
    /// True if its folder holds the files of the commit and nothing that recipes install.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bare: bool,
    /// The cluster on which its agent works: a name, or the address of a scheduler.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
    /// The worker that an earlier attempt was lost on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub avoid: Option<String>,
    /// The agent, if it is not the configured one.
    pub agent: Option<String>,
    /// The prompt, which overrides that of specs.
    pub prompt: Option<String>,
    /// The options of a split.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split: Option<SplitRunOptions>,
    /// Keys of later releases.
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

/// The options of a split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SplitRunOptions {
    /// True if the proposal is written without a question.
    pub force: bool,
    /// True if members that are still too complex are split, too.
    pub recursive: bool,
    /// The greatest number of levels of members.
    pub max_depth: u32,
}

/// The agent of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentEntry {
    /// Its name in the configuration.
    pub name: String,
    /// The command line with which it was started, secrets masked.
    pub argv: Vec<String>,
    /// Its process number, which is that of its process group.
    #[serde(default)]
    pub pid: Option<u32>,
    /// Its start, in ticks.
    #[serde(default)]
    pub pid_start: Option<String>,
    /// The model that it is to use.
    #[serde(default)]
    pub model: Option<String>,
    /// The model that it reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reported_model: Option<String>,
    /// Its own name of its session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Keys of later releases.
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

/// The way in which a run's agent was given what people sent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryEntry {
    /// `resumed`, in its own session, or `digest`, in a new one.
    pub how: String,
    /// Why so.
    pub why: String,
    /// True once the agent that was to go on with its session was seen to have done so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_taken_up: bool,
}

impl DeliveryEntry {
    /// Returns true if it was asked to go on with its session.
    pub fn is_resumed(&self) -> bool {
        self.how == "resumed"
    }
}

/// A process tree that was started for a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessTreeEntry {
    /// The number of its first process.
    pub pid: u32,
    /// The start of that process, in ticks.
    #[serde(default)]
    pub pid_start: Option<String>,
    /// True if the whole tree ends with that process.
    #[serde(default)]
    pub ends_with_leader: bool,
    /// True if its processes are confined, so that they cannot leave their control group.
    #[serde(default)]
    pub is_confined: bool,
    /// The folder of its control group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cgroup: Option<String>,
}

/// A service of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceEntry {
    /// Its name in the configuration.
    pub name: String,
    /// The number of its first process.
    pub pid: u32,
    /// The start of that process, in ticks.
    #[serde(default)]
    pub pid_start: Option<String>,
    /// True if all that it starts ends with that process.
    #[serde(default)]
    pub ends_with_leader: bool,
    /// The file with what it wrote.
    #[serde(default)]
    pub log: String,
}

/// A criterion of a spec.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CriterionEntry {
    /// Its words.
    pub text: String,
    /// True if it was ticked.
    pub checked: bool,
    /// The names of the checks that have to pass for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<String>,
    /// True if none of these has to fail without the change, as the spec says.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_red: bool,
}

/// The hooks of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HooksEntry {
    /// Their folder.
    pub folder: String,
    /// The names of those that git would run.
    pub run: Vec<String>,
    /// Their contents and the repository's settings of git, a line each.
    pub listing: Vec<String>,
}

/// Changes of work to the tests that judge it, in lines for people.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedEntry {
    /// Weaker tests: a person has to agree before it lands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weaker: Vec<String>,
    /// True if a person agreed to that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub agreed: bool,
    /// Places that a person may want to look at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub look: Vec<String>,
    /// Changed files of tests that nothing could read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_read: Vec<String>,
}

impl JudgedEntry {
    /// Returns true if there is nothing to say.
    pub fn is_empty(&self) -> bool {
        self.weaker.is_empty() && self.look.is_empty() && self.not_read.is_empty()
    }
}

/// The outcome of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckEntry {
    /// Its name in the configuration.
    pub name: String,
    /// Its command line, secrets masked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// Its exit code; `None` if it was ended or could not be started.
    pub exit: Option<i32>,
    /// Its duration in milliseconds.
    pub ms: u64,
    /// The tree that it checked.
    pub tree: String,
    /// Its tests that ended in both ways on the same files; the name of the check itself where it reports none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flaky: Vec<String>,
    /// The proof that it sees the change; `None` where that was not looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<ProofEntry>,
}

/// The outcome of old and new tests on old and new code.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProofEntry {
    /// The word: `red→green` or `regression`.
    pub word: String,
    /// The reason for it, or why no more is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Its source: `exit code`, or `report`.
    pub by: String,
    /// The tests that fail without the change and pass with it, as far as the check reports some; the first ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<String>,
    /// True if an old test that passed before fails with the new code.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub changed_meaning: bool,
    /// The cells that were run, besides that of the work itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<CellEntry>,
}

/// The code of some work, and which of it the checks hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HeldCodeEntry {
    /// The pieces of code; the first ones.
    pub pieces: Vec<HeldPieceEntry>,
    /// The number of all pieces.
    pub count: usize,
    /// The number of those that are held.
    pub held: usize,
    /// The number of changed files that were not looked at: no text, too large, or no code.
    pub unread: usize,
    /// The reason why not all was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A piece of code that was taken back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HeldPieceEntry {
    /// The file.
    pub path: String,
    /// Its first line in the work.
    pub first: usize,
    /// Its last line.
    pub last: usize,
    /// `held`, `held with others`, `not held`, `cannot be taken back` or `not looked at`.
    pub state: String,
    /// The check that fails without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// The tests of it that fail without it; the first ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<String>,
}

impl HeldPieceEntry {
    /// Returns true if a test fails without it, be it with others.
    pub fn is_held(&self) -> bool {
        self.state.starts_with("held")
    }

    /// Returns its place in the work: path and lines.
    pub fn place(&self) -> String {
        format!("{}:{}-{}", self.path, self.first, self.last)
    }
}

/// A check in a cell of old or new tests with old or new code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellEntry {
    /// `A` (old tests, old code), `B` (new tests, old code) or `D` (old tests, new code).
    pub cell: String,
    /// The tree.
    pub tree: String,
    /// The exit code; `None` if it did not end by itself.
    pub exit: Option<i32>,
    /// The duration in milliseconds.
    pub ms: u64,
    /// True if an earlier run on the same tree passed, and it was not run again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub known: bool,
}

/// The state of a merge and its attempts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergeEntry {
    /// Its state.
    pub state: MergeState,
    /// The commit with which the work landed.
    #[serde(default)]
    pub commit: Option<String>,
    /// The commits that landed in place of the agent's, if these were squashed or rewritten; parents first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub landed: Vec<String>,
    /// The ref that keeps the agent's commits in that case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
    /// The paths or reasons that block it.
    #[serde(default)]
    pub blocked_by: Vec<String>,
    /// The commits of target and branch when they were found to be in conflict.
    #[serde(default)]
    pub tried: Option<MergeTry>,
    /// Landings that were started; one that is not the target's newest commit may have been
    /// interrupted.
    #[serde(default)]
    pub begun: Vec<MergeTry>,
    /// Keys of later releases.
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

/// Two commits of a merge: the target's commit, and the commit that was to land on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergeTry {
    /// The target's newest commit.
    pub old: String,
    /// The commit that was to land.
    pub new: String,
}

/// The states of a merge.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MergeState {
    /// It has not started.
    #[default]
    None,
    /// It has to wait.
    Waiting,
    /// It is done.
    Merged,
}

impl MergeEntry {
    /// Returns the commits by which the target has the work: the agent's, or those that landed in their place.
    pub fn landed_for<'a>(&'a self, commits: &'a [String]) -> &'a [String] {
        match &*self.landed {
            [] => commits,
            landed => landed,
        }
    }
}
