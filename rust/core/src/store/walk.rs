//! Files found below a folder, those left out that ignore files name.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use ignore::WalkBuilder;

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

impl Walked {
    /// Walks as [`files_with_ending`] does.
    pub fn of(folder: &Path, ending: &str, depth: usize, most: usize) -> Self {
        let mut places = vec![folder.join(EXCLUDE)];
        let mut above = folder.ancestors().skip(1);
        let names = [".gitignore", ".ignore"];
        places.extend(
            above
                .by_ref()
                .flat_map(|above| names.map(|name| above.join(name))),
        );
        let below = walk(folder, depth.saturating_sub(1)).filter_map(Result::ok);
        let folders = below.filter(|entry| entry.file_type().is_some_and(|kind| kind.is_dir()));
        for folder in folders.map(ignore::DirEntry::into_path) {
            let ignoring = names.map(|name| folder.join(name));
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
            |(_, stamp): &(PathBuf, Option<Stamp>)| stamp.is_some_and(|s| s.is_fresh(now));
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
