//! Words in titles and bodies.

use std::sync::Arc;

use memchr::memmem::Finder;
use rayon::prelude::*;
use regex::{Regex, RegexBuilder};

use super::super::error::ChantError;
use super::super::model::{Spec, Status};
use super::super::project::Project;
use super::super::view::list::SpecEntry;
use super::read::spec_list;
use crate::answer::{Answer, Page};
use crate::error::Error;
use crate::text::signature::Word;

/// Longest query, in characters.
const MOST_QUERY: usize = 1_000;

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
    page: Page,
) -> Result<Answer, Error> {
    let status: Option<Status> = status
        .map(str::parse)
        .transpose()
        .map_err(ChantError::from)?;
    let (pattern, word) = (pattern(query)?, Word::of(query));
    let snapshot = project.snapshot()?;
    let (specs, overview) = (&snapshot.specs, snapshot.specs.overview());
    let has_status = |at: usize| match status {
        None => true,
        Some(Status::Ready) => {
            overview.statuses[at] == Status::Ready || overview.ready.binary_search(&at).is_ok()
        }
        Some(status) => overview.statuses[at] == status,
    };
    // Most words stand in texts in lower case, and an exact search is several times quicker.
    let lower = query.to_ascii_lowercase();
    let exact = Finder::new(&lower);
    // Each thread searches with a copy of its own: the copies share the automaton, not its scratch.
    let matches = |pattern: &mut Regex, (at, spec): (usize, &Arc<Spec>)| {
        let body = spec.body();
        let is_match = has_status(at)
            && spec.may_hold(&word)
            && (exact.find(body.as_bytes()).is_some() || pattern.is_match(body));
        is_match.then_some(at)
    };
    let found: Vec<usize> = specs
        .all()
        .par_iter()
        .enumerate()
        .map_with(pattern.clone(), matches)
        .flatten_iter()
        .collect();
    let entry = |at: &usize| {
        let spec = &specs.all()[*at];
        let excerpt = (!query.is_empty())
            .then(|| excerpt(spec.body(), &pattern))
            .flatten();
        SpecEntry::of(spec, overview.statuses[*at]).with_excerpt(excerpt)
    };
    let entries = found.iter().skip(page.offset).take(page.limit).map(entry);
    Ok(spec_list(project, &snapshot, entries, found.len(), page))
}

fn pattern(query: &str) -> Result<Regex, ChantError> {
    let refused = |why: String| ChantError::InvalidArgument { name: "query", why };
    if query.chars().count() > MOST_QUERY {
        return Err(refused(format!("expected at most {MOST_QUERY} characters")));
    }
    RegexBuilder::new(&regex::escape(query))
        .case_insensitive(true)
        .build()
        .map_err(|e| refused(e.to_string()))
}

/// The line of the first match, cut around it when it is long.
fn excerpt(body: &str, pattern: &Regex) -> Option<String> {
    let found = pattern.find(body)?;
    let start = body[..found.start()].rfind('\n').map_or(0, |at| at + 1);
    let end = body[found.end()..]
        .find('\n')
        .map_or(body.len(), |at| found.end() + at);
    let line = body[start..end].trim();
    if line.chars().count() <= EXCERPT {
        return Some(line.to_owned());
    }
    let before: Vec<char> = body[start..found.start()].chars().rev().take(40).collect();
    let shown: String = before
        .into_iter()
        .rev()
        .chain(body[found.start()..end].chars())
        .take(EXCERPT)
        .collect();
    Some(format!("…{}…", shown.trim()))
}
