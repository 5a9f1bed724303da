//! Reads a value with its spelling: a scalar that is not spelled in the usual way of its value is a
//! text.
//!
//! A reader that wants text gets `0x10` or `1.10` as written, one that wants any value gets 16 and
//! 1.1. A comparison of values must see both, so two spellings must differ here.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// Reads text of a known shape once more, with the spelling of its scalars.
pub(super) struct SpelledValue<'a>(pub(super) &'a Value);

impl<'de> DeserializeSeed<'de> for SpelledValue<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        match self.0 {
            Value::Array(_) => deserializer.deserialize_seq(self),
            Value::Object(_) => deserializer.deserialize_map(self),
            _ => deserializer.deserialize_str(self),
        }
    }
}

impl<'de> Visitor<'de> for SpelledValue<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the same value once more")
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        let is_usual = match self.0 {
            Value::Null => text.is_empty(),
            value => {
                let usual = value.to_string();
                usual == text
            }
        };
        Ok(if is_usual {
            self.0.clone()
        } else {
            Value::String(text.to_owned())
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let shapes = self.0.as_array().map(Vec::as_slice).unwrap_or_default();
        let mut read = Vec::with_capacity(shapes.len());
        for shape in shapes {
            read.extend(items.next_element_seed(SpelledValue(shape))?);
        }
        if items.next_element::<serde::de::IgnoredAny>()?.is_some() {
            return Err(A::Error::custom("more items than before"));
        }
        Ok(Value::Array(read))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut read = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            let shape = self.0.get(&key);
            let shape = shape.ok_or_else(|| A::Error::custom("another key than before"))?;
            let value = map.next_value_seed(SpelledValue(shape))?;
            if read.insert(key, value).is_some() {
                return Err(A::Error::custom("a key that stands there twice"));
            }
        }
        Ok(Value::Object(read))
    }
}
