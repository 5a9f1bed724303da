//! Decides whether work on a spec can begin, and on what: every refusal that needs no process, before one is
//! started (reference chant 4.4 to 4.6, 5.17, 6.2).

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;

use serde_json::{Value, json};

use super::prompt;
use chant_base::error::ErrorKind;
use chant_base::next_step::{HintText, NextStep, hint};
use chant_config::Config;
use chant_graph::EdgeKind;
use chant_proof::completion;
use chant_specs::approval::ApprovalVerdict;
use chant_specs::error::ChantError;
use chant_specs::id::SpecId;
use chant_specs::model::{Spec, SpecStatus};
use chant_specs::scores::{SpecScores, SpecSize, TrafficLight};
use chant_specs::specs::{SpecGraph, SpecWait};
use chant_specs::view::spec::describe_wait;
use chant_specs::work_items::is_run_id;
use chant_work::run_record::{RunOptions, RunRecord, SINGLE};

/// The extent of the work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WorkMode {
    /// One spec, or the members of one.
    #[default]
    Single,
    /// The same, then whatever is ready.
    Chain,
    /// The same and whatever is ready, so many at once.
    Parallel(NonZeroUsize),
}

impl WorkMode {
    /// The mode that arguments ask for; `parallel` wins over `chain`.
    ///
    /// # Errors
    /// `InvalidArgument` for a number of workers below 1.
    pub fn of(chain: bool, parallel: Option<i64>) -> Result<Self, ChantError> {
        let Some(number) = parallel else {
            return Ok(if chain { Self::Chain } else { Self::Single });
        };
        let workers = usize::try_from(number).ok().and_then(NonZeroUsize::new);
        workers.map(Self::Parallel).ok_or_else(|| {
            let why = format!("expected a number of workers of at least 1, got {number}");
            ChantError::InvalidArgument {
                name: "parallel",
                why,
            }
        })
    }
}

impl fmt::Display for WorkMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Single => f.write_str("single"),
            Self::Chain => f.write_str("chain"),
            Self::Parallel(workers) => write!(f, "parallel({workers})"),
        }
    }
}

/// The options of a start.
#[derive(Debug, Clone, Default)]
pub struct StartOptions {
    /// The extent of the work.
    pub mode: WorkMode,
    /// Everything else.
    pub asked: RunOptions,
}

impl StartOptions {
    /// Returns the options of the start of a recorded run.
    pub fn of(record: &RunRecord) -> Self {
        let number = record
            .mode
            .strip_prefix("parallel(")
            .and_then(|rest| rest.strip_suffix(')'));
        let number: Option<NonZeroUsize> = number.and_then(|number| number.parse().ok());
        let mode = match (number, record.mode.as_str()) {
            (Some(number), _) => WorkMode::Parallel(number),
            (None, SINGLE) => WorkMode::Single,
            (None, _) => WorkMode::Chain,
        };
        Self {
            mode,
            asked: record.asked.clone(),
        }
    }
}

