//! Checks the bounds of a text before every reading of YAML: how long it may be, how deep its brackets go and
//! how much its aliases may stand for.
//!
//! The reader has bounds of its own for the nesting of what it gives back (128 levels) and for
//! the number of aliases, but none for its effort: it grows with the square of the open brackets,
//! with the square of the `%TAG` lines, and with what aliases stand for.

use std::cell::Cell;
use std::fmt;

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor,
};

use super::YamlProblem;

/// The longest text that is read, its aliases written out.
pub(super) const LARGEST: usize = 2 * 1024 * 1024;

/// The deepest nesting of brackets.
const DEEPEST: usize = 100;

/// The deepest nesting of all that the reader gives back, less a few levels to be safe.
const DEEPEST_READ: usize = 120;

/// The greatest number of `%TAG` lines: each tag is looked for in all of them.
const MAX_DIRECTIVES: usize = 100;

/// Refuses text that would take the reader long, before it is given to it.
pub(super) fn refuse_excess(yaml: &str) -> Result<(), YamlProblem> {
    let message = if yaml.len() > LARGEST {
        "longer than 2 MiB, which is the most that is read".to_owned()
    } else if count_open_brackets(yaml) > DEEPEST {
        format!("nested more than {DEEPEST} levels deep")
    } else if yaml.matches("%TAG").count() > MAX_DIRECTIVES {
        format!("more than {MAX_DIRECTIVES} `%TAG` lines; write the tags out")
    } else {
        return Ok(());
    };
    Err(YamlProblem {
        message,
        line: None,
    })
}

/// Returns a message of the reader, in our words where it is about bounds of its own.
pub(super) fn reword(message: String) -> String {
    const DEPTH: (&str, &str) = (
        "recursion limit exceeded",
        "nested more than 128 levels deep",
    );
    const REPETITION: (&str, &str) = ("repetition limit exceeded", REPEATED);
    for (its, ours) in [DEPTH, REPETITION] {
        if let Some(place) = message.strip_prefix(its) {
            return format!("{ours}{place}");
        }
    }
    message
}

/// Returns true if YAML may expand to much more than its length: by anchors and aliases, or by
/// blocks nested so deep that reading them as a whole fails. False alarms are possible, the
/// opposite is not.
pub fn may_explode(yaml: &str) -> bool {
    may_repeat(yaml) || may_be_too_deep(yaml)
}

/// Returns true if text may hold aliases.
pub(super) fn may_repeat(yaml: &str) -> bool {
    yaml.contains('&') && yaml.contains('*')
}

/// Returns true if the values in text may be nested deeper than the reader follows.
fn may_be_too_deep(yaml: &str) -> bool {
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '-', '?', ':']).len();
    // A column starts at most two levels: a map, and a list under one of its keys.
    let columns = yaml.split(is_break).map(indent).max().unwrap_or(0) + 1;
    2 * columns + count_open_brackets(yaml) > DEEPEST_READ
}

fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t') || is_break(c)
}

/// The part that a character inside of brackets belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FlowPart {
    /// Nothing: a token starts with the next one that is not blank.
    Between,
    /// A scalar without quotes.
    Plain,
    /// The same, behind a blank: a `#` here is a comment.
    PlainGap,
    Single,
    Double,
    Escape,
    Comment,
    /// The name of an anchor or an alias.
    Name,
    /// The first character behind the `!` of a tag.
    TagStart,
    Tag,
    /// A tag in `!<…>`, which may hold brackets.
    Verbatim,
}

impl FlowPart {
    const COUNT: usize = Self::Verbatim as usize + 1;

    const ALL: [Self; Self::COUNT] = [
        Self::Between,
        Self::Plain,
        Self::PlainGap,
        Self::Single,
        Self::Double,
        Self::Escape,
        Self::Comment,
        Self::Name,
        Self::TagStart,
        Self::Tag,
        Self::Verbatim,
    ];

