//! The limit on the size of a run's files, in its commits and in its folder: a sparse file costs an agent nothing,
//! and git minutes to read.

use std::path::PathBuf;

use super::{LONGEST_LOOK, LONGEST_WALK, RunRepository};
use crate::{GitError, program};

/// The bytes that a file of a run may have, unless its user says otherwise.
pub const MAX_FILE_BYTES: u64 = 1_000_000_000;
/// The number of entries of a folder that are looked at for files that are too large.
const MAX_ENTRIES: usize = 1_000_000;

impl RunRepository<'_> {
    /// Sets the bytes that a file of the run may have.
    #[must_use]
    pub fn with_largest_file(mut self, bytes: u64) -> Self {
        self.largest = bytes;
        self
    }

    /// Returns the filter that leaves larger files out of what comes back.
    pub(super) fn size_filter(&self) -> String {
        // Git leaves out those of at least so many bytes.
        format!("--filter=blob:limit={}", self.largest.saturating_add(1))
    }

    /// Refuses commits with a file that is too large, by its name; else the commits lack nothing because of
    /// the filter.
    ///
    /// # Errors
    /// `TooLarge`, or a failure of git.
    pub(super) fn refuse_large_files(&self, tip: &str, known: &[&str]) -> Result<(), GitError> {
        let filter = self.size_filter();
        let mut words = vec![
            "rev-list", "--objects", "--no-object-names", &filter, "--filter-print-omitted", tip,
            "--not",
        ];
        words.extend(known);
        let listed = self.git(words, LONGEST_WALK).output()?;
        let listed = String::from_utf8_lossy(&listed);
        match listed.lines().find_map(|line| line.strip_prefix('~')) {
            Some(object) => Err(GitError::TooLarge {
                path: self.path_of(object, tip)?,
                bytes: self.size_of(object)?,
                most: self.largest,
            }),
            None => Ok(()),
        }
    }

    /// Returns the path of an object in a commit; its own name where only an earlier commit has it.
    fn path_of(&self, object: &str, commit: &str) -> Result<String, GitError> {
        let words = ["ls-tree", "-r", "-z", "--full-tree", commit];
        let listed = self.git(words, LONGEST_WALK).output()?;
        let path = program::fields(&listed).find_map(|entry| {
            let entry = String::from_utf8_lossy(entry).into_owned();
            let (facts, path) = entry.split_once('\t')?;
            facts.ends_with(object).then(|| path.to_owned())
        });
        Ok(path.unwrap_or_else(|| format!("object {object} of an earlier commit")))
    }

    fn size_of(&self, object: &str) -> Result<u64, GitError> {
        let out = self
            .git(["cat-file", "-s", object], LONGEST_LOOK)
            .output()?;
        Ok(program::first_line(&out).parse().unwrap_or_default())
    }

    /// Returns the files of the folder that are too large, from its top, with `/`; links are not followed.
    pub(super) fn large_files(&self) -> Vec<String> {
        let mut waiting = vec![PathBuf::new()];
        let (mut found, mut seen) = (Vec::new(), 0);
        while let Some(folder) = waiting.pop().filter(|_| seen < MAX_ENTRIES) {
            let entries = self.top.join(&folder).read_dir();
            for entry in entries.into_iter().flatten().flatten() {
                seen += 1;
                let path = folder.join(entry.file_name());
                match entry.metadata() {
                    Ok(facts) if facts.is_dir() => waiting.push(path),
                    Ok(facts) if facts.is_file() && facts.len() > self.largest => {
                        found.push(path.to_string_lossy().replace('\\', "/"));
                    }
                    _ => {}
                }
            }
        }
        found
    }
}
