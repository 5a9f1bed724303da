//! Reads events of Claude Code, and of agents with events of the same shape.

use serde_json::Value;

use super::summary::{EventSummary, ProviderWait, TokenCount, count, money, word};

/// The seconds from which on a wait for another try is reported.
const SHORTEST_WAIT: u64 = 10;

/// The state that is kept from one event to the next.
#[derive(Debug, Default)]
pub(super) struct ClaudeEvents {
    /// The unfinished answer, of which an event holds a part, with its tokens.
    answer: Option<(String, TokenCount)>,
    /// The tokens of the answers before it.
    before: TokenCount,
}

impl ClaudeEvents {
    /// Reads an event; returns false if it is of no known kind.
    pub(super) fn read(&mut self, kind: &str, event: &Value, summary: &mut EventSummary) -> bool {
        if summary.session.is_none() {
            summary.session = word(&event["session_id"]);
        }
        match kind {
            "system" => system(event, summary),
            "assistant" => self.answered(event, summary),
            "result" => ended(event, summary),
            "user" | "stream_event" => {}
            _ => return false,
        }
        true
    }

    fn answered(&mut self, event: &Value, summary: &mut EventSummary) {
        let message = &event["message"];
        if let Some(error) = event["error"].as_str() {
            let said = message["content"][0]["text"].as_str().unwrap_or_default();
            summary.note_trouble(None, &format!("{error} {said}"));
            return;
        }
        // It answers, so earlier trouble is over.
        if summary.hopeless.is_none() {
            summary.trouble = None;
        }
        let id = message["id"].as_str().unwrap_or_default();
        let tokens = tokens(&message["usage"]);
        match &mut self.answer {
            Some((known, latest)) if !id.is_empty() && known == id => {
                *latest = tokens.unwrap_or(*latest);
            }
            answer => {
                self.before = self.before + answer.take().map(|(_, last)| last).unwrap_or_default();
                *answer = Some((id.chars().take(200).collect(), tokens.unwrap_or_default()));
                summary.count_turn();
            }
        }
        let latest = self.answer.as_ref().map(|(_, latest)| *latest);
        let all = self.before + latest.unwrap_or_default();
        if all.total() > 0 {
            summary.usage.tokens = Some(all);
        }
    }
}

fn system(event: &Value, summary: &mut EventSummary) {
    match event["subtype"].as_str().unwrap_or_default() {
        "init" => {
            summary.model = word(&event["model"]).or(summary.model.take());
            for server in event["mcp_servers"].as_array().into_iter().flatten() {
                let status = server["status"].as_str().unwrap_or_default();
                summary.note_server(server["name"].as_str().unwrap_or_default(), status);
            }
            for error in event["mcp_server_errors"].as_array().into_iter().flatten() {
                let name = error["name"].as_str().or(error.as_str());
                summary.note_server(name.unwrap_or_default(), "failed");
            }
        }
        "permission_denied" => {
            let tool = event["tool_name"].as_str().unwrap_or_default();
            summary.deny(tool, event["message"].as_str().unwrap_or_default());
        }
        "api_retry" | "retry" => {
            let error = event["error"].as_str().unwrap_or_default();
            let status = event["error_status"].as_u64();
            let code = status
                .map(|status| format!("{status} "))
                .unwrap_or_default();
            // Some agents report another try without a reason.
            if status.is_some() || !error.is_empty() {
                summary.note_trouble(status, &format!("{code}{error}"));
            }
            let seconds = event["retry_delay_ms"].as_u64().unwrap_or_default() / 1000;
            summary.waits = (seconds >= SHORTEST_WAIT).then(|| ProviderWait {
                seconds,
                cause: summary.trouble.as_ref().and_then(|trouble| trouble.cause),
            });
        }
        _ => {}
    }
}

