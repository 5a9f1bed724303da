//! A preview of what archiving a change does to main specs. The format's own program does it.

use chant_plan_format::snapshot::PlanSnapshot;
use chant_plan_format::unit::PlanUnit;

use super::delta::{self, DeltaKind};
use super::format::{CHANGE, SPEC};
use super::read::capability_of;

/// A change of one requirement by archiving.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveStep {
    /// The capability, which is the folder of the main spec.
    pub capability: Box<str>,
    /// The act: `ADDED`, `MODIFIED`, `REMOVED` or `RENAMED`.
    pub act: &'static str,
    /// The requirement.
    pub requirement: Box<str>,
    /// Its new name, where it gets one.
    pub new_name: Option<Box<str>>,
    /// True if the main spec has what the step needs: for ADDED that the requirement is not there, else that it is.
    pub fits: bool,
}

/// The steps of archiving a change, in the order in which the program takes them: renamed, removed, modified,
/// added.
pub fn archive_steps(snapshot: &PlanSnapshot, change: &str) -> Vec<ArchiveStep> {
    let is_it = |unit: &&PlanUnit| unit.source.kind == CHANGE && *unit.source.name == *change;
    let mut units = snapshot.units.iter().map(|unit| &**unit);
    let Some(unit) = units.find(is_it) else {
        return Vec::new();
    };
    let mut steps: Vec<(DeltaKind, ArchiveStep)> = Vec::new();
    for document in &unit.source.documents {
        let Some(capability) = capability_of(&unit.source, document) else {
            continue;
        };
        let mut names = requirements_of(snapshot, capability);
        let mut sections = delta::sections(&document.text);
        sections.retain(|section| section.kind().is_some());
        sections.sort_by_key(delta::SpecSection::kind);
        for section in &sections {
            let Some(kind) = section.kind() else {
                continue;
            };
            let mut step = |requirement: &str, new_name: Option<&str>| {
                let is_there = names.iter().any(|name| name == requirement);
                let step = ArchiveStep {
                    capability: capability.into(),
                    act: kind.word(),
                    requirement: requirement.into(),
                    new_name: new_name.map(Into::into),
                    fits: is_there == (kind != DeltaKind::Added),
                };
                steps.push((kind, step));
            };
            for (from, to, _) in &section.renames {
                step(from, Some(to));
            }
            for (name, _) in section.names() {
                step(name, None);
            }
            for (from, to, _) in &section.renames {
                names.retain(|name| name != from);
                names.push(to.clone());
            }
        }
    }
    steps.sort_by_key(|(kind, _)| *kind);
    steps.into_iter().map(|(_, step)| step).collect()
}

/// The names of the requirements of a main spec.
pub(super) fn requirements_of(snapshot: &PlanSnapshot, capability: &str) -> Vec<String> {
    let Some(text) = main_spec(snapshot, capability) else {
        return Vec::new();
    };
    let sections = delta::sections(text);
    let requirements = sections
        .into_iter()
        .flat_map(|section| section.requirements);
    requirements.map(|requirement| requirement.name).collect()
}

/// The text of a main spec.
pub(super) fn main_spec<'a>(snapshot: &'a PlanSnapshot, capability: &str) -> Option<&'a str> {
    let is_it = |unit: &&PlanUnit| unit.source.kind == SPEC && *unit.source.name == *capability;
    let unit = snapshot.units.iter().map(|unit| &**unit).find(is_it)?;
    Some(&unit.source.documents.first()?.text)
}
