//! Checklist items (`- [ ]`): found below their headings, read, and ticked.

use std::ops::Range;

use crate::edit::Edit;
use crate::markdown::{self, Heading, MarkdownOutline, TaskItem};

pub mod lines;

/// Returns the task items of every section whose heading starts with `name` (any case, levels 2 to 6).
///
/// A section ends at the next heading of its own level or a higher one, so sub-headings stay inside.
/// Items of several such sections are all returned, in document order.
///
/// ```
/// use chant_text::{checklist, edit, markdown};
///
/// let body = "# Log in\n\n## Acceptance Criteria\n\n- [ ] It works\n";
/// let outline = markdown::outline(body);
/// let items = checklist::under(&outline, "Acceptance Criteria");
/// let tick = checklist::set(items[0], true).into_iter().collect::<Vec<_>>();
/// assert!(edit::apply(body, &tick)?.ends_with("- [x] It works\n"));
/// # Ok::<(), chant_text::edit::EditError>(())
/// ```
pub fn under<'a>(outline: &'a MarkdownOutline, name: &str) -> Vec<&'a TaskItem> {
    let mut found: Vec<&TaskItem> = Vec::new();
    let is_wanted = |text: &str| starts_with_ignoring_case(text, name);
    for (section, _) in sections(outline, &is_wanted) {
        let inside = |task: &&TaskItem| section.contains(&task.marker.start);
        found.extend(outline.tasks.iter().filter(inside));
    }
    found
}

/// Returns the lines that look like items with a box and are none to `CommonMark`, by their numbers from 1, of the
/// sections with the wanted headings: a box in the words of a paragraph or a heading, in code without a fence, in
/// HTML, or written otherwise (`- [] `, `-[ ] `, `[ ] `).
///
/// ```
/// use chant_text::{checklist, markdown};
///
/// let body = "## Acceptance Criteria\n\n- [ ] It works\n- [] It is fast\n";
/// let outline = markdown::outline(body);
/// let is_wanted = |heading: &str| checklist::starts_with_ignoring_case(heading, "Acceptance Criteria");
/// assert_eq!(checklist::unread(body, &outline, &is_wanted), [4]);
/// ```
pub fn unread(
    body: &str,
    outline: &MarkdownOutline,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Vec<usize> {
    let mut set_aside = markdown::set_aside(body, outline);
    set_aside.sort_unstable_by_key(|range| range.start);
    let is_aside = |at: usize| {
        let before = set_aside.partition_point(|range| range.start <= at);
        before > 0 && set_aside[before - 1].contains(&at)
    };
    let is_read = |line: &Range<usize>| {
        let before = outline
            .tasks
            .partition_point(|task| task.marker.start < line.start);
        let next = outline.tasks.get(before);
        next.is_some_and(|task| line.contains(&task.marker.start))
    };
    let (mut unread, mut counted, mut number) = (Vec::new(), 0, 1);
    for (section, next) in sections(outline, is_wanted) {
        // A paragraph that a line underlines is a heading as a whole, with the boxes in it.
        let end = match next {
            Some(heading) if heading.text.contains('\n') => heading.range.end,
            _ => section.end.min(body.len()),
        };
        number += body[counted..section.start].matches('\n').count();
        counted = section.start;
        for text in body[section.start..end].split_inclusive('\n') {
            let line = counted..counted + text.len();
            if looks_like_item(text) && !is_aside(line.start) && !is_read(&line) {
                unread.push(number);
            }
            counted = line.end;
            number += usize::from(text.ends_with('\n'));
        }
    }
    unread
}

/// Returns true if a body may have such lines, as far as lines alone say: most have none, and need no outline for that.
pub fn may_be_unread(body: &str) -> bool {
    let is_plain = |line: &str| {
        let item = line.trim_start_matches(' ');
        let indent = line.len() - item.len();
        let boxed = item.strip_prefix(['-', '*', '+']).map(str::as_bytes);
        indent < 4
            && matches!(
                boxed,
                Some([b' ', b'[', b' ' | b'x' | b'X', b']', b' ', ..])
            )
    };
    body.lines()
        .any(|line| looks_like_item(line) && !is_plain(line))
}

/// The advice about such lines.
pub const UNREAD_ADVICE: &str = "Write each as an item of a list, `- [ ] what is to be true`, and leave a blank line before the list";

/// Names such lines; `None` without any.
pub fn describe_unread(lines: &[usize]) -> Option<String> {
    let lines: Vec<String> = lines.iter().map(usize::to_string).collect();
    match &lines[..] {
        [] => None,
        [line] => Some(format!(
            "line {line} looks like a criterion and is not read"
        )),
        [lines @ .., last] => Some(format!(
            "lines {} and {last} look like criteria and are not read",
            lines.join(", ")
        )),
    }
}

/// The sections with the wanted headings, as bytes behind the heading, each with the heading that ends it.
/// One within another is part of that one.
fn sections<'a>(
    outline: &'a MarkdownOutline,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Vec<(Range<usize>, Option<&'a Heading>)> {
    let mut found = Vec::new();
    let mut ends_after = 0;
    for (at, heading) in outline.headings.iter().enumerate() {
        if heading.range.start < ends_after || heading.level < 2 || !is_wanted(&heading.text) {
            continue;
        }
        let next = outline.headings[at + 1..]
            .iter()
            .find(|h| h.level <= heading.level);
        ends_after = next.map_or(usize::MAX, |h| h.range.start);
        found.push((heading.range.end..ends_after, next));
    }
    found
}

