//! `Workspace`: all dialects of a folder, and `Export`: its items in pieces of text.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use chant_base::answer::{DEFAULT_LIMIT, PageRequest};
use chant_base::error::Error;
use chant_workspace::DialectStores;
use chant_workspace::analytics_graph::{AnalyticsGraph, COLUMNS, ItemColumn};
use chant_workspace::board::{self, ItemSearch};
use chant_workspace::board_graph::{self, GraphFocus};
use chant_workspace::board_view::{self, BoardFilter};
use chant_workspace::configuration;
use chant_workspace::export::{self, ExportFormat, FIELDS};
use chant_workspace::filter::ItemFilter;
use chant_workspace::fleet::FleetGraph;
use chant_workspace::handle;
use chant_workspace::import;
use chant_workspace::import::ImportRequest;
use chant_workspace::mention::{self, MentionQuery};
use chant_workspace::ops::{self, GraphOptions};
use chant_workspace::plan_answers;
use chant_workspace::since::{self, ChangeScope};
use chant_workspace::{board_diff, board_item, recent_commits};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::answer::{PlainValue, PyAnswer};
use crate::changes::{PyChanges, change_rows};
use crate::chant::ChantProject;
use crate::detached::detached;
use crate::graph::PyNetwork;
use crate::handles::{PySelection, PyTransaction};
use crate::parameters::{KeywordArguments, read};
use crate::raise::{Answered, Raised, answer, call};
use crate::speckit::SpeckitFeatures;
use crate::stop::disk;
use crate::tickets::TicketProjects;
use crate::vine::VineFiles;

// Python shows a default only when it is written out in the signature.
const _: () = assert!(DEFAULT_LIMIT == 50);

/// The work files of a folder, of whatever dialect, in one graph. Safe to share between threads; every
/// answer is as of the moment it is asked for.
#[pyclass(name = "Workspace", frozen, module = "chant_mcp._core")]
pub(crate) struct PyWorkspace {
    pub(crate) workspace: chant_workspace::Workspace,
    stop_at: Option<String>,
}

#[pymethods]
impl PyWorkspace {
    /// Joins handles that were opened on the folder.
    #[new]
    #[pyo3(signature = (root, *, chant, vine, speckit, tickets, stop_at = None))]
    fn new(
        root: PathBuf,
        chant: &ChantProject,
        vine: &VineFiles,
        speckit: &SpeckitFeatures,
        tickets: &TicketProjects,
        stop_at: Option<String>,
    ) -> Self {
        let parts = DialectStores {
            chant: Arc::clone(&chant.project),
            vine: Arc::clone(&vine.files),
            speckit: Arc::clone(&speckit.features),
            tickets: Arc::clone(&tickets.registry),
        };
        Self {
            workspace: chant_workspace::Workspace::open(&root, parts),
            stop_at,
        }
    }

    /// The folder.
    #[getter]
    fn root(&self) -> PathBuf {
        self.workspace.root().to_path_buf()
    }

    /// The name that the repository has in keys and tables.
    #[getter]
    fn repository_name(&self) -> String {
        self.workspace.repository_name()
    }

