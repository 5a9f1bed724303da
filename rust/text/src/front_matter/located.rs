//! On which line a key or an item stands: the reader is led to it and stops there, so that its own count says so
//! in whatever layout the YAML is.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// One step from a value to what is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyStep {
    /// To the value of a key.
    Key(String),
    /// To an item of a list, counted from 0.
    Item(usize),
}

impl KeyStep {
    /// The key's name; nothing for an item.
    pub fn name(&self) -> &str {
        match self {
            Self::Key(name) => name,
            Self::Item(_) => "",
        }
    }
}

/// Reads up to what the steps lead to and fails there; where they lead nowhere it fails at nothing.
pub(super) struct Located<'a>(pub(super) &'a [KeyStep]);

impl<'de> DeserializeSeed<'de> for Located<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        match self.0 {
            [] => deserializer.deserialize_any(Stop),
            _ => deserializer.deserialize_any(self),
        }
    }
}

impl<'de> Visitor<'de> for Located<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("what the steps lead through")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Some((KeyStep::Key(wanted), rest)) = self.0.split_first() else {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return Ok(());
        };
        let is_last = rest.is_empty();
        while let Some(is_wanted) = map.next_key_seed(WantedKey { wanted, is_last })? {
            if is_wanted {
                map.next_value_seed(Located(rest))?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let Some((KeyStep::Item(wanted), rest)) = self.0.split_first() else {
            while items.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(());
        };
        for _ in 0..*wanted {
            if items.next_element::<IgnoredAny>()?.is_none() {
                return Ok(());
            }
        }
        items.next_element_seed(Located(rest))?;
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }
}

/// A test that a key is the one wanted; the last one fails where it stands.
struct WantedKey<'a> {
    wanted: &'a str,
    is_last: bool,
}

impl<'de> DeserializeSeed<'de> for WantedKey<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for WantedKey<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<bool, E> {
        match text == self.wanted {
            true if self.is_last => Err(E::custom("here")),
            is_wanted => Ok(is_wanted),
        }
    }
}

/// Fails at any value.
struct Stop;

impl Visitor<'_> for Stop {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("nothing")
    }
}
