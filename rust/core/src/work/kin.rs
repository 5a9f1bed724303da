//! The processes of an agent: found wherever they went, and ended.
//!
//! An agent has a process group of its own. What left that group is known by the variable of the
//! environment that the agent was started with, by its parents, and, where the runner takes in
//! orphans, by having become the runner's child.

use std::time::{Duration, Instant};

use rustix::event::{Timespec, poll};
use rustix::process::{
    Pid, Signal, WaitOptions, kill_process, kill_process_group, test_kill_process_group, waitpid,
};

use super::process::{self, Facts, Identity};
use super::record::Record;
use super::records::Runs;
use super::{MARK, WorkError};

/// How long processes whose runner is gone may take to end, before they are killed.
pub(super) const GRACE: Duration = Duration::from_secs(2);
/// How long processes that were killed are waited for.
const DYING: Duration = Duration::from_secs(5);
/// How often processes that cannot be waited for otherwise are looked at.
pub(super) const LOOK: Duration = Duration::from_millis(20);
/// How often processes are looked at when some go meanwhile.
const LOOKS: usize = 5;

/// Which processes belong to an agent.
#[derive(Clone)]
pub(super) struct Kin {
    /// The value of [`MARK`] they were started with.
    pub(super) mark: String,
    /// No process that started before these ticks is one of them.
    pub(super) since: u64,
    /// The agent, leader of its group; `None` when it may not have been started.
    pub(super) leader: Option<Identity>,
    /// Whether the leader's number cannot have gone to another process: we did not ask how it ended.
    pub(super) is_held: bool,
    /// The runner, whose children outside its own group are the agent or orphans it took in.
    pub(super) runner: Option<u32>,
}

impl Kin {
    /// The mark of the run that a record tells of: no two on a machine have the same.
    pub(super) fn mark(record: &Record) -> String {
        let start = record.pid_start.as_deref().unwrap_or("-");
        format!("{}@{}.{start}", record.process_id, record.pid)
    }

    /// When the runner that a record names started, in ticks.
    pub(super) fn since(record: &Record) -> u64 {
        let start = record.pid_start.as_deref();
        start.and_then(|start| start.parse().ok()).unwrap_or(0)
    }

    /// Those of a run whose runner is gone.
    pub(super) fn left_by(record: &Record) -> Self {
        Self {
            mark: Self::mark(record),
            since: Self::since(record),
            leader: record.agent_process(),
            is_held: false,
            runner: None,
        }
    }

    /// Those of a run whose runner lives and is not this process.
    pub(super) fn of(record: &Record) -> Self {
        Self {
            runner: Some(record.pid),
            ..Self::left_by(record)
        }
    }

