//! Lists and counts.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::super::all::Tickets;
use super::super::attributes::{kind_of, not_one_of};
use super::super::board::Board;
use super::super::code::Code;
use super::super::error::{TicketError, quoted};
use super::super::model::{Meant, Priority, Status, Ticket, Type};
use super::super::projects::view::Stats;
use super::super::view::{List, ROW, ROW_EXTRAS, problems};
use super::shown;
use crate::answer::{Answer, Page, fitting, size_of};
use crate::error::Error;
use crate::ident::nearest;

/// Tickets in a list, when nothing else is asked for.
pub const DEFAULT_LIMIT: usize = 20;

/// Attributes that a list can be filtered by.
const FILTERS: [&str; 5] = ["status", "type", "priority", "assignee", "phaseEpic"];

/// Values that tickets have to have: one of those given for each attribute.
#[derive(Debug, Clone, Default)]
pub struct Filters(Vec<(&'static str, Vec<Word>)>);

/// A value that is looked for, and what it means as each of the attributes with documented words.
#[derive(Debug, Clone)]
struct Word {
    text: String,
    meant: Meant,
}

impl Word {
    fn of(text: &str) -> Self {
        let text = text.trim();
        Self {
            text: text.to_owned(),
            meant: Meant::of(text, text, text),
        }
    }

    /// Whether a ticket has it whose words mean `own`.
    fn is_of(&self, own: Meant, ticket: &Arc<Ticket>, name: &str) -> bool {
        let meant = self.meant;
        match name {
            "status" if own.status.is_some() => own.status == meant.status,
            "type" if own.kind.is_some() => own.kind == meant.kind,
            "priority" if own.priority.is_some() => own.priority == meant.priority,
            name => is_same(value(ticket, name), &self.text),
        }
    }
}

impl Filters {
    /// Reads filters: for each attribute one text or a list of texts; `null` means absent, and an empty
    /// list matches nothing.
    ///
    /// # Errors
    /// `Validation` for unknown attributes and values that are no texts.
    pub fn read(given: &Map<String, Value>) -> Result<Self, TicketError> {
        let (mut filters, mut fields) = (Vec::new(), Vec::new());
        for (name, value) in given {
            let known = FILTERS.iter().find(|known| *known == name);
            match (known, value) {
                (_, Value::Null) => {}
                (None, _) => fields.push((name.clone(), unknown("filter", name, &FILTERS))),
                (Some(known), value) => match words(value) {
                    Ok(words) => filters.push((*known, words)),
                    Err(why) => fields.push((name.clone(), why)),
                },
            }
        }
        if fields.is_empty() {
            Ok(Self(filters))
        } else {
            Err(TicketError::Validation { fields })
        }
    }

    /// Refuses words that are neither documented nor found in any ticket.
    fn check(&self, tickets: &Tickets) -> Result<(), TicketError> {
        let mut fields = Vec::new();
        for (name, words) in &self.0 {
            let Some(known) = documented(name) else {
                continue;
            };
            let is_known = |word: &&Word| known.iter().any(|known| is_same(known, &word.text));
            let mut strange = words.iter().filter(|word| !is_known(word));
            let is_found = |word: &Word| {
                let mut all = tickets.all_meant();
                all.any(|(_, meant, ticket)| word.is_of(meant, ticket, name))
            };
            let Some(word) = strange.find(|word| !is_found(word)) else {
                continue;
            };
            let found: BTreeSet<&str> = tickets
                .all()
                .map(|(_, ticket)| value(ticket, name))
                .filter(|found| !known.iter().any(|known| is_same(known, found)))
                .collect();
            let allowed: Vec<&str> = known.iter().copied().chain(found).collect();
            fields.push((
                (*name).to_owned(),
                not_one_of(name, &word.text, &allowed.join(", ")),
            ));
        }
        if fields.is_empty() {
            Ok(())
        } else {
            Err(TicketError::Validation { fields })
        }
    }

    fn match_all(&self, meant: Meant, ticket: &Arc<Ticket>) -> bool {
        let matches = |(name, words): &(&str, Vec<Word>)| {
            words.iter().any(|word| word.is_of(meant, ticket, name))
        };
        self.0.iter().all(matches)
    }
}

fn unknown(what: &str, name: &str, known: &[&str]) -> String {
    let near = nearest(name, known.iter().copied());
    let near = near.map_or_else(String::new, |near| format!("did you mean {near}? "));
    format!("Unknown {what}; {near}allowed are: {}", known.join(", "))
}

fn words(value: &Value) -> Result<Vec<Word>, String> {
    let text = |value: &Value| match value {
        Value::String(text) => Ok(Word::of(text)),
        other => Err(format!(
            "expected text or a list of texts, got {}",
            kind_of(other)
        )),
    };
    match value {
        Value::Array(items) => items.iter().map(text).collect(),
        one => Ok(vec![text(one)?]),
    }
}

/// The documented words of an attribute that has such.
fn documented(name: &str) -> Option<Vec<&'static str>> {
    Some(match name {
        "status" => Status::ALL.iter().map(|word| word.as_str()).collect(),
        "type" => Type::ALL.iter().map(|word| word.as_str()).collect(),
        "priority" => Priority::ALL.iter().map(|word| word.as_str()).collect(),
        _ => return None,
    })
}

fn is_same(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
        || (!one.is_ascii() && one.to_lowercase() == other.to_lowercase())
}

// Inlined, every ticket would be fetched from memory, also where what its words mean suffices.
#[inline(never)]
fn value<'a>(ticket: &'a Arc<Ticket>, name: &str) -> &'a str {
    match name {
        "status" => ticket.status(),
        "type" => ticket.kind(),
        "priority" => ticket.priority(),
        "assignee" => ticket.assignee.as_deref().unwrap_or_default(),
        _ => ticket.phase_epic.as_deref().unwrap_or_default(),
    }
}

