//! Runs on items of formats with tools of their own: tasks of graphs, tasks of features, change requests. Each item stands in
//! one document, and is the same one only as long as its title and the texts of its boxes are.

use std::ops::Range;

use chant_base::error::Error;
use chant_base::external_items::{ExternalStatus, split_key};
use chant_base::next_step::{NextStep, hint};
use chant_speckit::files::{FeatureDocument, TASKS};
use chant_speckit::resolve::SPECS as FEATURES;
use chant_specs::project::Project;
use chant_specs::work_items::{
    DocumentText, ItemJudgement, ItemLanding, ItemWork, OrderBox, WorkOrder,
};
use chant_store::files;
use chant_tickets::code::TicketCode;
use chant_tickets::criteria::criteria;
use chant_tickets::edit::TicketDraft;
use chant_tickets::model::TicketStatus;
use chant_tickets::parse::ticket as parse_ticket;
use chant_vine::apply::apply;
use chant_vine::document::VineDocument;
use chant_vine::frontier::GraphPlan;
use chant_vine::model::{TaskStatus, VineNode};
use chant_vine::operation::GraphOperation;

use super::error::WorkspaceError;
use super::external_lookup::{external_items, path_of_ticket, ready_keys};
use super::key::{normal, of_feature, of_task, of_ticket};
use super::planning_paths::PlanningPaths;
use super::work_items::MarkedItems;

/// A format with tools of its own, as runs work on its items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DocumentFormat {
    /// Tasks of graphs.
    Graph,
    /// Tasks of spec-kit features.
    Feature,
    /// Change requests.
    Ticket,
}

/// A box of an item, with the byte between its brackets.
struct ReadBox {
    text: String,
    mark: usize,
    is_ticked: bool,
}

/// An item as its document says.
#[derive(Default)]
struct ReadItem {
    title: String,
    noun: &'static str,
    /// Texts about it, each with its source.
    parts: Vec<(String, String)>,
    boxes: Vec<ReadBox>,
    is_done: bool,
    /// Keys of items that it waits for.
    waits: Vec<String>,
    labels: Vec<String>,
}

impl DocumentFormat {
    fn read(self, key: &str, path: &str, text: &str) -> Option<ReadItem> {
        let (_, name) = split_key(key)?;
        match self {
            Self::Graph => read_graph_task(path, name.rsplit_once('#')?, text),
            Self::Feature => read_feature_task(path, name.split_once('#')?, text),
            Self::Ticket => Some(read_ticket(path, text)),
        }
    }

    /// The text of a document whose item is done; its boxes are ticked already.
    fn done(
        self,
        key: &str,
        path: &str,
        text: String,
        is_proven: bool,
        now: &str,
    ) -> Result<String, String> {
        let said = |error: &dyn std::fmt::Display| error.to_string();
        match self {
            Self::Feature => Ok(text),
            Self::Graph => {
                let id = key.rsplit_once('#').map_or("", |(_, id)| id).to_owned();
                // Without a check a person says whether it is.
                let status = if is_proven {
                    TaskStatus::Complete
                } else {
                    TaskStatus::Reviewing
                };
                let document = VineDocument::read(text).map_err(|error| said(&error))?;
                let operation = GraphOperation::SetStatus { id, status };
                let (graph, _) =
                    apply(&document.plan, &[operation]).map_err(|error| said(&error))?;
                let plan = GraphPlan::of(graph).map_err(|error| said(&error))?;
                let document = document.changed(plan).map_err(|error| said(&error))?;
                Ok(document.text)
            }
            Self::Ticket => {
                let status = if is_proven {
                    TicketStatus::Implemented
                } else {
                    TicketStatus::InProgress
                };
                let mut draft = TicketDraft::of(path, &text);
                draft
                    .set_text("status", status.as_str())
                    .map_err(|error| said(&error))?;
                if let Some(code) = key
                    .split_once(':')
                    .and_then(|(_, code)| TicketCode::read(code))
                {
                    draft.stamp(&code, now).map_err(|error| said(&error))?;
                }
                Ok(draft.finish().1.text.into())
            }
        }
    }
}

