//! `TicketProjects`: the ten tools of the tickets dialect as methods.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use chant_base::number_claims::NumberClaimsFactory;
use chant_spec_runs::RemoteNumbers;
use chant_spec_runs::recorded_runs::RecordedRuns;
use chant_specs::project::{ProjectOptions, ZonedClock};
use chant_store::disk::Disk;
use chant_tickets::ops::{self, DetailRequest, SectionCall};
use chant_tickets::picture::PictureExtent;
use chant_tickets::project_registry::ProjectRegistry;
use chant_tickets::projects::DiscoveryInputs;
use chant_workspace::external_items;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::detached::detached;
use crate::parameters::{KeywordArguments, read};
use crate::raise::{Answered, ticket_answer};
use crate::stop::{disk_of_user, of_run_in};
use crate::values::object;

/// Change-request tickets of all projects that are found from a folder. Safe to share between threads;
/// every answer is as of the moment it is asked for.
#[pyclass(frozen, module = "chant_mcp._core")]
pub(crate) struct TicketProjects {
    pub(crate) registry: Arc<ProjectRegistry>,
}

#[pymethods]
impl TicketProjects {
    #[new]
    #[pyo3(signature = (start, *, config_folder = None, home = None, variables = BTreeMap::new(), state_home = None,
                        stop_at = None, of_run = false, user_config = None, trust = None))]
    #[expect(clippy::too_many_arguments, reason = "the arguments of projects")]
    fn new(
        py: Python<'_>,
        start: PathBuf,
        config_folder: Option<PathBuf>,
        home: Option<PathBuf>,
        variables: BTreeMap<String, String>,
        state_home: Option<PathBuf>,
        stop_at: Option<String>,
        of_run: bool,
        user_config: Option<PathBuf>,
        trust: Option<String>,
    ) -> Self {
        let disk = disk_of_user(py, stop_at, state_home, &BTreeMap::new());
        let numbers = shared_numbers(disk.clone(), &variables, user_config, trust);
        let disk = of_run_in(disk, of_run.then_some(&start));
        let surroundings = DiscoveryInputs {
            start,
            config_folder,
            home,
            variables,
        };
        let registry = detached(|| ProjectRegistry::open(surroundings, disk, Timestamp::now));
        Self {
            registry: Arc::new(registry.with_external(external_items).with_numbers(numbers)),
        }
    }

    /// All projects that are found.
    fn list_projects(&self) -> Answered {
        ticket_answer(|| Ok(ops::list_projects(&self.registry)))
    }

    /// One project, and how many tickets it has in each status.
    fn get_project_info(&self, key: &str) -> Answered {
        ticket_answer(|| ops::get_project_info(&self.registry, key))
    }

    /// Tickets that the filters let through, the highest number first.
    ///
    /// Further keywords: those of `chant_mcp.parameters.TicketQuery`.
    #[pyo3(signature = (project = None, **query))]
    fn list_crs(&self, project: Option<&str>, query: Option<KeywordArguments>) -> Answered {
        let query = read(query.as_ref())?;
        ticket_answer(|| ops::list_crs_of(&*self.registry.open_store(project, None)?, &query))
    }

    /// One ticket: the whole, its attributes, or what can be known without its text.
    ///
    /// Further keywords: those of `chant_mcp.parameters.DetailRequest`.
    #[pyo3(signature = (project, key, **detail))]
    fn get_cr(
        &self,
        project: Option<&str>,
        key: &str,
        detail: Option<KeywordArguments>,
    ) -> Answered {
        let detail: DetailRequest = read(detail.as_ref())?;
        ticket_answer(|| {
            let store = self.registry.open_store(project, Some(key))?;
            let (level, range) = detail.parts()?;
            ops::get_cr(&store, key, level, range)
        })
    }

    /// Makes a ticket under the next number.
    fn create_cr(&self, project: Option<&str>, r#type: &str, data: &Bound<'_, PyDict>) -> Answered {
        let data = object(data)?;
        ticket_answer(|| ops::create_from_template(&self.registry, project, r#type, &data))
    }

    /// Changes attributes of a ticket, all but its status.
    #[pyo3(signature = (project, key, attributes, *, seen = None))]
    fn update_cr_attrs(
        &self,
        project: Option<&str>,
        key: &str,
        attributes: &Bound<'_, PyDict>,
        seen: Option<&Bound<'_, PyDict>>,
    ) -> Answered {
        let attributes = object(attributes)?;
        let seen = seen.map(object).transpose()?.unwrap_or_default();
        ticket_answer(|| {
            let store = self.registry.open_store(project, Some(key))?;
            ops::update_cr_attrs(&store, key, &attributes, &seen)
        })
    }

    /// Moves a ticket along its workflow.
    fn update_cr_status(&self, project: Option<&str>, key: &str, status: &str) -> Answered {
        ticket_answer(|| {
            let store = self.registry.open_store(project, Some(key))?;
            ops::update_cr_status(&store, key, status)
        })
    }

    /// Removes a ticket; its number is not given again.
    fn delete_cr(&self, project: Option<&str>, key: &str) -> Answered {
        ticket_answer(|| ops::delete_cr(&*self.registry.open_store(project, Some(key))?, key))
    }

    /// Reads, replaces or extends one section of a ticket.
    ///
    /// Further keywords: those of `chant_mcp.parameters.SectionCallOfHandle`.
    #[pyo3(signature = (project, key, operation, **section))]
    fn manage_cr_sections(
        &self,
        project: Option<&str>,
        key: &str,
        operation: &str,
        section: Option<KeywordArguments>,
    ) -> Answered {
        let call = SectionCall {
            key,
            operation,
            ..read(section.as_ref())?
        };
        ticket_answer(|| {
            ops::manage_cr_sections(&*self.registry.open_store(project, Some(key))?, &call)
        })
    }

    /// A score of a ticket, and what would better it.
    fn suggest_cr_improvements(&self, project: Option<&str>, key: &str) -> Answered {
        ticket_answer(|| ops::suggest(&self.registry, project, key))
    }

    /// All that is known of a ticket, however long the answer.
    fn ticket(&self, project: Option<&str>, key: &str) -> Answered {
        ticket_answer(|| ops::ticket(&*self.registry.open_store(project, Some(key))?, key))
    }

    /// The whole text of a ticket's file.
    fn document(&self, project: Option<&str>, key: &str) -> Answered {
        ticket_answer(|| ops::document(&*self.registry.open_store(project, Some(key))?, key))
    }

    /// Approved tickets that wait for nothing.
    ///
    /// Further keywords: those of `chant_mcp.parameters.PageRequest`.
    #[pyo3(signature = (project = None, **page))]
    fn ready(&self, project: Option<&str>, page: Option<KeywordArguments>) -> Answered {
        let page = read(page.as_ref())?;
        ticket_answer(|| ops::ready(&*self.registry.open_store(project, None)?, page))
    }

    /// Returns the dependencies between tickets, and tickets that wait for one another.
    ///
    /// Further keywords: those of `chant_mcp.parameters.PageRequest`.
    #[pyo3(signature = (project = None, **page))]
    fn graph(&self, project: Option<&str>, page: Option<KeywordArguments>) -> Answered {
        let page = read(page.as_ref())?;
        ticket_answer(|| ops::graph(&*self.registry.open_store(project, None)?, page))
    }

    /// Returns the dependencies between tickets as a picture.
    #[pyo3(signature = (project = None, format = "tree", *, all = false))]
    fn picture(&self, project: Option<&str>, format: &str, all: bool) -> Answered {
        let extent = if all {
            PictureExtent::All
        } else {
            PictureExtent::Waiting
        };
        ticket_answer(|| ops::picture(&*self.registry.open_store(project, None)?, format, extent))
    }
}

/// Gives the projects of tickets what claims their numbers, where the configuration beside them has leases.
fn shared_numbers(
    disk: Disk,
    environment: &BTreeMap<String, String>,
    user_config: Option<PathBuf>,
    trust: Option<String>,
) -> NumberClaimsFactory {
    let environment = environment.clone();
    Arc::new(move |root| {
        let root = root.to_owned();
        let (disk, environment) = (disk.clone(), environment.clone());
        let (user_config, trust) = (user_config.clone(), trust.clone());
        let options = {
            let root = root.clone();
            move || ProjectOptions {
                root: root.clone(),
                user_config: user_config.clone(),
                searched: Vec::new(),
                environment: environment.clone(),
                program: Vec::new(),
                prompts: None,
                trust: trust.clone(),
                runs: &RecordedRuns,
                clock: ZonedClock {
                    now: Timestamp::now,
                    zone: TimeZone::system(),
                },
                disk: disk.clone(),
            }
        };
        Arc::new(RemoteNumbers::of(root, options))
    })
}
