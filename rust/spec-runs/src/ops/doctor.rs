//! Reports the conditions for work here: git, agents, and the part of our environment that these get.

use std::collections::BTreeMap;
use std::sync::Arc;

#[cfg(unix)]
use super::agents::environment as environment_of;
#[cfg(unix)]
use super::hello::hello;
#[cfg(unix)]
use super::shared_remote::look_at_remote;
use super::work_load::account_uses;
use crate::agents::placeholders::CommandPlaceholders;
#[cfg(unix)]
use crate::agents::probe::AgentProbe;
use crate::agents::workers::workers;
use crate::agents::{Agent, template, usual_model};
use crate::project::ProjectRuns;
#[cfg(unix)]
use crate::runtime::login_copy::RunLogin;
#[cfg(unix)]
use crate::runtime::{mounted_layers, run_confinement};
#[cfg(unix)]
use crate::view::doctor::HelloView;
use crate::view::doctor::{
    ConfiguredAgentView, DoctorReport, EnvironmentView, GitView, InstalledAgentView, PassedVariable,
};
use chant_base::answer::Answer;
use chant_base::environment::{PassedNames, filter_environment, is_secret};
use chant_base::error::Error;
use chant_config::Config;
use chant_git::Repo;
use chant_specs::error::ChantError;
use chant_specs::project::Project;
use chant_store::disk::{Lock, weak_promises};
use chant_trust::TrustReason;

/// Reports the conditions for work, for `chant-mcp doctor`. The agents that would work are started for what they
/// say of themselves; with `is_live` their models are asked once, which costs. Where clones share specs their
/// remote is tried with refs of its own, which are removed. Nothing else is changed.
///
/// # Errors
/// A failure to read the project's files.
pub fn doctor(project: &Project, is_live: bool) -> Result<Answer, Error> {
    let left = project.interruptions().into_iter();
    let mut problems: Vec<String> = left
        .map(|problem| format!("{}: {}", problem.path, problem.message))
        .collect();
    let (has_specs, config) = configuration(project, &mut problems)?;
    let git = git(project, has_specs, &mut problems);
    let mut unknown = Vec::new();
    let agents = agents(&config, &mut unknown);
    let seen = agents
        .iter()
        .map(|agent| look(project, &config, agent, is_live));
    let seen: Vec<ConfiguredAgentView> = seen.collect();
    if has_specs {
        problems.extend(unknown);
        problems.extend(seen.iter().flat_map(wrong));
        problems.extend(seen.iter().filter_map(missing));
        problems.extend(
            agents
                .iter()
                .filter_map(|agent| unready(project, &config, agent)),
        );
        problems.extend(
            agents
                .iter()
                .filter_map(|agent| ended_login(project, &config, agent)),
        );
    }
    let remote = look_at_remote(project, &config, &mut problems);
    Ok(Answer::data(&DoctorReport {
        version: env!("CARGO_PKG_VERSION"),
        root: project.root().display().to_string(),
        has_specs,
        trust: trust_line(project),
        confinement: confinement_line(project, &config, &mut problems),
        file_system: project.file_system().map(|(_, line)| line),
        git,
        remote,
        environment: environment(project, &config, agents.first()),
        accounts: account_uses(project, &config),
        others: others(project, &agents),
        agents: seen,
        problems,
    }))
}

/// Tries no remote: without runs nothing is shared.
#[cfg(not(unix))]
fn look_at_remote(_: &Project, _: &Config, _: &mut Vec<String>) -> Option<String> {
    None
}

/// Says whether a person trusts the folder as it is now, and why, in a sentence.
fn trust_line(project: &Project) -> String {
    let report = project.trust_report();
    match report.ground {
        Some(TrustReason::Hash) => format!("trusted: a person agreed to {}", report.summary),
        Some(TrustReason::UserRoots) => {
            "trusted: `trust.roots` of your own configuration names it".into()
        }
        Some(TrustReason::Caller) => "trusted by the hash that was given".into(),
        None => format!(
            "not trusted: {}; look with `chant-mcp trust --show`",
            report.summary
        ),
    }
}

/// Says how runs would be held, in a sentence.
#[cfg(unix)]
fn confinement_line(project: &Project, config: &Config, problems: &mut Vec<String>) -> String {
    match run_confinement::confinement_status(project, config) {
        Ok(status) => {
            let network = config.confine.describe_network();
            let layers = dependencies_line(project, config);
            let closed = chant_confine::describe_closed(&project.environment);
            format!("{status}{network}{layers}{closed}")
        }
        Err(error) => {
            problems.push(error.to_string());
            "runs cannot be confined as the configuration asks for".into()
        }
    }
}

/// Says how runs get what recipes install, as the rest of a sentence; nothing where there are no recipes.
#[cfg(unix)]
fn dependencies_line(project: &Project, config: &Config) -> &'static str {
    let can_mount = || {
        let repo = project.repository().ok()?;
        let layers = crate::project::folders::layers_folder(project, config, &repo).ok()?;
        mounted_layers::can_mount(project, config, &layers).ok()
    };
    if config.runs.environment.recipes.is_empty() {
        return "";
    }
    if can_mount().unwrap_or(false) {
        "; dependencies are mounted"
    } else {
        "; dependencies are copied: this system mounts nothing for a user"
    }
}

