//! Operations as callers give them: every one is checked for its shape before a file is touched
//! (reference vine 6.2).

use serde_json::{Map, Value};

use super::error::VineError;
use super::model::{Attachment, AttachmentClass, FormatVersion, TaskStatus};

/// Keys with their values.
pub type AnnotationList = Vec<(Box<str>, Vec<Box<str>>)>;

/// One change of a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GraphOperation {
    /// Begins a new file.
    Create {
        /// Version of the format.
        version: FormatVersion,
    },
    /// Adds a task.
    AddTask {
        /// Its ID.
        id: String,
        /// Its name.
        name: String,
        /// The status of the task.
        status: TaskStatus,
        /// Its description.
        description: String,
        /// IDs of what it depends on.
        depends_on: Vec<String>,
        /// Its annotations.
        annotations: AnnotationList,
    },
    /// Adds a reference.
    AddRef {
        /// Its ID.
        id: String,
        /// Its name.
        name: String,
        /// The file it stands for.
        vine: String,
        /// Its description.
        description: String,
        /// IDs of what it depends on.
        depends_on: Vec<String>,
        /// Its decisions.
        decisions: Vec<String>,
        /// Its annotations.
        annotations: AnnotationList,
    },
    /// Takes a node out, and its ID out of all dependencies.
    RemoveTask {
        /// Its ID.
        id: String,
    },
    /// Says how far a task is.
    SetStatus {
        /// Its ID.
        id: String,
        /// Its status from now on.
        status: TaskStatus,
    },
    /// Takes a task to work on.
    Claim {
        /// Its ID.
        id: String,
        /// True if it is taken even when another worker has it or it has to wait.
        force: bool,
        /// The worker who takes it; kept as an annotation.
        owner: Option<String>,
    },
    /// Replaces what is given, leaves the rest.
    Update {
        /// The node's ID.
        id: String,
        /// The fields that are given.
        changes: TaskUpdate,
    },
    /// Adds a dependency.
    AddDep {
        /// The node that depends.
        task_id: String,
        /// The node that it depends on.
        dep_id: String,
    },
    /// Takes a dependency out.
    RemoveDep {
        /// The node that depends.
        task_id: String,
        /// The node that it depends on.
        dep_id: String,
    },
    /// Names another file for a reference.
    UpdateRefUri {
        /// The reference's ID.
        id: String,
        /// The file.
        uri: String,
    },
    /// Moves a task into a new file and leaves a reference.
    ExtractToRef {
        /// The task's ID.
        id: String,
        /// The new file.
        vine: String,
        /// The reference's name; the task's when not given.
        ref_name: Option<String>,
    },
    /// Gives a node another ID, in all dependencies, too.
    RenameTask {
        /// Its ID.
        id: String,
        /// The other one.
        new_id: String,
    },
    /// Moves a node to another place in the file; the first one is the root.
    MoveTask {
        /// Its ID.
        id: String,
        /// The node that it is put before; the end when not given.
        before: Option<String>,
    },
    /// Replaces what the file says about itself; what is `None` stays.
    SetMeta {
        /// The graph's name; empty for none.
        title: Option<String>,
        /// The prefix that its nodes' IDs get when it is put into another graph.
        prefix: Option<String>,
        /// The line between blocks.
        delimiter: Option<String>,
    },
}

impl GraphOperation {
    /// The ID that the node has behind the operation which it is about; `None` where it is about none.
    pub(super) fn node(&self) -> Option<&str> {
        match self {
            Self::AddTask { id, .. }
            | Self::AddRef { id, .. }
            | Self::RemoveTask { id }
            | Self::SetStatus { id, .. }
            | Self::Claim { id, .. }
            | Self::Update { id, .. }
            | Self::UpdateRefUri { id, .. }
            | Self::ExtractToRef { id, .. }
            | Self::RenameTask { new_id: id, .. }
            | Self::MoveTask { id, .. }
            | Self::AddDep { task_id: id, .. }
            | Self::RemoveDep { task_id: id, .. } => Some(id),
            Self::Create { .. } | Self::SetMeta { .. } => None,
        }
    }
}