    /// The dialects in which there are items, in the order of lists.
    fn dialects(&self) -> Result<Vec<&'static str>, Raised> {
        call(|| ops::dialects(&self.workspace))
    }

    /// Names of items that begin with what was typed in a shell, with their titles.
    #[pyo3(signature = (typed, *, archived = false))]
    fn complete_items(&self, typed: &str, archived: bool) -> Vec<(String, String)> {
        let words = if archived {
            self.workspace.complete_archived(typed)
        } else {
            self.workspace.complete_items(typed)
        };
        words.into_iter().map(|one| (one.word, one.title)).collect()
    }

    /// Labels of the newest specs that begin with what was typed in a shell.
    fn complete_labels(&self, typed: &str) -> Vec<String> {
        self.workspace.complete_labels(typed)
    }

    /// The words for states that filters take.
    #[staticmethod]
    fn status_words() -> Vec<String> {
        chant_workspace::filter::status_words()
    }

    /// All configuration files that apply, with what is to be said about their keys.
    fn config_check(&self) -> Answered {
        answer(|| Ok(configuration::check(&self.workspace)))
    }

    /// Raises `ConfigError` while a key of one of them is nearly a known one.
    fn refuse_misspelled(&self) -> Result<(), Raised> {
        call(|| configuration::refuse(&self.workspace))
    }

    /// Items of all dialects.
    ///
    /// Further keywords: those of `chant_mcp.parameters.ItemFilter`.
    #[pyo3(signature = (*, limit = 50, offset = 0, **filter))]
    fn list(&self, limit: usize, offset: usize, filter: Option<KeywordArguments>) -> Answered {
        let filter = read(filter.as_ref())?;
        let page = PageRequest { limit, offset };
        answer(|| ops::list(&self.workspace, filter, page))
    }

    /// Items of all dialects in whose keys, titles, labels or texts all words of a text stand.
    ///
    /// Further keywords: those of `chant_mcp.parameters.PageRequest`.
    #[pyo3(signature = (text, *, statuses = Vec::new(), **page))]
    fn search(
        &self,
        text: &str,
        statuses: Vec<String>,
        page: Option<KeywordArguments>,
    ) -> Answered {
        let page = read(page.as_ref())?;
        let filter = ItemFilter {
            statuses,
            ..ItemFilter::default()
        };
        let search = ItemSearch { text, bodies: true };
        answer(|| ops::search(&self.workspace, filter, search, page))
    }

    /// Returns the items that can be started now.
    ///
    /// Further keywords: those of `chant_mcp.parameters.ItemFilter`.
    #[pyo3(signature = (*, limit = 50, offset = 0, **filter))]
    fn ready(&self, limit: usize, offset: usize, filter: Option<KeywordArguments>) -> Answered {
        let filter = ItemFilter {
            ready: true,
            ..read(filter.as_ref())?
        };
        let page = PageRequest { limit, offset };
        answer(|| ops::list(&self.workspace, filter, page))
    }

    /// Which item a name means.
    fn find(&self, name: &str) -> Answered {
        answer(|| ops::find(&self.workspace, name))
    }

    /// Items as handles: with all that their documents say, made when they are asked for.
    ///
    /// Further keywords: those of `chant_mcp.parameters.ItemFilter`.
    #[pyo3(signature = (*, path = None, **filter))]
    fn select(
        &self,
        path: Option<&str>,
        filter: Option<KeywordArguments>,
    ) -> Result<PySelection, Raised> {
        let filter = read(filter.as_ref())?;
        let selection = call(|| handle::select(&self.workspace, filter, path))?;
        Ok(PySelection { selection })
    }

    /// All that is known of the item that a name means, as plain values.
    fn handle(&self, name: &str) -> Result<PlainValue, Raised> {
        call(|| handle::one(&self.workspace, name)).map(PlainValue)
    }

    /// Everything that is wrong with files, as plain values.
    fn problems(&self) -> Result<PlainValue, Raised> {
        call(|| handle::problems(&self.workspace)).map(PlainValue)
    }

    /// Changes of items that are made together.
    fn transaction(this: Bound<'_, Self>) -> Result<PyTransaction, Raised> {
        PyTransaction::begin(this.unbind())
    }

    /// Waits for changes, from now on.
    fn changes(this: Bound<'_, Self>) -> Result<PyChanges, Raised> {
        PyChanges::begin(this.unbind())
    }

    /// The changes of items since a cursor, and the cursor to ask with next; without one the cursor alone.
    #[pyo3(signature = (cursor = None))]
    fn changes_since<'py>(
        &self,
        py: Python<'py>,
        cursor: Option<&str>,
    ) -> Result<Bound<'py, PyDict>, Raised> {
        // One that cannot be read is like one of another process.
        let asked = cursor.map(|cursor| cursor.parse().unwrap_or_default());
        let report = call(|| self.workspace.changes_since(asked))?;
        let changes = report.changes.as_deref();
        let dict = PyDict::new(py);
        dict.set_item("cursor", report.cursor.to_string())?;
        dict.set_item("reset", changes.is_none())?;
        dict.set_item("changes", change_rows(py, changes.unwrap_or_default())?)?;
        Ok(dict)
    }

    /// What is new since a cursor as an answer, where that is known, and the cursor to ask with next. The items
    /// are all specs, or those of a task graph, of the feature that is worked on, or of a project of tickets.
    #[pyo3(signature = (since, dialect, place = None))]
    fn since(
        &self,
        since: &str,
        dialect: &str,
        place: Option<&str>,
    ) -> Result<(Option<PyAnswer>, String), Raised> {
        let scope = match (dialect, place) {
            ("chant", _) => ChangeScope::Specs,
            ("vine", Some(file)) => ChangeScope::Graph(file),
            ("speckit", _) => ChangeScope::Feature,
            ("tickets", project) => ChangeScope::Tickets(project),
            ("items", word) => ChangeScope::Items(word),
            _ => return Err(PyKeyError::new_err(dialect.to_owned()).into()),
        };
        let found = call(|| since::changed_since(&self.workspace, since, scope))?;
        Ok((found.answer.map(PyAnswer::from), found.cursor))
    }

    /// Items of every format in few words.
    ///
    /// Further keywords: those of `chant_mcp.parameters.ItemListQuery`.
    #[pyo3(signature = (**query))]
    fn item_list(&self, query: Option<KeywordArguments>) -> Answered {
        let query = read(query.as_ref())?;
        answer(|| plan_answers::list_items(&self.workspace, &query))
    }

    /// One item with all that its documents say, or one section of it.
    #[pyo3(signature = (id, section = None))]
    fn item_get(&self, id: &str, section: Option<&str>) -> Answered {
        answer(|| plan_answers::get_item(&self.workspace, id, section))
    }

    /// The text of a document of a format's plans.
    fn plan_document(&self, format: &str, path: &str) -> Answered {
        answer(|| plan_answers::document_text(&self.workspace, format, path))
    }

    /// Items that can be worked on now, with the order of the first one.
    ///
    /// Further keywords: those of `chant_mcp.parameters.ItemPage`.
    #[pyo3(signature = (**query))]
    fn item_next(&self, query: Option<KeywordArguments>) -> Answered {
        let query = read(query.as_ref())?;
        answer(|| plan_answers::next_items(&self.workspace, &query))
    }

    /// Edits an item of a plan; gives it as it is then.
    ///
    /// Further keywords: those of `chant_mcp.parameters.ItemEditsOfHandle`.
    #[pyo3(signature = (id, **edits))]
    fn item_update(&self, id: &str, edits: Option<KeywordArguments>) -> Answered {
        let edits = read(edits.as_ref())?;
        answer(|| plan_answers::update_item(&self.workspace, id, &edits))
    }

    /// Adds an item to a plan; gives it.
    ///
    /// Further keywords: those of `chant_mcp.parameters.NewItem`.
    #[pyo3(signature = (title, **content))]
    fn item_add(&self, title: &str, content: Option<KeywordArguments>) -> Answered {
        let new = read(content.as_ref())?;
        answer(|| plan_answers::add_item(&self.workspace, title, &new))
    }

    /// What the formats' own rules find, as plain values.
    fn plan_findings(&self) -> Result<PlainValue, Raised> {
        let found = call(|| plan_answers::check_plans(&self.workspace))?;
        let rows = found
            .json
            .as_deref()
            .map(serde_json::from_str::<serde_json::Value>);
        Ok(PlainValue(rows.and_then(Result::ok).unwrap_or_default()))
    }

    /// All that is known of an item, however long the answer.
    fn show(&self, name: &str) -> Answered {
        answer(|| ops::show(&self.workspace, name))
    }

    /// Returns the dependencies between items.
    ///
    /// Further keywords: those of `chant_mcp.parameters.ItemFilter`.
    #[pyo3(signature = (format = "json", *, all = false, **filter))]
    fn graph(&self, format: &str, all: bool, filter: Option<KeywordArguments>) -> Answered {
        let filter = read(filter.as_ref())?;
        let options = GraphOptions { format, all };
        answer(|| ops::graph(&self.workspace, filter, options))
    }

    /// The graph of all items, what is known of them in columns, and what runs teach about durations.
    fn network<'py>(&self, py: Python<'py>) -> Result<Laid<'py>, Raised> {
        laid(py, || AnalyticsGraph::of(&self.workspace))
    }

    /// As `network`, as a commit has it; nothing is checked out.
    fn network_at<'py>(&self, py: Python<'py>, revision: &str) -> Result<Laid<'py>, Raised> {
        laid(py, || AnalyticsGraph::at(&self.workspace, revision))
    }

    /// The last commits of what is checked out, the newest first: id, seconds since 1970, subject.
    fn recent_commits(&self, most: usize) -> Result<Vec<(String, i64, String)>, Raised> {
        let found = call(|| recent_commits(&self.workspace, most))?;
        let rows = found.into_iter();
        Ok(rows
            .map(|commit| (commit.id, commit.seconds, commit.subject))
            .collect())
    }

    /// A number that is another after every change of the work files.
    fn version(&self) -> Result<u64, Raised> {
        call(|| board::version(&self.workspace))
    }

    /// Returns the number of items in each state.
    #[pyo3(signature = (search = "", *, bodies = false))]
    fn board(&self, search: &str, bodies: bool) -> Answered {
        let search = ItemSearch {
            text: search,
            bodies,
        };
        answer(|| board::board(&self.workspace, search))
    }

    /// Returns the items that an item waits for and those that wait for it, as trees.
    fn around(&self, name: &str) -> Answered {
        answer(|| board::show_neighbors(&self.workspace, name))
    }

    /// All columns of a board by meaning, each with its first items.
    #[pyo3(signature = (search = "", *, bodies = false, dialect = None, label = None, limit = 100, since = None))]
    fn board_look(
        &self,
        search: &str,
        bodies: bool,
        dialect: Option<&str>,
        label: Option<&str>,
        limit: usize,
        since: Option<&str>,
    ) -> Answered {
        let search = ItemSearch {
            text: search,
            bodies,
        };
        answer(|| {
            let filter = BoardFilter::checked(search, dialect, label)?;
            board_view::look_at_board(&self.workspace, &filter, limit, since)
        })
    }

    /// Items of one meaning.
    #[pyo3(signature = (meaning, search = "", *, bodies = false, dialect = None, label = None, limit = 100, offset = 0))]
    #[expect(clippy::too_many_arguments, reason = "what may be asked for")]
    fn board_rows(
        &self,
        meaning: &str,
        search: &str,
        bodies: bool,
        dialect: Option<&str>,
        label: Option<&str>,
        limit: usize,
        offset: usize,
    ) -> Answered {
        let search = ItemSearch {
            text: search,
            bodies,
        };
        let page = PageRequest { limit, offset };
        answer(|| {
            let filter = BoardFilter::checked(search, dialect, label)?;
            board_view::list_column(&self.workspace, meaning, page, &filter)
        })
    }

    /// All that a page shows of an item.
    fn board_item(&self, name: &str) -> Answered {
        answer(|| board_item::show_board_item(&self.workspace, name))
    }

    /// The version of the text that an item stands in.
    fn board_document(&self, name: &str) -> Answered {
        answer(|| board_item::find_document_version(&self.workspace, name))
    }

    /// A picture of items as a tree of elements, and the same items as a list.
    #[pyo3(signature = (name = None, *, depth = None, label = None, dialect = None))]
    fn board_graph(
        &self,
        name: Option<&str>,
        depth: Option<u32>,
        label: Option<&str>,
        dialect: Option<&str>,
    ) -> Answered {
        let query = GraphFocus {
            name,
            depth,
            label,
            dialect,
        };
        answer(|| board_graph::draw_board_graph(&self.workspace, query))
    }

    /// Runs that ended, and open items as they could be worked on.
    fn board_timeline(&self) -> Answered {
        answer(|| board_graph::plan_timeline(&self.workspace))
    }

    /// Problems of files from a place on.
    #[pyo3(signature = (offset = 0))]
    fn board_problems(&self, offset: usize) -> Answered {
        answer(|| board_view::list_problems(&self.workspace, offset))
    }

    /// Items that wait for an act of a person: approvals, conflicts, merges, and failures.
    fn board_waiting(&self) -> Answered {
        answer(|| board_view::list_waiting(&self.workspace))
    }

    /// The branch of a spec's newest run against the commit that it began with.
    fn board_diff(&self, name: &str) -> Answered {
        answer(|| board_diff::compare_branch(&self.workspace, name))
    }

    /// Items that the beginning of what a person types may mean.
    #[pyo3(signature = (text, *, dialect = None, path = None, limit = 100))]
    fn mention(
        &self,
        text: &str,
        dialect: Option<&str>,
        path: Option<&str>,
        limit: usize,
    ) -> Answered {
        let query = MentionQuery {
            text,
            dialect,
            path,
        };
        answer(|| mention::mention(&self.workspace, query, limit))
    }

    /// Task graphs that such a text may mean.
    #[pyo3(signature = (text, *, limit = 100))]
    fn mention_plans(&self, text: &str, limit: usize) -> Answered {
        answer(|| mention::mention_plans(&self.workspace, text, limit))
    }

    /// Open items, those whose files were changed last first.
    #[pyo3(signature = (*, limit = 100, offset = 0))]
    fn touched(&self, limit: usize, offset: usize) -> Answered {
        let page = PageRequest { limit, offset };
        answer(|| mention::list_touched(&self.workspace, page))
    }

    /// Brings work of another place into the specs of the folder, all or none.
    /// `named` is the path that names the source, if another one is read; `statuses` has the states for words that
    /// specs do not have.
    #[pyo3(signature = (path, *, source = None, dry_run = false, update = false, named = None, statuses = HashMap::new()))]
    fn import_specs(
        &self,
        path: PathBuf,
        source: Option<&str>,
        dry_run: bool,
        update: bool,
        named: Option<PathBuf>,
        statuses: HashMap<String, String>,
    ) -> Answered {
        let request = ImportRequest {
            format: source,
            dry_run,
            update,
            named: named.as_deref(),
            statuses,
        };
        answer(|| import::import(&self.workspace, &path, &request))
    }

    /// The items as a text, in pieces.
    ///
    /// Further keywords: those of `chant_mcp.parameters.ItemFilter`.
    #[pyo3(signature = (format = "json", *, fields = Vec::new(), **filter))]
    fn export(
        &self,
        format: &str,
        fields: Vec<String>,
        filter: Option<KeywordArguments>,
    ) -> Result<PyExport, Raised> {
        let filter = read(filter.as_ref())?;
        let export = call(|| {
            let format = ExportFormat::read(format)?;
            export::ItemExport::of(&self.workspace, filter, format, &fields)
        })?;
        Ok(PyExport {
            export: Mutex::new(export),
            stop_at: self.stop_at.clone(),
        })
    }
}

