//! Fills placeholders in the commands, variables and files of agents.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde_json::{Value, json};

/// The greatest length of a prompt as an argument: systems refuse arguments of 128 KiB.
const LONGEST_ARGUMENT: usize = 100_000;

/// The values for the placeholders of a command.
#[derive(Debug, Clone, Copy, Default)]
pub struct CommandPlaceholders<'a> {
    /// The prompt.
    pub prompt: &'a str,
    /// The file that holds the prompt, absolute.
    pub prompt_file: &'a str,
    /// The session to go on with.
    pub session: Option<&'a str>,
    /// The model, if one is chosen.
    pub model: Option<&'a str>,
    /// The folder to work in, absolute.
    pub worktree: &'a str,
    /// The spec's id.
    pub spec_id: &'a str,
    /// The file that names our server for the agent, absolute.
    pub mcp_config: Option<&'a str>,
    /// The start of our server, for agents that do not read that file.
    pub server: Option<&'a OwnServer>,
    /// The run's repository, absolute; commits are written there.
    pub git_dir: Option<&'a str>,
    /// The agent's own state in a confined run, absolute.
    pub private: Option<&'a str>,
    /// The command lines of the project's checks, which a guarded agent may run.
    pub checks: &'a [String],
    /// The greatest number of turns.
    pub turns: Option<u32>,
    /// The greatest cost in dollars.
    pub cost_usd: Option<f64>,
    /// The address of a model with OpenAI's protocol, if one is set.
    pub openai_base_url: Option<&'a str>,
    /// Our own program with the arguments before the name of a command.
    pub own_program: &'a [String],
    /// True if the run is confined by something other than the agent.
    pub is_confined: bool,
}

/// The seconds that our server may take for a request, for agents that need a limit.
const SERVER_SECONDS: u32 = 60;

/// The start of our server by an agent's host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnServer {
    /// Its program.
    pub command: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The variables in its environment.
    pub variables: BTreeMap<String, String>,
}

impl OwnServer {
    /// Returns its entry in the files of most hosts.
    pub fn entry(&self) -> Value {
        let mut entry = json!({"command": self.command, "args": self.arguments});
        if !self.variables.is_empty() {
            entry["env"] = json!(self.variables);
        }
        entry
    }

    /// Returns program and arguments.
    fn argv(&self) -> Vec<&str> {
        let arguments = self.arguments.iter().map(String::as_str);
        std::iter::once(self.command.as_str())
            .chain(arguments)
            .collect()
    }

    /// Returns program and arguments as words of a shell.
    fn words(&self) -> String {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:@+,".contains(c);
        let quoted = |word: &str| {
            if !word.is_empty() && word.chars().all(plain) {
                return word.to_owned();
            }
            format!("'{}'", word.replace('\'', r"'\''"))
        };
        let words = self.argv().into_iter().map(quoted);
        words.collect::<Vec<_>>().join(" ")
    }

    /// Returns its variables as a table on one line of TOML.
    fn table(&self) -> Option<String> {
        if self.variables.is_empty() {
            return None;
        }
        let pair = |(name, value): (&String, &String)| format!("{name}={}", quoted(value));
        let pairs: Vec<String> = self.variables.iter().map(pair).collect();
        Some(format!("{{{}}}", pairs.join(",")))
    }
}

/// The start of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLine {
    /// Program and arguments.
    pub argv: Vec<String>,
    /// Variables in its environment that depend on the agent.
    pub variables: Vec<(String, String)>,
    /// Files that a confined run creates in the agent's state, by their path there, with their
    /// texts.
    pub files: Vec<(String, String)>,
    /// True if the prompt goes to standard input, which is empty otherwise.
    pub prompt_on_stdin: bool,
}

/// Returns arguments that belong together with their placeholders replaced: none if one has no
/// value, and once for each check if they name one.
pub fn arguments(pieces: &[String], given: &CommandPlaceholders<'_>) -> Vec<Vec<String>> {
    if pieces.iter().any(|piece| piece.contains("{check}")) {
        let checks = given.checks.iter().filter(|check| is_plain(check));
        let of = |check: &String| -> Vec<String> {
            let filled = pieces.iter().map(|piece| piece.replace("{check}", check));
            filled.collect()
        };
        return checks.map(of).collect();
    }
    let filled = pieces.iter().map(|piece| text(piece, given));
    let filled = filled.collect::<Option<Vec<String>>>();
    vec![filled.unwrap_or_default()]
}

