//! The square: old and new tests with old and new code, and what their outcomes say of a check.

use super::expression::closing;
use super::source::{MaskedSource, TestLanguage};
use chant_text::lazy_pattern::LazyPattern;
use strum::IntoStaticStr;

/// The cells of the square.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr)]
#[strum(serialize_all = "PascalCase")]
pub enum SquareCell {
    /// Old tests, old code.
    A,
    /// New tests, old code.
    B,
    /// Old tests, new code.
    D,
    /// New tests, new code.
    E,
}

impl SquareCell {
    /// Its letter.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The end of a check in a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellOutcome {
    /// It ended with 0.
    Passed,
    /// It ended by itself with another exit code.
    Failed,
    /// It could not be started, was ended, or ended as programs do that are missing or killed: no proof.
    Accident,
}

impl CellOutcome {
    /// The outcome that an exit code stands for; `None` for a check that did not end by itself.
    ///
    /// ```
    /// use chant_evidence::CellOutcome;
    /// assert_eq!(CellOutcome::of(Some(1)), CellOutcome::Failed);
    /// assert_eq!(CellOutcome::of(Some(137)), CellOutcome::Accident);
    /// ```
    pub fn of(exit: Option<i32>) -> Self {
        match exit {
            Some(0) => Self::Passed,
            // A shell says by these that a program is missing or cannot be run, or was ended by a signal.
            Some(126 | 127) | None => Self::Accident,
            Some(exit) if !(0..128).contains(&exit) => Self::Accident,
            Some(_) => Self::Failed,
        }
    }
}

/// The knowledge about a criterion, or a check: the stronger, the later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProofWord {
    /// No check stands for it.
    NoCheck,
    /// A person says so.
    ByHand,
    /// A check passed, and nothing shows that it sees the change.
    Regression,
    /// A check passed, and failed without the change.
    RedGreen,
    /// As red→green, and a test of it fails when a piece of the code is taken back.
    Held,
}

impl ProofWord {
    /// All words, the weakest first.
    pub const ALL: [Self; 5] = [
        Self::NoCheck,
        Self::ByHand,
        Self::Regression,
        Self::RedGreen,
        Self::Held,
    ];

    /// The word, the same in all places.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoCheck => "no check",
            Self::ByHand => "by hand",
            Self::Regression => "regression",
            Self::RedGreen => "red→green",
            Self::Held => "held",
        }
    }

    /// Returns the word of a name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|word| word.name() == name)
    }
}

/// The outcomes of a check that passed in E; `None` for a cell that was not run, or need not be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Square {
    /// Old tests with old code.
    pub a: Option<CellOutcome>,
    /// New tests with old code.
    pub b: Option<CellOutcome>,
    /// Old tests with new code.
    pub d: Option<CellOutcome>,
}

/// The verdict of the square on a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SquareVerdict {
    /// The word.
    pub word: ProofWord,
    /// The reason for it, where it is no plain word.
    pub note: Option<&'static str>,
    /// True if an old test that passed before fails with the new code: its meaning changed.
    pub changed_meaning: bool,
}

impl Square {
    /// Returns what it says of a check that passes on the new tests and the new code.
    ///
    /// ```
    /// use chant_evidence::{CellOutcome, ProofWord, Square};
    /// let square = Square { b: Some(CellOutcome::Failed), ..Square::default() };
    /// assert_eq!(square.verdict().word, ProofWord::RedGreen);
    /// ```
    pub fn verdict(&self) -> SquareVerdict {
        use CellOutcome::{Accident, Failed, Passed};
        let (word, note) = match (self.a, self.b) {
            (Some(Accident), Some(Failed)) => (ProofWord::RedGreen, Some("new check")),
            (_, Some(Failed)) => (ProofWord::RedGreen, None),
            // What failed before and passes with new tests alone was made green by these.
            (Some(Failed), Some(Passed)) => (ProofWord::Regression, Some("green by its tests")),
            (Some(Failed), None) => (ProofWord::RedGreen, Some("repaired")),
            (_, Some(Accident)) | (Some(Accident), None) => {
                (ProofWord::Regression, Some("red by accident"))
            }
            _ => (ProofWord::Regression, None),
        };
        SquareVerdict {
            word,
            note,
            changed_meaning: self.a == Some(Passed) && self.d == Some(Failed),
        }
    }
}

