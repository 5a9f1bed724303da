//! Finds the commits that carry a tag `chant(<text>)` in their message.
//!
//! The message and the parents of a commit never change: both are read once and kept. The commits
//! that a tip reaches are computed from that, so after a commit, a reset, an amended commit or a
//! switch of branches only new commits are read. If the tip did not move, a call costs only
//! resolving the tip.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::MutexGuard;
use std::time::SystemTime;

use super::abbreviation::CommitAbbreviation;
use super::backend::inode;
use super::branches::oid;
use super::{GitError, HistoryStart, Repo, is_missing};

/// The text before a tag's name in a message.
const TAG_BEGINS: &str = "chant(";

/// The number of tips whose reachable commits are kept.
const TIPS_KEPT: usize = 4;

/// A commit as answers show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// The full id, in hexadecimal digits.
    pub id: String,
    /// The id as `git log --oneline` shortens it.
    pub short: String,
    /// The first paragraph of the message on one line.
    pub subject: String,
    /// The whole message; invalid UTF-8 in it is replaced.
    pub message: String,
    /// The commit time, in seconds since 1970 UTC.
    pub time: i64,
}

impl Repo {
    /// Returns the commits that `tip` reaches and whose message contains `chant(<tag>)`, parents
    /// before children, otherwise oldest first.
    ///
    /// The result is empty if there is no such branch or no commit yet, and for a tag that contains
    /// a line break or `)`. A missing parent (a shallow clone) ends the search in its direction.
    ///
    /// # Errors
    /// `InvalidName` for the branch, `Gone`, or a failure to read the repository.
    pub fn tagged(&self, tip: HistoryStart<'_>, tag: &str) -> Result<Vec<Commit>, GitError> {
        let tip = match tip {
            HistoryStart::Head => self.head()?.commit().map(str::to_owned),
            HistoryStart::Branch(branch) => self.branch_tip(branch)?,
        };
        let Some(tip) = tip else {
            return Ok(Vec::new());
        };
        // Read before any commit: if a boundary moves meanwhile, the next call notices it.
        let boundary = HistoryBoundary::of(&self.common_dir);
        let mut history = self.history();
        if history.boundary != boundary {
            *history = HistoryCache {
                boundary,
                ..HistoryCache::default()
            };
        }
        if history.reach_of(&tip) {
            return Ok(history.tagged(tag));
        }
        let unknown = self.read(
            "read the history",
            |repo| history.unknown_to_library(repo, &tip),
            || self.unknown_to_program(&history, &tip),
        )?;
        self.let_go();
        let is_whole = history.learn(unknown);
        history.reach_from(&tip);
        let found = history.tagged(tag);
        if !is_whole {
            // A missing parent may arrive later, so no result that lacks it is kept.
            *history = HistoryCache::default();
        }
        Ok(found)
    }

    fn history(&self) -> MutexGuard<'_, HistoryCache> {
        self.history.lock().unwrap_or_else(|poisoned| {
            self.history.clear_poison();
            let mut history = poisoned.into_inner();
            *history = HistoryCache::default();
            history
        })
    }

    /// Returns commits by their ids, in that order; those that the repository does not have are left out.
    ///
    /// # Errors
    /// `NoGit`, or a failure to read the repository.
    pub fn commits_named(&self, ids: &[String]) -> Result<Vec<Commit>, GitError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let mut words = vec![
            "--no-replace-objects",
            "log",
            "-z",
            "--no-walk=unsorted",
            "--no-show-signature",
            "--no-color",
            "--encoding=UTF-8",
            "--format=tformat:%H%x00%h%x00%ct%x00%B",
            "--ignore-missing",
            "--end-of-options",
        ];
        words.extend(ids.iter().map(String::as_str));
        let mut found = Vec::new();
        let mut fields: Vec<String> = Vec::with_capacity(4);
        self.reading(words).each_field(|field| {
            fields.push(String::from_utf8_lossy(field).into_owned());
            if let [id, short, time, message] = fields.as_slice() {
                found.push(Commit {
                    id: id.clone(),
                    short: short.clone(),
                    subject: subject_of(message),
                    message: message.clone(),
                    time: time.parse().unwrap_or(0),
                });
                fields.clear();
            }
        })?;
        Ok(found)
    }

    /// Has the git program list the commits that `tip` reaches and that are not kept yet, parents
    /// first.
    fn unknown_to_program(
        &self,
        known: &HistoryCache,
        tip: &str,
    ) -> Result<Vec<CommitReading>, GitError> {
        let mut words = vec![
            "--no-replace-objects",
            "log",
            "-z",
            "--topo-order",
            "--reverse",
            "--no-show-signature",
            "--no-color",
            "--encoding=UTF-8",
            "--format=tformat:%H%x00%h%x00%P%x00%ct%x00%B",
            // A tip seen earlier may have been collected as garbage since.
            "--ignore-missing",
            tip,
            "--not",
        ];
        words.extend(known.tips.iter().map(|(tip, _)| tip.as_str()));
        words.push("--");
        let mut read = Vec::new();
        let mut fields: Vec<Vec<u8>> = Vec::with_capacity(5);
        self.reading(words).each_field(|field| {
            fields.push(field.to_vec());
            if let [id, short, parents, time, message] = fields.as_slice() {
                let [id, short, parents, time] =
                    [id, short, parents, time].map(|f| String::from_utf8_lossy(f));
                read.push(CommitReading {
                    parents: parents.split_whitespace().map(key).collect(),
                    ..CommitReading::new(&id, time.parse().unwrap_or(0), message, || {
                        short.into_owned()
                    })
                });
                fields.clear();
            }
        })?;
        Ok(read)
    }
}

