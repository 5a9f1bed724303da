//! Prepares the start of an agent on a machine of a cluster: in its place the runner starts a job client,
//! which is confined as the agent would be.

use std::path::PathBuf;

use serde_json::json;

use super::agent_launch::{LaunchInputs, bounds, choose_agent, event_plan, name_of};
use super::committer::committer_variables;
use super::run_confinement::{self, ConfinedActor};
use super::run_folder::in_git;
use super::sandbox_support::package;
use crate::agents;
use crate::cluster::job::{ClusterJob, SCHEMA, address_of};
use crate::cluster::placer::ClusterPlacer;
use crate::cluster::watchers;
use crate::project::ProjectRuns;
use crate::project::run_tree::RunTreeContext;
use crate::prompt;
use chant_agent_events::EventFormat;
use chant_base::environment::{PassedNames, filter_environment};
use chant_base::error::Error;
use chant_config::Config;
use chant_specs::error::ChantError;
use chant_specs::model::Spec;
use chant_specs::project::Project;
use chant_work::agent::{AgentInput, AgentJob, AgentLimits};
use chant_work::run_log::{LineFilter, SecretMask, secrets};
use chant_work::run_record::{RunOptions, RunRecord};
use chant_work::spending::EventPlan;

/// The confinement of an agent elsewhere, before its machine reports it.
pub(crate) const CONFINED_THERE: &str = "confined by the rules of the machine that it works on";
/// The program that hands a job to a placer, in our own package.
const CLIENT: &str = "cluster/job_client.py";
/// The options with which Python starts it: nothing of the user's is imported.
const ISOLATED: [&str; 2] = ["-I", "-S"];
/// The time that a job client gets to end: its worker has to answer, and commits come back.
const GRACE: std::time::Duration = std::time::Duration::from_secs(20);
/// The most bytes of an order that goes along with a job, and comes back in its result.
pub(crate) const LARGEST_ORDER: usize = 128 * 1024;
/// The start of a line of the agent's log in what a job client writes.
const LOGGED: &str = "log ";

/// The lines of the log among those of a job client.
const LOG_LINES: LineFilter = |line| {
    let line = line.trim_end_matches(['\r', '\n']);
    let is_event = line.starts_with('{');
    match line.strip_prefix(LOGGED) {
        Some(line) => Some(vec![line.to_owned()]),
        None if is_event => Some(Vec::new()),
        None => None,
    }
};

/// Refuses to have another machine work on a spec that it would not get, or with an agent that no
/// worker has; starts the placer where none lives.
///
/// # Errors
/// What forbids the start.
pub(crate) fn refuse_unplaceable(
    project: &Project,
    config: &Config,
    spec: &Spec,
    on: &str,
    asked: &RunOptions,
    agents: &[String],
) -> Result<(), Error> {
    let repo = project.repository()?;
    let context = RunTreeContext {
        project,
        config,
        repo: &repo,
    };
    refuse_untracked(context, &context.base_branch(asked.base.as_deref())?, spec)?;
    let placer = ClusterPlacer::of(project, config, on)?;
    placer.ensure()?;
    let status = placer.status().unwrap_or_default();
    if let Some(why) = acting_there(project).and_then(|hash| status.lacks_trust(&hash)) {
        return Err(ChantError::Refused(why).into());
    }
    let lacking = agents.iter().map(|agent| status.lacks_agent(agent));
    let lacking: Option<Vec<String>> = lacking.collect();
    match lacking.and_then(|lacking| lacking.into_iter().next()) {
        None => Ok(()),
        Some(why) => Err(ChantError::Refused(why).into()),
    }
}

/// Returns the hash of what acts in a project on other machines, which is what comes with its commits; `None` where
/// nothing does.
fn acting_there(project: &Project) -> Option<String> {
    let acting = project.acting_now().of_commits();
    (!acting.is_empty()).then(|| acting.hash())
}

fn refuse_untracked(
    context: RunTreeContext<'_, '_>,
    target: &str,
    spec: &Spec,
) -> Result<(), Error> {
    let (project, repo) = (context.project, context.repo);
    if project.holds_orders() {
        // It goes along with the job.
        return Ok(());
    }
    let spec_in_git = in_git(project, repo, &spec.path)?;
    let is_tracked = repo.file_at(target, &spec_in_git)?.is_some()
        || repo.is_tracked(&project.root().join(&*spec.path))?;
    if is_tracked {
        return Ok(());
    }
    Err(untracked(spec))
}

fn untracked(spec: &Spec) -> Error {
    let message = format!(
        "Git does not track spec '{}', so another machine cannot get it. Commit {}, and start again.",
        spec.id, spec.path
    );
    ChantError::Refused(message).into()
}

/// The facts from which the start of an agent elsewhere is prepared.
pub(super) struct PlacedLaunch<'a> {
    pub inputs: &'a LaunchInputs<'a>,
    pub record: &'a RunRecord,
}

