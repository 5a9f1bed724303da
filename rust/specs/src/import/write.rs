//! Turns candidates into specs: assigns ids, inserts the names of others, and creates all files or
//! none.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::Instant;

use super::free_ids::FreeIds;
use super::records::ImportRecords;
use super::update::ImportUpdate;
use super::{ExtraValue, ImportCandidate, ImportReading, ORIGIN, UnmappedField, origins};
use crate::error::ChantError;
use crate::id::SpecId;
use crate::model::{KEY_ORDER, SpecType};
use crate::parse;
use crate::project::{Project, ProjectSnapshot, SPECS};
use crate::specs::SpecGraph;
use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_base::external_items;
use chant_graph::DepGraph;
use chant_store::disk::{self, LOCK_TIMEOUT};
use chant_store::files;
use chant_store::index::{self, DocumentChange};
use chant_store::journal::ChangeStep;
use chant_text::front_matter::{self, FrontMatterValue};

/// The source of candidates, as answers show it.
#[derive(Debug, Clone, Copy)]
pub struct ImportSource<'a> {
    /// The word of the format, such as `beads`.
    pub format: &'a str,
    /// The path that the caller named.
    pub path: &'a str,
    /// The name of the source in origins.
    pub name: &'a str,
}

/// How candidates are brought in.
#[derive(Debug, Clone, Copy, Default)]
pub struct ImportMode {
    /// True if nothing is written.
    pub dry_run: bool,
    /// True if later changes of the source are taken over.
    pub update: bool,
}

/// Creates specs from all candidates that were not imported before, all or none; with `update` what changed in the
/// source since is merged into the others. A dry run writes nothing and reports what it would do.
///
/// # Errors
/// The lack of a project, `Refused` for a text that would not be a spec, or a `StoreError`; nothing
/// is written then.
pub fn bring_in(
    project: &Project,
    reading: &ImportReading,
    source: ImportSource<'_>,
    mode: ImportMode,
) -> Result<Answer, Error> {
    let snapshot = project.snapshot()?;
    let before = origins::find_imported(project, &snapshot)?;
    let path = ImportRecords::path(source.format, source.name);
    let read = files::read(&project.disk, &project.root, &path).map(|(text, _)| text);
    let is_there = read.is_ok();
    let mut plan = ImportPlan::of(&snapshot, reading, &before);
    if mode.dry_run {
        let mut records = ImportRecords::read(&read.unwrap_or_default());
        plan.decide(project, &snapshot, &mut records)?;
        if mode.update {
            plan.update(project, &snapshot, source, &mut records)?;
        }
        return Ok(plan.report(source, mode));
    }
    drop(snapshot);
    let mut held: Vec<String> = is_there.then(|| path.clone()).into_iter().collect();
    let deadline = Instant::now() + LOCK_TIMEOUT;
    loop {
        let paths: Vec<&str> = held.iter().map(String::as_str).collect();
        let mut needed = Vec::new();
        let done = project.change(&paths, |snapshot, texts| {
            plan = ImportPlan::of(snapshot, reading, &before);
            let text = if is_there { texts[0] } else { "" };
            let mut records = ImportRecords::read(text);
            let mut steps = plan.decide(project, snapshot, &mut records)?;
            if mode.update {
                steps.extend(plan.update(project, snapshot, source, &mut records)?);
            }
            steps.extend(records.step(&path, is_there));
            let replaced = steps.iter().filter_map(|step| match step {
                ChangeStep::Replace { path, .. } => Some(path.clone()),
                _ => None,
            });
            needed = replaced
                .filter(|path| !paths.contains(&path.as_str()))
                .collect();
            Ok(needed.is_empty().then_some(steps))
        })?;
        if done {
            return Ok(plan.report(source, mode));
        }
        if Instant::now() > deadline {
            return Err(disk::busy(Path::new(&path), "kept changing").into());
        }
        held.extend(needed);
    }
}

