//! Everything as it would be after changes that are not written.

use std::path::PathBuf;
use std::sync::Arc;

use super::feature::FeatureTaskList;
use super::plan_edit::{PlanOperation, PlanPlace};
use super::transaction::ItemOperation;
use super::workspace_graph::{GraphFile, WorkspaceContents, WorkspaceGraph};
use super::{Workspace, external_lookup, key};
use chant_base::error::{Error, NotTransactional};
use chant_base::external_items::{ExternalItems, ExternalStatus};
use chant_plan_store::{PlanRoot, StagedPlan};
use chant_speckit::staged as features;
use chant_specs::ops as specs;
use chant_store::journal::ChangeStep;
use chant_store::staged::StagedTexts;
use chant_tickets::ops as tickets;
use chant_vine::document::VineDocument;
use chant_vine::ops as plans;

/// The state that each dialect would have, and all of it in one graph.
pub(super) struct StagedWorkspace {
    joined: WorkspaceGraph,
    /// Started with the first change, where there are specs.
    specs: Option<specs::StagedSpecs>,
    /// Started with the first change, where the folder is a project's.
    tickets: Option<tickets::StagedTickets>,
    plans: plans::StagedGraphs,
    features: features::StagedTaskLists,
    /// Plans of the formats that come through the interface, each with what it would be.
    formats: Vec<(StagedPlan, Arc<PlanRoot>)>,
    /// Reports on what is no item here, such as archived specs.
    outside: ExternalItems,
}

impl StagedWorkspace {
    /// Begins with what is true now.
    ///
    /// # Errors
    /// As [`Workspace::snapshot`].
    pub(super) fn begin(workspace: &Workspace) -> Result<Self, Error> {
        Self::with_external(workspace, external_lookup::external_items(workspace.root()))
    }

    /// Begins again.
    ///
    /// # Errors
    /// As [`Workspace::snapshot`].
    pub(super) fn again(&self, workspace: &Workspace) -> Result<Self, Error> {
        Self::with_external(workspace, self.outside.clone())
    }

    fn with_external(workspace: &Workspace, outside: ExternalItems) -> Result<Self, Error> {
        Ok(Self {
            joined: WorkspaceGraph::clone(&*workspace.snapshot()?),
            specs: None,
            tickets: None,
            plans: plans::StagedGraphs::begin(workspace.root()),
            features: features::StagedTaskLists::begin(workspace.root()),
            formats: Vec::new(),
            outside,
        })
    }

    /// All items.
    pub(super) fn joined(&self) -> &WorkspaceGraph {
        &self.joined
    }

    /// A task graph that is changed.
    pub(super) fn plan(&self, path: &str) -> Option<&Arc<VineDocument>> {
        self.plans.graph(path)
    }

    /// Tries one more change; gives the ID of its item, of one that is about no item the file.
    ///
    /// # Errors
    /// As the dialect's `Stage::play`; everything is as before then.
    pub(super) fn apply(
        &mut self,
        workspace: &Workspace,
        operation: &mut ItemOperation,
    ) -> Result<String, Error> {
        self.begin_stages(workspace)?;
        if let ItemOperation::Intent(operation) = operation {
            let key = self.apply_intent(workspace, operation)?;
            self.joined.update(self.read());
            return Ok(key);
        }
        let parts = &workspace.parts;
        let (joined, elsewhere) = (&self.joined, &self.outside);
        let tell = |keys: &[String]| standings(joined, elsewhere, keys);
        let id = match operation {
            ItemOperation::Spec(operation) => {
                let stage = match &mut self.specs {
                    Some(stage) => stage,
                    none => none.insert(specs::StagedSpecs::begin(parts.chant.snapshot()?)),
                };
                stage.apply(&parts.chant, operation)?
            }
            ItemOperation::Ticket(operation) => match &mut self.tickets {
                Some(stage) => stage.apply(&parts.tickets, operation)?.to_string(),
                None => return Err(no_tickets(workspace)),
            },
            ItemOperation::Plan(batch) => self.plans.apply(&parts.vine, batch, &tell)?,
            ItemOperation::Feature(completion) => {
                self.features.apply(&parts.speckit, completion, &tell)?
            }
            ItemOperation::Intent(_) => String::new(),
        };
        self.joined.update(self.read());
        // Only now can others get the status of the changed items.
        self.look_outside();
        self.joined.update(self.read());
        Ok(id)
    }

    /// Tries an edit of an item of a plan; gives the key of the item.
    fn apply_intent(
        &mut self,
        workspace: &Workspace,
        operation: &PlanOperation,
    ) -> Result<String, Error> {
        let place = PlanPlace::of(workspace, &self.joined, operation)?;
        let at = self
            .formats
            .iter()
            .position(|(stage, _)| stage.root().format.scope().word == place.word);
        let at = if let Some(at) = at {
            at
        } else {
            let root = place.root_in(&self.joined)?;
            let staged = StagedPlan::begin(Arc::clone(&root));
            self.formats.push((staged, root));
            self.formats.len() - 1
        };
        let (stage, now) = &mut self.formats[at];
        if place.adds() {
            stage.avoid(workspace.names_in_branches(stage.root()));
        }
        let applied = place.apply(stage, &workspace.now())?;
        let (joined, elsewhere) = (&self.joined, &self.outside);
        *now = Arc::new(stage.joined(&|keys| standings(joined, elsewhere, keys)));
        Ok(place.key_after(&applied))
    }

    fn begin_stages(&mut self, workspace: &Workspace) -> Result<(), Error> {
        if self.specs.is_none() {
            let snapshot = workspace.parts.chant.snapshot();
            self.specs = snapshot.ok().map(specs::StagedSpecs::begin);
        }
        if self.tickets.is_none() {
            self.tickets =
                tickets::StagedTickets::begin(&workspace.parts.tickets, workspace.root())?;
        }
        Ok(())
    }

