//! Everything that the server waits for: messages of the editor, its end, and changes on disk.

use std::collections::{HashSet, VecDeque};
use std::io::BufRead;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Instant;

use lsp_server::{Message, Request, RequestId};

use super::acts::{ActOutcome, ActRefusal};
use super::frames::{FrameError, MessageFrame, read_frame};

/// One thing that happened.
#[derive(Debug)]
pub(crate) enum ServerEvent {
    /// A message of the editor.
    Message(Message),
    /// Something of the editor that is no message, with the reason.
    Unusable(String),
    /// The editor's stream ended.
    End(Option<FrameError>),
    /// Something changed on disk.
    Disk,
    /// An act was done, or was refused.
    Acted(Result<ActOutcome, ActRefusal>),
}

/// Reads messages until the stream ends or nobody takes them.
pub(crate) fn read_all(mut reader: impl BufRead, taken: &Sender<ServerEvent>) {
    loop {
        let incoming = match read_frame(&mut reader) {
            Ok(Some(MessageFrame::Message(message))) => ServerEvent::Message(message),
            Ok(Some(MessageFrame::Unusable(why))) => ServerEvent::Unusable(why),
            Ok(None) => ServerEvent::End(None),
            Err(error) => ServerEvent::End(Some(error)),
        };
        let is_end = matches!(incoming, ServerEvent::End(_));
        if taken.send(incoming).is_err() || is_end {
            return;
        }
    }
}

/// Messages and changes that are still to be answered, in order.
pub(crate) struct IncomingQueue {
    receiver: Receiver<ServerEvent>,
    waiting: VecDeque<ServerEvent>,
    cancelled: HashSet<RequestId>,
}

impl IncomingQueue {
    /// A queue of what a receiver gets.
    pub(crate) fn new(receiver: Receiver<ServerEvent>) -> Self {
        Self {
            receiver,
            waiting: VecDeque::new(),
            cancelled: HashSet::new(),
        }
    }

    /// Waits for the next thing, at most until a moment; `None` when that has come.
    pub(crate) fn next(&mut self, until: Option<Instant>) -> Option<ServerEvent> {
        // Cancellations overtake what they cancel.
        while let Ok(incoming) = self.receiver.try_recv() {
            self.take(incoming);
        }
        if let Some(first) = self.waiting.pop_front() {
            return Some(first);
        }
        let received = match until {
            None => self
                .receiver
                .recv()
                .map_err(|_| RecvTimeoutError::Disconnected),
            Some(until) => {
                let left = until.saturating_duration_since(Instant::now());
                self.receiver.recv_timeout(left)
            }
        };
        match received {
            Ok(incoming) => {
                self.take(incoming);
                self.waiting.pop_front()
            }
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(ServerEvent::End(None)),
        }
    }

    /// Returns true if a request was cancelled before it was answered.
    pub(crate) fn is_cancelled(&mut self, id: &RequestId) -> bool {
        self.cancelled.remove(id)
    }

    /// Returns true if a change of a request's document waits: an answer would be about a text that is no more.
    pub(crate) fn is_overtaken(&self, request: &Request) -> bool {
        let document = request.params.pointer("/textDocument/uri");
        document.is_some()
            && self.waiting.iter().any(|one| match one {
                ServerEvent::Message(Message::Notification(one)) => {
                    one.method == "textDocument/didChange"
                        && one.params.pointer("/textDocument/uri") == document
                }
                _ => false,
            })
    }

    fn take(&mut self, incoming: ServerEvent) {
        if let ServerEvent::Message(Message::Notification(one)) = &incoming
            && one.method == "$/cancelRequest"
        {
            let id = one.params.get("id").cloned();
            let id = id.and_then(|id| serde_json::from_value(id).ok());
            // An answer may be on its way: only what still waits can be cancelled.
            let is_waiting = |id: &RequestId| {
                let mut requests = self.waiting.iter();
                requests.any(
                    |one| matches!(one, ServerEvent::Message(Message::Request(one)) if one.id == *id),
                )
            };
            self.cancelled.extend(id.filter(is_waiting));
            return;
        }
        self.waiting.push_back(incoming);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use lsp_server::Notification;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_request_is_overtaken_by_a_later_change_of_its_own_document_alone() {
        let asked = |uri: &str| {
            let params = json!({"textDocument": {"uri": uri}});
            Request::new(1.into(), "textDocument/hover".to_owned(), params)
        };
        let changed = |uri: &str| {
            let params = json!({"textDocument": {"uri": uri, "version": 2}});
            Notification::new("textDocument/didChange".to_owned(), params)
        };
        let (sender, receiver) = channel();
        let mut queue = IncomingQueue::new(receiver);
        let send = |message: Message| sender.send(ServerEvent::Message(message)).unwrap();
        send(changed("file:///a.md").into());
        send(asked("file:///a.md").into());
        send(changed("file:///b.md").into());
        assert!(queue.next(None).is_some());
        assert!(queue.next(None).is_some());
        assert!(!queue.is_overtaken(&asked("file:///a.md")));
        assert!(queue.is_overtaken(&asked("file:///b.md")));
        let symbols = Request::new(
            1.into(),
            "workspace/symbol".to_owned(),
            json!({"query": ""}),
        );
        assert!(!queue.is_overtaken(&symbols));
    }
}
