//! Agents: the start of each, as lists of arguments and never as text for a shell (reference chant
//! 6.5).

pub mod built_in;
pub mod discovery;
pub mod environment;
pub mod events;
pub mod http;
pub mod messages;
pub mod messages_of_others;
#[cfg(unix)]
pub mod probe;
mod token_file;
pub mod workers;

pub use chant_agents::placeholders;

use std::collections::BTreeMap;

use self::built_in::{AgentState, BUILT_IN, BuiltIn, ProgramName, UnconfinedLaunch};
use self::http::ModelProvider;
use self::placeholders::{CommandLine, CommandPlaceholders};
use chant_agents::transcript::SessionSettings;
use chant_config::Config;
use chant_config::runs::{AgentSettings, ArgumentGroup, PromptDelivery, RunSettings};
use chant_specs::model::Spec;

/// The reasons why an agent cannot be started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AgentError {
    /// No agent has that name.
    #[error("Unknown agent '{name}'. Known agents: {}. Add it below `agents:` in .chant/config.md with its `command`.", known.join(", "))]
    Unknown {
        /// Its name.
        name: String,
        /// The known agents.
        known: Vec<String>,
    },
    /// No agent is configured, and none was found.
    #[error(
        "No agent is configured, and no known agent is on the PATH. A person lists the known agents with `chant-mcp agents list` and installs one, for example with `npm install -g @anthropic-ai/claude-code`. The built-in agent `demo` shows what a run does."
    )]
    NoAgent,
    /// Its command does not pass the prompt.
    #[error(
        "The command of agent '{name}' does not pass the prompt: expected an argument with {expected}, or `prompt: stdin`."
    )]
    NoPrompt {
        /// Its name.
        name: String,
        /// The missing placeholder.
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
    #[error("'{model}' is not a valid model: it begins with a dash. Correct `model`.")]
    Model {
        /// The model.
        model: String,
    },
    /// Its runs are not confined, and it would not limit itself.
    #[error(
        "Agent '{name}' was not started: runs are not confined here, and {title} has no limits of its own: {why}. A person sees with `chant-mcp confine --check` what confines runs. Otherwise name another agent, or allow it everything with `agents: {{{name}: {{skip_permissions: true}}}}` in your own configuration."
    )]
    Unguarded {
        /// Its name.
        name: String,
        /// Its name for people.
        title: &'static str,
        /// The reason why it does not limit itself.
        why: &'static str,
    },
    /// A limit is configured for which it has no option.
    #[error(
        "Agent '{name}' was not started: it has no flag for `limits.{limit}`. Remove the limit, or name another agent; a person sees with `chant-mcp agents list` which agents have one."
    )]
    Limit {
        /// Its name.
        name: String,
        /// The key below `limits`.
        limit: &'static str,
    },
    /// Its settings do not say how it goes on with a session.
    #[error(
        "Agent '{name}' cannot go on with its session: {why}. Correct its `resume` and `transcripts`, or remove both."
    )]
    Session {
        /// Its name.
        name: String,
        /// The fault.
        why: String,
    },
    /// It uses a model over HTTP, and a setting for that is missing.
    #[error("Cannot start agent '{name}': {why}")]
    Provider {
        /// Its name.
        name: String,
        /// The missing setting, and where it belongs.
        why: String,
    },
}

impl AgentError {
    /// Returns the values in the sentence, by name.
    pub fn details(&self) -> serde_json::Value {
        match self {
            Self::Unknown { name, known } => serde_json::json!({"agent": name, "known": known}),
            Self::NoPrompt { name, .. }
            | Self::NoProgram { name }
            | Self::Unguarded { name, .. }
            | Self::Session { name, .. }
            | Self::Provider { name, .. } => {
                serde_json::json!({"agent": name})
            }
            Self::NoAgent => serde_json::json!({}),
            Self::Limit { name, limit } => serde_json::json!({"agent": name, "limit": limit}),
            Self::Model { model } => serde_json::json!({"model": model}),
        }
    }
}

/// Variables and their values.
type VariableList = Vec<(String, String)>;

