//! Conflict specs: a merge that a person or an agent has to make is written as a spec, which is
//! closed when nothing is left of the conflict (reference chant 6.9).

use std::collections::BTreeSet;
use std::sync::Arc;

use super::conflicted_run::spec_of_conflict;
use super::run_folder::RunFolder;
use super::spec_state::change_spec;
use crate::receipt_store::leave_by_hand;
use chant_base::error::Error;
use chant_git::Repo;
use chant_git::bookkeeping::{WorkCommit, WorkQuery};
use chant_git::merge::{ConflictKind, FileConflict};
use chant_specs::model::{Spec, SpecStatus, SpecType};
use chant_specs::ops::add::create;
use chant_specs::parse::CRITERIA;
use chant_specs::project::{Project, ProjectSnapshot};
use chant_text::edit::{Edit, line_break, with_line_break};
use chant_text::front_matter::{self, FrontMatterValue};
use chant_work::lock::SpecLock;
use chant_work::run_record::RunRecord;
use chant_work::run_store::RunStore;
use chant_work::state::RunState;

/// The greatest number of commits of the other side in a conflict spec.
const COMMITS_SHOWN: usize = 10;
/// The length of a commit's short name.
const SHORT: usize = 7;

/// Work that cannot be merged as it is.
pub(super) struct ConflictedWork<'a> {
    pub project: &'a Project,
    pub runs: &'a RunStore,
    pub repo: &'a Repo,
    pub spec: &'a Spec,
    pub place: &'a RunFolder,
    pub conflicts: &'a [FileConflict],
}

/// Writes the conflict spec of a branch, if there is no open one yet; returns its id.
///
/// # Errors
/// As `chant_add`, or a failure of git.
pub(super) fn write_conflict_spec(clash: &ConflictedWork<'_>) -> Result<String, Error> {
    let snapshot = clash.project.snapshot()?;
    if let Some(id) = open_one(&snapshot, &clash.place.branch) {
        return Ok(id);
    }
    let text = clash.text(&snapshot)?;
    drop(snapshot);
    Ok(create(clash.project, None, &text)?.to_string())
}

fn open_one(snapshot: &ProjectSnapshot, branch: &str) -> Option<String> {
    let is_it = |spec: &&Arc<Spec>| {
        let names = || front_matter::read_key::<Option<String>>(spec.yaml(), "source_branch");
        is_open(spec) && names().ok().flatten().flatten().as_deref() == Some(branch)
    };
    let found = snapshot.specs.all().iter().find(is_it);
    found.map(|spec| spec.id.to_string())
}

fn is_open(spec: &Spec) -> bool {
    spec.kind == SpecType::Conflict && !spec.status.is_done()
}

/// Closes the conflict specs whose work is merged or no longer wanted, unless a run works on them:
/// as completed if their criteria are ticked, else as cancelled, with the reason.
///
/// # Errors
/// A `StoreError`.
pub(crate) fn close_settled(project: &Project, runs: &RunStore) -> Result<(), Error> {
    if !project.is_trusted() {
        return Ok(());
    }
    let snapshot = project.snapshot()?;
    let open = snapshot.specs.all().iter().filter(|spec| is_open(spec));
    let settled = open.filter_map(|spec| {
        let original = spec_of_conflict(spec)?;
        let why = why_settled(project, &snapshot, &original)?;
        Some((spec.id.to_string(), original, why))
    });
    let settled: Vec<(String, String, String)> = settled.collect();
    drop(snapshot);
    for (id, original, why) in settled {
        let (own, waiting) = (runs.newest_of(&id)?, runs.newest_of(&original)?);
        let is_left = own
            .into_iter()
            .chain(waiting)
            .all(|record| !is_under_way(&record));
        if is_left && let Some(_lock) = SpecLock::acquire_free(runs, &id)? {
            close(project, &id, &why)?;
            if project.snapshot()?.specs.find(&id).map(|spec| spec.status)
                == Some(SpecStatus::Completed)
            {
                leave_by_hand(project, &id, &[], false)?;
            }
        }
    }
    Ok(())
}

/// Returns true if a run is active, has work to be merged, or has to be recovered.
fn is_under_way(record: &RunRecord) -> bool {
    match record.state() {
        RunState::Running | RunState::AwaitingMerge | RunState::AwaitingApproval => true,
        RunState::Lost => record.settled_at.is_none(),
        _ => false,
    }
}

