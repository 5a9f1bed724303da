//! Merges bodies: criteria item by item by their text, everything else line by line.

use std::ops::Range;

use super::SpecConflict;
use chant_specs::parse::CRITERIA;
use chant_text::edit::{Edit, apply, line_break, with_line_break};
use chant_text::merge::{self, ConflictMarkers};
use chant_text::{checklist, markdown};

/// A criterion of one version.
struct CriterionItem {
    text: String,
    /// The number of items with the same text before it.
    number: usize,
    /// The byte of the mark between its brackets.
    mark: usize,
    /// The bytes of the lines of its first paragraph.
    lines: Range<usize>,
}

impl CriterionItem {
    fn is(&self, other: &Self) -> bool {
        self.text == other.text && self.number == other.number
    }
}

/// Merges bodies; `base` is `None` if there is no common version.
///
/// # Errors
/// Lines that both sides changed, and criteria for which there is no place.
pub(super) fn merge_bodies(
    base: Option<&str>,
    ours: &str,
    theirs: &str,
    keeps_criteria: bool,
) -> Result<String, Vec<SpecConflict>> {
    let text = outside_ticks(base.unwrap_or_default(), ours, theirs)?;
    let text = if keeps_criteria {
        with_lost_items(text, ours)?
    } else {
        text
    };
    Ok(ticked(text, base, ours, theirs))
}

/// Returns bodies merged line by line, with markers around lines that both sides changed. A
/// criterion has the mark that [`merge_bodies`] would give it, whichever side its line comes from.
pub(super) fn merge_with_markers(
    base: &str,
    ours: &str,
    theirs: &str,
    markers: &ConflictMarkers<'_>,
) -> String {
    let versions = [base, ours, theirs];
    let ticked = versions.map(|body| ticked(body.to_owned(), Some(base), ours, theirs));
    let [base, ours, theirs] = ticked.each_ref().map(String::as_bytes);
    let marked = merge::marked(base, ours, theirs, markers);
    String::from_utf8_lossy(&marked).into_owned()
}

/// Returns the three versions merged as if no criterion were ticked.
fn outside_ticks(base: &str, ours: &str, theirs: &str) -> Result<String, Vec<SpecConflict>> {
    let [base, ours, theirs] = [base, ours, theirs].map(unticked);
    merge::lines(&base, &ours, &theirs).map_err(|clashes| {
        let conflict = |clash: merge::LineConflict| SpecConflict::Body {
            base: clash.base,
            ours: clash.ours,
            theirs: clash.theirs,
        };
        clashes.into_iter().map(conflict).collect()
    })
}

fn unticked(body: &str) -> String {
    with_marks(body.to_owned(), |_| Some(' '))
}

fn items(body: &str) -> Vec<CriterionItem> {
    let outline = markdown::outline(body);
    let mut items: Vec<CriterionItem> = Vec::new();
    for task in checklist::under(&outline, CRITERIA) {
        let text = checklist::text(body, task);
        let start = body[..task.marker.start].rfind('\n').map_or(0, |at| at + 1);
        let last = task.text.end.max(task.marker.end);
        let end = body[last..]
            .find('\n')
            .map_or(body.len(), |at| last + at + 1);
        items.push(CriterionItem {
            number: items.iter().filter(|item| item.text == text).count(),
            text,
            mark: task.marker.start + 1,
            lines: start..end,
        });
    }
    items
}

/// Returns a body with other marks of its criteria; `None` leaves a mark as it is.
fn with_marks(body: String, mark: impl Fn(&CriterionItem) -> Option<char>) -> String {
    let edit = |item: CriterionItem| {
        let mark_now = mark(&item)?;
        Some(Edit::replace(item.mark..item.mark + 1, mark_now))
    };
    let edits: Vec<Edit> = items(&body).into_iter().filter_map(edit).collect();
    apply(&body, &edits).unwrap_or(body)
}

