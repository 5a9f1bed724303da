//! Changed code in pieces that can be taken back one by one: a piece is no longer than a function, so that work in one
//! great block is not held by a single test.

use std::collections::BTreeSet;
use std::ops::Range;

use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::expression::{at_top_level, closing};
use super::source::{MaskedSource, TestLanguage};
use chant_text::lazy_pattern::LazyPattern;

/// The greatest number of lines of a piece.
const LONGEST_PIECE: usize = 30;

static PYTHON_DEFINITION: LazyPattern = LazyPattern::new(r"^\s*(?:@|(?:async\s+def|def|class)\b)");
static JAVASCRIPT_DEFINITION: LazyPattern = LazyPattern::new(
    r"^\s*(?:@|(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:function|class)\b|(?:export\s+)?(?:const|let|var)\s+[\w$]+\s*=\s*(?:async\s*)?(?:\(|function\b|[\w$]+\s*=>)|(?:(?:static|async|get|set|public|private|protected)\s+)*[#\w$]+\s*\([^;]*\)[^;=]*\{\s*$)",
);
static JAVASCRIPT_STATEMENT: LazyPattern =
    LazyPattern::new(r"^\s*\}?\s*(?:if|else|for|while|switch|catch|do|try|return|with)\b");
static RUST_DEFINITION: LazyPattern = LazyPattern::new(
    r"^\s*(?:#\[|(?:pub(?:\([^)]*\))?\s+)?(?:(?:default|const|async|unsafe|extern\s+\S+)\s+)*(?:fn|impl|struct|enum|trait|mod|macro_rules!)[\s<!])",
);
static GO_DEFINITION: LazyPattern = LazyPattern::new(r"^(?:func|type)\b");
static PYTHON_FUNCTION: LazyPattern = LazyPattern::new(r"\bdef\b");
static JAVASCRIPT_FUNCTION: LazyPattern = LazyPattern::new(
    r"\bfunction\b|(?m)^\s*(?:(?:static|async|get|set|public|private|protected)\s+)*[#\w$]+\s*\(|\b(?:const|let|var)\s+[\w$]+\s*=\s*(?:async\s*)?\(",
);
static RUST_FUNCTION: LazyPattern = LazyPattern::new(r"\bfn\b");
static GO_FUNCTION: LazyPattern = LazyPattern::new(r"(?m)^func\b");
static MARK: LazyPattern = LazyPattern::new(r"^\s*(?:@|#\[)");
static DOCUMENTATION_STRING: LazyPattern =
    LazyPattern::new(r#"^\s*[rRuU]?(?:"_*"|'_*'|"""_*"""|'''_*''')\s*$"#);

/// A file of code before and after a change, as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeChange {
    /// Its path.
    pub path: String,
    /// Its text before; `None` for a new file.
    pub old: Option<String>,
    /// Its text now; `None` for one that is gone.
    pub new: Option<String>,
}

/// A piece of a change of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeHunk {
    /// The file.
    pub path: String,
    /// Its first line in the new text, from 1; where lines were only removed, the one before them.
    pub first: usize,
    /// Its last line in the new text.
    pub last: usize,
    /// The number of the file.
    file: usize,
    old: Range<usize>,
    new: Range<usize>,
}

/// The text of a file in which some pieces are taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenBackFile {
    /// Its path.
    pub path: String,
    /// Its text; `None` if it is not there.
    pub text: Option<String>,
}

/// The pieces of all changed files of code. Pieces of comments, blanks and documentation alone are none.
#[derive(Debug, Clone)]
pub struct CodeHunks {
    files: Vec<CodeChange>,
    hunks: Vec<CodeHunk>,
}

impl CodeHunks {
    /// Divides changed files into pieces.
    ///
    /// ```
    /// use chant_evidence::{CodeChange, CodeHunks};
    /// let hunks = CodeHunks::of(vec![CodeChange {
    ///     path: "sum.py".into(),
    ///     old: Some("def a():\n    return 1\n".into()),
    ///     new: Some("def a():\n    return 2\n\n\ndef b():\n    return 3\n".into()),
    /// }]);
    /// let lines: Vec<_> = hunks.hunks().iter().map(|hunk| (hunk.first, hunk.last)).collect();
    /// assert_eq!(lines, [(2, 2), (5, 6)]);
    /// let back = hunks.without(&[1].into());
    /// assert_eq!(back[0].text.as_deref(), Some("def a():\n    return 2\n\n\n"));
    /// ```
    pub fn of(files: Vec<CodeChange>) -> Self {
        let mut hunks = Vec::new();
        for (number, file) in files.iter().enumerate() {
            hunks.extend(hunks_of(number, file));
        }
        Self { files, hunks }
    }

