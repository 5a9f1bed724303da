//! Reports of agents, the questions among them, and the answers of people.

use serde::Deserialize;

use crate::error::{SpeckitError, to_tool_error};
use crate::events::FeatureEvent;
use crate::files::{CallerIdentity, FeatureStore};
use crate::questions::{AgentQuestion, QuestionListener, QuestionState};
use crate::view::QuestionView;
use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_base::next_step::{DoorKind, NextStep};

/// A report of an agent.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StatusReport<'a> {
    /// `needs_input`, `completed` or `error`.
    #[serde(skip)]
    pub status: &'a str,
    /// The text of its question.
    pub prompt: Option<&'a str>,
    /// The message about an error.
    pub message: Option<&'a str>,
    /// The question it comes back to.
    pub question: Option<&'a str>,
}

/// `rstn_report_status`: records a status; with `needs_input` it asks and waits for the answer.
///
/// # Errors
/// `Status`, `Cancelled`, `Expired`, `NoQuestion`, `TooMany`, or what the disk says.
pub fn report_status(
    features: &FeatureStore,
    who: &CallerIdentity,
    report: &StatusReport<'_>,
    listener: &mut QuestionListener<'_>,
) -> Result<Answer, Error> {
    let mut answer = || -> Result<Answer, Error> {
        let is_known = ["needs_input", "completed", "error"].contains(&report.status);
        if !is_known {
            let given = report.status.to_owned();
            return Err(SpeckitError::Status { given }.into());
        }
        let found = features.find(None)?;
        let accepted = format!("Status '{}' reported successfully", report.status);
        let what = FeatureEvent::Status {
            status: report.status,
            message: report.message.filter(|_| report.status == "error"),
        };
        if report.status != "needs_input" {
            features.log(&found, who, what)?;
            return Ok(Answer::prose(accepted));
        }
        let asked = features.ask(&found, who, report.prompt, report.question)?;
        let most = features.config(&found)?.questions.wait();
        let question = features.wait(&found, &asked.question.id, most, listener)?;
        let answer = ending(&question, accepted)?;
        let notes: Vec<String> = asked.warning.into_iter().chain(answer.note).collect();
        Ok(Answer {
            note: (!notes.is_empty()).then(|| notes.join("\n")),
            ..answer
        })
    };
    answer().map_err(to_tool_error)
}

/// Returns the answer to the agent about its question.
fn ending(question: &AgentQuestion, accepted: String) -> Result<Answer, Error> {
    let id = question.id.clone();
    match question.state {
        QuestionState::Answered => {
            let answer = question.answer.as_deref().unwrap_or_default();
            Ok(Answer::prose(format!("User response: {answer}")))
        }
        QuestionState::Cancelled => Err(SpeckitError::Cancelled { id }.into()),
        QuestionState::Expired => Err(SpeckitError::Expired { id }.into()),
        QuestionState::Open => Ok(Answer {
            note: Some(format!(
                "No answer yet. The question is {id}: call again with question=\"{id}\" to get the answer; a person gives it with {}.",
                NextStep::Answer(id.clone()).words(DoorKind::Agents)
            )),
            ..Answer::prose(accepted)
        }),
    }
}

/// Asks a question, or comes back to one, without waiting.
///
/// # Errors
/// `NoQuestion`, `TooMany`, or what the disk says.
pub fn ask(
    features: &FeatureStore,
    who: &CallerIdentity,
    prompt: Option<&str>,
    question: Option<&str>,
) -> Result<Answer, Error> {
    let answer = || -> Result<Answer, Error> {
        let found = features.find(None)?;
        let asked = features.ask(&found, who, prompt, question)?;
        Ok(Answer {
            note: asked.warning,
            ..Answer::whole(&QuestionView::from(&asked.question))
        })
    };
    answer().map_err(to_tool_error)
}

/// Waits until a question is answered, cancelled or expired; says how it stands.
///
/// # Errors
/// `NoQuestion`, or what the disk says.
pub fn wait(
    features: &FeatureStore,
    id: &str,
    most: std::time::Duration,
    listener: &mut QuestionListener<'_>,
) -> Result<Answer, Error> {
    let mut answer = || -> Result<Answer, Error> {
        let found = features.find(None)?;
        let question = features.watch_question(&found, id, most, listener)?;
        Ok(Answer::whole(&QuestionView::from(&question)))
    };
    answer().map_err(to_tool_error)
}

/// Answers a question, or with no answer cancels it.
///
/// # Errors
/// `NoQuestion`, `Closed`, or what the disk says.
pub fn answer(
    features: &FeatureStore,
    who: &CallerIdentity,
    id: &str,
    text: Option<&str>,
) -> Result<Answer, Error> {
    let answer = || -> Result<Answer, Error> {
        let found = features.find(None)?;
        let closed = features.close(&found, who, id, text)?;
        let did = if text.is_some() {
            "Answered"
        } else {
            "Cancelled"
        };
        Ok(Answer {
            note: closed.warning,
            ..Answer::prose(format!("{did} question {}", closed.question.id))
        })
    };
    answer().map_err(to_tool_error)
}

/// The questions that wait, or all that are kept; the oldest first, without answers.
///
/// # Errors
/// What the disk says.
pub fn questions(features: &FeatureStore, all: bool) -> Result<Answer, Error> {
    let answer = || -> Result<Answer, Error> {
        let found = features.find(None)?;
        let questions = features.questions(&found)?;
        let wanted = questions
            .iter()
            .filter(|one| all || one.state == QuestionState::Open);
        let views: Vec<QuestionView<'_>> = wanted.map(Into::into).collect();
        Ok(Answer::whole(&views))
    };
    answer().map_err(to_tool_error)
}
