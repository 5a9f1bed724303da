//! The task of an agent, as its caller gives it.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use super::endpoint::ModelEndpoint;

/// The number and delay of further tries after a passing failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryLimits {
    /// The number of tries after the first.
    pub retries: u32,
    /// The delay before the first of them; doubled each time.
    pub delay: Duration,
}

/// The task of the agent.
#[derive(Debug, Clone, Copy)]
pub struct HttpAgentTask<'a> {
    /// The endpoint of the model.
    pub endpoint: &'a ModelEndpoint,
    /// The name of the model.
    pub model: &'a str,
    /// The text of the task.
    pub prompt: &'a str,
    /// True if the task is a question, so that only its answer is wanted.
    pub is_question: bool,
    /// The folder in which it may read and write.
    pub folder: &'a Path,
    /// The environment of its commands, without the key; proxies and further certificates are found
    /// there.
    pub environment: &'a BTreeMap<String, String>,
    /// The further tries after a passing failure.
    pub tries: RetryLimits,
}
