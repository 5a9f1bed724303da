//! Rules for specs, those of cc-sdd among them.

use std::collections::{HashMap, HashSet};

use chant_base::text_place::TextPlace;
use chant_plan_format::UnitFilter;
use chant_plan_format::document::PlanDocument;
use chant_plan_format::finding::{DocumentFindings, PlanFinding, Severity};
use chant_plan_format::snapshot::{PlanSnapshot, WaitTarget};
use chant_plan_format::unit::PlanUnit;

use super::fields::{FieldName, numbers};
use super::format::TASKS;
use super::task_list::{KiroTaskLines, task_lines};
use super::waves::TaskWaves;

/// The deepest level of a task that the editor shows.
const MAX_LEVELS: usize = 2;

pub(super) fn check_units(snapshot: &PlanSnapshot, is_wanted: UnitFilter<'_>) -> Vec<PlanFinding> {
    let mut found = Vec::new();
    for unit in snapshot.units.iter().filter(|unit| is_wanted(unit)) {
        let Some(at) = unit.source.index_of(TASKS) else {
            continue;
        };
        let document = &unit.source.documents[at];
        let lines = task_lines(document);
        let mut findings = DocumentFindings {
            document,
            found: &mut found,
        };
        check_numbers(&lines, &mut findings);
        check_requirements(unit, document, &lines, &mut findings);
        if let Some(waves) = &lines.waves {
            check_waves(&lines, waves, &mut findings);
        }
        check_unnamed(unit, &mut found);
    }
    check_waits(snapshot, is_wanted, &mut found);
    found
}

fn check_numbers(lines: &KiroTaskLines, found: &mut DocumentFindings<'_>) {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for task in &lines.tasks {
        let Some(number) = task.number.as_deref() else {
            continue;
        };
        let place = found.words(task.line, number);
        if let Some(first) = seen.insert(number, task.line) {
            let message = format!("number {number} stands on line {first}, too");
            found.push("number_twice", Severity::Warning, place, message);
        }
        if number.contains('.') && task.parent.is_none() {
            let message = format!("{number} is a part of a task that is not there");
            found.push("lost_part", Severity::Warning, place, message);
        }
        if number.split('.').count() > MAX_LEVELS {
            let message = format!("{number} has more than {MAX_LEVELS} levels");
            found.push("levels", Severity::Hint, place, message);
        }
    }
    for line in &lines.unknown_signs {
        let message = "the sign in the box is none of blank, x, - and ~, so the line is no task";
        let place = found.document.line_place(*line);
        found.push("box_sign", Severity::Warning, place, message);
    }
}

fn check_requirements(
    unit: &PlanUnit,
    document: &PlanDocument,
    lines: &KiroTaskLines,
    found: &mut DocumentFindings<'_>,
) {
    let known: HashSet<&str> = unit.statements.iter().map(|one| &*one.number).collect();
    for task in &lines.tasks {
        let (mut words, mut unknown) = (Vec::new(), Vec::new());
        for value in task.values(FieldName::Requirements) {
            let text = &document.text[value.clone()];
            let numbers = numbers(text).unwrap_or_else(|| {
                words.push((document.place(value.clone()), text.to_owned()));
                Vec::new()
            });
            let strange = numbers.into_iter().filter(|one| !known.contains(&**one));
            unknown.extend(strange.map(|one| (document.words(value.clone(), &one), one)));
        }
        if let Some((place, _)) = words.first() {
            let message = format!("`_Requirements` has words: {}", joined(&words));
            found.push("requirement_words", Severity::Hint, *place, message);
        }
        if let Some((place, _)) = unknown.first().filter(|_| !known.is_empty()) {
            let message = format!("requirements are not there: {}", joined(&unknown));
            found.push("unknown_requirement", Severity::Warning, *place, message);
        }
    }
}

fn joined(named: &[(TextPlace, String)]) -> String {
    let names: Vec<&str> = named.iter().map(|(_, name)| &**name).collect();
    names.join(", ")
}

