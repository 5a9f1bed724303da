//! Which project and which feature are meant, and why (reference rstn 1.4; decisions, "speckit feature").
//!
//! Found again for every answer. `.specify/feature.json` comes before the branch, because the scripts of
//! spec-kit obey it; the newest directory is never guessed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::error::SpeckitError;
use super::feature::{self, DirectoryMatch, FeatureName, split_number};
use chant_base::error::Error;
use chant_git::Repo;
use chant_places::state_place::state_of;
use chant_store::disk::{self, Disk, FolderEntry};
use chant_store::files::{RootFolder, plain};
use chant_store::state::StateFolder;

/// Where features lie, from the root.
pub const SPECS: &str = "specs";

/// Where to begin, and what the environment says.
#[derive(Debug, Clone)]
pub struct SearchStart {
    /// The working folder.
    pub folder: PathBuf,
    /// The project's folder, as the caller found it for all formats.
    pub root: PathBuf,
    /// All variables; those of spec-kit are looked at.
    pub environment: BTreeMap<String, String>,
}

/// A project, and the feature that is current in it.
pub struct ResolvedProject {
    /// The project's folder.
    pub root: RootFolder,
    /// The rule that decided on that folder.
    pub root_rule: &'static str,
    /// The branch of the checkout; `None` without git, or on a commit alone.
    pub branch: Option<String>,
    /// The feature, if one is current.
    pub feature: Option<FeatureDirectory>,
    /// The rules that were tried, in order, each with its outcome.
    pub tried: Vec<String>,
    /// The features there are, by name.
    pub features: Vec<String>,
    /// Warnings for people.
    pub warnings: Vec<String>,
    /// The folder for our own state.
    pub state: StateFolder,
}

/// A feature's directory.
#[derive(Debug, Clone)]
pub struct FeatureDirectory {
    /// The directory from the root, with `/`; absolute where it lies elsewhere.
    pub directory: String,
    /// The last part of its name.
    pub label: String,
    /// Its name, taken apart.
    pub name: FeatureName,
    /// The rule that decided on it.
    pub rule: &'static str,
    /// The folder that nothing is read or written outside of; `None` while the directory is not there.
    pub(super) root: Option<RootFolder>,
    /// The directory from that folder; empty for the folder itself.
    pub(super) inside: String,
}

impl ResolvedProject {
    /// The refusal where no feature is current.
    pub(super) fn without_feature(&self) -> SpeckitError {
        SpeckitError::NoFeature {
            tried: self.tried.clone(),
            features: self.features.clone(),
        }
    }
}

impl FeatureDirectory {
    /// The path of one of its files, from its root.
    pub(super) fn within(&self, name: &str) -> String {
        if self.inside.is_empty() {
            name.to_owned()
        } else {
            format!("{}/{name}", self.inside)
        }
    }
}

/// Finds the project, and its current feature or the one that is asked for.
///
/// # Errors
/// `SpeckitError` when `SPECIFY_INIT_DIR` names no project or several directories could be meant, a
/// `StoreError` when the folder is gone.
pub fn find(
    disk: &Disk,
    start: &SearchStart,
    asked: Option<&str>,
) -> Result<ResolvedProject, Error> {
    let (root, root_rule) = project(start)?;
    let mut warnings = Vec::new();
    let repo = Repo::open(root.path()).unwrap_or_else(|error| {
        warnings.push(format!("git was not asked: {error}"));
        None
    });
    let branch = repo.as_ref().and_then(|repo| match repo.head() {
        Ok(head) => head.branch().map(str::to_owned),
        Err(error) => {
            warnings.push(format!("the branch is not known: {error}"));
            None
        }
    });
    let state = state_of(&root, repo.as_ref(), disk);
    let top = repo.as_ref().and_then(Repo::checkout);
    let is_of_several =
        top.is_some_and(|top| disk::real(root.path()).is_ok_and(|root| root != top));
    let mut search = FeatureSearch {
        disk,
        start,
        is_of_several,
        directories: directories(&root),
        root: &root,
        branch: branch.as_deref(),
        tried: Vec::new(),
        warnings,
    };
    let feature = match asked {
        Some(asked) => Some(search.asked(asked)?),
        None => search.current()?,
    };
    let FeatureSearch {
        tried,
        warnings,
        directories: features,
        ..
    } = search;
    Ok(ResolvedProject {
        root,
        root_rule,
        branch,
        feature,
        tried,
        features,
        warnings,
        state,
    })
}

