//! `Changes`: waiting for what becomes of the items of a workspace.

use std::sync::{Mutex, PoisonError};

use chant_config::seconds_of;
use chant_store::changes::StopSignal;
use chant_workspace::change_feed::{ChangeKind, ItemChange};
use chant_workspace::changes::{ChangeInterest, ItemChanges};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::raise::{Raised, call};
use crate::workspace::PyWorkspace;

/// The changes from now on.
#[pyclass(name = "Changes", frozen, module = "chant_mcp._core")]
pub(crate) struct PyChanges {
    workspace: Py<PyWorkspace>,
    changes: Mutex<ItemChanges>,
    signal: StopSignal,
}

impl PyChanges {
    pub(crate) fn begin(workspace: Py<PyWorkspace>) -> Result<Self, Raised> {
        let started = {
            let workspace: &chant_workspace::Workspace = &workspace.get().workspace;
            call(|| ItemChanges::begin(workspace))?
        };
        Ok(Self {
            workspace,
            changes: Mutex::new(started),
            signal: StopSignal::default(),
        })
    }
}

#[pymethods]
impl PyChanges {
    /// Waits at most so many seconds; the keys of what was added, changed and removed, all changes with states, and
    /// the cursor behind them; `reset` where more changed than is remembered, `around` where the problems of files or
    /// the formats in the folder may be others. `None` for nothing. With `around` those alone end it, too.
    #[pyo3(signature = (seconds, *, around = false))]
    fn wait<'py>(
        &self,
        py: Python<'py>,
        seconds: f64,
        around: bool,
    ) -> Result<Option<Bound<'py, PyDict>>, Raised> {
        let most = seconds_of(seconds);
        let workspace = &self.workspace.get().workspace;
        let interest = if around {
            ChangeInterest::Surroundings
        } else {
            ChangeInterest::Items
        };
        let found = call(|| {
            let mut changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
            let found = changes.wait(workspace, most, interest, &self.signal)?;
            Ok(found.map(|found| (found, changes.cursor())))
        })?;
        let Some((found, cursor)) = found else {
            return Ok(None);
        };
        let dict = PyDict::new(py);
        dict.set_item("added", found.keys(ChangeKind::Added))?;
        dict.set_item("changed", found.keys(ChangeKind::Changed))?;
        dict.set_item("removed", found.keys(ChangeKind::Removed))?;
        dict.set_item("reset", found.is_reset)?;
        dict.set_item("around", found.is_around)?;
        dict.set_item("cursor", cursor.to_string())?;
        dict.set_item("changes", change_rows(py, &found.changes)?)?;
        Ok(Some(dict))
    }

    /// Ends waits that are under way in other threads, and those to come.
    fn stop(&self) {
        self.signal.stop();
    }
}

/// Changes as plain values.
pub(crate) fn change_rows<'py>(
    py: Python<'py>,
    changes: &[ItemChange],
) -> PyResult<Bound<'py, PyList>> {
    let rows = changes.iter().map(|change| {
        let row = PyDict::new(py);
        row.set_item("key", &change.key)?;
        row.set_item("what", change.kind.word())?;
        row.set_item("state", change.state.as_deref())?;
        row.set_item("version", change.version)?;
        Ok(row)
    });
    PyList::new(py, rows.collect::<PyResult<Vec<_>>>()?)
}
