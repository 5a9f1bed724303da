//! One function a tool (seed vine, reference vine 5 to 7).
//!
//! Reading functions never change a file. Writing functions decide under the file's lock on what it says
//! then, and write all of what they checked or nothing.

mod expand;
mod read;
mod stage;
mod write;

pub use expand::expand;
pub use read::{Question, Wanted, document, head, name_of_text, next, picture, plan, read, task};
pub use stage::{Batch, Stage};
pub use write::{Writing, write};

use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use super::document::Document;
use super::files::{Files, Located};
use crate::answer::{Answer, Page};
use crate::error::Error;
use crate::store::files::edit_known;

/// An answer with as many entries of each list as fit.
fn fitted<T: Serialize>(page: Page, view: impl Fn(Page) -> T) -> Answer {
    let mut page = page;
    loop {
        let shown = view(page);
        match Answer::fitting(&shown) {
            Some(answer) => return answer,
            None if page.limit > 5 => page.limit = (page.limit / 2).min(100),
            None => return Answer::data(&shown),
        }
    }
}

/// An answer with a warning for each change of several files that could be brought to no end.
fn warned(files: &Files, place: &Located, answer: Answer) -> Answer {
    let left = files.left(place).into_iter();
    let warnings: Vec<String> = left.map(|left| format!("Warning: {left}")).collect();
    answer.noted(&warnings.join("\n"))
}

/// Changes a document under its lock.
fn replaced(
    files: &Files,
    place: &Located,
    real: &Path,
    mut change: impl FnMut(&Document) -> Result<Document, Error>,
) -> Result<Arc<Document>, Error> {
    files.recover(&place.root)?;
    let mut after = None;
    let before = files.known(real);
    let known = before.as_ref().map(|document| &*document.text);
    let edit = |text: &str| {
        let document = files.document(real, text)?;
        // The text goes to the disk and comes back: it is too large to be copied for that.
        let changed = after.insert(change(&document)?);
        Ok::<_, Error>(std::mem::take(&mut changed.text))
    };
    let disk = files.disk_of(&place.root);
    let edited = edit_known(&disk, &place.root, &place.path, known, edit);
    let text = edited.map_err(|error| place.told(error))?.text;
    let Some(after) = after.map(|after| Arc::new(Document { text, ..after })) else {
        return files.read(place);
    };
    files.written(real.to_owned(), Arc::clone(&after));
    Ok(after)
}
