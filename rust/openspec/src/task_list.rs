//! The lines of `tasks.md`: groups and tasks.

use std::collections::HashMap;
use std::ops::Range;

use chant_plan_format::document::PlanDocument;
use chant_plan_format::item_ids::ItemIds;
use chant_plan_format::section_lookup::start_of;
use chant_plan_format::unit::{ItemSpans, PlanItem};
use chant_text::checklist::lines::{
    BoxGrammar, BoxParts, ListLine, ListLineKind, count_details, leading_number, read_lines,
};

/// The boxes that the program counts, boxes in fences among them.
pub(super) const GRAMMAR: BoxGrammar = BoxGrammar {
    signs: " xX~-",
    has_numbered_bullets: true,
    has_loose_boxes: true,
    has_loose_blanks: true,
};

/// Words behind a box that say that only a person can do the task.
const PEOPLE: [&str; 3] = ["[DEV]", "[HUMAN]", "[MANUAL]"];

/// The parts of a task's text.
pub(super) struct TaskText {
    /// The number, without bold marks around it.
    pub(super) number: Option<Range<usize>>,
    /// The title, behind words that name people.
    pub(super) title: Range<usize>,
    /// The word that names people.
    pub(super) people: Option<&'static str>,
}

/// Takes the text behind a box apart.
pub(super) fn task_text(text: &str, range: Range<usize>) -> TaskText {
    let mut start = range.start;
    let mut people = None;
    let take_people = |start: &mut usize, people: &mut Option<&'static str>| {
        let rest = &text[*start..range.end];
        if let Some(word) = PEOPLE.into_iter().find(|word| rest.starts_with(word)) {
            *people = Some(word);
            let behind = rest[word.len()..].trim_start();
            *start = range.end - behind.len();
        }
    };
    take_people(&mut start, &mut people);
    let mut end = range.end;
    let number = leading_number(&text[start..range.end], true).map(|(number, title)| {
        let at = number.start + start..number.end + start;
        let marks = &text[start..at.start];
        start += title;
        // A text that is bold with its number.
        let is_closed = !marks.is_empty() && !text[at.end..start].contains(marks);
        if is_closed && start < end && text[start..end].ends_with(marks) {
            end -= marks.len();
        }
        at
    });
    take_people(&mut start, &mut people);
    TaskText {
        number,
        title: start.min(end)..end,
        people,
    }
}

/// A heading above tasks.
#[derive(Debug, Clone)]
pub(super) struct TaskGroup {
    pub(super) title: Range<usize>,
    pub(super) number: Option<String>,
    /// The byte behind its line.
    pub(super) end: usize,
}

/// A task by its line.
#[derive(Debug)]
pub(super) struct ChangeTaskLine {
    pub(super) parts: BoxParts,
    pub(super) line: usize,
    pub(super) range: Range<usize>,
    pub(super) column: usize,
    pub(super) number: Option<String>,
    /// The heading above it, by its index.
    pub(super) group: Option<usize>,
    /// The bytes of the lines below it that belong to it.
    pub(super) details: Option<Range<usize>>,
    /// The byte behind its last line.
    pub(super) end: usize,
}

/// A list with its groups.
#[derive(Debug, Default)]
pub(super) struct ChangeTaskLines {
    pub(super) groups: Vec<TaskGroup>,
    pub(super) tasks: Vec<ChangeTaskLine>,
}

/// Reads the lines of a list.
pub(super) fn task_lines(document: &PlanDocument) -> ChangeTaskLines {
    let text = &document.text;
    let lines = read_lines(text, start_of(document), &GRAMMAR);
    let mut found = ChangeTaskLines::default();
    for (at, line) in lines.iter().enumerate() {
        match &line.kind {
            ListLineKind::Heading { text: title, .. } if !line.is_fenced => {
                let number = leading_number(&text[title.clone()], false);
                found.groups.push(TaskGroup {
                    number: number.map(|(number, _)| text[title.clone()][number].to_owned()),
                    title: title.clone(),
                    end: line.end,
                });
            }
            ListLineKind::Box(parts) => {
                let task = task_line(text, line, parts, &lines[at + 1..], found.groups.len());
                found.tasks.push(task);
            }
            _ => {}
        }
    }
    found
}

