//! What runs ask of the formats of a folder: orders, judgements and the marks of landings, each by the format of the
//! item's key.

use std::collections::BTreeSet;

use chant_base::error::Error;
use chant_base::external_items::split_key;
use chant_specs::project::Project;
use chant_specs::work_items::{
    ChangedPaths, DocumentText, ItemJudgement, ItemLanding, ItemWork, LandedDocuments, WorkItems,
    WorkOrder,
};

use super::document_work::DocumentWork;
use super::done_items::done_items;
use super::error::WorkspaceError;
use super::formats;
use super::key::{document_format_of, normal};
use super::plan_work::PlanWork;
use super::planning_paths::PlanningPaths;

/// The formats of this crate, for runs.
#[derive(Debug, Clone, Copy)]
pub struct FormatsAtWork;

/// The items of the format of a key.
enum ItemsOf<'a> {
    Plan(PlanWork<'a>),
    Document(DocumentWork<'a>),
}

/// Asks the items of either kind of format the same.
macro_rules! ask {
    ($items:expr, $items_of:ident => $answer:expr) => {
        match $items {
            ItemsOf::Plan($items_of) => $answer,
            ItemsOf::Document($items_of) => $answer,
        }
    };
}

impl<'a> ItemsOf<'a> {
    fn find(project: &'a Project, key: &str) -> Option<Self> {
        let (word, _) = split_key(key.trim())?;
        if let Some(format) = formats::find(word) {
            return Some(Self::Plan(PlanWork { project, format }));
        }
        let format = document_format_of(key.trim())?;
        Some(Self::Document(DocumentWork { project, format }))
    }

    fn of(project: &'a Project, key: &str) -> Result<Self, Error> {
        Self::find(project, key).ok_or_else(|| {
            WorkspaceError::Invalid {
                name: "item",
                given: key.to_owned(),
                expected: "the key of an item that runs work on".into(),
            }
            .into()
        })
    }
}

impl WorkItems for FormatsAtWork {
    fn key_of(&self, project: &Project, name: &str) -> Option<String> {
        Some(match ItemsOf::find(project, name)? {
            ItemsOf::Plan(items) => items.key_of(name.trim()),
            ItemsOf::Document(_) => normal(name.trim()),
        })
    }

    fn order(&self, project: &Project, name: &str) -> Result<WorkOrder, Error> {
        ask!(ItemsOf::of(project, name)?, items => items.order(name))
    }

    fn ready(&self, project: &Project, key: &str) -> Vec<String> {
        match ItemsOf::find(project, key) {
            Some(ItemsOf::Plan(items)) => items.ready(),
            Some(ItemsOf::Document(items)) => {
                let word = split_key(key.trim()).map_or("", |(word, _)| word);
                items.ready(word)
            }
            None => Vec::new(),
        }
    }

    fn judge(&self, project: &Project, work: &ItemWork<'_>) -> Result<ItemJudgement, Error> {
        ask!(ItemsOf::of(project, work.key)?, items => items.judge(work))
    }

    fn told_documents(
        &self,
        project: &Project,
        changed: &ChangedPaths<'_>,
    ) -> Result<BTreeSet<String>, Error> {
        let planning = PlanningPaths::in_commit(project.root(), changed.base)?;
        let told = changed.paths.iter();
        let told = told.filter(|path| planning.is_told(path, changed.by_item_run));
        Ok(told.map(|path| (*path).to_owned()).collect())
    }

    fn plan_documents(
        &self,
        project: &Project,
        commit: &str,
        paths: &[&str],
    ) -> Result<BTreeSet<String>, Error> {
        let planning = PlanningPaths::in_commit(project.root(), commit)?;
        let is_plan = |path: &&&str| planning.is_told(path, false) || planning.is_of_tools(path);
        let plans = paths.iter().filter(is_plan);
        Ok(plans.map(|path| (*path).to_owned()).collect())
    }

    fn is_done_in(&self, project: &Project, key: &str, commit: &str) -> Result<bool, Error> {
        Ok(match ItemsOf::of(project, key)? {
            ItemsOf::Plan(items) => items
                .find_in_commit(key, commit)?
                .is_some_and(|found| items.is_done(&found)),
            ItemsOf::Document(items) => items
                .find_in_commit(key, commit)?
                .is_some_and(|found| items.is_done(key, &found)),
        })
    }

    fn done_items(
        &self,
        project: &Project,
        commit: &str,
        paths: &[&str],
    ) -> Result<BTreeSet<String>, Error> {
        done_items(project.root(), commit, paths)
    }

    fn landed_in(
        &self,
        project: &Project,
        landing: &ItemLanding<'_>,
        commit: &str,
    ) -> Result<LandedDocuments, Error> {
        ask!(ItemsOf::of(project, landing.key)?, items => items.landed_in(landing, commit))
    }

    fn landed_on_disk(&self, project: &Project, landing: &ItemLanding<'_>) -> LandedDocuments {
        match ItemsOf::of(project, landing.key) {
            Ok(items) => ask!(items, items => items.landed_on_disk(landing)),
            Err(error) => LandedDocuments::NeedsPerson(error.to_string()),
        }
    }
}

/// Items whose documents get the marks of landings: those of plans, and those of formats with tools of their own.
pub(super) trait MarkedItems {
    /// An item with its documents.
    type Found;

    /// The project.
    fn project(&self) -> &Project;

    /// # Errors
    /// A failure of git.
    fn find_in_commit(&self, key: &str, commit: &str) -> Result<Option<Self::Found>, Error>;

    fn find_on_disk(&self, key: &str) -> Option<Self::Found>;

    /// The path of an item's document, from the root.
    fn path<'f>(&self, found: &'f Self::Found) -> &'f str;

    /// The documents of an item with the marks of a landing.
    ///
    /// # Errors
    /// The reason why a person has to look.
    fn mark(
        &self,
        found: &Self::Found,
        landing: &ItemLanding<'_>,
    ) -> Result<Vec<DocumentText>, String>;

    /// # Errors
    /// A failure of git.
    fn landed_in(&self, landing: &ItemLanding<'_>, commit: &str) -> Result<LandedDocuments, Error> {
        let key = landing.key;
        if let Some(found) = self.find_in_commit(key, commit)? {
            return Ok(self.outcome(&found, landing));
        }
        if commit != landing.base && self.find_in_commit(key, landing.base)?.is_some() {
            return Ok(gone(key));
        }
        let project = self.project();
        if let (Some(found), Some(repo)) = (self.find_on_disk(key), project.repo()?)
            && repo.is_tracked(&project.root().join(self.path(&found)))?
        {
            let why = format!("{key} is not committed");
            return Ok(LandedDocuments::NeedsPerson(why));
        }
        Ok(LandedDocuments::Marked(Vec::new()))
    }

    fn landed_on_disk(&self, landing: &ItemLanding<'_>) -> LandedDocuments {
        match self.find_on_disk(landing.key) {
            Some(found) => self.outcome(&found, landing),
            None => gone(landing.key),
        }
    }

    fn outcome(&self, found: &Self::Found, landing: &ItemLanding<'_>) -> LandedDocuments {
        match self.mark(found, landing) {
            Ok(texts) => LandedDocuments::Marked(texts),
            Err(why) => LandedDocuments::NeedsPerson(why),
        }
    }
}

fn gone(key: &str) -> LandedDocuments {
    LandedDocuments::NeedsPerson(format!("{key} is not there any more"))
}
