//! A control group (version 2) for the processes of a run: a process is born into the group of its parent, and one
//! that is confined cannot leave it. It survives the runner, so a recovery finds what is left.

use std::path::{Path, PathBuf};

use rustix::fs::Mode;

use super::process::{self, ProcessIdentity};
use super::run_record::RunRecord;
use chant_base::diagnostics::LogFailure;
use chant_store::disk;

/// The start of the name of a run's group.
const PREFIX: &str = "chant-run-";
/// The greatest depth of groups that processes of a run made below theirs.
const MAX_DEPTH: usize = 8;

/// The limits that a group enforces.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct CgroupLimits {
    /// The greatest number of processes and threads.
    pub(super) processes: Option<u32>,
    /// The greatest number of bytes of memory; without one a run gets the usual part of the machine's, and may swap.
    pub(super) memory: Option<u64>,
}

impl CgroupLimits {
    /// Returns the limit of memory in bytes: the machine keeps a part of its own, so that a run that takes all it gets
    /// is killed before the person's programs are.
    fn memory_or_usual(self) -> Option<u64> {
        self.memory
            .or_else(|| Some(process::memory_of_machine()? / 8 * 7))
    }
}

/// The control group of a run.
#[derive(Debug, Clone)]
pub(super) struct RunCgroup {
    folder: PathBuf,
}

impl RunCgroup {
    /// Creates the group of a run next to that of this process, or below it; `None` where that is not permitted.
    /// Returns the limits that it enforces: they need a group above that passes them on.
    pub(super) fn create(limits: CgroupLimits) -> Option<(Self, CgroupLimits)> {
        let own_folder = own_folder()?;
        let own = ProcessIdentity::own();
        let mut above = own_folder
            .ancestors()
            .take_while(|folder| is_writable(folder));
        let passing = above.find(|folder| passes_limits(folder));
        let parent = passing.or_else(|| Some(&*own_folder).filter(|own| is_writable(own)))?;
        remove_abandoned(parent);
        let group = Self {
            folder: parent.join(format!("{}-{:08x}", name_of(&own)?, fastrand::u32(..))),
        };
        // Nothing of it lies on a disk that could be flushed.
        rustix::fs::mkdir(&group.folder, Mode::from_raw_mode(0o755)).ok()?;
        let set = |file: &str, value: String| {
            disk::write_made_up(&group.folder.join(file), &value).is_ok()
        };
        let enforced = CgroupLimits {
            processes: limits
                .processes
                .filter(|most| set("pids.max", most.to_string())),
            memory: limits
                .memory_or_usual()
                .filter(|most| set("memory.max", most.to_string())),
        };
        if limits.memory.is_some() {
            // Else the limit would only move the run's memory to the disk.
            set("memory.swap.max", "0".into());
        }
        Some((group, enforced))
    }

    /// Returns true if a group of a run can have a limit of memory here.
    pub(super) fn enforces_memory() -> bool {
        let own = own_folder();
        let mut above = own
            .iter()
            .flat_map(|own| own.ancestors())
            .take_while(|folder| is_writable(folder));
        above.any(passes_limits)
    }

    /// Returns the group that a record names, if it is one of that run.
    pub(super) fn of_record(record: &RunRecord) -> Option<Self> {
        let folder = PathBuf::from(record.process_tree.as_ref()?.cgroup.as_ref()?);
        let is_its = folder
            .file_name()?
            .to_str()?
            .starts_with(&format!("{}-", name_of(&record.runner())?));
        let has_up = folder.components().any(|part| part.as_os_str() == "..");
        let is_group = || {
            mounts()
                .iter()
                .any(|mount| folder.starts_with(&mount.folder))
        };
        (is_its && !has_up && is_group()).then_some(Self { folder })
    }

    /// Returns its folder, for the record.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Moves a process into it; false if the process has ended or may not be moved.
    pub(super) fn add(&self, pid: u32) -> bool {
        disk::write_made_up(&self.folder.join("cgroup.procs"), &pid.to_string()).is_ok()
    }

    /// Returns the processes in it and in groups below.
    pub(super) fn members(&self) -> Vec<u32> {
        let mut members = Vec::new();
        for folder in self.folders() {
            let text = read(&folder, "cgroup.procs").unwrap_or_default();
            // Processes of another namespace are listed as 0.
            let pids = text.lines().filter_map(|line| line.parse::<u32>().ok());
            members.extend(pids.filter(|pid| *pid != 0));
        }
        members
    }

    /// Returns the number of its processes and threads; `None` where groups do not count them. It costs no more with
    /// many than with few.
    pub(super) fn size(&self) -> Option<usize> {
        read(&self.folder, "pids.current")?.trim().parse().ok()
    }

