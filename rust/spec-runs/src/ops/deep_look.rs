//! Looks for damage in all that is kept of a project, against git, and repairs it if that is asked.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_git::Repo;
use chant_git::damage::{GitDamage, GitDamageKind, GitDamageSearch};
use chant_git::kept_texts::TextRead;
use chant_specs::error::ChantError;
use chant_specs::model::SpecStatus;
use chant_specs::project::{ARCHIVE, Project, ProjectSnapshot, SPECS};
use chant_store::StoreError;
use chant_store::disk::{self, Lock};
use chant_work::lock::lock_of;
use chant_work::run_record::{MergeState, RunRecord};
use chant_work::run_store::RunStore;
use chant_work::state::RunState;

use crate::project::{ProjectRuns, folders};
use crate::receipt;
use crate::receipt_store::{LandedRun, leave_of_run, of_spec};
use crate::runtime::emptied_files;
use crate::runtime::recovery;
use crate::view::doctor::{DamageView, DeepReport};

/// A damage, its repair, and the way in which that is done here.
struct FoundDamage {
    kind: &'static str,
    place: String,
    repair: &'static str,
    by: Repair,
}

/// Looks for damage of some kinds.
type Look = fn(&Project) -> Result<Vec<FoundDamage>, Error>;

/// The ways in which damage is repaired here.
enum Repair {
    /// By a person.
    Person,
    /// By git's own files.
    Git(GitDamage),
    /// By what a commit has.
    FromCommit,
    /// By setting the record aside.
    PutAside,
    /// By what recovery does.
    Recovery,
    /// By leaving the receipt of a run, in place of one that is no receipt.
    Receipt(Box<RunRecord>, Option<String>),
    /// By removing a file of ours.
    RemoveFile(PathBuf),
    /// By writing the newest token of a spec again.
    Token(String, u64),
    /// By what the next change does.
    Journal,
}

/// Reports the damage in a project; with `repairs` what can be repaired is.
///
/// # Errors
/// That it is not trusted, where something is to be repaired.
pub fn deep_look(project: &Project, repairs: bool) -> Result<Answer, Error> {
    let search = git_search(project);
    let mut damages = Vec::new();
    let in_git = search.as_ref().map(GitDamageSearch::find);
    let in_git = in_git.unwrap_or_default();
    let has_head = in_git.iter().all(|one| one.kind != GitDamageKind::Head);
    for damage in in_git {
        // Without a HEAD git knows no repository, so nothing there can be trusted.
        let may_repair = damage.kind == GitDamageKind::Head || project.is_trusted();
        let found = FoundDamage {
            kind: damage.kind.name(),
            place: damage.place.clone(),
            repair: damage.kind.repair(),
            by: Repair::Git(damage),
        };
        damages.push(settle(
            project,
            search.as_ref(),
            found,
            repairs && may_repair,
        ));
    }
    if !has_head {
        // What lies below is seen once git knows the repository again.
        return Ok(Answer::data(&DeepReport { damages }));
    }
    if repairs && !project.is_trusted() {
        let why = "This folder is not trusted, so nothing of it is repaired; look with `chant-mcp trust --show`, then `chant-mcp trust`";
        return Err(ChantError::Refused(why.into()).into());
    }
    // A repair may bring up what lies below it: each is looked for when those before it are done.
    let looks: [(&str, Look); 6] = [
        ("specs", emptied),
        ("changes of several files", journals),
        ("records of runs", records),
        ("receipts", receipts),
        ("commits of specs", commits),
        ("locks and copies", leftovers),
    ];
    for (what, look) in looks {
        match look(project) {
            Ok(found) => damages.extend(
                found
                    .into_iter()
                    .map(|one| settle(project, search.as_ref(), one, repairs)),
            ),
            Err(error) => damages.push(DamageView {
                kind: "not-looked-at",
                place: what.to_owned(),
                repair: "repair what is named above, then look again",
                repaired: false,
                failed: Some(error.to_string()),
            }),
        }
    }
    Ok(Answer::data(&DeepReport { damages }))
}

