//! Runs of agents with real processes: shell scripts as agents, this binary itself as the runner.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests lay out files and start processes themselves, and stop at the first surprise"
)]

mod agents;
mod commands;
mod locks;
mod output;
mod process_tree;
mod records;
mod recovery;
mod runners;
mod states;
mod stopping;

use std::fs;
use std::io::PipeReader;
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use chant_base::error::Error;
use chant_store::disk::{self, Disk};
use chant_store::files::RootFolder;
use chant_store::state::StateFolder;
use chant_work::WorkError;
use chant_work::agent::{AgentInput, AgentJob, AgentLimits, AgentOutcome};
use chant_work::cancel_token::CancelToken;
use chant_work::handshake::{StartHandshake, wait_for_handshake};
use chant_work::lock::SpecLock;
use chant_work::process::{self, ProcessIdentity};
use chant_work::recovery::recover;
use chant_work::run_record::{MergeState, RunRecord, SINGLE};
use chant_work::run_store::RunStore;
use chant_work::runner::{self, ActiveRun, RunEnd, RunSteps};
use chant_work::spending::EventPlan;
use chant_work::state::{RunEvent, RunState};
use jiff::Timestamp;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

const SPEC: &str = "2026-02-02-001-abc";

/// A project without anything, and its runs.
struct Project {
    _folder: TempDir,
    /// What its runs have for the number of a process, so that all tests' runs are distinguished.
    number: u64,
    root: PathBuf,
    runs: RunStore,
}

