//! States of changes, and changes that touch the same requirement.

use std::collections::BTreeMap;
use std::sync::Arc;

use chant_base::text_place::TextPlace;
use chant_plan_format::finding::PlanFinding;
use chant_plan_format::join::{JoinInput, join_by_name, state_of_marks};
use chant_plan_format::snapshot::{PersonAct, PlanMeaning, PlanSnapshot};
use chant_plan_format::unit::PlanUnit;

use super::delta::DeltaKind;
use super::format::{CHANGE, SCOPE};
use super::read::capability_of;

pub(super) fn join(input: &JoinInput<'_>) -> PlanSnapshot {
    let archived: Vec<Box<str>> = input
        .archived
        .iter()
        .map(|entry| without_date(entry).into())
        .collect();
    let input = JoinInput {
        archived: &archived,
        ..*input
    };
    let mut snapshot = join_by_name(&SCOPE, &input, &state_of_marks);
    for at in 0..snapshot.nodes.len() {
        if !snapshot.item(&snapshot.nodes[at]).is_group {
            continue;
        }
        let node = &mut Arc::make_mut(&mut snapshot.nodes)[at];
        let word = match (node.parts.is_empty(), node.is_done) {
            (true, _) => "no-tasks",
            (false, false) => "in-progress",
            (false, true) => "complete",
        };
        node.status = word.into();
        if node.is_done {
            node.meaning = PlanMeaning::WaitsForYou(PersonAct::Archive);
        }
    }
    let overlaps = overlaps(input.units.iter().map(|unit| &**unit));
    snapshot.problems.extend(overlaps);
    snapshot
}

/// The name of a change in the archive: `2026-01-31-add-auth` was `add-auth`.
fn without_date(entry: &str) -> &str {
    let is_date = entry.get(..11).is_some_and(|date| {
        date.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 | 10 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
    });
    if is_date { &entry[11..] } else { entry }
}

/// A change with the document and the words by which it touches a requirement.
type TouchedPlace<'a> = (&'a PlanUnit, &'a str, TextPlace);

/// Problems of changes that change or remove one requirement.
fn overlaps<'a>(units: impl Iterator<Item = &'a PlanUnit>) -> Vec<PlanFinding> {
    let mut touched: BTreeMap<(&str, &str), Vec<TouchedPlace<'_>>> = BTreeMap::new();
    for unit in units.filter(|unit| unit.source.kind == CHANGE) {
        let (mut kind, mut of_document) = (None, usize::MAX);
        for section in &unit.sections {
            if section.document != of_document {
                (kind, of_document) = (None, section.document);
            }
            let document = &unit.source.documents[section.document];
            let Some(capability) = capability_of(&unit.source, document) else {
                continue;
            };
            match section.level {
                2 => kind = DeltaKind::of_heading(&section.title),
                3 if matches!(kind, Some(DeltaKind::Modified | DeltaKind::Removed)) => {
                    let Some((_, name)) = section.title.split_once(':') else {
                        continue;
                    };
                    let place = document.words(section.heading.clone(), name.trim());
                    let places = touched.entry((capability, name.trim())).or_default();
                    if !places
                        .iter()
                        .any(|(other, ..)| other.source.path == unit.source.path)
                    {
                        places.push((unit, &document.path, place));
                    }
                }
                _ => {}
            }
        }
    }
    let mut problems = Vec::new();
    for ((capability, name), places) in touched.into_iter().filter(|(_, places)| places.len() > 1) {
        for (unit, path, place) in &places {
            let others: Vec<&str> = places
                .iter()
                .filter(|(other, ..)| other.source.path != unit.source.path)
                .map(|(other, ..)| &*other.source.name)
                .collect();
            let message = format!(
                "touches requirement '{name}' of {capability}, as {} does",
                others.join(", ")
            );
            problems.push(PlanFinding::warning(path, *place, message));
        }
    }
    problems
}
