//! Answers about items: hover, completion, places, names, lenses, hints, changes, new IDs.

use serde_json::{Value, json};

use super::client::{OTHER, SPEC, ScriptedEditor, covered, write};

const FIRST: &str = ".chant/specs/2026-01-22-001-x7m.md";
const SECOND: &str = ".chant/specs/2026-01-22-002-abc.md";

/// By document a part of its text behind which an item is meant, a line of the hover, and the document of the item.
const MEANT: [[&str; 4]; 8] = [
    [
        FIRST,
        "depends_on: [2026-01-22-002",
        "Open the door",
        SECOND,
    ],
    [SECOND, "# Open", "Waited for by", SECOND],
    ["plan.vine", "-> bui", "Build it", "plan.vine"],
    [
        "specs/060-name/tasks.md",
        "(depends on T00",
        "First thing",
        "specs/060-name/tasks.md",
    ],
    [
        "docs/CRs/SHOP-002-second.md",
        "dependsOn: SHOP-0",
        "First",
        "docs/CRs/SHOP-001-first.md",
    ],
    [
        "openspec/changes/add-login/tasks.md",
        "- [ ] 1.1 Draw",
        "Draw the form",
        "openspec/changes/add-login/tasks.md",
    ],
    [
        ".kiro/specs/user-auth/tasks.md",
        "- [ ] 1.1 Draw",
        "Draw the form",
        ".kiro/specs/user-auth/tasks.md",
    ],
    [
        "backlog/tasks/task-2 - Keep-the-session.md",
        "[TASK",
        "Draw the form",
        "backlog/tasks/task-1 - Draw-the-form.md",
    ],
];

