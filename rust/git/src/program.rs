//! The only file that starts a process: the `git` program, in an environment that cannot redirect it.
//!
//! A repository's own configuration names programs that git runs. A call that reads ([`reading`])
//! runs none of them; one that acts ([`acting`]) does what the user's git would do, and is for
//! folders that the user trusts. There is no third way to start git.
//!
//! A server may be started by a git hook or a tool that exports `GIT_DIR`, `GIT_INDEX_FILE` and the
//! like; a call that inherited them would act on another repository. Arguments are passed as a list,
//! never through a shell, and names are checked before they get here.

#![expect(
    clippy::disallowed_methods,
    reason = "this file is where processes are started"
)]

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::GitError;
use super::flushing::FLUSH_ALL;
use super::pipe::{TimedPipe, output_of};
use super::program_environment::clean_command;
use super::program_output::GitOutput;
pub(super) use super::program_output::{fields, first_line};
use chant_base::inherited_environment::inherited_environment;
use chant_base::own_children;
use chant_confine::Confinement;

/// Settings for a call that reads: no hooks and no helper programs.
const HARMLESS: [&str; 3] = [
    "core.hooksPath=/dev/null",
    "log.showSignature=false",
    "submodule.recurse=false",
];

/// Commands of git that compare files, for which the repository may name programs.
const COMPARING: [&str; 4] = ["diff-tree", "diff", "log", "show"];

/// The variable that keeps git from fetching objects that a partial clone lacks.
const NO_FETCH: &str = "GIT_NO_LAZY_FETCH";

/// The variable that names the protocols by which git may reach a remote.
const ONLY_PROTOCOLS: &str = "GIT_ALLOW_PROTOCOL";

/// The time to read the remaining output of a killed git.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// The time between two looks at how much a git wrote into a folder with a limit.
const SIZE_LOOK: Duration = Duration::from_millis(100);

/// The variable that marks the processes of a run, set in the run's runner process.
static RUN_MARK: OnceLock<(&str, String)> = OnceLock::new();

/// Sets a variable in every call of this process that has a time limit. The process serves only one
/// run, and the variable identifies processes that are left after it is killed.
pub fn mark_calls(variable: &'static str, value: String) {
    // A second mark would be that of the same run.
    let _ = RUN_MARK.set((variable, value));
}

/// Kills the running calls of this process that have a time limit, with all that they started.
pub fn end_limited_calls() {
    own_children::limited().into_iter().for_each(kill_group);
}

/// One call of the `git` program.
pub(super) struct GitCall {
    command: Command,
    folder: PathBuf,
    /// The sub-command, for error texts.
    name: String,
    /// The confinement of the process.
    confinement: Confinement,
    /// The time limit, after which it is killed with all that it started.
    longest: Option<Duration>,
    /// The folder whose files may have so many bytes together while it runs.
    largest: Option<(PathBuf, u64)>,
    /// The number of its own settings.
    settings: usize,
}

/// Why a call was killed.
#[derive(Debug, Clone, Copy)]
enum KillReason {
    TooLong,
    TooLarge,
}

/// A running call of git.
pub(super) struct RunningCall {
    call: GitCall,
    child: Child,
}

/// Prepares a call of git that reads, in `folder`: the top of a checkout, or a git folder. It runs
/// nothing that the repository's configuration names: no hook, monitor, text conversion, diff or
/// signature program, pager, or way to a remote. It must not read the work tree, whose filters
/// cannot be switched off: `status`, `diff` and `add` are acts.
///
/// Git may look for the repository there but not in the folders above, so a repository that was
/// deleted meanwhile gives an error instead of a call that acts on another repository around it.
pub(super) fn reading<'a>(folder: &Path, args: impl IntoIterator<Item = &'a str>) -> GitCall {
    let mut command = clean_command();
    stay_within(&mut command, folder);
    prepare(harmless(command), folder, args.into_iter().collect(), true)
}