impl PlacedLaunch<'_> {
    /// Returns the order of an item as it goes along with the job; `None` for a spec, which comes with its commits.
    fn order(&self) -> Result<Option<String>, Error> {
        let inputs = self.inputs;
        if !inputs.project.holds_orders() {
            let of_commits = inputs.place.is_tracked.then_some(None);
            return of_commits.ok_or_else(|| untracked(inputs.spec));
        }
        let order = inputs.place.copy_text(inputs.project)?;
        if order.as_ref().map_or(0, String::len) > LARGEST_ORDER {
            let message = format!(
                "What the documents of this item say has more than {LARGEST_ORDER} bytes, which is too much for a cluster. Start it without `--on`."
            );
            return Err(ChantError::Refused(message).into());
        }
        Ok(order)
    }

    /// Returns the job client as it is to be started.
    ///
    /// # Errors
    /// `NoCluster`, a job that may not be sent, or a `StoreError`.
    pub(super) fn job(&self, on: &str) -> Result<AgentJob, Error> {
        let LaunchInputs {
            project,
            repo,
            config,
            spec,
            place,
            asked,
            ..
        } = *self.inputs;
        let order = self.order()?;
        let placer = ClusterPlacer::of(project, config, on)?;
        let access = placer
            .access()?
            .ok_or_else(|| placer.refused("its placer has ended"))?;
        let agent = choose_agent(config, asked)?;
        let model = agents::model(spec, &agent, &project.environment, config);
        let name = prompt::choose_prompt(
            asked.prompt.as_deref(),
            spec,
            &config.runs.prompt,
            &|name| project.has_prompt(name),
        );
        let mut secrets = secrets(&project.environment);
        let (inside, record) = (place.root.strip_prefix(&place.worktree), self.record);
        let account = record.account.as_deref();
        let job = ClusterJob {
            schema: SCHEMA,
            key: format!(
                "{}.{}.{:016x}",
                record.process_id,
                record.token,
                fastrand::u64(..)
            ),
            process_id: &record.process_id,
            spec: spec.id.as_str(),
            order,
            token: record.token,
            project: name_of(project, config),
            remote: address_of(repo, config)?,
            target: &place.target,
            branch: &place.branch,
            inside: inside.unwrap_or(&place.root).display().to_string(),
            agent: &agent.name,
            account,
            model: model.as_deref(),
            prompt: &name,
            skip_criteria: asked.skip_criteria,
            acting: acting_there(project),
        };
        let job = job.value(&SecretMask::new(&secrets)?)?;
        let watched = watchers::make_mark(&place.worktree)?;
        let settings = json!({
            "socket": access.socket,
            "secret": access.secret,
            "job": job,
            "folder": place.worktree,
            "first": place.base,
            "watched": watched,
            "avoid": asked.avoid,
        });
        secrets.push(access.secret);
        let argv = client_line(project)?;
        let held = ConfinedActor::JobClient(&argv, &access.socket, &watched);
        let hold =
            run_confinement::of_run(project, config, Some(repo), &place.worktree, held, None)?;
        let none = PassedNames {
            credentials: &[],
            configured: &[],
        };
        let mut environment = filter_environment(&project.environment, none).variables;
        environment.extend(committer_variables(project, repo)?);
        environment.extend(hold.variables);
        Ok(AgentJob {
            model,
            prompt: name,
            argv,
            reads: Some(LOG_LINES),
            withheld: Vec::new(),
            secrets,
            environment: environment
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            folder: place.worktree.clone(),
            launcher: hold.launcher,
            confinement: hold.confinement,
            input: AgentInput::Text(format!("{settings}\n")),
            // The worker keeps to the limits of time: what waits for a worker does not work yet.
            limits: AgentLimits {
                grace: GRACE,
                ..bounds(project, config)
            },
            connecting: None,
            plan: placed_plan(event_plan(project, config, &agent, account, asked)),
            name: agent.name,
        })
    }
}

/// Returns the handling of a job's events: the worker reads the agent's, and tries again, too.
fn placed_plan(plan: EventPlan) -> EventPlan {
    EventPlan {
        format: EventFormat::Placed,
        program: None,
        delays: Vec::new(),
        ..plan
    }
}

/// Returns the command line of a job client.
fn client_line(project: &Project) -> Result<Vec<String>, Error> {
    let client = package(project).map(|package: PathBuf| package.join(CLIENT));
    let (Some(python), Some(client)) = (project.program.first(), client) else {
        let why = "runs are started by the server and the command line only";
        return Err(ChantError::Refused(why.into()).into());
    };
    let mut argv = vec![python.clone()];
    argv.extend(ISOLATED.map(str::to_owned));
    argv.push(client.display().to_string());
    Ok(argv)
}
