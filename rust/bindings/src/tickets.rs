//! `TicketProjects`: the ten tools of the tickets dialect as methods.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use chant_base::answer::{DEFAULT_CHARS, DEFAULT_LIMIT as DEFAULT_PAGE, PageRequest};
use chant_tickets::ops::{
    self, DEFAULT_LIMIT, DetailLevel, SectionCall, TicketFilters, TicketTextRange,
};
use chant_tickets::picture::PictureExtent;
use chant_tickets::project_registry::ProjectRegistry;
use chant_tickets::projects::DiscoveryInputs;
use chant_workspace::external_items;
use jiff::Timestamp;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::answer::PyAnswer;
use crate::raise::{Raised, ticket_answer};
use crate::stop::{disk_of_user, of_run_in};
use crate::values::object;

// Python shows a default only when it is written out in the signature.
const _: () = assert!(DEFAULT_LIMIT == 20 && DEFAULT_CHARS == 40_000 && DEFAULT_PAGE == 50);

/// Change-request tickets of all projects that are found from a folder. Safe to share between threads;
/// every answer is as of the moment it is asked for.
#[pyclass(frozen, module = "chant_mcp._core")]
pub(crate) struct TicketProjects {
    pub(crate) desk: Arc<ProjectRegistry>,
}

#[pymethods]
impl TicketProjects {
    #[new]
    #[pyo3(signature = (start, *, config_folder = None, home = None, variables = BTreeMap::new(), state_home = None,
                        stop_at = None, of_run = false))]
    #[expect(clippy::too_many_arguments, reason = "what projects have to be told")]
    fn new(
        py: Python<'_>,
        start: PathBuf,
        config_folder: Option<PathBuf>,
        home: Option<PathBuf>,
        variables: BTreeMap<String, String>,
        state_home: Option<PathBuf>,
        stop_at: Option<String>,
        of_run: bool,
    ) -> Self {
        let disk = disk_of_user(py, stop_at, state_home, &BTreeMap::new());
        let disk = of_run_in(disk, of_run.then_some(&start));
        let surroundings = DiscoveryInputs {
            start,
            config_folder,
            home,
            variables,
        };
        let desk = py.detach(|| ProjectRegistry::open(surroundings, disk, Timestamp::now));
        Self {
            desk: Arc::new(desk.with_external(external_items)),
        }
    }

    /// All projects that are found.
    fn list_projects(&self, py: Python<'_>) -> Result<PyAnswer, Raised> {
        ticket_answer(py, || Ok(ops::list_projects(&self.desk)))
    }

    /// One project, and how many tickets it has in each status.
    fn get_project_info(&self, py: Python<'_>, key: &str) -> Result<PyAnswer, Raised> {
        ticket_answer(py, || ops::get_project_info(&self.desk, key))
    }

    /// Tickets that the filters let through, the highest number first.
    #[pyo3(signature = (project = None, *, filters = None, limit = 20, offset = 0, fields = None))]
    fn list_crs(
        &self,
        py: Python<'_>,
        project: Option<&str>,
        filters: Option<&Bound<'_, PyDict>>,
        limit: usize,
        offset: usize,
        fields: Option<Vec<String>>,
    ) -> Result<PyAnswer, Raised> {
        let filters = filters.map(object).transpose()?.unwrap_or_default();
        ticket_answer(py, || {
            let board = self.desk.board(project, None)?;
            let filters = TicketFilters::read(&filters)?;
            ops::list_crs(
                &board,
                &filters,
                PageRequest { limit, offset },
                fields.as_deref(),
            )
        })
    }

    /// One ticket: the whole, its attributes, or what can be known without its text.
    #[pyo3(signature = (project, key, *, mode = "full", offset = 0, max_chars = 40000))]
    fn get_cr(
        &self,
        py: Python<'_>,
        project: Option<&str>,
        key: &str,
        mode: &str,
        offset: usize,
        max_chars: usize,
    ) -> Result<PyAnswer, Raised> {
        ticket_answer(py, || {
            let board = self.desk.board(project, Some(key))?;
            ops::get_cr(
                &board,
                key,
                DetailLevel::read(mode)?,
                TicketTextRange { offset, max_chars },
            )
        })
    }

    /// Makes a ticket under the next number.
    fn create_cr(
        &self,
        py: Python<'_>,
        project: Option<&str>,
        r#type: &str,
        data: &Bound<'_, PyDict>,
    ) -> Result<PyAnswer, Raised> {
        let data = object(data)?;
        ticket_answer(py, || {
            ops::create_from_template(&self.desk, project, r#type, &data)
        })
    }

    /// Changes attributes of a ticket, all but its status.
    #[pyo3(signature = (project, key, attributes, *, seen = None))]
    fn update_cr_attrs(
        &self,
        py: Python<'_>,
        project: Option<&str>,
        key: &str,
        attributes: &Bound<'_, PyDict>,
        seen: Option<&Bound<'_, PyDict>>,
    ) -> Result<PyAnswer, Raised> {
        let attributes = object(attributes)?;
        let seen = seen.map(object).transpose()?.unwrap_or_default();
        ticket_answer(py, || {
            let board = self.desk.board(project, Some(key))?;
            ops::update_cr_attrs(&board, key, &attributes, &seen)
        })
    }

    /// Moves a ticket along its workflow.
    fn update_cr_status(
        &self,
        py: Python<'_>,
        project: Option<&str>,
        key: &str,
        status: &str,
    ) -> Result<PyAnswer, Raised> {
        ticket_answer(py, || {
            let board = self.desk.board(project, Some(key))?;
            ops::update_cr_status(&board, key, status)
        })
    }

    /// Removes a ticket; its number is not given again.
    fn delete_cr(
        &self,
        py: Python<'_>,
        project: Option<&str>,
        key: &str,
    ) -> Result<PyAnswer, Raised> {
        ticket_answer(py, || {
            ops::delete_cr(&*self.desk.board(project, Some(key))?, key)
        })
    }

    /// Reads, replaces or extends one section of a ticket.
    #[pyo3(signature = (project, key, operation, *, section = None, update_mode = None, content = None,
                        expect = None, offset = 0, max_chars = 40000))]
    #[expect(clippy::too_many_arguments, reason = "the tool's own parameters")]
    fn manage_cr_sections(
        &self,
        py: Python<'_>,
        project: Option<&str>,
        key: &str,
        operation: &str,
        section: Option<&str>,
        update_mode: Option<&str>,
        content: Option<&str>,
        expect: Option<&str>,
        offset: usize,
        max_chars: usize,
    ) -> Result<PyAnswer, Raised> {
        let call = SectionCall {
            key,
            operation,
            section,
            update_mode,
            content,
            expect,
            piece: TicketTextRange { offset, max_chars },
        };
        ticket_answer(py, || {
            ops::manage_cr_sections(&*self.desk.board(project, Some(key))?, &call)
        })
    }

    /// A score of a ticket, and what would better it.
    fn suggest_cr_improvements(
        &self,
        py: Python<'_>,
        project: Option<&str>,
        key: &str,
    ) -> Result<PyAnswer, Raised> {
        ticket_answer(py, || ops::suggest(&self.desk, project, key))
    }

    /// All that is known of a ticket, however long the answer.
    fn ticket(&self, py: Python<'_>, project: Option<&str>, key: &str) -> Result<PyAnswer, Raised> {
        ticket_answer(py, || {
            ops::ticket(&*self.desk.board(project, Some(key))?, key)
        })
    }

    /// Approved tickets that wait for nothing.
    #[pyo3(signature = (project = None, *, limit = 50, offset = 0))]
    fn ready(
        &self,
        py: Python<'_>,
        project: Option<&str>,
        limit: usize,
        offset: usize,
    ) -> Result<PyAnswer, Raised> {
        ticket_answer(py, || {
            ops::ready(
                &*self.desk.board(project, None)?,
                PageRequest { limit, offset },
            )
        })
    }

    /// Returns the dependencies between tickets, and tickets that wait for one another.
    #[pyo3(signature = (project = None, *, limit = 50, offset = 0))]
    fn graph(
        &self,
        py: Python<'_>,
        project: Option<&str>,
        limit: usize,
        offset: usize,
    ) -> Result<PyAnswer, Raised> {
        ticket_answer(py, || {
            ops::graph(
                &*self.desk.board(project, None)?,
                PageRequest { limit, offset },
            )
        })
    }

    /// Returns the dependencies between tickets as a picture.
    #[pyo3(signature = (project = None, format = "tree", *, all = false))]
    fn picture(
        &self,
        py: Python<'_>,
        project: Option<&str>,
        format: &str,
        all: bool,
    ) -> Result<PyAnswer, Raised> {
        let extent = if all {
            PictureExtent::All
        } else {
            PictureExtent::Waiting
        };
        ticket_answer(py, || {
            ops::picture(&*self.desk.board(project, None)?, format, extent)
        })
    }
}
