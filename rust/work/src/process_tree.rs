//! The process tree of an agent: finds its processes wherever they went, and ends them.
//!
//! An agent has a process group of its own. Processes that left the group are recognised by an
//! environment variable that the agent was started with, by their parents, and, if the runner takes
//! in orphans, by having become the runner's children.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use rustix::event::{Timespec, poll};
use rustix::process::{
    Pid, Signal, WaitOptions, kill_process, kill_process_group, test_kill_process_group, waitpid,
};

use super::WorkError;
use super::process::{self, ProcessFacts, ProcessIdentity};
use super::run_record::RunRecord;
use super::run_store::RunStore;
use chant_base::limited_calls;
use chant_base::run_variables::MARK;

/// The time that processes without a runner get to end before they are killed.
pub(super) const GRACE: Duration = Duration::from_secs(2);
/// The time to wait for processes that were killed.
const DYING: Duration = Duration::from_secs(5);
/// The time between two checks of processes that cannot be waited for otherwise.
pub(super) const LOOK: Duration = Duration::from_millis(20);
/// The number of listings of all processes if some end meanwhile.
const LOOKS: usize = 5;

/// The features by which an agent's processes are recognised.
#[derive(Clone)]
pub(super) struct ProcessTree {
    /// The value of [`MARK`] with which they were started.
    pub(super) mark: String,
    /// The earliest start in ticks: no process that started before is one of them.
    pub(super) since: u64,
    /// The agent, leader of its group; `None` if it may not have been started.
    pub(super) leader: Option<ProcessIdentity>,
    /// True if the leader's number cannot belong to another process, because its exit status was
    /// not collected.
    pub(super) is_held: bool,
    /// The runner, whose children outside its own group are the agent or orphans that it took in.
    pub(super) runner: Option<u32>,
}

impl ProcessTree {
    /// Returns the mark of the run in a record, which is unique on a machine.
    pub(super) fn mark(record: &RunRecord) -> String {
        let start = record.pid_start.as_deref().unwrap_or("-");
        format!("{}@{}.{start}", record.process_id, record.pid)
    }

    /// Returns the start of the runner that a record names, in ticks.
    pub(super) fn since(record: &RunRecord) -> u64 {
        let start = record.pid_start.as_deref();
        start.and_then(|start| start.parse().ok()).unwrap_or(0)
    }

    /// Returns the process tree of a run whose runner is gone.
    pub(super) fn left_by(record: &RunRecord) -> Self {
        Self {
            mark: Self::mark(record),
            since: Self::since(record),
            leader: record.agent_process(),
            is_held: false,
            runner: None,
        }
    }

    /// Returns the process tree of a run whose runner lives and is another process.
    pub(super) fn of(record: &RunRecord) -> Self {
        Self {
            runner: Some(record.pid),
            ..Self::left_by(record)
        }
    }

