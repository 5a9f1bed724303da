//! A program that works beside an agent or a check, such as a database: it is started before them and ended after them.
//!
//! The runner knows it as a program of its own, so the end of an agent leaves it alone. It ends with the process that
//! started it, where a launcher starts it; else a recovery finds it by its mark, which begins with that of its run.

use std::io::{self, PipeReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::WorkError;
use super::agent::has_ended;
use super::agent_job::AgentJob;
use super::process::ProcessIdentity;
use super::process_limit::ProcessLimit;
use super::process_tree::{self, ProcessTree, TreeBond};
use super::run_cgroup::RunCgroup;
use super::run_log::SecretMask;
use super::run_record::{RunRecord, ServiceEntry};
use super::run_store::RunStore;
use chant_base::own_children;
use chant_base::run_variables::MARK;
use chant_confine::start::{BeforeProgram, ProcessInput, ProcessStart};
use chant_store::disk::{AppendFile, Disk};

/// The greatest number of bytes of a service's log.
const MAX_LOG: usize = 8 * 1024 * 1024;
/// The time to write the rest of the log after a service ended.
const LINGER_TIME: Duration = Duration::from_millis(500);
/// The sign between the mark of a run and the name of a service of it.
pub(super) const OF_RUN: char = '/';
/// The number of bytes that are read at once.
const CHUNK_SIZE: usize = 16 * 1024;

/// A running service. When dropped, it is ended.
pub struct ServiceProcess {
    name: String,
    child: Child,
    tree: ProcessTree,
    process_limit: Option<ProcessLimit>,
    runs: RunStore,
    grace: Duration,
    log: PathBuf,
    mask: SecretMask,
    writer: Option<JoinHandle<()>>,
    is_stopped: bool,
}

impl ServiceProcess {
    /// Starts a service of a run; its output goes to a file, up to a limit.
    ///
    /// # Errors
    /// `NoAgent` with the reason, or a `StoreError` about its log.
    pub fn start(
        runs: &RunStore,
        record: &RunRecord,
        job: AgentJob,
        log: &Path,
    ) -> Result<Self, WorkError> {
        let failed = |why: String| WorkError::NoAgent {
            program: job.argv.first().cloned().unwrap_or_default(),
            why,
        };
        let mask = SecretMask::new(&job.secrets)?;
        let file = AppendFile::open_owned(log)?;
        let (output, written) = io::pipe().map_err(|error| failed(error.to_string()))?;
        let errors = written
            .try_clone()
            .map_err(|error| failed(error.to_string()))?;
        let mark = format!("{}{OF_RUN}{}", ProcessTree::mark(record), job.name);
        let environment = job.environment.iter().cloned();
        let start = ProcessStart {
            argv: job.argv.iter().map(Into::into).collect(),
            environment: environment.chain([(MARK.into(), (&mark).into())]).collect(),
            mark: Some(MARK),
            folder: &job.folder,
            input: ProcessInput::Nothing,
            output: Stdio::from(written),
            errors: Stdio::from(errors),
        };
        // The runner has other programs, too.
        let mut tree = ProcessTree::before_start(mark, 0, None);
        let (mut process_limit, confinement) = (None, &job.confinement);
        let before = BeforeProgram {
            launcher: job.launcher.as_ref(),
            prepare: &mut |number| {
                process_limit = ProcessLimit::begin(&mut tree, number, confinement, job.limits);
            },
        };
        let start = || confinement.start_prepared(start, before);
        let child = own_children::start_noted(false, start, Child::id).map_err(|error| {
            tree.cgroup.iter().for_each(RunCgroup::remove);
            failed(error.to_string())
        })?;
        let leader = tree.leader.as_ref();
        tree.since = leader.map_or(0, ProcessIdentity::start_ticks);
        Ok(Self {
            writer: Some(std::thread::spawn(move || write_log(output, file))),
            name: job.name,
            child,
            tree,
            process_limit,
            runs: runs.clone(),
            grace: job.limits.grace,
            log: log.to_owned(),
            mask,
            is_stopped: false,
        })
    }

    /// Returns the mark of a program of ours that services of a run need.
    pub fn mark_of(record: &RunRecord) -> String {
        format!("{}{OF_RUN}", ProcessTree::mark(record))
    }

    /// Returns what a record has to say of it, so that a recovery finds it.
    pub fn entry(&self) -> ServiceEntry {
        let leader = self.tree.leader.as_ref();
        ServiceEntry {
            name: self.name.clone(),
            pid: self.child.id(),
            pid_start: leader.and_then(|leader| leader.pid_start.clone()),
            ends_with_leader: self.tree.bond == TreeBond::Leader,
            log: self.log.display().to_string(),
        }
    }

    /// Returns how it ended, if it ended; its exit status is then collected.
    ///
    /// # Errors
    /// `System`.
    pub fn ended(&mut self) -> Result<Option<String>, WorkError> {
        let failed = |source| WorkError::System {
            action: "watch a service",
            source,
        };
        if !has_ended(&self.child).map_err(|error| failed(error.into()))? {
            return Ok(None);
        }
        self.process_limit.iter_mut().for_each(ProcessLimit::end);
        let status = self.child.wait().map_err(failed)?;
        self.note_reaped();
        Ok(Some(status.to_string()))
    }

    /// Returns the last lines that it wrote, secrets masked.
    pub fn last_lines(&self, count: usize) -> Vec<String> {
        let text = Disk::default()
            .read_text(&self.log, "the log of a service")
            .map(|(text, _)| text)
            .unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        let first = lines.len().saturating_sub(count);
        lines[first..]
            .iter()
            .map(|line| self.mask.apply(line))
            .collect()
    }

    /// Ends it and all that it started: asks it to, and kills it after a while.
    ///
    /// # Errors
    /// `Unending`, or the stop of a test.
    pub fn stop(mut self) -> Result<(), WorkError> {
        self.end(self.grace)
    }

    fn end(&mut self, grace: Duration) -> Result<(), WorkError> {
        self.is_stopped = true;
        let ended = self
            .tree
            .end(&self.runs, &self.name, grace, process_tree::sleep_for);
        if self.tree.is_held {
            self.process_limit.iter_mut().for_each(ProcessLimit::end);
            let _ = self.child.kill();
            let _ = self.child.wait();
            self.note_reaped();
        }
        ended.map(drop)
    }

    /// Notes that its exit status was collected: another process may get its number.
    fn note_reaped(&mut self) {
        self.tree.is_held = false;
        own_children::forget(self.child.id());
        let Some(writer) = self.writer.take() else {
            return;
        };
        let limit = self.process_limit.as_ref();
        if let Some(limit) = limit.and_then(ProcessLimit::reached) {
            let why = format!(
                "\nThe service had more than {limit} processes and threads at once, which is the limit `limits.processes`\n"
            );
            // It may have no log any more.
            let _ = AppendFile::open_owned(&self.log).map(|mut log| log.add(why.as_bytes()));
        }
        // A process that is not found could keep the pipe open.
        let until = Instant::now() + LINGER_TIME;
        while !writer.is_finished() && Instant::now() < until {
            process_tree::sleep_for(process_tree::LOOK);
        }
    }
}

impl Drop for ServiceProcess {
    fn drop(&mut self) {
        if !self.is_stopped {
            // Nobody is there to hear of it.
            let _ = self.end(Duration::ZERO);
        }
    }
}

/// Writes what a service says into its log, and reads on where that is full: a full pipe would stop the service.
fn write_log(mut output: PipeReader, mut log: AppendFile) {
    let mut chunk = [0; CHUNK_SIZE];
    let mut left = MAX_LOG;
    loop {
        match output.read(&mut chunk) {
            Ok(0) => return,
            Ok(count) if left > 0 => {
                let kept = count.min(left);
                left -= kept;
                if log.add(&chunk[..kept]).is_err() {
                    left = 0;
                }
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}
