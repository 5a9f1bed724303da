//! Diagnoses a spec: its file, log, locks, commits, criteria, dependencies, branch.

use crate::project::ProjectRuns;

use super::diagnosis_facts::{DiagnosisFacts, find_facts};
use super::work::next_step;
use crate::agents::{self, Agent};
use crate::view::diagnosis::{DiagnosisCheck, DiagnosisReport};
use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_base::next_step::{HintText, NextStep, hint};
use chant_base::plural::counted;
use chant_specs::error::ChantError;
use chant_specs::model::{Spec, SpecStatus};
use chant_specs::ops::read::age;
use chant_specs::project::{Project, ProjectSnapshot};
use chant_specs::specs::{SpecGraph, SpecWait, describe_cycle};
use chant_specs::view::spec::describe_wait;

/// The name of the check that looks at the agent.
const AGENT: &str = "Agent";

/// `chant_diagnose`: checks graded by the spec's state, the result in a sentence, and what to do.
///
/// # Errors
/// As [`Project::resolve`].
pub fn diagnose(project: &Project, id: &str) -> Result<Answer, Error> {
    let snapshot = project.snapshot()?;
    let spec = match project.resolve(&snapshot, id) {
        Err(error) => match error.downcast_ref() {
            Some(ChantError::Unreadable { id, .. }) => return Ok(unreadable(&snapshot, id)),
            _ => return Err(error),
        },
        Ok(spec) => spec,
    };
    let status = snapshot.specs.status(&spec);
    let found = find_facts(project, &snapshot, &spec);
    let mut checks = vec![
        DiagnosisCheck {
            name: "Spec file",
            passed: true,
            details: Some("Valid YAML".into()),
        },
        log_check(project, &spec, &found),
        lock_check(project, &spec),
        commit_check(&found),
        criteria_check(&spec, status),
        status_check(&spec, status, &found, snapshot.specs.idle(&spec)),
        dependency_check(&spec, status, &snapshot.specs),
        process_check(status, &found),
        branch_check(status, &found),
    ];
    checks.extend(agent_check(project, &snapshot, &spec, status));
    checks.extend(trust_check(project));
    let (diagnosis, suggestion) = conclusion(&spec, status, &found, &checks, &snapshot.specs);
    let suggestion = suggestion.map(|hint| hint.at(project.door));
    Ok(Answer::data(&DiagnosisReport {
        spec_id: key_of(&spec).as_deref().unwrap_or(spec.id.as_str()),
        status: status.as_str(),
        location: match &found.worktree {
            Some(worktree) => format!("worktree: {}", worktree.display()),
            None => "main repository".into(),
        },
        checks,
        diagnosis,
        suggestion,
    }))
}

/// The key of the item of another format that an order is for.
#[cfg(unix)]
fn key_of(spec: &Spec) -> Option<String> {
    crate::item_order::key_of_order(spec).ok().flatten()
}

/// Without runs there are no orders.
#[cfg(not(unix))]
fn key_of(_: &Spec) -> Option<String> {
    None
}

/// The diagnosis of a file that is no spec: nothing else can be looked at.
fn unreadable(snapshot: &ProjectSnapshot, id: &str) -> Answer {
    let broken = snapshot.specs.broken_of(id);
    let message = broken.map_or("Does not exist", |broken| &broken.problem.message);
    let details = match message.strip_prefix("cannot be read: ") {
        Some(why) => format!("Cannot read: {why}"),
        None => format!(
            "Invalid YAML: {}",
            message.trim_start_matches("Invalid YAML frontmatter: ")
        ),
    };
    let place = broken.map_or(String::new(), |broken| {
        let line = broken
            .problem
            .line
            .map(|line| format!(", line {line}"))
            .unwrap_or_default();
        format!("{}{line}", broken.problem.path)
    });
    Answer::data(&DiagnosisReport {
        spec_id: id,
        status: "unreadable",
        location: "main repository".into(),
        checks: vec![DiagnosisCheck {
            name: "Spec file",
            passed: false,
            details: Some(details),
        }],
        diagnosis: "Spec has issues: Spec file".into(),
        suggestion: Some(format!("Fix {place}; other specs are not affected.")),
    })
}

/// Reports that the folder is not trusted: no agent is started there, and runs are not looked after.
fn trust_check(project: &Project) -> Option<DiagnosisCheck> {
    let line = project.untrusted_line()?;
    Some(DiagnosisCheck {
        name: "Trust",
        passed: true,
        details: Some(line.into()),
    })
}

