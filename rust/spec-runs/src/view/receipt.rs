//! Receipts, and how they stand against the repository.

use serde::Serialize;

use crate::receipt::CompletionReceipt;
use chant_base::counted_list::CountedList;

/// Receipts, oldest first.
#[derive(Debug, Serialize)]
pub struct ReceiptList {
    /// The receipts.
    #[serde(flatten)]
    pub receipts: CountedList<ReceiptEntry>,
}

/// One receipt.
#[derive(Debug, Serialize)]
pub struct ReceiptEntry {
    /// The ref that keeps it.
    #[serde(rename = "ref")]
    pub name: String,
    /// The content of the receipt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt: Option<CompletionReceipt>,
    /// Why it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Specs held against their receipts.
#[derive(Debug, Serialize)]
pub struct ReceiptReport {
    /// The branch or the commit that the work has to be on.
    pub target: String,
    /// True if the target's configuration asks for receipts.
    pub required: bool,
    /// True if each of the specs has a receipt that holds.
    pub holds: bool,
    /// The specs, by their IDs.
    pub specs: Vec<SpecReceipts>,
}

/// A spec and its receipts.
#[derive(Debug, Serialize)]
pub struct SpecReceipts {
    /// The spec.
    pub spec_id: String,
    /// `consistent`, `run again and held`, `by its members`, `signed by nobody who counts`,
    /// `does not hold` or `no receipt`.
    pub verdict: &'static str,
    /// True if that is well.
    pub holds: bool,
    /// Those who signed the newest receipt that holds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub signed_by: Vec<String>,
    /// The receipts, newest first.
    pub receipts: Vec<ReceiptVerdict>,
    /// The problems of the spec itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<FindingEntry>,
}

/// One receipt, judged.
#[derive(Debug, Serialize)]
pub struct ReceiptVerdict {
    /// The ref that keeps it.
    #[serde(rename = "ref")]
    pub name: String,
    /// True if nothing speaks against it.
    pub holds: bool,
    /// The facts that follow from the repository alone.
    pub derived: Vec<String>,
    /// Checks that were run again now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub run_again: Vec<String>,
    /// The facts that are known by the receipt alone.
    pub claimed: Vec<String>,
    /// The points that do not hold.
    pub findings: Vec<FindingEntry>,
    /// The signatures over it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub signatures: Vec<SignatureEntry>,
}

/// A signature over a receipt.
#[derive(Debug, Default, Serialize)]
pub struct SignatureEntry {
    /// The ref that keeps it.
    #[serde(rename = "ref")]
    pub name: String,
    /// The fingerprint of its key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The person whose key it is, as the target says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The reason why it counts for nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// Receipts that were signed.
#[derive(Debug, Default, Serialize)]
pub struct SignedReceipts {
    /// The fingerprint of the key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The refs of new signatures.
    pub signed: Vec<String>,
    /// The number of receipts that the key had signed before.
    pub known: usize,
    /// The specs whose receipts do not hold, so that nothing was signed.
    pub refused: Vec<UnsignedSpec>,
}

/// A spec whose receipt was not signed.
#[derive(Debug, Serialize)]
pub struct UnsignedSpec {
    /// The spec.
    pub spec_id: String,
    /// The verdict on its receipt.
    pub why: String,
}

/// Something that does not hold.
#[derive(Debug, Serialize)]
pub struct FindingEntry {
    /// The word for it.
    pub kind: &'static str,
    /// The sentence.
    pub text: String,
}

/// Receipts that were brought to a remote, or taken from it.
#[derive(Debug, Serialize)]
pub struct ReceiptExchange {
    /// The remote.
    pub remote: String,
    /// Those that are new there, or here.
    pub new: Vec<String>,
    /// The number that were there already.
    pub known: usize,
    /// Those that are another one there, or were refused.
    pub refused: Vec<RefusedReceipt>,
}

/// A receipt that stayed where it was.
#[derive(Debug, Serialize)]
pub struct RefusedReceipt {
    /// Its ref.
    #[serde(rename = "ref")]
    pub name: String,
    /// Why.
    pub why: String,
}
