//! Replaces the files and the index of one checkout in a landing.

use chant_base::diagnostics::LogFailure;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::changes::{FileVersion, GitPath, PathChanges};
use super::checkout_check::{CheckoutEntries, CheckoutEntry, CheckoutState, FileStep, PathStep};
use super::disk::{self, PathContent, PlacedFile};
use crate::backend::git_dir_of;
use crate::index::failed;
use crate::program::{self, GitCall, first_line};
use crate::{GitError, Repo, flushing, path_from_bytes};

/// The folder of a landing's files below the git folder of the checkout.
const FOLDER_NAME: &str = "chant-mcp-landing";

/// The number of paths in one call of git: it answers while it reads, and its answers must not fill
/// the pipe.
const AT_ONCE: usize = 500;

/// The entries of a git folder that exist while an operation on its checkout is unfinished.
const UNDER_WAY: [(&str, &str); 7] = [
    ("rebase-merge", "rebase"),
    ("rebase-apply", "rebase"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("BISECT_LOG", "bisection"),
    ("sequencer", "cherry-pick or revert"),
];

/// A checkout and its git folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LandingCheckout {
    pub(super) top: PathBuf,
    /// The folder that holds its index and HEAD; absolute.
    pub(super) git_dir: PathBuf,
    /// The folder of hooks that calls are held to.
    hooks: Option<PathBuf>,
}

impl LandingCheckout {
    /// Finds the git folder of a checkout.
    pub(super) fn at(top: PathBuf, repo: &Repo) -> Result<Self, GitError> {
        Ok(Self {
            git_dir: git_dir_of(&top)?,
            hooks: repo.hooks_in_use(),
            top,
        })
    }

    pub(super) fn git(&self, words: &[&str]) -> GitCall {
        self.git_in(&self.top, words)
    }

    /// Prepares a call of git in another folder, with the hooks of this checkout.
    fn git_in(&self, folder: &Path, words: &[&str]) -> GitCall {
        program::acting_with_hooks(folder, self.hooks.as_deref(), words.iter().copied())
    }

    /// Returns the unfinished operation in this checkout, if any.
    pub(super) fn under_way(&self) -> Result<Option<&'static str>, GitError> {
        let is_file = |name: &str| self.git_dir.join(name).symlink_metadata().is_ok();
        // With reftable, git's own pseudo-refs lie in tables, too.
        let has_tables = is_file("reftable");
        for (name, what) in UNDER_WAY {
            let is_ref = has_tables && name.ends_with("_HEAD") && {
                let asked = self.git(&["rev-parse", "--verify", "--quiet", name]);
                !asked.answer()?.ended_with(1)
            };
            if is_ref || is_file(name) {
                return Ok(Some(what));
            }
        }
        Ok(None)
    }

    /// Reads the state of every path that changes.
    pub(super) fn know(&self, changes: &PathChanges) -> Result<CheckoutState, GitError> {
        let paths = changes.0.keys();
        let seen: BTreeMap<GitPath, disk::PathState> = paths
            .map(|path| (path.clone(), disk::inspect_path(&self.top, path)))
            .collect();
        let mut ids: BTreeMap<GitPath, Vec<String>> = BTreeMap::new();
        let is_file = |seen: &disk::PathState| matches!(seen.lies, PathContent::File { .. });
        let files = seen.iter().filter(|(_, seen)| is_file(seen));
        let files: Vec<&GitPath> = files.map(|(path, _)| path).collect();
        for some in files.chunks(AT_ONCE) {
            // Both as `git add` would store it and as it is: a file may be stored with the line
            // ends or the pointer that lie there.
            for words in [
                &["hash-object", "--stdin-paths"][..],
                &["hash-object", "--no-filters", "--stdin-paths"],
            ] {
                let names: Vec<u8> = some.iter().flat_map(|path| quoted(path)).collect();
                let out = self.git(words).answer_to(&names)?.success()?;
                let lines = String::from_utf8_lossy(&out).into_owned();
                for (path, id) in some.iter().zip(lines.lines()) {
                    ids.entry((*path).clone()).or_default().push(id.to_owned());
                }
            }
        }
        for (path, seen) in &seen {
            if let PathContent::Link(says) = &seen.lies {
                let hashed = self.git(&["hash-object", "--stdin"]).answer_to(says)?;
                ids.insert(path.clone(), vec![first_line(&hashed.success()?)]);
            }
        }
        Ok(CheckoutState {
            entries: self.entries()?,
            seen,
            ids,
            has_modes: self.has_modes()?,
        })
    }

    fn has_modes(&self) -> Result<bool, GitError> {
        let asked = self.git(&["config", "--type=bool", "--get", "core.fileMode"]);
        let answer = asked.answer()?;
        Ok(answer.ended_with(1) || first_line(&answer.success()?) == "true")
    }

    fn entries(&self) -> Result<CheckoutEntries, GitError> {
        let mut entries = CheckoutEntries::new();
        let listed = self.git(&["ls-files", "-z", "-v", "--stage"]);
        listed.each_field(|field| {
            let Some(at) = field.iter().position(|byte| *byte == b'\t') else {
                return;
            };
            let (head, path) = (String::from_utf8_lossy(&field[..at]), &field[at + 1..]);
            if let [tag, mode, id, stage] = head.split(' ').collect::<Vec<_>>()[..] {
                let entry = CheckoutEntry {
                    version: FileVersion {
                        mode: mode.to_owned(),
                        id: id.to_owned(),
                    },
                    is_in_conflict: stage != "0",
                    is_skipped: tag.eq_ignore_ascii_case("S"),
                    is_assumed: tag.bytes().all(|letter| letter.is_ascii_lowercase()),
                };
                entries.insert(path.to_owned(), entry);
            }
        })?;
        Ok(entries)
    }
}

