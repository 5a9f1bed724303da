//! Answers about items of every format, for the tools that take them all, and edits in plain values.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::Workspace;
use super::board_item::criteria_of;
use super::error::WorkspaceError;
use super::filter::ItemFilter;
use super::item::Item;
use super::ops::resolve_item;
use super::plan_edit::{PlanEditOutcome, PlanOperation};
use super::plan_view::{
    ChangedPlace, CriterionView, EditedItemView, FindingRow, FindingsView, FirstOrder, NextItems,
    PlanItemView, PlanList, PlanRow, WaitView,
};
use super::view::problems;
use super::workspace_graph::WorkspaceGraph;
use chant_base::answer::{Answer, cut, fitting, size_of};
use chant_base::error::Error;
use chant_base::next_step::HintText;
use chant_graph::{EdgeKind, ItemProgress};
use chant_plan_format::finding::Severity;
use chant_plan_format::intent::{AttributeSetting, EditIntent, ItemDraft, TickTarget};
use chant_plan_format::order::{OrderRefusal, PlanOrder};
use chant_tickets::sections::{content, parse_sections};

/// Items of a list where no number is given.
const DEFAULT_ITEMS: usize = 50;
/// Items that can be worked on now, where no number is given.
const DEFAULT_NEXT: usize = 5;

/// Which items are wanted.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ItemListQuery {
    /// The word of a format.
    pub format: Option<String>,
    /// An item whose parts are wanted, at any depth.
    pub parent: Option<String>,
    /// A state.
    pub status: Option<String>,
    /// A label.
    pub label: Option<String>,
    /// Most items.
    pub limit: Option<usize>,
    /// Items that are left out at the beginning.
    pub offset: usize,
}

/// A few of the items that can be worked on now.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ItemPage {
    /// The word of a format.
    pub format: Option<String>,
    /// An item whose parts are wanted, at any depth.
    pub parent: Option<String>,
    /// Most items.
    pub limit: Option<usize>,
}

/// Edits of one item, all or none.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ItemEdits {
    /// A new state.
    pub status: Option<String>,
    /// Boxes to tick: `self`, `parents` for its own and those above that are done then, or criteria as `2` or
    /// `list:2`.
    pub tick: Vec<String>,
    /// Boxes to untick.
    pub untick: Vec<String>,
    /// Attributes, each with a text, a list of texts or nothing.
    pub set: BTreeMap<String, serde_json::Value>,
    /// The section that gets a text.
    pub section: Option<String>,
    /// The text.
    pub text: Option<String>,
    /// True to put it behind what is there.
    pub append: bool,
    /// A new title.
    pub title: Option<String>,
    /// Criteria to add, of the first list or as `list:text`.
    pub add_criteria: Vec<String>,
    /// The folder that it goes to.
    pub move_to: Option<String>,
    /// True to take the sign away that somebody works on it.
    pub reset: bool,
}

/// A new item.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NewItem {
    /// The item of which it is a part, with a heading behind `#` perhaps, or the word of a format.
    pub parent: Option<String>,
    /// Its description.
    pub text: String,
    /// Its criteria.
    pub criteria: Vec<String>,
    /// The names of what it waits for.
    pub depends_on: Vec<String>,
    /// Its labels.
    pub labels: Vec<String>,
}

