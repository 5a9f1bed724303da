//! The classes of files, from one table: what judges, what is judged, and what is only words.

use super::source::TestLanguage;

/// The classes of files for a judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileClass {
    /// It holds tests.
    Test,
    /// Data of tests: their input.
    Fixture,
    /// Data of tests: what they expect, written by a tool.
    Snapshot,
    /// It configures tests, or is loaded by their tools.
    Configuration,
    /// Part of it configures tests.
    PartlyConfiguration,
    /// A list of pinned dependencies.
    Lock,
    /// A list of dependencies.
    Dependencies,
    /// Documentation.
    Words,
    /// Everything else.
    Code,
}

impl FileClass {
    /// True for a file that belongs to the judge when trees are exchanged; a program of a check is one by its path.
    pub fn is_judge(self) -> bool {
        matches!(
            self,
            Self::Test | Self::Fixture | Self::Snapshot | Self::Configuration
        )
    }
}

/// The names of files that configure tests, in lower case; a `*` stands for any end.
const CONFIGURATION_NAMES: [&str; 34] = [
    "conftest.py", "pytest.ini", ".pytest.ini", "tox.ini", "noxfile.py", ".coveragerc",
    "coverage.ini", ".codecov.yml", "codecov.yml", "jest.config.*", "jest.setup.*",
    "vitest.config.*", "vitest.setup.*", "vitest.workspace.*", "karma.conf.*", ".mocharc*",
    "ava.config.*", "playwright.config.*", "cypress.config.*", ".nycrc*", ".c8rc*", ".taprc",
    "stryker.conf*", "build.rs", "nextest.toml", "tarpaulin.toml", "phpunit.xml*", ".rspec",
    "sitecustomize.py", "usercustomize.py", "pytest.py", "unittest.py", "jest.js", "go.work",
];
/// Ends of names of files that Python loads by itself.
const LOADED_ENDS: [&str; 1] = [".pth"];
/// Folders whose name hides a tool of tests.
const SHADOWING_FOLDERS: [&str; 3] = ["pytest/", "unittest/", "_pytest/"];
/// Files of which some keys configure tests.
const PARTLY_NAMES: [&str; 9] = [
    "pyproject.toml", "setup.cfg", "setup.py", "package.json", "cargo.toml", "makefile",
    "gnumakefile", "justfile", "vite.config.*",
];
/// Lists of pinned dependencies.
const LOCK_NAMES: [&str; 13] = [
    "cargo.lock", "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml",
    "bun.lock", "poetry.lock", "uv.lock", "pdm.lock", "pipfile.lock", "go.sum", "gemfile.lock",
    "composer.lock",
];
/// Lists of dependencies, and the folders of tools that keep several.
const LIST_NAMES: [&str; 9] = [
    "cargo.toml", "package.json", "pyproject.toml", "pipfile", "go.mod", "gemfile",
    "composer.json", "pnpm-workspace.yaml", "setup.cfg",
];
/// Folders of tests.
const TEST_FOLDERS: [&str; 6] = ["tests", "test", "__tests__", "spec", "e2e", "cypress"];
/// Folders of what tests read.
const FIXTURE_FOLDERS: [&str; 5] = [
    "fixtures", "fixture", "__fixtures__", "testdata", "cassettes",
];
/// Folders of what tests expect.
const SNAPSHOT_FOLDERS: [&str; 5] = [
    "__snapshots__", "snapshots", "golden", "goldens", "__image_snapshots__",
];
/// Ends of names of what tests expect.
const SNAPSHOT_ENDS: [&str; 5] = [".snap", ".golden", ".approved.txt", ".ambr", ".storyshot"];
/// Ends of names of documentation.
const WORDS_ENDS: [&str; 6] = [".md", ".rst", ".adoc", ".txt", ".markdown", ".org"];
/// Ends of names of tests in languages whose tests are not read yet.
const OTHER_TESTS: [&str; 9] = [
    "test.java", "tests.java", "test.kt", "tests.cs", "test.cs", "_spec.rb", "_test.rb",
    "test.php", "tests.swift",
];

