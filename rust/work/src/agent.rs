//! Starts an agent in a process group of its own, reads its output, enforces its limits, and ends
//! its process tree.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::io::Errno;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use super::WorkError;
use super::agent_pipes::AgentPipes;
use super::cancel_token::CancelToken;
use super::connections::RunConnections;
use super::event_program::EventProgram;
use super::folder_observer::FolderObserver;
use super::process::{ProcessIdentity, memory_kills};
use super::process_limit::ProcessLimit;
use super::process_tree::{self, ProcessTree, TreeBond, TreeEnd};
use super::run_cgroup::RunCgroup;
use super::run_log::{LogStream, RunLog};
use super::run_record::{ProcessTreeEntry, RunRecord, UNCERTAIN_END};
use super::run_store::RunStore;
use super::spending::{SpendingLimits, UsageMeter};
use chant_agent_events::{AgentExit, EventFormat, EventReader, FailureCause};
use chant_base::run_variables::MARK;
use chant_confine::Confinement;
use chant_confine::start::{BeforeProgram, ProcessInput, ProcessStart};
use chant_store::disk;

pub use super::agent_job::{AgentInput, AgentJob, AgentLimits, AgentObservers};
pub use super::agent_outcome::{AgentEnding, AgentOutcome};

/// The time to read the rest of the pipes after the agent ended.
const LINGER_TIME: Duration = Duration::from_millis(500);
/// The time that processes get to end by themselves after they closed the pipes.
const EXIT_TIME: Duration = Duration::from_millis(100);
/// The time between two searches for orphans that ended.
const BURIAL: Duration = Duration::from_secs(30);

/// A running agent. When dropped, it is killed with its process group.
pub struct AgentProcess {
    child: Child,
    identity: ProcessIdentity,
    tree: ProcessTree,
    runs: RunStore,
    process_id: String,
    limits: AgentLimits,
    /// True if tokens or money have a limit.
    is_bounded: bool,
    confinement: Confinement,
    pipes: AgentPipes,
    connections: Option<RunConnections>,
    watch: Option<OwnedFd>,
    /// True if the run's record names its process tree.
    is_recorded: bool,
    process_limit: Option<ProcessLimit>,
    /// The system's count of kills for lack of memory when the agent was started.
    memory_kills: u64,
    started: Instant,
    heard: Instant,
    is_over: bool,
}

/// Starts the agent of a run; its output goes to the run's log.
///
/// # Errors
/// `NoAgent`, or a `StoreError` about its input.
pub fn start(
    runs: &RunStore,
    record: &RunRecord,
    job: AgentJob,
    output: RunLog,
) -> Result<AgentProcess, WorkError> {
    let refused = |why: String| WorkError::NoAgent {
        program: job.argv.first().cloned().unwrap_or_default(),
        why,
    };
    if job.argv.is_empty() {
        return Err(refused("its command is empty".into()));
    }
    // The confinement names the folder of the connections, so that folder is created first.
    let connections = match job.connecting.clone() {
        Some(how) => RunConnections::open(how)?,
        None => None,
    };
    let mark = ProcessTree::mark(record);
    let own = [(MARK.into(), (&mark).into())];
    let start = ProcessStart {
        argv: job.argv.iter().map(Into::into).collect(),
        environment: job.environment.iter().cloned().chain(own).collect(),
        mark: Some(MARK),
        folder: &job.folder,
        input: standard_input(&job.input)?,
        output: Stdio::piped(),
        errors: Stdio::piped(),
    };
    let runner = process_tree::runner_here();
    let mut tree = ProcessTree::before_start(mark, ProcessTree::since(record), runner);
    let mut process_limit = None;
    let started = job.confinement.start_prepared(
        start,
        BeforeProgram {
            launcher: job.launcher.as_ref(),
            prepare: &mut |number| {
                process_limit =
                    ProcessLimit::begin(&mut tree, number, &job.confinement, job.limits);
            },
        },
    );
    let mut child = started.map_err(|error| {
        tree.cgroup.iter().for_each(RunCgroup::remove);
        let is_there = job.folder.is_dir();
        let line = format!("{}: {error}", job.argv[0]);
        let hint = job.confinement.hint([line.as_str()]);
        refused(if is_there {
            hint.map_or_else(|| error.to_string(), |hint| format!("{error}; {hint}"))
        } else {
            format!("the folder `{}` is not there", job.folder.display())
        })
    })?;
    let identity = ProcessIdentity::of(child.id());
    let input = match (job.input, child.stdin.take()) {
        (AgentInput::Text(text), Some(pipe)) => Some((pipe, text.into_bytes(), 0)),
        _ => None,
    };
    if let Some((pipe, ..)) = &input {
        // An agent that does not read must not block us from reading its output.
        let _ = fcntl_setfl(pipe, OFlags::NONBLOCK);
    }
    let mut events = EventReader::new(job.plan.format);
    let program = job.plan.program.as_ref().map(EventProgram::start);
    let program = program.and_then(|started| {
        started
            .inspect_err(|error| events.note_failure(&error.to_string()))
            .ok()
    });
    let now = Instant::now();
    Ok(AgentProcess {
        pipes: AgentPipes {
            input,
            out: child.stdout.take().map(Into::into),
            err: child.stderr.take().map(Into::into),
            output,
            // A failed start of the program is news.
            has_news: events.summary().reader_failure().is_some(),
            events,
            program,
            buffer: Vec::new(),
        },
        connections,
        watch: watch(&child),
        child,
        tree,
        is_recorded: false,
        process_limit,
        identity,
        runs: runs.clone(),
        process_id: record.process_id.clone(),
        limits: job.limits,
        is_bounded: job.plan.spending != SpendingLimits::default(),
        confinement: job.confinement,
        memory_kills: memory_kills(),
        started: now,
        heard: now,
        is_over: false,
    })
}

