//! An agent of our own over HTTP: a model behind an endpoint acts by calling tools in a folder, until it
//! says that its task is complete (reference chant 6.5).
//!
//! It is a process of its own like every other agent, so that what stops, limits and finds those does so
//! with this one, too. [`talk`] is that agent; what it does is told as lines that the runner reads as it
//! reads other agents'.

pub mod endpoint;
#[cfg(unix)]
mod events;
#[cfg(unix)]
mod http;
#[cfg(unix)]
mod ollama;
#[cfg(unix)]
mod openai;
#[cfg(unix)]
pub mod talk;
#[cfg(unix)]
mod tools;
#[cfg(unix)]
mod voice;

use crate::store::StoreError;

/// The variable that holds the key for OpenAI and for what speaks its protocol.
pub const KEY: &str = "OPENAI_API_KEY";

/// The protocol that is spoken with a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// That of Ollama.
    Ollama,
    /// That of OpenAI, which many servers speak.
    OpenAi,
}

impl Protocol {
    /// The protocol of a provider's name.
    pub fn of(provider: &str) -> Option<Self> {
        match provider {
            "ollama" => Some(Self::Ollama),
            "openai" => Some(Self::OpenAi),
            _ => None,
        }
    }

    /// Its provider's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ollama => "ollama",
            Self::OpenAi => "openai",
        }
    }

    /// The endpoint when none is configured (reference chant 7).
    pub fn usual_endpoint(self) -> &'static str {
        match self {
            Self::Ollama => "http://localhost:11434/v1",
            Self::OpenAi => "https://api.openai.com/v1",
        }
    }
}

/// Why the agent gave up.
#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    /// There is no provider of that name.
    #[error("There is no provider `{provider}`; expected ollama or openai")]
    Unknown {
        /// The name.
        provider: String,
    },
    /// The endpoint is none.
    #[error("`{endpoint}` cannot be an endpoint: {why}")]
    Endpoint {
        /// What was given.
        endpoint: String,
        /// What is wrong with it.
        why: String,
    },
    /// What the connection needs is not usable.
    #[error("Cannot talk to {address}: {why}")]
    SetUp {
        /// The address.
        address: String,
        /// What is wrong.
        why: String,
    },
    /// There was no answer that could be used.
    #[error("{address} gave no answer: {why}")]
    NoAnswer {
        /// The address that was asked.
        address: String,
        /// The server's or the system's words.
        why: String,
    },
    /// The model answers nothing.
    #[error("The model `{model}` answered nothing, twice; try another model, or a shorter prompt")]
    Empty {
        /// The model.
        model: String,
    },
    /// The model never comes to an end.
    #[error(
        "The model `{model}` did not complete the task in {rounds} rounds; what it committed is kept"
    )]
    Endless {
        /// The model.
        model: String,
        /// How many it had.
        rounds: usize,
    },
    /// The folder cannot be worked in.
    #[error(transparent)]
    Store(#[from] StoreError),
}
