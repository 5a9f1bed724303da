//! Operations carried out on a graph in memory, strictly in their order (reference vine 6.3).

use super::draft::PlanDraft;
use super::error::VineError;
use super::expand::safe_delimiter;
use super::field::{self, InvalidField};
use super::files::with_ending;
use super::frontier::GraphPlan;
use super::model::{Attachment, FormatVersion, Graph, NodeContent, TaskStatus, VineNode};
use super::operation::{AnnotationList, GraphOperation, TaskUpdate};
use super::uri::{self, rebase_uris};
use chant_base::error::CoreError;
use chant_base::next_step::{DoorKind, HintText, NextStep, hint};

/// The annotation that says who holds a task.
const OWNER: &str = "owner";

/// A file that a task is moved to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChildGraph {
    /// Where, as the reference says.
    pub vine: String,
    /// The graph that it holds.
    pub graph: Graph,
}

/// Carries out operations on the graph of a plan; the graph as they leave it, and the file that one of them
/// makes, if one does.
///
/// The graph is not validated here, so that a batch may pass through what would be invalid.
///
/// # Errors
/// `VineError::Refused` for the first operation that cannot be carried out.
pub fn apply(
    plan: &GraphPlan,
    operations: &[GraphOperation],
) -> Result<(Graph, Option<ChildGraph>), VineError> {
    let mut draft = PlanDraft::of(plan);
    let child = carry_out(&mut draft, operations)?;
    Ok((draft.graph(), child))
}

fn carry_out(
    graph: &mut PlanDraft<'_>,
    operations: &[GraphOperation],
) -> Result<Option<ChildGraph>, VineError> {
    let mut child = None;
    for (at, operation) in operations.iter().enumerate() {
        let refused = |why: Unapplied| VineError::Refused {
            at,
            op: operation.name(),
            message: why.message,
            hint: why.hint,
        };
        if let GraphOperation::ExtractToRef { .. } = operation
            && child.is_some()
        {
            let message = "At most one extract_to_ref operation is allowed per batch.";
            return Err(refused(message.to_owned().into()));
        }
        child = one(graph, operation).map_err(refused)?.or(child);
    }
    Ok(child)
}

/// Makes a graph of operations whose first is `create`: the first task that is added becomes the
/// root, whatever stands before it.
///
/// # Errors
/// `VineError::Refused`.
pub fn create(operations: &[GraphOperation]) -> Result<(Graph, Option<ChildGraph>), VineError> {
    let refused = |message: &str| VineError::Refused {
        at: 0,
        op: "create",
        message: message.into(),
        hint: HintText::default(),
    };
    let Some((GraphOperation::Create { version }, rest)) = operations.split_first() else {
        return Err(refused(
            "The \"create\" operation must be the first operation.",
        ));
    };
    let is_task = |operation: &GraphOperation| matches!(operation, GraphOperation::AddTask { .. });
    let Some(root) = rest.iter().position(is_task) else {
        let message = "create requires at least one add_task operation to define the root task.";
        return Err(refused(message));
    };
    let mut draft = PlanDraft::empty(*version);
    let mut ordered = rest.to_vec();
    ordered[..=root].rotate_right(1);
    let child = carry_out(&mut draft, &ordered)?;
    Ok((draft.graph(), child))
}

