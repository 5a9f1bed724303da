//! The answer of `suggest_cr_improvements`, key by key in the order of the seed.

use serde::Serialize;

use super::checks::{AdviceFinding, AdvicePriority};

/// Suggestions for a ticket, its strengths, and the score with its parts.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AdviceReport {
    /// Most important first, those of one priority in the order of the checks.
    pub suggestions: Vec<AdviceSuggestion>,
    /// 0 to 10 with one decimal.
    pub overall_score: f64,
    /// The things that are as they should be.
    pub strengths: Vec<String>,
    /// The things that are not, one for each suggestion.
    pub weaknesses: Vec<String>,
    /// The parts that the score is the sum of.
    pub score_parts: Vec<ScorePart>,
}

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AdviceSuggestion {
    /// `Content`, `Structure`, `Relations`, `Status` or `Attributes`.
    pub category: &'static str,
    /// `High`, `Medium` or `Low`.
    pub priority: &'static str,
    /// The thing to do.
    pub suggestion: String,
    /// Why.
    pub reason: String,
}

/// The part of the score that one check gives.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ScorePart {
    /// The check.
    pub part: &'static str,
    /// The points that the ticket gets.
    pub score: f64,
    /// The points that it could get.
    pub out_of: f64,
    /// The reason for the difference.
    pub why: String,
}

impl From<AdviceFinding> for AdviceSuggestion {
    fn from(finding: AdviceFinding) -> Self {
        Self {
            category: finding.category,
            priority: match finding.priority {
                AdvicePriority::High => "High",
                AdvicePriority::Medium => "Medium",
                AdvicePriority::Low => "Low",
            },
            suggestion: finding.suggestion,
            reason: finding.reason,
        }
    }
}