/// Why work cannot begin; nothing was started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StartRefusal {
    /// The spec's state forbids it.
    #[error("{}", of_state(id, *status))]
    State {
        /// The spec.
        id: SpecId,
        /// Its state.
        status: SpecStatus,
    },
    /// A person has to agree first.
    #[error("Spec '{id}' requires approval before work can begin.")]
    Approval {
        /// The spec.
        id: SpecId,
    },
    /// A person has disagreed.
    #[error(
        "Cannot work on spec '{id}' - it has been rejected by {by}. Address the feedback and get approval first."
    )]
    Rejected {
        /// The spec.
        id: SpecId,
        /// By whom.
        by: String,
    },
    /// Other items have to be done first.
    #[error("Spec '{id}' is blocked by dependencies: {}", waits.join(", "))]
    Blocked {
        /// The spec.
        id: SpecId,
        /// The items it waits for, each with its reason.
        waits: Vec<String>,
    },
    /// A container holds nothing.
    #[error("Driver spec '{id}' has no member specs. Cannot execute an empty driver.")]
    NoMembers {
        /// The container.
        id: SpecId,
    },
    /// A container's members are all done.
    #[error("{}", of_done_members(id, open))]
    MembersDone {
        /// The container.
        id: SpecId,
        /// Its own criteria that are open.
        open: Vec<String>,
    },
    /// Open members are there, but none that can be worked on.
    #[error("No member of '{id}' can be worked on now: {}", members.join(", "))]
    MembersWait {
        /// The container.
        id: SpecId,
        /// The open members, each with what it waits for.
        members: Vec<String>,
    },
    /// Lint found errors.
    #[error("Spec '{id}' has lint errors: {}", errors.join("; "))]
    Lint {
        /// The spec.
        id: SpecId,
        /// The errors.
        errors: Vec<String>,
    },
    /// There is no such prompt.
    #[error("Prompt not found: {name}\nExpected .chant/prompts/{name}.md, wanted by spec '{id}'.")]
    NoPrompt {
        /// The spec.
        id: SpecId,
        /// The prompt's name.
        name: String,
    },
    /// A criterion names a check that is not configured.
    #[error(
        "Spec '{id}' names a check that is not configured: {name}\nAdd it below `checks:` in .chant/config.md, as a list of a program and its arguments, or remove the mark from the criterion."
    )]
    NoCheck {
        /// The spec.
        id: SpecId,
        /// The check's name.
        name: String,
    },
    /// Nothing would show when the work is done.
    #[error(
        "Spec '{id}' has no acceptance criteria{}, so nothing says when it is done.",
        because(unread)
    )]
    NoCriteria {
        /// The spec.
        id: SpecId,
        /// The descriptions of what is not read.
        unread: Vec<String>,
    },
    /// The quality gate is red.
    #[error("Spec '{id}' does not pass the quality gate (refine): {}", suggestions.join("; "))]
    Quality {
        /// The spec.
        id: SpecId,
        /// The suggestions that would improve it.
        suggestions: Vec<&'static str>,
    },
}

/// Returns what is not read, in parentheses.
fn because(unread: &[String]) -> String {
    match unread {
        [] => String::new(),
        unread => format!(" that is read ({})", unread.join("; ")),
    }
}

fn of_done_members(id: &SpecId, open: &[String]) -> String {
    if open.is_empty() {
        return format!("All members of '{id}' are done");
    }
    format!(
        "All members of '{id}' are done, and criteria of its own are open: {}",
        open.join("; ")
    )
}

fn of_state(id: &SpecId, status: SpecStatus) -> String {
    let is = match status {
        SpecStatus::Paused => "is paused. Cannot start work on a paused spec.",
        SpecStatus::InProgress => "is already in progress.",
        SpecStatus::Completed => "is already completed.",
        _ => "is cancelled.",
    };
    format!("Spec '{id}' {is}")
}

/// Returns the hint where a spec's state forbids work.
fn out_of_state(id: &SpecId, status: SpecStatus) -> HintText {
    let id = || id.to_string();
    let why = match status {
        SpecStatus::InProgress => {
            return hint![
                "\n",
                NextStep::ListRuns,
                " shows whether an agent works on it; ",
                NextStep::TakeOver(id()),
                " stops that, ",
                NextStep::Reset(id()),
                " makes the spec pending again.",
            ];
        }
        SpecStatus::Paused | SpecStatus::Completed => " to work on it again.",
        _ => " to work on it after all.",
    };
    hint![
        "\nSet its status to pending with ",
        NextStep::EditSpec(id()),
        why,
    ]
}

