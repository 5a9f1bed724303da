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

/// Items of all dialects as of one moment. What is not found is an error that says why.
pub(super) trait ItemStatuses {
    /// The state of a spec, and its file.
    fn find_spec(&self, id: &str) -> Result<(SpecStatus, String), String>;

    /// The task graph of a path.
    fn find_graph(&self, path: &str) -> Result<Arc<VineDocument>, String>;

    /// The tasks of a feature, and their file.
    fn find_tasks(&self, feature: &str) -> Result<(Arc<FeatureDocument>, String), String>;

    /// The ticket of a code.
    fn find_ticket(&self, code: &TicketCode) -> Result<Arc<Ticket>, String>;

    /// The status of an item of a format that comes through the interface, by the format's word and the rest of the key.
    fn find_plan_item(&self, word: &str, name: &str) -> Result<ExternalStatus, String>;

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
            _ if split_repository(&key).is_some() => {
                Err("items of other repositories are looked up where both are open together".into())
            }
            _ => Err("it is no key of a dialect".into()),
        };
        found.unwrap_or_else(ExternalStatus::Unknown)
    }

    /// Returns how far a spec is.
    fn spec_status(&self, id: &str) -> Result<ExternalStatus, String> {
        let (status, path) = self.find_spec(id)?;
        Ok(found("spec", status.as_str(), status.is_done(), &path))
    }

    /// Returns how far a task of a graph is.
    fn task_status(&self, rest: &str) -> Result<ExternalStatus, String> {
        let named = rest.rsplit_once('#').filter(|(_, id)| !id.is_empty());
        let (path, id) = named.ok_or("expected a key such as vine:plan.vine#task")?;
        let document = self.find_graph(path)?;
        let node = document.plan.graph.find(id);
        let node = node.ok_or_else(|| format!("no task {id} in {path}"))?;
        let is_done = node.status() == Some(TaskStatus::Complete);
        Ok(found("task", node.standing(), is_done, path))
    }

    /// Returns how far a task or a phase of a feature is.
    fn part_status(&self, rest: &str) -> Result<ExternalStatus, String> {
        let named = rest.split_once('#');
        let (feature, part) = named.ok_or("expected a key such as speckit:060-name#T001")?;
        let (tasks, path) = self.find_tasks(feature)?;
        status_in(&tasks.list, part, &path)
    }

    /// Returns how far a ticket is.
    fn ticket_status(&self, code: &str) -> Result<ExternalStatus, String> {
        let read = TicketCode::read(code);
        let code =
            read.ok_or_else(|| format!("{code} is no code; expected one such as MDT-012"))?;
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
pub(super) fn plan_item_status(root: &PlanRoot, name: &str) -> Result<ExternalStatus, String> {
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
    Err(format!("no {} is called {name}", scope.noun))
}

/// Returns how far a task or a phase of a list is.
fn status_in(list: &TaskList, part: &str, path: &str) -> Result<ExternalStatus, String> {
    let named = list.named(part);
    let (what, tasks): (_, Vec<&Task>) = if named.is_empty() {
        let names = list.phase_names();
        let phase = names.iter().position(|name| name.as_deref() == Some(part));
        let phase = phase.ok_or_else(|| format!("no task {part} in {path}"))?;
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

#[cfg(test)]
mod tests {
    use super::*;

    struct NoItems;

    impl ItemStatuses for NoItems {
        fn find_spec(&self, id: &str) -> Result<(SpecStatus, String), String> {
            Err(format!("spec {id}"))
        }

        fn find_graph(&self, path: &str) -> Result<Arc<VineDocument>, String> {
            Err(format!("graph {path}"))
        }

        fn find_tasks(&self, feature: &str) -> Result<(Arc<FeatureDocument>, String), String> {
            Err(format!("feature {feature}"))
        }

        fn find_ticket(&self, code: &TicketCode) -> Result<Arc<Ticket>, String> {
            Err(format!("ticket {code}"))
        }

        fn find_plan_item(&self, word: &str, name: &str) -> Result<ExternalStatus, String> {
            Err(format!("{word} {name}"))
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
