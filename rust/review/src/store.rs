//! The events on specs: the user's own in the journal, published in refs, and those that others brought.

use chant_base::diagnostics::LogFailure;
use chant_git::Repo;
use chant_store::state::StateFolder;

use crate::error::ReviewError;
use crate::event::{EventAuthor, EventBody, FORMAT, MAX_BYTES, MAX_TEXT, ReviewEvent};
use crate::event_refs::{publish, read_refs, specs_in_refs};
use crate::journal::{JournalLock, OwnJournal};
use crate::thread::{EventOrigin, KnownEvent, ReviewThreads};

/// The reviews of a project.
#[derive(Clone, Copy)]
pub struct ReviewStore<'a> {
    state: &'a StateFolder,
    repo: Option<&'a Repo>,
}

/// The known parts of the review of one spec.
#[derive(Debug, Clone, Default)]
pub struct SpecReview {
    /// All events that are used.
    pub events: Vec<KnownEvent>,
    /// Their sum.
    pub threads: ReviewThreads,
    /// Parts that are not used, each with the reason.
    pub set_aside: Vec<String>,
}

impl<'a> ReviewStore<'a> {
    /// The reviews in a state folder, and in a repository where there is one.
    pub fn of(state: &'a StateFolder, repo: Option<&'a Repo>) -> Self {
        Self { state, repo }
    }

    /// Reads the review of a spec.
    ///
    /// # Errors
    /// A failure to read the journal or the repository.
    pub fn read(&self, spec: &str) -> Result<SpecReview, ReviewError> {
        let own = OwnJournal::of(self.state).read(spec)?;
        let mut set_aside = own.set_aside;
        let mut events: Vec<KnownEvent> = Vec::new();
        if let Some(repo) = self.repo {
            let others = read_refs(repo, spec, &own.events)?;
            events = others.events;
            set_aside.extend(others.set_aside);
        }
        let own = own.events.into_iter().map(|event| KnownEvent {
            event,
            origin: EventOrigin::Own,
        });
        events.extend(own);
        let threads = ReviewThreads::of(&events);
        Ok(SpecReview {
            events,
            threads,
            set_aside,
        })
    }

    /// Returns the specs on which somebody said something, sorted.
    ///
    /// # Errors
    /// A failure to read the repository.
    pub fn specs(&self) -> Result<Vec<String>, ReviewError> {
        let mut specs = OwnJournal::of(self.state).specs();
        if let Some(repo) = self.repo {
            specs.extend(specs_in_refs(repo)?);
        }
        specs.sort_unstable();
        specs.dedup();
        Ok(specs)
    }

    /// Waits until no other process writes events of the project, and keeps others from it.
    ///
    /// # Errors
    /// A `StoreError`, `Busy` among them.
    pub fn lock(&self) -> Result<JournalLock, ReviewError> {
        OwnJournal::of(self.state).lock()
    }

    /// Adds events to a spec's review, decided on what is known while nobody else adds some. Without any nothing is
    /// written. They happened when this returns; a ref that could not be written is made up for by the next act.
    ///
    /// # Errors
    /// The refusal of `decide`; `Invalid` for an event that is too large; a failure to write the journal.
    pub fn change(
        &self,
        spec: &str,
        at: &str,
        decide: impl FnOnce(&SpecReview) -> Result<Vec<(EventAuthor, EventBody)>, ReviewError>,
    ) -> Result<Vec<ReviewEvent>, ReviewError> {
        let journal = OwnJournal::of(self.state);
        let lock = journal.lock()?;
        let known = self.read(spec)?;
        let said = decide(&known)?;
        if said.is_empty() {
            return Ok(Vec::new());
        }
        let writer = journal.writer(&lock)?;
        let mut own: Vec<ReviewEvent> = journal.read(spec)?.events;
        let before = own.len();
        for (author, body) in said {
            let last = own
                .iter()
                .filter(|event| event.writer == writer)
                .max_by_key(|event| event.number);
            let event = ReviewEvent {
                format: FORMAT,
                id: String::new(),
                spec: spec.to_owned(),
                writer: writer.clone(),
                number: last.map_or(1, |last| last.number + 1),
                previous: last.map(|last| last.id.clone()),
                at: at.to_owned(),
                author,
                said: body,
            }
            .with_id();
            refuse_large(&event)?;
            own.push(event);
        }
        journal.add(spec, &own[before..], &lock)?;
        if let Some(repo) = self.repo {
            publish(repo, spec, &writer, &own).log_failure("publish events of a review");
        }
        Ok(own.split_off(before))
    }
}

