//! Runs on items of formats that come through the interface.
//!
//! An item is found again by its key, and is the same one only if its title and the texts of its boxes are: a list that
//! was renumbered or reworded meanwhile is a person's to look at.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use chant_base::error::Error;
use chant_base::ident::ResolvedId;
use chant_base::next_step::{NextStep, hint};
use chant_plan_format::PlanFormat;
use chant_plan_format::intent::{EditIntent, TickTarget};
use chant_plan_format::order::{OrderCriterion, PlanOrder};
use chant_plan_format::snapshot::SnapshotNode;
use chant_plan_format::unit::{PlanItem, PlanUnit};
use chant_plan_store::{EditTarget, PlanRoot, PlanStore, StagedPlan};
use chant_specs::project::Project;
use chant_specs::work_items::{
    DocumentText, ItemJudgement, ItemLanding, ItemWork, OrderBox, WorkOrder,
};
use chant_store::journal::ChangeStep;

use super::error::WorkspaceError;
use super::external_lookup::external_items;
use super::planning_paths::PlanningPaths;
use super::revision_plans::plans_at_commit;
use super::work_items::MarkedItems;

/// The items of one format of a project, for runs.
#[derive(Clone, Copy)]
pub(super) struct PlanWork<'a> {
    pub(super) project: &'a Project,
    pub(super) format: &'static dyn PlanFormat,
}

/// The order of an item with the plans that it was found in.
pub(super) struct FoundItem {
    root: Arc<PlanRoot>,
    node: usize,
}

impl FoundItem {
    fn node(&self) -> &SnapshotNode {
        &self.root.snapshot.nodes[self.node]
    }

    fn item(&self) -> &PlanItem {
        self.root.snapshot.item(self.node())
    }

    fn unit(&self) -> &PlanUnit {
        self.root.snapshot.unit(self.node())
    }

    /// The path of its document, of a folder without one that of the folder.
    fn path(&self) -> &str {
        let document = self.unit().document_of(self.item());
        document.map_or(&self.unit().source.path, |document| &document.path)
    }
}

/// The item with a key in the plans of a root.
fn find_item(root: Option<Arc<PlanRoot>>, key: &str) -> Option<FoundItem> {
    let root = root?;
    let node = root.snapshot.node_of(key)?;
    Some(FoundItem { root, node })
}

/// A box of an item in a unit.
struct FoundBox<'u> {
    item: &'u PlanItem,
    target: TickTarget,
    mark: Range<usize>,
    is_ticked: bool,
}

