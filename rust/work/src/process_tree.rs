//! The process tree of an agent: finds its processes wherever they went, and ends them.
//!
//! An agent cannot change by what a process is counted among those of its run. While its runner lives, that is the parent
//! relation: the runner takes in orphans, so all of its descendants are the run's, but not the programs that it
//! starts for itself. Beyond the runner's life it is a namespace of processes, which ends with its first process, or
//! a control group. Process group and environment are the agent's own choice: they add processes, and never take
//! one away. A run that an agent starts ends with it.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{Timespec, poll};
use rustix::process::{
    Pid, Signal, WaitOptions, kill_process, kill_process_group, setpriority_pgrp,
    setpriority_process, test_kill_process_group, waitpid,
};

use super::WorkError;
use super::process::{self, ProcessFacts, ProcessIdentity};
use super::run_cgroup::{CgroupLimits, RunCgroup};
use super::run_record::RunRecord;
use super::run_store::RunStore;
use super::service::OF_RUN;
use chant_base::own_children;
use chant_base::run_variables::MARK;
use chant_confine::Confinement;

/// The time that processes without a runner get to end before they are killed.
pub(super) const GRACE: Duration = Duration::from_secs(2);
/// The time to wait for processes that were killed.
const DYING: Duration = Duration::from_secs(5);
/// The time between two checks of processes that cannot be waited for otherwise.
pub(super) const LOOK: Duration = Duration::from_millis(20);
/// The number of listings of all processes if some end meanwhile.
const MAX_POLLS: usize = 5;
/// The number of listings to stop processes that go on creating others, before they are killed.
const STOPS: usize = 20;
/// The number of looks at a runner's children in a row, while they end.
const CHILD_LOOKS: usize = 1000;

/// True if this process is a runner that takes in orphans.
static TAKES_IN: AtomicBool = AtomicBool::new(false);

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
    /// The runner, which lives and takes in orphans.
    pub(super) runner: Option<u32>,
    /// The control group of the run.
    pub(super) cgroup: Option<RunCgroup>,
    /// The bond that keeps the processes together beyond the life of the runner.
    pub(super) bond: TreeBond,
    /// The first processes of services of the run, with true if all that one started ends with it.
    pub(super) services: Vec<(ProcessIdentity, bool)>,
    /// True if services of the run belong to it; they do not belong to its agent.
    pub(super) has_services: bool,
}

/// The bond that keeps the processes of a run together beyond the life of its runner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TreeBond {
    /// Nothing that an agent cannot undo.
    Nothing,
    /// The tree ends with its leader.
    Leader,
    /// The control group, which its processes cannot leave.
    Cgroup,
    /// There is nothing to keep together: the runner has seen the tree end.
    Ended,
}

impl TreeBond {
    /// Returns the bond of processes that are confined, and in a control group if there is one.
    pub(super) fn of(confinement: &Confinement, cgroup: Option<&RunCgroup>) -> Self {
        match confinement {
            _ if confinement.ends_with_its_first_process() => Self::Leader,
            Confinement::Kernel(_) if cgroup.is_some() => Self::Cgroup,
            _ => Self::Nothing,
        }
    }
}

