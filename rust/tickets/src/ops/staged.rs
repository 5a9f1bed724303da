//! Changes of tickets that are decided together: each is tried on what the ones before it made.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::create::{NewTicket, UnnumberedTicket};
use super::projects::template;
use super::sections::{SectionCall, SectionEdit};
use super::update;
use crate::attributes::{self, UPDATABLE};
use crate::code::TicketCode;
use crate::edit::TicketDraft;
use crate::error::TicketError;
use crate::model::Ticket;
use crate::number::{advance, counter, next};
use crate::parse;
use crate::project_registry::ProjectRegistry;
use crate::projects::TicketProject;
use crate::shared_numbers::claim_written;
use crate::templates::TicketPlaceholders;
use crate::ticket_index::TicketIndex;
use crate::ticket_store::{TicketStore, is_elsewhere};
use chant_base::error::{Error, NotTransactional};
use chant_base::external_items::StatusLookup;
use chant_store::StoreError;
use chant_store::index::DocumentChange;
use chant_store::staged::StagedTexts;

/// One change.
#[derive(Debug, Clone)]
pub enum TicketOperation {
    /// Attributes and the state of a ticket are changed, as by [`update::update_cr_attrs`] and
    /// [`update::update_cr_status`].
    Update {
        /// Its code.
        key: String,
        /// Attributes by name.
        attributes: Map<String, Value>,
        /// The lists that the new ones were made from, by name.
        seen: Map<String, Value>,
        /// Its new state.
        status: Option<String>,
    },
    /// A section is changed, as by [`super::manage_cr_sections`].
    Section {
        /// The ticket's code.
        key: String,
        /// `replace`, `append` or `prepend`.
        mode: String,
        /// The section's name.
        section: String,
        /// The text to put there.
        content: String,
        /// The text that the section held when the change was thought of.
        expect: Option<String>,
    },
    /// There is a new ticket, as by [`super::create_from_template`].
    Create {
        /// The code or name of its project.
        project: Option<String>,
        /// Its type.
        kind: String,
        /// Its title, and what else there is to say.
        data: Map<String, Value>,
        /// The code it was given when it was first tried.
        code: Option<TicketCode>,
    },
}

/// The tickets as they would be, and the texts that differ from those on disk.
pub struct StagedTickets {
    project: TicketProject,
    store: Arc<TicketStore>,
    tickets: Arc<TicketIndex>,
    texts: StagedTexts,
    /// The new tickets: their numbers, which were given without asking, and their files.
    created: Vec<(u64, String)>,
    /// Problems that refused nothing.
    warnings: Vec<String>,
}

impl StagedTickets {
    /// Begins with what is true now of the tickets of a folder; `None` when it is no project's.
    ///
    /// # Errors
    /// `StoreError`.
    pub fn begin(registry: &ProjectRegistry, root: &Path) -> Result<Option<Self>, Error> {
        let Some(project) = registry.project_at(root) else {
            return Ok(None);
        };
        let store = registry.board_of(&project)?;
        Ok(Some(Self {
            tickets: store.snapshot()?,
            project,
            store,
            texts: StagedTexts::default(),
            created: Vec::new(),
            warnings: Vec::new(),
        }))
    }

    /// The tickets as they would be.
    pub fn tickets(&self) -> &Arc<TicketIndex> {
        &self.tickets
    }

    /// Tries one more change; gives the code of its ticket, which a new one keeps from then on.
    ///
    /// # Errors
    /// What the change alone would be refused for; everything is as before then. `CodeTaken`, when the
    /// code of a new ticket may be another one's by now; `Apart` for a ticket that lies elsewhere.
    pub fn apply(
        &mut self,
        registry: &ProjectRegistry,
        operation: &mut TicketOperation,
    ) -> Result<TicketCode, Error> {
        match operation {
            TicketOperation::Update {
                key,
                attributes,
                seen,
                status,
            } => self.update(key, attributes, seen, status.as_deref()),
            TicketOperation::Section {
                key,
                mode,
                section,
                content,
                expect,
            } => self.section(&SectionCall {
                key,
                operation: mode,
                section: Some(section),
                content: Some(content),
                expect: expect.as_deref(),
                ..SectionCall::default()
            }),
            TicketOperation::Create {
                project,
                kind,
                data,
                code,
            } => {
                self.refuse_elsewhere(registry, project.as_deref())?;
                self.create(registry, kind, data, code)
            }
        }
    }