type Laid<'py> = (PyNetwork, PyColumns, Bound<'py, PyDict>);

fn laid(
    py: Python<'_>,
    work: impl FnOnce() -> Result<AnalyticsGraph, Error> + Send,
) -> Result<Laid<'_>, Raised> {
    let layout = call(work)?;
    let learned = PyDict::new(py);
    let duration = &layout.learned.duration;
    learned.set_item("runs", duration.runs)?;
    learned.set_item("median", duration.median)?;
    learned.set_item("spread", duration.spread)?;
    learned.set_item("ratios", &duration.ratios)?;
    let network = layout.network.clone().into();
    Ok((
        network,
        LaidColumns::Workspace(Box::new(layout)).into(),
        learned,
    ))
}

/// The values of the items of a network, respect by respect; each is made when it is asked for.
#[pyclass(name = "Columns", frozen, module = "chant_mcp._core")]
pub(crate) struct PyColumns {
    columns: LaidColumns,
}

/// Where the values come from.
pub(crate) enum LaidColumns {
    /// The items of a workspace.
    Workspace(Box<AnalyticsGraph>),
    /// Those of many repositories.
    Fleet(Arc<FleetGraph>),
}

impl LaidColumns {
    fn column(&self, name: &str) -> Option<ItemColumn<'_>> {
        match self {
            Self::Workspace(layout) => layout.column(name),
            Self::Fleet(fleet) => fleet.column(name),
        }
    }
}

