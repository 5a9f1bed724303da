//! What goes wrong between the agent and its model.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::time::{Duration, Instant};

use chant_provider::ModelProtocol;
use chant_provider::agent_task::{HttpAgentTask, RetryLimits};
use chant_provider::conversation::run;
use chant_provider::endpoint::ModelEndpoint;
use chant_work::command::CommandRunner;
use serde_json::json;
use tempfile::TempDir;

use super::{answer, asked, complete, lines, ollama, work};

#[test]
fn what_may_pass_is_tried_again_and_told() {
    let folder = TempDir::new().unwrap();
    for status in ["429 Too Many", "500 Oh", "502 Bad", "503 Busy", "504 Slow"] {
        let refused = answer(status, "", r#"{"error": {"message": "not now"}}"#);
        let answers = vec![refused.clone(), refused, complete(ModelProtocol::OpenAi)];
        let outcome = work(ModelProtocol::OpenAi, folder.path(), 2, answers);
        outcome.end.as_ref().unwrap();
        let retries = outcome
            .told
            .iter()
            .filter(|line| line.starts_with("[retry] "));
        assert_eq!(retries.count(), 2, "{:?}", outcome.told);
        assert!(outcome.told[0].contains("not now"));
        assert_eq!(outcome.requests[0].body, outcome.requests[2].body);
    }
    let busy = answer("503 Busy", "", "come back");
    let outcome = work(
        ModelProtocol::Ollama,
        folder.path(),
        1,
        vec![busy.clone(), busy],
    );
    assert!(outcome.error().contains("503"), "{}", outcome.error());
    assert!(
        outcome.error().ends_with("come back (tried 2 times)"),
        "{}",
        outcome.error()
    );
}

#[test]
fn a_server_says_when_to_come_back() {
    let folder = TempDir::new().unwrap();
    let begun = Instant::now();
    let later = answer("429 Too Many", "retry-after: 1\r\n", "");
    let outcome = work(
        ModelProtocol::Ollama,
        folder.path(),
        1,
        vec![later, complete(ModelProtocol::Ollama)],
    );
    outcome.end.as_ref().unwrap();
    assert!(begun.elapsed() >= Duration::from_secs(1));
    assert!(
        outcome.told[0].ends_with("; again in 1.0 s"),
        "{:?}",
        outcome.told
    );
    let never = answer("429 Too Many", "retry-after: 86400\r\n", "");
    let outcome = work(ModelProtocol::Ollama, folder.path(), 1, vec![never]);
    assert!(
        outcome.error().ends_with("it asks to wait for 86400 s"),
        "{}",
        outcome.error()
    );
    let past = answer(
        "429 Too Many",
        "retry-after: Wed, 21 Oct 2015 07:28:00 GMT\r\n",
        "",
    );
    let outcome = work(
        ModelProtocol::Ollama,
        folder.path(),
        1,
        vec![past, complete(ModelProtocol::Ollama)],
    );
    outcome.end.unwrap();
}

#[test]
fn an_answer_that_breaks_off_is_asked_for_again() {
    let folder = TempDir::new().unwrap();
    let event = "data: {\"choices\": [{\"delta\": {\"content\": \"I beg\"}}]}\n\n";
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n";
    let pieces = [
        format!("{head}content-length: 5000\r\n\r\n{event}"),
        format!(
            "{head}transfer-encoding: chunked\r\n\r\n{:x}\r\n{event}\r\n",
            event.len()
        ),
        format!("{head}connection: close\r\n\r\n{event}data: {{\"cho"),
        answer("200 OK", "content-type: application/json\r\n", ""),
        String::new(),
    ];
    for broken in pieces {
        let outcome = work(
            ModelProtocol::OpenAi,
            folder.path(),
            1,
            vec![broken.clone(), complete(ModelProtocol::OpenAi)],
        );
        assert!(outcome.end.is_ok(), "{broken}: {}", outcome.error());
        assert_eq!(outcome.requests[0].body, outcome.requests[1].body);
        assert!(
            outcome.told.iter().any(|line| line.starts_with("[retry] ")),
            "{broken}"
        );
        let outcome = work(ModelProtocol::OpenAi, folder.path(), 0, vec![broken]);
        assert!(outcome.end.is_err());
    }
    let half =
        "HTTP/1.1 200 OK\r\n\r\n{\"message\": {\"content\": \"I\"}, \"done\": false}\n{\"mess";
    let failing = lines(&[
        json!({"message": {"content": "I"}, "done": false}),
        json!({"error": "the model crashed"}),
    ]);
    for broken in [half.to_owned(), failing] {
        let outcome = work(
            ModelProtocol::Ollama,
            folder.path(),
            1,
            vec![broken, complete(ModelProtocol::Ollama)],
        );
        assert!(outcome.end.is_ok(), "{}", outcome.error());
        assert_eq!(outcome.requests[0].body, outcome.requests[1].body);
    }
}

#[test]
fn a_server_that_is_not_there_is_tried_again() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let folder = TempDir::new().unwrap();
    let mut told = Vec::new();
    let end = run(
        &HttpAgentTask {
            endpoint: &ModelEndpoint::parse(ModelProtocol::Ollama, &address).unwrap(),
            model: "m",
            prompt: "x",
            is_question: false,
            folder: folder.path(),
            environment: &BTreeMap::new(),
            tries: RetryLimits {
                retries: 2,
                delay: Duration::from_millis(40),
            },
        },
        &CommandRunner::default(),
        &mut |line| told.push(line.to_owned()),
    );
    let error = end.unwrap_err().to_string();
    assert!(
        error.starts_with(&format!("{address}/api/chat gave no answer: ")),
        "{error}"
    );
    assert!(error.ends_with("(tried 3 times)"), "{error}");
    let waits: Vec<f64> = told
        .iter()
        .map(|line| {
            line.rsplit_once("again in ")
                .unwrap()
                .1
                .trim_end_matches(" s")
                .parse()
                .unwrap()
        })
        .collect();
    assert_eq!(waits, [0.0, 0.1], "doubled, and rounded");
}

