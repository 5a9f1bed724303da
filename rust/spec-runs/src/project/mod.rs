//! A chant project as runs see it: its records, its repository, its logs, and the folders of its runs.

pub(super) mod folders;
pub(super) mod logs;
pub(super) mod run_tree;
pub(super) mod worktree_folder;

use std::path::PathBuf;
use std::sync::Arc;

use super::agents::discovery::AgentSearch;
use chant_base::error::Error;
use chant_git::Repo;
use chant_specs::error::ChantError;
use chant_specs::project::Project;
use chant_store::StoreError;
use chant_store::disk::{self, FileStamp};
use chant_work::run_store::RunStore;
use logs::log_name;

/// The runs of a project.
pub(super) trait ProjectRuns {
    /// Returns the records of the project's runs.
    ///
    /// # Errors
    /// As [`Project::state`].
    fn runs(&self) -> Result<RunStore, Error>;

    /// Returns the repository in which work is done.
    ///
    /// # Errors
    /// `Refused` where there is none.
    fn repository(&self) -> Result<Arc<Repo>, Error>;

    /// Returns the environment in which agents are searched.
    fn surroundings(&self) -> AgentSearch<'_>;

    /// Returns the log that runs of ours wrote; the project's own file of that name proves nothing.
    fn own_log(&self, spec_id: &str) -> Option<PathBuf>;

    /// Returns the log as people are shown it, with its name: ours, else the one that the project holds.
    ///
    /// # Errors
    /// `Missing`, or `Outside` for a link that leads out of the project.
    fn shown_log(&self, spec_id: &str) -> Result<(PathBuf, String), StoreError>;

    /// Returns the stamp of the log that people are shown.
    fn shown_log_stamp(&self, spec_id: &str) -> Option<FileStamp>;

    /// Returns the text that runs of ours wrote into a log; empty where there is none.
    fn own_log_text(&self, spec_id: &str) -> String;
}

impl ProjectRuns for Project {
    fn runs(&self) -> Result<RunStore, Error> {
        Ok(RunStore {
            disk: self.disk.clone(),
            root: self.root.clone(),
            state: self.state()?,
            clock: self.clock.now,
        })
    }

    fn repository(&self) -> Result<Arc<Repo>, Error> {
        self.repo()?.ok_or_else(|| {
            let message = format!(
                "{} is not in a git repository, and agents work on branches. Run `git init`, make a first commit, and start again.",
                self.root.path().display()
            );
            ChantError::Refused(message).into()
        })
    }

    fn surroundings(&self) -> AgentSearch<'_> {
        AgentSearch {
            environment: &self.environment,
            root: self.root.path(),
        }
    }

    fn own_log(&self, spec_id: &str) -> Option<PathBuf> {
        self.runs().ok()?.log(spec_id)
    }

    fn shown_log(&self, spec_id: &str) -> Result<(PathBuf, String), StoreError> {
        let name = log_name(spec_id);
        match self.own_log(spec_id) {
            Some(path) => Ok((path, name)),
            None => self.root.locate(&name).map(|path| (path, name)),
        }
    }

    fn shown_log_stamp(&self, spec_id: &str) -> Option<FileStamp> {
        disk::stamp(&self.shown_log(spec_id).ok()?.0)
    }

    fn own_log_text(&self, spec_id: &str) -> String {
        let path = self.own_log(spec_id);
        let text = path.and_then(|path| self.disk.read_text(&path, &log_name(spec_id)).ok());
        text.map(|(text, _)| text).unwrap_or_default()
    }
}