impl StartRefusal {
    /// Returns the hint, behind the sentence.
    pub fn hint(&self) -> HintText {
        match self {
            Self::State { id, status } => out_of_state(id, *status),
            Self::Approval { id } => hint![
                "\nA person approves it with ",
                NextStep::Approve(id.to_string()),
                "; then try again.",
            ],
            Self::Blocked { .. } => hint![
                "\n",
                NextStep::ListReady,
                " lists what can be worked on now.",
            ],
            Self::NoMembers { id } => hint![
                "\nGive it members with ",
                NextStep::AddMembers(id.to_string()),
                ", or with ",
                NextStep::Split(id.to_string()),
                ".",
            ],
            Self::MembersDone { id, open } if open.is_empty() => {
                hint!["; ", NextStep::Finalize(id.to_string()), " completes it."]
            }
            Self::MembersDone { id, .. } => hint![
                "\nTick those that hold with ",
                NextStep::TickCriteria(id.to_string()),
                ", then ",
                NextStep::Finalize(id.to_string()),
                " completes it.",
            ],
            Self::Lint { id, .. } => hint![
                "\nFix them and try again; ",
                NextStep::Lint(id.to_string()),
                " shows them, too.",
            ],
            Self::NoCriteria { .. } => hint![
                "\nAdd a section `## Acceptance Criteria` with `- [ ]` items (",
                NextStep::DescribeSpec("`criteria`"),
                "), or start with ",
                NextStep::SkipCriteria,
                "; then a commit suffices.",
            ],
            Self::Quality { .. } => hint![
                "\nImprove it (",
                NextStep::DescribeSpec(
                    "`criteria`, `depends_on`, `labels`, `target_files`, `type` and `parent`"
                ),
                "), or start with ",
                NextStep::SkipCriteria,
                ".",
            ],
            Self::Rejected { .. }
            | Self::MembersWait { .. }
            | Self::NoPrompt { .. }
            | Self::NoCheck { .. } => HintText::default(),
        }
    }

    /// Returns the kind of the refusal.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::State { .. } => ErrorKind::IllegalTransition,
            Self::NoPrompt { .. } => ErrorKind::NotFound,
            _ => ErrorKind::Refused,
        }
    }

    /// The values in the sentence, by name.
    pub fn details(&self) -> Value {
        match self {
            Self::State { id, status } => json!({"id": id.as_str(), "status": status.as_str()}),
            Self::Approval { id } | Self::NoMembers { id } | Self::NoCriteria { id, .. } => {
                json!({"id": id.as_str()})
            }
            Self::Rejected { id, by } => json!({"id": id.as_str(), "by": by}),
            Self::Blocked { id, waits } => json!({"id": id.as_str(), "waits_for": waits}),
            Self::MembersDone { id, open } => json!({"id": id.as_str(), "open": open}),
            Self::MembersWait { id, members } => json!({"id": id.as_str(), "members": members}),
            Self::Lint { id, errors } => json!({"id": id.as_str(), "errors": errors}),
            Self::NoPrompt { id, name } => json!({"id": id.as_str(), "prompt": name}),
            Self::NoCheck { id, name } => json!({"id": id.as_str(), "check": name}),
            Self::Quality { id, suggestions } => {
                json!({"id": id.as_str(), "suggestions": suggestions})
            }
        }
    }
}

/// The work to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StartTarget {
    /// A spec itself.
    Spec(SpecId),
    /// The open members of a spec, in the order of their IDs.
    Members {
        /// The spec that holds them.
        driver: SpecId,
        /// The members.
        members: Vec<SpecId>,
    },
}

/// The result of planning a start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartPlan {
    /// The work to begin with, or the only work.
    pub work: StartTarget,
    /// Specs that do not pass the quality gate and are started all the same, with their grades.
    pub red: Vec<(SpecId, SpecScores)>,
}

