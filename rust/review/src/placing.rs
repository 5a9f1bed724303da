//! Where commented lines stand in another commit. What is not sure is outdated, and never beside another line.
//!
//! The place follows from the comment and the files of that commit alone, so a commit that comes back brings the
//! comment back to where it was.

use crate::anchor::LineAnchor;
use crate::line_maps::{NumberedTexts, similarity, word_characters};

/// Lines around a repeated one among which a telling one has to be kept.
const NEAR: usize = 8;
/// Neighbours on each side by which a line that moved is known.
const NEIGHBOURS: usize = 2;
/// Characters of words by which such lines are known.
const MOVED_WORDS: usize = 30;
/// The likeness in percent from which on a file counts as renamed, and the least lead over the next one.
const RENAMED: (usize, usize) = (60, 10);

/// The files of the commit in which a place is looked for.
pub trait CommitFiles {
    /// Returns the id of a file's content; `None` without such a file.
    fn blob(&self, path: &str) -> Option<String>;
    /// Returns the text of a file; `None` without such a file, and for one that is no text.
    fn text(&self, path: &str) -> Option<String>;
    /// Returns the files that differ from the commit of the comment, in the order of their paths.
    fn changed(&self, since: &str) -> Vec<String>;
    /// Returns true if the commit of the comment had a file of that path.
    fn had(&self, since: &str, path: &str) -> bool;
}

/// A remark about a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceMark {
    /// The lines stand elsewhere in their file.
    Moved,
    /// They may be those in another file.
    MaybeMoved,
    /// The line says little and is gone; the one beside it is kept.
    Near,
    /// Only this part of them is there.
    Part,
}

impl PlaceMark {
    /// Returns its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Moved => "moved",
            Self::MaybeMoved => "moved?",
            Self::Near => "near",
            Self::Part => "part of it",
        }
    }
}

/// Where a comment stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommentPlacement {
    /// On lines of a file.
    Placed {
        /// The file.
        path: String,
        /// The first line, from 1.
        first: usize,
        /// The last line.
        last: usize,
        /// A remark about it.
        mark: Option<PlaceMark>,
        /// Other lines that read the same, where the words occur more often than before.
        others: Vec<usize>,
    },
    /// Nowhere, for this reason.
    Outdated(&'static str),
}

/// No file that is it.
pub const FILE_GONE: &str = "its file is gone";
/// No line that is it.
pub const LINES_CHANGED: &str = "its lines were changed";
/// The text that was commented on is not in this repository.
pub const NOT_HERE: &str = "the version that was commented on is not in this repository";
/// The difference removes the lines no more.
pub const NOT_REMOVED: &str = "its lines are not removed any more";

/// Returns where the lines of an anchor stand; `old` is the text that was commented on.
pub fn place(anchor: &LineAnchor, old: &str, files: &dyn CommitFiles) -> CommentPlacement {
    let placed = |path: &str, (first, last), mark| CommentPlacement::Placed {
        path: path.to_owned(),
        first,
        last,
        mark,
        others: Vec::new(),
    };
    if files.blob(&anchor.path).as_deref() == Some(&anchor.blob) {
        return placed(&anchor.path, (anchor.first, anchor.last), None);
    }
    let own = files
        .text(&anchor.path)
        .map(|text| (anchor.path.clone(), text));
    let Some((path, new)) = own.or_else(|| renamed(anchor, old, files)) else {
        return CommentPlacement::Outdated(FILE_GONE);
    };
    let texts = NumberedTexts::of(old, &new);
    let agreed = texts.agreed();
    let lines = (anchor.first - 1)..anchor.last.min(texts.old.len());
    if lines.len() != anchor.lines.len() {
        return CommentPlacement::Outdated(NOT_HERE);
    }
    let found: Vec<Option<usize>> = lines
        .clone()
        .map(|at| kept_place(&texts, &agreed, at))
        .collect();
    let (run, length) = longest_run(&found);
    if length == found.len() {
        let first = run + 1;
        return CommentPlacement::Placed {
            others: others(&texts, &lines, first),
            path,
            first,
            last: first + length - 1,
            mark: None,
        };
    }
    if let Some(first) = moved(&texts, old, &agreed, &lines) {
        return placed(
            &path,
            (first + 1, first + lines.len()),
            Some(PlaceMark::Moved),
        );
    }
    if length * 2 >= found.len() && length > 0 {
        return placed(&path, (run + 1, run + length), Some(PlaceMark::Part));
    }
    if lines.len() == 1
        && let Some(beside) = near(&texts, &agreed, lines.start)
    {
        return placed(&path, (beside + 1, beside + 1), Some(PlaceMark::Near));
    }
    match elsewhere(anchor, old, &lines, files) {
        Some((path, first)) => placed(
            &path,
            (first + 1, first + lines.len()),
            Some(PlaceMark::MaybeMoved),
        ),
        None => CommentPlacement::Outdated(LINES_CHANGED),
    }
}

