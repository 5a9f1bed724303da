//! Records of runs: started once, changed by compare-and-swap, kept for a while.

use std::fs;
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, SystemTime};

use chant_store::StoreError;
use chant_store::disk::{self, Disk};
use chant_work::WorkError;
use chant_work::log_retention::LogRetention;
use chant_work::process::ProcessIdentity;
use chant_work::run_record::{self, RunRecord, RunStatus, SINGLE};
use chant_work::run_view;
use chant_work::state::{RunEvent, RunState, StopReason};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::{Project, SPEC, runs_of};

/// A process that has been dead for long.
fn dead() -> ProcessIdentity {
    ProcessIdentity {
        pid: 1,
        pid_start: Some("1".into()),
        boot_id: Some("an earlier start of the machine".into()),
    }
}

/// A record as if its run had ended some days ago.
fn ended(spec_id: &str, token: u64, event: RunEvent, days: i64) -> RunRecord {
    let at = Timestamp::now() - SignedDuration::from_hours(24 * days);
    let mut record = RunRecord::new(spec_id, SINGLE, dead(), at);
    record.token = token;
    record.process_id = format!("{spec_id}-{token}");
    record.change(event, None, at).unwrap();
    record
}

fn put(project: &Project, record: &RunRecord) {
    project.put(&record.process_id, &record.text());
}

#[test]
fn a_record_has_the_keys_of_the_design_and_keeps_others() {
    let project = Project::new();
    let record = project.begin();
    let path = project.record_file(&record.process_id);
    let mut value: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let keys: Vec<&str> = value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    insta::assert_snapshot!(keys.join(" "), @"schema process_id spec_id parent pid pid_start boot_id status end_state reason exit_code mode attempt generation token started_at updated_at completed_at adopted_at stop_requested agent branch base worktree log target criteria_at_start checks commits merge asked settled_at");
    value["of_tomorrow"] = json!({"deep": [1]});
    value["merge"]["queue"] = json!(3);
    fs::write(&path, value.to_string()).unwrap();
    let now = project
        .runs
        .update(&record.process_id, |record| {
            record.branch = Some("chant/x".into());
            Ok(())
        })
        .unwrap();
    assert_eq!(now.generation, 2);
    let value: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(value["of_tomorrow"], json!({"deep": [1]}));
    assert_eq!(value["merge"]["queue"], json!(3));
    assert_eq!(value["branch"], json!("chant/x"));
    assert_eq!(value["generation"], json!(2));
}

#[test]
fn of_many_who_begin_a_run_of_one_spec_one_does() {
    let project = Project::new();
    let barrier = Arc::new(Barrier::new(8));
    let tries: Vec<_> = (0..8)
        .map(|_| {
            let (runs, draft, barrier) =
                (project.runs.clone(), project.draft(), Arc::clone(&barrier));
            thread::spawn(move || {
                barrier.wait();
                runs.create_run(draft)
            })
        })
        .collect();
    let outcomes: Vec<_> = tries.into_iter().map(|t| t.join().unwrap()).collect();
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
    for error in outcomes.into_iter().filter_map(Result::err) {
        let is_refused = matches!(error, WorkError::Running { .. } | WorkError::Held { .. });
        assert!(is_refused, "{error}");
    }
    assert_eq!(project.runs.token(SPEC).unwrap(), Some(1));
    assert_eq!(project.runs.all().unwrap().0.len(), 1);
}

#[test]
fn of_many_who_change_a_record_none_is_lost() {
    let project = Project::new();
    let id = project.begin().process_id;
    let adds: Vec<_> = (0..6)
        .map(|thread| {
            let (runs, id) = (project.runs.clone(), id.clone());
            thread::spawn(move || {
                for number in 0..10 {
                    runs.update(&id, |record| {
                        record.commits.push(format!("{thread}-{number}"));
                        Ok(())
                    })
                    .unwrap();
                }
            })
        })
        .collect();
    for add in adds {
        add.join().unwrap();
    }
    let record = project.runs.get(&id).unwrap();
    assert_eq!((record.commits.len(), record.generation), (60, 61));
}

