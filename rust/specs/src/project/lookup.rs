//! One spec of a folder, looked up by its whole ID without reading any other.

use std::path::Path;

use super::{ARCHIVE, SPECS};
use crate::id::SpecId;
use crate::model::SpecStatus;
use crate::parse;
use chant_store::StoreError;
use chant_store::disk::{self, Disk};
use chant_store::index::FileSource;
use chant_store::stamped::PathStamps;

/// The result of looking up a spec.
#[derive(Debug, Default)]
pub struct SpecLookup {
    /// Its state, and its file relative to the folder; the active spec counts before the archived one.
    pub found: Option<(SpecStatus, String)>,
    /// Why a file of that ID cannot be read, where none can.
    pub unreadable: Option<String>,
    /// The files that decide about it, with the stamp that each had.
    pub files: PathStamps,
    /// True if one of them could change and keep its stamp: it was written a moment ago.
    pub is_doubted: bool,
}

/// Looks up a spec among the active and the archived ones of a folder.
pub fn look_up(base: &Path, id: &SpecId, disk: &Disk) -> SpecLookup {
    let mut looked = SpecLookup::default();
    let real = disk::real(base).unwrap_or_else(|_| base.to_owned());
    let disk = disk.clone().within(&real);
    let places = [
        format!("{SPECS}/{id}.md"),
        format!("{ARCHIVE}/{}/{id}.md", id.archive_folder()),
    ];
    for place in places {
        looked.files.add(base.join(&place));
        let read = match disk.read_text(&real.join(&place), &place) {
            Ok((text, _)) => parse::document(&place, FileSource::Text(text))
                .map_err(|broken| format!("{place}: {}", broken.problem.message)),
            Err(StoreError::Missing { .. }) => Err(String::new()),
            Err(error) => Err(error.to_string()),
        };
        let status = read.as_ref().ok().map(|spec| spec.status);
        let why = read.err().filter(|why| !why.is_empty());
        looked.unreadable = looked.unreadable.or(why);
        looked.found = looked.found.or(status.map(|status| (status, place)));
    }
    looked.is_doubted = !looked.files.are_settled((disk.clock)(&real));
    looked
}
