//! An editor that a test steers, on a server in memory and a folder of plans.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader, PipeWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use chant_language_server::{ActOutcome, ActRefusal, ActRequest, FrameError, ServerOptions, serve};
use chant_spec_runs::merge::driver::merge_file;
use chant_spec_runs::recorded_runs::RecordedRuns;
use chant_specs::project::{ProjectOptions, ZonedClock};
use chant_workspace::{DialectStores, Workspace};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use tempfile::TempDir;

/// So long an answer may take before a test fails.
const PATIENCE: Duration = Duration::from_secs(20);

/// The user's configuration, which does not lie in projects elsewhere.
const USER_CONFIG: &str = ".user/config.md";

pub(crate) const SPEC: &str = "2026-01-22-001-x7m";
pub(crate) const OTHER: &str = "2026-01-22-002-abc";

/// A folder with plans of every format.
pub(crate) fn project() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in [
        (
            ".chant/specs/2026-01-22-001-x7m.md",
            "---\ntype: code\nstatus: pending\ndepends_on: [2026-01-22-002-abc]\n---\n# Log in\n\nText.\n\n## Acceptance Criteria\n\n- [ ] It works\n- [x] It is tested\n",
        ),
        (
            ".chant/specs/2026-01-22-002-abc.md",
            "---\ntype: code\nstatus: pending\nlabels: [door]\n---\n# Open the door\n\nText.\n\n## Acceptance Criteria\n\n- [ ] It opens\n",
        ),
        (
            "plan.vine",
            "vine 1.0.0\ntitle: Shop\n---\n[root] The shop (planning)\n-> build\n---\n[build] Build it (notstarted)\n",
        ),
        (
            "specs/060-name/tasks.md",
            "# Tasks\n\n## Phase 1: Setup\n\n- [ ] T001 First thing\n- [ ] T002 Second thing (depends on T001)\n",
        ),
        (
            ".mdt-config.toml",
            "[project]\nname = \"Shop\"\ncode = \"SHOP\"
",
        ),
        (
            "docs/CRs/SHOP-001-first.md",
            "---\ncode: SHOP-001\ntitle: First\nstatus: Approved\ntype: Feature Enhancement\npriority: Medium\n---\n\n# First\n\nText.\n",
        ),
        (
            "docs/CRs/SHOP-002-second.md",
            "---\ncode: SHOP-002\ntitle: Second\nstatus: Approved\ntype: Feature Enhancement\npriority: Medium\ndependsOn: SHOP-001\n---\n\n# Second\n\nText.\n",
        ),
        (
            "openspec/changes/add-login/proposal.md",
            "# Change: Log in\n\n## Why\n\nPeople come back.\n\n## What Changes\n\n- A form\n",
        ),
        (
            "openspec/changes/add-login/tasks.md",
            "## 1. Form\n\n- [ ] 1.1 Draw the form\n- [x] 1.2 Name the fields\n",
        ),
        (
            "openspec/changes/add-login/specs/auth/spec.md",
            "## ADDED Requirements\n\n### Requirement: Log in\nThe system SHALL let people log in.\n\n#### Scenario: Right\n- **WHEN** the password is right\n- **THEN** the person is in\n",
        ),
        (
            ".kiro/specs/user-auth/requirements.md",
            "# Requirements\n\n### Requirement 1\n\n#### Acceptance Criteria\n\n1. WHEN the password is right THEN the system SHALL let the person in\n",
        ),
        (
            ".kiro/specs/user-auth/tasks.md",
            "# Implementation Plan\n\n- [ ] 1. Build the form\n  - [ ] 1.1 Draw the form\n    - _Requirements: 1.1_\n  - [x] 1.2 Name the fields\n- [ ] 2. Keep the session\n",
        ),
        (
            "backlog/config.yml",
            "project_name: \"Ferry\"\nstatuses: [\"To Do\", \"In Progress\", \"Done\"]\nlabels: []\n",
        ),
        (
            "backlog/tasks/task-1 - Draw-the-form.md",
            "---\nid: TASK-1\ntitle: Draw the form\nstatus: To Do\nassignee: []\ncreated_date: '2026-01-01'\nlabels: []\ndependencies: []\n---\n\n## Description\n\nA form.\n\n## Acceptance Criteria\n<!-- AC:BEGIN -->\n- [ ] #1 It has two fields\n<!-- AC:END -->\n",
        ),
        (
            "backlog/tasks/task-2 - Keep-the-session.md",
            "---\nid: TASK-2\ntitle: Keep the session\nstatus: To Do\nassignee: []\ncreated_date: '2026-01-02'\nlabels: []\ndependencies: [TASK-1]\n---\n\n## Description\n\nKeep it.\n",
        ),
    ] {
        write(folder.path(), path, text);
    }
    folder
}

pub(crate) fn write(root: &Path, path: &str, text: &str) {
    let file = root.join(path);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, text).unwrap();
}

