//! IDs of specs: what they may be, how they are ordered, which contain which.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// The name of a spec: its file's name without `.md`. It never leads out of a folder.
///
/// Ordered as every list of specs is: by date, then by the base-36 sequence as a number, then by
/// suffix; a driver before its members, members by number (reference chant 2.5).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SpecId {
    text: Box<str>,
    /// End of the part that compares first: the date, or the whole base of a free name.
    head: u32,
    /// The sequence; 0 for a free name.
    sequence: u64,
    /// End of the part before the member numbers.
    base: u32,
}

/// A text that cannot be the ID of a spec.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` cannot be a spec ID: {why}")]
pub struct InvalidSpecId {
    /// The text.
    pub text: String,
    /// The problem with it.
    pub why: &'static str,
}

impl FromStr for SpecId {
    type Err = InvalidSpecId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refuse = |why| {
            Err(InvalidSpecId {
                text: text.to_owned(),
                why,
            })
        };
        if text.trim().is_empty() {
            return refuse("it is empty");
        }
        if text.contains(['/', '\\']) || text.starts_with('.') {
            return refuse("it would leave the specs folder or hide in it");
        }
        if text.chars().any(char::is_control) {
            return refuse("it contains a control character");
        }
        if text.len() > 200 {
            return refuse("it is longer than 200 bytes");
        }
        let base = text.len() - member_part(text).len();
        let (head, sequence) = dated(&text[..base]).unwrap_or((base, 0));
        let short = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Ok(Self {
            text: text.into(),
            head: short(head),
            sequence,
            base: short(base),
        })
    }
}

/// The `.N(.M)*` at the end of an ID that makes it a member; empty for other specs.
fn member_part(text: &str) -> &str {
    let mut start = text.len();
    for (at, _) in text.rmatch_indices('.') {
        let number = &text[at + 1..start];
        if number.is_empty() || !number.bytes().all(|b| b.is_ascii_digit()) || at == 0 {
            break;
        }
        start = at;
    }
    &text[start..]
}

/// Where the date of `YYYY-MM-DD-SSS-XXX` ends and its sequence as a number. Any five parts do.
fn dated(base: &str) -> Option<(usize, u64)> {
    let mut dashes = base.match_indices('-').map(|(at, _)| at);
    let (head, end) = (dashes.nth(2)?, dashes.next()?);
    let sequence = &base[head + 1..end];
    let is_base36 = sequence
        .bytes()
        .all(|b| b.is_ascii_digit() || b.is_ascii_lowercase());
    let number = is_base36
        .then(|| u64::from_str_radix(sequence, 36).ok())
        .flatten()?;
    Some((head, number))
}

impl SpecId {
    /// The ID as text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The text before the member numbers: the driver's ID for a member, else the whole ID.
    pub fn root(&self) -> &str {
        &self.text[..self.base as usize]
    }

    /// Returns true if it is the ID of a member.
    pub fn is_member(&self) -> bool {
        (self.base as usize) < self.text.len()
    }

    /// The ID of what directly contains this member; `None` for a spec that is no member.
    pub fn parent(&self) -> Option<&str> {
        let dot = self.text.rfind('.').filter(|_| self.is_member())?;
        Some(&self.text[..dot])
    }

    /// The ID of a member of this spec.
    ///
    /// # Errors
    /// `InvalidSpecId` for one that would be too long.
    pub fn member(&self, number: u64) -> Result<Self, InvalidSpecId> {
        format!("{self}.{number}").parse()
    }

    /// The IDs of so many members of this spec, numbered on from `last`.
    ///
    /// # Errors
    /// As [`SpecId::member`].
    pub fn members_after(&self, last: u64, count: usize) -> Result<Vec<Self>, InvalidSpecId> {
        let numbers = (last + 1..).take(count);
        numbers.map(|number| self.member(number)).collect()
    }

    /// The member numbers, outermost first; a number too large for 64 bits counts as the largest.
    pub fn numbers(&self) -> impl Iterator<Item = u64> + '_ {
        let members = &self.text[self.base as usize..];
        members
            .split('.')
            .skip(1)
            .map(|number| number.parse().unwrap_or(u64::MAX))
    }

    /// The folder that an archived spec goes to: the first ten characters of its ID.
    pub fn archive_folder(&self) -> &str {
        match self.text.char_indices().nth(10) {
            Some((end, _)) => &self.text[..end],
            None => &self.text,
        }
    }
}

impl SpecId {
    /// Returns the part that compares first: the date, or the base of a free name.
    pub(super) fn head(&self) -> &str {
        &self.text[..self.head as usize]
    }
}

