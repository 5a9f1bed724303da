//! The work of a run on an item of another format: what its documents claim, what a person has to look at, and the
//! marks that its landing puts into them.

use super::run_folder::{RunFolder, in_git};
use crate::item_order::{boxes_of, work_items};
use chant_base::error::Error;
use chant_git::Repo;
use chant_git::land::ExemptFile;
use chant_proof::completion::BranchCommit;
use chant_specs::parse;
use chant_specs::project::Project;
use chant_specs::work_items::{DocumentText, ItemLanding, ItemWork, LandedDocuments};
use chant_store::StoreError;
use chant_store::files::{self, RootFolder};
use chant_store::index::FileSource;
use chant_store::journal::ChangeStep;
use chant_text::edit::{self, Edit};
use chant_work::run_record::{ItemEntry, RunRecord};

/// Looks at the documents of a run's item: boxes that the branch ticks there count as ticked in the order, and commits
/// that change nothing but its own documents count as such. Returns what a person has to look at.
///
/// # Errors
/// A failure of git, or to write the run's copy of the order.
pub(super) fn judge(
    project: &Project,
    repo: &Repo,
    record: &RunRecord,
    place: &RunFolder,
    commits: &mut [BranchCommit],
) -> Result<Vec<String>, Error> {
    let Some(item) = &record.item else {
        return Ok(Vec::new());
    };
    let tip = place.branch_tip(repo)?;
    let inside = inside_of(place);
    let mut objections = Vec::new();
    let mut changed = repo.differing(&place.base, &tip)?;
    if changed.contains(&place.spec_in_git) {
        objections.push(format!(
            "commits the run's own order ({})",
            place.spec_in_git
        ));
    }
    changed.retain(|path| path.starts_with(inside));
    let changed: Vec<String> = changed
        .iter()
        .map(|path| path[inside.len()..].to_owned())
        .collect();
    let boxes = boxes_of(item);
    let judged = work_items(project)?.judge(
        project,
        &ItemWork {
            key: &item.key,
            boxes: &boxes,
            base: &place.base,
            tip: &tip,
            changed: &changed,
        },
    )?;
    tick_in_copy(project, place, &judged.ticked)?;
    for path in commits.iter_mut().flat_map(|commit| &mut commit.paths) {
        let is_own = path
            .strip_prefix(inside)
            .is_some_and(|path| judged.own_paths.iter().any(|own| own == path));
        if is_own {
            path.clone_from(&place.spec_in_git);
        }
    }
    objections.extend(judged.objections);
    Ok(objections)
}

/// Ticks boxes in the run's copy of its order.
fn tick_in_copy(project: &Project, place: &RunFolder, ticked: &[bool]) -> Result<(), Error> {
    let Some(text) = place.copy_text(project)? else {
        return Ok(());
    };
    let Ok(order) = parse::document(&place.spec, FileSource::Text(text.clone())) else {
        return Ok(());
    };
    if order.criteria.len() != ticked.len() {
        return Ok(());
    }
    let marks = order.criteria.iter().zip(ticked);
    let marks = marks.filter(|(criterion, is_ticked)| **is_ticked && !criterion.checked);
    let edits: Vec<Edit> = marks
        .map(|(criterion, _)| {
            let at = order.body_start + criterion.marker as usize + "[".len();
            Edit::replace(at..at + 1, "x")
        })
        .collect();
    if edits.is_empty() {
        return Ok(());
    }
    let text = edit::apply(&text, &edits)?;
    let root = RootFolder::open(&place.root)?;
    files::edit(&project.disk, &root, &place.spec, |_| {
        Ok::<_, StoreError>(text.clone())
    })?;
    Ok(())
}

/// The documents of a run's item with the marks of its landing.
#[derive(Debug, Clone, Default)]
pub(super) struct ItemMarks {
    /// As the target has them; none where git does not track them.
    in_commit: Vec<DocumentText>,
    /// As they lie in the checkout.
    on_disk: Vec<DocumentText>,
    /// The way from the top of the checkout to the project.
    inside: String,
    /// The key of the item.
    pub(super) key: Option<String>,
}