/// Checks the log; it is missed only where an agent ran.
fn log_check(project: &Project, spec: &Spec, found: &DiagnosisFacts) -> DiagnosisCheck {
    let stamp = project.shown_log_stamp(spec.id.as_str());
    let details = match &stamp {
        Some(stamp) => {
            let age = age(stamp.modified);
            format!(
                "Exists ({} bytes), last modified: {age} (checked in main)",
                stamp.size
            )
        }
        None => "Does not exist (checked in main)".into(),
    };
    DiagnosisCheck {
        name: "Log file",
        passed: stamp.is_some() || found.runs.is_empty(),
        details: Some(details),
    }
}

fn lock_check(project: &Project, spec: &Spec) -> DiagnosisCheck {
    let details = match super::state::find_lock_holder(project, &spec.id) {
        None => "Not present (checked in main)".into(),
        Some(holder) => format!(
            "Present (spec may be running) (checked in main); {}",
            holder.words()
        ),
    };
    DiagnosisCheck {
        name: "Lock file",
        passed: true,
        details: Some(details),
    }
}

fn commit_check(found: &DiagnosisFacts) -> DiagnosisCheck {
    let (passed, details) = match &found.commits {
        Ok(commits) => match commits.last() {
            Some(commit) => (true, format!("Found: {}", commit.short)),
            None => (true, "No matching commit found".into()),
        },
        Err(why) => (false, format!("Cannot run git log: {why}")),
    };
    DiagnosisCheck {
        name: "Git commit",
        passed,
        details: Some(details),
    }
}

/// Checks the criteria: open ones are normal as long as the work is not claimed to be done.
fn criteria_check(spec: &Spec, status: SpecStatus) -> DiagnosisCheck {
    let unchecked = spec.unchecked();
    let mut details = if unchecked == 0 {
        "All satisfied".into()
    } else {
        format!("{unchecked} unchecked items remaining")
    };
    for sentence in spec.describe_unread() {
        details = format!("{details}; {sentence}");
    }
    DiagnosisCheck {
        name: "Acceptance criteria",
        passed: !spec.has_unread_criteria() && (unchecked == 0 || status != SpecStatus::Completed),
        details: Some(details),
    }
}

fn status_check(
    spec: &Spec,
    status: SpecStatus,
    found: &DiagnosisFacts,
    idle: Option<&str>,
) -> DiagnosisCheck {
    let (passed, details) = match status {
        SpecStatus::InProgress if found.has_commit() && !found.is_being_worked() => (
            false,
            "Status is in_progress but commit exists (should be completed?)",
        ),
        SpecStatus::InProgress => (true, "In progress"),
        SpecStatus::Completed if spec.unchecked() > 0 => (
            false,
            "Status is completed but acceptance criteria unchecked",
        ),
        SpecStatus::Completed
            if found.commits.is_ok() && !found.has_commit() && !found.runs.is_empty() =>
        {
            (false, "Status is completed but no commit found")
        }
        SpecStatus::Completed if !found.has_commit() => {
            (true, "Completed by hand, no commit carries its tag")
        }
        SpecStatus::Completed => (true, "Completed"),
        SpecStatus::Pending | SpecStatus::Ready | SpecStatus::Blocked if found.has_commit() => {
            (false, "Status is pending but commit exists")
        }
        SpecStatus::Pending | SpecStatus::Ready => (true, idle.unwrap_or("Not started")),
        SpecStatus::Blocked => (true, "Blocked by unmet dependencies"),
        SpecStatus::Paused => (true, "Paused (work stopped mid-execution)"),
        SpecStatus::Failed => (true, "Marked as failed"),
        SpecStatus::NeedsAttention => (true, "Marked as needs attention"),
        SpecStatus::Cancelled => (true, "Marked as cancelled (nothing more will be done)"),
    };
    DiagnosisCheck {
        name: "Status consistency",
        passed,
        details: Some(details.into()),
    }
}

