//! The answers of Kiro specs to the questions of plan formats.

use chant_plan_format::document::RootSettings;
use chant_plan_format::finding::{ActingPart, PlanFinding};
use chant_plan_format::intent::{EditIntent, EditRequest, IntentKind, UnitEdit};
use chant_plan_format::join::JoinInput;
use chant_plan_format::order::{OrderRefusal, PlanOrder};
use chant_plan_format::refusal::EditRefusal;
use chant_plan_format::scope::{FormatScope, RootLayout, UnitForm, UnitPattern};
use chant_plan_format::snapshot::PlanSnapshot;
use chant_plan_format::unit::{PlanUnit, UnitSource};
use chant_plan_format::{PlanFormat, UnitFilter};

/// The kind of units.
pub(super) const SPEC: &str = "spec";

/// The folder of specs.
pub(super) const SPECS: &str = ".kiro/specs";

/// The documents of a spec.
pub(super) const TASKS: &str = "tasks.md";
pub(super) const REQUIREMENTS: &str = "requirements.md";
pub(super) const BUGFIX: &str = "bugfix.md";

/// The file of cc-sdd with approvals.
pub(super) const SPEC_FILE: &str = "spec.json";

/// Names of groups that hold finished specs.
const ARCHIVES: [&str; 4] = ["archive", "archived", "completed", "done"];

/// The format of Kiro and cc-sdd.
#[derive(Debug, Clone, Copy, Default)]
pub struct KiroSpecs;

pub(super) static SCOPE: FormatScope = FormatScope {
    word: "kiro",
    title: "Kiro",
    noun: "Kiro task",
    plural: "Kiro tasks",
    markers: &[SPECS],
    settings: &[],
    intents: &[
        IntentKind::Tick,
        IntentKind::Status,
        IntentKind::Section,
        IntentKind::Title,
        IntentKind::Add,
        IntentKind::Reset,
    ],
    statuses: &["not_started", "queued", "in_progress", "completed"],
    touched: &[],
    example: "kiro:user-auth#2.1",
};

fn accepts(name: &str) -> bool {
    let is_hidden = name.split('/').any(|part| part.starts_with('.'));
    let is_archived = name.split_once('/').is_some_and(|(group, _)| {
        ARCHIVES
            .iter()
            .any(|archive| group.eq_ignore_ascii_case(archive))
    });
    !is_hidden && !is_archived
}

impl PlanFormat for KiroSpecs {
    fn scope(&self) -> &'static FormatScope {
        &SCOPE
    }

    fn layout(&self, _: &RootSettings) -> RootLayout {
        let specs = UnitPattern {
            kind: SPEC,
            folder: SPECS.into(),
            form: UnitForm::Folder {
                documents: &[
                    TASKS, REQUIREMENTS, BUGFIX, SPEC_FILE, "design.md", "gap-analysis.md",
                    "research.md",
                ],
                required: &[TASKS, REQUIREMENTS, BUGFIX],
            },
            depth: 2,
            accepts,
            limit: 1_000,
        };
        RootLayout {
            units: vec![specs],
            archives: ARCHIVES
                .iter()
                .map(|name| format!("{SPECS}/{name}"))
                .collect(),
            watch: vec![SPECS.into()],
        }
    }

    fn read(&self, source: &UnitSource) -> PlanUnit {
        super::read::read(source)
    }

    fn join(&self, input: &JoinInput<'_>) -> PlanSnapshot {
        super::join::join(input)
    }

    fn name(&self, written: &str) -> String {
        let written = written.trim();
        match written.split_once('#') {
            Some((spec, id)) => format!("{spec}#{}", id.trim_end_matches('.')),
            None => written.to_owned(),
        }
    }

    fn edit(
        &self,
        unit: Option<&PlanUnit>,
        request: &EditRequest<'_>,
    ) -> Result<UnitEdit, EditRefusal> {
        super::edit::edit(unit, request)
    }

    fn check_units(&self, snapshot: &PlanSnapshot, is_wanted: UnitFilter<'_>) -> Vec<PlanFinding> {
        super::check::check_units(snapshot, is_wanted)
    }

    fn order(&self, snapshot: &PlanSnapshot, node: usize) -> Result<PlanOrder, OrderRefusal> {
        super::order::order(snapshot, node)
    }

    /// Nothing below the specs acts: what does is on the list of agents' places.
    fn free_documents(&self) -> &'static [&'static str] {
        &["design.md", "research.md"]
    }

    fn is_worked_in_parts(&self) -> bool {
        true
    }

    fn landed(
        &self,
        unit: &PlanUnit,
        _settings: &RootSettings,
        item: usize,
    ) -> Vec<(Box<str>, EditIntent)> {
        super::order::holders_done_with(unit, item)
    }

    fn acts(&self, _: &RootSettings, _: &str, _: &str) -> Vec<ActingPart> {
        Vec::new()
    }
}
