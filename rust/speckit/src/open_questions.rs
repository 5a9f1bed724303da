//! The questions of runs that wait for a person, read again only where records changed: for boards, which ask
//! often.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::questions::{AgentQuestion, FOLDER, QuestionState};
use chant_store::StoreError;
use chant_store::disk::Disk;
use chant_store::index::FileSource;
use chant_store::record_index::RecordIndex;
use chant_store::state::StateFolder;

/// A question of a run.
struct RunQuestion {
    /// The spec of the run that asks.
    run: String,
    expires_at: Timestamp,
}

/// The questions whose records lie in a state folder.
pub struct OpenQuestions {
    open: RecordIndex<RunQuestion>,
}

impl Default for OpenQuestions {
    fn default() -> Self {
        Self {
            open: RecordIndex::new(open_question),
        }
    }
}

impl OpenQuestions {
    /// Takes in what changed in a state folder, if there is one; unreadable records are left out.
    ///
    /// # Errors
    /// As [`RecordIndex::refresh`].
    pub fn refresh(&mut self, disk: &Disk, state: Option<&StateFolder>) -> Result<(), StoreError> {
        let folder = state.and_then(|state| state.read(FOLDER));
        self.open.refresh(disk, folder.as_deref()).map(drop)
    }

    /// The specs whose runs wait for an answer at a moment.
    pub fn asking(&self, now: Timestamp) -> BTreeSet<&str> {
        let open = self.open.records().filter(|one| now < one.expires_at);
        open.map(|one| one.run.as_str()).collect()
    }
}

fn open_question(_: &str, source: FileSource) -> Option<RunQuestion> {
    let FileSource::Text(text) = source else {
        return None;
    };
    let question: AgentQuestion = serde_json::from_str(&text).ok()?;
    let is_open = question.state == QuestionState::Open;
    Some(RunQuestion {
        run: question.run.filter(|_| is_open)?,
        expires_at: question.expires_at,
    })
}
