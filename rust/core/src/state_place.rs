//! Where our own state of a folder lies, as git and the user say.

use crate::git::Repo;
use crate::git::registered::Registration;
use crate::store::disk::Disk;
use crate::store::files::Root;
use crate::store::state::{CheckoutName, GitPlace, StateFolder};

/// The folder for our own state of a project.
pub fn state_of(root: &Root, repo: Option<&Repo>, disk: &Disk) -> StateFolder {
    let place = repo.map(|repo| GitPlace {
        common: repo.common_dir().to_owned(),
        top: repo.checkout().map(ToOwned::to_owned),
        checkout: match repo.registration() {
            Registration::Main => Some(CheckoutName::Main),
            Registration::Linked(name) => Some(CheckoutName::Linked(name)),
            Registration::Unknown => None,
        },
    });
    StateFolder::of(root, place.as_ref(), disk.user_state.as_ref())
}
