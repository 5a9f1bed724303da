//! Lands the work of a run by a request that others merge: its branch and its lease move in one push, a
//! configured command opens the request, and the run waits until the target's tree has the work.

use super::on_remote::{PreparedLanding, waits};
use super::request_command::{RequestCommand, RequestState};
use super::{MergeInputs, RunLanding, RunLandingOutcome};
use crate::leases::SpecLeases;
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_git::merge::MergeOutcome;
use chant_leases::answer::LeaseRefusal;
use chant_work::run_record::{ProposalEntry, RunRecord};

impl RunLanding<'_> {
    /// Proposes the work of a run, or looks what became of a proposal.
    ///
    /// # Errors
    /// The step that failed.
    pub(super) fn land_by_request(
        &self,
        leases: &SpecLeases<'_>,
        record: &RunRecord,
    ) -> Result<RunLandingOutcome, Error> {
        let lease = record.lease.as_ref();
        if let Some(proposal) = lease.and_then(|lease| lease.proposal.as_ref()) {
            return self.follow_request(leases, record, proposal);
        }
        if !self.place.is_tracked {
            let why = "git does not track the spec, so a request cannot say that it is completed; commit it, or land with `leases.landing: push`";
            return Ok(RunLandingOutcome::Doubtful(why.into()));
        }
        // What may run in the host's checks by this branch is judged before any push.
        self.push_to_remote(leases, record)
    }

    /// Returns a commit with the tree of a merge that completes the spec by itself, not within a merge: a host
    /// that rebases leaves merges out.
    pub(super) fn completing_commit(
        &self,
        sight: &mut MergeInputs,
        merged: &str,
    ) -> Result<String, Error> {
        let (repo, place) = (self.repo, self.place);
        let parent = if repo.reaches(&sight.tip, &sight.old)? {
            sight.tip.clone()
        } else {
            // The same merge, with the spec as the work left it.
            let own = place.branch_text(self.project, repo)?;
            let completed = own.map(|own| std::mem::replace(&mut sight.text, own));
            let parent = match self.merge(sight)? {
                MergeOutcome::FastForward { commit } | MergeOutcome::Commit { commit, .. } => {
                    commit
                }
                MergeOutcome::Nothing | MergeOutcome::Conflicts(_) => return Ok(merged.to_owned()),
            };
            sight.text = completed.unwrap_or_default();
            parent
        };
        let message = format!("Complete {}", place.spec_id);
        Ok(repo.write_commit_like(merged, &parent, &message)?)
    }

    /// Runs the configured command for a branch that is on the remote, and notes where the request is.
    pub(super) fn open_request(
        &self,
        leases: &SpecLeases<'_>,
        record: &RunRecord,
        commit: &str,
    ) -> Result<RunLandingOutcome, Error> {
        let known = leases.newest_lease(&record.spec_id)?;
        let known = known.and_then(|(lease, _)| lease.request);
        self.note_proposal(commit, known.as_ref())?;
        let title = self.request_title(&record.spec_id)?;
        let token = record.token.to_string();
        let body = self.request_body(leases, record, commit);
        let values = [
            ("{branch}", &*self.place.branch),
            ("{target}", &self.place.target),
            ("{title}", &title),
            ("{body}", &body),
            ("{spec}", &record.spec_id),
            ("{token}", &token),
        ];
        let argv = filled_all(leases.request_command(), &values);
        let opened = self.with_command(record, |command| command.propose(&argv))?;
        match (opened, known) {
            (Ok(address), _) => {
                self.note_proposal(commit, Some(&address))?;
                leases
                    .note_request(record, &address)
                    .log_failure("note the address of a request in its lease");
                Ok(waits(address))
            }
            // The push has brought the work to the request that there was before.
            (Err(why), Some(address)) => Ok(waits(format!(
                "{address} (its branch has the new work; `leases.propose` opened no other request: {why})"
            ))),
            (Err(why), None) => Ok(RunLandingOutcome::Doubtful(format!(
                "the work is pushed to branch {} of {}, and `leases.propose` opened no request: {why}\nOpen one by hand, or put the command right and merge again",
                self.place.branch,
                leases.remote()
            ))),
        }
    }

    fn with_command<T>(
        &self,
        record: &RunRecord,
        act: impl FnOnce(&RequestCommand<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let config = self.project.snapshot()?.config.clone()?;
        act(&RequestCommand {
            project: self.project,
            runs: self.runs,
            repo: self.repo,
            config: &config,
            place: self.place,
            record,
        })
    }

    fn note_proposal(&self, commit: &str, request: Option<&String>) -> Result<(), Error> {
        self.runs.update(self.process_id, |record| {
            if let Some(lease) = &mut record.lease {
                lease.proposal = Some(ProposalEntry {
                    commit: commit.to_owned(),
                    request: request.cloned(),
                    asked_at: None,
                });
            }
            Ok(())
        })?;
        Ok(())
    }

    fn request_title(&self, spec_id: &str) -> Result<String, Error> {
        let snapshot = self.project.snapshot()?;
        let spec = snapshot.specs.find(spec_id);
        let title = spec.and_then(|spec| spec.title.clone());
        Ok(title.map_or_else(|| spec_id.to_owned(), String::from))
    }

    /// Returns the text of a request: by which spec, token and lease its work can be judged.
    fn request_body(&self, leases: &SpecLeases<'_>, record: &RunRecord, commit: &str) -> String {
        let judged = self
            .runs
            .get(self.process_id)
            .ok()
            .and_then(|record| record.judged);
        let judged: String = judged
            .iter()
            .flat_map(|judged| {
                let weaker = judged
                    .weaker
                    .iter()
                    .map(|line| format!("Changed what judges it: {line}\n"));
                weaker.chain(judged.look.iter().map(|line| format!("Look at {line}\n")))
            })
            .collect();
        format!(
            "Spec: {spec}\nFile: {file}\nRun token: {token}\nLease: {lease} on {remote}\nCommit: {commit}\n{judged}\n`chant-mcp fence {commit}` says whether this work is still the newest of its spec.\n",
            spec = record.spec_id,
            file = self.place.spec_in_git,
            token = record.token,
            lease = leases.lease_ref(&record.spec_id),
            remote = leases.remote(),
        )
    }

    /// Returns what became of a request, by the last look at the remote.
    fn follow_request(
        &self,
        leases: &SpecLeases<'_>,
        record: &RunRecord,
        proposal: &ProposalEntry,
    ) -> Result<RunLandingOutcome, Error> {
        let request = proposal.request.clone();
        let request = request.unwrap_or_else(|| format!("branch {}", self.place.branch));
        let Some(view) = leases.last_look()? else {
            return Ok(waits(request));
        };
        match self.landed_before(leases, record, &view.target)? {
            Some(PreparedLanding::Landed(commit)) => {
                // The look may have come too soon behind a push to say so in the lease.
                leases
                    .settle()
                    .log_failure("note in a lease that it landed");
                return self.finish_on_remote(leases, &commit);
            }
            Some(PreparedLanding::Settled(outcome)) => return Ok(outcome),
            Some(PreparedLanding::Merged { .. }) | None => {}
        }
        if let Some((lease, is_own)) = leases.newest_lease(&record.spec_id)?
            && (!is_own || lease.token > record.token)
        {
            let lease = Some(Box::new(lease));
            let why = LeaseRefusal::Overtaken { lease };
            return Ok(RunLandingOutcome::Overtaken(why.to_string()));
        }
        if leases.has_proposed_branch(&record.spec_id)? {
            return Ok(match self.asked_host(leases, record, proposal)? {
                RequestState::Open => waits(request),
                RequestState::Closed => RunLandingOutcome::Doubtful(format!(
                    "{request} was closed without being merged"
                )),
                RequestState::ChangesRequested => {
                    RunLandingOutcome::Doubtful(format!("{request}: changes are asked for"))
                }
            });
        }
        Ok(RunLandingOutcome::Doubtful(format!(
            "{request} was closed without being merged: {} has no branch {} any more, and {} does not have the work",
            leases.remote(),
            self.place.branch,
            self.place.target
        )))
    }

    /// Asks the host what became of a request, if it may be asked: once between two signs of life. What it does not
    /// say is open.
    fn asked_host(
        &self,
        leases: &SpecLeases<'_>,
        record: &RunRecord,
        proposal: &ProposalEntry,
    ) -> Result<RequestState, Error> {
        let now = (self.runs.clock)();
        let is_early = proposal.asked_at.is_some_and(|asked| {
            let since = now.duration_since(asked);
            !since.is_negative() && since.unsigned_abs() < leases.beat()
        });
        if leases.look_command().is_empty() || is_early {
            return Ok(RequestState::Open);
        }
        self.runs.update(self.process_id, |record| {
            let lease = record.lease.as_mut();
            if let Some(proposal) = lease.and_then(|lease| lease.proposal.as_mut()) {
                proposal.asked_at = Some(now);
            }
            Ok(())
        })?;
        let token = record.token.to_string();
        let values = [
            (
                "{request}",
                proposal
                    .request
                    .as_ref()
                    .unwrap_or(&self.place.branch)
                    .as_str(),
            ),
            ("{branch}", &self.place.branch),
            ("{target}", &self.place.target),
            ("{spec}", &record.spec_id),
            ("{token}", &token),
        ];
        let argv = filled_all(leases.look_command(), &values);
        Ok(
            match self.with_command(record, |command| command.look(&argv))? {
                Ok(state) => state,
                Err(why) => {
                    tracing::warn!(spec = %record.spec_id, %why, "`leases.look` failed");
                    RequestState::Open
                }
            },
        )
    }
}

/// Returns a command with its placeholders filled.
fn filled_all(words: &[String], values: &[(&str, &str)]) -> Vec<String> {
    words.iter().map(|word| filled(word, values)).collect()
}

/// Returns a word of a command with its placeholders filled; what they are filled with is not read again.
fn filled(word: &str, values: &[(&str, &str)]) -> String {
    let mut done = String::new();
    let mut rest = word;
    while let Some(at) = rest.find('{') {
        done.push_str(&rest[..at]);
        rest = &rest[at..];
        let found = values.iter().find(|(name, _)| rest.starts_with(name));
        let (name, value) = found.copied().unwrap_or(("{", "{"));
        done.push_str(value);
        rest = &rest[name.len()..];
    }
    done + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_placeholder_is_filled_once() {
        let values = [("{title}", "a {body}"), ("{body}", "text")];
        assert_eq!(
            filled("--t={title}/{body}{x}", &values),
            "--t=a {body}/text{x}"
        );
        assert_eq!(filled("{title", &values), "{title");
    }
}
