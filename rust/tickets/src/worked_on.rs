//! Tickets that are worked on in a linked worktree: on a branch that carries their code. Their copy there is the
//! one that counts.
//!
//! A worktree lies outside of the project. It is gone into only because git of this repository lists it and the
//! worktree says the same of itself; that is asked again before every answer.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::code::TicketCode;
use super::model::Ticket;
use super::ticket_store::{ProjectLocation, TicketClock, TicketStore};
use chant_base::document_problem::DocumentProblem;
use chant_base::error::Error;
use chant_git::Repo;
use chant_git::checkouts::KnownCheckouts;
use chant_git::worktree::Worktree;
use chant_store::disk::Disk;

/// The worktrees that tickets of a project are worked on in.
#[derive(Default)]
pub(super) struct Workplaces {
    checkouts: KnownCheckouts,
    by_code: BTreeMap<TicketCode, Workplace>,
    /// Problems of branches, as of the last listing.
    unclear: Vec<DocumentProblem>,
}

/// The worktree that a ticket is worked on in.
struct Workplace {
    tree: Worktree,
    /// The tickets there; none before they could be read.
    store: Option<Arc<TicketStore>>,
    /// The ticket as it was read there, and as the project shows it.
    shown: Option<(Arc<Ticket>, Arc<Ticket>)>,
}

/// The tickets that are worked on elsewhere, and what is wrong with some.
#[derive(Default)]
pub(super) struct WorkedOn {
    pub(super) tickets: Vec<(TicketCode, Arc<Ticket>)>,
    pub(super) problems: Vec<DocumentProblem>,
}

/// The facts about a project that its copy in a worktree needs.
pub(super) struct Home<'a> {
    pub(super) repo: &'a Repo,
    /// Its folder, links resolved.
    pub(super) root: &'a Path,
    pub(super) place: &'a ProjectLocation,
    pub(super) disk: &'a Disk,
    pub(super) clock: TicketClock,
}

impl Home<'_> {
    /// The project's folder in another checkout; `None` for a project outside of its own.
    fn folder_in(&self, tree: &Worktree) -> Option<PathBuf> {
        let checkout = self.repo.checkout()?.canonicalize().ok()?;
        let below = self.root.strip_prefix(&checkout).ok()?;
        Some(tree.path.join(below))
    }
}

impl Workplaces {
    /// The tickets that are worked on in worktrees, as of now.
    pub(super) fn look(&mut self, home: &Home<'_>) -> WorkedOn {
        match self.checkouts.refresh(home.repo) {
            Ok(false) => {}
            Ok(true) => self.sort(home),
            Err(error) => {
                self.by_code.clear();
                let why = format!("the worktrees of this repository cannot be listed: {error}");
                return WorkedOn {
                    tickets: Vec::new(),
                    problems: vec![problem(home.repo.common_dir(), why)],
                };
            }
        }
        let mut worked_on = WorkedOn {
            tickets: Vec::new(),
            problems: self.unclear.clone(),
        };
        for (code, workplace) in &mut self.by_code {
            match workplace.ticket(home, code) {
                Ok(Some(ticket)) => worked_on.tickets.push((code.clone(), ticket)),
                Ok(None) => {}
                Err(why) => {
                    let path = &workplace.tree.path;
                    let why = format!(
                        "{code} is worked on here, as its branch says, and the copy of this checkout is read: {why}"
                    );
                    worked_on.problems.push(problem(path, why));
                }
            }
        }
        worked_on
    }

    /// The tickets of the worktree that holds a file.
    pub(super) fn board_of(&self, path: &str) -> Option<Arc<TicketStore>> {
        let is_it = |workplace: &&Workplace| {
            let shown = workplace.shown.as_ref();
            shown.is_some_and(|(_, shown)| *shown.path == *path)
        };
        self.by_code.values().find(is_it)?.store.clone()
    }

