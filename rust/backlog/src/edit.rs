//! Edits of tasks. Each says when it was made, and one that says what is there changes nothing.

use std::ops::Range;

use chant_plan_format::box_edit::not_taken;
use chant_plan_format::checked_edit::{refuse_unfit, single_item};
use chant_plan_format::document::PlanDocument;
use chant_plan_format::intent::{
    AttributeSetting, EditIntent, EditRequest, PlanFileStep, TickTarget, UnitEdit,
};
use chant_plan_format::refusal::EditRefusal;
use chant_plan_format::section_edit::{same_text, set_section};
use chant_plan_format::section_lookup::find_section;
use chant_plan_format::unit::{PlanItem, PlanSection, PlanUnit};
use chant_text::checklist::lines::{BoxGrammar, ListLineKind, read_lines};
use chant_text::front_matter::read_any;
use chant_text::scalar::{ScalarContext, write_like};

use super::add::new_task;
use super::config::{BacklogConfig, backlog_folder, folded};
use super::format::{ARCHIVED, BacklogTasks, DRAFT, SCOPE, config_of};
use super::front_matter::{attribute, set, touch};
use super::marks::{KNOWN, KnownSection, MarkedBody, holds_mark, marked, marks_of};
use super::task_ids::TaskId;

/// Attributes that can be set, and whether they are lists.
const SETTABLE: [(&str, bool); 10] = [
    ("assignee", true),
    ("labels", true),
    ("dependencies", true),
    ("priority", false),
    ("milestone", false),
    ("references", true),
    ("documentation", true),
    ("due_date", false),
    ("ordinal", false),
    ("type", false),
];

pub(super) fn edit(
    unit: Option<&PlanUnit>,
    request: &EditRequest<'_>,
) -> Result<UnitEdit, EditRefusal> {
    if let EditIntent::Add { parent, draft } = request.intent {
        let of_unit = unit
            .and_then(|unit| unit.items.first())
            .map(|item| &*item.name);
        return new_task(parent.as_deref().or(of_unit), draft, request);
    }
    let Some(unit) = unit else {
        return Err(not_taken(&SCOPE, request.intent));
    };
    let name = request.item.unwrap_or_default();
    let at = single_item(
        unit,
        if name.is_empty() {
            &unit.source.name
        } else {
            name
        },
    );
    let at = match (at, unit.items.len()) {
        (Err(_), 1) if name.is_empty() => 0,
        (at, _) => at?,
    };
    let config = config_of(request.settings);
    let task = TaskEdit {
        unit,
        item: &unit.items[at],
        document: &unit.source.documents[0],
        config: &config,
        request,
    };
    if let EditIntent::Move { to } = request.intent {
        return task.move_to(to);
    }
    if unit.source.kind == ARCHIVED {
        return Err(task.unsound("it lies in the archive"));
    }
    let mut edit = match request.intent {
        EditIntent::Tick { which, on } => task.tick(which, *on)?,
        EditIntent::Status { word } => task.set_status(word)?,
        EditIntent::Set { attribute, value } => task.set_attribute(attribute, value)?,
        EditIntent::Title { text } => task.set_title(text)?,
        EditIntent::Section { name, text, append } => task.set_text(name, text, *append)?,
        EditIntent::AddCriterion { list, text } => task.add_criterion(list.as_deref(), text)?,
        intent @ (EditIntent::Add { .. } | EditIntent::Move { .. } | EditIntent::Reset) => {
            return Err(not_taken(&SCOPE, intent));
        }
    };
    if edit.texts.is_empty() {
        return Ok(edit);
    }
    edit.texts
        .extend(touch((0, task.document), task.item, request.now));
    if config.commits {
        edit.notes.push("the format's own program would have committed this (`auto_commit`); nothing was committed".into());
    }
    match request.intent {
        EditIntent::Section { .. } | EditIntent::AddCriterion { .. } | EditIntent::Title { .. } => {
            refuse_unfit(&BacklogTasks, unit, request, at, edit)
        }
        _ => match task.front_matter_fault() {
            // What one key says may hang on others then.
            Some(fault) => refuse_unfit(&BacklogTasks, unit, request, at, edit)
                .map_err(|_| task.unsound(fault)),
            None => Ok(edit),
        },
    }
}

struct TaskEdit<'a> {
    unit: &'a PlanUnit,
    item: &'a PlanItem,
    document: &'a PlanDocument,
    config: &'a BacklogConfig,
    request: &'a EditRequest<'a>,
}

