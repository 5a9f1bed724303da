//! Text to task list (reference rstn 2.6).
//!
//! A task is a line, so that any indentation and any box will do; what is a fence, a comment or a
//! heading is for CommonMark to say. What looks like a task and is none is remembered with its line.

use std::collections::HashMap;

use super::depends;
use super::heading::{checkpoint, is_checkpoint, is_phase, phase};
use super::heading_task::{NamedHeading, named_headings};
use super::line::{TaskHead, box_line, named};
use super::mentions::{Mention, mention};
use super::paths::paths;
use super::section::Sections;
use super::task::{Task, TaskCriterion, TaskList, TaskMark};
use super::unread::{UnreadLine, UnreadReason};
use chant_base::counted::count_visited;
use chant_text::fences;
use chant_text::markdown::{self, outline};

/// Reads a task list. What is no task is left alone.
///
/// ```
/// use chant_speckit::parse::tasks;
///
/// let list = tasks("## Phase 1: Setup\n\n- [ ] T001 [P] Create src/main.py\n- [x] T002 Add a licence\n");
/// assert_eq!((&*list.tasks[0].id, list.tasks[0].is_parallel), ("T001", true));
/// assert_eq!((list.tasks.len(), list.phases.len()), (2, 1));
/// ```
pub fn tasks(text: &str) -> TaskList {
    let base = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let body = &text[base..];
    let mut outline = outline(body);
    outline
        .headings
        .retain(|heading| !holds_boxes(&heading.text));
    let ignored = markdown::set_aside(body, &outline);
    let is_ignored = |at: usize| ignored.iter().any(|range| range.contains(&at));
    let mut named = named_headings(body, &outline.headings, is_ignored);
    let mut reader = TaskListReader {
        base,
        ..TaskListReader::default()
    };
    reader.list.fences = fences::swallowing(body, &outline);
    let mut headings = outline.headings.iter().peekable();
    let mut at = 0;
    for (number, line) in body.split_inclusive('\n').enumerate() {
        let start = at;
        at += line.len();
        if let Some(heading) = headings.next_if(|heading| heading.range.start < at) {
            let named = named.remove(&heading.range.start);
            reader.heading((heading.level, &heading.text), number + 1, named);
            continue;
        }
        let line = line.trim_end_matches(['\n', '\r']);
        let indented = line.len() - line.trim_start().len();
        if !is_ignored(start + indented) {
            reader.line(line, number + 1, base + start);
        }
    }
    let mut list = reader.finished();
    for task in &mut list.tasks {
        task.paths = paths(&task.description);
    }
    count_visited(text.lines().count());
    depends::resolve(&mut list);
    list
}

/// The character that a task is ticked with: that of most ticks of the file.
pub fn tick(text: &str, list: &TaskList) -> char {
    let ticks = list.tasks.iter().filter_map(|task| {
        let character = text.as_bytes().get(task.box_at?)?;
        (task.mark == TaskMark::Done).then_some(*character)
    });
    let (upper, lower): (Vec<u8>, Vec<u8>) = ticks.partition(|tick| *tick == b'X');
    if upper.len() > lower.len() { 'X' } else { 'x' }
}

/// Returns true if an underlined paragraph holds boxes below its first line: these are tasks, and to tick one
/// must not change the name of a phase.
fn holds_boxes(heading: &str) -> bool {
    heading.lines().skip(1).any(|line| box_line(line).is_some())
}

/// The task that a heading is.
struct Under {
    task: usize,
    level: u8,
    /// True if lines still go on with its description.
    goes_on: bool,
}

#[derive(Default)]
struct TaskListReader {
    list: TaskList,
    /// Bytes before the body.
    base: usize,
    /// By the ID in capitals, the first task that has it.
    first: HashMap<String, usize>,
    /// Tasks that a deeper line belongs to, with their columns.
    open: Vec<(usize, usize)>,
    group: Option<String>,
    /// The task that boxes without an ID belong to, and whether lines still go on with it.
    last: Option<(usize, bool)>,
    /// The heading that is a task, above all that follows.
    under: Option<Under>,
    /// The ID of the task that a heading is about, with its level.
    about: Option<(Box<str>, u8)>,
    /// Boxes below such headings, with the ID of the task.
    of_about: Vec<(Box<str>, TaskCriterion)>,
    sections: Sections,
    /// Lines that are no tasks if others have their IDs.
    mentions: Vec<(usize, Mention)>,
}

