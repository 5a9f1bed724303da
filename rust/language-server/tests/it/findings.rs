//! Findings follow the text that the editor holds, in every format, and the disk.

use serde_json::{Value, json};

use super::client::{OTHER, SPEC, ScriptedEditor, covered, project, write};

fn spec(id: &str) -> String {
    format!(".chant/specs/{id}.md")
}

fn has(found: &[Value], words: &str) -> bool {
    found
        .iter()
        .any(|one| one["message"].as_str().unwrap().contains(words))
}

/// By document a part of its text, what stands there instead, what is found then, and what the finding covers.
const FAULTS: [[&str; 5]; 11] = [
    [
        ".chant/specs/2026-01-22-001-x7m.md",
        "status: pending",
        "status: pendign",
        "Invalid status: pendign",
        "pendign",
    ],
    [
        ".chant/specs/2026-01-22-001-x7m.md",
        "2026-01-22-002-abc",
        "2026-01-22-002-xyz",
        "Unknown dependency '2026-01-22-002-xyz'",
        "2026-01-22-002-xyz",
    ],
    [
        ".chant/specs/2026-01-22-001-x7m.md",
        "type: code",
        "type: cdoe",
        "Invalid spec type 'cdoe'",
        "cdoe",
    ],
    [
        ".chant/specs/2026-01-22-001-x7m.md",
        "- [ ] It works",
        "- [] It works",
        "",
        "- [] It works",
    ],
    ["plan.vine", "-> build", "-> biuld", "biuld", "biuld"],
    [
        "plan.vine",
        "(notstarted)",
        "(nostarted)",
        "",
        "[build] Build it (nostarted)",
    ],
    [
        "specs/060-name/tasks.md",
        "- [ ] T002 Second",
        "- [?] T002 Second",
        "",
        "- [?] T002 Second thing (depends on T001)",
    ],
    [
        "docs/CRs/SHOP-002-second.md",
        "dependsOn: SHOP-001",
        "dependsOn: SHOP-009",
        "Unknown dependency 'tickets:SHOP-009'",
        "SHOP-009",
    ],
    [
        "openspec/changes/add-login/specs/auth/spec.md",
        "#### Scenario: Right",
        "### Scenario: Right",
        "is the heading of no requirement",
        "### Scenario: Right",
    ],
    [
        ".kiro/specs/user-auth/tasks.md",
        "_Requirements: 1.1_",
        "_Requirements: 7.9_",
        "7.9",
        "7.9",
    ],
    [
        "backlog/tasks/task-2 - Keep-the-session.md",
        "[TASK-1]",
        "[TASK-9]",
        "depends on TASK-9",
        "TASK-9",
    ],
];

#[test]
fn a_fault_is_found_where_it_stands_and_goes_with_it_in_every_format() {
    let mut editor = ScriptedEditor::new();
    for [path, part, instead, message, covers] in FAULTS {
        let sound = editor.open_saved(path);
        editor.findings(path, |found| !has(found, "\u{1}"));
        let broken = sound.replace(part, instead);
        assert_ne!(broken, sound, "{path}");
        editor.replace(path, &broken);
        let is_there = |one: &Value| {
            let is_message = one["message"].as_str().unwrap().contains(message);
            let range = covered(&broken, &one["range"]);
            is_message && range == covers
        };
        editor.findings(path, |found| found.iter().any(is_there));
        editor.replace(path, &sound);
        editor.findings(path, |found| !found.iter().any(is_there));
        editor.tell(
            "textDocument/didClose",
            json!({"textDocument": editor.document(path)}),
        );
    }
    assert!(editor.end(true));
}

#[test]
fn lines_with_two_ends_and_wide_characters_are_counted_as_the_editor_counts() {
    let mut editor = ScriptedEditor::new();
    let path = spec(SPEC);
    let text = "---\r\ntype: code\r\nlabels: [\"😀😀\", é]\r\ndepends_on: [\"😀\", nope-1]\r\n---\r\n# Log in\r\n";
    editor.open(&path, text);
    let found = editor.findings(&path, |found| has(found, "Unknown dependency 'nope-1'"));
    let one = found
        .iter()
        .find(|one| has(std::slice::from_ref(one), "nope-1"))
        .unwrap();
    assert_eq!(
        one["range"],
        json!({
            "start": {"line": 3, "character": 19}, "end": {"line": 3, "character": 25},
        })
    );
    assert_eq!(one["code"], "dependency");
    assert_eq!(one["source"], "chant");
}

#[test]
fn an_editor_that_takes_bytes_gets_bytes() {
    let mut editor = ScriptedEditor::on(super::client::project(), &["utf-8", "utf-16"]);
    let path = spec(SPEC);
    editor.open(
        &path,
        "---\ntype: code\ndepends_on: [\"😀\", nope-1]\n---\n# Log in\n",
    );
    let found = editor.findings(&path, |found| has(found, "nope-1"));
    let one = found
        .iter()
        .find(|one| has(std::slice::from_ref(one), "nope-1"))
        .unwrap();
    assert_eq!(one["range"]["start"]["character"], 21);
}

