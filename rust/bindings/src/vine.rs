//! `VineFiles`: the four tools of the vine dialect as methods.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use chant_store::walk::DEPTH;
use chant_vine::document::VineDocument;
use chant_vine::files::{self, VineStore};
use chant_vine::ops::{self, GraphQuery, NodeFilter};
use chant_workspace::external_items;
use pyo3::prelude::*;

use crate::detached::detached;
use crate::parameters::{KeywordArguments, read};
use crate::raise::{Answered, Raised, answer, call};
use crate::stop::{disk_of_user, of_run_in};
use crate::values::list;

// Python shows a default only when it is written out in the signature.
const _: () = assert!(DEPTH == 4);

/// VINE graphs in files below a folder. Safe to share between threads; every answer is as of the moment
/// it is asked for.
#[pyclass(frozen, module = "chant_mcp._core")]
pub(crate) struct VineFiles {
    pub(crate) files: Arc<VineStore>,
}

/// Names a folder independently of the working folder, against which documents are compared later.
fn absolute(folder: PathBuf) -> PathBuf {
    std::path::absolute(&folder).unwrap_or(folder)
}

#[pymethods]
impl VineFiles {
    #[new]
    #[pyo3(signature = (folder, *, roots = Vec::new(), may_leave = true, state_home = None, stop_at = None,
                        of_run = false))]
    fn new(
        py: Python<'_>,
        folder: PathBuf,
        roots: Vec<PathBuf>,
        may_leave: bool,
        state_home: Option<PathBuf>,
        stop_at: Option<String>,
        of_run: bool,
    ) -> Self {
        let (folder, roots) = (absolute(folder), roots.into_iter().map(absolute).collect());
        let disk = disk_of_user(py, stop_at, state_home, &BTreeMap::new());
        let disk = of_run_in(disk, of_run.then_some(&folder));
        Self {
            files: Arc::new(
                VineStore::new(disk, folder, roots, may_leave).with_external(external_items),
            ),
        }
    }

    /// The graphs in a folder, by their path in it.
    #[staticmethod]
    #[pyo3(signature = (folder, *, depth = 4, most = 1000))]
    fn found(folder: PathBuf, depth: usize, most: usize) -> Vec<String> {
        detached(|| files::find_graphs(&folder, depth, most))
    }

    /// Returns true if a name means a file that exists.
    fn finds(&self, file: &str) -> bool {
        detached(|| self.files.finds(file))
    }

    /// The file that a name means.
    fn locate(&self, file: &str) -> Result<PathBuf, Raised> {
        call(|| self.files.existing(file).map(|file| file.absolute()))
    }

    /// Where relative names start.
    #[getter]
    fn folder(&self) -> PathBuf {
        self.files.folder.clone()
    }

    /// Answers a question about a graph: its tasks, one of them, the summary.
    ///
    /// Further keywords: those of `chant_mcp.parameters.GraphQuery`.
    #[pyo3(signature = (file, action, **query))]
    fn read(&self, file: &str, action: &str, query: Option<KeywordArguments>) -> Answered {
        let query = GraphQuery {
            action,
            ..read(query.as_ref())?
        };
        answer(|| ops::read(&self.files, file, &query))
    }

    /// Returns what can be acted on now, and how.
    ///
    /// Further keywords: those of `chant_mcp.parameters.PageRequest`.
    #[pyo3(signature = (file, **page))]
    fn next(&self, file: &str, page: Option<KeywordArguments>) -> Answered {
        let page = read(page.as_ref())?;
        answer(|| ops::next(&self.files, file, page))
    }

    /// All that is known of a graph, however long the answer.
    #[pyo3(signature = (file, *, statuses = Vec::new(), query = ""))]
    fn plan(&self, file: &str, statuses: Vec<String>, query: &str) -> Answered {
        let statuses = statuses.as_slice();
        answer(|| ops::plan(&self.files, file, NodeFilter { statuses, query }))
    }

    /// A graph as it is now, to be asked later on.
    fn document(&self, file: &str) -> Result<PyVineDocument, Raised> {
        let document = call(|| ops::document(&self.files, file))?;
        Ok(PyVineDocument { document })
    }

    /// All that is known of a node, however long the answer.
    fn task(&self, file: &str, id: &str) -> Answered {
        answer(|| ops::task(&self.files, file, id))
    }

    /// The text of a graph, or of one of its nodes.
    #[pyo3(signature = (file, id = None))]
    fn text(&self, file: &str, id: Option<&str>) -> Answered {
        answer(|| ops::text(&self.files, file, id))
    }

    /// A graph as a picture.
    #[pyo3(signature = (file, format = "tree", *, statuses = Vec::new()))]
    fn picture(&self, file: &str, format: &str, statuses: Vec<String>) -> Answered {
        answer(|| ops::picture(&self.files, file, format, &statuses))
    }

    /// Makes changes in order; all of them, or none when the graph would not be valid.
    ///
    /// Further keywords: those of `chant_mcp.parameters.WriteOptionsOfHandle`.
    #[pyo3(signature = (file, operations, **options))]
    fn write(
        &self,
        file: &str,
        operations: &Bound<'_, PyAny>,
        options: Option<KeywordArguments>,
    ) -> Answered {
        let operations = list(operations)?;
        let options = read(options.as_ref())?;
        answer(|| ops::write(&self.files, file, &operations, options))
    }

    /// Puts the tasks of another file in the place of a reference.
    #[pyo3(signature = (file, ref_id, child_file = None))]
    fn expand(&self, file: &str, ref_id: &str, child_file: Option<&str>) -> Answered {
        answer(|| ops::expand(&self.files, file, ref_id, child_file))
    }
}

/// A graph as it was at one moment; what is said of it is worked out when it is asked for.
#[pyclass(name = "VineDocument", frozen, module = "chant_mcp._core")]
pub(crate) struct PyVineDocument {
    pub(crate) document: Arc<VineDocument>,
}

#[pymethods]
impl PyVineDocument {
    /// Returns its name, and how far it is.
    fn head(&self) -> Answered {
        answer(|| Ok(ops::head(&self.document)))
    }

    /// Returns git's name for its text.
    fn blob(&self) -> String {
        detached(|| ops::name_of_text(&self.document))
    }
}
