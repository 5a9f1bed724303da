//! What configures tests, programs of checks and lists of dependencies.

use crate::{file, judged, judged_with, looks, weaker};
use chant_evidence::{ChangedText, JudgeRule, JudgeTerms, judge_change};

#[test]
fn what_configures_tests_needs_a_person() {
    let project = "[project]\nname = \"a\"\n\n[tool.pytest.ini_options]\ntestpaths = [\"tests\"]\n\n[tool.coverage.report]\nfail_under = 90\n";
    for (path, old, new, rules) in [
        (
            "pytest.ini",
            "[pytest]\n",
            "[pytest]\naddopts = -k not_slow\n",
            &["W9", "config"][..],
        ),
        (
            "tests/conftest.py",
            "",
            "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n",
            &["W8", "config"],
        ),
        (
            "conftest.py",
            "",
            "collect_ignore = ['tests/test_a.py']\n",
            &["W9", "config"],
        ),
        (
            "pyproject.toml",
            project,
            &project.replace("\"tests\"", "\"tests/a\""),
            &["W9", "config"],
        ),
        (
            "pyproject.toml",
            project,
            &project.replace("90", "50"),
            &["W11", "config"],
        ),
        (
            "pyproject.toml",
            project,
            &format!("{project}omit = [\"shop/*\"]\n"),
            &["W11", "config"],
        ),
        (
            "pyproject.toml",
            project,
            &project.replace("\"a\"", "\"b\""),
            &[],
        ),
        (
            "pyproject.toml",
            project,
            &format!("{project}\n[project.entry-points.pytest11]\na = \"a\"\n"),
            &["config"],
        ),
        (
            "package.json",
            "{\"name\": \"a\"}",
            "{\"name\": \"a\", \"jest\": {\"testMatch\": [\"a\"]}}",
            &["W9", "config"],
        ),
        (
            "package.json",
            "{\"version\": \"1\"}",
            "{\"version\": \"2\"}",
            &[],
        ),
        (
            "jest.config.js",
            "module.exports = {};\n",
            "module.exports = {testPathIgnorePatterns: ['a']};\n",
            &["W9", "config"],
        ),
        (
            "Cargo.toml",
            "[package]\nname = \"a\"\n",
            "[package]\nname = \"a\"\nautotests = false\n",
            &["W9", "config"],
        ),
        (
            "Cargo.toml",
            "[dependencies]\n",
            "[dependencies]\na = \"1\"\n",
            &[],
        ),
        (
            "build.rs",
            "fn main() {}\n",
            "fn main() { x(); }\n",
            &["config"],
        ),
        ("sitecustomize.py", "", "import a\n", &["config"]),
        ("unittest/__init__.py", "", "x = 1\n", &["config"]),
        ("a.pth", "", "import a\n", &["config"]),
    ] {
        let judged = judged(&[file(path, Some(old), Some(new))]);
        assert_eq!(weaker(&judged), rules, "{path}: {:#?}", judged.findings);
    }
}

#[test]
fn what_a_check_reaches_needs_a_person_and_the_rest_of_a_file_does_not() {
    let make = "SOURCES = a b\nall: build\n\nbuild:\n\tcc a.c\n\ntest: prepare\n\tpytest $(ARGS)\n\nprepare:\n\tsh tools/prepare.sh\n\nARGS = -q\n\nlint:\n\truff\n";
    let check: &[&[&str]] = &[&["make", "test"]];
    for (from, to, rules) in [
        (
            "\tpytest $(ARGS)",
            "\tpytest $(ARGS) || true",
            &["W8", "config"][..],
        ),
        ("\tpytest $(ARGS)", "\t-pytest $(ARGS)", &["W8", "config"]),
        ("ARGS = -q", "ARGS = -q -k not_slow", &["W9", "config"]),
        ("\tsh tools/prepare.sh", "\ttrue", &["config"]),
        ("\truff", "\truff --fix", &[]),
        ("\tcc a.c", "\tcc b.c", &[]),
    ] {
        let changed = [file("Makefile", Some(make), Some(&make.replace(from, to)))];
        let judged = judged_with(&changed, check);
        assert_eq!(weaker(&judged), rules, "{to}: {:#?}", judged.findings);
    }
    let script = |path: &str| file(path, Some("pytest\n"), Some("true\n"));
    let reached = [
        file("Makefile", Some(make), Some(make)),
        script("tools/prepare.sh"),
    ];
    assert_eq!(weaker(&judged_with(&reached, check)), ["program"]);
    assert_eq!(
        weaker(&judged(&[script("tools/other.sh")])),
        Vec::<&str>::new()
    );
    for words in [
        &["sh", "./check.sh"][..],
        &["bash", "-c", "set -e; ./check.sh fast"],
    ] {
        let changed = [file("check.sh", Some("pytest\n"), Some("pytest || true\n"))];
        assert_eq!(weaker(&judged_with(&changed, &[words])), ["W8", "program"]);
    }
    let changed = [file("tools/check.py", Some("a()\n"), Some("b()\n"))];
    assert_eq!(
        weaker(&judged_with(&changed, &[&["python", "-m", "tools.check"]])),
        ["program"]
    );
    let scripts =
        |test: &str| format!("{{\"scripts\": {{\"test\": {test:?}, \"dev\": \"vite\"}}}}");
    let changed = [file(
        "package.json",
        Some(&scripts("vitest run")),
        Some(&scripts("vitest run || true")),
    )];
    assert_eq!(
        weaker(&judged_with(&changed, &[&["npm", "test"]])),
        ["W8", "config"]
    );
    assert_eq!(weaker(&judged(&changed)), Vec::<&str>::new());
}

