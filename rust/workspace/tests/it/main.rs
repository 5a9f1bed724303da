//! Behaviour of the core, in one binary.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests lay out files themselves and stop at the first surprise"
)]

mod chant_runs;
mod chant_specs;
#[cfg(target_os = "linux")]
mod confine;
#[path = "../../../plan-format/tests/shared/damaged.rs"]
mod damaged;
mod document_findings;
mod failing_disk;
mod files;
mod front_matter;
mod git;
mod graph_pictures;
#[cfg(unix)]
mod http_agent;
mod index;
mod journal;
mod journal_damage;
mod layers;
mod network_laws;
mod odd_disks;
mod pictures;
#[cfg(unix)]
mod runs;
mod speckit;
#[cfg(unix)]
mod state;
mod tickets;
mod tickets_advice;
mod tickets_projects;
mod tickets_templates;
mod vine;
mod vine_files;
mod vine_laws;
mod vine_problems;
mod vine_texts;
mod vine_write;
mod workspace;
mod workspace_board;
mod workspace_features;
mod workspace_import;
mod workspace_lookups;
mod workspace_network;
mod workspace_transaction;

use std::path::{Path, PathBuf};

use chant_store::disk::Disk;
use chant_store::files::RootFolder;
use chant_store::state::{StateFolder, UserState};

/// The disk of a user who keeps state where the tests' build keeps its files.
pub(crate) fn own_disk() -> Disk {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("user-state");
    Disk {
        user_state: Some(UserState::at(folder)),
        ..Disk::default()
    }
}

/// A part of the state of a folder without git; its folder is made.
pub(crate) fn state_part(root: &Path, part: &str) -> PathBuf {
    let root = RootFolder::open(root).unwrap();
    let state = StateFolder::of(&root, None, own_disk().user_state.as_ref());
    let (folder, name) = part.rsplit_once('/').unwrap();
    state.ensure(folder).unwrap().join(name)
}