static IN_FILE: LazyPattern =
    LazyPattern::new(r"(?m)^[ \t]*#\[cfg\(test\)\]\s*(?:#\[[^\n]*\]\s*)*(?:pub\s+)?mod\s+\w+\s*\{");

/// Returns code with the in-file tests of another version of its file; `None` where neither has some.
///
/// ```
/// use chant_evidence::with_tests_of;
/// let (old, new) = ("fn a() {}\n", "fn b() {}\n#[cfg(test)]\nmod tests {}\n");
/// assert_eq!(with_tests_of("a.rs", old, new).unwrap(), "fn a() {}\n\n#[cfg(test)]\nmod tests {}\n");
/// ```
pub fn with_tests_of(path: &str, code: &str, tests: &str) -> Option<String> {
    if TestLanguage::of(path) != Some(TestLanguage::Rust) {
        return None;
    }
    let blocks = |text: &str| -> Vec<(usize, usize)> {
        let source = MaskedSource::new(text, TestLanguage::Rust);
        let found = IN_FILE.find_iter(&source.masked);
        let ranges = found.filter_map(|block| {
            let end = closing(&source.masked, block.end() - 1)?;
            Some((block.start(), end + 1))
        });
        ranges.collect()
    };
    let (own, others) = (blocks(code), blocks(tests));
    if own.is_empty() && others.is_empty() {
        return None;
    }
    let (mut text, mut from) = (String::new(), 0);
    for (start, end) in own {
        text.push_str(&code[from..start]);
        from = end;
    }
    text.push_str(&code[from..]);
    for (start, end) in others {
        text.push('\n');
        text.push_str(tests[start..end].trim_start_matches('\n'));
        text.push('\n');
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_have_one_word() {
        use CellOutcome::{Accident, Failed, Passed};
        for (a, b, word, note) in [
            (Some(Passed), Some(Failed), "red→green", None),
            (None, Some(Failed), "red→green", None),
            (Some(Passed), Some(Passed), "regression", None),
            (
                Some(Failed),
                Some(Passed),
                "regression",
                Some("green by its tests"),
            ),
            (Some(Failed), None, "red→green", Some("repaired")),
            (Some(Accident), Some(Failed), "red→green", Some("new check")),
            (
                Some(Passed),
                Some(Accident),
                "regression",
                Some("red by accident"),
            ),
            (None, None, "regression", None),
        ] {
            let verdict = Square { a, b, d: None }.verdict();
            assert_eq!(
                (verdict.word.name(), verdict.note),
                (word, note),
                "{a:?} {b:?}"
            );
        }
        let changed = Square {
            a: Some(Passed),
            b: Some(Failed),
            d: Some(Failed),
        };
        assert!(changed.verdict().changed_meaning);
        for exit in [None, Some(127), Some(137), Some(-9)] {
            assert_eq!(CellOutcome::of(exit), Accident, "{exit:?}");
        }
    }

    #[test]
    fn in_file_tests_are_exchanged_and_the_code_stays() {
        let old = "fn a() { 1 }\n\n#[cfg(test)]\nmod tests {\n    fn x() { '}' }\n}\n\nfn c() {}\n";
        let new = "fn a() { 2 }\n\n#[cfg(test)]\nmod tests {\n    fn y() {}\n}\n";
        let mixed = with_tests_of("src/a.rs", old, new).unwrap();
        assert!(mixed.starts_with("fn a() { 1 }"), "{mixed}");
        assert!(mixed.contains("fn y()") && !mixed.contains("fn x()") && mixed.contains("fn c()"));
        assert_eq!(with_tests_of("src/a.rs", "fn a() {}", "fn b() {}"), None);
        assert_eq!(with_tests_of("a.py", old, new), None);
    }
}
