//! An agent of our own over HTTP: a model behind an endpoint calls tools in a folder until it
//! reports that its task is complete (reference chant 6.5).
//!
//! It is a process of its own like every other agent, so that it is stopped, limited and found in
//! the same way. [`conversation`] is that agent; it reports its work in lines that the runner reads like
//! those of other agents.
//!
//! It knows no spec and no configuration.

#[cfg(unix)]
pub mod agent_task;
#[cfg(unix)]
pub mod conversation;
pub mod endpoint;
#[cfg(unix)]
mod event_writer;
#[cfg(unix)]
mod events;
#[cfg(unix)]
mod http;
#[cfg(unix)]
mod model_reply;
#[cfg(unix)]
mod ollama;
#[cfg(unix)]
mod openai;
#[cfg(unix)]
mod tools;

use chant_base::error::{CoreError, ErrorKind};
use chant_store::StoreError;

/// The variable that holds the key for OpenAI and for servers with its protocol.
pub const KEY: &str = "OPENAI_API_KEY";

/// The protocols of models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelProtocol {
    /// The protocol of Ollama.
    Ollama,
    /// The protocol of OpenAI, which many servers use.
    OpenAi,
}

impl ModelProtocol {
    /// Returns the protocol of a provider.
    pub fn of(provider: &str) -> Option<Self> {
        match provider {
            "ollama" => Some(Self::Ollama),
            "openai" => Some(Self::OpenAi),
            _ => None,
        }
    }

    /// Returns the name of its provider.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ollama => "ollama",
            Self::OpenAi => "openai",
        }
    }

    /// Returns the endpoint if none is configured (reference chant 7).
    pub fn usual_endpoint(self) -> &'static str {
        match self {
            Self::Ollama => "http://localhost:11434/v1",
            Self::OpenAi => "https://api.openai.com/v1",
        }
    }
}

/// The reasons why the agent gave up.
#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    /// No provider has that name.
    #[error("There is no provider `{provider}`; expected ollama or openai")]
    Unknown {
        /// The name.
        provider: String,
    },
    /// A text that is no endpoint.
    #[error("`{endpoint}` is not a valid endpoint: {why}")]
    Endpoint {
        /// The given text.
        endpoint: String,
        /// The fault in it.
        why: String,
    },
    /// The connection could not be prepared.
    #[error("Cannot talk to {address}: {why}")]
    SetUp {
        /// The address.
        address: String,
        /// The fault.
        why: String,
    },
    /// There was no usable answer.
    #[error("{address} gave no answer: {why}")]
    NoAnswer {
        /// The address that was asked.
        address: String,
        /// The message of the server or the system.
        why: String,
    },
    /// The model gives empty answers.
    #[error(
        "The model `{model}` gave an empty answer twice; try another model, or a shorter prompt"
    )]
    Empty {
        /// The model.
        model: String,
    },
    /// The model does not come to an end.
    #[error(
        "The model `{model}` did not complete the task in {rounds} rounds; what it committed is kept"
    )]
    Endless {
        /// The model.
        model: String,
        /// The number of its answers.
        rounds: usize,
    },
    /// The folder cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl CoreError for ProviderError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Store(error) => error.kind(),
            Self::Unknown { .. } | Self::Endpoint { .. } => ErrorKind::InvalidArgument,
            _ => ErrorKind::Refused,
        }
    }
}
