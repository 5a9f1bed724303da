//! The answers of `list_projects` and `get_project_info`, key by key in the order of the seed.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::{ProjectCatalog, ProjectProblem, TicketProject};

/// The answer of `list_projects`.
#[derive(Debug, Serialize)]
pub struct ProjectList<'a> {
    projects: Vec<ListedProject<'a>>,
    /// The things that were passed over; absent when there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<ProblemView<'a>>,
}

#[derive(Debug, Serialize)]
struct ListedProject<'a> {
    id: &'a str,
    project: ProjectBrief<'a>,
    metadata: ProjectMetadata<'a>,
}

#[derive(Debug, Serialize)]
struct ProjectBrief<'a> {
    name: &'a str,
    code: &'a str,
    path: &'a str,
    active: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ProjectMetadata<'a> {
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
    project: ProjectInfoEntry<'a>,
}

#[derive(Debug, Serialize)]
struct ProjectInfoEntry<'a> {
    id: &'a str,
    project: FullProject<'a>,
    stats: &'a TicketStats,
}

/// The keys of the seed, then what else the project's configuration says.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct FullProject<'a> {
    #[serde(flatten)]
    brief: ProjectBrief<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repository: Option<&'a str>,
    root: String,
    start_number: u32,
    counter_file: &'a str,
}

/// The number of tickets of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TicketStats {
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
pub fn list(projects: &ProjectCatalog) -> ProjectList<'_> {
    ProjectList {
        projects: projects.all.iter().map(ListedProject::from).collect(),
        problems: projects.problems.iter().map(ProblemView::from).collect(),
    }
}

/// One project with the numbers of its tickets.
pub fn info<'a>(project: &'a TicketProject, stats: &'a TicketStats) -> ProjectInfo<'a> {
    ProjectInfo {
        project: ProjectInfoEntry {
            id: &project.id,
            project: FullProject {
                brief: ProjectBrief::from(project),
                repository: project.repository.as_deref(),
                root: project.root.display().to_string(),
                start_number: project.start_number,
                counter_file: &project.counter_file,
            },
            stats,
        },
    }
}

impl<'a> From<&'a TicketProject> for ListedProject<'a> {
    fn from(project: &'a TicketProject) -> Self {
        Self {
            id: &project.id,
            project: ProjectBrief::from(project),
            metadata: ProjectMetadata {
                date_registered: &project.registered,
                last_accessed: &project.last_accessed,
                version: &project.version,
            },
        }
    }
}

impl<'a> From<&'a TicketProject> for ProjectBrief<'a> {
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

impl<'a> From<&'a ProjectProblem> for ProblemView<'a> {
    fn from(problem: &'a ProjectProblem) -> Self {
        Self {
            path: &problem.path,
            why: &problem.why,
        }
    }
}
