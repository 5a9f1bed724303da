//! Checks that the format can carry a text: one that would read back as something else is refused by the name
//! of its field (reference vine W1).

use super::header;
use super::model::{Attachment, AttachmentClass, VineNode};
use super::operation::AnnotationList;
use super::whitespace::is_ws;

/// A text that the format cannot carry in a field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum InvalidField {
    #[error("\"{0}\" must be letters, digits and \"-\", parts joined by \"/\", got \"{1}\".")]
    Id(String, String),
    #[error("\"{0}\" must be one line.")]
    Lines(String),
    #[error("\"{0}\" must not be empty.")]
    Empty(String),
    #[error("\"{0}\" must not contain white space, got \"{1}\".")]
    WhiteSpace(String, String),
    #[error("\"delimiter\" must not begin with \"{0}\", which means something else in a file.")]
    DelimiterMark(&'static str),
    #[error("\"delimiter\" is a line of the description of \"{0}\"; take another.")]
    DelimiterInText(Box<str>),
    #[error(
        "\"description\" line {0} begins with \"{1}\", which means something else in a file; put other words before it."
    )]
    DescriptionMark(usize, String),
    #[error("\"{0}\" mime must be a type such as text/plain, got \"{1}\".")]
    Mime(String, Box<str>),
    #[error("\"{0}\" uri must be one line and not empty.")]
    AttachmentUri(String),
    #[error("\"annotations\" keys must be a letter, then letters and digits, got \"{0}\".")]
    AnnotationKey(Box<str>),
    #[error(
        "{0} must not be empty, nor contain line breaks, commas, \")\" or blanks around them, got \"{1}\"."
    )]
    AnnotationValue(String, String),
}

type FieldResult = Result<(), InvalidField>;

/// An ID: letters, digits and `-`, parts joined by `/`.
pub(super) fn id(name: &str, text: &str) -> FieldResult {
    if header::is_id(text) {
        return Ok(());
    }
    Err(InvalidField::Id(name.to_owned(), text.to_owned()))
}

/// A text on one line, blanks around it left out.
pub(super) fn line(name: &str, text: &str) -> Result<Box<str>, InvalidField> {
    let trimmed = text.trim_matches(is_ws);
    if trimmed.contains(['\n', '\r']) {
        return Err(InvalidField::Lines(name.to_owned()));
    }
    Ok(trimmed.into())
}

/// A name: one line, not empty.
pub(super) fn name(text: &str) -> Result<Box<str>, InvalidField> {
    let name = line("name", text)?;
    if name.is_empty() {
        return Err(InvalidField::Empty("name".into()));
    }
    Ok(name)
}

/// The file of a reference: no white space, not empty.
pub(super) fn uri(name: &str, text: &str) -> FieldResult {
    if text.is_empty() {
        return Err(InvalidField::Empty(name.to_owned()));
    }
    if text.contains(is_ws) {
        return Err(InvalidField::WhiteSpace(name.to_owned(), text.to_owned()));
    }
    Ok(())
}

/// The line between blocks: not empty, and no line of a description.
pub(super) fn delimiter<'a>(
    text: &str,
    mut nodes: impl Iterator<Item = &'a VineNode>,
) -> Result<Box<str>, InvalidField> {
    let delimiter = line("delimiter", text)?;
    if delimiter.is_empty() {
        return Err(InvalidField::Empty("delimiter".into()));
    }
    let begins = ["[", "ref ", "-> ", "> ", "@"];
    if let Some(mark) = begins.iter().find(|mark| delimiter.starts_with(**mark)) {
        return Err(InvalidField::DelimiterMark(mark));
    }
    match nodes.find(|node| has_line(node, &delimiter)) {
        None => Ok(delimiter),
        Some(node) => Err(InvalidField::DelimiterInText(node.id.clone())),
    }
}

/// Returns true if a description has a line that a delimiter would be taken for.
pub(super) fn has_line(node: &VineNode, delimiter: &str) -> bool {
    node.description.split('\n').any(|line| line == delimiter)
}

/// A description; its lines joined by line feeds.
pub(super) fn description(text: &str, delimiter: &str) -> Result<String, InvalidField> {
    let text = text.replace("\r\n", "\n");
    let attachments = AttachmentClass::ALL.map(|class| format!("@{} ", class.as_str()));
    for (at, line) in text.split('\n').enumerate() {
        let marks = ["-> ", "> "].into_iter();
        let mut marks = marks.chain(attachments.iter().map(String::as_str));
        let mark = marks.find(|mark| line.starts_with(mark));
        let mark = mark.or(Some(delimiter).filter(|delimiter| line == *delimiter));
        if let Some(mark) = mark {
            return Err(InvalidField::DescriptionMark(at + 1, mark.to_owned()));
        }
    }
    Ok(text)
}

/// Checks the attachments of a task.
pub(super) fn attachments(name: &str, attachments: &[Attachment]) -> FieldResult {
    for Attachment { mime, uri, .. } in attachments {
        if mime.is_empty() || mime.contains(is_ws) {
            return Err(InvalidField::Mime(name.to_owned(), mime.clone()));
        }
        if uri.is_empty() || uri.contains(['\n', '\r']) {
            return Err(InvalidField::AttachmentUri(name.to_owned()));
        }
    }
    Ok(())
}

/// Annotations: keys of letters and digits, values without commas and parentheses.
pub(super) fn annotations(annotations: &AnnotationList) -> FieldResult {
    for (key, values) in annotations {
        if !header::is_key(key) {
            return Err(InvalidField::AnnotationKey(key.clone()));
        }
        for value in values {
            annotation_value(&format!("\"annotations\" values of {key}"), value)?;
        }
    }
    Ok(())
}

/// One value of an annotation; `what` it is for the refusal.
pub(super) fn annotation_value(what: &str, value: &str) -> FieldResult {
    let is_fit = !value.is_empty()
        && value.trim_matches(is_ws) == value
        && !value.contains([',', ')', '\n', '\r']);
    if is_fit {
        return Ok(());
    }
    Err(InvalidField::AnnotationValue(
        what.to_owned(),
        value.to_owned(),
    ))
}
