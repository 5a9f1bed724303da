//! Front matter: tolerant reading, and edits that change one key and no other byte.

use chant_text::edit::EditError;
use chant_text::front_matter::{
    FrontMatterValue, TextList, keys, layout, may_explode, read_any, read_key, set,
};
use proptest::prelude::*;

const ORDER: [&str; 5] = ["type", "status", "depends_on", "labels", "model"];

fn text(value: &str) -> FrontMatterValue {
    FrontMatterValue::Text(value.into())
}

fn list(items: &[&str]) -> FrontMatterValue {
    FrontMatterValue::List(items.iter().map(|item| (*item).to_owned()).collect())
}

#[track_caller]
fn check(before: &str, key: &str, value: FrontMatterValue, after: &str) {
    assert_eq!(set(before, key, Some(&value), &ORDER).as_deref(), Ok(after));
}

#[track_caller]
fn yaml_of(document: &str) -> Option<&str> {
    layout(document).unwrap().yaml.map(|range| &document[range])
}

#[test]
fn a_fence_is_a_line_of_its_own() {
    assert_eq!(
        yaml_of("---\nlabels: [a---b]\n--- \nbody"),
        Some("labels: [a---b]\n")
    );
    assert_eq!(yaml_of("---- \nlabels: a\n---\n"), None);
    assert_eq!(yaml_of("--- x\n---\n"), None);
    assert_eq!(yaml_of(""), None);
    assert_eq!(yaml_of("---\n---"), Some(""));
}

#[test]
fn a_byte_order_mark_blank_lines_and_crlf_do_not_hide_the_front_matter() {
    assert_eq!(
        yaml_of("\u{feff}---\r\nstatus: completed\r\n---\r\n# T"),
        Some("status: completed\r\n")
    );
    assert_eq!(
        yaml_of("\n  \n---\nstatus: completed\n---\n"),
        Some("status: completed\n")
    );
}

#[test]
fn an_unclosed_fence_is_named_with_its_line() {
    assert_eq!(
        layout("\n---\nstatus: x\n"),
        Err(EditError::Unclosed { line: 2 })
    );
}

#[test]
fn scalars_keep_their_spelling() {
    assert_eq!(
        read_key::<TextList>("a: [001, no, 1.10]\n", "a").unwrap(),
        Some(TextList(vec!["001".into(), "no".into(), "1.10".into()]))
    );
    assert_eq!(
        read_key::<String>("b: {x: 1}\na: 1.10\n", "a").unwrap(),
        Some("1.10".into())
    );
    assert_eq!(read_key::<String>("b: 1\na:\n", "a").unwrap(), None);
    assert_eq!(read_key::<String>("", "a").unwrap(), None);
    assert_eq!(
        read_key::<TextList>("a: one\n", "a").unwrap(),
        Some(TextList(vec!["one".into()]))
    );
}

#[test]
fn a_status_change_changes_that_value_only() {
    check(
        "---\ntype: code # kind\nstatus:   pending   # waits\nlabels: [a, 'b']\nx-unknown: {deep: [1, 2]}\n---\n# T",
        "status",
        text("in_progress"),
        "---\ntype: code # kind\nstatus:   in_progress   # waits\nlabels: [a, 'b']\nx-unknown: {deep: [1, 2]}\n---\n# T",
    );
    check(
        "---\nstatus: \"pending\"\n---\n",
        "status",
        text("failed"),
        "---\nstatus: \"failed\"\n---\n",
    );
    check(
        "---\nstatus: 'pending'\n---\n",
        "status",
        text("failed"),
        "---\nstatus: 'failed'\n---\n",
    );
    check(
        "---\n'status': pending\n---\n",
        "status",
        text("failed"),
        "---\n'status': failed\n---\n",
    );
    check(
        "---\nstatus:\n---\n",
        "status",
        text("failed"),
        "---\nstatus: failed\n---\n",
    );
    check(
        "---\nstatus: # none\n---\n",
        "status",
        text("failed"),
        "---\nstatus: failed # none\n---\n",
    );
    check(
        "---\nstatus: >-\n  pending\ntype: code\n---\n",
        "status",
        text("failed"),
        "---\nstatus: failed\ntype: code\n---\n",
    );
}

