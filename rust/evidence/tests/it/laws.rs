//! Whatever texts say, readers end, and a change that changes nothing has no findings.

use crate::{file, judged};
use proptest::prelude::*;

/// Pieces of which texts are made that look like tests.
fn text() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "def test_a():",
        "\n",
        "    ",
        "assert ",
        "x == 1",
        "'é",
        "\"",
        "\"\"\"",
        "#",
        "class TestA:",
        "@pytest.mark.skip",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "it('ä', () =>",
        "expect(",
        ").toBe(",
        ";",
        "`${",
        "//",
        "/*",
        "*/",
        "#[test]",
        "fn a() {",
        "assert_eq!(",
        "r#\"",
        "'",
        "func TestA(t *testing.T) {",
        "t.Fatal(",
        "if a != 1 {",
        "\\",
        "é",
        "\r",
        "\t",
        ",",
        " and ",
        " or ",
        "mod tests {",
        "or True",
        "parametrize(",
        "'a', [(1, 2)]",
        "it.each([1])('",
        "except:\n pass",
    ]);
    prop::collection::vec(pieces, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read(old in text(), new in text()) {
        for path in ["test_a.py", "a.test.ts", "src/a.rs", "a_test.go", "Makefile", "pyproject.toml", "package.json"] {
            let same = judged(&[file(path, Some(&old), Some(&old))]);
            prop_assert_eq!(same.findings, vec![]);
            judged(&[file(path, Some(&old), Some(&new))]);
            judged(&[file(path, None, Some(&new))]);
            judged(&[file(path, Some(&old), None)]);
        }
    }
}
