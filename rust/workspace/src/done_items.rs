//! The items that are done in a commit, by the documents that somebody asks about.

use std::collections::BTreeSet;
use std::path::Path;

use chant_base::error::Error;
use chant_base::external_items::ExternalItems;
use chant_speckit::files::{FeatureDocument, TASKS};
use chant_speckit::resolve::SPECS as FEATURES;
use chant_tickets::model::TicketStatus;
use chant_tickets::parse::ticket as parse_ticket;
use chant_vine::document::VineDocument;
use chant_vine::model::TaskStatus;

use super::key::{of_feature, of_task, of_ticket};
use super::planning_paths::PlanningPaths;
use super::revision_folder::RevisionFolder;
use super::revision_view::has_ending;

/// Returns the keys of the items that are done in a commit, of documents at the given paths from the root.
///
/// # Errors
/// A failure of git.
pub(super) fn done_items(
    root: &Path,
    commit: &str,
    paths: &[&str],
) -> Result<BTreeSet<String>, Error> {
    let mut done = BTreeSet::new();
    let planning = PlanningPaths::in_commit(root, commit)?;
    let Some(place) = RevisionFolder::of_commit(root, commit)? else {
        return Ok(done);
    };
    let unknown = |keys: &[String]| ExternalItems::default().standings(keys);
    for layout in &planning.layouts {
        let units = paths.iter().filter_map(|path| layout.unit_of(path));
        let units: BTreeSet<String> = units.collect();
        if units.is_empty() {
            continue;
        }
        let enters = |folder: &str| layout.enters(folder);
        let is_asked = |file: &str| {
            layout
                .unit_of(file)
                .is_some_and(|unit| units.contains(&unit))
        };
        let documents = place.texts(&enters, &is_asked)?;
        let read = layout.read(&documents, &unknown);
        let nodes = read.iter().flat_map(|read| read.snapshot.nodes.iter());
        let nodes = nodes.filter(|node| node.is_done);
        done.extend(nodes.map(|node| node.key.to_string()));
    }
    for path in paths.iter().filter(|path| planning.is_of_tools(path)) {
        if let Some(text) = place.text(path)? {
            done.extend(done_in_document(path, text));
        }
    }
    Ok(done)
}

/// The items that a document of a format with tools of its own calls done.
fn done_in_document(path: &str, text: String) -> Vec<String> {
    if has_ending(path, "vine") {
        let document = VineDocument::read(text).ok();
        let nodes = document
            .iter()
            .flat_map(|document| &document.plan.graph.nodes);
        let done = nodes.filter(|node| node.status() == Some(TaskStatus::Complete));
        return done.map(|node| of_task(path, &node.id)).collect();
    }
    if let [FEATURES, label, TASKS] = path.split('/').collect::<Vec<_>>().as_slice() {
        let list = FeatureDocument::read(path, text).list;
        let done = list.tasks.iter().filter(|task| task.mark.is_settled());
        return done.map(|task| of_feature(label, &task.id)).collect();
    }
    let ticket = parse_ticket(path, text);
    let is_done = ticket.meant.status.is_some_and(TicketStatus::is_done);
    let code = ticket.code.iter().filter(|_| is_done);
    code.map(of_ticket).collect()
}
