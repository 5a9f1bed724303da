//! Edits by their bytes.

use chant_openspec::archive_steps;
use chant_plan_format::intent::{EditIntent, ItemDraft, TickTarget};

use super::support::{TASKS, after, ask, created, plan, refused, tick};

const LIST: &str = "## 1. Store\n\n- [x] 1.1 Make\n- [ ] 1.2 Write\n      more\n  - [ ] 1.2.1 Read\n\n## 2. Page\r\n\r\n- [~] 2.1 Draw";

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
fn a_tick_is_one_character() {
    assert_eq!(
        after(LIST, "auth#1.2", &tick(true)),
        LIST.replace("[ ] 1.2 W", "[x] 1.2 W")
    );
    assert_eq!(after(LIST, "1.1", &tick(false)), LIST.replace("[x]", "[ ]"));
    assert_eq!(after(LIST, "1.1", &tick(true)), LIST);
    assert_eq!(after(LIST, "2.1", &tick(true)), LIST.replace("[~]", "[x]"));
    assert_eq!(
        after(LIST, "2.1", &EditIntent::Reset),
        LIST.replace("[~]", "[ ]")
    );
    assert_eq!(
        after(LIST, "auth", &EditIntent::Reset),
        LIST.replace("[~]", "[ ]")
    );
    for (list, ticked) in [
        ("- [] 1.1 a\n", "- [x] 1.1 a\n"),
        ("- [  ] 1.1 a\n", "- [x ] 1.1 a\n"),
        ("- [\t] 1.1 a\n", "- [x] 1.1 a\n"),
        ("\u{feff}-[ ]1.1 a\r\n", "\u{feff}-[x]1.1 a\r\n"),
        ("- [-] 1.1 a", "- [x] 1.1 a"),
    ] {
        assert_eq!(after(list, "1.1", &tick(true)), ticked);
    }
    assert_eq!(
        after("- [ x] 1.1 a\n", "1.1", &tick(false)),
        "- [  ] 1.1 a\n"
    );
    let both = EditIntent::Tick {
        which: TickTarget::WithParents,
        on: true,
    };
    let done = LIST.replace("[ ]", "[x]");
    assert_eq!(after(LIST, "1.2.1", &both), done);
    let status = |word: &str| EditIntent::Status { word: word.into() };
    assert_eq!(
        after(LIST, "2.1", &status("open")),
        LIST.replace("[~]", "[ ]")
    );
    assert_eq!(
        after(LIST, "2.1", &status("done")),
        LIST.replace("[~]", "[x]")
    );
    assert!(refused(LIST, "2.1", &status("active")).contains("Use one of: open, done"));
}

#[test]
fn a_new_task_stands_behind_its_group_with_the_next_number() {
    assert_eq!(
        after(LIST, "", &add(Some("1"), "Check it")),
        LIST.replace("Read\n", "Read\n- [ ] 1.3 Check it\n")
    );
    assert_eq!(
        after(LIST, "", &add(Some("1.2"), "Check it")),
        LIST.replace("Read\n", "Read\n  - [ ] 1.2.2 Check it\n")
    );
    assert_eq!(
        after(LIST, "", &add(Some("1.1"), "Check it")),
        LIST.replace("Make\n", "Make\n  - [ ] 1.1.1 Check it\n")
    );
    assert_eq!(
        after(LIST, "", &add(None, "Last")),
        format!("{LIST}\n- [ ] 2.2 Last")
    );
    assert_eq!(
        after("* [ ] Old\n", "", &add(None, "New one")),
        "* [ ] Old\n* [ ] New one\n"
    );
    assert_eq!(
        after("- [ ] T009 a\n", "", &add(None, "b")),
        "- [ ] T009 a\n- [ ] T010 b\n"
    );
    assert_eq!(
        after("- [ ] 9. a\n", "", &add(None, "b")),
        "- [ ] 9. a\n- [ ] 10 b\n"
    );
    let empty = "## 1. A\n\n- [ ] 1.1 a\n\n## 2. B\n\n## 3. C\n";
    assert_eq!(
        after(empty, "", &add(Some("B"), "b")),
        empty.replace("B\n", "B\n\n- [ ] 2.1 b\n")
    );
    let draft = ItemDraft {
        title: "New".into(),
        text: "one\n\ntwo".into(),
        ..ItemDraft::default()
    };
    let intent = EditIntent::Add {
        parent: None,
        draft,
    };
    assert_eq!(
        after("- [ ] 1.1 a\r\n", "", &intent),
        "- [ ] 1.1 a\r\n- [ ] 1.2 New\r\n  one\r\n  two\r\n"
    );
    assert!(refused("- [ ] 1.2a a\n", "", &add(Some("1.2a"), "x")).contains("ends with a letter"));
    assert!(refused(LIST, "", &add(Some("9"), "x")).contains("no section is named '9'"));
    assert!(refused(LIST, "", &add(None, "two\nlines")).contains("more than one line"));
    assert!(refused("- [ ] Old\n", "", &add(None, "1.2 New")).contains("begins with a number"));
    assert!(refused("- [ ] Old\n", "", &add(None, "Old")).contains("same words"));
    let draft = ItemDraft {
        title: "New".into(),
        text: "- [ ] more".into(),
        ..ItemDraft::default()
    };
    let intent = EditIntent::Add {
        parent: None,
        draft,
    };
    assert!(refused(LIST, "", &intent).contains("would be read as tasks"));
}

