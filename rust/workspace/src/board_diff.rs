//! The work of a run as differences: its branch against the commit that it began with.

use super::Workspace;
use super::board_shapes::{BranchDiff, FileDiff, HunkRow};
use super::error::WorkspaceError;
use super::item::Item;
use super::ops::resolve_item;
use chant_base::answer::{Answer, cut};
use chant_base::error::Error;
use chant_base::visible::visible_char;
use chant_git::{GitError, Repo};
use chant_text::line_diff::{LineSide, diff_hunks};
use chant_work::run_index::RunBrief;

/// Files that are shown.
const MAX_FILES: usize = 200;
/// Lines of all files together that are shown.
const MAX_LINES: usize = 2_000;
/// Characters of a line that are shown.
const LINE_SHOWN: usize = 500;
/// Bytes and lines of both versions of a file above which it is only named: comparing them would take long.
const LARGEST: (usize, usize) = (1024 * 1024, 10_000);

/// Returns how the branch of an item's newest run differs from the commit that it began with.
///
/// # Errors
/// As [`super::ops::find`]; `Invalid` for an item without such a branch; `GitError`.
pub fn compare_branch(workspace: &Workspace, name: &str) -> Result<Answer, Error> {
    let (branch, base) = workspace.ask_board(|joined, board| {
        let item = resolve_item(workspace, joined, name)?;
        let runs = board.situations().newest_runs();
        let run = runs.get(item.key()).copied();
        Ok(run.and_then(ends_of).ok_or_else(|| without_branch(&item))?)
    })?;
    let repo = Repo::open(workspace.root())?.ok_or_else(|| WorkspaceError::NoHistory {
        folder: workspace.root().display().to_string(),
        revision: branch.clone(),
    })?;
    Ok(Answer::compact(&differences(&repo, base, branch)?))
}

/// The branch of a run, and what it is compared with.
fn ends_of(run: &RunBrief) -> Option<(String, String)> {
    let base = run.base.clone().or_else(|| run.target.clone())?;
    Some((run.branch.clone()?, base))
}

fn without_branch(item: &Item<'_>) -> WorkspaceError {
    WorkspaceError::Invalid {
        name: "key",
        given: item.key().to_owned(),
        expected: "an item on which a run works or worked, with a branch of its own".to_owned(),
    }
}

fn differences(repo: &Repo, base: String, branch: String) -> Result<BranchDiff, Error> {
    let paths = repo.differing(&base, &branch)?;
    let mut room = MAX_LINES;
    let mut is_cut = paths.len() > MAX_FILES;
    let mut files = Vec::new();
    for path in paths.iter().take(MAX_FILES) {
        let file = if room == 0 {
            is_cut = true;
            named(path)
        } else {
            match (repo.file_at(&base, path), repo.file_at(&branch, path)) {
                (Err(GitError::TooLarge { .. }), _) | (_, Err(GitError::TooLarge { .. })) => {
                    is_cut = true;
                    named(path)
                }
                (older, newer) => {
                    let (older, newer) = (older?.unwrap_or_default(), newer?.unwrap_or_default());
                    compared(path, &older, &newer, &mut room, &mut is_cut)
                }
            }
        };
        files.push(file);
    }
    Ok(BranchDiff {
        base,
        branch,
        files,
        cut: is_cut,
    })
}

/// A file of which no more than its name is shown.
fn named(path: &str) -> FileDiff {
    FileDiff {
        path: visible(path),
        added: None,
        removed: None,
        binary: false,
        hunks: Vec::new(),
    }
}

fn compared(
    path: &str,
    older: &[u8],
    newer: &[u8],
    room: &mut usize,
    is_cut: &mut bool,
) -> FileDiff {
    let (Some(older), Some(newer)) = (text_of(older), text_of(newer)) else {
        return FileDiff {
            binary: true,
            ..named(path)
        };
    };
    let lines = older.lines().count() + newer.lines().count();
    if older.len() + newer.len() > LARGEST.0 || lines > LARGEST.1 {
        *is_cut = true;
        return named(path);
    }
    let hunks = diff_hunks(older, newer);
    let count = |side: LineSide| {
        let lines = hunks.iter().flat_map(|hunk| &hunk.lines);
        Some(lines.filter(|(of, _)| *of == side).count())
    };
    let (added, removed) = (count(LineSide::Added), count(LineSide::Removed));
    let mut rows = Vec::new();
    for hunk in &hunks {
        *is_cut |= hunk.lines.len() > *room;
        let shown = hunk.lines.iter().take(*room);
        let lines: Vec<_> = shown
            .map(|(side, text)| (side.sign(), visible(&cut(text, LINE_SHOWN))))
            .collect();
        *room -= lines.len();
        if !lines.is_empty() {
            let head = hunk.head.clone();
            rows.push(HunkRow { head, lines });
        }
    }
    FileDiff {
        added,
        removed,
        hunks: rows,
        ..named(path)
    }
}

/// The text of a file; `None` for one that is no text.
fn text_of(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    (!text.contains('\0')).then_some(text)
}

fn visible(text: &str) -> String {
    let shown = text.chars().map(|c| match c {
        '\t' => c,
        c => visible_char(c),
    });
    shown.collect()
}
