//! Edits of changes: ticks, titles, sections, new tasks and new changes.

use std::ops::Range;

use chant_plan_format::box_edit::{
    fit_title, not_taken, path_of, requested_item, reset_boxes, set_box, tick_box,
};
use chant_plan_format::checked_edit::refuse_unfit;
use chant_plan_format::document::PlanDocument;
use chant_plan_format::intent::{EditIntent, EditRequest, ItemDraft, PlanFileStep, UnitEdit};
use chant_plan_format::refusal::EditRefusal;
use chant_plan_format::section_edit::set_section_of_text;
use chant_plan_format::unit::PlanUnit;
use chant_text::checklist::lines::{ListLineKind, read_lines, slug};

use chant_text::sections::without_number;

use super::format::{CHANGES, METADATA, OpenSpec, SCOPE, SPEC, TASKS};
use super::task_list::{ChangeTaskLine, ChangeTaskLines, GRAMMAR, task_lines, task_text};

pub(super) fn edit(
    unit: Option<&PlanUnit>,
    request: &EditRequest<'_>,
) -> Result<UnitEdit, EditRefusal> {
    let Some(unit) = unit else {
        return match request.intent {
            EditIntent::Add { draft, .. } => new_change(draft, request),
            intent => Err(not_taken(&SCOPE, intent)),
        };
    };
    if unit.source.kind == SPEC {
        return Err(EditRefusal::OwnProgram {
            what: "Changing a main spec",
            command: "openspec archive <change>".into(),
        });
    }
    match request.intent {
        EditIntent::Tick { which, on } => {
            tick_box(unit, requested_item(unit, request)?, which, *on)
        }
        EditIntent::Status { word } => set_status(unit, requested_item(unit, request)?, word),
        EditIntent::Reset => reset_boxes(unit, requested_item(unit, request)?),
        EditIntent::Title { text } => {
            let at = requested_item(unit, request)?;
            refuse_unfit(&OpenSpec, unit, request, at, set_title(unit, at, text)?)
        }
        EditIntent::Section { name, text, append } => {
            set_section_of_text(unit, TASKS, name, text, *append)
        }
        EditIntent::Add { parent, draft } => add_task(unit, parent.as_deref(), draft),
        EditIntent::Move { .. } => Err(EditRefusal::OwnProgram {
            what: "Archiving",
            command: format!("openspec archive {}", unit.source.name),
        }),
        intent @ (EditIntent::Set { .. } | EditIntent::AddCriterion { .. }) => {
            Err(not_taken(&SCOPE, intent))
        }
    }
}

fn set_status(unit: &PlanUnit, at: usize, word: &str) -> Result<UnitEdit, EditRefusal> {
    let sign = match word {
        "open" => ' ',
        "done" => 'x',
        _ => {
            // The format has no word for work that has begun, and older releases do not count `[~]`.
            return Err(EditRefusal::UnknownStatus {
                word: word.into(),
                allowed: vec!["open".into(), "done".into()],
            });
        }
    };
    let mut edit = UnitEdit::default();
    let item = &unit.items[at];
    if *item.mark != *word || item.is_group {
        edit.texts.extend(set_box(unit, at, sign)?);
    }
    Ok(edit)
}

fn set_title(unit: &PlanUnit, at: usize, text: &str) -> Result<UnitEdit, EditRefusal> {
    let item = &unit.items[at];
    let (Some(span), Some(document)) = (&item.spans.title, item.document) else {
        return Err(EditRefusal::NotTaken {
            noun: "the title of a change",
            intent: "title",
            advice: "Edit the first heading of its proposal.md, or rename its folder".into(),
        });
    };
    let title = fit_task_title(text, &path_of(unit, item), !item.id.starts_with('~'))?;
    if item.title.trim() == title {
        return Ok(UnitEdit::default());
    }
    let mut edit = UnitEdit::replace(document, span.clone(), title);
    if item.id.starts_with('~') {
        edit.notes
            .push("the task has no number, so its name follows its title".into());
    }
    Ok(edit)
}

