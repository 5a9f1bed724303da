//! What would be lost with the folder of a run though git sees no change there: commits that are not on its branch,
//! repositories inside it, and files that git ignores. It is kept before the folder goes.

#![expect(
    clippy::disallowed_methods,
    reason = "what lies in the folder of a run is no document of the store"
)]

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use super::made::{NESTED, bare_head, make_folders, open_folder};
use super::{LOGS, LONGEST_LOOK, RunRepository};
use crate::index::failed;
use crate::{GitError, flushing};

/// The folder of refs that holds commits of runs that are on no branch of theirs.
const STRAYS: &str = "refs/chant/strays/";
/// The greatest number of such commits that are kept of one folder.
const MAX_STRAYS: usize = 100;
/// The folders of repositories that a run's git folder may hold.
const MODULES: &str = "modules";
/// A file in each folder of a cache (bford.info/cachedir), and how it begins.
const CACHE_TAG: (&str, &[u8]) = (
    "CACHEDIR.TAG",
    b"Signature: 8a477f597d28d172789f06886806bc55",
);
/// Files that programs write into folders that they can make again.
const MADE_AGAIN: [&str; 2] = ["pyvenv.cfg", "PKG-INFO"];
/// Folders that programs can make again from a file beside them: the name, and the file's name or its end.
const MADE_FROM: [(&str, &str); 24] = [
    ("node_modules", "package.json"),
    ("bower_components", "bower.json"),
    (".next", "package.json"),
    (".nuxt", "package.json"),
    (".turbo", "package.json"),
    (".parcel-cache", "package.json"),
    ("vendor", "go.mod"),
    ("vendor", "composer.json"),
    ("target", "Cargo.toml"),
    ("target", "pom.xml"),
    ("build", "build.gradle"),
    ("build", "build.gradle.kts"),
    (".gradle", "build.gradle"),
    (".gradle", "build.gradle.kts"),
    ("Pods", "Podfile"),
    ("deps", "mix.exs"),
    ("_build", "mix.exs"),
    (".dart_tool", "pubspec.yaml"),
    (".stack-work", "stack.yaml"),
    ("elm-stuff", "elm.json"),
    (".build", "Package.swift"),
    ("bin", ".csproj"),
    ("obj", ".csproj"),
    (".terraform", ".tf"),
];
/// Bytes of a file up to which it is compared with the one of the checkout.
const COMPARED: u64 = 16 * 1024 * 1024;

/// Bytes of a log of git's up to which it is read.
const LARGEST_LOG: u64 = 4 * 1024 * 1024;

/// What would be lost with a folder.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FolderLeftovers {
    /// The paths that differ from HEAD, as [`RunRepository::uncommitted`] gives them.
    pub uncommitted: Vec<String>,
    /// Repositories inside it, by the paths of their folders.
    pub repositories: Vec<String>,
    /// Files and folders that git ignores and that no program makes again.
    pub ignored: Vec<String>,
}

/// A commit that is on no branch of a run, and the ref that keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptCommit {
    /// Where it was in the folder: the name of a branch, another ref, or an entry of the stash.
    pub was: String,
    /// The ref in the project.
    pub name: String,
}

