//! How agents are started, and what they find around them.

use std::collections::BTreeMap;

use chant_base::error::CoreError;
use chant_base::error::ErrorKind;
use chant_config::Config;
use chant_config::runs::AgentRotation;
use chant_spec_runs::agents::environment::{AgentContext, variables};
use chant_spec_runs::agents::placeholders::{CommandLine, CommandPlaceholders};
use chant_spec_runs::agents::workers::{next_worker, workers};
use chant_spec_runs::agents::{Agent, AgentError, model, split_model, usual_model};
use chant_spec_runs::error::SpecRunError;
use chant_spec_runs::prompt::PromptWorktree;
use chant_specs::parse;
use chant_store::index::FileSource;
use chant_work::run_log::{SecretMask, secrets};

fn config(yaml: &str) -> Config {
    let text = format!("---\n{yaml}\n---\n");
    Config::read(None, Some(("config", &text)), None).unwrap()
}

fn given<'a>(prompt: &'a str, own_program: &'a [String]) -> CommandPlaceholders<'a> {
    CommandPlaceholders {
        prompt,
        prompt_file: "/state/p.md",
        model: Some("opus"),
        worktree: "/trees/s",
        spec_id: "s-1",
        mcp_config: Some("/state/mcp.json"),
        git_dir: Some("/main/.git"),
        own_program,
        is_confined: true,
        ..CommandPlaceholders::default()
    }
}

/// The command line of an agent, and `<` behind it when the prompt goes to standard input.
fn line(yaml: &str, name: &str, given: &CommandPlaceholders<'_>) -> Result<String, AgentError> {
    let line = Agent::named(&config(yaml).runs, name)?.command_line(given)?;
    let stdin = if line.prompt_on_stdin { " <" } else { "" };
    Ok(format!("{}{stdin}", line.argv.join(" ")))
}

#[track_caller]
fn check(yaml: &str, name: &str, expected: &str) {
    let own = ["python".to_owned(), "-m".to_owned(), "chant_mcp".to_owned()];
    assert_eq!(
        line(yaml, name, &given("# do", &own)).as_deref(),
        Ok(expected)
    );
}

#[test]
fn an_agent_that_nothing_holds_is_guarded_or_refused_unless_the_user_says_otherwise() {
    let bare = CommandPlaceholders {
        is_confined: false,
        ..given("# do", &[])
    };
    let line = |yaml: &str, name: &str| line(yaml, name, &bare);
    let claude = line("", "claude").unwrap();
    assert!(
        claude.contains("--permission-mode dontAsk") && !claude.contains("skip"),
        "{claude}"
    );
    let skipping = "agents: {claude: {skip_permissions: true}, goose: {skip_permissions: true}}";
    let claude = line(skipping, "claude").unwrap();
    assert!(
        claude.contains("--dangerously-skip-permissions"),
        "{claude}"
    );
    let agent = Agent::named(&config(skipping).runs, "claude").unwrap();
    let names = |line: CommandLine| -> Vec<String> {
        line.variables.into_iter().map(|(name, _)| name).collect()
    };
    let open = names(agent.command_line(&bare).unwrap());
    assert!(!open.contains(&"IS_SANDBOX".to_owned()), "nothing holds it");
    let held = names(agent.command_line(&given("x", &[])).unwrap());
    assert!(held.contains(&"IS_SANDBOX".to_owned()));
    let refused = line("", "goose").unwrap_err();
    assert!(matches!(&refused, AgentError::Unguarded { .. }) && refused.details().is_object());
    assert_eq!(
        refused.to_string(),
        "Agent 'goose' was not started: runs are not confined here, and Goose has no limits of its own: without a person only the mode works in which it does everything. A person sees with `chant-mcp confine --check` what confines runs. Otherwise name another agent, or allow it everything with `agents: {goose: {skip_permissions: true}}` in your own configuration."
    );
    assert!(line(skipping, "goose").is_ok());
}

