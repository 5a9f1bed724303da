//! Giving a spec up, and making it pending again.

#[cfg(unix)]
use super::pause::{EndedRun, close_settled, halt_all};
use super::settle_aside;
#[cfg(not(unix))]
use super::unsupported::{EndedRun, close_settled, halt_all};
use crate::kept_sessions::remove_session;
#[cfg(unix)]
use crate::leases::other_clone::AskedClone;
use crate::project::ProjectRuns;
use crate::project::run_tree::{RunTree, RunTreeContext};
use crate::project::worktree_folder::WorktreeFolder;
use crate::runtime::uncommitted_state;
use chant_base::answer::Answer;
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_git::{GitError, Repo};
#[cfg(unix)]
use chant_leases::record::RequestedStop;
use chant_specs::error::ChantError;
use chant_specs::id::SpecId;
use chant_specs::model::{Spec, SpecStatus};
use chant_specs::ops::edit;
use chant_specs::ops::read::age;
use chant_specs::project::{Project, ProjectSnapshot};
use chant_store::disk::{self, Lock};
use chant_store::state::escape_name;
use chant_work::lock::{LockHolder as HeldBy, SpecLock, lock_of};
use chant_work::run_record::RunRecord;
use chant_work::run_store::RunStore;
use chant_work::state::{RunEvent, RunState, StopReason};

/// The holder of a spec's lock, for people: decisions ask the lock itself.
pub(super) struct SpecLockHolder {
    path: String,
    pid: Option<u32>,
    modified: i128,
    is_held: bool,
}

impl SpecLockHolder {
    /// Returns the words of a diagnosis about it.
    pub(super) fn words(&self) -> String {
        let who = self
            .pid
            .map_or_else(|| "no PID in it".to_owned(), |pid| format!("PID {pid}"));
        let state = if self.is_held {
            "alive"
        } else {
            "not alive, the file is stale"
        };
        format!(
            "{}: {who}, {state}, written {}",
            self.path,
            age(self.modified)
        )
    }
}

/// Returns the holder of a spec's lock, if its file is there.
pub(super) fn find_lock_holder(project: &Project, id: &SpecId) -> Option<SpecLockHolder> {
    let path = lock_of(&project.runs().ok()?, id.as_str())?;
    let stamp = disk::stamp(&path)?;
    let inside = path.strip_prefix(project.root()).unwrap_or(&path);
    Some(SpecLockHolder {
        is_held: matches!(Lock::try_take(&path), Ok(None)),
        pid: HeldBy::of(&path).pid,
        modified: stamp.modified,
        path: inside.display().to_string(),
    })
}

/// The work on a spec, stopped; how it ends is written when the spec says so.
struct HaltedWork {
    runs: RunStore,
    halted: Vec<EndedRun>,
}

impl HaltedWork {
    /// Stops the work on a spec, so that nothing overwrites what is written then.
    fn of(project: &Project, spec: &Spec, why: StopReason) -> Result<Self, Error> {
        let runs = project.runs()?;
        let halted = halt_all(project, &runs, spec, why)?;
        Ok(Self { runs, halted })
    }

    /// Refuses when the work was completed before it could be stopped.
    fn refuse_completed(&self, spec: &Spec) -> Result<(), Error> {
        if self.halted.iter().any(EndedRun::is_completed) {
            let message = format!(
                "The work on '{}' was merged before it could be stopped: the spec is completed.",
                spec.id
            );
            return Err(ChantError::Refused(message).into());
        }
        Ok(())
    }

    /// Writes the ends: of what was stopped, and of work that waited.
    fn end(mut self, project: &Project, spec: &Spec, why: StopReason) -> Result<(), Error> {
        for halted in &mut self.halted {
            halted.write(project, &self.runs)?;
        }
        uncommitted_state::forget(&self.runs, spec.id.as_str())?;
        let waits = |state| matches!(state, RunState::AwaitingMerge | RunState::AwaitingApproval);
        let newest = self.runs.newest_of(spec.id.as_str())?;
        if let Some(record) = newest.filter(|record| waits(record.state())) {
            self.runs.update(&record.process_id, |record| {
                Ok(record.change(RunEvent::Stop(why), None, (self.runs.clock)())?)
            })?;
        }
        // What is not closed now is closed by the next look at the project.
        close_settled(project, &self.runs).log_failure("close conflicts that are settled");
        settle_aside(project);
        Ok(())
    }
}

