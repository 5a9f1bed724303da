//! The store of trust: the folders that a person trusts, each with its acting configuration, kept
//! outside of all of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use chant_store::StoreError;
use chant_store::digest::sha256;
use chant_store::disk;

/// The greatest number of configurations of one folder that are trusted at the same time.
const MAX_TRUSTED: usize = 16;
/// The greatest size of a record in bytes.
const MAX_SIZE: u64 = 8 * 1024 * 1024;
/// The version of records.
const SCHEMA_VERSION: u64 = 1;

/// The records of trust of one user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustStore {
    folder: PathBuf,
}

/// A folder to which trust is given: its path and its repository. A clone that points at the
/// repository of a trusted folder is another place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedPlace {
    /// The folder, real.
    pub root: PathBuf,
    /// The repository's common folder, real; `None` without git.
    pub common: Option<PathBuf>,
}

/// One acting configuration that is trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedHash {
    /// Its hash.
    pub hash: String,
    /// The time of the consent.
    pub given_at: String,
    /// The lines that were shown then.
    pub shown: Vec<String>,
}

impl TrustStore {
    /// Returns the store of the user who has these variables; `None` if they do not name a place
    /// for it.
    pub fn of(environment: &BTreeMap<String, String>) -> Option<Self> {
        let variable = |name: &str| {
            let value = environment.get(name).map(PathBuf::from);
            value.filter(|path| path.is_absolute())
        };
        let home = || variable("HOME").map(|home| home.join(".local/state"));
        let state = variable("XDG_STATE_HOME").or_else(home)?;
        Some(Self {
            folder: state.join("chant-mcp").join("trust"),
        })
    }

    fn record_of(&self, place: &TrustedPlace) -> PathBuf {
        self.folder.join(format!("{}.json", sha256(&place.key())))
    }

    /// Returns the trusted configurations of a folder, the newest first; empty if the record is
    /// invalid. What was trusted before the folder became a repository stays trusted: the hash covers
    /// hooks and settings of git.
    pub fn trusted(&self, place: &TrustedPlace) -> Vec<TrustedHash> {
        let mut trusted = self.read(place).unwrap_or_default();
        let before_git = place.before_git().and_then(|before| self.read(&before));
        for earlier in before_git.into_iter().flatten() {
            if !trusted.iter().any(|given| given.hash == earlier.hash) {
                trusted.push(earlier);
            }
        }
        trusted
    }

    /// Returns the paths of a folder's records, to check them for changes.
    pub fn paths_of(&self, place: &TrustedPlace) -> Vec<PathBuf> {
        let before_git = place.before_git();
        let places = std::iter::once(place).chain(&before_git);
        places.map(|place| self.record_of(place)).collect()
    }

    fn read(&self, place: &TrustedPlace) -> Option<Vec<TrustedHash>> {
        let text = disk::read_private(&self.record_of(place), MAX_SIZE);
        let record: Value = serde_json::from_str(&text.ok()??).ok()?;
        let is_meant = record == place.facts(&record["trusted"]);
        if !is_meant {
            return None;
        }
        record["trusted"].as_array()?.iter().map(entry_of).collect()
    }

    /// Records that a person trusts a folder in its present state.
    ///
    /// # Errors
    /// `NotWritten`, or `Unreadable` when the folder of records is not the user's own alone.
    pub fn give(&self, place: &TrustedPlace, given: TrustedHash) -> Result<(), StoreError> {
        disk::make_private_folder(&self.folder)?;
        let mut trusted = self.trusted(place);
        trusted.retain(|other| other.hash != given.hash);
        trusted.insert(0, given);
        trusted.truncate(MAX_TRUSTED);
        let entries: Vec<Value> = trusted.iter().map(TrustedHash::entry).collect();
        let record = place.facts(&Value::Array(entries));
        disk::write_private(&self.record_of(place), format!("{record:#}\n"))
    }

    /// Removes all records of a folder; returns true if there were any.
    ///
    /// # Errors
    /// `Io` when the record cannot be removed.
    pub fn revoke(&self, place: &TrustedPlace) -> Result<bool, StoreError> {
        let mut was_there = false;
        for path in self.paths_of(place) {
            was_there |= disk::exists(&path);
            disk::remove(&path)?;
        }
        Ok(was_there)
    }

    /// Returns all trusted folders, by their paths, with their configurations.
    pub fn all(&self) -> Vec<(TrustedPlace, Vec<TrustedHash>)> {
        let names = disk::names(&self.folder).unwrap_or_default();
        let places = names.into_iter().filter_map(|one| {
            let text = disk::read_private(&self.folder.join(&one.name), MAX_SIZE).ok()??;
            let record: Value = serde_json::from_str(&text).ok()?;
            let common = record["common"]
                .as_str()
                .filter(|common| !common.is_empty());
            Some(TrustedPlace {
                root: PathBuf::from(record["root"].as_str()?),
                common: common.map(PathBuf::from),
            })
        });
        let mut all: Vec<_> = places
            .map(|place| {
                let trusted = self.trusted(&place);
                (place, trusted)
            })
            .filter(|(_, trusted)| !trusted.is_empty())
            .collect();
        all.sort_by(|(a, _), (b, _)| a.root.cmp(&b.root));
        all
    }
}

