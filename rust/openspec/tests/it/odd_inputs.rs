//! Hostile and odd inputs, each with what is read of it.

use chant_base::ident::ResolvedId;
use chant_openspec::OpenSpec;
use chant_plan_format::PlanFormat;

use super::support::{TASKS, all_problems, list, plan, refused, rows, tick};

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(rows(&list(text)), expected, "{text}");
}

#[test]
fn boxes_and_bullets() {
    let boxes = "- [~] 1 a\n- [-] 2 b\n- [] 3 c\n- [ x] 4 d\n- [x ] 5 e\n- [X] 6 f\n";
    check(
        boxes,
        &[
            "1 active a", "2 active b", "3 open c", "4 done d", "5 done e", "6 done f",
        ],
    );
    check(
        "1) [ ] 1 a\n1. [x] 2 b\n1234567890. [x] 3 c\n",
        &["1 open a", "2 done b"],
    );
    check("-[ ] 1 a\n- [x]2 b\n", &["1 open a", "2 done b"]);
    check(
        "```\n- [ ] 1 a\n```\n~~~\n- [x] 2 b\n",
        &["1 open a", "2 done b"],
    );
    check(
        "> - [ ] 1 a\n| - [ ] 2 b |\n<!-- - [ ] 3 c -->\n- [ ] 4 d\n",
        &["4 open d"],
    );
    check("- [A](b)\n- [x](b)\n- [done] a\n", &[]);
    check("\t- [ ] 1 a\n- [ ] 2\tb\n", &["1 open a", "2 open b"]);
}

#[test]
fn numbers() {
    let text = "## 1. A\n- [ ] 1.1 a\n- [x] 1.1 b\n## 2. B\n- [ ] 1.1 c\n";
    check(text, &["1.1 open a", "1.1~2 done b", "1.1~3 open c"]);
    let snapshot = list(text);
    assert_eq!(
        snapshot.resolve(&OpenSpec, "openspec:auth#1.1"),
        ResolvedId::Many(vec![1, 2, 3])
    );
    assert_eq!(
        snapshot.resolve(&OpenSpec, "auth#1.1~1"),
        ResolvedId::One(1)
    );
    assert_eq!(snapshot.resolve(&OpenSpec, "au#1.1~2."), ResolvedId::One(2));
    let message = refused(text, "auth#1.1", &tick(true));
    assert!(
        message.contains("lines 2, 3, 5") && message.contains("auth#1.1~1"),
        "{message}"
    );
    check(
        "- [ ] 1.10 a\n- [ ] 1.1 b\n- [ ] 01.1 c\n",
        &["1.10 open a", "1.1 open b", "01.1 open c"],
    );
    check(
        "- [ ] **1.1** a\n- [ ] **b**\n- [ ] 1.2: c\n",
        &["1.1 open a", "~b open **b**", "1.2 open c"],
    );
    check(
        "## １. 设置\n- [ ] １.１ 数据\n- [ ] 2.1 数据库\n",
        &["~１-１-数据 open １.１ 数据", "2.1 open 数据库"],
    );
    let long = "x".repeat(20_000);
    assert_eq!(
        list(&format!("- [ ] 1.1 {long}\n- [ ]\n- [ ]   \n"))
            .nodes
            .len(),
        4
    );
    check("- [ ]\n- [ ]\n", &["~ open", "~-2 open"]);
}

#[test]
fn line_ends_and_marks() {
    check(
        "- [ ] 1 a\r\n- [ ] 2 b\n- [ ] 3 c\rd\r\n",
        &["1 open a", "2 open b", "3 open c\rd"],
    );
    check("\u{feff}- [x] 1 a", &["1 done a"]);
    check("", &[]);
}

