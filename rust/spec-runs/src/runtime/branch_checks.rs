//! Runs the checks that a spec's criteria name on the branch of its run.

use std::collections::BTreeSet;

use super::agent_launch::LaunchInputs;
use super::completion_check::{CompletionCheck, CompletionContext};
use super::environment::{
    CommitOrigin, EnvironmentSetUp, OwnPorts, SetUpEnvironment, SetUpOutcome,
};
use super::folder_namespaces::FolderNamespaces;
use super::rerun::{CommitChecks, start_logged};
use super::run_folder::RunFolder;
use super::services::{RunningServices, ServiceStart};
use chant_base::error::Error;
use chant_config::run_environment::RouteUser;
use chant_proof::completion::{CheckResult, CriterionAtStart};
use chant_work::agent::{AgentEnding, AgentOutcome};
use chant_work::cancel_token::CancelToken;
use chant_work::run_log::{SecretMask, secrets};
use chant_work::run_record::{CheckEntry, RunRecord};

/// The outcomes of running the checks.
pub(super) enum ChecksOutcome {
    /// They ran.
    Ran(Vec<CheckResult>),
    /// A person has to look first at what they would be run with; the text says why.
    NeedPerson(String),
}

impl CompletionCheck<'_> {
    /// Runs the checks that criteria name, each once, on the files of the branch's tip, with what recipes install for
    /// them, and nothing else that the run wrote: files that are uncommitted or ignored have no influence.
    pub(super) fn check(
        &self,
        record: &RunRecord,
        scene: &CompletionContext,
        criteria: &[CriterionAtStart],
    ) -> Result<ChecksOutcome, Error> {
        let Some(interruption) = self.interruption else {
            return Ok(ChecksOutcome::Ran(Vec::new()));
        };
        let place = self.place.for_checks(self.project, &scene.repo)?;
        let results = self
            .set_up(&place, record, scene, interruption)
            .and_then(|set_up| match set_up {
                SetUpOutcome::NeedsPerson(why) => Ok(ChecksOutcome::NeedPerson(why)),
                // Its layers stay as long as the checks run.
                SetUpOutcome::Done(_environment) => self
                    .check_in(&place, record, scene, criteria, interruption)
                    .map(ChecksOutcome::Ran),
            });
        place.remove_checked(self.project, &scene.repo);
        results
    }

    /// Sets up the environment of the checks.
    fn set_up(
        &self,
        place: &RunFolder,
        record: &RunRecord,
        scene: &CompletionContext,
        interruption: &CancelToken,
    ) -> Result<SetUpOutcome, Error> {
        if record.asked.bare {
            return Ok(SetUpOutcome::Done(SetUpEnvironment::default()));
        }
        let environment = EnvironmentSetUp {
            commands: self.commands(record, scene, interruption),
            is_of_item: true,
        };
        // Work that a person merges by hand has no agent.
        let origin = if record.agent.is_none() {
            CommitOrigin::AgreedBranchOf(&self.place.base)
        } else {
            CommitOrigin::BranchOf(&self.place.base)
        };
        let tip = self.place.branch_tip(&scene.repo)?;
        let outcome = environment.set_up(place, &tip, origin, &mut |_| ())?;
        if let SetUpOutcome::Done(done) = &outcome {
            self.update(|record| record.environment.clone_from(&done.entries))?;
        }
        Ok(outcome)
    }

    fn check_in(
        &self,
        place: &RunFolder,
        record: &RunRecord,
        scene: &CompletionContext,
        criteria: &[CriterionAtStart],
        interruption: &CancelToken,
    ) -> Result<Vec<CheckResult>, Error> {
        let names: BTreeSet<&String> = criteria.iter().flat_map(|c| &c.checks).collect();
        let tree = scene.repo.tree_of(&self.place.branch_tip(&scene.repo)?)?;
        let (mut results, mut entries) = (Vec::new(), Vec::new());
        let own = OwnPorts::take(
            self.project,
            &scene.config,
            &scene.config.runs.environment.secrets.checks,
        )?;
        let commands = self.commands(record, scene, interruption);
        let has_services = !record.asked.bare && !scene.config.runs.environment.services.is_empty();
        let request = commands.namespaces(&place.worktree, RouteUser::Checks, has_services);
        let namespaces = request.hold()?;
        let services = ServiceStart {
            commands,
            place,
            ports: &own,
            is_of_item: true,
            namespaces: namespaces.as_ref(),
        };
        let services = if record.asked.bare {
            None
        } else {
            services.start(&mut |_| ())?
        };
        let mask = SecretMask::new(&secrets(&self.project.environment))?;
        let inputs = LaunchInputs {
            project: self.project,
            repo: &scene.repo,
            config: &scene.config,
            spec: &scene.spec,
            place,
            asked: &record.asked,
            review: None,
            own_variables: &own.variables,
        };
        for name in names {
            let Some(argv) = scene.config.runs.checks.get(name) else {
                continue;
            };
            let report = commands.report_of(name, &place.root);
            let ended = self.run_check(record, &inputs, name, argv, interruption)?;
            let exit = ended
                .as_ref()
                .filter(|ended| ended.ending == AgentEnding::Itself);
            let exit = exit.and_then(|ended| ended.exit_code);
            let refused = ended.as_ref().and_then(|ended| ended.refused.clone());
            let ms = ended.map_or(0, |ended| ended.duration.as_millis());
            results.push(CheckResult {
                name: name.clone(),
                exit,
                refused,
                report: report.and_then(|report| report.read()),
                flaky: None,
            });
            entries.push(CheckEntry {
                name: name.clone(),
                command: argv.iter().map(|word| mask.apply(word)).collect(),
                exit,
                ms: u64::try_from(ms).unwrap_or(u64::MAX),
                tree: tree.clone(),
                flaky: Vec::new(),
                proof: None,
            });
        }
        services.map_or(Ok(()), RunningServices::stop)?;
        let network = namespaces.as_ref().and_then(FolderNamespaces::traffic);
        self.update(|record| {
            record.checks.clone_from(&entries);
            if let Some(network) = network.clone() {
                record.network.get_or_insert_default().add(network);
            }
        })?;
        Ok(results)
    }

    fn commands<'c>(
        &'c self,
        record: &'c RunRecord,
        scene: &'c CompletionContext,
        interruption: &'c CancelToken,
    ) -> CommitChecks<'c> {
        CommitChecks {
            project: self.project,
            repo: &scene.repo,
            config: &scene.config,
            spec: &scene.spec,
            record,
            interruption,
        }
    }

    /// Runs one check; `None` if it cannot be started, which the log reports.
    fn run_check(
        &self,
        record: &RunRecord,
        inputs: &LaunchInputs<'_>,
        name: &str,
        argv: &[String],
        interruption: &CancelToken,
    ) -> Result<Option<AgentOutcome>, Error> {
        match start_logged(
            self.runs,
            record,
            &record.spec_id,
            inputs.check(name, argv)?,
        ) {
            Ok(agent) => Ok(Some(agent.recorded()?.wait(interruption)?)),
            Err(chant_work::WorkError::NoAgent { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}
