//! What runs ask of the formats of a folder: orders, judgements and the marks of landings, each by the format of the
//! item's key.

use chant_base::error::Error;
use chant_base::external_items::split_key;
use chant_specs::project::Project;
use chant_specs::work_items::{
    DocumentText, ItemJudgement, ItemLanding, ItemWork, WorkItems, WorkOrder,
};

use super::error::WorkspaceError;
use super::formats;
use super::plan_work::PlanWork;

/// The formats of this crate, for runs.
#[derive(Debug, Clone, Copy)]
pub struct FormatsAtWork;

impl FormatsAtWork {
    fn plan_work<'a>(project: &'a Project, key: &str) -> Result<PlanWork<'a>, Error> {
        let format = split_key(key).and_then(|(word, _)| formats::find(word));
        let format = format.ok_or_else(|| WorkspaceError::Invalid {
            name: "item",
            given: key.to_owned(),
            expected: "an item of a format that runs work on".into(),
        })?;
        Ok(PlanWork { project, format })
    }
}

impl WorkItems for FormatsAtWork {
    fn key_of(&self, project: &Project, name: &str) -> Option<String> {
        let (word, _) = split_key(name.trim())?;
        let format = formats::find(word)?;
        Some(PlanWork { project, format }.key_of(name.trim()))
    }

    fn order(&self, project: &Project, name: &str) -> Result<WorkOrder, Error> {
        Self::plan_work(project, name)?.order(name)
    }

    fn judge(&self, project: &Project, work: &ItemWork<'_>) -> Result<ItemJudgement, Error> {
        Self::plan_work(project, work.key)?.judge(work)
    }

    fn landed_in(
        &self,
        project: &Project,
        landing: &ItemLanding<'_>,
        commit: &str,
    ) -> Result<Result<Vec<DocumentText>, String>, Error> {
        Self::plan_work(project, landing.key)?.landed_in(landing, commit)
    }

    fn landed_on_disk(
        &self,
        project: &Project,
        landing: &ItemLanding<'_>,
    ) -> Result<Result<Vec<DocumentText>, String>, Error> {
        Self::plan_work(project, landing.key)?.landed_on_disk(landing)
    }
}
