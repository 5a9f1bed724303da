//! Which line of one text is which of another: three ways of comparing, and what all of them agree on.

use std::collections::HashMap;

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// The occurrences of a line above which it is no landmark of the histogram.
const MAX_OCCURRENCES: usize = 64;

/// Two texts as numbered lines; equal lines have one number, blanks at their ends aside.
pub struct NumberedTexts {
    /// The lines of the old text.
    pub old: Vec<u32>,
    /// The lines of the new text.
    pub new: Vec<u32>,
    counts: Vec<[usize; 2]>,
    is_telling: Vec<bool>,
}

impl NumberedTexts {
    /// Numbers the lines of two texts.
    pub fn of(old: &str, new: &str) -> Self {
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let (mut counts, mut is_telling) = (Vec::new(), Vec::new());
        let mut texts = [Vec::new(), Vec::new()];
        for (side, text) in [old, new].into_iter().enumerate() {
            for line in text.lines() {
                let line = line.trim_end();
                let next = u32::try_from(counts.len()).unwrap_or(u32::MAX);
                let number = *numbers.entry(line).or_insert(next);
                if number == next {
                    counts.push([0, 0]);
                    is_telling.push(has_words(line));
                }
                counts[number as usize][side] += 1;
                texts[side].push(number);
            }
        }
        let [old, new] = texts;
        Self {
            old,
            new,
            counts,
            is_telling,
        }
    }

    /// The numbers of occurrences of a line in the old text and in the new one.
    pub(crate) fn count(&self, number: u32) -> [usize; 2] {
        self.counts[number as usize]
    }

    /// Returns true for a line of the old text that is told from all others: some words, and only once there.
    pub(crate) fn is_telling(&self, at: usize) -> bool {
        let number = self.old[at];
        self.is_telling[number as usize] && self.count(number)[0] == 1
    }

    /// Returns true for a line with some words.
    pub(crate) fn has_words(&self, at: usize) -> bool {
        self.is_telling[self.old[at] as usize]
    }

    /// For each line of the old text the line of the new one on which all ways of comparing agree.
    pub(crate) fn agreed(&self) -> Vec<Option<usize>> {
        if self.old == self.new {
            return (0..self.old.len()).map(Some).collect();
        }
        let (kept, maps) = (self.kept(), self.kept_otherwise());
        (0..self.old.len())
            .map(|at| {
                let first = kept[at];
                first.filter(|_| maps.iter().all(|map| map[at] == first))
            })
            .collect()
    }

    /// For each line of the old text the line of the new one, by each way of comparing; the others than [`Self::kept`].
    pub fn kept_otherwise(&self) -> [Vec<Option<usize>>; 2] {
        [self.by_library(Algorithm::Patience), self.by_histogram()]
    }

    /// The same by one way alone: which lines the difference keeps.
    pub fn kept(&self) -> Vec<Option<usize>> {
        self.by_library(Algorithm::Myers)
    }

    fn by_library(&self, way: Algorithm) -> Vec<Option<usize>> {
        let mut map = vec![None; self.old.len()];
        for op in capture_diff_slices(way, &self.old, &self.new) {
            if let DiffOp::Equal {
                old_index,
                new_index,
                len,
            } = op
            {
                for at in 0..len {
                    map[old_index + at] = Some(new_index + at);
                }
            }
        }
        map
    }

    /// The longest common run around the rarest line, again and again on both of its sides.
    fn by_histogram(&self) -> Vec<Option<usize>> {
        let mut map = vec![None; self.old.len()];
        let mut regions = vec![(0..self.old.len(), 0..self.new.len())];
        while let Some((mut old, mut new)) = regions.pop() {
            while let (Some(a), Some(b)) =
                (self.old[old.clone()].first(), self.new[new.clone()].first())
                && a == b
            {
                map[old.start] = Some(new.start);
                old.start += 1;
                new.start += 1;
            }
            while let (Some(a), Some(b)) =
                (self.old[old.clone()].last(), self.new[new.clone()].last())
                && a == b
            {
                old.end -= 1;
                new.end -= 1;
                map[old.end] = Some(new.end);
            }
            if old.is_empty() || new.is_empty() {
                continue;
            }
            let Some((a, b, length)) = self.rarest_run((old.start, old.end), (new.start, new.end))
            else {
                continue;
            };
            for at in 0..length {
                map[a + at] = Some(b + at);
            }
            regions.push((old.start..a, new.start..b));
            regions.push((a + length..old.end, b + length..new.end));
        }
        map
    }

