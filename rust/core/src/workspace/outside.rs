//! How far single items of a folder are, looked up for the dialects, each of which knows only itself.
//!
//! Everything here reads for itself: what is asked may be asked while the one who asks holds locks.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use jiff::Timestamp;

use super::key::{composed, normal};
use crate::dialects::chant::id::InvalidSpecId;
use crate::dialects::chant::project::lookup::{Looked, look_up};
use crate::dialects::speckit::files::{Features, TASKS};
use crate::dialects::speckit::resolve::{Start, in_specs};
use crate::dialects::speckit::task::{Mark, Task, TaskList};
use crate::dialects::tickets::board::Board;
use crate::dialects::tickets::code::Code;
use crate::dialects::tickets::desk::Desk;
use crate::dialects::tickets::model::Status;
use crate::dialects::tickets::projects::Surroundings;
use crate::dialects::vine::files::Files;
use crate::dialects::vine::model::Status as TaskStatus;
use crate::error::Error;
use crate::outside::{Outside, Standing, parts};
use crate::store::disk::{self, Disk};
use crate::store::files::Root;

/// Tells how far the items of a folder are.
pub fn outside(root: &Path) -> Outside {
    let places = Places::new(root);
    Outside::new(move |keys| keys.iter().map(|key| places.standing(key)).collect())
}

struct Places {
    root: PathBuf,
    disk: Disk,
    /// Specs by their IDs.
    specs: Mutex<HashMap<String, Arc<Looked>>>,
    vine: OnceLock<Files>,
    features: OnceLock<Features>,
    board: Mutex<Option<Arc<Board>>>,
}

impl Places {
    fn new(root: &Path) -> Self {
        let root = disk::real(root).unwrap_or_else(|_| root.to_owned());
        Self {
            root,
            disk: Disk::default(),
            specs: Mutex::default(),
            vine: OnceLock::new(),
            features: OnceLock::new(),
            board: Mutex::default(),
        }
    }

    fn standing(&self, key: &str) -> Standing {
        let key = normal(key);
        let found = match parts(&key) {
            Some(("chant", id)) => self.spec(id),
            Some(("vine", rest)) => self.task(rest),
            Some(("tickets", code)) => self.ticket(code),
            Some(("speckit", rest)) => self.feature(rest),
            _ => Err("it is no key of a dialect".into()),
        };
        found.unwrap_or_else(Standing::Unknown)
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
            let now = std::time::SystemTime::now();
            let mut stamps = looked.files.iter().filter_map(|(_, stamp, _)| *stamp);
            if stamps.any(|stamp| stamp.is_fresh(now)) {
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

    fn task(&self, rest: &str) -> Result<Standing, String> {
        let (path, id) = rest.rsplit_once('#').unwrap_or((rest, ""));
        if id.is_empty() {
            return Err("expected a key such as vine:plan.vine#task".into());
        }
        let files = self.vine.get_or_init(|| {
            let folder = self.root.clone();
            Files::new(self.disk.clone(), folder, Vec::new(), false)
        });
        let read = |file: &str| files.read(&files.existing(file)?);
        let document = read(path).map_err(|error| first_line(&error))?;
        let node = document.plan.graph.find(id);
        let node = node.ok_or_else(|| format!("no task {id} in {path}"))?;
        Ok(Standing::Found {
            status: node.standing().to_owned(),
            is_done: node.status() == Some(TaskStatus::Complete),
            place: format!("task in {path}"),
        })
    }

    fn feature(&self, rest: &str) -> Result<Standing, String> {
        let Some((label, part)) = rest.split_once('#') else {
            return Err("expected a key such as speckit:060-name#T001".into());
        };
        let features = self.features.get_or_init(|| {
            let start = Start {
                folder: self.root.clone(),
                environment: BTreeMap::new(),
            };
            Features::new(start, self.disk.clone(), || Timestamp::UNIX_EPOCH)
        });
        let root = Root::open(&self.root).map_err(|error| error.to_string())?;
        let feature = in_specs(&root).find(|feature| composed(&feature.label) == label);
        let feature = feature.ok_or_else(|| format!("no feature specs/{label}"))?;
        let document = features.document(&feature, TASKS);
        let document = document.map_err(|error| first_line(&error))?;
        let path = format!("{}/{TASKS}", feature.directory);
        let document = document.ok_or_else(|| format!("there is no {path}"))?;
        standing_in(&document.list, part, &path)
    }

    fn ticket(&self, code: &str) -> Result<Standing, String> {
        let read = Code::read(code);
        let code =
            read.ok_or_else(|| format!("{code} is no code; expected one such as MDT-012"))?;
        let board = self.board().map_err(|error| first_line(&error))?;
        let board = board.ok_or("there are no tickets here")?;
        let tickets = board.snapshot().map_err(|error| first_line(&error))?;
        let files = tickets.files(&code);
        let ticket = files.first().ok_or("no such ticket")?;
        Ok(Standing::Found {
            status: ticket.status().to_owned(),
            is_done: ticket.meant.status.is_some_and(Status::is_done),
            place: format!("ticket in {}", ticket.path),
        })
    }

    /// The tickets of the folder; what they wait for is not asked here.
    fn board(&self) -> Result<Option<Arc<Board>>, Error> {
        let mut board = self.board.lock().unwrap_or_else(PoisonError::into_inner);
        if board.is_none() {
            let surroundings = Surroundings {
                start: self.root.clone(),
                ..Surroundings::default()
            };
            // Nothing is written here, so that nobody needs to know the time.
            let desk = Desk::open(surroundings, self.disk.clone(), || Timestamp::UNIX_EPOCH);
            *board = desk.board_at(&self.root)?;
        }
        Ok(board.clone())
    }
}

/// How far a task or a phase of a list is.
pub(super) fn standing_in(list: &TaskList, part: &str, path: &str) -> Result<Standing, String> {
    let named = list.named(part);
    let names = list.phase_names();
    let phase = || names.iter().position(|name| name.as_deref() == Some(part));
    let (what, tasks): (_, Vec<&Task>) = match (named.is_empty(), phase()) {
        (false, _) => ("task", named.iter().map(|at| &list.tasks[*at]).collect()),
        (true, Some(phase)) => ("phase", list.of_phase(phase).collect()),
        (true, None) => return Err(format!("no task {part} in {path}")),
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
