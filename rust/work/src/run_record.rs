//! The record of a run, key by key, and the checks that make it credible (reference chant 5.18).

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use strum::IntoStaticStr;

use super::process::ProcessIdentity;
use super::state::{self, IllegalRunEvent, RunEvent, RunState, StopReason};
use super::usage::{DenialEntry, NextAttempt, UsageEntry};

pub use super::record_entries::{
    AgentEntry, CellEntry, CheckEntry, CriterionEntry, DeliveryEntry, EnvironmentEntry,
    HeldCodeEntry, HeldPieceEntry, HooksEntry, ItemEntry, JudgedEntry, LeaseEntry, MergeEntry,
    MergeState, MergeTry, NetworkEntry, PlacedEntry, ProcessTreeEntry, ProofEntry, ProposalEntry,
    RunOptions, ServiceEntry, SplitRunOptions, WaitEntry,
};
pub use super::uncommitted_state::UncommittedState;
use chant_agent_events::FailureCause;
use chant_store::state::escape_name;

/// The three states of a run in answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum RunStatus {
    /// Its runner lives.
    Running,
    /// It ended, and its spec is completed.
    Completed,
    /// It ended in any other way.
    Failed,
}

impl RunStatus {
    /// Returns its spelling in answers.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The warning about a run whose processes may not all have ended.
pub const UNCERTAIN_END: &str = "it is not certain that all of its processes have ended, because nothing on this system kept them together; look at the list of processes before you use its folder";

/// The version of the layout in which records are written.
pub const SCHEMA: u32 = 1;

/// Our own record of a run, the only source of its state. Unknown keys are kept.
///
/// Its state changes only by [`RunRecord::change`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunRecord {
    schema: u32,
    /// Name of the run, `<spec>-<pid>`, and of its file.
    pub process_id: String,
    /// The spec on which it works, or the order for an item of another format.
    pub spec_id: String,
    /// That item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<Box<ItemEntry>>,
    /// The run of a chain or of several specs that it belongs to.
    #[serde(default)]
    pub parent: Option<String>,
    /// The runner's process number; before the record is adopted it may be that of the process that
    /// started the run.
    pub pid: u32,
    /// The start of that process, in ticks.
    #[serde(default)]
    pub pid_start: Option<String>,
    /// The machine's identity since its start.
    #[serde(default)]
    pub boot_id: Option<String>,
    status: RunStatus,
    #[serde(default)]
    end_state: Option<RunState>,
    /// The reason why the run ended as it did.
    #[serde(default)]
    pub reason: Option<String>,
    /// The agent's exit code.
    #[serde(default)]
    pub exit_code: Option<i32>,
    /// [`SINGLE`] for work on one spec, `chain` or `parallel(N)` for the run above such runs.
    pub mode: String,
    /// The number of this run among those that continue the same work, from 1.
    #[serde(default)]
    pub attempt: u32,
    /// A counter that grows by one at every write.
    pub generation: u64,
    /// A counter that grows by one at every run of a spec; work of an older token is not merged.
    #[serde(default)]
    pub token: u64,
    /// The start of the run, RFC 3339, UTC.
    pub started_at: String,
    /// The time of the last write, RFC 3339, UTC.
    pub updated_at: String,
    /// The end of the run, RFC 3339, UTC.
    #[serde(default)]
    pub completed_at: Option<String>,
    /// The time at which the runner adopted the record, RFC 3339, UTC.
    #[serde(default)]
    pub adopted_at: Option<String>,
    /// The requested stop and its purpose; the process that requested it writes the end of the run.
    #[serde(default)]
    pub stop_requested: Option<StopReason>,
    /// The agent of the run.
    #[serde(default)]
    pub agent: Option<AgentEntry>,
    /// The way in which the agent was given what people sent, if anything was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivery: Option<DeliveryEntry>,
    /// The account of its agent's provider, of those that the user's configuration names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// The process tree that was started last, until it was seen to end: that of its agent, or of a check.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process_tree: Option<ProcessTreeEntry>,
    /// True if some of its processes may be left, because nothing kept them together.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub may_have_processes: bool,
    /// The branch that carries the work.
    #[serde(default)]
    pub branch: Option<String>,
    /// The commit behind which the branch's own work starts.
    #[serde(default)]
    pub base: Option<String>,
    /// The folder of the worktree.
    #[serde(default)]
    pub worktree: Option<String>,
    /// True if that folder was made in advance.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub made_in_advance: bool,
    /// The confinement of the agent and its checks, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confinement: Option<String>,
    /// The log, relative to the root.
    #[serde(default)]
    pub log: Option<String>,
    /// The branch that the work is merged into.
    #[serde(default)]
    pub target: Option<String>,
    /// The criteria at the start.
    #[serde(default)]
    pub criteria_at_start: Vec<CriterionEntry>,
    /// True if a person rejected its work.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_rejected: bool,
    /// The changes of its work to what runs on this machine, if these prevented its merge.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub acting_change: Vec<String>,
    /// The changes of its work to the tests that judge it, as its landing saw them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged: Option<Box<JudgedEntry>>,
    /// The code that its checks hold; `None` where that was not looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<Box<HeldCodeEntry>>,
    /// The project's hooks when the run started, which check its landing. `None` for a landing by
    /// hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hooks_at_start: Option<HooksEntry>,
    /// The checks that were run, with their outcome.
    #[serde(default)]
    pub checks: Vec<CheckEntry>,
    /// The agent's commits.
    #[serde(default)]
    pub commits: Vec<String>,
    /// The state of the merge.
    #[serde(default)]
    pub merge: MergeEntry,
    /// The lease under which it works; `None` for work that only this clone knows of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease: Option<LeaseEntry>,
    /// The options of the start.
    #[serde(default)]
    pub asked: RunOptions,
    /// The proposal of a split.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<Value>,
    /// The usage of its agent in all tries together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<UsageEntry>,
    /// Tools that were refused to its agent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub denials: Vec<DenialEntry>,
    /// The cause why its agent did not do its work, in a word; a later release may have words that
    /// are unknown here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// The machine of a cluster on which its agent works or worked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placed: Option<PlacedEntry>,
    /// The next start of its agent, if it is tried again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_try: Option<NextAttempt>,
    /// Of a run above others: the pairs of specs that were at work at once and were expected to share files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foreseen_conflicts: Option<usize>,
    /// The time at which the spec of a run that was found dead was recovered, RFC 3339, UTC.
    #[serde(default)]
    pub settled_at: Option<String>,
    /// The layers that its folder got from recipes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<EnvironmentEntry>,
    /// Its ports, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ports: Vec<(String, u16)>,
    /// The services beside its agent, until they are ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub services: Vec<ServiceEntry>,
    /// What its processes asked for where the network is one of hosts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkEntry>,
    /// The last line that its agent said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_words: Option<String>,
    /// The time for which its agent waits for its provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_wait: Option<WaitEntry>,
    /// The state that it wrote into its spec and git does not see.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncommitted: Option<UncommittedState>,
    /// Keys of later releases and of other programs.
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

/// The mode of a run that works on one spec.
pub const SINGLE: &str = "single";
/// The mode of a run that reads one spec and proposes to split it.
pub const SPLIT: &str = "split";

impl RunRecord {
    /// Returns true if a request proposes its work.
    pub fn is_proposed(&self) -> bool {
        self.lease
            .as_ref()
            .is_some_and(|lease| lease.proposal.is_some())
    }