#[test]
fn an_item_is_described_and_found_in_every_format() {
    let mut editor = ScriptedEditor::new();
    for [path, part, line, document] in MEANT {
        let text = editor.open_saved(path);
        let place = editor.behind(path, &text, part);
        let hover = editor.ask("textDocument/hover", place.clone());
        let said = hover["contents"]["value"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        assert!(said.contains(line), "{path}: {hover}");
        assert!(said.lines().count() <= 20);
        let found = editor.ask("textDocument/definition", place);
        assert_eq!(found["uri"], editor.uri(document), "{path}");
    }
}

#[test]
fn text_of_documents_is_no_markup_in_a_hover() {
    let mut editor = ScriptedEditor::new();
    let text = editor
        .open_saved(FIRST)
        .replace("# Log in", "# <b>![x](command:y)</b> `z`");
    editor.replace(FIRST, &text);
    let hover = editor.ask("textDocument/hover", editor.behind(FIRST, &text, "# <b>"));
    let said = hover["contents"]["value"].as_str().unwrap();
    assert!(
        said.starts_with(r"**\<b\>!\[x\](command:y)\</b\> \`z\`**"),
        "{said}"
    );
}

#[test]
fn items_keys_and_values_are_offered_where_they_may_stand() {
    let mut editor = ScriptedEditor::new();
    let labels = |found: &Value| -> Vec<String> {
        let items = found["items"].as_array();
        let items = items.into_iter().flatten();
        items
            .map(|one| one["label"].as_str().unwrap().to_owned())
            .collect()
    };
    let text = editor.open_saved(FIRST);
    for (instead, part, offered) in [
        ("depends_on: [do]", "[do", OTHER),
        (
            "depends_on: [chant:2026-01-22-002]",
            "[chant:2026-01-22-002",
            OTHER,
        ),
        ("depends_on:\n  - SHOP", "- SHOP", "tickets:SHOP-001"),
        ("lab", "\nlab", "labels"),
        ("labels: [d]", "[d", "door"),
        ("approval: x\nmodel: y\nprio", "prio", "proof"),
    ] {
        let changed = text.replace("depends_on: [2026-01-22-002-abc]", instead);
        editor.replace(FIRST, &changed);
        let found = editor.ask(
            "textDocument/completion",
            editor.behind(FIRST, &changed, part),
        );
        assert!(
            labels(&found).iter().any(|label| label == offered),
            "{instead}: {found}"
        );
    }
    for (path, old, new, part, offered) in [
        (
            FIRST, "status: pending", "status: pe", "status: pe", "in_progress",
        ),
        (FIRST, "type: code", "type: ", "type: ", "research"),
        ("plan.vine", "-> build", "-> b", "-> b", "build"),
        (
            "specs/060-name/tasks.md",
            "depends on T001",
            "depends on T",
            "depends on T",
            "T001",
        ),
        (
            "docs/CRs/SHOP-002-second.md",
            "status: Approved",
            "status: ",
            "status: ",
            "In Progress",
        ),
        (
            "docs/CRs/SHOP-002-second.md",
            "SHOP-001",
            "fir",
            "fir",
            "SHOP-001",
        ),
        (
            "backlog/tasks/task-2 - Keep-the-session.md",
            "TASK-1",
            "Draw",
            "[Draw",
            "TASK-1",
        ),
        (
            "backlog/tasks/task-2 - Keep-the-session.md",
            "status: To Do",
            "status: ",
            "status: ",
            "Done",
        ),
    ] {
        let saved = editor.open_saved(path);
        let changed = saved.replace(old, new);
        editor.replace(path, &changed);
        let found = editor.ask(
            "textDocument/completion",
            editor.behind(path, &changed, part),
        );
        assert!(
            labels(&found).iter().any(|label| label == offered),
            "{path} {new}: {found}"
        );
    }
}

#[test]
fn a_new_spec_is_offered_in_an_empty_document() {
    let mut editor = ScriptedEditor::new();
    let path = ".chant/specs/2026-01-22-009-new.md";
    editor.open(path, "");
    let found = editor.ask(
        "textDocument/completion",
        json!({
            "textDocument": editor.document(path), "position": {"line": 0, "character": 0},
        }),
    );
    assert!(
        found["items"][0]["textEdit"]["newText"]
            .as_str()
            .unwrap()
            .contains("## Acceptance Criteria")
    );
}

#[test]
fn a_path_leads_to_a_file_of_the_project_alone() {
    let mut editor = ScriptedEditor::new();
    let root = editor.folder.path().to_owned();
    let outside = tempfile::tempdir().unwrap();
    write(outside.path(), "secret", "x");
    write(&root, "src/main.rs", "fn main() {}");
    #[cfg(unix)]
    std::os::unix::fs::symlink(outside.path(), root.join("out")).unwrap();
    let listed = "target_files: [src/main.rs, src, out/secret, ../secret, /etc/passwd]";
    let text = editor.open_saved(FIRST).replace("type: code", listed);
    editor.replace(FIRST, &text);
    for (part, document) in [
        ("[src/ma", Some("src/main.rs")),
        (" sr", None),
        ("out/se", None),
        ("../se", None),
        ("/etc/pa", None),
    ] {
        let place = editor.behind(FIRST, &text, part);
        let found = editor.ask("textDocument/definition", place);
        let uri = document.map(|document| editor.uri(document));
        assert_eq!(found["uri"].as_str(), uri.as_deref(), "{part}");
    }
}

#[test]
fn an_item_is_meant_in_any_spelling_that_its_format_takes() {
    let mut editor = ScriptedEditor::new();
    let path = "backlog/tasks/task-2 - Keep-the-session.md";
    let text = editor.open_saved(path).replace("[TASK-1]", "[task-1]");
    editor.replace(path, &text);
    let mut place = editor.behind(path, &text, "[task-");
    let hover = editor.ask("textDocument/hover", place.clone());
    assert!(hover.to_string().contains("Draw the form"), "{hover}");
    place["context"] = json!({"includeDeclaration": true});
    let found = editor.ask("textDocument/references", place);
    assert_eq!(found.as_array().unwrap().len(), 2, "{found}");
}

#[test]
fn all_that_names_an_item_is_found_across_documents() {
    let mut editor = ScriptedEditor::new();
    let text = editor.open_saved(SECOND);
    let mut place = editor.behind(SECOND, &text, "# Open");
    place["context"] = json!({"includeDeclaration": true});
    let found = editor.ask("textDocument/references", place);
    assert_eq!(found.as_array().unwrap().len(), 1, "{found}");
    assert_eq!(found[0]["uri"], editor.uri(FIRST));
    let graph = editor.open_saved("plan.vine");
    let place = editor.behind("plan.vine", &graph, "-> bui");
    let found = editor.ask("textDocument/documentHighlight", place);
    let words: Vec<String> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|one| covered(&graph, &one["range"]))
        .collect();
    assert_eq!(words, ["build", "build"]);
}

