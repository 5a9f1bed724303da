//! Lists and counts.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::shown;
use crate::attributes::{kind_of, not_one_of};
use crate::code::TicketCode;
use crate::error::{TicketError, quoted};
use crate::listing::FilterAttribute;
use crate::model::Ticket;
use crate::projects::view::TicketStats;
use crate::ticket_index::TicketIndex;
use crate::ticket_store::TicketStore;
use crate::view::{ROW, ROW_EXTRAS, TicketList, problems};
use chant_base::answer::{Answer, PageRequest, fitting, size_of};
use chant_base::error::Error;
use chant_base::ident::nearest;

/// Tickets in a list, when nothing else is asked for.
pub const DEFAULT_LIMIT: usize = 20;

/// Which tickets are listed, and what of them.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TicketQuery {
    /// Values of attributes, as [`TicketFilters::read`] takes them.
    pub filters: Option<Map<String, Value>>,
    /// Most tickets.
    pub limit: usize,
    /// Tickets to pass over.
    pub offset: usize,
    /// Keys of each ticket, in place of the usual ones.
    pub fields: Option<Vec<String>>,
}

impl Default for TicketQuery {
    fn default() -> Self {
        Self {
            filters: None,
            limit: DEFAULT_LIMIT,
            offset: 0,
            fields: None,
        }
    }
}

/// Values that tickets have to have: one of those given for each attribute.
#[derive(Debug, Clone, Default)]
pub struct TicketFilters(Vec<(FilterAttribute, Vec<String>)>);