#[test]
fn arguments_without_a_value_are_left_out_with_those_they_belong_to() {
    let bare = CommandPlaceholders {
        model: None,
        mcp_config: None,
        git_dir: None,
        ..given("x", &[])
    };
    let claude = "claude --print --output-format stream-json --verbose --strict-mcp-config --dangerously-skip-permissions --settings {\"sandbox\":{\"enabled\":false}} <";
    assert_eq!(line("", "claude-cli", &bare).as_deref(), Ok(claude));
    let no_program = line("", "demo", &bare).unwrap_err().to_string();
    assert_eq!(
        no_program,
        "The command of agent 'demo' is empty: expected a list of a program and its arguments."
    );
    let yaml = "agents: {a: {command: ['{model}', run]}}";
    assert!(matches!(
        line(yaml, "a", &bare),
        Err(AgentError::NoProgram { .. })
    ));
}

#[test]
fn a_limit_of_turns_is_told_to_agents_that_know_one_and_refused_for_others() {
    let limited = CommandPlaceholders {
        turns: Some(7),
        ..given("x", &[])
    };
    let claude = line("", "claude", &limited).unwrap();
    assert!(claude.contains(" --max-turns 7 "), "{claude}");
    let refused = line("", "codex", &limited).unwrap_err();
    assert!(matches!(&refused, AgentError::Limit { limit: "turns", .. }));
    let own = "agents: {own: {command: [run, '{turns}']}}";
    assert_eq!(line(own, "own", &limited).as_deref(), Ok("run 7 <"));
}

#[test]
fn commands_are_configured_as_lists_and_filled_in_once() {
    let yaml = "agents:\n  own:\n    command: [my agent, '--in={worktree}', [--model, '{model}'], '{prompt}', '{\"*\": 1}', '{spec_id}']\n";
    let agent = Agent::named(&config(yaml).runs, "own").unwrap();
    let line = agent
        .command_line(&given("do {model} {spec_id}", &[]))
        .unwrap();
    let expected = [
        "my agent", "--in=/trees/s", "--model", "opus", "do {model} {spec_id}", "{\"*\": 1}", "s-1",
    ];
    assert_eq!(line.argv, expected);
    assert!(!line.prompt_on_stdin);
    // Settings without a command change what is built in.
    check(
        "agents: {gemini: {command: [g, --file, '{prompt_file}']}}",
        "gemini",
        "g --file /state/p.md",
    );
    check(
        "agents: {own: {command: [run, '{prompt}'], prompt: stdin}}",
        "own",
        "run # do <",
    );
    let yaml =
        "agents: {own: {command: [run], skip_arguments: [[--all, yes]], skip_permissions: true}}";
    check(yaml, "own", "run --all yes <");
    let no_prompt = line_error("agents: {own: {command: [run], prompt: file}}", "own");
    let expected = "The command of agent 'own' does not pass the prompt: expected an argument with {prompt_file}, or `prompt: stdin`.";
    assert_eq!(no_prompt.to_string(), expected);
}

fn line_error(yaml: &str, name: &str) -> AgentError {
    line(yaml, name, &given("x", &[])).unwrap_err()
}

#[test]
fn a_prompt_that_no_argument_can_hold_is_named() {
    let message =
        "pi --print --mode json --model opus --offline Read and execute the task in /state/p.md";
    for prompt in [
        "x".repeat(100_001),
        "--trust-all-tools".to_owned(),
        "@/etc/passwd".to_owned(),
        "a\0b".to_owned(),
    ] {
        assert_eq!(line("", "pi", &given(&prompt, &[])).as_deref(), Ok(message));
    }
}

