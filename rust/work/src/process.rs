//! Identifies the process that a record or a lock names, and checks whether it still lives.
//!
//! A number alone proves nothing: it may belong to another program by now. A process is the one
//! that is meant only if it started at the recorded time, or at least before the file that names it
//! was written.

use std::time::{Duration, SystemTime};

use chant_store::disk;

/// The identity of a process, which no other process shares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessIdentity {
    /// Its number.
    pub pid: u32,
    /// Clock ticks between the machine's start and its own; `None` if the system does not report
    /// them.
    pub pid_start: Option<String>,
    /// The machine's identity since its start; `None` if the system does not report it.
    pub boot_id: Option<String>,
}

impl ProcessIdentity {
    /// Returns this process.
    pub fn own() -> Self {
        Self::of(std::process::id())
    }

    /// Returns the process that has this number now.
    pub fn of(pid: u32) -> Self {
        Self {
            pid,
            pid_start: facts(pid).map(|facts| facts.start.to_string()),
            boot_id: boot_id(),
        }
    }

    /// Returns true if exactly this process lives: number, start and machine agree.
    ///
    /// If the system does not report a start, any process of that number counts; see
    /// [`Self::is_proven`].
    pub fn is_alive(&self) -> bool {
        self.is_proven() || (!cfg!(target_os = "linux") && disk::is_process(self.pid))
    }

    /// Returns true if it lives beyond doubt, so that it is safe to signal it.
    pub fn is_proven(&self) -> bool {
        let start = facts(self.pid)
            .filter(ProcessFacts::lives)
            .map(|facts| facts.start);
        let same_start =
            self.pid_start.is_some() && start.map(|start| start.to_string()) == self.pid_start;
        same_start && (self.boot_id.is_none() || self.boot_id == boot_id())
    }
}

impl ProcessIdentity {
    /// Returns its start in ticks; 0 if the system does not report it.
    pub fn start_ticks(&self) -> u64 {
        let start = self.pid_start.as_ref();
        start.and_then(|start| start.parse().ok()).unwrap_or(0)
    }

    /// Returns the time since its start, by a clock that cannot be set and that goes on while the
    /// machine sleeps; `None` if the machine was started since, or does not report it.
    pub fn age(&self) -> Option<Duration> {
        let start: u64 = self.pid_start.as_ref()?.parse().ok()?;
        let is_this_boot = self.boot_id.is_some() && self.boot_id == boot_id();
        is_this_boot.then(|| uptime().map(|now| now.saturating_sub(since_boot(start))))?
    }
}

/// The facts that the system reports of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessFacts {
    /// Its number.
    pub pid: u32,
    /// Its parent's number.
    pub parent: u32,
    /// The number of its process group.
    pub group: u32,
    /// The number of its threads.
    pub threads: usize,
    /// Clock ticks between the machine's start and its own.
    pub start: u64,
    /// True if it ended and its parent has not collected its exit status yet.
    pub is_zombie: bool,
}

impl ProcessFacts {
    /// Returns true if it has not ended: its locks go with the last of its threads, which may be later than the first.
    pub fn lives(&self) -> bool {
        !self.is_zombie || self.threads > 1
    }
}

/// Returns the facts of the process of this number; `None` if there is none, or the system does not
/// report them.
pub fn facts(pid: u32) -> Option<ProcessFacts> {
    let stat = disk::read_made_up(&format!("/proc/{pid}/stat"))?;
    // The name in parentheses may contain anything; the fields after it are plain.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    Some(ProcessFacts {
        pid,
        is_zombie: matches!(fields.first(), Some(&("Z" | "X"))),
        parent: fields.get(1)?.parse().ok()?,
        group: fields.get(2)?.parse().ok()?,
        threads: fields.get(17)?.parse().ok()?,
        start: fields.get(19)?.parse().ok()?,
    })
}

/// Returns all visible processes in the order of their numbers, and true if any of them ended
/// during the listing. Empty if the system does not list them.
pub fn all() -> (Vec<ProcessFacts>, bool) {
    let names = disk::names("/proc".as_ref()).unwrap_or_default();
    let mut pids: Vec<u32> = names.iter().filter_map(|n| n.name.parse().ok()).collect();
    pids.sort_unstable();
    let count = pids.len();
    let all: Vec<ProcessFacts> = pids.into_iter().filter_map(facts).collect();
    let has_gone = all.len() < count;
    (all, has_gone)
}

