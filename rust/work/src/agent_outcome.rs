//! The outcome of an agent: the reason of its end, exit status, output and events.

use std::fmt;
use std::time::Duration;

use super::spending::SpentLimit;
use chant_agent_events::{EventSummary, FailureCause};

/// The reasons why an agent ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentEnding {
    /// It ended by itself.
    Itself,
    /// It ran too long.
    Timeout(Duration),
    /// It was silent too long.
    Idle(Duration),
    /// It wrote too much.
    Output(u64),
    /// It had too many processes and threads at once.
    Processes(u32),
    /// The runner was asked to end.
    Interrupted,
    /// It reported a cause that another try cannot remove.
    Hopeless(FailureCause),
    /// It reached a limit of usage.
    Spent(SpentLimit),
}

/// The outcome of an agent that ended.
#[derive(Debug)]
pub struct AgentOutcome {
    /// Its exit code, if it had one.
    pub exit_code: Option<i32>,
    /// The signal that ended it, if one did.
    pub signal: Option<i32>,
    /// The reason of its end.
    pub ending: AgentEnding,
    /// The duration of its run.
    pub duration: Duration,
    /// The last lines of its standard error, secrets masked.
    pub tail: Vec<String>,
    /// The last lines of its standard output that are no reports of a tool, secrets masked.
    pub said: Vec<String>,
    /// Its own words, if something seems to have been refused to it.
    pub refused: Option<String>,
    /// The number of its processes that were still running after it ended by itself, and were
    /// ended.
    pub left_behind: usize,
    /// True if it is certain that all of its processes ended.
    pub has_ended_whole: bool,
    /// The error that kept the log from being complete.
    pub log_failure: Option<String>,
    /// The events that it reported, secrets masked.
    pub events: EventSummary,
    /// The cause why it did not do its work, if it did not, with its own words.
    pub cause: Option<(FailureCause, String)>,
}

impl AgentOutcome {
    /// Returns true if it ended by itself with exit code 0.
    pub fn is_success(&self) -> bool {
        self.ending == AgentEnding::Itself && self.exit_code == Some(0)
    }

    /// Returns the last line that it said on standard output.
    pub fn last_words(&self) -> Option<String> {
        self.said.last().map(|line| line.trim().to_owned())
    }

    /// Returns the last lines that may say why a program failed: many say it on standard output alone.
    pub fn failing_words(&self) -> &[String] {
        if self.tail.is_empty() {
            &self.said
        } else {
            &self.tail
        }
    }

    /// Returns the reason why it did not do its work, as a sentence without its full stop.
    pub fn explanation(&self) -> Option<String> {
        let (cause, words) = self.cause.as_ref()?;
        Some(match words.as_str() {
            "" => cause.sentence().to_owned(),
            words => format!("{} ({words})", cause.sentence()),
        })
    }

    /// Returns true if it ended by the cluster on which it worked, and not by itself.
    fn is_of_cluster(&self) -> bool {
        self.cause
            .as_ref()
            .is_some_and(|(cause, _)| cause.is_of_cluster())
    }

    /// Returns true if it ended without having taken up the session that it was to go on with, or could not because
    /// that is too long: before its model answered, and for no reason that is known to lie elsewhere.
    pub fn has_refused_session(&self, session: &str) -> bool {
        let used = self.events.usage;
        // Not all report what they use.
        let is_in_it = used.is_unknown() && self.events.session.as_deref() == Some(session);
        let is_silent = !used.has_answer() && !is_in_it;
        self.ending == AgentEnding::Itself
            && !self.is_success()
            && match self.cause.as_ref().map(|(cause, _)| *cause) {
                Some(FailureCause::PromptTooLong) => true,
                None | Some(FailureCause::NoFinalEvent | FailureCause::FlagUnknown) => is_silent,
                Some(_) => false,
            }
    }

    /// Returns the cause if it is one that another try may not meet again.
    pub fn passing_cause(&self) -> Option<FailureCause> {
        let is_failure = self.exit_code != Some(0) || self.events.trouble.is_some();
        let (cause, _) = self.cause.as_ref()?;
        (self.ending == AgentEnding::Itself && is_failure && cause.is_passing()).then_some(*cause)
    }
}

impl fmt::Display for AgentOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(explanation) = self.explanation().filter(|_| !self.is_success()) {
            if self.is_of_cluster() {
                return f.write_str(&explanation);
            }
            write!(f, "{explanation}. ")?;
        }
        match (self.ending, self.exit_code, self.signal) {
            (AgentEnding::Hopeless(_), ..) => {
                f.write_str("It was ended at once, since trying on is of no use")?;
            }
            (AgentEnding::Spent(limit), ..) => write!(
                f,
                "It was ended at {limit}; what is used is reported after each turn, so it may be more by one turn"
            )?,
            (AgentEnding::Timeout(limit), ..) => {
                write!(f, "The agent ran for longer than {} s", limit.as_secs_f64())?;
            }
            (AgentEnding::Idle(limit), ..) => {
                write!(f, "The agent said nothing for {} s", limit.as_secs_f64())?;
            }
            (AgentEnding::Output(limit), ..) => {
                write!(f, "The agent wrote more than {limit} bytes")?;
            }
            (AgentEnding::Processes(limit), ..) => write!(
                f,
                "The agent had more than {limit} processes and threads at once, which is the limit `limits.processes`"
            )?,
            (AgentEnding::Interrupted, ..) => f.write_str("The runner was asked to end")?,
            (AgentEnding::Itself, Some(code), _) => {
                write!(f, "The agent ended with exit code {code}")?;
            }
            (AgentEnding::Itself, None, Some(signal)) => {
                write!(f, "The agent was ended by signal {signal}")?;
            }
            (AgentEnding::Itself, None, None) => {
                f.write_str("The agent ended for an unknown reason")?;
            }
        }
        if !self.is_success() && !self.tail.is_empty() {
            write!(f, "; its last words:\n{}", self.tail.join("\n"))?;
        }
        if let Some(refused) = self.refused.as_ref().filter(|_| !self.is_success()) {
            write!(f, "\n{refused}")?;
        }
        Ok(())
    }
}
