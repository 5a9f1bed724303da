//! Honest work: no finding needs a person.

use crate::{file, judged, weaker};
use chant_evidence::ChangedText;

#[track_caller]
fn is_fine(what: &str, changed: &[ChangedText]) {
    let judged = judged(changed);
    assert_eq!(
        weaker(&judged),
        Vec::<&str>::new(),
        "{what}: {:#?}",
        judged.findings
    );
}

const CODE: &str =
    "def price(n):\n    return n * 10\n\n\ndef discount(n):\n    rate = 0.9\n    return n * rate\n";
const TESTS: &str = "from shop import price, discount\n\n\ndef test_price():\n    assert price(3) == 30\n\n\ndef test_discount():\n    assert discount(10) == 9\n    assert discount(20) == 18\n";

// Control 4.
#[test]
fn a_test_may_be_renamed_and_moved_with_its_code() {
    let moved = TESTS
        .replace("from shop", "from store")
        .replace("test_price", "test_whole_price");
    is_fine(
        "moved and renamed",
        &[
            file("shop.py", Some(CODE), None),
            file("store.py", None, Some(CODE)),
            file("tests/test_shop.py", Some(TESTS), None),
            file("tests/test_store.py", None, Some(&moved)),
        ],
    );
    let class = TESTS.replace(
        "\n\n\ndef test_price():\n    assert",
        "\n\n\nclass TestPrice:\n    def test_price(self):\n        assert",
    );
    is_fine(
        "into a class",
        &[file("tests/test_shop.py", Some(TESTS), Some(&class))],
    );
}

// Control 5.
#[test]
fn a_feature_may_go_with_its_tests() {
    let (code, tests) = (
        CODE.split("\n\n\ndef discount").next(),
        TESTS.split("\n\n\ndef test_discount").next(),
    );
    is_fine(
        "deleted",
        &[
            file("shop.py", Some(CODE), code),
            file("tests/test_shop.py", Some(TESTS), tests),
        ],
    );
    let one_less = TESTS.replace("    assert discount(20) == 18\n", "");
    let found = judged(&[file("tests/test_shop.py", Some(TESTS), Some(&one_less))]);
    assert_eq!(weaker(&found), ["W3"], "the code is there");
}

// Control 6.
#[test]
fn an_assertion_may_be_split_and_tests_may_become_a_table() {
    let old = "def test_pair():\n    assert pair(1) == (1, 2)\n";
    let split = "def test_pair():\n    first, second = pair(1)\n    assert first == 1\n    assert second == 2\n";
    is_fine(
        "split",
        &[file("tests/test_pair.py", Some(old), Some(split))],
    );
    let both = "def test_pair():\n    assert a() == 1 and b() == 2\n";
    let two = "def test_pair():\n    assert a() == 1\n    assert b() == 2\n";
    is_fine("and", &[file("tests/test_pair.py", Some(both), Some(two))]);
    let five = "def test_one():\n    assert f(1) == 10\n\n\ndef test_two():\n    assert f(2) == 20\n\n\ndef test_three():\n    assert f(3) == 30\n";
    let table = "import pytest\n\n\n@pytest.mark.parametrize(('n', 'want'), [(1, 10), (2, 20), (3, 30)])\ndef test_f(n, want):\n    assert f(n) == want\n";
    is_fine("table", &[file("tests/test_f.py", Some(five), Some(table))]);
    let five = "it('one', () => { expect(f(1)).toBe(10); });\nit('two', () => { expect(f(2)).toBe(20); });\n";
    let table =
        "it.each([[1, 10], [2, 20]])('of %d', (n, want) => { expect(f(n)).toBe(want); });\n";
    is_fine(
        "table of JavaScript",
        &[file("f.test.js", Some(five), Some(table))],
    );
    let five = "#[test]\nfn one() {\n    assert_eq!(f(1), 10);\n}\n\n#[test]\nfn two() {\n    assert_eq!(f(2), 20);\n}\n";
    let table = "#[test]\nfn all() {\n    for (n, want) in [(1, 10), (2, 20)] {\n        assert_eq!(f(n), want);\n    }\n}\n";
    is_fine(
        "table of Rust",
        &[file("tests/f.rs", Some(five), Some(table))],
    );
    let helped = "def check_pair(n, first, second):\n    assert pair(n)[0] == first\n    assert pair(n)[1] == second\n\n\ndef test_pair():\n    check_pair(1, 1, 2)\n";
    is_fine(
        "helper",
        &[file("tests/test_pair.py", Some(two), Some(helped))],
    );
}

