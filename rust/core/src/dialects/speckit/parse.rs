//! Text to task list (reference rstn 2.6).
//!
//! A task is a line, so that any indentation and any box will do; what is a fence, a comment or a
//! heading is for CommonMark to say.

use std::ops::Range;

use super::depends;
use super::pattern::{Pattern, pattern};
use super::task::{Criterion, Mark, Phase, Task, TaskList};
use crate::counted::count_visited;
use crate::text::markdown::{Outline, outline};

static LINE: Pattern = pattern!(r"^([ \t]*)(?:[-*+]|[0-9]{1,9}[.)])[ \t]+\[(.)\](?:[ \t]+(.*))?$");
static ID: Pattern =
    pattern!(r"^((?:\[P\][ \t]*)?)((?:\*\*|__|~~|`)*)(\[?)(T[0-9]+[0-9A-Za-z.\-]*)(.*)$");
static AFTER_ID: Pattern =
    pattern!(r"^(?:\*\*|__|~~|`)*(?:[:.)：、．][ \t]*)?(?:\*\*|__|~~|`)*[ \t]*");
static DASH: Pattern = pattern!(r"^(?:[-–—:·•|→][ \t]+)");
static MARKER: Pattern = pattern!(r"^\[([^\[\]]*[^\[\]\s][^\[\]]*)\](?:\*\*)?:?[ \t]*");
static STORY: Pattern = pattern!(r"^US-?[0-9]+[A-Za-z]?$");
static PHASE: Pattern = pattern!(r"(?i)^phase\s+([0-9]+)\b");
static STORY_NUMBER: Pattern = pattern!(r"(?i)\buser story\s+([0-9]+[a-z]?)\b|\b(US[0-9]+)\b");
static PRIORITY: Pattern = pattern!(r"(?i)priority:?\s*(P[0-9]+)");
static TICKED: Pattern = pattern!(r"`([^`\s]+)`");

/// Reads a task list. What is no task is left alone.
pub fn tasks(text: &str) -> TaskList {
    let base = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let outline = outline(&text[base..]);
    let mut reader = Reader {
        list: TaskList::default(),
        ignored: ignored(&text[base..], &outline),
        open: Vec::new(),
        group: None,
        last: None,
    };
    let mut headings = outline.headings.iter().peekable();
    let mut at = 0;
    for (number, line) in text[base..].split_inclusive('\n').enumerate() {
        let start = at;
        at += line.len();
        if let Some(heading) = headings.next_if(|heading| heading.range.start < at) {
            reader.heading(heading.level, &heading.text);
            continue;
        }
        let line = line.trim_end_matches(['\n', '\r']);
        let indented = line.len() - line.trim_start().len();
        if !reader.is_ignored(start + indented) {
            reader.line(line, number + 1, base + start);
        }
    }
    for task in &mut reader.list.tasks {
        task.paths = paths(&task.description);
    }
    count_visited(text.lines().count());
    depends::resolve(&mut reader.list);
    reader.list
}

/// The character that a task is ticked with: that of most ticks of the file.
pub fn tick(text: &str, list: &TaskList) -> char {
    let ticks = list.tasks.iter().filter_map(|task| {
        let character = text.as_bytes().get(task.box_at)?;
        (task.mark == Mark::Done).then_some(*character)
    });
    let (upper, lower): (Vec<u8>, Vec<u8>) = ticks.partition(|tick| *tick == b'X');
    if upper.len() > lower.len() { 'X' } else { 'x' }
}

/// Bytes of fenced code and of comments.
fn ignored(body: &str, outline: &Outline) -> Vec<Range<usize>> {
    let is_fence = |range: &&Range<usize>| {
        let code = body.get((*range).clone()).unwrap_or_default().trim_start();
        code.starts_with("```") || code.starts_with("~~~")
    };
    let mut ignored: Vec<Range<usize>> = outline.code.iter().filter(is_fence).cloned().collect();
    let mut open: Option<usize> = None;
    for piece in &outline.html {
        let mut at = piece.start;
        while at < piece.end {
            let rest = body.get(at..piece.end).unwrap_or_default();
            let sought = if open.is_some() { "-->" } else { "<!--" };
            let Some(found) = rest.find(sought) else {
                break;
            };
            let end = at + found + sought.len();
            match open.take() {
                Some(start) => ignored.push(start..end),
                None => open = Some(at + found),
            }
            at = end;
        }
    }
    ignored.extend(open.map(|start| start..body.len()));
    ignored
}