#[test]
fn who_decided_on_an_old_record_is_refused_and_reads_again() {
    let project = Project::new();
    let mut mine = project.begin();
    project
        .runs
        .update(&mine.process_id, |record| {
            record.stop_requested = Some(StopReason::Pause);
            Ok(())
        })
        .unwrap();
    mine.branch = Some("chant/mine".into());
    let error = project.runs.swap(&mine).unwrap_err();
    assert!(matches!(error, WorkError::Changed { .. }), "{error}");
    let mut fresh = project.get(&mine);
    assert_eq!(
        (fresh.branch.as_deref(), fresh.stop_requested),
        (None, Some(StopReason::Pause))
    );
    fresh.branch = Some("chant/mine".into());
    assert_eq!(project.runs.swap(&fresh).unwrap().generation, 3);
}

#[test]
fn a_change_that_changes_nothing_writes_nothing() {
    let project = Project::new();
    let record = project.begin();
    let same = project.runs.update(&record.process_id, |_| Ok(())).unwrap();
    assert_eq!(same, record);
}

#[test]
fn tokens_grow_and_attempts_count_runs_of_the_same_work() {
    let project = Project::new();
    let ends = [
        (RunEvent::Fail, 1, 1),
        (RunEvent::Stop(StopReason::Pause), 2, 2),
        (RunEvent::Merge, 3, 3),
        // What is closed begins again.
        (RunEvent::Fail, 4, 1),
    ];
    for (event, token, attempt) in ends {
        let record = project.begin();
        assert_eq!((record.token, record.attempt), (token, attempt));
        let end = |record: &mut RunRecord| Ok(record.change(event, None, Timestamp::now())?);
        project.runs.update(&record.process_id, end).unwrap();
    }
    assert_eq!(project.runs.newest_of(SPEC).unwrap().unwrap().token, 4);
    assert_eq!(project.runs.token(SPEC).unwrap(), Some(4));
    assert_eq!(project.runs.token("another").unwrap(), None);
    assert!(!project.path(".chant-mcp").exists());
}

#[test]
fn nothing_begins_beside_work_that_waits_or_a_death_that_was_not_looked_after() {
    let project = Project::new();
    put(&project, &ended(SPEC, 1, RunEvent::Wait, 0));
    let error = project.runs.create_run(project.draft()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Run '2026-02-02-001-abc-1' of spec '2026-02-02-001-abc' is awaiting_merge; nothing was started. Finish that run first"
    );
    let mut dead = RunRecord::new(SPEC, SINGLE, dead(), Timestamp::now());
    dead.token = 2;
    put(&project, &dead);
    let error = project.runs.create_run(project.draft()).unwrap_err();
    assert!(matches!(error, WorkError::Unrecovered { .. }), "{error}");
    assert_eq!(project.runs.token(SPEC).unwrap(), None);
}

#[test]
fn a_crash_after_the_token_leaves_a_gap_and_nothing_else() {
    let project = Project::new();
    let disk = Disk {
        reached: Arc::new(|_| Err(std::io::Error::other("a crash"))),
        ..Disk::default()
    };
    let error = runs_of(&project.root, disk)
        .create_run(project.draft())
        .unwrap_err();
    assert!(matches!(
        error,
        WorkError::Store(StoreError::Stopped {
            moment: "after-token",
            ..
        })
    ));
    assert!(project.runs.all().unwrap().0.is_empty());
    assert_eq!(project.begin().token, 2);
}

#[test]
fn an_illegal_change_leaves_the_record_as_it_was() {
    let mut record = ended(SPEC, 1, RunEvent::Merge, 0);
    let before = record.clone();
    record
        .change(RunEvent::Fail, Some("no".into()), Timestamp::now())
        .unwrap_err();
    assert_eq!(record, before);
    assert_eq!(record.state(), RunState::Completed);
}

