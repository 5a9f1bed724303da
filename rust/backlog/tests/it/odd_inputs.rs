//! Hostile and odd inputs, each with what is read of it.

use chant_backlog::BacklogTasks;
use chant_base::ident::ResolvedId;
use chant_plan_format::PlanFormat;
use chant_plan_format::document::{PlanDocument, RootSettings};

use super::support::{CONFIG, TASK, all_problems, one, plan, refused, tick};
use super::tasks::FIRST;

fn task(keys: &str) -> String {
    format!("---\nid: TASK-1\ntitle: a\nstatus: To Do\n{keys}---\n")
}

fn body(text: &str) -> String {
    format!("---\nid: TASK-1\ntitle: a\nstatus: To Do\n---\n{text}")
}

/// The numbers of criteria, with a star behind ticked ones.
fn criteria(text: &str) -> String {
    let snapshot = one(&body(text));
    let item = snapshot.item(&snapshot.nodes[0]);
    let shown = item
        .criteria
        .iter()
        .map(|one| format!("{}{}", one.number, if one.is_ticked { "*" } else { "" }));
    shown.collect::<Vec<_>>().join(" ")
}

fn problems(text: &str) -> Vec<String> {
    let snapshot = one(text);
    all_problems(&snapshot)
        .iter()
        .map(|one| one.message.to_string())
        .collect()
}

#[test]
fn values_that_are_no_yaml() {
    let assignees = |value: &str| {
        let snapshot = one(&task(&format!("assignee: {value}\n")));
        snapshot.item(&snapshot.nodes[0]).assignees.join("|")
    };
    for (value, expected) in [
        ("[@a, @b]", "@a|@b"),
        ("@a", "@a"),
        ("[]", ""),
        ("", ""),
        ("['@a', bob]", "@a|bob"),
        ("\"team: core\"", "team: core"),
        ("\n  - '@a'\n  # one more\n  - b", "@a|b"),
        ("[a, # x\n  b]", "a|b"),
    ] {
        assert_eq!(assignees(value), expected, "{value}");
    }
    let odd = task("nested:\n  a: {b: [c]} # d\nanchor: &x y\nalias: *x\nbroken: [\n");
    assert_eq!(one(&odd).nodes.len(), 1);
}

#[test]
fn ids() {
    let name = |path: &str, id: &str| {
        let text = format!("---\n{id}title: a\n---\n");
        let snapshot = plan(&[CONFIG, (path, &text)]);
        let problems = snapshot
            .units
            .iter()
            .map(|unit| unit.problems.len())
            .sum::<usize>();
        (snapshot.nodes[0].key.to_string(), problems)
    };
    for (file, id, expected, problems) in [
        ("task-12 - a.md", "id: 12\n", "backlog:TASK-12", 0),
        ("task-12 - a.md", "id: \"012\"\n", "backlog:TASK-12", 0),
        ("task-13 - a.md", "id: task-12\n", "backlog:TASK-12", 1),
        ("task-13.md", "", "backlog:TASK-13", 1),
        ("task-13 - a.md", "id: what\n", "backlog:TASK-13", 1),
        (
            "task-5.2.1.1.1 - a.md", "id: TASK-5.02.1.1.1\n", "backlog:TASK-5.2.1.1.1", 0,
        ),
    ] {
        assert_eq!(
            name(&format!("backlog/tasks/{file}"), id),
            (expected.into(), problems),
            "{file} {id}"
        );
    }
    for (prefix, file, id) in [
        ("back-log", "back-log-7 - a.md", "BACK-LOG-7"),
        ("a.b", "A.B-07 - a.md", "A.B-7"),
        ("'[*]'", "task-1 - a.md", ""),
    ] {
        let config = format!("project_name: x\ntask_prefix: {prefix}\n");
        let path = format!("backlog/tasks/{file}");
        let text = format!("---\nid: {id}\ntitle: a\n---\n");
        let snapshot = plan(&[("backlog/config.yml", &config), (&path, &text)]);
        let keys: Vec<&str> = snapshot.nodes.iter().map(|node| &node.key[8..]).collect();
        assert_eq!(keys.join(" "), id);
    }
    let stranger = plan(&[
        CONFIG,
        (
            "backlog/tasks/task-epic-1 - a.md",
            "---\nid: task-epic-1\n---\n",
        ),
    ]);
    assert_eq!(stranger.nodes.len(), 0);
    let problem = &all_problems(&stranger)[0];
    assert_eq!(
        (
            &*problem.path,
            problem.message.contains("1 file whose names")
        ),
        ("backlog/tasks", true)
    );
    let texts = [
        CONFIG,
        (
            "backlog/tasks/task-1 - a.md",
            "---\nid: TASK-1\ntitle: a\n---\n",
        ),
        (
            "backlog/completed/task-01 - b.md",
            "---\nid: task-01\ntitle: b\n---\n",
        ),
        (
            "backlog/tasks/task-2 - c.md",
            "---\nid: TASK-2\ntitle: c\nstatus: To Do\ndependencies: [TASK-1]\n---\n",
        ),
    ];
    let snapshot = plan(&texts);
    assert!(
        matches!(snapshot.resolve(&BacklogTasks, "task-1"), ResolvedId::Many(found) if found.len() == 2)
    );
    assert!(
        snapshot.nodes.iter().all(|node| !node.is_ready),
        "an ID of two files is never met"
    );
    assert!(
        snapshot
            .problems
            .iter()
            .any(|one| one.message.contains("TASK-1 has a name that"))
    );
}

