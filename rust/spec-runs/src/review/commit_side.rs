//! The files of one commit, as places of comments are looked for in them.

use std::cell::RefCell;
use std::collections::BTreeMap;

use chant_base::error::Error;
use chant_git::Repo;
use chant_git::kept_texts::TextRead;
use chant_review::anchor::{CommentAnchor, DiffSide, LineAnchor};
use chant_review::placing::{
    CommentPlacement, CommitFiles, FILE_GONE, NOT_HERE, NOT_REMOVED, is_removed, place,
};
use chant_review::spec_placing::{SpecPlacement, place_in_spec};

use super::work_range::WorkRange;

/// The size in bytes up to which comments are placed in a file.
pub(crate) const LARGEST_TEXT: usize = 1024 * 1024;

/// The files of a commit.
pub(crate) struct CommitSide<'a> {
    repo: &'a Repo,
    commit: &'a str,
    changed: RefCell<BTreeMap<String, Vec<String>>>,
}

impl<'a> CommitSide<'a> {
    pub(crate) fn of(repo: &'a Repo, commit: &'a str) -> Self {
        Self {
            repo,
            commit,
            changed: RefCell::default(),
        }
    }
}

/// Reads a content as a text; `None` for one that is not here, is large or is no text.
pub(crate) fn text_of(repo: &Repo, object: &str) -> Option<String> {
    let TextRead::Text(bytes) = repo.kept_text(object, LARGEST_TEXT).ok()? else {
        return None;
    };
    String::from_utf8(bytes)
        .ok()
        .filter(|text| !text.contains('\0'))
}

impl CommitFiles for CommitSide<'_> {
    fn blob(&self, path: &str) -> Option<String> {
        self.repo.content_id(self.commit, path).ok()?
    }

    fn text(&self, path: &str) -> Option<String> {
        text_of(self.repo, &self.blob(path)?)
    }

    fn changed(&self, since: &str) -> Vec<String> {
        let mut known = self.changed.borrow_mut();
        let entry = known.entry(since.to_owned()).or_insert_with(|| {
            let differing = self.repo.differing(since, self.commit);
            differing.unwrap_or_default()
        });
        entry.clone()
    }

    fn had(&self, since: &str, path: &str) -> bool {
        matches!(self.repo.content_id(since, path), Ok(Some(_)))
    }
}

/// Returns where a comment stands in the work; `None` for one that is about all of it.
pub(crate) fn placement_of(
    repo: &Repo,
    range: Option<&WorkRange>,
    document: (&str, &str),
    anchor: &CommentAnchor,
) -> Result<Option<CommentPlacement>, Error> {
    let (spec_path, spec_text) = document;
    let placed_in = |path: &str, line: usize| CommentPlacement::Placed {
        path: path.to_owned(),
        first: line,
        last: line,
        mark: None,
        others: Vec::new(),
    };
    Ok(match anchor {
        CommentAnchor::Whole => None,
        CommentAnchor::Spec(words) => Some(match place_in_spec(words, spec_text) {
            SpecPlacement::Placed(line, _) => placed_in(spec_path, line),
            SpecPlacement::Outdated(why) => CommentPlacement::Outdated(why),
        }),
        CommentAnchor::File { path, .. } => Some(match range {
            Some(range) if repo.content_id(&range.tip, path)?.is_some() => placed_in(path, 1),
            _ => CommentPlacement::Outdated(FILE_GONE),
        }),
        CommentAnchor::Line(line) => Some(match range {
            Some(range) => placed_line(repo, range, line),
            None => CommentPlacement::Outdated(FILE_GONE),
        }),
    })
}

fn placed_line(repo: &Repo, range: &WorkRange, line: &LineAnchor) -> CommentPlacement {
    let Some(old) = text_of(repo, &line.blob) else {
        return CommentPlacement::Outdated(NOT_HERE);
    };
    let commit = match line.side {
        DiffSide::New => &range.tip,
        DiffSide::Old => &range.base,
    };
    let placed = place(line, &old, &CommitSide::of(repo, commit));
    if line.side == DiffSide::Old
        && let CommentPlacement::Placed {
            path, first, last, ..
        } = &placed
    {
        let older = CommitSide::of(repo, &range.base)
            .text(path)
            .unwrap_or_default();
        let newer = CommitSide::of(repo, &range.tip)
            .text(path)
            .unwrap_or_default();
        if !is_removed(&older, &newer, (*first, *last)) {
            return CommentPlacement::Outdated(NOT_REMOVED);
        }
    }
    placed
}