struct Reader {
    list: TaskList,
    ignored: Vec<Range<usize>>,
    /// Tasks that a deeper line belongs to, with their columns.
    open: Vec<(usize, usize)>,
    group: Option<String>,
    /// The task that boxes without an ID belong to, and whether lines still go on with it.
    last: Option<(usize, bool)>,
}

impl Reader {
    fn is_ignored(&self, at: usize) -> bool {
        self.ignored.iter().any(|range| range.contains(&at))
    }

    fn heading(&mut self, level: u8, text: &str) {
        self.open.clear();
        self.last = None;
        self.group = None;
        if level <= 2 || PHASE.is_match(text) {
            self.list.phases.push(phase(text));
        } else if level == 3 {
            self.group = Some(text.to_owned());
        }
    }

    fn line(&mut self, line: &str, number: usize, start: usize) {
        let column = column_of(line);
        let found = line.contains('[').then(|| LINE.captures(line)).flatten();
        match found {
            Some(found) => {
                let (sign, at) = found
                    .get(2)
                    .map_or(("", 0), |sign| (sign.as_str(), sign.start()));
                let rest = found.get(3).map_or("", |rest| rest.as_str());
                match (named(rest), sign.chars().next().and_then(Mark::of)) {
                    (Some(head), Some(mark)) => self.task(head, mark, (start + at, number, column)),
                    (Some(_), None) => self.list.unread.push((number, sign.into())),
                    (None, Some(mark)) => self.criterion(rest, mark, column),
                    (None, None) => {}
                }
            }
            None if line.trim_start().starts_with("**Checkpoint") => self.checkpoint(line),
            None => self.continuation(line, column),
        }
    }

    fn task(&mut self, head: Head, mark: Mark, place: (usize, usize, usize)) {
        let (box_at, line, column) = place;
        while self.open.last().is_some_and(|(_, above)| *above >= column) {
            self.open.pop();
        }
        let at = self.list.tasks.len();
        self.list.tasks.push(Task {
            id: head.id,
            mark,
            box_at,
            line,
            parent: self.open.last().map(|(parent, _)| *parent),
            is_parallel: head.is_parallel,
            stories: head.stories,
            labels: head.labels,
            description: head.description,
            paths: Vec::new(),
            depends_on: Vec::new(),
            needs: Vec::new(),
            criteria: Vec::new(),
            phase: self.list.phases.len().checked_sub(1),
            group: self.group.clone(),
        });
        self.open.push((at, column));
        self.last = Some((at, true));
    }

    fn criterion(&mut self, text: &str, mark: Mark, column: usize) {
        let Some((last, goes_on)) = &mut self.last else {
            return;
        };
        *goes_on = false;
        let inside = self.open.iter().rfind(|(_, above)| column > *above);
        let (at, is_nested) = inside.map_or((*last, false), |(task, _)| (*task, true));
        self.list.tasks[at].criteria.push(Criterion {
            text: text.trim().to_owned(),
            mark,
            is_nested,
        });
    }

    fn checkpoint(&mut self, line: &str) {
        self.open.clear();
        self.last = None;
        if let Some(phase) = self.list.phases.last_mut() {
            let text = line.trim().trim_start_matches("**Checkpoint");
            let text = text.trim_start_matches([':', '*', ' ']).trim();
            phase.checkpoint = Some(text.to_owned());
        }
    }

    fn continuation(&mut self, line: &str, column: usize) {
        let Some((at, goes_on)) = &mut self.last else {
            return;
        };
        if line.trim().is_empty() {
            return;
        }
        let own = self.open.iter().find(|(task, _)| task == at);
        let is_deeper = own.is_some_and(|(_, above)| column > *above);
        if !is_deeper {
            self.open.retain(|(_, above)| column > *above);
            self.last = self.open.last().map(|(task, _)| (*task, false));
        } else if *goes_on {
            let description = &mut self.list.tasks[*at].description;
            description.push('\n');
            description.push_str(line.trim());
        }
    }
}