/// Works as [`reading`], but looks for the repository in `folder` and in all folders above.
pub(super) fn reading_within<'a>(
    folder: &Path,
    args: impl IntoIterator<Item = &'a str>,
) -> GitCall {
    let command = harmless(clean_command());
    prepare(command, folder, args.into_iter().collect(), true)
}

/// Prepares a call of git that acts, in `folder`: the top of a checkout, or a git folder. Hooks, filters and
/// merge drivers are run as the user's own git runs them.
pub(super) fn acting<'a>(folder: &Path, args: impl IntoIterator<Item = &'a str>) -> GitCall {
    acting_with_hooks(folder, None, args)
}

/// Works as [`acting`] with the hooks of one folder, whatever the configuration names.
pub(super) fn acting_with_hooks<'a>(
    folder: &Path,
    hooks: Option<&Path>,
    args: impl IntoIterator<Item = &'a str>,
) -> GitCall {
    let mut command = clean_command();
    stay_within(&mut command, folder);
    if let Some(hooks) = hooks {
        let mut setting = OsString::from("core.hooksPath=");
        setting.push(hooks);
        command.arg("-c").arg(setting);
    }
    let call = prepare(command, folder, args.into_iter().collect(), false);
    let flushing = FLUSH_ALL.into_iter();
    flushing.fold(call, |call, (key, value)| call.setting(key, value))
}

/// Works as [`acting`] in a folder whose repository need not last a power loss.
pub(super) fn acting_unflushed<'a>(
    folder: &Path,
    args: impl IntoIterator<Item = &'a str>,
) -> GitCall {
    let mut command = clean_command();
    stay_within(&mut command, folder);
    prepare(command, folder, args.into_iter().collect(), false)
}

impl GitCall {
    /// Adds a path (or any text that may not be UTF-8) as the next argument.
    pub(super) fn arg(mut self, argument: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.arg(argument);
        self
    }

    /// Lets a call that reads fetch objects that a partial clone lacks. The way to a remote may be
    /// a program that the repository names.
    pub(super) fn fetching(mut self) -> Self {
        let inherited = inherited_environment();
        for name in [NO_FETCH, ONLY_PROTOCOLS] {
            match inherited.variable(name) {
                Some(own) => self.command.env(name, own),
                None => self.command.env_remove(name),
            };
        }
        self
    }

    /// Sets the confinement of this call and of all that git starts.
    pub(super) fn confined(mut self, confinement: &Confinement) -> Self {
        self.confinement = confinement.clone();
        if confinement.is_a_program() {
            self.command = self.held_by_program();
        }
        self
    }

    /// Kills this call, with all that git started, when it takes longer than this.
    pub(super) fn limited(mut self, longest: Duration) -> Self {
        self.longest = Some(longest);
        if let Some((variable, value)) = RUN_MARK.get() {
            self.command.env(variable, value);
        }
        self
    }

    /// Kills this call when the files of a folder have more bytes together; a call without a time limit is not
    /// watched.
    pub(super) fn filling(mut self, folder: &Path, largest: u64) -> Self {
        self.largest = Some((folder.to_owned(), largest));
        self
    }

    /// Sets a setting of git for this call and all that it starts.
    pub(super) fn setting(mut self, key: &str, value: &str) -> Self {
        let number = self.settings;
        self.settings += 1;
        self.env("GIT_CONFIG_COUNT", (number + 1).to_string())
            .env(&format!("GIT_CONFIG_KEY_{number}"), key)
            .env(&format!("GIT_CONFIG_VALUE_{number}"), value)
    }

