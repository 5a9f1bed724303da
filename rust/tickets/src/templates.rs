//! Templates of new tickets: an outline for each type, overridable by project and by user (reference
//! tickets 5 and 10).

use std::path::{Path, PathBuf};

use chant_store::StoreError;
use chant_store::disk::{self, Disk, FileStamp};
use chant_store::files::{self, RootFolder};
use chant_text::markdown::outline;

/// The folder of a project that holds its own templates.
const PROJECT_FOLDER: &str = ".mdt-templates";

/// The folder of the user's configuration that holds templates for all projects.
const USER_FOLDER: &str = "templates";

/// The placeholder of the title in a template.
const TITLE: &str = "{title}";

/// The outline of one type of tickets.
#[derive(Debug)]
pub struct TicketTemplate {
    /// The type as tickets name it.
    pub kind: &'static str,
    /// The name of its file, without ending.
    pub slug: &'static str,
    /// Sections without which a ticket of this type says too little (reference 5.4, built in).
    pub required: &'static [&'static str],
    /// The outline, with placeholders.
    pub text: &'static str,
}

/// The outlines that are built in, in the order of the seed.
pub static BUILT_IN: [TicketTemplate; 6] = [
    TicketTemplate {
        kind: "Architecture",
        slug: "architecture",
        required: &[
            "Problem Statement", "Architecture Overview", "Design Decisions", "Trade-offs",
        ],
        text: include_str!("templates/architecture.md"),
    },
    TicketTemplate {
        kind: "Feature Enhancement",
        slug: "feature-enhancement",
        required: &[
            "Problem Statement", "Current State", "Desired State", "Rationale",
        ],
        text: include_str!("templates/feature-enhancement.md"),
    },
    TicketTemplate {
        kind: "Bug Fix",
        slug: "bug-fix",
        required: &[
            "Problem Statement", "Current Behavior", "Expected Behavior", "Impact Assessment",
        ],
        text: include_str!("templates/bug-fix.md"),
    },
    TicketTemplate {
        kind: "Technical Debt",
        slug: "technical-debt",
        required: &["Problem Statement", "Current Impact", "Proposed Solution"],
        text: include_str!("templates/technical-debt.md"),
    },
    TicketTemplate {
        kind: "Documentation",
        slug: "documentation",
        required: &["Documentation Gap", "Target Audience", "Content Outline"],
        text: include_str!("templates/documentation.md"),
    },
    TicketTemplate {
        kind: "Research",
        slug: "research",
        required: &["Research Objective", "Research Context", "Scope"],
        text: include_str!("templates/research.md"),
    },
];

/// The template of a type, in any case of letters.
pub fn of_kind(kind: &str) -> Option<&'static TicketTemplate> {
    let kind = kind.trim();
    BUILT_IN
        .iter()
        .find(|template| template.kind.eq_ignore_ascii_case(kind))
}

/// Where templates of users are looked for.
pub struct TemplatePlaces<'a> {
    /// The way files are read.
    pub disk: &'a Disk,
    /// The project's root; `.mdt-templates/` in it goes first.
    pub project: &'a Path,
    /// The user's configuration folder; `templates/` in it comes next.
    pub config_folder: Option<&'a Path>,
}

/// The values for `{title}`, `{type}` and `{code}`.
#[derive(Debug, Clone, Copy)]
pub struct TicketPlaceholders<'a> {
    /// The ticket's title.
    pub title: &'a str,
    /// Its type.
    pub kind: &'a str,
    /// Its code.
    pub code: &'a str,
}

/// Why a template cannot be used; the seed's `TEMPLATE_ERROR`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateProblem {
    /// A user's template is broken; the built-in one is not taken in its place, since that would hide
    /// it.
    #[error(
        "The template `{path}` cannot be used: {why}. Fix or remove it and call again; nothing was written."
    )]
    Broken {
        /// The template's file.
        path: String,
        /// The fault.
        why: String,
    },
    /// There is no such type.
    #[error(
        "There is no template for tickets of the type `{given}`; types are: {}",
        kinds()
    )]
    NoSuchType {
        /// The type that was asked for.
        given: String,
    },
}

fn kinds() -> String {
    BUILT_IN.each_ref().map(|template| template.kind).join(", ")
}

/// The body of a new ticket: the project's template, else the user's, else the one built in.
///
/// # Errors
/// `TemplateProblem`.
pub fn body(
    places: &TemplatePlaces<'_>,
    filling: TicketPlaceholders<'_>,
) -> Result<String, TemplateProblem> {
    let Some(template) = of_kind(filling.kind) else {
        return Err(TemplateProblem::NoSuchType {
            given: filling.kind.to_owned(),
        });
    };
    let filling = TicketPlaceholders {
        kind: template.kind,
        ..filling
    };
    let of_user = places.text(template.slug)?;
    Ok(fill(of_user.as_deref().unwrap_or(template.text), filling))
}