/// Returns the class of a file by its path, from the top of the project.
///
/// ```
/// use chant_evidence::{FileClass, class_of};
/// assert_eq!(class_of("tests/test_a.py"), FileClass::Test);
/// assert_eq!(class_of("tests/conftest.py"), FileClass::Configuration);
/// assert_eq!(class_of("src/a.py"), FileClass::Code);
/// ```
pub fn class_of(path: &str) -> FileClass {
    let path = path.to_lowercase();
    let (folder, name) = path
        .rsplit_once('/')
        .map_or(("", &*path), |(folder, name)| (folder, name));
    let ending = name.rsplit('.').next().unwrap_or_default();
    if is_named(name, &CONFIGURATION_NAMES)
        || LOADED_ENDS.iter().any(|end| name.ends_with(end))
        || SHADOWING_FOLDERS
            .iter()
            .any(|shadow| path.starts_with(shadow))
    {
        return FileClass::Configuration;
    }
    if LOCK_NAMES.contains(&name) {
        return FileClass::Lock;
    }
    if is_named(name, &PARTLY_NAMES) || ending == "mk" {
        return FileClass::PartlyConfiguration;
    }
    if LIST_NAMES.contains(&name) || (name.starts_with("requirements") && ending == "txt") {
        return FileClass::Dependencies;
    }
    let is_in = |folders: &[&str]| folder.split('/').any(|part| folders.contains(&part));
    if is_in(&SNAPSHOT_FOLDERS) || SNAPSHOT_ENDS.iter().any(|end| name.ends_with(end)) {
        return FileClass::Snapshot;
    }
    if is_in(&FIXTURE_FOLDERS) {
        return FileClass::Fixture;
    }
    if is_test_name(name) || OTHER_TESTS.iter().any(|end| name.ends_with(end)) {
        return FileClass::Test;
    }
    let is_page = WORDS_ENDS.iter().any(|end| name.ends_with(end));
    if is_in(&TEST_FOLDERS) && !is_page {
        return if TestLanguage::of(name).is_some() || ending == "sh" || is_source(name) {
            FileClass::Test
        } else {
            FileClass::Fixture
        };
    }
    if is_page {
        FileClass::Words
    } else {
        FileClass::Code
    }
}

/// True for a file that lists dependencies, whatever else it says.
pub(crate) fn lists_dependencies(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    LIST_NAMES.contains(&&*name) || class_of(path) == FileClass::Dependencies
}

/// True for a file that tools of its language find as one of tests, by its usual name.
pub(crate) fn is_collected(path: &str) -> bool {
    let path = path.to_lowercase();
    let name = path.rsplit('/').next().unwrap_or(&path);
    match TestLanguage::of(name) {
        Some(TestLanguage::Rust) => true,
        Some(TestLanguage::JavaScript) => {
            is_test_name(name) || path.split('/').any(|part| part == "__tests__")
        }
        _ => is_test_name(name),
    }
}

fn is_test_name(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name);
    match TestLanguage::of(name) {
        Some(TestLanguage::Python) => {
            stem.starts_with("test_")
                || stem.ends_with("_test")
                || stem == "tests"
                || stem == "test"
        }
        Some(TestLanguage::JavaScript) => {
            [".test.", ".spec.", ".cy."]
                .iter()
                .any(|part| name.contains(part))
                || stem == "test"
        }
        Some(TestLanguage::Go) => stem.ends_with("_test"),
        Some(TestLanguage::Rust) => {
            stem == "tests" || stem.ends_with("_test") || stem.ends_with("_tests")
        }
        None => false,
    }
}

/// True for source files of languages whose tests are not read.
fn is_source(name: &str) -> bool {
    let ends = [
        ".java", ".kt", ".cs", ".rb", ".php", ".swift", ".c", ".cc", ".cpp", ".ex", ".exs",
        ".scala", ".lua", ".bats",
    ];
    ends.iter().any(|end| name.ends_with(end))
}

fn is_named(name: &str, table: &[&str]) -> bool {
    table.iter().any(|entry| match entry.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == *entry,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_one_class_each() {
        for (path, class) in [
            ("a/test_b.py", FileClass::Test),
            ("a/b_test.go", FileClass::Test),
            ("web/a.test.tsx", FileClass::Test),
            ("web/__tests__/a.ts", FileClass::Test),
            ("src/test/java/ATest.java", FileClass::Test),
            ("tests/data/a.json", FileClass::Fixture),
            ("pkg/testdata/a.txt", FileClass::Fixture),
            ("web/__snapshots__/a.tsx.snap", FileClass::Snapshot),
            ("sub/pytest.ini", FileClass::Configuration),
            ("pytest.py", FileClass::Configuration),
            ("unittest/case.py", FileClass::Configuration),
            ("jest.config.mjs", FileClass::Configuration),
            ("build.rs", FileClass::Configuration),
            ("a/pyproject.toml", FileClass::PartlyConfiguration),
            ("Makefile", FileClass::PartlyConfiguration),
            ("Cargo.lock", FileClass::Lock),
            ("requirements-dev.txt", FileClass::Dependencies),
            ("docs/a.md", FileClass::Words),
            ("tests/README.md", FileClass::Words),
            ("src/contest.py", FileClass::Code),
            ("src/latest.ts", FileClass::Code),
        ] {
            assert_eq!(class_of(path), class, "{path}");
        }
        assert!(is_collected("tests/test_a.py"));
        assert!(!is_collected("tests/a.py"));
    }
}