fn read_graph_task(path: &str, (_, id): (&str, &str), text: &str) -> Option<ReadItem> {
    let document = VineDocument::read(text.to_owned()).ok()?;
    let node = document.plan.graph.find(id)?;
    let status = node.status()?;
    let open = |id: &&str| {
        let other = document.plan.graph.find(id).and_then(VineNode::status);
        !other.is_some_and(TaskStatus::is_satisfied)
    };
    let waits = node.dependencies.iter().map(|id| &**id).filter(open);
    let waits = waits.map(|id| of_task(path, id));
    Some(ReadItem {
        title: node.name.to_string(),
        noun: "Task of a graph",
        parts: vec![(path.to_owned(), document.block(id)?.trim().to_owned())],
        is_done: status == TaskStatus::Complete,
        waits: waits.chain(node.needs().map(str::to_owned)).collect(),
        ..ReadItem::default()
    })
}

fn read_feature_task(path: &str, (label, id): (&str, &str), text: &str) -> Option<ReadItem> {
    let list = FeatureDocument::read(path, text.to_owned()).list;
    let [at] = *list.named(id) else { return None };
    let task = &list.tasks[at];
    let own = task.box_at.map(|mark| ReadBox {
        text: format!("{} {}", task.id, task.title()),
        mark,
        is_ticked: task.mark.is_settled(),
    });
    let criteria = task.criteria.iter().map(|one| ReadBox {
        text: one.text.clone(),
        mark: one.box_at,
        is_ticked: one.mark.is_settled(),
    });
    let waits = task.depends_on.iter().filter(|id| {
        let named = list.named(id);
        !named.iter().all(|at| list.tasks[*at].mark.is_settled()) || named.is_empty()
    });
    let waits = waits.map(|id| of_feature(label, id));
    let folder = path.strip_suffix(TASKS).unwrap_or_default();
    let stories = match task.stories.as_slice() {
        [] => String::new(),
        stories => format!("Story {}. ", stories.join(", ")),
    };
    let about =
        format!("{stories}Read also {folder}spec.md and {folder}plan.md where they are there.");
    Some(ReadItem {
        title: task.title().to_owned(),
        noun: "spec-kit task",
        parts: vec![
            (
                format!("{path}, line {}", task.line),
                task.description.clone(),
            ),
            (format!("its feature ({label})"), about),
        ],
        is_done: task.mark.is_settled(),
        waits: waits.chain(task.needs.iter().cloned()).collect(),
        labels: task.labels.clone(),
        boxes: own.into_iter().chain(criteria).collect(),
    })
}

fn read_ticket(path: &str, text: &str) -> ReadItem {
    let ticket = parse_ticket(path, text.to_owned());
    let boxes = criteria(&ticket).into_iter().map(|one| ReadBox {
        mark: ticket.body_start + one.item.marker.start + "[".len(),
        text: one.text,
        is_ticked: one.is_met,
    });
    let waits = ticket
        .depends_on
        .iter()
        .map(|name| match TicketCode::read(name) {
            Some(code) => of_ticket(&code),
            None => name.to_string(),
        });
    ReadItem {
        title: ticket.title.to_string(),
        noun: "Ticket",
        parts: vec![(path.to_owned(), ticket.body().trim().to_owned())],
        is_done: ticket.meant.status.is_some_and(TicketStatus::is_done),
        waits: waits.collect(),
        labels: Vec::new(),
        boxes: boxes.collect(),
    }
}

/// The items of such a format in a project, for runs.
#[derive(Clone, Copy)]
pub(super) struct DocumentWork<'a> {
    pub(super) project: &'a Project,
    pub(super) format: DocumentFormat,
}