impl Project {
    fn new() -> Self {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let folder = TempDir::new().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir(root.join(".chant")).unwrap();
        let runs = runs_of(&root, Disk::default());
        let number = u64::from(std::process::id()) * 1000 + COUNTER.fetch_add(1, Ordering::Relaxed);
        Self {
            _folder: folder,
            number,
            root,
            runs,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// What a run wrote into its log; the copy in the project says the same.
    fn log(&self) -> String {
        let path = self.runs.ensure_log(SPEC).unwrap();
        let mut log = String::new();
        // The agent may write between the two readings.
        until(|| {
            log = fs::read_to_string(&path).unwrap_or_default();
            self.read(&format!(".chant/logs/{SPEC}.log")) == log
        });
        log
    }

    /// The file of a record.
    fn record_file(&self, process_id: &str) -> PathBuf {
        let folder = self.runs.ensure_folder().unwrap();
        folder.join(format!("{process_id}.json"))
    }

    /// Writes a record that no run of a test began.
    fn put(&self, name: &str, text: &str) {
        let path = self.record_file(name);
        let _ = fs::remove_file(&path);
        disk::create_owned(&path, text).unwrap();
    }

    /// The file of the lock of the spec.
    fn lock_file(&self) -> PathBuf {
        let state = &self.runs.state;
        let folder = state.ensure(&state.in_project("locks")).unwrap();
        folder.join(format!("{SPEC}.lock"))
    }

    /// A draft of a run that this process would run itself. All tests are one process, so that its
    /// number does not tell their runs apart.
    fn draft(&self) -> RunRecord {
        let mut draft = RunRecord::new(SPEC, SINGLE, ProcessIdentity::own(), Timestamp::now());
        draft.process_id = format!("{SPEC}-{}", self.number);
        draft
    }

    fn begin(&self) -> RunRecord {
        self.runs.create_run(self.draft()).unwrap()
    }

    /// The process number that a script wrote into a file, as soon as it is there.
    fn number(&self, file: &str) -> u32 {
        let mut number = None;
        until(|| {
            number = self
                .read(file)
                .strip_suffix('\n')
                .map(|n| n.parse().unwrap());
            number.is_some()
        });
        number.unwrap()
    }

    fn get(&self, record: &RunRecord) -> RunRecord {
        self.runs.get(&record.process_id).unwrap()
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        // Agents whose runner a test killed, or left alive when it failed.
        let _ = recover(&self.runs);
    }
}

fn runs_of(root: &Path, disk: Disk) -> RunStore {
    let user = crate::own_disk().user_state;
    let root = RootFolder::open(root).unwrap();
    RunStore {
        disk,
        state: StateFolder::of(&root, None, user.as_ref()),
        root,
        clock: Timestamp::now,
    }
}

/// Waits until something is true that only shows on disk or in the process table.
#[track_caller]
fn until(mut is_true: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !is_true() {
        assert!(Instant::now() < deadline, "waited in vain");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn is_alive(pid: u32) -> bool {
    process::facts(pid).is_some_and(|facts| facts.lives())
}

/// A shell script as an agent.
fn script(root: &Path, text: &str) -> AgentJob {
    AgentJob {
        name: "script".into(),
        model: None,
        prompt: "standard".into(),
        argv: vec!["sh".into(), "-c".into(), text.into()],
        environment: vec![("PATH".into(), std::env::var_os("PATH").unwrap())],
        folder: root.to_owned(),
        launcher: None,
        confinement: chant_confine::Confinement::Off,
        input: AgentInput::Empty,
        limits: AgentLimits {
            grace: Duration::from_millis(300),
            ..AgentLimits::default()
        },
        withheld: Vec::new(),
        secrets: Vec::new(),
        connecting: None,
        reads: None,
        plan: EventPlan::default(),
    }
}

/// The steps of a run without specs and branches.
struct Scripted {
    job: AgentJob,
    refusal: Option<String>,
}

impl RunSteps for Scripted {
    fn begin(&mut self, run: &mut ActiveRun<'_>) -> Result<AgentJob, Error> {
        run.update(|record| {
            record.branch = Some(format!("chant/{SPEC}"));
            Ok(())
        })?;
        run.reached("after-branch")?;
        match self.refusal.take() {
            Some(why) => Err(WorkError::Step(why).into()),
            None => Ok(self.job.clone()),
        }
    }

    fn give_up(&mut self, run: &mut ActiveRun<'_>, _why: &str) {
        run.update(|record| {
            record.branch = None;
            Ok(())
        })
        .unwrap();
    }

    fn conclude_run(
        &mut self,
        run: &mut ActiveRun<'_>,
        ended: &AgentOutcome,
    ) -> Result<RunEnd, Error> {
        if !ended.is_success() {
            return Ok(RunEnd::failed(ended.to_string()));
        }
        run.update(|record| {
            record.merge.state = MergeState::Merged;
            record.merge.commit = Some("0123abc".into());
            Ok(())
        })?;
        Ok(RunEnd {
            event: RunEvent::Merge,
            reason: None,
        })
    }
}

/// What a process of this binary is to do instead of testing.
#[derive(Clone, Copy)]
struct Task<'a> {
    /// `run` or `hold`.
    what: &'a str,
    process_id: &'a str,
    script: &'a str,
    /// The moment at which it kills itself, or with a leading `+` waits for a file named `go`.
    moment: &'a str,
    /// Why the steps refuse to begin; empty when they do not.
    refusal: &'a str,
}

impl<'a> Task<'a> {
    fn run(record: &'a RunRecord, script: &'a str) -> Self {
        Self {
            what: "run",
            process_id: &record.process_id,
            script,
            moment: "",
            refusal: "",
        }
    }
}

/// A process of this binary; killed at the end of its test.
struct Other {
    child: Child,
    pipe: PipeReader,
    errors: PathBuf,
}

impl Other {
    fn start(project: &Project, task: Task<'_>) -> Self {
        let (pipe, writes) = std::io::pipe().unwrap();
        let errors = project.path("runner.err");
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args([
                "--exact",
                "runs::as_another_process",
                "--ignored",
                "--nocapture",
            ])
            .env("CHANT_IT_ROOT", &project.root)
            .env("CHANT_IT_WHAT", task.what)
            .env("CHANT_IT_ID", task.process_id)
            .env("CHANT_IT_SCRIPT", task.script)
            .env("CHANT_IT_MOMENT", task.moment)
            .env("CHANT_IT_REFUSAL", task.refusal)
            .env(runner::RUNNER.0, runner::RUNNER.1)
            .process_group(0)
            .stdin(writes)
            .stdout(Stdio::null())
            .stderr(fs::File::create(&errors).unwrap());
        let child = command.spawn().unwrap();
        Self {
            child,
            pipe,
            errors,
        }
    }

    /// A runner that says it is under way.
    #[track_caller]
    fn running(project: &Project, record: &RunRecord, script: &str) -> Self {
        let other = Self::start(project, Task::run(record, script));
        other.handshake().unwrap();
        other
    }

    fn handshake(&self) -> Result<(), String> {
        let bound = Duration::from_secs(30);
        wait_for_handshake(&self.pipe, bound, Some(&self.errors), &mut |_| {})
    }

    fn pid(&self) -> u32 {
        self.child.id()
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    fn ends(&mut self) {
        self.child.wait().unwrap();
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
#[ignore = "other tests start it as a process of its own"]
fn as_another_process() {
    let given = |name: &str| std::env::var(format!("CHANT_IT_{name}")).unwrap();
    let root = PathBuf::from(given("ROOT"));
    let (moment, go) = (given("MOMENT"), root.join("go"));
    let reached = move |now: &'static str| {
        if moment == now {
            kill_process(rustix::process::getpid(), Signal::KILL).unwrap();
        } else if moment.strip_prefix('+') == Some(now) {
            fs::write(go.with_file_name("reached"), now).unwrap();
            until(|| go.exists());
        }
        Ok(())
    };
    let disk = Disk {
        reached: Arc::new(reached),
        ..Disk::default()
    };
    let runs = runs_of(&root, disk);
    let interruption = CancelToken::new().unwrap();
    interruption.listen().unwrap();
    let handshake = StartHandshake::over(std::io::stdin().as_fd().try_clone_to_owned().unwrap());
    if given("WHAT") == "hold" {
        let _lock = SpecLock::acquire(&runs, SPEC).unwrap();
        handshake.ok();
        until(|| interruption.is_cancelled());
        return;
    }
    let mut steps = Scripted {
        job: script(&root, &given("SCRIPT")),
        refusal: Some(given("REFUSAL")).filter(|why| !why.is_empty()),
    };
    let end = runner::run(&runs, &given("ID"), handshake, &interruption, &mut steps);
    let _ = end.map(|state: RunState| fs::write(root.join("ended"), state.as_str()));
}
