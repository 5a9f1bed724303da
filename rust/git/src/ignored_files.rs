//! The files of the user's checkout that git ignores.

use super::{GitError, Repo, program};

impl Repo {
    /// Returns the ignored files of the checkout that fit patterns, by their paths from its top: `*` stays in a folder,
    /// `**` does not.
    ///
    /// # Errors
    /// `Gone`, or a failure of git.
    pub fn ignored_files(&self, patterns: &[String]) -> Result<Vec<String>, GitError> {
        let Some(top) = self.checkout().filter(|_| !patterns.is_empty()) else {
            return Ok(Vec::new());
        };
        let words = [
            "ls-files", "--others", "--ignored", "--exclude-standard", "-z", "--",
        ];
        let call = program::reading(top, words);
        let listed = patterns
            .iter()
            .map(|pattern| format!(":(top,glob){pattern}"))
            .fold(call, |call, pattern| call.arg(&pattern))
            .output()?;
        let text = |path: &[u8]| String::from_utf8_lossy(path).into_owned();
        Ok(program::fields(&listed).map(text).collect())
    }
}