#[test]
fn unknown_agents_and_models_that_are_options_are_refused() {
    let error = line_error("agents: {own: {command: [x]}, gtp: {model: m}}", "gtp");
    let expected = "Unknown agent 'gtp'. Known agents: aider, amp, claude, cline, codex, copilot, crush, cursor-agent, demo, droid, gemini, goose, kirocli, ollama, openai, opencode, own, pi, qwen. Add it below `agents:` in .chant/config.md with its `command`.";
    assert_eq!(error.to_string(), expected);
    assert_eq!(SpecRunError::from(error).kind(), ErrorKind::NotFound);
    let sly = CommandPlaceholders {
        model: Some("--dangerously-skip-permissions"),
        ..given("x", &[])
    };
    let error = line("", "claude", &sly).unwrap_err();
    assert!(matches!(&error, AgentError::Model { .. }) && error.details().is_object());
    let none = line_error("agents: {own: {command: []}}", "own");
    assert!(matches!(none, AgentError::NoProgram { .. }));
}

#[test]
fn the_specs_model_comes_first_then_variables_agent_and_configuration() {
    let config = config("defaults: {model: configured}\nagents: {claude: {model: agents}}");
    let agent = Agent::named(&config.runs, "claude").unwrap();
    let other = Agent::named(&config.runs, "codex").unwrap();
    let spec = |yaml: &str| {
        let text = format!("---\n{yaml}\n---\nx\n");
        parse::document("s.md", FileSource::Text(text)).unwrap()
    };
    let environment = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        pairs.iter().map(owned).collect()
    };
    let both = environment(&[("CHANT_MODEL", "one"), ("ANTHROPIC_MODEL", "two")]);
    let second = environment(&[("CHANT_MODEL", ""), ("ANTHROPIC_MODEL", "two")]);
    let none = environment(&[]);
    let found = |yaml: &str, agent: &Agent, environment: &BTreeMap<String, String>| {
        model(&spec(yaml), agent, environment, &config).unwrap()
    };
    assert_eq!(found("model: own", &agent, &both), "own");
    assert_eq!(found("", &agent, &both), "one");
    assert_eq!(found("", &agent, &second), "two");
    assert_eq!(found("", &agent, &none), "agents");
    assert_eq!(found("", &other, &none), "configured");
    assert_eq!(usual_model(&none, &config).as_deref(), Some("configured"));
}

#[test]
fn splits_have_a_model_of_their_own_and_sonnet_where_that_is_known() {
    let spec = parse::document("s.md", FileSource::Text("x\n".into())).unwrap();
    let found = |yaml: &str, agent: &str, told: &[&str]| {
        let config = config(yaml);
        let agent = Agent::named(&config.runs, agent).unwrap();
        let told = told
            .iter()
            .map(|name| ((*name).to_owned(), "told".to_owned()));
        split_model(&spec, &agent, &told.collect(), &config)
    };
    let both = "defaults: {model: usual, split_model: splits}";
    assert_eq!(
        found(both, "claude", &["CHANT_SPLIT_MODEL"]).unwrap(),
        "told"
    );
    assert_eq!(found(both, "claude", &["CHANT_MODEL"]).unwrap(), "splits");
    assert_eq!(
        found("defaults: {model: usual}", "codex", &[]).unwrap(),
        "usual"
    );
    assert_eq!(found("", "claude", &[]).unwrap(), "sonnet");
    for other in ["codex", "gemini", "opencode", "cursor-agent", "kirocli"] {
        assert_eq!(found("", other, &[]), None, "{other}");
    }
}

