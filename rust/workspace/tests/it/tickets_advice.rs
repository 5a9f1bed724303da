//! What could be better about a ticket: suggestions, and the score that they explain.

use chant_tickets::advice::view::AdviceReport;
use chant_tickets::advice::{AdviceSubject, advise};
use chant_tickets::templates::BUILT_IN;
use proptest::prelude::*;

/// A ticket that can be changed field by field.
#[derive(Clone)]
struct Ticket {
    kind: &'static str,
    status: &'static str,
    priority: &'static str,
    body: String,
    phase_epic: Option<&'static str>,
    assignee: Option<&'static str>,
    implementation_date: Option<&'static str>,
    implementation_notes: Option<&'static str>,
    depends_on: Vec<String>,
    blocks: Vec<String>,
}

const BODY: &str = "\
# Keep sessions over restarts

## 1. Description

### Problem Statement

Whoever restarts the server has to sign in again on every device, which costs support two hours a week.

### Current State

Sessions are kept in memory.

### Desired state

A restart is not noticed by anybody who is signed in.

### RATIONALE

It is the complaint that support hears most often.

## 4. Acceptance Criteria

- [ ] A session survives a restart of the server
- [x] Sessions of older releases end with a message
";

impl Ticket {
    /// A ticket that nothing is to be said about.
    fn perfect() -> Self {
        Self {
            kind: "Feature Enhancement",
            status: "In Progress",
            priority: "Medium",
            body: BODY.into(),
            phase_epic: Some("Phase 2"),
            assignee: Some("ada"),
            implementation_date: None,
            implementation_notes: None,
            depends_on: vec!["MDT-002".into()],
            blocks: Vec::new(),
        }
    }

    fn of_template(kind: &'static str) -> Self {
        let template = BUILT_IN.iter().find(|template| template.kind == kind);
        Self {
            kind,
            status: "Proposed",
            body: template.unwrap().text.replace("{title}", "Title"),
            phase_epic: None,
            assignee: None,
            depends_on: Vec::new(),
            ..Self::perfect()
        }
    }

    fn implemented(mut self) -> Self {
        self.status = "Implemented";
        self.body = self.body.replace("[ ]", "[x]");
        self.implementation_date = Some("2025-10-02");
        self.implementation_notes = Some("Kept in the database.");
        self
    }

    fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    fn advice(&self) -> AdviceReport {
        advise(&AdviceSubject {
            code: "MDT-001",
            kind: self.kind,
            status: self.status,
            priority: self.priority,
            title: "Keep sessions over restarts",
            body: &self.body,
            phase_epic: self.phase_epic,
            assignee: self.assignee,
            implementation_date: self.implementation_date,
            implementation_notes: self.implementation_notes,
            depends_on: &self.depends_on,
            blocks: &self.blocks,
            related: &[],
            resolves: &|key| key == "MDT-002",
        })
    }

    /// Suggestions as `priority category: suggestion`.
    fn told(&self) -> Vec<String> {
        let shown = |advice: AdviceReport| {
            advice
                .suggestions
                .into_iter()
                .map(|s| format!("{} {}: {}", s.priority, s.category, s.suggestion))
        };
        shown(self.advice()).collect()
    }
}

#[track_caller]
fn is_perfect(ticket: &Ticket) {
    assert_eq!(ticket.told(), Vec::<String>::new());
    let score = ticket.advice().overall_score;
    assert!((score - 10.0).abs() < f64::EPSILON, "{score}");
}

#[test]
fn a_ticket_without_a_flaw_gets_the_full_score_and_no_suggestion() {
    is_perfect(&Ticket::perfect());
    is_perfect(&Ticket::perfect().implemented());
    let advice = Ticket::perfect().advice();
    assert_eq!(advice.weaknesses, Vec::<String>::new());
    insta::assert_snapshot!("strengths", advice.strengths.join("\n"));
}

#[test]
fn a_template_that_nobody_filled_gets_little() {
    for template in &BUILT_IN {
        let advice = Ticket::of_template(template.kind).advice();
        assert!(
            advice.overall_score < 2.5,
            "{}: {}",
            template.kind,
            advice.overall_score
        );
        assert!(advice.suggestions.len() >= 5, "{}", template.kind);
    }
    let shouted =
        Ticket::of_template("Bug Fix").with(|ticket| ticket.body = ticket.body.to_uppercase());
    assert!(
        shouted.advice().overall_score < 2.5,
        "in any case of letters"
    );
}