#[test]
fn names_of_changes() {
    let texts = [
        ("openspec/changes/archive2/tasks.md", "- [ ] 1 a\n"),
        ("openspec/changes/.hidden/tasks.md", "- [ ] 1 a\n"),
        ("openspec/changes/-x/tasks.md", "- [ ] 1 a\n"),
        ("openspec/changes/a b/tasks.md", "- [ ] 1 a\n"),
        ("openspec/changes/a:b/tasks.md", "- [ ] 1 a\n"),
        ("openspec/changes/a#b/tasks.md", "- [ ] 1 a\n"),
    ];
    let snapshot = plan(&texts);
    let keys: Vec<&str> = snapshot
        .nodes
        .iter()
        .map(|node| &*node.key)
        .filter(|key| key.ends_with("#1"))
        .collect();
    assert_eq!(
        keys,
        [
            "openspec:-x#1", "openspec:a b#1", "openspec:a#b#1", "openspec:a:b#1",
            "openspec:archive2#1"
        ]
    );
    for key in keys {
        assert!(
            matches!(snapshot.resolve(&OpenSpec, key), ResolvedId::One(_)),
            "{key}"
        );
    }
}

#[test]
fn metadata() {
    let bomb = format!(
        "a: &a [x,x,x,x,x,x,x,x,x]\n{}",
        (1..10)
            .map(|n| format!(
                "a{n}: &a{n} [{}]\n",
                format!(
                    "*a{},",
                    if n == 1 {
                        String::new()
                    } else {
                        (n - 1).to_string()
                    }
                )
                .repeat(9)
                .trim_end_matches(',')
            ))
            .collect::<String>()
    );
    for (yaml, problems) in [
        ("- a\n", 1),
        ("schema: a\nschema: b\n", 1),
        ("depends_on: {a: b}\n", 1),
        ("schema: [\n", 1),
        (&*bomb, 1),
        ("skip_specs: \"yes\"\n", 0),
        ("", 0),
    ] {
        let snapshot = plan(&[
            ("openspec/changes/a/.openspec.yaml", yaml),
            ("openspec/changes/a/tasks.md", "- [ ] 1 a\n"),
        ]);
        assert_eq!(rows(&snapshot).len(), 1);
        assert_eq!(all_problems(&snapshot).len(), problems, "{yaml}");
    }
}

#[test]
fn a_list_with_two_versions_is_set_aside_and_others_are_read() {
    let clash = "- [ ] 1 a\n<<<<<<< ours\n- [x] 2 b\n=======\n- [ ] 2 c\n>>>>>>> theirs\n";
    let snapshot = plan(&[
        (TASKS, clash),
        ("openspec/changes/b/tasks.md", "- [ ] 1 a\n"),
    ]);
    assert_eq!(rows(&snapshot), ["1 open a"]);
    assert_eq!(all_problems(&snapshot)[0].line(), 2);
    assert!(refused(clash, "auth#1", &tick(true)).contains("no item is named"));
    let hint = list("- [~] 1 a\n- [ ] 2 b\n1. [ ] 3 c\n");
    assert_eq!(
        &*all_problems(&hint)[0].message,
        "holds 2 tasks that releases of OpenSpec before 1.13 do not count"
    );
}

#[test]
fn deltas_at_odd_places_are_findings_and_no_items() {
    let delta = "## ADDED Requirements\n### Requirement: A\nIt SHALL.\n#### Scenario: a\n- x\n";
    let twice = format!(
        "{delta}## added requirements\n### Requirement: B\nIt SHALL.\n#### Scenario: a\n- x\n"
    );
    let texts = [
        ("openspec/changes/a/specs/spec.md", delta),
        ("openspec/changes/a/specs/x.md", delta),
        ("openspec/changes/a/specs/one/two/three/spec.md", &*twice),
    ];
    let snapshot = plan(&texts);
    assert_eq!(snapshot.nodes.len(), 1);
    let rules: Vec<&str> = OpenSpec
        .check(&snapshot)
        .iter()
        .map(|one| one.rule)
        .collect();
    assert_eq!(rules, ["delta_headings", "delta_folder", "delta_folder"]);
    assert_eq!(snapshot.units[0].statements.len(), 4);
}
