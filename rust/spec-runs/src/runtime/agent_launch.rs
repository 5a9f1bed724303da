//! Prepares an agent's start: its prompt, its command line, its environment, and a way to our
//! server (reference chant 6.4 and 6.5).

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;

use super::account_room::{account_variables, allowance_of, with_accounts};
use super::agent_slots::runs_at_once;
use super::item_environment::item_environment;
use super::login_copy::refuse_ended_login;
use super::own_files::masked_values;
use super::plugin_checks::call_line;
use super::run_confinement::{self, ConfinedActor};
use super::run_folder::RunFolder;
use super::run_prompts::prompt_text;
use crate::agents::environment::EnvironmentMap;
use crate::agents::events::{event_reader_of, format_of, reads_of, spending, unheld_limit};
use crate::agents::placeholders::{CommandLine, CommandPlaceholders, OwnServer};
use crate::agents::workers::workers;
use crate::agents::{self, Agent, AgentError};
use crate::error::SpecRunError;
use crate::project::ProjectRuns;
use crate::project::folders::{self, CONNECT, PROMPT, SERVER};
use crate::prompt::{self, PromptParts, PromptWorktree};
use chant_agent_events::OWN_SERVER;
use chant_base::environment::{PassedEnvironment, PassedNames, filter_environment as passed_of};
use chant_base::error::Error;
use chant_base::money::UsdAmount;
use chant_config::Config;
use chant_confine::ConfinementStatus;
use chant_git::Repo;
use chant_specs::error::ChantError;
use chant_specs::model::Spec;
use chant_specs::project::{AgreedPrompts, Project};
use chant_store::disk;
use chant_store::files::{self, RootFolder};
use chant_work::agent::{AgentInput, AgentJob, AgentLimits};
use chant_work::connections::ConnectionOptions;
use chant_work::event_program::EventProgramCall;
use chant_work::run_log::LogLimits;
use chant_work::run_record::RunOptions;
use chant_work::spending::EventPlan;

/// The greatest size of a line in the log, in bytes.
const LINE: usize = 16 * 1024;
/// True if an agent's tools reach us through the runner on this system.
const IS_SERVED: bool = cfg!(target_os = "linux");

/// The variable that keeps runs from making control groups, with the value `off`.
const CGROUPS: &str = "CHANT_CGROUPS";
/// The time that a process gets to end after it was asked to.
const GRACE_PERIOD: Duration = Duration::from_secs(5);

/// The facts from which an agent's start is prepared.
pub(super) struct LaunchInputs<'a> {
    pub project: &'a Project,
    pub repo: &'a Repo,
    pub config: &'a Config,
    pub spec: &'a Spec,
    pub place: &'a RunFolder,
    pub asked: &'a RunOptions,
    /// The variables of the run alone: its ports, and those of its environment.
    pub own_variables: &'a [(String, String)],
    /// The words of people on the work, as a part of the prompt.
    pub review: Option<&'a str>,
}

/// Returns the agent that a start asks for, or the configured one.
pub(crate) fn choose_agent(config: &Config, asked: &RunOptions) -> Result<Agent, Error> {
    let asked = asked.agent.as_deref().or(config.runs.provider());
    let name = asked
        .ok_or(AgentError::NoAgent)
        .map_err(SpecRunError::from)?;
    let workers = workers(&config.runs).unwrap_or_default().into_iter();
    if let Some(worker) = workers
        .map(|worker| worker.agent)
        .find(|agent| agent.name == name)
    {
        return Ok(worker);
    }
    Ok(Agent::named(&config.runs, name).map_err(SpecRunError::from)?)
}

/// Refuses an agent that cannot be started as a start asks for it: what its program needs elsewhere is looked
/// at on the machine that it works on.
pub(crate) fn refuse_unfit_start(
    project: &Project,
    config: &Config,
    agent: &Agent,
    spec: &Spec,
    asked: &RunOptions,
) -> Result<(), Error> {
    if asked.on.is_none() {
        return refuse_unfit_agent(project, config, agent, spec);
    }
    match unheld_limit(agent, &config.runs.limits) {
        Some(why) => Err(ChantError::Refused(why).into()),
        None => Ok(()),
    }
}

