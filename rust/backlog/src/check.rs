//! The rules that the program checks when it writes, and hints about criteria.

use std::cell::LazyCell;
use std::collections::HashSet;

use chant_plan_format::UnitFilter;
use chant_plan_format::finding::{DocumentFindings, PlanFinding, Severity};
use chant_plan_format::snapshot::{PlanSnapshot, WaitTarget};
use chant_plan_format::unit::PlanItem;

use super::format::{ACTING_KEYS, DRAFT};
use super::front_matter::{attribute, attribute_place};

/// Keys with dates.
const DATES: [&str; 3] = ["created_date", "updated_date", "due_date"];

pub(super) fn check_units(snapshot: &PlanSnapshot, is_wanted: UnitFilter<'_>) -> Vec<PlanFinding> {
    let mut found = Vec::new();
    let names: LazyCell<HashSet<&str>, _> = LazyCell::new(|| {
        let items = snapshot.units.iter().flat_map(|unit| &unit.items);
        items.map(|item| &*item.name).collect()
    });
    for node in &*snapshot.nodes {
        let (unit, item) = (snapshot.unit(node), snapshot.item(node));
        if !is_wanted(unit) {
            continue;
        }
        let document = &unit.source.documents[0];
        let place_of = |name: &str, value: &str| {
            let place = attribute_place(unit, item, name, value);
            place.unwrap_or_else(|| document.first_line())
        };
        let mut findings = DocumentFindings {
            document,
            found: &mut found,
        };
        let is_known = snapshot.statuses.contains(&node.status);
        if !is_known && unit.source.kind != DRAFT {
            let message = format!(
                "status '{}' is none of: {}",
                item.mark,
                snapshot.statuses.join(", ")
            );
            let place = place_of("status", &item.mark);
            findings.push("status", Severity::Warning, place, message);
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
            let dependencies = attribute(item, "dependencies");
            let mut written = dependencies.into_iter().flat_map(|one| &one.values);
            let named = item.waits.iter().position(|one| one.name == wait.name);
            let written = named.and_then(|at| written.nth(at));
            let place = place_of("dependencies", written.map_or("", |name| name));
            findings.push("dependencies", Severity::Warning, place, message);
        }
        if let Some(parent) = item
            .parent_name
            .as_deref()
            .filter(|parent| !names.contains(parent))
        {
            let message = format!("is a part of {parent}, which is not there");
            let written = attribute(item, "parent_task_id").and_then(|one| one.values.first());
            let place = place_of("parent_task_id", written.map_or("", |name| name));
            findings.push("parent", Severity::Warning, place, message);
        }
        for key in DATES {
            let date = attribute(item, key).and_then(|one| one.values.first());
            if let Some(date) = date.filter(|date| !is_date(date)) {
                let message = format!("{key} '{date}' is no date");
                findings.push("dates", Severity::Warning, place_of(key, date), message);
            }
        }
        for key in ACTING_KEYS
            .iter()
            .filter(|key| attribute(item, key).is_some())
        {
            let message = format!("`{key}` is a command that the format's own program runs");
            findings.push("command", Severity::Warning, place_of(key, ""), message);
        }
        check_criteria(item, node.is_done, &mut findings);
    }
    found
}

fn check_criteria(item: &PlanItem, is_done: bool, found: &mut DocumentFindings<'_>) {
    let mut open = item.criteria.iter().filter(|one| !one.is_ticked);
    match open.next() {
        Some(first) if is_done => {
            let message = format!("is done with {} open criteria", open.count() + 1);
            let place = found.document.place(first.span.clone());
            found.push("criteria", Severity::Hint, place, message);
        }
        None if !is_done && !item.criteria.is_empty() => {
            let first = found.document.place(item.criteria[0].span.clone());
            let message = "is open with all criteria ticked";
            found.push("criteria", Severity::Hint, first, message);
        }
        _ => {}
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
