//! Lists of which an answer shows a part, and says how many entries there are.

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::answer::PageRequest;

/// The entries of a list that an answer shows, and beside them the number of all where that is greater.
///
/// In the structure of an answer it is a field with `#[serde(flatten)]`: the entries stand at its key, their number
/// at `<key>_total`.
#[derive(Debug)]
pub struct CountedList<T> {
    key: &'static str,
    shown: Vec<T>,
    total: usize,
    is_optional: bool,
}

impl<T> CountedList<T> {
    /// Some of so many entries.
    pub fn new(key: &'static str, shown: Vec<T>, total: usize) -> Self {
        Self {
            key,
            shown,
            total,
            is_optional: false,
        }
    }

    /// The entries of a page.
    pub fn page<'a, A>(
        key: &'static str,
        all: &'a [A],
        page: PageRequest,
        entry: impl Fn(&'a A) -> T,
    ) -> Self {
        let chosen = all.iter().skip(page.offset).take(page.limit);
        Self::new(key, chosen.map(entry).collect(), all.len())
    }

    /// The first entries, so many at most; the key is left out where there is none.
    pub fn first<'a, A>(
        key: &'static str,
        all: &'a [A],
        most: usize,
        entry: impl Fn(&'a A) -> T,
    ) -> Self {
        let page = PageRequest {
            limit: most,
            offset: 0,
        };
        Self::page(key, all, page, entry).optional()
    }

    /// The same list, whose key is left out where no entry is shown.
    #[must_use]
    pub fn optional(self) -> Self {
        Self {
            is_optional: true,
            ..self
        }
    }

    /// The entries that are shown.
    pub fn shown(&self) -> &[T] {
        &self.shown
    }
}

impl<T: Serialize> Serialize for CountedList<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if !self.is_optional || !self.shown.is_empty() {
            map.serialize_entry(self.key, &self.shown)?;
        }
        if self.shown.len() < self.total {
            map.serialize_entry(&format!("{}_total", self.key), &self.total)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::to_string;

    use super::*;

    #[derive(serde::Serialize)]
    struct Shown {
        before: u8,
        #[serde(flatten)]
        list: CountedList<u8>,
        #[serde(flatten)]
        absent: Option<CountedList<u8>>,
        after: u8,
    }

    #[test]
    fn the_number_of_entries_stands_beside_a_list_that_is_not_all_of_it() {
        let text = |list| {
            let (before, absent, after) = (0, None, 9);
            let shown = Shown {
                before,
                list,
                absent,
                after,
            };
            to_string(&shown).unwrap()
        };
        let page = |offset| {
            let page = PageRequest { limit: 2, offset };
            CountedList::page("list", &[1, 2, 3], page, |entry| *entry)
        };
        let first = |all| CountedList::first("list", all, 2, |entry| *entry);
        for (list, middle) in [
            (page(0), r#""list":[1,2],"list_total":3,"#),
            (page(2), r#""list":[3],"list_total":3,"#),
            (page(3), r#""list":[],"list_total":3,"#),
            (CountedList::new("list", vec![], 0), r#""list":[],"#),
            (first(&[1, 2, 3]), r#""list":[1,2],"list_total":3,"#),
            (first(&[1, 2]), r#""list":[1,2],"#),
            (first(&[]), ""),
        ] {
            assert_eq!(text(list), format!(r#"{{"before":0,{middle}"after":9}}"#));
        }
    }
}
