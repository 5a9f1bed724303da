//! The law of edits: which bytes an intent may change, and what may differ when the texts are read again.

use std::ops::Range;

use super::document::line_at;
use super::intent::{EditIntent, TextEdit, TickTarget, UnitEdit};
use super::section_lookup::find_section;
use super::unit::{PlanItem, PlanUnit};
use chant_text::edit::{Edit, EditError, apply};

/// An intent with the item and the unit that it is about.
pub(super) struct EditLaw<'a> {
    pub(super) touched: &'static [&'static str],
    pub(super) unit: &'a PlanUnit,
    pub(super) item: Option<usize>,
    pub(super) intent: &'a EditIntent,
}

/// A breach of the law of edits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum LawBreach {
    #[error("bytes {start}..{end} lie outside of what the edit is about")]
    Outside { start: usize, end: usize },
    #[error(transparent)]
    Edits(#[from] EditError),
    #[error("it edits a document that is not there")]
    NoDocument,
    #[error("it edits texts of no unit")]
    NoUnit,
    #[error("{before} items would become {after}")]
    ItemCount { before: usize, after: usize },
    #[error("{0} would be a part of another item")]
    OtherParent(Box<str>),
    #[error("the new item cannot be told from the others")]
    IndistinctItem,
    #[error("{0} would not be there")]
    NoItem(Box<str>),
    #[error("{name} would read '{title}'")]
    OtherTitle { name: Box<str>, title: String },
    #[error("{part} of {item} would differ")]
    Differs { part: String, item: Box<str> },
    #[error("{0} would not have what was asked for")]
    NotDone(Box<str>),
    #[error("{0} would differ")]
    Section(&'static str),
    #[error("it moves {from} to {to}")]
    Moves { from: String, to: String },
    #[error("it makes {0}, which is no document of this format")]
    StrangeFile(String),
    #[error("it makes {0}, though nothing was to be added")]
    NeedlessFile(Box<str>),
    #[error("{0} would not hold the new item")]
    FileWithoutItem(Box<str>),
    #[error("{0} is taken")]
    TakenName(String),
}

fn differing(part: &str, item: &PlanItem) -> LawBreach {
    LawBreach::Differs {
        part: part.to_owned(),
        item: item.name.clone(),
    }
}

impl EditLaw<'_> {
    fn meant(&self) -> Option<&PlanItem> {
        self.unit.items.get(self.item?)
    }

    /// Checks that an edit lies in a part of the document that the intent is about.
    pub(super) fn check_span(&self, edit: &TextEdit) -> Result<(), LawBreach> {
        let allowed = self.allowed();
        let lies_in = |(document, range): &(usize, Range<usize>)| {
            *document == edit.document
                && range.start <= edit.span.start
                && edit.span.end <= range.end
        };
        let is_insertion = edit.span.is_empty();
        let adds = matches!(
            self.intent,
            EditIntent::Add { .. } | EditIntent::AddCriterion { .. } | EditIntent::Section { .. }
        );
        if allowed.iter().any(lies_in) || (is_insertion && adds) {
            return Ok(());
        }
        Err(LawBreach::Outside {
            start: edit.span.start,
            end: edit.span.end,
        })
    }

    /// The parts of documents that the intent may change.
    fn allowed(&self) -> Vec<(usize, Range<usize>)> {
        let mut allowed = Vec::new();
        if let EditIntent::Section { name, .. } = self.intent
            && let Ok(at) = find_section(self.unit, name)
        {
            let section = &self.unit.sections[at];
            allowed.push((section.document, section.content.clone()));
        }
        let Some(item) = self.meant() else {
            return allowed;
        };
        let document = item.document.unwrap_or(usize::MAX);
        let attribute = |name: &str| {
            let found = item.attributes.iter().filter(|one| &*one.name == name);
            found.map(|one| one.span.clone()).collect::<Vec<_>>()
        };
        let mut own: Vec<Range<usize>> = self
            .touched
            .iter()
            .flat_map(|name| attribute(name))
            .collect();
        if let Some(attributes) = &item.spans.attributes
            && !self.touched.is_empty()
        {
            // A new key stands on lines of its own; that no other one changes is looked at by their values.
            let document = self.unit.document_of(item);
            let text = document.map_or("", |document| &document.text);
            let inside = text.get(attributes.clone()).unwrap_or_default();
            let ends = inside.match_indices('\n').map(|(at, _)| at + 1);
            let starts = std::iter::once(0).chain(ends).chain([inside.len()]);
            own.extend(starts.map(|at| attributes.start + at..attributes.start + at));
        }
        match self.intent {
            EditIntent::Tick { which, .. } => match which {
                TickTarget::Own => own.extend(item.spans.mark.clone()),
                TickTarget::WithParents => own.extend(self.marks_above()),
                TickTarget::Criterion { .. } => {
                    own.extend(item.criteria.iter().map(|one| one.mark.clone()));
                }
            },
            EditIntent::Reset => own.extend(self.marks_below()),
            EditIntent::Status { .. } => {
                own.extend(item.spans.mark.clone());
                own.extend(attribute("status"));
            }
            EditIntent::Set {
                attribute: name, ..
            } => own.extend(attribute(name)),
            EditIntent::Title { .. } => {
                own.extend(item.spans.title.clone());
                own.extend(attribute("title"));
            }
            EditIntent::Section { .. }
            | EditIntent::Add { .. }
            | EditIntent::AddCriterion { .. }
            | EditIntent::Move { .. } => {}
        }
        allowed.extend(own.into_iter().map(|range| (document, range)));
        allowed
    }

    fn marks_above(&self) -> Vec<Range<usize>> {
        let mut marks = Vec::new();
        let mut at = self.item;
        while let Some(item) = at.and_then(|at| self.unit.items.get(at)) {
            marks.extend(item.spans.mark.clone());
            at = item.parent;
            if marks.len() > self.unit.items.len() {
                break;
            }
        }
        marks
    }

    fn marks_below(&self) -> Vec<Range<usize>> {
        let below = (0..self.unit.items.len()).filter(|at| self.is_meant_or_part(*at));
        below
            .filter_map(|at| self.unit.items[at].spans.mark.clone())
            .collect()
    }

    fn is_meant_or_part(&self, at: usize) -> bool {
        let mut above = Some(at);
        for _ in 0..=self.unit.items.len() {
            if above == self.item {
                return above.is_some();
            }
            above = above.and_then(|at| self.unit.items.get(at)?.parent);
        }
        false
    }

    fn is_above(&self, at: usize) -> bool {
        let mut above = self.item;
        for _ in 0..=self.unit.items.len() {
            if above == Some(at) {
                return true;
            }
            above = above.and_then(|at| self.unit.items.get(at)?.parent);
        }
        false
    }

    /// The new texts with the places of the changes in them.
    #[expect(
        clippy::type_complexity,
        reason = "texts by document, and places by path"
    )]
    pub(super) fn applied(
        &self,
        edit: &UnitEdit,
    ) -> Result<(Vec<(usize, String)>, Vec<(Box<str>, usize)>), LawBreach> {
        let (mut texts, mut changed) = (Vec::new(), Vec::new());
        for (at, document) in self.unit.source.documents.iter().enumerate() {
            let mut own: Vec<&TextEdit> =
                edit.texts.iter().filter(|one| one.document == at).collect();
            if own.is_empty() {
                continue;
            }
            own.sort_by_key(|one| (one.span.start, one.span.end));
            let edits: Vec<Edit> = own
                .iter()
                .map(|one| Edit::replace(one.span.clone(), &*one.text))
                .collect();
            let text = apply(&document.text, &edits)?;
            let (mut added, mut removed) = (0, 0);
            for one in own {
                let start = one.span.start + added - removed;
                changed.push((document.path.clone(), line_at(&text, start)));
                added += one.text.len();
                removed += one.span.len();
            }
            if text != document.text {
                texts.push((at, text));
            }
        }
        let known = self.unit.source.documents.len();
        if edit.texts.iter().any(|one| one.document >= known) {
            return Err(LawBreach::NoDocument);
        }
        Ok((texts, changed))
    }

    /// Checks that the unit reads as before, but for what was meant.
    pub(super) fn check_reading(
        &self,
        after: &PlanUnit,
        added: Option<&str>,
    ) -> Result<(), LawBreach> {
        self.check_sections(after)?;
        let before = &self.unit.items;
        let is_add = matches!(self.intent, EditIntent::Add { .. });
        let new = after.items.len().checked_sub(before.len());
        if new != Some(usize::from(is_add)) {
            let (before, after) = (before.len(), after.items.len());
            return Err(LawBreach::ItemCount { before, after });
        }
        let is_new = |item: &&PlanItem| is_add && added == Some(&*item.name);
        let new_item = after.items.iter().find(is_new);
        if is_add {
            self.check_added(new_item, added)?;
        }
        let others = after.items.iter().filter(|item| !is_new(item));
        let mut matched = 0;
        for (at, (old, new)) in before.iter().zip(others).enumerate() {
            matched += 1;
            let parent = |unit: &PlanUnit, item: &PlanItem| {
                let parent = unit.items.get(item.parent?)?;
                Some(parent.name.clone())
            };
            let is_renamed = matches!(self.intent, EditIntent::Title { .. });
            if !is_renamed && parent(self.unit, old) != parent(after, new) {
                return Err(LawBreach::OtherParent(old.name.clone()));
            }
            self.check_item(at, old, new)?;
        }
        if matched != before.len() {
            return Err(LawBreach::IndistinctItem);
        }
        Ok(())
    }

    fn check_added(&self, item: Option<&PlanItem>, added: Option<&str>) -> Result<(), LawBreach> {
        let (Some(item), EditIntent::Add { draft, .. }) = (item, self.intent) else {
            let name = added.unwrap_or("the new item");
            return Err(LawBreach::NoItem(name.into()));
        };
        if item.is_ticked || !same_words(&item.title, &draft.title) {
            return Err(LawBreach::OtherTitle {
                name: item.name.clone(),
                title: item.title.to_string(),
            });
        }
        Ok(())
    }

    /// Checks one item: what was not meant is the same.
    fn check_item(&self, at: usize, old: &PlanItem, new: &PlanItem) -> Result<(), LawBreach> {
        let differs = |part: &str| Err(differing(part, old));
        let is_meant = self.item == Some(at);
        let may = MayDiffer::of(self, at, is_meant);
        if !may.name && (old.name != new.name || old.id != new.id) {
            return differs("the name");
        }
        if !may.title && old.title != new.title {
            return differs("the title");
        }
        if !may.mark
            && (&old.mark, old.is_ticked, old.is_begun) != (&new.mark, new.is_ticked, new.is_begun)
        {
            return differs("the mark");
        }
        let traits = |item: &PlanItem| {
            (
                item.kind, item.is_group, item.is_optional, item.is_of_people, item.document,
            )
        };
        if !may.title && traits(old) != traits(new) {
            return differs("the kind");
        }
        if !may.attributes {
            let named = |item: &PlanItem| -> Vec<Box<str>> {
                // Waits that follow from the order of a list have no bytes of their own.
                let written = item.waits.iter().filter(|wait| !wait.span.is_empty());
                written.map(|wait| wait.name.clone()).collect()
            };
            if named(old) != named(new) || old.parent_name != new.parent_name {
                return differs("what is waited for");
            }
            let people = |item: &PlanItem| {
                (
                    item.labels.clone(),
                    item.assignees.clone(),
                    item.priority.clone(),
                )
            };
            if !may.title && people(old) != people(new) {
                return differs("an attribute");
            }
        }
        if !may.title && !may.details && old.statements != new.statements {
            return differs("a number");
        }
        self.check_attributes(is_meant, old, new)?;
        self.check_criteria(is_meant, old, new)?;
        if is_meant {
            self.check_done(old, new)?;
        }
        Ok(())
    }

    fn check_attributes(
        &self,
        is_meant: bool,
        old: &PlanItem,
        new: &PlanItem,
    ) -> Result<(), LawBreach> {
        let set = match self.intent {
            EditIntent::Set { attribute, .. } if is_meant => Some(&**attribute),
            EditIntent::Status { .. } if is_meant => Some("status"),
            EditIntent::Title { .. } if is_meant => Some("title"),
            _ => None,
        };
        let is_other =
            |name: &str| Some(name) != set && !(is_meant && self.touched.contains(&name));
        let kept = |item: &PlanItem| -> Vec<(Box<str>, Vec<Box<str>>)> {
            let others = item.attributes.iter().filter(|one| is_other(&one.name));
            others
                .map(|one| (one.name.clone(), one.values.clone()))
                .collect()
        };
        if kept(old) == kept(new) {
            Ok(())
        } else {
            Err(differing("another attribute", old))
        }
    }

    fn check_criteria(
        &self,
        is_meant: bool,
        old: &PlanItem,
        new: &PlanItem,
    ) -> Result<(), LawBreach> {
        let free = is_meant && matches!(self.intent, EditIntent::Section { .. });
        if free {
            return Ok(());
        }
        let ticked = match self.intent {
            EditIntent::Tick {
                which: TickTarget::Criterion { list, number },
                ..
            } if is_meant => Some((list, *number)),
            _ => None,
        };
        let adds = is_meant && matches!(self.intent, EditIntent::AddCriterion { .. });
        let mut rest = new.criteria.iter().peekable();
        let mut extra = 0;
        for criterion in &old.criteria {
            let is_it = |other: &super::unit::PlanCriterion| {
                let same_tick = criterion.is_ticked == other.is_ticked
                    || ticked.is_some_and(|(list, number)| {
                        number == criterion.number
                            && list.as_ref().is_none_or(|list| *list == criterion.list)
                    });
                let same =
                    |one: &super::unit::PlanCriterion| (one.text.clone(), one.number, one.list);
                same_tick && same(criterion) == same(other)
            };
            if adds && rest.peek().is_some_and(|next| !is_it(next)) {
                rest.next();
                extra += 1;
            }
            if !rest.next().is_some_and(is_it) {
                let part = format!("criterion {}", criterion.number);
                return Err(differing(&part, old));
            }
        }
        extra += rest.count();
        if extra == usize::from(adds) {
            Ok(())
        } else {
            Err(differing("the criteria", old))
        }
    }

    /// Checks that the item has what was asked for.
    fn check_done(&self, old: &PlanItem, new: &PlanItem) -> Result<(), LawBreach> {
        let is_so = match self.intent {
            EditIntent::Tick { which, on } => match which {
                TickTarget::Own | TickTarget::WithParents => new.is_ticked == *on,
                TickTarget::Criterion { list, number } => {
                    let mut meant = new.criteria.iter().filter(|one| {
                        one.number == *number && list.as_ref().is_none_or(|list| *list == one.list)
                    });
                    meant.any(|one| one.is_ticked == *on)
                }
            },
            EditIntent::Status { word } => same_words(&new.mark, word),
            EditIntent::Set { attribute, value } => {
                let found = new
                    .attributes
                    .iter()
                    .rev()
                    .find(|one| *one.name == **attribute);
                let found = found.map(|one| one.values.iter().map(|value| &**value).collect());
                found.unwrap_or_else(Vec::new) == value.values()
            }
            EditIntent::Title { text } => same_words(&new.title, text),
            EditIntent::Reset => !new.is_begun && new.is_ticked == old.is_ticked,
            EditIntent::Section { .. }
            | EditIntent::Add { .. }
            | EditIntent::AddCriterion { .. }
            | EditIntent::Move { .. } => true,
        };
        if is_so {
            Ok(())
        } else {
            Err(LawBreach::NotDone(old.name.clone()))
        }
    }

    /// Checks that the sections stay, but for those in the text of the one that is meant.
    fn check_sections(&self, after: &PlanUnit) -> Result<(), LawBreach> {
        let shape = |unit: &PlanUnit| -> Vec<SectionShape> {
            let sections = unit.sections.iter();
            sections
                .map(|one| (one.document, one.level, one.title.clone()))
                .collect()
        };
        let (old, new) = (shape(self.unit), shape(after));
        let EditIntent::Section { name, .. } = self.intent else {
            let is_free = matches!(self.intent, EditIntent::AddCriterion { .. });
            let is_inserted = || {
                let first = old
                    .iter()
                    .zip(&new)
                    .take_while(|(old, new)| old == new)
                    .count();
                new.len() == old.len() + 1 && old[first..] == new[first + 1..]
            };
            return if old == new || (is_free && is_inserted()) {
                Ok(())
            } else {
                Err(LawBreach::Section("a section"))
            };
        };
        let same = |pair: &(&SectionShape, &SectionShape)| pair.0 == pair.1;
        let first = old.iter().zip(&new).take_while(same).count();
        let last = old
            .iter()
            .rev()
            .zip(new.iter().rev())
            .take_while(same)
            .count();
        let (kept_before, kept_behind) = match find_section(self.unit, name) {
            Ok(at) => {
                let section = &self.unit.sections[at];
                let is_inside = |one: &&super::unit::PlanSection| {
                    one.document == section.document && section.content.contains(&one.heading.start)
                };
                let inside = self.unit.sections[at + 1..]
                    .iter()
                    .take_while(is_inside)
                    .count();
                (at + 1, old.len() - at - 1 - inside)
            }
            Err(_) => {
                return if first + last >= old.len() && new.len() > old.len() {
                    Ok(())
                } else {
                    Err(LawBreach::Section("another section"))
                };
            }
        };
        if first >= kept_before && last >= kept_behind && new.len() >= kept_before + kept_behind {
            Ok(())
        } else {
            Err(LawBreach::Section("another section"))
        }
    }
}