/// The kept commits of a repository.
#[derive(Debug, Default)]
pub(super) struct HistoryCache {
    boundary: HistoryBoundary,
    /// The number of each known commit; parents have smaller numbers than their children.
    numbers: HashMap<CommitKey, u32>,
    nodes: Vec<CommitNode>,
    /// The parents of all nodes, one after the other.
    parents: Vec<u32>,
    /// Commits that carry a tag, with their numbers.
    carriers: Vec<(u32, PackedCommit)>,
    /// The commits of each tag, as places in `carriers`.
    tags: HashMap<Box<str>, Vec<u32>>,
    /// The recently used tips, the latest last, and the numbers that they reach.
    tips: Vec<(String, Vec<bool>)>,
}

/// The first 20 bytes of a commit's id: all of a SHA-1, enough of a SHA-256.
type CommitKey = [u8; 20];

/// The place of a commit in history.
#[derive(Debug, Clone, Copy)]
struct CommitNode {
    /// The end of its parents in the list of parents; they start at the end of the node before.
    parents_end: usize,
    /// The commit time, but never before that of its parents.
    time: i64,
    /// The length of the longest path to a root.
    depth: u32,
}

/// A commit in one piece of memory, because there may be one for each commit of the history.
#[derive(Debug)]
struct PackedCommit {
    /// The id, its short form and the message, one after the other.
    text: Box<str>,
    id_length: u8,
    short_length: u8,
    time: i64,
}

impl PackedCommit {
    fn new(id: &str, short: &str, message: &str, time: i64) -> Self {
        let length = |text: &str| u8::try_from(text.len()).unwrap_or(u8::MAX);
        Self {
            text: [id, short, message].concat().into(),
            id_length: length(id),
            short_length: length(short),
            time,
        }
    }

    fn id(&self) -> &str {
        &self.text[..usize::from(self.id_length)]
    }

    fn commit(&self) -> Commit {
        let (short, message) =
            self.text[self.id().len()..].split_at(usize::from(self.short_length));
        Commit {
            id: self.id().to_owned(),
            short: short.to_owned(),
            subject: subject_of(message),
            message: message.to_owned(),
            time: self.time,
        }
    }
}

/// One commit as it was read.
struct CommitReading {
    key: CommitKey,
    parents: Vec<CommitKey>,
    time: i64,
    /// The commit and its tags, if it has any.
    tagged: Option<(PackedCommit, Vec<Box<str>>)>,
}

/// The state of the files that cut history off although commits name parents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct HistoryBoundary([Option<(u64, Option<SystemTime>, u64)>; 2]);

impl HistoryCache {
    /// Makes `tip` the latest of the tips; returns false if its reachable commits are not known.
    fn reach_of(&mut self, tip: &str) -> bool {
        let Some(at) = self.tips.iter().position(|(known, _)| known == tip) else {
            return false;
        };
        self.tips[at..].rotate_left(1);
        true
    }

    /// Returns the commits of a tag that the latest tip reaches.
    fn tagged(&self, tag: &str) -> Vec<Commit> {
        let (Some((_, reached)), Some(places)) = (self.tips.last(), self.tags.get(tag)) else {
            return Vec::new();
        };
        let carriers = places.iter().map(|place| &self.carriers[*place as usize]);
        let mut found: Vec<&(u32, PackedCommit)> = carriers
            .filter(|(number, _)| reached.get(*number as usize) == Some(&true))
            .collect();
        found.sort_by_key(|(number, commit)| {
            let node = self.nodes[*number as usize];
            (node.time, node.depth, commit.id())
        });
        found
            .into_iter()
            .map(|(_, commit)| commit.commit())
            .collect()
    }

    /// Computes the commits that `tip` reaches and makes it the latest tip.
    fn reach_from(&mut self, tip: &str) {
        let mut reached = vec![false; self.nodes.len()];
        let mut open: Vec<u32> = self.numbers.get(&key(tip)).copied().into_iter().collect();
        while let Some(number) = open.pop() {
            let at = number as usize;
            if !std::mem::replace(&mut reached[at], true) {
                let begin = at
                    .checked_sub(1)
                    .map_or(0, |before| self.nodes[before].parents_end);
                open.extend(&self.parents[begin..self.nodes[at].parents_end]);
            }
        }
        if self.tips.len() == TIPS_KEPT {
            self.tips.remove(0);
        }
        self.tips.push((tip.to_owned(), reached));
    }

