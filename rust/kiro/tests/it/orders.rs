//! Work orders.

use chant_kiro::KiroSpecs;
use chant_plan_format::PlanFormat;

use super::support::{TASKS, plan};

#[test]
fn an_order_has_the_required_leaves_and_the_criteria_that_they_name() {
    let texts = [
        (
            TASKS,
            "- [ ] 1. Store\n- [ ] 1.1 Make\n  - _Requirements: 1.2_\n  - _Depends: 2_\n- [ ]* 1.2 Test\n- [ ] 2. Page\n  - _Requirements: 2_\n",
        ),
        (".kiro/specs/auth/design.md", "# D\n"),
        (
            ".kiro/specs/auth/requirements.md",
            "### Requirement 1\n1. a\n2. b\n\n### Requirement 2\n1. c\n",
        ),
    ];
    let snapshot = plan(&texts);
    let order = |key: &str| {
        KiroSpecs
            .order(&snapshot, snapshot.node_of(key).unwrap())
            .unwrap()
    };
    let parent = order("kiro:auth#1");
    let boxes: Vec<&str> = parent.criteria.iter().map(|one| &*one.item).collect();
    assert_eq!(boxes, ["auth#1", "auth#1.1"]);
    let numbers = |key: &str| -> Vec<String> {
        order(key)
            .statements
            .iter()
            .map(|one| one.number.to_string())
            .collect()
    };
    assert_eq!(numbers("kiro:auth#1"), ["1.2"]);
    assert_eq!(numbers("kiro:auth#2"), ["2", "2.1"]);
    assert_eq!(parent.own_paths, [TASKS.into(), texts[1].0.into()]);
    assert_eq!(parent.parts.last().map(|part| &*part.text), Some("# D"));
    assert_eq!(*order("kiro:auth#1.1").waits, ["2".into()]);
}
