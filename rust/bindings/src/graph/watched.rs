//! Long questions: progress is reported where they were asked, and the caller can interrupt them.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use chant_base::error::Error;
use chant_graph::network::{NetworkError, ProgressWatch};
use pyo3::prelude::*;

use crate::raise::{Raised, call};

/// The time that a question works before its progress is reported again.
const RETRY_DELAY: Duration = Duration::from_millis(50);

/// The progress of a question, shared by the thread that works on it and the one that reports it.
#[derive(Default)]
struct SharedProgress {
    done: AtomicUsize,
    total: AtomicUsize,
    is_stopped: AtomicBool,
}

impl SharedProgress {
    /// Notes the progress; false says that the work is to stop.
    fn note(&self, done: usize, total: usize) -> bool {
        self.done.store(done, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
        !self.is_stopped.load(Ordering::Relaxed)
    }

    /// Looks for signals and reports the progress.
    fn report(&self, progress: Option<&Py<PyAny>>) -> PyResult<()> {
        Python::attach(|py| {
            py.check_signals()?;
            let done = self.done.load(Ordering::Relaxed);
            let total = self.total.load(Ordering::Relaxed);
            match progress.filter(|_| total > 0) {
                Some(progress) => progress.call1(py, (done, total)).map(drop),
                None => Ok(()),
            }
        })
    }
}

/// Answers a question in a thread of its own, while this one reports to `progress` how far it is (`done`,
/// `total`) and looks for signals. An exception of either stops the work and is raised.
pub(super) fn watched<T: Send>(
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(ProgressWatch<'_>) -> Result<T, NetworkError> + Send,
) -> Result<T, Raised> {
    let shared = SharedProgress::default();
    let mut raised = None;
    let mut look = || {
        if raised.is_none() {
            raised = shared.report(progress.as_ref()).err();
            shared.is_stopped.store(raised.is_some(), Ordering::Relaxed);
        }
    };
    let outcome = call(|| answer_beside(&shared, work, &mut look));
    match raised {
        Some(error) => Err(error.into()),
        None => outcome,
    }
}

/// Works in a thread of its own; this one calls `look` now and then, until that thread drops its sender.
fn answer_beside<T: Send>(
    shared: &SharedProgress,
    work: impl FnOnce(ProgressWatch<'_>) -> Result<T, NetworkError> + Send,
    look: &mut (dyn FnMut() + Send),
) -> Result<T, Error> {
    thread::scope(|scope| {
        let (sender, ended) = channel::<()>();
        let worker = scope.spawn(move || {
            let _sender = sender;
            work(&|done, total| shared.note(done, total))
        });
        while ended.recv_timeout(RETRY_DELAY) == Err(RecvTimeoutError::Timeout) {
            look();
        }
        let answer = worker
            .join()
            .unwrap_or_else(|payload| resume_unwind(payload));
        answer.map_err(Error::from)
    })
}
