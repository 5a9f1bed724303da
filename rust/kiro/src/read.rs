//! Reads a spec.

use std::collections::{HashMap, HashSet};

use chant_plan_format::document::PlanDocument;
use chant_plan_format::finding::PlanFinding;
use chant_plan_format::item_ids::ItemIds;
use chant_plan_format::section_lookup::{sections_of, start_of};
use chant_plan_format::unit::{ItemSpans, NamedWait, PlanItem, PlanUnit, UnitSource};

use super::fields::{FieldName, numbers};
use super::format::{BUGFIX, REQUIREMENTS, SPEC, SPEC_FILE, TASKS};
use super::requirements::statements;
use super::spec_file::SpecFile;
use super::task_list::{KiroTaskLine, KiroTaskLines, task_lines};

/// The mark of a spec whose tasks no person has approved.
pub(super) const NOT_APPROVED: &str = "not_approved";

/// The greatest number of waits that waves of one spec come to.
const MAX_WAITS: usize = 100_000;

pub(super) fn read(source: &UnitSource) -> PlanUnit {
    let mut unit = PlanUnit::new(source.clone());
    for (at, document) in source.documents.iter().enumerate() {
        if document.path.ends_with(".md") {
            unit.sections
                .extend(sections_of(at, &document.text, start_of(document)));
        }
        if [REQUIREMENTS, BUGFIX].contains(&document.file_name()) {
            unit.statements.extend(statements(at, document));
        }
    }
    let tasks = source.index_of(TASKS);
    let spec_file = source.index_of(SPEC_FILE).map(|at| {
        let document = &source.documents[at];
        let file = SpecFile::read(document);
        if let Some((place, fault)) = &file.fault {
            unit.problems
                .push(PlanFinding::warning(&document.path, *place, fault.as_str()));
        }
        file
    });
    let is_unapproved = spec_file
        .as_ref()
        .is_some_and(|file| file.waits_for_approval);
    unit.items.push(PlanItem {
        name: source.name.clone(),
        title: source.name.clone(),
        kind: SPEC,
        document: tasks
            .or(source.index_of(REQUIREMENTS))
            .or(source.index_of(BUGFIX)),
        line: 1,
        mark: if is_unapproved { NOT_APPROVED } else { "open" }.into(),
        is_group: true,
        ..PlanItem::default()
    });
    if let Some(at) = tasks {
        let document = source.documents[at].clone();
        let lines = task_lines(&document);
        unit.items
            .extend(task_items(at, &document, &source.name, &lines));
        add_waits(&mut unit, &document, &lines, spec_file.is_some());
        report(&mut unit, &document, &lines);
    }
    unit
}

/// The word of a box.
pub(super) fn word_of(sign: char) -> &'static str {
    match sign {
        'x' | 'X' => "completed",
        '-' => "in_progress",
        '~' => "queued",
        _ => "not_started",
    }
}

fn task_items(
    document_at: usize,
    document: &PlanDocument,
    spec: &str,
    lines: &KiroTaskLines,
) -> Vec<PlanItem> {
    let mut ids = ItemIds::default();
    let text = &document.text;
    let item = |task: &KiroTaskLine| {
        let title = &text[task.title.clone()];
        let id = match &task.number {
            Some(number) => ids.of_number(number),
            None => ids.of_title(title),
        };
        let word = word_of(task.parts.sign);
        let flags = [
            (task.is_optional, "optional"),
            (task.is_parallel, "parallel"),
        ];
        let named = task
            .values(FieldName::Requirements)
            .filter_map(|value| numbers(&text[value]));
        PlanItem {
            name: format!("{spec}#{id}").into(),
            id: id.into(),
            title: title.into(),
            kind: "task",
            // The spec stands before all tasks.
            parent: Some(task.parent.map_or(0, |parent| parent + 1)),
            document: Some(document_at),
            line: task.line,
            spans: ItemSpans {
                whole: task.range.start
                    ..task
                        .details
                        .as_ref()
                        .map_or(task.range.end, |details| details.end),
                mark: Some(task.parts.mark.clone()),
                title: Some(task.title.clone()),
                details: task.details.clone(),
                attributes: None,
            },
            labels: flags
                .into_iter()
                .filter(|(is_set, _)| *is_set)
                .map(|(_, label)| label.into())
                .collect(),
            statements: named.flatten().map(Into::into).collect(),
            mark: word.into(),
            is_ticked: word == "completed",
            is_begun: ["in_progress", "queued"].contains(&word),
            is_optional: task.is_optional,
            has_details: task.has_own_details,
            ..PlanItem::default()
        }
    };
    lines.tasks.iter().map(item).collect()
}

/// Adds the waits of tasks: waves alone where there are such; else what `_Depends` names and, in specs of cc-sdd, the
/// order of the list.
fn add_waits(
    unit: &mut PlanUnit,
    document: &PlanDocument,
    lines: &KiroTaskLines,
    is_ordered: bool,
) {
    if lines.waves.is_some() {
        return add_waves(unit, document, lines);
    }
    for (at, task) in lines.tasks.iter().enumerate() {
        let waits = task.values(FieldName::Depends).flat_map(|value| {
            let written = &document.text[value.clone()];
            let names =
                numbers(written).unwrap_or_else(|| vec![written.trim_end_matches('.').to_owned()]);
            names.into_iter().map(move |name| (name, value.clone()))
        });
        let waits = waits.map(|(name, span)| NamedWait {
            name: name.into(),
            reason: "depends",
            span,
        });
        unit.items[at + 1].waits = waits.collect();
    }
    if is_ordered {
        add_order(unit, lines);
    }
}

