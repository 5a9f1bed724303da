//! What commits hold, kept in the user's cache folder by commit and version of ours, so that a commit is read once.
//!
//! Results lie in a few files with one line each. A file is bounded; what was used last stands at its end, and what
//! does not fit any more goes from its beginning. A file that cannot be read is as good as none.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use chant_base::diagnostics::LogFailure;
use chant_store::StoreError;
use chant_store::disk::{make_private_folder, read_private, write_private};
use rayon::prelude::*;

use super::commit_items::CommitItems;

/// The first line of a file: another release, or another layout of results, begins again.
const HEADER: &str = concat!("chant-mcp fleet ", env!("CARGO_PKG_VERSION"), " layout 1\n");
/// The number of files.
const FILES: u8 = 64;
/// The greatest number of bytes of a file, so that all together have at most 512 MiB.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// Results by the names of their commits.
pub(super) type ResultsByCommit = HashMap<String, CommitItems>;

/// The results in a folder; without one nothing is kept.
pub(super) struct KeptResults {
    folder: Option<PathBuf>,
}

impl KeptResults {
    pub(super) fn in_folder(folder: Option<&Path>) -> Self {
        Self {
            folder: folder.map(Path::to_owned),
        }
    }

    /// The results of those of these commits that are known.
    pub(super) fn load(&self, names: &HashSet<&str>) -> ResultsByCommit {
        let files: HashSet<u8> = names.iter().map(|name| file_of(name)).collect();
        let files: Vec<u8> = files.into_iter().collect();
        let read = files.into_par_iter().flat_map_iter(|file| {
            let text = self.text(file);
            let lines = text.lines().filter_map(|line| {
                let (name, result) = line.split_once(' ')?;
                let result = names.contains(name).then(|| serde_json::from_str(result))?;
                Some((name.to_owned(), result.ok()?))
            });
            lines.collect::<Vec<_>>()
        });
        read.collect()
    }

    /// The names of all results that are whole.
    pub(super) fn names(&self) -> Vec<String> {
        let files = (0..FILES).into_par_iter().flat_map_iter(|file| {
            let text = self.text(file);
            let names = text.lines().filter_map(|line| {
                let (name, result) = line.split_once(' ')?;
                let result: CommitItems = serde_json::from_str(result).ok()?;
                result.is_whole().then(|| name.to_owned())
            });
            names.collect::<Vec<_>>()
        });
        files.collect()
    }

    /// Keeps new results, behind those that were used beside them.
    pub(super) fn keep(&self, new: &ResultsByCommit, used: &HashSet<&str>) {
        let Some(folder) = self.folder.as_deref().filter(|_| !new.is_empty()) else {
            return;
        };
        let made = make_private_folder(folder);
        if made.is_err() {
            return made.log_failure("make the folder of kept results");
        }
        let mut new: Vec<(&String, &CommitItems)> = new.iter().collect();
        new.sort_unstable_by_key(|(name, _)| *name);
        let mut by_file: BTreeMap<u8, Vec<(&String, &CommitItems)>> = BTreeMap::new();
        for result in new {
            by_file.entry(file_of(result.0)).or_default().push(result);
        }
        by_file.into_par_iter().for_each(|(file, new)| {
            self.write(file, &new, used)
                .log_failure("keep what commits hold");
        });
    }

    fn write(
        &self,
        file: u8,
        new: &[(&String, &CommitItems)],
        used: &HashSet<&str>,
    ) -> Result<(), StoreError> {
        let Some(path) = self.path(file) else {
            return Ok(());
        };
        let text = self.text(file);
        let name = |line: &str| line.split(' ').next().unwrap_or_default().to_owned();
        let is_new = |line: &&str| new.iter().any(|(new, _)| **new == name(line));
        let old: Vec<&str> = text.lines().filter(|line| !is_new(line)).collect();
        let (recent, idle): (Vec<&str>, Vec<&str>) = old
            .into_iter()
            .partition(|line| used.contains(&*name(line)));
        let old = idle.into_iter().chain(recent).map(str::to_owned);
        let new = new.iter().filter_map(|(name, result)| {
            let result = serde_json::to_string(result).ok()?;
            Some(format!("{name} {result}"))
        });
        let lines: Vec<String> = old.chain(new).collect();
        let mut left = MAX_BYTES - HEADER.len();
        let fitting = lines.iter().rev().take_while(|line| {
            let rest = left.checked_sub(line.len() + 1);
            left = rest.unwrap_or_default();
            rest.is_some()
        });
        let first = lines.len() - fitting.count();
        let lines = lines[first..].iter().flat_map(|line| [line, "\n"]);
        let text: String = std::iter::once(HEADER).chain(lines).collect();
        write_private(&path, &text)
    }

    /// The lines of a file; none where it is not there or of another release.
    fn text(&self, file: u8) -> String {
        let Some(path) = self.path(file) else {
            return String::new();
        };
        let text = read_private(&path, MAX_BYTES as u64).ok().flatten();
        let text = text.unwrap_or_default();
        text.strip_prefix(HEADER).unwrap_or_default().to_owned()
    }

    fn path(&self, file: u8) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(format!("{file:02}.results")))
    }
}

/// The file of a result: names begin with the digits of a commit, which are spread evenly.
fn file_of(name: &str) -> u8 {
    let digits = name.get(..2).unwrap_or_default();
    u8::from_str_radix(digits, 16).unwrap_or_default() % FILES
}
