//! The base of the handles of scripts: items as plain values, transactions, changes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chant_base::error::Error;
use chant_config::seconds_of;
use chant_speckit::files::CallerIdentity;
use chant_speckit::staged::CompletionRequest;
use chant_specs::ops::{self as specs, NewSpec, SpecUpdate};
use chant_vine::ops::OperationBatch;
use chant_workspace::transaction::ItemOperation;
use chant_workspace::{changes, handle, transaction};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;

use crate::answer::plain;
use crate::raise::{Raised, call};
use crate::values::{object, value};
use crate::vine::PyVineDocument;
use crate::workspace::PyWorkspace;

/// Items as of one moment; each becomes plain values when it is asked for.
#[pyclass(name = "Selection", frozen, module = "chant_mcp._core")]
pub(crate) struct PySelection {
    pub(crate) selection: handle::ItemSelection,
}

#[pymethods]
impl PySelection {
    fn __len__(&self) -> usize {
        self.selection.len()
    }

    fn keys(&self) -> Vec<&str> {
        self.selection.keys()
    }

    /// All that is known of the item at a place.
    fn at(&self, py: Python<'_>, place: usize) -> Result<Py<PyAny>, Raised> {
        let value = call(py, || Ok(self.selection.at(place)))?;
        let value = value.ok_or_else(|| PyIndexError::new_err("no item stands there"))?;
        Ok(plain(py, value)?)
    }
}

/// Changes of items: each is tried when it is asked for, all are written together or none.
#[pyclass(name = "Transaction", frozen, module = "chant_mcp._core")]
pub(crate) struct PyTransaction {
    workspace: Py<PyWorkspace>,
    transaction: Mutex<transaction::Transaction>,
}

impl PyTransaction {
    pub(crate) fn begin(py: Python<'_>, workspace: Py<PyWorkspace>) -> Result<Self, Raised> {
        let begun = {
            let workspace = &workspace.get().workspace;
            call(py, || transaction::Transaction::begin(workspace))?
        };
        Ok(Self {
            workspace,
            transaction: Mutex::new(begun),
        })
    }

    fn transaction(&self) -> MutexGuard<'_, transaction::Transaction> {
        self.transaction
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn play(&self, py: Python<'_>, operation: ItemOperation) -> Result<Py<PyAny>, Raised> {
        let workspace = &self.workspace.get().workspace;
        let value = call(py, || self.transaction().apply(workspace, operation))?;
        Ok(plain(py, value)?)
    }
}

#[pymethods]
impl PyTransaction {
    fn __len__(&self) -> usize {
        self.transaction().len()
    }

