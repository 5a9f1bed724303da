//! Runs the user's hooks on what lands by itself, confined as checks are: a hook may run the tests, and so what the
//! agent wrote.

use std::cell::OnceCell;
use std::path::Path;
use std::sync::Arc;

use super::RunLanding;
use crate::runtime::agent_launch::LaunchInputs;
use crate::runtime::environment::{CommitOrigin, EnvironmentSetUp, OwnPorts, SetUpOutcome};
use crate::runtime::rerun::{CommitChecks, start_logged};
use crate::runtime::run_confinement;
use crate::runtime::run_folder::RunFolder;
use crate::runtime::spec_state::spec_of;
use chant_base::error::Error;
use chant_config::{Config, HookRights};
use chant_environment::LayerPin;
use chant_git::GitError;
use chant_git::hooks::ConfinedHooks;
use chant_git::run_repository::RunRepository;
use chant_specs::error::ChantError;
use chant_specs::model::Spec;
use chant_specs::project::Project;
use chant_work::cancel_token::CancelToken;
use chant_work::run_record::RunRecord;

/// The hooks of one landing; what they worked in is removed when this is dropped.
pub(super) struct LandingHooks<'a> {
    landing: &'a RunLanding<'a>,
    config: Arc<Config>,
    spec: Arc<Spec>,
    record: RunRecord,
    /// Nothing ends hooks of a landing that no runner waits for.
    without_end: CancelToken,
    folder: OnceCell<HookFolder>,
}

/// The folder in which they run.
struct HookFolder {
    place: RunFolder,
    ports: OwnPorts,
    /// Keep the layers that are mounted.
    layer_pins: Vec<LayerPin>,
}

/// Returns true if hooks are confined where no person merges.
///
/// # Errors
/// `Refused` when the configured confinement is not possible.
pub(super) fn confines_hooks(project: &Project, config: &Config) -> Result<bool, Error> {
    Ok(config.landing_hooks == HookRights::Confined && run_confinement::is_held(project, config)?)
}

impl RunLanding<'_> {
    /// Returns the means to run hooks confined; `None` where they have the rights of the user: a person merges the work,
    /// or chose so, or nothing is confined here.
    pub(super) fn confined_hooks(&self) -> Result<Option<LandingHooks<'_>>, Error> {
        let record = self.runs.get(self.process_id)?;
        let snapshot = self.project.snapshot()?;
        let config = snapshot.config.clone()?;
        // Work that a person merges by hand has no agent.
        if record.agent.is_none() || !confines_hooks(self.project, &config)? {
            return Ok(None);
        }
        Ok(Some(LandingHooks {
            landing: self,
            config,
            spec: spec_of(&snapshot, &record.spec_id)?,
            record,
            without_end: CancelToken::new()?,
            folder: OnceCell::new(),
        }))
    }
}

impl LandingHooks<'_> {
    fn interruption(&self) -> &CancelToken {
        let terms = self.landing.checks.as_ref();
        terms.map_or(&self.without_end, |terms| terms.interruption)
    }

    /// Returns the folder, with what recipes install.
    fn folder(&self) -> Result<&HookFolder, Error> {
        if let Some(made) = self.folder.get() {
            return Ok(made);
        }
        let RunLanding { project, repo, .. } = *self.landing;
        let mut made = HookFolder {
            ports: OwnPorts::take(
                project,
                &self.config,
                &self.config.runs.environment.secrets.checks,
            )?,
            place: self.landing.place.for_checks(project, repo)?,
            layer_pins: Vec::new(),
        };
        let set_up = self.set_up(&made.place);
        made.layer_pins = set_up.inspect_err(|_| made.place.remove_checked(project, repo))?;
        Ok(self.folder.get_or_init(|| made))
    }

    fn set_up(&self, place: &RunFolder) -> Result<Vec<LayerPin>, Error> {
        let RunLanding { project, repo, .. } = *self.landing;
        if self.record.asked.bare {
            return Ok(Vec::new());
        }
        let environment = EnvironmentSetUp {
            is_of_item: false,
            commands: CommitChecks {
                project,
                repo,
                config: &self.config,
                spec: &self.spec,
                record: &self.record,
                interruption: self.interruption(),
            },
        };
        let tip = self.landing.place.branch_tip(repo)?;
        let origin = CommitOrigin::BranchOf(&self.landing.place.base);
        match environment.set_up(place, &tip, origin, &mut |_| ())? {
            SetUpOutcome::NeedsPerson(why) => Err(ChantError::Refused(why).into()),
            SetUpOutcome::Done(done) => Ok(done.pins),
        }
    }

    /// Runs a command in the folder; returns the last words of one that failed.
    fn run_in(
        &self,
        folder: &HookFolder,
        argv: &[String],
        hooks: &Path,
    ) -> Result<Option<String>, Error> {
        let RunLanding {
            project,
            repo,
            runs,
            ..
        } = *self.landing;
        let inputs = LaunchInputs {
            project,
            repo,
            config: &self.config,
            spec: &self.spec,
            place: &folder.place,
            asked: &self.record.asked,
            review: None,
            own_variables: &folder.ports.variables,
        };
        let started = start_logged(
            runs,
            &self.record,
            &self.record.spec_id,
            inputs.hook(argv, hooks)?,
        )?;
        let ended = started.recorded()?.wait(self.interruption())?;
        if ended.is_success() {
            return Ok(None);
        }
        let said = match ended.failing_words() {
            [] => ended.to_string(),
            lines => lines.join("\n"),
        };
        Ok(Some(match ended.refused {
            Some(refused) if !said.contains(&refused) => format!("{said}\n{refused}"),
            _ => said,
        }))
    }
}

impl ConfinedHooks for LandingHooks<'_> {
    fn open(&self) -> Result<RunRepository<'_>, GitError> {
        let RunLanding { project, repo, .. } = *self.landing;
        let folder = self.folder().map_err(not_run)?;
        let tree = folder.place.tree(project, repo).map_err(not_run)?;
        Ok(tree.into_repository())
    }

    fn run(&self, argv: &[String], hooks: &Path) -> Result<Option<String>, GitError> {
        let folder = self.folder().map_err(not_run)?;
        self.run_in(folder, argv, hooks).map_err(not_run)
    }
}

impl Drop for LandingHooks<'_> {
    fn drop(&mut self) {
        if let Some(folder) = self.folder.get() {
            let RunLanding { project, repo, .. } = *self.landing;
            folder.place.remove_checked(project, repo);
        }
    }
}

fn not_run(why: impl ToString) -> GitError {
    GitError::HooksNotRun {
        why: why.to_string(),
    }
}
