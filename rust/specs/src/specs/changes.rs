//! Keeping up with the disk: specs put in, replaced and taken out, the order of IDs kept.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::{ExternalDependency, SpecGraph, SpecOverview, SpecState};
use crate::model::{Spec, SpecStatus};
use crate::parse::ParsedSpec;
use chant_base::counted::count_visited;
use chant_graph::{ItemProgress, Node};
use chant_store::index::DocumentChange;

/// So many changes at once are sorted in together instead of one by one.
const MANY: usize = 64;

impl SpecGraph {
    /// Takes in what changed on disk.
    pub fn apply(&mut self, changes: Vec<DocumentChange<ParsedSpec>>) {
        let (known, arrivals) = (self.overview.take(), self.arrivals);
        let mut before: BTreeMap<Box<str>, Arc<Spec>> = BTreeMap::new();
        let mut families: Vec<Box<str>> = Vec::with_capacity(changes.len());
        let mut fresh: Vec<Arc<Spec>> = Vec::new();
        for DocumentChange { path, document } in changes {
            let was_broken = self.broken.remove(&path).is_some();
            match document {
                Some(Ok(spec)) => {
                    families.push(spec.id.root().into());
                    self.arrivals += u64::from(was_broken);
                    if let Some(was) = self.find(spec.id.as_str()) {
                        let was = was.clone();
                        before.entry(spec.id.as_str().into()).or_insert(was);
                    }
                    self.put(spec, &mut fresh);
                }
                gone_or_broken => {
                    self.arrivals += 1;
                    families.extend(self.take(&path, &mut fresh));
                    if let Some(Err(broken)) = gone_or_broken {
                        self.broken.insert(path, broken);
                    }
                }
            }
        }
        self.sort_in(fresh);
        families.sort_unstable();
        families.dedup();
        self.recent.note(families.clone());
        if families.len() <= self.order.len() / 4 {
            for root in &families {
                let family: Vec<Arc<Spec>> = self.family(root).cloned().collect();
                self.connect(&family);
            }
        } else {
            let order: Vec<Arc<Spec>> = self.order.iter().cloned().collect();
            for family in order.chunk_by(|a, b| a.id.root() == b.id.root()) {
                self.connect(family);
            }
        }
        if let Some(known) = known
            && self.arrivals == arrivals
            && families.len() <= MANY
        {
            self.overview = self.renewed_overview(known, &families, &before).into();
        }
    }

    /// The overview after a change of specs that stand where they stood: it costs what these are, and what waits for
    /// them.
    fn renewed_overview(
        &self,
        mut known: Arc<SpecOverview>,
        families: &[Box<str>],
        before: &BTreeMap<Box<str>, Arc<Spec>>,
    ) -> Arc<SpecOverview> {
        let overview = Arc::make_mut(&mut known);
        let proof_of = |spec: &Arc<Spec>, statuses: &[SpecStatus]| {
            let at = self.place_of(&spec.id)?;
            let proof = spec.proof.clone();
            proof.filter(|_| statuses[at] == SpecStatus::Completed)
        };
        for word in before
            .values()
            .filter_map(|was| proof_of(was, &overview.statuses))
        {
            *overview.proofs.entry(word).or_default() -= 1;
        }
        let changed = families.iter().flat_map(|root| self.family(root));
        let changed = changed.filter_map(|spec| self.graph.find(spec.id.as_str()));
        let mut nodes: BTreeSet<Node> = changed.collect();
        let waiting = nodes
            .iter()
            .flat_map(|node| &self.graph.waiting()[node.index()]);
        nodes.extend(waiting.copied().collect::<Vec<_>>());
        count_visited(nodes.len());
        for node in nodes {
            let spec = self.by_node[node.index()].as_ref();
            let Some(at) = spec.and_then(|spec| self.place_of(&spec.id)) else {
                continue;
            };
            let was = std::mem::replace(&mut overview.statuses[at], self.status_at(node));
            overview.counts[was as usize] -= 1;
            overview.counts[overview.statuses[at] as usize] += 1;
            match (overview.ready.binary_search(&at), self.is_ready_at(node)) {
                (Ok(place), false) => drop(overview.ready.remove(place)),
                (Err(place), true) => overview.ready.insert(place, at),
                _ => {}
            }
        }
        let now = before.keys().filter_map(|id| self.find(id));
        for word in now.filter_map(|now| proof_of(now, &overview.statuses)) {
            *overview.proofs.entry(word).or_default() += 1;
        }
        overview.proofs.retain(|_, count| *count > 0);
        known
    }

