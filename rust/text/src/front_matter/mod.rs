//! YAML front matter: finds it, reads it, and changes one key at a time.
//!
//! Reading uses the YAML crate, which only this file names. Changing uses a scan of the lines,
//! because no YAML crate gives a file back in its own layout. Each change is read again and
//! compared before it is returned, so a scan that misreads exotic YAML refuses instead of doing
//! harm.

mod bounds;
mod entries;
mod keys;
mod lists;
mod located;
mod nested;
mod places;
mod spelling;
mod transfer;

use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use serde::de::{
    Deserialize, DeserializeOwned, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess,
    Visitor,
};
use serde_yaml::{Mapping, Value as Yaml};

use chant_base::text_place::TextPlace;

use super::edit::{Edit, EditError, apply, line_break};
use super::scalar::{self, ScalarContext};
pub use bounds::may_explode;
pub use entries::{FrontMatterEntry, entries, set_apart};
pub use keys::{FrontMatterKey, keys};
use keys::{lines, token};
use lists::ListStyle;
pub use located::KeyStep;
pub use nested::{NestedEntry, set_nested};
pub use places::FrontMatterPlaces;
pub use transfer::{says_same, transfer, yaml_of};

/// The places of a document's parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrontMatterLayout {
    /// The YAML between the fences, its last line break included; `None` without front matter.
    pub yaml: Option<Range<usize>>,
    /// The first byte of the body.
    pub body: usize,
}

/// Finds the front matter of a document: a byte order mark and blank lines may stand before it, and
/// a fence is a line of its own that holds `---` and nothing else (blanks at its end excepted).
///
/// # Errors
/// `EditError::Unclosed` when the opening fence has no partner, `EditError::Returns` for one whose line
/// ends in a carriage return alone.
pub fn layout(text: &str) -> Result<FrontMatterLayout, EditError> {
    let start = if text.starts_with('\u{feff}') {
        '\u{feff}'.len_utf8()
    } else {
        0
    };
    let mut lines = lines(text, start..text.len())
        .enumerate()
        .skip_while(|(_, line)| text[line.clone()].trim().is_empty());
    let is_fence = |line: &Range<usize>| text[line.clone()].trim_end() == "---";
    let first = text[start..].trim_start();
    if let Some(rest) = first.strip_prefix("---\r")
        && rest.starts_with(|c| c != '\n' && c != '\r')
    {
        return Err(EditError::Returns);
    }
    let Some((number, fence)) = lines.next().filter(|(_, line)| is_fence(line)) else {
        return Ok(FrontMatterLayout {
            yaml: None,
            body: start,
        });
    };
    let close = lines
        .map(|(_, line)| line)
        .find(is_fence)
        .ok_or(EditError::Unclosed { line: number + 1 })?;
    Ok(FrontMatterLayout {
        yaml: Some(fence.end..close.start),
        body: close.end,
    })
}

/// A fault in a piece of YAML, with its line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct YamlProblem {
    /// The message of the reader.
    pub message: String,
    /// The line inside the YAML, counted from 1, if it is known.
    pub line: Option<usize>,
}

impl YamlProblem {
    /// Returns the message for YAML below this many lines of the file: its line numbers are those
    /// of the file.
    pub fn below(&self, lines: usize) -> String {
        let mut parts = self.message.split(" at line ");
        let mut message: String = parts.next().unwrap_or_default().into();
        for part in parts {
            let end = part.find(|c: char| !c.is_ascii_digit());
            let (number, rest) = part.split_at(end.unwrap_or(part.len()));
            message.push_str(" at line ");
            match number.parse::<usize>() {
                Ok(number) => message.push_str(&(number + lines).to_string()),
                Err(_) => message.push_str(number),
            }
            message.push_str(rest);
        }
        message
    }
}

impl YamlProblem {
    /// The line of a document that the fault is about, where its YAML stands at these bytes: that of what is not
    /// closed, where the message names it, and never one behind the YAML.
    pub fn place(&self, text: &str, yaml: Range<usize>) -> TextPlace {
        let named = self.message.rsplit_once(" at line ").map(|(_, rest)| rest);
        let named = named.and_then(|rest| rest.split(' ').next()?.parse().ok());
        let Some(line) = named.or(self.line) else {
            return TextPlace::of_words(text, yaml);
        };
        let before = text[..yaml.start].matches('\n').count();
        let last = text[yaml].trim_end().matches('\n').count() + 1;
        TextPlace::of_line(text, before + usize::min(line, last))
    }
}

