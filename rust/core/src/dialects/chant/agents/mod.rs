//! Agents: how each is started, as lists of arguments and never as text for a shell (reference chant
//! 6.5).

mod built_in;
pub mod environment;
pub mod events;
pub mod http;
pub mod messages;
pub mod messages_of_others;
pub mod workers;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use self::built_in::{BUILT_IN, BuiltIn};
use self::http::Provider;
use super::model::Spec;
use crate::config::Config;
use crate::config::runs::{AgentSettings, Argument, Delivery, Runs};

/// A prompt longer than this is not given as an argument: systems refuse arguments of 128 KiB.
const LONGEST_ARGUMENT: usize = 100_000;

/// Why an agent cannot be started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AgentError {
    /// Nothing is known of it.
    #[error("Unknown agent '{name}'. Known are: {}. Add it below `agents:` in .chant/config.md with its `command`.", known.join(", "))]
    Unknown {
        /// Its name.
        name: String,
        /// The agents there are.
        known: Vec<String>,
    },
    /// Its command never gives it the prompt.
    #[error(
        "The command of agent '{name}' never gives it the prompt: expected an argument with {expected}, or `prompt: stdin`."
    )]
    NoPrompt {
        /// Its name.
        name: String,
        /// The placeholder that is missing.
        expected: &'static str,
    },
    /// Its command has no program.
    #[error(
        "The command of agent '{name}' is empty: expected a list of a program and its arguments."
    )]
    NoProgram {
        /// Its name.
        name: String,
    },
    /// The model could be taken for an option.
    #[error(
        "'{model}' cannot be a model: it begins with a dash. Correct `model` where it is given."
    )]
    Model {
        /// The model.
        model: String,
    },
    /// It talks to a model over HTTP, and what it needs for that is missing.
    #[error("Cannot start agent '{name}': {why}")]
    Provider {
        /// Its name.
        name: String,
        /// What is missing, and where it belongs.
        why: String,
    },
}

impl AgentError {
    /// The values in the sentence, by name.
    pub fn details(&self) -> serde_json::Value {
        match self {
            Self::Unknown { name, known } => serde_json::json!({"agent": name, "known": known}),
            Self::NoPrompt { name, .. }
            | Self::NoProgram { name }
            | Self::Provider { name, .. } => {
                serde_json::json!({"agent": name})
            }
            Self::Model { model } => serde_json::json!({"model": model}),
        }
    }
}

/// A program that works on specs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// What records call it.
    pub name: String,
    /// Its own model, if it has one.
    pub model: Option<String>,
    /// Whether it does everything without asking.
    pub skips_permissions: bool,
    /// The model behind it, where our own program is the agent.
    pub provider: Option<Provider>,
    /// The variables that hold its own credentials; a command of the configuration has none.
    pub credentials: &'static [&'static str],
    command: Vec<Argument>,
    delivery: Delivery,
}

/// What is put into a command.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a> {
    /// The prompt.
    pub prompt: &'a str,
    /// The file that holds the prompt, absolute.
    pub prompt_file: &'a str,
    /// The model, if one is wanted.
    pub model: Option<&'a str>,
    /// The folder to work in, absolute.
    pub worktree: &'a str,
    /// The spec's ID.
    pub spec_id: &'a str,
    /// The file that tells the agent about our server, absolute.
    pub mcp_config: Option<&'a str>,
    /// Where git keeps what all worktrees share, absolute; commits are written there.
    pub git_dir: Option<&'a str>,
    /// Our own program with the arguments before a command's name.
    pub own_program: &'a [String],
}

/// A command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLine {
    /// Program and arguments.
    pub argv: Vec<String>,
    /// Whether the prompt goes to standard input; otherwise nothing does.
    pub prompt_on_stdin: bool,
}

impl Agent {
    /// The agent of a name: built in, configured, or built in with settings.
    ///
    /// # Errors
    /// `Unknown`, or a command that cannot work.
    pub fn named(runs: &Runs, name: &str) -> Result<Self, AgentError> {
        Self::known(runs, name, name).unwrap_or_else(|| {
            let own = runs.agents.iter();
            let own = own.filter(|(_, settings)| settings.command.is_some());
            let built_in = BUILT_IN.iter().map(|agent| agent.name.to_owned());
            let mut known: Vec<String> =
                built_in.chain(own.map(|(name, _)| name.clone())).collect();
            known.sort();
            known.dedup();
            Err(AgentError::Unknown {
                name: name.into(),
                known,
            })
        })
    }

