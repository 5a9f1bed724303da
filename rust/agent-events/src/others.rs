//! Reads events of the other agents; each function reads an event of one format and returns false
//! if it is none.

use serde_json::Value;

use super::summary::{EventSummary, TokenCount, count, money, word};

/// Reads an event of `codex exec --json`.
pub(super) fn codex(kind: &str, event: &Value, summary: &mut EventSummary) -> bool {
    match kind {
        "thread.started" => summary.session = word(&event["thread_id"]),
        "turn.started" => summary.count_turn(),
        "item.completed" => codex_item(&event["item"], summary),
        "turn.completed" => {
            summary.has_final = true;
            summary.trouble = None;
            let usage = &event["usage"];
            let cached = count(&usage["cached_input_tokens"]);
            summary.add_tokens(TokenCount {
                input: count(&usage["input_tokens"]).saturating_sub(cached),
                cached,
                output: count(&usage["output_tokens"]),
            });
        }
        "turn.failed" => {
            summary.has_final = true;
            summary.note_trouble(None, text_of(&event["error"]));
        }
        "error" => summary.note_trouble(None, text_of(event)),
        "item.started" | "item.updated" => {}
        _ => return false,
    }
    true
}

/// Reads an item: it may fail, and a call without approval was refused; an item that is an error
/// may be a warning.
fn codex_item(item: &Value, summary: &mut EventSummary) {
    let error = text_of(&item["error"]);
    let output = item["aggregated_output"].as_str().unwrap_or_default();
    let is_refused = [error, output]
        .iter()
        .any(|said| said.contains("approval policy is never"));
    if item["status"] == "declined" || is_refused {
        let tool = item["tool"].as_str().or(item["command"].as_str());
        let kind = item["type"].as_str().unwrap_or_default();
        summary.deny(tool.unwrap_or(kind), error);
    } else if item["status"] == "failed" && output.contains("bwrap: ") {
        summary.note_trouble(None, output);
    }
}

/// Reads an event of `copilot --output-format json`.
pub(super) fn copilot(kind: &str, event: &Value, summary: &mut EventSummary) -> bool {
    // Some of its events have their data one level deeper.
    let data = match &event["data"] {
        Value::Null => event,
        data => data,
    };
    match kind {
        "assistant.message" => {
            summary.count_turn();
            if summary.hopeless.is_none() {
                summary.trouble = None;
            }
        }
        "tool.execution_complete" => {
            if data["error"]["code"] == "denied" {
                let tool = data["toolName"].as_str().unwrap_or_default();
                summary.deny(tool, text_of(&data["error"]));
            }
        }
        "session.error" => {
            let kind = data["errorType"].as_str().unwrap_or_default();
            let status = data["statusCode"].as_u64();
            let status = status.or((kind == "authentication").then_some(401));
            summary.note_trouble(status, text_of(data));
        }
        "result" => {
            summary.has_final = true;
            summary.session = word(&event["sessionId"]);
        }
        other => return other.contains('.'),
    }
    true
}

/// Reads an event of `cursor-agent --output-format stream-json`.
pub(super) fn cursor(kind: &str, event: &Value, summary: &mut EventSummary) -> bool {
    match kind {
        "system" => {
            summary.session = word(&event["session_id"]).or(summary.session.take());
            summary.model = word(&event["model"]).or(summary.model.take());
        }
        "tool_call" => cursor_call(&event["tool_call"], summary),
        "result" => {
            summary.has_final = true;
            summary.session = word(&event["session_id"]).or(summary.session.take());
            if event["is_error"] == true {
                summary.note_trouble(None, event["result"].as_str().unwrap_or_default());
            }
        }
        "assistant" | "user" | "thinking" => {}
        _ => return false,
    }
    true
}