/// The project of a folder, as a server opens it.
fn opened(
    root: &Path,
    unsaved: &chant_store::disk::UnsavedTexts,
) -> Result<Workspace, chant_base::error::Error> {
    let parts = DialectStores::read_only(ProjectOptions {
        root: root.to_owned(),
        user_config: Some(root.join(USER_CONFIG)),
        searched: Vec::new(),
        environment: BTreeMap::new(),
        program: Vec::new(),
        prompts: None,
        trust: None,
        runs: &RecordedRuns,
        clock: ZonedClock {
            now: || Timestamp::UNIX_EPOCH,
            zone: TimeZone::UTC,
        },
        disk: chant_store::disk::Disk::default().with_unsaved(unsaved),
    })?;
    Ok(Workspace::open(root, parts))
}

/// What the program that holds a server does for it; here it says what it was asked for.
fn performed(request: &ActRequest) -> Result<ActOutcome, ActRefusal> {
    match request.act {
        "split" => Err(ActRefusal(format!("no split of {}", request.name))),
        "log" => Ok(ActOutcome {
            message: "the log".to_owned(),
            shown: Some("file:///log".to_owned()),
        }),
        act => Ok(ActOutcome {
            message: format!("{act} of {}", request.name),
            shown: None,
        }),
    }
}

/// Has a person trust a folder, by their own configuration.
pub(crate) fn trust(folder: &TempDir) {
    let root = folder.path().canonicalize().unwrap();
    let text = format!("---\ntrust:\n  roots: ['{}']\n---\n", root.display());
    write(folder.path(), USER_CONFIG, &text);
}

/// An editor with a server.
pub(crate) struct ScriptedEditor {
    pub(crate) folder: TempDir,
    writer: Option<PipeWriter>,
    received: Receiver<Value>,
    server: Option<JoinHandle<Result<bool, FrameError>>>,
    diagnostics: HashMap<String, Vec<Value>>,
    waiting: Vec<Value>,
    next: i64,
}

impl ScriptedEditor {
    /// An editor that counts in UTF-16, on a folder with plans of every format.
    pub(crate) fn new() -> Self {
        Self::on(project(), &["utf-16"])
    }

    pub(crate) fn on(folder: TempDir, encodings: &[&str]) -> Self {
        let mut editor = Self::started(folder);
        let found = editor.ask(
            "initialize",
            json!({
                "processId": null, "rootUri": null,
                "capabilities": {
                    "general": {"positionEncodings": encodings},
                    "textDocument": {
                        "hover": {"contentFormat": ["markdown"]},
                        "documentSymbol": {"hierarchicalDocumentSymbolSupport": true},
                        "completion": {"completionItem": {"snippetSupport": true}},
                    },
                    "window": {"showDocument": {"support": true}},
                    "workspace": {
                        "workspaceEdit": {"documentChanges": true, "resourceOperations": ["create"]},
                    },
                },
            }),
        );
        let encoding = &found["capabilities"]["positionEncoding"];
        assert!(encodings.contains(&encoding.as_str().unwrap()));
        editor.tell("initialized", json!({}));
        editor
    }

