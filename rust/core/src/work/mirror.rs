//! Copies of records and logs in the project, for people and other programs: written, and read by none of ours
//! for anything that is decided.

use std::path::PathBuf;

use super::record::Record;
use super::records::Runs;
use crate::store::disk::{self, Growing};
use crate::store::files;

/// Where copies of records lie.
pub const RECORDS: &str = ".chant/processes";
/// Where copies of logs lie.
pub const LOGS: &str = ".chant/logs";

impl Runs {
    /// The folder of copies, made where it is missing; none where a link stands on the way to it, since what
    /// that leads to is not ours to write.
    fn mirror(&self, folder: &str) -> Option<PathBuf> {
        let made = files::make_hidden_folder(&self.disk, &self.root, folder).ok()?;
        (made == self.root.path().join(folder)).then_some(made)
    }

    /// Writes the copy of a record, as far as that can be done.
    pub(super) fn mirror_record(&self, record: &Record) {
        if let Some(folder) = self.mirror(RECORDS)
            && let Ok(Some(place)) = self
                .root
                .open_real(&folder.join(file_of(&record.process_id)))
        {
            // What was written is the record; a copy that is missing misleads nobody of ours.
            let _ = disk::copy_out(place, &record.text());
        }
    }

    /// Removes the copy of a record that goes, if it is that: nobody else's file of the name goes with it.
    pub(super) fn remove_copy(&self, record: &Record) {
        let name = file_of(&record.process_id);
        let Ok(folder) = self.root.locate(RECORDS) else {
            return;
        };
        let path = folder.join(&name);
        let is_plain = folder == self.root.path().join(RECORDS)
            && disk::owned(&path).is_some_and(|facts| facts.is_file);
        if is_plain
            && matches!(self.disk.read_text(&path, &name), Ok((text, _)) if text == record.text())
        {
            // One that stays is shown as history.
            let _ = self
                .root
                .open_real(&path)
                .map(|place| place.map(|it| it.remove()));
        }
    }

    /// The copy of a log, for one more run to add to.
    pub fn mirror_log(&self, name: &str) -> Option<Growing> {
        Growing::open(&self.mirror(LOGS)?.join(format!("{name}.log"))).ok()
    }
}

/// The file of a record.
pub(super) fn file_of(process_id: &str) -> String {
    format!("{process_id}.json")
}

/// The run of which a file of this name would be the record.
pub(super) fn process_of(file: &str) -> Option<&str> {
    file.strip_suffix(".json")
}