/// The column in which a line's text begins, tabs at every fourth.
fn column_of(line: &str) -> usize {
    let mut column = 0;
    for c in line.chars() {
        match c {
            ' ' => column += 1,
            '\t' => column += 4 - column % 4,
            _ => break,
        }
    }
    column
}

/// What stands in a task's line behind its box.
struct Head {
    id: Box<str>,
    is_parallel: bool,
    stories: Vec<String>,
    labels: Vec<String>,
    description: String,
}

/// Reads a line with an ID; `None` for one without.
fn named(rest: &str) -> Option<Head> {
    let found = ID.captures(rest)?;
    let written = found.get(4)?;
    let id = written.as_str().trim_end_matches(['.', '-']);
    let behind = &rest[written.start() + id.len()..];
    let behind = match &found[3] {
        "" => behind,
        _ => behind.strip_prefix(']')?,
    };
    if behind.chars().next().is_some_and(goes_on) {
        return None;
    }
    let mut head = Head {
        id: id.into(),
        is_parallel: !found[1].is_empty(),
        stories: Vec::new(),
        labels: Vec::new(),
        description: String::new(),
    };
    let mut rest = DASH.stripped(AFTER_ID.stripped(behind));
    while let Some(marker) = MARKER.captures(rest) {
        let (whole, word) = (marker.get(0)?, marker.get(1)?);
        if rest[word.end() + 1..].starts_with('(') {
            break; // a link
        }
        head.mark(word.as_str().trim());
        rest = &rest[whole.end()..];
    }
    let rest = DASH.stripped(rest);
    let before = &behind[..behind.len() - rest.len()];
    head.description = without_end(rest.trim_end(), &found[2], before);
    Some(head)
}

/// Whether a word that begins like an ID is another one with this character behind it. Scripts that
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

impl Head {
    /// Takes in what stands in brackets: `P`, stories, also several, or a label.
    fn mark(&mut self, text: &str) {
        let words: Vec<&str> = text.split([',', '/', '+', '&']).map(str::trim).collect();
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

/// What a heading says of its phase.
fn phase(title: &str) -> Phase {
    let number = PHASE
        .captures(title)
        .and_then(|found| found[1].parse().ok());
    let story = STORY_NUMBER
        .captures(title)
        .map(|found| match found.get(1) {
            Some(number) => format!("US{}", number.as_str()),
            None => found[2].to_uppercase(),
        });
    Phase {
        title: title.to_owned(),
        number,
        story,
        priority: PRIORITY
            .captures(title)
            .map(|found| found[1].to_uppercase()),
        is_mvp: title.contains("MVP"),
        checkpoint: None,
    }
}

/// The files that a description names: what stands between backticks and looks like a path, else what
/// follows the last ` in `.
fn paths(description: &str) -> Vec<String> {
    let ticked = TICKED.all(description);
    let mut paths: Vec<String> = ticked
        .iter()
        .map(|found| found[1].to_owned())
        .filter(|word| is_path(word))
        .collect();
    if paths.is_empty()
        && let Some((_, place)) = description.rsplit_once(" in ")
        && let Some(word) = place.split_whitespace().next()
    {
        let word = word.trim_matches(['`', ',', ';', ':', '(', ')', '"', '\'']);
        let word = word.trim_end_matches('.');
        paths.extend(is_path(word).then(|| word.to_owned()));
    }
    paths.dedup();
    paths
}

/// Whether a word has a slash, or an ending as files have one.
fn is_path(word: &str) -> bool {
    if word.contains("://") || word.contains(['(', ')', '<', '>', '{', '}', '*', '$', '=']) {
        return false;
    }
    let has_ending = word.rsplit_once('.').is_some_and(|(name, ending)| {
        let is_short = (1..=5).contains(&ending.len());
        let is_word = ending.bytes().all(|b| b.is_ascii_alphanumeric());
        let has_letter = ending.bytes().any(|b| b.is_ascii_alphabetic());
        !name.is_empty() && is_short && is_word && has_letter
    });
    has_ending || (word.contains('/') && word.len() > 1 && !word.starts_with('/'))
}