#[test]
fn symbols_are_items_in_their_holders_and_found_by_their_titles() {
    let mut editor = ScriptedEditor::new();
    let path = ".kiro/specs/user-auth/tasks.md";
    editor.open_saved(path);
    let found = editor.ask(
        "textDocument/documentSymbol",
        json!({"textDocument": editor.document(path)}),
    );
    let text = found.to_string();
    assert!(
        text.contains("1.1 Draw the form") && text.contains("\"children\""),
        "{text}"
    );
    let found = editor.ask("workspace/symbol", json!({"query": "door"}));
    assert_eq!(found[0]["name"], format!("{OTHER} Open the door"));
    assert_eq!(found[0]["location"]["range"]["start"]["line"], 5);
}

#[test]
fn a_lens_says_how_far_an_item_is_and_runs_nothing() {
    let mut editor = ScriptedEditor::new();
    let titles = |editor: &mut ScriptedEditor, path: &str| -> Vec<String> {
        editor.open_saved(path);
        let found = editor.ask(
            "textDocument/codeLens",
            json!({"textDocument": editor.document(path)}),
        );
        let found = found.as_array().unwrap().iter();
        found
            .map(|one| {
                assert_eq!(one["command"]["command"], "");
                one["command"]["title"].as_str().unwrap().to_owned()
            })
            .collect()
    };
    assert_eq!(titles(&mut editor, FIRST), ["waits for 1 · 1 of 2 ticked"]);
    let of_other =
        "ready · 0 of 1 ticked · not trusted: `chant-mcp trust` shows what it asks for".to_owned();
    assert_eq!(titles(&mut editor, SECOND), [of_other]);
    let of_graph = titles(&mut editor, "plan.vine");
    assert!(of_graph.contains(&"waits for 1".to_owned()), "{of_graph:?}");
}

#[test]
fn titles_stand_behind_ids() {
    let mut editor = ScriptedEditor::new();
    let text = editor.open_saved(FIRST);
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}});
    let found = editor.ask(
        "textDocument/inlayHint",
        json!({"textDocument": editor.document(FIRST), "range": range}),
    );
    let hints: Vec<&str> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["label"].as_str().unwrap())
        .collect();
    assert_eq!(hints, ["Open the door", "blocked"], "{text}");
    let other = editor.open_saved(SECOND);
    let waiting = "type: code\nissue: ada/ferry#3\napproval:\n  required: true\n  status: pending";
    let bad = other.replace("# Open", "## Open");
    editor.replace(SECOND, &bad);
    editor.findings(SECOND, |found| !found.is_empty());
    editor.replace(SECOND, &bad.replace("type: code", waiting));
    editor.findings(SECOND, <[Value]>::is_empty);
    let place = editor.behind(FIRST, &text, "depends_on: [2026-01-22-002");
    for (method, params) in [
        (
            "textDocument/inlayHint",
            json!({"textDocument": editor.document(FIRST), "range": range}),
        ),
        ("textDocument/hover", place.clone()),
        ("textDocument/completion", place.clone()),
        (
            "textDocument/codeLens",
            json!({"textDocument": editor.document(SECOND)}),
        ),
        ("workspace/symbol", json!({"query": "door"})),
    ] {
        let found = editor.ask(method, params);
        assert!(!found.to_string().contains("door"), "{method} {found}");
    }
    let hover = editor.ask("textDocument/hover", place);
    assert!(hover.to_string().contains("Issue ada/ferry#3"), "{hover}");
}

/// Applies the edits of one document to its text, the last first.
pub(crate) fn applied(text: &str, edits: &Value) -> String {
    let mut text = text.to_owned();
    for edit in edits.as_array().unwrap().iter().rev() {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let byte = |position: &Value| {
            let line = usize::try_from(position["line"].as_u64().unwrap()).unwrap();
            let character = usize::try_from(position["character"].as_u64().unwrap()).unwrap();
            lines[..line].iter().map(|line| line.len()).sum::<usize>() + character
        };
        let range = byte(&edit["range"]["start"])..byte(&edit["range"]["end"]);
        text.replace_range(range, edit["newText"].as_str().unwrap());
    }
    text
}

