//! Questions that agents ask people: one record each, changed by compare-and-swap, so that no restart and
//! no second answer loses anything.

use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use super::config::SpeckitConfig;
use super::error::SpeckitError;
use super::events::FeatureEvent;
use super::files::{CallerIdentity, FeatureStore};
use super::resolve::ResolvedProject;
use chant_base::error::Error;
use chant_store::StoreError;
use chant_store::changes::FolderWatch;
use chant_store::disk::{self, LOCK_TIMEOUT, Lock};
use chant_store::files::{self, RootFolder};

/// Where the records lie, below our part of the state folder.
pub(super) const FOLDER: &str = "speckit/questions";
const ENDING: &str = ".json";
/// Most questions that wait at once.
const MAX_OPEN: usize = 100;
/// Most of these that one run asks, so that others can ask, too.
const MAX_OF_RUN: usize = 10;
/// Bytes of the longest question.
const MAX_PROMPT: usize = 32 * 1024;
/// So many closed ones are kept.
const MAX_CLOSED: usize = 200;
/// The interval at which a waiting caller is notified that nothing happened.
const BEAT: Duration = Duration::from_secs(5);
/// The longest time after which an abandoned call ends.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
/// The characters of IDs: none that looks like another one.
const LETTERS: &[u8] = b"23456789abcdefghjkmnpqrstuvwxyz";
/// The prompt when the agent gives none.
const DEFAULT_PROMPT: &str = "Enter your response:";

/// The state of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum QuestionState {
    /// It waits.
    Open,
    /// A person answered.
    Answered,
    /// A person will not answer.
    Cancelled,
    /// It was not answered for too long.
    Expired,
}

impl QuestionState {
    /// Its word.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentQuestion {
    /// Its ID.
    pub id: String,
    /// Its state.
    pub state: QuestionState,
    /// The text of the question.
    pub prompt: String,
    /// The server that the agent talks to.
    pub session: String,
    /// The client's name.
    pub agent: Option<String>,
    /// The spec of the run that asks.
    pub run: Option<String>,
    /// The feature's directory.
    pub feature: Option<String>,
    /// The checkout it was asked in.
    pub worktree: String,
    /// When it was asked.
    pub asked_at: Timestamp,
    /// When it stops waiting.
    pub expires_at: Timestamp,
    /// When it was answered, cancelled or expired.
    pub closed_at: Option<Timestamp>,
    /// By whom.
    pub closed_by: Option<String>,
    /// The answer of the person.
    pub answer: Option<String>,
    /// True if the agent has heard the outcome.
    pub is_collected: bool,
    /// The number of times that the record was written.
    pub generation: u64,
}

/// A question that was written, and what people should know of it: the record counts, whatever became of
/// its event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedQuestion {
    /// The question.
    pub question: AgentQuestion,
    /// A failure beside it, if there was one.
    pub warning: Option<String>,
}

/// The link to a waiting caller: keeps it informed, and reports when it does not wait any more.
pub struct QuestionListener<'a> {
    /// Called now and then to report that the question still waits.
    pub tell: &'a mut dyn FnMut(&str),
    /// Returns true if the caller does not wait any more.
    pub has_left: &'a dyn Fn() -> bool,
}

/// Where the records of questions lie; the folder is made.
fn questions_folder(found: &ResolvedProject) -> Result<RootFolder, Error> {
    let folder = found.state.ensure(FOLDER)?;
    Ok(RootFolder::open(&folder)?)
}

impl FeatureStore {
    /// All questions, the oldest first; records that cannot be read are left out.
    ///
    /// # Errors
    /// A `StoreError` when the folder is there and cannot be listed.
    pub fn questions(&self, found: &ResolvedProject) -> Result<Vec<AgentQuestion>, Error> {
        let Some(folder) = found.state.read(FOLDER) else {
            return Ok(Vec::new());
        };
        let names = match disk::names(&folder) {
            Err(StoreError::Missing { .. }) => return Ok(Vec::new()),
            names => names?,
        };
        let read = |name: &str| {
            let (text, _) = self.disk.read_text(&folder.join(name), name).ok()?;
            serde_json::from_str(&text).ok()
        };
        let records = names.iter().filter(|named| named.name.ends_with(ENDING));
        let mut questions: Vec<AgentQuestion> =
            records.filter_map(|named| read(&named.name)).collect();
        for question in &mut questions {
            self.expire(question);
        }
        questions.sort_by(|a, b| (a.asked_at, &a.id).cmp(&(b.asked_at, &b.id)));
        Ok(questions)
    }

    /// Lets a question that waited too long say so.
    fn expire(&self, question: &mut AgentQuestion) {
        if question.state == QuestionState::Open && self.now() >= question.expires_at {
            question.state = QuestionState::Expired;
            question.closed_at = Some(question.expires_at);
        }
    }

