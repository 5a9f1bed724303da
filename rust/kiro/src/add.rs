//! New tasks and new specs.

use std::ops::Range;

use chant_plan_format::document::PlanDocument;
use chant_plan_format::intent::{EditRequest, ItemDraft, PlanFileStep, UnitEdit};
use chant_plan_format::refusal::EditRefusal;
use chant_plan_format::unit::PlanUnit;
use chant_text::checklist::lines::{ListLineKind, read_lines, slug};
use chant_text::edit::{Edit, apply};

use super::edit::fit_task_title;
use super::fields::{field_start, is_number};
use super::format::{REQUIREMENTS, SPEC_FILE, SPECS, TASKS};
use super::task_list::{GRAMMAR, KiroTaskLine, KiroTaskLines, task_lines};

/// Adds a task behind the last one of its holder, or of the list, always in the form that the editor recognizes.
pub(super) fn add_task(
    unit: &PlanUnit,
    parent: Option<&str>,
    draft: &ItemDraft,
) -> Result<UnitEdit, EditRefusal> {
    let path = format!("{}/{TASKS}", unit.source.path);
    let unfit = |why: &str| EditRefusal::UnfitText {
        why: why.into(),
        path: path.clone(),
    };
    if !(draft.criteria.is_empty() && draft.labels.is_empty()) {
        return Err(unfit(
            "a task of this format has no criteria or labels of its own",
        ));
    }
    let has_depends = unit.source.index_of(SPEC_FILE).is_some();
    if !draft.depends_on.is_empty() && !has_depends {
        return Err(unfit("tasks of this spec wait for others by waves only"));
    }
    if !draft.depends_on.iter().all(|name| is_number(name)) {
        return Err(unfit("a task names those it waits for by their numbers"));
    }
    let title = fit_task_title(&draft.title, &path, true)?;
    let spec = &unit.source.name;
    let Some(list) = unit.source.index_of(TASKS) else {
        let details = details(draft, "", "\n").ok_or_else(|| unfit(NO_LIST))?;
        return Ok(UnitEdit {
            files: vec![PlanFileStep::Create {
                path,
                text: format!("# Implementation Plan\n\n- [ ] 1. {title}\n{details}"),
            }],
            added: Some(format!("{spec}#1").into()),
            ..UnitEdit::default()
        });
    };
    let document = &unit.source.documents[list];
    let text = &document.text;
    let lines = task_lines(document);
    let wanted = parent
        .map(str::trim)
        .filter(|parent| !parent.is_empty() && *parent != &**spec);
    let holder = wanted
        .map(|wanted| find_holder(unit, &lines, wanted))
        .transpose()?;
    let place = match holder {
        Some(holder) => place_below(text, &lines, holder)?,
        None => place_at_end(text, &lines),
    };
    let eol = document.line_end;
    let details = details(draft, &place.indent, eol).ok_or_else(|| unfit(NO_LIST))?;
    let line = format!(
        "{}- [ ] {} {title}{eol}{details}",
        place.indent, place.written
    );
    let before = &text[..place.at];
    let added = if before.is_empty() || before.ends_with('\n') {
        if lines.tasks.is_empty()
            && !before.is_empty()
            && !before.ends_with("\n\n")
            && !before.ends_with("\r\n\r\n")
        {
            format!("{eol}{line}")
        } else {
            line
        }
    } else {
        format!("{eol}{}", line.trim_end_matches(['\r', '\n']))
    };
    let mut edit = UnitEdit::replace(list, place.at..place.at, added);
    edit.added = Some(format!("{spec}#{}", place.number).into());
    refuse_unread(document, &edit, lines.tasks.len())?;
    if lines.waves.is_some() {
        edit.notes
            .push("the new task is in no wave; put its number into one by hand".into());
    }
    Ok(edit)
}

/// Refuses a new task that would not be read where it stands.
fn refuse_unread(
    document: &PlanDocument,
    edit: &UnitEdit,
    before: usize,
) -> Result<(), EditRefusal> {
    let edits: Vec<Edit> = edit
        .texts
        .iter()
        .map(|one| Edit::replace(one.span.clone(), &*one.text))
        .collect();
    let text = apply(&document.text, &edits).unwrap_or_default();
    let after = task_lines(&PlanDocument::new(document.path.clone(), text));
    if after.tasks.len() == before + 1 {
        return Ok(());
    }
    Err(EditRefusal::UnsoundDocument {
        path: document.path.to_string(),
        why: "a new task would not be read as one at its place, in an open code fence perhaps"
            .into(),
    })
}

const NO_LIST: &str = "its lines would be read as tasks, headings, fences or fields";

/// The lines of a text below a task; `None` if one of them would be more than text.
fn details(draft: &ItemDraft, indent: &str, eol: &str) -> Option<String> {
    let lines = read_lines(&draft.text, 0, &GRAMMAR);
    let is_plain = |line: &chant_text::checklist::lines::ListLine| match line.kind {
        ListLineKind::Blank => true,
        ListLineKind::Text => !line.is_fenced && field_start(&draft.text, &line.range).is_none(),
        ListLineKind::Heading { .. } | ListLineKind::Box(_) => false,
    };
    if !lines.iter().all(is_plain) {
        return None;
    }
    let line = |range: Range<usize>| {
        let words = draft.text[range].trim();
        let words = words.strip_prefix("- ").unwrap_or(words);
        format!("{indent}  - {words}{eol}")
    };
    let words = lines.iter().filter(|line| line.kind == ListLineKind::Text);
    let mut written: String = words.map(|one| line(one.range.clone())).collect();
    if !draft.depends_on.is_empty() {
        written.push_str(&format!(
            "{indent}  - _Depends: {}_{eol}",
            draft.depends_on.join(", ")
        ));
    }
    Some(written)
}

