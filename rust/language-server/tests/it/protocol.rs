//! The protocol: order, bounds, ends, and files that are of no plan.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::{SPEC, ScriptedEditor, project};

#[test]
fn nothing_is_answered_before_the_first_request_and_after_the_last() {
    let mut editor = ScriptedEditor::started(project());
    assert_eq!(
        editor.refusal("textDocument/hover", json!({})),
        "not initialized"
    );
    editor.ask("initialize", json!({"capabilities": {}}));
    assert!(
        editor
            .refusal("textDocument/nothing", json!({}))
            .contains("does not offer")
    );
    assert!(
        !editor
            .refusal("textDocument/hover", json!({"a": 1}))
            .is_empty()
    );
    editor.ask("shutdown", Value::Null);
    assert_eq!(editor.refusal("textDocument/hover", json!({})), "shut down");
    editor.tell("exit", Value::Null);
    assert!(editor.end(false));
}

#[test]
fn the_end_of_the_stream_ends_the_server_at_once() {
    let mut editor = ScriptedEditor::new();
    editor.open_saved(&format!(".chant/specs/{SPEC}.md"));
    editor.ask(
        "textDocument/codeLens",
        json!({"textDocument": editor.document(&format!(".chant/specs/{SPEC}.md"))}),
    );
    let started = Instant::now();
    assert!(!editor.end(false));
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[test]
fn what_is_no_message_is_refused_and_the_next_one_is_answered() {
    let mut editor = ScriptedEditor::new();
    editor.raw(b"Content-Length: 3\r\n\r\n{]}");
    assert!(
        editor.response(Value::Null)["error"]["message"]
            .as_str()
            .unwrap()
            .contains("no message")
    );
    let found = editor.ask("workspace/symbol", json!({"query": "x"}));
    assert_eq!(found, json!([]));
    editor.raw(b"nonsense\r\n\r\n");
    let server = editor;
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| server.end(false))).is_err());
}

#[test]
fn a_request_that_is_cancelled_while_it_waits_is_not_answered() {
    let mut editor = ScriptedEditor::new();
    let path = format!(".chant/specs/{SPEC}.md");
    editor.open_saved(&path);
    let one = json!({"jsonrpc": "2.0", "id": "a", "method": "textDocument/documentSymbol",
        "params": {"textDocument": editor.document(&path)}});
    let other = json!({"jsonrpc": "2.0", "id": "b", "method": "textDocument/documentSymbol",
        "params": {"textDocument": editor.document(&path)}});
    let cancel = json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": "b"}});
    let mut together = Vec::new();
    for message in [one, other, cancel] {
        let body = message.to_string();
        together.extend(format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes());
    }
    editor.raw(&together);
    assert!(editor.response("a".into())["result"].is_array());
    // It may have been answered before the cancellation came; never is it left without an answer.
    let cancelled = editor.response("b".into());
    assert!(cancelled["result"].is_array() || cancelled["error"]["code"] == -32800);
}

