//! What somebody else writes into the file of an open document: the editor's text stays as it is, and is told of it.

use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;
use std::sync::Arc;

use chant_base::text_place::TextPlace;
use chant_store::disk::{self, Disk, FileStamp};
use chant_text::line_diff::{LineSide, diff_hunks};
use chant_text::merge::{self, ConflictMarkers};

use super::markdown_text::shown_title;
use super::projects::{DocumentKind, DocumentPlace, OpenProject};

/// Merges the versions of a spec by their meaning: the one before, the editor's one, the one on disk.
pub type SpecMerger = fn([&str; 3], &ConflictMarkers<'_>) -> String;

/// Texts of the editor that are remembered: one that is found on disk was saved, and is no change of somebody else.
const MAX_OWN: usize = 1_000;

/// Marks of both versions where a change on disk clashes with the editor's text.
const MARKERS: ConflictMarkers<'static> = ConflictMarkers {
    length: 7,
    ours: "editor",
    theirs: "disk",
};

/// The file below an open document.
#[derive(Default)]
pub(crate) struct DiskSide {
    stamp: Option<FileStamp>,
    /// The text that it had at the last look.
    known: Arc<str>,
    /// Digests of the texts that the editor held, the latest last.
    own: VecDeque<u64>,
    hasher: RandomState,
    /// Merges versions of it by their meaning; else their lines are merged.
    merger: Option<SpecMerger>,
    /// Changes of others that the editor's text lacks, the oldest first.
    pub(crate) missed: Vec<MissedChange>,
}

/// A change of a file that the editor's text lacks.
pub(crate) struct MissedChange {
    before: Arc<str>,
    after: Arc<str>,
    merger: Option<SpecMerger>,
    /// True if the editor saved another text since.
    pub(crate) is_overwritten: bool,
}

impl DiskSide {
    /// The file of a document of which the editor holds a text.
    pub(crate) fn of(
        project: &OpenProject,
        place: &DocumentPlace,
        held: &str,
        specs: SpecMerger,
    ) -> Self {
        let mut side = Self {
            merger: (place.kind == DocumentKind::Spec).then_some(specs),
            ..Self::default()
        };
        side.known = side.read(project, place).unwrap_or_default();
        side.note_own(held);
        side
    }

    /// The text of the file, if its stamp is another one.
    fn read(&mut self, project: &OpenProject, place: &DocumentPlace) -> Option<Arc<str>> {
        let file = project.workspace.root().join(&place.path);
        let stamp = disk::stamp(&file);
        if stamp == self.stamp {
            return None;
        }
        self.stamp = stamp;
        let below = Disk::default().within(project.workspace.root());
        Some(below.read_text(&file, &place.path).ok()?.0.into())
    }

    /// Notes a text that the editor holds.
    pub(crate) fn note_own(&mut self, text: &str) {
        if self.own.len() == MAX_OWN {
            self.own.pop_front();
        }
        self.own.push_back(self.hasher.hash_one(content(text)));
    }

    /// Looks whether somebody else wrote, while the editor holds a text.
    pub(crate) fn look(&mut self, project: &OpenProject, place: &DocumentPlace, held: &str) {
        let Some(now) = self.read(project, place) else {
            return;
        };
        let is_own = self.own.contains(&self.hasher.hash_one(content(&now)));
        // An editor that writes has written the beginning so far.
        let is_part = !is_own && held.starts_with(&*now);
        if is_part || content(&now) == content(&self.known) {
            return;
        }
        let before = std::mem::replace(&mut self.known, Arc::clone(&now));
        match self.missed.last_mut().filter(|last| !last.is_overwritten) {
            Some(last) if is_own => last.is_overwritten = true,
            Some(last) => last.after = now,
            None if is_own => {}
            None => self.missed.push(MissedChange {
                before,
                after: now,
                merger: self.merger,
                is_overwritten: false,
            }),
        }
    }

