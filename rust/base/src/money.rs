//! An amount of money, as agents report it and people limit it.

use std::fmt;
use std::ops::Add;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// US dollars: finite, never below zero. Written with at most six digits behind the point.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd)]
pub struct UsdAmount(f64);

// Never NaN, so every amount equals itself.
impl Eq for UsdAmount {}

impl UsdAmount {
    /// An amount; `None` for a number that is none.
    pub fn new(dollars: f64) -> Option<Self> {
        (dollars.is_finite() && dollars >= 0.0).then_some(Self(dollars))
    }

    /// An amount of so many millionths of a dollar, as receipts keep it.
    #[expect(
        clippy::cast_precision_loss,
        reason = "what counts of so much money are the first digits"
    )]
    pub fn from_millionths(millionths: u64) -> Self {
        Self(millionths as f64 / 1e6)
    }

    /// Returns the number of dollars.
    pub fn dollars(self) -> f64 {
        self.0
    }

    /// Returns the rest of it after some was spent.
    #[must_use]
    pub fn less(self, spent: Self) -> Self {
        Self((self.0 - spent.0).max(0.0))
    }
}

impl Add for UsdAmount {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self((self.0 + other.0).min(f64::MAX))
    }
}

impl fmt::Display for UsdAmount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Small amounts keep what they are about.
        if self.0 > 0.0 && self.0 < 0.1 {
            write!(f, "${:.4}", self.0)
        } else {
            write!(f, "${:.2}", self.0)
        }
    }
}

impl Serialize for UsdAmount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rounded = (self.0 * 1e6).round() / 1e6;
        serializer.serialize_f64(if rounded.is_finite() { rounded } else { self.0 })
    }
}

impl<'de> Deserialize<'de> for UsdAmount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let dollars = f64::deserialize(deserializer)?;
        Self::new(dollars)
            .ok_or_else(|| de::Error::custom("expected an amount of dollars, 0 or more"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_finite_and_not_negative_and_keep_six_digits() {
        assert_eq!(UsdAmount::new(-0.1), None);
        assert_eq!(UsdAmount::new(f64::NAN), None);
        let sum = UsdAmount::new(0.1).unwrap() + UsdAmount::new(0.2).unwrap();
        assert_eq!(serde_json::to_string(&sum).unwrap(), "0.3");
        assert_eq!(sum.to_string(), "$0.30");
        assert_eq!(UsdAmount::new(0.0123).unwrap().to_string(), "$0.0123");
        assert_eq!(sum.less(UsdAmount::new(9.0).unwrap()), UsdAmount::default());
        assert!(serde_json::from_str::<UsdAmount>("-1").is_err());
    }
}
