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
const PAUSE: Duration = Duration::from_millis(50);

/// Answers a question in a thread of its own, while this one reports to `progress` how far it is (`done`,
/// `total`) and looks for signals. An exception of either stops the work and is raised.
pub(super) fn watched<T: Send>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(ProgressWatch<'_>) -> Result<T, NetworkError> + Send,
) -> Result<T, Raised> {
    let (done, total) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let is_stopped = AtomicBool::new(false);
    let watch = &|now: usize, of: usize| {
        done.store(now, Ordering::Relaxed);
        total.store(of, Ordering::Relaxed);
        !is_stopped.load(Ordering::Relaxed)
    };
    let look = || {
        Python::attach(|py| {
            py.check_signals()?;
            let (done, total) = (done.load(Ordering::Relaxed), total.load(Ordering::Relaxed));
            match progress.as_ref().filter(|_| total > 0) {
                Some(progress) => progress.call1(py, (done, total)).map(drop),
                None => Ok(()),
            }
        })
    };
    let mut raised = None;
    let outcome = call(py, || {
        thread::scope(|scope| {
            let (told, ended) = channel();
            let worker = scope.spawn(move || {
                let answer = work(watch);
                // The receiver lives until the worker ended.
                let _ = told.send(());
                answer
            });
            while ended.recv_timeout(PAUSE) == Err(RecvTimeoutError::Timeout) {
                if raised.is_none() {
                    raised = look().err();
                    is_stopped.store(raised.is_some(), Ordering::Relaxed);
                }
            }
            let answer = worker
                .join()
                .unwrap_or_else(|payload| resume_unwind(payload));
            answer.map_err(Error::from)
        })
    });
    match raised {
        Some(error) => Err(error.into()),
        None => outcome,
    }
}