impl ItemMarks {
    /// Returns the documents of a run's item as a landing on a commit leaves them; nothing for a run on a spec. The
    /// inner error says why a person has to look.
    ///
    /// # Errors
    /// A failure of git, or to read the documents.
    pub(super) fn of(
        project: &Project,
        record: &RunRecord,
        place: &RunFolder,
        target: &str,
    ) -> Result<Result<Self, String>, Error> {
        let Some(item) = &record.item else {
            return Ok(Ok(Self::default()));
        };
        let boxes = boxes_of(item);
        let landing = landing_of(item, &boxes, record, place);
        let in_commit = match work_items(project)?.landed_in(project, &landing, target)? {
            LandedDocuments::Marked(texts) => texts,
            LandedDocuments::NeedsPerson(why) => return Ok(Err(why)),
        };
        let on_disk = match work_items(project)?.landed_on_disk(project, &landing) {
            LandedDocuments::Marked(texts) => texts,
            // What a person made of the item on disk stays as it is; the marks are in the commit.
            LandedDocuments::NeedsPerson(_) => Vec::new(),
        };
        Ok(Ok(Self {
            in_commit,
            on_disk,
            inside: inside_of(place).to_owned(),
            key: Some(item.key.clone()),
        }))
    }

    /// The paths of the documents that the landing commit gets, as git names them.
    pub(super) fn paths(&self) -> impl Iterator<Item = String> + '_ {
        self.in_commit.iter().map(|text| self.in_git(text))
    }

    /// The text that a document has in the landing commit.
    pub(super) fn text_at(&self, path: &str) -> Option<&str> {
        let found = self.in_commit.iter().find(|text| self.in_git(text) == path);
        found.map(|text| text.after.as_str())
    }

    /// Documents of the checkout that say more than the target: they get the marks where they lie, and nothing of what
    /// they say besides is committed.
    pub(super) fn exempt(&self, project: &Project) -> Vec<ExemptFile> {
        let drafts = self.in_commit.iter().filter_map(|committed| {
            let (now, _) = files::read(&project.disk, &project.root, &committed.path).ok()?;
            if now == committed.before {
                return None;
            }
            let marked = self.on_disk.iter().find(|text| text.path == committed.path);
            let marked = marked.filter(|text| text.before == now);
            let bytes = marked.map_or_else(|| now.clone(), |text| text.after.clone());
            Some(ExemptFile {
                path: self.in_git(committed),
                was: Some(now.into_bytes()),
                bytes: Some(bytes.into_bytes()),
            })
        });
        drafts.collect()
    }

    fn in_git(&self, text: &DocumentText) -> String {
        format!("{}{}", self.inside, text.path)
    }
}

fn landing_of<'a>(
    item: &'a ItemEntry,
    boxes: &'a [chant_specs::work_items::OrderBox],
    record: &RunRecord,
    place: &'a RunFolder,
) -> ItemLanding<'a> {
    ItemLanding {
        key: &item.key,
        title: &item.title,
        boxes,
        base: &place.base,
        is_proven: !boxes.is_empty() || record.checks.iter().any(|check| check.exit == Some(0)),
    }
}

/// Puts the marks of a landing into documents that git does not track. May be repeated. Returns what a person has to
/// know.
///
/// # Errors
/// A failure to read or write them.
pub(super) fn mark_untracked(
    project: &Project,
    repo: &Repo,
    record: &RunRecord,
    place: &RunFolder,
) -> Result<Option<String>, Error> {
    let (Some(item), Some(landed)) = (&record.item, record.merge.commit.as_deref()) else {
        return Ok(None);
    };
    let boxes = boxes_of(item);
    let landing = landing_of(item, &boxes, record, place);
    let texts = match work_items(project)?.landed_on_disk(project, &landing) {
        LandedDocuments::Marked(texts) => texts,
        LandedDocuments::NeedsPerson(why) => {
            return Ok(Some(format!("{why}; nothing was marked there")));
        }
    };
    for text in texts {
        if repo
            .file_at(landed, &in_git(project, repo, &text.path)?)?
            .is_some()
        {
            continue;
        }
        project.change_together(&[&text.path], &[], |now| {
            Ok((now[0] == text.before).then(|| {
                vec![ChangeStep::Replace {
                    path: text.path.clone(),
                    text: text.after.clone(),
                }]
            }))
        })?;
    }
    Ok(None)
}

/// The way from the top of the checkout to the project, with `/` at its end; empty at the top.
fn inside_of(place: &RunFolder) -> &str {
    place
        .spec_in_git
        .strip_suffix(&*place.spec)
        .unwrap_or_default()
}
