//! Agents: started, heard, limited, and ended with all they started.

use std::fs;
use std::sync::Barrier;
use std::time::{Duration, Instant};

use chant_agent_events::EventFormat;
use chant_confine::SandboxLauncher;
use chant_work::WorkError;
use chant_work::agent::{
    self, AgentEnding, AgentInput, AgentJob, AgentObservers, AgentOutcome, AgentProcess,
};
use chant_work::cancel_token::CancelToken;
use chant_work::folder_observer::FolderObserver;
use chant_work::process;

use chant_work::run_log::{LogHeader, LogLimits, RunLog, SecretMask};
use chant_work::run_record::{PlacedEntry, UNCERTAIN_END};
use chant_work::spending::{SpendingLimits, UsageMeter};

use super::output::lines;
use super::{Project, SPEC, is_alive, script, until};

fn start(project: &Project, job: AgentJob) -> Result<AgentProcess, WorkError> {
    let header = LogHeader {
        spec_id: SPEC,
        prompt: &job.prompt,
        withheld: &job.withheld,
    };
    let mask = SecretMask::new(&job.secrets)?;
    let output = RunLog::open(&project.runs, &header, mask, job.limits.room)?;
    agent::start(&project.runs, &project.draft(), job, output)
}

fn run(project: &Project, job: AgentJob) -> AgentOutcome {
    let interruption = CancelToken::new().unwrap();
    start(project, job).unwrap().wait(&interruption).unwrap()
}

/// Runs a script to its end in a project of its own; gives its log, too.
fn of(text: &str) -> (AgentOutcome, Vec<String>) {
    let project = Project::new();
    let ended = run(&project, script(&project.root, text));
    let lines = lines(&project);
    (ended, lines)
}

#[test]
fn both_streams_come_into_the_log_and_the_exit_code_is_told() {
    let (ended, mut lines) = of("echo one; echo two >&2; printf 'no end'; exit 3");
    lines.sort();
    assert_eq!(lines, ["err two", "out no end", "out one"]);
    assert_eq!((ended.exit_code, ended.signal), (Some(3), None));
    assert_eq!((ended.ending, ended.left_behind), (AgentEnding::Itself, 0));
    assert_eq!(ended.tail, ["two"]);
    assert_eq!(
        ended.to_string(),
        "The agent ended with exit code 3; its last words:\ntwo"
    );
    assert!(of("exit 0").0.is_success());
    // Where the machine lacked memory meanwhile, that is said before.
    let killed = of("kill -9 $$").0.to_string();
    assert!(
        killed.ends_with("The agent was ended by signal 9"),
        "{killed}"
    );
}

#[test]
fn the_environment_is_what_is_listed_and_the_folder_the_given_one() {
    let project = Project::new();
    fs::create_dir(project.path("work")).unwrap();
    let mut job = script(&project.root, "pwd; env | cut -d= -f1 | sort");
    job.folder = project.path("work");
    job.environment.push(("CHANT_SPEC_ID".into(), SPEC.into()));
    run(&project, job);
    let folder = format!("out {}", project.path("work").display());
    let set_by_the_shell = ["out OLDPWD", "out PWD", "out SHLVL", "out _"];
    let mut lines = lines(&project);
    lines.retain(|line| !set_by_the_shell.contains(&line.as_str()));
    assert_eq!(
        lines,
        [&folder, "out CHANT_RUN", "out CHANT_SPEC_ID", "out PATH"]
    );
}

#[test]
fn arguments_are_no_shell_text() {
    let project = Project::new();
    let mut job = script(&project.root, "");
    job.argv = ["printf", "%s\\n", "$HOME; `id`", "a b"]
        .map(Into::into)
        .into();
    run(&project, job);
    assert_eq!(lines(&project), ["out $HOME; `id`", "out a b"]);
    // Nothing confines it, and a test takes in no orphans.
    assert!(project.log().contains(UNCERTAIN_END));
}