impl From<LaidColumns> for PyColumns {
    fn from(columns: LaidColumns) -> Self {
        Self { columns }
    }
}

impl PyColumns {
    /// The values of a column.
    pub(crate) fn named(&self, name: &str) -> PyResult<ItemColumn<'_>> {
        let column = self.columns.column(name);
        column.ok_or_else(|| PyKeyError::new_err(name.to_owned()))
    }
}

#[pymethods]
impl PyColumns {
    /// The names of the respects.
    fn names(&self) -> Vec<&'static str> {
        match self.columns {
            LaidColumns::Workspace(_) => COLUMNS.to_vec(),
            LaidColumns::Fleet(_) => FleetGraph::columns(),
        }
    }

    /// One value for each item, in their order.
    fn column<'py>(&self, py: Python<'py>, name: &str) -> Result<Bound<'py, PyAny>, Raised> {
        let column = detached(|| self.named(name))?;
        Ok(match column {
            ItemColumn::Texts(texts) => texts.into_pyobject(py)?,
            ItemColumn::Flags(flags) => flags.into_pyobject(py)?,
            ItemColumn::Numbers(numbers) => numbers.into_pyobject(py)?,
        })
    }
}

/// The fields that items may be exported with, in the order of documents.
#[pyfunction]
pub(crate) fn export_fields() -> Vec<&'static str> {
    FIELDS.to_vec()
}

/// A text in pieces, made while it is taken.
#[pyclass(name = "Export", frozen, module = "chant_mcp._core")]
pub(crate) struct PyExport {
    export: Mutex<export::ItemExport>,
    stop_at: Option<String>,
}

#[pymethods]
impl PyExport {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self) -> Result<Option<String>, Raised> {
        call(|| {
            let mut export = self.export.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(export.next())
        })
    }

    /// Writes what was not taken yet to a file, which appears whole or not at all; gives the number of
    /// items.
    #[pyo3(signature = (path, *, force = false))]
    fn save(&self, path: PathBuf, force: bool) -> Result<usize, Raised> {
        call(|| {
            let mut export = self.export.lock().unwrap_or_else(PoisonError::into_inner);
            export.save(&path, force, &disk(self.stop_at.clone()))
        })
    }
}
