//! Hostile and odd inputs, each with what is read of it.

use chant_base::ident::ResolvedId;
use chant_kiro::KiroSpecs;
use chant_plan_format::PlanFormat;
use chant_plan_format::document::RootSettings;
use chant_plan_format::snapshot::WaitTarget;

use super::support::{TASKS, all_problems, list, plan, refused, rows, tick};

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(rows(&list(text)), expected, "{text}");
}

fn parents(text: &str) -> Vec<String> {
    let snapshot = list(text);
    let tasks = snapshot.nodes.iter().skip(1);
    tasks
        .map(|node| {
            snapshot
                .item(&snapshot.nodes[node.parent.unwrap()])
                .id
                .to_string()
        })
        .collect()
}

#[test]
fn stars_and_flags() {
    let snapshot = list(
        "- [ ]*\n- [ ] *\n- [ ] 1.2*\n- [ ]* 1.3 text*\n- [ ] *soft* text\n- [ ] **2.** bold\n- [ ] 3.* x\n",
    );
    let optional: Vec<(String, bool)> = snapshot.nodes[1..]
        .iter()
        .map(|node| {
            let item = snapshot.item(node);
            (format!("{} {}", item.id, item.title), item.is_optional)
        })
        .collect();
    let expected = [
        ("~ ", true),
        ("~-2 ", true),
        ("1.2 ", true),
        ("1.3 text*", true),
        ("~soft-text *soft* text", false),
        ("2 bold", false),
        ("3 x", true),
    ];
    assert_eq!(optional, expected.map(|(text, is)| (text.to_owned(), is)));
    let snapshot = list("- [ ] 1 (P) first\n- [ ] 2. (P)\n- [ ] 2.1 a (P) b\n- [ ] (P) none\n");
    let parallel: Vec<usize> = snapshot
        .nodes
        .iter()
        .map(|node| snapshot.item(node).labels.len())
        .collect();
    assert_eq!(parallel, [0, 1, 1, 0, 0]);
}

#[test]
fn nesting() {
    let marks = "- [-] 1. a\n- [~] 1.1 b\n- [x] 1.2 c\n";
    check(
        marks,
        &["1 in_progress a", "1.1 queued b", "1.2 completed c"],
    );
    assert_eq!(
        parents("- [ ] 1. a\n- [ ] 1.1 b\n  - [ ] 1.2 c\n   - [ ] 1.3 d\n\t- [ ] 1.4 e\n"),
        ["", "1", "1", "1", "1"]
    );
    assert_eq!(
        parents("- [ ] 1.1 b\n- [ ] 1. a\n"),
        ["1", ""],
        "parts before their holder"
    );
    assert_eq!(
        parents("- [ ] 1 a\n- [ ] 1. b\n- [ ] 1.1. d\n- [ ] 1.1.1.1 e\n"),
        ["", "", "1~2", "1.1"]
    );
    assert_eq!(
        parents("- [ ] Check\n  - [ ] deeper\n- [ ] other\n"),
        ["", "~check", ""]
    );
    check(
        "- [ ] 1) a\n- [ ] 0. b\n- [ ] 7 c\n",
        &["1 not_started a", "0 not_started b", "7 not_started c"],
    );
    let twice = "- [ ] 2.1 a\n- [x] 2.1 b\n";
    check(twice, &["2.1 not_started a", "2.1~2 completed b"]);
    assert_eq!(
        list(twice).resolve(&KiroSpecs, "kiro:auth#2.1"),
        ResolvedId::Many(vec![1, 2])
    );
    assert!(refused(twice, "2.1", &tick(true)).contains("lines 1, 2"));
    assert_eq!(
        parents("## Task 3: Do\n\n- [ ] 3.1 a\n- [ ] b\n  - [ ] c\n## Task 4\n  - [ ] d\n"),
        ["", "", "~b", ""]
    );
}

#[test]
fn fields_of_requirements() {
    let numbers = |detail: &str| {
        let snapshot = list(&format!("- [ ] 1. a\n{detail}\n"));
        let found: Vec<String> = snapshot
            .item(&snapshot.nodes[1])
            .statements
            .iter()
            .map(ToString::to_string)
            .collect();
        found.join(" ")
    };
    for (detail, expected) in [
        ("  - _Requirements: 1.1-1.4_", "1.1 1.2 1.3 1.4"),
        ("  - _Requirements: all_", ""),
        ("  - _Requirements:_ 1.1", "1.1"),
        ("  - **_Requirements: 1.1, 2.3_**", "1.1 2.3"),
        ("  - **Requirements:** 1.1; 2", "1.1 2"),
        ("  _Requirements: 1.1,\n  2.3_", "1.1 2.3"),
        ("  Requirements: 1.1", "1.1"),
        ("  - Requirements are 1.1", ""),
        ("  - _Requirements: 1.4-1.1_", ""),
        ("  - _Requirements: 1.1-9.9_", ""),
    ] {
        assert_eq!(numbers(detail), expected, "{detail}");
    }
}

