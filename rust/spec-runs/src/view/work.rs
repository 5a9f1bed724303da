//! Logs and runs.

use std::time::Duration;

use chant_base::counted_list::CountedList;
use chant_git::{GitError, Repo};
use jiff::Timestamp;
use serde::Serialize;

use chant_base::document_problem::ProblemRow;
use chant_specs::view::held_specs::HeldSpec;
use chant_specs::view::spec::CriteriaCounts;
use chant_specs::view::work_load::WorkLoad;
use chant_work::run_record::PlacedEntry;
use chant_work::usage::{DenialEntry, UsageEntry};

/// Lines of a log.
#[derive(Debug, Serialize)]
pub struct LogView {
    /// The lines, joined by line feeds.
    pub content: String,
    /// Byte after the last whole line looked at: where to go on.
    pub byte_offset: u64,
    /// The number of lines.
    pub line_count: usize,
    /// With `offset`: whole lines follow. Without: older lines were left out.
    pub has_more: bool,
    /// Byte at which the first line begins.
    pub start_offset: u64,
    /// The problem with the offset that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Runs of agents.
#[derive(Debug, Serialize)]
pub struct WorkList {
    /// The runs.
    pub processes: Vec<RunEntry>,
    /// All runs that are kept, whatever was asked for.
    pub summary: RunCounts,
    /// The number of runs that match, when not all are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes_total: Option<usize>,
    /// Where the next page begins, when there is one: call again with this `offset`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
    /// The load of accounts and machines.
    #[serde(flatten)]
    pub load: WorkLoad,
    /// The specs that other clones hold, where clones share them.
    #[serde(flatten)]
    pub elsewhere: Option<SharedWork>,
    /// Records that cannot be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<ProblemRow>,
}

/// The work of other clones, by the last look at the remote.
#[derive(Debug, Serialize)]
pub struct SharedWork {
    /// The specs that they hold.
    #[serde(flatten)]
    pub elsewhere: CountedList<HeldSpec>,
    /// The age of a look that is older than a sign of life; null before the first look.
    #[serde(skip_serializing_if = "LookAge::is_young")]
    pub looked_seconds_ago: LookAge,
}

/// The age of the last look at a remote, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct LookAge {
    seconds: Option<u64>,
    #[serde(skip)]
    beat: u64,
}

impl LookAge {
    /// Returns the age of a look, where signs of life come every `beat`.
    pub fn of(looked: Option<Timestamp>, now: Timestamp, beat: Duration) -> Self {
        let age = |looked: Timestamp| u64::try_from(now.duration_since(looked).as_secs());
        Self {
            seconds: looked.map(|looked| age(looked).unwrap_or(0)),
            beat: beat.as_secs(),
        }
    }

    /// Returns the number; `None` before the first look.
    pub fn seconds(self) -> Option<u64> {
        self.seconds
    }

    fn is_young(&self) -> bool {
        self.seconds.is_some_and(|seconds| seconds <= self.beat)
    }
}

/// One run.
#[derive(Debug, Serialize)]
pub struct RunEntry {
    /// Its name.
    pub process_id: String,
    /// The spec, or the key of an item of another format.
    pub spec_id: String,
    /// The runner's process number.
    pub pid: Option<u32>,
    /// `running`, `completed` or `failed`.
    pub status: &'static str,
    /// RFC 3339.
    pub started_at: Option<String>,
    /// RFC 3339; null while it runs.
    pub completed_at: Option<String>,
    /// `single`, `chain` or `parallel(N)`.
    pub mode: String,
    /// Its record says it runs, but no such process lives.
    pub stale: bool,
    /// When its log was last written, RFC 3339; null without a log.
    pub log_modified: Option<String>,
    /// The branch that carries its work.
    pub branch: Option<String>,
    /// The branch that its work starts from and lands on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The end, in one word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_state: Option<String>,
    /// Why it ended so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The run of a chain or of several specs that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The agent's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The cluster and the machine that its agent works on, if that is not this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placed: Option<PlacedEntry>,
    /// The account of its agent's provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// The folder of its worktree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    /// The confinement of its agent, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confinement: Option<String>,
    /// What its processes reached and what was refused to them, in a sentence, where the network is one of hosts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
    /// The agent's commits, once the work was judged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<String>,
    /// The number of checks that its work passed, where its spec is completed by it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checks_passed: Option<usize>,
    /// The model that its agent works with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The agent's own name of its session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The usage of its agent, as far as it reports that; of a run above other runs the sum of theirs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<UsageEntry>,
    /// Tools that were refused to its agent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub denials: Vec<DenialEntry>,
    /// Why its agent did not do its work, in a word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// The step to take about that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_step: Option<String>,
    /// While it waits for another try: when that is, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_try_at: Option<String>,
    /// While its agent waits for its provider: until when, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_until: Option<String>,
    /// The reason for that, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_because: Option<&'static str>,
    /// While it runs: the criteria in the copy of the spec that is worked on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub criteria: Option<CriteriaCounts>,
    /// While it runs, of a chain or of several specs: how far they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub specs: Option<SpecCounts>,
    /// Of a chain or of several specs: the pairs that were at work at once and were expected to share files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub foreseen_conflicts: Option<usize>,
    /// True if a request proposes its work, as configured.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub proposed: bool,
}

