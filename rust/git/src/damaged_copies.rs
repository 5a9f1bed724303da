//! Copies of a remote's refs that a crash of the machine or a failing disk left damaged.
//!
//! Git refuses to fetch while one ref of ours names what is not there, or says nothing: it takes the whole
//! repository for broken. The copies are only a memory of the last look, so they may go.

#![expect(
    clippy::disallowed_methods,
    reason = "a damaged ref is a file that git itself does not remove"
)]

use std::fs;
use std::io;
use std::path::Path;

use super::index::failed;
use super::{GitError, Repo};

impl Repo {
    /// Removes the copies in a folder of refs, which ends with a slash, if one of them is damaged: its file
    /// names no object, or one that is not here. The next fetch makes them again. Returns whether one was.
    ///
    /// # Errors
    /// A failure to read the repository, or to remove them.
    pub fn forget_damaged_copies(&self, folder: &str) -> Result<bool, GitError> {
        let files = self.common_dir().join(folder);
        let mut is_damaged = !self.are_refs(&files)?;
        if is_damaged {
            // Git does not remove a ref that it cannot read.
            fs::remove_dir_all(&files)
                .map_err(|error| failed("remove damaged copies", &files, &error))?;
        }
        let kept = self.refs_below(folder)?;
        for (_, object) in &kept {
            is_damaged |= !self.has_object(object)?;
        }
        if is_damaged {
            for (name, object) in &kept {
                self.remove_ref(&format!("{folder}{name}"), object)?;
            }
        }
        Ok(is_damaged)
    }

    /// Returns true if every file below a folder of refs names an object that is here; locks count for none.
    fn are_refs(&self, folder: &Path) -> Result<bool, GitError> {
        let entries = match folder.read_dir() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
            entries => entries.map_err(|error| failed("read copies", folder, &error))?,
        };
        for entry in entries.flatten() {
            let path = entry.path();
            let is_lock = path.extension().is_some_and(|ending| ending == "lock");
            let is_whole = match entry.file_type() {
                Ok(kind) if kind.is_dir() => self.are_refs(&path)?,
                Ok(_) if is_lock => true,
                // One that is gone meanwhile is not damaged.
                Ok(_) => fs::read_to_string(&path).map_or(!path.exists(), |text| {
                    self.has_object(text.trim_end()).unwrap_or(false)
                }),
                Err(_) => true,
            };
            if !is_whole {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
