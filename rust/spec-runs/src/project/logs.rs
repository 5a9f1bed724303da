//! The name of a log in the project, where people and other programs find it.

use chant_work::mirror::LOGS;

/// Returns the name of the log of a spec's runs, from the project's root.
pub(crate) fn log_name(spec_id: &str) -> String {
    format!("{LOGS}/{spec_id}.log")
}
