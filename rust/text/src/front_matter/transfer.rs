//! Copies a key from another document, with its lines there.

use super::keys::{FrontMatterKey, keys};
use super::{
    Edit, EditError, YamlProblem, apply, layout, line_break, mapping, place_of,
    refuse_other_than_lines, unfaithful,
};
use crate::edit::with_line_break;

/// Gives a key of a document the lines that it has in `from`, with the comments between them, or
/// removes it if `from` has none. `order` is as for [`super::set`].
///
/// # Errors
/// As [`super::set`]; `Unfaithful` also for lines that have a meaning only in their place.
pub fn transfer(text: &str, key: &str, from: &str, order: &[&str]) -> Result<String, EditError> {
    let there = yaml_of(from)?;
    let (target, eol) = (layout(text)?, line_break(text));
    let keys_there = keys(there);
    refuse_other_than_lines(there, &keys_there, key)?;
    let lines = find(&keys_there, key).map(|k| with_line_break(&there[k.block.clone()], eol));
    let Some(range) = target.yaml else {
        let Some(lines) = lines else {
            return Ok(text.to_owned());
        };
        let fenced = format!("---{eol}{lines}---{eol}");
        return apply(text, &[Edit::insert(target.body, fenced)]);
    };
    let yaml = &text[range.clone()];
    let keys_here = keys(yaml);
    refuse_other_than_lines(yaml, &keys_here, key)?;
    let edit = match (find(&keys_here, key), lines) {
        (None, None) => return Ok(text.to_owned()),
        (Some(found), lines) => Edit::replace(found.block.clone(), lines.unwrap_or_default()),
        (None, Some(lines)) => Edit::insert(place_of(key, &keys_here, order, yaml.len()), lines),
    };
    let changed = apply(yaml, std::slice::from_ref(&edit))?;
    check(yaml, &changed, there, key)?;
    let moved = Edit::replace(
        edit.range.start + range.start..edit.range.end + range.start,
        edit.text,
    );
    apply(text, &[moved])
}

/// Returns true if two pieces of YAML have the same meaning; false if one of them cannot be read.
pub fn says_same(one: &str, other: &str) -> bool {
    matches!((mapping(one), mapping(other)), (Ok(one), Ok(other)) if one == other)
}

/// Returns the YAML of a document; empty without front matter.
///
/// # Errors
/// As [`layout`].
pub fn yaml_of(text: &str) -> Result<&str, EditError> {
    Ok(layout(text)?.yaml.map_or("", |range| &text[range]))
}

fn find<'a>(keys: &'a [FrontMatterKey<'a>], key: &str) -> Option<&'a FrontMatterKey<'a>> {
    keys.iter().find(|k| k.name == key)
}

fn check(before: &str, after: &str, there: &str, key: &str) -> Result<(), EditError> {
    let broken = |problem: YamlProblem| unfaithful(key, problem.message);
    let mut old = mapping(before).map_err(broken)?;
    let mut new = mapping(after).map_err(broken)?;
    let meant = mapping(there).map_err(broken)?;
    old.shift_remove(key);
    if new.shift_remove(key).as_ref() != meant.get(key) {
        return Err(unfaithful(key, "it would read as something else".into()));
    }
    if old != new {
        return Err(unfaithful(key, "other keys would change with it".into()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORDER: [&str; 3] = ["type", "status", "labels"];

    #[track_caller]
    fn check(text: &str, key: &str, from: &str, expected: &str) {
        assert_eq!(transfer(text, key, from, &ORDER).as_deref(), Ok(expected));
    }

    #[test]
    fn the_lines_come_as_they_are_and_all_others_stay() {
        let from =
            "---\nlabels: # why\n  - a\n\n  # b it is\n  - b\nretry: {n: 1,  m: [2]}\n---\nx\n";
        check(
            "---\n# top\ntype: 'code'\nother: 1\n---\nbody\n",
            "labels",
            from,
            "---\n# top\ntype: 'code'\nlabels: # why\n  - a\n\n  # b it is\n  - b\nother: 1\n---\nbody\n",
        );
        check(
            "---\r\nretry:\r\n  n: 0\r\n---\r\n",
            "retry",
            from,
            "---\r\nretry: {n: 1,  m: [2]}\r\n---\r\n",
        );
        check(
            "---\nlabels: [a]\nx: 1\n---\n",
            "labels",
            "none\n",
            "---\nx: 1\n---\n",
        );
        check(
            "body\n",
            "labels",
            "---\nlabels: [a]\n---\n",
            "---\nlabels: [a]\n---\nbody\n",
        );
    }

    #[test]
    fn lines_that_mean_something_only_where_they_stand_are_refused() {
        let from = "---\na: &it [1]\nlabels: *it\n---\n";
        assert!(transfer("---\nx: 1\n---\n", "labels", from, &ORDER).is_err());
    }

    #[test]
    fn values_are_compared_by_what_they_say() {
        assert!(says_same("a: [x, y]\n", "a:\n- x\n- 'y' # why\n"));
        assert!(!says_same("a: 1\n", "a: '1'\n"));
        assert!(!says_same("a: *gone\n", "a: *gone\n"));
    }
}