/// The change of one checkout's files and index to the new version.
pub(super) struct CheckoutReplacement<'a> {
    pub(super) checkout: &'a LandingCheckout,
    steps: Vec<PathStep>,
    /// The number of digits of an id in this repository.
    id_length: usize,
    /// The folder that holds new files before and old files after they are exchanged.
    folder: PathBuf,
    done: Vec<PlacedFile>,
    is_index_replaced: bool,
}

impl<'a> CheckoutReplacement<'a> {
    /// Writes the new index and the new files beside the old ones.
    pub(super) fn prepare(
        checkout: &'a LandingCheckout,
        steps: Vec<PathStep>,
        id_length: usize,
    ) -> Result<Self, GitError> {
        let folder = checkout.git_dir.join(FOLDER_NAME);
        let replacement = Self {
            checkout,
            steps,
            id_length,
            folder,
            done: Vec::new(),
            is_index_replaced: false,
        };
        let prepared = replacement.lay_out();
        if prepared.is_err() {
            // If this fails as well, the next landing clears the folder.
            disk::remove_own_folder(&replacement.folder)
                .log_failure("remove the folder of the landing");
        }
        prepared.map(|()| replacement)
    }

    /// Puts the new files in place of the old ones. Returns a path where something else lies by
    /// now, if any.
    pub(super) fn replace_files(
        &mut self,
        reached: &dyn Fn() -> Result<(), GitError>,
    ) -> Result<Option<GitPath>, GitError> {
        let steps = self.steps.clone();
        let makes_room =
            |step: &&PathStep| matches!(step.file, FileStep::Remove | FileStep::EmptyFolder);
        let first = steps.iter().filter(makes_room);
        let second = steps.iter().filter(|step| !makes_room(step));
        for (number, step) in first.chain(second).enumerate() {
            if step.file == FileStep::Leave {
                continue;
            }
            let place = self.checkout.top.join(path_from_bytes(&step.path));
            let is_replaced = self
                .replace_file(step, &place, number)
                .map_err(|error| failed("replace", &place, &error))?;
            if !is_replaced {
                return Ok(Some(step.path.clone()));
            }
            reached()?;
        }
        Ok(None)
    }

    /// Makes what was done in the checkout last; the new files were flushed before they took their places.
    pub(super) fn flush_files(&self) -> Result<(), GitError> {
        let mut folders = BTreeSet::new();
        for done in &self.done {
            let place = match done {
                PlacedFile::Replaced { place, .. }
                | PlacedFile::Appeared { place, .. }
                | PlacedFile::Removed { place, .. }
                | PlacedFile::Made(place)
                | PlacedFile::Unmade(place) => place,
            };
            // Empty folders above a removed file are gone.
            let mut above = place.ancestors().skip(1);
            let above = above.find(|folder| folder.is_dir());
            folders.extend(above.map(Path::to_owned));
        }
        flushing::flush_folders(&folders)
    }

