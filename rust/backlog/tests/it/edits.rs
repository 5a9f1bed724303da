//! Edits by their bytes.

use chant_plan_format::intent::{
    AttributeSetting, EditIntent, ItemDraft, PlanFileStep, TickTarget,
};

use super::support::{CONFIG, TASK, after, ask, created, refused, tick};
use super::tasks::FIRST;

/// A text with the date of an edit behind the one of its creation.
fn touched(text: &str) -> String {
    let eol = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let created = format!("created_date: '2026-01-01 10:00'{eol}");
    text.replace(
        &created,
        &format!("{created}updated_date: '2026-01-31 14:05'{eol}"),
    )
}

fn status(word: &str) -> EditIntent {
    EditIntent::Status { word: word.into() }
}

fn set(attribute: &str, values: &[&str]) -> EditIntent {
    EditIntent::Set {
        attribute: attribute.into(),
        value: AttributeSetting::List(values.iter().map(|value| (*value).to_owned()).collect()),
    }
}

fn text(attribute: &str, value: &str) -> EditIntent {
    EditIntent::Set {
        attribute: attribute.into(),
        value: AttributeSetting::Text(value.into()),
    }
}

fn section(name: &str, text: &str, append: bool) -> EditIntent {
    EditIntent::Section {
        name: name.into(),
        text: text.into(),
        append,
    }
}

#[test]
fn a_status_and_a_tick_are_two_places() {
    assert_eq!(
        after(FIRST, &status("done")),
        touched(&FIRST.replace("status: To Do", "status: Done"))
    );
    assert_eq!(after(FIRST, &status("to-do")), FIRST, "it is there already");
    assert_eq!(
        after(FIRST, &tick(1, true)),
        touched(&FIRST.replace("[ ] #1 One", "[x] #1 One"))
    );
    assert_eq!(
        after(FIRST, &tick(3, false)),
        touched(&FIRST.replace("[x]", "[ ]"))
    );
    assert_eq!(after(FIRST, &tick(3, true)), FIRST);
    let done = EditIntent::Tick {
        which: TickTarget::Criterion {
            list: Some("definition of done".into()),
            number: 1,
        },
        on: true,
    };
    assert_eq!(
        after(FIRST, &done),
        touched(&FIRST.replace("[ ] #1 Tested", "[x] #1 Tested"))
    );
    let dated = FIRST.replace("labels:", "updated_date: 2026-01-02 # mine\nlabels:");
    assert_eq!(
        after(&dated, &status("Done")),
        dated
            .replace("To Do", "Done")
            .replace("2026-01-02", "'2026-01-31 14:05'")
    );
    let quoted = FIRST.replace("To Do", "\"To Do\" # now");
    assert_eq!(
        after(&quoted, &status("In Progress")),
        touched(&quoted.replace("To Do", "In Progress"))
    );
    let windows = FIRST.replace('\n', "\r\n");
    assert_eq!(
        after(&windows, &status("Done")),
        touched(&windows.replace("To Do", "Done"))
    );
    assert!(refused(FIRST, &status("Closed")).contains("Use one of: To Do, In Progress, Done"));
    assert!(refused(FIRST, &tick(2, true)).contains("there is no criterion 2; there are 1, 3"));
    let own = EditIntent::Tick {
        which: TickTarget::Own,
        on: true,
    };
    assert!(refused(FIRST, &own).contains("Set its status"));
}

