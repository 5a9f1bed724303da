//! Candidates become specs: IDs given, names of others put in, files made all or none.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::super::error::ChantError;
use super::super::id::{InvalidSpecId, SpecId, sequence_text};
use super::super::model::KEY_ORDER;
use super::super::ops::add::{last_of_today, suffix};
use super::super::parse;
use super::super::project::{ARCHIVE, Project, SPECS, Snapshot};
use super::super::view::import::{Created, Imported, Left, Present};
use super::{Candidate, Extra, ORIGIN, Reading, Unmapped};
use crate::answer::Answer;
use crate::error::Error;
use crate::graph::{DepGraph, Edge, Kind};
use crate::outside;
use crate::store::disk;
use crate::store::index;
use crate::store::journal::Step;
use crate::text::front_matter::{self, Value};

/// Where candidates come from, as answers say it.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// `chant`, `vine`, `beads` or `backlog`.
    pub format: &'a str,
    /// What the caller named.
    pub path: &'a str,
}

/// Makes specs of all candidates that were not brought in before, all or none; a dry run makes none
/// and says which they would be.
///
/// # Errors
/// That there is no project, `Refused` for a text that would not be a spec, or a `StoreError`; nothing
/// is written then.
pub fn bring_in(
    project: &Project,
    reading: &Reading,
    source: Source<'_>,
    dry_run: bool,
) -> Result<Answer, Error> {
    let snapshot = project.snapshot()?;
    let mut plan = Plan::of(project, &snapshot, reading);
    if dry_run {
        plan.decide(project, &snapshot)?;
    } else {
        drop(snapshot);
        project.change(&[], |snapshot, _| {
            plan = Plan::of(project, snapshot, reading);
            plan.decide(project, snapshot).map(Some)
        })?;
    }
    Ok(plan.told(source, dry_run))
}

/// What is to become of the candidates.
struct Plan<'a> {
    /// Those that are new, in the order of the source.
    fresh: Vec<&'a Candidate>,
    /// Those that were brought in before, with their specs.
    present: Vec<(String, String)>,
    unmapped: Vec<Unmapped>,
    /// IDs of specs by where they came from.
    ids: HashMap<String, String>,
}

impl<'a> Plan<'a> {
    fn of(project: &Project, snapshot: &Snapshot, reading: &'a Reading) -> Self {
        let active = snapshot.specs.all().iter().filter_map(|spec| {
            let origin = origin_of(&spec.text)?;
            Some((origin, spec.id.to_string()))
        });
        let mut ids: HashMap<String, String> = archived(project);
        ids.extend(active);
        let mut plan = Self {
            fresh: Vec::new(),
            present: Vec::new(),
            unmapped: reading.unmapped.clone(),
            ids,
        };
        let mut met: HashSet<&str> = HashSet::new();
        for candidate in &reading.candidates {
            let origin = candidate.origin.as_str();
            if !met.insert(origin) {
                plan.note(origin, "id", "it stands there twice; the first one counts");
            } else if let Some(id) = plan.ids.get(origin) {
                plan.present.push((origin.to_owned(), id.clone()));
            } else {
                plan.fresh.push(candidate);
            }
        }
        plan
    }

    fn note(&mut self, origin: &str, key: &str, why: impl Into<String>) {
        let (_, item) = origin.split_once(':').unwrap_or(("", origin));
        self.unmapped.push(Unmapped {
            item: item.to_owned(),
            key: key.to_owned(),
            why: why.into(),
        });
    }