    /// Puts a spec in; of several files of one ID the one nearest to the specs folder counts.
    fn put(&mut self, spec: Arc<Spec>, fresh: &mut Vec<Arc<Spec>>) {
        let key = |spec: &Spec| (spec.id.as_str().into(), spec.path.clone());
        match self.find(spec.id.as_str()).cloned() {
            Some(held) if held.path != spec.path && rank(&held.path) < rank(&spec.path) => {
                self.spare.insert(key(&spec), spec);
            }
            held => {
                if let Some(held) = held.filter(|held| held.path != spec.path) {
                    self.spare.insert(key(&held), held);
                }
                self.spare.remove(&key(&spec));
                self.set(spec, fresh);
            }
        }
    }

    /// Makes a spec the one of its ID; a new ID waits in `fresh` to be sorted in.
    fn set(&mut self, spec: Arc<Spec>, fresh: &mut Vec<Arc<Spec>>) {
        let node = self.intern(spec.id.as_str());
        let progress = if spec.status.is_done() {
            ItemProgress::Done
        } else {
            ItemProgress::Open
        };
        self.graph.set_progress(node, progress);
        self.elsewhere.remove(&node);
        self.states[node.index()] = SpecState {
            status: spec.status,
            is_approved: spec.is_approved(),
            is_container: spec.kind.is_container(),
        };
        self.signatures[node.index()] = OnceLock::new();
        if spec.problems.is_empty() {
            self.flawed.remove(&node);
        } else {
            self.flawed.insert(node, spec.clone());
        }
        if self.by_node[node.index()].replace(spec.clone()).is_none() {
            self.arrivals += 1;
            fresh.push(spec);
        } else if let Ok(at) = self.position(&spec.id) {
            self.order[at] = spec;
        } else if let Some(waiting) = fresh.iter_mut().find(|waiting| waiting.id == spec.id) {
            *waiting = spec;
        }
    }

    /// Takes out what a path held; returns the family that has to be drawn again.
    fn take(&mut self, path: &str, fresh: &mut Vec<Arc<Spec>>) -> Option<Box<str>> {
        let stem = path.rsplit('/').next()?.strip_suffix(".md")?;
        self.spare.remove(&(stem.into(), path.into()));
        let held = self.find(stem).filter(|spec| &*spec.path == path)?.clone();
        let of_id = |(id, _): &&(Box<str>, Box<str>)| **id == *stem;
        let heir = self
            .spare
            .keys()
            .filter(of_id)
            .min_by_key(|(_, path)| rank(path))
            .cloned();
        if let Some(heir) = heir.and_then(|key| self.spare.remove(&key)) {
            self.set(heir, fresh);
        } else if let Some(node) = self.graph.find(stem) {
            self.by_node[node.index()] = None;
            self.flawed.remove(&node);
            self.graph.set_progress(node, ItemProgress::Absent);
            self.graph.set_edges(node, Vec::new());
            self.elsewhere.insert(node, ExternalDependency::Unknown);
            self.names = OnceLock::new();
            if let Ok(at) = self.position(&held.id) {
                self.order.remove(at);
                self.nodes.remove(at);
            }
        }
        Some(held.id.root().into())
    }

    fn sort_in(&mut self, fresh: Vec<Arc<Spec>>) {
        if fresh.is_empty() {
            return;
        }
        self.names = OnceLock::new();
        if fresh.len() > MANY {
            let mut order: Vec<Arc<Spec>> = self.order.iter().cloned().chain(fresh).collect();
            order.par_sort_by(|a, b| a.id.cmp(&b.id));
            self.nodes = order
                .iter()
                .map(|spec| self.graph.intern(spec.id.as_str()))
                .collect();
            self.order = order.into();
        } else {
            for spec in fresh {
                let at = self.position(&spec.id).unwrap_or_else(|at| at);
                self.nodes.insert(at, self.graph.intern(spec.id.as_str()));
                self.order.insert(at, spec);
            }
        }
    }
}

/// Of several files of one ID the one least deep below the specs folder counts, then by path.
fn rank(path: &str) -> (usize, &str) {
    (path.matches('/').count(), path)
}