/// The file that another one became, with its text: the only one that is much like it.
fn renamed(anchor: &LineAnchor, old: &str, files: &dyn CommitFiles) -> Option<(String, String)> {
    let added = files.changed(&anchor.commit).into_iter();
    let added = added.filter(|path| !files.had(&anchor.commit, path));
    let mut candidates: Vec<(usize, String, String)> = added
        .filter_map(|path| {
            let text = files.text(&path)?;
            Some((similarity(old, &text), path, text))
        })
        .collect();
    candidates.sort_by(|a, b| (b.0, &a.1).cmp(&(a.0, &b.1)));
    let second = candidates.get(1).map_or(0, |(likeness, ..)| *likeness);
    let (likeness, path, text) = candidates.into_iter().next()?;
    let (least, lead) = RENAMED;
    (likeness >= least && likeness >= second + lead).then_some((path, text))
}

/// Where a line of the old text is kept in the new one.
fn kept_place(texts: &NumberedTexts, agreed: &[Option<usize>], at: usize) -> Option<usize> {
    if !texts.has_words(at) {
        return between(texts, agreed, at);
    }
    let to = agreed[at]?;
    if texts.count(texts.old[at]) == [1, 1] {
        return Some(to);
    }
    // A line that occurs twice: one that does not has to be kept near it, as far away as before.
    let near = at.saturating_sub(NEAR)..(at + NEAR + 1).min(texts.old.len());
    let mut near = near.filter(|other| texts.is_telling(*other));
    near.any(|other| agreed[other].is_some_and(|there| there + at == to + other))
        .then_some(to)
}

/// The telling lines next to a line, above it and below.
fn telling_around(texts: &NumberedTexts, at: usize) -> (Option<usize>, Option<usize>) {
    let above = (0..at).rev().find(|other| texts.is_telling(*other));
    let below = (at + 1..texts.old.len()).find(|other| texts.is_telling(*other));
    (above, below)
}

/// Where a line that says little is: between the same telling lines, with the same lines between them.
fn between(texts: &NumberedTexts, agreed: &[Option<usize>], at: usize) -> Option<usize> {
    let (above, below) = telling_around(texts, at);
    // The text's beginning and its end are as good as a telling line.
    let (from, from_new) = match above {
        Some(above) => (above, agreed[above]?),
        None => (0, 0),
    };
    let (to, to_new) = match below {
        Some(below) => (below + 1, agreed[below]? + 1),
        None => (texts.old.len(), texts.new.len()),
    };
    if above.is_none() && below.is_none() {
        return None;
    }
    let is_same = from_new <= to_new && texts.old[from..to] == texts.new[from_new..to_new];
    is_same.then(|| from_new + (at - from))
}

/// The kept telling line beside a line that says little.
fn near(texts: &NumberedTexts, agreed: &[Option<usize>], at: usize) -> Option<usize> {
    if texts.has_words(at) {
        return None;
    }
    let (above, below) = telling_around(texts, at);
    let near = [above, below].into_iter().flatten();
    let mut near: Vec<usize> = near.filter(|other| other.abs_diff(at) <= NEAR).collect();
    near.sort_by_key(|other| other.abs_diff(at));
    near.into_iter().find_map(|other| agreed[other])
}

/// The longest run of places in order without a gap: where it begins, and its length.
fn longest_run(found: &[Option<usize>]) -> (usize, usize) {
    let mut best = (0, 0);
    let mut at = 0;
    while at < found.len() {
        let Some(first) = found[at] else {
            at += 1;
            continue;
        };
        let mut length = 1;
        while found.get(at + length) == Some(&Some(first + length)) {
            length += 1;
        }
        if length > best.1 {
            best = (first, length);
        }
        at += length;
    }
    best
}

/// The lines around some, by whose words these are known: as numbers of a text's lines.
fn window(length: usize, lines: &std::ops::Range<usize>) -> std::ops::Range<usize> {
    lines.start.saturating_sub(NEIGHBOURS)..(lines.end + NEIGHBOURS).min(length)
}

