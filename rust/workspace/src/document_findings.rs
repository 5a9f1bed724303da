//! What is wrong with one text as a document of a project: the same rules for a file and for what an editor has not
//! saved yet.
//!
//! ```no_run
//! # use chant_workspace::document_findings::DraftText;
//! # fn findings(workspace: &chant_workspace::Workspace, draft: DraftText<'_>) -> Result<(), chant_base::error::Error> {
//! let judge = workspace.judge()?;
//! for finding in judge.findings(&draft)? {
//!     println!("{}:{} {}", finding.place.line, finding.place.column, finding.message);
//! }
//! # Ok(())
//! # }
//! ```

use std::borrow::Cow;
use std::sync::Arc;

use super::formats::{self, FormatWithTools};
use super::workspace_graph::WorkspaceGraph;
use super::{FeatureDocument, VineDocument, VineError, Workspace, ticket_problems};
use chant_base::document_problem::DocumentProblem;
use chant_base::error::Error;
use chant_base::external_items::ExternalStatus;
use chant_base::lint::Severity;
use chant_base::text_place::TextPlace;
use chant_plan_format::document::{PlanDocument, RootSettings};
use chant_plan_format::finding::{PlanFinding, READING};
use chant_plan_format::join::JoinInput;
use chant_plan_format::unit::{PlanUnit, UnitSource, read_unit};
use chant_plan_format::{PlanFormat, scope::UnitPattern};
use chant_specs::ops::lint_draft;
use chant_specs::project::ProjectSnapshot;

/// The word in the place of a format for files of configuration.
pub const CONFIGURATION: &str = "configuration";

/// A text that stands for the document of a path, whatever the disk has there.
#[derive(Debug, Clone, Copy)]
pub struct DraftText<'a> {
    /// The word of its format, or [`CONFIGURATION`].
    pub format: &'a str,
    /// Its path below the root, with `/`.
    pub path: &'a str,
    /// All of it, a byte order mark included.
    pub text: &'a str,
}

/// Something that is wrong with a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentFinding {
    /// The name of the rule.
    pub rule: Cow<'static, str>,
    /// Its severity.
    pub severity: Severity,
    /// The fault.
    pub message: String,
    /// The suggested change.
    pub suggestion: Option<String>,
    /// The words that it is about; for something that is missing, where it should stand.
    pub place: TextPlace,
}

/// All items of a folder at one moment, to judge texts among them. Findings ask no disk and no index: only for a name
/// that no active spec has, what the archive holds is looked at.
pub struct DocumentJudge<'a> {
    workspace: &'a Workspace,
    joined: Arc<WorkspaceGraph>,
    specs: Option<ProjectSnapshot>,
}

impl Workspace {
    /// Takes up what everything is now, to judge texts by it.
    ///
    /// # Errors
    /// As [`Workspace::snapshot`].
    pub fn judge(&self) -> Result<DocumentJudge<'_>, Error> {
        Ok(DocumentJudge {
            workspace: self,
            joined: self.snapshot()?,
            specs: self.parts.chant.snapshot().ok(),
        })
    }
}

impl DocumentJudge<'_> {
    /// The findings about a text as that document of the project, in the order of their places; none for a format
    /// that is not known.
    ///
    /// # Errors
    /// That the configuration of specs cannot be read.
    pub fn findings(&self, draft: &DraftText<'_>) -> Result<Vec<DocumentFinding>, Error> {
        let mut found = match formats::with_tools(draft.format) {
            Some(FormatWithTools::Specs) => self.of_spec(draft)?,
            Some(FormatWithTools::TaskGraphs) => of_graph(draft.text),
            Some(FormatWithTools::Features) => {
                let document = FeatureDocument::read(draft.path, draft.text.to_owned());
                of_problems(draft, document.problems(draft.path))
            }
            Some(FormatWithTools::ChangeRequests) => {
                of_problems(draft, ticket_problems(&self.joined, draft.path, draft.text))
            }
            None if draft.format == CONFIGURATION => self.of_configuration(draft),
            None => formats::find(draft.format)
                .map(|format| self.of_plan(format, draft))
                .unwrap_or_default(),
        };
        found.sort_by_key(|finding| finding.place);
        Ok(found)
    }

    fn of_spec(&self, draft: &DraftText<'_>) -> Result<Vec<DocumentFinding>, Error> {
        let Some(snapshot) = &self.specs else {
            return Ok(Vec::new());
        };
        let finds = |key: &str| {
            let node = self.joined.graph().find(key);
            node.is_some_and(|node| self.joined.item(node).is_some())
        };
        let project = &self.workspace.parts.chant;
        let found = lint_draft(project, snapshot, draft.path, draft.text, &finds)?;
        let finding = |one: chant_specs::view::report::LintDiagnostic| DocumentFinding {
            severity: if one.is_error() {
                Severity::Error
            } else {
                Severity::Warning
            },
            place: placed(draft, one.place),
            rule: one.rule,
            message: one.message,
            suggestion: one.suggestion,
        };
        Ok(found.into_iter().map(finding).collect())
    }

    fn of_configuration(&self, draft: &DraftText<'_>) -> Vec<DocumentFinding> {
        let found = self.workspace.check_configuration(draft.path, draft.text);
        let finding = |one: chant_config::check::ConfigFinding| DocumentFinding {
            rule: one.kind().into(),
            severity: if one.is_near() {
                Severity::Error
            } else if one.is_mistake() {
                Severity::Warning
            } else {
                Severity::Hint
            },
            message: one.to_string(),
            suggestion: None,
            place: placed(draft, one.place),
        };
        found.into_iter().map(finding).collect()
    }

    fn of_plan(
        &self,
        format: &'static dyn PlanFormat,
        draft: &DraftText<'_>,
    ) -> Vec<DocumentFinding> {
        let word = format.scope().word;
        let root = self
            .joined
            .formats()
            .find(|root| root.format.scope().word == word);
        let document = Arc::new(PlanDocument::new(draft.path, draft.text));
        let is_own = |unit: &PlanUnit| {
            let mut documents = unit.source.documents.iter();
            documents.any(|one| *one.path == *draft.path)
        };
        if let Some(root) = root.filter(|root| root.has_read(draft.path, draft.text)) {
            let found = root.problems.iter().cloned();
            return of_rules(
                draft,
                found.chain(format.check_units(&root.snapshot, &is_own)),
            );
        }
        let mut settings = root.map(|root| root.settings.clone()).unwrap_or_default();
        let mut units = root
            .map(|root| root.snapshot.units.clone())
            .unwrap_or_default();
        if format.scope().settings.contains(&draft.path) {
            settings.0.retain(|one| one.path != document.path);
            settings.0.push(document);
        } else {
            put_document(format, &settings, &mut units, document);
        }
        let archived = root.map(|root| &*root.archived).unwrap_or_default();
        let snapshot = format.join(&JoinInput {
            units: &units,
            settings: &settings,
            archived,
            others: &|keys| keys.iter().map(|key| self.status(key)).collect(),
        });
        let of_units = units.iter().flat_map(|unit| &unit.problems);
        let problems = of_units.chain(&snapshot.problems).cloned();
        of_rules(
            draft,
            problems.chain(format.check_units(&snapshot, &is_own)),
        )
    }

    /// How far an item of another format is.
    fn status(&self, key: &str) -> ExternalStatus {
        let node = self.joined.graph().find(key);
        match node.and_then(|node| self.joined.item(node)) {
            Some(item) => ExternalStatus::Found {
                status: item.status().to_owned(),
                is_done: item.is_done(),
                place: item.path().to_owned(),
            },
            None => ExternalStatus::Unknown("there is no such item".into()),
        }
    }
}

