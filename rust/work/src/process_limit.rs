//! Ends an agent that has more processes than it may. A thread of its own counts them: the runner may wait for a
//! program, which gets nothing of the processor beside thousands of others.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use super::agent_job::AgentLimits;
use super::process;
use super::process_tree::{self, ProcessTree, TreeBond};
use chant_confine::Confinement;

/// The time between two counts.
const COUNT_INTERVAL: Duration = Duration::from_millis(250);
/// The time between two counts while the processes become many more: a shell that forks doubles them in milliseconds.
const GROWTH_INTERVAL: Duration = Duration::from_millis(20);

/// The name of the thread that counts.
const THREAD: &str = "process-count";

/// The number of looks at the start of an agent, in which one that does nothing else has many processes already.
const FIRST_LOOKS: u32 = 50;
/// The number of looks without growth after which processes are listed that do not seem too many.
const STEADY_LOOKS: u32 = 4;

/// The limit of an agent's processes, while it works.
pub(super) struct ProcessLimit {
    most: u32,
    is_reached: Arc<AtomicBool>,
    /// The thread that counts, and what ends it when it is dropped.
    counting: Option<(Sender<()>, JoinHandle<()>)>,
}

impl ProcessLimit {
    /// Begins a tree with its first process, in a control group where one can be made, and limits and counts its
    /// processes from now on.
    pub(super) fn begin(
        tree: &mut ProcessTree,
        first: u32,
        confinement: &Confinement,
        limits: AgentLimits,
    ) -> Option<Self> {
        let enforced = tree.begin(first, confinement, limits.new_cgroup());
        let by_kernel = enforced.processes.is_some() || tree.bond == TreeBond::Leader;
        let most = limits.processes;
        process_tree::limit_processes(first, most.filter(|_| !by_kernel));
        most.map(|most| Self::watch(tree, most))
    }

    /// Counts the processes of a tree that was just started; all are killed once they are more than `most`.
    fn watch(tree: &ProcessTree, most: u32) -> Self {
        let is_reached = Arc::new(AtomicBool::new(false));
        let (ends, ended) = mpsc::channel();
        let (tree, reached) = (tree.clone(), Arc::clone(&is_reached));
        let mut count = ProcessCount::beside(most);
        let (begins, begun) = mpsc::channel();
        let counting = move || {
            come_first();
            // Nobody waits for it if that fails.
            let _ = begins.send(());
            while ended.recv_timeout(count.interval()) == Err(RecvTimeoutError::Timeout) {
                if count.is_over(&tree) {
                    // First, since the end of the agent is seen at once.
                    reached.store(true, Ordering::SeqCst);
                    tree.kill_many();
                    return;
                }
            }
        };
        let named = std::thread::Builder::new().name(THREAD.into());
        let thread = named.spawn(counting).ok();
        // It counts before anything of the agent runs. A thread that could not begin counts nothing.
        let _ = begun.recv();
        Self {
            most,
            is_reached,
            counting: thread.map(|thread| (ends, thread)),
        }
    }

    /// Returns the limit if there were more processes.
    pub(super) fn reached(&self) -> Option<u32> {
        self.is_reached.load(Ordering::SeqCst).then_some(self.most)
    }

    /// Ends the count. Only then may the number of the tree's first process become another one's.
    pub(super) fn end(&mut self) {
        if let Some((ends, thread)) = self.counting.take() {
            drop(ends);
            // A panic of the thread leaves nothing to be done.
            let _ = thread.join();
        }
    }
}

impl Drop for ProcessLimit {
    fn drop(&mut self) {
        self.end();
    }
}

/// Limits the processes of the program that this process becomes, where nobody counts them: by a control group that the
/// next run removes, or by the number of the user's.
pub fn limit_this_process(limits: AgentLimits) {
    let own = std::process::id();
    let enforcing = limits
        .new_cgroup()
        .filter(|(_, enforced)| enforced.processes.is_some());
    let is_limited = enforcing.is_some_and(|(group, _)| group.add(own));
    process_tree::limit_processes(own, limits.processes.filter(|_| !is_limited));
}

/// Gives this thread the highest priority, where it may take that: thousands of processes leave it too little of the
/// processor. The superuser's have no limit but this count where there are no groups.
fn come_first() {
    #[cfg(target_os = "linux")]
    const FIRST: i32 = -20;
    // Elsewhere that is the priority of the whole process.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::setpriority_process(None, FIRST);
}

/// The count of a tree's processes, which begins with that of the whole machine: that is cheap.
struct ProcessCount {
    most: usize,
    /// About the number that the machine has besides.
    of_others: usize,
    /// The number that the machine had at the last look.
    last: usize,
    /// The number of those that came between the last two.
    growth: usize,
    /// The number of looks since it grew.
    steady: u32,
    looks: u32,
}

impl ProcessCount {
    fn beside(most: u32) -> Self {
        let now = process::count_of_machine().unwrap_or_default();
        Self {
            most: usize::try_from(most).unwrap_or(usize::MAX),
            of_others: now,
            last: now,
            growth: 0,
            steady: 0,
            looks: 0,
        }
    }

    /// Returns the time until the next look.
    fn interval(&self) -> Duration {
        if self.looks < FIRST_LOOKS || self.growth > self.most / 64 {
            GROWTH_INTERVAL
        } else {
            COUNT_INTERVAL
        }
    }

    /// Returns true if the tree has too many.
    fn is_over(&mut self, tree: &ProcessTree) -> bool {
        self.looks = self.looks.saturating_add(1);
        let Some(now) = process::count_of_machine() else {
            return tree.exceeds(self.most, false);
        };
        self.growth = now.saturating_sub(self.last);
        self.steady = if self.growth > 0 { 0 } else { self.steady + 1 };
        self.last = now;
        let seems_to = now > self.most.saturating_add(self.of_others);
        // There cannot be more of the agent's than of the whole machine. While these become more, a list of them would
        // take longer than they take to seem too many, and then they stand still.
        let may_be = now > self.most && self.steady >= STEADY_LOOKS;
        (seems_to || may_be) && tree.exceeds(self.most, seems_to)
    }
}
