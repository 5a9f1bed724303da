//! The agent over HTTP, against real servers on this machine.

mod trouble;

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use chant_provider::agent_task::{HttpAgentTask, RetryLimits};
use chant_provider::conversation::run;
use chant_provider::endpoint::ModelEndpoint;
use chant_provider::{ModelProtocol, ProviderError};
use chant_work::command::CommandRunner;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A request as a server saw it.
struct Seen {
    line: String,
    headers: String,
    body: Value,
}

/// A server that answers each request with the next of its answers, as bytes on the wire, and closes.
struct Server {
    address: String,
    seen: Receiver<Seen>,
}

impl Server {
    fn new(answers: Vec<String>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (tell, seen) = channel();
        std::thread::spawn(move || {
            let mut answers = VecDeque::from(answers);
            while let Some(answer) = answers.pop_front() {
                let (stream, _) = listener.accept().unwrap();
                let request = received(&stream);
                if tell.send(request).is_err() {
                    return;
                }
                // The agent may have given up.
                let _ = (&stream).write_all(answer.as_bytes());
            }
        });
        Self { address, seen }
    }

    fn requests(&self) -> Vec<Seen> {
        self.seen.try_iter().collect()
    }
}

fn received(stream: &TcpStream) -> Seen {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    let (mut headers, mut length) = (String::new(), 0);
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).unwrap();
        if header.trim().is_empty() {
            break;
        }
        let header = header.to_lowercase();
        if let Some(value) = header.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        headers += &header;
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    Seen {
        line: line.trim().to_owned(),
        headers,
        body: serde_json::from_slice(&body).unwrap(),
    }
}

fn answer(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\n{headers}connection: close\r\ncontent-length: {length}\r\n\r\n{body}"
    )
}

fn lines(values: &[Value]) -> String {
    let lines: Vec<String> = values.iter().map(|value| format!("{value}\n")).collect();
    answer(
        "200 OK",
        "content-type: application/x-ndjson\r\n",
        &lines.concat(),
    )
}

fn events(values: &[Value]) -> String {
    let events: String = values
        .iter()
        .map(|value| format!("data: {value}\n\n"))
        .collect();
    answer(
        "200 OK",
        "content-type: text/event-stream; charset=utf-8\r\n",
        &format!("{events}data: [DONE]\n\n"),
    )
}

/// An answer of Ollama's that calls tools.
fn ollama(text: &str, calls: &[(&str, Value)]) -> String {
    let call = |(name, arguments): &(&str, Value)| json!({"function": {"name": name, "arguments": arguments}});
    let calls: Vec<Value> = calls.iter().map(call).collect();
    lines(&[
        json!({"message": {"role": "assistant", "content": text}, "done": false}),
        json!({"message": {"content": "", "tool_calls": calls}, "done": true}),
    ])
}

/// An answer of OpenAI's that calls one tool, in pieces.
fn openai(name: &str, arguments: &str) -> String {
    let delta =
        |delta: Value| json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]});
    let piece =
        |text: &str| delta(json!({"tool_calls": [{"index": 0, "function": {"arguments": text}}]}));
    let (first, second) = arguments.split_at(arguments.len() / 2);
    events(&[
        delta(json!({"role": "assistant", "content": null})),
        delta(
            json!({"tool_calls": [{"index": 0, "id": "call_7", "type": "function", "function": {"name": name, "arguments": ""}}]}),
        ),
        piece(first),
        piece(second),
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}),
        json!({"choices": [], "usage": {"total_tokens": 3}}),
    ])
}

