//! Recognises a failure that looks like our refusal: its path, and the key that allows it.

use std::path::{Path, PathBuf};

use super::policy::ConfinePolicy;

/// The words of programs when the system refuses something.
const WORDS: [&str; 5] = [
    "permission denied",
    "operation not permitted",
    "read-only file system",
    "eacces",
    "eperm",
];
/// Characters that end a path in a sentence, besides blanks.
const ENDS: [char; 12] = ['\'', '"', '`', ',', ';', ')', '(', '<', '>', '[', ']', '|'];

/// Returns a sentence about the first path in the last lines of an output that a policy refuses.
pub fn hint<'a>(
    policy: &ConfinePolicy,
    lines: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    let (mut found, mut written) = (None, false);
    for line in lines {
        let small = line.to_lowercase();
        if !WORDS.iter().any(|word| small.contains(word)) {
            continue;
        }
        if let Some(path) = refused(&policy.write, line) {
            let is_read = is_under(&path, &policy.read);
            // A readable file may be executed by the policy: the file itself lacks the right.
            if is_read && speaks_of_starting(&small) {
                continue;
            }
            // A readable path was refused, so it was to be written.
            (found, written) = (Some(path), is_read || speaks_of_writing(&small));
            break;
        }
    }
    let path = found?;
    let (what, key) = if written {
        ("write", "write")
    } else {
        ("read or write", "read` or `confine.write")
    };
    if policy.denied.iter().any(|denied| path.starts_with(denied)) {
        return Some(format!(
            "the run may not {what} {}, which is denied because it may hold secrets",
            path.display()
        ));
    }
    Some(format!(
        "the run may not {what} {}; if it has to: `confine.{key}` in your own configuration",
        path.display()
    ))
}

fn speaks_of_writing(line: &str) -> bool {
    [
        "read-only", "creat", "mkdir", "writ", "remove", "unlink", "rename", "touch",
    ]
    .iter()
    .any(|word| line.contains(word))
}

fn speaks_of_starting(line: &str) -> bool {
    line.contains("spawn ") || line.contains("exec")
}

fn is_under(path: &Path, folders: &[PathBuf]) -> bool {
    folders.iter().any(|folder| path.starts_with(folder))
}

/// Returns the refused path of a line: the first behind the words of the system, else the last
/// before them.
fn refused(open: &[PathBuf], line: &str) -> Option<PathBuf> {
    let small = line.to_ascii_lowercase();
    let at = WORDS.iter().filter_map(|word| small.find(word)).min()?;
    let (before, behind) = line.split_at(at);
    let is_closed = |path: &PathBuf| !is_under(path, open);
    let named = paths(behind).find(is_closed);
    named.or_else(|| paths(before).filter(is_closed).last())
}

/// Returns the absolute paths in a line.
fn paths(line: &str) -> impl Iterator<Item = PathBuf> {
    line.split(|letter: char| letter.is_whitespace() || ENDS.contains(&letter) || letter == '=')
        .map(|word| word.trim_end_matches([':', '.']))
        .filter(|word| word.len() > 1 && word.starts_with('/') && !word.starts_with("//"))
        .map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy() -> ConfinePolicy {
        ConfinePolicy {
            read: vec!["/usr".into()],
            write: vec!["/run/folder".into()],
            denied: vec!["/home/ada/.ssh".into()],
            ..ConfinePolicy::default()
        }
    }

    #[test]
    fn a_refused_path_is_named_with_the_key_that_opens_it() {
        for (line, expected) in [
            (
                "touch: cannot touch '/home/ada/x': Permission denied",
                Some(
                    "the run may not write /home/ada/x; if it has to: `confine.write` in your own configuration",
                ),
            ),
            (
                "PermissionError: [Errno 13] Permission denied: '/usr/lib/a'",
                Some(
                    "the run may not write /usr/lib/a; if it has to: `confine.write` in your own configuration",
                ),
            ),
            (
                "Error: EACCES: permission denied, open '/home/ada/notes.txt'",
                Some(
                    "the run may not read or write /home/ada/notes.txt; if it has to: `confine.read` or `confine.write` in your own configuration",
                ),
            ),
            (
                "cat: /home/ada/.ssh/id: Permission denied",
                Some(
                    "the run may not read or write /home/ada/.ssh/id, which is denied because it may hold secrets",
                ),
            ),
            (
                "/home/ada/agent.sh: 10: /home/ada/agent.sh: cannot create /data/x: Permission denied",
                Some(
                    "the run may not write /data/x; if it has to: `confine.write` in your own configuration",
                ),
            ),
            ("Ripgrep not available: spawn /usr/lib/rg EACCES", None),
            (
                "spawn /home/ada/rg EACCES",
                Some(
                    "the run may not read or write /home/ada/rg; if it has to: `confine.read` or `confine.write` in your own configuration",
                ),
            ),
            ("cat: /run/folder/a: Permission denied", None),
            ("No such file: /home/ada/x", None),
            ("Permission denied", None),
        ] {
            assert_eq!(hint(&policy(), [line]).as_deref(), expected, "{line}");
        }
    }
}