    /// Returns the part that the next character belongs to.
    fn advance(self, c: char, next: char) -> Self {
        match self {
            Self::Between => Self::start_token(c),
            Self::Plain | Self::PlainGap => match c {
                '[' | '{' | ']' | '}' | ',' => Self::Between,
                ':' if is_blank(next) => Self::Between,
                '#' if self == Self::PlainGap => Self::Comment,
                c if is_blank(c) => Self::PlainGap,
                _ => Self::Plain,
            },
            Self::Single if c == '\'' => Self::Between,
            Self::Double if c == '"' => Self::Between,
            Self::Double if c == '\\' => Self::Escape,
            Self::Escape => Self::Double,
            Self::Comment if is_break(c) => Self::Between,
            Self::Name if !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-')) => {
                Self::start_token(c)
            }
            Self::TagStart if c == '<' => Self::Verbatim,
            Self::TagStart | Self::Tag if is_blank(c) || c == ',' => Self::Between,
            Self::TagStart => Self::Tag,
            Self::Verbatim if c == '>' => Self::Tag,
            same => same,
        }
    }

    /// Returns the part behind a character at which a token may start.
    fn start_token(c: char) -> Self {
        match c {
            '[' | '{' | ']' | '}' | ',' | ':' | '?' => Self::Between,
            '"' => Self::Double,
            '\'' => Self::Single,
            '#' => Self::Comment,
            '&' | '*' => Self::Name,
            '!' => Self::TagStart,
            c if is_blank(c) => Self::Between,
            _ => Self::Plain,
        }
    }

    /// Returns true if a bracket is more than a letter here.
    fn counts_brackets(self) -> bool {
        matches!(
            self,
            Self::Between | Self::Plain | Self::PlainGap | Self::Name
        )
    }
}

/// Returns how deep brackets are nested in text, or more.
///
/// Inside of brackets it is clear what is a quote or a comment; where the first bracket stands is
/// not, without reading all of the YAML. So every bracket behind a blank is taken for a first one,
/// too, and for each part the deepest reading counts. A closing bracket in a quote or comment hides
/// nothing.
fn count_open_brackets(yaml: &str) -> usize {
    let opening = yaml.bytes().filter(|byte| matches!(byte, b'[' | b'{'));
    match opening.count() {
        most if most <= DEEPEST / 2 => most,
        _ => count_deepest(yaml),
    }
}

fn count_deepest(yaml: &str) -> usize {
    let mut deepest = 0;
    let mut depths = [0_usize; FlowPart::COUNT];
    let mut chars = yaml.chars().peekable();
    let mut may_start = true;
    while let Some(c) = chars.next() {
        let next = chars.peek().copied().unwrap_or('\n');
        let is_opening = matches!(c, '[' | '{');
        let mut after = [0; FlowPart::COUNT];
        for part in FlowPart::ALL {
            let depth = match (depths[part as usize], c) {
                (0, _) => continue,
                (depth, _) if !part.counts_brackets() => depth,
                (depth, ']' | '}') => depth - 1,
                (depth, _) => depth + usize::from(is_opening),
            };
            let known = &mut after[part.advance(c, next) as usize];
            *known = depth.max(*known);
        }
        if is_opening && may_start {
            let known = &mut after[FlowPart::Between as usize];
            *known = 1.max(*known);
        }
        depths = after;
        may_start = is_blank(c) || c == '\u{feff}';
        deepest = depths.into_iter().max().unwrap_or(0).max(deepest);
    }
    deepest
}

/// Reads text to its end, follows all aliases and keeps nothing: fails when the values and the
/// bytes of their texts are more than [`LARGEST`].
#[derive(Clone, Copy)]
pub(super) struct WrittenOut<'a>(pub(super) &'a Cell<usize>);

/// The fault of text whose aliases stand for too much.
pub(super) const REPEATED: &str =
    "its aliases stand for more text than is read; write the values out";