impl RunRepository<'_> {
    /// Keeps the commits of the folder's other refs, its stash and its HEAD, as far as no ref of the project leads to
    /// them, under refs below `refs/chant/strays/<name>/`.
    ///
    /// # Errors
    /// The fault of a commit, or a failure of git; those before it are kept then.
    pub fn keep_strays(&self, name: &str) -> Result<Vec<KeptCommit>, GitError> {
        let folder = format!("{STRAYS}{name}/");
        let mut kept = Vec::new();
        for (was, commit) in self.strays()? {
            if let Some(name) = self.repo.ref_to(&folder, &commit)? {
                kept.push(KeptCommit { was, name });
                continue;
            }
            if self.repo.has_object(&commit)? && self.repo.is_reachable(&commit)? {
                continue;
            }
            if kept.len() >= MAX_STRAYS {
                let why =
                    format!("it has more than {MAX_STRAYS} commits that are not on its branch");
                return Err(GitError::NotTaken { why });
            }
            self.bring_commit(&commit)?;
            let name = self.repo.keep_commit(&folder, &commit, &was)?;
            kept.push(KeptCommit { was, name });
        }
        Ok(kept)
    }

    /// Returns the commits that the folder's refs lead to beside its branch and those of the project, with the places.
    pub(super) fn strays(&self) -> Result<Vec<(String, String)>, GitError> {
        self.refuse_special_files(&self.full_name()?)?;
        let words = [
            "for-each-ref",
            "--format=%(objectname) %(objecttype) %(refname)",
        ];
        let listed = self.git(words, LONGEST_LOOK).output()?;
        let listed = String::from_utf8_lossy(&listed).into_owned();
        let own = self.full_name()?;
        let known: HashMap<String, String> = self.repo.shared_refs()?.into_iter().collect();
        let is_known = |name: &str, id: &str| known.get(name).is_some_and(|commit| commit == id);
        let mut found = Vec::new();
        for line in listed.lines() {
            let mut words = line.splitn(3, ' ');
            let (Some(id), Some(kind), Some(name)) = (words.next(), words.next(), words.next())
            else {
                continue;
            };
            if name == own || is_known(name, id) {
                continue;
            }
            if name == "refs/stash" {
                let words = ["rev-list", "--walk-reflogs", "refs/stash"];
                let entries = self.git(words, LONGEST_LOOK).output().unwrap_or_default();
                let entries = String::from_utf8_lossy(&entries).into_owned();
                let entries = entries.lines().map(str::to_owned).enumerate();
                found.extend(
                    entries.map(|(number, commit)| (format!("stash@{{{number}}}"), commit)),
                );
            } else if kind == "commit" || kind == "tag" {
                let shown = name.strip_prefix("refs/heads/").unwrap_or(name);
                // A tag with words of its own goes with its commit.
                if let Ok(commit) = self.tip(name) {
                    found.push((shown.to_owned(), commit));
                }
            }
        }
        if !self.stands_on_branch()
            && let Ok(commit) = self.tip("HEAD")
        {
            found.push(("HEAD".to_owned(), commit));
        }
        found.extend(self.left_behind()?);
        let mut seen = BTreeSet::new();
        found.retain(|(_, commit)| is_id(commit) && seen.insert(commit.clone()));
        Ok(found)
    }

    /// Returns the commits that a checkout moved away from and no ref of the folder leads to: git warns about those, and
    /// not about what a reset or an amended commit replaces.
    fn left_behind(&self) -> Result<Vec<(String, String)>, GitError> {
        let log = self.top.join(LOGS).join("HEAD");
        let is_small = |facts: fs::Metadata| facts.is_file() && facts.len() <= LARGEST_LOG;
        let is_own = [".git", LOGS]
            .iter()
            .all(|path| is_folder(&self.top.join(path)));
        if !is_own || !log.symlink_metadata().is_ok_and(is_small) {
            return Ok(Vec::new());
        }
        let text = fs::read(&log).map_err(|error| failed("read", &log, &error))?;
        let text = String::from_utf8_lossy(&text).into_owned();
        let left = text.lines().filter_map(|line| {
            let (facts, what) = line.split_once('\t')?;
            let id = facts.split(' ').next().filter(|id| is_id(id))?;
            what.starts_with("checkout: ").then_some(id)
        });
        let mut found = Vec::new();
        for commit in left.collect::<BTreeSet<&str>>() {
            let words = ["for-each-ref", "--count=1", "--contains", commit];
            let answer = self.git(words, LONGEST_LOOK).answer()?;
            // A commit that is not there any more leads nowhere.
            if answer.ended_with(0) && answer.out.is_empty() {
                found.push(("HEAD (left behind)".to_owned(), commit.to_owned()));
            }
        }
        Ok(found)
    }

    /// Returns what would be lost with the folder beside commits. A file of our own at `own` is none of it.
    ///
    /// # Errors
    /// A failure of git.
    pub fn leftovers(&self, own: Option<&str>) -> Result<FolderLeftovers, GitError> {
        if self.is_unfinished() {
            return Ok(FolderLeftovers::default());
        }
        let uncommitted = self.uncommitted()?;
        let installed = self.installed_paths()?;
        let mut ignored = Vec::new();
        for path in self.ignored_by(&["--exclude-standard".to_owned()])? {
            let path = path.trim_end_matches('/');
            if !installed.iter().any(|one| one == path) {
                self.add_ignored(path, own, &mut ignored);
            }
        }
        ignored.sort_unstable();
        let mut repositories = self.repositories();
        // The user's copy of a submodule has no branch of the run's before a commit comes back.
        let tip = self.known_tip().or_else(|_| self.tip(&self.full_name()?));
        let clean = match tip {
            Ok(tip) if !repositories.is_empty() && self.repo.has_object(&tip)? => {
                self.clean_submodules(&tip)?
            }
            _ => Vec::new(),
        };
        repositories.retain(|path| {
            let is_in_ignored = ignored
                .iter()
                .any(|above| Path::new(path).starts_with(above));
            !is_in_ignored && !clean.contains(path)
        });
        Ok(FolderLeftovers {
            uncommitted,
            repositories,
            ignored,
        })
    }

    fn add_ignored(&self, path: &str, own: Option<&str>, ignored: &mut Vec<String>) {
        let place = self.top.join(path);
        if Some(path) == own || is_made_again(&place) || self.is_same_in_checkout(path) {
            return;
        }
        let holds_own = own.is_some_and(|own| Path::new(own).starts_with(path));
        let is_folder = is_folder(&place);
        if !is_folder || !holds_own {
            // An empty folder is nothing that could be lost.
            let is_empty =
                is_folder && fs::read_dir(&place).is_ok_and(|mut all| all.next().is_none());
            ignored.extend((!is_empty).then(|| path.to_owned()));
            return;
        }
        for entry in place.read_dir().into_iter().flatten().flatten() {
            let below = format!("{path}/{}", entry.file_name().to_string_lossy());
            self.add_ignored(&below, own, ignored);
        }
    }

    /// Returns true if the user's checkout has the same file at the same path.
    fn is_same_in_checkout(&self, path: &str) -> bool {
        let Some(checkout) = self.repo.checkout() else {
            return false;
        };
        let (here, there) = (self.top.join(path), checkout.join(path));
        let length = |path: &Path| {
            let facts = path.symlink_metadata().ok()?;
            Some(facts.len()).filter(|bytes| facts.is_file() && *bytes <= COMPARED)
        };
        let (Some(one), Some(other)) = (length(&here), length(&there)) else {
            return false;
        };
        one == other && matches!((fs::read(here), fs::read(there)), (Ok(a), Ok(b)) if a == b)
    }

    /// Returns the repositories inside the folder, by the paths of their folders; those of submodules that the run's
    /// own git folder holds are one of them.
    fn repositories(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut waiting = vec![String::new()];
        while let Some(path) = waiting.pop() {
            let folder = self.top.join(&path);
            let is_top = path.is_empty();
            open_folder(&folder);
            let mut below = Vec::new();
            let mut is_repository = bare_head(&folder).is_some();
            for entry in folder.read_dir().into_iter().flatten().flatten() {
                let name = entry.file_name();
                let is_git =
                    name.eq_ignore_ascii_case(".git") || name.to_string_lossy().starts_with(NESTED);
                is_repository |= is_git && !is_top;
                if !is_git && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    below.push(join(&path, &name.to_string_lossy()));
                }
            }
            if is_repository && !is_top {
                found.push(path);
            } else {
                below.retain(|path| !is_made_again(&self.top.join(path)));
                waiting.append(&mut below);
            }
        }
        let modules = join(".git", MODULES);
        let has_some = |place: PathBuf| place.read_dir().is_ok_and(|mut all| all.next().is_some());
        if has_some(self.top.join(&modules)) {
            found.push(modules);
        }
        found.sort_unstable();
        found
    }

    /// Moves paths of the folder into another one on the same disk.
    ///
    /// # Errors
    /// `File`; what was moved before stays where it is now.
    pub fn move_leftovers(&self, paths: &[String], to: &Path) -> Result<(), GitError> {
        let mut folders = BTreeSet::new();
        for path in paths {
            let (from, place) = (self.top.join(path), to.join(path));
            let above = place.parent().unwrap_or(to);
            make_folders(above)?;
            fs::rename(&from, &place).map_err(|error| failed("keep", &from, &error))?;
            let new = above
                .ancestors()
                .take_while(|folder| folder.starts_with(to));
            folders.extend(new.map(Path::to_owned));
        }
        folders.extend(to.parent().map(Path::to_owned));
        flushing::flush_folders(&folders)
    }

    /// Returns the git folders that were set aside and hold repositories of submodules.
    pub fn modules_aside(&self) -> Vec<PathBuf> {
        let holds = |path: &PathBuf| {
            let modules = path.join(MODULES);
            modules.read_dir().is_ok_and(|mut all| all.next().is_some())
        };
        self.set_aside().filter(holds).collect()
    }
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}

pub(super) fn is_folder(place: &Path) -> bool {
    place.symlink_metadata().is_ok_and(|facts| facts.is_dir())
}

/// Returns true for a cache or a dependency folder: a program makes it again from what is committed.
fn is_made_again(place: &Path) -> bool {
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    if !is_folder(place) {
        return place.extension().is_some_and(|end| end == "pyc");
    }
    if name == "__pycache__" || MADE_AGAIN.iter().any(|file| place.join(file).is_file()) {
        return true;
    }
    let tag = fs::read(place.join(CACHE_TAG.0)).unwrap_or_default();
    if tag.starts_with(CACHE_TAG.1) {
        return true;
    }
    let beside = place.parent().unwrap_or(place);
    let is_there = |source: &str| {
        beside.join(source).is_file()
            || source.starts_with('.')
                && beside.read_dir().is_ok_and(|mut all| {
                    all.any(|one| {
                        one.is_ok_and(|one| one.file_name().to_string_lossy().ends_with(source))
                    })
                })
    };
    MADE_FROM
        .iter()
        .any(|(folder, source)| *folder == name && is_there(source))
}

fn is_id(text: &str) -> bool {
    text.len() >= 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