/// The fields that an update replaces; what is `None` stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskUpdate {
    /// The node's name.
    pub name: Option<String>,
    /// Its description.
    pub description: Option<String>,
    /// Its decisions.
    pub decisions: Option<Vec<String>>,
    /// Its attachments.
    pub attachments: Option<Vec<Attachment>>,
    /// Its annotations.
    pub annotations: Option<AnnotationList>,
    /// Decisions to be put behind those there are.
    pub add_decisions: Vec<String>,
    /// Attachments to be put behind those there are.
    pub add_attachments: Vec<Attachment>,
    /// URIs of what belongs to it no more.
    pub remove_attachments: Vec<String>,
}

/// The operations with their fields, required ones first and in the order in which they are checked.
const FIELDS: [(&str, &[&str], &[&str]); 14] = [
    ("create", &[], &["version"]),
    (
        "add_task",
        &["id", "name"],
        &["status", "description", "dependsOn", "annotations"],
    ),
    ("remove_task", &["id"], &[]),
    ("set_status", &["id", "status"], &[]),
    (
        "update",
        &["id"],
        &[
            "name", "description", "decisions", "attachments", "annotations", "addDecisions",
            "addAttachments", "removeAttachments",
        ],
    ),
    ("claim", &["id"], &["force", "owner"]),
    ("extract_to_ref", &["id", "vine"], &["refName"]),
    ("add_dep", &["taskId", "depId"], &[]),
    ("remove_dep", &["taskId", "depId"], &[]),
    (
        "add_ref",
        &["id", "name", "vine"],
        &["description", "dependsOn", "decisions", "annotations"],
    ),
    ("update_ref_uri", &["id", "uri"], &[]),
    ("rename_task", &["id", "newId"], &[]),
    ("move_task", &["id"], &["before"]),
    ("set_meta", &[], &["title", "prefix", "delimiter"]),
];

/// Reads operations.
///
/// # Errors
/// `VineError::Shape` for the first one that is none, numbered from 0.
pub fn operations(values: &[Value]) -> Result<Vec<GraphOperation>, VineError> {
    let read = |(at, value)| {
        operation(value).map_err(|why| VineError::Shape {
            at,
            message: why.to_string(),
        })
    };
    values.iter().enumerate().map(read).collect()
}

fn operation(value: &Value) -> Result<GraphOperation, MalformedOperation> {
    let Some(fields) = value.as_object() else {
        return Err(MalformedOperation::NoObject);
    };
    let Some(op) = fields.get("op").and_then(Value::as_str) else {
        return Err(MalformedOperation::NoOp);
    };
    let known = FIELDS.iter().find(|(name, ..)| *name == op);
    let Some((op, required, optional)) = known else {
        return Err(MalformedOperation::UnknownOp(op.to_owned()));
    };
    let given = OperationFields { op, fields };
    for field in *required {
        given.required(field)?;
    }
    let is_unknown =
        |key: &&str| *key != "op" && !required.contains(key) && !optional.contains(key);
    // Hosts that fill in every property of the one kind of operation there is give `null` for the rest.
    let set = fields.iter().filter(|(_, value)| !value.is_null());
    if let Some(unknown) = set.map(|(key, _)| key.as_str()).find(is_unknown) {
        let all: Vec<&str> = required.iter().chain(*optional).copied().collect();
        return Err(MalformedOperation::UnknownField {
            op,
            field: unknown.to_owned(),
            fields: all.join(", "),
        });
    }
    given.operation()
}