impl From<serde_yaml::Error> for YamlProblem {
    fn from(error: serde_yaml::Error) -> Self {
        Self {
            message: bounds::reword(error.to_string()),
            line: error.location().map(|at| at.line()),
        }
    }
}

/// Opens a text for every reading: text beyond the bounds does not get to it.
fn open_reader(yaml: &str) -> Result<serde_yaml::Deserializer<'_>, YamlProblem> {
    bounds::refuse_excess(yaml)?;
    if bounds::may_repeat(yaml) {
        let count = Cell::new(0);
        bounds::WrittenOut(&count).deserialize(serde_yaml::Deserializer::from_str(yaml))?;
    }
    Ok(serde_yaml::Deserializer::from_str(yaml))
}

/// Reads YAML as a typed value; scalars read into text keep their spelling (`001`, `no`, `1.10`).
///
/// # Errors
/// The first fault.
pub fn read<T: DeserializeOwned>(yaml: &str) -> Result<T, YamlProblem> {
    Ok(T::deserialize(open_reader(yaml)?)?)
}

/// Reads YAML as plain data, and keeps the spelling of a scalar if it is not the usual one of its
/// value: `16` is a number and `0x10` a text, so that values which any reader could distinguish
/// differ here, too.
///
/// # Errors
/// The first fault; tags and repeated keys are faults.
pub fn read_spelled(yaml: &str) -> Result<serde_json::Value, YamlProblem> {
    let Some(shape) = read::<Option<serde_json::Value>>(yaml)? else {
        return Ok(serde_json::Value::Null);
    };
    Ok(spelling::SpelledValue(&shape).deserialize(open_reader(yaml)?)?)
}

/// The line inside YAML, counted from 1, on which a key or an item stands; none where the steps lead nowhere. The
/// YAML has to be readable.
pub fn line_of(yaml: &str, steps: &[KeyStep]) -> Option<usize> {
    let stopped = located::Located(steps).deserialize(open_reader(yaml).ok()?);
    let stopped = stopped.err()?;
    YamlProblem::from(stopped).line
}

/// Checks that YAML is a mapping (or empty) without expecting any key.
///
/// # Errors
/// A fault when it cannot be read at all, repeats a key or is something else.
pub fn read_any(yaml: &str) -> Result<(), YamlProblem> {
    mapping(yaml).map(|_| ())
}

fn mapping(yaml: &str) -> Result<Mapping, YamlProblem> {
    match read::<Option<Yaml>>(yaml)? {
        None => Ok(Mapping::new()),
        Some(Yaml::Mapping(map)) => Ok(map),
        Some(_) => Err(YamlProblem {
            message: "expected `key: value` lines".into(),
            line: Some(1),
        }),
    }
}

/// Reads one top-level key as a typed value and nothing else; `None` when it is absent or null.
///
/// # Errors
/// A fault when the YAML cannot be read or the value does not fit the type.
pub fn read_key<T: DeserializeOwned>(yaml: &str, key: &str) -> Result<Option<T>, YamlProblem> {
    let seed = SingleKey {
        key,
        kind: PhantomData,
    };
    Ok(seed.deserialize(open_reader(yaml)?)?)
}

