//! Writes one value in YAML: plain where that is safe, quoted where it is not.

use super::front_matter::reads_as_text;

/// The places of a scalar: inside `[…]` more characters need quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScalarContext {
    /// Behind `key:` or `- `.
    Block,
    /// Between the brackets of a flow list.
    Flow,
}

/// Writes a text as one YAML scalar on one line.
pub fn write(text: &str, place: ScalarContext) -> String {
    if is_plain(text, place) {
        text.to_owned()
    } else {
        double_quoted(text)
    }
}

/// Writes a text with the kind of quotes of the scalar that it replaces.
pub fn write_like(text: &str, old: &str, place: ScalarContext) -> String {
    match old.chars().next() {
        Some('"') => double_quoted(text),
        Some('\'') if !text.chars().any(must_escape) => format!("'{}'", text.replace('\'', "''")),
        _ => write(text, place),
    }
}

/// Words that YAML 1.1 readers take for booleans or null although YAML 1.2 does not.
const LOADED_WORDS: [&str; 8] = ["y", "n", "yes", "no", "on", "off", "~", "null"];

fn is_plain(text: &str, place: ScalarContext) -> bool {
    let starts_well =
        text.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_'));
    let flow_mark = |c: char| matches!(c, ',' | '[' | ']' | '{' | '}' | ':' | '?');
    starts_well
        && !text.ends_with(char::is_whitespace)
        && !text.ends_with(':')
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.chars().any(must_escape)
        && !(place == ScalarContext::Flow && text.chars().any(flow_mark))
        && !LOADED_WORDS.contains(&text.to_ascii_lowercase().as_str())
        && reads_as_text(text)
}

fn must_escape(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
        )
}

fn double_quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if must_escape(c) => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, block: &str, flow: &str) {
        assert_eq!(
            (
                write(text, ScalarContext::Block).as_str(),
                write(text, ScalarContext::Flow).as_str()
            ),
            (block, flow)
        );
    }

    #[test]
    fn plain_where_safe_and_quoted_where_not() {
        check("in_progress", "in_progress", "in_progress");
        check("10:00Z", "10:00Z", "\"10:00Z\"");
        check("src/a b.rs", "src/a b.rs", "src/a b.rs");
        check("a, b", "a, b", "\"a, b\"");
        check("no", "\"no\"", "\"no\"");
        check("1.0", "\"1.0\"", "\"1.0\"");
        check("a: b", "\"a: b\"", "\"a: b\"");
        check("- x\n", "\"- x\\n\"", "\"- x\\n\"");
        check("", "\"\"", "\"\"");
    }

    #[test]
    fn quotes_stay_as_they_were() {
        assert_eq!(
            write_like("done", "'pending'", ScalarContext::Block),
            "'done'"
        );
        assert_eq!(write_like("it's", "'x'", ScalarContext::Block), "'it''s'");
        assert_eq!(
            write_like("done", "\"pending\"", ScalarContext::Block),
            "\"done\""
        );
        assert_eq!(
            write_like("a\u{7}", "'x'", ScalarContext::Block),
            "\"a\\u0007\""
        );
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(text in any::<String>(), quote in 0..3_usize) {
            let old = ["x", "'x'", "\"x\""][quote];
            let block = format!("key: {}\n", write_like(&text, old, ScalarContext::Block));
            let flow = format!("[{}, x]\n", write_like(&text, old, ScalarContext::Flow));
            let read: std::collections::BTreeMap<String, String> = crate::front_matter::read(&block).unwrap();
            prop_assert_eq!(&read["key"], &text);
            let read: Vec<String> = crate::front_matter::read(&flow).unwrap();
            prop_assert_eq!(&read[0], &text);
        }
    }
}
