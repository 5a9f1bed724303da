//! What is a task, and what is not (reference rstn 2.6).

use chant_speckit::parse::{tasks, tick};
use chant_speckit::task::{Task, TaskList, TaskMark};
use chant_speckit::unread::UnreadReason;

fn ids(list: &TaskList) -> Vec<&str> {
    list.tasks.iter().map(|task| &*task.id).collect()
}

#[track_caller]
fn one(line: &str) -> Task {
    let mut list = tasks(line);
    assert_eq!(list.tasks.len(), 1, "{line}: {:?}", ids(&list));
    list.tasks.remove(0)
}

#[test]
fn tasks_are_found_with_any_bullet_indentation_and_wrapping() {
    for (line, id, mark) in [
        ("- [ ] T001 Do", "T001", TaskMark::Open),
        ("* [x] T013 Do", "T013", TaskMark::Done),
        ("+ [X] T1000 Do", "T1000", TaskMark::Done),
        ("1. [~] T1.1 Do", "T1.1", TaskMark::Partial),
        ("\t- [-] T067a-3 Do", "T067a-3", TaskMark::Skipped),
        ("        - [ ] T028a Do", "T028a", TaskMark::Open),
        ("- [ ] **T007** Do", "T007", TaskMark::Open),
        ("- [ ] **T007:** Do", "T007", TaskMark::Open),
        ("- [x] ~~T017 Do~~", "T017", TaskMark::Done),
        ("- [ ] T008: Do", "T008", TaskMark::Open),
        ("- [ ] T009 - Do", "T009", TaskMark::Open),
        ("- [ ] [P] T006 Do", "T006", TaskMark::Open),
        ("- [ ] T010. Do\r", "T010", TaskMark::Open),
        ("\u{feff}- [ ] T011 Do", "T011", TaskMark::Open),
        ("- [ ] [T014] [P] [US1] Do", "T014", TaskMark::Open),
        ("- [ ] [P] [T015] Do", "T015", TaskMark::Open),
        ("- [ ] `T016` Do", "T016", TaskMark::Open),
        ("- [ ] **T018: Do**", "T018", TaskMark::Open),
        ("- [ ] **T019 [P]** Do", "T019", TaskMark::Open),
        ("- [ ] **T020** · Do", "T020", TaskMark::Open),
        ("- [ ] T021：Do", "T021", TaskMark::Open),
        ("- [ ] T022、Do", "T022", TaskMark::Open),
    ] {
        let task = one(line);
        assert_eq!((&*task.id, task.mark), (id, mark), "{line}");
        assert_eq!(task.title(), "Do", "{line}");
        let character = line[task.box_at.unwrap()..].chars().next().unwrap();
        assert_eq!(TaskMark::of(character), Some(mark), "{line}");
    }
}

#[test]
fn a_line_with_another_sign_in_its_box_is_no_task_and_is_told() {
    let list = tasks("- [/] T023 Do\n- [✓] T024 Do\n- [?] no ID\n- [ ] T025 Do\n");
    let ids: Vec<&str> = list.tasks.iter().map(|task| &*task.id).collect();
    assert_eq!(ids, ["T025"]);
    let unread = list.unread.into_iter().map(|one| (one.line, one.why));
    let expected = [
        (1, UnreadReason::Sign("/".into())),
        (2, UnreadReason::Sign("✓".into())),
    ];
    assert_eq!(unread.collect::<Vec<_>>(), expected);
}

#[test]
fn a_title_keeps_its_own_emphasis_and_loses_only_the_end_of_the_ids() {
    for (line, title) in [
        ("- [ ] **T001** Do **this** now", "Do **this** now"),
        (
            "- [ ] **T001: Do it.** In *two* steps",
            "Do it. In *two* steps",
        ),
        ("- [ ] **T001 [P]** Do **this**", "Do **this**"),
        ("- [x] ~~T001 Do~~ ~~at once~~", "Do ~~at once~~"),
        ("- [ ] T001 Do **this**", "Do **this**"),
        ("- [ ] T001创建 `a`", "创建 `a`"),
    ] {
        assert_eq!(one(line).title(), title, "{line}");
    }
}