/// The plan for the candidates.
pub(super) struct ImportPlan<'a> {
    /// The new ones, in the order of the source.
    pub(super) fresh: Vec<&'a ImportCandidate>,
    /// Those that were imported before, with their specs.
    pub(super) present: Vec<(&'a ImportCandidate, String)>,
    /// Those of them that are another by now, here or in the source.
    pub(super) updates: Vec<ImportUpdate>,
    /// The origins that the source does not have any more.
    pub(super) gone: Vec<String>,
    pub(super) unmapped: Vec<UnmappedField>,
    /// The ids of specs by their origins.
    pub(super) ids: HashMap<String, String>,
    /// The beginning of all origins of the source.
    prefix: Option<&'a str>,
    /// The number of dependencies that were kept, and of those that were left out.
    pub(super) edges: (usize, usize),
}

impl<'a> ImportPlan<'a> {
    /// Creates a plan; `before` holds the origins known before, because a spec that was archived
    /// since was imported all the same.
    fn of(
        snapshot: &ProjectSnapshot,
        reading: &'a ImportReading,
        before: &HashMap<String, String>,
    ) -> Self {
        let mut ids = before.clone();
        ids.extend(origins::active_imports(snapshot));
        let mut plan = Self {
            fresh: Vec::new(),
            present: Vec::new(),
            updates: Vec::new(),
            gone: Vec::new(),
            unmapped: reading.unmapped.clone(),
            ids,
            prefix: reading.prefix.as_deref(),
            edges: (0, 0),
        };
        let mut files: HashMap<&str, Vec<&str>> = HashMap::new();
        for candidate in &reading.candidates {
            let files = files.entry(&candidate.origin).or_default();
            files.push(candidate.file.as_deref().unwrap_or_default());
        }
        let mut met: HashSet<&str> = HashSet::new();
        for candidate in &reading.candidates {
            let origin = candidate.origin.as_str();
            let is_first = met.insert(origin);
            let files = &files[origin];
            if files.len() > 1 {
                if is_first && files.iter().all(|file| !file.is_empty()) {
                    let why = format!("{} have it; none was imported", files.join(" and "));
                    plan.note(origin, "id", why);
                } else if is_first {
                    let why = format!("{} records have it; none was imported", files.len());
                    plan.note(origin, "id", why);
                }
            } else if let Some(id) = plan.ids.get(origin) {
                plan.present.push((candidate, id.clone()));
            } else {
                plan.fresh.push(candidate);
            }
        }
        plan
    }

    fn note(&mut self, origin: &str, key: &str, why: impl Into<String>) {
        let (_, item) = origin.split_once(':').unwrap_or(("", origin));
        let item = item.rsplit_once('#').map_or(item, |(_, item)| item);
        self.unmapped.push(UnmappedField {
            item: item.to_owned(),
            key: key.to_owned(),
            why: why.into(),
        });
    }

    /// Assigns ids, and returns the files to be created.
    fn decide(
        &mut self,
        project: &Project,
        snapshot: &ProjectSnapshot,
        records: &mut ImportRecords,
    ) -> Result<Vec<ChangeStep>, Error> {
        self.edges = (0, 0);
        self.give_ids(project, snapshot)?;
        let parents: HashSet<String> = self
            .fresh
            .iter()
            .filter_map(|candidate| self.id(candidate)?.parent().map(str::to_owned))
            .collect();
        let mut depends_on = self.dependencies(snapshot);
        self.break_loops(&snapshot.specs, &mut depends_on);
        let mut steps = Vec::with_capacity(self.fresh.len());
        for candidate in self.fresh.clone() {
            let Some(id) = self.id(candidate) else {
                continue;
            };
            let names = depends_on.remove(id.as_str()).unwrap_or_default();
            self.edges.0 += names.len();
            let text = self.text(candidate, &id, names, parents.contains(id.as_str()))?;
            let path = format!("{SPECS}/{id}.md");
            if let Err(broken) = parse::document(&path, index::FileSource::Text(text.clone())) {
                let why = format!(
                    "{} would become an unreadable spec: {}. Nothing was imported.",
                    candidate.origin, broken.problem.message
                );
                return Err(ChantError::Refused(why).into());
            }
            records.put(&candidate.origin, text.clone());
            steps.push(ChangeStep::Create { path, text });
        }
        Ok(steps)
    }

    pub(super) fn is_fresh(&self, origin: &str) -> bool {
        self.fresh.iter().any(|one| one.origin == origin)
    }