/// Refuses an agent that cannot be started for a spec: its program is missing, or its model is
/// invalid.
pub(crate) fn refuse_unfit_agent(
    project: &Project,
    config: &Config,
    agent: &Agent,
    spec: &Spec,
) -> Result<(), Error> {
    if let Some(why) = unheld_limit(agent, &config.runs.limits) {
        return Err(ChantError::Refused(why).into());
    }
    let model = agents::model(spec, agent, &project.environment, config);
    let environment = with_accounts(config, project, &agent.name);
    agent
        .refuse_unready(model.as_deref(), &environment)
        .map_err(SpecRunError::from)?;
    refuse_ended_login(project, config, agent)?;
    let agent = agent.located(project.surroundings());
    let given = CommandPlaceholders {
        model: model.as_deref(),
        turns: config.runs.limits.turns(),
        is_confined: run_confinement::is_held(project, config)?,
        own_program: &project.program,
        ..CommandPlaceholders::default()
    };
    let line = agent.command_line(&given).map_err(SpecRunError::from)?;
    let program = line.argv.first().map(String::as_str).unwrap_or_default();
    let path = project.environment.get("PATH");
    if which::which_in(program, path, project.root()).is_ok() {
        return Ok(());
    }
    let message = format!(
        "Cannot start agent '{}': there is no program `{program}` on the PATH. Install it, or name another agent with `defaults.provider` in .chant/config.md.",
        agent.name
    );
    Err(ChantError::Refused(message).into())
}

/// Returns an agent's command line as the user configured it, without anything from a spec.
pub(crate) fn trusted_line(
    project: &Project,
    agent: &Agent,
    is_confined: bool,
) -> Result<Vec<String>, Error> {
    let line = agent.command_line(&CommandPlaceholders {
        own_program: &project.program,
        is_confined,
        ..CommandPlaceholders::default()
    });
    Ok(line.map_err(SpecRunError::from)?.argv)
}

/// Returns the command lines of checks, for agents with rules of their own.
pub(super) fn check_lines(config: &Config) -> Vec<String> {
    let checks = config.runs.checks.values();
    checks.map(|argv| argv.join(" ")).collect()
}

/// Returns the address of a model with OpenAI's protocol, if our environment has one.
pub(crate) fn openai_base_url(project: &Project) -> Option<&str> {
    let address = project.environment.get("OPENAI_BASE_URL")?;
    Some(address.as_str()).filter(|address| !address.is_empty())
}

/// Returns the name of the project: the configured one, else that of its folder.
pub(crate) fn name_of(project: &Project, config: &Config) -> String {
    let folder = project.root().file_name().unwrap_or_default();
    match config.project_name.as_str() {
        "" => folder.to_string_lossy().into_owned(),
        name => name.to_owned(),
    }
}

/// Returns the part of our environment that an agent with these credentials, or a check, gets.
pub(crate) fn passed_environment(
    project: &Project,
    config: &Config,
    credentials: &[&str],
) -> PassedEnvironment {
    let configured = &config.runs.passed;
    passed_of(
        &project.environment,
        PassedNames {
            credentials,
            configured,
        },
    )
}

/// Returns the confinement of a run that is started, as it is shown to people, and the limits that nothing enforces.
pub(crate) fn describe_start(
    project: &Project,
    config: &Config,
    confinement: &ConfinementStatus,
) -> String {
    let network = config.confine.describe_network();
    match bounds(project, config).unenforced() {
        None => format!("{confinement}{network}"),
        Some(key) => format!(
            "{confinement}{network}; `{key}` has no effect here: it needs control groups of version 2 with limits of memory"
        ),
    }
}

/// Returns the limits for every process of a spec.
pub(crate) fn bounds(project: &Project, config: &Config) -> AgentLimits {
    let limits = &config.runs.limits;
    let output = limits.output();
    AgentLimits {
        run: None,
        idle: None,
        output: Some(output),
        room: LogLimits {
            line: LINE,
            log: output.saturating_mul(2),
        },
        processes: Some(limits.processes()),
        memory: limits.memory(),
        may_use_cgroup: project
            .environment
            .get(CGROUPS)
            .is_none_or(|value| value != "off"),
        grace: GRACE_PERIOD,
    }
}

