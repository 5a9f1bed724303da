//! The part of a login that a confined run gets: tokens that end soon, and none that gives new ones.
//!
//! Whoever has a refresh token can make every other copy of the login void, the user's own one
//! included. A run that had one would have to bring the new tokens back, and nothing about these
//! tokens proves that they belong to the user: they are opaque, or their claims can be copied. So a
//! run gets no refresh token, and nothing of its login ever comes back. In a file whose form is not known, a refresh
//! token is what is called one.

use std::borrow::Cow;
use std::mem::take;
use std::sync::LazyLock;

use chant_text::front_matter;
use jiff::Timestamp;
use regex::{Captures, Regex};
use serde_json::Value;

/// The text in place of a refresh token in a file whose form is not known: agents take an empty one for a fault.
const WITHHELD: &str = "withheld";

/// A file of a login with tokens that end and tokens that renew them; all places are JSON pointers.
#[derive(Debug, PartialEq, Eq)]
pub struct TokenFile {
    /// The file, below the state of its agent.
    pub file: &'static str,
    /// The keys at the top that a run gets; all of them if there are none here.
    pub only: &'static [&'static str],
    /// The places of the refresh tokens that a provider replaces at each use.
    pub refresh: &'static [&'static str],
    /// The text that a run gets in place of one: agents refuse a file without it.
    pub in_place: &'static str,
    /// The place of the end of the access token.
    pub ends: TokenEnd,
}

/// The place that says when an access token ends.
#[derive(Debug, PartialEq, Eq)]
pub enum TokenEnd {
    /// None, or one for each of several providers.
    Unknown,
    /// A number of milliseconds since 1970.
    Milliseconds(&'static str),
    /// The claim `exp` of the signed token (JWT) there.
    Claim(&'static str),
}

/// Returns a login of an unknown form without what it calls a refresh token; `None` where there is none.
///
/// JSON may have lines that are comments. YAML is given as JSON, which is YAML, too. What is neither keeps its form.
pub fn without_named_refresh_tokens(login: &str) -> Option<String> {
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    let code: Vec<&str> = login.lines().filter(is_code).collect();
    let json = serde_json::from_str(&code.join("\n"));
    let read: Option<Value> = json.ok().or_else(|| front_matter::read(login).ok());
    if let Some(all @ (Value::Object(_) | Value::Array(_))) = read {
        let mut given = all.clone();
        withhold(&mut given);
        return (given != all).then(|| given.to_string());
    }
    let given = without_named_values(login);
    (given != login).then(|| given.into_owned())
}

/// Replaces the values of refresh tokens in a text of any form that writes a name, a sign and a value.
fn without_named_values(text: &str) -> Cow<'_, str> {
    static PAIR: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let value = r#"("[^"\n]+"|'[^'\n]+'|[^\s"',;{}\[\]]+)"#;
        Regex::new(&format!(r#"([\w. -]+)(["']?[ \t]*[=:][ \t]*){value}"#)).ok()
    });
    let given = |found: &Captures<'_>| {
        if !is_refresh_token(&found[1]) {
            return found[0].to_owned();
        }
        format!("{}{}\"{WITHHELD}\"", &found[1], &found[2])
    };
    PAIR.as_ref()
        .map_or(text.into(), |pair| pair.replace_all(text, given))
}

/// Replaces what is called a refresh token, also in texts that are JSON.
fn withhold(part: &mut Value) {
    match part {
        Value::Object(all) => {
            for (name, value) in all {
                if is_refresh_token(name) && value.as_str().is_some_and(|token| !token.is_empty()) {
                    *value = WITHHELD.into();
                }
                withhold(value);
            }
        }
        Value::Array(all) => all.iter_mut().for_each(withhold),
        Value::String(text) if text.starts_with(['{', '[']) => {
            *text = without_named_refresh_tokens(text).unwrap_or_else(|| take(text));
        }
        _ => {}
    }
}

fn is_refresh_token(name: &str) -> bool {
    let letters: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let letters = letters.to_ascii_lowercase();
    letters == "refresh" || letters.ends_with("refreshtoken")
}

impl TokenFile {
    /// Returns the login for a run; `None` for a text that is no login of this agent.
    pub fn without_refresh_tokens(&self, login: &str) -> Option<String> {
        let Value::Object(mut all) = serde_json::from_str(login).ok()? else {
            return None;
        };
        if !self.only.is_empty() {
            all.retain(|key, _| self.only.contains(&key.as_str()));
        }
        let mut all = Value::Object(all);
        for place in self.refresh {
            if let Some(token) = all.pointer_mut(place) {
                *token = self.in_place.into();
            }
        }
        serde_json::to_string(&all).ok()
    }

    /// Returns true if a login has a refresh token; one with a key has none.
    pub fn has_refresh_token(&self, login: &str) -> bool {
        let all: Value = serde_json::from_str(login).unwrap_or_default();
        let tokens = self.refresh.iter().filter_map(|place| all.pointer(place));
        let mut texts = tokens.filter_map(Value::as_str);
        texts.any(|token| !token.is_empty())
    }

    /// Returns the time at which the access token ends, as far as the login says it.
    pub fn ends(&self, login: &str) -> Option<Timestamp> {
        let all: Value = serde_json::from_str(login).ok()?;
        match self.ends {
            TokenEnd::Unknown => None,
            TokenEnd::Milliseconds(place) => {
                let ends = all.pointer(place)?.as_i64()?;
                Timestamp::from_millisecond(ends).ok()
            }
            TokenEnd::Claim(place) => claimed_end(all.pointer(place)?.as_str()?),
        }
    }
}

/// Returns the end of a signed token (JWT). The signature is not checked: the file is the user's own.
fn claimed_end(token: &str) -> Option<Timestamp> {
    let claims = token.split('.').nth(1)?;
    let engine = base64::engine::general_purpose::URL_SAFE_NO_PAD;
    let claims = base64::Engine::decode(&engine, claims).ok()?;
    let claims: Value = serde_json::from_slice(&claims).ok()?;
    Timestamp::from_second(claims.get("exp")?.as_i64()?).ok()
}
