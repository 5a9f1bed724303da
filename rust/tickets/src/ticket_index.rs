//! All tickets of a project by their codes, kept up to date change by change.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

use super::code::{TicketCode, number_taken};
use super::listing::TicketListing;
use super::model::{BrokenTicket, DocumentedWords, Ticket, TicketStatus};
use super::parse::value_place;
use super::parse::{ParsedTicket, name, stem};
use super::ticket_graph::{TicketGraph, key_of};
use chant_base::counted::count_visited;
use chant_base::document_problem::DocumentProblem;
use chant_base::external_items::ExternalStatus;
use chant_base::recent::RecentChanges;
use chant_store::index::DocumentChange;

/// A file that is there.
fn file(ticket: &Arc<Ticket>) -> DocumentChange<ParsedTicket> {
    DocumentChange {
        path: ticket.path.clone(),
        document: Some(Ok(Arc::clone(ticket))),
    }
}

/// The most changes at once that are taken into the listing one by one; after more it is made again when
/// needed.
const WORTH_TAKING_IN: usize = 64;

/// The tickets in one folder. A file is a ticket when its front matter says a code or its name begins
/// with one of the project's; other files are left alone.
#[derive(Clone)]
pub struct TicketIndex {
    project: Box<str>,
    by_code: BTreeMap<TicketCode, CodeEntry>,
    codes: HashMap<Box<str>, TicketCode>,
    /// The numbers that the files' names begin with, each with its file.
    numbers: BTreeSet<(u64, Box<str>)>,
    /// Files that cannot be read at all.
    broken: BTreeMap<Box<str>, Arc<BrokenTicket>>,
    /// Problems of files that can be read.
    flaws: BTreeMap<Box<str>, Vec<DocumentProblem>>,
    /// Codes that stand in several files.
    shared: BTreeMap<TicketCode, usize>,
    waits: TicketGraph,
    listing: OnceLock<TicketListing>,
    by_status: OnceLock<Vec<(String, usize)>>,
    ready: OnceLock<Vec<TicketCode>>,
    problems: OnceLock<Vec<DocumentProblem>>,
    /// The problem where their folder is not there.
    vanished: Option<DocumentProblem>,
    /// Changes of several files that could be brought to no end.
    left: Vec<DocumentProblem>,
    /// Tickets that are worked on in worktrees: the copies there.
    worked_on: BTreeMap<TicketCode, Arc<Ticket>>,
    /// By path, our own files of these.
    set_aside: BTreeMap<Box<str>, Arc<Ticket>>,
    /// Problems of worktrees.
    of_worktrees: Vec<DocumentProblem>,
    /// Tickets that changed lately, or of which others say what they wait for.
    recent: RecentChanges<TicketCode>,
    /// Those of the change that is being taken in.
    touched: Vec<TicketCode>,
}

/// The files under a code.
#[derive(Clone, Default)]
struct CodeEntry {
    /// The meanings of the words of the first file; they are at hand here without a look at the ticket, which
    /// lies elsewhere in memory.
    meant: DocumentedWords,
    /// The files in the order of their paths; nearly always one.
    files: Vec<Arc<Ticket>>,
}

impl TicketIndex {
    /// No tickets yet of the project of this code.
    pub fn new(project: &str) -> Self {
        Self {
            project: project.into(),
            by_code: BTreeMap::new(),
            codes: HashMap::new(),
            numbers: BTreeSet::new(),
            broken: BTreeMap::new(),
            flaws: BTreeMap::new(),
            shared: BTreeMap::new(),
            waits: TicketGraph::new(project),
            listing: OnceLock::new(),
            by_status: OnceLock::new(),
            ready: OnceLock::new(),
            problems: OnceLock::new(),
            vanished: None,
            left: Vec::new(),
            worked_on: BTreeMap::new(),
            set_aside: BTreeMap::new(),
            of_worktrees: Vec::new(),
            recent: RecentChanges::default(),
            touched: Vec::new(),
        }
    }

