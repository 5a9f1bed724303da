//! Attributes as callers give them, checked before anything is read or written (reference tickets 3.7,
//! 3.8 and 10).

use serde_json::{Map, Value};

use super::code::TicketCode;
use super::error::{TicketError, quoted};
use super::model::{IMPACT_AREAS, TicketPriority};
use super::parse::{is_date, items, one_line};
use chant_base::external_items;
use chant_base::ident::nearest;

/// Most characters of an attribute: a whole document belongs into the body.
const MAX_CHARS: usize = 2_000;

/// The attributes that `create_cr` takes in `data`.
pub const CREATABLE: [&str; 9] = [
    "title", "priority", "phaseEpic", "assignee", "relatedTickets", "dependsOn", "blocks",
    IMPACT_AREAS, "content",
];

/// The attributes that `update_cr_attrs` takes.
pub const UPDATABLE: [&str; 10] = [
    "title", "priority", "phaseEpic", "assignee", "relatedTickets", "dependsOn", "blocks",
    IMPACT_AREAS, "implementationDate", "implementationNotes",
];

/// The value of an attribute; an empty one takes it out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttributeValue {
    /// One line.
    Text(String),
    /// Codes of other tickets, each in full.
    List(Vec<String>),
}

/// Attributes by name, in the order in which they are documented.
pub type AttributeList = Vec<(&'static str, AttributeValue)>;

/// The fault of a value of an attribute.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum InvalidValue {
    #[error("Title is required")]
    NoTitle,
    #[error("{}", not_one_of("priority", .0, &TicketPriority::listed()))]
    Priority(String),
    #[error(
        "{} is no date; expected one such as 2025-10-02 or 2025-10-02T09:20:02.492Z",
        quoted(.0)
    )]
    Date(String),
    #[error("expected text, got {0}")]
    NotText(&'static str),
    #[error("expected one line of text without control characters")]
    Lines,
    #[error("expected at most {MAX_CHARS} characters, got {0}; long texts belong into the content")]
    TooLong(usize),
    #[error(
        "{} is no key; expected codes such as {example} with commas between them",
        quoted(item)
    )]
    NoKey { item: String, example: TicketCode },
}

/// Attributes in the order in which they are allowed, each checked; `null` means absent.
///
/// # Errors
/// `Validation` naming every attribute that is unknown or has a value it may not have.
pub fn read(
    given: &Map<String, Value>,
    allowed: &[&'static str],
    project: &str,
) -> Result<AttributeList, TicketError> {
    let mut fields: Vec<(String, String)> = Vec::new();
    let unknown = given
        .keys()
        .filter(|name| !allowed.contains(&name.as_str()));
    fields.extend(unknown.map(|name| (name.clone(), unknown_attribute(name, allowed))));
    let mut read = Vec::new();
    for name in allowed.iter().filter(|name| **name != "content") {
        match given.get(*name) {
            None | Some(Value::Null) => {}
            Some(value) => match attribute(name, value, project) {
                Ok(attribute) => read.push((*name, attribute)),
                Err(why) => fields.push(((*name).to_owned(), why.to_string())),
            },
        }
    }
    if fields.is_empty() {
        Ok(read)
    } else {
        Err(TicketError::Validation { fields })
    }
}

fn unknown_attribute(name: &str, allowed: &[&str]) -> String {
    let hint = match name {
        "status" => "use update_cr_status to change the status; ".to_owned(),
        "code" => "the code of a ticket does not change; ".to_owned(),
        name => nearest(name, allowed.iter().copied())
            .map_or_else(String::new, |near| format!("did you mean {near}? ")),
    };
    format!(
        "Unknown attribute; {hint}allowed are: {}",
        allowed.join(", ")
    )
}

fn attribute(name: &str, value: &Value, project: &str) -> Result<AttributeValue, InvalidValue> {
    match name {
        "relatedTickets" | "dependsOn" | "blocks" => {
            codes(value, project).map(AttributeValue::List)
        }
        IMPACT_AREAS => texts(value).map(AttributeValue::List),
        "title" => {
            let title = one_line(&line(value)?);
            if title.is_empty() {
                return Err(InvalidValue::NoTitle);
            }
            Ok(AttributeValue::Text(title))
        }
        "priority" => {
            let word = line(value)?;
            let known = TicketPriority::read(&word);
            let known = known.ok_or(InvalidValue::Priority(word))?;
            Ok(AttributeValue::Text(known.as_str().into()))
        }
        "implementationDate" => {
            let date = line(value)?;
            if date.is_empty() || is_date(&date) {
                return Ok(AttributeValue::Text(date));
            }
            Err(InvalidValue::Date(date))
        }
        _ => line(value).map(AttributeValue::Text),
    }
}

/// The words for a value that is none of those documented.
pub fn not_one_of(what: &str, word: &str, listed: &str) -> String {
    format!("Invalid {what} {}. Must be one of: {listed}", quoted(word))
}

/// One line of text without blanks around it.
fn line(value: &Value) -> Result<String, InvalidValue> {
    let Value::String(text) = value else {
        return Err(InvalidValue::NotText(kind_of(value)));
    };
    let is_break = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    if text.trim().contains(is_break) {
        return Err(InvalidValue::Lines);
    }
    let length = text.chars().count();
    if length > MAX_CHARS {
        return Err(InvalidValue::TooLong(length));
    }
    Ok(text.trim().to_owned())
}

/// Codes given as one text with commas or as a list; numbers alone are of this project. Each comes
/// once, in full.
fn codes(value: &Value, project: &str) -> Result<Vec<String>, InvalidValue> {
    let texts: Vec<String> = match value {
        Value::Array(items) => items.iter().map(code_text).collect::<Result<_, _>>()?,
        one => vec![code_text(one)?],
    };
    let mut codes: Vec<String> = Vec::new();
    for item in items(texts.iter().map(String::as_str)) {
        let code = match TicketCode::asked(item, project) {
            Some(code) => code.to_string(),
            None if is_key(item) => item.to_owned(),
            None => {
                return Err(InvalidValue::NoKey {
                    item: item.to_owned(),
                    example: TicketCode::new(project, 7),
                });
            }
        };
        if !codes.contains(&code) {
            codes.push(code);
        }
    }
    Ok(codes)
}

/// Texts given as one with commas or as a list, each once.
fn texts(value: &Value) -> Result<Vec<String>, InvalidValue> {
    let lines: Vec<String> = match value {
        Value::Array(items) => items.iter().map(line).collect::<Result<_, _>>()?,
        one => vec![line(one)?],
    };
    let mut texts: Vec<String> = Vec::new();
    for item in items(lines.iter().map(String::as_str)) {
        if !texts.iter().any(|text| text == item) {
            texts.push(item.to_owned());
        }
    }
    Ok(texts)
}

/// Returns true if an item of a list is the key of something in another dialect.
fn is_key(item: &str) -> bool {
    external_items::is_key(item) && !item.contains(char::is_whitespace)
}

fn code_text(value: &Value) -> Result<String, InvalidValue> {
    match value {
        Value::Number(number) if number.is_u64() => Ok(number.to_string()),
        value => line(value),
    }
}

/// Returns the kind of a JSON value, in words.
pub fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