/// The specs of a run of several.
#[derive(Debug, Serialize)]
pub struct SpecCounts {
    /// Started, and what could be started now.
    pub total: usize,
    /// Completed by it.
    pub completed: usize,
    /// Started, and ended otherwise.
    pub ended: usize,
}

/// Runs by state.
#[derive(Debug, Default, Serialize)]
pub struct RunCounts {
    /// Runners that live.
    pub running: usize,
    /// Ended with the spec completed.
    pub completed: usize,
    /// Ended otherwise.
    pub failed: usize,
}

/// A run that is under way.
#[derive(Debug, Serialize)]
pub struct StartedRunView<'a> {
    /// Its name.
    pub process_id: &'a str,
    /// The spec, or the key of an item of another format.
    pub spec_id: &'a str,
    /// The runner's process number.
    pub pid: u32,
    /// RFC 3339.
    pub started_at: &'a str,
    /// `single`, `chain` or `parallel(N)`.
    pub mode: String,
    /// The branch of the work; none for a run above other runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<&'a str>,
    /// The branch that the work starts from and lands on.
    #[serde(flatten)]
    pub target: TargetBranchView,
    /// Its worktree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worktree: Option<&'a str>,
    /// Its log, relative to the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<&'a str>,
    /// The confinement of its agent, in a sentence.
    pub confinement: String,
    /// The note which commits will be unsigned, and which hooks look at what lands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub landing_note: Option<String>,
    /// The note that the login of its agent may end before the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub login_note: Option<String>,
    /// The warning that a red quality gate was waived.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quality_warning: Option<QualityWarning>,
}

/// The branch that work starts from and lands on.
#[derive(Debug, Serialize)]
pub struct TargetBranchView {
    /// Its name.
    pub target: String,
    /// Its newest commit.
    pub target_commit: Option<String>,
    /// The branch of the remote that has commits which it lacks, as last fetched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub behind: Option<UpstreamLeadView>,
}

/// How far a branch is behind that of a remote.
#[derive(Debug, Serialize)]
pub struct UpstreamLeadView {
    /// The branch of the remote, such as `origin/main`.
    pub upstream: String,
    /// The number of commits that it has and the local branch lacks.
    pub commits: usize,
}

impl TargetBranchView {
    /// Reads a branch as it is now.
    ///
    /// # Errors
    /// A failure to read the repository.
    pub fn of(repo: &Repo, branch: &str) -> Result<Self, GitError> {
        Ok(Self {
            target: branch.to_owned(),
            target_commit: repo.branch_tip(branch)?,
            behind: repo.upstream_lead(branch)?.map(|lead| UpstreamLeadView {
                upstream: lead.upstream,
                commits: lead.commits,
            }),
        })
    }
}

