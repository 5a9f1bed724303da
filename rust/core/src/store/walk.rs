//! Files found below a folder, those left out that ignore files name.

use std::path::Path;

use ignore::WalkBuilder;

/// How deep folders are looked into where nobody asks for more.
pub const DEPTH: usize = 4;

/// The files whose names have an ending, at most `depth` deep (those of the folder itself are 1 deep), by
/// their path with `/`; sorted. Hidden ones and those that ignore files name are left out; no link is
/// followed.
pub fn files_with_ending(folder: &Path, ending: &str, depth: usize, most: usize) -> Vec<String> {
    let walk = WalkBuilder::new(folder)
        .max_depth(Some(depth))
        .require_git(false)
        // That one lies in the home folder.
        .git_global(false)
        .sort_by_file_name(Ord::cmp)
        .build();
    let files = walk.filter_map(Result::ok).filter(|entry| {
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