/// `chant_cancel`: gives a spec up; work on it is stopped, and those that waited for it need not wait any
/// more. Branch and worktree stay.
///
/// # Errors
/// As [`Project::resolve`]; when it is cancelled already, may not be cancelled, or work on it cannot be
/// stopped.
pub fn cancel(project: &Project, id: &str) -> Result<Answer, Error> {
    let snapshot = project.snapshot()?;
    let spec = project.resolve_to_edit(&snapshot, id)?;
    project.refuse_own(&spec.id, "cancelled")?;
    if let Some(asked) = ask_other_clone(project, &spec)? {
        return Ok(Answer::prose(asked));
    }
    if spec.status == SpecStatus::InProgress {
        refuse_worked(project, &spec, "cancelled")?;
    }
    let halt = if spec.status.may_become(SpecStatus::Cancelled) {
        Some(HaltedWork::of(project, &spec, StopReason::Cancel)?)
    } else {
        None
    };
    if let Some(halt) = &halt {
        halt.refuse_completed(&spec)?;
    }
    let snapshot = if halt.is_some() {
        project.snapshot()?
    } else {
        snapshot
    };
    let dependants = open_dependants(&snapshot, &spec);
    let members = snapshot.specs.open_members(&spec.id);
    edit::change(
        project,
        snapshot,
        &spec,
        |_| false,
        |_, draft| {
            let status = draft.spec().status;
            if status == SpecStatus::Cancelled {
                let message = format!("Spec '{}' is already cancelled", spec.id);
                return Err(ChantError::WrongState { message, status }.into());
            }
            if !status.may_become(SpecStatus::Cancelled) {
                let error = Error::from(ChantError::Transition {
                    from: status,
                    to: SpecStatus::Cancelled,
                });
                return Err(error.during("Failed to transition spec to Cancelled"));
            }
            draft.set_text("status", SpecStatus::Cancelled.as_str())
        },
    )?;
    if let Some(halt) = halt {
        halt.end(project, &spec, StopReason::Cancel)?;
    }
    let mut text = format!("Cancelled spec: {}", spec.id);
    if !dependants.is_empty() {
        text.push_str(&format!(
            "\nNo longer waiting for it: {}",
            dependants.join(", ")
        ));
    }
    if !members.is_empty() {
        text.push_str(&format!(
            "\nMembers that are still open: {}",
            members.join(", ")
        ));
    }
    Ok(Answer::prose(text))
}

/// Asks the clone that works on a spec, by the last look, to cancel it; gives what is to be said then.
#[cfg(unix)]
fn ask_other_clone(project: &Project, spec: &Spec) -> Result<Option<String>, Error> {
    let held = project.held_elsewhere();
    if held
        .of(spec.id.as_str())
        .is_none_or(|held| !held.is_at_work)
    {
        return Ok(None);
    }
    let asked = AskedClone::ask(project, &spec.id, RequestedStop::Cancel)?;
    Ok(asked.map(|asked| asked.describe(project)))
}

/// Asks no other clone: without runs nothing is shared.
#[cfg(not(unix))]
fn ask_other_clone(_: &Project, _: &Spec) -> Result<Option<String>, Error> {
    Ok(None)
}

/// The specs that name this one and are not done, in order.
fn open_dependants(snapshot: &ProjectSnapshot, spec: &Spec) -> Vec<String> {
    let graph = snapshot.specs.graph();
    let Some(node) = graph.find(spec.id.as_str()) else {
        return Vec::new();
    };
    let named_by = graph
        .named_by(node)
        .into_iter()
        .filter_map(|node| snapshot.specs.find(graph.key(node)));
    let mut open: Vec<_> = named_by.filter(|spec| !spec.status.is_done()).collect();
    open.sort_by(|a, b| a.id.cmp(&b.id));
    open.into_iter().map(|spec| spec.id.to_string()).collect()
}

/// The keys about the work that is taken back.
const RUN_KEYS: [&str; 4] = ["branch", "commits", "completed_at", "retry_state"];

