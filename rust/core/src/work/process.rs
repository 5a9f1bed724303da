//! Whether the process that a record or a lock names still lives.
//!
//! A number alone proves nothing: it may belong to another program by now. A process counts as the
//! one meant only if it started when the record says, or at least before the file that names it was
//! written.

use std::time::{Duration, SystemTime};

use crate::store::disk;

/// When a process started, as the system counts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Start {
    /// Clock ticks since the machine started.
    pub ticks: u64,
    /// The same on the calendar.
    pub time: SystemTime,
}

/// When the process of this number started; `None` when there is none.
pub fn start_of(pid: u32) -> Option<Start> {
    let stat = disk::read_made_up(&format!("/proc/{pid}/stat"))?;
    // The name in parentheses may contain anything; the fields after it are plain. A zombie is no
    // living process.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    if matches!(fields.first(), Some(&("Z" | "X"))) {
        return None;
    }
    let ticks: u64 = fields.get(19)?.parse().ok()?;
    let boot = disk::read_made_up("/proc/stat")?;
    let boot: u64 = boot
        .lines()
        .find_map(|line| line.strip_prefix("btime "))?
        .trim()
        .parse()
        .ok()?;
    let since_boot = Duration::from_millis(ticks.saturating_mul(1000) / ticks_per_second());
    Some(Start {
        ticks,
        time: SystemTime::UNIX_EPOCH + Duration::from_secs(boot) + since_boot,
    })
}

/// The machine's identity since it was started; process numbers and ticks mean something only there.
pub fn boot_id() -> Option<String> {
    Some(
        disk::read_made_up("/proc/sys/kernel/random/boot_id")?
            .trim()
            .to_owned(),
    )
}

/// Whether the process that wrote its number into a file at `written` still lives.
///
/// Where a start cannot be asked for, any process of that number counts: better to refuse than to
/// disturb work.
pub fn is_writer_alive(pid: u32, written: SystemTime) -> bool {
    if cfg!(target_os = "linux") {
        // The calendar time of a start is exact to a second or so.
        start_of(pid).is_some_and(|start| start.time <= written + Duration::from_secs(2))
    } else {
        exists(pid)
    }
}

#[cfg(unix)]
fn exists(pid: u32) -> bool {
    use rustix::io::Errno;
    use rustix::process::{Pid, test_kill_process};
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| !matches!(test_kill_process(pid), Err(Errno::SRCH)))
}

#[cfg(not(unix))]
fn exists(_pid: u32) -> bool {
    // Runs are not supported here, so no process of ours can be behind a file.
    false
}

#[cfg(unix)]
fn ticks_per_second() -> u64 {
    rustix::param::clock_ticks_per_second()
}

#[cfg(not(unix))]
fn ticks_per_second() -> u64 {
    100
}
