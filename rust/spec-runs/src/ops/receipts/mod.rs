//! Receipts of completions: left, shown, held against the repository, and brought to other clones.

mod drift;
mod exchange;
mod signatures;
mod target;
mod verify;

pub use drift::{DriftQuery, receipt_drift};
pub(super) use exchange::chosen_remote;
pub use exchange::{receipt_fetch, receipt_push};
pub use signatures::receipt_sign;
pub(super) use target::config_at;
pub use verify::{ReceiptQuery, receipt_verify};

use crate::receipt::{self, CompletionReceipt, MAX_BYTES, RECEIPTS, ReceiptError};
use crate::receipt_store;
use crate::view::receipt::{ReceiptEntry, ReceiptList};
use chant_base::answer::Answer;
use chant_base::counted_list::CountedList;
use chant_base::error::Error;
use chant_git::Repo;
use chant_git::kept_texts::{KeptText, TextRead};
use chant_specs::error::ChantError;
use chant_specs::project::Project;

/// Receipts of one spec that are looked at: the newest.
const MAX_OF_SPEC: usize = 50;
/// Receipts that one answer shows.
const MAX_SHOWN: usize = 500;

/// A ref with what is kept there, as far as that is a receipt.
struct ReadReceipt {
    name: String,
    read: Result<CompletionReceipt, ReceiptError>,
}

/// The receipts of a spec, or of all, oldest first; of an archived or a vanished spec by its whole ID.
///
/// # Errors
/// As [`Project::resolve`], that there is no repository, or a failure of git.
pub fn receipt_show(project: &Project, id: Option<&str>) -> Result<Answer, Error> {
    let repo = repository(project)?;
    let folder = match id {
        None => RECEIPTS.to_owned(),
        Some(id) => receipt::folder_of(&full_id(project, &repo, id)?),
    };
    let mut kept = repo.kept_texts(&folder)?;
    in_order(&mut kept);
    let total = kept.len();
    let shown = kept.split_off(total.saturating_sub(MAX_SHOWN));
    let entry = |kept: &KeptText| {
        let ReadReceipt { name, read } = read(&repo, &folder, kept)?;
        let (receipt, problem) = match read {
            Ok(receipt) => (Some(receipt), None),
            Err(error) => (None, Some(error.to_string())),
        };
        Ok(ReceiptEntry {
            name,
            receipt,
            problem,
        })
    };
    let receipts = shown.iter().map(entry).collect::<Result<Vec<_>, Error>>()?;
    Ok(Answer::whole(&ReceiptList {
        receipts: CountedList::new("receipts", receipts, total),
    }))
}

/// The repository that receipts are kept in.
fn repository(project: &Project) -> Result<std::sync::Arc<Repo>, Error> {
    project.repo()?.ok_or_else(|| {
        let message = format!(
            "{} is not in a git repository, and receipts are kept in one. Run `git init` and make a first commit; what is completed from then on leaves a receipt.",
            project.root().display()
        );
        ChantError::Refused(message).into()
    })
}

/// The ID that was meant: that of an active spec, else a whole one that has receipts.
fn full_id(project: &Project, repo: &Repo, text: &str) -> Result<String, Error> {
    let snapshot = project.snapshot()?;
    match project.resolve(&snapshot, text) {
        Ok(spec) => Ok(spec.id.to_string()),
        Err(error) => {
            let is_known =
                project.is_archived(text) || !receipt_store::of_spec(repo, text)?.is_empty();
            if is_known {
                Ok(text.to_owned())
            } else {
                Err(error)
            }
        }
    }
}

/// Sorts receipts by their specs and then as they were made: runs by their numbers, then what was completed by
/// hand by its moment.
fn in_order(kept: &mut [KeptText]) {
    kept.sort_by(|a, b| {
        let key = |kept: &KeptText| {
            let (spec, token) = kept.name.rsplit_once('/').unwrap_or(("", &kept.name));
            let digits = token.bytes().take_while(u8::is_ascii_digit).count();
            (spec.to_owned(), digits == 0, digits, token.to_owned())
        };
        key(a).cmp(&key(b))
    });
}

/// Reads what is kept under a ref below a folder.
fn read(repo: &Repo, folder: &str, kept: &KeptText) -> Result<ReadReceipt, Error> {
    let name = format!("{folder}{}", kept.name);
    let short = name.strip_prefix(RECEIPTS).unwrap_or_default();
    let read = if receipt::is_name(short) {
        match repo.kept_text(&kept.object, MAX_BYTES)? {
            TextRead::Text(bytes) => receipt::parse(&bytes),
            TextRead::Unfit(why) => Err(ReceiptError::Unreadable(why)),
        }
    } else {
        let why = "its ref has a name that no receipt has".to_owned();
        Err(ReceiptError::Unreadable(why))
    };
    Ok(ReadReceipt { name, read })
}
