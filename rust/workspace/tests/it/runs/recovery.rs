//! What a crash left, put right.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use chant_work::cancel_token::CancelToken;
use chant_work::lock::SpecLock;
use chant_work::process::ProcessIdentity;
use chant_work::recovery::recover;
use chant_work::run_record::{MergeState, RunRecord, SINGLE, UNCERTAIN_END};
use chant_work::state::{RunEvent, RunState, StopReason};
use chant_work::watch::WatchAlarm;
use jiff::{SignedDuration, Timestamp};
use rustix::process::Signal;

use super::{Other, Project, SPEC, Task, is_alive};

/// Nothing is found any more, and nothing of the run is left but its record.
#[track_caller]
fn is_clean(project: &Project) {
    let again = recover(&project.runs).unwrap();
    assert!(again.found.is_empty() && again.problems.is_empty());
    assert_eq!((again.removed, again.pruned), (0, 0));
    assert!(!project.lock_file().exists());
}

#[test]
fn a_runner_killed_at_any_moment_is_found_and_its_agent_ended() {
    let moments = [
        ("after-lock", "before anything was made for it"),
        ("after-branch", "after its branch was made"),
        ("before-handshake", "after its agent was started"),
        ("after-agent-exit", "after its agent was started"),
        ("before-end-record", "after its work was merged"),
    ];
    for (moment, words) in moments {
        let project = Project::new();
        let record = project.begin();
        let task = Task {
            moment,
            ..Task::run(&record, "echo $$ >agent; [ -e quick ] || sleep 300")
        };
        if ["after-agent-exit", "before-end-record"].contains(&moment) {
            fs::write(project.path("quick"), "").unwrap();
        }
        let mut runner = Other::start(&project, task);
        runner.ends();
        let recovered = recover(&project.runs).unwrap();
        assert_eq!(recovered.problems, Vec::<String>::new());
        assert_eq!(recovered.found.len(), 1, "{moment}");
        let found = &recovered.found[0];
        assert_eq!(found.record.state(), RunState::Lost);
        // Nothing keeps an agent that is not confined together with what it started, once its runner is gone.
        let uncertain = match moment {
            "before-handshake" => format!("; {UNCERTAIN_END}"),
            _ => String::new(),
        };
        let reason = format!("The runner (PID {}) died {words}{uncertain}", runner.pid());
        assert_eq!(found.record.reason.as_ref(), Some(&reason), "{moment}");
        assert!(SpecLock::acquire(&project.runs, SPEC).is_err());
        if moment == "before-handshake" {
            assert!(!is_alive(found.record.agent.as_ref().unwrap().pid.unwrap()));
            assert!(found.ended >= 1);
        }
        drop(recovered);
        is_clean(&project);
        assert_eq!(recover(&project.runs).unwrap().lost.len(), 1);
        assert_eq!(project.begin().attempt, 2);
        assert!(recover(&project.runs).unwrap().lost.is_empty());
    }
}

#[test]
fn a_living_run_and_a_spec_that_somebody_holds_are_left_alone() {
    let project = Project::new();
    let record = project.begin();
    let runner = Other::running(&project, &record, "exec sleep 300");
    let recovered = recover(&project.runs).unwrap();
    assert!(recovered.found.is_empty() && recovered.lost.is_empty());
    assert_eq!(recovered.removed, 0);
    assert!(is_alive(runner.pid()) && project.lock_file().exists());

    let project = Project::new();
    let record = project.begin();
    let forget = |record: &mut RunRecord| {
        record.pid_start = Some("1".into());
        Ok(())
    };
    project.runs.update(&record.process_id, forget).unwrap();
    let lock = SpecLock::acquire(&project.runs, SPEC).unwrap();
    assert!(recover(&project.runs).unwrap().found.is_empty());
    drop(lock);
    assert_eq!(recover(&project.runs).unwrap().found.len(), 1);
}

#[test]
fn a_run_that_was_to_be_stopped_is_stopped_and_not_lost_unless_it_was_merged() {
    for (merge, state) in [
        (MergeState::None, RunState::Paused),
        (MergeState::Merged, RunState::Lost),
    ] {
        let project = Project::new();
        let record = project.begin();
        let mut runner = Other::running(&project, &record, "exec sleep 300");
        runner.signal(Signal::KILL);
        runner.ends();
        let ask = |record: &mut RunRecord| {
            record.stop_requested = Some(StopReason::Pause);
            record.merge.state = merge;
            Ok(())
        };
        project.runs.update(&record.process_id, ask).unwrap();
        let recovered = recover(&project.runs).unwrap();
        assert_eq!(recovered.found[0].record.state(), state);
        drop(recovered);
        is_clean(&project);
    }
}

