//! What forbids a start, and what it comes to.

use std::sync::Arc;

use chant_base::error::CoreError;
use chant_config::Config;
use chant_spec_runs::error::SpecRunError;
use chant_spec_runs::start::{StartInputs, StartPlan, StartRefusal, StartTarget, WorkMode};
use chant_specs::model::{Spec, SpecStatus};
use chant_specs::parse;
use chant_specs::specs::SpecGraph;
use chant_store::index::{DocumentChange, FileSource};
use proptest::prelude::*;

use crate::chant_specs::specs;

const GOOD: &str = "# T\n\n- Add a\n- Add b\n\n## Acceptance Criteria\n\n- [ ] Add a\n- [ ] Add b\n- [ ] Test a\n- [ ] Test b\n";

/// Specs of given front matter and body.
fn written(files: &[(&str, &str, &str)]) -> SpecGraph {
    let mut specs = SpecGraph::default();
    let change = |(id, yaml, body): &(&str, &str, &str)| {
        let path = format!(".chant/specs/{id}.md");
        let text = format!("---\n{yaml}\n---\n{body}");
        DocumentChange {
            document: Some(parse::document(&path, FileSource::Text(text))),
            path: path.into(),
        }
    };
    specs.apply(files.iter().map(change).collect());
    specs
}

/// What earlier runs left.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Left {
    Nothing,
    /// A run that was stopped before its agent began.
    Run,
    Work,
}

/// What a start asks besides specs.
struct Asked {
    config: Config,
    skip_criteria: bool,
    left: Left,
    has_prompt: bool,
    lint_errors: Vec<String>,
}

impl Default for Asked {
    fn default() -> Self {
        Self {
            config: Config::default(),
            skip_criteria: false,
            left: Left::Nothing,
            has_prompt: true,
            lint_errors: Vec::new(),
        }
    }
}

impl Asked {
    fn plan(&self, specs: &SpecGraph, id: &str) -> Result<StartPlan, StartRefusal> {
        let start = StartInputs {
            specs,
            config: &self.config,
            skip_criteria: self.skip_criteria,
            prompt: None,
            goes_on: &|_: &Spec| self.left != Left::Nothing,
            has_work: &|_| self.left == Left::Work,
            has_prompt: &|_| self.has_prompt,
            lint_errors: &|_: &Arc<Spec>| self.lint_errors.clone(),
        };
        start.plan(specs.find(id).unwrap())
    }

    fn skipping() -> Self {
        Self {
            skip_criteria: true,
            ..Self::default()
        }
    }
}

#[track_caller]
fn refused(asked: &Asked, specs: &SpecGraph, id: &str, expected: &str) {
    let refusal = asked.plan(specs, id).unwrap_err();
    assert_eq!(refusal.to_string().lines().next(), Some(expected));
    assert!(refusal.details().is_object());
    assert_eq!(SpecRunError::from(refusal.clone()).kind(), refusal.kind());
}

fn planned(asked: &Asked, specs: &SpecGraph, id: &str) -> String {
    match asked.plan(specs, id).unwrap().work {
        StartTarget::Spec(id) => id.to_string(),
        StartTarget::Members { driver, members } => {
            let members: Vec<String> = members.iter().map(ToString::to_string).collect();
            format!("{driver}: {}", members.join(" "))
        }
    }
}

/// Reference chant 5.17, step 2.
#[test]
fn states_that_are_no_beginning_are_refused_in_the_documented_words() {
    let asked = Asked::default();
    let words = [
        (
            "paused",
            "Spec 'x' is paused. Cannot start work on a paused spec.",
        ),
        ("in_progress", "Spec 'x' is already in progress."),
        ("completed", "Spec 'x' is already completed."),
        ("cancelled", "Spec 'x' is cancelled."),
    ];
    for (status, expected) in words {
        let specs = written(&[("x", &format!("status: {status}"), GOOD)]);
        refused(&asked, &specs, "x", expected);
    }
    for status in ["pending", "blocked", "failed", "needs_attention", "ready"] {
        let specs = written(&[("x", &format!("status: {status}"), GOOD)]);
        assert_eq!(planned(&asked, &specs, "x"), "x", "{status}");
    }
}

