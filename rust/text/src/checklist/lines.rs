//! Reads a checklist line by line, as the programs do that keep plans in one.
//!
//! Which lines are items, and what is done, is a table of the format ([`BoxGrammar`]); the lines, their fences and
//! the places of their parts are the same for all.

use std::ops::Range;

/// The boxes that a format takes for items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoxGrammar {
    /// The signs that may stand in a box, the blank among them.
    pub signs: &'static str,
    /// True if a number with `.` or `)` may stand in place of a bullet.
    pub has_numbered_bullets: bool,
    /// True if a box may be empty, or have blanks beside its sign.
    pub has_loose_boxes: bool,
    /// True if no blank has to stand between bullet, box and text.
    pub has_loose_blanks: bool,
}

/// A line of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListLine {
    /// Its number, counted from 1.
    pub number: usize,
    /// Its bytes without the line break.
    pub range: Range<usize>,
    /// The byte behind its line break.
    pub end: usize,
    /// The column in which its text begins, tabs at every fourth.
    pub column: usize,
    /// True within a fence, its first and last lines included.
    pub is_fenced: bool,
    /// Its kind.
    pub kind: ListLineKind,
}

/// The kinds of lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListLineKind {
    /// Nothing but blanks.
    Blank,
    /// A heading with `#` marks.
    Heading {
        /// Its level, 1 to 6.
        level: u8,
        /// Its text.
        text: Range<usize>,
    },
    /// An item with a box.
    Box(BoxParts),
    /// Anything else.
    Text,
}

/// The parts of an item's line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoxParts {
    /// The bullet, or the number in its place.
    pub bullet: Range<usize>,
    /// All between the brackets.
    pub mark: Range<usize>,
    /// The sign in the box; a blank for an empty one.
    pub sign: char,
    /// The text behind the box, without blanks around it.
    pub text: Range<usize>,
}

impl ListLine {
    /// The parts of an item's line.
    pub fn parts(&self) -> Option<&BoxParts> {
        match &self.kind {
            ListLineKind::Box(parts) => Some(parts),
            _ => None,
        }
    }
}

/// Reads all lines behind a byte, which is behind a byte order mark where there is one.
///
/// ```
/// use chant_text::checklist::lines::{BoxGrammar, read_lines};
///
/// let grammar = BoxGrammar { signs: " xX", has_numbered_bullets: false, has_loose_boxes: false, has_loose_blanks: false };
/// let text = "## 1. Set up\n- [x] 1.1 Begin\n  more\n";
/// let lines = read_lines(text, 0, &grammar);
/// let parts = lines[1].parts().unwrap();
/// assert_eq!((parts.sign, &text[parts.text.clone()]), ('x', "1.1 Begin"));
/// ```
pub fn read_lines(text: &str, start: usize, grammar: &BoxGrammar) -> Vec<ListLine> {
    let mut at = start;
    let mut fence: Option<(char, usize)> = None;
    let mut lines = Vec::new();
    for (number, line) in text[start..].split_inclusive('\n').enumerate() {
        let content = line.strip_suffix('\n').unwrap_or(line);
        let content = content.strip_suffix('\r').unwrap_or(content);
        let mark = fence_of(content);
        let is_fenced = fence.is_some() || mark.is_some();
        fence = match (fence, mark) {
            (None, Some((sign, count, _))) => Some((sign, count)),
            (Some((sign, count)), Some((other, length, true)))
                if other == sign && length >= count =>
            {
                None
            }
            (open, _) => open,
        };
        let range = at..at + content.len();
        at += line.len();
        lines.push(ListLine {
            number: number + 1,
            column: column_of(content),
            kind: kind_of(text, &range, grammar),
            range,
            end: at,
            is_fenced,
        });
    }
    lines
}

/// The sign of a fence on a line, how many there are, and whether nothing else stands there.
fn fence_of(line: &str) -> Option<(char, usize, bool)> {
    let text = line.trim();
    let sign = text
        .chars()
        .next()
        .filter(|sign| matches!(sign, '`' | '~'))?;
    let rest = text.trim_start_matches(sign);
    let count = text.len() - rest.len();
    // Backticks with more of them behind are code within a line.
    let is_inline = sign == '`' && rest.contains('`');
    (count >= 3 && !is_inline).then_some((sign, count, rest.is_empty()))
}

fn column_of(line: &str) -> usize {
    let mut column = 0;
    for sign in line.chars() {
        match sign {
            ' ' => column += 1,
            '\t' => column += 4 - column % 4,
            _ => break,
        }
    }
    column
}