fn ended(event: &Value, summary: &mut EventSummary) {
    summary.has_final = true;
    if let Some(turns) = event["num_turns"].as_u64() {
        summary.usage.turns = Some(turns);
    }
    if let Some(tokens) = tokens(&event["usage"]).filter(|tokens| tokens.total() > 0) {
        summary.usage.tokens = Some(tokens);
    }
    summary.usage.cost = money(&event["total_cost_usd"]).or(summary.usage.cost);
    for denial in event["permission_denials"].as_array().into_iter().flatten() {
        let tool = denial["tool_name"].as_str().unwrap_or_default();
        let input = &denial["tool_input"];
        let known = ["command", "file_path", "path", "url"];
        let about = known.iter().find_map(|key| input[*key].as_str());
        let is_known = summary.denials.iter().any(|known| known.tool == tool);
        if !is_known || about.is_some() {
            summary.deny(tool, about.unwrap_or_default());
        }
    }
    let how = event["subtype"].as_str().unwrap_or_default();
    let reason = event["terminal_reason"].as_str().unwrap_or_default();
    // `success` stands there, too, when the provider could not be reached.
    let is_error = event["is_error"] == true || how.starts_with("error");
    let is_refusal = event["stop_reason"] == "refusal";
    if !is_error && !is_refusal {
        summary.trouble = None;
        return;
    }
    // Qwen Code has its message there.
    let error = &event["error"]["message"];
    let mut words = vec![
        event["result"].as_str().unwrap_or_default(),
        error.as_str().unwrap_or_default(),
    ];
    words.extend(
        event["errors"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str),
    );
    words.extend([reason, how].into_iter().filter(|word| *word != "success"));
    words.extend(is_refusal.then_some("the model refused"));
    words.retain(|word| !word.is_empty());
    summary.note_trouble(event["api_error_status"].as_u64(), &words.join(" "));
}

