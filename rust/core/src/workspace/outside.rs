//! How far single items of a folder are, looked up for the dialects, each of which knows only itself.
//!
//! Everything here reads for itself: what is asked may be asked while the one who asks holds locks.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError, Weak};

use jiff::Timestamp;

use super::key::{composed, normal};
use crate::dialects::chant::id::InvalidSpecId;
use crate::dialects::chant::project::lookup::{Looked, look_up};
use crate::dialects::speckit::files::{Features, TASKS};
use crate::dialects::speckit::resolve::{Feature, Start, in_specs, one_in_specs};
use crate::dialects::speckit::task::{Mark, Task, TaskList};
use crate::dialects::tickets::all::Tickets;
use crate::dialects::tickets::code::Code;
use crate::dialects::tickets::desk::Desk;
use crate::dialects::tickets::model::Status;
use crate::dialects::tickets::projects::Surroundings;
use crate::dialects::vine::document::Document as Graph;
use crate::dialects::vine::files::Files;
use crate::dialects::vine::model::Status as TaskStatus;
use crate::error::Error;
use crate::outside::{Outside, Standing, parts};
use crate::store::disk::{self, Disk};
use crate::store::files::Root;

/// By folder: what several dialects ask about is read once for all of them.
static SHARED: LazyLock<Mutex<HashMap<PathBuf, Weak<Places>>>> = LazyLock::new(Mutex::default);

/// Tells how far the items of a folder are.
pub fn outside(root: &Path) -> Outside {
    let places = Places::shared(root);
    Outside::new(move |keys| {
        let look = Look::new(&places);
        keys.iter().map(|key| look.standing(key)).collect()
    })
}

struct Places {
    root: PathBuf,
    disk: Disk,
    /// Specs by their IDs.
    specs: Mutex<HashMap<String, Arc<Looked>>>,
    vine: Files,
    features: Features,
    /// Opened when a ticket is first asked for: projects are looked for then.
    desk: OnceLock<Desk>,
}

impl Places {
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
        let start = Start {
            folder: root.clone(),
            environment: BTreeMap::new(),
        };
        Self {
            specs: Mutex::default(),
            vine: Files::new(disk.clone(), root.clone(), Vec::new(), false),
            // Nothing is written here, so that nobody needs to know the time.
            features: Features::new(start, disk.clone(), || Timestamp::UNIX_EPOCH),
            desk: OnceLock::new(),
            disk,
            root,
        }
    }

    fn spec(&self, id: &str) -> Result<Standing, String> {
        let id_read = id
            .parse()
            .map_err(|error: InvalidSpecId| error.to_string())?;
        let mut known = self.specs.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |looked: &&Arc<Looked>| {
            let mut files = looked.files.iter();
            files.all(|(path, stamp, _)| disk::stamp(path) == *stamp)
        };
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
            (Some((status, path)), _) => Ok(Standing::Found {
                status: status.to_string(),
                is_done: status.is_done(),
                place: format!("spec in {path}"),
            }),
            (None, Some(why)) => Err(format!("it cannot be read: {why}")),
            (None, None) => Err("no such spec".into()),
        }
    }

    /// The tickets of the folder; what they wait for is not asked here.
    fn tickets(&self) -> Result<Option<Arc<Tickets>>, String> {
        let desk = self.desk.get_or_init(|| {
            let surroundings = Surroundings {
                start: self.root.clone(),
                ..Surroundings::default()
            };
            Desk::open(surroundings, self.disk.clone(), || Timestamp::UNIX_EPOCH)
        });
        let board = desk.board_at(&self.root);
        let board = board.map_err(|error| first_line(&error))?;
        let tickets = board.map(|board| board.snapshot()).transpose();
        tickets.map_err(|error| first_line(&error))
    }
}

/// One look at a folder: what several keys ask about is listed and read once.
struct Look<'a> {
    places: &'a Places,
    graphs: RefCell<HashMap<String, Result<Arc<Graph>, String>>>,
    root: OnceCell<Result<Root, String>>,
    /// All features by their names as keys have them.
    features: OnceCell<HashMap<String, Feature>>,
    tickets: OnceCell<Result<Option<Arc<Tickets>>, String>>,
}

impl<'a> Look<'a> {
    fn new(places: &'a Places) -> Self {
        Self {
            places,
            graphs: RefCell::default(),
            root: OnceCell::new(),
            features: OnceCell::new(),
            tickets: OnceCell::new(),
        }
    }

    fn standing(&self, key: &str) -> Standing {
        let key = normal(key);
        let found = match parts(&key) {
            Some(("chant", id)) => self.places.spec(id),
            Some(("vine", rest)) => self.task(rest),
            Some(("tickets", code)) => self.ticket(code),
            Some(("speckit", rest)) => self.feature(rest),
            _ => Err("it is no key of a dialect".into()),
        };
        found.unwrap_or_else(Standing::Unknown)
    }