impl PlanWork<'_> {
    fn on_disk(&self) -> Option<Arc<PlanRoot>> {
        let store = PlanStore::new(self.format, self.project.root(), &self.project.disk);
        let around = external_items(self.project.root());
        store.current(&|keys| around.standings(keys))
    }

    fn word(&self) -> &'static str {
        self.format.scope().word
    }

    /// The key that a name stands for: that of the one item that it means here, else its own spelling.
    pub(super) fn key_of(&self, name: &str) -> String {
        let found =
            self.on_disk()
                .and_then(|root| match root.snapshot.resolve(self.format, name) {
                    ResolvedId::One(node) => Some(root.snapshot.nodes[node].key.to_string()),
                    _ => None,
                });
        let rest = name.split_once(':').map_or(name, |(_, rest)| rest);
        found.unwrap_or_else(|| format!("{}:{}", self.word(), self.format.name(rest)))
    }

    /// # Errors
    /// `NotFound`, `Ambiguous`, or why there is nothing to do.
    pub(super) fn order(&self, name: &str) -> Result<WorkOrder, Error> {
        let not_found = || WorkspaceError::NotFound {
            text: name.to_owned(),
            hint: hint![
                "\n",
                NextStep::ListReady,
                " lists what can be worked on now."
            ],
        };
        let root = self.on_disk().ok_or_else(not_found)?;
        let by_key = root.snapshot.node_of(name);
        let node = match by_key
            .map_or_else(|| root.snapshot.resolve(self.format, name), ResolvedId::One)
        {
            ResolvedId::One(node) => node,
            ResolvedId::None => return Err(not_found().into()),
            ResolvedId::Many(nodes) => {
                let keys = nodes
                    .iter()
                    .map(|node| root.snapshot.nodes[*node].key.to_string());
                return Err(WorkspaceError::Ambiguous {
                    text: name.to_owned(),
                    keys: keys.collect(),
                }
                .into());
            }
        };
        let order = self.format.order(&root.snapshot, node)?;
        let item = root.snapshot.item(&root.snapshot.nodes[node]);
        Ok(WorkOrder {
            open_parts: open_parts(&root, node),
            is_worked_in_parts: item.is_group && self.format.is_worked_in_parts(),
            labels: item.labels.iter().map(ToString::to_string).collect(),
            ..work_order(&order, root.snapshot.unit(&root.snapshot.nodes[node]))
        })
    }

    /// The keys of items that can be worked on alone and now.
    pub(super) fn ready(&self) -> Vec<String> {
        let Some(root) = self.on_disk() else {
            return Vec::new();
        };
        let nodes = 0..root.snapshot.nodes.len();
        let ready = nodes.filter(|at| root.snapshot.nodes[*at].is_ready && is_work(&root, *at));
        ready
            .map(|at| root.snapshot.nodes[at].key.to_string())
            .collect()
    }

    /// Returns true if nothing is left to do for an item.
    pub(super) fn is_done(&self, found: &FoundItem) -> bool {
        self.format.order(&found.root.snapshot, found.node).is_err()
    }

    /// # Errors
    /// A failure of git.
    pub(super) fn judge(&self, work: &ItemWork<'_>) -> Result<ItemJudgement, Error> {
        let top = self.project.root();
        let base = find_item(plans_at_commit(top, self.format, work.base)?, work.key);
        let tip = find_item(plans_at_commit(top, self.format, work.tip)?, work.key);
        let mut judgement = ItemJudgement {
            ticked: vec![false; work.boxes.len()],
            ..ItemJudgement::default()
        };
        let mut free: Vec<String> = Vec::new();
        match (&base, &tip) {
            // Git does not track its documents: only the order can say what is done.
            (None, _) => {}
            (Some(base), None) => {
                judgement
                    .objections
                    .push(format!("takes {} out of {}", work.key, base.path()));
            }
            (Some(base), Some(tip)) => {
                free = self.free_paths(base);
                self.compare(base, tip, work, &mut judgement);
            }
        }
        let own = base
            .as_ref()
            .map(|base| base.unit().source.path.to_string());
        let planning = PlanningPaths::in_commit(top, work.base)?;
        for path in work.changed {
            let is_own = judgement.own_paths.contains(path);
            if !is_own && !free.contains(path) && planning.holds(path, own.as_deref()) {
                judgement.objections.push(format!(
                    "changes {path}, which belongs to other items or to the format"
                ));
            }
        }
        judgement.own_paths.extend(free);
        Ok(judgement)
    }

    /// Documents of an item's folder that a run may write.
    fn free_paths(&self, base: &FoundItem) -> Vec<String> {
        let unit = &base.unit().source.path;
        let names = self.format.free_documents().iter();
        names.map(|name| format!("{unit}/{name}")).collect()
    }

    /// Compares the documents of an item: they may differ in the marks of its own boxes alone.
    fn compare(
        &self,
        base: &FoundItem,
        tip: &FoundItem,
        work: &ItemWork<'_>,
        judgement: &mut ItemJudgement,
    ) {
        let Ok(order) = self.format.order(&base.root.snapshot, base.node) else {
            let why = format!("began with {}, which was done already", work.key);
            judgement.objections.push(why);
            return;
        };
        let texts = boxes_of(&order);
        if !texts
            .iter()
            .map(|one| &one.text)
            .eq(work.boxes.iter().map(|one| &one.text))
        {
            let why = format!("began with other boxes of {} than the run", work.key);
            judgement.objections.push(why);
            return;
        }
        if base.item().title != tip.item().title {
            judgement.objections.push(format!("rewords {}", work.key));
        }
        let mut marks: BTreeMap<Box<str>, Vec<(Range<usize>, String)>> = BTreeMap::new();
        for (at, criterion) in order.criteria.iter().enumerate() {
            judgement.own_paths.push(criterion.path.to_string());
            let then = find_box(&base.root, criterion);
            let now = find_box(&tip.root, criterion);
            let (Some((unit, then)), Some((_, now))) = (then, now) else {
                let why = format!(
                    "rewords, renumbers or removes \u{201c}{}\u{201d} in {}",
                    texts[at].text, criterion.path
                );
                judgement.objections.push(why);
                continue;
            };
            judgement.ticked[at] = now.is_ticked && !then.is_ticked;
            let before = text_of(unit, then.item).get(then.mark).unwrap_or_default();
            marks
                .entry(criterion.path.clone())
                .or_default()
                .push((now.mark, before.to_owned()));
        }
        judgement.own_paths.push(base.path().to_owned());
        judgement.own_paths.sort_unstable();
        judgement.own_paths.dedup();
        for holder in Self::holders_of(base) {
            let then = base.unit().items[holder].spans.mark.clone();
            let path = base.path();
            let now = tip
                .unit()
                .items
                .iter()
                .find(|item| item.name == base.unit().items[holder].name);
            if let (Some(then), Some(now)) = (then, now.and_then(|item| item.spans.mark.clone())) {
                let before = text_of(base.unit(), &base.unit().items[holder])
                    .get(then)
                    .unwrap_or_default();
                marks
                    .entry(path.into())
                    .or_default()
                    .push((now, before.to_owned()));
            }
        }
        for path in &judgement.own_paths {
            let (Some(then), Some(now)) =
                (document_at(&base.root, path), document_at(&tip.root, path))
            else {
                continue;
            };
            let marks = marks.remove(&**path).unwrap_or_default();
            let without = with_replaced(now, marks);
            if without != then {
                judgement.objections.push(format!(
                    "changes more of {path} than the boxes of {}",
                    work.key
                ));
            }
        }
    }

    /// The items above an item that only hold others: their ticks say no more than those of their parts.
    fn holders_of(found: &FoundItem) -> Vec<usize> {
        let unit = found.unit();
        let mut holders = Vec::new();
        let mut above = found.item().parent;
        while let Some(at) = above.filter(|at| !holders.contains(at)) {
            holders.push(at);
            above = unit.items[at].parent;
        }
        holders.retain(|at| !unit.items[*at].has_details && unit.items[*at].spans.mark.is_some());
        holders
    }
}

