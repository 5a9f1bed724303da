//! The state of landed lines at the tip of a branch.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use chant_git::changed_files::{ChangedFile, CommittedFile};
use chant_review::line_maps::similarity;

use super::landing::{LandedFile, plain};
use super::lines::{LaterText, LineRange, found_in};

/// The files into which lines are followed.
const MAX_FILES_FOLLOWED: usize = 10;
/// The other files of a commit in which lines are looked for.
const MAX_OTHERS: usize = 200;
/// The likeness in percent from which on a file counts as renamed, and the least lead over the next one.
const RENAMED: (usize, usize) = (60, 10);

/// A version of a file, with the commit that made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathVersion {
    /// The place of the commit in the line of the branch.
    pub at: usize,
    /// The content; `None` where the commit removed the file.
    pub blob: Option<String>,
}

/// A branch with the versions of its files.
pub trait TargetHistory {
    /// Returns the content of a file at the tip; `None` without such a plain file.
    fn at_tip(&self, path: &str) -> Option<String>;
    /// Returns the versions of a file from a place in the line on, the oldest first.
    fn versions(&self, path: &str, from: usize) -> &[PathVersion];
    /// Returns what the commit at a place in the line changed.
    fn changes(&self, at: usize) -> &[ChangedFile];
    /// Returns a content as text; `None` for what is none, or too large.
    fn text(&self, blob: &str) -> Option<Arc<str>>;
}

/// The states of landed lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HunkState {
    /// They stand where they stood, whatever was written above and below.
    Untouched,
    /// They stand elsewhere, in the same words.
    Moved,
    /// Other words stand in their place.
    Changed,
    /// They are gone.
    Removed,
}

/// Lines of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinePlace {
    /// The file.
    pub path: String,
    /// Its lines.
    pub lines: LineRange,
}

/// The fate of lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HunkDrift {
    /// The lines as they landed.
    pub landed: LineRange,
    /// The state.
    pub state: HunkState,
    /// The place at the tip.
    pub now: Option<LinePlace>,
    /// The place in the line of the commit that changed them, where one is known.
    pub by: Option<usize>,
}

/// Lines in the version of a file in which they stand.
struct TrackedLines {
    path: String,
    blob: String,
    text: Arc<str>,
    lines: LineRange,
    /// The place in the line from which on later versions count.
    from: usize,
}

/// The change with which lines stopped to stand in a file.
struct LineChange {
    at: usize,
    /// The version before it.
    before: String,
}

/// The place of lines in another version.
struct FoundLines {
    lines: LineRange,
    is_in_place: bool,
}

/// Returns what became of the lines of a landed file, in their order.
pub fn compare_file(file: &LandedFile, history: &dyn TargetHistory) -> Vec<HunkDrift> {
    let comparison = FileComparison {
        file,
        history,
        compared: RefCell::default(),
    };
    let lines = file.lines.iter();
    lines.map(|lines| comparison.drift_of(*lines)).collect()
}

/// Versions beside later ones, by the ids of both.
type ComparedTexts = HashMap<(String, String), Option<Rc<LaterText>>>;

struct FileComparison<'a> {
    file: &'a LandedFile,
    history: &'a dyn TargetHistory,
    compared: RefCell<ComparedTexts>,
}

