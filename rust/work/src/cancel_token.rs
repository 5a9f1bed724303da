//! Asks the runner to end, by a signal or from code, and wakes it up.

use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::WorkError;
use rustix::event::{PollFd, PollFlags, poll};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::{flag, low_level::pipe};

/// A request to end, with a descriptor that wakes the runner up.
pub struct CancelToken {
    is_cancelled: Arc<AtomicBool>,
    wakes: UnixStream,
    woken: UnixStream,
}

impl CancelToken {
    /// Creates one without a request.
    ///
    /// # Errors
    /// `System` when there are no sockets left.
    pub fn new() -> Result<Self, WorkError> {
        let (wakes, woken) = UnixStream::pair().map_err(failed)?;
        wakes.set_nonblocking(true).map_err(failed)?;
        Ok(Self {
            is_cancelled: Arc::new(AtomicBool::new(false)),
            wakes,
            woken,
        })
    }

    /// Creates one that listens to signals.
    ///
    /// # Errors
    /// As [`CancelToken::listen`].
    pub fn listening() -> Result<Self, WorkError> {
        let token = Self::new()?;
        token.listen()?;
        Ok(token)
    }

    /// Takes SIGTERM, SIGINT and SIGHUP as requests to end for the rest of the process's life: they
    /// no longer end it themselves.
    ///
    /// # Errors
    /// `System`.
    pub fn listen(&self) -> Result<(), WorkError> {
        for signal in [SIGTERM, SIGINT, SIGHUP] {
            flag::register(signal, Arc::clone(&self.is_cancelled)).map_err(failed)?;
            let wakes = self.wakes.try_clone().map_err(failed)?;
            pipe::register(signal, wakes).map_err(failed)?;
        }
        Ok(())
    }

    /// Asks the runner to end.
    pub fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::SeqCst);
        // A full pipe wakes the runner as well.
        let _ = (&self.wakes).write(&[1]);
    }

    /// Returns true if the runner is asked to end.
    pub fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::SeqCst)
    }

    /// Calls `act`, on a thread of its own, as soon as the runner is asked to end.
    ///
    /// # Errors
    /// `System`.
    pub fn on_cancel(&self, act: impl FnOnce() + Send + 'static) -> Result<(), WorkError> {
        let woken = self.woken.try_clone().map_err(failed)?;
        let is_cancelled = Arc::clone(&self.is_cancelled);
        std::thread::spawn(move || {
            while !is_cancelled.load(Ordering::SeqCst) {
                let mut wakes = [PollFd::new(&woken, PollFlags::IN)];
                let _ = poll(&mut wakes, None);
            }
            act();
        });
        Ok(())
    }

    /// Returns a descriptor that becomes readable, for good, when the runner is asked to end.
    pub(super) fn wakes_up(&self) -> BorrowedFd<'_> {
        self.woken.as_fd()
    }
}

fn failed(source: io::Error) -> WorkError {
    WorkError::System {
        action: "listen to signals",
        source,
    }
}
