//! Sends requests to a model, repeats them, and reads the answers as they arrive. Besides
//! `endpoint`, only this file names the HTTP client.

use std::error::Error as _;
use std::io::{self, BufRead, BufReader, Read};
use std::time::Duration;

use backon::{BackoffBuilder, BlockingSleeper, ExponentialBuilder, StdSleeper};
use jiff::fmt::rfc2822;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use ureq::http::{HeaderMap, Response};
use ureq::{Agent, Body};

use super::agent_task::{HttpAgentTask, RetryLimits};
use super::endpoint::ModelEndpoint;
use super::event_writer::EventWriter;
use super::model_reply::ModelReply;
use super::{KEY, ModelProtocol, ProviderError, ollama, openai};
use chant_broker::{WayOutError, certificates_of, proxy_of};

/// The time to connect.
const CONNECTING: Duration = Duration::from_secs(30);
/// The time that a server may be silent before its answer counts as broken off; it may load the
/// model meanwhile.
const MAX_SILENCE: Duration = Duration::from_secs(10 * 60);
/// The longest wait before another try.
const LONGEST_WAIT: Duration = Duration::from_secs(10 * 60);
/// The greatest size of an answer, in bytes.
const LONGEST_ANSWER: u64 = 64 * 1024 * 1024;
/// The greatest size of a refusal, in bytes.
const LONGEST_REFUSAL: u64 = 64 * 1024;
/// The greatest number of characters of a server's message in an error.
const MAX_SHOWN: usize = 500;
/// The status codes that are worth another try (reference chant 6.5).
const PASSING: [u16; 5] = [429, 500, 502, 503, 504];

/// The reasons why there was no answer.
#[derive(Debug)]
pub(super) enum RequestFailure {
    /// It may pass; the server may have reported when.
    Passing { why: String, wait: Option<Duration> },
    /// Another try would fail in the same way.
    Lasting { why: String },
}

impl RequestFailure {
    fn passing(why: impl Into<String>) -> Self {
        Self::Passing {
            why: why.into(),
            wait: None,
        }
    }

    /// Reports that an answer ended too early.
    pub(super) fn broken_off() -> Self {
        Self::passing("the answer broke off")
    }

    /// Reports that an answer could not be read to its end.
    pub(super) fn broken(error: io::Error) -> Self {
        Self::passing(format!("the answer broke off: {error}"))
    }

    /// Reports that the JSON of an answer cannot be read.
    pub(super) fn unreadable(error: serde_json::Error) -> Self {
        if error.is_io() || error.is_eof() {
            Self::broken_off()
        } else {
            Self::Lasting {
                why: format!("it answered what is no JSON ({error}); is that the right endpoint?"),
            }
        }
    }

    /// Reports that something is not a model's answer.
    pub(super) fn unlike_an_answer(text: &str) -> Self {
        Self::Lasting {
            why: format!(
                "it answered what no model answers: {}; is that the right endpoint?",
                short(text)
            ),
        }
    }

    /// Reports an error that a server sent instead of the rest of its answer.
    pub(super) fn said(error: &Value) -> Self {
        Self::passing(words(error).unwrap_or_else(|| short(&error.to_string())))
    }

    fn of(error: ureq::Error) -> Self {
        let why = error.to_string();
        match error {
            ureq::Error::Io(error) if error.kind() == io::ErrorKind::InvalidData => {
                Self::Lasting { why }
            }
            ureq::Error::Io(error) => Self::passing(match error.source() {
                Some(source) => format!("{why}: {source}"),
                None => why,
            }),
            ureq::Error::Timeout(_) | ureq::Error::ConnectionFailed | ureq::Error::HostNotFound => {
                Self::passing(why)
            }
            _ => Self::Lasting { why },
        }
    }
}

/// A client that sends requests to one model.
pub(super) struct ModelClient<'a> {
    agent: Agent,
    endpoint: &'a ModelEndpoint,
    key: Option<String>,
    tries: RetryLimits,
}

impl<'a> ModelClient<'a> {
    pub(super) fn of(task: &HttpAgentTask<'a>) -> Result<Self, ProviderError> {
        let endpoint = task.endpoint;
        let failed = |error: WayOutError| ProviderError::SetUp {
            address: endpoint.address.to_string(),
            why: error.to_string(),
        };
        let key = task.environment.get(KEY).map(|key| key.trim().to_owned());
        let scheme = endpoint.address.scheme_str().unwrap_or_default();
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // A server at another address gets neither the key nor the project's texts.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(CONNECTING))
            .timeout_per_read(Some(MAX_SILENCE))
            .proxy(proxy_of(task.environment, scheme).map_err(failed)?)
            .tls_config(certificates_of(task.environment).map_err(failed)?)
            .user_agent(concat!("chant-mcp/", env!("CARGO_PKG_VERSION")))
            .build();
        Ok(Self {
            agent: config.new_agent(),
            endpoint,
            key: key.filter(|key| endpoint.protocol == ModelProtocol::OpenAi && !key.is_empty()),
            tries: task.tries,
        })
    }

