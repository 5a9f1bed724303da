//! Refs of ours whose commits hold small files that are added and never taken away: each act is a commit onto the one
//! before. No checkout, hook or filter takes part.

use super::branches::oid;
use super::commits::{CommitAuthor, NewCommit};
use super::program::first_line;
use super::{GitError, Repo};

/// The greatest number of times that one ref is kept beside itself.
const MAX_REWRITTEN: usize = 1_000;

/// A file that is added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AddedFile {
    /// With this content.
    Text(Vec<u8>),
    /// With the content of an object that is here already.
    Object(String),
}

/// The way in which a ref took another commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefStep {
    /// It had it already, or one with more.
    Same,
    /// It is new, or has more now.
    Grown,
    /// The commit does not continue the one before, which stays under a name of its own.
    Rewritten,
}

/// A file of such a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptFile {
    /// Its name.
    pub name: String,
    /// The id of its content.
    pub object: String,
}

impl Repo {
    /// Adds files to those that a ref keeps; `old` is the commit that it was found at, `None` without such a ref.
    /// Returns false if it names another commit by now.
    ///
    /// # Errors
    /// A failure to write objects, or to move the ref.
    pub fn add_kept_files(
        &self,
        name: &str,
        old: Option<&str>,
        files: &[(String, AddedFile)],
        why: &str,
    ) -> Result<bool, GitError> {
        let mut entries = Vec::with_capacity(files.len());
        for (file, content) in files {
            let object = match content {
                AddedFile::Text(text) => self.write_text(text)?,
                AddedFile::Object(object) => object.clone(),
            };
            entries.push((file.as_str(), object));
        }
        let tree = self.tree_of_kept(old, &entries)?;
        let parents: Vec<&str> = old.into_iter().collect();
        let commit = self.write_commit(&NewCommit {
            tree: &tree,
            parents: &parents,
            message: why,
            by: CommitAuthor::Runtime,
            author: None,
        })?;
        match self.move_ref(name, &commit, old, why) {
            Ok(()) => Ok(true),
            Err(error) => {
                let now = self.commit_of_ref(name)?;
                if now.as_deref() == old {
                    Err(error)
                } else {
                    Ok(false)
                }
            }
        }
    }

    /// Has a ref name a commit that somebody else made. Where that does not continue the commit before, the one
    /// before stays beside it, under the name with a number behind a dot.
    ///
    /// # Errors
    /// `InvalidName`, or a failure to read the repository or to move the ref.
    pub fn keep_growing(&self, name: &str, commit: &str, why: &str) -> Result<RefStep, GitError> {
        let Some(old) = self.commit_of_ref(name)? else {
            self.name_object(name, commit, why)?;
            return Ok(RefStep::Grown);
        };
        if old == commit || self.reaches(&old, commit)? {
            return Ok(RefStep::Same);
        }
        if self.reaches(commit, &old)? {
            self.move_ref(name, commit, Some(&old), why)?;
            return Ok(RefStep::Grown);
        }
        let beside = (1..).map(|number| format!("{name}.{number}"));
        for beside in beside.take(MAX_REWRITTEN) {
            if self.commit_of_ref(&beside)?.is_none_or(|kept| kept == old) {
                self.name_object(&beside, &old, why)?;
                break;
            }
        }
        self.move_ref(name, commit, Some(&old), why)?;
        Ok(RefStep::Rewritten)
    }

    /// Returns the commit that a ref names; `None` without such a ref, and for one that names something else.
    ///
    /// # Errors
    /// A failure to read the repository.
    pub fn commit_of_ref(&self, name: &str) -> Result<Option<String>, GitError> {
        let found = self.refs_under(name)?;
        let own = found.into_iter().find(|(found, _)| found == name);
        Ok(own.map(|(_, commit)| commit))
    }

    /// Returns the files directly in a commit, sorted by their names; nothing for what is no commit.
    ///
    /// # Errors
    /// A failure to read the repository.
    pub fn kept_files(&self, commit: &str) -> Result<Vec<KeptFile>, GitError> {
        let mut files = self.read(
            "list kept files",
            |repo| {
                let tree = match repo.find_commit(oid(commit)?) {
                    Ok(commit) => commit.tree()?,
                    Err(_) => return Ok(Vec::new()),
                };
                let blobs = tree
                    .iter()
                    .filter(|entry| entry.kind() == Some(git2::ObjectType::Blob));
                let files = blobs.map(|entry| KeptFile {
                    name: String::from_utf8_lossy(entry.name_bytes()).into_owned(),
                    object: entry.id().to_string(),
                });
                Ok(files.collect())
            },
            || {
                let tree = format!("{commit}^{{tree}}");
                let answer = self
                    .reading(["ls-tree", "-z", "--full-tree", &tree])
                    .answer()?;
                if !answer.status.success() {
                    return Ok(Vec::new());
                }
                Ok(listed(&answer.out))
            },
        )?;
        files.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        Ok(files)
    }

    /// Returns the id of the content of a plain file of a commit; `None` without such a file.
    ///
    /// # Errors
    /// A failure to read the repository.
    pub fn content_id(&self, commit: &str, path: &str) -> Result<Option<String>, GitError> {
        self.read(
            "find a file of a commit",
            |repo| {
                let tree = repo.find_commit(oid(commit)?)?.tree()?;
                match tree.get_path(std::path::Path::new(path)) {
                    Ok(entry) if entry.filemode() & 0o170_000 == 0o100_000 => {
                        Ok(Some(entry.id().to_string()))
                    }
                    Ok(_) => Ok(None),
                    Err(error) if super::is_missing(&error) => Ok(None),
                    Err(error) => Err(error),
                }
            },
            || {
                let words = [
                    "--literal-pathspecs", "ls-tree", "-z", "--full-tree", commit,
                ];
                let out = self.reading(words).arg("--").arg(path).output()?;
                let found = listed(&out).into_iter();
                Ok(found.map(|file| file.object).next())
            },
        )
    }

    fn tree_of_kept(
        &self,
        old: Option<&str>,
        entries: &[(&str, String)],
    ) -> Result<String, GitError> {
        self.write(
            "write a tree of kept files",
            |repo| {
                let before = match old {
                    Some(old) => Some(repo.find_commit(oid(old)?)?.tree()?),
                    None => None,
                };
                let mut tree = repo.treebuilder(before.as_ref())?;
                for (name, object) in entries {
                    tree.insert(name, oid(object)?, 0o100_644)?;
                }
                Ok(tree.write()?.to_string())
            },
            || {
                let mut all = match old {
                    Some(old) => self.kept_files(old)?,
                    None => Vec::new(),
                };
                all.retain(|file| entries.iter().all(|(name, _)| *name != file.name));
                all.extend(entries.iter().map(|(name, object)| KeptFile {
                    name: (*name).to_owned(),
                    object: object.clone(),
                }));
                let lines: String = all
                    .iter()
                    .map(|file| format!("100644 blob {}\t{}\n", file.object, file.name))
                    .collect();
                Ok(first_line(
                    &self
                        .acting(["mktree"])
                        .answer_to(lines.as_bytes())?
                        .success()?,
                ))
            },
        )
    }
}

fn listed(out: &[u8]) -> Vec<KeptFile> {
    let entries = super::program::fields(out).map(String::from_utf8_lossy);
    let files = entries.filter_map(|entry| {
        let (head, name) = entry.split_once('\t')?;
        let mut words = head.split(' ').skip(1);
        (words.next()? == "blob").then_some(())?;
        Some(KeptFile {
            name: name.to_owned(),
            object: words.next()?.to_owned(),
        })
    });
    files.collect()
}
