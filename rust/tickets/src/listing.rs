//! The files of a project in the order of lists, with the words that lists are filtered by kept apart and
//! close together in memory: a filter goes through these and fetches no ticket that it does not show.

use std::collections::HashMap;
use std::sync::Arc;
use strum::IntoStaticStr;

use super::code::TicketCode;
use super::model::{Ticket, TicketPriority, TicketStatus, TicketType};
use chant_base::counted::count_visited;

/// Words that no file has any more may be as many as the files, and so many more.
const WORDS_KEPT: usize = 1_000;

/// An attribute that lists can be filtered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "camelCase")]
pub enum FilterAttribute {
    /// Where a ticket stands.
    Status,
    /// The kind of change it asks for.
    Type,
    /// The urgency.
    Priority,
    /// The person who works on it.
    Assignee,
    /// Phase or epic it belongs to.
    PhaseEpic,
}

impl FilterAttribute {
    /// All of them, in the order in which messages name them and columns stand.
    pub const ALL: [Self; 5] = [
        Self::Status,
        Self::Type,
        Self::Priority,
        Self::Assignee,
        Self::PhaseEpic,
    ];

    /// Its key in front matter.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The documented words, where there are such.
    pub fn documented(self) -> Option<Vec<&'static str>> {
        Some(match self {
            Self::Status => TicketStatus::ALL.iter().map(|word| word.as_str()).collect(),
            Self::Type => TicketType::ALL.iter().map(|word| word.as_str()).collect(),
            Self::Priority => TicketPriority::ALL
                .iter()
                .map(|word| word.as_str())
                .collect(),
            Self::Assignee | Self::PhaseEpic => return None,
        })
    }

    /// A ticket's word, or what an absent one stands for.
    pub fn of(self, ticket: &Ticket) -> &str {
        match self {
            Self::Status => ticket.status(),
            Self::Type => ticket.kind(),
            Self::Priority => ticket.priority(),
            Self::Assignee => ticket.assignee.as_deref().unwrap_or_default(),
            Self::PhaseEpic => ticket.phase_epic.as_deref().unwrap_or_default(),
        }
    }

    /// The form in which words are equal that mean the same.
    pub fn folded(self, word: &str) -> String {
        let documented = match self {
            Self::Status => TicketStatus::read(word).map(TicketStatus::as_str),
            Self::Type => TicketType::read(word).map(TicketType::as_str),
            Self::Priority => TicketPriority::read(word).map(TicketPriority::as_str),
            Self::Assignee | Self::PhaseEpic => None,
        };
        documented.unwrap_or(word).to_lowercase()
    }
}

/// All files with the words that they are found by.
#[derive(Clone)]
pub struct TicketListing {
    /// The lowest number first; of several files of one code the last path.
    files: Vec<(TicketCode, Arc<Ticket>)>,
    /// In the order of [`FilterAttribute::ALL`].
    columns: [AttributeColumn; 5],
}

/// One attribute of all files, in their order.
#[derive(Clone, Default)]
struct AttributeColumn {
    /// The numbers of the files' words.
    cells: Vec<u32>,
    /// The number of each word, folded; also of such that no file has any more.
    numbers: HashMap<Box<str>, u32>,
}

impl AttributeColumn {
    /// The number of a word, a new one where it has none.
    fn numbered(&mut self, word: String) -> u32 {
        let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        *self.numbers.entry(word.into()).or_insert(next)
    }
}

impl TicketListing {
    /// The files from a place on, in the order of lists.
    pub fn from(&self, place: usize) -> impl Iterator<Item = (&TicketCode, &Arc<Ticket>)> {
        let rest = self.files.len().saturating_sub(place);
        let files = self.files[..rest].iter().rev();
        files
            .inspect(|_| count_visited(1))
            .map(|(code, ticket)| (code, ticket))
    }

    /// The listing of files that come in the order of lists.
    pub fn of<'a>(files: impl Iterator<Item = (&'a TicketCode, &'a Arc<Ticket>)>) -> Self {
        let mut listing = Self {
            files: files
                .map(|(code, ticket)| (code.clone(), Arc::clone(ticket)))
                .collect(),
            columns: Default::default(),
        };
        listing.files.reverse();
        for (column, attribute) in listing.columns.iter_mut().zip(FilterAttribute::ALL) {
            for (_, ticket) in &listing.files {
                let number = column.numbered(attribute.folded(attribute.of(ticket)));
                column.cells.push(number);
            }
        }
        listing
    }

    /// Takes in that a file had this code and has another one now; `None` for no ticket.
    pub fn replace(
        &mut self,
        path: &str,
        before: Option<&TicketCode>,
        after: Option<(&TicketCode, &Arc<Ticket>)>,
    ) {
        if before == after.map(|(code, _)| code) {
            if let Some((code, ticket)) = after
                && let Ok(at) = self.place(code, path)
            {
                self.files[at].1 = Arc::clone(ticket);
                self.each_column(ticket, |cells, number| cells[at] = number);
            }
            return;
        }
        if let Some(Ok(at)) = before.map(|code| self.place(code, path)) {
            self.files.remove(at);
            for column in &mut self.columns {
                column.cells.remove(at);
            }
        }
        if let Some((code, ticket)) = after
            && let Err(at) = self.place(code, path)
        {
            self.files.insert(at, (code.clone(), Arc::clone(ticket)));
            self.each_column(ticket, |cells, number| cells.insert(at, number));
        }
    }

    fn place(&self, code: &TicketCode, path: &str) -> Result<usize, usize> {
        let by_path = |ticket: &Ticket| path.cmp(&ticket.path);
        let files = &self.files;
        files.binary_search_by(|(other, ticket)| other.cmp(code).then_with(|| by_path(ticket)))
    }

    fn each_column(&mut self, ticket: &Ticket, put: impl Fn(&mut Vec<u32>, u32)) {
        for (column, attribute) in self.columns.iter_mut().zip(FilterAttribute::ALL) {
            let number = column.numbered(attribute.folded(attribute.of(ticket)));
            put(&mut column.cells, number);
        }
    }

    /// Returns true if it holds more words than files need, so that it pays to make it again.
    pub fn is_worn(&self) -> bool {
        let most = 2 * self.files.len() + WORDS_KEPT;
        self.columns
            .iter()
            .any(|column| column.numbers.len() > most)
    }

    /// Returns true if any file has a word, given folded.
    pub fn has(&self, attribute: FilterAttribute, word: &str) -> bool {
        let column = &self.columns[attribute as usize];
        let number = column.numbers.get(word);
        number.is_some_and(|number| column.cells.contains(number))
    }

    /// The files that have one of the words, given folded, of each attribute; the highest number first.
    pub fn matching(
        &self,
        wanted: &[(FilterAttribute, Vec<String>)],
    ) -> Vec<(&TicketCode, &Arc<Ticket>)> {
        let numbers = |(attribute, words): &(FilterAttribute, Vec<String>)| {
            let column = &self.columns[*attribute as usize];
            let known = words.iter().filter_map(|word| column.numbers.get(&**word));
            (&*column.cells, known.copied().collect::<Vec<_>>())
        };
        let wanted: Vec<(&[u32], Vec<u32>)> = wanted.iter().map(numbers).collect();
        let is_wanted = |at: &usize| {
            let mut columns = wanted.iter();
            columns.all(|(cells, numbers)| numbers.contains(&cells[*at]))
        };
        let places = (0..self.files.len()).rev().filter(is_wanted);
        let file = |at: usize| (&self.files[at].0, &self.files[at].1);
        places.map(file).collect()
    }
}