#[test]
fn byte_order_mark_crlf_and_a_missing_final_newline_survive() {
    check(
        "\u{feff}---\r\nstatus: pending\r\n---\r\n# T\r\nend",
        "status",
        text("failed"),
        "\u{feff}---\r\nstatus: failed\r\n---\r\n# T\r\nend",
    );
    check(
        "---\r\nstatus: pending\r\n---\r\n",
        "model",
        text("opus"),
        "---\r\nstatus: pending\r\nmodel: opus\r\n---\r\n",
    );
}

#[test]
fn an_absent_key_goes_behind_the_one_that_the_order_names_before_it() {
    check(
        "---\ntype: code\nmodel: opus\n---\n",
        "status",
        text("x"),
        "---\ntype: code\nstatus: x\nmodel: opus\n---\n",
    );
    check(
        "---\n# top\nmodel: opus\n---\n",
        "status",
        text("x"),
        "---\n# top\nstatus: x\nmodel: opus\n---\n",
    );
    check(
        "---\nmine: 1\n---\n",
        "status",
        text("x"),
        "---\nmine: 1\nstatus: x\n---\n",
    );
    check(
        "---\nlabels:\n  - a\n\n# end\n---\n",
        "model",
        text("x"),
        "---\nlabels:\n  - a\nmodel: x\n\n# end\n---\n",
    );
    check(
        "---\n---\nbody",
        "status",
        text("x"),
        "---\nstatus: x\n---\nbody",
    );
    check("# T\n", "status", text("x"), "---\nstatus: x\n---\n# T\n");
    check(
        "\u{feff}# T\r\n",
        "status",
        text("x"),
        "\u{feff}---\r\nstatus: x\r\n---\r\n# T\r\n",
    );
}

#[test]
fn whatever_cannot_be_read_whole_is_suspected_first() {
    let deep = |levels: usize| -> String {
        (0..levels)
            .map(|n| format!("{}k:\n", " ".repeat(n)))
            .collect()
    };
    let dashes = format!("k:\n{}x\n", "- ".repeat(200));
    let mixed = format!(
        "{}{}k: {}1{}\n",
        deep(24),
        " ".repeat(24),
        "[".repeat(99),
        "]".repeat(99)
    );
    assert!(read_any(&mixed).is_ok() || may_explode(&mixed));
    for yaml in [deep(200), dashes, "a: &a [x]\nb: *a\n".into()] {
        assert!(may_explode(&yaml), "{yaml}");
    }
    for yaml in ["globs: ['src/*.rs']\n", "by: Ada & Bob\n", &deep(10)] {
        assert!(!may_explode(yaml) && read_any(yaml).is_ok(), "{yaml}");
    }
}

#[test]
fn a_list_keeps_the_layout_it_had() {
    check(
        "---\nlabels: [a, 'b']\n---\n",
        "labels",
        list(&["b", "c"]),
        "---\nlabels: ['b', c]\n---\n",
    );
    check(
        "---\nlabels: [ a,b ] # note\n---\n",
        "labels",
        list(&["a", "c d", "e,f"]),
        "---\nlabels: [ a,c d,\"e,f\" ] # note\n---\n",
    );
    check(
        "---\nlabels: []\n---\n",
        "labels",
        list(&["a"]),
        "---\nlabels: [a]\n---\n",
    );
    check(
        "---\nlabels: [a]\n---\n",
        "labels",
        list(&[]),
        "---\nlabels: []\n---\n",
    );
    check(
        "---\nlabels: [\n  a,\n  b,\n]\nmodel: x\n---\n",
        "labels",
        list(&["a", "c"]),
        "---\nlabels: [\n  a,\n  c,\n]\nmodel: x\n---\n",
    );
    check(
        "---\nlabels: # which\n  # first\n  - a   # why\n  - 'b'\n  # last\nmodel: x\n---\n",
        "labels",
        list(&["b", "c", "a"]),
        "---\nlabels: # which\n  - 'b'\n  - c\n  # first\n  - a   # why\n  # last\nmodel: x\n---\n",
    );
    check(
        "---\nlabels:\n- a\n- b\n---\n",
        "labels",
        list(&[]),
        "---\nlabels: []\n---\n",
    );
    check(
        "---\ndepends_on: one\n---\n",
        "depends_on",
        FrontMatterValue::OneOrMany(vec!["two".into()]),
        "---\ndepends_on: two\n---\n",
    );
    check(
        "---\ndepends_on: one\n---\n",
        "depends_on",
        list(&["one", "two"]),
        "---\ndepends_on:\n- one\n- two\n---\n",
    );
    check(
        "---\nlabels:\n    - 1.10\n---\n",
        "labels",
        list(&["1.10", "x"]),
        "---\nlabels:\n    - 1.10\n    - x\n---\n",
    );
}