impl TrustedPlace {
    /// Returns the folder as it was before `git init` in it or above it; `None` without git, and if
    /// the repository is elsewhere: a clone that points there is another place.
    fn before_git(&self) -> Option<Self> {
        let common = self.common.as_deref()?;
        let is_around = common.ends_with(".git") && self.root.starts_with(common.parent()?);
        is_around.then(|| Self {
            root: self.root.clone(),
            common: None,
        })
    }

    fn key(&self) -> Vec<u8> {
        let mut key = bytes_of(&self.root);
        key.push(0);
        key.extend(self.common.as_deref().map(bytes_of).unwrap_or_default());
        key
    }

    /// Returns a record's content.
    fn facts(&self, trusted: &Value) -> Value {
        let common = self.common.as_deref().map(Path::display);
        json!({
            "schema": SCHEMA_VERSION,
            "root": self.root.display().to_string(),
            "common": common.map(|common| common.to_string()).unwrap_or_default(),
            "trusted": trusted,
        })
    }
}

fn bytes_of(path: &Path) -> Vec<u8> {
    path.as_os_str().as_encoded_bytes().to_vec()
}

impl TrustedHash {
    fn entry(&self) -> Value {
        json!({"hash": self.hash, "given_at": self.given_at, "shown": self.shown})
    }
}

fn entry_of(entry: &Value) -> Option<TrustedHash> {
    let shown = entry["shown"].as_array()?.iter();
    Some(TrustedHash {
        hash: entry["hash"].as_str()?.to_owned(),
        given_at: entry["given_at"].as_str()?.to_owned(),
        shown: shown
            .map(|line| Some(line.as_str()?.to_owned()))
            .collect::<Option<_>>()?,
    })
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the files are the point")]
mod tests {
    use std::fs;

    use super::*;

    fn store(folder: &Path) -> TrustStore {
        let state = folder.display().to_string();
        TrustStore::of(&BTreeMap::from([("XDG_STATE_HOME".into(), state)])).unwrap()
    }

    fn place(root: &str, common: Option<&str>) -> TrustedPlace {
        TrustedPlace {
            root: root.into(),
            common: common.map(PathBuf::from),
        }
    }

    fn given(hash: &str) -> TrustedHash {
        TrustedHash {
            hash: hash.into(),
            given_at: "2026-01-22T10:00:00Z".into(),
            shown: vec!["a".into()],
        }
    }

    #[test]
    fn several_configurations_of_a_folder_are_trusted_the_newest_first() {
        let folder = tempfile::tempdir().unwrap();
        let (store, here) = (store(folder.path()), place("/a", Some("/a/.git")));
        assert_eq!(store.trusted(&here), []);
        for hash in ["x", "y", "x"] {
            store.give(&here, given(hash)).unwrap();
        }
        assert_eq!(store.trusted(&here), [given("x"), given("y")]);
        for other in [place("/b", Some("/a/.git")), place("/a", None)] {
            assert_eq!(store.trusted(&other), [], "{other:?}");
        }
        for number in 0..20 {
            store.give(&here, given(&number.to_string())).unwrap();
        }
        assert_eq!(store.trusted(&here).len(), MAX_TRUSTED);
        assert_eq!(store.all().len(), 1);
        assert!(store.revoke(&here).unwrap() && !store.revoke(&here).unwrap());
        assert_eq!(store.trusted(&here), []);
    }

    #[test]
    fn a_folder_that_becomes_a_repository_stays_trusted() {
        let folder = tempfile::tempdir().unwrap();
        let (store, before) = (store(folder.path()), place("/a/b", None));
        store.give(&before, given("x")).unwrap();
        for own in ["/a/b/.git", "/a/.git"] {
            assert_eq!(store.trusted(&place("/a/b", Some(own))), [given("x")]);
        }
        for elsewhere in ["/c/.git", "/a/b", "/a/bc/.git"] {
            assert_eq!(store.trusted(&place("/a/b", Some(elsewhere))), []);
        }
        assert!(store.revoke(&place("/a/b", Some("/a/b/.git"))).unwrap());
        assert_eq!(store.trusted(&before), []);
    }

    #[cfg(unix)]
    #[test]
    fn a_record_that_others_could_have_written_counts_for_nothing() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (store, here) = (store(folder.path()), place("/a", None));
        store.give(&here, given("x")).unwrap();
        let path = store.paths_of(&here).remove(0);
        let mode = |path: &Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        };
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
        mode(&path, 0o644);
        assert_eq!(store.trusted(&here), []);
        mode(&path, 0o600);
        mode(path.parent().unwrap(), 0o755);
        assert_eq!(store.trusted(&here), []);
        mode(path.parent().unwrap(), 0o700);
        assert_eq!(store.trusted(&here), [given("x")]);
        let text = fs::read_to_string(&path).unwrap();
        for other in [
            text.replace("\"schema\": 1", "\"schema\": 2"),
            text.replace("/a", "/b"),
            "{".into(),
        ] {
            fs::write(&path, other).unwrap();
            assert_eq!(store.trusted(&here), []);
        }
        fs::remove_file(&path).unwrap();
        fs::write(folder.path().join("elsewhere"), &text).unwrap();
        symlink(folder.path().join("elsewhere"), &path).unwrap();
        assert_eq!(store.trusted(&here), []);
    }

    #[test]
    fn without_a_home_there_is_no_store() {
        assert_eq!(TrustStore::of(&BTreeMap::new()), None);
        let relative = BTreeMap::from([("XDG_STATE_HOME".into(), "x".into())]);
        assert_eq!(TrustStore::of(&relative), None);
    }
}
