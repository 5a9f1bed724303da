//! Operations on whole projects, and those that need more than the tickets of one.

use serde_json::{Map, Value};

use super::{NewTicket, create_cr, project_stats};
use crate::advice::{self, AdviceSubject};
use crate::edit::yaml;
use crate::error::TicketError;
use crate::project_registry::ProjectRegistry;
use crate::projects::{TicketProject, view};
use crate::templates::{self, TemplatePlaces, TemplateProblem, TicketPlaceholders};
use crate::ticket_store::TicketStore;
use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_text::front_matter;

/// `list_projects`: all projects, and what was passed over.
pub fn list_projects(registry: &ProjectRegistry) -> Answer {
    Answer::data(&view::list(&registry.projects()))
}

/// `get_project_info`: one project with the numbers of its tickets.
///
/// # Errors
/// `ProjectNotFound`, or a `StoreError`.
pub fn get_project_info(registry: &ProjectRegistry, project: &str) -> Result<Answer, Error> {
    let project = registry.project(Some(project), None)?;
    let stats = project_stats(&*registry.board_of(&project)?)?;
    Ok(Answer::data(&view::info(&project, &stats)))
}

/// `create_cr` with the template of its type where there is no content.
///
/// # Errors
/// As [`create_cr`], or `Template`.
pub fn create_from_template(
    registry: &ProjectRegistry,
    project: Option<&str>,
    kind: &str,
    data: &Map<String, Value>,
) -> Result<Answer, Error> {
    let project = registry.project(project, None)?;
    let store = registry.board_of(&project)?;
    let template = |title: &str, code: &str| {
        template(registry, &project, TicketPlaceholders { title, kind, code })
    };
    let new = NewTicket {
        kind,
        data,
        template: Some(&template),
    };
    create_cr(&store, &new)
}

/// The body of a new ticket of a project, from the template of its type.
///
/// # Errors
/// `Template`, or `Validation` for a type that there is not.
pub(super) fn template(
    registry: &ProjectRegistry,
    project: &TicketProject,
    filling: TicketPlaceholders<'_>,
) -> Result<String, Error> {
    let config_folder = registry.projects().surroundings().config_folder();
    let places = TemplatePlaces {
        disk: &registry.disk,
        project: &project.root,
        config_folder: config_folder.as_deref(),
    };
    let body = templates::body(&places, filling);
    body.map_err(|problem| match problem {
        TemplateProblem::Broken { path, why } => TicketError::Template {
            template: path,
            why,
        }
        .into(),
        problem @ TemplateProblem::NoSuchType { .. } => {
            TicketError::invalid("type", problem.to_string()).into()
        }
    })
}

/// `suggest_cr_improvements`: what could be better in a ticket, and a score that its parts explain.
///
/// # Errors
/// As [`TicketStore::resolve`], or a `StoreError`.
pub fn suggest(
    registry: &ProjectRegistry,
    project: Option<&str>,
    key: &str,
) -> Result<Answer, Error> {
    let store = registry.open_store(project, Some(key))?;
    let tickets = store.snapshot()?;
    let code = store.resolve(&tickets, key)?;
    let Some(ticket) = tickets.files(&code).first() else {
        return Ok(Answer::prose(""));
    };
    let own = |key: &str| {
        front_matter::read_key::<String>(yaml(ticket), key)
            .ok()
            .flatten()
    };
    let (date, notes) = (own("implementationDate"), own("implementationNotes"));
    let named = |keys: &[Box<str>]| keys.iter().map(ToString::to_string).collect::<Vec<_>>();
    let resolves = |key: &str| is_ticket(registry, &store, key);
    let subject = AdviceSubject {
        code: &code.to_string(),
        kind: ticket.kind(),
        status: ticket.status(),
        priority: ticket.priority(),
        title: &ticket.title,
        body: ticket.body(),
        phase_epic: ticket.phase_epic.as_deref(),
        assignee: ticket.assignee.as_deref(),
        implementation_date: date.as_deref(),
        implementation_notes: notes.as_deref(),
        depends_on: &named(&ticket.depends_on),
        blocks: &named(&ticket.blocks),
        related: &named(&ticket.related_tickets),
        resolves: &resolves,
    };
    Ok(Answer::data(&advice::advise(&subject)))
}

/// Returns true if a key is that of a ticket, here or in another project.
fn is_ticket(registry: &ProjectRegistry, store: &TicketStore, key: &str) -> bool {
    let has = |store: &TicketStore| {
        let tickets = store.snapshot();
        tickets.is_ok_and(|tickets| store.resolve(&tickets, key).is_ok())
    };
    has(store)
        || registry
            .open_store(None, Some(key))
            .is_ok_and(|elsewhere| has(&elsewhere))
}
