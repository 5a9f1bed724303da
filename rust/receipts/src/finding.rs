//! Contradictions between a receipt and the repository.

use strum::IntoStaticStr;

/// The kinds of contradictions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum FindingKind {
    /// The file is not a receipt of this release.
    Unreadable,
    /// It lies under the name of another receipt.
    WrongName,
    /// The spec is not completed.
    NotCompleted,
    /// The commit has another tree than the receipt names.
    TreeDiffers,
    /// Neither the commit nor its tree is in the history.
    NotInHistory,
    /// The spec has other criteria by now.
    CriteriaChanged,
    /// The landed files have other criteria, or open ones.
    CriteriaOfTree,
    /// Criteria are not ticked.
    NotTicked,
    /// A check that is claimed is not configured any more.
    CheckGone,
    /// A check failed, according to the receipt itself.
    CheckFailed,
    /// A check that a criterion names was not run.
    CheckNotRun,
    /// A check used files that did not land.
    CheckTree,
    /// A completed spec has no receipt.
    NoReceipt,
}

impl FindingKind {
    /// Returns its word in answers.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A contradiction, in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceiptFinding {
    /// Its kind.
    pub kind: FindingKind,
    /// The sentence.
    pub text: String,
}