#[test]
fn what_would_be_refused_again_fails_at_once_in_the_servers_words() {
    let folder = TempDir::new().unwrap();
    for (status, body, expected) in [
        (
            "400 Bad Request",
            r#"{"error": {"message": "no tools"}}"#,
            "400 Bad Request: no tools",
        ),
        (
            "404 Not Found",
            r#"{"error": "model 'small' not found, try pulling it first"}"#,
            "404 Not Found: model 'small' not found, try pulling it first",
        ),
        (
            "401 Unauthorized",
            r#"{"message": "wrong key"}"#,
            "401 Unauthorized: wrong key; look at OPENAI_API_KEY where runs are started",
        ),
        (
            "404 Not Found",
            "<html>\n nothing",
            "404 Not Found: <html> nothing",
        ),
    ] {
        let outcome = work(
            ModelProtocol::OpenAi,
            folder.path(),
            3,
            vec![answer(status, "", body), complete(ModelProtocol::OpenAi)],
        );
        assert!(outcome.error().ends_with(expected), "{}", outcome.error());
        assert_eq!(outcome.requests.len(), 1);
    }
    for (protocol, body) in [
        (ModelProtocol::OpenAi, "<html>"),
        (ModelProtocol::Ollama, "<html>"),
        (ModelProtocol::OpenAi, "{}"),
        (ModelProtocol::Ollama, "{}"),
    ] {
        let outcome = work(
            protocol,
            folder.path(),
            3,
            vec![answer("200 OK", "", body), complete(protocol)],
        );
        assert!(
            outcome.error().ends_with("is that the right endpoint?"),
            "{}",
            outcome.error()
        );
    }
    let elsewhere = answer("302 Found", "location: http://127.0.0.1:1/\r\n", "");
    let outcome = work(ModelProtocol::OpenAi, folder.path(), 3, vec![elsewhere]);
    assert!(
        outcome
            .error()
            .contains("it leads on to http://127.0.0.1:1/, which is not followed"),
        "{}",
        outcome.error()
    );
}

#[test]
fn a_model_that_never_ends_is_given_up() {
    let folder = TempDir::new().unwrap();
    let again = ollama("", &[("list_files", json!({}))]);
    let outcome = work(ModelProtocol::Ollama, folder.path(), 0, vec![again; 60]);
    assert_eq!(
        outcome.error(),
        "The model `small` did not complete the task in 50 rounds; what it committed is kept"
    );
    assert_eq!(outcome.requests.len(), 50);
}

#[test]
fn a_model_that_calls_no_tool_is_reminded_once() {
    let folder = TempDir::new().unwrap();
    let empty = ollama("", &[]);
    let outcome = work(
        ModelProtocol::Ollama,
        folder.path(),
        0,
        vec![empty.clone(), empty.clone()],
    );
    assert!(
        outcome.error().contains("gave an empty answer twice"),
        "{}",
        outcome.error()
    );
    let talk = &outcome.requests[1].body["messages"];
    assert!(
        talk[3]["content"]
            .as_str()
            .unwrap()
            .starts_with("You called no tool")
    );
    let outcome = work(
        ModelProtocol::Ollama,
        folder.path(),
        0,
        vec![ollama("Done, I think.", &[]), ollama("Yes, done.", &[])],
    );
    outcome.end.unwrap();
    let outcome = work(
        ModelProtocol::Ollama,
        folder.path(),
        0,
        vec![empty, complete(ModelProtocol::Ollama)],
    );
    outcome.end.unwrap();
}

#[test]
fn a_model_that_is_asked_is_reminded_of_an_answer_and_of_no_work() {
    let folder = TempDir::new().unwrap();
    let answers = vec![ollama("", &[]), ollama("Two members.", &[])];
    let outcome = asked(folder.path(), answers);
    outcome.end.unwrap();
    let talk = &outcome.requests[1].body["messages"];
    let reminder = talk[3]["content"].as_str().unwrap();
    assert!(
        reminder.contains("give the whole answer as text"),
        "{reminder}"
    );
    for word in ["commit", "task_complete"] {
        assert!(!reminder.contains(word), "{reminder}");
    }
    let blank = ollama("", &[]);
    let outcome = asked(folder.path(), vec![blank.clone(), blank]);
    assert!(outcome.error().contains("gave an empty answer twice"));
}

#[test]
fn endpoints_are_read_and_what_is_none_is_refused() {
    let protocols = [ModelProtocol::Ollama, ModelProtocol::OpenAi];
    for protocol in protocols {
        for text in [
            "",
            "localhost",
            "localhost:11434",
            "ftp://x",
            "http://",
            "http://user:pass@host/v1",
            "https://host/v1?key=x",
        ] {
            let error = ModelEndpoint::parse(protocol, text)
                .unwrap_err()
                .to_string();
            assert!(
                error.starts_with(&format!("`{text}` is not a valid endpoint: ")),
                "{error}"
            );
        }
        assert!(ModelEndpoint::parse(protocol, "http://[::1]:8080/v1").is_ok());
    }
    let needs_key = |text: &str| {
        ModelEndpoint::parse(ModelProtocol::OpenAi, text)
            .unwrap()
            .needs_key()
    };
    assert!(needs_key("https://api.openai.com/v1") && !needs_key("https://llm.example.org/v1"));
    assert!(
        !ModelEndpoint::parse(ModelProtocol::Ollama, "http://localhost")
            .unwrap()
            .needs_key()
    );
}