    /// The agent that a name means, called `called`; settings under that name come first.
    fn known(runs: &Runs, name: &str, called: &str) -> Option<Result<Self, AgentError>> {
        let built_in = BUILT_IN.iter().find(|agent| agent.is_called(name));
        let names = [Some(called), Some(name), built_in.map(|agent| agent.name)];
        let settings = names
            .into_iter()
            .flatten()
            .find_map(|name| runs.agents.get(name));
        let default = AgentSettings::default();
        match (built_in, settings) {
            (_, Some(own)) if own.command.is_some() => Some(Self::of(runs, called, own, None)),
            (Some(built_in), own) => {
                let own = own.unwrap_or(&default);
                Some(Self::of(runs, called, own, Some(built_in)))
            }
            (None, _) => None,
        }
    }

    fn of(
        runs: &Runs,
        name: &str,
        settings: &AgentSettings,
        built_in: Option<&BuiltIn>,
    ) -> Result<Self, AgentError> {
        let skips = settings.skip_permissions;
        let mut command = match (&settings.command, built_in) {
            (None, Some(built_in)) => built_in.command(skips),
            (command, _) => command.clone().unwrap_or_default(),
        };
        if skips {
            command.extend(settings.skip_arguments.iter().cloned());
        }
        let protocol = built_in.and_then(|built_in| built_in.protocol);
        let provider = protocol.map(|protocol| Provider::of(protocol, &runs.providers));
        if let Some(provider) = &provider {
            command.extend(provider.arguments());
        }
        let agent = Self {
            name: name.into(),
            model: settings.model.clone(),
            skips_permissions: skips,
            provider,
            credentials: built_in.map_or(&[], |built_in| built_in.credentials),
            delivery: settings.prompt.unwrap_or_else(|| delivery(&command)),
            command,
        };
        agent.checked()
    }

    fn checked(self) -> Result<Self, AgentError> {
        let program = self.command.first().and_then(|first| pieces(first).first());
        if program.is_none_or(String::is_empty) {
            return Err(AgentError::NoProgram { name: self.name });
        }
        let expected = match self.delivery {
            Delivery::Stdin => return Ok(self),
            Delivery::Argument => "{prompt}",
            Delivery::File => "{prompt_file}",
        };
        if holds(&self.command, expected) {
            Ok(self)
        } else {
            Err(AgentError::NoPrompt {
                name: self.name,
                expected,
            })
        }
    }

    /// The same agent behind another program that takes the same arguments.
    fn behind(mut self, program: &str) -> Self {
        if let Some(first) = self.command.first_mut() {
            *first = Argument::One(program.into());
        }
        self
    }

    /// Whether `sonnet` may be its model: of the built-in agents others have models of other makers.
    fn knows_sonnet(&self) -> bool {
        if self.provider.is_some() {
            return false;
        }
        let program = self.program();
        let others = ["codex", "gemini", "opencode", "cursor-agent", "kiro-cli"];
        program.is_none_or(|program| !others.contains(&program))
    }

    /// The program of its command.
    fn program(&self) -> Option<&str> {
        let first = self.command.first().and_then(|first| pieces(first).first());
        first.map(String::as_str)
    }

    /// Whether it is the built-in one that asks no model.
    fn is_demo(&self) -> bool {
        let demo = BUILT_IN.iter().find(|agent| agent.is_called("demo"));
        demo.is_some_and(|demo| self.command == demo.command(false))
    }

    /// Whether it is asked to tell what it does as messages.
    pub fn tells_messages(&self) -> bool {
        self.provider.is_some() || holds(&self.command, "stream-json")
    }

    /// The command line of a run. What is put in is never looked at again; arguments whose placeholder
    /// has no value are left out.
    ///
    /// A prompt that no argument can hold is given as a file that the agent is told to read.
    ///
    /// # Errors
    /// `Model`, or `NoProgram` when our own program is asked for and not given.
    pub fn command_line(&self, given: &Given<'_>) -> Result<CommandLine, AgentError> {
        if let Some(model) = given.model.filter(|model| model.starts_with('-')) {
            return Err(AgentError::Model {
                model: model.into(),
            });
        }
        let mut parts = self.command.iter().map(|argument| match argument {
            Argument::One(own) if own == "{chant}" => given.own_program.to_vec(),
            argument => {
                let filled = pieces(argument).iter().map(|piece| filled(piece, given));
                filled.collect::<Option<Vec<String>>>().unwrap_or_default()
            }
        });
        let mut argv = parts.next().unwrap_or_default();
        if argv.first().is_none_or(String::is_empty) {
            let name = self.name.clone();
            return Err(AgentError::NoProgram { name });
        }
        argv.extend(parts.flatten());
        Ok(CommandLine {
            argv,
            prompt_on_stdin: self.delivery == Delivery::Stdin,
        })
    }
}

