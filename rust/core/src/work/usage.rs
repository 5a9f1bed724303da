//! What an agent reported of itself, as records keep it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::agent_events::{AgentUsage, TokenCount, ToolDenial};
use crate::money::UsdAmount;

/// What an agent used up; what it does not tell is not there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct UsageEntry {
    /// How often its model answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<u64>,
    /// Tokens that its model read, what was written to its cache included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Tokens that its model read from its cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_tokens: Option<u64>,
    /// Tokens that its model wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// US dollars, as the agent tells them.
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
    /// Why, or what it was to do, in short.
    #[serde(default)]
    pub message: String,
}

/// That an agent is started once more in the same run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NextTry {
    /// When, RFC 3339, UTC.
    pub at: String,
    /// Why the last try came to nothing, in a word.
    pub cause: String,
    /// How many tries there were.
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
