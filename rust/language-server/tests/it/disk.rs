//! Files that somebody else writes while an editor holds another text of them.

use serde_json::{Value, json};

use super::answers::applied;
use super::client::{ScriptedEditor, write};

const SPEC: &str = ".chant/specs/2026-01-22-001-x7m.md";

/// By document words on disk, what somebody else makes of them, what is said of that, and a line that the editor
/// did not save.
const CHANGES: [[&str; 5]; 7] = [
    [
        SPEC,
        "- [ ] It works",
        "- [x] It works",
        "'It works' was ticked",
        "labels: [new]\n---\n# Log in",
    ],
    [
        "plan.vine", "(notstarted)", "(started)", "one line is another", "title: Shop of ours",
    ],
    [
        "specs/060-name/tasks.md",
        "- [ ] T001",
        "- [x] T001",
        "'T001 First thing' was ticked",
        "# Tasks of ours",
    ],
    [
        "docs/CRs/SHOP-002-second.md",
        "priority: Medium",
        "priority: High",
        "one line is another",
        "# Second of ours",
    ],
    [
        "openspec/changes/add-login/tasks.md",
        "- [x] 1.2",
        "- [ ] 1.2",
        "'1.2 Name the fields' was unticked",
        "## 1. Form of ours",
    ],
    [
        ".kiro/specs/user-auth/tasks.md",
        "- [ ] 2. Keep",
        "- [x] 2. Keep",
        "'2. Keep the session' was ticked",
        "# Implementation Plan of ours",
    ],
    [
        "backlog/tasks/task-1 - Draw-the-form.md",
        "- [ ] #1",
        "- [x] #1",
        "'#1 It has two fields' was ticked",
        "title: Draw the form of ours",
    ],
];

/// The text with a line of the editor in the place of the one that it begins like.
fn edited(saved: &str, ours: &str) -> String {
    let old = ours.strip_suffix(" of ours").unwrap_or("---\n# Log in");
    saved.replacen(old, ours, 1)
}

/// Opens a document whose text is another one in the editor than on disk, and waits until the server has it.
fn open_edited(
    editor: &mut ScriptedEditor,
    path: &str,
    edit: impl Fn(&str) -> String,
) -> [String; 2] {
    let saved = editor.open_saved(path);
    let held = edit(&saved);
    assert_ne!(held, saved, "{path}");
    editor.replace(path, &held);
    let asked = json!({"textDocument": editor.document(path)});
    editor.ask("textDocument/documentSymbol", asked);
    [saved, held]
}

/// The findings about the file of a document, once there are some or none.
fn told(editor: &mut ScriptedEditor, path: &str, is_told: bool) -> Vec<Value> {
    let of_disk = |one: &&Value| one["code"] == "disk";
    let found = editor.findings(path, |found| {
        found.iter().any(|one| of_disk(&one)) == is_told
    });
    found.iter().filter(of_disk).cloned().collect()
}

/// The action that takes a change in, and the text that it makes.
fn taken_in(
    editor: &mut ScriptedEditor,
    path: &str,
    held: &str,
    range: &Value,
) -> (String, String) {
    let asked = json!({
        "textDocument": editor.document(path), "context": {"diagnostics": []}, "range": range,
    });
    let found = editor.ask("textDocument/codeAction", asked);
    let mut actions = found.as_array().unwrap().iter();
    let is_wanted = |one: &&Value| one["title"].as_str().unwrap().starts_with("Take in");
    let action = actions.find(is_wanted).unwrap_or_else(|| panic!("{found}"));
    let edits = &action["edit"]["documentChanges"][0]["edits"];
    (
        action["title"].as_str().unwrap().to_owned(),
        applied(held, edits),
    )
}

