//! Specs and tasks as items.

use std::collections::{BTreeMap, BTreeSet};

use chant_plan_format::snapshot::{PersonAct, PlanMeaning, PlanSnapshot};
use proptest::prelude::*;

use super::support::{TASKS, all_problems, list, plan, plan_with, rows};

const LIST: &str = "# Implementation Plan\n\n- [ ] 1. Store\n  - [x] 1.1 Make the table\n    - Use one key\n    - _Requirements: 1.1, 1.2_\n  - [-] 1.2 Write\n- [x] 2. Page\n- [x] 2.1 (P) Draw\n- [ ]* 2.2 Test it\n- [~] Checkpoint\n\n## Notes\n\n- [ ] 9 no task\n";

#[test]
fn tasks_nest_by_their_numbers() {
    let snapshot = list(LIST);
    assert_eq!(
        rows(&snapshot),
        [
            "1 not_started Store",
            "1.1 completed Make the table",
            "1.2 in_progress Write",
            "2 completed Page",
            "2.1 completed Draw",
            "2.2 not_started Test it",
            "~checkpoint queued Checkpoint",
        ]
    );
    let node = |key: &str| &snapshot.nodes[snapshot.node_of(key).unwrap()];
    assert_eq!(node("kiro:auth").parts.len(), 3);
    assert_eq!(
        node("kiro:auth#2").parts.len(),
        2,
        "an optional part is a part"
    );
    assert!(node("kiro:auth#2").is_done, "nobody waits for it");
    assert!(!node("kiro:auth#1").is_done && !node("kiro:auth#1").is_ready);
    assert_eq!(node("kiro:auth#1.2").meaning, PlanMeaning::BeingWorkedOn);
    assert_eq!(&*node("kiro:auth").status, "in_progress");
    let item = |key: &str| snapshot.item(node(key));
    assert!(item("kiro:auth#2.2").is_optional);
    assert_eq!(&*item("kiro:auth#2.1").labels, ["parallel".into()]);
    assert_eq!(
        &*item("kiro:auth#1.1").statements,
        ["1.1".into(), "1.2".into()]
    );
}

#[test]
fn a_spec_is_done_with_its_required_leaves() {
    let texts = [
        (
            ".kiro/specs/a/tasks.md",
            "- [ ] 1. x\n- [x] 1.1 y\n- [ ]* 1.2 z\n",
        ),
        (".kiro/specs/b/tasks.md", "- [x] 1. x\n- [ ] 1.1 y\n"),
        (".kiro/specs/c/requirements.md", "# R\n"),
        (
            ".kiro/specs/g/d/tasks.md",
            "- [ ] 1. x\n  - more\n- [x] 1.1 y\n",
        ),
        (".kiro/specs/Archive/e/tasks.md", "- [ ] 1. x\n"),
        (".kiro/specs/f/picture.md", "x\n"),
    ];
    let snapshot = plan(&texts);
    let state = |key: &str| {
        let node = &snapshot.nodes[snapshot.node_of(key).unwrap()];
        (node.is_done, node.is_ready)
    };
    assert_eq!(state("kiro:a"), (true, false));
    assert_eq!(
        state("kiro:a#1"),
        (false, false),
        "a mere holder has nothing left to do"
    );
    assert_eq!(state("kiro:b"), (false, true));
    assert_eq!(state("kiro:b#1"), (false, false));
    assert_eq!(state("kiro:c"), (false, false));
    assert_eq!(
        state("kiro:g/d#1"),
        (false, true),
        "it has details of its own"
    );
    let specs = snapshot
        .nodes
        .iter()
        .filter(|node| snapshot.item(node).is_group);
    assert_eq!(specs.count(), 4);
    let messages: Vec<&str> = all_problems(&snapshot)
        .iter()
        .map(|one| &*one.message)
        .collect();
    assert_eq!(
        messages,
        [
            "line 1 is open, all of its parts are ticked",
            "line 1 is ticked, 1.1 is open",
            "line 1 is open, all of its parts are ticked"
        ]
    );
}

fn ready(snapshot: &PlanSnapshot) -> Vec<&str> {
    let tasks = snapshot
        .nodes
        .iter()
        .filter(|node| node.is_ready && node.key.contains('#'));
    tasks.map(|node| &*snapshot.item(node).id).collect()
}

