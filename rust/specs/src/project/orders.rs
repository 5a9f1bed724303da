//! The orders of runs on items of other formats: documents of our own state, which are read and changed as specs are.
//!
//! An order says what an item said when its run was started, and how the run stands. What is asked and what is done
//! the item's own documents say; an order is made anew for each start.

use std::sync::{Arc, Mutex, OnceLock};

use super::cache::ProjectCache;
use super::caller_run::CallerRun;
use super::{MAX_LOOKS, Project, SPECS};
use crate::ops::LintMemory;
use crate::work_items::{WorkItems, is_run_id};
use chant_base::error::Error;
use chant_places::missing_folders::MissingFolders;
use chant_store::disk;
use chant_store::files::RootFolder;
use chant_store::stamped::StampedCache;

/// The part of our own state that holds orders.
const ORDERS: &str = "orders";

impl Project {
    /// The same project, whose runs can work on items of other formats.
    #[must_use]
    pub fn with_work_items(self, work_items: &'static dyn WorkItems) -> Self {
        Self {
            work_items: Some(work_items),
            ..self
        }
    }

    /// The folder below which the documents lie that runs work on.
    pub fn documents(&self) -> &RootFolder {
        &self.documents
    }

    /// Returns true if its documents are orders for items of other formats.
    pub fn holds_orders(&self) -> bool {
        self.documents.path() != self.root.path()
    }

    /// Returns true if work on items of other formats was asked for here. Costs a look, and makes nothing.
    pub fn has_orders(&self) -> bool {
        let state = self.state();
        state.is_ok_and(|state| {
            let folder = state.read(&state.in_checkout(ORDERS));
            folder.is_some_and(|folder| disk::exists(&folder))
        })
    }

    /// The same project with the orders for items of other formats in place of its specs.
    ///
    /// # Errors
    /// A `StoreError` where our own state has no folder.
    pub fn orders(&self) -> Result<&Arc<Self>, Error> {
        if let Some(orders) = self.orders.get() {
            return Ok(orders);
        }
        let opened = self.open_orders()?;
        Ok(self.orders.get_or_init(|| Arc::new(opened)))
    }

    fn open_orders(&self) -> Result<Self, Error> {
        let state = self.state()?;
        let folder = state.ensure(&state.in_checkout(ORDERS))?;
        disk::make_folders(&folder.join(SPECS))?;
        let documents = RootFolder::open(&folder)?;
        let lock = |repo: &Mutex<_>| {
            let repo = repo.lock();
            repo.map(|repo| Clone::clone(&*repo)).unwrap_or_default()
        };
        Ok(Self {
            known: Mutex::new(ProjectCache::new(&self.disk, &documents)),
            documents,
            orders: OnceLock::new(),
            root: self.root.clone(),
            disk: self.disk.clone(),
            clock: self.clock.clone(),
            environment: self.environment.clone(),
            program: self.program.clone(),
            prompts: self.prompts.clone(),
            run_lookup: self.run_lookup,
            work_items: self.work_items,
            user_config: self.user_config.clone(),
            searched: self.searched.clone(),
            repo: Mutex::new(lock(&self.repo)),
            outside: self.outside.clone(),
            unfinished: Mutex::default(),
            known_state: Mutex::default(),
            missing: MissingFolders::default(),
            own: CallerRun::of(&self.environment),
            named_trust: self.named_trust.clone(),
            guarded: self.guarded.clone(),
            door: self.door,
            known_trust: Mutex::default(),
            linted: LintMemory::default(),
            known_held: StampedCache::new(MAX_LOOKS),
        })
    }

    /// The project whose documents a run works on, by its ID: the specs, or the orders for items of other formats.
    ///
    /// # Errors
    /// As [`Project::orders`].
    pub fn of_run(&self, spec_id: &str) -> Result<&Self, Error> {
        if is_run_id(spec_id) && !self.holds_orders() {
            return Ok(self.orders()?);
        }
        Ok(self)
    }

    /// Does something about a run in the project whose documents it works on. From among orders nothing is done about
    /// runs on specs: whoever opened the project itself looks after them.
    ///
    /// # Errors
    /// What the act gives, or as [`Project::orders`].
    pub fn on_own(
        &self,
        spec_id: &str,
        act: impl FnOnce(&Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if self.holds_orders() && !is_run_id(spec_id) {
            return Ok(());
        }
        act(self.of_run(spec_id)?)
    }
}
