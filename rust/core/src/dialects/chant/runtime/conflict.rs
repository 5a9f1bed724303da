//! A merge that a person has to make: written down as a spec (reference chant 6.9).

use super::super::model::{Spec, SpecType, Status};
use super::super::ops::add::create;
use super::super::parse::CRITERIA;
use super::super::project::{Project, Snapshot};
use super::workplace::Workplace;
use crate::error::Error;
use crate::git::merge::{Conflict, ConflictKind};
use crate::text::front_matter::{self, Value};

/// Writes the conflict spec of a branch, if there is no open one yet; gives its ID.
///
/// # Errors
/// As `chant_add`.
pub(super) fn written(
    project: &Project,
    spec: &Spec,
    place: &Workplace,
    conflicts: &[Conflict],
) -> Result<String, Error> {
    let snapshot = project.snapshot()?;
    if let Some(id) = open_one(&snapshot, &place.branch) {
        return Ok(id);
    }
    let text = text(&snapshot, spec, place, conflicts);
    drop(snapshot);
    Ok(create(project, None, &text)?.to_string())
}

fn open_one(snapshot: &Snapshot, branch: &str) -> Option<String> {
    let is_it = |spec: &&std::sync::Arc<Spec>| {
        let names = || front_matter::read_key::<Option<String>>(spec.yaml(), "source_branch");
        spec.kind == SpecType::Conflict
            && !spec.status.is_done()
            && names().ok().flatten().flatten().as_deref() == Some(branch)
    };
    let found = snapshot.specs.all().iter().find(is_it);
    found.map(|spec| spec.id.to_string())
}

fn text(snapshot: &Snapshot, spec: &Spec, place: &Workplace, conflicts: &[Conflict]) -> String {
    let paths: Vec<String> = conflicts
        .iter()
        .map(|conflict| conflict.path.clone())
        .collect();
    let blocked = blocked_by_it(snapshot, spec, &paths);
    let list = |items: &[String]| Value::List(items.to_vec());
    let mut pairs = vec![
        ("type", Value::Text(SpecType::Conflict.as_str().into())),
        ("status", Value::Text(Status::Pending.as_str().into())),
        ("target_files", list(&paths)),
        ("source_branch", Value::Text(place.branch.clone())),
        ("target_branch", Value::Text(place.target.clone())),
        ("conflicting_files", list(&paths)),
    ];
    if !blocked.is_empty() {
        pairs.push(("blocked_specs", list(&blocked)));
    }
    pairs.push(("original_spec", Value::Text(spec.id.to_string())));
    let files: String = conflicts
        .iter()
        .map(|conflict| format!("- `{}`: {}\n", conflict.path, words(&conflict.kind)))
        .collect();
    let (branch, target) = (&place.branch, &place.target);
    let worktree = place.worktree.display();
    let title = spec.title.as_deref().unwrap_or(spec.id.as_str());
    format!(
        "{}\n# Resolve merge conflict: {title}\n\n\
         The work of spec `{}` lies on branch `{branch}` and cannot be merged into `{target}` as it is.\n\n\
         ## Files in conflict\n\n{files}\n\
         ## What to do\n\n\
         In the worktree `{worktree}`, which stands on `{branch}`:\n\n\
         ```\ngit merge {target}\n```\n\n\
         Settle the files above so that the work of both sides stays, run the tests, and commit the merge. \
         Then `chant-mcp merge {}` brings the branch to `{target}`.\n\n\
         ## {CRITERIA}\n\n\
         - [ ] The files in conflict hold the work of both sides\n\
         - [ ] `{target}` is merged into `{branch}`\n\
         - [ ] `{branch}` is merged into `{target}`\n",
        front_matter::render(&pairs),
        spec.id,
        spec.id,
    )
}

/// Open specs that are about the same files.
fn blocked_by_it(snapshot: &Snapshot, spec: &Spec, paths: &[String]) -> Vec<String> {
    let is_about = |other: &&std::sync::Arc<Spec>| {
        let files = other.target_files.iter().flatten();
        other.id != spec.id
            && !other.status.is_done()
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
