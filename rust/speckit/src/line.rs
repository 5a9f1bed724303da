//! One line of a task list: its box, its ID, and the words behind these.

use super::task::TaskMark;
use chant_text::lazy_pattern::LazyPattern;

/// A list item with a box; the brackets may be full-width ones.
static LINE: LazyPattern = LazyPattern::new(
    r"^([ \t]*)(?:[-*+]|[0-9]{1,9}[.)])[ \t]+[\[［【](.)[\]］】](?:[ \t\u{3000}]+(.*))?$",
);
/// The signs that may stand before the ID of a heading: a bullet, a number, a box.
static BEFORE_HEADING: LazyPattern = LazyPattern::new(
    r"^(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)?(?:[\[［【]([^P])[\]］】][ \t\u{3000}]*)?",
);
/// A word and signs before the ID of a heading.
static TASK_WORD: LazyPattern = LazyPattern::new(
    r"(?i)^(?:[✅☑✔✓⬜☐🔲🚧⏳❌]\u{fe0f}?[ \t]*)?(?:(?:task|任务|任務|タスク|작업)[ \t:#]+)?",
);
/// A sign at one of the ends of a heading that says how far it is, in a way that no tool of ours can change.
static EMOJI: LazyPattern =
    LazyPattern::new(r"^([✅☑✔✓⬜☐🔲🚧⏳❌])|([✅☑✔✓⬜☐🔲🚧⏳❌])\u{fe0f}?$");
/// A box behind the ID of a heading, or at its end.
static BOX_BEHIND: LazyPattern =
    LazyPattern::new(r"^[ \t:：*_`]*\[([ xX~-])\](?:[ \t]|$)|[ \t]\[([ xX~-])\][ \t#]*$");
static ID: LazyPattern = LazyPattern::new(
    r"^((?:\[P\][ \t]*)?)((?:\*\*|__|~~|`)*)([\[［【]?)((?:T|TASK)[-_]?[0-9]+[0-9A-Za-z.\-]*)(.*)$",
);
/// Behind an ID, what makes a range of it.
static RANGE: LazyPattern = LazyPattern::new(
    r"^[ \t]*(?:[-–—~～,、&+/]|\.\.|to\b|through\b|and\b)[ \t]*(?:T|TASK)[-_]?[0-9]",
);
static AFTER_ID: LazyPattern =
    LazyPattern::new(r"^(?:\*\*|__|~~|`)*(?:[:.)：、．][ \t]*)?(?:\*\*|__|~~|`)*[ \t\u{3000}]*");
static DASH: LazyPattern = LazyPattern::new(r"^(?:[-–—:·•|→][ \t]+)");
static MARKER: LazyPattern = LazyPattern::new(r"^\[([^\[\]]*[^\[\]\s][^\[\]]*)\](?:\*\*)?:?[ \t]*");
/// Full-width brackets quote as often as they mark: only these are markers.
static WIDE_MARKER: LazyPattern = LazyPattern::new(
    r"^[［【]((?:P|US-?[0-9]+[A-Za-z]?)(?:[,/、， ]+(?:P|US-?[0-9]+[A-Za-z]?))*)[］】][ \t]*",
);
static STORY: LazyPattern = LazyPattern::new(r"^US-?[0-9]+[A-Za-z]?$");
static STORIES: LazyPattern = LazyPattern::new(
    r"^US-?([0-9]{1,4})[ \t]*(?:-|–|—|~|\.\.\.?|to|through)[ \t]*(?:US-?)?([0-9]{1,4})$",
);
/// Most stories of a range; what names more is a label.
const MAX_STORIES: usize = 99;

/// A list item with a box.
pub(super) struct BoxLine<'a> {
    /// The sign in the box.
    pub(super) sign: &'a str,
    /// The byte of the line at which that stands.
    pub(super) at: usize,
    /// The text behind the box.
    pub(super) rest: &'a str,
}

impl BoxLine<'_> {
    /// Returns the mark in the box; `None` for a sign that says nothing.
    pub(super) fn mark(&self) -> Option<TaskMark> {
        self.sign.chars().next().and_then(TaskMark::of)
    }
}

/// Reads a line that is a list item with a box.
pub(super) fn box_line(line: &str) -> Option<BoxLine<'_>> {
    if !line.contains(['[', '［', '【']) {
        return None;
    }
    let found = LINE.captures(line)?;
    let sign = found.get(2)?;
    Some(BoxLine {
        sign: sign.as_str(),
        at: sign.start(),
        rest: found.get(3).map_or("", |rest| rest.as_str()),
    })
}

/// The parts of a task's line behind its box.
pub(super) struct TaskHead {
    pub(super) id: Box<str>,
    pub(super) is_parallel: bool,
    pub(super) stories: Vec<String>,
    pub(super) labels: Vec<String>,
    pub(super) description: String,
}

