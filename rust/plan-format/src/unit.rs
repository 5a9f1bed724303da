//! Units: what of a plan is read together, with its items and the places of their parts.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use chant_base::text_place::TextPlace;

use super::document::{PlanDocument, RootSettings};
use super::finding::PlanFinding;
use super::format::PlanFormat;
use super::item_ids::first_of_repeats;

/// The texts from which a unit is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitSource {
    /// The kind of the pattern that found it.
    pub kind: &'static str,
    /// Its name: its path below the pattern's folder; for a file without its ending.
    pub name: Box<str>,
    /// Its path from the root.
    pub path: Box<str>,
    /// Its documents that can be read, in the order of their paths.
    pub documents: Vec<Arc<PlanDocument>>,
}

impl UnitSource {
    /// The index of the document at a path below the unit's folder.
    pub fn index_of(&self, below: &str) -> Option<usize> {
        let is_it = |document: &Arc<PlanDocument>| {
            let rest = document.path.strip_prefix(&*self.path);
            rest.and_then(|rest| rest.strip_prefix('/')) == Some(below)
        };
        self.documents.iter().position(is_it)
    }
}

/// A part of a plan that is read and kept together: a file, or a folder with documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanUnit {
    /// Its texts.
    pub source: UnitSource,
    /// Its items, in the order of their documents.
    pub items: Vec<PlanItem>,
    /// The sections of its documents, in their order.
    pub sections: Vec<PlanSection>,
    /// Sentences that have to become true and that nobody ticks.
    pub statements: Vec<PlanStatement>,
    /// Faults that the reading found.
    pub problems: Vec<PlanFinding>,
}

impl PlanUnit {
    /// A unit without items.
    pub fn new(source: UnitSource) -> Self {
        Self {
            source,
            items: Vec::new(),
            sections: Vec::new(),
            statements: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// Returns true if a join says of it and of all others what it says with another version of it.
    pub(crate) fn joins_as(&self, other: &Self) -> bool {
        fn same<'a, T, P: PartialEq>(
            one: &'a [T],
            other: &'a [T],
            part: impl Fn(&'a T) -> P,
        ) -> bool {
            one.iter().map(&part).eq(other.iter().map(&part))
        }
        let (one, two) = (&self.source, &other.source);
        let is_same_source = (one.kind, &one.name, &one.path) == (two.kind, &two.name, &two.path)
            && same(&one.documents, &two.documents, |document| &document.path);
        is_same_source
            && same(&self.sections, &other.sections, |section| {
                (section.document, section.level, &section.title)
            })
            && same(&self.items, &other.items, |item| {
                let flags = [
                    item.is_ticked, item.is_begun, item.is_optional, item.is_group,
                    item.has_details,
                ];
                let place = (item.document, item.parent, &item.parent_name);
                let waits = item.waits.iter().map(|wait| (&wait.name, wait.reason));
                (
                    &item.name,
                    place,
                    waits.collect::<Vec<_>>(),
                    &item.mark,
                    flags,
                )
            })
    }

    /// The indexes of the items with a name, or with an ID within this unit.
    ///
    /// An ID that stands several times is that of all of them; `1.1~2` is the second one alone, `1.1~1` the first.
    pub fn indexes_of(&self, name: &str) -> Vec<usize> {
        let numbered = self.items.iter().enumerate();
        let all = |is_it: &dyn Fn(&PlanItem) -> bool| -> Vec<usize> {
            let found = numbered.clone().filter(|(_, item)| is_it(item));
            found.map(|(at, _)| at).collect()
        };
        let is_named = |item: &PlanItem, name: &str| *item.name == *name || *item.id == *name;
        if let Some(first) = first_of_repeats(name) {
            return all(&|item| is_named(item, first));
        }
        let repeated = format!("{name}~");
        all(&|item| {
            let rest = item.name.strip_prefix(&*repeated);
            let rest = rest.or_else(|| item.id.strip_prefix(&*repeated));
            let is_repeat = rest.is_some_and(|rest| {
                !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit())
            });
            is_named(item, name) || is_repeat
        })
    }

    /// The indexes of the direct parts of an item.
    pub fn parts_of(&self, item: usize) -> impl Iterator<Item = usize> + '_ {
        let numbered = self.items.iter().enumerate();
        let parts = numbered.filter(move |(_, part)| part.parent == Some(item));
        parts.map(|(at, _)| at)
    }