/// Where lines stand that were moved within their file: with their neighbours, once before and once now.
fn moved(
    texts: &NumberedTexts,
    old: &str,
    agreed: &[Option<usize>],
    lines: &std::ops::Range<usize>,
) -> Option<usize> {
    let around = window(texts.old.len(), lines);
    let sought = &texts.old[around.clone()];
    let words = old.lines().skip(around.start).take(around.len());
    if words.map(word_characters).sum::<usize>() < MOVED_WORDS {
        return None;
    }
    only(&texts.old, sought)?;
    let first = only(&texts.new, sought)? + lines.start - around.start;
    // Two answers are none.
    let mut known = lines.clone().enumerate();
    let disagrees = known.any(|(nth, at)| agreed[at].is_some_and(|to| to != first + nth));
    (!disagrees).then_some(first)
}

/// Where some lines stand in others, if they do once.
fn only(all: &[u32], sought: &[u32]) -> Option<usize> {
    let mut found = all
        .windows(sought.len().max(1))
        .enumerate()
        .filter(|(_, part)| *part == sought);
    let (at, _) = found.next()?;
    found.next().is_none().then_some(at)
}

/// The one other changed file that has the lines with their neighbours, and where.
fn elsewhere(
    anchor: &LineAnchor,
    old: &str,
    lines: &std::ops::Range<usize>,
    files: &dyn CommitFiles,
) -> Option<(String, usize)> {
    let old: Vec<&str> = old.lines().map(str::trim_end).collect();
    let around = window(old.len(), lines);
    let sought = &old[around.clone()];
    let words: usize = sought.iter().map(|line| word_characters(line)).sum();
    if words < MOVED_WORDS
        || old
            .windows(sought.len())
            .filter(|part| *part == sought)
            .count()
            != 1
    {
        return None;
    }
    let mut found = Vec::new();
    for path in files.changed(&anchor.commit) {
        if path == anchor.path {
            continue;
        }
        let Some(text) = files.text(&path) else {
            continue;
        };
        let text: Vec<&str> = text.lines().map(str::trim_end).collect();
        let places = text.windows(sought.len()).enumerate();
        let places = places.filter(|(_, part)| *part == sought);
        found.extend(places.map(|(at, _)| (path.clone(), at + lines.start - around.start)));
    }
    (found.len() == 1).then(|| found.remove(0))
}

/// Other lines that read as the placed one, where there are more of them than before.
fn others(texts: &NumberedTexts, lines: &std::ops::Range<usize>, first: usize) -> Vec<usize> {
    let number = texts.old[lines.start];
    let [before, now] = texts.count(number);
    if lines.len() != 1 || now <= before || !texts.has_words(lines.start) {
        return Vec::new();
    }
    let all = texts.new.iter().enumerate();
    let same = all.filter(|(at, other)| **other == number && at + 1 != first);
    same.map(|(at, _)| at + 1).collect()
}