#[test]
fn the_answer_has_the_keys_of_the_seed_in_its_order_and_explains_the_score() {
    let advice = Ticket::of_template("Bug Fix").advice();
    insta::assert_snapshot!(
        "advice_of_a_template",
        serde_json::to_string_pretty(&advice).unwrap()
    );
}

#[test]
fn sections_are_known_by_their_headings_and_not_by_words_in_text_or_code() {
    let ticket = Ticket::perfect().with(|ticket| {
        ticket.body = ticket.body.replace(
            "### Current State\n",
            "The Current State is:\n\n```\n### Current State\nnothing\n```\n",
        );
    });
    assert_eq!(
        ticket.told(),
        ["High Structure: Add the section `Current State`"]
    );
    let emptied = Ticket::perfect().with(|ticket| {
        ticket.body = ticket.body.replace(
            "Sessions are kept in memory.",
            "*How people manage TODAY.*\n<!-- soon -->",
        );
    });
    assert_eq!(
        emptied.told(),
        ["High Content: Fill the section `Current State`"]
    );
}

#[test]
fn weighty_changes_and_mended_faults_need_one_more_section() {
    let weighty = Ticket::perfect().with(|ticket| ticket.priority = "critical");
    assert_eq!(
        weighty.told(),
        ["Medium Structure: Add the section `Risk Assessment`"]
    );
    is_perfect(&weighty.with(|ticket| {
        ticket
            .body
            .push_str("\n## Risks\n\nOld sessions may be lost.\n");
    }));

    let fixed = Ticket::of_template("Bug Fix").with(|ticket| {
        ticket.status = "Implemented";
    });
    assert!(
        fixed
            .told()
            .contains(&"Medium Content: Fill the section `Root Cause Analysis`".to_owned())
    );
}

#[test]
fn suggestions_come_by_priority_and_then_in_the_order_of_the_checks() {
    let ticket = Ticket::perfect().with(|ticket| {
        ticket.priority = "High";
        ticket.assignee = None;
        ticket.phase_epic = None;
        ticket.body = ticket.body.replace("Acceptance Criteria", "Done");
    });
    let priorities: Vec<_> = ticket
        .told()
        .iter()
        .map(|told| told.split(':').next().unwrap().to_owned())
        .collect();
    assert_eq!(
        priorities,
        [
            "High Structure", "Medium Structure", "Low Status", "Low Attributes"
        ]
    );
}

#[test]
fn criteria_have_to_be_checkboxes_that_say_something() {
    let with = |criteria: &str| {
        let criteria = criteria.to_owned();
        Ticket::perfect().with(|ticket| {
            let at = ticket.body.find("- [ ]").unwrap();
            ticket.body.replace_range(at.., &criteria);
        })
    };
    assert_eq!(
        with("").told(),
        ["High Content: Write criteria of this ticket's own into `Acceptance Criteria`"]
    );
    assert_eq!(
        with("- [ ] Nothing that worked before is broken\n")
            .told()
            .len(),
        1,
        "the template's own"
    );
    assert_eq!(
        with("Sessions survive.\n").told(),
        ["Medium Structure: Write the acceptance criteria as checkboxes, `- [ ]` before each"]
    );
    assert_eq!(
        with("```\n- [ ] Sessions survive a restart\n```\n")
            .told()
            .len(),
        1
    );
    assert_eq!(
        with("- [ ] works\n- [ ] Sessions survive a restart\n").told(),
        ["Medium Content: Add more detailed acceptance criteria in place of: `works`"]
    );
    let without = Ticket::perfect()
        .with(|ticket| ticket.body = ticket.body.replace("Acceptance Criteria", "Done"));
    assert_eq!(
        without.told(),
        ["High Structure: Add a section `Acceptance Criteria` with one `- [ ]` for each criterion"]
    );
}

