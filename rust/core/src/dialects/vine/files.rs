//! Which file a name means, and graphs as they lie on disk (reference vine 8, decisions 3).

use std::path::{Path, PathBuf};

use super::error::VineError;
use super::model::Graph;
use super::{parse, validate};
use crate::error::Error;
use crate::store::StoreError;
use crate::store::disk::{self, Disk};
use crate::store::files::Root;

const ENDING: &str = ".vine";

/// Where files are looked for, and how they are read and written.
pub struct Files {
    /// How files are read and written.
    pub disk: Disk,
    /// Where relative names are looked for first.
    pub folder: PathBuf,
    /// Where they are looked for then, in this order.
    pub roots: Vec<PathBuf>,
    /// Whether an absolute path may name a file outside of these.
    pub may_leave: bool,
}

/// A file that a name means.
pub struct Located {
    /// A folder that it lies in and that nothing is written outside of.
    pub(super) root: Root,
    /// Its path in that folder, with `/`.
    pub(super) path: String,
    /// The name as it was given.
    given: String,
}

impl Files {
    /// The file that exists under a name: the name itself, then with `.vine` where it has no ending,
    /// each in the working folder and the roots.
    ///
    /// # Errors
    /// `VineError::NoFile`, or `VineError::Elsewhere` for one that lies where it may not.
    pub fn existing(&self, name: &str) -> Result<Located, Error> {
        let with_ending = (!has_ending(name)).then(|| format!("{name}{ENDING}"));
        for name_tried in std::iter::once(name).chain(with_ending.as_deref()) {
            for place in self.places(name_tried) {
                if disk::is_file(&place) {
                    return self.located(&place, name);
                }
            }
        }
        let resolved = self.folder.join(name);
        Err(VineError::NoFile {
            given: name.to_owned(),
            resolved: (resolved != Path::new(name)).then_some(resolved),
        }
        .into())
    }

    /// The file that is to be made under a name, in the first root where there is one.
    ///
    /// # Errors
    /// `VineError::Elsewhere` for a place where it may not be, or a `StoreError`.
    pub fn new_file(&self, name: &str) -> Result<Located, Error> {
        let name_written = if has_ending(name) {
            name.to_owned()
        } else {
            format!("{name}{ENDING}")
        };
        let base = self.roots.first().unwrap_or(&self.folder);
        self.located(&base.join(name_written), name)
    }

    fn places(&self, name: &str) -> impl Iterator<Item = PathBuf> {
        let bases = std::iter::once(&self.folder).chain(&self.roots);
        let is_absolute = Path::new(name).is_absolute();
        bases
            .take(if is_absolute { 1 } else { usize::MAX })
            .map(move |base| base.join(name))
    }

    /// A path seen from the folder or root that it lies in; from its own folder where it may leave
    /// them.
    fn located(&self, path: &Path, given: &str) -> Result<Located, Error> {
        let real = plain(path);
        let bases = std::iter::once(&self.folder).chain(&self.roots);
        for base in bases {
            let root = Root::open(base)?;
            if let Some(inside) = relative(&real, root.path()) {
                return Ok(Located {
                    root,
                    path: inside,
                    given: given.to_owned(),
                });
            }
        }
        let is_named = Path::new(given).is_absolute() && given.ends_with(ENDING);
        if let (true, Some(folder), Some(name)) =
            (self.may_leave && is_named, real.parent(), real.file_name())
        {
            return Ok(Located {
                root: Root::open(folder)?,
                path: name.to_string_lossy().into_owned(),
                given: given.to_owned(),
            });
        }
        Err(VineError::Elsewhere {
            given: given.to_owned(),
            folder: self.folder.clone(),
        }
        .into())
    }

    /// Reads and validates a graph.
    ///
    /// # Errors
    /// `VineError` for a text that is none, or a `StoreError`.
    pub fn read(&self, file: &Located) -> Result<(String, Graph), Error> {
        let real = file.root.locate(&file.path)?;
        let (text, _) = self.disk.read_text(&real, &file.given)?;
        let graph = graph(&text)?;
        Ok((text, graph))
    }
}

/// A valid graph.
///
/// # Errors
/// `VineError`.
pub fn graph(text: &str) -> Result<Graph, VineError> {
    let graph = parse::graph(text)?;
    validate::validate(&graph)?;
    Ok(graph)
}

impl Located {
    /// The file's absolute path.
    pub fn absolute(&self) -> PathBuf {
        self.root.path().join(&self.path)
    }

    /// A place that a reference in the file names, in the same folder to stay in.
    ///
    /// # Errors
    /// `StoreError::Outside`.
    pub(super) fn beside(&self, uri: &str) -> Result<String, StoreError> {
        let folder = self.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let real = plain(&self.root.path().join(folder).join(uri));
        relative(&real, self.root.path()).ok_or_else(|| StoreError::Outside {
            path: uri.to_owned(),
            root: self.root.path().display().to_string(),
        })
    }
}

/// Whether the last part of a path has a dot other than a leading one.
fn has_ending(path: &str) -> bool {
    let last = path.rsplit(['/', '\\']).next().unwrap_or(path);
    last.char_indices().any(|(at, c)| at > 0 && c == '.')
}

/// A path without `.` and `..`, links in its folder resolved as far as that exists.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    let (Some(folder), Some(name)) = (plain.parent(), plain.file_name()) else {
        return plain;
    };
    match disk::real(folder) {
        Ok(folder) => folder.join(name),
        Err(_) => plain,
    }
}

fn relative(path: &Path, root: &Path) -> Option<String> {
    let inside = path.strip_prefix(root).ok()?.to_str()?;
    (!inside.is_empty()).then(|| inside.replace('\\', "/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ending_is_a_dot_that_does_not_lead() {
        for (path, expected) in [
            ("plan.v2", true),
            ("foo.", true),
            ("plan", false),
            (".vine", false),
            ("a.b/plan", false),
        ] {
            assert_eq!(has_ending(path), expected, "{path}");
        }
    }
}
