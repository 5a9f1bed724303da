//! Turns names of specs and folders into names of files and parts of git's references: one way, in one place.
//!
//! No two names become the same one, not even where upper and lower case are one; what comes out leads nowhere,
//! hides nothing, and is taken by git.

use crate::digest::sha256;

/// Names whose escape is longer are shown by its beginning and a digest.
const MAX_LEN: usize = 180;
/// So much of a long name is shown.
const MAX_SHOWN: usize = 100;
/// The mark that stands before a digest; no escape of a byte begins like that.
const DIGEST: &str = "%z";
/// The digits of a digest that are used: 128 bits.
const DIGIT_COUNT: usize = 32;

/// A name as that of a file, or of a part of a reference. Plain names in lower case stay as they are.
pub fn escape_name(name: &str) -> String {
    let mut escape = String::new();
    for (at, byte) in name.bytes().enumerate() {
        if is_plain(name, at, byte) {
            escape.push(char::from(byte));
        } else {
            escape.push_str(&format!("%{byte:02x}"));
        }
    }
    if escape.len() <= MAX_LEN {
        return escape;
    }
    let digest = sha256(name.as_bytes());
    // A cut through an escape would be one of its own.
    let shown = escape[..MAX_SHOWN]
        .rfind('%')
        .filter(|at| MAX_SHOWN - at < 3);
    let shown = &escape[..shown.unwrap_or(MAX_SHOWN)];
    format!("{shown}{DIGEST}{}", &digest[..DIGIT_COUNT])
}

/// Returns true if a byte of a name stands for itself: what git, or a file system, takes in a special way does
/// not.
fn is_plain(name: &str, at: usize, byte: u8) -> bool {
    match byte {
        b'a'..=b'z' | b'0'..=b'9' => true,
        b'-' => at > 0,
        b'.' => {
            let rest = &name.as_bytes()[at + 1..];
            at > 0 && !rest.is_empty() && rest[0] != b'.' && rest != b"lock"
        }
        _ => false,
    }
}

/// Returns the name that an escape is for; `None` for what is none, or shows only a digest.
pub fn unescape_name(escape: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = escape;
    while let Some(first) = rest.bytes().next() {
        let length = if first == b'%' {
            bytes.push(u8::from_str_radix(rest.get(1..3)?, 16).ok()?);
            3
        } else {
            bytes.push(first);
            1
        };
        rest = rest.get(length..)?;
    }
    let name = String::from_utf8(bytes).ok()?;
    // One name has one escape.
    (escape_name(&name) == escape).then_some(name)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn usual_names_stay_as_they_are() {
        for name in [
            "2026-01-22-001-x7m", "2026-01-22-001-x7m.1.2", "a.b-c", "main",
        ] {
            assert_eq!(escape_name(name), name);
        }
    }

    #[test]
    fn what_git_or_a_disk_takes_in_a_special_way_is_escaped() {
        for (name, escape) in [
            ("..", "%2e%2e"),
            (".hidden", "%2ehidden"),
            ("a..b", "a%2e.b"),
            ("end.", "end%2e"),
            ("a.lock", "a%2elock"),
            ("-x", "%2dx"),
            ("A b", "%41%20b"),
            ("x@{1}", "x%40%7b1%7d"),
            ("100%", "100%25"),
            ("a/b\\c", "a%2fb%5cc"),
            ("é", "%c3%a9"),
            ("a_b", "a%5fb"),
        ] {
            assert_eq!(escape_name(name), escape);
            assert_eq!(unescape_name(escape).as_deref(), Some(name));
        }
    }

    #[test]
    fn what_is_no_escape_stands_for_no_name() {
        for escape in [
            "A", "%41x%", "%4", "a_b", "%zz", "%61", "..", "%2E", "%-1", "%+1",
        ] {
            assert_eq!(unescape_name(escape), None, "{escape}");
        }
    }

    /// Whether git takes a text as a part of a reference.
    fn is_part_of_ref(text: &str) -> bool {
        git2::Reference::is_valid_name(&format!("refs/heads/{text}"))
    }

    proptest! {
        #[test]
        fn every_name_has_an_escape_that_is_safe(name in "\\PC{1,60}|[aA.%@{}lock_-]{1,40}|.{1,80}") {
            let escape = escape_name(&name);
            prop_assert!(is_part_of_ref(&escape), "{}", escape);
            prop_assert!(escape.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"%.-".contains(&b)));
            prop_assert!(!escape.contains("..") && !escape.to_lowercase().ends_with(".lock") && !escape.ends_with('.'));
            prop_assert!(!escape.starts_with(['.', '-']) && escape.len() <= 255 - ".json".len() - 30);
            prop_assert_eq!(escape.to_lowercase(), escape);
        }

        #[test]
        fn an_escape_leads_back_to_its_name(name in "\\PC{1,25}|[aA.%@lock_-]{1,40}") {
            let escape = escape_name(&name);
            prop_assert!(escape.contains(DIGEST) || unescape_name(&escape) == Some(name));
        }

        #[test]
        fn no_two_names_have_the_same_escape(one in "[aAé.%lockz0-9_-]{1,120}", other in "[aAé.%lockz0-9_-]{1,120}") {
            prop_assert_eq!(one == other, escape_name(&one) == escape_name(&other));
        }
    }
}
