//! The shapes of answers, key by key in the order in which the seed lists them.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::code::TicketCode;
use super::edit::yaml;
use super::model::{IMPACT_AREAS, KEY_ORDER, Ticket};
use super::parse::{list_of, text_of};
use super::ticket_graph::TicketWait;
use super::ticket_store::is_elsewhere;
use chant_base::answer::cut;
use chant_base::counted_list::CountedList;
use chant_base::document_problem::{DocumentProblem, ProblemRow};
use chant_graph::picture::{FigureRow, GraphPicture, LeadDirection, StatusColor};
use chant_text::front_matter::{self, FrontMatterEntry};

/// The keys of a ticket in a list.
pub const ROW: [&str; 9] = [
    "code", "title", "status", "type", "priority", "dateCreated", "lastModified", "assignee",
    "phaseEpic",
];

/// The keys that a list can show besides.
pub const ROW_EXTRAS: [&str; 4] = ["dependsOn", "blocks", "relatedTickets", "filePath"];

/// Characters of a title or name that a list shows.
const MAX_SHOWN: usize = 120;

/// Characters of a problem that an answer shows.
const MESSAGE_SHOWN: usize = 200;

/// Problems that an answer shows.
const PROBLEMS_SHOWN: usize = 5;

/// A ticket with what its text alone does not say.
pub struct TicketFacts<'a> {
    /// Its code.
    pub code: &'a TicketCode,
    /// The content of its file.
    pub ticket: &'a Ticket,
    /// When it was written.
    pub date_created: Option<String>,
    /// When it was last changed.
    pub last_modified: Option<String>,
    /// Its file, absolute.
    pub file_path: String,
}

impl TicketFacts<'_> {
    /// One of the keys of [`ROW`] and [`ROW_EXTRAS`].
    fn value(&self, key: &str) -> Value {
        let ticket = self.ticket;
        match key {
            "code" => self.code.to_string().into(),
            "title" => json!(ticket.title),
            "status" => ticket.status().into(),
            "type" => ticket.kind().into(),
            "priority" => ticket.priority().into(),
            "dateCreated" => json!(self.date_created),
            "lastModified" => json!(self.last_modified),
            "assignee" => json!(ticket.assignee),
            "phaseEpic" => json!(ticket.phase_epic),
            "dependsOn" => json!(ticket.depends_on),
            "blocks" => json!(ticket.blocks),
            "relatedTickets" => json!(ticket.related_tickets),
            "filePath" => json!(self.file_path),
            _ => Value::Null,
        }
    }

    fn values(&self, keys: &[&str]) -> Map<String, Value> {
        let pair = |key: &&str| ((*key).to_owned(), self.value(key));
        keys.iter().map(pair).collect()
    }

    /// Says where the ticket is worked on, if that is in a worktree.
    fn say_where(&self, shown: &mut Map<String, Value>) {
        if is_elsewhere(&self.ticket.path) {
            shown.insert("inWorktree".into(), true.into());
            shown.insert("filePath".into(), self.file_path.as_str().into());
        }
    }

    /// The ticket in a list, with long texts cut.
    pub fn row(&self, keys: &[&str]) -> Map<String, Value> {
        let mut row = self.values(keys);
        self.say_where(&mut row);
        for (key, value) in &mut row {
            if let (Value::String(text), true) = (&*value, key != "filePath") {
                *value = cut(text, MAX_SHOWN).into();
            }
        }
        row
    }

    /// Returns the front matter: the seed's keys, then the other ones of the file in its order.
    pub fn front_matter(&self) -> Map<String, Value> {
        let relations = ["dependsOn", "blocks", "relatedTickets"];
        let mut all = self.values(&ROW);
        all.extend(self.values(&relations));
        let entries = front_matter::entries(yaml(self.ticket));
        // The last of two entries of one key counts, in the place of the first.
        let others = entries.iter().filter(|entry| !is_shown(&entry.name));
        for entry in others {
            all.insert(entry.name.clone().into_owned(), other_value(entry));
        }
        all
    }

    /// Returns the front matter, with the further files of its code and what cannot be read of its own at the
    /// end.
    pub fn attributes(&self, files: &[String]) -> Map<String, Value> {
        let mut all = self.front_matter();
        self.say_where(&mut all);
        let notes = [
            ("files", json!(files)),
            ("problems", json!(self.problems())),
        ];
        for (key, value) in notes {
            if value.as_array().is_some_and(|list| !list.is_empty()) {
                all.entry(key).or_insert(value);
            }
        }
        all
    }

    /// Returns its problems: what cannot be read of its own.
    pub fn problems(&self) -> Vec<ProblemRow> {
        let problems = self.ticket.problems.iter();
        problems.map(|one| one.row(MESSAGE_SHOWN)).collect()
    }

    /// The ticket without its relations, as `get_cr` in mode `metadata` shows it.
    pub fn metadata(&self) -> Map<String, Value> {
        let mut keys: Vec<&str> = ROW.into_iter().filter(|key| *key != "assignee").collect();
        keys.push("filePath");
        let mut metadata = self.values(&keys);
        self.say_where(&mut metadata);
        metadata
    }

    /// The ticket as `create_cr` shows it.
    pub fn created(&self) -> Map<String, Value> {
        let mut keys = ROW.to_vec();
        keys.insert(7, "filePath");
        self.values(&keys)
    }
}