/// A program that works on specs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// Its name in records.
    pub name: String,
    /// Its own model, if it has one.
    pub model: Option<String>,
    /// True if it acts without asking, although it is not confined.
    pub skips_permissions: bool,
    /// The model behind it, if our own program is the agent.
    pub provider: Option<ModelProvider>,
    /// Its template; a command of the configuration has none.
    pub template: Option<&'static BuiltIn>,
    /// The configured format of its events, or the plugin that reads them.
    pub events: Option<String>,
    /// The place of its own state, if we know it.
    pub state: Option<&'static AgentState>,
    /// Patterns of the files of a session below its state; none if it cannot go on with one.
    pub transcripts: Vec<String>,
    /// The program that is started in place of the template's.
    program: Option<String>,
    /// The whole command, or the arguments behind those of the template.
    command: Vec<ArgumentGroup>,
    delivery: PromptDelivery,
}

impl Agent {
    /// Returns the agent of a name: built in, configured, or built in with settings.
    ///
    /// # Errors
    /// `Unknown`, or a command that cannot work.
    pub fn named(runs: &RunSettings, name: &str) -> Result<Self, AgentError> {
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

    /// Returns the agent that works if none is named.
    ///
    /// # Errors
    /// `NoAgent` when none is configured and none was found, or as [`Agent::named`].
    pub fn of_provider(runs: &RunSettings) -> Result<Self, AgentError> {
        let name = runs.provider().ok_or(AgentError::NoAgent)?;
        Self::named(runs, name)
    }

    /// Returns the agent with a name, called `called`; settings under that name come first.
    fn known(runs: &RunSettings, name: &str, called: &str) -> Option<Result<Self, AgentError>> {
        let built_in = template(name);
        let names = [Some(called), Some(name), built_in.map(|agent| agent.name)];
        let settings = names
            .into_iter()
            .flatten()
            .find_map(|name| runs.agents.get(name));
        let default = AgentSettings::default();
        match (built_in, settings) {
            (built_in, Some(own)) if own.command.is_some() => {
                let state = built_in.map(|agent| &agent.state);
                let agent = Self::of(runs, called, own, None);
                Some(agent.map(|agent| Self { state, ..agent }))
            }
            (Some(built_in), own) => {
                let own = own.unwrap_or(&default);
                Some(Self::of(runs, called, own, Some(built_in)))
            }
            (None, _) => None,
        }
    }

    fn of(
        runs: &RunSettings,
        name: &str,
        settings: &AgentSettings,
        template: Option<&'static BuiltIn>,
    ) -> Result<Self, AgentError> {
        let skips = settings.skip_permissions;
        refuse_wrong_session(name, settings, template)?;
        let mut command = settings.command.clone().unwrap_or_default();
        if skips {
            command.extend(settings.skip_arguments.iter().cloned());
        }
        command.extend(settings.resume.iter().cloned());
        let protocol = template.and_then(|template| template.protocol);
        let provider = protocol.map(|protocol| ModelProvider::of(protocol, &runs.providers));
        if let Some(provider) = &provider {
            command.extend(provider.arguments());
        }
        let mut agent = Self {
            name: name.into(),
            model: settings.model.clone(),
            events: settings.events.clone(),
            skips_permissions: skips,
            provider,
            template,
            state: template.map(|template| &template.state),
            transcripts: match template {
                Some(template) if settings.transcripts.is_empty() => template
                    .transcripts
                    .iter()
                    .map(|&one| one.to_owned())
                    .collect(),
                _ => settings.transcripts.clone(),
            },
            program: None,
            command,
            delivery: PromptDelivery::Stdin,
        };
        let whole = agent.whole(true)?;
        agent.delivery = settings.prompt.unwrap_or_else(|| delivery(&whole.0));
        agent.checked(&whole.0)?;
        Ok(agent)
    }

    fn checked(&self, command: &[ArgumentGroup]) -> Result<(), AgentError> {
        let program = command.first().and_then(|first| pieces(first).first());
        if program.is_none_or(String::is_empty) {
            let name = self.name.clone();
            return Err(AgentError::NoProgram { name });
        }
        let expected = match self.delivery {
            PromptDelivery::Stdin => return Ok(()),
            PromptDelivery::Argument => "{prompt}",
            PromptDelivery::File => "{prompt_file}",
        };
        if holds(command, expected) {
            return Ok(());
        }
        Err(AgentError::NoPrompt {
            name: self.name.clone(),
            expected,
        })
    }

    /// Returns the same agent behind another program that takes the same arguments.
    #[must_use]
    pub fn behind(mut self, program: &str) -> Self {
        self.program = Some(program.into());
        self
    }

    /// Returns the names of its program, unless one is configured; empty for commands of the
    /// configuration and for our own program.
    pub fn programs(&self) -> &'static [ProgramName] {
        match (self.template, &self.program) {
            (Some(template), None) => template.programs,
            _ => &[],
        }
    }

