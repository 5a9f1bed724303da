//! How each built-in agent is started, in both forms: command lines, variables and files as they are.

use std::collections::BTreeMap;
use std::fmt::Write;

use chant_config::runs::RunSettings;
use chant_spec_runs::agents::placeholders::{CommandPlaceholders, OwnServer};
use chant_spec_runs::agents::{Agent, templates};

/// A word as a person would write it for a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:@{}+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{word}'")
}

/// Everything that is started and written for an agent, or why nothing is.
fn told(name: &str, given: &CommandPlaceholders<'_>) -> String {
    let agent = Agent::named(&RunSettings::default(), name).unwrap();
    let line = match agent.command_line(given) {
        Ok(line) => line,
        Err(error) => return format!("{error}\n"),
    };
    let words: Vec<String> = line.argv.iter().map(|word| quoted(word)).collect();
    let stdin = if line.prompt_on_stdin {
        " < prompt"
    } else {
        ""
    };
    let mut told = format!("{}{stdin}\n", words.join(" "));
    for (name, value) in line.variables {
        writeln!(told, "  {name}={value}").unwrap();
    }
    for (path, text) in line.files.iter().filter(|_| given.is_confined) {
        writeln!(told, "  {path}: {text}").unwrap();
    }
    told
}

#[test]
fn built_in_agents_are_started_like_this() {
    let own = ["python".to_owned(), "-m".to_owned(), "chant_mcp".to_owned()];
    let server = OwnServer {
        command: "/opt/my tools/chant-mcp".into(),
        arguments: vec!["connect".into(), "/trees/s.connect".into()],
        variables: BTreeMap::new(),
    };
    let checks = ["cargo test -q".to_owned(), "sh -c 'rm *'".to_owned()];
    let confined = CommandPlaceholders {
        prompt: "# do",
        prompt_file: "/trees/s.prompt.md",
        model: Some("big"),
        worktree: "/trees/s",
        spec_id: "s-1",
        mcp_config: Some("/trees/s.mcp.json"),
        server: Some(&server),
        git_dir: Some("/trees/s/.git"),
        private: Some("/trees/s.private/agent"),
        checks: &checks,
        own_program: &own,
        is_confined: true,
        ..CommandPlaceholders::default()
    };
    let guarded = CommandPlaceholders {
        private: None,
        is_confined: false,
        ..confined
    };
    let mut all = String::new();
    for template in templates() {
        let name = template.name;
        writeln!(all, "# {name}\n\nconfined: {}", told(name, &confined)).unwrap();
        writeln!(all, "guarded: {}", told(name, &guarded)).unwrap();
    }
    insta::assert_snapshot!("agent_lines", all);
}

#[test]
fn an_agent_without_our_server_or_a_model_is_told_of_none() {
    let bare = CommandPlaceholders {
        prompt: "# do",
        is_confined: true,
        own_program: &["chant-mcp".to_owned()],
        ..CommandPlaceholders::default()
    };
    for template in templates() {
        let told = told(template.name, &bare);
        assert!(!told.contains("mcp_servers"), "{told}");
        assert!(!told.contains('{') || !told.contains("_}"), "{told}");
        assert!(
            !told.contains("{servers}") && !told.contains("{private}"),
            "{told}"
        );
    }
}

#[test]
fn variables_of_a_server_are_told_in_the_words_of_each_host() {
    let server = OwnServer {
        command: "chant-mcp".into(),
        arguments: Vec::new(),
        variables: BTreeMap::from([("CHANT_SPEC_ID".to_owned(), "a \"b\"".to_owned())]),
    };
    let given = CommandPlaceholders {
        server: Some(&server),
        is_confined: true,
        ..CommandPlaceholders::default()
    };
    let codex = told("codex", &given);
    assert!(
        codex.contains(r#"mcp_servers.chant.env={CHANT_SPEC_ID="a \"b\""}"#),
        "{codex}"
    );
    let cursor = told("cursor-agent", &given);
    assert!(
        cursor.contains(r#""env":{"CHANT_SPEC_ID":"a \"b\""}"#),
        "{cursor}"
    );
}