    /// Returns the record of a run that starts now, with its runner, or at first with the process
    /// that starts it.
    pub fn new(spec_id: &str, mode: &str, runner: ProcessIdentity, now: Timestamp) -> Self {
        Self {
            schema: SCHEMA,
            process_id: format!("{}-{}", escape_name(spec_id), runner.pid),
            spec_id: spec_id.to_owned(),
            item: None,
            parent: None,
            pid: runner.pid,
            pid_start: runner.pid_start,
            boot_id: runner.boot_id,
            status: RunStatus::Running,
            end_state: None,
            reason: None,
            exit_code: None,
            mode: mode.to_owned(),
            attempt: 1,
            generation: 1,
            token: 0,
            started_at: stamp(now),
            updated_at: stamp(now),
            completed_at: None,
            adopted_at: None,
            stop_requested: None,
            agent: None,
            delivery: None,
            process_tree: None,
            may_have_processes: false,
            branch: None,
            base: None,
            worktree: None,
            made_in_advance: false,
            confinement: None,
            log: None,
            target: None,
            criteria_at_start: Vec::new(),
            is_rejected: false,
            acting_change: Vec::new(),
            judged: None,
            held: None,
            hooks_at_start: None,
            checks: Vec::new(),
            commits: Vec::new(),
            merge: MergeEntry::default(),
            lease: None,
            asked: RunOptions::default(),
            account: None,
            foreseen_conflicts: None,
            proposal: None,
            usage: None,
            denials: Vec::new(),
            cause: None,
            placed: None,
            next_try: None,
            settled_at: None,
            environment: Vec::new(),
            ports: Vec::new(),
            services: Vec::new(),
            network: None,
            last_words: None,
            provider_wait: None,
            uncommitted: None,
            unknown: Map::new(),
        }
    }

    /// Reads a record of ours; `None` if it has another layout.
    ///
    /// # Errors
    /// The fault in it.
    pub fn parse(text: &str) -> Result<Option<Self>, String> {
        let value: Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
        if value["schema"].as_u64() != Some(u64::from(SCHEMA)) {
            return Ok(None);
        }
        serde_json::from_value(value)
            .map(Some)
            .map_err(|e| e.to_string())
    }

