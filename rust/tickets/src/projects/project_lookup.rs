//! Which project a call means (reference tickets 10, `project`).

use super::codes::is_code;
use super::{ProjectCatalog, TicketProject};
use chant_store::disk;

/// Why it is not known which project is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProjectLookupError {
    /// No project has that code.
    NotFound {
        /// The code.
        given: String,
        /// The codes there are, in the order of the projects.
        available: Vec<String>,
    },
    /// Nothing says which, and there is more than one, or none.
    Needed {
        /// The codes there are.
        available: Vec<String>,
    },
    /// It cannot be a code.
    Malformed {
        /// The value that was given.
        given: String,
        /// The codes there are.
        available: Vec<String>,
    },
}

impl ProjectCatalog {
    /// The project of a call: the one that is named, by its code in any case of letters or by its ID,
    /// else the one whose code the ticket's key begins with, else the innermost one around the start,
    /// else the only one.
    ///
    /// # Errors
    /// `Unclear`.
    pub fn which(
        &self,
        project: Option<&str>,
        key: Option<&str>,
    ) -> Result<&TicketProject, ProjectLookupError> {
        if let Some(given) = project {
            return self.named(given.trim());
        }
        if let Some(code) = key.and_then(code_of_key) {
            return self.named(code);
        }
        match self.all.as_slice() {
            [only] => Ok(only),
            _ => self.enclosing().ok_or_else(|| ProjectLookupError::Needed {
                available: self.codes(),
            }),
        }
    }

    fn named(&self, given: &str) -> Result<&TicketProject, ProjectLookupError> {
        let by_code = self.all.iter().find(|project| project.has_code(given));
        if let Some(found) = by_code.or_else(|| self.with_id(given)) {
            return Ok(found);
        }
        let available = self.codes();
        let given = given.to_owned();
        Err(if is_code(&given) {
            ProjectLookupError::NotFound { given, available }
        } else {
            ProjectLookupError::Malformed { given, available }
        })
    }

    /// The project of an ID, where only one has it.
    fn with_id(&self, given: &str) -> Option<&TicketProject> {
        let mut found = self
            .all
            .iter()
            .filter(|project| is_same(&project.id, given));
        let first = found.next();
        first.filter(|_| found.next().is_none())
    }

    fn enclosing(&self) -> Option<&TicketProject> {
        let start = disk::real(&self.surroundings().start).ok()?;
        self.all
            .iter()
            .filter(|project| start.starts_with(&project.root))
            .max_by_key(|project| project.root.components().count())
    }

    fn codes(&self) -> Vec<String> {
        self.all
            .iter()
            .map(|project| project.code.clone())
            .collect()
    }
}

impl TicketProject {
    /// Returns true if a code is this project's, in any case of letters.
    pub fn has_code(&self, code: &str) -> bool {
        is_same(&self.code, code)
    }
}

fn is_same(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

/// Returns the text before the number of a ticket's key: `P2` of `P2-12`; `None` for a bare number.
fn code_of_key(key: &str) -> Option<&str> {
    let (code, number) = key.trim().rsplit_once('-')?;
    let is_number = !number.is_empty() && number.chars().all(|c| c.is_ascii_digit());
    (is_number && !code.is_empty()).then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_of_a_key_is_what_stands_before_its_number() {
        for (key, expected) in [
            ("MDT-012", Some("MDT")),
            (" p2-1 ", Some("p2")),
            ("MY-APP-3", Some("MY-APP")),
            ("12", None),
            ("-12", None),
            ("MDT-", None),
            ("MDT-x", None),
            ("MDT", None),
        ] {
            assert_eq!(code_of_key(key), expected, "{key}");
        }
    }
}
