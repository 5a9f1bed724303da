//! Gives confined processes copies of settings without secrets, where tools would fail because the
//! files themselves are closed to them.
//!
//! The copies lie in the user's state and are named by what they say, so that several runs share
//! them; nothing that is confined writes them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::project::folders;
use chant_base::error::Error;
use chant_confine::settings_files::{holds_secret, with_includes_at, without_secrets};
use chant_specs::project::Project;
use chant_store::digest::sha256;
use chant_store::disk;

/// The greatest depth of includes in a configuration of git.
const INCLUDES: usize = 5;
/// The settings that cargo reads from folders above the one in which it works.
const OF_CARGO: [&str; 2] = [".cargo/config.toml", ".cargo/config"];
/// The variable that names the folder above which cargo looks for no settings.
const CARGO_STOPS_AT: &str = "__CARGO_TEST_ROOT";

/// The copies that stand for settings with secrets.
#[derive(Debug, Default)]
pub(super) struct MaskedSettings {
    /// Copies that confined processes read.
    pub files: Vec<PathBuf>,
    /// Variables that lead tools to them.
    pub variables: BTreeMap<String, String>,
    /// The settings in place of the user's own of cargo; none when those hold no secret.
    pub cargo: Option<String>,
}

impl MaskedSettings {
    /// Makes the copies that processes in a run's folder need.
    ///
    /// # Errors
    /// A failure of the disk.
    pub(super) fn of(project: &Project, worktree: &Path) -> Result<Self, Error> {
        let mut masked = Self::default();
        let Some(home) = variable(project, "HOME") else {
            return Ok(masked);
        };
        masked.mask_git(project, &home)?;
        masked.cargo = OF_CARGO
            .iter()
            .filter_map(|name| read(&home.join(name)))
            .find(|text| holds_secret(text))
            .map(|text| without_secrets(&text));
        if masked.cargo.is_some() {
            // Else it looks at the user's own, which is closed, and fails.
            let folder = disk::real(worktree).unwrap_or_else(|_| worktree.to_owned());
            let folder = folder.display().to_string();
            masked.variables.insert(CARGO_STOPS_AT.into(), folder);
        }
        Ok(masked)
    }

    fn mask_git(&mut self, project: &Project, home: &Path) -> Result<(), Error> {
        let own = variable(project, "XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
        let global = match variable(project, "GIT_CONFIG_GLOBAL") {
            Some(named) => vec![named],
            None => vec![own.join("git/config"), home.join(".gitconfig")],
        };
        let system = match project.environment.get("GIT_CONFIG_NOSYSTEM") {
            Some(_) => None,
            None => variable(project, "GIT_CONFIG_SYSTEM").or(Some("/etc/gitconfig".into())),
        };
        let system = system.into_iter().collect();
        for (name, files) in [("GIT_CONFIG_GLOBAL", global), ("GIT_CONFIG_SYSTEM", system)] {
            let copies = CopiesOfGit {
                folder: folders::user_state_folder(project)?.join("settings"),
                home,
            };
            if let Some(copy) = copies.of_all(&files, &mut self.files)? {
                let copy = copy.display().to_string();
                self.variables.insert(name.into(), copy);
            }
        }
        Ok(())
    }
}

/// Copies of git's configuration.
struct CopiesOfGit<'a> {
    folder: PathBuf,
    home: &'a Path,
}

impl CopiesOfGit<'_> {
    /// Returns one file for several that git reads in this order; `None` if none holds a secret.
    fn of_all(&self, files: &[PathBuf], made: &mut Vec<PathBuf>) -> Result<Option<PathBuf>, Error> {
        let (mut text, mut is_copied) = (String::new(), false);
        for file in files.iter().filter(|file| disk::is_file(file)) {
            let copy = self.of_one(file, INCLUDES, made)?;
            is_copied |= copy.is_some();
            let place = copy.as_ref().unwrap_or(file).display().to_string();
            let quoted = place.replace('\\', "\\\\").replace('"', "\\\"");
            text += &format!("[include]\n\tpath = \"{quoted}\"\n");
        }
        if !is_copied {
            return Ok(None);
        }
        self.keep(&text, made).map(Some)
    }

    /// Returns the copy of a file that holds a secret, or includes one that does.
    fn of_one(
        &self,
        file: &Path,
        depth: usize,
        made: &mut Vec<PathBuf>,
    ) -> Result<Option<PathBuf>, Error> {
        let Some(text) = read(file) else {
            return Ok(None);
        };
        let (mut is_copied, mut failed) = (holds_secret(&text), None);
        let folder = file.parent().unwrap_or(self.home);
        let kept = without_secrets(&text);
        let kept = with_includes_at(&kept, folder, self.home, |included| {
            if depth == 0 || !disk::is_file(included) {
                return None;
            }
            match self.of_one(included, depth - 1, made) {
                Ok(copy) => {
                    is_copied |= copy.is_some();
                    Some(copy.unwrap_or_else(|| included.to_owned()))
                }
                Err(error) => {
                    failed = Some(error);
                    None
                }
            }
        });
        if let Some(error) = failed {
            return Err(error);
        }
        if !is_copied {
            return Ok(None);
        }
        self.keep(&kept, made).map(Some)
    }

    fn keep(&self, text: &str, made: &mut Vec<PathBuf>) -> Result<PathBuf, Error> {
        let place = self.folder.join(sha256(text.as_bytes()));
        if read(&place).as_deref() != Some(text) {
            disk::make_private_folder(&self.folder)?;
            disk::write_private(&place, text)?;
        }
        made.push(place.clone());
        Ok(place)
    }
}

fn read(file: &Path) -> Option<String> {
    let text = disk::Disk::default().read_text(file, "settings").ok()?;
    Some(text.0)
}

fn variable(project: &Project, name: &str) -> Option<PathBuf> {
    let value = project.environment.get(name).map(PathBuf::from);
    value.filter(|path| path.is_absolute())
}
