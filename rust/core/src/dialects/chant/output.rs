//! The JSON that an agent left in its log.

use serde_json::Value;

/// Looks for JSON in the order of reference chant 5.8.2: a fenced `json` block, any fenced block, the
/// whole text, the first balanced `{…}`, the first balanced `[…]`.
pub fn json_in(log: &str) -> Option<Value> {
    let blocks = fenced(log);
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

fn fenced(text: &str) -> Vec<(String, String)> {
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