/// The facts that a start is decided on.
#[derive(Clone, Copy)]
pub struct StartInputs<'a> {
    /// All specs.
    pub specs: &'a SpecGraph,
    /// The configuration.
    pub config: &'a Config,
    /// True if missing criteria and a red quality gate are no obstacle.
    pub skip_criteria: bool,
    /// The prompt that is asked for, whatever specs say.
    pub prompt: Option<&'a str>,
    /// Returns true if the last run of a spec was stopped or lost, so that work on it may go on.
    pub goes_on: &'a dyn Fn(&Spec) -> bool,
    /// Returns true if an agent left work on a spec that can be gone on with: what was rejected is fixed there.
    pub has_work: &'a dyn Fn(&Spec) -> bool,
    /// Returns true if there is a prompt of this name.
    pub has_prompt: &'a dyn Fn(&str) -> bool,
    /// Returns the findings of a spec that lint calls errors.
    pub lint_errors: &'a dyn Fn(&Arc<Spec>) -> Vec<String>,
}

impl StartInputs<'_> {
    /// Plans a start of this spec.
    ///
    /// # Errors
    /// The first thing that forbids it.
    pub fn plan(&self, spec: &Arc<Spec>) -> Result<StartPlan, StartRefusal> {
        self.refuse_state(spec)?;
        self.refuse_unapproved(spec)?;
        let members: Vec<&Arc<Spec>> = self.specs.members(&spec.id).collect();
        let is_open = members.iter().any(|member| !member.status.is_done());
        if is_open {
            return self.plan_members(spec, &members);
        }
        let id = || spec.id.clone();
        if spec.kind.is_container() && members.is_empty() {
            return Err(StartRefusal::NoMembers { id: id() });
        }
        if spec.kind.is_container() {
            return Err(StartRefusal::MembersDone {
                id: id(),
                open: spec.open_criteria(),
            });
        }
        self.refuse_blocked(spec, |wait| !matches!(wait, SpecWait::Approval))?;
        let red = self.refuse_unfit(spec)?;
        Ok(StartPlan {
            work: StartTarget::Spec(id()),
            red: red.into_iter().map(|scores| (id(), scores)).collect(),
        })
    }

    fn plan_members(
        &self,
        spec: &Arc<Spec>,
        members: &[&Arc<Spec>],
    ) -> Result<StartPlan, StartRefusal> {
        self.refuse_blocked(spec, |wait| {
            !matches!(
                wait,
                SpecWait::Item {
                    kind: EdgeKind::Member,
                    ..
                }
            )
        })?;
        let to_do = members
            .iter()
            .filter(|member| member.status.is_to_do() && !member.kind.is_container());
        let to_do: Vec<&Arc<Spec>> = to_do.copied().collect();
        if !to_do.iter().any(|member| self.specs.is_ready(member)) {
            let open = members.iter().filter(|member| !member.status.is_done());
            return Err(StartRefusal::MembersWait {
                id: spec.id.clone(),
                members: open.map(|member| self.waiting(member)).collect(),
            });
        }
        let mut red = Vec::new();
        for member in &to_do {
            let scores = self.refuse_unfit(member)?;
            red.extend(scores.map(|scores| (member.id.clone(), scores)));
        }
        let members = to_do.iter().map(|member| member.id.clone()).collect();
        let driver = spec.id.clone();
        Ok(StartPlan {
            work: StartTarget::Members { driver, members },
            red,
        })
    }

    /// A member with its state or what it waits for.
    fn waiting(&self, member: &Spec) -> String {
        let waits: Vec<String> = self.specs.waits(member).iter().map(describe_wait).collect();
        if waits.is_empty() {
            format!("{} ({})", member.id, self.specs.status(member))
        } else {
            format!("{} (waits for {})", member.id, waits.join(", "))
        }
    }

    fn refuse_state(&self, spec: &Spec) -> Result<(), StartRefusal> {
        let may = match spec.status {
            SpecStatus::Pending
            | SpecStatus::Blocked
            | SpecStatus::Failed
            | SpecStatus::NeedsAttention
            | SpecStatus::Ready => true,
            // Its members say what a container waits for.
            SpecStatus::InProgress if spec.kind.is_container() => true,
            SpecStatus::InProgress if !self.specs.open_members(&spec.id).is_empty() => true,
            SpecStatus::InProgress | SpecStatus::Paused => (self.goes_on)(spec),
            SpecStatus::Completed | SpecStatus::Cancelled => false,
        };
        if may {
            return Ok(());
        }
        Err(StartRefusal::State {
            id: spec.id.clone(),
            status: spec.status,
        })
    }

    /// Approval that is missing; rejected work is gone on with, as it is judged by people again.
    fn refuse_unapproved(&self, spec: &Spec) -> Result<(), StartRefusal> {
        match refuse_unapproved(spec) {
            Err(StartRefusal::Rejected { .. }) if (self.has_work)(spec) => Ok(()),
            outcome => outcome,
        }
    }

    /// The predicate of `chant_ready`: what a spec waits for.
    fn refuse_blocked(
        &self,
        spec: &Spec,
        counts: impl Fn(&SpecWait) -> bool,
    ) -> Result<(), StartRefusal> {
        let waits = self.specs.waits(spec);
        let waits: Vec<String> = waits
            .iter()
            .filter(|w| counts(w))
            .map(describe_wait)
            .collect();
        if waits.is_empty() {
            return Ok(());
        }
        Err(StartRefusal::Blocked {
            id: spec.id.clone(),
            waits,
        })
    }

    /// Refuses a spec that is no task for an agent; gives the grades of one that is red and is
    /// started all the same.
    ///
    /// # Errors
    /// What lint, its prompt, its checks, its criteria or its grades forbid.
    pub fn refuse_unfit(&self, spec: &Arc<Spec>) -> Result<Option<SpecScores>, StartRefusal> {
        let id = || spec.id.clone();
        let is_order = is_run_id(spec.id.as_str());
        let errors = if is_order {
            Vec::new()
        } else {
            (self.lint_errors)(spec)
        };
        if !errors.is_empty() {
            return Err(StartRefusal::Lint { id: id(), errors });
        }
        let name =
            prompt::choose_prompt(self.prompt, spec, &self.config.runs.prompt, self.has_prompt);
        if !(self.has_prompt)(&name) {
            return Err(StartRefusal::NoPrompt { id: id(), name });
        }
        let criteria = completion::criteria_at_start(spec);
        let mut checks = criteria.into_iter().flat_map(|criterion| criterion.checks);
        if let Some(name) = checks.find(|name| !self.config.runs.checks.contains_key(name)) {
            return Err(StartRefusal::NoCheck { id: id(), name });
        }
        if is_order {
            // What other formats plan is not measured by the rules for specs.
            return Ok(None);
        }
        if spec.criteria.is_empty() && !self.skip_criteria {
            return Err(StartRefusal::NoCriteria {
                id: id(),
                unread: spec.describe_unread(),
            });
        }
        let members: Vec<&Arc<Spec>> = self.specs.members(&spec.id).collect();
        let scores = SpecScores::of(spec, SpecSize::of(spec), &members);
        match (scores.light(), self.skip_criteria) {
            (TrafficLight::Red, true) => Ok(Some(scores)),
            (TrafficLight::Red, false) => Err(StartRefusal::Quality {
                id: id(),
                suggestions: scores.suggestions(),
            }),
            _ => Ok(None),
        }
    }
}

/// Refuses a spec that a person has to agree to first, or has disagreed with.
///
/// # Errors
/// `Approval` or `Rejected`.
pub fn refuse_unapproved(spec: &Spec) -> Result<(), StartRefusal> {
    let missing = spec.approval.as_ref();
    let Some(approval) = missing.filter(|approval| !approval.is_given()) else {
        return Ok(());
    };
    let id = spec.id.clone();
    if approval.status.as_deref() != Some(ApprovalVerdict::Rejected.as_str()) {
        return Err(StartRefusal::Approval { id });
    }
    let by = approval.by.as_deref().unwrap_or("somebody").to_owned();
    Err(StartRefusal::Rejected { id, by })
}
