//! The plans of one format below a root, as of the moment they are asked for.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chant_base::counted::count_visited;
use chant_base::external_items::{ExternalStatus, StatusLookup};
use chant_plan_format::PlanFormat;
use chant_plan_format::document::RootSettings;
use chant_plan_format::finding::PlanFinding;
use chant_plan_format::join::JoinInput;
use chant_plan_format::snapshot::{PlanSnapshot, WaitTarget};
use chant_plan_format::unit::PlanUnit;
use chant_store::disk::{self, Disk};

use super::folder_scan::{FolderScan, ScannedFolder};

/// The plans of one format at one moment.
pub struct PlanRoot {
    /// The format.
    pub format: &'static dyn PlanFormat,
    /// All units joined.
    pub snapshot: PlanSnapshot,
    /// Documents that no unit owns.
    pub settings: RootSettings,
    /// The names of entries of archives.
    pub archived: Vec<Box<str>>,
    /// Faults of files, of units and of all of them together.
    pub problems: Vec<PlanFinding>,
    /// Keys of items of other formats that are waited for, with how far these are.
    pub others: Vec<(String, ExternalStatus)>,
}

impl PlanRoot {
    /// Returns true if the document of a path was read with this very text.
    pub fn has_read(&self, path: &str, text: &str) -> bool {
        let of_units = self.snapshot.units.iter();
        let of_units = of_units.flat_map(|unit| &unit.source.documents);
        let mut all = of_units.chain(&self.settings.0);
        all.any(|one| *one.path == *path && *one.text == *text)
    }

    /// Joins units as they are or would be.
    pub(crate) fn join(
        format: &'static dyn PlanFormat,
        units: Vec<Arc<PlanUnit>>,
        mut problems: Vec<PlanFinding>,
        settings: RootSettings,
        archived: Vec<Box<str>>,
        others: StatusLookup<'_>,
    ) -> Self {
        count_visited(units.len());
        let snapshot = format.join(&JoinInput {
            units: &units,
            settings: &settings,
            archived: &archived,
            others,
        });
        problems.extend(snapshot.problems.iter().cloned());
        let waits = snapshot.nodes.iter().flat_map(|node| &node.waits);
        let mut keys: Vec<String> = waits
            .filter_map(|wait| match &wait.target {
                WaitTarget::Foreign(key) => Some(key.to_string()),
                _ => None,
            })
            .collect();
        keys.sort_unstable();
        keys.dedup();
        let statuses = ask(others, &keys);
        Self {
            format,
            snapshot,
            settings,
            archived,
            problems,
            others: keys.into_iter().zip(statuses).collect(),
        }
    }

    /// The same with other versions of units, where their items are to all others what they were; costs those units.
    fn with_units(&self, units: &[Arc<PlanUnit>], problems: &[PlanFinding]) -> Option<Self> {
        let snapshot = self.snapshot.with_units(units)?;
        Some(Self {
            problems: [problems, &*snapshot.problems].concat(),
            snapshot,
            settings: self.settings.clone(),
            archived: self.archived.clone(),
            others: self.others.clone(),
            ..*self
        })
    }

    /// Joins units that were read elsewhere, as from a commit; nothing is known of archives.
    pub fn of_units(
        format: &'static dyn PlanFormat,
        units: Vec<Arc<PlanUnit>>,
        settings: RootSettings,
        others: StatusLookup<'_>,
    ) -> Self {
        let problems = units.iter().flat_map(|unit| &unit.problems).cloned();
        let problems = problems.collect();
        Self::join(format, units, problems, settings, Vec::new(), others)
    }

    /// Names that no new item may take.
    pub fn taken(&self) -> Vec<Box<str>> {
        let word = self.format.scope().word.len() + 1;
        let nodes = self.snapshot.nodes.iter();
        let names = nodes.filter_map(|node| node.key.get(word..).map(Into::into));
        names.chain(self.archived.iter().cloned()).collect()
    }

    /// The words of states that its items can have.
    pub fn statuses(&self) -> Vec<&str> {
        let of_format = self.format.scope().statuses;
        if self.snapshot.statuses.is_empty() {
            return of_format.to_vec();
        }
        self.snapshot.statuses.iter().map(|word| &**word).collect()
    }

