//! Finds the transcript of a session among what an agent left in its state.
//!
//! The agent could write everything there, so nothing is believed: links are not followed, and the one file that is
//! read is a regular one of bounded size that has no other name.

use std::io::{self, Read as _};
use std::path::Path;

use chant_store::disk::{self, open_regular_beneath};

use crate::session_id::SessionId;

/// The greatest size of a transcript, in bytes.
pub const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// So many entries of folders are looked at.
const MAX_ENTRIES: usize = 20_000;
/// So many bytes at the beginning of a file may name its session.
const HEAD_BYTES: u64 = 64 * 1024;
/// The greatest number of patterns of an agent, and of folders in one.
const MAX_PARTS: usize = 8;

/// Why no transcript is kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TranscriptFault {
    /// No file has the session in its name or at its beginning.
    #[error("it left no transcript of its session")]
    None,
    /// Several have.
    #[error("it left {0} files that may be the transcript of its session")]
    Several(usize),
    /// There are more files than are looked at.
    #[error("it left more than {MAX_ENTRIES} files where its transcript lies")]
    TooMany,
    /// It is too large.
    #[error("its transcript has more than {} MiB", MAX_BYTES / 1024 / 1024)]
    TooLarge,
    /// It cannot be read as one.
    #[error("its transcript is damaged: line {0} is no JSON")]
    Damaged(usize),
    /// The system does not give it.
    #[error("its transcript cannot be read: {0}")]
    Unreadable(String),
}

/// A transcript that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundTranscript {
    /// Its path below the folder, with `/`.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// The settings of an agent about its sessions.
#[derive(Debug, Clone, Copy)]
pub struct SessionSettings<'a> {
    /// True if its template says it all.
    pub is_built_in: bool,
    /// True if there are arguments with which it goes on.
    pub has_resume: bool,
    /// True if these name the session.
    pub names_session: bool,
    /// The patterns of its transcripts.
    pub patterns: &'a [String],
}

impl SessionSettings<'_> {
    /// Returns why it cannot go on with a session by them; `None` also where nothing is said.
    pub fn fault(&self) -> Option<String> {
        let wrong = || {
            let mut faults = self.patterns.iter().filter_map(|pattern| {
                let fault = pattern_fault(pattern)?;
                Some(format!("the pattern `{pattern}` of `transcripts`: {fault}"))
            });
            faults.next()
        };
        let why = match (self.has_resume, !self.patterns.is_empty()) {
            (false, false) => return None,
            _ if self.is_built_in => "it is built in with both",
            (false, true) => "`resume` is missing, its arguments for that",
            (true, false) => "`transcripts` is missing, the files to keep",
            _ if !self.names_session => "`resume` does not hold `{session}`",
            (true, true) => return wrong(),
        };
        Some(why.to_owned())
    }
}

/// Returns what is wrong with a pattern; `None` if it names files below a folder, as `sessions/*/rollout-*.jsonl` does.
pub fn pattern_fault(pattern: &str) -> Option<&'static str> {
    let parts: Vec<&str> = pattern.split('/').collect();
    let is_name = |part: &&str| {
        !part.is_empty()
            && !matches!(*part, "." | "..")
            && !part.contains(|c: char| c.is_control() || c == '\\' || c == '~')
    };
    if pattern.contains("**") {
        Some("`**` is not known; `*` stands for a part of one name")
    } else if !parts.iter().all(is_name) {
        Some("expected names with `/` between them, below the agent's own state")
    } else if parts.len() > MAX_PARTS {
        Some("expected at most 8 names with `/` between them")
    } else {
        None
    }
}

/// Returns true for a path that a pattern means.
pub fn matches_pattern(pattern: &str, path: &str) -> bool {
    let (pattern, path) = (pattern.split('/'), path.split('/'));
    pattern.clone().count() == path.clone().count()
        && pattern
            .zip(path)
            .all(|(pattern, name)| matches_name(pattern, name))
}

fn matches_name(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let Some(name) = name.strip_prefix(first) else {
        return false;
    };
    let mut ends = name.char_indices().map(|(at, _)| at).chain([name.len()]);
    ends.any(|at| matches_name(rest, &name[at..]))
}