#[test]
fn what_looks_like_a_task_is_none() {
    for line in [
        "- [] T001 Do", "- [o] T001 Do", "- [ ] Tests pass", "- [ ] The thing", "- [ ] TXXX Do",
        "- [ ]T001 Do", "-[ ] T001 Do", "[ ] T001 Do", "- T001 Do", "- [ ] T001/T002 Do",
        "- [ ] T001's output", "- [ ] [T001 Do", "- [1] T5 is a model",
    ] {
        assert_eq!(ids(&tasks(line)), Vec::<&str>::new(), "{line}");
    }
}

#[test]
fn vector_10_fences_and_comments_hold_no_tasks() {
    let text = "- [ ] T001 a\n\n```text\n- [ ] T099 no\n```\n\n~~~\n- [ ] T098 no\n~~~\n\n<!-- - [ ] T097 no\n- [ ] T096 no\n\n- [ ] T095 no -->\n\n- [ ] T002 b <!-- - [ ] T094 -->\n  ```\n  - [ ] T093 no\n  ```\n";
    assert_eq!(ids(&tasks(text)), ["T001", "T002"]);
    let unclosed = "- [ ] T001 a\n\n<!--\n- [ ] T097 no\n";
    assert_eq!(ids(&tasks(unclosed)), ["T001"]);
}

#[test]
fn markers_stand_behind_the_id_in_any_order() {
    let task =
        one("- [ ] T012 [US1][P] [RED] Write [this](a.md) test in `tests/a b`, `tests/a.py` [x]");
    assert!(task.is_parallel);
    assert_eq!(
        (task.stories, task.labels),
        (vec!["US1".into()], vec!["RED".into()])
    );
    assert_eq!(
        task.description,
        "Write [this](a.md) test in `tests/a b`, `tests/a.py` [x]"
    );
    assert_eq!(task.paths, ["tests/a.py"]);
    for (line, paths) in [
        (
            "- [ ] T001 Create model in src/models/user.py",
            vec!["src/models/user.py"],
        ),
        ("- [ ] T001 Create it in src/a.rs.", vec!["src/a.rs"]),
        ("- [ ] T001 Be there in time", vec![]),
        ("- [ ] T001 Say `hello` in 3 ways", vec![]),
        ("- [ ] T001 See `https://example.org/a.md`", vec![]),
    ] {
        assert_eq!(one(line).paths, paths, "{line}");
    }
}

#[test]
fn nested_tasks_are_parts_and_boxes_without_an_id_are_criteria() {
    let text = "- [ ] T028 Whole\n  goes on here\n  - [ ] T028a Part\n    - [x] met\n  - [~] T028b Part\n  - plain\n- [ ] Tests pass\n- [ ] T029 Next\n\nWords.\n\n- [ ] stray\n";
    let list = tasks(text);
    assert_eq!(ids(&list), ["T028", "T028a", "T028b", "T029"]);
    let parents: Vec<Option<usize>> = list.tasks.iter().map(|task| task.parent).collect();
    assert_eq!(parents, [None, Some(0), Some(0), None]);
    assert_eq!(list.tasks[0].description, "Whole\ngoes on here");
    assert_eq!(list.tasks[1].criteria.len(), 1);
    assert!(list.tasks[1].criteria[0].is_nested);
    assert_eq!(list.tasks[0].criteria[0].text, "Tests pass");
    assert!(!list.tasks[0].criteria[0].is_nested);
    assert_eq!(list.tasks[3].criteria, Vec::new());
}