#[test]
fn the_status_has_to_agree_with_the_rest() {
    let done = Ticket::perfect().implemented();
    let open = done
        .clone()
        .with(|ticket| ticket.body = ticket.body.replacen("[x]", "[ ]", 1));
    assert_eq!(
        open.told(),
        [
            "High Status: Tick the acceptance criteria that are met, or set the status back to `In Progress`"
        ]
    );
    let bare = done.clone().with(|ticket| {
        ticket.implementation_notes = Some(" ");
        ticket.implementation_date = None;
    });
    assert_eq!(
        bare.told(),
        [
            "Medium Status: Say in `implementationNotes` how it was implemented",
            "Low Status: Set `implementationDate`"
        ]
    );
    is_perfect(&done.clone().with(|ticket| {
        ticket.implementation_notes = None;
        ticket
            .body
            .push_str("\n## 5. Implementation Notes\n\nKept in the database.\n");
    }));
    let proposed = done.with(|ticket| ticket.status = "Proposed");
    assert_eq!(
        proposed.told(),
        [
            "Medium Status: Move the status on, or untick what is not met",
            "Medium Status: Clear `implementationDate` or move the status on"
        ]
    );
    let nobody = Ticket::perfect().with(|ticket| ticket.assignee = None);
    assert_eq!(
        nobody.told(),
        ["Low Status: Name who works on it in `assignee`"]
    );
    let odd = Ticket::perfect().with(|ticket| ticket.status = "Doing");
    assert_eq!(odd.told().len(), 1);
    for status in [
        "Approved", "On Hold", "Rejected", "Partially Implemented", "in progress",
    ] {
        is_perfect(&Ticket::perfect().with(|ticket| ticket.status = status));
    }
}

#[test]
fn relations_have_to_lead_to_other_tickets() {
    let ticket = Ticket::perfect().with(|ticket| {
        ticket.depends_on = vec!["MDT-009".into(), "mdt-1".into(), "MDT-002".into()];
        ticket.blocks = vec![
            "MDT-2".into(),
            "MDT-009".into(),
            "nonsense".into(),
            "MDT-002".into(),
        ];
    });
    assert_eq!(
        ticket.told(),
        [
            "High Relations: Take `MDT-001` out of its own relations",
            "High Relations: Keep `MDT-009`, `MDT-002` in `dependsOn` or in `blocks`, not in both",
            "Medium Relations: Fix or remove relations that lead nowhere: `MDT-009`, `MDT-2`, `nonsense`",
        ]
    );
    let part = ticket
        .advice()
        .score_parts
        .into_iter()
        .find(|part| part.part == "relations");
    assert!(
        part.unwrap().score.abs() < f64::EPSILON,
        "a part never costs more than it can give"
    );
}

#[test]
fn attributes_have_to_be_such_as_can_be_filtered_by() {
    let ticket = Ticket::perfect().with(|ticket| {
        ticket.kind = "Tech Debt";
        ticket.priority = "Urgent";
        ticket.phase_epic = Some("Phase undefined");
    });
    insta::assert_snapshot!("attributes_told", ticket.told().join("\n"));
}

#[test]
fn text_of_the_template_that_is_left_is_told_but_notes_only_when_their_time_has_come() {
    let ticket = Ticket::perfect().with(|ticket| {
        ticket.body.push_str("\n## References\n\n*Related tickets, documents and discussions.*\n\n## 5. Implementation Notes\n\n*Filled while the work goes on: what was done, and what turned out otherwise than planned.*\n");
    });
    assert_eq!(
        ticket.told(),
        ["Low Content: Replace the template's text, or remove the section: `References`"]
    );
}

proptest! {
    /// Whatever a ticket says: the parts add up to its score, and only the full score has no suggestion.
    #[test]
    fn the_parts_explain_the_score(
        kind in 0..BUILT_IN.len(),
        cut in 0_usize..3000,
        text in "[ -~\n]{0,300}",
        status in prop::sample::select(vec!["Proposed", "In Progress", "Implemented", "?"]),
        is_own in any::<bool>(),
    ) {
        let ticket = Ticket::of_template(BUILT_IN[kind].kind).with(|ticket| {
            let whole = if is_own { BODY.to_owned() } else { ticket.body.clone() };
            ticket.body = whole.chars().take(cut).chain(text.chars()).collect();
            ticket.status = status;
        });
        let advice = ticket.advice();
        prop_assert_eq!(&advice, &ticket.advice());
        let sum: f64 = advice.score_parts.iter().map(|part| part.score).sum();
        prop_assert!(sum - advice.overall_score > -1e-9 && sum - advice.overall_score < 0.1, "{} {}", sum, advice.overall_score);
        prop_assert_eq!(advice.suggestions.is_empty(), (advice.overall_score - 10.0).abs() < 1e-9);
        prop_assert_eq!(advice.suggestions.len(), advice.weaknesses.len());
        let of: f64 = advice.score_parts.iter().map(|part| part.out_of).sum();
        prop_assert!((of - 10.0).abs() < 1e-9);
    }
}