fn standard_input(input: &AgentInput) -> Result<ProcessInput, WorkError> {
    Ok(match input {
        AgentInput::Empty => ProcessInput::Nothing,
        AgentInput::Text(_) => ProcessInput::Pipe,
        AgentInput::File(path) => {
            let (file, _) = disk::open(path, &path.display().to_string())?;
            ProcessInput::File(file.into())
        }
    })
}

impl AgentProcess {
    /// Returns the agent's process, leader of its group.
    pub fn process(&self) -> &ProcessIdentity {
        &self.identity
    }

    /// Returns what the run's record has to say of its process tree, so that a recovery finds it.
    pub(super) fn entry(&mut self) -> ProcessTreeEntry {
        self.is_recorded = true;
        let cgroup = self.tree.cgroup.as_ref();
        ProcessTreeEntry {
            pid: self.identity.pid,
            pid_start: self.identity.pid_start.clone(),
            ends_with_leader: self.tree.bond == TreeBond::Leader,
            is_confined: matches!(self.confinement, Confinement::Kernel(_)),
            cgroup: cgroup.map(|group| group.folder().display().to_string()),
        }
    }

    /// Records its process tree for a run whose record does not name it otherwise.
    ///
    /// # Errors
    /// As [`RunStore::update`].
    pub fn recorded(mut self) -> Result<Self, WorkError> {
        let entry = self.entry();
        self.runs.update(&self.process_id, |record| {
            record.process_tree = Some(entry.clone());
            Ok(())
        })?;
        Ok(self)
    }

    /// Reads the agent's output until it ends or has to be ended; then ends the processes that it
    /// left. It does not wait for pipes that an unknown process keeps open.
    ///
    /// # Errors
    /// `Unending` when processes survive being killed, `System`, or the stop of a test.
    pub fn wait(self, interruption: &CancelToken) -> Result<AgentOutcome, WorkError> {
        self.wait_beside(interruption, AgentObservers::default())
    }

