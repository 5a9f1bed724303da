//! Edits that are tried, and the steps that they come to.

use std::fs;

use chant_base::external_items::{ExternalItems, ExternalStatus};
use chant_plan_format::intent::{EditIntent, ItemDraft, TickTarget};
use chant_plan_store::{EditTarget, PlanStore, StagedPlan};
use chant_store::disk::Disk;
use chant_store::journal::ChangeStep;

use crate::todo_lines::TodoLines;

static TODO: TodoLines = TodoLines::Honest;
static LIAR: TodoLines = TodoLines::TicksBoth;

fn nothing(keys: &[String]) -> Vec<ExternalStatus> {
    ExternalItems::default().standings(keys)
}

fn target<'a>(item: Option<&'a str>, intent: &'a EditIntent) -> EditTarget<'a> {
    EditTarget {
        unit: Some("todo.txt"),
        item,
        intent,
        now: "2026-01-23T10:00:00Z",
    }
}

#[test]
fn edits_build_on_one_another_and_come_to_one_text() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("todo.txt"),
        "paint id:a\nwait id:b after:a\n",
    )
    .unwrap();
    let store = PlanStore::new(&TODO, folder.path(), &Disk::default());
    let root = store.current(&nothing).unwrap();
    let ready = |root: &chant_plan_store::PlanRoot| -> Vec<String> {
        let nodes = root.snapshot.nodes.iter().filter(|node| node.is_ready);
        nodes.map(|node| node.key.to_string()).collect()
    };
    assert_eq!(ready(&root), ["todo:a"]);
    let mut staged = StagedPlan::begin(root);
    let tick = EditIntent::Tick {
        which: TickTarget::Own,
        on: true,
    };
    let done = staged.apply(target(Some("a"), &tick)).unwrap();
    assert_eq!(done.changed, [("todo.txt".into(), 1)]);
    let add = EditIntent::Add {
        parent: None,
        draft: ItemDraft {
            title: "more".into(),
            ..ItemDraft::default()
        },
    };
    let added = staged.apply(target(None, &add)).unwrap();
    assert_eq!(added.added.as_deref(), Some("l3"));
    assert_eq!(ready(&staged.joined(&nothing)), ["todo:b", "todo:l3"]);
    let text = "x paint id:a\nwait id:b after:a\nmore\n".to_owned();
    let path = "todo.txt".to_owned();
    assert_eq!(staged.steps(), [ChangeStep::Replace { path, text }]);
}

#[test]
fn a_format_that_changes_more_than_was_meant_is_stopped() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("todo.txt"), "a\nb\n").unwrap();
    let store = PlanStore::new(&LIAR, folder.path(), &Disk::default());
    let mut staged = StagedPlan::begin(store.current(&nothing).unwrap());
    let tick = EditIntent::Tick {
        which: TickTarget::Own,
        on: true,
    };
    let error = staged.apply(target(Some("l1"), &tick)).unwrap_err();
    assert!(error.to_string().contains("nothing was changed"), "{error}");
    assert!(staged.steps().is_empty());
}