#[test]
fn input_comes_from_a_text_or_a_file_and_need_not_be_read() {
    let project = Project::new();
    let text = "a line of a prompt\n".repeat(60_000);
    fs::write(project.path("prompt.md"), &text).unwrap();
    for input in [
        AgentInput::Text(text.clone()),
        AgentInput::File(project.path("prompt.md")),
    ] {
        let mut job = script(&project.root, "wc -c; echo all >&2");
        job.input = input.clone();
        assert!(run(&project, job).is_success());
        assert_eq!(lines(&project).len(), 2);
        assert!(lines(&project).contains(&format!("out {}", text.len())));
        let mut deaf = script(&project.root, "exit 0");
        deaf.input = input;
        assert!(run(&project, deaf).is_success());
    }
    let mut job = script(&project.root, "cat; echo end");
    job.input = AgentInput::Empty;
    run(&project, job);
    assert_eq!(lines(&project), ["out end"]);
}

#[test]
fn a_program_or_folder_that_is_not_there_is_named() {
    let project = Project::new();
    let mut job = script(&project.root, "");
    job.argv = vec!["no-such-agent".into()];
    let error = start(&project, job).err().unwrap().to_string();
    assert!(
        error.starts_with("Cannot start `no-such-agent`: "),
        "{error}"
    );
    let mut job = script(&project.root, "");
    job.folder = project.path("gone");
    let error = start(&project, job).err().unwrap().to_string();
    assert!(error.contains("gone` is not there"), "{error}");
}

#[test]
fn a_flood_on_both_streams_ends_the_agent_and_fills_only_its_room() {
    let project = Project::new();
    let mut job = script(&project.root, "yes out & yes err >&2");
    job.limits.output = Some(3 << 20);
    job.limits.room = LogLimits {
        log: 100_000,
        ..job.limits.room
    };
    let ended = run(&project, job);
    assert_eq!(ended.ending, AgentEnding::Output(3 << 20));
    assert!(
        ended
            .to_string()
            .starts_with("The agent wrote more than 3145728 bytes")
    );
    assert!(project.log().len() < 101_000);
    assert_eq!(
        lines(&project).last().unwrap(),
        "run The agent wrote more than it may"
    );
}

#[test]
fn the_whole_run_and_each_silence_have_their_limits() {
    let project = Project::new();
    let mut job = script(&project.root, "while :; do echo busy; sleep 0.02; done");
    job.limits.run = Some(Duration::from_millis(300));
    job.limits.idle = Some(Duration::from_secs(20));
    let ended = run(&project, job);
    assert_eq!(
        ended.ending,
        AgentEnding::Timeout(Duration::from_millis(300))
    );
    assert_eq!(ended.signal, Some(15));

    let mut job = script(&project.root, "echo begun; sleep 60");
    job.limits.idle = Some(Duration::from_millis(200));
    let ended = run(&project, job);
    assert_eq!(ended.ending, AgentEnding::Idle(Duration::from_millis(200)));
    assert_eq!(ended.to_string(), "The agent said nothing for 0.2 s");
    assert!(lines(&project).contains(&"out begun".to_owned()));
}

#[test]
fn an_agent_that_does_not_listen_or_is_halted_is_ended_all_the_same() {
    for text in [
        "trap '' TERM; echo up; while :; do sleep 1; done",
        "kill -STOP $$",
    ] {
        let project = Project::new();
        let mut job = script(&project.root, text);
        job.limits.run = Some(Duration::from_millis(200));
        let ended = run(&project, job);
        assert_eq!(ended.exit_code, None, "{text}");
        assert!(ended.duration < Duration::from_secs(10));
    }
}

#[test]
fn a_halted_agent_may_end_in_good_order() {
    let project = Project::new();
    let mut job = script(&project.root, "trap 'exit 7' TERM; kill -STOP $$");
    job.limits.run = Some(Duration::from_millis(200));
    job.limits.grace = Duration::from_secs(20);
    assert_eq!(run(&project, job).exit_code, Some(7));
}

