//! The checks, in the order in which their findings are reported.

use super::page::TicketPage;
use super::{AdviceSubject, attributes, content, relations, status};

/// The section that says when a ticket is done.
pub(super) use crate::criteria::CRITERIA;

/// The section that may stand in for the attribute `implementationNotes`.
pub(super) const NOTES: &str = "Implementation Notes";

/// The importance of a suggestion; suggestions are sorted by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum AdvicePriority {
    High,
    Medium,
    Low,
}

/// Something that could be better.
pub(super) struct AdviceFinding {
    /// Hundredths of a point that it costs.
    pub(super) cost: u32,
    pub(super) category: &'static str,
    pub(super) priority: AdvicePriority,
    pub(super) suggestion: String,
    pub(super) reason: String,
    pub(super) weakness: String,
}

/// The result of a check.
pub(super) struct CheckOutcome {
    pub(super) findings: Vec<AdviceFinding>,
    /// A sentence of praise, where nothing was found and there is something to praise.
    pub(super) strength: Option<String>,
}

/// One part of the score.
pub(super) struct AdviceCheck {
    pub(super) name: &'static str,
    /// Hundredths of a point that it can give; all checks together give ten points.
    pub(super) weight: u32,
    /// Looks at a ticket, given the weight.
    pub(super) look: fn(&AdviceSubject<'_>, &TicketPage<'_>, u32) -> CheckOutcome,
}

/// All checks.
pub(super) const CHECKS: [AdviceCheck; 7] = [
    AdviceCheck {
        name: "requiredSections",
        weight: 350,
        look: content::required_sections,
    },
    AdviceCheck {
        name: "acceptanceCriteria",
        weight: 200,
        look: content::acceptance_criteria,
    },
    AdviceCheck {
        name: "status",
        weight: 100,
        look: status::status,
    },
    AdviceCheck {
        name: "relations",
        weight: 100,
        look: relations::relations,
    },
    AdviceCheck {
        name: "length",
        weight: 100,
        look: content::length,
    },
    AdviceCheck {
        name: "templateText",
        weight: 100,
        look: content::template_text,
    },
    AdviceCheck {
        name: "attributes",
        weight: 50,
        look: attributes::attributes,
    },
];

/// The outcome of a check that praises where it finds nothing.
pub(super) fn outcome_with_praise(findings: Vec<AdviceFinding>, strength: String) -> CheckOutcome {
    CheckOutcome {
        strength: findings.is_empty().then_some(strength),
        findings,
    }
}

pub(super) fn is_implemented(subject: &AdviceSubject<'_>) -> bool {
    is_one_of(subject.status, &["Implemented"])
}

/// Returns true if a text is one of some words, in any case of letters.
pub(super) fn is_one_of(text: &str, words: &[&str]) -> bool {
    words
        .iter()
        .any(|word| word.eq_ignore_ascii_case(text.trim()))
}

pub(super) fn is_blank(text: Option<&str>) -> bool {
    text.is_none_or(|text| text.trim().is_empty())
}

/// The first few names, each in backticks.
pub(super) fn quoted(names: &[&str]) -> String {
    const SHOWN: usize = 6;
    let shown: Vec<_> = names
        .iter()
        .take(SHOWN)
        .map(|name| format!("`{name}`"))
        .collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
