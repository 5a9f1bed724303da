//! The language server, on the streams of this process.

use std::collections::BTreeMap;
use std::io::{stdin, stdout};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chant_base::error::Error;
use chant_language_server::{
    ActOutcome, ActPerformer, ActRefusal, ActRequest, ServerOptions, serve,
};
use chant_spec_runs::merge::driver::merge_file;
use chant_spec_runs::recorded_runs::RecordedRuns;
use chant_specs::project::{ProjectOptions, ZonedClock};
use chant_store::disk::{Disk, UnsavedTexts};
use chant_workspace::{DialectStores, Workspace};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

use crate::detached::detached;
use crate::stop::disk_of_user;

/// Answers an editor on standard input and output until it says so or the input ends; true if it ended as the protocol
/// asks for. Nothing else may use these streams meanwhile. Without `perform` it only reads.
#[pyfunction]
#[pyo3(signature = (*, user_config = None, environment = BTreeMap::new(), perform = None))]
pub(crate) fn serve_language(
    py: Python<'_>,
    user_config: Option<PathBuf>,
    environment: BTreeMap<String, String>,
    perform: Option<Py<PyAny>>,
) -> PyResult<bool> {
    let disk = disk_of_user(py, None, None, &environment);
    let opener = move |root: &Path, unsaved: &UnsavedTexts| {
        opened(root, &disk, unsaved, user_config.as_deref(), &environment)
    };
    let options = ServerOptions {
        opener: Arc::new(opener),
        merge_specs: |[base, ours, theirs]: [&str; 3], markers| {
            let [base, ours, theirs] = [base, ours, theirs].map(str::as_bytes);
            let merged = merge_file(base, ours, theirs, markers);
            String::from_utf8_lossy(&merged.bytes).into_owned()
        },
        performer: perform.map(|perform| Arc::new(performer_of(perform)) as Arc<ActPerformer>),
        clock: || Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
    };
    let ended = detached(|| serve(stdin(), &mut stdout(), options));
    ended.map_err(|error| PyOSError::new_err(error.to_string()))
}

/// Performs acts by a function of the act, the project and the item, which gives a sentence and an address to show.
fn performer_of(
    perform: Py<PyAny>,
) -> impl Fn(&ActRequest) -> Result<ActOutcome, ActRefusal> + Send + Sync {
    move |request| {
        Python::attach(|py| {
            let given = (request.act, &request.root, &request.name);
            let found = perform
                .bind(py)
                .call1(given)
                .and_then(|found| found.extract());
            let (message, shown) =
                found.map_err(|error| ActRefusal(error.value(py).to_string()))?;
            Ok(ActOutcome { message, shown })
        })
    }
}

fn opened(
    root: &Path,
    disk: &Disk,
    unsaved: &UnsavedTexts,
    user_config: Option<&Path>,
    environment: &BTreeMap<String, String>,
) -> Result<Workspace, Error> {
    let parts = DialectStores::read_only(ProjectOptions {
        root: root.to_owned(),
        user_config: user_config.map(Path::to_owned),
        searched: Vec::new(),
        environment: environment.clone(),
        program: Vec::new(),
        prompts: None,
        trust: None,
        runs: &RecordedRuns,
        clock: ZonedClock {
            now: Timestamp::now,
            zone: TimeZone::system(),
        },
        disk: disk.clone().with_unsaved(unsaved),
    })?;
    Ok(Workspace::open(root, parts))
}