/// `list_crs`: tickets that have one of the values given for each attribute, in any case of letters;
/// the highest number first. `fields` are the keys of each entry in place of the usual ones, the code
/// always among them.
///
/// # Errors
/// `Validation` for a word or a field that there is not, or a `StoreError`.
pub fn list_crs(
    board: &Board,
    filters: &Filters,
    page: Page,
    fields: Option<&[String]>,
) -> Result<Answer, Error> {
    let tickets = board.snapshot()?;
    filters.check(&tickets)?;
    let keys = keys(fields)?;
    let matching = || {
        let all = tickets.all_meant();
        let matching = all.filter(|(_, meant, ticket)| filters.match_all(*meant, ticket));
        matching.map(|(code, _, ticket)| (code, ticket))
    };
    let filtered = if filters.0.is_empty() {
        tickets.len()
    } else {
        matching().count()
    };
    let of_page = matching().skip(page.offset).take(page.limit);
    Ok(list(board, &tickets, of_page, filtered, page.offset, &keys))
}

/// A page of tickets with what is wrong in the project.
pub(super) fn list<'a>(
    board: &Board,
    tickets: &Tickets,
    of_page: impl Iterator<Item = (&'a Code, &'a Arc<Ticket>)>,
    filtered: usize,
    offset: usize,
    keys: &[&str],
) -> Answer {
    let row = |(code, ticket): (&'a Code, &'a Arc<Ticket>)| {
        let mut keys = keys.to_vec();
        // Where a code does not say which file is meant, the file does.
        if tickets.is_shared(code) && !keys.contains(&"filePath") {
            keys.push("filePath");
        }
        shown(board, code, ticket).row(&keys)
    };
    let (problems, problems_total) = problems(tickets.problems());
    let crs = fitting(of_page.map(row), size_of(&problems));
    let next = offset + crs.len();
    let is_cut = next < filtered && !crs.is_empty();
    Answer::data(&List {
        total: tickets.len(),
        filtered,
        returned: (crs.len() < filtered).then_some(crs.len()),
        next_offset: is_cut.then_some(next),
        crs,
        problems,
        problems_total,
    })
}

/// The keys that rows have, in the seed's order.
fn keys(fields: Option<&[String]>) -> Result<Vec<&'static str>, TicketError> {
    let Some(fields) = fields else {
        return Ok(ROW.to_vec());
    };
    let known: Vec<&'static str> = ROW.into_iter().chain(ROW_EXTRAS).collect();
    if let Some(strange) = fields.iter().find(|field| !known.contains(&field.as_str())) {
        let what = format!("field {}", quoted(strange));
        return Err(TicketError::invalid(
            "fields",
            unknown(&what, strange, &known),
        ));
    }
    let is_wanted = |key: &&str| *key == "code" || fields.iter().any(|field| field == key);
    Ok(known.into_iter().filter(is_wanted).collect())
}

/// `stats` of `get_project_info`.
///
/// # Errors
/// A `StoreError`.
pub fn project_stats(board: &Board) -> Result<Stats, Error> {
    let tickets = board.snapshot()?;
    Ok(Stats {
        total: tickets.len(),
        by_status: tickets.by_status().to_vec(),
    })
}