    /// A server that was asked nothing yet.
    pub(crate) fn started(folder: TempDir) -> Self {
        let (of_server, writer) = std::io::pipe().unwrap();
        let (reader, mut to_editor) = std::io::pipe().unwrap();
        let options = ServerOptions {
            opener: Arc::new(opened),
            clock: || "2026-01-31T14:05:09Z".to_owned(),
            performer: Some(Arc::new(performed)),
            merge_specs: |[base, ours, theirs]: [&str; 3], markers| {
                let [base, ours, theirs] = [base, ours, theirs].map(str::as_bytes);
                String::from_utf8(merge_file(base, ours, theirs, markers).bytes).unwrap()
            },
        };
        let server = std::thread::spawn(move || serve(of_server, &mut to_editor, options));
        let (sender, received) = channel();
        std::thread::spawn(move || {
            let mut reader = BufReader::new(reader);
            while let Some(message) = read(&mut reader) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Self {
            folder,
            writer: Some(writer),
            received,
            server: Some(server),
            diagnostics: HashMap::new(),
            waiting: Vec::new(),
            next: 0,
        }
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.writer.as_mut().unwrap().write_all(bytes).unwrap();
    }

    pub(crate) fn send(&mut self, message: &Value) {
        let body = message.to_string();
        self.raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    pub(crate) fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request and gives its number.
    pub(crate) fn begin(&mut self, method: &str, params: Value) -> i64 {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// The whole answer to a request.
    pub(crate) fn response(&mut self, id: Value) -> Value {
        let is_it = |message: &Value| message.get("method").is_none() && message["id"] == id;
        if let Some(at) = self.waiting.iter().position(is_it) {
            return self.waiting.remove(at);
        }
        loop {
            let message = self
                .receive(PATIENCE)
                .unwrap_or_else(|| panic!("no answer to {id}"));
            if is_it(&message) {
                return message;
            }
            self.waiting.push(message);
        }
    }

    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        let mut response = self.response(id.into());
        assert_eq!(response["error"], Value::Null, "{method}");
        response["result"].take()
    }

    pub(crate) fn refusal(&mut self, method: &str, params: Value) -> String {
        let id = self.begin(method, params);
        let response = self.response(id.into());
        response["error"]["message"].as_str().unwrap().to_owned()
    }

    /// Waits for a request of the server.
    pub(crate) fn request(&mut self, method: &str) -> Value {
        let is_it = |message: &Value| message["method"] == method;
        if let Some(at) = self.waiting.iter().position(is_it) {
            return self.waiting.remove(at);
        }
        loop {
            let message = self.receive(PATIENCE);
            let message = message.unwrap_or_else(|| panic!("no {method}"));
            if message["method"] == method {
                return message;
            }
            self.waiting.push(message);
        }
    }

    fn receive(&mut self, patience: Duration) -> Option<Value> {
        let message = self.received.recv_timeout(patience).ok()?;
        if message["method"] == "textDocument/publishDiagnostics" {
            let uri = message["params"]["uri"].as_str().unwrap().to_owned();
            let found = message["params"]["diagnostics"].as_array().unwrap().clone();
            self.diagnostics.insert(uri, found);
        }
        Some(message)
    }

    pub(crate) fn uri(&self, path: &str) -> String {
        let root = self.folder.path().canonicalize().unwrap();
        let path = root.join(path).display().to_string();
        format!("file://{}", path.replace('%', "%25").replace(' ', "%20"))
    }

    pub(crate) fn document(&self, path: &str) -> Value {
        json!({"uri": self.uri(path)})
    }

    pub(crate) fn open(&mut self, path: &str, text: &str) {
        let document =
            json!({"uri": self.uri(path), "languageId": "x", "version": 1, "text": text});
        self.tell("textDocument/didOpen", json!({"textDocument": document}));
    }

    /// Opens a file with the text that it has.
    pub(crate) fn open_saved(&mut self, path: &str) -> String {
        let text = std::fs::read_to_string(self.folder.path().join(path)).unwrap();
        self.open(path, &text);
        text
    }

    pub(crate) fn replace(&mut self, path: &str, text: &str) {
        self.change(path, 2, vec![json!({"text": text})]);
    }

    pub(crate) fn change(&mut self, path: &str, version: i32, changes: Vec<Value>) {
        let document = json!({"uri": self.uri(path), "version": version});
        let params = json!({"textDocument": document, "contentChanges": changes});
        self.tell("textDocument/didChange", params);
    }

    /// The parameters of a question about the place behind a part of a text.
    pub(crate) fn behind(&self, path: &str, text: &str, part: &str) -> Value {
        let at = text.find(part).unwrap() + part.len();
        let line = text[..at].matches('\n').count();
        let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
        let character = text[start..at].encode_utf16().count();
        json!({
            "textDocument": self.document(path),
            "position": {"line": line, "character": character},
        })
    }

    /// The findings of a document as soon as they are as wanted.
    pub(crate) fn findings(&mut self, path: &str, wanted: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        let uri = self.uri(path);
        let deadline = Instant::now() + PATIENCE;
        loop {
            let found = self.diagnostics.get(&uri).cloned().unwrap_or_default();
            if wanted(&found) {
                return found;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.receive(left) {
                Some(message) => self.waiting.push(message),
                None => panic!("findings of {path}: {found:#?}"),
            }
        }
    }

    /// Ends in order, or by closing the stream; what the server says to that.
    pub(crate) fn end(mut self, in_order: bool) -> bool {
        if in_order {
            self.ask("shutdown", Value::Null);
            self.tell("exit", Value::Null);
        } else {
            self.writer = None;
        }
        let server = self.server.take().unwrap();
        server.join().unwrap().unwrap()
    }
}

fn read(reader: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim();
        if line.is_empty() {
            break;
        }
        length = line.strip_prefix("Content-Length: ")?.parse().ok()?;
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}

/// The text that a range covers, counted in UTF-16.
pub(crate) fn covered(text: &str, range: &Value) -> String {
    let byte = |position: &Value| {
        let number = |name: &str| usize::try_from(position[name].as_u64().unwrap()).unwrap();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let before: usize = lines
            .iter()
            .take(number("line"))
            .map(|line| line.len())
            .sum();
        let line = lines.get(number("line")).copied().unwrap_or_default();
        let mut left = number("character");
        let inside = line.char_indices().find(|(_, c)| {
            let is_here = left == 0;
            left = left.saturating_sub(c.len_utf16());
            is_here
        });
        before + inside.map_or(line.len(), |(at, _)| at)
    };
    text[byte(&range["start"])..byte(&range["end"])].to_owned()
}