/// Returns true if a reader takes a line, or a cell of a row, for an item with a box.
fn looks_like_item(line: &str) -> bool {
    let line = line.trim_start_matches([' ', '\t', '>']);
    match line.strip_prefix('|') {
        Some(row) => row.split('|').any(|cell| begins_with_box(cell.trim())),
        None => begins_with_box(line.trim()),
    }
}

fn begins_with_box(text: &str) -> bool {
    let item = without_any_bullet(text);
    let Some((sign, rest)) = item
        .unwrap_or(text)
        .strip_prefix('[')
        .and_then(|boxed| boxed.split_once(']'))
    else {
        return false;
    };
    let has_text = rest.contains(char::is_alphanumeric);
    // `[x](…)`, `[x]: …` and `[x][…]` are links.
    let is_link = rest.starts_with(['(', ':', '[']);
    let is_box = if item.is_some() {
        let mut signs = sign.trim().chars();
        match (signs.next(), signs.next()) {
            (None, _) => true,
            (Some(sign), None) => matches!(sign, 'x' | 'X') || !sign.is_alphanumeric(),
            _ => false,
        }
    } else {
        matches!(sign, " " | "x" | "X") && rest.starts_with(char::is_whitespace)
    };
    has_text && !is_link && is_box
}

/// Returns a text without the bullet or the number before it, of whatever kind; `None` without one.
fn without_any_bullet(text: &str) -> Option<&str> {
    const BULLETS: [char; 10] = ['-', '*', '+', '•', '◦', '▪', '·', '–', '—', '‣'];
    let behind_number = text
        .trim_start_matches(|c: char| c.is_ascii_digit())
        .strip_prefix(['.', ')'])
        .filter(|_| text.starts_with(|c: char| c.is_ascii_digit()));
    let rest = text.strip_prefix(BULLETS).or(behind_number)?;
    Some(rest.trim_start())
}

