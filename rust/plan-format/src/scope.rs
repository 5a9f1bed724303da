//! The scope of a format: its words, and where its documents lie below a root.

use super::intent::IntentKind;
use super::unit::UnitSource;

/// The words of a format and what it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormatScope {
    /// The word before the colon of its keys.
    pub word: &'static str,
    /// Its name, as people write it.
    pub title: &'static str,
    /// The noun of one of its items.
    pub noun: &'static str,
    /// The noun of several of them.
    pub plural: &'static str,
    /// Paths, one of which a folder holds that is a root of this format.
    pub markers: &'static [&'static str],
    /// Paths of the documents below a root that no unit owns.
    pub settings: &'static [&'static str],
    /// The intents that it takes.
    pub intents: &'static [IntentKind],
    /// The words of its states, in their order; empty if a root's settings name them.
    pub statuses: &'static [&'static str],
    /// Attributes that an edit of another one may change with it, such as the date of the last edit.
    pub touched: &'static [&'static str],
    /// A key, as an example.
    pub example: &'static str,
}

/// The places of a root.
#[derive(Debug, Clone, Default)]
pub struct RootLayout {
    /// The places of units.
    pub units: Vec<UnitPattern>,
    /// Folders of finished units, of which only the names of entries are listed; the last part of such a path may be
    /// in any case of letters.
    pub archives: Vec<String>,
    /// Folders that are watched for changes.
    pub watch: Vec<String>,
}

/// The form of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitForm {
    /// One file, whose name fits one of these patterns.
    File(&'static [&'static str]),
    /// A folder with documents.
    Folder {
        /// Patterns of its documents, as paths below it; `**` stands for folders at any depth, none among them.
        documents: &'static [&'static str],
        /// Names of documents, one of which has to be there; empty: any folder is a unit.
        required: &'static [&'static str],
    },
}

/// A place of units below a root.
#[derive(Debug, Clone)]
pub struct UnitPattern {
    /// The kind of its units.
    pub kind: &'static str,
    /// The folder in which they lie, with `/`, from the root; empty for the root itself.
    pub folder: String,
    /// Their form.
    pub form: UnitForm,
    /// The deepest level of a unit below the folder; 1 is directly in it.
    pub depth: usize,
    /// Returns true if a path below the folder can be the name of a unit.
    pub accepts: fn(&str) -> bool,
    /// The greatest number of such units that are read.
    pub limit: usize,
}

/// The unit to which a path belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitPath {
    /// The path of the unit, from the root.
    pub path: String,
    /// The name of the unit: its path below the pattern's folder; for a file without its ending.
    pub name: String,
    /// True if the path is one of the unit's documents; false for another file in its folder.
    pub is_document: bool,
}

impl UnitPattern {
    /// Returns true if a unit has one of the documents that have to be there.
    pub fn has_required(&self, source: &UnitSource) -> bool {
        match self.form {
            UnitForm::File(_) => true,
            UnitForm::Folder { required, .. } => {
                required.is_empty() || required.iter().any(|name| source.index_of(name).is_some())
            }
        }
    }

    /// The unit to which a path below the root belongs, if any. For folders the outermost one that is accepted counts
    /// unless a deeper one has the path as a document.
    pub fn unit_at(&self, path: &str) -> Option<UnitPath> {
        let below = match &*self.folder {
            "" => path,
            folder => path.strip_prefix(folder)?.strip_prefix('/')?,
        };
        match self.form {
            UnitForm::File(patterns) => {
                let (folders, file) = below.rsplit_once('/').unwrap_or(("", below));
                let levels = folders.split('/').filter(|part| !part.is_empty()).count() + 1;
                let fits = patterns.iter().any(|pattern| fits_name(pattern, file));
                let name = below.rsplit_once('.').map_or(below, |(name, _)| name);
                (levels <= self.depth && fits && (self.accepts)(name)).then(|| UnitPath {
                    path: path.to_owned(),
                    name: name.to_owned(),
                    is_document: true,
                })
            }
            UnitForm::Folder { documents, .. } => {
                let ends = below.match_indices('/').map(|(at, _)| at);
                let mut found = None;
                for end in ends.take(self.depth) {
                    let (name, rest) = (&below[..end], &below[end + 1..]);
                    if !(self.accepts)(name) {
                        continue;
                    }
                    let is_document = documents.iter().any(|pattern| fits_path(pattern, rest));
                    let unit = UnitPath {
                        path: path[..path.len() - below.len() + end].to_owned(),
                        name: name.to_owned(),
                        is_document,
                    };
                    if is_document {
                        return Some(unit);
                    }
                    found = found.or(Some(unit));
                }
                found
            }
        }
    }
}

/// Returns true if a name fits a pattern, in which `*` stands for any characters.
pub fn fits_name(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let Some(mut name) = name.strip_prefix(start) else {
        return false;
    };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return name.ends_with(part);
        }
        match name.find(part) {
            Some(at) => name = &name[at + part.len()..],
            None => return false,
        }
    }
    true
}

/// Returns true if a path fits a pattern: each part as [`fits_name`], and `**` for any number of folders.
pub fn fits_path(pattern: &str, path: &str) -> bool {
    let (first, patterns) = pattern.split_once('/').unwrap_or((pattern, ""));
    if first == "**" {
        let mut rest = Some(path);
        while let Some(path) = rest {
            if fits_path(patterns, path) {
                return true;
            }
            rest = path.split_once('/').map(|(_, rest)| rest);
        }
        return false;
    }
    match path.split_once('/') {
        Some((folder, rest)) => {
            !patterns.is_empty() && fits_name(first, folder) && fits_path(patterns, rest)
        }
        None => patterns.is_empty() && fits_name(first, path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_stand_for_whole_names() {
        for (pattern, path, fits) in [
            ("*.md", "tasks.md", true),
            ("*.md", "tasks.md~", false),
            ("*.md", "a/tasks.md", false),
            ("task-*.md", "task-1 - A.md", true),
            ("a*b*c", "aXbYc", true),
            ("a*b*c", "aXcYb", false),
            ("specs/**/*.md", "specs/a/b/spec.md", true),
            ("specs/**/*.md", "specs/spec.md", true),
            ("specs/**/*.md", "spec.md", false),
            ("tasks.md", "Tasks.md", false),
        ] {
            assert_eq!(fits_path(pattern, path), fits, "{pattern} {path}");
        }
    }

    #[test]
    fn a_path_belongs_to_one_unit() {
        let pattern = UnitPattern {
            kind: "plan",
            folder: "plans".into(),
            form: UnitForm::Folder {
                documents: &["tasks.md"],
                required: &[],
            },
            depth: 2,
            accepts: |name| name != "old",
            limit: 10,
        };
        let unit = |path: &str| {
            let found = pattern.unit_at(path)?;
            Some((found.name, found.is_document))
        };
        assert_eq!(unit("plans/a/tasks.md"), Some(("a".into(), true)));
        assert_eq!(unit("plans/a/b/tasks.md"), Some(("a/b".into(), true)));
        assert_eq!(unit("plans/a/b/other.md"), Some(("a".into(), false)));
        assert_eq!(unit("plans/old/tasks.md"), None);
        assert_eq!(unit("plans/tasks.md"), None);
        assert_eq!(unit("plan/a/tasks.md"), None);
    }
}
