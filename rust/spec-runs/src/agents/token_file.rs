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

use super::built_in::{TokenEnd, TokenFile};

/// The text in place of a refresh token in a file whose form is not known: agents take an empty one for a fault.
const WITHHELD: &str = "withheld";

/// Returns a login of an unknown form without what it calls a refresh token; `None` where there is none.
///
/// JSON may have lines that are comments. YAML is given as JSON, which is YAML, too. What is neither keeps its form.
pub(crate) fn without_named_refresh_tokens(login: &str) -> Option<String> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::template;

    fn form(agent: &str) -> &'static TokenFile {
        template(agent).unwrap().state.tokens.as_ref().unwrap()
    }

    #[test]
    fn a_run_gets_a_login_without_what_renews_it() {
        for (agent, login, expected) in [
            (
                "claude",
                r#"{"claudeAiOauth":{"accessToken":"a","refreshToken":"r"},"mcpOAuth":{"x":{"refreshToken":"r"}},"organizationUuid":"o"}"#,
                r#"{"claudeAiOauth":{"accessToken":"a","refreshToken":""},"organizationUuid":"o"}"#,
            ),
            (
                "codex",
                r#"{"OPENAI_API_KEY":null,"tokens":{"access_token":"a","refresh_token":"r"}}"#,
                r#"{"OPENAI_API_KEY":null,"tokens":{"access_token":"a","refresh_token":""}}"#,
            ),
            (
                "qwen",
                r#"{"access_token":"a","refresh_token":"r"}"#,
                r#"{"access_token":"a","refresh_token":"withheld"}"#,
            ),
            (
                "opencode",
                r#"{"anthropic":{"access":"a","refresh":"r"},"github-copilot":{"refresh":"k"},"x":{"key":"k"}}"#,
                r#"{"anthropic":{"access":"a","refresh":""},"github-copilot":{"refresh":"k"},"x":{"key":"k"}}"#,
            ),
            (
                "pi",
                r#"{"openai-codex":{"refresh":"r"}}"#,
                r#"{"openai-codex":{"refresh":""}}"#,
            ),
        ] {
            let form = form(agent);
            let given = form.without_refresh_tokens(login).unwrap();
            assert_eq!(
                serde_json::from_str::<Value>(&given).unwrap(),
                serde_json::from_str::<Value>(expected).unwrap(),
                "{agent}"
            );
            assert!(form.has_refresh_token(login), "{agent}");
            for other in ["", "[]", "no JSON", r#""text""#] {
                assert_eq!(form.without_refresh_tokens(other), None, "{agent} {other}");
                assert!(!form.has_refresh_token(other), "{agent} {other}");
            }
        }
        let key = r#"{"OPENAI_API_KEY":"k","tokens":null}"#;
        assert!(!form("codex").has_refresh_token(key));
        assert_eq!(
            form("codex").without_refresh_tokens(key).as_deref(),
            Some(key)
        );
    }

    #[test]
    fn what_is_called_a_refresh_token_is_withheld_in_files_of_unknown_form() {
        let login = r#"{"accessToken":"a","refreshToken":"r","of":[{"auth":{"refresh_token":"r","refresh":""}},{"oauth-refresh-token":"r"}],"refreshedAt":"2026-01-01","refresh":3}"#;
        let given: Value =
            serde_json::from_str(&without_named_refresh_tokens(login).unwrap()).unwrap();
        assert_eq!(
            given,
            serde_json::json!({
                "accessToken": "a",
                "refreshToken": "withheld",
                "of": [
                    {"auth": {"refresh_token": "withheld", "refresh": ""}},
                    {"oauth-refresh-token": "withheld"},
                ],
                "refreshedAt": "2026-01-01",
                "refresh": 3,
            })
        );
        let ours = r#"{"a":"b","refresh_token":"withheld"}"#;
        for (login, expected) in [
            (
                "// mine\n{\"a\": \"b\",\n // of\n\"refresh_token\": \"r\"}\n",
                ours,
            ),
            ("# mine\na: b\nrefresh_token: >-\n  r\n  s\n", ours),
            (
                r#"{"a":"{\"refresh\":\"r\"}"}"#,
                r#"{"a":"{\"refresh\":\"withheld\"}"}"#,
            ),
            (
                "export REFRESH_TOKEN=r # mine\nA=b\n",
                "export REFRESH_TOKEN=\"withheld\" # mine\nA=b\n",
            ),
            (
                "[one]\nrefresh-token = 'r'\n",
                "[one]\nrefresh-token = \"withheld\"\n",
            ),
            (
                "one = {refreshToken = \"r\", a = 1}",
                "one = {refreshToken = \"withheld\", a = 1}",
            ),
            (
                "{\"refreshToken\": \"r\", // of\n\"a\": 1}",
                "{\"refreshToken\": \"withheld\", // of\n\"a\": 1}",
            ),
        ] {
            assert_eq!(
                without_named_refresh_tokens(login).as_deref(),
                Some(expected),
                "{login}"
            );
        }
        for whole in [
            "",
            "key = r",
            "[]",
            "A: b",
            "A=",
            r#"{"apiKey":"k","refreshToken":null}"#,
        ] {
            assert_eq!(without_named_refresh_tokens(whole), None, "{whole}");
        }
    }

    #[test]
    fn the_end_of_a_login_is_read() {
        let claims = base64::Engine::encode(
            &base64::engine::general_purpose::URL_SAFE_NO_PAD,
            r#"{"exp":1000}"#,
        );
        let codex = format!(r#"{{"tokens":{{"access_token":"head.{claims}.signature"}}}}"#);
        let end = |agent: &str, login: &str| form(agent).ends(login).map(Timestamp::as_second);
        assert_eq!(end("codex", &codex), Some(1000));
        let claude = r#"{"claudeAiOauth":{"expiresAt":2000000}}"#;
        assert_eq!(end("claude", claude), Some(2000));
        assert_eq!(end("qwen", r#"{"expiry_date":3000}"#), Some(3));
        for (agent, login) in [
            ("claude", "{}"),
            ("codex", r#"{"tokens":{"access_token":"opaque"}}"#),
            ("opencode", r#"{"anthropic":{"expires":1}}"#),
        ] {
            assert_eq!(end(agent, login), None, "{agent}");
        }
    }
}