/// Returns an item's text on one line, as answers show it.
pub fn text(body: &str, item: &TaskItem) -> String {
    body.get(item.text.clone())
        .unwrap_or_default()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

/// Ticks or unticks one item: changes the one character between its brackets.
pub fn set(item: &TaskItem, checked: bool) -> Option<Edit> {
    let mark = item.marker.start + 1..item.marker.end - 1;
    (item.checked != checked).then(|| Edit::replace(mark, if checked { "x" } else { " " }))
}

/// Returns true if a text begins with a name, in any case of letters.
pub fn starts_with_ignoring_case(text: &str, name: &str) -> bool {
    text.get(..name.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(name))
}

/// Returns a text without the bullet of a list before it.
pub fn without_bullet(text: &str) -> &str {
    let text = text.trim();
    let bullet = text.strip_prefix(['-', '*', '+']);
    bullet.map_or(text, str::trim_start)
}

/// Returns the text behind a box, with or without a bullet before it; `None` without a box.
pub fn behind_box(text: &str) -> Option<&str> {
    let text = without_bullet(text);
    ["[ ]", "[x]", "[X]"]
        .into_iter()
        .find_map(|mark| text.strip_prefix(mark))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{edit::apply, markdown::outline};

    const NAME: &str = "Acceptance Criteria";

    fn items(body: &str) -> Vec<(bool, String)> {
        let outline = outline(body);
        under(&outline, NAME)
            .into_iter()
            .map(|item| (item.checked, text(body, item)))
            .collect()
    }

    /// Reference chant 10.3, first row: the correct total is 5.
    #[test]
    fn nested_items_and_sub_headings_count_and_fences_and_other_sections_do_not() {
        let body = "## Acceptance Criteria\n\n- [ ] a\n- [x] b\n- [X] c\n  - [ ] nested\n\n```\n- [ ] no\n```\n\n### Sub\n\n- [ ] s\n\n## Next\n\n- [ ] no\n";
        let found = items(body);
        assert_eq!(found.len(), 5);
        assert_eq!(found.iter().filter(|(checked, _)| !checked).count(), 3);
    }

    #[test]
    fn lines_that_look_like_items_and_are_none_are_found() {
        let unread = |lines: &str| {
            let body =
                format!("## Acceptance Criteria\n\n- [ ] read\n\n{lines}\n\n## Next\n\n- [] no\n");
            let found = super::unread(&body, &outline(&body), &|heading| {
                starts_with_ignoring_case(heading, NAME)
            });
            assert!(may_be_unread(&body) || found.is_empty(), "{lines}");
            found
        };
        let lost = [
            "words\n    - [ ] a box in a paragraph",
            "words\n      - [ ] a box in a heading\n---",
            "words\n\n    - [ ] a box in code",
            "<div>\n- [ ] a box in HTML\n</div>",
            "- [] no blank in it",
            "-[ ] none before it",
            "- [x]none behind it",
            "- [~] another sign",
            "[ ] no bullet",
            "• [x] another bullet",
            "| a | [ ] b |",
        ];
        for lines in lost {
            assert_eq!(unread(lines).len(), 1, "{lines}");
        }
        let others = [
            "1. [x] an item, too\n2) [ ] and this",
            "> - [ ] quoted",
            "- [x](https://example.com) a link",
            "- [x]: words",
            "- [a] note",
            "[1] a source",
            "- [ ]",
            "```\n- [] an example\n```",
            "<!-- - [] later -->",
            "A list of `- [] x` and [ ] in a line.",
        ];
        for lines in others {
            assert_eq!(unread(lines), [0; 0], "{lines}");
        }
        assert_eq!(unread("- [] one\n\n- [ ] read\n-[ ] two"), [5, 8]);
    }

    #[test]
    fn every_section_of_that_name_counts() {
        let body = "## Acceptance Criteria\n- [ ] first\n## Other\n## acceptance criteria (more)\n- [x] last\n";
        assert_eq!(
            items(body),
            [(false, "first".into()), (true, "last".into())]
        );
    }

    #[test]
    fn a_section_of_a_deeper_level_counts_and_ends_at_its_own_level() {
        let body = "### Acceptance Criteria\n* [ ] a\n#### deeper\n+ [x] b\n### Notes\n- [ ] no\n";
        assert_eq!(items(body), [(false, "a".into()), (true, "b".into())]);
    }

    #[test]
    fn a_section_within_a_section_counts_its_items_once() {
        let body = "## Acceptance Criteria\n- [ ] a\n### Acceptance Criteria\n- [ ] b\n";
        assert_eq!(items(body).len(), 2);
    }

    #[test]
    fn tildes_fence_too_and_a_box_in_mid_line_is_text() {
        assert_eq!(
            items("## Acceptance Criteria\n~~~\n- [ ] no\n~~~\n- [ ] one - [ ] still one\n").len(),
            1
        );
    }

    #[test]
    fn ticking_changes_one_character() {
        let body = "## Acceptance Criteria\r\n- [ ]  spaced  \r\n";
        let outline = outline(body);
        let items = under(&outline, NAME);
        let edit = set(items[0], true).into_iter().collect::<Vec<_>>();
        assert_eq!(
            apply(body, &edit).as_deref(),
            Ok("## Acceptance Criteria\r\n- [x]  spaced  \r\n")
        );
        assert_eq!(set(items[0], false), None);
    }
}
