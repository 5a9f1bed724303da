//! The answers of a plugin about a text, checked: each span is inside of the text, and no item has bytes of another one.

use std::collections::HashMap;
use std::ops::Range;

use chant_plan_format::document::PlanDocument;
use chant_plan_format::scope::FormatScope;
use chant_plan_format::unit::{ItemAttribute, ItemSpans, NamedWait, PlanCriterion, PlanItem};
use serde::Deserialize;

use super::fault::{PluginFault, fault};

/// Items of a document.
const MAX_ITEMS: usize = 10_000;

/// The name of the only list of criteria.
const CRITERIA: &str = "criteria";

/// First byte, and the byte behind the last.
type AnsweredSpan = (usize, usize);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnsweredItem {
    id: String,
    title: String,
    span: AnsweredSpan,
    status: String,
    #[serde(default)]
    done: bool,
    #[serde(default)]
    begun: bool,
    #[serde(default)]
    optional: bool,
    mark: Option<AnsweredSpan>,
    title_span: Option<AnsweredSpan>,
    details: Option<AnsweredSpan>,
    parent: Option<String>,
    #[serde(default)]
    labels: Vec<String>,
    #[serde(default)]
    assignees: Vec<String>,
    priority: Option<String>,
    #[serde(default)]
    depends_on: Vec<String>,
    #[serde(default)]
    criteria: Vec<AnsweredCriterion>,
    #[serde(default)]
    attributes: Vec<AnsweredAttribute>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AnsweredCriterion {
    text: String,
    done: bool,
    mark: AnsweredSpan,
    span: AnsweredSpan,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AnsweredAttribute {
    name: String,
    values: Vec<String>,
    span: AnsweredSpan,
}

/// Reads the items of an answer.
///
/// # Errors
/// The fault, as the rest of a sentence that begins with the plugin.
pub(crate) fn checked_items(
    answered: Vec<AnsweredItem>,
    document: &PlanDocument,
    scope: &FormatScope,
) -> Result<Vec<PlanItem>, PluginFault> {
    if answered.len() > MAX_ITEMS {
        return fault(format!(
            "gave {} items; expected at most {MAX_ITEMS}",
            answered.len()
        ));
    }
    let places: HashMap<String, usize> = answered
        .iter()
        .enumerate()
        .map(|(at, item)| (item.id.clone(), at))
        .collect();
    if places.len() < answered.len() {
        return Err("gave one ID to two items".into());
    }
    let reader = ItemReader { document, scope };
    let mut items = Vec::with_capacity(answered.len());
    for item in answered {
        items.push(reader.item(item, &places)?);
    }
    let mut wholes: Vec<&Range<usize>> = items.iter().map(|item| &item.spans.whole).collect();
    wholes.sort_unstable_by_key(|span| (span.start, span.end));
    if wholes.windows(2).any(|pair| pair[0].end > pair[1].start) {
        return Err("gave two items the same bytes".into());
    }
    Ok(items)
}

struct ItemReader<'a> {
    document: &'a PlanDocument,
    scope: &'a FormatScope,
}

impl ItemReader<'_> {
    fn item(
        &self,
        item: AnsweredItem,
        places: &HashMap<String, usize>,
    ) -> Result<PlanItem, PluginFault> {
        let is_name = !item.id.is_empty()
            && !item
                .id
                .contains(|c: char| c.is_whitespace() || c.is_control());
        if !is_name || item.id.len() > 200 || item.title.contains(['\n', '\r']) {
            return fault(format!(
                "gave an item the ID '{}' or a title of several lines",
                item.id.escape_debug()
            ));
        }
        if !self.scope.statuses.contains(&&*item.status) {
            return fault(format!(
                "gave {} the status '{}', which it does not list",
                item.id, item.status
            ));
        }
        let text = 0..self.document.text.len();
        let whole = self.span(item.span, &text)?;
        let inner =
            |span: Option<AnsweredSpan>| span.map(|span| self.span(span, &whole)).transpose();
        let spans = ItemSpans {
            mark: inner(item.mark)?,
            title: inner(item.title_span)?,
            details: inner(item.details)?,
            attributes: None,
            whole: whole.clone(),
        };
        let mut criteria = Vec::with_capacity(item.criteria.len());
        for (at, one) in item.criteria.into_iter().enumerate() {
            let span = self.span(one.span, &whole)?;
            criteria.push(PlanCriterion {
                text: one.text.into(),
                number: at + 1,
                list: CRITERIA,
                is_ticked: one.done,
                mark: self.span(one.mark, &span)?,
                span,
            });
        }
        let mut attributes = Vec::with_capacity(item.attributes.len());
        for one in item.attributes {
            attributes.push(ItemAttribute {
                name: one.name.into(),
                values: one.values.into_iter().map(Into::into).collect(),
                span: self.span(one.span, &whole)?,
            });
        }
        let parent = item
            .parent
            .as_deref()
            .and_then(|parent| places.get(parent))
            .copied();
        let waits = item.depends_on.into_iter().map(|name| NamedWait {
            name: name.into(),
            reason: "depends",
            span: whole.clone(),
        });
        Ok(PlanItem {
            name: item.id.as_str().into(),
            parent,
            parent_name: item.parent.filter(|_| parent.is_none()).map(Into::into),
            id: item.id.into(),
            title: item.title.into(),
            kind: self.scope.noun,
            document: Some(0),
            line: self.document.line_at(whole.start),
            has_details: spans
                .details
                .as_ref()
                .is_some_and(|details| !details.is_empty()),
            spans,
            labels: item.labels.into_iter().map(Into::into).collect(),
            assignees: item.assignees.into_iter().map(Into::into).collect(),
            priority: item.priority.map(Into::into),
            criteria,
            waits: waits.collect(),
            attributes,
            mark: item.status.into(),
            is_ticked: item.done,
            is_begun: item.begun && !item.done,
            is_optional: item.optional,
            ..PlanItem::default()
        })
    }

    /// A span inside of another one, between letters.
    fn span(
        &self,
        (start, end): AnsweredSpan,
        within: &Range<usize>,
    ) -> Result<Range<usize>, PluginFault> {
        let is_inside = start <= end && within.start <= start && end <= within.end;
        if is_inside && self.document.text.get(start..end).is_some() {
            return Ok(start..end);
        }
        fault(format!(
            "gave the bytes {start}..{end}, which lie outside of what they belong to, or within a letter"
        ))
    }
}