/// Puts a document into its unit, in the place of the one of its path; a unit that is new is put among the others.
fn put_document(
    format: &dyn PlanFormat,
    settings: &RootSettings,
    units: &mut Vec<Arc<PlanUnit>>,
    document: Arc<PlanDocument>,
) {
    let layout = format.layout(settings);
    let found = |pattern: &UnitPattern| {
        let unit = pattern.unit_at(&document.path)?;
        unit.is_document.then_some((pattern.kind, unit))
    };
    let Some((kind, unit)) = layout.units.iter().find_map(found) else {
        return;
    };
    let known = units.iter().position(|one| *one.source.path == *unit.path);
    let mut source = match known {
        Some(at) => units.remove(at).source.clone(),
        None => UnitSource {
            kind,
            name: unit.name.into(),
            path: unit.path.into(),
            documents: Vec::new(),
        },
    };
    source.documents.retain(|one| one.path != document.path);
    source.documents.push(document);
    source
        .documents
        .sort_by(|one, other| one.path.cmp(&other.path));
    let at = units.partition_point(|one| one.source.path < source.path);
    units.insert(at, Arc::new(read_unit(format, source)));
}

/// The findings about a draft among those of its format.
fn of_rules(
    draft: &DraftText<'_>,
    found: impl Iterator<Item = PlanFinding>,
) -> Vec<DocumentFinding> {
    let own = found.filter(|finding| *finding.path == *draft.path);
    own.map(|finding| DocumentFinding {
        rule: finding.rule.into(),
        severity: finding.level,
        message: finding.message.into(),
        suggestion: None,
        place: placed(draft, finding.place),
    })
    .collect()
}

fn of_graph(text: &str) -> Vec<DocumentFinding> {
    let finding = |rule: &'static str, message: String, place: TextPlace| DocumentFinding {
        rule: rule.into(),
        severity: Severity::Error,
        message,
        suggestion: None,
        place,
    };
    match VineDocument::read(text.to_owned()) {
        Ok(_) => Vec::new(),
        Err(VineError::Parse { at, message }) => {
            vec![finding("parse", message, at.place_in(text))]
        }
        Err(VineError::Invalid { violations }) => violations
            .into_iter()
            .map(|(violation, at)| {
                let place = at.map(|at| at.place_in(text));
                let place = place.unwrap_or_else(|| TextPlace::of_first_line(text));
                finding(violation.constraint(), violation.to_string(), place)
            })
            .collect(),
        Err(other) => vec![finding(
            "parse",
            other.to_string(),
            TextPlace::of_first_line(text),
        )],
    }
}

fn of_problems(draft: &DraftText<'_>, problems: Vec<DocumentProblem>) -> Vec<DocumentFinding> {
    let finding = |problem: DocumentProblem| DocumentFinding {
        rule: READING.into(),
        severity: Severity::Warning,
        message: problem.message,
        suggestion: None,
        place: placed(draft, problem.place),
    };
    problems.into_iter().map(finding).collect()
}

/// The place of a finding; for one about the document as a whole its first line.
fn placed(draft: &DraftText<'_>, place: Option<TextPlace>) -> TextPlace {
    place.unwrap_or_else(|| TextPlace::of_first_line(draft.text))
}
