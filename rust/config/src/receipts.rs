//! The demand for receipts of completed specs, which a branch makes of itself and its requests.

use std::collections::BTreeSet;

use serde::Deserialize;

/// What a file may say.
pub(super) const EXPECTED: &str = "`required`, `signed`, or `{signed: NUMBER, by: [NAMES]}`";

/// The demand for receipts: none of them unless a branch says so.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReceiptPolicy {
    /// True if `verify --all` fails where a completed spec has none that holds.
    pub is_required: bool,
    /// The number of people who have to have signed the one that holds.
    pub signatures: usize,
    /// Those whose signatures count, of all whom the list of signers names; `None` for all of them.
    pub signers: Option<BTreeSet<String>>,
}

/// The demand as a file says it.
#[derive(Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "`required`, `signed`, or `{signed: NUMBER, by: [NAMES]}`"
)]
pub(super) enum ReceiptBlock {
    Word(String),
    Signed(SignatureBlock),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SignatureBlock {
    signed: usize,
    by: Option<BTreeSet<String>>,
}

impl ReceiptBlock {
    /// Returns the demand; `None` for a word that is none.
    pub(super) fn taken(self) -> Option<ReceiptPolicy> {
        let (is_required, signatures, signers) = match self {
            Self::Signed(block) => (true, block.signed, block.by),
            Self::Word(word) => match word.as_str() {
                "optional" => (false, 0, None),
                "required" => (true, 0, None),
                "signed" => (true, 1, None),
                _ => return None,
            },
        };
        Some(ReceiptPolicy {
            is_required,
            signatures,
            signers,
        })
    }
}

impl ReceiptPolicy {
    /// Returns the demand of two commits of one branch: nothing that either asks for is left out.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let signers = match (self.signers, other.signers) {
            (Some(own), Some(others)) => Some(&own & &others),
            (own, others) => own.or(others),
        };
        Self {
            is_required: self.is_required || other.is_required,
            signatures: self.signatures.max(other.signatures),
            signers,
        }
    }

    /// Returns the number of different people among those who signed whose signatures count.
    pub fn counted(&self, signed_by: &[String]) -> usize {
        let counts = |name: &&String| self.signers.as_ref().is_none_or(|all| all.contains(*name));
        signed_by
            .iter()
            .filter(counts)
            .collect::<BTreeSet<_>>()
            .len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chant_text::front_matter;

    fn read(text: &str) -> ReceiptPolicy {
        let block = front_matter::read::<ReceiptBlock>(text).expect("a demand");
        block.taken().expect("a known word")
    }

    #[test]
    fn a_demand_is_a_word_or_a_table() {
        assert_eq!(read("optional"), ReceiptPolicy::default());
        assert_eq!(read("required").signatures, 0);
        assert_eq!(read("signed"), read("{signed: 1}"));
        let two = read("{signed: 2, by: [ada, bob]}");
        let signed = ["ada", "eve", "ada", "bob"].map(str::to_owned);
        assert_eq!((two.counted(&signed[..3]), two.counted(&signed)), (1, 2));
        for wrong in [
            "{signed: -1}",
            "{by: [ada]}",
            "{signed: 1, by: ada}",
            "{signed: 1, bye: [ada]}",
        ] {
            let refused = front_matter::read::<ReceiptBlock>(wrong).expect_err(wrong);
            assert!(refused.below(0).contains(EXPECTED), "{wrong}");
        }
        assert!(ReceiptBlock::Word("maybe".into()).taken().is_none());
    }

    #[test]
    fn two_commits_ask_for_what_either_asks_for() {
        let both = read("{signed: 1, by: [ada, bob]}").and(read("{signed: 2, by: [bob, eve]}"));
        assert_eq!(both, read("{signed: 2, by: [bob]}"));
        assert_eq!(
            read("required").and(read("{signed: 1, by: [ada]}")),
            read("{signed: 1, by: [ada]}")
        );
    }
}
