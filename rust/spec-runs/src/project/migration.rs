//! Takes over the state of earlier releases, once, when a person trusts the folder.

use std::path::Path;

use super::ProjectRuns;
use super::logs::log_name;
use super::worktree_folder;
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_specs::project::Project;
use chant_store::disk;
use chant_work::mirror::RECORDS;
use chant_work::run_record::RunRecord;

/// Says among the records of a checkout that those of the earlier release were looked through.
const DONE: &str = ".taken-over";
/// Bytes of a token's file that are read.
const MAX_SIZE: u64 = 64;

/// Takes over the state of an earlier release: a person trusts the folder. The newest run of each spec is
/// ours from then on, if its record passes every check and has the spec's token; everything else is history.
/// Nothing happens a second time. Gives how many runs were taken over.
///
/// # Errors
/// What is in the way of the state itself; a `StoreError`.
pub fn take_over_earlier_release(project: &Project) -> Result<usize, Error> {
    let Some(tokens) = project.state()?.take_over_earlier()? else {
        return Ok(0);
    };
    let runs = project.runs()?;
    let done = runs.ensure_folder()?.join(DONE);
    if disk::exists(&done) {
        return Ok(0);
    }
    let mut taken = 0;
    for record in records_of_earlier(project, &tokens) {
        let log = project.root.locate(&log_name(&record.spec_id));
        if runs.take_in(&record, log.ok().as_deref())? {
            taken += 1;
            mark_worktree(project, &record);
        }
    }
    match disk::create_owned(&done, "") {
        // Another process came first.
        Ok(()) | Err(chant_store::StoreError::Exists { .. }) => Ok(taken),
        Err(error) => Err(error.into()),
    }
}

/// The records in the project that have their spec's token.
fn records_of_earlier(project: &Project, tokens: &Path) -> Vec<RunRecord> {
    let folder = project.root.path().join(RECORDS);
    if disk::real(&folder).ok().as_deref() != Some(&folder) {
        return Vec::new();
    }
    let names = disk::names(&folder).unwrap_or_default().into_iter();
    let records = names.filter_map(|one| {
        let path = folder.join(&one.name);
        disk::owned(&path).filter(|facts| facts.is_file && facts.is_own)?;
        let (text, _) = project.disk.read_text(&path, &one.name).ok()?;
        let record = RunRecord::believed(&one.name, &text).ok()?;
        let token = disk::read_owned(&tokens.join(&record.spec_id), MAX_SIZE).ok()?;
        let is_newest = token.trim().parse() == Ok(record.token);
        (is_newest && record.works_on_spec()).then_some(record)
    });
    records.collect()
}

/// Says beside a worktree whose it is, if it is the one that the run would be given now.
fn mark_worktree(project: &Project, record: &RunRecord) {
    let listed = || {
        let (snapshot, repo) = (project.snapshot().ok()?, project.repo().ok()??);
        let site =
            worktree_folder::WorktreeFolder::of(project, &*snapshot.config.clone().ok()?, &repo)
                .ok()?;
        let branch = snapshot.own_branch_of(&record.spec_id);
        let trees = repo.worktrees().ok()?.into_iter();
        let mut ours = trees.filter(|tree| !tree.is_main && !tree.prunable);
        let tree = ours.find(|tree| tree.branch.as_deref() == Some(&*branch))?;
        site.may_be_of(&tree.path, &record.spec_id)
            .then_some(tree.path)
    };
    if let Some(path) = listed() {
        // Without the mark it is not removed, which is reported to a person.
        worktree_folder::write_run_mark(project, &path, &record.process_id, &record.spec_id)
            .log_failure("mark the worktree of an earlier release");
    }
}