#[test]
fn titles_and_sections_are_replaced_between_their_bounds() {
    let title = |text: &str| EditIntent::Title { text: text.into() };
    assert_eq!(
        after(LIST, "2.1", &title("Paint")),
        LIST.replace("Draw", "Paint")
    );
    assert_eq!(
        after("- [ ] **1.1 Do** \n", "1.1", &title("Go")),
        "- [ ] **1.1 Go** \n"
    );
    assert_eq!(
        after("- [ ] Do it\n", "~do-it", &title("Go on")),
        "- [ ] Go on\n"
    );
    assert!(refused(LIST, "auth", &title("x")).contains("proposal.md"));
    let proposal = (
        "openspec/changes/auth/proposal.md",
        "\u{feff}# P\r\n\r\n## Why\r\n\r\nOld.\r\n\r\n## What Changes\r\n- x\r\n",
    );
    let section = |name: &str, text: &str, append: bool| EditIntent::Section {
        name: name.into(),
        text: text.into(),
        append,
    };
    let text = |intent: &EditIntent| {
        let edit = ask(&[proposal, (TASKS, LIST)], Some("auth"), intent).unwrap();
        edit.texts.first().map(|(_, text)| text.clone())
    };
    assert_eq!(
        text(&section("Why", "New.", false)),
        Some(proposal.1.replace("Old.", "New."))
    );
    assert_eq!(
        text(&section("proposal.md#Why", "New.", true)),
        Some(proposal.1.replace("Old.", "Old.\r\n\r\nNew."))
    );
    assert_eq!(text(&section("Why", "Old.", false)), None);
    let fails =
        |intent: &EditIntent| ask(&[proposal, (TASKS, LIST)], Some("auth"), intent).unwrap_err();
    assert!(fails(&section("Why", "a\n## More", false)).contains("would end the section"));
    assert!(fails(&section("Why", "```\nopen", false)).contains("take in"));
    assert!(fails(&section("1. Store", "- [ ] x", false)).contains("Add tasks"));
    assert!(fails(&section("None", "x", false)).contains("proposal.md#Why"));
}

#[test]
fn archiving_is_shown_and_left_to_the_program() {
    let message = refused(
        LIST,
        "auth",
        &EditIntent::Move {
            to: "archive".into(),
        },
    );
    assert_eq!(
        message,
        "Archiving is left to the format's own program. Run `openspec archive auth`"
    );
    let delta = "## ADDED Requirements\n### Requirement: New\n## RENAMED Requirements\n- FROM: `### Requirement: Old`\n- TO: `### Requirement: Older`\n## REMOVED Requirements\n- `### Requirement: Gone`\n## MODIFIED Requirements\n### Requirement: Older\n";
    let spec = "## Requirements\n### Requirement: Old\n### Requirement: New\n";
    let texts = [
        ("openspec/changes/auth/specs/login/spec.md", delta),
        ("openspec/specs/login/spec.md", spec),
    ];
    let steps = archive_steps(&plan(&texts), "auth");
    let shown: Vec<String> = steps
        .iter()
        .map(|step| format!("{} {} {}", step.act, step.requirement, step.fits))
        .collect();
    assert_eq!(
        shown,
        [
            "RENAMED Old true", "REMOVED Gone false", "MODIFIED Older true", "ADDED New false"
        ]
    );
    let main = ask(&[texts[1]], Some(""), &tick(true)).unwrap_err();
    assert!(main.contains("main spec"), "{main}");
}

#[test]
fn a_new_change_is_a_folder_with_two_files() {
    let draft = ItemDraft {
        title: "Add two-factor Auth!".into(),
        text: "People ask.".into(),
        ..ItemDraft::default()
    };
    let intent = EditIntent::Add {
        parent: None,
        draft,
    };
    let edit = ask(&[], None, &intent).unwrap();
    assert_eq!(edit.added.as_deref(), Some("add-two-factor-auth"));
    assert_eq!(
        created(&edit),
        [
            (
                "openspec/changes/add-two-factor-auth/.openspec.yaml",
                "schema: spec-driven\ncreated: 2026-01-31\n"
            ),
            (
                "openspec/changes/add-two-factor-auth/proposal.md",
                "## Why\n\nPeople ask.\n\n## What Changes\n\n## Impact\n"
            ),
        ]
    );
    let taken = ("openspec/changes/auth/proposal.md", "## Why\n");
    assert!(
        ask(&[taken], None, &add(None, "Auth"))
            .unwrap_err()
            .contains("there is a change auth")
    );
    assert!(
        ask(&[], None, &add(None, "認証"))
            .unwrap_err()
            .contains("no name")
    );
    let list = ask(&[taken], Some(""), &add(None, "First")).unwrap();
    assert_eq!(
        created(&list),
        [(TASKS, "## 1. Tasks\n\n- [ ] 1.1 First\n")]
    );
}

#[test]
fn an_item_whose_title_is_a_number_is_ticked_and_a_blank_behind_a_title_is_no_change() {
    assert_eq!(
        after("- [ ] 1---\n", "auth#~1", &tick(true)),
        "- [x] 1---\n"
    );
    let list = "- [ ] **6 D\t**\n";
    let same = EditIntent::Title { text: "D".into() };
    assert_eq!(after(list, "auth#6", &same), list);
}
