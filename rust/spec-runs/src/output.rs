//! The JSON that an agent left in its log.

use serde_json::Value;

use chant_work::log::moment;

/// The heading of a check's output, in place of a prompt.
const CHECK: &str = "# Prompt: check ";

/// Returns the reason that the output in a log does not fit a schema; `None` when it fits. `path` names the
/// schema's file.
pub fn find_mismatch(path: &str, schema: &str, log: &str) -> Option<String> {
    let failed = |why: String| Some(format!("Failed to validate output: {why}"));
    let schema = match serde_json::from_str(schema) {
        Ok(schema) => schema,
        Err(error) => return failed(format!("{path} is no JSON: {error}")),
    };
    let Some(output) = json_in(&agent_answer(log)) else {
        return failed("the log holds no JSON".into());
    };
    match jsonschema::validator_for(&schema) {
        Err(error) => failed(error.to_string()),
        Ok(validator) => {
            let errors = validator
                .iter_errors(&output)
                .map(|error| error.to_string());
            let errors: Vec<String> = errors.collect();
            (!errors.is_empty()).then(|| format!("Output validation failed: {}", errors.join("; ")))
        }
    }
}

/// Returns the words of the agent of the last run in a log: without stamps, without its complaints, and of
/// messages that are JSON themselves their texts.
pub fn agent_answer(log: &str) -> String {
    let starts = log.match_indices("\n# New Run: ").map(|(at, _)| at + 1);
    let starts: Vec<usize> = std::iter::once(0).chain(starts).collect();
    let ends = starts.iter().skip(1).copied().chain([log.len()]);
    let runs = starts
        .iter()
        .zip(ends)
        .map(|(start, end)| &log[*start..end]);
    // Checks write into the same log.
    let is_of_agent = |run: &&str| !run.lines().take(4).any(|line| line.starts_with(CHECK));
    let last = runs.filter(is_of_agent).last().unwrap_or_default();
    let lines = last.lines().filter_map(|line| {
        let stamped = line
            .split_once(' ')
            .filter(|(stamp, _)| moment(stamp).is_some());
        match stamped.map(|(_, rest)| rest.split_once(' ').unwrap_or((rest, ""))) {
            None => Some(line.to_owned()),
            Some(("out", text)) => texts_of_message(text).or_else(|| Some(text.to_owned())),
            Some(_) => None,
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the texts in a message of an agent that reports everything as JSON, one message a line.
fn texts_of_message(line: &str) -> Option<String> {
    let message: Value = serde_json::from_str(line).ok()?;
    let kind = message.get("type")?.as_str()?;
    if !["assistant", "user", "system", "result", "stream_event"].contains(&kind) {
        return None;
    }
    let content = message
        .pointer("/message/content")
        .filter(|_| kind == "assistant");
    let parts = content.and_then(Value::as_array).into_iter().flatten();
    let texts: Vec<&str> = parts
        .filter_map(|part| part.get("text")?.as_str())
        .collect();
    Some(texts.join("\n"))
}

/// Looks for JSON in the order of reference chant 5.8.2: a fenced `json` block, any fenced block, the
/// whole text, the first balanced `{…}`, the first balanced `[…]`.
pub fn json_in(log: &str) -> Option<Value> {
    let blocks = fenced_blocks(log);
    let marked = blocks
        .iter()
        .filter(|(language, _)| language == "json")
        .map(|(_, text)| text.as_str());
    let any = blocks.iter().map(|(_, text)| text.as_str());
    let whole = std::iter::once(log);
    let parsed = |text: &str| serde_json::from_str(text.trim()).ok();
    marked
        .chain(any)
        .chain(whole)
        .find_map(parsed)
        .or_else(|| balanced(log, '{'))
        .or_else(|| balanced(log, '['))
}

/// The fenced blocks of a text, each with what stands behind its fence.
pub fn fenced_blocks(text: &str) -> Vec<(String, String)> {
    use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};
    let mut blocks = Vec::new();
    let mut open: Option<(String, String)> = None;
    for event in Parser::new(text) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => {
                open = Some((language.to_string(), String::new()));
            }
            Event::Text(piece) => {
                if let Some((_, block)) = &mut open {
                    block.push_str(&piece);
                }
            }
            Event::End(TagEnd::CodeBlock) => blocks.extend(open.take()),
            _ => {}
        }
    }
    blocks
}

/// The value that begins at the first bracket of this kind from which one can be read.
fn balanced(text: &str, bracket: char) -> Option<Value> {
    let starts = text.match_indices(bracket).take(100);
    starts
        .filter_map(|(at, _)| {
            serde_json::Deserializer::from_str(&text[at..])
                .into_iter::<Value>()
                .next()
        })
        .find_map(Result::ok)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_is_found_in_the_documented_order() {
        assert_eq!(json_in("{\"whole\": 1}"), Some(json!({"whole": 1})));
        assert_eq!(
            json_in("x {\"a\": 1}\n```\n[1]\n```\n```json\n{\"b\": 2}\n```\n"),
            Some(json!({"b": 2}))
        );
        assert_eq!(json_in("x {\"a\": 1}\n```\n[1]\n```\n"), Some(json!([1])));
        assert_eq!(
            json_in("said {no} and {\"a\": {\"b\": 1}} so"),
            Some(json!({"a": {"b": 1}}))
        );
        assert_eq!(json_in("said [1, 2] so"), Some(json!([1, 2])));
        assert_eq!(json_in("nothing"), None);
    }
}
