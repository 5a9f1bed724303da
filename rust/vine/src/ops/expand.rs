//! A graph put in the place of a reference to it.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use super::replaced;
use crate::document::VineDocument;
use crate::error::VineError;
use crate::expand;
use crate::files::{GraphLocation, VineStore};
use crate::frontier::{GraphPlan, refs};
use crate::model::{Graph, NodeContent, VineNode};
use chant_base::answer::Answer;
use chant_base::error::Error;

/// `vine_expand`: puts another graph in the place of a reference; without `child_file` the one that
/// the reference names.
///
/// # Errors
/// `VineError` where either file is no valid graph or they do not fit; nothing is written then.
pub fn expand(
    files: &VineStore,
    file: &str,
    ref_id: &str,
    child_file: Option<&str>,
) -> Result<Answer, Error> {
    let place = files.existing(file)?;
    let parent = files.read(&place)?;
    let child_place = match child_file {
        Some(child) => files.existing(child)?,
        None => referred(files, &place, reference(&parent.plan.graph, ref_id)?)?,
    };
    let real = place.real()?;
    if child_place.real()? == real {
        let name = &child_place.given;
        return Err(not_expanded(format!(
            "\"{name}\" is the file itself; it cannot be put into itself."
        )));
    }
    let child = files
        .read(&child_place)
        .map_err(|error| VineError::InChild {
            file: child_place.given.clone(),
            why: error.to_string(),
        })?;
    let folder = folder_between(&place, &child_place);
    no_way_back(files, &real, child_place, Arc::clone(&child))?;
    let mut waits_for = Vec::new();
    replaced(files, &place, &real, |document| {
        let mut graph = document.plan.graph.clone();
        waits_for = held_up_by(&document.plan, ref_id);
        expand::expand(&mut graph, ref_id, &child.plan.graph, &folder)?;
        document
            .changed(document.plan.renewed(graph)?)
            .map_err(Error::from)
    })?;
    let mut message = format!("Ref \"{ref_id}\" expanded.");
    if !waits_for.is_empty() {
        message.push_str(&format!(
            "\nIt still waited for {}; tasks that came in and depend on nothing can be started before.",
            waits_for.join(", ")
        ));
    }
    Ok(Answer::prose(message))
}

/// Returns the nodes that a reference still waits for.
fn held_up_by(plan: &GraphPlan, ref_id: &str) -> Vec<String> {
    let at = plan.graph.position(ref_id);
    let unmet = at.into_iter().flat_map(|at| plan.unmet(at));
    unmet
        .map(|at| plan.graph.nodes[at].id.to_string())
        .collect()
}

/// Refuses a child from which references lead back to the parent or to itself: one could expand for
/// ever.
fn no_way_back(
    files: &VineStore,
    parent: &Path,
    child: GraphLocation,
    document: Arc<VineDocument>,
) -> Result<(), Error> {
    let own = child.real()?;
    let mut seen = HashSet::new();
    let mut open = vec![(child, document)];
    while let Some((place, document)) = open.pop() {
        for node in refs(&document.plan.graph) {
            let next = referred(files, &place, node);
            let Some((real, next)) = next.ok().and_then(|next| Some((next.real().ok()?, next)))
            else {
                continue;
            };
            if real == parent || real == own {
                let which = if real == own { "itself" } else { "the parent" };
                return Err(not_expanded(format!(
                    "The child leads back to {which}: \"{}\" in {} refers to {}; expanding would never end.",
                    node.id, place.path, next.path
                )));
            }
            if seen.insert(real)
                && let Ok(document) = files.read(&next)
            {
                open.push((next, document));
            }
        }
    }
    Ok(())
}

fn not_expanded(message: String) -> Error {
    VineError::Expansion { message }.into()
}

/// The reference that is to be expanded.
fn reference<'a>(graph: &'a Graph, id: &str) -> Result<&'a VineNode, Error> {
    let node = graph.find(id);
    node.ok_or_else(|| not_expanded(format!("Task \"{id}\" does not exist in the parent graph.")))
}

/// The file that a reference names.
fn referred(
    files: &VineStore,
    place: &GraphLocation,
    node: &VineNode,
) -> Result<GraphLocation, Error> {
    let id = &node.id;
    let NodeContent::Ref { vine } = &node.work else {
        return Err(not_expanded(format!(
            "Task \"{id}\" is not a reference node."
        )));
    };
    if vine.contains("://") {
        return Err(not_expanded(format!(
            "\"{id}\" refers to {vine}, which is no file here; get it and give its path as child_file."
        )));
    }
    let path = place.root.path().join(place.beside(vine)?);
    files.existing(&path.display().to_string())
}

/// The way from the parent's folder to the child's; empty where they are the same.
fn folder_between(parent: &GraphLocation, child: &GraphLocation) -> String {
    let (parent, child) = (parent.absolute(), child.absolute());
    let (Some(from), Some(to)) = (parent.parent(), child.parent()) else {
        return String::new();
    };
    let way = pathdiff::diff_paths(to, from).unwrap_or_default();
    way.to_string_lossy().replace('\\', "/")
}