/// Returns true if a key of front matter is shown under its own name already.
fn is_shown(key: &str) -> bool {
    let is_other = matches!(
        key,
        IMPACT_AREAS | "implementationDate" | "implementationNotes"
    );
    KEY_ORDER.contains(&key) && !is_other
}

/// The value of a key that answers know nothing of: its text as it is spelled, else its list or map.
fn other_value(entry: &FrontMatterEntry<'_>) -> Value {
    if front_matter::may_explode(entry.yaml) {
        return entry.raw.into();
    }
    if entry.name == IMPACT_AREAS {
        return json!(list_of(entry));
    }
    let text = front_matter::read_key::<Box<str>>(entry.yaml, &entry.name);
    match text {
        Ok(text) => json!(text),
        Err(_) => match front_matter::read_key::<Value>(entry.yaml, &entry.name) {
            Ok(value) => json!(value),
            Err(_) => json!(text_of(entry)),
        },
    }
}

/// All that is known of a ticket.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WholeTicketView<'a> {
    /// The content of its front matter.
    pub cr: Map<String, Value>,
    /// Its file, absolute.
    pub file_path: &'a str,
    /// True if that lies in a worktree, where the ticket is worked on.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub in_worktree: bool,
    /// All files of its code, where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// The parts of it that cannot be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<ProblemRow>,
    /// True if work on it can start now.
    pub ready: bool,
    /// The things it waits for.
    pub waiting_for: Vec<TicketWaitView>,
    /// Codes of what waits for it.
    pub needed_by: Vec<&'a str>,
    /// Its body.
    pub content: &'a str,
}

/// A page of tickets.
#[derive(Debug, Serialize)]
pub struct TicketList {
    /// The tickets.
    pub crs: Vec<Map<String, Value>>,
    /// The number of tickets of the project.
    pub total: usize,
    /// The number of those that match.
    pub filtered: usize,
    /// Entries on this page, when it is not all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub returned: Option<usize>,
    /// Where the next page begins, when there is one: call again with this `offset`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
    /// Files that cannot be read as tickets, or only in part.
    #[serde(flatten)]
    pub problems: CountedList<ProblemRow>,
}

/// The problems that an answer shows.
pub fn problems(problems: &[DocumentProblem]) -> CountedList<ProblemRow> {
    let row = |problem: &DocumentProblem| problem.row(MESSAGE_SHOWN);
    CountedList::first("problems", problems, PROBLEMS_SHOWN, row)
}

