//! Tasks of other forms than the template's: read, or named.

use chant_speckit::parse::tasks;
use chant_speckit::task::{Task, TaskMark};
use chant_speckit::unread::UnreadReason;

/// The tasks of a text: ID, mark, line.
fn read(text: &str) -> Vec<(String, TaskMark, usize)> {
    let row = |task: Task| (task.id.into_string(), task.mark, task.line);
    tasks(text).tasks.into_iter().map(row).collect()
}

fn unread(text: &str) -> Vec<(usize, UnreadReason)> {
    let unread = tasks(text).unread.into_iter();
    unread.map(|one| (one.line, one.why)).collect()
}

#[test]
fn headings_with_a_box_and_an_id_are_tasks_at_any_level() {
    for (line, id, mark, title) in [
        ("### - [x] T001 Do", "T001", TaskMark::Done, "Do"),
        ("## [ ] T001: Do", "T001", TaskMark::Open, "Do"),
        ("#### [~] **T-001** Do ##", "T-001", TaskMark::Partial, "Do"),
        ("### 1. [X] Task T001: Do", "T001", TaskMark::Done, "Do"),
        ("### T001: Do [x]", "T001", TaskMark::Done, "Do"),
        ("### T001 [ ] Do", "T001", TaskMark::Open, "Do"),
        (
            "###### ［x］ TASK-7 [P] [US1-US3] Do",
            "TASK-7",
            TaskMark::Done,
            "Do",
        ),
    ] {
        let text = format!("# Tasks\n\n{line}\n");
        let list = tasks(&text);
        assert_eq!(list.tasks.len(), 1, "{line}: {:?}", list.unread);
        let task = &list.tasks[0];
        assert_eq!(
            (&*task.id, task.mark, task.title()),
            (id, mark, title),
            "{line}"
        );
        let sign = text[task.box_at.unwrap()..].chars().next().unwrap();
        assert_eq!(TaskMark::of(sign), Some(mark), "{line}");
    }
}

#[test]
fn a_heading_without_a_box_is_as_far_as_the_boxes_below_it() {
    let text = "# Tasks\n## Phase 1: Setup\n#### T001: Do\n**Depends on**: T000\n- [x] a\n- [ ] b\n\n#### T002: More\n- [x] c\n#### T003: Last\n* [ ] d\n";
    let expected = [
        ("T001", TaskMark::Partial, 3),
        ("T002", TaskMark::Done, 8),
        ("T003", TaskMark::Open, 10),
    ];
    assert_eq!(
        read(text),
        expected.map(|(id, mark, line)| (id.to_owned(), mark, line))
    );
    let list = tasks(text);
    assert_eq!(list.tasks[0].depends_on, ["T000"]);
    assert_eq!(list.tasks[0].criteria.len(), 2);
    assert_eq!(list.tasks[0].phase, Some(1));
}

#[test]
fn a_heading_above_a_list_that_has_its_task_is_a_heading() {
    for text in [
        "- [ ] T001 Do\n\n### T001: How\n- [x] a\n",
        "### T001: How\n- [ ] T001 Do\n",
        "### T001-T003: Setup\n- [ ] T001 Do\n",
        "### T001: How\n- [x] a\n\n## Tasks\n- [ ] T001 Do\n",
    ] {
        let list = tasks(text);
        let ids: Vec<&str> = list.tasks.iter().map(|task| &*task.id).collect();
        assert_eq!((ids, list.unread), (vec!["T001"], Vec::new()), "{text}");
        assert_eq!(list.tasks[0].mark, TaskMark::Open, "{text}");
    }
    let list = tasks("- [ ] T001 Do\n\n### T001: How\n- [x] a\n");
    assert_eq!(list.tasks[0].criteria[0].text, "a");
    let parts = tasks("### [ ] T001 All\n- [ ] T001a One\n- [ ] T002 Other\n");
    let parents: Vec<Option<usize>> = parts.tasks.iter().map(|task| task.parent).collect();
    assert_eq!(parents, [None, Some(0), None]);
}