    /// Writes the stamps of the new files into the new index, so that git need not read them again.
    pub(super) fn refresh_index(&self) -> Result<(), GitError> {
        let mut paths = Vec::new();
        for step in self.steps.iter().filter(|step| step.entry.is_some()) {
            if step.entry.as_ref().is_some_and(|entry| entry.new.is_some()) {
                paths.extend([&step.path, &b"\0"[..]].concat());
            }
        }
        let words = [
            "--literal-pathspecs", "add", "--refresh", "--pathspec-from-file=-",
            "--pathspec-file-nul",
        ];
        if !paths.is_empty() {
            // If git does not know these options, or a path is sparse, git reads the files again
            // later.
            self.git(&words).answer_to(&paths)?;
        }
        Ok(())
    }

    /// Renames the new index to its place.
    pub(super) fn replace_index(&mut self) -> Result<(), GitError> {
        if self.changes_index() {
            let index = self.checkout.git_dir.join("index");
            disk::put_index(&self.index(), &index)
                .map_err(|error| failed("write the index", &index, &error))?;
            self.is_index_replaced = true;
            flushing::flush_folders(&BTreeSet::from([self.checkout.git_dir.clone()]))?;
        }
        Ok(())
    }

    /// Removes the files that the replacement no longer needs.
    pub(super) fn remove_leftovers(&mut self) {
        for done in &self.done {
            if let PlacedFile::Replaced { held, .. } | PlacedFile::Removed { held, .. } = done {
                disk::remove_own(held);
            }
        }
        // If this fails, the next landing clears the folder.
        disk::remove_own_folder(&self.folder).log_failure("remove the folder of the landing");
    }

    /// Restores the files and the index of the checkout.
    pub(super) fn take_back(&mut self) -> Result<(), GitError> {
        if self.is_index_replaced {
            let index = self.checkout.git_dir.join("index");
            disk::put_index(&self.index_before(), &index)
                .map_err(|error| failed("put back the index", &index, &error))?;
            self.is_index_replaced = false;
        }
        while let Some(done) = self.done.pop() {
            disk::take_back(&done)
                .map_err(|error| failed("put back files in", &self.checkout.top, &error))?;
            if let PlacedFile::Appeared { held, .. } | PlacedFile::Replaced { held, .. } = done {
                disk::remove_own(&held);
            }
        }
        disk::remove_own_folder(&self.folder).log_failure("remove the folder of the landing");
        Ok(())
    }

    fn lay_out(&self) -> Result<(), GitError> {
        let staged = self.folder.join("new");
        let lay_out = || {
            disk::make_own_folder(&self.folder)?;
            disk::make_own_folder(&staged)?;
            let index = self.checkout.git_dir.join("index");
            disk::copy_index(&index, &self.index(), &self.index_before())
        };
        lay_out().map_err(|error| failed("prepare the new files in", &self.folder, &error))?;
        self.write_index()?;
        self.stage_files(&staged)?;
        let mut written = Vec::new();
        for step in &self.steps {
            let place = staged.join(path_from_bytes(&step.path));
            if let FileStep::PutBytes(bytes) = &step.file {
                disk::write_staged(&place, bytes)
                    .map_err(|error| failed("write", &place, &error))?;
            }
            if matches!(step.file, FileStep::Put | FileStep::PutBytes(_)) {
                written.push(place);
            }
        }
        flushing::flush_files(&written)
    }

    /// Writes the changed entries into the copy of the index.
    fn write_index(&self) -> Result<(), GitError> {
        if !self.changes_index() {
            return Ok(());
        }
        // An id of zeros, as long as the others, removes an entry.
        let nothing = format!("0 {}\t", "0".repeat(self.id_length));
        let (mut removals, mut entries) = (Vec::new(), Vec::new());
        let (mut skipped, mut assumed) = (Vec::new(), Vec::new());
        for step in &self.steps {
            let Some(entry) = &step.entry else { continue };
            let path = [&step.path, &b"\0"[..]].concat();
            match &entry.new {
                None => removals.extend([nothing.as_bytes(), &path].concat()),
                Some(FileVersion { mode, id }) => {
                    entries.extend(format!("{mode} {id} 0\t").into_bytes());
                    entries.extend(&path);
                    if entry.is_skipped {
                        skipped.extend(&path);
                    }
                    if entry.is_assumed {
                        assumed.extend(&path);
                    }
                }
            }
        }
        let orders = [removals, entries].concat();
        for (words, input) in [
            ("--index-info", orders),
            ("--skip-worktree", skipped),
            ("--assume-unchanged", assumed),
        ] {
            if input.is_empty() {
                continue;
            }
            let words = match words {
                "--index-info" => vec!["update-index", "-z", words],
                _ => vec!["update-index", words, "-z", "--stdin"],
            };
            self.git(&words).answer_to(&input)?.success()?;
        }
        Ok(())
    }

