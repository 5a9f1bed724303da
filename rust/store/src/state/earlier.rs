//! State of releases that signed nothing: kept apart, and taken over when a person trusts the folder.

use std::path::{Path, PathBuf};

use super::{StateFolder, StateOwnership, beside, owner, refuse_held, set_aside};
use crate::StoreError;
use crate::disk;

/// The name of the folder as long as it waits for a person, when something had to be written meanwhile.
const EARLIER: &str = "earlier-release";
/// Where the tokens of that release lie then.
pub(super) const TOKENS: &str = "tokens-of-earlier-release";
/// The parts of it that are believed, in its own words and in ours.
const PARTS: [(&str, &str); 4] = [
    ("tokens", TOKENS),
    ("journal", "journal"),
    ("speckit/questions", "speckit/questions"),
    ("speckit", "speckit"),
];

/// Keeps a folder of an earlier release until a person trusts what it belongs to.
pub(super) fn put_by(folder: &Path) -> Result<(), StoreError> {
    refuse_held(folder)?;
    match disk::rename_new(folder, beside(folder, EARLIER)) {
        Err(StoreError::Exists { .. }) => set_aside(folder),
        renamed => renamed,
    }
}

impl StateFolder {
    /// Returns true if there may be something of an earlier release. Nothing is changed by asking.
    pub fn has_earlier(&self) -> bool {
        let Some(folder) = self.place().filter(|_| self.lies_in_repository()) else {
            return false;
        };
        disk::exists(&beside(folder, EARLIER))
            || disk::exists(&folder.join(TOKENS))
            || self.ownership() == StateOwnership::OfEarlierRelease
    }

    /// Makes the state of an earlier release this user's own: a person trusts what it belongs to. Without any,
    /// or a second time, nothing happens. Gives where the tokens of that release lie, if they are there.
    ///
    /// # Errors
    /// `NoState` for a folder with links or files of others in it, or while a process of that release is at a
    /// merge; a `StoreError`.
    pub fn take_over_earlier(&self) -> Result<Option<PathBuf>, StoreError> {
        let (Some(folder), Some(user)) = (self.place(), &self.user) else {
            return Ok(None);
        };
        let is_left = self.lies_in_repository() && disk::exists(&beside(folder, EARLIER));
        if self.ownership() == StateOwnership::OfEarlierRelease || is_left {
            let _turn = self.turn(folder)?;
            if self.ownership() == StateOwnership::OfEarlierRelease {
                put_in_order(folder)?;
                let text = owner::signed(&self.anchor, user)?;
                disk::create_owned(&folder.join(owner::OWNER), &text)?;
            }
            if self.ownership() == StateOwnership::Own && disk::exists(&beside(folder, EARLIER)) {
                self.take_in(&beside(folder, EARLIER))?;
            }
        }
        Ok(self.read(TOKENS).filter(|tokens| disk::exists(tokens)))
    }

    /// Takes in what was kept apart, as far as nothing else is in its place; the rest is set aside.
    fn take_in(&self, earlier: &Path) -> Result<(), StoreError> {
        refuse_strange(earlier)?;
        disk::keep_private(earlier)?;
        for (part, own) in PARTS {
            let from = earlier.join(part);
            if !disk::owned(&from).is_some_and(|facts| facts.is_folder) {
                continue;
            }
            let to = self.ensure(own)?;
            for one in disk::names(&from)? {
                // What is there already is newer.
                let name = match one.name.as_str() {
                    "events.jsonl" if disk::exists(&to.join(&one.name)) => "events.old.jsonl",
                    name => name,
                };
                match disk::rename_new(from.join(&one.name), to.join(name)) {
                    Ok(()) | Err(StoreError::Exists { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        set_aside(earlier)
    }
}

/// Makes a folder fit to be signed: no other user can have a hand in it, and its tokens are kept apart from
/// ours.
fn put_in_order(folder: &Path) -> Result<(), StoreError> {
    refuse_held(folder)?;
    refuse_strange(folder)?;
    disk::keep_private(folder)?;
    let (old, new) = (folder.join("tokens"), folder.join(TOKENS));
    if disk::exists(&old) && !disk::exists(&new) {
        disk::rename_new(&old, &new)?;
    }
    Ok(())
}

/// Refuses a folder with something in it that is a link, or not this user's.
fn refuse_strange(folder: &Path) -> Result<(), StoreError> {
    let refused = |path: &Path, why: &str| StoreError::NoState {
        why: format!(
            "{} is not taken over: {} {why}",
            folder.display(),
            path.display()
        ),
    };
    let mut left = vec![folder.to_owned()];
    while let Some(path) = left.pop() {
        match disk::owned(&path) {
            Some(facts) if !facts.is_own => return Err(refused(&path, "belongs to another user")),
            // A worktree for hooks is git's, with whatever the user keeps in links.
            Some(facts) if facts.is_folder && path != folder.join("merge") => {
                let names = disk::names(&path)?.into_iter();
                left.extend(names.map(|one| path.join(one.name)));
            }
            Some(facts) if facts.is_folder || facts.is_file => {}
            _ => return Err(refused(&path, "is a link")),
        }
    }
    Ok(())
}
