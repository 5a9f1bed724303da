//! Approval: what a person's decision means for a spec's text (reference chant 4.4 and 9).

use super::error::ChantError;
use super::model::{KEY_ORDER, Spec, SpecStatus};
use chant_base::error::Error;
use chant_base::next_step::{NextStep, hint};
use chant_text::edit::{Edit, line_break, with_line_break};
use chant_text::front_matter::{self, FrontMatterValue, NestedEntry};
use chant_text::markdown;
use chant_text::sections::{self, Section, SectionPlace};

/// The section that keeps what was decided, by whom and why.
pub const DISCUSSION: &str = "Approval Discussion";

/// Characters of a name.
const LONGEST_NAME: usize = 200;

/// The decision of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalVerdict {
    /// Work may begin, or what was done may be merged.
    Approved,
    /// It may not, as it is.
    Rejected,
}

impl ApprovalVerdict {
    /// As files spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Rejected => "rejected",
        }
    }

    fn verb(self) -> &'static str {
        match self {
            Self::Approved => "approve",
            Self::Rejected => "reject",
        }
    }
}

/// A decision about a spec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalDecision {
    /// The decision.
    pub verdict: ApprovalVerdict,
    /// By whom.
    pub by: String,
    /// When, UTC.
    pub at: String,
    /// Why.
    pub reason: Option<String>,
}

impl ApprovalDecision {
    /// A decision whose words can stand in a spec.
    ///
    /// # Errors
    /// `InvalidArgument` for a name that is no line, and for a rejection without a reason.
    pub fn new(
        verdict: ApprovalVerdict,
        by: &str,
        at: String,
        reason: Option<&str>,
    ) -> Result<Self, ChantError> {
        let refuse = |name: &'static str, why: &str| {
            let why = why.to_owned();
            Err(ChantError::InvalidArgument { name, why })
        };
        let by = by.trim();
        if by.is_empty() || by.contains(char::is_control) || by.chars().count() > LONGEST_NAME {
            return refuse("by", "expected a person's name, one line of text");
        }
        let reason = reason.map(str::trim).filter(|reason| !reason.is_empty());
        if reason.is_none() && verdict == ApprovalVerdict::Rejected {
            return refuse(
                "reason",
                "expected what has to change, so that it can be changed",
            );
        }
        if reason.is_some_and(|reason| reason.contains('\0')) {
            return refuse("reason", "expected text without NUL characters");
        }
        Ok(Self {
            verdict,
            by: by.to_owned(),
            at,
            reason: reason.map(str::to_owned),
        })
    }

    /// Refuses a decision that a spec is past.
    ///
    /// # Errors
    /// `WrongState`, with what can be done.
    pub fn refuse_past(&self, spec: &Spec) -> Result<(), ChantError> {
        let id = &spec.id;
        let is_asked = spec.approval.as_ref().is_some_and(|own| own.required);
        let why = match (spec.status, self.verdict) {
            (SpecStatus::Cancelled, verdict) => {
                let message = format!(
                    "Spec '{id}' is cancelled: there is nothing to {}.",
                    verdict.verb()
                );
                let refusal = ChantError::WrongState {
                    message,
                    status: spec.status,
                };
                let edit = NextStep::EditSpec(id.to_string());
                return Err(refusal.advise(hint![" Set its status to pending with ", edit, "."]));
            }
            (SpecStatus::Completed, ApprovalVerdict::Approved) if !is_asked => {
                format!("Spec '{id}' is completed and asked for no approval.")
            }
            (SpecStatus::Completed, ApprovalVerdict::Rejected)
                if !is_asked || spec.is_approved() =>
            {
                format!(
                    "Spec '{id}' is completed{}: its work is done and cannot be rejected any more. Add a spec for what has to change.",
                    if is_asked { " and was approved" } else { "" }
                )
            }
            _ => return Ok(()),
        };
        Err(ChantError::WrongState {
            message: why,
            status: spec.status,
        })
    }

    /// Returns true if the spec says so already.
    pub fn is_repeated(&self, spec: &Spec) -> bool {
        let said = spec.approval.as_ref().filter(|own| own.required);
        said.and_then(|own| own.status.as_deref()) == Some(self.verdict.as_str())
    }

    /// The spec's text with the decision in its front matter and in its discussion; everything else is as
    /// it was.
    ///
    /// # Errors
    /// `EditError` when that cannot be done without risk.
    pub fn written(&self, text: &str) -> Result<String, Error> {
        let value = |text: &str| Some(FrontMatterValue::Text(text.to_owned()));
        let entries = [
            ("required", Some(FrontMatterValue::Flag(true))),
            ("status", value(self.verdict.as_str())),
            ("by", value(&self.by)),
            ("at", value(&self.at)),
        ];
        let text = front_matter::set_nested(text, "approval", &entries, &KEY_ORDER)?;
        let start = front_matter::layout(&text)?.body;
        let edit = self.discussion_edit(&text[start..]);
        let edit = Edit::replace(edit.range.start + start..edit.range.end + start, edit.text);
        Ok(chant_text::edit::apply(&text, &[edit])?)
    }

    /// The edit of a body that adds the decision to its discussion.
    fn discussion_edit(&self, body: &str) -> Edit {
        let mut entry = format!("**{}** {}, {}", self.by, self.verdict.as_str(), self.at);
        // A quote, so that no heading and no box in it is taken for one of the spec's.
        for (number, line) in self.reason.iter().flat_map(|r| r.lines()).enumerate() {
            entry.push_str(if number == 0 { "\n\n>" } else { "\n>" });
            let line = line.trim_end();
            entry.push_str(&if line.is_empty() {
                String::new()
            } else {
                format!(" {line}")
            });
        }
        let eol = line_break(body);
        if let Some(section) = discussion(body) {
            return sections::put(body, &section, &entry, SectionPlace::End);
        }
        let lead = match body.trim_end_matches([' ', '\t', '\r']) {
            "" => String::new(),
            body if body.ends_with(&format!("{eol}{eol}")) => String::new(),
            body if body.ends_with('\n') => eol.to_owned(),
            _ => format!("{eol}{eol}"),
        };
        let entry = with_line_break(&entry, eol);
        Edit::insert(
            body.len(),
            format!("{lead}## {DISCUSSION}{eol}{eol}{entry}{eol}"),
        )
    }
}

/// The entries of `approval` that ask for a decision.
pub fn request_entries() -> [NestedEntry; 4] {
    [
        ("required", Some(FrontMatterValue::Flag(true))),
        ("status", Some(FrontMatterValue::Text("pending".into()))),
        ("by", None),
        ("at", None),
    ]
}

/// The value of `approval` of a spec that asks for a decision.
pub fn request_value() -> FrontMatterValue {
    let entries = request_entries().into_iter();
    FrontMatterValue::Map(
        entries
            .filter_map(|(key, value)| Some((key, value?)))
            .collect(),
    )
}

/// The section of decisions in a body.
pub fn discussion(body: &str) -> Option<Section> {
    let found = sections::sections(&markdown::outline(body), body.len());
    let is_it = |section: &Section| section.level == 2 && section.title == DISCUSSION;
    found.into_iter().find(is_it)
}