// Control 7.
#[test]
fn data_of_tests_may_grow() {
    is_fine(
        "fixture",
        &[
            file("tests/data/a.json", Some("[1]\n"), Some("[1, 2]\n")),
            file("web/__snapshots__/new.snap", None, Some("a\n")),
            file(
                "tests/test_new.py",
                None,
                Some("def test_new():\n    assert f(1) == 2\n"),
            ),
        ],
    );
}

// Control 15.
#[test]
fn new_tests_may_be_skipped_on_some_platform() {
    for (path, old, new) in [
        (
            "tests/test_a.py",
            TESTS,
            "\n\n@pytest.mark.skipif(sys.platform == 'win32', reason='x')\ndef test_new():\n    assert f() == 1\n",
        ),
        (
            "a_test.go",
            "package a\n",
            "\nfunc TestNew(t *testing.T) {\n\tif runtime.GOOS == \"windows\" {\n\t\tt.Skip()\n\t}\n}\n",
        ),
        (
            "tests/a.rs",
            "",
            "#[test]\n#[cfg_attr(windows, ignore)]\nfn new() {\n    assert_eq!(f(), 1);\n}\n",
        ),
        (
            "a.test.ts",
            "",
            "test.skip('later', () => { expect(f()).toBe(1); });\n",
        ),
    ] {
        is_fine(path, &[file(path, Some(old), Some(&format!("{old}{new}")))]);
    }
}

#[test]
fn layout_words_and_stronger_assertions_are_no_findings() {
    for (from, to) in [
        ("assert price(3) == 30", "assert price(3) == 30, 'whole'"),
        (
            "assert price(3) == 30",
            "assert (\n        price(3)\n        == 30\n    )",
        ),
        (
            "assert price(3) == 30",
            "got = price(3)\n    assert got == 30",
        ),
        (
            "assert price(3) == 30",
            "assert price(3) == 30\n    assert price(4) == 40",
        ),
        ("def test_price()", "def test_price(shop)"),
        (
            "from shop import price, discount",
            "from shop import discount, price",
        ),
    ] {
        is_fine(
            to,
            &[file(
                "tests/test_shop.py",
                Some(TESTS),
                Some(&TESTS.replace(from, to)),
            )],
        );
    }
    let weak = TESTS.replace("assert price(3) == 30", "assert price(3)");
    is_fine(
        "stronger",
        &[file("tests/test_shop.py", Some(&weak), Some(TESTS))],
    );
    is_fine(
        "words",
        &[
            file("docs/test_plan.md", Some("a\n"), None),
            file("README.md", Some("a"), Some("b")),
        ],
    );
    is_fine(
        "code",
        &[file("shop.py", Some(CODE), Some(&CODE.replace("10", "11")))],
    );
}

#[test]
fn dependencies_may_change_with_their_list() {
    let lock = |version: &str| {
        format!("[[package]]\nname = \"a\"\nversion = \"{version}\"\nchecksum = \"{version}0\"\n")
    };
    is_fine(
        "both",
        &[
            file(
                "Cargo.toml",
                Some("[dependencies]\na = \"1\"\n"),
                Some("[dependencies]\na = \"2\"\n"),
            ),
            file("Cargo.lock", Some(&lock("1")), Some(&lock("2"))),
        ],
    );
}