    /// One question.
    ///
    /// # Errors
    /// `NoQuestion`, naming those that wait, or `Broken`.
    pub fn question(&self, found: &ResolvedProject, id: &str) -> Result<AgentQuestion, Error> {
        let is_name = !id.is_empty() && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        let folder = found.state.read(FOLDER).filter(|_| is_name);
        let path = folder.map(|folder| folder.join(file_of(id)));
        let Some(path) = path.filter(|path| disk::exists(path)) else {
            return Err(self.no_question(found, id));
        };
        let (text, _) = self.disk.read_text(&path, &file_of(id))?;
        let mut question = parse(&file_of(id), &text)?;
        self.expire(&mut question);
        Ok(question)
    }

    fn no_question(&self, found: &ResolvedProject, id: &str) -> Error {
        let open = self.questions(found).unwrap_or_default();
        let open = open
            .into_iter()
            .filter(|one| one.state == QuestionState::Open);
        SpeckitError::NoQuestion {
            id: id.to_owned(),
            open: open.map(|one| one.id).collect(),
        }
        .into()
    }

    /// Asks a question, or comes back to one: that of an ID, else the newest of the same session, feature
    /// and words whose end was not heard yet.
    ///
    /// # Errors
    /// `NoQuestion`, `TooMany`, `TooManyOfRun`, `LongPrompt`, or a `StoreError`.
    pub fn ask(
        &self,
        found: &ResolvedProject,
        who: &CallerIdentity,
        prompt: Option<&str>,
        id: Option<&str>,
    ) -> Result<RecordedQuestion, Error> {
        let as_it_is = |question| RecordedQuestion {
            question,
            warning: None,
        };
        if let Some(id) = id {
            return self.question(found, id.trim()).map(as_it_is);
        }
        let new = self.new_question(found, who, prompt)?;
        let folder = questions_folder(found)?;
        let gate = Lock::acquire(folder.path(), Instant::now() + LOCK_TIMEOUT)?;
        let all = self.questions(found)?;
        let is_same = |old: &&AgentQuestion| {
            let key = |one: &AgentQuestion| {
                let place = (one.feature.clone(), one.worktree.clone());
                (one.session.clone(), place, one.prompt.clone())
            };
            !old.is_collected && key(old) == key(&new)
        };
        if let Some(old) = all.iter().rev().find(is_same) {
            return Ok(as_it_is(old.clone()));
        }
        let open = || all.iter().filter(|one| one.state == QuestionState::Open);
        if open().count() >= MAX_OPEN {
            let count = open().count();
            return Err(SpeckitError::TooMany { count }.into());
        }
        let own = || open().filter(|one| one.run.is_some() && one.run == new.run);
        if own().count() >= MAX_OF_RUN {
            let open = own().map(|one| one.id.clone()).collect();
            return Err(SpeckitError::TooManyOfRun { open }.into());
        }
        prune(&folder, &all)?;
        let text = text_of(&new);
        files::create(&self.disk, &folder, &file_of(&new.id), &text)?;
        drop(gate);
        let (question, prompt) = (new.id.as_str(), new.prompt.as_str());
        let warning = self.log_event(found, who, FeatureEvent::Question { question, prompt });
        Ok(RecordedQuestion {
            question: new,
            warning,
        })
    }

    /// Adds an event to what is written already; says when that failed.
    fn log_event(
        &self,
        found: &ResolvedProject,
        who: &CallerIdentity,
        what: FeatureEvent<'_>,
    ) -> Option<String> {
        let failed = self.log(found, who, what).err()?;
        Some(format!("Warning: the event was not recorded: {failed}"))
    }

    fn new_question(
        &self,
        found: &ResolvedProject,
        who: &CallerIdentity,
        prompt: Option<&str>,
    ) -> Result<AgentQuestion, Error> {
        let config: SpeckitConfig = self.config(found)?;
        let prompt = prompt.map(str::trim).filter(|prompt| !prompt.is_empty());
        if let Some(bytes) = prompt.map(str::len).filter(|bytes| *bytes > MAX_PROMPT) {
            let most = MAX_PROMPT;
            return Err(SpeckitError::LongPrompt { bytes, most }.into());
        }
        let wait = SignedDuration::try_from(config.questions.expiry()).unwrap_or_default();
        let now = self.now();
        let letter = || char::from(LETTERS[fastrand::usize(..LETTERS.len())]);
        Ok(AgentQuestion {
            id: format!(
                "q-{}",
                std::iter::repeat_with(letter).take(6).collect::<String>()
            ),
            state: QuestionState::Open,
            prompt: prompt.unwrap_or(DEFAULT_PROMPT).to_owned(),
            session: who.session.clone(),
            agent: who.agent.clone(),
            run: self.run(),
            feature: found
                .feature
                .as_ref()
                .map(|feature| feature.directory.clone()),
            worktree: found.root.path().display().to_string(),
            asked_at: now,
            expires_at: now.saturating_add(wait).unwrap_or(now),
            closed_at: None,
            closed_by: None,
            answer: None,
            is_collected: false,
            generation: 0,
        })
    }