#[test]
fn phases_groups_and_checkpoints_come_from_the_headings() {
    let text = "# Tasks\n\n## Phase 1: Setup\n\n- [ ] T001 a\n\n## Phase 3: User Story 1 - Go (Priority: P1) 🎯 MVP\n\n### Tests\n\n- [x] T010 [US1] b\n\n**Checkpoint**: works alone\n\n## Dependencies\n\n- T001 before T010\n";
    let list = tasks(text);
    assert_eq!(ids(&list), ["T001", "T010"]);
    let phase = &list.phases[list.tasks[1].phase.unwrap()];
    assert_eq!(
        (phase.number, phase.story.as_deref()),
        (Some(3), Some("US1"))
    );
    assert_eq!(
        (phase.priority.as_deref(), phase.is_mvp),
        (Some("P1"), true)
    );
    assert_eq!(phase.checkpoint.as_deref(), Some("works alone"));
    assert_eq!(list.tasks[1].group.as_deref(), Some("Tests"));
    assert_eq!(list.tasks[0].group, None);
    assert_eq!(list.progress().to_string(), "1/2");
}

#[test]
fn dependencies_are_what_stands_in_parentheses() {
    let text = "- [ ] T001 a\n- [ ] T002 b\n- [ ] T003 c\n- [ ] T010 d (depends on T001, T003)\n- [ ] T011 e (after all; Depends on T001-T003 and T999)\n- [ ] T012 f depends on T001\n";
    let list = tasks(text);
    let named = |at: usize| list.tasks[at].depends_on.join(" ");
    assert_eq!(
        [named(3), named(4), named(5)],
        ["T001 T003", "T001 T002 T003 T999", ""]
    );
}

/// What `T009` depends on, behind T001 to T004 with T002a and T002b between.
#[track_caller]
fn depends(words: &str, expected: &str) {
    let before =
        "- [x] T001 a\n- [x] T002 b\n- [x] T002a c\n- [x] T002b d\n- [x] T003 e\n- [x] T004 f\n";
    let list = tasks(&format!("{before}- [ ] T009 {words}\n"));
    let task = list.tasks.last().unwrap();
    assert_eq!(task.depends_on.join(" "), expected, "{words}");
}

#[test]
fn dependencies_may_have_remarks_and_ranges_of_any_ids() {
    depends("Do (depends on T001 (the table), T003)", "T001 T003");
    depends("Do (see FR-1; depends on T001,\n  T003)", "T001 T003");
    depends("Do (depends on T002a-T003)", "T002a T002b T003");
    depends("Do (depends on t001–t002)", "T001 T002");
    depends("Do (depends on nothing)", "");
}

#[test]
fn dependencies_stand_behind_labels_and_in_brackets_too() {
    for words in [
        "Do (depends: T001, T003)",
        "Do (after T001 and T003, same file)",
        "Do (blocked by T001 and T003 - both are long)",
        "[deps:T001,T003] Do",
        "[P] [after T001 T003] Do",
        "Do. **Depends on**: T001 (the table), T003, plan.md. T004 is not meant",
        "Do. **Dependency**: Requires T001, T003.",
        "**Do**\n  - **Priority**: high\n  - **Dependencies**: T001, T003\n  - **Blocks**: T004",
        "Do\n  Depends On:\n  - T001\n  - T003\n\n  Parallel:\n  - No",
        "Do `needs:T001,T003`",
        "做（依赖：T001、T003）",
        "做（依赖 T001、T003）",
    ] {
        depends(words, "T001 T003");
    }
    for words in [
        "Do what T001 needs",
        "Do it after T001 is over",
        "Do. **Dependencies**: None",
        "Do. **Blocks**: T001",
        "Do (T001 is alike)",
        "Redo: T001",
    ] {
        depends(words, "");
    }
}

#[test]
fn skipped_tasks_do_not_count_and_partial_ones_are_open() {
    let list = tasks("- [x] T1 a\n- [-] T2 b\n- [~] T3 c\n- [ ] T4 d\n  - [ ] criterion\n");
    let progress = list.progress();
    assert_eq!(progress.to_string(), "1/3");
    assert_eq!((progress.partial, progress.skipped), (1, 1));
}

#[test]
fn ticks_are_those_of_the_majority() {
    let ticked_with = |text: &str| tick(text, &tasks(text));
    assert_eq!(ticked_with("- [ ] T1 a\n"), 'x');
    assert_eq!(ticked_with("- [X] T1 a\n- [X] T2 b\n- [x] T3 c\n"), 'X');
    assert_eq!(ticked_with("- [X] T1 a\n- [x] T2 b\n"), 'x');
}
