//! Completing a spec on evidence (reference chant 5.11, as decisions settle it).

use crate::agents::usual_model;
use crate::project::ProjectRuns;
use crate::project::run_tree::RunTreeContext;
use crate::receipt_store::left_after;
use crate::recorded_runs::refuse_running;
use crate::spec_commits::commits_of_spec;
use chant_base::answer::Answer;
use chant_base::diagnostics::LogFailure;
use chant_base::error::{Error, FailedAction};
use chant_base::next_step::{NextStep, hint};
use chant_git::tags::Commit;
use chant_proof::completion::is_of_agent;
use chant_specs::approval;
use chant_specs::checks::without_checks;
use chant_specs::error::ChantError;
use chant_specs::model::{Spec, SpecStatus, SpecType};
use chant_specs::ops::edit::{self, SpecDraft};
use chant_specs::project::{Project, ProjectSnapshot};
use chant_text::front_matter::FrontMatterValue;
use chant_work::run_record::RunRecord;

/// The options of a completion.
#[derive(Debug, Clone, Copy, Default)]
pub struct FinalizeOptions {
    /// True if a missing log is no obstacle for a spec that an agent worked on.
    pub force: bool,
    /// True if a person says that its work is done already: open criteria are ticked, and no evidence is asked for.
    pub already_done: bool,
}

/// `chant_finalize`: completes a spec whose criteria are met and whose members are done, and the
/// specs around it that only waited for that. The answer names the commits that carry its tag.
///
/// A spec that an agent ran on also needs its log and a commit; one worked by hand needs neither.
///
/// # Errors
/// As [`Project::resolve`]; what is missing, in the order of reference chant 5.11.
pub fn finalize(project: &Project, id: &str, how: FinalizeOptions) -> Result<Answer, Error> {
    let snapshot = project.snapshot()?;
    let spec = project.resolve_to_edit(&snapshot, id)?;
    project.refuse_own(&spec.id, "finalized")?;
    refuse_unfit(&snapshot, &spec, how)?;
    let config = snapshot.config.clone()?;
    config.refuse_misspelled()?;
    let failed = |error: Error| error.during("Failed to finalize spec");
    refuse_running(project, &spec).map_err(failed)?;
    let repo = project.repo().map_err(failed)?;
    if let Some(repo) = &repo {
        let context = RunTreeContext {
            project,
            config: &config,
            repo,
        };
        let branch = snapshot.branch_of(&spec);
        refuse_dirty_worktree(context, &spec, &branch).map_err(failed)?;
    }
    refuse_open_members(&snapshot, &spec).map_err(|error| failed(error.into()))?;
    let commits = match &repo {
        Some(repo) => {
            let branch = spec.branch.as_deref().unwrap_or("HEAD");
            let tag = format!("chant({}):", spec.id);
            commits_of_spec(project, repo, &spec, branch, &tag).map_err(failed)?
        }
        None => Vec::new(),
    };
    if !how.already_done {
        refuse_without_evidence(project, &spec, &commits, how).map_err(failed)?;
    }
    let asks = spec
        .approval
        .as_ref()
        .is_none_or(|approval| !approval.required);
    let needs_approval = config.approves_agent_work
        && asks
        && commits.iter().any(|commit| is_of_agent(&commit.message));
    let model = usual_model(&project.environment, &config);
    let now = project.clock.stamp();
    let change = |snapshot: &ProjectSnapshot, draft: &mut SpecDraft| {
        refuse_unfit(snapshot, draft.spec(), how)?;
        refuse_open_members(snapshot, draft.spec()).map_err(|error| failed(error.into()))?;
        if how.already_done {
            edit::tick_all(draft)?;
        }
        draft.set_text("status", SpecStatus::Completed.as_str())?;
        if !commits.is_empty() {
            let hashes = commits.iter().map(|commit| commit.short.clone()).collect();
            draft.set("commits", Some(FrontMatterValue::List(hashes)))?;
        }
        draft.set_text("completed_at", &now)?;
        if let Some(model) = model.as_deref().filter(|_| draft.spec().model.is_none()) {
            draft.set_text("model", model)?;
        }
        if needs_approval {
            draft.set("approval", Some(approval::request_value()))?;
        }
        Ok(())
    };
    let containers = edit::change(project, snapshot, &spec, |_| true, change).map_err(|error| {
        if error.is::<ChantError>() || error.is::<FailedAction>() {
            return error;
        }
        failed(error)
    })?;
    let mut text = format!(
        "Finalized spec: {}\n{}",
        spec.id,
        found(&commits, repo.is_some())
    );
    if needs_approval {
        text.push_str("\nAn agent signed a commit: the work needs approval before it is merged.");
    }
    if let Some(said) = without_checks(&spec, &config) {
        text.push_str(&format!("\n{said}"));
    }
    text.push_str(&edit::describe_completed(&containers));
    text.push_str(&left_after(project, &spec, &commits, how.already_done));
    if spec.kind == SpecType::Conflict {
        // The work that waited for this may be merged now; what cannot be is found by the next look.
        super::recover(project).log_failure("recover runs");
    }
    super::settle_aside(project);
    Ok(Answer::prose(text))
}

