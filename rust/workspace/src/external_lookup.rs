//! Looks up how far single items of a folder are, for the dialects, each of which knows only itself.
//!
//! Everything here reads for itself: what is asked may be asked while the one who asks holds locks.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError, Weak};

use jiff::Timestamp;

use super::formats;
use super::item_statuses::{ItemStatuses, UnknownItem, plan_item_status};
use super::key::composed;
use super::{DialectStores, Workspace};
use chant_base::error::Error;
use chant_base::external_items::{ExternalItems, ExternalStatus};
use chant_plan_store::PlanStore;
use chant_speckit::files::{FeatureDocument, FeatureStore, TASKS};
use chant_speckit::resolve::{FeatureDirectory, SearchStart, in_specs, one_in_specs};
use chant_specs::id::InvalidSpecId;
use chant_specs::model::SpecStatus;
use chant_specs::project::Project;
use chant_specs::project::lookup::{SpecLookup, look_up};
use chant_store::disk::{self, Disk};
use chant_store::files::RootFolder;
use chant_tickets::code::TicketCode;
use chant_tickets::model::Ticket;
use chant_tickets::project_registry::ProjectRegistry;
use chant_tickets::projects::DiscoveryInputs;
use chant_tickets::ticket_index::TicketIndex;
use chant_vine::document::VineDocument;
use chant_vine::files::VineStore;

/// By folder: what several dialects ask about is read once for all of them.
static SHARED: LazyLock<Mutex<HashMap<PathBuf, Weak<LookupPlaces>>>> =
    LazyLock::new(Mutex::default);

/// Reports how far the items of a folder are.
pub fn external_items(root: &Path) -> ExternalItems {
    let places = LookupPlaces::shared(root);
    ExternalItems::new(move |keys| {
        let look = FolderLookup::new(&places);
        look.statuses(keys)
    })
}

/// Returns the path of a ticket's file from the folder that it is asked in.
pub(super) fn path_of_ticket(root: &Path, code: &TicketCode) -> Option<String> {
    let places = LookupPlaces::shared(root);
    let ticket = FolderLookup::new(&places).find_ticket(code).ok()?;
    Some(ticket.path.to_string())
}

/// Returns the keys of the items of a format that can be started now, in the order of lists.
///
/// # Errors
/// A folder of work files cannot be listed.
pub(super) fn ready_keys(project: &Project, dialect: &str) -> Result<Vec<String>, Error> {
    let workspace = Workspace::open(project.root(), DialectStores::to_read(project)?);
    let joined = workspace.snapshot()?;
    let ready = joined
        .items()
        .filter(|item| item.dialect() == dialect && item.is_ready());
    Ok(ready.map(|item| item.key().to_owned()).collect())
}

struct LookupPlaces {
    root: PathBuf,
    disk: Disk,
    /// Plans of formats that come through the interface.
    plans: Vec<PlanStore>,
    /// Specs by their IDs.
    specs: Mutex<HashMap<String, Arc<SpecLookup>>>,
    vine: VineStore,
    features: FeatureStore,
    /// Opened when a ticket is first asked for: projects are looked for then.
    registry: OnceLock<ProjectRegistry>,
}

impl LookupPlaces {
    fn shared(root: &Path) -> Arc<Self> {
        let root = disk::real(root).unwrap_or_else(|_| root.to_owned());
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(places) = shared.get(&root).and_then(Weak::upgrade) {
            return places;
        }
        shared.retain(|_, places| places.strong_count() > 0);
        let places = Arc::new(Self::new(root.clone()));
        shared.insert(root, Arc::downgrade(&places));
        places
    }

    fn new(root: PathBuf) -> Self {
        let disk = Disk::default();
        let start = SearchStart {
            folder: root.clone(),
            root: root.clone(),
            environment: BTreeMap::new(),
        };
        let plans = formats::all().into_iter();
        let plans = plans.map(|format| PlanStore::new(format, &root, &disk));
        Self {
            plans: plans.collect(),
            specs: Mutex::default(),
            vine: VineStore::new(disk.clone(), root.clone(), Vec::new(), false),
            // Nothing is written here, so the time is not needed.
            features: FeatureStore::new(start, disk.clone(), || Timestamp::UNIX_EPOCH),
            registry: OnceLock::new(),
            disk,
            root,
        }
    }

    fn spec(&self, id: &str) -> Result<(SpecStatus, String), UnknownItem> {
        let id_read = id
            .parse()
            .map_err(|error: InvalidSpecId| UnknownItem::Unreadable(error.to_string()))?;
        let mut known = self.specs.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |looked: &&Arc<SpecLookup>| looked.files.are_current();
        let looked = if let Some(looked) = known.get(id).filter(is_same) {
            Arc::clone(looked)
        } else {
            let looked = Arc::new(look_up(&self.root, &id_read, &self.disk));
            if looked.is_doubted {
                known.remove(id);
            } else {
                known.insert(id.to_owned(), Arc::clone(&looked));
            }
            looked
        };
        match (&looked.found, &looked.unreadable) {
            (Some((status, path)), _) => Ok((*status, path.clone())),
            (None, Some(why)) => {
                let why = format!("it cannot be read: {why}");
                Err(UnknownItem::Unreadable(why))
            }
            (None, None) => Err(UnknownItem::Missing("spec")),
        }
    }

