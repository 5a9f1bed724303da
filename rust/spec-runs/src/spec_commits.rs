//! The commits by which a spec was worked on.

use chant_base::error::Error;
use chant_git::bookkeeping::WorkQuery;
use chant_git::tags::Commit;
use chant_git::{HistoryStart, Repo};
use chant_specs::model::Spec;
use chant_specs::project::Project;
use chant_work::run_record::RunRecord;

use super::project::ProjectRuns;

/// Returns the commits of a spec, oldest first: those whose message has `tag` on its branch, else those in what is checked
/// out, else those that its newest run or a person added on the branch of that run, whatever their messages say.
///
/// # Errors
/// A failure to read the repository or the records.
pub(super) fn commits_of_spec(
    project: &Project,
    repo: &Repo,
    spec: &Spec,
    branch: &str,
    tag: &str,
) -> Result<Vec<Commit>, Error> {
    let has_branch = matches!(repo.branch_tip(branch), Ok(Some(_)));
    for tip in [
        has_branch.then_some(HistoryStart::Branch(branch)),
        Some(HistoryStart::Head),
    ]
    .into_iter()
    .flatten()
    {
        let mut commits = repo.tagged(tip, spec.id.as_str())?;
        commits.retain(|commit| commit.message.contains(tag));
        if !commits.is_empty() {
            return Ok(commits);
        }
    }
    let newest = project.runs()?.newest_of(spec.id.as_str())?;
    let Some(record) = newest.filter(RunRecord::works_on_spec) else {
        return Ok(Vec::new());
    };
    // A spec that was reset is not worked on any more, though its commits are kept.
    let has_landed = record.merge.commit.is_some();
    let mut ids = if has_landed {
        record.merge.landed_for(&record.commits).to_vec()
    } else {
        Vec::new()
    };
    // A branch that stayed after it was squashed or rewritten has no commits of the target.
    if let (Some(branch), Some(base)) = (&record.branch, &record.base)
        && record.merge.landed.is_empty()
        && matches!(repo.branch_tip(branch), Ok(Some(_)))
    {
        let target = record.target.as_deref();
        let target = target.filter(|target| matches!(repo.branch_tip(target), Ok(Some(_))));
        let work = repo.evidence(&WorkQuery {
            branch,
            base,
            target: target.filter(|_| !has_landed),
            besides: &[],
        })?;
        if work.is_work {
            ids = work.commits.into_iter().map(|commit| commit.id).collect();
        }
    }
    Ok(repo.commits_named(&ids)?)
}
