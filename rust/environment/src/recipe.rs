//! The inputs of a recipe at a commit, and the key of the layer that they make.

use std::path::Path;

use chant_base::error::Error;
use chant_config::run_environment::EnvironmentRecipe;
use chant_git::Repo;
use chant_store::digest::sha256;
use chant_text::canonical::canonical;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde_json::json;

use super::version_change::is_of_versions;
use super::{EnvironmentError, failed};

/// The version of the layout of layers: with another one all are built again.
const FORMAT: u32 = 2;

/// The folder, in that of the steps, of the caches that they fill.
pub(super) const CACHES: &str = ".chant-caches";

/// The caches that the steps of a recipe fill, in the folder in which they run.
#[derive(Debug, Clone, Copy)]
pub struct RecipeCaches<'a> {
    /// The recipe.
    pub recipe: &'a EnvironmentRecipe,
    /// The folder of the steps.
    pub folder: &'a Path,
}

impl RecipeCaches<'_> {
    /// Makes the caches.
    ///
    /// # Errors
    /// `File`.
    pub fn make(&self) -> Result<(), EnvironmentError> {
        for name in &self.recipe.caches {
            let cache = self.path(name);
            std::fs::create_dir_all(&cache).map_err(failed("make", &cache))?;
        }
        Ok(())
    }

    /// Returns the variables of the steps.
    pub fn variables(&self) -> Vec<(String, String)> {
        let all = self.recipe.variables.iter();
        let path = |name: &str| Some(self.path(name));
        all.filter_map(|(name, value)| Some((name.clone(), with_caches(value, &path)?)))
            .collect()
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.join(CACHES).join(name)
    }
}

/// Returns the value of a variable with the folders of caches; `None` if one is unknown.
pub fn with_caches(
    value: &str,
    path: &dyn Fn(&str) -> Option<std::path::PathBuf>,
) -> Option<String> {
    let mut parts = value.split("{cache.");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once('}')?;
        text.push_str(&path(name)?.display().to_string());
        text.push_str(rest);
    }
    Some(text)
}

/// The files of a commit that the steps of a recipe see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayerInputs {
    /// Their paths, from the recipe's folder, with their content; sorted.
    files: Vec<(String, Vec<u8>)>,
}

impl LayerInputs {
    /// Reads the inputs of a recipe from a commit. `project` is the project's root, from the top of the repository.
    ///
    /// # Errors
    /// `NoInputs`, `Pattern`, or a failure of git.
    pub fn read(
        repo: &Repo,
        commit: &str,
        project: &str,
        name: &str,
        recipe: &EnvironmentRecipe,
    ) -> Result<Self, Error> {
        let wanted = patterns(name, &recipe.inputs)?;
        let folder = [project, recipe.folder.as_deref().unwrap_or_default()];
        let folder: Vec<&str> = folder
            .into_iter()
            .map(|part| part.trim_matches('/'))
            .filter(|part| !part.is_empty())
            .collect();
        let is_deep = recipe.inputs.iter().any(|pattern| pattern.contains('/'));
        let files = repo.files_at(commit, &folder.join("/"), &|_| is_deep, &|path| {
            wanted.is_match(path)
        })?;
        if files.is_empty() {
            let error = EnvironmentError::NoInputs {
                recipe: name.to_owned(),
                patterns: recipe.inputs.clone(),
            };
            return Err(error.into());
        }
        Ok(Self { files })
    }

    /// Returns the key of the layer: a hash over everything that decides what the steps make. `tools` are the outputs
    /// of the recipe's commands about its tools, `system` tells one system from another.
    pub fn key(&self, recipe: &EnvironmentRecipe, tools: &[String], system: &str) -> String {
        let inputs: Vec<_> = self
            .files
            .iter()
            .map(|(path, bytes)| json!([path, sha256(bytes)]))
            .collect();
        let decides = json!({
            "format": FORMAT,
            "in": recipe.folder,
            "steps": recipe.steps,
            "stand_ins": recipe.stand_ins,
            "outputs": recipe.outputs,
            "caches": recipe.caches,
            "variables": recipe.variables,
            "inputs": inputs,
            "tools": tools,
            "system": system,
        });
        sha256(canonical(&decides).as_bytes())
    }

    /// Writes the inputs and the recipe's stand-ins into a folder.
    ///
    /// # Errors
    /// `File`.
    pub fn write(&self, folder: &Path, recipe: &EnvironmentRecipe) -> Result<(), EnvironmentError> {
        let files = self.files.iter().map(|(path, bytes)| (path, &**bytes));
        let empty: &[u8] = b"";
        let stand_ins = recipe.stand_ins.iter().map(|path| (path, empty));
        for (path, bytes) in files.chain(stand_ins) {
            let place = folder.join(path);
            let above = place.parent().unwrap_or(folder);
            std::fs::create_dir_all(above).map_err(failed("make", above))?;
            std::fs::write(&place, bytes).map_err(failed("write", &place))?;
        }
        Ok(())
    }

    /// Returns true if a path, from the recipe's folder, is one of them.
    pub(super) fn has(&self, path: &str) -> bool {
        self.files
            .binary_search_by(|(other, _)| other.as_str().cmp(path))
            .is_ok()
    }
}

/// Returns the names of the system and of the processor.
pub fn platform() -> String {
    #[cfg(unix)]
    {
        let system = rustix::system::uname();
        let name = |text: &std::ffi::CStr| text.to_string_lossy().into_owned();
        format!("{} {}", name(system.sysname()), name(system.machine()))
    }
    #[cfg(not(unix))]
    String::new()
}

/// Returns true if the inputs of two commits differ in nothing but versions of packages from registries, as lock files
/// name them, and their hashes.
pub fn differ_in_versions(old: &LayerInputs, new: &LayerInputs) -> bool {
    let pairs = old.files.iter().zip(&new.files);
    old.files.len() == new.files.len()
        && pairs.into_iter().all(|((path, before), (other, after))| {
            path == other && (before == after || is_of_versions(path, before, after))
        })
}

/// Returns the paths of inputs that differ between two commits.
pub fn changed_inputs(old: &LayerInputs, new: &LayerInputs) -> Vec<String> {
    let differs = |one: &LayerInputs, other: &LayerInputs| -> Vec<String> {
        let files = one.files.iter().filter(|file| !other.files.contains(file));
        files.map(|(path, _)| path.clone()).collect()
    };
    let mut paths = [differs(old, new), differs(new, old)].concat();
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// Compiles patterns of paths: `*` stays in a folder, `**` does not.
pub(super) fn patterns(recipe: &str, patterns: &[String]) -> Result<GlobSet, EnvironmentError> {
    let mut all = GlobSetBuilder::new();
    for pattern in patterns {
        let one = GlobBuilder::new(pattern.trim_end_matches('/'))
            .literal_separator(true)
            .build();
        all.add(one.map_err(|error| EnvironmentError::Pattern {
            recipe: recipe.to_owned(),
            pattern: pattern.clone(),
            why: error.kind().to_string(),
        })?);
    }
    all.build().map_err(|error| EnvironmentError::Pattern {
        recipe: recipe.to_owned(),
        pattern: patterns.join(", "),
        why: error.to_string(),
    })
}
