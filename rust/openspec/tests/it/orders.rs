//! Work orders.

use chant_openspec::OpenSpec;
use chant_plan_format::PlanFormat;

use super::support::{TASKS, plan};

#[test]
fn an_order_has_the_open_tasks_and_what_the_change_says_of_them() {
    let delta = "## ADDED Requirements\n### Requirement: A\nIt SHALL.\n#### Scenario: s\n- x\n";
    let texts = [
        (
            TASKS,
            "## 1. Store\n- [x] 1.1 Make\n- [ ] 1.2 Write\n  - [ ] 1.2.1 Read\n- [ ] [DEV] 1.3 Look\n",
        ),
        ("openspec/changes/auth/design.md", "# D\n"),
        ("openspec/changes/auth/proposal.md", "## Why\n"),
        ("openspec/changes/auth/specs/login/spec.md", delta),
        ("openspec/changes/done/tasks.md", "- [x] 1.1 a\n"),
        ("openspec/changes/people/tasks.md", "- [ ] [DEV] 1.1 a\n"),
    ];
    let snapshot = plan(&texts);
    let order = |key: &str| OpenSpec.order(&snapshot, snapshot.node_of(key).unwrap());
    let change = order("openspec:auth").unwrap();
    let boxes: Vec<&str> = change.criteria.iter().map(|one| &*one.item).collect();
    assert_eq!(boxes, ["auth#1.2", "auth#1.2.1"]);
    assert_eq!(change.locked_keys.len(), 5);
    assert_eq!(change.own_paths, [TASKS.into(), texts[1].0.into()]);
    assert_eq!(change.parts.len(), 5);
    assert_eq!(change.statements.len(), 1);
    let task = order("openspec:auth#1.2").unwrap();
    assert_eq!(
        (&*task.parts[0].text, task.parts[0].lines),
        ("1. Store", (1, 1))
    );
    assert_eq!(task.criteria.len(), 2);
    let refused = |key: &str| order(key).unwrap_err().to_string();
    assert_eq!(
        refused("openspec:done"),
        "openspec:done is done. Choose an item that is open"
    );
    assert!(refused("openspec:people").contains("no open task that an agent can do"));
}
