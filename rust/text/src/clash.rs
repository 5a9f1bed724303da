//! The places that a merge left undecided: two versions between the markers that git writes.

use std::fmt;

use super::markdown;

/// The markers, in their order.
const SIGNS: [&str; 3] = ["<<<<<<<", "=======", ">>>>>>>"];

/// The first place where two versions stand between markers: the lines of the markers, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeftClash {
    /// Where one version begins.
    pub begins: usize,
    /// Where the other one begins.
    pub parts: usize,
    /// Where that one ends.
    pub ends: usize,
}

impl fmt::Display for LeftClash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            begins,
            parts,
            ends,
        } = self;
        write!(
            f,
            "a merge left two versions between conflict markers (lines {begins}, {parts} and {ends}); keep what is meant and take the markers out"
        )
    }
}

/// The first clash of a document with fences: one that begins in a fence shows markers and is none. Where the others
/// stand is not asked, since either version may have a fence of its own.
pub fn in_document(text: &str) -> Option<LeftClash> {
    // Nearly no text has any: all else is done only where one may.
    memchr::memmem::find(text.as_bytes(), SIGNS[0].as_bytes())?;
    let code = markdown::outline(text).code;
    first(text, |at| code.iter().any(|range| range.contains(&at)))
}

/// The first clash of a text that knows no fences.
pub fn in_data(text: &str) -> Option<LeftClash> {
    memchr::memmem::find(text.as_bytes(), SIGNS[0].as_bytes())?;
    first(text, |_| false)
}

fn first(text: &str, is_quoted: impl Fn(usize) -> bool) -> Option<LeftClash> {
    let mut found = Vec::with_capacity(SIGNS.len());
    let mut at = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let start = at;
        at += line.len();
        let line = line.trim_start_matches('\u{feff}');
        let behind = SIGNS
            .get(found.len())
            .and_then(|sign| line.strip_prefix(sign));
        let is_marker = behind.is_some_and(|rest| rest.trim().is_empty() || rest.starts_with(' '));
        if is_marker && !(found.is_empty() && is_quoted(start)) {
            found.push(number + 1);
        }
        if let [begins, parts, ends] = found[..] {
            return Some(LeftClash {
                begins,
                parts,
                ends,
            });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<[usize; 3]>) {
        let lines = |clash: LeftClash| [clash.begins, clash.parts, clash.ends];
        assert_eq!(in_document(text).map(lines), expected, "{text}");
    }

    #[test]
    fn a_full_set_in_order_outside_of_fences_is_a_clash() {
        let full = "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> topic\nd\n";
        check(full, Some([2, 4, 6]));
        check(&full.replace('\n', "\r\n"), Some([2, 4, 6]));
        check("\u{feff}<<<<<<<\n=======\n>>>>>>>", Some([1, 2, 3]));
        check(
            "<<<<<<< a\n||||||| b\nx\n=======\n>>>>>>> c\n",
            Some([1, 4, 5]),
        );
        for none in [
            "Title\n=======\n\ntext\n",
            "<<<<<<< HEAD\nb\n",
            ">>>>>>> a\n=======\n<<<<<<< b\n",
            "=======\n<<<<<<< HEAD\n>>>>>>> b\n",
            "<<<<<<<< HEAD\nb\n========\nc\n>>>>>>>> topic\n",
            " <<<<<<< HEAD\n=======\n>>>>>>> b\n",
            "```\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> topic\n```\n",
        ] {
            check(none, None);
        }
    }

    #[test]
    fn a_fence_in_one_of_the_versions_hides_nothing() {
        check(
            "<<<<<<< HEAD\n```\na\n=======\n~~~\nb\n>>>>>>> topic\n",
            Some([1, 4, 7]),
        );
        check(
            "```\n<<<<<<< x\n```\n<<<<<<< HEAD\n=======\n>>>>>>> topic\n",
            Some([4, 5, 6]),
        );
        let yaml = "```\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> topic\n";
        assert!(in_data(yaml).is_some() && in_document(yaml).is_none());
    }
}