/// Repairs a damage if that is asked, and describes it.
fn settle(
    project: &Project,
    search: Option<&GitDamageSearch>,
    found: FoundDamage,
    repairs: bool,
) -> DamageView {
    let done = if repairs {
        repair(project, search, &found)
    } else {
        Ok(false)
    };
    DamageView {
        kind: found.kind,
        place: found.place,
        repair: found.repair,
        repaired: done.as_ref().is_ok_and(|done| *done),
        failed: done.err().map(|error| error.to_string()),
    }
}

fn repair(
    project: &Project,
    search: Option<&GitDamageSearch>,
    found: &FoundDamage,
) -> Result<bool, Error> {
    match &found.by {
        Repair::Person => Ok(false),
        Repair::Git(damage) => match search {
            Some(search) => Ok(search.repair(damage)?),
            None => Ok(false),
        },
        Repair::FromCommit => emptied_files::make_again(project, &found.place),
        Repair::PutAside => {
            project.runs()?.put_aside()?;
            Ok(true)
        }
        Repair::Recovery => {
            recovery::recover_runs(project)?;
            let (records, _) = project.runs()?.all()?;
            let mut same = records
                .iter()
                .filter(|record| record.process_id == found.place);
            Ok(!same.any(is_unsettled))
        }
        Repair::Receipt(record, bad) => {
            if let (Some(name), Some(search)) = (bad, search) {
                let damage = GitDamage {
                    kind: GitDamageKind::ReceiptWithoutObject,
                    place: name.clone(),
                };
                search.repair(&damage)?;
            }
            let Some(commit) = record.merge.commit.as_deref() else {
                return Ok(false);
            };
            let run = LandedRun {
                record,
                commit,
                merge: &record.merge,
            };
            leave_of_run(project, &*project.repository()?, run).map(|_| true)
        }
        Repair::RemoveFile(path) => {
            disk::remove(path)?;
            Ok(true)
        }
        Repair::Token(spec, token) => {
            project.runs()?.raise_token(spec, token + 1)?;
            Ok(true)
        }
        Repair::Journal => {
            project.settle_journal()?;
            Ok(journals(project)?
                .iter()
                .all(|left| left.place != found.place))
        }
    }
}

fn git_search(project: &Project) -> Option<GitDamageSearch> {
    let config = project.snapshot().ok().and_then(|it| it.config.ok());
    let main = config
        .as_ref()
        .map_or("main", |config| config.main_branch());
    let mut copies = Vec::new();
    if let (Some(config), Ok(Some(repo))) = (&config, project.repo())
        && let Ok(folder) = folders::worktrees_folder(project, config, &repo)
    {
        let runs = disk::names(&folder).unwrap_or_default().into_iter();
        let runs = runs.filter(|run| run.is_folder);
        copies.extend(runs.map(|run| folder.join(run.name).join(".git/objects")));
    }
    GitDamageSearch::of(project.root(), copies, main)
}

/// Finds files without a byte.
fn emptied(project: &Project) -> Result<Vec<FoundDamage>, Error> {
    let mut found = Vec::new();
    for path in emptied_files::find(project) {
        let is_whole = emptied_files::whole(project, &path)?.is_some();
        let is_spec = path.starts_with(SPECS) || path.starts_with(ARCHIVE);
        found.push(FoundDamage {
            kind: match (is_spec, is_whole) {
                (true, true) => "emptied-spec",
                (true, false) => "emptied-spec-without-commit",
                (false, _) => "emptied-configuration",
            },
            place: path,
            repair: if is_whole {
                "make it again as HEAD has it"
            } else {
                "write it again, or remove it: no commit has it"
            },
            by: if is_whole {
                Repair::FromCommit
            } else {
                Repair::Person
            },
        });
    }
    Ok(found)
}