/// The place of a new task.
struct TaskPlace {
    at: usize,
    indent: String,
    number: String,
    /// The number as the line has it.
    written: String,
}

fn find_holder(unit: &PlanUnit, lines: &KiroTaskLines, wanted: &str) -> Result<usize, EditRefusal> {
    let item = chant_plan_format::checked_edit::single_item(unit, wanted.trim_end_matches('.'))?;
    let task = item.checked_sub(1).filter(|task| *task < lines.tasks.len());
    task.ok_or_else(|| EditRefusal::NoSuchItem {
        name: wanted.into(),
        path: unit.source.path.to_string(),
    })
}

fn indent_of(text: &str, task: &KiroTaskLine) -> String {
    text[task.range.start..task.parts.bullet.start].to_owned()
}

fn place_below(text: &str, lines: &KiroTaskLines, holder: usize) -> Result<TaskPlace, EditRefusal> {
    let task = &lines.tasks[holder];
    let Some(number) = &task.number else {
        return Err(EditRefusal::NotTaken {
            noun: "a task without a number",
            intent: "add",
            advice: "Give it a number by hand first".into(),
        });
    };
    let is_below = |mut at: usize| {
        for _ in 0..lines.tasks.len() {
            match lines.tasks[at].parent {
                Some(parent) if parent == holder => return true,
                Some(parent) => at = parent,
                None => return false,
            }
        }
        false
    };
    let parts: Vec<&KiroTaskLine> = (0..lines.tasks.len())
        .filter(|at| is_below(*at))
        .map(|at| &lines.tasks[at])
        .collect();
    let flat = || {
        let parts = lines.tasks.iter().filter(|task| task.parent.is_some());
        parts.map(|part| part.column).max() == Some(0)
    };
    let indent = match parts.first() {
        Some(part) => indent_of(text, part),
        None if flat() => String::new(),
        None => format!("{}  ", indent_of(text, task)),
    };
    let number = format!("{number}.{}", next_part(lines, Some(number)));
    let behind = parts.iter().map(|part| part.end).chain([task.end]).max();
    Ok(TaskPlace {
        at: behind.unwrap_or(task.end),
        indent,
        written: number.clone(),
        number,
    })
}

fn place_at_end(text: &str, lines: &KiroTaskLines) -> TaskPlace {
    let is_top = |task: &&KiroTaskLine| {
        task.number
            .as_deref()
            .is_some_and(|number| !number.contains('.'))
    };
    let model = lines.tasks.iter().rev().find(is_top);
    let number = next_part(lines, None).to_string();
    let has_dot = model.is_none_or(|task| task.has_dot);
    TaskPlace {
        at: lines
            .tasks
            .iter()
            .map(|task| task.end)
            .max()
            .unwrap_or(text.len()),
        indent: model.map_or_else(String::new, |task| indent_of(text, task)),
        written: if has_dot {
            format!("{number}.")
        } else {
            number.clone()
        },
        number,
    }
}

/// The number of a further task of a holder, or of the first level: one more than the greatest one.
fn next_part(lines: &KiroTaskLines, holder: Option<&str>) -> u64 {
    let part = |task: &KiroTaskLine| -> Option<u64> {
        let number = task.number.as_deref()?;
        let rest = match holder {
            Some(holder) => number.strip_prefix(holder)?.strip_prefix('.')?,
            None => number,
        };
        rest.split('.').next()?.parse().ok()
    };
    lines.tasks.iter().filter_map(part).max().unwrap_or(0) + 1
}

/// A new spec: a folder with bare headings.
pub(super) fn new_spec(
    draft: &ItemDraft,
    request: &EditRequest<'_>,
) -> Result<UnitEdit, EditRefusal> {
    let words: String = draft
        .title
        .chars()
        .map(|c| if c.is_ascii() { c } else { ' ' })
        .collect();
    let name = slug(&words);
    let unfit = |why: String| EditRefusal::UnfitText {
        why,
        path: SPECS.into(),
    };
    if name.is_empty() {
        return Err(unfit(
            "no name of a spec can be made of it, which has letters from a to z or digits".into(),
        ));
    }
    if request.taken.iter().any(|taken| **taken == *name) {
        return Err(unfit(format!("there is a spec {name} already")));
    }
    if !(draft.criteria.is_empty() && draft.depends_on.is_empty() && draft.labels.is_empty()) {
        return Err(unfit(
            "a new spec has no criteria, dependencies or labels".into(),
        ));
    }
    let lines = read_lines(&draft.text, 0, &GRAMMAR);
    if lines
        .iter()
        .any(|line| matches!(line.kind, ListLineKind::Heading { .. }) || line.is_fenced)
    {
        return Err(unfit(
            "its lines would be read as headings or fences of the requirements".into(),
        ));
    }
    let introduction = match draft.text.trim() {
        "" => String::new(),
        text => format!("{text}\n\n"),
    };
    let folder = format!("{SPECS}/{name}");
    Ok(UnitEdit {
        files: vec![
            PlanFileStep::Create {
                path: format!("{folder}/{REQUIREMENTS}"),
                text: format!(
                    "# Requirements Document\n\n## Introduction\n\n{introduction}## Requirements\n"
                ),
            },
            PlanFileStep::Create {
                path: format!("{folder}/{TASKS}"),
                text: "# Implementation Plan\n".into(),
            },
        ],
        added: Some(name.into()),
        ..UnitEdit::default()
    })
}