/// Says how runs would be held, in a sentence.
#[cfg(not(unix))]
fn confinement_line(_: &Project, _: &Config, _: &mut Vec<String>) -> String {
    "not confined: there are no runs on this system yet".into()
}

/// Returns whether there are specs, and the configuration; defaults where that cannot be read.
fn configuration(
    project: &Project,
    problems: &mut Vec<String>,
) -> Result<(bool, Arc<Config>), Error> {
    match project.snapshot() {
        Ok(snapshot) => {
            // Whether there are locks is known when one was taken.
            drop(
                project
                    .folder_lock()
                    .and_then(|specs| Lock::try_take(&specs)),
            );
            problems.extend(
                weak_promises()
                    .iter()
                    .map(|promise| promise.sentence().to_owned()),
            );
            let config = snapshot.config.unwrap_or_else(|error| {
                problems.push(error.to_string());
                Arc::default()
            });
            Ok((true, config))
        }
        Err(error) => {
            match error.downcast_ref() {
                Some(ChantError::NotInitialized { .. }) => {}
                Some(ChantError::SpecsGone(_)) => problems.push(error.to_string()),
                _ => return Err(error),
            }
            Ok((false, Arc::default()))
        }
    }
}

fn git(project: &Project, has_specs: bool, problems: &mut Vec<String>) -> GitView {
    let program = found(project, "git");
    if program.is_none() {
        problems.push("There is no program `git` on the PATH; runs need it.".into());
    }
    let repo = project.repo().unwrap_or_else(|error| {
        problems.push(error.to_string());
        None
    });
    let by = repo.as_ref().and_then(|repo| commits_by(project, repo));
    if has_specs && repo.is_none() {
        problems.push(
            "The project is in no git repository; runs need one. `git init` makes it.".into(),
        );
    }
    if has_specs && repo.is_some() && by.is_none() {
        problems.push("Git does not know by whom commits are. `git config --global user.name \"Your Name\"` and `git config --global user.email you@example.org` set it.".into());
    }
    GitView {
        program,
        common_dir: repo.map(|repo| repo.common_dir().display().to_string()),
        commits_by: by,
    }
}

/// By whom commits of runs are: our own environment says it first.
fn commits_by(project: &Project, repo: &Repo) -> Option<String> {
    let own = |name: &str| project.environment.get(name).filter(|own| !own.is_empty());
    let user = repo.user().ok().flatten();
    let name = own("GIT_AUTHOR_NAME").or(user.as_ref().map(|(name, _)| name))?;
    let email = own("GIT_AUTHOR_EMAIL").or(user.as_ref().map(|(_, email)| email))?;
    Some(format!("{name} <{email}>"))
}

/// The agents that are configured, the provider's first.
fn agents(config: &Config, problems: &mut Vec<String>) -> Vec<Agent> {
    let mut all = Vec::new();
    match Agent::of_provider(&config.runs) {
        Ok(agent) => all.push(agent),
        Err(error) => problems.push(error.to_string()),
    }
    match workers(&config.runs) {
        Ok(workers) => all.extend(workers.into_iter().map(|worker| worker.agent)),
        Err(error) if all.is_empty() => drop(error),
        Err(error) => problems.push(error.to_string()),
    }
    let mut names = Vec::new();
    all.retain(|agent| {
        let is_new = !names.contains(&agent.name);
        names.push(agent.name.clone());
        is_new
    });
    all
}

fn look(project: &Project, config: &Config, agent: &Agent, is_live: bool) -> ConfiguredAgentView {
    let given = CommandPlaceholders {
        own_program: &project.program,
        is_confined: true,
        ..CommandPlaceholders::default()
    };
    let agent = agent.located(project.surroundings());
    let line = agent.command_line(&given);
    let argv = line.map(|line| line.argv).unwrap_or_default();
    let program = argv.into_iter().next().unwrap_or_default();
    ConfiguredAgentView {
        name: agent.name.clone(),
        path: found(project, &program),
        program,
        installed: installed(project, config, &agent, is_live),
    }
}

/// Other known agents that are installed.
fn others(project: &Project, agents: &[Agent]) -> Vec<&'static str> {
    let found = project.surroundings().agents().into_iter();
    let found = found.map(|found| found.template.name);
    let is_other = |name: &&str| {
        let mut known = agents.iter().filter_map(|agent| agent.template);
        known.all(|template| template.name != *name)
    };
    found.filter(is_other).collect()
}

