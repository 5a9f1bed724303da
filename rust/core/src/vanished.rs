//! Folders of documents that were there and are not: that is a problem, and no sign of a project without any.

use std::sync::{Mutex, PoisonError};

use crate::git::Repo;
use crate::store::disk::{self, Disk, Stamp};
use crate::store::files::Root;

/// Why a folder that is not there should be; `None` where it never was. `is_ours` says of a name whether
/// it is one of a document.
pub fn evidence(
    repo: Option<&Repo>,
    root: &Root,
    folder: &str,
    was_there: bool,
    is_ours: impl Fn(&str) -> bool,
) -> Option<String> {
    if was_there {
        return Some("it was there a moment ago".into());
    }
    // A repository that cannot be read says nothing, and stands in the way of no answer.
    let names = repo?.names_checked_out(&root.path().join(folder)).ok()?;
    let ours: Vec<&String> = names.iter().filter(|name| is_ours(name)).collect();
    let last = ours.last()?;
    Some(match ours.len() {
        1 => format!("git has `{last}` in it"),
        count => format!("git has {count} of its documents, such as `{last}`"),
    })
}

/// What is wrong, and what can be done, where there is [`evidence`] of a folder.
pub fn problem(what: &str, folder: &str, evidence: &str) -> String {
    format!(
        "the folder of the {what}, `{folder}`, is gone: {evidence}. Bring it back, such as by \
         `git checkout -- {folder}`; if there are to be no {what}, make it empty by `mkdir -p {folder}`"
    )
}

/// Folders of documents that git has in the checkout and that are not there, looked for again only when the folder
/// above them or git's index changed.
#[derive(Debug, Default)]
pub struct MissingFolders(Mutex<Option<SeenFolders>>);

/// What was found, and the stamps of the folder above and of git's index as it was.
#[derive(Debug)]
struct SeenFolders {
    stamps: [Option<Stamp>; 2],
    missing: Vec<String>,
}

impl MissingFolders {
    /// The folders in `above` that are missing, relative to the root; `above` itself where that is. A single document
    /// that is missing is none of them: documents are removed.
    pub fn find(&self, disk: &Disk, repo: &Repo, root: &Root, above: &str) -> Vec<String> {
        let Some(index) = repo.index_file() else {
            return Vec::new();
        };
        let folder = root.path().join(above);
        let stamps = [disk::stamp(&folder), disk::stamp(&index)];
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(seen) = seen.as_ref().filter(|seen| seen.stamps == stamps) {
            return seen.missing.clone();
        }
        let missing = missing(repo, root, above);
        let is_settled =
            |stamp: &Option<Stamp>| stamp.is_none_or(|stamp| disk.is_settled(root.path(), &stamp));
        *seen = stamps.iter().all(is_settled).then(|| SeenFolders {
            stamps,
            missing: missing.clone(),
        });
        missing
    }
}

fn missing(repo: &Repo, root: &Root, above: &str) -> Vec<String> {
    // A repository that cannot be read says nothing, and stands in the way of no answer.
    let in_git = |path: &str| {
        repo.names_checked_out(&root.path().join(path))
            .unwrap_or_default()
    };
    let names = in_git(above);
    if names.is_empty() || !disk::exists(&root.path().join(above)) {
        return names
            .first()
            .map(|_| above.to_owned())
            .into_iter()
            .collect();
    }
    let paths = names.iter().map(|name| format!("{above}/{name}"));
    let gone = paths.filter(|path| !disk::exists(&root.path().join(path)));
    gone.filter(|path| !in_git(path).is_empty()).collect()
}

/// What is wrong where git has a folder that is not there, and what can be done.
pub fn missing_problem(what: &str, folder: &str) -> String {
    format!(
        "the folder of {what}, `{folder}`, is gone, and git has documents in it. Bring it back, such as by \
         `git checkout -- {folder}`; if it is to go, have git know: `git rm -rq --cached {folder}`"
    )
}