    pub(super) fn id(&self, candidate: &ImportCandidate) -> Option<SpecId> {
        self.ids.get(&candidate.origin)?.parse().ok()
    }

    /// Assigns ids as `chant_add` does: the next ones of today, and those of members below their
    /// parents.
    fn give_ids(&mut self, project: &Project, snapshot: &ProjectSnapshot) -> Result<(), Error> {
        let mut free = FreeIds::of(project, snapshot);
        let parents = self.parents(snapshot);
        let mut waiting = self.fresh.clone();
        while !waiting.is_empty() {
            let before = waiting.len();
            let mut later = Vec::new();
            for candidate in waiting {
                let parent = parents.get(candidate.origin.as_str()).copied();
                let id = match parent.map(|parent| self.ids.get(parent)) {
                    Some(None) => {
                        later.push(candidate);
                        continue;
                    }
                    Some(Some(parent)) => free.member(parent, candidate.number)?,
                    None => free.next()?,
                };
                self.ids.insert(candidate.origin.clone(), id.to_string());
            }
            if later.len() == before {
                // They are parts of one another: the first of them becomes independent.
                let is_inside_itself = |one: &&ImportCandidate| is_inside_itself(one, &parents);
                let first = later.remove(later.iter().position(is_inside_itself).unwrap_or(0));
                self.note(&first.origin, "parent", "it is a part of itself; left out");
                self.ids
                    .insert(first.origin.clone(), free.next()?.to_string());
            }
            waiting = later;
        }
        Ok(())
    }

    /// Returns the parents of new specs, both by their origins: other new specs, or active specs.
    fn parents(&mut self, snapshot: &ProjectSnapshot) -> HashMap<&'a str, &'a str> {
        let fresh: HashSet<&str> = self.fresh.iter().map(|other| &*other.origin).collect();
        let mut parents = HashMap::new();
        for candidate in self.fresh.clone() {
            let Some(parent) = candidate.parent.as_deref() else {
                continue;
            };
            let known = self.ids.get(parent);
            let is_active = known.is_some_and(|id| snapshot.specs.find(id).is_some());
            if fresh.contains(parent) || is_active {
                parents.insert(candidate.origin.as_str(), parent);
                continue;
            }
            let why = match known {
                Some(id) => format!("{parent} is archived as {id}, so that it stands for itself"),
                None => format!("{parent} is not there, so that it stands for itself"),
            };
            self.note(&candidate.origin, "parent", why);
        }
        parents
    }

    /// Returns the dependencies of each new spec, by id.
    fn dependencies(&mut self, snapshot: &ProjectSnapshot) -> HashMap<String, Vec<String>> {
        let mut found = HashMap::new();
        for candidate in self.fresh.clone() {
            let Some(own) = self.id(candidate) else {
                continue;
            };
            let names = self.names(snapshot, candidate, &own);
            found.insert(own.to_string(), names);
        }
        found
    }