    #[pyo3(signature = (id, *, status = None, output = None, depends_on = None, labels = None, target_files = None,
                        model = None, check = Vec::new(), uncheck = Vec::new(), replace_body = false, force = false,
                        expect_body = None, seen_lists = BTreeMap::new()))]
    #[expect(clippy::too_many_arguments, reason = "the tool's own parameters")]
    fn update(
        &self,
        py: Python<'_>,
        id: String,
        status: Option<String>,
        output: Option<String>,
        depends_on: Option<Vec<String>>,
        labels: Option<Vec<String>>,
        target_files: Option<Vec<String>>,
        model: Option<String>,
        check: Vec<String>,
        uncheck: Vec<String>,
        replace_body: bool,
        force: bool,
        expect_body: Option<String>,
        seen_lists: BTreeMap<String, Vec<String>>,
    ) -> Result<Py<PyAny>, Raised> {
        let update = Box::new(SpecUpdate {
            status,
            output,
            depends_on,
            labels,
            target_files,
            model,
            check,
            uncheck,
            replace_body,
            force,
            expect_body,
            seen_lists,
        });
        self.play(
            py,
            ItemOperation::Spec(specs::SpecOperation::Update { id, update }),
        )
    }

    #[pyo3(signature = (description, *, prompt = None, criteria = Vec::new(), depends_on = None, labels = Vec::new(),
                        target_files = Vec::new(), r#type = None, parent = None, needs_approval = false))]
    #[expect(clippy::too_many_arguments, reason = "the tool's own parameters")]
    fn add(
        &self,
        py: Python<'_>,
        description: String,
        prompt: Option<String>,
        criteria: Vec<String>,
        depends_on: Option<Vec<String>>,
        labels: Vec<String>,
        target_files: Vec<String>,
        r#type: Option<String>,
        parent: Option<String>,
        needs_approval: bool,
    ) -> Result<Py<PyAny>, Raised> {
        let new = Box::new(NewSpec {
            description,
            prompt,
            criteria,
            depends_on,
            labels,
            target_files,
            kind: r#type,
            parent,
            needs_approval,
        });
        self.play(
            py,
            ItemOperation::Spec(specs::SpecOperation::Add { new, id: None }),
        )
    }

    /// Attributes and the state of a ticket; gives it as it would be.
    #[pyo3(signature = (key, attributes, status = None, *, seen = None))]
    fn update_ticket(
        &self,
        py: Python<'_>,
        key: String,
        attributes: &Bound<'_, PyDict>,
        status: Option<String>,
        seen: Option<&Bound<'_, PyDict>>,
    ) -> Result<Py<PyAny>, Raised> {
        let operation = chant_tickets::ops::TicketOperation::Update {
            key,
            attributes: object(attributes)?,
            seen: seen.map(object).transpose()?.unwrap_or_default(),
            status,
        };
        self.play(py, ItemOperation::Ticket(operation))
    }

    /// A section of a ticket; gives the ticket as it would be.
    fn change_section(
        &self,
        py: Python<'_>,
        key: String,
        mode: String,
        section: String,
        content: String,
        expect: Option<String>,
    ) -> Result<Py<PyAny>, Raised> {
        let operation = chant_tickets::ops::TicketOperation::Section {
            key,
            mode,
            section,
            content,
            expect,
        };
        self.play(py, ItemOperation::Ticket(operation))
    }

    /// A new ticket; gives it as it would be.
    #[pyo3(signature = (r#type, data, project = None))]
    fn add_ticket(
        &self,
        py: Python<'_>,
        r#type: String,
        data: &Bound<'_, PyDict>,
        project: Option<String>,
    ) -> Result<Py<PyAny>, Raised> {
        let operation = chant_tickets::ops::TicketOperation::Create {
            project,
            kind: r#type,
            data: object(data)?,
            code: None,
        };
        self.play(py, ItemOperation::Ticket(operation))
    }

    /// Operations on a task graph that is there.
    #[pyo3(signature = (file, operations, *, expect = None, expect_description = None))]
    fn write(
        &self,
        py: Python<'_>,
        file: String,
        operations: &Bound<'_, PyAny>,
        expect: Option<String>,
        expect_description: Option<(String, String)>,
    ) -> Result<(), Raised> {
        let Value::Array(operations) = value(operations)? else {
            return Err(PyValueError::new_err("expected a list of operations").into());
        };
        let batch = OperationBatch {
            file,
            operations,
            expect,
            expect_description,
        };
        self.play(py, ItemOperation::Plan(batch)).map(drop)
    }

    /// Ticks a task of a feature; gives it as it would be.
    #[pyo3(signature = (feature, task_id, *, session, skip_validation = false, agent = None))]
    fn complete(
        &self,
        py: Python<'_>,
        feature: String,
        task_id: String,
        session: String,
        skip_validation: bool,
        agent: Option<String>,
    ) -> Result<Py<PyAny>, Raised> {
        let completion = CompletionRequest {
            feature,
            id: task_id,
            skips: skip_validation,
            who: CallerIdentity { session, agent },
        };
        self.play(py, ItemOperation::Feature(completion))
    }

    /// The item that a name means as it would be.
    fn handle(&self, py: Python<'_>, name: &str) -> Result<Py<PyAny>, Raised> {
        let workspace = &self.workspace.get().workspace;
        let value = call(py, || self.transaction().item(workspace, name))?;
        Ok(plain(py, value)?)
    }

    /// A task graph as it would be; `None` for one that is not changed.
    fn plan(&self, path: &str) -> Option<PyVineDocument> {
        let transaction = self.transaction();
        let document = transaction.plan(path).map(Arc::clone)?;
        Some(PyVineDocument { document })
    }

    /// Writes all changes, or none; gives an ID for each, and warnings.
    fn commit(&self, py: Python<'_>) -> Result<(Vec<String>, Vec<String>), Raised> {
        let workspace = &self.workspace.get().workspace;
        let done = call(py, || self.transaction().commit(workspace))?;
        Ok((done.ids, done.warnings))
    }
}

/// The changes from now on.
#[pyclass(name = "Changes", frozen, module = "chant_mcp._core")]
pub(crate) struct PyChanges {
    workspace: Py<PyWorkspace>,
    changes: Mutex<changes::ItemChanges>,
}

impl PyChanges {
    pub(crate) fn begin(py: Python<'_>, workspace: Py<PyWorkspace>) -> Result<Self, Raised> {
        let begun = {
            let workspace: &chant_workspace::Workspace = &workspace.get().workspace;
            call(py, || changes::ItemChanges::begin(workspace))?
        };
        Ok(Self {
            workspace,
            changes: Mutex::new(begun),
        })
    }
}

#[pymethods]
impl PyChanges {
    /// Waits at most so many seconds; the keys of what was added, changed and removed, `None` for nothing.
    fn wait<'py>(
        &self,
        py: Python<'py>,
        seconds: f64,
    ) -> Result<Option<Bound<'py, PyDict>>, Raised> {
        let most = seconds_of(seconds);
        let workspace = &self.workspace.get().workspace;
        let found = call(py, || {
            let mut changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
            changes.wait(workspace, most)
        })?;
        let Some(found) = found else {
            return Ok(None);
        };
        let dict = PyDict::new(py);
        dict.set_item("added", found.added)?;
        dict.set_item("changed", found.changed)?;
        dict.set_item("removed", found.removed)?;
        Ok(Some(dict))
    }
}

/// The sections of a body: level, title, name and text of each.
#[pyfunction]
pub(crate) fn body_sections(
    py: Python<'_>,
    body: &str,
) -> Result<Vec<(u8, String, String, String)>, Raised> {
    call(py, || Ok(handle::sections(body)))
}

/// The name and the text of the section that a name means; `key` is what holds the body.
#[pyfunction]
pub(crate) fn body_section(
    py: Python<'_>,
    body: &str,
    name: &str,
    key: &str,
) -> Result<(String, String), Raised> {
    call(py, || {
        let (name, text) = chant_tickets::ops::section(body, name, key).map_err(Error::from)?;
        Ok((name, text.to_owned()))
    })
}