    /// Returns all living processes except this one.
    ///
    /// A process that continues as its own child during the listing may be missed in both; but then
    /// a process is seen to end, and the listing is repeated.
    fn living(&self) -> Vec<ProcessFacts> {
        for _ in 0..LOOKS {
            let (found, is_sure) = self.seen();
            if is_sure || !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// Returns the living processes that were found, and true if there cannot be others.
    fn seen(&self) -> (Vec<ProcessFacts>, bool) {
        let own = std::process::id();
        let group = self.group();
        let below = self.below();
        let is_below = |one: &ProcessFacts| {
            below.is_some_and(|runner| one.parent == runner.pid && one.group != runner.group)
        };
        let (mut found, mut others) = (Vec::<ProcessFacts>::new(), Vec::new());
        let known = [Some(own), self.runner];
        let leader = self.leader.as_ref().map(|leader| leader.pid);
        let (all, mut has_gone) = process::all();
        let calls = own_calls(&all);
        for one in all {
            if calls.contains(&one.pid) || known.contains(&Some(one.pid)) || one.start < self.since
            {
                continue;
            }
            if !one.lives() {
                has_gone |= Some(one.pid) != leader;
                continue;
            }
            match process::variable(one.pid, MARK) {
                Some(mark) if mark == self.mark => found.push(one),
                // A run that the agent started goes on without it.
                Some(_) => {}
                None if Some(one.group) == group || is_below(&one) => found.push(one),
                None => others.push(one),
            }
        }
        // A process that cleared its environment is recognised by its parent.
        while let Some(at) = others
            .iter()
            .position(|one| found.iter().any(|parent| parent.pid == one.parent))
        {
            found.push(others.swap_remove(at));
        }
        (found, !has_gone)
    }

    fn below(&self) -> Option<ProcessFacts> {
        self.runner.and_then(process::facts)
    }

    /// Returns the number of the agent's process group if it certainly still belongs to the agent,
    /// and is not our own.
    fn group(&self) -> Option<u32> {
        let leader = self.leader.as_ref()?;
        let own = process::facts(std::process::id()).map(|facts| facts.group);
        let is_its = self.is_held || leader.is_proven();
        (is_its && own != Some(leader.pid)).then_some(leader.pid)
    }

    /// Returns a process that has not ended, if there is one.
    fn left(&self) -> Option<u32> {
        if cfg!(target_os = "linux") {
            return self.living().first().map(|one| one.pid);
        }
        let group = self.group()?;
        test_kill_process_group(number(group)?).ok().map(|()| group)
    }

    /// Signals all living processes; returns their number.
    pub(super) fn signal(&self, signal: Signal) -> usize {
        let living = self.living();
        let group = self.group();
        if let Some(group) = group.and_then(number) {
            // An empty group counts as ended.
            let _ = kill_process_group(group, signal);
        }
        for one in living.iter().filter(|one| Some(one.group) != group) {
            signal_one(one, signal);
        }
        living.len()
    }

    /// Ends all living processes: signals them, waits `grace`, kills them. `wait` lets that much
    /// time pass, or less. Returns their number.
    ///
    /// # Errors
    /// `Unending`, or the stop of a test.
    pub(super) fn end(
        &self,
        runs: &RunStore,
        process_id: &str,
        grace: Duration,
        mut wait: impl FnMut(Duration),
    ) -> Result<usize, WorkError> {
        if self.left().is_none() {
            return Ok(0);
        }
        let mut left_after = |bound: Duration, again: Option<Signal>| {
            let deadline = Instant::now() + bound;
            loop {
                let left = self.left();
                if left.is_none() || Instant::now() >= deadline {
                    return left;
                }
                wait(LOOK);
                again.map(|signal| self.signal(signal));
            }
        };
        runs.reached("before-term")?;
        let count = self.signal(Signal::TERM);
        // A stopped process has to continue in order to end.
        self.signal(Signal::CONT);
        runs.reached("after-term")?;
        if left_after(grace, None).is_some() {
            runs.reached("before-kill")?;
            self.signal(Signal::KILL);
            runs.reached("after-kill")?;
            // Repeated: a child may be created between the listing and the signal.
            if let Some(pid) = left_after(DYING, Some(Signal::KILL)) {
                return Err(WorkError::Unending {
                    process_id: process_id.to_owned(),
                    pid,
                });
            }
        }
        Ok(count)
    }

    /// Collects orphans that this process took in and that ended, so that they do not stay zombies.
    pub(super) fn reap_orphans(&self) {
        let Some(own) = self.below() else { return };
        let leader = self.leader.as_ref().map(|leader| leader.pid);
        let (all, _) = process::all();
        let calls = own_calls(&all);
        let is_ours = |one: &&ProcessFacts| {
            one.is_zombie
                && !calls.contains(&one.pid)
                && one.parent == own.pid
                && one.group != own.group
                && Some(one.pid) != leader
        };
        for one in all.iter().filter(is_ours) {
            // Another thread may have collected it already.
            let _ = number(one.pid).map(|pid| waitpid(Some(pid), WaitOptions::NOHANG));
        }
    }
}

/// Returns the processes of calls that this process makes itself, with all that these started: an agent cannot
/// choose its parent.
fn own_calls(all: &[ProcessFacts]) -> HashSet<u32> {
    let mut calls: HashSet<u32> = limited_calls::running().into_iter().collect();
    while !calls.is_empty() {
        let count = calls.len();
        let below = all.iter().filter(|one| calls.contains(&one.parent));
        let below: Vec<u32> = below.map(|one| one.pid).collect();
        calls.extend(below);
        if calls.len() == count {
            break;
        }
    }
    calls
}

/// Signals a process that was found, but no other one that has its number by now.
#[cfg(target_os = "linux")]
fn signal_one(one: &ProcessFacts, signal: Signal) {
    use rustix::process::{PidfdFlags, pidfd_open, pidfd_send_signal};
    let is_same = || process::facts(one.pid).is_some_and(|now| now.start == one.start);
    let Some(pid) = number(one.pid) else { return };
    // The process may have ended meanwhile, which is the purpose.
    let _ = match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(process) if is_same() => pidfd_send_signal(process, signal),
        Err(rustix::io::Errno::NOSYS) if is_same() => kill_process(pid, signal),
        _ => Ok(()),
    };
}

#[cfg(not(target_os = "linux"))]
fn signal_one(one: &ProcessFacts, signal: Signal) {
    // The process may have ended meanwhile, which is the purpose.
    let _ = number(one.pid).map(|pid| kill_process(pid, signal));
}

/// Waits for some time.
pub(super) fn sleep_for(time: Duration) {
    let time = Timespec::try_from(time).ok();
    // A signal may shorten the wait, which does no harm.
    let _ = poll(&mut [], time.as_ref());
}

/// Waits until a process that may not be our child ends, at most this long, and perhaps less.
#[cfg(target_os = "linux")]
pub(super) fn wait_for(process: &ProcessIdentity, most: Duration) {
    use rustix::event::{PollFd, PollFlags};
    use rustix::process::{PidfdFlags, pidfd_open};
    let watch = number(process.pid).map(|pid| pidfd_open(pid, PidfdFlags::empty()));
    match watch {
        Some(Ok(watch)) if process.is_alive() => {
            let time = Timespec::try_from(most).ok();
            // After any result, the caller checks the process again.
            let _ = poll(&mut [PollFd::new(&watch, PollFlags::IN)], time.as_ref());
        }
        _ => sleep_for(most.min(LOOK)),
    }
}

/// Waits until a process that may not be our child ends, at most this long, and perhaps less.
#[cfg(not(target_os = "linux"))]
pub(super) fn wait_for(_process: &ProcessIdentity, most: Duration) {
    sleep_for(most.min(LOOK));
}

/// Returns a process number for a system call; never one that means a group or all processes.
pub(super) fn number(pid: u32) -> Option<Pid> {
    i32::try_from(pid)
        .ok()
        .filter(|pid| *pid > 1)
        .and_then(Pid::from_raw)
}