    /// Returns the dependencies of a candidate as its spec names them.
    pub(super) fn names(
        &mut self,
        snapshot: &ProjectSnapshot,
        candidate: &ImportCandidate,
        own: &SpecId,
    ) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for name in &candidate.depends_on {
            match self.named(snapshot, name) {
                Some(id) if is_around(own.as_str(), &id) => {
                    let why = format!("{name} is a part of it or it of that; left out");
                    self.edges.1 += 1;
                    self.note(&candidate.origin, "depends_on", why);
                }
                Some(id) if names.contains(&id) => {}
                Some(id) => names.push(id),
                None => {
                    let why = format!("{name} is not there; left out");
                    self.edges.1 += 1;
                    self.note(&candidate.origin, "depends_on", why);
                }
            }
        }
        names
    }

    /// Returns the id of the spec with an origin; names of items elsewhere stay.
    fn named(&self, snapshot: &ProjectSnapshot, name: &str) -> Option<String> {
        if let Some(id) = self.ids.get(name) {
            return Some(id.clone());
        }
        if self.prefix.is_some_and(|prefix| name.starts_with(prefix)) {
            return None;
        }
        match external_items::split_key(name) {
            None if external_items::is_key(name) => Some(name.to_owned()),
            Some(("chant", id)) => snapshot.specs.find(id).map(|spec| spec.id.to_string()),
            // The name of a repository stands before the colon, and that of no format.
            None if is_origin(name) => None,
            _ => Some(name.to_owned()),
        }
    }

    /// Leaves out dependencies of new specs that would close a cycle with them or with existing
    /// specs.
    fn break_loops(&mut self, known: &SpecGraph, depends_on: &mut HashMap<String, Vec<String>>) {
        let mut specs = known.clone();
        loop {
            specs.apply(self.outlines(depends_on));
            let left_out = self.closing(specs.graph(), depends_on);
            if left_out.is_empty() {
                return;
            }
            for (own, name) in left_out {
                if let Some(names) = depends_on.get_mut(&own) {
                    names.retain(|other| *other != name);
                }
                self.edges.1 += 1;
                let why = format!("{} waits for it in a circle; left out", self.origin(&name));
                self.note(&self.origin(&own), "depends_on", why);
            }
        }
    }

    /// Returns the last dependency of a new spec in each cycle through one, as id and name.
    fn closing(
        &self,
        graph: &DepGraph,
        depends_on: &HashMap<String, Vec<String>>,
    ) -> Vec<(String, String)> {
        let mut found: Vec<(String, String)> = Vec::new();
        for candidate in &self.fresh {
            let node = self
                .ids
                .get(&candidate.origin)
                .and_then(|id| graph.find(id));
            let Some(cycle) = node.and_then(|node| graph.cycle_through(node)) else {
                continue;
            };
            let steps = cycle.iter().rev();
            let mut steps = steps.map(|(_, edge)| (graph.key(edge.via), graph.key(edge.to)));
            let is_found = |(own, name): (&str, &str)| {
                let mut found = found.iter();
                found.any(|(other, named)| other == own && named == name)
            };
            if steps.clone().any(is_found) {
                continue;
            }
            let is_own = |(own, name): &(&str, &str)| {
                let names = depends_on.get(*own);
                names.is_some_and(|names| names.iter().any(|other| other == name))
            };
            if let Some((own, name)) = steps.find(is_own) {
                found.push((own.to_owned(), name.to_owned()));
            }
        }
        found
    }

    /// Returns the new specs with only their dependencies.
    fn outlines(
        &self,
        depends_on: &HashMap<String, Vec<String>>,
    ) -> Vec<DocumentChange<parse::ParsedSpec>> {
        let outline = |candidate: &&ImportCandidate| {
            let id = self.id(candidate)?;
            let names = depends_on.get(id.as_str()).cloned().unwrap_or_default();
            let names = said_names(candidate, &id, names).map(|names| ("depends_on", names));
            let status = (
                "status",
                FrontMatterValue::Text(candidate.status.to_string()),
            );
            let pairs: Vec<(&str, FrontMatterValue)> = names.into_iter().chain([status]).collect();
            let path = format!("{SPECS}/{id}.md");
            let text = index::FileSource::Text(front_matter::render(&pairs));
            Some(DocumentChange {
                document: Some(parse::document(&path, text)),
                path: path.into(),
            })
        };
        self.fresh.iter().filter_map(outline).collect()
    }

    fn origin(&self, id: &str) -> String {
        let mut known = self.fresh.iter().map(|candidate| &candidate.origin);
        let found = known.find(|origin| self.ids.get(*origin).is_some_and(|own| own == id));
        found.cloned().unwrap_or_else(|| id.to_owned())
    }

    /// Returns the text of a new spec.
    pub(super) fn text(
        &mut self,
        candidate: &ImportCandidate,
        id: &SpecId,
        depends_on: Vec<String>,
        has_members: bool,
    ) -> Result<String, Error> {
        let items: Vec<(String, FrontMatterValue)> = candidate
            .keys
            .iter()
            .map(|(key, extra)| (key.clone(), self.value(candidate, key, extra)))
            .collect();
        let depends_on = said_names(candidate, id, depends_on);
        if let Some(document) = &candidate.document {
            return kept(candidate, document, depends_on, items);
        }
        let kind = match &*candidate.kind {
            kind if !has_members || SpecType::from(kind).is_container() => kind,
            _ => "driver",
        };
        let text = |text: &str| Some(FrontMatterValue::Text(text.into()));
        let labels = (!candidate.labels.is_empty()).then(|| candidate.labels.clone());
        let pairs = [
            ("type", text(kind)),
            ("status", text(candidate.status.as_str())),
            ("depends_on", depends_on),
            ("labels", labels.map(FrontMatterValue::List)),
            (
                "completed_at",
                candidate.completed_at.as_deref().and_then(text),
            ),
            (ORIGIN, text(&candidate.origin)),
        ];
        let items = items
            .iter()
            .map(|(key, value)| (key.as_str(), value.clone()));
        let pairs = pairs
            .into_iter()
            .filter_map(|(key, value)| Some((key, value?)));
        let pairs: Vec<(&str, FrontMatterValue)> = pairs.chain(items).collect();
        let mut text = format!("{}\n# {}\n", front_matter::render(&pairs), candidate.title);
        if !candidate.body.is_empty() {
            text.push_str(&format!("\n{}", candidate.body));
        }
        Ok(text.replace('\0', "\u{fffd}"))
    }

    fn value(
        &mut self,
        candidate: &ImportCandidate,
        key: &str,
        extra: &ExtraValue,
    ) -> FrontMatterValue {
        match extra {
            ExtraValue::Text(text) => FrontMatterValue::Text(text.clone()),
            ExtraValue::List(texts) => FrontMatterValue::List(texts.clone()),
            ExtraValue::Items(origins) => {
                let mut ids = Vec::new();
                for origin in origins {
                    if let Some(id) = self.ids.get(origin) {
                        ids.push(id.clone());
                    } else {
                        let why = format!("{origin} is not there; left out");
                        self.note(&candidate.origin, key, why);
                    }
                }
                FrontMatterValue::List(ids)
            }
        }
    }
}

