//! The items of all dialects taken into the graph, change by change.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::{GraphFile, ItemSource, WorkspaceContents, WorkspaceGraph, is_same_plan};
use crate::feature::{FeatureTaskList, FeatureTasks};
use crate::key;
use crate::plan_item::{PlanEntry, edges_of};
use chant_base::counted::count_visited;
use chant_graph::{Edge, EdgeKind, ItemProgress, Node};
use chant_plan_format::snapshot::WaitTarget;
use chant_plan_store::PlanRoot;
use chant_specs::id::SpecId;
use chant_specs::model::Spec;
use chant_specs::specs::SpecGraph;
use chant_tickets::code::TicketCode;
use chant_tickets::model::{Ticket, TicketStatus};
use chant_tickets::ticket_index::TicketIndex;
use chant_vine::model::{TaskStatus, VineNode as Task};
use imbl::Vector;

impl WorkspaceGraph {
    /// Takes in what the dialects say now.
    pub(crate) fn update(&mut self, read: WorkspaceContents) {
        self.redrawn.clear();
        let is_specs_new = self.take_specs(read.specs);
        let is_plans_new = self.take_plans(read.plans);
        let is_features_new = self.take_features(read.features);
        let is_tickets_new = self.take_tickets(read.tickets);
        let is_formats_new = self.take_formats(read.formats);
        let is_new = is_specs_new || is_plans_new || is_features_new || is_tickets_new;
        if is_new || is_formats_new {
            self.note_named();
        }
        self.problems = read.problems;
        self.take_at_work(read.at_work);
        self.version += 1;
        self.recent.note(self.redrawn.clone());
    }

    fn take_at_work(&mut self, at_work: Arc<BTreeSet<Box<str>>>) {
        let changed = self.at_work.symmetric_difference(&at_work);
        let nodes = changed.filter_map(|key| self.graph.find(key));
        self.redrawn.extend(nodes);
        self.at_work = at_work;
    }

    fn take_specs(&mut self, specs: Arc<SpecGraph>) -> bool {
        self.specs = Arc::clone(&specs);
        let was = std::mem::replace(&mut self.specs_version, specs.version());
        if was == specs.version() {
            return false;
        }
        match specs.changed_since(was) {
            Some(roots) => roots
                .into_iter()
                .for_each(|root| self.take_family(&specs, root)),
            None => self.take_all_specs(&specs),
        }
        true
    }

    /// Draws a family of specs as it is now.
    fn take_family(&mut self, specs: &Arc<SpecGraph>, root: &str) {
        let Ok(first) = root.parse::<SpecId>() else {
            return self.take_all_specs(specs);
        };
        // None is equal, so that the answer is where the family begins or would begin.
        let behind = |node: &Node| {
            let id = self.spec(*node).map(|spec| &spec.id);
            id.cmp(&Some(&first)).then(Ordering::Greater)
        };
        let start = self.spec_nodes.binary_search_by(behind);
        let start = start.unwrap_or_else(|at| at);
        let old = (start..self.spec_nodes.len()).map(|at| self.spec_nodes[at]);
        let is_of = |node: &Node| self.spec(*node).is_some_and(|spec| spec.id.root() == root);
        let old: Vec<Node> = old.take_while(is_of).collect();
        for node in &old {
            if self
                .spec(*node)
                .is_some_and(|spec| specs.find(spec.id.as_str()).is_none())
            {
                self.forget(*node);
            }
        }
        let family: Vec<Arc<Spec>> = specs.family(root).cloned().collect();
        let nodes: Vec<Node> = family
            .iter()
            .map(|spec| self.node(&key::of_spec(spec.id.as_str())))
            .collect();
        if old != nodes {
            let behind = self.spec_nodes.split_off(start + old.len());
            self.spec_nodes.truncate(start);
            self.spec_nodes.extend(nodes);
            self.spec_nodes.append(behind);
        }
        for spec in family {
            self.draw_spec(specs, &spec);
        }
    }

