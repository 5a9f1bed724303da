//! Cheats: each change is found by the rule that is named.

use crate::{file, judged, looks, weaker};

/// A test in each language, and the path of its file.
const PYTHON: (&str, &str) = (
    "tests/test_price.py",
    "import pytest\nfrom shop import price\n\n\nclass TestPrice:\n    def test_whole(self):\n        assert price(3) == 30\n        assert price(4) == 40\n\n    def test_none(self):\n        with pytest.raises(ValueError, match=\"none\"):\n            price(None)\n\n\n@pytest.mark.parametrize(\"n, want\", [(1, 10), (2, 20)])\ndef test_rows(n, want):\n    assert price(n) == want\n",
);
const SCRIPT: (&str, &str) = (
    "web/price.test.ts",
    "import { price } from './price';\n\ndescribe('price', () => {\n  it('is whole', () => {\n    expect(price(3)).toBe(30);\n    expect(price(4)).toEqual(40);\n  });\n\n  test('of none', async () => {\n    expect(() => price(null)).toThrow('none');\n  });\n});\n",
);
const RUST: (&str, &str) = (
    "src/price.rs",
    "pub fn price(n: u32) -> u32 {\n    n * 10\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn it_is_whole() {\n        assert_eq!(price(3), 30);\n        assert_eq!(price(4), 40);\n    }\n\n    #[test]\n    #[should_panic(expected = \"none\")]\n    fn of_none() {\n        price(0);\n    }\n}\n",
);
const GO: (&str, &str) = (
    "shop/price_test.go",
    "package shop\n\nimport \"testing\"\n\nfunc TestWhole(t *testing.T) {\n\tif got := Price(3); got != 30 {\n\t\tt.Errorf(\"got %d\", got)\n\t}\n\tif got := Price(4); got != 40 {\n\t\tt.Fatal(got)\n\t}\n}\n\nfunc TestNone(t *testing.T) {\n\t_, err := Parse(\"\")\n\tif err == nil {\n\t\tt.Fatal(\"no error\")\n\t}\n}\n",
);

/// What each change says with one edit of a test: words, other words, the rule.
#[track_caller]
fn finds((path, text): (&str, &str), edits: &[(&str, &str, &[&str])]) {
    for (from, to, rules) in edits {
        assert!(text.contains(from), "{path} has no {from}");
        let new = text.replacen(from, to, 1);
        let judged = judged(&[file(path, Some(text), Some(&new))]);
        assert_eq!(
            weaker(&judged),
            *rules,
            "{path}: {from} → {to}\n{:#?}",
            judged.findings
        );
        for finding in judged.weaker() {
            assert!(!finding.old.is_empty() || !finding.new.is_empty() || !finding.of.is_empty());
        }
    }
}

#[test]
fn weaker_tests_of_python_are_found() {
    finds(
        PYTHON,
        &[
            ("    def test_whole", "    def xtest_whole", &["W1"]),
            ("class TestPrice", "class PriceChecks", &["W1"]),
            (
                "    def test_whole(self)",
                "    @pytest.mark.skip\n    def test_whole(self)",
                &["W2"],
            ),
            (
                "class TestPrice",
                "@pytest.mark.xfail(strict=False)\nclass TestPrice",
                &["W2"],
            ),
            (
                "    def test_whole(self):\n",
                "    def test_whole(self):\n        pytest.skip('later')\n",
                &["W2"],
            ),
            (
                "    def test_whole(self):\n",
                "    def test_whole(self):\n        return\n",
                &["W2"],
            ),
            (
                "from shop import price\n",
                "from shop import price\npytestmark = pytest.mark.skip\n",
                &["W2"],
            ),
            (
                "from shop import price\n",
                "shop = pytest.importorskip('shop9')\n",
                &["W2"],
            ),
            ("class TestPrice:", "if False:\n  class TestPrice:", &["W2"]),
            ("        assert price(4) == 40\n", "", &["W3"]),
            (
                "        assert price(4) == 40\n",
                "        # assert price(4) == 40\n",
                &["W3"],
            ),
            (
                "        assert price(4) == 40\n",
                "        '''\n        assert price(4) == 40\n        '''\n",
                &["W3"],
            ),
            ("assert price(3) == 30", "assert price(3)", &["W4"]),
            (
                "assert price(3) == 30",
                "assert price(3) is not None",
                &["W4"],
            ),
            (
                "assert price(3) == 30",
                "assert price(3) in (30, 31)",
                &["W4"],
            ),
            (
                "assert price(3) == 30",
                "assert price(3) == 30 or True",
                &["W4"],
            ),
            ("assert price(3) == 30", "assert price(3) > 0", &["W4"]),
            ("assert price(3) == 30", "assert True", &["W4"]),
            (
                "assert price(3) == 30",
                "assert price(3) == price(3)",
                &["W4"],
            ),
            (
                "assert price(3) == 30",
                "assert isinstance(price(3), int)",
                &["W4"],
            ),
            (
                "raises(ValueError, match=\"none\")",
                "raises(Exception)",
                &["W4"],
            ),
            (
                "raises(ValueError, match=\"none\")",
                "raises(ValueError)",
                &["W4"],
            ),
            ("assert price(3) == 30", "assert price(3) == 33", &["W6"]),
            ("[(1, 10), (2, 20)]", "[(1, 10)]", &["W1"]),
            (
                "\n\n@pytest.mark.parametrize",
                "\n\ntest_old = None\ndel test_rows\n\n@pytest.mark.parametrize",
                &["W1"],
            ),
        ],
    );
}