impl DocumentWork<'_> {
    /// The path of the document of an item, from the root.
    fn path_of(&self, key: &str) -> Option<String> {
        let (_, name) = split_key(key)?;
        match self.format {
            DocumentFormat::Graph => Some(name.rsplit_once('#')?.0.to_owned()),
            DocumentFormat::Feature => {
                let (label, _) = name.split_once('#')?;
                Some(format!("{FEATURES}/{label}/{TASKS}"))
            }
            DocumentFormat::Ticket => path_of_ticket(self.project.root(), &TicketCode::read(name)?),
        }
    }

    fn on_disk(&self, key: &str) -> Option<(String, String)> {
        let path = self.path_of(key)?;
        let (text, _) = files::read(&self.project.disk, &self.project.root, &path).ok()?;
        Some((path, text))
    }

    fn in_commit(&self, key: &str, commit: &str) -> Result<Option<(String, String)>, Error> {
        let (Some(path), Some(repo)) = (self.path_of(key), self.project.repo()?) else {
            return Ok(None);
        };
        let Some(in_git) = self.project.path_in_repository(&repo, &path) else {
            return Ok(None);
        };
        let bytes = repo.file_at(commit, &in_git)?;
        Ok(bytes.and_then(|bytes| Some((path, String::from_utf8(bytes).ok()?))))
    }

    /// # Errors
    /// `NotFound`, or `Invalid` for an item that is done.
    pub(super) fn order(&self, name: &str) -> Result<WorkOrder, Error> {
        let key = normal(name.trim());
        let found = self.on_disk(&key);
        let found =
            found.and_then(|(path, text)| Some((self.format.read(&key, &path, &text)?, path)));
        let Some((item, path)) = found else {
            let hint = hint![
                "\n",
                NextStep::ListReady,
                " lists what can be worked on now."
            ];
            let text = name.to_owned();
            return Err(WorkspaceError::NotFound { text, hint }.into());
        };
        if item.is_done {
            return Err(WorkspaceError::Invalid {
                name: "item",
                given: key,
                expected: "one that is open; this one is done".into(),
            }
            .into());
        }
        let statuses = external_items(self.project.root()).standings(&item.waits);
        let open = item.waits.into_iter().zip(statuses);
        let open = open
            .filter(|(_, status)| !matches!(status, ExternalStatus::Found { is_done: true, .. }));
        Ok(WorkOrder {
            title: item.title,
            noun: item.noun.to_owned(),
            parts: item.parts,
            statements: Vec::new(),
            boxes: boxes_of(&item.boxes),
            paths: vec![path],
            locked_keys: vec![key.clone()],
            waits: open.map(|(key, _)| key).collect(),
            labels: item.labels,
            open_parts: Vec::new(),
            is_worked_in_parts: false,
            is_of_people: false,
            key,
        })
    }

    /// The keys of items that can be worked on now, and whose boxes say when they are done. Tasks of graphs have none:
    /// a person names them.
    pub(super) fn ready(&self, word: &str) -> Vec<String> {
        if self.format == DocumentFormat::Graph {
            return Vec::new();
        }
        // A folder that cannot be listed holds nothing to begin; who names an item hears why.
        let mut ready = ready_keys(self.project, word).unwrap_or_default();
        ready.retain(|key| {
            let order = self.order(key);
            order.is_ok_and(|order| !order.boxes.is_empty() && order.waits.is_empty())
        });
        ready
    }

    pub(super) fn is_done(&self, key: &str, (path, text): &(String, String)) -> bool {
        let item = self.format.read(key, path, text);
        item.is_some_and(|item| item.is_done)
    }

    /// # Errors
    /// A failure of git.
    pub(super) fn judge(&self, work: &ItemWork<'_>) -> Result<ItemJudgement, Error> {
        let mut judgement = ItemJudgement {
            ticked: vec![false; work.boxes.len()],
            ..ItemJudgement::default()
        };
        if let Some((path, base)) = self.in_commit(work.key, work.base)? {
            match self.in_commit(work.key, work.tip)? {
                Some((_, tip)) => self.compare(work, &path, &base, &tip, &mut judgement),
                None => judgement.objections.push(format!("removes {path}")),
            }
            judgement.own_paths.push(path);
        }
        let planning = PlanningPaths::in_commit(self.project.root(), work.base)?;
        for path in work.changed {
            if !judgement.own_paths.contains(path) && planning.holds(path, None) {
                judgement.objections.push(format!(
                    "changes {path}, which belongs to other items or to the format"
                ));
            }
        }
        Ok(judgement)
    }

    fn compare(
        &self,
        work: &ItemWork<'_>,
        path: &str,
        base: &str,
        tip: &str,
        judgement: &mut ItemJudgement,
    ) {
        let key = work.key;
        let (Some(then), Some(now)) = (
            self.format.read(key, path, base),
            self.format.read(key, path, tip),
        ) else {
            judgement
                .objections
                .push(format!("takes {key} out of {path}"));
            return;
        };
        let texts = |item: &ReadItem| -> Vec<String> {
            item.boxes.iter().map(|one| one.text.clone()).collect()
        };
        let at_start: Vec<String> = work.boxes.iter().map(|one| one.text.clone()).collect();
        if then.title != now.title || texts(&then) != texts(&now) || texts(&then) != at_start {
            judgement
                .objections
                .push(format!("rewords {key} or its boxes in {path}"));
            return;
        }
        let mut without = tip.to_owned();
        for (at, (then, now)) in then.boxes.iter().zip(&now.boxes).enumerate() {
            judgement.ticked[at] = now.is_ticked && !then.is_ticked;
            let before = base.get(then.mark..=then.mark).unwrap_or(" ");
            replace_mark(&mut without, now.mark, before);
        }
        if without != base {
            judgement
                .objections
                .push(format!("changes more of {path} than the boxes of {key}"));
        }
    }
}

