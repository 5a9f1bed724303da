//! Files and variables of the user's that agents get because the user's own configuration names them.
//!
//! Files are copies: git ignores them, they never land, and their values are masked in logs. Checks get no files.

use crate::project::folders::at_home;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::confine_means::refused;
use chant_base::error::Error;
use chant_config::Config;
use chant_config::run_environment::NetworkRoute;
use chant_git::Repo;
use chant_specs::project::Project;
use chant_store::disk::{self, Disk};
use chant_work::run_log::secrets;

/// The greatest size of such a file, in bytes.
const MAX_SIZE: u64 = 10 * 1024 * 1024;
/// The greatest number of bytes of a credential.
const MAX_CREDENTIAL: u64 = 64 * 1024;
/// The least number of bytes of a value that is looked for in work.
const MIN_VALUE: usize = 12;

/// A file of the user's.
#[derive(Debug)]
pub(super) struct OwnFile {
    /// Its path from the top of the checkout.
    pub path: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// The files of the user's that agents of a project get.
#[derive(Debug, Default)]
pub(super) struct OwnFiles {
    /// The files.
    pub files: Vec<OwnFile>,
    /// Sentences about paths of the configuration that gave none.
    pub missing: Vec<String>,
}

impl OwnFiles {
    /// Reads them from the checkout.
    ///
    /// # Errors
    /// A failure of git.
    pub(super) fn read(project: &Project, config: &Config, repo: &Repo) -> Result<Self, Error> {
        let Some(top) = repo.checkout() else {
            return Ok(Self::default());
        };
        let mut own = Self::default();
        for (folder, patterns) in &config.runs.environment.files {
            let Some(inside) = inside_checkout(project, top, folder) else {
                continue;
            };
            for pattern in patterns {
                let pattern = inside.join(pattern).display().to_string();
                let found = repo.ignored_files(std::slice::from_ref(&pattern))?;
                if found.is_empty() {
                    own.missing.push(format!(
                        "no file that git ignores fits `{pattern}` of `environment.files`"
                    ));
                }
                for path in found {
                    match read_plain(top, &path) {
                        Ok(bytes) => own.files.push(OwnFile { path, bytes }),
                        Err(why) => own.missing.push(format!("`{path}` is not copied: {why}")),
                    }
                }
            }
        }
        Ok(own)
    }

    /// Copies them into the folder of a run.
    ///
    /// # Errors
    /// A failure of the disk.
    pub(super) fn copy(&self, worktree: &Path) -> Result<(), Error> {
        for file in &self.files {
            let path = worktree.join(&file.path);
            // A link of the commit would lead the copy elsewhere.
            let Some(above) = path.parent() else { continue };
            disk::make_folders(above)?;
            if has_no_link(worktree, &file.path) && !disk::exists(&path) {
                disk::write_private(&path, &file.bytes)?;
            }
        }
        Ok(())
    }

