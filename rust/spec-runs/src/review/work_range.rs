//! The commits that a review is about: those of the work, without what its target brought along.

use std::sync::Arc;

use crate::project::ProjectRuns;
use chant_base::error::Error;
use chant_git::Repo;
use chant_specs::error::ChantError;
use chant_specs::model::Spec;
use chant_specs::project::Project;
use chant_work::run_record::RunRecord;

/// The work on a spec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WorkRange {
    /// The commit that it is compared with.
    pub base: String,
    /// Its newest commit.
    pub tip: String,
    /// Its branch; `None` once it has landed.
    pub branch: Option<String>,
}

impl WorkRange {
    /// Returns the work of the newest run on a spec that has some; `None` without any.
    ///
    /// # Errors
    /// A failure to read records or the repository.
    pub(crate) fn of(
        project: &Project,
        repo: Option<&Arc<Repo>>,
        spec: &Spec,
    ) -> Result<Option<Self>, Error> {
        let Some(repo) = repo else { return Ok(None) };
        let mut records = project.runs()?.of_spec(spec.id.as_str())?;
        records.sort_by_key(|record| std::cmp::Reverse(record.token));
        for record in &records {
            if let Some(found) = of_record(repo, record)? {
                return Ok(Some(found));
            }
        }
        let branch = project.snapshot()?.branch_of(spec);
        let Some(tip) = repo.branch_tip(&branch)? else {
            return Ok(None);
        };
        let head = repo.commit("HEAD")?;
        let base = repo.merge_base(&head, &tip)?.filter(|base| *base != tip);
        Ok(base.map(|base| Self {
            base,
            tip,
            branch: Some(branch),
        }))
    }

    /// Returns the work of a spec.
    ///
    /// # Errors
    /// As [`WorkRange::of`]; `Refused` without any work.
    pub(crate) fn needed(
        project: &Project,
        repo: Option<&Arc<Repo>>,
        spec: &Spec,
    ) -> Result<Self, Error> {
        Self::of(project, repo, spec)?.ok_or_else(|| {
            let message = format!(
                "Spec '{}' has no work yet: no run left a branch. Comment on the spec itself, or on one of its criteria.",
                spec.id
            );
            ChantError::Refused(message).into()
        })
    }
}

fn of_record(repo: &Repo, record: &RunRecord) -> Result<Option<WorkRange>, Error> {
    if let Some(commit) = &record.merge.commit {
        let tried = record.merge.begun.iter().find(|tried| tried.new == *commit);
        if let Some(tried) = tried
            && repo.has_object(commit)?
            && repo.has_object(&tried.old)?
        {
            return Ok(Some(WorkRange {
                base: tried.old.clone(),
                tip: commit.clone(),
                branch: None,
            }));
        }
    }
    let (Some(branch), Some(begun)) = (&record.branch, &record.base) else {
        return Ok(None);
    };
    let Some(tip) = repo.branch_tip(branch)? else {
        return Ok(None);
    };
    // What the target brought into the branch is no part of the work.
    let target = match &record.target {
        Some(target) => repo.branch_tip(target)?,
        None => None,
    };
    let merged = match target {
        Some(target) => repo.merge_base(&target, &tip)?,
        None => None,
    };
    let base = match merged {
        Some(merged) if merged != tip && repo.reaches(&merged, begun)? => merged,
        _ => begun.clone(),
    };
    Ok(Some(WorkRange {
        base,
        tip,
        branch: Some(branch.clone()),
    }))
}
