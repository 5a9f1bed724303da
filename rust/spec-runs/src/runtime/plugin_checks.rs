//! Asks the evidence checks that the user's own configuration names whether a run's work counts as done. Each is a
//! Python function of a plugin, called in a process of its own for a bounded time.

use std::io::{self, Write};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::run_folder::RunFolder;
use crate::project::ProjectRuns;
use chant_base::error::Error;
use chant_config::plugins::PluginSettings;
use chant_confine::Confinement;
use chant_confine::start::ProcessInput;
use chant_git::Repo;
use chant_git::bookkeeping::WorkCommit;
use chant_proof::completion::IncompleteReason;
use chant_specs::project::Project;
use chant_work::command::{CommandLimits, CommandOptions, CommandRunner};
use chant_work::run_record::RunRecord;

/// The command of our own program that calls a plugin's function.
const CALL: &str = "plugin-call";
/// The time for a process to begin, beside that of the plugin, which the process counts itself.
const START: Duration = Duration::from_secs(30);
/// The bytes of its output that are kept.
const MAX_KEPT: usize = 256 * 1024;

/// The evidence about a run that a plugin's function gets.
pub(super) struct PluginEvidence<'a> {
    pub project: &'a Project,
    pub repo: &'a Repo,
    pub settings: &'a PluginSettings,
    pub record: &'a RunRecord,
    pub place: &'a RunFolder,
    pub commits: &'a [WorkCommit],
    /// True if the run is judged beside what a person asked for: nothing slow is done then.
    pub is_judged_aside: bool,
}

/// A line that the process of a call prints: a verdict, or why there is none.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum PluginAnswer {
    Verdict { holds: bool, reason: String },
    Failure { failure: String },
}

impl PluginEvidence<'_> {
    /// Asks all evidence checks and returns a reason for each that does not agree, one that crashes or hangs among
    /// them.
    ///
    /// # Errors
    /// As [`RunFolder::branch_text`].
    pub(super) fn ask(&self) -> Result<Vec<IncompleteReason>, Error> {
        let settings = self.settings;
        let mut names = settings.evidence_checks.clone();
        names.retain(|name| !settings.off.contains(name));
        if names.is_empty() {
            return Ok(Vec::new());
        }
        if self.is_judged_aside {
            let not_asked = names.into_iter();
            return Ok(not_asked
                .map(IncompleteReason::EvidenceCheckNotAsked)
                .collect());
        }
        let tip = self.place.branch_text(self.project, self.repo)?;
        let objections = names
            .iter()
            .filter_map(|name| self.ask_one(name, tip.as_deref()));
        Ok(objections.collect())
    }

    fn ask_one(&self, name: &str, tip: Option<&str>) -> Option<IncompleteReason> {
        let why = match self.call(name, tip) {
            Ok(PluginAnswer::Verdict { holds: true, .. }) => return None,
            Ok(PluginAnswer::Verdict { reason, .. }) => format!("says no: {reason}"),
            Ok(PluginAnswer::Failure { failure }) => failure,
            Err(why) => why,
        };
        tracing::info!(run = %self.record.process_id, name, %why, "an evidence check does not agree");
        let name = name.to_owned();
        Some(IncompleteReason::EvidenceCheck { name, why })
    }

    /// Calls a function and returns its verdict, or the reason why there is none.
    fn call(&self, name: &str, tip: Option<&str>) -> Result<PluginAnswer, String> {
        let argv = call_line(self.project);
        let input = request_pipe(&self.request(name, tip)).map_err(|error| error.to_string())?;
        let options = CommandOptions {
            folder: self.project.root(),
            environment: &self.project.environment,
            input,
            confinement: &Confinement::Off,
        };
        let limits = CommandLimits {
            time: START + self.settings.time(),
            kept: MAX_KEPT,
        };
        let ended = CommandRunner::default().run_held(&argv, options, limits, &mut || ());
        let ended = ended.map_err(|error| error.to_string())?;
        if ended.is_too_long {
            return Err(format!(
                "did not answer within {} seconds",
                self.settings.seconds
            ));
        }
        let output = [&*ended.beginning, &*ended.end].concat();
        let mut lines = output.split(|byte| *byte == b'\n');
        let answer = lines.find_map(|line| serde_json::from_slice(line).ok());
        answer.ok_or_else(|| format!("gave no verdict: its process {ended}"))
    }

    fn request(&self, name: &str, tip: Option<&str>) -> Value {
        let commits = self.commits.iter().map(
            |commit| json!({"id": commit.id, "message": commit.message, "paths": commit.paths}),
        );
        let log = self.project.own_log(&self.record.spec_id);
        json!({
            "kind": "evidence_checks",
            "name": name,
            "seconds": self.settings.seconds,
            "evidence": {
                "spec_id": self.record.spec_id,
                "spec_text": tip,
                "run": self.record.process_id,
                "branch": self.place.branch,
                "base": self.place.base,
                "target": self.place.target,
                "commits": commits.collect::<Vec<_>>(),
                "log": log,
            },
        })
    }
}

/// Returns the command line of a process that calls a plugin's function.
pub(super) fn call_line(project: &Project) -> Vec<String> {
    let root = project.root().display().to_string();
    let words = ["--project", &root, CALL].map(str::to_owned);
    project.program.iter().cloned().chain(words).collect()
}

/// Returns a pipe with a request in it, which is written aside: it may be longer than a pipe holds.
fn request_pipe(request: &Value) -> io::Result<ProcessInput> {
    let (read, mut write) = io::pipe()?;
    let text = format!("{request}\n");
    std::thread::spawn(move || {
        // A process that ended before it read all has said why.
        let _ = write.write_all(text.as_bytes());
    });
    Ok(ProcessInput::File(read.into()))
}