#[test]
fn the_word_of_the_seed_follows_from_the_end() {
    let text = |event| {
        let value: Value = serde_json::from_str(&ended(SPEC, 1, event, 0).text()).unwrap();
        format!("{} {}", value["status"], value["end_state"])
    };
    assert_eq!(text(RunEvent::Merge), r#""completed" "completed""#);
    assert_eq!(text(RunEvent::Wait), r#""failed" "awaiting_merge""#);
    assert_eq!(
        text(RunEvent::Stop(StopReason::TakeOver)),
        r#""failed" "taken_over""#
    );
}

#[test]
#[expect(clippy::large_stack_arrays, reason = "a few records of a test")]
fn old_records_go_but_not_those_whose_work_waits() {
    let project = Project::new();
    for record in [
        ended("a", 1, RunEvent::Fail, 8),
        ended("b", 1, RunEvent::Fail, 6),
        ended("c", 1, RunEvent::Stop(StopReason::Pause), 30),
        ended("d", 1, RunEvent::Stop(StopReason::Pause), 30),
        ended("d", 2, RunEvent::Merge, 1),
        ended("e", 1, RunEvent::Wait, 30),
        RunRecord::new(
            "f",
            SINGLE,
            dead(),
            Timestamp::now() - SignedDuration::from_hours(2400),
        ),
    ] {
        put(&project, &record);
    }
    let history = project.path(".chant/processes/old-1.json");
    fs::create_dir_all(history.parent().unwrap()).unwrap();
    fs::write(&history, r#"{"spec_id":"old","pid":1}"#).unwrap();
    let (records, _) = project.runs.all().unwrap();
    assert_eq!(project.runs.prune(&records).unwrap(), 2);
    let kept: Vec<String> = project
        .runs
        .all()
        .unwrap()
        .0
        .into_iter()
        .map(|r| r.process_id)
        .collect();
    assert_eq!(
        kept,
        ["b-1", "c-1", "d-2", "e-1", &format!("f-{}", dead().pid)]
    );
    assert!(history.exists());
}

#[test]
fn of_records_that_ended_the_newest_two_hundred_stay() {
    let project = Project::new();
    for number in 0..205 {
        let mut record = ended(SPEC, number, RunEvent::Fail, 0);
        let at = Timestamp::now() - SignedDuration::from_mins(i64::try_from(number).unwrap());
        record.completed_at = Some(run_record::stamp(at));
        put(&project, &record);
    }
    let (records, _) = project.runs.all().unwrap();
    assert_eq!(project.runs.prune(&records).unwrap(), 5);
    assert!(!project.record_file(&format!("{SPEC}-204")).exists());
    assert!(project.record_file(&format!("{SPEC}-199")).exists());
}

#[test]
fn of_records_that_are_large_together_the_newest_stay() {
    let project = Project::new();
    for number in 0..6 {
        let mut record = ended(SPEC, number, RunEvent::Fail, 0);
        let at = Timestamp::now() - SignedDuration::from_mins(i64::try_from(number).unwrap());
        record.completed_at = Some(run_record::stamp(at));
        record.last_words = Some("word ".repeat(3 * 1024 * 1024));
        put(&project, &record);
    }
    let (records, _) = project.runs.all().unwrap();
    assert_eq!(records.len(), 6);
    assert_eq!(project.runs.prune(&records).unwrap(), 2);
    assert!(!project.record_file(&format!("{SPEC}-4")).exists());
    assert!(project.record_file(&format!("{SPEC}-3")).exists());
}

#[test]
fn of_logs_that_are_large_together_those_written_last_stay_and_those_in_use() {
    let project = Project::new();
    let write = |spec: &str, size: usize, age: u64| {
        let text = "a".repeat(size);
        let log = project.runs.ensure_log(spec).unwrap();
        let copy = project.path(&format!(".chant/logs/{spec}.log"));
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        for path in [&log, &copy] {
            fs::write(path, &text).unwrap();
            let at = SystemTime::now() - Duration::from_secs(age * 60);
            fs::File::open(path).unwrap().set_modified(at).unwrap();
        }
        (log, copy)
    };
    put(&project, &ended("waits", 1, RunEvent::Wait, 0));
    let (waits, _) = write("waits", 600, 90);
    let (old, copy_of_old) = write("old", 300, 60);
    let (other, copy_of_other) = write("other", 300, 50);
    let (new, _) = write("new", 300, 1);
    fs::write(&copy_of_other, "mine").unwrap();
    let (records, _) = project.runs.all().unwrap();
    let prune = |bytes, count| {
        let retention = LogRetention { bytes, count };
        project.runs.prune_logs(&records, retention).unwrap()
    };
    assert_eq!(prune(1500, 10), 0);
    assert_eq!(prune(1200, 10), 1);
    assert!(!old.exists() && !copy_of_old.exists() && other.exists());
    assert_eq!(prune(1_000_000, 2), 1);
    assert!(!other.exists() && copy_of_other.exists());
    assert_eq!(prune(0, 0), 1);
    assert!(!new.exists() && waits.exists());
}

#[test]
fn records_of_others_are_told_and_never_changed() {
    let project = Project::new();
    let folder = project.path(".chant/processes");
    fs::create_dir_all(&folder).unwrap();
    let old = r#"{"process_id":"x-7","spec_id":"x","pid":7,"started_at":"2026-01-01T00:00:00+01:00","mode":"single","started":true}"#;
    for (name, text) in [
        ("x-7", old),
        ("later", r#"{"schema":2,"spec_id":"x","status":"running"}"#),
        ("torn", "{"),
    ] {
        fs::write(folder.join(format!("{name}.json")), text).unwrap();
    }
    let (told, broken) = run_view::all(&project.runs).unwrap();
    let seen: Vec<_> = told
        .iter()
        .map(|run| (&*run.process_id, run.is_stale, run.status))
        .collect();
    assert_eq!(
        seen,
        [
            ("later", true, RunStatus::Failed),
            ("x-7", true, RunStatus::Failed)
        ]
    );
    assert_eq!(broken.len(), 1);
    assert!(project.runs.all().unwrap().0.is_empty());
    let error = project.runs.update("x-7", |_| Ok(())).unwrap_err();
    assert!(
        matches!(error, WorkError::Store(StoreError::Missing { .. })),
        "{error}"
    );
    project.put("x-7", old);
    let error = project
        .runs
        .update("x-7", |_| Ok(()))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("it is of another program or release"),
        "{error}"
    );
    assert_eq!(fs::read_to_string(folder.join("x-7.json")).unwrap(), old);
}

#[test]
fn a_process_counts_as_the_one_meant_only_with_its_start_and_its_machine() {
    let own = ProcessIdentity::own();
    assert!(own.is_alive());
    let another_start = ProcessIdentity {
        pid_start: Some("1".into()),
        ..own.clone()
    };
    let another_boot = ProcessIdentity {
        boot_id: Some("another".into()),
        ..own.clone()
    };
    let no_start = ProcessIdentity {
        pid_start: None,
        ..own
    };
    for stranger in [another_start, another_boot, no_start] {
        assert!(!stranger.is_proven(), "{stranger:?}");
    }
}

#[test]
fn names_that_would_leave_the_folder_are_refused() {
    let project = Project::new();
    for name in ["../x", "a/b", "", ".x", "a\\b"] {
        let error = project.runs.get(name).unwrap_err();
        assert!(matches!(error, WorkError::Name { .. }), "{name}: {error}");
    }
}

#[test]
fn a_second_runner_with_the_number_of_an_earlier_one_gets_another_name() {
    let project = Project::new();
    let first = project.begin();
    let end = |record: &mut RunRecord| Ok(record.change(RunEvent::Fail, None, Timestamp::now())?);
    project.runs.update(&first.process_id, end).unwrap();
    let second = project.begin();
    assert_eq!(second.process_id, format!("{}-2", first.process_id));
    assert_eq!(project.get(&second), second);
}

#[test]
fn a_token_that_is_no_number_is_named() {
    let project = Project::new();
    let state = &project.runs.state;
    let folder = state.ensure(&state.in_project("tokens")).unwrap();
    disk::create_owned(&folder.join(SPEC), "many\n").unwrap();
    let error = project
        .runs
        .create_run(project.draft())
        .unwrap_err()
        .to_string();
    assert!(error.contains("it should hold one number"), "{error}");
}
