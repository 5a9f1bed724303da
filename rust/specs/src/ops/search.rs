//! Words in titles and bodies.

use std::ops::Range;
use std::sync::Arc;

use memchr::memchr2_iter;
use memchr::memmem::Finder;
use rayon::prelude::*;
use regex::{Regex, RegexBuilder};

use super::read::spec_list;
use crate::error::ChantError;
use crate::model::{Spec, SpecStatus};
use crate::project::Project;
use crate::view::list::{ArchivedSpecEntry, SpecEntry};
use chant_base::answer::{Answer, PageRequest};
use chant_base::error::Error;
use chant_text::signature::{SignatureQuery, TextSignature};

/// Longest query, in characters.
const MAX_QUERY: usize = 1_000;

/// Characters of the line in which a query was found.
const EXCERPT: usize = 160;

/// `chant_search`: active specs, cancelled ones too, whose title or body holds the query, in any
/// case; an empty query matches all. Answers with the object of `chant_spec_list`, each entry with
/// the first line that matches.
///
/// # Errors
/// `InvalidStatus`, `InvalidArgument` for a query too long, or that there is no project.
pub fn search(
    project: &Project,
    query: &str,
    status: Option<&str>,
    page: PageRequest,
) -> Result<Answer, Error> {
    let status: Option<SpecStatus> = status
        .map(str::parse)
        .transpose()
        .map_err(ChantError::from)?;
    let wanted = SpecSearch::new(query)?;
    let snapshot = project.snapshot()?;
    let (specs, overview) = (&snapshot.specs, snapshot.specs.overview());
    let has_status = |at: usize| match status {
        None => true,
        Some(SpecStatus::Ready) => {
            overview.statuses[at] == SpecStatus::Ready || overview.ready.binary_search(&at).is_ok()
        }
        Some(status) => overview.statuses[at] == status,
    };
    // Each thread searches with a copy of its own: copies of a pattern share what is costly to make.
    let matches = |wanted: &mut SpecSearch, (at, spec): (usize, &Arc<Spec>)| {
        let signature = specs.signature(at);
        // Nothing of a spec is looked at whose signature denies the word.
        let is_match = has_status(at)
            && signature.may_hold(&wanted.word)
            && wanted.is_in(spec.body(), signature);
        is_match.then_some(at)
    };
    let found: Vec<usize> = specs
        .all()
        .par_iter()
        .enumerate()
        .map_with(wanted.clone(), matches)
        .flatten_iter()
        .collect();
    let held = project.held_elsewhere();
    let entry = |at: &usize| {
        let spec = specs.at(*at);
        let place = Some(*at).filter(|_| !query.is_empty());
        let place = place.and_then(|at| wanted.first_in(spec.body(), specs.signature(at)));
        let excerpt = place.map(|place| excerpt(spec.body(), place));
        let entry = SpecEntry::of(spec, overview.statuses[*at]).with_excerpt(excerpt);
        entry.with_remote(&held)
    };
    let entries = found.iter().skip(page.offset).take(page.limit).map(entry);
    let list = spec_list(project, &snapshot, entries, found.len(), page);
    Ok(Answer::data(&list))
}

/// Returns the archived specs whose text holds a query, for people; agents search active ones.
///
/// # Errors
/// As [`search`].
pub fn search_archived(project: &Project, query: &str) -> Result<Answer, Error> {
    let wanted = SpecSearch::new(query)?;
    let archived = project.archived_specs()?;
    let found = archived.iter().filter_map(|spec| {
        let place = wanted.pattern.find(spec.body())?.range();
        let excerpt = (!query.is_empty()).then(|| excerpt(spec.body(), place));
        Some(ArchivedSpecEntry::of(spec, excerpt))
    });
    let found: Vec<ArchivedSpecEntry<'_>> = found.collect();
    Ok(Answer::compact(&found))
}

/// The text that is searched for, in any case.
#[derive(Clone)]
struct SpecSearch {
    word: SignatureQuery,
    lower: String,
    exact: Finder<'static>,
    pattern: Regex,
}

impl SpecSearch {
    fn new(query: &str) -> Result<Self, ChantError> {
        let refused = |why: String| ChantError::InvalidArgument { name: "query", why };
        if query.chars().count() > MAX_QUERY {
            return Err(refused(format!("expected at most {MAX_QUERY} characters")));
        }
        let pattern = RegexBuilder::new(&regex::escape(query))
            .case_insensitive(true)
            .build()
            .map_err(|e| refused(e.to_string()))?;
        let lower = query.to_ascii_lowercase();
        Ok(Self {
            word: SignatureQuery::of(query),
            exact: Finder::new(&lower).into_owned(),
            lower,
            pattern,
        })
    }

    fn is_in(&self, body: &str, signature: &TextSignature) -> bool {
        // Most words stand in texts in lower case, and an exact search is several times quicker.
        self.exact.find(body.as_bytes()).is_some() || self.first_in(body, signature).is_some()
    }

    /// Where a body holds it first.
    fn first_in(&self, body: &str, signature: &TextSignature) -> Option<Range<usize>> {
        if !self.lower.is_ascii() || !signature.is_plain() {
            return self.pattern.find(body).map(|found| found.range());
        }
        let Some(first) = self.lower.bytes().next() else {
            return Some(0..0);
        };
        let is_here = |at: &usize| {
            let here = body.as_bytes().get(*at..at + self.lower.len());
            here.is_some_and(|here| here.eq_ignore_ascii_case(self.lower.as_bytes()))
        };
        memchr2_iter(first, first.to_ascii_uppercase(), body.as_bytes())
            .find(is_here)
            .map(|at| at..at + self.lower.len())
    }
}

/// The line of the first match, cut around it when it is long.
fn excerpt(body: &str, found: Range<usize>) -> String {
    let start = body[..found.start].rfind('\n').map_or(0, |at| at + 1);
    let end = body[found.end..]
        .find('\n')
        .map_or(body.len(), |at| found.end + at);
    let line = body[start..end].trim();
    if line.chars().count() <= EXCERPT {
        return line.to_owned();
    }
    let before: Vec<char> = body[start..found.start].chars().rev().take(40).collect();
    let shown: String = before
        .into_iter()
        .rev()
        .chain(body[found.start..end].chars())
        .take(EXCERPT)
        .collect();
    format!("…{}…", shown.trim())
}