    /// Where the run of common lines begins that holds the rarest line, and how long it is.
    fn rarest_run(
        &self,
        old: (usize, usize),
        new: (usize, usize),
    ) -> Option<(usize, usize, usize)> {
        let mut places: HashMap<u32, Vec<usize>> = HashMap::new();
        for at in old.0..old.1 {
            places.entry(self.old[at]).or_default().push(at);
        }
        let mut best: Option<(usize, usize, usize, usize)> = None;
        let mut b = new.0;
        while b < new.1 {
            let mut next = b + 1;
            let found = places.get(&self.new[b]).map(Vec::as_slice);
            let found = found.filter(|found| found.len() <= MAX_OCCURRENCES);
            for &a in found.unwrap_or_default() {
                let (mut first_a, mut first_b, mut length) = (a, b, 1);
                let mut rarity = places[&self.old[a]].len();
                while first_a > old.0
                    && first_b > new.0
                    && self.old[first_a - 1] == self.new[first_b - 1]
                {
                    first_a -= 1;
                    first_b -= 1;
                    length += 1;
                    rarity = rarity.min(places[&self.old[first_a]].len());
                }
                while first_a + length < old.1
                    && first_b + length < new.1
                    && self.old[first_a + length] == self.new[first_b + length]
                {
                    rarity = rarity.min(places[&self.old[first_a + length]].len());
                    length += 1;
                }
                next = next.max(first_b + length);
                let is_better = best.is_none_or(|(_, _, longest, rarest)| {
                    (rarity, usize::MAX - length) < (rarest, usize::MAX - longest)
                });
                if is_better {
                    best = Some((first_a, first_b, length, rarity));
                }
            }
            b = next;
        }
        best.map(|(a, b, length, _)| (a, b, length))
    }
}

/// Returns true for a line with four characters of words or more.
fn has_words(line: &str) -> bool {
    words_in(line).nth(3).is_some()
}

/// Returns how many characters of words a line has.
pub fn word_characters(line: &str) -> usize {
    words_in(line).count()
}

/// Returns the characters of a line that are part of words.
fn words_in(line: &str) -> impl Iterator<Item = char> {
    let letters = line.chars();
    letters.filter(|letter| letter.is_alphanumeric() || *letter == '_')
}

/// Returns how alike two texts are, in percent: the bytes of common lines, of those of the longer text.
pub fn similarity(one: &str, other: &str) -> usize {
    let mut left: HashMap<&str, usize> = HashMap::new();
    for line in one.lines() {
        *left.entry(line).or_default() += 1;
    }
    let mut common = 0;
    for line in other.lines() {
        if let Some(count) = left.get_mut(line).filter(|count| **count > 0) {
            *count -= 1;
            common += line.len() + 1;
        }
    }
    common * 100 / one.len().max(other.len()).max(1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(old: &str, new: &str, map: &[Option<usize>]) {
        let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
        let mut last = None;
        for (at, to) in map.iter().enumerate() {
            let Some(to) = *to else { continue };
            assert_eq!(old[at], new[to]);
            assert!(last.is_none_or(|last| last < to), "{map:?}");
            last = Some(to);
        }
    }

    #[test]
    fn the_rarest_line_is_the_landmark() {
        let old = "}\na\n}\nunique\n}\n";
        let new = "}\n}\nunique\nb\n}\n";
        let texts = NumberedTexts::of(old, new);
        let map = texts.by_histogram();
        check(old, new, &map);
        assert_eq!(map[3], Some(2));
    }

    #[test]
    fn alike_are_texts_with_the_same_lines() {
        assert_eq!(similarity("a\nb\n", "b\na\n"), 100);
        assert_eq!(similarity("aa\nbb\n", "aa\ncc\n"), 50);
        assert_eq!(similarity("", "a\n"), 0);
    }

    proptest! {
        /// Every map keeps lines that read alike, in their order.
        #[test]
        fn maps_keep_the_order_of_equal_lines(
            old in "([a-d}]\n){0,30}", new in "([a-d}]\n){0,30}"
        ) {
            let texts = NumberedTexts::of(&old, &new);
            for map in [texts.by_histogram(), texts.agreed(), texts.kept()] {
                check(&old, &new, &map);
            }
        }
    }
}
