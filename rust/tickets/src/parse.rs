//! A ticket's file as text, read into the model; what cannot be read becomes a problem, and all else of
//! the file still counts (reference tickets 2.2 to 2.9).

use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::DateTime;
use serde::Deserialize;

use super::code::TicketCode;
use super::criteria::is_about_criteria;
use super::model::{BrokenTicket, DocumentedWords, Ticket, TicketStatus};
use super::older_header;
use chant_base::counted::count_visited;
use chant_base::document_problem::DocumentProblem;
use chant_base::text_place::TextPlace;
use chant_store::index::FileSource;
use chant_text::checklist::{self, UNREAD_ADVICE};
use chant_text::clash;
use chant_text::fences;
use chant_text::front_matter::{self, FrontMatterEntry, FrontMatterPlaces, TextList};
use chant_text::markdown;

/// A file in the tickets folder.
pub type ParsedTicket = Result<Arc<Ticket>, Arc<BrokenTicket>>;

/// Words that stand for an empty list (reference tickets 2.3).
const PLACEHOLDERS: [&str; 4] = ["none", "n/a", "null", "undefined"];

/// The keys of front matter that every answer may need.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct TicketFrontMatter {
    code: Option<Box<str>>,
    key: Option<Box<str>>,
    title: Option<Box<str>>,
    status: Option<Box<str>>,
    #[serde(rename = "type")]
    kind: Option<Box<str>>,
    priority: Option<Box<str>>,
    date_created: Option<Box<str>>,
    last_modified: Option<Box<str>>,
    phase_epic: Option<Box<str>>,
    assignee: Option<Box<str>>,
    related_tickets: Option<TextList>,
    depends_on: Option<TextList>,
    blocks: Option<TextList>,
}

/// A file's name without its folder.
pub fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A file's name without its folder and ending.
pub fn stem(path: &str) -> &str {
    let name = name(path);
    name.strip_suffix(".md").unwrap_or(name)
}

/// Reads one file; `path` is relative to the project's root.
pub fn document(path: &str, source: FileSource) -> ParsedTicket {
    let problem = |why: String| DocumentProblem::new(path, format!("cannot be read: {why}"));
    let broken = |problem| Err(Arc::new(BrokenTicket { problem }));
    match source {
        FileSource::Unreadable(why) => broken(problem(why)),
        FileSource::Text(text) => match clash::in_document(&text) {
            Some(clash) => broken(
                problem(clash.to_string())
                    .on_line(Some(clash.begins))
                    .at(TextPlace::of_line(&text, clash.begins)),
            ),
            None => Ok(Arc::new(ticket(path, text))),
        },
    }
}

/// Reads a ticket's text.
///
/// ```
/// use chant_tickets::parse::ticket;
///
/// let text = "---\ncode: SHOP-007\nstatus: Approved\n---\n# Show the price\n";
/// let ticket = ticket("docs/CRs/SHOP-007-show-the-price.md", text.into());
/// assert_eq!((&*ticket.title, ticket.status.as_deref()), ("Show the price", Some("Approved")));
/// ```
pub fn ticket(path: &str, text: String) -> Ticket {
    count_visited(1);
    let mut reader = TicketReader {
        path,
        text: &text,
        problems: Vec::new(),
    };
    let (yaml, body_start) = match front_matter::layout(&text) {
        Ok(layout) => (layout.yaml, layout.body),
        Err(error) => {
            reader.problem(TextPlace::of_first_line(&text), error.to_string());
            (None, 0)
        }
    };
    let lines_before = yaml
        .as_ref()
        .map_or(0, |yaml| text[..yaml.start].matches('\n').count());
    let front = yaml.clone().map_or_else(
        || of_older_header(&text),
        |yaml| reader.front(&text[yaml], lines_before),
    );
    let code = reader.code(&front);
    reader.dates(&front);
    let lines_before = text[..body_start].matches('\n').count();
    reader.fences(&text[body_start..], lines_before);
    reader.unread_criteria(&text[body_start..], lines_before);
    let title = heading(&text[body_start..]).or_else(|| filled(front.title));
    let mut ticket = Ticket {
        code,
        title: title.unwrap_or_else(|| words_of(stem(path)).into()),
        status: filled(front.status),
        kind: filled(front.kind),
        priority: filled(front.priority),
        date_created: filled(front.date_created),
        last_modified: filled(front.last_modified),
        phase_epic: filled(front.phase_epic),
        assignee: filled(front.assignee),
        related_tickets: listed(front.related_tickets),
        depends_on: listed(front.depends_on),
        blocks: listed(front.blocks),
        problems: reader.problems,
        has_front_matter: yaml.is_some(),
        body_start,
        path: path.into(),
        text: text.into(),
        meant: DocumentedWords::default(),
    };
    ticket.meant = DocumentedWords::of(ticket.status(), ticket.kind(), ticket.priority());
    if let (None, Some(status)) = (ticket.meant.status, ticket.status.as_deref()) {
        let ends = TicketStatus::ALL
            .iter()
            .copied()
            .filter(|status| status.is_done());
        let ends: Vec<&str> = ends.map(TicketStatus::as_str).collect();
        let message = format!(
            "the status `{status}` is none of markdown-ticket's; what depends on this ticket waits until it \
             is {}",
            ends.join(" or ")
        );
        let place = value_place(&ticket.text, "status", status);
        let problem = DocumentProblem::new(path, message);
        ticket.problems.push(problem.at(place));
    }
    ticket
}