impl MarkedItems for PlanWork<'_> {
    type Found = FoundItem;

    fn project(&self) -> &Project {
        self.project
    }

    fn find_in_commit(&self, key: &str, commit: &str) -> Result<Option<FoundItem>, Error> {
        let root = plans_at_commit(self.project.root(), self.format, commit)?;
        Ok(find_item(root, key))
    }

    fn find_on_disk(&self, key: &str) -> Option<FoundItem> {
        find_item(self.on_disk(), key)
    }

    fn path<'f>(&self, found: &'f FoundItem) -> &'f str {
        found.path()
    }

    fn mark(
        &self,
        found: &FoundItem,
        landing: &ItemLanding<'_>,
    ) -> Result<Vec<DocumentText>, String> {
        if *found.item().title != *landing.title {
            return Err(format!(
                "{} is another item by now: {}",
                landing.key,
                found.item().title
            ));
        }
        let order = self.format.order(&found.root.snapshot, found.node);
        let Ok(order) = order else {
            // A person said so meanwhile.
            return Ok(Vec::new());
        };
        let now = boxes_of(&order);
        for one in landing.boxes.iter().filter(|one| !one.is_ticked) {
            if !now.iter().any(|other| other.text == one.text)
                && !is_ticked_by_now(&found.root, landing, one)
            {
                return Err(format!(
                    "\u{201c}{}\u{201d} of {} was changed meanwhile",
                    one.text, landing.key
                ));
            }
        }
        let unit_path = found.unit().source.path.to_string();
        let mut staged = StagedPlan::begin(Arc::clone(&found.root));
        let time = self.project.clock.stamp();
        let apply = |staged: &mut StagedPlan, unit: &str, item: &str, intent: &EditIntent| {
            let target = EditTarget {
                unit: Some(unit),
                item: Some(item),
                intent,
                now: &time,
            };
            staged
                .apply(target)
                .map(drop)
                .map_err(|error| error.to_string())
        };
        for (criterion, text) in order.criteria.iter().zip(&now) {
            let is_claimed = landing
                .boxes
                .iter()
                .any(|one| one.text == text.text && !one.is_ticked);
            let Some((unit, one)) =
                find_box(&found.root, criterion).filter(|(_, one)| is_claimed && !one.is_ticked)
            else {
                continue;
            };
            let intent = EditIntent::Tick {
                which: one.target,
                on: true,
            };
            apply(&mut staged, &unit.source.path, &one.item.name, &intent)?;
        }
        let done = staged.unit_at(&unit_path).map(|unit| {
            let at = unit
                .items
                .iter()
                .position(|item| item.name == found.item().name);
            at.map(|at| self.format.landed(unit, &found.root.settings, at))
                .unwrap_or_default()
        });
        for (item, intent) in done.unwrap_or_default() {
            apply(&mut staged, &unit_path, &item, &intent)?;
        }
        let before: BTreeMap<String, String> = staged
            .replaced()
            .into_iter()
            .map(|(path, text)| (path.to_owned(), text.to_owned()))
            .collect();
        let texts = staged.steps().into_iter().filter_map(|step| match step {
            ChangeStep::Replace { path, text } => Some(DocumentText {
                before: before.get(&path)?.clone(),
                path,
                after: text,
            }),
            _ => None,
        });
        Ok(texts.collect())
    }
}

