//! How agents end.

use std::fmt;
use std::time::Duration;

use super::spending::SpentLimit;
use crate::agent_events::{EventSummary, FailureCause};

/// Why an agent came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// By itself.
    Itself,
    /// It ran for too long.
    Timeout(Duration),
    /// It was silent for too long.
    Idle(Duration),
    /// It wrote too much.
    Output(u64),
    /// The runner was told to end.
    Interrupted,
    /// It reported what cannot get better by trying on.
    Hopeless(FailureCause),
    /// It used up what it may.
    Spent(SpentLimit),
}

/// What is known of an agent that ended.
#[derive(Debug)]
pub struct Ended {
    /// Its exit code, if it had one.
    pub exit_code: Option<i32>,
    /// The signal it died of, if it did.
    pub signal: Option<i32>,
    /// Why it ended.
    pub ending: Ending,
    /// How long it ran.
    pub duration: Duration,
    /// The last lines of its standard error, secrets masked.
    pub tail: Vec<String>,
    /// What it says of that, if it looks as if something was refused to it.
    pub refused: Option<String>,
    /// How many processes of it were still there after it ended by itself, and were ended.
    pub left_behind: usize,
    /// What kept the log from being written whole.
    pub log_failure: Option<String>,
    /// What it reported of itself, secrets masked.
    pub events: EventSummary,
    /// Why it did not do its work, if it did not, with its own words.
    pub cause: Option<(FailureCause, String)>,
}

impl Ended {
    /// Whether it ended by itself and says that all went well.
    pub fn is_success(&self) -> bool {
        self.ending == Ending::Itself && self.exit_code == Some(0)
    }

    /// Why it did not do its work, in a sentence without its end.
    pub fn explanation(&self) -> Option<String> {
        let (cause, words) = self.cause.as_ref()?;
        Some(match words.as_str() {
            "" => cause.sentence().to_owned(),
            words => format!("{} ({words})", cause.sentence()),
        })
    }

    /// The cause that another try may not meet again, where it is one.
    pub fn passing_cause(&self) -> Option<FailureCause> {
        let is_failure = self.exit_code != Some(0) || self.events.trouble.is_some();
        let (cause, _) = self.cause.as_ref()?;
        (self.ending == Ending::Itself && is_failure && cause.is_passing()).then_some(*cause)
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(explanation) = self.explanation().filter(|_| !self.is_success()) {
            write!(f, "{explanation}. ")?;
        }
        match (self.ending, self.exit_code, self.signal) {
            (Ending::Hopeless(_), ..) => {
                f.write_str("It was ended at once, since trying on is of no use")?;
            }
            (Ending::Spent(limit), ..) => write!(
                f,
                "It was ended at {limit}; what is used is reported after each turn, so it may be more by one turn"
            )?,
            (Ending::Timeout(limit), ..) => {
                write!(f, "The agent ran for longer than {} s", limit.as_secs_f64())?;
            }
            (Ending::Idle(limit), ..) => {
                write!(f, "The agent said nothing for {} s", limit.as_secs_f64())?;
            }
            (Ending::Output(limit), ..) => write!(f, "The agent wrote more than {limit} bytes")?,
            (Ending::Interrupted, ..) => f.write_str("The runner was told to end")?,
            (Ending::Itself, Some(code), _) => write!(f, "The agent ended with exit code {code}")?,
            (Ending::Itself, None, Some(signal)) => {
                write!(f, "The agent was ended by signal {signal}")?;
            }
            (Ending::Itself, None, None) => f.write_str("The agent ended, nobody knows how")?,
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