    /// Sends a request to a model, and repeats it if the trouble may pass.
    pub(super) fn ask(
        &self,
        request: &Value,
        voice: &mut EventWriter<'_>,
    ) -> Result<ModelReply, ProviderError> {
        let mut delays = ExponentialBuilder::new()
            .with_factor(2.0)
            .with_min_delay(self.tries.delay)
            .with_max_delay(LONGEST_WAIT)
            .with_max_times(usize::try_from(self.tries.retries).unwrap_or(usize::MAX))
            .build();
        let body = request.to_string();
        loop {
            let (why, wait) = match self.once(&body, voice) {
                Ok(reply) => {
                    voice.end_text();
                    return Ok(reply);
                }
                Err(RequestFailure::Lasting { why }) => return Err(self.no_answer(why)),
                Err(RequestFailure::Passing { why, wait }) => (why, wait),
            };
            let Some(delay) = delays.next() else {
                let tries = self.tries.retries.saturating_add(1);
                return Err(self.no_answer(format!("{why} (tried {tries} times)")));
            };
            // Clients that were refused together should not return together.
            let delay = delay.mul_f64(0.9 + 0.2 * fastrand::f64());
            let wait = wait.unwrap_or_default().max(delay);
            if wait > LONGEST_WAIT {
                let seconds = wait.as_secs();
                return Err(self.no_answer(format!("{why}; it asks to wait for {seconds} s")));
            }
            voice.retry(&why, wait);
            StdSleeper.sleep(wait);
        }
    }

    fn no_answer(&self, why: String) -> ProviderError {
        ProviderError::NoAnswer {
            address: self.endpoint.address.to_string(),
            why,
        }
    }

    fn once(&self, body: &str, voice: &mut EventWriter<'_>) -> Result<ModelReply, RequestFailure> {
        let mut request = self
            .agent
            .post(&self.endpoint.address)
            .header("content-type", "application/json");
        if let Some(key) = &self.key {
            request = request.header("authorization", format!("Bearer {key}"));
        }
        let response = request.send(body).map_err(RequestFailure::of)?;
        if !response.status().is_success() {
            return Err(self.refusal(response));
        }
        let kind = response.headers().get("content-type");
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let is_events = kind.starts_with("text/event-stream");
        let stream = reader(response, LONGEST_ANSWER);
        match self.endpoint.protocol {
            ModelProtocol::Ollama => ollama::read(stream, voice),
            ModelProtocol::OpenAi if is_events => openai::read(stream, voice),
            ModelProtocol::OpenAi => openai::read_whole(stream, voice),
        }
    }

    fn refusal(&self, response: Response<Body>) -> RequestFailure {
        let status = response.status();
        let wait = retry_after(response.headers());
        let leads = response.headers().get("location").cloned();
        let mut text = Vec::new();
        // The part before the break is better than nothing.
        let _ = reader(response, LONGEST_REFUSAL).read_to_end(&mut text);
        let text = String::from_utf8_lossy(&text);
        let said = serde_json::from_str(&text).ok();
        let said = said.and_then(|said: Value| words(said.get("error").unwrap_or(&said)));
        let mut why = format!("{status}: {}", said.unwrap_or_else(|| short(&text)));
        why.truncate(why.trim_end_matches([':', ' ']).len());
        if PASSING.contains(&status.as_u16()) {
            return RequestFailure::Passing { why, wait };
        }
        if let Some(leads) = leads.filter(|_| status.is_redirection()) {
            let leads = String::from_utf8_lossy(leads.as_bytes()).into_owned();
            why = format!(
                "{status}: it leads on to {leads}, which is not followed; configure that endpoint"
            );
        } else if status.as_u16() == 401 && self.endpoint.protocol == ModelProtocol::OpenAi {
            let hint = if self.key.is_none() { "set" } else { "look at" };
            why.push_str(&format!("; {hint} {KEY} where runs are started"));
        }
        RequestFailure::Lasting { why }
    }
}

fn reader(response: Response<Body>, most: u64) -> impl BufRead {
    BufReader::new(response.into_body().into_reader().take(most))
}

/// Returns the time that the server asks to wait, given in seconds or as a date.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get("retry-after")?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let moment = rfc2822::parse(text).ok()?.timestamp();
    let wait: SignedDuration = moment.duration_since(Timestamp::now());
    Some(Duration::try_from(wait).unwrap_or_default())
}

/// Returns the sentence in a server's error.
fn words(error: &Value) -> Option<String> {
    let message = error.get("message").unwrap_or(error);
    message.as_str().map(short)
}

/// Returns the start of a text, on one line.
fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_SHOWN) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line,
    }
}