#[test]
fn attributes_keep_their_style() {
    assert_eq!(
        after(FIRST, &set("labels", &["ui"])),
        touched(&FIRST.replace("  - \"a, b\"\n", ""))
    );
    assert_eq!(
        after(FIRST, &set("labels", &["ui", "a, b", "new"])),
        touched(&FIRST.replace("b\"\n", "b\"\n  - new\n"))
    );
    assert_eq!(after(FIRST, &set("assignee", &["@a", "@b"])), FIRST);
    assert_eq!(
        after(FIRST, &set("assignee", &["bo"])),
        touched(&FIRST.replace("[@a, @b]", "[bo]"))
    );
    assert_eq!(
        after(FIRST, &text("priority", "low")),
        touched(&FIRST.replace("high", "low"))
    );
    assert_eq!(
        after(FIRST, &text("milestone", "m1")),
        touched(&FIRST.replace("dependencies", "milestone: m1\ndependencies"))
    );
    let gone = EditIntent::Set {
        attribute: "priority".into(),
        value: AttributeSetting::Absent,
    };
    assert_eq!(
        after(FIRST, &gone),
        touched(&FIRST.replace("priority: high\n", ""))
    );
    assert!(
        refused(FIRST, &text("priority", "huge"))
            .contains("none of the priorities high, medium, low")
    );
    assert!(refused(FIRST, &text("mine", "x")).contains("no attribute that can be set"));
    assert!(refused(FIRST, &set("dependencies", &["1"])).contains("wait for itself"));
    assert!(refused(FIRST, &set("dependencies", &["TASK-7"])).contains("there is no task TASK-7"));
    let title = |text: &str| EditIntent::Title { text: text.into() };
    assert_eq!(
        after(FIRST, &title("It's new")),
        touched(&FIRST.replace("'First: do it'", "'It''s new'"))
    );
    let folded = FIRST.replace("'First: do it'", ">-\n  A long\n  title");
    assert_eq!(after(&folded, &title("A long title")), folded);
    assert_eq!(
        after(&folded, &title("Short")),
        touched(&FIRST.replace("'First: do it'", "Short"))
    );
}

#[test]
fn sections_are_what_stands_between_their_marks() {
    let inner = "What.\n\n## Inner\n";
    assert_eq!(
        after(FIRST, &section("description", "New.", false)),
        touched(&FIRST.replace(inner, "New.\n"))
    );
    assert_eq!(
        after(FIRST, &section("Description", "More.", true)),
        touched(&FIRST.replace(inner, "What.\n\n## Inner\n\nMore.\n"))
    );
    assert_eq!(
        after(FIRST, &section("description", inner, false)),
        FIRST.to_owned()
    );
    assert_eq!(
        after(FIRST, &section("My own", "other", false)),
        touched(&FIRST.replace("\ntext\n", "\nother\n"))
    );
    let plan = "## Implementation Plan\n\n<!-- SECTION:PLAN:BEGIN -->\n1. Go\n<!-- SECTION:PLAN:END -->\n\n## My own";
    assert_eq!(
        after(FIRST, &section("plan", "1. Go", false)),
        touched(&FIRST.replace("## My own", plan))
    );
    let notes = after(
        "---\nid: TASK-1\ntitle: a\n---\n",
        &section("notes", "n", true),
    );
    assert_eq!(
        notes,
        "---\nid: TASK-1\ntitle: a\nupdated_date: '2026-01-31 14:05'\n---\n\n## Implementation Notes\n\n<!-- SECTION:NOTES:BEGIN -->\nn\n<!-- SECTION:NOTES:END -->\n"
    );
    let plain = "---\nid: TASK-1\ntitle: a\ncreated_date: '2026-01-01 10:00'\n---\n## Notes\nold\n";
    assert_eq!(
        after(plain, &section("notes", "new", false)),
        touched(&plain.replace("old", "\nnew"))
    );
    for (text, why) in [
        ("<!-- AC:END -->", "one of the marks"),
        ("## Heading", "would end the section"),
        ("```\nopen", "cannot stand there"),
    ] {
        assert!(
            refused(FIRST, &section("description", text, false)).contains(why),
            "{text}"
        );
    }
    assert!(refused(FIRST, &section("criteria", "- [ ] x", false)).contains("Tick a criterion"));
    assert!(refused(FIRST, &section("nothing", "x", false)).contains("no section is named"));
    let unpaired = FIRST.replace("<!-- SECTION:DESCRIPTION:END -->\n", "");
    assert!(refused(&unpaired, &section("description", "x", false)).contains("do not pair up"));
}