    /// Gives IDs, and the files that are to be made.
    fn decide(&mut self, project: &Project, snapshot: &Snapshot) -> Result<Vec<Step>, Error> {
        self.give_ids(project, snapshot)?;
        let parents: HashSet<String> = self
            .fresh
            .iter()
            .filter_map(|candidate| self.id(candidate)?.parent().map(str::to_owned))
            .collect();
        let mut depends_on = self.dependencies(snapshot);
        self.break_loops(&mut depends_on);
        let mut steps = Vec::with_capacity(self.fresh.len());
        for candidate in self.fresh.clone() {
            let Some(id) = self.id(candidate) else {
                continue;
            };
            let names = depends_on.remove(id.as_str()).unwrap_or_default();
            let text = self.text(candidate, &id, names, parents.contains(id.as_str()))?;
            let path = format!("{SPECS}/{id}.md");
            if let Err(broken) = parse::document(&path, index::Source::Text(text.clone())) {
                let why = format!(
                    "{} would become a spec that cannot be read: {}. Nothing was imported.",
                    candidate.origin, broken.problem.message
                );
                return Err(ChantError::Refused(why).into());
            }
            steps.push(Step::Create { path, text });
        }
        Ok(steps)
    }

    fn id(&self, candidate: &Candidate) -> Option<SpecId> {
        self.ids.get(&candidate.origin)?.parse().ok()
    }

    /// IDs as `chant_add` gives them: the next ones of today, members below what they are a part of.
    fn give_ids(&mut self, project: &Project, snapshot: &Snapshot) -> Result<(), Error> {
        let today = project.today();
        let mut sequence = last_of_today(snapshot, &today);
        let mut numbers: BTreeMap<String, HashSet<u64>> = BTreeMap::new();
        let mut waiting = self.fresh.clone();
        let origins: HashSet<&str> = waiting.iter().map(|other| &*other.origin).collect();
        while !waiting.is_empty() {
            let before = waiting.len();
            let mut later = Vec::new();
            for candidate in waiting {
                let is_to_come = candidate.parent.as_ref().is_some_and(|parent| {
                    !self.ids.contains_key(parent) && origins.contains(parent.as_str())
                });
                if is_to_come {
                    later.push(candidate);
                    continue;
                }
                let parent = candidate.parent.as_ref();
                let id = if let Some(parent) = parent.and_then(|parent| self.ids.get(parent)) {
                    let taken = numbers.entry(parent.clone()).or_insert_with(|| {
                        let id: Result<SpecId, _> = parent.parse();
                        let numbers = |id| project.numbers_of_members(snapshot, &id).collect();
                        id.map(numbers).unwrap_or_default()
                    });
                    let own = candidate.number.filter(|number| !taken.contains(number));
                    let next = || taken.iter().max().map_or(1, |last| last + 1);
                    let number = own.unwrap_or_else(next);
                    taken.insert(number);
                    format!("{parent}.{number}")
                } else {
                    sequence += 1;
                    format!("{today}-{}-{}", sequence_text(sequence), suffix())
                };
                let checked: Result<SpecId, InvalidSpecId> = id.parse();
                checked.map_err(|error| ChantError::Refused(error.to_string()))?;
                self.ids.insert(candidate.origin.clone(), id);
            }
            if later.len() == before {
                // Parts of one another: the first of them stands for itself.
                let first = later.remove(0);
                self.note(&first.origin, "parent", "it is a part of itself; left out");
                sequence += 1;
                let id = format!("{today}-{}-{}", sequence_text(sequence), suffix());
                self.ids.insert(first.origin.clone(), id);
            }
            waiting = later;
        }
        for candidate in self.fresh.clone() {
            if let Some(parent) = candidate.parent.as_ref()
                && !self.ids.contains_key(parent)
            {
                let why = format!("{parent} is not there, so that it stands for itself");
                self.note(&candidate.origin, "parent", why);
            }
        }
        Ok(())
    }

    /// What each new spec waits for, by ID.
    fn dependencies(&mut self, snapshot: &Snapshot) -> HashMap<String, Vec<String>> {
        let mut found = HashMap::new();
        for candidate in self.fresh.clone() {
            let Some(own) = self.id(candidate) else {
                continue;
            };
            let mut names: Vec<String> = Vec::new();
            for name in &candidate.depends_on {
                match self.named(snapshot, name) {
                    Some(id) if is_around(own.as_str(), &id) => {
                        let why = format!("{name} is a part of it or it of that; left out");
                        self.note(&candidate.origin, "depends_on", why);
                    }
                    Some(id) if names.contains(&id) => {}
                    Some(id) => names.push(id),
                    None => {
                        let why = format!("{name} is not there; left out");
                        self.note(&candidate.origin, "depends_on", why);
                    }
                }
            }
            found.insert(own.to_string(), names);
        }
        found
    }

