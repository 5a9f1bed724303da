//! Runs in answers: our own, and, as history, those that only files in the project name (reference
//! chant 5.18).

use std::collections::BTreeSet;
use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::Value;

use super::mirror::RECORDS;
use super::run_record::{
    BrokenRecord, NetworkEntry, PlacedEntry, RunRecord, RunStatus, SINGLE, WaitEntry,
};
use super::run_store::RunStore;
use super::state::RunState;
use super::usage::{DenialEntry, NextAttempt, UsageEntry};
use chant_store::StoreError;
use chant_store::disk::{self, Disk};
use chant_store::files::RootFolder;

/// So long a stopped run waits for its end to be written; behind that its stopper died.
const STOPPING: SignedDuration = SignedDuration::from_secs(120);

/// The reason shown for a run that only files in the project name.
const HISTORY: &str = "history: only .chant/processes names it; it is shown and never acted on";

/// One run of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunView {
    /// Name of the run, `<spec>-<pid>`.
    pub process_id: String,
    /// The spec it works on, or the order for an item of another format.
    pub spec_id: String,
    /// The key of that item.
    pub item: Option<String>,
    /// The runner's process number.
    pub pid: Option<u32>,
    /// `running`, `completed` or `failed`.
    pub status: RunStatus,
    /// True if it is recorded as running although no such process lives, or nothing proves it.
    pub is_stale: bool,
    /// The start, RFC 3339.
    pub started_at: Option<String>,
    /// The end, RFC 3339.
    pub completed_at: Option<String>,
    /// `single`, `chain` or `parallel(N)`.
    pub mode: String,
    /// The end state, in one word.
    pub end_state: Option<String>,
    /// The reason of that end.
    pub reason: Option<String>,
    /// The branch that carries its work.
    pub branch: Option<String>,
    /// The branch that its work starts from and lands on.
    pub target: Option<String>,
    /// The run of a chain or of several specs that it belongs to.
    pub parent: Option<String>,
    /// The agent's name.
    pub agent: Option<String>,
    /// The account of its agent's provider.
    pub account: Option<String>,
    /// The folder of its worktree.
    pub worktree: Option<String>,
    /// The confinement of its agent, in a sentence.
    pub confinement: Option<String>,
    /// What its processes asked for where the network is one of hosts.
    pub network: Option<NetworkEntry>,
    /// The agent's commits.
    pub commits: Vec<String>,
    /// The number of checks its work passed, where its spec is completed by it.
    pub checks: Option<usize>,
    /// Of a run above others: the conflicts that were foreseen between its specs.
    pub foreseen_conflicts: Option<usize>,
    /// True if a request proposes its work, and waits for people or a merge queue.
    pub is_proposed: bool,
    /// The facts that its agent reported.
    pub report: AgentReport,
    /// True if the record is one of ours, and not history.
    pub is_own: bool,
}

/// The facts that the agent of a run reported.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentReport {
    /// Its usage.
    pub usage: Option<UsageEntry>,
    /// Its own name of its session.
    pub session: Option<String>,
    /// The model it works with.
    pub model: Option<String>,
    /// The tools that were refused to it.
    pub denials: Vec<DenialEntry>,
    /// The cause why it did not do its work, in a word.
    pub cause: Option<String>,
    /// The next start, if it is tried again.
    pub next_try: Option<NextAttempt>,
    /// The time for which it waits for its provider.
    pub wait: Option<WaitEntry>,
    /// The machine of a cluster that it works on.
    pub placed: Option<PlacedEntry>,
}

impl AgentReport {
    fn of(record: &RunRecord) -> Self {
        let agent = record.agent.as_ref();
        let reported = agent.and_then(|agent| agent.reported_model.clone());
        Self {
            usage: record.usage.clone(),
            session: agent.and_then(|agent| agent.session.clone()),
            model: reported.or_else(|| agent?.model.clone()),
            denials: record.denials.clone(),
            cause: record.cause.clone(),
            next_try: record.next_try.clone(),
            wait: record.provider_wait.clone(),
            placed: record.placed.clone(),
        }
    }
}

/// The keys of a record that are shown, as any release may have written them.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RecordFields {
    process_id: Option<String>,
    spec_id: Option<String>,
    pid: Option<u32>,
    started_at: Option<String>,
    completed_at: Option<String>,
    mode: Option<String>,
    branch: Option<String>,
    parent: Option<String>,
    agent: Value,
    worktree: Option<String>,
    commits: Value,
}

/// Returns all runs, in the order of their names, and the records that cannot be read.
///
/// # Errors
/// A `StoreError` when a folder exists and cannot be listed.
pub fn all(runs: &RunStore) -> Result<(Vec<RunView>, Vec<BrokenRecord>), StoreError> {
    let (records, mut broken) = runs.all()?;
    broken.extend(runs.set_aside()?);
    let known: BTreeSet<&str> = records.iter().map(|record| &*record.process_id).collect();
    let (history, unreadable) = history(&runs.disk, &runs.root, &known)?;
    broken.extend(unreadable);
    let now = (runs.clock)();
    let own = records.iter().map(|record| own(record, now));
    let mut all: Vec<RunView> = own.chain(history).collect();
    all.sort_by(|one, other| one.process_id.cmp(&other.process_id));
    Ok((all, broken))
}