#[test]
fn criteria_are_added_with_the_next_number() {
    let add = |list: Option<&str>, text: &str| EditIntent::AddCriterion {
        list: list.map(str::to_owned),
        text: text.into(),
    };
    assert_eq!(
        after(FIRST, &add(None, "Four")),
        touched(&FIRST.replace("Three\n", "Three\n- [ ] #4 Four\n"))
    );
    assert_eq!(
        after(FIRST, &add(Some("Definition of Done"), "Two")),
        touched(&FIRST.replace("Tested\n", "Tested\n- [ ] #2 Two\n"))
    );
    let plain = "---\nid: TASK-1\ntitle: a\ncreated_date: '2026-01-01 10:00'\n---\n## Acceptance Criteria\n\n- [ ] one\n- [x] two";
    assert_eq!(
        after(plain, &add(None, "three")),
        touched(&format!("{plain}\n- [ ] three"))
    );
    assert_eq!(
        after(plain, &tick(2, false)),
        touched(&plain.replace("[x]", "[ ]"))
    );
    let empty =
        "---\nid: TASK-1\ntitle: a\ncreated_date: '2026-01-01 10:00'\n---\n\n## Description\n\nd\n";
    let made = "\n## Acceptance Criteria\n<!-- AC:BEGIN -->\n- [ ] #1 x\n<!-- AC:END -->\n";
    assert_eq!(
        after(empty, &add(None, "x")),
        touched(&format!("{empty}{made}"))
    );
    assert!(refused(FIRST, &add(None, "a\nb")).contains("one line"));
}

#[test]
fn a_new_task_has_the_form_of_the_program() {
    let add = |parent: Option<&str>, draft: ItemDraft| EditIntent::Add {
        parent: parent.map(str::to_owned),
        draft,
    };
    let config = (
        "backlog/config.yml",
        "project_name: x\ndefault_status: In Progress\ndefinition_of_done: [Tests]\nzero_padded_ids: 3\nauto_commit: true\n",
    );
    let draft = ItemDraft {
        title: "A/B: new?".into(),
        text: "Why.\nMore.".into(),
        criteria: vec!["It works".into()],
        depends_on: vec!["TASK-1".into()],
        labels: vec!["ui".into()],
    };
    let texts = [
        config,
        (TASK, FIRST),
        (
            "backlog/archive/tasks/task-011 - old.md",
            "---\nid: TASK-11\ntitle: x\n---\n",
        ),
    ];
    let edit = ask(&texts, None, &add(None, draft.clone())).unwrap();
    assert_eq!(edit.added.as_deref(), Some("TASK-12"));
    let expected = "---\nid: TASK-012\ntitle: \"A/B: new?\"\nstatus: In Progress\nassignee: []\ncreated_date: '2026-01-31 14:05'\nlabels:\n- ui\ndependencies:\n- TASK-1\n---\n\n## Description\n\n<!-- SECTION:DESCRIPTION:BEGIN -->\nWhy.\nMore.\n<!-- SECTION:DESCRIPTION:END -->\n\n## Acceptance Criteria\n<!-- AC:BEGIN -->\n- [ ] #1 It works\n<!-- AC:END -->\n\n## Definition of Done\n<!-- DOD:BEGIN -->\n- [ ] #1 Tests\n<!-- DOD:END -->\n";
    assert_eq!(
        created(&edit),
        [("backlog/tasks/task-012 - A-B-new.md", expected)]
    );
    assert!(edit.notes[0].contains("auto_commit"));
    let bare = ItemDraft {
        title: "Part".into(),
        ..ItemDraft::default()
    };
    let part = ask(&texts, None, &add(Some("task-1"), bare.clone())).unwrap();
    assert_eq!(part.added.as_deref(), Some("TASK-1.1"));
    assert!(created(&part)[0].1.contains("parent_task_id: TASK-1\n"));
    let of_unit = ask(&texts, Some("TASK-1"), &add(None, bare.clone())).unwrap();
    assert_eq!(of_unit.added, part.added);
    assert!(
        ask(&texts, None, &add(Some("task-7"), bare.clone()))
            .unwrap_err()
            .contains("no item is named 'task-7'")
    );
    let refused = ItemDraft {
        depends_on: vec!["TASK-5".into()],
        ..bare.clone()
    };
    assert!(
        ask(&texts, None, &add(None, refused))
            .unwrap_err()
            .contains("no task 'TASK-5'")
    );
    assert!(
        ask(&[], None, &add(None, bare))
            .unwrap_err()
            .contains("backlog init")
    );
}