/// The specs; `None` in a project that has none.
fn snapshot_of(project: &Project) -> Result<Option<ProjectSnapshot>, Error> {
    match project.snapshot() {
        Ok(snapshot) => Ok(Some(snapshot)),
        Err(error) => match error.downcast_ref() {
            Some(ChantError::NotInitialized { .. }) => Ok(None),
            _ => Err(error),
        },
    }
}

/// Finds changes of several files that were interrupted.
fn journals(project: &Project) -> Result<Vec<FoundDamage>, Error> {
    let folder = project.state()?.read("journal");
    let Some(folder) = folder else {
        return Ok(Vec::new());
    };
    let names = disk::names(&folder).unwrap_or_default().into_iter();
    // On some file systems the folder of a change stays until its locks are closed, without anything in it.
    let is_empty =
        |name: &str| disk::names(&folder.join(name)).is_ok_and(|inside| inside.is_empty());
    let changes = names.filter(|one| one.is_folder && !is_empty(&one.name));
    let found = changes.map(|one| {
        let is_kept = one.name.starts_with("kept-");
        FoundDamage {
            kind: if is_kept {
                "change-kept"
            } else {
                "change-interrupted"
            },
            place: one.name,
            repair: if is_kept {
                "compare what is kept with the files, then remove its folder"
            } else {
                "finish it or take it back"
            },
            by: if is_kept {
                Repair::Person
            } else {
                Repair::Journal
            },
        }
    });
    Ok(found.collect())
}

fn is_unsettled(record: &RunRecord) -> bool {
    match record.state() {
        RunState::Running => !record.runner().is_alive(),
        RunState::Lost => record.settled_at.is_none(),
        _ => false,
    }
}

/// Finds records that are not believed, and runs that ended without a word.
fn records(project: &Project) -> Result<Vec<FoundDamage>, Error> {
    let Ok(runs) = project.runs() else {
        return Ok(Vec::new());
    };
    let (records, broken) = runs.all()?;
    let mut found: Vec<FoundDamage> = broken
        .into_iter()
        .map(|record| FoundDamage {
            kind: "record",
            place: record.path,
            repair: "set the record aside",
            by: Repair::PutAside,
        })
        .collect();
    let snapshot = snapshot_of(project)?;
    for record in &records {
        let specs = snapshot.as_ref().map(|snapshot| &snapshot.specs);
        let spec = specs.and_then(|specs| specs.find(&record.spec_id));
        let is_completed = spec.is_some_and(|spec| spec.status == SpecStatus::Completed);
        if is_unsettled(record) {
            let is_merged = record.merge.state == MergeState::Merged;
            found.push(FoundDamage {
                kind: match (is_completed, is_merged) {
                    (true, _) => "run-behind-spec",
                    (false, true) => "spec-behind-run",
                    (false, false) => "dead-run",
                },
                place: record.process_id.clone(),
                repair: "finish or fail the run, as recovery does",
                by: Repair::Recovery,
            });
        }
        if record.works_on_spec() && is_newest(record, &records) && token_is_gone(&runs, record) {
            found.push(FoundDamage {
                kind: "token",
                place: record.spec_id.clone(),
                repair: "write the newest token of the spec again, as its records say",
                by: Repair::Token(record.spec_id.clone(), record.token),
            });
        }
    }
    Ok(found)
}

fn is_newest(record: &RunRecord, records: &[RunRecord]) -> bool {
    let mut same = records
        .iter()
        .filter(|other| other.spec_id == record.spec_id);
    same.all(|other| other.token <= record.token)
}

fn token_is_gone(runs: &RunStore, record: &RunRecord) -> bool {
    matches!(runs.token(&record.spec_id), Ok(None))
}