impl ItemEdits {
    /// # Errors
    /// `Invalid` where nothing is asked for, or a value has no sense.
    fn intents(&self) -> Result<Vec<EditIntent>, WorkspaceError> {
        let invalid = |name: &'static str, given: &str, expected: &str| WorkspaceError::Invalid {
            name,
            given: given.to_owned(),
            expected: expected.to_owned(),
        };
        let mut intents = Vec::new();
        for (boxes, on) in [(&self.tick, true), (&self.untick, false)] {
            for name in boxes {
                let which = tick_target(name).ok_or_else(|| {
                    invalid("box", name, "self, parents, or the number of a criterion")
                })?;
                intents.push(EditIntent::Tick { which, on });
            }
        }
        intents.extend(self.status.clone().map(|word| EditIntent::Status { word }));
        for (attribute, value) in &self.set {
            let value = setting(value).ok_or_else(|| {
                invalid(
                    "value",
                    &value.to_string(),
                    "a text, a list of texts or null",
                )
            })?;
            let attribute = attribute.clone();
            intents.push(EditIntent::Set { attribute, value });
        }
        match (&self.section, &self.text) {
            (Some(name), Some(text)) => intents.push(EditIntent::Section {
                name: name.clone(),
                text: text.clone(),
                append: self.append,
            }),
            (Some(name), None) => return Err(invalid("section", name, "a text with it")),
            (None, Some(text)) => return Err(invalid("text", &cut(text, 60), "a section with it")),
            (None, None) => {}
        }
        for text in &self.add_criteria {
            let text = text.clone();
            intents.push(EditIntent::AddCriterion { list: None, text });
        }
        if self.reset {
            intents.push(EditIntent::Reset);
        }
        intents.extend(self.title.clone().map(|text| EditIntent::Title { text }));
        intents.extend(self.move_to.clone().map(|to| EditIntent::Move { to }));
        if intents.is_empty() {
            return Err(invalid(
                "edit",
                "",
                "a status, boxes, attributes, a section or a title",
            ));
        }
        Ok(intents)
    }
}

fn tick_target(name: &str) -> Option<TickTarget> {
    match name.trim() {
        "self" => Some(TickTarget::Own),
        "parents" => Some(TickTarget::WithParents),
        name => {
            let (list, number) = match name.rsplit_once(':') {
                Some((list, number)) => (Some(list.trim().to_owned()), number),
                None => (None, name),
            };
            let number = number.trim().trim_start_matches('#').parse().ok()?;
            Some(TickTarget::Criterion { list, number })
        }
    }
}

fn setting(value: &serde_json::Value) -> Option<AttributeSetting> {
    match value {
        serde_json::Value::Null => Some(AttributeSetting::Absent),
        serde_json::Value::String(text) if text.is_empty() => Some(AttributeSetting::Absent),
        serde_json::Value::String(text) => Some(AttributeSetting::Text(text.clone())),
        serde_json::Value::Number(number) => Some(AttributeSetting::Text(number.to_string())),
        serde_json::Value::Array(texts) => {
            let texts = texts.iter().map(|text| text.as_str().map(str::to_owned));
            Some(AttributeSetting::List(
                texts.collect::<Option<Vec<String>>>()?,
            ))
        }
        _ => None,
    }
}

/// The operation that edits stand for.
///
/// # Errors
/// `Invalid` where nothing is asked for, or a value has no sense.
pub fn edit_operation(name: &str, edits: &ItemEdits) -> Result<PlanOperation, WorkspaceError> {
    Ok(PlanOperation {
        name: name.to_owned(),
        intents: edits.intents()?,
    })
}

/// The operation that adds an item.
///
/// # Errors
/// `Invalid` where no parent is named and several formats take new items.
pub fn add_operation(
    workspace: &Workspace,
    title: &str,
    new: &NewItem,
) -> Result<PlanOperation, Error> {
    let parent = new
        .parent
        .as_deref()
        .map(str::trim)
        .filter(|parent| !parent.is_empty());
    let name = match parent {
        Some(parent) => parent.to_owned(),
        None => workspace.format_of_new_items()?.to_owned(),
    };
    let draft = ItemDraft {
        title: title.to_owned(),
        text: new.text.clone(),
        criteria: new.criteria.clone(),
        depends_on: new.depends_on.clone(),
        labels: new.labels.clone(),
    };
    Ok(PlanOperation {
        name,
        intents: vec![EditIntent::Add {
            parent: None,
            draft,
        }],
    })
}

