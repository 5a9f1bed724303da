//! A plugin's format behind the interface of all formats.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chant_plan_format::box_edit::{not_taken, requested_item};
use chant_plan_format::document::{PlanDocument, RootSettings};
use chant_plan_format::finding::{ActingPart, PlanFinding};
use chant_plan_format::intent::{
    AttributeSetting, EditIntent, EditRequest, TextEdit, TickTarget, UnitEdit,
};
use chant_plan_format::refusal::EditRefusal;
use chant_plan_format::scope::{FormatScope, RootLayout};
use chant_plan_format::snapshot::PlanSnapshot;
use chant_plan_format::unit::{PlanItem, PlanUnit, UnitSource};
use chant_plan_format::{PlanFormat, UnitFilter};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::answers::{AnsweredItem, checked_items};
use super::description::{CheckedDescription, FormatDescription};
use super::fault::{PluginFault, fault};
use super::process::{PluginCall, PluginProcess};

/// The time for one answer.
const ANSWER_TIME: Duration = Duration::from_secs(2);
/// Bytes of a document that is given to a plugin.
const MAX_DOCUMENT: usize = 1 << 20;
/// Failures in a row, after which a plugin is asked no more.
const MAX_FAILURES: u32 = 3;

/// A format that a plugin reads and edits.
pub struct PluginFormat {
    /// The plugin in a sentence, such as ``the format `todo` of ferry 1.0``.
    name: String,
    described: CheckedDescription,
    state: Mutex<PluginState>,
}

struct PluginState {
    process: PluginProcess,
    failures: u32,
    /// True once it read one text in two ways.
    is_unsteady: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AnsweredEdits {
    edits: Vec<(usize, usize, String)>,
    added: Option<String>,
}

impl PluginFormat {
    /// Asks a plugin what its format is.
    ///
    /// # Errors
    /// It gave no description, or one that does not fit.
    pub fn describe(name: &str, call: PluginCall) -> Result<Self, PluginFault> {
        let mut process = PluginProcess::new(call);
        let described = process.ask(&json!({"ask": "scope"}), ANSWER_TIME);
        let described = described.and_then(|answer| part::<FormatDescription>(answer, "scope"));
        let described = described.and_then(FormatDescription::checked);
        Ok(Self {
            name: name.to_owned(),
            described: described?,
            state: Mutex::new(PluginState {
                process,
                failures: 0,
                is_unsteady: false,
            }),
        })
    }

    fn state(&self) -> MutexGuard<'_, PluginState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks a question; one that failed too often in a row is asked no more.
    fn ask<T: DeserializeOwned>(&self, question: &Value, key: &str) -> Result<T, PluginFault> {
        let mut state = self.state();
        if state.failures >= MAX_FAILURES {
            return fault(format!(
                "is not asked any more: it failed {MAX_FAILURES} times in a row"
            ));
        }
        let answer = state.process.ask(question, ANSWER_TIME);
        let answer = answer.and_then(|answer| part(answer, key));
        state.failures = if answer.is_ok() {
            0
        } else {
            state.failures + 1
        };
        answer
    }

    fn items(&self, document: &PlanDocument) -> Result<Vec<PlanItem>, PluginFault> {
        if document.text.len() > MAX_DOCUMENT {
            return fault(format!(
                "is given no document over {} MiB",
                MAX_DOCUMENT >> 20
            ));
        }
        let question = json!({"ask": "read", "path": &*document.path, "text": document.text});
        let answered: Vec<AnsweredItem> = self.ask(&question, "items")?;
        checked_items(answered, document, self.described.scope)
    }

    fn unsound(&self, document: &PlanDocument, why: &str) -> EditRefusal {
        EditRefusal::UnsoundDocument {
            path: document.path.to_string(),
            why: format!("{} {why}", self.name),
        }
    }
}

/// The part of an answer that was asked for.
fn part<T: DeserializeOwned>(mut answer: Value, key: &str) -> Result<T, PluginFault> {
    if let Some(why) = answer.get("failure").and_then(Value::as_str) {
        return Err(why.into());
    }
    let part = answer.get_mut(key).map(Value::take).unwrap_or_default();
    serde_json::from_value(part).map_err(|error| format!("answered nonsense: {error}").into())
}

impl PlanFormat for PluginFormat {
    fn scope(&self) -> &'static FormatScope {
        self.described.scope
    }