    /// Finds out which worktree each code is worked on in; what our own checkout works on stays there.
    fn sort(&mut self, home: &Home<'_>) {
        let own = home.repo.checkout().and_then(|own| own.canonicalize().ok());
        let is_own = |tree: &Worktree| tree.path.canonicalize().ok() == own;
        let code_of = |tree: &Worktree| {
            let branch = tree.branch.as_deref()?;
            carried(branch, &home.place.code)
        };
        let all = &self.checkouts.all;
        let ours = all.iter().find(|tree| is_own(tree)).and_then(code_of);
        let mut by_code: BTreeMap<TicketCode, Vec<&Worktree>> = BTreeMap::new();
        let others = all.iter().filter(|tree| !tree.is_main && !is_own(tree));
        for tree in others {
            if let Some(code) = code_of(tree).filter(|code| Some(code) != ours.as_ref()) {
                by_code.entry(code).or_default().push(tree);
            }
        }
        let mut known = std::mem::take(&mut self.by_code);
        self.unclear.clear();
        for (code, trees) in by_code {
            if let [tree] = trees.as_slice() {
                let kept = known.remove(&code).filter(|kept| kept.tree == **tree);
                self.by_code.insert(
                    code,
                    kept.unwrap_or_else(|| Workplace {
                        tree: (*tree).clone(),
                        store: None,
                        shown: None,
                    }),
                );
            } else {
                let paths: Vec<String> = trees
                    .iter()
                    .map(|tree| tree.path.display().to_string())
                    .collect();
                self.unclear.push(problem(
                    &trees[0].path,
                    format!(
                        "the branches of several worktrees carry {code}, so the copy of this checkout is read: {}",
                        paths.join(", ")
                    ),
                ));
            }
        }
    }
}

impl Workplace {
    /// The ticket as it is there; `None` where the worktree has none of that code.
    fn ticket(
        &mut self,
        home: &Home<'_>,
        code: &TicketCode,
    ) -> Result<Option<Arc<Ticket>>, String> {
        if !home.repo.is_linked(&self.tree) {
            self.store = None;
            return Err(
                "git lists this worktree, and its folder is gone or does not belong to it; `git worktree prune` or `git worktree repair` puts that right"
                    .into(),
            );
        }
        let store = match &self.store {
            Some(store) => Arc::clone(store),
            None => self.open(home).map_err(|error| error.to_string())?,
        };
        let tickets = store.snapshot().map_err(|error| error.to_string())?;
        match tickets.files(code) {
            [] => match tickets.broken_of(code) {
                Some(broken) => Err(broken.problem.message.clone()),
                None => Ok(None),
            },
            [ticket] => {
                if let Some((own, shown)) = &self.shown
                    && Arc::ptr_eq(own, ticket)
                {
                    return Ok(Some(Arc::clone(shown)));
                }
                let shown = Arc::new(shown(&store, ticket));
                self.shown = Some((Arc::clone(ticket), Arc::clone(&shown)));
                Ok(Some(shown))
            }
            several => Err(format!("{} files there have this code", several.len())),
        }
    }

    fn open(&mut self, home: &Home<'_>) -> Result<Arc<TicketStore>, Error> {
        let root = home.folder_in(&self.tree);
        let root = root.unwrap_or_else(|| self.tree.path.clone());
        let place = ProjectLocation {
            root,
            uses_worktrees: false,
            ..home.place.clone()
        };
        let store = TicketStore::open(place, home.disk.clone(), home.clock)?;
        store.refuse_outside(&self.tree.path)?;
        let store = Arc::new(store);
        self.store = Some(Arc::clone(&store));
        Ok(store)
    }
}

/// A ticket with its file as seen from everywhere.
pub(super) fn shown(store: &TicketStore, ticket: &Ticket) -> Ticket {
    let mut shown = ticket.clone();
    shown.path = store.absolute(&ticket.path).into();
    for problem in &mut shown.problems {
        problem.path = store.absolute(&problem.path).into();
    }
    shown
}

fn problem(path: &Path, message: String) -> DocumentProblem {
    DocumentProblem::new(path.display().to_string(), message)
}

/// The one code of a project that the name of a branch carries, in any case of letters: `feature/MDT-001`,
/// `mdt-001-log-in`, `fix_MDT-1`.
fn carried(branch: &str, project: &str) -> Option<TicketCode> {
    let mut found: Option<TicketCode> = None;
    let mut is_inside = false;
    for (at, c) in branch.char_indices() {
        if !is_inside && let Some(code) = TicketCode::of_name(&branch[at..], project) {
            if found.as_ref().is_some_and(|found| *found != code) {
                return None;
            }
            found = Some(code);
        }
        is_inside = c.is_alphanumeric();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::carried;

    #[test]
    fn a_branch_carries_the_code_that_stands_alone_in_its_name() {
        for (branch, expected) in [
            ("feature/MDT-001", "MDT-001"),
            ("mdt-1", "MDT-001"),
            ("fix_MDT-012_log-in", "MDT-012"),
            ("user/MDT-7-words", "MDT-007"),
            ("MDT-7/mdt-007", "MDT-007"),
            ("MDT-7-and-MDT-8", ""),
            ("AMDT-7", ""),
            ("MDT-7x", ""),
            ("main", ""),
        ] {
            let found = carried(branch, "MDT").map_or_else(String::new, |code| code.to_string());
            assert_eq!(found, expected, "{branch}");
        }
    }
}