fn task_line(
    text: &str,
    line: &ListLine,
    parts: &BoxParts,
    below: &[ListLine],
    groups: usize,
) -> ChangeTaskLine {
    // A box in a fence is a task, too, and no detail of the one above.
    let next = below.iter().position(|line| line.parts().is_some());
    let below = &below[..next.unwrap_or(below.len())];
    let count = if line.is_fenced {
        0
    } else {
        count_details(below, line.column)
    };
    let last = count.checked_sub(1).map(|last| &below[last]);
    let number = task_text(text, parts.text.clone()).number;
    ChangeTaskLine {
        parts: parts.clone(),
        line: line.number,
        range: line.range.clone(),
        column: line.column,
        number: number.map(|number| text[number].to_owned()),
        group: groups.checked_sub(1),
        details: last.map(|last| line.end..last.range.end),
        end: last.map_or(line.end, |last| last.end),
    }
}

/// The tasks of a list as items of a change; parts of an item stand behind it.
///
/// `first` is the index that the first of them gets, `change` that of the change.
pub(super) fn task_items(
    document: (usize, &PlanDocument),
    change_name: &str,
    change: usize,
    first: usize,
) -> Vec<PlanItem> {
    let (document_at, document) = document;
    let lines = task_lines(document);
    let mut ids = ItemIds::default();
    let mut items: Vec<PlanItem> = Vec::with_capacity(lines.tasks.len());
    // Open tasks that a deeper line belongs to, with columns and groups.
    let mut above: Vec<(usize, usize)> = Vec::new();
    let mut by_number: HashMap<(Option<usize>, &str), usize> = HashMap::new();
    let mut group = None;
    for (at, task) in lines.tasks.iter().enumerate() {
        if task.group != group {
            above.clear();
            group = task.group;
        }
        above.retain(|(_, column)| *column < task.column);
        let of_number = task.number.as_deref().and_then(|number| {
            let mut whole = number;
            while let Some((start, _)) = whole.rsplit_once('.') {
                if let Some(found) = by_number.get(&(task.group, start)) {
                    return Some(*found);
                }
                whole = start;
            }
            None
        });
        let parent = of_number.or_else(|| above.last().map(|(task, _)| *task));
        above.push((at, task.column));
        if let Some(number) = &task.number {
            by_number.entry((task.group, number)).or_insert(at);
        }
        items.push(PlanItem {
            parent: Some(parent.map_or(change, |parent| parent + first)),
            document: Some(document_at),
            ..task_item(&document.text, task, change_name, &mut ids)
        });
    }
    items
}

fn task_item(text: &str, task: &ChangeTaskLine, change: &str, ids: &mut ItemIds) -> PlanItem {
    let words = task_text(text, task.parts.text.clone());
    let title = &text[words.title.clone()];
    let id = match &task.number {
        Some(number) => ids.of_number(number),
        None => ids.of_title(title),
    };
    let (mark, is_ticked, is_begun) = match task.parts.sign {
        'x' | 'X' => ("done", true, false),
        '~' | '-' => ("active", false, true),
        _ => ("open", false, false),
    };
    let label = words
        .people
        .map(|word| word.trim_matches(['[', ']']).to_lowercase());
    PlanItem {
        name: format!("{change}#{id}").into(),
        id: id.into(),
        title: title.into(),
        kind: "task",
        line: task.line,
        spans: ItemSpans {
            whole: task.range.start
                ..task
                    .details
                    .as_ref()
                    .map_or(task.range.end, |details| details.end),
            mark: Some(task.parts.mark.clone()),
            title: Some(words.title),
            details: task.details.clone(),
            attributes: None,
        },
        labels: label.into_iter().map(Into::into).collect(),
        mark: mark.into(),
        is_ticked,
        is_begun,
        has_details: task.details.is_some(),
        is_of_people: words.people.is_some(),
        ..PlanItem::default()
    }
}
