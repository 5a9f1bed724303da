//! Questions of commands and scripts about a whole workspace.

use std::collections::HashSet;

use super::Workspace;
use super::board::{ItemSearch, SearchWords};
use super::error::WorkspaceError;
use super::filter::ItemFilter;
use super::item::Item;
use super::key::{normal, of_spec, of_task, of_ticket};
use super::view::{
    EdgeRow, GraphData, ItemList, ItemRow, ItemTreeRow, ItemTreeView, ResolvedItemView,
    WholeItemView, problems, reason,
};
use super::workspace_graph::WorkspaceGraph;
use chant_base::answer::{Answer, PageRequest, fitting, size_of};
use chant_base::counted_list::CountedList;
use chant_base::error::Error;
use chant_base::external_items::split_key;
use chant_base::ident::{ResolvedId, close_names, meant};
use chant_base::next_step::{NextStep, hint};
use chant_graph::picture::{GraphPicture, PictureArrow, PictureFigure};
use chant_graph::{ItemProgress, Node};
use chant_speckit::task::has_same_number;
use chant_tickets::code::TicketCode;

/// Most keys that an error names.
const MATCHES_SHOWN: usize = 10;

/// Items, dialect by dialect, each in the order of its own lists; cancelled specs only when asked for.
///
/// # Errors
/// As [`ItemFilter::checked`] and [`Workspace::snapshot`].
pub fn list(workspace: &Workspace, filter: ItemFilter, page: PageRequest) -> Result<Answer, Error> {
    search(workspace, filter, ItemSearch::default(), page)
}

/// Those of [`list`] that hold what is looked for.
///
/// # Errors
/// As [`list`].
pub fn search(
    workspace: &Workspace,
    filter: ItemFilter,
    search: ItemSearch<'_>,
    page: PageRequest,
) -> Result<Answer, Error> {
    let joined = workspace.snapshot()?;
    let filter = filter.checked(workspace)?;
    let sought = SearchWords::of(search);
    let wanted = filter.candidates(&joined);
    let wanted = wanted.filter(|item| filter.shows(item));
    let wanted: Vec<Item<'_>> = wanted.filter(|item| sought.fits(item)).collect();
    let total = wanted.len();
    let problems = (page.offset == 0).then(|| problems(&joined));
    let of_page = wanted.into_iter().skip(page.offset).take(page.limit);
    let shown = problems.as_ref().map_or(&[][..], CountedList::shown);
    let room = if shown.is_empty() { 0 } else { size_of(&shown) };
    let held = workspace.parts.chant.held_elsewhere();
    let rows = of_page.map(|item| ItemRow::from(item).with_remote(item, &held));
    let items = fitting(rows, room);
    let (returned, next) = (items.len(), page.offset + items.len());
    let remote = filter.count_left_out(joined.items().filter(|item| sought.fits(item)));
    Ok(Answer::data(&ItemList {
        items,
        total,
        limit: page.limit,
        returned,
        next_offset: (returned > 0 && next < total).then_some(next),
        remote,
        problems,
    }))
}

/// The dialects in which there are items, in the order of lists.
///
/// # Errors
/// As [`Workspace::snapshot`].
pub fn dialects(workspace: &Workspace) -> Result<Vec<&'static str>, Error> {
    let joined = workspace.snapshot()?;
    let mut found: Vec<&str> = joined.items().map(|item| item.dialect()).collect();
    found.dedup();
    Ok(found)
}

/// All that is known of an item, however long: a row of a list with who waits for it and its text.
///
/// # Errors
/// As [`find`].
pub fn show(workspace: &Workspace, text: &str) -> Result<Answer, Error> {
    let joined = workspace.snapshot()?;
    let item = resolve_item(workspace, &joined, text)?;
    let mut whole = whole_item(&joined, item);
    whole.row = whole
        .row
        .with_remote(item, &workspace.parts.chant.held_elsewhere());
    Ok(Answer::whole(&whole))
}

/// All that is known of an item.
pub(super) fn whole_item<'a>(joined: &'a WorkspaceGraph, item: Item<'a>) -> WholeItemView<'a> {
    let graph = joined.graph();
    let waiting = graph.waiting()[item.node.index()].iter().copied();
    let mut waiting: Vec<Node> = waiting
        .filter(|node| {
            let mut edges = joined.unmet(*node);
            let is_open = !item.is_done() && graph.progress(*node) != ItemProgress::Done;
            joined.item(*node).is_some() && is_open && edges.any(|edge| edge.to == item.node)
        })
        .collect();
    joined.sort(&mut waiting);
    WholeItemView {
        row: ItemRow::from(item),
        priority: item.priority(),
        needed_by: waiting.into_iter().map(|node| graph.key(node)).collect(),
        body: item.body(),
        text_by_others: item.text_by_others(),
    }
}

