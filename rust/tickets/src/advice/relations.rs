//! The check that relations lead to tickets and make sense.

use super::AdviceSubject;
use super::checks::{AdviceFinding, AdvicePriority, CheckOutcome, outcome_with_praise, quoted};
use super::page::TicketPage;

pub(super) fn relations(
    subject: &AdviceSubject<'_>,
    _: &TicketPage<'_>,
    weight: u32,
) -> CheckOutcome {
    let all: Vec<&str> = [subject.depends_on, subject.blocks, subject.related]
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect();
    let (itself, others): (Vec<&str>, Vec<&str>) =
        all.iter().partition(|key| is_same_key(key, subject.code));
    let mut unknown: Vec<&str> = others;
    unknown.retain(|key| !(subject.resolves)(key));
    unknown.sort_unstable();
    unknown.dedup();
    let is_blocked = |key: &&str| subject.blocks.iter().any(|other| is_same_key(other, key));
    let both: Vec<&str> = subject
        .depends_on
        .iter()
        .map(String::as_str)
        .filter(is_blocked)
        .filter(|key| !is_same_key(key, subject.code))
        .collect();
    let mut findings = Vec::new();
    let mut found = |cost, priority, suggestion, reason: &str, weakness| {
        findings.push(AdviceFinding {
            cost,
            category: "Relations",
            priority,
            suggestion,
            reason: reason.into(),
            weakness,
        });
    };
    if !itself.is_empty() {
        found(
            weight / 2,
            AdvicePriority::High,
            format!("Take `{}` out of its own relations", subject.code),
            "A ticket that waits for itself is never ready",
            "The ticket is related to itself".into(),
        );
    }
    if !both.is_empty() {
        found(
            weight / 2,
            AdvicePriority::High,
            format!(
                "Keep {} in `dependsOn` or in `blocks`, not in both",
                quoted(&both)
            ),
            "Each of the two would wait for the other",
            format!(
                "The ticket waits for tickets that it blocks: {}",
                quoted(&both)
            ),
        );
    }
    if !unknown.is_empty() {
        found(
            weight * 2 / 5,
            AdvicePriority::Medium,
            format!(
                "Fix or remove relations that lead nowhere: {}",
                quoted(&unknown)
            ),
            "There are no tickets with these keys",
            format!("Relations lead nowhere: {}", quoted(&unknown)),
        );
    }
    let mut outcome = outcome_with_praise(
        findings,
        format!("All relations lead to a ticket ({})", all.len()),
    );
    outcome.strength = outcome.strength.filter(|_| !all.is_empty());
    outcome
}

/// Returns true if two keys mean one ticket: `DEM-1` and `dem-001` do.
fn is_same_key(one: &str, other: &str) -> bool {
    let read = |key: &str| {
        let (code, number) = key.trim().rsplit_once('-')?;
        Some((code.to_lowercase(), number.parse::<u64>().ok()?))
    };
    match (read(one), read(other)) {
        (Some(one), Some(other)) => one == other,
        _ => one.trim().eq_ignore_ascii_case(other.trim()),
    }
}