#[test]
fn weaker_tests_of_javascript_are_found() {
    finds(
        SCRIPT,
        &[
            ("it('is whole'", "it.skip('is whole'", &["W2"]),
            ("it('is whole'", "xit('is whole'", &["W2"]),
            ("describe('price'", "describe.skip('price'", &["W2"]),
            ("it('is whole'", "it.todo('is whole'", &["W2"]),
            ("test('of none'", "test.only('of none'", &["W2"]),
            ("it('is whole'", "check('is whole'", &["W1"]),
            ("    expect(price(4)).toEqual(40);\n", "", &["W3"]),
            (
                "    expect(price(4)).toEqual(40);\n",
                "    // expect(price(4)).toEqual(40);\n",
                &["W3"],
            ),
            (
                "expect(price(3)).toBe(30)",
                "expect(price(3)).toBeTruthy()",
                &["W4"],
            ),
            (
                "expect(price(3)).toBe(30)",
                "expect(price(3)).toBeDefined()",
                &["W4"],
            ),
            (
                "expect(price(3)).toBe(30)",
                "expect([30, 31]).toContain(price(3))",
                &["W4"],
            ),
            (
                "expect(price(3)).toBe(30)",
                "expect(price(3)).toEqual(expect.anything())",
                &["W4"],
            ),
            (
                "expect(price(3)).toBe(30)",
                "expect(true).toBe(true)",
                &["W4"],
            ),
            ("toThrow('none')", "toThrow()", &["W4"]),
            (
                "expect(price(3)).toBe(30)",
                "expect(price(3)).toBe(33)",
                &["W6"],
            ),
        ],
    );
}

#[test]
fn weaker_tests_of_rust_are_found() {
    finds(
        RUST,
        &[
            (
                "    #[test]\n    fn it_is_whole",
                "    #[ignore]\n    #[test]\n    fn it_is_whole",
                &["W2"],
            ),
            (
                "    #[test]\n    fn it_is_whole",
                "    #[test]\n    #[ignore = \"later\"]\n    fn it_is_whole",
                &["W2"],
            ),
            (
                "#[cfg(test)]\nmod tests",
                "#[cfg(any())]\nmod tests",
                &["W2"],
            ),
            (
                "    #[test]\n    fn it_is_whole",
                "    fn it_is_whole",
                &["W1"],
            ),
            ("        assert_eq!(price(4), 40);\n", "", &["W3"]),
            (
                "        assert_eq!(price(4), 40);\n",
                "        // assert_eq!(price(4), 40);\n",
                &["W3"],
            ),
            ("assert_eq!(price(3), 30)", "assert!(price(3) > 0)", &["W4"]),
            ("assert_eq!(price(3), 30)", "assert!(true)", &["W4"]),
            (
                "assert_eq!(price(3), 30)",
                "assert_ne!(price(3), 31)",
                &["W4"],
            ),
            (
                "#[should_panic(expected = \"none\")]",
                "#[should_panic]",
                &["W4"],
            ),
            (
                "assert_eq!(price(3), 30)",
                "assert_eq!(price(3), 33)",
                &["W6"],
            ),
        ],
    );
}