    /// Works as [`AgentProcess::wait`], with other work at the same time.
    ///
    /// # Errors
    /// As [`AgentProcess::wait`].
    pub fn wait_beside(
        mut self,
        interruption: &CancelToken,
        mut beside: AgentObservers<'_>,
    ) -> Result<AgentOutcome, WorkError> {
        let ending = self.listen(interruption, &mut beside)?;
        let duration = self.started.elapsed();
        match ending {
            AgentEnding::Itself => {
                self.linger()?;
                self.wait_for_exits()?;
            }
            AgentEnding::Interrupted => self.pipes.output.note("The runner was asked to end"),
            AgentEnding::Timeout(_) | AgentEnding::Idle(_) => {
                self.pipes.output.note("The agent took longer than it may");
            }
            AgentEnding::Output(_) => self.pipes.output.note("The agent wrote more than it may"),
            AgentEnding::Processes(_) => {
                let note = "The agent had more processes than it may (`limits.processes`)";
                self.pipes.output.note(note);
                // Its thread has the priority to end them.
                self.process_limit.iter_mut().for_each(ProcessLimit::end);
            }
            AgentEnding::Hopeless(cause) => {
                let note = format!("{}; it is ended", cause.sentence());
                self.pipes.output.note(&note);
            }
            AgentEnding::Spent(limit) => {
                let note = format!("The agent used {limit}; it is ended");
                self.pipes.output.note(&note);
            }
        }
        let cgroup = self.tree.cgroup.as_ref();
        let was_limit_of_memory = cgroup.is_some_and(RunCgroup::was_memory_short);
        // What goes on creating processes is not waited for.
        let is_urgent = matches!(ending, AgentEnding::Processes(_));
        let TreeEnd { count, is_certain } = self.end_all(is_urgent)?;
        let left_behind = if ending == AgentEnding::Itself {
            count
        } else {
            0
        };
        if left_behind > 0 {
            let note = format!("Ended {left_behind} processes that the agent left behind");
            self.pipes.output.note(&note);
        }
        self.linger()?;
        // The agent's tools must not change anything while its work is judged.
        if let Some(connections) = self.connections.take() {
            connections.close();
        }
        if !is_certain {
            let note = format!("At the end of the agent {UNCERTAIN_END}");
            self.pipes.output.note(&note);
        }
        if self.is_recorded {
            self.runs.update(&self.process_id, |record| {
                record.note_tree_end(is_certain);
                Ok(())
            })?;
        }
        let status = self.reap();
        self.pipes.finish_events();
        // An agent that ends at once is not listened to between its last words and its end.
        if let Some(meter) = &mut beside.meter {
            meter.note_place(self.pipes.events.summary());
        }
        let (tail, failure) = self.pipes.output.close();
        let said = self.pipes.output.said();
        let refused = self.confinement.hint(tail.iter().map(String::as_str));
        let format = self.pipes.events.format();
        let events = self.pipes.events.summary();
        let events = events.with_texts(|text| self.pipes.output.masked(text));
        // That of a job client says nothing of the agent elsewhere.
        let status = status.filter(|_| format != EventFormat::Placed);
        let exit_code = status.map_or(events.exit_code, |status| status.code());
        let signal = status.and_then(|status| status.signal());
        let exit = AgentExit {
            code: exit_code,
            signal,
            tail: &tail,
            was_memory_short: memory_kills() > self.memory_kills,
        };
        let cause = match ending {
            AgentEnding::Itself if was_limit_of_memory && exit_code != Some(0) => Some((
                FailureCause::MemoryKilled,
                "it reached `limits.memory_megabytes`, by default seven eighths of this machine's memory".to_owned(),
            )),
            AgentEnding::Itself => events.failure(format, &exit),
            AgentEnding::Hopeless(cause) => Some((cause, events.words())),
            AgentEnding::Spent(_) => Some((FailureCause::BudgetReached, String::new())),
            _ => None,
        };
        Ok(AgentOutcome {
            exit_code,
            signal,
            events,
            cause,
            ending,
            duration,
            refused,
            tail,
            said,
            left_behind,
            has_ended_whole: is_certain,
            log_failure: failure.map(|failure| failure.to_string()),
        })
    }