/// Which item a name means: a key, an ID of a dialect, or a part of a spec's that fits only one.
///
/// # Errors
/// `NotFound`, `Ambiguous`, or as [`Workspace::snapshot`].
pub fn find(workspace: &Workspace, text: &str) -> Result<Answer, Error> {
    let joined = workspace.snapshot()?;
    let item = resolve_item(workspace, &joined, text)?;
    Ok(Answer::whole(&ResolvedItemView {
        key: item.key(),
        dialect: item.dialect(),
        id: item.id(),
        path: item.path(),
    }))
}

/// The item that a name means.
pub(super) fn resolve_item<'a>(
    workspace: &Workspace,
    joined: &'a WorkspaceGraph,
    text: &str,
) -> Result<Item<'a>, WorkspaceError> {
    let text = text.trim();
    let by_key = joined.graph().find(&normal(text));
    if let Some(item) = by_key.and_then(|node| joined.item(node)) {
        return Ok(item);
    }
    let (kind, rest) = match split_key(text) {
        Some((kind, rest)) => (Some(kind), rest),
        None => (None, text),
    };
    let exact = called(joined, kind, rest);
    let mut found = exact;
    if found.is_empty() && kind.is_none_or(|kind| kind == "chant") && !rest.is_empty() {
        found = specs_like(workspace, joined, rest);
    }
    if found.is_empty() && !rest.is_empty() {
        found = plan_items_like(joined, kind, rest);
    }
    match found.as_slice() {
        [one] => Ok(*one),
        [] => Err(not_found(joined, text)),
        many => {
            let mut keys: Vec<String> = many.iter().map(|item| item.key().to_owned()).collect();
            if keys.len() > MATCHES_SHOWN {
                keys.truncate(MATCHES_SHOWN);
                keys.push("…".into());
            }
            let text = text.to_owned();
            Err(WorkspaceError::Ambiguous { text, keys })
        }
    }
}

/// The items that a dialect calls so: tickets in any spelling of their codes, tasks also with what their file or
/// feature is called before them. All but tasks of features are looked up.
fn called<'a>(joined: &'a WorkspaceGraph, kind: Option<&str>, text: &str) -> Vec<Item<'a>> {
    let is_wanted = |dialect: &str| kind.is_none_or(|kind| kind == dialect);
    let mut keys: Vec<String> = Vec::new();
    if is_wanted("chant") {
        keys.push(of_spec(text));
    }
    if is_wanted("vine") {
        keys.push(normal(&format!("vine:{text}")));
        let holding = joined
            .plans()
            .filter(|plan| plan.document.plan.graph.find(text).is_some());
        keys.extend(holding.map(|plan| of_task(&plan.path, text)));
    }
    if is_wanted("tickets") {
        keys.extend(TicketCode::read(text).map(|code| of_ticket(&code)));
    }
    let nodes = keys.iter().filter_map(|key| joined.graph().find(key));
    let mut nodes: Vec<Node> = nodes.filter(|node| joined.item(*node).is_some()).collect();
    nodes.extend(plan_items_called(joined, kind, text));
    if is_wanted("speckit") {
        nodes.extend(feature_tasks(joined, text));
    }
    joined.sort(&mut nodes);
    nodes.dedup();
    nodes
        .into_iter()
        .filter_map(|node| joined.item(node))
        .collect()
}

/// The items of plans that have a name in full.
fn plan_items_called(joined: &WorkspaceGraph, kind: Option<&str>, text: &str) -> Vec<Node> {
    let scopes = joined
        .formats()
        .map(|root| (root, root.format.scope().word));
    let wanted = scopes.filter(|(_, word)| kind.is_none_or(|kind| kind == *word));
    let keys = wanted.map(|(root, word)| format!("{word}:{}", root.format.name(text)));
    let nodes = keys.filter_map(|key| joined.graph().find(&key));
    nodes.filter(|node| joined.item(*node).is_some()).collect()
}

/// The items of plans that a part of a name may mean.
fn plan_items_like<'a>(
    joined: &'a WorkspaceGraph,
    kind: Option<&str>,
    text: &str,
) -> Vec<Item<'a>> {
    let mut nodes = Vec::new();
    for root in joined.formats() {
        if kind.is_some_and(|kind| kind != root.format.scope().word) {
            continue;
        }
        let found = match root.snapshot.resolve(root.format, text) {
            ResolvedId::None => Vec::new(),
            ResolvedId::One(one) => vec![one],
            ResolvedId::Many(many) => many,
        };
        let keys = found.into_iter().map(|at| &*root.snapshot.nodes[at].key);
        nodes.extend(keys.filter_map(|key| joined.graph().find(key)));
    }
    let items = nodes.into_iter().filter_map(|node| joined.item(node));
    items.collect()
}

