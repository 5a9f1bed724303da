//! Tasks as items.

use std::collections::BTreeMap;

use chant_backlog::BacklogTasks;
use chant_base::ident::ResolvedId;
use chant_plan_format::PlanFormat;
use chant_plan_format::document::{PlanDocument, RootSettings};
use chant_plan_format::snapshot::{PersonAct, PlanMeaning};
use proptest::prelude::*;

use super::support::{CONFIG, TASK, all_problems, one, plan};

pub(super) const FIRST: &str = "---\nid: TASK-1\ntitle: 'First: do it'\nstatus: To Do\nassignee: [@a, @b]\ncreated_date: '2026-01-01 10:00'\nlabels:\n  - ui\n  - \"a, b\"\ndependencies: []\npriority: high\nmine: {a: [1]} # keep\n---\n\n## Description\n\n<!-- SECTION:DESCRIPTION:BEGIN -->\nWhat.\n\n## Inner\n<!-- SECTION:DESCRIPTION:END -->\n\n## Acceptance Criteria\n<!-- AC:BEGIN -->\n- [ ] #1 One\n- [x] #3 Three\n<!-- AC:END -->\n\n## Definition of Done\n<!-- DOD:BEGIN -->\n- [ ] #1 Tested\n<!-- DOD:END -->\n\n## My own\n\ntext\n";

/// A task with some keys.
fn task(id: &str, keys: &str) -> String {
    format!("---\nid: {id}\ntitle: {id}\n{keys}---\n")
}

#[test]
fn a_task_has_what_its_file_says() {
    let snapshot = one(FIRST);
    let node = &snapshot.nodes[0];
    let item = snapshot.item(node);
    assert_eq!(
        (&*node.key, &*item.title, &*node.status),
        ("backlog:TASK-1", "First: do it", "To Do")
    );
    assert_eq!(&*item.assignees, ["@a".into(), "@b".into()]);
    assert_eq!(&*item.labels, ["ui".into(), "a, b".into()]);
    assert_eq!(item.priority.as_deref(), Some("high"));
    let criteria: Vec<(usize, &str, bool, &str)> = item
        .criteria
        .iter()
        .map(|one| (one.number, &*one.text, one.is_ticked, one.list))
        .collect();
    assert_eq!(
        criteria,
        [
            (1, "One", false, "acceptance criteria"),
            (3, "Three", true, "acceptance criteria"),
            (1, "Tested", false, "definition of done")
        ]
    );
    let unit = snapshot.unit(node);
    let titles: Vec<&str> = unit
        .sections
        .iter()
        .map(|section| &*section.title)
        .collect();
    assert_eq!(
        titles,
        [
            "Description", "Inner", "Acceptance Criteria", "Definition of Done", "My own"
        ]
    );
    assert_eq!(
        &FIRST[unit.sections[0].content.clone()],
        "What.\n\n## Inner\n"
    );
    let mine = item
        .attributes
        .iter()
        .find(|one| &*one.name == "mine")
        .unwrap();
    assert_eq!(&FIRST[mine.span.clone()], "mine: {a: [1]} # keep\n");
    assert!(node.is_ready && all_problems(&snapshot).is_empty());
}

#[test]
fn states_are_those_of_the_configuration() {
    let texts = [
        (
            "backlog/config.yml",
            "project_name: x\nstatuses: [To Do, In Progress, Awaiting Merge, Done]\n",
        ),
        (
            "backlog/tasks/task-1 - a.md",
            &*task("task-1", "status: todo\n"),
        ),
        (
            "backlog/tasks/task-2 - a.md",
            &*task("TASK-2", "status: in-progress\n"),
        ),
        (
            "backlog/tasks/task-3 - a.md",
            &*task("TASK-3", "status: Awaiting Merge\n"),
        ),
        (
            "backlog/tasks/task-4 - a.md",
            &*task("TASK-4", "status: DONE\n"),
        ),
        (
            "backlog/tasks/task-5 - a.md",
            &*task("TASK-5", "status: Completed\n"),
        ),
        ("backlog/tasks/task-6 - a.md", &*task("TASK-6", "")),
        (
            "backlog/completed/task-7 - a.md",
            &*task("TASK-7", "status: To Do\n"),
        ),
        (
            "backlog/drafts/draft-1 - a.md",
            &*task("DRAFT-1", "status: Done\n"),
        ),
        (
            "backlog/archive/tasks/task-8 - a.md",
            &*task("TASK-8", "status: Done\n"),
        ),
    ];
    let snapshot = plan(&texts);
    let states: Vec<String> = snapshot
        .nodes
        .iter()
        .map(|node| {
            format!(
                "{} {} {} {}",
                &node.key[8..],
                node.status,
                node.is_done,
                node.meaning.as_str()
            )
        })
        .collect();
    assert_eq!(
        states,
        [
            "TASK-7 To Do true done",
            "DRAFT-1 Draft false waits_for_you",
            "TASK-1 To Do false can_begin",
            "TASK-2 In Progress false being_worked_on",
            "TASK-3 Awaiting Merge false being_worked_on",
            "TASK-4 Done true done",
            "TASK-5 Completed false waits",
            "TASK-6  false waits",
        ]
    );
    assert_eq!(
        snapshot.nodes[1].meaning,
        PlanMeaning::WaitsForYou(PersonAct::Promote)
    );
    let problems: Vec<&str> = all_problems(&snapshot)
        .iter()
        .map(|one| &*one.message)
        .collect();
    assert_eq!(
        problems,
        [
            "has the status 'Completed', which is none of: To Do, In Progress, Awaiting Merge, Done",
            "has no status; it is one of: To Do, In Progress, Awaiting Merge, Done",
        ]
    );
}

