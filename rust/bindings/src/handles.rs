//! The base of the handles of scripts: items as plain values, transactions, changes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chant_base::error::Error;
use chant_speckit::files::CallerIdentity;
use chant_speckit::ops::CompletionOptions;
use chant_speckit::staged::CompletionRequest;
use chant_specs::ops::{NewSpec, SpecOperation};
use chant_vine::ops::OperationBatch;
use chant_workspace::transaction::ItemOperation;
use chant_workspace::{handle, plan_answers, transaction};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::answer::PlainValue;
use crate::parameters::{KeywordArguments, read};
use crate::raise::{Raised, call};
use crate::values::{list, object};
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

    fn __bool__(&self) -> bool {
        !self.selection.is_empty()
    }

    fn keys(&self) -> Vec<&str> {
        self.selection.keys()
    }

    /// All that is known of the item at a place.
    fn at(&self, place: usize) -> Result<PlainValue, Raised> {
        let value = call(|| Ok(self.selection.at(place)))?;
        let value = value.ok_or_else(|| PyIndexError::new_err("no item stands there"))?;
        Ok(PlainValue(value))
    }
}

/// Changes of items: each is tried when it is asked for, all are written together or none.
#[pyclass(name = "Transaction", frozen, module = "chant_mcp._core")]
pub(crate) struct PyTransaction {
    workspace: Py<PyWorkspace>,
    transaction: Mutex<transaction::Transaction>,
}

impl PyTransaction {
    pub(crate) fn begin(workspace: Py<PyWorkspace>) -> Result<Self, Raised> {
        let started = {
            let workspace = &workspace.get().workspace;
            call(|| transaction::Transaction::begin(workspace))?
        };
        Ok(Self {
            workspace,
            transaction: Mutex::new(started),
        })
    }

    fn transaction(&self) -> MutexGuard<'_, transaction::Transaction> {
        self.transaction
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn play(&self, operation: ItemOperation) -> Result<PlainValue, Raised> {
        let workspace = &self.workspace.get().workspace;
        call(|| self.transaction().apply(workspace, operation)).map(PlainValue)
    }
}

#[pymethods]
impl PyTransaction {
    fn __len__(&self) -> usize {
        self.transaction().len()
    }

    /// Changes keys, criteria and text of a spec; gives it as it would be.
    ///
    /// Further keywords: those of `chant_mcp.parameters.SpecUpdateOfHandle`.
    #[pyo3(signature = (id, **changes))]
    fn update(&self, id: String, changes: Option<KeywordArguments>) -> Result<PlainValue, Raised> {
        let update = Box::new(read(changes.as_ref())?);
        self.play(ItemOperation::Spec(SpecOperation::Update { id, update }))
    }

    /// A new spec; gives it as it would be.
    ///
    /// Further keywords: those of `chant_mcp.parameters.NewSpecOfPerson`.
    #[pyo3(signature = (description, **content))]
    fn add(
        &self,
        description: String,
        content: Option<KeywordArguments>,
    ) -> Result<PlainValue, Raised> {
        let new = Box::new(NewSpec {
            description,
            ..read(content.as_ref())?
        });
        let operation = SpecOperation::Add { new, id: None };
        self.play(ItemOperation::Spec(operation))
    }

    /// Attributes and the state of a ticket; gives it as it would be.
    #[pyo3(signature = (key, attributes, status = None, *, seen = None))]
    fn update_ticket(
        &self,
        key: String,
        attributes: &Bound<'_, PyDict>,
        status: Option<String>,
        seen: Option<&Bound<'_, PyDict>>,
    ) -> Result<PlainValue, Raised> {
        let operation = chant_tickets::ops::TicketOperation::Update {
            key,
            attributes: object(attributes)?,
            seen: seen.map(object).transpose()?.unwrap_or_default(),
            status,
        };
        self.play(ItemOperation::Ticket(operation))
    }

    /// A section of a ticket; gives the ticket as it would be.
    fn change_section(
        &self,
        key: String,
        mode: String,
        section: String,
        content: String,
        expect: Option<String>,
    ) -> Result<PlainValue, Raised> {
        let operation = chant_tickets::ops::TicketOperation::Section {
            key,
            mode,
            section,
            content,
            expect,
        };
        self.play(ItemOperation::Ticket(operation))
    }