fn cursor_call(calls: &Value, summary: &mut EventSummary) {
    for (name, call) in calls.as_object().into_iter().flatten() {
        let rejected = &call["result"]["rejected"];
        if !rejected.is_null() {
            let why = rejected["reason"].as_str();
            let command = rejected["command"].as_str();
            summary.deny(
                name,
                why.filter(|why| !why.is_empty())
                    .or(command)
                    .unwrap_or_default(),
            );
        }
    }
}

/// Reads an event of `opencode run --format json`; its end is the last step that stops.
pub(super) fn opencode(kind: &str, event: &Value, summary: &mut EventSummary) -> bool {
    summary.session = word(&event["sessionID"]).or(summary.session.take());
    let part = &event["part"];
    match kind {
        "step_start" => summary.has_final = false,
        "text" => {}
        "tool_use" => {
            let state = &part["state"];
            let error = state["error"].as_str().unwrap_or_default();
            let is_refused = error.contains("reject")
                || error.contains("permission")
                || error.contains("denied");
            if state["status"] == "error" && is_refused {
                summary.deny(part["tool"].as_str().unwrap_or_default(), error);
            }
        }
        "step_finish" => {
            summary.count_turn();
            if summary.hopeless.is_none() {
                summary.trouble = None;
            }
            summary.has_final = part["reason"] == "stop";
            summary.add_cost(money(&part["cost"]));
            let tokens = &part["tokens"];
            summary.add_tokens(TokenCount {
                input: count(&tokens["input"]).saturating_add(count(&tokens["cache"]["write"])),
                cached: count(&tokens["cache"]["read"]),
                output: count(&tokens["output"]).saturating_add(count(&tokens["reasoning"])),
            });
        }
        "error" => {
            let error = &event["error"];
            let name = error["name"].as_str().unwrap_or_default();
            let said = text_of(&error["data"]);
            let status = error["data"]["statusCode"].as_u64();
            summary.has_final = true;
            summary.note_trouble(status, &format!("{name} {said}"));
        }
        _ => return false,
    }
    true
}

/// Reads an event of `gemini -o stream-json`.
pub(super) fn gemini(kind: &str, event: &Value, summary: &mut EventSummary) -> bool {
    match kind {
        "init" => {
            summary.session = word(&event["session_id"]);
            summary.model = word(&event["model"]);
        }
        "message" | "tool_use" => {}
        "tool_result" => {
            let said = text_of(&event["error"]);
            let lower = said.to_lowercase();
            let is_refused = lower.contains("denied") || lower.contains("not allowed");
            if event["status"] == "error" && is_refused {
                let tool = event["tool_name"].as_str().or(event["tool_id"].as_str());
                summary.deny(tool.unwrap_or_default(), said);
            }
        }
        "error" => {
            if event["severity"] != "warning" {
                summary.note_trouble(None, text_of(event));
            }
        }
        "result" => {
            summary.has_final = true;
            let stats = &event["stats"];
            if stats.is_object() {
                let cached = count(&stats["cached"]);
                summary.add_tokens(TokenCount {
                    input: count(&stats["input_tokens"]).saturating_sub(cached),
                    cached,
                    output: count(&stats["output_tokens"]),
                });
            }
            if event["status"] == "error" {
                summary.note_trouble(None, text_of(&event["error"]));
            } else {
                summary.trouble = None;
            }
        }
        _ => return false,
    }
    true
}

