//! Merges three texts line by line.

use diffy::{ConflictStyle, IncompleteHunkStyle, MergeOptions};

use super::edit;

/// A place that the two sides changed in different ways; whole lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineConflict {
    /// The lines before the changes.
    pub base: String,
    /// The lines of one side.
    pub ours: String,
    /// The lines of the other side.
    pub theirs: String,
}

/// The form of conflict markers for a person.
#[derive(Debug, Clone, Copy)]
pub struct ConflictMarkers<'a> {
    /// The number of signs at the start of a marker.
    pub length: usize,
    /// The name of one side.
    pub ours: &'a str,
    /// The name of the other side.
    pub theirs: &'a str,
}

/// Merges the changes of two sides to one text. Changes of neighbouring lines clash, too.
///
/// # Errors
/// The places where the sides clash, in the order of the text.
pub fn lines(base: &str, ours: &str, theirs: &str) -> Result<String, Vec<LineConflict>> {
    if ours == theirs || base == theirs {
        return Ok(ours.to_owned());
    }
    if base == ours {
        return Ok(theirs.to_owned());
    }
    let length = unmistakable([base, ours, theirs].map(str::as_bytes));
    let merged = options(length, ConflictStyle::Diff3).merge(base, ours, theirs);
    merged.map_err(|marked| clashes(&marked, length))
}

/// Merges the changes of two sides to one file, which need not be UTF-8. Where they clash, both
/// versions stand between markers, as git writes them; lines that both start or end with stand
/// outside.
pub fn marked(base: &[u8], ours: &[u8], theirs: &[u8], markers: &ConflictMarkers<'_>) -> Vec<u8> {
    let length = unmistakable([base, ours, theirs]);
    match options(length, ConflictStyle::Merge).merge_bytes(base, ours, theirs) {
        Ok(merged) => merged,
        Err(text) => with_markers(&text, length, markers, line_break(ours)),
    }
}

/// Returns a marker length that no line has: the crate marks clashes in the text, and longer
/// markers cannot be mistaken for lines.
fn unmistakable(versions: [&[u8]; 3]) -> usize {
    let every_line = versions.into_iter().flat_map(each_line);
    every_line.map(<[u8]>::len).max().unwrap_or(0) + 1
}

fn options(marker_length: usize, style: ConflictStyle) -> MergeOptions {
    let mut options = MergeOptions::new();
    options
        .set_conflict_marker_length(marker_length)
        .set_conflict_style(style)
        .set_incomplete_hunk_style(IncompleteHunkStyle::Git);
    options
}

fn each_line(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|byte| *byte == b'\n')
}

fn line_break(text: &[u8]) -> &'static str {
    let first = each_line(text).next().unwrap_or_default();
    edit::line_break(&String::from_utf8_lossy(first))
}

/// Replaces the crate's markers by those for a person.
fn with_markers(text: &[u8], length: usize, markers: &ConflictMarkers<'_>, eol: &str) -> Vec<u8> {
    let is_marker = |line: &[u8], sign| line.iter().take_while(|b| **b == sign).count() >= length;
    let mut out = Vec::with_capacity(text.len());
    let mut sides: [Vec<&[u8]>; 2] = Default::default();
    let mut open: Option<usize> = None;
    for line in each_line(text) {
        open = match open {
            None if is_marker(line, b'<') => Some(0),
            Some(_) if is_marker(line, b'=') => Some(1),
            Some(_) if is_marker(line, b'>') => {
                let [ours, theirs] = std::mem::take(&mut sides);
                write_clash(&mut out, &ours, &theirs, markers, eol);
                None
            }
            Some(side) => {
                sides[side].push(line);
                open
            }
            None => {
                out.extend_from_slice(line);
                None
            }
        };
    }
    out
}

fn write_clash(
    out: &mut Vec<u8>,
    ours: &[&[u8]],
    theirs: &[&[u8]],
    to: &ConflictMarkers<'_>,
    eol: &str,
) {
    let (start, end) = if ours == theirs {
        // They differ only at the end of the last line, which is invisible without markers.
        (0, 0)
    } else {
        in_common(ours, theirs)
    };
    let marker = |sign: &str, name: &str| {
        let gap = if name.is_empty() { "" } else { " " };
        format!("{}{gap}{name}{eol}", sign.repeat(to.length)).into_bytes()
    };
    let apart = |side: &[&[u8]]| side[start..side.len() - end].concat();
    out.extend(ours[..start].concat());
    out.extend(marker("<", to.ours));
    out.extend(apart(ours));
    out.extend(marker("=", ""));
    out.extend(apart(theirs));
    out.extend(marker(">", to.theirs));
    out.extend(ours[ours.len() - end..].concat());
}

