//! Reads a folder once: its acting configuration, and whether the user trusts it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::acting::{ActingConfiguration, CHANT_CONFIG};
use super::folder::{FolderReading, FolderScanInputs};
use super::store::{TrustStore, TrustedPlace};
use super::{TrustQuestion, TrustVerdict, is_in_one, trusted_roots};
use chant_config::Config;
use chant_git::{CheckoutHead, Repo};
use chant_store::disk::{self, Disk};

/// The branch that counts as the main one if there is none of the configured name.
const OLD_MAIN: &str = "master";

/// A folder, with the facts that decide its trust.
#[derive(Clone, Copy)]
pub struct FolderTrust<'a> {
    /// The disk.
    pub disk: &'a Disk,
    /// The folder, real.
    pub root: &'a Path,
    /// The repository it lies in.
    pub repo: Option<&'a Repo>,
    /// True if there is a repository that cannot be opened.
    pub is_broken: bool,
    /// The user's own configuration file.
    pub user_config: Option<&'a Path>,
    /// The user's variables, which name the store of trust and the home folder.
    pub environment: &'a BTreeMap<String, String>,
    /// The hash that the caller who opened the folder named.
    pub named: Option<&'a str>,
}

/// The result of one reading.
#[derive(Debug)]
pub struct TrustSurvey {
    /// The place of the folder.
    pub place: TrustedPlace,
    /// The store of trust.
    pub store: Option<TrustStore>,
    /// The content that was read.
    pub reading: FolderReading,
    /// The part of it that acts.
    pub acting: ActingConfiguration,
    /// The verdict about that part.
    pub verdict: TrustVerdict,
}

impl FolderTrust<'_> {
    /// Reads the folder; `known` are texts that were read already and by which the caller acts.
    pub fn look(&self, known: &[(&str, Option<&str>)]) -> TrustSurvey {
        let base = self.base_commit();
        let mut reading = FolderScanInputs {
            disk: self.disk,
            root: self.root,
            repo: self.repo,
            known,
            base: base
                .as_ref()
                .map(|(commit, name)| (commit.as_str(), name.as_str())),
        }
        .read();
        if self.is_broken {
            reading.add_gap("the git repository: it cannot be opened".into());
        }
        let acting = reading.acting();
        let place = self.place();
        let store = TrustStore::of(self.environment);
        let verdict = TrustQuestion {
            place: &place,
            store: store.as_ref(),
            roots: &self.user_roots(),
            named: self.named,
        }
        .verdict(&acting);
        TrustSurvey {
            place,
            store,
            reading,
            acting,
            verdict,
        }
    }

    /// Returns true if the user's own configuration trusts the folder, whatever it holds: nothing of it is read.
    pub fn is_in_user_roots(&self) -> bool {
        is_in_one(&self.user_roots(), &self.place().root)
    }

    /// Reads what git uses in the folder, and nothing else.
    pub fn read_git(&self) -> FolderReading {
        FolderScanInputs {
            disk: self.disk,
            root: self.root,
            repo: self.repo,
            known: &[],
            base: None,
        }
        .read_git_alone()
    }

    /// Returns the place of the folder.
    pub fn place(&self) -> TrustedPlace {
        let real = |path: &Path| disk::real(path).unwrap_or_else(|_| path.to_owned());
        TrustedPlace {
            root: real(self.root),
            common: self.repo.map(|repo| real(repo.common_dir())),
        }
    }

    /// Returns the folders that the user's own configuration trusts; none if it cannot be read.
    fn user_roots(&self) -> Vec<PathBuf> {
        let user = self.user_config.and_then(|path| self.text(path));
        let config = user.and_then(|text| Config::read(Some(("user", &text)), None, None).ok());
        let home = self.environment.get("HOME").map(PathBuf::from);
        let named = config
            .map(|config| config.trusted_roots)
            .unwrap_or_default();
        trusted_roots(&named, home.as_deref())
    }

    /// Returns the commit at which runs start, and the name of its branch: the configured one, else the one that
    /// is checked out.
    pub fn base_commit(&self) -> Option<(String, String)> {
        let repo = self.repo?;
        let user = self.user_config.and_then(|path| self.text(path));
        let project = self.text(&self.root.join(CHANT_CONFIG));
        let config = Config::read(
            user.as_deref().map(|text| ("user", text)),
            project.as_deref().map(|text| (CHANT_CONFIG, text)),
            None,
        );
        let config = config.unwrap_or_default();
        if config.main_branch.is_none()
            && config.leases.is_none()
            && let Ok(CheckoutHead::Branch { name, commit }) = repo.head()
        {
            return Some((commit, name));
        }
        let tip = |name: &str| repo.branch_tip(name).ok().flatten();
        let names = [config.main_branch(), OLD_MAIN];
        names
            .into_iter()
            .find_map(|name| Some((tip(name)?, name.to_owned())))
    }

    fn text(&self, path: &Path) -> Option<String> {
        let read = self.disk.read_text(path, &path.display().to_string());
        read.ok().map(|(text, _)| text)
    }
}
