//! Signatures over receipts: made by a person, and held against those whom the target lets sign.

use std::collections::BTreeMap;
use std::path::Path;

use super::verify::{ReceiptQuery, verified};
use super::{read, repository};
use crate::receipt::signature::{MAX_ENVELOPE, NAMESPACE, SIGNATURES, receipt_name, statement_of};
use crate::receipt::{CompletionReceipt, RECEIPTS};
use crate::receipt_signing::{KeptSignature, SignatureState, keep_signature, sign_receipt};
use crate::receipt_store;
use crate::view::receipt::{SignatureEntry, SignedReceipts, UnsignedSpec};
use chant_base::answer::{Answer, cut};
use chant_base::error::Error;
use chant_git::Repo;
use chant_git::kept_texts::{KeptText, TextRead};
use chant_signing::{AllowedSigners, SignedStatement, SigningError, SigningKey};
use chant_specs::error::ChantError;
use chant_specs::project::Project;

/// The list of those who may sign, in the form of `ssh-keygen`.
const ALLOWED: &str = ".chant/allowed_signers";
/// The keys that count no more.
const REVOKED: &str = ".chant/revoked_signers";
/// The words about a signature of nobody whom the target names.
const NOBODY: &str = "signed by nobody who counts: .chant/allowed_signers of the target names no such key for receipts of that time, or it is revoked";
/// The signatures of one receipt that are looked at.
const MAX_LOOKED_AT: usize = 10;
/// The reason why a receipt that others wrote is not signed.
const NOT_JUDGED_HERE: &str =
    "another machine wrote it; with --rerun its checks are run here first";
/// The characters of a path that a refusal names.
const MAX_SHOWN: usize = 300;

/// `receipt sign`: signs the newest receipt that holds, of one spec or of all completed ones.
///
/// # Errors
/// As `receipt_verify`; `NotTrusted`; that `ssh-keygen` does not sign with the key.
pub fn receipt_sign(
    project: &Project,
    query: ReceiptQuery<'_>,
    key: &Path,
) -> Result<Answer, Error> {
    project.refuse_untrusted("receipt sign")?;
    let repo = repository(project)?;
    let key = SigningKey {
        path: key,
        is_attended: true,
    };
    let report = verified(project, query)?;
    let kept: BTreeMap<String, KeptText> = repo
        .kept_texts(RECEIPTS)?
        .into_iter()
        .map(|kept| (format!("{RECEIPTS}{}", kept.name), kept))
        .collect();
    let mut answer = SignedReceipts::default();
    for spec in report.specs {
        let held = spec.receipts.iter().find(|one| one.holds);
        let read = match held.and_then(|one| kept.get(&one.name)) {
            Some(kept) => read(&repo, RECEIPTS, kept)?.read.ok(),
            None => None,
        };
        let is_run_again = held.is_some_and(|one| !one.run_again.is_empty());
        let (receipt, why) = match read {
            Some(receipt) if is_run_again || receipt_store::is_written_here(project, &receipt) => {
                (Some(receipt), String::new())
            }
            Some(_) => (None, NOT_JUDGED_HERE.to_owned()),
            None => (None, format!("its receipt says: {}", spec.verdict)),
        };
        let spec_id = spec.spec_id;
        let Some(receipt) = receipt else {
            answer.refused.push(UnsignedSpec { spec_id, why });
            continue;
        };
        let signed = sign_receipt(&receipt, key)
            .map_err(|error| refusal(&receipt, key.path, &error, answer.signed.len()))?;
        let KeptSignature { name, state } = keep_signature(&repo, &receipt, &signed)?;
        match state {
            SignatureState::New => answer.signed.push(name),
            SignatureState::Known => answer.known += 1,
            SignatureState::Occupied => {
                let why =
                    format!("something else is kept as {name}; `git update-ref -d` removes it");
                answer.refused.push(UnsignedSpec { spec_id, why });
            }
        }
        answer.key = Some(signed.fingerprint());
    }
    Ok(Answer::whole(&answer))
}

fn refusal(
    receipt: &CompletionReceipt,
    key: &Path,
    error: &SigningError,
    signed_before: usize,
) -> Error {
    let message = format!(
        "The receipt of '{}' was not signed with {}: {error} ({signed_before} signed before it stay). Name a private key of yours, or a public one whose private key your SSH agent has, with --key.",
        receipt.spec,
        cut(&key.display().to_string(), MAX_SHOWN)
    );
    ChantError::Refused(message).into()
}