    /// Takes in what changed on disk.
    pub fn apply(&mut self, changes: Vec<DocumentChange<ParsedTicket>>) {
        self.by_status = OnceLock::new();
        self.ready = OnceLock::new();
        self.problems = OnceLock::new();
        if changes.len() > WORTH_TAKING_IN || self.listing.get().is_some_and(TicketListing::is_worn)
        {
            self.listing = OnceLock::new();
        }
        for DocumentChange { path, document } in changes {
            let before = self.codes.get(&path).cloned();
            self.take_out(&path);
            self.note_number(&path, document.is_some());
            self.set_aside.remove(&path);
            match document {
                Some(Ok(ticket)) if self.is_set_aside(&path, &ticket) => {
                    self.list(&path, before.as_ref(), None);
                    self.set_aside.insert(path, ticket);
                }
                None => self.list(&path, before.as_ref(), None),
                Some(Err(broken)) => {
                    self.list(&path, before.as_ref(), None);
                    self.broken.insert(path, broken);
                }
                Some(Ok(ticket)) => {
                    self.put_in(path.clone(), Arc::clone(&ticket));
                    self.list(&path, before.as_ref(), Some(&ticket));
                }
            }
        }
        self.recent.note(std::mem::take(&mut self.touched));
    }

    /// A number that no other state of any tickets has in this process.
    pub fn version(&self) -> u64 {
        self.recent.version()
    }

    /// The codes of which the ticket, or what it waits for, changed after a version; `None` where that is not known.
    pub fn changed_since(&self, version: u64) -> Option<BTreeSet<&TicketCode>> {
        Some(self.recent.since(version)?.collect())
    }

    /// Returns true if these tickets, and no others, are those that are worked on in worktrees.
    pub fn is_worked_on(
        &self,
        tickets: &[(TicketCode, Arc<Ticket>)],
        problems: &[DocumentProblem],
    ) -> bool {
        let is_known = |(code, ticket): &(TicketCode, Arc<Ticket>)| {
            let known = self.worked_on.get(code);
            known.is_some_and(|known| Arc::ptr_eq(known, ticket))
        };
        self.worked_on.len() == tickets.len()
            && tickets.iter().all(is_known)
            && self.of_worktrees == problems
    }

    /// Takes in the tickets that are worked on in worktrees, in the order of their codes: their copies there
    /// count, and our own files of them are set aside.
    pub fn work_on(
        &mut self,
        tickets: Vec<(TicketCode, Arc<Ticket>)>,
        problems: Vec<DocumentProblem>,
    ) {
        self.of_worktrees = problems;
        let before = std::mem::replace(&mut self.worked_on, tickets.into_iter().collect());
        let now = self.worked_on.clone();
        let mut changes: Vec<DocumentChange<ParsedTicket>> = Vec::new();
        for ticket in before.values() {
            let path = ticket.path.clone();
            changes.push(DocumentChange {
                path,
                document: None,
            });
        }
        let own = now.keys().flat_map(|code| self.files(code));
        let own: Vec<Arc<Ticket>> = own.cloned().collect();
        let back = std::mem::take(&mut self.set_aside).into_values();
        for ticket in own.into_iter().chain(back) {
            if !before.values().any(|lent| lent.path == ticket.path) {
                changes.push(file(&ticket));
            }
        }
        changes.extend(now.values().map(file));
        self.apply(changes);
    }

    /// Returns true if a file is one of a ticket that is worked on elsewhere.
    fn is_set_aside(&self, path: &str, ticket: &Ticket) -> bool {
        let worked_on = self.code_of(path, ticket);
        let worked_on = worked_on.and_then(|code| self.worked_on.get(&code));
        worked_on.is_some_and(|copy| *copy.path != *path)
    }

    /// The code that a file says or is named by.
    fn code_of(&self, path: &str, ticket: &Ticket) -> Option<TicketCode> {
        let in_name = || TicketCode::of_name(stem(path), &self.project);
        ticket.code.clone().or_else(in_name)
    }

    /// Returns the problem where the folder was there and is gone.
    pub fn vanished(&self) -> Option<&DocumentProblem> {
        self.vanished.as_ref()
    }

    /// Takes in whether the folder is gone.
    pub fn set_vanished(&mut self, vanished: Option<DocumentProblem>) {
        self.problems = OnceLock::new();
        self.recent.note(Vec::new());
        self.vanished = vanished;
    }

    /// Changes of several files that could be brought to no end.
    pub fn left(&self) -> &[DocumentProblem] {
        &self.left
    }

    /// Takes in which changes could be brought to no end.
    pub fn set_left(&mut self, left: Vec<DocumentProblem>) {
        self.problems = OnceLock::new();
        self.left = left;
    }

