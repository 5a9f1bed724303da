//! Changes and tasks as items.

use chant_openspec::OpenSpec;
use chant_plan_format::PlanFormat;
use chant_plan_format::document::RootSettings;
use chant_plan_format::finding::Severity;
use chant_plan_format::snapshot::{PersonAct, PlanMeaning};

use super::support::{TASKS, all_problems, list, plan, plan_with, rows};

const LIST: &str = "# Tasks\n\n## 1. Store\n\n- [x] 1.1 Make the table\n- [ ] 1.2 Write\n  the index\n  - [x] 1.2.1 Read it\n- [~] 1.3a: Clean\n\n## 2. Page\n\n* [X] **2.1** Draw\n+ [ ] [HUMAN] 2.2 Look at it\n- [ ] Without a number, `x`\n- [ ] T007 Old\n1. [-] 3. Count\n";

#[test]
fn tasks_have_their_numbers_states_and_parts() {
    let snapshot = list(LIST);
    assert_eq!(
        rows(&snapshot),
        [
            "1.1 done Make the table",
            "1.2 open Write",
            "1.2.1 done Read it",
            "1.3a active Clean",
            "2.1 done Draw",
            "2.2 open Look at it",
            "~without-a-number-x open Without a number, `x`",
            "T007 open Old",
            "3 active Count",
        ]
    );
    let node = |key: &str| &snapshot.nodes[snapshot.node_of(key).unwrap()];
    assert_eq!(node("openspec:auth").parts.len(), 8);
    assert_eq!(node("openspec:auth").status.as_ref(), "in-progress");
    assert_eq!(node("openspec:auth#1.2").parts.len(), 1);
    assert!(node("openspec:auth#1.2").is_ready);
    assert_eq!(
        node("openspec:auth#1.3a").meaning,
        PlanMeaning::BeingWorkedOn
    );
    let of_people = snapshot.item(node("openspec:auth#2.2"));
    assert!(of_people.is_of_people);
    assert_eq!(&*of_people.labels, ["human".into()]);
    let written = snapshot.item(node("openspec:auth#1.2"));
    let details = written.spans.details.clone().unwrap();
    assert_eq!(&LIST[details], "  the index");
}

#[test]
fn a_change_whose_tasks_are_done_waits_for_its_archive_and_holds_nothing_back() {
    let texts = [
        ("openspec/changes/one/tasks.md", "- [x] 1.1 a\n"),
        (
            "openspec/changes/two/.openspec.yaml",
            "schema: spec-driven\ndepends_on: [one, gone, chant:done]\n",
        ),
        ("openspec/changes/two/tasks.md", "- [ ] 1.1 a\n"),
        ("openspec/changes/three/.openspec.yaml", "depends_on: two\n"),
        (
            "openspec/changes/three/tasks.md",
            "- [ ] 1.1 a\n- [~] 1.2 b\n",
        ),
        (
            "openspec/changes/four/.openspec.yaml",
            "schema: spec-driven\n",
        ),
        ("openspec/changes/five/.openspec.yaml", "schema: mine\n"),
    ];
    let snapshot = plan_with(&texts, &["2026-01-31-gone"]);
    let state = |key: &str| {
        let node = &snapshot.nodes[snapshot.node_of(key).unwrap()];
        (node.status.to_string(), node.is_done, node.is_ready)
    };
    assert_eq!(state("openspec:one"), ("complete".into(), true, false));
    assert_eq!(state("openspec:two"), ("in-progress".into(), false, true));
    assert_eq!(state("openspec:two#1.1"), ("open".into(), false, true));
    assert_eq!(
        state("openspec:three"),
        ("in-progress".into(), false, false)
    );
    assert_eq!(
        state("openspec:three#1.1"),
        ("open".into(), false, false),
        "its change waits"
    );
    assert_eq!(state("openspec:four"), ("no-tasks".into(), false, false));
    let one = &snapshot.nodes[snapshot.node_of("openspec:one").unwrap()];
    assert_eq!(one.meaning, PlanMeaning::WaitsForYou(PersonAct::Archive));
    let mut problems = all_problems(&snapshot);
    problems.retain(|problem| problem.level > Severity::Hint);
    assert_eq!(problems.len(), 1);
    assert!(
        problems[0]
            .message
            .contains("not read: the change follows the project's own schema 'mine'")
    );
    assert_eq!(&*problems[0].path, "openspec/changes/five");
}

