//! The facts about a spec that lie outside of its file: commits, branch, worktree and runs.

use std::path::PathBuf;

use crate::project::ProjectRuns;
use crate::project::run_tree::RunTreeContext;
use crate::spec_commits::commits_of_spec;
use chant_base::diagnostics::LogFailure;
use chant_git::Repo;
use chant_git::tags::Commit;
use chant_specs::model::{Spec, SpecStatus};
use chant_specs::project::{Project, ProjectSnapshot};
use chant_store::disk;
use chant_work::run_record::{RunStatus, SINGLE};
use chant_work::run_view::{self, RunView};

/// The facts that were found outside the spec's file.
pub(super) struct DiagnosisFacts {
    /// Commits that carry the spec's tag; the error's words when git could not say.
    pub(super) commits: Result<Vec<Commit>, String>,
    pub(super) branch: String,
    pub(super) branch_exists: bool,
    pub(super) is_merged: bool,
    pub(super) worktree: Option<PathBuf>,
    pub(super) uncommitted: Vec<String>,
    pub(super) runs: Vec<RunView>,
}

/// Looks for the facts about a spec.
pub(super) fn find_facts(
    project: &Project,
    snapshot: &ProjectSnapshot,
    spec: &Spec,
) -> DiagnosisFacts {
    let branch = snapshot.branch_of(spec);
    let runs = project
        .runs()
        .ok()
        .and_then(|runs| run_view::all(&runs).ok());
    let (mut runs, _) = runs.unwrap_or_default();
    runs.retain(|run| run.spec_id == spec.id.as_str());
    let mut found = DiagnosisFacts {
        commits: Ok(Vec::new()),
        branch,
        branch_exists: false,
        is_merged: false,
        worktree: None,
        uncommitted: Vec::new(),
        runs,
    };
    match project.repo() {
        Ok(None) => {}
        Ok(Some(repo)) => found.look_in(project, &repo, snapshot, spec),
        Err(error) => found.commits = Err(error.to_string()),
    }
    found
}

impl DiagnosisFacts {
    fn look_in(&mut self, project: &Project, repo: &Repo, snapshot: &ProjectSnapshot, spec: &Spec) {
        let main = snapshot
            .config
            .as_ref()
            .map_or("main", |config| config.main_branch());
        self.branch_exists = matches!(repo.branch_tip(&self.branch), Ok(Some(_)));
        if self.branch_exists {
            let config = snapshot.config.clone().unwrap_or_default();
            let context = RunTreeContext {
                project,
                config: &config,
                repo,
            };
            self.look_at_worktree(context, spec);
            self.look_at_branch(repo, main);
        }
        // Work that goes on in a worktree is committed there.
        let branch = self.worktree.as_ref().map_or("HEAD", |_| &self.branch);
        let commits = commits_of_spec(project, repo, spec, branch, &format!("chant({})", spec.id));
        self.commits = commits.map_err(|error| error.to_string());
    }

    fn look_at_branch(&mut self, repo: &Repo, main: &str) {
        self.is_merged = self.branch == main || repo.is_merged(&self.branch, main).unwrap_or(false);
    }

    fn look_at_worktree(&mut self, context: RunTreeContext<'_, '_>, spec: &Spec) {
        let tree = context.tree_of(spec.id.as_str(), &self.branch);
        let Some(tree) = tree.ok().flatten() else {
            self.look_at_worktree_of_user(context);
            return;
        };
        if !tree.is_there() {
            return;
        }
        if context.project.is_trusted() {
            // Work that cannot be brought back now is reported by the run that judges it.
            tree.fetch().log_failure("bring commits of the run back");
        }
        self.uncommitted = tree.uncommitted_shown(context.project).unwrap_or_default();
        self.worktree = Some(tree.path().to_owned());
    }

    fn look_at_worktree_of_user(&mut self, context: RunTreeContext<'_, '_>) {
        let own = context.worktree_of_user(&self.branch).ok().flatten();
        self.worktree = own.filter(|path| disk::exists(path));
        if let Some(path) = &self.worktree {
            self.uncommitted = context.uncommitted_of_user(path).unwrap_or_default();
        }
    }

    pub(super) fn has_commit(&self) -> bool {
        self.commits
            .as_ref()
            .is_ok_and(|commits| !commits.is_empty())
    }

    pub(super) fn living_run(&self) -> Option<&RunView> {
        self.runs
            .iter()
            .find(|run| run.status == RunStatus::Running)
    }

    /// Returns the last run on the spec itself with its end, unless one is under way.
    pub(super) fn last_end(&self) -> Option<(&RunView, &str)> {
        let own = self.runs.iter().filter(|run| run.mode == SINGLE);
        let last = own.max_by(|a, b| a.started_at.cmp(&b.started_at))?;
        let end = last.end_state.as_deref()?;
        self.living_run().is_none().then_some((last, end))
    }

    /// Returns true if the commits of the spec are those of work that is not at its end.
    pub(super) fn is_being_worked(&self) -> bool {
        let goes_on = [
            "paused", "taken_over", "awaiting_merge", "awaiting_approval",
        ];
        self.living_run().is_some()
            || self
                .last_end()
                .is_some_and(|(_, end)| goes_on.contains(&end))
    }

    /// The last run, when its end is what is the matter with the spec, with its end and the reason.
    pub(super) fn trouble(&self, status: SpecStatus) -> Option<(&RunView, &str, &str)> {
        let (run, end) = self.last_end()?;
        let asks = match status {
            SpecStatus::Failed => ["failed", "lost"].contains(&end),
            SpecStatus::NeedsAttention => ["needs_attention", "awaiting_approval"].contains(&end),
            SpecStatus::InProgress => end == "awaiting_merge",
            _ => false,
        };
        asks.then(|| {
            (
                run,
                end,
                run.reason.as_deref().unwrap_or("no reason is recorded"),
            )
        })
    }
}