impl MarkedItems for DocumentWork<'_> {
    /// The path and the text of the document.
    type Found = (String, String);

    fn project(&self) -> &Project {
        self.project
    }

    fn find_in_commit(&self, key: &str, commit: &str) -> Result<Option<Self::Found>, Error> {
        self.in_commit(key, commit)
    }

    fn find_on_disk(&self, key: &str) -> Option<Self::Found> {
        self.on_disk(key)
    }

    fn path<'f>(&self, (path, _): &'f Self::Found) -> &'f str {
        path
    }

    fn mark(
        &self,
        found: &Self::Found,
        landing: &ItemLanding<'_>,
    ) -> Result<Vec<DocumentText>, String> {
        let (path, text) = found;
        let key = landing.key;
        let item = self.format.read(key, path, text);
        let item = item.ok_or_else(|| format!("{key} is not there any more"))?;
        if item.title != landing.title {
            return Err(format!("{key} is another item by now: {}", item.title));
        }
        if item.is_done {
            // A person said so meanwhile.
            return Ok(Vec::new());
        }
        let mut after = text.clone();
        for one in landing.boxes.iter().filter(|one| !one.is_ticked) {
            let own = item.boxes.iter().find(|own| own.text == one.text);
            let own = own.ok_or_else(|| {
                format!(
                    "\u{201c}{}\u{201d} of {key} was changed meanwhile",
                    one.text
                )
            })?;
            if !own.is_ticked {
                replace_mark(&mut after, own.mark, "x");
            }
        }
        let now = self.project.clock.stamp();
        let after = self
            .format
            .done(key, path, after, landing.is_proven, &now)?;
        Ok(vec![DocumentText {
            path: path.clone(),
            before: text.clone(),
            after,
        }])
    }
}

fn boxes_of(boxes: &[ReadBox]) -> Vec<OrderBox> {
    let boxes = boxes.iter().map(|one| OrderBox {
        text: one.text.clone(),
        is_ticked: one.is_ticked,
    });
    boxes.collect()
}

/// Puts another sign into a box.
fn replace_mark(text: &mut String, mark: usize, sign: &str) {
    let range: Range<usize> = mark..mark + 1;
    if text.get(range.clone()).is_some() {
        text.replace_range(range, sign);
    }
}