impl TaskListReader {
    fn heading(&mut self, (level, text): (u8, &str), line: usize, named: Option<NamedHeading>) {
        self.open.clear();
        self.last = None;
        if self
            .under
            .as_ref()
            .is_some_and(|under| level <= under.level)
        {
            self.under = None;
        }
        self.about.take_if(|(_, own)| level <= *own);
        match named {
            Some(NamedHeading::Task(head, mark, box_at)) => {
                let box_at = box_at.map(|at| self.base + at);
                let task = self.task(head, mark, box_at, line);
                self.under = task.map(|task| Under {
                    task,
                    level,
                    goes_on: true,
                });
                self.about = None;
                return;
            }
            Some(NamedHeading::About(id)) => self.about = Some((id, level)),
            Some(NamedHeading::Sign(sign)) => self.unread(line, UnreadReason::Sign(sign)),
            Some(NamedHeading::NoBox(id)) => self.unread(line, UnreadReason::NoBox(id)),
            None => self.plain_heading(text, line),
        }
        self.sections.enter(level, text);
        self.group = None;
        if level <= 2 || is_phase(text) {
            self.list.phases.push(phase(text));
        } else if level == 3 {
            self.group = Some(text.to_owned());
        }
    }

    /// Remembers a heading that has a box and is no task.
    fn plain_heading(&mut self, text: &str, line: usize) {
        match box_line(text) {
            Some(found) if found.mark().is_some() && !is_phase(found.rest) => {
                self.unread(line, UnreadReason::NoId);
            }
            Some(_) => {}
            None => {
                if let Some(mention @ Mention::Form(_)) = mention(text) {
                    self.mentions.push((line, mention));
                }
            }
        }
    }

    fn unread(&mut self, line: usize, why: UnreadReason) {
        self.list.unread.push(UnreadLine { line, why });
    }

    fn line(&mut self, line: &str, number: usize, start: usize) {
        let column = column_of(line);
        if let Some(found) = box_line(line) {
            let box_at = start + found.at;
            match (named(found.rest), found.mark()) {
                (Some(head), Some(mark)) => self.item(head, mark, box_at, number, column),
                (Some(_), None) => self.unread(number, UnreadReason::Sign(found.sign.into())),
                (None, Some(mark)) => self.criterion(found.rest, mark, box_at, number, column),
                (None, None) => {}
            }
        } else if is_checkpoint(line) {
            self.checkpoint(line);
        } else {
            self.mention(line, number, column);
            self.continuation(line, column);
        }
    }

    /// Takes in an item of a list with an ID and a box.
    fn item(&mut self, head: TaskHead, mark: TaskMark, box_at: usize, line: usize, column: usize) {
        while self.open.last().is_some_and(|(_, above)| *above >= column) {
            self.open.pop();
        }
        if let Some(at) = self.task(head, mark, Some(box_at), line) {
            self.open.push((at, column));
            self.last = Some((at, true));
        } else {
            self.last = None;
        }
    }