    /// Forgets what the editor's text has now: what was offered, or what a merge would leave as it is.
    pub(crate) fn forget_taken(&mut self, held_before: &str, held: &str) {
        let is_missing = |missed: &MissedChange, text: &str| missed.taken_into(text) != held;
        self.missed
            .retain(|missed| is_missing(missed, held) && is_missing(missed, held_before));
    }
}

/// A text without what editors take off or put on when they read and write.
fn content(text: &str) -> &str {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.trim_end_matches(['\r', '\n'])
}

impl MissedChange {
    /// The editor's text with this change, and with marks where both changed.
    pub(crate) fn taken_into(&self, held: &str) -> String {
        if let Some(merge) = self.merger {
            return merge([&self.before, held, &self.after], &MARKERS);
        }
        let [before, held, after] = [&self.before, held, &self.after].map(str::as_bytes);
        String::from_utf8_lossy(&merge::marked(before, held, after, &MARKERS)).into_owned()
    }

    /// The words of the editor's text that would be others, else the line.
    pub(crate) fn place_in(&self, held: &str) -> TextPlace {
        TextPlace::of(held, difference(held, &self.taken_into(held)).0)
    }

    /// What changed, in a few words.
    pub(crate) fn summary(&self) -> String {
        let hunks = diff_hunks(&self.before, &self.after);
        let of_side = |side| {
            let lines = hunks.iter().flat_map(|hunk| &hunk.lines);
            let lines = lines.filter(move |(one, _)| *one == side);
            lines.map(|(_, text)| text.as_str()).collect::<Vec<_>>()
        };
        let (removed, added) = (of_side(LineSide::Removed), of_side(LineSide::Added));
        let unticked = |line: &str| line.replacen("[x]", "[ ]", 1);
        let is_box = |line: &&&str| {
            let is_other = |other: &&str| *other != **line && unticked(other) == unticked(line);
            removed.iter().any(is_other)
        };
        let boxes: Vec<&str> = added.iter().filter(is_box).copied().collect();
        let others = added.len().max(removed.len()) - boxes.len();
        let mut said: Vec<String> = Vec::new();
        said.extend(boxes.iter().map(|line| {
            let what = if unticked(line) == *line {
                "unticked"
            } else {
                "ticked"
            };
            let text = line.split_once("] ").map_or(*line, |(_, text)| text);
            format!("'{}' was {what}", shown_title(text))
        }));
        match others {
            0 => {}
            1 => said.push("one line is another".to_owned()),
            _ => said.push(format!("{others} lines are others")),
        }
        said.join("; ")
    }
}

/// Bytes of a text and what takes their place.
pub(crate) type ByteEdit = (Range<usize>, String);

/// The smallest edit that makes one text of another.
pub(crate) fn difference(before: &str, after: &str) -> ByteEdit {
    let same = before.bytes().zip(after.bytes());
    let mut start = same.take_while(|(one, other)| one == other).count();
    while !before.is_char_boundary(start) || !after.is_char_boundary(start) {
        start -= 1;
    }
    let most = before.len().min(after.len()) - start;
    let same = before.bytes().rev().zip(after.bytes().rev()).take(most);
    let mut end = same.take_while(|(one, other)| one == other).count();
    while !before.is_char_boundary(before.len() - end) || !after.is_char_boundary(after.len() - end)
    {
        end -= 1;
    }
    (
        start..before.len() - end,
        after[start..after.len() - end].to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_difference_of_two_texts_is_whole_characters() {
        for (before, after) in [
            ("[ ] é", "[x] é"),
            ("aé", "aè"),
            ("aaa", "aa"),
            ("", "x"),
            ("same", "same"),
            ("aé b", "a b"),
        ] {
            let (bytes, text) = difference(before, after);
            let mut applied = before.to_owned();
            applied.replace_range(bytes, &text);
            assert_eq!(applied, after);
        }
    }
}