/// The tasks of features that a text names, with their feature or without; `T6` stands for `T006` where there
/// is no `T6`.
fn feature_tasks(joined: &WorkspaceGraph, text: &str) -> Vec<Node> {
    let (feature, id) = match text.split_once('#') {
        Some((feature, id)) => (Some(feature), id),
        None => (None, text),
    };
    let matching = |is_it: &dyn Fn(&str) -> bool| -> Vec<Node> {
        let fits = |node: &Node| {
            let item = joined.item(*node).filter(|item| !item.is_phase());
            item.is_some_and(|item| {
                let of_feature = item.key().split_once(':').map(|(_, rest)| rest);
                let own = of_feature.and_then(|rest| Some(rest.split_once('#')?.0));
                feature.is_none_or(|feature| own == Some(feature)) && is_it(&item.id())
            })
        };
        joined.feature_nodes().filter(fits).collect()
    };
    let exact = matching(&|own| own.eq_ignore_ascii_case(id));
    if exact.is_empty() {
        return matching(&|own| has_same_number(own, id));
    }
    exact
}

fn specs_like<'a>(workspace: &Workspace, joined: &'a WorkspaceGraph, text: &str) -> Vec<Item<'a>> {
    let today = workspace.parts.chant.today();
    let found = match joined.specs.resolve(text, &today) {
        ResolvedId::None => Vec::new(),
        ResolvedId::One(spec) => vec![spec],
        ResolvedId::Many(specs) => specs,
    };
    let item = |id: &str| joined.item(joined.graph().find(&of_spec(id))?);
    let ids = found.into_iter().map(|spec| spec.id.as_str());
    ids.filter_map(item).collect()
}

fn not_found(joined: &WorkspaceGraph, text: &str) -> WorkspaceError {
    if let Some(hint) = unreadable(joined, text) {
        let text = text.to_owned();
        return WorkspaceError::NotFound {
            text,
            hint: hint!["\n", hint],
        };
    }
    let named = joined.items().map(|item| (item.key(), item.title()));
    let hint = match close_names(text, named).as_slice() {
        [first, rest @ ..] => hint![meant(first, rest)],
        [] => hint!["\n", NextStep::ListItems, " lists all items."],
    };
    WorkspaceError::NotFound {
        text: text.to_owned(),
        hint,
    }
}

/// Returns the problem of the file whose name, without its ending, ends in a name that means nothing.
fn unreadable(joined: &WorkspaceGraph, text: &str) -> Option<String> {
    let name = split_key(text)
        .map_or(text, |(_, rest)| rest)
        .to_lowercase();
    let is_meant = |path: &str| {
        let file = path.rsplit('/').next().unwrap_or(path).to_lowercase();
        let stem = file.rsplit_once('.').map_or(&*file, |(stem, _)| stem);
        let before = stem.strip_suffix(&*name);
        before.is_some_and(|before| before.is_empty() || before.ends_with('-'))
    };
    let mut problems = joined.problems().iter();
    let problem = problems.find(|problem| !name.is_empty() && is_meant(&problem.path))?;
    let line = problem
        .line
        .map_or(String::new(), |line| format!(":{line}"));
    Some(format!("`{}{line}`: {}", problem.path, problem.message))
}

/// The options with which a graph is shown.
#[derive(Debug, Clone, Copy)]
pub struct GraphOptions<'a> {
    /// `tree`, `mermaid`, `dot` or `json`.
    pub format: &'a str,
    /// True if items are drawn, too, that wait for nothing or are done.
    pub all: bool,
}

/// Returns the dependencies between items: the text of a picture with its cycles as the note, or data for
/// `tree` and `json`. Where a way leads over items that are not wanted, an indirect arrow stands for it.
///
/// # Errors
/// `Invalid` for a format that is none, as [`ItemFilter::checked`] and [`Workspace::snapshot`].
pub fn graph(
    workspace: &Workspace,
    filter: ItemFilter,
    shown: GraphOptions<'_>,
) -> Result<Answer, Error> {
    let joined = workspace.snapshot()?;
    let filter = filter.checked(workspace)?;
    let cycles = cycles(&joined);
    if shown.format == "json" {
        return Ok(data(&joined, &filter, cycles));
    }
    let picture = picture(&joined, &filter, shown.all);
    let text = match shown.format {
        "mermaid" => picture.mermaid(),
        "dot" => picture.dot(),
        "tree" => {
            let rows = picture.rows().into_iter();
            let drawn = picture.figures.iter();
            let node = |key: &str| joined.graph().find(key);
            let is_item = |key: &str| node(key).is_some_and(|node| joined.item(node).is_some());
            return Ok(Answer::whole(&ItemTreeView {
                rows: rows.map(|row| ItemTreeRow::of(row, &picture)).collect(),
                total: joined.len(),
                shown: drawn.filter(|figure| is_item(figure.key)).count(),
                cycles,
            }));
        }
        other => {
            return Err(WorkspaceError::Invalid {
                name: "format",
                given: other.to_owned(),
                expected: "one of tree, mermaid, dot, json".into(),
            }
            .into());
        }
    };
    let describe = |cycle: &Vec<&str>| {
        let way: Vec<&str> = cycle.iter().chain(cycle.first()).copied().collect();
        format!("A cycle: {}.", way.join(" waits for "))
    };
    let notes: Vec<String> = cycles.iter().map(describe).collect();
    Ok(Answer {
        note: (!notes.is_empty()).then(|| notes.join("\n")),
        ..Answer::prose(text)
    })
}

