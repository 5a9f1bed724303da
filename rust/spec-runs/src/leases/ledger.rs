//! What leases ask about runs and specs, answered from records and from the trees of commits.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::item_names::key_of_run;
use crate::item_order::work_items;
use crate::project::ProjectRuns;
use crate::runtime::run_folder::in_git;
use chant_base::error::Error;
use chant_git::Repo;
use chant_leases::client::{RunLedger, RunStanding};
use chant_leases::record::{LeasedItem, RunLine};
use chant_specs::model::SpecStatus;
use chant_specs::ops::edit::SpecDraft;
use chant_specs::project::{ARCHIVE, Project, SPECS};
use chant_store::disk;
use chant_work::log::{self, LogQuery};
use chant_work::run_record::RunRecord;
use chant_work::state::RunState;

/// The key in a completed spec's front matter that names the token of its run.
pub(crate) const RUN_TOKEN: &str = "run_token";
/// The most bytes of keys that a lease names; where an item has more parts, they are known by its own key.
const MAX_LOCKED_BYTES: usize = 16 * 1024;
/// The longest line of a log that a sign of life carries.
const LINE: usize = 200;

/// The runs and specs of a project.
pub(crate) struct SpecRunLedger<'a> {
    project: &'a Project,
    repo: Arc<Repo>,
}

impl<'a> SpecRunLedger<'a> {
    pub(crate) fn of(project: &'a Project, repo: Arc<Repo>) -> Self {
        Self { project, repo }
    }

    /// Returns the project's folder in the repository, without a slash at its end; empty at the top.
    fn inside(&self) -> String {
        let specs = in_git(self.project, &self.repo, SPECS).unwrap_or_default();
        let inside = specs.strip_suffix(SPECS).unwrap_or_default();
        inside.trim_end_matches('/').to_owned()
    }

    /// Returns the name of a spec among all specs of the repository.
    pub(crate) fn key(&self, spec_id: &str) -> String {
        spec_key(&self.inside(), spec_id)
    }

    /// Returns the spec of this project that a name means.
    pub(super) fn id_of<'k>(&self, key: &'k str) -> Option<&'k str> {
        match self.inside() {
            inside if inside.is_empty() => (!key.contains(':')).then_some(key),
            inside => key.strip_prefix(&inside)?.strip_prefix(':'),
        }
    }

    fn records(&self, spec_id: &str) -> Result<Vec<RunRecord>, Error> {
        let records = self.project.runs()?.of_spec(spec_id)?;
        Ok(records
            .into_iter()
            .filter(RunRecord::works_on_spec)
            .collect())
    }

    /// Returns the item of another format whose runs are called so; `None` for a spec.
    ///
    /// # Errors
    /// A failure to read its order.
    pub(super) fn item_of(&self, spec_id: &str) -> Result<Option<LeasedItem>, Error> {
        let Some(key) = key_of_run(self.project, spec_id) else {
            return Ok(None);
        };
        let order = work_items(self.project)?.order(self.project, &key);
        let mut locked_keys = order.map(|order| order.locked_keys).unwrap_or_default();
        if locked_keys.iter().map(String::len).sum::<usize>() > MAX_LOCKED_BYTES {
            locked_keys.clear();
        }
        Ok(Some(LeasedItem { key, locked_keys }))
    }

    /// Returns the text of a spec in the tree of a commit, archived or not.
    pub(crate) fn spec_at(&self, commit: &str, spec_id: &str) -> Result<Option<String>, Error> {
        let name = format!("{spec_id}.md");
        let inside = in_git(self.project, &self.repo, SPECS)?;
        if let Some(text) = self.repo.file_at(commit, &format!("{inside}/{name}"))? {
            return Ok(Some(String::from_utf8_lossy(&text).into_owned()));
        }
        let archive = in_git(self.project, &self.repo, ARCHIVE)?;
        let files = self.repo.files_below(commit, &archive)?;
        let is_it = |path: &&String| path.rsplit('/').next() == Some(&*name);
        let Some(path) = files.iter().find(is_it) else {
            return Ok(None);
        };
        let text = self.repo.file_at(commit, path)?;
        Ok(text.map(|text| String::from_utf8_lossy(&text).into_owned()))
    }

    /// Returns the last line of a run's log.
    fn last_line(&self, record: &RunRecord) -> String {
        let query = LogQuery {
            lines: 1,
            offset: None,
            since: None,
        };
        let path = self.project.own_log(&record.spec_id);
        let opened = path.and_then(|path| disk::open(&path, &record.spec_id).ok());
        let page = opened.and_then(|(file, length)| log::read(file, length, query).ok());
        let text = page.map(|page| page.content).unwrap_or_default();
        let line = text.lines().last().unwrap_or_default();
        let shown = line.chars().filter(|letter| !letter.is_control());
        shown.take(LINE).collect()
    }
}