/// Checks the title of a task, which is not to begin with a word for people, since that is none of it.
fn fit_task_title<'a>(
    text: &'a str,
    path: &str,
    is_numbered: bool,
) -> Result<&'a str, EditRefusal> {
    let title = fit_title(text, path, is_numbered)?;
    if task_text(title, 0..title.len()).people.is_some() {
        return Err(EditRefusal::UnfitText {
            why: "it begins with a word that says that only a person can do the task".into(),
            path: path.into(),
        });
    }
    Ok(title)
}

/// The place of a new task.
struct TaskPlace<'a> {
    /// The byte at which it is put in.
    at: usize,
    indent: String,
    bullet: &'a str,
    number: Option<String>,
    /// True if it is the first one below its heading.
    is_first: bool,
}

fn add_task(
    unit: &PlanUnit,
    parent: Option<&str>,
    draft: &ItemDraft,
) -> Result<UnitEdit, EditRefusal> {
    let list = unit.source.index_of(TASKS);
    let path = format!("{}/{TASKS}", unit.source.path);
    let unfit = |why: &str| EditRefusal::UnfitText {
        why: why.into(),
        path: path.clone(),
    };
    if !(draft.criteria.is_empty() && draft.depends_on.is_empty() && draft.labels.is_empty()) {
        return Err(unfit(
            "a task of this format has no criteria, dependencies or labels",
        ));
    }
    let change = &unit.source.name;
    let Some(list) = list else {
        let title = fit_task_title(&draft.title, &path, true)?;
        let details = details(&draft.text, "", "\n").ok_or_else(|| unfit(NO_LIST))?;
        let heading = parent.map_or("Tasks", str::trim);
        return Ok(UnitEdit {
            files: vec![PlanFileStep::Create {
                path,
                text: format!("## 1. {heading}\n\n- [ ] 1.1 {title}\n{details}"),
            }],
            added: Some(format!("{change}#1.1").into()),
            ..UnitEdit::default()
        });
    };
    let document = &unit.source.documents[list];
    let lines = task_lines(document);
    let place = place_of(unit, document, &lines, parent)?;
    let title = fit_task_title(&draft.title, &path, place.number.is_some())?;
    let id = match &place.number {
        Some(number) => number.clone(),
        None => format!("~{}", slug(title)),
    };
    if !unit.indexes_of(&id).is_empty() {
        return Err(unfit("another task without a number has the same words"));
    }
    let eol = document.line_end;
    let number = place
        .number
        .as_ref()
        .map(|number| format!("{number} "))
        .unwrap_or_default();
    let details = details(&draft.text, &place.indent, eol).ok_or_else(|| unfit(NO_LIST))?;
    let line = format!(
        "{}{} [ ] {number}{title}{eol}{details}",
        place.indent, place.bullet
    );
    let before = &document.text[..place.at];
    let text = if place.is_first && !before.is_empty() {
        let behind = &document.text[place.at..];
        let gap = if behind.is_empty() || behind.starts_with(['\n', '\r']) {
            ""
        } else {
            eol
        };
        let lead = if before.ends_with('\n') {
            eol.to_owned()
        } else {
            format!("{eol}{eol}")
        };
        format!("{lead}{line}{gap}")
    } else if before.is_empty() || before.ends_with('\n') {
        line
    } else {
        // The list ends without a line break, and goes on to.
        format!("{eol}{}", line.trim_end_matches(['\r', '\n']))
    };
    let mut edit = UnitEdit::replace(list, place.at..place.at, text);
    edit.added = Some(format!("{change}#{id}").into());
    Ok(edit)
}

const NO_LIST: &str = "its lines would be read as tasks, headings or fences";

/// The lines of a text below a task; `None` if one of them would be more than text.
fn details(text: &str, indent: &str, eol: &str) -> Option<String> {
    let lines = read_lines(text, 0, &GRAMMAR);
    let is_plain = |kind: &ListLineKind| matches!(kind, ListLineKind::Blank | ListLineKind::Text);
    if !lines
        .iter()
        .all(|line| is_plain(&line.kind) && !line.is_fenced)
    {
        return None;
    }
    let words = lines.iter().filter(|line| line.kind == ListLineKind::Text);
    let line = |range: Range<usize>| format!("{indent}  {}{eol}", text[range].trim_end());
    Some(words.map(|one| line(one.range.clone())).collect())
}