#[test]
fn a_new_list_is_in_block_layout_as_deep_as_those_around_it() {
    check(
        "---\nlabels:\n  - a\n---\n",
        "depends_on",
        list(&["x"]),
        "---\ndepends_on:\n  - x\nlabels:\n  - a\n---\n",
    );
    check(
        "---\nlabels: [a]\n---\n",
        "depends_on",
        list(&["x", "z"]),
        "---\ndepends_on:\n- x\n- z\nlabels: [a]\n---\n",
    );
    check(
        "---\nstatus: a\n---\n",
        "depends_on",
        list(&["x"]),
        "---\nstatus: a\ndepends_on:\n- x\n---\n",
    );
}

#[test]
fn a_map_is_written_and_replaced_whole() {
    let approval = |status: &str| {
        FrontMatterValue::Map(vec![
            ("required", FrontMatterValue::Flag(true)),
            ("status", text(status)),
        ])
    };
    let written = "---\nstatus: x\napproval:\n  required: true\n  status: pending\n---\n";
    check(
        "---\nstatus: x\n---\n",
        "approval",
        approval("pending"),
        written,
    );
    check(
        written,
        "approval",
        approval("approved"),
        &written.replace("pending", "approved"),
    );
}

#[test]
fn a_key_is_taken_out_with_all_its_lines() {
    let before = "---\nstatus: x\nlabels:\n  - a\n  - b\n# keep\nmodel: m\n---\n";
    assert_eq!(
        set(before, "labels", None, &ORDER).as_deref(),
        Ok("---\nstatus: x\n# keep\nmodel: m\n---\n")
    );
    assert_eq!(set(before, "absent", None, &ORDER).as_deref(), Ok(before));
}

#[test]
fn what_looks_like_a_key_inside_quotes_or_brackets_is_not_one() {
    let before = "---\nnote: \"first\nstatus: inner\"\nother: [a,\nstatus: b]\nstatus: real\n---\n";
    let names: Vec<_> = keys(yaml_of(before).unwrap())
        .into_iter()
        .map(|key| key.name.into_owned())
        .collect();
    assert_eq!(names, ["note", "other", "status"]);
    check(
        before,
        "status",
        text("done"),
        &before.replace("status: real", "status: done"),
    );
}

#[test]
fn an_edit_that_would_not_read_back_is_refused() {
    let refused = |document: &str, key: &str, value: FrontMatterValue| {
        let answer = set(document, key, Some(&value), &ORDER);
        assert!(
            matches!(
                answer,
                Err(EditError::NotLines { .. } | EditError::Unfaithful { .. })
            ),
            "{answer:?}"
        );
    };
    refused("---\n{status: pending}\n---\n", "status", text("x"));
    refused(
        "---\nstatus: &s pending\nother: *s\n---\n",
        "status",
        text("x"),
    );
    refused(
        "---\nlabels: [\n  a, # why\n  b\n]\n---\n",
        "labels",
        list(&["b"]),
    );
    refused("---\nstatus: a\nstatus: b\n---\n", "status", text("x"));
    refused("---\nstatus: [unclosed\n---\n", "status", text("x"));
}

