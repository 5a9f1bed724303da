//! Which keys a type reads, found by having it read: every table is given each key that it asks for.

use std::collections::BTreeSet;

use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, IntoDeserializer, MapAccess, SeqAccess,
    VariantAccess, Visitor, value,
};
use serde::{Deserialize, forward_to_deserialize_any};

/// The keys that a type reads, their parts joined by dots; names that people choose, and items, are `*`.
///
/// # Errors
/// A type that is not read from a table.
pub fn keys_read<'de, T: Deserialize<'de>>() -> Result<BTreeSet<String>, value::Error> {
    let mut found = BTreeSet::new();
    let traced = Traced {
        at: String::new(),
        found: &mut found,
    };
    T::deserialize(traced)?;
    Ok(found)
}

struct Traced<'a> {
    at: String,
    found: &'a mut BTreeSet<String>,
}

impl Traced<'_> {
    fn below(&mut self, name: &str) -> Traced<'_> {
        let at = match self.at.as_str() {
            "" => name.to_owned(),
            at => format!("{at}.{name}"),
        };
        Traced {
            at,
            found: self.found,
        }
    }
}

impl<'de> Deserializer<'de> for Traced<'_> {
    type Error = value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_str("1")
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_some(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_seq(OneItem(Some(self.below("*"))))
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_map(Entries {
            names: vec!["*"],
            next: "",
            of: self,
        })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        visitor.visit_map(Entries {
            names: fields.iter().rev().copied().collect(),
            next: "",
            of: self,
        })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        visitor.visit_enum(FirstVariant(variants[0]))
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_bool(true)
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_u64(1)
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_u64(1)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_f64(1.0)
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u128 f32 char str string bytes byte_buf unit unit_struct newtype_struct
        tuple tuple_struct identifier ignored_any
    }
}

struct Entries<'a> {
    names: Vec<&'static str>,
    next: &'static str,
    of: Traced<'a>,
}

impl<'de> MapAccess<'de> for Entries<'_> {
    type Error = value::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Self::Error> {
        let Some(name) = self.names.pop() else {
            return Ok(None);
        };
        self.next = name;
        let key: StrDeserializer<'_, value::Error> = name.into_deserializer();
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, Self::Error> {
        let below = self.of.below(self.next);
        if self.next != "*" {
            below.found.insert(below.at.clone());
        }
        seed.deserialize(below)
    }
}

struct OneItem<'a>(Option<Traced<'a>>);

impl<'de> SeqAccess<'de> for OneItem<'_> {
    type Error = value::Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Self::Error> {
        self.0.take().map(|one| seed.deserialize(one)).transpose()
    }
}

struct FirstVariant(&'static str);

impl<'de> EnumAccess<'de> for FirstVariant {
    type Error = value::Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Self), Self::Error> {
        let name: StrDeserializer<'_, value::Error> = self.0.into_deserializer();
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'de> VariantAccess<'de> for FirstVariant {
    type Error = value::Error;

    fn unit_variant(self) -> Result<(), Self::Error> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _: T) -> Result<T::Value, Self::Error> {
        Err(Self::Error::custom(
            "no variant of a configuration holds a value",
        ))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Self::Error> {
        Err(Self::Error::custom(
            "no variant of a configuration holds values",
        ))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Self::Error> {
        Err(Self::Error::custom(
            "no variant of a configuration holds keys",
        ))
    }
}