fn pieces(argument: &Argument) -> &[String] {
    match argument {
        Argument::One(one) => std::slice::from_ref(one),
        Argument::Together(several) => several,
    }
}

fn holds(command: &[Argument], placeholder: &str) -> bool {
    let mut pieces = command.iter().flat_map(pieces);
    pieces.any(|piece| piece.contains(placeholder))
}

/// How a command gives the prompt when nothing is said about it.
fn delivery(command: &[Argument]) -> Delivery {
    if holds(command, "{prompt}") {
        Delivery::Argument
    } else if holds(command, "{prompt_file}") {
        Delivery::File
    } else {
        Delivery::Stdin
    }
}

/// An argument with its placeholders replaced, each once; `None` when one has no value.
fn filled(argument: &str, given: &Given<'_>) -> Option<String> {
    static PLACEHOLDER: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\{([a-z_]+)\}").ok());
    let Some(placeholder) = PLACEHOLDER.as_ref() else {
        return Some(argument.to_owned());
    };
    let mut is_whole = true;
    let filled = placeholder.replace_all(argument, |found: &Captures<'_>| {
        let value = match &found[1] {
            "prompt" => Some(prompt_argument(given)),
            "prompt_file" => Some(given.prompt_file.to_owned()),
            "model" => given.model.map(str::to_owned),
            "worktree" => Some(given.worktree.to_owned()),
            "spec_id" => Some(given.spec_id.to_owned()),
            "mcp_config" => given.mcp_config.map(str::to_owned),
            "git_dir" => given.git_dir.map(str::to_owned),
            _ => return found[0].to_owned(),
        };
        is_whole &= value.is_some();
        value.unwrap_or_default()
    });
    is_whole.then(|| filled.into_owned())
}

/// The prompt as an argument; what none can hold, or what could be taken for an option, is named.
fn prompt_argument(given: &Given<'_>) -> String {
    let is_too_long = given.prompt.len() > LONGEST_ARGUMENT;
    if is_too_long || given.prompt.starts_with('-') || given.prompt.contains('\0') {
        format!("Read and execute the task in {}", given.prompt_file)
    } else {
        given.prompt.to_owned()
    }
}

/// The model of a run: the spec's own, that of `CHANT_MODEL`, of `ANTHROPIC_MODEL`, the agent's, the
/// configured one.
pub fn model(
    spec: &Spec,
    agent: &Agent,
    environment: &BTreeMap<String, String>,
    config: &Config,
) -> Option<String> {
    let own = spec.model.as_deref().filter(|model| !model.is_empty());
    own.map(str::to_owned)
        .or_else(|| of_environment(environment))
        .or_else(|| agent.model.clone())
        .or_else(|| config.model.clone())
}

/// The model that splits a spec: that of `CHANT_SPLIT_MODEL`, the one configured for splits, else that of
/// a run, else `sonnet` for agents that know models by the names of that family.
pub fn split_model(
    spec: &Spec,
    agent: &Agent,
    environment: &BTreeMap<String, String>,
    config: &Config,
) -> Option<String> {
    let told = environment.get("CHANT_SPLIT_MODEL").cloned();
    told.filter(|model| !model.is_empty())
        .or_else(|| config.split_model.clone())
        .or_else(|| model(spec, agent, environment, config))
        .or_else(|| agent.knows_sonnet().then(|| "sonnet".to_owned()))
}

/// The model that work here is done with, as far as anything but the work says.
pub fn usual_model(environment: &BTreeMap<String, String>, config: &Config) -> Option<String> {
    of_environment(environment).or_else(|| config.model.clone())
}

fn of_environment(environment: &BTreeMap<String, String>) -> Option<String> {
    let names = ["CHANT_MODEL", "ANTHROPIC_MODEL"].into_iter();
    let mut models = names.filter_map(|name| environment.get(name));
    models.find(|model| !model.is_empty()).cloned()
}