    /// Sets an environment variable for this call.
    pub(super) fn env(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Runs git to its end; a failure exit is an answer, too.
    ///
    /// # Errors
    /// `NoGit` when it is not installed, `Program` when it cannot be run.
    pub(super) fn answer(mut self) -> Result<GitOutput, GitError> {
        let child = self.start()?;
        let output = self.bounded(child.id(), |until| output_of(child, until))?;
        Ok(self.ended(output.status, output.stdout, output.stderr))
    }

    /// Runs git to its end and returns its output.
    ///
    /// # Errors
    /// As `answer`, and git's complaint if it did not succeed.
    pub(super) fn output(self) -> Result<Vec<u8>, GitError> {
        self.answer()?.success()
    }

    /// Runs git to its end with `input` on its standard input.
    ///
    /// # Errors
    /// As `answer`. Git must read all of its input before it writes more than a few lines.
    pub(super) fn answer_to(self, input: &[u8]) -> Result<GitOutput, GitError> {
        let RunningCall { call, child } = self.piped(input)?;
        let output = call.bounded(child.id(), |until| output_of(child, until))?;
        Ok(call.ended(output.status, output.stdout, output.stderr))
    }

    /// Starts git with a short `input` on its standard input; read its output with
    /// [`RunningCall::read_with`].
    ///
    /// # Errors
    /// As `answer`.
    pub(super) fn piped(mut self, input: &[u8]) -> Result<RunningCall, GitError> {
        self.command.stdin(Stdio::piped());
        let mut child = self.start()?;
        // A git that ended early closes the pipe; its own complaint then gives the reason.
        if let Some(mut stdin) = child.stdin.take()
            && let Err(error) = stdin.write_all(input)
            && error.kind() != io::ErrorKind::BrokenPipe
        {
            own_children::forget(child.id());
            return Err(self.broken(&error));
        }
        Ok(RunningCall { call: self, child })
    }

    /// Runs git to its end with the output of `write` on its standard input.
    ///
    /// # Errors
    /// As `output`, or the failure of `write`.
    pub(super) fn feed(
        mut self,
        write: impl FnOnce(&mut ChildStdin) -> io::Result<()>,
    ) -> Result<(), GitError> {
        self.command.stdin(Stdio::piped()).stdout(Stdio::null());
        let mut child = self.start()?;
        let mut written = Ok(());
        let output = self.bounded(child.id(), |until| {
            if let Some(mut stdin) = child.stdin.take() {
                written = write(&mut stdin);
            }
            output_of(child, until)
        })?;
        let name = self.name.clone();
        // Git's complaint says more than the broken pipe.
        self.ended(output.status, Vec::new(), output.stderr)
            .success()?;
        written.map_err(|error| GitError::Program {
            command: name,
            why: error.to_string(),
        })
    }

    /// Runs git to its end and passes on each piece of its standard error as it arrives.
    ///
    /// # Errors
    /// As `output`.
    pub(super) fn hear(mut self, heard: &mut dyn FnMut(&str)) -> Result<(), GitError> {
        self.command.stdout(Stdio::null());
        let mut child = self.start()?;
        let mut said = Vec::new();
        let status = self.bounded(child.id(), |until| {
            let mut piece = [0; 4096];
            if let Some(pipe) = child.stderr.take() {
                let mut pipe = TimedPipe::new(pipe, until);
                loop {
                    let read = pipe.read(&mut piece)?;
                    if read == 0 {
                        break;
                    }
                    heard(&String::from_utf8_lossy(&piece[..read]));
                    said.extend_from_slice(&piece[..read]);
                }
            }
            child.wait()
        })?;
        self.ended(status, Vec::new(), said).success().map(drop)
    }

    /// Runs `work`, which ends when the process does, and kills the process when that takes too
    /// long. `work` gets the time until which it may read: processes that it started may survive
    /// the kill.
    fn bounded<T>(
        &self,
        process: u32,
        work: impl FnOnce(Option<Instant>) -> io::Result<T>,
    ) -> Result<T, GitError> {
        let Some(longest) = self.longest else {
            let done = work(None);
            own_children::forget(process);
            return done.map_err(|error| self.broken(&error));
        };
        let until = Instant::now() + longest;
        let (is_done, waits) = mpsc::channel::<()>();
        let (done, killed) = thread::scope(|scope| {
            let watch = scope.spawn(move || {
                let reason = self.wait_for_limit(&waits, until);
                if reason.is_some() {
                    kill_group(process);
                }
                reason
            });
            let done = work(Some(until + LAST_WORDS));
            drop(is_done);
            (done, watch.join().unwrap_or_default())
        });
        own_children::forget(process);
        let why = match (killed, &self.largest) {
            (None, _) => return done.map_err(|error| self.broken(&error)),
            (Some(KillReason::TooLarge), Some((_, bytes))) => {
                format!("it was ended because it wrote more than {bytes} bytes")
            }
            (Some(_), _) => {
                let seconds = longest.as_secs();
                format!("it was ended because it took longer than {seconds} s")
            }
        };
        Err(self.broken(&io::Error::other(why)))
    }

    /// Waits for the end of the call, or until it has reached one of its limits.
    fn wait_for_limit(&self, ends: &Receiver<()>, until: Instant) -> Option<KillReason> {
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let step = self.largest.as_ref().map_or(left, |_| left.min(SIZE_LOOK));
            if ends.recv_timeout(step) != Err(RecvTimeoutError::Timeout) {
                return None;
            }
            if left.is_zero() {
                return Some(KillReason::TooLong);
            }
            let mut limit = self.largest.iter();
            if limit.any(|(folder, bytes)| size_of_files(folder) > *bytes) {
                return Some(KillReason::TooLarge);
            }
        }
    }

