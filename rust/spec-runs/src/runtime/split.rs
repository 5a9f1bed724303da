//! The run that splits a spec: an agent reads a copy of the project and answers with members
//! (reference chant 6.11).
//!
//! The copy is created for the run and removed with it: files as in the target branch, in a folder
//! that git does not know. So the agent's actions there harm no checkout and no branch. Its answer
//! is kept in the run's record; the spec is changed only if the proposal is to be written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::account_room::account_variables;
use super::agent_launch::{self, bounds, event_plan, name_of};
use super::login_copy::refuse_ended_login;
use super::run_confinement::{self, ConfinedActor};
use super::run_prompts::prompt_text;
use super::spec_state::{spec_of, stopped_end};
use super::split_copy::remove_copy;
use super::split_proposal::{describe_proposal, write_proposal};
use crate::agents;
use crate::agents::environment::{self, AgentContext};
use crate::agents::events::reads_of;
use crate::agents::placeholders::CommandPlaceholders;
use crate::error::SpecRunError;
use crate::project::ProjectRuns;
use crate::project::folders;
use crate::project::logs::log_name;
use crate::project::run_tree::RunTreeContext;
use crate::project::worktree_folder::{self};
use crate::prompt::{self, PromptParts, SPLIT as PROMPT};
use crate::split::{self, BadAnswer, proposal, write};
use crate::view::split::{ProposedMember, SplitProposal};
use chant_base::environment::PassedEnvironment;
use chant_base::error::Error;
use chant_base::run_variables::AGENT_VARIABLES;
use chant_config::Config;
use chant_specs::error::ChantError;
use chant_specs::id::SpecId;
use chant_specs::model::Spec;
use chant_specs::project::{AgreedPrompts, Project};
use chant_store::StoreError;
use chant_store::disk;
use chant_store::files::{self, RootFolder};
use chant_work::agent::{AgentInput, AgentJob, AgentLimits, AgentOutcome};
use chant_work::cancel_token::CancelToken;
use chant_work::handshake::StartHandshake;
use chant_work::run_log::{LogLimits, secrets};
use chant_work::run_record::{RunOptions, RunRecord, SplitRunOptions};
use chant_work::run_store::RunStore;
use chant_work::runner::{self, ActiveRun, RunEnd, RunSteps};
use chant_work::state::{RunEvent, RunState};

/// The greatest size of a line in the log, in bytes: an answer may be JSON on one line, which has
/// to stay whole.
const LINE: usize = 1024 * 1024;
/// The greatest number of proposed specs, members of members included.
const MOST: usize = 60;

/// Runs a split to its end in this process.
///
/// # Errors
/// The reason why it could not start, which the hand-shake reported too, or could not be ended.
pub(super) fn run_split(
    project: &Project,
    runs: &RunStore,
    process_id: &str,
    handshake: StartHandshake,
    interruption: &CancelToken,
) -> Result<RunState, Error> {
    let mut split = SplitRunner {
        project,
        scene: None,
    };
    let ended = runner::run(runs, process_id, handshake, interruption, &mut split);
    if let Ok(record) = runs.get(process_id) {
        remove_copy(project, &record);
    }
    Ok(ended?)
}

struct SplitRunner<'a> {
    project: &'a Project,
    scene: Option<SplitContext>,
}

/// The facts with which a split starts.
struct SplitContext {
    config: Arc<Config>,
    spec: Arc<Spec>,
    asked: SplitRunOptions,
    prompts: AgreedPrompts,
    /// The folder of this run.
    folder: PathBuf,
    /// The project's root in the copy.
    root: PathBuf,
    /// The size of the log in bytes before the agent was started.
    log_before: u64,
}

impl RunSteps for SplitRunner<'_> {
    fn begin(&mut self, run: &mut ActiveRun<'_>) -> Result<AgentJob, Error> {
        self.prepare(run)
    }

    fn give_up(&mut self, _run: &mut ActiveRun<'_>, _why: &str) {}

    fn conclude_run(
        &mut self,
        run: &mut ActiveRun<'_>,
        ended: &AgentOutcome,
    ) -> Result<RunEnd, Error> {
        if !ended.is_success() {
            return Ok(RunEnd::failed(ended.to_string()));
        }
        let Some(scene) = self.scene.take() else {
            return Ok(RunEnd::failed("What was to be split is not known any more"));
        };
        let asking = SplitQuery {
            project: self.project,
            scene,
        };
        asking.conclude(run)
    }
}