impl TaskEdit<'_> {
    fn unsound(&self, why: impl Into<String>) -> EditRefusal {
        EditRefusal::UnsoundDocument {
            path: self.document.path.to_string(),
            why: why.into(),
        }
    }

    fn unfit(&self, why: impl Into<String>) -> EditRefusal {
        EditRefusal::UnfitText {
            why: why.into(),
            path: self.document.path.to_string(),
        }
    }

    /// Why its front matter cannot be read as a whole.
    fn front_matter_fault(&self) -> Option<String> {
        let yaml = self
            .document
            .text
            .get(self.item.spans.attributes.clone()?)?;
        let fault = read_any(yaml).err()?.message;
        Some(format!("its front matter cannot be read ({fault})"))
    }

    /// Refuses a key that stands twice: readers take the one or the other.
    fn refuse_repeat(&self, name: &str) -> Result<(), EditRefusal> {
        let count = self
            .item
            .attributes
            .iter()
            .filter(|one| &*one.name == name)
            .count();
        if count > 1 {
            return Err(self.unsound(format!("the key `{name}` stands there {count} times")));
        }
        Ok(())
    }

    fn body(&self) -> usize {
        self.item
            .spans
            .details
            .as_ref()
            .map_or(0, |details| details.start)
    }

    /// The list of boxes with a name; the first one that has boxes where none is named.
    fn list(&self, name: Option<&str>) -> Result<&'static KnownSection, EditRefusal> {
        let lists = KNOWN.iter().filter(|known| known.is_list);
        let found = match name {
            None => lists.clone().next(),
            Some(name) => lists
                .clone()
                .find(|known| known.names.contains(&name.trim().to_lowercase().as_str())),
        };
        let list = found.ok_or_else(|| EditRefusal::NoSuchSection {
            name: name.unwrap_or_default().into(),
            available: lists.map(|known| known.list().to_owned()).collect(),
        })?;
        match marked(&self.document.text, self.body(), list) {
            MarkedBody::Unsound(_) => {
                Err(self.unsound(format!("the marks of {} do not pair up", list.list())))
            }
            MarkedBody::Absent | MarkedBody::Pair(_) => Ok(list),
        }
    }

    fn tick(&self, which: &TickTarget, on: bool) -> Result<UnitEdit, EditRefusal> {
        let TickTarget::Criterion { list, number } = which else {
            return Err(EditRefusal::NoBox {
                name: self.item.name.to_string(),
                advice: "Set its status, or tick a criterion".into(),
            });
        };
        let list = self.list(list.as_deref())?.list();
        let own = self.item.criteria.iter().filter(|one| one.list == list);
        let found: Vec<_> = own.clone().filter(|one| one.number == *number).collect();
        let criterion = match found.as_slice() {
            [one] => one,
            [] => {
                return Err(EditRefusal::NoSuchCriterion {
                    number: *number,
                    available: own.map(|one| one.number.to_string()).collect(),
                });
            }
            several => {
                return Err(EditRefusal::Ambiguous {
                    name: format!("#{number}"),
                    path: self.document.path.to_string(),
                    lines: several
                        .iter()
                        .map(|one| self.document.line_at(one.span.start))
                        .collect(),
                    names: vec!["none of them, until one has another number".into()],
                });
            }
        };
        if criterion.is_ticked == on {
            return Ok(UnitEdit::default());
        }
        Ok(UnitEdit::replace(
            0,
            criterion.mark.clone(),
            if on { "x" } else { " " },
        ))
    }

    fn set_status(&self, word: &str) -> Result<UnitEdit, EditRefusal> {
        if self.unit.source.kind == DRAFT {
            return Err(EditRefusal::OwnProgram {
                what: "Promoting a draft",
                command: format!("backlog draft promote {}", self.item.name),
            });
        }
        let place = self
            .config
            .place_of(word)
            .ok_or_else(|| EditRefusal::UnknownStatus {
                word: word.into(),
                allowed: self.config.statuses.clone(),
            })?;
        self.refuse_repeat("status")?;
        let status = &self.config.statuses[place];
        if folded(status) == folded(&self.item.mark) {
            return Ok(UnitEdit::default());
        }
        let mut edit = UnitEdit::default();
        if let Some(span) = self.value_span("status") {
            let old = &self.document.text[span.clone()];
            edit = UnitEdit::replace(0, span, write_like(status, old, ScalarContext::Block));
        } else {
            let value = AttributeSetting::Text(status.clone());
            edit.texts
                .extend(set((0, self.document), "status", &value, false)?);
        }
        let of_task = ["onStatusChange", "on_status_change"]
            .iter()
            .any(|key| attribute(self.item, key).is_some());
        if of_task || self.config.has_command {
            edit.notes.push(
                "the format's own program would have run `onStatusChange`; it was not run".into(),
            );
        }
        Ok(edit)
    }

    /// The bytes of a value on one line.
    fn value_span(&self, name: &str) -> Option<Range<usize>> {
        let span = attribute(self.item, name)?.span.clone();
        let line = self.document.text[span.clone()].trim_end_matches(['\r', '\n']);
        let (key, value) = line.split_once(':').filter(|_| !line.contains('\n'))?;
        let comment = value.find(" #").unwrap_or(value.len());
        let raw = value[..comment].trim();
        if raw.is_empty()
            || raw.starts_with(['[', '{', '|', '>', '&', '*', '!'])
            || key.starts_with(['"', '\''])
        {
            return None;
        }
        let start = span.start + key.len() + 1 + value.find(raw)?;
        Some(start..start + raw.len())
    }

    fn set_attribute(&self, name: &str, value: &AttributeSetting) -> Result<UnitEdit, EditRefusal> {
        let Some((_, is_list)) = SETTABLE.iter().find(|(known, _)| *known == name) else {
            return Err(EditRefusal::UnknownAttribute {
                name: name.into(),
                allowed: SETTABLE
                    .iter()
                    .map(|(name, _)| (*name).to_owned())
                    .collect(),
            });
        };
        self.refuse_repeat(name)?;
        let values = value.values();
        if !is_list && values.len() > 1 {
            return Err(self.unfit(format!("{name} is one text")));
        }
        if values
            .iter()
            .any(|value| value.trim().is_empty() || value.contains(['\n', '\r']))
        {
            return Err(self.unfit("a value is empty, or has more than one line"));
        }
        if name == "priority"
            && let Some(word) = values.first()
            && !self
                .config
                .priorities
                .iter()
                .any(|known| known.eq_ignore_ascii_case(word))
        {
            return Err(self.unfit(format!(
                "'{word}' is none of the priorities {}",
                self.config.priorities.join(", ")
            )));
        }
        if name == "dependencies" {
            self.check_dependencies(&values)?;
        }
        let now: Vec<&str> = attribute(self.item, name).map_or_else(Vec::new, |one| {
            one.values.iter().map(|value| &**value).collect()
        });
        if now == values {
            return Ok(UnitEdit::default());
        }
        let mut edit = UnitEdit::default();
        edit.texts
            .extend(set((0, self.document), name, value, *is_list)?);
        Ok(edit)
    }

    fn check_dependencies(&self, names: &[&str]) -> Result<(), EditRefusal> {
        for name in names {
            let id = TaskId::read_bare(name, &self.config.prefix).map(|id| id.to_string());
            let Some(id) = id else {
                return Err(self.unfit(format!("'{name}' is no ID of a task")));
            };
            if id == *self.item.name {
                return Err(self.unfit(format!("{id} would wait for itself")));
            }
            let taken = self.request.taken;
            if !taken.is_empty() && !taken.iter().any(|known| **known == *id) {
                return Err(self.unfit(format!("there is no task {id}")));
            }
        }
        Ok(())
    }

    fn set_title(&self, text: &str) -> Result<UnitEdit, EditRefusal> {
        let title = text.trim();
        if title.is_empty() || title.contains(['\n', '\r']) {
            return Err(self.unfit("a title has one line, with words"));
        }
        self.refuse_repeat("title")?;
        if title == &*self.item.title {
            return Ok(UnitEdit::default());
        }
        let mut edit = UnitEdit::default();
        let value = AttributeSetting::Text(title.to_owned());
        edit.texts
            .extend(set((0, self.document), "title", &value, false)?);
        edit.notes.push("the file keeps its name".into());
        Ok(edit)
    }

    fn set_text(&self, name: &str, text: &str, append: bool) -> Result<UnitEdit, EditRefusal> {
        if holds_mark(text) {
            return Err(self.unfit(
                "it holds one of the marks with which the format's own program encloses sections",
            ));
        }
        let wanted = name.trim().trim_start_matches('#').trim().to_lowercase();
        let known = KNOWN
            .iter()
            .find(|known| known.names.contains(&&*wanted) || known.has_heading(&wanted));
        let Some(known) = known else {
            let at = find_section(self.unit, name)?;
            let mut edit = set_section(self.unit, name, text, append)?;
            edit.texts
                .retain(|edit| edit.document == self.unit.sections[at].document);
            return Ok(edit);
        };
        if known.is_list {
            return Err(EditRefusal::NotTaken {
                noun: "a list of criteria",
                intent: "section",
                advice: "Tick a criterion, or add one".into(),
            });
        }
        let place = marked(&self.document.text, self.body(), known);
        if let MarkedBody::Pair(content) = &place {
            if !self
                .unit
                .sections
                .iter()
                .any(|section| section.content == *content)
            {
                let why = format!(
                    "the marks of {} do not stand below its heading",
                    known.title
                );
                return Err(self.unsound(why));
            }
            if !append && same_text(&self.document.text[content.clone()], text) {
                return Ok(UnitEdit::default());
            }
        }
        let has_heading = read_lines(text, 0, &NO_BOXES).iter().any(|line| {
            matches!(line.kind, ListLineKind::Heading { level, .. } if level <= 2 && !line.is_fenced)
        });
        if has_heading {
            return Err(self.unfit(
                "it holds a heading of the first or second level, which would end the section",
            ));
        }
        match place {
            MarkedBody::Unsound(_) => {
                Err(self.unsound(format!("the marks of {} do not pair up", known.title)))
            }
            MarkedBody::Pair(content) => Ok(self.between_marks(content, text, append)),
            MarkedBody::Absent => {
                let mut sections = self.unit.sections.iter();
                let of_program = sections
                    .clone()
                    .find(|one| one.level == 2 && known.has_heading(&one.title));
                // Another heading with these words is meant where it is named in full.
                match of_program.or_else(|| sections.find(|one| *one.path == *name.trim())) {
                    Some(section) => set_section(self.unit, &section.path, text, append),
                    None if text.trim().is_empty() => Ok(UnitEdit::default()),
                    None => Ok(self.new_section(known, text)),
                }
            }
        }
    }

    fn between_marks(&self, content: Range<usize>, text: &str, append: bool) -> UnitEdit {
        let now = &self.document.text[content.clone()];
        let is_there = if append {
            text.trim().is_empty()
        } else {
            same_text(now, text)
        };
        if is_there {
            return UnitEdit::default();
        }
        let eol = self.document.line_end;
        let written = lines_of(text, eol);
        let kept = now.trim_end();
        if append && !kept.is_empty() {
            let at = content.start + kept.len();
            return UnitEdit::replace(0, at..content.end, format!("{eol}{eol}{written}"));
        }
        UnitEdit::replace(0, content, written)
    }

    /// A section with marks, at the place where the program puts it: behind the last one that it puts before it.
    fn new_section(&self, known: &KnownSection, text: &str) -> UnitEdit {
        let eol = self.document.line_end;
        let (open, close) = marks_of(known.marks.first().copied().unwrap_or_default());
        let written = format!(
            "## {}{eol}{eol}{open}{eol}{}{close}{eol}",
            known.title,
            lines_of(text, eol)
        );
        self.insert_section(known, &written)
    }

    fn insert_section(&self, known: &KnownSection, written: &str) -> UnitEdit {
        let eol = self.document.line_end;
        let text = &self.document.text;
        let rank = |title: &str| KNOWN.iter().position(|other| other.has_heading(title));
        let own = KNOWN.iter().position(|other| other == known);
        // Headings within the marks of another section are its text.
        let outer: Vec<_> = self
            .unit
            .sections
            .iter()
            .filter(|one| one.level == 2 && rank(&one.title).is_some())
            .collect();
        let next = outer.iter().find(|one| rank(&one.title) > own);
        let behind = outer.iter().rev().find(|one| rank(&one.title) < own);
        let at = match (behind, next) {
            (Some(behind), _) => {
                let later = self
                    .unit
                    .sections
                    .iter()
                    .filter(|one| one.level <= 2 && one.heading.start >= behind.content.end);
                later
                    .map(|one| one.heading.start)
                    .min()
                    .unwrap_or(text.len())
            }
            (None, Some(next)) => next.heading.start,
            (None, None) => text.len(),
        };
        let before = &text[..at];
        let lead = if before.ends_with(&format!("{eol}{eol}")) {
            String::new()
        } else if before.ends_with('\n') {
            eol.to_owned()
        } else {
            format!("{eol}{eol}")
        };
        let trail = if at == text.len() { "" } else { eol };
        UnitEdit::replace(0, at..at, format!("{lead}{written}{trail}"))
    }

    fn add_criterion(&self, list: Option<&str>, text: &str) -> Result<UnitEdit, EditRefusal> {
        let words = text.trim();
        if words.is_empty() || words.contains(['\n', '\r']) || holds_mark(words) {
            return Err(self.unfit("a criterion has one line, with words and without marks"));
        }
        let list = self.list(list)?;
        let own = || {
            self.item
                .criteria
                .iter()
                .filter(|one| one.list == list.list())
        };
        let number = own().map(|one| one.number).max().unwrap_or(0) + 1;
        let eol = self.document.line_end;
        match marked(&self.document.text, self.body(), list) {
            MarkedBody::Pair(content) => {
                let kept = content.start + self.document.text[content.clone()].trim_end().len();
                // Behind the last words within the marks, whose line may not be ended.
                let at = self.document.text[kept..content.end]
                    .find('\n')
                    .map_or(content.end, |end| kept + end + 1);
                let at = if kept == content.start {
                    content.start
                } else {
                    at
                };
                Ok(UnitEdit::replace(
                    0,
                    at..at,
                    format!("- [ ] #{number} {words}{eol}"),
                ))
            }
            _ => Ok(self.unmarked_criterion(list, number, words)),
        }
    }

    /// A criterion in a task without marks: behind the last one, or in a list of its own.
    fn unmarked_criterion(&self, list: &KnownSection, number: usize, words: &str) -> UnitEdit {
        let eol = self.document.line_end;
        let own = self
            .item
            .criteria
            .iter()
            .rev()
            .find(|one| one.list == list.list());
        if let Some(last) = own {
            let at = last.span.end;
            return UnitEdit::replace(0, at..at, format!("{eol}- [ ] {words}"));
        }
        let (open, close) = marks_of(list.marks.first().copied().unwrap_or_default());
        let lines = format!("{open}{eol}- [ ] #{number} {words}{eol}{close}{eol}");
        let is_own =
            |section: &&PlanSection| section.level == 2 && list.has_heading(&section.title);
        let Some(section) = self.unit.sections.iter().find(is_own) else {
            return self.insert_section(list, &format!("## {}{eol}{lines}", list.title));
        };
        let at = section.heading.end;
        let lead = if self.document.text[..at].ends_with('\n') {
            ""
        } else {
            eol
        };
        UnitEdit::replace(0, at..at, format!("{lead}{lines}"))
    }

    fn move_to(&self, to: &str) -> Result<UnitEdit, EditRefusal> {
        let folder = backlog_folder(self.request.settings).unwrap_or_else(|| "backlog".into());
        let kind = self.unit.source.kind;
        let target = match to.trim().to_lowercase().as_str() {
            "tasks" | "task" if kind == DRAFT => {
                return Err(EditRefusal::OwnProgram {
                    what: "Promoting a draft",
                    command: format!("backlog draft promote {}", self.item.name),
                });
            }
            "tasks" | "task" => "tasks",
            "completed" if kind != DRAFT => "completed",
            "archive" if kind == DRAFT => "archive/drafts",
            "archive" => "archive/tasks",
            _ => {
                return Err(self.unfit(format!(
                    "'{to}' is none of the folders tasks, completed, archive"
                )));
            }
        };
        let from = self.unit.source.path.to_string();
        let to = format!("{folder}/{target}/{}", self.document.file_name());
        let mut edit = UnitEdit::default();
        if from != to {
            edit.files.push(PlanFileStep::Move { from, to });
        }
        Ok(edit)
    }
}

const NO_BOXES: BoxGrammar = BoxGrammar {
    signs: "",
    has_numbered_bullets: false,
    has_loose_boxes: false,
    has_loose_blanks: false,
};

/// The lines of a text, each with a line break.
pub(super) fn lines_of(text: &str, eol: &str) -> String {
    text.trim()
        .lines()
        .map(|line| format!("{line}{eol}"))
        .collect()
}
