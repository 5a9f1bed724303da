//! The file in which cc-sdd keeps how far a spec is: `spec.json`.

use chant_base::text_place::TextPlace;
use chant_plan_format::document::PlanDocument;
use serde_json::Value;

/// How far a spec is approved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SpecFile {
    /// True if a person has to approve the tasks before work on them begins.
    pub(super) waits_for_approval: bool,
    /// The fault of the file, if it cannot be read, with the place where reading ended.
    pub(super) fault: Option<(TextPlace, String)>,
}

impl SpecFile {
    /// Reads the file. One that cannot be read approves nothing.
    pub(super) fn read(document: &PlanDocument) -> Self {
        let text = document
            .text
            .strip_prefix('\u{feff}')
            .unwrap_or(&document.text);
        let value: Value = match serde_json::from_str(text) {
            Ok(value) => value,
            Err(fault) => {
                let message = format!("is no JSON ({fault}), so no task counts as approved");
                let place = document.line_place(fault.line().max(1));
                return Self {
                    waits_for_approval: true,
                    fault: Some((place, message)),
                };
            }
        };
        let is_true = |value: Option<&Value>| value == Some(&Value::Bool(true));
        let is_ready = value.get("ready_for_implementation");
        let waits_for_approval = match value.get("approvals") {
            _ if is_true(is_ready) => false,
            Some(approvals) => !is_true(
                approvals
                    .get("tasks")
                    .and_then(|tasks| tasks.get("approved")),
            ),
            None => is_ready.is_some(),
        };
        Self {
            waits_for_approval,
            fault: None,
        }
    }
}
