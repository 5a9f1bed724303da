//! A format as small as can be: a line of `todo.txt` is an item, `x ` before it says that it is done.

use std::sync::Arc;

use chant_plan_format::box_edit::{not_taken, requested_item};
use chant_plan_format::document::{PlanDocument, RootSettings};
use chant_plan_format::finding::{ActingPart, PlanFinding};
use chant_plan_format::intent::{EditIntent, EditRequest, IntentKind, TickTarget, UnitEdit};
use chant_plan_format::refusal::EditRefusal;
use chant_plan_format::scope::{FormatScope, RootLayout, UnitForm, UnitPattern};
use chant_plan_format::snapshot::PlanSnapshot;
use chant_plan_format::unit::{ItemSpans, NamedWait, PlanItem, PlanUnit, UnitSource, read_unit};
use chant_plan_format::{PlanFormat, UnitFilter};

/// The format, or one that breaks the law in some way.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum TodoLines {
    Honest,
    TicksTheNextLine,
    TicksBoth,
    EditsBehindTheEnd,
    SplitsALetter,
    AddsTwo,
    TicksTheWrongWay,
}

pub(super) static SCOPE: FormatScope = FormatScope {
    word: "todo",
    title: "todo.txt",
    noun: "task",
    plural: "tasks",
    markers: &["todo.txt"],
    settings: &[],
    intents: &[IntentKind::Tick, IntentKind::Title, IntentKind::Add],
    statuses: &["open", "done"],
    touched: &[],
    example: "todo:paint",
};

pub(super) fn unit(text: &str) -> PlanUnit {
    read_unit(&TodoLines::Honest, source(text))
}

pub(super) fn source(text: &str) -> UnitSource {
    UnitSource {
        kind: "list",
        name: "todo".into(),
        path: "todo.txt".into(),
        documents: vec![Arc::new(PlanDocument::new("todo.txt", text))],
    }
}

fn item(line: &str, start: usize, number: usize) -> PlanItem {
    let is_done = line.starts_with("x ");
    let mark = start..start + if is_done { 2 } else { 0 };
    let tag = |name: &str| {
        let words = line.split_whitespace();
        words
            .filter_map(move |word| word.strip_prefix(name))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let id = tag("id:").pop().unwrap_or_else(|| format!("l{number}"));
    let wait = |name: String| NamedWait {
        name: name.into(),
        reason: "depends",
        span: start..start,
    };
    PlanItem {
        name: id.as_str().into(),
        id: id.into(),
        title: line[mark.len()..].into(),
        kind: "task",
        document: Some(0),
        line: number,
        spans: ItemSpans {
            whole: start..start + line.len(),
            title: Some(mark.end..start + line.len()),
            mark: Some(mark),
            ..ItemSpans::default()
        },
        waits: tag("after:").into_iter().map(wait).collect(),
        mark: if is_done { "done" } else { "open" }.into(),
        is_ticked: is_done,
        ..PlanItem::default()
    }
}

impl PlanFormat for TodoLines {
    fn scope(&self) -> &'static FormatScope {
        &SCOPE
    }

    fn layout(&self, _: &RootSettings) -> RootLayout {
        let units = vec![UnitPattern {
            kind: "list",
            folder: String::new(),
            form: UnitForm::File(&["todo.txt"]),
            depth: 1,
            accepts: |_| true,
            limit: 1,
        }];
        RootLayout {
            units,
            ..RootLayout::default()
        }
    }

    fn read(&self, source: &UnitSource) -> PlanUnit {
        let mut unit = PlanUnit::new(source.clone());
        let Some(document) = source.documents.first() else {
            return unit;
        };
        let mut start = 0;
        for (number, line) in document.text.split_inclusive('\n').enumerate() {
            let text = line.trim_end_matches(['\n', '\r']);
            if !text.is_empty() {
                unit.items.push(item(text, start, number + 1));
            }
            start += line.len();
        }
        unit
    }

    fn edit(
        &self,
        unit: Option<&PlanUnit>,
        request: &EditRequest<'_>,
    ) -> Result<UnitEdit, EditRefusal> {
        let unit = unit.unwrap();
        let named = request.item.map(|_| requested_item(unit, request));
        let at = named.transpose()?;
        let mark = |at: usize| unit.items[at].spans.mark.clone().unwrap();
        let tick = |at: usize, on: bool| UnitEdit::replace(0, mark(at), if on { "x " } else { "" });
        Ok(match (self, request.intent) {
            (Self::TicksTheNextLine, EditIntent::Tick { on, .. }) => tick(at.unwrap() + 1, *on),
            (Self::TicksBoth, EditIntent::Tick { .. }) => {
                let first = mark(at.unwrap());
                UnitEdit::replace(0, first.clone(), "x a\nx ")
            }
            (Self::EditsBehindTheEnd, _) => UnitEdit::replace(0, 900..901, "x"),
            (Self::SplitsALetter, EditIntent::Title { text }) => {
                let title = unit.items[at.unwrap()].spans.title.clone().unwrap();
                UnitEdit::replace(0, title.start + 1..title.end, text)
            }
            (Self::TicksTheWrongWay, EditIntent::Tick { on, .. }) => tick(at.unwrap(), !on),
            (
                _,
                EditIntent::Tick {
                    which: TickTarget::Own,
                    on,
                },
            ) => {
                if unit.items[at.unwrap()].is_ticked == *on {
                    UnitEdit::default()
                } else {
                    tick(at.unwrap(), *on)
                }
            }
            (_, EditIntent::Title { text }) => {
                let title = unit.items[at.unwrap()].spans.title.clone().unwrap();
                UnitEdit::replace(0, title, text)
            }
            (_, EditIntent::Add { draft, .. }) => {
                let end = unit.source.documents[0].text.len();
                let name = format!("l{}", unit.items.len() + 1);
                let twice = if *self == Self::AddsTwo { "more\n" } else { "" };
                let mut edit = UnitEdit::replace(0, end..end, format!("{}\n{twice}", draft.title));
                edit.added = Some(name.into());
                edit
            }
            _ => return Err(not_taken(&SCOPE, request.intent)),
        })
    }

    fn check_units(&self, _: &PlanSnapshot, _: UnitFilter<'_>) -> Vec<PlanFinding> {
        Vec::new()
    }

    fn acts(&self, _: &RootSettings, _: &str, _: &str) -> Vec<ActingPart> {
        Vec::new()
    }
}
