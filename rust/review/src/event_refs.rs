//! Events in refs: one ref for each spec and writer, whose commits only add files.

use chant_git::growing_refs::AddedFile;
use chant_git::kept_texts::TextRead;
use chant_git::{GitError, Repo};
use chant_store::state::{escape_name, unescape_name};

use crate::anchor::CommentAnchor;
use crate::event::{EventBody, EventFault, MAX_BYTES, ReviewEvent};
use crate::thread::{EventOrigin, KnownEvent};

/// The folder of refs that clones write.
pub const WRITTEN: &str = "refs/chant/review/";
/// The folder of refs that remotes brought, one folder for each remote.
pub const FETCHED: &str = "refs/chant/review-remote/";
/// The end of an event's file.
const ENDING: &str = ".json";
/// The beginning of the name of a commented version.
const BLOB: &str = "version-";
/// The number of attempts at a ref that others move.
const ATTEMPTS: usize = 10;
/// The greatest number of files that are read of one ref.
const MAX_FILES: usize = 20_000;

/// Events that refs brought.
#[derive(Debug, Clone, Default)]
pub(crate) struct RefEvents {
    pub(crate) events: Vec<KnownEvent>,
    pub(crate) set_aside: Vec<String>,
}

/// Returns the ref of a writer's events on a spec.
pub fn written_ref(spec: &str, writer: &str) -> String {
    format!("{WRITTEN}{}/{writer}", escape_name(spec))
}

/// Writes what the journal has and the ref has not.
///
/// # Errors
/// A failure of git; the events are in the journal all the same.
pub(crate) fn publish(
    repo: &Repo,
    spec: &str,
    writer: &str,
    events: &[ReviewEvent],
) -> Result<(), GitError> {
    let name = written_ref(spec, writer);
    let own: Vec<&ReviewEvent> = events
        .iter()
        .filter(|event| event.writer == writer)
        .collect();
    for _ in 0..ATTEMPTS {
        let old = repo.commit_of_ref(&name)?;
        let kept = match &old {
            Some(old) => repo.kept_files(old)?,
            None => Vec::new(),
        };
        let has = |name: &str| kept.iter().any(|file| file.name == name);
        let mut files = Vec::new();
        for event in &own {
            let file = event.file_name();
            if has(&file) {
                continue;
            }
            // The commented version stays as long as the comment, and goes where it goes.
            if let Some(blob) = commented_version(event) {
                let version = format!("{BLOB}{blob}");
                let is_new = !has(&version) && files.iter().all(|(name, _)| *name != version);
                if is_new && repo.has_object(blob)? {
                    files.push((version, AddedFile::Object(blob.to_owned())));
                }
            }
            files.push((file, AddedFile::Text(event.text().into_bytes())));
        }
        if files.is_empty() || repo.add_kept_files(&name, old.as_deref(), &files, "Review")? {
            return Ok(());
        }
    }
    Ok(())
}

fn commented_version(event: &ReviewEvent) -> Option<&str> {
    match &event.said {
        EventBody::Comment {
            anchor: CommentAnchor::Line(line),
            ..
        } => Some(&line.blob),
        _ => None,
    }
}

/// Reads the events on a spec that refs hold; `own` are those of the journal.
pub(crate) fn read_refs(
    repo: &Repo,
    spec: &str,
    own: &[ReviewEvent],
) -> Result<RefEvents, GitError> {
    let mut found = RefEvents::default();
    let spec_part = escape_name(spec);
    for kept in repo.kept_texts(&format!("{WRITTEN}{spec_part}/"))? {
        read_ref(
            repo,
            &kept.object,
            spec,
            &kept.name,
            &EventOrigin::Unlisted,
            &mut found,
        )?;
    }
    for kept in repo.kept_texts(FETCHED)? {
        let mut parts = kept.name.split('/');
        let (Some(remote), Some(of), Some(writer)) = (parts.next(), parts.next(), parts.next())
        else {
            continue;
        };
        if of != spec_part {
            continue;
        }
        // What a remote rewrote later lies beside it, under the same name with a number.
        let writer = writer.split('.').next().unwrap_or(writer);
        let remote = unescape_name(remote).unwrap_or_else(|| remote.to_owned());
        let origin = EventOrigin::Remote(remote);
        read_ref(repo, &kept.object, spec, writer, &origin, &mut found)?;
    }
    // What the journal lists is taken from there.
    found
        .events
        .retain(|known| own.iter().all(|event| event.id != known.event.id));
    Ok(found)
}

fn read_ref(
    repo: &Repo,
    commit: &str,
    spec: &str,
    writer: &str,
    origin: &EventOrigin,
    found: &mut RefEvents,
) -> Result<(), GitError> {
    let files = repo.kept_files(commit)?;
    let events = files.iter().filter(|file| file.name.ends_with(ENDING));
    for file in events.take(MAX_FILES) {
        let read = match repo.kept_text(&file.object, MAX_BYTES)? {
            TextRead::Text(text) => ReviewEvent::read(&text),
            TextRead::Unfit(_) => Err(EventFault::TooLarge),
        };
        let read = read.and_then(|event| {
            let is_placed =
                event.spec == spec && event.writer == writer && event.file_name() == file.name;
            if is_placed {
                Ok(event)
            } else {
                Err(EventFault::Misplaced)
            }
        });
        match read {
            Ok(event) => found.events.push(KnownEvent {
                event,
                origin: origin.clone(),
            }),
            Err(fault) => {
                let whose = origin.words().unwrap_or_default();
                let name: String = file.name.chars().take(60).collect();
                found
                    .set_aside
                    .push(format!("{writer}/{name} ({whose}): {fault}"));
            }
        }
    }
    Ok(())
}

/// Returns the specs on which there are events in refs.
pub(crate) fn specs_in_refs(repo: &Repo) -> Result<Vec<String>, GitError> {
    let mut specs = Vec::new();
    for kept in repo.kept_texts(WRITTEN)? {
        specs.extend(kept.name.split('/').next().and_then(unescape_name));
    }
    for kept in repo.kept_texts(FETCHED)? {
        specs.extend(kept.name.split('/').nth(1).and_then(unescape_name));
    }
    Ok(specs)
}
