//! The protocol of Ollama: a stream of JSON values, the last of which has `done`.

use std::io::BufRead;

use serde_json::{Map, Value, json};

use super::event_writer::EventWriter;
use super::http::RequestFailure;
use super::model_reply::{self, ModelReply, ToolCall};

/// Reads an answer as it arrives.
pub(super) fn read(
    stream: impl BufRead,
    voice: &mut EventWriter<'_>,
) -> Result<ModelReply, RequestFailure> {
    let (mut text, mut calls) = (String::new(), Vec::new());
    for value in serde_json::Deserializer::from_reader(stream).into_iter::<Value>() {
        let value = value.map_err(RequestFailure::unreadable)?;
        if let Some(why) = value.get("error") {
            return Err(RequestFailure::said(why));
        }
        voice.is_alive();
        let message = value.get("message");
        if let Some(piece) = message.and_then(|m| m.get("content")?.as_str()) {
            voice.text(piece);
            text.push_str(piece);
        }
        let called = message.and_then(|m| m.get("tool_calls")?.as_array());
        calls.extend(called.into_iter().flatten().map(called_tool));
        match value.get("done").and_then(Value::as_bool) {
            Some(true) => return Ok(ModelReply { text, calls }),
            Some(false) => {}
            None => return Err(RequestFailure::unlike_an_answer(&value.to_string())),
        }
    }
    Err(RequestFailure::broken_off())
}

fn called_tool(call: &Value) -> ToolCall {
    let function = call.get("function").unwrap_or(&Value::Null);
    let name = function.get("name").and_then(Value::as_str);
    ToolCall {
        id: String::new(),
        name: name.unwrap_or_default().to_owned(),
        arguments: match function.get("arguments") {
            Some(Value::Object(arguments)) => Ok(arguments.clone()),
            Some(Value::String(text)) => model_reply::arguments(text),
            None | Some(Value::Null) => Ok(Map::new()),
            Some(other) => Err(other.to_string()),
        },
    }
}

/// Returns a call as the model gets it back.
pub(super) fn call(call: &ToolCall) -> Value {
    let arguments = call.arguments.clone().unwrap_or_default();
    json!({"function": {"name": call.name, "arguments": arguments}})
}
