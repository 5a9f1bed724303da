//! Spec-kit features: found as spec-kit finds them, task lists read as people write them, boxes ticked one
//! character at a time, questions that no one loses.

mod completing;
mod finding;
mod forms;
mod laws;
mod parsing;
mod planning;
mod questions;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_speckit::files::{CallerIdentity, FeatureStore};
use chant_speckit::ops::{self, StatusReport};
use chant_speckit::questions::QuestionListener;
use chant_speckit::resolve::SearchStart;
use jiff::Timestamp;
use serde_json::Value;
use tempfile::TempDir;

/// A project without git, in which `feature.json` names one feature.
pub(super) struct Project {
    folder: TempDir,
}

pub(super) const FEATURE: &str = "specs/060-x";

pub(super) fn who(session: &str) -> CallerIdentity {
    CallerIdentity {
        session: session.into(),
        agent: Some("agent".into()),
    }
}

impl Project {
    /// A project with these files.
    pub(super) fn with(files: &[(&str, &str)]) -> Self {
        let project = Self {
            folder: TempDir::new().unwrap(),
        };
        for (name, text) in files {
            project.write(name, text);
        }
        project
    }

    /// A project whose current feature has these tasks.
    pub(super) fn of_tasks(tasks: &str) -> Self {
        let json = format!(r#"{{"feature_directory": "{FEATURE}"}}"#);
        Self::with(&[
            (".specify/feature.json", &json),
            ("specs/060-x/spec.md", "# Log in\n"),
            ("specs/060-x/plan.md", "# Log in\n"),
            ("specs/060-x/tasks.md", tasks),
        ])
    }

    pub(super) fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    pub(super) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub(super) fn tasks(&self) -> String {
        fs::read_to_string(self.root().join(FEATURE).join("tasks.md")).unwrap()
    }

    /// The project as a user who trusts every folder sees it from one of its folders, with these variables.
    pub(super) fn seen(&self, from: &str, variables: &[(&str, &str)]) -> FeatureStore {
        let config = self.write(".user.md", "---\ntrust: {roots: [/]}\n---\n");
        let folder = self.root().join(from);
        seen_from(&folder, &self.root(), variables, Timestamp::now).trusted_by(Some(config), None)
    }

    pub(super) fn features(&self) -> FeatureStore {
        self.seen("", &[])
    }

    pub(super) fn complete(&self, id: &str) -> Result<Answer, Error> {
        ops::complete(&self.features(), &who("s"), None, id, false)
    }

    pub(super) fn events(&self) -> Vec<Value> {
        let answer = ops::events(&self.features(), usize::MAX).unwrap();
        serde_json::from_str(&answer.text).unwrap()
    }
}

pub(super) fn seen_from(
    folder: &Path,
    root: &Path,
    variables: &[(&str, &str)],
    clock: fn() -> Timestamp,
) -> FeatureStore {
    let variable = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let environment: BTreeMap<String, String> = variables.iter().map(variable).collect();
    let start = SearchStart {
        folder: folder.to_owned(),
        root: root.to_owned(),
        environment,
    };
    FeatureStore::new(start, crate::own_disk(), clock)
}

pub(super) fn context(features: &FeatureStore) -> Value {
    data(&ops::context(features, None).unwrap())
}

pub(super) fn data(answer: &Answer) -> Value {
    serde_json::from_str(answer.json.as_deref().unwrap()).unwrap()
}

/// Asks without waiting.
pub(super) fn asked(
    features: &FeatureStore,
    session: &str,
    report: &StatusReport<'_>,
) -> Result<Answer, Error> {
    let mut listener = QuestionListener {
        tell: &mut |_| {},
        has_left: &|| false,
    };
    ops::report_status(features, &who(session), report, &mut listener)
}

pub(super) fn hint(error: &Error) -> String {
    let hint = error.details().get("hint").cloned().unwrap_or_default();
    hint.as_str().unwrap_or_default().to_owned()
}
