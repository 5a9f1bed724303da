//! The specs in a merge: merged by their meaning, and looked at for what no work may do to them.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::merge;
use chant_git::merge::{FileConflict, FileResolution, FileSides};
use chant_specs::from_run::{self, ProtectedFields};
use chant_specs::id::SpecId;
use chant_specs::model::SpecStatus;
use chant_specs::parse;
use chant_specs::specs::{SpecGraph, describe_cycle};
use chant_store::index::{DocumentChange, FileSource};

/// Merges a spec of others by its meaning, where git would merge it line by line; a new one waits
/// for a person.
pub(super) fn by_meaning(path: &str, sides: FileSides<'_>) -> FileResolution {
    let text = |bytes: Option<&[u8]>| String::from_utf8(bytes?.to_vec()).ok();
    let resolved = match (text(sides.base), text(sides.ours), text(sides.theirs)) {
        (Some(base), Some(ours), Some(theirs)) => {
            merge::merged_beside(&base, &ours, &theirs).map_err(|_| ())
        }
        (None, None, Some(new)) => from_run::prepare_for_approval(path, &new).map_err(|_| ()),
        _ => Err(()),
    };
    // A spec that cannot be resolved is judged as git merges it.
    resolved.map_or(FileResolution::Default, |text| {
        FileResolution::Bytes(text.into_bytes())
    })
}

/// Returns the reason why the merged text of a spec of others is not allowed.
pub(super) fn overruled(path: &str, old: Option<&str>, new: &str) -> Option<String> {
    let now = ProtectedFields::of(path, new)?;
    let Some(old) = old else {
        let is_as_it_may_be =
            from_run::prepare_for_approval(path, new).is_ok_and(|text| text == new);
        let why = "the work adds a spec that cannot be made to wait for a person's approval";
        return (!is_as_it_may_be).then(|| format!("{why}: {path}"));
    };
    let why = "the work changes what people decide about another spec, its state, approval, criteria or keys that choose what an agent is given; take that out of its branch";
    ProtectedFields::of(path, old)
        .is_some_and(|before| before != now)
        .then(|| format!("{why}: {path}"))
}

/// Returns the reason why a new spec would make another one wait: as a member of a spec that is there and that is
/// not the run's own.
pub(super) fn new_member(path: &str, own: &str, specs: &SpecGraph) -> Option<String> {
    let id: SpecId = parse::stem(path).parse().ok()?;
    let driver = id.parent().filter(|parent| *parent != own)?;
    specs.find(driver).map(|_| {
        format!(
            "the work adds a member to spec '{driver}', which would wait for it: {path}; take that out of its branch"
        )
    })
}

/// Returns the reason why the run's own spec file could not be merged, if it is among the
/// conflicts.
pub(super) fn own_conflict(conflicts: &[FileConflict], own: &str) -> Option<String> {
    let conflict = conflicts.iter().find(|conflict| conflict.path == own)?;
    Some(format!(
        "the spec's file is in conflict ({:?})",
        conflict.kind
    ))
}

/// Returns the reason why a spec that was changed meanwhile forbids the merge.
pub(super) fn changed_meanwhile(path: &str, copy: &str) -> Option<String> {
    let spec = parse::document(path, FileSource::Text(copy.to_owned())).ok()?;
    if !spec.is_approved() {
        return Some("the spec is not approved; nothing was merged".into());
    }
    (!matches!(
        spec.status,
        SpecStatus::InProgress | SpecStatus::NeedsAttention | SpecStatus::Completed
    ))
    .then(|| {
        format!(
            "the spec was made {} while its work was to be merged; nothing was merged",
            spec.status
        )
    })
}

/// Returns the open criteria that the branch does not know: they were added while the agent worked.
pub(super) fn open_criteria(path: &str, text: &str) -> Option<String> {
    let spec = parse::document(path, FileSource::Text(text.to_owned())).ok()?;
    let open = spec.open_criteria().into_iter();
    let open: Vec<String> = open.map(|text| format!("'{text}'")).collect();
    (!open.is_empty()).then(|| {
        format!(
            "criteria that are not ticked were added to the spec while its work was done: {}; start it again",
            open.join(", ")
        )
    })
}

/// Returns the change of a spec to a text.
pub(super) fn changed(path: &str, text: &str) -> DocumentChange<parse::ParsedSpec> {
    DocumentChange {
        path: path.into(),
        document: Some(parse::document(path, FileSource::Text(text.to_owned()))),
    }
}

/// Returns a cycle that specs would form after a change and do not form before.
pub(super) fn new_cycle(
    specs: &Arc<SpecGraph>,
    changes: Vec<DocumentChange<parse::ParsedSpec>>,
) -> Option<String> {
    let cycles = |specs: &SpecGraph| -> BTreeMap<String, String> {
        let graph = specs.graph();
        let in_cycles = graph.cyclic_components().into_iter().flatten();
        let paths = in_cycles.filter_map(|node| {
            let path = describe_cycle(graph, &graph.cycle_through(node)?);
            Some((graph.key(node).to_owned(), path.join(" -> ")))
        });
        paths.collect()
    };
    let mut after = SpecGraph::clone(specs);
    after.apply(changes);
    let known = cycles(specs);
    let new = cycles(&after)
        .into_iter()
        .find(|(key, _)| !known.contains_key(key));
    new.map(|(_, path)| format!("the work would close a cycle: {path}"))
}