/// Returns the transcript of a session below a real folder.
///
/// # Errors
/// Why there is none that can be kept.
pub fn find_transcript(
    folder: &Path,
    patterns: &[String],
    session: &SessionId,
) -> Result<FoundTranscript, TranscriptFault> {
    let paths = files_of(folder, patterns)?;
    let name_of = |path: &String| path.rsplit('/').next().unwrap_or_default().to_owned();
    let mut fitting: Vec<&String> = paths
        .iter()
        .filter(|path| name_of(path).contains(session.as_str()))
        .collect();
    if fitting.is_empty() {
        let names_it = |path: &&String| begins_with_session(folder, path, session);
        fitting = paths.iter().filter(names_it).collect();
    }
    match fitting[..] {
        [] => Err(TranscriptFault::None),
        [path] => read_transcript(folder, path),
        _ => Err(TranscriptFault::Several(fitting.len())),
    }
}

/// Returns what patterns mean, as far as no link is on the way.
fn files_of(folder: &Path, patterns: &[String]) -> Result<Vec<String>, TranscriptFault> {
    let mut found = Vec::new();
    let mut entries = 0;
    for pattern in patterns.iter().take(MAX_PARTS) {
        let mut level = vec![String::new()];
        let parts: Vec<&str> = pattern.split('/').collect();
        for (depth, part) in parts.iter().enumerate() {
            let is_last = depth + 1 == parts.len();
            let mut next = Vec::new();
            for above in level {
                let place = folder.join(&above);
                if !above.is_empty() && !disk::is_plain_below(folder, &place) {
                    continue;
                }
                for entry in disk::names(&place).unwrap_or_default() {
                    entries += 1;
                    if entries > MAX_ENTRIES {
                        return Err(TranscriptFault::TooMany);
                    }
                    let is_kind = !entry.is_link && entry.is_folder != is_last;
                    if is_kind && matches_name(part, &entry.name) {
                        let between = if above.is_empty() { "" } else { "/" };
                        next.push(format!("{above}{between}{}", entry.name));
                    }
                }
            }
            level = next;
        }
        found.extend(level);
    }
    found.sort();
    found.dedup();
    Ok(found)
}

fn begins_with_session(folder: &Path, path: &str, session: &SessionId) -> bool {
    let Ok((file, _)) = open_regular_beneath(folder, path) else {
        return false;
    };
    let mut head = Vec::new();
    let read = file.take(HEAD_BYTES).read_to_end(&mut head);
    read.is_ok() && String::from_utf8_lossy(&head).contains(session.as_str())
}

fn read_transcript(folder: &Path, path: &str) -> Result<FoundTranscript, TranscriptFault> {
    let unreadable = |error: io::Error| TranscriptFault::Unreadable(error.to_string());
    let (file, size) = open_regular_beneath(folder, path).map_err(unreadable)?;
    if size > MAX_BYTES {
        return Err(TranscriptFault::TooLarge);
    }
    let mut text = String::new();
    // It may grow meanwhile.
    let read = file.take(MAX_BYTES + 1).read_to_string(&mut text);
    if read.map_err(unreadable)? as u64 > MAX_BYTES {
        return Err(TranscriptFault::TooLarge);
    }
    let is_lines = Path::new(path)
        .extension()
        .is_some_and(|ending| ending == "jsonl");
    match damaged_line(&text).filter(|_| is_lines) {
        Some(line) => Err(TranscriptFault::Damaged(line)),
        None => Ok(FoundTranscript {
            path: path.to_owned(),
            text,
        }),
    }
}

