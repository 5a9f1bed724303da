//! A ticket's code: the project's code and a number, as in `DEM-007` (reference tickets 1.6, 3.2).

use std::fmt;

/// The code of one ticket; codes are in the order of their numbers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TicketCode {
    number: u64,
    /// In upper case.
    project: Box<str>,
}

impl TicketCode {
    /// The code of a number in a project.
    pub fn new(project: &str, number: u64) -> Self {
        Self {
            number,
            project: project.to_uppercase().into(),
        }
    }

    /// Reads a whole code, in any case of letters and with any number of zeros: `DEM-7`, `dem-007`,
    /// `P2-1`. What stands before the last hyphen is the project's code and holds a letter.
    pub fn read(text: &str) -> Option<Self> {
        let (project, digits) = text.trim().rsplit_once('-')?;
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
        let is_project = project.starts_with(char::is_alphanumeric)
            && project.chars().all(is_part)
            && project.chars().any(char::is_alphabetic);
        let number = number(digits).filter(|_| is_project)?;
        Some(Self::new(project, number))
    }

    /// Reads a key as people give it: a whole code, or the number alone for a ticket of `project`.
    pub fn asked(text: &str, project: &str) -> Option<Self> {
        let number = number(text.trim()).map(|number| Self::new(project, number));
        number.or_else(|| Self::read(text))
    }

    /// The code at the beginning of a file's name: `DEM-007`, `DEM-007-some-words`, `dem-7_x`.
    pub fn of_name(name: &str, project: &str) -> Option<Self> {
        let digits = behind_code(name, project)?;
        let end = digits
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(digits.len());
        let is_over = !digits[end..].starts_with(char::is_alphanumeric);
        let number = number(&digits[..end]).filter(|_| is_over)?;
        Some(Self::new(project, number))
    }

    /// Its number.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Returns true if it is one of this project's.
    pub fn is_of(&self, project: &str) -> bool {
        *self.project == *project.to_uppercase()
    }
}

/// The number that a name of a file or folder takes, whatever follows the digits.
pub fn number_taken(name: &str, project: &str) -> Option<u64> {
    let digits = behind_code(name, project)?;
    let end = digits
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(digits.len());
    number(&digits[..end])
}

/// Returns the part of a name behind a project's code and a hyphen.
fn behind_code<'a>(name: &'a str, project: &str) -> Option<&'a str> {
    let (head, rest) = (name.get(..project.len())?, name.get(project.len()..)?);
    let is_code = head.eq_ignore_ascii_case(project)
        || (!(head.is_ascii() && project.is_ascii())
            && head.to_uppercase() == project.to_uppercase());
    rest.strip_prefix('-').filter(|_| is_code)
}

fn number(digits: &str) -> Option<u64> {
    let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}

impl fmt::Display for TicketCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:03}", self.project, self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let found = TicketCode::asked(text, "p2").map_or_else(String::new, |code| code.to_string());
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn keys_are_read_as_people_give_them_and_nothing_else_is() {
        for (text, expected) in [
            ("DEM-1", "DEM-001"),
            ("dem-001", "DEM-001"),
            (" DEM-0001 ", "DEM-001"),
            ("1", "P2-001"),
            ("0001", "P2-001"),
            ("P2-1", "P2-001"),
            ("p2-1501", "P2-1501"),
            ("MY-APP-3", "MY-APP-003"),
            ("DEM", ""),
            ("DEM-", ""),
            ("DEM-1x", ""),
            ("DEM-1-slug", ""),
            ("-1", ""),
            ("2024-05", ""),
            ("../DEM-1", ""),
            ("a/b-1", ""),
            ("1.0", ""),
            ("", ""),
            ("99999999999999999999999", ""),
        ] {
            check(text, expected);
        }
    }

    #[test]
    fn names_of_files_begin_with_a_code_or_take_a_number() {
        let of = |name| TicketCode::of_name(name, "Dem").map(|code| code.number());
        assert_eq!(of("DEM-007-slug"), Some(7));
        assert_eq!(of("dem-1600"), Some(1600));
        assert_eq!(of("DEM-5_x"), Some(5));
        assert_eq!(of("DEM-5x"), None);
        assert_eq!(of("DEMO-5"), None);
        assert_eq!(of("é-5"), None);
        assert_eq!(number_taken("DEM-5x.txt", "dem"), Some(5));
        assert_eq!(number_taken("README", "dem"), None);
    }
}
