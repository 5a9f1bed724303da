//! Runs stopped from outside.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use chant_work::WorkError;
use chant_work::lock::SpecLock;
use chant_work::process::ProcessIdentity;
use chant_work::run_record::RunRecord;
use chant_work::state::{RunEvent, RunState, StopReason};
use chant_work::stop::{GRACE, RunnerFate, stop};
use rustix::process::Signal;

use super::{Other, Project, SPEC, Task, is_alive, until};

/// An agent that does not listen, with a child outside its group.
const DEAF: &str =
    "trap '' TERM; setsid sleep 300 & echo $! >far; echo $$ >agent; while :; do sleep 1; done";

#[test]
fn a_paused_run_stays_paused_whatever_its_agent_does() {
    let project = Project::new();
    let record = project.begin();
    let mut runner = Other::running(&project, &record, DEAF);
    let [agent, far] = ["agent", "far"].map(|file| project.number(file));
    let stopped = stop(&project.runs, &record.process_id, StopReason::Pause, GRACE).unwrap();
    assert_eq!((stopped.runner, stopped.ended), (RunnerFate::Ended, 0));
    assert!(!is_alive(agent) && !is_alive(far) && !is_alive(runner.pid()));
    assert_eq!(stopped.record.state(), RunState::Running);
    let error = SpecLock::acquire(&project.runs, SPEC).unwrap_err();
    assert!(matches!(error, WorkError::Held { .. }), "{error}");
    stopped
        .end(&project.runs, Some("Paused by hand".into()))
        .unwrap();
    runner.ends();
    let end = project.get(&record);
    assert_eq!(
        (end.state(), end.stop_requested),
        (RunState::Paused, Some(StopReason::Pause))
    );
    assert_eq!(end.reason.as_deref(), Some("Paused by hand"));
    drop(SpecLock::acquire(&project.runs, SPEC).unwrap());
    let error = stop(&project.runs, &record.process_id, StopReason::Cancel, GRACE).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "Run '{}' is not running but paused; nothing was changed",
            record.process_id
        )
    );
    assert_eq!(project.begin().attempt, 2);
}

#[test]
fn a_runner_that_does_not_listen_is_killed_and_its_agent_ended() {
    let project = Project::new();
    let record = project.begin();
    // Nothing but its parent tells of the orphan, and that only as long as the runner lives.
    let script = format!("(env -i setsid sleep 300 & echo $! >orphan); {DEAF}");
    let mut runner = Other::running(&project, &record, &script);
    let [agent, far, orphan] = ["agent", "far", "orphan"].map(|file| project.number(file));
    runner.signal(Signal::STOP);
    let hold = std::thread::spawn({
        let pid = rustix::process::Pid::from_child(&runner.child);
        move || {
            // Who is halted goes on at SIGCONT; halted again and again it never ends in order.
            while rustix::process::kill_process(pid, Signal::STOP).is_ok()
                && is_alive(pid.as_raw_nonzero().get().cast_unsigned())
            {
                std::thread::yield_now();
            }
        }
    });
    let grace = Duration::from_millis(100);
    let stopped = stop(
        &project.runs,
        &record.process_id,
        StopReason::TakeOver,
        grace,
    )
    .unwrap();
    hold.join().unwrap();
    assert_eq!(stopped.runner, RunnerFate::Killed);
    assert!(!is_alive(agent) && !is_alive(far) && !is_alive(orphan));
    let end = stopped.end(&project.runs, None).unwrap();
    assert_eq!(end.state(), RunState::TakenOver);
    runner.ends();
}

#[test]
fn the_agent_of_a_runner_that_is_gone_is_ended() {
    let project = Project::new();
    let record = project.begin();
    let mut runner = Other::running(&project, &record, DEAF);
    let [agent, far] = ["agent", "far"].map(|file| project.number(file));
    runner.signal(Signal::KILL);
    runner.ends();
    assert!(is_alive(agent) && is_alive(far));
    let stopped = stop(&project.runs, &record.process_id, StopReason::Cancel, GRACE).unwrap();
    assert_eq!(stopped.runner, RunnerFate::Gone);
    assert!(stopped.ended >= 2, "{}", stopped.ended);
    assert!(!is_alive(agent) && !is_alive(far));
    assert_eq!(
        stopped.end(&project.runs, None).unwrap().state(),
        RunState::Cancelled
    );
}

