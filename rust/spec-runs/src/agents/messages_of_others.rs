//! Turns events of agents other than Claude Code into lines of the log: a function for each format.
//! Texts are logged whole, the use of tools and failures in short, nothing else; a line that is no
//! event stays as it is.

use serde_json::Value;

use super::messages::{describe_retry, describe_tool_use, log_lines, shorten_line};
use chant_agent_events::EventFormat;
use chant_work::run_log::LineFilter;

/// Returns the function that selects lines of a format for the log; `None` if all lines are logged.
pub fn reads_of(format: EventFormat) -> Option<LineFilter> {
    Some(match format {
        EventFormat::Claude | EventFormat::Qwen | EventFormat::Amp | EventFormat::Cursor => {
            log_lines
        }
        EventFormat::Codex => codex,
        EventFormat::Copilot => copilot,
        EventFormat::OpenCode => opencode,
        EventFormat::Gemini => gemini,
        EventFormat::Cline => cline,
        EventFormat::Goose => goose,
        EventFormat::Pi => pi,
        // Its lines are sorted where it is started.
        EventFormat::Common | EventFormat::Placed | EventFormat::Plain => return None,
    })
}

/// Returns a line as an event of some kind.
fn event(line: &str) -> Option<(String, Value)> {
    let event: Value = serde_json::from_str(line).ok()?;
    let kind = event.get("type")?.as_str()?.to_owned();
    Some((kind, event))
}

