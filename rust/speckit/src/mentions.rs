//! Lines that are not written as tasks are, and look like some: boxes of other forms, IDs without a box,
//! rows of tables.

use super::heading::is_phase;
use super::line::{is_range, named};
use chant_text::lazy_pattern::LazyPattern;

/// A box of any form, behind a bullet of any form or none.
static BOX: LazyPattern = LazyPattern::new(
    r"^[ \t>]*((?:[-*+•‣●○·–—]|[0-9]{1,9}[.)])[ \t]*)?(?:([\[［【(])([ \t\u{3000}xX✓✔√~\-]{0,3})[\]］】)]|[☐☑☒✅⬜🔲✔✓⏳🚧❌])\u{fe0f}?[ \t\u{3000}]*(.*)$",
);
static BULLET: LazyPattern = LazyPattern::new(r"^[ \t]*(?:[-*+•]|[0-9]{1,9}[.)])[ \t]+(.*)$");
/// An ID that is more than a letter and a digit, so that it is unlikely to be anything else.
static LONG_ID: LazyPattern =
    LazyPattern::new(r"^(?:\*\*|__|~~|`)*[\[［【]?(?:T[0-9]{2}|T[0-9]?[-_][0-9]|TASK[-_]?[0-9])");
static LABEL: LazyPattern = LazyPattern::new(
    r"^(?:\*\*|__)?(?:T[0-9]{2,}|T[0-9]?[-_][0-9]+|TASK[-_]?[0-9]+)[0-9A-Za-z.\-]*(?:\*\*|__)?[:：]",
);
static SIGNS: [&str; 9] = ["[ ]", "[x]", "[X]", "[~]", "[-]", "☐", "☑", "✅", "⬜"];

/// The likely kind of a line that is not written as a task.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Mention {
    /// A box of another form, with an ID behind it or without.
    Form(Option<Box<str>>),
    /// An ID without a box.
    Id(Box<str>),
    /// A row of a table with a box, and an ID if it has one.
    Row(Option<Box<str>>),
}

/// Reads a line; `None` for one that looks like no task.
pub(super) fn mention(line: &str) -> Option<Mention> {
    if let Some(cells) = line.trim_start().strip_prefix('|') {
        return row(cells);
    }
    if let Some(found) = BOX.captures(line) {
        let rest = found.get(4).map_or("", |rest| rest.as_str());
        if let Some(id) = id_of(rest) {
            return Some(Mention::Form(Some(id)));
        }
        let bracket = found.get(2).map_or("", |bracket| bracket.as_str());
        let inside = found.get(3).map_or("", |inside| inside.as_str());
        let is_listed = found.get(1).is_some();
        let is_box = !bracket.is_empty()
            && bracket != "("
            && (is_listed || inside.chars().count() == 1)
            && inside != "-"
            && !rest.is_empty()
            && !rest.starts_with(['(', ':', '[']);
        return (is_box && !is_phase(rest)).then_some(Mention::Form(None));
    }
    let rest = match BULLET.captures(line) {
        Some(found) => found.get(1)?.as_str(),
        None => line.trim_start(),
    };
    let is_meant = rest.len() < line.trim_start().len() || LABEL.is_match(rest);
    (is_meant && LONG_ID.is_match(rest))
        .then(|| id_of(rest).map(Mention::Id))
        .flatten()
}

fn row(cells: &str) -> Option<Mention> {
    let cells: Vec<&str> = cells.split('|').map(str::trim).collect();
    if !cells.iter().any(|cell| SIGNS.contains(cell)) {
        return None;
    }
    let has_brackets = cells
        .iter()
        .any(|cell| cell.starts_with('[') && SIGNS.contains(cell));
    let id = cells.iter().find_map(|cell| id_of(cell));
    (id.is_some() || has_brackets).then_some(Mention::Row(id))
}

/// The ID that a text begins with; the first one of a range.
fn id_of(text: &str) -> Option<Box<str>> {
    let id = named(text)?.id;
    let first = id.split_once('-').filter(|_| is_range(&id));
    Some(first.map_or_else(|| id.clone(), |(first, _)| first.into()))
}
