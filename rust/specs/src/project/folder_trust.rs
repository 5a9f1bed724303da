//! The trust of a person in the project's folder as it is now.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{MutexGuard, PoisonError};
use std::time::SystemTime;

use super::{AGENTS, CONFIG, ConfigTexts, Project, ProjectSnapshot};
use chant_base::error::Error;
use chant_store::stamped::PathStamps;
use chant_trust::acting::{ActingConfiguration, listing_difference};
use chant_trust::effects::{RunPermission, goes_by_configuration, needs_trust, right_in_run};
use chant_trust::folder::FolderReading;
use chant_trust::store::{TrustStore, TrustedPlace};
use chant_trust::survey::{FolderTrust, TrustSurvey};
use chant_trust::{TrustReason, TrustVerdict, grant_now};

/// The sentence about a folder that is not trusted.
const UNTRUSTED: &str = "not trusted: nothing is run here, and runs are neither looked after nor shown as live; a person looks with `chant-mcp trust --show`";

/// A verdict, and what it depended on.
pub(super) struct CachedTrust {
    /// The files that were looked at, with their stamps.
    stamps: PathStamps,
    /// The commit that worktrees began at, and its branch.
    base: Option<(String, String)>,
    is_trusted: bool,
    /// True if the folder asks for anything.
    acts: bool,
}

/// The project's own prompts as they were when the folder was looked at: an agent gets these texts, whatever
/// the files say by then.
pub struct AgreedPrompts(BTreeMap<String, String>);

impl AgreedPrompts {
    /// The text of the file at a path from the project's root.
    pub fn text(&self, path: &str) -> Option<&String> {
        self.0.get(path)
    }
}

/// The hooks and settings that git uses in a folder, as git itself says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitInUse {
    /// The folder of its hooks.
    pub hooks: PathBuf,
    /// Each setting and hook of the folder that acts, a line each.
    pub listing: Vec<String>,
}

/// Where the folder stands with its user.
#[derive(Debug, Clone)]
pub struct TrustReport {
    /// Why it is trusted, if it is.
    pub ground: Option<TrustReason>,
    /// The folder.
    pub root: PathBuf,
    /// The summary of what it asks for.
    pub summary: String,
    /// The things that it asks for, a line each.
    pub listing: Vec<String>,
    /// The files whose words agents obey, a line each; the hash does not stand for them.
    pub instructions: Vec<String>,
    /// The differences to when it was trusted last; `None` when it never was.
    pub difference: Option<Vec<String>>,
    /// The hash that stands for all that.
    pub hash: String,
    /// The hash of the part that comes with the commits, which other machines accept.
    pub hash_of_commits: String,
    /// The parts that cannot be looked through; no hash stands for a folder with such parts.
    pub gaps: Vec<String>,
    /// The files that ask for something, one for each line.
    pub sources: Vec<String>,
}

impl Project {
    /// Refuses an act in a folder that no person trusts as it is now; `what` is the name of a tool, or of an act
    /// in the table of effects. Everything is looked at afresh.
    ///
    /// # Errors
    /// As [`Project::snapshot`]; `MisspelledKey` where the act goes by the configuration and a key of that is nearly
    /// a known one; `NotTrusted`, with what the folder asks for; `Refused` when an agent of a run
    /// asks for what is never its to do.
    pub fn refuse_untrusted(&self, what: &str) -> Result<(), Error> {
        if let RunPermission::Never(instead) = right_in_run(what) {
            self.refuse_run(what, instead)?;
        }
        if !needs_trust(what) {
            return Ok(());
        }
        // Where there is no project there is nothing to trust, and that is what has to be said.
        let snapshot = self.snapshot()?;
        if goes_by_configuration(what) {
            snapshot.refuse_misspelled()?;
        }
        self.refuse_untrusted_texts(&snapshot).map(drop)
    }

    /// [`Project::refuse_untrusted`] for an act that goes by the configuration of a snapshot: what is looked at are
    /// the very texts that it was made of. Gives the project's own prompts as they were looked at.
    ///
    /// # Errors
    /// `NotTrusted`; `MisspelledKey` while a key of the configuration is nearly a known one.
    pub fn refuse_untrusted_snapshot(
        &self,
        snapshot: &ProjectSnapshot,
    ) -> Result<AgreedPrompts, Error> {
        snapshot.refuse_misspelled()?;
        self.refuse_untrusted_texts(snapshot)
    }

