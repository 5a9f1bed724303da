//! `WorkerMachine`: jobs of other machines on this one.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use chant_spec_runs::worker_job::{
    JobListener, LARGEST_BUNDLE, WorkerOptions, kept_work, run_job, sweep, worker_offer,
};
use chant_specs::project::ZonedClock;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use pyo3::prelude::*;

use crate::raise::{Answered, Raised, answer, call};
use crate::stop::disk_of_user;

/// This machine as one that does jobs of others.
#[pyclass(frozen, module = "chant_mcp._core")]
pub(crate) struct WorkerMachine {
    options: WorkerOptions,
}

#[pymethods]
impl WorkerMachine {
    #[new]
    #[pyo3(signature = (*, user_config = None, environment = BTreeMap::new(), program = Vec::new(), prompts = None,
                        trusted = Vec::new(), remotes = Vec::new(), agents = Vec::new(), largest_bundle = LARGEST_BUNDLE,
                        stop_at = None))]
    #[expect(clippy::too_many_arguments, reason = "the arguments of a machine")]
    fn new(
        py: Python<'_>,
        user_config: Option<PathBuf>,
        environment: BTreeMap<String, String>,
        program: Vec<String>,
        prompts: Option<PathBuf>,
        trusted: Vec<String>,
        remotes: Vec<String>,
        agents: Vec<String>,
        largest_bundle: u64,
        stop_at: Option<String>,
    ) -> Self {
        let disk = disk_of_user(py, stop_at, None, &environment);
        let clock = ZonedClock {
            now: Timestamp::now,
            zone: TimeZone::system(),
        };
        Self {
            options: WorkerOptions {
                user_config,
                environment,
                program,
                prompts,
                clock,
                disk,
                trusted,
                remotes,
                agents,
                largest_bundle: largest_bundle.min(LARGEST_BUNDLE),
            },
        }
    }

    /// Does the job of a folder; `tell` gets its news, each a JSON object.
    fn run_job(&self, folder: PathBuf, tell: Py<PyAny>) -> Result<String, Raised> {
        let tell: JobListener = Arc::new(move |news| {
            // The job goes on when no one listens any more.
            let _ = Python::attach(|py| tell.call1(py, (news.to_string(),)).map(drop));
        });
        call(|| run_job(&self.options, &folder, &tell))
    }

    /// Looks after the jobs of a worker's folder, or after one of them.
    #[pyo3(signature = (worker, *, only = None))]
    fn sweep(&self, worker: PathBuf, only: Option<&str>) -> Answered {
        answer(|| sweep(&self.options, &worker, only))
    }

    /// The agents, accounts and room that this machine offers.
    #[pyo3(signature = (worker, *, built_in = false))]
    fn offer(&self, worker: PathBuf, built_in: bool) -> Answered {
        answer(|| worker_offer(&self.options, &worker, built_in))
    }

    /// The work in a worker's folder that could not be returned.
    #[staticmethod]
    fn kept_work(worker: PathBuf) -> Answered {
        answer(|| kept_work(&worker))
    }
}
