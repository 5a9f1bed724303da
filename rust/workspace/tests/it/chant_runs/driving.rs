//! What git's merge driver leaves in a spec's file.

use chant_spec_runs::merge::driver::{MergedFile, merge_file};
use chant_text::merge::ConflictMarkers;
use proptest::prelude::*;

const BASE: &str = "---
status: pending
labels: [a, b]
---
# Title

Text.

## Acceptance Criteria

- [ ] one
- [ ] two
";

const MARKERS: ConflictMarkers<'_> = ConflictMarkers {
    length: 7,
    ours: "HEAD",
    theirs: "topic",
};

fn with(changes: &[(&str, &str)]) -> String {
    changes.iter().fold(BASE.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    })
}

fn merge(base: &str, ours: &str, theirs: &str) -> (String, Vec<String>) {
    let [base, ours, theirs] = [base, ours, theirs].map(str::as_bytes);
    let MergedFile { bytes, conflicts } = merge_file(base, ours, theirs, &MARKERS);
    (String::from_utf8(bytes).unwrap(), conflicts)
}

#[track_caller]
fn check(ours: &[(&str, &str)], theirs: &[(&str, &str)], expected: &[(&str, &str)]) -> Vec<String> {
    let (text, conflicts) = merge(BASE, &with(ours), &with(theirs));
    assert_eq!(text, with(expected));
    conflicts
}

#[test]
fn versions_that_agree_are_merged_by_what_they_mean() {
    let conflicts = check(
        &[
            ("pending", "in_progress"),
            ("[a, b]", "[a, b, c]"),
            ("[ ] one", "[x] one"),
        ],
        &[
            ("pending", "completed"),
            ("[a, b]", "[b, d]"),
            ("[ ] two", "[x] two"),
        ],
        &[
            ("pending", "completed"),
            ("[a, b]", "[b, c, d]"),
            ("[ ] one", "[x] one"),
            ("[ ] two", "[x] two"),
        ],
    );
    assert_eq!(conflicts, [""; 0]);
    // A state that is said in other words is no other state.
    let reasoned = [("pending", "pending # waits for Ada")];
    check(&[], &reasoned, &reasoned);
    check(&reasoned, &[], &reasoned);
}

#[test]
fn only_lines_that_both_changed_are_marked() {
    let conflicts = check(
        &[
            ("pending", "in_progress"),
            ("Text.", "Ours."),
            ("[ ] one", "[x] one"),
        ],
        &[
            ("pending", "completed"),
            ("[a, b]", "[a]"),
            ("Text.", "Theirs."),
            ("[ ] two", "[x] two"),
        ],
        &[
            ("pending", "completed"),
            ("[a, b]", "[a]"),
            (
                "Text.\n",
                "<<<<<<< HEAD\nOurs.\n=======\nTheirs.\n>>>>>>> topic\n",
            ),
            ("[ ] one", "[x] one"),
            ("[ ] two", "[x] two"),
        ],
    );
    assert_eq!(
        conflicts,
        ["the body was changed in both: 'Ours.' in HEAD and 'Theirs.' in topic"]
    );
}

#[test]
fn criteria_between_markers_keep_their_ticks() {
    check(
        &[(
            "- [ ] one\n- [ ] two\n",
            "- [ ] one\n- [x] two, ours\n- [ ] three\n",
        )],
        &[(
            "- [ ] one\n- [ ] two\n",
            "- [x] one\n- [ ] two, theirs\n- [x] three\n",
        )],
        &[(
            "- [ ] one\n- [ ] two\n",
            "- [x] one\n<<<<<<< HEAD\n- [x] two, ours\n=======\n- [ ] two, theirs\n>>>>>>> topic\n- [x] three\n",
        )],
    );
}

#[test]
fn keys_that_cannot_be_united_are_marked() {
    let conflicts = check(
        &[("[a, b]", "{a: 1}"), ("[ ] one", "[x] one")],
        &[("[a, b]", "{b: 1}"), ("Text.", "More.")],
        &[
            (
                "labels: [a, b]\n",
                "<<<<<<< HEAD\nlabels: {a: 1}\n=======\nlabels: {b: 1}\n>>>>>>> topic\n",
            ),
            ("Text.", "More."),
            ("[ ] one", "[x] one"),
        ],
    );
    assert_eq!(
        conflicts,
        ["`labels` is `{a: 1}` in HEAD and `{b: 1}` in topic"]
    );
}

#[test]
fn what_is_no_spec_is_merged_line_by_line_and_left_to_a_person() {
    let conflicts = check(
        &[("labels: [a", "labels: [[a"), ("Text.", "Ours.")],
        &[("[ ] two", "[x] two")],
        &[
            ("labels: [a", "labels: [[a"),
            ("Text.", "Ours."),
            ("[ ] two", "[x] two"),
        ],
    );
    assert_eq!(conflicts.len(), 1);
    assert!(
        conflicts[0].starts_with("the spec cannot be read in HEAD: "),
        "{conflicts:?}"
    );
    let conflicts = check(
        &[("pending", "in_progress\n: :")],
        &[("pending", "completed")],
        &[(
            "status: pending\n",
            "<<<<<<< HEAD\nstatus: in_progress\n: :\n=======\nstatus: completed\n>>>>>>> topic\n",
        )],
    );
    assert_eq!(conflicts.len(), 1);
}

