//! The answers of Backlog.md to the questions of plan formats.

use chant_plan_format::document::RootSettings;
use chant_plan_format::finding::{ActingPart, PlanFinding};
use chant_plan_format::intent::{EditIntent, EditRequest, IntentKind, UnitEdit};
use chant_plan_format::join::JoinInput;
use chant_plan_format::order::{OrderRefusal, PlanOrder};
use chant_plan_format::program_lock::{LockTarget, ProgramLock};
use chant_plan_format::refusal::EditRefusal;
use chant_plan_format::scope::{FormatScope, RootLayout, UnitForm, UnitPattern};
use chant_plan_format::snapshot::PlanSnapshot;
use chant_plan_format::unit::{PlanUnit, UnitSource};
use chant_plan_format::{PlanFormat, UnitFilter};
use chant_text::front_matter;

use super::config::{BacklogConfig, backlog_folder};
use super::task_ids::{TaskId, id_of_file};

/// The kinds of units.
pub(super) const TASK: &str = "task";
pub(super) const COMPLETED: &str = "completed task";
pub(super) const DRAFT: &str = "draft";
pub(super) const ARCHIVED: &str = "archived task";

/// The file at a project's root.
pub(super) const ROOT_FILE: &str = "backlog.config.yml";

/// The configurations of a folder, the first that is there counts.
pub(super) const SETTINGS: [&str; 5] = [
    ROOT_FILE, "backlog/config.yml", "backlog/config.yaml", ".backlog/config.yml",
    ".backlog/config.yaml",
];

/// Keys whose values its program runs.
pub(super) const ACTING_KEYS: [&str; 3] = ["onStatusChange", "on_status_change", "default_editor"];

/// The key of the last edit.
pub(super) const UPDATED: &str = "updated_date";

/// The format of Backlog.md.
#[derive(Debug, Clone, Copy, Default)]
pub struct BacklogTasks;

pub(super) static SCOPE: FormatScope = FormatScope {
    word: "backlog",
    title: "Backlog.md",
    noun: "Backlog task",
    plural: "Backlog tasks",
    markers: &SETTINGS,
    settings: &SETTINGS,
    intents: &[
        IntentKind::Tick,
        IntentKind::Status,
        IntentKind::Set,
        IntentKind::Section,
        IntentKind::Title,
        IntentKind::Add,
        IntentKind::AddCriterion,
        IntentKind::Move,
    ],
    statuses: &[],
    touched: &[UPDATED],
    example: "backlog:TASK-12",
};

impl PlanFormat for BacklogTasks {
    fn scope(&self) -> &'static FormatScope {
        &SCOPE
    }

    fn layout(&self, settings: &RootSettings) -> RootLayout {
        let Some(folder) = backlog_folder(settings) else {
            return RootLayout::default();
        };
        let unit = |kind, below: &str, limit| UnitPattern {
            kind,
            folder: format!("{folder}/{below}"),
            form: UnitForm::File(&["*.md"]),
            depth: 1,
            accepts: |name| id_of_file(name).is_some(),
            limit,
        };
        RootLayout {
            units: vec![
                unit(TASK, "tasks", 20_000),
                unit(COMPLETED, "completed", 20_000),
                unit(DRAFT, "drafts", 20_000),
                unit(ARCHIVED, "archive/tasks", 20_000),
                unit(ARCHIVED, "archive/drafts", 20_000),
            ],
            archives: Vec::new(),
            watch: vec![folder],
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
        let (first, repeat) = match written.rsplit_once('~') {
            Some((first, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
                (first, format!("~{number}"))
            }
            _ => (written, String::new()),
        };
        TaskId::read(first).map_or_else(|| written.to_owned(), |id| format!("{id}{repeat}"))
    }

    /// A number alone means the task with it.
    fn is_partial_name(&self, part: &str, name: &str) -> bool {
        let id = TaskId::read(name.split('~').next().unwrap_or_default());
        let number = TaskId::read_bare(part, "").filter(|bare| bare.prefix.is_empty());
        let has_number = id
            .zip(number)
            .is_some_and(|(id, bare)| id.number == bare.number);
        has_number || part.eq_ignore_ascii_case(name)
    }

    fn may_hold(&self, unit: &str, name: &str) -> bool {
        id_of_file(unit).is_some_and(|id| id.to_string() == *name)
    }

    fn edit(
        &self,
        unit: Option<&PlanUnit>,
        request: &EditRequest<'_>,
    ) -> Result<UnitEdit, EditRefusal> {
        super::edit::edit(unit, request)
    }

    fn program_locks(&self, settings: &RootSettings, target: LockTarget<'_>) -> Vec<ProgramLock> {
        super::program_locks::program_locks(settings, target)
    }

    fn numbered_name(&self) -> Option<fn(&str) -> Option<String>> {
        Some(|unit| id_of_file(unit).map(|id| id.to_string()))
    }

    fn check_units(&self, snapshot: &PlanSnapshot, is_wanted: UnitFilter<'_>) -> Vec<PlanFinding> {
        super::check::check_units(snapshot, is_wanted)
    }

    fn order(&self, snapshot: &PlanSnapshot, node: usize) -> Result<PlanOrder, OrderRefusal> {
        super::order::order(snapshot, node)
    }

    fn landed(
        &self,
        unit: &PlanUnit,
        settings: &RootSettings,
        item: usize,
    ) -> Vec<(Box<str>, EditIntent)> {
        let last = config_of(settings).statuses.last().cloned();
        let done = last.map(|word| (unit.items[item].name.clone(), EditIntent::Status { word }));
        done.into_iter().collect()
    }

    fn acts(&self, settings: &RootSettings, path: &str, text: &str) -> Vec<ActingPart> {
        let is_setting = SETTINGS.contains(&path);
        let is_inside = backlog_folder(settings).is_some_and(|folder| {
            path.strip_prefix(&*folder)
                .is_some_and(|rest| rest.starts_with('/'))
        });
        if !is_setting && !is_inside {
            return Vec::new();
        }
        let yaml = if path
            .rsplit_once('.')
            .is_some_and(|(_, ending)| ending == "md")
        {
            let layout = front_matter::layout(text).ok();
            layout
                .and_then(|layout| layout.yaml)
                .map_or("", |yaml| &text[yaml])
        } else {
            text
        };
        let entries = front_matter::entries(yaml).into_iter();
        let acting = entries.filter(|entry| ACTING_KEYS.contains(&&*entry.name));
        let part = |entry: front_matter::FrontMatterEntry<'_>| ActingPart {
            name: (&*entry.name).into(),
            value: entry.yaml.into(),
        };
        acting.map(part).collect()
    }
}

/// The configuration of a root.
pub(super) fn config_of(settings: &RootSettings) -> BacklogConfig {
    BacklogConfig::read(settings)
}
