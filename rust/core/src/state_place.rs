//! Where our own state of a folder lies, as git and the user say.

use crate::git::Repo;
use crate::git::registration::CheckoutRegistration;
use crate::store::disk::Disk;
use crate::store::files::RootFolder;
use crate::store::state::{CheckoutName, GitLocation, StateFolder};

/// The folder for our own state of a project.
pub fn state_of(root: &RootFolder, repo: Option<&Repo>, disk: &Disk) -> StateFolder {
    let place = repo.map(|repo| GitLocation {
        common: repo.common_dir().to_owned(),
        top: repo.checkout().map(ToOwned::to_owned),
        checkout: match repo.registration() {
            CheckoutRegistration::Main => Some(CheckoutName::Main),
            CheckoutRegistration::Linked(name) => Some(CheckoutName::Linked(name)),
            CheckoutRegistration::Unknown => None,
        },
    });
    StateFolder::of(root, place.as_ref(), disk.user_state.as_ref())
}