fn kind_of(text: &str, range: &Range<usize>, grammar: &BoxGrammar) -> ListLineKind {
    let line = &text[range.clone()];
    let content = line.trim_start_matches([' ', '\t']);
    let start = range.start + line.len() - content.len();
    if content.trim().is_empty() {
        return ListLineKind::Blank;
    }
    let level = content.len() - content.trim_start_matches('#').len();
    let behind = &content[level..];
    if (1..=6).contains(&level) && (behind.is_empty() || behind.starts_with([' ', '\t'])) {
        let title = trimmed(text, start + level..range.end);
        return ListLineKind::Heading {
            level: u8::try_from(level).unwrap_or(6),
            text: without_closing_marks(text, title),
        };
    }
    box_at(text, start..range.end, grammar).map_or(ListLineKind::Text, ListLineKind::Box)
}

/// A heading's text without the `#` marks that may close it.
fn without_closing_marks(text: &str, title: Range<usize>) -> Range<usize> {
    let words = &text[title.clone()];
    let rest = words.trim_end_matches('#');
    if rest.is_empty() || rest.ends_with([' ', '\t']) {
        trimmed(text, title.start..title.start + rest.len())
    } else {
        title
    }
}

/// The digits that a number before a box may have.
const MAX_DIGITS: usize = 9;

fn box_at(text: &str, range: Range<usize>, grammar: &BoxGrammar) -> Option<BoxParts> {
    let item = &text[range.clone()];
    let bullet = if item.starts_with(['-', '*', '+']) {
        1
    } else {
        let digits = item.bytes().take_while(u8::is_ascii_digit).count();
        let is_number =
            (1..=MAX_DIGITS).contains(&digits) && item[digits..].starts_with(['.', ')']);
        (grammar.has_numbered_bullets && is_number).then_some(digits + 1)?
    };
    let behind = &item[bullet..];
    let boxed = behind.trim_start_matches([' ', '\t']);
    let has_blank = boxed.len() < behind.len();
    let inside = boxed.strip_prefix('[')?;
    let close = inside.find(']')?;
    let (written, rest) = (&inside[..close], &inside[close + 1..]);
    let sign = sign_of(written, grammar)?;
    let has_text_apart = rest.is_empty() || rest.starts_with([' ', '\t']) || rest.starts_with('*');
    if is_address(rest) || !(grammar.has_loose_blanks || has_blank && has_text_apart) {
        return None;
    }
    let open = range.end - boxed.len() + 1;
    let mark = open..open + close;
    Some(BoxParts {
        bullet: range.start..range.start + bullet,
        text: trimmed(text, mark.end + 1..range.end),
        mark,
        sign,
    })
}

/// True if what stands behind brackets makes a link of them, whatever sign they hold: so a tick makes no link of an
/// item. `(see below) text` and `[P] text` are words of an item.
fn is_address(behind: &str) -> bool {
    let address = behind
        .strip_prefix('(')
        .and_then(|rest| rest.split(')').next().filter(|it| it.len() < rest.len()));
    address.is_some_and(|address| !address.contains(char::is_whitespace))
}

fn sign_of(written: &str, grammar: &BoxGrammar) -> Option<char> {
    let mut signs = written.chars();
    let sign = match (signs.next(), signs.next()) {
        (Some(sign), None) => sign,
        _ if !grammar.has_loose_boxes => return None,
        _ => {
            let mut signs = written.trim_matches([' ', '\t']).chars();
            let sign = signs.next().unwrap_or(' ');
            signs.next().is_none().then_some(sign)?
        }
    };
    let sign = if grammar.has_loose_boxes && sign == '\t' {
        ' '
    } else {
        sign
    };
    grammar.signs.contains(sign).then_some(sign)
}

/// A range of a text without blanks at its ends.
pub fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let words = &text[range.clone()];
    let start = range.start + words.len() - words.trim_start().len();
    start..start + words.trim().len()
}