/// Waiting is normal before work begins, unless what is waited for does not exist.
fn dependency_check(spec: &Spec, status: SpecStatus, specs: &SpecGraph) -> DiagnosisCheck {
    let waits = specs.waits(spec);
    let is_before = matches!(
        status,
        SpecStatus::Pending | SpecStatus::Blocked | SpecStatus::Ready | SpecStatus::Cancelled
    );
    let is_hopeless = waits.iter().any(is_unknown);
    let is_loop = specs
        .graph()
        .find(spec.id.as_str())
        .and_then(|node| specs.graph().cycle_through(node));
    let mut words: Vec<String> = waits.iter().take(5).map(describe_wait).collect();
    if waits.len() > 5 {
        words.push(format!("{} more", waits.len() - 5));
    }
    let details = match (&is_loop, words.is_empty()) {
        (Some(cycle), _) => format!(
            "Circular: {}",
            describe_cycle(specs.graph(), cycle).join(" -> ")
        ),
        (None, true) => "All met".into(),
        (None, false) => format!("Waits for: {}", words.join("; ")),
    };
    let passed =
        is_loop.is_none() && !is_hopeless && (is_before || !waits.iter().any(SpecWait::blocks));
    DiagnosisCheck {
        name: "Dependencies",
        passed,
        details: Some(details),
    }
}

fn process_check(status: SpecStatus, found: &DiagnosisFacts) -> DiagnosisCheck {
    let stale = found.runs.iter().rev().find(|run| run.is_stale);
    let (passed, details) = match (found.living_run(), stale) {
        (Some(run), _) => (
            true,
            format!(
                "{} is running (PID {})",
                run.process_id,
                run.pid.unwrap_or(0)
            ),
        ),
        (None, Some(run)) if status == SpecStatus::InProgress => (
            false,
            format!("{} says it runs, but no such process lives", run.process_id),
        ),
        _ if found.runs.is_empty() => (true, "No run recorded".into()),
        _ => match found.trouble(status) {
            Some((run, end, reason)) => {
                (false, format!("{} ended {end}: {reason}", run.process_id))
            }
            None => (
                true,
                format!(
                    "{} recorded, none running",
                    counted(found.runs.len(), "run")
                ),
            ),
        },
    };
    DiagnosisCheck {
        name: "Process",
        passed,
        details: Some(details),
    }
}

fn branch_check(status: SpecStatus, found: &DiagnosisFacts) -> DiagnosisCheck {
    let branch = &found.branch;
    let (passed, mut details) = match (found.branch_exists, found.is_merged) {
        (false, _) => (true, format!("{branch} does not exist")),
        (true, true) => (true, format!("{branch} is merged")),
        (true, false) => (
            status != SpecStatus::Completed,
            format!("{branch} is not merged"),
        ),
    };
    if let Some(first) = found.uncommitted.first() {
        details.push_str(&format!(
            "; {} in its worktree, such as {first}",
            counted(found.uncommitted.len(), "uncommitted change")
        ));
    }
    let is_clean = found.uncommitted.is_empty() || status != SpecStatus::Completed;
    DiagnosisCheck {
        name: "Branch",
        passed: passed && is_clean,
        details: Some(details),
    }
}

/// The configured agent, where it is a model over HTTP and work on the spec is to come.
fn agent_check(
    project: &Project,
    snapshot: &ProjectSnapshot,
    spec: &Spec,
    status: SpecStatus,
) -> Option<DiagnosisCheck> {
    let may_start = [
        SpecStatus::Pending,
        SpecStatus::Blocked,
        SpecStatus::Ready,
        SpecStatus::Paused,
        SpecStatus::Failed,
        SpecStatus::NeedsAttention,
    ];
    if !may_start.contains(&status) {
        return None;
    }
    let config = snapshot.config.as_ref().ok()?;
    let agent = Agent::of_provider(&config.runs).ok()?;
    let provider = agent.provider.as_ref()?;
    let model = agents::model(spec, &agent, &project.environment, config);
    let ready = agent.refuse_unready(model.as_deref(), &project.environment);
    Some(DiagnosisCheck {
        name: AGENT,
        passed: ready.is_ok(),
        details: Some(match ready {
            Ok(()) => format!(
                "{} asks {} at {}",
                agent.name,
                model.unwrap_or_default(),
                provider.endpoint
            ),
            Err(error) => error.to_string(),
        }),
    })
}

/// Returns true if a spec waits for something that does not exist.
fn is_unknown(wait: &SpecWait) -> bool {
    matches!(wait, SpecWait::Item { status: None, kind, .. } if kind.blocks())
}

/// Returns the wait to settle first: a dependency that cannot be met, any other dependency, approval.
fn decisive(waits: &[SpecWait]) -> Option<&SpecWait> {
    let is_item = |wait: &&SpecWait| matches!(wait, SpecWait::Item { .. });
    let item = waits.iter().find(|wait| is_unknown(wait));
    item.or_else(|| waits.iter().find(is_item))
        .or_else(|| waits.first())
}

