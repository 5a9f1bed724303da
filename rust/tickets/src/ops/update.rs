//! Attributes and the status of a ticket, changed in place.

use serde_json::{Map, Value as Json, json};

use super::shown;
use crate::attributes::{self, AttributeValue, not_one_of};
use crate::code::TicketCode;
use crate::edit::{RELATIONS, TicketDraft};
use crate::error::{TicketError, quoted};
use crate::model::{IMPACT_AREAS, Ticket, TicketStatus};
use crate::parse;
use crate::sections;
use crate::ticket_change::TicketChange;
use crate::ticket_graph::key_of;
use crate::ticket_index::TicketIndex;
use crate::ticket_store::TicketStore;
use crate::view::{FromTo, UpdatedTicketView};
use crate::workflow::{allowed, may_follow};
use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_text::merge::merged_list;

/// `update_cr_attrs`: gives attributes other values; an empty text or list takes one out, `null` leaves
/// it. Values that are the same already are not changed.
///
/// Lists of which it is said how they were `seen` are merged with what others made of them meanwhile.
///
/// A title changes in every place that holds it: the first H1 and the front matter; the file keeps its
/// name.
///
/// # Errors
/// `Validation` naming everything that is wrong, as [`TicketStore::resolve`], `Duplicate`, or a
/// `StoreError`; nothing is written then.
pub fn update_cr_attrs(
    store: &TicketStore,
    key: &str,
    given: &Map<String, Json>,
    seen: &Map<String, Json>,
) -> Result<Answer, Error> {
    let given = attributes::read(given, &attributes::UPDATABLE, &store.place.code)?;
    let seen = lists_seen(seen, &store.place.code);
    let mut done = AttributeUpdate::default();
    let changed = store.change(key, |tickets, code, draft| {
        done = set_attributes(
            tickets,
            code,
            draft,
            &merged(draft, &given, &seen, &store.place.code),
        )?;
        Ok(())
    })?;
    Ok(updated(store, &changed, done.changes, done.warnings))
}

/// The lists that were seen, as far as they name tickets.
pub(super) fn lists_seen(seen: &Map<String, Json>, project: &str) -> attributes::AttributeList {
    let read = |(name, value): (&String, &Json)| {
        let one = Map::from_iter([(name.clone(), value.clone())]);
        attributes::read(&one, &RELATIONS, project).unwrap_or_default()
    };
    seen.iter().flat_map(read).collect()
}