/// State and criteria: what nothing waives.
fn refuse_unfit(
    snapshot: &ProjectSnapshot,
    spec: &Spec,
    how: FinalizeOptions,
) -> Result<(), ChantError> {
    let id = &spec.id;
    if how.already_done && spec.status != SpecStatus::Cancelled {
        return Ok(());
    }
    if !matches!(
        spec.status,
        SpecStatus::InProgress | SpecStatus::Completed | SpecStatus::Failed
    ) {
        let status = snapshot.specs.status(spec);
        let message = format!(
            "Spec '{id}' must be in_progress, completed, or failed to finalize. Current status: {}",
            status.name()
        );
        return Err(ChantError::WrongState { message, status });
    }
    let criteria = spec.open_criteria();
    if criteria.is_empty() {
        return Ok(());
    }
    let message = format!(
        "Spec '{id}' has {} unchecked acceptance criteria. All criteria must be checked before finalization.\nOpen: {}",
        criteria.len(),
        criteria.join("; ")
    );
    Err(ChantError::Unchecked { message, criteria })
}

/// Refuses while something in the spec's worktree is in no commit; brings its commits into the project.
fn refuse_dirty_worktree(
    context: RunTreeContext<'_, '_>,
    spec: &Spec,
    branch: &str,
) -> Result<(), Error> {
    let (path, uncommitted) = if let Some(tree) = context.tree_of(spec.id.as_str(), branch)? {
        if context.project.is_trusted() {
            tree.fetch()?;
        }
        let uncommitted = tree.uncommitted_shown(context.project)?;
        (tree.path().to_owned(), uncommitted)
    } else if let Some(path) = context.worktree_of_user(branch)? {
        let uncommitted = context.uncommitted_of_user(&path)?;
        (path, uncommitted)
    } else {
        return Ok(());
    };
    if uncommitted.is_empty() {
        return Ok(());
    }
    let message = format!(
        "Cannot finalize: uncommitted changes in worktree. Commit your changes first.\n{}",
        path.display()
    );
    Err(ChantError::Refused(message).into())
}

fn refuse_open_members(snapshot: &ProjectSnapshot, spec: &Spec) -> Result<(), ChantError> {
    let members = snapshot.specs.open_members(&spec.id);
    if members.is_empty() {
        return Ok(());
    }
    let message = format!(
        "Cannot complete driver spec '{}' while {} member spec(s) are incomplete: {}",
        spec.id,
        members.len(),
        members.join(", ")
    );
    Err(ChantError::OpenMembers { message, members })
}

/// Where an agent ran, its log and a commit of it are asked for.
fn refuse_without_evidence(
    project: &Project,
    spec: &Spec,
    commits: &[Commit],
    how: FinalizeOptions,
) -> Result<(), Error> {
    // Runs that only the project reports prove nothing, and ask for nothing.
    let runs = project.runs()?.of_spec(spec.id.as_str())?;
    if !runs.iter().any(RunRecord::works_on_spec) {
        return Ok(());
    }
    project.refuse_untrusted("finalize a run")?;
    if project.own_log(spec.id.as_str()).is_none() && !how.force {
        let message = "Cannot mark spec as completed: no agent execution log found.";
        let hint = hint![" Use ", NextStep::Override, " to override."];
        return Err(ChantError::Refused(message.into()).advise(hint).into());
    }
    if commits.is_empty() {
        let message = format!(
            "No matching commits found\nA run is recorded, but nothing was committed on its branch, and no commit message contains chant({}):",
            spec.id
        );
        return Err(ChantError::Refused(message).into());
    }
    Ok(())
}

fn found(commits: &[Commit], has_repository: bool) -> String {
    match commits {
        [] if has_repository => "Commits: none found".into(),
        [] => "Commits: none, not a git repository".into(),
        commits => {
            let hashes: Vec<&str> = commits.iter().map(|commit| commit.short.as_str()).collect();
            format!("Commits: {}", hashes.join(", "))
        }
    }
}
