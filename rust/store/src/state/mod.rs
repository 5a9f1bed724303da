//! The folder for our own state: what is acted on lies where no commit, merge or archive can put anything.

mod names;
mod owner;
mod user;

use chant_base::diagnostics::LogFailure;
use std::path::{Path, PathBuf};
use std::time::Instant;

use sha2::{Digest, Sha256};

use super::StoreError;
use super::digest::hex;
use super::disk::{self, FileSystemFeature, FileSystemProbe, LOCK_TIMEOUT, Lock};
use super::files::RootFolder;
pub use names::{escape_name, unescape_name};
pub use owner::StateOwnership;
pub use user::UserState;

/// The folder's name in a repository.
const NAME: &str = "chant-mcp";
/// Where the folders of places without a repository lie, in the user's own state.
const PROJECTS: &str = "projects";
/// The part in which texts wait until they take their place.
const STAGED: &str = "staged";
/// The name of the top of a checkout among the projects in it.
const TOP: &str = "_";
/// The name of the checkout that a repository came with.
const MAIN: &str = "main";
/// The parts of the folder that hold locks.
const WITH_LOCKS: [&str; 3] = ["locks", "claims", "watch"];
/// So deep locks lie in these.
const MAX_DEPTH: usize = 3;
/// What the file system of the project was found to be.
const FILE_SYSTEM: &str = "file-system.json";
/// Bytes of it.
const MAX_PROBE_BYTES: u64 = 16 * 1024;
/// Digits of a folder's name.
const DIGIT_COUNT: usize = 32;

/// The location of a folder, as git reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitLocation {
    /// The folder that all checkouts of the repository share.
    pub common: PathBuf,
    /// The top of the checkout; `None` in a repository without one.
    pub top: Option<PathBuf>,
    /// The repository's name for the checkout; `None` for one that it does not know.
    pub checkout: Option<CheckoutName>,
}

/// A repository's name for one of its checkouts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckoutName {
    /// The one that it came with.
    Main,
    /// One that was added, by its name.
    Linked(String),
}

/// `<git common dir>/chant-mcp/`, shared by all checkouts of a repository. Without git, in a checkout that its
/// repository does not know, and where the repository's file system keeps no rights of files, a folder in the user's
/// own state. Made when first written to; nothing in it is believed that this user did not write at this place.
#[derive(Debug, Clone)]
pub struct StateFolder {
    /// The place where it lies; none where no place for the user's own files is set.
    folder: Option<PathBuf>,
    /// The place in the user's own state for a repository whose file system keeps no rights: where there is something,
    /// the state lies there.
    without_rights: Option<PathBuf>,
    /// The place that it belongs to.
    anchor: PathBuf,
    is_in_repository: bool,
    user: Option<UserState>,
    checkout: String,
    inner: String,
}

impl StateFolder {
    /// The folder of a project, inside its repository's common folder where there is one.
    pub fn of(root: &RootFolder, git: Option<&GitLocation>, user: Option<&UserState>) -> Self {
        let real = |path: &Path| disk::real(path).unwrap_or_else(|_| path.to_owned());
        let root = root.path();
        let Some(git) = git else {
            return Self::of_user(user, root.to_owned(), &[root], TOP.to_owned());
        };
        let common = real(&git.common);
        let top = git.top.as_deref().map_or_else(|| common.clone(), real);
        let inner = match root.strip_prefix(&top) {
            Ok(inside) if inside.as_os_str().is_empty() => TOP.to_owned(),
            Ok(inside) => escape_name(&inside.to_string_lossy().replace('\\', "/")),
            Err(_) => {
                return Self::of_user(user, root.to_owned(), &[root, &common], TOP.to_owned());
            }
        };
        let checkout = match &git.checkout {
            Some(CheckoutName::Main) => MAIN.to_owned(),
            Some(CheckoutName::Linked(name)) => format!("worktree-{}", escape_name(name)),
            // A file that points at a repository gives nothing of what lies there.
            None => return Self::of_user(user, top.clone(), &[&top, &common], inner),
        };
        let without_rights = user.map(|user| user_folder(user, &[&common, Path::new(NAME)]));
        Self {
            folder: Some(common.join(NAME)),
            without_rights,
            anchor: common,
            is_in_repository: true,
            user: user.cloned(),
            checkout,
            inner,
        }
    }

    /// A folder in the user's own state, keyed by paths.
    fn of_user(user: Option<&UserState>, anchor: PathBuf, of: &[&Path], inner: String) -> Self {
        Self {
            folder: user.map(|user| user_folder(user, of)),
            without_rights: None,
            anchor,
            is_in_repository: false,
            user: user.cloned(),
            checkout: MAIN.to_owned(),
            inner,
        }
    }

    /// Returns the place where it lies, whether it is there and believed or not; `None` where no place for
    /// it is set.
    pub fn place(&self) -> Option<&Path> {
        self.moved()
            .or(self.folder.as_deref())
            .filter(|_| self.user.is_some())
    }

