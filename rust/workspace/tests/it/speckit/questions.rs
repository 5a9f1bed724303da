//! Questions: asked, found again, answered once, and never lost.

use std::fs;
use std::time::{Duration, Instant};

use chant_base::answer::Answer;
use chant_speckit::files::FeatureStore;
use chant_speckit::ops::{self, StatusReport};
use chant_speckit::questions::QuestionListener;
use jiff::Timestamp;
use serde_json::Value;

use super::{Project, asked, hint, seen_from, who};

const NOW: &str = "questions:\n  wait_secs: 0\n";

fn report<'a>(prompt: &'a str, question: Option<&'a str>) -> StatusReport<'a> {
    StatusReport {
        status: "needs_input",
        prompt: Some(prompt),
        message: None,
        question,
    }
}

fn project() -> Project {
    let project = Project::of_tasks("- [ ] T001 a\n");
    project.write(".specify/chant-mcp.yml", NOW);
    project
}

fn open(features: &FeatureStore) -> Vec<Value> {
    let answer = ops::questions(features, false).unwrap();
    serde_json::from_str(&answer.text).unwrap()
}

/// The log of events of a project.
fn events_of(project: &Project) -> std::path::PathBuf {
    crate::state_part(&project.root(), "speckit/events.jsonl")
}

fn id_of(answer: &Answer) -> String {
    let note = answer.note.as_deref().unwrap();
    let rest = note.split_once("The question is ").unwrap().1;
    rest.split_once(':').unwrap().0.to_owned()
}

#[test]
fn vector_13_an_unanswered_question_is_come_back_to() {
    let project = project();
    let features = project.features();
    let first = asked(&features, "s", &report("Which?", None)).unwrap();
    assert_eq!(first.text, "Status 'needs_input' reported successfully");
    let id = id_of(&first);
    assert_eq!(
        id_of(&asked(&features, "s", &report("Which?", None)).unwrap()),
        id
    );
    let other = id_of(&asked(&features, "other", &report("Which?", None)).unwrap());
    assert_ne!(other, id);
    // A restart forgets nothing.
    let again = project.features();
    let waiting: Vec<Value> = open(&again).iter().map(|one| one["id"].clone()).collect();
    assert_eq!(waiting, [id.as_str(), other.as_str()]);
    ops::answer(&again, &who("person"), &id, Some("the left one")).unwrap();
    let answered = asked(&again, "later", &report("", Some(&id))).unwrap();
    assert_eq!(answered.text, "User response: the left one");
    // It was heard, so the same words ask again; the ID still gives the answer.
    assert_ne!(
        id_of(&asked(&again, "s", &report("Which?", None)).unwrap()),
        id
    );
    let repeated = asked(&again, "s", &report("", Some(&id))).unwrap();
    assert_eq!(repeated.text, "User response: the left one");
}

#[test]
fn vector_12_an_answer_comes_back_intact_and_is_in_no_log() {
    let project = project();
    let features = project.features();
    let id = id_of(&asked(&features, "s", &report("Name?", None)).unwrap());
    ops::answer(&features, &who("person"), &id, Some("naïve 日本")).unwrap();
    let answer = asked(&features, "s", &report("Name?", None)).unwrap();
    assert_eq!(answer.text, "User response: naïve 日本");
    let log = fs::read_to_string(events_of(&project)).unwrap();
    assert!(log.contains(&id) && !log.contains("naïve"), "{log}");
    assert!(
        !ops::questions(&features, true)
            .unwrap()
            .text
            .contains("naïve")
    );
    let error = ops::answer(&features, &who("person"), &id, Some("no")).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("Question '{id}' is answered already; nothing was changed")
    );
}

#[test]
fn a_cancelled_question_is_an_error() {
    let project = project();
    let features = project.features();
    let id = id_of(&asked(&features, "s", &report("Go?", None)).unwrap());
    ops::answer(&features, &who("person"), &id, None).unwrap();
    let error = asked(&features, "s", &report("Go?", None)).unwrap_err();
    assert_eq!(error.to_string(), "Input request was cancelled");
    assert_eq!(open(&features), Vec::<Value>::new());
}

fn later() -> Timestamp {
    Timestamp::now() + Duration::from_secs(8 * 24 * 3600)
}

#[test]
fn a_question_expires_after_a_week() {
    let project = project();
    let id = id_of(&asked(&project.features(), "s", &report("Go?", None)).unwrap());
    let features = seen_from(&project.root(), &project.root(), &[], later);
    assert_eq!(open(&features), Vec::<Value>::new());
    let error = asked(&features, "s", &report("", Some(&id))).unwrap_err();
    assert_eq!(error.to_string(), "Input request expired without an answer");
    let error = ops::answer(&features, &who("person"), &id, Some("late")).unwrap_err();
    assert!(error.to_string().contains("is expired already"), "{error}");
}

