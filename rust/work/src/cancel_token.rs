//! Asks the runner to end, by a signal or from code, and wakes it up.

use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{PollFd, PollFlags, poll};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::{flag, low_level::pipe};

/// A request to end, with a descriptor that wakes the runner up.
pub struct CancelToken {
    is_told: Arc<AtomicBool>,
    wakes: UnixStream,
    woken: UnixStream,
}

impl CancelToken {
    /// Creates one without a request.
    ///
    /// # Errors
    /// The error of the system when there are no sockets left.
    pub fn new() -> io::Result<Self> {
        let (wakes, woken) = UnixStream::pair()?;
        wakes.set_nonblocking(true)?;
        Ok(Self {
            is_told: Arc::new(AtomicBool::new(false)),
            wakes,
            woken,
        })
    }

    /// Takes SIGTERM, SIGINT and SIGHUP as requests to end for the rest of the process's life: they
    /// no longer end it themselves.
    ///
    /// # Errors
    /// The error of the system.
    pub fn listen(&self) -> io::Result<()> {
        for signal in [SIGTERM, SIGINT, SIGHUP] {
            flag::register(signal, Arc::clone(&self.is_told))?;
            pipe::register(signal, self.wakes.try_clone()?)?;
        }
        Ok(())
    }

    /// Asks the runner to end.
    pub fn cancel(&self) {
        self.is_told.store(true, Ordering::SeqCst);
        // A full pipe wakes the runner as well.
        let _ = (&self.wakes).write(&[1]);
    }

    /// Returns true if the runner is asked to end.
    pub fn is_told(&self) -> bool {
        self.is_told.load(Ordering::SeqCst)
    }

    /// Calls `act`, on a thread of its own, as soon as the runner is asked to end.
    ///
    /// # Errors
    /// The error of the system.
    pub fn when_told(&self, act: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let (woken, is_told) = (self.woken.try_clone()?, Arc::clone(&self.is_told));
        std::thread::spawn(move || {
            while !is_told.load(Ordering::SeqCst) {
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
