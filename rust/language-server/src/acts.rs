//! Acts that an editor asks for by a command: a run starts or pauses, its log or what it serves is shown.
//!
//! Nobody knows whether a person or an agent steers an editor. So an act has the rights of the tool for the same, and
//! nothing that only a person may do is offered. Acts go by the disk.

use std::collections::BTreeMap;
use std::path::PathBuf;

use chant_workspace::ItemRun;
use chant_workspace::item::Item;
use chant_workspace::workspace_graph::ItemSource;
use lsp_types::Command;
use serde::Deserialize;
use serde_json::json;
use strum::{IntoStaticStr, VariantArray};

use super::markdown_text::shown_title;
use super::rename::refuse_unsaved;
use super::requests::{AskedDocument, RequestRefusal};
use super::server::EditorState;

/// The part of the names of commands that says whose they are.
const PREFIX: &str = "chant-mcp.";

/// Performs an act, on a thread of its own.
pub type ActPerformer = dyn Fn(&ActRequest) -> Result<ActOutcome, ActRefusal> + Send + Sync;

/// An act on an item.
#[derive(Debug, Clone)]
pub struct ActRequest {
    /// `start`, `split`, `pause`, `log` or `preview`.
    pub act: &'static str,
    /// The project.
    pub root: PathBuf,
    /// The ID of a spec, or the key of another item.
    pub name: String,
    /// The question before it, of an act that starts or ends something.
    pub(crate) question: Option<String>,
}

/// The outcome of an act.
#[derive(Debug, Clone)]
pub struct ActOutcome {
    /// A sentence about it.
    pub message: String,
    /// The address of what is to be shown.
    pub shown: Option<String>,
}

/// Why an act was not performed, as a sentence.
#[derive(Debug, Clone)]
pub struct ActRefusal(pub String);

#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum EditorAct {
    Start,
    Split,
    Pause,
    Log,
    Preview,
}

impl EditorAct {
    fn word(self) -> &'static str {
        self.into()
    }

    fn title(self) -> &'static str {
        match self {
            Self::Start => "Start an agent",
            Self::Split => "Have an agent propose how to split it",
            Self::Pause => "Pause its run",
            Self::Log => "Show the log of its run",
            Self::Preview => "Show what its run serves",
        }
    }

    /// Returns true if it goes by what the document says on disk.
    fn reads_document(self) -> bool {
        matches!(self, Self::Start | Self::Split)
    }
}

/// The names of all commands.
pub(crate) fn commands() -> Vec<String> {
    let acts = EditorAct::VARIANTS.iter();
    acts.map(|act| format!("{PREFIX}{}", act.word())).collect()
}

/// The acts that are offered in a document.
pub(crate) struct ActOffers<'a> {
    asked: &'a AskedDocument<'a>,
    runs: BTreeMap<String, ItemRun>,
    is_trusted: bool,
}

impl<'a> ActOffers<'a> {
    pub(crate) fn of(asked: &'a AskedDocument<'a>) -> Self {
        let workspace = &asked.project().workspace;
        let is_trusted = asked.state.performer.is_some() && workspace.is_trusted();
        Self {
            asked,
            runs: if is_trusted {
                workspace.newest_runs()
            } else {
                BTreeMap::new()
            },
            is_trusted,
        }
    }

    /// The acts that make sense for an item now.
    pub(crate) fn of_item(&self, item: &Item<'_>) -> Vec<EditorAct> {
        let run = self.runs.get(item.key());
        let is_live = run.is_some_and(|run| run.is_live);
        let is_spec = matches!(item.source, ItemSource::Spec(_));
        let makes_sense = |act: &EditorAct| match act {
            EditorAct::Start => item.is_ready(),
            EditorAct::Split => item.is_ready() && is_spec,
            EditorAct::Pause | EditorAct::Preview => is_live,
            EditorAct::Log => run.is_some(),
        };
        let acts = EditorAct::VARIANTS.iter().copied();
        acts.filter(|act| self.is_trusted && makes_sense(act))
            .collect()
    }

    /// The words about an item that is ready, in place of acts.
    pub(crate) fn instead(&self, item: &Item<'_>) -> Option<String> {
        if self.is_trusted {
            return None;
        }
        Some(match self.asked.state.performer {
            Some(_) => "not trusted: `chant-mcp trust` shows what it asks for".to_owned(),
            None => format!("chant-mcp work {}", name_of(item)),
        })
    }

    /// The command for an act: it names the item and the version of the text that was shown.
    pub(crate) fn command(&self, act: EditorAct, item: &Item<'_>) -> Command {
        let arguments = vec![json!(item.key()), json!(self.asked.draft.version)];
        let name = format!("{PREFIX}{}", act.word());
        Command {
            title: act.title().to_owned(),
            command: name,
            arguments: Some(arguments),
        }
    }
}

fn name_of(item: &Item<'_>) -> String {
    match item.source {
        ItemSource::Spec(_) => item.id().into_owned(),
        _ => item.key().to_owned(),
    }
}

/// A command as an editor sends it.
#[derive(Deserialize)]
pub(crate) struct AskedCommand {
    command: String,
    arguments: (String, i32),
}

/// Finds out what a command asks for.
///
/// # Errors
/// A refusal for a command that is not offered, or not any more, and while its document is not saved.
pub(crate) fn act_of(
    state: &EditorState,
    asked: &AskedCommand,
) -> Result<ActRequest, RequestRefusal> {
    let (key, version) = &asked.arguments;
    let mut documents = state.drafts.all().filter(|draft| draft.version == *version);
    let found = documents.find_map(|draft| {
        let document = AskedDocument::of(state, &draft.uri)?;
        let joined = document.snapshot()?;
        let item = joined.item(joined.graph().find(key)?)?;
        if item.path() != document.path() {
            return None;
        }
        let offered = ActOffers::of(&document).of_item(&item);
        let is_asked = |act: &EditorAct| asked.command.strip_prefix(PREFIX) == Some(act.word());
        let act = offered.into_iter().find(is_asked)?;
        let title = shown_title(item.title());
        let request = ActRequest {
            act: act.word(),
            root: document.project().workspace.root().to_owned(),
            name: name_of(&item),
            question: match act {
                EditorAct::Log | EditorAct::Preview => None,
                _ => Some(format!("{}? {}: {title}", act.title(), item.key())),
            },
        };
        Some((request, act, document))
    });
    let (request, act, document) = found.ok_or_else(|| {
        RequestRefusal::refused("this is not offered; the document or its run is another one now")
    })?;
    if act.reads_document() {
        refuse_unsaved(document.project(), document.path(), &document.draft.text)?;
    }
    Ok(request)
}
