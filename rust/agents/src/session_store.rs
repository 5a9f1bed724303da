//! The kept sessions of a project, in the user's own state: of each spec the newest, and of it the transcript alone.

use std::path::{Path, PathBuf};
use std::time::Duration;

use chant_store::StoreError;
use chant_store::digest::sha256;
use chant_store::disk;
use chant_store::state::{StateFolder, escape_name};

use crate::kept_session::{AgentMark, FORMAT, KeptSession, SessionContent};
use crate::session_id::{InvalidSessionId, SessionId};
use crate::transcript::{self, FoundTranscript, TranscriptFault};

const PART: &str = "sessions";
const NOTE: &str = "session.json";
const TRANSCRIPT: &str = "transcript";
/// The greatest size of a note, in bytes.
const MAX_NOTE: u64 = 64 * 1024;

/// The kept sessions of a project.
#[derive(Debug, Clone, Copy)]
pub struct SessionStore<'a> {
    state: &'a StateFolder,
}

/// A run that ended.
#[derive(Debug, Clone)]
pub struct EndedSession<'a> {
    /// Its spec.
    pub spec: &'a str,
    /// Its name.
    pub run: &'a str,
    /// Its agent.
    pub agent: AgentMark,
    /// The name of its session, in the agent's words; `None` if it reported none.
    pub session: Option<&'a str>,
    /// The real folder with the agent's state; `None` where its runs have none of their own.
    pub folder: Option<&'a Path>,
    /// The patterns of its transcripts below that folder.
    pub patterns: &'a [String],
    /// The time now, in seconds since 1970.
    pub now: u64,
}

/// A session that an agent can go on with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadySession {
    /// The agent's own name of it.
    pub session: SessionId,
    /// The run in which it was.
    pub run: String,
    path: String,
    text: String,
}

/// Why a transcript is not put at its place.
#[derive(Debug, thiserror::Error)]
pub enum PlacingFault {
    /// The agent would not look for it there.
    #[error("`{0}` is none of the places that its transcripts have")]
    OtherPlace(String),
    /// A link, or a file, is on the way.
    #[error("`{0}` is no folder of the run")]
    NoFolder(String),
    /// A failure of the disk.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl<'a> SessionStore<'a> {
    /// Returns the sessions in a project's state.
    pub fn of(state: &'a StateFolder) -> Self {
        Self { state }
    }

    /// Keeps the transcript of a run's session in the place of what is kept of its spec; where it cannot be kept, why.
    ///
    /// # Errors
    /// A failure of the disk.
    pub fn keep(self, ended: &EndedSession<'_>) -> Result<KeptSession, StoreError> {
        let folder = self.state.ensure(&self.part_of(ended.spec))?;
        // What a crash leaves is a transcript without a note, which counts as none.
        disk::remove(&folder.join(NOTE))?;
        let (content, text) = match found_of(ended) {
            Ok((session, found)) => {
                let content = SessionContent::Kept {
                    session,
                    path: found.path,
                    bytes: found.text.len() as u64,
                    sha256: sha256(found.text.as_bytes()),
                };
                (content, Some(found.text))
            }
            Err(fault) => {
                let why = fault.to_string();
                (SessionContent::NotKept { why }, None)
            }
        };
        match text {
            Some(text) => disk::write_private(&folder.join(TRANSCRIPT), text)?,
            None => disk::remove(&folder.join(TRANSCRIPT))?,
        }
        let kept = KeptSession {
            format: FORMAT,
            spec: ended.spec.to_owned(),
            run: ended.run.to_owned(),
            agent: ended.agent.clone(),
            kept_at: ended.now,
            content,
        };
        let note = serde_json::to_string(&kept).unwrap_or_default() + "\n";
        disk::write_private(&folder.join(NOTE), note)?;
        Ok(kept)
    }

    /// Returns what is kept of a spec; `None` also for what cannot be read.
    pub fn read(self, spec: &str) -> Option<KeptSession> {
        let folder = self.state.read(&self.part_of(spec))?;
        read_note(&folder).filter(|kept| kept.spec == spec)
    }

