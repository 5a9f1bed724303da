//! The answers of `list_projects` and `get_project_info`, key by key in the order of the seed.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::{Problem, Projects, TicketProject};

/// The answer of `list_projects`.
#[derive(Debug, Serialize)]
pub struct ProjectList<'a> {
    projects: Vec<Listed<'a>>,
    /// What was passed over; absent when there is nothing of that.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<ProblemView<'a>>,
}

#[derive(Debug, Serialize)]
struct Listed<'a> {
    id: &'a str,
    project: Brief<'a>,
    metadata: Metadata<'a>,
}

#[derive(Debug, Serialize)]
struct Brief<'a> {
    name: &'a str,
    code: &'a str,
    path: &'a str,
    active: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Metadata<'a> {
    date_registered: &'a str,
    last_accessed: &'a str,
    version: &'a str,
}

#[derive(Debug, Serialize)]
struct ProblemView<'a> {
    path: &'a str,
    why: &'a str,
}

/// The answer of `get_project_info`.
#[derive(Debug, Serialize)]
pub struct ProjectInfo<'a> {
    project: Info<'a>,
}

#[derive(Debug, Serialize)]
struct Info<'a> {
    id: &'a str,
    project: Full<'a>,
    stats: &'a Stats,
}

/// The keys of the seed, then what else the project's configuration says.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Full<'a> {
    #[serde(flatten)]
    brief: Brief<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repository: Option<&'a str>,
    root: String,
    start_number: u32,
    counter_file: &'a str,
}

/// How many tickets a project has.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// All of them.
    #[serde(rename = "totalCRs")]
    pub total: usize,
    /// Those of each status, in the order to be shown.
    #[serde(rename = "byStatus", serialize_with = "counts")]
    pub by_status: Vec<(String, usize)>,
}

fn counts<S: Serializer>(counts: &[(String, usize)], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(counts.len()))?;
    for (status, count) in counts {
        map.serialize_entry(status, count)?;
    }
    map.end()
}

/// All projects.
pub fn list(projects: &Projects) -> ProjectList<'_> {
    ProjectList {
        projects: projects.all.iter().map(Listed::from).collect(),
        problems: projects.problems.iter().map(ProblemView::from).collect(),
    }
}

/// One project with the numbers of its tickets.
pub fn info<'a>(project: &'a TicketProject, stats: &'a Stats) -> ProjectInfo<'a> {
    ProjectInfo {
        project: Info {
            id: &project.id,
            project: Full {
                brief: Brief::from(project),
                repository: project.repository.as_deref(),
                root: project.root.display().to_string(),
                start_number: project.start_number,
                counter_file: &project.counter_file,
            },
            stats,
        },
    }
}

impl<'a> From<&'a TicketProject> for Listed<'a> {
    fn from(project: &'a TicketProject) -> Self {
        Self {
            id: &project.id,
            project: Brief::from(project),
            metadata: Metadata {
                date_registered: &project.registered,
                last_accessed: &project.last_accessed,
                version: &project.version,
            },
        }
    }
}

impl<'a> From<&'a TicketProject> for Brief<'a> {
    fn from(project: &'a TicketProject) -> Self {
        Self {
            name: &project.name,
            code: &project.code,
            path: &project.tickets,
            active: project.active,
            description: project.description.as_deref(),
        }
    }
}

impl<'a> From<&'a Problem> for ProblemView<'a> {
    fn from(problem: &'a Problem) -> Self {
        Self {
            path: &problem.path,
            why: &problem.why,
        }
    }
}
