//! Rust core of `chant_mcp`, for Python. Extracts, calls, converts; decides nothing.

use pyo3::prelude::*;

mod answer;
mod changes;
mod chant;
mod counted;
mod detached;
mod diagnostics;
mod fleet;
mod forks;
mod graph;
mod handles;
mod language_server;
mod merge;
mod parameters;
mod plans;
mod progress;
mod provider;
mod raise;
mod run_network;
mod sandbox;
mod speckit;
mod stop;
mod tickets;
mod trust;
mod turns;
mod values;
mod vine;
mod worker_job;
mod workspace;

/// Rust core of `chant_mcp`; import it through the package, never directly.
#[pymodule]
mod _core {
    #[pymodule_export]
    use crate::answer::PyAnswer;
    #[pymodule_export]
    use crate::changes::PyChanges;
    #[pymodule_export]
    use crate::chant::{ChantProject, agent_names};
    #[pymodule_export]
    use crate::counted::counted_work;
    #[pymodule_export]
    use crate::fleet::{
        PyClusterLook, PyFleetGraph, read_repository, repository_names, unite_networks,
        update_clone,
    };
    #[pymodule_export]
    use crate::graph::{
        PyEdges, PyItems, PyLayers, PyNetwork, PyNetworkDraft, PyScores, PyTable, item_table,
        page_themes, typed_table,
    };
    #[pymodule_export]
    use crate::handles::{PySelection, PyTransaction, body_section, body_sections};
    #[pymodule_export]
    use crate::language_server::serve_language;
    #[pymodule_export]
    use crate::merge::merge_specs;
    #[pymodule_export]
    use crate::plans::{admit_plugin_format, formats};
    #[pymodule_export]
    use crate::progress::report_progress_to;
    #[pymodule_export]
    use crate::provider::work_over_http;
    #[pymodule_export]
    use crate::raise::error_codes;
    #[pymodule_export]
    use crate::run_network::PyRunNetwork;
    #[pymodule_export]
    use crate::sandbox::launch_sandbox;
    #[pymodule_export]
    use crate::speckit::SpeckitFeatures;
    #[pymodule_export]
    use crate::tickets::TicketProjects;
    #[pymodule_export]
    use crate::trust::{
        absolute_searches, acting_kind, acting_places, sign_of_agent, tool_hints,
        tool_right_in_run, trusted_folders, write_only_in,
    };
    #[pymodule_export]
    use crate::vine::{PyVineDocument, VineFiles};
    #[pymodule_export]
    use crate::worker_job::WorkerMachine;
    #[pymodule_export]
    use crate::workspace::{PyColumns, PyExport, PyWorkspace, export_fields};
    /// The release that this core belongs to.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_init]
    fn init(module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        crate::diagnostics::start();
        crate::forks::watch(module.py())?;
        crate::stop::note_variables(module.py())?;
        crate::graph::register_protocols(module.py())
    }
}
