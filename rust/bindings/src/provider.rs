//! The agent that our own program is, over HTTP.

use std::collections::BTreeMap;
use std::path::PathBuf;

use chant_provider::conversation::{self, HttpAgentOptions};
use pyo3::prelude::*;

use crate::raise::{Raised, call};

/// Works on a prompt in a folder with a model over HTTP, until the model says that its task is complete.
/// Nothing else may be done in this process: a signal ends it.
#[pyfunction]
#[pyo3(signature = (prompt, *, is_question, provider, endpoint, model, folder, environment, retries, retry_delay_ms, tell))]
#[expect(clippy::too_many_arguments, reason = "the arguments of such an agent")]
pub(crate) fn work_over_http(
    prompt: String,
    is_question: bool,
    provider: String,
    endpoint: String,
    model: String,
    folder: PathBuf,
    environment: BTreeMap<String, String>,
    retries: u32,
    retry_delay_ms: u64,
    tell: Py<PyAny>,
) -> Result<(), Raised> {
    let order = HttpAgentOptions {
        provider,
        endpoint,
        model,
        prompt,
        is_question,
        folder,
        environment,
        retries,
        retry_delay_ms,
    };
    let mut say = |line: &str| {
        // No one listens any more: the process that started this ends it.
        let _ = Python::attach(|py| tell.call1(py, (line,)).map(drop));
    };
    call(|| conversation::run_agent_process(&order, &mut say))
}