    /// Returns the variables of ours that it gets besides those for all agents.
    pub fn credentials(&self) -> Vec<&'static str> {
        self.template.map(BuiltIn::credentials).unwrap_or_default()
    }

    /// Returns true if `sonnet` may be its model: of the built-in agents others use models of other
    /// makers.
    fn knows_sonnet(&self) -> bool {
        let named = || {
            template(
                self.command
                    .first()
                    .and_then(|first| pieces(first).first())?,
            )
        };
        let template = self.template.or_else(named);
        template.is_none_or(|template| template.knows_sonnet)
    }

    /// Returns the name of the format of its events.
    pub fn events(&self) -> &'static str {
        match self.template {
            Some(template) => template.events,
            None if holds(&self.command, "stream-json") => "claude",
            None => "plain",
        }
    }

    /// Returns the name of its template, or the program of its command.
    fn program(&self) -> Option<&str> {
        if let Some(template) = self.template {
            return Some(template.name);
        }
        let first = self.command.first().and_then(|first| pieces(first).first());
        first.map(String::as_str)
    }

    /// Returns true if it is the built-in one without a model.
    fn is_demo(&self) -> bool {
        self.template.is_some_and(|own| own.is_called("demo"))
    }

    /// Returns true if it is started to report its work as messages.
    pub fn reports_messages(&self) -> bool {
        self.events() != "plain"
    }

    /// Returns its command, with the placeholders of each run, and its variables, in one of its
    /// forms.
    ///
    /// # Errors
    /// `Unguarded`.
    pub fn words(&self, is_confined: bool) -> Result<(Vec<String>, VariableList), AgentError> {
        let (command, variables) = self.whole(is_confined)?;
        let words = command.iter().flat_map(pieces).cloned();
        Ok((words.collect(), variables))
    }

    /// Returns true if the prompt goes to its standard input.
    pub fn reads_prompt_from_stdin(&self) -> bool {
        self.delivery == PromptDelivery::Stdin
    }

    /// Returns command and variables, in the form for confined runs or for others.
    fn whole(&self, is_confined: bool) -> Result<(Vec<ArgumentGroup>, VariableList), AgentError> {
        let Some(template) = self.template else {
            return Ok((self.command.clone(), Vec::new()));
        };
        let (form, variables) = match (&template.guarded, is_confined, self.skips_permissions) {
            (_, true, _) => (&template.confined, template.confined.variables),
            // It is not confined then, so no text may claim so.
            (_, false, true) => (&template.confined, &[][..]),
            (UnconfinedLaunch::By(form), false, false) => (form, form.variables),
            (UnconfinedLaunch::Not(why), false, false) => {
                return Err(AgentError::Unguarded {
                    name: self.name.clone(),
                    title: template.title,
                    why,
                });
            }
        };
        let program = self.program.as_deref();
        let program = program.unwrap_or_else(|| template.usual_program());
        let mut command = template.command(form, program);
        command.extend(self.command.iter().cloned());
        let variables = [template.quiet, variables].concat();
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        Ok((command, variables.into_iter().map(owned).collect()))
    }

    /// Returns its start for a run. Inserted values are never expanded again; arguments and
    /// variables whose placeholder has no value are left out.
    ///
    /// A prompt that no argument can hold is written to a file, and the agent is asked to read
    /// that.
    ///
    /// # Errors
    /// `Model`; `Unguarded` if nothing would limit its actions; `NoProgram` if our own program is
    /// needed and not given; `Limit` for a limit without an option.
    pub fn command_line(&self, given: &CommandPlaceholders<'_>) -> Result<CommandLine, AgentError> {
        if let Some(model) = given.model.filter(|model| model.starts_with('-')) {
            return Err(AgentError::Model {
                model: model.into(),
            });
        }
        let (command, variables) = self.whole(given.is_confined)?;
        if given.turns.is_some() && !holds(&command, "{turns}") {
            return Err(AgentError::Limit {
                name: self.name.clone(),
                limit: "turns",
            });
        }
        let mut parts = command.iter().flat_map(|argument| match argument {
            ArgumentGroup::One(own) if own == "{chant}" => vec![given.own_program.to_vec()],
            argument => placeholders::arguments(pieces(argument), given),
        });
        let mut argv = parts.next().unwrap_or_default();
        if argv.first().is_none_or(String::is_empty) {
            let name = self.name.clone();
            return Err(AgentError::NoProgram { name });
        }
        argv.extend(parts.flatten());
        let variables = variables
            .into_iter()
            .filter_map(|(name, value)| Some((name, placeholders::text(&value, given)?)));
        Ok(CommandLine {
            argv,
            variables: variables.collect(),
            files: self.files(given),
            prompt_on_stdin: self.delivery == PromptDelivery::Stdin,
        })
    }

    /// Returns the files that a confined run writes into the agent's state before it starts.
    fn files(&self, given: &CommandPlaceholders<'_>) -> Vec<(String, String)> {
        let files = self
            .template
            .map_or(&[][..], |template| template.state.files);
        let filled = files.iter().filter_map(|(name, text)| {
            Some(((*name).to_owned(), placeholders::text(text, given)?))
        });
        filled.collect()
    }
}