/// The person who signed, as far as `ssh-keygen` could look.
type Signer = Result<Option<String>, SigningError>;

/// The signatures of a repository, by the names of their receipts.
pub(super) struct KeptSignatures {
    by_receipt: BTreeMap<String, Vec<KeptText>>,
}

/// The commit with which signed work landed, and what the target says today.
pub(super) struct SigningPlace<'a> {
    pub project: &'a Project,
    pub repo: &'a Repo,
    /// The commit of the work in the target's history.
    pub landed: &'a str,
    /// The newest commit of the target.
    pub tip: &'a str,
}

impl KeptSignatures {
    /// Lists them.
    ///
    /// # Errors
    /// A failure of git.
    pub(super) fn of(repo: &Repo) -> Result<Self, Error> {
        let mut by_receipt: BTreeMap<String, Vec<KeptText>> = BTreeMap::new();
        for kept in repo.kept_texts(SIGNATURES)? {
            if let Some(receipt) = receipt_name(&kept.name) {
                let name = format!("{RECEIPTS}{receipt}");
                by_receipt.entry(name).or_default().push(kept);
            }
        }
        Ok(Self { by_receipt })
    }

    /// Returns the verdicts on the signatures of a receipt.
    ///
    /// # Errors
    /// A failure of git.
    pub(super) fn judged(
        &self,
        receipt: &CompletionReceipt,
        place: Option<&SigningPlace<'_>>,
        repo: &Repo,
    ) -> Result<Vec<SignatureEntry>, Error> {
        let kept = self.by_receipt.get(&receipt.name());
        let judged = |(number, kept): (usize, &KeptText)| {
            let mut entry = SignatureEntry {
                name: format!("{SIGNATURES}{}", kept.name),
                ..SignatureEntry::default()
            };
            if number >= MAX_LOOKED_AT {
                entry.why = Some(format!("not checked: there are more than {MAX_LOOKED_AT}"));
                return Ok(entry);
            }
            match repo.kept_text(&kept.object, MAX_ENVELOPE)? {
                TextRead::Text(bytes) => judge(&mut entry, receipt, place, &bytes)?,
                TextRead::Unfit(why) => entry.why = Some(why),
            }
            Ok(entry)
        };
        kept.into_iter().flatten().enumerate().map(judged).collect()
    }
}

/// Says of a signature whose it is, or why it counts for nothing.
fn judge(
    entry: &mut SignatureEntry,
    receipt: &CompletionReceipt,
    place: Option<&SigningPlace<'_>>,
    bytes: &[u8],
) -> Result<(), Error> {
    let signed = match SignedStatement::parse(NAMESPACE, bytes) {
        Ok(signed) => signed,
        Err(error) => {
            entry.why = Some(error.to_string());
            return Ok(());
        }
    };
    entry.key = Some(signed.fingerprint());
    let why = match place {
        _ if signed.statement != statement_of(receipt).as_bytes() => {
            "the receipt was changed after signing".to_owned()
        }
        None => "not checked: the work is not in the target's history".to_owned(),
        Some(place) => match place.signer(&signed)? {
            Ok(Some(by)) => {
                entry.by = Some(by);
                return Ok(());
            }
            Ok(None) => NOBODY.to_owned(),
            Err(error) => format!("not checked: {error}"),
        },
    };
    entry.why = Some(why);
    Ok(())
}

impl SigningPlace<'_> {
    /// Returns the person who signed, by the lists of the target: a branch cannot let itself sign.
    fn signer(&self, signature: &SignedStatement) -> Result<Signer, Error> {
        let landed = self.repo.recent_commits(self.landed, 1)?;
        let (Some(landed), Some(allowed)) = (landed.first(), self.file(ALLOWED)?) else {
            return Ok(Ok(None));
        };
        let revoked = self.file(REVOKED)?;
        let signers = AllowedSigners {
            allowed: &allowed,
            revoked: revoked.as_deref(),
            at: landed.seconds,
        };
        Ok(chant_signing::signer(NAMESPACE, signature, signers))
    }

    /// Returns a file as the newest commit of the target has it.
    fn file(&self, name: &str) -> Result<Option<Vec<u8>>, Error> {
        match self.project.path_in_repository(self.repo, name) {
            Some(path) => Ok(self.repo.file_at(self.tip, &path)?),
            None => Ok(None),
        }
    }
}
