//! The status of an item by its key: keys are read and statuses worded in one way, wherever the items come from.

use std::sync::Arc;

use super::key::normal;
use chant_base::external_items::{ExternalStatus, split_key, split_repository};
use chant_plan_store::PlanRoot;
use chant_speckit::files::FeatureDocument;
use chant_speckit::task::{Task, TaskList, TaskMark};
use chant_specs::model::SpecStatus;
use chant_tickets::code::TicketCode;
use chant_tickets::model::{Ticket, TicketStatus};
use chant_vine::document::VineDocument;
use chant_vine::model::TaskStatus;

/// The cause that nothing is known of an item.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum UnknownItem {
    /// Its key has the word of no format.
    #[error("it is no key of a dialect")]
    NoDialect,
    /// It belongs to another repository.
    #[error("items of other repositories are looked up where both are open together")]
    OtherRepository,
    /// Its key is not written as those of its format are.
    #[error("expected a key such as {0}")]
    NoKey(&'static str),
    /// It is no code of a ticket.
    #[error("{0} is no code; expected one such as MDT-012")]
    NoCode(String),
    /// There is none.
    #[error("no such {0}")]
    Missing(&'static str),
    /// Its list has no such task.
    #[error("no task {task} in {path}")]
    NoTask {
        /// Its name.
        task: String,
        /// The list's file.
        path: String,
    },
    /// No item of a plan has the name.
    #[error("no {noun} is called {name}")]
    NoItem {
        /// The word for items of that format.
        noun: &'static str,
        /// The name.
        name: String,
    },
    /// There is no such feature.
    #[error("no feature {0}")]
    NoFeature(String),
    /// There is no such file or plan.
    #[error("there is no {0}")]
    NoFile(String),
    /// There is no folder of tickets.
    #[error("there are no tickets here")]
    NoTickets,
    /// A commit is not asked about items of the format.
    #[error("items of {0} are not looked up in a commit")]
    NotInCommit(String),
    /// It cannot be read, as its file's reader says.
    #[error("{0}")]
    Unreadable(String),
}

/// Items of all dialects as of one moment. What is not found is an error that says why.
pub(super) trait ItemStatuses {
    /// The state of a spec, and its file.
    fn find_spec(&self, id: &str) -> Result<(SpecStatus, String), UnknownItem>;

    /// The task graph of a path.
    fn find_graph(&self, path: &str) -> Result<Arc<VineDocument>, UnknownItem>;

    /// The tasks of a feature, and their file.
    fn find_tasks(&self, feature: &str) -> Result<(Arc<FeatureDocument>, String), UnknownItem>;

    /// The ticket of a code.
    fn find_ticket(&self, code: &TicketCode) -> Result<Arc<Ticket>, UnknownItem>;

    /// The status of an item of a format that comes through the interface, by the format's word and the rest of the key.
    fn find_plan_item(&self, word: &str, name: &str) -> Result<ExternalStatus, UnknownItem>;

    /// Returns how far the items of some keys are, in the order of the keys.
    fn statuses(&self, keys: &[String]) -> Vec<ExternalStatus> {
        keys.iter().map(|key| self.status(key)).collect()
    }

    /// Returns how far the item of a key is.
    fn status(&self, key: &str) -> ExternalStatus {
        let key = normal(key);
        let found = match split_key(&key) {
            Some(("chant", id)) => self.spec_status(id),
            Some(("vine", rest)) => self.task_status(rest),
            Some(("speckit", rest)) => self.part_status(rest),
            Some(("tickets", code)) => self.ticket_status(code),
            Some((word, name)) => self.find_plan_item(word, name),
            _ if split_repository(&key).is_some() => Err(UnknownItem::OtherRepository),
            _ => Err(UnknownItem::NoDialect),
        };
        found.unwrap_or_else(|why| ExternalStatus::Unknown(why.to_string()))
    }

    /// Returns how far a spec is.
    fn spec_status(&self, id: &str) -> Result<ExternalStatus, UnknownItem> {
        let (status, path) = self.find_spec(id)?;
        Ok(found("spec", status.as_str(), status.is_done(), &path))
    }

    /// Returns how far a task of a graph is.
    fn task_status(&self, rest: &str) -> Result<ExternalStatus, UnknownItem> {
        let named = rest.rsplit_once('#').filter(|(_, id)| !id.is_empty());
        let (path, id) = named.ok_or(UnknownItem::NoKey("vine:plan.vine#task"))?;
        let document = self.find_graph(path)?;
        let node = document.plan.graph.find(id);
        let node = node.ok_or_else(|| no_task(id, path))?;
        let is_done = node.status() == Some(TaskStatus::Complete);
        Ok(found("task", node.standing(), is_done, path))
    }

    /// Returns how far a task or a phase of a feature is.
    fn part_status(&self, rest: &str) -> Result<ExternalStatus, UnknownItem> {
        let named = rest.split_once('#');
        let (feature, part) = named.ok_or(UnknownItem::NoKey("speckit:060-name#T001"))?;
        let (tasks, path) = self.find_tasks(feature)?;
        status_in(&tasks.list, part, &path)
    }

    /// Returns how far a ticket is.
    fn ticket_status(&self, code: &str) -> Result<ExternalStatus, UnknownItem> {
        let read = TicketCode::read(code);
        let code = read.ok_or_else(|| UnknownItem::NoCode(code.to_owned()))?;
        let ticket = self.find_ticket(&code)?;
        let is_done = ticket.meant.status.is_some_and(TicketStatus::is_done);
        Ok(found("ticket", ticket.status(), is_done, &ticket.path))
    }
}

/// The status of an item that is there.
pub(super) fn found(what: &str, status: &str, is_done: bool, path: &str) -> ExternalStatus {
    ExternalStatus::Found {
        status: status.to_owned(),
        is_done,
        place: format!("{what} in {path}"),
    }
}

/// Returns how far the one item of a plan is that has a name.
pub(super) fn plan_item_status(root: &PlanRoot, name: &str) -> Result<ExternalStatus, UnknownItem> {
    let scope = root.format.scope();
    let snapshot = &root.snapshot;
    let name = root.format.name(name);
    let node = snapshot.node_of(&format!("{}:{name}", scope.word));
    if let Some(node) = node.map(|at| &snapshot.nodes[at]) {
        let (unit, item) = (snapshot.unit(node), snapshot.item(node));
        let document = unit.document_of(item);
        let path = document.map_or(&unit.source.path, |document| &document.path);
        return Ok(found(scope.noun, &node.status, node.is_done, path));
    }
    if root.archived.iter().any(|archived| **archived == *name) {
        return Ok(found(scope.noun, "archived", true, "the archive"));
    }
    Err(UnknownItem::NoItem {
        noun: scope.noun,
        name: name.clone(),
    })
}

/// Returns how far a task or a phase of a list is.
fn status_in(list: &TaskList, part: &str, path: &str) -> Result<ExternalStatus, UnknownItem> {
    let named = list.named(part);
    let (what, tasks): (_, Vec<&Task>) = if named.is_empty() {
        let names = list.phase_names();
        let phase = names.iter().position(|name| name.as_deref() == Some(part));
        let phase = phase.ok_or_else(|| no_task(part, path))?;
        ("phase", list.of_phase(phase).collect())
    } else {
        ("task", named.iter().map(|at| &list.tasks[*at]).collect())
    };
    let open = tasks.iter().find(|task| !task.mark.is_settled());
    let mark = match (what, open.or(tasks.first())) {
        ("task", Some(task)) => task.mark,
        (_, _) if open.is_some() => TaskMark::Open,
        _ => TaskMark::Done,
    };
    Ok(found(what, mark.as_str(), open.is_none(), path))
}

fn no_task(task: &str, path: &str) -> UnknownItem {
    UnknownItem::NoTask {
        task: task.to_owned(),
        path: path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct NoItems;

    impl ItemStatuses for NoItems {
        fn find_spec(&self, id: &str) -> Result<(SpecStatus, String), UnknownItem> {
            Err(UnknownItem::Unreadable(format!("spec {id}")))
        }

        fn find_graph(&self, path: &str) -> Result<Arc<VineDocument>, UnknownItem> {
            Err(UnknownItem::Unreadable(format!("graph {path}")))
        }

        fn find_tasks(&self, feature: &str) -> Result<(Arc<FeatureDocument>, String), UnknownItem> {
            Err(UnknownItem::Unreadable(format!("feature {feature}")))
        }

        fn find_ticket(&self, code: &TicketCode) -> Result<Arc<Ticket>, UnknownItem> {
            Err(UnknownItem::Unreadable(format!("ticket {code}")))
        }

        fn find_plan_item(&self, word: &str, name: &str) -> Result<ExternalStatus, UnknownItem> {
            Err(UnknownItem::Unreadable(format!("{word} {name}")))
        }
    }

    #[test]
    fn a_key_that_leads_nowhere_says_why() {
        for (key, why) in [
            ("chant:a", "spec a"),
            ("vine:a#b.vine#c", "graph a#b.vine"),
            ("vine:a.vine", "expected a key such as vine:plan.vine#task"),
            ("vine:a.vine#", "expected a key such as vine:plan.vine#task"),
            ("speckit:060-a#T001", "feature 060-a"),
            (
                "speckit:060-a",
                "expected a key such as speckit:060-name#T001",
            ),
            ("tickets:dem-2", "ticket DEM-002"),
            (
                "tickets:nine",
                "nine is no code; expected one such as MDT-012",
            ),
            ("openspec:add-auth#1.1", "openspec add-auth#1.1"),
            ("elsewhere:a", "it is no key of a dialect"),
        ] {
            assert_eq!(
                NoItems.status(key),
                ExternalStatus::Unknown(why.into()),
                "{key}"
            );
        }
    }
}