    /// Brings the listing up to date, where there is one, with a file of which everything else is.
    fn list(&mut self, path: &str, before: Option<&TicketCode>, ticket: Option<&Arc<Ticket>>) {
        if let Some(listing) = self.listing.get_mut() {
            let after = self.codes.get(path).zip(ticket);
            listing.replace(path, before, after);
        }
    }

    fn note_number(&mut self, path: &str, is_there: bool) {
        let Some(number) = number_taken(name(path), &self.project) else {
            return;
        };
        let entry = (number, path.into());
        if is_there {
            self.numbers.insert(entry);
        } else {
            self.numbers.remove(&entry);
        }
    }

    fn take_out(&mut self, path: &str) {
        self.broken.remove(path);
        self.flaws.remove(path);
        let Some(code) = self.codes.remove(path) else {
            return;
        };
        let before = self.first(&code);
        if let Some(filed) = self.by_code.get_mut(&code) {
            filed.files.retain(|ticket| *ticket.path != *path);
            if filed.files.is_empty() {
                self.by_code.remove(&code);
            }
        }
        self.note_first(&code, before.as_deref());
        self.note_shared(&code);
    }

    fn put_in(&mut self, path: Box<str>, ticket: Arc<Ticket>) {
        let mut problems = ticket.problems.clone();
        let Some(code) = self.code_of(&path, &ticket) else {
            if ticket.has_front_matter {
                let message = "it has no code, so it is no ticket; add a line such as `code: ";
                problems.push(DocumentProblem::new(
                    path.clone(),
                    format!("{message}{}`", TicketCode::new(&self.project, 7)),
                ));
                self.flaws.insert(path, problems);
            }
            return;
        };
        if !problems.is_empty() {
            self.flaws.insert(path.clone(), problems);
        }
        let before = self.first(&code);
        let files = &mut self.by_code.entry(code.clone()).or_default().files;
        let at = files.partition_point(|other| other.path < path);
        files.insert(at, ticket);
        self.note_first(&code, before.as_deref());
        self.note_shared(&code);
        self.codes.insert(path, code);
    }

    /// The ticket that a code stands for: of several files the first.
    fn first(&self, code: &TicketCode) -> Option<Arc<Ticket>> {
        self.files(code).first().cloned()
    }

    fn note_first(&mut self, code: &TicketCode, before: Option<&Ticket>) {
        let after = self.first(code);
        if let (Some(filed), Some(first)) = (self.by_code.get_mut(code), &after) {
            filed.meant = first.meant;
        }
        let tickets = before.into_iter().chain(after.as_deref());
        let blocked = tickets.flat_map(|ticket| &ticket.blocks);
        let blocked = blocked.filter_map(|name| TicketCode::read(&key_of(name, &self.project)));
        self.touched.extend(blocked.chain([code.clone()]));
        self.waits.replace(code, before, after.as_deref());
    }

    fn note_shared(&mut self, code: &TicketCode) {
        match self.files(code).len() {
            0 | 1 => self.shared.remove(code),
            files => self.shared.insert(code.clone(), files),
        };
    }

    /// The code of the project.
    pub fn project(&self) -> &str {
        &self.project
    }

    /// The files of a code, in the order of their paths; empty when there is none.
    pub fn files(&self, code: &TicketCode) -> &[Arc<Ticket>] {
        self.by_code.get(code).map_or(&[], |filed| &filed.files)
    }

    /// All codes, the highest number first.
    pub fn codes(&self) -> impl Iterator<Item = &TicketCode> {
        self.by_code.keys().rev()
    }

    /// All files with their codes, the highest number first.
    pub fn all(&self) -> impl Iterator<Item = (&TicketCode, &Arc<Ticket>)> {
        self.all_meant().map(|(code, _, ticket)| (code, ticket))
    }

    /// [`TicketIndex::all`] with what their words mean, for those who seldom need the ticket itself.
    fn all_meant(&self) -> impl Iterator<Item = (&TicketCode, DocumentedWords, &Arc<Ticket>)> {
        let filed = self.by_code.iter().rev();
        filed.flat_map(|(code, filed)| {
            count_visited(1);
            let is_only = filed.files.len() == 1;
            let meant = move |ticket: &Ticket| if is_only { filed.meant } else { ticket.meant };
            filed
                .files
                .iter()
                .map(move |ticket| (code, meant(ticket), ticket))
        })
    }

