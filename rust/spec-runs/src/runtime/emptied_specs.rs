//! Makes specs again that a loss of power emptied, from the commit that has them whole.

use std::time::{Duration, SystemTime};

use chant_base::error::Error;
use chant_git::Repo;
use chant_specs::project::{ARCHIVE, Project, SPECS};
use chant_store::disk;
use chant_store::journal::ChangeStep;

use super::completion_details::short_commit;
use super::run_folder::in_git;

/// The age from which on an empty file is none that an editor is about to write.
const SETTLED: Duration = Duration::from_secs(2);

/// Makes the emptied specs of a project again; returns a sentence for each, also for one that could not be.
///
/// # Errors
/// A failure to read the repository.
pub(super) fn make_again(project: &Project) -> Result<Vec<String>, Error> {
    let emptied = emptied(project);
    if emptied.is_empty() {
        return Ok(Vec::new());
    }
    let Some(repo) = project.repo()? else {
        return Ok(Vec::new());
    };
    let head = repo.head()?;
    let Some(commit) = head.commit() else {
        return Ok(Vec::new());
    };
    let mut said = Vec::new();
    for path in emptied {
        match make_one(project, &repo, commit, &path) {
            Ok(false) => {}
            Ok(true) => said.push(format!(
                "`{path}` was empty, as a loss of power leaves a file; it was made again as commit {} has it, without what was not committed",
                short_commit(commit)
            )),
            Err(error) => said.push(format!("`{path}` is empty and was not made again: {error}")),
        }
    }
    Ok(said)
}

fn make_one(project: &Project, repo: &Repo, commit: &str, path: &str) -> Result<bool, Error> {
    let whole = repo.file_at(commit, &in_git(project, repo, path)?)?;
    let Some(Ok(text)) = whole.map(String::from_utf8) else {
        return Ok(false);
    };
    if text.is_empty() {
        return Ok(false);
    }
    let is_written = project.change(&[path], |_, texts| {
        let (path, text) = (path.to_owned(), text.clone());
        let step = || vec![ChangeStep::Replace { path, text }];
        Ok(texts[0].is_empty().then(step))
    })?;
    tracing::warn!(%path, commit, is_written, "a spec was empty");
    Ok(is_written)
}

/// Lists the specs without a byte, also archived ones.
fn emptied(project: &Project) -> Vec<String> {
    let mut folders = vec![SPECS.to_owned()];
    let archive = project.root().join(ARCHIVE);
    let days = disk::names(&archive).unwrap_or_default().into_iter();
    folders.extend(
        days.filter(|day| day.is_folder)
            .map(|day| format!("{}/{}", ARCHIVE.trim_end_matches('/'), day.name)),
    );
    let mut found = Vec::new();
    for folder in folders {
        let place = project.root().join(&folder);
        for entry in disk::names(&place).unwrap_or_default() {
            let is_spec = !entry.is_folder && !entry.is_link && entry.name.ends_with(".md");
            let is_empty = |stamp: disk::FileStamp| {
                stamp.size == 0 && stamp.is_older_than(SETTLED, SystemTime::now())
            };
            if is_spec && disk::stamp(&place.join(&entry.name)).is_some_and(is_empty) {
                found.push(format!("{folder}/{}", entry.name));
            }
        }
    }
    found
}
