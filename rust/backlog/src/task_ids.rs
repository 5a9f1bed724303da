//! IDs of tasks: a prefix in any letters, a number with parts, zeros before it or not.

use std::fmt;

/// The ID of a task.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TaskId {
    /// The prefix in capitals.
    pub(super) prefix: String,
    /// The number and those of parts, without zeros before them.
    pub(super) number: Vec<String>,
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.prefix, self.number.join("."))
    }
}

impl TaskId {
    /// Reads `task-012.3`; `None` for what is no ID in full.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (prefix, number) = text.trim().rsplit_once('-')?;
        let is_prefix = prefix.starts_with(|c: char| c.is_ascii_alphabetic())
            && prefix
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
        is_prefix.then(|| Self::of(prefix, number))?
    }

    /// Reads an ID, or a number alone, which is one with a given prefix.
    pub(super) fn read_bare(text: &str, prefix: &str) -> Option<Self> {
        Self::read(text).or_else(|| Self::of(prefix, text.trim()))
    }

    fn of(prefix: &str, number: &str) -> Option<Self> {
        let is_part =
            |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let parts: Vec<&str> = number.split('.').collect();
        let plain = |part: &str| match part.trim_start_matches('0') {
            "" => "0".to_owned(),
            rest => rest.to_owned(),
        };
        parts.iter().all(is_part).then(|| Self {
            prefix: prefix.to_ascii_uppercase(),
            number: parts.into_iter().map(plain).collect(),
        })
    }

    /// The ID of the task of which its number says that it is a part.
    pub(super) fn holder(&self) -> Option<Self> {
        let (_, number) = self.number.split_last()?;
        (!number.is_empty()).then(|| Self {
            prefix: self.prefix.clone(),
            number: number.to_vec(),
        })
    }
}

/// The ID in the name of a file, without its ending: `task-12 - Some-title`.
pub(super) fn id_of_file(name: &str) -> Option<TaskId> {
    let id = name.split_once(" - ").map_or(name, |(id, _)| id);
    (!id.contains(' ')).then(|| TaskId::read(id))?
}
