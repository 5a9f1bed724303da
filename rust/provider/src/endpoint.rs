//! The address and the protocol of a model.

use ureq::http::Uri;

use super::{ModelProtocol, ProviderError};

/// The host of OpenAI itself, which requires a key.
const OPENAI: &str = "api.openai.com";

/// The address and the protocol of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelEndpoint {
    /// The protocol at this address.
    pub protocol: ModelProtocol,
    /// The address for requests.
    pub(super) address: Uri,
}

impl ModelEndpoint {
    /// Reads an endpoint. For Ollama only scheme, host and port count; without a port `http` means
    /// 11434.
    ///
    /// # Errors
    /// `Endpoint`.
    pub fn parse(protocol: ModelProtocol, text: &str) -> Result<Self, ProviderError> {
        let address = address(protocol, text.trim());
        address
            .map(|address| Self { protocol, address })
            .map_err(|why| ProviderError::Endpoint {
                endpoint: text.to_owned(),
                why: why.to_owned(),
            })
    }

    /// Returns true if the server requires a key.
    pub fn needs_key(&self) -> bool {
        self.protocol == ModelProtocol::OpenAi && self.address.host() == Some(OPENAI)
    }
}

fn address(protocol: ModelProtocol, text: &str) -> Result<Uri, &'static str> {
    if text.is_empty() {
        return Err("it is empty; expected an address such as http://localhost:11434");
    }
    let form = "expected an address such as http://localhost:11434 or https://host/v1";
    let uri: Uri = text.parse().map_err(|_| form)?;
    let (Some(scheme @ ("http" | "https")), Some(authority)) = (uri.scheme_str(), uri.authority())
    else {
        return Err(form);
    };
    if authority.host().is_empty() {
        return Err(form);
    }
    if authority.as_str().contains('@') {
        return Err("names and passwords do not belong into it: they would be shown in records");
    }
    if uri.query().is_some() {
        return Err("it must not have a query");
    }
    let port = match (authority.port(), protocol, scheme) {
        (None, ModelProtocol::Ollama, "http") => ":11434",
        _ => "",
    };
    let path = match protocol {
        ModelProtocol::Ollama => "/api/chat".to_owned(),
        ModelProtocol::OpenAi => format!("{}/chat/completions", uri.path().trim_end_matches('/')),
    };
    let address = format!("{scheme}://{authority}{port}{path}");
    address.parse().map_err(|_| form)
}