fn tokens(usage: &Value) -> Option<TokenCount> {
    usage.is_object().then(|| TokenCount {
        input: count(&usage["input_tokens"])
            .saturating_add(count(&usage["cache_creation_input_tokens"])),
        cached: count(&usage["cache_read_input_tokens"]),
        output: count(&usage["output_tokens"]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AgentExit, EventFormat, EventReader, FailureCause};
    use chant_base::money::UsdAmount;

    fn read(lines: &[&str]) -> EventSummary {
        let mut reader = EventReader::new(EventFormat::Claude);
        for line in lines {
            reader.take(line.as_bytes());
            reader.take(b"\n");
        }
        reader.summary().clone()
    }

    const INIT: &str = r#"{"type":"system","subtype":"init","session_id":"s-1","model":"m-1","mcp_servers":[{"name":"chant","status":"connected"}]}"#;

    #[test]
    fn a_run_is_summed_up_as_it_goes_and_at_its_end() {
        let answer = |id: &str, output: u64| {
            format!(
                r#"{{"type":"assistant","message":{{"id":"{id}","usage":{{"input_tokens":10,"cache_creation_input_tokens":5,"cache_read_input_tokens":100,"output_tokens":{output}}}}}}}"#
            )
        };
        let (one, two, three) = (answer("a", 1), answer("a", 4), answer("b", 6));
        let so_far = read(&[INIT, &one, &two, &three]);
        assert_eq!(so_far.model.as_deref(), Some("m-1"));
        assert_eq!(so_far.servers[0].status, "connected");
        let expected = TokenCount {
            input: 30,
            cached: 200,
            output: 10,
        };
        assert_eq!(
            (so_far.usage.turns, so_far.usage.tokens),
            (Some(2), Some(expected))
        );
        assert_eq!(so_far.usage.cost, None, "money is reported at the end only");
        let end = r#"{"type":"result","subtype":"success","is_error":false,"num_turns":5,"total_cost_usd":0.125,"usage":{"input_tokens":40,"output_tokens":20}}"#;
        let whole = read(&[INIT, &one, end]);
        assert_eq!(whole.usage.cost, UsdAmount::new(0.125));
        assert_eq!(whole.usage.tokens.unwrap().total(), 60);
        assert!(whole.has_final && whole.trouble.is_none());
    }

    #[test]
    fn formats_of_the_same_shape_tell_no_money() {
        let mut reader = EventReader::new(EventFormat::Qwen);
        reader.take(
            b"{\"type\":\"result\",\"is_error\":false,\"total_cost_usd\":3,\"num_turns\":1}\n",
        );
        assert_eq!(reader.summary().usage.cost, None);
        assert_eq!(reader.summary().usage.turns, Some(1));
    }

    #[test]
    fn a_success_that_is_an_error_is_none_and_names_its_cause() {
        let table = [
            (
                r#""api_error_status":429,"result":"API Error: 429""#,
                FailureCause::RateLimit,
            ),
            (
                r#""api_error_status":529,"result":"Overloaded""#,
                FailureCause::Overloaded,
            ),
            (
                r#""api_error_status":400,"result":"Credit balance is too low""#,
                FailureCause::OutOfCredit,
            ),
            (
                r#""api_error_status":429,"result":"insufficient_quota""#,
                FailureCause::OutOfCredit,
            ),
            (
                r#""result":"Not logged in · Please run /login""#,
                FailureCause::NotLoggedIn,
            ),
            (
                r#""error":{"message":"[API Error: 401 Incorrect API key provided: sk-x.]"}"#,
                FailureCause::NotLoggedIn,
            ),
            (
                r#""stop_reason":"refusal","result":"It cannot help with this.""#,
                FailureCause::ModelRefused,
            ),
            (
                r#""api_error_status":404,"result":"There is an issue with the selected model""#,
                FailureCause::ModelUnknown,
            ),
            (
                r#""api_error_status":400,"result":"Prompt is too long""#,
                FailureCause::PromptTooLong,
            ),
            (r#""terminal_reason":"max_turns""#, FailureCause::TurnLimit),
            (
                r#""terminal_reason":"budget_exhausted""#,
                FailureCause::BudgetReached,
            ),
        ];
        for (keys, cause) in table {
            let line = format!(r#"{{"type":"result","subtype":"success","is_error":true,{keys}}}"#);
            let summary = read(&[&line]);
            let exit = AgentExit {
                code: Some(1),
                ..AgentExit::default()
            };
            let found = summary.failure(EventFormat::Claude, &exit).unwrap();
            assert_eq!(found.0, cause, "{keys}");
        }
    }

    #[test]
    fn the_first_refused_key_is_hopeless_and_a_limit_that_passes_is_not() {
        let retry = |status: u64, error: &str| {
            format!(
                r#"{{"type":"system","subtype":"api_retry","attempt":1,"error_status":{status},"error":"{error}"}}"#
            )
        };
        let refused = read(&[INIT, &retry(401, "authentication_failed")]);
        assert_eq!(refused.hopeless, Some(FailureCause::NotLoggedIn));
        let waiting = r#"{"type":"system","subtype":"api_retry","retry_delay_ms":1800000,"error_status":429,"error":"rate_limit"}"#;
        let wait = ProviderWait {
            seconds: 1800,
            cause: Some(FailureCause::RateLimit),
        };
        assert_eq!(read(&[INIT, waiting, "{}"]).waits, Some(wait));
        assert_eq!(read(&[INIT, waiting, INIT]).waits, None);
        let limited = retry(429, "rate_limit");
        let waits = read(&[INIT, &limited]);
        assert_eq!(
            (waits.hopeless, waits.trouble.unwrap().cause),
            (None, Some(FailureCause::RateLimit))
        );
        let goes_on = read(&[&limited, r#"{"type":"assistant","message":{"id":"a"}}"#]);
        assert_eq!(goes_on.trouble, None, "it was overcome");
    }

    #[test]
    fn refused_tools_are_named_once_each() {
        let summary = read(&[
            r#"{"type":"system","subtype":"permission_denied","tool_name":"Bash","message":"touch a.txt"}"#,
            r#"{"type":"result","subtype":"success","is_error":false,"permission_denials":[{"tool_name":"Bash","tool_input":{"command":"touch a.txt"}},{"tool_name":"Write","tool_input":{"file_path":"/x"}}]}"#,
        ]);
        assert_eq!(summary.denials.len(), 2);
        let exit = AgentExit {
            code: Some(0),
            ..AgentExit::default()
        };
        let (cause, words) = summary.failure(EventFormat::Claude, &exit).unwrap();
        assert_eq!(cause, FailureCause::PermissionDenied);
        assert_eq!(words, "Bash: touch a.txt, and 1 more");
    }
}