    fn task(&self, rest: &str) -> Result<Standing, String> {
        let (path, id) = rest.rsplit_once('#').unwrap_or((rest, ""));
        if id.is_empty() {
            return Err("expected a key such as vine:plan.vine#task".into());
        }
        let document = self.graph(path)?;
        of_task(&document, id, path)
    }

    fn graph(&self, path: &str) -> Result<Arc<Graph>, String> {
        let mut graphs = self.graphs.borrow_mut();
        let known = graphs.entry(path.to_owned()).or_insert_with(|| {
            let files = &self.places.vine;
            let read = |file: &str| files.read(&files.existing(file)?);
            read(path).map_err(|error| first_line(&error))
        });
        known.clone()
    }

    fn feature(&self, rest: &str) -> Result<Standing, String> {
        let Some((label, part)) = rest.split_once('#') else {
            return Err("expected a key such as speckit:060-name#T001".into());
        };
        let root = self.root.get_or_init(|| {
            let root = Root::open(&self.places.root);
            root.map_err(|error| error.to_string())
        });
        let root = root.as_ref().map_err(Clone::clone)?;
        // Only where the name's letters lie apart on the disk all have to be looked at.
        let listed = || {
            let features = self.features.get_or_init(|| by_name(root));
            features.get(label).cloned()
        };
        let feature = one_in_specs(root, label).or_else(listed);
        let feature = feature.ok_or_else(|| format!("no feature specs/{label}"))?;
        let document = self.places.features.document(&feature, TASKS);
        let document = document.map_err(|error| first_line(&error))?;
        let path = format!("{}/{TASKS}", feature.directory);
        let document = document.ok_or_else(|| format!("there is no {path}"))?;
        if let Some(clash) = document.clash {
            return Err(format!("{path}: {clash}"));
        }
        standing_in(&document.list, part, &path)
    }

    fn ticket(&self, code: &str) -> Result<Standing, String> {
        let read = Code::read(code);
        let code =
            read.ok_or_else(|| format!("{code} is no code; expected one such as MDT-012"))?;
        let tickets = self.tickets.get_or_init(|| self.places.tickets());
        let tickets = tickets.as_ref().map_err(Clone::clone)?;
        let tickets = tickets.as_ref().ok_or("there are no tickets here")?;
        let ticket = tickets.files(&code).first().ok_or("no such ticket")?;
        Ok(Standing::Found {
            status: ticket.status().to_owned(),
            is_done: ticket.meant.status.is_some_and(Status::is_done),
            place: format!("ticket in {}", ticket.path),
        })
    }
}

fn by_name(root: &Root) -> HashMap<String, Feature> {
    let features = in_specs(root);
    let named = features.map(|feature| (composed(&feature.label), feature));
    named.collect()
}

/// How far a task or a phase of a list is.
pub(super) fn standing_in(list: &TaskList, part: &str, path: &str) -> Result<Standing, String> {
    let named = list.named(part);
    let (what, tasks): (_, Vec<&Task>) = if named.is_empty() {
        let names = list.phase_names();
        let phase = names.iter().position(|name| name.as_deref() == Some(part));
        let phase = phase.ok_or_else(|| format!("no task {part} in {path}"))?;
        ("phase", list.of_phase(phase).collect())
    } else {
        ("task", named.iter().map(|at| &list.tasks[*at]).collect())
    };
    let open = tasks.iter().find(|task| !task.mark.is_settled());
    let mark = match (what, open.or(tasks.first())) {
        ("task", Some(task)) => task.mark,
        (_, _) if open.is_some() => Mark::Open,
        _ => Mark::Done,
    };
    Ok(Standing::Found {
        status: mark.as_str().to_owned(),
        is_done: open.is_none(),
        place: format!("{what} in {path}"),
    })
}

/// What went wrong, without the help on the lines after it.
fn first_line(error: &Error) -> String {
    let told = error.to_string();
    told.lines().next().unwrap_or_default().to_owned()
}

/// How far a task of a graph is; a path names the graph.
pub(super) fn of_task(graph: &Graph, id: &str, path: &str) -> Result<Standing, String> {
    let node = graph.plan.graph.find(id);
    let node = node.ok_or_else(|| format!("no task {id} in {path}"))?;
    Ok(Standing::Found {
        status: node.standing().to_owned(),
        is_done: node.status() == Some(TaskStatus::Complete),
        place: format!("task in {path}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_asks_about_a_folder_shares_what_is_known_of_it() {
        let (one, other) = (Path::new("/nowhere/one"), Path::new("/nowhere/other"));
        let known = Places::shared(one);
        assert!(Arc::ptr_eq(&known, &Places::shared(one)));
        assert!(!Arc::ptr_eq(&known, &Places::shared(other)));
    }
}