/// Returns the reason why nothing is left of a conflict; `None` if something is.
fn why_settled(project: &Project, snapshot: &ProjectSnapshot, id: &str) -> Option<String> {
    match snapshot.specs.find(id).map(|spec| spec.status) {
        Some(SpecStatus::Completed) => {
            Some(format!("Spec `{id}` is completed: its work is merged."))
        }
        Some(SpecStatus::Cancelled) => Some(format!("Spec `{id}` was cancelled.")),
        Some(SpecStatus::Pending | SpecStatus::Blocked | SpecStatus::Ready) => Some(format!(
            "Spec `{id}` was made pending again: its work starts again."
        )),
        Some(_) => None,
        None if project.is_archived(id) => Some(format!("Spec `{id}` is archived.")),
        None if snapshot.specs.broken_of(id).is_some() => None,
        None => Some(format!("There is no spec `{id}` any more.")),
    }
}

fn close(project: &Project, id: &str, why: &str) -> Result<(), Error> {
    let open = SpecStatus::ALL.map(|status| (!status.is_done()).then_some(status));
    let open: Vec<SpecStatus> = open.into_iter().flatten().collect();
    let now = project.clock.stamp();
    change_spec(project, id, &open, |draft| {
        let spec = draft.spec();
        if !spec.criteria.is_empty() && spec.unchecked() == 0 {
            draft.set_text("status", SpecStatus::Completed.as_str())?;
            return draft.set_text("completed_at", &now);
        }
        let (body, eol) = (spec.body(), line_break(spec.body()));
        let lead = if body.ends_with('\n') { "\n" } else { "\n\n" };
        let note = format!("{lead}## Outcome\n\n{why} Nothing is left to be settled ({now}).\n");
        let edit = Edit::insert(body.len(), with_line_break(&note, eol));
        draft.edit_body(vec![edit])?;
        draft.set_text("status", SpecStatus::Cancelled.as_str())
    })?;
    Ok(())
}

