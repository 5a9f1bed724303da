//! One function a tool (seed vine, reference vine 5 to 7).

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use similar::TextDiff;

use super::apply::{self, Child};
use super::document::Document;
use super::error::VineError;
use super::expand;
use super::files::{Files, Located, state_of};
use super::frontier::{Plan, refs, search};
use super::model::{Graph, InvalidStatus, Node, Status, Work};
use super::operation::{Operation, operations};
use super::picture;
use super::view::{
    Brief, ContextView, MetaView, NextView, NodeView, PlanView, RefView, RowView, WrittenView,
    summary, views,
};
use super::write;
use crate::answer::{Answer, Page};
use crate::error::Error;
use crate::git::blob;
use crate::outside::Standing;
use crate::store::disk;
use crate::store::files::edit_known;
use crate::store::journal::{Journal, Step};

/// What `vine_read` may be asked.
#[derive(Debug, Clone)]
pub struct Question<'a> {
    /// The query's name.
    pub action: &'a str,
    /// ID of a node.
    pub id: Option<&'a str>,
    /// Status of the tasks to list.
    pub status: Option<&'a str>,
    /// Text to look for.
    pub query: Option<&'a str>,
    /// Which part of a list.
    pub page: Page,
}

/// `vine_read`: answers a question about a graph.
///
/// # Errors
/// `VineError` where the file is no valid graph, something the action needs is missing, or there is
/// no such task.
pub fn read(files: &Files, file: &str, question: &Question<'_>) -> Result<Answer, Error> {
    let document = files.read(&files.existing(file)?)?;
    let (plan, graph) = (&document.plan, &document.plan.graph);
    let needed = |value: Option<&str>, name: &'static str| {
        let value = value.filter(|value| !value.is_empty()).map(str::to_owned);
        value.ok_or_else(|| VineError::Missing {
            name,
            action: question.action.to_owned(),
        })
    };
    let node = || -> Result<&Node, VineError> {
        let id = needed(question.id, "id")?;
        let node = graph.find(&id);
        node.ok_or(VineError::NoTask { id })
    };
    let page = question.page;
    let nodes = |nodes: &[&Node]| Answer::list(views::<NodeView<'_>>(nodes), page);
    let briefs = |nodes: &[&Node]| Answer::list(views::<Brief<'_>>(nodes), page);
    Ok(match question.action {
        "validate" => Answer::prose(valid(plan)),
        "summary" => Answer::prose(summary(plan)),
        "list" => nodes(&listed(graph, question)?),
        "task" => Answer::data(&NodeView::from(node()?)),
        "context" => Answer::data(&ContextView::of(node()?, plan)),
        "descendants" => briefs(&plan.descendants(&node()?.id)),
        "dependencies" => briefs(&plan.needed(&node()?.id)),
        "search" => nodes(&search(graph, &needed(question.query, "query")?)),
        "refs" => Answer::list(views::<RefView<'_>>(&refs(graph)), page),
        "meta" => Answer::data(&MetaView::of(graph, blob(&document.text))),
        other => {
            return Err(VineError::Action {
                action: other.to_owned(),
            }
            .into());
        }
    })
}

/// That a graph is valid, and a warning where its root says that all is done and it is not (W17).
fn valid(plan: &Plan) -> String {
    let told = format!("Valid — {} task(s).", plan.progress.total);
    let open = plan.progress.total - plan.progress.complete();
    if open > 0 && plan.root().status() == Some(Status::Complete) {
        let root = &plan.root().id;
        return format!(
            "{told}\nWarning: the root \"{root}\" is complete, {open} other(s) are not."
        );
    }
    told
}

fn listed<'a>(graph: &'a Graph, question: &Question<'_>) -> Result<Vec<&'a Node>, VineError> {
    let Some(status) = question.status else {
        return Ok(search(graph, question.query.unwrap_or_default()));
    };
    let status: Status = status.parse()?;
    let nodes = graph.nodes.iter().map(|node| &**node);
    Ok(nodes.filter(|node| node.status() == Some(status)).collect())
}

/// `vine_next`: what can be acted on now; the page is one of each list.
///
/// # Errors
/// `VineError` where the file is no valid graph.
pub fn next(files: &Files, file: &str, page: Page) -> Result<Answer, Error> {
    let document = files.read(&files.existing(file)?)?;
    Ok(fitted(page, |page| NextView::of(&document.plan, page)))
}

/// Which nodes are meant.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// Their statuses, `ref` for references; any when there are none.
    pub statuses: &'a [String],
    /// A text that they hold, as in a search.
    pub query: &'a str,
}

/// All that is known of a graph, however long, with those of its nodes that are wanted.
///
/// # Errors
/// `VineError` where the file is no valid graph, or for a status that is none.
pub fn plan(files: &Files, file: &str, wanted: Wanted<'_>) -> Result<Answer, Error> {
    let document = files.read(&files.existing(file)?)?;
    let has_standing = standing(wanted.statuses)?;
    let mut nodes = search(&document.plan.graph, wanted.query);
    nodes.retain(|node| has_standing(node));
    let view = PlanView::of(&document.plan, &nodes, blob(&document.text));
    Ok(Answer::whole(&view))
}

/// Whether a node has one of the statuses that words name, or there are none.
fn standing(words: &[String]) -> Result<impl Fn(&Node) -> bool, VineError> {
    for word in words.iter().filter(|word| *word != "ref") {
        let status: Result<Status, InvalidStatus> = word.parse();
        status.map_err(|status| VineError::Standing { status })?;
    }
    Ok(|node: &Node| words.is_empty() || words.iter().any(|word| word == node.standing()))
}

/// All that is known of a node, however long, with what it builds on and who builds on it.
///
/// # Errors
/// `VineError` where the file is no valid graph, or there is no such node.
pub fn task(files: &Files, file: &str, id: &str) -> Result<Answer, Error> {
    let document = files.read(&files.existing(file)?)?;
    let node = document.plan.graph.find(id);
    let node = node.ok_or_else(|| VineError::NoTask { id: id.to_owned() })?;
    Ok(Answer::whole(&ContextView::of(node, &document.plan)))
}

/// A graph as a picture, of the nodes of some statuses where these are given: the text of a `mermaid` or
/// `dot` picture, or the lines of a `tree` as data.
///
/// # Errors
/// `VineError` where the file is no valid graph, or for a status or format that is none.
pub fn picture(
    files: &Files,
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

/// How operations are carried out.
#[derive(Debug, Clone, Copy)]
pub struct Writing<'a> {
    /// Whether they are not: the answer says what they would do.
    pub dry_run: bool,
    /// What git calls the text that the caller has in mind; another one is left alone.
    pub expect: Option<&'a str>,
    /// Most entries of each list of the answer.
    pub limit: usize,
}

/// `vine_write`: carries out operations, all or none, under the file's lock.
///
/// # Errors
/// `VineError` for operations that are none, cannot be carried out, or would leave an invalid graph;
/// nothing is written then.
pub fn write(
    files: &Files,
    file: &str,
    given: &[Value],
    writing: Writing<'_>,
) -> Result<Answer, Error> {
    let operations = operations(given)?;
    let Outcome { before, after } = match operations.first() {
        None => return Err(VineError::NoOperations.into()),
        Some(Operation::Create { .. }) => made(files, file, &operations, writing)?,
        Some(_) => changed(files, file, &operations, writing)?,
    };
    let claimed = claimed(&operations);
    let page = Page {
        limit: writing.limit,
        offset: 0,
    };
    let diff = writing.dry_run.then(|| {
        let diff = TextDiff::from_lines(&*before, &*after.text);
        diff.unified_diff().header(file, file).to_string()
    });
    let summary = summarized(&operations, writing.dry_run);
    Ok(fitted(page, |page| {
        WrittenView::of(&after.plan, summary.clone(), &claimed, page, diff.clone())
    }))
}

/// An answer with as many entries of each list as fit.
fn fitted<T: Serialize>(page: Page, view: impl Fn(Page) -> T) -> Answer {
    let mut page = page;
    loop {
        let shown = view(page);
        match Answer::fitting(&shown) {
            Some(answer) => return answer,
            None if page.limit > 5 => page.limit = (page.limit / 2).min(100),
            None => return Answer::data(&shown),
        }
    }
}

/// What operations did, in words (reference vine 6.6).
fn summarized(operations: &[Operation], dry_run: bool) -> String {
    let phrases: Vec<String> = operations.iter().map(Operation::phrase).collect();
    let done = if dry_run {
        "operation(s) would be applied, nothing was written"
    } else {
        "operation(s) applied"
    };
    format!("{} {done}: {}.", operations.len(), phrases.join("; "))
}

/// The IDs that claimed tasks have in the end, in the order of their claims.
fn claimed(operations: &[Operation]) -> Vec<&str> {
    let mut claimed: Vec<&str> = Vec::new();
    for operation in operations {
        match operation {
            Operation::Claim { id, .. } => claimed.push(id),
            Operation::RenameTask { id, new_id } => {
                let same = claimed.iter_mut().filter(|claimed| **claimed == id);
                same.for_each(|claimed| *claimed = new_id);
            }
            _ => {}
        }
    }
    claimed
}

/// A file before and after operations.
struct Outcome {
    before: String,
    after: Arc<Document>,
}

/// Makes a new file.
fn made(
    files: &Files,
    file: &str,
    operations: &[Operation],
    writing: Writing<'_>,
) -> Result<Outcome, Error> {
    let (graph, child) = apply::create(operations)?;
    let plan = Plan::of(graph)?;
    let text = write::canonical(&plan.graph)?;
    let place = files.new_file(file)?;
    let path = place.absolute();
    if is_taken(&path) {
        return Err(VineError::Taken { path }.into());
    }
    if writing.expect.is_some() {
        return Err(VineError::Refused {
            at: 0,
            op: "create",
            message: "\"expect\" is of a text that is there, and \"create\" makes a new file."
                .into(),
        }
        .into());
    }
    refuse_held(files, &place, operations, &plan.graph)?;
    let mut steps = vec![Step::Create {
        path: place.path.clone(),
        text: text.clone(),
    }];
    steps.extend(child.map(|child| step_of(&place, &child)).transpose()?);
    if !writing.dry_run {
        journaled(files, &place, &[], steps.len() > 1, |_| {
            Ok(Some(steps.clone()))
        })?;
    }
    Ok(Outcome {
        before: String::new(),
        after: files.aware(&place, Arc::new(Document::read(text)?)),
    })
}

/// Changes a file that is there.
fn changed(
    files: &Files,
    file: &str,
    operations: &[Operation],
    writing: Writing<'_>,
) -> Result<Outcome, Error> {
    let place = files.existing(file)?;
    let real = place.real()?;
    let change = |document: &Document| -> Result<(Document, Option<Step>), Error> {
        expected(document, writing.expect)?;
        let mut graph = document.plan.graph.clone();
        let child = apply::apply(&mut graph, operations)?;
        refuse_held(files, &place, operations, &graph)?;
        let after = document.changed(document.plan.renewed(graph)?)?;
        let child = child.map(|child| step_of(&place, &child)).transpose()?;
        Ok((after, child))
    };
    if writing.dry_run {
        let document = files.read(&place)?;
        let (after, _) = change(&document)?;
        return Ok(Outcome {
            before: document.text.clone(),
            after: files.aware(&place, Arc::new(after)),
        });
    }
    let makes_file = |operation: &Operation| matches!(operation, Operation::ExtractToRef { .. });
    let after = if operations.iter().any(makes_file) {
        replaced_together(files, &place, &real, |document| change(document))?
    } else {
        replaced(files, &place, &real, |document| Ok(change(document)?.0))?
    };
    Ok(Outcome {
        before: String::new(),
        after: files.aware(&place, after),
    })
}

/// Refuses to claim a task, unless by force, that needs an item of another dialect which is not done.
fn refuse_held(
    files: &Files,
    place: &Located,
    operations: &[Operation],
    graph: &Graph,
) -> Result<(), VineError> {
    for (at, operation) in operations.iter().enumerate() {
        let Operation::Claim {
            id, force: false, ..
        } = operation
        else {
            continue;
        };
        let Some(node) = claimed(&operations[at..])
            .first()
            .and_then(|id| graph.find(id))
        else {
            continue;
        };
        let needs: Vec<String> = node.needs().map(str::to_owned).collect();
        let standings = files.standings(place, &needs);
        let unmet = needs
            .iter()
            .zip(&standings)
            .filter(|(_, found)| !found.is_done());
        let told: Vec<String> = unmet.map(|(key, found)| told(key, found)).collect();
        if !told.is_empty() {
            return Err(VineError::Refused {
                at,
                op: operation.name(),
                message: format!(
                    "Cannot claim \"{id}\": it needs what is not done: {}. \
                     Take one of ready_to_start, or use force.",
                    told.join(", ")
                ),
            });
        }
    }
    Ok(())
}

/// An item of another dialect with what is known of it.
fn told(key: &str, standing: &Standing) -> String {
    match standing {
        Standing::Found { status, .. } => format!("{key} ({status})"),
        Standing::Unknown(why) => format!("{key} ({why})"),
    }
}

/// A text that is another than the caller has in mind is left alone (reference vine W3).
fn expected(document: &Document, expect: Option<&str>) -> Result<(), VineError> {
    let Some(expect) = expect else {
        return Ok(());
    };
    let is = blob(&document.text);
    if is == expect {
        return Ok(());
    }
    Err(VineError::Changed {
        expected: expect.to_owned(),
        is,
    })
}

/// Changes a document under its lock.
fn replaced(
    files: &Files,
    place: &Located,
    real: &Path,
    mut change: impl FnMut(&Document) -> Result<Document, Error>,
) -> Result<Arc<Document>, Error> {
    let mut after = None;
    let before = files.known(real);
    let known = before.as_ref().map(|document| &*document.text);
    let edit = |text: &str| {
        let document = files.document(real, text)?;
        // The text goes to the disk and comes back: it is too large to be copied for that.
        let changed = after.insert(change(&document)?);
        Ok::<_, Error>(std::mem::take(&mut changed.text))
    };
    let edited = edit_known(&files.disk, &place.root, &place.path, known, edit);
    let text = edited.map_err(|error| place.told(error))?.text;
    let Some(after) = after.map(|after| Arc::new(Document { text, ..after })) else {
        return files.read(place);
    };
    files.written(real.to_owned(), Arc::clone(&after));
    Ok(after)
}

/// Changes a document under its lock, together with the other file that the change makes.
fn replaced_together(
    files: &Files,
    place: &Located,
    real: &Path,
    mut change: impl FnMut(&Document) -> Result<(Document, Option<Step>), Error>,
) -> Result<Arc<Document>, Error> {
    let mut after = None;
    journaled(files, place, &[&place.path], true, |texts| {
        let text = texts.first().copied().unwrap_or_default();
        let document = files.document(real, text)?;
        let (changed, other) = change(&document)?;
        let replaced = (changed.text != document.text).then(|| Step::Replace {
            path: place.path.clone(),
            text: changed.text.clone(),
        });
        after = Some(Arc::new(changed));
        Ok(Some(replaced.into_iter().chain(other).collect()))
    })?;
    match after {
        Some(after) => {
            files.written(real.to_owned(), Arc::clone(&after));
            Ok(after)
        }
        None => files.read(place),
    }
}

/// The file that a task is moved to.
fn step_of(parent: &Located, child: &Child) -> Result<Step, Error> {
    let inside = parent.beside(&child.vine)?;
    let path = parent.root.path().join(&inside);
    if is_taken(&path) {
        return Err(VineError::Taken { path }.into());
    }
    let text = write::canonical(&child.graph)?;
    Ok(Step::Create { path: inside, text })
}

/// Whether there is anything at a place, a link that leads nowhere included.
fn is_taken(path: &Path) -> bool {
    disk::stamp(path).is_some() || disk::is_link(path)
}

fn journaled(
    files: &Files,
    place: &Located,
    paths: &[&str],
    several: bool,
    plan: impl FnMut(&[&str]) -> Result<Option<Vec<Step>>, Error>,
) -> Result<(), Error> {
    let state = several.then(|| state_of(&place.root));
    let journal = Journal {
        disk: &files.disk,
        root: &place.root,
        state: state.as_ref(),
        gate: None,
    };
    let done = journal.change(paths, plan);
    done.map(|_| ()).map_err(|error| place.told(error))
}

/// `vine_expand`: puts another graph in the place of a reference; without `child_file` the one that
/// the reference names.
///
/// # Errors
/// `VineError` where either file is no valid graph or they do not fit; nothing is written then.
pub fn expand(
    files: &Files,
    file: &str,
    ref_id: &str,
    child_file: Option<&str>,
) -> Result<Answer, Error> {
    let place = files.existing(file)?;
    let parent = files.read(&place)?;
    let child_place = match child_file {
        Some(child) => files.existing(child)?,
        None => referred(files, &place, reference(&parent.plan.graph, ref_id)?)?,
    };
    let real = place.real()?;
    if child_place.real()? == real {
        let name = &child_place.given;
        return Err(not_expanded(format!(
            "\"{name}\" is the file itself; it cannot be put into itself."
        )));
    }
    let child = files
        .read(&child_place)
        .map_err(|error| VineError::InChild {
            file: child_place.given.clone(),
            why: error.to_string(),
        })?;
    let folder = folder_between(&place, &child_place);
    no_way_back(files, &real, child_place, Arc::clone(&child))?;
    let mut waits_for = Vec::new();
    replaced(files, &place, &real, |document| {
        let mut graph = document.plan.graph.clone();
        waits_for = held_up_by(&document.plan, ref_id);
        expand::expand(&mut graph, ref_id, &child.plan.graph, &folder)?;
        document
            .changed(document.plan.renewed(graph)?)
            .map_err(Error::from)
    })?;
    let mut told = format!("Ref \"{ref_id}\" expanded.");
    if !waits_for.is_empty() {
        told.push_str(&format!(
            "\nIt still waited for {}; tasks that came in and depend on nothing can be started before.",
            waits_for.join(", ")
        ));
    }
    Ok(Answer::prose(told))
}

/// What a reference still waits for.
fn held_up_by(plan: &Plan, ref_id: &str) -> Vec<String> {
    let at = plan.graph.position(ref_id);
    let unmet = at.into_iter().flat_map(|at| plan.unmet(at));
    unmet
        .map(|at| plan.graph.nodes[at].id.to_string())
        .collect()
}

/// Refuses a child from which references lead back to the parent or to itself: one could expand for
/// ever.
fn no_way_back(
    files: &Files,
    parent: &Path,
    child: Located,
    document: Arc<Document>,
) -> Result<(), Error> {
    let own = child.real()?;
    let mut seen = HashSet::new();
    let mut open = vec![(child, document)];
    while let Some((place, document)) = open.pop() {
        for node in refs(&document.plan.graph) {
            let next = referred(files, &place, node);
            let Some((real, next)) = next.ok().and_then(|next| Some((next.real().ok()?, next)))
            else {
                continue;
            };
            if real == parent || real == own {
                let which = if real == own { "itself" } else { "the parent" };
                return Err(not_expanded(format!(
                    "The child leads back to {which}: \"{}\" in {} refers to {}; expanding would never end.",
                    node.id, place.path, next.path
                )));
            }
            if seen.insert(real)
                && let Ok(document) = files.read(&next)
            {
                open.push((next, document));
            }
        }
    }
    Ok(())
}

fn not_expanded(message: String) -> Error {
    VineError::Expansion { message }.into()
}

/// The reference that is to be expanded.
fn reference<'a>(graph: &'a Graph, id: &str) -> Result<&'a Node, Error> {
    let node = graph.find(id);
    node.ok_or_else(|| not_expanded(format!("Task \"{id}\" does not exist in the parent graph.")))
}

/// The file that a reference names.
fn referred(files: &Files, place: &Located, node: &Node) -> Result<Located, Error> {
    let id = &node.id;
    let Work::Ref { vine } = &node.work else {
        return Err(not_expanded(format!(
            "Task \"{id}\" is not a reference node."
        )));
    };
    if vine.contains("://") {
        return Err(not_expanded(format!(
            "\"{id}\" refers to {vine}, which is no file here; get it and give its path as child_file."
        )));
    }
    let path = place.root.path().join(place.beside(vine)?);
    files.existing(&path.display().to_string())
}

/// The way from the parent's folder to the child's; empty where they are the same.
fn folder_between(parent: &Located, child: &Located) -> String {
    let (parent, child) = (parent.absolute(), child.absolute());
    let (Some(from), Some(to)) = (parent.parent(), child.parent()) else {
        return String::new();
    };
    let way = pathdiff::diff_paths(to, from).unwrap_or_default();
    way.to_string_lossy().replace('\\', "/")
}