impl Ord for SpecId {
    fn cmp(&self, other: &Self) -> Ordering {
        let head = |id: &'_ Self| id.head as usize;
        self.head()
            .cmp(other.head())
            .then_with(|| self.sequence.cmp(&other.sequence))
            .then_with(|| {
                self.text[head(self)..self.base as usize]
                    .cmp(&other.text[head(other)..other.base as usize])
            })
            .then_with(|| self.numbers().cmp(other.numbers()))
            .then_with(|| self.text.cmp(&other.text))
    }
}

impl PartialOrd for SpecId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for SpecId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A sequence number as IDs spell it: base 36, at least three digits.
pub fn sequence_text(mut number: u64) -> String {
    let mut digits = Vec::new();
    while number > 0 || digits.len() < 3 {
        let digit = u32::try_from(number % 36).unwrap_or(0);
        digits.push(char::from_digit(digit, 36).unwrap_or('0'));
        number /= 36;
    }
    digits.into_iter().rev().collect()
}

/// The date and sequence of a generated ID, member numbers left out; `None` for free names.
pub fn date_and_sequence(id: &SpecId) -> Option<(&str, u64)> {
    let (head, sequence) = dated(id.root())?;
    Some((&id.text[..head], sequence))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn id(text: &str) -> SpecId {
        text.parse().unwrap()
    }

    /// Reference chant 10.2.
    #[test]
    fn ids_are_ordered_by_date_sequence_suffix_and_member_numbers() {
        let d = "2026-01-22";
        let sorted = [
            "2025-12-31-zzz-zzz".to_owned(),
            format!("{d}-009-x"),
            format!("{d}-00a-x"),
            format!("{d}-00a-x.1"),
            format!("{d}-00a-x.2"),
            format!("{d}-00a-x.2.1"),
            format!("{d}-00a-x.2.10"),
            format!("{d}-00a-x.10"),
            format!("{d}-00z-x"),
            format!("{d}-010-x"),
            format!("{d}-1000-x"),
            "a-b-c-d-e".into(),
            "free-name".into(),
        ];
        let mut ids: Vec<SpecId> = sorted.iter().rev().map(|text| id(text)).collect();
        ids.sort();
        assert_eq!(ids.iter().map(SpecId::as_str).collect::<Vec<_>>(), sorted);
    }

    #[test]
    fn members_know_what_contains_them() {
        assert_eq!(id("X.2.1").parent(), Some("X.2"));
        assert_eq!(id("X.2.1").root(), "X");
        assert_eq!(id("X.2.1").numbers().collect::<Vec<_>>(), [2, 1]);
        assert_eq!(id("my.spec").parent(), None);
        assert_eq!(id("v1.2-plan").root(), "v1.2-plan");
    }

    #[test]
    fn sequences_are_base_36_of_three_digits() {
        assert_eq!(
            [9, 10, 36, 46656].map(sequence_text),
            ["009", "00a", "010", "1000"]
        );
        assert_eq!(
            date_and_sequence(&id("2026-01-22-010-x7m.3")),
            Some(("2026-01-22", 36))
        );
        assert_eq!(date_and_sequence(&id("free-name")), None);
    }

    #[test]
    fn ids_that_could_leave_the_folder_are_refused_and_short_ones_are_not() {
        for text in [
            "", " ", "../x", "a/b", "a\\b", "..", ".hidden", "a\0b", "a\nb",
        ] {
            assert!(text.parse::<SpecId>().is_err(), "{text:?}");
        }
        assert_eq!(id("é").archive_folder(), "é");
        assert_eq!(id("2026-01-22-001-x7m").archive_folder(), "2026-01-22");
    }

    proptest! {
        #[test]
        fn the_order_is_total(a in "[a-c0-2]{1,2}(-[0-2a]{1,2}){0,5}(\\.[0-9a]{1,2}){0,2}",
                              b in "[a-c0-2]{1,2}(-[0-2a]{1,2}){0,5}(\\.[0-9a]{1,2}){0,2}",
                              c in "[a-c0-2]{1,2}(-[0-2a]{1,2}){0,5}(\\.[0-9a]{1,2}){0,2}") {
            let [a, b, c] = [a, b, c].map(|text| id(&text));
            prop_assert_eq!(a.cmp(&b), b.cmp(&a).reverse());
            prop_assert_eq!(a.cmp(&b) == Ordering::Equal, a == b);
            if a <= b && b <= c {
                prop_assert!(a <= c);
            }
        }
    }
}