    fn listen(
        &mut self,
        interruption: &CancelToken,
        beside: &mut AgentObservers<'_>,
    ) -> Result<AgentEnding, WorkError> {
        let AgentObservers { looking, meter } = beside;
        let mut burial = Instant::now() + BURIAL;
        loop {
            let limit = self.process_limit.as_ref();
            if let Some(limit) = limit.and_then(ProcessLimit::reached) {
                return Ok(AgentEnding::Processes(limit));
            }
            if self.has_ended()? {
                return Ok(AgentEnding::Itself);
            }
            if interruption.is_cancelled() {
                return Ok(AgentEnding::Interrupted);
            }
            if let Some(ending) = self
                .broken_limit()
                .or_else(|| self.reported_end(meter.as_mut()))
            {
                return Ok(ending);
            }
            if let Some(looking) = looking {
                looking.look_when_due();
            }
            let until_look = looking.as_ref().and_then(FolderObserver::time_left);
            let most = until_look.map_or(self.time_left(), |left| left.min(self.time_left()));
            let looks = looking.as_ref().and_then(FolderObserver::wakes);
            let is_changed = self.turn(most, Some(interruption.wakes_up()), looks)?;
            if let Some(looking) = looking.as_mut().filter(|_| is_changed) {
                looking.notice();
            }
            if Instant::now() > burial {
                self.tree.reap_orphans();
                burial = Instant::now() + BURIAL;
            }
        }
    }

    /// Returns true if the agent itself ended. Its process number is valid until [`AgentProcess::reap`].
    fn has_ended(&self) -> Result<bool, WorkError> {
        has_ended(&self.child).map_err(|source| system("watch the agent", source))
    }

    fn broken_limit(&self) -> Option<AgentEnding> {
        let limits = &self.limits;
        let is_over = |limit: &Duration, since: Instant| since.elapsed() >= *limit;
        let timeout = limits.run.filter(|limit| is_over(limit, self.started));
        let idle = limits
            .idle
            .filter(|limit| is_over(&(*limit + self.told_wait()), self.heard));
        let heard = self.pipes.output.heard();
        let output = limits.output.filter(|limit| heard > *limit);
        timeout
            .map(AgentEnding::Timeout)
            .or(idle.map(AgentEnding::Idle))
            .or(output.map(AgentEnding::Output))
    }

    /// Returns the time for which the agent said that it waits for its provider.
    fn told_wait(&self) -> Duration {
        let wait = self.pipes.events.summary().waits;
        Duration::from_secs(wait.map_or(0, |wait| wait.seconds))
    }

    /// Returns the reason to end the agent, if its new events give one.
    fn reported_end(&mut self, meter: Option<&mut UsageMeter<'_>>) -> Option<AgentEnding> {
        if !std::mem::take(&mut self.pipes.has_news) {
            return None;
        }
        let summary = self.pipes.events.summary();
        let spent = meter.and_then(|meter| meter.note(summary));
        if self.is_bounded && summary.reader_failure().is_some() {
            return Some(AgentEnding::Hopeless(FailureCause::EventsUnread));
        }
        let hopeless = summary.hopeless.filter(|_| !summary.has_final);
        hopeless
            .map(AgentEnding::Hopeless)
            .or(spent.map(AgentEnding::Spent))
    }

    /// Returns the time until the next limit can be broken, or the agent has to be checked.
    fn time_left(&self) -> Duration {
        let left = |limit: Option<Duration>, since: Instant| {
            limit.map(|limit| limit.saturating_sub(since.elapsed()))
        };
        let look = Some(process_tree::LOOK).filter(|_| self.watch.is_none());
        let times = [
            left(self.limits.run, self.started),
            left(
                self.limits.idle.map(|limit| limit + self.told_wait()),
                self.heard,
            ),
            look,
        ];
        times
            .into_iter()
            .flatten()
            .min()
            .unwrap_or(BURIAL)
            .min(BURIAL)
    }