impl FileComparison<'_> {
    fn drift_of(&self, landed: LineRange) -> HunkDrift {
        let mut tracked = TrackedLines {
            path: self.file.path.clone(),
            blob: self.file.blob.clone(),
            text: Arc::clone(&self.file.text),
            lines: landed,
            from: self.file.from,
        };
        let mut by = None;
        for _ in 0..MAX_FILES_FOLLOWED {
            let tip = self.history.at_tip(&tracked.path);
            if let Some(found) = tip.and_then(|tip| self.found(&tracked, &tip)) {
                let is_same = tracked.path == self.file.path && found.is_in_place;
                let state = if is_same {
                    HunkState::Untouched
                } else {
                    HunkState::Moved
                };
                let now = Some(LinePlace {
                    path: tracked.path,
                    lines: found.lines,
                });
                let by = None;
                return HunkDrift {
                    landed,
                    state,
                    now,
                    by,
                };
            }
            let change = self.change_of(&tracked);
            by = change.as_ref().map(|change| change.at);
            match change.and_then(|change| self.followed(&tracked, &change)) {
                Some(next) => tracked = next,
                None => break,
            }
        }
        self.lost(landed, &tracked, by)
    }

    /// Finds lines in another version of their file.
    fn found(&self, tracked: &TrackedLines, blob: &str) -> Option<FoundLines> {
        if blob == tracked.blob {
            return Some(FoundLines {
                lines: tracked.lines,
                is_in_place: true,
            });
        }
        let later = self.later_text(tracked, blob)?;
        let in_place = later.in_place(tracked.lines);
        let first = in_place.or_else(|| later.elsewhere(tracked.lines))?;
        Some(FoundLines {
            lines: tracked.lines.at(first),
            is_in_place: in_place.is_some(),
        })
    }

    fn stands(&self, tracked: &TrackedLines, blob: &str) -> bool {
        let later = || self.later_text(tracked, blob);
        blob == tracked.blob || later().is_some_and(|later| later.has(tracked.lines))
    }

    fn later_text(&self, tracked: &TrackedLines, blob: &str) -> Option<Rc<LaterText>> {
        let key = (tracked.blob.clone(), blob.to_owned());
        let mut compared = self.compared.borrow_mut();
        let later = compared.entry(key).or_insert_with(|| {
            let text = self.history.text(blob)?;
            Some(Rc::new(LaterText::of(&tracked.text, &text)))
        });
        later.clone()
    }

    /// The commit before which lines stood in their file and after which they did not. There may be several where
    /// they came back in between; each of them changed the lines.
    fn change_of(&self, tracked: &TrackedLines) -> Option<LineChange> {
        let versions = self.history.versions(&tracked.path, tracked.from);
        let stands = |version: &PathVersion| {
            let blob = version.blob.as_deref();
            blob.is_some_and(|blob| self.stands(tracked, blob))
        };
        if stands(versions.last()?) {
            return None;
        }
        // They stand before the first version from here on, and do not stand in the last.
        let (mut low, mut high) = (0, versions.len() - 1);
        while low < high {
            let middle = low + (high - low) / 2;
            if stands(&versions[middle]) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let before = match low.checked_sub(1) {
            Some(before) => versions[before].blob.clone()?,
            None => tracked.blob.clone(),
        };
        Some(LineChange {
            at: versions[low].at,
            before,
        })
    }

    /// The lines in the one other file to which a commit moved them.
    fn followed(&self, tracked: &TrackedLines, change: &LineChange) -> Option<TrackedLines> {
        let before = self.history.text(&change.before)?;
        let lines = self.found(tracked, &change.before)?.lines;
        let own = TrackedLines {
            path: tracked.path.clone(),
            blob: change.before.clone(),
            text: before,
            lines,
            from: change.at + 1,
        };
        let within = |other: &ChangedFile, lines: LineRange| {
            let blob = &plain(other.new.as_ref())?.id;
            Some(TrackedLines {
                path: other.path.clone(),
                blob: blob.clone(),
                text: self.history.text(blob)?,
                lines,
                from: change.at + 1,
            })
        };
        if let Some(renamed) = self.renamed(&own, change.at) {
            let found = self.found(&own, &plain(renamed.new.as_ref())?.id);
            if let Some(found) = found {
                return within(renamed, found.lines);
            }
        }
        let had = |file: Option<&CommittedFile>| {
            let text = plain(file).and_then(|file| self.history.text(&file.id));
            text.and_then(|text| found_in(&own.text, own.lines, &text))
        };
        let others = self.others(&own.path, change.at).into_iter();
        let mut found = others.filter_map(|other| {
            let first = had(other.new.as_ref()).filter(|_| had(other.old.as_ref()).is_none())?;
            Some((other, first))
        });
        let (other, first) = found.next()?;
        // Two answers are none.
        found.next().is_none().then_some(())?;
        within(other, own.lines.at(first))
    }

    /// The file that a removed one became: the one with its content, else the only one that is much like it.
    fn renamed(&self, own: &TrackedLines, at: usize) -> Option<&ChangedFile> {
        let changes = self.history.changes(at).iter();
        let mut same = changes.filter(|changed| changed.path == own.path);
        if same.next()?.new.is_some() {
            return None;
        }
        let mut added = self.others(&own.path, at);
        added.retain(|other| other.old.is_none());
        let id = |other: &ChangedFile| plain(other.new.as_ref()).map(|file| file.id.clone());
        let is_same = |other: &&&ChangedFile| id(other).as_ref() == Some(&own.blob);
        if let Some(same) = added.iter().find(is_same) {
            return Some(same);
        }
        let alike = added.into_iter().filter_map(|other| {
            let text = self.history.text(&id(other)?)?;
            Some((similarity(&own.text, &text), other))
        });
        let mut alike: Vec<(usize, &ChangedFile)> = alike.collect();
        alike.sort_by(|a, b| (b.0, &a.1.path).cmp(&(a.0, &b.1.path)));
        let (least, lead) = RENAMED;
        let second = alike.get(1).map_or(0, |(likeness, _)| *likeness);
        let (likeness, other) = alike.first()?;
        (*likeness >= least && *likeness >= second + lead).then_some(*other)
    }

    /// The other files that a commit wrote.
    fn others(&self, path: &str, at: usize) -> Vec<&ChangedFile> {
        let changes = self.history.changes(at).iter();
        let others = changes.filter(|other| other.path != path && other.new.is_some());
        others.take(MAX_OTHERS).collect()
    }

    /// The fate of lines that some commit changed: they may have come back under another name of their file.
    fn lost(&self, landed: LineRange, tracked: &TrackedLines, by: Option<usize>) -> HunkDrift {
        let mut drift = HunkDrift {
            landed,
            state: HunkState::Removed,
            now: None,
            by,
        };
        let Some((path, blob)) = self.by_names(tracked) else {
            return drift;
        };
        if let Some(found) = self.found(tracked, &blob) {
            drift.state = HunkState::Moved;
            drift.now = Some(LinePlace {
                path,
                lines: found.lines,
            });
            drift.by = None;
            return drift;
        }
        let later = self.later_text(tracked, &blob);
        if later.is_none_or(|later| later.has_other_lines(tracked.lines)) {
            drift.state = HunkState::Changed;
        }
        drift
    }

    /// The file at the tip that a file became, with its content.
    fn by_names(&self, tracked: &TrackedLines) -> Option<(String, String)> {
        let (mut path, mut from) = (tracked.path.clone(), tracked.from);
        let mut blob = tracked.blob.clone();
        for _ in 0..MAX_FILES_FOLLOWED {
            if let Some(tip) = self.history.at_tip(&path) {
                return Some((path, tip));
            }
            let (last, earlier) = self.history.versions(&path, from).split_last()?;
            if let Some(before) = earlier.last() {
                blob = before.blob.clone()?;
            }
            let own = TrackedLines {
                path: path.clone(),
                text: self.history.text(&blob)?,
                blob: blob.clone(),
                lines: tracked.lines,
                from,
            };
            let renamed = self.renamed(&own, last.at)?;
            path.clone_from(&renamed.path);
            blob.clone_from(&plain(renamed.new.as_ref())?.id);
            from = last.at + 1;
        }
        None
    }
}