/// Returns true as long as a difference removes lines of the older text, counted from 1.
pub fn is_removed(older: &str, newer: &str, (first, last): (usize, usize)) -> bool {
    let texts = NumberedTexts::of(older, newer);
    let kept = texts.kept();
    (first..=last).all(|line| kept.get(line - 1).is_none_or(Option::is_none))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::anchor::{CommentedVersion, DiffSide};

    /// Returns true if lines of a text, counted from 1, read as those of an anchor.
    fn reads_as_anchor(anchor: &LineAnchor, text: &str, (first, last): (usize, usize)) -> bool {
        let lines: Vec<&str> = text.lines().collect();
        let there = lines.get(first - 1..last).unwrap_or_default();
        there.iter().all(|line| {
            let mut kept = anchor.lines.iter();
            kept.any(|kept| crate::anchor::kept_line(line) == *kept)
        })
    }

    /// Files of a commit, and those of the comment's.
    struct Files {
        old: BTreeMap<String, String>,
        new: BTreeMap<String, String>,
    }

    impl CommitFiles for Files {
        fn blob(&self, path: &str) -> Option<String> {
            self.new.get(path).cloned()
        }

        fn text(&self, path: &str) -> Option<String> {
            self.new.get(path).cloned()
        }

        fn changed(&self, _: &str) -> Vec<String> {
            let new = self.new.iter();
            let changed = new.filter(|(path, text)| self.old.get(*path) != Some(text));
            changed.map(|(path, _)| path.clone()).collect()
        }

        fn had(&self, _: &str, path: &str) -> bool {
            self.old.contains_key(path)
        }
    }

    fn files<'a>(
        old: impl IntoIterator<Item = (&'a str, &'a str)>,
        new: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Files {
        let owned = |(path, text): (&str, &str)| (path.to_owned(), text.to_owned());
        Files {
            old: old.into_iter().map(owned).collect(),
            new: new.into_iter().map(owned).collect(),
        }
    }

    fn anchor(path: &str, text: &str, lines: (usize, usize)) -> LineAnchor {
        let version = CommentedVersion {
            side: DiffSide::New,
            commit: "c1",
            path,
            blob: text,
        };
        LineAnchor::of_text(version, text, lines).unwrap()
    }

    fn at(old: &str, new: &str, line: usize) -> CommentPlacement {
        let files = files([("f", old)], [("f", new)]);
        place(&anchor("f", old, (line, line)), old, &files)
    }

    fn on(line: usize, mark: Option<PlaceMark>) -> CommentPlacement {
        CommentPlacement::Placed {
            path: "f".into(),
            first: line,
            last: line,
            mark,
            others: Vec::new(),
        }
    }

    const CODE: &str = "def first():\n    return 1\n\n\ndef second():\n    return 2\n\n\ndef third():\n    return 3\n";

    #[test]
    fn a_line_follows_what_is_added_above_it() {
        let new = format!("import os\n\n{CODE}");
        for line in 1..=10 {
            assert_eq!(at(CODE, &new, line), on(line + 2, None), "{line}");
        }
    }

    #[test]
    fn a_changed_line_is_outdated() {
        let new = CODE.replace("return 2", "return 4");
        assert_eq!(at(CODE, &new, 6), CommentPlacement::Outdated(LINES_CHANGED));
        assert_eq!(at(CODE, &new, 5), on(5, None));
        let gone = CODE.replace("def second():\n    return 2\n", "");
        assert_eq!(
            at(CODE, &gone, 5),
            CommentPlacement::Outdated(LINES_CHANGED)
        );
    }

    #[test]
    fn blanks_at_the_ends_of_lines_are_no_change() {
        let new = CODE.replace('\n', "\r\n").replace("1\r", "1  \r");
        for line in 1..=10 {
            assert_eq!(at(CODE, &new, line), on(line, None), "{line}");
        }
    }

    #[test]
    fn a_line_that_says_little_stands_between_its_neighbours_or_beside_one() {
        // The blank line behind `return 1`.
        assert_eq!(at(CODE, &format!("import os\n{CODE}"), 3), on(4, None));
        let new = CODE.replace("return 1\n\n\ndef", "return 1\n\nmore = 1\n\ndef");
        let CommentPlacement::Placed { mark, .. } = at(CODE, &new, 3) else {
            panic!("it is placed beside a kept line");
        };
        assert_eq!(mark, Some(PlaceMark::Near));
    }

    #[test]
    fn a_block_that_moved_is_found_by_its_neighbours() {
        let block = "def second_function_of_all():\n    value = compute_the_value()\n    return value + another_value\n";
        let rest: String = (0..6).map(|n| format!("line_number_{n} = {n}\n")).collect();
        let old = format!("{block}{rest}");
        let new = format!("{rest}{block}");
        let found = at(&old, &new, 2);
        assert!(
            matches!(
                found,
                CommentPlacement::Placed { first: 8, .. } | CommentPlacement::Outdated(_)
            ),
            "{found:?}"
        );
    }

    #[test]
    fn of_a_range_the_kept_part_is_shown() {
        let new = CODE.replace("def second():\n", "def changed():\n");
        let files = files([("f", CODE)], [("f", new.as_str())]);
        let found = place(&anchor("f", CODE, (5, 6)), CODE, &files);
        let CommentPlacement::Placed {
            first, last, mark, ..
        } = found
        else {
            panic!("a half of it is there");
        };
        assert_eq!((first, last, mark), (6, 6, Some(PlaceMark::Part)));
    }

    #[test]
    fn a_file_is_followed_to_the_only_one_that_is_like_it() {
        let renamed = format!("import os\n{CODE}");
        let anchored = anchor("f", CODE, (5, 5));
        let one = files([("f", CODE)], [("g", renamed.as_str())]);
        let CommentPlacement::Placed { path, first, .. } = place(&anchored, CODE, &one) else {
            panic!("it is placed");
        };
        assert_eq!((path.as_str(), first), ("g", 6));
        let two = files(
            [("f", CODE)],
            [("g", renamed.as_str()), ("h", renamed.as_str())],
        );
        assert_eq!(
            place(&anchored, CODE, &two),
            CommentPlacement::Outdated(FILE_GONE)
        );
        let other = files([("f", CODE)], [("g", "something else\n")]);
        assert_eq!(
            place(&anchored, CODE, &other),
            CommentPlacement::Outdated(FILE_GONE)
        );
    }

    #[test]
    fn words_that_occur_more_often_than_before_are_all_shown() {
        let new = format!("{CODE}\n\ndef fourth():\n    pass\n\n\ndef second():\n    pass\n");
        let CommentPlacement::Placed { first, others, .. } = at(CODE, &new, 5) else {
            // What is not sure is outdated: that is allowed, too.
            return;
        };
        assert_eq!((first, others), (5, vec![17]));
    }

    /// Texts with repeated, blank and bracket lines, and edits of them.
    fn text() -> impl Strategy<Value = Vec<String>> {
        let line = prop_oneof![
            Just(String::new()),
            Just("}".to_owned()),
            Just("    return value".to_owned()),
            (0..40_u32).prop_map(|n| format!("line_{n} = call({n})")),
        ];
        proptest::collection::vec(line, 1..30)
    }

    fn edits() -> impl Strategy<Value = Vec<(u8, usize, u32)>> {
        proptest::collection::vec((0..4_u8, 0..40_usize, 0..40_u32), 0..8)
    }

    fn edited(text: &[String], edits: &[(u8, usize, u32)]) -> Vec<String> {
        let mut text = text.to_vec();
        for (kind, at, number) in edits {
            let at = at % (text.len() + 1);
            match kind {
                0 => text.insert(at, format!("line_{number} = call({number})")),
                1 => text.insert(at, "}".to_owned()),
                2 if at < text.len() => drop(text.remove(at)),
                3 if at < text.len() => {
                    let line = text.remove(at);
                    text.insert(usize::try_from(*number).unwrap() % (text.len() + 1), line);
                }
                _ => {}
            }
        }
        text
    }

    proptest! {
        /// L1 to L4 and L7: a placed line reads as the stored one; the same input gives the same place, so what comes
        /// back is where it was; a commit onto itself changes nothing; every comment is placed or listed.
        #[test]
        fn a_placed_line_reads_as_it_did(old in text(), edits in edits()) {
            let new = edited(&old, &edits);
            let (old, new) = (old.join("\n") + "\n", new.join("\n") + "\n");
            let lines = old.lines().count();
            let texts: (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
            let mut last = 0;
            for line in 1..=lines {
                prop_assert_eq!(at(&old, &old, line), on(line, None));
                let found = at(&old, &new, line);
                prop_assert_eq!(&found, &at(&old, &new, line));
                let CommentPlacement::Placed { first, mark, others, .. } = found else { continue };
                if mark != Some(PlaceMark::Near) {
                    prop_assert_eq!(texts.0[line - 1], texts.1[first - 1]);
                }
                for other in others {
                    prop_assert_eq!(texts.0[line - 1], texts.1[other - 1]);
                }
                // L5: what did not move keeps its order.
                if mark.is_none() {
                    prop_assert!(first > last, "{line} -> {first}, after {last}");
                    last = first;
                }
            }
        }

        /// L6: a range is placed once, in order and without a gap.
        #[test]
        fn a_range_is_placed_once(old in text(), edits in edits(), length in 1..6_usize) {
            let new = edited(&old, &edits);
            let (old, new) = (old.join("\n") + "\n", new.join("\n") + "\n");
            let lines = old.lines().count();
            let files = files([("f", old.as_str())], [("f", new.as_str())]);
            for first in 1..=lines.saturating_sub(length) {
                let anchored = anchor("f", &old, (first, first + length - 1));
                if let CommentPlacement::Placed { first, last, mark, .. } = place(&anchored, &old, &files) {
                    prop_assert!(first <= last && last <= new.lines().count());
                    match mark {
                        Some(PlaceMark::Near | PlaceMark::Part) => {}
                        _ => prop_assert!(reads_as_anchor(&anchored, &new, (first, last))),
                    }
                }
            }
        }
    }
}