    /// Returns the values that no log may show and no work may carry: those of `KEY=value` lines.
    pub(super) fn values(&self) -> Vec<String> {
        let lines = self.files.iter().flat_map(|file| {
            let text = String::from_utf8_lossy(&file.bytes).into_owned();
            let values: Vec<String> = text.lines().filter_map(value_of).collect();
            values
        });
        lines.collect()
    }
}

/// Returns the value of a line of settings, if it is long enough to be no chance.
fn value_of(line: &str) -> Option<String> {
    let (name, value) = line.split_once('=')?;
    let is_setting = !name.trim().is_empty() && !name.trim_start().starts_with('#');
    let value = value.trim().trim_matches(['"', '\'']);
    (is_setting && value.len() >= MIN_VALUE).then(|| value.to_owned())
}

/// Returns the values that logs of a process do not show: those of secret variables, of variables that the user lends,
/// and for an agent of the user's files.
///
/// # Errors
/// A failure of git.
pub(super) fn masked_values(
    project: &Project,
    config: &Config,
    repo: &Repo,
    is_of_agent: bool,
) -> Result<Vec<String>, Error> {
    let mut values = secrets(&project.environment);
    let lent = lent_variables(project, config.runs.environment.secrets.all());
    values.extend(lent.into_iter().map(|(_, value)| value));
    let routes = config.runs.environment.routes.iter();
    // One without a credential is named where it is used.
    values.extend(routes.filter_map(|(name, route)| secret_of(project, name, route).ok()));
    if is_of_agent {
        values.extend(OwnFiles::read(project, config, repo)?.values());
    }
    Ok(values)
}

/// Returns the credential of a route.
///
/// # Errors
/// `Refused`: there is none.
pub(super) fn secret_of(
    project: &Project,
    name: &str,
    route: &NetworkRoute,
) -> Result<String, Error> {
    let failed = |why: &str| refused(&format!("route `{name}`: {why}"));
    let secret = match (&route.secret.variable, &route.secret.file) {
        (Some(variable), _) => {
            let found = lent_variables(project, [variable]).pop();
            let (_, value) =
                found.ok_or_else(|| failed(&format!("the variable {variable} is not set")))?;
            value
        }
        (None, Some(file)) => disk::read_owned(&at_home(project, file), MAX_CREDENTIAL)?,
        (None, None) => String::new(),
    };
    let secret = secret.trim().to_owned();
    if secret.is_empty() || secret.contains(char::is_control) {
        return Err(failed("its credential is empty, or has several lines"));
    }
    Ok(secret)
}

/// Returns the variables of these names that the user has, with their values.
pub(super) fn lent_variables<'a>(
    project: &Project,
    names: impl IntoIterator<Item = &'a String>,
) -> Vec<(String, String)> {
    let values = names.into_iter().filter_map(|name| {
        let value = project.environment.get(name.as_str())?;
        Some((name.clone(), value.clone()))
    });
    values.collect()
}

/// Returns the folder of a project from the top of the checkout, if it is this project or its checkout.
fn inside_checkout(project: &Project, top: &Path, named: &str) -> Option<PathBuf> {
    let named = disk::real(&at_home(project, named)).ok()?;
    let (top, root) = (disk::real(top).ok()?, disk::real(project.root()).ok()?);
    let is_it = named == top || named == root;
    is_it.then(|| named.strip_prefix(&top).ok().map(Path::to_owned))?
}

/// Returns true if no link is on the way from a folder to a path below it.
fn has_no_link(folder: &Path, path: &str) -> bool {
    let (Ok(real), Some(above)) = (disk::real(folder), Path::new(path).parent()) else {
        return false;
    };
    let is_direct = disk::real(&folder.join(above)).is_ok_and(|found| found == real.join(above));
    is_direct && !disk::is_link(&folder.join(path))
}

fn read_plain(top: &Path, path: &str) -> Result<Vec<u8>, String> {
    let file = top.join(path);
    if !has_no_link(top, path) {
        return Err("a link leads there".into());
    }
    let opened = Disk::default().open(&file, path);
    let (file, size) = opened.map_err(|error| error.to_string())?;
    if size > MAX_SIZE {
        return Err(format!("it is larger than {} MB", MAX_SIZE / 1024 / 1024));
    }
    let mut bytes = Vec::new();
    let read = file.take(MAX_SIZE).read_to_end(&mut bytes);
    read.map(|_| bytes).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_of_settings_are_secrets() {
        let values = |text: &str| {
            let file = OwnFile {
                path: ".env".into(),
                bytes: text.as_bytes().to_vec(),
            };
            let files = vec![file];
            OwnFiles {
                files,
                missing: Vec::new(),
            }
            .values()
        };
        let text =
            "# A=long enough value\nA=\"long enough value\"\nexport B = long-enough-too\nC=short\n";
        assert_eq!(values(text), ["long enough value", "long-enough-too"]);
    }
}