/// Reads an event of `cline --json`.
pub(super) fn cline(kind: &str, event: &Value, summary: &mut EventSummary) -> bool {
    match kind {
        "agent_event" | "hook_event" => {
            let inner = &event["event"];
            if inner["type"] == "error" {
                summary.note_trouble(None, text_of(inner));
            }
        }
        "run_result" => {
            summary.has_final = true;
            summary.usage.turns = event["iterations"].as_u64();
            let usage = &event["usage"];
            summary.usage.cost = money(&usage["totalCost"]);
            summary.usage.tokens = usage.is_object().then(|| TokenCount {
                input: count(&usage["inputTokens"])
                    .saturating_add(count(&usage["cacheWriteTokens"])),
                cached: count(&usage["cacheReadTokens"]),
                output: count(&usage["outputTokens"]),
            });
            let finish = event["finishReason"].as_str().unwrap_or_default();
            if matches!(finish, "error" | "aborted" | "max_iterations") {
                let said = event["text"].as_str().unwrap_or_default();
                let turns = if finish == "max_iterations" {
                    "turn limit"
                } else {
                    ""
                };
                summary.note_trouble(None, &format!("{turns} {finish} {said}"));
            } else {
                summary.trouble = None;
            }
        }
        "error" => summary.note_trouble(None, text_of(event)),
        _ => return false,
    }
    true
}

/// Reads an event of `goose run --output-format stream-json`.
pub(super) fn goose(kind: &str, event: &Value, summary: &mut EventSummary) -> bool {
    match kind {
        "message" | "notification" => {}
        "error" => {
            summary.has_final = true;
            let said = event["error"].as_str().unwrap_or_else(|| text_of(event));
            summary.note_trouble(None, said);
        }
        "complete" => {
            summary.has_final = true;
            let (input, output) = (&event["input_tokens"], &event["output_tokens"]);
            let total = count(&event["total_tokens"]);
            // Older versions report only the sum.
            let known = count(input).saturating_add(count(output));
            if total.max(known) > 0 {
                summary.add_tokens(TokenCount {
                    input: count(input).saturating_add(total.saturating_sub(known)),
                    cached: 0,
                    output: count(output),
                });
            }
        }
        _ => return false,
    }
    true
}

/// Reads an event of `pi --mode json`.
pub(super) fn pi(kind: &str, event: &Value, summary: &mut EventSummary) -> bool {
    match kind {
        "session" => summary.session = word(&event["id"]),
        "turn_end" => summary.count_turn(),
        "message_end" => {
            let message = &event["message"];
            if message["role"] == "user" {
                return true;
            }
            summary.model = word(&message["model"]).or(summary.model.take());
            let usage = match &message["usage"] {
                Value::Null => &event["usage"],
                usage => usage,
            };
            if usage.is_object() {
                let cost = money(&usage["cost"]).or_else(|| money(&usage["cost"]["total"]));
                summary.add_cost(cost);
                summary.add_tokens(TokenCount {
                    input: count(&usage["input"]).saturating_add(count(&usage["cacheWrite"])),
                    cached: count(&usage["cacheRead"]),
                    output: count(&usage["output"]),
                });
            }
            match message["errorMessage"].as_str() {
                Some(said) => summary.note_trouble(None, said),
                None if summary.hopeless.is_none() => summary.trouble = None,
                None => {}
            }
        }
        "agent_end" => summary.has_final = true,
        "agent_start" | "turn_start" | "message_start" | "message_update" => {}
        other => return other.starts_with("tool_execution_"),
    }
    true
}

