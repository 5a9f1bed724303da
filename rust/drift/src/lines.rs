//! The lines that a change wrote, and where they stand in another text. Nothing here knows files or commits.

use std::collections::HashSet;

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
    texts: NumberedTexts,
    maps: [Vec<Option<usize>>; 3],
    words: Vec<usize>,
    new_words: Vec<usize>,
}

impl LaterText {
    /// Compares two texts; blanks at the ends of lines, and so the kind of line ends, make no difference.
    pub(crate) fn of(landed: &str, later: &str) -> Self {
        let texts = NumberedTexts::of(landed, later);
        let maps = texts.maps();
        let words = |text: &str| text.lines().map(word_characters).collect();
        Self {
            maps,
            words: words(landed),
            new_words: words(later),
            texts,
        }
    }

    /// Returns the place, counted from 0, at which all of the lines stand as one block between what was around them.
    pub(crate) fn in_place(&self, lines: LineRange) -> Option<usize> {
        let sought = self.texts.old.get(lines.places())?;
        let mut tried = HashSet::new();
        for map in &self.maps {
            for at in lines.places().filter(|at| self.words[*at] > 0) {
                let first = map[at].and_then(|to| (to + lines.first).checked_sub(at + 1));
                if let Some(first) = first.filter(|first| tried.insert(*first))
                    && self.texts.new.get(first..first + sought.len()) == Some(sought)
                {
                    return Some(first);
                }
            }
        }
        None
    }

    /// Returns the place, counted from 0, at which the lines stand elsewhere in the later text: once there as before.
    pub(crate) fn elsewhere(&self, lines: LineRange) -> Option<usize> {
        let sought = self.texts.old.get(lines.places())?;
        let words: usize = self.words[lines.places()].iter().sum();
        if words < MOVED_WORDS {
            return None;
        }
        only(&self.texts.old, sought)?;
        only(&self.texts.new, sought)
    }

    /// Returns true if something stands in the place of lines that are gone, or a part of them.
    pub(crate) fn has_other_lines(&self, lines: LineRange) -> bool {
        let map = &self.maps[0];
        let mut own = lines.places().filter(|at| self.words[*at] > 0);
        if own.any(|at| map[at].is_some()) {
            return true;
        }
        let above = map[..lines.first - 1].iter().rev().find_map(|to| *to);
        let below = map[lines.last.min(map.len())..].iter().find_map(|to| *to);
        let from = above.map_or(0, |to| to + 1);
        let to = below.unwrap_or(self.new_words.len());
        (from..to).any(|at| self.new_words[at] > 0)
    }
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
        let text = LaterText::of(LANDED, later);
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
        let text = LaterText::of(LANDED, moved);
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