/// Reads a line with an ID; `None` for one without.
pub(super) fn named(rest: &str) -> Option<TaskHead> {
    let found = ID.captures(rest)?;
    let written = found.get(4)?;
    let id = written.as_str().trim_end_matches(['.', '-']);
    let behind = &rest[written.start() + id.len()..];
    let behind = match &found[3] {
        "" => behind,
        _ => behind.strip_prefix([']', '］', '】'])?,
    };
    if behind.chars().next().is_some_and(goes_on) {
        return None;
    }
    let mut head = TaskHead {
        id: id.into(),
        is_parallel: !found[1].is_empty(),
        stories: Vec::new(),
        labels: Vec::new(),
        description: String::new(),
    };
    let mut rest = DASH.strip_from(AFTER_ID.strip_from(behind));
    while let Some(marker) = MARKER.captures(rest).or_else(|| WIDE_MARKER.captures(rest)) {
        let (whole, word) = (marker.get(0)?, marker.get(1)?);
        if rest[word.end()..].starts_with("](") {
            break; // a link
        }
        head.mark(word.as_str().trim());
        rest = &rest[whole.end()..];
    }
    let rest = DASH.strip_from(rest);
    let before = &behind[..behind.len() - rest.len()];
    head.description = without_end(rest.trim_end(), &found[2], before);
    Some(head)
}

/// Returns true if a word that begins like an ID is another one with this character behind it. Scripts that
/// set no space between words may go on at once.
fn goes_on(c: char) -> bool {
    let may_follow = c.is_whitespace() || ":*~_`[.-,;)–—·•→".contains(c) || c >= '\u{2e80}';
    !may_follow
}

/// A description without the end of an emphasis that begins before the ID, unless that ends before the
/// description.
fn without_end(description: &str, emphasis: &str, before: &str) -> String {
    let mut description = description.to_owned();
    for mark in ["**", "__", "~~", "`"] {
        if emphasis.contains(mark)
            && !before.contains(mark)
            && let Some(at) = description.find(mark)
        {
            description.replace_range(at..at + mark.len(), "");
        }
    }
    description.trim().to_owned()
}

impl TaskHead {
    /// Takes in what stands in brackets: `P`, stories, also several or a range of them, or a label.
    fn mark(&mut self, text: &str) {
        if let Some(stories) = range_of_stories(text) {
            return self.stories.extend(stories);
        }
        let words: Vec<&str> = text
            .split([',', '/', '+', '&', '、', '，'])
            .map(str::trim)
            .collect();
        let is_story = |word: &&str| *word == "P" || STORY.is_match(word);
        if !words.iter().all(is_story) {
            return self.labels.push(text.to_owned());
        }
        for word in words {
            match word {
                "P" => self.is_parallel = true,
                story => self.stories.push(story.to_owned()),
            }
        }
    }
}

/// The stories that `US1-US5` means.
fn range_of_stories(text: &str) -> Option<Vec<String>> {
    let found = STORIES.captures(text)?;
    let number = |at: usize| found[at].parse::<usize>().ok();
    let (first, last) = (number(1)?, number(2)?);
    let is_range = first < last && last - first < MAX_STORIES;
    is_range.then(|| (first..=last).map(|number| format!("US{number}")).collect())
}

/// The line of a heading that names a task.
pub(super) struct HeadingLine {
    pub(super) head: TaskHead,
    /// The sign in its box and the byte of the line at which it stands.
    pub(super) sign: Option<(char, usize)>,
    /// A sign of another kind that says how far it is.
    pub(super) emoji: Option<Box<str>>,
}

/// Reads the line of a heading; `None` for one that names no task, or several.
pub(super) fn heading_line(line: &str) -> Option<HeadingLine> {
    let marks = line.len() - line.trim_start_matches([' ', '#']).len();
    let text = line.get(marks..)?.trim_start();
    let from = line.len() - text.len();
    let before = BEFORE_HEADING.captures(text)?;
    let end = before.get(0)?.end();
    let rest = TASK_WORD.strip_from(&text[end..]);
    let mut head = named(without_end_marks(rest))?;
    let at_id = rest.find(&*head.id)? + head.id.len();
    if RANGE.is_match(&rest[at_id..]) || is_range(&head.id) {
        return None;
    }
    let lead = before.get(1).and_then(|sign| {
        let character = sign.as_str().chars().next()?;
        Some((character, from + sign.start()))
    });
    let behind = || {
        let found = BOX_BEHIND.captures(&rest[at_id..])?;
        let sign = found.get(1).or_else(|| found.get(2))?;
        let start = line.len() - rest.len() + at_id + sign.start();
        Some((sign.as_str().chars().next()?, start))
    };
    let sign = lead.or_else(behind);
    if lead.is_none() && sign.is_some() {
        head.labels.retain(|label| !is_sign(label));
        head.description = without_box(&head.description);
    }
    let emoji = EMOJI.captures(without_end_marks(text)).and_then(|found| {
        let sign = found.get(1).or_else(|| found.get(2))?;
        Some(sign.as_str().into())
    });
    Some(HeadingLine { head, sign, emoji })
}

/// The text of a heading without the signs that may close it.
fn without_end_marks(text: &str) -> &str {
    text.trim_end_matches(['#', ' ', '\t', '\r', '\n'])
}

fn is_sign(label: &str) -> bool {
    ["x", "X", "~", "-"].contains(&label)
}

/// A title without the box at one of its ends.
fn without_box(title: &str) -> String {
    let mut title = title.trim();
    for sign in ["[ ]", "[x]", "[X]", "[~]", "[-]"] {
        title = title.strip_suffix(sign).unwrap_or(title).trim_end();
        title = title.strip_prefix(sign).unwrap_or(title).trim_start();
    }
    title.to_owned()
}

/// Returns true if an ID is two of them with a dash between.
pub(super) fn is_range(id: &str) -> bool {
    let mut parts = id.splitn(2, '-').skip(1);
    let is_id =
        |part: &str| part.starts_with('T') && part[1..].starts_with(|c: char| c.is_ascii_digit());
    parts.any(is_id)
}