/// Returns the given values, with lists merged into those that the draft has: items that others added or took
/// out since the lists were `seen` stay so.
pub(super) fn merged(
    draft: &TicketDraft,
    given: &[(&'static str, AttributeValue)],
    seen: &[(&'static str, AttributeValue)],
    project: &str,
) -> Vec<(&'static str, AttributeValue)> {
    let list_seen = |name: &str| seen.iter().find(|(seen, _)| *seen == name);
    let merged = |(name, value): &(&'static str, AttributeValue)| match (value, list_seen(name)) {
        (AttributeValue::List(new), Some((_, AttributeValue::List(seen)))) => {
            let now = Map::from_iter([((*name).to_owned(), current(draft, name))]);
            match lists_seen(&now, project).as_slice() {
                [(_, AttributeValue::List(now))] => {
                    (*name, AttributeValue::List(merged_list(seen, new, now)))
                }
                _ => (*name, value.clone()),
            }
        }
        _ => (*name, value.clone()),
    };
    given.iter().map(merged).collect()
}

/// The result of giving attributes other values.
#[derive(Default)]
pub(super) struct AttributeUpdate {
    /// Those that were other ones, from what to what.
    changes: Map<String, Json>,
    /// Problems that refuse nothing.
    pub(super) warnings: Vec<String>,
}

/// Gives attributes other values.
///
/// # Errors
/// As [`check_relations`], or an `EditError`.
pub(super) fn set_attributes(
    tickets: &TicketIndex,
    code: &TicketCode,
    draft: &mut TicketDraft,
    given: &[(&'static str, AttributeValue)],
) -> Result<AttributeUpdate, Error> {
    let mut changes = Map::new();
    let warnings = check_relations(tickets, code, Some(draft.ticket()), given)?;
    for (name, value) in given {
        let from = current(draft, name);
        if is_same(&from, value) {
            continue;
        }
        set(draft, name, value)?;
        let to = current(draft, name);
        changes.insert((*name).to_owned(), json!(FromTo { from, to }));
    }
    Ok(AttributeUpdate { changes, warnings })
}

/// `update_cr_status`: moves a ticket to another state where the workflow has that step; to its own
/// state it moves without a change.
///
/// # Errors
/// `Validation` for a word that is no state, `Transition`, as [`TicketStore::resolve`], `Duplicate`, or a
/// `StoreError`; nothing is written then.
pub fn update_cr_status(store: &TicketStore, key: &str, status: &str) -> Result<Answer, Error> {
    let to = parse_status(status)?;
    let mut changes = Map::new();
    let changed = store.change(key, |_, _, draft| {
        changes = go_to(draft, to)?;
        Ok(())
    })?;
    Ok(updated(store, &changed, changes, Vec::new()))
}

/// The state that a word means.
///
/// # Errors
/// `Validation` for a word that is none.
pub(super) fn parse_status(status: &str) -> Result<TicketStatus, TicketError> {
    let why = || {
        TicketError::invalid(
            "status",
            not_one_of("status", status, &TicketStatus::listed()),
        )
    };
    TicketStatus::read(status).ok_or_else(why)
}

/// Moves a ticket to a state; from what to what, where that is another.
///
/// # Errors
/// `Transition`, or an `EditError`.
pub(super) fn go_to(draft: &mut TicketDraft, to: TicketStatus) -> Result<Map<String, Json>, Error> {
    let mut changes = Map::new();
    let from = draft.ticket().status().to_owned();
    if TicketStatus::read(&from) == Some(to) {
        return Ok(changes);
    }
    if !may_follow(&from, to) {
        return Err(TicketError::Transition {
            allowed: allowed(&from)
                .iter()
                .map(|status| status.as_str())
                .collect(),
            from,
            to: to.as_str().into(),
        }
        .into());
    }
    draft.set_text("status", to.as_str())?;
    let to = to.as_str().into();
    let from = from.into();
    changes.insert("status".into(), json!(FromTo { from, to }));
    Ok(changes)
}

fn updated(
    store: &TicketStore,
    changed: &TicketChange,
    changes: Map<String, Json>,
    warnings: Vec<String>,
) -> Answer {
    Answer::data(&UpdatedTicketView {
        cr: shown(store, &changed.code, &changed.after).attributes(&[]),
        changed: changes,
        warnings,
    })
}

/// The value of an attribute as the draft has it; `null` for one that is absent.
fn current(draft: &TicketDraft, name: &str) -> Json {
    let ticket = draft.ticket();
    match name {
        "title" => json!(ticket.title),
        "priority" => ticket.priority().into(),
        "phaseEpic" => json!(ticket.phase_epic),
        "assignee" => json!(ticket.assignee),
        "relatedTickets" => json!(ticket.related_tickets),
        "dependsOn" => json!(ticket.depends_on),
        "blocks" => json!(ticket.blocks),
        IMPACT_AREAS => {
            let entries = draft.entries();
            let own = entries.iter().rfind(|entry| entry.name == name);
            json!(own.map_or_else(Vec::new, parse::list_of))
        }
        name if draft.has_older_header() => json!(draft.older_value(name)),
        name => {
            let entries = draft.entries();
            let own = entries.iter().rfind(|entry| entry.name == name);
            let text = own.and_then(parse::text_of);
            json!(text.filter(|text| !text.trim().is_empty()))
        }
    }
}

fn is_same(current: &Json, wanted: &AttributeValue) -> bool {
    match wanted {
        AttributeValue::List(items) => *current == json!(items),
        AttributeValue::Text(text) => current.as_str().unwrap_or_default() == text,
    }
}

fn set(draft: &mut TicketDraft, name: &str, value: &AttributeValue) -> Result<(), Error> {
    match value {
        AttributeValue::Text(title) if name == "title" => set_title(draft, title),
        AttributeValue::Text(text) => Ok(draft.set_text(name, text)?),
        AttributeValue::List(items) => Ok(draft.set_list(name, items)?),
    }
}

/// Changes the title in the first H1 and in the front matter, where they are; a ticket that has it in
/// neither gets it in the front matter.
fn set_title(draft: &mut TicketDraft, title: &str) -> Result<(), Error> {
    let body = draft.ticket().body();
    let sections = sections::parse_sections(body);
    let mut headings = sections.iter();
    let heading = headings.find(|section| section.level == 1 && !section.title.is_empty());
    let edit = heading.map(|heading| sections::rename(body, heading, title));
    if draft.has("title") || edit.is_none() {
        draft.set_text("title", title)?;
    }
    if let Some(edit) = edit {
        draft.edit_body(vec![edit])?;
    }
    let own = &*draft.ticket().title;
    if own == title {
        return Ok(());
    }
    let why = format!(
        "{} would read as {} in a heading; expected one that does not end in hashes",
        quoted(title),
        quoted(own)
    );
    Err(TicketError::invalid("title", why).into())
}

/// Checks the relations that a ticket would get; gives warnings for those that lead nowhere.
///
/// # Errors
/// `Validation` for a ticket that would name itself or close a cycle.
pub(super) fn check_relations(
    tickets: &TicketIndex,
    code: &TicketCode,
    own: Option<&Ticket>,
    given: &[(&'static str, AttributeValue)],
) -> Result<Vec<String>, TicketError> {
    let mut warnings = Vec::new();
    let mut with = own.cloned();
    let lists = given.iter().filter_map(|(name, value)| match value {
        AttributeValue::List(items) => Some((*name, items)),
        AttributeValue::Text(_) => None,
    });
    for (name, items) in lists.filter(|(name, _)| RELATIONS.contains(name)) {
        for item in items {
            let key = key_of(item, tickets.project());
            if key == code.to_string() {
                let why = format!("{key} cannot name itself; leave it out");
                return Err(TicketError::invalid(name, why));
            }
            let named = TicketCode::read(&key).filter(|named| named.is_of(tickets.project()));
            if named.is_some_and(|named| tickets.files(&named).is_empty()) {
                warnings.push(format!("{name} names {key}, which does not exist"));
            }
        }
        let names = || items.iter().map(|item| item.as_str().into()).collect();
        let ticket = with.get_or_insert_with(|| parse::ticket("", String::new()));
        match name {
            "dependsOn" => ticket.depends_on = names(),
            "blocks" => ticket.blocks = names(),
            _ => {}
        }
    }
    if let (Some(ticket), true) = (with, has_edges(given)) {
        refuse_loop(tickets, code, &ticket, given)?;
    }
    Ok(warnings)
}

fn has_edges(given: &[(&'static str, AttributeValue)]) -> bool {
    given.iter().any(|(name, value)| {
        matches!(*name, "dependsOn" | "blocks") && *value != AttributeValue::List(Vec::new())
    })
}

/// Refuses a cycle that was not there before.
fn refuse_loop(
    tickets: &TicketIndex,
    code: &TicketCode,
    with: &Ticket,
    given: &[(&'static str, AttributeValue)],
) -> Result<(), TicketError> {
    let waits = tickets.waits();
    if waits.loop_through(code).is_some() {
        return Ok(());
    }
    let Some(mut path) = waits.loop_with(code, with) else {
        return Ok(());
    };
    path.push(code.to_string());
    let has = |name: &str| given.iter().any(|(given, _)| *given == name);
    let name = if has("dependsOn") {
        "dependsOn"
    } else {
        "blocks"
    };
    let why = format!("it would close a cycle: {}", path.join(" waits for "));
    Err(TicketError::invalid(name, why))
}
