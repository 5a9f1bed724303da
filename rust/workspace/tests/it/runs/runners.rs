//! Runs from hand-shake to end.

use std::fs;
use std::io::Write;
use std::time::Duration;

use chant_work::WorkError;
use chant_work::cancel_token::CancelToken;
use chant_work::handshake::{StartHandshake, wait_for_handshake};
use chant_work::lock::SpecLock;
use chant_work::runner::ActiveRun;
use chant_work::state::{RunState, StopReason};
use rustix::process::Signal;

use super::{Other, Project, SPEC, Task, is_alive, until};

#[test]
fn a_run_goes_from_its_record_to_its_end() {
    let project = Project::new();
    let record = project.begin();
    let mut runner = Other::running(
        &project,
        &record,
        "echo working; until [ -e go ]; do sleep 0.01; done",
    );
    let now = project.get(&record);
    assert_eq!((now.state(), now.pid), (RunState::Running, runner.pid()));
    assert!(now.adopted_at.is_some() && now.runner().is_alive());
    let agent = now.agent.unwrap();
    assert_eq!(
        (agent.name.as_str(), agent.argv[0].as_str()),
        ("script", "sh")
    );
    assert!(is_alive(agent.pid.unwrap()));
    assert!(matches!(
        SpecLock::acquire(&project.runs, SPEC),
        Err(WorkError::Held { .. })
    ));
    fs::write(project.path("go"), "").unwrap();
    runner.ends();
    let end = project.get(&record);
    assert_eq!((end.state(), end.exit_code), (RunState::Completed, Some(0)));
    assert!(end.completed_at.is_some());
    assert!(project.log().contains("out working"));
    drop(SpecLock::acquire(&project.runs, SPEC).unwrap());
}

#[test]
fn an_agent_that_fails_ends_its_run_with_its_last_words() {
    let project = Project::new();
    let record = project.begin();
    Other::running(&project, &record, "echo no model >&2; exit 4").ends();
    let end = project.get(&record);
    assert_eq!((end.state(), end.exit_code), (RunState::Failed, Some(4)));
    assert_eq!(
        end.reason.unwrap(),
        "The agent ended with exit code 4; its last words:\nno model"
    );
}

#[test]
fn a_run_that_cannot_begin_says_why_and_frees_the_spec() {
    let project = Project::new();
    let record = project.begin();
    let task = Task {
        refusal: "The worktree\nis not clean.",
        ..Task::run(&record, "exit 0")
    };
    let mut runner = Other::start(&project, task);
    assert_eq!(
        runner.handshake().unwrap_err(),
        "The worktree is not clean."
    );
    runner.ends();
    let end = project.get(&record);
    assert_eq!((end.state(), end.branch), (RunState::Failed, None));
    assert!(end.agent.is_none() && project.log().is_empty());
    assert_eq!(project.begin().attempt, 2);
}

#[test]
fn a_runner_that_dies_without_a_word_is_told_with_its_complaint() {
    let project = Project::new();
    let record = project.begin();
    let task = Task {
        moment: "after-branch",
        ..Task::run(&record, "exit 0")
    };
    let runner = Other::start(&project, task);
    let why = runner.handshake().unwrap_err();
    assert!(
        why.starts_with("The runner ended before the run was under way"),
        "{why}"
    );
    assert_eq!(project.get(&record).state(), RunState::Running);
}

#[test]
fn a_step_that_takes_longer_than_a_runner_may_be_silent_is_heard_again() {
    let (reads, writes) = std::io::pipe().unwrap();
    let start = StartHandshake::over(writes);
    let bound = Duration::from_secs(1);
    let listener = std::thread::spawn(move || {
        let mut heard = Vec::new();
        let started =
            wait_for_handshake(&reads, bound, None, &mut |step| heard.push(step.to_owned()));
        (started, heard)
    });
    let step = start.repeat("Setting up (node)", Duration::from_millis(20));
    let (_held, never) = std::sync::mpsc::channel::<()>();
    let _ = never.recv_timeout(bound + bound / 2);
    drop(step);
    start.ok();
    let (started, heard) = listener.join().unwrap();
    assert_eq!(started, Ok(()));
    assert_eq!(heard.first().unwrap(), "Setting up (node): 0 s");
    assert_eq!(heard.last().unwrap(), "Setting up (node): 1 s");
}