    /// Waits for the next event and reads what arrived; returns true if `looks` is readable.
    fn turn(
        &mut self,
        most: Duration,
        wakes: Option<BorrowedFd<'_>>,
        looks: Option<BorrowedFd<'_>>,
    ) -> Result<bool, WorkError> {
        let pipes = &self.pipes;
        // The watch stays readable after the end, so it would end every wait at once.
        let watch = self.watch.as_ref().filter(|_| wakes.is_some());
        // While the end is awaited, no connection is served either.
        let requests = self.connections.as_ref().filter(|_| wakes.is_some());
        let program = pipes.program.as_ref();
        let sources = [
            (pipes.out.as_ref().map(AsFd::as_fd), PollFlags::IN),
            (pipes.err.as_ref().map(AsFd::as_fd), PollFlags::IN),
            (
                pipes.input.as_ref().map(|(pipe, ..)| pipe.as_fd()),
                PollFlags::OUT,
            ),
            (requests.map(RunConnections::wakes_up), PollFlags::IN),
            (watch.map(AsFd::as_fd), PollFlags::IN),
            (wakes, PollFlags::IN),
            (looks, PollFlags::IN),
            (program.and_then(EventProgram::takes), PollFlags::OUT),
            (program.and_then(EventProgram::gives), PollFlags::IN),
        ];
        let mut polled: Vec<PollFd<'_>> = sources
            .iter()
            .filter_map(|(source, flags)| Some(PollFd::from_borrowed_fd((*source)?, *flags)))
            .collect();
        let timeout = Timespec::try_from(most).ok();
        match poll(&mut polled, timeout.as_ref()) {
            Err(Errno::INTR) => return Ok(false),
            polled => polled.map_err(|source| system("listen to the agent", source))?,
        };
        let mut answers = polled.iter().map(|one| !one.revents().is_empty());
        let [out, err, input, requests, _, _, is_changed, takes, gives] =
            sources.map(|(source, _)| source.is_some() && answers.next().unwrap_or(false));
        for (stream, is_ready) in [(LogStream::Out, out), (LogStream::Err, err)] {
            if is_ready && self.pipes.hear(stream) {
                self.heard = Instant::now();
            }
        }
        if input {
            self.pipes.tell();
        }
        self.pipes.turn_program(takes, gives);
        if let Some(connections) = self.connections.as_mut().filter(|_| requests) {
            connections.hand_on();
        }
        Ok(is_changed)
    }

    /// Reads the rest of the output, for a moment at most.
    fn linger(&mut self) -> Result<(), WorkError> {
        let deadline = Instant::now() + LINGER_TIME;
        while self.pipes.are_open() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            self.turn(left, None, None)?;
        }
        Ok(())
    }

    /// Waits a moment for processes that are about to end: the system closes their pipes before that.
    fn wait_for_exits(&mut self) -> Result<(), WorkError> {
        let deadline = Instant::now() + EXIT_TIME;
        while !self.pipes.are_open() && self.tree.has_living() && Instant::now() < deadline {
            self.turn(EXIT_TIME / 10, None, None)?;
        }
        Ok(())
    }

    /// Ends all processes of the agent and keeps reading their output.
    fn end_all(&mut self, is_urgent: bool) -> Result<TreeEnd, WorkError> {
        let (tree, runs) = (self.tree.clone(), self.runs.clone());
        let process_id = self.process_id.clone();
        let grace = if is_urgent {
            Duration::ZERO
        } else {
            self.limits.grace
        };
        let mut failure = None;
        let count = tree.end(&runs, &process_id, grace, |time| {
            let until = Instant::now() + time;
            while failure.is_none() && Instant::now() < until {
                let left = until.saturating_duration_since(Instant::now());
                failure = self.turn(left, None, None).err();
            }
        })?;
        failure.map_or(Ok(count), Err)
    }

    /// Collects the agent's exit status. Its process number may then belong to another process.
    fn reap(&mut self) -> Option<ExitStatus> {
        self.is_over = true;
        if let Some(limit) = &mut self.process_limit {
            limit.end();
        }
        let status = self.child.wait().ok();
        self.tree.reap_orphans();
        status
    }
}

impl Drop for AgentProcess {
    fn drop(&mut self) {
        if !self.is_over {
            self.tree.kill();
            self.reap();
        }
    }
}

/// Returns true if a process has ended, whose exit status is not collected by that.
pub(super) fn has_ended(child: &Child) -> Result<bool, Errno> {
    let how = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    match waitid(WaitId::Pid(Pid::from_child(child)), how) {
        Err(Errno::INTR) => Ok(false),
        status => Ok(status?.is_some()),
    }
}

/// Returns a descriptor that becomes readable when the agent ends, if the system has one.
#[cfg(target_os = "linux")]
pub(super) fn watch(child: &Child) -> Option<OwnedFd> {
    use rustix::process::{PidfdFlags, pidfd_open};
    pidfd_open(Pid::from_child(child), PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn watch(_child: &Child) -> Option<OwnedFd> {
    None
}

fn system(action: &'static str, source: Errno) -> WorkError {
    WorkError::System {
        action,
        source: source.into(),
    }
}