    /// Runs git and passes on its output as it arrives, field by field, each ended by a NUL.
    ///
    /// # Errors
    /// As `output`.
    pub(super) fn each_field(self, mut take: impl FnMut(&[u8])) -> Result<(), GitError> {
        let never = |field: &[u8]| {
            take(field);
            false
        };
        self.find_field(never).map(drop)
    }

    /// Works as `each_field` until a field matches: git is then ended, and the result is true.
    ///
    /// # Errors
    /// As `output`.
    pub(super) fn find_field(
        mut self,
        mut is_it: impl FnMut(&[u8]) -> bool,
    ) -> Result<bool, GitError> {
        let mut child = self.start()?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let read = thread::scope(|scope| {
            // Standard error is read at the same time: a git that complains a lot must not block.
            let complaint = scope.spawn(move || {
                let mut text = Vec::new();
                stderr.map(|mut pipe| pipe.read_to_end(&mut text));
                text
            });
            let mut pipe = BufReader::with_capacity(1 << 16, stdout.into_iter().next()?);
            let mut field = Vec::new();
            loop {
                field.clear();
                match pipe.read_until(0, &mut field) {
                    Ok(0) => break,
                    Ok(_) if is_it(field.strip_suffix(&[0]).unwrap_or(&field)) => {
                        // It may have ended already; otherwise its next write would fail.
                        let _ = child.kill();
                        return Some(Ok(None));
                    }
                    Ok(_) => {}
                    Err(error) => return Some(Err(error)),
                }
            }
            Some(Ok(Some(complaint.join().unwrap_or_default())))
        });
        let status = child.wait().map_err(|error| self.broken(&error));
        own_children::forget(child.id());
        let status = status?;
        match read {
            Some(Ok(None)) => Ok(true),
            Some(Ok(Some(complaint))) => self
                .ended(status, Vec::new(), complaint)
                .success()
                .map(|_| false),
            Some(Err(error)) => Err(self.broken(&error)),
            None => Err(self.broken(&io::Error::other("its output cannot be read"))),
        }
    }

    fn start(&mut self) -> Result<Child, GitError> {
        let has_limit = self.longest.is_some();
        #[cfg(unix)]
        if has_limit {
            std::os::unix::process::CommandExt::process_group(&mut self.command, 0);
        }
        own_children::start_noted(has_limit, || self.spawned(), Child::id)
    }

    fn spawned(&mut self) -> Result<Child, GitError> {
        self.confinement
            .spawn(&mut self.command)
            .map_err(|error| match error.kind() {
                io::ErrorKind::NotFound => GitError::NoGit {
                    why: format!("to run `{}`", self.name),
                },
                _ => self.broken(&error),
            })
    }