#[test]
fn waits_and_parts() {
    let texts = [
        CONFIG,
        (
            "backlog/tasks/task-1 - a.md",
            &*task(
                "TASK-1",
                "status: To Do\ndependencies: [task-2, 3, TASK-008, TASK-009, draft-1]\n",
            ),
        ),
        (
            "backlog/tasks/task-2 - a.md",
            &*task("TASK-2", "status: Done\n"),
        ),
        (
            "backlog/completed/task-003 - a.md",
            &*task("TASK-3", "status: Done\n"),
        ),
        (
            "backlog/archive/tasks/task-8 - a.md",
            &*task("TASK-8", "status: Done\n"),
        ),
        (
            "backlog/archive/tasks/task-9 - a.md",
            &*task("TASK-9", "status: To Do\n"),
        ),
        (
            "backlog/tasks/task-1.2 - a.md",
            &*task("TASK-1.2", "status: To Do\nparent_task_id: task-1\n"),
        ),
        (
            "backlog/tasks/task-5 - a.md",
            &*task("TASK-5", "status: To Do\nparent_task_id: TASK-1\n"),
        ),
    ];
    let snapshot = plan(&texts);
    let node = |key: &str| &snapshot.nodes[snapshot.node_of(key).unwrap()];
    let met: Vec<bool> = node("backlog:TASK-1")
        .waits
        .iter()
        .map(|wait| wait.is_met)
        .collect();
    assert_eq!(met, [true, true, true, false, false]);
    assert_eq!(node("backlog:TASK-1").parts.len(), 2);
    assert!(
        node("backlog:TASK-1.2").is_ready,
        "a part does not wait for what its holder waits for"
    );
    let found = |name: &str| snapshot.resolve(&BacklogTasks, name);
    assert!(matches!(found("task-01"), ResolvedId::One(_)));
    assert!(matches!(found("1.2"), ResolvedId::One(_)));
    assert_eq!(found("backlog:TASK-99"), ResolvedId::None);
    assert_eq!(
        found("NOPE-1"),
        ResolvedId::None,
        "a number behind another prefix is no number alone"
    );
    assert!(
        BacklogTasks.may_hold("task-003 - a", "TASK-3")
            && !BacklogTasks.may_hold("task-30 - a", "TASK-3")
    );
}

#[test]
fn the_folder_is_the_one_that_the_configuration_names() {
    let folder = |texts: &[(&str, &str)]| {
        let documents = texts
            .iter()
            .map(|(path, text)| PlanDocument::new(*path, *text).into());
        let layout = BacklogTasks.layout(&RootSettings(documents.collect()));
        layout.watch.first().cloned()
    };
    let root = "backlog.config.yml";
    for (texts, expected) in [
        (vec![], None),
        (vec![("backlog/config.yml", "")], Some("backlog")),
        (vec![(".backlog/config.yaml", "")], Some(".backlog")),
        (
            vec![(".backlog/config.yml", ""), ("backlog/config.yml", "")],
            Some("backlog"),
        ),
        (vec![(root, "project_name: x\n")], Some("backlog")),
        (vec![(root, "statuses: []\n")], None),
        (
            vec![(root, "project_name: x\nbacklog_directory: plans/b/\n")],
            Some("plans/b"),
        ),
        (
            vec![(root, "project_name: x\nbacklog_directory: ../b\n")],
            Some("backlog"),
        ),
        (
            vec![
                (root, "project_name: x\nbacklog_directory: /b\n"),
                (".backlog/config.yml", ""),
            ],
            Some(".backlog"),
        ),
        (
            vec![(root, "project_name: x\nbacklog_directory: 'C:\\b'\n")],
            Some("backlog"),
        ),
    ] {
        assert_eq!(folder(&texts).as_deref(), expected, "{texts:?}");
    }
}