/// Sets the marks: that of the other side if it changed it; else ours.
fn ticked(text: String, base: Option<&str>, ours: &str, theirs: &str) -> String {
    let marks = |body: &str| -> Vec<(CriterionItem, char)> {
        let mark = |item: CriterionItem| {
            let mark = body[item.mark..].chars().next().unwrap_or(' ');
            (item, mark)
        };
        items(body).into_iter().map(mark).collect()
    };
    let [ours, theirs, base] = [ours, theirs, base.unwrap_or_default()].map(marks);
    let of = |marks: &[(CriterionItem, char)], item: &CriterionItem| {
        let found = marks.iter().find(|(known, _)| known.is(item));
        found.map(|(_, mark)| *mark)
    };
    with_marks(text, |item| match (of(&ours, item), of(&theirs, item)) {
        (Some(one), Some(other)) => Some(mark_of(of(&base, item), one, other)),
        (one, other) => one.or(other),
    })
}

fn mark_of(base: Option<char>, ours: char, theirs: char) -> char {
    let is_ticked = |mark: char| mark.eq_ignore_ascii_case(&'x');
    let stays = match base {
        None => is_ticked(ours),
        Some(base) if is_ticked(ours) == is_ticked(theirs) => base == theirs,
        Some(base) => is_ticked(base) == is_ticked(theirs),
    };
    if stays { ours } else { theirs }
}

/// Restores criteria that only our side has, each beside its neighbour there.
fn with_lost_items(text: String, ours: &str) -> Result<String, Vec<SpecConflict>> {
    let wanted = items(ours);
    let mut present = items(&text);
    let mut text = text;
    let mut conflicts = Vec::new();
    for (at, item) in wanted.iter().enumerate() {
        if present.iter().any(|other| other.is(item)) {
            continue;
        }
        let lines = unticked_lines(ours, item);
        let place = place_for(&text, &present, &wanted, at, indent(ours, item));
        let restored = place.and_then(|place| inserted(&text, place, &lines));
        match restored.map(|text| (items(&text), text)) {
            Some((now, restored))
                if now.len() == present.len() + 1 && now.iter().any(|other| other.is(item)) =>
            {
                (present, text) = (now, restored);
            }
            _ => conflicts.push(SpecConflict::Criterion(item.text.clone())),
        }
    }
    if conflicts.is_empty() {
        Ok(text)
    } else {
        Err(conflicts)
    }
}

fn unticked_lines(body: &str, item: &CriterionItem) -> String {
    let mark = item.mark - item.lines.start;
    let mut lines = body[item.lines.clone()].to_owned();
    lines.replace_range(mark..=mark, " ");
    lines
}

fn indent(body: &str, item: &CriterionItem) -> usize {
    let line = &body[item.lines.clone()];
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// Returns the place of a lost item: before the one that followed it, behind the nearest one that
/// stood before it, before the nearest one that stood behind it, or behind the last.
fn place_for(
    text: &str,
    present: &[CriterionItem],
    wanted: &[CriterionItem],
    at: usize,
    depth: usize,
) -> Option<usize> {
    let find = |item: &CriterionItem| present.iter().find(|other| other.is(item));
    let behind = |item: &CriterionItem| end_of(text, item, depth);
    let follows = |next: &&CriterionItem| next.lines.start == wanted[at].lines.end;
    if let Some(next) = wanted.get(at + 1).filter(follows).and_then(find) {
        return Some(next.lines.start);
    }
    if let Some(before) = wanted[..at].iter().rev().find_map(find) {
        return Some(behind(before));
    }
    if let Some(after) = wanted[at + 1..].iter().find_map(find) {
        return Some(after.lines.start);
    }
    present.last().map(behind)
}

/// Returns the end of an item at an indentation: lines with a deeper one belong to it.
fn end_of(text: &str, item: &CriterionItem, depth: usize) -> usize {
    let own = indent(text, item).max(depth);
    let mut end = item.lines.end;
    for line in text[end..].split_inclusive('\n') {
        let deep = line.len() - line.trim_start_matches([' ', '\t']).len();
        if line.trim().is_empty() || deep <= own {
            break;
        }
        end += line.len();
    }
    end
}

fn inserted(text: &str, place: usize, lines: &str) -> Option<String> {
    let eol = line_break(text);
    let is_behind_open_line = place > 0 && !text[..place].ends_with('\n');
    let lead = if is_behind_open_line { eol } else { "" };
    let lines = with_line_break(lines.trim_end_matches(['\r', '\n']), eol);
    let trail = if is_behind_open_line { "" } else { eol };
    let edit = Edit::insert(place, format!("{lead}{lines}{trail}"));
    apply(text, &[edit]).ok()
}
