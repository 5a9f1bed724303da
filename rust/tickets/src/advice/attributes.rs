//! The check that the attributes have values that can be filtered by.

use super::AdviceSubject;
use super::checks::{
    AdviceFinding, AdvicePriority, CheckOutcome, is_blank, is_one_of, outcome_with_praise,
};
use super::page::TicketPage;
use crate::templates;

const PRIORITIES: [&str; 4] = ["Low", "Medium", "High", "Critical"];

pub(super) fn attributes(
    subject: &AdviceSubject<'_>,
    _: &TicketPage<'_>,
    weight: u32,
) -> CheckOutcome {
    let mut findings = Vec::new();
    let mut found = |priority, suggestion, reason: &str, weakness| {
        findings.push(AdviceFinding {
            cost: weight / 2,
            category: "Attributes",
            priority,
            suggestion,
            reason: reason.into(),
            weakness,
        });
    };
    if templates::of_kind(subject.kind).is_none() {
        found(
            AdvicePriority::Medium,
            format!("Set the type to one of: {}", kinds().join(", ")),
            "Filters and templates know these types only",
            format!("The type `{}` is not one there is", subject.kind.trim()),
        );
    }
    if !is_one_of(subject.priority, &PRIORITIES) {
        found(
            AdvicePriority::Medium,
            format!("Set the priority to one of: {}", PRIORITIES.join(", ")),
            "Filters know these priorities only",
            format!(
                "The priority `{}` is not one there is",
                subject.priority.trim()
            ),
        );
    }
    if is_blank(Some(subject.title)) || is_one_of(subject.title, &["Untitled"]) {
        found(
            AdvicePriority::Medium,
            "Give the ticket a title".into(),
            "Lists show little else",
            "The ticket has no title".into(),
        );
    }
    let phase = subject
        .phase_epic
        .filter(|phase| !phase.to_lowercase().contains("undefined"));
    if is_blank(phase) {
        found(
            AdvicePriority::Low,
            "Set `phaseEpic` to the phase or epic it belongs to".into(),
            "Tickets of one phase can then be found together",
            "The ticket belongs to no phase or epic".into(),
        );
    }
    outcome_with_praise(
        findings,
        format!("It belongs to `{}`", phase.unwrap_or_default().trim()),
    )
}

fn kinds() -> Vec<&'static str> {
    templates::BUILT_IN
        .iter()
        .map(|template| template.kind)
        .collect()
}