/// Returns the first line of JSON lines that is none, as the last is of an agent that was killed while it wrote.
fn damaged_line(text: &str) -> Option<usize> {
    let is_json = |line: &str| serde_json::from_str::<serde::de::IgnoredAny>(line).is_ok();
    let lines = text.lines().enumerate();
    let mut filled = lines.filter(|(_, line)| !line.trim().is_empty());
    let broken = filled.clone().find(|(_, line)| !is_json(line));
    match broken {
        Some((at, _)) => Some(at + 1),
        None => filled.next().is_none().then_some(1),
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;

    const SESSION: &str = "0195e1c2-7b1e";
    const LINE: &str = "{\"type\":\"user\"}\n";

    struct State {
        _around: tempfile::TempDir,
        folder: PathBuf,
    }

    impl State {
        fn new() -> Self {
            let around = tempfile::tempdir().unwrap();
            let folder = disk::real(around.path()).unwrap().join("state");
            fs::create_dir(&folder).unwrap();
            Self {
                _around: around,
                folder,
            }
        }

        fn with(self, path: &str, text: &str) -> Self {
            let path = self.folder.join(path);
            disk::make_folders(path.parent().unwrap()).unwrap();
            disk::write_private(&path, text).unwrap();
            self
        }

        fn found(&self) -> Result<FoundTranscript, TranscriptFault> {
            let patterns = ["projects/*/*.jsonl".to_owned()];
            find_transcript(&self.folder, &patterns, &SessionId::parse(SESSION).unwrap())
        }
    }

    #[test]
    fn a_transcript_has_its_session_in_its_name_or_at_its_beginning() {
        let named = format!("projects/a/{SESSION}.jsonl");
        let state = State::new()
            .with(&named, LINE)
            .with("projects/b/other.jsonl", LINE);
        let state = state
            .with("settings.json", SESSION)
            .with("projects/deep/er/x.jsonl", SESSION);
        assert_eq!(state.found().unwrap().path, named);
        let head = format!("{{\"session\":\"{SESSION}\"}}\n");
        let state = State::new().with("projects/b/other.jsonl", &head);
        assert_eq!(state.found().unwrap().text, head);
        assert_eq!(
            State::new().with("projects/a/x.jsonl", LINE).found(),
            Err(TranscriptFault::None)
        );
        let state = State::new()
            .with("projects/a/x.jsonl", &head)
            .with("projects/b/x.jsonl", &head);
        assert_eq!(state.found(), Err(TranscriptFault::Several(2)));
    }

    #[test]
    fn links_other_names_large_files_and_cut_ones_are_not_kept() {
        let named = format!("projects/a/{SESSION}.jsonl");
        let secret = "{\"secret\":1}\n";
        let outside = |state: &State| {
            let path = state.folder.parent().unwrap().join("secret");
            disk::make_folders(&path).unwrap();
            disk::write_private(&path.join(format!("{SESSION}.jsonl")), secret).unwrap();
            path
        };
        let state = State::new().with("projects/a/x.jsonl", LINE);
        let file = outside(&state).join(format!("{SESSION}.jsonl"));
        symlink(&file, state.folder.join(&named)).unwrap();
        assert_eq!(state.found(), Err(TranscriptFault::None));
        disk::remove(&state.folder.join(&named)).unwrap();
        fs::hard_link(&file, state.folder.join(&named)).unwrap();
        assert!(matches!(state.found(), Err(TranscriptFault::Unreadable(_))));

        let state = State::new().with("projects/b/x.jsonl", LINE);
        symlink(outside(&state), state.folder.join("projects/a")).unwrap();
        assert_eq!(state.found(), Err(TranscriptFault::None));

        let state = State::new().with(&named, LINE);
        let file = fs::File::options()
            .write(true)
            .open(state.folder.join(&named))
            .unwrap();
        file.set_len(1 << 30).unwrap();
        assert_eq!(state.found(), Err(TranscriptFault::TooLarge));

        let state = State::new().with(&named, &format!("{LINE}{{\"type\":\"as"));
        assert_eq!(state.found(), Err(TranscriptFault::Damaged(2)));
        assert_eq!(
            State::new().with(&named, "").found(),
            Err(TranscriptFault::Damaged(1))
        );
    }

    #[test]
    fn patterns_name_files_below_a_folder() {
        for good in ["*.jsonl", "sessions/*/*/*/rollout-*.jsonl", "a b/.c"] {
            assert_eq!(pattern_fault(good), None, "{good}");
        }
        for bad in [
            "", "/etc/passwd", "../*", "a/../b", "a//b", "**/x", "~/x", "a\\b", "a/b/c/d/e/f/g/h/i",
        ] {
            assert!(pattern_fault(bad).is_some(), "{bad}");
        }
        assert!(matches_pattern("s/*/r-*.jsonl", "s/2026/r-1.jsonl"));
        for other in [
            "s/r-1.jsonl", "s/a/b/r-1.jsonl", "s/2026/r-1.json", "s/2026/x-r-1.jsonl",
        ] {
            assert!(!matches_pattern("s/*/r-*.jsonl", other), "{other}");
        }
    }
}
