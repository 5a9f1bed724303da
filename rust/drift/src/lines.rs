//! The lines that a change wrote, and where they stand in another text. Nothing here knows files or commits.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::sync::Arc;

use chant_review::line_maps::{NumberedTexts, word_characters};

/// Characters of words by which lines are known again at another place of their file.
const MOVED_WORDS: usize = 4;
/// Characters of words by which lines are known again in another file.
const FAR_WORDS: usize = 30;

/// Lines of a text, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineRange {
    /// The first line.
    pub first: usize,
    /// The last line.
    pub last: usize,
}

impl LineRange {
    /// Returns the places of the lines, counted from 0.
    fn places(self) -> std::ops::Range<usize> {
        self.first.saturating_sub(1)..self.last
    }

    /// Returns as many lines from another first one on, which is counted from 0.
    pub(crate) fn at(self, first: usize) -> Self {
        Self {
            first: first + 1,
            last: first + 1 + self.last - self.first,
        }
    }
}

/// Returns the runs of lines that a change added or wrote anew.
///
/// Lines without words at the ends of a run are left out: a bracket or a blank line there may as well be its neighbour's.
/// A run of nothing else has no words that could change.
pub fn written_lines(before: &str, after: &str) -> Vec<LineRange> {
    let texts = NumberedTexts::of(before, after);
    let mut is_written = vec![true; texts.new.len()];
    for to in texts.kept().into_iter().flatten() {
        is_written[to] = false;
    }
    let lines: Vec<&str> = after.lines().collect();
    runs_of(&is_written, &lines)
}

/// Returns the lines of one text that are kept in another, as lines of that one.
pub(crate) fn carried_lines(ranges: &[LineRange], from: &str, to: &str) -> Vec<LineRange> {
    let kept = NumberedTexts::of(from, to).kept();
    let lines: Vec<&str> = to.lines().collect();
    let mut is_carried = vec![false; lines.len()];
    for at in ranges.iter().flat_map(|range| range.places()) {
        if let Some(Some(to)) = kept.get(at) {
            is_carried[*to] = true;
        }
    }
    runs_of(&is_carried, &lines)
}

/// Joins runs of lines of one text.
pub(crate) fn joined_lines(ranges: &[LineRange], text: &str) -> Vec<LineRange> {
    let lines: Vec<&str> = text.lines().collect();
    let mut is_in = vec![false; lines.len()];
    for at in ranges.iter().flat_map(|range| range.places()) {
        if let Some(is_in) = is_in.get_mut(at) {
            *is_in = true;
        }
    }
    runs_of(&is_in, &lines)
}

/// Returns the runs of marked lines that have words, from the first line with words to the last one.
fn runs_of(is_marked: &[bool], lines: &[&str]) -> Vec<LineRange> {
    let mut runs = Vec::new();
    let mut at = 0;
    while at < is_marked.len() {
        let length = is_marked[at..].iter().take_while(|marked| **marked).count();
        let has_words = |place: &usize| word_characters(lines[*place]) > 0;
        let mut with_words = (at..at + length).filter(has_words);
        if let Some(first) = with_words.next() {
            let last = with_words.next_back().unwrap_or(first);
            runs.push(LineRange {
                first: first + 1,
                last: last + 1,
            });
        }
        at += length.max(1);
    }
    runs
}

/// A text that landed beside a later one.
pub(crate) struct LaterText {
    landed: Arc<str>,
    later: Arc<str>,
    texts: NumberedTexts,
    /// Which lines are kept, by the ways of comparing: made when a question needs them.
    kept: OnceCell<Vec<Option<usize>>>,
    kept_otherwise: OnceCell<[Vec<Option<usize>>; 2]>,
}

