//! Edits by their bytes.

use chant_plan_format::intent::{EditIntent, ItemDraft, TickTarget};

use super::support::{TASKS, after, ask, created, refused, tick};

const LIST: &str = "- [ ] 1. Store\n  - [x] 1.1 Make\n    - more\n  - [-] 1.2 Write\n\n- [x] 2. Page\r\n- [ ]* 2.1 Draw\r\n\n## Notes\n\nend";

fn status(word: &str) -> EditIntent {
    EditIntent::Status { word: word.into() }
}

fn add(parent: Option<&str>, title: &str) -> EditIntent {
    EditIntent::Add {
        parent: parent.map(str::to_owned),
        draft: ItemDraft {
            title: title.into(),
            ..ItemDraft::default()
        },
    }
}

#[test]
fn a_status_is_one_character() {
    for (word, sign) in [
        ("queued", "[~]"),
        ("in_progress", "[-]"),
        ("completed", "[x]"),
    ] {
        assert_eq!(
            after(LIST, "auth#1", &status(word)),
            LIST.replace("[ ] 1.", &format!("{sign} 1."))
        );
    }
    assert_eq!(
        after(LIST, "1.1", &status("not_started")),
        LIST.replace("[x] 1.1", "[ ] 1.1")
    );
    assert_eq!(after(LIST, "1.2", &status("in_progress")), LIST);
    assert_eq!(after("- [X] 1 a\n", "1", &tick(true)), "- [X] 1 a\n");
    assert_eq!(
        after(LIST, "1.2", &EditIntent::Reset),
        LIST.replace("[-]", "[ ]")
    );
    assert_eq!(
        after(LIST, "", &EditIntent::Reset),
        LIST.replace("[-]", "[ ]")
    );
    let with_parents = |on: bool| EditIntent::Tick {
        which: TickTarget::WithParents,
        on,
    };
    let done = LIST.replace("[-]", "[x]").replace("[ ] 1.", "[x] 1.");
    assert_eq!(after(LIST, "1.2", &with_parents(true)), done);
    assert_eq!(
        after(&done, "1.2", &with_parents(false)),
        LIST.replace("[-]", "[ ]")
    );
    assert_eq!(after(LIST, "1.2", &tick(true)), LIST.replace("[-]", "[x]"));
    assert!(refused(LIST, "1.2", &status("done")).contains("Use one of: not_started, queued"));
    assert!(refused(LIST, "", &tick(true)).contains("Tick its parts"));
}

#[test]
fn a_new_task_has_the_form_that_the_editor_recognizes() {
    assert_eq!(
        after(LIST, "", &add(Some("1"), "Check")),
        LIST.replace("Write\n", "Write\n  - [ ] 1.3 Check\n")
    );
    assert_eq!(
        after(LIST, "", &add(Some("2."), "Check")),
        LIST.replace("Draw\r\n", "Draw\r\n- [ ] 2.2 Check\n")
    );
    assert_eq!(
        after(LIST, "", &add(None, "Check")),
        LIST.replace("Draw\r\n", "Draw\r\n- [ ] 3. Check\n")
    );
    assert_eq!(
        after("- [ ] 1 a", "", &add(None, "b")),
        "- [ ] 1 a\n- [ ] 2 b"
    );
    assert_eq!(
        after("- [ ] 1. a\n", "", &add(Some("1"), "b")),
        "- [ ] 1. a\n  - [ ] 1.1 b\n"
    );
    assert_eq!(
        after("# Plan\n", "", &add(None, "b")),
        "# Plan\n\n- [ ] 1. b\n"
    );
    let draft = ItemDraft {
        title: "b".into(),
        text: "- one\ntwo".into(),
        depends_on: vec!["1".into()],
        ..ItemDraft::default()
    };
    let intent = EditIntent::Add {
        parent: None,
        draft,
    };
    assert!(refused(LIST, "", &intent).contains("by waves only"));
    let texts = [
        (TASKS, "- [ ] 1. a\n"),
        (".kiro/specs/auth/spec.json", "{}"),
    ];
    let edit = ask(&texts, Some(""), &intent).unwrap();
    assert_eq!(
        edit.texts[0].1,
        "- [ ] 1. a\n- [ ] 2. b\n  - one\n  - two\n  - _Depends: 1_\n"
    );
    let waves = "- [ ] 1. a\n\n```json\n{\"waves\": [[\"1\"]]}\n```\n";
    let edit = ask(&[(TASKS, waves)], Some(""), &add(None, "b")).unwrap();
    assert!(edit.notes[0].contains("in no wave"));
    assert!(refused(LIST, "", &add(Some("7"), "x")).contains("no item is named '7'"));
    assert!(refused(LIST, "", &add(None, "(P) x")).contains("(P)"));
    assert!(refused(LIST, "", &add(None, "* x")).contains("star"));
    let made = ask(
        &[(".kiro/specs/auth/requirements.md", "# R\n")],
        Some(""),
        &add(None, "First"),
    )
    .unwrap();
    assert_eq!(
        created(&made),
        [(TASKS, "# Implementation Plan\n\n- [ ] 1. First\n")]
    );
}