/// Reads one key of a mapping as the wanted type, so that its scalars keep their spelling.
struct SingleKey<'a, T> {
    key: &'a str,
    kind: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for SingleKey<'_, T> {
    type Value = Option<T>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for SingleKey<'_, T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`key: value` lines")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_none<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(name) = map.next_key::<String>()? {
            if name == self.key {
                found = map.next_value::<Option<T>>()?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

/// A list of texts; one text stands for a list of one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextList(pub Vec<String>);

impl<'de> Deserialize<'de> for TextList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = TextList;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of texts or one text")
            }

            fn visit_str<E>(self, text: &str) -> Result<TextList, E> {
                Ok(TextList(vec![text.to_owned()]))
            }

            fn visit_i64<E>(self, number: i64) -> Result<TextList, E> {
                Ok(TextList(vec![number.to_string()]))
            }

            fn visit_u64<E>(self, number: u64) -> Result<TextList, E> {
                Ok(TextList(vec![number.to_string()]))
            }

            fn visit_f64<E>(self, number: f64) -> Result<TextList, E> {
                Ok(TextList(vec![number.to_string()]))
            }

            fn visit_bool<E>(self, flag: bool) -> Result<TextList, E> {
                Ok(TextList(vec![flag.to_string()]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<TextList, A::Error> {
                let mut texts = Vec::new();
                while let Some(text) = items.next_element::<String>()? {
                    texts.push(text);
                }
                Ok(TextList(texts))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// Returns true if a plain scalar is read as exactly the same text.
pub(super) fn reads_as_text(plain: &str) -> bool {
    matches!(read(plain), Ok(Yaml::String(text)) if text == plain)
}

/// A value to be written under a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FrontMatterValue {
    /// One text.
    Text(String),
    /// `true` or `false`.
    Flag(bool),
    /// A list of texts.
    List(Vec<String>),
    /// A list for a key that may also hold one text: one text that replaces another stays a text.
    OneOrMany(Vec<String>),
    /// A map of one level.
    Map(Vec<(&'static str, FrontMatterValue)>),
}

impl FrontMatterValue {
    fn yaml(&self) -> Yaml {
        match self {
            Self::Text(text) => Yaml::String(text.clone()),
            Self::Flag(flag) => Yaml::Bool(*flag),
            Self::List(items) | Self::OneOrMany(items) => {
                Yaml::Sequence(items.iter().cloned().map(Yaml::String).collect())
            }
            Self::Map(pairs) => Yaml::Mapping(
                pairs
                    .iter()
                    .map(|(key, value)| ((*key).into(), value.yaml()))
                    .collect(),
            ),
        }
    }
}

/// Changes one key of a document, adds it if it is absent, or removes it (`None`).
///
/// `order` is the documented order of keys: an absent key goes behind the nearest one before it.
/// A list keeps the layout it had (block, flow or single text), and items that stay keep their lines.
///
/// # Errors
/// `EditError` when the front matter is unclosed, is not made of `key: value` lines, or when the
/// changed text would not read back as intended.
///
/// ```
/// use chant_text::front_matter::{FrontMatterValue, set};
///
/// let text = "---\n# mine\nstatus:   pending\n---\n# Log in\n";
/// let done = FrontMatterValue::Text("completed".into());
/// let changed = set(text, "status", Some(&done), &["type", "status"])?;
/// assert_eq!(changed, "---\n# mine\nstatus:   completed\n---\n# Log in\n");
/// # Ok::<(), chant_text::edit::EditError>(())
/// ```
pub fn set(
    text: &str,
    key: &str,
    value: Option<&FrontMatterValue>,
    order: &[&str],
) -> Result<String, EditError> {
    set_by(text, key, value, |yaml, eol| {
        let Some(edit) = edit_of(yaml, key, value, order, eol)? else {
            return Ok(Vec::new());
        };
        check(yaml, &edit, key, value)?;
        Ok(vec![edit])
    })
}

/// Changes front matter by the edits that `edits` creates from its YAML and line break; a document
/// without front matter gets one.
fn set_by(
    text: &str,
    key: &str,
    value: Option<&FrontMatterValue>,
    edits: impl FnOnce(&str, &str) -> Result<Vec<Edit>, EditError>,
) -> Result<String, EditError> {
    let layout = layout(text)?;
    let eol = line_break(text);
    let Some(range) = layout.yaml else {
        let Some(value) = value else {
            return Ok(text.to_owned());
        };
        let written = fresh(key, value, eol, 0);
        return apply(
            text,
            &[Edit::insert(
                layout.body,
                format!("---{eol}{written}---{eol}"),
            )],
        );
    };
    let yaml = &text[range.clone()];
    let eol = if yaml.contains('\n') {
        line_break(yaml)
    } else {
        eol
    };
    let moved = |edit: Edit| Edit {
        range: edit.range.start + range.start..edit.range.end + range.start,
        text: edit.text,
    };
    let edits: Vec<Edit> = edits(yaml, eol)?.into_iter().map(moved).collect();
    apply(text, &edits)
}

/// Renders new front matter, fences included, for a document that does not exist yet.
pub fn render(pairs: &[(&str, FrontMatterValue)]) -> String {
    let lines: String = pairs
        .iter()
        .map(|(key, value)| fresh(key, value, "\n", 0))
        .collect();
    format!("---\n{lines}---\n")
}

fn edit_of(
    yaml: &str,
    key: &str,
    value: Option<&FrontMatterValue>,
    order: &[&str],
    eol: &str,
) -> Result<Option<Edit>, EditError> {
    let keys = keys(yaml);
    refuse_other_than_lines(yaml, &keys, key)?;
    let Some(found) = keys.iter().find(|k| k.name == key) else {
        return Ok(value.map(|value| insertion(yaml, &keys, key, value, order, eol)));
    };
    Ok(Some(match value {
        None => Edit::replace(found.block.clone(), ""),
        Some(value) => replacement(yaml, found, key, value, eol),
    }))
}

fn refuse_other_than_lines(
    yaml: &str,
    keys: &[FrontMatterKey<'_>],
    key: &str,
) -> Result<(), EditError> {
    let has_content = yaml
        .lines()
        .any(|line| !line.trim().is_empty() && !line.starts_with('#'));
    if keys.is_empty() && has_content {
        return Err(EditError::NotLines { key: key.into() });
    }
    Ok(())
}

/// Returns the edit that adds a key.
fn insertion(
    yaml: &str,
    keys: &[FrontMatterKey<'_>],
    key: &str,
    value: &FrontMatterValue,
    order: &[&str],
    eol: &str,
) -> Edit {
    let written = fresh(key, value, eol, ListStyle::prevailing_indent(yaml, keys));
    Edit::insert(place_of(key, keys, order, yaml.len()), written)
}

/// Returns the edit that gives a key another value.
fn replacement(
    yaml: &str,
    found: &FrontMatterKey<'_>,
    key: &str,
    value: &FrontMatterValue,
    eol: &str,
) -> Edit {
    match value {
        FrontMatterValue::List(items) => lists::edit(yaml, found, items, eol),
        FrontMatterValue::OneOrMany(items) => lists::edit_one_or_many(yaml, found, items, eol),
        FrontMatterValue::Map(_) => Edit::replace(found.block.clone(), fresh(key, value, eol, 0)),
        FrontMatterValue::Text(text) => scalar_edit(yaml, found, |old| {
            scalar::write_like(text, old, ScalarContext::Block)
        }),
        FrontMatterValue::Flag(flag) => scalar_edit(yaml, found, |_| flag.to_string()),
    }
}

/// Checks a change: the key must have the intended value, and nothing else may differ.
fn check(
    yaml: &str,
    edit: &Edit,
    key: &str,
    value: Option<&FrontMatterValue>,
) -> Result<(), EditError> {
    let broken = |problem: YamlProblem| unfaithful(key, problem.message);
    let changed = apply(yaml, std::slice::from_ref(edit))?;
    let mut before = mapping(yaml).map_err(broken)?;
    let mut after = mapping(&changed).map_err(broken)?;
    before.shift_remove(key);
    after.shift_remove(key);
    let is_intended = reads_back(&changed, key, value).map_err(broken)?;
    match (is_intended, before == after) {
        (true, true) => Ok(()),
        (false, _) => Err(unfaithful(key, "it would read as something else".into())),
        (_, false) => Err(unfaithful(key, "other keys would change with it".into())),
    }
}

/// Checks a change of entries in the map under a key in the same way.
fn check_nested(
    yaml: &str,
    edit: &Edit,
    key: &str,
    entries: &[NestedEntry],
) -> Result<(), EditError> {
    let broken = |problem: YamlProblem| unfaithful(key, problem.message);
    let changed = apply(yaml, std::slice::from_ref(edit))?;
    let mut before = mapping(yaml).map_err(broken)?;
    let mut after = mapping(&changed).map_err(broken)?;
    let mut wanted = match before.shift_remove(key) {
        Some(Yaml::Mapping(map)) => map,
        _ => Mapping::new(),
    };
    for (name, value) in entries {
        match value {
            Some(value) => drop(wanted.insert((*name).into(), value.yaml())),
            None => drop(wanted.shift_remove(*name)),
        }
    }
    let is_intended = after.shift_remove(key) == Some(Yaml::Mapping(wanted));
    match (is_intended, before == after) {
        (true, true) => Ok(()),
        (false, _) => Err(unfaithful(
            key,
            "an entry of it would change or be lost".into(),
        )),
        (_, false) => Err(unfaithful(key, "other keys would change with it".into())),
    }
}

fn unfaithful(key: &str, why: String) -> EditError {
    EditError::Unfaithful {
        key: key.into(),
        why,
    }
}

/// Returns true if a key in the YAML has the value that was to be written.
fn reads_back(
    yaml: &str,
    key: &str,
    value: Option<&FrontMatterValue>,
) -> Result<bool, YamlProblem> {
    Ok(match value {
        None => !mapping(yaml)?.contains_key(key),
        Some(FrontMatterValue::Text(text)) => read_key(yaml, key)?.as_ref() == Some(text),
        Some(FrontMatterValue::List(items) | FrontMatterValue::OneOrMany(items)) => {
            read_key::<TextList>(yaml, key)?.is_some_and(|t| t.0 == *items)
        }
        Some(value) => mapping(yaml)?.get(key) == Some(&value.yaml()),
    })
}

/// Returns the place of an absent key: behind the nearest present key that the order names before
/// it, else before the first present key that it names after it, else at the end.
fn place_of(key: &str, keys: &[FrontMatterKey<'_>], order: &[&str], end: usize) -> usize {
    let rank = |name: &str| order.iter().position(|o| *o == name);
    let Some(own) = rank(key) else {
        return keys.last().map_or(end, |k| k.block.end);
    };
    let before = keys
        .iter()
        .rev()
        .filter(|k| rank(&k.name).is_some_and(|r| r < own))
        .max_by_key(|k| rank(&k.name));
    let after = keys.iter().find(|k| rank(&k.name).is_some_and(|r| r > own));
    match (before, after) {
        (Some(key), _) => key.block.end,
        (None, Some(key)) => key.block.start,
        (None, None) => keys.last().map_or(end, |k| k.block.end),
    }
}

fn scalar_edit(yaml: &str, key: &FrontMatterKey<'_>, write: impl Fn(&str) -> String) -> Edit {
    let rest = &yaml[key.rest.clone()];
    let below = yaml[key.rest.end..key.block.end].lines().skip(1);
    let is_one_line = below
        .map(str::trim)
        .all(|line| line.is_empty() || line.starts_with('#'));
    if !is_one_line {
        // The old value spans several lines: they are all removed, with the rest of the key's line.
        let kept = yaml[key.block.clone()].trim_end_matches(['\r', '\n']).len();
        return Edit::replace(
            key.rest.start..key.block.start + kept,
            format!(" {}", write("")),
        );
    }
    let old = token(rest);
    if old.is_empty() {
        return Edit::insert(key.rest.start, format!(" {}", write("")));
    }
    let at = key.rest.start + (rest.len() - rest.trim_start().len());
    Edit::replace(at..at + old.len(), write(old))
}

/// Returns `key: value` for a new key; a list is in block layout with this indentation.
fn fresh(key: &str, value: &FrontMatterValue, eol: &str, indent: usize) -> String {
    match value {
        FrontMatterValue::Text(text) => {
            format!("{key}: {}{eol}", scalar::write(text, ScalarContext::Block))
        }
        FrontMatterValue::Flag(flag) => format!("{key}: {flag}{eol}"),
        FrontMatterValue::List(items) | FrontMatterValue::OneOrMany(items) if items.is_empty() => {
            format!("{key}: []{eol}")
        }
        FrontMatterValue::List(items) | FrontMatterValue::OneOrMany(items) => {
            let lines = items
                .iter()
                .map(|item| lists::block_line(item, indent, eol));
            format!("{key}:{eol}{}", lines.collect::<String>())
        }
        FrontMatterValue::Map(pairs) => {
            let lines = pairs
                .iter()
                .map(|(name, value)| format!("  {}", fresh(name, value, eol, 2)));
            format!("{key}:{eol}{}", lines.collect::<String>())
        }
    }
}