#[test]
fn waves_in_all_forms() {
    let waits = |json: &str| {
        let snapshot = list(&format!(
            "- [ ] 1. a\n- [ ] 2. b\n- [ ] 3. c\n\n```\n{json}\n```\n"
        ));
        let tasks = snapshot.nodes[1..].iter();
        tasks
            .map(|node| {
                node.waits
                    .iter()
                    .map(|wait| wait.name.replace("auth#", ""))
                    .collect::<Vec<_>>()
                    .join("+")
            })
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(
        waits(r#"{"waves": [{"id": 0, "tasks": ["1", "2."]}, {"id": 1, "tasks": ["3"]}]}"#),
        "  1+2"
    );
    assert_eq!(
        waits(r#"{"waves": [{"wave": 1, "tasks": [1]}, {"wave": 2, "tasks": ["2", "9"]}]}"#),
        " 1 "
    );
    assert_eq!(
        waits(
            r#"{"waves": [{"name": "a", "tasks": ["1"]}, {"name": "b", "tasks": ["2"]}, {"name": "c", "tasks": ["3"], "depends_on": ["a"]}]}"#
        ),
        "  1"
    );
    assert_eq!(waits(r#"{"waves": [["1"], ["2"], ["3"]]}"#), " 1 2");
    assert_eq!(
        waits(r#"{"waves": [["1"], ["2", "1"], ["3"]]}"#),
        " 1 2",
        "a task in two waves is in the first"
    );
    assert_eq!(
        waits(r#"{"waves": [{"id": 1, "tasks": ["1"], "depends_on": [1]}]}"#),
        "  "
    );
    for broken in [
        "{\"waves\": [",
        "{\"waves\": [[\"1\"]] // no\n}",
        "1 -> 2 -> 3",
        "graph TD\nwaves",
        "{\"waves\": 3}",
    ] {
        assert_eq!(waits(broken), "  ", "{broken}");
    }
    let many: String = (1..=2_000).map(|n| format!("- [ ] {n}. t\n")).collect();
    let half = |range: std::ops::RangeInclusive<usize>| {
        range
            .map(|n| format!("\"{n}\""))
            .collect::<Vec<_>>()
            .join(",")
    };
    let text = format!(
        "{many}\n```\n{{\"waves\": [[{}], [{}]]}}\n```\n",
        half(1..=1_000),
        half(1_001..=2_000)
    );
    let snapshot = list(&text);
    assert!(
        all_problems(&snapshot)[0]
            .message
            .contains("more than 100000 waits")
    );
}

#[test]
fn waits_by_name() {
    let texts = [
        (
            TASKS,
            "- [ ] 1. a\n  - _Depends: 1_\n- [ ] 2. b\n  - _Depends: other#7, 1.1, other_\n",
        ),
        (".kiro/specs/other/tasks.md", "- [ ] 7. x\n"),
    ];
    let snapshot = plan(&texts);
    let waits = |at: usize| -> Vec<&WaitTarget> {
        snapshot.nodes[at]
            .waits
            .iter()
            .map(|wait| &wait.target)
            .collect()
    };
    assert_eq!(waits(1), [&WaitTarget::Node(1)]);
    assert!(!snapshot.nodes[1].is_ready);
    assert_eq!(
        waits(2),
        [
            &WaitTarget::Node(4),
            &WaitTarget::Unknown,
            &WaitTarget::Node(3)
        ]
    );
}

#[test]
fn boxes_that_are_no_tasks() {
    check(
        "## Notes\n- [ ] 1 a\n### Sub\n- [ ] 2 b\n## Tasks\n- [ ] 3 c\n",
        &["3 not_started c"],
    );
    check(
        "- [ ] 1. Title with `- [ ]` in it\n",
        &["1 not_started Title with `- [ ]` in it"],
    );
    check(
        "```\n- [ ] 1 a\n```\n- [ ] 2 b\n~~~\n- [ ] 3 c\n",
        &["2 not_started b"],
    );
    check(
        "> - [ ] 1 a\n- [] 2 b\n- [ x] 3 c\n-[ ] 4 d\n- [A] 5 e\n1. [ ] 6 f\n",
        &[],
    );
    check(
        "- [ ] Checkpoint - all tests pass\n",
        &["~checkpoint-all-tests-pass not_started Checkpoint - all tests pass"],
    );
    let fenced = list("```\n- [ ] 1 a\n```\n");
    assert!(all_problems(&fenced)[0].message.contains("in a code fence"));
}

#[test]
fn line_ends_depth_and_names() {
    check(
        "- [ ] 1. a  \r\n- [x] 2. b\u{85}c\u{2028}d  ",
        &["1 not_started a", "2 completed b\u{85}c\u{2028}d"],
    );
    let many: String = (1..=3_000).map(|n| format!("- [ ] {n}. t\n")).collect();
    assert_eq!(rows(&list(&many)).len(), 3_000);
    let deep: String = (0..200)
        .map(|n| format!("{}- [ ] t{n}\n", "  ".repeat(n)))
        .collect();
    assert_eq!(parents(&deep).len(), 200);
    let clash = "- [ ] 1. a\n<<<<<<< ours\n- [x] 2. b\n=======\n- [ ] 2. c\n>>>>>>> theirs\n";
    assert_eq!(
        (
            rows(&list(clash)).len(),
            all_problems(&list(clash))[0].line()
        ),
        (0, 2)
    );
    check("", &[]);
    let is_document = |path: &str| KiroSpecs.is_document(&RootSettings::default(), path);
    assert!(is_document(TASKS) && is_document(".kiro/specs/g/a/design.md"));
    for path in [
        ".kiro/specs/a/Tasks.md",
        ".kiro/specs/a/tasks (1).md",
        ".kiro/specs/archive/a/tasks.md",
        ".kiro/specs/tasks.md",
        ".kiro/steering/tasks.md",
        ".kiro/specs/a/b/c/tasks.md",
    ] {
        assert!(!is_document(path), "{path}");
    }
    let snapshot = plan(&[
        (".kiro/specs/a/x/tasks.md", "- [ ] 1. t\n"),
        (".kiro/specs/b/x/tasks.md", "- [ ] 1. t\n"),
    ]);
    assert!(
        matches!(snapshot.resolve(&KiroSpecs, "x#1"), ResolvedId::Many(found) if found.len() == 2)
    );
    assert_eq!(snapshot.resolve(&KiroSpecs, "a/x#1."), ResolvedId::One(1));
}
