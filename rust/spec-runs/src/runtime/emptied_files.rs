//! Makes specs and the configuration again that a loss of power emptied, from the commit that has them whole.

use std::path::Path;
use std::time::{Duration, SystemTime};

use chant_base::error::Error;
use chant_specs::project::{ARCHIVE, Project, SPECS};
use chant_store::disk;
use chant_store::journal::ChangeStep;

use super::completion_details::short_commit;
use super::run_folder::in_git;

/// The age from which on an empty file is none that an editor is about to write.
const SETTLED: Duration = Duration::from_secs(2);

/// The configuration of a project.
const CONFIG: &str = ".chant/config.md";

/// Makes all emptied files of a project again; returns a sentence for each, also for one that could not be.
pub(super) fn make_all_again(project: &Project) -> Vec<String> {
    let mut said = Vec::new();
    for path in find(project) {
        let made = whole(project, &path).and_then(|whole| match whole {
            Some((commit, _)) => make_again(project, &path).map(|made| made.then_some(commit)),
            None => Ok(None),
        });
        match made {
            Ok(None) => {}
            Ok(Some(commit)) => said.push(format!(
                "`{path}` was empty, as a loss of power leaves a file; it was made again as commit {} has it, without what was not committed",
                short_commit(&commit)
            )),
            Err(error) => said.push(format!("`{path}` is empty and was not made again: {error}")),
        }
    }
    said
}

/// Returns the newest commit and its text of a file; `None` where it has none.
///
/// # Errors
/// A failure to read the repository.
pub(crate) fn whole(project: &Project, path: &str) -> Result<Option<(String, String)>, Error> {
    let Some(repo) = project.repo()? else {
        return Ok(None);
    };
    let head = repo.head()?;
    let Some(commit) = head.commit() else {
        return Ok(None);
    };
    let found = repo.file_at(commit, &in_git(project, &repo, path)?)?;
    let text = found.and_then(|found| String::from_utf8(found).ok());
    let text = text.filter(|text| !text.is_empty());
    Ok(text.map(|text| (commit.to_owned(), text)))
}

/// Makes an emptied file again; returns false if it is not empty any more, or no commit has it.
///
/// # Errors
/// A failure to read the repository or to write the file.
pub(crate) fn make_again(project: &Project, path: &str) -> Result<bool, Error> {
    let Some((commit, text)) = whole(project, path)? else {
        return Ok(false);
    };
    let is_written = project.change(&[path], |_, texts| {
        let (path, text) = (path.to_owned(), text.clone());
        let step = || vec![ChangeStep::Replace { path, text }];
        Ok(texts[0].is_empty().then(step))
    })?;
    tracing::warn!(%path, commit, is_written, "a file was empty");
    Ok(is_written)
}

/// Lists the specs without a byte, archived ones too, and an empty configuration.
pub(crate) fn find(project: &Project) -> Vec<String> {
    let mut folders = vec![SPECS.to_owned()];
    let days = disk::names(&project.root().join(ARCHIVE)).unwrap_or_default();
    let days = days.into_iter().filter(|day| day.is_folder);
    folders.extend(days.map(|day| format!("{ARCHIVE}/{}", day.name)));
    let is_empty = |path: &String| {
        let stamp = disk::stamp(&project.root().join(path));
        stamp.is_some_and(|it| it.size == 0 && it.is_older_than(SETTLED, SystemTime::now()))
    };
    let mut found: Vec<String> = Vec::new();
    for folder in folders {
        for entry in disk::names(&project.root().join(&folder)).unwrap_or_default() {
            let path = format!("{folder}/{}", entry.name);
            let is_document = Path::new(&path)
                .extension()
                .is_some_and(|ending| ending == "md");
            if !entry.is_folder && !entry.is_link && is_document {
                found.push(path);
            }
        }
    }
    found.push(CONFIG.to_owned());
    found.retain(is_empty);
    found
}