fn refuse_large(event: &ReviewEvent) -> Result<(), ReviewError> {
    let text = match &event.said {
        EventBody::Comment { text, .. } | EventBody::Reply { text, .. } => text.len(),
        _ => 0,
    };
    let whole = event.text().len();
    if text <= MAX_TEXT && whole <= MAX_BYTES {
        return Ok(());
    }
    let why = if text > MAX_TEXT {
        format!("expected at most {MAX_TEXT} bytes, got {text}; say it in several comments")
    } else {
        format!(
            "with the lines that it is about it has {whole} bytes, and {MAX_BYTES} are the most; comment on fewer lines"
        )
    };
    Err(ReviewError::Invalid { name: "text", why })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use chant_git::growing_refs::AddedFile;
    use chant_store::files::RootFolder;
    use chant_store::state::{GitLocation, UserState};

    use super::*;
    use crate::anchor::CommentAnchor;
    use crate::event::{AuthorKind, CommentWeight};
    use crate::event_refs::written_ref;
    use crate::thread::ThreadState;

    struct Place {
        _folder: tempfile::TempDir,
        state: StateFolder,
        repo: Repo,
    }

    fn place() -> Place {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        git2::Repository::init(&root).unwrap();
        let made = Repo::open(&root).unwrap().unwrap();
        let state = state(folder.path(), &root);
        Place {
            _folder: folder,
            state,
            repo: made,
        }
    }

    fn state(home: &Path, root: &Path) -> StateFolder {
        let git = GitLocation {
            common: root.join(".git"),
            top: Some(root.to_owned()),
            checkout: Some(chant_store::state::CheckoutName::Main),
        };
        let user = UserState::at(home.join("state"));
        StateFolder::of(&RootFolder::open(root).unwrap(), Some(&git), Some(&user))
    }

    const SPEC: &str = "2026-01-22-001-x7m";

    fn person() -> EventAuthor {
        EventAuthor {
            kind: AuthorKind::Person,
            name: "Ada".into(),
            via: "people".into(),
            run: None,
        }
    }

    fn comment(text: &str) -> (EventAuthor, EventBody) {
        let said = EventBody::Comment {
            anchor: CommentAnchor::Whole,
            text: text.into(),
            weight: CommentWeight::Must,
        };
        (person(), said)
    }

    #[test]
    fn own_events_are_in_journal_and_ref_and_survive_the_loss_of_the_ref() {
        let place = place();
        let store = ReviewStore::of(&place.state, Some(&place.repo));
        let first = store
            .change(SPEC, "t1", |_| Ok(vec![comment("One")]))
            .unwrap();
        let second = store
            .change(SPEC, "t2", |_| Ok(vec![comment("Two")]))
            .unwrap();
        assert_eq!(second[0].previous.as_ref(), Some(&first[0].id));
        let name = written_ref(SPEC, &first[0].writer);
        let tip = place.repo.commit_of_ref(&name).unwrap().unwrap();
        let files = place.repo.kept_files(&tip).unwrap();
        let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names, [first[0].file_name(), second[0].file_name()]);
        assert_eq!(store.specs().unwrap(), [SPEC]);
        let repo = git2::Repository::open(place.repo.common_dir()).unwrap();
        repo.find_reference(&name).unwrap().delete().unwrap();
        assert_eq!(store.read(SPEC).unwrap().threads.threads.len(), 2);
        // The next act makes up for what the ref lacks.
        store
            .change(SPEC, "t3", |_| Ok(vec![comment("Three")]))
            .unwrap();
        let tip = place.repo.commit_of_ref(&name).unwrap().unwrap();
        assert_eq!(place.repo.kept_files(&tip).unwrap().len(), 3);
    }

    #[test]
    fn what_lies_in_refs_alone_is_nobodys_own() {
        let place = place();
        let store = ReviewStore::of(&place.state, Some(&place.repo));
        let own = store
            .change(SPEC, "t1", |_| Ok(vec![comment("One")]))
            .unwrap();
        let closing = ReviewEvent {
            number: 2,
            previous: Some(own[0].id.clone()),
            said: EventBody::Resolve {
                thread: own[0].id.clone(),
            },
            ..own[0].clone()
        }
        .with_id();
        let name = written_ref(SPEC, &own[0].writer);
        let tip = place.repo.commit_of_ref(&name).unwrap();
        let files = [
            (
                closing.file_name(),
                AddedFile::Text(closing.text().into_bytes()),
            ),
            (
                "000003-c-0000000000.json".into(),
                AddedFile::Text(b"{}".to_vec()),
            ),
            (
                "000004-c-0000000000.json".into(),
                AddedFile::Text(vec![b'a'; 20_000]),
            ),
        ];
        assert!(
            place
                .repo
                .add_kept_files(&name, tip.as_deref(), &files, "forged")
                .unwrap()
        );
        let found = store.read(SPEC).unwrap();
        assert_eq!(found.threads.threads[0].state, ThreadState::Open);
        assert_eq!(found.threads.without_effect, 1);
        assert_eq!(found.set_aside.len(), 2, "{:?}", found.set_aside);
    }

    #[test]
    fn a_journal_that_was_changed_is_not_believed() {
        let place = place();
        let store = ReviewStore::of(&place.state, None);
        for text in ["One", "Two", "Three"] {
            store
                .change(SPEC, "t1", |_| Ok(vec![comment(text)]))
                .unwrap();
        }
        let folder = place
            .state
            .read(&OwnJournal::part(&place.state, "events"))
            .unwrap();
        let path = folder.join(format!("{SPEC}.jsonl"));
        let text = chant_store::disk::read_owned(&path, 1_000_000).unwrap();
        chant_store::disk::write_private(&path, text.replace("Two", "Tvo")).unwrap();
        let found = store.read(SPEC).unwrap();
        assert_eq!(found.threads.threads.len(), 2);
        assert_eq!(found.set_aside.len(), 1);
        let other = folder.join("other.jsonl");
        chant_store::disk::write_private(&other, text).unwrap();
        let found = store.read("other").unwrap();
        assert!(found.events.is_empty() && found.set_aside.len() == 3);
    }

    #[test]
    fn a_text_that_is_too_long_is_refused() {
        let place = place();
        let store = ReviewStore::of(&place.state, None);
        let refused = store.change(SPEC, "t", |_| Ok(vec![comment(&"a".repeat(MAX_TEXT + 1))]));
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("at most 8192 bytes"), "{refused}");
        assert_eq!(store.read(SPEC).unwrap().events, []);
    }
}
