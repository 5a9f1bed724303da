//! The two copies of a spec, and git's merge driver.

use chant_spec_runs::merge::{MergeSide, SpecConflict, driver_merged, merge_specs};
use proptest::prelude::*;

const BASE: &str = "---
type: code # what it is
status: in_progress
labels: [a, b]
depends_on: x
custom:
  deep: 1
---
# Title

Text.

## Acceptance Criteria

- [ ] one
- [ ] two
  - [ ] nested

## Notes

End.
";

fn with(text: &str, changes: &[(&str, &str)]) -> String {
    changes.iter().fold(text.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    })
}

#[track_caller]
fn check(checkout: &[(&str, &str)], branch: &[(&str, &str)], expected: &[(&str, &str)]) {
    let (checkout, branch) = (with(BASE, checkout), with(BASE, branch));
    let found = merge_specs(Some(BASE), Some(&checkout), Some(&branch));
    assert_eq!(found, Ok(with(BASE, expected)));
}

#[track_caller]
fn conflicts(checkout: &[(&str, &str)], branch: &[(&str, &str)]) -> Vec<String> {
    let (checkout, branch) = (with(BASE, checkout), with(BASE, branch));
    let found = merge_specs(Some(BASE), Some(&checkout), Some(&branch)).unwrap_err();
    let told = found
        .iter()
        .map(|c| c.describe("the checkout", "the branch"));
    told.collect()
}

#[test]
fn state_and_bookkeeping_are_the_checkouts_whatever_the_branch_says() {
    check(
        &[
            ("status: in_progress", "status: completed"),
            (
                "[a, b]",
                "[a, b]\nbranch: chant/x\ncommits: [abc]\ncompleted_at: 2026-01-01T00:00:00Z",
            ),
        ],
        &[
            ("status: in_progress", "status: cancelled\nmodel: opus"),
            (
                "custom:",
                "approval: {required: true, status: approved}\ncustom:",
            ),
            ("[ ] one", "[x] one"),
        ],
        &[
            ("status: in_progress", "status: completed"),
            (
                "[a, b]",
                "[a, b]\nbranch: chant/x\ncommits: [abc]\ncompleted_at: 2026-01-01T00:00:00Z",
            ),
            ("[ ] one", "[x] one"),
        ],
    );
}

#[test]
fn ticks_come_from_the_branch_beside_any_other_change() {
    check(
        &[
            ("- [ ] one", "- [ ] zero\n- [ ] one"),
            ("Text.", "Other text."),
        ],
        &[
            ("[ ] one", "[x] one"),
            ("[ ] nested", "[X] nested"),
            ("End.", "The end."),
        ],
        &[
            ("- [ ] one", "- [ ] zero\n- [x] one"),
            ("Text.", "Other text."),
            ("[ ] nested", "[X] nested"),
            ("End.", "The end."),
        ],
    );
}

#[test]
fn a_tick_made_in_the_checkout_alone_stays_and_one_taken_back_on_the_branch_is_gone() {
    let base = with(BASE, &[("[ ] two", "[x] two")]);
    let checkout = with(&base, &[("[ ] one", "[x] one")]);
    let branch = with(&base, &[("[x] two", "[ ] two")]);
    let expected = with(BASE, &[("[ ] one", "[x] one")]);
    assert_eq!(
        merge_specs(Some(&base), Some(&checkout), Some(&branch)),
        Ok(expected)
    );
}

#[test]
fn a_criterion_that_the_branch_lacks_stays_where_it_was() {
    let all = "- [ ] one\n- [ ] two\n  - [ ] nested\n";
    check(&[], &[("- [ ] one\n", "")], &[]);
    check(&[], &[("- [ ] two\n", "")], &[]);
    check(&[], &[("  - [ ] nested\n", "")], &[]);
    check(&[], &[(all, "- [x] two\n")], &[("[ ] two", "[x] two")]);
    check(
        &[("- [ ] two", "- [x] two")],
        &[(all, "- [x] one\n- [x] another\n")],
        &[(all, "- [x] one\n- [x] two\n  - [ ] nested\n- [x] another\n")],
    );
    // Reworded ones stay beside what became of them.
    check(
        &[],
        &[("- [ ] one\n", "- [x] one, more or less\n")],
        &[("- [ ] one\n", "- [x] one, more or less\n- [ ] one\n")],
    );
}

#[test]
fn criteria_without_a_place_are_told() {
    let all = "## Acceptance Criteria\n\n- [ ] one\n- [ ] two\n  - [ ] nested\n\n";
    assert_eq!(
        conflicts(&[], &[(all, "")])[0],
        "the criterion 'one' stands in the checkout and has no place in the branch"
    );
}