fn place_of<'a>(
    unit: &PlanUnit,
    document: &'a PlanDocument,
    lines: &ChangeTaskLines,
    parent: Option<&str>,
) -> Result<TaskPlace<'a>, EditRefusal> {
    let text = &document.text;
    let wanted = parent
        .map(str::trim)
        .filter(|parent| !parent.is_empty() && *parent != &*unit.source.name);
    let Some(wanted) = wanted else {
        let last = lines.tasks.last().and_then(|task| task.group);
        let group = last.or(lines
            .groups
            .len()
            .checked_sub(1)
            .filter(|_| lines.tasks.is_empty()));
        return Ok(in_group(text, lines, group));
    };
    if let [at] = unit.indexes_of(wanted).as_slice()
        && let Some(task) = at.checked_sub(1).filter(|task| *task < lines.tasks.len())
    {
        let number = lines.tasks[task].number.as_deref().unwrap_or_default();
        if number.ends_with(|c: char| c.is_ascii_alphabetic()) {
            return Err(EditRefusal::NotTaken {
                noun: "a task whose number ends with a letter",
                intent: "add",
                advice: "Add the new task to its group".into(),
            });
        }
        return Ok(below_task(unit, text, lines, task));
    }
    let title = |group: &super::task_list::TaskGroup| text[group.title.clone()].to_owned();
    let is_wanted = |group: &super::task_list::TaskGroup| {
        group.number.as_deref() == Some(wanted.trim_end_matches('.'))
            || [&*title(group), without_number(&title(group))]
                .iter()
                .any(|title| title.eq_ignore_ascii_case(wanted.trim_start_matches('#').trim()))
    };
    let found = lines.groups.iter().position(is_wanted);
    found
        .map(|group| in_group(text, lines, Some(group)))
        .ok_or_else(|| EditRefusal::NoSuchSection {
            name: wanted.into(),
            available: lines.groups.iter().map(title).collect(),
        })
}

fn in_group<'a>(text: &'a str, lines: &ChangeTaskLines, group: Option<usize>) -> TaskPlace<'a> {
    let own: Vec<&ChangeTaskLine> = lines
        .tasks
        .iter()
        .filter(|task| task.group == group)
        .collect();
    let model = own.first().copied().or(lines.tasks.first());
    let heading = group.map(|group| &lines.groups[group]);
    TaskPlace {
        at: match (own.last(), heading) {
            (Some(last), _) => last.end,
            (None, Some(heading)) => heading.end,
            (None, None) => text.len(),
        },
        indent: model.map_or_else(String::new, |task| indent_of(text, task)),
        bullet: model.map_or("-", |task| bullet_of(text, task)),
        number: next_number(
            lines,
            &own,
            heading.and_then(|heading| heading.number.as_deref()),
        ),
        is_first: own.is_empty(),
    }
}

fn below_task<'a>(
    unit: &PlanUnit,
    text: &'a str,
    lines: &ChangeTaskLines,
    at: usize,
) -> TaskPlace<'a> {
    let task = &lines.tasks[at];
    // Items of the unit stand one behind tasks: the first item is the change.
    let is_below = |mut item: usize| loop {
        match unit.items.get(item).and_then(|item| item.parent) {
            Some(parent) if parent == at + 1 => return true,
            Some(parent) if parent < item => item = parent,
            _ => return false,
        }
    };
    let parts: Vec<&ChangeTaskLine> = (at + 1..lines.tasks.len())
        .filter(|part| is_below(part + 1))
        .map(|part| &lines.tasks[part])
        .collect();
    let number = task.number.as_ref().map(|number| {
        let greatest = lines.tasks.iter().filter_map(|other| {
            let rest = other
                .number
                .as_deref()?
                .strip_prefix(&**number)?
                .strip_prefix('.')?;
            rest.split('.').next()?.parse::<u64>().ok()
        });
        format!("{number}.{}", greatest.max().unwrap_or(0) + 1)
    });
    TaskPlace {
        at: parts.last().map_or(task.end, |last| last.end),
        indent: parts.first().map_or_else(
            || format!("{}  ", indent_of(text, task)),
            |part| indent_of(text, part),
        ),
        bullet: bullet_of(text, task),
        number,
        is_first: false,
    }
}