/// The directories in a project's `specs/` as features, by name.
pub fn in_specs(root: &RootFolder) -> impl Iterator<Item = FeatureDirectory> {
    let names = directories(root).into_iter();
    names.map(|name| of_directory(root, name))
}

/// The directory of that very name in a project's `specs/` as a feature; no other is looked at.
pub fn one_in_specs(root: &RootFolder, name: &str) -> Option<FeatureDirectory> {
    let is_name = !name.starts_with('.') && !name.contains(['/', '\\']);
    let is_there = || {
        root.locate(SPECS)
            .is_ok_and(|specs| specs.join(name).is_dir())
    };
    (is_name && is_there()).then(|| of_directory(root, name.to_owned()))
}

fn of_directory(root: &RootFolder, name: String) -> FeatureDirectory {
    let inside = format!("{SPECS}/{name}");
    FeatureDirectory {
        directory: inside.clone(),
        name: FeatureName::of_directory(&name),
        label: name,
        rule: "specs",
        root: Some(root.clone()),
        inside,
    }
}

/// The project's folder, and what said so: the variable of spec-kit, else the folder that the caller found, as for
/// all other formats.
fn project(start: &SearchStart) -> Result<(RootFolder, &'static str), Error> {
    if let Some(given) = variable(start, "SPECIFY_INIT_DIR") {
        let folder = start.folder.join(given);
        if !folder.join(".specify").is_dir() {
            let given = given.to_owned();
            return Err(SpeckitError::InitDir { given }.into());
        }
        return Ok((RootFolder::open(&folder)?, "SPECIFY_INIT_DIR"));
    }
    let root = RootFolder::open(&start.root)?;
    let rule = match root.path() {
        folder if folder.join(".specify").is_dir() => "nearest .specify",
        folder if has_features(folder) => "nearest specs",
        folder if disk::exists(&folder.join(".git")) => "top of the git checkout",
        _ => "project folder",
    };
    Ok((root, rule))
}

fn variable<'a>(start: &'a SearchStart, name: &str) -> Option<&'a str> {
    let value = start.environment.get(name).map(|value| value.trim());
    value.filter(|value| !value.is_empty())
}

/// Returns true if a folder has directories of features that are named as such.
fn has_features(folder: &Path) -> bool {
    let names = disk::names(&folder.join(SPECS)).unwrap_or_default();
    names
        .iter()
        .any(|named| named.is_folder && split_number(&named.name).is_some())
}

/// The directories in `specs/`, by name.
fn directories(root: &RootFolder) -> Vec<String> {
    let Ok(specs) = root.locate(SPECS) else {
        return Vec::new();
    };
    let names = disk::names(&specs).unwrap_or_default();
    let is_directory = |named: &FolderEntry| named.is_folder || specs.join(&named.name).is_dir();
    names
        .into_iter()
        .filter(|named| !named.name.starts_with('.'))
        .filter(is_directory)
        .map(|named| named.name)
        .collect()
}

/// The variable that names a feature's directory, wherever that is.
const VARIABLE: &str = "SPECIFY_FEATURE_DIRECTORY";

struct FeatureSearch<'a> {
    /// True if the project is a part of its repository: a branch need not be about it.
    is_of_several: bool,
    disk: &'a Disk,
    start: &'a SearchStart,
    root: &'a RootFolder,
    directories: Vec<String>,
    branch: Option<&'a str>,
    tried: Vec<String>,
    warnings: Vec<String>,
}