    fn refuse_untrusted_texts(&self, snapshot: &ProjectSnapshot) -> Result<AgreedPrompts, Error> {
        let look = self.look(Some(&snapshot.config_texts));
        match look.verdict {
            TrustVerdict::Trusted(_) => Ok(AgreedPrompts(look.reading.prompts())),
            TrustVerdict::Untrusted(folder) => Err(folder.into()),
        }
    }

    /// Returns true if a person trusts the folder as it is now. Costs a stamp for each file that may act; what
    /// is read is read again only when one of them changed.
    pub fn is_trusted(&self) -> bool {
        self.known_trust_now(|known| known.is_trusted)
    }

    /// Returns the sentence about a folder that is not trusted, where it asks for something or has runs.
    pub fn untrusted_line(&self) -> Option<&'static str> {
        // Then git need not be asked what the folder holds.
        if self.with_folder_trust(is_in_user_roots) {
            return None;
        }
        let has_runs = || self.run_lookup.shows_runs(self.root.path());
        let is_meant =
            self.known_trust_now(|known| !known.is_trusted && (known.acts || has_runs()));
        is_meant.then_some(UNTRUSTED)
    }

    fn known_trust_now<T>(&self, of: impl Fn(&CachedTrust) -> T) -> T {
        let mut known = self.known_trust();
        if let Some(known) = known.as_ref()
            && self.is_current(known)
        {
            return of(known);
        }
        let base = self.with_folder_trust(base_of);
        let look = self.look(None);
        let mut stamps = look.reading.stamps;
        let records = look.store.as_ref().map(|store| store.paths_of(&look.place));
        stamps.extend(self.user_config.clone());
        stamps.extend(records.into_iter().flatten());
        let found = CachedTrust {
            stamps,
            base,
            is_trusted: matches!(look.verdict, TrustVerdict::Trusted(_)),
            acts: !look.acting.is_empty(),
        };
        let answer = of(&found);
        let may_be_kept = found.stamps.are_settled(Some(SystemTime::now()));
        *known = may_be_kept.then_some(found);
        answer
    }

    fn is_current(&self, known: &CachedTrust) -> bool {
        let is_base_same = || match &known.base {
            Some((commit, name)) => {
                let repo = self.repo().ok().flatten();
                repo.is_some_and(|repo| repo.branch_tip(name) == Ok(Some(commit.clone())))
            }
            None => self.with_folder_trust(base_of).is_none(),
        };
        known.stamps.are_current() && is_base_same()
    }

    fn known_trust(&self) -> MutexGuard<'_, Option<CachedTrust>> {
        self.known_trust
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Where the folder stands with its user.
    pub fn trust_report(&self) -> TrustReport {
        let look = self.look(None);
        let (ground, difference) = match look.verdict {
            TrustVerdict::Trusted(ground) => (Some(ground), None),
            TrustVerdict::Untrusted(folder) => (None, folder.difference),
        };
        let sources: Vec<String> = look
            .acting
            .entries()
            .iter()
            .map(|entry| match entry.source.as_str() {
                "git configuration" => format!("git configuration {}", entry.key),
                source => source.to_owned(),
            })
            .collect();
        TrustReport {
            ground,
            root: look.place.root,
            summary: look.acting.summary(),
            listing: look.acting.listing(),
            instructions: look.acting.instructions(),
            difference,
            hash: look.acting.hash(),
            hash_of_commits: look.acting.of_commits().hash(),
            gaps: look.acting.gaps().to_vec(),
            sources,
        }
    }

    /// Remembers that a person trusts the folder, if what it asks for is still what the hash stands for.
    ///
    /// # Errors
    /// `NotTrusted` with what it asks for now, when that is something else or cannot be trusted by a hash; a
    /// `StoreError`.
    pub fn give_trust(&self, hash: &str) -> Result<(), Error> {
        self.refuse_agents("trusted")?;
        let look = self.look(None);
        let is_meant = look.acting.hash() == hash && look.acting.gaps().is_empty();
        match (&look.store, look.verdict) {
            (Some(store), _) if is_meant => {
                store.give(&look.place, grant_now(&look.acting, self.clock.stamp()))?;
                *self.known_trust() = None;
                Ok(())
            }
            (_, TrustVerdict::Untrusted(folder)) => Err(folder.into()),
            (_, TrustVerdict::Trusted(_)) => Ok(()),
        }
    }

    /// Forgets what was said of the folder; says whether there was anything.
    ///
    /// # Errors
    /// A `StoreError`.
    pub fn revoke_trust(&self) -> Result<bool, Error> {
        let place = self.with_folder_trust(place_of);
        *self.known_trust() = None;
        match TrustStore::of(&self.environment) {
            Some(store) => Ok(store.revoke(&place)?),
            None => Ok(false),
        }
    }

    /// Returns the things that the folder asks for now.
    pub fn acting_now(&self) -> ActingConfiguration {
        self.look(None).acting
    }

    /// Asks git which hooks and which settings of the folder it uses now. From then on calls of git by this handle
    /// run these hooks and no others.
    pub fn git_in_use(&self) -> GitInUse {
        let reading = self.with_folder_trust(git_of);
        GitInUse {
            listing: reading.acting().listing(),
            hooks: reading.hooks.unwrap_or_default(),
        }
    }

    /// Returns true if a person agreed to exactly what the folder asks for now, rather than to all that it may
    /// ever hold.
    pub fn is_agreed_to(&self) -> bool {
        let agreed = [TrustReason::Hash, TrustReason::Caller];
        matches!(self.look(None).verdict, TrustVerdict::Trusted(reason) if agreed.contains(&reason))
    }

    /// Remembers that the folder is trusted as it is now, when it was trusted before and nothing changed since but
    /// what a person has just agreed to.
    ///
    /// # Errors
    /// A `StoreError`.
    pub fn renew_trust(
        &self,
        before: &ActingConfiguration,
        agreed: &[String],
    ) -> Result<bool, Error> {
        let look = self.look(None);
        let change = listing_difference(&before.listing(), &look.acting.listing());
        let is_agreed = change.iter().all(|line| agreed.contains(line));
        match (&look.store, &look.verdict) {
            (_, TrustVerdict::Trusted(_)) => Ok(true),
            (Some(store), _) if is_agreed && look.acting.gaps().is_empty() => {
                store.give(&look.place, grant_now(&look.acting, self.clock.stamp()))?;
                *self.known_trust() = None;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// The real places of the files that act as wholes.
    pub fn acting_places(&self) -> Vec<PathBuf> {
        self.look(None).reading.real_places()
    }

    fn look(&self, texts: Option<&ConfigTexts>) -> TrustSurvey {
        let known: Vec<(&str, Option<&str>)> = texts.map_or_else(Vec::new, |texts| {
            vec![
                (CONFIG, texts.project.as_deref()),
                (AGENTS, texts.agents.as_deref()),
            ]
        });
        self.with_folder_trust(|folder| folder.look(&known))
    }

    fn with_folder_trust<T>(&self, ask: impl FnOnce(&FolderTrust<'_>) -> T) -> T {
        let repo = self.repo();
        let is_broken = repo.is_err();
        let repo = repo.ok().flatten();
        ask(&FolderTrust {
            disk: &self.disk,
            root: self.root.path(),
            repo: repo.as_deref(),
            is_broken,
            user_config: self.user_config.as_deref(),
            environment: &self.environment,
            named: self.named_trust.as_deref(),
        })
    }
}

fn base_of(folder: &FolderTrust<'_>) -> Option<(String, String)> {
    folder.base_commit()
}

fn git_of(folder: &FolderTrust<'_>) -> FolderReading {
    folder.read_git()
}

fn is_in_user_roots(folder: &FolderTrust<'_>) -> bool {
    folder.is_in_user_roots()
}

fn place_of(folder: &FolderTrust<'_>) -> TrustedPlace {
    folder.place()
}
