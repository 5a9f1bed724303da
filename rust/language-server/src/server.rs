//! The server's loop: what happens is answered in order; findings follow when nothing happens for a moment.

use std::collections::HashMap;
use std::io::{BufReader, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::Sender;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::{
    Diagnostic, DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    DidSaveTextDocumentParams, InitializeParams, MessageType, PublishDiagnosticsParams, Uri,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::acts::{self, ActOutcome, ActPerformer, ActRefusal, ActRequest, AskedCommand};
use super::capabilities::{ClientAbilities, server_info};
use super::disk_side::{DiskSide, SpecMerger};
use super::drafts::{OpenDocument, OpenDocuments};
use super::files;
use super::findings::{MAX_OPEN, diagnostics_of};
use super::frames::{FrameError, write_message, write_refusal};
use super::incoming::{IncomingQueue, ServerEvent, read_all};
use super::markdown_text::shown_message;
use super::positions::LineIndex;
use super::projects::{OpenProjects, ProjectOpener};
use super::requests::{RequestRefusal, answer};

/// So long findings wait after a change of their document.
const AFTER_A_KEY: Duration = Duration::from_millis(30);

/// So long findings of other documents wait after that.
const AFTER_A_PAUSE: Duration = Duration::from_millis(300);

/// The answer to a question before an act that has it performed.
const YES: &str = "Yes";

/// The surroundings of a server.
pub struct ServerOptions {
    /// Opens projects.
    pub opener: Arc<ProjectOpener>,
    /// Gives the time in UTC, as `2026-01-31T14:05:09Z`.
    pub clock: fn() -> String,
    /// Merges versions of a spec.
    pub merge_specs: SpecMerger,
    /// Performs acts; none where documents are only read.
    pub performer: Option<Arc<ActPerformer>>,
}

/// Serves an editor until it says so or its stream ends; true if it ended in the order that the protocol asks for.
///
/// The thread that reads is left to itself where the stream does not end.
///
/// # Errors
/// `FrameError` where the stream failed.
pub fn serve(
    reader: impl Read + Send + 'static,
    writer: &mut impl Write,
    options: ServerOptions,
) -> Result<bool, FrameError> {
    let (sender, receiver) = mpsc::channel();
    let of_reader = sender.clone();
    std::thread::Builder::new()
        .spawn(move || read_all(BufReader::new(reader), &of_reader))
        .map_err(FrameError::Stream)?;
    let mut server = LanguageServer {
        writer,
        state: EditorState {
            projects: OpenProjects::new(options.opener, sender.clone()),
            drafts: OpenDocuments::default(),
            client: ClientAbilities::default(),
            clock: options.clock,
            merge_specs: options.merge_specs,
            performer: options.performer,
        },
        heard: sender,
        questions: HashMap::new(),
        stage: ServerStage::Fresh,
        published: HashMap::new(),
        asked: 0,
        due: HashMap::new(),
    };
    server.run(&mut IncomingQueue::new(receiver))
}

/// Everything that answers are made of.
pub(crate) struct EditorState {
    pub(crate) projects: OpenProjects,
    pub(crate) drafts: OpenDocuments,
    pub(crate) client: ClientAbilities,
    pub(crate) clock: fn() -> String,
    merge_specs: SpecMerger,
    pub(crate) performer: Option<Arc<ActPerformer>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ServerStage {
    Fresh,
    Running,
    ShutDown,
}

struct LanguageServer<'a, W> {
    writer: &'a mut W,
    state: EditorState,
    /// The sender to which acts on threads of their own report.
    heard: Sender<ServerEvent>,
    /// Acts that a question of the editor waits for.
    questions: HashMap<RequestId, ActRequest>,
    stage: ServerStage,
    /// The findings that the editor shows, by document.
    published: HashMap<String, Vec<Diagnostic>>,
    /// Requests that were sent to the editor.
    asked: u64,
    /// Documents whose findings are to be found, and when.
    due: HashMap<String, Instant>,
}

impl<W: Write> LanguageServer<'_, W> {
    fn run(&mut self, queue: &mut IncomingQueue) -> Result<bool, FrameError> {
        loop {
            match queue.next(self.due.values().min().copied()) {
                None => self.publish_due()?,
                Some(ServerEvent::Disk) => {
                    self.look_at_files();
                    self.expect_findings(None);
                    self.ask_to_ask_again()?;
                }
                Some(ServerEvent::End(None)) => return Ok(self.stage == ServerStage::ShutDown),
                Some(ServerEvent::End(Some(error))) => return Err(error),
                Some(ServerEvent::Unusable(why)) => {
                    write_refusal(self.writer, ErrorCode::InvalidRequest, &why)?;
                }
                Some(ServerEvent::Message(Message::Request(request))) => {
                    let refusal = if queue.is_cancelled(&request.id) {
                        Some((ErrorCode::RequestCanceled, "cancelled"))
                    } else if queue.is_overtaken(&request) {
                        Some((
                            ErrorCode::ContentModified,
                            "the document is another one now",
                        ))
                    } else {
                        None
                    };
                    let response = match refusal {
                        Some((code, why)) => {
                            Response::new_err(request.id, code as i32, why.to_owned())
                        }
                        None => self.respond(request),
                    };
                    self.send(response.into())?;
                }
                Some(ServerEvent::Message(Message::Notification(one))) => {
                    if one.method == "exit" {
                        return Ok(self.stage == ServerStage::ShutDown);
                    }
                    self.note(one)?;
                }
                Some(ServerEvent::Message(Message::Response(one))) => {
                    // Others answer what nothing depends on.
                    let asked = self.questions.remove(&one.id);
                    let chosen = one.response_result.unwrap_or_default();
                    if let Some(request) = asked.filter(|_| chosen["title"] == YES) {
                        self.perform(request);
                    }
                }
                Some(ServerEvent::Acted(outcome)) => self.report(outcome)?,
            }
        }
    }

    fn send(&mut self, message: Message) -> Result<(), FrameError> {
        write_message(self.writer, &message)
    }

    fn respond(&mut self, request: Request) -> Response {
        let Request { id, method, params } = request;
        let refused =
            |code: ErrorCode, why: &str| Response::new_err(id.clone(), code as i32, why.to_owned());
        match (self.stage, &*method) {
            (ServerStage::Fresh, "initialize") => match read_params::<InitializeParams>(params) {
                Ok(given) => {
                    self.stage = ServerStage::Running;
                    self.state.client = ClientAbilities::of(&given.capabilities);
                    let commands = self.state.performer.as_ref().map(|_| acts::commands());
                    Response::new_ok(id, server_info(self.state.client, commands))
                }
                Err(error) => refused(ErrorCode::InvalidParams, &error.to_string()),
            },
            (ServerStage::Fresh, _) => refused(ErrorCode::ServerNotInitialized, "not initialized"),
            (ServerStage::ShutDown, _) => refused(ErrorCode::InvalidRequest, "shut down"),
            (ServerStage::Running, "shutdown") => {
                self.stage = ServerStage::ShutDown;
                Response::new_ok(id, Value::Null)
            }
            (ServerStage::Running, "workspace/executeCommand") => match self.begin(params) {
                Ok(()) => Response::new_ok(id, Value::Null),
                Err(refusal) => refused(refusal.code, &refusal.why),
            },
            (ServerStage::Running, _) => {
                let state = &mut self.state;
                // A fault of ours ends one answer and not the editor's server.
                let answered = catch_unwind(AssertUnwindSafe(|| answer(state, &method, params)));
                match answered {
                    Ok(Ok(value)) => Response::new_ok(id, value),
                    Ok(Err(refusal)) => refused(refusal.code, &refusal.why),
                    Err(_) => refused(ErrorCode::InternalError, "this is a fault of the server"),
                }
            }
        }
    }

    /// Begins the act of a command, or asks before.
    fn begin(&mut self, params: Value) -> Result<(), RequestRefusal> {
        let asked: AskedCommand =
            read_params(params).map_err(|error| RequestRefusal::refused(error.to_string()))?;
        let request = acts::act_of(&self.state, &asked)?;
        let Some(question) = &request.question else {
            self.perform(request);
            return Ok(());
        };
        let actions = [YES, "No"].map(|title| json!({"title": title}));
        let params = json!({"type": MessageType::INFO, "message": question, "actions": actions});
        let failed = |error: FrameError| RequestRefusal::refused(error.to_string());
        let id = self
            .ask_editor("window/showMessageRequest", params)
            .map_err(failed)?;
        self.questions.insert(id, request);
        Ok(())
    }

    /// Performs an act on a thread of its own; the editor is answered meanwhile.
    fn perform(&self, request: ActRequest) {
        let Some(performer) = self.state.performer.clone() else {
            return;
        };
        let heard = self.heard.clone();
        // Behind the end of the server nobody hears of it.
        std::thread::spawn(move || heard.send(ServerEvent::Acted(performer(&request))).is_ok());
    }

    /// Shows what came of an act.
    fn report(&mut self, outcome: Result<ActOutcome, ActRefusal>) -> Result<(), FrameError> {
        let (kind, message) = match outcome {
            Ok(ActOutcome {
                shown: Some(uri), ..
            }) if self.state.client.shows_documents => {
                let external = !uri.starts_with("file:");
                let params = json!({"uri": uri, "external": external, "takeFocus": true});
                return self.ask_editor("window/showDocument", params).map(drop);
            }
            Ok(outcome) => (MessageType::INFO, outcome.message),
            Err(ActRefusal(why)) => (MessageType::ERROR, why),
        };
        let params = json!({"type": kind, "message": shown_message(&message)});
        self.send(Notification::new("window/showMessage".to_owned(), params).into())
    }

    fn ask_editor(&mut self, method: &str, params: Value) -> Result<RequestId, FrameError> {
        self.asked += 1;
        let id = RequestId::from(format!("chant-{}", self.asked));
        self.send(Request::new(id.clone(), method.to_owned(), params).into())?;
        Ok(id)
    }

    fn note(&mut self, notification: Notification) -> Result<(), FrameError> {
        if self.stage != ServerStage::Running {
            return Ok(());
        }
        let Notification { method, params } = notification;
        match &*method {
            "textDocument/didOpen" => {
                if let Ok(opened) = read_params::<DidOpenTextDocumentParams>(params) {
                    let document = opened.text_document;
                    self.open(document.uri, document.version, document.text);
                }
            }
            "textDocument/didChange" => {
                if let Ok(changed) = read_params::<DidChangeTextDocumentParams>(params) {
                    let document = changed.text_document;
                    let encoding = self.state.client.encoding;
                    let changes = changed.content_changes;
                    let drafts = &mut self.state.drafts;
                    drafts.change(&document.uri, document.version, changes, encoding);
                    self.hold(&document.uri);
                }
            }
            "textDocument/didSave" => {
                if let Ok(saved) = read_params::<DidSaveTextDocumentParams>(params) {
                    self.place_again(|_| true);
                    self.look_at_files();
                    self.expect_findings(Some(&saved.text_document.uri));
                }
            }
            "textDocument/didClose" => {
                if let Ok(closed) = read_params::<DidCloseTextDocumentParams>(params) {
                    return self.close(&closed.text_document.uri);
                }
            }
            "workspace/didChangeWatchedFiles" | "workspace/didChangeWorkspaceFolders" => {
                self.place_again(|_| true);
                self.expect_findings(None);
            }
            _ => {}
        }
        Ok(())
    }

    fn open(&mut self, uri: Uri, version: i32, text: String) {
        let Some(file) = files::path_of(&uri).and_then(|file| files::settled(&file)) else {
            return;
        };
        let draft = OpenDocument {
            place: None,
            file,
            uri: uri.clone(),
            version,
            text: "".into(),
            lines: LineIndex::of(""),
            is_too_large: false,
            disk: DiskSide::default(),
        };
        self.state.drafts.open(draft, text);
        self.place_again(|draft| draft.uri == uri);
        self.hold(&uri);
    }

    /// Looks for the projects of those documents that had none: what makes one may be there now.
    fn place_again(&mut self, is_wanted: impl Fn(&OpenDocument) -> bool) {
        let EditorState {
            projects,
            drafts,
            merge_specs,
            ..
        } = &mut self.state;
        let without = |draft: &&mut OpenDocument| draft.place.is_none() && is_wanted(draft);
        for draft in drafts.all_mut().filter(without) {
            draft.place = projects.place(&draft.file);
            if let Some(place) = &draft.place {
                let project = projects.get(place.project);
                project.unsaved.set(&draft.file, draft.held());
                draft.disk = DiskSide::of(project, place, &draft.text, *merge_specs);
            }
        }
    }

    /// Looks what somebody else wrote into the files of open documents.
    fn look_at_files(&mut self) {
        let EditorState {
            projects, drafts, ..
        } = &mut self.state;
        for draft in drafts.all_mut().filter(|draft| !draft.is_too_large) {
            if let Some(place) = &draft.place {
                let project = projects.get(place.project);
                draft.disk.look(project, place, &draft.text);
            }
        }
    }

    /// Has the text of a document read in place of its file.
    fn hold(&mut self, uri: &Uri) {
        let state = &self.state;
        let Some(draft) = state.drafts.find(uri) else {
            return;
        };
        if let Some(place) = &draft.place {
            let project = state.projects.get(place.project);
            project.unsaved.set(&draft.file, draft.held());
            self.expect_findings(Some(uri));
        }
    }

    fn close(&mut self, uri: &Uri) -> Result<(), FrameError> {
        let Some(draft) = self.state.drafts.close(uri) else {
            return Ok(());
        };
        self.due.remove(uri.as_str());
        if let Some(place) = &draft.place {
            let project = self.state.projects.get(place.project);
            project.unsaved.set(&draft.file, None);
            self.expect_findings(None);
        }
        self.publish(&draft.uri, None, Vec::new())
    }

    /// Notes that findings may be others: those of one document soon, those of others after a pause.
    fn expect_findings(&mut self, first: Option<&Uri>) {
        if self.state.client.asks_for_findings {
            return;
        }
        let now = Instant::now();
        let placed = self
            .state
            .drafts
            .all()
            .filter(|draft| draft.place.is_some());
        for draft in placed.take(MAX_OPEN) {
            let is_first = first.is_none_or(|first| *first == draft.uri);
            let wait = if is_first { AFTER_A_KEY } else { AFTER_A_PAUSE };
            self.due.insert(draft.uri.as_str().to_owned(), now + wait);
        }
    }

    /// Gives the findings of all documents whose time has come.
    fn publish_due(&mut self) -> Result<(), FrameError> {
        let now = Instant::now();
        let mut due: Vec<String> = Vec::new();
        self.due.retain(|uri, at| {
            let is_due = *at <= now;
            if is_due {
                due.push(uri.clone());
            }
            !is_due
        });
        due.sort_unstable();
        self.look_at_files();
        for uri in due {
            let Some(draft) = uri
                .parse()
                .ok()
                .and_then(|uri| self.state.drafts.find(&uri))
            else {
                continue;
            };
            let (uri, version) = (draft.uri.clone(), draft.version);
            let state = &self.state;
            let found = catch_unwind(AssertUnwindSafe(|| diagnostics_of(state, draft)));
            self.publish(&uri, Some(version), found.unwrap_or_default())?;
        }
        Ok(())
    }

    /// Has an editor that asks for findings ask again, if it takes that; it asks by itself behind its own changes.
    fn ask_to_ask_again(&mut self) -> Result<(), FrameError> {
        if !self.state.client.may_be_refreshed {
            return Ok(());
        }
        self.ask_editor("workspace/diagnostic/refresh", Value::Null)
            .map(drop)
    }

    /// Gives the findings of a document, if they are others than those that the editor shows.
    fn publish(
        &mut self,
        uri: &Uri,
        version: Option<i32>,
        diagnostics: Vec<Diagnostic>,
    ) -> Result<(), FrameError> {
        let shown = self.published.get(uri.as_str());
        let is_same = shown.map_or(diagnostics.is_empty(), |shown| *shown == diagnostics);
        if is_same {
            return Ok(());
        }
        if diagnostics.is_empty() {
            self.published.remove(uri.as_str());
        } else {
            self.published
                .insert(uri.as_str().to_owned(), diagnostics.clone());
        }
        let params = PublishDiagnosticsParams {
            uri: uri.clone(),
            diagnostics,
            version,
        };
        let notification = Notification::new("textDocument/publishDiagnostics".to_owned(), params);
        self.send(notification.into())
    }
}

/// Reads what a message is about.
pub(crate) fn read_params<T: DeserializeOwned>(params: Value) -> serde_json::Result<T> {
    serde_json::from_value(params)
}