/// The end of a process tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TreeEnd {
    /// The number of processes that were still running.
    pub(super) count: usize,
    /// True if no process can be left, by what an agent cannot change.
    pub(super) is_certain: bool,
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

    /// Returns the process tree of what is about to be started.
    pub(super) fn before_start(mark: String, since: u64, runner: Option<u32>) -> Self {
        Self {
            mark,
            since,
            leader: None,
            is_held: true,
            runner,
            cgroup: None,
            bond: TreeBond::Nothing,
            services: Vec::new(),
            has_services: false,
        }
    }

    /// Begins with its first process, which is moved to the control group of the run, where there is one. Returns the
    /// limits that the group enforces.
    pub(super) fn begin(
        &mut self,
        pid: u32,
        confinement: &Confinement,
        group: Option<(RunCgroup, CgroupLimits)>,
    ) -> CgroupLimits {
        let (cgroup, enforced) = group.filter(|(group, _)| group.add(pid)).unzip();
        self.leader = Some(ProcessIdentity::of(pid));
        self.bond = TreeBond::of(confinement, cgroup.as_ref());
        self.cgroup = cgroup;
        enforced.unwrap_or_default()
    }

    /// Returns the process tree of a run whose runner is gone.
    pub(super) fn left_by(record: &RunRecord) -> Self {
        let cgroup = RunCgroup::of_record(record);
        Self {
            mark: Self::mark(record),
            since: Self::since(record),
            leader: record.tree_leader(),
            is_held: false,
            runner: None,
            bond: match &record.process_tree {
                None => TreeBond::Ended,
                Some(tree) if tree.ends_with_leader => TreeBond::Leader,
                Some(tree) if tree.is_confined && cgroup.is_some() => TreeBond::Cgroup,
                Some(_) => TreeBond::Nothing,
            },
            cgroup,
            services: record.service_leaders(),
            has_services: true,
        }
    }

    /// Returns the process tree of a run whose runner lives and is another process.
    pub(super) fn of(record: &RunRecord) -> Self {
        Self {
            runner: Some(record.pid).filter(|_| record.has_agent()),
            ..Self::left_by(record)
        }
    }

    /// Returns all living processes except this one.
    ///
    /// A process that continues as its own child during the listing may be missed in both; but then
    /// a process is seen to end, and the listing is repeated.
    fn living(&self) -> Vec<ProcessFacts> {
        for _ in 0..MAX_POLLS {
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
        let mut kept = self.kept();
        let (all, mut has_gone) = process::all();
        kept.extend(self.kept());
        let children = children_of(&all);
        let kept = below(&children, kept);
        let leader = self.leader.as_ref().map(|leader| leader.pid);
        let members = self.cgroup.as_ref().map(RunCgroup::members);
        let mut roots: HashSet<u32> = self
            .runner
            .into_iter()
            .chain(members.into_iter().flatten())
            .collect();
        let group = self.group();
        roots.extend(group);
        let services = self.services.iter();
        let services = services.filter(|(leader, _)| leader.is_proven());
        roots.extend(services.map(|(leader, _)| leader.pid));
        // While the runner lives, all are its descendants.
        let has_unknown = self.runner.is_none();
        for one in all
            .iter()
            .filter(|one| has_unknown && one.start >= self.since)
        {
            // The calls that a dead runner made have its mark, too.
            let is_marked =
                || process::variable(one.pid, MARK).is_some_and(|mark| self.has_mark(&mark));
            if Some(one.group) == group || (!kept.contains(&one.pid) && is_marked()) {
                roots.insert(one.pid);
            }
        }
        let family = below(&children, roots);
        let mut found = Vec::new();
        for one in all {
            let is_other = one.pid == own || Some(one.pid) == self.runner || one.start < self.since;
            if is_other || kept.contains(&one.pid) {
                continue;
            }
            if !one.lives() {
                has_gone |= Some(one.pid) != leader;
            } else if family.contains(&one.pid) {
                found.push(one);
            }
        }
        (found, !has_gone)
    }

    /// Returns true if a process with this mark belongs to the tree.
    fn has_mark(&self, mark: &str) -> bool {
        let rest = mark.strip_prefix(&self.mark);
        rest.is_some_and(|rest| rest.is_empty() || self.has_services && rest.starts_with(OF_RUN))
    }

    /// Returns the programs that this process started for itself, if it is the runner.
    fn kept(&self) -> HashSet<u32> {
        let is_own = self.runner == Some(std::process::id());
        let running = is_own.then(own_children::running);
        running.into_iter().flatten().collect()
    }

    /// Returns the number of the agent's process group if it certainly still belongs to the agent,
    /// and is not our own.
    fn group(&self) -> Option<u32> {
        let leader = self.leader.as_ref()?;
        let own = process::facts(std::process::id()).map(|facts| facts.group);
        let is_its = self.is_held || leader.is_proven();
        (is_its && own != Some(leader.pid)).then_some(leader.pid)
    }

    /// Returns true if there are more processes and threads than `most`.
    ///
    /// Where no group counts them and they seem to be too many, those of the leader's group stand still meanwhile:
    /// thousands that create others leave this process too little of the processor to count them.
    pub(super) fn exceeds(&self, most: usize, seems_to: bool) -> bool {
        if let Some(count) = self.cgroup.as_ref().and_then(RunCgroup::size) {
            return count > most;
        }
        let group = self.group().and_then(number).filter(|_| seems_to);
        // An empty group counts as ended.
        let signal = |signal| group.map(|group| kill_process_group(group, signal));
        signal(Signal::STOP);
        let is_over = self.size() > most;
        if !is_over {
            signal(Signal::CONT);
        }
        is_over
    }

    /// Returns the number of processes and threads.
    fn size(&self) -> usize {
        let threads = self.seen().0.into_iter().map(|one| one.threads);
        threads.sum()
    }

    /// Returns the children of this process that belong to the tree and have not ended, and collects those that have;
    /// `None` if this process is not the runner, or the system does not list them.
    ///
    /// Each process of the tree descends from one of them: what lost its parent is a child of the runner in the same
    /// moment. So there is none left if this is empty, however fast they continue as others.
    fn children(&self) -> Option<Vec<u32>> {
        let own = self.runner.filter(|runner| *runner == std::process::id())?;
        let leader = self.leader.as_ref().map(|leader| leader.pid);
        let mut alive = Vec::new();
        for _ in 0..CHILD_LOOKS {
            let children = process::children(own)?;
            let kept = self.kept();
            let mut has_ended = false;
            for child in children.into_iter().filter(|child| !kept.contains(child)) {
                match process::facts(child) {
                    Some(facts) if facts.lives() => alive.push(child),
                    // Its exit status is collected with the agent.
                    Some(_) if Some(child) == leader => {}
                    _ => {
                        has_ended = true;
                        let _ = number(child).map(|pid| waitpid(Some(pid), WaitOptions::NOHANG));
                    }
                }
            }
            if !alive.is_empty() || !has_ended {
                return Some(alive);
            }
        }
        None
    }

    /// Returns a process that has not ended, if there is one.
    fn left(&self) -> Option<u32> {
        if let Some(children) = self.children() {
            return children.first().copied();
        }
        if cfg!(target_os = "linux") {
            return self.living().first().map(|one| one.pid);
        }
        let group = self.group()?;
        test_kill_process_group(number(group)?).ok().map(|()| group)
    }

    /// Returns true if a process has not ended.
    pub(super) fn has_living(&self) -> bool {
        self.left().is_some()
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

    /// Kills all processes where the kernel does that in one step, without a look at how many they are.
    fn kill_at_once(&self) {
        if let Some(cgroup) = &self.cgroup {
            cgroup.kill();
        }
        let leader = self
            .leader
            .as_ref()
            .filter(|leader| self.bond == TreeBond::Leader && (self.is_held || leader.is_proven()));
        if let Some(leader) = leader.and_then(|leader| process::facts(leader.pid)) {
            signal_one(&leader, Signal::KILL);
        }
        if let Some(group) = self.group().and_then(number) {
            // An empty group counts as ended.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }

    /// Stops all living processes, those among them that others create meanwhile.
    fn stop(&self) {
        let mut stopped = HashSet::new();
        for _ in 0..STOPS {
            let mut living = self.living();
            living.retain(|one| stopped.insert((one.pid, one.start)));
            if living.is_empty() {
                return;
            }
            for one in living {
                signal_one(&one, Signal::STOP);
            }
        }
    }

    /// Kills processes that are too many to be killed one after the other: they would create others faster than that.
    /// They get the lowest priority, since thousands that end take as long as they would take to work, and the person's
    /// programs wait for each of them.
    pub(super) fn kill_many(&self) {
        const LAST: i32 = 19;
        // What ended meanwhile needs no priority.
        let group = self.group().and_then(number);
        let _ = group.map(|group| setpriority_pgrp(Some(group), LAST));
        let members = self.cgroup.as_ref().map(RunCgroup::members);
        for member in members.into_iter().flatten().filter_map(number) {
            let _ = setpriority_process(Some(member), LAST);
        }
        self.kill_at_once();
        if self.bond != TreeBond::Leader {
            self.stop();
            for one in self.living().into_iter().filter_map(|one| number(one.pid)) {
                let _ = setpriority_process(Some(one), LAST);
            }
        }
        self.kill();
    }

    /// Kills all living processes.
    pub(super) fn kill(&self) {
        self.kill_at_once();
        if let Some(first) = self.children().filter(|_| self.bond == TreeBond::Leader) {
            // With the first process the kernel ends all others. To look for thousands takes the time that they need.
            for one in first.iter().filter_map(|child| process::facts(*child)) {
                signal_one(&one, Signal::KILL);
            }
            return;
        }
        // One after the other, as each gives its children to the runner. What was killed needs the processor to end, so
        // it is not looked at again and again.
        let mut killed = HashSet::new();
        for _ in 0..CHILD_LOOKS {
            let children = self.children().unwrap_or_default().into_iter();
            let mut fresh: Vec<ProcessFacts> = children.filter_map(process::facts).collect();
            fresh.retain(|child| killed.insert((child.pid, child.start)));
            if fresh.is_empty() {
                break;
            }
            for child in fresh {
                signal_one(&child, Signal::KILL);
            }
        }
        if self.left().is_none() {
            return;
        }
        // Else they could create others faster than they are killed.
        if self.bond != TreeBond::Leader {
            self.stop();
        }
        self.signal(Signal::KILL);
    }

    /// Ends all living processes: signals them, waits `grace`, kills them. `wait` lets that much
    /// time pass, or less.
    ///
    /// # Errors
    /// `Unending`, or the stop of a test.
    pub(super) fn end(
        &self,
        runs: &RunStore,
        process_id: &str,
        grace: Duration,
        wait: impl FnMut(Duration),
    ) -> Result<TreeEnd, WorkError> {
        let count = self.end_living(runs, process_id, grace, wait)?;
        let mut services = self.services.iter();
        let have_services_ended =
            services.all(|(leader, is_bound)| *is_bound && !leader.is_alive());
        let is_certain = cfg!(target_os = "linux")
            && (self.runner.is_some()
                || have_services_ended
                    && match self.bond {
                        TreeBond::Nothing => false,
                        TreeBond::Ended => true,
                        TreeBond::Leader => self
                            .leader
                            .as_ref()
                            .is_some_and(|leader| !leader.is_alive()),
                        TreeBond::Cgroup => self.cgroup.as_ref().is_some_and(RunCgroup::is_empty),
                    });
        if let Some(cgroup) = &self.cgroup {
            cgroup.remove();
        }
        Ok(TreeEnd { count, is_certain })
    }

    fn end_living(
        &self,
        runs: &RunStore,
        process_id: &str,
        grace: Duration,
        mut wait: impl FnMut(Duration),
    ) -> Result<usize, WorkError> {
        if grace.is_zero() {
            self.kill_at_once();
        }
        if self.left().is_none() {
            return Ok(0);
        }
        let mut left_after = |bound: Duration, is_killing: bool| {
            let mut deadline = Instant::now() + bound;
            let mut fewest = process::count_of_machine();
            loop {
                let left = self.left();
                if left.is_none() || Instant::now() >= deadline {
                    return left;
                }
                wait(LOOK);
                if is_killing {
                    self.kill();
                    // Thousands of processes end one after the other.
                    let count = process::count_of_machine();
                    if count < fewest {
                        (fewest, deadline) = (count, Instant::now() + bound);
                    }
                }
            }
        };
        runs.reached("before-term")?;
        let count = if grace.is_zero() {
            // What is to end at once may be stopped, so that it creates nothing.
            self.signal(Signal::KILL)
        } else {
            let count = self.signal(Signal::TERM);
            // A stopped process has to continue in order to end.
            self.signal(Signal::CONT);
            count
        };
        runs.reached("after-term")?;
        if left_after(grace, false).is_some() {
            runs.reached("before-kill")?;
            self.kill();
            runs.reached("after-kill")?;
            // Repeated: a child may be created between the listing and the signal.
            if let Some(pid) = left_after(DYING, true) {
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
        let own = std::process::id();
        if self.runner != Some(own) {
            return;
        }
        let leader = self.leader.as_ref().map(|leader| leader.pid);
        let mut kept = self.kept();
        let (all, _) = process::all();
        kept.extend(self.kept());
        let is_orphan = |one: &&ProcessFacts| {
            one.is_zombie
                && one.parent == own
                && !kept.contains(&one.pid)
                && Some(one.pid) != leader
        };
        for one in all.iter().filter(is_orphan) {
            // Another thread may have collected it already.
            let _ = number(one.pid).map(|pid| waitpid(Some(pid), WaitOptions::NOHANG));
        }
    }
}

/// Makes orphans of this process's descendants its own children, where the system can do that. From now on all of
/// them belong to its run.
#[cfg(target_os = "linux")]
pub(super) fn take_in_orphans() {
    use rustix::process::{getpid, set_child_subreaper};
    if set_child_subreaper(Some(getpid())).is_ok() {
        TAKES_IN.store(true, Ordering::SeqCst);
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn take_in_orphans() {}

/// Returns this process if it takes in orphans.
pub(super) fn runner_here() -> Option<u32> {
    TAKES_IN.load(Ordering::SeqCst).then(std::process::id)
}

/// Limits the number of the user's processes that an agent which may have so many can add to. The superuser has no such limit: its processes give way to others.
#[cfg(target_os = "linux")]
pub(super) fn limit_processes(pid: u32, most: Option<u32>) {
    use super::agent_job::AgentLimits;
    use rustix::process::{Resource, Rlimit, geteuid, getpriority_process, prlimit};
    const GIVING_WAY: i32 = 10;
    let Some(most) = most.map(AgentLimits::hard_processes) else {
        return;
    };
    if geteuid().is_root() {
        if let Some(pid) = number(pid) {
            let now = getpriority_process(Some(pid)).unwrap_or_default();
            let _ = setpriority_process(Some(pid), now.max(GIVING_WAY));
        }
        return;
    }
    let others = process::count_of_machine().unwrap_or_default() as u64;
    let most = Some(others.saturating_add(most.into()));
    let limit = Rlimit {
        current: most,
        maximum: most,
    };
    // A lower limit is refused to be raised, and the process may have ended.
    let _ = number(pid).map(|pid| prlimit(Some(pid), Resource::Nproc, limit));
}

#[cfg(not(target_os = "linux"))]
pub(super) fn limit_processes(_pid: u32, _most: Option<u32>) {}

/// Kills what a command of this process left, if this process is a runner, which no agent works in meanwhile.
pub(super) fn kill_left_by(command: ProcessIdentity) {
    let Some(runner) = runner_here() else { return };
    // The command has no mark.
    let (mark, since) = ("\0".to_owned(), command.start_ticks());
    let tree = ProcessTree {
        leader: Some(command),
        ..ProcessTree::before_start(mark, since, Some(runner))
    };
    kill_whole(&tree);
}

/// Kills what this process has taken in, if it is a runner whose agent has ended; not the programs that it started for
/// itself.
pub fn end_orphans() {
    if let Some(runner) = runner_here() {
        kill_whole(&ProcessTree::before_start("\0".to_owned(), 0, Some(runner)));
    }
}

fn kill_whole(tree: &ProcessTree) {
    let deadline = Instant::now() + DYING;
    while tree.left().is_some() && Instant::now() < deadline {
        tree.kill();
        sleep_for(LOOK);
    }
    tree.reap_orphans();
}

fn children_of(all: &[ProcessFacts]) -> HashMap<u32, Vec<u32>> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for one in all {
        children.entry(one.parent).or_default().push(one.pid);
    }
    children
}

/// Returns processes with all of their descendants.
fn below(children: &HashMap<u32, Vec<u32>>, roots: HashSet<u32>) -> HashSet<u32> {
    let mut next: Vec<u32> = roots.iter().copied().collect();
    let mut found = roots;
    while let Some(parent) = next.pop() {
        for child in children.get(&parent).into_iter().flatten() {
            if found.insert(*child) {
                next.push(*child);
            }
        }
    }
    found
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