    fn update(
        &mut self,
        key: &str,
        attributes: &Map<String, Value>,
        seen: &Map<String, Value>,
        status: Option<&str>,
    ) -> Result<TicketCode, Error> {
        let project = self.store.place.code.clone();
        let given = attributes::read(attributes, &UPDATABLE, &project)?;
        let seen = update::lists_seen(seen, &project);
        let to = status.map(update::parse_status).transpose()?;
        let mut warnings = Vec::new();
        let code = self.change(key, |tickets, code, draft| {
            warnings = {
                let given = update::merged(draft, &given, &seen, &project);
                update::set_attributes(tickets, code, draft, &given)?.warnings
            };
            to.map_or(Ok(()), |to| update::go_to(draft, to).map(drop))
        })?;
        self.warnings.extend(warnings);
        Ok(code)
    }

    fn section(&mut self, call: &SectionCall<'_>) -> Result<TicketCode, Error> {
        let put = SectionEdit::of(call)?;
        self.change(call.key, |_, code, draft| put.into(draft, code).map(drop))
    }

    fn change(
        &mut self,
        key: &str,
        change: impl FnOnce(&TicketIndex, &TicketCode, &mut TicketDraft) -> Result<(), Error>,
    ) -> Result<TicketCode, Error> {
        let (code, ticket) = self.store.only_file(&self.tickets, key)?;
        if is_elsewhere(&ticket.path) {
            return Err(NotTransactional {
                what: "A change of a ticket that is worked on in a worktree",
                why: format!("{code} lies in {}", ticket.path),
            }
            .into());
        }
        let draft = TicketDraft::of(&ticket.path, &ticket.text);
        let done = self.store.changed(&self.tickets, code, draft, change)?;
        if done.after.text != done.before.text {
            self.put(done.after, false);
        }
        Ok(done.code)
    }

    fn refuse_elsewhere(
        &self,
        registry: &ProjectRegistry,
        project: Option<&str>,
    ) -> Result<(), Error> {
        let Some(named) = project else {
            return Ok(());
        };
        let meant = registry.project(Some(named), None)?;
        if meant.root == self.project.root {
            return Ok(());
        }
        Err(NotTransactional {
            what: "A new ticket of another project",
            why: format!("{} lies in {}", meant.code, meant.root.display()),
        }
        .into())
    }

    fn create(
        &mut self,
        registry: &ProjectRegistry,
        kind: &str,
        data: &Map<String, Value>,
        given: &mut Option<TicketCode>,
    ) -> Result<TicketCode, Error> {
        let project = &self.project;
        let template = |title: &str, code: &str| {
            template(registry, project, TicketPlaceholders { title, kind, code })
        };
        let new = NewTicket {
            kind,
            data,
            template: Some(&template),
        };
        let store = &*self.store;
        let new = UnnumberedTicket::of(store, &new)?;
        let number = next(store, &self.tickets, &counter(store))?;
        let code = given
            .clone()
            .unwrap_or_else(|| TicketCode::new(&store.place.code, number));
        if number > code.number() {
            let key = code.to_string();
            return Err(TicketError::CodeTaken { key }.into());
        }
        let numbered = new.numbered(store, &self.tickets, &code)?;
        self.warnings.extend(numbered.warnings);
        self.created.push((code.number(), numbered.path.clone()));
        self.put(parse::ticket(&numbered.path, numbered.text), true);
        *given = Some(code.clone());
        Ok(code)
    }

    fn put(&mut self, ticket: Ticket, is_new: bool) {
        let path = ticket.path.clone();
        self.texts
            .put(path.clone(), ticket.text.to_string().into(), is_new);
        let document = Some(Ok(Arc::new(ticket)));
        Arc::make_mut(&mut self.tickets).apply(vec![DocumentChange { path, document }]);
    }

    /// Takes in how far the items of other dialects are that tickets wait for.
    pub fn look_outside(&mut self, tell: StatusLookup<'_>) {
        let standings = tell(&self.tickets.waits().named_outside());
        if !self.tickets.waits().knows(&standings) {
            Arc::make_mut(&mut self.tickets).found_outside(standings);
        }
    }

    /// The tickets folder, made where it is missing: its lock is held while changes are decided and
    /// written.
    ///
    /// # Errors
    /// `StoreError`.
    pub fn folder_lock(&self) -> Result<PathBuf, StoreError> {
        self.store.made_folder()
    }

    /// The documents that are changed or new.
    pub fn texts(&self) -> &StagedTexts {
        &self.texts
    }

    /// Keeps numbers that were given from being given again, now that their tickets are written; gives
    /// what was not right and refused nothing.
    pub fn finish(self) -> Vec<String> {
        let mut warnings = self.warnings;
        if let Some(highest) = self.created.iter().map(|(number, _)| *number).max() {
            // The counter file is locked behind the folder, as everywhere.
            let _gate = self.store.folder_lock();
            let counter = counter(&self.store);
            warnings.extend(advance(&self.store, &counter, highest.saturating_add(1)));
        }
        match claim_written(&self.store, &self.created) {
            Ok(said) => warnings.extend(said),
            Err(error) => warnings.push(format!("the new numbers were not claimed: {error}")),
        }
        warnings
    }
}
