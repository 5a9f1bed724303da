//! Keys of items of all dialects: the dialect, a colon, and what the dialect calls the item.

use unicode_normalization::UnicodeNormalization;

use super::document_work::DocumentFormat;
use chant_base::external_items::{is_key, split_key, split_repository};
use chant_tickets::code::TicketCode;
use chant_vine::files::with_ending;

/// The key of a spec.
pub fn of_spec(id: &str) -> String {
    format!("chant:{}", composed(id))
}

/// The key of a task of a graph, whose file is named by its path from the root, with `/`.
pub fn of_task(path: &str, id: &str) -> String {
    format!("vine:{}#{}", composed(path), composed(id))
}

/// The key of a task of a feature, or of one of its phases; IDs of tasks are the same in capitals.
pub fn of_feature(label: &str, part: &str) -> String {
    let is_task =
        |id: &str| id.starts_with(['t', 'T']) && id[1..].starts_with(|c: char| c.is_ascii_digit());
    let part = composed(part);
    let part = if is_task(&part) {
        part.to_ascii_uppercase()
    } else {
        part
    };
    format!("speckit:{}#{part}", composed(label))
}

/// The key of a ticket.
pub fn of_ticket(code: &TicketCode) -> String {
    format!("tickets:{code}")
}

/// The format with tools of its own that a key names, as runs work on its items.
pub(super) fn document_format_of(key: &str) -> Option<DocumentFormat> {
    match split_key(key)?.0 {
        "vine" => Some(DocumentFormat::Graph),
        "speckit" => Some(DocumentFormat::Feature),
        "tickets" => Some(DocumentFormat::Ticket),
        _ => None,
    }
}

/// The key of what a spec names: a spec, also one of another repository, or an item of another dialect.
pub fn of_named(name: &str) -> String {
    if is_key(name) {
        normal(name)
    } else {
        of_spec(name)
    }
}

/// The key of what a ticket names.
pub fn of_ticket_named(name: &str) -> String {
    match TicketCode::read(name) {
        _ if is_key(name) => normal(name),
        Some(code) => of_ticket(&code),
        None => format!("tickets:{name}"),
    }
}

/// The one way to write a key: composed letters, no `./`, the ending `.vine`, tickets' codes in full; behind the
/// repository, where it names one.
pub fn normal(key: &str) -> String {
    if let Some((repository, rest)) = split_repository(key) {
        return format!("{}/{}", composed(repository), normal(rest));
    }
    match split_key(key) {
        Some(("vine", rest)) => {
            let (path, id) = rest.rsplit_once('#').unwrap_or((rest, ""));
            let path = path.strip_prefix("./").unwrap_or(path);
            of_task(&with_ending(path), id)
        }
        Some(("speckit", rest)) => match rest.split_once('#') {
            Some((label, part)) => of_feature(label, part),
            None => composed(key),
        },
        Some(("tickets", rest)) => {
            TicketCode::read(rest).map_or_else(|| composed(key), |code| of_ticket(&code))
        }
        Some((word, rest)) => match super::formats::find(word) {
            Some(format) => format!("{word}:{}", format.name(&composed(rest))),
            None => composed(key),
        },
        _ => composed(key),
    }
}

/// A text with composed letters, as people type them: some systems take names of files apart.
pub fn composed(text: &str) -> String {
    text.nfc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_one_spelling() {
        for (given, expected) in [
            ("vine:./plans/a#b", "vine:plans/a.vine#b"),
            ("vine:a.vine#b", "vine:a.vine#b"),
            ("tickets:mdt-7", "tickets:MDT-007"),
            ("tickets:x", "tickets:x"),
            ("chant:e\u{301}", "chant:\u{e9}"),
            ("speckit:060-name#t001a", "speckit:060-name#T001A"),
            ("speckit:060-name#phase-2", "speckit:060-name#phase-2"),
            ("speckit:060-name", "speckit:060-name"),
            ("app/vine:./plans/a#b", "app/vine:plans/a.vine#b"),
            ("owner/app/tickets:mdt-7", "owner/app/tickets:MDT-007"),
        ] {
            assert_eq!(normal(given), expected);
        }
    }
}