    /// A new ticket; gives it as it would be.
    #[pyo3(signature = (r#type, data, project = None))]
    fn add_ticket(
        &self,
        r#type: String,
        data: &Bound<'_, PyDict>,
        project: Option<String>,
    ) -> Result<PlainValue, Raised> {
        let operation = chant_tickets::ops::TicketOperation::Create {
            project,
            kind: r#type,
            data: object(data)?,
            code: None,
        };
        self.play(ItemOperation::Ticket(operation))
    }

    /// Operations on a task graph that is there.
    #[pyo3(signature = (file, operations, *, expect = None, expect_description = None))]
    fn write(
        &self,
        file: String,
        operations: &Bound<'_, PyAny>,
        expect: Option<String>,
        expect_description: Option<(String, String)>,
    ) -> Result<(), Raised> {
        let batch = OperationBatch {
            file,
            operations: list(operations)?,
            expect,
            expect_description,
        };
        self.play(ItemOperation::Plan(batch)).map(drop)
    }

    /// Ticks a task of a feature; gives it as it would be.
    ///
    /// Further keywords: those of `chant_mcp.parameters.CompletionOptionsOfCaller`.
    #[pyo3(signature = (feature, task_id, *, session, **options))]
    fn complete(
        &self,
        feature: String,
        task_id: String,
        session: String,
        options: Option<KeywordArguments>,
    ) -> Result<PlainValue, Raised> {
        let options: CompletionOptions = read(options.as_ref())?;
        let completion = CompletionRequest {
            feature,
            id: task_id,
            skips: options.skip_validation,
            who: CallerIdentity {
                session,
                agent: options.agent,
            },
        };
        self.play(ItemOperation::Feature(completion))
    }

    /// Edits an item of a plan; gives it as it would be.
    ///
    /// Further keywords: those of `chant_mcp.parameters.ItemEditsOfHandle`.
    #[pyo3(signature = (id, **edits))]
    fn edit_item(&self, id: &str, edits: Option<KeywordArguments>) -> Result<PlainValue, Raised> {
        let edits = read(edits.as_ref())?;
        let operation = plan_answers::edit_operation(id, &edits).map_err(Error::from)?;
        self.play(ItemOperation::Intent(operation))
    }

    /// Adds an item to a plan; gives it as it would be.
    ///
    /// Further keywords: those of `chant_mcp.parameters.NewItem`.
    #[pyo3(signature = (title, **content))]
    fn add_item(
        &self,
        title: &str,
        content: Option<KeywordArguments>,
    ) -> Result<PlainValue, Raised> {
        let new = read(content.as_ref())?;
        let workspace = &self.workspace.get().workspace;
        let operation = call(|| plan_answers::add_operation(workspace, title, &new))?;
        self.play(ItemOperation::Intent(operation))
    }

    /// The item that a name means as it would be.
    fn handle(&self, name: &str) -> Result<PlainValue, Raised> {
        let workspace = &self.workspace.get().workspace;
        call(|| self.transaction().item(workspace, name)).map(PlainValue)
    }

    /// A task graph as it would be; `None` for one that is not changed.
    fn plan(&self, path: &str) -> Option<PyVineDocument> {
        let transaction = self.transaction();
        let document = transaction.plan(path).map(Arc::clone)?;
        Some(PyVineDocument { document })
    }

    /// Writes all changes, or none; gives an ID for each, and warnings.
    fn commit(&self) -> Result<(Vec<String>, Vec<String>), Raised> {
        let workspace = &self.workspace.get().workspace;
        let done = call(|| self.transaction().commit(workspace))?;
        Ok((done.ids, done.warnings))
    }
}

/// The sections of a body: level, title, name and text of each.
#[pyfunction]
pub(crate) fn body_sections(body: &str) -> Result<Vec<(u8, String, String, String)>, Raised> {
    call(|| Ok(handle::sections(body)))
}

/// The name and the text of the section that a name means; `key` is what holds the body.
#[pyfunction]
pub(crate) fn body_section(body: &str, name: &str, key: &str) -> Result<(String, String), Raised> {
    call(|| {
        let (name, text) = chant_tickets::ops::section(body, name, key).map_err(Error::from)?;
        Ok((name, text.to_owned()))
    })
}
