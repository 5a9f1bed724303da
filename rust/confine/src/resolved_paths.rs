//! Finds the real places of paths while one policy is made. The paths of a policy share most of
//! their folders, so each folder is looked at once.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use chant_store::disk;

/// The places that were found so far. The disk is not asked again, so it serves one policy only.
#[derive(Debug, Default)]
pub(super) struct ResolvedPaths {
    known: RefCell<HashMap<PathBuf, Option<PathBuf>>>,
}

impl ResolvedPaths {
    /// Returns the target of a path; `None` when it leads nowhere.
    pub(super) fn target(&self, path: &Path) -> Option<PathBuf> {
        if let Some(known) = self.known.borrow().get(path) {
            return known.clone();
        }
        let found = self.find(path);
        self.known
            .borrow_mut()
            .insert(path.to_owned(), found.clone());
        found
    }

    /// Returns the target of a path, or the path itself if it leads nowhere.
    pub(super) fn real(&self, path: &Path) -> PathBuf {
        self.target(path).unwrap_or_else(|| self.place(path))
    }

    /// Returns a path with a resolved folder, while its last name may be that of a link.
    pub(super) fn place(&self, path: &Path) -> PathBuf {
        let place = || Some(self.target(path.parent()?)?.join(path.file_name()?));
        place().unwrap_or_else(|| path.to_owned())
    }

    fn find(&self, path: &Path) -> Option<PathBuf> {
        // Elsewhere the system may write a name in another way, as with other capital letters.
        if !cfg!(target_os = "linux") || path.file_name().is_none() {
            return disk::real(path).ok();
        }
        let place = self.target(path.parent()?)?.join(path.file_name()?);
        if disk::is_link(&place) {
            return disk::real(&place).ok();
        }
        disk::stamp_of_itself(&place).map(|_| place)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_that_which_the_system_names() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        disk::make_folders(&at("a/b")).unwrap();
        disk::create_owned(&at("a/file"), "").unwrap();
        disk::make_link(Path::new("a"), &at("to_folder")).unwrap();
        disk::make_link(Path::new("../file"), &at("a/b/to_file")).unwrap();
        disk::make_link(Path::new("nowhere"), &at("broken")).unwrap();
        disk::make_link(Path::new("round"), &at("round")).unwrap();
        let paths = ResolvedPaths::default();
        for name in [
            "a/b", "a/b/", "a/./b", "a/file", "a/file/below", "a/b/..", "a/b/../file", "to_folder",
            "to_folder/b", "to_folder/../a", "to_folder/b/to_file", "a/b/to_file/below", "broken",
            "broken/below", "round/below", "gone", "gone/below",
        ] {
            let path = at(name);
            for _ in 0..2 {
                assert_eq!(paths.target(&path), disk::real(&path).ok(), "{name}");
            }
        }
        assert_eq!(paths.target(Path::new("/")), Some("/".into()));
        assert_eq!(paths.real(&at("to_folder/gone")), at("a/gone"));
        assert_eq!(paths.place(&at("to_folder/b/to_file")), at("a/b/to_file"));
        assert_eq!(paths.real(&at("gone/below")), at("gone/below"));
    }
}
