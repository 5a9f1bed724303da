//! Which keys a configuration file may have: one table for each kind of file. What reads a file and what checks
//! it go by the same table; tests prove that each key that is read stands in it.

pub mod chant;
pub mod near;
pub mod speckit;
pub mod tickets;
pub mod traced;

use serde_json::Value;

use chant_base::ident;
use chant_text::front_matter::KeyStep;

/// A key of a table.
#[derive(Debug, Clone, Copy)]
pub struct KnownKey {
    /// As it is written.
    pub name: &'static str,
    /// The shape of its value.
    pub shape: KeyShape,
    /// Why it has no effect here, where it is known and has none.
    pub in_vain: Option<&'static str>,
}

/// The shape of a key's value.
#[derive(Debug, Clone, Copy)]
pub enum KeyShape {
    /// One value.
    Plain(&'static PlainShape),
    /// Keys that are known.
    Table(&'static [KnownKey]),
    /// Names that people choose, with such a value each.
    Named(&'static KeyShape),
    /// Such values, one behind the other.
    Items(&'static KeyShape),
    /// The first of these that looks like it.
    Either(&'static [KeyShape]),
    /// Whatever.
    Anything,
}

/// The shape of one value.
#[derive(Debug)]
pub struct PlainShape {
    /// In words, behind `expected`.
    pub expected: &'static str,
    /// Returns true if a value has that shape.
    pub fits: fn(&Value) -> bool,
}

/// The keys of one kind of file.
#[derive(Debug, Clone, Copy)]
pub struct ConfigSchema {
    /// The keys of the whole file.
    pub keys: &'static [KnownKey],
    /// Why a known key with such a value has no effect in this very file, where it has none.
    pub in_vain: fn(&[&str], &Value) -> Option<&'static str>,
}

/// A text, a number or a flag: YAML reads any of them as text.
pub const TEXT: KeyShape = KeyShape::Plain(&PlainShape {
    expected: "a text",
    fits: is_scalar,
});
/// `true` or `false`.
pub const FLAG: KeyShape = KeyShape::Plain(&PlainShape {
    expected: "`true` or `false`",
    fits: Value::is_boolean,
});
/// A number.
pub const NUMBER: KeyShape = KeyShape::Plain(&PlainShape {
    expected: "a number",
    fits: Value::is_number,
});
/// A list of texts.
pub const TEXTS: KeyShape = KeyShape::Plain(&PlainShape {
    expected: "a list of texts",
    fits: is_list_of_scalars,
});

fn is_scalar(value: &Value) -> bool {
    !value.is_array() && !value.is_object()
}

fn is_list_of_scalars(value: &Value) -> bool {
    value
        .as_array()
        .is_some_and(|items| items.iter().all(is_scalar))
}

/// A key that has an effect.
pub const fn used(name: &'static str, shape: KeyShape) -> KnownKey {
    KnownKey {
        name,
        shape,
        in_vain: None,
    }
}

/// A key that other programs know and that has no effect here.
pub const fn unused(name: &'static str, why: &'static str) -> KnownKey {
    KnownKey {
        name,
        shape: KeyShape::Anything,
        in_vain: Some(why),
    }
}

/// The problem of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyProblem {
    /// It is not known.
    Unknown {
        /// The key that may have been meant.
        nearest: Option<String>,
        /// True if it is nearly that one, so that nothing acts until this is settled.
        is_near: bool,
    },
    /// Its value is none that it may have; the sentence says what was expected.
    WrongValue(String),
    /// The file cannot be read; the sentence says why.
    Unreadable(String),
    /// It is known and has no effect; the sentence says why.
    NoEffect(&'static str),
}

/// A remark about a key of a file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeyRemark {
    /// Where it stands.
    pub(super) steps: Vec<KeyStep>,
    /// The problem of the key.
    pub(super) problem: KeyProblem,
}

/// So many remarks are made about a file.
const MAX_REMARKS: usize = 100;

impl ConfigSchema {
    /// Returns the remarks about the keys of a file, in the order in which they stand there.
    pub(super) fn remarks(&self, file: &Value) -> Vec<KeyRemark> {
        let mut look = Look {
            schema: self,
            steps: Vec::new(),
            remarks: Vec::new(),
        };
        look.value(KeyShape::Table(self.keys), file);
        look.remarks
    }

    /// Returns the shape that is expected at a key, its parts joined by dots; names that people choose are `*`.
    /// `None` for a key that is not known or not used.
    pub fn expects(&self, key: &str) -> Option<KeyShape> {
        let mut shape = KeyShape::Table(self.keys);
        for part in key.split('.') {
            shape = match shape {
                KeyShape::Table(keys) => {
                    let known = keys.iter().find(|known| known.name == part)?;
                    known.in_vain.is_none().then_some(known.shape)?
                }
                KeyShape::Named(inner) | KeyShape::Items(inner) if part == "*" => *inner,
                _ => return None,
            };
        }
        Some(shape)
    }

    /// All keys that have an effect, with what they expect; names that people choose are `*`.
    pub fn used_keys(&self) -> Vec<(String, KeyShape)> {
        let mut found = Vec::new();
        collect(KeyShape::Table(self.keys), "", &mut found);
        found
    }
}

fn collect(shape: KeyShape, at: &str, found: &mut Vec<(String, KeyShape)>) {
    let below = |name: &str| match at {
        "" => name.to_owned(),
        at => format!("{at}.{name}"),
    };
    match shape {
        KeyShape::Table(keys) => {
            for known in keys.iter().filter(|known| known.in_vain.is_none()) {
                let key = below(known.name);
                found.push((key.clone(), known.shape));
                collect(known.shape, &key, found);
            }
        }
        KeyShape::Named(inner) | KeyShape::Items(inner) => collect(*inner, &below("*"), found),
        KeyShape::Either(shapes) => {
            for shape in shapes {
                collect(*shape, at, found);
            }
        }
        KeyShape::Plain(_) | KeyShape::Anything => {}
    }
}

/// One look through a file.
struct Look<'a> {
    schema: &'a ConfigSchema,
    steps: Vec<KeyStep>,
    remarks: Vec<KeyRemark>,
}

impl Look<'_> {
    fn value(&mut self, shape: KeyShape, value: &Value) {
        match (shape, value) {
            // Nothing stands there, which is the default.
            (_, Value::Null) | (KeyShape::Anything, _) => {}
            (KeyShape::Table(keys), Value::Object(map)) => {
                for (name, value) in map {
                    self.below(KeyStep::Key(name.clone()), |look| {
                        look.key(keys, name, value);
                    });
                }
            }
            (KeyShape::Named(inner), Value::Object(map)) => {
                for (name, value) in map {
                    self.below(KeyStep::Key(name.clone()), |look| look.value(*inner, value));
                }
            }
            (KeyShape::Items(inner), Value::Array(items)) => {
                for (at, value) in items.iter().enumerate() {
                    self.below(KeyStep::Item(at), |look| look.value(*inner, value));
                }
            }
            (KeyShape::Either(shapes), value) => {
                match shapes.iter().find(|shape| shape.looks_like(value)) {
                    Some(shape) => self.value(*shape, value),
                    None => self.wrong(shape),
                }
            }
            (KeyShape::Plain(plain), value) if (plain.fits)(value) => {}
            (shape, _) => self.wrong(shape),
        }
    }

    fn key(&mut self, keys: &'static [KnownKey], name: &str, value: &Value) {
        let Some(known) = keys.iter().find(|known| known.name == name) else {
            let problem = self.unknown(keys, name);
            return self.remark(problem);
        };
        let path: Vec<&str> = self.steps.iter().map(KeyStep::name).collect();
        let in_this_file = (self.schema.in_vain)(&path, value);
        match known.in_vain.or(in_this_file) {
            Some(why) => self.remark(KeyProblem::NoEffect(why)),
            None => self.value(known.shape, value),
        }
    }

    /// Returns the key that an unknown one may be: one of its table that is nearly the same, one of several
    /// words that stands in another table, or one that is merely like it.
    fn unknown(&self, keys: &'static [KnownKey], name: &str) -> KeyProblem {
        let used = || keys.iter().filter(|known| known.in_vain.is_none());
        let nearest = |nearest: String, is_near| KeyProblem::Unknown {
            nearest: Some(nearest),
            is_near,
        };
        let names = used().map(|known| known.name);
        if let Some(near) = near::nearest(name, names) {
            return nearest(self.beside(near), true);
        }
        let all = self.schema.used_keys();
        let is_same = |(key, _): &&(String, KeyShape)| {
            key.rsplit('.').next() == Some(name) && !key.contains('*')
        };
        if let Some((key, _)) = all.iter().find(is_same) {
            return nearest(key.clone(), name.contains('_'));
        }
        let like = ident::nearest(name, keys.iter().map(|known| known.name));
        KeyProblem::Unknown {
            nearest: like.map(|like| self.beside(like)),
            is_near: false,
        }
    }

    /// A key of the table that is looked at.
    fn beside(&self, name: &str) -> String {
        let mut steps = self.steps.clone();
        steps.pop();
        steps.push(KeyStep::Key(name.to_owned()));
        joined(&steps)
    }

    fn wrong(&mut self, shape: KeyShape) {
        let expected = shape.expected();
        self.remark(KeyProblem::WrongValue(format!("expected {expected}")));
    }

    fn remark(&mut self, problem: KeyProblem) {
        if self.remarks.len() < MAX_REMARKS {
            let steps = self.steps.clone();
            self.remarks.push(KeyRemark { steps, problem });
        }
    }

    fn below(&mut self, step: KeyStep, look: impl FnOnce(&mut Self)) {
        self.steps.push(step);
        look(self);
        self.steps.pop();
    }
}

impl KeyShape {
    /// Returns the expected shape, in words.
    fn expected(self) -> String {
        match self {
            Self::Plain(plain) => plain.expected.into(),
            Self::Table(_) | Self::Named(_) => "`key: value` lines".into(),
            Self::Items(_) => "a list".into(),
            Self::Either(shapes) => {
                let all: Vec<String> = shapes.iter().map(|shape| shape.expected()).collect();
                all.join(", or ")
            }
            Self::Anything => "anything".into(),
        }
    }

    /// Returns true if a value is meant as this, by its outer form.
    fn looks_like(&self, value: &Value) -> bool {
        match self {
            Self::Plain(plain) => (plain.fits)(value),
            Self::Table(_) | Self::Named(_) => value.is_object(),
            Self::Items(_) => value.is_array(),
            Self::Either(shapes) => shapes.iter().any(|shape| shape.looks_like(value)),
            Self::Anything => true,
        }
    }
}

/// Steps as one text, as people write them: `parallel.agents[0].name`.
pub(super) fn joined(steps: &[KeyStep]) -> String {
    let mut key = String::new();
    for step in steps {
        match step {
            KeyStep::Item(at) => key.push_str(&format!("[{at}]")),
            KeyStep::Key(name) if key.is_empty() => key.push_str(name),
            KeyStep::Key(name) => key.push_str(&format!(".{name}")),
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remarks(schema: &ConfigSchema, yaml: &str) -> Vec<String> {
        let value = chant_text::front_matter::read(yaml).unwrap();
        let remarks = schema.remarks(&value).into_iter();
        let shown = |remark: KeyRemark| {
            let what = match remark.problem {
                KeyProblem::Unknown { nearest, is_near } => {
                    let mark = if is_near { "!" } else { "?" };
                    format!("{mark}{}", nearest.unwrap_or_default())
                }
                KeyProblem::WrongValue(expected) => expected,
                KeyProblem::Unreadable(why) => why,
                KeyProblem::NoEffect(_) => "no effect".into(),
            };
            format!("{}: {what}", joined(&remark.steps))
        };
        remarks.map(shown).collect()
    }

    #[test]
    fn unknown_keys_are_named_with_what_may_be_meant() {
        for (yaml, expected) in [
            ("chek: {a: [b]}", "chek: !checks"),
            (
                "defaults: {provder: x}",
                "defaults.provder: !defaults.provider",
            ),
            ("limts: {run_minutes: 5}", "limts: !limits"),
            (
                "limits: {run_minute: 5}",
                "limits.run_minute: !limits.run_minutes",
            ),
            (
                "limits: {run-minutes: 5}",
                "limits.run-minutes: !limits.run_minutes",
            ),
            ("limits: {run: 5}", "limits.run: !limits.run_minutes"),
            ("run_minutes: 5", "run_minutes: !limits.run_minutes"),
            ("model: x", "model: ?defaults.model"),
            (
                "agents: {mine: {modle: x}}",
                "agents.mine.modle: !agents.mine.model",
            ),
            (
                "parallel: {agents: [{name: a}, {nam: b}]}",
                "parallel.agents[1].nam: !parallel.agents[1].name",
            ),
            ("weather: fine", "weather: ?"),
            ("site: {output: x}", "site: no effect"),
            ("silnt: 1", "silnt: ?silent"),
            ("checks: [a]", "checks: expected `key: value` lines"),
            ("limits: {tokens: many}", "limits.tokens: expected a number"),
        ] {
            assert_eq!(remarks(&chant::PROJECTS, yaml), [expected], "{yaml}");
        }
        assert!(remarks(&chant::PROJECTS, "checks: {chek: [a], anything: [b]}").is_empty());
    }

    #[test]
    fn the_table_has_the_keys_that_are_read_and_no_others() {
        let known = chant::PROJECTS.used_keys().into_iter();
        let known: std::collections::BTreeSet<String> = known.map(|(key, _)| key).collect();
        assert_eq!(
            known,
            traced::keys_read::<crate::blocks::ConfigFile>().unwrap()
        );
        assert_eq!(
            known,
            chant::USERS
                .used_keys()
                .into_iter()
                .map(|(key, _)| key)
                .collect()
        );
    }

    #[test]
    fn a_key_counts_in_the_file_that_may_say_it() {
        let users = "trust: {roots: [a]}\nconfine: {mode: off}";
        assert!(remarks(&chant::USERS, users).is_empty());
        assert_eq!(
            remarks(&chant::PROJECTS, users),
            ["trust: no effect", "confine.mode: no effect"]
        );
        let landing = "landing: {style: squash, message: a, allow: [b], hooks: user}";
        assert!(remarks(&chant::USERS, landing).is_empty());
        assert_eq!(
            remarks(&chant::PROJECTS, landing),
            ["landing.allow: no effect", "landing.hooks: no effect"]
        );
        let projects = "project: {name: a}\nreceipts: required\nconfine: {mode: required}";
        assert!(remarks(&chant::PROJECTS, projects).is_empty());
        assert_eq!(
            remarks(&chant::USERS, projects),
            ["project: no effect", "receipts: no effect"]
        );
        let agents = "parallel: {agents: [{name: a}], stagger_delay_ms: 1}\nchecks: {a: [b]}";
        assert_eq!(
            remarks(&chant::AGENTS, agents),
            ["parallel.stagger_delay_ms: no effect", "checks: no effect"]
        );
    }

    #[test]
    fn the_configuration_of_features_has_its_own_keys() {
        let yaml = "chek: {}\nchecks: {unit: [make], more: {command: [make], timeout_sec: 5}}\nstrict: {file: true}";
        assert_eq!(
            remarks(&speckit::FEATURES, yaml),
            [
                "chek: !checks",
                "checks.more.timeout_sec: !checks.more.timeout_secs",
                "strict.file: !strict.files"
            ]
        );
    }
}
