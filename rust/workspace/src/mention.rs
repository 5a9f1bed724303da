//! Items as people mention them: by a part of an ID or a title, and those whose files were touched last.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::Workspace;
use super::board::SearchWords;
use super::filter::ItemFilter;
use super::item::Item;
use super::view::{MentionRow, MentionView, TouchedItemRow, TouchedView};
use chant_base::answer::{Answer, PageRequest};
use chant_base::error::Error;
use chant_graph::picture::StatusColor;
use chant_store::disk;
use chant_vine::model::TaskStatus;

/// A text that a person types, and which items it may mean.
#[derive(Debug, Clone, Copy, Default)]
pub struct MentionQuery<'a> {
    /// The text; every word of it has to stand in the ID or the title, in any case of letters.
    pub text: &'a str,
    /// The dialect, unless items of all are meant.
    pub dialect: Option<&'a str>,
    /// The file, unless items of all files are meant.
    pub path: Option<&'a str>,
}

/// The items that a text may mean: those that can be started or are worked on first, then what is open, then what
/// is done; within these, those whose IDs begin with the text first.
///
/// # Errors
/// As [`Workspace::snapshot`].
pub fn mention(
    workspace: &Workspace,
    query: MentionQuery<'_>,
    most: usize,
) -> Result<Answer, Error> {
    let joined = workspace.snapshot()?;
    let filter = ItemFilter::default();
    let mut found = FoundMentions::new(query.text, most);
    for item in joined.items() {
        let is_meant = query
            .dialect
            .is_none_or(|dialect| dialect == item.dialect())
            && query.path.is_none_or(|path| path == item.path());
        if is_meant && filter.shows(&item) {
            let id = item.id();
            if found.fits(&id, item.title()) {
                found.take(&id, rank(&item), || MentionRow::from(item));
            }
        }
    }
    Ok(found.answer())
}

/// The task graphs that a text may mean, by their paths and titles, in the order of [`mention`].
///
/// # Errors
/// As [`Workspace::snapshot`].
pub fn mention_plans(workspace: &Workspace, text: &str, most: usize) -> Result<Answer, Error> {
    let joined = workspace.snapshot()?;
    let mut found = FoundMentions::new(text, most);
    for plan in joined.plans() {
        let graph = &plan.document.plan.graph;
        let title = graph.title.as_deref().unwrap_or_default();
        if found.fits(&plan.path, title) {
            let root = graph.nodes.first().and_then(|root| root.status());
            let rank = 2 * usize::from(root == Some(TaskStatus::Complete));
            let status = root.map_or("", TaskStatus::as_str);
            found.take(&plan.path, rank, || {
                MentionRow::of_plan(&plan.path, title, status)
            });
        }
    }
    Ok(found.answer())
}

/// Open items, those whose files were changed last first; of a feature itself instead of its tasks.
///
/// # Errors
/// As [`Workspace::snapshot`].
pub fn list_touched(workspace: &Workspace, page: PageRequest) -> Result<Answer, Error> {
    let joined = workspace.snapshot()?;
    let filter = ItemFilter::default();
    let mut files: HashMap<&str, Option<i128>> = HashMap::new();
    let mut open: Vec<(Option<i128>, Item<'_>)> = Vec::new();
    for item in joined.items() {
        if item.is_done() || !filter.shows(&item) {
            continue;
        }
        let path = item.path();
        let is_known = files.contains_key(path);
        if is_known && item.dialect() == "speckit" {
            continue;
        }
        let modified = *files.entry(path).or_insert_with(|| {
            disk::stamp(&workspace.root().join(path)).map(|stamp| stamp.modified)
        });
        open.push((modified, item));
    }
    open.sort_by_key(|(modified, _)| Reverse(*modified));
    let total = open.len();
    let of_page = open.into_iter().skip(page.offset).take(page.limit);
    let items = of_page.map(|(modified, item)| TouchedItemRow::of(item, modified));
    let items: Vec<TouchedItemRow<'_>> = items.collect();
    let next = page.offset + items.len();
    Ok(Answer::whole(&TouchedView {
        next_offset: (!items.is_empty() && next < total).then_some(next),
        items,
        total,
    }))
}

/// Where an item stands among those that a text may mean: 0 for what can be started or is worked on, 2 for what
/// is done.
fn rank(item: &Item<'_>) -> usize {
    let is_active = matches!(item.tone(), StatusColor::Active | StatusColor::Reviewed);
    if item.is_done() {
        2
    } else {
        usize::from(!is_active && !item.is_ready())
    }
}

/// What was found for a text, no more of each rank than is shown.
struct FoundMentions<'a> {
    words: SearchWords,
    begins: String,
    most: usize,
    total: usize,
    /// By rank, those whose IDs begin with the text before the others.
    ranks: [Vec<MentionRow<'a>>; 6],
}

impl<'a> FoundMentions<'a> {
    fn new(text: &str, most: usize) -> Self {
        Self {
            words: SearchWords::split(text),
            begins: text.trim().to_lowercase(),
            most,
            total: 0,
            ranks: Default::default(),
        }
    }

    /// Returns true if the text fits an ID and a title.
    fn fits(&self, id: &str, title: &str) -> bool {
        self.words.are_in(id, title)
    }

    /// Takes one that fits.
    fn take(&mut self, id: &str, rank: usize, row: impl FnOnce() -> MentionRow<'a>) {
        self.total += 1;
        let begins = id
            .get(..self.begins.len())
            .is_some_and(|begin| begin.to_lowercase() == self.begins);
        let rows = &mut self.ranks[2 * rank + usize::from(!begins)];
        if rows.len() < self.most {
            rows.push(row());
        }
    }

    fn answer(self) -> Answer {
        let rows = self.ranks.into_iter().flatten().take(self.most);
        Answer::whole(&MentionView {
            items: rows.collect(),
            total: self.total,
        })
    }
}