    /// Takes in a task; `None` for one that a summary repeats.
    fn task(
        &mut self,
        head: TaskHead,
        mark: TaskMark,
        box_at: Option<usize>,
        line: usize,
    ) -> Option<usize> {
        let id = head.id.to_ascii_uppercase();
        if self.sections.is_recap() {
            if let Some(first) = self.first.get(&id) {
                let line_of_first = self.list.tasks[*first].line;
                self.unread(line, UnreadReason::Repeat(line_of_first));
                return None;
            }
            let is_loss = |one: &UnreadLine| one.why.is_loss();
            let is_unread = self.list.unread.iter().any(is_loss) || !self.mentions.is_empty();
            if self.list.tasks.is_empty() && is_unread {
                self.unread(line, UnreadReason::Recap);
                return None;
            }
        }
        let at = self.list.tasks.len();
        self.first.entry(id).or_insert(at);
        let parent = self.open.last().map(|(parent, _)| *parent);
        let parent = parent.or_else(|| {
            let whole = self.under.as_ref()?.task;
            is_part(&head.id, &self.list.tasks[whole].id).then_some(whole)
        });
        self.list.tasks.push(Task {
            id: head.id,
            mark,
            box_at,
            line,
            parent,
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
        Some(at)
    }

    fn criterion(&mut self, text: &str, mark: TaskMark, box_at: usize, line: usize, column: usize) {
        let mut criterion = TaskCriterion {
            text: text.trim().to_owned(),
            mark,
            is_nested: true,
            box_at,
            line,
        };
        if let Some((last, goes_on)) = &mut self.last {
            *goes_on = false;
            let inside = self.open.iter().rfind(|(_, above)| column > *above);
            let at = inside.map_or(*last, |(task, _)| *task);
            criterion.is_nested = inside.is_some();
            self.list.tasks[at].criteria.push(criterion);
        } else if let Some(under) = &mut self.under {
            under.goes_on = false;
            self.list.tasks[under.task].criteria.push(criterion);
        } else if let Some((id, _)) = &self.about {
            criterion.is_nested = false;
            self.of_about.push((id.clone(), criterion));
        } else if self.sections.is_checklist() {
            self.unread(line, UnreadReason::Checklist);
        } else {
            self.unread(line, UnreadReason::NoId);
        }
    }

    fn checkpoint(&mut self, line: &str) {
        self.open.clear();
        self.last = None;
        self.under = None;
        self.about = None;
        if let Some(phase) = self.list.phases.last_mut() {
            phase.checkpoint = Some(checkpoint(line));
        }
    }

    /// Remembers a line that looks like a task and is not written as one.
    fn mention(&mut self, line: &str, number: usize, column: usize) {
        let Some(mention) = mention(line) else {
            return;
        };
        let goes_on = self.open.iter().any(|(_, above)| column > *above);
        if !(goes_on && matches!(mention, Mention::Id(_))) {
            self.mentions.push((number, mention));
        }
    }

    fn continuation(&mut self, line: &str, column: usize) {
        if line.trim().is_empty() {
            return;
        }
        let Some((at, goes_on)) = &mut self.last else {
            if let Some(under) = self.under.as_ref().filter(|under| under.goes_on) {
                add_line(&mut self.list.tasks[under.task].description, line);
            }
            return;
        };
        let own = self.open.iter().find(|(task, _)| task == at);
        let is_deeper = own.is_some_and(|(_, above)| column > *above);
        if !is_deeper {
            self.open.retain(|(_, above)| column > *above);
            self.last = self.open.last().map(|(task, _)| (*task, false));
        } else if *goes_on {
            add_line(&mut self.list.tasks[*at].description, line);
        }
    }

    /// The list, now that all is read.
    fn finished(mut self) -> TaskList {
        for (id, criterion) in self.of_about {
            if let Some(at) = self.first.get(&id.to_ascii_uppercase()) {
                self.list.tasks[*at].criteria.push(criterion);
            }
        }
        for (line, mention) in self.mentions {
            let id = match &mention {
                Mention::Form(id) | Mention::Row(id) => id.as_deref(),
                Mention::Id(id) => Some(&**id),
            };
            let first = id.and_then(|id| self.first.get(&id.to_ascii_uppercase()));
            let first = first.map(|at| self.list.tasks[*at].line);
            let why = match (mention, first) {
                (Mention::Id(_), Some(_)) => continue,
                (Mention::Form(_) | Mention::Row(_), Some(first)) => UnreadReason::Repeat(first),
                (Mention::Id(id), None) => UnreadReason::NoBox(id),
                (Mention::Form(_), None) => UnreadReason::Form,
                (Mention::Row(_), None) => UnreadReason::Row,
            };
            self.list.unread.push(UnreadLine { line, why });
        }
        for task in self
            .list
            .tasks
            .iter_mut()
            .filter(|task| task.box_at.is_none())
        {
            task.mark = mark_of(&task.criteria);
        }
        if self.list.tasks.is_empty() {
            for one in &mut self.list.unread {
                if one.why == UnreadReason::Checklist {
                    one.why = UnreadReason::NoId;
                }
            }
        }
        self.list.unread.sort_by_key(|one| one.line);
        self.list
    }
}

/// Returns the mark of a task, derived from its boxes alone.
fn mark_of(boxes: &[TaskCriterion]) -> TaskMark {
    let is = |mark: TaskMark| move |one: &TaskCriterion| one.mark == mark;
    if boxes.iter().all(is(TaskMark::Skipped)) {
        TaskMark::Skipped
    } else if boxes.iter().all(|one| one.mark.is_settled()) {
        TaskMark::Done
    } else if boxes.iter().all(is(TaskMark::Open)) {
        TaskMark::Open
    } else {
        TaskMark::Partial
    }
}

/// Returns true if an ID is that of a part, as `T001a`, `T001.1` and `T001-1` are of `T001`.
fn is_part(id: &str, whole: &str) -> bool {
    let rest = id.get(whole.len()..).unwrap_or_default();
    let begins = id.get(..whole.len());
    begins.is_some_and(|begin| begin.eq_ignore_ascii_case(whole))
        && rest.starts_with(|c: char| !c.is_ascii_digit())
}

fn add_line(description: &mut String, line: &str) {
    if !description.is_empty() {
        description.push('\n');
    }
    description.push_str(line.trim());
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
