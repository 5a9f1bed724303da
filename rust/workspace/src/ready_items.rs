//! The items of a folder that can be started now, for runs, which know no workspace.

use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;

use super::{DialectStores, Workspace, external_items};
use chant_base::error::Error;
use chant_speckit::files::FeatureStore;
use chant_speckit::resolve::SearchStart;
use chant_specs::project::{Project, ProjectOptions};
use chant_tickets::project_registry::ProjectRegistry;
use chant_tickets::projects::DiscoveryInputs;
use chant_vine::files::VineStore;

/// Returns the keys of the items of a format that can be started now, in the order of lists.
///
/// # Errors
/// A folder of work files cannot be listed.
pub(super) fn ready_keys(project: &Project, dialect: &str) -> Result<Vec<String>, Error> {
    let workspace = Workspace::open(project.root(), stores_of(project)?);
    let joined = workspace.snapshot()?;
    let ready = joined
        .items()
        .filter(|item| item.dialect() == dialect && item.is_ready());
    Ok(ready.map(|item| item.key().to_owned()).collect())
}

/// The formats of a project's folder, to be read alone: what writes needs more.
fn stores_of(project: &Project) -> Result<DialectStores, Error> {
    let (root, disk): (&Path, _) = (project.root(), &project.disk);
    let start = SearchStart {
        folder: root.to_owned(),
        root: root.to_owned(),
        environment: project.environment.clone(),
    };
    let inputs = DiscoveryInputs {
        start: root.to_owned(),
        ..DiscoveryInputs::default()
    };
    let now = || Timestamp::UNIX_EPOCH;
    let specs = Project::open(ProjectOptions {
        root: root.to_owned(),
        user_config: None,
        searched: Vec::new(),
        environment: project.environment.clone(),
        program: Vec::new(),
        prompts: None,
        trust: None,
        runs: project.run_lookup,
        clock: project.clock.clone(),
        disk: disk.clone(),
    })?;
    let graphs = VineStore::new(disk.clone(), root.to_owned(), Vec::new(), false);
    let features = FeatureStore::new(start, disk.clone(), now);
    let tickets = ProjectRegistry::open(inputs, disk.clone(), now);
    Ok(DialectStores {
        chant: Arc::new(specs.with_external(external_items(root))),
        vine: Arc::new(graphs.with_external(external_items)),
        speckit: Arc::new(features.with_external(external_items)),
        tickets: Arc::new(tickets.with_external(external_items)),
    })
}