#[test]
fn work_in_parallel_is_divided_by_weight_within_each_agents_bound() {
    let yaml = "parallel:\n  agents:\n  - {name: a, command: claude-a, max_concurrent: 2, weight: 2}\n  - {name: b, command: codex, max_concurrent: 2}\nagents: {a: {skip_permissions: true}}";
    let workers = workers(&config(yaml).runs).unwrap();
    let bare = CommandPlaceholders {
        is_confined: false,
        ..given("x", &[])
    };
    let argv = workers[0].agent.command_line(&bare).unwrap().argv;
    assert_eq!(argv[0], "claude-a");
    assert!(
        argv.iter()
            .any(|word| word == "--dangerously-skip-permissions")
    );
    assert!(!workers[1].agent.skips_permissions);
    let (mut running, mut order) = (Vec::new(), Vec::new());
    let next = |running: &[&str]| next_worker(&workers, AgentRotation::None, running, &[], 0.5);
    while let Some(worker) = next(&running) {
        running.push(&worker.agent.name);
        order.push(worker.agent.name.as_str());
    }
    assert_eq!(order, ["a", "b", "a", "b"]);
    assert_eq!(next(&["b", "b"]).map(|w| &*w.agent.name), Some("a"));
}

#[test]
fn agents_take_turns_by_weight_or_by_chance_within_each_agents_bound() {
    let yaml = "parallel:\n  agents:\n  - {name: a, command: codex, max_concurrent: 9, weight: 2}\n  - {name: b, command: gemini, max_concurrent: 1}\n  - {name: c, command: demo, max_concurrent: 9}";
    let workers = workers(&config(yaml).runs).unwrap();
    let next = |rotation, running: &[&str], given: &[&str], chance| {
        let worker = next_worker(&workers, rotation, running, given, chance);
        worker.map(|worker| worker.agent.name.as_str())
    };
    let mut given: Vec<&str> = Vec::new();
    for _ in 0..8 {
        given.insert(
            0,
            next(AgentRotation::RoundRobin, &[], &given, 0.0).unwrap(),
        );
    }
    given.reverse();
    assert_eq!(given, ["a", "a", "b", "c", "a", "a", "b", "c"]);
    assert_eq!(
        next(AgentRotation::RoundRobin, &["b"], &["a", "a"], 0.0),
        Some("c")
    );
    let chances = [0.0, 0.49, 0.5, 0.74, 0.75, 0.999, 1.0];
    let chosen = chances.map(|chance| next(AgentRotation::Random, &[], &[], chance).unwrap());
    assert_eq!(chosen, ["a", "a", "b", "b", "c", "c", "c"]);
    let without_b = chances.map(|chance| next(AgentRotation::Random, &["b"], &[], chance).unwrap());
    assert_eq!(without_b, ["a", "a", "a", "c", "c", "c", "c"]);
    let full = [&["a"; 9][..], &["c"; 9], &["b"]].concat();
    for rotation in [
        AgentRotation::None,
        AgentRotation::Random,
        AgentRotation::RoundRobin,
    ] {
        assert_eq!(next(rotation, &full, &[], 0.3), None);
        assert_eq!(next(rotation, &full[1..], &[], 0.3), Some("a"));
    }
}

#[test]
fn agents_over_http_are_our_own_program_with_an_endpoint() {
    let own = ["python".to_owned()];
    let line = |yaml: &str, name: &str| line(yaml, name, &given("# do", &own)).unwrap();
    let tail = "--retries 3 --retry-delay-ms 1000 <";
    for name in ["ollama", "local"] {
        let head = "python http-agent --model opus --provider ollama";
        assert_eq!(
            line("", name),
            format!("{head} --endpoint http://localhost:11434/v1 {tail}")
        );
    }
    let yaml = "providers: {openai: {endpoint: 'http://x/v1', max_retries: 0, retry_delay_ms: 7}}";
    assert_eq!(
        line(yaml, "gpt"),
        "python http-agent --model opus --provider openai --endpoint http://x/v1 --retries 0 --retry-delay-ms 7 <"
    );
    // A command of one's own under that name is that command.
    check(
        "agents: {openai: {command: [my-agent]}}",
        "openai",
        "my-agent <",
    );
}

