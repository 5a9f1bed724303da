//! Tests of the forms of the built-in agents' logins.

#[cfg(test)]
mod tests {
    use crate::agents::template;
    use chant_agents::token_file::{TokenFile, without_named_refresh_tokens};
    use jiff::Timestamp;
    use serde_json::Value;

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