    /// The pieces, by file and place.
    pub fn hunks(&self) -> &[CodeHunk] {
        &self.hunks
    }

    /// Returns the changed files with a comment at their end, which is nothing that a test may look at; those of which
    /// the language is not known are as they are.
    pub fn with_comments(&self) -> Vec<TakenBackFile> {
        let files = self.files.iter().filter_map(|file| {
            let mark = match TestLanguage::of(&file.path)? {
                TestLanguage::Python => "#",
                _ => "//",
            };
            let text = file.new.as_deref()?;
            let end = if text.is_empty() || text.ends_with('\n') {
                ""
            } else {
                "\n"
            };
            Some(TakenBackFile {
                path: file.path.clone(),
                text: Some(format!("{text}{end}{mark} -\n")),
            })
        });
        files.collect()
    }

    /// Returns the file of a piece that is a function, as it is when the function does nothing; `None` for other pieces.
    /// So a function can be taken back without which nothing could be built.
    ///
    /// ```
    /// use chant_evidence::{CodeChange, CodeHunks};
    /// let hunks = CodeHunks::of(vec![CodeChange {
    ///     path: "sum.go".into(),
    ///     old: None,
    ///     new: Some("func one() int {\n\treturn 1\n}\n".into()),
    /// }]);
    /// let emptied = hunks.with_empty_function(0).unwrap();
    /// assert_eq!(emptied.text.unwrap(), "func one() int { panic(\"nothing\") }\n");
    /// ```
    pub fn with_empty_function(&self, hunk: usize) -> Option<TakenBackFile> {
        let hunk = self.hunks.get(hunk)?;
        let new = lines(self.files[hunk.file].new.as_deref()?);
        let own = emptied(&hunk.path, &new[hunk.new.clone()].concat())?;
        let (before, after) = (&new[..hunk.new.start], &new[hunk.new.end..]);
        Some(TakenBackFile {
            path: hunk.path.clone(),
            text: Some(before.concat() + &own + &after.concat()),
        })
    }

    /// Returns the files as they are when some pieces, by their numbers, are taken back.
    pub fn without(&self, taken: &BTreeSet<usize>) -> Vec<TakenBackFile> {
        let mut files = Vec::new();
        for (number, file) in self.files.iter().enumerate() {
            let own = self.hunks.iter().enumerate();
            let own: Vec<(bool, &CodeHunk)> = own
                .filter(|(_, hunk)| hunk.file == number)
                .map(|(at, hunk)| (taken.contains(&at), hunk))
                .collect();
            if !own.iter().any(|(is_taken, _)| *is_taken) {
                continue;
            }
            let is_whole = own.iter().all(|(is_taken, _)| *is_taken);
            let text = match (&file.old, &file.new) {
                (None, _) if is_whole => None,
                (old, None) => old.clone(),
                (old, Some(new)) => {
                    let back = own.into_iter().filter(|(is_taken, _)| *is_taken);
                    let back = back.map(|(_, hunk)| hunk);
                    Some(text_without(old.as_deref().unwrap_or_default(), new, back))
                }
            };
            files.push(TakenBackFile {
                path: file.path.clone(),
                text,
            });
        }
        files
    }
}

fn text_without<'h>(old: &str, new: &str, back: impl Iterator<Item = &'h CodeHunk>) -> String {
    let (old, new) = (lines(old), lines(new));
    let (mut text, mut from) = (String::new(), 0);
    for hunk in back {
        text.extend(new[from..hunk.new.start].iter().copied());
        text.extend(old[hunk.old.clone()].iter().copied());
        from = hunk.new.end;
    }
    text.extend(new[from..].iter().copied());
    text
}

