//! Random changes of files that hold landed lines, against a checker that looks for lines in all files: their words are their own.

use std::collections::HashMap;
use std::sync::Arc;

use chant_drift::{
    FileRole, HunkState, LandedFile, LineRange, PathVersion, TargetHistory, compare_file,
};
use chant_git::changed_files::{ChangedFile, CommittedFile, FileKind};
use proptest::prelude::*;

/// A line. Its words are those of no other line; brackets and blanks read alike.
#[derive(Debug, Clone, PartialEq, Eq)]
struct OwnLine {
    words: String,
}

/// A change to the files.
#[derive(Debug, Clone)]
enum Change {
    Insert {
        file: usize,
        at: usize,
        lines: usize,
    },
    Remove {
        file: usize,
        at: usize,
        lines: usize,
    },
    Rewrite {
        file: usize,
        at: usize,
    },
    EndsOfLines {
        file: usize,
    },
    Rename {
        file: usize,
    },
    Delete {
        file: usize,
    },
    Restore {
        file: usize,
    },
    TakeBack {
        file: usize,
    },
    Move {
        file: usize,
        from: usize,
        lines: usize,
        to: usize,
    },
}

type Files = Vec<(String, Option<Vec<OwnLine>>, &'static str)>;

/// The files of a branch in memory: contents are named by themselves.
#[derive(Default)]
struct MemoryHistory {
    tip: HashMap<String, String>,
    versions: HashMap<String, Vec<PathVersion>>,
    changes: Vec<Vec<ChangedFile>>,
}

impl TargetHistory for MemoryHistory {
    fn at_tip(&self, path: &str) -> Option<String> {
        self.tip.get(path).cloned()
    }

    fn versions(&self, path: &str, from: usize) -> &[PathVersion] {
        let versions = self.versions.get(path).map_or(&[][..], Vec::as_slice);
        &versions[versions.partition_point(|version| version.at < from)..]
    }

    fn changes(&self, at: usize) -> &[ChangedFile] {
        &self.changes[at]
    }

    fn text(&self, blob: &str) -> Option<Arc<str>> {
        Some(blob.into())
    }
}

impl MemoryHistory {
    fn commit(&mut self, files: &Files) {
        let now: HashMap<String, String> = files
            .iter()
            .filter_map(|(path, lines, end)| Some((path.clone(), text(lines.as_ref()?, end))))
            .collect();
        let paths = self.tip.keys().chain(now.keys());
        let mut paths: Vec<String> = paths.cloned().collect();
        paths.sort_unstable();
        paths.dedup();
        let file = |all: &HashMap<String, String>, path: &str| {
            let id = all.get(path)?.clone();
            let kind = FileKind::Plain;
            Some(CommittedFile { kind, id })
        };
        let mut changed = Vec::new();
        for path in paths {
            let (old, new) = (file(&self.tip, &path), file(&now, &path));
            if old != new {
                let at = self.changes.len();
                let blob = new.as_ref().map(|file| file.id.clone());
                let versions = self.versions.entry(path.clone()).or_default();
                versions.push(PathVersion { at, blob });
                changed.push(ChangedFile { path, old, new });
            }
        }
        self.changes.push(changed);
        self.tip = now;
    }
}

fn text(lines: &[OwnLine], end: &str) -> String {
    lines
        .iter()
        .map(|line| format!("{}{end}", line.words))
        .collect()
}

/// Lines that tell, with some between them that do not.
fn new_lines(count: usize, next: &mut usize) -> Vec<OwnLine> {
    let line = |_| {
        *next += 1;
        let words = match *next % 5 {
            3 => "    }".to_owned(),
            4 => String::new(),
            _ => format!("    let value_{next} = compute_with(argument_{next});"),
        };
        OwnLine { words }
    };
    (0..count).map(line).collect()
}

fn apply(
    change: &Change,
    files: &mut Files,
    gone: &mut HashMap<String, Vec<OwnLine>>,
    next: &mut usize,
    first: &[Vec<OwnLine>],
) {
    let count = files.len();
    match change {
        Change::Insert { file, at, lines } => {
            if let Some(own) = &mut files[file % count].1 {
                let at = at % (own.len() + 1);
                own.splice(at..at, new_lines(*lines, next));
            }
        }
        Change::Remove { file, at, lines } => {
            if let Some(own) = &mut files[file % count].1
                && !own.is_empty()
            {
                let at = at % own.len();
                own.drain(at..(at + lines).min(own.len()));
            }
        }
        Change::Rewrite { file, at } => {
            if let Some(own) = &mut files[file % count].1
                && !own.is_empty()
            {
                let at = at % own.len();
                *next += 1;
                own[at] = OwnLine {
                    words: format!("rewritten_{next}()"),
                };
            }
        }
        Change::EndsOfLines { file } => {
            let end = &mut files[file % count].2;
            *end = if *end == "\n" { "\r\n" } else { "\n" };
        }
        Change::Rename { file } => {
            *next += 1;
            files[file % count].0 = format!("renamed_{next}.rs");
        }
        Change::Delete { file } => {
            let file = &mut files[file % count];
            if let Some(lines) = file.1.take() {
                gone.insert(file.0.clone(), lines);
            }
        }
        Change::Restore { file } => {
            let file = &mut files[file % count];
            if file.1.is_none() {
                file.1 = gone.remove(&file.0);
            }
        }
        Change::Move {
            file,
            from,
            lines,
            to,
        } => {
            if let Some(own) = &mut files[file % count].1
                && !own.is_empty()
            {
                let from = from % own.len();
                let moved: Vec<OwnLine> = own.drain(from..(from + lines).min(own.len())).collect();
                let to = to % (own.len() + 1);
                own.splice(to..to, moved);
            }
        }
        Change::TakeBack { file } => {
            if let Some(own) = &mut files[file % count].1 {
                own.clone_from(&first[file % count]);
            }
        }
    }
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let change = prop_oneof![
        4 => (0..3usize, 0..40usize, 1..4usize).prop_map(|(file, at, lines)| Change::Insert { file, at, lines }),
        2 => (0..3usize, 0..40usize, 1..3usize).prop_map(|(file, at, lines)| Change::Remove { file, at, lines }),
        2 => (0..3usize, 0..40usize).prop_map(|(file, at)| Change::Rewrite { file, at }),
        1 => (0..3usize).prop_map(|file| Change::EndsOfLines { file }),
        1 => (0..3usize).prop_map(|file| Change::Rename { file }),
        1 => (0..3usize).prop_map(|file| Change::Delete { file }),
        2 => (0..3usize).prop_map(|file| Change::Restore { file }),
        1 => (0..3usize).prop_map(|file| Change::TakeBack { file }),
        2 => (0..3usize, 0..40usize, 1..9usize, 0..40usize)
            .prop_map(|(file, from, lines, to)| Change::Move { file, from, lines, to }),
    ];
    prop::collection::vec(change, 0..12)
}

/// True if lines stand in a file, one behind the other.
fn stands(sought: &[OwnLine], files: &Files) -> bool {
    let mut texts = files.iter().filter_map(|(_, lines, _)| lines.as_ref());
    texts.any(|lines| lines.windows(sought.len()).any(|part| part == sought))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Lines are changed or removed exactly when they do not stand together any more.
    #[test]
    fn lines_are_stale_exactly_when_their_words_changed(
        around in prop::collection::vec(3..15usize, 3),
        ranges in prop::collection::vec((0..30usize, 1..6usize), 3),
        changes in changes(),
    ) {
        let mut next = 0;
        let mut files: Files = Vec::new();
        for (nth, count) in around.iter().enumerate() {
            files.push((format!("file_{nth}.rs"), Some(new_lines(*count, &mut next)), "\n"));
        }
        let mut history = MemoryHistory::default();
        history.commit(&files);
        let mut landed = Vec::new();
        for ((path, lines, end), (at, length)) in files.iter().zip(&ranges) {
            let lines = lines.as_ref().unwrap();
            let first = at % lines.len();
            let last = (first + length).min(lines.len());
            let own = lines[first..last].to_vec();
            if own.first().unwrap().words.trim().len() < 2 || own.last().unwrap().words.trim().len() < 2 {
                // Lines without words at an end are left out when a landing is read.
                continue;
            }
            let text = text(lines, end);
            landed.push((own, LandedFile {
                path: path.clone(),
                role: FileRole::Code,
                blob: text.clone(),
                text: text.into(),
                from: 1,
                lines: vec![LineRange { first: first + 1, last }],
            }));
        }
        let mut gone = HashMap::new();
        let first: Vec<Vec<OwnLine>> = files.iter().filter_map(|file| file.1.clone()).collect();
        for change in &changes {
            apply(change, &mut files, &mut gone, &mut next, &first);
            history.commit(&files);
        }
        for (own, file) in &landed {
            let [drift] = <[_; 1]>::try_from(compare_file(file, &history)).unwrap();
            let is_stale = matches!(drift.state, HunkState::Changed | HunkState::Removed);
            prop_assert_eq!(is_stale, !stands(own, &files), "{:?} of {}", drift, file.text);
            if let Some(now) = &drift.now {
                let (_, lines, _) = files.iter().find(|(path, ..)| *path == now.path).unwrap();
                let lines = lines.as_ref().unwrap();
                prop_assert_eq!(&lines[now.lines.first - 1..now.lines.last], &own[..]);
            }
            if is_stale {
                let by = drift.by.expect("a commit");
                let touched = &history.changes[by];
                prop_assert!(!touched.is_empty());
            }
        }
    }
}
