//! The process of a plugin: it reads a question in a line and answers in one, for as long as this process asks.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use super::fault::PluginFault;

/// The way a plugin's program is started.
#[derive(Debug, Clone)]
pub struct PluginCall {
    /// Program and arguments.
    pub argv: Vec<OsString>,
    /// Its whole environment.
    pub environment: Vec<(OsString, OsString)>,
    /// Its working folder.
    pub folder: PathBuf,
    /// Files and folders that it may read, besides those of the system: its packages.
    pub read: Vec<PathBuf>,
}

/// The time in which a program has to be up.
const START_TIME: Duration = Duration::from_secs(20);

/// A plugin's process, which is started when it is asked for the first time, and again after it had to be ended.
pub(crate) struct PluginProcess {
    call: PluginCall,
    running: Option<running::RunningPlugin>,
}

impl PluginProcess {
    pub(crate) fn new(call: PluginCall) -> Self {
        Self {
            call,
            running: None,
        }
    }

    /// Asks a question. A process that does not answer in time, or answers nonsense, is ended.
    ///
    /// # Errors
    /// What went wrong, as the rest of a sentence that begins with the plugin.
    pub(crate) fn ask(&mut self, question: &Value, time: Duration) -> Result<Value, PluginFault> {
        if self.running.is_none() {
            let started = running::RunningPlugin::start(&self.call);
            let mut running = started.map_err(|error| not_started(&error))?;
            // Its first line says that it is up.
            running.answer(START_TIME)?;
            self.running = Some(running);
        }
        let Some(running) = &mut self.running else {
            return Err("has no process".into());
        };
        running.send(question);
        let answer = running.answer(time);
        let answer = answer.and_then(|line| {
            serde_json::from_slice::<Value>(&line)
                .map_err(|_| PluginFault::from("broke the answer of its process"))
        });
        if answer.is_err() {
            self.running = None;
        }
        answer
    }
}

fn not_started(error: &io::Error) -> PluginFault {
    format!("was not asked: its process cannot be started ({error})").into()
}

#[cfg(unix)]
mod running {
    use std::ffi::OsString;
    use std::io::{self, BufRead, BufReader, Read, Write};
    use std::path::PathBuf;
    use std::process::{Child, Stdio};
    use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
    use std::thread;
    use std::time::Duration;

    use chant_base::diagnostics::LogFailure;
    use chant_base::own_children;
    use chant_confine::start::{ProcessInput, ProcessStart};
    use chant_confine::{ConfinePolicy, Confinement, LandlockSupport, NetworkAccess};
    use chant_store::disk;
    use rustix::process::{Pid, Signal, kill_process_group};
    use serde_json::Value;

    use super::{PluginCall, PluginFault};

    /// Bytes of one answer.
    const MAX_ANSWER: u64 = 16 << 20;

    /// Parts of the system that an interpreter needs.
    const SYSTEM: [&str; 12] = [
        "/usr", "/bin", "/lib", "/lib64", "/nix/store", "/gnu/store", "/etc/ld.so.cache",
        "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime", "/dev/null", "/dev/urandom",
    ];

    /// A process with the threads that write to it and read from it.
    pub(super) struct RunningPlugin {
        child: Child,
        questions: Sender<Vec<u8>>,
        answers: Receiver<Vec<u8>>,
    }

    impl RunningPlugin {
        pub(super) fn start(call: &PluginCall) -> io::Result<Self> {
            let confinement = confinement(call)?;
            let start = ProcessStart {
                argv: call.argv.clone(),
                environment: call.environment.clone(),
                mark: None,
                folder: &call.folder,
                input: ProcessInput::Pipe,
                output: Stdio::piped(),
                errors: Stdio::null(),
            };
            let mut child =
                own_children::start_noted(false, || confinement.start(start), Child::id)?;
            let (questions, to_write) = channel::<Vec<u8>>();
            let (to_read, answers) = channel();
            let input = child.stdin.take();
            let output = child.stdout.take();
            thread::spawn(move || {
                let Some(mut input) = input else { return };
                for question in to_write {
                    // One that reads no more is found by who waits for its answer.
                    if input
                        .write_all(&question)
                        .and_then(|()| input.flush())
                        .is_err()
                    {
                        return;
                    }
                }
            });
            thread::spawn(move || {
                let Some(output) = output else { return };
                let mut output = BufReader::new(output);
                loop {
                    let mut line = Vec::new();
                    let read = (&mut output).take(MAX_ANSWER).read_until(b'\n', &mut line);
                    let is_whole = read.is_ok() && line.ends_with(b"\n");
                    if !is_whole || to_read.send(line).is_err() {
                        return;
                    }
                }
            });
            Ok(Self {
                child,
                questions,
                answers,
            })
        }

        pub(super) fn send(&mut self, question: &Value) {
            let mut line = question.to_string().into_bytes();
            line.push(b'\n');
            // Without a process nobody answers, which is said then.
            self.questions.send(line).unwrap_or_default();
        }

        pub(super) fn answer(&mut self, time: Duration) -> Result<Vec<u8>, PluginFault> {
            let answer = self.answers.recv_timeout(time);
            answer.map_err(|error| match error {
                RecvTimeoutError::Timeout => {
                    let seconds = time.as_secs_f64();
                    format!("did not answer within {seconds} seconds").into()
                }
                RecvTimeoutError::Disconnected => {
                    let most = MAX_ANSWER >> 20;
                    format!("ended its process, or answered more than {most} MiB").into()
                }
            })
        }
    }

    impl Drop for RunningPlugin {
        fn drop(&mut self) {
            // It leads a group of its own; its number is its own until it is waited for.
            let group = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
            if let Some(group) = group {
                kill_process_group(group, Signal::KILL).log_failure("end the process of a plugin");
            }
            self.child
                .wait()
                .log_failure("wait for the process of a plugin");
            own_children::forget(self.child.id());
        }
    }

    fn confinement(call: &PluginCall) -> io::Result<Confinement> {
        if cfg!(target_os = "macos") {
            return Ok(Confinement::Off);
        }
        let ability = LandlockSupport::of_system(None);
        if let Some(lack) = ability.lacks() {
            return Err(io::Error::other(lack));
        }
        let system = SYSTEM.iter().map(PathBuf::from);
        let program = call
            .argv
            .first()
            .map(|program: &OsString| PathBuf::from(program));
        let read = system.chain(program).chain(call.read.iter().cloned());
        Ok(Confinement::to(ConfinePolicy {
            read: read.filter(|path| disk::exists(path)).collect(),
            network: NetworkAccess::None,
            ability,
            ..ConfinePolicy::default()
        }))
    }
}

#[cfg(not(unix))]
mod running {
    use std::io;
    use std::time::Duration;

    use serde_json::Value;

    use super::{PluginCall, PluginFault};

    /// There is none: nothing holds such a process on this system.
    pub(super) enum RunningPlugin {}

    impl RunningPlugin {
        pub(super) fn start(_: &PluginCall) -> io::Result<Self> {
            Err(io::ErrorKind::Unsupported.into())
        }

        pub(super) fn send(&mut self, _: &Value) {
            match *self {}
        }

        pub(super) fn answer(&mut self, _: Duration) -> Result<Vec<u8>, PluginFault> {
            match *self {}
        }
    }
}