#[test]
fn work_that_was_stopped_goes_on() {
    let asked = Asked {
        left: Left::Run,
        ..Asked::default()
    };
    for status in ["in_progress", "paused"] {
        let specs = written(&[("x", &format!("status: {status}"), GOOD)]);
        assert_eq!(planned(&asked, &specs, "x"), "x");
    }
    let specs = written(&[("x", "status: completed", GOOD)]);
    refused(&asked, &specs, "x", "Spec 'x' is already completed.");
}

/// Reference chant 4.4.
#[test]
fn approval_is_asked_for_whatever_else_is_skipped() {
    let asked = Asked::skipping();
    let specs = written(&[
        ("x", "approval: {required: true}", GOOD),
        (
            "y",
            "approval: {required: true, status: rejected, by: eve}\nstatus: failed",
            GOOD,
        ),
        ("z", "approval: {required: true, status: approved}", GOOD),
    ]);
    refused(
        &asked,
        &specs,
        "x",
        "Spec 'x' requires approval before work can begin.",
    );
    let rejected = "Cannot work on spec 'y' - it has been rejected by eve. Address the feedback and get approval first.";
    refused(&asked, &specs, "y", rejected);
    let reworking = Asked {
        left: Left::Work,
        ..Asked::skipping()
    };
    assert_eq!(planned(&reworking, &specs, "y"), "y");
    let unasked = "Spec 'x' requires approval before work can begin.";
    refused(&reworking, &specs, "x", unasked);
    assert_eq!(planned(&asked, &specs, "z"), "z");
}

#[test]
fn what_a_spec_waits_for_is_told_with_reasons() {
    let asked = Asked::skipping();
    let specs = specs("a pending\nb pending [a gone]\nc pending [d]\nd cancelled");
    let blocked = "Spec 'b' is blocked by dependencies: a (pending), gone (no such spec)";
    refused(&asked, &specs, "b", blocked);
    assert_eq!(planned(&asked, &specs, "c"), "c");
}

#[test]
fn earlier_siblings_and_what_drivers_name_hold_members_up() {
    let asked = Asked::skipping();
    let specs = specs("a pending\nD pending driver [a]\nD.1 pending\nD.2 pending");
    refused(
        &asked,
        &specs,
        "D.1",
        "Spec 'D.1' is blocked by dependencies: a (pending), named by D",
    );
    let waits = "Spec 'D.2' is blocked by dependencies: a (pending), named by D, D.1 (blocked), an earlier sibling";
    refused(&asked, &specs, "D.2", waits);
    refused(
        &asked,
        &specs,
        "D",
        "Spec 'D' is blocked by dependencies: a (pending)",
    );
}

/// Reference chant 4.6.
#[test]
fn a_driver_is_its_open_members_in_order() {
    let asked = Asked::skipping();
    let lines = "D in_progress driver\nD.1 completed\nD.2 pending\nD.3 pending group\nD.3.1 pending\nD.10 failed\nE pending group\nF pending driver\nF.1 completed\nG pending\nG.1 pending\nH pending driver\nH.1 in_progress\nH.2 pending";
    let specs = specs(lines);
    assert_eq!(planned(&asked, &specs, "D"), "D: D.2 D.3.1 D.10");
    let empty = "Driver spec 'E' has no member specs. Cannot execute an empty driver.";
    refused(&asked, &specs, "E", empty);
    refused(&asked, &specs, "F", "All members of 'F' are done");
    assert_eq!(planned(&asked, &specs, "G"), "G: G.1");
    let waits = "No member of 'H' can be worked on now: H.1 (in_progress), H.2 (waits for H.1 (in_progress), an earlier sibling)";
    refused(&asked, &specs, "H", waits);
}

#[test]
fn a_spec_has_to_be_a_task_for_an_agent() {
    let specs = written(&[("x", "", GOOD), ("y", "prompt: odd", GOOD)]);
    let lint = Asked {
        lint_errors: vec!["Missing title".into(), "Unknown dependency 'q'".into()],
        ..Asked::default()
    };
    let errors = "Spec 'x' has lint errors: Missing title; Unknown dependency 'q'";
    refused(&lint, &specs, "x", errors);
    let no_prompt = Asked {
        has_prompt: false,
        ..Asked::skipping()
    };
    refused(&no_prompt, &specs, "x", "Prompt not found: standard");
    refused(&no_prompt, &specs, "y", "Prompt not found: odd");
}

