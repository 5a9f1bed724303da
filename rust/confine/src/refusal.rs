//! Recognises a failure that looks like our refusal: its path, and the key that allows it.

use std::path::{Path, PathBuf};

use super::policy::ConfinePolicy;
use super::resolved_paths::ResolvedPaths;
use chant_store::disk;

/// The words of programs when the system refuses something.
const WORDS: [&str; 5] = [
    "permission denied",
    "operation not permitted",
    "read-only file system",
    "eacces",
    "eperm",
];
/// The words of programs when there is no program of a name, or it may not be started.
const NO_PROGRAM: [&str; 6] = [
    "command not found", "permission denied", "not found", "no such file", "eacces", "enoent",
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
        if let Some(program) = closed_program(policy, line) {
            return Some(program);
        }
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

/// Returns a sentence about the program that a line says is not there, where it lies in folders that are closed.
fn closed_program(policy: &ConfinePolicy, line: &str) -> Option<String> {
    let small = line.to_ascii_lowercase();
    let at = NO_PROGRAM
        .iter()
        .filter_map(|word| small.find(word))
        .min()?;
    // Node.js says `spawn NAME ENOENT`, which may stand behind an own `Error:`.
    let words = line[..at].split(|letter: char| {
        letter.is_whitespace() || ENDS.contains(&letter) || matches!(letter, ':' | '‘' | '’')
    });
    let mut words = words.filter(|word| !word.is_empty() && !word.contains('/'));
    let name = words.next_back()?;
    why_closed(policy, name)
}

/// Returns a sentence about a program that lies in none but closed folders of the `PATH`; `None` for all others.
fn why_closed(policy: &ConfinePolicy, name: &str) -> Option<String> {
    let paths = ResolvedPaths::default();
    let folders = policy.searched.iter().map(|folder| folder.join(name));
    let programs: Vec<PathBuf> = folders.filter(|path| disk::is_program(path)).collect();
    let is_denied = |path: &PathBuf| is_under(&paths.real(path), &policy.denied);
    let is_open = |path: &PathBuf| {
        let real = paths.real(path);
        is_under(&real, &policy.read) || is_under(&real, &policy.write)
    };
    let first = programs.first()?;
    if programs
        .iter()
        .any(|path| is_open(path) && !is_denied(path))
    {
        return None;
    }
    let folder = first.parent().unwrap_or(first).display();
    let why = if is_denied(first) {
        "denied to runs (`confine.deny`, or it may hold secrets); install it elsewhere".to_owned()
    } else {
        format!(
            "closed to runs, as it is none of programs alone; install it elsewhere, or `confine.read: [{}]` in your own configuration opens it",
            first.display()
        )
    };
    Some(format!(
        "the program `{name}` lies in {folder}, which is {why}"
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

    #[cfg(unix)]
    #[test]
    fn a_program_in_a_closed_folder_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let [closed, open] = ["closed", "open"].map(|name| folder.path().join(name));
        for (place, name) in [(&closed, "ferry"), (&closed, "pier"), (&open, "pier")] {
            disk::make_folders(place).unwrap();
            let program = place.join(name);
            disk::write_private(&program, "").unwrap();
            std::fs::set_permissions(
                &program,
                std::os::unix::fs::PermissionsExt::from_mode(0o700),
            )
            .unwrap();
        }
        let policy = ConfinePolicy {
            read: vec![open.canonicalize().unwrap()],
            searched: vec![closed.clone(), open],
            ..ConfinePolicy::default()
        };
        let expected = format!(
            "the program `ferry` lies in {}, which is closed",
            closed.display()
        );
        for line in [
            "sh: 1: ferry: not found",
            "sh: 1: ferry: Permission denied",
            "bash: line 1: ferry: command not found",
            "env: \u{2018}ferry\u{2019}: No such file or directory",
            "Error: spawn ferry ENOENT",
            "make: ferry: No such file or directory",
        ] {
            let said = hint(&policy, [line]).unwrap_or_default();
            assert!(said.starts_with(&expected), "{line}: {said}");
        }
        for line in [
            "sh: 1: pier: not found", "sh: 1: boat: not found", "not found",
        ] {
            assert_eq!(hint(&policy, [line]), None, "{line}");
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