fn complete(protocol: ModelProtocol) -> String {
    match protocol {
        ModelProtocol::Ollama => ollama("", &[("task_complete", json!({"summary": "All done."}))]),
        ModelProtocol::OpenAi => openai("task_complete", r#"{"summary": "All done."}"#),
    }
}

/// What came of a run.
struct Outcome {
    end: Result<(), ProviderError>,
    told: Vec<String>,
    requests: Vec<Seen>,
}

impl Outcome {
    fn error(&self) -> String {
        self.end.as_ref().unwrap_err().to_string()
    }

    /// What the model was sent last.
    fn last_result(&self) -> String {
        let last = self.requests.last().unwrap();
        let message = last.body["messages"].as_array().unwrap().last().unwrap();
        assert_eq!(message["role"], "tool", "{message}");
        message["content"].as_str().unwrap().to_owned()
    }
}

fn work(protocol: ModelProtocol, folder: &Path, retries: u32, answers: Vec<String>) -> Outcome {
    talk(protocol, folder, retries, answers, false)
}

/// A question instead of work.
fn asked(folder: &Path, answers: Vec<String>) -> Outcome {
    talk(ModelProtocol::Ollama, folder, 0, answers, true)
}

fn talk(
    protocol: ModelProtocol,
    folder: &Path,
    retries: u32,
    answers: Vec<String>,
    is_question: bool,
) -> Outcome {
    let server = Server::new(answers);
    let key = [("OPENAI_API_KEY", "sk-secret"), ("PATH", "/usr/bin:/bin")];
    let environment = key.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let path = match protocol {
        ModelProtocol::Ollama => "/v1",
        ModelProtocol::OpenAi => "/api/v1/",
    };
    let mut told = Vec::new();
    let end = run(
        &HttpAgentTask {
            endpoint: &ModelEndpoint::parse(protocol, &format!("{}{path}", server.address))
                .unwrap(),
            model: "small",
            prompt: "Paint the ferry",
            is_question,
            folder,
            environment: &BTreeMap::from(environment),
            tries: RetryLimits {
                retries,
                delay: Duration::from_millis(1),
            },
        },
        &CommandRunner::default(),
        &mut |line| told.push(line.to_owned()),
    );
    Outcome {
        end,
        told,
        requests: server.requests(),
    }
}

/// The result of one call.
fn called(folder: &Path, name: &str, arguments: Value) -> String {
    let answers = vec![
        ollama("", &[(name, arguments)]),
        complete(ModelProtocol::Ollama),
    ];
    let outcome = work(ModelProtocol::Ollama, folder, 0, answers);
    outcome.end.as_ref().unwrap();
    outcome.last_result()
}

#[test]
fn a_model_of_ollamas_is_asked_with_tools_until_it_is_done() {
    let folder = TempDir::new().unwrap();
    let outcome = work(
        ModelProtocol::Ollama,
        folder.path(),
        0,
        vec![
            ollama(
                "I write.\nNow.",
                &[(
                    "write_file",
                    json!({"path": "a/b.txt", "content": "blue\n"}),
                )],
            ),
            ollama(
                "",
                &[(
                    "run_command",
                    json!({"command": "cat a/b.txt; echo $OPENAI_API_KEY."}),
                )],
            ),
            complete(ModelProtocol::Ollama),
        ],
    );
    outcome.end.as_ref().unwrap();
    assert_eq!(
        fs::read_to_string(folder.path().join("a/b.txt")).unwrap(),
        "blue\n"
    );
    let requests = &outcome.requests;
    assert_eq!(requests.len(), 3);
    assert_eq!(requests[0].line, "POST /api/chat HTTP/1.1");
    assert!(!requests[0].headers.contains("sk-secret"));
    let body = &requests[0].body;
    assert_eq!(
        (&body["model"], &body["stream"]),
        (&json!("small"), &json!(true))
    );
    assert_eq!(
        body["messages"][1],
        json!({"role": "user", "content": "Paint the ferry"})
    );
    let names: Vec<&Value> = body["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| &tool["function"]["name"])
        .collect();
    assert_eq!(
        names,
        [
            "read_file", "write_file", "run_command", "list_files", "task_complete"
        ]
    );
    let talk = &requests[2].body["messages"];
    assert_eq!(talk[2]["content"], "I write.\nNow.");
    assert_eq!(
        talk[2]["tool_calls"][0]["function"]["arguments"]["path"],
        "a/b.txt"
    );
    assert_eq!(
        talk[3],
        json!({"role": "tool", "tool_name": "write_file", "content": "Created `a/b.txt`, 5 bytes"})
    );
    assert_eq!(
        outcome.last_result(),
        "blue\n.\n[exit code 0]",
        "commands do not find the key"
    );
    let told: Vec<String> = outcome
        .told
        .iter()
        .map(|line| line.replace(r#"{"message":{"content":["#, ""))
        .collect();
    assert!(
        told[0].contains(r#""text":"I write.""#) && told[1].contains(r#""text":"Now.""#),
        "{told:?}"
    );
    assert_eq!(
        told.iter()
            .filter(|line| line.starts_with("[result] "))
            .count(),
        2
    );
    assert!(told.last().unwrap().contains("All done."));
}

#[test]
fn a_model_behind_openais_protocol_is_heard_in_pieces() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("ferry.txt"), "red\n").unwrap();
    let outcome = work(
        ModelProtocol::OpenAi,
        folder.path(),
        0,
        vec![
            openai("read_file", r#"{"path": "ferry.txt"}"#),
            complete(ModelProtocol::OpenAi),
        ],
    );
    outcome.end.as_ref().unwrap();
    let requests = &outcome.requests;
    assert_eq!(requests[0].line, "POST /api/v1/chat/completions HTTP/1.1");
    assert!(
        requests[0]
            .headers
            .contains("authorization: bearer sk-secret")
    );
    let talk = &requests[1].body["messages"];
    let call = json!({"id": "call_7", "type": "function", "function": {"name": "read_file", "arguments": "{\"path\":\"ferry.txt\"}"}});
    assert_eq!(talk[2]["tool_calls"], json!([call]));
    assert_eq!(
        talk[3],
        json!({"role": "tool", "tool_call_id": "call_7", "content": "red\n"})
    );
}

#[test]
fn a_server_that_does_not_stream_is_understood() {
    let folder = TempDir::new().unwrap();
    let message = json!({"role": "assistant", "content": "Done.", "tool_calls": [
        {"id": "x", "function": {"name": "task_complete", "arguments": "{}"}}]});
    let whole = json!({"choices": [{"message": message, "finish_reason": "stop"}]}).to_string();
    let json = "content-type: application/json\r\n";
    let outcome = work(
        ModelProtocol::OpenAi,
        folder.path(),
        0,
        vec![answer("200 OK", json, &whole)],
    );
    outcome.end.unwrap();
    let pretty = "{\n \"message\": {\"tool_calls\": [{\"function\": {\"name\": \"task_complete\"}}]},\n \"done\": true\n}";
    let outcome = work(
        ModelProtocol::Ollama,
        folder.path(),
        0,
        vec![answer("200 OK", json, pretty)],
    );
    outcome.end.unwrap();
}

#[test]
fn tools_touch_nothing_outside_the_folder_and_nothing_of_gits() {
    let folder = TempDir::new().unwrap();
    let (inside, outside) = (folder.path().join("in"), folder.path().join("out.txt"));
    fs::create_dir_all(inside.join(".git")).unwrap();
    fs::write(inside.join(".git/config"), "x").unwrap();
    fs::write(&outside, "secret").unwrap();
    std::os::unix::fs::symlink(folder.path(), inside.join("up")).unwrap();
    std::os::unix::fs::symlink(".git", inside.join("sly")).unwrap();
    std::os::unix::fs::symlink(inside.join("nowhere"), inside.join("dangling")).unwrap();
    let absolute = outside.display().to_string();
    for (path, expected) in [
        ("../out.txt", "is not inside the worktree"),
        (absolute.as_str(), "is not inside the worktree"),
        ("up/out.txt", "is not inside the worktree"),
        (".git/config", "what git keeps for itself"),
        ("sly/config", "is not inside the worktree"),
        ("./.GIT/config", "what git keeps for itself"),
    ] {
        for (tool, arguments) in [
            ("read_file", json!({"path": path})),
            ("write_file", json!({"path": path, "content": "y"})),
        ] {
            let result = called(&inside, tool, arguments);
            assert!(
                result.starts_with("Error: ") && result.contains(expected),
                "{tool} {path}: {result}"
            );
        }
    }
    for path in [
        "up/new.txt", "../new.txt", ".git/hooks/new", "sly/new", "dangling",
    ] {
        let result = called(&inside, "write_file", json!({"path": path, "content": "y"}));
        assert!(result.starts_with("Error: "), "{path}: {result}");
    }
    assert!(called(&inside, "list_files", json!({"path": ".."})).starts_with("Error: "));
    assert_eq!(
        called(&inside, "list_files", json!({})),
        "dangling\nsly\nup\n"
    );
    assert_eq!(fs::read_to_string(&outside).unwrap(), "secret");
    assert_eq!(fs::read_to_string(inside.join(".git/config")).unwrap(), "x");
    assert!(!folder.path().join("new.txt").exists() && !inside.join("nowhere").exists());
    assert!(!inside.join(".git/new").exists() && !inside.join(".git/hooks").exists());
}

#[test]
fn long_files_come_in_pages_and_long_outputs_are_cut() {
    let folder = TempDir::new().unwrap();
    let text: String = (1..=5000)
        .map(|number| format!("line {number}\n"))
        .collect();
    fs::write(folder.path().join("long.txt"), &text).unwrap();
    let (mut found, mut next) = (String::new(), 1);
    for _ in 0..10 {
        let result = called(
            folder.path(),
            "read_file",
            json!({"path": "long.txt", "from_line": next}),
        );
        assert!(result.len() < 17_000);
        let Some((page, note)) = result.split_once('[') else {
            found += &result;
            break;
        };
        found += page;
        let (_, number) = note.rsplit_once(' ').unwrap();
        next = number.trim_end_matches(".]").parse().unwrap();
    }
    assert_eq!(found, text, "the pages are the whole file");
    assert_eq!(
        called(
            folder.path(),
            "read_file",
            json!({"path": "long.txt", "from_line": "6000"})
        ),
        "[The file has 5000 lines.]"
    );
    fs::write(folder.path().join("wide.txt"), "é".repeat(20_000)).unwrap();
    let wide = called(folder.path(), "read_file", json!({"path": "wide.txt"}));
    assert!(wide.ends_with("\n[The line is longer and cut here.]") && wide.len() < 17_000);
    let output = called(
        folder.path(),
        "run_command",
        json!({"command": "seq 1 100000; echo the end >&2"}),
    );
    assert!(output.starts_with("1\n2\n3\n") && output.ends_with("100000\nthe end\n[exit code 0]"));
    assert!(output.len() < 17_000 && output.contains(" bytes are left out here.]"));
}

#[test]
fn a_call_that_cannot_be_done_is_told_to_the_model_which_goes_on() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("latin.txt"), b"caf\xe9").unwrap();
    for (tool, arguments, expected) in [
        ("read_file", json!({}), "Error: path is missing"),
        (
            "read_file",
            json!({"path": 3}),
            "Error: path should be a text",
        ),
        (
            "read_file",
            json!({"path": "none.txt"}),
            "Error: there is no such file or folder; list_files lists them",
        ),
        (
            "write_file",
            json!({"path": "x"}),
            "Error: content is missing",
        ),
        (
            "run_command",
            json!({"command": 3}),
            "Error: command should be a text, or a list of texts",
        ),
        (
            "run_command",
            json!({"command": []}),
            "Error: Cannot run a command: it is empty",
        ),
        (
            "paint",
            json!({}),
            "Error: there is no tool `paint`; there are read_file, write_file, run_command, list_files and task_complete",
        ),
        (
            "read_file",
            json!("not {json"),
            "Error: the arguments of read_file are no JSON object: not {json",
        ),
    ] {
        assert_eq!(called(folder.path(), tool, arguments), expected);
    }
    let latin = called(folder.path(), "read_file", json!({"path": "latin.txt"}));
    assert!(
        latin.starts_with("Error: ") && latin.contains("UTF-8"),
        "{latin}"
    );
    let failed = called(
        folder.path(),
        "run_command",
        json!({"command": ["sh", "-c", "exit 3"]}),
    );
    assert_eq!(failed, "[exit code 3]");
    assert_eq!(
        called(folder.path(), "list_files", json!({"path": "."})),
        "latin.txt\n"
    );
    let broken = vec![
        openai("read_file", r#"{"path": "#),
        complete(ModelProtocol::OpenAi),
    ];
    let outcome = work(ModelProtocol::OpenAi, folder.path(), 0, broken);
    let call = &outcome.requests[1].body["messages"][2]["tool_calls"][0];
    assert_eq!(
        call["function"]["arguments"], "{}",
        "servers refuse what is no JSON"
    );
    assert!(outcome.last_result().contains("are no JSON object"));
}

#[test]
fn what_a_command_leaves_behind_is_ended_with_it() {
    let folder = TempDir::new().unwrap();
    let begun = Instant::now();
    let line = "sleep 600 & echo $! > pid; echo begun";
    assert_eq!(
        called(folder.path(), "run_command", json!({"command": line})),
        "begun\n[exit code 0]"
    );
    assert!(begun.elapsed() < Duration::from_secs(20));
    let pid = fs::read_to_string(folder.path().join("pid")).unwrap();
    // It was killed; a busy system takes a moment to let it go.
    loop {
        let stat = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
        let state = stat.rsplit(')').next().unwrap_or_default().trim();
        if state.is_empty() || state.starts_with('Z') {
            return;
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "{stat}");
        std::thread::sleep(Duration::from_millis(2));
    }
}
