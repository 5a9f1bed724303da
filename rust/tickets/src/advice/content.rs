//! Checks of the text: its sections, criteria and length, and what is left of the template.

use super::AdviceSubject;
use super::checks::{
    AdviceFinding, AdvicePriority, CRITERIA, CheckOutcome, NOTES, is_implemented, is_one_of,
    outcome_with_praise, quoted,
};
use super::page::{TicketPage, begins_with};
use crate::templates;
use chant_text::markdown::TaskItem;
use chant_text::sections::Section;

/// Characters of own text from which a ticket is no mere note (reference 6, first check).
const DETAILED: usize = 200;

/// Bytes up to which a criterion says too little to be checked.
const VAGUE: usize = 12;

/// A section that a ticket should have.
struct ExpectedSection {
    name: &'static str,
    /// A word that its heading begins with or, where several wordings are common, contains.
    is_it: fn(&str, &str) -> bool,
    priority: AdvicePriority,
    reason: String,
}

pub(super) fn required_sections(
    subject: &AdviceSubject<'_>,
    page: &TicketPage<'_>,
    weight: u32,
) -> CheckOutcome {
    let wanted = wanted(subject);
    if wanted.is_empty() {
        return any_section(page, weight);
    }
    let share = weight.div_ceil(u32::try_from(wanted.len()).unwrap_or(weight));
    let mut findings = Vec::new();
    for gap in gaps(&wanted, page) {
        let sections = gap.sections();
        let (category, verb, weakness) = if gap.is_missing {
            ("Structure", "Add", "The ticket lacks")
        } else {
            ("Content", "Fill", "The ticket says nothing of its own in")
        };
        findings.push(AdviceFinding {
            cost: share.saturating_mul(u32::try_from(gap.names.len()).unwrap_or(weight)),
            category,
            priority: gap.first.priority,
            suggestion: format!("{verb} {sections}"),
            reason: gap.first.reason.clone(),
            weakness: format!("{weakness} {sections}"),
        });
    }
    let names: Vec<_> = wanted.iter().map(|wanted| wanted.name).collect();
    outcome_with_praise(
        findings,
        format!("All sections that matter are filled: {}", names.join(", ")),
    )
}

/// Sections that are missing, or that are there without a text, for one reason.
struct SectionGap<'a> {
    is_missing: bool,
    /// The first of them, which has the reason.
    first: &'a ExpectedSection,
    names: Vec<&'a str>,
}

impl SectionGap<'_> {
    fn sections(&self) -> String {
        let noun = match self.names.as_slice() {
            [_] => "section",
            _ => "sections",
        };
        format!("the {noun} {}", quoted(&self.names))
    }
}

fn gaps<'a>(wanted: &'a [ExpectedSection], page: &TicketPage<'_>) -> Vec<SectionGap<'a>> {
    let mut gaps: Vec<SectionGap<'a>> = Vec::new();
    for wanted in wanted {
        let is_it = |section: &&Section| (wanted.is_it)(&section.title, wanted.name);
        let found: Vec<_> = page.sections.iter().filter(is_it).collect();
        if found.iter().any(|section| page.is_filled(section)) {
            continue;
        }
        let is_missing = found.is_empty();
        let is_like = |gap: &&mut SectionGap<'_>| {
            gap.is_missing == is_missing && gap.first.reason == wanted.reason
        };
        match gaps.iter_mut().find(is_like) {
            Some(gap) => gap.names.push(wanted.name),
            None => gaps.push(SectionGap {
                is_missing,
                first: wanted,
                names: vec![wanted.name],
            }),
        }
    }
    gaps
}

fn wanted(subject: &AdviceSubject<'_>) -> Vec<ExpectedSection> {
    let Some(template) = templates::of_kind(subject.kind) else {
        return Vec::new();
    };
    let mut wanted: Vec<ExpectedSection> = template
        .required
        .iter()
        .map(|name| ExpectedSection {
            name,
            is_it: begins_with,
            priority: AdvicePriority::High,
            reason: format!(
                "This is what a ticket of the type {} is judged by",
                template.kind
            ),
        })
        .collect();
    let changes_structure = ["Architecture", "Feature Enhancement", "Technical Debt"];
    if changes_structure.contains(&template.kind)
        && is_one_of(subject.priority, &["High", "Critical"])
    {
        wanted.push(ExpectedSection {
            name: "Risk Assessment",
            is_it: |title, _| title.to_lowercase().contains("risk"),
            priority: AdvicePriority::Medium,
            reason: format!(
                "With priority {} it should be known what can go wrong",
                subject.priority.trim()
            ),
        });
    }
    if template.kind == "Bug Fix" && is_implemented(subject) {
        wanted.push(ExpectedSection {
            name: "Root Cause Analysis",
            is_it: |title, _| begins_with(title, "Root Cause"),
            priority: AdvicePriority::Medium,
            reason: "The next person who meets the fault needs to know its cause".into(),
        });
    }
    wanted
}

/// For types that nothing is known of.
fn any_section(page: &TicketPage<'_>, weight: u32) -> CheckOutcome {
    let is_filled = |section: &Section| section.level > 1 && page.is_filled(section);
    let findings = if page.sections.iter().any(is_filled) {
        Vec::new()
    } else {
        vec![AdviceFinding {
            cost: weight,
            category: "Structure",
            priority: AdvicePriority::High,
            suggestion: "Write sections such as `## Problem Statement` with text below them".into(),
            reason: "Sections can be found, read and changed one by one".into(),
            weakness: "The ticket has no section with text".into(),
        }]
    };
    outcome_with_praise(findings, "The text is divided into sections".into())
}

