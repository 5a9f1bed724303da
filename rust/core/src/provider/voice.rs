//! What the agent tells of its work: the messages that other agents tell, a line of JSON each, and lines
//! that stand for themselves.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::talk::Call;
use super::tools::Told;

/// How long nothing may be told while something is going on.
const SILENCE: Duration = Duration::from_secs(10);
/// Characters of a result that are told.
const SHOWN: usize = 200;

pub(super) struct Voice<'a> {
    tell: &'a mut dyn FnMut(&str),
    /// The beginning of a line whose end has not come yet.
    line: String,
    last: Instant,
}

impl<'a> Voice<'a> {
    pub(super) fn over(tell: &'a mut dyn FnMut(&str)) -> Self {
        Self {
            tell,
            line: String::new(),
            last: Instant::now(),
        }
    }

    /// Tells a piece of the model's text, line by line.
    pub(super) fn text(&mut self, piece: &str) {
        self.line.push_str(piece);
        while let Some(end) = self.line.find('\n') {
            let rest = self.line.split_off(end + 1);
            self.end_text();
            self.line = rest;
        }
    }

    /// Tells what is left of the text.
    pub(super) fn end_text(&mut self) {
        let line = std::mem::take(&mut self.line);
        let line = line.trim_end();
        if !line.is_empty() {
            self.message("assistant", &json!({"type": "text", "text": line}));
        }
    }

    /// Tells that a tool is called.
    pub(super) fn call(&mut self, call: &Call) {
        let input = match &call.arguments {
            Ok(arguments) => Value::from(arguments.clone()),
            Err(text) => text.as_str().into(),
        };
        let part = json!({"type": "tool_use", "name": call.name, "input": input});
        self.message("assistant", &part);
    }

    /// Tells the beginning of a result.
    pub(super) fn result(&mut self, result: &Result<String, Told>) {
        match result {
            Ok(text) => {
                let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
                let shown: String = words.chars().take(SHOWN).collect();
                let more = if shown.len() < words.len() { "…" } else { "" };
                self.line(&format!("[result] {shown}{more}"));
            }
            Err(Told(why)) => self.message(
                "user",
                &json!({"type": "tool_result", "is_error": true, "content": why}),
            ),
        }
    }

    /// Tells that something will be tried again.
    pub(super) fn retry(&mut self, why: &str, wait: Duration) {
        // What was told of the answer that broke off stays.
        self.end_text();
        let why = why.split_whitespace().collect::<Vec<_>>().join(" ");
        self.line(&format!(
            "[retry] {why}; again in {:.1} s",
            wait.as_secs_f64()
        ));
    }

    /// Tells that the work goes on, where nothing else was told for a while: whoever listens takes silence
    /// for an agent that hangs. It leaves nothing in the log.
    pub(super) fn is_alive(&mut self) {
        if self.last.elapsed() >= SILENCE {
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