/// A section by its document, level and title.
type SectionShape = (usize, u8, Box<str>);

/// The parts of an item that may differ after an edit.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is asked alone")]
struct MayDiffer {
    name: bool,
    title: bool,
    mark: bool,
    attributes: bool,
    details: bool,
}

impl MayDiffer {
    fn of(law: &EditLaw<'_>, at: usize, is_meant: bool) -> Self {
        let mut may = Self::default();
        match law.intent {
            EditIntent::Tick { which, .. } => match which {
                TickTarget::Own => may.mark = is_meant,
                TickTarget::WithParents => may.mark = law.is_above(at),
                TickTarget::Criterion { .. } => {}
            },
            EditIntent::Reset => may.mark = law.is_meant_or_part(at),
            EditIntent::Status { .. } => may.mark = is_meant,
            EditIntent::Set { .. } => may.attributes = is_meant,
            EditIntent::Title { .. } => {
                may.title = is_meant;
                may.attributes = is_meant;
                // An item without a number is named by its title.
                let id = |item: &PlanItem| item.id.starts_with('~');
                may.name = law.unit.items.get(at).is_some_and(id);
            }
            EditIntent::Section { .. } => may.details = true,
            EditIntent::Add { .. } | EditIntent::AddCriterion { .. } | EditIntent::Move { .. } => {}
        }
        may
    }
}

/// Returns true if two texts have the same words, whatever blanks, hyphens and case of letters.
fn same_words(one: &str, other: &str) -> bool {
    let folded = |text: &str| -> String {
        let letters = text
            .chars()
            .filter(|c| !c.is_whitespace() && !matches!(c, '-' | '_'));
        letters.flat_map(char::to_lowercase).collect()
    };
    folded(one) == folded(other)
}