#[test]
fn files_that_are_no_tasks() {
    for (text, why) in [
        ("", "is empty"),
        ("# Only text\n", "has no front matter"),
        ("\n---\nid: TASK-1\n---\n", "has no front matter"),
        ("---\nid: TASK-1\n", "never closed"),
        ("---\nid: TASK-1\n---\n\0", "NUL"),
        (
            "<<<<<<< a\n---\nid: TASK-1\n=======\n---\nid: TASK-2\n>>>>>>> b\n---\n",
            "conflict marks",
        ),
    ] {
        let snapshot = plan(&[
            CONFIG,
            (TASK, text),
            (
                "backlog/tasks/task-2 - b.md",
                "---\nid: TASK-2\ntitle: b\nstatus: To Do\n---\n",
            ),
        ]);
        assert_eq!(snapshot.nodes.len(), 1, "{text}");
        let problems = all_problems(&snapshot);
        assert!(problems[0].message.contains(why), "{text}: {problems:?}");
    }
    let dashes =
        one("---\nid: TASK-1\ntitle: 'a --- b'\nstatus: To Do\nnote: |\n  x\n  --- y\n---\n");
    assert_eq!(&*dashes.item(&dashes.nodes[0]).title, "a --- b");
    let documents = [PlanDocument::new(CONFIG.0, CONFIG.1).into()];
    let settings = RootSettings(documents.into());
    for path in [
        "backlog/tasks/epics/task-1 - a.md",
        "backlog/tasks/readme.md",
        "backlog/tasks/task-1 (1).md",
        "backlog/tasks/task-1 - a.md~",
        "backlog/tasks/.#task-1 - a.md",
        "backlog/docs/task-1 - a.md",
    ] {
        assert!(!BacklogTasks.is_document(&settings, path), "{path}");
    }
}

#[test]
fn states_and_lists_of_them() {
    let state = |config: &str, status: &str| {
        let config = format!("project_name: x\n{config}");
        let text = format!("---\nid: TASK-1\ntitle: a\n{status}---\n");
        let snapshot = plan(&[("backlog/config.yml", &config), (TASK, &text)]);
        let node = &snapshot.nodes[0];
        format!("{} {}", node.status, node.meaning.as_str())
    };
    for (config, status, expected) in [
        ("", "status:\n", " waits"),
        ("", "", " waits"),
        ("", "status: [To Do]\n", "To Do can_begin"),
        ("", "status: TO DO\n", "To Do can_begin"),
        ("", "status: Won't Do\n", "Won't Do waits"),
        ("statuses: [Only]\n", "status: only\n", "Only done"),
        ("statuses: []\n", "status: Done\n", "Done done"),
        (
            "statuses:\n  - Open\n  - 'Shut, now'\n",
            "status: 'shut, now'\n",
            "Shut, now done",
        ),
        ("statuses: {a: b}\n", "status: Done\n", "Done done"),
    ] {
        assert_eq!(state(config, status), expected, "{config} {status}");
    }
}

#[test]
fn titles_and_dates() {
    let title = |value: &str| {
        let snapshot = one(&format!(
            "---\nid: TASK-1\ntitle: {value}\nstatus: To Do\n---\n"
        ));
        snapshot.item(&snapshot.nodes[0]).title.to_string()
    };
    assert_eq!(title("\"a \\\"b\\\": c\""), "a \"b\": c");
    assert_eq!(title(">-\n  long\n  title"), "long title");
    assert_eq!(title(&"x".repeat(300)).len(), 300);
    assert_eq!(title(""), "First", "the name of the file");
    for (date, count) in [
        ("2026-01-31", 0),
        ("'2026-01-31 14:05'", 0),
        ("31-01-26", 0),
        ("1926-01-01", 0),
        ("2026-13-01", 1),
        ("soon", 1),
    ] {
        let snapshot = one(&task(&format!("created_date: {date}\n")));
        assert_eq!(BacklogTasks.check(&snapshot).len(), count, "{date}");
    }
}

