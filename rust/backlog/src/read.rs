//! Reads a task.

use chant_plan_format::finding::PlanFinding;
use chant_plan_format::unit::{ItemSpans, NamedWait, PlanItem, PlanUnit, UnitSource};
use chant_text::front_matter;

use super::format::{ARCHIVED, COMPLETED, DRAFT};
use super::front_matter::{attribute, attribute_place, attributes};
use super::marks::{criteria, sections};
use super::task_ids::{TaskId, id_of_file};

/// The prefix of a number alone in the file of a draft.
const TASK_PREFIX: &str = "task";

pub(super) fn read(source: &UnitSource) -> PlanUnit {
    let mut unit = PlanUnit::new(source.clone());
    let Some(document) = source.documents.first() else {
        return unit;
    };
    let text = &document.text;
    let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let problem =
        |message: String| PlanFinding::error(&document.path, document.first_line(), message);
    if text[start..].trim().is_empty() {
        unit.problems.push(problem("is empty, and no task".into()));
        return unit;
    }
    if text.contains('\0') {
        unit.problems
            .push(problem("holds a NUL byte, and is no text".into()));
        return unit;
    }
    let layout = match front_matter::layout(text) {
        Ok(layout) => layout,
        Err(fault) => {
            unit.problems.push(problem(format!("is no task: {fault}")));
            return unit;
        }
    };
    // The program reads front matter that begins with the file.
    let Some(yaml) = layout.yaml.filter(|_| text[start..].starts_with("---")) else {
        unit.problems
            .push(problem("has no front matter, and is no task".into()));
        return unit;
    };
    unit.sections = sections(0, text, layout.body);
    let (criteria, problems) = criteria(document, layout.body, &unit.sections);
    unit.problems.extend(problems);
    let mut item = PlanItem {
        kind: if source.kind == DRAFT { DRAFT } else { "task" },
        document: Some(0),
        line: 1,
        spans: ItemSpans {
            whole: start..text.len(),
            details: Some(layout.body..text.len()),
            attributes: Some(yaml.clone()),
            ..ItemSpans::default()
        },
        criteria,
        attributes: attributes(text, &yaml),
        is_ticked: source.kind == COMPLETED,
        has_details: true,
        ..PlanItem::default()
    };
    let problems = name_item(&mut item, &unit);
    unit.problems.extend(problems);
    fill_in(&mut item, &source.name);
    unit.items.push(item);
    if source.kind == ARCHIVED {
        // Nobody repairs an archived task.
        unit.problems.clear();
    }
    unit
}

/// The first value of an attribute.
fn first<'a>(item: &'a PlanItem, name: &str) -> Option<&'a str> {
    attribute(item, name)?.values.first().map(|value| &**value)
}

/// Gives an item its name: that of its front matter; where there is none, that of its file.
fn name_item(item: &mut PlanItem, unit: &PlanUnit) -> Vec<PlanFinding> {
    let source = &unit.source;
    let path = &*source.path;
    let of_file = id_of_file(&source.name);
    let written = first(item, "id").map(str::to_owned);
    let prefix = of_file
        .as_ref()
        .map_or(TASK_PREFIX, |id| &*id.prefix)
        .to_owned();
    let prefix = prefix.as_str();
    let named = written
        .as_deref()
        .and_then(|written| TaskId::read_bare(written, prefix));
    let mut problems = Vec::new();
    let mut warn = |item: &PlanItem, key: &str, value: &str, message: String| {
        let place = attribute_place(unit, item, key, value);
        problems.push(PlanFinding::warning(path, place, message));
    };
    match (&named, &of_file, &written) {
        (Some(named), Some(of_file), _) if named != of_file => {
            let message = format!("has the ID {named}, and its name says {of_file}");
            warn(item, "id", written.as_deref().unwrap_or_default(), message);
        }
        (None, _, Some(written)) => {
            let message = format!("has the ID '{written}', which is none; its name counts");
            warn(item, "id", written, message);
        }
        (None, _, None) => warn(item, "id", "", "has no ID; its name counts".into()),
        _ => {}
    }
    let id = named.or(of_file);
    let name = id
        .as_ref()
        .map_or_else(|| source.name.to_string(), ToString::to_string);
    item.name = name.as_str().into();
    item.id = name.into();
    let holder = id.as_ref().and_then(TaskId::holder);
    let parent = first(item, "parent_task_id").map(str::to_owned);
    let parent = parent.map(|parent| canonical(&parent, prefix));
    if let (Some(holder), Some(parent)) = (&holder, &parent)
        && holder.to_string() != *parent
    {
        let message = format!(
            "is a part of {holder} by its number, and of {parent} by `parent_task_id`; the number counts"
        );
        let written = first(item, "parent_task_id").unwrap_or_default();
        warn(item, "parent_task_id", written, message);
    }
    item.parent_name = holder
        .map(|holder| holder.to_string())
        .or(parent)
        .map(Into::into);
    problems
}

/// The one spelling of a task that another one names.
pub(super) fn canonical(name: &str, prefix: &str) -> String {
    TaskId::read_bare(name, prefix).map_or_else(|| name.trim().to_owned(), |id| id.to_string())
}

fn fill_in(item: &mut PlanItem, file: &str) {
    let of_file = || {
        file.split_once(" - ")
            .map(|(_, title)| title.replace('-', " "))
    };
    let title = first(item, "title").map(str::to_owned).or_else(of_file);
    let title = title
        .unwrap_or_default()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    item.title = title.into();
    item.mark = first(item, "status").unwrap_or_default().into();
    item.priority = first(item, "priority").map(Into::into);
    let list = |item: &PlanItem, name: &str| {
        attribute(item, name)
            .map(|one| one.values.clone())
            .unwrap_or_default()
    };
    item.labels = list(item, "labels");
    item.assignees = list(item, "assignee");
    let prefix = item
        .id
        .rsplit_once('-')
        .map_or(TASK_PREFIX, |(prefix, _)| prefix);
    let prefix = if prefix == "DRAFT" {
        TASK_PREFIX
    } else {
        prefix
    };
    let waits = attribute(item, "dependencies").map(|dependencies| {
        let wait = |name: &str| NamedWait {
            name: canonical(name, prefix).into(),
            reason: "depends",
            span: dependencies.span.clone(),
        };
        dependencies.values.iter().map(|name| wait(name)).collect()
    });
    item.waits = waits.unwrap_or_default();
}
