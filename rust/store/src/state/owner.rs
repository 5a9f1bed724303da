//! Whose a state folder is: a record in it, signed with the user's key, over the place that it was made at.
//!
//! What a clone, an archive, or a copy carries has no such record, or one of another place: then nothing in it is
//! believed.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::user::{UserKey, UserState};
use crate::StoreError;
use crate::digest::hex;
use crate::disk::{self, FileNumbers};

/// The record's file.
pub(super) const OWNER: &str = "owner.json";
/// Bytes of it.
const MAX_SIZE: u64 = 64 * 1024;
/// The layout of records that is written here.
const SCHEMA_VERSION: u32 = 1;

/// Whose a state folder is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StateOwnership {
    /// This user's, made at this place: what is in it is believed.
    Own,
    /// There is none yet.
    New,
    /// It was made elsewhere or by another user, for this reason; it counts as empty, and is set aside when
    /// something is written.
    Foreign(String),
    /// It is not this user's alone, for this reason; nothing is written.
    OtherUser(String),
    /// No place for this user's own files is set, so that nothing can be determined.
    Nowhere,
}

/// The content of the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct OwnerRecord {
    schema: u32,
    id: String,
    path: String,
    device: u64,
    inode: u64,
    /// When the place was made, nanoseconds since the epoch; nothing where the disk does not say.
    #[serde(default)]
    born: Option<String>,
    mac: String,
}

impl OwnerRecord {
    /// A record of a place as it is now, not signed yet.
    fn of(anchor: &Path) -> Result<Self, StoreError> {
        let stamp = disk::stamp(anchor).ok_or_else(|| StoreError::Missing {
            path: anchor.display().to_string(),
        })?;
        let mut id = [0; 16];
        getrandom::fill(&mut id).map_err(|error| StoreError::Unreadable {
            path: anchor.display().to_string(),
            why: format!("the system has no random numbers: {error}"),
        })?;
        let (device, inode) = stamp.identity;
        Ok(Self {
            schema: SCHEMA_VERSION,
            id: hex(&id),
            path: anchor.display().to_string(),
            device,
            inode,
            born: disk::created_at(anchor).map(|nanos| nanos.to_string()),
            mac: String::new(),
        })
    }

    /// Returns the part that is signed: everything but the signature.
    fn signed_part(&self) -> String {
        let facts = (
            self.schema, &self.id, &self.path, self.device, self.inode, &self.born,
        );
        serde_json::to_string(&facts).unwrap_or_default()
    }

    /// Why the record is not that of a place, if it is not.
    fn strange(&self, anchor: &Path) -> Option<&'static str> {
        let Some((device, inode)) = disk::stamp(anchor).map(|stamp| stamp.identity) else {
            return Some("its place is gone");
        };
        let is_at_home = self.path == anchor.display().to_string();
        let numbers = disk::file_numbers(anchor);
        if numbers == FileNumbers::OfMount && !is_at_home {
            return Some(
                "it was made at another path, and its file system knows folders by nothing else",
            );
        }
        if numbers != FileNumbers::OfDisk && is_at_home {
            return None;
        }
        // Device numbers change when a machine is started; folders are moved, but not both at once. Where a
        // disk has no such numbers, the path alone decides.
        let is_same_disk = device == self.device && (device, inode) != (0, 0);
        let born = disk::created_at(anchor).map(|nanos| nanos.to_string());
        let is_as_old = self.born.is_none() || born.is_none() || self.born == born;
        match () {
            () if inode != self.inode || !is_as_old => {
                Some("it was made at another place, and copied here")
            }
            () if !is_same_disk && !is_at_home => Some("it was made on another disk"),
            () => None,
        }
    }
}

/// The text of a record that says whose a new folder is.
pub(super) fn signed(anchor: &Path, user: &UserState) -> Result<String, StoreError> {
    let key = user.key_made()?;
    let mut record = OwnerRecord::of(anchor)?;
    record.mac = key.signature(&record.signed_part());
    Ok(serde_json::to_string_pretty(&record).unwrap_or_default() + "\n")
}

/// Whose a folder is that belongs to a place.
pub(super) fn ownership(folder: &Path, anchor: &Path, user: &UserState) -> StateOwnership {
    let foreign = |why: &str| StateOwnership::Foreign(why.to_owned());
    let facts = match disk::owned(folder) {
        None if disk::exists(folder) => {
            return StateOwnership::OtherUser("it cannot be looked at".into());
        }
        None => return StateOwnership::New,
        Some(facts) if !facts.is_folder => return foreign("it is a link, or no folder"),
        Some(facts) if !facts.is_own => {
            return StateOwnership::OtherUser("it belongs to another user".into());
        }
        Some(facts) => facts,
    };
    let record = folder.join(OWNER);
    if !disk::exists(&record) {
        return foreign("nothing says whose it is");
    }
    let key = match user.key() {
        Ok(Some(key)) => key,
        Ok(None) => return foreign("another user, or another machine, made it"),
        Err(error) => return StateOwnership::OtherUser(error.to_string()),
    };
    let text = match disk::read_owned(&record, MAX_SIZE) {
        Ok(text) => text,
        Err(error) => return StateOwnership::Foreign(error.to_string()),
    };
    if let Some(why) = doubt(&text, &key, anchor) {
        return foreign(why);
    }
    if facts.is_shared {
        let why = "others than you may write it; take that right away (chmod go-w)";
        return StateOwnership::OtherUser(why.into());
    }
    if disk::holds_links(folder) {
        return foreign("a part of it is a link");
    }
    StateOwnership::Own
}

/// The name of a state folder that is believed, which no other one has.
pub(super) fn id(folder: &Path) -> Option<String> {
    let text = disk::read_owned(&folder.join(OWNER), MAX_SIZE).ok()?;
    let record: OwnerRecord = serde_json::from_str(&text).ok()?;
    Some(record.id)
}

/// Why a record is not believed, if it is not.
fn doubt(text: &str, key: &UserKey, anchor: &Path) -> Option<&'static str> {
    let Ok(record) = serde_json::from_str::<OwnerRecord>(text) else {
        return Some("what says whose it is cannot be read");
    };
    if record.schema != SCHEMA_VERSION {
        return Some("another release says whose it is");
    }
    if !key.has_signed(&record.signed_part(), &record.mac) {
        return Some("another user, or another machine, made it");
    }
    record.strange(anchor)
}