/// Returns true if a command stands for itself in a rule of an agent: it contains no pattern, and
/// no end of a rule.
fn is_plain(command: &str) -> bool {
    command
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || " -_./=:@+,".contains(c))
}

/// Returns a text with its placeholders replaced, each once; `None` if one has no value.
pub fn text(template: &str, given: &CommandPlaceholders<'_>) -> Option<String> {
    static PLACEHOLDER: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\{([a-z_]+)\}").ok());
    let Some(placeholder) = PLACEHOLDER.as_ref() else {
        return Some(template.to_owned());
    };
    let mut is_whole = true;
    let filled = placeholder.replace_all(template, |found: &Captures<'_>| {
        match value(&found[1], given) {
            PlaceholderValue::NoPlaceholder => found[0].to_owned(),
            PlaceholderValue::Nothing => {
                is_whole = false;
                String::new()
            }
            PlaceholderValue::Text(text) => text,
        }
    });
    is_whole.then(|| filled.into_owned())
}

/// The outcomes of replacing a word in braces.
enum PlaceholderValue {
    /// It is no placeholder and stays.
    NoPlaceholder,
    /// It has no value.
    Nothing,
    /// It is replaced by its value.
    Text(String),
}

/// Returns the value of a placeholder.
fn value(name: &str, given: &CommandPlaceholders<'_>) -> PlaceholderValue {
    let owned = |value: Option<&str>| value.map(str::to_owned);
    let value = match name {
        "prompt" => Some(prompt_argument(given)),
        "prompt_file" => Some(given.prompt_file.to_owned()),
        "session" => owned(given.session),
        "model" => owned(given.model),
        "worktree" => Some(given.worktree.to_owned()),
        "spec_id" => Some(given.spec_id.to_owned()),
        "mcp_config" => owned(given.mcp_config),
        "git_dir" => owned(given.git_dir),
        "git_dir_quoted" => given.git_dir.map(quoted),
        "private" => owned(given.private),
        "turns" => given.turns.map(|turns| turns.to_string()),
        "cost_usd" => given.cost_usd.map(|dollars| dollars.to_string()),
        "openai_base_url" => given.openai_base_url.map(quoted),
        "check_rules" => Some(rules(given.checks)),
        "servers" => Some(servers(given, OwnServer::entry)),
        "typed_servers" => Some(servers(given, |server| {
            let mut entry = json!({"type": "stdio"});
            if let (Value::Object(entry), Value::Object(own)) = (&mut entry, server.entry()) {
                entry.extend(own);
            }
            entry
        })),
        "timed_servers" => Some(servers(given, |server| {
            let mut entry = server.entry();
            entry["timeout"] = json!(SERVER_SECONDS);
            entry
        })),
        "local_servers" => Some(servers(
            given,
            |server| json!({"type": "local", "command": server.argv(), "environment": server.variables}),
        )),
        "server_command" => given.server.map(|server| quoted(&server.command)),
        "server_arguments" => given
            .server
            .map(|server| json!(server.arguments).to_string()),
        "server_variables" => given.server.and_then(OwnServer::table),
        "server_words" => given.server.map(OwnServer::words),
        _ => return PlaceholderValue::NoPlaceholder,
    };
    value.map_or(PlaceholderValue::Nothing, PlaceholderValue::Text)
}

/// Returns a text between quotes, as JSON and TOML read it.
fn quoted(text: &str) -> String {
    json!(text).to_string()
}

/// Returns the servers of a run as an object: ours, or none.
fn servers(given: &CommandPlaceholders<'_>, entry: impl Fn(&OwnServer) -> Value) -> String {
    let own = given.server.map(|server| json!({"chant": entry(server)}));
    own.unwrap_or_else(|| json!({})).to_string()
}

/// Returns further members of an object of rules, one for each check.
fn rules(checks: &[String]) -> String {
    let checks = checks.iter().filter(|check| is_plain(check));
    let rules = checks.map(|check| format!(",{}:\"allow\"", quoted(check)));
    rules.collect()
}

/// Returns the prompt as an argument. A prompt that is too long, or that could be taken for an
/// option or a file, is named by its file.
fn prompt_argument(given: &CommandPlaceholders<'_>) -> String {
    let is_too_long = given.prompt.len() > LONGEST_ARGUMENT;
    if is_too_long || given.prompt.starts_with(['-', '@']) || given.prompt.contains('\0') {
        format!("Read and execute the task in {}", given.prompt_file)
    } else {
        given.prompt.to_owned()
    }
}