/// Refuses settings of a session that name nothing to go on with.
fn refuse_wrong_session(
    name: &str,
    settings: &AgentSettings,
    template: Option<&'static BuiltIn>,
) -> Result<(), AgentError> {
    let session = SessionSettings {
        is_built_in: template.is_some_and(|template| !template.transcripts.is_empty()),
        has_resume: !settings.resume.is_empty(),
        names_session: holds(&settings.resume, "{session}"),
        patterns: &settings.transcripts,
    };
    let name = name.to_owned();
    let refused = |why| Err(AgentError::Session { name, why });
    session.fault().map_or(Ok(()), refused)
}

/// Returns the template with a name.
pub fn template(name: &str) -> Option<&'static BuiltIn> {
    BUILT_IN.iter().copied().find(|agent| agent.is_called(name))
}

/// Returns all templates, in the order in which an agent is chosen if the configuration names none.
pub fn templates() -> impl Iterator<Item = &'static BuiltIn> {
    BUILT_IN.iter().copied()
}

fn pieces(argument: &ArgumentGroup) -> &[String] {
    match argument {
        ArgumentGroup::One(one) => std::slice::from_ref(one),
        ArgumentGroup::Together(several) => several,
    }
}

fn holds(command: &[ArgumentGroup], placeholder: &str) -> bool {
    let mut pieces = command.iter().flat_map(pieces);
    pieces.any(|piece| piece.contains(placeholder))
}

/// Returns the way in which a command passes the prompt by default.
fn delivery(command: &[ArgumentGroup]) -> PromptDelivery {
    if holds(command, "{prompt}") {
        PromptDelivery::Argument
    } else if holds(command, "{prompt_file}") {
        PromptDelivery::File
    } else {
        PromptDelivery::Stdin
    }
}

/// Returns the model of a run: the spec's own, that of `CHANT_MODEL`, of `ANTHROPIC_MODEL`, the
/// agent's, the configured one.
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

/// Returns the model that splits a spec: that of `CHANT_SPLIT_MODEL`, the one configured for
/// splits, else that of a run, else `sonnet` for agents that know models by the names of that
/// family.
pub fn split_model(
    spec: &Spec,
    agent: &Agent,
    environment: &BTreeMap<String, String>,
    config: &Config,
) -> Option<String> {
    let wanted = environment.get("CHANT_SPLIT_MODEL").cloned();
    wanted
        .filter(|model| !model.is_empty())
        .or_else(|| config.split_model.clone())
        .or_else(|| model(spec, agent, environment, config))
        .or_else(|| agent.knows_sonnet().then(|| "sonnet".to_owned()))
}

/// Returns the default model of work here, without settings of a spec or an agent.
pub fn usual_model(environment: &BTreeMap<String, String>, config: &Config) -> Option<String> {
    of_environment(environment).or_else(|| config.model.clone())
}

fn of_environment(environment: &BTreeMap<String, String>) -> Option<String> {
    let names = ["CHANT_MODEL", "ANTHROPIC_MODEL"].into_iter();
    let mut models = names.filter_map(|name| environment.get(name));
    models.find(|model| !model.is_empty()).cloned()
}