    /// Reads a record of ours that is kept under a name.
    ///
    /// # Errors
    /// The reason why it is not credible: its name is another run's, its ids are invalid, or its
    /// state is one that a run cannot reach.
    pub fn believed(file: &str, text: &str) -> Result<Self, String> {
        let record = Self::parse(text)?.ok_or("it is of another program or release")?;
        if file_of(&record.process_id) != file {
            return Err(format!("its name is that of run '{}'", record.process_id));
        }
        if !is_spec_name(&record.spec_id) {
            return Err("its `spec_id` cannot be the ID of a spec".into());
        }
        if !is_run_of(&record.process_id, &record.spec_id) {
            return Err(
                "its `process_id` is not made of its spec's ID and a process number".into(),
            );
        }
        if !record.is_possible() {
            return Err("its `status` and its `end_state` cannot be at once".into());
        }
        Ok(record)
    }

    /// Returns true if status and end state agree.
    fn is_possible(&self) -> bool {
        match (self.status, self.end_state) {
            (RunStatus::Running, end) => end.is_none(),
            (_, None) => true,
            (RunStatus::Completed, Some(end)) => end == RunState::Completed,
            (RunStatus::Failed, Some(end)) => {
                !matches!(end, RunState::Running | RunState::Completed)
            }
        }
    }

    /// Returns the status in answers.
    pub fn status(&self) -> RunStatus {
        self.status
    }

    /// Returns the end state of the run, if it ended.
    pub fn end_state(&self) -> Option<RunState> {
        self.end_state
    }

