//! The items of a document with the places of their parts.

use std::ops::Range;

use chant_workspace::feature::FeaturePart;
use chant_workspace::item::Item;
use chant_workspace::key;
use chant_workspace::workspace_graph::{ItemSource, WorkspaceGraph};

use super::positions::LineIndex;

/// An item and its bytes in its document.
pub(crate) struct PlacedItem<'a> {
    /// The item.
    pub(crate) item: Item<'a>,
    /// All of it.
    pub(crate) span: Range<usize>,
    /// The line that names it: its title, or its first one.
    pub(crate) heading: Range<usize>,
}

/// A box of an item.
pub(crate) struct ItemBox {
    /// The character between its brackets.
    pub(crate) mark: Range<usize>,
    /// True if it is ticked.
    pub(crate) is_ticked: bool,
    /// Whose it is.
    pub(crate) name: BoxName,
}

/// The list and the number of a criterion; none for the box of the item itself.
type BoxName = Option<(&'static str, usize)>;

/// The items of a document, in its order.
pub(crate) fn items_at<'a>(joined: &'a WorkspaceGraph, path: &str) -> Vec<PlacedItem<'a>> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let of_spec = key::of_spec(name.strip_suffix(".md").unwrap_or(name));
    let node = joined.graph().find(&of_spec);
    let spec = node
        .and_then(|node| joined.item(node))
        .filter(|item| item.path() == path);
    let items: Vec<Item<'a>> = match spec {
        Some(spec) => vec![spec],
        None => joined.items().filter(|item| item.path() == path).collect(),
    };
    let Some(text) = items.first().map(Item::document) else {
        return Vec::new();
    };
    let lines = LineIndex::of(text);
    let mut placed: Vec<PlacedItem<'a>> = items
        .into_iter()
        .filter_map(|item| place(joined, item, text, &lines))
        .collect();
    placed.sort_by_key(|one| one.span.start);
    placed
}

/// An item with its place.
pub(crate) fn placed_item<'a>(
    joined: &'a WorkspaceGraph,
    item: Item<'a>,
) -> Option<PlacedItem<'a>> {
    let text = item.document();
    place(joined, item, text, &LineIndex::of(text))
}

fn place<'a>(
    joined: &'a WorkspaceGraph,
    item: Item<'a>,
    text: &str,
    lines: &LineIndex,
) -> Option<PlacedItem<'a>> {
    let line_of = |byte: usize| lines.line_range(text, lines.line_of(byte));
    let (span, heading) = match item.source {
        ItemSource::Spec(_) | ItemSource::Ticket(..) => {
            let heading = title_line(text, item.title());
            (0..text.len(), heading.unwrap_or_else(|| line_of(0)))
        }
        ItemSource::Task { path, task } => {
            let mut plans = joined.plans();
            let document = &plans.find(|plan| plan.path == *path)?.document;
            let at = document.plan.graph.position(&task.id)?;
            let place = &document.places[at];
            (place.block.clone(), place.header.clone())
        }
        ItemSource::Feature(tasks, part) => {
            let FeaturePart::Task(at) = *part else {
                return None;
            };
            let start = lines.line_range(text, tasks.task(at).line - 1);
            let next = tasks.feature.document.list.tasks.get(at + 1);
            let end = next.map_or(text.len(), |next| {
                lines.line_range(text, next.line - 1).start
            });
            (start.start..end.max(start.end), start)
        }
        ItemSource::Plan(entry) => {
            let item = entry.item();
            item.document?;
            let whole = item.spans.whole.clone();
            if item.id.is_empty() {
                let title = item.spans.title.clone();
                let heading = title.or_else(|| title_line(text, &item.title));
                (0..text.len(), heading.unwrap_or_else(|| line_of(0)))
            } else {
                let start = line_of(whole.start.min(text.len()));
                (whole, start)
            }
        }
    };
    Some(PlacedItem {
        item,
        span,
        heading,
    })
}

/// The line of a heading with a title.
fn title_line(text: &str, title: &str) -> Option<Range<usize>> {
    if title.is_empty() {
        return None;
    }
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end();
        let is_title = content
            .strip_prefix("# ")
            .is_some_and(|rest| rest.contains(title));
        if is_title {
            return Some(start..start + content.len());
        }
        start += line.len();
    }
    None
}

/// The boxes of an item: its own one first, then those of its criteria.
pub(crate) fn boxes_of(item: &Item<'_>) -> Vec<ItemBox> {
    let one = |at: usize, is_ticked: bool| ItemBox {
        mark: at..at + 1,
        is_ticked,
        name: None,
    };
    match item.source {
        ItemSource::Spec(spec) => {
            let criteria = spec.criteria.iter();
            let mark = |marker: u32| spec.body_start + marker as usize + 1;
            criteria
                .map(|criterion| one(mark(criterion.marker), criterion.checked))
                .collect()
        }
        ItemSource::Feature(tasks, FeaturePart::Task(at)) => {
            let task = tasks.task(*at);
            let own = task.box_at.map(|at| one(at, task.mark.is_settled()));
            let criteria = task.criteria.iter();
            let criteria =
                criteria.map(|criterion| one(criterion.box_at, criterion.mark.is_settled()));
            own.into_iter().chain(criteria).collect()
        }
        ItemSource::Plan(entry) => {
            let item = entry.item();
            let own = item.spans.mark.clone().map(|mark| ItemBox {
                mark,
                is_ticked: item.is_ticked,
                name: None,
            });
            let criteria = item.criteria.iter().map(|criterion| ItemBox {
                mark: criterion.mark.clone(),
                is_ticked: criterion.is_ticked,
                name: Some((criterion.list, criterion.number)),
            });
            own.into_iter().chain(criteria).collect()
        }
        ItemSource::Task { .. } | ItemSource::Feature(..) | ItemSource::Ticket(..) => Vec::new(),
    }
}

/// The innermost item at a byte.
pub(crate) fn item_at<'i, 'a>(
    items: &'i [PlacedItem<'a>],
    byte: usize,
) -> Option<&'i PlacedItem<'a>> {
    let holds = |one: &&PlacedItem<'_>| one.span.start <= byte && byte <= one.span.end;
    items.iter().filter(holds).min_by_key(|one| one.span.len())
}