    /// Closes a question: with an answer, or without one.
    ///
    /// # Errors
    /// `NoQuestion`, `Closed` when another caller was first, or a `StoreError`.
    pub fn close(
        &self,
        found: &ResolvedProject,
        who: &CallerIdentity,
        id: &str,
        answer: Option<&str>,
    ) -> Result<RecordedQuestion, Error> {
        let id = id.trim();
        self.question(found, id)?;
        let closed = self.change(found, id, |question| {
            if question.state != QuestionState::Open {
                let (id, state) = (question.id.clone(), question.state.as_str());
                return Err(SpeckitError::Closed { id, state }.into());
            }
            question.state = match answer {
                Some(_) => QuestionState::Answered,
                None => QuestionState::Cancelled,
            };
            question.answer = answer.map(str::to_owned);
            question.closed_at = Some(self.now());
            question.closed_by = Some(who.session.clone());
            Ok(())
        })?;
        let what = FeatureEvent::Closed {
            question: id,
            state: closed.state.as_str(),
            by: &who.session,
        };
        let warning = self.log_event(found, who, what);
        Ok(RecordedQuestion {
            question: closed,
            warning,
        })
    }

    /// Changes a question's record, decided on what is in it at the moment of writing.
    fn change(
        &self,
        found: &ResolvedProject,
        id: &str,
        mut change: impl FnMut(&mut AgentQuestion) -> Result<(), Error>,
    ) -> Result<AgentQuestion, Error> {
        let (folder, file) = (questions_folder(found)?, file_of(id));
        let mut now = None;
        files::edit(&self.disk, &folder, &file, |text| {
            let old = parse(&file, text)?;
            let mut new = old.clone();
            self.expire(&mut new);
            change(&mut new)?;
            let is_same = new == old;
            new.generation += u64::from(!is_same);
            let text = if is_same {
                text.to_owned()
            } else {
                text_of(&new)
            };
            now = Some(new);
            Ok::<_, Error>(text)
        })?;
        now.map_or_else(|| self.question(found, id), Ok)
    }

    /// Waits until a question is closed, at most so long, and notes that its end was heard by the one who
    /// asked. A question that stays open is as it was.
    ///
    /// # Errors
    /// `NoQuestion`, or a `StoreError`.
    pub fn wait(
        &self,
        found: &ResolvedProject,
        id: &str,
        most: Duration,
        listener: &mut QuestionListener<'_>,
    ) -> Result<AgentQuestion, Error> {
        let question = self.watch_question(found, id, most, listener)?;
        if question.state == QuestionState::Open || (listener.has_left)() {
            return Ok(question);
        }
        self.collect(found, &question)
    }

    /// Waits until a question is closed, at most so long.
    ///
    /// # Errors
    /// `NoQuestion`, or a `StoreError`.
    pub fn watch_question(
        &self,
        found: &ResolvedProject,
        id: &str,
        most: Duration,
        listener: &mut QuestionListener<'_>,
    ) -> Result<AgentQuestion, Error> {
        let folder = questions_folder(found)?;
        let mut watch = FolderWatch::start(folder.path());
        watch.add(folder.path(), "");
        let deadline = Instant::now() + most;
        let mut beat = Instant::now();
        loop {
            let question = self.question(found, id)?;
            let now = Instant::now();
            if question.state != QuestionState::Open || now >= deadline || (listener.has_left)() {
                return Ok(question);
            }
            if now >= beat {
                (listener.tell)(&format!("waiting for an answer to {id}"));
                beat = now + BEAT;
            }
            watch.wait((deadline - now).min(POLL_INTERVAL));
        }
    }

    fn collect(
        &self,
        found: &ResolvedProject,
        question: &AgentQuestion,
    ) -> Result<AgentQuestion, Error> {
        if question.is_collected {
            return Ok(question.clone());
        }
        self.change(found, &question.id, |question| {
            question.is_collected = true;
            Ok(())
        })
    }
}

/// Removes the oldest closed questions but so many, those first whose end was heard.
fn prune(folder: &RootFolder, all: &[AgentQuestion]) -> Result<(), StoreError> {
    let mut closed: Vec<&AgentQuestion> = all
        .iter()
        .filter(|one| one.state != QuestionState::Open)
        .collect();
    closed.sort_by_key(|one| (!one.is_collected, one.asked_at));
    let surplus = closed.len().saturating_sub(MAX_CLOSED);
    for question in &closed[..surplus] {
        disk::remove(&folder.path().join(file_of(&question.id)))?;
    }
    Ok(())
}

fn file_of(id: &str) -> String {
    format!("{id}{ENDING}")
}

fn text_of(question: &AgentQuestion) -> String {
    let mut text = serde_json::to_string_pretty(question).unwrap_or_default();
    text.push('\n');
    text
}

fn parse(path: &str, text: &str) -> Result<AgentQuestion, Error> {
    serde_json::from_str(text).map_err(|error| {
        SpeckitError::Broken {
            path: path.to_owned(),
            why: error.to_string(),
        }
        .into()
    })
}