#[test]
fn an_answer_wakes_the_one_who_waits() {
    let project = project();
    project.write(".specify/chant-mcp.yml", "questions: {wait_secs: 60}\n");
    let features = project.features();
    let began = Instant::now();
    let answer = std::thread::scope(|scope| {
        let mut tell = |_: &str| {
            let features = project.features();
            scope.spawn(move || {
                let id = open(&features)[0]["id"].as_str().unwrap().to_owned();
                ops::answer(&features, &who("person"), &id, Some("yes")).unwrap();
            });
        };
        let mut listener = QuestionListener {
            tell: &mut tell,
            has_left: &|| false,
        };
        ops::report_status(&features, &who("s"), &report("Go?", None), &mut listener).unwrap()
    });
    assert_eq!(answer.text, "User response: yes");
    assert!(began.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_call_that_nobody_waits_for_leaves_the_question_open_and_unheard() {
    let project = project();
    project.write(".specify/chant-mcp.yml", "questions: {wait_secs: 60}\n");
    let features = project.features();
    let mut listener = QuestionListener {
        tell: &mut |_| {},
        has_left: &|| true,
    };
    let asked_of = report("Go?", None);
    ops::report_status(&features, &who("s"), &asked_of, &mut listener).unwrap();
    let id = open(&features)[0]["id"].as_str().unwrap().to_owned();
    ops::answer(&features, &who("person"), &id, Some("yes")).unwrap();
    let answer = asked(&features, "s", &asked_of).unwrap();
    assert_eq!(answer.text, "User response: yes");
}

#[test]
fn no_more_than_a_hundred_questions_wait() {
    let project = project();
    let features = project.features();
    for number in 0..100 {
        ops::ask(&features, &who("s"), Some(&format!("{number}?")), None).unwrap();
    }
    let error = ops::ask(&features, &who("s"), Some("more?"), None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "100 questions wait for an answer already"
    );
    assert!(ops::ask(&features, &who("s"), Some("7?"), None).is_ok());
}

// proves: speckit:report_status:reports_to_the_control_plane
#[test]
fn a_status_is_an_event_that_names_session_agent_feature_and_run() {
    let project = project();
    let features = project.seen("", &[("CHANT_SPEC_ID", "2026-01-22-001-x7m")]);
    let error = StatusReport {
        status: "error",
        prompt: None,
        message: Some("no way"),
        question: None,
    };
    asked(&features, "s", &error).unwrap();
    let event = &project.events()[0];
    for (key, value) in [
        ("event", "status"),
        ("status", "error"),
        ("message", "no way"),
        ("session", "s"),
        ("agent", "agent"),
        ("run", "2026-01-22-001-x7m"),
        ("feature", "specs/060-x"),
    ] {
        assert_eq!(event[key], value, "{key}");
    }
    assert!(event["at"].as_str().unwrap().parse::<Timestamp>().is_ok());
}

#[test]
fn an_event_after_a_torn_line_stands_on_its_own() {
    let project = project();
    let log = events_of(&project);
    fs::write(&log, "{\"event\": \"torn").unwrap();
    let completed = StatusReport {
        status: "completed",
        prompt: None,
        message: None,
        question: None,
    };
    asked(&project.features(), "s", &completed).unwrap();
    assert_eq!(project.events().len(), 1);
    assert!(
        fs::read_to_string(log)
            .unwrap()
            .starts_with("{\"event\": \"torn\n{")
    );
}

#[test]
fn a_question_counts_when_its_event_cannot_be_recorded() {
    let project = project();
    // Where a folder stands, nothing can be added to a file.
    fs::create_dir_all(events_of(&project)).unwrap();
    let features = project.features();
    let first = asked(&features, "s", &report("Which?", None)).unwrap();
    assert!(first.note.as_deref().unwrap().contains("not recorded"));
    let id = open(&features)[0]["id"].as_str().unwrap().to_owned();
    let answered = ops::answer(&features, &who("person"), &id, Some("left")).unwrap();
    assert_eq!(answered.text, format!("Answered question {id}"));
    assert!(answered.note.unwrap().contains("not recorded"));
    let heard = asked(&features, "s", &report("", Some(&id))).unwrap();
    assert_eq!(heard.text, "User response: left");
    let other = ops::ask(&features, &who("s"), Some("And?"), None).unwrap();
    assert!(other.note.unwrap().contains("not recorded"));
}

#[test]
fn what_is_refused_says_what_to_do_next() {
    let project = project();
    let features = project.features();
    let answer = |id: &str, text| ops::answer(&features, &who("person"), id, text);
    let unknown = answer("q-none", Some("a")).unwrap_err();
    assert!(hint(&unknown).contains("speckit questions --all"));
    let id = id_of(&asked(&features, "s", &report("Which?", None)).unwrap());
    answer(&id, None).unwrap();
    let closed = answer(&id, Some("late")).unwrap_err();
    assert!(hint(&closed).contains("speckit questions --all"));
    let cancelled = asked(&features, "s", &report("", Some(&id))).unwrap_err();
    assert_eq!(
        hint(&cancelled),
        "Go on without an answer, or ask something else."
    );
    project.write(".specify/chant-mcp.yml", "checks: [");
    let broken = asked(&features, "s", &report("Else?", None)).unwrap_err();
    assert!(hint(&broken).starts_with("Correct .specify/chant-mcp.yml"));
    let elsewhere = Project::with(&[(".specify/x", "")]);
    let none = ops::tasks(&elsewhere.features(), Some("7")).unwrap_err();
    assert!(hint(&none).contains("`specify` command"));
}