/// Returns a function with a body that does nothing, or at least nothing of what it did.
fn emptied(path: &str, text: &str) -> Option<String> {
    let language = TestLanguage::of(path)?;
    let source = MaskedSource::new(text, language);
    let masked = &source.masked;
    let head = match language {
        TestLanguage::Python => &PYTHON_FUNCTION,
        TestLanguage::JavaScript => &JAVASCRIPT_FUNCTION,
        TestLanguage::Rust => &RUST_FUNCTION,
        TestLanguage::Go => &GO_FUNCTION,
    };
    let head = head.find_iter(masked).next()?.start();
    if language == TestLanguage::JavaScript && JAVASCRIPT_STATEMENT.is_match(&masked[head..]) {
        return None;
    }
    if language == TestLanguage::Python {
        return emptied_block(text, masked, head);
    }
    let open = head + body_start(&masked[head..])?;
    let end = closing(masked, open)?;
    let body = match language {
        TestLanguage::Rust => "{ unimplemented!() }",
        TestLanguage::Go => "{ panic(\"nothing\") }",
        _ => "{}",
    };
    Some(format!("{}{body}{}", &text[..open], &text[end + 1..]))
}

/// Returns the place of the first brace that is in no other bracket.
fn body_start(masked: &str) -> Option<usize> {
    let mut depth = 0_usize;
    masked.bytes().position(|byte| {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        byte == b'{' && depth == 0
    })
}

/// The same for a language whose bodies are told by their indentation.
fn emptied_block(text: &str, masked: &str, head: usize) -> Option<String> {
    let colon = head + *at_top_level(&masked[head..], ":").first()?;
    let start = masked[..head].rfind('\n').map_or(0, |at| at + 1);
    let indent: String = masked[start..]
        .chars()
        .take_while(|sign| *sign == ' ' || *sign == '\t')
        .collect();
    let is_inner = |line: &&str| {
        let rest = line.strip_prefix(&*indent).unwrap_or_default();
        rest.starts_with([' ', '\t']) || line.trim().is_empty()
    };
    let body_from = masked[colon..]
        .find('\n')
        .map_or(masked.len(), |at| colon + at + 1);
    // A long string is one line of the masked text, and never ends a body.
    let body = masked[body_from..]
        .split_inclusive('\n')
        .take_while(is_inner);
    let body_end = body_from + body.map(str::len).sum::<usize>();
    Some(format!("{}: pass\n{}", &text[..colon], &text[body_end..]))
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn hunks_of(number: usize, file: &CodeChange) -> Vec<CodeHunk> {
    let (old, new) = (
        SourceLines::of(&file.path, file.old.as_deref().unwrap_or_default()),
        SourceLines::of(&file.path, file.new.as_deref().unwrap_or_default()),
    );
    let mut hunks = Vec::new();
    for whole in changed_parts(&old.lines, &new.lines) {
        for Piece {
            old: before,
            new: now,
        } in pieces(whole, &old, &new)
        {
            if old.are_words(&before) && new.are_words(&now) {
                continue;
            }
            let (first, last) = new.shown(&now);
            hunks.push(CodeHunk {
                path: file.path.clone(),
                first,
                last,
                file: number,
                old: before,
                new: now,
            });
        }
    }
    hunks
}

/// Returns what lies between the lines that both texts have.
fn changed_parts(old: &[&str], new: &[&str]) -> Vec<Piece> {
    let ops = capture_diff_slices(Algorithm::Myers, old, new);
    let same = ops.iter().filter(|op| op.tag() == DiffTag::Equal);
    let same = same.map(|op| (op.old_range(), op.new_range()));
    let end = (old.len()..old.len(), new.len()..new.len());
    let (mut parts, mut old_from, mut new_from) = (Vec::new(), 0, 0);
    for (old_same, new_same) in same.chain([end]) {
        let part = Piece {
            old: old_from..old_same.start,
            new: new_from..new_same.start,
        };
        if !(part.old.is_empty() && part.new.is_empty()) {
            parts.push(part);
        }
        (old_from, new_from) = (old_same.end, new_same.end);
    }
    parts
}

/// Lines that changed together.
struct Piece {
    old: Range<usize>,
    new: Range<usize>,
}

/// Divides a change where definitions begin, and what is longer than a piece may be.
fn pieces(whole: Piece, old: &SourceLines<'_>, new: &SourceLines<'_>) -> Vec<Piece> {
    let (before, now) = (old.definitions(&whole.old), new.definitions(&whole.new));
    // Definitions of both sides belong to each other where there are as many; else what was there goes with the first.
    let are_pairs = before.len() == now.len();
    let first_old = if are_pairs {
        None
    } else {
        Some(whole.old.clone())
    };
    let mut all = Vec::new();
    for (number, part) in now.into_iter().enumerate() {
        let mut old = match &first_old {
            None => before[number].clone(),
            Some(whole) if number == 0 => whole.clone(),
            Some(whole) => whole.end..whole.end,
        };
        let mut start = part.start;
        loop {
            let end = part.end.min(start + LONGEST_PIECE);
            let rest = old.end..old.end;
            all.push(Piece {
                old: std::mem::replace(&mut old, rest),
                new: start..end,
            });
            start = end;
            if start >= part.end {
                break;
            }
        }
    }
    all
}

/// The lines of a source text, with what is known of each.
struct SourceLines<'t> {
    lines: Vec<&'t str>,
    /// True where a definition begins.
    starts: Vec<bool>,
    /// True where there are only comments, blanks or documentation.
    words: Vec<bool>,
}

