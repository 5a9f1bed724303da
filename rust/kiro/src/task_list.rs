//! The lines of `tasks.md`: tasks with their flags and fields, and waves.

use std::collections::HashMap;
use std::ops::Range;

use chant_plan_format::document::PlanDocument;
use chant_plan_format::section_lookup::start_of;
use chant_text::checklist::lines::{
    BoxGrammar, BoxParts, ListLine, ListLineKind, count_details, leading_number, read_lines,
    trimmed,
};

use super::fields::{FieldName, TaskField, field_start, fields};
use super::waves::{TaskWaves, waves};

/// The boxes that are tasks.
pub(super) const GRAMMAR: BoxGrammar = BoxGrammar {
    signs: " xX-~",
    has_numbered_bullets: false,
    has_loose_boxes: false,
    has_loose_blanks: false,
};

/// The same with any sign.
const ANY_SIGN: BoxGrammar = BoxGrammar {
    signs: "!\"#$%&'+,./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWYZ\\^_`abcdefghijklmnopqrstuvwyz|✓✔☑✅",
    ..GRAMMAR
};

/// The heading below which boxes are no tasks.
const NOTES: &str = "notes";

/// A task by its line.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is asked alone")]
pub(super) struct KiroTaskLine {
    pub(super) parts: BoxParts,
    pub(super) line: usize,
    pub(super) range: Range<usize>,
    pub(super) column: usize,
    pub(super) number: Option<String>,
    /// True if a dot stands behind the number.
    pub(super) has_dot: bool,
    pub(super) title: Range<usize>,
    pub(super) is_optional: bool,
    pub(super) is_parallel: bool,
    pub(super) details: Option<Range<usize>>,
    /// True if the details have more than fields.
    pub(super) has_own_details: bool,
    pub(super) fields: Vec<TaskField>,
    /// The byte behind its last line.
    pub(super) end: usize,
    /// The task of which it is a part, by its index.
    pub(super) parent: Option<usize>,
}

impl KiroTaskLine {
    /// The values of a field, by their bytes.
    pub(super) fn values(&self, name: FieldName) -> impl Iterator<Item = Range<usize>> + '_ {
        let fields = self.fields.iter().filter(move |field| field.name == name);
        fields.flat_map(|field| field.values.iter().cloned())
    }
}

/// A list.
#[derive(Debug, Default)]
pub(super) struct KiroTaskLines {
    pub(super) tasks: Vec<KiroTaskLine>,
    pub(super) waves: Option<TaskWaves>,
    /// The byte at which the notes begin, below which boxes are no tasks.
    pub(super) notes: Option<usize>,
    /// Lines with a box in a fence.
    pub(super) fenced: Vec<usize>,
    /// Lines with a box whose sign is unknown.
    pub(super) unknown_signs: Vec<usize>,
}

/// Reads the lines of a list.
pub(super) fn task_lines(document: &PlanDocument) -> KiroTaskLines {
    let text = &document.text;
    let start = start_of(document);
    let lines = read_lines(text, start, &GRAMMAR);
    let mut found = KiroTaskLines::default();
    // The level of the heading of notes.
    let mut notes: Option<u8> = None;
    let mut sections: Vec<usize> = Vec::new();
    let mut section = 0;
    for (at, line) in lines.iter().enumerate() {
        match &line.kind {
            ListLineKind::Heading { level, text: title } if !line.is_fenced => {
                section += 1;
                if notes.is_some_and(|notes| *level <= notes) {
                    notes = None;
                }
                if notes.is_none() && text[title.clone()].eq_ignore_ascii_case(NOTES) {
                    notes = Some(*level);
                    found.notes = found.notes.or(Some(line.range.start));
                }
            }
            ListLineKind::Box(_) if notes.is_some() => {}
            ListLineKind::Box(_) if line.is_fenced => found.fenced.push(line.number),
            ListLineKind::Box(parts) => {
                found
                    .tasks
                    .push(task_line(text, line, parts, &lines[at + 1..]));
                sections.push(section);
            }
            _ => {}
        }
    }
    if text.contains("] ") {
        let other = read_lines(text, start, &ANY_SIGN);
        let unknown = other
            .iter()
            .filter(|line| !line.is_fenced && line.parts().is_some());
        found.unknown_signs = unknown.map(|line| line.number).collect();
    }
    connect(&mut found.tasks, &sections);
    found.waves = fences(text, &lines).find_map(|fence| waves(text, fence));
    found
}