impl GraphOperation {
    /// Its name on the wire.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Create { .. } => "create",
            Self::AddTask { .. } => "add_task",
            Self::AddRef { .. } => "add_ref",
            Self::RemoveTask { .. } => "remove_task",
            Self::SetStatus { .. } => "set_status",
            Self::Claim { .. } => "claim",
            Self::Update { .. } => "update",
            Self::AddDep { .. } => "add_dep",
            Self::RemoveDep { .. } => "remove_dep",
            Self::UpdateRefUri { .. } => "update_ref_uri",
            Self::ExtractToRef { .. } => "extract_to_ref",
            Self::RenameTask { .. } => "rename_task",
            Self::MoveTask { .. } => "move_task",
            Self::SetMeta { .. } => "set_meta",
        }
    }

    /// Returns the effect of the operation, as answers say it (reference vine 6.6).
    pub fn phrase(&self) -> String {
        match self {
            Self::Create { .. } => "created graph".into(),
            Self::AddTask { id, .. } => format!("added task \"{id}\""),
            Self::AddRef { id, .. } => format!("added ref \"{id}\""),
            Self::RemoveTask { id } => format!("removed task \"{id}\""),
            Self::SetStatus { id, status } => format!("set \"{id}\" → {}", status.as_str()),
            Self::Claim { id, .. } => format!("claimed \"{id}\""),
            Self::Update { id, .. } => format!("updated \"{id}\""),
            Self::AddDep { task_id, dep_id } => format!("added dep {task_id} → {dep_id}"),
            Self::RemoveDep { task_id, dep_id } => format!("removed dep {task_id} → {dep_id}"),
            Self::UpdateRefUri { id, .. } => format!("updated ref URI for \"{id}\""),
            Self::ExtractToRef { id, vine, .. } => format!("extracted \"{id}\" to ref ({vine})"),
            Self::RenameTask { id, new_id } => format!("renamed \"{id}\" to \"{new_id}\""),
            Self::MoveTask { id, .. } => format!("moved \"{id}\""),
            Self::SetMeta { .. } => "set metadata".into(),
        }
    }
}

fn one(
    graph: &mut PlanDraft<'_>,
    operation: &GraphOperation,
) -> Result<Option<ChildGraph>, Unapplied> {
    match operation {
        GraphOperation::Create { .. } => {
            return Err("The \"create\" operation must be the first operation.".into());
        }
        GraphOperation::AddTask {
            id,
            name,
            status,
            description,
            depends_on,
            annotations,
        } => {
            let work = NodeContent::Task {
                status: *status,
                attachments: Vec::new(),
            };
            let node = new_node(graph, id, name, description, depends_on, annotations, work)?;
            push(graph, node)?;
        }
        GraphOperation::AddRef {
            id,
            name,
            vine,
            description,
            depends_on,
            decisions,
            annotations,
        } => {
            field::uri("vine", vine)?;
            let vine = vine.as_str().into();
            let work = NodeContent::Ref { vine };
            let mut node = new_node(graph, id, name, description, depends_on, annotations, work)?;
            node.decisions = lines("decisions", decisions)?;
            push(graph, node)?;
        }
        GraphOperation::RemoveTask { id } => {
            find(graph, id)?;
            if graph.is_root(id) {
                return Err("Cannot remove the root task.".into());
            }
            graph.remove(id);
        }
        GraphOperation::SetStatus { id, status } => {
            *status_of(graph, id, "set status on")? = *status;
        }
        GraphOperation::Claim { id, force, owner } => claim(graph, id, *force, owner.as_deref())?,
        GraphOperation::Update { id, changes } => update(graph, id, changes)?,
        GraphOperation::AddDep { task_id, dep_id } => {
            let (task, dep) = (find(graph, task_id)?, find(graph, dep_id)?.id.clone());
            if task.dependencies.contains(&dep) {
                return Err(format!("Task \"{task_id}\" already depends on \"{dep_id}\".").into());
            }
            graph.depend(task_id, &dep);
        }
        GraphOperation::RemoveDep { task_id, dep_id } => {
            let (task, dep) = (find(graph, task_id)?, find(graph, dep_id)?.id.clone());
            if !task.dependencies.contains(&dep) {
                return Err(format!("Task \"{task_id}\" does not depend on \"{dep_id}\".").into());
            }
            let task = find_mut(graph, task_id)?;
            task.dependencies.retain(|dependency| *dependency != dep);
        }
        GraphOperation::UpdateRefUri { id, uri } => {
            let NodeContent::Ref { vine } = &mut find_mut(graph, id)?.work else {
                return Err("updateRefUri can only be called on ref nodes".into());
            };
            if uri.is_empty() {
                return Err("Ref URI must be a non-empty string".into());
            }
            field::uri("uri", uri)?;
            *vine = uri.as_str().into();
        }
        GraphOperation::ExtractToRef { id, vine, ref_name } => {
            return Ok(Some(extract(graph, id, vine, ref_name.as_deref())?));
        }
        GraphOperation::RenameTask { id, new_id } => {
            find(graph, id)?;
            field::id("newId", new_id)?;
            if graph.find(new_id).is_some() {
                return Err(already_there(new_id));
            }
            raise_for_id(graph, new_id);
            graph.rename(id, new_id);
        }
        GraphOperation::MoveTask { id, before } => move_task(graph, id, before.as_deref())?,
        GraphOperation::SetMeta {
            title,
            prefix,
            delimiter,
        } => set_meta(
            graph,
            title.as_deref(),
            prefix.as_deref(),
            delimiter.as_deref(),
        )?,
    }
    Ok(None)
}

