//! Which of the batches that people sent reached an agent.

use chant_agent_events::AgentUsage;
use chant_base::error::Error;
use chant_review::thread::SentBatch;
use chant_store::StoreError;
use chant_work::WorkError;
use chant_work::run_record::RunRecord;
use chant_work::run_store::RunStore;
use chant_work::state::RunState;

/// Returns true if a batch reached an agent.
///
/// # Errors
/// A failure to read the records.
pub(crate) fn is_delivered(runs: &RunStore, batch: &SentBatch) -> Result<bool, Error> {
    for (run, _, _) in &batch.deliveries {
        let has_started = match runs.get(run) {
            Ok(record) => has_agent(&record),
            // Records are kept for days; what is older than that was over long ago.
            Err(WorkError::Store(StoreError::Missing { .. })) => true,
            Err(error) => return Err(error.into()),
        };
        if has_started {
            return Ok(true);
        }
    }
    Ok(false)
}

fn has_agent(record: &RunRecord) -> bool {
    let agent = record.agent.as_ref();
    agent.is_some_and(|agent| agent.pid.is_some()) && !may_have_refused(record)
}

/// Returns true for a run whose runner died before its agent was seen to take up the session that it was to go on
/// with: it may have refused that, and would have been started anew.
fn may_have_refused(record: &RunRecord) -> bool {
    let delivery = record.delivery.as_ref();
    let is_resumed = delivery.is_some_and(|way| way.is_resumed() && !way.is_taken_up);
    let is_alive = record.state() == RunState::Running && record.runner().is_alive();
    let has_answered = record
        .usage
        .as_ref()
        .is_some_and(|usage| AgentUsage::from(usage).has_answer());
    is_resumed && !is_alive && !has_answered
}