/// Requirements that no task names, by themselves or by one of their criteria.
fn check_unnamed(unit: &PlanUnit, found: &mut Vec<PlanFinding>) {
    let first = |number: &str| number.split('.').next().unwrap_or_default().to_owned();
    let items = unit.items.iter().flat_map(|item| &item.statements);
    let named: HashSet<String> = items.map(|number| first(number)).collect();
    if named.is_empty() {
        return;
    }
    let mut seen = HashSet::new();
    for statement in &unit.statements {
        let number = first(&statement.number);
        if named.contains(&number) || !seen.insert(number.clone()) {
            continue;
        }
        let document = &unit.source.documents[statement.document];
        let mut findings = DocumentFindings { document, found };
        let place = document.place(statement.span.clone());
        let message = format!("no task names requirement {number}");
        findings.push("unnamed_requirement", Severity::Hint, place, message);
    }
}

fn check_waves(lines: &KiroTaskLines, waves: &TaskWaves, found: &mut DocumentFindings<'_>) {
    let numbers: HashSet<&str> = lines
        .tasks
        .iter()
        .filter_map(|task| task.number.as_deref())
        .collect();
    let document = found.document;
    let fence = waves.fence.clone();
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for (at, tasks) in waves.waves.iter().enumerate() {
        for task in tasks {
            let wave = at + 1;
            let first = seen.get(&**task).copied().unwrap_or(fence.start);
            let place = document.words(first..fence.end, task);
            if !numbers.contains(&**task) {
                let message = format!("wave {wave} has task {task}, which is not there");
                found.push("waves", Severity::Warning, place, message);
            } else if seen.insert(task, place.end).is_some() {
                let message = format!("task {task} is in two waves, the second one is {wave}");
                found.push("waves", Severity::Warning, place, message);
            }
        }
    }
    for at in &waves.own {
        let message = format!("wave {} waits for itself", at + 1);
        let place = document.words(fence.clone(), "depends_on");
        found.push("waves", Severity::Warning, place, message);
    }
}

/// Waits that `_Depends` names and that lead nowhere, or in a circle.
fn check_waits(snapshot: &PlanSnapshot, is_wanted: UnitFilter<'_>, found: &mut Vec<PlanFinding>) {
    let depends = |at: usize| {
        let waits = snapshot.nodes[at].waits.iter();
        waits.filter(|wait| wait.reason == "depends")
    };
    let mut push = |at: usize, name: &str, message: String| {
        let node = &snapshot.nodes[at];
        let (unit, item) = (snapshot.unit(node), snapshot.item(node));
        let named = item.waits.iter().find(|wait| *wait.name == *name);
        let Some(document) = unit.document_of(item) else {
            return;
        };
        let place = match named.or(item.waits.first()) {
            Some(wait) => document.words(wait.span.clone(), name),
            None => document.line_place(item.line),
        };
        let mut findings = DocumentFindings { document, found };
        findings.push("depends", Severity::Warning, place, message);
    };
    let nodes = snapshot.nodes.iter().enumerate();
    for (at, _) in nodes.filter(|(_, node)| is_wanted(snapshot.unit(node))) {
        for wait in depends(at) {
            match &wait.target {
                WaitTarget::Unknown => push(
                    at,
                    &wait.name,
                    format!("`_Depends` names {}, which is not there", wait.name),
                ),
                WaitTarget::Ambiguous(_) => push(
                    at,
                    &wait.name,
                    format!("`_Depends` names {}, which stands several times", wait.name),
                ),
                WaitTarget::Node(_) | WaitTarget::Foreign(_) | WaitTarget::Archived => {}
            }
        }
        if is_in_circle(snapshot, at) {
            push(at, "", "waits for itself by `_Depends`".to_owned());
        }
    }
}

/// Returns true if the waits of a node lead back to it.
fn is_in_circle(snapshot: &PlanSnapshot, start: usize) -> bool {
    let targets = |at: usize| {
        let waits = snapshot.nodes[at]
            .waits
            .iter()
            .filter(|wait| wait.reason == "depends");
        waits.filter_map(|wait| match wait.target {
            WaitTarget::Node(target) => Some(target),
            _ => None,
        })
    };
    let mut open: Vec<usize> = targets(start).collect();
    let mut seen = HashSet::new();
    while let Some(at) = open.pop() {
        if at == start {
            return true;
        }
        if seen.insert(at) {
            open.extend(targets(at));
        }
    }
    false
}
