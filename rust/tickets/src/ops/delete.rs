//! Tickets that go.

use crate::code::TicketCode;
use crate::edit::RELATIONS;
use crate::model::Ticket;
use crate::number::{advance, counter};
use crate::ticket_graph::key_of;
use crate::ticket_index::TicketIndex;
use crate::ticket_store::{TicketStore, is_elsewhere};
use crate::view::DeletedTicketView;
use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_store::disk;

/// The most tickets naming a deleted one that are reported.
const NAMED_SHOWN: usize = 20;

/// `delete_cr`: removes a ticket's file for good, whatever its state; its number is not given again.
/// The answer warns of tickets that name it and of what lies in a folder of its name.
///
/// # Errors
/// As [`TicketStore::resolve`], `Duplicate`, or a `StoreError`; nothing is removed then.
pub fn delete_cr(store: &TicketStore, key: &str) -> Result<Answer, Error> {
    let mut warnings = Vec::new();
    let (code, ticket, tickets) = store.remove(key, &mut |code| {
        if code.is_of(&store.place.code) {
            let next = code.number().saturating_add(1);
            warnings.extend(advance(store, &counter(store), next));
        }
        Ok(())
    })?;
    if is_elsewhere(&ticket.path) {
        let where_it_went = "it was deleted in the worktree that it is worked on in; a copy in this checkout stays until that branch is merged";
        warnings.push(where_it_went.to_owned());
    }
    warnings.extend(dependants(&tickets, &code));
    let folder = store.within(&code.to_string());
    if disk::exists(&store.root.path().join(&folder)) {
        let folder = store.absolute(&folder);
        warnings.push(format!("its folder {folder} was left as it is"));
    }
    Ok(Answer::data(&DeletedTicketView {
        message: format!("CR {code} deleted successfully"),
        deleted_file: store.absolute(&ticket.path),
        warnings,
    }))
}

/// A warning for each kind of relation in which other tickets name a deleted one.
fn dependants(tickets: &TicketIndex, code: &TicketCode) -> Vec<String> {
    let key = code.to_string();
    let names = |list: &[Box<str>]| {
        let mut list = list.iter();
        list.any(|name| key_of(name, tickets.project()) == key)
    };
    let mut warnings = Vec::new();
    for relation in RELATIONS {
        let of = |ticket: &Ticket| match relation {
            "dependsOn" => names(&ticket.depends_on),
            "blocks" => names(&ticket.blocks),
            _ => names(&ticket.related_tickets),
        };
        let others = tickets.all().filter(|(other, _)| *other != code);
        let found = others.filter(|(_, ticket)| of(ticket));
        let found: Vec<String> = found.map(|(other, _)| other.to_string()).collect();
        if !found.is_empty() {
            let more = found.len().saturating_sub(NAMED_SHOWN);
            let more = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            let first: Vec<&str> = found.iter().take(NAMED_SHOWN).map(String::as_str).collect();
            warnings.push(format!(
                "{key} is still named in {relation} of {}{more}",
                first.join(", ")
            ));
        }
    }
    warnings
}
