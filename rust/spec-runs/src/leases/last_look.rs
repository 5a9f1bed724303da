//! What the last look at the remote says about a project's specs; nothing here waits for the remote.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::ledger::SpecRunLedger;
use super::{PART, SpecLeases};
use crate::project::ProjectRuns;
use crate::runtime::run_folder::in_git;
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_config::Config;
use chant_config::leases::LeaseSettings;
use chant_git::Repo;
use chant_leases::answer::LeaseRefusal;
use chant_leases::known_remote::{KnownLease, KnownRemote};
use chant_leases::record::{LeaseRecord, LeaseState};
use chant_specs::model::SpecStatus;
use chant_specs::ops::edit::SpecDraft;
use chant_specs::project::{ARCHIVE, Project, SPECS};
use chant_specs::view::held_specs::{HeldSpec, HeldSpecs};
use chant_specs::work_items::run_id_of;
use chant_store::stamped::StampedContent;
use chant_store::state::escape_name;

/// The state of a lease whose holder gives no sign of life.
const SILENT: &str = "silent";
/// The longest text of another clone that is shown.
const MAX_TEXT: usize = 200;

/// Returns the specs that other clones hold. The file of the last look is read again only if it changed.
pub(crate) fn held_elsewhere(project: &Project, config: &Config) -> Arc<HeldSpecs> {
    let Some(settings) = &config.leases else {
        return Arc::default();
    };
    let Some(folder) = folder_of(project, settings, false) else {
        return Arc::default();
    };
    let file = KnownRemote::file(&folder);
    if let Some(known) = project.known_held.current(&project.disk, &file) {
        return known.content;
    }
    let stamp = (project.disk.stamp)(&file);
    let now = (project.disk.clock)(&folder);
    let read =
        SpecLooks::of(project, settings).map(|looks| looks.held(project, config.main_branch()));
    read.as_ref().log_failure("read the last look at a remote");
    let held = Arc::new(read.unwrap_or_default());
    let read = StampedContent::new(Arc::clone(&held), stamp, now);
    project.known_held.keep(file, read);
    held
}

/// Returns a sentence for each lease that somebody has to look at, also where work that landed is gone.
pub(crate) fn doubtful_leases(project: &Project, config: &Config) -> Vec<String> {
    let found = config.leases.as_ref().map(|settings| {
        let looks = SpecLooks::of(project, settings)?;
        let lost = looks.lost_landings(project, config.main_branch())?;
        let mut sentences: Vec<String> = lost.sentence.into_iter().collect();
        sentences.extend(looks.doubtful());
        let gone = looks.gone(&*project.repository()?, config.main_branch())?;
        let gone = gone
            .into_iter()
            .filter(|(id, _)| !lost.commits.contains_key(id));
        sentences.extend(gone.map(|(_, sentence)| sentence));
        Ok::<_, Error>(sentences)
    });
    match found.transpose() {
        Ok(sentences) => sentences.unwrap_or_default(),
        Err(error) => vec![error.to_string()],
    }
}

/// Returns the private folder of this clone for its remote; with `is_believed` only if its content may be.
fn folder_of(project: &Project, settings: &LeaseSettings, is_believed: bool) -> Option<PathBuf> {
    let state = project.known_state()?;
    let part = format!(
        "{}/{}",
        state.in_project(PART),
        escape_name(&settings.remote)
    );
    if is_believed {
        state.read(&part)
    } else {
        Some(state.place()?.join(part))
    }
}

/// The last look of a clone, by the specs of one project.
pub(crate) struct SpecLooks<'a> {
    pub(super) ledger: SpecRunLedger<'a>,
    pub(super) settings: &'a LeaseSettings,
    now: Timestamp,
    /// What is known; `None` before the first look.
    pub(crate) known: Option<KnownRemote>,
}

impl<'a> SpecLooks<'a> {
    /// Reads the last look.
    ///
    /// # Errors
    /// No repository, or a file of our own that cannot be read.
    pub(crate) fn of(project: &'a Project, settings: &'a LeaseSettings) -> Result<Self, Error> {
        let folder = folder_of(project, settings, true);
        let known = folder
            .map(|folder| KnownRemote::read(&folder))
            .transpose()?;
        Ok(Self {
            ledger: SpecRunLedger::of(project, project.repository()?),
            settings,
            now: (project.clock.now)(),
            known: known.flatten(),
        })
    }

