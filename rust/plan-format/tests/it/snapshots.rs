//! Snapshots joined by names.

use std::sync::Arc;

use chant_base::external_items::ExternalStatus;
use chant_base::ident::ResolvedId;
use chant_plan_format::PlanFormat;
use chant_plan_format::document::RootSettings;
use chant_plan_format::join::JoinInput;
use chant_plan_format::snapshot::{PlanMeaning, PlanSnapshot, WaitTarget};

use super::todo_lines::{TodoLines, unit};

fn joined(texts: &[&str]) -> PlanSnapshot {
    let units: Vec<_> = texts.iter().map(|text| Arc::new(unit(text))).collect();
    let others = |keys: &[String]| {
        let answer = |key: &String| ExternalStatus::Found {
            status: "done".into(),
            is_done: key == "chant:done",
            place: "elsewhere".into(),
        };
        keys.iter().map(answer).collect()
    };
    TodoLines::Honest.join(&JoinInput {
        units: &units,
        settings: &RootSettings::default(),
        archived: &["old".into()],
        others: &others,
    })
}

#[test]
fn waits_lead_to_items_by_name() {
    let snapshot = joined(&[
        "a id:a after:b\nx b id:b\nc id:c after:a\nd id:d after:e\ne id:e\n",
        "e id:e\nf id:f after:chant:done\ng id:g after:chant:open after:old\nh id:h after:none\n",
    ]);
    let states: Vec<(&str, bool, bool)> = snapshot
        .nodes
        .iter()
        .map(|node| (&*node.key, node.is_done, node.is_ready))
        .collect();
    assert_eq!(
        states,
        [
            ("todo:a", false, true),
            ("todo:b", true, false),
            ("todo:c", false, false),
            ("todo:d", false, false),
            ("todo:e", false, true),
            ("todo:e~2", false, true),
            ("todo:f", false, true),
            ("todo:g", false, false),
            ("todo:h", false, false),
        ]
    );
    let node = |key: &str| &snapshot.nodes[snapshot.node_of(key).unwrap()];
    assert_eq!(
        node("todo:d").waits[0].target,
        WaitTarget::Ambiguous(vec![4, 5])
    );
    assert_eq!(node("todo:g").waits[1].target, WaitTarget::Archived);
    assert_eq!(node("todo:h").waits[0].target, WaitTarget::Unknown);
    assert_eq!(node("todo:b").meaning, PlanMeaning::Done);
    assert_eq!(node("todo:c").meaning, PlanMeaning::Waits);
    assert_eq!(snapshot.problems.len(), 1);
}

#[test]
fn names_lead_to_nodes() {
    let snapshot = joined(&["paint id:paint\npack id:pack\n", "pack id:pack\n"]);
    let found = |name: &str| snapshot.resolve(&TodoLines::Honest, name);
    assert_eq!(found("todo:paint"), ResolvedId::One(0));
    assert_eq!(found("pai"), ResolvedId::One(0));
    assert_eq!(found("pack"), ResolvedId::Many(vec![1, 2]));
    assert_eq!(found("pack~1"), ResolvedId::One(1));
    assert_eq!(found("pack~2"), ResolvedId::One(2));
    assert_eq!(found("other"), ResolvedId::None);
}