impl SplitRunner<'_> {
    fn prepare(&mut self, run: &mut ActiveRun<'_>) -> Result<AgentJob, Error> {
        let snapshot = self.project.snapshot()?;
        let prompts = self.project.refuse_untrusted_snapshot(&snapshot)?;
        let config = snapshot.config.clone()?;
        let spec = spec_of(&snapshot, &run.record().spec_id)?;
        drop(snapshot);
        run.step("Copying the project's files");
        let folder = folders::of_split(self.project, &config, &run.record().process_id)?;
        run.update(|record| {
            record.worktree = Some(shown(&folder));
            Ok(())
        })?;
        let above = folder.parent().unwrap_or(&folder);
        disk::make_folders(above)?;
        worktree_folder::write_run_mark(
            self.project,
            &folder,
            &run.record().process_id,
            spec.id.as_str(),
        )?;
        let root = self.copy(&config, &folder)?;
        run.update(|record| {
            record.worktree = Some(shown(&root));
            Ok(())
        })?;
        run.reached("after-worktree")?;
        run.step("Starting the agent");
        let asked = run.record().asked.split.unwrap_or(SplitRunOptions {
            force: false,
            recursive: false,
            max_depth: split::DEPTH,
        });
        let asking = SplitQuery {
            project: self.project,
            scene: SplitContext {
                config,
                spec: spec.clone(),
                asked,
                prompts,
                folder,
                root,
                log_before: log_length(self.project, run.record()),
            },
        };
        let job = asking.job(&spec, run.record().account.as_deref());
        self.scene = Some(asking.scene);
        job
    }

    /// Writes the project's files into a folder; without a commit there are none. Returns the
    /// project's root in there.
    fn copy(&self, config: &Config, folder: &Path) -> Result<PathBuf, Error> {
        let files = folder.join("files");
        disk::make_folders(&files)?;
        let files = disk::real(&files)?;
        let Some(repo) = self.project.repo()? else {
            return Ok(files);
        };
        let context = RunTreeContext {
            project: self.project,
            config,
            repo: &repo,
        };
        // The project's files are of use to an agent that splits, whatever is checked out.
        let target = match context.base_branch(None) {
            Ok(branch) => branch,
            Err(_) => context.main_branch()?,
        };
        if repo.branch_tip(&target)?.is_some() {
            repo.export(&target, &files)?;
        }
        let inside = self
            .project
            .path_in_repository(&repo, "")
            .unwrap_or_default();
        let root: PathBuf = files.join(inside).components().collect();
        disk::make_folders(&root)?;
        Ok(root)
    }
}

/// A request to an agent for members.
struct SplitQuery<'a> {
    project: &'a Project,
    scene: SplitContext,
}

