//! Bare clones of addresses for reading alone: the newest commit, its folders, and the files that are asked for.

use std::path::Path;
use std::time::Duration;

use super::GitError;
use super::data_repository::{CommitLimits, DataRepository};
use super::program;
use super::repository_mirror::{FETCH, REMOTE, RepositoryMirror};

/// The branch of a clone on which the newest commit stands.
const NEWEST: &str = "refs/heads/newest";
/// The time limit for a fetch.
const LONGEST_FETCH: Duration = Duration::from_secs(600);
/// The ways in which an address may be reached. Others start programs that the address names.
const PROTOCOLS: &str = "file:git:http:https:ssh";

/// Returns the files of a commit that a clone lacks, by their objects.
pub type MissingFiles<'a> = &'a dyn Fn(&DataRepository, &str) -> Result<Vec<String>, GitError>;

/// Brings the clone of an address in a folder up to date, and makes it where there is none. Files come only as
/// `missing` asks for them: once, and again for what the first ones name. Nothing is asked of a person.
///
/// # Errors
/// `InvalidName` for an address that is an option, or a failure of git or of the remote.
pub fn fetch_newest(
    folder: &Path,
    address: &str,
    limits: CommitLimits,
    missing: MissingFiles<'_>,
) -> Result<(), GitError> {
    if address.starts_with('-') {
        return Err(GitError::InvalidName {
            what: "address of a repository",
            name: address.to_owned(),
            why: "it must not begin with a dash",
        });
    }
    RepositoryMirror::open(folder, Some(address), false)?;
    let newest = format!("+HEAD:{NEWEST}");
    fetch(folder, &["--depth=1", "--end-of-options", REMOTE, &newest])?;
    let words = ["symbolic-ref", "HEAD", NEWEST];
    program::acting(folder, words).output()?;
    for _ in 0..2 {
        let repository = DataRepository::open(folder, limits)?;
        let tip = repository.tip("refs/chant/receipts/")?;
        let files = missing(&repository, &tip.commit)?;
        if files.is_empty() {
            return Ok(());
        }
        drop(repository);
        fetch_files(folder, &files)?;
    }
    Ok(())
}

fn fetch(folder: &Path, words: &[&str]) -> Result<(), GitError> {
    let words = FETCH.into_iter().chain(words.iter().copied());
    let call = program::acting(folder, words).env("GIT_ALLOW_PROTOCOL", PROTOCOLS);
    call.limited(LONGEST_FETCH).output().map(drop)
}

fn fetch_files(folder: &Path, files: &[String]) -> Result<(), GitError> {
    let words = FETCH.into_iter().chain(["--stdin", REMOTE]);
    let call = program::acting(folder, words)
        .env("GIT_ALLOW_PROTOCOL", PROTOCOLS)
        .setting("fetch.negotiationAlgorithm", "noop")
        .limited(LONGEST_FETCH);
    let ids = files.join("\n") + "\n";
    call.answer_to(ids.as_bytes())?.success().map(drop)
}