impl TicketFilters {
    /// Reads filters: for each attribute one text or a list of texts; `null` means absent, and an empty
    /// list matches nothing.
    ///
    /// # Errors
    /// `Validation` for unknown attributes and values that are no texts.
    pub fn read(given: &Map<String, Value>) -> Result<Self, TicketError> {
        let (mut filters, mut fields) = (Vec::new(), Vec::new());
        for (name, value) in given {
            let mut all = FilterAttribute::ALL.into_iter();
            let known = all.find(|known| known.name() == name);
            match (known, value) {
                (_, Value::Null) => {}
                (None, _) => {
                    let known = FilterAttribute::ALL.map(FilterAttribute::name);
                    fields.push((name.clone(), unknown("filter", name, &known)));
                }
                (Some(known), value) => match words(value) {
                    Ok(words) => filters.push((known, words)),
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

    /// The files that match, the highest number first.
    ///
    /// # Errors
    /// `Validation` for words that are neither documented nor found in any ticket.
    fn matching<'a>(
        &self,
        tickets: &'a TicketIndex,
    ) -> Result<Vec<(&'a TicketCode, &'a Arc<Ticket>)>, TicketError> {
        let (mut wanted, mut fields) = (Vec::new(), Vec::new());
        for (attribute, words) in &self.0 {
            if let Some(why) = strange(tickets, *attribute, words) {
                fields.push((attribute.name().to_owned(), why));
            }
            let folded = words.iter().map(|word| attribute.folded(word));
            wanted.push((*attribute, folded.collect()));
        }
        if fields.is_empty() {
            Ok(tickets.listing().matching(&wanted))
        } else {
            Err(TicketError::Validation { fields })
        }
    }
}

/// Returns the message on the first word that is neither documented nor found; `None` when there is none, or
/// for an attribute that takes any word.
fn strange(tickets: &TicketIndex, attribute: FilterAttribute, words: &[String]) -> Option<String> {
    let known = attribute.documented()?;
    let folded: Vec<String> = known.iter().map(|known| attribute.folded(known)).collect();
    let is_known = |word: &str| folded.contains(&attribute.folded(word));
    let is_found = |word: &str| tickets.listing().has(attribute, &attribute.folded(word));
    let mut words = words.iter();
    let word = words.find(|word| !is_known(word) && !is_found(word))?;
    let all = tickets.all().map(|(_, ticket)| attribute.of(ticket));
    let found: BTreeSet<&str> = all.filter(|found| !is_known(found)).collect();
    let allowed: Vec<&str> = known.into_iter().chain(found).collect();
    Some(not_one_of(attribute.name(), word, &allowed.join(", ")))
}

fn unknown(what: &str, name: &str, known: &[&str]) -> String {
    let near = nearest(name, known.iter().copied());
    let near = near.map_or_else(String::new, |near| format!("did you mean {near}? "));
    format!("Unknown {what}; {near}allowed are: {}", known.join(", "))
}

fn words(value: &Value) -> Result<Vec<String>, String> {
    let text = |value: &Value| match value {
        Value::String(text) => Ok(text.trim().to_owned()),
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

/// `list_crs`: tickets that have one of the values given for each attribute, in any case of letters;
/// the highest number first. `fields` are the keys of each entry in place of the usual ones, the code
/// always among them.
///
/// # Errors
/// `Validation` for a word or a field that there is not, or a `StoreError`.
pub fn list_crs(
    store: &TicketStore,
    filters: &TicketFilters,
    page: PageRequest,
    fields: Option<&[String]>,
) -> Result<Answer, Error> {
    let tickets = store.snapshot()?;
    if filters.0.is_empty() {
        let keys = keys(fields)?;
        // Later pages begin where they are, without a way over all before them.
        let is_first = page.offset == 0;
        let first = is_first.then(|| tickets.all()).into_iter().flatten();
        let later = (!is_first).then(|| tickets.listing().from(page.offset));
        let of_page = first.chain(later.into_iter().flatten()).take(page.limit);
        let all = tickets.len();
        return Ok(list(store, &tickets, of_page, all, page.offset, &keys));
    }
    let matching = filters.matching(&tickets)?;
    let (keys, filtered) = (keys(fields)?, matching.len());
    let of_page = matching.into_iter().skip(page.offset).take(page.limit);
    Ok(list(store, &tickets, of_page, filtered, page.offset, &keys))
}

/// [`list_crs`] for a query as a caller gives it.
///
/// # Errors
/// As [`TicketFilters::read`] and [`list_crs`].
pub fn list_crs_of(store: &TicketStore, query: &TicketQuery) -> Result<Answer, Error> {
    let filters = query.filters.as_ref().map(TicketFilters::read);
    let page = PageRequest {
        limit: query.limit,
        offset: query.offset,
    };
    let filters = filters.transpose()?.unwrap_or_default();
    list_crs(store, &filters, page, query.fields.as_deref())
}

/// A page of tickets with what is wrong in the project.
pub(super) fn list<'a>(
    store: &TicketStore,
    tickets: &TicketIndex,
    of_page: impl Iterator<Item = (&'a TicketCode, &'a Arc<Ticket>)>,
    filtered: usize,
    offset: usize,
    keys: &[&str],
) -> Answer {
    let row = |(code, ticket): (&'a TicketCode, &'a Arc<Ticket>)| {
        let mut keys = keys.to_vec();
        // Where a code does not say which file is meant, the file does.
        if tickets.is_shared(code) && !keys.contains(&"filePath") {
            keys.push("filePath");
        }
        shown(store, code, ticket).row(&keys)
    };
    // The first page has what is wrong, those behind it do not.
    let found = if offset == 0 { tickets.problems() } else { &[] };
    let problems = problems(found);
    let crs = fitting(of_page.map(row), size_of(&problems.shown()));
    let next = offset + crs.len();
    let is_cut = next < filtered && !crs.is_empty();
    Answer::data(&TicketList {
        total: tickets.len(),
        filtered,
        returned: (crs.len() < filtered).then_some(crs.len()),
        next_offset: is_cut.then_some(next),
        crs,
        problems,
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
pub fn project_stats(store: &TicketStore) -> Result<TicketStats, Error> {
    let tickets = store.snapshot()?;
    Ok(TicketStats {
        total: tickets.len(),
        by_status: tickets.by_status().to_vec(),
    })
}
