//! Reviews of the work on specs: what is said of it, where that stands now, and what it keeps from landing.

#[cfg(unix)]
mod answers;
mod batches;
mod commit_side;
#[cfg(unix)]
mod delivery;
#[cfg(unix)]
pub(crate) mod gate;
pub(crate) mod hunks;
pub(crate) mod risk;
pub(crate) mod work_range;

#[cfg(unix)]
pub(crate) use answers::{note_answers, unanswered};
pub(crate) use batches::is_delivered;
pub(crate) use commit_side::{CommitSide, placement_of};
#[cfg(unix)]
pub(crate) use delivery::{SentReview, note_delivery, sent_review};

use std::sync::Arc;

use chant_base::error::Error;
use chant_git::Repo;
use chant_review::event::{AuthorKind, EventAuthor};
use chant_review::store::{ReviewStore, SpecReview};
use chant_specs::project::Project;
use chant_store::state::StateFolder;

/// The reviews of a project, with what they are read from.
pub(crate) struct ProjectReviews {
    pub state: StateFolder,
    pub repo: Option<Arc<Repo>>,
}

impl ProjectReviews {
    /// Opens the reviews of a project.
    ///
    /// # Errors
    /// A failure to find the state or the repository.
    pub(crate) fn of(project: &Project) -> Result<Self, Error> {
        Ok(Self {
            state: project.state()?,
            repo: project.repo()?,
        })
    }

    pub(crate) fn store(&self) -> ReviewStore<'_> {
        ReviewStore::of(&self.state, self.repo.as_deref())
    }

    /// Reads the review of a spec.
    ///
    /// # Errors
    /// A failure to read the journal or the repository.
    pub(crate) fn read(&self, spec_id: &str) -> Result<SpecReview, Error> {
        Ok(self.store().read(spec_id)?)
    }
}

/// The person at a door, as git names them. The caller has refused agents.
pub(crate) fn person(project: &Project, repo: Option<&Repo>) -> Result<EventAuthor, Error> {
    let user = repo.map(Repo::user).transpose()?.flatten();
    Ok(EventAuthor {
        kind: AuthorKind::Person,
        name: user.map_or_else(|| "somebody".to_owned(), |(name, _)| name),
        via: project.door.word().to_owned(),
        run: None,
    })
}

/// The runner of a run, or its agent, as the run's own record names it.
#[cfg(unix)]
pub(crate) fn of_run(kind: AuthorKind, name: &str, run: &str) -> EventAuthor {
    EventAuthor {
        kind,
        name: name.to_owned(),
        via: "run".to_owned(),
        run: Some(run.to_owned()),
    }
}

/// Returns a path of the project from the top of its checkout.
pub(crate) fn in_git(project: &Project, repo: &Repo, path: &str) -> String {
    let inside = project.path_in_repository(repo, path);
    inside.unwrap_or_else(|| path.to_owned())
}