#[test]
fn checks_that_criteria_name_have_to_be_configured() {
    let body = GOOD.replace("Test a", "Test a <!-- check: tests -->");
    let specs = written(&[("x", "", &body)]);
    let none = Asked::default();
    refused(
        &none,
        &specs,
        "x",
        "Spec 'x' names a check that is not configured: tests",
    );
    let mut configured = Asked::default();
    let argv = vec!["cargo".to_owned(), "test".to_owned()];
    configured.config.runs.checks.insert("tests".into(), argv);
    assert_eq!(planned(&configured, &specs, "x"), "x");
}

#[test]
fn criteria_and_grades_are_asked_for_unless_skipped() {
    let specs = written(&[
        ("x", "", "# T\n\n- Add a\n\n- [ ] no criterion\n"),
        (
            "y",
            "",
            "# T\n\nImprove things, etc.\n\nAs needed.\n\n## Acceptance Criteria\n\n- [ ] one\n",
        ),
        ("y2", "target_files: [a, b, c, d, e]", GOOD),
    ]);
    let asked = Asked::default();
    let criteria = "Spec 'x' has no acceptance criteria, so nothing says when it is done.";
    refused(&asked, &specs, "x", criteria);
    let red = "Spec 'y2' does not pass the quality gate (refine): Add target_files and organize with ## section headers to improve splittability; Reduce criteria count or split spec into smaller pieces";
    refused(&asked, &specs, "y2", red);
    assert!(asked.plan(&specs, "y").is_ok(), "yellow is advice");
    let plan = Asked::skipping().plan(&specs, "y2").unwrap();
    assert_eq!(plan.red.len(), 1);
    assert_eq!(plan.red[0].0.as_str(), "y2");
    // Of a driver every member is looked at before any is started.
    let specs = written(&[
        ("D", "type: driver", "# D\n"),
        ("D.1", "", GOOD),
        ("D.2", "", "# T\n\n- Add a\n"),
    ]);
    let criteria = "Spec 'D.2' has no acceptance criteria, so nothing says when it is done.";
    refused(&asked, &specs, "D", criteria);
}

#[test]
fn modes_are_read_once_and_written_as_answers_spell_them() {
    let of = |chain, parallel| WorkMode::of(chain, parallel).map(|mode| mode.to_string());
    assert_eq!(of(false, None), Ok("single".into()));
    assert_eq!(of(true, None), Ok("chain".into()));
    assert_eq!(of(true, Some(3)), Ok("parallel(3)".into()));
    let refused = of(false, Some(0)).unwrap_err().to_string();
    assert_eq!(
        refused,
        "Invalid parameter 'parallel': expected a number of workers of at least 1, got 0"
    );
}

proptest! {
    /// One predicate: what `chant_ready` lists can be started, and nothing else that is to be done.
    #[test]
    fn ready_and_start_agree(
        states in proptest::collection::vec((0..4_usize, 0..4_usize, any::<bool>()), 6)
    ) {
        let names = ["a", "b", "D", "D.1", "D.2", "c"];
        let line = |(at, (state, needs, approval)): (usize, &(usize, usize, bool))| {
            let state = ["pending", "failed", "completed", "blocked"][*state];
            let needs = ["", "[a]", "[b gone]", "[]"][*needs];
            let approval = if *approval && at == 1 { "approval" } else { "" };
            format!("{} {state} {approval} {needs}", names[at])
        };
        let lines: Vec<String> = states.iter().enumerate().map(line).collect();
        let specs = specs(&lines.join("\n"));
        let asked = Asked::skipping();
        for spec in specs.all().iter().filter(|spec| spec.id.as_str() != "D") {
            let is_to_do = !matches!(spec.status, SpecStatus::Completed);
            let may_start = asked.plan(&specs, spec.id.as_str()).is_ok();
            prop_assert_eq!(may_start, is_to_do && specs.is_ready(spec), "{} in {:?}", spec.id, lines);
        }
    }
}
