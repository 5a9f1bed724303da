//! The header of a block, taken apart (reference vine 1.2 and 1.6).

use std::ops::Range;

use super::model::TaskStatus;
use super::whitespace::is_ws;

/// Where the parts of a header stand in it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct HeaderParts {
    pub(super) id: Range<usize>,
    pub(super) name: Range<usize>,
    /// Status or file.
    pub(super) inside: Range<usize>,
    /// All of them, with the blanks before each.
    pub(super) annotations: Range<usize>,
}

/// Takes a header apart that has no blanks around it: the name is the shortest one for which the rest
/// still fits, so that it may hold parentheses itself.
pub(super) fn parts(text: &str, is_ref: bool) -> Option<HeaderParts> {
    let rest = if is_ref {
        text.strip_prefix("ref ")?.trim_start_matches(is_ws)
    } else {
        text
    };
    let (id, rest) = rest.strip_prefix('[')?.split_once(']')?;
    let name = rest.trim_start_matches(is_ws);
    if !is_id(id) || name.len() == rest.len() {
        return None;
    }
    let name_at = text.len() - name.len();
    let opens = name.match_indices('(').map(|(at, _)| name_at + at);
    let mut fitting = opens.filter_map(|open| {
        let name = text[name_at..open].trim_end_matches(is_ws);
        let end = inside_end(text, open, is_ref)?;
        (!name.is_empty() && name_at + name.len() < open).then(|| HeaderParts {
            id: text.len() - rest.len() - 1 - id.len()..text.len() - rest.len() - 1,
            name: name_at..name_at + name.len(),
            inside: open + 1..end,
            annotations: end + 1..text.len(),
        })
    });
    fitting.next()
}

/// Where the status or file behind a parenthesis ends, if nothing but annotations follows it.
fn inside_end(text: &str, open: usize, is_ref: bool) -> Option<usize> {
    let rest = &text[open + 1..];
    let word = rest.split(is_ws).next()?.strip_suffix(')')?;
    let fits = if is_ref {
        !word.is_empty()
    } else {
        word.parse::<TaskStatus>().is_ok()
    };
    (fits && are_annotations(&rest[word.len() + 1..])).then_some(open + 1 + word.len())
}

/// Returns true if a text is annotations, each with blanks before it.
fn are_annotations(mut text: &str) -> bool {
    while !text.is_empty() {
        let next = text.trim_start_matches(is_ws);
        let key = next.strip_prefix('@').and_then(|next| next.split_once('('));
        let Some((key, values)) = key.filter(|_| next.len() < text.len()) else {
            return false;
        };
        match values.split_once(')') {
            Some((_, rest)) if is_key(key) => text = rest,
            _ => return false,
        }
    }
    true
}

/// Returns true if a text can be the key of an annotation.
pub(super) fn is_key(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|b| b.is_ascii_alphanumeric())
}

/// Returns true if a text can be an ID: letters, digits and `-`, parts joined by `/`.
pub(super) fn is_id(text: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    text.split('/').all(is_part)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::Regex;

    use super::*;

    /// The grammar of reference vine 1.2 as one pattern.
    fn pattern(begins: &str, inside: &str) -> Regex {
        let ws = r"[\t\n\x0B\x0C\r \u{A0}\u{1680}\u{2000}-\u{200A}\u{2028}\u{2029}\u{202F}\u{205F}\u{3000}\u{FEFF}]";
        let ink = ws.replacen('[', "[^", 1);
        let id = "[A-Za-z0-9-]+(?:/[A-Za-z0-9-]+)*";
        let name = format!("{ink}(?:.*?{ink})??");
        let annotations = format!(r"(?:{ws}+@[A-Za-z][A-Za-z0-9]*\([^)]*\))*");
        let inside = inside.replace("INK", &ink);
        let begins = begins.replace("WS", ws);
        Regex::new(&format!(
            r"^{begins}\[({id})\]{ws}+({name}){ws}+\(({inside})\)({annotations})$"
        ))
        .unwrap()
    }

    fn by_pattern(pattern: &Regex, text: &str) -> Option<HeaderParts> {
        let found = pattern.captures(text)?;
        let part = |at: usize| found.get(at).unwrap().range();
        Some(HeaderParts {
            id: part(1),
            name: part(2),
            inside: part(3),
            annotations: part(4),
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn headers_are_taken_apart_as_the_grammar_says(
            pieces in prop::collection::vec(prop::sample::select(vec![
                "ref ", "[a]", "[a/b-1]", "[", "]", " ", "  ", "\t", "\u{A0}", "Name", "é", "(", ")", "(complete)",
                "(started)", "(./x.vine)", "complete", "@k(v)", "@k", " @k(v, w)", " @flag()", "@1(x)", "@", "/", "-",
            ]), 0..9),
        ) {
            let tasks = pattern("", "complete|started|reviewing|planning|notstarted|blocked");
            let refs = pattern("ref WS*", "INK+");
            for text in [pieces.concat(), format!("[a] N{}", pieces.concat()), format!("ref [a] N {}", pieces.concat())] {
                let text = text.trim_matches(is_ws);
                prop_assert_eq!(parts(text, false), by_pattern(&tasks, text), "{:?}", text);
                prop_assert_eq!(parts(text, true), by_pattern(&refs, text), "{:?}", text);
            }
        }
    }
}
