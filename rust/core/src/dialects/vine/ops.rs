//! One function a tool (seed vine, reference vine 5 to 7).

use serde_json::Value;

use super::apply::{self, Child};
use super::error::VineError;
use super::expand;
use super::files::{self, Files, Located};
use super::frontier::{Plan, refs, search};
use super::model::{Graph, Node, Status};
use super::operation::{Operation, operations};
use super::view::{Brief, ContextView, NextView, NodeView, RefView, WrittenView, summary, views};
use super::write;
use crate::answer::Answer;
use crate::error::Error;
use crate::git::Repo;
use crate::store::journal::{Journal, Step};
use crate::store::state::StateFolder;

/// What `vine_read` may be asked.
#[derive(Debug, Clone, Default)]
pub struct Question<'a> {
    /// The query's name.
    pub action: &'a str,
    /// ID of a node.
    pub id: Option<&'a str>,
    /// Status of the tasks to list.
    pub status: Option<&'a str>,
    /// Text to look for.
    pub query: Option<&'a str>,
}

/// `vine_read`: answers a question about a graph.
///
/// # Errors
/// `VineError` where the file is no valid graph, something the action needs is missing, or there is
/// no such task.
pub fn read(files: &Files, file: &str, question: &Question<'_>) -> Result<Answer, Error> {
    let (_, graph) = files.read(&files.existing(file)?)?;
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
    let list = |nodes: &[&Node]| Answer::data(&views::<NodeView<'_>>(nodes));
    Ok(match question.action {
        "validate" => Answer::prose(format!("Valid — {} task(s).", graph.nodes.len())),
        "summary" => Answer::prose(summary(&graph)),
        "list" => list(&listed(&graph, question)?),
        "task" => Answer::data(&NodeView::from(node()?)),
        "context" => Answer::data(&ContextView::of(node()?, &Plan::of(&graph))),
        "descendants" => {
            let nodes = Plan::of(&graph).descendants(node()?);
            Answer::data(&views::<Brief<'_>>(&nodes))
        }
        "search" => list(&search(&graph, &needed(question.query, "query")?)),
        "refs" => Answer::data(&views::<RefView<'_>>(&refs(&graph))),
        other => {
            return Err(VineError::Action {
                action: other.to_owned(),
            }
            .into());
        }
    })
}

fn listed<'a>(graph: &'a Graph, question: &Question<'_>) -> Result<Vec<&'a Node>, VineError> {
    let Some(status) = question.status else {
        return Ok(search(graph, question.query.unwrap_or_default()));
    };
    let status: Status = status.parse()?;
    let nodes = graph.nodes.iter();
    Ok(nodes.filter(|node| node.status() == Some(status)).collect())
}

/// `vine_next`: what can be acted on now.
///
/// # Errors
/// `VineError` where the file is no valid graph.
pub fn next(files: &Files, file: &str) -> Result<Answer, Error> {
    let (_, graph) = files.read(&files.existing(file)?)?;
    Ok(Answer::data(&NextView::of(&Plan::of(&graph))))
}

/// `vine_write`: carries out operations, all or none, under the file's lock; with `dry_run` only says
/// what they would do.
///
/// # Errors
/// `VineError` for operations that are none, cannot be carried out, or would leave an invalid graph;
/// nothing is written then.
pub fn write(files: &Files, file: &str, given: &[Value], dry_run: bool) -> Result<Answer, Error> {
    let operations = operations(given)?;
    let graph = match operations.first() {
        None => return Err(VineError::NoOperations.into()),
        Some(Operation::Create { .. }) => made(files, file, &operations, dry_run)?,
        Some(_) => changed(files, file, &operations, dry_run)?,
    };
    let phrases: Vec<String> = operations.iter().map(Operation::phrase).collect();
    let claimed = operations.iter().filter_map(|operation| match operation {
        Operation::Claim { id, .. } => Some(id.as_str()),
        _ => None,
    });
    let claimed: Vec<&str> = claimed.collect();
    let plan = Plan::of(&graph);
    Ok(Answer::data(&WrittenView::of(&plan, &phrases, &claimed)))
}

/// Makes a new file.
fn made(
    files: &Files,
    file: &str,
    operations: &[Operation],
    dry_run: bool,
) -> Result<Graph, Error> {
    let (graph, child) = apply::create(operations)?;
    super::validate::validate(&graph)?;
    let text = write::canonical(&graph)?;
    let place = files.new_file(file)?;
    if crate::store::disk::exists(&place.absolute()) {
        return Err(taken(&place));
    }
    let mut steps = vec![Step::Create {
        path: place.path.clone(),
        text,
    }];
    steps.extend(child.map(|child| step_of(&place, &child)).transpose()?);
    if !dry_run {
        journaled(files, &place, &[], |_| Ok(Some(steps.clone())))?;
    }
    Ok(graph)
}

/// Changes a file that is there.
fn changed(
    files: &Files,
    file: &str,
    operations: &[Operation],
    dry_run: bool,
) -> Result<Graph, Error> {
    let place = files.existing(file)?;
    let change = |text: &str| -> Result<(Graph, Vec<Step>), Error> {
        let mut graph = files::graph(text)?;
        let child = apply::apply(&mut graph, operations)?;
        super::validate::validate(&graph)?;
        let new = write::changed(text, &graph)?;
        let mut steps = Vec::new();
        if new != text {
            steps.push(Step::Replace {
                path: place.path.clone(),
                text: new,
            });
        }
        steps.extend(child.map(|child| step_of(&place, &child)).transpose()?);
        Ok((graph, steps))
    };
    if dry_run {
        let (text, _) = files.read(&place)?;
        return Ok(change(&text)?.0);
    }
    let mut after = None;
    journaled(files, &place, &[&place.path], |texts| {
        let (graph, steps) = change(texts.first().copied().unwrap_or_default())?;
        after = Some(graph);
        Ok(Some(steps))
    })?;
    match after {
        Some(graph) => Ok(graph),
        None => Ok(files.read(&place)?.1),
    }
}

/// The file that a task is moved to.
fn step_of(parent: &Located, child: &Child) -> Result<Step, Error> {
    let path = parent.beside(&child.vine)?;
    if crate::store::disk::exists(&parent.root.path().join(&path)) {
        let path = parent.root.path().join(&path);
        return Err(VineError::Taken { path }.into());
    }
    let text = write::canonical(&child.graph)?;
    Ok(Step::Create { path, text })
}

fn taken(place: &Located) -> Error {
    VineError::Taken {
        path: place.absolute(),
    }
    .into()
}

fn journaled(
    files: &Files,
    place: &Located,
    paths: &[&str],
    plan: impl FnMut(&[&str]) -> Result<Option<Vec<Step>>, Error>,
) -> Result<(), Error> {
    let repo = Repo::open(place.root.path()).ok().flatten();
    let state = StateFolder::of(&place.root, repo.as_ref().map(Repo::common_dir));
    let journal = Journal {
        disk: &files.disk,
        root: &place.root,
        state: Some(&state),
        gate: None,
    };
    journal.change(paths, plan).map(|_| ())
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
    let child_file = match child_file {
        Some(child) => child.to_owned(),
        None => named_by(&place, &files.read(&place)?.1, ref_id)?,
    };
    let child_place = files.existing(&child_file)?;
    if child_place.absolute() == place.absolute() {
        let message = format!("\"{child_file}\" is the file itself; it cannot be put into itself.");
        return Err(VineError::Expansion { message }.into());
    }
    let (_, child) = files
        .read(&child_place)
        .map_err(|error| VineError::InChild {
            file: child_file.clone(),
            why: error.to_string(),
        })?;
    let folder = folder_between(&place, &child_place);
    journaled(files, &place, &[&place.path], |texts| {
        let text = texts.first().copied().unwrap_or_default();
        let mut graph = files::graph(text)?;
        expand::expand(&mut graph, ref_id, &child, &folder)?;
        super::validate::validate(&graph)?;
        let text = write::changed(text, &graph)?;
        Ok(Some(vec![Step::Replace {
            path: place.path.clone(),
            text,
        }]))
    })?;
    Ok(Answer::prose(format!("Ref \"{ref_id}\" expanded.")))
}

/// The file that a reference names, as an absolute path.
fn named_by(place: &Located, graph: &Graph, ref_id: &str) -> Result<String, Error> {
    let refused = |message: String| Error::from(VineError::Expansion { message });
    let node = graph.find(ref_id).ok_or_else(|| {
        refused(format!(
            "Task \"{ref_id}\" does not exist in the parent graph."
        ))
    })?;
    let super::model::Work::Ref { vine } = &node.work else {
        return Err(refused(format!(
            "Task \"{ref_id}\" is not a reference node."
        )));
    };
    let path = place.root.path().join(place.beside(vine)?);
    Ok(path.display().to_string())
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
