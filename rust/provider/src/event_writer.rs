//! Reports the agent's work: the events that other agents report, a line of JSON each, and plain
//! lines.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::model_reply::ToolCall;
use super::tools::ToolFailure;

/// The longest silence while work is going on.
const MAX_SILENCE: Duration = Duration::from_secs(10);
/// The characters of a result that are reported.
const MAX_SHOWN: usize = 200;

pub(super) struct EventWriter<'a> {
    tell: &'a mut dyn FnMut(&str),
    /// The start of a line that is not complete yet.
    line: String,
    last: Instant,
}

impl<'a> EventWriter<'a> {
    pub(super) fn over(tell: &'a mut dyn FnMut(&str)) -> Self {
        Self {
            tell,
            line: String::new(),
            last: Instant::now(),
        }
    }

    /// Reports a piece of the model's text, line by line.
    pub(super) fn text(&mut self, piece: &str) {
        self.line.push_str(piece);
        while let Some(end) = self.line.find('\n') {
            let rest = self.line.split_off(end + 1);
            self.end_text();
            self.line = rest;
        }
    }

    /// Reports the rest of the text.
    pub(super) fn end_text(&mut self) {
        let line = std::mem::take(&mut self.line);
        let line = line.trim_end();
        if !line.is_empty() {
            self.message("assistant", &json!({"type": "text", "text": line}));
        }
    }

    /// Reports a call of a tool.
    pub(super) fn call(&mut self, call: &ToolCall) {
        let input = match &call.arguments {
            Ok(arguments) => Value::from(arguments.clone()),
            Err(text) => text.as_str().into(),
        };
        let part = json!({"type": "tool_use", "name": call.name, "input": input});
        self.message("assistant", &part);
    }

    /// Reports the start of a result.
    pub(super) fn result(&mut self, result: &Result<String, ToolFailure>) {
        match result {
            Ok(text) => {
                let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
                let shown: String = words.chars().take(MAX_SHOWN).collect();
                let more = if shown.len() < words.len() { "…" } else { "" };
                self.line(&format!("[result] {shown}{more}"));
            }
            Err(ToolFailure(why)) => self.message(
                "user",
                &json!({"type": "tool_result", "is_error": true, "content": why}),
            ),
        }
    }

    /// Reports another try.
    pub(super) fn retry(&mut self, why: &str, wait: Duration) {
        // The text of the answer that broke off stays.
        self.end_text();
        let why = why.split_whitespace().collect::<Vec<_>>().join(" ");
        self.line(&format!(
            "[retry] {why}; again in {:.1} s",
            wait.as_secs_f64()
        ));
    }

    /// Reports that the work goes on, if nothing was reported for a while: the runner takes silence
    /// for an agent that hangs. It leaves nothing in the log.
    pub(super) fn is_alive(&mut self) {
        if self.last.elapsed() >= MAX_SILENCE {
            self.line(&json!({"type": "stream_event"}).to_string());
        }
    }

    fn message(&mut self, kind: &str, part: &Value) {
        self.line(&json!({"type": kind, "message": {"content": [part]}}).to_string());
    }

    fn line(&mut self, line: &str) {
        (self.tell)(line);
        self.last = Instant::now();
    }
}