#[test]
fn a_change_on_disk_is_told_and_taken_in_when_the_editor_says_so_in_every_format() {
    let mut editor = ScriptedEditor::new();
    for [path, part, instead, said, ours] in CHANGES {
        let [saved, held] = open_edited(&mut editor, path, |saved| edited(saved, ours));
        let theirs = saved.replace(part, instead);
        write(editor.folder.path(), path, &theirs);
        let found = told(&mut editor, path, true);
        let message = found[0]["message"].as_str().unwrap();
        assert!(
            message.starts_with(&format!("Changed on disk: {said}\n")),
            "{message}"
        );
        assert_ne!(found[0]["range"]["start"], found[0]["range"]["end"]);
        let (title, merged) = taken_in(&mut editor, path, &held, &found[0]["range"]);
        assert_eq!(title, "Take in what changed on disk");
        assert_eq!(merged, edited(&theirs, ours), "{path}");
        // Nothing was written.
        let file = editor.folder.path().join(path);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), theirs);
        editor.replace(path, &merged);
        told(&mut editor, path, false);
    }
    assert!(editor.end(true));
}

#[test]
fn what_a_save_wrote_over_is_told_until_it_is_taken_in() {
    let mut editor = ScriptedEditor::new();
    let [path, part, instead, said, ours] = CHANGES[0];
    let [saved, held] = open_edited(&mut editor, path, |saved| edited(saved, ours));
    write(editor.folder.path(), path, &saved.replace(part, instead));
    told(&mut editor, path, true);
    write(editor.folder.path(), path, &held);
    editor.tell(
        "textDocument/didSave",
        json!({"textDocument": editor.document(path)}),
    );
    let is_lost = |one: &Value| {
        let message = one["message"].as_str().unwrap();
        message.starts_with(&format!("A save wrote over a change on disk: {said}"))
    };
    let found = editor.findings(path, |found| found.iter().any(is_lost));
    let lost = found.iter().find(|one| is_lost(one)).unwrap();
    let (_, merged) = taken_in(&mut editor, path, &held, &lost["range"]);
    assert_eq!(merged, held.replace(part, instead));
    editor.replace(path, &merged);
    told(&mut editor, path, false);
}

#[test]
fn both_versions_stay_where_both_changed() {
    let mut editor = ScriptedEditor::new();
    for path in [SPEC, "docs/CRs/SHOP-002-second.md"] {
        let ours = |saved: &str| saved.replace("\nText.\n", "\nOurs.\n");
        let [saved, held] = open_edited(&mut editor, path, ours);
        write(
            editor.folder.path(),
            path,
            &saved.replace("\nText.\n", "\nTheirs.\n"),
        );
        let found = told(&mut editor, path, true);
        let (title, merged) = taken_in(&mut editor, path, &held, &found[0]["range"]);
        assert!(title.ends_with("with marks where both changed"), "{title}");
        assert!(
            merged.contains("\nOurs.\n") && merged.contains("\nTheirs.\n"),
            "{merged}"
        );
        editor.replace(path, &merged);
        told(&mut editor, path, false);
    }
}

#[test]
fn a_save_of_the_editor_is_no_change_of_somebody_else() {
    let mut editor = ScriptedEditor::new();
    let typed = |saved: &str| saved.replace("# Log in", "# Log in a");
    let [_, first] = open_edited(&mut editor, SPEC, typed);
    // The next key comes before the editor says that it saved.
    editor.replace(SPEC, &first.replace("# Log in a", "# Log in ab"));
    write(editor.folder.path(), SPEC, &format!("\u{feff}{first}\n"));
    editor.tell(
        "textDocument/didSave",
        json!({"textDocument": editor.document(SPEC)}),
    );
    let last = first.replace("# Log in a", "# Log in abc");
    let last = last.replace("2026-01-22-002-abc", "nope-1");
    editor.replace(SPEC, &last);
    let is_last = |one: &Value| one["message"].as_str().unwrap().contains("nope-1");
    let found = editor.findings(SPEC, |found| found.iter().any(is_last));
    assert!(found.iter().all(|one| one["code"] != "disk"), "{found:?}");
}