fn indent_of(text: &str, task: &ChangeTaskLine) -> String {
    text[task.range.start..task.parts.bullet.start].to_owned()
}

/// The bullet of a task; a list of numbers goes on with a dash.
fn bullet_of<'a>(text: &'a str, task: &ChangeTaskLine) -> &'a str {
    let bullet = &text[task.parts.bullet.clone()];
    if bullet.len() == 1 { bullet } else { "-" }
}

/// The number of a further task: that of its group with the greatest second part and one more; none in a list
/// without numbers.
fn next_number(
    lines: &ChangeTaskLines,
    own: &[&ChangeTaskLine],
    group: Option<&str>,
) -> Option<String> {
    let numbers = || lines.tasks.iter().filter_map(|task| task.number.as_deref());
    let last = own.iter().rev().find_map(|task| task.number.as_deref());
    let model = last.or_else(|| numbers().next_back())?;
    if let Some(digits) = model.strip_prefix('T') {
        let greatest = numbers()
            .filter_map(|number| number.strip_prefix('T')?.parse::<u64>().ok())
            .max();
        let width = digits.len();
        return Some(format!("T{:0width$}", greatest.unwrap_or(0) + 1));
    }
    if !model.contains('.') {
        let greatest = numbers()
            .filter_map(|number| number.parse::<u64>().ok())
            .max();
        return Some((greatest.unwrap_or(0) + 1).to_string());
    }
    let of_last = last.and_then(|number| number.split('.').next());
    let prefix = group.or(of_last)?;
    let second = numbers().filter_map(|number| {
        let (first, rest) = number.split_once('.')?;
        let second: String = rest.chars().take_while(char::is_ascii_digit).collect();
        (first == prefix).then(|| second.parse::<u64>().ok())?
    });
    Some(format!("{prefix}.{}", second.max().unwrap_or(0) + 1))
}

/// A new change: what the program makes, and the headings of a proposal.
fn new_change(draft: &ItemDraft, request: &EditRequest<'_>) -> Result<UnitEdit, EditRefusal> {
    let words: String = draft
        .title
        .chars()
        .map(|c| if c.is_ascii() { c } else { ' ' })
        .collect();
    let name = slug(&words);
    let unfit = |why: String| EditRefusal::UnfitText {
        why,
        path: CHANGES.into(),
    };
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) || name == "archive" {
        return Err(unfit(
            "no name of a change can be made of it, which begins with a letter from a to z".into(),
        ));
    }
    if request.taken.iter().any(|taken| **taken == *name) {
        return Err(unfit(format!("there is a change {name} already")));
    }
    let reason = match draft.text.trim() {
        "" => String::new(),
        text => format!("{text}\n\n"),
    };
    let lines = read_lines(&reason, 0, &GRAMMAR);
    if lines
        .iter()
        .any(|line| matches!(line.kind, ListLineKind::Heading { .. }) || line.is_fenced)
    {
        return Err(unfit(
            "its lines would be read as headings or fences of the proposal".into(),
        ));
    }
    if !(draft.criteria.is_empty() && draft.depends_on.is_empty() && draft.labels.is_empty()) {
        return Err(unfit(
            "a change of this format has no criteria, dependencies or labels".into(),
        ));
    }
    let day = request.now.get(..10).unwrap_or_default();
    let folder = format!("{CHANGES}/{name}");
    let files = vec![
        PlanFileStep::Create {
            path: format!("{folder}/{METADATA}"),
            text: format!("schema: spec-driven\ncreated: {day}\n"),
        },
        PlanFileStep::Create {
            path: format!("{folder}/proposal.md"),
            text: format!("## Why\n\n{reason}## What Changes\n\n## Impact\n"),
        },
    ];
    Ok(UnitEdit {
        files,
        added: Some(name.into()),
        ..UnitEdit::default()
    })
}
