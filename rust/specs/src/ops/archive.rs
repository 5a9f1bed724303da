//! Moving what is done out of the way.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use crate::error::ChantError;
use crate::model::{Spec, SpecStatus};
use crate::project::{ARCHIVE, Project, ProjectSnapshot, SPECS};
use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_config::Config;
use chant_store::StoreError;
use chant_store::disk::{self, LOCK_TIMEOUT};
use chant_store::journal::ChangeStep;

/// `chant_archive`: moves a completed or cancelled spec to `.chant/archive/<first ten characters>/`;
/// what git tracks is staged as moved, in a folder that a person trusts. A driver goes only when all its
/// members are done, and takes them along; a member may go alone. Dependencies on archived specs stay
/// satisfied.
///
/// # Errors
/// As [`Project::resolve`]; when it is not done, has open members, or its branch is not merged.
pub fn archive(project: &Project, id: &str) -> Result<Answer, Error> {
    let snapshot = project.snapshot()?;
    let spec = project.resolve_to_edit(&snapshot, id)?;
    project.refuse_own(&spec.id, "archived")?;
    let failed = |error: Error| match error {
        error if error.is::<StoreError>() => error.during("Failed to archive spec"),
        error => error,
    };
    let mut moves = moves_of(project, &snapshot, &spec)?;
    drop(snapshot);
    let deadline = Instant::now() + LOCK_TIMEOUT;
    loop {
        let paths: Vec<&str> = moves.iter().map(|(from, _)| from.as_str()).collect();
        let mut needed = None;
        let plan = |snapshot: &ProjectSnapshot, _: &[&str]| {
            let spec = project.resolve_to_edit(snapshot, spec.id.as_str())?;
            let now = moves_of(project, snapshot, &spec)?;
            if now == moves {
                return Ok(Some(moves.iter().map(step).collect()));
            }
            needed = Some(now);
            Ok(None)
        };
        if project.change(&paths, plan).map_err(failed)? {
            break;
        }
        if Instant::now() > deadline {
            return Err(disk::busy(Path::new(&*spec.path), "kept changing").into());
        }
        moves = needed.unwrap_or_default();
    }
    let (_, place) = moves.last().cloned().unwrap_or_default();
    let mut text = format!("Archived spec: {id} -> {place}");
    for (from, to) in &moves[..moves.len() - 1] {
        text.push_str(&format!("\nArchived member: {from} -> {to}"));
    }
    if let Err(error) = stage(project, &moves) {
        text.push_str(&format!("\nThe move is not staged in git: {error}"));
    }
    Ok(Answer::prose(text))
}

/// Moves an archived spec back among the active ones, with the archived specs inside it; its state stays.
///
/// # Errors
/// `Refused` for a name that no archived spec has, or that an active one has, too; or a `StoreError`.
pub fn unarchive(project: &Project, name: &str) -> Result<Answer, Error> {
    let snapshot = project.snapshot()?;
    let name = name.strip_prefix("chant:").unwrap_or(name);
    let archived = project.archived_specs()?;
    let id = find_archived(&snapshot, &archived, name)?;
    let inside = format!("{id}.");
    let back = archived
        .iter()
        .filter(|spec| spec.id.as_str() == id || spec.id.as_str().starts_with(&inside));
    let moves: Vec<FileMove> = back
        .map(|spec| (spec.path.to_string(), format!("{SPECS}/{}.md", spec.id)))
        .collect();
    let paths: Vec<&str> = moves.iter().map(|(from, _)| from.as_str()).collect();
    project
        .change(&paths, |_, _| Ok(Some(moves.iter().map(step).collect())))
        .map_err(|error| error.during("Failed to unarchive spec"))?;
    let mut text = format!("Unarchived spec: {id}");
    for (from, to) in &moves {
        text.push_str(&format!("\nMoved: {from} -> {to}"));
    }
    if let Err(error) = stage(project, &moves) {
        text.push_str(&format!("\nThe move is not staged in git: {error}"));
    }
    Ok(Answer::prose(text))
}

