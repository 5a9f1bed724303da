//! Compares the tests before and after a change: by identity, wherever they moved.

use std::collections::{BTreeMap, BTreeSet};

use super::expression::{packed, words};
use super::finding::{JudgeFinding, JudgeRule};
use super::test_case::{Strength, TestAssertion, TestCase, TextSpot};

/// A test with its file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlacedTest<'t> {
    pub path: &'t str,
    /// True if test tools find the file by its usual name.
    pub is_collected: bool,
    pub test: &'t TestCase,
}

/// The tests of all changed files, before and after, and what happened to the code.
pub(crate) struct Tests<'t> {
    pub old: Vec<PlacedTest<'t>>,
    pub new: Vec<PlacedTest<'t>>,
    /// Names that the code defined before and defines nowhere now.
    pub gone_names: &'t BTreeSet<String>,
}

/// A way to tell that two tests are the same.
type IsSame<'f> = dyn Fn(&PlacedTest<'_>, &PlacedTest<'_>) -> bool + 'f;

/// The part of the lines of a test that have to be found again in a renamed one.
const SAME_LINES: f64 = 0.5;
/// The part of the words of a test that have to be found again in a renamed one with other lines.
const SAME_WORDS: f64 = 0.8;

impl Tests<'_> {
    /// Returns the findings about all of them.
    pub(crate) fn findings(&self) -> Vec<JudgeFinding> {
        let (pairs, unmatched) = self.pairs();
        let taken: BTreeSet<usize> = pairs.iter().map(|(_, new)| *new).collect();
        let mut found = Vec::new();
        for at in &unmatched {
            found.extend(self.gone(self.old[*at], &pairs, &taken));
        }
        let fresh = (0..self.new.len()).filter(|at| !taken.contains(at));
        let moved: BTreeSet<String> = fresh
            .flat_map(|at| self.new[at].test.assertions.iter().map(TestAssertion::key))
            .collect();
        for (old, new) in &pairs {
            found.extend(self.kept(self.old[*old], self.new[*new], &moved));
        }
        for (_, new) in self
            .new
            .iter()
            .enumerate()
            .filter(|(at, _)| !taken.contains(at))
        {
            found.extend(self.added(*new));
        }
        found
    }

    /// Pairs each old test with the same one now; also gives those that have none.
    fn pairs(&self) -> (Vec<(usize, usize)>, Vec<usize>) {
        let mut free: BTreeSet<usize> = (0..self.new.len()).collect();
        let mut pairs = Vec::new();
        let mut left: Vec<usize> = (0..self.old.len()).collect();
        let may_be =
            |old: &PlacedTest<'_>, new: &PlacedTest<'_>| new.is_collected || !old.is_collected;
        let same_place = |old: &PlacedTest<'_>, new: &PlacedTest<'_>| {
            old.path == new.path && old.test.name == new.test.name
        };
        let moved = |old: &PlacedTest<'_>, new: &PlacedTest<'_>| old.test.name == new.test.name;
        let own_name = |test: &TestCase| last_name(&test.name).to_owned();
        let of_other_class = |old: &PlacedTest<'_>, new: &PlacedTest<'_>| {
            own_name(old.test) == own_name(new.test) && likeness(old.test, new.test) > 0.2
        };
        let renamed = |old: &PlacedTest<'_>, new: &PlacedTest<'_>| {
            likeness(old.test, new.test) >= SAME_LINES
                || shared(&old.test.text, &new.test.text) >= SAME_WORDS
        };
        let ways: [&IsSame<'_>; 4] = [&same_place, &moved, &of_other_class, &renamed];
        for is_same in ways {
            left.retain(|old| {
                let own = &self.old[*old];
                let mut candidates: Vec<usize> = free
                    .iter()
                    .copied()
                    .filter(|new| may_be(own, &self.new[*new]) && is_same(own, &self.new[*new]))
                    .collect();
                candidates.sort_by(|one, other| {
                    let of = |at: &usize| likeness(own.test, self.new[*at].test);
                    of(other).total_cmp(&of(one))
                });
                let Some(best) = candidates.first() else {
                    return true;
                };
                free.remove(best);
                pairs.push((*old, *best));
                false
            });
        }
        (pairs, left)
    }

    /// The finding about a test that is gone.
    fn gone(
        &self,
        old: PlacedTest<'_>,
        pairs: &[(usize, usize)],
        taken: &BTreeSet<usize>,
    ) -> Option<JudgeFinding> {
        let was_off = !old.test.skips.is_empty()
            || old
                .test
                .assertions
                .iter()
                .all(|one| one.strength == Strength::Always)
                && !old.test.assertions.is_empty();
        if was_off || self.went_with_code(&old.test.text) {
            return None;
        }
        // Another test may have taken over what it asserted.
        let may_be = |at: &usize| self.new[*at].is_collected || !old.is_collected;
        let fresh = (0..self.new.len())
            .filter(|at| !taken.contains(at) && may_be(at))
            .map(|at| (self.new[at].test, None));
        let grown = pairs
            .iter()
            .filter(|(_, new)| may_be(new))
            .map(|(old, new)| (self.new[*new].test, Some(self.old[*old].test)));
        let others: Vec<(&TestCase, Option<&TestCase>)> = fresh.chain(grown).collect();
        let is_taken_over =
            |(new, before): &(&TestCase, Option<&TestCase>)| takes_over(old.test, new, *before);
        if others.iter().any(is_taken_over) || take_over_together(old.test, &others) {
            return None;
        }
        Some(JudgeFinding::new(JudgeRule::TestGone, old.path, old.test.line).of(&old.test.name))
    }

    /// True for words about code that is gone.
    fn went_with_code(&self, text: &str) -> bool {
        words(text).any(|word| self.gone_names.contains(word))
    }

    /// The findings about a test that both sides have.
    fn kept(
        &self,
        old: PlacedTest<'_>,
        new: PlacedTest<'_>,
        moved: &BTreeSet<String>,
    ) -> Vec<JudgeFinding> {
        let (path, name) = (new.path, &*new.test.name);
        let mut found = Vec::new();
        for skip in added_spots(&old.test.skips, &new.test.skips) {
            found.push(
                JudgeFinding::new(JudgeRule::Skipped, path, skip.line)
                    .of(name)
                    .changed("", &skip.text),
            );
        }
        for only in added_spots(&old.test.only, &new.test.only) {
            found.extend(self.only(path, name, only));
        }
        found.extend(self.assertions(path, old.test, new.test, moved));
        found.extend(self.rows(path, old.test, new.test));
        for swallowed in added_spots(&old.test.swallowed, &new.test.swallowed) {
            found.push(
                JudgeFinding::new(JudgeRule::Swallowed, path, swallowed.line)
                    .of(name)
                    .changed("", &swallowed.text),
            );
        }
        let gone = added_spots(&new.test.limits, &old.test.limits);
        for (limit, before) in added_spots(&old.test.limits, &new.test.limits)
            .into_iter()
            .zip(gone)
        {
            found.push(
                JudgeFinding::new(JudgeRule::Limit, path, limit.line)
                    .of(name)
                    .changed(&before.text, &limit.text),
            );
        }
        found
    }

    fn only(&self, path: &str, name: &str, only: &TextSpot) -> Option<JudgeFinding> {
        let has_others = self
            .new
            .iter()
            .any(|other| other.path == path && other.test.only.is_empty());
        let finding = JudgeFinding::new(JudgeRule::Skipped, path, only.line).of(name);
        has_others.then(|| finding.changed("", &only.text))
    }

    /// The findings about a new test: its effects on others, and errors that it swallows.
    fn added(&self, new: PlacedTest<'_>) -> Vec<JudgeFinding> {
        let (path, name) = (new.path, &*new.test.name);
        let only = new
            .test
            .only
            .iter()
            .filter_map(|only| self.only(path, name, only));
        let swallowed = new.test.swallowed.iter().map(|one| {
            JudgeFinding::new(JudgeRule::Swallowed, path, one.line)
                .of(name)
                .changed("", &one.text)
        });
        only.chain(swallowed).collect()
    }

    /// W3, W4 and W6.
    fn assertions(
        &self,
        path: &str,
        old: &TestCase,
        new: &TestCase,
        moved: &BTreeSet<String>,
    ) -> Vec<JudgeFinding> {
        let (mut gone, mut fresh) = without_same(&old.assertions, &new.assertions);
        let has_fresh = !fresh.is_empty();
        gone.retain(|one| {
            let stays = one.strength > Strength::Always && !moved.contains(&one.key());
            stays && !self.went_with_code(&one.text)
        });
        let mut found = Vec::new();
        let mut weaken = |gone: &TestAssertion, fresh: &TestAssertion, is_same_subject: bool| {
            let is_weaker = fresh.strength < gone.strength
                && (is_same_subject || fresh.strength <= Strength::Presence);
            let rule = if is_weaker {
                JudgeRule::WeakerAssertion
            } else if is_same_subject
                && !gone.expected.is_empty()
                && !fresh.expected.is_empty()
                && gone.expected.concat() != fresh.expected.concat()
                && fresh.strength <= gone.strength
            {
                JudgeRule::Expectation
            } else {
                return;
            };
            found.push(
                JudgeFinding::new(rule, path, fresh.line)
                    .of(&new.name)
                    .changed(&gone.text, &fresh.text),
            );
        };
        let mut missing = Vec::new();
        for one in gone {
            let same = fresh.iter().position(|other| other.subject == one.subject);
            let alike = || {
                fresh
                    .iter()
                    .position(|other| shared(&one.subject, &other.subject) >= 0.5)
            };
            match same.or_else(alike) {
                Some(at) => {
                    let other = fresh.remove(at);
                    weaken(one, other, one.subject == other.subject);
                }
                None => missing.push(one),
            }
        }
        // What is left over stands for what is missing, in order.
        missing.retain(|one| {
            if fresh.is_empty() {
                return true;
            }
            weaken(one, fresh.remove(0), false);
            false
        });
        let count = |test: &TestCase| {
            test.assertions
                .iter()
                .filter(|one| one.strength > Strength::Always)
                .count()
        };
        let added = added_text(new, Some(old));
        missing.retain(|one| !(has_fresh && is_in(&one.expected, &added)));
        if count(new) < count(old) && new.rows.len() <= old.rows.len() {
            for one in missing {
                found.push(
                    JudgeFinding::new(JudgeRule::FewerAssertions, path, new.line)
                        .of(&new.name)
                        .changed(&one.text, ""),
                );
            }
        }
        found
    }

    /// Rows of data that are gone, as far as there are fewer.
    fn rows(&self, path: &str, old: &TestCase, new: &TestCase) -> Vec<JudgeFinding> {
        let (old_rows, new_rows) = (&old.rows, &new.rows);
        let gone = old_rows
            .iter()
            .filter(|row| !new_rows.contains(row) && !self.went_with_code(row));
        let fewer = old_rows.len().saturating_sub(new_rows.len());
        let is_spread = new_rows.is_empty() && new.assertions.len() > old.assertions.len();
        let fewer = if is_spread { 0 } else { fewer };
        gone.take(fewer)
            .map(|row| {
                JudgeFinding::new(JudgeRule::TestGone, path, new.line)
                    .of(&old.name)
                    .changed(row, "")
            })
            .collect()
    }
}

