//! Files found below a folder, those left out that ignore files name.

use chant_base::diagnostics::LogFailure;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use ignore::WalkBuilder;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::changes::{ChangedFiles, FolderWatch};
use super::disk;
use super::stamped::PathStamps;
use chant_base::counted::count_listed;

/// The depth to which folders are looked into where no more is asked for.
pub const DEPTH: usize = 4;

/// The files that a walk found, and the state that shows if it would find the same again.
#[derive(Debug, Default)]
pub struct FolderWalk {
    /// The files, as [`files_with_ending`] gives them.
    pub files: Vec<String>,
    /// The folders that were looked into, relative to the first one; none where there are more than are watched.
    pub folders: Arc<[String]>,
    folder: PathBuf,
    ending: String,
    /// The kernel's reports on all folders, where they are to be trusted.
    watch: FolderWatch,
    /// Ignore files that lie beside the folders or above them, with their stamps.
    rules: PathStamps,
    /// True if these were too old for another state with the same stamps.
    are_rules_settled: bool,
    /// Folders and their ignore files with their stamps; none where one is so young that it says nothing.
    stamps: Option<PathStamps>,
}

/// Folders that are watched at most; with more their stamps are compared.
const MAX_WATCHED: usize = 1_000;

/// The file that git reads beside the ignore files of folders.
const EXCLUDE: &str = ".git/info/exclude";

/// Where paths without a place of their own begin when they are compared with rules.
const TOP: &str = "/";

impl FolderWalk {
    /// Walks as [`files_with_ending`] does.
    pub fn of(folder: &Path, ending: &str, depth: usize, most: usize) -> Self {
        let mut rules = vec![folder.join(EXCLUDE)];
        let above = folder.ancestors().skip(1);
        rules.extend(above.flat_map(|above| IGNORING.map(|name| above.join(name))));
        let folders = folders(folder, depth);
        let mut watch = FolderWatch::start(folder);
        if folders.len() > MAX_WATCHED {
            watch = FolderWatch::default();
        }
        for inside in &folders {
            let relative = inside.strip_prefix(folder).ok().and_then(Path::to_str);
            match relative {
                Some(relative) => watch.add(inside, relative),
                None => watch = FolderWatch::default(),
            }
        }
        let names = folders.iter().take(MAX_WATCHED).filter_map(|inside| {
            let relative = inside.strip_prefix(folder).ok()?.to_str()?;
            Some(relative.to_owned())
        });
        let names: Arc<[String]> = if folders.len() > MAX_WATCHED {
            Arc::default()
        } else {
            names.collect()
        };
        let mut places: Vec<PathBuf> = Vec::new();
        for inside in &folders {
            let ignoring = IGNORING.map(|name| inside.join(name));
            places.extend(ignoring.into_iter().filter(|file| disk::exists(file)));
        }
        let (mut rule_stamps, mut stamps) = (PathStamps::default(), PathStamps::default());
        rule_stamps.extend(rules);
        stamps.extend(places.into_iter().chain(folders.iter().cloned()));
        let now = Some(SystemTime::now());
        let are_rules_settled = rule_stamps.are_settled(now);
        let is_settled = are_rules_settled && stamps.are_settled(now);
        let files = files_with_ending(folder, ending, depth, most);
        // A folder that came just before its parent was watched would never be heard of.
        if watch.is_trusted() && self::folders(folder, depth) != folders {
            watch = FolderWatch::default();
        }
        Self {
            files,
            folders: names,
            folder: folder.to_owned(),
            ending: format!(".{ending}"),
            watch,
            rules: rule_stamps,
            are_rules_settled,
            stamps: is_settled.then_some(stamps),
        }
    }

    /// Returns true if another walk would find the same. Costs what changed where the kernel announces changes,
    /// else one stamp for each folder.
    pub fn is_current(&mut self) -> bool {
        if !self.are_rules_settled || !self.rules.are_current() {
            return false;
        }
        if !self.watch.is_trusted() {
            return self.stamps.as_ref().is_some_and(PathStamps::are_current);
        }
        match self.watch.take() {
            ChangedFiles::Files(names) => !names.iter().any(|name| self.concerns(name)),
            ChangedFiles::Unknown => false,
        }
    }

