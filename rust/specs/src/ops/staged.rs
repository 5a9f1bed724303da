//! Changes of specs that are decided together: each is tried on what the ones before it made.

use std::sync::Arc;

use super::add::{self, NewSpec};
use super::edit::{self, SpecDraft};
use super::run_addition::RunAddition;
use super::update::{self, SpecUpdate};
use crate::error::ChantError;
use crate::model::Spec;
use crate::parse;
use crate::project::{Project, ProjectSnapshot, SPECS};
use crate::specs::SpecGraph;
use chant_base::error::Error;
use chant_base::external_items::{self, StatusLookup};
use chant_store::index::{DocumentChange, FileSource};
use chant_store::staged::StagedTexts;

/// One change.
#[derive(Debug, Clone)]
pub enum SpecOperation {
    /// A spec is changed, as by [`update::update`].
    Update {
        /// Its full or partial ID.
        id: String,
        /// The changes.
        update: Box<SpecUpdate>,
    },
    /// There is a new spec, as by [`add::add`].
    Add {
        /// Its content.
        new: Box<NewSpec>,
        /// The ID it was given when it was first tried.
        id: Option<String>,
    },
}

/// The specs as they would be, and the texts that differ from those on disk.
pub struct StagedSpecs {
    snapshot: ProjectSnapshot,
    texts: StagedTexts,
}

impl StagedSpecs {
    /// Begins with what is true now.
    pub fn begin(snapshot: ProjectSnapshot) -> Self {
        Self {
            snapshot,
            texts: StagedTexts::default(),
        }
    }

    /// The specs as they would be.
    pub fn specs(&self) -> &Arc<SpecGraph> {
        &self.snapshot.specs
    }

    /// Tries one more change; gives the ID of its spec, which a new one keeps from then on.
    ///
    /// # Errors
    /// What the change alone would be refused for; everything is as before then. `IdTaken`, when the ID
    /// of a new spec is another one's by now.
    pub fn apply(
        &mut self,
        project: &Project,
        operation: &mut SpecOperation,
    ) -> Result<String, Error> {
        match operation {
            SpecOperation::Update { id, update } => self
                .update(project, id, update)
                .map_err(|error| error.during("Failed to update spec")),
            SpecOperation::Add { new, id } => self.add(project, new, id),
        }
    }

    fn update(
        &mut self,
        project: &Project,
        id: &str,
        update: &SpecUpdate,
    ) -> Result<String, Error> {
        let spec = project.resolve_to_edit(&self.snapshot, id)?;
        project.refuse_own(&spec.id, "changed together with others")?;
        let status = update.status()?;
        update::refuse_nul(update)?;
        if status.is_some() {
            project.run_lookup.refuse_running(project, &spec)?;
        }
        let names = update.depends_on.as_ref();
        let depends_on = names
            .map(|names| update::full_names(project, &self.snapshot, names, &mut Vec::new()))
            .transpose()?;
        let depends_on = depends_on
            .map(|new| update::merged_names(project, &self.snapshot, &spec, update, &new));
        let mut draft = SpecDraft::of(&spec.path, &spec.text)?;
        update::apply(
            &self.snapshot,
            &mut draft,
            update,
            status,
            depends_on.as_deref(),
        )?;
        let mut drafts = vec![draft];
        if update::completes(&spec, status) {
            let now = project.clock.stamp();
            for container in edit::completed_with(&self.snapshot, &spec) {
                let mut draft = SpecDraft::of(&container.path, &container.text)?;
                edit::complete_container(&mut draft, &now)?;
                drafts.push(draft);
            }
        }
        for draft in drafts {
            let path = draft.spec().path.clone();
            self.put(path, draft.finish(), false)?;
        }
        Ok(spec.id.to_string())
    }

    fn add(
        &mut self,
        project: &Project,
        new: &NewSpec,
        id: &mut Option<String>,
    ) -> Result<String, Error> {
        let written = add::render_new_spec(project, &self.snapshot, new)?;
        if let Some(addition) = RunAddition::of(project, &self.snapshot) {
            addition.refuse_more(written.text.len())?;
        }
        let given = if let Some(given) = id {
            if self.snapshot.specs.find(given).is_some() {
                return Err(ChantError::IdTaken { id: given.clone() }.into());
            }
            given.clone()
        } else {
            add::next_id(project, &self.snapshot, written.parent.as_deref())?.to_string()
        };
        self.put(
            format!("{SPECS}/{given}.md").into(),
            written.text.clone(),
            true,
        )?;
        *id = Some(given.clone());
        Ok(given)
    }

    fn put(&mut self, path: Box<str>, text: String, is_new: bool) -> Result<(), Error> {
        let spec: Arc<Spec> = parse::document(&path, FileSource::Text(text.clone()))
            .map_err(|broken| ChantError::unreadable(&broken))?;
        let change = DocumentChange {
            path: path.clone(),
            document: Some(Ok(spec)),
        };
        Arc::make_mut(&mut self.snapshot.specs).apply(vec![change]);
        self.texts.put(path, text.into(), is_new);
        Ok(())
    }

    /// Takes in how far the items of other dialects are that specs wait for.
    pub fn look_outside(&mut self, tell: StatusLookup<'_>) {
        let mut named = self.snapshot.specs.named_elsewhere();
        named.retain(|(_, key)| external_items::split_key(key).is_some());
        let keys: Vec<String> = named.iter().map(|(_, key)| key.clone()).collect();
        for ((node, key), standing) in named.into_iter().zip(tell(&keys)) {
            let found = standing.into();
            if self.snapshot.specs.elsewhere(&key) != Some(&found) {
                Arc::make_mut(&mut self.snapshot.specs).found_elsewhere(node, found);
            }
        }
    }

    /// The documents that are changed or new.
    pub fn texts(&self) -> &StagedTexts {
        &self.texts
    }
}
