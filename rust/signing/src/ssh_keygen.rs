//! Signatures that `ssh-keygen` makes and checks: the keys, the agent of SSH and hardware keys stay its own matter.

use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use tempfile::NamedTempFile;

use crate::envelope::{SignatureError, SignedStatement, signed_bytes};
use chant_base::inherited_environment::inherited_environment;

/// The time in which a key that nobody attends has to sign.
const UNATTENDED_TIMEOUT: Duration = Duration::from_secs(30);

/// The reasons why nothing was signed or checked.
#[derive(Debug, thiserror::Error)]
pub enum SigningError {
    /// The program is not there, or a file for it could not be written.
    #[error("`ssh-keygen` could not be run: {0}")]
    NotRun(#[from] io::Error),
    /// It refused.
    #[error("`ssh-keygen` says: {0}")]
    Refused(String),
    /// Its output is no signature.
    #[error(transparent)]
    NoSignature(#[from] SignatureError),
}

/// Those who may sign, as a commit says.
#[derive(Debug, Clone, Copy)]
pub struct AllowedSigners<'a> {
    /// The list of keys and whose they are, in the form of `ssh-keygen`.
    pub allowed: &'a [u8],
    /// The keys that count no more.
    pub revoked: Option<&'a [u8]>,
    /// The time in seconds since 1970 for which the dates in the list have to hold.
    pub at: i64,
}

/// A key to sign with.
#[derive(Debug, Clone, Copy)]
pub struct SigningKey<'a> {
    /// The file of the private key, or of the public one of a key that the SSH agent has.
    pub path: &'a Path,
    /// True if a person is there, whom the key may ask for its passphrase.
    pub is_attended: bool,
}

/// Signs a statement in a namespace with a key.
///
/// # Errors
/// The complaint of `ssh-keygen`; that a key which nobody attends had to be unlocked.
pub fn sign(
    namespace: &str,
    statement: &str,
    key: SigningKey<'_>,
) -> Result<SignedStatement, SigningError> {
    let mut call = keygen("sign");
    call.arg("-n").arg(namespace).arg("-f").arg(key.path);
    if !key.is_attended {
        // A passphrase that is given, if only an empty one, is asked of nobody.
        call.args(["-P", ""]).env("SSH_ASKPASS_REQUIRE", "never");
    }
    let timeout = (!key.is_attended).then_some(UNATTENDED_TIMEOUT);
    let armored = answer(call, &signed_bytes(statement.as_bytes()), timeout)?;
    Ok(SignedStatement::new(
        namespace,
        statement.as_bytes().to_vec(),
        armored,
    )?)
}

/// Returns the person whose key made a signature in a namespace; `None` for a key that no list names, or one that is revoked.
///
/// # Errors
/// That `ssh-keygen` could not be run.
pub fn signer(
    namespace: &str,
    signature: &SignedStatement,
    signers: AllowedSigners<'_>,
) -> Result<Option<String>, SigningError> {
    let list = file_of(signers.allowed)?;
    let made = file_of(signature.armored.as_bytes())?;
    let revoked = signers.revoked.map(file_of).transpose()?;
    let time = jiff::Timestamp::from_second(signers.at).map_or_else(
        |_| String::new(),
        |time| time.strftime("%Y%m%d%H%M%S").to_string(),
    );
    let call = |what: &str| {
        let mut call = keygen(what);
        call.arg("-f").arg(list.path()).arg("-s").arg(made.path());
        call.arg("-O").arg(format!("verify-time={time}"));
        call
    };
    let message = signed_bytes(&signature.statement);
    let principals = match answer(call("find-principals"), &[], None) {
        Ok(principals) => principals,
        Err(SigningError::Refused(_)) => return Ok(None),
        Err(error) => return Err(error),
    };
    for principal in principals.lines().filter(|line| !line.is_empty()) {
        let mut check = call("verify");
        check.arg("-n").arg(namespace).arg("-I").arg(principal);
        if let Some(revoked) = &revoked {
            check.arg("-r").arg(revoked.path());
        }
        match answer(check, &message, None) {
            Ok(_) => return Ok(Some(principal.to_owned())),
            Err(SigningError::Refused(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

fn keygen(what: &str) -> Command {
    let mut call = inherited_environment().command("ssh-keygen", |_| false);
    // Times without a zone are those of UTC, as the dates of commits here.
    call.env("TZ", "UTC").env("LC_ALL", "C").arg("-Y").arg(what);
    call
}

fn answer(
    mut call: Command,
    input: &[u8],
    timeout: Option<Duration>,
) -> Result<String, SigningError> {
    let input = file_of(input)?;
    call.stdin(Stdio::from(input.reopen()?));
    let done = output(call, timeout)?;
    if done.status.success() {
        return Ok(String::from_utf8_lossy(&done.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&done.stderr);
    let said = said.lines().find(|line| !line.trim().is_empty());
    Err(SigningError::Refused(
        said.unwrap_or("nothing").trim().to_owned(),
    ))
}

fn output(mut call: Command, timeout: Option<Duration>) -> io::Result<Output> {
    let Some(timeout) = timeout else {
        return call.output();
    };
    let mut started = call.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (out, err) = (started.stdout.take(), started.stderr.take());
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(all_of(out).and_then(|out| Ok((out, all_of(err)?)))));
    let Ok(texts) = receiver.recv_timeout(timeout) else {
        started.kill()?;
        started.wait()?;
        let why = "the key waited for somebody who is not there";
        return Err(io::Error::new(io::ErrorKind::TimedOut, why));
    };
    let (stdout, stderr) = texts?;
    Ok(Output {
        status: started.wait()?,
        stdout,
        stderr,
    })
}

fn all_of(pipe: Option<impl io::Read>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        pipe.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

fn file_of(bytes: &[u8]) -> io::Result<NamedTempFile> {
    let mut file = NamedTempFile::new()?;
    file.write_all(bytes)?;
    Ok(file)
}
