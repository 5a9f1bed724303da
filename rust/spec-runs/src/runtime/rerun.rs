//! Runs checks again on files that landed, long after the run: confined as its own checks were, in
//! a temporary folder.

use std::path::PathBuf;

use super::super::project::ProjectRuns;
use super::super::project::folders;
use super::super::project::worktree_folder::remove_beside;
use super::super::receipt::judgement::RepeatedCheck;
use super::agent_launch::LaunchInputs;
use super::run_folder::RunFolder;
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_config::Config;
use chant_git::Repo;
use chant_specs::error::ChantError;
use chant_specs::model::Spec;
use chant_specs::project::Project;
use chant_store::disk;
use chant_work::WorkError;
use chant_work::agent::{self, AgentEnding};
use chant_work::cancel_token::CancelToken;
use chant_work::process::ProcessIdentity;
use chant_work::run_log::{LogHeader, RunLog, SecretMask};
use chant_work::run_record::{RunOptions, RunRecord, SINGLE};

/// The calls of git that turn the files of a commit into a repository of their own.
const REPOSITORY: [&[&str]; 3] = [
    &["init", "--quiet", "--template="],
    &["add", "--all", "--force"],
    &[
        "-c",
        "core.hooksPath=/dev/null",
        "-c",
        "commit.gpgSign=false",
        "commit",
        "--quiet",
        "--allow-empty",
        "--message=The files that landed",
    ],
];

/// Runs those of the named checks that are configured, one after the other, on the files of a
/// commit. Each may write in the folder, and sees the changes of those before it. Their output goes
/// to the spec's log.
///
/// # Errors
/// `NotTrusted`, the reason why a check cannot be confined, or a failure of git or of the disk.
pub(in super::super) fn rerun(
    project: &Project,
    repo: &Repo,
    spec_id: &str,
    commit: &str,
    names: &[&String],
) -> Result<Vec<RepeatedCheck>, Error> {
    let snapshot = project.snapshot()?;
    project.refuse_untrusted_snapshot(&snapshot)?;
    let config = snapshot.config.clone()?;
    let checks = &config.runs.checks;
    let asked = names.iter().filter_map(|name| checks.get_key_value(*name));
    let asked: Vec<(&String, &Vec<String>)> = asked.collect();
    if asked.is_empty() {
        return Ok(Vec::new());
    }
    let spec = project.spec_or_archived(&snapshot, spec_id)?;
    let folder = RerunFolder::make(project, &config, repo, commit)?;
    let rerun = CheckRerun {
        project,
        repo,
        config: &config,
        spec: &spec,
        place: RunFolder::of_files(project, repo, &spec, &folder.files)?,
    };
    let interruption = CancelToken::listening()?;
    rerun.make_repository(&interruption)?;
    let checks = asked.into_iter();
    let checks = checks.map(|(name, argv)| rerun.check(name, argv, &interruption));
    checks.collect()
}

struct CheckRerun<'a> {
    project: &'a Project,
    repo: &'a Repo,
    config: &'a Config,
    spec: &'a Spec,
    place: RunFolder,
}

impl CheckRerun<'_> {
    /// Makes the files the only commit of a repository, since checks may ask git about them. That
    /// git is confined like the checks.
    fn make_repository(&self, interruption: &CancelToken) -> Result<(), Error> {
        for words in REPOSITORY {
            let words = ["git"].into_iter().chain(words.iter().copied());
            let argv: Vec<String> = words.map(str::to_owned).collect();
            let made = self.check("(its repository)", &argv, interruption)?;
            if made.exit != Some(0) {
                let message = format!(
                    "The files of the commit could not be made a repository for the checks: {made}; the log of spec '{}' says why",
                    self.spec.id
                );
                return Err(ChantError::Refused(message).into());
            }
        }
        Ok(())
    }

    fn check(
        &self,
        name: &str,
        argv: &[String],
        interruption: &CancelToken,
    ) -> Result<RepeatedCheck, Error> {
        let runs = self.project.runs()?;
        let asked = RunOptions::default();
        let briefing = LaunchInputs {
            project: self.project,
            repo: self.repo,
            config: self.config,
            spec: self.spec,
            place: &self.place,
            asked: &asked,
        };
        let job = briefing.check(name, argv)?;
        let spec_id = self.spec.id.as_str();
        let header = LogHeader {
            spec_id,
            prompt: &job.name,
            withheld: &job.withheld,
        };
        let output = RunLog::open(
            &runs,
            &header,
            SecretMask::new(&job.secrets)?,
            job.limits.room,
        )?;
        // The record only identifies its processes: this is no run and is not stored.
        let record = RunRecord::new(spec_id, SINGLE, ProcessIdentity::own(), (runs.clock)());
        let ended = match agent::start(&runs, &record, job, output, false) {
            Ok(agent) => Some(agent.wait(interruption)?),
            Err(WorkError::NoAgent { .. }) => None,
            Err(error) => return Err(error.into()),
        };
        if interruption.is_cancelled() {
            let why = "The checks were interrupted; nothing is said of them";
            return Err(ChantError::Refused(why.into()).into());
        }
        let by_itself = ended.filter(|ended| ended.ending == AgentEnding::Itself);
        Ok(RepeatedCheck {
            name: name.to_owned(),
            exit: by_itself.and_then(|ended| ended.exit_code),
        })
    }
}

/// The folder of checks that are run again; removed when dropped.
struct RerunFolder {
    own: PathBuf,
    files: PathBuf,
}

impl RerunFolder {
    /// Writes the files of a commit, and removes folders that killed processes left.
    fn make(project: &Project, config: &Config, repo: &Repo, commit: &str) -> Result<Self, Error> {
        let all = folders::of_reruns(project, config, repo)?;
        disk::make_folders(&all)?;
        for one in disk::names(&all)? {
            let process = one
                .name
                .split('-')
                .next()
                .and_then(|name| name.parse().ok());
            if process.is_none_or(|process| !disk::is_process(process)) {
                // A folder that cannot be removed does no harm.
                disk::remove_tree(&all.join(one.name))
                    .log_failure("remove the folder of a dead check");
            }
        }
        let number = fastrand::u64(..);
        let own = disk::real(&all)?.join(format!("{}-{number:016x}", std::process::id()));
        let files = own.join("files");
        let folder = Self { own, files };
        disk::make_folders(&folder.files)?;
        repo.export(commit, &folder.files)?;
        Ok(folder)
    }
}

impl Drop for RerunFolder {
    fn drop(&mut self) {
        remove_beside(&self.files);
        // A folder that stays is removed by the next call.
        disk::remove_tree(&self.own).log_failure("remove the folder of the check");
        if let Some(all) = self.own.parent() {
            disk::remove_folder(all);
        }
    }
}