#[test]
fn commands_act() {
    let documents = [PlanDocument::new(CONFIG.0, CONFIG.1).into()];
    let settings = RootSettings(documents.into());
    let acts = |path: &str, text: &str| BacklogTasks.acts(&settings, path, text).len();
    assert_eq!(
        acts(
            "backlog/config.yml",
            "default_editor: vi\nonStatusChange: 'rm x'\n"
        ),
        2
    );
    assert_eq!(
        acts(
            TASK,
            "---\nid: TASK-1\non_status_change: x\n---\nonStatusChange: no\n"
        ),
        1
    );
    assert_eq!(
        acts("backlog/docs/x.md", "---\nonStatusChange:\n  - a\n---\n"),
        1
    );
    assert_eq!(acts("other/config.yml", "onStatusChange: x\n"), 0);
    assert_eq!(acts(TASK, FIRST), 0);
}

#[test]
fn findings() {
    let rules = |texts: &[(&str, &str)]| -> Vec<String> {
        let found = BacklogTasks.check(&plan(texts));
        found
            .iter()
            .map(|one| format!("{} {}:{}", one.level.as_str(), one.rule, one.line()))
            .collect()
    };
    assert_eq!(rules(&[CONFIG, (TASK, FIRST)]), [""; 0]);
    let bad = task(
        "TASK-1",
        "status: Nope\ndependencies: [TASK-1, TASK-9]\nparent_task_id: TASK-8\ncreated_date: 2026-13-01\nonStatusChange: x\n",
    );
    assert_eq!(
        rules(&[CONFIG, (TASK, &bad)]),
        [
            "warning status:4", "warning dependencies:5", "warning dependencies:5",
            "warning parent:6", "warning dates:7", "warning command:8"
        ]
    );
    let done = FIRST.replace("To Do", "Done");
    assert_eq!(rules(&[CONFIG, (TASK, &done)]), ["hint criteria:25"]);
    let ticked = FIRST.replace("[ ]", "[x]");
    assert_eq!(rules(&[CONFIG, (TASK, &ticked)]), ["hint criteria:25"]);
}

#[test]
fn an_order_has_description_plan_and_boxes() {
    let text = FIRST.replace("mine:", "references:\n  - src/a.rs\nmine:");
    let part = task("TASK-1.1", "status: To Do\n");
    let texts = [
        CONFIG,
        (TASK, &*text),
        ("backlog/tasks/task-1.1 - a.md", &*part),
    ];
    let snapshot = plan(&texts);
    let order = BacklogTasks
        .order(&snapshot, snapshot.node_of("backlog:TASK-1").unwrap())
        .unwrap();
    let parts: Vec<&str> = order.parts.iter().map(|part| &*part.text).collect();
    assert_eq!(parts, ["What.\n\n## Inner", "references: src/a.rs"]);
    assert_eq!(order.criteria.len(), 3);
    assert_eq!(order.own_paths, [TASK.into()]);
    assert_eq!(order.locked_keys.len(), 2);
    let done = plan(&[CONFIG, (TASK, &text.replace("To Do", "Done"))]);
    assert!(BacklogTasks.order(&done, 0).is_err());
}

proptest! {
    /// Ready is what a computation over all tasks says that knows nothing of the code.
    #[test]
    fn the_frontier_is_that_of_brute_force(tasks in prop::collection::vec((0..3_usize, prop::collection::vec(1..9_usize, 0..3)), 1..8)) {
        let words = ["To Do", "In Progress", "Done"];
        let texts: BTreeMap<String, String> = tasks.iter().enumerate().map(|(at, (state, waits))| {
            let names: Vec<String> = waits.iter().map(|other| format!("task-{other}")).collect();
            let keys = format!("status: {}\ndependencies: [{}]\n", words[*state], names.join(", "));
            (format!("backlog/tasks/task-{} - t.md", at + 1), task(&format!("TASK-{}", at + 1), &keys))
        }).collect();
        let mut given: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (&**path, &**text)).collect();
        given.push(CONFIG);
        let snapshot = plan(&given);
        let ready: Vec<&str> = snapshot.nodes.iter().filter(|node| node.is_ready).map(|node| &*snapshot.item(node).name).collect();
        let is_done = |other: &usize| tasks.get(other - 1).is_some_and(|(state, _)| *state == 2);
        let expected: Vec<String> = tasks.iter().enumerate().filter(|(_, (state, waits))| *state == 0 && waits.iter().all(is_done)).map(|(at, _)| format!("TASK-{}", at + 1)).collect();
        prop_assert_eq!(ready, expected);
    }
}

#[test]
fn nobody_is_told_of_faults_of_archived_tasks() {
    let odd = &*task("TASK-8.1", "status: Odd\nparent_task_id: TASK-3\n");
    let found = |path: &str| all_problems(&plan(&[CONFIG, (path, odd)])).len();
    assert_eq!(found("backlog/archive/tasks/task-8.1 - a.md"), 0);
    assert!(found("backlog/tasks/task-8.1 - a.md") > 0);
}
