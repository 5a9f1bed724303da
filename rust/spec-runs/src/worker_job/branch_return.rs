//! The way of a job's commits back: a bundle, or the remote that this machine's owner accepted where that would be too large.

use std::time::Duration;

use serde_json::{Value, json};

use super::job_file::JobFile;
use super::job_folder::JobFolder;
use super::workplace::WorkerOptions;
use crate::leases::spec_key;
use crate::project::ProjectRuns;
use chant_base::error::Error;
use chant_config::leases::NAMESPACE;
use chant_git::Repo;
use chant_git::remote_refs::{PushOutcome, RefUpdate};
use chant_leases::ref_names::run_ref;
use chant_specs::project::Project;
use chant_store::disk;

/// The greatest number of bytes of a bundle that is sent back.
pub const LARGEST_BUNDLE: u64 = 64 * 1024 * 1024;
/// The time limit for a push.
const LONGEST_PUSH: Duration = Duration::from_secs(1800);
/// The time limit for a look at what became of it.
const LONGEST_LOOK: Duration = Duration::from_secs(60);

/// The commits of a job that ended.
pub(super) struct BranchReturn<'a> {
    pub options: &'a WorkerOptions,
    pub folder: &'a JobFolder,
    pub project: &'a Project,
    pub job: &'a JobFile,
}

impl BranchReturn<'_> {
    /// Writes the bundle with the commits, and the newest of them into the result as `tip`. Where the bundle is too
    /// large they are pushed, and the result has them as `pushed`; where that is not possible it says that they are `kept` here.
    pub(super) fn write(&self, result: &mut Value) -> Result<(), Error> {
        let repo = self.project.repository()?;
        let tip = repo.branch_tip(&self.job.branch)?;
        let Some(tip) = tip.filter(|tip| *tip != self.job.start) else {
            return Ok(());
        };
        result["tip"] = json!(tip);
        let path = self.folder.result_bundle();
        disk::remove(&path)?;
        repo.write_bundle(&self.job.branch, &self.job.start, &path)?;
        let (_, length) = disk::open(&path, "result.bundle")?;
        if length <= self.options.largest_bundle {
            return Ok(());
        }
        match self.push(&repo, &tip) {
            Ok(()) => {
                result["pushed"] = json!(tip);
                disk::remove(&path)?;
            }
            Err(why) => {
                result["kept"] = json!(true);
                result["reason"] = json!(format!(
                    "{why}. The commits need {length} bytes, and {} at most are sent back",
                    self.options.largest_bundle
                ));
            }
        }
        Ok(())
    }

    /// Pushes the commits to the ref of the run, which no one else may have; the error says what keeps it from that.
    fn push(&self, repo: &Repo, tip: &str) -> Result<(), String> {
        let Some(remote) = &self.job.remote else {
            return Err(
                "The project has no remote to which they could be pushed; give it one".into(),
            );
        };
        if !self.options.remotes.contains(remote) {
            return Err(format!(
                "They could be pushed if this machine's worker were started with `--remote {remote}`"
            ));
        }
        let key = spec_key(&self.job.inside, &self.job.spec);
        let name = run_ref(NAMESPACE, &key, self.job.token);
        let update = RefUpdate {
            name: name.clone(),
            old: None,
            new: Some(tip.to_owned()),
        };
        let pushed = repo.push_update(remote, update, LONGEST_PUSH);
        let why = match pushed {
            Ok(PushOutcome::Applied) => return Ok(()),
            Ok(outcome) => outcome.complaint(),
            Err(error) => error.to_string(),
        };
        // What a push says proves nothing; the ref does.
        match repo.remote_ref(remote, &name, LONGEST_LOOK) {
            Ok(Some(found)) if found == tip => Ok(()),
            Ok(Some(found)) => Err(format!(
                "{remote} has other commits as {name} ({found}); remove them there, or move them away"
            )),
            _ => Err(format!(
                "{remote} did not take them as {name} ({why}); let this machine's git push there"
            )),
        }
    }
}
