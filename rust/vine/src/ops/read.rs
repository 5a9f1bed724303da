//! Reads a graph: questions about it, what can be acted on, pictures of it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{fitted, warned};
use crate::document::VineDocument;
use crate::error::VineError;
use crate::files::VineStore;
use crate::frontier::{GraphPlan, refs, search};
use crate::model::{Graph, InvalidTaskStatus, TaskStatus, VineNode};
use crate::picture;
use crate::view::{
    FrontierView, HeadView, MetaView, NodeBrief, NodeContextView, NodeView, PlanView, RefView,
    RowView, summary, views,
};
use chant_base::answer::{Answer, PageRequest};
use chant_base::error::Error;
use chant_git::blob;

/// The keys that entries of lists have.
const KEYS: [&str; 10] = [
    "id", "kind", "shortName", "status", "description", "dependencies", "decisions", "attachments",
    "vine", "annotations",
];

/// A query that `vine_read` may be given.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GraphQuery<'a> {
    /// The query's name.
    #[serde(skip)]
    pub action: &'a str,
    /// ID of a node.
    pub id: Option<&'a str>,
    /// Status of the tasks to list.
    pub status: Option<&'a str>,
    /// Text to look for.
    pub query: Option<&'a str>,
    /// Keys of the entries of a list; all without any.
    pub fields: Option<Vec<String>>,
    /// Most entries of a list; all without a number.
    pub limit: Option<usize>,
    /// Entries to pass over.
    pub offset: usize,
}

