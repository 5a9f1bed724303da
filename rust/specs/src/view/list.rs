//! Lists of specs, and what is wrong with files.

use serde::Serialize;

use super::held_specs::{HeldSpecs, RemoteCounts};
use crate::model::{Spec, SpecStatus};
use chant_base::answer::cut;
use chant_base::counted_list::CountedList;
use chant_base::document_problem::{DocumentProblem, ProblemRow};

/// Characters of a title that a list shows.
const TITLE_SHOWN: usize = 300;

/// Characters of a problem that an answer shows.
pub const MESSAGE_SHOWN: usize = 500;

/// Problems that a list shows.
pub const PROBLEMS_SHOWN: usize = 20;

/// One spec in a list.
#[derive(Debug, Serialize)]
pub struct SpecEntry<'a> {
    id: &'a str,
    title: Option<String>,
    status: &'static str,
    r#type: &'a str,
    depends_on: Option<&'a [Box<str>]>,
    labels: Option<&'a [Box<str>]>,
    /// How well a completed spec is proven: the weakest word of its criteria.
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<&'a str>,
    /// Where a search found its query.
    #[serde(skip_serializing_if = "Option::is_none")]
    excerpt: Option<String>,
    /// The word of the remote that clones share for it, where the file here does not say so.
    #[serde(skip_serializing_if = "Option::is_none")]
    on_remote: Option<&'static str>,
}

impl<'a> SpecEntry<'a> {
    /// A spec as lists show it.
    pub fn of(spec: &'a Spec, status: SpecStatus) -> Self {
        Self {
            id: spec.id.as_str(),
            title: title_shown(spec),
            status: status.as_str(),
            r#type: spec.kind.as_str(),
            depends_on: spec.depends_on.as_deref(),
            labels: spec.labels.as_deref(),
            proof: spec.proof.as_deref(),
            excerpt: None,
            on_remote: None,
        }
    }

    /// The same entry with what the remote says of an open spec.
    #[must_use]
    pub fn with_remote(mut self, held: &HeldSpecs) -> Self {
        let is_done = [SpecStatus::Completed, SpecStatus::Cancelled]
            .iter()
            .any(|status| status.as_str() == self.status);
        self.on_remote = held.word(self.id).filter(|_| !is_done);
        self
    }

    /// The same entry with the line in which a search found its query.
    #[must_use]
    pub fn with_excerpt(mut self, excerpt: Option<String>) -> Self {
        self.excerpt = excerpt;
        self
    }
}

/// An archived spec in a list.
#[derive(Debug, Serialize)]
pub struct ArchivedSpecEntry<'a> {
    #[serde(flatten)]
    entry: SpecEntry<'a>,
    path: &'a str,
}

impl<'a> ArchivedSpecEntry<'a> {
    /// An entry with the file of its spec.
    pub fn of(spec: &'a Spec, excerpt: Option<String>) -> Self {
        Self {
            entry: SpecEntry::of(spec, spec.status).with_excerpt(excerpt),
            path: &spec.path,
        }
    }
}

/// A spec's title as lists show it.
pub fn title_shown(spec: &Spec) -> Option<String> {
    spec.title.as_deref().map(|title| cut(title, TITLE_SHOWN))
}

/// A page of a list of specs.
#[derive(Debug, Serialize)]
pub struct SpecList<'a> {
    /// The specs.
    pub specs: Vec<SpecEntry<'a>>,
    /// The number of matches.
    pub total: usize,
    /// Most entries that were wanted.
    pub limit: usize,
    /// Entries on this page.
    pub returned: usize,
    /// The number of cancelled specs, where these are all there are and none was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancelled: Option<usize>,
    /// Where the next page begins, when there is one: call again with this `offset`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
    /// The number of specs that were left out because of what the remote says.
    #[serde(flatten)]
    pub remote: RemoteCounts,
    /// Files that cannot be read as specs, or only in part.
    #[serde(flatten)]
    pub problems: CountedList<ProblemRow>,
}

/// The problems that an answer shows, a row each.
pub fn problems(problems: &[DocumentProblem]) -> CountedList<ProblemRow> {
    let row = |problem: &DocumentProblem| problem.row(MESSAGE_SHOWN);
    CountedList::first("problems", problems, PROBLEMS_SHOWN, row)
}

/// [`problems`] for the page that begins at an offset: the first page has them, those behind it do not.
pub fn problems_of_page(found: &[DocumentProblem], offset: usize) -> CountedList<ProblemRow> {
    problems(if offset == 0 { found } else { &[] })
}
