//! Work orders: what a run has to know of an item, as data.

use chant_base::error::{CoreError, ErrorKind};

use super::document::PlanDocument;
use super::snapshot::PlanSnapshot;
use super::unit::{PlanItem, PlanUnit};

/// A part of a plan that an order encloses, with its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderPart {
    /// The document, from the root.
    pub path: Box<str>,
    /// Its first and its last line, counted from 1.
    pub lines: (usize, usize),
    /// The text.
    pub text: String,
}

/// A sentence that has to be true in the end, and that nobody ticks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderStatement {
    /// Its number.
    pub number: Box<str>,
    /// Its text.
    pub text: Box<str>,
}

/// A box that belongs to an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderCriterion {
    /// The name of the item whose box it is.
    pub item: Box<str>,
    /// The list and the number of a criterion; none for the item's own box.
    pub number: Option<(&'static str, usize)>,
    /// Its text.
    pub text: Box<str>,
    /// True if it is ticked.
    pub is_ticked: bool,
    /// Its document, from the root.
    pub path: Box<str>,
}

/// All that a run has to know of an item.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlanOrder {
    /// The key of the item.
    pub key: Box<str>,
    /// Its title.
    pub title: Box<str>,
    /// The noun of its kind.
    pub noun: &'static str,
    /// The enclosed texts.
    pub parts: Vec<OrderPart>,
    /// Sentences that have to be true.
    pub statements: Vec<OrderStatement>,
    /// Boxes that the order may tick.
    pub criteria: Vec<OrderCriterion>,
    /// Documents that the order may change, from the root.
    pub own_paths: Vec<Box<str>>,
    /// Keys that no other order may have at the same time: the item and all of its parts.
    pub locked_keys: Vec<Box<str>>,
    /// Names of items that it still waits for.
    pub waits: Vec<Box<str>>,
    /// True if only a person can do it.
    pub is_of_people: bool,
}

/// The reasons why there is no order.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OrderRefusal {
    /// Nothing is left to do.
    #[error("{key} is done. Choose an item that is open")]
    Done {
        /// The item.
        key: String,
    },
    /// It holds nothing that can be worked on.
    #[error("{key} holds no open task that an agent can do. Add one, or choose another item")]
    NothingOpen {
        /// The item.
        key: String,
    },
}

impl CoreError for OrderRefusal {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Refused
    }
}

/// A part of a document, by its bytes.
pub fn order_part(document: &PlanDocument, span: std::ops::Range<usize>) -> OrderPart {
    let text = document.text.get(span.clone()).unwrap_or_default();
    OrderPart {
        path: document.path.clone(),
        lines: (
            document.line_at(span.start),
            document.line_at(span.end.saturating_sub(1)),
        ),
        text: text.trim_end().to_owned(),
    }
}

/// A whole document as a part.
pub fn whole_document(document: &PlanDocument) -> OrderPart {
    order_part(document, 0..document.text.len())
}

/// The order that suffices for most formats: the texts of the item and of its parts, their open boxes, and their
/// documents. Optional parts and those of people are left out.
///
/// # Errors
/// `Done`, or `NothingOpen` for a group without an open task.
pub fn order_of(snapshot: &PlanSnapshot, at: usize) -> Result<PlanOrder, OrderRefusal> {
    let node = &snapshot.nodes[at];
    let (unit, item) = (snapshot.unit(node), snapshot.item(node));
    if node.is_done {
        return Err(OrderRefusal::Done {
            key: node.key.to_string(),
        });
    }
    let waits = node.waits.iter().filter(|wait| !wait.is_met);
    let mut order = PlanOrder {
        key: node.key.clone(),
        title: item.title.clone(),
        noun: item.kind,
        waits: waits.map(|wait| wait.name.clone()).collect(),
        is_of_people: item.is_of_people,
        ..PlanOrder::default()
    };
    let mut open = vec![at];
    let mut next = 0;
    while let Some(at) = open.get(next).copied() {
        next += 1;
        let node = &snapshot.nodes[at];
        order.locked_keys.push(node.key.clone());
        let parts = node.parts.iter().filter(|part| !open.contains(part));
        let parts: Vec<usize> = parts.copied().collect();
        open.extend(parts);
    }
    open.sort_unstable();
    for part in open {
        let node = &snapshot.nodes[part];
        let own = snapshot.item(node);
        let is_left_out = part != at && (own.is_optional || own.is_of_people || node.is_done);
        if !is_left_out {
            add_item(&mut order, snapshot.unit(node), own);
        }
    }
    if item.is_group && order.criteria.is_empty() {
        return Err(OrderRefusal::NothingOpen {
            key: order.key.to_string(),
        });
    }
    if order.own_paths.is_empty() {
        order.own_paths.push(unit.source.path.clone());
    }
    Ok(order)
}

fn add_item(order: &mut PlanOrder, unit: &PlanUnit, item: &PlanItem) {
    let Some(document) = unit.document_of(item).filter(|_| !item.is_group) else {
        return;
    };
    if !order.own_paths.contains(&document.path) {
        order.own_paths.push(document.path.clone());
    }
    order
        .parts
        .push(order_part(document, item.spans.whole.clone()));
    let criterion = |number, text: &str, is_ticked| OrderCriterion {
        item: item.name.clone(),
        number,
        text: text.into(),
        is_ticked,
        path: document.path.clone(),
    };
    if item.spans.mark.is_some() {
        order
            .criteria
            .push(criterion(None, &item.title, item.is_ticked));
    }
    let boxes = item.criteria.iter();
    let boxes = boxes.map(|one| criterion(Some((one.list, one.number)), &one.text, one.is_ticked));
    order.criteria.extend(boxes);
    let named = unit.statements.iter().filter(|statement| {
        let is_named = |number: &str| {
            let rest = statement.number.strip_prefix(number);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        item.statements.iter().any(|number| is_named(number))
    });
    for statement in named {
        let statement = OrderStatement {
            number: statement.number.clone(),
            text: statement.text.clone(),
        };
        if !order.statements.contains(&statement) {
            order.statements.push(statement);
        }
    }
}
