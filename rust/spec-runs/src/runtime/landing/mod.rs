//! Lands the work of a run on the target branch: spec files are merged by their meaning, everything
//! else by git, without touching the user's changes (the runtime's design, "Merging").

mod by_request;
mod checkout_follow;
mod completed_specs;
mod confined_hooks;
mod halving;
mod hooks_check;
mod merge_turn;
mod message;
mod on_remote;
mod remote_follow;
mod request_command;
mod review_stop;
mod style;
mod train;

pub(super) use hooks_check::hooks_of;
pub(crate) use remote_follow::{FollowOutcome, follow_remote};
pub(crate) use style::landing_note;
pub(super) use style::refuse_style;
pub(super) use train::CheckTerms;

use std::cell::RefCell;
use std::time::Duration;

use self::message::{MessageParts, landing_message};
use self::style::{merge_style, naming, refused_by_rules};
use super::acting_change::ActingChange;
use super::blockers::describe_wait;
use super::completion_details::{CompletionDetails, short_commit};
use super::conflicted_run::ConflictedRun;
use super::item_work::ItemMarks;
use super::landed_specs::{
    by_meaning, changed, changed_meanwhile, new_cycle, new_member, open_criteria, overruled,
    own_conflict,
};
use super::run_folder::RunFolder;
use super::spec_state::spec_of;
use crate::agents;
use crate::merge;
use crate::review::ProjectReviews;
use chant_base::error::Error;
use chant_base::plural::first_of;
use chant_git::Repo;
use chant_git::hooks::ConfinedHooks;
use chant_git::land::LandingOutcome;
use chant_git::merge::{FileConflict, FileResolution, FileSides, MergeOutcome, MergeRequest};
use chant_proof::completion::MAX_NAMED;
use chant_specs::error::ChantError;
use chant_specs::model::SpecStatus;
use chant_specs::ops::edit::SpecDraft;
use chant_specs::parse;
use chant_specs::project::{ARCHIVE, Project, ProjectSnapshot, SPECS};
use chant_store::files;
use chant_text::front_matter::FrontMatterValue;
use chant_work::lock::{MergeLock, SpecLock};
use chant_work::run_record::{MergeState, MergeTry, RunRecord};
use chant_work::run_store::RunStore;

/// The lock timeout: how long this waits for other merges, and for other programs that hold git's
/// lock of an index.
const LOCK_TIMEOUT: Duration = Duration::from_secs(30);
/// The number of attempts at a merge when target or spec change meanwhile.
const ATTEMPTS: usize = 10;
/// Work that is to be merged.
pub(super) struct RunLanding<'a> {
    pub project: &'a Project,
    pub runs: &'a RunStore,
    pub repo: &'a Repo,
    pub process_id: &'a str,
    pub place: &'a RunFolder,
    pub lock: &'a SpecLock,
    pub finish: CompletionDetails,
    /// The run whose conflict this work settles.
    pub original: Option<&'a ConflictedRun>,
    /// The hash of the acting change to which a person agreed.
    pub agreed: Option<&'a str>,
    /// The means to run checks of merged work; without them work that needs checks waits.
    pub checks: Option<CheckTerms<'a>>,
    /// Notes of the landing beside its outcome.
    pub notes: RefCell<Vec<String>>,
}

/// The outcomes of a landing.
pub(super) enum RunLandingOutcome {
    /// The work is on the target.
    Merged,
    /// It is blocked for now; nothing was touched.
    Waits {
        why: String,
        blocked_by: Vec<String>,
    },
    /// Both sides changed the same places.
    Conflicts {
        conflicts: Vec<FileConflict>,
        tried: MergeTry,
    },
    /// It would change what runs on this machine, as these lines show; a person has to agree.
    ActsAnew(ActingChange),
    /// A person has to review it.
    Doubtful(String),
    /// A newer run of the spec was started.
    Stale,
    /// Another clone has the spec by now.
    Overtaken(String),
}