#[test]
fn a_circle_that_only_the_unsaved_text_closes_is_found() {
    let mut editor = ScriptedEditor::new();
    let path = spec(OTHER);
    let text = editor.open_saved(&path);
    editor.replace(
        &path,
        &text.replace("labels: [door]", &format!("depends_on: [{SPEC}]")),
    );
    editor.findings(&path, |found| has(found, "Circular dependency"));
    // Nothing of it is on disk.
    let saved = std::fs::read_to_string(editor.folder.path().join(&path)).unwrap();
    assert_eq!(saved, text);
}

#[test]
fn a_change_on_disk_of_another_file_changes_the_findings() {
    let mut editor = ScriptedEditor::new();
    let path = spec(SPEC);
    editor.open_saved(&path);
    editor.ask(
        "textDocument/documentSymbol",
        json!({"textDocument": editor.document(&path)}),
    );
    let other = editor.folder.path().join(spec(OTHER));
    let text = std::fs::read_to_string(&other).unwrap();
    std::fs::remove_file(&other).unwrap();
    editor.findings(&path, |found| has(found, "Unknown dependency"));
    write(editor.folder.path(), &spec(OTHER), &text);
    editor.findings(&path, |found| !has(found, "Unknown dependency"));
}

#[test]
fn a_document_that_is_not_saved_yet_is_an_item_until_it_is_closed() {
    let mut editor = ScriptedEditor::new();
    let (path, new) = (spec(SPEC), spec("2026-01-22-003-new"));
    let text = editor.open_saved(&path);
    editor.replace(&path, &text.replace(OTHER, "2026-01-22-003-new"));
    editor.findings(&path, |found| has(found, "Unknown dependency"));
    editor.open(&new, "---\ntype: code\n---\n# New\n");
    editor.findings(&path, |found| !has(found, "Unknown dependency"));
    editor.tell(
        "textDocument/didClose",
        json!({"textDocument": editor.document(&new)}),
    );
    editor.findings(&path, |found| has(found, "Unknown dependency"));
    assert!(!editor.folder.path().join(&new).exists());
}

#[test]
fn the_configuration_is_checked() {
    let mut editor = ScriptedEditor::new();
    let path = ".chant/config.md";
    write(
        editor.folder.path(),
        path,
        "---\nproject:\n  name: x\n---\n",
    );
    editor.open(path, "---\nprojcet:\n  name: x\n---\n");
    editor.findings(path, |found| has(found, "projcet"));
    let actions = editor.ask(
        "textDocument/codeAction",
        json!({
            "textDocument": editor.document(path), "context": {"diagnostics": []},
            "range": {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 0}},
        }),
    );
    assert_eq!(actions[0]["title"], "Change `projcet` to `project`");
}

#[test]
fn an_editor_that_asks_for_findings_gets_them_once_and_none_unasked() {
    let first = spec(SPEC);
    let mut editor = ScriptedEditor::started(project());
    let capabilities = json!({
        "textDocument": {"diagnostic": {}},
        "workspace": {"diagnostic": {"refreshSupport": true}},
    });
    let offered = editor.ask(
        "initialize",
        json!({"processId": null, "rootUri": null, "capabilities": capabilities}),
    );
    assert_eq!(
        offered["capabilities"]["diagnosticProvider"]["workspaceDiagnostics"],
        true
    );
    let text = editor.open_saved(&first);
    let document = editor.document(&first);
    let asked = json!({"textDocument": document});
    let sound = editor.ask("textDocument/diagnostic", asked.clone());
    assert_eq!(
        (&sound["kind"], &sound["items"]),
        (&json!("full"), &json!([]))
    );
    editor.replace(&first, &text.replace("status: pending", "status: pendign"));
    let faulty = editor.ask("textDocument/diagnostic", asked);
    assert!(faulty["items"].to_string().contains("pendign"), "{faulty}");
    let known = json!({"textDocument": document, "previousResultId": faulty["resultId"]});
    let again = editor.ask("textDocument/diagnostic", known);
    assert_eq!(
        again,
        json!({"kind": "unchanged", "resultId": faulty["resultId"]})
    );
    // The whole says the same, and of what is known that it is as it was.
    let all = editor.ask("workspace/diagnostic", json!({"previousResultIds": []}));
    assert_eq!(all["items"][0]["items"], faulty["items"], "{all}");
    let known = json!([{"uri": editor.uri(&first), "value": faulty["resultId"]}]);
    let all = editor.ask("workspace/diagnostic", json!({"previousResultIds": known}));
    assert_eq!(all["items"][0]["kind"], "unchanged", "{all}");
    // A change of another file makes it ask again.
    std::fs::remove_file(editor.folder.path().join(spec(OTHER))).unwrap();
    editor.request("workspace/diagnostic/refresh");
    assert!(editor.findings(&first, <[Value]>::is_empty).is_empty());
}