#[test]
fn an_agent_whose_start_is_not_in_the_record_yet_is_ended_too() {
    let project = Project::new();
    let record = project.begin();
    let mut runner = Other::running(&project, &record, "exec sleep 300");
    let agent = project.get(&record).agent.unwrap().pid.unwrap();
    runner.signal(Signal::KILL);
    runner.ends();
    let forget = |record: &mut RunRecord| {
        record.agent = None;
        Ok(())
    };
    project.runs.update(&record.process_id, forget).unwrap();
    assert_eq!(recover(&project.runs).unwrap().found[0].ended, 1);
    assert!(!is_alive(agent));
}

#[test]
fn of_two_who_recover_at_once_one_does() {
    let project = Project::new();
    let record = project.begin();
    let mut runner = Other::running(&project, &record, "exec sleep 300");
    runner.signal(Signal::KILL);
    runner.ends();
    let counts: Vec<usize> = std::thread::scope(|scope| {
        let tries = [(); 4].map(|()| scope.spawn(|| recover(&project.runs).unwrap().found.len()));
        tries.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(counts.iter().sum::<usize>(), 1, "{counts:?}");
    assert_eq!(project.get(&record).state(), RunState::Lost);
}

#[test]
fn files_of_dead_processes_go_and_those_of_living_ones_stay() {
    let project = Project::new();
    let locks = project.lock_file().parent().unwrap().to_owned();
    let own = ProcessIdentity::own();
    let start = own.pid_start.unwrap();
    for (name, text) in [
        (
            "dead.lock",
            "4194304 77\n2026-02-02T10:00:00.000Z\n".to_owned(),
        ),
        ("reused.lock", format!("{} 1\n", own.pid)),
        ("living.lock", format!("{} {start}\n", own.pid)),
        ("notes.txt", "4194304".into()),
    ] {
        fs::write(locks.join(name), text).unwrap();
    }
    // What lies in the project is not ours to remove.
    for name in [".chant/.locks/dead.lock", ".chant/pids/dead.pid"] {
        let path = project.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "4194304 77\n").unwrap();
    }
    assert_eq!(recover(&project.runs).unwrap().removed, 2);
    let left = |folder: &Path| {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(left(&locks), ["living.lock", "notes.txt"]);
    assert_eq!(left(&project.path(".chant/.locks")), ["dead.lock"]);
    assert_eq!(left(&project.path(".chant/pids")), ["dead.pid"]);
}

#[test]
fn a_record_that_cannot_be_read_stands_in_no_others_way() {
    let project = Project::new();
    let record = project.begin();
    let forget = |record: &mut RunRecord| {
        record.pid_start = Some("1".into());
        Ok(())
    };
    project.runs.update(&record.process_id, forget).unwrap();
    project.put("a-torn", "{\"schema\":1");
    let recovered = recover(&project.runs).unwrap();
    assert_eq!((recovered.found.len(), recovered.broken.len()), (1, 1));
    assert!(
        recovered.broken[0]
            .path
            .ends_with("processes/main/_/a-torn.json")
    );
    // It is out of the way from then on, and a person can look at it.
    assert_eq!(recover(&project.runs).unwrap().broken, []);
    assert!(
        project.runs.set_aside().unwrap()[0]
            .path
            .ends_with("set-aside/a-torn.json")
    );
}

#[test]
fn with_nothing_to_do_it_is_cheap() {
    let project = Project::new();
    for number in 0..200 {
        let at = Timestamp::now() - SignedDuration::from_mins(number);
        let mut record = RunRecord::new(&format!("s{number}"), SINGLE, ProcessIdentity::own(), at);
        record.change(RunEvent::Merge, None, at).unwrap();
        project.put(&record.process_id, &record.text());
    }
    let before = Instant::now();
    let recovered = recover(&project.runs).unwrap();
    assert!(recovered.found.is_empty() && recovered.pruned == 0);
    // Far above what it takes, even unoptimised; a wait or a look at every process would be more.
    assert!(
        before.elapsed() < Duration::from_secs(2),
        "{:?}",
        before.elapsed()
    );
}

#[test]
fn a_watch_hears_of_a_runner_that_died_before_it_listened() {
    let project = Project::new();
    let interruption = CancelToken::new().unwrap();
    let mut dead = project.begin();
    dead.pid_start = Some("1".into());
    let long = Duration::from_secs(30);
    let mut alarm = WatchAlarm::of(&project.runs).unwrap();
    let begun = Instant::now();
    for _ in 0..2 {
        alarm
            .wait(std::slice::from_ref(&dead), &interruption, long)
            .unwrap();
    }
    // At once the first time; then after a moment, since it could not be put right.
    let moment = Duration::from_secs(2);
    assert!(begun.elapsed() >= moment && begun.elapsed() < long);
}