#[test]
fn weaker_tests_of_go_are_found() {
    finds(
        GO,
        &[
            ("func TestWhole", "func testWhole", &["W1"]),
            (
                "func TestWhole(t *testing.T) {\n",
                "func TestWhole(t *testing.T) {\n\tt.Skip(\"later\")\n",
                &["W2"],
            ),
            ("package shop", "//go:build later\n\npackage shop", &["W2"]),
            (
                "\tif got := Price(4); got != 40 {\n\t\tt.Fatal(got)\n\t}\n",
                "",
                &["W3"],
            ),
            (
                "got := Price(3); got != 30",
                "got := Price(3); got == 0",
                &["W4"],
            ),
            (
                "got := Price(3); got != 30",
                "got := Price(3); got < 30",
                &["W4"],
            ),
            (
                "got := Price(3); got != 30",
                "got := Price(3); got != 33",
                &["W6"],
            ),
        ],
    );
}

#[test]
fn a_deleted_file_of_tests_is_found_test_by_test_and_unread_ones_as_a_whole() {
    for (path, text) in [PYTHON, SCRIPT, GO] {
        let judged = judged(&[file(path, Some(text), None)]);
        assert_eq!(weaker(&judged), ["W1"], "{path}");
        assert!(judged.findings.len() >= 2, "{path}");
    }
    let other = "src/test/java/PriceTest.java";
    let judged = judged(&[file(other, Some("class PriceTest {}"), None)]);
    assert_eq!(
        (weaker(&judged), judged.not_read),
        (vec!["W1"], vec![other.to_owned()])
    );
}

#[test]
fn ends_of_lines_encodings_and_renames_hide_nothing() {
    let (path, text) = PYTHON;
    let weak = text.replace("assert price(3) == 30", "assert price(3)");
    let mut wide = vec![0xff, 0xfe];
    wide.extend(weak.encode_utf16().flat_map(u16::to_le_bytes));
    for new in [
        weak.replace('\n', "\r\n").into_bytes(),
        format!("\u{feff}{weak}").into_bytes(),
        wide,
    ] {
        let mut changed = file(path, Some(text), None);
        changed.new = Some(new);
        assert_eq!(weaker(&judged(&[changed])), ["W4"]);
    }
    let moved = [
        file(path, Some(text), None),
        file("tests/unit/test_cost.py", None, Some(&weak)),
    ];
    assert_eq!(weaker(&judged(&moved)), ["W4"]);
    let hidden = [
        file(path, Some(text), None),
        file("tests/unit/cost.py", None, Some(text)),
    ];
    assert_eq!(weaker(&judged(&hidden)), ["W1"]);
    let mut damaged = file(path, Some(text), None);
    damaged.new = Some(b"\0\0".to_vec());
    assert!(weaker(&judged(&[damaged])).contains(&"unreadable"));
}

#[test]
fn a_test_whose_code_only_has_another_name_is_gone() {
    let old = "def discount(n):\n    if n > 10:\n        return n - 1\n    return n\n";
    let test =
        "from shop import discount\n\n\ndef test_discount():\n    assert discount(11) == 10\n";
    let changed = [
        file(
            "shop.py",
            Some(old),
            Some(&old.replace("discount", "rebate")),
        ),
        file(
            "tests/test_shop.py",
            Some(test),
            Some("from shop import rebate\n"),
        ),
    ];
    assert_eq!(weaker(&judged(&changed)), ["W1"]);
}

#[test]
fn errors_that_tests_swallow_are_shown() {
    for ((path, text), from, to) in [
        (
            PYTHON,
            "        assert price(3) == 30\n",
            "        try:\n            assert price(3) == 30\n        except AssertionError:\n            pass\n",
        ),
        (
            SCRIPT,
            "    expect(price(3)).toBe(30);\n",
            "    try { expect(price(3)).toBe(30); } catch (e) {}\n",
        ),
        (
            RUST,
            "        assert_eq!(price(3), 30);\n",
            "        let _ = std::panic::catch_unwind(|| { assert_eq!(price(3), 30); });\n",
        ),
    ] {
        let judged = judged(&[file(path, Some(text), Some(&text.replacen(from, to, 1)))]);
        assert!(
            looks(&judged).contains(&"W7"),
            "{path} {:?}",
            judged.findings
        );
    }
}

