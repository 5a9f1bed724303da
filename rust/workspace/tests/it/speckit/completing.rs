//! Ticking tasks: what is refused, what warns, what is recorded (reference rstn 2.4 and 6.4).

use std::fs;

use chant_base::error::ErrorKind;
use chant_speckit::ops;

use super::{FEATURE, Project, data, hint, who};

fn file(project: &Project) -> std::path::PathBuf {
    project.root().join(FEATURE).join("tasks.md")
}

// proves: speckit:complete_task:ticks_one_box
#[test]
fn vector_5_and_6_one_byte_changes_and_the_second_call_writes_nothing() {
    let text = "# Tasks\r\n\r\n## Phase 1: Setup\r\n\r\n- [ ] T001 a\r\n- [ ] T002 b\r\n";
    let project = Project::of_tasks(text);
    let answer = project.complete("t001 ").unwrap();
    assert_eq!(
        answer.text,
        "Task T001 marked for completion. Processing...\n1/2 tasks complete\nNo checks are configured.\nNext: T002 b"
    );
    assert_eq!(project.tasks(), text.replace("[ ] T001", "[x] T001"));
    let event = &project.events()[0];
    assert_eq!(
        (&event["event"], &event["task"]),
        (&"task".into(), &"T001".into())
    );
    assert_eq!(
        (&event["session"], &event["feature"]),
        (&"s".into(), &FEATURE.into())
    );
    let stamp = || fs::metadata(file(&project)).unwrap().modified().unwrap();
    let before = stamp();
    let again = data(&project.complete("T001").unwrap());
    assert_eq!(again["already_complete"], true);
    assert_eq!(stamp(), before);
    assert_eq!(project.events().len(), 1);
}

// proves: speckit:complete_task:unknown_task
#[test]
fn vector_7_an_unknown_task_is_named_with_those_like_it() {
    let project = Project::of_tasks("- [ ] T001 a\n- [ ] T009 b\n");
    let error = project.complete("T099").unwrap_err();
    assert_eq!(error.to_string(), "Task T099 not found");
    assert_eq!(hint(&error), "Nearest: T009, T001");
    assert_eq!(project.tasks(), "- [ ] T001 a\n- [ ] T009 b\n");
}

#[test]
fn an_id_that_stands_twice_is_refused_with_its_lines() {
    let text = "- [ ] T001 a\n\n- [x] T001 b\n";
    let project = Project::of_tasks(text);
    let error = ops::complete(&project.features(), &who("s"), None, "T001", true).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Several lines have task T001: lines 1 and 3; nothing was changed"
    );
    assert_eq!(error.kind(), ErrorKind::AmbiguousId);
    assert_eq!(project.tasks(), text);
}

// proves: speckit:complete_task:finds_the_task_by_id
#[test]
fn vector_9_tasks_of_every_form_are_ticked_in_place() {
    let text = "- [ ] T008: a\n- [ ] **T007** b\n* [ ] T013 c\n- [x] T028 d\n  - [ ] T028a e\n";
    let project = Project::of_tasks(text);
    for id in ["T008", "T007", "T013", "T028a"] {
        project.complete(id).unwrap();
    }
    assert_eq!(project.tasks(), text.replace("[ ]", "[x]"));
}

#[test]
fn open_parts_and_dependencies_refuse_unless_validation_is_skipped() {
    let text =
        "- [ ] T001 a\n  - [ ] T001a part\n  - [ ] box\n- [ ] T002 b (depends on T001, T777)\n";
    let project = Project::of_tasks(text);
    let refused = |id: &str| project.complete(id).unwrap_err().to_string();
    assert_eq!(
        refused("T001"),
        "Task T001 was not completed: its parts are open: T001a, `box`"
    );
    assert_eq!(
        refused("T002"),
        "Task T002 was not completed: it depends on T001, which is open; it depends on T777, which the list does not have"
    );
    assert_eq!(project.tasks(), text);
    let answer = ops::complete(&project.features(), &who("s"), None, "T002", true).unwrap();
    assert!(
        answer
            .text
            .contains("Validation was skipped, which is recorded.")
    );
    assert_eq!(project.events()[0]["skipped_validation"], true);
    assert_eq!(project.tasks(), text.replace("[ ] T002", "[x] T002"));
}

#[test]
fn phase_order_and_missing_files_warn_unless_configured_strict() {
    let text = "## Setup\n- [ ] T001 a\n## Work\n- [ ] T002 b in src/b.py\n- [ ] T003 c\n";
    let project = Project::of_tasks(text);
    let done = data(&project.complete("T002").unwrap());
    assert_eq!(
        done["warnings"],
        serde_json::json!([
            "phases before its own have open tasks: Setup",
            "files it names are not there: src/b.py"
        ])
    );
    project.write(".specify/chant-mcp.yml", "strict:\n  phases: true\n");
    assert_eq!(
        project.complete("T003").unwrap_err().to_string(),
        "Task T003 was not completed: phases before its own have open tasks: Setup"
    );
}