    /// Where it lies in place of the repository, if it does.
    fn moved(&self) -> Option<&Path> {
        let moved = self.without_rights.as_deref();
        moved.filter(|moved| disk::exists(moved))
    }

    /// Returns true if it lies in the repository.
    fn lies_in_repository(&self) -> bool {
        self.is_in_repository && self.moved().is_none()
    }

    /// Returns what the file system of the project was found to be when something was first written; `None` where
    /// nothing was.
    pub fn file_system(&self) -> Option<FileSystemProbe> {
        let text = disk::read_owned(&self.read(FILE_SYSTEM)?, MAX_PROBE_BYTES).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// The part of a checkout's project, such as its records.
    pub fn in_checkout(&self, part: &str) -> String {
        format!("{part}/{}/{}", self.checkout, self.inner)
    }

    /// The part of a project that all checkouts share, such as its tokens.
    pub fn in_project(&self, part: &str) -> String {
        format!("{part}/{}", self.inner)
    }

    /// Whose it is. Nothing is changed by asking.
    pub fn ownership(&self) -> StateOwnership {
        let (Some(folder), Some(user)) = (self.place(), &self.user) else {
            return StateOwnership::Nowhere;
        };
        owner::ownership(folder, &self.anchor, user)
    }

    /// Returns what tells this folder from all others, also from one that was removed at the same place; `None`
    /// where there is none that is believed.
    pub fn id(&self) -> Option<String> {
        let folder = self.place()?;
        (self.ownership() == StateOwnership::Own).then(|| owner::id(folder))?
    }

    /// Returns the signature of a text of this user's in this folder, which nobody else can make.
    ///
    /// # Errors
    /// `NoState` where no place for the user's own files is set, or the key cannot be read or made.
    pub fn signature(&self, text: &str) -> Result<String, StoreError> {
        let user = self.user.as_ref().ok_or_else(nowhere)?;
        Ok(user.key_made()?.signature(text))
    }

    /// Returns true if [`StateFolder::signature`] made a signature of a text.
    pub fn has_signed(&self, text: &str, signature: &str) -> bool {
        let key = self.user.as_ref().map(UserState::key);
        let key = key.and_then(|key| key.ok().flatten());
        key.is_some_and(|key| key.has_signed(text, signature))
    }

    /// Returns what a person should know of it, in a sentence.
    pub fn problem(&self) -> Option<String> {
        let folder = self.place()?.display();
        match self.ownership() {
            StateOwnership::Own | StateOwnership::New | StateOwnership::Nowhere => None,
            StateOwnership::Foreign(why) => Some(format!(
                "{folder} is not believed: {why}. It counts as empty, and is set aside when something is written"
            )),
            StateOwnership::OtherUser(why) => Some(format!(
                "{folder} cannot be used: {why}. Documents can be read and edited; no work begins here"
            )),
        }
    }

    /// Where a part of it lies that may be read, whether it is there or not; `None` when nothing in the folder
    /// is believed.
    pub fn read(&self, part: &str) -> Option<PathBuf> {
        let mut path = self.place()?.to_owned();
        if self.ownership() != StateOwnership::Own {
            return None;
        }
        let is_fit = |path: &Path| {
            disk::owned(path)
                .is_none_or(|facts| facts.is_own_folder() || (facts.is_file && facts.is_own))
        };
        part.split('/')
            .all(|name| {
                path.push(name);
                is_fit(&path)
            })
            .then_some(path)
    }

    /// Makes the folder for a part of the state and returns it. A folder that is not believed is set aside.
    ///
    /// # Errors
    /// `NoState` where there may be none, `Unreadable` for a part that is not this user's own, `NotWritten`, or
    /// `Missing` when the repository is gone.
    pub fn ensure(&self, part: &str) -> Result<PathBuf, StoreError> {
        let mut path = self.ensure_folder()?.to_owned();
        for name in part.split('/') {
            path.push(name);
            disk::make_owned_folder(&path)?;
        }
        Ok(path)
    }

    /// The folder in which texts wait until they take their place in another folder; `None` where they cannot wait
    /// there. Only a repository with state in it has one: an edit alone begins none, as that writes the user's key.
    pub(super) fn staging_for(&self, folder: &Path, is_new: bool) -> Option<PathBuf> {
        let state = self.place().filter(|_| self.lies_in_repository())?;
        if !disk::exists(state) || !disk::can_stage(state, folder, is_new) {
            return None;
        }
        self.ensure(STAGED).ok()
    }

    fn ensure_folder(&self) -> Result<&Path, StoreError> {
        let (Some(folder), Some(user)) = (self.place(), &self.user) else {
            return Err(nowhere());
        };
        if self.ownership() == StateOwnership::Own {
            return Ok(folder);
        }
        let _turn = self.turn(folder)?;
        // Another process may have made it elsewhere meanwhile.
        let folder = self.place().unwrap_or(folder);
        match self.ownership() {
            StateOwnership::Own => return Ok(folder),
            StateOwnership::Nowhere => return Err(nowhere()),
            _ => {}
        }
        let probe = FileSystemProbe::of(&self.anchor).ok();
        let keeps_rights = |probe: &FileSystemProbe| !probe.lacks(FileSystemFeature::Rights);
        if let Some(moved) = self.without_rights.as_deref()
            && folder != moved
            && !probe.as_ref().is_none_or(keeps_rights)
        {
            disk::make_folders(moved.parent().unwrap_or(moved))?;
            self.make(moved, user, probe.as_ref())?;
            return Ok(moved);
        }
        match self.ownership() {
            StateOwnership::Own | StateOwnership::New | StateOwnership::Nowhere => {}
            StateOwnership::Foreign(_) => set_aside(folder)?,
            StateOwnership::OtherUser(why) => {
                let why = format!("{} cannot be used: {why}", folder.display());
                return Err(StoreError::NoState { why });
            }
        }
        self.make(folder, user, probe.as_ref())?;
        Ok(folder)
    }

    /// Held while the folder is made, set aside, or signed.
    fn turn(&self, folder: &Path) -> Result<Lock, StoreError> {
        let above = folder.parent().unwrap_or(folder);
        if !self.lies_in_repository() {
            disk::make_folders(above)?;
        }
        Lock::acquire(above, Instant::now() + LOCK_TIMEOUT)
    }

    /// Makes the folder, which appears with its signature.
    fn make(
        &self,
        folder: &Path,
        user: &UserState,
        probe: Option<&FileSystemProbe>,
    ) -> Result<(), StoreError> {
        let text = owner::signed(&self.anchor, user)?;
        let new = beside(folder, &format!("new-{}", std::process::id()));
        // What a crash of a process of that number left.
        disk::remove_tree(&new)?;
        disk::make_owned_folder(&new)?;
        let kept = match probe {
            Some(probe) => disk::create_owned(&new.join(FILE_SYSTEM), &text_of(probe)),
            None => Ok(()),
        };
        let made = kept
            .and_then(|()| disk::create_owned(&new.join(owner::OWNER), &text))
            .and_then(|()| disk::rename_new(&new, folder));
        if made.is_err() {
            disk::remove_tree(&new).log_failure("remove a half made state folder");
        }
        made
    }
}

/// A folder in the user's own state that is named after paths.
fn user_folder(user: &UserState, of: &[&Path]) -> PathBuf {
    let mut digest = Sha256::new();
    for path in of {
        digest.update(path.as_os_str().as_encoded_bytes());
        digest.update([0]);
    }
    let name = hex(&digest.finalize());
    user.path().join(PROJECTS).join(&name[..DIGIT_COUNT])
}

fn text_of(probe: &FileSystemProbe) -> String {
    serde_json::to_string_pretty(probe).unwrap_or_default() + "\n"
}

fn nowhere() -> StoreError {
    StoreError::NoState {
        why: "Neither XDG_STATE_HOME nor HOME says where the state of programs may lie; set one of them".into(),
    }
}

/// A name beside a folder.
fn beside(folder: &Path, what: &str) -> PathBuf {
    let mut name = folder.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(what);
    folder.with_file_name(name)
}

/// Gives a folder that is not believed another name.
fn set_aside(folder: &Path) -> Result<(), StoreError> {
    refuse_held(folder)?;
    for number in 1..=u32::MAX {
        match disk::rename_new(folder, beside(folder, &format!("set-aside-{number}"))) {
            Err(StoreError::Exists { .. }) => {}
            renamed => return renamed,
        }
    }
    Ok(())
}

/// Refuses to move a folder away one of whose locks a process holds.
fn refuse_held(folder: &Path) -> Result<(), StoreError> {
    let held = WITH_LOCKS
        .iter()
        .find_map(|part| held_below(&folder.join(part), MAX_DEPTH));
    match held {
        None => Ok(()),
        Some(lock) => Err(StoreError::NoState {
            why: format!(
                "{} cannot be set aside: a process holds {}. Wait until it ends, and try again",
                folder.display(),
                lock.display()
            ),
        }),
    }
}

fn held_below(folder: &Path, depth: usize) -> Option<PathBuf> {
    if depth == 0 || !disk::owned(folder)?.is_folder {
        return None;
    }
    let mut names = disk::names(folder).unwrap_or_default().into_iter();
    names.find_map(|one| {
        let path = folder.join(&one.name);
        if one.is_folder {
            return held_below(&path, depth - 1);
        }
        let is_file = disk::owned(&path).is_some_and(|facts| facts.is_file);
        let is_held = is_file && matches!(Lock::try_take(&path), Ok(None));
        is_held.then_some(path)
    })
}