#[test]
fn tasks_move_between_folders_under_their_names() {
    let to = |to: &str| EditIntent::Move { to: to.into() };
    let edit = ask(&[CONFIG, (TASK, FIRST)], Some("TASK-1"), &to("completed")).unwrap();
    let step = PlanFileStep::Move {
        from: TASK.into(),
        to: TASK.replace("tasks", "completed"),
    };
    assert_eq!(edit.files, [step]);
    assert_eq!(
        ask(&[CONFIG, (TASK, FIRST)], Some("TASK-1"), &to("tasks"))
            .unwrap()
            .files,
        []
    );
    assert!(refused(FIRST, &to("../x")).contains("none of the folders"));
    let draft = (
        "backlog/drafts/draft-3 - a.md",
        "---\nid: DRAFT-3\ntitle: a\n---\n",
    );
    let message = ask(&[CONFIG, draft], Some("DRAFT-3"), &to("tasks")).unwrap_err();
    assert_eq!(
        message,
        "Promoting a draft is left to the format's own program. Run `backlog draft promote DRAFT-3`"
    );
    let archived = ("backlog/archive/tasks/task-1 - a.md", FIRST);
    assert!(
        ask(&[CONFIG, archived], Some("TASK-1"), &status("Done"))
            .unwrap_err()
            .contains("in the archive")
    );
    let command = FIRST.replace("mine:", "onStatusChange: 'touch x'\nmine:");
    let edit = ask(&[CONFIG, (TASK, &command)], Some("TASK-1"), &status("Done")).unwrap();
    assert!(edit.notes[0].contains("it was not run"));
}

#[test]
fn a_section_that_is_named_in_full_is_written_where_it_stands() {
    let text = "---\nid: TASK-1\n---\n### Final Summary\nold\n";
    let section = EditIntent::Section {
        name: "### Final Summary".into(),
        text: "new".into(),
        append: false,
    };
    let written = after(text, &section);
    assert!(
        written.ends_with("---\n### Final Summary\n\nnew\n"),
        "{written}"
    );
}

#[test]
fn lone_carriage_returns_and_broken_keys_keep_an_edit_from_no_other_key() {
    for text in [
        "---\nid:\r TASK-1\nlabels:\n  - a\n---\nwords\n",
        "---\n\rid: TASK-1\nassignee: [@a]\nlabels:\n  - a\n \u{2028} - b\n---\nwords\n",
    ] {
        let written = after(text, &status("To Do"));
        assert!(written.contains("status: To Do\n"), "{written}");
        let kept: String = written
            .lines()
            .filter(|line| !line.starts_with("status:") && !line.starts_with("updated_date:"))
            .map(|line| format!("{line}\n"))
            .collect();
        assert_eq!(kept, text);
    }
    let broken = "---\nid: TASK-1\nb*aroken: [\nanchor: &a x\n---\nwords\n";
    let why = refused(broken, &status("To Do"));
    assert!(why.contains("its front matter cannot be read"), "{why}");
}
