//! Keeps small texts in the repository under refs of their own, each in a file (a blob) without a
//! commit. A kept text is never replaced; texts of other people are data and read up to a limit.

use super::branches::{NO_HOOKS, oid, within_changing_folders};
use super::program::first_line;
use super::{GitError, Repo, flushing};

/// The greatest number of texts that are listed.
const MAX_TEXTS: usize = 100_000;

/// A text that is kept under a ref.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptText {
    /// The ref's name behind the folder that was searched.
    pub name: String,
    /// The id of the object that the ref names.
    pub object: String,
}

/// The outcomes of reading a kept text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextRead {
    /// The text.
    Text(Vec<u8>),
    /// The object is no file or is above the limit; says which.
    Unfit(String),
}

impl Repo {
    /// Keeps a text under a new ref. Returns false if a ref of this name exists, which stays as it
    /// is. No hook runs, so this is allowed wherever documents may be changed.
    ///
    /// # Errors
    /// `InvalidName`, or a failure of git.
    pub fn keep_text(&self, name: &str, text: &[u8], why: &str) -> Result<bool, GitError> {
        refuse_invalid(name)?;
        if self.object_of_ref(name)?.is_some() {
            return Ok(false);
        }
        let object = self.write_text(text)?;
        let is_named = self.name_object(name, &object, why)?;
        // A `git gc --prune=now` may have removed it while no ref led to it.
        if is_named && !self.has_object(&object)? {
            self.write_text(text)?;
        }
        Ok(is_named)
    }

    /// Writes a text that no ref names yet, as [`Repo::keep_text`] keeps it; returns its object.
    ///
    /// # Errors
    /// A failure of git.
    pub fn write_text(&self, text: &[u8]) -> Result<String, GitError> {
        self.write(
            "write a text",
            |repo| Ok(repo.blob(text)?.to_string()),
            || {
                let words = ["hash-object", "-w", "-t", "blob", "--stdin", "--no-filters"];
                let call = self.reading(words).setting("core.fsync", "all");
                let written = call.answer_to(text)?;
                Ok(first_line(&written.success()?))
            },
        )
    }

    /// Creates a ref for an object. Returns false if a ref of this name exists, which stays as it
    /// is.
    ///
    /// # Errors
    /// `InvalidName`, or a failure of git.
    pub(super) fn name_object(
        &self,
        name: &str,
        object: &str,
        why: &str,
    ) -> Result<bool, GitError> {
        refuse_invalid(name)?;
        let created = self.write(
            "create a ref",
            |repo| {
                within_changing_folders(|| repo.reference(name, oid(object)?, false, why).map(drop))
            },
            || {
                let words = [NO_HOOKS[0], NO_HOOKS[1], "update-ref", "-m", why];
                let call = self.acting(words).arg("--end-of-options").arg(name);
                // The empty last argument requires that the ref does not exist.
                call.arg(object).arg("").output()?;
                flushing::flush_ref(self.common_dir(), name)
            },
        );
        match created {
            Ok(()) => Ok(true),
            // Another process was faster.
            Err(_) if self.object_of_ref(name)?.is_some() => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Returns the texts that are kept below a folder of refs, which ends with a slash; sorted by
    /// their names.
    ///
    /// # Errors
    /// A failure to read the repository.
    pub fn kept_texts(&self, folder: &str) -> Result<Vec<KeptText>, GitError> {
        let kept = |name: &str, object: String| {
            let name = name.strip_prefix(folder)?.to_owned();
            Some(KeptText { name, object })
        };
        let mut found = self.read(
            "list kept texts",
            |repo| {
                let mut found = Vec::new();
                for reference in repo.references_glob(&format!("{folder}*"))?.take(MAX_TEXTS) {
                    let reference = reference?;
                    let name = String::from_utf8_lossy(reference.name_bytes());
                    let object = reference.target().map(|id| id.to_string());
                    found.extend(object.and_then(|object| kept(&name, object)));
                }
                Ok(found)
            },
            || {
                let format = "--format=%(refname) %(objectname)";
                let most = format!("--count={MAX_TEXTS}");
                let words = ["for-each-ref", format, &most, "--", folder];
                let out = self.reading(words).output()?;
                let lines = String::from_utf8_lossy(&out).into_owned();
                let found = lines.lines().filter_map(|line| {
                    let (name, object) = line.split_once(' ')?;
                    kept(name, object.to_owned())
                });
                Ok(found.collect())
            },
        )?;
        found.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        Ok(found)
    }

    /// Reads a kept text up to a number of bytes.
    ///
    /// # Errors
    /// A failure to read the repository.
    pub fn kept_text(&self, object: &str, most_bytes: usize) -> Result<TextRead, GitError> {
        let unfit = |kind: &str, size: usize| {
            if kind != "blob" {
                return Some(format!("it is a {kind}, not a file"));
            }
            (size > most_bytes)
                .then(|| format!("it has {size} bytes, and {most_bytes} are the most that is read"))
        };
        self.read(
            "read a kept text",
            |repo| {
                let id = oid(object)?;
                let (size, kind) = repo.odb()?.read_header(id)?;
                if let Some(why) = unfit(kind.str(), size) {
                    return Ok(TextRead::Unfit(why));
                }
                Ok(TextRead::Text(repo.find_blob(id)?.content().to_vec()))
            },
            || {
                let asked = self.reading(["cat-file", "--batch-check=%(objecttype) %(objectsize)"]);
                let said = asked
                    .answer_to(format!("{object}\n").as_bytes())?
                    .success()?;
                let said = first_line(&said);
                let (kind, size) = said.split_once(' ').unwrap_or((&said, ""));
                let Ok(size) = size.parse() else {
                    return Ok(TextRead::Unfit("it is not there".into()));
                };
                if let Some(why) = unfit(kind, size) {
                    return Ok(TextRead::Unfit(why));
                }
                let text = self.reading(["cat-file", "blob", object]).output()?;
                Ok(TextRead::Text(text))
            },
        )
    }

    /// Returns the id of the object that a ref names, of any kind; `None` without such a ref.
    fn object_of_ref(&self, name: &str) -> Result<Option<String>, GitError> {
        self.read(
            "read a ref",
            |repo| match repo.find_reference(name) {
                Ok(found) => Ok(found.resolve()?.target().map(|id| id.to_string())),
                Err(error) if error.code() == git2::ErrorCode::NotFound => Ok(None),
                Err(error) => Err(error),
            },
            || {
                let words = ["rev-parse", "--verify", "--quiet", "--end-of-options", name];
                let answer = self.reading(words).answer()?;
                if answer.ended_with(1) {
                    return Ok(None);
                }
                Ok(Some(first_line(&answer.success()?)))
            },
        )
    }
}

fn refuse_invalid(name: &str) -> Result<(), GitError> {
    if name.starts_with("refs/chant/") && git2::Reference::is_valid_name(name) {
        return Ok(());
    }
    Err(GitError::InvalidName {
        what: "ref of a kept text",
        name: name.to_owned(),
        why: "it must begin with refs/chant/ and be one that git allows",
    })
}
