//! Laws of completing: one byte, nothing else.

use std::fs;

use chant_speckit::parse::tasks;
use chant_speckit::task::TaskMark;
use proptest::prelude::*;

use super::{FEATURE, Project};
use crate::damaged::damaged;

/// A task file of lines in any order, some of which are tasks.
fn files() -> impl Strategy<Value = String> {
    let line = (
        prop::sample::select(vec!["", "  ", "    ", "\t"]),
        prop::sample::select(vec!["-", "*", "+", "1."]),
        prop::sample::select(vec![" ", "x", "X", "~", "-", "o", ""]),
        prop::sample::select(vec!["T", "**T", "[P] T", "~~T", "X"]),
        0..400_u32,
        prop::sample::select(vec![
            " do",
            ": do in `a/b.py`",
            "** [P][US1] do",
            "~~ do",
            " é 日本 (depends on T001)",
            "",
        ]),
    )
        .prop_map(|(indent, bullet, mark, head, number, tail)| {
            format!("{indent}{bullet} [{mark}] {head}{number:03}{tail}")
        });
    let other = prop::sample::select(vec![
        "", "## Phase 1: Setup", "### Group", "```", "~~~", "<!-- - [ ] T500 no", "-->", "words",
        "  more words", "**Checkpoint**: done", "- [ ] box", "  - [x] box", "---",
    ])
    .prop_map(str::to_owned);
    let lines = prop::collection::vec(prop_oneof![3 => line, 1 => other], 0..30);
    let eol = prop::sample::select(vec!["\n", "\r\n"]);
    let text =
        (lines, eol, any::<bool>(), any::<bool>()).prop_map(|(lines, eol, has_mark, is_ended)| {
            let mark = if has_mark { "\u{feff}" } else { "" };
            let end = if is_ended { eol } else { "" };
            format!("{mark}{}{end}", lines.join(eol))
        });
    prop_oneof![3 => text.clone(), 1 => damaged(text)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    // proves: speckit:complete_task:ticks_one_box
    #[test]
    fn completing_any_task_changes_one_byte_and_reads_the_same_otherwise(text in files()) {
        let list = tasks(&text);
        let project = Project::of_tasks(&text);
        let features = project.features();
        for (at, task) in list.tasks.iter().enumerate() {
            if task.mark == TaskMark::Done || list.named(&task.id).len() != 1 {
                continue;
            }
            fs::write(project.root().join(FEATURE).join("tasks.md"), &text).unwrap();
            chant_speckit::ops::complete(&features, &super::who("s"), None, &task.id, true).unwrap();
            let after = project.tasks();
            prop_assert_eq!(after.len(), text.len());
            let differing: Vec<usize> = (0..text.len()).filter(|at| after.as_bytes()[*at] != text.as_bytes()[*at]).collect();
            prop_assert_eq!(differing, vec![task.box_at.unwrap()]);
            let mut expected = list.clone();
            expected.tasks[at].mark = TaskMark::Done;
            prop_assert_eq!(tasks(&after), expected);
        }
    }
}