#[test]
fn lists_are_united_and_removals_respected() {
    check(
        &[("[a, b]", "[b, c]"), ("depends_on: x", "depends_on: v")],
        &[
            ("[a, b]", "[a, b, d]"),
            ("depends_on: x", "depends_on: [x, z]"),
        ],
        &[
            ("[a, b]", "[b, c, d]"),
            ("depends_on: x", "depends_on:\n- v\n- z"),
        ],
    );
    // An empty list says something else than none.
    check(
        &[("labels: [a, b]\n", "")],
        &[("depends_on: x", "depends_on: []")],
        &[
            ("labels: [a, b]\n", ""),
            ("depends_on: x", "depends_on: []"),
        ],
    );
}

#[test]
fn other_keys_are_the_side_that_changed_them_and_both_is_a_conflict() {
    check(
        &[("type: code", "type: task")],
        &[(
            "custom:\n  deep: 1",
            "custom: {deep: [2], # deeper\n  x: 1}",
        )],
        &[
            ("type: code", "type: task"),
            (
                "custom:\n  deep: 1",
                "custom: {deep: [2], # deeper\n  x: 1}",
            ),
        ],
    );
    assert_eq!(
        conflicts(
            &[("type: code #", "type: task #"), ("deep: 1", "deep: 2")],
            &[
                ("type: code #", "type: research #"),
                ("custom:\n  deep: 1\n", "")
            ],
        ),
        [
            "`type` is `task # what it is` in the checkout and `research # what it is` in the branch",
            "`custom` is `deep: 2` in the checkout and absent in the branch",
        ]
    );
    // Said in two ways it is no conflict.
    check(
        &[("custom:\n  deep: 1", "custom: {deep: 2}")],
        &[("deep: 1", "deep: 2")],
        &[("custom:\n  deep: 1", "custom: {deep: 2}")],
    );
}

#[test]
fn bodies_clash_line_by_line_and_are_never_marked() {
    assert_eq!(
        conflicts(
            &[("Text.", "Ours.")],
            &[("Text.", "Theirs."), ("[ ] one", "[x] one")]
        ),
        ["the body was changed in both: 'Ours.' in the checkout and 'Theirs.' in the branch"]
    );
}

#[test]
fn line_ends_of_a_whole_file_are_no_change() {
    let branch = with(BASE, &[("End.", "The end."), ("[ ] one", "[x] one")]).replace('\n', "\r\n");
    let checkout = with(
        BASE,
        &[
            ("Text.", "Other."),
            ("status: in_progress", "status: completed"),
        ],
    );
    let expected = with(&checkout, &[("End.", "The end."), ("[ ] one", "[x] one")]);
    assert_eq!(
        merge_specs(Some(BASE), Some(&checkout), Some(&branch)),
        Ok(expected)
    );
}

#[test]
fn absent_and_unreadable_versions_are_told_apart() {
    let removed = |side| Err(vec![SpecConflict::Removed(side)]);
    assert_eq!(merge_specs(None, Some("a"), None), Ok("a".into()));
    assert_eq!(merge_specs(None, None, Some("a")), Ok("a".into()));
    assert_eq!(
        merge_specs(Some("a"), None, Some("a")),
        removed(MergeSide::Ours)
    );
    assert_eq!(
        merge_specs(Some("a"), Some("a"), None),
        removed(MergeSide::Theirs)
    );
    let told = conflicts(
        &[("labels: [a", "labels: [[a")],
        &[("type: code", "- type")],
    );
    assert!(
        told[0].starts_with("the spec cannot be read in the checkout: ")
            && told[1].starts_with("the spec cannot be read in the branch: "),
        "{told:?}"
    );
}

#[test]
fn without_a_version_before_both_equal_parts_agree_and_others_clash() {
    let other = with(BASE, &[("[ ] one", "[x] one"), ("[a, b]", "[b, c]")]);
    let expected = with(BASE, &[("[ ] one", "[x] one"), ("[a, b]", "[a, b, c]")]);
    assert_eq!(merge_specs(None, Some(BASE), Some(&other)), Ok(expected));
    let other = with(BASE, &[("Text.", "Other.")]);
    assert!(merge_specs(None, Some(BASE), Some(&other)).is_err());
}

#[track_caller]
fn check_driver(ours: &[(&str, &str)], theirs: &[(&str, &str)], expected: &[(&str, &str)]) {
    let found = driver_merged(BASE, &with(BASE, ours), &with(BASE, theirs));
    assert_eq!(found, Ok(with(BASE, expected)));
}

