//! Changes the entries of a map under a key one by one.

use super::keys::{FrontMatterKey, keys, token};
use super::{
    FrontMatterValue, check_nested, insertion, refuse_other_than_lines, replacement, set, set_by,
};
use crate::edit::{Edit, EditError};

/// An entry of a map and its value; `None` removes it.
pub type NestedEntry = (&'static str, Option<FrontMatterValue>);

/// Changes entries of the map under a key, and adds the map if it is missing. In a map in block
/// layout all other lines stay as they are, with their comments.
///
/// `order` is the documented order of the document's keys; new entries keep the order in which they
/// are given.
///
/// # Errors
/// As [`set`]; also when the map is on one line and holds entries that would be lost.
pub fn set_nested(
    text: &str,
    key: &str,
    entries: &[NestedEntry],
    order: &[&str],
) -> Result<String, EditError> {
    let given = entries
        .iter()
        .filter_map(|(name, value)| Some((*name, value.clone()?)));
    let whole = FrontMatterValue::Map(given.collect());
    set_by(text, key, Some(&whole), |yaml, eol| {
        let keys = keys(yaml);
        refuse_other_than_lines(yaml, &keys, key)?;
        let edit = match keys.iter().find(|found| found.name == key) {
            None => insertion(yaml, &keys, key, &whole, order, eol),
            Some(found) => match block_of(yaml, found) {
                Some(block) => block.edit(entries)?,
                None => replacement(yaml, found, key, &whole, eol),
            },
        };
        check_nested(yaml, &edit, key, entries)?;
        Ok(vec![edit])
    })
}

/// A map in block layout.
struct NestedBlock<'a> {
    /// The start of its lines in the YAML.
    start: usize,
    lines: &'a str,
    /// The blanks before each entry.
    indent: &'a str,
}

fn block_of<'a>(yaml: &'a str, found: &FrontMatterKey<'_>) -> Option<NestedBlock<'a>> {
    if !token(&yaml[found.rest.clone()]).is_empty() {
        return None;
    }
    let behind = &yaml[found.rest.end..found.block.end];
    let start = found.rest.end + behind.find('\n')? + 1;
    let lines = &yaml[start..found.block.end];
    let is_entry = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let first = lines.lines().find(is_entry)?;
    let indent = &first[..first.len() - first.trim_start().len()];
    let is_map = !indent.is_empty() && !first.trim_start().starts_with('-');
    is_map.then_some(NestedBlock {
        start,
        lines,
        indent,
    })
}

impl NestedBlock<'_> {
    /// Returns the edit of the block: the entries are changed as if they were the keys of a
    /// document, then put back in their place.
    fn edit(&self, entries: &[NestedEntry]) -> Result<Edit, EditError> {
        const FENCE: &str = "---\n";
        let order: Vec<&str> = entries.iter().map(|(name, _)| *name).collect();
        let outer: String = self
            .lines
            .split_inclusive('\n')
            .map(|line| line.strip_prefix(self.indent).unwrap_or(line))
            .collect();
        let mut document = format!("{FENCE}{outer}{FENCE}");
        for (name, value) in entries {
            document = set(&document, name, value.as_ref(), &order)?;
        }
        let inner = &document[FENCE.len()..document.len() - FENCE.len()];
        let inner = inner.split_inclusive('\n').map(|line| {
            if line.trim().is_empty() {
                line.to_owned()
            } else {
                format!("{}{line}", self.indent)
            }
        });
        let end = self.start + self.lines.len();
        Ok(Edit::replace(self.start..end, inner.collect::<String>()))
    }
}