#[test]
fn an_agent_that_does_not_read_keeps_nobody_from_ending_it() {
    let project = Project::new();
    let mut job = script(&project.root, "exec sleep 300");
    job.input = AgentInput::Text("x".repeat(1 << 20));
    job.limits.run = Some(Duration::from_millis(200));
    let ended = run(&project, job);
    assert_eq!((ended.exit_code, ended.signal), (None, Some(15)));
}

#[test]
fn an_agent_may_say_something_while_it_is_ended() {
    let project = Project::new();
    let text = "trap 'echo saved; exit 7' TERM; echo up; while :; do sleep 0.01; done";
    let mut job = script(&project.root, text);
    job.limits.grace = Duration::from_secs(20);
    let agent = start(&project, job).unwrap();
    let interruption = CancelToken::new().unwrap();
    let ended = std::thread::scope(|scope| {
        let waits = scope.spawn(|| agent.wait(&interruption).unwrap());
        until(|| project.log().contains("out up"));
        interruption.cancel();
        waits.join().unwrap()
    });
    assert_eq!(
        (ended.ending, ended.exit_code),
        (AgentEnding::Interrupted, Some(7))
    );
    assert!(lines(&project).contains(&"out saved".to_owned()));
}

#[test]
fn what_an_agent_leaves_behind_is_ended_even_outside_its_group() {
    let project = Project::new();
    let text = "sleep 300 & echo $! >near; setsid sleep 300 & echo $! >far; exit 0";
    let before = Instant::now();
    let ended = run(&project, script(&project.root, text));
    assert!(before.elapsed() < Duration::from_secs(10));
    assert_eq!((ended.exit_code, ended.left_behind), (Some(0), 2));
    assert!(!is_alive(project.number("near")) && !is_alive(project.number("far")));
    let note = "run Ended 2 processes that the agent left behind";
    assert!(lines(&project).contains(&note.to_owned()));
}