/// Returns true if a candidate's parent is, in the end, a part of the candidate.
fn is_inside_itself(candidate: &ImportCandidate, parents: &HashMap<&str, &str>) -> bool {
    let mut met = HashSet::new();
    let mut at = candidate.origin.as_str();
    while let Some(parent) = parents.get(at)
        && met.insert(*parent)
    {
        at = *parent;
    }
    met.contains(candidate.origin.as_str())
}

/// Returns the dependencies in a new spec's file: a part without any would wait for the parts
/// before it, and a spec that is kept as it is gets no new key.
fn said_names(
    candidate: &ImportCandidate,
    id: &SpecId,
    names: Vec<String>,
) -> Option<FrontMatterValue> {
    let is_said = match candidate.document {
        Some(_) => !candidate.depends_on.is_empty(),
        None => id.is_member() || !names.is_empty(),
    };
    is_said.then_some(FrontMatterValue::List(names))
}

/// Returns the text of a spec whose document is kept, except for keys that must change.
fn kept(
    candidate: &ImportCandidate,
    document: &str,
    depends_on: Option<FrontMatterValue>,
    items: Vec<(String, FrontMatterValue)>,
) -> Result<String, Error> {
    let mut text = document.to_owned();
    let names = depends_on.map(|names| ("depends_on".to_owned(), names));
    let own = [
        ("status", candidate.status.to_string()),
        (ORIGIN, candidate.origin.clone()),
    ];
    let own = own.map(|(key, value)| (key.to_owned(), FrontMatterValue::Text(value)));
    for (key, value) in names.into_iter().chain(items).chain(own) {
        text = front_matter::set(&text, &key, Some(&value), &KEY_ORDER)?;
    }
    Ok(text)
}

/// Returns true if one of two specs contains the other, or they are one.
fn is_around(one: &str, other: &str) -> bool {
    let inside = |outer: &str, inner: &str| {
        inner
            .strip_prefix(outer)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    inside(one, other) || inside(other, one)
}

/// Returns true if a name is an origin that the readers of other formats create.
fn is_origin(name: &str) -> bool {
    let formats = ["beads:", "github:", "taskmaster:", "taskwarrior:"];
    formats.iter().any(|format| name.starts_with(format))
}