    /// Returns true if no process is in it or in groups below, as the kernel counts.
    pub(super) fn is_empty(&self) -> bool {
        read(&self.folder, "cgroup.events").is_none_or(|text| text.contains("populated 0"))
    }

    /// Kills all processes in it and in groups below at once, where the kernel can (Linux 5.14).
    pub(super) fn kill(&self) {
        disk::write_made_up(&self.folder.join("cgroup.kill"), "1")
            .log_failure("kill a control group");
    }

    /// Returns true if a process was killed because the group reached its limit of memory.
    pub(super) fn was_memory_short(&self) -> bool {
        let events = read(&self.folder, "memory.events").unwrap_or_default();
        let mut kills = events
            .lines()
            .filter_map(|line| line.strip_prefix("oom_kill "));
        kills.next().is_some_and(|count| count.trim() != "0")
    }

    /// Removes it; nothing happens while processes are in it.
    pub(super) fn remove(&self) {
        for folder in self.folders().iter().rev() {
            disk::remove_folder(folder);
        }
    }

    /// Returns its folder and those of groups below, each after the one above it.
    fn folders(&self) -> Vec<PathBuf> {
        let mut all = vec![self.folder.clone()];
        let mut level = all.clone();
        for _ in 0..MAX_DEPTH {
            level = level.iter().flat_map(|folder| folders_in(folder)).collect();
            all.extend(level.iter().cloned());
        }
        all
    }
}

/// A place where control groups of version 2 are mounted.
struct CgroupMount {
    /// The group that is mounted there.
    root: String,
    folder: PathBuf,
}

fn mounts() -> Vec<CgroupMount> {
    let table = disk::read_made_up("/proc/self/mountinfo").unwrap_or_default();
    table
        .lines()
        .filter_map(|line| {
            let (place, kind) = line.split_once(" - ")?;
            let mut fields = place.split_whitespace().skip(3);
            let (root, folder) = (fields.next()?, fields.next()?);
            kind.starts_with("cgroup2 ").then(|| CgroupMount {
                root: root.to_owned(),
                folder: folder.into(),
            })
        })
        .collect()
}

/// Returns the folder of this process's own group.
fn own_folder() -> Option<PathBuf> {
    let groups = disk::read_made_up("/proc/self/cgroup")?;
    let own = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    mounts().into_iter().find_map(|mount| {
        let below = own.strip_prefix(mount.root.trim_end_matches('/'))?;
        let folder = mount.folder.join(below.trim_start_matches('/'));
        disk::exists(&folder.join("cgroup.procs")).then_some(folder)
    })
}

fn is_writable(folder: &Path) -> bool {
    use rustix::fs::{Access, access};
    let may_write = |path: &Path| access(path, Access::WRITE_OK).is_ok();
    may_write(folder) && may_write(&folder.join("cgroup.procs"))
}

/// Returns true if groups below a group can have limits of memory and of processes.
fn passes_limits(folder: &Path) -> bool {
    let passed = read(folder, "cgroup.subtree_control").unwrap_or_default();
    let is_passed = |wanted: &str| passed.split_whitespace().any(|one| one == wanted);
    is_passed("memory") && is_passed("pids")
}

/// Returns the start of the names of groups that a process makes.
fn name_of(maker: &ProcessIdentity) -> Option<String> {
    let start: u64 = maker.pid_start.as_ref()?.parse().ok()?;
    Some(format!("{PREFIX}{}-{start}", maker.pid))
}

/// Removes empty groups whose makers are gone.
fn remove_abandoned(parent: &Path) {
    for folder in folders_in(parent) {
        let name = folder
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        let mut numbers = name.strip_prefix(PREFIX).unwrap_or_default().split('-');
        let pid = numbers.next().and_then(|pid| pid.parse::<u32>().ok());
        let start = numbers.next().and_then(|start| start.parse::<u64>().ok());
        let (Some(pid), Some(start)) = (pid, start) else {
            continue;
        };
        if process::facts(pid).is_none_or(|now| now.start != start) {
            RunCgroup { folder }.remove();
        }
    }
}

fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let names = disk::names(folder).unwrap_or_default().into_iter();
    names
        .filter(|one| one.is_folder)
        .map(|one| folder.join(one.name))
        .collect()
}

fn read(folder: &Path, file: &str) -> Option<String> {
    disk::read_made_up(folder.join(file).to_str()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_without_a_limit_of_memory_leaves_an_eighth_of_it_to_others() {
        let limit = |memory| {
            CgroupLimits {
                memory,
                ..CgroupLimits::default()
            }
            .memory_or_usual()
        };
        let all = process::memory_of_machine().unwrap();
        assert!(limit(None).is_some_and(|most| most.abs_diff(all / 8 * 7) < 8));
        assert_eq!(limit(Some(5)), Some(5));
    }
}
