//! Copies of records and logs in the project, for people and other programs. Our own decisions
//! never depend on them.

use std::path::PathBuf;

use super::run_record::{RunRecord, file_of};
use super::run_store::RunStore;
use chant_store::disk::{self, AppendFile};
use chant_store::files;

/// The folder of projects of specs.
const OWN_FOLDER: &str = ".chant";
/// The folder of the copies of records.
pub const RECORDS: &str = ".chant/processes";
/// The folder of the copies of logs.
pub const LOGS: &str = ".chant/logs";

impl RunStore {
    /// Returns the folder of copies and creates it if it is missing. `None` if a link stands on the
    /// way to it, because its target is not ours to write.
    fn mirror(&self, folder: &str) -> Option<PathBuf> {
        // A project that plans in other formats gets no folder by a run.
        if !disk::exists(&self.root.path().join(OWN_FOLDER)) {
            return None;
        }
        let made = files::make_hidden_folder(&self.disk, &self.root, folder).ok()?;
        (made == self.root.path().join(folder)).then_some(made)
    }

    /// Writes the copy of a record, as far as possible.
    pub(super) fn mirror_record(&self, record: &RunRecord) {
        if let Some(folder) = self.mirror(RECORDS)
            && let Ok(Some(place)) = self
                .root
                .open_real(&folder.join(file_of(&record.process_id)))
        {
            // The record itself is written; a missing copy does not matter to us.
            let _ = disk::copy_out(place, &record.text());
        }
    }

    /// Removes the copy of a record that is removed, but not another file of the same name.
    pub(super) fn remove_copy(&self, record: &RunRecord) {
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
            // A copy that stays is shown as history.
            let _ = self
                .root
                .open_real(&path)
                .map(|place| place.map(|it| it.remove()));
        }
    }

    /// Returns the copy of a log, to which one more run appends.
    pub fn mirror_log(&self, name: &str) -> Option<AppendFile> {
        let path = self.mirror(LOGS)?.join(format!("{name}.log"));
        AppendFile::open(&self.root.open_real(&path).ok()??).ok()
    }
}