/// Returns true if a box of the start is one that a person ticked meanwhile.
fn is_ticked_by_now(root: &PlanRoot, landing: &ItemLanding<'_>, one: &OrderBox) -> bool {
    let is_of_item = |item: &PlanItem| own_text(item) == one.text && item.is_ticked;
    let unit = root
        .snapshot
        .node_of(landing.key)
        .map(|node| root.snapshot.unit(&root.snapshot.nodes[node]));
    unit.is_some_and(|unit| {
        unit.items.iter().any(|item| {
            is_of_item(item)
                || item.criteria.iter().any(|criterion| {
                    criterion.is_ticked
                        && criterion_text(criterion.number, &criterion.text) == one.text
                })
        })
    })
}

/// Returns true if an item is work of its own: it has a box or a state, holds no parts, and an agent may do it.
fn is_work(root: &PlanRoot, at: usize) -> bool {
    let node = &root.snapshot.nodes[at];
    let item = root.snapshot.item(node);
    let has_open = node
        .parts
        .iter()
        .any(|part| !root.snapshot.nodes[*part].is_done);
    !node.is_done && !item.is_group && !item.is_optional && !item.is_of_people && !has_open
}

/// The keys of the open items below one, in the order of their documents, that are work of their own.
fn open_parts(root: &PlanRoot, node: usize) -> Vec<String> {
    let mut below = root.snapshot.nodes[node].parts.clone();
    let mut next = 0;
    while let Some(at) = below.get(next).copied() {
        next += 1;
        let parts = root.snapshot.nodes[at].parts.iter();
        let parts: Vec<usize> = parts
            .filter(|part| !below.contains(part))
            .copied()
            .collect();
        below.extend(parts);
    }
    below.sort_unstable();
    let open = below.into_iter().filter(|at| is_work(root, *at));
    open.map(|at| root.snapshot.nodes[at].key.to_string())
        .collect()
}

