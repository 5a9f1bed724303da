//! Taking the tick of a task back: one character, under the lock of its file.

use super::complete::{find_only_task, in_place, refuse_clash};
use super::events::FeatureEvent;
use super::files::{CallerIdentity, FeatureStore, TASKS};
use super::parse;
use super::resolve::{FeatureDirectory, ResolvedProject};
use super::task::{TaskList, TaskMark};
use chant_base::error::Error;
use chant_store::files;
use chant_text::edit::{self, Edit, EditError};

/// A task that is open.
pub struct ReopenedTask {
    /// The list as it is now.
    pub list: TaskList,
    /// The task's place in it.
    pub at: usize,
    /// True if it was open before.
    pub was_open: bool,
    /// Problems that did not refuse it.
    pub warnings: Vec<String>,
}

impl FeatureStore {
    /// Takes the tick of a task back.
    ///
    /// # Errors
    /// `NoTaskList`, `NoTask`, `Duplicate`, an `EditError` for a task without a box, or a `StoreError`; the file is then
    /// as it was.
    pub fn reopen(
        &self,
        found: &ResolvedProject,
        feature: &FeatureDirectory,
        who: &CallerIdentity,
        id: &str,
    ) -> Result<ReopenedTask, Error> {
        self.tasks(found, feature)?;
        let root = in_place(found, feature)?;
        let mut at = 0;
        let disk = self.disk.clone().staging_in(&found.state);
        let edited = files::edit(&disk, root, &feature.within(TASKS), |text| {
            refuse_clash(feature, text)?;
            let list = parse::tasks(text);
            at = find_only_task(&list, id)?;
            opened(text, list, at)
        })?;
        let mut reopened = ReopenedTask {
            list: parse::tasks(&edited.text),
            at,
            was_open: !edited.changed,
            warnings: Vec::new(),
        };
        if edited.changed {
            self.log_reopened(found, who, &mut reopened);
        }
        Ok(reopened)
    }

    fn log_reopened(
        &self,
        found: &ResolvedProject,
        who: &CallerIdentity,
        reopened: &mut ReopenedTask,
    ) {
        let what = FeatureEvent::Task {
            task: &reopened.list.tasks[reopened.at].id,
            completed: false,
            progress: &reopened.list.progress().to_string(),
            skipped_validation: false,
            checks: &[],
            warnings: &[],
        };
        if let Err(error) = self.log(found, who, what) {
            let warning = format!("the event was not recorded: {error}");
            reopened.warnings.push(warning);
        }
    }
}

/// The text with one box opened: it is read again to prove that nothing else changed.
fn opened(text: &str, list: TaskList, at: usize) -> Result<String, Error> {
    let mut expected = list;
    let task = &mut expected.tasks[at];
    if !task.mark.is_settled() {
        return Ok(text.to_owned());
    }
    let id = task.id.to_string();
    let Some(box_at) = task.box_at else {
        let why = "it has no box of its own; open those below it in tasks.md".into();
        return Err(EditError::Unfaithful { key: id, why }.into());
    };
    task.mark = TaskMark::Open;
    let changed = edit::apply(text, &[Edit::replace(box_at..box_at + 1, " ")])?;
    if parse::tasks(&changed) == expected {
        return Ok(changed);
    }
    let why = "the list would read otherwise".into();
    Err(EditError::Unfaithful { key: id, why }.into())
}