impl SplitQuery<'_> {
    fn conclude(&self, run: &mut ActiveRun<'_>) -> Result<RunEnd, Error> {
        let spec = &self.scene.spec;
        let mut proposal = match self.answer(run, &spec.id, self.scene.log_before) {
            Ok(proposal) => proposal,
            Err(SplitFailure::Answer(bad)) => {
                let words = format!("{bad}\nThe log of the spec holds the whole answer.");
                return Ok(RunEnd::failed(words));
            }
            Err(SplitFailure::Other(error)) => return Err(*error),
        };
        if self.scene.asked.recursive {
            let ids = ids(&spec.id, &proposal.members)?;
            let mut room = MOST.saturating_sub(proposal.count());
            let SplitProposal {
                members, warnings, ..
            } = &mut proposal;
            self.deepen(run, &ids, members, 1, &mut room, warnings)?;
        }
        if run.is_asked_to_stop()? {
            return Ok(stopped_end());
        }
        let described = describe_proposal(&spec.id, &proposal);
        let value = serde_json::to_value(&proposal).ok();
        run.update(|record| {
            record.proposal.clone_from(&value);
            Ok(())
        })?;
        run.reached("after-proposal")?;
        if !self.scene.asked.force {
            return Ok(good(described));
        }
        let written = write_proposal(self.project, run.runs(), &run.record().process_id);
        Ok(good(match written {
            Ok(record) => record.reason.unwrap_or_default(),
            // The proposal is kept although it could not be written.
            Err(error) => format!("{described}\nIt could not be written at once: {error}"),
        }))
    }

    /// Returns the proposal in the agent's output since the log had `before` bytes.
    fn answer(
        &self,
        run: &ActiveRun<'_>,
        id: &SpecId,
        before: u64,
    ) -> Result<SplitProposal, SplitFailure> {
        let said = self.said(run.record(), before)?;
        let (members, warnings) = proposal::check_members(split::members_in(&said)?)?;
        // Members that could not be written later are no proposal now.
        write::render_members(&ids(id, &members)?, &members)?;
        Ok(SplitProposal {
            of: chant_git::blob(&self.scene.spec.text),
            members,
            warnings,
            written: Vec::new(),
        })
    }

    /// Returns the agent's output since the log had `before` bytes: earlier runs may have filled
    /// more than is read of a document.
    fn said(&self, record: &RunRecord, before: u64) -> Result<String, Error> {
        let name = log_name(&record.spec_id);
        let path = self.project.own_log(&record.spec_id);
        let path = path.ok_or_else(|| StoreError::Missing { path: name.clone() })?;
        let log = disk::read_from(&path, &name, before)?;
        Ok(crate::output::agent_answer(&String::from_utf8_lossy(&log)))
    }

    /// Has members that are still too complex split, and theirs. One that cannot be split stays as
    /// it is.
    fn deepen(
        &self,
        run: &mut ActiveRun<'_>,
        ids: &[SpecId],
        members: &mut [ProposedMember],
        depth: u32,
        room: &mut usize,
        warnings: &mut Vec<String>,
    ) -> Result<(), Error> {
        if depth >= self.scene.asked.max_depth {
            return Ok(());
        }
        for (id, member) in ids.iter().zip(members) {
            let spec = write::preview_member(id, ids, member).map_err(refused)?;
            if !split::is_complex(&spec, &self.scene.config) || run.is_asked_to_stop()? {
                continue;
            }
            let title = &member.title;
            match self.inner(run, &spec) {
                Ok(inner) if inner.members.len() > *room => warnings.push(format!(
                    "`{title}` is not split further: one split proposes at most {MOST} specs"
                )),
                Ok(inner) => {
                    *room -= inner.members.len();
                    let inner_warnings = inner.warnings.iter();
                    warnings.extend(inner_warnings.map(|what| format!("In `{title}`: {what}")));
                    member.members = inner.members;
                    let ids = self::ids(id, &member.members)?;
                    self.deepen(run, &ids, &mut member.members, depth + 1, room, warnings)?;
                }
                Err(SplitFailure::Answer(bad)) => {
                    warnings.push(format!("`{title}` is complex and stays whole: {bad}"));
                }
                Err(SplitFailure::Other(error)) => return Err(*error),
            }
        }
        Ok(())
    }

    fn inner(&self, run: &mut ActiveRun<'_>, spec: &Spec) -> Result<SplitProposal, SplitFailure> {
        let job = self.job(spec, run.record().account.as_deref())?;
        let before = log_length(self.project, run.record());
        let ended = run.ask(job).map_err(Error::from)?;
        if !ended.is_success() {
            return Err(SplitFailure::Answer(BadAnswer::Unfit(vec![
                ended.to_string(),
            ])));
        }
        self.answer(run, &spec.id, before)
    }

    /// Returns the agent as it is started for a spec.
    fn job(&self, spec: &Spec, account: Option<&str>) -> Result<AgentJob, Error> {
        let SplitContext {
            config,
            folder,
            root,
            ..
        } = &self.scene;
        let environment = &self.project.environment;
        let agent = agent_launch::choose_agent(config, &RunOptions::default())?
            .located(self.project.surroundings());
        refuse_ended_login(self.project, config, &agent)?;
        let is_confined = run_confinement::is_held(self.project, config)?;
        let private = shown(&run_confinement::state_of_agent(folder));
        let model = agents::split_model(spec, &agent, environment, config);
        let prompt = self.prompt(spec)?;
        let prompt_file = Self::put(folder, "prompt.md", &prompt)?;
        let spec_file = Self::put(folder, "spec.md", &spec.text)?;
        let line = agent
            .command_line(&CommandPlaceholders {
                prompt: &prompt,
                prompt_file: &shown(&prompt_file),
                model: model.as_deref(),
                worktree: &shown(root),
                spec_id: spec.id.as_str(),
                private: is_confined.then_some(&private),
                openai_base_url: agent_launch::openai_base_url(self.project),
                own_program: &self.project.program,
                is_confined,
                ..CommandPlaceholders::default()
            })
            .map_err(SpecRunError::from)?;
        let mut argv = line.argv;
        if agent.provider.is_some() {
            argv.push("--question".into());
        }
        let PassedEnvironment {
            mut variables,
            withheld,
        } = agent_launch::passed_environment(self.project, config, &agent.credentials());
        variables.extend(line.variables);
        let of_account = account_variables(config, self.project, account)?;
        variables.extend(of_account.clone());
        let trusted = agent_launch::trusted_line(self.project, &agent, is_confined)?;
        let held = ConfinedActor::Agent(&trusted, agent.state, &line.files);
        let repo = self.project.repo()?;
        let hold =
            run_confinement::of_run(self.project, config, repo.as_deref(), folder, held, None)?;
        variables.extend(hold.variables);
        let limits = &config.runs.limits;
        let bounds = bounds(self.project, config);
        Ok(AgentJob {
            plan: event_plan(
                self.project,
                config,
                &agent,
                account,
                &RunOptions::default(),
            ),
            reads: reads_of(&agent),
            name: agent.name,
            model,
            prompt: PROMPT.to_owned(),
            argv,
            environment: self.environment(spec, &spec_file, variables),
            withheld,
            folder: root.clone(),
            launcher: hold.launcher,
            confinement: hold.confinement,
            input: if line.prompt_on_stdin {
                AgentInput::Text(prompt)
            } else {
                AgentInput::Empty
            },
            limits: AgentLimits {
                run: Some(limits.run()),
                idle: Some(limits.idle()),
                room: LogLimits {
                    line: LINE,
                    ..bounds.room
                },
                ..bounds
            },
            secrets: secrets(environment)
                .into_iter()
                .chain(of_account.into_iter().map(|(_, value)| value))
                .collect(),
            connecting: None,
        })
    }

    /// Returns the agent's environment: nothing in it leads to the user's checkout.
    fn environment(
        &self,
        spec: &Spec,
        spec_file: &Path,
        mut variables: BTreeMap<String, String>,
    ) -> Vec<(std::ffi::OsString, std::ffi::OsString)> {
        let (root, spec_file) = (shown(&self.scene.root), shown(spec_file));
        let described = environment::variables(&AgentContext {
            spec_id: spec.id.as_str(),
            spec_file: &spec_file,
            project: &root,
            worktree: None,
            mcp_config: None,
            prompt: Some(PROMPT),
            item: None,
        });
        for name in AGENT_VARIABLES {
            variables.remove(name);
        }
        variables.extend(
            described
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value)),
        );
        // The folder may lie in another repository, such as one over a home folder.
        variables.insert("GIT_CEILING_DIRECTORIES".into(), shown(&self.scene.folder));
        variables
            .into_iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect()
    }

    fn prompt(&self, spec: &Spec) -> Result<String, Error> {
        let copy = RootFolder::open(&self.scene.root)?;
        let file = |name: &str| {
            let text = files::read(&self.project.disk, &copy, name);
            text.map(|(text, _)| text)
                .map_err(|error| error.to_string())
        };
        let parts = PromptParts {
            name: PROMPT,
            spec,
            project: &name_of(self.project, &self.scene.config),
            worktree: None,
            extensions: &self.scene.config.runs.prompt_extensions,
            prompt: &|name| prompt_text(self.project, &self.scene.prompts, name),
            file: &file,
        };
        Ok(prompt::assemble_prompt(&parts).map_err(SpecRunError::from)?)
    }

    fn put(folder: &Path, name: &str, text: &str) -> Result<PathBuf, Error> {
        let path = folder.join(name);
        disk::remove(&path)?;
        disk::create_owned(&path, text)?;
        Ok(path)
    }
}

/// The reasons why there is no proposal.
enum SplitFailure {
    /// The agent's answer is no proposal.
    Answer(BadAnswer),
    /// Another failure.
    Other(Box<Error>),
}

impl From<BadAnswer> for SplitFailure {
    fn from(bad: BadAnswer) -> Self {
        Self::Answer(bad)
    }
}

impl From<Error> for SplitFailure {
    fn from(error: Error) -> Self {
        Self::Other(Box::new(error))
    }
}

fn log_length(project: &Project, record: &RunRecord) -> u64 {
    let log = project.own_log(&record.spec_id);
    log.and_then(|log| disk::stamp(&log))
        .map_or(0, |stamp| stamp.size)
}

fn ids(outer: &SpecId, members: &[ProposedMember]) -> Result<Vec<SpecId>, Error> {
    let ids = outer.members_after(0, members.len());
    Ok(ids.map_err(|error| ChantError::Refused(error.to_string()))?)
}

fn refused(bad: BadAnswer) -> Error {
    ChantError::Refused(bad.to_string()).into()
}

fn good(reason: String) -> RunEnd {
    RunEnd {
        event: RunEvent::Merge,
        reason: Some(reason),
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