#[cfg(unix)]
#[test]
fn vector_15_a_failing_check_leaves_the_box_open() {
    let text = "- [ ] T001 a\n- [ ] T002 b\n";
    let project = Project::of_tasks(text);
    let config = "checks:\n  unit:\n    command: [/bin/sh, -c, 'echo \"$WORD said $API_TOKEN\"; test -e passed']\n    cwd: specs\n    env: {WORD: it}\nenv: {pass: [API_TOKEN]}\n";
    project.write(".specify/chant-mcp.yml", config);
    let features = project.seen(
        "",
        &[("API_TOKEN", "s3cret-value"), ("PATH", "/usr/bin:/bin")],
    );
    let complete = |id: &str, skip| ops::complete(&features, &who("s"), None, id, skip);
    let error = complete("T001", false).unwrap_err();
    let told = error.to_string();
    assert!(told.starts_with("Task T001 was not completed: check 'unit' ended with exit code 1; its last words:\nit said "), "{told}");
    assert!(!told.contains("s3cret-value"), "{told}");
    assert_eq!(project.tasks(), text);
    let event = &project.events()[0];
    assert_eq!(
        (&event["completed"], &event["checks"][0]["exit"]),
        (&false.into(), &1.into())
    );
    project.write("specs/passed", "");
    let done = data(&complete("T001", false).unwrap());
    assert_eq!(
        (&done["checks"][0]["name"], &done["checks"][0]["exit"]),
        (&"unit".into(), &0.into())
    );
    fs::remove_file(project.root().join("specs/passed")).unwrap();
    complete("T002", true).unwrap();
    assert_eq!(project.tasks(), text.replace("[ ]", "[x]"));
    assert!(
        !crate::state_part(&project.root(), "speckit/x")
            .parent()
            .unwrap()
            .read_dir()
            .unwrap()
            .any(|entry| {
                entry
                    .unwrap()
                    .file_name()
                    .to_string_lossy()
                    .starts_with("check-")
            })
    );
}

#[cfg(unix)]
#[test]
fn a_check_that_takes_too_long_or_is_not_there_has_not_passed() {
    let project = Project::of_tasks("- [ ] T001 a\n");
    let config = |check: &str| {
        project.write(
            ".specify/chant-mcp.yml",
            &format!("checks:\n  c: {check}\n"),
        );
        let features = project.seen("", &[("PATH", "/usr/bin:/bin")]);
        let done = ops::complete(&features, &who("s"), None, "T001", false);
        done.unwrap_err().to_string()
    };
    let slow = config("{command: [sleep, '60'], timeout_secs: 0.2}");
    assert!(slow.contains("check 'c' took longer than 0.2 s"), "{slow}");
    let gone = config("[no-such-program-here]");
    assert!(
        gone.contains("check 'c' cannot be run: `no-such-program-here`"),
        "{gone}"
    );
    let outside = config("{command: [ls], cwd: ../..}");
    assert!(
        outside.starts_with("Error: `.specify/chant-mcp.yml`: check 'c' starts outside"),
        "{outside}"
    );
    let wrong = config("7");
    assert!(
        wrong.starts_with("Error: `.specify/chant-mcp.yml`: "),
        "{wrong}"
    );
}

// proves: speckit:complete_task:no_task_list, speckit:complete_task:no_feature
#[test]
fn without_a_list_or_a_feature_the_seeds_words_are_said() {
    let project = Project::of_tasks("# Nothing yet\n");
    let error = project.complete("T001").unwrap_err();
    assert_eq!(error.to_string(), "No task list loaded");
    assert_eq!(hint(&error), "/speckit.tasks makes specs/060-x/tasks.md.");
    project.write(".specify/integration.json", r#"{"invoke_separator": "-"}"#);
    let error = project.complete("T001").unwrap_err();
    assert_eq!(hint(&error), "/speckit-tasks makes specs/060-x/tasks.md.");
    let nothing = Project::with(&[("a.md", "")]);
    let error = nothing.complete("T001").unwrap_err();
    assert_eq!(error.to_string(), "No feature context");
    assert!(hint(&error).contains("feature.json"));
}

#[test]
fn many_threads_that_complete_at_once_lose_nothing() {
    let text: String = (0..40)
        .map(|n| format!("- [ ] T{n:03} [P] task\n"))
        .collect();
    let project = Project::of_tasks(&text);
    std::thread::scope(|scope| {
        for worker in 0..4 {
            let features = project.features();
            scope.spawn(move || {
                for n in (worker..40).step_by(4) {
                    ops::complete(&features, &who("s"), None, &format!("T{n:03}"), false).unwrap();
                }
            });
        }
    });
    assert_eq!(project.tasks(), text.replace("[ ]", "[x]"));
    assert_eq!(project.events().len(), 40);
}

// proves: speckit:complete_task:no_task_list
#[test]
fn a_file_without_a_line_that_is_a_task_is_not_said_to_be_missing() {
    let project = Project::of_tasks("# Tasks\n\n### T001: a\n\n| T002 | b |\n");
    let error = project.complete("T001").unwrap_err();
    assert_eq!(error.to_string(), "No task list loaded");
    assert_eq!(
        hint(&error),
        format!(
            "{FEATURE}/tasks.md is there, but no line of it is a task: line 3 looks like a task and is not read: it has an ID and no box. Put a bullet and a box before the ID of each that is a task: `- [ ] T001 What to do`"
        )
    );
}