/// `chant_reset`: makes a failed spec, or one in progress, pending again; work on it is stopped.
///
/// The branch the runtime made for it is kept under `refs/chant/backup/<id>/<n>`, then its worktree
/// and the branch itself are removed; a worktree with uncommitted changes stops the reset before
/// anything happened. A branch of the user's own that the spec names is left alone, and in a folder that
/// is not trusted every branch.
///
/// # Errors
/// As [`Project::resolve`]; else prefixed `Failed to reset spec`.
pub fn reset(project: &Project, id: &str) -> Result<Answer, Error> {
    let snapshot = project.snapshot()?;
    let spec = project.resolve_to_edit(&snapshot, id)?;
    project.refuse_own(&spec.id, "reset")?;
    let failed = |error: Error| error.during("Failed to reset spec");
    refuse_unresettable(&spec).map_err(|error| failed(error.into()))?;
    let worked = refuse_worked(project, &spec, "reset");
    worked
        .and_then(|()| refuse_to_give_up(project, &spec))
        .map_err(failed)?;
    let halt = HaltedWork::of(project, &spec, StopReason::Reset).map_err(failed)?;
    halt.refuse_completed(&spec).map_err(failed)?;
    let snapshot = project.snapshot()?;
    let branch = snapshot.own_branch(&spec);
    let repo = project.repo().map_err(failed)?;
    // In an untrusted folder git only reads: the repository may be another project's.
    let may_change_git = project.refuse_untrusted("remove a branch").is_ok();
    let backup = match &repo {
        Some(repo) if may_change_git => {
            keep_uncommitted(project, &snapshot, repo, &spec).map_err(failed)?;
            back_up(repo, &spec, &branch).map_err(failed)?
        }
        _ => None,
    };
    edit::change(
        project,
        snapshot,
        &spec,
        |_| false,
        |_, draft| {
            refuse_unresettable(draft.spec())?;
            draft.set_text("status", SpecStatus::Pending.as_str())?;
            for key in RUN_KEYS {
                let is_own = key != "branch" || draft.spec().branch.as_deref() == Some(&*branch);
                if is_own {
                    draft.set(key, None)?;
                }
            }
            Ok(())
        },
    )
    .map_err(failed)?;
    halt.end(project, &spec, StopReason::Reset)
        .map_err(failed)?;
    let mut text = format!("Reset spec '{}' to pending", spec.id);
    if let (Some(repo), Some(backup)) = (&repo, backup) {
        text.push_str(&format!("\nBranch {branch} is kept as {backup}"));
        match remove_work(project, repo, &spec, &branch) {
            Ok(kept) => kept
                .iter()
                .for_each(|kept| text.push_str(&format!("\n{kept}"))),
            Err(error) => text.push_str(&format!(
                "\nIts worktree or branch was left in place: {error}"
            )),
        }
    } else if let (Some(repo), false) = (&repo, may_change_git)
        && matches!(repo.branch_tip(&branch), Ok(Some(_)))
    {
        text.push_str(&format!(
            "\nBranch {branch} was left in place: this folder is not trusted"
        ));
    }
    remove_stale_lock(project, &spec);
    remove_session(project, spec.id.as_str());
    Ok(Answer::prose(text))
}

/// Removes the lock that a dead process left; one that is held stays.
fn remove_stale_lock(project: &Project, spec: &Spec) {
    if let Ok(runs) = project.runs()
        && lock_of(&runs, spec.id.as_str()).is_some()
    {
        // A process that takes a lock removes its file; a lock that cannot be taken is held.
        drop(SpecLock::acquire(&runs, spec.id.as_str()));
    }
}

fn refuse_unresettable(spec: &Spec) -> Result<(), ChantError> {
    if matches!(spec.status, SpecStatus::Failed | SpecStatus::InProgress) {
        return Ok(());
    }
    let message = format!(
        "Spec '{}' is not in failed or in_progress state (current: {}). Only failed or in_progress specs can be reset.",
        spec.id,
        spec.status.name()
    );
    Err(ChantError::WrongState {
        message,
        status: spec.status,
    })
}

/// The files of the spec's run, where there are any.
fn tree_of<'r>(
    project: &Project,
    snapshot: &ProjectSnapshot,
    repo: &'r Repo,
    spec: &Spec,
) -> Result<Option<RunTree<'r>>, Error> {
    let config = snapshot.config.clone()?;
    let context = RunTreeContext {
        project,
        config: &config,
        repo,
    };
    context.tree_of(spec.id.as_str(), &snapshot.own_branch(spec))
}

