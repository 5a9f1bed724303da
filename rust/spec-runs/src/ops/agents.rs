//! The known agents, and which of them are here.

use std::collections::BTreeMap;

use crate::agents::built_in::{BuiltIn, StateRelocation, UnconfinedLaunch};
use crate::agents::discovery::{InstalledAgent, LoginSign};
use crate::agents::{Agent, AgentError, template, templates};
use crate::error::SpecRunError;
use crate::project::ProjectRuns;
use crate::view::agents::{AgentList, AgentListEntry, AgentView, CommandView};
use chant_base::answer::Answer;
use chant_base::environment::{PassedNames, filter_environment};
use chant_base::error::Error;
use chant_config::Config;
use chant_config::runs::RunSettings;
use chant_specs::project::Project;

/// Lists the agents, for `chant-mcp agents list`. Installed agents are asked for their release, and who is
/// logged in, unless `is_quick`: then nothing is started.
///
/// # Errors
/// A problem with the configuration.
pub fn agents_list(project: &Project, is_quick: bool) -> Result<Answer, Error> {
    let config = project.configuration_without_specs()?;
    let looked = look(project, &config, is_quick, |template| {
        template.is_installed_by_people()
    });
    let chosen = config.runs.provider().map(str::to_owned);
    Ok(Answer::data(&AgentList {
        agents: looked,
        chosen,
    }))
}

/// Shows one agent, for `chant-mcp agents show NAME`.
///
/// # Errors
/// If no agent has that name; a problem with the configuration.
pub fn agent_show(project: &Project, name: &str) -> Result<Answer, Error> {
    let config = project.configuration_without_specs()?;
    let Some(template) = template(name) else {
        let known = templates().map(|template| template.name.to_owned());
        return Err(SpecRunError::from(AgentError::Unknown {
            name: name.into(),
            known: known.collect(),
        })
        .into());
    };
    let mut looked = look(project, &config, false, |one| one.name == template.name);
    let known = looked.pop().ok_or_else(|| {
        SpecRunError::from(AgentError::Unknown {
            name: name.into(),
            known: Vec::new(),
        })
    })?;
    // Its template, whatever the configuration says of it.
    let agent = Agent::named(&RunSettings::default(), template.name).map_err(SpecRunError::from)?;
    let credentials = template.credentials();
    let is_set = |name: &&str| {
        let value = project.environment.get(*name);
        value.is_some_and(|value| !value.is_empty())
    };
    Ok(Answer::data(&AgentView {
        known,
        confined: shown(&agent, template, true)?,
        guarded: shown(&agent, template, false).ok(),
        guarded_refusal: match template.guarded {
            UnconfinedLaunch::By(_) => None,
            UnconfinedLaunch::Not(why) => Some(why),
        },
        passed: credentials.iter().copied().filter(is_set).collect(),
        accepted: credentials,
        state: state(template),
        copied: template.state.login.to_vec(),
        limits: limits(&agent),
        resume: (!template.resume.is_empty()).then(|| template.resume.join(" ")),
        events: template.events,
    }))
}

/// Agents that are known, with what is here of them.
fn look(
    project: &Project,
    config: &Config,
    is_quick: bool,
    is_meant: impl Fn(&BuiltIn) -> bool,
) -> Vec<AgentListEntry> {
    let found = project.surroundings().agents();
    let chosen = config.runs.provider();
    let meant: Vec<&'static BuiltIn> = templates().filter(|one| is_meant(one)).collect();
    // They are asked at once: each takes its time to start.
    std::thread::scope(|scope| {
        let asked: Vec<_> = meant
            .into_iter()
            .map(|template| {
                let found = found.iter().find(|one| one.template.name == template.name);
                let is_chosen = chosen.is_some_and(|name| template.is_called(name));
                scope.spawn(move || {
                    let self_report =
                        found.map(|found| query_agent(project, config, found, is_quick));
                    known(template, found, self_report.unwrap_or_default(), is_chosen)
                })
            })
            .collect();
        let ended = asked.into_iter().map(std::thread::ScopedJoinHandle::join);
        ended.filter_map(Result::ok).collect()
    })
}

