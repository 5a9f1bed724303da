//! The check that the status agrees with the rest of the ticket.

use super::AdviceSubject;
use super::checks::{
    AdviceFinding, AdvicePriority, CRITERIA, CheckOutcome, NOTES, is_blank, is_implemented,
    is_one_of, outcome_with_praise,
};
use super::page::TicketPage;

const STATUSES: [&str; 7] = [
    "Proposed", "Approved", "In Progress", "Implemented", "Rejected", "On Hold",
    "Partially Implemented",
];

pub(super) fn status(
    subject: &AdviceSubject<'_>,
    page: &TicketPage<'_>,
    weight: u32,
) -> CheckOutcome {
    let findings = if is_implemented(subject) {
        of_implemented(subject, page, weight)
    } else {
        of_unfinished(subject, page, weight)
    };
    outcome_with_praise(
        findings,
        format!(
            "The status `{}` agrees with the rest of the ticket",
            subject.status.trim()
        ),
    )
}

fn of_implemented(
    subject: &AdviceSubject<'_>,
    page: &TicketPage<'_>,
    weight: u32,
) -> Vec<AdviceFinding> {
    let mut findings = Vec::new();
    let finding =
        |cost, priority, suggestion: String, reason: &str, weakness: String| AdviceFinding {
            cost,
            category: "Status",
            priority,
            suggestion,
            reason: reason.into(),
            weakness,
        };
    let tasks = page.tasks_in(&page.named(CRITERIA));
    let open = tasks.iter().filter(|task| !task.checked).count();
    if open > 0 {
        findings.push(finding(
            weight / 2,
            AdvicePriority::High,
            "Tick the acceptance criteria that are met, or set the status back to `In Progress`"
                .into(),
            "What is implemented has no open criteria",
            format!(
                "The status is `Implemented` with {open} of {} acceptance criteria open",
                tasks.len()
            ),
        ));
    }
    let mut notes = page.named(NOTES).into_iter();
    if is_blank(subject.implementation_notes) && !notes.any(|section| page.is_filled(section)) {
        findings.push(finding(
            weight * 3 / 10,
            AdvicePriority::Medium,
            "Say in `implementationNotes` how it was implemented".into(),
            "The next reader wants to know what was done differently from the plan",
            "Notes on the implementation are missing".into(),
        ));
    }
    if is_blank(subject.implementation_date) {
        findings.push(finding(
            weight / 5,
            AdvicePriority::Low,
            "Set `implementationDate`".into(),
            "The date says which releases have the change",
            "The date of the implementation is missing".into(),
        ));
    }
    findings
}

fn of_unfinished(
    subject: &AdviceSubject<'_>,
    page: &TicketPage<'_>,
    weight: u32,
) -> Vec<AdviceFinding> {
    let status = subject.status.trim();
    let mut findings = Vec::new();
    let finding =
        |cost, priority, suggestion: String, reason: String, weakness: String| AdviceFinding {
            cost,
            category: "Status",
            priority,
            suggestion,
            reason,
            weakness,
        };
    if !is_one_of(status, &STATUSES) {
        findings.push(finding(
            weight / 2,
            AdvicePriority::Medium,
            format!("Set the status to one of: {}", STATUSES.join(", ")),
            format!("The meaning of `{status}` is not known"),
            format!("The status `{status}` is not one there is"),
        ));
    }
    let tasks = page.tasks_in(&page.named(CRITERIA));
    let is_met = !tasks.is_empty() && tasks.iter().all(|task| task.checked);
    if is_met && !is_one_of(status, &["Rejected", "On Hold"]) {
        findings.push(finding(
            weight * 2 / 5,
            AdvicePriority::Medium,
            "Move the status on, or untick what is not met".into(),
            "All acceptance criteria are ticked".into(),
            format!("The status is `{status}` although all acceptance criteria are ticked"),
        ));
    }
    let is_before = is_one_of(status, &["Proposed", "Approved", "Rejected"]);
    if is_before && !is_blank(subject.implementation_date) {
        findings.push(finding(
            weight * 2 / 5,
            AdvicePriority::Medium,
            "Clear `implementationDate` or move the status on".into(),
            format!("A ticket that is `{status}` has not been implemented"),
            format!("The status is `{status}` although there is a date of implementation"),
        ));
    }
    if is_one_of(status, &["In Progress"]) && is_blank(subject.assignee) {
        findings.push(finding(
            weight / 5,
            AdvicePriority::Low,
            "Name who works on it in `assignee`".into(),
            "Others can then ask, and do not begin the same work".into(),
            "Work is in progress, and no assignee is named".into(),
        ));
    }
    findings
}
