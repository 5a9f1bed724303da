//! Checklist items (`- [ ]`): found below their headings, read, and ticked.

use super::edit::Edit;
use super::markdown::{MarkdownOutline, TaskItem};

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
    let mut ends_after = 0;
    for (at, heading) in outline.headings.iter().enumerate() {
        if heading.range.start < ends_after
            || heading.level < 2
            || !starts_with_ignoring_case(&heading.text, name)
        {
            continue;
        }
        let next = outline.headings[at + 1..]
            .iter()
            .find(|h| h.level <= heading.level);
        ends_after = next.map_or(usize::MAX, |h| h.range.start);
        let inside =
            |task: &&TaskItem| (heading.range.end..ends_after).contains(&task.marker.start);
        found.extend(outline.tasks.iter().filter(inside));
    }
    found
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

fn starts_with_ignoring_case(text: &str, name: &str) -> bool {
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
    use super::super::{edit::apply, markdown::outline};
    use super::*;

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
