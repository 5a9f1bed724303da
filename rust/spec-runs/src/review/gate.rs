//! The gate in front of a landing: open comments of people.

use chant_base::error::Error;
use chant_review::thread::ReviewThread;
use chant_specs::project::Project;

use super::ProjectReviews;

/// Threads that a sentence names.
const NAMED: usize = 3;

/// Returns why the work on a spec must not land as long as comments are open that a person wants to be done, with what
/// to do next; `None` if there are none.
///
/// # Errors
/// A failure to read the journal or the repository.
pub(crate) fn landing_stop(project: &Project, spec_id: &str) -> Result<Option<String>, Error> {
    let review = ProjectReviews::of(project)?.read(spec_id)?;
    let stoppers: Vec<&ReviewThread> = review.threads.stoppers().collect();
    if stoppers.is_empty() {
        return Ok(None);
    }
    let named: Vec<&str> = stoppers
        .iter()
        .take(NAMED)
        .map(|thread| &*thread.id)
        .collect();
    let more = stoppers.len() - named.len();
    let more = if more == 0 {
        String::new()
    } else {
        format!(" and {more} more")
    };
    let (count, verb) = match stoppers.len() {
        1 => ("1 comment".to_owned(), "waits"),
        several => (format!("{several} comments"), "wait"),
    };
    Ok(Some(format!(
        "awaiting review: {count} of people on '{spec_id}' {verb} to be done ({}{more}). `chant-mcp review {spec_id}` shows them; --send there gives them to the agent, --resolve closes one",
        named.join(", ")
    )))
}