/// True if a test asserts what another one did: it calls the same, and has its literals in words that are new.
fn takes_over(old: &TestCase, new: &TestCase, before: Option<&TestCase>) -> bool {
    let expected: Vec<String> = old
        .assertions
        .iter()
        .flat_map(|one| one.expected.clone())
        .collect();
    let added = added_text(new, before);
    let calls = |test: &TestCase| {
        let subjects = test
            .assertions
            .iter()
            .map(|one| one.subject.as_str())
            .collect::<Vec<_>>()
            .join(" ");
        words(&test.text)
            .chain(words(&subjects))
            .map(str::to_owned)
            .collect::<BTreeSet<_>>()
    };
    let subjects: BTreeSet<String> = old
        .assertions
        .iter()
        .flat_map(|one| words(&one.subject).map(str::to_owned).collect::<Vec<_>>())
        .filter(|word| !word.starts_with(|c: char| c.is_ascii_digit()))
        .collect();
    let strong = new.assertions.iter().map(|one| one.strength).max();
    let asked = old.assertions.iter().map(|one| one.strength).max();
    let named = calls(new);
    let asserts_anew = match before {
        Some(before) => {
            let fresh = without_same(&before.assertions, &new.assertions).1;
            !fresh.is_empty() || new.rows.len() > before.rows.len()
        }
        None => true,
    };
    !expected.is_empty()
        && asserts_anew
        && new.skips.is_empty()
        && strong >= asked
        && is_in(&expected, &added)
        && subjects.iter().any(|word| named.contains(word))
}

