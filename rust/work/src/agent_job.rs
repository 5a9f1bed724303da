//! The order to start an agent: its command, environment, input and limits.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use super::connections::ConnectionOptions;
use super::folder_observer::FolderObserver;
use super::run_cgroup::{CgroupLimits, RunCgroup};
use super::run_log::{LineFilter, LogLimits};
use super::spending::{EventPlan, UsageMeter};
use chant_confine::{Confinement, SandboxLauncher};

/// An agent that is to be started.
#[derive(Debug, Clone)]
pub struct AgentJob {
    /// Its name in the configuration.
    pub name: String,
    /// The model that it is to use.
    pub model: Option<String>,
    /// The name of its prompt, for the log.
    pub prompt: String,
    /// Program and arguments; never read by a shell.
    pub argv: Vec<String>,
    /// Its whole environment: nothing is inherited. The program is searched in its `PATH`.
    pub environment: Vec<(OsString, OsString)>,
    /// Its working folder.
    pub folder: PathBuf,
    /// Its confinement.
    pub confinement: Confinement,
    /// The program in which an agent without a confinement waits until its processes can be counted.
    pub launcher: Option<SandboxLauncher>,
    /// Its standard input.
    pub input: AgentInput,
    /// The limits at which it is ended.
    pub limits: AgentLimits,
    /// Names of variables that look like secrets and are not passed, for the log.
    pub withheld: Vec<String>,
    /// Texts that must not appear in the log.
    pub secrets: Vec<String>,
    /// The function that turns lines of its standard output into lines of the log, if there is one.
    pub reads: Option<LineFilter>,
    /// The settings for reaching our tools through the runner, if it does so.
    pub connecting: Option<ConnectionOptions>,
    /// The handling of the events that it reports.
    pub plan: EventPlan,
}

/// Work that is done while an agent runs.
#[derive(Default)]
pub struct AgentObservers<'a> {
    /// The folder that is watched, with its action.
    pub looking: Option<FolderObserver<'a>>,
    /// The meter that counts the agent's usage.
    pub meter: Option<UsageMeter<'a>>,
}

/// The standard input of an agent.
#[derive(Debug, Clone)]
pub enum AgentInput {
    /// Nothing.
    Empty,
    /// A text.
    Text(String),
    /// The content of a file.
    File(PathBuf),
}

/// The limits of an agent's time and output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgentLimits {
    /// The longest run.
    pub run: Option<Duration>,
    /// The longest silence on both streams.
    pub idle: Option<Duration>,
    /// The greatest number of bytes on both streams.
    pub output: Option<u64>,
    /// The limits of the log.
    pub room: LogLimits,
    /// The greatest number of processes and threads at once.
    pub processes: Option<u32>,
    /// The greatest number of bytes of memory, where control groups enforce that.
    pub memory: Option<u64>,
    /// True if a control group may be made for its processes.
    pub may_use_cgroup: bool,
    /// The time that processes get to end before they are killed.
    pub grace: Duration,
}

impl AgentLimits {
    /// Returns the limits that nothing here enforces, as keys of the configuration.
    pub fn unenforced(&self) -> Option<&'static str> {
        let is_enforced =
            self.memory.is_none() || (self.may_use_cgroup && RunCgroup::enforces_memory());
        (!is_enforced).then_some("limits.memory_megabytes")
    }

    /// Makes a control group with these limits, where that is permitted; with those that it enforces.
    pub(super) fn new_cgroup(&self) -> Option<(RunCgroup, CgroupLimits)> {
        let limits = CgroupLimits {
            processes: self.processes.map(Self::hard_processes),
            memory: self.memory,
        };
        self.may_use_cgroup
            .then(|| RunCgroup::create(limits))
            .flatten()
    }

    /// Returns the number of processes and threads that the kernel is asked to allow: the runner ends an agent that
    /// has more than its limit, and the kernel keeps one that is faster than the runner from going on.
    pub fn hard_processes(limit: u32) -> u32 {
        limit.saturating_add(limit / 8).saturating_add(512)
    }
}

impl Default for AgentLimits {
    fn default() -> Self {
        Self {
            run: Some(Duration::from_secs(2 * 60 * 60)),
            idle: Some(Duration::from_secs(30 * 60)),
            output: Some(256 * 1024 * 1024),
            room: LogLimits {
                line: 16 * 1024,
                log: 64 * 1024 * 1024,
            },
            processes: None,
            memory: None,
            may_use_cgroup: true,
            grace: Duration::from_secs(5),
        }
    }
}
