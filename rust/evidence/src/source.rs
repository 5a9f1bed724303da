//! Source texts with their comments and strings masked, so that brackets and words of code can be found without a
//! whole parser.

/// The languages whose tests are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TestLanguage {
    /// Python.
    Python,
    /// JavaScript and TypeScript.
    JavaScript,
    /// Rust.
    Rust,
    /// Go.
    Go,
}

impl TestLanguage {
    /// Returns the language of a file by the ending of its name.
    ///
    /// ```
    /// use chant_evidence::TestLanguage;
    /// assert_eq!(TestLanguage::of("src/a.tsx"), Some(TestLanguage::JavaScript));
    /// assert_eq!(TestLanguage::of("README.md"), None);
    /// ```
    pub fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let (_, ending) = name.rsplit_once('.')?;
        Some(match ending.to_ascii_lowercase().as_str() {
            "py" | "pyi" => Self::Python,
            "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "cts" => Self::JavaScript,
            "rs" => Self::Rust,
            "go" => Self::Go,
            _ => return None,
        })
    }
}

/// A text, and the same text of the same length with what is in comments and strings masked.
#[derive(Debug, Clone)]
pub(crate) struct MaskedSource {
    pub text: String,
    pub masked: String,
    /// The text with spaces in place of its comments, of the same length.
    pub code: String,
}

impl MaskedSource {
    pub(crate) fn new(text: &str, language: TestLanguage) -> Self {
        let (masked, comments) = mask(text, language);
        let mut code = String::with_capacity(text.len());
        let mut from = 0;
        for (start, end) in comments {
            code.push_str(text.get(from..start).unwrap_or_default());
            let comment = text.get(start..end).unwrap_or_default();
            // One byte for one byte, so that places stay what they are.
            code.extend(
                comment
                    .bytes()
                    .map(|byte| if byte == b'\n' { '\n' } else { ' ' }),
            );
            from = end;
        }
        code.push_str(text.get(from..).unwrap_or_default());
        Self {
            text: text.to_owned(),
            masked,
            code,
        }
    }

    /// The number of the line of a byte, from 1.
    pub(crate) fn line_at(&self, at: usize) -> usize {
        let before = &self.text.as_bytes()[..at.min(self.text.len())];
        before.split(|byte| *byte == b'\n').count()
    }
}

/// A reader of bytes that writes the masked ones.
struct Mask<'a> {
    bytes: &'a [u8],
    out: Vec<u8>,
    at: usize,
    /// The ranges of comments.
    comments: Vec<(usize, usize)>,
}

impl Mask<'_> {
    fn starts(&self, words: &str) -> bool {
        self.bytes[self.at..].starts_with(words.as_bytes())
    }

    fn keep(&mut self) {
        self.out.push(self.bytes[self.at]);
        self.at += 1;
    }

    fn hide(&mut self, with: u8) {
        let Some(byte) = self.bytes.get(self.at) else {
            return;
        };
        self.out.push(if *byte == b'\n' { b'\n' } else { with });
        self.at += 1;
    }

    fn hide_line(&mut self) {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(|byte| *byte != b'\n') {
            self.hide(b' ');
        }
        self.comments.push((start, self.at));
    }

    fn hide_comment(&mut self, nests: bool) {
        let start = self.at;
        let mut depth = 0;
        while self.at < self.bytes.len() {
            if self.starts("/*") && (nests || depth == 0) {
                depth += 1;
                self.hide(b' ');
            } else if self.starts("*/") {
                depth -= 1;
                self.hide(b' ');
                self.hide(b' ');
                if depth == 0 {
                    break;
                }
                continue;
            }
            self.hide(b' ');
        }
        self.comments.push((start, self.at));
    }

    /// Masks a string whose opening quote is here.
    fn hide_string(&mut self, end: &str, escapes: bool, lines: bool) {
        for _ in 0..end.len() {
            self.keep();
        }
        while self.at < self.bytes.len() {
            if self.starts(end) {
                for _ in 0..end.len() {
                    self.keep();
                }
                return;
            }
            if self.bytes[self.at] == b'\n' && !lines {
                return;
            }
            if escapes && self.bytes[self.at] == b'\\' {
                self.hide(b'_');
            }
            if end.len() == 3 && self.bytes.get(self.at) == Some(&b'\n') {
                // A long string of Python is one line of code.
                self.out.push(b'_');
                self.at += 1;
                continue;
            }
            self.hide(b'_');
        }
    }

    /// Masks a template of JavaScript with the expressions in it.
    fn hide_template(&mut self) {
        self.keep();
        let mut depth = 0_usize;
        while self.at < self.bytes.len() {
            match self.bytes[self.at] {
                b'`' if depth == 0 => return self.keep(),
                b'\\' => self.hide(b'_'),
                b'$' if self.starts("${") => {
                    depth += 1;
                    self.hide(b'_');
                }
                b'{' if depth > 0 => depth += 1,
                b'}' if depth > 0 => depth -= 1,
                _ => {}
            }
            self.hide(b'_');
        }
    }

    /// The last byte before here that is no space.
    fn before(&self) -> Option<u8> {
        let before = self.out.iter().rev();
        before.copied().find(|byte| !b" \t".contains(byte))
    }

    fn hide_pattern(&mut self) {
        self.keep();
        let mut in_set = false;
        while self.at < self.bytes.len() && self.bytes[self.at] != b'\n' {
            match self.bytes[self.at] {
                b'/' if !in_set => return self.keep(),
                b'[' => in_set = true,
                b']' => in_set = false,
                b'\\' => self.hide(b'_'),
                _ => {}
            }
            self.hide(b'_');
        }
    }

    /// True for a quote that starts a character of Rust, not a lifetime.
    fn is_character(&self) -> bool {
        let rest = &self.bytes[self.at + 1..];
        rest.first() == Some(&b'\\')
            || rest.iter().take(6).skip(1).any(|byte| *byte == b'\'')
                && (rest.get(1) == Some(&b'\'')
                    || rest.first().is_some_and(|byte| !byte.is_ascii()))
    }

    /// The number of `#` of a raw string of Rust whose `r` is here.
    fn raw_hashes(&self) -> Option<usize> {
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        if self
            .out
            .last()
            .is_some_and(|last| is_word(last) && *last != b'b')
        {
            return None;
        }
        let rest = &self.bytes[self.at + 1..];
        let hashes = rest.iter().take_while(|byte| **byte == b'#').count();
        (rest.get(hashes) == Some(&b'"')).then_some(hashes)
    }
}