#[test]
fn what_moves_from_process_to_process_is_ended_too() {
    let project = Project::new();
    let text = r#"trap "" TERM; sleep 0.02; setsid sh -c "$MOVE" & exit 0"#;
    let mut job = script(&project.root, r#"sh -c "$MOVE"; exit 0"#);
    job.environment.push(("MOVE".into(), text.into()));
    assert!(run(&project, job).left_behind >= 1);
    let folder = project.root.file_name().unwrap().to_str().unwrap();
    let is_of_it =
        |pid| process::variable(pid, "CHANT_RUN").is_some_and(|mark| mark.contains(folder));
    assert!(!process::all().0.iter().any(|one| is_of_it(one.pid)));
}

#[test]
fn what_a_child_still_says_after_the_agent_ended_is_heard() {
    let (ended, lines) = of("(sleep 0.1; echo late) & exit 0");
    assert_eq!(lines, ["out late"]);
    assert_eq!(ended.left_behind, 0);
}

#[test]
fn a_dropped_agent_is_killed() {
    let project = Project::new();
    let agent = start(
        &project,
        script(&project.root, "sleep 300 & echo $! >child; wait"),
    )
    .unwrap();
    let (leader, child) = (agent.process().pid, project.number("child"));
    drop(agent);
    until(|| !is_alive(leader) && !is_alive(child));
}

#[test]
fn secrets_are_masked_in_the_log_and_in_the_last_words() {
    let project = Project::new();
    let mut job = script(
        &project.root,
        "printf 'tok' >&2; sleep 0.05; echo 'en-1234 refused' >&2; exit 1",
    );
    job.secrets = vec!["token-1234".into()];
    let ended = run(&project, job);
    assert_eq!(ended.tail, ["*** refused"]);
    assert_eq!(lines(&project), ["err *** refused"]);
}

#[test]
fn an_agent_that_forks_is_ended_while_its_runner_waits_for_something_else() {
    let project = Project::new();
    let bomb = "bomb() { if [ $1 -gt 0 ]; then bomb $(($1-1)) & bomb $(($1-1)) & fi; sleep 300; }";
    let text = format!("{bomb}; while [ ! -e go ]; do sleep 0.01; done; bomb 6");
    let mut job = script(&project.root, &text);
    job.limits.processes = Some(100);
    let agent = start(&project, job).unwrap();
    let leader = agent.process().pid;
    let looking = FolderObserver::at(&project.root, || {
        fs::write(project.path("go"), "").unwrap();
        until(|| !is_alive(leader));
    });
    let beside = AgentObservers {
        looking: Some(looking),
        meter: None,
    };
    let interruption = CancelToken::new().unwrap();
    let ended = agent.wait_beside(&interruption, beside).unwrap();
    assert_eq!(ended.ending, AgentEnding::Processes(100));
    let (all, _) = process::all();
    let left = all
        .iter()
        .filter(|one| one.group == leader && one.lives())
        .count();
    assert_eq!(left, 0);
}

#[test]
fn the_machine_of_an_agent_that_ends_at_once_is_recorded() {
    let project = Project::new();
    let mut draft = project.draft();
    draft.placed = Some(PlacedEntry::default());
    let record = project.runs.create_run(draft).unwrap();
    let placed = r#"printf '{"type":"placed","worker":"build-7"}\n'"#;
    let mut job = script(&project.root, placed);
    job.plan.format = EventFormat::Placed;
    let agent = start(&project, job).unwrap();
    let leader = agent.process().pid;
    // Nobody listens before it has ended.
    until(|| !is_alive(leader));
    let beside = AgentObservers {
        looking: None,
        meter: Some(UsageMeter::of(
            &project.runs,
            &record,
            SpendingLimits::default(),
        )),
    };
    agent
        .wait_beside(&CancelToken::new().unwrap(), beside)
        .unwrap();
    let placed = project.get(&record).placed.unwrap();
    assert_eq!(placed.worker.as_deref(), Some("build-7"));
}

#[test]
fn processes_are_counted_before_anything_of_the_agent_runs() {
    // Takes the order, looks at its starter and its group, says that the program runs, and ends when it may.
    const LAUNCHER: &str = "head -c 8 >/dev/null; dd bs=1M count=1 >/dev/null 2>&1; \
        cat /proc/$PPID/task/*/comm >\"$0/threads\"; cat /proc/self/cgroup >\"$0/group\"; printf c >&0; exec <&-; \
        while ! test -e \"$0/go\"; do sleep 0.01; done";
    let project = Project::new();
    let mut job = script(&project.root, "exit 0");
    job.limits.processes = Some(100);
    job.launcher = Some(SandboxLauncher {
        argv: ["/bin/sh", "-c", LAUNCHER]
            .map(Into::into)
            .into_iter()
            .chain([project.root.clone().into()])
            .collect(),
        environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
        namespaces: false,
    });
    let agent = start(&project, job).unwrap();
    let groups = fs::read_to_string(format!("/proc/{}/cgroup", agent.process().pid)).unwrap();
    fs::write(project.path("go"), "").unwrap();
    assert!(project.read("threads").contains("process-count"));
    assert_eq!(project.read("group"), groups);
    let ended = agent.wait(&CancelToken::new().unwrap()).unwrap();
    assert!(ended.is_success(), "{ended}");
}

#[test]
fn an_agent_that_stood_still_while_it_was_counted_goes_on_if_others_are_the_many() {
    let project = Project::new();
    let text = "trap ': >continued' CONT; while [ ! -e continued ]; do sleep 0.01; done";
    let mut job = script(&project.root, text);
    job.limits.processes = Some(50);
    let agent = start(&project, job).unwrap();
    let many = Barrier::new(501);
    let ended = std::thread::scope(|scope| {
        for _ in 0..500 {
            scope.spawn(|| many.wait());
        }
        let interruption = CancelToken::new().unwrap();
        let ended = agent.wait(&interruption);
        many.wait();
        ended.unwrap()
    });
    assert!(ended.is_success(), "{ended}");
}