/// The number at the start of an item's text: `1`, `1.2`, `1.2.3a`, or `T001` where such are taken; without a dot,
/// a bracket or a colon behind it. The number and what follows must not be one word.
///
/// ```
/// use chant_text::checklist::lines::leading_number;
///
/// for (text, number) in [("1.2 Do it", Some("1.2")), ("**1.2a** Do", Some("1.2a")), ("1. Do", Some("1")), ("2x Do", None)] {
///     assert_eq!(leading_number(text, false).map(|(at, _)| &text[at]), number, "{text}");
/// }
/// ```
///
/// Gives the number and the byte at which the title begins.
pub fn leading_number(text: &str, has_lettered: bool) -> Option<(Range<usize>, usize)> {
    let marks = text.len() - text.trim_start_matches(['*', '_']).len();
    let rest = &text[marks..];
    let letter = usize::from(has_lettered && rest.starts_with('T'));
    let digits = rest[letter..]
        .bytes()
        .take_while(|byte| byte.is_ascii_digit() || *byte == b'.')
        .count();
    let number = rest[..letter + digits].trim_end_matches('.');
    let is_number = number[letter.min(number.len())..].starts_with(|c: char| c.is_ascii_digit())
        && !number.contains("..");
    if !is_number {
        return None;
    }
    let suffix = rest[number.len()..]
        .chars()
        .next()
        .filter(char::is_ascii_lowercase);
    // `1.2a` is a number, `2x` a word.
    let is_suffix = number.contains('.')
        && suffix.is_some_and(|_| {
            let behind = rest[number.len() + 1..].chars().next();
            behind.is_none_or(|next| !next.is_alphanumeric())
        });
    let length = number.len() + usize::from(is_suffix);
    let behind = rest[length..].trim_start_matches(['.', ')', ':', '*', '_']);
    let gap = behind.trim_start();
    let ends = behind.is_empty() || gap.len() < behind.len();
    ends.then(|| (marks..marks + length, text.len() - gap.len()))
}

/// The longest slug of a title.
const MAX_SLUG: usize = 40;

/// Names an item without a number by the first words of its title.
pub fn slug(title: &str) -> String {
    let words = title.split(|c: char| !c.is_alphanumeric());
    let mut slug = String::new();
    for word in words.filter(|word| !word.is_empty()) {
        let word = word.to_lowercase();
        let length = slug.chars().count() + word.chars().count() + 1;
        if length > MAX_SLUG + 1 && !slug.is_empty() {
            break;
        }
        if !slug.is_empty() {
            slug.push('-');
        }
        slug.extend(word.chars().take(MAX_SLUG));
    }
    slug
}

/// The bytes that set a sign in a box: the sign alone is replaced, in an empty box it is put in. `None` if it is
/// there.
pub fn set_sign(text: &str, mark: &Range<usize>, sign: char) -> Option<(Range<usize>, String)> {
    let written = &text[mark.clone()];
    let inner = trimmed(text, mark.clone());
    let now = if inner.is_empty() {
        ' '
    } else {
        text[inner.clone()].chars().next().unwrap_or(' ')
    };
    if now == sign {
        return None;
    }
    let span = if inner.is_empty() {
        // Of several blanks one is replaced.
        mark.start..mark.start + written.chars().next().map_or(0, char::len_utf8)
    } else {
        inner
    };
    Some((span, sign.to_string()))
}