fn push(graph: &mut PlanDraft<'_>, node: VineNode) -> Result<(), Unapplied> {
    graph.push(node).map_err(|id| already_there(&id))
}

fn already_there(id: &str) -> Unapplied {
    format!("Task \"{id}\" already exists.").into()
}

fn raise_for_id(graph: &mut PlanDraft<'_>, id: &str) {
    if id.contains('/') {
        graph.graph.raise_to(FormatVersion::WITH_REFS);
    }
}

fn move_task(graph: &mut PlanDraft<'_>, id: &str, before: Option<&str>) -> Result<(), Unapplied> {
    find(graph, id)?;
    if let Some(before) = before {
        find(graph, before)?;
    }
    graph.put_before(id, before);
    Ok(())
}

fn set_meta(
    graph: &mut PlanDraft<'_>,
    title: Option<&str>,
    prefix: Option<&str>,
    delimiter: Option<&str>,
) -> Result<(), Unapplied> {
    if let Some(title) = title {
        graph.graph.title = Some(field::line("title", title)?).filter(|title| !title.is_empty());
    }
    if let Some(prefix) = prefix {
        if !prefix.is_empty() {
            field::id("prefix", prefix)?;
        }
        graph.graph.prefix = Some(prefix.into());
        graph.graph.raise_to(FormatVersion::WITH_REFS);
    }
    if let Some(delimiter) = delimiter {
        graph.graph.delimiter = field::delimiter(delimiter, graph.nodes())?;
    }
    Ok(())
}

fn find<'a>(graph: &'a PlanDraft<'_>, id: &str) -> Result<&'a VineNode, Unapplied> {
    graph.find(id).ok_or_else(|| unknown(&graph.graph, id))
}

/// Returns the refusal for an ID that no node has, and the IDs like it.
fn unknown(graph: &Graph, id: &str) -> Unapplied {
    let error = VineError::no_task(graph, id);
    format!("{error}{}", error.hint().at(DoorKind::Agents)).into()
}

fn find_mut<'a>(graph: &'a mut PlanDraft<'_>, id: &str) -> Result<&'a mut VineNode, Unapplied> {
    if graph.find(id).is_none() {
        return Err(unknown(&graph.graph, id));
    }
    graph
        .find_mut(id)
        .ok_or_else(|| format!("Task not found: {id}").into())
}

fn new_node(
    graph: &mut PlanDraft<'_>,
    id: &str,
    name: &str,
    description: &str,
    depends_on: &[String],
    annotations: &AnnotationList,
    work: NodeContent,
) -> Result<VineNode, Unapplied> {
    field::id("id", id)?;
    if graph.find(id).is_some() {
        return Err(already_there(id));
    }
    field::annotations(annotations)?;
    raise_for_id(graph, id);
    if matches!(work, NodeContent::Ref { .. }) {
        graph.graph.raise_to(FormatVersion::WITH_REFS);
    }
    if !annotations.is_empty() {
        graph.graph.raise_to(FormatVersion::WITH_ANNOTATIONS);
    }
    Ok(VineNode {
        id: id.into(),
        name: field::name(name)?,
        description: field::description(description, &graph.graph.delimiter)?,
        dependencies: lines("dependsOn", depends_on)?,
        decisions: Vec::new(),
        annotations: annotations.clone(),
        work,
    })
}