fn task_line(text: &str, line: &ListLine, parts: &BoxParts, below: &[ListLine]) -> KiroTaskLine {
    let count = count_details(below, line.column);
    let last = count.checked_sub(1).map(|last| &below[last]);
    let own: Vec<Range<usize>> = below[..count]
        .iter()
        .filter(|line| line.kind == ListLineKind::Text && !line.is_fenced)
        .map(|line| line.range.clone())
        .collect();
    let words = task_words(text, parts);
    KiroTaskLine {
        parts: parts.clone(),
        line: line.number,
        range: line.range.clone(),
        column: line.column,
        number: words.number.map(|number| text[number].to_owned()),
        has_dot: words.has_dot,
        title: words.title,
        is_optional: words.is_optional,
        is_parallel: words.is_parallel,
        details: last.map(|last| line.end..last.range.end),
        has_own_details: own.iter().any(|line| field_start(text, line).is_none()),
        fields: fields(text, &own),
        end: last.map_or(line.end, |last| last.end),
        parent: None,
    }
}

/// The parts of a task's text.
pub(super) struct TaskWords {
    pub(super) number: Option<Range<usize>>,
    pub(super) has_dot: bool,
    pub(super) is_optional: bool,
    pub(super) is_parallel: bool,
    pub(super) title: Range<usize>,
}

/// The sign of a task that may run beside its neighbours.
const PARALLEL: &str = "(P)";

/// Takes the text behind a box apart: a star, a number, a star, `(P)`, the title.
pub(super) fn task_words(text: &str, parts: &BoxParts) -> TaskWords {
    let range = parts.text.clone();
    let mut start = range.start;
    let words = &text[range.clone()];
    let behind_star = words.strip_prefix('*');
    let is_flag = |rest: &str| rest.is_empty() || rest.starts_with([' ', '\t']);
    let mut is_optional = behind_star.is_some_and(is_flag);
    if let Some(rest) = behind_star.filter(|rest| is_flag(rest)) {
        start = range.end - rest.trim_start().len();
    }
    let mut has_dot = false;
    let number = leading_number(&text[start..range.end], false).map(|(number, title)| {
        let at = number.start + start..number.end + start;
        let between = &text[at.end..start + title];
        has_dot = between.starts_with('.');
        is_optional |= number.start == 0 && between.contains('*');
        start += title;
        at
    });
    let rest = &text[start..range.end];
    let is_parallel = number.is_some() && rest.strip_prefix(PARALLEL).is_some_and(is_flag);
    if is_parallel {
        start += PARALLEL.len();
    }
    TaskWords {
        number,
        has_dot,
        is_optional,
        is_parallel,
        title: trimmed(text, start.min(range.end)..range.end),
    }
}

/// Finds the holders of tasks: by numbers wherever they stand; without a number by the indent.
fn connect(tasks: &mut [KiroTaskLine], sections: &[usize]) {
    let mut by_number: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, task) in tasks.iter().enumerate() {
        if let Some(number) = &task.number {
            by_number.entry(number.clone()).or_default().push(at);
        }
    }
    // Tasks that a deeper line belongs to, by their columns.
    let mut above: Vec<(usize, usize)> = Vec::new();
    for at in 0..tasks.len() {
        if at > 0 && sections[at] != sections[at - 1] {
            above.clear();
        }
        let column = tasks[at].column;
        above.retain(|(_, other)| *other < column);
        let parent = match &tasks[at].number {
            Some(number) => holder(number, at, &by_number),
            None => above.last().map(|(task, _)| *task),
        };
        above.push((at, column));
        tasks[at].parent = parent;
    }
}

/// The task with the number of which another one is a part; of several the last one before it.
fn holder(number: &str, at: usize, by_number: &HashMap<String, Vec<usize>>) -> Option<usize> {
    let mut whole = number;
    while let Some((start, _)) = whole.rsplit_once('.') {
        if let Some(found) = by_number.get(start) {
            let before = found.iter().rev().find(|other| **other < at);
            return before.or_else(|| found.first()).copied();
        }
        whole = start;
    }
    None
}

/// The texts of fences.
fn fences<'a>(text: &'a str, lines: &'a [ListLine]) -> impl Iterator<Item = Range<usize>> + 'a {
    let mut at = 0;
    std::iter::from_fn(move || {
        let first = at + lines[at..].iter().position(|line| line.is_fenced)?;
        let mut end = first + 1;
        while end < lines.len() && lines[end].is_fenced && !is_mark(text, &lines[end]) {
            end += 1;
        }
        at = (end + 1).min(lines.len());
        let inside = lines[first].end..lines.get(end).map_or(text.len(), |line| line.range.start);
        Some(inside.start..inside.end.max(inside.start))
    })
}

fn is_mark(text: &str, line: &ListLine) -> bool {
    let words = text[line.range.clone()].trim();
    words.starts_with("```") || words.starts_with("~~~")
}
