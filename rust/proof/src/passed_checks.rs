//! Checks that passed on a tree, so that the same check on the same tree need not be run again. A failure is never
//! kept: it proves nothing later.

use chant_base::error::Error;
use chant_config::Config;
use chant_specs::project::Project;
use chant_store::StoreError;
use chant_store::digest::sha256;
use chant_store::disk;
use chant_store::files::{self, RootFolder};
use chant_work::run_record::EnvironmentEntry;
use chant_work::run_store::RunStore;

/// The folder in the state folder.
const FOLDER_NAME: &str = "passed-checks";
/// The file in it.
const FILE_NAME: &str = "keys";
/// So many are remembered.
const MAX_REMEMBERED: usize = 2000;
/// The greatest size of the file in bytes.
const MAX_SIZE: u64 = 1024 * 1024;
/// The greatest size of a program that is hashed, in bytes.
const MAX_PROGRAM: u64 = 256 * 1024 * 1024;

/// The inputs that decide the end of a check on a tree.
pub struct CellInputs<'a> {
    /// The project, whose folder and variables count.
    pub project: &'a Project,
    /// Its configuration.
    pub config: &'a Config,
    /// The layers that are installed.
    pub environment: &'a [EnvironmentEntry],
    /// The command line.
    pub argv: &'a [String],
    /// The tree.
    pub tree: &'a str,
}

impl CellInputs<'_> {
    /// The name under which a passed check is remembered; `None` where its program cannot be read.
    pub fn key(&self) -> Option<String> {
        let program = self.argv.first()?;
        let path = self.project.environment.get("PATH");
        let program = which::which_in(program, path, self.project.root()).ok()?;
        if disk::stamp(&program)?.size > MAX_PROGRAM {
            return None;
        }
        let program = sha256(&disk::read_from(&program, "program", 0).ok()?);
        let mut parts = vec![
            env!("CARGO_PKG_VERSION").to_owned(),
            program,
            self.tree.to_owned(),
        ];
        parts.extend(self.argv.iter().cloned());
        for layer in self.environment {
            parts.push(format!("{} {}", layer.key, layer.hash));
        }
        for name in &self.config.runs.passed {
            let value = self.project.environment.get(name);
            parts.push(format!("{name}={}", value.map_or("", String::as_str)));
        }
        Some(sha256(parts.join("\0").as_bytes()))
    }
}

/// Returns true if a check passed before.
pub fn has_passed(runs: &RunStore, key: &str) -> bool {
    let Some(folder) = runs.state.read(&runs.state.in_project(FOLDER_NAME)) else {
        return false;
    };
    let known = disk::read_owned(&folder.join(FILE_NAME), MAX_SIZE);
    known.is_ok_and(|known| known.lines().any(|line| line == key))
}

/// Remembers that a check passed.
///
/// # Errors
/// A failure of the disk.
pub fn remember(runs: &RunStore, key: &str) -> Result<(), Error> {
    let folder = RootFolder::open(&runs.state.ensure(&runs.state.in_project(FOLDER_NAME))?)?;
    match disk::create_owned(&folder.path().join(FILE_NAME), "") {
        Ok(()) | Err(StoreError::Exists { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    files::edit(&runs.disk, &folder, FILE_NAME, |text| {
        let mut lines: Vec<&str> = text.lines().filter(|line| *line != key).collect();
        lines.push(key);
        let over = lines.len().saturating_sub(MAX_REMEMBERED);
        Ok::<_, Error>(lines[over..].join("\n") + "\n")
    })?;
    Ok(())
}