    /// The tickets of the folder; what they wait for is not asked here.
    fn tickets(&self) -> Result<Option<Arc<TicketIndex>>, UnknownItem> {
        let registry = self.registry.get_or_init(|| {
            let surroundings = DiscoveryInputs {
                start: self.root.clone(),
                ..DiscoveryInputs::default()
            };
            ProjectRegistry::open(surroundings, self.disk.clone(), || Timestamp::UNIX_EPOCH)
        });
        let store = registry.open_store_at(&self.root);
        let store = store.map_err(|error| unreadable(&error))?;
        let tickets = store.map(|store| store.snapshot()).transpose();
        tickets.map_err(|error| unreadable(&error))
    }
}

/// One look at a folder: what several keys ask about is listed and read once.
struct FolderLookup<'a> {
    places: &'a LookupPlaces,
    graphs: RefCell<HashMap<String, Result<Arc<VineDocument>, UnknownItem>>>,
    root: OnceCell<Result<RootFolder, UnknownItem>>,
    /// All features by their names as keys have them.
    features: OnceCell<HashMap<String, FeatureDirectory>>,
    tickets: OnceCell<Result<Option<Arc<TicketIndex>>, UnknownItem>>,
}

impl<'a> FolderLookup<'a> {
    fn new(places: &'a LookupPlaces) -> Self {
        Self {
            places,
            graphs: RefCell::default(),
            root: OnceCell::new(),
            features: OnceCell::new(),
            tickets: OnceCell::new(),
        }
    }
}

impl ItemStatuses for FolderLookup<'_> {
    fn find_spec(&self, id: &str) -> Result<(SpecStatus, String), UnknownItem> {
        self.places.spec(id)
    }

    fn find_graph(&self, path: &str) -> Result<Arc<VineDocument>, UnknownItem> {
        let mut graphs = self.graphs.borrow_mut();
        let known = graphs.entry(path.to_owned()).or_insert_with(|| {
            let files = &self.places.vine;
            let read = |file: &str| files.read(&files.existing(file)?);
            read(path).map_err(|error| unreadable(&error))
        });
        known.clone()
    }

    fn find_tasks(&self, label: &str) -> Result<(Arc<FeatureDocument>, String), UnknownItem> {
        let root = self.root.get_or_init(|| {
            let root = RootFolder::open(&self.places.root);
            root.map_err(|error| UnknownItem::Unreadable(error.to_string()))
        });
        let root = root.as_ref().map_err(Clone::clone)?;
        // Only where the name's letters lie apart on the disk all have to be looked at.
        let listed = || {
            let features = self.features.get_or_init(|| by_name(root));
            features.get(label).cloned()
        };
        let feature = one_in_specs(root, label).or_else(listed);
        let feature = feature.ok_or_else(|| UnknownItem::NoFeature(format!("specs/{label}")))?;
        let document = self.places.features.document(&feature, TASKS);
        let document = document.map_err(|error| unreadable(&error))?;
        let path = format!("{}/{TASKS}", feature.directory);
        let document = document.ok_or_else(|| UnknownItem::NoFile(path.clone()))?;
        match document.clash {
            Some(clash) => Err(UnknownItem::Unreadable(format!("{path}: {clash}"))),
            None => Ok((document, path)),
        }
    }

    fn find_plan_item(&self, word: &str, name: &str) -> Result<ExternalStatus, UnknownItem> {
        let mut stores = self.places.plans.iter();
        let store = stores.find(|store| store.format().scope().word == word);
        let store = store.ok_or(UnknownItem::NoDialect)?;
        // What items of plans wait for says nothing about how far they are.
        let unknown = |keys: &[String]| ExternalItems::default().standings(keys);
        let root = store.current(&unknown);
        let missing = || UnknownItem::NoFile(format!("{} here", store.format().scope().title));
        let root = root.ok_or_else(missing)?;
        plan_item_status(&root, name)
    }

    fn find_ticket(&self, code: &TicketCode) -> Result<Arc<Ticket>, UnknownItem> {
        let tickets = self.tickets.get_or_init(|| self.places.tickets());
        let tickets = tickets.as_ref().map_err(Clone::clone)?;
        let tickets = tickets.as_ref().ok_or(UnknownItem::NoTickets)?;
        let ticket = tickets.files(code).first();
        let ticket = ticket.ok_or(UnknownItem::Missing("ticket"))?;
        Ok(Arc::clone(ticket))
    }
}

fn by_name(root: &RootFolder) -> HashMap<String, FeatureDirectory> {
    let features = in_specs(root);
    let named = features.map(|feature| (composed(&feature.label), feature));
    named.collect()
}

/// Returns the first line of an error: the fault, without the help on the lines after it.
fn unreadable(error: &Error) -> UnknownItem {
    let message = error.to_string();
    UnknownItem::Unreadable(message.lines().next().unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_asks_about_a_folder_shares_what_is_known_of_it() {
        let (one, other) = (Path::new("/nowhere/one"), Path::new("/nowhere/other"));
        let known = LookupPlaces::shared(one);
        assert!(Arc::ptr_eq(&known, &LookupPlaces::shared(one)));
        assert!(!Arc::ptr_eq(&known, &LookupPlaces::shared(other)));
    }
}