/// Commits what an agent left uncommitted in the worktree that a run was given, so that it is kept with
/// the branch. Worktrees of the user's own are left alone.
fn keep_uncommitted(
    project: &Project,
    snapshot: &ProjectSnapshot,
    repo: &Repo,
    spec: &Spec,
) -> Result<(), Error> {
    // Where nothing says where worktrees lie, there is none.
    if let Some(tree) = tree_of(project, snapshot, repo, spec).ok().flatten() {
        tree.commit_everything("Uncommitted work, kept by a reset")?;
    }
    Ok(())
}

/// Keeps the spec's own branch under a reference that nothing removes; before that, looks whether
/// its worktree can go without a loss.
fn back_up(repo: &Repo, spec: &Spec, branch: &str) -> Result<Option<String>, Error> {
    // A name that git does not take is no branch's.
    if matches!(
        repo.branch_tip(branch),
        Ok(None) | Err(GitError::InvalidName { .. })
    ) {
        return Ok(None);
    }
    let worktrees = repo.worktrees()?;
    if let Some(worktree) = worktrees
        .iter()
        .find(|w| w.branch.as_deref() == Some(branch) && !w.prunable)
    {
        if worktree.is_main {
            let message = format!(
                "branch {branch} is checked out in {}; check out another one there first",
                worktree.path.display()
            );
            return Err(ChantError::Refused(message).into());
        }
        let uncommitted = repo.uncommitted(&worktree.path)?;
        if let Some(first) = uncommitted.first() {
            let message = format!(
                "{} has uncommitted changes ({first}{}); commit or move them first, nothing was changed",
                worktree.path.display(),
                if uncommitted.len() > 1 { ", …" } else { "" }
            );
            return Err(ChantError::Refused(message).into());
        }
    }
    Ok(repo.back_up(branch, &escape_name(spec.id.as_str()))?)
}

/// Removes the worktree that the runtime made for a spec, and the branch, which is kept as a backup. Returns what was
/// kept of the worktree, as sentences.
fn remove_work(
    project: &Project,
    repo: &Repo,
    spec: &Spec,
    branch: &str,
) -> Result<Vec<String>, Error> {
    let worktrees = repo.worktrees()?;
    let gone = worktrees
        .iter()
        .find(|tree| tree.branch.as_deref() == Some(branch) && tree.prunable);
    if let Some(tree) = gone {
        let place = tree.path.display();
        let message =
            format!("{place} is gone; if it was moved, `git worktree repair` finds it again");
        return Err(ChantError::Refused(message).into());
    }
    let snapshot = project.snapshot()?;
    let mut kept = Vec::new();
    if let Some(tree) = tree_of(project, &snapshot, repo, spec)? {
        kept = tree.remove(project)?;
    } else if let Ok(site) = WorktreeFolder::of(project, &*snapshot.config.clone()?, repo) {
        site.refuse_unmarked_folder(spec.id.as_str())?;
    }
    repo.delete_backed_up_branch(branch)?;
    Ok(kept)
}

/// Refuses while a process that has no run here works on the spec: one of another checkout, or a merge by hand.
/// Our own runs can be stopped.
fn refuse_worked(project: &Project, spec: &Spec, what: &str) -> Result<(), Error> {
    let records = project.runs()?.of_spec(spec.id.as_str())?;
    let is_own = |record: &RunRecord| record.state() == RunState::Running;
    match find_lock_holder(project, &spec.id).filter(|holder| holder.is_held) {
        Some(holder) if !records.iter().any(is_own) => {
            let message = format!(
                "Spec '{}' is being worked: {}. Stop that first; nothing was {what}.",
                spec.id,
                holder.words()
            );
            Err(ChantError::Refused(message).into())
        }
        _ => Ok(()),
    }
}

/// Refuses to give up what runs of a spec left, in an untrusted folder.
fn refuse_to_give_up(project: &Project, spec: &Spec) -> Result<(), Error> {
    let records = project.runs()?.of_spec(spec.id.as_str())?;
    let is_left = |record: &RunRecord| !record.state().is_closed() && record.has_agent();
    if records.iter().any(is_left) {
        project.refuse_untrusted("remove a branch")?;
    }
    Ok(())
}