    fn take_all_specs(&mut self, specs: &Arc<SpecGraph>) {
        for node in std::mem::take(&mut self.spec_nodes) {
            if self
                .spec(node)
                .is_some_and(|spec| specs.find(spec.id.as_str()).is_none())
            {
                self.forget(node);
            }
        }
        for spec in specs.all() {
            let node = self.node(&key::of_spec(spec.id.as_str()));
            self.spec_nodes.push_back(node);
            self.draw_spec(specs, spec);
        }
    }

    /// The spec that a node is drawn of.
    fn spec(&self, node: Node) -> Option<&Arc<Spec>> {
        match self.sources[node.index()].as_ref()? {
            ItemSource::Spec(spec) => Some(spec),
            _ => None,
        }
    }

    fn draw_spec(&mut self, specs: &SpecGraph, spec: &Arc<Spec>) {
        let node = self.node(&key::of_spec(spec.id.as_str()));
        let graph = specs.graph();
        let own = graph.find(spec.id.as_str());
        let drawn = own.map_or(&[][..], |own| graph.edges(own)).iter();
        let edges = drawn.map(|edge| Edge {
            to: self.node(&key::of_named(graph.key(edge.to))),
            kind: edge.kind,
            via: self.node(&key::of_spec(graph.key(edge.via))),
        });
        let edges = edges.collect();
        let is_done = spec.status.is_done();
        self.put(node, ItemSource::Spec(Arc::clone(spec)), is_done, edges);
    }

    fn take_plans(&mut self, plans: Vec<GraphFile>) -> bool {
        if self.has_plans(&plans) {
            return false;
        }
        let new: HashMap<&str, &GraphFile> = plans.iter().map(|plan| (&*plan.path, plan)).collect();
        let mut kept: HashMap<Arc<str>, (GraphFile, Vector<Node>)> = HashMap::new();
        // What is no longer said goes first: a file's nodes may have gone to another.
        for (plan, nodes) in std::mem::take(&mut self.plans) {
            let same = new.get(&*plan.path);
            if same.is_some() {
                kept.insert(Arc::clone(&plan.path), (plan, nodes));
            } else {
                for node in nodes {
                    self.forget(node);
                }
            }
        }
        let drawn = plans.into_iter().map(|plan| {
            let known = kept.remove(&plan.path);
            self.draw_plan(plan, known)
        });
        self.plans = drawn.collect();
        let places = self.plans.iter().enumerate();
        let places = places.map(|(at, (plan, _))| (Arc::clone(&plan.path), at));
        self.plan_places = Arc::new(places.collect());
        true
    }

    /// Draws what is other in a task graph than when it was drawn last.
    fn draw_plan(
        &mut self,
        plan: GraphFile,
        known: Option<(GraphFile, Vector<Node>)>,
    ) -> (GraphFile, Vector<Node>) {
        let Some((before, old)) = known else {
            let nodes = plan.document.plan.graph.nodes.iter();
            let nodes = nodes.map(|task| self.draw_task(&plan.path, task)).collect();
            return (plan, nodes);
        };
        if is_same_plan(&before, &plan) {
            return (plan, old);
        }
        let moves = plan.document.moves_since(&before.document);
        for gone in moves.gone() {
            self.forget(old[gone]);
        }
        let tasks = &plan.document.plan.graph.nodes;
        let mut fresh = moves.fresh.iter().peekable();
        let mut nodes = Vector::new();
        // The root is the whole of which the others are parts.
        let mut is_moved = plan.document.plan.root().id != before.document.plan.root().id;
        let mut last = 0;
        for (at, task) in tasks.iter().enumerate() {
            let is_fresh = fresh.next_if(|fresh| **fresh == at).is_some();
            let was = moves.was(at).filter(|_| !is_fresh);
            is_moved |= was.is_some_and(|was| std::mem::replace(&mut last, was) > was);
            let known = was.map(|was| old[was]);
            nodes.push_back(known.unwrap_or_else(|| self.draw_task(&plan.path, task)));
        }
        if is_moved {
            self.redrawn.extend(nodes.iter().copied());
        }
        (plan, nodes)
    }