#[test]
fn an_alias_bomb_is_a_problem_and_ten_thousand_keys_are_not() {
    let mut bomb = String::from("a: &a [x, x, x, x, x, x, x, x, x]\n");
    for (name, last) in ('b'..='i').zip('a'..) {
        bomb.push_str(&format!("{name}: &{name} [*{last}, *{last}, *{last}, *{last}, *{last}, *{last}, *{last}, *{last}]\n"));
    }
    assert!(chant_text::front_matter::read_any(&bomb).is_err());
    let many: String = (0..10_000)
        .map(|n| format!("key{n}: value {n}\n"))
        .collect();
    let document = format!("---\n{many}status: pending\n---\n");
    check(
        &document,
        "status",
        text("failed"),
        &document.replace("status: pending", "status: failed"),
    );
}

/// Front matter as people write it: known and unknown keys, comments, quotes, lists of every layout.
fn front_matter() -> impl Strategy<Value = Vec<(String, String)>> {
    let scalar = prop_oneof![
        Just("plain words".to_owned()),
        Just("\"double # quoted\"".to_owned()),
        Just("'it''s'".to_owned()),
        Just("value # with a comment".to_owned()),
        Just("|\n  block\n  scalar".to_owned()),
        Just("{a: 1, b: [x, y]}".to_owned()),
        Just("[a, 'b, c', \"d\"]".to_owned()),
        Just("\n  - one # first\n  # then\n  - two".to_owned()),
        Just("\n- one\n- two".to_owned()),
        Just("\n    nested: 1\n    other: [x]".to_owned()),
        Just(String::new()),
    ];
    let name = prop_oneof![
        prop::sample::select(vec![
            "type", "status", "depends_on", "labels", "model", "'quoted key'"
        ])
        .prop_map(str::to_owned),
        "[a-z]{3,9}",
    ];
    prop::collection::btree_map(name, scalar, 0..8).prop_map(|map| map.into_iter().collect())
}

proptest! {
    #[test]
    fn an_edit_leaves_every_other_line_as_it_was(
        pairs in front_matter(),
        comments in any::<u8>(),
        crlf in any::<bool>(),
        mark in any::<bool>(),
        key in prop::sample::select(ORDER.to_vec()),
        value in prop_oneof!["[ -~]{0,12}".prop_map(FrontMatterValue::Text), prop::collection::vec("[ -~é]{0,8}", 0..4).prop_map(FrontMatterValue::List)],
        body in "[ -~\n]{0,60}",
    ) {
        let mut document = String::from(if mark { "\u{feff}---\n" } else { "---\n" });
        for (number, (name, value)) in pairs.iter().enumerate() {
            if comments >> (number % 8) & 1 == 1 {
                document.push_str(&format!("# comment {number}\n\n"));
            }
            let gap = if value.is_empty() || value.starts_with('\n') { "" } else { " " };
            document.push_str(&format!("{name}:{gap}{value}\n"));
        }
        document.push_str(&format!("---\n{body}"));
        if crlf {
            document = document.replace('\n', "\r\n");
        }
        let changed = set(&document, key, Some(&value), &ORDER).unwrap();
        let (old, new) = (yaml_of(&document).unwrap(), yaml_of(&changed).unwrap());
        match &value {
            FrontMatterValue::Text(text) => prop_assert_eq!(read_key::<String>(new, key).unwrap(), Some(text.clone())),
            FrontMatterValue::List(items) => prop_assert_eq!(&read_key::<TextList>(new, key).unwrap().unwrap().0, items),
            _ => {}
        }
        // The body, and every line of every other key, comments included, in their order.
        prop_assert!(changed.ends_with(&document[layout(&document).unwrap().body..]));
        let others = |yaml: &str| -> Vec<String> {
            let keys = keys(yaml);
            let own = keys.iter().find(|k| k.name == key).map(|k| (k.line, keys.iter().map(|o| o.line).find(|l| *l > k.line)));
            let is_own = |number: usize| own.is_some_and(|(from, to)| number >= from && to.is_none_or(|to| number < to));
            yaml.lines().enumerate().filter(|(at, line)| !is_own(at + 1) || line.starts_with('#')).map(|(_, line)| line.to_owned()).filter(|line| !line.trim().is_empty()).collect()
        };
        prop_assert_eq!(others(old), others(new));
        // Setting the same value again changes nothing.
        prop_assert_eq!(&set(&changed, key, Some(&value), &ORDER).unwrap(), &changed);
    }
}