/// The fault of a value that is no operation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum MalformedOperation {
    #[error("expected an object with an \"op\" field.")]
    NoObject,
    #[error("missing \"op\" field.")]
    NoOp,
    #[error("unknown op \"{0}\".")]
    UnknownOp(String),
    #[error("{op} has no field \"{field}\". Its fields: {fields}.")]
    UnknownField {
        op: &'static str,
        field: String,
        fields: String,
    },
    #[error("{0} requires \"{1}\".")]
    Missing(&'static str, String),
    #[error("{0} \"{1}\" must be {2}.")]
    FieldType(&'static str, String, &'static str),
    #[error("status must be a string.")]
    StatusType,
    #[error("invalid status \"{0}\". Valid: {1}")]
    Status(String, String),
    #[error("create \"version\" must be 1.0.0, 1.1.0 or 1.2.0, got \"{0}\".")]
    Version(String),
    #[error("{0} \"{1}\" elements must have class, mime, and uri as strings.")]
    Attachment(&'static str, String),
    #[error("{op} \"{field}\" class must be artifact, guidance or file, got \"{class}\".")]
    Class {
        op: &'static str,
        field: String,
        class: String,
    },
    #[error("{0} \"annotations\" values must be arrays of strings.")]
    AnnotationValues(&'static str),
}

/// The fields of one operation; `null` means absent.
struct OperationFields<'a> {
    op: &'static str,
    fields: &'a Map<String, Value>,
}

impl OperationFields<'_> {
    fn operation(&self) -> Result<GraphOperation, MalformedOperation> {
        Ok(match self.op {
            "create" => GraphOperation::Create {
                version: self.version()?,
            },
            "add_task" => GraphOperation::AddTask {
                id: self.required("id")?,
                name: self.required("name")?,
                status: match self.field("status") {
                    None => TaskStatus::NotStarted,
                    Some(Value::String(word)) => status(word)?,
                    Some(_) => return Err(MalformedOperation::StatusType),
                },
                description: self.text("description")?.unwrap_or_default(),
                depends_on: self.texts("dependsOn")?.unwrap_or_default(),
                annotations: self.annotations()?.unwrap_or_default(),
            },
            "add_ref" => GraphOperation::AddRef {
                id: self.required("id")?,
                name: self.required("name")?,
                vine: self.required("vine")?,
                description: self.text("description")?.unwrap_or_default(),
                depends_on: self.texts("dependsOn")?.unwrap_or_default(),
                decisions: self.texts("decisions")?.unwrap_or_default(),
                annotations: self.annotations()?.unwrap_or_default(),
            },
            "remove_task" => GraphOperation::RemoveTask {
                id: self.required("id")?,
            },
            "set_status" => GraphOperation::SetStatus {
                id: self.required("id")?,
                status: status(&self.required("status")?)?,
            },
            "claim" => GraphOperation::Claim {
                id: self.required("id")?,
                force: self.flag("force")?,
                owner: self.text("owner")?,
            },
            "update" => GraphOperation::Update {
                id: self.required("id")?,
                changes: TaskUpdate {
                    name: self.text("name")?,
                    description: self.text("description")?,
                    decisions: self.texts("decisions")?,
                    attachments: self.attachments("attachments")?,
                    annotations: self.annotations()?,
                    add_decisions: self.texts("addDecisions")?.unwrap_or_default(),
                    add_attachments: self.attachments("addAttachments")?.unwrap_or_default(),
                    remove_attachments: self.texts("removeAttachments")?.unwrap_or_default(),
                },
            },
            "add_dep" => GraphOperation::AddDep {
                task_id: self.required("taskId")?,
                dep_id: self.required("depId")?,
            },
            "remove_dep" => GraphOperation::RemoveDep {
                task_id: self.required("taskId")?,
                dep_id: self.required("depId")?,
            },
            "update_ref_uri" => GraphOperation::UpdateRefUri {
                id: self.required("id")?,
                uri: self.required("uri")?,
            },
            "extract_to_ref" => GraphOperation::ExtractToRef {
                id: self.required("id")?,
                vine: self.required("vine")?,
                ref_name: self.text("refName")?,
            },
            "rename_task" => GraphOperation::RenameTask {
                id: self.required("id")?,
                new_id: self.required("newId")?,
            },
            "move_task" => GraphOperation::MoveTask {
                id: self.required("id")?,
                before: self.text("before")?,
            },
            _ => GraphOperation::SetMeta {
                title: self.text("title")?,
                prefix: self.text("prefix")?,
                delimiter: self.text("delimiter")?,
            },
        })
    }

    fn mistyped(&self, name: &str, expected: &'static str) -> MalformedOperation {
        MalformedOperation::FieldType(self.op, name.to_owned(), expected)
    }

    fn field(&self, name: &str) -> Option<&Value> {
        self.fields.get(name).filter(|value| !value.is_null())
    }

    fn required(&self, name: &str) -> Result<String, MalformedOperation> {
        match self.field(name) {
            Some(Value::String(text)) => Ok(text.clone()),
            _ => Err(MalformedOperation::Missing(self.op, name.to_owned())),
        }
    }

    fn text(&self, name: &str) -> Result<Option<String>, MalformedOperation> {
        match self.field(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(self.mistyped(name, "a string")),
        }
    }

    fn flag(&self, name: &str) -> Result<bool, MalformedOperation> {
        match self.field(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(self.mistyped(name, "a boolean")),
        }
    }

    fn texts(&self, name: &str) -> Result<Option<Vec<String>>, MalformedOperation> {
        let wrong = || self.mistyped(name, "an array of strings");
        self.field(name)
            .map(|value| strings(value).ok_or_else(wrong))
            .transpose()
    }

    fn version(&self) -> Result<FormatVersion, MalformedOperation> {
        let Some(text) = self.text("version")? else {
            return Ok(FormatVersion::NEWEST);
        };
        let numbers: Option<Vec<u32>> = text.split('.').map(|part| part.parse().ok()).collect();
        match numbers.as_deref() {
            Some([1, minor @ 0..=2, 0]) => Ok(FormatVersion(1, *minor, 0)),
            _ => Err(MalformedOperation::Version(text)),
        }
    }

    fn attachments(&self, name: &str) -> Result<Option<Vec<Attachment>>, MalformedOperation> {
        let Some(value) = self.field(name) else {
            return Ok(None);
        };
        let op = self.op;
        let wrong = || MalformedOperation::Attachment(op, name.to_owned());
        let read = |element: &Value| {
            let part = |name: &str| element.get(name).and_then(Value::as_str).ok_or_else(wrong);
            let (class, mime, uri) = (part("class")?, part("mime")?, part("uri")?);
            let known = AttachmentClass::ALL
                .into_iter()
                .find(|known| known.as_str() == class);
            let class = known.ok_or_else(|| MalformedOperation::Class {
                op,
                field: name.to_owned(),
                class: class.to_owned(),
            })?;
            Ok(Attachment {
                class,
                mime: mime.into(),
                uri: uri.into(),
            })
        };
        let elements = value.as_array().ok_or_else(wrong)?;
        elements
            .iter()
            .map(read)
            .collect::<Result<_, _>>()
            .map(Some)
    }

    fn annotations(&self) -> Result<Option<AnnotationList>, MalformedOperation> {
        let Some(value) = self.fields.get("annotations") else {
            return Ok(None);
        };
        let pairs = match value {
            Value::Object(pairs) => pairs,
            Value::Array(_) => return Err(self.mistyped("annotations", "an object")),
            Value::Null => return Ok(None),
            _ => {
                let expected = "an object mapping keys to string arrays";
                return Err(self.mistyped("annotations", expected));
            }
        };
        let wrong = || MalformedOperation::AnnotationValues(self.op);
        let read = |(key, value): (&String, &Value)| {
            let values = strings(value).ok_or_else(wrong)?;
            let values = values.into_iter().map(String::into_boxed_str).collect();
            Ok((key.as_str().into(), values))
        };
        pairs.iter().map(read).collect::<Result<_, _>>().map(Some)
    }
}

fn strings(value: &Value) -> Option<Vec<String>> {
    let text = |element: &Value| element.as_str().map(str::to_owned);
    value.as_array()?.iter().map(text).collect()
}

fn status(word: &str) -> Result<TaskStatus, MalformedOperation> {
    word.parse().map_err(|_| {
        let valid = TaskStatus::ALL.map(TaskStatus::as_str).join(", ");
        MalformedOperation::Status(word.to_owned(), valid)
    })
}