fn cycles(joined: &WorkspaceGraph) -> Vec<Vec<&str>> {
    let graph = joined.graph();
    let found = graph.cycles().into_iter();
    let keys = found.map(|cycle| cycle.iter().map(|(node, _)| graph.key(*node)).collect());
    keys.collect()
}

fn data(joined: &WorkspaceGraph, filter: &ItemFilter, cycles: Vec<Vec<&str>>) -> Answer {
    let items = joined.nodes().filter_map(|node| joined.item(node));
    let items: Vec<Item<'_>> = items.filter(|item| filter.fits(item)).collect();
    let graph = joined.graph();
    let mut edges = Vec::new();
    for item in &items {
        let unmet: HashSet<Node> = joined.unmet(item.node).map(|edge| edge.to).collect();
        for edge in graph.edges(item.node) {
            edges.push(EdgeRow {
                from: item.key(),
                to: graph.key(edge.to),
                reason: reason(edge.kind),
                met: !unmet.contains(&edge.to),
            });
        }
    }
    Answer::whole(&GraphData {
        nodes: items.into_iter().map(ItemRow::from).collect(),
        edges,
        cycles,
    })
}

fn picture<'a>(joined: &'a WorkspaceGraph, filter: &ItemFilter, all: bool) -> GraphPicture<'a> {
    let graph = joined.graph();
    let is_open = |node: Node| graph.progress(node) != ItemProgress::Done;
    let only_named = graph.nodes().filter(|node| joined.item(*node).is_none());
    let nodes: Vec<Node> = joined.nodes().chain(only_named).collect();
    let mut places = vec![0; graph.len()];
    for (place, node) in nodes.iter().enumerate() {
        places[node.index()] = place;
    }
    let mut arrows: Vec<PictureArrow> = Vec::new();
    for node in &nodes {
        let mut targets: Vec<Node> = graph.edges(*node).iter().map(|edge| edge.to).collect();
        targets.retain(|to| all || (is_open(*node) && is_open(*to)));
        targets.sort_unstable_by_key(|to| places[to.index()]);
        targets.dedup();
        arrows.extend(targets.into_iter().map(|to| PictureArrow {
            from: places[node.index()],
            to: places[to.index()],
            is_indirect: false,
        }));
    }
    let mut is_drawn = vec![false; nodes.len()];
    for arrow in &arrows {
        is_drawn[arrow.from] = true;
        is_drawn[arrow.to] = true;
    }
    for (node, is_drawn) in nodes.iter().zip(&mut is_drawn) {
        let item = joined.item(*node);
        let fits = item.is_none_or(|item| filter.fits(&item));
        *is_drawn = fits && (*is_drawn || (all && item.is_some()));
    }
    let figures = nodes.iter().map(|node| figure(joined, *node)).collect();
    let whole = GraphPicture { figures, arrows };
    // What is only named stands there for those that wait for it.
    let drawn = whole.only(&is_drawn);
    let targets = drawn.arrows.iter().map(|arrow| drawn.figures[arrow.to].key);
    let targets: HashSet<&str> = targets.collect();
    for (node, is_drawn) in nodes.iter().zip(&mut is_drawn) {
        *is_drawn &= joined.item(*node).is_some() || targets.contains(graph.key(*node));
    }
    whole.only(&is_drawn)
}

/// A node as it is drawn.
pub(super) fn figure(joined: &WorkspaceGraph, node: Node) -> PictureFigure<'_> {
    if let Some(item) = joined.item(node) {
        return PictureFigure {
            key: item.key(),
            name: item.title(),
            state: item.status(),
            tone: item.tone(),
        };
    }
    let (word, tone) = joined.outside(node);
    PictureFigure {
        key: joined.graph().key(node),
        name: word,
        state: word,
        tone,
    }
}