#[test]
fn limits_are_shown_and_replaced_subjects_need_a_person() {
    let old = "import pytest\n\n\ndef test_a(monkeypatch):\n    assert f(1) == pytest.approx(2, abs=0.1)\n";
    let judged_limit = judged(&[file(
        "tests/test_a.py",
        Some(old),
        Some(&old.replace("0.1", "9.5")),
    )]);
    assert!(looks(&judged_limit).contains(&"W5"), "{judged_limit:?}");
    let code = "def fetch(url):\n    return 1\n";
    let mocked = old.replace(
        "    assert",
        "    monkeypatch.setattr('shop.net.fetch', lambda url: 2)\n    assert",
    );
    let changed = [
        file("shop/net.py", Some(code), Some(&code.replace('1', "3"))),
        file("tests/test_a.py", Some(old), Some(&mocked)),
    ];
    assert_eq!(weaker(&judged(&changed)), ["W10"]);
}

#[test]
fn code_that_knows_its_tests_or_forces_success_is_found() {
    for (path, line, rule) in [
        (
            "shop.py",
            "if 'PYTEST_CURRENT_TEST' in os.environ:\n    pass\n",
            "W13",
        ),
        ("shop.py", "if 'pytest' in sys.modules: x = 1\n", "W13"),
        (
            "web/a.ts",
            "if (process.env.NODE_ENV === 'test') { x(); }\n",
            "W13",
        ),
        ("src/a.rs", "fn a() -> bool { cfg!(test) }\n", "W13"),
        ("shop/a.go", "var a = testing.Testing()\n", "W13"),
        ("shop.py", "import os\nos._exit(0)\n", "W8"),
        ("tests/test_a.py", "import sys\nsys.exit(0)\n", "W8"),
        ("web/a.test.ts", "process.exit(0);\n", "W8"),
        (
            "shop/a_test.go",
            "func TestMain(m *testing.M) { os.Exit(0) }\n",
            "W8",
        ),
    ] {
        let judged = judged(&[file(path, Some(""), Some(line))]);
        assert_eq!(weaker(&judged), [rule], "{path} {line}");
    }
    for (path, line, rule) in [
        ("shop.py", "x = os.environ.get('CI')\n", "W13"),
        ("shop.py", "x = f()  # type: ignore\n", "W12"),
        ("web/a.ts", "// @ts-ignore\nx();\n", "W12"),
        ("shop.py", "def f():  # pragma: no cover\n    pass\n", "W11"),
    ] {
        let judged = judged(&[file(path, Some(""), Some(line))]);
        assert_eq!(
            (weaker(&judged), looks(&judged)),
            (vec![], vec![rule]),
            "{path} {line}"
        );
    }
}

#[test]
fn code_with_the_literals_of_a_test_is_shown() {
    let test = "def test_a():\n    assert f('alpha') == 1234\n    assert f('beta') == 5678\n";
    let code = "def f(x):\n    return {'alpha': 1234, 'beta': 5678}[x]\n";
    let changed = [
        file("f.py", Some("def f(x):\n    return 0\n"), Some(code)),
        file("tests/test_f.py", None, Some(test)),
    ];
    assert_eq!(looks(&judged(&changed)), ["W14"]);
}

#[test]
fn expectations_that_tools_wrote_are_compared() {
    let old = "exports[`a 1`] = `3`;\n";
    let path = "web/__snapshots__/a.test.ts.snap";
    let judged_of = |new: &str| judged(&[file(path, Some(old), Some(new))]);
    assert_eq!(weaker(&judged_of("exports[`a 1`] = `4`;\n")), ["W6"]);
    assert_eq!(
        weaker(&judged_of(&format!("{old}exports[`b 1`] = `4`;\n"))),
        Vec::<&str>::new()
    );
}
