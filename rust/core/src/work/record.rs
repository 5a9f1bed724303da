//! The records of runs in `.chant/processes`, as far as they are told (reference chant 5.18).

use std::path::Path;

use serde::Deserialize;

use super::process;
use crate::store::StoreError;
use crate::store::disk::{self, Disk};
use crate::store::files::Root;

/// Where the records of a project lie.
pub const FOLDER: &str = ".chant/processes";

/// One run of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Name of the run, `<spec>-<pid>`.
    pub process_id: String,
    /// The spec it works on.
    pub spec_id: String,
    /// The runner's process number.
    pub pid: Option<u32>,
    /// `running`, `completed` or `failed`.
    pub status: RunStatus,
    /// Whether the record says it runs although no such process lives.
    pub is_stale: bool,
    /// RFC 3339.
    pub started_at: Option<String>,
    /// RFC 3339.
    pub completed_at: Option<String>,
    /// `single`, `chain` or `parallel(N)`.
    pub mode: String,
    /// How it ended, in one word.
    pub end_state: Option<String>,
    /// Why it ended so.
    pub reason: Option<String>,
    /// The branch that carries its work.
    pub branch: Option<String>,
    /// Its log, relative to the root.
    pub log: Option<String>,
}

/// The three states of a run that answers tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunStatus {
    /// Its runner lives.
    Running,
    /// It ended with its spec completed.
    Completed,
    /// It ended otherwise.
    Failed,
}

impl RunStatus {
    /// As answers spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
        }
    }
}

/// The keys of a record that are told; others are for the runtime.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Record {
    schema: Option<u32>,
    process_id: Option<String>,
    spec_id: Option<String>,
    pid: Option<u32>,
    pid_start: Option<String>,
    boot_id: Option<String>,
    status: Option<RunStatus>,
    end_state: Option<String>,
    reason: Option<String>,
    started_at: Option<String>,
    completed_at: Option<String>,
    mode: Option<String>,
    branch: Option<String>,
    log: Option<String>,
}

/// A record that cannot be read as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenRecord {
    /// Its file, relative to the root.
    pub path: String,
    /// What is wrong with it.
    pub why: String,
}

/// All runs, in the order of their names, and the records that cannot be read.
///
/// # Errors
/// A `StoreError` when the folder is there and cannot be listed.
pub fn all(disk: &Disk, root: &Root) -> Result<(Vec<Run>, Vec<BrokenRecord>), StoreError> {
    let folder = match root.locate(FOLDER) {
        Err(StoreError::Missing { .. }) => return Ok((Vec::new(), Vec::new())),
        folder => folder?,
    };
    let mut names: Vec<String> = disk::list(&folder)?
        .files
        .into_iter()
        .map(|file| file.name)
        .collect();
    names.retain(|name| Path::new(name).extension() == Some("json".as_ref()));
    names.sort_unstable();
    let (mut runs, mut broken) = (Vec::new(), Vec::new());
    for name in names {
        let path = format!("{FOLDER}/{name}");
        let text = disk.read_text(&folder.join(&name), &path);
        match text
            .map_err(|e| e.to_string())
            .and_then(|(text, _)| read(&name, &text))
        {
            Ok(run) => runs.push(run),
            Err(why) => broken.push(BrokenRecord { path, why }),
        }
    }
    Ok((runs, broken))
}

fn read(name: &str, text: &str) -> Result<Run, String> {
    let record: Record = serde_json::from_str(text).map_err(|e| e.to_string())?;
    let process_id = record
        .process_id
        .clone()
        .unwrap_or_else(|| name.trim_end_matches(".json").to_owned());
    let spec_id = record.spec_id.clone().ok_or("it names no `spec_id`")?;
    // Records without a schema are those of chant 0.23, which never tell an end: nobody watches them.
    let says_running = record.schema.is_none() || record.status == Some(RunStatus::Running);
    let is_stale = says_running && (record.schema.is_none() || !lives(&record));
    let status = if is_stale {
        RunStatus::Failed
    } else {
        record.status.unwrap_or(RunStatus::Failed)
    };
    Ok(Run {
        process_id,
        spec_id,
        pid: record.pid,
        status,
        is_stale,
        started_at: record.started_at,
        completed_at: record.completed_at,
        mode: record.mode.unwrap_or_else(|| "single".into()),
        end_state: record.end_state,
        reason: record.reason,
        branch: record.branch,
        log: record.log,
    })
}

/// Whether number, start and machine agree with a living process.
fn lives(record: &Record) -> bool {
    let start = record.pid.and_then(process::start_of);
    let same_start = start.map(|start| start.ticks.to_string()) == record.pid_start
        && record.pid_start.is_some();
    let same_boot = record.boot_id.is_none() || record.boot_id == process::boot_id();
    same_start && same_boot
}