/// The time and the cost that a start would take.
#[derive(Debug, Serialize)]
pub struct ForecastView {
    /// The specs that an agent would work on, each behind those that it waits for.
    pub specs: Vec<String>,
    /// The branch that the work would start from and land on; absent without a repository.
    #[serde(flatten)]
    pub target: Option<TargetBranchView>,
    /// The note which commits will be unsigned, and which hooks look at what lands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub landing_note: Option<String>,
    /// So many agents at once.
    pub agents: usize,
    /// The number of completed runs that are known.
    pub known_runs: usize,
    /// The time it would take; null when too few runs are known.
    pub duration_seconds: Option<ExpectedAmount>,
    /// The tokens of all; null when too few runs report theirs.
    pub tokens: Option<ExpectedAmount>,
    /// The US dollars of all; null when too few runs report theirs.
    pub cost_usd: Option<ExpectedAmount>,
    /// The note that too few runs are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// An amount that is expected.
#[derive(Debug, Serialize)]
pub struct ExpectedAmount {
    /// In half of all cases it is no more.
    pub p50: f64,
    /// In nine of ten cases it is no more.
    pub p90: f64,
    /// The number of runs that this was learned from.
    pub known_runs: usize,
}

/// A red quality gate.
#[derive(Debug, Serialize)]
pub struct QualityWarning {
    /// `refine`.
    pub status: &'static str,
    /// The grades.
    pub scores: GradesView,
    /// The suggestions that would improve them.
    pub suggestions: Vec<&'static str>,
    /// The same in a sentence.
    pub message: String,
}

/// The grades of a spec, as letters.
#[derive(Debug, Serialize)]
pub struct GradesView {
    /// Size.
    pub complexity: char,
    /// The grade for how clear it is.
    pub confidence: char,
    /// The grade for how well it could be split.
    pub splittability: char,
    /// The grade for how good its criteria are.
    pub ac_quality: char,
    /// The grade for how little its members overlap; null without members.
    pub isolation: Option<char>,
}

/// The state of work that another person or agent goes on with.
#[derive(Debug, Default, Serialize)]
pub struct TakeoverReport<'a> {
    /// The spec.
    pub spec_id: &'a str,
    /// The progress of the work, in sentences.
    pub analysis: String,
    /// The last lines of the log.
    pub log_tail: String,
    /// The next steps.
    pub suggestion: String,
    /// The worktree; null when it is gone.
    pub worktree_path: Option<String>,
    /// The branch of the work.
    pub branch: Option<String>,
    /// Its newest commits, abbreviated, with their subjects.
    pub commits: Vec<String>,
    /// The size of their changes.
    pub diff: Option<DiffStatView>,
    /// Paths of the worktree that are not committed.
    pub uncommitted: Vec<String>,
}

/// The size of the changes of commits.
#[derive(Debug, Serialize)]
pub struct DiffStatView {
    /// Files.
    pub files: usize,
    /// Lines that came.
    pub insertions: usize,
    /// Lines that went.
    pub deletions: usize,
}

/// The worktrees of runs.
#[derive(Debug, Serialize)]
pub struct WorktreeList {
    /// By their folders.
    pub worktrees: Vec<WorktreeEntry>,
    /// Those of no run yet.
    pub made_in_advance: FolderPoolView,
}

/// Folders that were made before a run asked for one.
#[derive(Debug, Serialize)]
pub struct FolderPoolView {
    /// The number of folders.
    pub folders: usize,
    /// The size of all of them.
    pub bytes: u64,
}

/// One worktree.
#[derive(Debug, Serialize)]
pub struct WorktreeEntry {
    /// Its folder.
    pub path: String,
    /// The spec that it was made for.
    pub spec_id: Option<String>,
    /// The branch that it stands on.
    pub branch: Option<String>,
    /// The newest run on that branch.
    pub run: Option<String>,
    /// Where that stands.
    pub state: Option<&'static str>,
    /// The number of files that are not committed.
    pub uncommitted: usize,
    /// True if all work on the branch is on the main branch, too.
    pub merged: bool,
    /// Why it is kept; null when it can go.
    pub kept: Option<String>,
}

/// The state of the daemon, and the worktrees it watches.
#[derive(Debug, Serialize)]
pub struct WatchStatus {
    /// True if the daemon runs.
    pub watch_running: bool,
    /// The worktrees of runs, by their folders.
    pub worktrees: Vec<WatchedWorktree>,
    /// The number of worktrees.
    pub worktree_count: usize,
}

/// A worktree as the daemon sees it.
#[derive(Debug, Serialize)]
pub struct WatchedWorktree {
    /// The spec.
    pub spec_id: Option<String>,
    /// The folder.
    pub path: String,
    /// `working`, `done`, `failed` or `unknown`.
    pub status: &'static str,
    /// When its run's record was last written, RFC 3339; null without one.
    pub updated_at: Option<String>,
    /// The problem; null when there is none.
    pub error: Option<String>,
    /// The agent's commits.
    pub commits: Vec<String>,
}