impl TemplatePlaces<'_> {
    /// A user's template, where there is one.
    fn text(&self, slug: &str) -> Result<Option<String>, TemplateProblem> {
        let file = format!("{slug}.md");
        let of_project = self.project.join(PROJECT_FOLDER).join(&file);
        if disk::exists(&of_project) {
            let name = format!("{PROJECT_FOLDER}/{file}");
            let read = RootFolder::open(self.project)
                .and_then(|root| files::read(self.disk, &root, &name));
            return checked(&of_project, read).map(Some);
        }
        let of_user = self
            .config_folder
            .map(|folder| folder.join(USER_FOLDER).join(&file))
            .filter(|path| disk::exists(path));
        let read = |path: PathBuf| {
            let text = self.disk.read_text(&path, &path.display().to_string());
            checked(&path, text)
        };
        of_user.map(read).transpose()
    }
}

/// A template that was read, if it is one.
fn checked(
    path: &Path,
    read: Result<(String, FileStamp), StoreError>,
) -> Result<String, TemplateProblem> {
    let (text, _) = read.map_err(|error| broken(path, &error))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    match fault(text) {
        None => Ok(text.to_owned()),
        Some(why) => Err(TemplateProblem::Broken {
            path: path.display().to_string(),
            why: why.into(),
        }),
    }
}

fn broken(path: &Path, error: &StoreError) -> TemplateProblem {
    TemplateProblem::Broken {
        path: path.display().to_string(),
        why: match error {
            StoreError::Unreadable { why, .. } => why.clone(),
            StoreError::Missing { .. } => "it is a link that leads nowhere".into(),
            StoreError::Outside { .. } => "it is a link that leads out of the project".into(),
            error => error.to_string(),
        },
    }
}

/// Returns the fault of a user's template.
fn fault(text: &str) -> Option<&'static str> {
    if text
        .lines()
        .next()
        .is_some_and(|line| line.trim_end() == "---")
    {
        return Some(
            "it begins with `---`; a template is the text below the attributes, which are written for it",
        );
    }
    let headings = outline(text).headings;
    let title = headings.iter().find(|heading| heading.level == 1);
    match title {
        Some(heading) if heading.text.contains(TITLE) => None,
        Some(_) => Some("its first `# ` heading has no `{title}`; expected `# {title}`"),
        None => Some("it has no heading `# {title}`"),
    }
}

/// A template with its placeholders filled in one pass, so that nothing in a title means anything.
fn fill(text: &str, filling: TicketPlaceholders<'_>) -> String {
    let values = [
        (TITLE, filling.title),
        ("{type}", filling.kind),
        ("{code}", filling.code),
    ];
    let mut filled = String::with_capacity(text.len() + filling.title.len());
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        filled.push_str(&rest[..at]);
        rest = &rest[at..];
        let meant = values.iter().find(|(name, _)| rest.starts_with(name));
        let (name, value) = meant.unwrap_or(&("{", "{"));
        filled.push_str(value);
        rest = &rest[name.len()..];
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;
    use chant_text::sections::sections;

    #[test]
    fn every_template_has_the_title_on_top_and_its_required_sections() {
        for template in &BUILT_IN {
            assert_eq!(fault(template.text), None, "{}", template.kind);
            let outline = outline(template.text);
            let titles: Vec<_> = sections(&outline, template.text.len())
                .into_iter()
                .map(|section| section.title)
                .collect();
            for required in template.required {
                assert!(
                    titles.iter().any(|title| title.starts_with(required)),
                    "{}: {required}",
                    template.kind
                );
            }
            assert!(template.text.contains("Acceptance Criteria\n"));
            assert!(template.text.ends_with("discussions.*\n"));
        }
    }

    #[test]
    fn a_title_is_put_in_as_it_is() {
        let filling = TicketPlaceholders {
            title: "$& {code} \\1 {title}",
            kind: "Bug Fix",
            code: "MDT-001",
        };
        assert_eq!(
            fill("# {title} {x} {type}/{code}{", filling),
            "# $& {code} \\1 {title} {x} Bug Fix/MDT-001{"
        );
    }

    #[test]
    fn a_heading_in_a_fence_is_no_title() {
        assert_eq!(
            fault("```\n# {title}\n```\n"),
            Some("it has no heading `# {title}`")
        );
        assert!(fault("# Fixed\n\n# {title}\n").is_some());
        assert!(fault("---\ntitle: x\n---\n# {title}\n").is_some());
        assert_eq!(fault("\n{title}\n=====\n"), None);
    }
}
