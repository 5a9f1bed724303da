//! Runs calls of the core without the interpreter, also in a process that was split off.

use std::process;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The process that called the core first: the threads that work for all calls are its own.
static FIRST: OnceLock<u32> = OnceLock::new();

/// The threads of a process that was split off from that one.
static OWN: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// Runs a call of the core without the interpreter.
///
/// A process that `os.fork` split off has none of the threads that its calls are shared between, and would wait
/// for them for ever: it gets threads of its own.
pub(crate) fn detached<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let run = || {
        let this = process::id();
        let own = (*FIRST.get_or_init(|| this) != this).then(|| threads_of(this));
        match own.flatten() {
            Some(threads) => threads.install(work),
            None => work(),
        }
    };
    Python::attach(|py| py.detach(run))
}

fn threads_of(this: u32) -> Option<Arc<ThreadPool>> {
    let mut own = OWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((process, threads)) = &*own
        && *process == this
    {
        return Some(Arc::clone(threads));
    }
    let threads = Arc::new(ThreadPoolBuilder::new().build().ok()?);
    // Those of the process before are not here, so that nothing can end them.
    std::mem::forget(own.replace((this, Arc::clone(&threads))));
    Some(threads)
}
