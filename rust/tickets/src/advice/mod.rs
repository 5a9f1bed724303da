//! Advice on a ticket: weighted checks with a score that they explain (reference tickets 6 and 10).
//!
//! The same ticket always gets the same advice. A ticket without any suggestion has the full score,
//! and only such a ticket has it.

mod attributes;
mod checks;
mod content;
mod page;
mod relations;
mod status;
pub mod view;

use checks::{AdviceFinding, CHECKS};
use page::TicketPage;
use view::{AdviceReport, AdviceSuggestion, ScorePart};

/// A ticket as the checks see it.
pub struct AdviceSubject<'a> {
    /// Its code, so that relations to itself are seen.
    pub code: &'a str,
    /// Its type as it stands in the file.
    pub kind: &'a str,
    /// Its status as it stands in the file.
    pub status: &'a str,
    /// Its priority as it stands in the file.
    pub priority: &'a str,
    /// Its title.
    pub title: &'a str,
    /// Everything below the attributes.
    pub body: &'a str,
    /// The phase or epic it belongs to.
    pub phase_epic: Option<&'a str>,
    /// The person who works on it.
    pub assignee: Option<&'a str>,
    /// When it was implemented.
    pub implementation_date: Option<&'a str>,
    /// Notes on its implementation.
    pub implementation_notes: Option<&'a str>,
    /// Keys of tickets it waits for.
    pub depends_on: &'a [String],
    /// Keys of tickets that wait for it.
    pub blocks: &'a [String],
    /// Keys of tickets it has to do with.
    pub related: &'a [String],
    /// Returns true if a key is that of a ticket.
    pub resolves: &'a dyn Fn(&str) -> bool,
}

/// Returns suggestions, strengths and a score from 0 to 10.
pub fn advise(subject: &AdviceSubject<'_>) -> AdviceReport {
    let page = TicketPage::of(subject.body);
    let mut total = 0;
    let mut findings = Vec::new();
    let mut strengths = Vec::new();
    let mut score_parts = Vec::new();
    for check in &CHECKS {
        let result = (check.look)(subject, &page, check.weight);
        let lost: u32 = result.findings.iter().map(|finding| finding.cost).sum();
        let score = check.weight.saturating_sub(lost);
        total += score;
        score_parts.push(ScorePart {
            part: check.name,
            score: f64::from(score) / 100.0,
            out_of: f64::from(check.weight) / 100.0,
            why: why(&result.findings),
        });
        strengths.extend(result.strength);
        findings.extend(result.findings);
    }
    findings.sort_by_key(|finding| finding.priority);
    AdviceReport {
        weaknesses: findings.iter().map(|f| f.weakness.clone()).collect(),
        suggestions: findings.into_iter().map(AdviceSuggestion::from).collect(),
        // Rounded down, so that only a ticket without a finding reaches the top.
        overall_score: f64::from(total / 10) / 10.0,
        strengths,
        score_parts,
    }
}

fn why(findings: &[AdviceFinding]) -> String {
    if findings.is_empty() {
        return "nothing to improve".into();
    }
    let weaknesses: Vec<_> = findings.iter().map(|f| f.weakness.as_str()).collect();
    weaknesses.join("; ")
}
