//! The texts that an editor holds, kept up to date change by change.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use lsp_types::{TextDocumentContentChangeEvent, Uri};

use super::positions::{LineIndex, PlacedText, PositionEncoding};
use super::projects::DocumentPlace;

/// Bytes of the largest document that is taken.
const MAX_DOCUMENT: usize = 8 << 20;

/// Bytes of all documents together.
const MAX_TOGETHER: usize = 64 << 20;

/// A document that an editor has open.
pub(crate) struct Draft {
    /// Its name, as the editor writes it.
    pub(crate) uri: Uri,
    /// The file.
    pub(crate) file: PathBuf,
    /// Its place in a project; none for a file that is of no plan.
    pub(crate) place: Option<DocumentPlace>,
    /// The editor's number of this text.
    pub(crate) version: i32,
    /// The text.
    pub(crate) text: Arc<str>,
    /// Its lines.
    pub(crate) lines: LineIndex,
    /// True if it is too large, so that its text is not kept.
    pub(crate) is_too_large: bool,
}

impl Draft {
    /// The text as the editor counts it.
    pub(crate) fn placed(&self, encoding: PositionEncoding) -> PlacedText<'_> {
        PlacedText {
            text: &self.text,
            lines: &self.lines,
            encoding,
        }
    }
}

/// All documents that an editor has open, by their names.
#[derive(Default)]
pub(crate) struct Drafts {
    by_uri: BTreeMap<String, Draft>,
}

impl Drafts {
    /// The document of a name.
    pub(crate) fn find(&self, uri: &Uri) -> Option<&Draft> {
        self.by_uri.get(uri.as_str())
    }

    /// The open document of a file.
    pub(crate) fn of_file(&self, file: &std::path::Path) -> Option<&Draft> {
        self.all().find(|draft| draft.file == file)
    }

    /// All of them, in the order of their names.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Draft> {
        self.by_uri.values()
    }

    /// All of them, to be placed anew.
    pub(crate) fn all_mut(&mut self) -> impl Iterator<Item = &mut Draft> {
        self.by_uri.values_mut()
    }

    /// Takes a document that was opened.
    pub(crate) fn open(&mut self, mut draft: Draft, text: String) {
        self.by_uri.remove(draft.uri.as_str());
        self.put(&mut draft, text);
        self.by_uri.insert(draft.uri.as_str().to_owned(), draft);
    }

    /// Lets go of a document that was closed.
    pub(crate) fn close(&mut self, uri: &Uri) -> Option<Draft> {
        self.by_uri.remove(uri.as_str())
    }

    /// Applies the changes of an editor to a document, one behind the other.
    pub(crate) fn change(
        &mut self,
        uri: &Uri,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: PositionEncoding,
    ) {
        let Some(mut draft) = self.by_uri.remove(uri.as_str()) else {
            return;
        };
        draft.version = version;
        let mut text = draft.text.to_string();
        let mut lines = draft.lines.clone();
        let is_whole = |change: &TextDocumentContentChangeEvent| change.range.is_none();
        // Of a text that was not kept, only a whole one says what it is now.
        if !draft.is_too_large || changes.iter().any(is_whole) {
            for change in changes {
                let Some(range) = change.range else {
                    text = change.text;
                    lines = LineIndex::of(&text);
                    continue;
                };
                let bytes = PlacedText {
                    text: &text,
                    lines: &lines,
                    encoding,
                }
                .bytes_of(range);
                text.replace_range(bytes, &change.text);
                lines = LineIndex::of(&text);
            }
            self.put(&mut draft, text);
        }
        self.by_uri.insert(uri.as_str().to_owned(), draft);
    }

    fn put(&self, draft: &mut Draft, text: String) {
        let others: usize = self.all().map(|other| other.text.len()).sum();
        draft.is_too_large = text.len() > MAX_DOCUMENT || others + text.len() > MAX_TOGETHER;
        draft.text = if draft.is_too_large { "" } else { &*text }.into();
        draft.lines = LineIndex::of(&draft.text);
    }
}
