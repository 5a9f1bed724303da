//! Answers on the work that can start now, and on the dependencies between tickets.

use super::list::list;
use crate::attributes::not_one_of;
use crate::code::TicketCode;
use crate::error::TicketError;
use crate::picture::{self, PictureExtent};
use crate::ticket_index::TicketIndex;
use crate::ticket_store::TicketStore;
use crate::view::{GraphNode, ROW, TicketGraphView, TicketTreeView};
use chant_base::answer::{Answer, PageRequest, fitting, size_of};
use chant_base::error::Error;
use chant_base::external_items::ExternalStatus;

/// Tickets that are approved and wait for nothing, the lowest number first.
///
/// # Errors
/// A `StoreError`.
pub fn ready(store: &TicketStore, page: PageRequest) -> Result<Answer, Error> {
    let tickets = store.snapshot()?;
    let codes = tickets.ready();
    let of_page = codes.iter().skip(page.offset).take(page.limit);
    let of_page = of_page.filter_map(|code| Some((code, tickets.files(code).first()?)));
    Ok(list(
        store,
        &tickets,
        of_page,
        codes.len(),
        page.offset,
        &ROW,
    ))
}

/// Returns all tickets with what they wait for, the lowest number first, and the cycles among them.
///
/// # Errors
/// A `StoreError`.
pub fn graph(store: &TicketStore, page: PageRequest) -> Result<Answer, Error> {
    let tickets = store.snapshot()?;
    let waits = tickets.waits();
    let node = |(code, ticket)| {
        let unmet = waits.waits(code, ticket, |key| status_of(&tickets, key));
        let ready = waits.is_ready(code, ticket.meant.status);
        GraphNode::of(code, ticket, waits.named(code), ready, unmet)
    };
    let of_page = tickets
        .firsts()
        .skip(page.offset)
        .take(page.limit)
        .map(node);
    let cycles = waits.cycles();
    let nodes = fitting(of_page, size_of(&cycles));
    let total = tickets.firsts().count();
    let next = page.offset + nodes.len();
    Ok(Answer::data(&TicketGraphView {
        next_offset: (next < total && !nodes.is_empty()).then_some(next),
        nodes,
        total,
        cycles,
    }))
}

/// Returns the dependencies as a picture, however long: the text of a `mermaid` or `dot` picture with its
/// cycles as the note, or the lines of a `tree` as data.
///
/// # Errors
/// `Validation` for a format that is none, or a `StoreError`.
pub fn picture(store: &TicketStore, format: &str, extent: PictureExtent) -> Result<Answer, Error> {
    let tickets = store.snapshot()?;
    let picture = picture::picture(&tickets, extent);
    let cycles = tickets.waits().cycles();
    let text = match format {
        "mermaid" => picture.mermaid(),
        "dot" => picture.dot(),
        "tree" => {
            return Ok(Answer::whole(&TicketTreeView::of(
                &picture,
                tickets.firsts().count(),
                cycles,
            )));
        }
        other => {
            let why = not_one_of("format", other, "tree, mermaid, dot");
            return Err(TicketError::invalid("format", why).into());
        }
    };
    let notes: Vec<String> = cycles.iter().map(|cycle| describe_cycle(cycle)).collect();
    Ok(Answer {
        note: (!notes.is_empty()).then(|| notes.join("\n")),
        ..Answer::prose(text)
    })
}

/// Returns a cycle in words, which end where they begin.
fn describe_cycle(cycle: &[String]) -> String {
    let way: Vec<&str> = cycle
        .iter()
        .chain(cycle.first())
        .map(String::as_str)
        .collect();
    format!("A cycle: {}.", way.join(" waits for "))
}

/// The state of the ticket that a key of the graph means, or of the item of another dialect.
pub(super) fn status_of<'a>(tickets: &'a TicketIndex, key: &str) -> Option<&'a str> {
    if let Some(ExternalStatus::Found { status, .. }) = tickets.waits().outside(key) {
        return Some(status);
    }
    let code = TicketCode::read(key)?;
    Some(tickets.files(&code).first()?.status())
}
