//! Signatures over receipts: made by a person, and held against those whom the target lets sign.

use std::collections::BTreeMap;
use std::path::Path;

use super::verify::{ReceiptQuery, verified};
use super::{read, repository};
use crate::receipt::signature::{
    MAX_ENVELOPE, NAMESPACE, SIGNATURES, receipt_name, signature_name, statement_of,
};
use crate::receipt::{CompletionReceipt, RECEIPTS};
use crate::view::receipt::{SignatureEntry, SignedReceipts, UnsignedSpec};
use chant_base::answer::{Answer, cut};
use chant_base::error::Error;
use chant_git::Repo;
use chant_git::kept_texts::{KeptText, TextRead};
use chant_signing::{AllowedSigners, SignedStatement, SigningError};
use chant_specs::error::ChantError;
use chant_specs::project::Project;

/// The list of those who may sign, in the form of `ssh-keygen`.
const ALLOWED: &str = ".chant/allowed_signers";
/// The keys that count no more.
const REVOKED: &str = ".chant/revoked_signers";
/// The signatures of one receipt that are looked at.
const MAX_LOOKED_AT: usize = 10;
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
        let Some(receipt) = read else {
            answer.refused.push(UnsignedSpec {
                spec_id: spec.spec_id,
                why: format!("its receipt says: {}", spec.verdict),
            });
            continue;
        };
        let signed = chant_signing::sign(NAMESPACE, &statement_of(&receipt), key)
            .map_err(|error| refusal(&receipt, key, &error, answer.signed.len()))?;
        let name = signature_name(&signed, &receipt.name());
        let why = format!("chant-mcp: the receipt of spec {} is signed", receipt.spec);
        if repo.keep_text(&name, signed.envelope().as_bytes(), &why)? {
            answer.signed.push(name);
        } else if is_kept(&repo, &name, &signed)? {
            answer.known += 1;
        } else {
            answer.refused.push(UnsignedSpec {
                spec_id: spec.spec_id,
                why: format!("something else is kept as {name}; `git update-ref -d` removes it"),
            });
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

/// Returns true if a ref keeps a signature of the same key over the same statement.
fn is_kept(repo: &Repo, name: &str, signed: &SignedStatement) -> Result<bool, Error> {
    let short = name.strip_prefix(SIGNATURES).unwrap_or(name);
    let all = repo.kept_texts(SIGNATURES)?;
    let Some(kept) = all.iter().find(|kept| kept.name == short) else {
        return Ok(false);
    };
    let TextRead::Text(bytes) = repo.kept_text(&kept.object, MAX_ENVELOPE)? else {
        return Ok(false);
    };
    let same = |kept: SignedStatement| {
        kept.statement == signed.statement && kept.fingerprint() == signed.fingerprint()
    };
    Ok(SignedStatement::parse(NAMESPACE, &bytes).is_ok_and(same))
}

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
    /// The commit of the target before, if the receipt names one that is in its history.
    pub base: Option<&'a str>,
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
        let mut entries = kept
            .into_iter()
            .flatten()
            .take(MAX_LOOKED_AT)
            .map(|kept| {
                let (key, word) = match repo.kept_text(&kept.object, MAX_ENVELOPE)? {
                    TextRead::Text(bytes) => Self::word(receipt, place, &bytes)?,
                    TextRead::Unfit(why) => (None, SignatureWord::Unreadable(why)),
                };
                Ok(entry(format!("{SIGNATURES}{}", kept.name), key, word))
            })
            .collect::<Result<Vec<SignatureEntry>, Error>>()?;
        for kept in kept.into_iter().flatten().skip(MAX_LOOKED_AT) {
            let word = SignatureWord::NotChecked(format!("there are more than {MAX_LOOKED_AT}"));
            entries.push(entry(format!("{SIGNATURES}{}", kept.name), None, word));
        }
        Ok(entries)
    }

    /// Returns the key of a signature and its verdict.
    fn word(
        receipt: &CompletionReceipt,
        place: Option<&SigningPlace<'_>>,
        bytes: &[u8],
    ) -> Result<(Option<String>, SignatureWord), Error> {
        let signed = match SignedStatement::parse(NAMESPACE, bytes) {
            Ok(signed) => signed,
            Err(error) => return Ok((None, SignatureWord::Unreadable(error.to_string()))),
        };
        let word = match place {
            _ if signed.statement != statement_of(receipt).as_bytes() => SignatureWord::Changed,
            Some(place) => place.signer(&signed)?,
            None => SignatureWord::NotInHistory,
        };
        Ok((Some(signed.fingerprint()), word))
    }
}

/// The verdicts on a signature.
enum SignatureWord {
    SignedBy(String),
    Nobody,
    Changed,
    NotInHistory,
    NotChecked(String),
    Unreadable(String),
}

fn entry(name: String, key: Option<String>, word: SignatureWord) -> SignatureEntry {
    let (by, why) = match word {
        SignatureWord::SignedBy(by) => (Some(by), None),
        SignatureWord::Nobody => (
            None,
            Some(format!(
                "signed by nobody who counts: {ALLOWED} did not name the key for receipts before the work landed, or it is revoked"
            )),
        ),
        SignatureWord::Changed => (
            None,
            Some("the receipt was changed after signing".to_owned()),
        ),
        SignatureWord::NotInHistory => (
            None,
            Some("not checked: the work is not in the target's history".to_owned()),
        ),
        SignatureWord::NotChecked(why) => (None, Some(format!("not checked: {why}"))),
        SignatureWord::Unreadable(why) => (None, Some(why)),
    };
    SignatureEntry { name, key, by, why }
}

impl SigningPlace<'_> {
    /// Returns the person who signed, by the lists as they were before the work: a branch cannot let itself sign.
    fn signer(&self, signature: &SignedStatement) -> Result<SignatureWord, Error> {
        let line = self.repo.recent_commits(self.landed, 2)?;
        let (Some(landed), Some(before)) = (line.first(), line.get(1)) else {
            return Ok(SignatureWord::Nobody);
        };
        let revoked = self.file(self.tip, REVOKED)?;
        let mut signer = None;
        for commit in [Some(before.id.as_str()), self.base].into_iter().flatten() {
            let Some(allowed) = self.file(commit, ALLOWED)? else {
                return Ok(SignatureWord::Nobody);
            };
            let signers = AllowedSigners {
                allowed: &allowed,
                revoked: revoked.as_deref(),
                at: landed.seconds,
            };
            match chant_signing::signer(NAMESPACE, signature, signers) {
                Ok(Some(by)) => signer = Some(by),
                Ok(None) => return Ok(SignatureWord::Nobody),
                Err(error) => return Ok(SignatureWord::NotChecked(error.to_string())),
            }
        }
        Ok(signer.map_or(SignatureWord::Nobody, SignatureWord::SignedBy))
    }

    fn file(&self, commit: &str, name: &str) -> Result<Option<Vec<u8>>, Error> {
        match self.project.path_in_repository(self.repo, name) {
            Some(path) => Ok(self.repo.file_at(commit, &path)?),
            None => Ok(None),
        }
    }
}
