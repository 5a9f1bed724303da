//! The refusals of the tickets dialect, and the object that clients see of them (seed tickets, "Error
//! Handling"; reference tickets 3.1 and 10).

use serde_json::{Map, Value, json};

use chant_base::answer::{cut, escaped_len};
use chant_base::error::{CoreError, Error, ErrorKind};
use chant_base::next_step::{HintText, NextStep, hint};
use chant_store::StoreError;
use chant_text::edit::EditError;

/// So many choices an error lists.
const CHOICES_SHOWN: usize = 50;

/// Characters that the choices of an error take together: they are named whole or not at all, once in
/// its sentence and once in its details.
const CHOICES_CHARS: usize = 15_000;

/// Characters of a value that an error repeats.
const VALUE_SHOWN: usize = 300;

/// The message for a call where no project is named and there is none.
pub(super) const NO_PROJECT: &str = "Project is required, and none was found; a project has a `.mdt-config.toml` or the folder `docs/CRs`";

/// A refusal; its `Display` says everything in a sentence, [`object`] what clients of the seed expect.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TicketError {
    /// There is no such project.
    #[error("Project {} not found. Available projects: {}", quoted(project), shown(available).join(", "))]
    ProjectNotFound {
        /// The project that was asked for.
        project: String,
        /// Codes of those there are.
        available: Vec<String>,
    },
    /// There is no such ticket.
    #[error("CR '{key}' not found in project '{project}'. {}", choices(available))]
    NotFound {
        /// The ticket that was asked for.
        key: String,
        /// The project's code.
        project: String,
        /// Codes of those there are, the newest first.
        available: Vec<String>,
    },
    /// The ticket's file cannot be read at all.
    #[error("CR '{key}': {path} {why}. Fix the file and call again; others are not affected")]
    Unreadable {
        /// Its code.
        key: String,
        /// Its file.
        path: String,
        /// The fault of the file, as a sentence about it.
        why: String,
    },
    /// Arguments have values they may not have; by name, what is wrong and what was expected.
    #[error("Validation failed: {}", list_fields(fields))]
    Validation {
        /// The arguments.
        fields: Vec<(String, String)>,
    },
    /// A template cannot be used.
    #[error(
        "Template '{template}' cannot be used: {why}. Fix or remove it and call again; nothing was written"
    )]
    Template {
        /// Its file or type.
        template: String,
        /// The fault, and what was expected.
        why: String,
    },
    /// There is no such section.
    #[error("Section {} not found in CR {key}. Available sections: {}", quoted(section), shown(available).join(" | "))]
    SectionNotFound {
        /// The section that was asked for.
        section: String,
        /// The ticket's code.
        key: String,
        /// Names of those there are, in the order of the document.
        available: Vec<String>,
    },
    /// Several sections match.
    #[error("Several sections match {} in CR {key}: {}. Give one of these names", quoted(section), shown(matches).join(" | "))]
    AmbiguousSection {
        /// The section that was asked for.
        section: String,
        /// The ticket's code.
        key: String,
        /// Names of those that match, each of which means only one.
        matches: Vec<String>,
    },
    /// The section holds another text than the caller read.
    #[error(
        "The text of section {} in CR {key} changed since it was read; nothing was changed by this edit. Read it again and repeat the edit",
        quoted(section)
    )]
    SectionChanged {
        /// Its name.
        section: String,
        /// The ticket's code.
        key: String,
    },
    /// Several files have the code.
    #[error("Several files have the code {key}: {}. Nothing was changed; give all but one another code, or remove them", shown(files).join(", "))]
    Duplicate {
        /// The code.
        key: String,
        /// The files, absolute.
        files: Vec<String>,
    },
    /// The code that was given out beforehand may be another ticket's by now.
    #[error(
        "Other tickets were created meanwhile, so {key} may be taken; nothing was changed. Repeat the whole transaction"
    )]
    CodeTaken {
        /// The code.
        key: String,
    },
    /// The state may not change like that.
    #[error("Invalid status transition from {} to '{to}'. Valid transitions from {}: {}", quoted(from), quoted(from), allowed.join(", "))]
    Transition {
        /// The state as it is.
        from: String,
        /// The state that was wanted.
        to: String,
        /// States that may follow.
        allowed: Vec<&'static str>,
    },
}

impl TicketError {
    /// The refusal of one argument.
    pub fn invalid(field: &str, why: impl Into<String>) -> Self {
        Self::Validation {
            fields: vec![(field.to_owned(), why.into())],
        }
    }

    /// The seed's code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::ProjectNotFound { .. } => "PROJECT_NOT_FOUND",
            Self::NotFound { .. } => "CR_NOT_FOUND",
            Self::Unreadable { .. } => FILE_SYSTEM,
            Self::Validation { .. } => VALIDATION,
            Self::Template { .. } => "TEMPLATE_ERROR",
            Self::SectionNotFound { .. } => "SECTION_NOT_FOUND",
            Self::AmbiguousSection { .. } => "AMBIGUOUS_SECTION",
            Self::SectionChanged { .. } | Self::CodeTaken { .. } => "CONFLICT",
            Self::Duplicate { .. } => "DUPLICATE_CR",
            Self::Transition { .. } => "INVALID_TRANSITION",
        }
    }

    /// The seed's sentence where it has one; the values are in the details then.
    fn sentence(&self) -> String {
        match self {
            Self::ProjectNotFound { .. } => "Project not found".into(),
            Self::Validation { .. } => VALIDATION_FAILED.into(),
            Self::SectionNotFound { .. } => "Section not found in document".into(),
            Self::NotFound { key, project, .. } => {
                format!("CR '{key}' not found in project '{project}'")
            }
            other => other.to_string(),
        }
    }
}

