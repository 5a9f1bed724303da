//! Passes signals from the launcher to the confined process, and its end back.
//!
//! Both and the first process are in one process group. A signal to the group reaches the confined
//! process itself; so one that the launcher got is passed on only if the first process did not get it.

use std::collections::BTreeMap;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use chant_store::disk;
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::{SigSet, SigmaskHow, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, WaitOptions, kill_process, waitpid};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};

use super::process_end::ProcessEnd;
use crate::refused;

/// The signals that are passed on, and the one that reports ends of children.
const HEARD: [Signal; 8] = [
    Signal::SIGCHLD,
    Signal::SIGHUP,
    Signal::SIGINT,
    Signal::SIGQUIT,
    Signal::SIGTERM,
    Signal::SIGUSR1,
    Signal::SIGUSR2,
    Signal::SIGWINCH,
];
/// The time within which the same signal at launcher and first process is one to their group.
const TOGETHER: Duration = Duration::from_secs(1);

/// The state that launcher and first process share before they part.
pub(super) struct SignalRelay {
    before: SigSet,
    signals: SignalFd,
    end: (PipeReader, PipeWriter),
    passed: (PipeReader, PipeWriter),
}

impl SignalRelay {
    /// Holds back the signals of this process and of those that it starts.
    pub(super) fn new() -> io::Result<Self> {
        let heard = SigSet::from_iter(HEARD);
        Ok(Self {
            before: heard.thread_swap_mask(SigmaskHow::SIG_BLOCK)?,
            signals: SignalFd::with_flags(&heard, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)?,
            end: io::pipe()?,
            passed: io::pipe()?,
        })
    }

    /// Continues in the launcher.
    pub(super) fn of_launcher(self) -> io::Result<LauncherRelay> {
        leave_streams()?;
        drop((self.end.1, self.passed.0));
        Ok(LauncherRelay {
            signals: self.signals,
            end: self.end.0,
            passes: self.passed.1,
        })
    }

    /// Continues in the first process, which ends with the launcher.
    pub(super) fn of_first_process(self) -> io::Result<FirstProcessRelay> {
        set_pdeathsig(Signal::SIGKILL)?;
        let passed = self.passed.0;
        drop(self.passed.1);
        let now = Timespec::default();
        let mut hangs_up = [PollFd::new(&passed, PollFlags::IN)];
        poll(&mut hangs_up, Some(&now))?;
        if hangs_up[0].revents().contains(PollFlags::HUP) {
            return Err(refused("its launcher ended"));
        }
        Ok(FirstProcessRelay {
            before: self.before,
            signals: self.signals,
            end: self.end.1,
            passed,
        })
    }
}

/// The part of the launcher.
pub(super) struct LauncherRelay {
    signals: SignalFd,
    end: PipeReader,
    passes: PipeWriter,
}

impl LauncherRelay {
    /// Waits for the end of the first process, and returns that of the confined one.
    pub(super) fn wait_for(mut self, first: Pid) -> io::Result<ProcessEnd> {
        loop {
            wait_for_any(&[self.signals.as_fd()])?;
            for signal in sent_signals(&self.signals)? {
                // The first process may have ended, and then nobody is there to get it.
                let _ = self.passes.write_all(&[signal]);
            }
            if let Some((_, status)) = waitpid(Some(first), WaitOptions::NOHANG)? {
                let mut end = String::new();
                self.end.read_to_string(&mut end)?;
                // One that was killed could not say it.
                return Ok(ProcessEnd::read(&end).unwrap_or_else(|| ProcessEnd::of(status)));
            }
        }
    }
}

/// The part of the first process.
pub(super) struct FirstProcessRelay {
    before: SigSet,
    signals: SignalFd,
    end: PipeWriter,
    passed: PipeReader,
}

impl FirstProcessRelay {
    /// Gives up the part, in a process that becomes the confined one.
    pub(super) fn leave(self) -> io::Result<()> {
        self.before.thread_set_mask()?;
        Ok(())
    }

    /// Collects processes until the confined one has ended. Afterwards this process has to end: the
    /// kernel then kills those that are left.
    pub(super) fn serve(mut self, confined: Pid) -> io::Result<ProcessEnd> {
        leave_streams()?;
        let mut got = BTreeMap::new();
        loop {
            let ready = wait_for_any(&[self.signals.as_fd(), self.passed.as_fd()])?;
            for signal in sent_signals(&self.signals)? {
                got.insert(signal, Instant::now());
            }
            if let Some(end) = collect(confined)? {
                self.end.write_all(end.written().as_bytes())?;
                return Ok(ProcessEnd::SUCCESS);
            }
            if !ready[1] {
                continue;
            }
            let mut passed = [0; 32];
            let count = self.passed.read(&mut passed)?;
            if count == 0 {
                return Err(refused("its launcher ended"));
            }
            for signal in &passed[..count] {
                let is_of_group = got
                    .remove(signal)
                    .is_some_and(|at: Instant| at.elapsed() < TOGETHER);
                let signal = rustix::process::Signal::from_named_raw(i32::from(*signal));
                if let Some(signal) = signal.filter(|_| !is_of_group) {
                    // It may have ended just now.
                    let _ = kill_process(confined, signal);
                }
            }
        }
    }
}

/// Collects children that ended; returns the end of the confined one if it is among them.
fn collect(confined: Pid) -> io::Result<Option<ProcessEnd>> {
    loop {
        match waitpid(None, WaitOptions::NOHANG) {
            Ok(Some((child, status))) if child == confined => {
                return Ok(Some(ProcessEnd::of(status)));
            }
            Ok(Some(_)) => {}
            Ok(None) => return Ok(None),
            Err(why) => return Err(why.into()),
        }
    }
}

/// Returns the signals that a process sent to this one since the last call.
fn sent_signals(signals: &SignalFd) -> io::Result<Vec<u8>> {
    let mut sent = Vec::new();
    while let Some(one) = signals.read_signal()? {
        let is_sent = one.ssi_code <= 0;
        let is_end = one.ssi_signo == Signal::SIGCHLD as u32;
        if let Ok(signal) = u8::try_from(one.ssi_signo)
            && is_sent
            && !is_end
        {
            sent.push(signal);
        }
    }
    Ok(sent)
}

/// Waits until one of some descriptors can be read; returns which.
fn wait_for_any(sources: &[BorrowedFd<'_>]) -> io::Result<Vec<bool>> {
    let mut polled: Vec<PollFd<'_>> = sources
        .iter()
        .map(|source| PollFd::from_borrowed_fd(*source, PollFlags::IN))
        .collect();
    match poll(&mut polled, None) {
        Ok(_) | Err(Errno::INTR) => {}
        Err(why) => return Err(why.into()),
    }
    Ok(polled.iter().map(|one| !one.revents().is_empty()).collect())
}

/// Leaves the standard streams to the confined process: their other ends notice when it closes them.
fn leave_streams() -> io::Result<()> {
    let nothing = disk::nothing().map_err(refused)?;
    dup2_stdin(&nothing)?;
    dup2_stdout(&nothing)?;
    dup2_stderr(&nothing)?;
    Ok(())
}
