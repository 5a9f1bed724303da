//! The result of a call of the git program: its output, or its complaint as an error.

use std::path::PathBuf;
use std::process::ExitStatus;

use super::{GitError, complained_of};

/// The greatest number of characters of git's complaint in an error.
const LONGEST_COMPLAINT: usize = 600;

/// The result of a call of git that ended.
pub(super) struct GitOutput {
    pub(super) name: String,
    pub(super) folder: PathBuf,
    pub(super) status: ExitStatus,
    /// Its standard output.
    pub(super) out: Vec<u8>,
    pub(super) err: Vec<u8>,
}

impl GitOutput {
    /// Returns true if git ended with this exit code.
    pub(super) fn ended_with(&self, code: i32) -> bool {
        self.status.code() == Some(code)
    }

    /// Returns git's complaint as far as it explains a failure: without advice, which may be to
    /// force or to delete.
    pub(super) fn complaint(&self) -> String {
        let text = String::from_utf8_lossy(&self.err);
        let message = |line: &str| {
            let line = line
                .strip_prefix("fatal: ")
                .or_else(|| line.strip_prefix("error: "))?;
            let line = line
                .split_once(", use --force")
                .map_or(line, |(fact, _)| fact);
            Some(line.trim_end_matches([';', '.']).to_owned())
        };
        let mut lines: Vec<String> = text.lines().filter_map(message).collect();
        if lines.is_empty() {
            lines.extend(text.lines().next().map(str::to_owned));
        }
        lines.join("; ").chars().take(LONGEST_COMPLAINT).collect()
    }

    /// Returns the start of what a program that git called wrote to its error stream, without empty lines.
    pub(super) fn words(&self) -> String {
        let text = String::from_utf8_lossy(&self.err);
        let lines = text.lines().map(str::trim_end);
        let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
        let said = lines.join("\n").chars().take(LONGEST_COMPLAINT).collect();
        match said {
            said if String::is_empty(&said) => self.status.to_string(),
            said => said,
        }
    }

    /// Returns the output of git if it succeeded.
    ///
    /// # Errors
    /// `Owner`, `Gone` or `Program`, chosen by git's complaint.
    pub(super) fn success(self) -> Result<Vec<u8>, GitError> {
        if self.status.success() {
            return Ok(self.out);
        }
        let complaint = String::from_utf8_lossy(&self.err);
        let said = |text: &str| complaint.contains(text);
        if said("detected dubious ownership") {
            let path = complained_of(&complaint, &self.folder);
            return Err(GitError::Owner { path });
        }
        if said("not a git repository") || said("cannot change to") {
            return Err(GitError::Gone { path: self.folder });
        }
        let why = match self.complaint() {
            complaint if complaint.is_empty() => self.status.to_string(),
            complaint => complaint,
        };
        Err(GitError::Program {
            command: self.name,
            why,
        })
    }
}

/// Returns the first line of git's output, without its line break.
pub(super) fn first_line(out: &[u8]) -> String {
    let line = out.split(|byte| *byte == b'\n').next().unwrap_or_default();
    String::from_utf8_lossy(line).into_owned()
}

/// Returns the NUL-ended fields of git's output.
pub(super) fn fields(out: &[u8]) -> impl Iterator<Item = &[u8]> {
    out.strip_suffix(&[0])
        .unwrap_or(out)
        .split(|byte| *byte == 0)
        .filter(|field| !field.is_empty())
}
