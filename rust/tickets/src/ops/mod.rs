//! One function for each tool: asked with plain values, answered with an [`chant_base::answer::Answer`].
//!
//! Reading functions never change a file. Writing functions decide under the project's lock on what
//! is on disk then, and write only what they checked.

mod create;
mod criteria;
mod delete;
mod get;
mod list;
mod projects;
mod sections;
mod staged;
mod update;
mod waits;

pub use create::{BodyTemplate, NewTicket, create_cr};
pub use delete::delete_cr;
pub use get::{DetailLevel, DetailRequest, document, get_cr, ticket};
pub use list::{DEFAULT_LIMIT, TicketFilters, TicketQuery, list_crs, list_crs_of, project_stats};
pub use projects::{create_from_template, get_project_info, list_projects, suggest};
pub use sections::{SectionCall, manage_cr_sections, section};
pub use staged::{StagedTickets, TicketOperation};
pub use update::{update_cr_attrs, update_cr_status};
pub use waits::{graph, picture, ready};

use super::code::TicketCode;
use super::model::Ticket;
use super::ticket_store::TicketStore;
use super::view::TicketFacts;

/// A ticket with its dates and its file.
fn shown<'a>(store: &TicketStore, code: &'a TicketCode, ticket: &'a Ticket) -> TicketFacts<'a> {
    TicketFacts {
        code,
        ticket,
        date_created: store.date_created(ticket),
        last_modified: store.last_modified(ticket),
        file_path: store.absolute(&ticket.path),
    }
}