#[test]
fn order_counts_where_the_format_says_so() {
    let tasks = "- [ ] 1. a\n- [ ] 1.1 b\n- [ ] 1.2 (P) c\n- [ ] 1.3 (P) d\n- [ ] 2 e\n- [ ]* 3 f\n- [ ] 4 g\n  - _Depends: 1.2-1.3, other_\n";
    assert_eq!(
        ready(&list(tasks)),
        ["1.1", "1.2", "1.3", "2", "3"],
        "the order is advice"
    );
    let approved = (
        ".kiro/specs/auth/spec.json",
        r#"{"approvals":{"tasks":{"approved":true}}}"#,
    );
    let of_cc = |tasks: &str| plan_with(&[(TASKS, tasks), approved], &["other"]);
    assert_eq!(ready(&of_cc(tasks)), ["1.1", "3"]);
    let ticked = |numbers: &[&str]| {
        numbers.iter().fold(tasks.to_owned(), |text, number| {
            text.replace(&format!("[ ] {number} "), &format!("[x] {number} "))
        })
    };
    assert_eq!(ready(&of_cc(&ticked(&["1.1"]))), ["1.2", "1.3", "3"]);
    assert_eq!(ready(&of_cc(&ticked(&["1.1", "1.2"]))), ["1.3", "3"]);
    assert_eq!(ready(&of_cc(&ticked(&["1.1", "1.2", "1.3"]))), ["2", "3"]);
    assert_eq!(
        ready(&of_cc(&ticked(&["1.1", "1.2", "1.3", "2"]))),
        ["3", "4"]
    );
    let waves = format!(
        "{tasks}\n## Task Dependency Graph\n\n```json\n{{\"waves\": [{{\"id\": 0, \"tasks\": [\"1.1\", \"2\"]}}, {{\"id\": 1, \"tasks\": [\"1.2\", \"4\"]}}]}}\n```\n"
    );
    assert_eq!(ready(&of_cc(&waves)), ["1.1", "1.3", "2", "3"]);
    assert_eq!(
        ready(&of_cc(
            &waves
                .replace("[ ] 2 ", "[x] 2 ")
                .replace("[ ] 1.1", "[x] 1.1")
        )),
        ["1.2", "1.3", "3", "4"]
    );
}