/// Returns a text of the same length, in which comments are spaces and what is within quotes is `_`, and the ranges of
/// the comments.
fn mask(text: &str, language: TestLanguage) -> (String, Vec<(usize, usize)>) {
    let mut mask = Mask {
        bytes: text.as_bytes(),
        out: Vec::with_capacity(text.len()),
        at: 0,
        comments: Vec::new(),
    };
    while mask.at < mask.bytes.len() {
        let byte = mask.bytes[mask.at];
        match (language, byte) {
            (TestLanguage::Python, b'#') => mask.hide_line(),
            (TestLanguage::Python, b'"' | b'\'') => {
                let quote = if byte == b'"' { "\"" } else { "'" };
                let three = quote.repeat(3);
                if mask.starts(&three) {
                    mask.hide_string(&three, true, true);
                } else {
                    mask.hide_string(quote, true, false);
                }
            }
            (TestLanguage::Python, _) => mask.keep(),
            (_, b'/') if mask.starts("//") => mask.hide_line(),
            (_, b'/') if mask.starts("/*") => mask.hide_comment(language == TestLanguage::Rust),
            (TestLanguage::JavaScript, b'/')
                if mask
                    .before()
                    .is_none_or(|before| b"(,=:[!&|?{};\n".contains(&before)) =>
            {
                mask.hide_pattern();
            }
            (TestLanguage::JavaScript, b'`') => mask.hide_template(),
            (TestLanguage::JavaScript | TestLanguage::Go, b'\'') => {
                mask.hide_string("'", true, false);
            }
            (TestLanguage::Go, b'`') => mask.hide_string("`", false, true),
            (TestLanguage::Rust, b'r') => match mask.raw_hashes() {
                Some(hashes) => {
                    for _ in 0..=hashes {
                        mask.keep();
                    }
                    let end = format!("\"{}", "#".repeat(hashes));
                    mask.keep();
                    while mask.at < mask.bytes.len() && !mask.starts(&end) {
                        mask.hide(b'_');
                    }
                    for _ in 0..end.len().min(mask.bytes.len() - mask.at) {
                        mask.keep();
                    }
                }
                None => mask.keep(),
            },
            (TestLanguage::Rust, b'\'') if mask.is_character() => {
                mask.hide_string("'", true, false);
            }
            (_, b'"') => mask.hide_string("\"", true, language == TestLanguage::Rust),
            _ => mask.keep(),
        }
    }
    let masked = String::from_utf8_lossy(&mask.out).into_owned();
    (masked, mask.comments)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masked_texts_keep_their_length_and_their_brackets() {
        for (language, text, masked) in [
            (TestLanguage::Python, "a = '#)' # (\nb", "a = '__'    \nb"),
            (
                TestLanguage::Python,
                "f(\"\"\"x\n)\"\"\")",
                "f(\"\"\"___\"\"\")",
            ),
            (
                TestLanguage::JavaScript,
                "a(/[/)]+/, `x${f(`)`)}`)",
                "a(/_____/, `__________`)",
            ),
            (
                TestLanguage::Rust,
                "f(r#\"a\")\"#, 'x', &'a b)",
                "f(r#\"___\"#, '_', &'a b)",
            ),
            (
                TestLanguage::Rust,
                "/* a /* b */ ) */f('\\'')",
                "                 f('__')",
            ),
            (TestLanguage::Go, "f(`\\`, ')')", "f(`_`, '_')"),
            (TestLanguage::Python, "x = 'é'", "x = '__'"),
        ] {
            let source = MaskedSource::new(text, language);
            assert_eq!(source.masked, masked);
            assert_eq!(
                (source.masked.len(), source.code.len()),
                (text.len(), text.len())
            );
        }
    }
}
