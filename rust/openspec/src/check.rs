//! The rules by which the format's own program validates changes and main specs strictly.

use std::collections::{HashMap, HashSet};

use chant_plan_format::UnitFilter;
use chant_plan_format::document::PlanDocument;
use chant_plan_format::finding::{DocumentFindings, PlanFinding, Severity};
use chant_plan_format::snapshot::PlanSnapshot;
use chant_plan_format::unit::PlanUnit;

use super::change_file::ChangeFile;
use super::delta::{self, DeltaKind, RequirementBlock, SpecSection, is_nearly};
use super::format::{CHANGE, METADATA, SPEC, TASKS};
use super::preview::main_spec;
use super::read::capability_of;
use super::task_list::task_lines;

/// The least and the greatest length of some texts, in characters.
const MIN_PURPOSE: usize = 50;
const MAX_REQUIREMENT: usize = 500;

/// The purpose that archiving writes into a new main spec.
const PLACEHOLDER: &str = "TBD";

pub(super) fn check_units(snapshot: &PlanSnapshot, is_wanted: UnitFilter<'_>) -> Vec<PlanFinding> {
    let mut found = Vec::new();
    for unit in snapshot.units.iter().filter(|unit| is_wanted(unit)) {
        match unit.source.kind {
            CHANGE => check_change(snapshot, unit, &mut found),
            SPEC => {
                for spec in &unit.source.documents {
                    check_spec(spec, &mut of_document(spec, &mut found));
                }
            }
            _ => {}
        }
    }
    found
}

fn of_document<'a>(
    document: &'a PlanDocument,
    found: &'a mut Vec<PlanFinding>,
) -> DocumentFindings<'a> {
    DocumentFindings { document, found }
}

fn check_change(snapshot: &PlanSnapshot, unit: &PlanUnit, found: &mut Vec<PlanFinding>) {
    let source = &unit.source;
    let file = source
        .index_of(METADATA)
        .map(|at| ChangeFile::read(&source.documents[at]).0);
    let file = file.unwrap_or_default();
    let deltas: Vec<(&PlanDocument, &str)> = source
        .documents
        .iter()
        .filter_map(|document| Some((&**document, capability_of(source, document)?)))
        .collect();
    let error = Severity::Error;
    let message = match (deltas.is_empty(), file.skips_specs) {
        (true, false) => Some(
            "the change has no delta; add one below specs/, or say `skip_specs: true` in .openspec.yaml",
        ),
        (false, true) => Some("the change says `skip_specs: true` and has files in specs/"),
        _ => None,
    };
    found.extend(message.map(|message| PlanFinding {
        rule: "deltas",
        ..PlanFinding::error(&source.path, None, message)
    }));
    for (document, capability) in deltas {
        if capability.is_empty() {
            let message =
                "a delta lies directly in specs/; put it into the folder of its capability";
            let place = document.first_line();
            of_document(document, found).push("delta_folder", error, place, message);
        }
        check_delta(
            snapshot,
            document,
            capability,
            &mut of_document(document, found),
        );
    }
    if let Some(at) = source.index_of(TASKS).filter(|_| !file.has_own_schema()) {
        let list = &source.documents[at];
        check_numbers(list, &mut of_document(list, found));
    }
}