    /// Returns a kept session with its transcript; `None` if that is not what was kept.
    pub fn ready(self, kept: &KeptSession) -> Option<ReadySession> {
        let SessionContent::Kept {
            session,
            path,
            bytes,
            sha256: kept_hash,
        } = &kept.content
        else {
            return None;
        };
        let folder = self.state.read(&self.part_of(&kept.spec))?;
        let text = disk::read_owned(&folder.join(TRANSCRIPT), transcript::MAX_BYTES).ok()?;
        let is_whole = text.len() as u64 == *bytes && sha256(text.as_bytes()) == *kept_hash;
        is_whole.then(|| ReadySession {
            session: session.clone(),
            run: kept.run.clone(),
            path: path.clone(),
            text,
        })
    }

    /// Returns all that is kept, by spec.
    pub fn all(self) -> Vec<KeptSession> {
        let Some(folder) = self.state.read(&self.state.in_project(PART)) else {
            return Vec::new();
        };
        let entries = disk::names(&folder).unwrap_or_default().into_iter();
        let folders = entries.filter(|entry| entry.is_folder);
        let notes = folders.filter_map(|entry| read_note(&folder.join(&entry.name)));
        let mut all: Vec<KeptSession> = notes.collect();
        all.sort_by(|one, other| one.spec.cmp(&other.spec));
        all
    }

    /// Removes what is kept of a spec; returns false if that was nothing.
    ///
    /// # Errors
    /// A failure of the disk.
    pub fn remove(self, spec: &str) -> Result<bool, StoreError> {
        let Some(folder) = self.state.read(&self.part_of(spec)) else {
            return Ok(false);
        };
        let is_there = disk::exists(&folder);
        if is_there {
            disk::remove_tree(&folder)?;
        }
        Ok(is_there)
    }

    fn part_of(self, spec: &str) -> String {
        format!("{}/{}", self.state.in_project(PART), escape_name(spec))
    }
}

impl KeptSession {
    /// Returns true if it is older than sessions are kept.
    pub fn is_over(&self, now: u64, most: Duration) -> bool {
        now.saturating_sub(self.kept_at) >= most.as_secs()
    }
}

impl ReadySession {
    /// Puts the transcript at its place in the state of a run, which is new: no agent has written in it.
    ///
    /// # Errors
    /// Why it is not there.
    pub fn place(&self, folder: &Path, patterns: &[String]) -> Result<(), PlacingFault> {
        let is_place = |pattern: &String| transcript::matches_pattern(pattern, &self.path);
        if !patterns.iter().any(is_place) || transcript::pattern_fault(&self.path).is_some() {
            return Err(PlacingFault::OtherPlace(self.path.clone()));
        }
        let path = folder.join(&self.path);
        let above = path.parent().unwrap_or(folder);
        if above != folder {
            disk::make_folders(above)?;
            // The state of some agents leads to folders of the user's.
            if !disk::is_plain_below(folder, above) {
                return Err(PlacingFault::NoFolder(self.path.clone()));
            }
        }
        Ok(disk::create_owned(&path, &self.text)?)
    }
}

/// Why the session of a run is not kept.
#[derive(Debug, thiserror::Error)]
enum KeepingFault {
    #[error("it reported no session")]
    NoSession,
    #[error("its run had no state of its own")]
    NoState,
    #[error(transparent)]
    Name(#[from] InvalidSessionId),
    #[error(transparent)]
    Transcript(#[from] TranscriptFault),
}

fn found_of(ended: &EndedSession<'_>) -> Result<(SessionId, FoundTranscript), KeepingFault> {
    let session = SessionId::parse(ended.session.ok_or(KeepingFault::NoSession)?)?;
    let folder = ended.folder.ok_or(KeepingFault::NoState)?;
    let found = transcript::find_transcript(folder, ended.patterns, &session)?;
    Ok((session, found))
}

fn read_note(folder: &Path) -> Option<KeptSession> {
    let text = disk::read_owned(&folder.join(NOTE), MAX_NOTE).ok()?;
    let kept: KeptSession = serde_json::from_str(&text).ok()?;
    (kept.format == FORMAT).then_some(kept)
}

/// Returns the real path of a folder that is there.
pub fn real_folder(path: &Path) -> Option<PathBuf> {
    disk::real(path).ok().filter(|path| disk::is_folder(path))
}