    fn draw_task(&mut self, path: &Arc<str>, task: &Arc<Task>) -> Node {
        let node = self.node(&key::of_task(path, &task.id));
        let inside = task.dependencies.iter();
        let mut keys: Vec<String> = inside.map(|id| key::of_task(path, id)).collect();
        keys.extend(task.needs().map(key::normal));
        let edges = self.explicit(node, &keys);
        let source = ItemSource::Task {
            path: Arc::clone(path),
            task: Arc::clone(task),
        };
        let is_done = task.status() == Some(TaskStatus::Complete);
        self.put(node, source, is_done, edges);
        node
    }

    fn take_features(&mut self, features: Vec<FeatureTaskList>) -> bool {
        if self.has_features(&features) {
            return false;
        }
        let new = features.iter().map(|feature| (&*feature.path, feature));
        let new: HashMap<&str, &FeatureTaskList> = new.collect();
        let mut kept: HashMap<Arc<str>, (Arc<FeatureTasks>, Vector<Node>)> = HashMap::new();
        for (tasks, nodes) in std::mem::take(&mut self.features) {
            let same = new.get(&*tasks.feature.path);
            if same.is_some_and(|new| tasks.feature.is_same(new)) {
                kept.insert(Arc::clone(&tasks.feature.path), (tasks, nodes));
            } else {
                for node in nodes {
                    self.forget(node);
                }
            }
        }
        let drawn = features.into_iter().map(|feature| {
            let known = kept.remove(&feature.path);
            known.unwrap_or_else(|| self.draw_feature(feature))
        });
        self.features = drawn.collect();
        true
    }

    fn draw_feature(&mut self, feature: FeatureTaskList) -> (Arc<FeatureTasks>, Vector<Node>) {
        let (tasks, parts) = feature.drawn();
        let mut nodes = Vector::new();
        for (part, waits) in parts {
            let node = self.node(&tasks.key(part));
            let edges = waits.into_iter().map(|(key, kind)| Edge {
                to: self.node(&key),
                kind,
                via: node,
            });
            let edges = edges.collect();
            let source = ItemSource::Feature(Arc::clone(&tasks), part);
            self.put(node, source, tasks.is_done(part), edges);
            nodes.push_back(node);
        }
        (tasks, nodes)
    }

    fn take_tickets(&mut self, tickets: Option<Arc<TicketIndex>>) -> bool {
        let version = tickets.as_ref().map(|tickets| tickets.version());
        let was = std::mem::replace(&mut self.tickets_version, version);
        self.tickets.clone_from(&tickets);
        if was == version {
            return false;
        }
        let changed = tickets.as_ref().zip(was);
        let changed = changed.and_then(|(tickets, was)| tickets.changed_since(was));
        if let (Some(tickets), Some(changed)) = (&tickets, changed) {
            for code in changed {
                self.take_ticket(tickets, code);
            }
            return true;
        }
        for node in std::mem::take(&mut self.ticket_nodes) {
            self.forget(node);
        }
        if let Some(tickets) = &tickets {
            for (code, ticket) in first_files(tickets) {
                let node = self.draw_ticket(tickets, code, ticket);
                self.ticket_nodes.push_back(node);
            }
        }
        true
    }

    /// Draws what a code stands for now.
    fn take_ticket(&mut self, tickets: &Arc<TicketIndex>, code: &TicketCode) {
        let of = |node: &Node| match &self.sources[node.index()] {
            Some(ItemSource::Ticket(of, _)) => of.cmp(code),
            _ => Ordering::Less,
        };
        let place = self.ticket_nodes.binary_search_by(of);
        match (tickets.files(code).first(), place) {
            (Some(ticket), place) => {
                let node = self.draw_ticket(tickets, code, ticket);
                if let Err(at) = place {
                    self.ticket_nodes.insert(at, node);
                }
            }
            (None, Ok(at)) => {
                let node = self.ticket_nodes.remove(at);
                self.forget(node);
            }
            (None, Err(_)) => {}
        }
    }