#[test]
fn bytes_that_are_no_utf8_survive() {
    let merged = merge_file(b"a\nm\nb\n", b"\xff\nm\nb\n", b"a\nm\n\xfe\n", &MARKERS);
    assert_eq!(merged.bytes, b"\xff\nm\n\xfe\n");
    assert_eq!(
        merged.conflicts,
        [
            "the spec cannot be read in HEAD: no UTF-8 from byte 0 on",
            "the spec cannot be read in topic: no UTF-8 from byte 4 on"
        ]
    );
    let merged = merge_file(b"a\n", b"\xff\n", b"b\n", &MARKERS);
    assert_eq!(
        merged.bytes,
        b"<<<<<<< HEAD\n\xff\n=======\nb\n>>>>>>> topic\n"
    );
}

#[test]
fn what_is_no_text_leaves_ours_in_place() {
    let merged = merge_file(BASE.as_bytes(), b"ours", b"a\0b", &MARKERS);
    assert_eq!(merged.bytes, b"ours");
    assert_eq!(
        merged.conflicts,
        ["the spec cannot be read in topic: it is no text; HEAD stays as it is"]
    );
}

#[test]
fn line_ends_and_byte_order_mark_are_ours() {
    let ours = with(&[("Text.", "Ours."), ("[ ] one", "[x] one")]);
    let theirs = with(&[("Text.", "Theirs."), ("pending", "completed")]);
    let marked = with(&[
        ("pending", "completed"),
        (
            "Text.\n",
            "<<<<<<< HEAD\nOurs.\n=======\nTheirs.\n>>>>>>> topic\n",
        ),
        ("[ ] one", "[x] one"),
    ]);
    let in_crlf = |text: &str| text.replace('\n', "\r\n");
    let with_mark = |text: &str| format!("\u{feff}{text}");
    let check = |base: &str, ours: &str, theirs: &str, expected: &str| {
        assert_eq!(merge(base, ours, theirs).0, expected);
    };
    check(BASE, &in_crlf(&ours), &theirs, &in_crlf(&marked));
    check(BASE, &ours, &in_crlf(&theirs), &marked);
    check(BASE, &with_mark(&ours), &theirs, &with_mark(&marked));
    check(
        &with_mark(BASE),
        &ours,
        &with_mark(&in_crlf(&theirs)),
        &marked,
    );
    let theirs = with(&[("[a, b]", "[a]")]);
    check(
        BASE,
        &with_mark(&in_crlf(BASE)),
        &theirs,
        &with_mark(&in_crlf(&theirs)),
    );
}

#[test]
fn a_missing_final_newline_stays_missing_unless_one_side_adds_it() {
    let base = BASE.trim_end();
    let ours = base.replace("pending", "ready");
    let theirs = base.replace("[ ] one", "[x] one");
    let both = ours.replace("[ ] one", "[x] one");
    assert_eq!(merge(base, &ours, &theirs), (both.clone(), vec![]));
    assert_eq!(merge(base, &ours, &(theirs + "\n")), (both + "\n", vec![]));
}

#[test]
fn a_spec_that_both_sides_made_is_compared_with_nothing() {
    let ours = with(&[("[ ] one", "[x] one")]);
    assert_eq!(merge("", &ours, BASE), (ours, vec![]));
    let theirs = with(&[("Text.", "Other."), ("[a, b]", "[c]")]);
    let expected = with(&[
        ("[a, b]", "[a, b, c]"),
        (
            "Text.\n",
            "<<<<<<< HEAD\nText.\n=======\nOther.\n>>>>>>> topic\n",
        ),
    ]);
    let (text, conflicts) = merge("", BASE, &theirs);
    assert_eq!((text, conflicts.len()), (expected, 1));
}

#[test]
fn markers_are_as_git_asks_for_them() {
    let markers = ConflictMarkers {
        length: 9,
        ours: "main:old name.md",
        theirs: "",
    };
    let merged = merge_file(b"a\n", b"b\n", b"c\n", &markers);
    assert_eq!(
        String::from_utf8(merged.bytes).unwrap(),
        "<<<<<<<<< main:old name.md\nb\n=========\nc\n>>>>>>>>>\n"
    );
}

/// A spec as people write it, and as they should not.
fn versions() -> impl Strategy<Value = String> {
    let front = "(---\ntype: code\n(status: pending( # why)?\n)?(labels: (\\[a, b\\]|\\[b, c\\]|x)\n)?(\\[\n)?---\n)?";
    let body = "(text\n|other\r?\n|\n|## Acceptance Criteria\n|- \\[[ x]\\] (one|two)\n|---\n|=======\n){0,8}(end)?";
    (front, body).prop_map(|(front, body)| format!("{front}# T\n{body}"))
}

proptest! {
    #[test]
    fn no_line_that_a_side_wrote_is_lost(base in versions(), ours in versions(), theirs in versions()) {
        let (text, conflicts) = merge(&base, &ours, &theirs);
        if conflicts.is_empty() {
            return Ok(());
        }
        let said = |line: &str| line.replace("- [x]", "- [ ]");
        let count = |text: &str, wanted: &str| text.lines().filter(|line| said(line) == wanted).count();
        for (side, other) in [(&ours, &theirs), (&theirs, &ours)] {
            for line in side.lines().map(said) {
                let is_front = ["---", "status:", "labels:"].iter().any(|word| line.starts_with(word));
                let is_gone = count(other, &line) < count(&base, &line);
                prop_assert!(is_front || is_gone || count(&text, &line) > 0, "{:?} in {}", line, text);
            }
        }
    }

    #[test]
    fn a_side_that_did_not_change_leaves_the_other(base in versions(), other in versions()) {
        let (text, conflicts) = merge(&base, &base, &other);
        if conflicts.is_empty() {
            let plain = |text: &str| text.replace('\r', "");
            prop_assert_eq!(plain(&text), plain(&other));
        }
    }
}