    /// Returns the text of the record.
    pub fn text(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Returns the state of the run.
    pub fn state(&self) -> RunState {
        match (self.status, self.end_state) {
            (RunStatus::Running, _) => RunState::Running,
            (_, Some(state)) => state,
            (RunStatus::Completed, None) => RunState::Completed,
            (RunStatus::Failed, None) => RunState::Failed,
        }
    }

    /// Changes the run's state; the only way to do so.
    ///
    /// # Errors
    /// [`IllegalRunEvent`]; the record is then as it was.
    pub fn change(
        &mut self,
        event: RunEvent,
        reason: Option<String>,
        now: Timestamp,
    ) -> Result<(), IllegalRunEvent> {
        let to = state::next_state(self.state(), event)?;
        self.status = match to {
            RunState::Running => RunStatus::Running,
            RunState::Completed => RunStatus::Completed,
            _ => RunStatus::Failed,
        };
        self.end_state = Some(to).filter(|to| *to != RunState::Running);
        self.reason = match to {
            RunState::Running => reason,
            _ => self.with_warning(reason),
        };
        self.completed_at = self.end_state.map(|_| stamp(now));
        Ok(())
    }

    /// Returns the process that the record names as its runner.
    pub fn runner(&self) -> ProcessIdentity {
        ProcessIdentity {
            pid: self.pid,
            pid_start: self.pid_start.clone(),
            boot_id: self.boot_id.clone(),
        }
    }

    /// Returns the first processes of its services, with true if all that one started ends with it.
    pub(super) fn service_leaders(&self) -> Vec<(ProcessIdentity, bool)> {
        let leader = |service: &ServiceEntry| {
            let process = ProcessIdentity {
                pid: service.pid,
                pid_start: service.pid_start.clone(),
                boot_id: self.boot_id.clone(),
            };
            (process, service.ends_with_leader)
        };
        self.services.iter().map(leader).collect()
    }

    /// Returns the process that the record names as its agent.
    pub fn agent_process(&self) -> Option<ProcessIdentity> {
        let agent = self.agent.as_ref()?;
        Some(ProcessIdentity {
            pid: agent.pid?,
            pid_start: agent.pid_start.clone(),
            boot_id: self.boot_id.clone(),
        })
    }

    /// Returns the first process of the tree that was started last and not seen to end.
    pub fn tree_leader(&self) -> Option<ProcessIdentity> {
        let Some(tree) = &self.process_tree else {
            return self.agent_process();
        };
        Some(ProcessIdentity {
            pid: tree.pid,
            pid_start: tree.pid_start.clone(),
            boot_id: self.boot_id.clone(),
        })
    }

    /// Notes whether it is certain that a process tree of the run has ended.
    pub fn note_tree_end(&mut self, is_certain: bool) {
        self.process_tree = None;
        self.may_have_processes |= !is_certain;
    }

    /// Returns the reason of an end, with the warning that processes may be left if that is so.
    fn with_warning(&self, reason: Option<String>) -> Option<String> {
        let needs_it = self.may_have_processes;
        match reason {
            None => needs_it.then(|| UNCERTAIN_END.to_owned()),
            Some(reason) if needs_it && !reason.contains(UNCERTAIN_END) => {
                Some(format!("{reason}; {UNCERTAIN_END}"))
            }
            reason => reason,
        }
    }

    /// Returns the cause why its agent did not do its work, if this release knows it.
    pub fn failure_cause(&self) -> Option<FailureCause> {
        FailureCause::named(self.cause.as_deref()?)
    }

    /// Returns what people call its work: the key of its item, or its spec.
    pub fn name_of_work(&self) -> &str {
        self.item.as_ref().map_or(&self.spec_id, |item| &item.key)
    }

    /// Returns true if the run works on a spec itself instead of having other runs do so.
    pub fn works_on_spec(&self) -> bool {
        self.mode == SINGLE
    }

    /// Returns true if the run has an agent, and the spec to itself: work on it, or a split.
    pub fn has_agent(&self) -> bool {
        self.works_on_spec() || self.mode == SPLIT
    }
}

/// Returns a time in the format of records and logs: RFC 3339, UTC, milliseconds.
pub fn stamp(moment: Timestamp) -> String {
    format!("{moment:.3}")
}

/// A file that cannot be read as a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenRecord {
    /// Its file.
    pub path: String,
    /// The fault in it.
    pub why: String,
}

/// Returns true if a text can be the id of a spec; as a file name it leaves no folder and is not
/// hidden.
pub(super) fn is_spec_name(name: &str) -> bool {
    let is_harmless = |c: char| !c.is_control() && c != '/' && c != '\\';
    !name.trim().is_empty()
        && !name.starts_with('.')
        && name.len() <= 200
        && name.chars().all(is_harmless)
}

/// Returns true if a name is `<spec>-<pid>`, with a number behind it where that name was taken.
pub(super) fn is_run_of(process_id: &str, spec_id: &str) -> bool {
    let is_number = |text: &str| {
        !text.is_empty() && text.len() <= 10 && text.bytes().all(|b| b.is_ascii_digit())
    };
    let is_rest = |rest: &str| match rest.split_once('-') {
        Some((pid, number)) => is_number(pid) && is_number(number),
        None => is_number(rest),
    };
    // Earlier releases used the id without escaping.
    [&*escape_name(spec_id), spec_id].into_iter().any(|id| {
        let rest = process_id.strip_prefix(id);
        rest.and_then(|rest| rest.strip_prefix('-'))
            .is_some_and(is_rest)
    })
}

/// Returns the file of a record.
pub(super) fn file_of(process_id: &str) -> String {
    format!("{process_id}.json")
}

/// Returns the run whose record a file of this name would be.
pub(super) fn process_of(file: &str) -> Option<&str> {
    file.strip_suffix(".json")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> RunRecord {
        let runner = ProcessIdentity {
            pid: 7,
            pid_start: None,
            boot_id: None,
        };
        RunRecord::new("a.1", SINGLE, runner, Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn a_record_is_believed_under_its_own_name_only() {
        let text = record().text();
        assert_eq!(RunRecord::believed("a.1-7.json", &text), Ok(record()));
        assert!(
            RunRecord::believed("a.1-8.json", &text)
                .unwrap_err()
                .contains("name")
        );
        assert!(
            RunRecord::believed("a.1-7.json", "{}")
                .unwrap_err()
                .contains("release")
        );
        assert!(RunRecord::believed("a.1-7.json", "half").is_err());
    }

    #[test]
    fn names_and_ids_have_their_form() {
        for (process_id, spec_id) in [
            ("b-7", "a.1"),
            ("a.1-", "a.1"),
            ("a.1-7-", "a.1"),
            ("a.1-7-2-3", "a.1"),
            ("a.1-x", "a.1"),
            ("../a-7", "../a"),
            (".a-7", ".a"),
        ] {
            let mut forged = record();
            (forged.process_id, forged.spec_id) = (process_id.into(), spec_id.into());
            let file = format!("{process_id}.json");
            assert!(
                RunRecord::believed(&file, &forged.text()).is_err(),
                "{process_id}"
            );
        }
        let mut second = record();
        second.process_id = "a.1-7-2".into();
        assert!(RunRecord::believed("a.1-7-2.json", &second.text()).is_ok());
    }

    #[test]
    fn status_and_end_go_together() {
        for (status, end) in [
            (RunStatus::Running, Some(RunState::Completed)),
            (RunStatus::Running, Some(RunState::Lost)),
            (RunStatus::Completed, Some(RunState::AwaitingMerge)),
            (RunStatus::Failed, Some(RunState::Completed)),
            (RunStatus::Failed, Some(RunState::Running)),
        ] {
            let mut forged = record();
            (forged.status, forged.end_state) = (status, end);
            assert!(RunRecord::believed("a.1-7.json", &forged.text()).is_err());
        }
    }
}