#[test]
fn titles_and_sections_are_replaced_between_their_bounds() {
    let title = |text: &str| EditIntent::Title { text: text.into() };
    let edit = ask(&[(TASKS, LIST)], Some("2.1"), &title("Paint")).unwrap();
    assert_eq!(edit.texts[0].1, LIST.replace("Draw", "Paint"));
    assert!(edit.notes[0].contains("history"));
    assert_eq!(
        after("- [ ] 1.2 (P) Old\n", "1.2", &title("New")),
        "- [ ] 1.2 (P) New\n"
    );
    assert!(refused(LIST, "", &title("x")).contains("Rename its folder"));
    let design = (".kiro/specs/auth/design.md", "# D\n\n## Goals\n\nOld.\n");
    let section = |name: &str| EditIntent::Section {
        name: name.into(),
        text: "New.".into(),
        append: false,
    };
    let edit = ask(&[design, (TASKS, LIST)], Some(""), &section("goals")).unwrap();
    assert_eq!(edit.texts[0].1, design.1.replace("Old", "New"));
    assert_eq!(edit.changed[0].0.as_ref(), design.0);
    assert!(
        ask(&[design, (TASKS, LIST)], Some(""), &section("Notes"))
            .unwrap_err()
            .contains("Add tasks")
    );
}

#[test]
fn a_new_spec_is_a_folder_with_bare_headings() {
    let edit = ask(&[], None, &add(None, "User Auth")).unwrap();
    assert_eq!(
        created(&edit),
        [
            (
                ".kiro/specs/user-auth/requirements.md",
                "# Requirements Document\n\n## Introduction\n\n## Requirements\n"
            ),
            (".kiro/specs/user-auth/tasks.md", "# Implementation Plan\n"),
        ]
    );
    assert!(
        ask(&[(TASKS, "")], None, &add(None, "Auth"))
            .unwrap_err()
            .contains("there is a spec auth")
    );
}

#[test]
fn a_line_that_is_a_heading_too_is_not_ticked_and_a_title_keeps_the_list_as_it_is() {
    let why = refused("words\n\t- [ ] 1.3 Tab\n---\n", "auth#1.3", &tick(true));
    assert!(
        why.contains("line 2 is a heading by the line below it"),
        "{why}"
    );
    let list = "- [ ] **3.** Bold\n- [ ]*a* 2.1 Test\n- [ ]*\n    - _Depends: 1.1_\n";
    let title = EditIntent::Title {
        text: "- [ ] x".into(),
    };
    let why = refused(list, "auth#~a-2-1-test", &title);
    assert!(!why.contains("the format kiro would change"), "{why}");
}