pub(super) fn acceptance_criteria(
    _: &AdviceSubject<'_>,
    page: &TicketPage<'_>,
    weight: u32,
) -> CheckOutcome {
    let sections = page.named(CRITERIA);
    let tasks = page.tasks_in(&sections);
    let own: Vec<_> = tasks
        .iter()
        .copied()
        .filter(|task| page.is_own(task))
        .collect();
    let is_filled = sections.iter().any(|section| page.is_filled(section));
    let finding = if sections.is_empty() {
        AdviceFinding {
            cost: weight,
            category: "Structure",
            priority: AdvicePriority::High,
            suggestion: format!("Add a section `{CRITERIA}` with one `- [ ]` for each criterion"),
            reason: "Without criteria no one can say when the ticket is done".into(),
            weakness: "Acceptance criteria are missing".into(),
        }
    } else if !is_filled {
        AdviceFinding {
            cost: weight,
            category: "Content",
            priority: AdvicePriority::High,
            suggestion: format!("Write criteria of this ticket's own into `{CRITERIA}`"),
            reason: "The section has only the template's text".into(),
            weakness: "Acceptance criteria are not written yet".into(),
        }
    } else if own.is_empty() {
        AdviceFinding {
            cost: weight / 2,
            category: "Structure",
            priority: AdvicePriority::Medium,
            suggestion: "Write the acceptance criteria as checkboxes, `- [ ]` before each".into(),
            reason: "Only checkboxes show what is met and what is open".into(),
            weakness: "Acceptance criteria cannot be ticked".into(),
        }
    } else {
        return vague_criteria(page, &own, weight);
    };
    CheckOutcome {
        findings: vec![finding],
        strength: None,
    }
}

fn vague_criteria(page: &TicketPage<'_>, own: &[&TaskItem], weight: u32) -> CheckOutcome {
    let texts: Vec<String> = own.iter().map(|task| page.text_of(task)).collect();
    let vague: Vec<&str> = texts
        .iter()
        .map(String::as_str)
        .filter(|text| text.len() < VAGUE)
        .collect();
    let mut findings = Vec::new();
    if !vague.is_empty() {
        findings.push(AdviceFinding {
            cost: weight * 3 / 10,
            category: "Content",
            priority: AdvicePriority::Medium,
            suggestion: format!(
                "Add more detailed acceptance criteria in place of: {}",
                quoted(&vague)
            ),
            reason: "A criterion of a word or two is too vague to be checked".into(),
            weakness: "Some acceptance criteria are vague".into(),
        });
    }
    let ticked = own.iter().filter(|task| task.checked).count();
    outcome_with_praise(
        findings,
        format!(
            "Acceptance criteria can be ticked ({ticked} of {} are)",
            own.len()
        ),
    )
}

pub(super) fn length(_: &AdviceSubject<'_>, page: &TicketPage<'_>, weight: u32) -> CheckOutcome {
    let length = page.length();
    let missing = u32::try_from(DETAILED.saturating_sub(length)).unwrap_or(0);
    let most = u32::try_from(DETAILED).unwrap_or(u32::MAX);
    let mut findings = Vec::new();
    if missing > 0 {
        findings.push(AdviceFinding {
            cost: (weight * missing).div_ceil(most),
            category: "Content",
            priority: AdvicePriority::Medium,
            suggestion: "Describe the change in more detail".into(),
            reason: format!(
                "Besides headings and the text of templates the ticket has {length} characters; under {DETAILED} it is a note that only its author understands"
            ),
            weakness: format!("The text is short ({length} characters)"),
        });
    }
    outcome_with_praise(
        findings,
        format!("The change is described in {length} characters"),
    )
}

pub(super) fn template_text(
    subject: &AdviceSubject<'_>,
    page: &TicketPage<'_>,
    weight: u32,
) -> CheckOutcome {
    let wanted = wanted(subject);
    // Empty sections that other checks report, and notes whose time has not come, are not reported.
    let is_reported_elsewhere = |section: &Section| {
        let mut wanted = wanted.iter();
        !page.is_filled(section)
            && (wanted.any(|wanted| (wanted.is_it)(&section.title, wanted.name))
                || begins_with(&section.title, CRITERIA)
                || begins_with(&section.title, NOTES))
    };
    let left = page.with_prompts();
    let unfilled: Vec<&str> = left
        .iter()
        .filter(|section| !is_reported_elsewhere(section))
        .map(|section| section.title.as_str())
        .collect();
    let count = u32::try_from(unfilled.len()).unwrap_or(u32::MAX);
    let mut findings = Vec::new();
    if count > 0 {
        findings.push(AdviceFinding {
            cost: weight.min(count.saturating_mul(weight / 5)),
            category: "Content",
            priority: AdvicePriority::Low,
            suggestion: format!(
                "Replace the template's text, or remove the section: {}",
                quoted(&unfilled)
            ),
            reason: "Text of the template hides what is missing".into(),
            weakness: format!("Text of the template is left in {}", quoted(&unfilled)),
        });
    }
    let mut outcome = outcome_with_praise(findings, "No text of a template is left".into());
    outcome.strength = outcome.strength.filter(|_| left.is_empty());
    outcome
}
