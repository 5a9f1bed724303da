//! Edits of plans that are tried one after the other, and the texts and steps that they come to.

use std::sync::Arc;

use chant_base::error::{CoreError, Error, ErrorKind};
use chant_base::external_items::StatusLookup;
use chant_plan_format::checked_edit::{CheckedEdit, CheckedEditError, apply_checked};
use chant_plan_format::document::PlanDocument;
use chant_plan_format::intent::{EditIntent, EditRequest, PlanFileStep};
use chant_plan_format::unit::{PlanUnit, UnitSource, read_unit};
use chant_store::journal::ChangeStep;
use chant_store::staged::StagedTexts;

use super::store::PlanRoot;

/// The thing that an edit is about.
#[derive(Debug, Clone, Copy)]
pub struct EditTarget<'a> {
    /// The path of its unit; none to add an item in a unit of its own.
    pub unit: Option<&'a str>,
    /// The name of the item; none for the unit as a whole.
    pub item: Option<&'a str>,
    /// The intent.
    pub intent: &'a EditIntent,
    /// The time in UTC, as `2026-01-31T14:05:09Z`.
    pub now: &'a str,
}

/// The outcome of an edit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AppliedEdit {
    /// The places of changes: paths with lines counted from 1.
    pub changed: Vec<(Box<str>, usize)>,
    /// The name of an item that was added.
    pub added: Option<Box<str>>,
    /// Sentences for who asked.
    pub notes: Vec<String>,
}

/// An edit is refused, or the format broke the law of edits.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct PlanEditError(#[from] CheckedEditError);

impl CoreError for PlanEditError {
    fn kind(&self) -> ErrorKind {
        match &self.0 {
            CheckedEditError::Refused(refusal) => refusal.kind(),
            CheckedEditError::Fault { .. } => ErrorKind::InvalidDocument,
        }
    }
}

/// The plans of one format as they would be.
pub struct StagedPlan {
    root: Arc<PlanRoot>,
    units: Vec<Arc<PlanUnit>>,
    texts: StagedTexts,
    moves: Vec<ChangeStep>,
    before: Vec<(String, String)>,
    elsewhere: Vec<Box<str>>,
}

impl StagedPlan {
    /// Begins with what is true now.
    pub fn begin(root: Arc<PlanRoot>) -> Self {
        Self {
            units: root.snapshot.units.clone(),
            root,
            texts: StagedTexts::default(),
            moves: Vec::new(),
            before: Vec::new(),
            elsewhere: Vec::new(),
        }
    }

    /// Keeps new items from names that are taken elsewhere, as in other branches.
    pub fn avoid(&mut self, names: Vec<Box<str>>) {
        self.elsewhere = names;
    }

    /// The plans with which it began.
    pub fn root(&self) -> &Arc<PlanRoot> {
        &self.root
    }

    /// The unit at a path as it would be.
    pub fn unit_at(&self, path: &str) -> Option<&Arc<PlanUnit>> {
        self.units.iter().find(|unit| *unit.source.path == *path)
    }

    /// Tries one more edit.
    ///
    /// # Errors
    /// What the format refuses; everything is as before then.
    pub fn apply(&mut self, target: EditTarget<'_>) -> Result<AppliedEdit, Error> {
        let at = match target.unit {
            Some(path) => self
                .units
                .iter()
                .position(|unit| *unit.source.path == *path),
            None => self.only_unit(),
        };
        let taken = self.taken(target.intent);
        let request = EditRequest {
            item: target.item,
            intent: target.intent,
            settings: &self.root.settings,
            taken: &taken,
            now: target.now,
        };
        let unit = at.map(|at| Arc::clone(&self.units[at]));
        let edit =
            apply_checked(self.root.format, unit.as_deref(), &request).map_err(PlanEditError)?;
        self.take(at, &edit);
        Ok(AppliedEdit {
            changed: changed_places(&edit),
            added: edit.added,
            notes: edit.notes,
        })
    }

    /// The unit of a format that keeps all of its items in one document.
    fn only_unit(&self) -> Option<usize> {
        let layout = self.root.format.layout(&self.root.settings);
        match layout.units.as_slice() {
            [only] if only.limit == 1 && self.units.len() == 1 => Some(0),
            _ => None,
        }
    }

    fn taken(&self, intent: &EditIntent) -> Vec<Box<str>> {
        if !matches!(intent, EditIntent::Add { .. } | EditIntent::Move { .. }) {
            return Vec::new();
        }
        let mut taken = self.root.taken();
        taken.extend(self.elsewhere.iter().cloned());
        let items = self.units.iter().flat_map(|unit| &unit.items);
        taken.extend(items.map(|item| item.name.clone()));
        taken
    }

