//! IDs of items in a list: each its own, whatever stands there twice.

use std::collections::{HashMap, HashSet};

use chant_text::checklist::lines::slug;

/// Gives items of a list their IDs.
#[derive(Debug, Default)]
pub struct ItemIds {
    numbers: HashMap<String, usize>,
    slugs: HashMap<String, usize>,
    used: HashSet<String>,
}

impl ItemIds {
    /// The ID of an item with a number; the second one of the same number gets `~2`.
    pub fn of_number(&mut self, number: &str) -> String {
        let count = self.numbers.entry(number.to_owned()).or_default();
        *count += 1;
        match *count {
            1 => number.to_owned(),
            count => format!("{number}~{count}"),
        }
    }

    /// The ID of an item without a number: the first words of its title behind `~`; repeats are counted.
    pub fn of_title(&mut self, title: &str) -> String {
        let slug = slug(title);
        loop {
            let count = self.slugs.entry(slug.clone()).or_default();
            *count += 1;
            let id = match *count {
                1 => format!("~{slug}"),
                count => format!("~{slug}-{count}"),
            };
            if self.used.insert(id.clone()) {
                return id;
            }
        }
    }
}

/// Returns the name that several items have of which one names the first, as `1.1~1`. The item `~1`, whose title is a
/// number, is none of these.
pub fn first_of_repeats(name: &str) -> Option<&str> {
    let first = name.strip_suffix("~1")?;
    (!first.is_empty() && !first.ends_with('#')).then_some(first)
}