#[test]
fn what_an_agent_over_http_needs_is_told_before_it_starts() {
    let none = BTreeMap::new();
    let key = BTreeMap::from([("OPENAI_API_KEY".to_owned(), "k".to_owned())]);
    let why = |yaml: &str, name: &str, model, environment| {
        let agent = Agent::named(&config(yaml).runs, name).unwrap();
        let refused = agent.refuse_unready(model, environment);
        refused.map_err(|error| {
            assert_eq!(SpecRunError::from(error.clone()).kind(), ErrorKind::Config);
            error.to_string()
        })
    };
    assert_eq!(why("", "ollama", Some("m"), &none), Ok(()));
    assert_eq!(why("", "openai", Some("m"), &key), Ok(()));
    assert_eq!(why("", "claude", None, &none), Ok(()));
    let no_key = why("", "openai", Some("m"), &none).unwrap_err();
    assert!(
        no_key.starts_with(
            "Cannot start agent 'openai': https://api.openai.com/v1 needs a key. Set OPENAI_API_KEY"
        ),
        "{no_key}"
    );
    let other = "providers: {openai: {endpoint: 'http://localhost:8000/v1'}}";
    assert_eq!(why(other, "openai", Some("m"), &none), Ok(()));
    let no_model = why("", "ollama", None, &none).unwrap_err();
    assert!(
        no_model
            .starts_with("Cannot start agent 'ollama': no model is named. Set `defaults.model`"),
        "{no_model}"
    );
    let wrong = why(
        "providers: {ollama: {endpoint: ''}}",
        "ollama",
        Some("m"),
        &none,
    )
    .unwrap_err();
    assert!(
        wrong.ends_with("Correct `providers.ollama.endpoint` in .chant/config.md."),
        "{wrong}"
    );
}

#[test]
fn without_a_list_the_provider_works_as_often_as_may_be() {
    let workers = workers(&config("defaults: {provider: kiro}\nlimits: {agents_at_once: 3}").runs);
    let workers = workers.unwrap();
    assert_eq!((workers.len(), workers[0].at_once), (1, 3));
    assert_eq!(workers[0].agent.name, "kiro");
}

/// Reference chant 6.5 and the decision about the agent's own server.
#[test]
fn an_agent_finds_its_spec_project_and_worktree_in_its_environment() {
    let told = AgentContext {
        spec_id: "s",
        spec_file: "/trees/s/.chant/specs/s.md",
        project: "/main",
        worktree: Some(PromptWorktree {
            path: "/trees/s",
            branch: "chant/s",
        }),
        mcp_config: None,
        prompt: None,
        item: None,
    };
    let shown: Vec<String> = variables(&told)
        .into_iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let expected = [
        "CHANT_SPEC_ID=s",
        "CHANT_SPEC_FILE=/trees/s/.chant/specs/s.md",
        "CHANT_PROJECT=/main",
        "CHANT_WORKTREE=/trees/s",
        "CHANT_WORKTREE_PATH=/trees/s",
        "CHANT_BRANCH=chant/s",
    ];
    assert_eq!(shown, expected);
    let bare = AgentContext {
        worktree: None,
        ..told
    };
    assert_eq!(variables(&bare).len(), 3);
    let split = AgentContext {
        prompt: Some("split"),
        ..bare
    };
    let last = variables(&split).pop();
    assert_eq!(last, Some(("CHANT_PROMPT", "split".to_owned())));
}

#[test]
fn values_of_variables_named_like_secrets_are_masked() {
    let environment = [
        ("API_KEY", "sk-abc"),
        ("DbPassword", "hunter2"),
        ("MY_SECRET_X", "x-marks"),
        ("github_token", "sk-abcdef"),
        ("EMPTY_KEY", ""),
        ("HOME", "/home/me"),
    ];
    let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let mask = SecretMask::new(&secrets(&BTreeMap::from(environment))).unwrap();
    assert_eq!(
        mask.apply("sk-abcdef sk-abc hunter2 x-marks in /home/me"),
        "*** *** *** *** in /home/me"
    );
}
