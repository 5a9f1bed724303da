//! Parts of expressions, by the brackets of a masked text.

/// Returns the place of the bracket that closes the one at `open`.
pub(crate) fn closing(masked: &str, open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in masked.bytes().enumerate().skip(open) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// Returns the places at which some words stand outside of brackets and quotes.
pub(crate) fn at_top_level(masked: &str, words: &str) -> Vec<usize> {
    let (mut depth, mut found) = (0_usize, Vec::new());
    for (at, byte) in masked.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ if depth == 0 && masked.as_bytes()[at..].starts_with(words.as_bytes()) => {
                found.push(at);
            }
            _ => {}
        }
    }
    found
}

/// Returns the parts of an expression between some words, as ranges.
pub(crate) fn split(masked: &str, words: &str) -> Vec<(usize, usize)> {
    let (mut parts, mut start) = (Vec::new(), 0);
    for at in at_top_level(masked, words) {
        parts.push((start, at));
        start = at + words.len();
    }
    parts.push((start, masked.len()));
    parts
}

/// Returns the arguments between brackets, without an empty last one.
pub(crate) fn arguments<'t>(text: &'t str, masked: &str) -> Vec<&'t str> {
    let mut parts: Vec<&str> = split(masked, ",")
        .into_iter()
        .filter_map(|(from, to)| text.get(from..to))
        .map(str::trim)
        .collect();
    if parts.last().is_some_and(|last| last.is_empty()) {
        parts.pop();
    }
    parts
}

/// A text without its white space, so that a new layout of it is the same text.
pub(crate) fn packed(text: &str) -> String {
    let packed: String = text.split_whitespace().collect();
    packed.replace(",)", ")").replace('\'', "\"")
}

/// The words of a text: names and numbers.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.split(move |c: char| !is_word(c))
        .filter(|word| !word.is_empty())
}

/// The literals of an expression: its strings and numbers, as they are written.
pub(crate) fn literals(text: &str, masked: &str) -> Vec<String> {
    let bytes = masked.as_bytes();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let byte = bytes[at];
        if b"\"'`".contains(&byte) {
            let end = bytes[at + 1..].iter().position(|other| *other == byte);
            let end = end.map_or(bytes.len(), |length| at + 1 + length);
            if let Some(inner) = text.get(at + 1..end).filter(|inner| !inner.is_empty()) {
                found.push(inner.to_owned());
            }
            at = end + 1;
        } else if byte.is_ascii_digit() {
            let rest = bytes[at..].iter();
            let length = rest
                .take_while(|byte| byte.is_ascii_alphanumeric() || b"._".contains(byte))
                .count();
            found.push(masked[at..at + length].replace('_', ""));
            at += length;
        } else if byte.is_ascii_alphabetic() || byte == b'_' {
            let rest = bytes[at..].iter();
            at += rest
                .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
                .count();
        } else {
            at += 1;
        }
    }
    found
}

/// True for an expression that is the same whatever the code does.
pub(crate) fn is_constant(text: &str, masked: &str) -> bool {
    let known = ["true", "false", "none", "null", "nil", "not"];
    let only_literals = words(masked)
        .filter(|word| !word.bytes().all(|byte| byte == b'_'))
        .all(|word| {
            word.starts_with(|c: char| c.is_ascii_digit())
                || known.contains(&word.to_ascii_lowercase().as_str())
        });
    only_literals && !text.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_those_outside_of_brackets() {
        let text = "f(a, b), [1, 2], c";
        assert_eq!(arguments(text, text), ["f(a, b)", "[1, 2]", "c"]);
        assert_eq!(closing(text, 1), Some(6));
        assert_eq!(
            literals("f('a b', 12, x1)", "f('___', 12, x1)"),
            ["a b", "12"]
        );
        assert!(is_constant("True", "True"));
        assert!(!is_constant("x", "x"));
    }
}
