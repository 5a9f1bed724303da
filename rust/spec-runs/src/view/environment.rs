//! The shapes of answers about what recipes install.

use chant_environment::SealedLayer;
use serde::Serialize;

/// The recipes of a project and their layers.
#[derive(Debug, Serialize)]
pub struct RunEnvironmentView {
    /// The recipes.
    pub recipes: Vec<RecipeView>,
    /// The layers, those that were used last first.
    pub layers: Vec<LayerView>,
    /// The way in which large layers come into a folder: `mounted` or `copied`.
    pub view: &'static str,
    /// The names of ports.
    pub ports: Vec<String>,
    /// The names of services.
    pub services: Vec<String>,
    /// The names of variables.
    pub variables: Vec<String>,
}

/// A recipe.
#[derive(Debug, Serialize)]
pub struct RecipeView {
    /// Its name.
    pub name: String,
    /// The folder of its steps, from the project's root.
    pub folder: String,
    /// Its steps, a line each.
    pub steps: Vec<String>,
    /// The patterns of its outputs.
    pub outputs: Vec<String>,
    /// The names of its caches.
    pub caches: Vec<String>,
    /// The number of its layers.
    pub layers: usize,
}

/// A layer.
#[derive(Debug, Serialize)]
pub struct LayerView {
    /// Its recipe.
    pub recipe: String,
    /// The start of its key.
    pub key: String,
    /// The commit whose inputs it was built from.
    pub commit: String,
    /// The time at which it was built, RFC 3339, UTC.
    pub built_at: String,
    /// The duration of that, in milliseconds.
    pub took_ms: u64,
    /// The number of its files.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Files that hold the path of the folder in which they were built, and are no texts.
    pub programs_with_path: Vec<String>,
}

impl LayerView {
    /// Returns the shape of a layer.
    pub fn of(layer: &SealedLayer) -> Self {
        let facts = &layer.facts;
        Self {
            recipe: facts.recipe.clone(),
            key: layer.short_key().to_owned(),
            commit: facts.commit.clone(),
            built_at: facts.built_at.clone(),
            took_ms: facts.took_ms,
            files: facts.files,
            bytes: facts.bytes,
            programs_with_path: facts.programs_with_path.clone(),
        }
    }
}

/// The ports of a run.
#[derive(Debug, Serialize)]
pub struct RunPortsView {
    /// Its spec.
    pub spec_id: String,
    /// The run.
    pub process_id: String,
    /// The ports.
    pub ports: Vec<RunPortView>,
}

/// A port of a run.
#[derive(Debug, Serialize)]
pub struct RunPortView {
    /// Its name in the configuration.
    pub name: String,
    /// Its number.
    pub port: u16,
    /// True if something listens there now.
    pub is_listening: bool,
}
