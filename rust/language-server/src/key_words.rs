//! Places of front matter.

use std::ops::Range;

use chant_text::front_matter;
use chant_workspace::document_findings::CONFIGURATION;
use chant_workspace::formats;

use super::projects::DocumentKind;

/// A place in front matter.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum FrontMatterPlace<'a> {
    /// A key is being written, or stands there.
    Key,
    /// A value of a key.
    Value(&'a str),
}

/// The place of a byte; `None` outside of front matter.
pub(crate) fn front_matter_place(text: &str, byte: usize) -> Option<FrontMatterPlace<'_>> {
    let front = open_front(text)?;
    if byte < front.start || byte > front.end {
        return None;
    }
    let before = text.get(front.start..byte)?;
    let start = front.start + before.rfind('\n').map_or(0, |at| at + 1);
    let line = &text[start..byte];
    let is_key = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    if line.chars().all(is_key) && !line.starts_with('-') {
        return Some(FrontMatterPlace::Key);
    }
    let key_of = |line: &'_ str| -> Option<Range<usize>> {
        let (key, _) = line.split_once(':')?;
        (!key.is_empty() && key.chars().all(is_key) && !key.starts_with('-'))
            .then_some(0..key.len())
    };
    if let Some(key) = key_of(line) {
        return Some(FrontMatterPlace::Value(&line[key]));
    }
    // An entry of a list belongs to the key above it.
    let above = text[front.start..start].lines().rev();
    for line in above {
        if let Some(key) = key_of(line) {
            return Some(FrontMatterPlace::Value(&line[key]));
        }
    }
    None
}

/// The bytes of front matter, which need not be closed yet.
fn open_front(text: &str) -> Option<Range<usize>> {
    if let Ok(layout) = front_matter::layout(text) {
        return layout.yaml;
    }
    let start = text.find("---")?;
    let rest = text.get(start..)?.split_once('\n')?.1;
    let start = text.len() - rest.len();
    let end = rest.find("\n\n").map_or(text.len(), |at| start + at + 1);
    Some(start..end)
}

/// The word of the format of a document.
pub(crate) fn format_of(kind: DocumentKind) -> &'static str {
    match kind {
        DocumentKind::Spec => formats::SPEC_WORD,
        DocumentKind::Graph => formats::GRAPH_WORD,
        DocumentKind::Ticket => formats::TICKET_WORD,
        DocumentKind::Plan(word) => word,
        DocumentKind::Feature => formats::FEATURE_WORD,
        DocumentKind::Configuration => CONFIGURATION,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_belongs_to_the_key_of_its_line_or_above_its_list() {
        let text = "---\ntype: code\ndepends_on:\n  - abc\nst\n---\nbody st\n";
        let place = |part: &str| {
            let at = text.find(part).unwrap() + part.len();
            front_matter_place(text, at)
        };
        assert_eq!(place("type: co"), Some(FrontMatterPlace::Value("type")));
        assert_eq!(place("- ab"), Some(FrontMatterPlace::Value("depends_on")));
        assert_eq!(place("abc\nst"), Some(FrontMatterPlace::Key));
        assert_eq!(place("body st"), None);
        let open = "---\nstat";
        assert_eq!(
            front_matter_place(open, open.len()),
            Some(FrontMatterPlace::Key)
        );
    }
}
