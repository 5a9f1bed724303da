//! The answers of `OpenSpec` to the questions of plan formats.

use chant_plan_format::document::RootSettings;
use chant_plan_format::finding::{ActingPart, PlanFinding};
use chant_plan_format::intent::{EditRequest, IntentKind, UnitEdit};
use chant_plan_format::join::JoinInput;
use chant_plan_format::order::{OrderRefusal, PlanOrder};
use chant_plan_format::refusal::EditRefusal;
use chant_plan_format::scope::{FormatScope, RootLayout, UnitForm, UnitPattern};
use chant_plan_format::snapshot::PlanSnapshot;
use chant_plan_format::unit::{PlanUnit, UnitSource};
use chant_plan_format::{PlanFormat, UnitFilter};
use chant_text::front_matter;

/// The kind of units that are changes.
pub(super) const CHANGE: &str = "change";

/// The kind of units that are main specs.
pub(super) const SPEC: &str = "spec";

/// The folder of changes.
pub(super) const CHANGES: &str = "openspec/changes";

/// The folder of main specs.
pub(super) const SPECS: &str = "openspec/specs";

/// The list of a change.
pub(super) const TASKS: &str = "tasks.md";

/// The file of what a change says of itself.
pub(super) const METADATA: &str = ".openspec.yaml";

/// The configurations of a project.
const CONFIGURATIONS: [&str; 2] = ["openspec/config.yaml", "openspec/config.yml"];

/// Keys of a configuration that instruct agents or name commands.
const ACTING_KEYS: [&str; 3] = ["context", "rules", "operations"];

/// The format `OpenSpec`.
#[derive(Debug, Clone, Copy, Default)]
pub struct OpenSpec;

pub(super) static SCOPE: FormatScope = FormatScope {
    word: "openspec",
    title: "OpenSpec",
    noun: "OpenSpec task",
    plural: "OpenSpec tasks",
    markers: &[
        CHANGES, SPECS, "openspec/config.yaml", "openspec/config.yml", "openspec/project.md",
    ],
    settings: &CONFIGURATIONS,
    intents: &[
        IntentKind::Tick,
        IntentKind::Status,
        IntentKind::Section,
        IntentKind::Title,
        IntentKind::Add,
        IntentKind::Reset,
    ],
    statuses: &[
        "open", "active", "done", "no-tasks", "in-progress", "complete",
    ],
    touched: &[],
    example: "openspec:add-auth#1.2",
};

impl PlanFormat for OpenSpec {
    fn scope(&self) -> &'static FormatScope {
        &SCOPE
    }

    fn layout(&self, _: &RootSettings) -> RootLayout {
        let changes = UnitPattern {
            kind: CHANGE,
            folder: CHANGES.into(),
            form: UnitForm::Folder {
                documents: &["*.md", METADATA, "specs/**/*.md"],
                required: &[],
            },
            depth: 1,
            accepts: |name| name != "archive" && !name.starts_with('.'),
            limit: 1_000,
        };
        let specs = UnitPattern {
            kind: SPEC,
            folder: SPECS.into(),
            form: UnitForm::Folder {
                documents: &["spec.md"],
                required: &["spec.md"],
            },
            depth: 6,
            accepts: |name| !name.split('/').any(|part| part.starts_with('.')),
            limit: 1_000,
        };
        RootLayout {
            units: vec![changes, specs],
            archives: vec![format!("{CHANGES}/archive")],
            watch: vec![CHANGES.into(), SPECS.into()],
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
            Some((change, id)) => format!("{change}#{}", id.trim_end_matches(['.', ':'])),
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

    fn free_documents(&self) -> &'static [&'static str] {
        &["design.md"]
    }

    fn acts(&self, _: &RootSettings, path: &str, text: &str) -> Vec<ActingPart> {
        if CONFIGURATIONS.contains(&path) {
            let entries = front_matter::entries(text).into_iter();
            let acting = entries.filter(|entry| ACTING_KEYS.contains(&&*entry.name));
            return acting
                .map(|entry| ActingPart {
                    name: (&*entry.name).into(),
                    value: entry.yaml.into(),
                })
                .collect();
        }
        if path.starts_with("openspec/schemas/") {
            return vec![ActingPart {
                name: path.into(),
                value: text.into(),
            }];
        }
        Vec::new()
    }
}