/// Returns the name of a spec among all specs of a repository, in which its project has the folder `inside`.
pub(crate) fn spec_key(inside: &str, spec_id: &str) -> String {
    match inside {
        "" => spec_id.to_owned(),
        inside => format!("{inside}:{spec_id}"),
    }
}

impl RunLedger for SpecRunLedger<'_> {
    fn standing(&self, spec: &str, token: u64) -> Result<RunStanding, Error> {
        let Some(id) = self.id_of(spec) else {
            return Ok(RunStanding::Unknown);
        };
        let records = self.records(id)?;
        // Work that a person goes on with has a later token, and is of the same lease.
        let newest = records.iter().filter(|record| record.token >= token);
        let Some(record) = newest.max_by_key(|record| record.token) else {
            return Ok(RunStanding::Unknown);
        };
        Ok(match record.state() {
            RunState::Running if record.runner().is_alive() => RunStanding::UnderWay,
            RunState::AwaitingMerge | RunState::AwaitingApproval | RunState::NeedsAttention => {
                RunStanding::Waits
            }
            RunState::Completed => match &record.merge.commit {
                Some(commit) => RunStanding::Landed(commit.clone()),
                None => RunStanding::Ended,
            },
            // A dead runner is looked after by this clone; until then others may have the spec.
            _ => RunStanding::Ended,
        })
    }

    fn under_way(&self) -> Result<Vec<RunLine>, Error> {
        let (records, _) = self.project.runs()?.all()?;
        let alive = records.into_iter().filter(|record| {
            record.works_on_spec()
                && record.state() == RunState::Running
                && record.runner().is_alive()
        });
        Ok(alive
            .map(|record| RunLine {
                spec: self.key(&record.spec_id),
                token: record.token,
                run: record.process_id.clone(),
                state: record.state().to_string(),
                line: self.last_line(&record),
            })
            .collect())
    }

    fn archived_in(&self, commit: &str) -> Result<BTreeSet<String>, Error> {
        let specs_below = |folder: &str| -> Result<BTreeSet<String>, Error> {
            let inside = in_git(self.project, &self.repo, folder)?;
            let files = self.repo.files_below(commit, &inside)?.into_iter();
            let names = files.filter_map(|path| {
                let id = path.rsplit('/').next()?.strip_suffix(".md")?;
                Some(self.key(id))
            });
            Ok(names.collect())
        };
        let open = specs_below(SPECS)?;
        Ok(&specs_below(ARCHIVE)? - &open)
    }

    fn branch_prefix(&self) -> Result<String, Error> {
        Ok(self
            .project
            .snapshot()?
            .config
            .clone()?
            .branch_prefix
            .clone())
    }

    fn branch_of(&self, spec: &str) -> Result<Option<String>, Error> {
        let snapshot = self.project.snapshot()?;
        Ok(self.id_of(spec).map(|id| snapshot.own_branch_of(id)))
    }

    fn completed_in(&self, commit: &str, spec: &str) -> Result<Option<u64>, Error> {
        let Some(id) = self.id_of(spec) else {
            return Ok(None);
        };
        if let Some(key) = key_of_run(self.project, id) {
            // Documents of items name no run.
            let is_done = work_items(self.project)?.is_done_in(self.project, &key, commit)?;
            return Ok(is_done.then_some(0));
        }
        let Some(text) = self.spec_at(commit, id)? else {
            return Ok(None);
        };
        // What cannot be read there says nothing.
        let Ok(draft) = SpecDraft::of(&format!("{SPECS}/{id}.md"), &text) else {
            return Ok(None);
        };
        if draft.spec().status != SpecStatus::Completed {
            return Ok(None);
        }
        Ok(Some(run_token_of(&text).unwrap_or(0)))
    }
}

/// Returns the token in a spec's front matter.
fn run_token_of(text: &str) -> Option<u64> {
    let layout = chant_text::front_matter::layout(text).ok()?;
    let yaml = &text[layout.yaml?];
    let line = yaml.lines().find_map(|line| line.strip_prefix(RUN_TOKEN))?;
    let line = line.trim_start().strip_prefix(':')?;
    line.trim().trim_matches(['"', '\'']).parse().ok()
}