// proves: speckit:complete_task:ticks_one_box
#[test]
fn a_box_above_a_line_of_dashes_is_a_task_and_no_part_of_a_heading() {
    let text = "words\n    - [ ] T001 Do\n---\n";
    assert_eq!(read(text), [("T001".to_owned(), TaskMark::Open, 2)]);
    assert!(tasks(text).phases.is_empty());
    let heading = tasks("Phase 1: words\nand more\n---\n- [ ] T001 Do\n");
    assert_eq!((heading.phases.len(), heading.tasks[0].phase), (1, Some(0)));
}

#[test]
fn a_summary_never_stands_for_the_tasks_above_it() {
    let above = "# Tasks\n### T001: a\n- [x] one\n### T002: b\n- [x] two\n";
    let text = format!("{above}## Summary\n- [ ] T001 a\n- [ ] T002 b\n");
    assert_eq!(tasks(&text).progress().to_string(), "2/2");
    let expected = [(7, UnreadReason::Repeat(2)), (8, UnreadReason::Repeat(4))];
    assert_eq!(unread(&text), expected);
    let text = "## Phase 1: A\n- [x] one\n- [x] two\n## 总结\n- [ ] T001 All\n";
    assert_eq!(read(text), []);
    let expected = [
        (2, UnreadReason::NoId),
        (3, UnreadReason::NoId),
        (5, UnreadReason::Recap),
    ];
    assert_eq!(unread(text), expected);
    let text =
        "### ✅ T001: a\n\nDone.\n\n### ✅ T002: b\n## Progress\n- [ ] T001 a\n- [ ] T002 b\n";
    assert_eq!(read(text), []);
    assert_eq!(unread(text).len(), 4);
}

#[test]
fn a_summary_that_has_the_only_boxes_holds_the_tasks() {
    for text in [
        "# Tasks\n## Summary\n- [x] T001 Do\n",
        "### T001: How\n\nIn words.\n\n## Summary\n- [x] T001 Do\n",
        "## Overview\n- [x] T001 Do\n\n### T001: How\n- [ ] a\n",
        "- [x] T001 Do\n## Phase 2: Order summary\n",
    ] {
        let list = tasks(text);
        assert_eq!(
            (list.tasks.len(), list.tasks[0].mark),
            (1, TaskMark::Done),
            "{text}"
        );
        assert_eq!(list.unread, [], "{text}");
    }
    let twice = "## Phase 3: Order summary\n- [ ] T001 a\n- [ ] T001 b\n";
    assert_eq!(read(twice).len(), 2);
}

#[test]
fn phases_and_stories_are_known_in_other_languages() {
    for (title, number, story, priority) in [
        (
            "3단계: 사용자 스토리 1 - 보기 (우선순위: P1)",
            Some(3),
            Some("US1"),
            Some("P1"),
        ),
        (
            "阶段 4：用户故事 2 (优先级：P2)",
            Some(4),
            Some("US2"),
            Some("P2"),
        ),
        ("第三阶段：使用者故事 1", Some(3), Some("US1"), None),
        ("第十二階段", Some(12), None, None),
        (
            "フェーズ3: ユーザーストーリー 3",
            Some(3),
            Some("US3"),
            None,
        ),
        ("Fase 2: Historia de usuario 4", Some(2), Some("US4"), None),
        ("Étape 5", Some(5), None, None),
        ("Phase 3a", None, None, None),
        ("阶段性总结", None, None, None),
    ] {
        let mut list = tasks(&format!("## {title}\n"));
        let found = list.phases.remove(0);
        let found = (
            found.number,
            found.story.as_deref(),
            found.priority.as_deref(),
        );
        assert_eq!(found, (number, story, priority), "{title}");
    }
    let list = tasks(
        "- [ ] T001 [US1-US3] [P] a\n- [ ] T002【P】【US2】做\n- [ ] T003 【模型】做\n- [ ] T004 [US5-US1] b\n",
    );
    assert_eq!(list.tasks[0].stories, ["US1", "US2", "US3"]);
    assert!(list.tasks[1].is_parallel && list.tasks[1].stories == ["US2"]);
    assert_eq!(list.tasks[2].title(), "【模型】做");
    assert_eq!(list.tasks[3].labels, ["US5-US1"]);
}