/// A new ticket.
#[derive(Debug, Serialize)]
pub struct CreatedTicketView {
    /// The ticket.
    pub cr: Map<String, Value>,
    /// Notes for the caller.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A ticket after a change.
#[derive(Debug, Serialize)]
pub struct UpdatedTicketView {
    /// Its attributes now.
    pub cr: Map<String, Value>,
    /// The changes, by attribute.
    pub changed: Map<String, Value>,
    /// Notes for the caller.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A value before and after a change.
#[derive(Debug, Serialize)]
pub struct FromTo {
    /// Before.
    pub from: Value,
    /// After.
    pub to: Value,
}

/// A ticket that is gone.
#[derive(Debug, Serialize)]
pub struct DeletedTicketView {
    /// The sentence of the seed.
    pub message: String,
    /// The file that it was in, absolute.
    #[serde(rename = "deletedFile")]
    pub deleted_file: String,
    /// The things it leaves behind.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// The sections of a ticket.
#[derive(Debug, Serialize)]
pub struct SectionList<'a> {
    /// The ticket's code.
    pub code: String,
    /// Its title.
    pub title: &'a str,
    /// The number of sections, those inside others included.
    pub total: usize,
    /// The sections in the order of the document.
    pub sections: Vec<SectionEntry>,
    /// Where the next page begins, when there is one: call again with this `offset`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
}

/// One section of a ticket.
#[derive(Debug, Serialize)]
pub struct SectionEntry {
    /// The heading with its marks.
    pub header: String,
    /// 1 to 6.
    pub level: u8,
    /// The headings from the outermost one to this one; it means this section and no other.
    pub path: String,
    /// Characters below the heading, sub-sections included.
    pub chars: usize,
    /// True if there are none.
    pub empty: bool,
}

/// The text of a section.
#[derive(Debug, Serialize)]
pub struct SectionText<'a> {
    /// The ticket's code.
    pub code: String,
    /// The section's name, which means it and no other.
    pub section: String,
    /// 1 to 6.
    pub level: u8,
    /// The headings from the outermost one to this one.
    pub path: String,
    /// Characters below the heading, sub-sections included.
    pub chars: usize,
    /// The text, or the piece of it that was asked for.
    pub content: &'a str,
    /// Where the next piece begins, when there is one: call again with this `offset`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
}

/// A change of a box.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BoxChange<'a> {
    /// The ticket's code.
    pub code: String,
    /// The ticket's title.
    pub title: &'a str,
    /// True if the box is ticked now.
    pub checked: bool,
    /// True if the file is another one now.
    pub changed: bool,
    /// The number of boxes around it that are ticked.
    pub met: usize,
    /// The number of boxes around it.
    pub total: usize,
    /// When the ticket was last changed.
    pub last_modified: Option<String>,
    /// Its file, absolute.
    pub file_path: String,
}

/// A change of a section.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SectionChange<'a> {
    /// The ticket's code.
    pub code: String,
    /// The ticket's title now.
    pub title: &'a str,
    /// The section's name before the change.
    pub section: String,
    /// `replace`, `append` or `prepend`.
    pub operation: &'static str,
    /// Characters that were given.
    pub content_length: usize,
    /// True if the file is another one now.
    pub changed: bool,
    /// When the ticket was last changed.
    pub last_modified: Option<String>,
    /// Its file, absolute.
    pub file_path: String,
    /// The heading's text now, when it is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renamed_to: Option<String>,
    /// Names of the sub-sections that went.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed_sections: Vec<String>,
}

/// The graph of dependencies.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TicketGraphView<'a> {
    /// The tickets, the lowest number first.
    pub nodes: Vec<GraphNode<'a>>,
    /// The number of tickets.
    pub total: usize,
    /// One cycle for each group of tickets that wait for one another.
    pub cycles: Vec<Vec<String>>,
    /// Where the next page begins, when there is one: call again with this `offset`.
    #[serde(skip_serializing_if = "Option::is_none", rename = "next_offset")]
    pub next_offset: Option<usize>,
}

