//! Files found below a folder, those left out that ignore files name.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use ignore::WalkBuilder;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::disk::{self, Stamp};

/// How deep folders are looked into where nobody asks for more.
pub const DEPTH: usize = 4;

/// What a walk found, and what tells whether it would find the same again.
#[derive(Debug, Default)]
pub struct Walked {
    /// The files, as [`files_with_ending`] gives them.
    pub files: Vec<String>,
    /// Folders and ignore files with their stamps; none where one is so young that it says nothing.
    stamps: Option<Vec<(PathBuf, Option<Stamp>)>>,
}

/// What git reads beside the ignore files of folders.
const EXCLUDE: &str = ".git/info/exclude";

/// Where paths without a place of their own begin when they are compared with rules.
const TOP: &str = "/";

impl Walked {
    /// Walks as [`files_with_ending`] does.
    pub fn of(folder: &Path, ending: &str, depth: usize, most: usize) -> Self {
        let mut places = vec![folder.join(EXCLUDE)];
        let mut above = folder.ancestors().skip(1);
        places.extend(
            above
                .by_ref()
                .flat_map(|above| IGNORING.map(|name| above.join(name))),
        );
        let below = walk(folder, depth.saturating_sub(1)).filter_map(Result::ok);
        let folders = below.filter(|entry| entry.file_type().is_some_and(|kind| kind.is_dir()));
        for folder in folders.map(ignore::DirEntry::into_path) {
            let ignoring = IGNORING.map(|name| folder.join(name));
            places.extend(ignoring.into_iter().filter(|file| disk::exists(file)));
            places.push(folder);
        }
        let stamped = |place: PathBuf| {
            let stamp = disk::stamp(&place);
            (place, stamp)
        };
        let stamps: Vec<_> = places.into_iter().map(stamped).collect();
        let now = SystemTime::now();
        let is_fresh =
            |(_, stamp): &(PathBuf, Option<Stamp>)| stamp.is_some_and(|s| s.is_young(now));
        Self {
            stamps: (!stamps.iter().any(is_fresh)).then_some(stamps),
            files: files_with_ending(folder, ending, depth, most),
        }
    }

    /// Whether another walk would find the same; costs one stamp for each folder.
    pub fn is_current(&self) -> bool {
        let same = |(place, stamp): &(PathBuf, Option<Stamp>)| disk::stamp(place) == *stamp;
        self.stamps
            .as_ref()
            .is_some_and(|stamps| stamps.iter().all(same))
    }
}

fn walk(folder: &Path, depth: usize) -> ignore::Walk {
    WalkBuilder::new(folder)
        .max_depth(Some(depth))
        .require_git(false)
        // That one lies in the home folder.
        .git_global(false)
        .sort_by_file_name(Ord::cmp)
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
            let _ = rules.add_line(None, line);
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