#[test]
fn a_box_is_ticked_in_the_text_of_the_editor() {
    let mut editor = ScriptedEditor::new();
    for (path, line, after) in [
        (FIRST, "- [ ] It works", "- [x] It works"),
        (FIRST, "- [x] It is tested", "- [ ] It is tested"),
        ("specs/060-name/tasks.md", "- [ ] T001", "- [x] T001"),
        (
            "openspec/changes/add-login/tasks.md",
            "- [ ] 1.1",
            "- [x] 1.1",
        ),
        (
            ".kiro/specs/user-auth/tasks.md",
            "- [ ] 2. Keep",
            "- [x] 2. Keep",
        ),
        (
            "backlog/tasks/task-1 - Draw-the-form.md",
            "- [ ] #1",
            "- [x] #1",
        ),
    ] {
        let saved = editor.open_saved(path);
        let text = format!("{saved}\nNot saved.\n");
        editor.replace(path, &text);
        let position = editor.behind(path, &text, line)["position"].clone();
        let found = editor.ask(
            "textDocument/codeAction",
            json!({
                "textDocument": editor.document(path), "context": {"diagnostics": []},
                "range": {"start": position, "end": position},
            }),
        );
        let edit = &found[0]["edit"]["documentChanges"][0];
        assert_eq!(edit["textDocument"]["version"], 2, "{path}: {found}");
        let ticked = applied(&text, &edit["edits"]);
        assert!(
            ticked.contains(after) && ticked.ends_with("Not saved.\n"),
            "{ticked}"
        );
    }
}

/// The text after the action with a title at a part of it.
fn acted(editor: &mut ScriptedEditor, text: &str, part: &str, title: &str) -> Option<String> {
    let position = editor.behind(FIRST, text, part)["position"].clone();
    let found = editor.ask(
        "textDocument/codeAction",
        json!({
            "textDocument": editor.document(FIRST), "context": {"diagnostics": []},
            "range": {"start": position, "end": position},
        }),
    );
    let mut actions = found.as_array().unwrap().iter();
    let action = actions.find(|one| one["title"] == title)?;
    Some(applied(
        text,
        &action["edit"]["documentChanges"][0]["edits"],
    ))
}

#[test]
fn a_criterion_moves_and_what_a_text_names_is_waited_for() {
    let mut editor = ScriptedEditor::new();
    let text = editor.open_saved(FIRST);
    let swapped = text.replace(
        "- [ ] It works\n- [x] It is tested\n",
        "- [x] It is tested\n- [ ] It works\n",
    );
    let down = acted(&mut editor, &text, "- [ ] It", "Move the criterion down");
    assert_eq!(down, Some(swapped.clone()));
    let up = acted(&mut editor, &text, "- [x] It", "Move the criterion up");
    assert_eq!(up, Some(swapped));
    let upper = acted(&mut editor, &text, "- [ ] It", "Move the criterion up");
    assert_eq!(upper, None);
    let named = text.replace("Text.", "As tickets:SHOP-001 and (2026-01-22-002-abc) say.");
    editor.replace(FIRST, &named);
    let title = "Wait for tickets:SHOP-001";
    let waiting = acted(&mut editor, &named, "As tickets", title).unwrap();
    let front = waiting.split("\n---\n").next().unwrap();
    assert!(
        front.contains(OTHER) && front.contains("tickets:SHOP-001"),
        "{front}"
    );
    let title = format!("Wait for {OTHER}");
    let known = acted(&mut editor, &named, "As tickets", &title);
    assert_eq!(known, None, "it waits for that already");
}

#[test]
fn a_misspelled_word_is_corrected() {
    let mut editor = ScriptedEditor::new();
    for (path, right, wrong) in [
        (FIRST, "depends_on:", "depend_on:"),
        (SECOND, "status: pending", "status: pendign"),
        ("docs/CRs/SHOP-002-second.md", "dependsOn:", "dependOn:"),
        (
            "backlog/tasks/task-2 - Keep-the-session.md",
            "dependencies:",
            "dependancies:",
        ),
    ] {
        let text = editor.open_saved(path);
        let broken = text.replace(right, wrong);
        editor.replace(path, &broken);
        let position = editor.behind(path, &broken, wrong)["position"].clone();
        let found = editor.ask(
            "textDocument/codeAction",
            json!({
                "textDocument": editor.document(path), "context": {"diagnostics": []},
                "range": {"start": position, "end": position},
            }),
        );
        let edits = &found[0]["edit"]["documentChanges"][0]["edits"];
        assert_eq!(applied(&broken, edits), text, "{path}: {found}");
    }
}