    /// Has git write the new files into a folder of their own as it would check them out: with
    /// filters, line ends and rights by the attributes of the new version.
    fn stage_files(&self, staged: &Path) -> Result<(), GitError> {
        let mut paths = Vec::new();
        for step in &self.steps {
            let is_put = matches!(step.file, FileStep::Put | FileStep::PutBytes(_));
            if is_put && step.is_in_commit {
                paths.extend([&step.path, &b"\0"[..]].concat());
            }
        }
        if paths.is_empty() {
            return Ok(());
        }
        let words = ["checkout-index", "-z", "--stdin"];
        let call = self
            .checkout
            .git_in(staged, &words)
            .env("GIT_DIR", &self.checkout.git_dir)
            .env("GIT_WORK_TREE", staged)
            .env("GIT_INDEX_FILE", self.index());
        call.answer_to(&paths)?.success().map(drop)
    }

    fn replace_file(
        &mut self,
        step: &PathStep,
        place: &Path,
        number: usize,
    ) -> std::io::Result<bool> {
        let held = self.folder.join(format!("old-{number}"));
        if step.file == FileStep::EmptyFolder {
            // A submodule that is in use stays where it is, as git leaves it.
            if disk::remove_empty(place).is_ok() {
                self.done.push(PlacedFile::Unmade(place.to_owned()));
            }
            return Ok(true);
        }
        if matches!(step.file, FileStep::Remove | FileStep::Folder)
            && let Some(found) = &step.found
        {
            let held = disk::staging_path(&held, place)?;
            let Some(done) = disk::remove(place, &held, found)? else {
                return Ok(false);
            };
            self.done.push(done);
            if step.file == FileStep::Remove {
                disk::remove_folders_above(place, &self.checkout.top);
                return Ok(true);
            }
        }
        for folder in disk::make_folders_above(place)? {
            self.done.push(PlacedFile::Made(folder));
        }
        if step.file == FileStep::Folder {
            if disk::make_folder(place)? {
                self.done.push(PlacedFile::Made(place.to_owned()));
            }
            return Ok(true);
        }
        let is_folder = place.symlink_metadata().is_ok_and(|found| found.is_dir());
        if is_folder && disk::remove_empty(place).is_err() {
            return Ok(false);
        }
        let staged = self.folder.join("new").join(path_from_bytes(&step.path));
        let staged = disk::staging_path(&staged, place)?;
        let done = disk::place_file(&staged, place, step.found.as_ref())?;
        let is_done = done.is_some();
        self.done.extend(done);
        Ok(is_done)
    }

    fn changes_index(&self) -> bool {
        self.steps.iter().any(|step| step.entry.is_some())
    }

    fn index(&self) -> PathBuf {
        self.folder.join("index")
    }

    fn index_before(&self) -> PathBuf {
        self.folder.join("index-before")
    }

    /// Prepares a call of git that uses the new index, which is flushed when it takes its place.
    fn git(&self, words: &[&str]) -> GitCall {
        let (key, what) = flushing::FLUSH_NOTHING;
        let call = self.checkout.git(words).setting(key, what);
        call.env("GIT_INDEX_FILE", self.index())
    }
}

/// Returns a path as a line that `hash-object` reads.
fn quoted(path: &[u8]) -> Vec<u8> {
    let mut line = vec![b'"'];
    for byte in path {
        match byte {
            b'"' | b'\\' => line.extend([b'\\', *byte]),
            b'\n' => line.extend(b"\\n"),
            _ => line.push(*byte),
        }
    }
    line.extend(b"\"\n");
    line
}
