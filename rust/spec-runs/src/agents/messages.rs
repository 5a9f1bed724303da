//! Turns messages of agents, a line of JSON each (`stream-json`), into lines of the log.

use serde_json::Value;

/// The greatest number of characters of a tool's input, or of its failure, in the log.
const MAX_SHOWN: usize = 200;
/// The keys of a tool's input that describe it best; the first one present is used.
const DESCRIBING: [&str; 8] = [
    "command", "file_path", "path", "pattern", "url", "query", "description", "prompt",
];

/// Returns the lines of the log for a line of an agent; `None` for one that is no message and stays
/// as it is. Texts are logged whole, the use of tools and their failures in short, nothing else.
pub fn log_lines(line: &str) -> Option<Vec<String>> {
    let message: Value = serde_json::from_str(line).ok()?;
    let kind = message.get("type")?.as_str()?;
    let content = message.pointer("/message/content");
    let parts = content.and_then(Value::as_array).into_iter().flatten();
    Some(match kind {
        "assistant" => parts.flat_map(said).collect(),
        "user" => parts.filter_map(failed).collect(),
        "result" => ended(&message).into_iter().collect(),
        "system" => tried_again(&message).into_iter().collect(),
        "stream_event" | "tool_call" | "thinking" => Vec::new(),
        _ => return None,
    })
}

fn said(part: &Value) -> Vec<String> {
    if let Some(text) = part.get("text").and_then(Value::as_str) {
        return text.lines().map(str::to_owned).collect();
    }
    let Some(tool) = part.get("name").and_then(Value::as_str) else {
        return Vec::new();
    };
    describe_tool_use(tool, part.get("input").unwrap_or(&Value::Null))
}

/// Returns the line about a used tool, with the most important part of its input.
pub(super) fn describe_tool_use(tool: &str, input: &Value) -> Vec<String> {
    let described = DESCRIBING.iter().find_map(|key| input.get(key)?.as_str());
    let shown = described.or(input.as_str()).map(str::to_owned);
    let shown = shown.unwrap_or_else(|| input.to_string());
    vec![format!("[{tool}] {}", shorten_line(&shown))]
}

fn failed(part: &Value) -> Option<String> {
    let is_error = part.get("is_error").and_then(Value::as_bool) == Some(true);
    let content = part.get("content").filter(|_| is_error)?;
    let text = content
        .as_str()
        .map_or_else(|| content.to_string(), str::to_owned);
    Some(format!("[failed] {}", shorten_line(&text)))
}

/// Returns the line about another try of the model, with its reason.
fn tried_again(message: &Value) -> Option<String> {
    let kind = message.get("subtype")?.as_str()?;
    if !matches!(kind, "api_retry" | "retry") {
        return None;
    }
    let why = message.get("error").and_then(Value::as_str);
    let status = message.get("error_status").and_then(Value::as_u64);
    Some(describe_retry(status, why.unwrap_or_default()))
}

/// Returns the line about another try, with the status and the message of the last one.
pub(super) fn describe_retry(status: Option<u64>, why: &str) -> String {
    let status = status.map(|status| status.to_string()).unwrap_or_default();
    let parts = [&*status, &*shorten_line(why)].map(str::to_owned);
    let parts: Vec<String> = parts.into_iter().filter(|word| !word.is_empty()).collect();
    format!("[retry] {}", parts.join(" ")).trim_end().to_owned()
}

/// Returns the line about a failed result; a good one was logged already.
fn ended(message: &Value) -> Option<String> {
    let is_error = message.get("is_error").and_then(Value::as_bool) == Some(true);
    let how = message
        .get("subtype")
        .and_then(Value::as_str)
        .unwrap_or_default();
    if !is_error && how == "success" {
        return None;
    }
    let text = message
        .get("result")
        .and_then(Value::as_str)
        .unwrap_or_default();
    Some(
        format!("[result] {how} {}", shorten_line(text))
            .trim_end()
            .to_owned(),
    )
}

/// Returns the start of a text, on one line.
pub(super) fn shorten_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(MAX_SHOWN) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &[&str]) {
        assert_eq!(log_lines(line).unwrap(), expected);
    }

    #[test]
    fn messages_become_lines_that_a_person_reads() {
        check(
            r#"{"type":"assistant","message":{"content":[{"type":"text","text":"First.\nThen."},{"type":"tool_use","name":"Bash","input":{"command":"cargo  test\n -q"}}]}}"#,
            &["First.", "Then.", "[Bash] cargo test -q"],
        );
        check(
            r#"{"type":"user","message":{"content":[{"type":"tool_result","content":"fine"},{"type":"tool_result","is_error":true,"content":"exit 1"}]}}"#,
            &["[failed] exit 1"],
        );
        check(
            r#"{"type":"system","subtype":"init","tools":["Bash"]}"#,
            &[],
        );
        check(
            r#"{"type":"result","subtype":"success","is_error":false,"result":"done"}"#,
            &[],
        );
        check(
            r#"{"type":"result","subtype":"error_max_turns","is_error":true}"#,
            &["[result] error_max_turns"],
        );
        check(
            r#"{"type":"system","subtype":"api_retry","attempt":1,"error_status":429,"error":"rate_limit"}"#,
            &["[retry] 429 rate_limit"],
        );
        let long = "é".repeat(300);
        let line = format!(
            r#"{{"type":"assistant","message":{{"content":[{{"name":"T","input":{{"x":"{long}"}}}}]}}}}"#
        );
        assert!(log_lines(&line).unwrap()[0].ends_with("é…"));
    }

    #[test]
    fn what_is_no_message_stays_as_it_is() {
        for line in [
            "", "plain", "{\"a\": 1}", "[1]", "{\"type\": 3}", "{\"type\":\"own\"}", "{broken",
        ] {
            assert_eq!(log_lines(line), None, "{line}");
        }
    }
}