    fn draw_ticket(
        &mut self,
        tickets: &TicketIndex,
        code: &TicketCode,
        ticket: &Arc<Ticket>,
    ) -> Node {
        let node = self.node(&key::of_ticket(code));
        let named = tickets.waits().named(code).into_iter();
        let keys: Vec<String> = named.map(key::of_ticket_named).collect();
        let edges = self.explicit(node, &keys);
        let is_done = ticket.meant.status.is_some_and(TicketStatus::is_done);
        let source = ItemSource::Ticket(code.clone(), Arc::clone(ticket));
        self.put(node, source, is_done, edges);
        node
    }

    fn take_formats(&mut self, formats: Vec<Arc<PlanRoot>>) -> bool {
        if self.has_formats(&formats) {
            return false;
        }
        let mut known: HashMap<&str, (Arc<PlanRoot>, Vector<Node>)> = HashMap::new();
        let mut was: Vec<Vector<Node>> = Vec::new();
        for (root, nodes) in std::mem::take(&mut self.formats) {
            was.push(nodes.clone());
            known.insert(root.format.scope().word, (root, nodes));
        }
        for root in formats {
            let before = known.remove(root.format.scope().word);
            let nodes = match before {
                Some((same, nodes)) if Arc::ptr_eq(&same, &root) => nodes,
                Some((before, old)) => self.draw_format(&root, Some(&before), old),
                None => self.draw_format(&root, None, Vector::new()),
            };
            self.formats.push((root, nodes));
        }
        let now = self.formats.iter().map(|(_, nodes)| nodes);
        let has_same_places =
            was.len() == now.len() && was.iter().zip(now).all(|(one, other)| one.ptr_eq(other));
        if !has_same_places {
            let nodes = self.formats.iter().map(|(_, nodes)| nodes).enumerate();
            let places = nodes.flat_map(|(at, nodes)| {
                let nodes = nodes.iter().enumerate();
                nodes.map(move |(place, node)| (*node, (at, place)))
            });
            self.plan_item_places = Arc::new(places.collect());
        }
        for node in known.into_values().flat_map(|(_, nodes)| nodes) {
            self.forget(node);
        }
        true
    }

    /// Draws the items of a format that are others than before.
    fn draw_format(
        &mut self,
        root: &Arc<PlanRoot>,
        before: Option<&PlanRoot>,
        old: Vector<Node>,
    ) -> Vector<Node> {
        let snapshot = &root.snapshot;
        let keys = snapshot.nodes.iter().map(|one| &one.key);
        let is_joined_anew =
            before.is_none_or(|before| !Arc::ptr_eq(&before.snapshot.nodes, &snapshot.nodes));
        let has_same_keys = before.is_some_and(|before| {
            let old = before.snapshot.nodes.iter();
            !is_joined_anew || old.map(|one| &one.key).eq(keys.clone())
        });
        // Nearly every change leaves all keys as they are.
        let nodes = if has_same_keys {
            old
        } else {
            let nodes: Vector<Node> = keys.map(|key| self.node(key)).collect();
            let kept: HashSet<Node> = nodes.iter().copied().collect();
            for node in old {
                if !kept.contains(&node) {
                    self.forget(node);
                }
            }
            nodes
        };
        let all = 0..snapshot.nodes.len();
        let changed: Vec<usize> = match before.filter(|_| !is_joined_anew) {
            None => all.collect(),
            Some(before) => {
                let pairs = before
                    .snapshot
                    .units
                    .iter()
                    .zip(&snapshot.units)
                    .enumerate();
                let others = pairs.filter(|(_, (old, new))| !Arc::ptr_eq(old, new));
                others
                    .flat_map(|(unit, _)| snapshot.nodes_of(unit))
                    .collect()
            }
        };
        for at in changed {
            count_visited(1);
            let (node, one) = (&nodes[at], &snapshot.nodes[at]);
            let is_same = match self.sources[node.index()].as_ref() {
                Some(ItemSource::Plan(entry)) => entry.is_of(snapshot, one),
                _ => false,
            };
            if is_same {
                continue;
            }
            let edges = edges_of(root, one)
                .into_iter()
                .map(|(key, kind, via)| Edge {
                    to: self.node(&key),
                    kind,
                    via: via.map_or(*node, |via| self.node(&via)),
                });
            let edges = edges.collect();
            let entry = Arc::new(PlanEntry::of(root, one));
            self.put(*node, ItemSource::Plan(entry), one.is_done, edges);
        }
        nodes
    }