fn lines(name: &str, texts: &[String]) -> Result<Vec<Box<str>>, InvalidField> {
    texts.iter().map(|text| field::line(name, text)).collect()
}

/// The status of a task, to be changed.
fn status_of<'a>(
    graph: &'a mut PlanDraft<'_>,
    id: &str,
    doing: &str,
) -> Result<&'a mut TaskStatus, Unapplied> {
    match &mut find_mut(graph, id)?.work {
        NodeContent::Task { status, .. } => Ok(status),
        NodeContent::Ref { .. } => Err(format!("Cannot {doing} reference node \"{id}\".").into()),
    }
}

/// Why an operation cannot be carried out, and what may help.
struct Unapplied {
    message: String,
    hint: HintText,
}

impl From<String> for Unapplied {
    fn from(message: String) -> Self {
        Self {
            message,
            hint: HintText::default(),
        }
    }
}

impl From<InvalidField> for Unapplied {
    fn from(field: InvalidField) -> Self {
        field.to_string().into()
    }
}

impl From<&str> for Unapplied {
    fn from(message: &str) -> Self {
        message.to_owned().into()
    }
}

/// Returns the hint for a caller that cannot have a task.
pub(super) fn of_claim() -> HintText {
    hint![
        " Take one that ",
        NextStep::NextTasks,
        " lists in ready_to_start, or use ",
        NextStep::Force,
        ".",
    ]
}

/// Takes a task, which has to be free and not held up (decisions: vine `claim`).
fn claim(
    graph: &mut PlanDraft<'_>,
    id: &str,
    force: bool,
    owner: Option<&str>,
) -> Result<(), Unapplied> {
    let status = *status_of(graph, id, "claim")?;
    if !force {
        if !matches!(status, TaskStatus::NotStarted | TaskStatus::Planning) {
            let is = status.as_str();
            let message = format!("Cannot claim \"{id}\": it is {is}{}.", holder(graph, id));
            return Err(Unapplied {
                message,
                hint: of_claim(),
            });
        }
        let is_unmet = |id: &&str| {
            let node = graph.find(id);
            !node
                .and_then(VineNode::status)
                .is_some_and(TaskStatus::is_satisfied)
        };
        let dependencies = graph.find(id).map_or(&[][..], |node| &node.dependencies);
        let ids = dependencies.iter().map(|id| &**id);
        let unmet: Vec<&str> = ids.filter(is_unmet).collect();
        if !unmet.is_empty() {
            let unmet = unmet.join(", ");
            let message =
                format!("Cannot claim \"{id}\": it depends on what is not done: {unmet}.");
            return Err(Unapplied {
                message,
                hint: of_claim(),
            });
        }
    }
    *status_of(graph, id, "claim")? = TaskStatus::Started;
    let annotations = &mut find_mut(graph, id)?.annotations;
    // Who held it holds it no more; whom a free task is meant for may still be read in the file.
    if owner.is_some() || status == TaskStatus::Started {
        annotations.retain(|(key, _)| **key != *OWNER);
    }
    if let Some(owner) = owner {
        field::annotation_value("\"owner\"", owner)?;
        annotations.push((OWNER.into(), vec![owner.into()]));
        graph.graph.raise_to(FormatVersion::WITH_ANNOTATIONS);
    }
    Ok(())
}

/// Returns the holder of a task, in words, where its annotation says it.
fn holder(graph: &PlanDraft<'_>, id: &str) -> String {
    let node = graph.find(id);
    let mut annotations = node.iter().flat_map(|node| &node.annotations);
    let owner = annotations.find(|(key, _)| **key == *OWNER);
    let name = owner.and_then(|(_, values)| values.first());
    name.map_or(String::new(), |name| format!(", held by {name}"))
}

