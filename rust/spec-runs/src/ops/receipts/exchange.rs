//! Receipts brought to a remote, and taken from it.

use super::repository;
use crate::receipt::signature::{MAX_ENVELOPE, SIGNATURES, is_signature_name};
use crate::receipt::{MAX_BYTES, RECEIPTS, is_name};
use crate::view::receipt::{ReceiptExchange, RefusedReceipt};
use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_git::Repo;
use chant_git::exchange::RefExchange;
use chant_specs::error::ChantError;
use chant_specs::project::Project;

/// Brings all receipts to a remote; one that is another there stays as it is there, and is
/// reported.
///
/// # Errors
/// `NotTrusted`, that there is no such remote, or what git complained of.
pub fn receipt_push(project: &Project, remote: Option<&str>) -> Result<Answer, Error> {
    project.refuse_untrusted("receipt push")?;
    let repo = repository(project)?;
    let remote = chosen_remote(&repo, remote)?;
    let mut pushed = RefExchange::default();
    for folder in [RECEIPTS, SIGNATURES] {
        if !repo.kept_texts(folder)?.is_empty() {
            add(&mut pushed, folder, repo.push_refs(&remote, folder)?);
        }
    }
    Ok(reported(remote, pushed))
}

/// Takes the receipts that are missing here from a remote; one that is another here stays as it is here, and is
/// reported.
///
/// # Errors
/// As [`receipt_push`].
pub fn receipt_fetch(project: &Project, remote: Option<&str>) -> Result<Answer, Error> {
    project.refuse_untrusted("receipt fetch")?;
    let repo = repository(project)?;
    let remote = chosen_remote(&repo, remote)?;
    let mut taken = RefExchange::default();
    let receipts = repo.fetch_refs(&remote, RECEIPTS, &is_name, MAX_BYTES)?;
    add(&mut taken, RECEIPTS, receipts);
    let signatures = repo.fetch_refs(&remote, SIGNATURES, &is_signature_name, MAX_ENVELOPE)?;
    add(&mut taken, SIGNATURES, signatures);
    Ok(reported(remote, taken))
}

/// The remote that is meant: by its name alone, since an address may be a program.
pub(in crate::ops) fn chosen_remote(repo: &Repo, named: Option<&str>) -> Result<String, Error> {
    let remotes = repo.remotes()?;
    let usual = || match remotes.as_slice() {
        [only] => Some(only.clone()),
        all => all.iter().find(|name| *name == "origin").cloned(),
    };
    let chosen = match named {
        Some(named) => remotes.iter().find(|name| *name == named).cloned(),
        None => usual(),
    };
    chosen.ok_or_else(|| {
        let known = if remotes.is_empty() {
            "there is none; `git remote add origin ADDRESS` adds one".to_owned()
        } else {
            format!("the remotes are: {}", remotes.join(", "))
        };
        let message = match named {
            Some(named) => format!("`{named}` is not a remote of this repository; {known}"),
            None => format!("Which remote is meant? Name it; {known}"),
        };
        ChantError::Refused(message).into()
    })
}

/// Adds what came of the refs of one folder, by their whole names.
fn add(all: &mut RefExchange, folder: &str, one: RefExchange) {
    let whole = |name: String| format!("{folder}{name}");
    all.new.extend(one.new.into_iter().map(whole));
    all.known += one.known;
    let refused = one.refused.into_iter();
    all.refused
        .extend(refused.map(|(name, why)| (whole(name), why)));
}

fn reported(remote: String, exchange: RefExchange) -> Answer {
    let refused = exchange.refused.into_iter();
    Answer::whole(&ReceiptExchange {
        remote,
        new: exchange.new,
        known: exchange.known,
        refused: refused
            .map(|(name, why)| RefusedReceipt { name, why })
            .collect(),
    })
}
