//! The part of the environment that a spec has.

use chant_config::Config;
use chant_config::run_environment::ItemEnvironment;
use chant_specs::model::Spec;

/// Returns the part of the environment that a spec has; `None` if it has everything.
pub(super) fn item_environment<'c>(config: &'c Config, spec: &Spec) -> Option<&'c ItemEnvironment> {
    let texts = |list: &Option<Vec<Box<str>>>| -> Vec<String> {
        list.iter().flatten().map(ToString::to_string).collect()
    };
    let (labels, files) = (texts(&spec.labels), texts(&spec.target_files));
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    config.runs.environment.of_item(&labels, &files)
}