    /// The ID that an origin has become; names of items elsewhere stay.
    fn named(&self, snapshot: &Snapshot, name: &str) -> Option<String> {
        if let Some(id) = self.ids.get(name) {
            return Some(id.clone());
        }
        match outside::parts(name) {
            Some(("chant", id)) => snapshot.specs.find(id).map(|spec| spec.id.to_string()),
            // A repository's name stands before the colon, and no format's.
            None if is_origin(name) => None,
            _ => Some(name.to_owned()),
        }
    }

    /// Leaves out dependencies with which new specs would wait for one another in a circle.
    fn break_loops(&mut self, depends_on: &mut HashMap<String, Vec<String>>) {
        let ids: BTreeSet<String> = depends_on.keys().cloned().collect();
        loop {
            let mut graph = DepGraph::default();
            for candidate in &self.fresh {
                let Some(own) = self.id(candidate) else {
                    continue;
                };
                let node = graph.intern(own.as_str());
                let names = depends_on.get(own.as_str()).into_iter().flatten();
                let edge = |to, kind| Edge {
                    to,
                    kind,
                    via: node,
                };
                let mut edges: Vec<Edge> = Vec::new();
                for name in names {
                    edges.push(edge(graph.intern(name), Kind::Explicit));
                }
                let inside = format!("{own}.");
                for part in ids
                    .range(inside.clone()..)
                    .take_while(|id| id.starts_with(&inside))
                {
                    edges.push(edge(graph.intern(part), Kind::Member));
                }
                graph.set_edges(node, edges);
            }
            let cycles = graph.cycles();
            if cycles.is_empty() {
                return;
            }
            let mut is_less = false;
            for cycle in cycles {
                let last = cycle.iter().rev();
                let Some((node, edge)) = last.clone().find(|(_, e)| e.kind == Kind::Explicit)
                else {
                    continue;
                };
                let (own, name) = (graph.key(*node), graph.key(edge.to));
                if let Some(names) = depends_on.get_mut(own) {
                    names.retain(|other| other != name);
                    is_less = true;
                }
                let origin = self.origin(own);
                let why = format!("{} waits for it in a circle; left out", self.origin(name));
                self.note(&origin, "depends_on", why);
            }
            if !is_less {
                return;
            }
        }
    }

    fn origin(&self, id: &str) -> String {
        let mut known = self.fresh.iter().map(|candidate| &candidate.origin);
        let found = known.find(|origin| self.ids.get(*origin).is_some_and(|own| own == id));
        found.cloned().unwrap_or_else(|| id.to_owned())
    }

