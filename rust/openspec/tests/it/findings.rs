//! Findings of a strict validation.

use chant_openspec::OpenSpec;
use chant_plan_format::PlanFormat;

use super::support::plan;

const GOOD: &str = "### Requirement: Token\nIt SHALL work.\n#### Scenario: a\n- **WHEN** x\n";

#[track_caller]
fn check(texts: &[(&str, &str)], expected: &[&str]) {
    let found = OpenSpec.check(&plan(texts));
    let shown: Vec<String> = found
        .iter()
        .map(|one| format!("{} {}:{}", one.level.as_str(), one.rule, one.line()))
        .collect();
    assert_eq!(shown, expected, "{found:#?}");
}

fn delta(text: &str) -> [(&str, &str); 1] {
    [("openspec/changes/a/specs/login/spec.md", text)]
}

#[test]
fn deltas_are_held_to_the_rules() {
    check(&delta(&format!("## ADDED Requirements\n{GOOD}")), &[]);
    check(
        &[("openspec/changes/a/proposal.md", "## Why\n")],
        &["error deltas:0"],
    );
    check(
        &[("openspec/changes/a/.openspec.yaml", "skip_specs: true\n")],
        &[],
    );
    check(
        &[("openspec/changes/a/.openspec.yaml", "skip_specs: \"yes\"\n")],
        &["error deltas:0"],
    );
    check(&delta("# Nothing\n"), &["error delta_headings:1"]);
    check(
        &delta("## added requirements\n"),
        &["error delta_entries:1"],
    );
    check(
        &[(
            "openspec/changes/a/specs/spec.md",
            &*format!("## ADDED Requirements\n{GOOD}"),
        )],
        &["error delta_folder:1"],
    );
    check(
        &delta("## ADDED Requirements\n### Requirement: Token\n"),
        &["error requirement_text:2", "error scenarios:2"],
    );
    check(
        &delta(&format!(
            "## ADDED Requirements\n{}",
            GOOD.replace("SHALL", "will")
        )),
        &["warning shall:2"],
    );
    check(
        &delta(&format!("## ADDED Requirements\n{GOOD}{GOOD}")),
        &["error requirement_twice:6"],
    );
    check(
        &delta(&format!(
            "## ADDED Requirements\n{GOOD}## REMOVED Requirements\n- `### Requirement: Token`\n"
        )),
        &["error requirement_twice:7"],
    );
    check(
        &delta(&format!("## ADDED Requirements\n### Notes\n{GOOD}")),
        &["hint delta_headings:2"],
    );
    let renames = |pairs: &[(&str, &str)]| -> String {
        let line = |(from, to): &(&str, &str)| {
            format!("- FROM: `### Requirement: {from}`\n- TO: `### Requirement: {to}`\n")
        };
        format!(
            "## RENAMED Requirements\n{}",
            pairs.iter().map(line).collect::<String>()
        )
    };
    check(&delta(&renames(&[("A", "B"), ("B", "A")])), &[]);
    check(&delta(&renames(&[("A", "A")])), &["error renames:3"]);
    check(
        &delta(&renames(&[("A", "B"), ("A", "C")])),
        &["error renames:5"],
    );
    let modified = format!(
        "{}## MODIFIED Requirements\n{GOOD}",
        renames(&[("Token", "Key")])
    );
    check(&delta(&modified), &["error renames:3"]);
}

#[test]
fn a_modified_requirement_keeps_the_scenarios_of_the_main_spec() {
    let purpose = "## Purpose\nIt says in more than fifty characters what this is here for.\n";
    let spec = format!("{purpose}## Requirements\n{GOOD}#### Scenario: b\n- x\n");
    let main = ("openspec/specs/login/spec.md", &*spec);
    let change = format!("## MODIFIED Requirements\n{GOOD}");
    check(
        &[("openspec/changes/a/specs/login/spec.md", &change), main],
        &["error lost_scenario:2"],
    );
    let other = change.replace("Token", "token");
    check(
        &[("openspec/changes/a/specs/login/spec.md", &other), main],
        &["hint missing_target:2"],
    );
    check(&[main], &[]);
    check(
        &[("openspec/specs/a/spec.md", "# A\n")],
        &["error purpose:1"],
    );
    let short = spec.replace("in more than fifty characters ", "");
    check(
        &[("openspec/specs/a/spec.md", &short)],
        &["warning purpose:1"],
    );
    let long = spec.replace("work", &"x".repeat(501));
    check(
        &[("openspec/specs/a/spec.md", &long)],
        &["hint requirement_length:4"],
    );
    check(
        &[("openspec/specs/a/spec.md", "## Purpose\nx\n")],
        &["error requirements:1"],
    );
    let stray = format!("{spec}## Other\n{GOOD}## ADDED Requirements\n");
    check(
        &[("openspec/specs/a/spec.md", &stray)],
        &[
            "error requirements:11",
            "error requirement_twice:11",
            "error delta_headings:15",
        ],
    );
}

#[test]
fn numbers_are_of_their_group() {
    let list = "## 1. A\n- [ ] 1.1 a\n- [ ] 2.1 b\n- [ ] 1.1 c\n- [ ] d\n";
    let skip = ("openspec/changes/a/.openspec.yaml", "skip_specs: true\n");
    check(
        &[("openspec/changes/a/tasks.md", list), skip],
        &["warning number_group:3", "warning number_twice:4"],
    );
    let own = (
        "openspec/changes/a/.openspec.yaml",
        "skip_specs: true\nschema: mine\n",
    );
    check(&[("openspec/changes/a/tasks.md", list), own], &[]);
}
