//! Events brought to a remote, and taken from it. Each clone writes its own refs, so a push only ever adds; what a remote
//! has rewritten or removed stays here.

use std::time::Duration;

use chant_git::Repo;
use chant_git::growing_refs::RefStep;
use chant_git::remote_refs::{PushHooks, PushOutcome, RefCopy, RefUpdate};
use chant_store::state::escape_name;

use crate::error::ReviewError;
use crate::event_refs::{FETCHED, WRITTEN};

/// The folder of what is being taken from a remote, before it is compared with what is here.
const TAKEN: &str = "refs/chant/review-taken/";
/// The time that a remote has for each step.
const LIMIT: Duration = Duration::from_secs(120);

/// The outcome of an exchange.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReviewExchange {
    /// Refs of other clones that are new here or have more events.
    pub taken: usize,
    /// Refs of this clone that the remote got.
    pub pushed: usize,
    /// Refs that the remote has rewritten; their events stay here.
    pub rewritten: Vec<String>,
    /// The remote's reason for not taking this clone's.
    pub refused: Option<String>,
}

/// Takes the events of other clones from a remote, and brings those of this one there.
///
/// # Errors
/// The complaint of git about the remote, or a failure to read or write the repository.
pub fn exchange(
    repo: &Repo,
    remote: &str,
    writer: Option<&str>,
) -> Result<ReviewExchange, ReviewError> {
    let place = escape_name(remote);
    let (taken, kept) = (format!("{TAKEN}{place}/"), format!("{FETCHED}{place}/"));
    let copies = [RefCopy {
        from: format!("{WRITTEN}*"),
        to: format!("{taken}*"),
    }];
    repo.copy_remote_refs(remote, &copies, LIMIT)?;
    let there = repo.refs_below(&taken)?;
    let mut done = ReviewExchange::default();
    for (name, commit) in &there {
        let is_own = name.rsplit('/').next() == writer;
        if is_own {
            continue;
        }
        match repo.keep_growing(&format!("{kept}{name}"), commit, "Review")? {
            RefStep::Same => {}
            RefStep::Grown => done.taken += 1,
            RefStep::Rewritten => {
                done.taken += 1;
                done.rewritten.push(name.clone());
            }
        }
    }
    if let Some(writer) = writer {
        push_own(repo, remote, writer, &there, &mut done)?;
    }
    Ok(done)
}

fn push_own(
    repo: &Repo,
    remote: &str,
    writer: &str,
    there: &[(String, String)],
    done: &mut ReviewExchange,
) -> Result<(), ReviewError> {
    let mut updates = Vec::new();
    for (name, commit) in repo.refs_below(WRITTEN)? {
        if name.rsplit('/').next() != Some(writer) {
            continue;
        }
        let known = there.iter().find(|(there, _)| *there == name);
        if known.is_none_or(|(_, there)| *there != commit) {
            updates.push(RefUpdate {
                name: format!("{WRITTEN}{name}"),
                old: known.map(|(_, there)| there.clone()),
                new: Some(commit),
            });
        }
    }
    if updates.is_empty() {
        return Ok(());
    }
    match repo.push_updates(remote, &updates, PushHooks::Skip, LIMIT)? {
        PushOutcome::Applied => done.pushed = updates.len(),
        refused => done.refused = Some(refused.complaint()),
    }
    Ok(())
}
