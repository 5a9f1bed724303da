//! The changed files of work by the side that they belong to, what judges and what is judged, and trees with one side
//! exchanged or with pieces of the code taken back.

use std::collections::BTreeSet;

use chant_config::proof::ProofSettings;
use chant_evidence::{
    CodeChange, CodeHunks, FileClass, MAX_BYTES, TakenBackFile, TestLanguage, class_of,
    path_matcher, text_of, with_tests_of,
};
use chant_git::changed_files::{ChangedFile, CommittedFile, FileKind};
use chant_git::exchanged_files::{ExchangedFile, ExchangedVersion};
use chant_git::{GitError, Repo};

/// The commits of the cells beside the work itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CellCommits {
    /// The code and the tests as they were.
    pub a: String,
    /// The code as it was, with the new tests; `None` where that is one of the others.
    pub b: Option<String>,
    /// The new code, with the tests as they were.
    pub d: Option<String>,
}

/// The changed files, by the side that they belong to.
pub struct WorkSides {
    /// Tests, their data and their configuration.
    judge: Vec<ChangedFile>,
    /// Everything else that is not only words.
    code: Vec<ChangedFile>,
    /// Code with tests of its own.
    mixed: Vec<MixedFile>,
}

/// A file with code and tests.
struct MixedFile {
    path: String,
    old: Vec<u8>,
    new: Vec<u8>,
    kind: FileKind,
}

/// The code of some work in pieces.
pub struct CodePieces {
    /// The pieces.
    pub hunks: CodeHunks,
    /// The number of changed files that have none: they are no text, too large, or no files of code.
    pub unread: usize,
    /// The kind of each file, by its path.
    kinds: Vec<(String, FileKind)>,
}

impl WorkSides {
    /// Returns the sides of what changed between two commits.
    ///
    /// # Errors
    /// A failure of git.
    pub fn of(repo: &Repo, proof: &ProofSettings, base: &str, tip: &str) -> Result<Self, GitError> {
        let (tests, config) = (path_matcher(&proof.tests), path_matcher(&proof.config));
        let (mut judge, mut code, mut mixed) = (Vec::new(), Vec::new(), Vec::new());
        for file in repo.changed_files(base, tip)? {
            let class = class_of(&file.path);
            if tests(&file.path) || config(&file.path) || class.is_judge() {
                judge.push(file);
                continue;
            }
            if class == FileClass::Words {
                continue;
            }
            if let (Some(old), Some(new)) = (&file.old, &file.new)
                && class == FileClass::Code
                && TestLanguage::of(&file.path) == Some(TestLanguage::Rust)
            {
                mixed.push(MixedFile {
                    path: file.path.clone(),
                    old: repo.content_of(old)?,
                    new: repo.content_of(new)?,
                    kind: new.kind,
                });
            }
            code.push(file);
        }
        Ok(Self { judge, code, mixed })
    }

    /// Makes the commits of the cells; `None` where the work changes no code: nothing can be shown then.
    ///
    /// # Errors
    /// A failure of git.
    pub fn commits(
        &self,
        repo: &Repo,
        base: &str,
        tip: &str,
    ) -> Result<Option<CellCommits>, GitError> {
        if self.code.is_empty() {
            return Ok(None);
        }
        let exchanged = |side: fn(&ChangedFile) -> &Option<CommittedFile>| -> Vec<ExchangedFile> {
            let files = self.judge.iter().map(|file| ExchangedFile {
                path: file.path.clone(),
                version: side(file).clone().map(ExchangedVersion::Committed),
            });
            files.collect()
        };
        let (mut newer, mut older) = (exchanged(|file| &file.new), exchanged(|file| &file.old));
        let mut has_old_tests = self.judge.iter().any(|file| file.old.is_some());
        for file in &self.mixed {
            let (Some(old), Some(new)) = (text_of(&file.old), text_of(&file.new)) else {
                continue;
            };
            let (Some(with_new), Some(with_old)) = (
                with_tests_of(&file.path, &old, &new),
                with_tests_of(&file.path, &new, &old),
            ) else {
                continue;
            };
            has_old_tests |= with_tests_of(&file.path, "", &old).is_some();
            newer.push(file.with(with_new));
            older.push(file.with(with_old));
        }
        let has_tests = !newer.is_empty();
        Ok(Some(CellCommits {
            a: base.to_owned(),
            b: has_tests
                .then(|| repo.commit_with(base, &newer))
                .transpose()?,
            d: (has_tests && has_old_tests)
                .then(|| repo.commit_with(tip, &older))
                .transpose()?,
        }))
    }

