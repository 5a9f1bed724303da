//! The rules that the program checks when it writes, and hints about criteria.

use std::collections::HashSet;

use chant_plan_format::finding::{DocumentFindings, FindingLevel, PlanFinding};
use chant_plan_format::snapshot::{PlanSnapshot, WaitTarget};
use chant_plan_format::unit::PlanItem;

use super::format::{ACTING_KEYS, DRAFT};
use super::front_matter::attribute;

/// Keys with dates.
const DATES: [&str; 3] = ["created_date", "updated_date", "due_date"];

pub(super) fn check(snapshot: &PlanSnapshot) -> Vec<PlanFinding> {
    let mut found = Vec::new();
    let names: HashSet<&str> = snapshot
        .units
        .iter()
        .flat_map(|unit| &unit.items)
        .map(|item| &*item.name)
        .collect();
    for node in &snapshot.nodes {
        let (unit, item) = (snapshot.unit(node), snapshot.item(node));
        let document = &unit.source.documents[0];
        let line_of = |name: &str| {
            let span = attribute(item, name).map(|one| one.span.start);
            span.map_or(1, |start| document.line_at(start))
        };
        let mut findings = DocumentFindings {
            path: &document.path,
            found: &mut found,
        };
        let is_known = snapshot.statuses.contains(&node.status);
        if !is_known && unit.source.kind != DRAFT {
            let message = format!(
                "status '{}' is none of: {}",
                item.mark,
                snapshot.statuses.join(", ")
            );
            findings.push("status", FindingLevel::Warning, line_of("status"), message);
        }
        for wait in &node.waits {
            let why = match &wait.target {
                WaitTarget::Unknown => "which is not there",
                WaitTarget::Ambiguous(_) => "which several files have",
                WaitTarget::Node(other) if snapshot.nodes[*other].key == node.key => {
                    "which is the task itself"
                }
                WaitTarget::Node(_) | WaitTarget::Foreign(_) | WaitTarget::Archived => continue,
            };
            let message = format!("depends on {}, {why}", wait.name);
            findings.push(
                "dependencies",
                FindingLevel::Warning,
                line_of("dependencies"),
                message,
            );
        }
        if let Some(parent) = item
            .parent_name
            .as_deref()
            .filter(|parent| !names.contains(parent))
        {
            let message = format!("is a part of {parent}, which is not there");
            findings.push(
                "parent",
                FindingLevel::Warning,
                line_of("parent_task_id"),
                message,
            );
        }
        for key in DATES {
            let date = attribute(item, key).and_then(|one| one.values.first());
            if let Some(date) = date.filter(|date| !is_date(date)) {
                findings.push(
                    "dates",
                    FindingLevel::Warning,
                    line_of(key),
                    format!("{key} '{date}' is no date"),
                );
            }
        }
        for key in ACTING_KEYS
            .iter()
            .filter(|key| attribute(item, key).is_some())
        {
            let message = format!("`{key}` is a command that the format's own program runs");
            findings.push("command", FindingLevel::Warning, line_of(key), message);
        }
        check_criteria(item, node.is_done, &mut findings);
    }
    found
}

fn check_criteria(item: &PlanItem, is_done: bool, found: &mut DocumentFindings<'_>) {
    let open = item.criteria.iter().filter(|one| !one.is_ticked).count();
    if is_done && open > 0 {
        found.push(
            "criteria",
            FindingLevel::Hint,
            1,
            format!("is done with {open} open criteria"),
        );
    } else if !is_done && open == 0 && !item.criteria.is_empty() {
        found.push(
            "criteria",
            FindingLevel::Hint,
            1,
            "is open with all criteria ticked",
        );
    }
}

/// Returns true for `2026-01-31`, with a time perhaps, and for the older `31-01-26`.
fn is_date(text: &str) -> bool {
    let day = text.split([' ', 'T']).next().unwrap_or_default();
    let parts: Vec<&str> = day.split('-').collect();
    let number = |part: &str, digits: usize| -> Option<u32> {
        (part.len() == digits).then(|| part.parse().ok())?
    };
    let [first, month, last] = parts.as_slice() else {
        return false;
    };
    let is_month = number(month, 2).is_some_and(|month| (1..=12).contains(&month));
    let is_day = |day: &str| number(day, 2).is_some_and(|day| (1..=31).contains(&day));
    is_month
        && ((number(first, 4).is_some() && is_day(last))
            || (is_day(first) && number(last, 2).is_some()))
}
