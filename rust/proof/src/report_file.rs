//! The file in which a check reports its tests.

use std::path::Path;

use chant_evidence::TestReport;
use chant_store::disk::{Disk, FileStamp};
use chant_store::files::{self, RootFolder};

/// The report of a check that is about to run. A file that lay there before is none.
pub struct ReportFile<'a> {
    disk: &'a Disk,
    folder: RootFolder,
    path: &'a str,
    before: Option<FileStamp>,
}

impl<'a> ReportFile<'a> {
    /// Looks at the file before the check runs in the folder; `None` if there is no such folder.
    pub fn before_check(disk: &'a Disk, folder: &Path, path: &'a str) -> Option<Self> {
        let folder = RootFolder::open(folder).ok()?;
        let before = files::read(disk, &folder, path).ok();
        Some(Self {
            disk,
            before: before.map(|(_, stamp)| stamp),
            folder,
            path,
        })
    }

    /// Reads what the check wrote; `None` if that is no report.
    pub fn read(&self) -> Option<TestReport> {
        let (text, stamp) = files::read(self.disk, &self.folder, self.path).ok()?;
        // What a commit brings along says nothing of this run.
        (self.before != Some(stamp)).then(|| TestReport::read(&text))?
    }
}