/// The place of a value of a ticket's attribute, in front matter or in the older header.
pub(super) fn value_place(text: &str, key: &str, value: &str) -> TextPlace {
    let places = FrontMatterPlaces::of(text);
    let mut older = older_header::lines(text).into_iter();
    match older.find(|line| line.key == key && !places.has(key)) {
        Some(line) => TextPlace::within(text, line.value, value),
        None => places.value(key, value),
    }
}

struct TicketReader<'a> {
    path: &'a str,
    text: &'a str,
    problems: Vec<DocumentProblem>,
}

impl TicketReader<'_> {
    fn problem(&mut self, place: TextPlace, message: String) {
        let problem = DocumentProblem::new(self.path, message);
        self.problems.push(problem.at(place));
    }

    /// Notes a problem with a line, counted from 1, which answers name; `None` for the file as a whole.
    fn problem_on_line(&mut self, line: Option<usize>, message: String) {
        let place = match line {
            Some(line) => TextPlace::of_line(self.text, line),
            None => TextPlace::of_first_line(self.text),
        };
        let problem = DocumentProblem::new(self.path, message);
        self.problems.push(problem.on_line(line).at(place));
    }

    /// Reads front matter as a whole, or key by key where that fails.
    fn front(&mut self, yaml: &str, lines_before: usize) -> TicketFrontMatter {
        match front_matter::read::<Option<TicketFrontMatter>>(yaml) {
            Ok(front) => front.unwrap_or_default(),
            Err(problem) => {
                let line = problem.line.map(|line| line + lines_before);
                let message = problem.below(lines_before);
                self.problem_on_line(
                    line,
                    format!("the front matter cannot be read as a whole, so its keys were read one by one: {message}"),
                );
                apart(&front_matter::entries(yaml))
            }
        }
    }

    /// Names fences that take in headings or boxes.
    fn fences(&mut self, body: &str, lines_before: usize) {
        for mut fence in fences::found(body) {
            fence.line += lines_before;
            let message = format!("{fence}. {}", fence.advice());
            self.problem_on_line(Some(fence.line), message);
        }
    }

    /// Names lines that look like acceptance criteria and are none.
    fn unread_criteria(&mut self, body: &str, lines_before: usize) {
        if !checklist::may_be_unread(body) {
            return;
        }
        let outline = markdown::outline(body);
        let mut lines = checklist::unread(body, &outline, &is_about_criteria);
        for line in &mut lines {
            *line += lines_before;
        }
        if let Some(described) = checklist::describe_unread(&lines) {
            let message = format!("{described}. {UNREAD_ADVICE}");
            self.problem_on_line(lines.first().copied(), message);
        }
    }

    fn code(&mut self, front: &TicketFrontMatter) -> Option<TicketCode> {
        let text = front.code.as_deref().or(front.key.as_deref())?;
        let code = TicketCode::read(text);
        if code.is_none() && !text.trim().is_empty() {
            let name = if front.code.is_some() { "code" } else { "key" };
            let message = format!("`{text}` is no code; expected one such as DEM-007");
            self.problem(value_place(self.text, name, text), message);
        }
        code
    }

    fn dates(&mut self, front: &TicketFrontMatter) {
        let dates = [
            ("dateCreated", &front.date_created),
            ("lastModified", &front.last_modified),
        ];
        for (key, text) in dates {
            let text = text.as_deref().unwrap_or_default().trim();
            if !text.is_empty() && !is_date(text) {
                let why = "expected one such as 2025-10-02 or 2025-10-02T09:20:02.492Z";
                let place = value_place(self.text, key, text);
                self.problem(place, format!("`{key}: {text}` is no date; {why}"));
            }
        }
    }
}

/// Returns true if a text is a day or a moment as ISO 8601 writes it.
pub fn is_date(text: &str) -> bool {
    text.parse::<Timestamp>().is_ok() || text.parse::<DateTime>().is_ok()
}