impl<'t> SourceLines<'t> {
    fn of(path: &str, text: &'t str) -> Self {
        let lines = lines(text);
        let language = TestLanguage::of(path);
        let (mut starts, mut words) = (vec![false; lines.len()], vec![false; lines.len()]);
        let source = language.map(|language| MaskedSource::new(text, language));
        let code = source.as_ref().map_or(text, |source| &source.code);
        for (at, line) in code.split_inclusive('\n').enumerate().take(lines.len()) {
            words[at] = line.trim().is_empty()
                || (language.is_none() && line.trim_start().starts_with("//"));
        }
        if let (Some(TestLanguage::Python), Some(source)) = (language, &source) {
            mark_documentation(&source.masked, text, &mut words);
        }
        let masked = source.as_ref().map_or(text, |source| &source.masked);
        let (mut is_marked, mut is_below_blank) = (false, true);
        for (at, line) in lines_as_in(masked, text)
            .into_iter()
            .enumerate()
            .take(lines.len())
        {
            if line.trim().is_empty() {
                is_below_blank = true;
                continue;
            }
            let is_top = is_below_blank && !line.starts_with([' ', '\t', '}', ')', ']']);
            let begins = is_top || language.is_some_and(|language| is_definition(language, line));
            // What is marked begins with its first mark.
            starts[at] = begins && !is_marked;
            is_marked = language.is_some() && MARK.is_match(line);
            is_below_blank = false;
        }
        Self {
            lines,
            starts,
            words,
        }
    }

    fn are_words(&self, range: &Range<usize>) -> bool {
        self.words[range.clone()].iter().all(|is_word| *is_word)
    }

    /// Returns the numbers of the first and the last line of code in a range, from 1; for an empty one those of the
    /// line before.
    fn shown(&self, range: &Range<usize>) -> (usize, usize) {
        let mut code = range.clone().filter(|at| !self.words[*at]);
        match (code.next(), code.next_back()) {
            (Some(first), last) => (first + 1, last.unwrap_or(first) + 1),
            (None, _) => (range.end.max(1), range.end.max(1)),
        }
    }

    /// Returns the parts of a range, each but the first from the beginning of a definition.
    fn definitions(&self, range: &Range<usize>) -> Vec<Range<usize>> {
        let (mut parts, mut from) = (Vec::new(), range.start);
        for at in range.clone().skip(1) {
            // Blanks and comments alone are no part.
            if self.starts[at] && !self.are_words(&(from..at)) {
                parts.push(from..at);
                from = at;
            }
        }
        parts.push(from..range.end);
        parts
    }
}

/// Returns the lines of a masked text at the breaks of the text itself: long strings have no breaks there.
fn lines_as_in<'m>(masked: &'m str, text: &str) -> Vec<&'m str> {
    let mut from = 0;
    let lines = text.split_inclusive('\n').map(|line| {
        let range = from..from + line.len();
        from = range.end;
        masked.get(range).unwrap_or_default()
    });
    lines.collect()
}

