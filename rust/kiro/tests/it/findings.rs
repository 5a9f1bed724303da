//! Findings of our own rules.

use chant_kiro::KiroSpecs;
use chant_plan_format::PlanFormat;

use super::support::{TASKS, plan};

#[track_caller]
fn check(tasks: &str, expected: &[&str]) {
    let requirements = (
        ".kiro/specs/auth/requirements.md",
        "### Requirement 1\n1. a\n2. b\n",
    );
    let found = KiroSpecs.check(&plan(&[
        (TASKS, tasks),
        requirements,
        (".kiro/specs/other/tasks.md", "- [ ] 7. x\n"),
    ]));
    let shown: Vec<String> = found
        .iter()
        .map(|one| format!("{} {}:{}", one.level.as_str(), one.rule, one.line()))
        .collect();
    assert_eq!(shown, expected, "{found:#?}");
}

#[test]
fn lists_are_held_to_the_rules() {
    check("- [ ] 1. a\n  - _Requirements: 1.1, 1.2_\n", &[]);
    check("- [ ] 1. a\n- [ ] 1. b\n", &["warning number_twice:2"]);
    check("- [ ] 2.1 a\n", &["warning lost_part:1"]);
    check(
        "- [ ] 1. a\n- [ ] 1.1 a\n- [ ] 1.1.1 a\n",
        &["hint levels:3"],
    );
    check(
        "- [?] 1. a\n- [v] b\n",
        &["warning box_sign:1", "warning box_sign:2"],
    );
    check(
        "- [ ] 1. a\n  - _Requirements: all, 1.1_\n",
        &["hint requirement_words:2"],
    );
    check(
        "- [ ] 1. a\n  - _Requirements: 1.1-1.3, 9_\n",
        &["warning unknown_requirement:2"],
    );
    check(
        "- [ ] 1. a\n  - _Depends: 2, other#7_\n",
        &["warning depends:2"],
    );
    check("- [ ] 1. a\n  - _Depends: 1_\n", &["warning depends:2"]);
    check(
        "- [ ] 1. a\n  - _Depends: 2_\n- [ ] 2. b\n  - _Depends: 1_\n",
        &["warning depends:2", "warning depends:4"],
    );
    let waves = |json: &str| format!("- [ ] 1. a\n- [ ] 2. b\n```json\n{json}\n```\n");
    check(
        &waves(r#"{"waves": [["1", "3"], ["2", "1"]]}"#),
        &["warning waves:4", "warning waves:4"],
    );
    check(
        &waves(r#"{"waves": [{"name": "a", "tasks": ["1"], "depends_on": ["a"]}]}"#),
        &["warning waves:4"],
    );
}

#[test]
fn a_requirement_that_no_task_names_is_a_hint() {
    let requirements = (
        ".kiro/specs/auth/requirements.md",
        "### Requirement 1\n1. a\n\n### Requirement 2\n1. b\n",
    );
    let tasks = (TASKS, "- [ ] 1. a\n  - _Requirements: 1.1_\n");
    let found = KiroSpecs.check(&plan(&[tasks, requirements]));
    assert_eq!(
        (found.len(), found[0].rule, found[0].line()),
        (1, "unnamed_requirement", 4)
    );
}