#[test]
fn a_stranger_with_the_number_of_a_runner_or_agent_is_not_signalled() {
    let project = Project::new();
    let mut stranger = Command::new("sleep")
        .arg("300")
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    let record = project.begin();
    let now = ProcessIdentity::of(stranger.id());
    let claim = |record: &mut RunRecord| {
        record.pid = stranger.id();
        record.pid_start = Some("12345".into());
        record.adopted_at = Some("2026-02-02T10:00:00.000Z".into());
        record.agent = Some(chant_work::run_record::AgentEntry {
            pid: Some(stranger.id()),
            pid_start: Some("12345".into()),
            ..Default::default()
        });
        Ok(())
    };
    project.runs.update(&record.process_id, claim).unwrap();
    let stopped = stop(&project.runs, &record.process_id, StopReason::Pause, GRACE).unwrap();
    assert_eq!((stopped.runner, stopped.ended), (RunnerFate::Gone, 0));
    assert!(now.is_proven());
    stopped.end(&project.runs, None).unwrap();
    stranger.kill().unwrap();
    stranger.wait().unwrap();
}

#[test]
fn who_is_only_starting_a_run_is_not_signalled() {
    let project = Project::new();
    let record = project.begin();
    let stopped = stop(&project.runs, &record.process_id, StopReason::Pause, GRACE).unwrap();
    assert_eq!(stopped.runner, RunnerFate::Gone);
    stopped.end(&project.runs, None).unwrap();
    let runner = Other::start(&project, Task::run(&record, "exit 0"));
    assert!(
        runner
            .handshake()
            .unwrap_err()
            .contains("is not running but paused")
    );
}

#[test]
fn a_runner_that_is_told_to_stop_writes_no_other_end() {
    for (script, merged) in [("exit 1", false), ("exit 0", true)] {
        let project = Project::new();
        let record = project.begin();
        let task = Task {
            moment: "+before-end-record",
            ..Task::run(&record, script)
        };
        let mut runner = Other::start(&project, task);
        runner.handshake().unwrap();
        until(|| project.path("reached").exists());
        let stops = std::thread::spawn({
            let (runs, id) = (project.runs.clone(), record.process_id.clone());
            move || stop(&runs, &id, StopReason::Pause, GRACE).unwrap()
        });
        until(|| project.get(&record).stop_requested.is_some());
        fs::write(project.path("go"), "").unwrap();
        let stopped = stops.join().unwrap();
        runner.ends();
        assert_eq!(project.read("ended"), "running");
        // What was merged meanwhile is done, whatever was asked for.
        let end = stopped.end(&project.runs, None).unwrap().state();
        assert_eq!(
            end,
            if merged {
                RunState::Completed
            } else {
                RunState::Paused
            }
        );
    }
}

#[test]
fn a_start_without_a_handshake_is_given_up_and_has_failed() {
    let project = Project::new();
    let record = project.begin();
    let task = Task {
        moment: "+before-handshake",
        ..Task::run(&record, "exec sleep 300")
    };
    let mut runner = Other::start(&project, task);
    until(|| project.path("reached").exists());
    let agent = project.get(&record).agent.unwrap().pid.unwrap();
    let grace = Duration::from_millis(50);
    let stopped = stop(&project.runs, &record.process_id, StopReason::Cancel, grace).unwrap();
    let end = stopped
        .fail(&project.runs, "It said nothing".into())
        .unwrap();
    assert_eq!(
        (end.state(), end.reason.as_deref()),
        (RunState::Failed, Some("It said nothing"))
    );
    assert!(!is_alive(agent));
    runner.ends();
}

#[test]
fn a_stop_that_died_midway_is_done_again() {
    let project = Project::new();
    let record = project.begin();
    let mut runner = Other::running(&project, &record, DEAF);
    let ask = |record: &mut RunRecord| {
        record.stop_requested = Some(StopReason::Pause);
        Ok(())
    };
    project.runs.update(&record.process_id, ask).unwrap();
    let stopped = stop(&project.runs, &record.process_id, StopReason::Pause, GRACE).unwrap();
    assert_eq!(
        stopped.end(&project.runs, None).unwrap().state(),
        RunState::Paused
    );
    runner.ends();
}

#[test]
fn a_stop_that_a_recovery_completed_is_no_failure() {
    let project = Project::new();
    let record = project.begin();
    let mut runner = Other::running(&project, &record, DEAF);
    let stopped = stop(&project.runs, &record.process_id, StopReason::Pause, GRACE).unwrap();
    // Recovery takes a dead runner for what its record says it was to be: stopped.
    let end = |record: &mut RunRecord| {
        let now = (project.runs.clock)();
        Ok(record.change(
            RunEvent::Stop(StopReason::Pause),
            Some("Found dead".into()),
            now,
        )?)
    };
    project.runs.update(&record.process_id, end).unwrap();
    let ended = stopped.end(&project.runs, None).unwrap();
    assert_eq!(
        (ended.state(), ended.reason.as_deref()),
        (RunState::Paused, Some("Found dead"))
    );
    runner.ends();
}
