//! How the commits of a run come back to the project: a git that is held like the run packs them, and the
//! project's git takes the bytes, checks every object and what it leads to, and moves one branch.

use std::io::{self, Read, Write};

use super::super::{GitError, program};
use super::{LONGEST_LOOK, LONGEST_WALK, RunFolder};

/// Objects of a pack from which on it is kept as a pack, as `git fetch` has it.
const UNPACK_LIMIT: u32 = 100;
/// Bytes at the beginning of a pack that say how many objects it holds.
const HEADER: usize = 12;
/// Bytes that come back at most.
const LARGEST: u64 = 8 * 1024 * 1024 * 1024;
/// Refs that are named when the work is not where it belongs.
const SHOWN: &str = "--count=20";
/// Tries to bring commits back: a repack of the project may be under way.
const TRIES: u32 = 3;

/// A place in the folder of a run, other than its branch, that has commits on top of where the work began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Elsewhere {
    /// A branch's name, or another ref's full one; `None` is a detached HEAD.
    pub name: Option<String>,
    /// Its newest commit.
    pub commit: String,
}

impl RunFolder<'_> {
    /// Brings the commits of the run's branch to the branch of the same name in the project; true when it
    /// moved.
    ///
    /// # Errors
    /// `InUse` when a checkout of the user's stands on the branch, `NoBranch` when the folder has none any
    /// more, `Gone` when it has no repository, or what git found wrong; the project's branch is then as it was.
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
        let base = self
            .repo
            .tip_of_ref(&format!("{}{}", super::BASES, self.branch))?;
        let known_commits: Vec<&str> = [Some(&known), base.as_ref()]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect();
        self.bring_with_retries(&tip, &known_commits)?;
        self.bring_large_files(&known, &tip);
        let why = "commits of its run";
        self.repo.move_ref(&name, &tip, Some(&known), why)?;
        Ok(true)
    }

    /// Refuses what git would wait for without an end, or read elsewhere, where it looks for the branch.
    fn refuse_special_files(&self, name: &str) -> Result<(), GitError> {
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

    /// The commit that a ref of the folder leads to.
    fn tip(&self, name: &str) -> Result<String, GitError> {
        let asked = format!("{name}^{{commit}}");
        let words = [
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &asked,
        ];
        let answer = self.git(words, LONGEST_LOOK).answer()?;
        if answer.ended_with(1) {
            return Err(GitError::NoBranch {
                branch: self.branch.clone(),
            });
        }
        let tip = program::first_line(&answer.success()?);
        if tip.len() < 40 || tip.bytes().any(|byte| !byte.is_ascii_hexdigit()) {
            return Err(wrong("rev-parse", "its answer is no commit"));
        }
        Ok(tip)
    }

    /// A repack of the project that is under way makes objects disappear for a moment.
    fn bring_with_retries(&self, tip: &str, known: &[&str]) -> Result<(), GitError> {
        let bring = || {
            self.bring(tip, known)?;
            self.refuse_gaps(tip, known)
        };
        let mut tries = 1;
        loop {
            match bring() {
                Err(GitError::Program { .. }) if tries < TRIES => tries += 1,
                done => return done,
            }
        }
    }

    /// Takes the objects that lead from commits the project has to `tip`.
    fn bring(&self, tip: &str, known: &[&str]) -> Result<(), GitError> {
        let words = [
            "pack-objects",
            "--revs",
            "--stdout",
            "--thin",
            "--delta-base-offset",
            "-q",
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
        // A git that failed says why when it has ended.
        if pack.read_exact(&mut header).is_err() {
            return Ok(());
        }
        let count = u32::from_be_bytes([header[8], header[9], header[10], header[11]]);
        if &header[..4] != b"PACK" {
            return Err(wrong("pack-objects", "what it wrote is no pack"));
        }
        if count == 0 {
            return io::copy(pack, &mut io::sink()).map(drop).map_err(failed);
        }
        let largest = format!("--max-input-size={LARGEST}");
        // A partial clone lacks objects that its history leads to: what it is given is checked all the same.
        let is_partial = self.repo.is_partial()?;
        let mut words = match (is_partial, count < UNPACK_LIMIT) {
            (true, _) => vec!["index-pack", "--stdin", "--fix-thin", "--fsck-objects"],
            (false, true) => vec!["unpack-objects", "-q", "--strict"],
            (false, false) => vec!["index-pack", "--stdin", "--fix-thin", "--strict"],
        };
        words.push(&largest);
        let call = program::acting(self.repo.common_dir(), words).limited(LONGEST_WALK);
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

    /// Where commits lie that are on top of where the work began, besides the run's branch.
    pub fn elsewhere(&self, base: &str) -> Vec<Elsewhere> {
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
        let mut found: Vec<Elsewhere> = listed
            .lines()
            .filter_map(|line| line.split_once(' '))
            .filter(|(commit, name)| *name != own && *commit != base && !is_projects(commit, name))
            .map(|(commit, name)| Elsewhere {
                name: Some(name.strip_prefix("refs/heads/").unwrap_or(name).to_owned()),
                commit: commit.to_owned(),
            })
            .collect();
        if let Some(commit) = self.detached_head(base)
            && found.iter().all(|one| one.commit != commit)
        {
            found.push(Elsewhere { name: None, commit });
        }
        found
    }

    /// The commit on top of `base` that a HEAD leads to which is no branch.
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
