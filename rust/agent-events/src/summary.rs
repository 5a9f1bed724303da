//! The summary of an agent's events.

use std::ops::Add;

use serde_json::Value;

use super::cause::FailureCause;
use chant_base::money::UsdAmount;

/// The characters that are kept of an agent's text.
const MAX_KEPT: usize = 300;
/// The number of denials and servers that are kept.
const LISTED: usize = 20;

/// The facts that an agent reports of itself, as far as they are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventSummary {
    /// The agent's own name of its session.
    pub session: Option<String>,
    /// The model in use.
    pub model: Option<String>,
    /// The usage.
    pub usage: AgentUsage,
    /// The first tools that were refused to it, each with each message once.
    pub denials: Vec<ToolDenial>,
    /// The states of its MCP servers.
    pub servers: Vec<ServerState>,
    /// The last trouble that was not overcome.
    pub trouble: Option<EventFailure>,
    /// The time for which it waits before it asks its provider again.
    pub waits: Option<ProviderWait>,
    /// A failure that cannot pass in this run; there is no use in letting the agent continue.
    pub hopeless: Option<FailureCause>,
    /// The machine on which it works, if that is another one.
    pub worker: Option<String>,
    /// The confinement that the machine reports, in a sentence.
    pub confinement: Option<String>,
    /// The exit code that it had on that machine.
    pub exit_code: Option<i32>,
    /// The commit that the machine pushed to the remote, because it was too large to come back otherwise.
    pub pushed: Option<String>,
    /// True if it reported its end.
    pub has_final: bool,
    /// True if it reported anything in its format.
    pub has_events: bool,
    /// True if lines were too long to be read.
    pub is_partial: bool,
    /// The end of the program that reads the events, if there is one and it ended.
    pub reader_end: Option<ReaderEnd>,
}

/// The end of a program that reads an agent's events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReaderEnd {
    /// It has read all.
    Done,
    /// It gave up, for a reason in its words.
    Failed(String),
}

/// A time for which an agent waits before it asks its provider again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProviderWait {
    /// The time, in seconds.
    pub seconds: u64,
    /// The reason, if it is known.
    pub cause: Option<FailureCause>,
}

/// The usage of an agent; an amount that it does not report is `None`, never 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AgentUsage {
    /// The number of its model's answers.
    pub turns: Option<u64>,
    /// The tokens.
    pub tokens: Option<TokenCount>,
    /// The money.
    pub cost: Option<UsdAmount>,
}

/// Tokens by their purpose; none is counted twice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TokenCount {
    /// Tokens that the model read, including those written to its cache.
    pub input: u64,
    /// Tokens that the model read from its cache.
    pub cached: u64,
    /// Tokens that the model wrote.
    pub output: u64,
}

/// A tool that was refused to an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolDenial {
    /// Its name.
    pub tool: String,
    /// The reason, or the intended action, in short; may be empty.
    pub message: String,
}

/// An MCP server of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerState {
    /// Its name.
    pub name: String,
    /// Its state in the agent's word: `connected`, `failed`, …
    pub status: String,
}

/// A failure, in an agent's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventFailure {
    /// The cause, if its words are known.
    pub cause: Option<FailureCause>,
    /// Its words.
    pub words: String,
}

impl TokenCount {
    /// Returns the sum of all tokens.
    pub fn total(self) -> u64 {
        self.input
            .saturating_add(self.cached)
            .saturating_add(self.output)
    }
}

impl Add for TokenCount {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            cached: self.cached.saturating_add(other.cached),
            output: self.output.saturating_add(other.output),
        }
    }
}

impl Add for AgentUsage {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            turns: sum(self.turns, other.turns, u64::saturating_add),
            tokens: sum(self.tokens, other.tokens, Add::add),
            cost: sum(self.cost, other.cost, Add::add),
        }
    }
}

impl AgentUsage {
    /// Returns true if its model is known to have answered.
    pub fn has_answer(&self) -> bool {
        let has_tokens = self.tokens.is_some_and(|tokens| tokens.total() > 0);
        has_tokens || self.turns.is_some_and(|turns| turns > 0)
    }

    /// Returns true if nothing is known.
    pub fn is_unknown(&self) -> bool {
        *self == Self::default()
    }
}

fn sum<T>(one: Option<T>, other: Option<T>, add: impl Fn(T, T) -> T) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(add(one, other)),
        (one, other) => one.or(other),
    }
}

impl EventSummary {
    /// Returns the same summary with each text of the agent's passed through a function.
    #[must_use]
    pub fn with_texts(&self, change: impl Fn(&str) -> String) -> Self {
        let text = |text: &Option<String>| text.as_deref().map(&change);
        Self {
            session: text(&self.session),
            reader_end: self.reader_end.as_ref().map(|end| match end {
                ReaderEnd::Failed(why) => ReaderEnd::Failed(change(why)),
                ReaderEnd::Done => ReaderEnd::Done,
            }),
            model: text(&self.model),
            worker: text(&self.worker),
            confinement: text(&self.confinement),
            denials: self
                .denials
                .iter()
                .map(|one| ToolDenial {
                    tool: change(&one.tool),
                    message: change(&one.message),
                })
                .collect(),
            servers: self
                .servers
                .iter()
                .map(|one| ServerState {
                    name: change(&one.name),
                    status: change(&one.status),
                })
                .collect(),
            trouble: self.trouble.as_ref().map(|trouble| EventFailure {
                words: change(&trouble.words),
                ..trouble.clone()
            }),
            ..self.clone()
        }
    }

