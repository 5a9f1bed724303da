//! The way in which work becomes part of its target: as a merge, squashed, or rewritten on top of it. What the start says
//! of it, what becomes of the agent's own commits, and which rules of the project a landing obeys.

use super::confined_hooks::confines_hooks;
use super::{CompletionDetails, MergeInputs, RunLanding, hooks_of, short_commit};
use crate::runtime::run_folder::RunFolder;
use chant_base::error::Error;
use chant_base::next_step::NextStep;
use chant_config::{Config, LandingStyle};
use chant_git::hooks::hooks_at_landing;
use chant_git::merge::MergeStyle;
use chant_git::{GitError, Repo};
use chant_specs::error::ChantError;
use chant_specs::ops::edit::SpecDraft;
use chant_specs::project::Project;
use chant_text::front_matter::FrontMatterValue;
use chant_work::run_record::{MergeEntry, MergeState};

/// The hooks that look at commits, whatever kind they are.
const OF_COMMITS: [&str; 4] = [
    "pre-commit", "pre-merge-commit", "prepare-commit-msg", "commit-msg",
];

/// Returns the style as git's own code names it.
pub(super) fn merge_style(style: LandingStyle) -> MergeStyle {
    match style {
        LandingStyle::Merge => MergeStyle::Merge,
        LandingStyle::Squash => MergeStyle::Squash,
        LandingStyle::Rebase => MergeStyle::Rebase,
    }
}

/// Refuses a style in which work cannot land under this configuration.
///
/// # Errors
/// `Refused`, with the choice.
pub(in crate::runtime) fn refuse_style(config: &Config) -> Result<(), ChantError> {
    let style = config.landing_style;
    if style == LandingStyle::Merge || config.leases.is_none() {
        return Ok(());
    }
    Err(ChantError::Refused(format!(
        "`landing.style: {}` and `leases` do not go together: what clones agree on is that the agent's own commits are on the target. Set `landing.style: merge`, or take `leases` out of the configuration; with `leases.landing: pr` the host may squash or rebase",
        style.as_str()
    )))
}

/// Returns what a start says of the landing to come: which commits will be unsigned, and which hooks look at what lands.
///
/// # Errors
/// A failure to read git's configuration.
pub(crate) fn landing_note(
    project: &Project,
    config: &Config,
    repo: &Repo,
) -> Result<Option<String>, Error> {
    let style = config.landing_style;
    let mut said = Vec::new();
    if style == LandingStyle::Merge && repo.signs_commits()? {
        said.push("The agent's own commits will be unsigned, although `commit.gpgsign` is set: your key signs the merge alone; with `landing.style: squash` or `rebase` it signs all that lands.".to_owned());
    }
    let hooks = hooks_of(project).run;
    let at_landing = hooks_at_landing(merge_style(style));
    let of_commits = hooks
        .iter()
        .map(String::as_str)
        .filter(|hook| OF_COMMITS.contains(hook));
    let (looks, others): (Vec<&str>, Vec<&str>) =
        of_commits.partition(|hook| at_landing.contains(hook));
    if !looks.is_empty() || !others.is_empty() {
        let are_confined = !looks.is_empty() && confines_hooks(project, config)?;
        let looks = match &*looks {
            [] => "none of your hooks looks".to_owned(),
            [one] => format!("your hook {one} looks"),
            more => format!("your hooks {} look", more.join(", ")),
        };
        let others = match &*others {
            [] => String::new(),
            others => format!(
                " ({} does not: git runs it at no {})",
                others.join(", "),
                if style == LandingStyle::Merge {
                    "merge; with `landing.style: squash` or `rebase` it does"
                } else {
                    "other commit than a merge"
                },
            ),
        };
        let rights = if are_confined {
            ", confined as checks are"
        } else {
            ""
        };
        said.push(format!(
            "At the landing {looks} at what lands{rights}{others}; the agent's own commits run no hook."
        ));
    }
    Ok((!said.is_empty()).then(|| said.join(" ")))
}