#[test]
fn a_new_id_is_written_wherever_the_old_one_stood() {
    let mut editor = ScriptedEditor::new();
    let referring = std::fs::read_to_string(editor.folder.path().join(FIRST)).unwrap();
    let referring = referring.replace(
        "[2026-01-22-002-abc]",
        "[2026-01-22-002-abc, 'vine:plan.vine#build']",
    );
    std::fs::write(editor.folder.path().join(FIRST), &referring).unwrap();
    let graph = editor.open_saved("plan.vine");
    let mut params = editor.behind("plan.vine", &graph, "-> bui");
    let found = editor.ask("textDocument/prepareRename", params.clone());
    assert_eq!(covered(&graph, &found), "build");
    params["newName"] = "make".into();
    let found = editor.ask("textDocument/rename", params.clone());
    let changes = found["documentChanges"].as_array().unwrap();
    let of = |path: &str| {
        let uri = editor.uri(path);
        &changes
            .iter()
            .find(|one| one["textDocument"]["uri"] == uri)
            .unwrap()["edits"]
    };
    let renamed = applied(&graph, of("plan.vine"));
    assert_eq!(
        renamed,
        graph
            .replace("build]", "make]")
            .replace("-> build", "-> make")
    );
    assert_eq!(
        applied(&referring, of(FIRST)),
        referring.replace("#build", "#make")
    );
    for (name, why) in [("root", "taken"), ("a b", "cannot be"), ("", "cannot be")] {
        params["newName"] = name.into();
        assert!(
            editor
                .refusal("textDocument/rename", params.clone())
                .contains(why),
            "{name}"
        );
    }
    editor.replace("plan.vine", &format!("{graph}Text.\n"));
    params["newName"] = "make".into();
    assert!(
        editor
            .refusal("textDocument/rename", params)
            .contains("save plan.vine first")
    );
}

#[test]
fn a_rename_back_restores_all_and_leaves_nothing_unknown() {
    let mut editor = ScriptedEditor::new();
    let graph = editor.open_saved("plan.vine");
    let named = editor.open_saved(FIRST);
    let named = named.replace("-002-abc]", "-002-abc, 'vine:plan.vine#build']");
    let mut texts = [("plan.vine", graph.clone()), (FIRST, named.clone())];
    for (part, new) in [("-> bui", "make"), ("-> ma", "build")] {
        for (path, text) in &texts {
            write(editor.folder.path(), path, text);
            editor.replace(path, text);
        }
        let mut params = editor.behind("plan.vine", &texts[0].1, part);
        params["newName"] = new.into();
        let found = editor.ask("textDocument/rename", params);
        for (path, text) in &mut texts {
            let uri = editor.uri(path);
            let mut changes = found["documentChanges"].as_array().unwrap().iter();
            let change = changes.find(|one| one["textDocument"]["uri"] == uri);
            *text = applied(text, &change.unwrap()["edits"]);
            editor.replace(path, text);
            editor.findings(path, |found| {
                found.iter().all(|one| one["code"] != "dependency")
            });
        }
        assert_eq!(texts[0].1 == graph, new == "build");
    }
    assert_eq!(texts[1].1, named);
}

#[test]
fn ids_that_more_than_documents_know_stay() {
    let mut editor = ScriptedEditor::new();
    for (path, part) in [
        (FIRST, "depends_on: [2026-01-22-002"),
        ("docs/CRs/SHOP-002-second.md", "dependsOn: SHOP-0"),
        (".kiro/specs/user-auth/tasks.md", "- [ ] 1.1"),
    ] {
        let text = editor.open_saved(path);
        let mut params = editor.behind(path, &text, part);
        params["newName"] = format!("{SPEC}x").into();
        assert!(!editor.refusal("textDocument/rename", params).is_empty());
    }
}