fn is_definition(language: TestLanguage, line: &str) -> bool {
    match language {
        TestLanguage::Python => PYTHON_DEFINITION.is_match(line),
        TestLanguage::JavaScript => {
            JAVASCRIPT_DEFINITION.is_match(line) && !JAVASCRIPT_STATEMENT.is_match(line)
        }
        TestLanguage::Rust => RUST_DEFINITION.is_match(line),
        TestLanguage::Go => GO_DEFINITION.is_match(line),
    }
}

/// Marks the lines of documentation: strings that stand alone below the head of a block, or first in a file.
fn mark_documentation(masked: &str, text: &str, words: &mut [bool]) {
    let (mut at, mut byte, mut is_head) = (0, 0, true);
    for statement in masked.split_inclusive('\n') {
        let end = byte + statement.len();
        let count = text
            .get(byte..end)
            .map_or(1, |part| part.matches('\n').count().max(1));
        if is_head && DOCUMENTATION_STRING.is_match(statement.trim_end_matches('\n')) {
            let last = (at + count).min(words.len());
            words[at.min(last)..last].fill(true);
        }
        if !statement.trim().is_empty() {
            is_head = statement.trim_end().ends_with(':');
        }
        (at, byte) = (at + count, end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn change(path: &str, old: Option<&str>, new: Option<&str>) -> CodeHunks {
        CodeHunks::of(vec![CodeChange {
            path: path.into(),
            old: old.map(str::to_owned),
            new: new.map(str::to_owned),
        }])
    }

    fn places(hunks: &CodeHunks) -> Vec<(usize, usize)> {
        let hunks = hunks.hunks().iter();
        hunks.map(|hunk| (hunk.first, hunk.last)).collect()
    }

    #[test]
    fn a_block_is_divided_where_definitions_begin() {
        for (path, text, expected) in [
            (
                "a.py",
                "import os\n@mark\ndef a():\n    pass\nclass B:\n    def c(self):\n        pass\n",
                vec![(1, 1), (2, 4), (5, 5), (6, 7)],
            ),
            (
                "a.ts",
                "const x = 1;\nexport const f = (a) => a;\nclass B {\n  get(a) {\n    if (a) {\n    }\n  }\n}\n",
                vec![(1, 1), (2, 2), (3, 3), (4, 8)],
            ),
            (
                "a.rs",
                "use b;\n#[inline]\npub(crate) fn a() {}\nimpl A {\n    fn c() {}\n}\n",
                vec![(1, 1), (2, 3), (4, 4), (5, 6)],
            ),
            (
                "a.go",
                "package a\nfunc a() {\n}\nfunc (b B) c() {\n}\n",
                vec![(1, 1), (2, 3), (4, 5)],
            ),
            ("a.c", "int a;\n\nint b() {\n}\n", vec![(1, 1), (3, 4)]),
        ] {
            assert_eq!(places(&change(path, None, Some(text))), expected, "{path}");
        }
        let long = "x = 1\n".repeat(65);
        assert_eq!(
            places(&change("a.py", None, Some(&long))),
            [(1, 30), (31, 60), (61, 65)]
        );
    }

    #[test]
    fn words_are_no_code() {
        let old = "def a():\n    return 1\n";
        for new in [
            "# Adds.\ndef a():\n    return 1\n",
            "def a():\n    \"\"\"Give one.\n\n    Always.\n    \"\"\"\n    return 1\n",
            "def a():\n\n    return 1\n",
        ] {
            assert_eq!(places(&change("a.py", Some(old), Some(new))), [], "{new}");
        }
        let text = "def a():\n    x = \"\"\"One\n    two.\"\"\"\n    return 1\n";
        assert_eq!(places(&change("a.py", Some(old), Some(text))), [(2, 3)]);
        let rust = change(
            "a.rs",
            Some("fn a() {}\n"),
            Some("/// Does nothing.\nfn a() {}\n"),
        );
        assert_eq!(places(&rust), []);
    }

    #[test]
    fn each_function_goes_back_to_what_it_was() {
        let (old, new) = (
            "def a():\n    return 1\n\ndef b():\n    return 2\n",
            "def a(x):\n    return 10\n\ndef b(x):\n    return 20\n",
        );
        let hunks = change("a.py", Some(old), Some(new));
        assert_eq!(places(&hunks), [(1, 2), (4, 5)]);
        let text = |taken: &[usize]| {
            let taken = taken.iter().copied().collect();
            hunks.without(&taken).remove(0).text.unwrap()
        };
        assert_eq!(
            text(&[0]),
            "def a():\n    return 1\n\ndef b(x):\n    return 20\n"
        );
        assert_eq!(text(&[0, 1]), old);
        assert_eq!(hunks.without(&BTreeSet::new()), []);
    }

    #[test]
    fn a_function_can_do_nothing() {
        for (path, text, wanted) in [
            (
                "a.py",
                "@mark\ndef a(b: dict[str, int] = {}) -> str:\n    \"\"\"Say.\n\nMore.\n    \"\"\"\n    if b:\n        pass\n\n    return 1\nc = 1\n",
                Some("@mark\ndef a(b: dict[str, int] = {}) -> str: pass\nc = 1\n"),
            ),
            ("a.py", "def a(): return 1\n", Some("def a(): pass\n")),
            ("a.py", "x = 1\n", None),
            (
                "a.rs",
                "pub fn a<T>(b: &str) -> Vec<T> {\n    f('}')\n}\n",
                Some("pub fn a<T>(b: &str) -> Vec<T> { unimplemented!() }\n"),
            ),
            ("a.rs", "struct A {\n    b: u8,\n}\n", None),
            (
                "a.ts",
                "const a = async (b) => {\n  return 1;\n};\n",
                Some("const a = async (b) => {};\n"),
            ),
            ("a.ts", "const a = (b) => b;\n", None),
            (
                "a.js",
                "  get(a) {\n    return `}`;\n  }\n",
                Some("  get(a) {}\n"),
            ),
            ("a.c", "int a() { return 1; }\n", None),
        ] {
            let hunks = change(path, None, Some(text));
            let found = hunks.with_empty_function(0).map(|file| file.text.unwrap());
            assert_eq!(found.as_deref(), wanted, "{text}");
        }
    }

    #[test]
    fn a_comment_stands_at_the_end() {
        for (path, new, wanted) in [
            ("a.py", "x = 1\n", Some("x = 1\n# -\n")),
            ("a.rs", "fn a() {}", Some("fn a() {}\n// -\n")),
            ("a.c", "int a;\n", None),
        ] {
            let files = change(path, None, Some(new)).with_comments();
            let text = files.first().and_then(|file| file.text.as_deref());
            assert_eq!(text, wanted, "{path}");
        }
    }

    #[test]
    fn files_come_and_go_whole() {
        let new = change("a.py", None, Some("def a():\n    pass\n"));
        assert_eq!(new.without(&[0].into())[0].text, None);
        let gone = change("a.py", Some("def a():\n    pass\n"), None);
        assert_eq!(places(&gone), [(1, 1)]);
        assert_eq!(
            gone.without(&[0].into())[0].text.as_deref(),
            Some("def a():\n    pass\n")
        );
    }

    proptest! {
        #[test]
        fn all_taken_back_is_the_text_before(
            old in prop::collection::vec("(def [ab]\\(\\):|    [ab] = [12]|# [ab]|)", 0..30),
            new in prop::collection::vec("(def [ab]\\(\\):|    [ab] = [12]|# [ab]|)", 0..70),
            path in prop::sample::select(vec!["a.py", "a.rs", "a.txt"]),
        ) {
            let text = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
            let (old, new) = (text(&old), text(&new));
            let hunks = change(path, Some(&old), Some(&new));
            let all = (0..hunks.hunks().len()).collect();
            let code = |text: &str| -> String {
                let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
                lines.map(|line| format!("{line}\n")).collect()
            };
            let back = hunks.without(&all).pop().map_or(Some(new), |file| file.text);
            // Comments and blanks stay as they are now.
            prop_assert_eq!(code(&back.unwrap()), code(&old));
            for hunk in hunks.hunks() {
                prop_assert!(hunk.last - hunk.first < LONGEST_PIECE);
            }
        }
    }
}
