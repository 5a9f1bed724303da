//! Folders of documents that were there and are not: that is a problem, and no sign of a project without any.

use crate::git::Repo;
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
