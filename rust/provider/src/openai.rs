//! The protocol of OpenAI: events with pieces of an answer, or the whole answer from servers that do not
//! stream.

use std::io::BufRead;

use serde_json::{Value, json};

use super::event_writer::EventWriter;
use super::events;
use super::http::RequestFailure;
use super::model_reply::{self, ModelReply, ToolCall};

/// The text that ends the events.
const DONE: &str = "[DONE]";

/// An answer as far as it has arrived.
#[derive(Default)]
struct StreamedAnswer {
    text: String,
    calls: Vec<StreamedCall>,
    is_finished: bool,
}

/// A call as far as it has arrived.
#[derive(Default)]
struct StreamedCall {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
}

/// Reads an answer as it arrives.
pub(super) fn read(
    mut stream: impl BufRead,
    voice: &mut EventWriter<'_>,
) -> Result<ModelReply, RequestFailure> {
    let mut pieces = StreamedAnswer::default();
    while let Some(data) = events::next(&mut stream).map_err(RequestFailure::broken)? {
        if data == DONE {
            return Ok(pieces.whole());
        }
        let event: Value =
            serde_json::from_str(&data).map_err(|_| RequestFailure::unlike_an_answer(&data))?;
        voice.is_alive();
        pieces.take(&event, "delta", voice)?;
    }
    if pieces.is_finished {
        return Ok(pieces.whole());
    }
    Err(RequestFailure::broken_off())
}

/// Reads an answer that does not come in events.
pub(super) fn read_whole(
    mut stream: impl BufRead,
    voice: &mut EventWriter<'_>,
) -> Result<ModelReply, RequestFailure> {
    let mut text = Vec::new();
    stream
        .read_to_end(&mut text)
        .map_err(RequestFailure::broken)?;
    if text.is_empty() {
        return Err(RequestFailure::broken_off());
    }
    let text = String::from_utf8_lossy(&text);
    let answer: Value =
        serde_json::from_str(&text).map_err(|_| RequestFailure::unlike_an_answer(&text))?;
    if answer.get("choices").is_none() && answer.get("error").is_none() {
        return Err(RequestFailure::unlike_an_answer(&text));
    }
    let mut pieces = StreamedAnswer::default();
    pieces.take(&answer, "message", voice)?;
    Ok(pieces.whole())
}

impl StreamedAnswer {
    fn take(
        &mut self,
        event: &Value,
        key: &str,
        voice: &mut EventWriter<'_>,
    ) -> Result<(), RequestFailure> {
        if let Some(why) = event.get("error").filter(|why| !why.is_null()) {
            return Err(RequestFailure::said(why));
        }
        // Some events report other facts, such as the cost of the answer.
        let Some(choice) = event.pointer("/choices/0") else {
            return Ok(());
        };
        self.is_finished |= choice.get("finish_reason").is_some_and(Value::is_string);
        let piece = choice.get(key).unwrap_or(&Value::Null);
        if let Some(text) = piece.get("content").and_then(Value::as_str) {
            voice.text(text);
            self.text.push_str(text);
        }
        let calls = piece.get("tool_calls").and_then(Value::as_array);
        for call in calls.into_iter().flatten() {
            self.take_call(call);
        }
        Ok(())
    }

    fn take_call(&mut self, call: &Value) {
        let index = call.get("index").and_then(Value::as_u64);
        let text = |pointer: &str| call.pointer(pointer).and_then(Value::as_str);
        let id = text("/id").unwrap_or_default();
        // Servers that do not number calls send each of them whole.
        let known = match index {
            Some(_) => self.calls.iter().position(|piece| piece.index == index),
            None => None,
        };
        let at = known.unwrap_or(self.calls.len());
        if known.is_none() {
            self.calls.push(StreamedCall {
                index,
                ..StreamedCall::default()
            });
        }
        let piece = &mut self.calls[at];
        if piece.id.is_empty() {
            id.clone_into(&mut piece.id);
        }
        if piece.name.is_empty() {
            piece
                .name
                .push_str(text("/function/name").unwrap_or_default());
        }
        match call.pointer("/function/arguments") {
            Some(Value::String(text)) => piece.arguments.push_str(text),
            Some(arguments @ Value::Object(_)) => piece.arguments = arguments.to_string(),
            _ => {}
        }
    }

    fn whole(self) -> ModelReply {
        let calls = self.calls.into_iter().enumerate();
        let call = |(number, piece): (usize, StreamedCall)| ToolCall {
            id: if piece.id.is_empty() {
                format!("call_{number}")
            } else {
                piece.id
            },
            name: piece.name,
            arguments: model_reply::arguments(&piece.arguments),
        };
        ModelReply {
            text: self.text,
            calls: calls.map(call).collect(),
        }
    }
}

/// Returns a call as the model gets it back. Servers refuse arguments that are not JSON, so these
/// are left out; the result reports the fault in them.
pub(super) fn call(call: &ToolCall) -> Value {
    let arguments = call.arguments.clone().unwrap_or_default();
    let arguments = Value::from(arguments).to_string();
    json!({
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": arguments},
    })
}