impl LaterText {
    /// Compares two texts; blanks at the ends of lines, and so the kind of line ends, make no difference.
    pub(crate) fn of(landed: &Arc<str>, later: &Arc<str>) -> Self {
        Self {
            texts: NumberedTexts::of(landed, later),
            landed: Arc::clone(landed),
            later: Arc::clone(later),
            kept: OnceCell::new(),
            kept_otherwise: OnceCell::new(),
        }
    }

    fn kept(&self) -> &[Option<usize>] {
        self.kept.get_or_init(|| self.texts.kept())
    }

    /// Returns true if the lines stand in the later text, wherever that is.
    pub(crate) fn has(&self, lines: LineRange) -> bool {
        let Some(sought) = self.texts.old.get(lines.places()) else {
            return false;
        };
        is_in(&self.texts.new, sought)
            && (self.elsewhere(lines).is_some() || self.in_place(lines).is_some())
    }

    /// Returns the place, counted from 0, at which all of the lines stand as one block between what was around them.
    pub(crate) fn in_place(&self, lines: LineRange) -> Option<usize> {
        let sought = self.texts.old.get(lines.places())?;
        if !is_in(&self.texts.new, sought) {
            return None;
        }
        let by = |map: &[Option<usize>]| {
            let mut tried = HashSet::new();
            lines.places().find_map(|at| {
                let first = (map[at]? + lines.first).checked_sub(at + 1)?;
                let is_new = tried.insert(first);
                let there = self.texts.new.get(first..first + sought.len());
                (is_new && there == Some(sought)).then_some(first)
            })
        };
        by(self.kept()).or_else(|| {
            let otherwise = || self.texts.kept_otherwise();
            let maps = self.kept_otherwise.get_or_init(otherwise);
            maps.iter().find_map(|map| by(map))
        })
    }

    /// Returns the place, counted from 0, at which the lines stand elsewhere in the later text: once there as before.
    pub(crate) fn elsewhere(&self, lines: LineRange) -> Option<usize> {
        let sought = self.texts.old.get(lines.places())?;
        let words = self.landed.lines().skip(lines.first - 1).take(sought.len());
        if words.map(word_characters).sum::<usize>() < MOVED_WORDS {
            return None;
        }
        only(&self.texts.old, sought)?;
        only(&self.texts.new, sought)
    }

    /// Returns true if something stands in the place of lines that are gone, or a part of them.
    pub(crate) fn has_other_lines(&self, lines: LineRange) -> bool {
        let kept = self.kept();
        let own = self.landed.lines().enumerate();
        let mut own = own.skip(lines.first - 1).take(lines.places().len());
        if own.any(|(at, line)| kept[at].is_some() && word_characters(line) > 0) {
            return true;
        }
        let above = kept[..lines.first - 1].iter().rev().find_map(|to| *to);
        let below = kept[lines.last.min(kept.len())..].iter().find_map(|to| *to);
        let from = above.map_or(0, |to| to + 1);
        let to = below.unwrap_or(self.texts.new.len());
        let between = self.later.lines().skip(from).take(to.saturating_sub(from));
        between.into_iter().any(|line| word_characters(line) > 0)
    }
}

/// Returns true if some lines stand in others.
fn is_in(all: &[u32], sought: &[u32]) -> bool {
    all.windows(sought.len().max(1)).any(|part| part == sought)
}

/// Returns where lines of one text stand in another, if they do once and say enough to be known again; counted from 0.
pub(crate) fn found_in(landed: &str, lines: LineRange, other: &str) -> Option<usize> {
    let sought: Vec<&str> = landed.lines().map(str::trim_end).collect();
    let sought = sought.get(lines.places())?;
    let words: usize = sought.iter().map(|line| word_characters(line)).sum();
    if words < FAR_WORDS {
        return None;
    }
    let other: Vec<&str> = other.lines().map(str::trim_end).collect();
    only(&other, sought)
}

