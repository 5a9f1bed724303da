//! Landings that this clone knows of and the remote lacks: it was restored from an older state, or rewritten.

use std::collections::BTreeMap;

use super::last_look::SpecLooks;
use crate::project::ProjectRuns;
use crate::receipt_store::landed_receipts;
use chant_base::error::Error;
use chant_base::plural::counted;
use chant_leases::client::RunLedger as _;
use chant_specs::project::Project;
use chant_work::state::RunState;

/// So many landings are named.
const MAX_NAMED: usize = 10;

/// Landings that the remote lost.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct LostLandings {
    /// The commits by the specs that landed with them.
    pub(crate) commits: BTreeMap<String, String>,
    /// The sentence for people; `None` if nothing is lost.
    pub(crate) sentence: Option<String>,
}

/// A landing as a record or a receipt has it.
struct KnownLanding {
    token: u64,
    commit: String,
}

/// The target as it was before the remote lost it.
struct LostBranch<'a> {
    name: &'a str,
    tip: &'a str,
    /// True if the remote's own commits are all in it.
    is_ahead: bool,
}

impl SpecLooks<'_> {
    /// Returns the landings that records and receipts here know and the remote's target lacks. Nothing is compared
    /// while the target only ever went on.
    pub(crate) fn lost_landings(
        &self,
        project: &Project,
        branch: &str,
    ) -> Result<LostLandings, Error> {
        let Some(known) = &self.known else {
            return Ok(LostLandings::default());
        };
        let Some(tip) = known.view.lost_targets.last() else {
            return Ok(LostLandings::default());
        };
        let repo = project.repository()?;
        let target = &known.view.target;
        let mut lost = BTreeMap::new();
        for (id, landing) in known_landings(project)? {
            let commit = landing.commit;
            if !repo.has_object(&commit)? || repo.reaches(target, &commit)? {
                continue;
            }
            // Somebody decided otherwise since: the spec was given back, or is worked on again.
            let is_decided = self
                .newest_token(&id)
                .is_some_and(|token| token > landing.token);
            let is_done = self
                .ledger
                .completed_in(target, &self.ledger.key(&id))?
                .is_some();
            if !is_decided && !is_done {
                lost.insert(id, commit);
            }
        }
        let lost_branch = LostBranch {
            name: branch,
            tip,
            is_ahead: repo.reaches(tip, target)?,
        };
        let sentence = (!lost.is_empty()).then(|| self.sentence(&lost, &lost_branch));
        Ok(LostLandings {
            commits: lost,
            sentence,
        })
    }

    fn newest_token(&self, id: &str) -> Option<u64> {
        let leases = self.leases().into_iter();
        let mut of_spec = leases.filter(|(spec, _)| spec == id);
        of_spec.next().map(|(_, known)| known.lease.token)
    }

    fn sentence(&self, lost: &BTreeMap<String, String>, lost_branch: &LostBranch<'_>) -> String {
        let (branch, tip) = (lost_branch.name, lost_branch.tip);
        let remote = &self.settings.remote;
        let short = |commit: &str| commit.get(..7).unwrap_or(commit).to_owned();
        let shown = lost.iter().take(MAX_NAMED);
        let mut named: Vec<String> = shown
            .map(|(id, commit)| format!("{id} ({})", short(commit)))
            .collect();
        if lost.len() > MAX_NAMED {
            named.push(format!("and {} more", lost.len() - MAX_NAMED));
        }
        let back = if lost_branch.is_ahead {
            format!("`git push {remote} {tip}:refs/heads/{branch}` brings all of it back")
        } else {
            let tip = short(tip);
            format!(
                "on {branch}, `git pull --no-rebase {remote} {branch}`, `git merge {tip}` and a push bring it back"
            )
        };
        format!(
            "{remote} lacks {} that landed there: {}. Its {branch} was put back to an older state, or rewritten. {back}; giving the lease of a spec back says that its work is not wanted.",
            counted(lost.len(), "spec"),
            named.join(", "),
        )
    }
}

/// Returns the newest landing of each spec. What a record says counts more than a receipt, which the remote may
/// have given.
fn known_landings(project: &Project) -> Result<BTreeMap<String, KnownLanding>, Error> {
    let mut landings: BTreeMap<String, KnownLanding> = BTreeMap::new();
    for (spec, token, commit) in landed_receipts(&*project.repository()?)? {
        let newer = landings.get(&spec).is_none_or(|known| known.token < token);
        if newer {
            landings.insert(spec, KnownLanding { token, commit });
        }
    }
    let (mut records, _) = project.runs()?.all()?;
    records.retain(|record| record.works_on_spec() && record.lease.is_some());
    records.sort_by_key(|record| record.token);
    for record in records {
        match (record.state(), record.merge.commit) {
            (RunState::Completed, Some(commit)) => {
                let token = record.token;
                landings.insert(record.spec_id, KnownLanding { token, commit });
            }
            // A later run of this clone: the spec is worked on again.
            _ => {
                landings.remove(&record.spec_id);
            }
        }
    }
    Ok(landings)
}

/// Returns the sentence about landings that the remote lost, by the last look; `None` where there are none, or clones
/// share nothing.
///
/// # Errors
/// A failure to read records, receipts or the repository.
pub(crate) fn lost_sentence(
    project: &Project,
    config: &chant_config::Config,
) -> Result<Option<String>, Error> {
    let Some(settings) = &config.leases else {
        return Ok(None);
    };
    let looks = SpecLooks::of(project, settings)?;
    Ok(looks.lost_landings(project, config.main_branch())?.sentence)
}