/// True if several tests together assert what another one did: each of its assertions is word for word among their
/// new ones, or has its literals in their new words and asks for no more than one about the same.
fn take_over_together(old: &TestCase, others: &[(&TestCase, Option<&TestCase>)]) -> bool {
    let others = others.iter().filter(|(new, _)| new.skips.is_empty());
    let mut fresh: Vec<&TestAssertion> = Vec::new();
    let mut added = String::new();
    for (new, before) in others {
        match before {
            Some(before) => fresh.extend(without_same(&before.assertions, &new.assertions).1),
            None => fresh.extend(&new.assertions),
        }
        added.push_str(&added_text(new, *before));
    }
    let asked = old
        .assertions
        .iter()
        .filter(|one| one.strength > Strength::Always);
    let asked: Vec<&TestAssertion> = asked.collect();
    let is_there = |one: &&TestAssertion| {
        fresh.iter().any(|other| {
            other.key() == one.key()
                || (other.strength >= one.strength
                    && shared(&one.subject, &other.subject) > 0.3
                    && is_in(&one.expected, &added))
        })
    };
    !asked.is_empty() && fresh.len() >= asked.len() && asked.iter().all(is_there)
}

/// The words of a test that its older version does not have.
fn added_text(new: &TestCase, before: Option<&TestCase>) -> String {
    let known: BTreeSet<String> = before
        .map(|before| before.text.lines().map(packed).collect())
        .unwrap_or_default();
    let added = new
        .text
        .lines()
        .filter(|line| !known.contains(&packed(line)));
    let mut text = added.collect::<Vec<_>>().join("\n");
    for row in new
        .rows
        .iter()
        .filter(|row| before.is_none_or(|before| !before.rows.contains(row)))
    {
        text.push('\n');
        text.push_str(row);
    }
    text
}