    /// Returns the time of the look; that of the machine's start where it was before that.
    pub(crate) fn looked(&self) -> Option<Timestamp> {
        let age = self.known.as_ref()?.view.age()?;
        let age = SignedDuration::try_from(age).ok()?;
        self.now.checked_sub(age).ok()
    }

    /// Returns the leases of this project's specs, in the order of the names of their refs.
    pub(crate) fn leases(&self) -> Vec<(String, KnownLease<'_>)> {
        let known = self.known.iter();
        let all = known.flat_map(|known| known.leases(self.settings.ttl));
        all.filter_map(|(key, lease)| Some((self.ledger.id_of(&key)?.to_owned(), lease)))
            .collect()
    }

    /// Returns the name here of a spec that a ref names; `None` for one of another project.
    fn id_of(&self, key: &str) -> Option<String> {
        self.ledger.id_of(key).map(str::to_owned)
    }

    /// Returns a sentence for each lease that cannot be believed.
    pub(crate) fn doubtful(&self) -> Vec<String> {
        let Some(known) = &self.known else {
            return Vec::new();
        };
        let unreadable = known.unreadable().filter_map(|(key, why)| {
            let spec = self.id_of(&key)?;
            let why = shown(why);
            Some(LeaseRefusal::Unreadable { spec, why }.to_string())
        });
        let fallen = known.fallen().filter_map(|(key, lease, seen)| {
            let spec = self.id_of(&key)?;
            let found = lease.token;
            Some(LeaseRefusal::Fallen { spec, seen, found }.to_string())
        });
        unreadable.chain(fallen).collect()
    }

    /// Returns a sentence for each lease whose work landed, as it says, and is not on the remote's target any more.
    fn gone(&self, repo: &Repo, target: &str) -> Result<Vec<(String, String)>, Error> {
        let Some(known) = &self.known else {
            return Ok(Vec::new());
        };
        let leases = self.leases().into_iter();
        let landed = leases.filter(|(_, known)| known.lease.state == LeaseState::Landed);
        let commits = landed.filter_map(|(id, known)| Some((id, known.lease.commit.as_deref()?)));
        let commits: Vec<(String, &str)> = commits.collect();
        // What is no name of an object is in no repository.
        let is_here = |commit: &&str| repo.has_object(commit).unwrap_or(false);
        let here: Vec<&str> = commits.iter().map(|one| one.1).filter(is_here).collect();
        let missing = repo.missing_from(&known.view.target, &here)?;
        let is_gone =
            |commit: &str| !here.contains(&commit) || missing.iter().any(|one| one == commit);
        let gone = commits.iter().filter(|(_, commit)| is_gone(commit));
        Ok(gone
            .map(|(id, commit)| {
                let sentence = format!(
                    "Spec '{id}' landed with commit {}, which is not on {target} of {} any more: somebody rewrote it. Push that commit again, or have the spec worked on again.",
                    shown(commit), self.settings.remote
                );
                (id.clone(), sentence)
            })
            .collect())
    }

    /// Notes the specs that the remote's target has completed and what is checked out here has not, by the files in
    /// which the two differ, and the items that are done there.
    fn note_completed(&self, project: &Project, held: &mut HeldSpecs) -> Result<(), Error> {
        let Some(known) = &self.known else {
            return Ok(());
        };
        let repo = project.repository()?;
        let folders = [
            in_git(project, &repo, SPECS)?,
            in_git(project, &repo, ARCHIVE)?,
        ];
        let differing = repo.changed_files("HEAD", &known.view.target)?;
        for changed in &differing {
            let is_below = |folder: &String| changed.path.starts_with(&format!("{folder}/"));
            let name = changed.path.rsplit('/').next();
            let id = name.and_then(|name| name.strip_suffix(".md"));
            let (Some(id), Some(file), true) = (id, &changed.new, folders.iter().any(is_below))
            else {
                continue;
            };
            let text = String::from_utf8_lossy(&repo.content_of(file)?).into_owned();
            // What cannot be read there says nothing.
            let spec = SpecDraft::of(&format!("{SPECS}/{id}.md"), &text);
            if spec.is_ok_and(|spec| spec.spec().status == SpecStatus::Completed) {
                held.completed.insert(id.to_owned());
            }
        }
        let inside = in_git(project, &repo, "")?;
        let paths = differing
            .iter()
            .filter_map(|file| file.path.strip_prefix(&*inside));
        if let Some(items) = project.work_items {
            let paths: Vec<&str> = paths.collect();
            held.done_items = items.done_items(project, &known.view.target, &paths)?;
        }
        Ok(())
    }

