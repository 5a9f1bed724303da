//! One function a tool (seed vine, reference vine 5 to 7).
//!
//! Reading functions never change a file. Writing functions decide under the file's lock on what it says
//! then, and write all of what they checked or nothing.

mod expand;
mod read;
mod staged;
mod write;

pub use expand::expand;
pub use read::{
    GraphQuery, NodeFilter, document, head, name_of_text, next, picture, plan, read, task, text,
};
pub use staged::{OperationBatch, StagedGraphs};
pub use write::{WriteOptions, write};

use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use super::document::VineDocument;
use super::files::{GraphLocation, VineStore};
use chant_base::answer::{Answer, PageRequest};
use chant_base::error::Error;
use chant_store::files::edit_known;

/// An answer with as many entries of each list as fit.
fn fitted<T: Serialize>(page: PageRequest, view: impl Fn(PageRequest) -> T) -> Answer {
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
fn warned(files: &VineStore, place: &GraphLocation, answer: Answer) -> Answer {
    let left = files.left(place).into_iter();
    let warnings: Vec<String> = left.map(|left| format!("Warning: {left}")).collect();
    answer.noted(&warnings.join("\n"))
}

/// Changes a document under its lock.
fn replaced(
    files: &VineStore,
    place: &GraphLocation,
    real: &Path,
    mut change: impl FnMut(&VineDocument) -> Result<VineDocument, Error>,
) -> Result<Arc<VineDocument>, Error> {
    files.recover(&place.root)?;
    let mut after = None;
    let before = files.last_document(real);
    let known = before.as_ref().map(|document| &*document.text);
    let edit = |text: &str| {
        let document = files.document(real, text)?;
        // The text goes to the disk and comes back: it is too large to be copied for that.
        let changed = after.insert(change(&document)?);
        Ok::<_, Error>(std::mem::take(&mut changed.text))
    };
    let disk = files.disk_of(&place.root);
    let edited = edit_known(&disk, &place.root, &place.path, known, edit);
    let text = edited.map_err(|error| place.to_seed_error(error))?.text;
    let Some(after) = after.map(|after| Arc::new(VineDocument { text, ..after })) else {
        return files.read(place);
    };
    files.written(real.to_owned(), Arc::clone(&after));
    Ok(after)
}