#[test]
fn ids_with_a_dash_or_the_word_are_ids_and_can_be_depended_on() {
    let text = "- [x] T-001 a\n- [ ] T-002 b\n- [ ] TASK-003 c\n- [ ] T2-001 d (depends on T-001-T-002, TASK-003)\n- [ ] T_5 e (depends on T2-001)\n";
    let ids: Vec<String> = read(text).into_iter().map(|(id, ..)| id).collect();
    assert_eq!(ids, ["T-001", "T-002", "TASK-003", "T2-001", "T_5"]);
    let list = tasks(text);
    assert_eq!(list.tasks[3].depends_on, ["T-001", "T-002", "TASK-003"]);
    assert_eq!(list.tasks[4].depends_on, ["T2-001"]);
}

#[test]
fn what_looks_like_a_task_is_read_or_named() {
    for (line, why) in [
        ("- [ ] Do", UnreadReason::NoId),
        ("- [ ] T001/T002 Do", UnreadReason::NoId),
        ("- [] T001 Do", UnreadReason::Form),
        ("- [] Do", UnreadReason::Form),
        ("-[ ] T001 Do", UnreadReason::Form),
        ("[ ] T001 Do", UnreadReason::Form),
        ("- [ ]T001 Do", UnreadReason::Form),
        ("• [x] Do", UnreadReason::Form),
        ("- ☐ T001 Do", UnreadReason::Form),
        ("✅ T001 Do", UnreadReason::Form),
        ("- (x) T001 Do", UnreadReason::Form),
        ("> - [ ] T001 Do", UnreadReason::Form),
        ("- [o] T001 Do", UnreadReason::Sign("o".into())),
        ("### [✓] T001 Do", UnreadReason::Sign("✓".into())),
        ("- T001 Do", UnreadReason::NoBox("T001".into())),
        ("**T001**: Do", UnreadReason::NoBox("T001".into())),
        ("### T001: Do", UnreadReason::NoBox("T001".into())),
        ("| T001 | Do | [x] |", UnreadReason::Row),
        ("| ☐ | T001 Do |", UnreadReason::Row),
    ] {
        assert_eq!(unread(&format!("{line}\n")), [(1, why)], "{line}");
        assert_eq!(read(line), [], "{line}");
    }
    for line in [
        "T001 comes first.",
        "- T5 is a model",
        "- [a](b)",
        "[x]: https://example.org",
        "- see [T001]",
        "| T001 | T002 |",
        "- (optional) a",
        "- ✅ good",
        "`- [ ] T001 Do`",
    ] {
        assert_eq!(unread(&format!("{line}\n")), [], "{line}");
    }
    let known = "- [ ] T001 a\n- [ ] T002 b\n\n## Order\n- T001-T002 first\n| T001 | [x] |\n## Definition of done\n- [ ] all\n";
    assert_eq!(
        unread(known),
        [(6, UnreadReason::Repeat(1)), (8, UnreadReason::Checklist)]
    );
}

#[test]
fn problems_name_all_lines_of_one_reason_in_one_sentence() {
    let text = "- [ ] T041 a\n\n## B\n- [ ] b\n- [ ] c\n\n- [ ] d\n```\n- [ ] T099 e\n## C\n";
    let problems = tasks(text).problems();
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert_eq!(
        problems[0],
        (4, "3 lines look like tasks and are not read: they have a box and no ID (lines 4-5, 7). Put an ID behind the box of each that is a task: `- [ ] T042 What to do`".to_owned())
    );
    assert_eq!(problems[1].0, 8);
    assert!(
        problems[1]
            .1
            .starts_with("the fence on line 8 is never closed: 1 heading and 1 box")
    );
}
