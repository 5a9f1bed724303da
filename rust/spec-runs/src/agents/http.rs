//! Agents that are our own program, with a model behind an endpoint (reference chant 6.5 and 7).

use std::collections::BTreeMap;
use std::time::Duration;

use super::{Agent, AgentError};
use chant_config::runs::{ArgumentGroup, HttpProviders};
use chant_provider::endpoint::ModelEndpoint;
use chant_provider::{KEY, ModelProtocol};

/// The number of tries after the first, by default.
const RETRIES: u32 = 3;
/// The delay before the first of them.
const DELAY: Duration = Duration::from_secs(1);

/// The model behind an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelProvider {
    /// Its protocol.
    pub protocol: ModelProtocol,
    /// Its address, as it is configured.
    pub endpoint: String,
    retries: u32,
    delay: Duration,
}

impl ModelProvider {
    pub(super) fn of(protocol: ModelProtocol, providers: &HttpProviders) -> Self {
        let settings = match protocol {
            ModelProtocol::Ollama => &providers.ollama,
            ModelProtocol::OpenAi => &providers.openai,
        };
        let endpoint = settings.endpoint.as_deref();
        Self {
            protocol,
            endpoint: endpoint.unwrap_or(protocol.usual_endpoint()).to_owned(),
            retries: settings.max_retries.unwrap_or(RETRIES),
            delay: settings.retry_delay_ms.map_or(DELAY, Duration::from_millis),
        }
    }

    /// Returns the arguments for our own program; the prompt goes to its standard input.
    pub(super) fn arguments(&self) -> Vec<ArgumentGroup> {
        let pair = |name: &str, value: String| ArgumentGroup::Together(vec![name.into(), value]);
        vec![
            pair("--provider", self.protocol.name().into()),
            pair("--endpoint", self.endpoint.clone()),
            pair("--retries", self.retries.to_string()),
            pair("--retry-delay-ms", self.delay.as_millis().to_string()),
        ]
    }

    /// Returns the settings that a run with a model lacks, and where they belong.
    fn missing(
        &self,
        model: Option<&str>,
        environment: &BTreeMap<String, String>,
    ) -> Option<String> {
        let name = self.protocol.name();
        let endpoint = match ModelEndpoint::parse(self.protocol, &self.endpoint) {
            Ok(endpoint) => endpoint,
            Err(error) => {
                return Some(format!(
                    "{error}. Correct `providers.{name}.endpoint` in .chant/config.md."
                ));
            }
        };
        if model.is_none() {
            return Some(
                "no model is named. Set `defaults.model` in .chant/config.md, or `model` in the spec."
                    .into(),
            );
        }
        let has_key = environment
            .get(KEY)
            .is_some_and(|key| !key.trim().is_empty());
        (endpoint.needs_key() && !has_key).then(|| {
            format!(
                "{} needs a key. Set {KEY} in the environment in which the run is started, or set `providers.{name}.endpoint` in .chant/config.md to a server that needs none.",
                self.endpoint
            )
        })
    }
}

impl Agent {
    /// Refuses an agent over HTTP whose endpoint, model or key is missing.
    ///
    /// # Errors
    /// `Provider`.
    pub fn refuse_unready(
        &self,
        model: Option<&str>,
        environment: &BTreeMap<String, String>,
    ) -> Result<(), AgentError> {
        let provider = self.provider.as_ref();
        let missing = provider.and_then(|provider| provider.missing(model, environment));
        missing.map_or(Ok(()), |why| {
            Err(AgentError::Provider {
                name: self.name.clone(),
                why,
            })
        })
    }
}
