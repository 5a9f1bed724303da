//! Brings the commits of a run back to the project: a git in the run's confinement packs them, and
//! the project's git reads the bytes, checks every object and its links, and moves one branch.

use std::io::{self, Read, Write};

use super::{LONGEST_LOOK, LONGEST_WALK, RunRepository};
use crate::{GitError, flushing, program};

/// The number of objects from which on a pack is kept as a pack, as in `git fetch`.
const UNPACK_LIMIT: u32 = 100;
/// The bytes at the start of a pack that give its number of objects.
const HEADER: usize = 12;
/// The greatest number of bytes that come back.
const LARGEST: u64 = 8 * 1024 * 1024 * 1024;
/// The limit on refs in an error when the work is not on the run's branch.
const SHOWN: &str = "--count=20";
/// The number of attempts to bring commits back: the project may be repacked at the same time.
const MAX_TRIES: u32 = 3;

/// A ref of a run's folder, other than its branch, with commits on top of the start of the work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StrayCommits {
    /// A branch's name, or another ref's full one; `None` is a detached HEAD.
    pub name: Option<String>,
    /// Its newest commit.
    pub commit: String,
}

impl RunRepository<'_> {
    /// Brings the commits of the run's branch to the branch of the same name in the project;
    /// returns true if it moved.
    ///
    /// # Errors
    /// `InUse` when a checkout of the user's stands on the branch, `NoBranch` when the folder no
    /// longer has it, `Gone` when it has no repository, `TooLarge` for a file of the commits, or a
    /// fault that git found; the project's branch is then as it was.
    pub fn fetch(&self) -> Result<bool, GitError> {
        let name = self.full_name()?;
        if self.is_unfinished() {
            return Ok(false);
        }
        self.refuse_special_files(&name)?;
        let known = self.known_tip()?;
        let tip = self.tip(&name)?;
        if tip == known {
            return Ok(false);
        }
        if let Some(path) = self.repo.holder_of(&self.branch)? {
            let branch = self.branch.clone();
            return Err(GitError::InUse { branch, path });
        }
        self.bring_commit(&tip)?;
        self.bring_large_files(&known, &tip)?;
        self.bring_submodules(&tip)?;
        flushing::flush_new_objects(self.repo.common_dir())?;
        let why = "commits of its run";
        self.repo.move_ref(&name, &tip, Some(&known), why)?;
        Ok(true)
    }

    /// Brings a commit of the folder, with what leads to it, into the project.
    ///
    /// # Errors
    /// As [`RunRepository::fetch`].
    pub(super) fn bring_commit(&self, tip: &str) -> Result<(), GitError> {
        let known = self.known_tip()?;
        let base = self
            .repo
            .tip_of_ref(&format!("{}{}", super::BASES, self.branch))?;
        let known_commits: Vec<&str> = [Some(&known), base.as_ref()]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect();
        self.bring_with_retries(tip, &known_commits)
    }

    /// Refuses files on git's way to the branch that would block git for ever or lead elsewhere.
    pub(super) fn refuse_special_files(&self, name: &str) -> Result<(), GitError> {
        let git = self.top.join(".git");
        let special = ["HEAD", "config", "packed-refs", name]
            .into_iter()
            .find(|path| {
                let found = git.join(path).symlink_metadata();
                found.is_ok_and(|found| !found.is_file())
            });
        match special {
            Some(path) => Err(wrong(
                "rev-parse",
                &format!("`.git/{path}` is no regular file"),
            )),
            None => Ok(()),
        }
    }

    /// Returns the commit that a ref of the folder leads to.
    pub(super) fn tip(&self, name: &str) -> Result<String, GitError> {
        let asked = format!("{name}^{{commit}}");
        let words = [
            "rev-parse", "--verify", "--quiet", "--end-of-options", &asked,
        ];
        let answer = self.git(words, LONGEST_LOOK).answer()?;
        if answer.ended_with(1) {
            return Err(GitError::NoBranch {
                branch: self.branch.clone(),
            });
        }
        let tip = program::first_line(&answer.success()?);
        if tip.len() < 40 || tip.bytes().any(|byte| !byte.is_ascii_hexdigit()) {
            return Err(wrong("rev-parse", "its answer is not a commit"));
        }
        Ok(tip)
    }

    /// Brings the commits and retries: a repack of the project makes objects disappear for a
    /// moment.
    pub(super) fn bring_with_retries(&self, tip: &str, known: &[&str]) -> Result<(), GitError> {
        let bring = || {
            self.bring(tip, known)?;
            self.refuse_gaps(tip, known)
        };
        // Who limits the time waits for an answer.
        let most = if self.longest.is_some() { 1 } else { MAX_TRIES };
        let mut tries = 1;
        loop {
            match bring() {
                Err(GitError::Program { .. }) if tries < most => {
                    // Another failure to look is no reason to give up.
                    if let Err(large @ GitError::TooLarge { .. }) =
                        self.refuse_large_files(tip, known)
                    {
                        return Err(large);
                    }
                    tries += 1;
                }
                done => return done,
            }
        }
    }

    /// Reads the objects between commits that the project has and `tip`.
    fn bring(&self, tip: &str, known: &[&str]) -> Result<(), GitError> {
        let filter = self.size_filter();
        let words = [
            "pack-objects", &filter, "--revs", "--stdout", "--thin", "--delta-base-offset", "-q",
        ];
        let mut asked = format!("{tip}\n");
        for commit in known {
            asked.push_str(&format!("^{commit}\n"));
        }
        let packing = self.git(words, LONGEST_WALK).piped(asked.as_bytes())?;
        packing.read_with(|pack| self.receive(pack))
    }

    fn receive(&self, pack: &mut dyn Read) -> Result<(), GitError> {
        let failed = |error: io::Error| wrong("pack-objects", &error.to_string());
        let mut header = [0; HEADER];
        // A git that failed gives the reason when it has ended.
        if pack.read_exact(&mut header).is_err() {
            return Ok(());
        }
        let count = u32::from_be_bytes([header[8], header[9], header[10], header[11]]);
        if &header[..4] != b"PACK" {
            return Err(wrong("pack-objects", "its output is not a pack"));
        }
        if count == 0 {
            return io::copy(pack, &mut io::sink()).map(drop).map_err(failed);
        }
        let largest = format!("--max-input-size={LARGEST}");
        // A partial clone lacks objects of its history; the objects that arrive are checked all the
        // same.
        let is_partial = self.repo.is_partial()?;
        let mut words = match (is_partial, count < UNPACK_LIMIT) {
            (true, _) => vec!["index-pack", "--stdin", "--fix-thin", "--fsck-objects"],
            (false, true) => vec!["unpack-objects", "-q", "--strict"],
            (false, false) => vec!["index-pack", "--stdin", "--fix-thin", "--strict"],
        };
        words.push(&largest);
        let (key, how) = flushing::batch_setting(self.repo.common_dir());
        let call = program::acting(self.repo.common_dir(), words).limited(LONGEST_WALK);
        let call = call.setting(key, how);
        call.feed(|pipe| {
            pipe.write_all(&header)?;
            io::copy(pack, pipe).map(drop)
        })
    }

    /// Refuses commits that lead to objects which the project does not have.
    fn refuse_gaps(&self, tip: &str, known: &[&str]) -> Result<(), GitError> {
        let mut words = vec!["rev-list", "--objects", "--quiet"];
        if self.repo.is_partial()? {
            words.push("--exclude-promisor-objects");
        }
        words.push(tip);
        words.push("--not");
        words.extend(known);
        self.repo.reading(words).output().map(drop)
    }

    /// Returns the refs, besides the run's branch, with commits on top of the start of the work.
    pub fn elsewhere(&self, base: &str) -> Vec<StrayCommits> {
        let contains = format!("--contains={base}");
        let words = [
            "for-each-ref",
            SHOWN,
            &contains,
            "--format=%(objectname) %(refname)",
            "refs/heads",
            "refs/stash",
        ];
        let listed = self.git(words, LONGEST_LOOK).output().unwrap_or_default();
        let listed = String::from_utf8_lossy(&listed).into_owned();
        let own = self.full_name().unwrap_or_default();
        let is_projects = |commit: &str, name: &str| {
            let known = self.repo.tip_of_ref(name).ok().flatten();
            known.as_deref() == Some(commit)
        };
        let mut found: Vec<StrayCommits> = listed
            .lines()
            .filter_map(|line| line.split_once(' '))
            .filter(|(commit, name)| *name != own && *commit != base && !is_projects(commit, name))
            .map(|(commit, name)| StrayCommits {
                name: Some(name.strip_prefix("refs/heads/").unwrap_or(name).to_owned()),
                commit: commit.to_owned(),
            })
            .collect();
        if let Some(commit) = self.detached_head(base)
            && found.iter().all(|one| one.commit != commit)
        {
            found.push(StrayCommits { name: None, commit });
        }
        found
    }

    /// Returns the commit of a detached HEAD if it is on top of `base`.
    fn detached_head(&self, base: &str) -> Option<String> {
        let named = self.git(["symbolic-ref", "--quiet", "HEAD"], LONGEST_LOOK);
        if !named.answer().ok()?.ended_with(1) {
            return None;
        }
        let commit = self.tip("HEAD").ok().filter(|commit| commit != base)?;
        let words = ["merge-base", "--is-ancestor", base, &commit];
        let is_on_top = self.git(words, LONGEST_LOOK).answer().ok()?.ended_with(0);
        is_on_top.then_some(commit)
    }
}

fn wrong(what: &str, why: &str) -> GitError {
    GitError::Program {
        command: format!("git {what}"),
        why: why.to_owned(),
    }
}
