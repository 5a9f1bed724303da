//! Judges the changes of a repository's history that edit tests: `judge_history REPOSITORY [COUNT]` prints each finding
//! that would need a person, and how many of the last changes have one. A measurement, no test.
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "a program for people who measure"
)]

use std::process::Command;

use chant_evidence::{ChangedText, FileClass, JudgeTerms, class_of, judge_change};

fn git(folder: &str, words: &[&str]) -> Vec<u8> {
    let call = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(words)
        .output();
    call.expect("git runs").stdout
}

/// A file of a commit, by the object that the difference names.
fn blob(folder: &str, id: &str) -> Option<Vec<u8>> {
    (!id.bytes().all(|byte| byte == b'0')).then(|| git(folder, &["cat-file", "blob", id]))
}

fn changed(folder: &str, commit: &str) -> Vec<ChangedText> {
    let parent = format!("{commit}^1");
    let out = git(
        folder,
        &[
            "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", &parent, commit,
        ],
    );
    let out = String::from_utf8_lossy(&out).into_owned();
    let mut parts = out.split('\0');
    let mut files = Vec::new();
    while let (Some(head), Some(path)) = (parts.next(), parts.next()) {
        let words: Vec<&str> = head.split(' ').collect();
        let ([_, _, old, new, ..], false) = (&words[..], head.is_empty()) else {
            break;
        };
        if matches!(class_of(path), FileClass::Words | FileClass::Fixture) {
            continue;
        }
        files.push(ChangedText {
            path: path.to_owned(),
            old: blob(folder, old),
            new: blob(folder, new),
        });
    }
    files
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().expect("a repository");
    let most: usize = arguments
        .next()
        .and_then(|count| count.parse().ok())
        .unwrap_or(400);
    let listed = git(
        &folder,
        &[
            "log", "--first-parent", "--format=%H", "-n", "20000", "HEAD",
        ],
    );
    let listed = String::from_utf8_lossy(&listed).into_owned();
    let (mut seen, mut stopped, mut unread) = (0, 0, 0);
    for commit in listed.lines() {
        if seen == most {
            break;
        }
        let files = changed(&folder, commit);
        let edits_tests = |file: &ChangedText| {
            file.old.is_some() && (class_of(&file.path) == FileClass::Test || in_file(file))
        };
        if !files.iter().any(edits_tests) || files.len() > 400 {
            continue;
        }
        seen += 1;
        let judged = judge_change(
            &files,
            &JudgeTerms {
                tests: &[],
                config: &[],
                checks: &[],
                stricter: &[],
                may_change: &|_| false,
                before: &|_| None,
            },
        );
        unread += usize::from(!judged.not_read.is_empty());
        stopped += usize::from(judged.weaker().next().is_some());
        for finding in judged.weaker() {
            println!("{} {finding}", &commit[..10]);
        }
    }
    println!(
        "{folder}: {seen} changes with edited tests, {stopped} with a finding that stops, {unread} with unread tests"
    );
}

/// True for code of Rust whose own tests are edited, as far as a look at the marks tells.
fn in_file(file: &ChangedText) -> bool {
    let has = |bytes: &Option<Vec<u8>>| {
        let text = String::from_utf8_lossy(bytes.as_deref().unwrap_or_default()).into_owned();
        text.contains("#[cfg(test)]")
    };
    file.path.rsplit('.').next() == Some("rs") && has(&file.old) && has(&file.new)
}