/// Returns a run of ours.
fn own(record: &RunRecord, now: Timestamp) -> RunView {
    let is_running = record.state() == RunState::Running;
    let has_landed = record.works_on_spec() && record.state() == RunState::Completed;
    let is_stale = is_running && !record.runner().is_alive() && !is_being_stopped(record, now);
    RunView {
        process_id: record.process_id.clone(),
        spec_id: record.spec_id.clone(),
        item: record.item.as_ref().map(|item| item.key.clone()),
        pid: Some(record.pid),
        status: if is_stale {
            RunStatus::Failed
        } else {
            record.status()
        },
        is_stale,
        started_at: Some(record.started_at.clone()),
        completed_at: record.completed_at.clone(),
        mode: record.mode.clone(),
        end_state: record.end_state().map(|state| state.as_str().to_owned()),
        reason: record.reason.clone(),
        branch: record.branch.clone(),
        target: record.target.clone(),
        parent: record.parent.clone(),
        agent: record.agent.as_ref().map(|agent| agent.name.clone()),
        account: record.account.clone(),
        worktree: record.worktree.clone(),
        confinement: record.confinement.clone(),
        network: record.network.clone(),
        commits: record.merge.landed_for(&record.commits).to_vec(),
        checks: has_landed.then_some(record.checks.len()),
        foreseen_conflicts: record.foreseen_conflicts,
        is_proposed: record.state() == RunState::AwaitingMerge && record.is_proposed(),
        report: AgentReport::of(record),
        is_own: true,
    }
}

/// Returns true if a process is about to write the end of a run that it stopped: work that was about to land is
/// completed first, which takes as long as the remote does.
fn is_being_stopped(record: &RunRecord, now: Timestamp) -> bool {
    let asked = record.stop_requested.and(record.updated_at.parse().ok());
    asked.is_some_and(|at: Timestamp| now.duration_since(at) < STOPPING)
}

/// Returns the runs that only files in the project name, without those that are known.
///
/// # Errors
/// A `StoreError` when the folder exists and cannot be listed.
pub fn history(
    disk: &Disk,
    root: &RootFolder,
    known: &BTreeSet<&str>,
) -> Result<(Vec<RunView>, Vec<BrokenRecord>), StoreError> {
    let folder = match root.locate(RECORDS) {
        Err(StoreError::Missing { .. }) => return Ok((Vec::new(), Vec::new())),
        folder => folder?,
    };
    let names = disk::names(&folder)?.into_iter();
    let names = names.filter(|one| !one.is_folder).map(|one| one.name);
    let is_record = |name: &String| {
        let is_known = name
            .strip_suffix(".json")
            .is_some_and(|id| known.contains(id));
        Path::new(name).extension() == Some("json".as_ref()) && !name.starts_with('.') && !is_known
    };
    let (mut found, mut broken) = (Vec::new(), Vec::new());
    for name in names.filter(is_record) {
        let path = format!("{RECORDS}/{name}");
        let text = match disk.read_text(&folder.join(&name), &path) {
            // It was removed between the listing and the reading.
            Err(StoreError::Missing { .. }) => continue,
            text => text.map_err(|error| error.to_string()),
        };
        match text.and_then(|(text, _)| read_history(&name, &text)) {
            Ok(run) => found.push(run),
            Err(why) => broken.push(BrokenRecord { path, why }),
        }
    }
    Ok((found, broken))
}

/// Returns a run as history: its end is not proven, and its process is not checked.
fn read_history(name: &str, text: &str) -> Result<RunView, String> {
    let record: RecordFields = serde_json::from_str(text).map_err(|e| e.to_string())?;
    let of_file = || name.trim_end_matches(".json").to_owned();
    let commits = record.commits.as_array().into_iter().flatten();
    let commits = commits.filter_map(Value::as_str).map(str::to_owned);
    Ok(RunView {
        process_id: record.process_id.unwrap_or_else(of_file),
        spec_id: record.spec_id.ok_or("it names no `spec_id`")?,
        item: None,
        pid: record.pid,
        status: RunStatus::Failed,
        is_stale: true,
        started_at: record.started_at,
        completed_at: record.completed_at,
        mode: record.mode.unwrap_or_else(|| SINGLE.into()),
        end_state: None,
        reason: Some(HISTORY.into()),
        branch: record.branch,
        target: None,
        parent: record.parent,
        agent: record.agent["name"].as_str().map(str::to_owned),
        account: None,
        worktree: record.worktree,
        confinement: None,
        network: None,
        commits: commits.collect(),
        checks: None,
        foreseen_conflicts: None,
        is_proposed: false,
        report: AgentReport::default(),
        is_own: false,
    })
}
