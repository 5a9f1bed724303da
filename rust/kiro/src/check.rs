//! Rules for specs, those of cc-sdd among them.

use std::collections::{HashMap, HashSet};

use chant_plan_format::finding::{DocumentFindings, FindingLevel, PlanFinding};
use chant_plan_format::snapshot::{PlanSnapshot, WaitTarget};
use chant_plan_format::unit::PlanUnit;

use super::fields::{FieldName, numbers};
use super::format::TASKS;
use super::task_list::{KiroTaskLines, task_lines};
use super::waves::TaskWaves;

/// The deepest level of a task that the editor shows.
const MAX_LEVELS: usize = 2;

pub(super) fn check(snapshot: &PlanSnapshot) -> Vec<PlanFinding> {
    let mut found = Vec::new();
    for unit in &snapshot.units {
        let Some(at) = unit.source.index_of(TASKS) else {
            continue;
        };
        let document = &unit.source.documents[at];
        let lines = task_lines(document);
        let mut findings = DocumentFindings {
            path: &document.path,
            found: &mut found,
        };
        check_numbers(&lines, &mut findings);
        check_requirements(unit, &document.text, &lines, &mut findings);
        if let Some(waves) = &lines.waves {
            check_waves(&lines, waves, &mut findings);
        }
        check_unnamed(unit, &mut found);
    }
    check_waits(snapshot, &mut found);
    found
}

fn check_numbers(lines: &KiroTaskLines, found: &mut DocumentFindings<'_>) {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for task in &lines.tasks {
        let Some(number) = task.number.as_deref() else {
            continue;
        };
        if let Some(first) = seen.insert(number, task.line) {
            let message = format!("number {number} stands on line {first}, too");
            found.push("number_twice", FindingLevel::Warning, task.line, message);
        }
        if number.contains('.') && task.parent.is_none() {
            let message = format!("{number} is a part of a task that is not there");
            found.push("lost_part", FindingLevel::Warning, task.line, message);
        }
        if number.split('.').count() > MAX_LEVELS {
            let message = format!("{number} has more than {MAX_LEVELS} levels");
            found.push("levels", FindingLevel::Hint, task.line, message);
        }
    }
    for line in &lines.unknown_signs {
        let message = "the sign in the box is none of blank, x, - and ~, so the line is no task";
        found.push("box_sign", FindingLevel::Warning, *line, message);
    }
}

fn check_requirements(
    unit: &PlanUnit,
    text: &str,
    lines: &KiroTaskLines,
    found: &mut DocumentFindings<'_>,
) {
    let known: HashSet<&str> = unit.statements.iter().map(|one| &*one.number).collect();
    for task in &lines.tasks {
        let (mut words, mut unknown) = (Vec::new(), Vec::new());
        for value in task.values(FieldName::Requirements) {
            match numbers(&text[value.clone()]) {
                None => words.push(&text[value]),
                Some(numbers) => unknown.extend(
                    numbers
                        .into_iter()
                        .filter(|number| !known.contains(&**number)),
                ),
            }
        }
        if !words.is_empty() {
            let message = format!("`_Requirements` has words: {}", words.join(", "));
            found.push("requirement_words", FindingLevel::Hint, task.line, message);
        }
        if !unknown.is_empty() && !known.is_empty() {
            let message = format!("requirements are not there: {}", unknown.join(", "));
            found.push(
                "unknown_requirement",
                FindingLevel::Warning,
                task.line,
                message,
            );
        }
    }
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
        let mut findings = DocumentFindings {
            path: &document.path,
            found,
        };
        let line = document.line_at(statement.span.start);
        let message = format!("no task names requirement {number}");
        findings.push("unnamed_requirement", FindingLevel::Hint, line, message);
    }
}

fn check_waves(lines: &KiroTaskLines, waves: &TaskWaves, found: &mut DocumentFindings<'_>) {
    let numbers: HashSet<&str> = lines
        .tasks
        .iter()
        .filter_map(|task| task.number.as_deref())
        .collect();
    let mut seen = HashSet::new();
    for (at, tasks) in waves.waves.iter().enumerate() {
        for task in tasks {
            let wave = at + 1;
            if !numbers.contains(&**task) {
                let message = format!("wave {wave} has task {task}, which is not there");
                found.push("waves", FindingLevel::Warning, 0, message);
            } else if !seen.insert(task) {
                let message = format!("task {task} is in two waves, the second one is {wave}");
                found.push("waves", FindingLevel::Warning, 0, message);
            }
        }
    }
    for at in &waves.own {
        found.push(
            "waves",
            FindingLevel::Warning,
            0,
            format!("wave {} waits for itself", at + 1),
        );
    }
}

/// Waits that `_Depends` names and that lead nowhere, or in a circle.
fn check_waits(snapshot: &PlanSnapshot, found: &mut Vec<PlanFinding>) {
    let depends = |at: usize| {
        let waits = snapshot.nodes[at].waits.iter();
        waits.filter(|wait| wait.reason == "depends")
    };
    let mut push = |at: usize, message: String| {
        let node = &snapshot.nodes[at];
        let (unit, item) = (snapshot.unit(node), snapshot.item(node));
        let path = unit.document_of(item).map_or("", |document| &document.path);
        let mut findings = DocumentFindings { path, found };
        findings.push("depends", FindingLevel::Warning, item.line, message);
    };
    for at in 0..snapshot.nodes.len() {
        for wait in depends(at) {
            match &wait.target {
                WaitTarget::Unknown => push(
                    at,
                    format!("`_Depends` names {}, which is not there", wait.name),
                ),
                WaitTarget::Ambiguous(_) => push(
                    at,
                    format!("`_Depends` names {}, which stands several times", wait.name),
                ),
                WaitTarget::Node(_) | WaitTarget::Foreign(_) | WaitTarget::Archived => {}
            }
        }
        if is_in_circle(snapshot, at) {
            push(at, "waits for itself by `_Depends`".to_owned());
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