impl WrittenOut<'_> {
    fn count<E: Error>(self, bytes: usize) -> Result<(), E> {
        self.0.set(self.0.get() + bytes + 1);
        if self.0.get() > LARGEST {
            return Err(E::custom(REPEATED));
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for WrittenOut<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for WrittenOut<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.count(0)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        self.count(0)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        self.count(0)
    }

    fn visit_i128<E: Error>(self, _: i128) -> Result<(), E> {
        self.count(0)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        self.count(0)
    }

    fn visit_u128<E: Error>(self, _: u128) -> Result<(), E> {
        self.count(0)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        self.count(0)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.count(text.len())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        self.count(0)?;
        while items.next_element_seed(self)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        self.count(0)?;
        while map.next_entry_seed(self, self)?.is_some() {}
        Ok(())
    }

    fn visit_enum<A: EnumAccess<'de>>(self, tagged: A) -> Result<(), A::Error> {
        let ((), value) = tagged.variant_seed(self)?;
        value.newtype_variant_seed(self)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::de::IgnoredAny;

    use super::*;
    use crate::front_matter::{
        KeyStep, Yaml, line_of, read, read_any, read_key, read_spelled, reads_as_text,
    };

    /// What each reading says of a text.
    fn readings(yaml: &str) -> [Result<(), String>; 4] {
        [
            read::<IgnoredAny>(yaml).map(drop),
            read_spelled(yaml).map(drop),
            read_any(yaml),
            read_key::<String>(yaml, "status").map(drop),
        ]
        .map(|read| read.map_err(|problem| problem.message))
    }

    #[track_caller]
    fn refused(yaml: &str, why: &str) {
        let start: String = yaml.chars().take(40).collect();
        for read in readings(yaml) {
            let message = read.expect_err(&start);
            assert!(message.contains(why), "{start}: {message}");
        }
        let status = [KeyStep::Key("status".into())];
        assert_eq!(line_of(yaml, &status), None, "{start}");
        assert!(!reads_as_text(yaml), "{start}");
    }

    #[track_caller]
    fn accepted(yaml: &str) {
        for read in readings(yaml) {
            assert_eq!(read, Ok(()));
        }
        let status = [KeyStep::Key("status".into())];
        assert!(line_of(yaml, &status).is_some());
    }

    fn nested(opening: &str, levels: usize) -> String {
        format!("status: x\na: {}", opening.repeat(levels))
    }

    #[test]
    fn no_reading_is_given_a_text_that_would_take_it_long() {
        let depth = "nested more than 100 levels deep";
        refused(&nested("[", 101), depth);
        refused(&nested("{a: ", 101), depth);
        for hidden in [
            "[\"]\", ", "[']', ", "[\"\\\"]\", ", "[# ]\n ", "[x # ]\r ", "[#]\u{2028}",
            "{a: !<x]> b, c: ", "[a\"b, \"]\", ", "[a b\n # ' ]\n , ", "[*a, ']', ",
        ] {
            refused(&nested(hidden, 101), depth);
        }
        refused(
            &format!("status: \"{}\"\n", "x".repeat(LARGEST)),
            "longer than 2 MiB",
        );
        let tags: String = (0..101).map(|n| format!("%TAG !e{n}! t:\n")).collect();
        refused(&format!("{tags}--- {{status: x}}\n"), "`%TAG` lines");
    }

    #[test]
    fn aliases_stand_for_no_more_than_what_may_be_written() {
        let status = "status: x\n";
        let long = "x".repeat(1000);
        refused(
            &format!("{status}a: &a {long}\nb: [{}]\n", "*a,".repeat(2200)),
            REPEATED,
        );
        let list = "x,".repeat(1000);
        let many = format!("a: &a [{list}]\nb: [{}]\n", "*a,".repeat(1200));
        refused(&format!("{status}{many}"), REPEATED);
        refused(&format!("{status}t: !t {{k: !u [&k 1]}}\n{many}"), REPEATED);
        // What is nested too deep does not end the count.
        refused(
            &format!("{status}deep: \n  {}x\n{many}", "- ".repeat(130)),
            "nested more than 128 levels deep at line 3 column ",
        );
        let laughs: String = (1..10)
            .map(|n| format!("a{n}: &a{n} [{}]\n", format!("*a{},", n - 1).repeat(9)))
            .collect();
        refused(&format!("{status}a0: &a0 [x]\n{laughs}"), REPEATED);
        accepted(&format!("{status}a: &a x\nb: [{}]\n", "*a,".repeat(3000)));
        accepted("status: x\na: &a {k: [1, -1, 1.5, true, ~, y]}\nb: *a\n");
    }

    #[test]
    fn what_people_write_is_within_the_bounds() {
        let boxes = "  - [ ] it's \"this [link](x) {y}\n".repeat(2000);
        accepted(&format!("status: x\nnotes: |\n{boxes}"));
        let lists: String = (0..5000)
            .map(|n| format!("k{n}: [\"[\", ['}}'], {{a: x]}}] # [\n"))
            .collect();
        accepted(&format!("status: x\n{}", lists.replace("x]", "x")));
        let (open, close) = ("[".repeat(100), "]".repeat(100));
        accepted(&format!("status: x\na: {open}x{close}\n"));
        let rest = LARGEST - "status: x\na: \n".len();
        accepted(&format!("status: x\na: {}\n", "x".repeat(rest)));
    }

    #[test]
    fn deep_blocks_are_refused_in_the_same_words() {
        for deep in ["- ".repeat(200), "? ".repeat(200)] {
            let message = read::<Yaml>(&deep).unwrap_err().message;
            let expected = "nested more than 128 levels deep at line 1 column 257";
            assert_eq!(message, expected);
        }
        let other = "a: {b: [recursion limit exceeded]}";
        assert!(read::<Vec<String>>(other).is_err());
        assert_eq!(reword(other.into()), other);
    }

    /// Lists under the keys of maps start two levels in each column.
    #[test]
    fn what_is_not_suspected_can_be_read_as_a_whole() {
        for (columns, brackets) in (0..75).step_by(3).flat_map(|n| [(n, 0), (n, 50), (n, 100)]) {
            for end in ["\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"] {
                let line = |n: usize| format!("{0}k:{end}{0}-{end}", " ".repeat(n));
                let lines: String = (0..columns).map(line).collect();
                let (open, close) = ("[".repeat(brackets), "]".repeat(brackets));
                let yaml = format!("{lines}{}k: {open}{close}{end}", " ".repeat(columns));
                let read = read_any(&yaml);
                assert!(may_explode(&yaml) || read.is_ok(), "{yaml}: {read:?}");
                assert!(
                    columns > 30 || brackets > 50 || !may_explode(&yaml),
                    "{yaml}"
                );
            }
        }
    }

    fn depth(value: &Yaml) -> usize {
        match value {
            Yaml::Sequence(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
            Yaml::Mapping(map) => 1 + map.values().map(depth).max().unwrap_or(0),
            Yaml::Tagged(tagged) => depth(&tagged.value),
            _ => 0,
        }
    }

    /// Brackets with values between them that look as if they closed some.
    fn brackets() -> impl Strategy<Value = String> {
        let value = prop::sample::select(vec![
            "x", "it's", "a\"b", "\"]\"", "\"}\\\"]\"", "']'", "'it''s ]'", "\"\\\\\"",
            "a b\n ' # ]\n", "x # ']\"\r", "# ]\u{2028}x", "!t ']'", "!<a]b> ']'", "!t'] ]",
            "&n ']'", "-x", "x#]", "\t\"]\"\t#}\n", "a:b'", "http://x", "|",
        ]);
        let value = value.prop_filter("readable", |text| {
            read::<Yaml>(&format!("[{text} ]")).is_ok_and(|read| depth(&read) == 1)
        });
        value
            .prop_map(str::to_owned)
            .prop_recursive(8, 40, 3, |inner| {
                (prop::collection::vec(inner, 0..4), any::<bool>()).prop_map(|(values, is_map)| {
                    let entry = |(n, value): (usize, &String)| {
                        let key = is_map.then(|| format!("\"k{n}\":"));
                        format!("{}{value} ", key.unwrap_or_default())
                    };
                    let entries: Vec<String> = values.iter().enumerate().map(entry).collect();
                    let (open, close) = if is_map { ('{', '}') } else { ('[', ']') };
                    format!("{open}{}{close}", entries.join(","))
                })
            })
    }

    proptest! {
        /// Any smaller count could be abused, a greater one refuses what is harmless.
        #[test]
        fn brackets_are_counted_as_the_reader_counts_them(text in brackets()) {
            let yaml = format!("[{text} ]");
            let read = read::<Yaml>(&yaml).unwrap();
            prop_assert_eq!(count_deepest(&yaml), depth(&read));
        }

        #[test]
        fn the_count_is_no_smaller_behind_any_text(before in "[a\"'#:{,\\[ &!-]{0,20}", text in brackets()) {
            let yaml = format!("[{text} ]");
            let behind = format!("{before}\n{yaml}");
            prop_assert!(count_deepest(&behind) >= count_deepest(&yaml));
        }
    }
}
