//! Three texts merged line by line; the only file naming the merge crate.

use diffy::{ConflictStyle, IncompleteHunkStyle, MergeOptions};

/// A place that both sides changed, each in its own way; whole lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clash {
    /// What stood there before.
    pub base: String,
    /// What one side made of it.
    pub ours: String,
    /// What the other side made of it.
    pub theirs: String,
}

/// Merges what two sides made of one text. Changes of neighbouring lines clash, too.
///
/// # Errors
/// The places where the sides clash, in the order of the text.
pub fn lines(base: &str, ours: &str, theirs: &str) -> Result<String, Vec<Clash>> {
    if ours == theirs || base == theirs {
        return Ok(ours.to_owned());
    }
    if base == ours {
        return Ok(theirs.to_owned());
    }
    // The crate tells clashes by markers in the text: longer than any line they cannot be mistaken.
    let every_line = [base, ours, theirs].into_iter().flat_map(str::lines);
    let length = every_line.map(str::len).max().unwrap_or(0) + 1;
    let merged = MergeOptions::new()
        .set_conflict_marker_length(length)
        .set_conflict_style(ConflictStyle::Diff3)
        .set_incomplete_hunk_style(IncompleteHunkStyle::Git)
        .merge(base, ours, theirs);
    merged.map_err(|marked| clashes(&marked, length))
}

fn clashes(marked: &str, length: usize) -> Vec<Clash> {
    let marker = |line: &str| {
        let first = line.chars().next()?;
        let run = line.chars().take_while(|c| *c == first).count();
        (run >= length).then_some(first)
    };
    let mut found = Vec::new();
    let mut open: Option<(char, Clash)> = None;
    for line in marked.split_inclusive('\n') {
        match (marker(line), &mut open) {
            (Some('<'), open) => {
                let clash = Clash {
                    base: String::new(),
                    ours: String::new(),
                    theirs: String::new(),
                };
                *open = Some(('<', clash));
            }
            (Some('>'), open) => found.extend(open.take().map(|(_, clash)| clash)),
            (Some(mark), Some((part, _))) => *part = mark,
            (None, Some(('<', clash))) => clash.ours.push_str(line),
            (None, Some(('|', clash))) => clash.base.push_str(line),
            (None, Some((_, clash))) => clash.theirs.push_str(line),
            (_, None) => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn changes_in_different_places_go_together() {
        assert_eq!(
            lines("a\nb\nc\nd\n", "A\nb\nc\nd\n", "a\nb\nc\nD\ne\n"),
            Ok("A\nb\nc\nD\ne\n".into())
        );
        assert_eq!(
            lines("a\nb\nc\n", "a\nc\n", "a\nb\nc\n"),
            Ok("a\nc\n".into())
        );
        assert_eq!(lines("a\nb\n", "x\nb\n", "x\nb\n"), Ok("x\nb\n".into()));
    }

    #[test]
    fn clashes_are_told_apart_from_lines_that_look_like_their_markers() {
        let base = "<<<<<<<< no\n=======\n1\n2\nmid\n3";
        let ours = "<<<<<<<< no\n=======\n1\ntwo\nmid\nthree";
        let theirs = "<<<<<<<< no\n=======\n1\nzwei\nmid\ndrei";
        let clash = |base: &str, ours: &str, theirs: &str| Clash {
            base: base.into(),
            ours: ours.into(),
            theirs: theirs.into(),
        };
        let found = lines(base, ours, theirs).unwrap_err();
        assert_eq!(
            found,
            [
                clash("2\n", "two\n", "zwei\n"),
                clash("3\n", "three\n", "drei\n")
            ]
        );
    }

    #[test]
    fn a_line_that_one_side_deletes_and_the_other_adds_to_is_a_clash() {
        let found = lines("{\na\n}\n", "{\n}\n", "{\na\nb\n}\n").unwrap_err();
        assert_eq!((found.len(), found[0].ours.as_str()), (1, ""));
        assert_eq!(found[0].theirs, "a\nb\n");
    }

    proptest! {
        #[test]
        fn no_line_is_invented_and_sides_may_change_places(
            base in "([ab<=]\n){0,6}[ab]?", ours in "([abc<=]\n){0,6}[ab]?", theirs in "([abd=>]\n){0,6}[ab]?"
        ) {
            let merged = lines(&base, &ours, &theirs);
            let swapped = lines(&base, &theirs, &ours);
            prop_assert_eq!(merged.is_ok(), swapped.is_ok());
            if let (Ok(merged), Ok(swapped)) = (merged, swapped) {
                prop_assert_eq!(&merged, &swapped);
                let is_known = |line: &str| [&ours, &theirs].iter().any(|text| text.lines().any(|l| l == line));
                prop_assert!(merged.lines().all(is_known));
            }
        }
    }
}