fn check_delta(
    snapshot: &PlanSnapshot,
    document: &PlanDocument,
    capability: &str,
    found: &mut DocumentFindings<'_>,
) {
    let sections = delta::sections(&document.text);
    let error = Severity::Error;
    if !sections.iter().any(|section| section.kind().is_some()) {
        let message = "none of the headings ADDED, MODIFIED, REMOVED or RENAMED Requirements stands in the delta";
        found.push("delta_headings", error, document.first_line(), message);
    }
    let spec = main_spec(snapshot, capability).map(delta::sections);
    let present: Vec<&RequirementBlock> = spec
        .iter()
        .flatten()
        .flat_map(|section| &section.requirements)
        .collect();
    let mut seen: HashMap<&str, Vec<DeltaKind>> = HashMap::new();
    let mut headings = HashSet::new();
    for section in &sections {
        let Some(kind) = section.kind() else {
            continue;
        };
        let place = document.line_place(section.line);
        if !headings.insert(kind) {
            let message = format!("the heading {} Requirements stands twice", kind.word());
            found.push("delta_headings", Severity::Warning, place, message);
        }
        if section.names().is_empty() && section.renames.is_empty() {
            let message = format!("nothing stands below {} Requirements", kind.word());
            found.push("delta_entries", error, place, message);
        }
        for (other, line) in &section.others {
            found.push(
                "delta_headings",
                Severity::Hint,
                document.line_place(*line),
                format!("'{other}' is the heading of no requirement"),
            );
        }
        let is_whole = matches!(kind, DeltaKind::Added | DeltaKind::Modified);
        for requirement in section.requirements.iter().filter(|_| is_whole) {
            check_requirement(requirement, found);
        }
        for (name, line) in section.names() {
            let kinds = seen.entry(name).or_default();
            let message = match kinds.first() {
                Some(_) if kinds.contains(&kind) => {
                    Some(format!("requirement '{name}' is {} twice", kind.word()))
                }
                Some(first) => {
                    let (first, now) = (first.word(), kind.word());
                    Some(format!("requirement '{name}' is {first} and {now}"))
                }
                None => None,
            };
            if let Some(message) = message {
                found.push("requirement_twice", error, found.words(line, name), message);
            }
            kinds.push(kind);
        }
        check_against_spec(section, kind, &present, spec.is_some(), found);
    }
    check_renames(&sections, &seen, found);
}

/// Compares a section of a delta with the main spec.
fn check_against_spec(
    section: &SpecSection,
    kind: DeltaKind,
    present: &[&RequirementBlock],
    has_spec: bool,
    found: &mut DocumentFindings<'_>,
) {
    for (name, line) in section.names() {
        let place = found.words(line, name);
        let same = present.iter().find(|requirement| requirement.name == name);
        let near = present
            .iter()
            .find(|requirement| is_nearly(&requirement.name, name));
        match (kind, same, near) {
            (DeltaKind::Modified, Some(now), _) => {
                let Some(block) = section.requirements.iter().find(|block| block.line == line)
                else {
                    continue;
                };
                let is_kept = |name: &str| block.scenarios.iter().any(|kept| kept.name == name);
                let lost: Vec<&str> = now
                    .scenarios
                    .iter()
                    .map(|scenario| &*scenario.name)
                    .filter(|name| !is_kept(name))
                    .collect();
                if !lost.is_empty() {
                    let message = format!(
                        "MODIFIED requirement '{name}' lacks scenarios of the main spec: {}",
                        lost.join(", ")
                    );
                    found.push("lost_scenario", Severity::Error, place, message);
                }
            }
            (DeltaKind::Modified | DeltaKind::Removed, None, Some(near)) => {
                let message = format!("requirement '{name}' is '{}' in the main spec", near.name);
                found.push("missing_target", Severity::Hint, place, message);
            }
            (DeltaKind::Modified | DeltaKind::Removed, None, None) if has_spec => {
                let message = format!("the main spec has no requirement '{name}'");
                found.push("missing_target", Severity::Hint, place, message);
            }
            _ => {}
        }
    }
}

/// Renames against one another and against the other sections.
fn check_renames(
    sections: &[SpecSection],
    seen: &HashMap<&str, Vec<DeltaKind>>,
    found: &mut DocumentFindings<'_>,
) {
    let renames = || sections.iter().flat_map(|section| &section.renames);
    let (mut from_names, mut to_names) = (HashSet::new(), HashSet::new());
    for (from, to, line) in renames() {
        let kinds = |name: &str| seen.get(name).map(Vec::as_slice).unwrap_or_default();
        let fault = if from == to {
            Some(format!("'{from}' is renamed to itself"))
        } else if !from_names.insert(from) {
            Some(format!("'{from}' is renamed twice"))
        } else if !to_names.insert(to) {
            Some(format!("two requirements are renamed to '{to}'"))
        } else if kinds(from).contains(&DeltaKind::Modified) {
            Some(format!("'{from}' is renamed, and MODIFIED by its old name"))
        } else if kinds(from).contains(&DeltaKind::Removed) {
            Some(format!("'{from}' is renamed and REMOVED"))
        } else if kinds(to).contains(&DeltaKind::Added) {
            Some(format!("'{to}' is a new name, and ADDED"))
        } else {
            None
        };
        if let Some(message) = fault {
            let name = if message.starts_with(&format!("'{from}'")) {
                from
            } else {
                to
            };
            found.push(
                "renames",
                Severity::Error,
                found.words(*line, name),
                message,
            );
        }
    }
}

