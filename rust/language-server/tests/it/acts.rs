//! Acts by commands of an editor, and specs that it creates.

use serde_json::{Value, json};

use super::answers::applied;
use super::client::{SPEC, ScriptedEditor, project, trust};

const PATH: &str = ".chant/specs/2026-01-22-001-x7m.md";
const READY: &str = ".chant/specs/2026-01-22-002-abc.md";

fn trusting() -> ScriptedEditor {
    let folder = project();
    trust(&folder);
    ScriptedEditor::on(folder, &["utf-16"])
}

/// The commands of the lenses of a document, with their titles.
fn lenses(editor: &mut ScriptedEditor, path: &str) -> Vec<Value> {
    let asked = json!({"textDocument": editor.document(path)});
    let found = editor.ask("textDocument/codeLens", asked);
    let lenses = found.as_array().unwrap().iter();
    lenses.map(|lens| lens["command"].clone()).collect()
}

fn command(commands: &[Value], name: &str) -> Value {
    let mut commands = commands.iter();
    let found = commands.find(|one| one["command"] == name);
    let found = found.unwrap_or_else(|| panic!("no {name}"));
    json!({"command": name, "arguments": found["arguments"]})
}

#[test]
fn a_run_starts_when_the_question_about_it_was_answered() {
    let mut editor = trusting();
    editor.open_saved(READY);
    let offered = lenses(&mut editor, READY);
    let start = command(&offered, "chant-mcp.start");
    for (answer, said) in [
        (Value::Null, None),
        (json!({"title": "No"}), None),
        (json!({"title": "Yes"}), Some("start of 2026-01-22-002-abc")),
    ] {
        editor.ask("workspace/executeCommand", start.clone());
        let question = editor.request("window/showMessageRequest");
        let text = question["params"]["message"].as_str().unwrap();
        assert!(text.contains("Open the door"), "{text}");
        editor.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": answer}));
        // A refused act says so; that comes behind whatever an act before it says.
        editor.ask(
            "workspace/executeCommand",
            command(&offered, "chant-mcp.split"),
        );
        let question = editor.request("window/showMessageRequest");
        let yes = json!({"jsonrpc": "2.0", "id": question["id"], "result": {"title": "Yes"}});
        editor.send(&yes);
        let mut messages = vec![editor.request("window/showMessage")];
        if said.is_some() {
            messages.push(editor.request("window/showMessage"));
        }
        let is_said = |text: &str| messages.iter().any(|one| one["params"]["message"] == text);
        assert!(is_said("no split of 2026-01-22-002-abc"), "{messages:?}");
        assert_eq!(is_said("start of 2026-01-22-002-abc"), said.is_some());
    }
}

#[test]
fn an_act_is_refused_for_another_text_and_for_one_that_is_not_saved() {
    let mut editor = trusting();
    let text = editor.open_saved(READY);
    let offered = lenses(&mut editor, READY);
    let start = command(&offered, "chant-mcp.start");
    editor.replace(READY, &format!("{text}More.\n"));
    let why = editor.refusal("workspace/executeCommand", start.clone());
    assert!(why.contains("another one now"), "{why}");
    let offered = lenses(&mut editor, READY);
    let why = editor.refusal(
        "workspace/executeCommand",
        command(&offered, "chant-mcp.start"),
    );
    assert!(why.contains(&format!("save {READY} first")), "{why}");
    for name in [
        "chant-mcp.pause", "chant-mcp.log", "chant-mcp.approve", "other.start",
    ] {
        let asked = json!({"command": name, "arguments": start["arguments"]});
        let why = editor.refusal("workspace/executeCommand", asked);
        assert!(why.contains("not offered"), "{name}: {why}");
    }
}

#[test]
fn nothing_is_offered_in_a_folder_that_is_not_trusted() {
    let mut editor = ScriptedEditor::new();
    editor.open_saved(READY);
    let offered = lenses(&mut editor, READY);
    let [only] = offered.as_slice() else {
        panic!("{offered:?}");
    };
    assert_eq!(only["command"], "");
    let title = only["title"].as_str().unwrap();
    assert!(title.contains("not trusted: `chant-mcp trust`"), "{title}");
    let key = json!(["chant:2026-01-22-002-abc", 1]);
    let asked = json!({"command": "chant-mcp.start", "arguments": key});
    let why = editor.refusal("workspace/executeCommand", asked);
    assert!(why.contains("not offered"), "{why}");
}

/// The changes of the action with a title on a range of lines.
fn changes(editor: &mut ScriptedEditor, lines: [usize; 2], title: &str) -> Option<Vec<Value>> {
    let at = |line: usize| json!({"line": line, "character": 0});
    let asked = json!({
        "textDocument": editor.document(PATH), "context": {"diagnostics": []},
        "range": {"start": at(lines[0]), "end": at(lines[1])},
    });
    let found = editor.ask("textDocument/codeAction", asked);
    let mut actions = found.as_array().unwrap().iter();
    let action = actions.find(|one| one["title"] == title)?;
    action["edit"]["documentChanges"].as_array().cloned()
}

#[test]
fn selected_lines_become_a_spec_that_the_editor_writes() {
    let mut editor = trusting();
    let text = editor.open_saved(PATH);
    let line = text.lines().position(|line| line == "Text.").unwrap();
    let title = "New spec from the selection";
    assert_eq!(
        changes(&mut editor, [line, line], title),
        None,
        "nothing is selected"
    );
    let found = changes(&mut editor, [line, line + 5], title).unwrap();
    let [create, written] = found.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!(create["kind"], "create");
    assert_eq!(create["uri"], written["textDocument"]["uri"]);
    let new = applied("", &written["edits"]);
    assert!(
        new.contains("status: pending") && new.contains("\n# Text.\n"),
        "{new}"
    );
    assert!(
        new.ends_with("## Acceptance Criteria\n\n- [ ] It works\n"),
        "{new}"
    );
    let waiting = text.replace(
        "type: code",
        "type: code\napproval:\n  required: true\n  status: pending",
    );
    editor.replace(PATH, &waiting);
    let found = changes(&mut editor, [line + 3, line + 4], title).unwrap();
    let new = applied("", &found[1]["edits"]);
    assert!(
        new.contains("approval:"),
        "what waits for a person still does: {new}"
    );
}

#[test]
fn criteria_that_are_open_become_a_member() {
    let mut editor = trusting();
    let text = editor.open_saved(PATH);
    let title = "Split the selected criteria off into a member";
    let line = text
        .lines()
        .position(|line| line.contains("It works"))
        .unwrap();
    assert_eq!(
        changes(&mut editor, [line, line + 2], title),
        None,
        "one is ticked"
    );
    let found = changes(&mut editor, [line, line + 1], title).unwrap();
    let [create, member, group] = found.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!(
        create["uri"],
        editor.uri(&format!(".chant/specs/{SPEC}.1.md"))
    );
    let new = applied("", &member["edits"]);
    assert!(
        new.contains("# It works\n") && new.contains("- [ ] It works\n"),
        "{new}"
    );
    assert_eq!(group["textDocument"]["version"], 1);
    let group = applied(&text, &group["edits"]);
    assert!(
        group.contains("type: group") && group.contains(&format!("{SPEC}.1")),
        "{group}"
    );
    assert!(
        !group.contains("It works") && group.contains("- [x] It is tested"),
        "{group}"
    );
}
