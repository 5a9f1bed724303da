//! Where documents may lie: a file below a root is opened in one step, so that what changes places between a look and
//! the opening leads nowhere else.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::beneath::{OpenOutcome, OpenedWay, open_beneath, open_plain};
use super::opened_place::place_of;
use super::{FileStamp, open_without_waiting};
use crate::files::is_gits;

/// The number of times a path is resolved again that leads elsewhere each time.
const MAX_ATTEMPTS: usize = 10;

/// The way links are followed where files are read.
#[derive(Debug, Clone, Default)]
pub struct OpenBounds {
    /// The folder below which files are read, links followed to what lies below it, too.
    root: Option<Arc<Path>>,
    /// No link below is followed at all.
    without_links: Option<Arc<Path>>,
    /// The way to the root, open for many reads.
    way: Option<Arc<OpenedWay>>,
}

impl OpenBounds {
    /// The same bounds with another root, which is real.
    #[must_use]
    pub(super) fn within(self, root: &Path) -> Self {
        Self {
            root: Some(root.into()),
            way: None,
            ..self
        }
    }

    /// The same bounds without a root.
    #[must_use]
    pub(super) fn anywhere(self) -> Self {
        Self {
            root: None,
            way: None,
            ..self
        }
    }

    /// The same bounds for many reads of one moment: the way to the root is gone once for all of them.
    #[must_use]
    pub(super) fn for_many_reads(&self) -> Self {
        // Where it cannot be opened, each read says so for itself.
        let way = self
            .root
            .as_deref()
            .and_then(|root| OpenedWay::to(root).ok());
        Self {
            way: way.map(Arc::new),
            ..self.clone()
        }
    }

    /// The same bounds, which follow no link below a folder, which is real.
    #[must_use]
    pub(super) fn without_links_in(self, folder: &Path) -> Self {
        Self {
            without_links: Some(folder.into()),
            ..self
        }
    }

    /// Opens a file for reading; never waits on a pipe. What lies outside of all bounds is opened as it is.
    ///
    /// # Errors
    /// As the system says; for a link that leads out of the root, or lies where none is followed.
    pub fn open(&self, path: &Path) -> io::Result<File> {
        let holds = |folder: &Option<Arc<Path>>| {
            let folder = folder.as_ref();
            folder.filter(|folder| path.starts_with(folder)).cloned()
        };
        match (holds(&self.without_links), holds(&self.root)) {
            (Some(folder), _) => open_beneath(&folder, path),
            (None, Some(root)) => open_below(&root, self.way.as_deref(), path),
            (None, None) => open_without_waiting(path),
        }
    }
}

/// Opens a file below a real root. A link is resolved first, and its target opened when it lies below the root, too;
/// the opening itself follows none.
fn open_below(root: &Path, way: Option<&OpenedWay>, path: &Path) -> io::Result<File> {
    let mut real = path.to_owned();
    for _ in 0..MAX_ATTEMPTS {
        match open_plain(root, way, &real)? {
            OpenOutcome::File(file) => return Ok(file),
            OpenOutcome::Unsupported => return open_checked(root, path),
            OpenOutcome::Link => real = fs::canonicalize(path)?,
        }
        if !is_target(root, &real) {
            return Err(leads_out());
        }
    }
    Err(io::Error::other("it kept changing places"))
}

/// Returns true if a link may lead to a real place: one below the root, and none of git's own.
fn is_target(root: &Path, real: &Path) -> bool {
    real.strip_prefix(root).is_ok_and(|inside| !is_gits(inside))
}

/// Opens a file and then looks where the opened file itself lies, for systems that cannot do both in one step.
fn open_checked(root: &Path, path: &Path) -> io::Result<File> {
    let file = open_without_waiting(path)?;
    let may_be_read = if let Some(real) = place_of(&file) {
        real == path || is_target(root, &real)
    } else {
        let real = fs::canonicalize(path)?;
        let identity = |metadata: &fs::Metadata| FileStamp::of(metadata).identity;
        let is_same = identity(&fs::symlink_metadata(&real)?) == identity(&file.metadata()?);
        is_same && (real == path || is_target(root, &real))
    };
    may_be_read.then_some(file).ok_or_else(leads_out)
}

fn leads_out() -> io::Error {
    io::Error::other("the link leads out of the project")
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;

    use super::*;

    /// Where the system cannot open in one step, the opened file is what is looked at.
    #[test]
    fn what_was_opened_is_looked_at_where_nothing_keeps_links_from_being_followed() {
        let around = tempfile::tempdir().unwrap();
        let around = fs::canonicalize(around.path()).unwrap();
        let root = around.join("root");
        fs::create_dir_all(root.join(".git")).unwrap();
        fs::write(root.join(".git/config"), "").unwrap();
        fs::write(root.join("plain"), "").unwrap();
        fs::write(around.join("outside"), "").unwrap();
        for (link, target) in [
            ("inside", root.join("plain")),
            ("out", around.join("outside")),
            ("out-again", PathBuf::from("../outside")),
            ("gits", root.join(".git/config")),
        ] {
            symlink(target, root.join(link)).unwrap();
        }
        let way = OpenedWay::to(&root).ok();
        let below = |root: &Path, path: &Path| open_below(root, None, path);
        let by_way = |root: &Path, path: &Path| open_below(root, way.as_ref(), path);
        for open in [
            &open_checked as &dyn Fn(&Path, &Path) -> io::Result<File>,
            &below,
            &by_way,
        ] {
            for name in ["plain", "inside", ".git/config"] {
                assert!(open(&root, &root.join(name)).is_ok(), "{name}");
            }
            for name in ["out", "out-again", "gits", "missing"] {
                assert!(open(&root, &root.join(name)).is_err(), "{name}");
            }
        }
    }
}