#[test]
fn tasks_that_nobody_approved_wait_for_a_person() {
    for (json, approved) in [
        (
            r#"{"approvals":{"tasks":{"generated":true,"approved":true}}}"#,
            true,
        ),
        (
            r#"{"approvals":{"tasks":{"approved":false}},"ready_for_implementation":true}"#,
            true,
        ),
        (r#"{"approvals":{"tasks":{"approved":"true"}}}"#, false),
        (r#"{"approvals":{}}"#, false),
        (r#"{"phase":"x"}"#, true),
        (r#"{"ready_for_implementation":false}"#, false),
        ("{", false),
    ] {
        let snapshot = plan(&[
            (TASKS, "- [ ] 1. a\n- [x] 2. b\n"),
            (".kiro/specs/auth/spec.json", json),
        ]);
        let first = &snapshot.nodes[1];
        assert_eq!(first.is_ready, approved, "{json}");
        let meaning = if approved {
            PlanMeaning::CanBegin
        } else {
            PlanMeaning::WaitsForYou(PersonAct::Approve)
        };
        assert_eq!(first.meaning, meaning, "{json}");
        assert_eq!(all_problems(&snapshot).len(), usize::from(json == "{"));
    }
}

#[test]
fn criteria_are_numbered_by_their_requirement() {
    let text = "# Requirements\n\n## Requirements\n\n### Requirement 1: Log in\n\n**User Story:** As a user\n\n#### Acceptance Criteria\n\n1. WHEN a THE SYSTEM SHALL b\n   and c\n2. IF d\n\n### 要件 2\n#### 受け入れ基準\n1) もし\n2.2 自分で\n   1. nested\n\n### Overview of 3\n1. no criterion\n\n## Notes\n1. none\n";
    let bug = "# Bug\n### Current Behavior\n1.1 WHEN x\n\n### Expected Behavior\n2.1 THEN y\n";
    let snapshot = plan(&[
        (TASKS, LIST),
        (".kiro/specs/auth/requirements.md", text),
        (".kiro/specs/fix/bugfix.md", bug),
    ]);
    let statements = |unit: usize| -> Vec<String> {
        let found = snapshot.units[unit].statements.iter();
        found
            .map(|one| format!("{} {}", one.number, one.text))
            .collect()
    };
    assert_eq!(
        statements(0),
        [
            "1 Requirement 1: Log in",
            "1.1 WHEN a THE SYSTEM SHALL b\nand c",
            "1.2 IF d",
            "2 要件 2",
            "2.1 もし",
            "2.2 自分で\n1. nested"
        ]
    );
    assert_eq!(statements(1), ["1.1 WHEN x", "2.1 THEN y"]);
    let messages: Vec<String> = all_problems(&snapshot)
        .iter()
        .map(|one| one.message.to_string())
        .collect();
    assert_eq!(messages, [""; 0]);
}

/// A task of a random plan: its tick, `(P)`, and the tasks that it names.
type RandomTask = (bool, bool, Vec<usize>);

proptest! {
    /// Ready is what a computation over all tasks says that knows nothing of the code.
    #[test]
    fn the_frontier_is_that_of_brute_force(
        tasks in prop::collection::vec((any::<bool>(), any::<bool>(), prop::collection::vec(0..9_usize, 0..2)), 1..9),
        waves in prop::option::of(prop::collection::vec(0..3_usize, 9)),
        is_ordered in any::<bool>(),
    ) {
        let mut text = String::new();
        for (at, (ticked, parallel, depends)) in tasks.iter().enumerate() {
            let sign = if *ticked { 'x' } else { ' ' };
            let flag = if *parallel { "(P) " } else { "" };
            text.push_str(&format!("- [{sign}] {} {flag}t\n", at + 1));
            for other in depends.iter().filter(|other| **other < tasks.len()) {
                text.push_str(&format!("  - _Depends: {}_\n", other + 1));
            }
        }
        let mut members: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        if let Some(waves) = &waves {
            for (at, wave) in waves.iter().take(tasks.len()).enumerate() {
                members.entry(*wave).or_default().push(format!("\"{}\"", at + 1));
            }
            let lists: Vec<String> = (0..3).map(|wave| format!("[{}]", members.get(&wave).map_or(String::new(), |tasks| tasks.join(",")))).collect();
            text.push_str(&format!("\n```json\n{{\"waves\":[{}]}}\n```\n", lists.join(",")));
        }
        let json = (".kiro/specs/auth/spec.json", "{}");
        let texts = if is_ordered { vec![(TASKS, &*text), json] } else { vec![(TASKS, &*text)] };
        let expected: Vec<String> = (0..tasks.len()).filter(|at| !tasks[*at].0 && needed(&tasks, waves.as_ref(), is_ordered, *at).iter().all(|other| tasks[*other].0)).map(|at| (at + 1).to_string()).collect();
        let snapshot = plan(&texts);
        prop_assert_eq!(ready(&snapshot), expected, "{}", text);
    }
}

fn needed(
    tasks: &[RandomTask],
    waves: Option<&Vec<usize>>,
    is_ordered: bool,
    at: usize,
) -> BTreeSet<usize> {
    if let Some(waves) = waves {
        return (0..tasks.len())
            .filter(|other| waves[*other] + 1 == waves[at])
            .collect();
    }
    let mut needed: BTreeSet<usize> = tasks[at]
        .2
        .iter()
        .copied()
        .filter(|other| *other < tasks.len())
        .collect();
    if is_ordered {
        // Backwards: for a parallel one the next that is not; else the one before, and all parallel ones in a row.
        for other in (0..at).rev() {
            let is_parallel = tasks[other].1;
            if tasks[at].1 {
                if !is_parallel {
                    needed.insert(other);
                    break;
                }
            } else {
                if is_parallel || other + 1 == at {
                    needed.insert(other);
                }
                if !is_parallel {
                    break;
                }
            }
        }
    }
    needed
}