/// The answers of an installed agent about itself.
#[derive(Default)]
pub(super) struct AgentSelfReport {
    pub(super) release: Option<String>,
    pub(super) login: Option<Result<LoginSign, String>>,
}

/// Asks an installed agent.
#[cfg(unix)]
pub(super) fn query_agent(
    project: &Project,
    config: &Config,
    found: &InstalledAgent,
    is_quick: bool,
) -> AgentSelfReport {
    let environment = environment(project, config, found.template);
    let probe = crate::agents::probe::AgentProbe {
        agent: found,
        environment: &environment,
    };
    if is_quick {
        return AgentSelfReport {
            release: None,
            login: found.login.clone().map(Ok),
        };
    }
    AgentSelfReport {
        release: probe.release(),
        login: probe.login(),
    }
}

/// Returns the facts about an installed agent where none is started yet.
#[cfg(not(unix))]
pub(super) fn query_agent(
    _: &Project,
    _: &Config,
    found: &InstalledAgent,
    _: bool,
) -> AgentSelfReport {
    AgentSelfReport {
        release: None,
        login: found.login.clone().map(Ok),
    }
}

/// Returns the environment of an agent that is asked something.
pub(super) fn environment(
    project: &Project,
    config: &Config,
    template: &BuiltIn,
) -> BTreeMap<String, String> {
    let beside = PassedNames {
        credentials: &template.credentials(),
        configured: &config.runs.passed,
    };
    let mut variables = filter_environment(&project.environment, beside).variables;
    let quiet = template
        .quiet
        .iter()
        .filter(|(_, value)| !value.contains('{'));
    variables.extend(quiet.map(|&(name, value)| (name.to_owned(), value.to_owned())));
    variables.insert("NO_COLOR".into(), "1".into());
    variables
}

fn known(
    template: &'static BuiltIn,
    found: Option<&InstalledAgent>,
    self_report: AgentSelfReport,
    is_chosen: bool,
) -> AgentListEntry {
    AgentListEntry {
        name: template.name,
        title: template.title,
        aliases: template.aliases.to_vec(),
        path: found.map(|found| found.path.display().to_string()),
        version: self_report.release,
        logged_in: self_report.login.as_ref().map(Result::is_ok),
        login: self_report.login.map(|login| match login {
            Ok(sign) => sign.to_string(),
            Err(asked) => format!("`{asked}`"),
        }),
        is_tested: template.tested.is_some(),
        tested_release: template.tested,
        is_chosen,
        can_be_guarded: matches!(template.guarded, UnconfinedLaunch::By(_)),
        install: template.install,
        log_in: template.log_in,
        note: template.note,
    }
}

fn shown(
    agent: &Agent,
    template: &'static BuiltIn,
    is_confined: bool,
) -> Result<CommandView, Error> {
    let (argv, variables) = agent.words(is_confined).map_err(SpecRunError::from)?;
    let files = template.state.files.iter().copied();
    Ok(CommandView {
        argv,
        variables: variables.into_iter().collect(),
        files: files.filter(|_| is_confined).collect(),
        prompt_on_stdin: agent.reads_prompt_from_stdin(),
    })
}

fn limits(agent: &Agent) -> Vec<&'static str> {
    let words = agent.words(true).unwrap_or_default().0;
    let all = [("{turns}", "turns"), ("{cost_usd}", "cost_usd")];
    let known = all.into_iter().filter(|(placeholder, _)| {
        let mut words = words.iter();
        words.any(|word| word.contains(placeholder))
    });
    known.map(|(_, name)| name).collect()
}

fn state(template: &BuiltIn) -> String {
    match template.state.place {
        StateRelocation::Nowhere => "it has none".into(),
        StateRelocation::Variable(name, usual) => {
            format!("a private folder that goes with the run, by {name}, in the place of ~/{usual}")
        }
        StateRelocation::Home(own) => format!(
            "a private home folder that goes with the run and leads to yours, but to ~/{}",
            own.join(", ~/")
        ),
    }
}