#[test]
fn documents_have_sections_and_scenarios_are_statements() {
    let texts = [
        (
            "openspec/changes/auth/proposal.md",
            "# Change: Log in safely\n\n## Why\nx\n",
        ),
        ("openspec/changes/auth/notes.md", "# Notes\n"),
        (
            "openspec/changes/auth/specs/area/login/spec.md",
            "## ADDED Requirements\n### Requirement: Token\nIt SHALL work.\n#### Scenario: Good\n- **WHEN** a\n- **THEN** b\n```\n#### Scenario: no\n```\n#### Bad\n- **WHEN** c\n",
        ),
        (
            "openspec/specs/area/login/spec.md",
            "# Login\n## Purpose\nx\n",
        ),
        ("openspec/project.md", "# Project\n"),
        (
            "openspec/changes/archive/2026-01-01-old/tasks.md",
            "- [ ] 1.1 a\n",
        ),
        ("openspec/changes/file.md", "- [ ] 1.1 a\n"),
    ];
    let snapshot = plan(&texts);
    assert_eq!(snapshot.units.len(), 2);
    let change = &snapshot.units[0];
    assert_eq!(&*change.items[0].title, "Log in safely");
    assert_eq!(change.sections.len(), 7);
    let statements: Vec<&str> = change.statements.iter().map(|one| &*one.text).collect();
    assert_eq!(statements.len(), 2);
    assert!(statements[0].starts_with("Token: Good\n- **WHEN** a\n- **THEN** b"));
    assert!(statements[1].starts_with("Token: Bad"));
    assert_eq!(&*snapshot.units[1].source.name, "area/login");
}

#[test]
fn two_changes_that_touch_a_requirement_name_each_other() {
    let delta =
        "## MODIFIED Requirements\n### Requirement: Token\nIt SHALL.\n#### Scenario: a\n- x\n";
    let removed = "## REMOVED Requirements\n### Requirement: Token\n";
    let texts = [
        ("openspec/changes/a/specs/login/spec.md", delta),
        ("openspec/changes/b/specs/login/spec.md", removed),
        ("openspec/changes/c/specs/other/spec.md", delta),
    ];
    let snapshot = plan(&texts);
    let messages: Vec<String> = snapshot
        .problems
        .iter()
        .map(|one| format!("{}:{} {}", one.path, one.line(), one.message))
        .collect();
    assert_eq!(
        messages,
        [
            "openspec/changes/a/specs/login/spec.md:2 touches requirement 'Token' of login, as b does",
            "openspec/changes/b/specs/login/spec.md:2 touches requirement 'Token' of login, as a does",
        ]
    );
}

#[test]
fn configuration_and_schemas_act() {
    let acts = |path: &str, text: &str| -> Vec<String> {
        let found = OpenSpec.acts(&RootSettings::default(), path, text);
        found
            .into_iter()
            .map(|part| part.name.to_string())
            .collect()
    };
    let text = "schema: spec-driven\ncontext: |\n  run me\nrules:\n  tasks: [a]\noperations: {}\n";
    assert_eq!(
        acts("openspec/config.yaml", text),
        ["context", "rules", "operations"]
    );
    assert_eq!(acts("openspec/schemas/x/schema.yaml", "x").len(), 1);
    assert_eq!(acts(TASKS, "context: x\n").len(), 0);
    let is_document = |path: &str| OpenSpec.is_document(&RootSettings::default(), path);
    assert!(is_document(TASKS) && is_document("openspec/config.yaml"));
    assert!(!is_document("openspec/changes/auth/picture.png") && !is_document("README.md"));
}
