//! Templates of agents that are our own program.

use super::{BuiltIn, USUAL};
use chant_provider::{KEY, ModelProtocol};

pub(super) const OLLAMA: BuiltIn = BuiltIn {
    name: "ollama",
    title: "A model of Ollama's",
    aliases: &["local"],
    protocol: Some(ModelProtocol::Ollama),
    keys: &[],
    ..OVER_HTTP
};

pub(super) const OPENAI: BuiltIn = BuiltIn {
    name: "openai",
    title: "A model that is asked as OpenAI's are",
    aliases: &["gpt"],
    protocol: Some(ModelProtocol::OpenAi),
    keys: &[KEY],
    ..OVER_HTTP
};

const OVER_HTTP: BuiltIn = BuiltIn {
    head: &[&["http-agent"], &["--model", "{model}"]],
    events: "claude",
    tested: Some("built in"),
    ..USUAL
};

pub(super) const DEMO: BuiltIn = BuiltIn {
    name: "demo",
    title: "The built-in demo agent",
    head: &[&["demo-agent"]],
    tested: Some("built in"),
    knows_sonnet: true,
    ..USUAL
};