/// Returns the children of a process, those that ended and were not collected among them; `None` if the system does
/// not list them.
pub fn children(pid: u32) -> Option<Vec<u32>> {
    let threads = disk::names(format!("/proc/{pid}/task").as_ref()).ok()?;
    let mut children = Vec::new();
    for thread in threads {
        let path = format!("/proc/{pid}/task/{}/children", thread.name);
        match disk::read_made_up(&path) {
            Some(text) => {
                children.extend(
                    text.split_whitespace()
                        .filter_map(|pid| pid.parse::<u32>().ok()),
                );
            }
            // Its children are those of another thread by now.
            None if !disk::exists(format!("/proc/{pid}/task/{}", thread.name).as_ref()) => {}
            None => return None,
        }
    }
    Some(children)
}

/// Returns an environment variable that a process was started with; `None` if it has none of that
/// name, or its environment is not readable.
pub fn variable(pid: u32, name: &str) -> Option<String> {
    let environment = disk::read_made_up(&format!("/proc/{pid}/environ"))?;
    environment
        .split('\0')
        .filter_map(|pair| pair.split_once('='))
        .find(|(key, _)| *key == name)
        .map(|(_, value)| value.to_owned())
}

/// Returns the machine's identity since its start; process numbers and ticks are valid only for it.
pub fn boot_id() -> Option<String> {
    Some(
        disk::read_made_up("/proc/sys/kernel/random/boot_id")?
            .trim()
            .to_owned(),
    )
}

/// Returns the number of processes and threads of the whole machine; `None` if the system does not report it.
pub fn count_of_machine() -> Option<usize> {
    let load = disk::read_made_up("/proc/loadavg")?;
    let (_, count) = load.split_whitespace().nth(3)?.split_once('/')?;
    count.parse().ok()
}

/// Returns the number of bytes of memory that the machine has; `None` if the system does not report it.
pub fn memory_of_machine() -> Option<u64> {
    let memory = disk::read_made_up("/proc/meminfo")?;
    let total = memory
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = total.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// Returns the number of processes that the system has killed for lack of memory since its start; 0
/// if it does not report that.
pub fn memory_kills() -> u64 {
    let counts = disk::read_made_up("/proc/vmstat").unwrap_or_default();
    let mut lines = counts.lines();
    let count = lines.find_map(|line| line.strip_prefix("oom_kill "));
    count
        .and_then(|count| count.trim().parse().ok())
        .unwrap_or_default()
}

/// Returns true if the process that wrote its number into a file at `written` still lives.
///
/// If the system does not report a start, any process of that number counts: it is better to refuse
/// than to disturb work.
pub fn is_writer_alive(pid: u32, written: SystemTime) -> bool {
    if cfg!(target_os = "linux") {
        // The calendar time of a start is exact to about a second.
        let started = facts(pid)
            .filter(ProcessFacts::lives)
            .and_then(|f| calendar(f.start));
        started.is_some_and(|started| started <= written + Duration::from_secs(2))
    } else {
        disk::is_process(pid)
    }
}

/// Returns the calendar time of a number of clock ticks since the machine's start.
fn calendar(ticks: u64) -> Option<SystemTime> {
    let boot = disk::read_made_up("/proc/stat")?;
    let boot: u64 = boot
        .lines()
        .find_map(|line| line.strip_prefix("btime "))?
        .trim()
        .parse()
        .ok()?;
    Some(SystemTime::UNIX_EPOCH + Duration::from_secs(boot) + since_boot(ticks))
}

/// Returns the duration of a number of clock ticks.
fn since_boot(ticks: u64) -> Duration {
    Duration::from_millis(ticks.saturating_mul(1000) / ticks_per_second())
}

/// Returns the time since the machine's start.
#[cfg(target_os = "linux")]
fn uptime() -> Option<Duration> {
    use rustix::time::{ClockId, clock_gettime};
    Duration::try_from(clock_gettime(ClockId::Boottime)).ok()
}

#[cfg(not(target_os = "linux"))]
fn uptime() -> Option<Duration> {
    None
}

#[cfg(unix)]
fn ticks_per_second() -> u64 {
    rustix::param::clock_ticks_per_second()
}

#[cfg(not(unix))]
fn ticks_per_second() -> u64 {
    100
}
