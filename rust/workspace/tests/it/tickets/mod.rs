//! Tickets: files of every kind read, changed in place, and never lost.

mod colliding;
mod creating;
mod parsing;
mod reading;
mod sections;
mod updating;
mod waiting;

use std::fs;
use std::path::{Path, PathBuf};

use chant_base::answer::{Answer, TextRange};
use chant_base::error::Error;
use chant_tickets::error::object;
use chant_tickets::ops::{
    self, DetailLevel, NewTicket, SectionCall, TicketFilters, manage_cr_sections,
};
use chant_tickets::ticket_store::{ProjectLocation, TicketStore};
use jiff::Timestamp;
use serde_json::Value;
use tempfile::TempDir;

/// The moment at which everything happens here.
pub(super) const NOW: &str = "2025-10-02T09:20:02.492Z";

fn now() -> Timestamp {
    NOW.parse().unwrap()
}

/// A project with tickets, as one server sees it.
pub(super) struct Project {
    folder: TempDir,
    pub(super) board: TicketStore,
}

pub(super) fn place(root: &Path) -> ProjectLocation {
    ProjectLocation {
        id: "dem".into(),
        name: "Demo".into(),
        code: "DEM".into(),
        root: root.to_owned(),
        tickets: "docs/CRs".into(),
        start_number: 1,
        counter_file: ".mdt-next".into(),
        uses_worktrees: true,
    }
}

pub(super) fn open(place: ProjectLocation) -> Result<TicketStore, Error> {
    TicketStore::open(place, crate::own_disk(), now)
}

impl Project {
    /// A project without a tickets folder.
    pub(super) fn empty() -> Self {
        let folder = TempDir::new().unwrap();
        let board = open(place(folder.path())).unwrap();
        Self { folder, board }
    }

    /// A project with these files in its tickets folder.
    pub(super) fn with(files: &[(&str, &str)]) -> Self {
        let project = Self::empty();
        fs::create_dir_all(project.path("")).unwrap();
        for (name, text) in files {
            fs::write(project.path(name), text).unwrap();
        }
        project
    }

    /// Another server over the same files.
    pub(super) fn again(&self) -> TicketStore {
        open(place(self.folder.path())).unwrap()
    }

    pub(super) fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    /// A path in the tickets folder.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.root().join("docs/CRs").join(name)
    }

    pub(super) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The names in the tickets folder, sorted.
    pub(super) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path("")).unwrap();
        let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
        let mut names: Vec<String> = entries
            .map(|entry| name(entry).into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    pub(super) fn create(&self, kind: &str, data: Value) -> Result<Value, Value> {
        create(&self.board, kind, data)
    }

    pub(super) fn attributes(&self, key: &str) -> Value {
        let answer = ops::get_cr(
            &self.board,
            key,
            DetailLevel::Attributes,
            TextRange::default(),
        );
        told(answer).unwrap()
    }

    pub(super) fn full(&self, key: &str) -> Result<String, Value> {
        words(ops::get_cr(
            &self.board,
            key,
            DetailLevel::Full,
            TextRange::default(),
        ))
    }

    pub(super) fn update(&self, key: &str, attributes: Value) -> Result<Value, Value> {
        let attributes = attributes.as_object().unwrap();
        told(ops::update_cr_attrs(
            &self.board,
            key,
            attributes,
            &serde_json::Map::new(),
        ))
    }

    pub(super) fn status(&self, key: &str, status: &str) -> Result<Value, Value> {
        told(ops::update_cr_status(&self.board, key, status))
    }

    pub(super) fn delete(&self, key: &str) -> Result<Value, Value> {
        told(ops::delete_cr(&self.board, key))
    }

    pub(super) fn list(&self, filters: Value) -> Result<Value, Value> {
        let filters = TicketFilters::read(filters.as_object().unwrap());
        let filters = filters.map_err(|error| object(&error.into()))?;
        let page = chant_base::answer::PageRequest {
            limit: ops::DEFAULT_LIMIT,
            offset: 0,
        };
        told(ops::list_crs(&self.board, &filters, page, None))
    }

    /// The codes in a list, in its order.
    pub(super) fn codes(&self, filters: Value) -> String {
        codes(&self.list(filters).unwrap()["crs"])
    }

    pub(super) fn sections(&self, call: &SectionCall<'_>) -> Result<(String, Value), Value> {
        let answer = manage_cr_sections(&self.board, call).map_err(|error| object(&error))?;
        let json = serde_json::from_str(answer.json.as_deref().unwrap()).unwrap();
        Ok((answer.text, json))
    }

    /// Puts content into a section of the ticket 1.
    pub(super) fn put(&self, section: &str, mode: &str, content: &str) -> Result<String, Value> {
        let call = SectionCall {
            key: "1",
            operation: mode,
            section: Some(section),
            content: Some(content),
            ..SectionCall::default()
        };
        self.sections(&call).map(|(text, _)| text)
    }
}

pub(super) fn create(board: &TicketStore, kind: &str, data: Value) -> Result<Value, Value> {
    told(ops::create_cr(
        board,
        &NewTicket {
            kind,
            data: data.as_object().unwrap(),
            template: None,
        },
    ))
}

pub(super) fn codes(rows: &Value) -> String {
    let rows = rows.as_array().unwrap().iter();
    let codes: Vec<&str> = rows.map(|row| row["code"].as_str().unwrap()).collect();
    codes.join(" ")
}

/// An answer that is data, or the refusal's object.
pub(super) fn told(answer: Result<Answer, Error>) -> Result<Value, Value> {
    let answer = answer.map_err(|error| object(&error))?;
    let data: Value = serde_json::from_str(&answer.text).unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(&answer.json.unwrap()).unwrap(),
        data
    );
    Ok(data)
}

/// An answer in words.
pub(super) fn words(answer: Result<Answer, Error>) -> Result<String, Value> {
    answer
        .map(|answer| answer.text)
        .map_err(|error| object(&error))
}

/// A ticket's file with these lines of front matter.
pub(super) fn file(yaml: &str, body: &str) -> String {
    format!("---\n{yaml}---\n\n{body}")
}

/// The front matter that a ticket of these lines has once it was changed at [`NOW`].
#[track_caller]
pub(super) fn check_code(refused: &Result<Value, Value>, code: &str, words: &str) {
    let refused = refused.as_ref().unwrap_err();
    assert_eq!(refused["code"], code, "{refused}");
    assert!(refused.to_string().contains(words), "{refused}");
    assert!(refused["error"].is_string() && refused["details"].is_object());
}