    /// Says how far those are that are named and no items here: archived specs, those of other
    /// repositories, items in files that were not looked at.
    fn note_named(&mut self) {
        let specs = Arc::clone(&self.specs);
        for (named, name) in specs.named_elsewhere() {
            self.note(&key::of_named(&name), specs.graph().progress(named));
        }
        let plans = std::mem::take(&mut self.plans);
        for (plan, _) in &plans {
            for (need, is_met) in plan.document.plan.needs_met() {
                self.note(&key::normal(need), progress(is_met));
            }
        }
        self.plans = plans;
        let features = std::mem::take(&mut self.features);
        for (tasks, _) in &features {
            let needs = tasks.feature.document.list.needs();
            for (need, standing) in needs.iter().zip(&tasks.feature.standings) {
                self.note(&key::normal(need), progress(standing.is_done()));
            }
        }
        self.features = features;
        if let Some(tickets) = self.tickets.clone() {
            for named in tickets.waits().named_outside() {
                if let Some(standing) = tickets.waits().outside(&named) {
                    self.note(&key::normal(&named), progress(standing.is_done()));
                }
            }
        }
        self.note_named_by_formats();
    }

    /// The same for what items of plans name.
    fn note_named_by_formats(&mut self) {
        let roots: Vec<Arc<PlanRoot>> = self.formats().cloned().collect();
        for root in roots {
            for (key, status) in &root.others {
                self.note(&key::normal(key), progress(status.is_done()));
            }
            let waits = root.snapshot.nodes.iter().flat_map(|node| &node.waits);
            for wait in waits.filter(|wait| wait.target == WaitTarget::Archived) {
                let word = root.format.scope().word;
                self.note(&format!("{word}:{}", wait.name), progress(wait.is_met));
            }
        }
    }

    fn note(&mut self, key: &str, progress: ItemProgress) {
        let node = self.node(key);
        if self.sources[node.index()].is_none() && self.graph.progress(node) != progress {
            self.redrawn.push(node);
            self.graph.set_progress(node, progress);
        }
    }

    fn explicit(&mut self, node: Node, keys: &[String]) -> Vec<Edge> {
        let mut seen = HashSet::with_capacity(keys.len());
        let targets = keys.iter().map(|key| self.node(key));
        let targets = targets.filter(|to| seen.insert(*to));
        let edges = targets.map(|to| Edge {
            to,
            kind: EdgeKind::Explicit,
            via: node,
        });
        edges.collect()
    }

    fn put(&mut self, node: Node, source: ItemSource, is_done: bool, edges: Vec<Edge>) {
        self.redrawn.push(node);
        self.sources[node.index()] = Some(source);
        let progress = if is_done {
            ItemProgress::Done
        } else {
            ItemProgress::Open
        };
        self.graph.set_progress(node, progress);
        self.graph.set_edges(node, edges);
    }

    fn forget(&mut self, node: Node) {
        count_visited(1);
        self.redrawn.push(node);
        self.sources[node.index()] = None;
        self.graph.set_progress(node, ItemProgress::Absent);
        self.graph.set_edges(node, Vec::new());
    }

    fn node(&mut self, key: &str) -> Node {
        let node = self.graph.intern(key);
        while self.sources.len() <= node.index() {
            self.sources.push_back(None);
        }
        node
    }
}

fn first_files(tickets: &TicketIndex) -> impl Iterator<Item = (&TicketCode, &Arc<Ticket>)> {
    let codes = tickets.firsts().map(|(code, _)| code);
    codes.filter_map(|code| Some((code, tickets.files(code).first()?)))
}

fn progress(is_done: bool) -> ItemProgress {
    if is_done {
        ItemProgress::Done
    } else {
        ItemProgress::Absent
    }
}