/// Reference chant 6.9.
#[test]
fn the_merge_driver_takes_the_more_advanced_state_and_unites_lists() {
    let status = "status: in_progress";
    let order =
        "cancelled failed needs_attention blocked pending ready paused in_progress completed";
    let order: Vec<String> = order
        .split(' ')
        .map(|word| format!("status: {word}"))
        .collect();
    for pair in order.windows(2) {
        check_driver(
            &[(status, &pair[0])],
            &[(status, &pair[1])],
            &[(status, &pair[1])],
        );
        check_driver(
            &[(status, &pair[1])],
            &[(status, &pair[0])],
            &[(status, &pair[1])],
        );
    }
    check_driver(
        &[("[a, b]", "[a, b, c]\ncommits: [1a]\nmodel: opus")],
        &[(
            "[a, b]",
            "[b]\ncommits: [2b]\nmodel: haiku\nlast_verified: t\nreplay_count: 2",
        )],
        &[(
            "[a, b]",
            "[b, c]\ncommits: [1a, 2b]\nmodel: opus\nlast_verified: t\nreplay_count: 2",
        )],
    );
    check_driver(
        &[
            ("type: code", "type: task"),
            ("[ ] one", "[x] one"),
            ("- [ ] two\n", ""),
        ],
        &[
            ("type: code", "type: research"),
            ("deep: 1", "deep: 2"),
            ("[ ] nested", "[x] nested"),
        ],
        &[
            ("type: code", "type: task"),
            ("deep: 1", "deep: 2"),
            ("[ ] one", "[x] one"),
            ("- [ ] two\n", ""),
            ("[ ] nested", "[x] nested"),
        ],
    );
    assert!(
        driver_merged(
            BASE,
            &with(BASE, &[("End.", "a")]),
            &with(BASE, &[("End.", "b")])
        )
        .is_err()
    );
}

/// A spec of a few lines that people and agents change.
fn versions() -> impl Strategy<Value = String> {
    let labels = proptest::sample::subsequence(vec!["a", "b", "c", "d"], 0..4);
    let criteria = proptest::sample::subsequence(vec!["one", "two", "three", "four"], 1..4);
    let parts = (labels, criteria, any::<u8>(), "[pq]?", "(text|other)?");
    parts.prop_map(|(labels, criteria, ticks, prompt, text)| {
        let box_of = |at: usize| if ticks >> at & 1 == 1 { "x" } else { " " };
        let line = |(at, text): (usize, &&str)| format!("- [{}] {text}\n", box_of(at));
        let criteria: String = criteria.iter().enumerate().map(line).collect();
        let prompt = if prompt.is_empty() {
            String::new()
        } else {
            format!("prompt: {prompt}\n")
        };
        format!(
            "---\nstatus: pending\nlabels: [{}]\n{prompt}---\n# T\n\n{text}\n\n## Acceptance Criteria\n\n{criteria}",
            labels.join(", ")
        )
    })
}

fn ticked(text: &str) -> Vec<&str> {
    text.lines()
        .filter_map(|line| line.strip_prefix("- [x] "))
        .collect()
}

fn criteria(text: &str) -> Vec<&str> {
    text.lines()
        .filter_map(|line| line.strip_prefix("- [")?.get(3..))
        .collect()
}

fn labels(text: &str) -> Vec<String> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("labels: ["))
        .unwrap();
    let mut labels: Vec<String> = line
        .trim_end_matches(']')
        .split(", ")
        .map(str::to_owned)
        .collect();
    labels.sort();
    labels
}

proptest! {
    #[test]
    fn a_side_that_did_not_change_leaves_the_other_as_it_is(base in versions(), other in versions()) {
        prop_assert_eq!(merge_specs(Some(&base), Some(&other), Some(&base)), Ok(other.clone()));
        prop_assert_eq!(driver_merged(&base, &base, &other), Ok(other.clone()));
        prop_assert_eq!(driver_merged(&base, &other, &base), Ok(other.clone()));
        let from_branch = merge_specs(Some(&base), Some(&base), Some(&other)).unwrap();
        let lost: Vec<&str> = criteria(&base).into_iter().filter(|c| !criteria(&other).contains(c)).collect();
        if lost.is_empty() {
            prop_assert_eq!(from_branch, other);
        } else {
            let mut expected = [criteria(&other), lost].concat();
            let mut found = criteria(&from_branch);
            expected.sort_unstable();
            found.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn no_tick_is_lost_and_none_is_made(base in versions(), ours in versions(), theirs in versions()) {
        let Ok(text) = merge_specs(Some(&base), Some(&ours), Some(&theirs)) else { return Ok(()) };
        let (before, now) = (ticked(&base), ticked(&text));
        for tick in ticked(&ours).into_iter().chain(ticked(&theirs)) {
            // Unless it stood there before and was taken back, or its criterion was removed.
            let is_gone = !criteria(&ours).contains(&tick) || before.contains(&tick);
            prop_assert!(now.contains(&tick) || is_gone, "{} in {}", tick, text);
        }
        let is_made = |tick: &&str| !ticked(&ours).contains(tick) && !ticked(&theirs).contains(tick);
        prop_assert!(!now.iter().any(is_made));
        for criterion in criteria(&ours) {
            prop_assert!(criteria(&text).contains(&criterion));
        }
    }

    #[test]
    fn united_labels_are_the_same_from_either_side(base in versions(), ours in versions(), theirs in versions()) {
        let one = merge_specs(Some(&base), Some(&ours), Some(&theirs));
        let other = merge_specs(Some(&base), Some(&theirs), Some(&ours));
        if let (Ok(one), Ok(other)) = (one, other) {
            prop_assert_eq!(labels(&one), labels(&other));
        }
    }
}
