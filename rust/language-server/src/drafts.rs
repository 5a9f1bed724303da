//! The texts that an editor holds, kept up to date change by change.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use lsp_types::{TextDocumentContentChangeEvent, Uri};

use super::disk_side::DiskSide;
use super::positions::{LineIndex, PlacedText, PositionEncoding};
use super::projects::DocumentPlace;

/// Bytes of the largest document that is taken.
const MAX_DOCUMENT: usize = 8 << 20;

/// Bytes of all documents together.
const MAX_TOGETHER: usize = 64 << 20;

/// A document that an editor has open.
pub(crate) struct OpenDocument {
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
    /// The file below it.
    pub(crate) disk: DiskSide,
}

impl OpenDocument {
    /// The text that is read in place of the file; none of one that is too large.
    pub(crate) fn held(&self) -> Option<Arc<str>> {
        (!self.is_too_large).then(|| Arc::clone(&self.text))
    }

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
pub(crate) struct OpenDocuments {
    by_uri: BTreeMap<String, OpenDocument>,
}

impl OpenDocuments {
    /// The document of a name.
    pub(crate) fn find(&self, uri: &Uri) -> Option<&OpenDocument> {
        self.by_uri.get(uri.as_str())
    }

    /// The open document of a file.
    pub(crate) fn of_file(&self, file: &std::path::Path) -> Option<&OpenDocument> {
        self.all().find(|draft| draft.file == file)
    }

    /// All of them, in the order of their names.
    pub(crate) fn all(&self) -> impl Iterator<Item = &OpenDocument> {
        self.by_uri.values()
    }

    /// All of them, to be placed anew.
    pub(crate) fn all_mut(&mut self) -> impl Iterator<Item = &mut OpenDocument> {
        self.by_uri.values_mut()
    }

    /// Takes a document that was opened.
    pub(crate) fn open(&mut self, mut draft: OpenDocument, text: String) {
        self.by_uri.remove(draft.uri.as_str());
        self.put(&mut draft, text);
        self.by_uri.insert(draft.uri.as_str().to_owned(), draft);
    }

    /// Lets go of a document that was closed.
    pub(crate) fn close(&mut self, uri: &Uri) -> Option<OpenDocument> {
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
            let before = Arc::clone(&draft.text);
            self.put(&mut draft, text);
            draft.disk.forget_taken(&before, &draft.text);
        }
        self.by_uri.insert(uri.as_str().to_owned(), draft);
    }

    fn put(&self, draft: &mut OpenDocument, text: String) {
        let others: usize = self.all().map(|other| other.text.len()).sum();
        draft.is_too_large = text.len() > MAX_DOCUMENT || others + text.len() > MAX_TOGETHER;
        draft.text = if draft.is_too_large { "" } else { &*text }.into();
        draft.lines = LineIndex::of(&draft.text);
        draft.disk.note_own(&draft.text);
    }
}

#[cfg(test)]
mod tests {
    use lsp_types::Position;

    use super::*;

    const PIECES: [&str; 10] = [
        "", "x", "\n", "\r\n", "\r", "😀", "e\u{301}", "- [ ] é\n", "\u{feff}", "---\n",
    ];

    fn draft(name: &str) -> OpenDocument {
        OpenDocument {
            uri: format!("file:///{name}").parse().unwrap(),
            file: format!("/{name}").into(),
            place: None,
            version: 1,
            text: "".into(),
            lines: LineIndex::of(""),
            is_too_large: false,
            disk: DiskSide::default(),
        }
    }

    /// The place of a byte, counted anew: no part of the product is asked.
    fn position(text: &str, byte: usize, encoding: PositionEncoding) -> Position {
        let before = &text[..byte];
        let start = before.rfind(['\n', '\r']).map_or(0, |at| at + 1);
        let lines = before.replace("\r\n", "\n").matches(['\n', '\r']).count();
        let character = match encoding {
            PositionEncoding::Bytes => byte - start,
            PositionEncoding::Utf16 => before[start..].encode_utf16().count(),
        };
        let short = |number: usize| u32::try_from(number).unwrap();
        Position::new(short(lines), short(character))
    }

    /// A byte at which an editor may have its cursor: not between the two parts of the end of a line.
    fn cursor(text: &str, random: &mut fastrand::Rng) -> usize {
        loop {
            let at = random.usize(..=text.len());
            let splits_end = || text[..at].ends_with('\r') && text[at..].starts_with('\n');
            if text.is_char_boundary(at) && !splits_end() {
                return at;
            }
        }
    }

    #[test]
    fn a_text_is_that_of_the_editor_after_any_edits() {
        for (seed, encoding) in [(1, PositionEncoding::Bytes), (2, PositionEncoding::Utf16)] {
            let mut random = fastrand::Rng::with_seed(seed);
            let uri: Uri = "file:///a.md".parse().unwrap();
            let mut drafts = OpenDocuments::default();
            let mut text = "a😀b\r\nzwei\n".to_owned();
            drafts.open(draft("a.md"), text.clone());
            for version in 2..2_002 {
                let mut changes = Vec::new();
                for _ in 0..random.usize(1..4) {
                    let (one, other) = (cursor(&text, &mut random), cursor(&text, &mut random));
                    let mut range = one.min(other)..one.max(other);
                    // Nearly all long ranges become short, so that the text grows.
                    if random.u8(..) < 240 && range.len() > 9 {
                        range = range.start..range.start;
                    }
                    let new = PIECES[random.usize(..PIECES.len())];
                    changes.push(TextDocumentContentChangeEvent {
                        range: Some(lsp_types::Range::new(
                            position(&text, range.start, encoding),
                            position(&text, range.end, encoding),
                        )),
                        range_length: None,
                        text: new.to_owned(),
                    });
                    text.replace_range(range, new);
                }
                drafts.change(&uri, version, changes, encoding);
                assert_eq!(&*drafts.find(&uri).unwrap().text, text, "{version}");
            }
        }
    }

    #[test]
    fn documents_that_are_too_large_together_are_not_kept() {
        let mut drafts = OpenDocuments::default();
        for number in 0..9 {
            drafts.open(draft(&number.to_string()), "x".repeat(MAX_DOCUMENT));
        }
        let kept = drafts.all().filter(|draft| !draft.is_too_large);
        assert_eq!(kept.count(), 8);
    }
}
