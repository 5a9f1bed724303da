//! A folder in a commit, read from git without a checkout.

use std::path::Path;

use jiff::Timestamp;

use super::Workspace;
use super::error::WorkspaceError;
use chant_base::error::Error;
use chant_git::data_repository::DataRepository;
use chant_git::{GitError, Repo};
use chant_store::disk;
use chant_store::walk::IGNORING;

/// Where the files of a commit are read from.
pub(super) enum CommitSource {
    Repo(Box<Repo>),
    Data(DataRepository),
}

/// A folder in a commit.
pub(super) struct RevisionFolder {
    pub(super) source: CommitSource,
    /// The commit's full ID.
    pub(super) commit: String,
    /// The folder from the top of the checkout, with `/` at its end; empty for the top.
    pub(super) prefix: String,
}

impl RevisionFolder {
    pub(super) fn new(workspace: &Workspace, revision: &str) -> Result<Self, Error> {
        let root = workspace.root();
        Self::of_commit(root, revision)?.ok_or_else(|| {
            WorkspaceError::NoHistory {
                folder: root.display().to_string(),
                revision: revision.to_owned(),
            }
            .into()
        })
    }

    /// A folder in a commit of the repository that it lies in.
    pub(super) fn of_commit(root: &Path, commit: &str) -> Result<Option<Self>, Error> {
        let Some(repo) = Repo::open(root)? else {
            return Ok(None);
        };
        let top = repo.checkout().and_then(|top| disk::real(top).ok());
        let inside = top.as_deref().and_then(|top| root.strip_prefix(top).ok());
        let Some(inside) = inside.and_then(Path::to_str) else {
            return Ok(None);
        };
        let inside = inside.replace('\\', "/");
        Ok(Some(Self {
            commit: repo.commit(commit)?,
            source: CommitSource::Repo(Box::new(repo)),
            prefix: if inside.is_empty() {
                inside
            } else {
                inside + "/"
            },
        }))
    }

    /// The time of the commit; the end of time where commits are data, of which nothing else is known.
    pub(super) fn committed_at(&self) -> Result<Timestamp, GitError> {
        let found = match &self.source {
            CommitSource::Repo(repo) => repo.recent_commits(&self.commit, 1)?,
            CommitSource::Data(_) => Vec::new(),
        };
        let moment = found
            .first()
            .map(|commit| Timestamp::from_second(commit.seconds));
        Ok(moment.and_then(Result::ok).unwrap_or(Timestamp::MAX))
    }

    /// The text of a file of the folder.
    pub(super) fn text(&self, path: &str) -> Result<Option<String>, GitError> {
        let bytes = self.file_from_top(&format!("{}{path}", self.prefix))?;
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    pub(super) fn file_from_top(&self, path: &str) -> Result<Option<Vec<u8>>, GitError> {
        match &self.source {
            CommitSource::Repo(repo) => repo.file_at(&self.commit, path),
            CommitSource::Data(repository) => repository.file_at(&self.commit, path),
        }
    }

    /// The files of the folder that are wanted, with their paths from there.
    pub(super) fn files(
        &self,
        enters: &dyn Fn(&str) -> bool,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<(String, Vec<u8>)>, GitError> {
        let (commit, folder) = (&self.commit, self.prefix.trim_end_matches('/'));
        match &self.source {
            CommitSource::Repo(repo) => repo.files_at(commit, folder, enters, wanted),
            CommitSource::Data(repository) => repository.files_at(commit, enters, wanted),
        }
    }

    /// The same with their texts; what is no text is left out.
    pub(super) fn texts(
        &self,
        enters: &dyn Fn(&str) -> bool,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<(String, String)>, GitError> {
        let files = self.files(enters, wanted)?.into_iter();
        let texts = files.filter_map(|(path, bytes)| Some((path, String::from_utf8(bytes).ok()?)));
        Ok(texts.collect())
    }

    /// The ignore files of the folders above, each with its path from the top of the checkout.
    pub(super) fn ignoring_above(&self) -> Result<Vec<(String, String)>, GitError> {
        let mut found = Vec::new();
        for (end, _) in self.prefix.match_indices('/') {
            let above = self.prefix[..end].rfind('/').map_or(0, |at| at + 1);
            for name in IGNORING {
                let path = format!("{}{name}", &self.prefix[..above]);
                if let Some(bytes) = self.file_from_top(&path)? {
                    found.push((path, String::from_utf8_lossy(&bytes).into_owned()));
                }
            }
        }
        Ok(found)
    }
}