/// Returns the hint for a run that ended like this.
fn after_trouble(spec: &Spec, end: &str) -> HintText {
    let id = || spec.id.to_string();
    match end {
        "awaiting_merge" => hint![
            "Remove the blocker that the reason names; then a person goes on with ",
            NextStep::Merge(id()),
            ".",
        ],
        "awaiting_approval" => hint![
            "A person looks at the work and says ",
            NextStep::Approve(id()),
            ", which merges it, or ",
            NextStep::Reject(id()),
            ", after which a start goes on with it.",
        ],
        "needs_attention" if !spec.is_approved() => hint![
            NextStep::Work(id()),
            " has an agent go on with the rejected work, with the discussion. A person withdraws the rejection with ",
            NextStep::Approve(id()),
            ".",
        ],
        "needs_attention" => hint![
            "Fix what the reason names in the worktree and commit it there; then a person has the work judged again with ",
            NextStep::Merge(id()),
            ".",
        ],
        _ => hint![
            "Look at ",
            NextStep::ShowLog(id()),
            "; ",
            NextStep::Work(id()),
            " has an agent go on with the work, ",
            NextStep::Reset(id()),
            " makes the spec pending again.",
        ],
    }
}

fn conclusion(
    spec: &Spec,
    status: SpecStatus,
    found: &DiagnosisFacts,
    checks: &[DiagnosisCheck],
    specs: &SpecGraph,
) -> (String, Option<HintText>) {
    let id = || spec.id.to_string();
    let failed: Vec<&str> = checks
        .iter()
        .filter(|check| !check.passed)
        .map(|check| check.name)
        .collect();
    if failed.is_empty() {
        return ("All checks passed. Spec appears healthy.".into(), None);
    }
    let open = || {
        let open = spec
            .criteria
            .iter()
            .filter(|criterion| !criterion.checked)
            .take(5);
        open.map(|criterion| spec.criterion_text(criterion))
            .collect::<Vec<_>>()
            .join("; ")
    };
    let is_met = spec.unchecked() == 0;
    if let Some((run, end, reason)) = found.trouble(status) {
        return (
            format!("The last run, {}, ended {end}: {reason}", run.process_id),
            Some(next_step(run).unwrap_or_else(|| after_trouble(spec, end))),
        );
    }
    match status {
        SpecStatus::InProgress if found.has_commit() && is_met => (
            "Spec appears complete but wasn't finalized.".into(),
            Some(hint!["Complete it with ", NextStep::Finalize(id()), "."]),
        ),
        SpecStatus::InProgress if found.has_commit() => (
            "Spec has a commit but acceptance criteria not all satisfied.".into(),
            Some(hint![format!("Open criteria: {}", open())]),
        ),
        SpecStatus::InProgress => (
            "Spec is in progress but has issues.".into(),
            Some(hint![
                "Look at its log with ",
                NextStep::ShowLog(id()),
                "; ",
                NextStep::Reset(id()),
                " makes it pending again.",
            ]),
        ),
        _ => {
            let suggestion = match failed.first() {
                Some(&"Dependencies") => match decisive(&specs.waits(spec)) {
                    Some(SpecWait::Approval) => hint![
                        "The spec needs a person's approval before work goes on: ",
                        NextStep::Approve(id()),
                        ", or ",
                        NextStep::Reject(id()),
                        ".",
                    ],
                    Some(wait) => hint![
                        "Correct depends_on with ",
                        NextStep::EditSpec(id()),
                        format!(": {}", describe_wait(wait)),
                    ],
                    None => hint![
                        "Remove one dependency of the cycle with ",
                        NextStep::EditSpec(id()),
                        ".",
                    ],
                },
                Some(&"Acceptance criteria") if !spec.describe_unread().is_empty() => {
                    hint![spec.describe_unread().join(" ")]
                }
                Some(&"Acceptance criteria" | &"Status consistency") if !is_met => {
                    hint![format!("Open criteria: {}", open())]
                }
                Some(&"Status consistency") => hint![
                    "Compare the commits with the status; ",
                    NextStep::EditSpec(id()),
                    " changes it.",
                ],
                Some(&AGENT) => {
                    let why = checks.iter().find(|check| check.name == AGENT);
                    let why = why.and_then(|check| check.details.clone());
                    hint![why.unwrap_or_default()]
                }
                Some(&"Branch") => {
                    hint![format!("Merge {} or look at its worktree.", found.branch)]
                }
                _ => hint!["Look at its log with ", NextStep::ShowLog(id()), "."],
            };
            (
                format!("Spec has issues: {}", failed.join(", ")),
                Some(suggestion),
            )
        }
    }
}
