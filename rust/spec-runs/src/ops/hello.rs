//! Tests whether an agent starts where runs do: held as they are, with its own state as in a run.

use std::time::Duration;

use super::agents::environment;
use super::confine::TrialFolders;
use crate::agents::Agent;
use crate::agents::placeholders::{CommandLine, CommandPlaceholders};
use crate::error::SpecRunError;
use crate::runtime::agent_launch;
use crate::runtime::folder_namespaces::NamespaceRequest;
use crate::runtime::run_confinement::{self, ConfinedActor};
use crate::view::doctor::HelloView;
use chant_base::error::Error;
use chant_config::Config;
use chant_config::run_environment::RouteUser;
use chant_confine::start::ProcessInput;
use chant_specs::project::Project;
use chant_store::disk;
use chant_work::command::{CommandLimits, CommandOptions, CommandOutcome, CommandRunner};

/// The question for a model.
const QUESTION: &str = "Answer with the single word OK. Use no tools and change nothing.";
/// Characters of what a program wrote that are shown.
const MAX_SHOWN: usize = 600;

/// Starts an agent in a folder that is held as that of a run: for its release alone, which costs nothing, or for one
/// answer of its model.
///
/// # Errors
/// What makes the agent unfit, or what the configuration asks for and cannot be held; a failure of the disk.
pub(super) fn hello(
    project: &Project,
    config: &Config,
    agent: &Agent,
    is_live: bool,
) -> Result<HelloView, Error> {
    let trial = TrialFolders::new(project)?;
    let tried = try_in(&trial, project, config, agent, is_live);
    trial.remove();
    let ended = tried?;
    let bytes = [&ended.beginning[..], &ended.end[..]].concat();
    let text = String::from_utf8_lossy(&bytes);
    let is_answered = !is_live || text.contains("OK");
    Ok(HelloView {
        is_live,
        works: ended.exit_code == Some(0) && is_answered,
        told: end_of(&text, &ended),
    })
}

fn try_in(
    trial: &TrialFolders,
    project: &Project,
    config: &Config,
    agent: &Agent,
    is_live: bool,
) -> Result<CommandOutcome, Error> {
    let is_confined = run_confinement::is_held(project, config)?;
    let folder = trial.own.display().to_string();
    let prompt_file = trial.own.join("prompt.md");
    disk::create_owned(&prompt_file, QUESTION)?;
    let private = run_confinement::state_of_agent(&trial.own)
        .display()
        .to_string();
    let model = agent.model.clone().or_else(|| config.model.clone());
    let CommandLine {
        mut argv,
        variables,
        files,
        prompt_on_stdin,
    } = agent
        .command_line(&CommandPlaceholders {
            prompt: QUESTION,
            prompt_file: &prompt_file.display().to_string(),
            model: model.as_deref(),
            worktree: &folder,
            private: is_confined.then_some(&private),
            openai_base_url: agent_launch::openai_base_url(project),
            own_program: &project.program,
            is_confined,
            ..CommandPlaceholders::default()
        })
        .map_err(SpecRunError::from)?;
    if !is_live {
        argv.truncate(1);
        argv.push("--version".into());
    }
    let trusted = agent_launch::trusted_line(project, agent, is_confined)?;
    let held = ConfinedActor::Agent(&trusted, agent.state, &files);
    let repo = project.repo()?;
    let namespaces = match repo.as_deref().filter(|_| is_live) {
        Some(repo) => NamespaceRequest {
            project,
            config,
            repo,
            worktree: &trial.own,
            mark: None,
            user: RouteUser::Agents,
            lends: true,
            has_services: false,
        }
        .hold()?,
        None => None,
    };
    let hold = run_confinement::of_run(project, config, repo.as_deref(), &trial.own, held, None)?;
    let mut found = match agent.template {
        Some(template) => environment(project, config, template),
        None => agent_launch::passed_environment(project, config, &[]).variables,
    };
    found.extend(variables);
    found.extend(hold.variables);
    let started = CommandOptions {
        folder: &trial.own,
        environment: &found,
        input: if is_live && prompt_on_stdin {
            ProcessInput::File(disk::open(&prompt_file, "the prompt")?.0.into())
        } else {
            ProcessInput::Nothing
        },
        confinement: &hold.confinement,
    };
    let bounds = CommandLimits {
        time: Duration::from_secs(if is_live { 120 } else { 30 }),
        kept: 64 * 1024,
    };
    let ended = CommandRunner::default().run_held(&argv, started, bounds, &mut || ())?;
    drop(namespaces);
    Ok(ended)
}

/// Returns the end of what a program wrote, for people.
fn end_of(text: &str, ended: &CommandOutcome) -> String {
    let printable = |c: &char| !c.is_control() || *c == '\n';
    let shown: Vec<char> = text.trim().chars().filter(printable).collect();
    let end: String = shown[shown.len().saturating_sub(MAX_SHOWN)..]
        .iter()
        .collect();
    if ended.exit_code == Some(0) {
        return end;
    }
    format!("it {ended}: {end}")
}