    /// Returns the reason why the program that reads the events gave up, if it did.
    pub fn reader_failure(&self) -> Option<&str> {
        match &self.reader_end {
            Some(ReaderEnd::Failed(why)) => Some(why),
            _ => None,
        }
    }

    /// Returns the last failure, in the agent's words.
    pub fn words(&self) -> String {
        let words = self.trouble.as_ref().map(|trouble| trouble.words.clone());
        words.unwrap_or_default()
    }

    /// Counts one more answer of the model.
    pub(super) fn count_turn(&mut self) {
        self.usage.turns = Some(self.usage.turns.unwrap_or(0).saturating_add(1));
    }

    /// Adds answers of the model to those that are known.
    pub(super) fn add_turns(&mut self, more: Option<u64>) {
        self.usage.turns = sum(self.usage.turns, more, u64::saturating_add);
    }

    /// Adds tokens to those that are known.
    pub(super) fn add_tokens(&mut self, more: TokenCount) {
        self.usage.tokens = Some(self.usage.tokens.unwrap_or_default() + more);
    }

    /// Adds money to that which is known.
    pub(super) fn add_cost(&mut self, more: Option<UsdAmount>) {
        self.usage.cost = sum(self.usage.cost, more, Add::add);
    }

    /// Notes a refused tool.
    pub(super) fn deny(&mut self, tool: &str, message: &str) {
        let denial = ToolDenial {
            tool: shortened(tool),
            message: shortened(message),
        };
        let is_known = |one: &ToolDenial| {
            one.tool == denial.tool && (denial.message.is_empty() || one.message == denial.message)
        };
        if !self.denials.iter().any(is_known) && self.denials.len() < LISTED {
            self.denials.push(denial);
        }
    }

    /// Notes the state of a server.
    pub(super) fn note_server(&mut self, name: &str, status: &str) {
        if self.servers.len() < LISTED {
            self.servers.push(ServerState {
                name: shortened(name),
                status: shortened(status),
            });
        }
    }

    /// Notes a failure; a cause that time does not cure makes the run hopeless.
    pub(super) fn note_trouble(&mut self, status: Option<u64>, words: &str) {
        let cause = FailureCause::of_status(status).or_else(|| FailureCause::of_words(words));
        let cause = match FailureCause::of_words(words) {
            // Providers answer with 429 also when there is no money left.
            Some(FailureCause::OutOfCredit) => Some(FailureCause::OutOfCredit),
            _ => cause,
        };
        // A last message in general words does not hide an earlier cause.
        if cause.is_none() && self.trouble.as_ref().is_some_and(|old| old.cause.is_some()) {
            return;
        }
        if matches!(
            cause,
            Some(FailureCause::NotLoggedIn | FailureCause::OutOfCredit)
        ) {
            self.hopeless = cause;
        }
        self.trouble = Some(EventFailure {
            cause,
            words: shortened(words),
        });
    }
}

/// Returns a text as it is kept: its start on one line, without characters that control a terminal.
pub(super) fn shortened(text: &str) -> String {
    let is_shown = |c: char| {
        !c.is_control()
            && !matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    // The text may be very long: no more of it is read than may be kept.
    let beginning = text.chars().take(8 * MAX_KEPT);
    let cleaned: String = beginning
        .map(|c| if is_shown(c) { c } else { ' ' })
        .collect();
    let line = cleaned.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_KEPT) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line,
    }
}

/// Returns a count in an event.
pub(super) fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

/// Returns an amount of money in an event.
pub(super) fn money(value: &Value) -> Option<UsdAmount> {
    UsdAmount::new(value.as_f64()?)
}

/// Returns a text in an event.
pub(super) fn word(value: &Value) -> Option<String> {
    value
        .as_str()
        .map(shortened)
        .filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_agents_are_bounded_and_tell_terminals_nothing() {
        assert_eq!(shortened("a\u{1b}[31m\n\u{202e}b"), "a [31m b");
        assert_eq!(shortened(&"é".repeat(900)).chars().count(), MAX_KEPT + 1);
        let mut summary = EventSummary::default();
        for number in 0..1000 {
            summary.deny("Bash", &number.to_string());
            summary.note_server("s", "failed");
        }
        assert_eq!(
            (summary.denials.len(), summary.servers.len()),
            (LISTED, LISTED)
        );
    }

    #[test]
    fn what_is_not_reported_stays_unknown_in_sums() {
        let known = AgentUsage {
            turns: Some(2),
            tokens: None,
            cost: UsdAmount::new(0.5),
        };
        let sum = known + AgentUsage::default() + known;
        assert_eq!((sum.turns, sum.tokens), (Some(4), None));
        assert_eq!(sum.cost, UsdAmount::new(1.0));
        assert!(AgentUsage::default().is_unknown() && !known.is_unknown());
    }
}