/// The facts on which a merge is decided, read at one moment.
struct MergeInputs {
    snapshot: ProjectSnapshot,
    /// The spec's working copy.
    copy: String,
    /// The target's newest commit.
    old: String,
    /// The branch's newest commit.
    tip: String,
    /// The new text of the spec.
    text: String,
    /// The version of the spec whose conflict is settled.
    original: Option<SpecVersion>,
    /// The documents of an item of another format.
    marks: ItemMarks,
}

/// A spec's file in the checkout, and its new text.
struct SpecVersion {
    copy: String,
    text: String,
}

impl RunLanding<'_> {
    /// Merges and lands, under the merge lock.
    ///
    /// # Errors
    /// The step that failed; the target is then as it was.
    pub(crate) fn land(&self) -> Result<RunLandingOutcome, Error> {
        let config = self.project.snapshot()?.config.clone()?;
        if let Err(refused) = refuse_style(&config) {
            return Ok(RunLandingOutcome::Doubtful(refused.to_string()));
        }
        self.land_there()
            .or_else(|error| match refused_by_rules(self, &error) {
                Some(why) => Ok(RunLandingOutcome::Doubtful(why)),
                None => Err(error),
            })
    }

    fn land_there(&self) -> Result<RunLandingOutcome, Error> {
        let record = self.runs.get(self.process_id)?;
        if let Some(leases) = self.leases(&record)? {
            return self.land_on_remote(&leases, &record);
        }
        let _merge = MergeLock::acquire(self.runs, self.lock, LOCK_TIMEOUT)?;
        if let Some(outcome) = self.refuse_stale(&record)? {
            return Ok(outcome);
        }
        self.free_own_locks()?;
        for _ in 0..ATTEMPTS {
            if let Some(outcome) = self.attempt(&record.spec_id)? {
                return Ok(outcome);
            }
        }
        let message = format!("branch {} kept moving; try again", self.place.target);
        Err(ChantError::Refused(message).into())
    }

    /// Returns why work of this run must not land any more, by this clone's own tokens.
    fn refuse_stale(&self, record: &RunRecord) -> Result<Option<RunLandingOutcome>, Error> {
        Ok(match self.runs.token(&record.spec_id)? {
            Some(token) if token == record.token => None,
            Some(_) => Some(RunLandingOutcome::Stale),
            None => {
                let why =
                    "what says that this run is the newest of its spec is gone; nothing was merged";
                Some(RunLandingOutcome::Doubtful(why.into()))
            }
        })
    }

    /// Releases the locks of a killed landing of this run, at any step.
    fn free_own_locks(&self) -> Result<(), Error> {
        for (lock, run) in self.repo.landing_locks()? {
            if run == self.process_id {
                self.repo.free_landing_lock(&lock, &run)?;
            }
        }
        Ok(())
    }

    /// Makes one attempt; returns `None` if something changed meanwhile.
    fn attempt(&self, spec_id: &str) -> Result<Option<RunLandingOutcome>, Error> {
        let old = self.repo.tip_for_work(&self.place.target)?;
        let sight = match self.look(spec_id, old)? {
            Ok(sight) => sight,
            Err(why) => return Ok(Some(RunLandingOutcome::Doubtful(why))),
        };
        let tried = MergeTry {
            old: sight.old.clone(),
            new: sight.tip.clone(),
        };
        if self.is_landed(&sight)? {
            return Ok(Some(RunLandingOutcome::Merged));
        }
        if let Some(stopped) = self.stopped_before_merge()? {
            return Ok(Some(stopped));
        }
        let new = match self.merge(&sight)? {
            MergeOutcome::Nothing => {
                self.note_landed(&sight.old)?;
                return Ok(Some(RunLandingOutcome::Merged));
            }
            MergeOutcome::Conflicts(conflicts) => {
                return Ok(Some(
                    match own_conflict(&conflicts, &self.place.spec_in_git) {
                        Some(why) => RunLandingOutcome::Doubtful(why),
                        None => RunLandingOutcome::Conflicts { conflicts, tried },
                    },
                ));
            }
            MergeOutcome::FastForward { commit } | MergeOutcome::Commit { commit, .. } => commit,
        };
        if let Some(why) = self.damage(&sight, &new)? {
            return Ok(Some(RunLandingOutcome::Doubtful(why)));
        }
        if let Some(stopped) = self.stopped_by_its_change(&sight.old, &new)? {
            return Ok(Some(stopped));
        }
        self.keep_branches(&new)?;
        // Nobody says anything between this look and the landing; hooks may have taken long.
        let reviews = ProjectReviews::of(self.project)?;
        let _lock = reviews.store().lock()?;
        if let Some(stopped) = self.stopped_by_review()? {
            return Ok(Some(stopped));
        }
        match self.bring(&sight, &new, &[])? {
            LandingOutcome::Done { .. } => {
                self.note_landed(&new)?;
                Ok(Some(RunLandingOutcome::Merged))
            }
            LandingOutcome::Moved { .. } => Ok(None),
            LandingOutcome::Waits(waits) => {
                let (why, blocked_by) = describe_wait(&waits);
                if self.is_changed(&sight, &blocked_by)? {
                    return Ok(None);
                }
                Ok(Some(RunLandingOutcome::Waits { why, blocked_by }))
            }
        }
    }

    /// Reads both sides, of which `old` is the commit to land on; the inner error names their disagreement.
    fn look(&self, spec_id: &str, old: String) -> Result<Result<MergeInputs, String>, Error> {
        let place = self.place;
        let snapshot = self.project.snapshot()?;
        let own = match self.version(&snapshot, spec_id, place, &self.finish)? {
            Ok(own) => own,
            Err(why) => return Ok(Err(why)),
        };
        let mut original = None;
        if let Some(settled) = self.original {
            let id = &settled.record.spec_id;
            match self.version(&snapshot, id, &settled.place, &settled.finish)? {
                Ok(version) => original = Some(version),
                Err(why) => return Ok(Err(format!("spec '{id}': {why}"))),
            }
        }
        let record = self.runs.get(self.process_id)?;
        let marks = match ItemMarks::of(self.project, &record, place, &old)? {
            Ok(marks) => marks,
            Err(why) => return Ok(Err(why)),
        };
        Ok(Ok(MergeInputs {
            snapshot,
            marks,
            old,
            tip: place.branch_tip(self.repo)?,
            text: own.text,
            copy: own.copy,
            original,
        }))
    }

    /// Reads one spec; the inner error gives the reason why it must not be completed.
    fn version(
        &self,
        snapshot: &ProjectSnapshot,
        spec_id: &str,
        place: &RunFolder,
        finish: &CompletionDetails,
    ) -> Result<Result<SpecVersion, String>, Error> {
        let spec = spec_of(snapshot, spec_id)?;
        let copy = self.working_copy(&spec.path)?;
        let text = match self.united(place, &copy)? {
            Ok(text) => text,
            Err(why) => return Ok(Err(why)),
        };
        let open = || open_criteria(&spec.path, &text);
        if let Some(why) = changed_meanwhile(&spec.path, &copy).or_else(open) {
            return Ok(Err(why));
        }
        let text = self.completed(&spec.path, &text, finish, self.named_commits(finish)?)?;
        Ok(Ok(SpecVersion { copy, text }))
    }

    fn working_copy(&self, path: &str) -> Result<String, Error> {
        Ok(files::read(&self.project.disk, self.project.documents(), path)?.0)
    }

    /// Returns the spec with the checkout's state and the branch's work.
    fn united(&self, place: &RunFolder, copy: &str) -> Result<Result<String, String>, Error> {
        let base = place.base_text(self.project, self.repo)?;
        let branch = place.branch_text(self.project, self.repo)?;
        let united = merge::merge_specs(base.as_deref(), Some(copy), branch.as_deref());
        Ok(united.map_err(|conflicts| {
            let described: Vec<String> = conflicts
                .iter()
                .map(|conflict| conflict.describe("the project", "the branch"))
                .collect();
            described.join("; ")
        }))
    }

    /// Returns a spec's text as that of a completed one.
    fn completed(
        &self,
        path: &str,
        text: &str,
        finish: &CompletionDetails,
        commits: &[String],
    ) -> Result<String, Error> {
        let mut draft = SpecDraft::of(path, text)?;
        draft.set_text("status", SpecStatus::Completed.as_str())?;
        if !commits.is_empty() {
            let commits = FrontMatterValue::List(commits.to_vec());
            draft.set("commits", Some(commits))?;
        }
        draft.set_text("completed_at", self.project.clock.stamp())?;
        for (key, text) in finish.keys() {
            draft.set_text(key, text)?;
        }
        let usual = || {
            let snapshot = self.project.snapshot().ok()?;
            agents::usual_model(&self.project.environment, snapshot.config.ok()?.as_ref())
        };
        if draft.spec().model.is_none()
            && let Some(model) = finish.model.clone().or_else(usual)
        {
            draft.set_text("model", model)?;
        }
        Ok(draft.finish())
    }

    fn merge(&self, sight: &MergeInputs) -> Result<MergeOutcome, Error> {
        let place = self.place;
        let inside = self.inside();
        let specs = format!("{inside}{SPECS}/");
        let mut asked = self.repo.differing(&place.base, &sight.tip)?;
        asked.retain(|path| path.starts_with(&specs) && *path != place.spec_in_git);
        if place.is_tracked {
            asked.push(place.spec_in_git.clone());
        }
        let settled = self.settled(sight);
        if let Some((path, _)) = settled {
            asked.retain(|other| other != path);
            asked.push(path.to_owned());
        }
        asked.retain(|path| sight.marks.text_at(path).is_none());
        asked.extend(sight.marks.paths());
        let resolve = |path: &str, sides: FileSides<'_>| {
            if let Some(text) = sight.marks.text_at(path) {
                return FileResolution::Bytes(text.as_bytes().to_vec());
            }
            if path == place.spec_in_git {
                return FileResolution::Bytes(
                    naming(&place.spec, &sight.text, sides.rewritten).into_bytes(),
                );
            }
            if let Some((_, version)) = settled.filter(|(settled, _)| *settled == path) {
                let text = naming(path, &version.text, sides.rewritten);
                return FileResolution::Bytes(text.into_bytes());
            }
            by_meaning(path, sides)
        };
        let spec = sight.snapshot.specs.find(&spec_id_of(place));
        let title = spec.and_then(|spec| spec.title.clone());
        let config = sight.snapshot.config.clone()?;
        let parts = MessageParts {
            branch: &place.branch,
            target: &place.target,
            spec: &place.spec_id,
            item: sight.marks.key.as_deref(),
            title: title.as_deref(),
        };
        let template = config.landing_message.as_deref();
        let message =
            landing_message(self.repo, &sight.old, template, config.landing_style, parts)?;
        let hooks = self.confined_hooks()?;
        Ok(self.repo.merge(
            &MergeRequest {
                ours: &sight.old,
                theirs: &sight.tip,
                asked: &asked,
                message: &message,
                fast_forward: false,
                replaced: &[merge::DRIVER],
                style: merge_style(config.landing_style),
                hooks: hooks.as_ref().map(|hooks| hooks as &dyn ConfinedHooks),
            },
            &resolve,
        )?)
    }

    /// Returns the file of the spec whose conflict is settled, where git tracks it.
    fn settled<'s>(&'s self, sight: &'s MergeInputs) -> Option<(&'s str, &'s SpecVersion)> {
        let place = &self.original?.place;
        let version = sight.original.as_ref()?;
        place
            .is_tracked
            .then_some((place.spec_in_git.as_str(), version))
    }

    /// Returns the prefix of the project's own paths in those of git.
    fn inside(&self) -> &str {
        self.place
            .spec_in_git
            .strip_suffix(&*self.place.spec)
            .unwrap_or_default()
    }

    /// Returns the forbidden effects of a merge on the specs: a removed spec, or a new cycle.
    fn damage(&self, sight: &MergeInputs, new: &str) -> Result<Option<String>, Error> {
        let inside = self.inside();
        let (specs, archive) = (format!("{inside}{SPECS}/"), format!("{inside}{ARCHIVE}"));
        let mut changed_paths = self.repo.differing(&sight.old, new)?;
        changed_paths.retain(|path| path.starts_with(&specs));
        let (mut changes, mut gone) = (vec![changed(&self.place.spec, &sight.text)], Vec::new());
        for path in changed_paths
            .iter()
            .filter(|path| **path != self.place.spec_in_git)
        {
            let own = path.strip_prefix(inside).unwrap_or(path);
            match self.repo.file_at(new, path)? {
                Some(text) => {
                    let text = String::from_utf8_lossy(&text);
                    let old = self.repo.file_at(&sight.old, path)?;
                    let old = old.as_deref().map(String::from_utf8_lossy);
                    let is_settled = self.settled(sight).is_some_and(|(other, _)| other == path);
                    let joins = || new_member(own, &self.place.spec_id, &sight.snapshot.specs);
                    let joined = old.is_none().then(joins).flatten();
                    let why = overruled(own, old.as_deref(), &text).or(joined);
                    let why = why.filter(|_| !is_settled);
                    if why.is_some() {
                        return Ok(why);
                    }
                    changes.push(changed(own, &text));
                }
                None => gone.push(path.as_str()),
            }
        }
        if !gone.is_empty() {
            let archived = self.repo.files_below(new, &archive)?;
            let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
            gone.retain(|path| !archived.iter().any(|kept| name(kept) == name(path)));
        }
        if !gone.is_empty() {
            return Ok(Some(format!(
                "the work would remove specs: {}",
                first_of(&gone, MAX_NAMED, ", ")
            )));
        }
        Ok(new_cycle(&sight.snapshot.specs, changes))
    }

    /// Notes a landing before it is tried; returns those that were tried before.
    fn note_try(&self, old: &str, new: &str) -> Result<Vec<(String, String)>, Error> {
        let tried = MergeTry {
            old: old.to_owned(),
            new: new.to_owned(),
        };
        let mut interrupted = Vec::new();
        self.runs.update(self.process_id, |record| {
            let known_tries = record.merge.begun.iter();
            interrupted = known_tries
                .map(|pair| (pair.old.clone(), pair.new.clone()))
                .collect();
            record.merge.begun.push(tried.clone());
            Ok(())
        })?;
        Ok(interrupted)
    }

    /// Returns true if the only obstacles are specs whose working copy has changed by now.
    fn is_changed(&self, sight: &MergeInputs, blocked_by: &[String]) -> Result<bool, Error> {
        let own = Some((self.place, &sight.copy));
        let settled = self.original.map(|original| &original.place);
        let settled = settled.zip(sight.original.as_ref().map(|version| &version.copy));
        let specs: Vec<(&RunFolder, &String)> = own.into_iter().chain(settled).collect();
        let is_spec = |path: &String| specs.iter().any(|(place, _)| place.spec_in_git == *path);
        if blocked_by.is_empty() || !blocked_by.iter().all(is_spec) {
            return Ok(false);
        }
        for (place, copy) in specs {
            if self.working_copy(&place.spec)? != *copy {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn note_merged(&self, commit: &str) -> Result<(), Error> {
        self.runs.update(self.process_id, |record| {
            record.merge.state = MergeState::Merged;
            record.merge.commit = Some(commit.to_owned());
            record.merge.blocked_by.clear();
            Ok(())
        })?;
        Ok(())
    }
}

/// Returns the spec that a workplace is for.
fn spec_id_of(place: &RunFolder) -> String {
    parse::stem(&place.spec).to_owned()
}
