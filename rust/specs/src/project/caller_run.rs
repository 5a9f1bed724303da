//! The view of an agent that works on a spec: its own spec is the worktree's copy, everything else is
//! the project's (decisions 3, "The agent's own server").

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::{Project, ProjectOptions};
use crate::error::ChantError;
use crate::id::SpecId;
use chant_base::error::Error;
use chant_base::run_variables::{AGENT_VARIABLES, MARK, RUNNER_VALUE};
use chant_store::disk;

/// The run of the agent that asks.
pub(super) struct CallerRun {
    spec_id: String,
    worktree: PathBuf,
    /// The project in the worktree, opened when it is first asked for.
    copy: Mutex<Option<Arc<Project>>>,
}

impl CallerRun {
    /// Returns the run that an environment names; `None` when it names none.
    pub(super) fn of(environment: &BTreeMap<String, String>) -> Option<Self> {
        let value_of = |name: &str| environment.get(name).filter(|value| !value.is_empty());
        Some(Self {
            spec_id: value_of("CHANT_SPEC_ID")?.clone(),
            worktree: PathBuf::from(value_of("CHANT_WORKTREE")?),
            copy: Mutex::default(),
        })
    }
}

impl Project {
    /// The project in the agent's worktree, when the spec is the one that it works on.
    ///
    /// # Errors
    /// A `StoreError` when the worktree is gone.
    pub(crate) fn copy_with(&self, id: &SpecId) -> Result<Option<Arc<Self>>, Error> {
        let is_own = |own: &&CallerRun| own.spec_id == id.as_str();
        match self.own.as_ref().filter(is_own) {
            Some(own) => Ok(Some(self.opened(own)?)),
            None => Ok(None),
        }
    }

    /// Returns the spec that the caller works on, if an agent of a run asks.
    pub(crate) fn spec_of_run(&self) -> Option<&str> {
        self.own.as_ref().map(|own| own.spec_id.as_str())
    }

    /// The project in the folder of the run that asks, if one does.
    ///
    /// # Errors
    /// A `StoreError` when the folder is gone.
    pub(crate) fn copy_of_run(&self) -> Result<Option<Arc<Self>>, Error> {
        self.own.as_ref().map(|own| self.opened(own)).transpose()
    }

    /// The project's folder in that of the run that asks, if one does.
    ///
    /// # Errors
    /// A `StoreError` when the folder is gone.
    pub fn folder_of_run(&self) -> Result<Option<PathBuf>, Error> {
        Ok(self.copy_of_run()?.map(|copy| copy.root().to_owned()))
    }

    fn opened(&self, own: &CallerRun) -> Result<Arc<Self>, Error> {
        let mut copy = own.copy.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(copy) = copy.as_ref() {
            return Ok(copy.clone());
        }
        let mut environment = self.environment.clone();
        environment.retain(|name, _| !AGENT_VARIABLES.contains(&name.as_str()));
        let opened = Self::open(ProjectOptions {
            root: own.worktree.join(self.inside_checkout()?),
            user_config: self.user_config.clone(),
            searched: Vec::new(),
            environment,
            program: Vec::new(),
            prompts: self.prompts.clone(),
            trust: None,
            runs: self.run_lookup,
            clock: self.clock.clone(),
            // The agent may put a link in the place of anything there, at any moment.
            disk: self.disk.clone().without_links_in(&own.worktree),
        })?
        .with_external(self.outside.clone());
        Ok(copy.insert(Arc::new(opened)).clone())
    }

    /// The project's folder from the top of its checkout.
    fn inside_checkout(&self) -> Result<PathBuf, Error> {
        let repo = self.repo()?;
        let top = repo.as_ref().and_then(|repo| repo.checkout());
        let top = top.and_then(|top| disk::real(top).ok());
        let inside = top.and_then(|top| Some(self.root().strip_prefix(top).ok()?.to_owned()));
        Ok(inside.unwrap_or_default())
    }

    /// Returns the variable that shows that an agent of a run asks; `None` when none does.
    pub(crate) fn sign_of_run(&self) -> Option<&'static str> {
        let variables = &self.environment;
        // Our own processes beside a run carry the mark, too, with a value of its own.
        let differs = |name: &str| {
            let value = variables.get(name);
            value.is_some_and(|value| !value.is_empty() && value != RUNNER_VALUE)
        };
        ["CHANT_WORKTREE", MARK]
            .into_iter()
            .find(|name| differs(name))
    }

    /// Refuses what only people may do, whatever spec it is about.
    ///
    /// # Errors
    /// `Refused`, when an agent of a run asks.
    pub fn refuse_agents(&self, what: &str) -> Result<(), ChantError> {
        match self.sign_of_run() {
            Some(name) => Err(ChantError::Refused(format!(
                "Nothing is {what} from inside a run ({name} is set): a person decides. Finish your work; it waits where it needs approval."
            ))),
            None => Ok(()),
        }
    }

    /// Refuses an act of the table of effects that is never done from inside a run.
    ///
    /// # Errors
    /// `Refused`, with what the agent can do instead.
    pub(super) fn refuse_run(&self, what: &str, instead: &str) -> Result<(), ChantError> {
        match self.sign_of_run() {
            Some(name) => Err(ChantError::Refused(format!(
                "`{what}` is not for an agent inside a run ({name} is set): a person decides. {instead}"
            ))),
            None => Ok(()),
        }
    }

    /// Refuses what an agent may not do to the spec it works on.
    ///
    /// # Errors
    /// `Refused`, when the spec is that one.
    pub fn refuse_own(&self, id: &SpecId, what: &str) -> Result<(), ChantError> {
        match &self.own {
            Some(own) if own.spec_id == id.as_str() => Err(ChantError::Refused(format!(
                "Spec '{id}' is the one you work on. It cannot be {what} from inside its own run.\n\
                 Commit your work, tick the criteria that are met with chant_spec_update(check=[\u{2026}]), and end; the work is judged and merged then."
            ))),
            _ => Ok(()),
        }
    }
}
