//! Where the user's own state lies, and the key that only this user has.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hmac::{Hmac, Mac};
use sha2::Sha256;

use crate::StoreError;
use crate::digest::hex;
use crate::disk;

/// Bytes of the key.
const KEY: usize = 32;
/// The key's file.
const KEY_FILE: &str = "key";
/// Bytes of a file with a key.
const MAX_SIZE: u64 = 1024;

/// The folder of our state that belongs to the user and to no project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserState(PathBuf);

/// The key with which the user's signatures are made.
#[derive(Clone)]
pub(super) struct UserKey(Vec<u8>);

impl UserState {
    /// The folder of the user whose variables these are; `None` when they do not say where it may lie.
    pub fn of(environment: &BTreeMap<String, String>) -> Option<Self> {
        let variable = |name: &str| {
            let value = environment.get(name).map(PathBuf::from);
            value.filter(|path| path.is_absolute())
        };
        let home = || {
            let windows = || variable("USERPROFILE").filter(|_| cfg!(windows));
            let home = variable("HOME").or_else(windows);
            home.map(|home| home.join(".local/state"))
        };
        let state = variable("XDG_STATE_HOME").or_else(home)?;
        Some(Self::at(state.join("chant-mcp")))
    }

    /// The folder at a place.
    pub fn at(folder: PathBuf) -> Self {
        Self(folder)
    }

    /// Where it lies; it may not be there yet.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The user's key; `None` where there is none yet.
    ///
    /// # Errors
    /// `Unreadable` for a key that is not the user's alone, or that is none.
    pub(super) fn key(&self) -> Result<Option<UserKey>, StoreError> {
        let path = self.0.join(KEY_FILE);
        if !disk::exists(&path) {
            return Ok(None);
        }
        let refused = |why: &str| StoreError::Unreadable {
            path: path.display().to_string(),
            why: why.to_owned(),
        };
        if !is_private(&path) {
            return Err(refused(
                "other users have rights to it; remove them (chmod 600)",
            ));
        }
        let text = disk::read_owned(&path, MAX_SIZE)?;
        let digits = text.trim();
        let byte = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
        let bytes: Option<Vec<u8>> = (0..digits.len()).step_by(2).map(byte).collect();
        let key = bytes.filter(|bytes| bytes.len() == KEY);
        let key = key.ok_or_else(|| refused("it holds no key; restore it, or remove it"))?;
        Ok(Some(UserKey(key)))
    }

    /// The user's key, made where there is none.
    pub(super) fn key_made(&self) -> Result<UserKey, StoreError> {
        loop {
            if let Some(key) = self.key()? {
                return Ok(key);
            }
            disk::make_folders(&self.0)?;
            let mut bytes = [0; KEY];
            getrandom::fill(&mut bytes).map_err(|error| StoreError::Unreadable {
                path: self.0.display().to_string(),
                why: format!("the system has no random numbers: {error}"),
            })?;
            match disk::create_owned(&self.0.join(KEY_FILE), &format!("{}\n", hex(&bytes))) {
                Ok(()) if !is_private(&self.0.join(KEY_FILE)) => {
                    disk::remove(&self.0.join(KEY_FILE))?;
                    let why = format!(
                        "The file system of {} keeps no rights of files, so that a key there would be everybody's. \
                         Set XDG_STATE_HOME to a folder on a disk that keeps them",
                        self.0.display()
                    );
                    return Err(StoreError::NoState { why });
                }
                // Another process came first: its key counts.
                Ok(()) | Err(StoreError::Exists { .. }) => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// Returns true if a file is this user's alone.
fn is_private(path: &Path) -> bool {
    disk::owned(path).is_some_and(|facts| facts.is_own && facts.is_private)
}

impl UserKey {
    /// The signature of a text.
    pub(super) fn signature(&self, text: &str) -> String {
        hex(&self.mac(text).finalize().into_bytes())
    }

    /// Returns true if a signature is that of a text.
    pub(super) fn has_signed(&self, text: &str, signature: &str) -> bool {
        let byte = |at: usize| u8::from_str_radix(signature.get(at..at + 2)?, 16).ok();
        let bytes: Option<Vec<u8>> = (0..signature.len()).step_by(2).map(byte).collect();
        bytes.is_some_and(|bytes| self.mac(text).verify_slice(&bytes).is_ok())
    }

    fn mac(&self, text: &str) -> Hmac<Sha256> {
        // A key of any length is taken; the empty one stands for nothing.
        let mac = Hmac::<Sha256>::new_from_slice(&self.0);
        let mut mac =
            mac.unwrap_or_else(|_| Hmac::new(&hmac::digest::Key::<Hmac<Sha256>>::default()));
        mac.update(text.as_bytes());
        mac
    }
}