    fn look_outside(&mut self) {
        let (joined, elsewhere) = (&self.joined, &self.outside);
        let tell = |keys: &[String]| standings(joined, elsewhere, keys);
        if let Some(stage) = &mut self.specs {
            stage.look_outside(&tell);
        }
        if let Some(stage) = &mut self.tickets {
            stage.look_outside(&tell);
        }
    }

    /// Reads what the dialects would say.
    fn read(&self) -> WorkspaceContents {
        let joined = &self.joined;
        let plans = joined.plans().map(|plan| {
            let changed = self.plans.graph(&plan.path);
            self.plan_as_it_would_be(&plan.path, changed.unwrap_or(&plan.document))
        });
        let features = joined.features().map(|feature| {
            let changed = self.features.list(&feature.path);
            let document = Arc::clone(changed.unwrap_or(&feature.document));
            FeatureTaskList {
                standings: self.standings(&document.list.needs()),
                document,
                ..feature.clone()
            }
        });
        let specs = self.specs.as_ref().map(specs::StagedSpecs::specs);
        let tickets = self.tickets.as_ref().map(tickets::StagedTickets::tickets);
        WorkspaceContents {
            specs: Arc::clone(specs.unwrap_or(&joined.specs)),
            plans: plans.collect(),
            features: features.collect(),
            tickets: tickets.or(joined.tickets.as_ref()).cloned(),
            formats: self.read_formats(),
            problems: joined.problems.clone(),
            at_work: Arc::clone(&joined.at_work),
        }
    }

    fn read_formats(&self) -> Vec<Arc<PlanRoot>> {
        let as_it_would_be = |root: &Arc<PlanRoot>| {
            let word = root.format.scope().word;
            let mut staged = self.formats.iter();
            let staged = staged.find(|(stage, _)| stage.root().format.scope().word == word);
            Arc::clone(staged.map_or(root, |(_, now)| now))
        };
        self.joined.formats().map(as_it_would_be).collect()
    }

    fn plan_as_it_would_be(&self, path: &Arc<str>, document: &Arc<VineDocument>) -> GraphFile {
        let standings = self.standings(&document.plan.needs());
        let knowing = document.with_statuses(&standings);
        GraphFile {
            path: Arc::clone(path),
            document: knowing.map_or_else(|| Arc::clone(document), Arc::new),
        }
    }

    fn standings(&self, keys: &[String]) -> Vec<ExternalStatus> {
        standings(&self.joined, &self.outside, keys)
    }

    /// The folders whose locks are held while the changes are decided and written.
    ///
    /// # Errors
    /// A `StoreError`.
    pub(super) fn gates(&self, workspace: &Workspace) -> Result<Vec<PathBuf>, Error> {
        let mut gates = Vec::new();
        if self.specs.iter().any(|stage| !stage.texts().is_empty()) {
            gates.push(workspace.parts.chant.folder_lock()?);
        }
        for stage in self
            .tickets
            .iter()
            .filter(|stage| !stage.texts().is_empty())
        {
            gates.push(stage.folder_lock()?);
        }
        if self.formats.iter().any(|(stage, _)| stage.changes_folder()) {
            gates.push(workspace.root().to_owned());
        }
        Ok(gates)
    }

    /// The documents on disk that are changed, in the order of their paths.
    pub(super) fn replaced(&self) -> Vec<String> {
        let replaced = self.texts().flat_map(StagedTexts::replaced);
        let mut replaced: Vec<String> = replaced.map(str::to_owned).collect();
        let of_formats = self.formats.iter().flat_map(|(stage, _)| stage.replaced());
        replaced.extend(of_formats.map(|(path, _)| path.to_owned()));
        replaced.sort_unstable();
        replaced
    }

    fn texts(&self) -> impl Iterator<Item = &StagedTexts> {
        let specs = self.specs.iter().map(specs::StagedSpecs::texts);
        specs
            .chain(self.tickets.iter().map(tickets::StagedTickets::texts))
            .chain([self.plans.texts(), self.features.texts()])
    }

    /// Returns the steps that are to be written.
    pub(super) fn steps(&self) -> Vec<ChangeStep> {
        let of_formats = self.formats.iter().flat_map(|(stage, _)| stage.steps());
        self.texts()
            .flat_map(StagedTexts::steps)
            .chain(of_formats)
            .collect()
    }

    /// Does what comes after all is written; gives what was not right and refused nothing.
    pub(super) fn finish(self, workspace: &Workspace) -> Vec<String> {
        self.plans.finish(&workspace.parts.vine);
        let mut warnings = self
            .tickets
            .map_or_else(Vec::new, tickets::StagedTickets::finish);
        warnings.extend(self.features.finish(&workspace.parts.speckit));
        warnings
    }
}

fn no_tickets(workspace: &Workspace) -> Error {
    let why = format!("{} is no ticket project", workspace.root().display());
    NotTransactional {
        what: "A change of a ticket of another project",
        why,
    }
    .into()
}

/// Returns how far items are: those of the workspace as they would be, all others as they are.
fn standings(
    joined: &WorkspaceGraph,
    elsewhere: &ExternalItems,
    keys: &[String],
) -> Vec<ExternalStatus> {
    let standing = |key: &String| {
        let node = joined.graph().find(&key::normal(key));
        let item = node.and_then(|node| joined.item(node));
        let asked = || elsewhere.standings(std::slice::from_ref(key)).pop();
        let unknown = || ExternalStatus::Unknown("it could not be looked up".into());
        item.map(|item| item.standing())
            .or_else(asked)
            .unwrap_or_else(unknown)
    };
    keys.iter().map(standing).collect()
}