    /// Returns the changed code in pieces that can be taken back.
    ///
    /// # Errors
    /// A failure of git.
    pub fn pieces(&self, repo: &Repo) -> Result<CodePieces, GitError> {
        let (mut files, mut kinds, mut unread) = (Vec::new(), Vec::new(), 0);
        for file in &self.code {
            let kind = file.new.as_ref().or(file.old.as_ref()).map(|one| one.kind);
            let is_file =
                |one: &CommittedFile| matches!(one.kind, FileKind::Plain | FileKind::Program);
            let sides = [&file.old, &file.new].into_iter().flatten();
            let texts = [&file.old, &file.new].map(|side| text_at(repo, side.as_ref()));
            let [old, new] = texts;
            let (old, new) = (old?, new?);
            let is_text =
                old.is_some() == file.old.is_some() && new.is_some() == file.new.is_some();
            if let Some(kind) = kind
                && class_of(&file.path) == FileClass::Code
                && sides.into_iter().all(is_file)
                && is_text
            {
                kinds.push((file.path.clone(), kind));
                files.push(CodeChange {
                    path: file.path.clone(),
                    old,
                    new,
                });
            } else {
                unread += 1;
            }
        }
        Ok(CodePieces {
            hunks: CodeHunks::of(files),
            unread,
            kinds,
        })
    }
}

impl MixedFile {
    fn with(&self, text: String) -> ExchangedFile {
        ExchangedFile {
            path: self.path.clone(),
            version: Some(ExchangedVersion::Written {
                bytes: text.into_bytes(),
                kind: self.kind,
            }),
        }
    }
}

impl CodePieces {
    /// Makes the commit of the work without some pieces, by their numbers.
    ///
    /// # Errors
    /// A failure of git.
    pub fn commit_without(
        &self,
        repo: &Repo,
        tip: &str,
        taken: &BTreeSet<usize>,
    ) -> Result<String, GitError> {
        self.commit_with(repo, tip, self.hunks.without(taken))
    }

    /// Makes the commit of the work with a comment in each changed file of code.
    ///
    /// # Errors
    /// A failure of git.
    pub fn commit_with_comments(&self, repo: &Repo, tip: &str) -> Result<String, GitError> {
        self.commit_with(repo, tip, self.hunks.with_comments())
    }

    /// Makes the commit of the work in which a function does nothing; `None` where the piece is none.
    ///
    /// # Errors
    /// A failure of git.
    pub fn commit_with_empty_function(
        &self,
        repo: &Repo,
        tip: &str,
        hunk: usize,
    ) -> Result<Option<String>, GitError> {
        let file = self.hunks.with_empty_function(hunk);
        file.map(|file| self.commit_with(repo, tip, vec![file]))
            .transpose()
    }

    fn commit_with(
        &self,
        repo: &Repo,
        tip: &str,
        files: Vec<TakenBackFile>,
    ) -> Result<String, GitError> {
        let files = files.into_iter().map(|file| {
            let kind = self.kinds.iter().find(|(path, _)| *path == file.path);
            let kind = kind.map_or(FileKind::Plain, |(_, kind)| *kind);
            let written = file.text.map(|text| ExchangedVersion::Written {
                bytes: text.into_bytes(),
                kind,
            });
            ExchangedFile {
                path: file.path,
                version: written,
            }
        });
        repo.commit_with(tip, &files.collect::<Vec<_>>())
    }
}

/// Returns the text of a version; `None` without one, or if it is no text or too large.
fn text_at(repo: &Repo, version: Option<&CommittedFile>) -> Result<Option<String>, GitError> {
    let Some(version) = version else {
        return Ok(None);
    };
    let bytes = match repo.content_of(version) {
        Ok(bytes) => bytes,
        Err(GitError::TooLarge { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let bytes = Some(bytes).filter(|bytes| bytes.len() <= MAX_BYTES);
    Ok(bytes.and_then(|bytes| String::from_utf8(bytes).ok()))
}
