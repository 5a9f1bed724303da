//! A check: a program run to its end in a process group of its own, with a limit on its time and its
//! output. What it writes goes to a file first, so that nothing it leaves behind can hold us up.

#![expect(
    clippy::disallowed_methods,
    reason = "this file is where checks are started"
)]

use std::collections::BTreeMap;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::{WorkError, agent};
use crate::store::disk::{self, Disk};

/// Most bytes that a check may write; it is ended then.
const MOST_OUTPUT: u64 = 32 * 1024 * 1024;
/// How often its output is measured, and where the system announces no ends, whether it ended.
const LOOK: Duration = Duration::from_millis(250);
/// Characters of its output that are kept, the last ones.
const TAIL: usize = 2_000;

/// A program to be run.
#[derive(Debug, Clone)]
pub struct Check<'a> {
    /// Program and arguments; never read by a shell.
    pub argv: &'a [String],
    /// Where it starts.
    pub folder: &'a Path,
    /// Its whole environment.
    pub environment: &'a BTreeMap<String, String>,
    /// The longest it may take.
    pub limit: Duration,
    /// A folder of ours for what it writes, while it runs.
    pub scratch: &'a Path,
}

/// How a check ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// Its exit code; `None` when it was ended, by us or by a signal.
    pub exit: Option<i32>,
    /// How it ended, for people.
    pub how: String,
    /// How long it took.
    pub duration: Duration,
    /// The last of what it wrote.
    pub tail: String,
}

impl Checked {
    /// Whether it says that all is well.
    pub fn has_passed(&self) -> bool {
        self.exit == Some(0)
    }
}

/// Runs a check to its end, or ends it with all of its process group.
///
/// # Errors
/// `NoAgent` when it cannot be started, `System`, or a `StoreError` about the scratch folder.
pub fn run(disk: &Disk, check: &Check<'_>) -> Result<Checked, WorkError> {
    let output = Scratch::new(check.scratch);
    let mut running = start(check, &output)?;
    let began = Instant::now();
    let ended_by_us = running.watch(check.limit, began, &output)?;
    let duration = began.elapsed();
    let status = running.end();
    let bytes = (disk.read)(&output.0).map_or_else(|_| Vec::new(), |content| content.bytes);
    let text = String::from_utf8_lossy(&bytes);
    let skipped = text.trim_end().chars().count().saturating_sub(TAIL);
    let exit = status
        .and_then(|status| status.code())
        .filter(|_| ended_by_us.is_none());
    let signal = status.and_then(|status| status.signal());
    let how = match (ended_by_us, exit, signal) {
        (Some(why), ..) => why,
        (None, Some(code), _) => format!("ended with exit code {code}"),
        (None, None, Some(signal)) => format!("was ended by signal {signal}"),
        (None, None, None) => "ended, nobody knows how".into(),
    };
    Ok(Checked {
        exit,
        how,
        duration,
        tail: text.trim_end().chars().skip(skipped).collect(),
    })
}

/// A file of ours that goes with this.
struct Scratch(PathBuf);

impl Scratch {
    fn new(folder: &Path) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self(folder.join(format!("check-{}-{number}.out", std::process::id())))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // One that stays holds what the check wrote, and no name is given twice.
        let _ = disk::remove(&self.0);
    }
}

struct Running {
    child: Child,
    is_over: bool,
}

fn start(check: &Check<'_>, output: &Scratch) -> Result<Running, WorkError> {
    let refused = |why: String| WorkError::NoAgent {
        program: check.argv.first().cloned().unwrap_or_default(),
        why,
    };
    let Some((program, arguments)) = check.argv.split_first() else {
        return Err(refused("its command is empty".into()));
    };
    disk::remove(&output.0)?;
    let file = disk::new_file(&output.0)?;
    let copy = file.try_clone().map_err(|source| WorkError::System {
        action: "start a check",
        source,
    })?;
    let child = Command::new(program)
        .args(arguments)
        .env_clear()
        .envs(check.environment)
        .current_dir(check.folder)
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(file)
        .stderr(copy)
        .spawn();
    let child = child.map_err(|error| {
        refused(if check.folder.is_dir() {
            error.to_string()
        } else {
            format!("the folder `{}` is not there", check.folder.display())
        })
    })?;
    Ok(Running {
        child,
        is_over: false,
    })
}

impl Running {
    /// Waits until the check ends; gives why it has to be ended, if it has to.
    fn watch(
        &mut self,
        limit: Duration,
        began: Instant,
        output: &Scratch,
    ) -> Result<Option<String>, WorkError> {
        let watch = agent::watch(&self.child);
        loop {
            if self.has_ended()? {
                return Ok(None);
            }
            let left = limit.saturating_sub(began.elapsed());
            if left.is_zero() {
                return Ok(Some(format!("took longer than {} s", limit.as_secs_f64())));
            }
            if disk::stamp(&output.0).is_some_and(|stamp| stamp.size > MOST_OUTPUT) {
                return Ok(Some(format!("wrote more than {MOST_OUTPUT} bytes")));
            }
            let mut polled: Vec<PollFd<'_>> = watch
                .iter()
                .map(|watch| PollFd::new(watch, PollFlags::IN))
                .collect();
            let time = Timespec::try_from(left.min(LOOK)).ok();
            // Whatever happened, it is looked at above.
            let _ = poll(&mut polled, time.as_ref());
        }
    }

    /// Whether it ended. Its number stays its own until it is asked how.
    fn has_ended(&self) -> Result<bool, WorkError> {
        let how = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match waitid(WaitId::Pid(Pid::from_child(&self.child)), how) {
            Ok(status) => Ok(status.is_some()),
            Err(Errno::INTR) => Ok(false),
            Err(source) => Err(WorkError::System {
                action: "watch a check",
                source: source.into(),
            }),
        }
    }

    /// Ends what is left of it, and asks how it ended.
    fn end(&mut self) -> Option<std::process::ExitStatus> {
        self.is_over = true;
        // A group that is gone is what is wanted.
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        self.child.wait().ok()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.is_over {
            self.end();
        }
    }
}
