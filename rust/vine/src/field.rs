//! Checks that the format can carry a text: one that would read back as something else is refused by the name
//! of its field (reference vine W1).

use super::header;
use super::model::{Attachment, AttachmentClass, VineNode};
use super::operation::AnnotationList;
use super::whitespace::is_ws;

/// Why a field cannot be written.
pub(super) type FieldResult = Result<(), String>;

/// An ID: letters, digits and `-`, parts joined by `/`.
pub(super) fn id(name: &str, text: &str) -> FieldResult {
    if header::is_id(text) {
        return Ok(());
    }
    Err(format!(
        "\"{name}\" must be letters, digits and \"-\", parts joined by \"/\", got \"{text}\"."
    ))
}

/// A text on one line, blanks around it left out.
pub(super) fn line(name: &str, text: &str) -> Result<Box<str>, String> {
    let trimmed = text.trim_matches(is_ws);
    if trimmed.contains(['\n', '\r']) {
        return Err(format!("\"{name}\" must be one line."));
    }
    Ok(trimmed.into())
}

/// A name: one line, not empty.
pub(super) fn name(text: &str) -> Result<Box<str>, String> {
    let name = line("name", text)?;
    if name.is_empty() {
        return Err("\"name\" must not be empty.".into());
    }
    Ok(name)
}

/// The file of a reference: no white space, not empty.
pub(super) fn uri(name: &str, text: &str) -> FieldResult {
    if text.is_empty() {
        return Err(format!("\"{name}\" must not be empty."));
    }
    if text.contains(is_ws) {
        return Err(format!(
            "\"{name}\" must not contain white space, got \"{text}\"."
        ));
    }
    Ok(())
}

/// The line between blocks: not empty, and no line of a description.
pub(super) fn delimiter<'a>(
    text: &str,
    mut nodes: impl Iterator<Item = &'a VineNode>,
) -> Result<Box<str>, String> {
    let delimiter = line("delimiter", text)?;
    if delimiter.is_empty() {
        return Err("\"delimiter\" must not be empty.".into());
    }
    let begins = ["[", "ref ", "-> ", "> ", "@"];
    if let Some(mark) = begins.iter().find(|mark| delimiter.starts_with(**mark)) {
        return Err(format!(
            "\"delimiter\" must not begin with \"{mark}\", which means something else in a file."
        ));
    }
    match nodes.find(|node| has_line(node, &delimiter)) {
        None => Ok(delimiter),
        Some(node) => Err(format!(
            "\"delimiter\" is a line of the description of \"{}\"; take another.",
            node.id
        )),
    }
}

/// Returns true if a description has a line that a delimiter would be taken for.
pub(super) fn has_line(node: &VineNode, delimiter: &str) -> bool {
    node.description.split('\n').any(|line| line == delimiter)
}

/// A description; its lines joined by line feeds.
pub(super) fn description(text: &str, delimiter: &str) -> Result<String, String> {
    let text = text.replace("\r\n", "\n");
    let attachments = AttachmentClass::ALL.map(|class| format!("@{} ", class.as_str()));
    for (at, line) in text.split('\n').enumerate() {
        let marks = ["-> ", "> "].into_iter();
        let mut marks = marks.chain(attachments.iter().map(String::as_str));
        let mark = marks.find(|mark| line.starts_with(mark));
        let mark = mark.or(Some(delimiter).filter(|delimiter| line == *delimiter));
        if let Some(mark) = mark {
            return Err(format!(
                "\"description\" line {} begins with \"{mark}\", which means something else in a file; \
                 put other words before it.",
                at + 1
            ));
        }
    }
    Ok(text)
}

/// Checks the attachments of a task.
pub(super) fn attachments(name: &str, attachments: &[Attachment]) -> FieldResult {
    for Attachment { mime, uri, .. } in attachments {
        if mime.is_empty() || mime.contains(is_ws) {
            return Err(format!(
                "\"{name}\" mime must be a type such as text/plain, got \"{mime}\"."
            ));
        }
        if uri.is_empty() || uri.contains(['\n', '\r']) {
            return Err(format!("\"{name}\" uri must be one line and not empty."));
        }
    }
    Ok(())
}

/// Annotations: keys of letters and digits, values without commas and parentheses.
pub(super) fn annotations(annotations: &AnnotationList) -> FieldResult {
    for (key, values) in annotations {
        if !header::is_key(key) {
            return Err(format!(
                "\"annotations\" keys must be a letter, then letters and digits, got \"{key}\"."
            ));
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
    Err(format!(
        "{what} must not be empty, nor contain line breaks, commas, \")\" or blanks around them, got \
         \"{value}\"."
    ))
}