/// The text of a document of a root.
fn document_at<'r>(root: &'r PlanRoot, path: &str) -> Option<&'r str> {
    let mut documents = root
        .snapshot
        .units
        .iter()
        .flat_map(|unit| &unit.source.documents);
    let found = documents.find(|document| *document.path == *path);
    found.map(|document| document.text.as_str())
}

fn text_of<'u>(unit: &'u PlanUnit, item: &PlanItem) -> &'u str {
    unit.document_of(item).map_or("", |document| &document.text)
}

/// A text with parts of it replaced.
fn with_replaced(text: &str, mut parts: Vec<(Range<usize>, String)>) -> String {
    parts.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    parts.dedup_by(|one, other| one.0 == other.0);
    let mut text = text.to_owned();
    for (range, part) in parts {
        if text.get(range.clone()).is_some() {
            text.replace_range(range, &part);
        }
    }
    text
}

/// The box of an order in the plans of a root; `None` where it says something else by now.
fn find_box<'r>(
    root: &'r PlanRoot,
    criterion: &OrderCriterion,
) -> Option<(&'r PlanUnit, FoundBox<'r>)> {
    let units = root.snapshot.units.iter();
    let mut items = units.flat_map(|unit| unit.items.iter().map(move |item| (unit, item)));
    let (unit, item) = items.find(|(_, item)| item.name == criterion.item)?;
    let found = match criterion.number {
        None if item.title == criterion.text => FoundBox {
            item,
            target: TickTarget::Own,
            mark: item.spans.mark.clone()?,
            is_ticked: item.is_ticked,
        },
        None => return None,
        Some((list, number)) => {
            let mut own = item.criteria.iter();
            let one = own.find(|one| {
                (one.list, one.number) == (list, number) && one.text == criterion.text
            })?;
            FoundBox {
                item,
                target: TickTarget::Criterion {
                    list: Some(list.to_owned()),
                    number,
                },
                mark: one.mark.clone(),
                is_ticked: one.is_ticked,
            }
        }
    };
    Some((unit, found))
}

fn own_text(item: &PlanItem) -> String {
    [&*item.id, &*item.title]
        .iter()
        .filter(|text| !text.is_empty())
        .copied()
        .collect::<Vec<_>>()
        .join(" ")
}

fn criterion_text(number: usize, text: &str) -> String {
    format!("#{number} {text}")
}

/// The boxes of an order as a run lists them.
fn boxes_of(order: &PlanOrder) -> Vec<OrderBox> {
    let boxes = order.criteria.iter().map(|one| {
        let id = one.item.rsplit_once('#').map_or("", |(_, id)| id);
        let text = match one.number {
            Some((_, number)) => criterion_text(number, &one.text),
            None if id.is_empty() || id.starts_with('~') => one.text.to_string(),
            None => format!("{id} {}", one.text),
        };
        OrderBox {
            text,
            is_ticked: one.is_ticked,
        }
    });
    boxes.collect()
}

fn work_order(order: &PlanOrder, unit: &PlanUnit) -> WorkOrder {
    let parts = order.parts.iter().map(|part| {
        let (first, last) = part.lines;
        (
            format!("{}, lines {first} to {last}", part.path),
            part.text.clone(),
        )
    });
    let statements = order.statements.iter();
    let statements = statements.map(|one| (one.number.to_string(), one.text.to_string()));
    let texts = |texts: &[Box<str>]| texts.iter().map(ToString::to_string).collect();
    let own_paths: Vec<String> = texts(&order.own_paths);
    WorkOrder {
        key: order.key.to_string(),
        title: order.title.to_string(),
        noun: order.noun.to_owned(),
        parts: parts.collect(),
        statements: statements.collect(),
        boxes: boxes_of(order),
        paths: if own_paths.is_empty() {
            vec![unit.source.path.to_string()]
        } else {
            own_paths
        },
        locked_keys: texts(&order.locked_keys),
        waits: texts(&order.waits),
        labels: Vec::new(),
        open_parts: Vec::new(),
        is_worked_in_parts: false,
        is_of_people: order.is_of_people,
    }
}
