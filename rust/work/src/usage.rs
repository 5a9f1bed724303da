//! The events that an agent reported, as records keep them.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use chant_agent_events::{AgentUsage, TokenCount, ToolDenial};
use chant_base::money::UsdAmount;

/// The time for which usage counts against the limits of a day.
pub const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The usage of an agent; amounts that it does not report are missing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct UsageEntry {
    /// The number of its model's answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<u64>,
    /// The tokens that its model read, including those written to its cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// The tokens that its model read from its cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_tokens: Option<u64>,
    /// The tokens that its model wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// The cost in US dollars, as the agent reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<UsdAmount>,
    /// Keys of later releases.
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

/// A tool that was refused to the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DenialEntry {
    /// Its name.
    pub tool: String,
    /// The reason of the refusal, or the intended action, in short.
    #[serde(default)]
    pub message: String,
}

/// The next start of an agent in the same run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NextAttempt {
    /// The time, RFC 3339, UTC.
    pub at: String,
    /// The cause why the last try failed, in a word.
    pub cause: String,
    /// The number of tries so far.
    pub tried: u32,
}

impl From<AgentUsage> for UsageEntry {
    fn from(usage: AgentUsage) -> Self {
        Self {
            turns: usage.turns,
            input_tokens: usage.tokens.map(|tokens| tokens.input),
            cached_tokens: usage.tokens.map(|tokens| tokens.cached),
            output_tokens: usage.tokens.map(|tokens| tokens.output),
            cost_usd: usage.cost,
            unknown: Map::new(),
        }
    }
}

impl From<&UsageEntry> for AgentUsage {
    fn from(entry: &UsageEntry) -> Self {
        let parts = [entry.input_tokens, entry.cached_tokens, entry.output_tokens];
        let is_known = parts.iter().any(Option::is_some);
        let [input, cached, output] = parts.map(Option::unwrap_or_default);
        Self {
            turns: entry.turns,
            tokens: is_known.then_some(TokenCount {
                input,
                cached,
                output,
            }),
            cost: entry.cost_usd,
        }
    }
}

impl From<&ToolDenial> for DenialEntry {
    fn from(denial: &ToolDenial) -> Self {
        Self {
            tool: denial.tool.clone(),
            message: denial.message.clone(),
        }
    }
}