fn update(graph: &mut PlanDraft<'_>, id: &str, changes: &TaskUpdate) -> Result<(), Unapplied> {
    let delimiter = graph.graph.delimiter.clone();
    let node = find_mut(graph, id)?;
    if let Some(name) = &changes.name {
        node.name = field::name(name)?;
    }
    if let Some(description) = &changes.description {
        node.description = field::description(description, &delimiter)?;
    }
    if let Some(decisions) = &changes.decisions {
        node.decisions = lines("decisions", decisions)?;
    }
    if let Some(given) = &changes.attachments {
        attach(node, given.clone())?;
        field::attachments("attachments", given)?;
    }
    for decision in &changes.add_decisions {
        node.decisions.push(field::line("addDecisions", decision)?);
    }
    if !changes.add_attachments.is_empty() || !changes.remove_attachments.is_empty() {
        change_attachments(node, &changes.add_attachments, &changes.remove_attachments)?;
    }
    if let Some(annotations) = &changes.annotations {
        field::annotations(annotations)?;
        node.annotations.clone_from(annotations);
        if !annotations.is_empty() {
            graph.graph.raise_to(FormatVersion::WITH_ANNOTATIONS);
        }
    }
    Ok(())
}

fn change_attachments(
    node: &mut VineNode,
    added: &[Attachment],
    removed: &[String],
) -> Result<(), Unapplied> {
    let had = match &node.work {
        NodeContent::Task { attachments, .. } => attachments.clone(),
        NodeContent::Ref { .. } => Vec::new(),
    };
    if let Some(uri) = removed
        .iter()
        .find(|uri| !had.iter().any(|a| *a.uri == ***uri))
    {
        return Err(format!("Task \"{}\" has no attachment \"{uri}\".", node.id).into());
    }
    let kept = had
        .into_iter()
        .filter(|a| !removed.iter().any(|uri| *a.uri == **uri));
    let wanted = kept.chain(added.iter().cloned()).collect();
    attach(node, wanted)?;
    Ok(field::attachments("addAttachments", added)?)
}

fn attach(node: &mut VineNode, wanted: Vec<Attachment>) -> Result<(), Unapplied> {
    let NodeContent::Task { attachments, .. } = &mut node.work else {
        let message = format!("Cannot set attachments on reference node \"{}\".", node.id);
        return Err(message.into());
    };
    *attachments = wanted;
    Ok(())
}

/// Moves a task, without what it depends on, into a graph of its own.
fn extract(
    graph: &mut PlanDraft<'_>,
    id: &str,
    vine: &str,
    ref_name: Option<&str>,
) -> Result<ChildGraph, Unapplied> {
    let node = find(graph, id)?;
    if graph.is_root(id) {
        return Err("Cannot extract the root task to a ref.".into());
    }
    if node.status().is_none() {
        return Err(format!("Task \"{id}\" is already a reference node.").into());
    }
    field::uri("vine", vine)?;
    if !uri::is_relative(vine) && !vine.starts_with('/') {
        let message = format!("\"vine\" must be the path of the new file, got \"{vine}\".");
        return Err(message.into());
    }
    let vine = with_ending(vine);
    let folder = vine.rsplit_once('/').map_or("", |(folder, _)| folder);
    let name = field::name(ref_name.unwrap_or(&node.name))?;
    let root = VineNode {
        dependencies: Vec::new(),
        ..rebase_uris(node, |uri| uri::seen_from_below(uri, folder))
    };
    let mut child = Graph::empty(graph.graph.version);
    child.title = Some(root.name.clone());
    child.push(root).map_err(|id| already_there(&id))?;
    child.delimiter = safe_delimiter(&child);
    let node = find_mut(graph, id)?;
    node.name = name;
    node.description = String::new();
    node.decisions = Vec::new();
    node.work = NodeContent::Ref {
        vine: vine.as_str().into(),
    };
    graph.graph.raise_to(FormatVersion::WITH_REFS);
    Ok(ChildGraph { vine, graph: child })
}