    /// Returns the same command, started by the program that confines it.
    fn held_by_program(&self) -> Command {
        let own = std::iter::once(self.command.get_program()).chain(self.command.get_args());
        let argv = own.map(ToOwned::to_owned).collect();
        let mut argv = self.confinement.command_line(argv).into_iter();
        let mut command = Command::new(argv.next().unwrap_or_default());
        let variables = self.command.get_envs();
        command
            .args(argv)
            .env_clear()
            .envs(variables.filter_map(|(name, value)| Some((name, value?))))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn ended(self, status: ExitStatus, out: Vec<u8>, err: Vec<u8>) -> GitOutput {
        GitOutput {
            name: self.name,
            folder: self.folder,
            status,
            out,
            err,
        }
    }

    fn broken(&self, error: &io::Error) -> GitError {
        GitError::Program {
            command: self.name.clone(),
            why: error.to_string(),
        }
    }
}

impl RunningCall {
    /// Passes git's output to `read`, until both have ended.
    ///
    /// # Errors
    /// Git's complaint, else the failure of `read`.
    pub(super) fn read_with(
        self,
        read: impl FnOnce(&mut dyn Read) -> Result<(), GitError>,
    ) -> Result<(), GitError> {
        let Self { call, mut child } = self;
        let mut taken = Ok(());
        let output = call.bounded(child.id(), |until| {
            if let Some(stdout) = child.stdout.take() {
                taken = read(&mut TimedPipe::new(stdout, until));
            }
            output_of(child, until)
        })?;
        let packed = call.ended(output.status, Vec::new(), output.stderr);
        // A reader that stopped early broke the pipe of a git that did well.
        match (packed.success(), taken) {
            (Ok(_), taken) => taken,
            (Err(refused), Ok(())) => Err(refused),
            (Err(refused), Err(taken)) => Err(match refused {
                GitError::Program { ref why, .. } if why.contains("SIGPIPE") => taken,
                _ => refused,
            }),
        }
    }
}

/// Kills a process that leads a group, with that group.
#[cfg(unix)]
fn kill_group(process: u32) {
    let group = i32::try_from(process).ok();
    if let Some(group) = group.and_then(rustix::process::Pid::from_raw) {
        // It may have ended just now.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
}

#[cfg(not(unix))]
fn kill_group(_: u32) {}

/// Limits git's search for the repository to this folder.
fn stay_within(command: &mut Command, folder: &Path) {
    if let Some(above) = folder.parent() {
        command.env("GIT_CEILING_DIRECTORIES", above);
    }
}

/// Switches off the programs that the repository's configuration names for reads.
fn harmless(mut command: Command) -> Command {
    command
        .arg("--no-pager")
        .args(HARMLESS.iter().flat_map(|setting| ["-c", setting]))
        .env("GIT_PAGER", "cat")
        .env(NO_FETCH, "1")
        // For versions of git that do not know the variable above: there is no such protocol.
        .env(ONLY_PROTOCOLS, "none");
    command
}

fn prepare(mut command: Command, folder: &Path, args: Vec<&str>, only_reads: bool) -> GitCall {
    // A file system monitor would be a daemon that outlives the call.
    command
        .args(["-c", "core.fsmonitor=false", "-C"])
        .arg(folder);
    let words = args.iter().skip_while(|word| word.starts_with('-'));
    let words = words.take_while(|word| !word.starts_with('-')).take(2);
    let name = words.fold("git".to_owned(), |name, word| name + " " + word);
    for word in args {
        command.arg(word);
        if only_reads && COMPARING.contains(&word) {
            command.args(["--no-ext-diff", "--no-textconv"]);
        }
    }
    GitCall {
        command,
        folder: folder.to_owned(),
        name,
        confinement: Confinement::Off,
        longest: None,
        largest: None,
        settings: 0,
    }
}

/// Returns the bytes of the files in a folder together, without those of folders in it.
pub(super) fn size_of_files(folder: &Path) -> u64 {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let sizes = entries.filter_map(|entry| entry.metadata().ok());
    let files = sizes.filter(std::fs::Metadata::is_file);
    files.map(|found| found.len()).sum()
}
