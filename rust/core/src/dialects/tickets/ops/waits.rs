//! What can be worked on now, and what waits for what.

use super::super::all::Tickets;
use super::super::board::Board;
use super::super::code::Code;
use super::super::view::{Graph, GraphNode, ROW};
use super::list::list;
use crate::answer::{Answer, Page, fitting, size_of};
use crate::error::Error;

/// Tickets that are approved and wait for nothing, the lowest number first.
///
/// # Errors
/// A `StoreError`.
pub fn ready(board: &Board, page: Page) -> Result<Answer, Error> {
    let tickets = board.snapshot()?;
    let codes = tickets.ready();
    let of_page = codes.iter().skip(page.offset).take(page.limit);
    let of_page = of_page.filter_map(|code| Some((code, tickets.files(code).first()?)));
    Ok(list(
        board,
        &tickets,
        of_page,
        codes.len(),
        page.offset,
        &ROW,
    ))
}

/// All tickets with what they wait for, the lowest number first, and the loops among them.
///
/// # Errors
/// A `StoreError`.
pub fn graph(board: &Board, page: Page) -> Result<Answer, Error> {
    let tickets = board.snapshot()?;
    let waits = tickets.waits();
    let node = |(code, ticket)| {
        let unmet = waits.waits(code, ticket, |key| status_of(&tickets, key));
        let ready = waits.is_ready(code, ticket);
        GraphNode::of(code, ticket, waits.named(code), ready, unmet)
    };
    let of_page = tickets
        .firsts()
        .skip(page.offset)
        .take(page.limit)
        .map(node);
    let cycles = waits.loops();
    let nodes = fitting(of_page, size_of(&cycles));
    let total = tickets.firsts().count();
    let next = page.offset + nodes.len();
    Ok(Answer::data(&Graph {
        next_offset: (next < total && !nodes.is_empty()).then_some(next),
        nodes,
        total,
        cycles,
    }))
}

/// The state of the ticket that a key of the graph means.
fn status_of<'a>(tickets: &'a Tickets, key: &str) -> Option<&'a str> {
    let code = Code::read(key)?;
    Some(tickets.files(&code).first()?.status())
}