/// The ID of the one archived spec that a name means: its ID, or the end of it.
fn find_archived(
    snapshot: &ProjectSnapshot,
    archived: &[Arc<Spec>],
    name: &str,
) -> Result<String, Error> {
    let ids: Vec<&str> = archived.iter().map(|spec| spec.id.as_str()).collect();
    let is_ending = |id: &&&str| !name.is_empty() && id.ends_with(name);
    let meant: Vec<&str> = match ids.iter().find(|id| **id == name) {
        Some(id) => vec![*id],
        None => ids.iter().filter(is_ending).copied().collect(),
    };
    let why = match meant.as_slice() {
        [id] if snapshot.specs.find(id).is_none() => return Ok((*id).to_owned()),
        [id] => format!("an active spec has the ID {id}, too; rename or archive that one first"),
        [] => "no archived spec has this ID".to_owned(),
        several => format!("several archived specs end so: {}", several.join(", ")),
    };
    let message = format!("'{name}' cannot be unarchived: {why}");
    Err(ChantError::Refused(message).into())
}

/// A document's place and where it goes.
type FileMove = (String, String);

fn step((from, to): &FileMove) -> ChangeStep {
    ChangeStep::Move {
        from: from.clone(),
        to: to.clone(),
    }
}

/// Returns the moves of a spec to the archive and of all that goes with it, itself last; refuses where something
/// speaks against it.
fn moves_of(
    project: &Project,
    snapshot: &ProjectSnapshot,
    spec: &Arc<Spec>,
) -> Result<Vec<FileMove>, Error> {
    let config = snapshot.config.clone().unwrap_or_default();
    refuse_open(snapshot, spec)?;
    refuse_unmerged(project, spec, &config)?;
    let members: Vec<&Arc<Spec>> = snapshot.specs.members(&spec.id).collect();
    for member in &members {
        project.resolve_to_edit(snapshot, member.id.as_str())?;
        refuse_unmerged(project, member, &config)?;
    }
    let all = members.into_iter().chain([spec]);
    Ok(all
        .map(|spec| (spec.path.to_string(), place_of(spec)))
        .collect())
}

fn place_of(spec: &Spec) -> String {
    format!("{ARCHIVE}/{}/{}.md", spec.id.archive_folder(), spec.id)
}

fn refuse_open(snapshot: &ProjectSnapshot, spec: &Spec) -> Result<(), ChantError> {
    if !spec.status.is_done() {
        let status = snapshot.specs.status(spec);
        let message = format!(
            "Spec '{}' must be completed to archive (current: {})",
            spec.id,
            status.name()
        );
        return Err(ChantError::WrongState { message, status });
    }
    let members = snapshot.specs.open_members(&spec.id);
    if members.is_empty() {
        return Ok(());
    }
    let message = format!(
        "Cannot archive driver spec '{}' while members are open: {}",
        spec.id,
        members.join(", ")
    );
    Err(ChantError::OpenMembers { message, members })
}

/// Work that is on no main branch yet would be forgotten with the spec.
fn refuse_unmerged(project: &Project, spec: &Spec, config: &Config) -> Result<(), Error> {
    let main = config.main_branch();
    let Some(branch) = spec
        .branch
        .as_deref()
        .filter(|branch| *branch != main && spec.status == SpecStatus::Completed)
    else {
        return Ok(());
    };
    let Some(repo) = project.repo()? else {
        return Ok(());
    };
    if !matches!(repo.branch_tip(branch), Ok(Some(_))) {
        return Ok(());
    }
    let is_merged = repo.is_merged(branch, main).map_err(|error| {
        let message = format!(
            "Spec '{}' cannot be archived: whether its branch {branch} is merged into {main} cannot be \
             told: {error}. The main branch is `defaults.main_branch` of .chant/config.md.",
            spec.id
        );
        ChantError::Refused(message)
    })?;
    if is_merged {
        return Ok(());
    }
    let message = format!(
        "Spec '{}' cannot be archived: its branch {branch} is not merged into {main}. Merge it, then archive.",
        spec.id
    );
    Err(ChantError::Refused(message).into())
}

/// Reports the moves of tracked files to git.
fn stage(project: &Project, moves: &[(String, String)]) -> Result<(), Error> {
    let Some(repo) = project.repo()? else {
        return Ok(());
    };
    for (from, to) in moves {
        let (from, to) = (project.root().join(from), project.root().join(to));
        if repo.is_tracked(&from)? {
            // In an untrusted folder git only reads: the repository may be another project's.
            project.refuse_untrusted("stage a move")?;
            repo.stage_move(&from, &to)?;
        }
    }
    Ok(())
}