    /// The document of an item.
    pub fn document_of(&self, item: &PlanItem) -> Option<&Arc<PlanDocument>> {
        self.source.documents.get(item.document?)
    }

    /// The path of an item's document; that of the unit for one without.
    pub fn path_of(&self, item: &PlanItem) -> &str {
        let document = self.document_of(item);
        document.map_or(&self.source.path, |document| &document.path)
    }

    /// The title of an item in its document, else its line.
    pub fn place_of(&self, item: &PlanItem) -> Option<TextPlace> {
        let document = self.document_of(item)?;
        Some(match &item.spans.title {
            Some(title) => document.place(title.clone()),
            None => document.line_place(item.line),
        })
    }
}

/// The message of a problem with a document that is in conflict.
pub const IN_CONFLICT: &str =
    "holds two versions of something (conflict marks); nothing of it is read";

/// Reads a unit: documents that hold two versions of something are set aside first, with a problem.
pub fn read_unit(format: &dyn PlanFormat, mut source: UnitSource) -> PlanUnit {
    let mut problems = Vec::new();
    source.documents.retain(|document| {
        let Some(line) = document.clash else {
            return true;
        };
        problems.push(PlanFinding::error(
            &document.path,
            document.line_place(line),
            IN_CONFLICT,
        ));
        false
    });
    let mut unit = format.read(&source);
    unit.problems.splice(0..0, problems);
    unit
}

/// Reads all documents of one root, as of a commit: the settings, and the units in the order of their paths.
///
/// Documents that belong to no unit are left out. A folder without documents is no unit here.
pub fn read_all(
    format: &dyn PlanFormat,
    documents: impl IntoIterator<Item = PlanDocument>,
) -> (RootSettings, Vec<Arc<PlanUnit>>) {
    let names = format.scope().settings;
    let documents = documents.into_iter().map(Arc::new);
    let (settings, rest): (Vec<_>, Vec<_>) =
        documents.partition(|document| names.contains(&&*document.path));
    let settings = RootSettings(settings);
    let layout = format.layout(&settings);
    let mut sources: BTreeMap<String, UnitSource> = BTreeMap::new();
    for document in rest {
        let found = layout.units.iter().find_map(|pattern| {
            let found = pattern.unit_at(&document.path)?;
            found.is_document.then_some((pattern, found))
        });
        let Some((pattern, found)) = found else {
            continue;
        };
        let source = sources
            .entry(found.path)
            .or_insert_with_key(|path| UnitSource {
                kind: pattern.kind,
                name: found.name.into(),
                path: path.as_str().into(),
                documents: Vec::new(),
            });
        source.documents.push(document);
    }
    let units = sources.into_values().filter(|source| {
        let pattern = layout
            .units
            .iter()
            .find(|pattern| pattern.kind == source.kind);
        pattern.is_none_or(|pattern| pattern.has_required(source))
    });
    let read = |mut source: UnitSource| {
        source
            .documents
            .sort_by(|one, other| one.path.cmp(&other.path));
        Arc::new(read_unit(format, source))
    };
    let units = units.map(read).collect();
    (settings, units)
}