    /// All that live, this process excepted.
    ///
    /// One that goes on as its own child while we look is perhaps seen in neither; but then one is
    /// seen to go, and we look again.
    fn living(&self) -> Vec<Facts> {
        for _ in 0..LOOKS {
            let (found, is_sure) = self.seen();
            if is_sure || !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// All that are seen to live, and whether there cannot be others.
    fn seen(&self) -> (Vec<Facts>, bool) {
        let own = std::process::id();
        let group = self.group();
        let below = self.below();
        let is_below = |one: &Facts| {
            below.is_some_and(|runner| one.parent == runner.pid && one.group != runner.group)
        };
        let (mut found, mut others) = (Vec::<Facts>::new(), Vec::new());
        let known = [Some(own), self.runner];
        let leader = self.leader.as_ref().map(|leader| leader.pid);
        let (all, mut has_gone) = process::all();
        for one in all {
            if known.contains(&Some(one.pid)) || one.start < self.since {
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
        // Who cleared its environment is known by its parent.
        while let Some(at) = others
            .iter()
            .position(|one| found.iter().any(|parent| parent.pid == one.parent))
        {
            found.push(others.swap_remove(at));
        }
        (found, !has_gone)
    }

    fn below(&self) -> Option<Facts> {
        self.runner.and_then(process::facts)
    }

    /// The number of the agent's process group, if it is certainly still that, and not our own.
    fn group(&self) -> Option<u32> {
        let leader = self.leader.as_ref()?;
        let own = process::facts(std::process::id()).map(|facts| facts.group);
        let is_its = self.is_held || leader.is_proven();
        (is_its && own != Some(leader.pid)).then_some(leader.pid)
    }

    /// A process that has not ended, if any has not.
    fn left(&self) -> Option<u32> {
        if cfg!(target_os = "linux") {
            return self.living().first().map(|one| one.pid);
        }
        let group = self.group()?;
        test_kill_process_group(number(group)?).ok().map(|()| group)
    }

    /// Signals all that live; gives how many they are.
    pub(super) fn signal(&self, signal: Signal) -> usize {
        let living = self.living();
        let group = self.group();
        if let Some(group) = group.and_then(number) {
            // An empty group is as good as one that ended.
            let _ = kill_process_group(group, signal);
        }
        for one in living.iter().filter(|one| Some(one.group) != group) {
            signal_one(one, signal);
        }
        living.len()
    }

    /// Ends all that live: asks them to, waits `grace`, kills. `wait` lets that much time pass, or
    /// less. Gives how many there were.
    ///
    /// # Errors
    /// `Unending`, or what stops a test.
    pub(super) fn end(
        &self,
        runs: &Runs,
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
        // Who was halted has to go on to end.
        self.signal(Signal::CONT);
        runs.reached("after-term")?;
        if left_after(grace, None).is_some() {
            runs.reached("before-kill")?;
            self.signal(Signal::KILL);
            runs.reached("after-kill")?;
            // Again and again: a child may be born between the look and the signal.
            if let Some(pid) = left_after(DYING, Some(Signal::KILL)) {
                return Err(WorkError::Unending {
                    process_id: process_id.to_owned(),
                    pid,
                });
            }
        }
        Ok(count)
    }

    /// Takes note of orphans that this process took in and that ended, so that they do not stay as
    /// zombies.
    pub(super) fn bury(&self) {
        let Some(own) = self.below() else { return };
        let leader = self.leader.as_ref().map(|leader| leader.pid);
        let is_ours = |one: &Facts| {
            one.is_zombie
                && one.parent == own.pid
                && one.group != own.group
                && Some(one.pid) != leader
        };
        for one in process::all().0.into_iter().filter(is_ours) {
            // Somebody else may have asked already.
            let _ = number(one.pid).map(|pid| waitpid(Some(pid), WaitOptions::NOHANG));
        }
    }
}

/// Signals a process that was seen, and no other that has its number by now.
#[cfg(target_os = "linux")]
fn signal_one(one: &Facts, signal: Signal) {
    use rustix::process::{PidfdFlags, pidfd_open, pidfd_send_signal};
    let is_same = || process::facts(one.pid).is_some_and(|now| now.start == one.start);
    let Some(pid) = number(one.pid) else { return };
    // A process that ended meanwhile is what is wanted.
    let _ = match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(process) if is_same() => pidfd_send_signal(process, signal),
        Err(rustix::io::Errno::NOSYS) if is_same() => kill_process(pid, signal),
        _ => Ok(()),
    };
}

#[cfg(not(target_os = "linux"))]
fn signal_one(one: &Facts, signal: Signal) {
    // A process that ended meanwhile is what is wanted.
    let _ = number(one.pid).map(|pid| kill_process(pid, signal));
}

/// Lets time pass.
pub(super) fn pass(time: Duration) {
    let time = Timespec::try_from(time).ok();
    // A signal that cuts it short is as good.
    let _ = poll(&mut [], time.as_ref());
}

/// Waits until a process that may not be our child ends, at most so long, and perhaps less.
#[cfg(target_os = "linux")]
pub(super) fn wait_for(process: &Identity, most: Duration) {
    use rustix::event::{PollFd, PollFlags};
    use rustix::process::{PidfdFlags, pidfd_open};
    let watch = number(process.pid).map(|pid| pidfd_open(pid, PidfdFlags::empty()));
    match watch {
        Some(Ok(watch)) if process.is_alive() => {
            let time = Timespec::try_from(most).ok();
            // Whatever happened, the caller looks.
            let _ = poll(&mut [PollFd::new(&watch, PollFlags::IN)], time.as_ref());
        }
        _ => pass(most.min(LOOK)),
    }
}

/// Waits until a process that may not be our child ends, at most so long, and perhaps less.
#[cfg(not(target_os = "linux"))]
pub(super) fn wait_for(_process: &Identity, most: Duration) {
    pass(most.min(LOOK));
}

/// A process number as the system takes it; never one that means a group or everybody.
pub(super) fn number(pid: u32) -> Option<Pid> {
    i32::try_from(pid)
        .ok()
        .filter(|pid| *pid > 1)
        .and_then(Pid::from_raw)
}
