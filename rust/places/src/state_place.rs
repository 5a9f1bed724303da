//! Where our own state of a folder lies, as git and the user say.

use chant_git::Repo;
use chant_git::registration::CheckoutRegistration;
use chant_store::disk::Disk;
use chant_store::files::RootFolder;
use chant_store::state::{CheckoutName, GitLocation, StateFolder};

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
