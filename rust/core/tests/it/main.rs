//! Behaviour of the core, in one binary.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests lay out files themselves and stop at the first surprise"
)]

mod chant_runs;
mod chant_specs;
mod files;
mod front_matter;
mod git;
mod graph_pictures;
#[cfg(unix)]
mod http_agent;
mod index;
mod journal;
mod layers;
mod network_laws;
mod pictures;
#[cfg(unix)]
mod runs;
mod speckit;
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