fn wait(name: &str, reason: &'static str) -> NamedWait {
    NamedWait {
        name: name.into(),
        reason,
        span: 0..0,
    }
}

/// A task waits for the one before it; one with `(P)` for the last one without it. Behind several with `(P)` the next
/// one waits for all of them. Only required tasks without parts have an order.
fn add_order(unit: &mut PlanUnit, lines: &KiroTaskLines) {
    let holders: HashSet<usize> = lines.tasks.iter().filter_map(|task| task.parent).collect();
    let mut last: Option<Box<str>> = None;
    let mut parallel: Vec<Box<str>> = Vec::new();
    for (at, task) in lines.tasks.iter().enumerate() {
        if holders.contains(&at) || task.is_optional {
            continue;
        }
        let item = &mut unit.items[at + 1];
        let name = item.name.clone();
        if task.is_parallel {
            item.waits
                .extend(last.iter().map(|last| wait(last, "order")));
            parallel.push(name);
        } else {
            let before = if parallel.is_empty() {
                last.as_slice()
            } else {
                &parallel
            };
            item.waits
                .extend(before.iter().map(|before| wait(before, "order")));
            parallel.clear();
            last = Some(name);
        }
    }
}

fn add_waves(unit: &mut PlanUnit, document: &PlanDocument, lines: &KiroTaskLines) {
    let Some(waves) = &lines.waves else {
        return;
    };
    let mut items: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, task) in lines.tasks.iter().enumerate() {
        if let Some(number) = &task.number {
            items.entry(number).or_default().push(at + 1);
        }
    }
    let mut seen = HashSet::new();
    let members: Vec<Vec<usize>> = waves
        .waves
        .iter()
        .map(|tasks| {
            let known = tasks
                .iter()
                .filter_map(|task| items.get(&**task))
                .flatten()
                .copied();
            known.filter(|item| seen.insert(*item)).collect()
        })
        .collect();
    let pairs = || {
        let waits = waves.waits.iter().enumerate();
        waits.flat_map(|(wave, waits)| waits.iter().map(move |earlier| (wave, *earlier)))
    };
    let count: usize = pairs()
        .map(|(wave, earlier)| members[wave].len() * members[earlier].len())
        .sum();
    if count > MAX_WAITS {
        let message = format!("its waves come to more than {MAX_WAITS} waits, and are left out");
        let place = document.line_place(document.line_at(waves.fence.start));
        unit.problems
            .push(PlanFinding::warning(&document.path, place, message));
        return;
    }
    for (wave, earlier) in pairs() {
        let waits: Vec<NamedWait> = members[earlier]
            .iter()
            .map(|item| wait(&unit.items[*item].name, "wave"))
            .collect();
        for item in &members[wave] {
            unit.items[*item].waits.extend(waits.iter().cloned());
        }
    }
}

/// Problems of a list: boxes of holders that their parts contradict, numbers of requirements that are not there, and
/// boxes that are no tasks.
fn report(unit: &mut PlanUnit, document: &PlanDocument, lines: &KiroTaskLines) {
    let mut problems = Vec::new();
    let known: HashSet<&str> = unit.statements.iter().map(|one| &*one.number).collect();
    let mut parts: HashMap<usize, Vec<usize>> = HashMap::new();
    for (at, task) in lines.tasks.iter().enumerate() {
        if let Some(parent) = task.parent {
            parts.entry(parent).or_default().push(at);
        }
    }
    for (at, task) in lines.tasks.iter().enumerate() {
        let is_done = |at: usize| unit.items[at + 1].is_ticked;
        let mut required = parts
            .get(&at)
            .into_iter()
            .flatten()
            .filter(|part| !lines.tasks[**part].is_optional)
            .peekable();
        if required.peek().is_some() {
            let open = required.find(|part| !is_done(**part));
            let message = match open {
                Some(open) if is_done(at) => {
                    let open = &unit.items[open + 1].id;
                    Some(format!("line {} is ticked, {open} is open", task.line))
                }
                None if !is_done(at) => Some(format!(
                    "line {} is open, all of its parts are ticked",
                    task.line
                )),
                _ => None,
            };
            let place = document.line_place(task.line);
            problems.extend(message.map(|text| PlanFinding::warning(&document.path, place, text)));
        }
        if known.is_empty() {
            continue;
        }
        let unknown: Vec<&str> = unit.items[at + 1]
            .statements
            .iter()
            .map(|number| &**number)
            .filter(|number| !known.contains(number))
            .collect();
        if !unknown.is_empty() {
            let message = format!(
                "names requirements that are not there: {}",
                unknown.join(", ")
            );
            let values = task.values(FieldName::Requirements);
            let value = values.into_iter().find(|value| {
                let named = numbers(&document.text[value.clone()]).unwrap_or_default();
                named.iter().any(|number| unknown.contains(&&**number))
            });
            let place = value.map_or(document.line_place(task.line), |value| {
                document.words(value, unknown[0])
            });
            problems.push(PlanFinding::warning(&document.path, place, message));
        }
    }
    if let Some(first) = lines.fenced.first() {
        let message = "holds boxes in a code fence, which are not read as tasks";
        let place = document.line_place(*first);
        problems.push(PlanFinding::hint(&document.path, place, message));
    }
    unit.problems.extend(problems);
}