    /// All files by the words that lists are filtered by.
    pub fn listing(&self) -> &TicketListing {
        self.listing.get_or_init(|| TicketListing::of(self.all()))
    }

    /// Returns the number of files.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Returns true if there is none.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// Returns true if several files have this code.
    pub fn is_shared(&self, code: &TicketCode) -> bool {
        self.shared.contains_key(code)
    }

    /// The file that cannot be read and whose name begins with a code.
    pub fn broken_of(&self, code: &TicketCode) -> Option<&BrokenTicket> {
        let names =
            |path: &str| TicketCode::of_name(stem(path), &self.project).as_ref() == Some(code);
        let mut broken = self.broken.iter();
        let found = broken.find(|(path, _)| names(path))?;
        Some(found.1)
    }

    /// The highest number of the project that a ticket has or a file's name begins with.
    pub fn highest(&self) -> Option<u64> {
        let own = self.codes().find(|code| code.is_of(&self.project));
        let in_names = self.numbers.last().map(|(number, _)| *number);
        in_names.max(own.map(TicketCode::number))
    }

    /// Returns the number of tickets of each state: documented states first, in their order.
    pub fn by_status(&self) -> &[(String, usize)] {
        self.by_status.get_or_init(|| {
            let mut counts: BTreeMap<(usize, &str), usize> = BTreeMap::new();
            for (_, meant, ticket) in self.all_meant() {
                let known = meant.status;
                let word = match known {
                    Some(status) => status.as_str(),
                    None => ticket.status(),
                };
                let rank = TicketStatus::ALL
                    .iter()
                    .position(|status| Some(*status) == known);
                let rank = rank.unwrap_or(TicketStatus::ALL.len());
                *counts.entry((rank, word)).or_default() += 1;
            }
            let counts = counts.into_iter();
            counts
                .map(|((_, word), count)| (word.to_owned(), count))
                .collect()
        })
    }

    /// Takes in how far items of other dialects are that tickets name.
    pub fn found_outside(&mut self, standings: Vec<ExternalStatus>) {
        self.ready = OnceLock::new();
        self.recent.note(Vec::new());
        self.waits.found_outside(standings);
    }

    /// Returns the graph of dependencies; of several files of one code the first counts.
    pub fn waits(&self) -> &TicketGraph {
        &self.waits
    }

    /// Returns the codes of the tickets that can be started now, the lowest number first.
    pub fn ready(&self) -> &[TicketCode] {
        self.ready.get_or_init(|| {
            let filed = self.by_code.iter();
            let ready = filed.filter(|(code, filed)| self.waits.is_ready(code, filed.meant.status));
            ready.map(|(code, _)| code.clone()).collect()
        })
    }

    /// The first file of each code, the lowest number first.
    pub fn firsts(&self) -> impl Iterator<Item = (&TicketCode, &Ticket)> {
        let filed = self.by_code.iter().inspect(|_| count_visited(1));
        filed.filter_map(|(code, filed)| Some((code, &**filed.files.first()?)))
    }

    /// Everything that is wrong with files, in the order of their paths.
    pub fn problems(&self) -> &[DocumentProblem] {
        self.problems.get_or_init(|| self.find_problems())
    }

    fn find_problems(&self) -> Vec<DocumentProblem> {
        let mut problems: Vec<DocumentProblem> = self
            .broken
            .values()
            .map(|broken| broken.problem.clone())
            .collect();
        problems.extend(self.flaws.values().flatten().cloned());
        problems.extend(self.vanished.clone());
        problems.extend(self.left.iter().cloned());
        problems.extend(self.of_worktrees.iter().cloned());
        for code in self.shared.keys() {
            let files = self.files(code);
            let others: Vec<&str> = files.iter().map(|ticket| &*ticket.path).collect();
            let message = format!(
                "Several files have the code {code}: {}; give all but one another code",
                others.join(", ")
            );
            let first = files.first();
            let path = first.map_or("", |ticket| &ticket.path);
            let text = first.map_or("", |ticket| &ticket.text);
            let place = value_place(text, "code", &code.to_string());
            problems.push(DocumentProblem::new(path, message).at(place));
        }
        problems.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
        problems
    }
}
