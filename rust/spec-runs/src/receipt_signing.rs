//! Signatures of this machine's own receipts: made by a person, or by the user's key when work lands here.

use crate::project::folders::at_home;
use crate::receipt::CompletionReceipt;
use crate::receipt::signature::{
    MAX_ENVELOPE, NAMESPACE, SIGNATURES, signature_name, statement_of,
};
use chant_base::error::Error;
use chant_git::Repo;
use chant_git::kept_texts::TextRead;
use chant_signing::{SignedStatement, SigningError, SigningKey};
use chant_specs::project::Project;

/// The place of a signature that was made.
pub(crate) struct KeptSignature {
    /// The ref that is to keep it.
    pub name: String,
    /// The state of that ref.
    pub state: SignatureState,
}

/// The states of the ref of a signature that was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SignatureState {
    /// It is kept there now.
    New,
    /// A signature of the same key over the same receipt was there.
    Known,
    /// Something else is kept there.
    Occupied,
}

/// Signs a receipt with a key.
///
/// # Errors
/// The complaint of `ssh-keygen`.
pub(crate) fn sign_receipt(
    receipt: &CompletionReceipt,
    key: SigningKey<'_>,
) -> Result<SignedStatement, SigningError> {
    chant_signing::sign(NAMESPACE, &statement_of(receipt), key)
}

/// Keeps a signature beside its receipt, and returns the name of its ref.
///
/// # Errors
/// A failure of git.
pub(crate) fn keep_signature(
    repo: &Repo,
    receipt: &CompletionReceipt,
    signed: &SignedStatement,
) -> Result<KeptSignature, Error> {
    let name = signature_name(signed, &receipt.name());
    let why = format!("chant-mcp: the receipt of spec {} is signed", receipt.spec);
    let state = if repo.keep_text(&name, signed.envelope().as_bytes(), &why)? {
        SignatureState::New
    } else if is_kept(repo, &name, signed)? {
        SignatureState::Known
    } else {
        SignatureState::Occupied
    };
    Ok(KeptSignature { name, state })
}

/// Signs the receipt of work that has just landed here, where the user's own configuration names a key for that; says
/// why if it did not succeed. Nobody is asked for a passphrase: nobody may be there.
pub(crate) fn sign_landed(
    project: &Project,
    repo: &Repo,
    receipt: &CompletionReceipt,
) -> Option<String> {
    let config = project.snapshot().ok()?.config.clone().ok()?;
    let path = at_home(project, config.landing_signing_key.as_deref()?);
    let key = SigningKey {
        path: &path,
        is_attended: false,
    };
    let kept = sign_receipt(receipt, key)
        .map_err(|error| error.to_string())
        .and_then(|signed| {
            keep_signature(repo, receipt, &signed).map_err(|error| error.to_string())
        });
    let why = match kept {
        Ok(kept) if kept.state == SignatureState::Occupied => {
            format!("something else is kept as {}", kept.name)
        }
        Ok(_) => return None,
        Err(why) => why,
    };
    Some(format!(
        "its receipt was not signed: {why}; `chant-mcp receipt sign {}` signs it",
        receipt.spec
    ))
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