/// Returns where some lines stand in others, if they do once.
fn only<T: PartialEq>(all: &[T], sought: &[T]) -> Option<usize> {
    let windows = all.windows(sought.len().max(1)).enumerate();
    let mut found = windows.filter(|(_, part)| *part == sought);
    let (at, _) = found.next()?;
    found.next().is_none().then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LANDED: &str = "fn a() {\n    one();\n}\n\nfn b() {\n    two();\n}\n";

    fn range(first: usize, last: usize) -> LineRange {
        LineRange { first, last }
    }

    #[test]
    fn runs_begin_and_end_with_words() {
        let before = "fn a() {\n    one();\n}\n";
        assert_eq!(written_lines(before, LANDED), [range(5, 6)]);
        assert_eq!(written_lines("", LANDED), [range(1, 6)]);
        assert_eq!(written_lines(LANDED, before), []);
        assert_eq!(written_lines("x\n", "x\n\n}\n"), []);
    }

    #[test]
    fn lines_whose_first_is_kept_and_that_stand_elsewhere_have_moved() {
        let landed: Arc<str> = "one();\ntwo();\nthree();\n".into();
        let later: Arc<str> =
            "one();\nother();\nthree();\n\nfn b() {\none();\ntwo();\nthree();\n}\n".into();
        let later = LaterText::of(&landed, &later);
        for (lines, place) in [(range(1, 3), Some(5)), (range(2, 2), Some(6))] {
            let found = later.in_place(lines).or_else(|| later.elsewhere(lines));
            assert_eq!(found, place, "{lines:?}");
        }
    }

    #[test]
    fn lines_of_an_earlier_step_are_carried_as_far_as_they_are_kept() {
        let later = LANDED.replace("one", "uno").replace("fn a", "// new\nfn a");
        let carried = carried_lines(&[range(1, 6)], LANDED, &later);
        assert_eq!(carried, [range(2, 2), range(6, 7)]);
        assert_eq!(
            joined_lines(&[range(2, 3), range(3, 6)], &later),
            [range(2, 7)].map(|_| range(2, 6))
        );
    }

    #[track_caller]
    fn check(later: &str, in_place: Option<usize>, elsewhere: Option<usize>, has_other: bool) {
        let text = LaterText::of(&LANDED.into(), &later.into());
        let lines = range(5, 6);
        assert_eq!(text.in_place(lines), in_place, "{later}");
        if in_place.is_none() {
            assert_eq!(text.elsewhere(lines), elsewhere, "{later}");
            assert_eq!(text.has_other_lines(lines), has_other, "{later}");
        }
    }

    #[test]
    fn lines_stand_in_place_or_elsewhere_or_are_changed_or_gone() {
        check(LANDED, Some(4), None, true);
        check(&LANDED.replace('\n', "\r\n"), Some(4), None, true);
        check(&format!("use x;\n\n{LANDED}"), Some(6), None, true);
        check(&LANDED.replace("two", "three"), None, None, true);
        // A line in their midst is no longer what landed.
        check(
            &LANDED.replace("    two", "    new();\n    two"),
            None,
            None,
            true,
        );
        check("fn a() {\n    one();\n}\n", None, None, false);
        check("", None, None, false);
        let moved = "fn b() {\n    two();\n}\n\nfn z() {\n    zero();\n    more();\n}\n\nfn a() {\n    one();\n}\n";
        let text = LaterText::of(&LANDED.into(), &moved.into());
        assert!(text.in_place(range(5, 6)).or(text.elsewhere(range(5, 6))) == Some(0));
    }

    #[test]
    fn in_other_files_only_lines_with_many_words_are_known_again() {
        let landed = "short();\nfn with_a_long_name(argument: Type) -> Answer {\n";
        assert_eq!(found_in(landed, range(1, 1), "short();\n"), None);
        let other = "x\nfn with_a_long_name(argument: Type) -> Answer {\r\n";
        assert_eq!(found_in(landed, range(2, 2), other), Some(1));
        assert_eq!(found_in(landed, range(2, 2), &other.repeat(2)), None);
    }
}
