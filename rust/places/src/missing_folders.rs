//! Folders of documents that were there and are not: that is a problem, and no sign of a project without any.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use chant_git::Repo;
use chant_store::disk::{self, Disk, FileStamp, TICK};
use chant_store::files::RootFolder;

/// Why a folder that is not there should be; `None` where it never was. `is_ours` says of a name whether
/// it is one of a document.
pub fn evidence_of_loss(
    repo: Option<&Repo>,
    root: &RootFolder,
    folder: &str,
    was_there: bool,
    is_ours: impl Fn(&str) -> bool,
) -> Option<String> {
    if was_there {
        return Some("it was there a moment ago".into());
    }
    // A repository that cannot be read says nothing, and blocks no answer.
    let names = repo?.names_checked_out(&root.path().join(folder)).ok()?;
    let ours: Vec<&String> = names.iter().filter(|name| is_ours(name)).collect();
    let last = ours.last()?;
    Some(match ours.len() {
        1 => format!("git has `{last}` in it"),
        count => format!("git has {count} of its documents, such as `{last}`"),
    })
}

/// Returns the message that says what is wrong, and what can be done, where there is [`evidence_of_loss`] of a
/// folder.
pub fn loss_message(what: &str, folder: &str, evidence: &str) -> String {
    format!(
        "the folder of the {what}, `{folder}`, is gone: {evidence}. Bring it back, such as by \
         `git checkout -- {folder}`; if there are to be no {what}, make it empty by `mkdir -p {folder}`"
    )
}

/// Folders of documents that git has in the checkout and that are not there, looked for again only when the folder
/// above them or git's index changed.
#[derive(Debug, Default)]
pub struct MissingFolders(Mutex<Option<MissingSnapshot>>);

/// The result of a look, and the stamps of the folder above and of git's index as it was.
#[derive(Debug)]
struct MissingSnapshot {
    root: RootFolder,
    folder: Option<FileStamp>,
    index: Option<FileStamp>,
    /// True if both stamps show later changes.
    is_settled: bool,
    missing: Vec<String>,
    at: Instant,
}

impl MissingFolders {
    /// The folders in `above` that are missing, relative to the root; `above` itself where that is. A single document
    /// that is missing is none of them: documents are removed. While nothing is missing, git is asked again only when
    /// the folder above changed, or after a moment.
    pub fn find(
        &self,
        disk: &Disk,
        root: &RootFolder,
        above: &str,
        repo: impl FnOnce() -> Option<Arc<Repo>>,
    ) -> Vec<String> {
        let folder = disk::stamp(&root.path().join(above));
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = seen
            .as_ref()
            .filter(|seen| seen.folder == folder && seen.root == *root);
        if known.is_some_and(|seen| seen.missing.is_empty() && seen.at.elapsed() < TICK) {
            return Vec::new();
        }
        let Some(repo) = repo() else {
            return Vec::new();
        };
        let index = repo.index_file().and_then(|index| disk::stamp(&index));
        if let Some(seen) = seen.as_mut()
            && seen.is_settled
            && (&seen.root, seen.folder, seen.index) == (root, folder, index)
        {
            seen.at = Instant::now();
            return seen.missing.clone();
        }
        let missing = missing(&repo, root, above);
        let is_settled = |stamp: Option<FileStamp>| {
            stamp.is_none_or(|stamp| disk.is_settled(root.path(), &stamp))
        };
        *seen = Some(MissingSnapshot {
            root: root.clone(),
            folder,
            index,
            is_settled: is_settled(folder) && is_settled(index),
            missing: missing.clone(),
            at: Instant::now(),
        });
        missing
    }
}

fn missing(repo: &Repo, root: &RootFolder, above: &str) -> Vec<String> {
    // A repository that cannot be read says nothing, and blocks no answer.
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

/// Returns the message that says what is wrong where git has a folder that is not there, and what can be done.
pub fn missing_problem(what: &str, folder: &str) -> String {
    format!(
        "the folder of {what}, `{folder}`, is gone, and git has documents in it. Bring it back, such as by \
         `git checkout -- {folder}`; if it is to go, have git know: `git rm -rq --cached {folder}`"
    )
}