/// Items of every format, format by format, each in the order of its own lists.
///
/// # Errors
/// As [`ItemFilter::checked`] and [`Workspace::snapshot`]; `NotFound` or `Ambiguous` for a name of a parent.
pub fn list_items(workspace: &Workspace, query: &ItemListQuery) -> Result<Answer, Error> {
    let joined = workspace.snapshot()?;
    let wanted = wanted_items(workspace, &joined, query, false)?;
    let total = wanted.len();
    let limit = query.limit.unwrap_or(DEFAULT_ITEMS);
    let problems = (query.offset == 0).then(|| problems(&joined));
    let room = problems
        .as_ref()
        .map_or(0, |problems| size_of(&problems.shown()));
    let rows = wanted
        .iter()
        .skip(query.offset)
        .take(limit)
        .map(PlanRow::of);
    let items = fitting(rows, room);
    let next = query.offset + items.len();
    Ok(Answer::data(&PlanList {
        next_offset: (!items.is_empty() && next < total).then_some(next),
        items,
        total,
        problems,
    }))
}

/// The items that can be worked on now, with the order of the first one.
///
/// # Errors
/// As [`list_items`].
pub fn next_items(workspace: &Workspace, page: &ItemPage) -> Result<Answer, Error> {
    let joined = workspace.snapshot()?;
    let query = ItemListQuery {
        format: page.format.clone(),
        parent: page.parent.clone(),
        ..ItemListQuery::default()
    };
    let wanted = wanted_items(workspace, &joined, &query, true)?;
    let limit = page.limit.unwrap_or(DEFAULT_NEXT);
    let first = wanted.first().map(|item| FirstOrder {
        key: item.key(),
        order: order_text(&joined, item),
    });
    Ok(Answer::data(&NextItems {
        next: wanted.iter().take(limit).map(PlanRow::of).collect(),
        total: wanted.len(),
        first,
    }))
}

fn wanted_items<'a>(
    workspace: &Workspace,
    joined: &'a WorkspaceGraph,
    query: &ItemListQuery,
    ready: bool,
) -> Result<Vec<Item<'a>>, Error> {
    let words = |word: &Option<String>| word.iter().cloned().collect();
    let filter = ItemFilter {
        statuses: words(&query.status),
        labels: words(&query.label),
        dialects: words(&query.format),
        ready,
        ..ItemFilter::default()
    };
    let filter = filter.checked(workspace)?;
    let parent = match &query.parent {
        Some(name) => Some(resolve_item(workspace, joined, name)?.key().to_owned()),
        None => None,
    };
    let is_below = |item: &Item<'_>| match &parent {
        None => true,
        Some(parent) => {
            let mut above = item.parent();
            for _ in 0..MAX_LEVELS {
                match above {
                    Some(key) if key == *parent => return true,
                    Some(key) => {
                        let node = joined.graph().find(&key);
                        above = node.and_then(|node| joined.item(node)?.parent());
                    }
                    None => return false,
                }
            }
            false
        }
    };
    // What only holds others is worked on by its parts.
    let is_work = |item: &Item<'_>| !ready || item.weight() > 0.0;
    let items = joined.items().filter(|item| filter.shows(item));
    Ok(items
        .filter(|item| is_below(item) && is_work(item))
        .collect())
}

/// Levels of parts that are followed.
const MAX_LEVELS: usize = 100;

/// One item with all that its documents say, or one section of it.
///
/// # Errors
/// `NotFound` or `Ambiguous` for a name; `Invalid` for a section that it does not have.
pub fn get_item(workspace: &Workspace, name: &str, section: Option<&str>) -> Result<Answer, Error> {
    let joined = workspace.snapshot()?;
    let item = resolve_item(workspace, &joined, name)?;
    Ok(Answer::data(&whole_item(&joined, &item, section)?))
}

/// The text of a document of a format's plans.
///
/// # Errors
/// As [`Workspace::snapshot`]; `NotFound` for a path that is none of their documents.
pub fn document_text(workspace: &Workspace, format: &str, path: &str) -> Result<Answer, Error> {
    let joined = workspace.snapshot()?;
    let roots = joined.formats();
    let units = roots
        .filter(|root| root.format.scope().word == format)
        .flat_map(|root| &root.snapshot.units);
    let mut documents = units.flat_map(|unit| &unit.source.documents);
    match documents.find(|document| *document.path == *path) {
        Some(document) => Ok(Answer::prose(document.text.clone())),
        None => Err(WorkspaceError::NotFound {
            text: path.to_owned(),
            hint: HintText::default(),
        }
        .into()),
    }
}