fn check_requirement(requirement: &RequirementBlock, found: &mut DocumentFindings<'_>) {
    let name = &requirement.name;
    let place = found.words(requirement.line, name);
    let mut push = |rule, level, message: String| found.push(rule, level, place, message);
    if requirement.text.is_empty() {
        push(
            "requirement_text",
            Severity::Error,
            format!("requirement '{name}' has no text"),
        );
    } else if !has_word(&requirement.text, &["SHALL", "MUST"]) {
        push(
            "shall",
            Severity::Warning,
            format!("the text of requirement '{name}' says neither SHALL nor MUST"),
        );
    }
    if requirement.scenarios.is_empty() {
        push(
            "scenarios",
            Severity::Error,
            format!("requirement '{name}' has no scenario"),
        );
    }
}

fn has_word(text: &str, words: &[&str]) -> bool {
    let mut found = text.split(|c: char| !c.is_alphanumeric());
    found.any(|word| words.contains(&word))
}

fn check_spec(document: &PlanDocument, found: &mut DocumentFindings<'_>) {
    let sections = delta::sections(&document.text);
    let named = |title: &str| {
        sections
            .iter()
            .find(|section| section.title.eq_ignore_ascii_case(title))
    };
    // Its program looks at nothing else of a spec that lacks one of them.
    for (title, rule) in [("Purpose", "purpose"), ("Requirements", "requirements")] {
        if named(title).is_none() {
            let message = format!("the main spec has no section {title}");
            found.push(rule, Severity::Error, document.first_line(), message);
            return;
        }
    }
    let is_short = |text: &str| text.chars().count() < MIN_PURPOSE || text.starts_with(PLACEHOLDER);
    if let Some(purpose) = named("Purpose").filter(|purpose| is_short(&purpose.text)) {
        let message =
            format!("the purpose is a placeholder, or shorter than {MIN_PURPOSE} characters");
        let place = document.line_place(purpose.line);
        found.push("purpose", Severity::Warning, place, message);
    }
    let mut names = HashSet::new();
    for section in &sections {
        if let Some(kind) = section.kind() {
            let message = format!("{} Requirements is a heading of deltas", kind.word());
            let place = document.line_place(section.line);
            found.push("delta_headings", Severity::Error, place, message);
        }
        let is_own = section.title.eq_ignore_ascii_case("Requirements");
        for requirement in &section.requirements {
            let name = &requirement.name;
            let place = found.words(requirement.line, name);
            if !is_own {
                let message =
                    format!("requirement '{name}' stands outside of the section Requirements");
                found.push("requirements", Severity::Error, place, message);
            }
            if !names.insert(name) {
                let message = format!("requirement '{name}' stands twice");
                found.push("requirement_twice", Severity::Error, place, message);
            }
        }
    }
    for requirement in sections.iter().flat_map(|section| &section.requirements) {
        check_requirement(requirement, found);
        if requirement.text.chars().count() > MAX_REQUIREMENT {
            let message = format!(
                "the text of requirement '{}' is longer than {MAX_REQUIREMENT} characters",
                requirement.name
            );
            let place = found.words(requirement.line, &requirement.name);
            found.push("requirement_length", Severity::Hint, place, message);
        }
    }
}

/// Numbers of tasks that are not of their group, or stand twice.
fn check_numbers(document: &PlanDocument, found: &mut DocumentFindings<'_>) {
    let lines = task_lines(document);
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
        let group = task
            .group
            .and_then(|group| lines.groups[group].number.as_deref());
        let is_of_group = |group: &str| {
            let prefix = group.split('.').next();
            prefix == number.split('.').next()
        };
        if number.contains('.') && group.is_some_and(|group| !is_of_group(group)) {
            let message = format!(
                "number {number} is not one of group {}",
                group.unwrap_or_default()
            );
            found.push("number_group", Severity::Warning, place, message);
        }
    }
}