#[test]
fn a_request_that_an_edit_overtakes_is_told_so() {
    let mut editor = ScriptedEditor::new();
    let path = format!(".chant/specs/{SPEC}.md");
    let text = editor.open_saved(&path);
    let mut together = Vec::new();
    let mut add = |message: Value| {
        let body = message.to_string();
        together.extend(format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes());
    };
    for version in 2..102 {
        let params = json!({"textDocument": editor.document(&path)});
        add(
            json!({"jsonrpc": "2.0", "id": version, "method": "textDocument/codeLens", "params": params}),
        );
        let document = json!({"uri": editor.uri(&path), "version": version});
        let params = json!({"textDocument": document, "contentChanges": [{"text": text}]});
        add(json!({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": params}));
    }
    editor.raw(&together);
    let mut overtaken = 0;
    for version in 2..102 {
        let answer = editor.response(version.into());
        assert!(
            answer["result"].is_array() || answer["error"]["code"] == -32801,
            "{answer}"
        );
        overtaken += usize::from(answer["error"]["code"] == -32801);
    }
    // Nearly all of them: reading a message is done long before one is answered.
    assert!(overtaken > 0);
}

#[test]
fn files_that_are_of_no_plan_get_empty_answers() {
    let mut editor = ScriptedEditor::new();
    for path in [
        "README.md", "docs/x.md", "src/main.rs", ".chant/prompts/a.md",
    ] {
        editor.open(path, "# Title\n\n- [ ] box\n\ndepends_on: [nope]\n");
        let position = json!({"line": 0, "character": 3});
        for method in ["hover", "definition", "completion"] {
            let params = json!({"textDocument": editor.document(path), "position": position});
            assert_eq!(
                editor.ask(&format!("textDocument/{method}"), params),
                Value::Null
            );
        }
        let params = json!({"textDocument": editor.document(path)});
        assert_eq!(
            editor.ask("textDocument/documentSymbol", params),
            Value::Null
        );
    }
    let elsewhere = json!({"textDocument": {"uri": "file://other.example/a.md", "languageId": "x", "version": 1, "text": "x"}});
    editor.tell("textDocument/didOpen", elsewhere);
    assert!(editor.end(true));
}

#[test]
fn a_document_that_is_too_large_is_one_finding_until_it_is_small() {
    let mut editor = ScriptedEditor::new();
    let path = format!(".chant/specs/{SPEC}.md");
    let saved = editor.open_saved(&path);
    editor.replace(&path, &"x".repeat((8 << 20) + 1));
    let found = editor.findings(&path, |found| found.len() == 1);
    assert!(found[0]["message"].as_str().unwrap().contains("too large"));
    // A change of a text that was not kept cannot be applied.
    editor.change(
        &path,
        3,
        vec![json!({"text": "y", "range":
        {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}})],
    );
    editor.findings(&path, |found| found.len() == 1);
    editor.replace(&path, &saved);
    editor.findings(&path, |found| {
        found.iter().all(|one| one["code"] != "parse")
    });
}

/// The text after a change, as an editor makes it: positions in UTF-16 units.
fn changed(text: &str, range: (usize, usize), new: &str) -> (String, Value) {
    let position = |byte: usize| {
        let before = &text[..byte];
        let start = before.rfind(['\n', '\r']).map_or(0, |at| at + 1);
        let breaks = before.replace("\r\n", "\n").matches(['\n', '\r']).count();
        json!({"line": breaks, "character": before[start..].encode_utf16().count()})
    };
    let change = json!({
        "range": {"start": position(range.0), "end": position(range.1)}, "text": new,
    });
    let mut after = text.to_owned();
    after.replace_range(range.0..range.1, new);
    (after, change)
}

/// Requests and notifications, each with parameters as editors send them.
fn messages(editor: &ScriptedEditor, path: &str) -> Vec<[Value; 2]> {
    let document = editor.document(path);
    let at = |line: u32| json!({"line": line, "character": 3});
    let place = json!({"textDocument": document, "position": at(3), "newName": "x", "query": "a"});
    let ranged = json!({
        "textDocument": document, "context": {"diagnostics": [], "includeDeclaration": true},
        "range": {"start": at(1), "end": at(4)}, "position": at(5), "previousResultIds": [],
    });
    let changed = json!({
        "textDocument": {"uri": document["uri"], "version": 7, "languageId": "x", "text": "---\n"},
        "contentChanges": [{"range": {"start": at(1), "end": at(2)}, "text": "- [ ] x\n"}],
    });
    let command = json!({"command": "chant-mcp.start", "arguments": [format!("chant:{SPEC}"), 1]});
    let named = |params: &Value, methods: &[&str]| -> Vec<[Value; 2]> {
        methods
            .iter()
            .map(|one| [json!(one), params.clone()])
            .collect()
    };
    [
        named(
            &place,
            &[
                "textDocument/hover",
                "textDocument/completion",
                "textDocument/definition",
                "textDocument/rename",
                "textDocument/prepareRename",
                "workspace/symbol",
                "textDocument/documentHighlight",
                "textDocument/documentSymbol",
                "textDocument/codeLens",
                "textDocument/nothing",
            ],
        ),
        named(
            &ranged,
            &[
                "textDocument/references",
                "textDocument/codeAction",
                "textDocument/inlayHint",
                "textDocument/diagnostic",
                "workspace/diagnostic",
            ],
        ),
        named(
            &changed,
            &[
                "textDocument/didChange",
                "textDocument/didOpen",
                "textDocument/didClose",
                "textDocument/didSave",
                "$/cancelRequest",
                "workspace/didChangeWatchedFiles",
            ],
        ),
        named(&command, &["workspace/executeCommand"]),
    ]
    .concat()
}

/// Makes a part of a value something else.
fn damage(value: &mut Value, random: &mut fastrand::Rng) {
    let others = [
        json!(null),
        json!(-1),
        json!(u64::MAX),
        json!(1e300),
        json!(""),
        json!("file:///x\u{0}"),
        json!([]),
        json!({}),
        json!(true),
        json!("\u{1f600}"),
        json!([[[[]]]]),
    ];
    match value {
        Value::Object(parts) if !parts.is_empty() && random.u8(..) < 230 => {
            let at = random.usize(..parts.len());
            let part = parts.values_mut().nth(at).unwrap();
            damage(part, random);
        }
        Value::Array(parts) if !parts.is_empty() && random.bool() => {
            let at = random.usize(..parts.len());
            damage(&mut parts[at], random);
        }
        _ => *value = others[random.usize(..others.len())].clone(),
    }
}

#[test]
fn each_request_is_answered_whatever_stands_in_messages() {
    let mut editor = ScriptedEditor::new();
    let path = format!(".chant/specs/{SPEC}.md");
    editor.open_saved(&path);
    let messages = messages(&editor, &path);
    let mut random = fastrand::Rng::with_seed(11);
    for _ in 0..300 {
        let mut asked = Vec::new();
        for _ in 0..10 {
            let [method, mut params] = messages[random.usize(..messages.len())].clone();
            for _ in 0..random.usize(..3) {
                damage(&mut params, &mut random);
            }
            let method = method.as_str().unwrap();
            if random.u8(..) < 40 || method.contains("/did") || method.starts_with('$') {
                editor.tell(method, params);
            } else {
                asked.push(editor.begin(method, params));
            }
        }
        for id in asked {
            let response = editor.response(id.into());
            assert!(response.get("result").is_some() || response.get("error").is_some());
            assert_ne!(response["error"]["code"], -32603, "{response}");
        }
    }
    let found = editor.ask("workspace/symbol", json!({"query": "door"}));
    assert_eq!(found.as_array().map(Vec::len), Some(1), "{found}");
    assert!(editor.end(true));
}

#[test]
fn after_many_edits_the_server_has_the_text_of_the_editor() {
    let mut editor = ScriptedEditor::new();
    let path = format!(".chant/specs/{SPEC}.md");
    let mut text = editor.open_saved(&path);
    let mut random = fastrand::Rng::with_seed(7);
    let pieces = [
        "", "x", "\n", "\r\n", "😀", "e\u{301}", "- [ ] box\n", "---\n", "depends_on: [a]\n",
        "# T\n", "é: ", "\u{feff}",
    ];
    for version in 2..2_002 {
        let mut changes = Vec::new();
        for _ in 0..random.usize(1..3) {
            let mut cut = || {
                // No editor puts its cursor between the two parts of a line's end.
                let places = text.char_indices().map(|(at, _)| at).chain([text.len()]);
                let is_place =
                    |at: &usize| !(text[..*at].ends_with('\r') && text[*at..].starts_with('\n'));
                let places: Vec<usize> = places.filter(is_place).collect();
                places[random.usize(..places.len())]
            };
            let (one, other) = (cut(), cut());
            let (start, end) = (one.min(other), one.max(other).min(one.min(other) + 40));
            let end = (end..=text.len()).find(|end| {
                text.is_char_boundary(*end)
                    && !(text[..*end].ends_with('\r') && text[*end..].starts_with('\n'))
            });
            let new = pieces[random.usize(..pieces.len())];
            let (after, change) = changed(&text, (start, end.unwrap()), new);
            text = after;
            changes.push(change);
        }
        editor.change(&path, version, changes);
    }
    // A whole line is hovered: what its range covers is what the server holds.
    let marked = format!("---\ntype: code\nlabels: [mark]\n---\n# Mark\n{text}");
    let (_, change) = changed(
        &text,
        (0, 0),
        "---\ntype: code\nlabels: [mark]\n---\n# Mark\n",
    );
    editor.change(&path, 3_000, vec![change]);
    let symbols = editor.ask(
        "textDocument/documentSymbol",
        json!({"textDocument": editor.document(&path)}),
    );
    let end = &symbols[0]["range"]["end"];
    let breaks = marked.replace("\r\n", "\n").matches(['\n', '\r']).count();
    let last = marked.rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let units = marked[last..].encode_utf16().count();
    assert_eq!(end, &json!({"line": breaks, "character": units}));
}