fn whole_item<'a>(
    joined: &'a WorkspaceGraph,
    item: &Item<'a>,
    section: Option<&str>,
) -> Result<PlanItemView<'a>, Error> {
    let graph = joined.graph();
    let entry = item.plan_entry();
    let body = match section {
        None => item.body(),
        Some(name) => section_of(item, name)?,
    };
    let criteria = match entry {
        Some(entry) => {
            let criteria = entry.item().criteria.iter();
            let row = |one: &'a chant_plan_format::unit::PlanCriterion| CriterionView {
                number: one.number,
                text: one.text.to_string(),
                checked: one.is_ticked,
                whose: Some(one.list),
            };
            criteria.map(row).collect()
        }
        None => criteria_of(item)
            .into_iter()
            .enumerate()
            .map(|(at, row)| CriterionView {
                number: at + 1,
                text: row.text,
                checked: row.done,
                whose: None,
            })
            .collect(),
    };
    let edges = graph.edges(item.node).iter();
    let waits = edges
        .clone()
        .filter(|edge| joined.is_unmet(item.node, edge));
    let waits = waits.filter(|edge| edge.kind != EdgeKind::Member && !item.is_done());
    let wait = |edge: &chant_graph::Edge| {
        let key = graph.key(edge.to);
        let waits = entry.into_iter().flat_map(|entry| &entry.waits);
        let mut named = waits.filter(|wait| wait.keys.iter().any(|one| **one == *key));
        let other = joined.item(edge.to);
        let outside = match graph.progress(edge.to) {
            ItemProgress::Done => "done",
            _ => "unknown",
        };
        WaitView {
            key,
            reason: named
                .next()
                .map_or(super::view::reason(edge.kind), |wait| wait.reason),
            status: other.map_or(outside, |other| other.status()),
        }
    };
    let members = edges.filter(|edge| edge.kind == EdgeKind::Member);
    Ok(PlanItemView {
        row: PlanRow::of(item),
        format: item.dialect(),
        kind: item.kind(),
        path: item.path(),
        line: entry.map(|entry| entry.item().line),
        labels: item.labels(),
        body,
        text_by_others: item.text_by_others(),
        criteria,
        waits_for: waits.map(wait).collect(),
        parts: members.map(|edge| graph.key(edge.to)).collect(),
        edits: entry.map(|entry| entry.scope.intents.iter().map(|one| one.as_str()).collect()),
        statuses: entry.map(|entry| joined.statuses_of(entry.scope.word)),
        documents: entry.map(|entry| {
            let documents = entry.unit().source.documents.iter();
            documents.map(|document| &*document.path).collect()
        }),
    })
}

fn section_of<'a>(item: &Item<'a>, name: &str) -> Result<&'a str, Error> {
    if let Some(entry) = item.plan_entry() {
        let unit = entry.unit();
        let at =
            chant_plan_format::section_lookup::find_section(unit, name).map_err(|refusal| {
                Error::from(chant_plan_store::PlanEditError::from(
                    chant_plan_format::checked_edit::CheckedEditError::from(refusal),
                ))
            })?;
        let section = &unit.sections[at];
        let text = &unit.source.documents[section.document].text;
        return Ok(text.get(section.content.clone()).unwrap_or_default());
    }
    let body = item.body();
    let sections = parse_sections(body);
    let wanted = name.trim_start_matches('#').trim().to_lowercase();
    let found = sections
        .iter()
        .find(|section| section.title.to_lowercase() == wanted);
    let found = found.ok_or_else(|| WorkspaceError::Invalid {
        name: "section",
        given: name.to_owned(),
        expected: {
            let titles: Vec<&str> = sections.iter().map(|section| &*section.title).collect();
            format!("one of {}", titles.join(", "))
        },
    })?;
    Ok(content(body, found))
}