#[test]
fn lock_files_need_their_list_and_keep_their_hashes() {
    let lock = |version: &str, hash: &str| {
        format!("[[package]]\nname = \"a\"\nversion = \"{version}\"\nchecksum = \"{hash}\"\n")
    };
    let (old, new) = (lock("1", "aa"), lock("1", "bb"));
    let list = file("Cargo.toml", Some("a\n"), Some("b\n"));
    let changed = |new: &str| file("Cargo.lock", Some(&old), Some(new));
    let found = judged(&[changed(&new), list.clone()]);
    assert_eq!(
        (weaker(&found), &*found.findings[0].of),
        (vec!["lock"], "a 1")
    );
    assert_eq!(weaker(&judged(&[changed(&lock("2", "cc"))])), ["lock"]);
    assert_eq!(
        weaker(&judged(&[changed(&lock("2", "cc")), list])),
        Vec::<&str>::new()
    );
    let uv = |hash: &str| {
        format!(
            "version = 1\n[[package]]\nname = \"a\"\nversion = \"1\"\nwheels = [\n  {{ url = \"x\", hash = \"sha256:{hash}\" }},\n]\n"
        )
    };
    let both = [
        file("uv.lock", Some(&uv("aa")), Some(&uv("bb"))),
        file("pyproject.toml", Some("a = 1\n"), Some("a = 2\n")),
    ];
    assert_eq!(weaker(&judged(&both)), ["lock"]);
    let npm = |hash: &str| {
        format!(
            "{{\"packages\": {{\"node_modules/a\": {{\"version\": \"1\", \"integrity\": \"{hash}\"}}}}}}"
        )
    };
    let both = [
        file("package-lock.json", Some(&npm("aa")), Some(&npm("bb"))),
        file("package.json", Some("{}"), Some("{\"a\": 1}")),
    ];
    assert_eq!(weaker(&judged(&both)), ["lock"]);
}

#[test]
fn a_project_names_further_files_and_stricter_rules_and_a_person_what_may_change() {
    let old = "def test_a():\n    assert f() == 1\n";
    let changed: Vec<ChangedText> = vec![
        file("checks/a.py", Some(old), Some("x = 1\n")),
        file("judge/a.txt", Some("a\n"), Some("b\n")),
        file(
            "tests/test_b.py",
            Some(old),
            Some(&old.replace("== 1", "== 1  # noqa")),
        ),
    ];
    let of = |may_change: &dyn Fn(&str) -> bool| {
        let terms = JudgeTerms {
            tests: &["checks/**".to_owned()],
            config: &["judge/*.txt".to_owned()],
            checks: &[],
            stricter: &[JudgeRule::Silenced],
            may_change,
            before: &|_| None,
        };
        judge_change(&changed, &terms)
    };
    assert_eq!(weaker(&of(&|_| false)), ["W1", "W12", "config"]);
    let agreed = of(&|path| path != "judge/a.txt");
    assert_eq!(
        (weaker(&agreed), looks(&agreed)),
        (vec!["config"], vec!["W1", "W12"])
    );
}