/// The attributes of the older header.
fn of_older_header(text: &str) -> TicketFrontMatter {
    let mut front = TicketFrontMatter::default();
    for line in older_header::lines(text) {
        let value = &text[line.value];
        let list = || Some(TextList(items([value]).map(str::to_owned).collect()));
        match line.key {
            "code" => front.code = Some(value.into()),
            "title" => front.title = Some(value.into()),
            "status" => front.status = Some(value.into()),
            "type" => front.kind = Some(value.into()),
            "priority" => front.priority = Some(value.into()),
            "dateCreated" => front.date_created = Some(value.into()),
            "lastModified" => front.last_modified = Some(value.into()),
            "phaseEpic" => front.phase_epic = Some(value.into()),
            "assignee" => front.assignee = Some(value.into()),
            "relatedTickets" => front.related_tickets = list(),
            "dependsOn" => front.depends_on = list(),
            "blocks" => front.blocks = list(),
            _ => {}
        }
    }
    front
}

/// The keys, each read on its own; of one that stands there twice the last counts.
fn apart(entries: &[FrontMatterEntry<'_>]) -> TicketFrontMatter {
    let mut front = TicketFrontMatter::default();
    for entry in entries {
        let field = match &*entry.name {
            "code" => &mut front.code,
            "key" => &mut front.key,
            "title" => &mut front.title,
            "status" => &mut front.status,
            "type" => &mut front.kind,
            "priority" => &mut front.priority,
            "dateCreated" => &mut front.date_created,
            "lastModified" => &mut front.last_modified,
            "phaseEpic" => &mut front.phase_epic,
            "assignee" => &mut front.assignee,
            list => {
                let field = match list {
                    "relatedTickets" => &mut front.related_tickets,
                    "dependsOn" => &mut front.depends_on,
                    "blocks" => &mut front.blocks,
                    _ => continue,
                };
                let read = front_matter::read_key::<TextList>(entry.yaml, &entry.name);
                *field = read.unwrap_or_else(|_| Some(TextList(vec![entry.raw.into()])));
                continue;
            }
        };
        *field = text_of(entry);
    }
    front
}

/// One value as text: what YAML makes of it, else what stands there.
pub fn text_of(entry: &FrontMatterEntry<'_>) -> Option<Box<str>> {
    let read = front_matter::read_key::<Box<str>>(entry.yaml, &entry.name);
    read.unwrap_or_else(|_| Some(entry.raw.into()))
}

/// One value as a list, whether it is one text with commas or several texts.
pub fn list_of(entry: &FrontMatterEntry<'_>) -> Vec<Box<str>> {
    let read = front_matter::read_key::<TextList>(entry.yaml, &entry.name);
    listed(read.unwrap_or_else(|_| Some(TextList(vec![entry.raw.into()]))))
}

fn filled(text: Option<Box<str>>) -> Option<Box<str>> {
    let text = text?;
    let trimmed = text.trim();
    (!trimmed.is_empty()).then(|| trimmed.into())
}

/// The items of a list, whether given as one text with commas, as several texts, or mixed; words that
/// stand for nothing are left out.
pub fn items<'a>(texts: impl IntoIterator<Item = &'a str>) -> impl Iterator<Item = &'a str> {
    let is_item = |item: &&str| {
        let is_it = |word: &&str| word.eq_ignore_ascii_case(item);
        !item.is_empty() && !PLACEHOLDERS.iter().any(is_it)
    };
    let parts = texts.into_iter().flat_map(|text| text.split(','));
    parts.map(str::trim).filter(is_item)
}

fn listed(texts: Option<TextList>) -> Vec<Box<str>> {
    let texts = texts.map(|texts| texts.0).unwrap_or_default();
    items(texts.iter().map(String::as_str))
        .map(Box::from)
        .collect()
}

/// The text of the first H1 that has one. Where the body begins with it nothing else is read.
fn heading(body: &str) -> Option<Box<str>> {
    title(&body[..first_line_end(body)]).or_else(|| title(body))
}

/// Where the first line ends that is not blank.
fn first_line_end(body: &str) -> usize {
    let start = body.len() - body.trim_start_matches([' ', '\t', '\r', '\n']).len();
    let rest = body[start..].find('\n');
    rest.map_or(body.len(), |end| start + end + 1)
}

fn title(markdown: &str) -> Option<Box<str>> {
    let headings = markdown::outline(markdown).headings;
    let mut titles = headings
        .into_iter()
        .filter(|heading| heading.level == 1 && !heading.text.is_empty());
    titles.next().map(|heading| one_line(&heading.text).into())
}

/// A text on one line; a heading that is underlined may have several.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The words of a file's name behind its code; the name itself when there are none.
fn words_of(stem: &str) -> String {
    let mut parts = stem.splitn(3, '-');
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let words = match (parts.next(), parts.next(), parts.next()) {
        (Some(_), Some(number), words) if is_number(number) => words.unwrap_or_default(),
        _ => stem,
    };
    let words = one_line(&words.replace('-', " "));
    if words.is_empty() {
        stem.to_owned()
    } else {
        words
    }
}