/// Finds receipts that are gone, or are none.
fn receipts(project: &Project) -> Result<Vec<FoundDamage>, Error> {
    let (Ok(runs), Ok(Some(repo))) = (project.runs(), project.repo()) else {
        return Ok(Vec::new());
    };
    let (records, _) = runs.all()?;
    let mut found = Vec::new();
    for record in &records {
        let has_landed = record.state() == RunState::Completed && record.merge.commit.is_some();
        if !has_landed || !is_newest(record, &records) {
            continue;
        }
        let folder = receipt::folder_of(&record.spec_id);
        let kept = of_spec(&repo, &record.spec_id)?;
        let bad = kept.iter().find(|kept| !is_receipt(&repo, &kept.object));
        let bad = bad.map(|kept| format!("{folder}{}", kept.name));
        if kept.is_empty() || bad.is_some() {
            found.push(FoundDamage {
                kind: if bad.is_some() {
                    "receipt-unreadable"
                } else {
                    "receipt-missing"
                },
                place: bad.clone().unwrap_or_else(|| record.spec_id.clone()),
                repair: "leave the receipt of the run again",
                by: Repair::Receipt(Box::new(record.clone()), bad),
            });
        }
    }
    Ok(found)
}

fn is_receipt(repo: &Repo, object: &str) -> bool {
    let read = repo.kept_text(object, receipt::MAX_BYTES);
    matches!(read, Ok(TextRead::Text(text)) if receipt::parse(&text).is_ok())
}

/// Finds completed specs whose commits are gone.
fn commits(project: &Project) -> Result<Vec<FoundDamage>, Error> {
    let (Ok(Some(repo)), Some(snapshot)) = (project.repo(), snapshot_of(project)?) else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    for spec in snapshot.specs.all() {
        let named = spec.commits.as_deref().unwrap_or_default();
        if spec.status != SpecStatus::Completed || named.is_empty() {
            continue;
        }
        let named: Vec<String> = named.iter().map(ToString::to_string).collect();
        let is_gone = repo
            .commits_named(&named)
            .map_or(true, |there| there.len() < named.len());
        if is_gone {
            found.push(FoundDamage {
                kind: "completed-without-commit",
                place: spec.path.to_string(),
                repair: "fetch the commits that it names, or finalize it again",
                by: Repair::Person,
            });
        }
    }
    Ok(found)
}

/// Finds locks without a holder, and specs that lie in two places.
fn leftovers(project: &Project) -> Result<Vec<FoundDamage>, Error> {
    let mut found = Vec::new();
    let runs = project.runs()?;
    if let Some(folder) = runs.state.read(&runs.state.in_project("locks")) {
        // Without a run there is none.
        let names = match disk::names(&folder) {
            Err(StoreError::Missing { .. }) => Vec::new(),
            names => names?,
        };
        // Through another mount of its file system the lock of a living runner is not seen.
        let is_running =
            |record: &&RunRecord| record.state() == RunState::Running && record.runner().is_alive();
        let (records, _) = runs.all()?;
        let running = records.iter().filter(is_running);
        let in_use: BTreeSet<PathBuf> = running
            .filter_map(|record| lock_of(&runs, &record.spec_id))
            .collect();
        for entry in names {
            let path = folder.join(&entry.name);
            let is_lock = path.extension().is_some_and(|ending| ending == "lock");
            if is_lock && !in_use.contains(&path) && matches!(Lock::try_take(&path), Ok(Some(_))) {
                found.push(FoundDamage {
                    kind: "spec-lock",
                    place: entry.name,
                    repair: "remove the lock, which no process holds",
                    by: Repair::RemoveFile(path),
                });
            }
        }
    }
    let text = |path: &Path| {
        let read = project.disk.read_text(path, "").ok();
        read.map(|(text, _)| text).filter(|text| !text.is_empty())
    };
    let archive = project.root().join(ARCHIVE);
    for day in disk::names(&archive).unwrap_or_default() {
        let day = archive.join(&day.name);
        for entry in disk::names(&day).unwrap_or_default() {
            let path = project.root().join(SPECS).join(&entry.name);
            let here = text(&path);
            if here.is_some() && here == text(&day.join(&entry.name)) {
                found.push(FoundDamage {
                    kind: "archived-twice",
                    place: format!("{SPECS}/{}", entry.name),
                    repair: "remove the copy beside the archived one, which is the same",
                    by: Repair::RemoveFile(path),
                });
            }
        }
    }
    Ok(found)
}