impl ConflictedWork<'_> {
    fn text(&self, snapshot: &ProjectSnapshot) -> Result<String, Error> {
        let (spec, place) = (self.spec, self.place);
        let inside = place.spec_in_git.strip_suffix(&*place.spec);
        let of_project = |path: &str| {
            let own = inside.and_then(|inside| path.strip_prefix(inside));
            own.unwrap_or(path).to_owned()
        };
        let paths: Vec<String> = self.conflicts.iter().map(|c| of_project(&c.path)).collect();
        let blocked = blocked_by_it(snapshot, spec, &paths);
        let list = |items: &[String]| FrontMatterValue::List(items.to_vec());
        let mut pairs = vec![
            (
                "type",
                FrontMatterValue::Text(SpecType::Conflict.as_str().into()),
            ),
            (
                "status",
                FrontMatterValue::Text(SpecStatus::Pending.as_str().into()),
            ),
            ("target_files", list(&paths)),
            (
                "source_branch",
                FrontMatterValue::Text(place.branch.clone()),
            ),
            (
                "target_branch",
                FrontMatterValue::Text(place.target.clone()),
            ),
            ("conflicting_files", list(&paths)),
        ];
        if !blocked.is_empty() {
            pairs.push(("blocked_specs", list(&blocked)));
        }
        pairs.push(("original_spec", FrontMatterValue::Text(spec.id.to_string())));
        let kinds = self.conflicts.iter().map(|conflict| words(&conflict.kind));
        let files: String = paths
            .iter()
            .zip(kinds)
            .map(|(path, kind)| format!("- `{path}`: {kind}\n"))
            .collect();
        let (branch, target, id) = (&place.branch, &place.target, &spec.id);
        let title = spec.title.as_deref().unwrap_or(id.as_str());
        Ok(format!(
            "{}\n# Resolve merge conflict: {title}\n\n\
             The work of spec `{id}` lies on branch `{branch}` and cannot be merged into `{target}` as it is.\n\n\
             ## Files in conflict\n\n{files}\n\
             ## Both sides\n\n\
             - `{branch}`: spec `{id}` ({title})\n{}\n\
             ## What to do\n\n\
             An agent that works on this spec has a branch of its own, which begins at `{target}`. There:\n\n\
             ```\ngit merge {branch}\n```\n\n\
             Settle the files above so that the work of both sides stays, run the tests, and commit the merge. \
             Where `{target}` moved on meanwhile, merge that, too. When this spec is completed, `{id}` is completed with it.\n\n\
             By hand it can be done in the worktree `{}`, which stands on `{branch}`:\n\n\
             ```\ngit merge {target}\n```\n\n\
             Then `chant-mcp merge {id}` brings the branch to `{target}`, and this spec is closed.\n\n\
             ## {CRITERIA}\n\n\
             - [ ] The files in conflict hold the work of both sides\n\
             - [ ] No conflict markers are left\n\
             - [ ] `{branch}` and `{target}` are merged in one branch\n",
            front_matter::render(&pairs),
            self.other_side(snapshot)?,
            place.worktree.display(),
        ))
    }

    /// Returns the changes on the target to the files in conflict since the branch started, each
    /// with its spec.
    fn other_side(&self, snapshot: &ProjectSnapshot) -> Result<String, Error> {
        let place = self.place;
        let tip = place.branch_tip(self.repo)?;
        let done = self.repo.evidence(&WorkQuery {
            branch: &place.target,
            base: &place.base,
            target: Some(&tip),
            besides: &[],
        })?;
        let (records, _) = self.runs.all()?;
        let is_about = |commit: &&WorkCommit| {
            let mut conflicts = self.conflicts.iter();
            conflicts.any(|conflict| commit.paths.contains(&conflict.path))
        };
        let mut listed = BTreeSet::new();
        let mut lines = String::new();
        for commit in done.commits.iter().filter(is_about) {
            let spec = spec_of(snapshot, &records, commit);
            // A spec is listed once, with its first commit.
            if spec.as_ref().is_some_and(|id| !listed.insert(id.clone())) {
                continue;
            }
            if lines.lines().count() == COMMITS_SHOWN {
                lines.push_str(&format!("- `{}`: and more\n", place.target));
                break;
            }
            let short: String = commit.id.chars().take(SHORT).collect();
            let whose = match spec {
                Some(id) => format!("spec `{id}`, "),
                None => String::new(),
            };
            lines.push_str(&format!(
                "- `{}`: {whose}commit {short}: {}\n",
                place.target, commit.subject
            ));
        }
        Ok(lines)
    }
}

/// Returns the spec that a commit was made for: by its run's record, else by its tag.
fn spec_of(
    snapshot: &ProjectSnapshot,
    records: &[RunRecord],
    commit: &WorkCommit,
) -> Option<String> {
    let of_run = records.iter().find(|record| {
        record.works_on_spec()
            && record
                .merge
                .landed_for(&record.commits)
                .contains(&commit.id)
    });
    if let Some(record) = of_run {
        return Some(record.spec_id.clone());
    }
    let tagged = commit.message.split("chant(").skip(1);
    let mut named = tagged.filter_map(|rest| rest.split_once("):").map(|(id, _)| id));
    let found = named.find(|id| snapshot.specs.find(id).is_some());
    found.map(str::to_owned)
}

/// Returns open specs about the same files.
fn blocked_by_it(snapshot: &ProjectSnapshot, spec: &Spec, paths: &[String]) -> Vec<String> {
    let is_about = |other: &&Arc<Spec>| {
        let files = other.target_files.iter().flatten();
        other.id != spec.id
            && !other.status.is_done()
            && other.kind != SpecType::Conflict
            && files
                .into_iter()
                .any(|file| paths.iter().any(|path| **path == **file))
    };
    let others = snapshot.specs.all().iter().filter(is_about);
    others.map(|other| other.id.to_string()).collect()
}

fn words(kind: &ConflictKind) -> String {
    match kind {
        ConflictKind::BothModified => "both sides changed the same lines".into(),
        ConflictKind::BothAdded => "both sides made it, differently".into(),
        ConflictKind::DeletedByTarget => "removed on the target, changed on the branch".into(),
        ConflictKind::DeletedByBranch => "changed on the target, removed on the branch".into(),
        ConflictKind::Moved => "renamed on one side, or a folder there".into(),
        ConflictKind::Refused(why) => why.clone(),
    }
}