    fn is_of(&self, units: &[Arc<PlanUnit>], scan: &FolderScan) -> bool {
        let known = &self.snapshot.units;
        known.len() == units.len()
            && known
                .iter()
                .zip(units)
                .all(|(one, other)| Arc::ptr_eq(one, other))
            && self.settings == scan.settings
            && self.archived == scan.archived
    }

    fn has_same_others(&self, others: StatusLookup<'_>) -> bool {
        let keys: Vec<String> = self.others.iter().map(|(key, _)| key.clone()).collect();
        let now = ask(others, &keys);
        self.others.iter().map(|(_, status)| status).eq(&now)
    }
}

fn ask(others: StatusLookup<'_>, keys: &[String]) -> Vec<ExternalStatus> {
    if keys.is_empty() {
        Vec::new()
    } else {
        others(keys)
    }
}

/// The documents of one format below one root.
pub struct PlanStore {
    format: &'static dyn PlanFormat,
    root: PathBuf,
    disk: Disk,
    cache: Mutex<StoreCache>,
}

#[derive(Default)]
struct StoreCache {
    scan: FolderScan,
    joined: Option<Arc<PlanRoot>>,
}

impl PlanStore {
    /// The plans of a format in a folder, which is a project's root; nothing is read yet.
    pub fn new(format: &'static dyn PlanFormat, root: &Path, disk: &Disk) -> Self {
        let root = disk::real(root).unwrap_or_else(|_| root.to_owned());
        Self {
            format,
            disk: disk.clone().within(&root),
            root,
            cache: Mutex::default(),
        }
    }

    /// The format.
    pub fn format(&self) -> &'static dyn PlanFormat {
        self.format
    }

    /// Returns true if the folder has a marker of the format. Costs one look for each marker.
    pub fn is_there(&self) -> bool {
        is_marked(self.format, &self.root)
    }

    /// The plans as of now; `None` where there is no marker. Costs what changed, where the kernel announces changes,
    /// else one stamp for each document.
    ///
    /// # Arguments
    /// * `others` - reports how far items of other formats are.
    pub fn current(&self, others: StatusLookup<'_>) -> Option<Arc<PlanRoot>> {
        let mut cache = self.cache();
        if !self.is_there() {
            *cache = StoreCache::default();
            return None;
        }
        let folder = ScannedFolder {
            format: self.format,
            root: &self.root,
            disk: &self.disk,
        };
        let StoreCache { scan, joined } = &mut *cache;
        let may_differ = scan.refresh(folder);
        if let Some(known) = joined.as_ref().filter(|_| !may_differ)
            && known.has_same_others(others)
        {
            return Some(Arc::clone(known));
        }
        let (units, problems) = scan.units();
        let is_same = |known: &&Arc<PlanRoot>| known.is_of(&units, scan);
        let is_known = |known: &&Arc<PlanRoot>| {
            let of_files = known.problems.len() - known.snapshot.problems.len();
            known.problems[..of_files] == problems && known.has_same_others(others)
        };
        if let Some(known) = joined.as_ref().filter(is_same).filter(is_known) {
            return Some(Arc::clone(known));
        }
        let kept = joined.as_ref().filter(|known| {
            (&known.settings, &known.archived) == (&scan.settings, &scan.archived)
                && known.has_same_others(others)
        });
        let kept = kept.and_then(|known| known.with_units(&units, &problems));
        let joined_anew = || {
            let (settings, archived) = (scan.settings.clone(), scan.archived.clone());
            PlanRoot::join(self.format, units, problems, settings, archived, others)
        };
        let root = Arc::new(kept.unwrap_or_else(joined_anew));
        *joined = Some(Arc::clone(&root));
        Some(root)
    }

    fn cache(&self) -> MutexGuard<'_, StoreCache> {
        self.cache
            .lock()
            .unwrap_or_else(|poisoned: PoisonError<_>| {
                let mut cache = poisoned.into_inner();
                *cache = StoreCache::default();
                self.cache.clear_poison();
                cache
            })
    }
}

/// Returns true if a folder has a marker of a format.
pub fn is_marked(format: &dyn PlanFormat, folder: &Path) -> bool {
    let mut markers = format.scope().markers.iter();
    markers.any(|marker| disk::exists(&folder.join(marker)))
}