fn text(value: &Value) -> Vec<String> {
    let text = value.as_str().unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

fn failed(error: &Value) -> Vec<String> {
    let message = error.get("message").unwrap_or(error);
    match message.as_str() {
        Some(said) => vec![format!("[failed] {}", shorten_line(said))],
        None if message.is_null() => Vec::new(),
        None => vec![format!("[failed] {}", shorten_line(&message.to_string()))],
    }
}

fn name(value: &Value) -> &str {
    value.as_str().unwrap_or("tool")
}

fn codex(line: &str) -> Option<Vec<String>> {
    let (kind, event) = event(line)?;
    let item = &event["item"];
    Some(match kind.as_str() {
        "item.completed" => match item["type"].as_str().unwrap_or_default() {
            "agent_message" => text(&item["text"]),
            "command_execution" => {
                let mut shown = describe_tool_use("command", &item["command"]);
                if item["exit_code"].as_i64().is_some_and(|code| code != 0) {
                    shown.extend(failed(&item["aggregated_output"]));
                }
                shown
            }
            "mcp_tool_call" => {
                let mut shown = describe_tool_use(name(&item["tool"]), &item["arguments"]);
                shown.extend(failed(&item["error"]));
                shown
            }
            "file_change" => describe_tool_use("change", &item["changes"]),
            "error" => failed(item),
            _ => Vec::new(),
        },
        "turn.failed" => failed(&event["error"]),
        "error" => failed(&event),
        kind if kind.contains('.') => Vec::new(),
        _ => return None,
    })
}

fn copilot(line: &str) -> Option<Vec<String>> {
    let (kind, event) = event(line)?;
    let data = match &event["data"] {
        Value::Null => &event,
        data => data,
    };
    Some(match kind.as_str() {
        "assistant.message" => text(&data["content"]),
        "tool.execution_start" => describe_tool_use(name(&data["toolName"]), &data["arguments"]),
        "tool.execution_complete" => failed(&data["error"]),
        "session.error" => failed(data),
        "model.call_failure" => {
            let why = data["errorType"].as_str().unwrap_or_default();
            vec![describe_retry(data["statusCode"].as_u64(), why)]
        }
        "result" => Vec::new(),
        kind if kind.contains('.') => Vec::new(),
        _ => return None,
    })
}

fn opencode(line: &str) -> Option<Vec<String>> {
    let (kind, event) = event(line)?;
    let part = &event["part"];
    Some(match kind.as_str() {
        "text" => text(&part["text"]),
        "tool_use" => {
            let mut shown = describe_tool_use(name(&part["tool"]), &part["state"]["input"]);
            shown.extend(failed(&part["state"]["error"]));
            shown
        }
        "error" => match &event["error"]["data"] {
            Value::Null => failed(&event["error"]["name"]),
            data => failed(data),
        },
        "step_start" | "step_finish" => Vec::new(),
        _ => return None,
    })
}

fn gemini(line: &str) -> Option<Vec<String>> {
    let (kind, event) = event(line)?;
    Some(match kind.as_str() {
        "message" if event["role"] == "user" => Vec::new(),
        "message" => text(&event["content"]),
        "tool_use" => describe_tool_use(name(&event["tool_name"]), &event["parameters"]),
        "tool_result" | "result" => failed(&event["error"]),
        "error" => failed(&event),
        "init" => Vec::new(),
        _ => return None,
    })
}

fn cline(line: &str) -> Option<Vec<String>> {
    let (kind, event) = event(line)?;
    Some(match kind.as_str() {
        "run_result" => text(&event["text"]),
        "agent_event" if event["event"]["type"] == "error" => failed(&event["event"]),
        "error" => failed(&event),
        "agent_event" | "hook_event" => Vec::new(),
        _ => return None,
    })
}

fn goose(line: &str) -> Option<Vec<String>> {
    let (kind, event) = event(line)?;
    Some(match kind.as_str() {
        "message" if event["message"]["role"] == "user" => Vec::new(),
        "message" => said(&event["message"]["content"]),
        "error" => failed(&event["error"]),
        "notification" | "complete" => Vec::new(),
        _ => return None,
    })
}

fn pi(line: &str) -> Option<Vec<String>> {
    let (kind, event) = event(line)?;
    Some(match kind.as_str() {
        "message_end" if event["message"]["role"] == "assistant" => {
            let mut shown = said(&event["message"]["content"]);
            shown.extend(failed(&event["message"]["errorMessage"]));
            shown
        }
        "session" | "agent_start" | "agent_end" | "turn_start" | "turn_end" | "message_start"
        | "message_update" | "message_end" => Vec::new(),
        kind if kind.starts_with("tool_execution_") => Vec::new(),
        _ => return None,
    })
}

/// Returns the parts of an answer: texts, and tools that are called.
fn said(parts: &Value) -> Vec<String> {
    let parts = parts.as_array().into_iter().flatten();
    let shown = parts.map(|part| {
        let call = match &part["toolCall"]["value"] {
            Value::Null => part,
            call => call,
        };
        match (part["text"].is_string(), call["name"].as_str()) {
            (true, _) => text(&part["text"]),
            (false, Some(name)) => describe_tool_use(name, &call["arguments"]),
            (false, None) => Vec::new(),
        }
    });
    shown.flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_of_each_format_become_lines_that_a_person_reads() {
        let table: [(EventFormat, &str, &[&str]); 15] = [
            (
                EventFormat::Codex,
                r#"{"type":"item.completed","item":{"type":"agent_message","text":"One.\nTwo."}}"#,
                &["One.", "Two."],
            ),
            (
                EventFormat::Codex,
                r#"{"type":"item.completed","item":{"type":"command_execution","command":"make  test","exit_code":2,"aggregated_output":"no rule"}}"#,
                &["[command] make test", "[failed] no rule"],
            ),
            (
                EventFormat::Codex,
                r#"{"type":"turn.completed","usage":{}}"#,
                &[],
            ),
            (
                EventFormat::Codex,
                r#"{"type":"turn.failed","error":{"message":"429"}}"#,
                &["[failed] 429"],
            ),
            (
                EventFormat::Copilot,
                r#"{"type":"tool.execution_start","data":{"toolName":"bash","arguments":{"command":"ls"}}}"#,
                &["[bash] ls"],
            ),
            (
                EventFormat::Copilot,
                r#"{"type":"model.call_failure","data":{"statusCode":429,"errorType":"rate_limit_error","retryAttempt":0}}"#,
                &["[retry] 429 rate_limit_error"],
            ),
            (
                EventFormat::Copilot,
                r#"{"type":"assistant.message","data":{"content":"Done."}}"#,
                &["Done."],
            ),
            (
                EventFormat::OpenCode,
                r#"{"type":"tool_use","part":{"tool":"read","state":{"input":{"path":"a"},"error":"no such file"}}}"#,
                &["[read] a", "[failed] no such file"],
            ),
            (
                EventFormat::OpenCode,
                r#"{"type":"error","error":{"name":"APIError","data":{"message":"bad key"}}}"#,
                &["[failed] bad key"],
            ),
            (
                EventFormat::Gemini,
                r#"{"type":"message","role":"assistant","content":"Hm.","delta":true}"#,
                &["Hm."],
            ),
            (
                EventFormat::Gemini,
                r#"{"type":"message","role":"user","content":"the prompt"}"#,
                &[],
            ),
            (
                EventFormat::Cline,
                r#"{"type":"run_result","text":"All done"}"#,
                &["All done"],
            ),
            (
                EventFormat::Goose,
                r#"{"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"Yes"},{"type":"toolRequest","toolCall":{"value":{"name":"shell","arguments":{"command":"ls"}}}}]}}"#,
                &["Yes", "[shell] ls"],
            ),
            (
                EventFormat::Pi,
                r#"{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"Ok"}]}}"#,
                &["Ok"],
            ),
            (
                EventFormat::Qwen,
                r#"{"type":"assistant","message":{"content":[{"type":"text","text":"Hi"}]}}"#,
                &["Hi"],
            ),
        ];
        for (format, line, expected) in table {
            let reads = reads_of(format).unwrap();
            assert_eq!(reads(line).unwrap(), expected, "{line}");
            for other in [
                "plain words", "{\"a\": 1}", "{\"type\":\"own\"}", "{\"type\":1}",
            ] {
                assert_eq!(reads(other), None, "{format:?} {other}");
            }
        }
        assert!(reads_of(EventFormat::Plain).is_none());
    }
}