impl FeatureSearch<'_> {
    /// Returns the feature of a name or number that is asked for.
    fn asked(&mut self, given: &str) -> Result<FeatureDirectory, Error> {
        match feature::of_name(given, &self.directories) {
            DirectoryMatch::One(name) => Ok(self.in_specs(&name, "asked for")),
            DirectoryMatch::Several(candidates) => {
                Err(ambiguous(&format!("'{given}'"), candidates))
            }
            DirectoryMatch::None => Err(SpeckitError::UnknownFeature {
                given: given.to_owned(),
                known: self.directories.clone(),
            }
            .into()),
        }
    }

    /// The current feature, by the first rule that names one.
    fn current(&mut self) -> Result<Option<FeatureDirectory>, Error> {
        let named = match self.of_variable() {
            Some(feature) => Some(feature),
            None => self.of_file(),
        };
        if let Some(feature) = named {
            self.compare(&feature);
            return Ok(Some(feature));
        }
        if let Some(feature) = self.of_name()? {
            return Ok(Some(feature));
        }
        match self.of_branch()? {
            Some(feature) => Ok(Some(feature)),
            None => Ok(self.of_folder()),
        }
    }

    fn of_variable(&mut self) -> Option<FeatureDirectory> {
        let rule = VARIABLE;
        let Some(given) = variable(self.start, rule) else {
            self.tried.push(format!("{rule} is not set"));
            return None;
        };
        Some(self.directory(Path::new(given), rule))
    }

    fn of_file(&mut self) -> Option<FeatureDirectory> {
        let rule = ".specify/feature.json";
        let path = self.root.path().join(rule);
        if !disk::exists(&path) {
            self.tried.push(format!("{rule} is not there"));
            return None;
        }
        let given = self
            .disk
            .clone()
            .within(self.root.path())
            .read_text(&path, rule)
            .map_err(|error| error.to_string());
        let given = given.and_then(|(text, _)| directory_of(&text));
        let wrong = match given {
            Ok(given) if self.is_outside(&given) => {
                format!("`{rule}` names `{given}`, which lies outside of the project")
            }
            Ok(given) => return Some(self.directory(Path::new(&given), rule)),
            Err(why) => format!("`{rule}` names no feature: {why}"),
        };
        self.tried.push(wrong.clone());
        self.warnings.push(wrong);
        None
    }

    /// Returns true if a directory lies outside of the project; what does not exist is taken at its word.
    fn is_outside(&self, given: &str) -> bool {
        let path = plain(&self.root.path().join(given));
        let real = disk::real(&path).unwrap_or(path);
        !real.starts_with(self.root.path())
    }

    fn of_name(&mut self) -> Result<Option<FeatureDirectory>, Error> {
        let rule = "SPECIFY_FEATURE";
        let Some(given) = variable(self.start, rule) else {
            self.tried.push(format!("{rule} is not set"));
            return Ok(None);
        };
        match feature::of_name(given, &self.directories) {
            DirectoryMatch::One(name) => Ok(Some(self.in_specs(&name, rule))),
            DirectoryMatch::Several(candidates) => {
                Err(ambiguous(&format!("{rule} '{given}'"), candidates))
            }
            DirectoryMatch::None => {
                let missing = format!("{rule} names '{given}', and specs/ has no such directory");
                self.tried.push(missing.clone());
                self.warnings.push(missing);
                Ok(None)
            }
        }
    }

    fn of_branch(&mut self) -> Result<Option<FeatureDirectory>, Error> {
        let Some(branch) = self.branch else {
            self.tried.push("there is no branch".into());
            return Ok(None);
        };
        match feature::of_branch(branch, &self.directories, self.is_of_several) {
            Some(DirectoryMatch::One(name)) => Ok(Some(self.in_specs(&name, "branch"))),
            Some(DirectoryMatch::Several(candidates)) => {
                Err(ambiguous(&format!("branch '{branch}'"), candidates))
            }
            Some(DirectoryMatch::None) => {
                let said = format!("specs/ has no directory for branch '{branch}'");
                self.tried.push(said);
                Ok(None)
            }
            None => {
                let said = format!("branch '{branch}' names no feature");
                self.tried.push(said);
                Ok(None)
            }
        }
    }

    /// The feature whose directory holds the working folder.
    fn of_folder(&mut self) -> Option<FeatureDirectory> {
        let inside = disk::real(&self.start.folder).ok();
        let inside = inside.and_then(|folder| {
            let specs = self.root.path().join(SPECS);
            let first = folder.strip_prefix(specs).ok()?.components().next()?;
            first.as_os_str().to_str().map(str::to_owned)
        });
        if inside.is_none() {
            let said = "the working folder lies in no feature's directory";
            self.tried.push(said.into());
        }
        Some(self.in_specs(&inside?, "working folder"))
    }

    /// Warns when the branch means another feature than the one that is followed.
    fn compare(&mut self, followed: &FeatureDirectory) {
        let Some(branch) = self.branch else { return };
        let Some(DirectoryMatch::One(name)) =
            feature::of_branch(branch, &self.directories, self.is_of_several)
        else {
            return;
        };
        let other = format!("{SPECS}/{name}");
        if other != followed.directory {
            self.warnings.push(format!(
                "branch '{branch}' means {other}, but {} names {}, which is followed",
                followed.rule, followed.directory
            ));
        }
    }

    fn in_specs(&mut self, name: &str, rule: &'static str) -> FeatureDirectory {
        self.directory(&Path::new(SPECS).join(name), rule)
    }

    fn directory(&mut self, given: &Path, rule: &'static str) -> FeatureDirectory {
        let path = plain(&self.root.path().join(given));
        let real = disk::real(&path).ok().filter(|real| real.is_dir());
        if real.is_none() {
            let shown = given.display();
            self.warnings
                .push(format!("{rule} names {shown}, which is no directory"));
        }
        // A link is shown by its own name where what it leads to lies inside, too.
        let from_root = |path: &Path| {
            let inside = path.strip_prefix(self.root.path()).ok()?.to_str()?;
            Some(inside.replace('\\', "/"))
        };
        let lies_inside = real
            .as_ref()
            .is_none_or(|real| real.starts_with(self.root.path()));
        let (directory, root, inside) =
            if let Some(inside) = from_root(&path).filter(|_| lies_inside) {
                let root = real.is_some().then(|| self.root.clone());
                (inside.clone(), root, inside)
            } else {
                // Only who starts us may name another place: a link in a clone may lead anywhere.
                let is_variable = rule == VARIABLE;
                if !is_variable && real.is_some() {
                    self.warnings.push(format!(
                        "{} leads out of the project; set {VARIABLE} to work there",
                        given.display()
                    ));
                }
                let real = real.as_deref().filter(|_| is_variable);
                let root = real.and_then(|real| RootFolder::open(real).ok());
                (path.display().to_string(), root, String::new())
            };
        let label = path.file_name().unwrap_or_default();
        let label = label.to_string_lossy().into_owned();
        self.tried.push(format!("{rule} names {directory}"));
        FeatureDirectory {
            name: FeatureName::of_directory(&label),
            directory,
            label,
            rule,
            root,
            inside,
        }
    }
}

/// Returns the directory that `feature.json` names.
fn directory_of(text: &str) -> Result<String, String> {
    let value: Value = serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|error| error.to_string())?;
    match value
        .get("feature_directory")
        .and_then(Value::as_str)
        .map(str::trim)
    {
        Some(given) if !given.is_empty() => Ok(given.to_owned()),
        _ => Err("the key `feature_directory` is missing".into()),
    }
}

fn ambiguous(what: &str, candidates: Vec<String>) -> Error {
    let candidates = candidates
        .iter()
        .map(|name| format!("{SPECS}/{name}"))
        .collect();
    let what = what.to_owned();
    SpeckitError::Ambiguous { what, candidates }.into()
}
