//! The end of a process, as another one repeats it.

use std::io;

use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use rustix::process::{WaitStatus, getppid};

use crate::refused;

/// Has this process killed when the one that started it ends.
pub(super) fn end_with(starter: u32) -> io::Result<()> {
    set_pdeathsig(Signal::SIGKILL)?;
    // It may have ended before.
    let parent = getppid().and_then(|parent| u32::try_from(parent.as_raw_nonzero().get()).ok());
    if parent == Some(starter) {
        return Ok(());
    }
    Err(refused("the process that starts it ended"))
}

/// The end of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessEnd {
    /// Its exit code, if no signal ended it.
    pub code: i32,
    /// The signal that ended it.
    pub signal: Option<i32>,
}

impl ProcessEnd {
    /// The end of a process that did what it was started for.
    pub(super) const SUCCESS: Self = Self {
        code: 0,
        signal: None,
    };
    /// The end of a process that could not become the program.
    pub(super) const NOT_STARTED: Self = Self {
        code: 126,
        signal: None,
    };

    pub(super) fn of(status: WaitStatus) -> Self {
        Self {
            code: status.exit_status().unwrap_or(Self::NOT_STARTED.code),
            signal: status.terminating_signal(),
        }
    }

    /// Returns the text that [`ProcessEnd::read`] reads.
    pub(super) fn written(self) -> String {
        format!("{} {}", self.code, self.signal.unwrap_or_default())
    }

    pub(super) fn read(text: &str) -> Option<Self> {
        let (code, signal) = text.split_once(' ')?;
        Some(Self {
            code: code.parse().ok()?,
            signal: Some(signal.parse().ok()?).filter(|signal| *signal != 0),
        })
    }
}
