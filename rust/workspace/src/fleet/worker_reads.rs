//! Repositories as a worker of a cluster reads them for others: what goes back is a text, and data there.

use std::path::{Path, PathBuf};

use super::{
    FleetPlace, FoundTip, LIMITS, ReceiptPlace, guarded, listed_clones, read_commit, result_name,
};
use chant_base::error::Error;
use chant_git::GitError;
use chant_git::data_repository::{DataRepository, RepositoryTip};

/// A repository as it travels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryText {
    /// The full ID of the commit in HEAD.
    pub commit: String,
    /// The name under which what it holds is kept.
    pub result: String,
    /// The items of the commit; `None` where they were not asked for.
    pub items: Option<String>,
}

/// Brings the clone of an address in a cache folder up to date, and gives its folder.
///
/// # Errors
/// A sentence.
pub fn update_clone(address: &str, cache: &Path) -> Result<PathBuf, String> {
    listed_clones::update_one(address, cache)
}

/// Reads the newest commit of the repository in a folder, and what it holds if that is wanted. With `within` it has
/// to lie in one of these folders, wherever its files lead.
///
/// # Errors
/// A sentence.
pub fn read_repository(
    folder: &Path,
    within: Option<&[PathBuf]>,
    with_items: bool,
    receipts: ReceiptPlace,
) -> Result<RepositoryText, String> {
    guarded(|| {
        if let Some(within) = within {
            refuse_elsewhere(folder, within)?;
        }
        let tip = RepositoryTip::read(folder, receipts.refs, LIMITS)?;
        let found = FoundTip {
            place: FleetPlace::Folder(folder.to_owned()),
            folder: folder.to_owned(),
            result: result_name(&tip),
            tip,
        };
        let items = with_items.then(|| read_commit(&found, receipts));
        let items = items
            .transpose()?
            .map(|items| serde_json::to_string(&items));
        Ok(RepositoryText {
            commit: found.tip.commit,
            result: found.result,
            items: items
                .transpose()
                .map_err(|error| unfit(folder, error.to_string()))?,
        })
    })
}

/// Refuses a repository that lies elsewhere: the file `.git` of a folder may lead anywhere.
fn refuse_elsewhere(folder: &Path, within: &[PathBuf]) -> Result<(), Error> {
    let own = DataRepository::open(folder, LIMITS)?.own_folders()?;
    let is_offered = |own: &PathBuf| within.iter().any(|offered| own.starts_with(offered));
    if own.iter().all(is_offered) {
        return Ok(());
    }
    Err(unfit(
        folder,
        "it lies where this machine offers no reading".to_owned(),
    ))
}

fn unfit(folder: &Path, why: String) -> Error {
    let path = folder.to_owned();
    GitError::Unfit { path, why }.into()
}