    /// Reads the commits that `tip` reaches and that are not kept yet, parents first.
    fn unknown_to_library(
        &self,
        repo: &git2::Repository,
        tip: &str,
    ) -> Result<Vec<CommitReading>, git2::Error> {
        let abbreviation = CommitAbbreviation::of(repo)?;
        let tip = oid(tip)?;
        let (mut read, mut entered) = (Vec::new(), HashSet::new());
        // A commit is visited twice: on the way in and, after all its parents, on the way out.
        let mut open: Vec<(git2::Oid, Option<CommitReading>)> = vec![(tip, None)];
        while let Some((id, met)) = open.pop() {
            if let Some(met) = met {
                read.push(met);
                continue;
            }
            if self.numbers.contains_key(&key_of(id)) || !entered.insert(id) {
                continue;
            }
            let commit = match repo.find_commit(id) {
                Ok(commit) => commit,
                Err(error) if is_missing(&error) && id != tip => continue,
                Err(error) => return Err(error),
            };
            let (time, message) = (commit.time().seconds(), commit.message_bytes());
            let parents = commit.parent_ids().map(key_of).collect();
            let short = || abbreviation.short(id);
            let met = CommitReading {
                parents,
                ..CommitReading::new(&id.to_string(), time, message, short)
            };
            open.push((id, Some(met)));
            open.extend(commit.parent_ids().map(|parent| (parent, None)));
        }
        Ok(read)
    }

    /// Keeps commits, each of which comes after its parents; returns false if a parent was missing.
    fn learn(&mut self, unknown: Vec<CommitReading>) -> bool {
        let mut is_whole = true;
        for read in unknown {
            if self.numbers.contains_key(&read.key) {
                continue;
            }
            let (mut time, mut depth) = (read.time, 0);
            for parent in &read.parents {
                let Some(number) = self.numbers.get(parent) else {
                    is_whole = false;
                    continue;
                };
                let parent = self.nodes[*number as usize];
                time = time.max(parent.time);
                depth = depth.max(parent.depth + 1);
                self.parents.push(*number);
            }
            let number = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
            self.numbers.insert(read.key, number);
            self.nodes.push(CommitNode {
                parents_end: self.parents.len(),
                time,
                depth,
            });
            if let Some((commit, tags)) = read.tagged {
                let place = u32::try_from(self.carriers.len()).unwrap_or(u32::MAX);
                for tag in tags {
                    self.tags.entry(tag).or_default().push(place);
                }
                self.carriers.push((number, commit));
            }
        }
        is_whole
    }
}

impl CommitReading {
    /// Creates a commit without its parents; its short id is computed only if it carries a tag.
    fn new(id: &str, time: i64, message: &[u8], short: impl FnOnce() -> String) -> Self {
        let tags = tags_of(message);
        let tagged = (!tags.is_empty()).then(|| {
            let commit = PackedCommit::new(id, &short(), &String::from_utf8_lossy(message), time);
            (commit, tags)
        });
        Self {
            key: key(id),
            parents: Vec::new(),
            time,
            tagged,
        }
    }
}

impl HistoryBoundary {
    fn of(git_folder: &Path) -> Self {
        Self(["shallow", "info/grafts"].map(|name| {
            let file = git_folder.join(name).metadata().ok()?;
            Some((file.len(), file.modified().ok(), inode(&file)))
        }))
    }
}

/// Returns the texts of all tags in a message, each once. A text that spans lines is no tag.
fn tags_of(message: &[u8]) -> Vec<Box<str>> {
    let begins = TAG_BEGINS.as_bytes();
    let mut tags = Vec::new();
    let mut rest = message;
    while let Some(at) = rest.windows(begins.len()).position(|bytes| bytes == begins) {
        rest = &rest[at + begins.len()..];
        let end = rest.iter().position(|byte| matches!(byte, b')' | b'\n'));
        if let Some(end) = end.filter(|end| rest[*end] == b')') {
            tags.push(String::from_utf8_lossy(&rest[..end]).into());
        }
    }
    tags.sort_unstable();
    tags.dedup();
    tags
}

/// Returns the first paragraph of a message on one line, as git shows it.
fn subject_of(message: &str) -> String {
    let lines = message
        .lines()
        .map(str::trim_end)
        .skip_while(|line| line.is_empty());
    lines
        .take_while(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

fn key_of(id: git2::Oid) -> CommitKey {
    let mut key = CommitKey::default();
    key.copy_from_slice(&id.as_bytes()[..20]);
    key
}

/// Returns the key of an id in hexadecimal digits.
fn key(id: &str) -> CommitKey {
    let mut key = CommitKey::default();
    for (byte, digits) in key.iter_mut().zip(id.as_bytes().chunks(2)) {
        let digit = |at: usize| {
            digits
                .get(at)
                .and_then(|digit| char::from(*digit).to_digit(16))
                .unwrap_or(0)
        };
        *byte = u8::try_from(digit(0) * 16 + digit(1)).unwrap_or(0);
    }
    key
}
