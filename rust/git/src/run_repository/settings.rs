//! The project's configuration and refs, as the repositories of its runs copy them.

use crate::{GitError, Repo, program};

/// The refs of the project that its runs see.
const SHARED_REFS: [&str; 3] = ["refs/heads/", "refs/tags/", "refs/remotes/"];

/// One effective setting of the project's git.
pub(super) struct GitSetting {
    pub key: String,
    pub value: String,
}

impl Repo {
    /// Returns true if the repository is a partial clone, so that objects may be missing.
    ///
    /// # Errors
    /// A failure to read the configuration.
    pub(crate) fn is_partial(&self) -> Result<bool, GitError> {
        let settings = self.effective_settings()?;
        Ok(settings.iter().any(|one| {
            one.key == "extensions.partialclone"
                || is_of_remote(&one.key, "promisor") && one.value == "true"
        }))
    }

    /// Returns the configuration as git sees it in this repository, the user's own included.
    pub(super) fn effective_settings(&self) -> Result<Vec<GitSetting>, GitError> {
        self.read(
            "read the configuration",
            |repo| {
                let config = repo.config()?.snapshot()?;
                let mut entries = config.entries(None)?;
                let mut found = Vec::new();
                while let Some(entry) = entries.next() {
                    let entry = entry?;
                    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                    let value = if entry.has_value() {
                        text(entry.value_bytes())
                    } else {
                        "true".into()
                    };
                    found.push(GitSetting {
                        key: text(entry.name_bytes()),
                        value,
                    });
                }
                Ok(found)
            },
            || {
                let out = self.reading(["config", "--list", "-z"]).output()?;
                let fields = program::fields(&out).map(String::from_utf8_lossy);
                let setting = |field: std::borrow::Cow<'_, str>| match field.split_once('\n') {
                    Some((key, value)) => GitSetting {
                        key: key.into(),
                        value: value.into(),
                    },
                    None => GitSetting {
                        key: field.into_owned(),
                        value: "true".into(),
                    },
                };
                Ok(fields.map(setting).collect())
            },
        )
    }

    /// Returns the refs that a run's repository shares, with their objects. Other refs of the
    /// project, such as a receipt for each run, are not read.
    pub(super) fn shared_refs(&self) -> Result<Vec<(String, String)>, GitError> {
        self.read(
            "list refs",
            |repo| {
                let mut found = Vec::new();
                for folder in SHARED_REFS {
                    for reference in repo.references_glob(&format!("{folder}*"))? {
                        let reference = reference?;
                        if let Some(id) = reference.target() {
                            let name = String::from_utf8_lossy(reference.name_bytes()).into_owned();
                            found.push((name, id.to_string()));
                        }
                    }
                }
                Ok(found)
            },
            || {
                let mut words = vec!["for-each-ref", "--format=%(objectname) %(refname)"];
                words.extend(SHARED_REFS);
                let out = self.reading(words).output()?;
                let text = String::from_utf8_lossy(&out).into_owned();
                let of_line = |line: &str| {
                    let (commit, name) = line.split_once(' ')?;
                    Some((name.to_owned(), commit.to_owned()))
                };
                Ok(text.lines().filter_map(of_line).collect())
            },
        )
    }
}

/// Returns true if a key is a setting of a remote. Git writes the last part of a key in small
/// letters.
fn is_of_remote(key: &str, last: &str) -> bool {
    let parts = key
        .strip_prefix("remote.")
        .and_then(|rest| rest.rsplit_once('.'));
    parts.is_some_and(|(_, named)| named == last)
}