/// Returns why rules of the project, or of the person, kept work from landing; `None` for other failures.
pub(super) fn refused_by_rules(landing: &RunLanding<'_>, error: &Error) -> Option<String> {
    let place = landing.place;
    let mut rights = "";
    let advice = match error.downcast_ref::<GitError>()? {
        refused @ (GitError::Hook { .. } | GitError::HooksNotRun { .. }) => {
            if matches!(landing.confined_hooks(), Ok(Some(_))) {
                rights = "; your hooks have your own rights then, and were confined as checks are before";
            }
            match refused {
                GitError::Hook { .. } => "Put that right",
                _ => "Look at the work",
            }
        }
        GitError::Signing { .. } => "Put that right",
        GitError::NotRewritten { .. } => "Set `landing.style: squash` or `merge`",
        _ => return None,
    };
    let merge = NextStep::Merge(place.spec_id.clone()).words(landing.project.door);
    Some(format!(
        "{error}\nNothing landed; the work stays on {}. {advice}, then {merge} lands it{rights}",
        place.branch
    ))
}

/// Returns the text of a completed spec with the commits that landed in place of the agent's.
pub(super) fn naming(path: &str, text: &str, rewritten: &[String]) -> String {
    let named = || -> Result<String, Error> {
        let mut draft = SpecDraft::of(path, text)?;
        let commits = rewritten.iter().map(|id| short_commit(id)).collect();
        draft.set("commits", Some(FrontMatterValue::List(commits)))?;
        Ok(draft.finish())
    };
    match rewritten {
        [] => text.to_owned(),
        _ => named().unwrap_or_else(|_| text.to_owned()),
    }
}

impl RunLanding<'_> {
    /// Returns the commits that a spec names in the commit with which it lands: none can name itself, and rewritten ones
    /// are named when they are made.
    pub(super) fn named_commits<'c>(
        &self,
        finish: &'c CompletionDetails,
    ) -> Result<&'c [String], Error> {
        let config = self.project.snapshot()?.config.clone()?;
        Ok(match config.landing_style {
            LandingStyle::Merge => &finish.commits,
            LandingStyle::Squash | LandingStyle::Rebase => &[],
        })
    }

    /// Returns the branches whose work lands.
    fn places(&self) -> impl Iterator<Item = &RunFolder> {
        let settled = self.original.map(|original| &original.place);
        [self.place].into_iter().chain(settled)
    }

    /// Keeps the commits of the branches under a ref of ours, if they land as others with a commit: after that only
    /// this says that they did.
    pub(super) fn keep_branches(&self, commit: &str) -> Result<(), Error> {
        for place in self.places() {
            self.kept_branch(place, commit)?;
        }
        Ok(())
    }

    /// Returns the ref that keeps the commits of a branch which landed as others.
    pub(super) fn kept_branch(
        &self,
        place: &RunFolder,
        commit: &str,
    ) -> Result<Option<String>, Error> {
        let target = &self.place.target;
        Ok(self
            .repo
            .keep_landed_branch(&place.branch, target, commit)?)
    }

    /// Finds a landing of this work, squashed or rewritten, which a dead process did not record; records it then.
    pub(super) fn is_landed(&self, sight: &MergeInputs) -> Result<bool, Error> {
        let branch = &self.place.branch;
        let Some(landed) = self.repo.landed_as(branch, &sight.tip, &sight.old)? else {
            return Ok(false);
        };
        self.note_landed(&landed.commit)?;
        Ok(true)
    }

    /// Records that the work is on the target with a commit, and which commits that are.
    pub(super) fn note_landed(&self, commit: &str) -> Result<(), Error> {
        let kept = self.kept_branch(self.place, commit)?;
        let begun = self.runs.get(self.process_id)?.merge.begun;
        let tried = begun.iter().find(|tried| tried.new == commit);
        let landed = match (&kept, tried) {
            (None, _) => Vec::new(),
            (Some(_), Some(tried)) => self.repo.commits_beyond(&tried.old, commit)?,
            (Some(_), None) => vec![commit.to_owned()],
        };
        self.runs.update(self.process_id, |record| {
            record.merge = MergeEntry {
                state: MergeState::Merged,
                commit: Some(commit.to_owned()),
                landed: landed.clone(),
                kept: kept.clone(),
                blocked_by: Vec::new(),
                ..record.merge.clone()
            };
            Ok(())
        })?;
        Ok(())
    }
}