/// The lines of details below an item's line: deeper lines that are no items, with blank ones between them. `lines`
/// begin behind the item; the result is how many of them.
pub fn count_details(lines: &[ListLine], column: usize) -> usize {
    let mut count = 0;
    for (at, line) in lines.iter().enumerate() {
        match &line.kind {
            ListLineKind::Blank => {}
            ListLineKind::Heading { .. } | ListLineKind::Box(_) if !line.is_fenced => break,
            _ if line.column > column => count = at + 1,
            // A fence may stand at the margin of the text that it belongs to.
            _ if line.is_fenced && count > 0 && at > 0 && lines[at - 1].is_fenced => count = at + 1,
            _ => break,
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const STRICT: BoxGrammar = BoxGrammar {
        signs: " xX-~",
        has_numbered_bullets: false,
        has_loose_boxes: false,
        has_loose_blanks: false,
    };
    const LOOSE: BoxGrammar = BoxGrammar {
        signs: " xX-~",
        has_numbered_bullets: true,
        has_loose_boxes: true,
        has_loose_blanks: true,
    };

    fn sign(line: &str, grammar: &BoxGrammar) -> Option<char> {
        let lines = read_lines(line, 0, grammar);
        lines.first()?.parts().map(|parts| parts.sign)
    }

    #[test]
    fn a_table_says_which_boxes_are_items() {
        for (line, loose, strict) in [
            ("- [ ] a", Some(' '), Some(' ')),
            ("\t* [x] a", Some('x'), Some('x')),
            ("- [X]", Some('X'), Some('X')),
            ("- [ x] a", Some('x'), None),
            ("- [x ] a", Some('x'), None),
            ("- [] a", Some(' '), None),
            ("- [~] a", Some('~'), Some('~')),
            ("-[ ] a", Some(' '), None),
            ("- [ ]a", Some(' '), None),
            ("- [ ]* a", Some(' '), Some(' ')),
            ("1. [ ] a", Some(' '), None),
            ("12) [x] a", Some('x'), None),
            ("1234567890. [x] a", None, None),
            ("> - [ ] a", None, None),
            ("| - [ ] a |", None, None),
            ("- [A](b)", None, None),
            ("- [x](b)", None, None),
            ("- [ ](b) c", None, None),
            ("- [](b) c", None, None),
            ("- [x](see below) a", Some('x'), None),
            ("- [ ](see below) a", Some(' '), None),
            ("- [][P] a", Some(' '), None),
            ("- [x][P] a", Some('x'), None),
            ("- [][", Some(' '), None),
            ("- [done] a", None, None),
            ("- [?] a", None, None),
            ("- [ ", None, None),
        ] {
            assert_eq!(
                (sign(line, &LOOSE), sign(line, &STRICT)),
                (loose, strict),
                "{line}"
            );
        }
    }

    #[test]
    fn fences_end_with_their_own_sign() {
        let text = "````\n```\n- [ ] a\n````\n- [ ] b\n~~~\n- [ ] c\n```\n- [ ] d\n";
        let fenced: Vec<bool> = read_lines(text, 0, &STRICT)
            .iter()
            .filter(|line| line.parts().is_some())
            .map(|line| line.is_fenced)
            .collect();
        assert_eq!(fenced, [true, false, true, true]);
    }

    #[test]
    fn a_number_is_a_word_of_its_own() {
        for (text, number, title) in [
            ("1 Do", "1", "Do"),
            ("1.10: Do", "1.10", "Do"),
            ("01.1) Do", "01.1", "Do"),
            ("**1.2 Do**", "1.2", "Do**"),
            ("1.2a\tDo", "1.2a", "Do"),
            ("T001 Do", "T001", "Do"),
            ("1.2", "1.2", ""),
        ] {
            let (at, start) = leading_number(text, true).unwrap();
            assert_eq!((&text[at], &text[start..]), (number, title));
        }
        for text in [
            "", "Do 1", "3D view", "1.2abc", "１.２ Do", "T Do", "1..2 Do", "UI-3 Do",
        ] {
            assert_eq!(leading_number(text, true), None, "{text}");
        }
    }

    #[test]
    fn slugs_are_short() {
        assert_eq!(slug("Write **the** `API`!"), "write-the-api");
        assert_eq!(slug("设置 数据库"), "设置-数据库");
        assert_eq!(slug(""), "");
        assert!(slug(&"word ".repeat(100)).len() <= 40);
        assert_eq!(slug(&"x".repeat(100)).len(), 40);
    }

    proptest! {
        #[test]
        fn parts_of_lines_lie_in_each_other(text in "([-*+ \t#`~>x.0-9\\[\\]a\u{fc}\r\n]|- \\[|\\] ){0,60}") {
            for grammar in [STRICT, LOOSE] {
                let mut end = 0;
                for line in read_lines(&text, 0, &grammar) {
                    prop_assert!(line.range.start == end && line.range.end <= line.end);
                    end = line.end;
                    if let Some(parts) = line.parts() {
                        prop_assert!(line.range.start <= parts.bullet.start);
                        prop_assert!(parts.bullet.end < parts.mark.start);
                        prop_assert!(parts.mark.end < parts.text.start && parts.text.end <= line.range.end);
                        prop_assert_eq!(&text[parts.mark.start - 1..parts.mark.start], "[");
                        prop_assert_eq!(&text[parts.mark.end..=parts.mark.end], "]");
                        if let Some((span, sign)) = set_sign(&text, &parts.mark, 'x') {
                            let mut ticked = text.clone();
                            ticked.replace_range(span, &sign);
                            let again = read_lines(&ticked, 0, &grammar);
                            prop_assert_eq!(again[line.number - 1].parts().map(|parts| parts.sign), Some('x'));
                        }
                    }
                }
                prop_assert_eq!(end, text.len());
            }
        }

        #[test]
        fn numbers_lie_in_their_text(text in "[*_.0-9aT: )\u{fc}]{0,12}") {
            if let Some((number, title)) = leading_number(&text, true) {
                prop_assert!(number.end <= title && text.get(title..).is_some() && text.get(number).is_some());
            }
        }
    }
}
