//! IDs and titles of items in small letters, kept for those who look for a part of one.

use super::item::Item;
use chant_graph::Node;

/// What items are called, made when it is first asked for, and kept until the item is looked at again.
#[derive(Default)]
pub(super) struct ItemNames {
    /// By the index of the item's node.
    kept: Vec<Option<Box<str>>>,
}

impl ItemNames {
    /// The ID and the title of an item, a line each, in small letters.
    pub(super) fn of(&mut self, item: &Item<'_>) -> &str {
        let at = item.node.index();
        if self.kept.len() <= at {
            self.kept.resize_with(at + 1, || None);
        }
        self.kept[at].get_or_insert_with(|| lower_name(&item.id(), item.title()).into())
    }

    /// Forgets the name of an item that may be called otherwise by now.
    pub(super) fn forget(&mut self, node: Node) {
        if let Some(name) = self.kept.get_mut(node.index()) {
            *name = None;
        }
    }
}

/// An ID and a title, a line each, in small letters.
pub(super) fn lower_name(id: &str, title: &str) -> String {
    format!("{id}\n{title}").to_lowercase()
}
