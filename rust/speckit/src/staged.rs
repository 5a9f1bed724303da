//! Tasks of features that are ticked together with other changes: each is tried on what the ones before it
//! made.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::complete::{
    CompletedTask, CompletionTarget, TaskCompletionCheck, find_only_task, in_place,
};
use super::files::{CallerIdentity, FeatureDocument, FeatureStore, TASKS};
use super::resolve::ResolvedProject;
use super::task::TaskMark;
use chant_base::error::{Error, NotTransactional};
use chant_base::external_items::StatusLookup;
use chant_store::staged::StagedTexts;

/// A task that is to be ticked, as by [`FeatureStore::complete`].
#[derive(Debug, Clone)]
pub struct CompletionRequest {
    /// The name of its feature's directory.
    pub feature: String,
    /// Its ID.
    pub id: String,
    /// True if validation is skipped, checks included.
    pub skips: bool,
    /// The caller who says so.
    pub who: CallerIdentity,
}

/// Task lists of a project as they would be.
pub struct StagedTaskLists {
    root: PathBuf,
    /// By their paths from the root.
    lists: BTreeMap<String, Arc<FeatureDocument>>,
    texts: StagedTexts,
    /// The completions that are logged when they are written.
    done: Vec<StagedCompletion>,
}

struct StagedCompletion {
    found: ResolvedProject,
    who: CallerIdentity,
    completed: CompletedTask,
    skips: bool,
}

impl StagedTaskLists {
    /// Begins; a list is read when a task of it is first ticked.
    pub fn begin(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            lists: BTreeMap::new(),
            texts: StagedTexts::default(),
            done: Vec::new(),
        }
    }

    /// Tries to tick one more task; gives its feature and its ID with a `#` between them.
    ///
    /// # Errors
    /// What [`FeatureStore::complete`] would be refused for; everything is as before then. `Apart` for a task
    /// that has to pass checks, and for a feature that lies elsewhere.
    pub fn apply(
        &mut self,
        features: &FeatureStore,
        completion: &CompletionRequest,
        tell: StatusLookup<'_>,
    ) -> Result<String, Error> {
        let found = features.find(Some(&completion.feature))?;
        let feature = super::ops::current(&found)?;
        if found.root.path() != self.root || in_place(&found, feature)?.path() != self.root {
            return Err(NotTransactional {
                what: "A task of a feature that lies elsewhere",
                why: format!("{} is not in {}", feature.directory, self.root.display()),
            }
            .into());
        }
        let path = feature.within(TASKS);
        let before = match self.lists.get(&path) {
            Some(staged) => Arc::clone(staged),
            None => features.tasks(&found, feature)?,
        };
        let config = features.config(&found)?;
        let CompletionRequest { id, skips, .. } = completion;
        let is_open = before.list.tasks[find_only_task(&before.list, id)?].mark != TaskMark::Done;
        if is_open && !skips {
            config.refuse_misspelled()?;
        }
        if is_open
            && !skips
            && let Some(check) = config.checks.keys().next()
        {
            return Err(NotTransactional {
                what: "A task that has to pass checks",
                why: format!("check '{check}' would run before anything is written"),
            }
            .into());
        }
        let judge = TaskCompletionCheck {
            config: &config,
            root: &found.root,
            tell,
            asked: CompletionTarget { id, skips: *skips },
        };
        let (text, completed) = judge.tick(&before.text, before.list.clone())?;
        let list = completed.list.clone();
        let label = format!("{}#{}", feature.label, list.tasks[completed.at].id);
        let now = Arc::new(FeatureDocument {
            text,
            list,
            clash: None,
        });
        self.texts.replace(&path, &before.text, &now.text);
        self.lists.insert(path, now);
        self.done.push(StagedCompletion {
            found,
            who: completion.who.clone(),
            completed,
            skips: *skips,
        });
        Ok(label)
    }

    /// The list of a path as it would be; `None` for one that is not changed.
    pub fn list(&self, path: &str) -> Option<&Arc<FeatureDocument>> {
        self.lists.get(path)
    }

    /// The documents that are changed.
    pub fn texts(&self) -> &StagedTexts {
        &self.texts
    }

    /// Logs what was ticked, now that it is written; gives what was not right and refused nothing.
    pub fn finish(self, features: &FeatureStore) -> Vec<String> {
        let mut warnings = Vec::new();
        for StagedCompletion {
            found,
            who,
            mut completed,
            skips,
        } in self.done
        {
            if !completed.was_complete {
                features.log_completed(&found, &who, &mut completed, skips);
            }
            warnings.extend(found.warnings);
            warnings.extend(completed.warnings);
        }
        warnings
    }
}