/// Returns the number of lines with which both pieces start, and of the remaining ones with which
/// both end.
fn in_common(one: &[&[u8]], other: &[&[u8]]) -> (usize, usize) {
    let pairs = one.iter().zip(other);
    let start = pairs.take_while(|(one, other)| one == other).count();
    let pairs = one[start..].iter().rev().zip(other[start..].iter().rev());
    let end = pairs.take_while(|(one, other)| one == other).count();
    (start, end)
}

fn clashes(marked: &str, length: usize) -> Vec<LineConflict> {
    let marker = |line: &str| {
        let first = line.chars().next()?;
        let run = line.chars().take_while(|c| *c == first).count();
        (run >= length).then_some(first)
    };
    let mut found = Vec::new();
    let mut open: Option<(char, LineConflict)> = None;
    for line in marked.split_inclusive('\n') {
        match (marker(line), &mut open) {
            (Some('<'), open) => {
                let clash = LineConflict {
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

/// A list that was changed from how it was `seen`, as it comes out of what others made of it `now`: what was added and
/// taken out is, and nothing else.
pub fn merged_list(seen: &[String], new: &[String], now: &[String]) -> Vec<String> {
    if now == seen {
        return new.to_vec();
    }
    let is_kept = |item: &&String| new.contains(item) || !seen.contains(item);
    let mut merged: Vec<String> = now.iter().filter(is_kept).cloned().collect();
    for item in new {
        if !seen.contains(item) && !merged.contains(item) {
            merged.push(item.clone());
        }
    }
    merged
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
        let clash = |base: &str, ours: &str, theirs: &str| LineConflict {
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
    fn lines_as_short_as_markers_could_be_are_text() {
        let found = lines("\na\n", "\n==\nb\n", "\n>>\nc\n").unwrap_err();
        let clash = LineConflict {
            base: "a\n".into(),
            ours: "==\nb\n".into(),
            theirs: ">>\nc\n".into(),
        };
        assert_eq!(found, [clash]);
    }

    #[test]
    fn a_line_that_one_side_deletes_and_the_other_adds_to_is_a_clash() {
        let found = lines("{\na\n}\n", "{\n}\n", "{\na\nb\n}\n").unwrap_err();
        assert_eq!((found.len(), found[0].ours.as_str()), (1, ""));
        assert_eq!(found[0].theirs, "a\nb\n");
    }

    fn shown(base: &str, ours: &str, theirs: &str) -> String {
        let markers = ConflictMarkers {
            length: 7,
            ours: "HEAD",
            theirs: "topic",
        };
        let [base, ours, theirs] = [base, ours, theirs].map(str::as_bytes);
        String::from_utf8(marked(base, ours, theirs, &markers)).unwrap()
    }

    #[test]
    fn a_clash_is_marked_as_git_does_and_common_lines_stand_outside() {
        assert_eq!(
            shown("a\nb\nc\n", "A\nb\nx\n", "a\nb\ny\n"),
            "A\nb\n<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> topic\n"
        );
        assert_eq!(
            shown("", "# T\n\none\n\nend", "# T\n\nuno\ndue\n\nend"),
            "# T\n\n<<<<<<< HEAD\none\n=======\nuno\ndue\n>>>>>>> topic\n\nend\n"
        );
        assert_eq!(
            shown("a\r\n", "b\r\n", ""),
            "<<<<<<< HEAD\r\nb\r\n=======\r\n>>>>>>> topic\r\n"
        );
        assert_eq!(
            shown("a", "b", "b\n"),
            "<<<<<<< HEAD\nb\n=======\nb\n>>>>>>> topic\n"
        );
    }

    #[test]
    fn lines_that_look_like_markers_stay_lines() {
        assert_eq!(
            shown(
                "=======\n>>>>>>> x\na\n",
                "=======\n>>>>>>> x\nb\n",
                "=======\n>>>>>>> x\nc\n"
            ),
            "=======\n>>>>>>> x\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> topic\n"
        );
    }

    proptest! {
        #[test]
        fn no_line_of_a_side_is_lost_behind_markers(
            base in "([ab<=]\n){0,6}[ab]?", ours in "([abc<=]\n){0,6}[ab]?", theirs in "([abd=>]\n){0,6}[ab]?"
        ) {
            let text = shown(&base, &ours, &theirs);
            let count = |text: &str, wanted: &str| text.lines().filter(|line| *line == wanted).count();
            for (side, other) in [(&ours, &theirs), (&theirs, &ours)] {
                for line in side.lines() {
                    // Unless the other side removed it.
                    let is_gone = count(other, line) < count(&base, line);
                    prop_assert!(count(&text, line) > 0 || is_gone, "{} in {}", line, text);
                }
            }
            if let Ok(merged) = lines(&base, &ours, &theirs) {
                prop_assert_eq!(text, merged);
            }
        }

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
