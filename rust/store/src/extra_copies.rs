//! Files that are second names or copies of documents: links to siblings, and what sync programs and file managers
//! leave. They are no documents of their own.

use std::path::Path;

use super::disk;

/// Words in names that sync programs give to one side of a conflict.
const CONFLICTS: [&str; 5] = [
    ".sync-conflict-", "conflicted copy", "case conflict", "(sfconflict", ".conflict.",
];

/// Returns the name of the document that a copy was made of; `None` for a name that is none of a copy.
///
/// # Arguments
/// * `name` - the file's name without its folder.
/// * `is_there` - returns true if the folder has a file of this name. A weak sign, such as a number in parentheses,
///   counts only beside the original.
pub fn original(name: &str, is_there: &dyn Fn(&str) -> bool) -> Option<String> {
    let (stem, ending) = name.rsplit_once('.')?;
    let small = name.to_lowercase();
    if let Some(at) = CONFLICTS.iter().find_map(|word| small.find(word)) {
        let kept = name
            .get(..at)?
            .trim_end_matches(|c: char| c != ')' && c != '(' && !c.is_alphanumeric());
        let kept = kept.split(" (").next().unwrap_or(kept).trim_end();
        return Some(format!("{kept}.{ending}"));
    }
    let numbered = || {
        let (kept, number) = stem.strip_suffix(')')?.rsplit_once(" (")?;
        number.parse::<u32>().ok().map(|_| kept)
    };
    let spaced = || {
        let (kept, number) = stem.rsplit_once(' ')?;
        number.parse::<u32>().ok().map(|_| kept)
    };
    let worded = || {
        let ends = [" - Copy", " copy", " (copy)"].into_iter();
        let mut kept = ends.filter_map(|end| stem.strip_suffix(end));
        kept.next().or_else(|| stem.strip_prefix("Copy of "))
    };
    let kept = numbered().or_else(worded).or_else(spaced)?;
    let original = format!("{kept}.{ending}");
    is_there(&original).then_some(original)
}

/// Returns the name of the sibling that a link leads to; `None` if it leads to another folder.
pub(super) fn linked_sibling<'a>(given: &Path, real: &'a Path) -> Option<&'a str> {
    let folder = disk::real(given.parent()?).ok()?;
    let name = real.file_name()?.to_str()?;
    let is_other = given.file_name()?.to_str()? != name;
    (is_other && real.parent()? == folder).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_known_by_their_names() {
        let is_there = |name: &str| name == "a-001.md";
        for name in [
            "a-001.sync-conflict-20260101-120000-ABCDEFG.md",
            "a-001 (Ada's conflicted copy 2026-01-01).md",
            "a-001 (conflicted copy 2026-01-01 120000).md",
            "a-001 (SFConflict ada@example.org 2026-01-01).md",
            "a-001 (1).md",
            "a-001 2.md",
            "a-001 copy.md",
            "a-001 - Copy.md",
            "Copy of a-001.md",
        ] {
            assert_eq!(
                original(name, &is_there).as_deref(),
                Some("a-001.md"),
                "{name}"
            );
        }
        for name in [
            "a-001.md", "b-002 (1).md", "b 2.md", "README.md", "(1).md", "copy.md",
        ] {
            assert_eq!(original(name, &is_there), None, "{name}");
        }
    }
}