    fn layout(&self, _: &RootSettings) -> RootLayout {
        RootLayout {
            units: self.described.units.clone(),
            ..RootLayout::default()
        }
    }

    fn read(&self, source: &UnitSource) -> PlanUnit {
        let mut unit = PlanUnit::new(source.clone());
        let Some(document) = source.documents.first() else {
            return unit;
        };
        match self.items(document) {
            Ok(items) => unit.items = items,
            Err(why) => {
                let message = format!("is not read: {} {why}", self.name);
                unit.problems.push(PlanFinding::error(
                    &document.path,
                    document.first_line(),
                    message,
                ));
            }
        }
        unit
    }

    fn edit(
        &self,
        unit: Option<&PlanUnit>,
        request: &EditRequest<'_>,
    ) -> Result<UnitEdit, EditRefusal> {
        let intent = described_intent(request.intent)
            .ok_or_else(|| not_taken(self.scope(), request.intent))?;
        let document = unit.and_then(|unit| unit.source.documents.first());
        let (Some(unit), Some(document)) = (unit, document) else {
            return Err(EditRefusal::NoSuchItem {
                name: self.scope().word.into(),
                path: "its documents; name an item beside which the new one stands".into(),
            });
        };
        let item = match request.item {
            Some(_) => Some(&unit.items[requested_item(unit, request)?]),
            None => None,
        };
        if let EditIntent::Status { word } = request.intent
            && !self.scope().statuses.contains(&&**word)
        {
            return Err(EditRefusal::UnknownStatus {
                word: word.clone(),
                allowed: self
                    .scope()
                    .statuses
                    .iter()
                    .map(|word| (*word).to_owned())
                    .collect(),
            });
        }
        // What it said of this text, it has to say again: else its edits mean nothing.
        let again = self
            .items(document)
            .map_err(|fault| self.unsound(document, &fault.0))?;
        if again != unit.items {
            self.state().is_unsteady = true;
        }
        if self.state().is_unsteady {
            return Err(self.unsound(document, "reads one text in two ways"));
        }
        let question = json!({
            "ask": "edit", "path": &*document.path, "text": document.text,
            "item": item.map(|item| &*item.id), "intent": intent,
        });
        let answered = self.ask::<AnsweredEdits>(&question, "edit");
        let answered = answered.map_err(|fault| self.unsound(document, &fault.0))?;
        let texts = answered
            .edits
            .into_iter()
            .map(|(start, end, text)| TextEdit {
                document: 0,
                span: start..end.max(start),
                text,
            });
        Ok(UnitEdit {
            texts: texts.collect(),
            added: answered.added.map(Into::into),
            ..UnitEdit::default()
        })
    }

    fn check_units(&self, _: &PlanSnapshot, _: UnitFilter<'_>) -> Vec<PlanFinding> {
        Vec::new()
    }

    fn acts(&self, _: &RootSettings, _: &str, _: &str) -> Vec<ActingPart> {
        Vec::new()
    }
}

/// An intent as a plugin gets it; none for one that plugins do not take.
fn described_intent(intent: &EditIntent) -> Option<Value> {
    Some(match intent {
        EditIntent::Tick { which, on } => match which {
            TickTarget::Criterion { number, .. } => {
                json!({"kind": "tick", "on": on, "criterion": number})
            }
            TickTarget::Own | TickTarget::WithParents => json!({"kind": "tick", "on": on}),
        },
        EditIntent::Status { word } => json!({"kind": "status", "word": word}),
        EditIntent::Title { text } => json!({"kind": "title", "text": text}),
        EditIntent::Set { attribute, value } => {
            let values = match value {
                AttributeSetting::Absent => Value::Null,
                _ => json!(value.values()),
            };
            json!({"kind": "set", "attribute": attribute, "values": values})
        }
        EditIntent::Add { draft, .. } => json!({
            "kind": "add", "title": draft.title, "text": draft.text, "criteria": draft.criteria,
            "depends_on": draft.depends_on, "labels": draft.labels,
        }),
        _ => return None,
    })
}