    /// Returns the specs whose leases cannot be read or believed.
    fn doubtful_specs(&self) -> BTreeSet<String> {
        let known = self.known.iter();
        let names = known.flat_map(|known| {
            let unreadable = known.unreadable().map(|(key, _)| key);
            unreadable.chain(known.fallen().map(|(key, _, _)| key))
        });
        names.filter_map(|key| self.id_of(&key)).collect()
    }

    fn held(&self, project: &Project, branch: &str) -> HeldSpecs {
        let leases = self.leases().into_iter();
        let held = leases.filter(|(_, known)| {
            let is_over = matches!(known.lease.state, LeaseState::Free | LeaseState::Landed);
            !known.is_own && !is_over
        });
        let specs = held.map(|(id, known)| held_spec(id, &known)).collect();
        let mut held = HeldSpecs::new(specs, self.looked());
        self.note_completed(project, &mut held)
            .as_ref()
            .log_failure("compare the checkout with the remote");
        held.doubtful = self.doubtful_specs();
        let lost = self.lost_landings(project, branch);
        lost.as_ref()
            .log_failure("look for landings that the remote lost");
        held.lost = lost.ok().and_then(|lost| lost.sentence);
        held
    }
}

/// Returns a lease as it is shown.
pub(crate) fn held_spec(id: String, known: &KnownLease<'_>) -> HeldSpec {
    let lease = known.lease;
    let state = match (known.run, lease.state) {
        _ if known.is_silent => SILENT.to_owned(),
        (Some(run), LeaseState::Held) if !run.state.is_empty() => shown(&run.state),
        (_, state) => state.as_str().to_owned(),
    };
    let is_held = lease.state == LeaseState::Held;
    let line = known.run.map(|run| shown(&run.line));
    HeldSpec {
        item_keys: keys_of_item(&id, lease),
        spec_id: id,
        orchestrator: shown(&lease.orchestrator),
        host: shown(&lease.host),
        since: shown(&lease.at),
        token: lease.token,
        state,
        line: line.filter(|line| !line.is_empty()),
        is_silent: known.is_silent,
        is_at_work: is_held && !known.is_silent,
    }
}

/// Returns the keys that the item of a lease locks, its own first; none for a spec, or where a lease names an item whose
/// runs are called otherwise.
fn keys_of_item(id: &str, lease: &LeaseRecord) -> Vec<String> {
    let item = lease
        .item
        .as_ref()
        .filter(|item| run_id_of(&item.key) == id);
    item.map_or_else(Vec::new, |item| {
        let locked = item.locked_keys.iter().filter(|key| **key != item.key);
        std::iter::once(&item.key).chain(locked).cloned().collect()
    })
}

/// Returns a text that anybody with rights to push may have written, as it may be shown.
pub(crate) fn shown(text: &str) -> String {
    let letters = text.chars().filter(|letter| !letter.is_control());
    letters.take(MAX_TEXT).collect()
}

impl SpecLeases<'_> {
    /// Returns the leases of this clone that are neither landed nor given back, by the last look.
    pub(crate) fn has_unsettled(&self) -> Result<bool, Error> {
        let known = KnownRemote::read(&self.folder)?;
        let is_open = |known: &KnownRemote| {
            known.leases(self.settings.ttl).any(|(_, known)| {
                let state = known.lease.state;
                known.is_own && !matches!(state, LeaseState::Free | LeaseState::Landed)
            })
        };
        Ok(known.as_ref().is_some_and(is_open))
    }
}