/// Returns the handling of an agent's events.
pub(super) fn event_plan(
    project: &Project,
    config: &Config,
    agent: &Agent,
    account: Option<&str>,
    asked: &RunOptions,
) -> EventPlan {
    let at_once = runs_at_once(config, &agent.name, asked);
    EventPlan {
        allowance: Some(allowance_of(config, account, &agent.name, at_once)),
        format: format_of(agent),
        program: event_reader_of(agent).map(|name| event_program(project, config, name)),
        spending: spending(&config.runs.limits),
        delays: config.runs.retries.delays(),
    }
}

/// Returns the way to start the plugin that reads an agent's events.
fn event_program(project: &Project, config: &Config, name: &str) -> EventProgramCall {
    let plugins = &config.plugins;
    let request = json!({
        "kind": "event_readers",
        "name": name,
        "seconds": plugins.seconds,
        "is_off": plugins.off.contains(name),
    });
    EventProgramCall {
        argv: call_line(project),
        environment: project.environment.clone().into_iter().collect(),
        folder: project.root().to_path_buf(),
        request: request.to_string(),
        // It has the same time again to begin.
        time: plugins.time() * 2,
    }
}

impl LaunchInputs<'_> {
    /// Returns the agent as it is to be started, with what its account gives it.
    ///
    /// # Errors
    /// The fault in prompt or agent, or a `StoreError`.
    pub(super) fn job(
        &self,
        agreed: &AgreedPrompts,
        account: Option<&str>,
    ) -> Result<AgentJob, Error> {
        let agent = choose_agent(self.config, self.asked)?.located(self.project.surroundings());
        // Hours may lie between the start of a chain and this agent's.
        refuse_ended_login(self.project, self.config, &agent)?;
        let model = agents::model(self.spec, &agent, &self.project.environment, self.config);
        let name = prompt::choose_prompt(
            self.asked.prompt.as_deref(),
            self.spec,
            &self.config.runs.prompt,
            &|name| self.project.has_prompt(name),
        );
        let prompt = self.prompt(&name, agreed)?;
        let is_confined = run_confinement::is_held(self.project, self.config)?;
        let limits = &self.config.runs.limits;
        let CommandLine {
            argv,
            variables,
            files,
            prompt_on_stdin,
        } = self.command_line(&agent, &prompt, None)?;
        let server = folders::sibling_file(&self.place.worktree, SERVER);
        let trusted = trusted_line(self.project, &agent, is_confined)?;
        let held = ConfinedActor::Agent(&trusted, agent.state, &files);
        let of_account = account_variables(self.config, self.project, account)?;
        let own = variables.into_iter().chain(of_account.clone()).collect();
        let job = self.job_for(argv, held, Some(&server), &agent.credentials(), own)?;
        let of_account = of_account.into_iter().map(|(_, value)| value);
        let item = item_environment(self.config, self.spec);
        let folder = item.and_then(|item| item.folder.as_ref());
        Ok(AgentJob {
            folder: folder.map_or(job.folder.clone(), |inside| job.folder.join(inside)),
            secrets: job.secrets.iter().cloned().chain(of_account).collect(),
            plan: event_plan(self.project, self.config, &agent, account, self.asked),
            reads: reads_of(&agent),
            name: agent.name,
            model,
            prompt: name,
            input: input_of(prompt, prompt_on_stdin),
            limits: AgentLimits {
                run: Some(limits.run()),
                idle: Some(limits.idle()),
                ..bounds(self.project, self.config)
            },
            ..job
        })
    }

    /// Returns the same start with another prompt, in a session that it goes on with.
    ///
    /// # Errors
    /// As [`LaunchInputs::job`].
    pub(super) fn resumed_job(
        &self,
        usual: &AgentJob,
        prompt: &str,
        session: &str,
    ) -> Result<AgentJob, Error> {
        let agent = choose_agent(self.config, self.asked)?.located(self.project.surroundings());
        let line = self.command_line(&agent, prompt, Some(session))?;
        Ok(AgentJob {
            argv: line.argv,
            input: input_of(prompt.to_owned(), line.prompt_on_stdin),
            ..usual.clone()
        })
    }

    /// Returns an agent's command line, after the files that it names are written.
    fn command_line(
        &self,
        agent: &Agent,
        prompt: &str,
        session: Option<&str>,
    ) -> Result<CommandLine, Error> {
        let prompt_file = self.write_beside(PROMPT, prompt)?;
        let own_server = self.server();
        let server = self.write_beside(SERVER, &shown_server(&own_server))?;
        let is_confined = run_confinement::is_held(self.project, self.config)?;
        let private = shown(&run_confinement::state_of_agent(&self.place.worktree));
        let model = agents::model(self.spec, agent, &self.project.environment, self.config);
        let limits = &self.config.runs.limits;
        let line = agent.command_line(&CommandPlaceholders {
            prompt,
            prompt_file: &shown(&prompt_file),
            session,
            model: model.as_deref(),
            worktree: &shown(&self.place.root),
            spec_id: self.spec.id.as_str(),
            mcp_config: Some(&shown(&server)),
            server: Some(&own_server),
            git_dir: Some(&shown(&self.place.worktree.join(".git"))),
            private: is_confined.then_some(&private),
            checks: &check_lines(self.config),
            turns: limits.turns(),
            // It counts its money after each turn, and reports it to us only at its end.
            cost_usd: limits.cost_usd.map(UsdAmount::dollars),
            openai_base_url: openai_base_url(self.project),
            own_program: &self.project.program,
            is_confined,
        });
        Ok(line.map_err(SpecRunError::from)?)
    }

    /// Returns a check that a criterion names, ready to be started.
    ///
    /// # Errors
    /// A `StoreError`.
    pub(crate) fn check(&self, name: &str, argv: &[String]) -> Result<AgentJob, Error> {
        self.checking(format!("check {name}"), argv, ConfinedActor::Check(argv))
    }

    /// Returns a service, or a command about it, ready to be started: it writes its folder of data, too.
    ///
    /// # Errors
    /// A `StoreError`.
    pub(super) fn service(
        &self,
        name: &str,
        argv: &[String],
        private: &Path,
        data: &Path,
    ) -> Result<AgentJob, Error> {
        let actor = ConfinedActor::Service(argv, private, data);
        Ok(AgentJob {
            name: name.to_owned(),
            ..self.job_for(argv.to_vec(), actor, None, &[], Vec::new())?
        })
    }

    /// Returns a call of git that runs one of the hooks in a folder, ready to be started.
    ///
    /// # Errors
    /// A `StoreError`.
    pub(super) fn hook(&self, argv: &[String], hooks: &Path) -> Result<AgentJob, Error> {
        self.checking("hook".into(), argv, ConfinedActor::Hook(argv, hooks))
    }

    fn checking(
        &self,
        name: String,
        argv: &[String],
        actor: ConfinedActor<'_>,
    ) -> Result<AgentJob, Error> {
        Ok(AgentJob {
            name,
            limits: AgentLimits {
                run: Some(self.config.runs.limits.check()),
                ..bounds(self.project, self.config)
            },
            ..self.job_for(argv.to_vec(), actor, None, &[], Vec::new())?
        })
    }

    fn job_for(
        &self,
        argv: Vec<String>,
        held: ConfinedActor<'_>,
        server: Option<&Path>,
        credentials: &[&str],
        own: Vec<(String, String)>,
    ) -> Result<AgentJob, Error> {
        let PassedEnvironment {
            mut variables,
            withheld,
        } = passed_environment(self.project, self.config, credentials);
        variables.extend(self.own_variables.iter().cloned());
        variables.extend(own);
        // Files that the run reads exist before it gets access to them.
        let mut environment = self.environment(server, variables)?;
        let connecting = server.and_then(|_| self.connecting());
        let hold = run_confinement::of_run(
            self.project,
            self.config,
            Some(self.repo),
            &self.place.worktree,
            held,
            connecting.as_ref().map(|how| &*how.folder),
        )?;
        environment.extend(hold.variables);
        let is_of_agent = matches!(held, ConfinedActor::Agent(..));
        Ok(AgentJob {
            name: String::new(),
            model: None,
            prompt: String::new(),
            argv,
            reads: None,
            // Variables that a check does not get are not listed: they were withheld from the agent,
            // too, or are not meant for checks.
            withheld: if server.is_some() {
                withheld
            } else {
                Vec::new()
            },
            secrets: masked_values(self.project, self.config, self.repo, is_of_agent)?,
            environment: environment
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            folder: self.place.root.clone(),
            launcher: hold.launcher,
            confinement: hold.confinement,
            input: AgentInput::Empty,
            limits: bounds(self.project, self.config),
            connecting,
            plan: EventPlan::default(),
        })
    }

    /// Returns the way by which the agent's tools reach the run's own server, which works outside
    /// of the agent's confinement. The facts that the server knows of the run come from here.
    fn connecting(&self) -> Option<ConnectionOptions> {
        if !IS_SERVED || self.project.program.is_empty() {
            return None;
        }
        let folder = folders::sibling_file(&self.place.worktree, CONNECT);
        let root = shown(self.project.root());
        let words = ["--project", &root, "serve-run", &shown(&folder)].map(str::to_owned);
        let mut environment = self.project.environment.clone();
        let run = [
            ("CHANT_SPEC_ID", self.spec.id.to_string()),
            ("CHANT_WORKTREE", shown(&self.place.worktree)),
        ];
        environment.extend(run.map(|(name, value)| (name.to_owned(), value)));
        Some(ConnectionOptions {
            folder,
            argv: [&self.project.program[..], &words].concat(),
            environment,
            start: self.project.root().to_owned(),
        })
    }

    fn prompt(&self, name: &str, agreed: &AgreedPrompts) -> Result<String, Error> {
        let worktree = shown(&self.place.root);
        let project = name_of(self.project, self.config);
        let in_worktree = RootFolder::open(&self.place.root)?;
        let file = |name: &str| {
            let is_in_run = in_worktree.locate(name).is_ok();
            let root = if is_in_run {
                &in_worktree
            } else {
                &self.project.root
            };
            let text = files::read(&self.project.disk, root, name);
            text.map(|(text, _)| text)
                .map_err(|error| error.to_string())
        };
        let parts = PromptParts {
            name,
            spec: self.spec,
            project: &project,
            worktree: Some(PromptWorktree {
                path: &worktree,
                branch: &self.place.branch,
            }),
            extensions: &self.config.runs.prompt_extensions,
            prompt: &|name| prompt_text(self.project, agreed, name),
            file: &file,
        };
        let mut prompt = prompt::assemble_prompt(&parts).map_err(SpecRunError::from)?;
        if let Some(review) = self.review {
            prompt.push_str(&format!("\n{review}\n"));
        }
        Ok(prompt)
    }

    /// Returns our server as the agent's host starts it: a pipe to the run's own server, which the
    /// runner starts. It contains no secret.
    fn server(&self) -> OwnServer {
        let (program, arguments) = match self.project.program.split_first() {
            Some((program, arguments)) => (program.as_str(), arguments),
            None => ("chant-mcp", &[][..]),
        };
        let command = program.to_owned();
        if let Some(how) = self.connecting() {
            let words = ["connect".to_owned(), shown(&how.folder)];
            return OwnServer {
                command,
                arguments: [arguments, &words].concat(),
                variables: EnvironmentMap::new(),
            };
        }
        let run = [
            ("CHANT_PROJECT", shown(self.project.root())),
            ("CHANT_SPEC_ID", self.spec.id.to_string()),
            ("CHANT_WORKTREE", shown(&self.place.worktree)),
        ];
        OwnServer {
            command,
            arguments: arguments.to_vec(),
            variables: run
                .map(|(name, value)| (name.to_owned(), value))
                .into_iter()
                .collect(),
        }
    }

    /// Writes a file beside the worktree, where no commit includes it.
    ///
    /// # Errors
    /// A `StoreError`.
    pub(super) fn write_beside(&self, ending: &str, text: &str) -> Result<PathBuf, Error> {
        let path = folders::sibling_file(&self.place.worktree, ending);
        disk::remove(&path)?;
        disk::create_owned(&path, text)?;
        Ok(path)
    }
}

fn input_of(prompt: String, is_on_stdin: bool) -> AgentInput {
    if is_on_stdin {
        AgentInput::Text(prompt)
    } else {
        AgentInput::Empty
    }
}

/// Returns the file that names our server for an agent's host.
fn shown_server(server: &OwnServer) -> String {
    let text = serde_json::to_string_pretty(&json!({"mcpServers": {OWN_SERVER: server.entry()}}));
    text.unwrap_or_default() + "\n"
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