/// Returns the answers of an installed agent about itself.
#[cfg(unix)]
fn installed(
    project: &Project,
    config: &Config,
    agent: &Agent,
    is_live: bool,
) -> Option<InstalledAgentView> {
    let template = agent.template?;
    let mut found = project.surroundings().agents().into_iter();
    let found = found.find(|found| found.template.name == template.name)?;
    let environment = environment_of(project, config, template);
    let probe = AgentProbe {
        agent: &found,
        environment: &environment,
    };
    let login = probe.login();
    let is_set = |name: &&str| environment.contains_key(*name);
    let hello = hello(project, config, agent, is_live).unwrap_or_else(|error| HelloView {
        is_live,
        works: false,
        told: error.to_string(),
    });
    Some(InstalledAgentView {
        version: probe.release(),
        tested_release: template.tested,
        logged_in: login.as_ref().map(Result::is_ok),
        login: login.map(|login| match login {
            Ok(sign) => sign.to_string(),
            Err(asked) => format!("`{asked}`"),
        }),
        login_of_runs: run_login(project, config, agent).map(|login| login.describe()),
        passed: template.credentials().into_iter().filter(is_set).collect(),
        unknown_flags: probe.unknown_flags(),
        hello,
    })
}

/// Returns the answers of an installed agent about itself where none is started yet.
#[cfg(not(unix))]
fn installed(_: &Project, _: &Config, _: &Agent, _: bool) -> Option<InstalledAgentView> {
    None
}

/// Returns the problems of an installed agent, each with what to do.
fn wrong(agent: &ConfiguredAgentView) -> Vec<String> {
    let Some(seen) = &agent.installed else {
        return Vec::new();
    };
    let (name, mut wrong) = (&agent.name, Vec::new());
    if seen.logged_in == Some(false) {
        let how = template(name).map_or("", |template| template.log_in);
        wrong.push(format!("Agent '{name}' is not logged in: {how}."));
    }
    let unknown = seen.unknown_flags.as_deref().unwrap_or_default();
    if !unknown.is_empty() {
        let tested = seen.tested_release.map_or_else(String::new, |release| {
            format!(" Release {release} of it is known to work.")
        });
        wrong.push(format!(
            "Agent '{name}' is started with {}, but the help of the installed release does not list that.{tested} Install that release, or give a `command` below `agents: {{{name}: …}}`.",
            unknown.join(", ")
        ));
    }
    if !seen.hello.works {
        let what = if seen.hello.is_live {
            "did not answer"
        } else {
            "does not start"
        };
        wrong.push(format!(
            "Agent '{name}' {what} where runs work: {}. `chant-mcp confine -- {} --version` tries it by hand.",
            seen.hello.told, agent.program
        ));
    }
    wrong
}

/// Where a program is.
fn found(project: &Project, program: &str) -> Option<String> {
    let path = project.environment.get("PATH");
    let found = which::which_in(program, path, project.root());
    found.ok().map(|path| path.display().to_string())
}

fn missing(agent: &ConfiguredAgentView) -> Option<String> {
    let ConfiguredAgentView { name, program, .. } = agent;
    agent.path.is_none().then(|| {
        format!("Agent '{name}' cannot be started: there is no program `{program}` on the PATH. Install it, or name another agent with `defaults.provider` in .chant/config.md.")
    })
}

fn unready(project: &Project, config: &Config, agent: &Agent) -> Option<String> {
    let model = agent.model.clone();
    let model = model.or_else(|| usual_model(&project.environment, config));
    let ready = agent.refuse_unready(model.as_deref(), &project.environment);
    ready.err().map(|error| error.to_string())
}

/// Returns the login that a run of an agent would work with; what makes that unknown is a problem already.
#[cfg(unix)]
fn run_login(project: &Project, config: &Config, agent: &Agent) -> Option<RunLogin> {
    RunLogin::of(project, config, agent).ok().flatten()
}

/// Returns the problem of a login that has ended.
#[cfg(unix)]
fn ended_login(project: &Project, config: &Config, agent: &Agent) -> Option<String> {
    let refused = run_login(project, config, agent)?.refuse_ended((project.clock.now)());
    refused.err().map(|error| error.to_string())
}

/// Returns nothing: there are no runs on this system yet.
#[cfg(not(unix))]
fn ended_login(_: &Project, _: &Config, _: &Agent) -> Option<String> {
    None
}

/// Returns the part of our environment that an agent would get.
fn environment(project: &Project, config: &Config, agent: Option<&Agent>) -> EnvironmentView {
    let credentials = agent.map(Agent::credentials).unwrap_or_default();
    let configured = &config.runs.passed;
    let beside = PassedNames {
        credentials: &credentials,
        configured,
    };
    let found = filter_environment(&project.environment, beside);
    // A name that a person adds may well be that of a secret, whatever it is called.
    let is_hidden = |name: &str| {
        is_secret(name) || credentials.contains(&name) || configured.iter().any(|own| own == name)
    };
    EnvironmentView {
        passed: shown(&found.variables, &is_hidden),
        withheld: found.withheld,
        configured: configured.clone(),
    }
}

fn shown(
    variables: &BTreeMap<String, String>,
    is_hidden: &dyn Fn(&str) -> bool,
) -> Vec<PassedVariable> {
    let shown = variables.iter().map(|(name, value)| PassedVariable {
        name: name.clone(),
        // The address of a proxy may hold a password.
        shown: if is_hidden(name) || value.contains('@') {
            format!("…({} characters)", value.chars().count())
        } else {
            value.clone()
        },
    });
    shown.collect()
}