/// A ticket in a graph.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GraphNode<'a> {
    /// Its code.
    pub code: String,
    /// Its title.
    pub title: String,
    /// Its state.
    pub status: &'a str,
    /// The items it names, and those that name it as blocked; done or not.
    pub depends_on: Vec<&'a str>,
    /// True if work on it can start now.
    pub ready: bool,
    /// The things it waits for.
    pub waiting_for: Vec<TicketWaitView>,
}

impl<'a> GraphNode<'a> {
    /// A ticket in a graph, its title cut.
    pub fn of(
        code: &TicketCode,
        ticket: &'a Ticket,
        depends_on: Vec<&'a str>,
        ready: bool,
        waits: Vec<TicketWait>,
    ) -> Self {
        Self {
            code: code.to_string(),
            title: cut(&ticket.title, MAX_SHOWN),
            status: ticket.status(),
            depends_on,
            ready,
            waiting_for: waits.into_iter().map(TicketWaitView::from).collect(),
        }
    }
}

/// Something that a ticket waits for.
#[derive(Debug, Serialize)]
pub struct TicketWaitView {
    /// `approval`, `hold`, `unknown_status` or `ticket`.
    reason: &'static str,
    /// The item, for `ticket`.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    /// Its state; `null` when it is no ticket of the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Value>,
}

impl From<TicketWait> for TicketWaitView {
    fn from(wait: TicketWait) -> Self {
        let (reason, item) = match wait {
            TicketWait::Approval => ("approval", None),
            TicketWait::Hold => ("hold", None),
            TicketWait::UnknownStatus => ("unknown_status", None),
            TicketWait::Item { code, status } => ("ticket", Some((code, status))),
        };
        let (code, status) = item.map(|(code, status)| (code, json!(status))).unzip();
        Self {
            reason,
            code,
            status,
        }
    }
}

/// The dependencies as lines of trees.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TicketTreeView<'a> {
    rows: Vec<TicketTreeRow<'a>>,
    /// The number of tickets.
    total: usize,
    /// The number of those in the rows.
    shown: usize,
    /// One cycle for each group of tickets that wait for one another.
    cycles: Vec<Vec<String>>,
}

/// A line of a tree.
#[derive(Debug, Serialize)]
struct TicketTreeRow<'a> {
    depth: usize,
    code: &'a str,
    title: String,
    status: &'a str,
    symbol: char,
    /// Where that stands which the ticket waits for: `here` in the lines that follow, `above` below an
    /// earlier line of the same ticket, `below` in a tree of its own that comes later.
    leads: &'static str,
}

impl<'a> TicketTreeView<'a> {
    /// The trees of a picture of some of `total` tickets.
    pub fn of(picture: &GraphPicture<'a>, total: usize, cycles: Vec<Vec<String>>) -> Self {
        let tickets = picture
            .figures
            .iter()
            .filter(|figure| figure.tone != StatusColor::Elsewhere);
        Self {
            rows: picture
                .rows()
                .into_iter()
                .map(|row| TicketTreeRow::of(row, picture))
                .collect(),
            total,
            shown: tickets.count(),
            cycles,
        }
    }
}

impl<'a> TicketTreeRow<'a> {
    fn of(row: FigureRow, picture: &GraphPicture<'a>) -> Self {
        let figure = picture.figures[row.figure];
        Self {
            depth: row.depth,
            code: figure.key,
            title: cut(figure.name, MAX_SHOWN),
            status: figure.state,
            symbol: figure.tone.symbol(),
            leads: match row.leads {
                LeadDirection::Here => "here",
                LeadDirection::Above => "above",
                LeadDirection::Below => "below",
            },
        }
    }
}