impl CoreError for TicketError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::ProjectNotFound { .. } | Self::NotFound { .. } | Self::SectionNotFound { .. } => {
                ErrorKind::NotFound
            }
            Self::Unreadable { .. } | Self::Template { .. } => ErrorKind::InvalidDocument,
            Self::Validation { .. } => ErrorKind::InvalidArgument,
            Self::AmbiguousSection { .. } => ErrorKind::AmbiguousId,
            Self::Duplicate { .. } | Self::SectionChanged { .. } | Self::CodeTaken { .. } => {
                ErrorKind::Conflict
            }
            Self::Transition { .. } => ErrorKind::IllegalTransition,
        }
    }

    fn hint(&self) -> HintText {
        match self {
            Self::ProjectNotFound { available, .. } if available.is_empty() => hint![
                ". A person makes this folder a project with ",
                NextStep::InitTickets,
            ],
            Self::Validation { fields } if fields.iter().any(|(_, why)| why == NO_PROJECT) => {
                hint![
                    "\nA person makes this folder a project with ",
                    NextStep::InitTickets,
                    ".",
                ]
            }
            _ => HintText::default(),
        }
    }

    fn details(&self) -> Value {
        let mut details = match self {
            Self::ProjectNotFound { project, .. } => json!({"project": value(project)}),
            Self::NotFound { key, project, .. } => json!({"project": project, "key": key}),
            Self::Unreadable { key, path, why } => json!({"key": key, "file": path, "reason": why}),
            Self::Validation { fields } => {
                let short = |(name, why): &(String, String)| (value(name), cut(why, 2_000).into());
                Value::Object(fields.iter().take(CHOICES_SHOWN).map(short).collect())
            }
            Self::Template { template, why } => json!({"template": template, "reason": why}),
            Self::SectionNotFound { section, key, .. }
            | Self::SectionChanged { section, key }
            | Self::AmbiguousSection { section, key, .. } => {
                json!({"section": value(section), "key": key})
            }
            Self::Duplicate { key, .. } | Self::CodeTaken { key } => json!({"key": key}),
            Self::Transition { from, to, allowed } => {
                json!({"from": value(from), "to": to, "allowed": allowed})
            }
        };
        let (name, total, choices) = match self {
            Self::ProjectNotFound { available, .. } => {
                ("availableProjects", "availableTotal", available)
            }
            Self::NotFound { available, .. } => ("availableKeys", "availableTotal", available),
            Self::SectionNotFound { available, .. } => {
                ("availableSections", "availableTotal", available)
            }
            Self::AmbiguousSection { matches, .. } => ("matches", "matchesTotal", matches),
            Self::Duplicate { files, .. } => ("files", "filesTotal", files),
            _ => return details,
        };
        let shown = shown(choices);
        details[name] = json!(shown);
        if choices.len() > shown.len() {
            details[total] = choices.len().into();
        }
        details
    }
}

const VALIDATION: &str = "VALIDATION_ERROR";
const VALIDATION_FAILED: &str = "Validation failed";
const FILE_SYSTEM: &str = "FILE_SYSTEM_ERROR";

/// A refusal as the seed shows it: `{error, code, details}`.
pub fn object(error: &Error) -> Value {
    let error = error.root();
    let reason = || json!({"reason": error.to_string()});
    let (sentence, code, details) = if let Some(error) = error.downcast_ref::<TicketError>() {
        (error.sentence(), error.code(), error.details())
    } else if error.is::<StoreError>() && error.kind() == ErrorKind::Conflict {
        ("Somebody else is changing it".into(), "CONFLICT", reason())
    } else if error.is::<StoreError>() {
        ("File operation failed".into(), FILE_SYSTEM, reason())
    } else if error.is::<EditError>() {
        let details = json!({"document": error.to_string()});
        (VALIDATION_FAILED.into(), VALIDATION, details)
    } else {
        let details = Value::Object(error.details());
        (error.to_string(), error.kind().code(), details)
    };
    let mut object = Map::new();
    object.insert("error".into(), sentence.into());
    object.insert("code".into(), code.into());
    object.insert("details".into(), details);
    Value::Object(object)
}

/// A value as errors repeat it in a sentence.
pub fn quoted(text: &str) -> String {
    format!("'{}'", value(text))
}

fn value(text: &str) -> String {
    cut(text, VALUE_SHOWN)
}

/// The first choices, as many as an answer has room for.
fn shown(choices: &[String]) -> Vec<&str> {
    let mut room = CHOICES_CHARS;
    let fits = |choice: &&String| {
        let left = room.checked_sub(escaped_len(choice));
        room = left.unwrap_or_default();
        left.is_some()
    };
    let shown = choices.iter().take(CHOICES_SHOWN).take_while(fits);
    shown.map(String::as_str).collect()
}

fn choices(available: &[String]) -> String {
    let shown = shown(available);
    match (available, available.len() - shown.len()) {
        ([], _) => "It has none yet".into(),
        (_, 0) => format!("Available: {}", shown.join(", ")),
        (_, more) => format!("Available: {} and {more} more", shown.join(", ")),
    }
}

fn list_fields(fields: &[(String, String)]) -> String {
    let listed = fields.iter().map(|(name, why)| format!("{name}: {why}"));
    listed.collect::<Vec<_>>().join("; ")
}