#[test]
fn criteria_with_marks_and_without() {
    let marks = |lines: &str| {
        format!("## Acceptance Criteria\n<!-- AC:BEGIN -->\n{lines}<!-- AC:END -->\n")
    };
    for (text, expected) in [
        (
            "## Acceptance Criteria\n- [ ] a\n- [x] b\n".to_owned(),
            "1 2*",
        ),
        (
            "## Acceptance Criteria (Optional)\n- [ ] #7 a\n".to_owned(),
            "1",
        ),
        (
            marks("- [ ] #1 a\n- [X] #2 b\n* [ ] #3 c\n  - [ ] #4 d\n-  [ ] #5 e\n"),
            "1",
        ),
        (
            marks("- [ ] #5 a\n- [x] none\n- [ ] #2 b\nwords\n"),
            "5 3* 2",
        ),
        (marks("```\n- [ ] #1 a\n```\n"), ""),
        (
            "## Acceptance Criteria\n<!-- AC:BEGIN -->\n- [ ] #1 a\n".to_owned(),
            "",
        ),
        (
            format!("{}{}", marks("- [ ] #1 a\n"), marks("- [ ] #1 b\n")),
            "",
        ),
        (
            "## Acceptance Criteria\n<!-- AC:END -->\n- [ ] #1 a\n<!-- AC:BEGIN -->\n".to_owned(),
            "",
        ),
        ("### Acceptance Criteria\n- [ ] a\n".to_owned(), ""),
    ] {
        assert_eq!(criteria(&text), expected, "{text}");
    }
    let twice = body(&marks("- [ ] #1 a\n- [ ] #1 b\n"));
    assert!(refused(&twice, &tick(1, true)).contains("lines 8, 9"));
    let open = body("## Acceptance Criteria\n<!-- AC:BEGIN -->\n- [ ] #1 a\n");
    assert!(problems(&open)[0].contains("do not pair up"));
    assert!(refused(&open, &tick(1, true)).contains("do not pair up"));
    let nested = FIRST.replace("What.", "<!-- AC:BEGIN -->");
    assert!(problems(&nested)[0].contains("do not pair up"));
}

#[test]
fn dependencies_and_parts() {
    let texts = [
        CONFIG,
        (
            "backlog/tasks/task-1 - a.md",
            "---\nid: TASK-1\ntitle: a\nstatus: To Do\ndependencies: [TASK-1]\n---\n",
        ),
        (
            "backlog/tasks/task-2 - a.md",
            "---\nid: TASK-2\ntitle: a\nstatus: To Do\ndependencies: [3]\n---\n",
        ),
        (
            "backlog/tasks/task-3 - a.md",
            "---\nid: TASK-3\ntitle: a\nstatus: To Do\ndependencies: [2]\n---\n",
        ),
        (
            "backlog/tasks/task-4 - a.md",
            "---\nid: TASK-4\ntitle: a\nstatus: To Do\ndependencies: {a: b}\n---\n",
        ),
        (
            "backlog/tasks/task-5.1 - a.md",
            "---\nid: TASK-5.1\ntitle: a\nstatus: To Do\nparent_task_id: TASK-4\nsubtasks: [TASK-9]\n---\n",
        ),
    ];
    let snapshot = plan(&texts);
    let ready: Vec<&str> = snapshot
        .nodes
        .iter()
        .filter(|node| node.is_ready)
        .map(|node| &*node.key)
        .collect();
    assert_eq!(ready, ["backlog:TASK-5.1"]);
    let problems: Vec<&str> = all_problems(&snapshot)
        .iter()
        .map(|one| &*one.message)
        .collect();
    assert_eq!(
        problems,
        ["is a part of TASK-5 by its number, and of TASK-4 by `parent_task_id`; the number counts"]
    );
}

#[test]
fn line_ends_and_sizes() {
    let windows = format!("\u{feff}{}", FIRST.replace('\n', "\r\n"));
    let snapshot = one(&windows);
    let item = snapshot.item(&snapshot.nodes[0]);
    assert_eq!(
        (item.criteria.len(), item.labels.len(), &*item.mark),
        (3, 2, "To Do")
    );
    let notes = "word ".repeat(1024 * 1024);
    assert_eq!(one(&body(&notes)).nodes.len(), 1);
    let sections = one(&body("## Notes\n\n### Description\n\n## Notes\n"));
    assert_eq!(sections.units[0].sections.len(), 3);
}
