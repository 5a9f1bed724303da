//! Answers that say only what is new since a cursor.

use serde::Serialize;
use serde_json::{Map, Value};

use super::Workspace;
use super::change_feed::{ChangeCursor, ItemChange};
use super::key;
use super::workspace_graph::WorkspaceGraph;
use chant_base::answer::Answer;
use chant_base::error::Error;

/// Changes that an answer shows at most.
const MAX_SHOWN: usize = 200;

/// The items that an answer is about.
#[derive(Debug, Clone, Copy)]
pub enum ChangeScope<'a> {
    /// All specs.
    Specs,
    /// The tasks of a task graph, by the name of its file.
    Graph(&'a str),
    /// The tasks of the feature that is worked on.
    Feature,
    /// The tickets of a project.
    Tickets(Option<&'a str>),
    /// All items, or those of one format.
    Items(Option<&'a str>),
}

/// The changes since a cursor as an answer, or that the whole has to be looked at.
pub struct SinceAnswer {
    /// What is new; `None` where the cursor is unknown or too old, or the items are none of the workspace.
    pub answer: Option<Answer>,
    /// The cursor to ask with next.
    pub cursor: String,
}

/// What is new among some items since a cursor.
///
/// # Errors
/// As [`Workspace::snapshot`].
pub fn changed_since(
    workspace: &Workspace,
    since: &str,
    scope: ChangeScope<'_>,
) -> Result<SinceAnswer, Error> {
    // One that cannot be read is like one of another process.
    let asked: ChangeCursor = since.parse().unwrap_or_default();
    let report = workspace.changes_since(Some(asked))?;
    let cursor = report.cursor.to_string();
    let known = report
        .changes
        .zip(prefix(workspace, &report.joined, scope)?);
    let answer = known.map(|(changes, prefix)| {
        let of_scope = changes
            .iter()
            .filter(|change| change.key.starts_with(&prefix));
        let mut changed: Vec<ChangeRow<'_>> = of_scope.map(ChangeRow::from).collect();
        let more = changed.len() > MAX_SHOWN;
        changed.truncate(MAX_SHOWN);
        Answer::data(&ChangesView {
            cursor: &cursor,
            changed,
            more,
        })
    });
    Ok(SinceAnswer { answer, cursor })
}

/// An answer with the cursor to ask with next, and that the one given was of no use.
pub fn with_cursor(answer: Answer, cursor: &str) -> Answer {
    let data = answer.json.as_deref().map(serde_json::from_str);
    let Some(Ok(Value::Object(data))) = data else {
        return answer.noted(&format!("reset: true, cursor: {cursor}"));
    };
    let mut object = Map::new();
    object.insert("cursor".into(), cursor.into());
    object.insert("reset".into(), true.into());
    object.extend(data);
    Answer {
        note: answer.note,
        ..Answer::data(&object)
    }
}

/// How the keys of the items begin; `None` where the workspace does not hold them.
fn prefix(
    workspace: &Workspace,
    joined: &WorkspaceGraph,
    scope: ChangeScope<'_>,
) -> Result<Option<String>, Error> {
    let parts = &workspace.parts;
    Ok(match scope {
        ChangeScope::Specs => Some(key::of_spec("")),
        ChangeScope::Items(None) => Some(String::new()),
        ChangeScope::Items(Some(word)) => Some(format!("{word}:")),
        ChangeScope::Graph(file) => {
            let place = parts.vine.existing(file)?.absolute();
            let inside = place.strip_prefix(workspace.root()).ok();
            let path = inside.and_then(|path| path.to_str());
            let known = path.filter(|path| joined.plan(&key::composed(path)).is_some());
            known.map(|path| key::of_task(path, ""))
        }
        ChangeScope::Feature => {
            let found = parts.speckit.find(None)?;
            let label = found.feature.map(|feature| feature.label);
            let is_there = |label: &String| {
                let mut features = joined.features();
                features.any(|feature| *feature.label == *key::composed(label))
            };
            label
                .filter(is_there)
                .map(|label| key::of_feature(&label, ""))
        }
        ChangeScope::Tickets(project) => {
            let store = parts.tickets.open_store(project, None)?;
            let own = workspace.code_of_tickets();
            own.filter(|own| *own == store.place().code)
                .map(|_| "tickets:".to_owned())
        }
    })
}

/// What is new.
#[derive(Serialize)]
struct ChangesView<'a> {
    cursor: &'a str,
    changed: Vec<ChangeRow<'a>>,
    /// There is more than is shown.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    more: bool,
}

/// A change of an item.
#[derive(Serialize)]
struct ChangeRow<'a> {
    key: &'a str,
    what: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<&'a str>,
}

impl<'a> From<&'a ItemChange> for ChangeRow<'a> {
    fn from(change: &'a ItemChange) -> Self {
        Self {
            key: &change.key,
            what: change.kind.word(),
            state: change.state.as_deref(),
        }
    }
}