    /// The text of a new spec.
    fn text(
        &mut self,
        candidate: &Candidate,
        id: &SpecId,
        depends_on: Vec<String>,
        has_members: bool,
    ) -> Result<String, Error> {
        let items: Vec<(String, Value)> = candidate
            .keys
            .iter()
            .map(|(key, extra)| (key.clone(), self.value(candidate, key, extra)))
            .collect();
        if let Some(document) = &candidate.document {
            let mut text = document.clone();
            let status = Value::Text(candidate.status.to_string());
            // What was never said is not said now.
            let names = (!candidate.depends_on.is_empty()).then_some(Value::List(depends_on));
            let pairs = names.map(|names| ("depends_on".to_owned(), names));
            let pairs = pairs.into_iter().chain(items);
            let pairs = pairs.chain([("status".to_owned(), status)]);
            let origin = Value::Text(candidate.origin.clone());
            for (key, value) in pairs.chain([(ORIGIN.to_owned(), origin)]) {
                text = front_matter::set(&text, &key, Some(&value), &KEY_ORDER)?;
            }
            return Ok(text);
        }
        let kind = if has_members {
            "driver"
        } else {
            candidate.kind
        };
        let list = |items: Vec<String>| (!items.is_empty()).then_some(Value::List(items));
        let mut pairs: Vec<(String, Option<Value>)> = vec![
            ("type".into(), Some(Value::Text(kind.into()))),
            (
                "status".into(),
                Some(Value::Text(candidate.status.to_string())),
            ),
            // A part that names nothing would wait for the parts before it.
            (
                "depends_on".into(),
                if id.is_member() {
                    Some(Value::List(depends_on))
                } else {
                    list(depends_on)
                },
            ),
            ("labels".into(), list(candidate.labels.clone())),
            (
                "completed_at".into(),
                candidate.completed_at.clone().map(Value::Text),
            ),
            (ORIGIN.into(), Some(Value::Text(candidate.origin.clone()))),
        ];
        pairs.extend(items.into_iter().map(|(key, value)| (key, Some(value))));
        let pairs: Vec<(&str, Value)> = pairs
            .iter()
            .filter_map(|(key, value)| Some((key.as_str(), value.clone()?)))
            .collect();
        let mut text = format!("{}\n# {}\n", front_matter::render(&pairs), candidate.title);
        if !candidate.body.is_empty() {
            text.push_str(&format!("\n{}", candidate.body));
        }
        Ok(text.replace('\0', "\u{fffd}"))
    }

    fn value(&mut self, candidate: &Candidate, key: &str, extra: &Extra) -> Value {
        match extra {
            Extra::Text(text) => Value::Text(text.clone()),
            Extra::List(texts) => Value::List(texts.clone()),
            Extra::Items(origins) => {
                let mut ids = Vec::new();
                for origin in origins {
                    if let Some(id) = self.ids.get(origin) {
                        ids.push(id.clone());
                    } else {
                        let why = format!("{origin} is not there; left out");
                        self.note(&candidate.origin, key, why);
                    }
                }
                Value::List(ids)
            }
        }
    }

    fn told(&self, source: Source<'_>, dry_run: bool) -> Answer {
        let created = self.fresh.iter().map(|candidate| Created {
            // The IDs of a dry run would not be given again.
            id: self
                .ids
                .get(&candidate.origin)
                .filter(|_| !dry_run)
                .cloned(),
            from: &candidate.origin,
            title: &candidate.title,
            status: candidate.status.as_str(),
        });
        let present = self.present.iter();
        Answer::whole(&Imported {
            format: source.format,
            source: source.path,
            dry_run,
            created: created.collect(),
            present: present.map(|(from, id)| Present { id, from }).collect(),
            unmapped: self.unmapped.iter().map(Left::from).collect(),
        })
    }
}

/// Whether one of two specs contains the other, or they are one.
fn is_around(one: &str, other: &str) -> bool {
    let inside = |outer: &str, inner: &str| {
        inner
            .strip_prefix(outer)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    inside(one, other) || inside(other, one)
}

/// Whether a name is one that the readers of other formats make.
fn is_origin(name: &str) -> bool {
    name.starts_with("beads:") || name.starts_with("backlog:")
}

/// Where a spec's file says that it came from.
fn origin_of(text: &str) -> Option<String> {
    // Reading YAML is slow, and most specs came from nowhere.
    if !text.contains(ORIGIN) {
        return None;
    }
    let yaml = front_matter::yaml_of(text).ok()?;
    front_matter::read_key(yaml, ORIGIN).ok()?
}

/// The IDs of archived specs by where they came from.
fn archived(project: &Project) -> HashMap<String, String> {
    let mut found = HashMap::new();
    let Ok(archive) = project.root.locate(ARCHIVE) else {
        return found;
    };
    let days = disk::list(&archive).unwrap_or_default().folders;
    for (day, _) in days {
        let folder = archive.join(day);
        for file in disk::list(&folder).unwrap_or_default().files {
            let path = folder.join(&file.name);
            let text = project.disk.read_text(&path, &file.name);
            if let Some(origin) = text.ok().and_then(|(text, _)| origin_of(&text)) {
                found.insert(origin, parse::stem(&file.name).to_owned());
            }
        }
    }
    found
}