/// `vine_read`: answers a question about a graph.
///
/// # Errors
/// `VineError` where the file is no valid graph, something the action needs is missing, or there is
/// no such task.
pub fn read(files: &VineStore, file: &str, question: &GraphQuery<'_>) -> Result<Answer, Error> {
    let place = files.existing(file)?;
    let document = files.read(&place)?;
    let (plan, graph) = (&document.plan, &document.plan.graph);
    let needed = |value: Option<&str>, name: &'static str| {
        let value = value.filter(|value| !value.is_empty()).map(str::to_owned);
        value.ok_or_else(|| VineError::Missing {
            name,
            action: question.action.to_owned(),
        })
    };
    let node = || -> Result<&VineNode, VineError> {
        let id = needed(question.id, "id")?;
        let node = graph.find(&id);
        node.ok_or_else(|| VineError::no_task(graph, &id))
    };
    let page = PageRequest {
        limit: question.limit.unwrap_or(usize::MAX),
        offset: question.offset,
    };
    let fields = question.fields.as_deref();
    let nodes = |nodes: &[&VineNode]| page_of(&views::<NodeView<'_>>(nodes), fields, page);
    let briefs = |nodes: &[&VineNode]| page_of(&views::<NodeBrief<'_>>(nodes), fields, page);
    let answer = match question.action {
        "validate" => Answer::prose(valid(plan)),
        "summary" => Answer::prose(summary(plan)),
        "list" => nodes(&listed(graph, question)?)?,
        "task" => Answer::data(&NodeView::from(node()?)),
        "context" => Answer::data(&NodeContextView::of(node()?, plan)),
        "descendants" => briefs(&plan.descendants(&node()?.id))?,
        "dependencies" => briefs(&plan.needed(&node()?.id))?,
        "search" => nodes(&search(graph, &needed(question.query, "query")?))?,
        "refs" => page_of(&views::<RefView<'_>>(&refs(graph)), fields, page)?,
        "meta" => Answer::data(&MetaView::of(graph, blob(&document.text))),
        other => {
            return Err(VineError::Action {
                action: other.to_owned(),
            }
            .into());
        }
    };
    Ok(warned(files, &place, answer))
}

/// Reports that a graph is valid, and warns where its root says that all is done and it is not (W17).
fn valid(plan: &GraphPlan) -> String {
    let message = format!("Valid — {} task(s).", plan.progress.total);
    let open = plan.progress.total - plan.progress.complete();
    if open > 0 && plan.root().status() == Some(TaskStatus::Complete) {
        let root = &plan.root().id;
        return format!(
            "{message}\nWarning: the root \"{root}\" is complete, {open} other(s) are not."
        );
    }
    message
}

/// A page of a list, of whose entries only some keys may be wanted.
fn page_of<T: Serialize>(
    entries: &[T],
    fields: Option<&[String]>,
    page: PageRequest,
) -> Result<Answer, VineError> {
    let Some(fields) = fields else {
        return Ok(Answer::list(entries, page));
    };
    if let Some(strange) = fields.iter().find(|field| !KEYS.contains(&field.as_str())) {
        let field = strange.clone();
        return Err(VineError::Field { field, keys: &KEYS });
    }
    let is_wanted = |key: &str| key == "id" || fields.iter().any(|field| field == key);
    let narrow = |entry: &T| {
        let mut entry = serde_json::to_value(entry).unwrap_or_default();
        if let Some(keys) = entry.as_object_mut() {
            keys.retain(|key, _| is_wanted(key));
        }
        entry
    };
    let entries: Vec<Value> = entries.iter().map(narrow).collect();
    Ok(Answer::list(&entries, page))
}

/// The nodes of a status that hold a text; all without either.
fn listed<'a>(graph: &'a Graph, question: &GraphQuery<'_>) -> Result<Vec<&'a VineNode>, VineError> {
    let Some(status) = question.status else {
        return Ok(search(graph, question.query.unwrap_or_default()));
    };
    let status: TaskStatus = status.parse()?;
    let nodes = graph.nodes.iter().map(|node| &**node);
    Ok(nodes.filter(|node| node.status() == Some(status)).collect())
}

/// `vine_next`: what can be acted on now; the page is one of each list.
///
/// # Errors
/// `VineError` where the file is no valid graph.
pub fn next(files: &VineStore, file: &str, page: PageRequest) -> Result<Answer, Error> {
    let place = files.existing(file)?;
    let document = files.read(&place)?;
    let answer = fitted(page, |page| FrontierView::of(&document.plan, page));
    Ok(warned(files, &place, answer))
}

/// Which nodes are meant.
#[derive(Debug, Clone, Copy)]
pub struct NodeFilter<'a> {
    /// Their statuses, `ref` for references; any when there are none.
    pub statuses: &'a [String],
    /// A text that they hold, as in a search.
    pub query: &'a str,
}

/// All that is known of a graph, however long, with those of its nodes that are wanted.
///
/// # Errors
/// `VineError` where the file is no valid graph, or for a status that is none.
pub fn plan(files: &VineStore, file: &str, wanted: NodeFilter<'_>) -> Result<Answer, Error> {
    let document = files.read(&files.existing(file)?)?;
    let has_standing = standing(wanted.statuses)?;
    let mut nodes = search(&document.plan.graph, wanted.query);
    nodes.retain(|node| has_standing(node));
    let view = PlanView::of(&document.plan, &nodes, blob(&document.text));
    Ok(Answer::whole(&view))
}

/// A graph as it is now, to be asked later on.
///
/// # Errors
/// `VineError` where the file is no valid graph.
pub fn document(files: &VineStore, file: &str) -> Result<Arc<VineDocument>, Error> {
    files.read(&files.existing(file)?)
}

/// The text of a graph, however long, or that of one of its nodes: its block between delimiters.
///
/// # Errors
/// `VineError` where the file is no valid graph, or there is no such node.
pub fn text(files: &VineStore, file: &str, id: Option<&str>) -> Result<Answer, Error> {
    let document = document(files, file)?;
    let Some(id) = id else {
        return Ok(Answer::prose(&*document.text));
    };
    let block = document
        .block(id)
        .ok_or_else(|| VineError::no_task(&document.plan.graph, id))?;
    Ok(Answer::prose(block))
}

/// Returns the name of a graph, and how far it is.
pub fn head(document: &VineDocument) -> Answer {
    Answer::whole(&HeadView::of(&document.plan))
}

/// Returns git's name for the text of a graph.
pub fn name_of_text(document: &VineDocument) -> String {
    blob(&document.text)
}

/// Returns a test: true if a node has one of the statuses that words name, or there are no words.
fn standing(words: &[String]) -> Result<impl Fn(&VineNode) -> bool, VineError> {
    for word in words.iter().filter(|word| *word != "ref") {
        let status: Result<TaskStatus, InvalidTaskStatus> = word.parse();
        status.map_err(|status| VineError::Standing { status })?;
    }
    Ok(|node: &VineNode| words.is_empty() || words.iter().any(|word| word == node.standing()))
}

/// All that is known of a node, however long, with what it builds on and who builds on it.
///
/// # Errors
/// `VineError` where the file is no valid graph, or there is no such node.
pub fn task(files: &VineStore, file: &str, id: &str) -> Result<Answer, Error> {
    let document = files.read(&files.existing(file)?)?;
    let graph = &document.plan.graph;
    let node = graph
        .find(id)
        .ok_or_else(|| VineError::no_task(graph, id))?;
    Ok(Answer::whole(&NodeContextView::of(node, &document.plan)))
}

/// A graph as a picture, of the nodes of some statuses where these are given: the text of a `mermaid` or
/// `dot` picture, or the lines of a `tree` as data.
///
/// # Errors
/// `VineError` where the file is no valid graph, or for a status or format that is none.
pub fn picture(
    files: &VineStore,
    file: &str,
    format: &str,
    statuses: &[String],
) -> Result<Answer, Error> {
    let document = files.read(&files.existing(file)?)?;
    let has_standing = standing(statuses)?;
    let nodes = document.plan.graph.nodes.iter();
    let is_shown: Vec<bool> = nodes.map(|node| has_standing(node)).collect();
    let picture = picture::picture(&document.plan).only(&is_shown);
    Ok(match format {
        "mermaid" => Answer::prose(picture.mermaid()),
        "dot" => Answer::prose(picture.dot()),
        "tree" => {
            let rows = picture.rows().into_iter();
            let rows: Vec<RowView<'_>> = rows.map(|row| RowView::of(row, &picture)).collect();
            Answer::whole(&rows)
        }
        other => {
            let format = other.to_owned();
            return Err(VineError::Format { format }.into());
        }
    })
}
