//! Where the log of a spec's runs lies: what is judged is ours; what is shown may be a copy.

use std::path::PathBuf;

use super::Project;
use chant_store::StoreError;
use chant_store::disk::{self, FileStamp};
use chant_work::mirror::LOGS;

impl Project {
    /// The log that runs of ours wrote; what the project itself holds under that name proves nothing.
    pub(in super::super) fn own_log(&self, spec_id: &str) -> Option<PathBuf> {
        self.runs().ok()?.log(spec_id)
    }

    /// The log as people are shown it: ours, else the one that the project holds; with its name.
    ///
    /// # Errors
    /// `Missing`, or `Outside` for a link that leads out of the project.
    pub(in super::super) fn shown_log(
        &self,
        spec_id: &str,
    ) -> Result<(PathBuf, String), StoreError> {
        let name = log_name(spec_id);
        match self.own_log(spec_id) {
            Some(path) => Ok((path, name)),
            None => self.root.locate(&name).map(|path| (path, name)),
        }
    }

    /// The stamp of the log that people are shown.
    pub(in super::super) fn shown_log_stamp(&self, spec_id: &str) -> Option<FileStamp> {
        disk::stamp(&self.shown_log(spec_id).ok()?.0)
    }

    /// Returns the text that runs of ours wrote into a log; empty where there is none.
    pub(in super::super) fn own_log_text(&self, spec_id: &str) -> String {
        let path = self.own_log(spec_id);
        let text = path.and_then(|path| self.disk.read_text(&path, &log_name(spec_id)).ok());
        text.map(|(text, _)| text).unwrap_or_default()
    }
}

/// The name of a log in the project, where people and other programs find it.
pub(in super::super) fn log_name(spec_id: &str) -> String {
    format!("{LOGS}/{spec_id}.log")
}