/// An item of a plan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is asked alone")]
pub struct PlanItem {
    /// Its name among all items of the format: what stands behind the colon of its key.
    pub name: Box<str>,
    /// Its ID within its unit; empty for the item that is the unit as a whole.
    pub id: Box<str>,
    /// Its title, on one line.
    pub title: Box<str>,
    /// The noun of its kind.
    pub kind: &'static str,
    /// The item of the same unit of which it is a part.
    pub parent: Option<usize>,
    /// The name of an item, of another unit perhaps, of which it is a part.
    pub parent_name: Option<Box<str>>,
    /// Its document, by its index in the unit; none for a folder without a list.
    pub document: Option<usize>,
    /// Its line, counted from 1.
    pub line: usize,
    /// The places of its parts.
    pub spans: ItemSpans,
    /// Its labels.
    pub labels: Vec<Box<str>>,
    /// The people it is assigned to.
    pub assignees: Vec<Box<str>>,
    /// Its priority, in the document's word.
    pub priority: Option<Box<str>>,
    /// Boxes below it that are no items.
    pub criteria: Vec<PlanCriterion>,
    /// Numbers of the unit's statements that it names.
    pub statements: Vec<Box<str>>,
    /// The items that it waits for, as its document names them.
    pub waits: Vec<NamedWait>,
    /// Its attributes by the document's keys, unknown ones among them.
    pub attributes: Vec<ItemAttribute>,
    /// The word of its own mark, whatever its parts say.
    pub mark: Box<str>,
    /// True if its own box is ticked, or its own status is that of a finished item.
    pub is_ticked: bool,
    /// True if its own mark says that somebody works on it.
    pub is_begun: bool,
    /// True if nobody waits for it.
    pub is_optional: bool,
    /// True if it only holds its parts and has no mark of its own.
    pub is_group: bool,
    /// True if its document says more of it than its title.
    pub has_details: bool,
    /// True if only a person can do it.
    pub is_of_people: bool,
}

/// The places of an item's parts, as bytes of its document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ItemSpans {
    /// All of it, its details included and its parts left out.
    pub whole: Range<usize>,
    /// The characters between the brackets of its box.
    pub mark: Option<Range<usize>>,
    /// The title.
    pub title: Option<Range<usize>>,
    /// The lines below its first one that belong to it.
    pub details: Option<Range<usize>>,
    /// The block that holds its attributes.
    pub attributes: Option<Range<usize>>,
}

/// An attribute of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemAttribute {
    /// Its key.
    pub name: Box<str>,
    /// Its values; one for a text.
    pub values: Vec<Box<str>>,
    /// Key and value in the document, with the line break.
    pub span: Range<usize>,
}

/// A box below an item that is no item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanCriterion {
    /// Its text, on one line.
    pub text: Box<str>,
    /// Its number within its list.
    pub number: usize,
    /// The list that it belongs to, such as `acceptance criteria`.
    pub list: &'static str,
    /// True if it is ticked.
    pub is_ticked: bool,
    /// The character between its brackets.
    pub mark: Range<usize>,
    /// Its line, without the line break.
    pub span: Range<usize>,
}

/// A sentence that has to become true, and that nobody ticks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanStatement {
    /// Its number, as items name it.
    pub number: Box<str>,
    /// Its text.
    pub text: Box<str>,
    /// Its document, by its index in the unit.
    pub document: usize,
    /// Its bytes.
    pub span: Range<usize>,
}

/// An item that another one waits for, as the document names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedWait {
    /// The name.
    pub name: Box<str>,
    /// The reason, as one word: `depends`, `wave`, `order`.
    pub reason: &'static str,
    /// Its bytes; empty where the document says it without the name.
    pub span: Range<usize>,
}

/// A heading of a document and the text below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanSection {
    /// Its document, by its index in the unit.
    pub document: usize,
    /// The level of its heading, 1 to 6.
    pub level: u8,
    /// The heading's text.
    pub title: Box<str>,
    /// The headings from the outermost one to this one, each with its marks.
    pub path: Box<str>,
    /// The bytes of the heading.
    pub heading: Range<usize>,
    /// The bytes that a new text replaces.
    pub content: Range<usize>,
}
