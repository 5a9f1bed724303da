//! The rules by which the format's own program validates changes and main specs strictly.

use std::collections::{HashMap, HashSet};

use chant_plan_format::document::PlanDocument;
use chant_plan_format::finding::{DocumentFindings, FindingLevel, PlanFinding};
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

pub(super) fn check(snapshot: &PlanSnapshot) -> Vec<PlanFinding> {
    let mut found = Vec::new();
    for unit in &snapshot.units {
        match unit.source.kind {
            CHANGE => check_change(snapshot, unit, &mut found),
            SPEC => {
                for spec in &unit.source.documents {
                    check_spec(spec, &mut of_document(&spec.path, &mut found));
                }
            }
            _ => {}
        }
    }
    found
}

fn of_document<'a>(path: &'a str, found: &'a mut Vec<PlanFinding>) -> DocumentFindings<'a> {
    DocumentFindings { path, found }
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
    let error = FindingLevel::Error;
    match (deltas.is_empty(), file.skips_specs) {
        (true, false) => {
            let message = "the change has no delta; add one below specs/, or say `skip_specs: true` in .openspec.yaml";
            of_document(&source.path, found).push("deltas", error, 0, message);
        }
        (false, true) => {
            let message = "the change says `skip_specs: true` and has files in specs/";
            of_document(&source.path, found).push("deltas", error, 0, message);
        }
        _ => {}
    }
    for (document, capability) in deltas {
        if capability.is_empty() {
            let message =
                "a delta lies directly in specs/; put it into the folder of its capability";
            of_document(&document.path, found).push("delta_folder", error, 0, message);
        }
        check_delta(
            snapshot,
            document,
            capability,
            &mut of_document(&document.path, found),
        );
    }
    if let Some(at) = source.index_of(TASKS).filter(|_| !file.has_own_schema()) {
        let list = &source.documents[at];
        check_numbers(list, &mut of_document(&list.path, found));
    }
}

fn check_delta(
    snapshot: &PlanSnapshot,
    document: &PlanDocument,
    capability: &str,
    found: &mut DocumentFindings<'_>,
) {
    let sections = delta::sections(&document.text);
    let error = FindingLevel::Error;
    if !sections.iter().any(|section| section.kind().is_some()) {
        let message = "none of the headings ADDED, MODIFIED, REMOVED or RENAMED Requirements stands in the delta";
        found.push("delta_headings", error, 0, message);
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
        if !headings.insert(kind) {
            let message = format!("the heading {} Requirements stands twice", kind.word());
            found.push(
                "delta_headings",
                FindingLevel::Warning,
                section.line,
                message,
            );
        }
        if section.names().is_empty() && section.renames.is_empty() {
            let message = format!("nothing stands below {} Requirements", kind.word());
            found.push("delta_entries", error, section.line, message);
        }
        for (other, line) in &section.others {
            found.push(
                "delta_headings",
                FindingLevel::Hint,
                *line,
                format!("'{other}' is the heading of no requirement"),
            );
        }
        let is_whole = matches!(kind, DeltaKind::Added | DeltaKind::Modified);
        for requirement in section.requirements.iter().filter(|_| is_whole) {
            check_requirement(requirement, found);
        }
        for (name, line) in section.names() {
            let kinds = seen.entry(name).or_default();
            if kinds.contains(&kind) {
                found.push(
                    "requirement_twice",
                    error,
                    line,
                    format!("requirement '{name}' is {} twice", kind.word()),
                );
            } else if !kinds.is_empty() {
                found.push(
                    "requirement_twice",
                    error,
                    line,
                    format!(
                        "requirement '{name}' is {} and {}",
                        kinds[0].word(),
                        kind.word()
                    ),
                );
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
                    found.push("lost_scenario", FindingLevel::Error, line, message);
                }
            }
            (DeltaKind::Modified | DeltaKind::Removed, None, Some(near)) => {
                let message = format!("requirement '{name}' is '{}' in the main spec", near.name);
                found.push("missing_target", FindingLevel::Hint, line, message);
            }
            (DeltaKind::Modified | DeltaKind::Removed, None, None) if has_spec => {
                let message = format!("the main spec has no requirement '{name}'");
                found.push("missing_target", FindingLevel::Hint, line, message);
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
            found.push("renames", FindingLevel::Error, *line, message);
        }
    }
}

fn check_requirement(requirement: &RequirementBlock, found: &mut DocumentFindings<'_>) {
    let name = &requirement.name;
    let mut push =
        |rule, level, message: String| found.push(rule, level, requirement.line, message);
    if requirement.text.is_empty() {
        push(
            "requirement_text",
            FindingLevel::Error,
            format!("requirement '{name}' has no text"),
        );
    } else if !has_word(&requirement.text, &["SHALL", "MUST"]) {
        push(
            "shall",
            FindingLevel::Warning,
            format!("the text of requirement '{name}' says neither SHALL nor MUST"),
        );
    }
    if requirement.scenarios.is_empty() {
        push(
            "scenarios",
            FindingLevel::Error,
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
            found.push(rule, FindingLevel::Error, 0, message);
            return;
        }
    }
    let is_short = |text: &str| text.chars().count() < MIN_PURPOSE || text.starts_with(PLACEHOLDER);
    if let Some(purpose) = named("Purpose").filter(|purpose| is_short(&purpose.text)) {
        let message =
            format!("the purpose is a placeholder, or shorter than {MIN_PURPOSE} characters");
        found.push("purpose", FindingLevel::Warning, purpose.line, message);
    }
    let mut names = HashSet::new();
    for section in &sections {
        if let Some(kind) = section.kind() {
            let message = format!("{} Requirements is a heading of deltas", kind.word());
            found.push("delta_headings", FindingLevel::Error, section.line, message);
        }
        let is_own = section.title.eq_ignore_ascii_case("Requirements");
        for requirement in &section.requirements {
            let name = &requirement.name;
            if !is_own {
                let message =
                    format!("requirement '{name}' stands outside of the section Requirements");
                found.push(
                    "requirements",
                    FindingLevel::Error,
                    requirement.line,
                    message,
                );
            }
            if !names.insert(name) {
                let message = format!("requirement '{name}' stands twice");
                found.push(
                    "requirement_twice",
                    FindingLevel::Error,
                    requirement.line,
                    message,
                );
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
            found.push(
                "requirement_length",
                FindingLevel::Hint,
                requirement.line,
                message,
            );
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
        if let Some(first) = seen.insert(number, task.line) {
            let message = format!("number {number} stands on line {first}, too");
            found.push("number_twice", FindingLevel::Warning, task.line, message);
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
            found.push("number_group", FindingLevel::Warning, task.line, message);
        }
    }
}