/// Returns the text of an error: itself, or its message.
fn text_of(error: &Value) -> &str {
    let message = error["message"].as_str();
    message.or(error.as_str()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AgentExit, EventFormat, EventReader, FailureCause};

    fn read(format: EventFormat, lines: &[&str]) -> EventSummary {
        let mut reader = EventReader::new(format);
        for line in lines {
            reader.take(line.as_bytes());
            reader.take(b"\n");
        }
        reader.end();
        reader.summary().clone()
    }

    /// The usage of a whole run: turns, tokens (input, cached, output), dollars, session.
    type Usage = (
        Option<u64>,
        Option<(u64, u64, u64)>,
        Option<f64>,
        Option<&'static str>,
    );

    #[test]
    fn each_format_tells_what_was_used() {
        let table: [(EventFormat, &[&str], Usage); 8] = [
            (
                EventFormat::Codex,
                &[
                    r#"{"type":"thread.started","thread_id":"t"}"#,
                    r#"{"type":"turn.started"}"#,
                    r#"{"type":"item.completed","item":{"type":"error","message":"no metadata of this model"}}"#,
                    r#"{"type":"turn.completed","usage":{"input_tokens":100,"cached_input_tokens":60,"output_tokens":9}}"#,
                ],
                (Some(1), Some((40, 60, 9)), None, Some("t")),
            ),
            (
                EventFormat::Copilot,
                &[
                    r#"{"type":"assistant.message","data":{"content":"x"}}"#,
                    r#"{"type":"result","sessionId":"c","exitCode":0,"usage":{"premiumRequests":1}}"#,
                ],
                (Some(1), None, None, Some("c")),
            ),
            (
                EventFormat::Cursor,
                &[
                    r#"{"type":"system","subtype":"init","session_id":"u","model":"m"}"#,
                    r#"{"type":"result","subtype":"success","is_error":false,"session_id":"u"}"#,
                ],
                (None, None, None, Some("u")),
            ),
            (
                EventFormat::OpenCode,
                &[
                    r#"{"type":"step_finish","sessionID":"o","part":{"reason":"tool-calls","cost":0.5,"tokens":{"input":4,"output":3,"reasoning":2,"cache":{"read":7,"write":1}}}}"#,
                    r#"{"type":"step_finish","sessionID":"o","part":{"reason":"stop","cost":0.25,"tokens":{"input":1,"output":1}}}"#,
                ],
                (Some(2), Some((6, 7, 6)), Some(0.75), Some("o")),
            ),
            (
                EventFormat::Gemini,
                &[
                    r#"{"type":"init","session_id":"g","model":"m"}"#,
                    r#"{"type":"result","status":"success","stats":{"input_tokens":10,"cached":4,"output_tokens":2}}"#,
                ],
                (None, Some((6, 4, 2)), None, Some("g")),
            ),
            (
                EventFormat::Cline,
                &[
                    r#"{"type":"run_result","finishReason":"completed","iterations":3,"usage":{"inputTokens":5,"outputTokens":6,"totalCost":0.1}}"#,
                ],
                (Some(3), Some((5, 0, 6)), Some(0.1), None),
            ),
            (
                EventFormat::Goose,
                &[
                    r#"{"type":"message","message":{}}"#,
                    r#"{"type":"complete","total_tokens":9}"#,
                ],
                (None, Some((9, 0, 0)), None, None),
            ),
            (
                EventFormat::Pi,
                &[
                    r#"{"type":"session","id":"p"}"#,
                    r#"{"type":"message_end","message":{"role":"assistant","usage":{"input":2,"output":3,"cacheRead":4,"cacheWrite":5,"cost":{"total":0.2}}}}"#,
                    r#"{"type":"turn_end"}"#,
                    r#"{"type":"agent_end"}"#,
                ],
                (Some(1), Some((7, 4, 3)), Some(0.2), Some("p")),
            ),
        ];
        for (format, lines, (turns, tokens, cost, session)) in table {
            let summary = read(format, lines);
            let found = summary.usage.tokens;
            assert_eq!(summary.usage.turns, turns, "{format:?}");
            assert_eq!(
                found.map(|t| (t.input, t.cached, t.output)),
                tokens,
                "{format:?}"
            );
            assert_eq!(
                summary
                    .usage
                    .cost
                    .map(chant_base::money::UsdAmount::dollars),
                cost,
                "{format:?}"
            );
            assert_eq!(summary.session.as_deref(), session, "{format:?}");
            assert!(summary.has_final && summary.trouble.is_none(), "{format:?}");
            assert_eq!(tokens.is_some(), format.reports_tokens());
            assert_eq!(cost.is_some(), format.reports_money());
        }
    }

    #[test]
    fn each_format_tells_what_went_wrong() {
        let table = [
            (
                EventFormat::Codex,
                r#"{"type":"error","message":"Reconnecting 1/5 (unexpected status 401 Unauthorized)"}"#,
                FailureCause::NotLoggedIn,
            ),
            (
                EventFormat::Codex,
                r#"{"type":"turn.failed","error":{"message":"exceeded retry limit, last status: 429 Too Many Requests"}}"#,
                FailureCause::RateLimit,
            ),
            (
                EventFormat::Codex,
                r#"{"type":"item.completed","item":{"type":"mcp_tool_call","tool":"chant_log","status":"failed","error":{"message":"requires approval, but approval policy is never"}}}"#,
                FailureCause::PermissionDenied,
            ),
            (
                EventFormat::Codex,
                r#"{"type":"item.completed","item":{"type":"command_execution","status":"failed","aggregated_output":"bwrap: Creating new namespace failed"}}"#,
                FailureCause::NestedSandbox,
            ),
            (
                EventFormat::Copilot,
                r#"{"type":"session.error","data":{"errorType":"authentication","message":"no"}}"#,
                FailureCause::NotLoggedIn,
            ),
            (
                EventFormat::Copilot,
                r#"{"type":"tool.execution_complete","data":{"toolName":"bash","success":false,"error":{"code":"denied","message":"rule"}}}"#,
                FailureCause::PermissionDenied,
            ),
            (
                EventFormat::Cursor,
                r#"{"type":"tool_call","subtype":"completed","tool_call":{"shellToolCall":{"result":{"rejected":{"command":"touch a"}}}}}"#,
                FailureCause::PermissionDenied,
            ),
            (
                EventFormat::Cursor,
                r#"{"type":"result","is_error":true,"result":"Too many requests"}"#,
                FailureCause::RateLimit,
            ),
            (
                EventFormat::OpenCode,
                r#"{"type":"error","error":{"name":"APIError","data":{"message":"bad","statusCode":401}}}"#,
                FailureCause::NotLoggedIn,
            ),
            (
                EventFormat::OpenCode,
                r#"{"type":"error","error":{"name":"ProviderModelNotFoundError","data":{}}}"#,
                FailureCause::ModelUnknown,
            ),
            (
                EventFormat::OpenCode,
                r#"{"type":"tool_use","part":{"tool":"bash","state":{"status":"error","error":"The user rejected permission"}}}"#,
                FailureCause::PermissionDenied,
            ),
            (
                EventFormat::Gemini,
                r#"{"type":"result","status":"error","error":{"message":"You exceeded your current quota"}}"#,
                FailureCause::OutOfCredit,
            ),
            (
                EventFormat::Gemini,
                r#"{"type":"tool_result","tool_id":"shell","status":"error","error":{"message":"Tool execution denied by policy"}}"#,
                FailureCause::PermissionDenied,
            ),
            (
                EventFormat::Cline,
                r#"{"type":"run_result","finishReason":"error","text":"Incorrect API key"}"#,
                FailureCause::NotLoggedIn,
            ),
            (
                EventFormat::Cline,
                r#"{"type":"run_result","finishReason":"max_iterations"}"#,
                FailureCause::TurnLimit,
            ),
            (
                EventFormat::Goose,
                r#"{"type":"error","error":"Rate limit exceeded"}"#,
                FailureCause::RateLimit,
            ),
            (
                EventFormat::Pi,
                r#"{"type":"message_end","message":{"role":"assistant","errorMessage":"529 overloaded_error"}}"#,
                FailureCause::Overloaded,
            ),
        ];
        let exit = AgentExit {
            code: Some(0),
            ..AgentExit::default()
        };
        for (format, line, cause) in table {
            let summary = read(format, &[line]);
            let found = summary.failure(format, &exit);
            assert_eq!(found.map(|(cause, _)| cause), Some(cause), "{line}");
            let is_hopeless =
                matches!(cause, FailureCause::NotLoggedIn | FailureCause::OutOfCredit);
            assert_eq!(summary.hopeless.is_some(), is_hopeless, "{line}");
        }
    }
}