    fn take(&mut self, at: Option<usize>, edit: &CheckedEdit) {
        if let Some(at) = at {
            let unit = Arc::clone(&self.units[at]);
            for (document, text) in &edit.texts {
                let before = &unit.source.documents[*document];
                if !self.before.iter().any(|(path, _)| **path == *before.path) {
                    self.before
                        .push((before.path.to_string(), before.text.clone()));
                }
                self.texts.replace(&before.path, &before.text, text);
            }
            if let Some(after) = &edit.unit {
                self.units[at] = Arc::new(after.clone());
            }
        }
        for step in &edit.files {
            match step {
                PlanFileStep::Create { path, text } => self.create(path, text),
                PlanFileStep::Move { from, to } => {
                    self.before.extend(at.and_then(|at| {
                        let document = self.units[at].source.documents.first()?;
                        Some((from.clone(), document.text.clone()))
                    }));
                    self.moves.push(ChangeStep::Move {
                        from: from.clone(),
                        to: to.clone(),
                    });
                    self.relocate(at, to);
                }
            }
        }
    }

    /// Puts a new document into its unit, which may be new.
    fn create(&mut self, path: &str, text: &str) {
        self.texts.put(path.into(), text.into(), true);
        let document = Arc::new(PlanDocument::new(path, text));
        let layout = self.root.format.layout(&self.root.settings);
        let fits = |pattern: &chant_plan_format::scope::UnitPattern| {
            let found = pattern.unit_at(path).filter(|found| found.is_document)?;
            Some((pattern.kind, found))
        };
        let Some((kind, found)) = layout.units.iter().find_map(fits) else {
            return;
        };
        let known = self
            .units
            .iter()
            .position(|unit| *unit.source.path == *found.path);
        let mut source = match known {
            Some(at) => self.units[at].source.clone(),
            None => UnitSource {
                kind,
                name: found.name.into(),
                path: found.path.into(),
                documents: Vec::new(),
            },
        };
        source.documents.push(document);
        source
            .documents
            .sort_by(|one, other| one.path.cmp(&other.path));
        let unit = Arc::new(read_unit(self.root.format, source));
        if let Some(at) = known {
            self.units[at] = unit;
            return;
        }
        self.units.push(unit);
        self.units
            .sort_by(|one, other| one.source.path.cmp(&other.source.path));
    }

    fn relocate(&mut self, at: Option<usize>, to: &str) {
        let Some(unit) = at.map(|at| self.units.remove(at)) else {
            return;
        };
        let layout = self.root.format.layout(&self.root.settings);
        let found = layout
            .units
            .iter()
            .find_map(|pattern| Some((pattern.kind, pattern.unit_at(to)?)));
        if let (Some((kind, found)), [document]) = (found, unit.source.documents.as_slice()) {
            let source = UnitSource {
                kind,
                name: found.name.into(),
                path: found.path.into(),
                documents: vec![Arc::new(PlanDocument::new(to, document.text.clone()))],
            };
            self.units
                .push(Arc::new(read_unit(self.root.format, source)));
            self.units
                .sort_by(|one, other| one.source.path.cmp(&other.source.path));
        }
    }

    /// The plans as they would be.
    pub fn joined(&self, others: StatusLookup<'_>) -> PlanRoot {
        let files = self.root.problems.len() - self.root.snapshot.problems.len();
        let problems = self.root.problems[..files].to_vec();
        PlanRoot::join(
            self.root.format,
            self.units.clone(),
            problems,
            self.root.settings.clone(),
            self.root.archived.clone(),
            others,
        )
    }

    /// The documents on disk that change, in the order of their paths, each with the text that the edits began with.
    pub fn replaced(&self) -> Vec<(&str, &str)> {
        let mut replaced: Vec<(&str, &str)> = self
            .before
            .iter()
            .map(|(path, text)| (&**path, &**text))
            .collect();
        replaced.sort_unstable();
        replaced
    }

    /// Returns true if files are made or moved, so that the folder has to be held.
    pub fn changes_folder(&self) -> bool {
        !self.moves.is_empty()
            || self
                .texts
                .steps()
                .iter()
                .any(|step| matches!(step, ChangeStep::Create { .. }))
    }

    /// The steps to be done: new texts first, then moves.
    pub fn steps(&self) -> Vec<ChangeStep> {
        let mut steps = self.texts.steps();
        steps.extend(self.moves.iter().cloned());
        steps
    }
}

/// The places that an edit changed, made files at their first lines.
fn changed_places(edit: &CheckedEdit) -> Vec<(Box<str>, usize)> {
    let mut changed = edit.changed.clone();
    changed.extend(edit.files.iter().map(|step| match step {
        PlanFileStep::Create { path, .. } | PlanFileStep::Move { to: path, .. } => {
            (path.as_str().into(), 1)
        }
    }));
    changed
}
