//! Reviews of several clones: each brings its own events to a remote and takes those of the others.

use crate::ops::receipts::chosen_remote;
use crate::project::ProjectRuns;
use crate::review::ProjectReviews;
use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_base::plural::counted;
use chant_review::exchange::exchange;
use chant_review::journal::OwnJournal;
use chant_specs::project::Project;

/// Takes what other clones said from a remote, and brings there what was said here. Nothing that comes closes a thread.
///
/// # Errors
/// `NotTrusted`, that there is no such remote, or what git complained of.
pub fn review_exchange(project: &Project, remote: Option<&str>) -> Result<Answer, Error> {
    project.refuse_untrusted("review exchange")?;
    let reviews = ProjectReviews::of(project)?;
    let repo = project.repository()?;
    let remote = chosen_remote(&repo, remote)?;
    let writer = OwnJournal::of(&reviews.state).known_writer();
    let done = exchange(&repo, &remote, writer.as_deref())?;
    let mut text = format!(
        "Taken from {remote}: {}; brought there: {}.",
        counted(done.taken, "review"),
        counted(done.pushed, "review")
    );
    for name in &done.rewritten {
        text.push_str(&format!(
            "\n{name} was rewritten by {remote}; what it said before stays here."
        ));
    }
    if let Some(why) = &done.refused {
        text.push_str(&format!(
            "\n{remote} did not take what was said here: {why}"
        ));
    }
    Ok(Answer::prose(text))
}