/// True if there are literals, and a text has each of them as often.
fn is_in(literals: &[String], text: &str) -> bool {
    let mut asked: BTreeMap<String, usize> = BTreeMap::new();
    for literal in literals {
        *asked.entry(packed(literal)).or_default() += 1;
    }
    let text = packed(text);
    !asked.is_empty()
        && asked
            .iter()
            .all(|(literal, _)| text.contains(literal.as_str()))
}

/// The assertions of both sides without those that are word for word on the other.
fn without_same<'t>(
    old: &'t [TestAssertion],
    new: &'t [TestAssertion],
) -> (Vec<&'t TestAssertion>, Vec<&'t TestAssertion>) {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for one in new {
        *counts.entry(one.key()).or_default() += 1;
    }
    let mut kept: BTreeMap<String, usize> = BTreeMap::new();
    let gone = old
        .iter()
        .filter(
            |one| match counts.get_mut(&one.key()).filter(|count| **count > 0) {
                Some(count) => {
                    *count -= 1;
                    *kept.entry(one.key()).or_default() += 1;
                    false
                }
                None => true,
            },
        )
        .collect();
    let fresh = new
        .iter()
        .filter(
            |one| match kept.get_mut(&one.key()).filter(|count| **count > 0) {
                Some(count) => {
                    *count -= 1;
                    false
                }
                None => true,
            },
        )
        .collect();
    (gone, fresh)
}

/// The places that one side has more often than the other, by their words.
fn added_spots<'t>(old: &[TextSpot], new: &'t [TextSpot]) -> Vec<&'t TextSpot> {
    let mut known: Vec<String> = old.iter().map(|spot| packed(&spot.text)).collect();
    new.iter()
        .filter(|spot| {
            let words = packed(&spot.text);
            match known.iter().position(|other| *other == words) {
                Some(at) => {
                    known.swap_remove(at);
                    false
                }
                None => true,
            }
        })
        .collect()
}

fn last_name(name: &str) -> &str {
    let name = name.rsplit("::").next().unwrap_or(name);
    name.rsplit(" > ").next().unwrap_or(name)
}

/// The part of the lines of two tests that are the same, from 0 to 1.
fn likeness(one: &TestCase, other: &TestCase) -> f64 {
    let lines = |test: &TestCase| {
        let lines = test.text.lines().map(packed).filter(|line| line.len() > 3);
        lines.skip(1).collect::<BTreeSet<_>>()
    };
    let (one, other) = (lines(one), lines(other));
    let all = one.union(&other).count();
    if all == 0 {
        return 0.0;
    }
    ratio(one.intersection(&other).count(), all)
}

/// The part of the words of two expressions that are the same, from 0 to 1.
fn shared(one: &str, other: &str) -> f64 {
    let of = |text: &str| words(text).map(str::to_owned).collect::<BTreeSet<_>>();
    let (one, other) = (of(one), of(other));
    let all = one.union(&other).count();
    if all == 0 {
        return 0.0;
    }
    ratio(one.intersection(&other).count(), all)
}

fn ratio(part: usize, all: usize) -> f64 {
    let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    number(part) / number(all)
}