#[test]
fn a_handshake_is_one_line_or_a_failure() {
    let project = Project::new();
    let errors = project.path("errors");
    let bound = Duration::from_millis(50);
    let wait = |told: &[u8], stays: bool| {
        let (reads, mut writes) = std::io::pipe().unwrap();
        writes.write_all(told).unwrap();
        let _open = stays.then_some(writes);
        wait_for_handshake(&reads, bound, Some(&errors), &mut |_| {})
    };
    assert_eq!(wait(b"ok\n", true), Ok(()));
    assert_eq!(
        wait(b"Spec is locked\n", false),
        Err("Spec is locked".into())
    );
    let ended = "The runner ended before the run was under way";
    assert_eq!(wait(b"ok", false), Err(ended.into()));
    assert_eq!(
        wait(b"", true),
        Err("The runner said nothing for 0.05 s".into())
    );
    fs::write(&errors, "No module named chant_mcp\n").unwrap();
    let told = format!("{ended}; it complained: No module named chant_mcp");
    assert_eq!(wait(b"", false), Err(told));
    let (reads, writes) = std::io::pipe().unwrap();
    StartHandshake::over(writes).refuse(&"é".repeat(9000));
    assert!(
        wait_for_handshake(&reads, bound, None, &mut |_| {})
            .unwrap_err()
            .starts_with("éé")
    );
    let (reads, writes) = std::io::pipe().unwrap();
    drop(reads);
    StartHandshake::over(writes).ok();
}

#[test]
fn a_runner_whose_spec_is_locked_says_by_whom_and_its_run_has_failed() {
    let project = Project::new();
    let record = project.begin();
    let lock = SpecLock::acquire(&project.runs, SPEC).unwrap();
    let runner = Other::start(&project, Task::run(&record, "exit 0"));
    let why = runner.handshake().unwrap_err();
    let holder = format!("is locked by process {}", std::process::id());
    assert!(why.contains(&holder), "{why}");
    let end = project.get(&record);
    assert_eq!((end.state(), end.reason), (RunState::Failed, Some(why)));
    drop(lock);
}

#[test]
fn a_runner_that_is_told_to_end_by_a_signal_alone_fails_in_good_order() {
    for signal in [Signal::TERM, Signal::INT] {
        let project = Project::new();
        let record = project.begin();
        let mut runner = Other::running(&project, &record, "sleep 300 & echo $! >child; wait");
        let child = project.number("child");
        runner.signal(signal);
        runner.ends();
        let end = project.get(&record);
        assert_eq!(end.state(), RunState::Failed);
        assert_eq!(end.reason.unwrap(), "The runner was asked to end");
        assert!(!is_alive(child));
    }
}

#[test]
fn a_record_that_ended_or_is_to_be_stopped_is_not_adopted() {
    let project = Project::new();
    let record = project.begin();
    let ask = |record: &mut chant_work::run_record::RunRecord| {
        record.stop_requested = Some(StopReason::Cancel);
        Ok(())
    };
    project.runs.update(&record.process_id, ask).unwrap();
    let runner = Other::start(&project, Task::run(&record, "exit 0"));
    let why = runner.handshake().unwrap_err();
    assert_eq!(
        why,
        format!("Run '{}' was stopped before it began", record.process_id)
    );
    let now = project.get(&record);
    assert_eq!((now.state(), now.adopted_at), (RunState::Running, None));
}

#[test]
fn a_run_above_other_runs_takes_no_spec() {
    let project = Project::new();
    let mut draft = project.draft();
    draft.mode = "chain".into();
    let above = project.runs.create_run(draft).unwrap();
    assert_eq!((above.token, project.runs.token(SPEC).unwrap()), (0, None));
    let interruption = CancelToken::new().unwrap();
    let run = ActiveRun::adopt(&project.runs, &above.process_id, &interruption).unwrap();
    assert!(run.lock().is_none());
    let mut below = project.draft();
    below.parent = Some(above.process_id.clone());
    assert_eq!(project.runs.create_run(below).unwrap().token, 1);
}

#[test]
fn a_run_whose_starter_is_gone_goes_on() {
    let project = Project::new();
    let record = project.begin();
    let mut runner = Other::start(&project, Task::run(&record, "echo done"));
    // No one listens to the hand-shake any more.
    let (unused, _) = std::io::pipe().unwrap();
    drop(std::mem::replace(&mut runner.pipe, unused));
    runner.ends();
    let state = project.get(&record).state();
    // Closed before the runner opened its end, or after.
    assert!(
        [RunState::Completed, RunState::Running].contains(&state),
        "{state}"
    );
    until(|| !is_alive(runner.pid()));
}