/// The text that says what is to be done: the order of an item whose format gives one, else title, text and criteria.
fn order_text(joined: &WorkspaceGraph, item: &Item<'_>) -> String {
    match plan_order(joined, item) {
        Some(Ok(order)) => text_of_order(&order),
        Some(Err(refusal)) => refusal.to_string(),
        None => {
            let body = item.body().trim_end();
            let criteria = criteria_of(item).into_iter();
            let criteria = criteria.map(|criterion| (criterion.done, criterion.text));
            [
                Some(item.title().to_string()),
                Some(body.to_string()).filter(|body| !body.is_empty()),
                numbered(criteria),
            ]
            .into_iter()
            .flatten()
            .collect::<Vec<String>>()
            .join("\n\n")
        }
    }
}

/// The order of an item of a plan; `None` for other items.
fn plan_order(joined: &WorkspaceGraph, item: &Item<'_>) -> Option<Result<PlanOrder, OrderRefusal>> {
    let word = item.plan_entry()?.scope.word;
    let mut roots = joined.formats();
    let root = roots.find(|root| root.format.scope().word == word)?;
    let node = root.snapshot.node_of(item.key())?;
    Some(root.format.order(&root.snapshot, node))
}

fn text_of_order(order: &PlanOrder) -> String {
    let mut parts = vec![order.title.to_string()];
    if order.is_of_people {
        parts.push("Only a person can do this.".to_owned());
    }
    for part in &order.parts {
        let (first, last) = part.lines;
        parts.push(format!("{}:{first}-{last}\n{}", part.path, part.text));
    }
    for statement in &order.statements {
        parts.push(format!("{} {}", statement.number, statement.text));
    }
    let criteria = order.criteria.iter();
    parts.extend(numbered(
        criteria.map(|one| (one.is_ticked, one.text.to_string())),
    ));
    if !order.waits.is_empty() {
        parts.push(format!("Waits for: {}", order.waits.join(", ")));
    }
    parts.push(format!("Documents: {}", order.own_paths.join(", ")));
    parts.join("\n\n")
}

/// Criteria as a numbered list of boxes; `None` without any.
fn numbered(criteria: impl Iterator<Item = (bool, String)>) -> Option<String> {
    let lines = criteria.enumerate().map(|(at, (is_ticked, text))| {
        let sign = if is_ticked { 'x' } else { ' ' };
        format!("{}. [{sign}] {text}", at + 1)
    });
    let lines: Vec<String> = lines.collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Edits an item and answers with it as it is then.
///
/// # Errors
/// As [`Workspace::edit_plan`].
pub fn update_item(workspace: &Workspace, name: &str, edits: &ItemEdits) -> Result<Answer, Error> {
    let operation = edit_operation(name, edits)?;
    edited(workspace, workspace.edit_plan(&operation)?)
}

/// Adds an item and answers with it.
///
/// # Errors
/// As [`Workspace::edit_plan`].
pub fn add_item(workspace: &Workspace, title: &str, new: &NewItem) -> Result<Answer, Error> {
    let operation = add_operation(workspace, title, new)?;
    edited(workspace, workspace.edit_plan(&operation)?)
}

fn edited(workspace: &Workspace, outcome: PlanEditOutcome) -> Result<Answer, Error> {
    let joined = workspace.snapshot()?;
    let item = resolve_item(workspace, &joined, &outcome.key)?;
    let changed = outcome.changed.iter();
    Ok(Answer::data(&EditedItemView {
        item: PlanRow::of(&item),
        changed: changed
            .map(|(path, line)| ChangedPlace { path, line: *line })
            .collect(),
        notes: &outcome.notes,
    }))
}

/// What the rules of the formats here find.
///
/// # Errors
/// As [`Workspace::snapshot`].
pub fn check_plans(workspace: &Workspace) -> Result<Answer, Error> {
    let joined = workspace.snapshot()?;
    let mut findings = Vec::new();
    for root in joined.formats() {
        let word = root.format.scope().word;
        let found = root.format.check(&root.snapshot);
        findings.extend(found.iter().map(|finding| FindingRow::of(word, finding)));
        let hints = root
            .problems
            .iter()
            .filter(|one| one.level == Severity::Hint);
        findings.extend(hints.map(|hint| FindingRow::of(word, hint)));
    }
    Ok(Answer::whole(&FindingsView { findings }))
}