    /// Returns true if a file that changed may have come, gone, or have another say in what is left out.
    fn concerns(&self, name: &str) -> bool {
        let last = name.rsplit('/').next().unwrap_or(name);
        if IGNORING.contains(&last) {
            return true;
        }
        let is_known = || {
            self.files
                .binary_search_by(|known| (**known).cmp(name))
                .is_ok()
        };
        name.ends_with(&self.ending) && is_known() != disk::is_file(&self.folder.join(name))
    }
}

/// The folders of a walk, the first one among them.
fn folders(folder: &Path, depth: usize) -> Vec<PathBuf> {
    let below = walk(folder, depth.saturating_sub(1)).filter_map(Result::ok);
    let folders = below.filter(|entry| entry.file_type().is_some_and(|kind| kind.is_dir()));
    folders.map(ignore::DirEntry::into_path).collect()
}

fn walk(folder: &Path, depth: usize) -> ignore::Walk {
    WalkBuilder::new(folder)
        .max_depth(Some(depth))
        .require_git(false)
        // That one lies in the home folder.
        .git_global(false)
        .sort_by_file_name(Ord::cmp)
        .filter_entry(|_| {
            count_listed();
            true
        })
        .build()
}

/// Names of the files that say which files a walk leaves out; the first one counts more.
pub const IGNORING: [&str; 2] = [".ignore", ".gitignore"];

/// Which of some files a walk through a folder would find, by what ignore files say that are given with
/// their texts. Paths begin at a common top and have `/`, the folder's with one at its end.
pub fn unignored(folder: &str, files: &[String], ignoring: &[(String, String)]) -> Vec<bool> {
    let rules = |(path, text): &(String, String)| {
        let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut rules = GitignoreBuilder::new(TOP.to_owned() + above);
        for line in text.lines() {
            // A line that cannot be understood says nothing, as in a walk.
            rules
                .add_line(None, line)
                .log_failure("read a rule of what is ignored");
        }
        let rules = rules.build().unwrap_or_else(|_| Gitignore::empty());
        ((above.to_owned(), name.to_owned()), rules)
    };
    let rules: HashMap<(String, String), Gitignore> = ignoring.iter().map(rules).collect();
    let is_left_out = |path: &str, is_folder: bool| {
        let absolute = TOP.to_owned() + path;
        let said = IGNORING.into_iter().find_map(|name| {
            let ends = path.rmatch_indices('/').map(|(end, _)| end);
            let mut above = ends.map(|end| &path[..end]).chain([""]);
            above.find_map(|above| {
                let rules = rules.get(&(above.to_owned(), name.to_owned()))?;
                let said = rules.matched(&absolute, is_folder);
                (!said.is_none()).then(|| said.is_ignore())
            })
        });
        said.unwrap_or_default()
    };
    let is_found = |path: &String| {
        let below = path.strip_prefix(folder).unwrap_or(path);
        let start = path.len() - below.len();
        let mut folders = below
            .match_indices('/')
            .map(|(end, _)| &path[..start + end]);
        !folders.any(|folder| is_left_out(folder, true)) && !is_left_out(path, false)
    };
    files.iter().map(is_found).collect()
}

/// The files whose names have an ending, at most `depth` deep (those of the folder itself are 1 deep), by
/// their path with `/`; sorted. Hidden ones and those that ignore files name are left out; no link is
/// followed.
pub fn files_with_ending(folder: &Path, ending: &str, depth: usize, most: usize) -> Vec<String> {
    let files = walk(folder, depth).filter_map(Result::ok).filter(|entry| {
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        is_file && entry.path().extension().is_some_and(|e| e == ending)
    });
    let path = |entry: ignore::DirEntry| {
        let inside = entry.path().strip_prefix(folder).ok()?;
        inside.to_str().map(|path| path.replace('\\', "/"))
    };
    let mut paths: Vec<String> = files.filter_map(path).take(most).collect();
    paths.sort_unstable();
    paths
}
